"""An XRDF as its parts: mappings with fixed keys, mappings by name, lists, vectors, single values.

Patching compares the parts of two models, a new file is made of the parts of one: what is written has no other table of
keys. `build_sections` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.core.formats.xrdf.read import SECTION_ORDER
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)
from editor_app.core.text.yaml.plan import Spelled
from editor_app.core.text.yaml.scalars import parse_number


@dataclass(frozen=True, slots=True)
class FixedMapping:
    """A mapping with fixed keys: (key, part), the part None for a key that is absent.

    The fields of one kind of value have the same number and order, even if a key has another name. A new key goes where
    `order` wants it, without one behind the key before it. `in_braces`: a new one stands on one line.
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
    groups = None if xrdf.geometry is None else Ordered((group.name, group) for group in xrdf.geometry)
    return FixedMapping(
        (
            ("format", xrdf.format),
            ("format_version", version if version is None or number is None else Spelled(version, number)),
            ("modifiers", xrdf.modifiers),
            ("default_joint_positions", xrdf.default_joint_positions),
            ("cspace", xrdf.cspace),
            ("tool_frames", xrdf.tool_frames),
            (world_key, xrdf.world_collision),
            ("self_collision", xrdf.self_collision),
            ("geometry", groups),
        ),
        SECTION_ORDER,
    )


def build_parts(value: object) -> object:
    """The fields of a value of the model; what has none is a part itself."""
    if isinstance(value, CollisionSphere):
        return FixedMapping((("center", Vector(value.center)), ("radius", value.radius)))
    if isinstance(value, GeometryGroup):
        return FixedMapping((("spheres", value.spheres), ("clone", value.clone)))
    if isinstance(value, CSpace):
        names = None if value.joint_names is None else LineList(value.joint_names)
        limits = (("acceleration_limits", value.acceleration_limits), ("jerk_limits", value.jerk_limits))
        return FixedMapping((("joint_names", names), *limits), ("joint_names", "acceleration_limits", "jerk_limits"))
    if isinstance(value, CollisionSection):
        entries: tuple[tuple[str, object], ...] = (
            ("geometry", value.geometry),
            ("buffer_distance", value.buffer_distance),
        )
        if isinstance(value, SelfCollisionSection):
            entries += (("ignore", value.ignore),)
        return FixedMapping(entries, ("geometry", "buffer_distance", "ignore"))
    if isinstance(value, SetBaseFrame):
        return FixedMapping((("set_base_frame", value.frame),))
    if isinstance(value, AddFrame):
        return FixedMapping((("add_frame", _added_frame(value)),))
    if isinstance(value, RemoveMimicAttributes):
        limits_of_joint = ("position_limits", Vector(value.position_limits))
        freed = (("joint_name", value.joint_name), limits_of_joint, (value.velocity_key, value.velocity_limit))
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
            ("fixed_transform", FixedMapping((("position", Vector(pose.position)), ("orientation", orientation)))),
        )
    )
