"""Pairs of bodies that do not collide: filtered pairs, collision groups, and what joints
connect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from pxr import UsdPhysics

from editor_app.core.formats.exchange.conversion import ADJACENT, Reporter
from editor_app.core.model.counting import format_count
from editor_app.core.model.srdf import CollisionPair
from editor_app.plugins.usd.reading.joints import UsdJoint
from editor_app.plugins.usd.reading.scene import UsdScene, value

#: Why pairs are not checked, as an SRDF says it.
_FILTERED, _GROUPS = "physics:filteredPairs of the USD", "collision groups of the USD"
#: Names of the switch of an articulation's own collisions.
_SWITCHES = ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")


def disabled_pairs(
    scene: UsdScene,
    names: Mapping[Any, str],
    joints: Iterable[UsdJoint],
    articulation: Any,
    out: Reporter,
) -> tuple[CollisionPair, ...]:
    """The pairs of links that never touch in a simulation of the file; `names`: path of a body ->
    link."""
    colliders: dict[Any, list[Any]] = {}
    for shape in scene.shapes:
        if shape.collider is not None and shape.body in names:
            colliders.setdefault(shape.body, []).append(shape.prim.GetPath())
    solid = [path for path in names if path in colliders]
    reasons: dict[tuple[Any, Any], str] = {}
    order = {path: number for number, path in enumerate(names)}

    def add(first: Any, second: Any, reason: str) -> None:
        if first != second and first in colliders and second in colliders:
            reasons.setdefault(
                (first, second) if order[first] < order[second] else (second, first), reason
            )

    for joint in joints:
        if not value(joint.prim, "physics:collisionEnabled", False):
            add(*joint.ends, ADJACENT)
    partly = _add_filtered(scene, colliders, add)
    _add_groups(scene, solid, colliders, add)
    for reason, item in (
        (ADJACENT, "joint"),
        (_FILTERED, "physics:filteredPairs"),
        (_GROUPS, "collision groups"),
    ):
        count = sum(each == reason for each in reasons.values())
        if count:
            out.translated(item, f"{format_count(count, 'pair')} not checked, in SRDF and XRDF")
    if partly:
        out.lost(
            "physics:filteredPairs",
            f"{format_count(partly, 'pair')} of some colliders of two links: checked anyway",
        )
    if any(
        value(prim, name, True) is False
        for prim in _around(scene, articulation)
        for name in _SWITCHES
    ):
        out.lost(
            "self collisions",
            "they are switched off in the simulation; the mask keeps the other pairs",
        )
    ordered = sorted(reasons, key=lambda pair: (order[pair[0]], order[pair[1]]))
    return tuple(
        CollisionPair(names[one], names[other], reasons[one, other]) for one, other in ordered
    )


def _around(scene: UsdScene, articulation: Any) -> Sequence[Any]:
    return [articulation] if articulation is not None else scene.articulations


def _add_filtered(scene: UsdScene, colliders: Mapping[Any, Sequence[Any]], add: Any) -> int:
    """Add the pairs all of whose colliders are filtered; return how many others have some."""
    parts: dict[tuple[Any, Any], set[tuple[Any, Any]]] = {}
    for prim in scene.filters:
        for target in prim.GetRelationship("physics:filteredPairs").GetForwardedTargets():
            for one, of_one in _within(prim.GetPath(), colliders):
                for other, of_other in _within(target.GetPrimPath(), colliders):
                    if one != other:
                        listed = (
                            (a, b) if one < other else (b, a) for a in of_one for b in of_other
                        )
                        parts.setdefault(
                            (one, other) if one < other else (other, one), set()
                        ).update(listed)
    partly = 0
    for (one, other), filtered in parts.items():
        if len(filtered) == len(colliders[one]) * len(colliders[other]):
            add(one, other, _FILTERED)
        else:
            partly += 1
    return partly


def _within(path: Any, colliders: Mapping[Any, Sequence[Any]]) -> list[tuple[Any, list[Any]]]:
    """Each body that is a prim, in it or above it, with the colliders that are meant."""
    meant = []
    for body, shapes in colliders.items():
        if body.HasPrefix(path):
            meant.append((body, list(shapes)))
        elif path.HasPrefix(body):
            inside = [shape for shape in shapes if shape.HasPrefix(path)]
            if inside:
                meant.append((body, inside))
    return meant


def _add_groups(
    scene: UsdScene, solid: Sequence[Any], colliders: Mapping[Any, Sequence[Any]], add: Any
) -> None:
    if not scene.groups:
        return
    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(scene.stage)
    queries = [
        (
            prim.GetPath(),
            UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI().ComputeMembershipQuery(),
        )
        for prim in scene.groups
    ]
    groups = {
        shape: frozenset(name for name, query in queries if query.IsPathIncluded(shape))
        for shapes in colliders.values()
        for shape in shapes
    }
    kinds = {body: frozenset(groups[shape] for shape in colliders[body]) for body in solid}

    def apart(one: frozenset[Any], other: frozenset[Any]) -> bool:
        return any(not table.IsCollisionEnabled(a, b) for a in one for b in other)

    answers: dict[tuple[Any, Any], bool] = {}
    for one, other in combinations(solid, 2):
        key = (kinds[one], kinds[other])
        if key not in answers:
            answers[key] = all(apart(a, b) for a in kinds[one] for b in kinds[other])
        if answers[key]:
            add(one, other, _GROUPS)
