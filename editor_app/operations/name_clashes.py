"""Names that two robots have both, so that they cannot be one robot."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Material
from editor_app.model.xrdf import AddFrame
from editor_app.operations.work import Refused

_CONTROL = re.compile(r"<ros2_control\b[^>]*?\bname\s*=\s*[\"']([^\"']*)")


class Named(Protocol):
    @property
    def name(self) -> str: ...


#: So many names of each kind are told.
_TOLD = 5


class NameClash(Refused):
    """Two robots have names in common; with `prefix` before the names of the part they have none."""

    def __init__(self, text: str, prefix: str) -> None:
        super().__init__(text)
        self.prefix = prefix

    def __reduce__(self) -> tuple[type[NameClash], tuple[str, str]]:
        return NameClash, (str(self), self.prefix)


def name_clashes(base: RobotDescription, part: RobotDescription) -> str:
    """The names by kind, for a sentence; "" where there are none.

    Geometry groups that the part's collision sections use clash with none: their spheres go into the base's groups.
    """
    both: list[tuple[str, list[str]]] = []
    for (kind, ours), (_, theirs) in zip(_names(base), _names(part), strict=True):
        shared = [name for name in dict.fromkeys(theirs) if name and name in set(ours)]
        both.append((kind, shared))
    both.append(("materials", _materials(base, part)))
    return "; ".join(f"{kind} {_listed(names)}" for kind, names in both if names)


def _names(robot: RobotDescription) -> list[tuple[str, list[str]]]:
    urdf, xrdf = robot.urdf, robot.xrdf
    added = [modifier for modifier in xrdf.modifiers or () if isinstance(modifier, AddFrame)]
    controls = [match.group(1) for e in urdf.extensions if (match := _CONTROL.match(e.text)) is not None]
    used = {group.name for name in (xrdf.world_group, xrdf.self_group) for group in xrdf.with_clones(name)}
    return [
        ("links", [*_named(urdf.links), *(frame.frame_name for frame in added)]),
        ("joints", [*_named(urdf.joints), *(frame.joint_name for frame in added)]),
        ("transmissions", _named(urdf.transmissions)),
        ("ros2_control systems", controls),
        ("sensors", _named(urdf.sensors)),
        ("geometry groups", [name for name in _named(xrdf.geometry or ()) if name not in used]),
        *_srdf_names(robot.srdf or Srdf()),
    ]


def _srdf_names(srdf: Srdf) -> list[tuple[str, list[str]]]:
    return [
        ("groups", _named(srdf.groups)),
        ("states", [f"{state.name} of {state.group}" for state in srdf.states]),
        ("tools", [f"{tcp.name} of {tcp.group}" for tcp in srdf.tcps]),
        ("end effectors", _named(srdf.end_effectors)),
    ]


def _named(things: Iterable[Named]) -> list[str]:
    return [thing.name for thing in things]


def _materials(base: RobotDescription, part: RobotDescription) -> list[str]:
    """Materials that both define, in two ways."""
    ours, theirs = _defined(base), _defined(part)
    return [name for name in theirs if name in ours and ours[name] != theirs[name]]


def _defined(robot: RobotDescription) -> dict[str, Material]:
    inline = (v.material for link in robot.urdf.links for v in link.visuals if v.material is not None)
    materials: dict[str, Material] = {}
    for material in (*robot.urdf.materials, *inline):
        if material.name and (material.rgba is not None or material.texture is not None):
            materials.setdefault(material.name, material)
    return materials


def _listed(names: Iterable[str]) -> str:
    told = list(names)
    return ", ".join(told[:_TOLD]) + (f" and {len(told) - _TOLD} more" if len(told) > _TOLD else "")
