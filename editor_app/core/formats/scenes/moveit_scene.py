"""MoveIt's `.scene` text, as `PlanningScene::loadGeometryFromStream` reads it; written in its newer
form.

Per object: `* name`, then (newer form) its pose, the number of shapes, each with kind, sizes, pose
and colour, and (newer form) the number of subframes. A pose is x y z, then the quaternion x y z w.
The file ends with a point alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from editor_app.core.formats.scenes.values import unit
from editor_app.core.model.findings import Location
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.origin import Vector3
from editor_app.core.model.scene import (
    BoxShape,
    CylinderShape,
    MeshShape,
    Obstacle,
    Quaternion,
    Scene,
    Shape,
    SphereShape,
)
from editor_app.core.text.source import FormatError, SourceText

Pose = tuple[Vector3, Quaternion]
#: More vertices than that in a text file are a mistake, or meant to hurt.
MOST = 2_000_000
_GREY = "0.6 0.6 0.6 1"


def read_moveit_scene(source: SourceText) -> Scene:
    """An object of several shapes becomes several obstacles. Raises FormatError with the line."""
    return Scene(tuple(_Reader(source).objects()))


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._lines = source.text.splitlines()
        self._line = 0
        self._words: list[str] = []

    def objects(self) -> Iterator[Obstacle]:
        self._line = 1
        newer = self._is_newer()
        while self._line < len(self._lines):
            line = self._lines[self._line].strip()
            self._line += 1
            if line == ".":
                return
            if not line:
                continue
            if not line.startswith("*"):
                raise self._fault(
                    f"{line[:40]!r} appears where `* NAME` of an object or the final point is "
                    "expected"
                )
            yield from self._object(line[1:].strip(), newer)

    def _is_newer(self) -> bool:
        for k, line in enumerate(self._lines[1:], 1):
            if line.startswith("*"):
                return k + 1 < len(self._lines) and " " in self._lines[k + 1].strip()
        return True

    def _object(self, name: str, newer: bool) -> Iterator[Obstacle]:
        place = self._pose() if newer else ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        count = self._count()
        for k in range(count):
            shape = self._shape(name)
            position, orientation = _after(place, self._pose())
            for _ in range(4):
                self._number()
            yield Obstacle(name if k == 0 else f"{name}_{k + 1}", shape, position, orientation)
        if newer:
            for _ in range(self._count()):
                self._word()
                self._pose()

    def _shape(self, name: str) -> Shape:
        kind = self._word()
        match kind:
            case "box":
                return BoxShape((self._size(), self._size(), self._size()))
            case "sphere":
                return SphereShape(self._size())
            case "cylinder":
                return CylinderShape(self._size(), self._size())
            case "mesh":
                vertices, triangles = self._count(), self._count()
                points = tuple(
                    (self._number(), self._number(), self._number()) for _ in range(vertices)
                )
                faces = tuple(
                    (self._count(), self._count(), self._count()) for _ in range(triangles)
                )
                if any(k >= vertices for face in faces for k in face):
                    raise self._fault(f"a triangle of {name!r} names a vertex that does not exist")
                return MeshShape(None, (1.0, 1.0, 1.0), points, faces)
        raise self._fault(
            f"{name!r} has the shape {kind!r}; box, sphere, cylinder and mesh can be read"
        )

    def _pose(self) -> Pose:
        position = self._number(), self._number(), self._number()
        x, y, z, w = (self._number() for _ in range(4))
        if not any((x, y, z, w)):
            raise self._fault("the quaternion is 0")
        return position, unit((w, x, y, z))

    def _word(self) -> str:
        while not self._words:
            if self._line >= len(self._lines):
                raise self._fault("the file ends within an object")
            self._words = self._lines[self._line].split()
            self._line += 1
        return self._words.pop(0)

    def _number(self) -> float:
        word = self._word()
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self._fault(f"{word[:40]!r} is not a number")
        return value

    def _size(self) -> float:
        value = self._number()
        if value <= 0.0:
            raise self._fault("a size is 0 or less")
        return value

    def _count(self) -> int:
        value = self._number()
        if value != int(value) or not 0 <= value <= MOST:
            raise self._fault(f"{value:g} is not a count")
        return int(value)

    def _fault(self, message: str) -> FormatError:
        return FormatError(
            message[0].upper() + message[1:], Location(self._source.name, max(1, self._line))
        )


def _after(outer: Pose, inner: Pose) -> Pose:
    (px, py, pz), (w, x, y, z) = outer
    v = np.array([x, y, z])
    p = np.array(inner[0])
    moved = p + 2.0 * np.cross(v, np.cross(v, p) + w * p) + (px, py, pz)
    b, c, d, e = inner[1]
    turned = (
        w * b - x * c - y * d - z * e,
        w * c + x * b + y * e - z * d,
        w * d - x * e + y * b + z * c,
        w * e + x * d - y * c + z * b,
    )
    return (float(moved[0]), float(moved[1]), float(moved[2])), unit(turned)


def moveit_scene_text(scene: Scene) -> tuple[str, tuple[str, ...]]:
    """Meshes from files are left out: MoveIt's text holds triangles."""
    notes = []
    lines = ["(noname)+"]
    # A name is the rest of its line, without blanks at its ends.
    taken = {
        obstacle.name
        for obstacle in scene.obstacles
        if " ".join(obstacle.name.split()) == obstacle.name != ""
    }
    for obstacle in scene.obstacles:
        shape = _shape_lines(obstacle.shape)
        if shape is None:
            notes.append(
                f"{obstacle.name}: left out, because MoveIt's text holds triangles, and this mesh "
                "is a file."
            )
            continue
        w, x, y, z = obstacle.orientation_wxyz
        name = obstacle.name
        if name not in taken:
            name = find_free_name(" ".join(name.split()) or "obstacle", taken)
            taken.add(name)
            notes.append(
                f"{obstacle.name!r} is named {name!r} in MoveIt's text, where a name must be on "
                "one line."
            )
        lines += [f"* {name}", _words(obstacle.position), _words((x, y, z, w)), "1", *shape]
        lines += ["0 0 0", "0 0 0 1", _GREY, "0"]
        if obstacle.is_touched:
            notes.append(
                f"{obstacle.name}: MoveIt stores the links that may touch it in its matrix, not in "
                "this file."
            )
    return "\n".join([*lines, "."]) + "\n", tuple(notes)


def _shape_lines(shape: Shape) -> list[str] | None:
    match shape:
        case BoxShape(edges):
            return ["box", _words(edges)]
        case SphereShape(radius):
            return ["sphere", _words((radius,))]
        case CylinderShape(radius, length):
            return ["cylinder", _words((radius, length))]
        case MeshShape(None, scale, vertices, triangles):
            points = [
                _words(tuple(p * s for p, s in zip(point, scale, strict=True)))
                for point in vertices
            ]
            faces = [" ".join(map(str, face)) for face in triangles]
            return ["mesh", f"{len(points)} {len(faces)}", *points, *faces]
    return None


def _words(numbers: tuple[float, ...]) -> str:
    return " ".join(repr(float(value)) for value in numbers)
