"""Bodies and joints of a compiled MJCF as links and joints of a URDF.

A body's frame turns about each of its joints in their order, from its place at `ref` (MuJoCo:
mj_kinematics). URDF has one joint between two links, whose frame is the joint's: where a body has
several joints, or one whose anchor is not at the body's origin, links stand between that have no
shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_count
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.origin import Vector3
from editor_app.core.model.urdf import (
    PLACEHOLDER_EFFORT,
    PLACEHOLDER_SLIDING_SPEED,
    PLACEHOLDER_TURNING_SPEED,
    Dynamics,
    Inertial,
    Joint,
    JointType,
    Limit,
    Mimic,
)
from editor_app.core.space.kinematics.transforms import Matrix, build_origin, joint_motion
from editor_app.plugins.mjcf.compiled import CompiledModel, build_pose, shift

#: MuJoCo's numbers of joint types and of what an equality connects.
FREE, BALL, SLIDE, HINGE = range(4)
CONNECT, WELD, OF_JOINTS = range(3)
#: Metres, of a slide without limits: a URDF must have some.
_FAR = 10.0
#: Kilograms and kg m², of a link between two joints: programs drop links that move and weigh
#: nothing.
_MASS, _INERTIA = 1e-9, 1e-12
_NEAR = 1e-12


@dataclass(frozen=True, slots=True)
class BodyDof:
    """One degree of freedom of a body. `anchor` and `axis` in the axes of the body; `ref`: its
    value where the file puts the body. `number` is MuJoCo's of the joint; `turn` 0, 1, 2 of the
    three axes of a ball, else None."""

    name: str
    number: int
    slides: bool
    axis: Vector3
    anchor: Vector3
    ref: float
    turn: int | None = None

    def at_ref(self) -> Matrix:
        """(4, 4): what takes the joint to 0 from where the file puts it."""
        return joint_motion(self.axis, -self.ref, slides=self.slides)


@dataclass
class MjcfBodies:
    """`links`: the number of a body -> the name of its link. `between` are links without a body,
    with their mass."""

    source: CompiledModel
    drives: Drives
    out: Reporter
    links: dict[int, str] = field(default_factory=dict)
    between: dict[str, Inertial | None] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    #: All motions of the robot, in MuJoCo's order, and the bodies that are roots.
    motions: list[BodyDof] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.model = self.source.model
        self.names = {self.source.name("body", number) for number in range(self.model.nbody)}
        self.joint_names = {self.source.name("joint", number) for number in range(self.model.njnt)}
        self.unknown: list[str] = []

    # -- which bodies

    def read(self) -> None:
        trees = self._trees()
        if not trees:
            return
        top = trees[0]
        is_free = (
            bool(self._joints_of(top)) and self.model.jnt_type[self._joints_of(top)[0]] == FREE
        )
        place = build_pose(self.model.body_pos[top], self.model.body_quat[top])
        stands = not self._joints_of(top) and np.abs(place - np.eye(4)).max() < _NEAR
        if len(trees) == 1 and (is_free or stands):
            self._add_root(top)
            if is_free:
                self.out.translated(
                    f"free joint of {self.links[top]}",
                    "the root of the URDF, which is fixed; its pose is left out",
                )
        else:
            self._add_root(0)
        chosen = set(trees)
        for body in range(1, self.model.nbody):
            parent = int(self.model.body_parentid[body])
            if (
                body not in self.links
                and (parent in self.links)
                and (parent != 0 or body in chosen)
            ):
                self._add(body, self.links[parent])
        self._tell()

    def _trees(self) -> list[int]:
        """The bodies on the world that are taken: no mocap bodies, and no loose objects beside a
        robot."""
        model = self.model
        tops = [body for body in range(1, model.nbody) if model.body_parentid[body] == 0]
        mocap = [body for body in tops if model.body_mocapid[body] >= 0]
        kept = [body for body in tops if body not in mocap]
        loose = [body for body in kept if self._is_loose(body)]
        if len(loose) < len(kept):
            kept = [body for body in kept if body not in loose]
        else:
            loose = []
        for bodies, reason in (
            (mocap, "a mocap body is moved externally"),
            (loose, "a loose object, not part of the robot"),
        ):
            if bodies:
                listed = ", ".join(
                    self.source.name("body", body) or f"body {body}" for body in bodies
                )
                self.out.lost("body", f"{listed}: {reason}")
        return kept

    def _is_loose(self, top: int) -> bool:
        """Whether it flies freely, and nothing moves on it."""
        below = [body for body in range(self.model.nbody) if self.model.body_rootid[body] == top]
        joints = [joint for body in below for joint in self._joints_of(body)]
        return [self.model.jnt_type[joint] for joint in joints] == [FREE]

    def _joints_of(self, body: int) -> list[int]:
        first, count = int(self.model.body_jntadr[body]), int(self.model.body_jntnum[body])
        return list(range(first, first + count))

    def _add_root(self, body: int) -> None:
        self.links[body] = self._link_name(body)
        self.roots.append(body)

    def _link_name(self, body: int) -> str:
        return self.source.name("body", body) or self.free(f"body_{body}", self.names)

    def free(self, name: str, names: set[str]) -> str:
        """`name`, or with a number behind it where it is taken; it is taken from now on."""
        chosen = find_free_name(name, names)
        names.add(chosen)
        return chosen

    # -- joints

    def _add(self, body: int, parent: str) -> None:
        name = self.links[body] = self._link_name(body)
        frame = build_pose(self.model.body_pos[body], self.model.body_quat[body])
        motions = [
            motion for joint in self._joints_of(body) for motion in self._motions(joint, name)
        ]
        self.motions += motions
        if self._joints_of(body) and self.model.jnt_type[self._joints_of(body)[0]] == FREE:
            joint_name = self.source.name("joint", self._joints_of(body)[0]) or self.free(
                f"{name}_free", self.joint_names
            )
            self.joints.append(
                Joint(joint_name, JointType.FLOATING, parent, name, build_origin(frame))
            )
            self.out.translated(
                f"free joint of {name}", "a floating joint, at its pose in the file"
            )
            return
        reached = False
        for place, motion in enumerate(motions):
            frame = frame @ shift(motion.anchor) @ motion.at_ref()
            is_last = place == len(motions) - 1
            reaches = is_last and not any(motion.anchor)
            child = name if reaches else self.free(f"{name}_{motion.name}", self.names)
            if not reaches:
                weight = Inertial(_MASS, (_INERTIA, 0.0, 0.0, _INERTIA, 0.0, _INERTIA))
                self.between[child] = None if is_last else weight
            self.joints.append(self._moving(motion, parent, child, frame))
            parent, frame = child, shift(-np.asarray(motion.anchor))
            reached = reaches
        if not reached:
            fixed = self.free(f"{name}_fixed", self.joint_names)
            self.joints.append(Joint(fixed, JointType.FIXED, parent, name, build_origin(frame)))

    def _motions(self, number: int, link: str) -> list[BodyDof]:
        model, kind = self.model, int(self.model.jnt_type[number])
        if kind == FREE:
            return []
        name = self.source.name("joint", number) or self.free(f"{link}_joint", self.joint_names)
        axis, anchor = _vector(model.jnt_axis[number]), _vector(model.jnt_pos[number])
        if kind == BALL:
            self.out.translated(f"ball joint {name}", "three joints in series, about x, y and z")
            if model.jnt_limited[number]:
                self.out.translated(
                    f"range of {name}", "of each of the three joints: a box instead of a cone"
                )
            return [
                BodyDof(
                    self.free(f"{name}_{letter}", self.joint_names),
                    number,
                    False,
                    _vector(unit),
                    anchor,
                    0.0,
                    turn,
                )
                for turn, (letter, unit) in enumerate(zip("xyz", np.eye(3), strict=True))
            ]
        slides = kind == SLIDE
        ref = float(model.qpos0[model.jnt_qposadr[number]])
        return [BodyDof(name, number, slides, axis, (0.0, 0.0, 0.0) if slides else anchor, ref)]

    def _moving(self, motion: BodyDof, parent: str, child: str, frame: Matrix) -> Joint:
        model, number = self.model, motion.number
        dof = int(model.jnt_dofadr[number]) + (motion.turn or 0)
        bounds = self._bounds(motion)
        kind = (
            JointType.PRISMATIC
            if motion.slides
            else JointType.REVOLUTE
            if bounds
            else JointType.CONTINUOUS
        )
        speed, effort = self.drives.speed(number), self.drives.effort(number)
        if speed is None or effort is None:
            self.unknown.append(motion.name)
        slow = PLACEHOLDER_SLIDING_SPEED if motion.slides else PLACEHOLDER_TURNING_SPEED
        lower, upper = bounds or (None, None)
        limit = Limit(
            lower,
            upper,
            PLACEHOLDER_EFFORT if effort is None else effort,
            slow if speed is None else speed,
        )
        # One number, or one for each power of the velocity in newer versions.
        damping, friction = (
            float(np.ravel(model.dof_damping[dof])[0]),
            float(model.dof_frictionloss[dof]),
        )
        dynamics = Dynamics(damping or None, friction or None) if damping or friction else None
        return Joint(
            motion.name,
            kind,
            parent,
            child,
            build_origin(frame),
            motion.axis,
            limit,
            dynamics=dynamics,
        )

    def _bounds(self, motion: BodyDof) -> tuple[float, float] | None:
        model, number = self.model, motion.number
        if motion.turn is not None:
            widest = float(model.jnt_range[number][1])
            return (-widest, widest) if model.jnt_limited[number] else None
        if model.jnt_limited[number]:
            lower, upper = (float(v) for v in model.jnt_range[number])
            return lower, upper
        commanded = self.drives.positions(number)
        if commanded is not None:
            self.out.translated(
                f"ctrlrange of {motion.name}", "its limits, because the joint has none"
            )
            return commanded
        if motion.slides:
            self.out.invented(f"limits of {motion.name}", f"±{_FAR:g} m: a URDF needs limits")
            return motion.ref - _FAR, motion.ref + _FAR
        return None

    # -- what follows what

    def follow(self) -> None:
        """Equalities of two joints become mimic joints; what else closes a loop, or is no straight
        line, is told."""
        model = self.model
        names = {motion.number: motion for motion in self.motions if motion.turn is None}
        mimics: dict[str, Mimic] = {}
        lost: dict[str, list[str]] = {}
        for number in range(model.neq):
            kind, name = int(model.eq_type[number]), self.source.name("equality", number)
            if not model.eq_active0[number]:
                lost.setdefault("it is disabled in the file", []).append(name or f"number {number}")
                continue
            if kind != OF_JOINTS:
                lost.setdefault(_LOOPS.get(kind, "a URDF cannot store it"), []).append(
                    name or self._ends(number)
                )
                continue
            follower, leader = (
                names.get(int(ids[number])) for ids in (model.eq_obj1id, model.eq_obj2id)
            )
            polynomial = [float(v) for v in model.eq_data[number][:5]]
            told = name or (follower.name if follower is not None else f"number {number}")
            if follower is None or leader is None or any(polynomial[2:]):
                lost.setdefault("not a linear relation between two joints", []).append(told)
                continue
            offset = follower.ref + polynomial[0] - polynomial[1] * leader.ref
            mimic = _resolved(Mimic(leader.name, polynomial[1], offset), mimics)
            if mimic.joint == follower.name or follower.name in mimics:
                lost.setdefault("its joints mimic each other in a cycle, or twice", []).append(told)
                continue
            mimics[follower.name] = mimic
            self.out.translated(
                f"equality of {follower.name} and {leader.name}",
                f"{follower.name} mimics {mimic.joint}",
            )
        for reason, equalities in lost.items():
            self.out.lost("equality", f"{', '.join(equalities)}: {reason}")
        for place, joint in enumerate(self.joints):
            if joint.name in mimics:
                self.joints[place] = replace(joint, mimic=_resolved(mimics[joint.name], mimics))

    def _ends(self, number: int) -> str:
        kind = {1: "body", 6: "site"}.get(int(self.model.eq_objtype[number]), "")
        if not kind:
            return f"number {number}"
        first, second = (int(ids[number]) for ids in (self.model.eq_obj1id, self.model.eq_obj2id))
        return f"{self.source.name(kind, first)} to {self.source.name(kind, second)}"

    # -- values and what is told

    def position(self, motion: BodyDof, qpos: Sequence[float]) -> float:
        """Return the position of one degree of freedom in MuJoCo's vector of all positions; for a
        ball, R = Rx Ry Rz."""
        start = int(self.model.jnt_qposadr[motion.number])
        if motion.turn is None:
            return float(qpos[start])
        r = build_pose((0, 0, 0), qpos[start : start + 4])[:3, :3]
        angles = (
            np.arctan2(-r[1, 2], r[2, 2]),
            np.arcsin(np.clip(r[0, 2], -1, 1)),
            np.arctan2(-r[0, 1], r[0, 0]),
        )
        return float(angles[motion.turn])

    def _tell(self) -> None:
        taken = [body for body in self.links if body]
        self.out.translated(
            "body",
            f"{format_count(len(taken), 'link')}, "
            f"{format_count(len(self.motions), 'moving joint')}",
        )
        if self.between:
            weight = f", of {_MASS:g} kg if they move," if any(self.between.values()) else ""
            detail = (
                f"without shapes{weight} between the joints of a body, or at a joint away from its "
                "origin"
            )
            self.out.invented("links between", f"{detail}: {', '.join(self.between)}")
        if self.unknown:
            detail = "an MJCF has no velocity limits, and effort limits only through actuators"
            self.out.invented(
                "limits of velocity or effort", f"{detail}: {', '.join(self.unknown)}"
            )


def _resolved(mimic: Mimic, mimics: Mapping[str, Mimic]) -> Mimic:
    """By the joint that moves by itself, where the leader follows another one; `mimics` have no
    circle."""
    while (above := mimics.get(mimic.joint)) is not None:
        mimic = Mimic(
            above.joint,
            mimic.multiplier * above.multiplier,
            mimic.multiplier * above.offset + mimic.offset,
        )
    return mimic


_LOOPS = {
    CONNECT: "it closes a loop: a URDF is a tree",
    WELD: "it closes a loop: a URDF is a tree",
}


def _vector(values: Any) -> Vector3:
    x, y, z = (float(v) for v in values)
    return x, y, z


#: MuJoCo's numbers: what an actuator moves, how its force comes about, what a tendon is led over.
_ON_JOINT, _ON_TENDON = (0, 1), 3
_FIXED_GAIN, _NO_BIAS, _AFFINE_BIAS = 0, 0, 1
_OVER_JOINT = 1


class Drives:
    """By MuJoCo's numbers of joints."""

    def __init__(self, source: CompiledModel) -> None:
        self.model = source.model
        self.by_joint: dict[int, list[int]] = {}
        #: The joints that an actuator moves, itself or by a tendon, in the order of the actuators.
        self.driven: list[int] = []
        for actuator in range(self.model.nu):
            kind, target = (
                int(self.model.actuator_trntype[actuator]),
                int(self.model.actuator_trnid[actuator][0]),
            )
            if kind in _ON_JOINT:
                self.by_joint.setdefault(target, []).append(actuator)
                self.driven.append(target)
            elif kind == _ON_TENDON:
                first, count = (
                    int(self.model.tendon_adr[target]),
                    int(self.model.tendon_num[target]),
                )
                wraps = range(first, first + count)
                self.driven += [
                    int(self.model.wrap_objid[w])
                    for w in wraps
                    if self.model.wrap_type[w] == _OVER_JOINT
                ]
        self.driven = list(dict.fromkeys(self.driven))

    def effort(self, joint: int) -> float | None:
        """Newton metres or newtons; None where nothing says it."""
        model = self.model
        told = (
            [float(np.abs(model.jnt_actfrcrange[joint]).max())]
            if model.jnt_actfrclimited[joint]
            else []
        )
        forces = [self._force(actuator) for actuator in self.by_joint.get(joint, ())]
        summed = [force for force in forces if force is not None]
        if forces and len(summed) == len(forces):
            told.append(sum(summed))
        return min(told) if told and min(told) > 0 else None

    def _force(self, actuator: int) -> float | None:
        model, gear = self.model, abs(float(self.model.actuator_gear[actuator][0]))
        if model.actuator_forcelimited[actuator]:
            return gear * float(np.abs(model.actuator_forcerange[actuator]).max())
        plain = (
            model.actuator_gaintype[actuator] == _FIXED_GAIN
            and model.actuator_biastype[actuator] == _NO_BIAS
        )
        if plain and model.actuator_ctrllimited[actuator]:
            gain = abs(float(model.actuator_gainprm[actuator][0]))
            return gear * gain * float(np.abs(model.actuator_ctrlrange[actuator]).max())
        return None

    def positions(self, joint: int) -> tuple[float, float] | None:
        """Radians or metres that a servo can be asked for; None without one."""
        lower, upper = self._commanded(joint, 1) or (0.0, 0.0)
        return (lower, upper) if lower < upper else None

    def speed(self, joint: int) -> float | None:
        """Radians or metres per second that an actuator of velocity can be asked for; None without
        one."""
        asked = self._commanded(joint, 2)
        return max(map(abs, asked)) or None if asked is not None else None

    def _commanded(self, joint: int, order: int) -> tuple[float, float] | None:
        """The range of control of an actuator of force kp (control - value); `order`: 1 of
        position, 2 of speed."""
        model: Any = self.model
        for actuator in self.by_joint.get(joint, ()):
            bias = [float(v) for v in model.actuator_biasprm[actuator][:3]]
            gain, gear = (
                float(model.actuator_gainprm[actuator][0]),
                float(model.actuator_gear[actuator][0]),
            )
            servo = (
                model.actuator_biastype[actuator] == _AFFINE_BIAS
                and gain > 0
                and abs(bias[order] + gain) < 1e-9 * gain
            )
            if (
                servo
                and gear
                and (order == 1 or not bias[1])
                and model.actuator_ctrllimited[actuator]
            ):
                ends = sorted(float(v) / gear for v in model.actuator_ctrlrange[actuator])
                return ends[0], ends[1]
        return None
