"""glTF files of random make, and the triangles that they hold by the words of the specification."""

from __future__ import annotations

import base64
import json
import random
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Component type -> struct's letter, and what an integer is divided by when it is normalised (None:
#: a float).
COMPONENTS = {
    5120: ("b", 127),
    5121: ("B", 255),
    5122: ("h", 32767),
    5123: ("H", 65535),
    5126: ("f", None),
}
_INDICES = {5121: "B", 5123: "H", 5125: "I"}
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
Triangles = list[list[list[float]]]


@dataclass
class GltfFile:
    """`document` and `buffer` are written as .gltf or .glb; `triangles` are the ones to be read,
    metres."""

    document: dict[str, Any]
    buffer: bytearray = field(default_factory=bytearray)
    triangles: Triangles = field(default_factory=list)
    #: Sparse, normalised, … as far as they are in it: what other readers do not know.
    traits: set[str] = field(default_factory=set)
    plain: bool = False

    def gltf(self, uri: str = "") -> bytes:
        """The document with its buffer in it, or in the file of that name."""
        encoded = base64.b64encode(self.buffer).decode()
        uri = uri or f"data:application/octet-stream;base64,{encoded}"
        return json.dumps(
            {**self.document, "buffers": [{"uri": uri, "byteLength": len(self.buffer)}]}
        ).encode()

    def glb(self) -> bytes:
        document = json.dumps(
            {**self.document, "buffers": [{"byteLength": len(self.buffer)}]}
        ).encode()
        document += b" " * (-len(document) % 4)
        binary = bytes(self.buffer) + bytes(-len(self.buffer) % 4)
        total = 12 + 8 + len(document) + 8 + len(binary)
        head = struct.pack("<4sII", b"glTF", 2, total) + struct.pack("<I4s", len(document), b"JSON")
        return head + document + struct.pack("<I4s", len(binary), b"BIN\0") + binary

    # -- parts of the document

    def view(self, data: bytes, **keys: int) -> int:
        self.buffer += bytes(-len(self.buffer) % 8)
        views = self.document.setdefault("bufferViews", [])
        views.append({"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data), **keys})
        self.buffer += data
        return len(views) - 1

    def accessor(
        self,
        rows: list[list[float]],
        component: int,
        *,
        normalized: bool = False,
        stride: int = 0,
        offset: int = 0,
    ) -> int:
        """An accessor of rows; `stride` more bytes than it needs stand between two."""
        letter = COMPONENTS[component][0] if component in COMPONENTS else _INDICES[component]
        packed = [struct.pack(f"<{len(row)}{letter}", *row) for row in rows]
        gap = -len(packed[0]) % 4 + stride if stride or len(packed[0]) % 4 else 0
        data = b"\x7f" * offset + (b"\x55" * gap).join(packed)
        keys = {"byteStride": len(packed[0]) + gap} if gap else {}
        accessors = self.document.setdefault("accessors", [])
        accessors.append(
            {
                "bufferView": self.view(data, **keys),
                "byteOffset": offset,
                "componentType": component,
                "count": len(rows),
                "type": _KINDS[len(rows[0])],
                **({"normalized": True} if normalized else {}),
            }
        )
        return len(accessors) - 1


def decoded(row: list[float], component: int, normalized: bool) -> list[float]:
    """The numbers of a row: of normalised integers c, max(c / most, -1)."""
    most = COMPONENTS[component][1]
    return (
        [max(value / most, -1.0) for value in row]
        if normalized and most
        else [float(value) for value in row]
    )


def random_gltf(seed: int, *, plain: bool = False) -> GltfFile:
    """Nodes with transforms, instances, meshes of all modes, of numbers of all types.

    `plain`: with whole triangles and strips of floats alone.
    """
    rng = random.Random(seed)
    file = GltfFile({"asset": {"version": "2.0"}, "meshes": [], "nodes": []}, plain=plain)
    meshes = [_mesh(file, rng) for _ in range(rng.randint(1, 3))]
    roots = [_node(file, rng, meshes, np.eye(4), 0) for _ in range(rng.randint(1, 3))]
    file.document["scenes"] = [{"nodes": []}, {"nodes": roots}]
    file.document["scene"] = 1
    return file


def _node(
    file: GltfFile, rng: random.Random, meshes: list[Triangles], above: Any, depth: int
) -> int:
    node: dict[str, Any] = {}
    matrix = np.eye(4)
    if rng.random() < 0.7:
        place, turn, scale = _place(rng)
        matrix = _matrix(place, turn, scale)
        if rng.random() < 0.4:
            node["matrix"] = matrix.T.ravel().tolist()
        else:
            node |= {"translation": place, "rotation": turn, "scale": scale}
    world = above @ matrix
    number = len(file.document["nodes"])
    file.document["nodes"].append(node)
    if rng.random() < 0.8:
        node["mesh"] = rng.randrange(len(meshes))
        places = [np.eye(4)]
        if rng.random() < 0.25 and not file.plain:
            places = _instances(file, rng, node)
        for instance in places:
            file.triangles += _carried(meshes[node["mesh"]], world @ instance)
    if depth < 3 and rng.random() < 0.4:
        node["children"] = [_node(file, rng, meshes, world, depth + 1)]
    return number


def _place(rng: random.Random) -> tuple[list[float], list[float], list[float]]:
    turn = np.array([rng.gauss(0, 1) for _ in range(4)])
    scale = [rng.choice([-1, 1]) * rng.uniform(0.2, 2) for _ in range(3)]
    return [rng.uniform(-1, 1) for _ in range(3)], (turn / np.linalg.norm(turn)).tolist(), scale


def _matrix(place: list[float], turn: list[float], scale: list[float]) -> Any:
    """T R S, the rotation by the formula of the specification's appendix."""
    x, y, z, w = np.array(turn) / np.linalg.norm(turn)
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation @ np.diag(scale), place
    return matrix


def _instances(file: GltfFile, rng: random.Random, node: dict[str, Any]) -> list[Any]:
    file.traits.add("instances")
    count = rng.randint(1, 3)
    places = [_place(rng) for _ in range(count)]
    floats = [[[float(np.float32(value)) for value in column] for column in row] for row in places]
    attributes = {"_ID": file.accessor([[float(i)] for i in range(count)], 5126)}
    given = [([0.0] * 3, [0.0, 0.0, 0.0, 1.0], [1.0] * 3) for _ in range(count)]
    for column, name in enumerate(("TRANSLATION", "ROTATION", "SCALE")):
        if rng.random() < 0.3:
            continue
        values, component, normalized = [row[column] for row in floats], 5126, False
        if name == "ROTATION" and rng.random() < 0.6:
            component, normalized = rng.choice([(5120, True), (5122, True)])
            most = COMPONENTS[component][1]
            values = [[round(v * (most or 1)) for v in row] for row in values]
        attributes[name] = file.accessor(values, component, normalized=normalized)
        for row, value in zip(given, values, strict=True):
            row[column][:] = decoded(value, component, normalized)
    node["extensions"] = {"EXT_mesh_gpu_instancing": {"attributes": attributes}}
    return [_matrix(*row) for row in given]


def _mesh(file: GltfFile, rng: random.Random) -> Triangles:
    triangles: Triangles = []
    primitives = []
    for _ in range(rng.randint(1, 3)):
        primitive, more = _primitive(file, rng)
        primitives.append(primitive)
        triangles += more
    file.document["meshes"].append({"primitives": primitives})
    return triangles


def _primitive(file: GltfFile, rng: random.Random) -> tuple[dict[str, Any], Triangles]:
    count = 3 * rng.randint(1, 4) if file.plain else rng.randint(3, 12)
    component = 5126 if file.plain else rng.choice(list(COMPONENTS))
    letter, most = COMPONENTS[component]
    normalized = most is not None and rng.random() < 0.7
    if most is None:
        rows = [[float(np.float32(rng.uniform(-1, 1))) for _ in range(3)] for _ in range(count)]
    else:
        low = -most - 1 if letter in "bh" else 0
        rows = [[rng.randint(low, most) for _ in range(3)] for _ in range(count)]
        file.traits.add("normalized" if normalized else "integers")
    stride, offset = 4 * rng.randint(0, 2), 4 * rng.randint(0, 1)
    position = file.accessor(rows, component, normalized=normalized, stride=stride, offset=offset)
    if rng.random() < 0.25 and not file.plain:
        rows = _sparse(file, rng, position, rows, letter)
    points = [decoded(row, component, normalized) for row in rows]
    mode = rng.choice([None, 4, 4, 5] if file.plain else [None, 4, 4, 5, 6, 6, 0, 1, 3])
    primitive: dict[str, Any] = {"attributes": {"POSITION": position}}
    corners = list(range(count))
    if rng.random() < 0.7:
        length = 3 * rng.randint(1, 5) if file.plain else rng.randint(3, 14)
        corners = [rng.randrange(count) for _ in range(length)]
        primitive["indices"] = file.accessor(
            [[corner] for corner in corners], rng.choice(list(_INDICES))
        )
        if len(file.buffer) and file.document["accessors"][-1]["componentType"] != 5125:
            file.traits.add("strided indices")
    if mode in (None, 4) and len(corners) % 3:
        file.traits.add("incomplete")
    if mode is not None:
        primitive["mode"] = mode
        file.traits |= {"fan"} if mode == 6 else {"without surface"} if mode < 4 else set()
    return primitive, [[points[i] for i in triangle] for triangle in _triangles(corners, mode)]


def _sparse(
    file: GltfFile, rng: random.Random, number: int, rows: list[list[float]], letter: str
) -> list[list[float]]:
    """Some rows are changed by a sparse accessor; it may have no others."""
    file.traits.add("sparse")
    accessor = file.document["accessors"][number]
    places = sorted(rng.sample(range(len(rows)), rng.randint(1, len(rows))))
    values = [list(reversed(rows[place])) for place in places]
    kind = rng.choice(list(_INDICES))
    accessor["sparse"] = {
        "count": len(places),
        "indices": {
            "bufferView": file.view(struct.pack(f"<{len(places)}{_INDICES[kind]}", *places)),
            "componentType": kind,
        },
        "values": {
            "bufferView": file.view(b"".join(struct.pack(f"<3{letter}", *row) for row in values))
        },
    }
    changed = dict(zip(places, values, strict=True))
    if rng.random() < 0.4:
        del accessor["bufferView"], accessor["byteOffset"]
        return [changed.get(place, [0, 0, 0]) for place in range(len(rows))]
    return [changed.get(place, row) for place, row in enumerate(rows)]


def _triangles(corners: list[int], mode: int | None) -> list[list[int]]:
    """By the table of topology types."""
    count = len(corners)
    if mode in (None, 4):
        return [corners[3 * i : 3 * i + 3] for i in range(count // 3)]
    if mode == 5:
        return [
            [corners[i], corners[i + 1 + i % 2], corners[i + 2 - i % 2]] for i in range(count - 2)
        ]
    return (
        [[corners[i + 1], corners[i + 2], corners[0]] for i in range(count - 2)]
        if mode == 6
        else []
    )


def _carried(triangles: Triangles, matrix: Any) -> Triangles:
    """Mirrored triangles are turned round."""
    mirrored = np.linalg.det(matrix[:3, :3]) < 0
    moved = [
        [(matrix[:3, :3] @ point + matrix[:3, 3]).tolist() for point in triangle]
        for triangle in triangles
    ]
    return [triangle[::-1] for triangle in moved] if mirrored else moved


def in_order(triangles: Any) -> Any:
    """(n, 3, 3): each is turned so that its least corners come first, and they are sorted: equal
    sets, equal arrays."""
    array = np.asarray(triangles, dtype=float).reshape(-1, 3, 3) + 0.0
    turns = [[triangle[[k % 3, (k + 1) % 3, (k + 2) % 3]] for k in range(3)] for triangle in array]
    least = [min(three, key=lambda t: tuple(np.round(t, 5).ravel())) for three in turns]
    return np.array(sorted(least, key=lambda t: tuple(np.round(t, 5).ravel()))).reshape(-1, 3, 3)
