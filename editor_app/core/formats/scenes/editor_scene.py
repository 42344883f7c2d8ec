"""The editor's own scene: YAML with `format: xrdf-editor-scene`, everything that an obstacle
has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor_app.core.formats.scenes.values import positive, quaternion, read_scene_vector, size
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.scene import (
    TOUCH_DISTANCE,
    BoxShape,
    CylinderShape,
    MeshShape,
    Obstacle,
    Scene,
    Shape,
    SphereShape,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import read_text_list
from editor_app.core.text.yaml.scalars import format_number, format_string

FORMAT = "xrdf-editor-scene"
_KINDS = ("box", "sphere", "cylinder", "mesh")
#: Lists of links: on the whole way, near the start of a motion, near its end.
TOUCH_KEYS = ("may_touch", "may_touch_at_start", "may_touch_at_end")


def read_editor_scene(value: dict[str, Any], source: SourceText) -> Scene:
    entries = value.get("obstacles")
    if not isinstance(entries, list):
        raise FormatError("`obstacles` is not a list", source.location(0))
    return Scene(tuple(_obstacle(entry, k, source) for k, entry in enumerate(entries)))


def _obstacle(entry: Any, index: int, source: SourceText) -> Obstacle:
    kinds = [
        kind for kind in _KINDS if isinstance(entry, dict) and isinstance(entry.get(kind), dict)
    ]
    if len(kinds) != 1 or not isinstance(entry.get("name"), str):
        raise FormatError(
            f"Obstacle {index + 1} needs a `name` and one of {', '.join(_KINDS)} with its sizes",
            source.location(0),
        )
    name = entry["name"]
    return Obstacle(
        name,
        read_shape(kinds[0], entry[kinds[0]], name, source),
        read_scene_vector(entry.get("position", [0, 0, 0]), f"position of {name!r}", source),
        quaternion(
            entry.get("orientation_wxyz", [1, 0, 0, 0]), f"orientation_wxyz of {name!r}", source
        ),
        *_links(entry, name, source),
        positive(
            entry.get("touch_distance", TOUCH_DISTANCE), f"touch_distance of {name!r}", source
        ),
    )


def _links(
    entry: dict[str, Any], name: str, source: SourceText
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    lists = []
    for key in TOUCH_KEYS:
        value = entry.get(key, [])
        links = read_text_list(value)
        if links is None or len(links) != len(value):
            raise FormatError(
                f"{key} of {name!r} needs a list of links, not {str(value)[:60]}",
                source.location(0),
            )
        lists.append(links)
    whole, start, end = lists
    return whole, start, end


def read_shape(
    kind: str,
    entry: dict[str, Any],
    name: str,
    source: SourceText,
    words: Mapping[str, str] = FrozenDict(),
) -> Shape:
    """The shape of an obstacle. `words`: what another format calls a size. Raises FormatError."""

    def told(key: str) -> tuple[object, str, SourceText]:
        word = words.get(key, key)
        return entry.get(word), f"{word} in the {kind} of {name!r}", source

    if kind == "box":
        return BoxShape(size(*told("size")))
    if kind == "sphere":
        return SphereShape(positive(*told("radius")))
    if kind == "cylinder":
        return CylinderShape(positive(*told("radius")), positive(*told("length")))
    value, subject, _ = told("scale")
    scale = read_scene_vector(value or [1, 1, 1], subject, source)
    path = told("path")[0]
    if isinstance(path, str):
        return MeshShape(path, scale)
    return inline_mesh(
        told("vertices")[0], told("triangles")[0], f"mesh of {name!r}", source, scale
    )


def inline_mesh(
    points: object,
    faces: object,
    owner: str,
    source: SourceText,
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> MeshShape:
    """A mesh whose triangles stand in the file. Raises FormatError."""
    if not isinstance(points, list) or not isinstance(faces, list) or not faces:
        raise FormatError(
            f"The {owner} wants `path`, or `vertices` and `triangles`", source.location(0)
        )
    vertices = tuple(
        read_scene_vector(point, f"a vertex in the {owner}", source) for point in points
    )
    triangles = []
    for face in faces:
        corners = tuple(
            int(k) for k in read_scene_vector(face, f"a triangle in the {owner}", source)
        )
        if not all(0 <= k < len(vertices) for k in corners):
            raise FormatError(
                f"A triangle in the {owner} names a vertex that does not exist", source.location(0)
            )
        triangles.append((corners[0], corners[1], corners[2]))
    return MeshShape(None, scale, vertices, tuple(triangles))


def editor_scene_text(scene: Scene) -> str:
    """Numbers as they are; names quoted as JSON does, which YAML reads."""
    lines = [
        f"format: {FORMAT}",
        "version: 1",
        "# Metres; orientation as (w, x, y, z); in the root frame of the robot.",
    ]
    lines.append("obstacles:" if scene.obstacles else "obstacles: []")
    for obstacle in scene.obstacles:
        lines.append(f"  - name: {format_string(obstacle.name)}")
        kind, fields = shape_fields(obstacle.shape)
        lines.append(
            f"    {kind}: {{{', '.join(f'{key}: {text}' for key, text in fields.items())}}}"
        )
        lines.append(f"    position: {flow(obstacle.position)}")
        lines.append(f"    orientation_wxyz: {flow(obstacle.orientation_wxyz)}")
        for key in TOUCH_KEYS:
            if links := getattr(obstacle, key):
                lines.append(f"    {key}: [{', '.join(map(format_string, links))}]")
        if obstacle.may_touch_at_start or obstacle.may_touch_at_end:
            lines.append(f"    touch_distance: {format_number(obstacle.touch_distance)}")
    return "\n".join(lines) + "\n"


def flow(numbers: tuple[float, ...]) -> str:
    """A list in brackets, its numbers as YAML 1.1 and 1.2 read them."""
    return f"[{', '.join(map(format_number, numbers))}]"


def shape_fields(shape: Shape) -> tuple[str, dict[str, str]]:
    """Return the name of a shape, and its sizes as YAML."""
    match shape:
        case BoxShape(edges):
            return "box", {"size": flow(edges)}
        case SphereShape(radius):
            return "sphere", {"radius": format_number(radius)}
        case CylinderShape(radius, length):
            return "cylinder", {"radius": format_number(radius), "length": format_number(length)}
        case MeshShape(None, scale, vertices, triangles):
            points, faces = (
                ", ".join(texts)
                for texts in (map(flow, vertices), (str(list(f)) for f in triangles))
            )
            return "mesh", {
                "scale": flow(scale),
                "vertices": f"[{points}]",
                "triangles": f"[{faces}]",
            }
        case MeshShape(path, scale):
            return "mesh", {"path": format_string(path or ""), "scale": flow(scale)}
