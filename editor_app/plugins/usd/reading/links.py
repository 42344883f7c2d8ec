"""Bodies and joints of a stage as links and joints of a URDF.

A body's frame is at its own place, which need not be the joint's: P · L0 · M(q) · L1⁻¹ for the
frames L0 and L1 of a joint in its bodies and its motion M. URDF has one motion between two links,
about an axis through the child's origin: where a joint has several, or an axis elsewhere, links
without shape are between.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

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
    Mimic,
)
from editor_app.core.space.kinematics.transforms import Matrix, build_origin, invert
from editor_app.plugins.usd.reading.joints import Freedom, UsdJoint, coupling
from editor_app.plugins.usd.reading.robots import Edge, Tree, name_links
from editor_app.plugins.usd.reading.scene import UsdScene

#: Metres, of a slide without limits: a URDF must have some.
_FAR = 10.0
#: Metres between an axis and the child's origin that are noise: joint frames are written in single
#: precision.
_NOISE = 1e-7
#: Kilograms and kg m², of a link between two joints: programs drop links that move and weigh
#: nothing.
_MASS, _INERTIA = 1e-9, 1e-12
#: Metres or radians that a body may be off where its joint can take it before that is reported.
_OFF = 1e-3
_MOST = 8


@dataclass
class Links:
    """`names`: path of a body -> its link. `between` are links without a body, with their mass."""

    scene: UsdScene
    tree: Tree
    out: Reporter
    names: dict[Any, str] = field(default_factory=dict)
    between: dict[str, Inertial | None] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    #: Joint of the URDF -> the path of the joint that it comes from, and its freedom (empty for a
    #: fixed one).
    sources: dict[str, tuple[Any, str]] = field(default_factory=dict)
    #: Joints of the URDF by the path of the joint that they come from.
    motions: dict[Any, list[str]] = field(default_factory=dict)
    driven: list[str] = field(default_factory=list)
    #: Where the file puts each moving joint, where its state says, and where its drive moves it to.
    start: dict[str, float] = field(default_factory=dict)
    stated: dict[str, float] = field(default_factory=dict)
    targets: dict[str, float] = field(default_factory=dict)
    root: str = ""
    #: Links without shape, at places that the file marks.
    mark_names: dict[Any, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        edges = self.tree.edges
        bodies = [
            *([self.tree.root] if self.tree.root is not None else []),
            *(edge.child for edge in edges),
        ]
        present = set(bodies)
        self.marks = {path: body for path, body in self.scene.marks.items() if body in present}
        names = name_links(self.scene, [*bodies, *self.marks])
        self.names = {path: names[path] for path in bodies}
        self.mark_names = {path: names[path] for path in self.marks}
        self._taken = set(names.values())
        self._joint_names: set[str] = set()
        self._unknown: list[str] = []
        self._off: list[str] = []
        self._place_root()
        for edge in edges[1:] if self._is_at_world() else edges:
            self._add(edge)
        self._add_marks()
        self._follow()
        self._tell()

    @property
    def joints_of_one(self) -> dict[Any, UsdJoint]:
        """The joints with one degree of freedom, by their paths."""
        joints = (joint for edge in self.tree.edges for joint in edge.series)
        return {joint.prim.GetPath(): joint for joint in joints if len(joint.freedoms) == 1}

    # -- the root

    def _is_at_world(self) -> bool:
        """Whether the first body is the root: it is fixed to the world, alone, at its origin."""
        first = self.tree.edges[0] if self.tree.edges else None
        return (
            self.tree.root is None
            and first is not None
            and self.root == self.names.get(first.child)
        )

    def _place_root(self) -> None:
        tree = self.tree
        if tree.root is not None:
            self.root = self.names[tree.root]
            upright = self.scene.upright
            if np.abs(upright - np.eye(4)).max() > 0:
                self.root = self._free("world", self._taken)
                self._add_joint(
                    f"{self.root}_fixed",
                    JointType.FIXED,
                    self.root,
                    self.names[tree.root],
                    self.scene.frame(tree.root),
                )
                self.out.invented(
                    self.root, "the root of the URDF, because the stage has y upwards"
                )
            return
        at_world = [edge for edge in tree.edges if edge.parent is None]
        only = at_world[0] if len(at_world) == 1 else None
        if only is not None and only.joint is not None and not only.joint.freedoms:
            place = self._fixed_place(only.joint, only)
            if np.abs(place - np.eye(4)).max() < _NOISE:
                self.root = self.names[only.child]
                # It is the first edge: the tree starts at the world.
                return
        self.root = self._free("world", self._taken)

    # -- joints

    def _add(self, edge: Edge) -> None:
        parent = self.root if edge.parent is None else self.names[edge.parent]
        child, joint = self.names[edge.child], edge.joint
        if joint is None:
            place = invert(self.scene.frame(edge.parent)) @ self.scene.frame(edge.child)
            self._add_joint(f"{child}_free", JointType.FLOATING, parent, child, place)
            self.out.translated(f"free body {child}", "a floating joint, at its pose in the file")
            return
        if joint.kind == "ball":
            self.out.translated(
                f"spherical joint {joint.name}", "three joints in series, about x, y and z"
            )
            if any(math.isfinite(freedom.upper) for freedom in joint.freedoms):
                self.out.translated(
                    f"cone of {joint.name}", "limits of each joint: a box instead of a cone"
                )
        elif 1 < len(joint.freedoms) < 6:
            axes = ", ".join(freedom.axis for freedom in joint.freedoms)
            self.out.translated(
                f"joint {joint.name}", f"{len(joint.freedoms)} joints in series: {axes}"
            )
        if edge.more:
            names = format_list((each.name for each in edge.series), _MOST)
            self.out.translated("joints of the same bodies", f"{names}: in series, in this order")
        self._report_locked(joint)
        if len(joint.freedoms) == 6:
            place = self._fixed_place(joint, edge, authored=True)
            self.out.translated(
                f"joint {joint.name}", "a floating joint: it is free in every direction"
            )
            self._add_joint(joint.name, JointType.FLOATING, parent, child, place)
        elif not joint.freedoms:
            name = self._add_joint(
                joint.name, JointType.FIXED, parent, child, self._fixed_place(joint, edge)
            )
            self.motions[joint.prim.GetPath()] = [name]
            self.sources[name] = (joint.prim.GetPath(), "")
        else:
            self._add_series(edge, parent, child)

    def _fixed_place(self, joint: UsdJoint, edge: Edge, authored: bool = False) -> Matrix:
        """(4, 4): the child in its parent, by the frames of the joint, or where the file puts
        it."""
        if authored:
            return invert(self.scene.frame(edge.parent)) @ self.scene.frame(edge.child)
        first, second = joint.frames if joint.ends[0] == edge.parent else joint.frames[::-1]
        return np.asarray(first @ invert(second))

    def _add_series(self, edge: Edge, parent: str, child: str) -> None:
        """Add the motions of an edge one after the other, from the parent's side."""
        steps: list[tuple[str, UsdJoint, Freedom, Matrix, float]] = []
        before = rest = np.eye(4)
        for joint in edge.series:
            forward = joint.ends[0] == edge.parent
            first, second = joint.frames if forward else joint.frames[::-1]
            # From the second body, the motions are undone in the opposite order.
            freedoms, sign = (joint.freedoms, 1.0) if forward else (joint.freedoms[::-1], -1.0)
            wish = joint.name
            for freedom in freedoms:
                name = wish if len(freedoms) == 1 else f"{wish}_{freedom.axis}"
                steps.append(
                    (
                        name,
                        joint,
                        freedom,
                        before @ first if freedom is freedoms[0] else np.eye(4),
                        sign,
                    )
                )
            before, rest = invert(first), invert(second)
        for number, (wish, joint, freedom, place, sign) in enumerate(steps):
            is_last, axis = number == len(steps) - 1, sign * freedom.direction
            reaches = is_last and (
                freedom.slides or float(np.abs(np.cross(axis, rest[:3, 3])).max()) < _NOISE
            )
            name = self._free(wish, self._joint_names)
            self.motions.setdefault(joint.prim.GetPath(), []).append(name)
            self.sources[name] = (joint.prim.GetPath(), freedom.axis)
            link = child
            if reaches:
                place, axis = place @ rest, rest[:3, :3].T @ axis
            else:
                link = self._free(f"{child}_{name}", self._taken)
                weight = Inertial(_MASS, (_INERTIA, 0.0, 0.0, _INERTIA, 0.0, _INERTIA))
                self.between[link] = None if is_last else weight
            start = self._values(joint)[freedom.axis] if not edge.more else 0.0
            self._add_moving(name, freedom, parent, link, place, axis, start)
            parent = link
            if is_last and not reaches:
                self._add_joint(f"{child}_fixed", JointType.FIXED, parent, child, rest)

    def _values(self, joint: UsdJoint) -> dict[str, float]:
        """Where the file puts each freedom of a joint (rad or m), and a note where it puts the
        bodies elsewhere."""
        offset = joint.displacement(self.scene)
        values = {
            name: float(offset[number, 3])
            for number, name in enumerate(("transX", "transY", "transZ"))
        }
        turning = [freedom for freedom in joint.freedoms if not freedom.slides]
        r = offset[:3, :3]
        if len(turning) == 1:
            about = "XYZ".index(turning[0].axis[-1])
            y, z = (about + 1) % 3, (about + 2) % 3
            values[turning[0].axis] = math.atan2(r[z, y] - r[y, z], r[y, y] + r[z, z])
        elif turning:
            # R = Rx Ry Rz
            values["rotX"] = math.atan2(-r[1, 2], r[2, 2])
            values["rotY"] = math.asin(max(-1.0, min(1.0, float(r[0, 2]))))
            values["rotZ"] = math.atan2(-r[0, 1], r[0, 0])
        moved = {freedom.axis for freedom in joint.freedoms}
        apart = [abs(values[name]) for name in ("transX", "transY", "transZ") if name not in moved]
        if max(apart, default=0.0) > _OFF:
            self._off.append(f"{joint.name}: {max(apart):.3g} m")
        return {freedom.axis: values.get(freedom.axis, 0.0) for freedom in joint.freedoms}

    def _add_moving(
        self,
        name: str,
        freedom: Freedom,
        parent: str,
        child: str,
        place: Matrix,
        axis: Matrix,
        start: float,
    ) -> None:
        lower, upper = freedom.lower, freedom.upper
        bounds: tuple[float | None, float | None] = (lower, upper)
        kind = JointType.PRISMATIC if freedom.slides else JointType.REVOLUTE
        if not math.isfinite(lower) and not math.isfinite(upper):
            if freedom.slides:
                self.out.invented(f"limits of {name}", f"±{_FAR:g} m: a URDF needs limits")
                bounds = (start - _FAR, start + _FAR)
            else:
                kind, bounds = JointType.CONTINUOUS, (None, None)
        elif not (math.isfinite(lower) and math.isfinite(upper)):
            # A URDF has no limit on one side only; the program takes one of this size for none.
            far = ENDLESS_SLIDE if freedom.slides else ENDLESS_TURN
            bounds = (max(lower, -far), min(upper, far))
        if freedom.velocity is None or freedom.effort is None:
            self._unknown.append(name)
        slow = PLACEHOLDER_SLIDING_SPEED if freedom.slides else PLACEHOLDER_TURNING_SPEED
        effort = PLACEHOLDER_EFFORT if freedom.effort is None else freedom.effort
        limit = Limit(*bounds, effort, slow if freedom.velocity is None else freedom.velocity)
        dynamics = None
        if freedom.damping or freedom.friction:
            dynamics = Dynamics(freedom.damping, freedom.friction)
        x, y, z = (round(float(v), 15) + 0.0 for v in axis)
        direction: Vector3 = (x, y, z)
        self.joints.append(
            Joint(
                name, kind, parent, child, build_origin(place), direction, limit, dynamics=dynamics
            )
        )
        self.start[name] = start
        if freedom.start is not None:
            self.stated[name] = freedom.start
        if freedom.target is not None:
            self.targets[name] = freedom.target
        if freedom.is_driven:
            self.driven.append(name)

    def _add_joint(self, wish: str, kind: JointType, parent: str, child: str, place: Matrix) -> str:
        name = self._free(wish, self._joint_names)
        self.joints.append(Joint(name, kind, parent, child, build_origin(place)))
        return name

    def _free(self, wish: str, names: set[str]) -> str:
        chosen = find_free_name(wish, names)
        names.add(chosen)
        return chosen

    def _add_marks(self) -> None:
        """A link without shape for each place that the file marks on a body."""
        for path, body in self.marks.items():
            name = self.mark_names[path]
            if name in self._joint_names:
                # It would be mistaken for the joint.
                name = self.mark_names[path] = self._free(f"{name}_frame", self._taken)
            place = invert(self.scene.frame(body)) @ self.scene.frame(path)
            self._add_joint(f"{name}_fixed", JointType.FIXED, self.names[body], name, place)
        if self.marks:
            detail = (
                f"{format_count(len(self.marks), 'link')} without shape: "
                f"{format_list(self.mark_names.values(), _MOST)}"
            )
            self.out.translated("Xform without geometry", detail)

    # -- what follows what

    def _follow(self) -> None:
        """Mimic joints; couplings in a circle, or of joints that are not in the tree, are
        reported."""
        joints = {joint.prim.GetPath(): joint for edge in self.tree.edges for joint in edge.series}
        leaders: dict[str, Mimic] = {}
        for path, joint in joints.items():
            link = coupling(self.scene, joint, joints)
            if link is not None and link.leader in self.motions and path in self.motions:
                leaders[self.motions[path][0]] = Mimic(
                    self.motions[link.leader][0], link.multiplier, link.offset
                )
        for place, urdf_joint in enumerate(self.joints):
            mimic = leaders.get(urdf_joint.name)
            seen = {urdf_joint.name}
            while mimic is not None and mimic.joint in leaders and mimic.joint not in seen:
                seen.add(mimic.joint)
                above = leaders[mimic.joint]
                offset = mimic.multiplier * above.offset + mimic.offset
                mimic = Mimic(above.joint, mimic.multiplier * above.multiplier, offset)
            if mimic is None:
                continue
            if mimic.joint in seen:
                self.out.lost(f"mimic of {urdf_joint.name}", "joints mimic each other in a circle")
                continue
            self.joints[place] = replace(urdf_joint, mimic=mimic)
            self.out.translated(f"mimic joint {urdf_joint.name}", f"it mimics {mimic.joint}")

    # -- the report

    def _report_locked(self, joint: UsdJoint) -> None:
        if joint.locked and joint.kind in ("rot", "trans"):
            self.out.translated(
                f"joint {joint.name}",
                "fixed: its lower limit is above the upper one, which locks it",
            )

    def _tell(self) -> None:
        out, moving = self.out, len(self.start)
        out.translated(
            "body",
            f"{format_count(len(self.names), 'link')}, {format_count(moving, 'moving joint')}",
        )
        renamed = [f"{path.name}: {name}" for path, name in self.names.items() if path.name != name]
        if renamed:
            out.translated("names", f"{format_list(renamed, _MOST)}")
        if self.between:
            detail = (
                "without shapes, between the joints of a body, or at a joint away from its origin"
            )
            out.invented("links between", f"{detail}: {format_list(self.between, _MOST)}")
        if self._unknown:
            detail = "the file has no limit of velocity or effort"
            out.invented(
                "limits of velocity or effort", f"{detail}: {format_list(self._unknown, _MOST)}"
            )
        if self._off:
            detail = "the file places bodies where their joints do not lead; the joints count"
            out.lost("pose", f"{detail}: {format_list(self._off, _MOST)}")
        self._tell_loops(self.tree.loops)

    def _tell_loops(self, loops: Iterable[UsdJoint]) -> None:
        by_reason: dict[str, list[str]] = {}
        for joint in loops:
            reason = (
                "a URDF has no distance joints"
                if joint.kind == "distance"
                else "it closes a loop: a URDF is a tree"
            )
            by_reason.setdefault(reason, []).append(joint.name)
        for reason, names in by_reason.items():
            self.out.lost("joint", f"{format_list(names, _MOST)}: {reason}")
