"""Links and joints of a robot where they are at other places than in the stage that it came from.

A joint of USD has a frame on each of its two bodies, and the bodies have places of their own. Both
are written: the frames are what simulators follow, and the bodies are where the stage is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_list
from editor_app.core.model.urdf import Joint, JointType, Urdf
from editor_app.core.space.kinematics.transforms import (
    Matrix,
    build_pose_matrix,
    invert,
    joint_motion,
    matrix_to_quaternion,
)
from editor_app.plugins.usd.over_names import StageNames
from editor_app.plugins.usd.reading.values import JointPrim, JointSide, LinkPrim, ReadStage
from editor_app.plugins.usd.writing_prims import MOST_NAMES, FindPrim, transform_lines, vector_text

#: Metres, and parts of a rotation, by which places differ though they mean the same.
_NOISE = 1e-9


class PlaceChanges:
    """Overs of the joints and bodies of a robot whose joints have other origins or axes than in the
    stage."""

    def __init__(
        self, robot: Urdf, read: ReadStage, names: StageNames, out: Reporter, find_prim: FindPrim
    ) -> None:
        self._read, self._places, self._out, self._find_prim = read, read.places, out, find_prim
        ours = {joint.name: joint for joint in robot.joints}
        theirs_to_ours = {stage: ours[name] for name, stage in names.joints.items()}
        self._stated = {joint.name: joint for joint in read.urdf.joints}
        #: Name in the stage -> (joint of the robot, joint of the stage), where they connect the
        #: same links.
        self._pairs: dict[str, tuple[Joint, Joint]] = {}
        self._elsewhere: list[str] = []
        for name, stated in self._stated.items():
            joint = theirs_to_ours.get(name)
            if joint is None:
                continue
            ends = (names.links.get(joint.parent), names.links.get(joint.child))
            if ends != (stated.parent, stated.child) or _is_moved(stated) != _is_moved(joint):
                self._elsewhere += [joint.name] if not _is_same_place(joint, stated) else []
                continue
            self._pairs[name] = joint, stated

    def write(self) -> None:
        """Write the frames of joints and the places of bodies; report joints whose place USD cannot
        say here."""
        changed = [name for name, pair in self._pairs.items() if not _is_same_place(*pair)]
        written = self._write_joints(frozenset(changed))
        self._move_links(written)
        moved = [self._pairs[name][0].name for name in changed if name in written]
        if moved:
            names = format_list(moved, MOST_NAMES)
            self._out.translated(
                "places of joints", f"frames of {names}, and where the stage places their links"
            )
        rest = [self._pairs[name][0].name for name in changed if name not in written]
        if rest := [*rest, *self._elsewhere]:
            detail = "another origin or axis than in the stage, which keeps its own"
            self._out.lost(f"places of the joints {format_list(rest, MOST_NAMES)}", detail)

    def _write_joints(self, changed: frozenset[str]) -> dict[str, Joint]:
        """Write the frames of joints. Return those that can be moved, by their names in the
        stage."""
        written: dict[str, Joint] = {}
        in_chains: set[str] = set()
        for prims, chain in self._chains():
            in_chains.update(chain)
            if not changed.isdisjoint(chain) and self._write_joint(prims, chain):
                written |= {name: self._pairs[name][0] for name in chain}
        # A joint without a prim is only where the stage places its links.
        for name in changed - in_chains:
            if self._pairs[name][1].child in self._places.links:
                written[name] = self._pairs[name][0]
        return written

    def _chains(self) -> Iterator[tuple[Sequence[JointPrim], list[str]]]:
        """For each two links the prims of the joints between them, and these joints in the order of
        the URDF.

        They end with the fixed joint to the lower link, where that one is away from its joint.
        """
        between: dict[frozenset[str], tuple[dict[str, JointPrim], list[str]]] = {}
        for name in self._stated:
            place = self._places.joints.get(name)
            if place is not None:
                prims, chain = between.setdefault(
                    frozenset(side.link for side in place.sides), ({}, [])
                )
                prims[place.prim.path] = place
                chain.append(name)
        above = {
            joint.parent: name
            for name, joint in self._stated.items()
            if name not in self._places.joints
        }
        for prims, chain in between.values():
            last = self._stated[chain[-1]].child
            behind = above.get(last) if last not in self._places.links else None
            yield list(prims.values()), chain if behind is None else [*chain, behind]

    # -- a joint

    def _write_joint(self, prims: Sequence[JointPrim], chain: Sequence[str]) -> bool:
        """Write the frames of the joints between two links; False where USD cannot say them."""
        pairs = [self._pairs[name] for name in chain if name in self._pairs]
        child = self._stated[chain[-1]].child
        if len(pairs) < len(chain) or any(
            child not in (side.link for side in place.sides) for place in prims
        ):
            return False
        behind = pairs.pop() if chain[-1] not in self._places.joints else None
        moves = _moves_of_frames(pairs, behind)
        if moves is None:
            return False
        for place in prims:
            over = self._find_prim(place.prim)
            for number, side in enumerate(place.sides):
                frame = moves[side.link == child] @ side.frame
                if np.abs(frame - side.frame).max() > _NOISE:
                    over.lines += _side_lines(number, side, frame)
        return True

    # -- links

    def _move_links(self, written: Mapping[str, Joint]) -> None:
        """Write the places of all links that a changed joint moves, as the stage poses the
        robot."""
        if not written:
            return
        root = self._places.links.get(self._read.urdf.links[0].name)
        base = np.eye(4) if root is None else root.frame
        before, after = self._poses({}), self._poses(written)
        moves = {
            name: base @ after[name] @ invert(before[name]) @ invert(base)
            for name in before
            if name in self._places.links
        }
        for name, move in moves.items():
            link = self._places.links[name]
            carried = moves.get(link.carrier, np.eye(4))
            if max(np.abs(move - np.eye(4)).max(), np.abs(carried - np.eye(4)).max()) <= _NOISE:
                continue
            lines = transform_lines(
                _local_place(link, move @ link.frame, carried), resets=link.resets
            )
            self._find_prim(link.prim).lines += lines

    def _poses(self, changed: Mapping[str, Joint]) -> dict[str, Matrix]:
        """(4, 4) of each link of the stage from its root, in metres, where the stage poses the
        robot."""
        poses = {self._read.urdf.links[0].name: np.eye(4)}
        for name, stated in self._stated.items():
            joint = changed.get(name, stated)
            motion = np.eye(4)
            if _is_moved(stated):
                slides = stated.type is JointType.PRISMATIC
                motion = joint_motion(joint.axis, self._places.placed.get(name, 0.0), slides=slides)
            poses[stated.child] = poses[stated.parent] @ build_pose_matrix(joint.origin) @ motion
        return poses


def _moves_of_frames(
    pairs: Sequence[tuple[Joint, Joint]], behind: tuple[Joint, Joint] | None
) -> tuple[Matrix, Matrix] | None:
    """(4, 4) by which the frames of joints move on their upper and on their lower link; None where
    they cannot.

    `pairs`: (joint of the robot, joint of the stage) between two links, from the upper one on;
    `behind`: the fixed joint from there to the lower link.
    """
    turns = [_turn_of_axis(*pair) for pair in pairs]
    is_turned = any(np.abs(turn - np.eye(4)).max() > _NOISE for turn in turns)
    if len(pairs) > 1 and (is_turned or not all(_is_same_place(*pair) for pair in pairs[1:])):
        return None
    ours, old = (build_pose_matrix(joint.origin) for joint in pairs[0])
    # The motion is about an axis of the joint's frames: they turn with it.
    above = ours @ turns[0] @ invert(old)
    ours, old = (
        (build_pose_matrix(joint.origin) for joint in behind)
        if behind is not None
        else (np.eye(4),) * 2
    )
    return above, invert(ours) @ turns[0] @ old


def _local_place(link: LinkPrim, frame: Matrix, carried: Matrix) -> Matrix:
    """(4, 4) of a link's prim in the units of the prim above, which is `carried` along."""
    return np.asarray(np.linalg.inv(carried @ link.above) @ frame @ np.linalg.inv(link.local))


