"""One reader for each section of an XRDF: node -> frozen value, or a finding for what cannot be understood."""

from __future__ import annotations

from functools import partial

from editor_app.formats.xrdf.reading import Reading, Where, at, shown
from editor_app.formats.yaml.nodes import Alias, Mapping, Node, Scalar, Sequence, resolved
from editor_app.formats.yaml.scalars import is_null
from editor_app.model.findings import Severity, YamlPath
from editor_app.model.frozen import FrozenDict
from editor_app.model.origin import Vector3
from editor_app.model.xrdf import (
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

ADD_FRAME_KEYS = ("frame_name", "parent_frame_name", "joint_name", "joint_type", "fixed_transform")
MIMIC_KEYS = ("joint_name", "position_limits", "velocity_limit", "velocity_limits")
MODIFIER_KEYS = ("add_frame", "set_base_frame", "remove_mimic_attributes")


def read_text(reading: Reading, node: Node, path: YamlPath) -> str | None:
    """`format` and `format_version`: the text of the scalar as it stands, so that `1.0` and "1.0" are the same."""
    node = resolved(node)
    if isinstance(node, Scalar):
        return None if is_null(node) else node.value
    reading.find("XRDF005", f"{shown(node)} stands where a single value belongs", path, node)
    return None


def read_numbers(
    reading: Reading, node: Node, path: YamlPath, code: str, content: str
) -> FrozenDict[str, float] | None:
    """A mapping of names to numbers."""
    entries = reading.entries(node, path, code, content)
    if entries is None:
        return None
    numbers_read: dict[str, float] = {}
    for key, (key_node, value_node) in entries.items():
        if reading.name(key_node, at(*path, key)) is None:
            continue
        value = reading.number(value_node, at(*path, key), code if code == "XRDF402" else "XRDF005")
        if value is not None:
            numbers_read[key] = value
    return FrozenDict(numbers_read)


# -- geometry


def read_geometry(reading: Reading, node: Node, path: YamlPath) -> tuple[GeometryGroup, ...] | None:
    entries = reading.entries(node, path, "XRDF301", "a mapping of group names")
    if entries is None:
        return None
    groups = []
    for name, (key_node, value) in entries.items():
        inner = (*path, name)
        if reading.name(key_node, at(*inner)) is None:
            continue
        group = read_group(reading, name, value, inner)
        if group is not None:
            groups.append(group)
    return tuple(groups)


def read_group(reading: Reading, name: str, node: Node, path: YamlPath) -> GeometryGroup | None:
    entries = reading.entries(node, path, "XRDF301", "a mapping with the key 'spheres'")
    if entries is None:
        return None
    reading.unknown_keys(entries, ("spheres", "clone"), path)
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = FrozenDict()
    clone: tuple[str, ...] | None = None
    if "spheres" in entries:
        value = resolved(entries["spheres"][1])
        read = reading.once(value, "spheres", lambda: _read_spheres(reading, value, (*path, "spheres")))
        if read is not None:
            spheres = read
    if "clone" in entries:
        clone = reading.list_of(
            entries["clone"][1], (*path, "clone"), reading.name, "XRDF310", "a list of geometry groups"
        )
    return GeometryGroup(name, spheres, clone)


def _read_spheres(reading: Reading, node: Node, path: YamlPath) -> FrozenDict[str, tuple[CollisionSphere, ...]] | None:
    entries = reading.entries(node, path, "XRDF301", "a mapping of frame -> list of spheres")
    if entries is None:
        return None
    by_frame: dict[str, tuple[CollisionSphere, ...]] = {}
    for frame, (key_node, value) in entries.items():
        inner = (*path, frame)
        if reading.name(key_node, at(*inner)) is None:
            continue
        value = resolved(value)
        spheres = reading.once(value, "list of spheres", partial(_read_list, reading, value, inner))
        if spheres is not None:
            by_frame[frame] = spheres
    return FrozenDict(by_frame)


def _read_list(reading: Reading, node: Node, path: YamlPath) -> tuple[CollisionSphere, ...] | None:
    return reading.list_of(
        node, path, lambda item, where: read_sphere(reading, item, where), "XRDF301", "a list of spheres"
    )


def read_sphere(reading: Reading, node: Node, where: Where) -> CollisionSphere | None:
    """A sphere, or None and a finding; written for speed, since a file holds thousands of them."""
    if node.__class__ is Alias:
        node = resolved(node)
    if not isinstance(node, Mapping):
        reading.find("XRDF303", f"{shown(node)} stands where a sphere (center and radius) belongs", where(), node)
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


def _read_odd_sphere(reading: Reading, node: Node, where: Where) -> CollisionSphere | None:
    entries = reading.entries(node, where(), "XRDF303", "a sphere")
    if entries is None:
        return None
    reading.unknown_keys(entries, ("center", "radius"), where())
    none = (None, None)
    return _sphere_of(reading, node, entries.get("center", none)[1], entries.get("radius", none)[1], where)


def _sphere_of(
    reading: Reading, node: Node, center: Node | None, radius: Node | None, where: Where
) -> CollisionSphere | None:
    if center is None or radius is None:
        missing = " and ".join(n for n, v in (("center", center), ("radius", radius)) if v is None)
        reading.find(
            "XRDF303", f"A sphere needs center (3 numbers) and radius (1 number); {missing} is missing", where(), node
        )
        return None
    if center.__class__ is Alias:
        center = resolved(center)
    if not isinstance(center, Sequence) or len(center.items) != 3:
        count = f"a list of {len(center.items)}" if isinstance(center, Sequence) else shown(center)
        reading.find(
            "XRDF303", f"center must be a list of exactly 3 numbers, not {count}", (*where(), "center"), center
        )
        return None
    values = reading.ordinary((*center.items, radius))
    if values is not None:
        return CollisionSphere((values[0], values[1], values[2]), values[3])
    number = reading.number
    x, y, z = center.items
    cx = number(x, lambda: (*where(), "center", 0), "XRDF303")
    cy = number(y, lambda: (*where(), "center", 1), "XRDF303")
    cz = number(z, lambda: (*where(), "center", 2), "XRDF303")
    r = number(radius, lambda: (*where(), "radius"), "XRDF303")
    if cx is None or cy is None or cz is None or r is None:
        return None
    return CollisionSphere((cx, cy, cz), r)


# -- collision sections


def read_collision(reading: Reading, node: Node, path: YamlPath) -> CollisionSection | None:
    entries = reading.entries(node, path, "XRDF005", "a mapping with the key 'geometry'")
    if entries is None:
        return None
    reading.unknown_keys(entries, ("geometry", "buffer_distance"), path)
    return CollisionSection(_geometry_name(reading, entries, path), _buffers(reading, entries, path))


def read_self_collision(reading: Reading, node: Node, path: YamlPath) -> SelfCollisionSection | None:
    entries = reading.entries(node, path, "XRDF005", "a mapping with the key 'geometry'")
    if entries is None:
        return None
    reading.unknown_keys(entries, ("geometry", "buffer_distance", "ignore"), path)
    ignore = None
    if "ignore" in entries:
        ignore = _read_ignore(reading, entries["ignore"][1], (*path, "ignore"))
    return SelfCollisionSection(_geometry_name(reading, entries, path), _buffers(reading, entries, path), ignore)


def _geometry_name(reading: Reading, entries: dict[str, tuple[Node, Node]], path: YamlPath) -> str | None:
    if "geometry" not in entries or is_null(resolved(entries["geometry"][1])):
        return None
    return reading.name(entries["geometry"][1], lambda: (*path, "geometry"))


def _buffers(
    reading: Reading, entries: dict[str, tuple[Node, Node]], path: YamlPath
) -> FrozenDict[str, float] | float | None:
    if "buffer_distance" not in entries:
        return None
    inner = (*path, "buffer_distance")
    node = resolved(entries["buffer_distance"][1])
    if isinstance(node, Scalar) and not is_null(node):
        return reading.number(node, lambda: inner, "XRDF406")
    return read_numbers(
        reading, node, inner, "XRDF406" if not isinstance(node, Mapping) else "XRDF402", "a mapping of frame -> number"
    )


def _read_ignore(reading: Reading, node: Node, path: YamlPath) -> FrozenDict[str, tuple[str, ...]] | None:
    target = resolved(node)
    if isinstance(target, Sequence) and not target.items:
        reading.find(
            "XRDF503", "ignore is an empty list; an empty mapping {} belongs here", path, target, Severity.WARNING
        )
        return FrozenDict()
    entries = reading.entries(node, path, "XRDF503", "a mapping of frame -> list of frames")
    if entries is None:
        return None
    by_frame: dict[str, tuple[str, ...]] = {}
    for frame, (key_node, value) in entries.items():
        inner = (*path, frame)
        if reading.name(key_node, at(*inner)) is None:
            continue
        names = reading.list_of(value, inner, reading.name, "XRDF503", "a list of frames")
        if names is not None:
            by_frame[frame] = names
    return FrozenDict(by_frame)


# -- c-space and tool frames


def read_cspace(reading: Reading, node: Node, path: YamlPath) -> CSpace | None:
    entries = reading.entries(node, path, "XRDF005", "a mapping with joint_names and limits")
    if entries is None:
        return None
    reading.unknown_keys(entries, ("joint_names", "acceleration_limits", "jerk_limits"), path)

    def numbers(key: str) -> tuple[float, ...] | None:
        if key not in entries:
            return None
        return reading.list_of(entries[key][1], (*path, key), reading.number, "XRDF005", "a list of numbers")

    names = None
    if "joint_names" in entries:
        names = reading.list_of(
            entries["joint_names"][1], (*path, "joint_names"), reading.name, "XRDF005", "a list of joint names"
        )
    return CSpace(names, numbers("acceleration_limits"), numbers("jerk_limits"))


def read_tool_frames(reading: Reading, node: Node, path: YamlPath) -> tuple[str, ...] | None:
    return reading.list_of(
        node, path, lambda item, where: reading.name(item, where, "XRDF804"), "XRDF804", "a list of frame names"
    )


# -- modifiers


def read_modifiers(reading: Reading, node: Node, path: YamlPath) -> tuple[Modifier, ...] | None:
    return reading.list_of(
        node, path, lambda item, where: _read_modifier(reading, item, where()), "XRDF201", "a list of modifiers"
    )


def _read_modifier(reading: Reading, node: Node, path: YamlPath) -> Modifier | None:
    target = resolved(node)
    if not isinstance(target, Mapping) or len(target.entries) != 1:
        keys = f"a mapping with {len(target.entries)} keys" if isinstance(target, Mapping) else shown(target)
        reading.find("XRDF201", f"{keys} stands where a mapping with one key (a modifier) belongs", path, node)
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
    reading.find("XRDF202", f"{kind!r} is no modifier; known are {', '.join(MODIFIER_KEYS)}", inner, key_node)
    return None


def _read_add_frame(reading: Reading, node: Node, path: YamlPath) -> AddFrame | None:
    entries = reading.entries(node, path, "XRDF203", "the description of a frame")
    if entries is None:
        return None
    reading.unknown_keys(entries, ADD_FRAME_KEYS, path)
    required = ("frame_name", "parent_frame_name", "joint_name", "fixed_transform")
    missing = [key for key in required if key not in entries]
    if missing:
        reading.find("XRDF203", f"add_frame lacks {', '.join(missing)}", path, node)
        return None
    frame, parent, joint = (reading.name(entries[key][1], at(*path, key), "XRDF203") for key in required[:3])
    transform = _read_transform(reading, entries["fixed_transform"][1], (*path, "fixed_transform"))
    joint_type = None
    if "joint_type" in entries and not is_null(resolved(entries["joint_type"][1])):
        joint_type = reading.name(entries["joint_type"][1], lambda: (*path, "joint_type"))
    if frame is None or parent is None or joint is None or transform is None:
        return None
    return AddFrame(frame, parent, joint, transform, joint_type)


def _read_transform(reading: Reading, node: Node, path: YamlPath) -> FixedTransform | None:
    entries = reading.entries(node, path, "XRDF209", "a transform with position and orientation")
    if entries is None:
        return None
    reading.unknown_keys(entries, ("position", "orientation"), path)
    missing = [key for key in ("position", "orientation") if key not in entries]
    if missing:
        reading.find("XRDF209", f"fixed_transform lacks {' and '.join(missing)}", path, node)
        return None
    orientation = (*path, "orientation")
    turned = reading.entries(entries["orientation"][1], orientation, "XRDF209", "w (1 number) and xyz (3 numbers)")
    if turned is None:
        return None
    reading.unknown_keys(turned, ("w", "xyz"), orientation)
    lacking = [key for key in ("w", "xyz") if key not in turned]
    if lacking:
        reading.find("XRDF209", f"orientation lacks {' and '.join(lacking)}", orientation, entries["orientation"][1])
        return None
    position = _read_vector(reading, entries["position"][1], (*path, "position"), "XRDF209")
    w = reading.number(turned["w"][1], lambda: (*orientation, "w"), "XRDF209")
    xyz = _read_vector(reading, turned["xyz"][1], (*orientation, "xyz"), "XRDF209")
    if position is None or w is None or xyz is None:
        return None
    return FixedTransform(position, (w, *xyz))


def _read_vector(reading: Reading, node: Node, path: YamlPath, code: str) -> Vector3 | None:
    target = resolved(node)
    if not isinstance(target, Sequence) or len(target.items) != 3:
        count = f"a list of {len(target.items)}" if isinstance(target, Sequence) else shown(target)
        reading.find(code, f"{path[-1]} must be a list of exactly 3 numbers, not {count}", path, node)
        return None
    x, y, z = (reading.number(item, at(*path, i), code) for i, item in enumerate(target.items))
    return None if x is None or y is None or z is None else (x, y, z)


def _read_remove_mimic(reading: Reading, node: Node, path: YamlPath) -> RemoveMimicAttributes | None:
    entries = reading.entries(node, path, "XRDF215", "the description of a freed joint")
    if entries is None:
        return None
    reading.unknown_keys(entries, MIMIC_KEYS, path)
    missing = [key for key in ("joint_name", "position_limits") if key not in entries]
    if missing:
        reading.find("XRDF215", f"remove_mimic_attributes lacks {' and '.join(missing)}", path, node)
        return None
    name = reading.name(entries["joint_name"][1], lambda: (*path, "joint_name"))
    limits = reading.vector(entries["position_limits"][1], 2)
    if limits is None:
        reading.find(
            "XRDF215",
            "position_limits must be a list of 2 numbers, lower and upper",
            (*path, "position_limits"),
            entries["position_limits"][1],
        )
    key = "velocity_limits" if "velocity_limits" in entries and "velocity_limit" not in entries else "velocity_limit"
    velocity = None
    if key in entries and not is_null(resolved(entries[key][1])):
        velocity = reading.number(entries[key][1], lambda: (*path, key), "XRDF215")
        if velocity is None:
            return None
    if name is None or limits is None:
        return None
    return RemoveMimicAttributes(name, (limits[0], limits[1]), velocity, key)
