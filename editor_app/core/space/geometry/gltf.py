"""glTF 2.0 and GLB: the triangles of a scene with colours and textures.

Reads all component types, normalised or not (KHR_mesh_quantization), sparse accessors, triangle
lists, strips and fans, and EXT_mesh_gpu_instancing. Refuses compressed files and names the
compression. Notes everything else that it skips: points and lines, morph targets, skins, required
extensions. Keeps the axes of the file, as RViz does. Source:
https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.space.geometry.mesh import (
    MAX_BODIES,
    MAX_BYTES,
    MeshError,
    RawMesh,
    RawPart,
    Rgba,
    Sibling,
    check_count,
    transform_part,
)
from editor_app.core.space.kinematics.transforms import quaternion_matrix, transform

_MAGIC, _JSON, _BINARY = b"glTF", 0x4E4F534A, 0x004E4942
#: Component type -> numpy's type. Integers of 32 bits with a sign and doubles are extensions.
_TYPES = {
    5120: "<i1",
    5121: "<u1",
    5122: "<i2",
    5123: "<u2",
    5124: "<i4",
    5125: "<u4",
    5126: "<f4",
    5130: "<f8",
}
_COLUMNS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
#: Elements of an accessor without a buffer view: all are zero, and they fill the memory.
_MOST_ZEROS = 1_000_000
#: Modes of primitives; points and lines have no surface.
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_WITHOUT_SURFACE = {0: "points", 1: "lines", 2: "line loops", 3: "line strips"}
_DRACO = "KHR_draco_mesh_compression"
_MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
_INSTANCING = "EXT_mesh_gpu_instancing"
#: Attributes of instances; in lower case keys of nodes.
_PLACES = ("TRANSLATION", "ROTATION", "SCALE")
#: Extensions that do not change the shape, or that are handled.
_HARMLESS = (
    _INSTANCING,
    _DRACO,
    *_MESHOPT,
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_texture_basisu",
    "EXT_texture_webp",
)
#: Exceptions that a malformed document causes in a look-up.
_MALFORMED = (
    KeyError,
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
    OverflowError,
    binascii.Error,
)


def read_gltf(data: bytes, sibling: Sibling) -> RawMesh:
    """Read a `.gltf` with its buffers, or a `.glb`; metres. Raises MeshError."""
    try:
        file = _File(*_chunks(data), sibling)
        parts = [*file.read()]
    except MeshError:
        raise
    except RecursionError:
        raise MeshError("it is nested too deep") from None
    except _MALFORMED as error:
        raise MeshError(
            f"it is not a readable glTF file ({type(error).__name__}: {error})"
        ) from None
    return RawMesh(parts, list(file.notes))


def _chunks(data: bytes) -> tuple[dict[str, Any], bytes | None]:
    """Return the JSON document, and the buffer in a GLB."""
    binary = None
    if data[:4] == _MAGIC:
        container = int.from_bytes(data[4:8], "little")
        if container != 2:
            raise MeshError(f"it is glTF {container}; only 2.0 is supported")
        chunks: dict[int, bytes] = {}
        place = 12
        while place + 8 <= len(data):
            size, kind = (int.from_bytes(data[place + i : place + i + 4], "little") for i in (0, 4))
            if place + 8 + size > len(data):
                raise MeshError("the file is cut off")
            chunks.setdefault(kind, data[place + 8 : place + 8 + size])
            place += 8 + size
        if _JSON not in chunks:
            raise MeshError("it has no JSON chunk")
        data, binary = chunks[_JSON], chunks.get(_BINARY)
    document = json.loads(data)
    if not isinstance(document, dict):
        raise MeshError("it is not a glTF document")
    version = str(document.get("asset", {}).get("version", "2.0"))
    if not version.startswith("2."):
        raise MeshError(f"it is glTF {version[:10]}; only 2.0 is supported")
    return document, binary


@dataclass(eq=False)
class _File:
    document: dict[str, Any]
    binary: bytes | None
    sibling: Sibling
    #: Each note once, in the order of the file.
    notes: dict[str, None] = field(default_factory=dict)
    _buffers: dict[int, bytes] = field(default_factory=dict)
    _accessors: dict[int, F64] = field(default_factory=dict)
    _triangles: int = 0
    _bodies: int = 0

    def read(self) -> Iterator[RawPart]:
        """Yield the parts in the frame of the scene."""
        for name in self.document.get("extensionsRequired", ()):
            if name not in _HARMLESS and not str(name).startswith("KHR_materials_"):
                self.notes[f"it requires the extension {name}, which is not supported"] = None
        parts: dict[int, list[RawPart]] = {}
        # All of them first: there may be absurdly many.
        for matrix, node in [*self._placed_nodes()]:
            number = node["mesh"]
            mesh = self._item("meshes", number)
            if "skin" in node:
                self.notes["its skins are not applied: it is read in the rest shape"] = None
            instances = [matrix @ place for place in self._instances(node)]
            if number not in parts:
                made = (self._part(primitive, mesh) for primitive in mesh["primitives"])
                parts[number] = [part for part in made if part is not None and len(part.faces)]
            for part in parts[number]:
                self._triangles += len(part.faces) * len(instances)
                check_count(self._triangles)
                yield from (transform_part(part, place) for place in instances)

    # -- the scene

    def _placed_nodes(self) -> Iterator[tuple[F64, dict[str, Any]]]:
        """Yield the nodes that have a mesh, with their (4, 4) transforms."""
        nodes, meshes = (self.document.get(key, []) for key in ("nodes", "meshes"))
        if meshes and not nodes:
            self.notes["it has no nodes: its meshes are used without transforms"] = None
            yield from ((np.eye(4), {"mesh": number}) for number in range(len(meshes)))
        if self.document.get("scenes"):
            roots = self._item("scenes", self.document.get("scene", 0)).get("nodes", [])
        else:
            children = {child for node in nodes for child in node.get("children", ())}
            roots = [number for number in range(len(nodes)) if number not in children]
            if roots:
                self.notes["it has no scene: all its nodes are read"] = None
        waiting: list[tuple[int, F64, int]] = [(root, np.eye(4), 0) for root in reversed(roots)]
        while waiting:
            number, above, depth = waiting.pop()
            node = self._item("nodes", number)
            self._count_bodies(1)
            if depth > len(nodes):
                raise MeshError("its nodes refer to each other in a loop")
            matrix = above @ _matrix_of(node)
            if "mesh" in node:
                yield matrix, node
            waiting += [(child, matrix, depth + 1) for child in reversed(node.get("children", ()))]

    def _instances(self, node: dict[str, Any]) -> list[F64]:
        attributes = node.get("extensions", {}).get(_INSTANCING, {}).get("attributes")
        if attributes is None:
            return [np.eye(4)]
        columns = {name: self._accessor(number) for name, number in attributes.items()}
        count = min(map(len, columns.values()), default=0)
        self._count_bodies(count)
        tables = {name.lower(): values for name, values in columns.items() if name in _PLACES}
        return [
            _matrix_of({key: values[row].tolist() for key, values in tables.items()})
            for row in range(count)
        ]

    def _count_bodies(self, count: int) -> None:
        self._bodies += count
        if self._bodies > MAX_BODIES:
            raise MeshError(f"its nodes refer to more than {MAX_BODIES:,} bodies, the limit")

    # -- triangles

    def _part(self, primitive: dict[str, Any], mesh: dict[str, Any]) -> RawPart | None:
        """Return the triangles of a primitive; None for points and lines."""
        attributes, mode = primitive.get("attributes", {}), primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            self.notes[
                f"its {_WITHOUT_SURFACE.get(mode, f'primitives of mode {mode}')} are left out"
            ] = None
            return None
        if _DRACO in primitive.get("extensions", {}) and not self._is_stored(
            attributes.get("POSITION", -1)
        ):
            raise MeshError(f"it is compressed with Draco ({_DRACO}), which is not supported")
        if "POSITION" not in attributes:
            self.notes["a primitive in it has no positions"] = None
            return None
        if primitive.get("targets"):
            self.notes["its morph targets are not applied: it is read in the rest shape"] = None
        points = self._accessor(attributes["POSITION"], 3)
        corners = np.arange(len(points))
        if "indices" in primitive:
            corners = self._indices(primitive["indices"])
        if len(corners) and not 0 <= int(corners.min()) <= int(corners.max()) < len(points):
            raise MeshError("a triangle names a vertex that does not exist")
        # Primitives share tables of vertices.
        used, faces = np.unique(_faces(corners, mode), return_inverse=True)
        rgba, image, texcoord = self._look(primitive, attributes, used)
        uv = None
        if image is not None and f"TEXCOORD_{texcoord}" in attributes:
            # In the file v is downwards.
            uv = self._accessor(attributes[f"TEXCOORD_{texcoord}"], 2)[used] * (1.0, -1.0) + (
                0.0,
                1.0,
            )
        name = str(mesh.get("name", ""))
        return RawPart(
            points[used],
            faces.reshape(-1, 3).astype(np.int32),
            rgba,
            uv,
            image=image if uv is not None else None,
            name=name,
        )

    # -- colours and textures

    def _look(
        self, primitive: dict[str, Any], attributes: dict[str, Any], used: Any
    ) -> tuple[Rgba | None, bytes | None, int]:
        """Return colour, texture and the number of its coordinates. The colour is the mean over the
        vertices."""
        if "material" not in primitive and "COLOR_0" not in attributes:
            return None, None, 0
        surface = {}
        if "material" in primitive:
            surface = self._item("materials", primitive["material"]).get("pbrMetallicRoughness", {})
        rgba = np.asarray(
            [*surface.get("baseColorFactor", (1, 1, 1, 1)), 1.0][:4], dtype=np.float64
        )
        if "COLOR_0" in attributes and len(used):
            mean = self._accessor(attributes["COLOR_0"])[used].mean(axis=0)
            rgba = rgba * [*mean, 1.0][:4]
        r, g, b, a = np.clip(np.nan_to_num(rgba), 0.0, 1.0).tolist()
        texture = surface.get("baseColorTexture")
        image = None if texture is None else self._image(self._item("textures", texture["index"]))
        return (r, g, b, a), image, 0 if texture is None else int(texture.get("texCoord", 0))

    def _image(self, texture: dict[str, Any]) -> bytes | None:
        source = (
            texture.get("extensions", {})
            .get("EXT_texture_webp", texture)
            .get("source", texture.get("source"))
        )
        if source is None:
            self.notes["a texture in it has an unsupported type"] = None
            return None
        image = self._item("images", source)
        if "bufferView" in image:
            return self._view(image["bufferView"])[0]
        data = self._uri(str(image.get("uri", "")))
        if data is None:
            self.notes[f"the texture {str(image.get('uri', ''))[:80]!r} does not exist"] = None
        return data

    # -- numbers

    def _is_stored(self, number: Any) -> bool:
        """Return whether an accessor also has uncompressed numbers."""
        return number != -1 and not {"bufferView", "sparse"}.isdisjoint(
            self._item("accessors", number)
        )

    def _accessor(self, number: Any, columns: int | None = None) -> F64:
        """Return the rows (n, k) of an accessor, normalised integers as -1..1. Raises MeshError for
        another k."""
        accessor = self._item("accessors", number)
        if number not in self._accessors:
            self._accessors[number] = self._read_accessor(accessor)
        values = self._accessors[number]
        if columns is not None and values.shape[1] != columns:
            raise MeshError(
                f"its accessor {number} is of type {accessor['type']}: it does not fit its use"
            )
        return values

    def _indices(self, number: Any) -> Any:
        kind = self._item("accessors", number)["componentType"]
        if _TYPES[kind] not in ("<u1", "<u2", "<u4"):
            raise MeshError(f"its accessor {number} has indices of component type {kind}")
        return self._accessor(number, 1)[:, 0].astype(np.int64)

    def _read_accessor(self, accessor: dict[str, Any]) -> F64:
        dtype, columns = np.dtype(_TYPES[accessor["componentType"]]), _COLUMNS[accessor["type"]]
        count = _whole(accessor["count"])
        if count < 1:
            raise MeshError("one of its accessors is empty")
        if "bufferView" in accessor:
            table = self._table(
                accessor["bufferView"], accessor.get("byteOffset", 0), dtype, columns, count
            )
        else:
            if count > _MOST_ZEROS:
                raise MeshError(
                    f"{count:,} of its numbers have no data; the limit is {_MOST_ZEROS:,}"
                )
            table = np.zeros((count, columns), dtype)
        sparse = accessor.get("sparse")
        if sparse is not None:
            table = table.copy()
            size, places, values = _whole(sparse["count"]), sparse["indices"], sparse["values"]
            kind = np.dtype(_TYPES[places["componentType"]])
            rows = self._table(places["bufferView"], places.get("byteOffset", 0), kind, 1, size)[
                :, 0
            ]
            if kind.kind != "u" or size < 1 or int(rows.max()) >= count:
                raise MeshError("one of its sparse accessors changes elements that do not exist")
            table[rows] = self._table(
                values["bufferView"], values.get("byteOffset", 0), dtype, columns, size
            )
        numbers: F64 = table.astype(np.float64)
        if accessor.get("normalized") is True and dtype.kind in "iu":
            numbers = np.maximum(numbers / np.iinfo(dtype).max, -1.0)
        return numbers

    def _table(self, view: Any, offset: Any, dtype: np.dtype[Any], columns: int, count: int) -> Any:
        """Return `count` rows of a buffer view."""
        data, stride = self._view(view)
        size = dtype.itemsize * columns
        stride, offset = stride or size, _whole(offset)
        if stride < size or offset + stride * (count - 1) + size > len(data):
            raise MeshError("one of its accessors reaches beyond its buffer view")
        return np.ndarray((count, columns), dtype, data, offset, (stride, dtype.itemsize))

    def _view(self, number: Any) -> tuple[bytes, int]:
        """Return the bytes of a buffer view, and the stride of its rows (0: tightly packed)."""
        view = self._item("bufferViews", number)
        buffer = self._item("buffers", view["buffer"])
        compression = next((name for name in _MESHOPT if name in view.get("extensions", {})), None)
        if compression is not None and "uri" not in buffer:
            raise MeshError(
                f"it is compressed with meshopt ({compression}), which is not supported"
            )
        data = self._buffer(view["buffer"], buffer)
        start, size = _whole(view.get("byteOffset", 0)), _whole(view["byteLength"])
        if start + size > len(data):
            raise MeshError("one of its buffer views reaches beyond its buffer")
        return data[start : start + size], _whole(view.get("byteStride", 0))

    def _buffer(self, number: int, buffer: dict[str, Any]) -> bytes:
        if number not in self._buffers:
            uri = buffer.get("uri")
            if uri is None and number == 0 and self.binary is not None:
                data: bytes | None = self.binary
            else:
                data = self._uri(str(uri or ""))
            if data is None:
                raise MeshError(f"its buffer {str(uri or number)[:80]!r} does not exist")
            self._buffers[number] = data
        return self._buffers[number]

    def _uri(self, uri: str) -> bytes | None:
        """Return the data in a URI, or of the file that it names; None if there is no such file."""
        if not uri.startswith("data:"):
            return self.sibling(unquote(uri)) if uri else None
        head, _, text = uri.partition(",")
        return base64.b64decode(text) if head.endswith(";base64") else unquote_to_bytes(text)

    def _item(self, table: str, number: Any) -> dict[str, Any]:
        items = self.document.get(table, [])
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(items):
            raise MeshError(
                f"it refers to number {str(number)[:20]} of its {table}, but has {len(items)}"
            )
        item: dict[str, Any] = items[number]
        return item


def _whole(number: Any) -> int:
    """Return a count of bytes or rows. Raises MeshError for anything else."""
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MAX_BYTES:
        raise MeshError(f"{str(number)[:20]} is not a number of bytes or rows")
    return number


def _faces(corners: Any, mode: int) -> Any:
    """Return the triangles (n, 3) of a list, a strip or a fan of corners."""
    if mode == _TRIANGLES:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if len(corners) < 3:
        return np.zeros((0, 3), np.int64)
    if mode == _FAN:
        return np.column_stack([corners[1:-1], corners[2:], np.full(len(corners) - 2, corners[0])])
    faces = np.column_stack([corners[:-2], corners[1:-1], corners[2:]])
    # Every second triangle of a strip is the other way round.
    faces[1::2, 1:] = faces[1::2, :0:-1]
    return faces


def _matrix_of(node: dict[str, Any]) -> F64:
    """Return the (4, 4) transform of a node: its matrix, or translation, rotation (xyzw) and
    scale."""
    if "matrix" in node:
        matrix = np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    else:
        x, y, z, w = (float(v) for v in node.get("rotation", (0, 0, 0, 1)))
        turn = quaternion_matrix((w, x, y, z)) if math.hypot(x, y, z, w) > 0 else np.eye(3)
        place = np.array(node.get("translation", (0, 0, 0)), dtype=np.float64)
        scale = np.array(node.get("scale", (1, 1, 1)), dtype=np.float64).reshape(3)
        matrix = transform(turn * scale, place.reshape(3))
    if not np.isfinite(matrix).all():
        raise MeshError("a transform in it has numbers that are not finite")
    return matrix
