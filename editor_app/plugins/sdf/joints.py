"""Joints of an SDF as joints of a URDF, and the tree that they make.

A joint of SDF moves about a frame of its own, has up to three axes, and its links may be in any
order. URDF has one axis between two links, and the frame of the second one is on the axis. Links
without shape are added where a joint has several axes, or an axis that does not go through the
origin of its link.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.origin import Vector3
from editor_app.core.model.urdf import (
    ENDLESS_SLIDE,
    ENDLESS_TURN,
    PLACEHOLDER_EFFORT,
    PLACEHOLDER_SLIDING_SPEED,
    PLACEHOLDER_TURNING_SPEED,
    Dynamics,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Mimic,
)
from editor_app.core.space.kinematics.transforms import Matrix, build_origin
from editor_app.plugins.sdf.frames import WORLD, joint_frame
from editor_app.plugins.sdf.models import ModelElement, Models
from editor_app.plugins.sdf.nodes import SdfElement

#: Metres, of a joint that slides without limits: a URDF must have some.
_FAR = 10.0
#: Kilograms and kg m², of a link between two axes: programs drop links that move and weigh nothing.
_MASS, _INERTIA = 1e-9, 1e-12
_NEAR = 1e-12
_UP: Vector3 = (0.0, 0.0, 1.0)
_ONE_AXIS = ("revolute", "continuous", "prismatic", "screw")
_TWO_AXES = ("revolute2", "universal")
_TYPES = (*_ONE_AXIS, *_TWO_AXES, "ball", "fixed", "gearbox")


@dataclass(frozen=True, slots=True)
class JointDof:
    """One degree of freedom. `axis` in the joint's frame. `node`: its <axis>; None for one that the
    file does not have.

    `mimic` is what it follows, by names of motions.
    """

    name: str
    slides: bool
    axis: Vector3
    node: SdfElement | None = None
    mimic: Mimic | None = None
    is_endless: bool = False


@dataclass(frozen=True, slots=True)
class _Edge:
    part: ModelElement
    parent: str
    child: str
    motions: tuple[JointDof, ...]


@dataclass
class Joints:
    """`joints` of the URDF; `between` are the links that are added for them. `roots`: links that no
    joint carries."""

    models: Models
    out: Reporter
    joints: list[Joint] = field(default_factory=list)
    between: dict[str, Link] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    #: Joint of the URDF -> where the file says that it starts (rad or m).
    starts: dict[str, float] = field(default_factory=dict)
    #: Links that a joint of the file connects.
    neighbours: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    #: Joints that lack an <axis>.
    axisless: list[str] = field(default_factory=list)
    #: Tags of <axis> and <joint> that a URDF cannot store -> the joints that have them.
    lost: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.link_names = {WORLD, *self.models.links}
        self.names = set(self.models.joints)

    def read(self) -> None:
        edges = [
            edge for part in self.models.joints.values() if (edge := self._edge(part)) is not None
        ]
        self._resolve_mimics(edges)
        edges = [
            replace(edge, motions=tuple(self._following(m) for m in edge.motions)) for edge in edges
        ]
        tree, loops = _spanning_tree(self.models, edges)
        for edge, is_reversed in tree:
            self._add(edge, is_reversed)
        carried = {joint.child for joint in self.joints}
        self.roots = [name for name in self.models.links if name not in carried]
        if loops:
            names = format_list([edge.part.name for edge in loops], 8)
            self.out.lost("joint", f"{names}: it closes a loop, and a URDF is a tree")
        turned = [edge.part.name for edge, is_reversed in tree if is_reversed]
        if turned:
            self.out.translated(
                "joint",
                f"{format_list(turned, 8)}: parent and child are exchanged, so that there is a "
                "tree",
            )
        self._tell()

    # -- one joint of the file

    def _edge(self, part: ModelElement) -> _Edge | None:
        node, frames = part.node, self.models.frames
        kind = node.get("type").lower()
        if kind not in _TYPES:
            raise node.error(
                f"The joint {part.name!r} has the unknown type {kind!r}",
                f"Types: {', '.join(_TYPES)}.",
            )
        ends = []
        for tag in ("parent", "child"):
            end = node.word(tag)
            # SDF up to 1.3 has the name one level deeper.
            end = node.word(f"{tag}/link_name") or end
            if not end:
                raise node.error(f"The joint {part.name!r} has no <{tag}>", "Name a link.")
            ends.append(frames.body(part.scope.full_name(end), node))
        parent, child = ends
        if parent == child or child == WORLD:
            fix = "Name two links."
            raise node.error(f"The joint {part.name!r} connects {child!r} with {parent!r}", fix)
        self.neighbours.append((parent, child))
        if kind == "gearbox":
            return None
        for each in node.children():
            if each.tag not in (
                "parent",
                "child",
                "pose",
                "axis",
                "axis2",
                "thread_pitch",
                "screw_thread_pitch",
            ):
                self.lost.setdefault(each.tag, []).append(part.name)
        return _Edge(part, parent, child, tuple(self._motions(part, kind)))

    def _motions(self, part: ModelElement, kind: str) -> Iterator[JointDof]:
        name, node = part.name, part.node
        if kind in _ONE_AXIS:
            axis = node.child("axis")
            direction = self._axis(part, axis)
            yield JointDof(
                name, kind == "prismatic", direction, axis, is_endless=kind == "continuous"
            )
            if kind == "screw":
                slide = self._free_joint(f"{name}_slide")
                yield JointDof(
                    slide, True, direction, mimic=Mimic(name, _metres_per_turn(node) / math.tau)
                )
                detail = f"a joint that turns, and {slide}, which slides and mimics it"
                self.out.translated(f"screw joint {name}", detail)
        elif kind in _TWO_AXES:
            for tag in ("axis", "axis2"):
                axis = node.child(tag)
                yield JointDof(
                    self._free_joint(f"{name}_{tag}"), False, self._axis(part, axis), axis
                )
            self.out.translated(f"{kind} joint {name}", "two joints in series")
        elif kind == "ball":
            for letter, unit in zip("xyz", np.eye(3), strict=True):
                x, y, z = map(float, unit)
                yield JointDof(self._free_joint(f"{name}_{letter}"), False, (x, y, z))
            self.out.translated(f"ball joint {name}", "three joints in series, about x, y and z")

    def _axis(self, part: ModelElement, axis: SdfElement | None) -> Vector3:
        """The unit vector of an <axis> in the frame of the joint: z where the file has none."""
        if axis is None:
            self.axisless.append(part.name)
            return _UP
        vector, base = np.array(axis.vector("xyz", _UP)), axis.axis_base()
        length = float(np.linalg.norm(vector))
        if not length > _NEAR:
            raise axis.error(
                f"The axis of the joint {part.name!r} has no direction", "Write 0 0 1, for example."
            )
        if base:
            turn = self.models.frames.relative(
                part.scope.full_name(base), joint_frame(part.name), part.node
            )[:3, :3]
            vector = turn @ vector
        return _rounded(vector / length if abs(length - 1) > _NEAR else vector)

    def _free_joint(self, name: str) -> str:
        chosen = find_free_name(name, self.names)
        self.names.add(chosen)
        return chosen

    # -- joints of the URDF

    def _add(self, edge: _Edge, is_reversed: bool) -> None:
        part, frames = edge.part, self.models.frames
        at = joint_frame(part.name)
        start, end = (edge.child, edge.parent) if is_reversed else (edge.parent, edge.child)
        motions = (
            [replace(m, axis=_negated(m.axis)) for m in reversed(edge.motions)]
            if is_reversed
            else edge.motions
        )
        origin = frames.relative(at if motions else end, start, part.node)
        if not motions:
            self.joints.append(Joint(part.name, JointType.FIXED, start, end, build_origin(origin)))
            return
        offset = frames.relative(end, at, part.node)
        for place, motion in enumerate(motions):
            is_last = place == len(motions) - 1
            axis = np.array(motion.axis)
            away = offset[:3, 3]
            is_on_axis = motion.slides or bool(np.abs(np.cross(axis, away)).max() < _NEAR)
            if is_last and is_on_axis:
                origin, child = origin @ offset, end
                motion = replace(motion, axis=_rounded(offset[:3, :3].T @ axis))
            else:
                child = self._link_between(f"{end}_{motion.name.rpartition('::')[2]}", is_last)
            self.joints.append(self._moving(motion, start, child, origin))
            start, origin = child, np.eye(4)
        if start != end:
            fixed = self._free_joint(f"{part.name}_fixed")
            self.joints.append(Joint(fixed, JointType.FIXED, start, end, build_origin(offset)))

    def _link_between(self, wish: str, is_last: bool) -> str:
        name = find_free_name(wish, self.link_names)
        self.link_names.add(name)
        weight = Inertial(_MASS, (_INERTIA, 0.0, 0.0, _INERTIA, 0.0, _INERTIA))
        self.between[name] = Link(name, None if is_last else weight)
        return name

    def _moving(self, motion: JointDof, parent: str, child: str, origin: Matrix) -> Joint:
        node, bounds = motion.node, self._bounds(motion)
        kind = (
            JointType.PRISMATIC
            if motion.slides
            else JointType.REVOLUTE
            if bounds
            else JointType.CONTINUOUS
        )
        if node is not None:
            self._note_losses(node, motion.name)
            if (start := node.number("initial_position", 0.0)) and math.isfinite(start):
                self.starts[motion.name] = start
        place, limit, dynamics = build_origin(origin), self._limit(motion, bounds), _dynamics(node)
        return Joint(
            motion.name, kind, parent, child, place, motion.axis, limit, motion.mimic, dynamics
        )

    def _limit(self, motion: JointDof, bounds: tuple[float, float] | None) -> Limit:
        # Below 0 or infinite: no limit.
        node = motion.node
        effort, speed = (
            node.number(f"limit/{tag}", -1.0) if node else -1.0 for tag in ("effort", "velocity")
        )
        has_effort, has_speed = 0 <= effort < math.inf, 0 <= speed < math.inf
        if not (has_effort and has_speed):
            self.unknown.append(motion.name)
        slow = PLACEHOLDER_SLIDING_SPEED if motion.slides else PLACEHOLDER_TURNING_SPEED
        lower, upper = bounds or (None, None)
        return Limit(
            lower, upper, effort if has_effort else PLACEHOLDER_EFFORT, speed if has_speed else slow
        )

    def _bounds(self, motion: JointDof) -> tuple[float, float] | None:
        lower, upper = (
            motion.node.number(f"limit/{tag}", default) if motion.node is not None else default
            for tag, default in (("lower", -math.inf), ("upper", math.inf))
        )
        far = ENDLESS_SLIDE if motion.slides else ENDLESS_TURN
        is_free = lower <= -far and upper >= far
        if not motion.slides:
            return None if is_free or motion.is_endless else (max(lower, -1e16), min(upper, 1e16))
        if is_free and motion.mimic is None:
            self.out.invented(f"limits of {motion.name}", f"±{_FAR:g} m: a URDF needs limits")
        return (-_FAR, _FAR) if is_free else (max(lower, -1e16), min(upper, 1e16))

    def _note_losses(self, axis: SdfElement, name: str) -> None:
        for path in (
            "dynamics/spring_reference",
            "dynamics/spring_stiffness",
            "limit/stiffness",
            "limit/dissipation",
        ):
            usual = {"limit/stiffness": 1e8, "limit/dissipation": 1.0}.get(path, 0.0)
            if axis.number(path, usual) != usual:
                self.lost.setdefault(path, []).append(name)

    # -- which joint follows which

    def _resolve_mimics(self, edges: list[_Edge]) -> None:
        self.mimics: dict[str, Mimic] = {}
        by_axis = {
            (edge.part.name, motion.node.tag): motion
            for edge in edges
            for motion in edge.motions
            if motion.node is not None
        }
        for (joint, _), motion in by_axis.items():
            node = motion.node.child("mimic") if motion.node is not None else None
            if node is None:
                continue
            scope = self.models.joints[joint].scope
            leader = by_axis.get((scope.full_name(node.get("joint")), node.get("axis") or "axis"))
            if leader is None:
                raise node.error(
                    f"The joint {joint!r} mimics {node.get('joint')!r}, which has no such axis"
                )
            multiplier, offset, reference = (
                node.number(tag, default)
                for tag, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
            )
            self._follow(motion, Mimic(leader.name, multiplier, offset - multiplier * reference))
        for part in self.models.joints.values():
            if part.node.get("type").lower() == "gearbox":
                self._gearbox(part, edges)

    def _follow(self, motion: JointDof, mimic: Mimic) -> bool:
        at: str | None = mimic.joint
        while at is not None and at != motion.name:
            at = self.mimics[at].joint if at in self.mimics else None
        if at is not None or motion.name in self.mimics:
            self.out.lost(
                f"mimic of {motion.name}", "its joints mimic each other in a circle, or twice"
            )
            return False
        self.mimics[motion.name] = mimic
        return True

    def _following(self, motion: JointDof) -> JointDof:
        return (
            replace(motion, mimic=self.mimics[motion.name])
            if motion.name in self.mimics
            else motion
        )

    def _gearbox(self, part: ModelElement, edges: list[_Edge]) -> None:
        """A gearbox couples two joints on its reference body: the second angle is -ratio times the
        first."""
        node, frames = part.node, self.models.frames
        reference = node.word("gearbox_reference_body")
        coupled = []
        for end, tag in (("parent", "axis"), ("child", "axis2")):
            body = frames.body(part.scope.full_name(node.word(end)), node)
            base = frames.body(part.scope.full_name(reference), node) if reference else ""
            edge = next(
                (e for e in edges if {e.parent, e.child} == {base, body} and len(e.motions) == 1),
                None,
            )
            axis = node.child(tag)
            if edge is None or axis is None or edge.motions[0].slides:
                break
            turn = frames.relative(joint_frame(edge.part.name), joint_frame(part.name), node)[
                :3, :3
            ]
            along = float(np.dot(turn @ np.array(edge.motions[0].axis), self._axis(part, axis)))
            if abs(abs(along) - 1) > 1e-6:
                break
            coupled.append(
                (edge.motions[0], math.copysign(1.0, along) * (1 if edge.child == body else -1))
            )
        if len(coupled) == 2:
            (first, one), (second, other) = coupled
            mimic = Mimic(first.name, -node.number("gearbox_ratio", 1.0) * one * other)
            if self._follow(second, mimic):
                self.out.translated(f"gearbox {part.name}", f"{second.name} mimics {first.name}")
        else:
            detail = "it couples no two joints that turn about its axes on its reference body"
            self.out.lost(f"gearbox {part.name}", detail)

    def _tell(self) -> None:
        if self.between:
            weight = (
                f", of {_MASS:g} kg between two axes,"
                if any(l.inertial for l in self.between.values())
                else ""
            )
            detail = (
                f"without shapes{weight} at joints with several axes or away from the origin of "
                "their link"
            )
            self.out.invented("links between", f"{detail}: {format_list(list(self.between), 8)}")
        if self.unknown:
            detail = (
                f"{format_count(len(self.unknown), 'joint')} without them: "
                f"{format_list(self.unknown, 8)}"
            )
            self.out.invented("limits of velocity or effort", detail)
        if self.axisless:
            detail = "0 0 1, the default of SDF, of joints without <axis>"
            self.out.invented("axis", f"{detail}: {format_list(dict.fromkeys(self.axisless), 8)}")
        for tag, names in self.lost.items():
            self.out.lost(tag, f"of {format_list(names, 8)}: a URDF cannot store it")


def _dynamics(axis: SdfElement | None) -> Dynamics | None:
    """The damping and friction that an <axis> states, 0 included."""
    stated = {
        tag: axis.finite(f"dynamics/{tag}", 0.0)
        for tag in ("damping", "friction")
        if axis is not None and axis.child(f"dynamics/{tag}") is not None
    }
    return Dynamics(stated.get("damping"), stated.get("friction")) if stated else None


def _metres_per_turn(node: SdfElement) -> float:
    """Of a screw. Until 1.9 SDF has radians per metre, with the other sign (sdformat, Joint.cc)."""
    if node.child("screw_thread_pitch") is not None:
        return node.number("screw_thread_pitch", 1.0)
    pitch = node.number("thread_pitch", 0.0)
    return -math.tau / pitch if pitch else 1.0


def _spanning_tree(
    models: Models, edges: list[_Edge]
) -> tuple[list[tuple[_Edge, bool]], list[_Edge]]:
    """The edges of a tree, and whether parent and child change places; and the edges that close
    loops.

    From links that are no child of a joint, first along the joints, then against them.
    """
    children = {edge.child for edge in edges}
    leaving: dict[str, list[_Edge]] = {}
    entering: dict[str, list[_Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.parent, []).append(edge)
        entering.setdefault(edge.child, []).append(edge)
    roots = [WORLD, *(name for name in models.links if name not in children), *models.links]
    reached: set[str] = set()
    tree: list[tuple[_Edge, bool]] = []
    for root in roots:
        if root in reached:
            continue
        reached.add(root)
        ahead, against = deque([root]), deque([root])
        while ahead or against:
            if ahead:
                at = ahead.popleft()
                steps = ((edge, edge.child, False) for edge in leaving.get(at, ()))
            else:
                at = against.popleft()
                steps = ((edge, edge.parent, True) for edge in entering.get(at, ()))
            for edge, end, is_reversed in steps:
                if end not in reached:
                    reached.add(end)
                    tree.append((edge, is_reversed))
                    ahead.append(end)
                    against.append(end)
    used = {id(edge) for edge, _ in tree}
    return tree, [edge for edge in edges if id(edge) not in used]


def _rounded(vector: np.ndarray) -> Vector3:
    x, y, z = (round(float(value), 15) + 0.0 for value in vector)
    return x, y, z


def _negated(axis: Vector3) -> Vector3:
    x, y, z = (0.0 - value for value in axis)
    return x, y, z
