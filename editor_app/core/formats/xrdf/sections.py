"""One reader for each section of an XRDF: node -> frozen value, or a finding for what cannot be
understood."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from editor_app.core.formats.xrdf.reading import Fields, Where, XrdfReading, make_path, quote_node
from editor_app.core.formats.xrdf.vocabulary import XRDF_VOCABULARY
from editor_app.core.model.findings import Severity, YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import KeyField, key_fields
from editor_app.core.model.origin import Vector3
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    FixedTransform,
    GeometryGroup,
    Modifier,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
)
from editor_app.core.text.yaml.nodes import Alias, Mapping, Node, Scalar, Sequence, resolve_alias
from editor_app.core.text.yaml.scalars import is_null

T = TypeVar("T")
_SECTION = "a mapping with the key 'geometry'"
MODIFIER_KEYS = tuple(XRDF_VOCABULARY.keys_at(("modifiers", 0)))


def read_text(reading: XrdfReading, node: Node, path: YamlPath) -> str | None:
    """`format` and `format_version`: the text of the scalar as it stands, so that `1.0` and "1.0"
    are the same."""
    node = resolve_alias(node)
    if isinstance(node, Scalar):
        return None if is_null(node) else node.value
    reading.find("XRDF005", f"found {quote_node(node)}, expected a single value", path, node)
    return None


def read_numbers(
    reading: XrdfReading, node: Node, path: YamlPath, code: str, content: str
) -> FrozenDict[str, float] | None:
    """A mapping of names to numbers."""
    of_number = code if code == "XRDF402" else "XRDF005"
    return reading.named(
        node, path, code, content, lambda n, p: reading.number(n, make_path(*p), of_number)
    )


def read_default_positions(
    reading: XrdfReading, node: Node, path: YamlPath
) -> FrozenDict[str, float] | None:
    return read_numbers(reading, node, path, "XRDF005", "a mapping of joint -> number")


def _read_value(reading: XrdfReading, key: KeyField, node: Node, path: YamlPath) -> object:
    """The value of a key of a plain kind: a name, a number, or a list of these.

    Raises KeyError for a kind without a reader of its own, which its section has to have.
    """
    if key.kind == "str | None":
        return reading.name(node, make_path(*path))
    if key.kind == "float | None":
        return reading.number(node, make_path(*path))
    read_item, content = _LISTS[key.kind]
    thing = (
        f"{key.item.names} names"
        if key.item is not None and key.item.names is not None
        else content
    )
    return reading.list_of(node, path, partial(read_item, reading), "XRDF005", f"a list of {thing}")


_LISTS: dict[str, tuple[Callable[[XrdfReading, Node, Where], object], str]] = {
    "tuple[str, ...] | None": (XrdfReading.name, "names"),
    "tuple[float, ...] | None": (XrdfReading.number, "numbers"),
}


def _read_keys(
    reading: XrdfReading,
    fields: Fields,
    model: type[T],
    **readers: Callable[[Node, YamlPath], object],
) -> dict[str, Any]:
    """Field of `model` -> the value of its key; `readers` read the values that are not of a plain
    kind."""
    values: dict[str, Any] = {}
    for key in key_fields(model):
        read = readers.get(key.name) or partial(_read_value, reading, key)
        values[key.name] = (fields.given if key.description.shape == "value" else fields.read)(
            key.name, read
        )
    return values


def _name(reading: XrdfReading, code: str = "XRDF005") -> Callable[[Node, YamlPath], str | None]:
    return lambda node, path: reading.name(node, make_path(*path), code)


def _names(
    reading: XrdfReading, code: str, content: str
) -> Callable[[Node, YamlPath], tuple[str, ...] | None]:
    return lambda node, path: reading.list_of(node, path, reading.name, code, content)


# -- geometry


def read_geometry_section(
    reading: XrdfReading, node: Node, path: YamlPath
) -> tuple[GeometryGroup, ...] | None:
    groups = reading.named(
        node, path, "XRDF301", "a mapping of group names", partial(_read_group, reading)
    )
    return None if groups is None else tuple(groups.values())


def _read_group(reading: XrdfReading, node: Node, path: YamlPath) -> GeometryGroup | None:
    fields = reading.fields(node, path, "XRDF301", "a mapping with the key 'spheres'")
    if fields is None:
        return None
    spheres = partial(_once, reading, "spheres", _read_spheres)
    clone = _names(reading, "XRDF310", "a list of geometry groups")
    values = _read_keys(reading, fields, GeometryGroup, spheres=spheres, clone=clone)
    return GeometryGroup(str(path[-1]), **values | {"spheres": values["spheres"] or FrozenDict()})


def _once(
    reading: XrdfReading,
    kind: str,
    read: Callable[[XrdfReading, Node, YamlPath], T],
    node: Node,
    path: YamlPath,
) -> T:
    """What is read from a node; read once however many aliases lead to it."""
    target = resolve_alias(node)
    return reading.once(target, kind, lambda: read(reading, target, path))


def _read_spheres(
    reading: XrdfReading, node: Node, path: YamlPath
) -> FrozenDict[str, tuple[CollisionSphere, ...]] | None:
    content = "a mapping of frame -> list of spheres"
    return reading.named(
        node, path, "XRDF301", content, partial(_once, reading, "list of spheres", _read_list)
    )


def _read_list(
    reading: XrdfReading, node: Node, path: YamlPath
) -> tuple[CollisionSphere, ...] | None:
    return reading.list_of(
        node, path, partial(read_sphere, reading), "XRDF301", "a list of spheres"
    )


def read_sphere(reading: XrdfReading, node: Node, where: Where) -> CollisionSphere | None:
    """A sphere, or None and a finding; written for speed, since a file holds thousands of them."""
    if node.__class__ is Alias:
        node = resolve_alias(node)
    if not isinstance(node, Mapping):
        reading.find(
            "XRDF303",
            f"found {quote_node(node)}, expected a sphere (center and radius)",
            where(),
            node,
        )
        return None
    center_node: Node | None = None
    radius_node: Node | None = None
    for key, value in node.entries:
        if key.__class__ is Scalar:
            name = key.value
            if name == "center":
                center_node = value
            elif name == "radius":
                radius_node = value
            else:
                return _read_odd_sphere(reading, node, where)
        else:
            return _read_odd_sphere(reading, node, where)
    return _sphere_of(reading, node, center_node, radius_node, where)


def _read_odd_sphere(reading: XrdfReading, node: Node, where: Where) -> CollisionSphere | None:
    entries = reading.entries(node, where(), "XRDF303", "a sphere")
    if entries is None:
        return None
    reading.unknown_keys(entries, tuple(XRDF_VOCABULARY.keys_at(where())), where())
    none = (None, None)
    return _sphere_of(
        reading, node, entries.get("center", none)[1], entries.get("radius", none)[1], where
    )


def _sphere_of(
    reading: XrdfReading, node: Node, center: Node | None, radius: Node | None, where: Where
) -> CollisionSphere | None:
    if center is None or radius is None:
        missing = " and ".join(n for n, v in (("center", center), ("radius", radius)) if v is None)
        reading.find(
            "XRDF303",
            f"A sphere needs center (3 numbers) and radius (1 number); {missing} is missing",
            where(),
            node,
        )
        return None
    center = resolve_alias(center)
    if isinstance(center, Sequence) and len(center.items) == 3:
        values = reading.ordinary((*center.items, radius))
        if values is not None:
            return CollisionSphere((values[0], values[1], values[2]), values[3])
    xyz = _read_vector(reading, center, (*where(), "center"), "XRDF303")
    r = reading.number(radius, lambda: (*where(), "radius"), "XRDF303")
    return None if xyz is None or r is None else CollisionSphere(xyz, r)


# -- collision sections


def read_collision_section(
    reading: XrdfReading, node: Node, path: YamlPath
) -> CollisionSection | None:
    fields = reading.fields(node, path, "XRDF005", _SECTION)
    if fields is None:
        return None
    return CollisionSection(
        **_read_keys(reading, fields, CollisionSection, buffer_distance=partial(_buffers, reading))
    )


def read_self_collision(
    reading: XrdfReading, node: Node, path: YamlPath
) -> SelfCollisionSection | None:
    fields = reading.fields(node, path, "XRDF005", _SECTION)
    if fields is None:
        return None
    readers: dict[str, Callable[[Node, YamlPath], object]] = {
        "buffer_distance": partial(_buffers, reading),
        "ignore": partial(_read_ignore, reading),
    }
    return SelfCollisionSection(**_read_keys(reading, fields, SelfCollisionSection, **readers))


def _buffers(
    reading: XrdfReading, node: Node, path: YamlPath
) -> FrozenDict[str, float] | float | None:
    node = resolve_alias(node)
    if isinstance(node, Scalar) and not is_null(node):
        return reading.number(node, make_path(*path), "XRDF406")
    code = "XRDF402" if isinstance(node, Mapping) else "XRDF406"
    return read_numbers(reading, node, path, code, "a mapping of frame -> number")


def _read_ignore(
    reading: XrdfReading, node: Node, path: YamlPath
) -> FrozenDict[str, tuple[str, ...]] | None:
    target = resolve_alias(node)
    if isinstance(target, Sequence) and not target.items:
        reading.find(
            "XRDF503",
            "ignore is an empty list; write an empty mapping {}",
            path,
            target,
            Severity.WARNING,
        )
        return FrozenDict()
    content = "a mapping of frame -> list of frames"
    return reading.named(
        node, path, "XRDF503", content, _names(reading, "XRDF503", "a list of frames")
    )


# -- c-space and tool frames


def read_cspace(reading: XrdfReading, node: Node, path: YamlPath) -> CSpace | None:
    fields = reading.fields(node, path, "XRDF005", "a mapping with joint_names and limits")
    return None if fields is None else CSpace(**_read_keys(reading, fields, CSpace))


def read_tool_frames(reading: XrdfReading, node: Node, path: YamlPath) -> tuple[str, ...] | None:
    return reading.list_of(
        node,
        path,
        lambda item, where: reading.name(item, where, "XRDF804"),
        "XRDF804",
        "a list of frame names",
    )


# -- modifiers


def read_modifiers(reading: XrdfReading, node: Node, path: YamlPath) -> tuple[Modifier, ...] | None:
    return reading.list_of(
        node,
        path,
        lambda item, where: _read_modifier(reading, item, where()),
        "XRDF201",
        "a list of modifiers",
    )


def _read_modifier(reading: XrdfReading, node: Node, path: YamlPath) -> Modifier | None:
    target = resolve_alias(node)
    if not isinstance(target, Mapping) or len(target.entries) != 1:
        keys = (
            f"a mapping with {len(target.entries)} keys"
            if isinstance(target, Mapping)
            else quote_node(target)
        )
        reading.find(
            "XRDF201", f"found {keys}, expected a mapping with one key (a modifier)", path, node
        )
        return None
    entries = reading.entries(target, path, "XRDF201", "a modifier")
    if not entries:
        return None
    kind, (key_node, value) = next(iter(entries.items()))
    inner = (*path, kind)
    if kind == "set_base_frame":
        frame = reading.name(value, lambda: inner)
        return None if frame is None else SetBaseFrame(frame)
    if kind == "add_frame":
        return _read_add_frame(reading, value, inner)
    if kind == "remove_mimic_attributes":
        return _read_remove_mimic(reading, value, inner)
    reading.find(
        "XRDF202",
        f"{kind!r} is not a modifier; allowed: {', '.join(MODIFIER_KEYS)}",
        inner,
        key_node,
    )
    return None


def _read_add_frame(reading: XrdfReading, node: Node, path: YamlPath) -> AddFrame | None:
    needed = tuple(key.name for key in key_fields(AddFrame) if key.is_required)
    fields = reading.fields(node, path, "XRDF203", "the description of a frame", needed)
    if fields is None:
        return None
    readers: dict[str, Callable[[Node, YamlPath], object]] = dict.fromkeys(
        needed, _name(reading, "XRDF203")
    )
    readers["fixed_transform"] = partial(_read_transform, reading)
    values = _read_keys(reading, fields, AddFrame, **readers)
    return None if any(values[key] is None for key in needed) else AddFrame(**values)


def _read_transform(reading: XrdfReading, node: Node, path: YamlPath) -> FixedTransform | None:
    needed = ("position", "orientation")
    fields = reading.fields(
        node, path, "XRDF209", "a transform with position and orientation", needed
    )
    if fields is None:
        return None
    turned = fields.read("orientation", partial(_orientation, reading))
    if turned is None:
        return None
    position = fields.read("position", partial(_read_vector, reading))
    w = turned.read("w", lambda n, p: reading.number(n, make_path(*p), "XRDF209"))
    xyz = turned.read("xyz", partial(_read_vector, reading))
    if position is None or w is None or xyz is None:
        return None
    return FixedTransform(position, (w, *xyz))


def _orientation(reading: XrdfReading, node: Node, path: YamlPath) -> Fields | None:
    return reading.fields(node, path, "XRDF209", "w (1 number) and xyz (3 numbers)", ("w", "xyz"))


def _read_vector(
    reading: XrdfReading, node: Node, path: YamlPath, code: str = "XRDF209"
) -> Vector3 | None:
    values = reading.vector(node, path, 3, code)
    return None if values is None else (values[0], values[1], values[2])


def _read_remove_mimic(
    reading: XrdfReading, node: Node, path: YamlPath
) -> RemoveMimicAttributes | None:
    needed = ("joint_name", "position_limits")
    fields = reading.fields(
        node, path, "XRDF215", "the description of a freed joint", needed, ("velocity_limits",)
    )
    if fields is None:
        return None
    name = fields.read("joint_name", _name(reading))
    limits = fields.read("position_limits", lambda n, p: reading.vector(n, p, 2, "XRDF215"))
    is_plural = "velocity_limits" in fields.values and "velocity_limit" not in fields.values
    key = "velocity_limits" if is_plural else "velocity_limit"
    velocity = fields.given(key, lambda n, p: reading.number(n, make_path(*p), "XRDF215"))
    is_unreadable = (
        velocity is None and key in fields.values and not is_null(resolve_alias(fields.values[key]))
    )
    if name is None or limits is None or is_unreadable:
        return None
    return RemoveMimicAttributes(name, (limits[0], limits[1]), velocity, key)
