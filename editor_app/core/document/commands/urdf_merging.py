"""Merging links that have no mass of their own into the links that carry them, without losing what
they mean."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.document.commands.urdf_parts import follow_joints
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict, remembers
from editor_app.core.model.keys import Named
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.references import mentions, rename_references
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.srdf import CollisionPair, Srdf
from editor_app.core.model.urdf import Inertial, Joint, JointType, Link
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, Xrdf
from editor_app.core.space.kinematics.transforms import (
    build_origin_matrix,
    link_tensor,
    matrix_to_rpy,
)


@dataclass(frozen=True, slots=True)
class MergePlan:
    """`merged`: (link, what carries it), in the order in which it is done; `kept`: (link, why it
    cannot be merged)."""

    merged: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...]


def merge_plan(robot: RobotDescription, only: tuple[str, ...] = ()) -> MergePlan:
    """Return the effect of MergeLinks; links with inertial, and the root, are not listed."""
    return _merge(robot, only)[1]


def can_merge(robot: RobotDescription) -> bool:
    """Return whether `merge_plan` merges any link: looks no further than the first one."""
    for link in robot.urdf.links:
        incoming = [] if link.inertial is not None else _incoming(robot, link)
        if incoming and _obstacle(robot, link, incoming) is None:
            return True
    return False


@dataclass(frozen=True, slots=True)
class MergeLinks:
    """Links become part of their parents: shapes, masses, spheres and joints move along, names go.

    A link stays when something would be lost: when its joint moves, when a tool frame, a group or
    an extension speaks of it, or when its spheres are masked or buffered otherwise than the
    parent's. See `merge_plan`. `only` names the links to merge; empty means all that have no
    inertial.
    """

    only: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return (
            "Merge links without inertial"
            if not self.only
            else f"Merge {format_count(len(self.only), 'link')}"
        )

    def apply(self, robot: RobotDescription) -> RobotDescription:
        merged, plan = _merge(robot, self.only)
        if not plan.merged:
            why = f" {plan.kept[0][0]}: {plan.kept[0][1]}." if plan.kept else ""
            raise CannotApply(
                f"No link {'' if self.only else 'without inertial '}can be merged.{why}"
            )
        return follow_joints(robot, merged)


def find_reference(robot: RobotDescription, link: str, joint: str) -> str | None:
    """Return a sentence about a reference to a link or its joint beyond geometry and masks; None
    without one."""
    for named, name in ((Named.LINK, link), (Named.JOINT, joint)):
        for field, sentence in mentions(robot, named, name):
            if not field.moves_along:
                return sentence
    return None


def compose_origins(first: Origin, second: Origin) -> Origin:
    """The pose `second`, given in the frame at `first`, in the frame of `first`; digits below 1e-12
    are noise."""
    if first == IDENTITY:
        return second
    if second == IDENTITY:
        return first

    matrix = build_origin_matrix(first) @ build_origin_matrix(second)
    x, y, z = (_tidy(v) for v in matrix[:3, 3])
    if first.quat_xyzw is None and first.rpy == (0.0, 0.0, 0.0):
        # Only moved: the rotation stays as it is written.
        return replace(second, xyz=(x, y, z))
    roll, pitch, yaw = (_tidy(v) for v in matrix_to_rpy(matrix))
    return Origin((x, y, z), (roll, pitch, yaw))


def _tidy(value: float) -> float:
    return round(float(value), 12) + 0.0


def _merge(robot: RobotDescription, only: tuple[str, ...]) -> tuple[RobotDescription, MergePlan]:
    merged: list[tuple[str, str]] = []
    kept: list[tuple[str, str]] = []
    for name in [link.name for link in robot.urdf.links]:
        link = robot.urdf.link(name)
        if link is None or (name not in only if only else link.inertial is not None):
            continue
        incoming = _incoming(robot, link)
        if not incoming:
            continue
        reason = _obstacle(robot, link, incoming)
        if reason is not None:
            kept.append((name, reason))
            continue
        robot = _merged(robot, link, incoming[0])
        merged.append((name, incoming[0].parent))
    return robot, MergePlan(tuple(merged), tuple(kept))


@remembers(1)
def _joints_by_child(joints: tuple[Joint, ...]) -> dict[str, list[Joint]]:
    by_child: dict[str, list[Joint]] = {}
    for joint in joints:
        by_child.setdefault(joint.child, []).append(joint)
    return by_child


@remembers(2)
def _repeated_names(named: tuple[Link, ...] | tuple[Joint, ...]) -> frozenset[str]:
    counts = Counter(each.name for each in named)
    return frozenset(name for name, count in counts.items() if count > 1)


def _incoming(robot: RobotDescription, link: Link) -> list[Joint]:
    """The joints to a link."""
    return _joints_by_child(robot.urdf.joints).get(link.name, [])


def _obstacle(robot: RobotDescription, link: Link, incoming: list[Joint]) -> str | None:
    joint, urdf = incoming[0], robot.urdf
    parent = urdf.link(joint.parent)
    if len(incoming) > 1 or parent is None or parent is link:
        return "it does not have exactly one parent"
    if link.name in _repeated_names(urdf.links) or joint.name in _repeated_names(urdf.joints):
        return "its name, or the name of its joint, is used twice"
    if joint.type is not JointType.FIXED:
        return f"its joint {joint.name} is {joint.type}"
    if link.extensions or joint.extensions:
        return "it has extensions"
    return find_reference(robot, link.name, joint.name) or _differs(robot, link, parent)


def _differs(robot: RobotDescription, link: Link, parent: Link) -> str | None:
    """Why the spheres or shapes of a link cannot go to its parent without changing what may
    collide."""
    xrdf = robot.xrdf
    groups = [g.spheres for g in xrdf.geometry or ()]
    both = any(link.name in s for s in groups) and any(parent.name in s for s in groups)
    for section in (xrdf.world_collision, xrdf.self_collision):
        has_spheres = any(link.name in s for s in groups)
        if (
            section is not None
            and has_spheres
            and section.buffer(link.name) != section.buffer(parent.name)
        ):
            return f"its spheres have another buffer than the spheres of {parent.name}"
    if both and xrdf.self_collision is not None:
        pairs = [(p.first, p.second) for p in xrdf.self_collision.ignored_pairs()]
        if _partners(pairs, link.name, parent.name) != _partners(pairs, parent.name, link.name):
            return f"its spheres are ignored against other links than the spheres of {parent.name}"
    if robot.srdf is not None and link.collisions and parent.collisions:
        pairs = [(p.link1, p.link2) for p in robot.srdf.disabled_pairs]
        if _partners(pairs, link.name, parent.name) != _partners(pairs, parent.name, link.name):
            return f"the SRDF disables different collisions for it and for {parent.name}"
    return None


def _partners(pairs: list[tuple[str, str]], link: str, but: str) -> set[str]:
    return {b if a == link else a for a, b in pairs if link in (a, b)} - {link, but}


def _merged(robot: RobotDescription, link: Link, joint: Joint) -> RobotDescription:
    urdf, place = robot.urdf, joint.origin
    parent = urdf.link(joint.parent)
    assert parent is not None
    visuals = tuple(replace(v, origin=compose_origins(place, v.origin)) for v in link.visuals)
    collisions = tuple(replace(c, origin=compose_origins(place, c.origin)) for c in link.collisions)
    bigger = replace(
        parent,
        inertial=_together(parent.inertial, link.inertial, place),
        visuals=(*parent.visuals, *visuals),
        collisions=(*parent.collisions, *collisions),
    )

    def hung(other: Joint) -> Joint:
        if other.parent != link.name:
            return other
        return replace(other, parent=parent.name, origin=compose_origins(place, other.origin))

    new = replace(
        urdf,
        links=tuple(bigger if x is parent else x for x in urdf.links if x is not link),
        joints=tuple(hung(j) for j in urdf.joints if j is not joint),
    )
    srdf = robot.srdf and _srdf_pairs(robot.srdf, link, parent)
    merged = RobotDescription(new, _xrdf(robot.xrdf, link.name, parent.name, place), srdf)
    for section in ("world_collision", "self_collision"):
        title = f"buffer_distance of {section}"
        merged = rename_references(merged, Named.LINK, link.name, None, ("xrdf",), title=title)
    return merged


def _together(first: Inertial | None, other: Inertial | None, place: Origin) -> Inertial | None:
    """Mass, centre and tensor of two bodies as one, in the frame of the first; `other` is in the
    frame at `place`.

    About the common centre, by the parallel axis theorem; its axes are the axes of the frame.
    """
    if other is None:
        return first
    moved = replace(other, origin=compose_origins(place, other.origin))
    if first is None:
        return moved
    mass = first.mass + moved.mass
    if not mass > 0.0:
        return first
    bodies = [
        (each.mass, build_origin_matrix(each.origin)[:3, 3], link_tensor(each))
        for each in (first, moved)
    ]
    centre = sum((m * c for m, c, _ in bodies), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for m, c, about in bodies:
        d = c - centre
        tensor += about + m * (float(d @ d) * np.eye(3) - np.outer(d, d))
    x, y, z = map(_tidy, centre)
    xx, xy, xz, yy, yz, zz = (
        _tidy(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    )
    return Inertial(_tidy(mass), (xx, xy, xz, yy, yz, zz), Origin((x, y, z)))


def _xrdf(xrdf: Xrdf, link: str, parent: str, place: Origin) -> Xrdf:
    groups = xrdf.geometry
    had_spheres = any(link in g.spheres for g in groups or ())
    parent_has = any(parent in g.spheres for g in groups or ())
    if had_spheres:
        groups = tuple(_moved_spheres(g, link, parent, place) for g in groups or ())
    section = xrdf.self_collision
    if section is not None and section.ignore is not None:
        takes_over = had_spheres and not parent_has
        section = replace(
            section, ignore=_ignore(section.ignore, link, parent, takes_over=takes_over)
        )
    changed = replace(xrdf, geometry=groups, self_collision=section)
    return xrdf if changed == xrdf else changed


def _ignore(
    ignore: FrozenDict[str, tuple[str, ...]], link: str, parent: str, *, takes_over: bool
) -> FrozenDict[str, tuple[str, ...]]:
    """Without the link; with `takes_over`, its pairs become the parent's."""
    result: dict[str, tuple[str, ...]] = {}
    pairs = {
        frozenset((a, b)) for a, others in ignore.items() for b in others if link not in (a, b)
    }
    for frame, others in ignore.items():
        kept = []
        for other in others:
            a, b = (parent if n == link else n for n in (frame, other))
            if link not in (frame, other):
                kept.append(other)
            elif takes_over and a != b and frozenset((a, b)) not in pairs:
                pairs.add(frozenset((a, b)))
                if frame == link:
                    result[parent] = (*result.get(parent, ()), b)
                else:
                    kept.append(parent)
        if frame != link and (kept or not others):
            result[frame] = (*result.get(frame, ()), *kept)
    return FrozenDict(result)


def _moved_spheres(group: GeometryGroup, link: str, parent: str, place: Origin) -> GeometryGroup:
    spheres = group.spheres.get(link)
    if spheres is None:
        return group
    moved = tuple(
        CollisionSphere(compose_origins(place, Origin(s.center)).xyz, s.radius) for s in spheres
    )
    return group.with_spheres(link, ()).with_spheres(
        parent, (*group.spheres.get(parent, ()), *moved)
    )


def _srdf_pairs(srdf: Srdf, link: Link, parent: Link) -> Srdf:
    takes_over = bool(link.collisions) and not parent.collisions
    new_pairs: dict[frozenset[str], CollisionPair] = {}
    pairs: list[CollisionPair] = []
    for pair in srdf.disabled_pairs:
        new = pair
        if link.name in (pair.link1, pair.link2):
            a, b = (parent.name if n == link.name else n for n in (pair.link1, pair.link2))
            if not takes_over or a == b or frozenset((a, b)) in new_pairs:
                continue
            new = replace(pair, link1=a, link2=b)
        new_pairs[frozenset((new.link1, new.link2))] = new
        pairs.append(new)
    return (
        srdf if tuple(pairs) == srdf.disabled_pairs else replace(srdf, disabled_pairs=tuple(pairs))
    )
