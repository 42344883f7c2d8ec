"""An XRDF as its parts: mappings with fixed keys, mappings by name, lists, vectors, single values.

Patching compares the parts of two models, a new file is made of the parts of one: what is written
has no other table of keys. `build_sections` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.core.formats.xrdf.read import SECTION_ORDER
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import key_fields
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    RemoveMimicAttributes,
    SetBaseFrame,
    Xrdf,
)
from editor_app.core.text.yaml.plan import Spelled
from editor_app.core.text.yaml.scalars import parse_number


@dataclass(frozen=True, slots=True)
class FixedMapping:
    """A mapping with fixed keys: (key, part), the part None for a key that is absent.

    The fields of one kind of value have the same number and order, even if a key has another name.
    A new key goes where `order` wants it, without one behind the key before it. `in_braces`: a new
    one stands on one line.
    """

    entries: tuple[tuple[str, object], ...]
    order: tuple[str, ...] = ()
    in_braces: bool = False


class Ordered(FrozenDict[str, object]):
    """A mapping by name whose order counts."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ordered) and list(self.items()) == list(other.items())

    __hash__ = FrozenDict.__hash__


class Vector(tuple[float, ...]):
    """A list of a fixed count of numbers."""


class LineList(tuple[str, ...]):
    """A list that has a line for each item when it is new."""


def build_sections(xrdf: Xrdf, world_key: str) -> FixedMapping:
    """The whole of an XRDF. `world_key`: what the obstacle section is called."""
    version = xrdf.format_version
    number = None if version is None else parse_number(version)
    changed: dict[str, object] = {}
    if version is not None and number is not None:
        changed["format_version"] = Spelled(version, number)
    if xrdf.geometry is not None:
        changed["geometry"] = Ordered((group.name, group) for group in xrdf.geometry)
    entries = (
        (world_key if name == "world_collision" else name, changed.get(name, value))
        for name, value in _keyed(xrdf)
    )
    return FixedMapping(tuple(entries), SECTION_ORDER)


def _keyed(value: object) -> list[tuple[str, object]]:
    """(key, its value) of each field of the model that holds the value of a key."""
    entries: list[tuple[str, object]] = []
    for key in key_fields(type(value)):
        held = getattr(value, key.name)
        entries.append((key.name, LineList(held) if key.is_listed and held is not None else held))
    return entries


def build_parts(value: object) -> object:
    """The fields of a value of the model; what has none is a part itself."""
    if isinstance(value, CollisionSphere):
        return FixedMapping((("center", Vector(value.center)), ("radius", value.radius)))
    if isinstance(value, GeometryGroup):
        return FixedMapping(tuple(_keyed(value)))
    if isinstance(value, CSpace | CollisionSection):
        entries = tuple(_keyed(value))
        return FixedMapping(entries, tuple(key for key, _ in entries))
    if isinstance(value, SetBaseFrame):
        return FixedMapping((("set_base_frame", value.frame),))
    if isinstance(value, AddFrame):
        return FixedMapping((("add_frame", _added_frame(value)),))
    if isinstance(value, RemoveMimicAttributes):
        limits_of_joint = ("position_limits", Vector(value.position_limits))
        freed = (
            ("joint_name", value.joint_name),
            limits_of_joint,
            (value.velocity_key, value.velocity_limit),
        )
        return FixedMapping((("remove_mimic_attributes", FixedMapping(freed)),))
    return value


def _added_frame(frame: AddFrame) -> FixedMapping:
    pose = frame.fixed_transform
    w, *xyz = pose.orientation_wxyz
    orientation = FixedMapping((("w", w), ("xyz", Vector(xyz))), in_braces=True)
    # FIXED stands without quotes, as in the specification.
    joint_type = Spelled("FIXED", "FIXED") if frame.joint_type == "FIXED" else frame.joint_type
    return FixedMapping(
        (
            ("frame_name", frame.frame_name),
            ("parent_frame_name", frame.parent_frame_name),
            ("joint_name", frame.joint_name),
            ("joint_type", joint_type),
            (
                "fixed_transform",
                FixedMapping((("position", Vector(pose.position)), ("orientation", orientation))),
            ),
        )
    )
