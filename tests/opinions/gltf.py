"""What trimesh and pygltflib find in glTF files of random make, against this program's reader.

    nice python -P -m tests.opinions gltf --count 2000 --seed 1

trimesh decodes files by itself: it is asked about those that have nothing that it does not know
(normalised integers, fans). pygltflib gives the tables of a file; what is done with them here goes
number by number, by `struct`.
"""

from __future__ import annotations

import argparse
import io
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from editor_app.core.space.geometry.gltf import read_gltf
from tests.helpers.gltf_files import GltfFile, in_order, random_gltf

#: What trimesh reads otherwise, or not at all: it does not divide integers, and skips fans and
#: instances.
_UNKNOWN_TO_TRIMESH = {"normalized", "fan", "instances", "sparse", "incomplete"}
_LETTERS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
_MOST = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}
_COLUMNS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=1000, help="files (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first file")


def run(options: argparse.Namespace) -> int:
    asked = {"trimesh": 0, "pygltflib": 0}
    wrong = 0
    for seed in range(options.seed, options.seed + options.count):
        file = random_gltf(seed, plain=seed % 2 == 0)
        ours = _ours(file)
        opinions = {"pygltflib": _by_pygltflib(file)}
        if not file.traits & _UNKNOWN_TO_TRIMESH:
            opinions["trimesh"] = _by_trimesh(file)
        for name, theirs in opinions.items():
            asked[name] += 1
            if theirs.shape != ours.shape or not np.allclose(theirs, ours, atol=1e-5):
                wrong += 1
                print(
                    f"seed {seed}: {name} has {len(theirs)} triangles, we {len(ours)}; "
                    f"{sorted(file.traits)}"
                )
    print(f"{options.count} files, asked {asked}: {wrong} differ")
    return 1 if wrong else 0


def _ours(file: GltfFile) -> Any:
    mesh = read_gltf(file.glb(), lambda name: None)
    return in_order([triangle for part in mesh.parts for triangle in part.vertices[part.faces]])


def _by_trimesh(file: GltfFile) -> Any:
    scene = trimesh.load_scene(io.BytesIO(file.glb()), file_type="glb", process=False)
    triangles: list[Any] = []
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not isinstance(mesh, trimesh.Trimesh):
            continue
        points = mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        faces = mesh.faces[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else mesh.faces
        triangles += list(points[faces])
    return in_order(triangles)


def _by_pygltflib(file: GltfFile) -> Any:
    import pygltflib

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.glb"
        path.write_bytes(file.glb())
        document = pygltflib.GLTF2().load(str(path))
    reading = _Numbers(document)
    triangles: list[Any] = []
    for root in document.scenes[document.scene].nodes:
        reading.walk(root, np.eye(4), triangles)
    return in_order(triangles)


class _Numbers:
    def __init__(self, document: Any) -> None:
        self.document = document
        self.data = document.binary_blob()

    def walk(self, number: int, above: Any, triangles: list[Any]) -> None:
        node = self.document.nodes[number]
        world = above @ (
            np.array(node.matrix).reshape(4, 4).T
            if node.matrix is not None
            else _composed(
                node.translation or [0, 0, 0],
                node.rotation or [0, 0, 0, 1],
                node.scale or [1, 1, 1],
            )
        )
        places = [np.eye(4)]
        if "EXT_mesh_gpu_instancing" in (node.extensions or {}):
            tables = {
                name: self.rows(accessor)
                for name, accessor in node.extensions["EXT_mesh_gpu_instancing"][
                    "attributes"
                ].items()
            }
            usual = {"TRANSLATION": [0, 0, 0], "ROTATION": [0, 0, 0, 1], "SCALE": [1, 1, 1]}
            places = [
                _composed(
                    *(
                        tables[name][row] if name in tables else default
                        for name, default in usual.items()
                    )
                )
                for row in range(len(tables["_ID"]))
            ]
        if node.mesh is not None:
            for primitive in self.document.meshes[node.mesh].primitives:
                for triangle in self.of_primitive(primitive):
                    for place in places:
                        matrix = world @ place
                        moved = [(matrix @ [*point, 1.0])[:3] for point in triangle]
                        triangles.append(
                            moved[::-1] if np.linalg.det(matrix[:3, :3]) < 0 else moved
                        )
        for child in node.children or ():
            self.walk(child, world, triangles)

    def of_primitive(self, primitive: Any) -> list[Any]:
        points = self.rows(primitive.attributes.POSITION)
        corners = list(range(len(points)))
        if primitive.indices is not None:
            corners = [int(row[0]) for row in self.rows(primitive.indices)]
        mode = 4 if primitive.mode is None else primitive.mode
        numbers = {
            4: [corners[i : i + 3] for i in range(0, len(corners) - 2, 3)],
            5: [
                [corners[i + k] for k in ((0, 2, 1) if i % 2 else (0, 1, 2))]
                for i in range(len(corners) - 2)
            ],
            6: [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)],
        }
        return [[points[number] for number in triangle] for triangle in numbers.get(mode, [])]

    def rows(self, number: int) -> list[list[float]]:
        accessor = self.document.accessors[number]
        columns, letter = _COLUMNS[accessor.type], _LETTERS[accessor.componentType]
        rows = [[0.0] * columns for _ in range(accessor.count)]
        if accessor.bufferView is not None:
            rows = self.unpacked(
                accessor.bufferView, accessor.byteOffset or 0, letter, columns, accessor.count
            )
        if accessor.sparse is not None:
            places, values = accessor.sparse.indices, accessor.sparse.values
            kind, count = _LETTERS[places.componentType], accessor.sparse.count
            changed = self.unpacked(
                values.bufferView, values.byteOffset or 0, letter, columns, count
            )
            for place, row in zip(
                self.unpacked(places.bufferView, places.byteOffset or 0, kind, 1, count),
                changed,
                strict=True,
            ):
                rows[int(place[0])] = row
        if accessor.normalized:
            rows = [
                [max(value / _MOST[accessor.componentType], -1.0) for value in row] for row in rows
            ]
        return rows

    def unpacked(
        self, view: int, offset: int, letter: str, columns: int, count: int
    ) -> list[list[float]]:
        table = self.document.bufferViews[view]
        stride = table.byteStride or columns * struct.calcsize(letter)
        start = (table.byteOffset or 0) + offset
        return [
            list(struct.unpack_from(f"<{columns}{letter}", self.data, start + row * stride))
            for row in range(count)
        ]


def _composed(place: Any, turn: Any, scale: Any) -> Any:
    x, y, z, w = turn
    matrix = trimesh.transformations.quaternion_matrix([w, x, y, z]) @ np.diag([*scale, 1.0])
    matrix[:3, 3] = place
    return matrix
