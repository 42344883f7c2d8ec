"""The kinematic structure of a robot after the modifiers of its XRDF.

`get_tree(robot)` is what other parts ask for. Building is lenient: a broken description gives the
tree that can be made of it, and `problems` says what was left out. Where the source text is at
hand, `formats.urdf` reports the same faults with their line; these are for descriptions that were
never a file, and say how the fault was taken here.

TREE001 a joint names a link that does not exist: left out
TREE002 a joint whose parent is its child: left out
TREE003 a link with two parents: the first joint is used
TREE004 two joints with the same name: the first is used
TREE005 links without a path to the root, or below a loop: not in the tree
TREE006 every link has a parent: the loop is cut
TREE007 a joint mimics an unknown joint, or itself, directly or through others: treated as independent
TREE008 a movable joint with a zero axis: x is used
TREE009 an invalid origin (zero quaternion, not a number): ignored
TREE010 lower limit above upper limit: swapped
TREE011 two links with the same name: the first is used
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.core.model.frozen import remembers
from editor_app.core.model.kinematic_graph import (
    JointFault,
    KinematicGraph,
    adjacent_links,
    links_below,
    solid_frames,
)
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Urdf, position_range
from editor_app.core.model.xrdf import (
    AddFrame,
    LinkPair,
    Modifier,
    RemoveMimicAttributes,
    SetBaseFrame,
)
from editor_app.core.space.kinematics.structure import (
    Follow,
    KinematicTree,
    TransformTerms,
    TreeJoint,
    complete_pose,
    get_default_positions,
    resolve_follows,
)
from editor_app.core.space.kinematics.transforms import (
    Matrix,
    build_origin_matrix,
    fixed_transform_matrix,
)

__all__ = [
    "Follow",
    "KinematicTree",
    "TransformTerms",
    "TreeJoint",
    "adjacent_pairs",
    "build_tree",
    "complete_pose",
    "get_default_positions",
    "get_tree",
]


def get_tree(robot: RobotDescription) -> KinematicTree:
    """The tree of a robot; the same object as long as its `urdf` and `xrdf.modifiers` are the same
    objects."""
    return _tree_of(robot.urdf, robot.xrdf.modifiers)


@remembers(16)
def _tree_of(urdf: Urdf, modifiers: tuple[Modifier, ...] | None) -> KinematicTree:
    return build_tree(urdf, modifiers)


def adjacent_pairs(robot: RobotDescription) -> frozenset[LinkPair]:
    """Return the pairs of frames that are parent and child of one joint, as `adjacent_links`
    defines them."""
    solid = solid_frames(robot.urdf, robot.xrdf)
    return frozenset(
        LinkPair.of(*names) for names in adjacent_links(get_tree(robot).joints, solid).items()
    )


def build_tree(urdf: Urdf, modifiers: Sequence[Modifier] | None = None) -> KinematicTree:
    """The structure of `urdf` with `modifiers` applied: frames added in any order, then the new
    base, then mimics.

    Never raises for a description, however broken: see `problems` and `skipped_modifiers` of the
    result.
    """
    return _Builder(urdf, tuple(modifiers or ())).build()


class _Builder:
    def __init__(self, urdf: Urdf, modifiers: tuple[Modifier, ...]) -> None:
        self.urdf = urdf
        self.graph = KinematicGraph(urdf)
        self.modifiers = modifiers
        self.problems: list[Finding] = []
        self.skipped: dict[int, str] = {}
        self.links: dict[str, None] = {}
        for link in self.urdf.links:
            if link.name in self.links:
                self._problem(
                    "TREE011",
                    f"two links have the name {link.name!r}; the first is used",
                    links=(link.name,),
                )
            self.links[link.name] = None
        #: Child -> the joint that leads to it.
        self.incoming: dict[str, TreeJoint] = {}
        self.outgoing: dict[str, list[TreeJoint]] = {}

    def build(self) -> KinematicTree:
        self._take_joints()
        root = self._choose_root()
        if root is None:
            return KinematicTree(
                "", (), (), (), problems=tuple(self.problems), skipped_modifiers=self._skip_all()
            )
        connected = set(links_below(root, self.outgoing))
        detached = [name for name in self.links if name not in connected]
        if detached:
            self._problem(
                "TREE005",
                f"{_names(detached)} not connected to the root {root!r} and left out of the "
                "kinematic structure",
                links=tuple(detached),
            )
        added = self._add_frames(connected)
        whole = links_below(root, self.outgoing)
        connected = set(whole)
        base = self._base(root, connected)
        frames = whole if base == root else links_below(base, self.outgoing)
        kept = set(frames)
        removed = frozenset(name for name in whole if name not in kept)
        all_joints = {
            joint.name: joint for joint in self.incoming.values() if joint.child in connected
        }
        self._free_mimics(all_joints, kept)
        follows, problems = resolve_follows(
            all_joints, {self.incoming[f].name for f in frames if f != base}
        )
        self.problems.extend(problems)
        joints = [all_joints[self.incoming[frame].name] for frame in frames[1:]]
        cut_off = (*removed, base) if removed else ()
        index = {name: i for i, name in enumerate(frames)}
        return KinematicTree(
            root=base,
            frames=tuple(frames),
            parent=(-1, *(index[joint.parent] for joint in joints)),
            joints=tuple(joints),
            follows={joint.name: follows[joint.name] for joint in joints if joint.is_movable},
            removed_frames=removed,
            removed_joints=frozenset(
                self.incoming[name].name for name in cut_off if name in self.incoming
            ),
            added_frames=frozenset(added) & kept,
            detached_frames=frozenset(detached),
            problems=tuple(self.problems),
            skipped_modifiers=self.skipped,
        )

    # ----------------------------------------------------------------------------------------------
    # URDF

    def _take_joints(self) -> None:
        for place, joint in enumerate(self.urdf.joints):
            fault = self.graph.faults.get(place)
            if fault is None:
                self._connect(self._tree_joint(joint))
            else:
                self._leave_out(joint, fault)

    def _leave_out(self, joint: Joint, fault: JointFault) -> None:
        links: tuple[str, ...] = ()
        if fault is JointFault.NO_LINK:
            missing = next(name for name in (joint.parent, joint.child) if name not in self.links)
            code, message = (
                "TREE001",
                f"joint {joint.name!r} is left out: the robot has no link {missing!r}",
            )
        elif fault is JointFault.ITSELF:
            code = "TREE002"
            message = (
                f"joint {joint.name!r} is left out: its parent and its child are both "
                f"{joint.child!r}"
            )
        elif fault is JointFault.SAME_NAME:
            code, message = "TREE004", f"two joints have the name {joint.name!r}; the first is used"
        else:
            first = self.graph.incoming[joint.child].name
            code, links = "TREE003", (joint.child,)
            message = (
                f"link {joint.child!r} has two parents: joint {first!r} is used, {joint.name!r} is "
                "left out"
            )
        self._problem(code, message, links=links, joints=(joint.name,))

    def _connect(self, joint: TreeJoint) -> None:
        self.incoming[joint.child] = joint
        self.outgoing.setdefault(joint.parent, []).append(joint)

    def _tree_joint(self, joint: Joint) -> TreeJoint:
        axis = np.array(joint.axis, dtype=np.float64)
        norm = float(np.linalg.norm(axis))
        if norm > 0 and math.isfinite(norm):
            axis = axis / norm
        else:
            axis = np.array([1.0, 0.0, 0.0])
            if joint.type not in (JointType.FIXED, JointType.FLOATING):
                self._problem(
                    "TREE008",
                    f"the axis of joint {joint.name!r} is zero; (1, 0, 0) is used",
                    joints=(joint.name,),
                )
        limits = joint.position_limits
        if limits is not None and limits[0] > limits[1]:
            lower, upper = limits
            limits = (upper, lower)
            self._problem(
                "TREE010",
                f"joint {joint.name!r} has its lower limit {lower} above its upper limit {upper}",
                joints=(joint.name,),
            )
        return TreeJoint(
            joint.name,
            joint.type,
            joint.parent,
            joint.child,
            self._origin(joint.origin, joint.name),
            axis,
            limits,
            joint.limit.velocity if joint.limit else None,
            joint.mimic if joint.is_movable else None,
            joint,
        )

    def _origin(self, origin: Origin, joint: str) -> Matrix:
        try:
            matrix = build_origin_matrix(origin)
            if np.isfinite(matrix).all():
                return matrix
        except (ValueError, OverflowError):
            pass
        self._problem(
            "TREE009",
            f"the origin of joint {joint!r} is not a pose and is ignored",
            joints=(joint,),
        )
        return np.eye(4)

    def _choose_root(self) -> str | None:
        if not self.links:
            return None
        root = self.graph.root
        if root is not None:
            return root
        # Walk up until a link comes again: that one lies on a loop.
        seen: set[str] = set()
        name = next(iter(self.links))
        while name not in seen:
            seen.add(name)
            name = self.incoming[name].parent
        loop = {name}
        step = self.incoming[name].parent
        while step != name:
            loop.add(step)
            step = self.incoming[step].parent
        root = next(link for link in self.links if link in loop)
        cut = self.incoming.pop(root)
        self.outgoing[cut.parent].remove(cut)
        self._problem(
            "TREE006",
            f"every link has a parent, so there is no root: {root!r} is used as root and joint "
            f"{cut.name!r} is "
            "left out",
            links=(root,),
            joints=(cut.name,),
        )
        return root

    # --------------------------------------------------------------------------------------------
    # modifiers

    def _add_frames(self, frames: set[str]) -> list[str]:
        joints = {joint.name for joint in self.urdf.joints}
        waiting: dict[str, list[tuple[int, AddFrame]]] = {}
        ready: list[tuple[int, AddFrame]] = []
        taken = set(self.links)
        for i, modifier in enumerate(self.modifiers):
            if not isinstance(modifier, AddFrame):
                continue
            if modifier.frame_name in taken:
                self.skipped[i] = f"the frame name {modifier.frame_name!r} is already in use"
            elif modifier.joint_name in joints:
                self.skipped[i] = f"the joint name {modifier.joint_name!r} is already in use"
            else:
                taken.add(modifier.frame_name)
                joints.add(modifier.joint_name)
                if modifier.parent_frame_name in frames:
                    ready.append((i, modifier))
                else:
                    waiting.setdefault(modifier.parent_frame_name, []).append((i, modifier))
        added: list[str] = []
        while ready:
            i, modifier = ready.pop(0)
            try:
                origin = fixed_transform_matrix(modifier.fixed_transform)
            except ValueError:
                self.skipped[i] = "its orientation is a quaternion of length 0"
                continue
            self._connect(
                TreeJoint(
                    modifier.joint_name,
                    JointType.FIXED,
                    modifier.parent_frame_name,
                    modifier.frame_name,
                    origin,
                    np.array([1.0, 0.0, 0.0]),
                )
            )
            added.append(modifier.frame_name)
            ready.extend(waiting.pop(modifier.frame_name, ()))
        for parent, orphans in waiting.items():
            for i, _ in orphans:
                parent_is_placed = parent in taken
                self.skipped[i] = (
                    f"its parent frame {parent!r} is not connected to the root"
                    if parent_is_placed
                    else f"no frame {parent!r}"
                )
        return added

    def _base(self, root: str, frames: set[str]) -> str:
        base = root
        above: set[str] = set()
        for i, modifier in enumerate(self.modifiers):
            if not isinstance(modifier, SetBaseFrame):
                continue
            if modifier.frame not in frames:
                self.skipped[i] = f"no frame {modifier.frame!r}"
            elif modifier.frame == base or modifier.frame in above:
                # The base that was set before lies below this one: it holds for both, whatever
                # their order.
                continue
            elif base in (ancestors := self._ancestors(modifier.frame)):
                base, above = modifier.frame, ancestors
            else:
                self.skipped[i] = (
                    f"{modifier.frame!r} is not in the subtree of the base frame {base!r}"
                )
        return base

    def _ancestors(self, frame: str) -> set[str]:
        result: set[str] = set()
        while frame in self.incoming:
            frame = self.incoming[frame].parent
            result.add(frame)
        return result

    def _free_mimics(self, joints: dict[str, TreeJoint], kept: set[str]) -> None:
        for i, modifier in enumerate(self.modifiers):
            if not isinstance(modifier, RemoveMimicAttributes):
                continue
            joint = joints.get(modifier.joint_name)
            if joint is None:
                self.skipped[i] = f"no joint {modifier.joint_name!r}"
            elif joint.child not in kept:
                self.skipped[i] = f"joint {joint.name!r} was cut off by the new base frame"
            elif joint.mimic is None:
                self.skipped[i] = f"joint {joint.name!r} does not mimic another joint"
            else:
                lower, upper = sorted(modifier.position_limits)
                velocity = (
                    joint.velocity if modifier.velocity_limit is None else modifier.velocity_limit
                )
                limits = position_range(joint.type, lower, upper)
                joints[joint.name] = replace(joint, mimic=None, limits=limits, velocity=velocity)

    def _skip_all(self) -> dict[int, str]:
        return dict.fromkeys(range(len(self.modifiers)), "the robot has no links")

    def _problem(
        self, code: str, message: str, *, links: tuple[str, ...] = (), joints: tuple[str, ...] = ()
    ) -> None:
        self.problems.append(
            Finding(
                code,
                Severity.ERROR,
                message,
                subject=FindingSubject(links=links, joints=joints, section="urdf"),
            )
        )


def _names(names: Sequence[str]) -> str:
    shown = format_list(map(repr, names), 5)
    return f"link {shown} is" if len(names) == 1 else f"links {shown} are"
