"""Metadata of Isaac Sim about a robot beyond physics: names, tool frames, the order of joints,
named poses.

Robot Schema of Isaac Sim 4.5 to 6: docs.isaacsim.omniverse.nvidia.com, *Robot Schema*. Its schemas
are not in OpenUSD: they are known by their names, and their attributes begin with `isaac:`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pxr import Usd

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_list
from editor_app.plugins.usd.reading.links import Links
from editor_app.plugins.usd.reading.scene import UsdScene, array, is_site, value
from editor_app.plugins.usd.reading.values import NAME_OVERRIDES, display_name

_JOINTS, _POSE = "isaac:physics:robotJoints", "isaac:robot:pose:"
_POSE_JOINTS, _POSE_VALUES, _POSE_VALID = f"{_POSE}joints", f"{_POSE}jointValues", f"{_POSE}valid"
#: Properties that are read, or that repeat what the physics of the stage says.
_READ = frozenset(
    {*NAME_OVERRIDES, _JOINTS, _POSE_JOINTS, _POSE_VALUES, _POSE_VALID}
    | {"isaac:physics:robotLinks", "isaac:physics:index", "isaac:robot:namedPoses"}
)
_MOST = 12


@dataclass
class IsaacMetadata:
    """`tools`: links that the file marks as sites; `order`: joints of the URDF as the file numbers
    them.

    `poses`: name -> position of joints (rad or m).
    """

    tools: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    poses: dict[str, dict[str, float]] = field(default_factory=dict)


def read_isaac(scene: UsdScene, links: Links, out: Reporter) -> IsaacMetadata:
    """The metadata of the links and joints of a robot; what has no place is reported."""
    names = links.names | links.mark_names
    tools = tuple(names[path] for path in names if is_site(scene.stage.GetPrimAtPath(path)))
    if tools:
        out.translated(
            "IsaacSiteAPI",
            f"sites of the robot, tool frames where a chain ends: {format_list(tools, _MOST)}",
        )
    order: list[str] = []
    poses: dict[str, dict[str, float]] = {}
    unread: Counter[str] = Counter()
    overrides = 0
    for prim in scene.isaac:
        order += _joints(prim, _JOINTS, links)
        if str(prim.GetTypeName()) == "IsaacNamedPose":
            _add_pose(prim, scene, links, poses, out)
        for attribute in prim.GetAuthoredPropertiesInNamespace("isaac"):
            name = attribute.GetName()
            if name not in _READ and _says_something(attribute):
                unread[name] += 1
            overrides += name in NAME_OVERRIDES and _says_something(attribute)
    if order:
        out.translated(_JOINTS, f"the order of {len(order)} joints, in the XRDF")
    if overrides:
        out.translated("isaac:nameOverride", f"the names of {overrides} prims")
    if unread:
        out.lost(
            "metadata of Isaac Sim",
            format_list((f"{name} ({count})" for name, count in unread.items()), _MOST),
        )
    data = scene.stage.GetRootLayer().customLayerData
    if data:
        out.lost(
            "customLayerData",
            f"settings of the program that wrote the file: {format_list(map(str, data), _MOST)}",
        )
    return IsaacMetadata(tools, tuple(dict.fromkeys(order)), poses)


def _joints(prim: Any, name: str, links: Links) -> list[str]:
    """The moving joints of the URDF that a relationship names."""
    relation = prim.GetRelationship(name)
    targets = relation.GetForwardedTargets() if relation else []
    return [
        joint for path in targets for joint in links.motions.get(path, ()) if joint in links.start
    ]


def _add_pose(
    prim: Any, scene: UsdScene, links: Links, poses: dict[str, dict[str, float]], out: Reporter
) -> None:
    """Values are in degrees, or units of the stage where a joint slides."""
    name = display_name(prim)
    if value(prim, _POSE_VALID, True) is False:
        out.lost(f"IsaacNamedPose {name}", "the file says that it is not valid")
        return
    relation = prim.GetRelationship(_POSE_JOINTS)
    paths = relation.GetForwardedTargets() if relation else []
    numbers = array(prim, _POSE_VALUES)
    if len(paths) != len(numbers) or not np.isfinite(numbers).all():
        out.unread(
            f"IsaacNamedPose {name}",
            f"{len(paths)} joints and {len(numbers)} values, or values without end",
        )
        return
    slides = {path: joint.freedoms[0].slides for path, joint in links.joints_of_one.items()}
    positions = {
        joint: float(number) * (scene.metres if slides[path] else math.pi / 180)
        for path, number in zip(paths, numbers, strict=True)
        if path in slides
        for joint in links.motions.get(path, ())
    }
    if positions:
        poses[name] = positions


def _says_something(part: Any) -> bool:
    """Whether a property has a value that is no default: -1 for a limit that does not exist, 0 for
    no offset."""
    if isinstance(part, Usd.Relationship):
        return bool(part.GetTargets())
    got = part.Get() if part.HasAuthoredValue() else None
    if got is None or isinstance(got, str):
        return bool(got)
    return not np.isin(np.asarray(got).ravel(), (0, -1)).all()