def _side_lines(number: int, side: JointSide, frame: Matrix) -> list[str]:
    """Return the lines of one frame (4, 4) of a joint, in metres in its link."""
    place = np.linalg.inv(side.units) @ frame
    turn = _rotation_of(side.units).T @ frame[:3, :3]
    return [
        f"point3f physics:localPos{number} = {vector_text(place[:3, 3])}",
        f"quatf physics:localRot{number} = {vector_text(matrix_to_quaternion(turn))}",
    ]


def _rotation_of(matrix: Matrix) -> Matrix:
    """(3, 3): the rotation of an affine transform without shear."""
    u, _, v = np.linalg.svd(matrix[:3, :3])
    turn = u @ v
    return np.asarray(turn if np.linalg.det(turn) > 0 else -turn)


def _is_moved(joint: Joint) -> bool:
    return joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


def _turn_of_axis(joint: Joint, stated: Joint) -> Matrix:
    """(4, 4): the least rotation from the axis of a joint in the stage to its axis in the robot."""
    if not _is_moved(stated):
        return np.eye(4)
    ours, old = (_unit_axis(each) for each in (joint, stated))
    if np.abs(ours - old).max() <= _NOISE:
        return np.eye(4)
    across = np.cross(old, ours)
    sine, cosine = float(np.linalg.norm(across)), float(old @ ours)
    if sine <= _NOISE:
        # A half turn, about any direction across.
        across = np.cross(old, np.eye(3)[int(np.argmin(np.abs(old)))])
    return joint_motion(across.tolist(), math.atan2(sine, cosine), slides=False)


def _unit_axis(joint: Joint) -> Matrix:
    axis = np.asarray(joint.axis, dtype=float)
    return np.asarray(axis / (np.linalg.norm(axis) or 1.0))


def _is_same_place(one: Joint, other: Joint) -> bool:
    """Whether two joints have the same origin, and where they move the same axis."""
    if np.abs(build_pose_matrix(one.origin) - build_pose_matrix(other.origin)).max() > 2e-6:
        return False
    return not other.is_movable or bool(np.abs(_unit_axis(one) - _unit_axis(other)).max() <= 2e-6)
