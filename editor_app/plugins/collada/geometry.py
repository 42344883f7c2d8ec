"""Geometry of COLLADA as triangles, or as the primitive that the triangles stand for."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.model.urdf import Ball, Box, Capsule, Cylinder
from editor_app.core.model.urdf import Geometry as Shape
from editor_app.core.space.geometry.mesh import collada_opacity
from editor_app.core.text.xml.document import XmlElement
from editor_app.plugins.collada.breps import BrepError, build_brep_solid
from editor_app.plugins.collada.documents import ColladaDocuments, technique
from editor_app.plugins.collada.transforms import Matrix, floats_in, inner, product

Indices = I64

#: Of the size of a primitive: what its triangles may differ by, since round ones are made of flat
#: pieces.
_TOLERANCE = 0.06
_LISTS = ("triangles", "polylist", "polygons", "trifans", "tristrips")


@dataclass(frozen=True, eq=False)
class TriangleBlock:
    """Triangles of one material. `vertices` (n, 3) in metres, `faces` (m, 3).

    `uv` (k, 2) and `normals` (l, 3) have indices of their own, of the shape of `faces`.
    """

    vertices: F64
    faces: Indices
    symbol: str | None = None
    uv: F64 | None = None
    uv_faces: Indices | None = None
    normals: F64 | None = None
    normal_faces: Indices | None = None


@dataclass(frozen=True, eq=False)
class Read:
    """The content of a <geometry>: triangles, and the primitive that they represent, at `pose` in
    the geometry.

    `claimed` is the primitive whether the triangles agree or not.
    """

    blocks: tuple[TriangleBlock, ...]
    primitive: Shape | None = None
    pose: Matrix | None = None
    visible: bool = True
    claimed: Shape | None = None
    #: How many of its lists of triangles or polygons could not be read.
    unread: int = 0
    #: Why nothing could be made of its <brep>.
    refused: str = ""


def read_collada_geometry(geometry: XmlElement, unit: float) -> Read:
    """Raises ValueError for numbers that are none."""
    mesh = next(
        (m for m in (geometry.child(t) for t in ("mesh", "convex_mesh")) if m is not None), None
    )
    blocks = tuple(_blocks(mesh, unit)) if mesh is not None else ()
    told = (
        [b for b in mesh.children if b.tag in _LISTS and any(p.text for p in _pieces(b))]
        if mesh is not None
        else []
    )
    unread = max(len(told) - len(blocks), 0)
    info = technique(geometry, "geometry_info")
    brep = geometry.child("brep")
    if brep is not None and mesh is None and info is None:
        try:
            solid = build_brep_solid(brep, unit)
        except BrepError as error:
            return Read((), refused=str(error))
        if solid.triangles is not None:
            return Read((TriangleBlock(*solid.triangles),))
        return Read((), solid.primitive, solid.pose, claimed=solid.primitive)
    if info is None:
        return Read(blocks, unread=unread)
    visible = info.child("visible")
    seen = visible is None or "false" not in " ".join(e.text for e in visible.walk()).lower()
    primitive = claimed = _primitive(info, unit)
    pose = product(info.children, unit)
    if primitive is not None and not _agree(primitive, pose, blocks):
        # Writers differ in which way a cylinder stands, and forget the note when the triangles
        # change.
        primitive = None
    return Read(blocks, primitive, pose, seen, claimed, unread)


def _blocks(mesh: XmlElement, unit: float) -> list[TriangleBlock]:
    ids = {e.get("id"): e for e in mesh.walk() if e.get("id")}
    # Thousands of blocks, one for each material or face of a CAD body, share one list of vertices.
    source = cache(_source)
    blocks = []
    for block in mesh.children:
        if block.tag not in _LISTS:
            continue
        inputs = block.all("input")
        stride = max((int(i.get("offset") or 0) for i in inputs), default=0) + 1
        vertex = _input(inputs, "VERTEX")
        if vertex is None:
            continue
        vertices = source(_positions(ids, vertex.get("source")), 3, unit)
        lists = [np.array(p.text.split(), dtype=np.int64) for p in _pieces(block)]
        corners = _triangles(block, [len(p) // stride for p in lists])
        flat = [p[: len(p) // stride * stride].reshape(-1, stride) for p in lists]
        table = np.concatenate(flat) if flat else np.zeros((0, stride), dtype=np.int64)
        if vertices is None or not len(corners):
            continue
        faces = table[:, int(vertex.get("offset") or 0)][corners]
        if int(faces.max()) >= len(vertices) or int(faces.min()) < 0:
            continue
        uv, uv_faces = _attribute(source, ids, _input(inputs, "TEXCOORD"), table[corners], 2)
        normals, normal_faces = _attribute(source, ids, _input(inputs, "NORMAL"), table[corners], 3)
        blocks.append(
            TriangleBlock(
                vertices, faces, block.get("material"), uv, uv_faces, normals, normal_faces
            )
        )
    return blocks


def _pieces(block: XmlElement) -> list[XmlElement]:
    """<p> elements, also of polygons with holes (which are filled)."""
    return [*block.all("p"), *(p for ph in block.all("ph") for p in ph.all("p"))]


def _input(inputs: list[XmlElement], semantic: str) -> XmlElement | None:
    return next((i for i in inputs if i.get("semantic") == semantic), None)


def _attribute(
    source: Callable[[XmlElement | None, int], F64 | None],
    ids: Mapping[str | None, XmlElement],
    input_element: XmlElement | None,
    rows: Indices,
    columns: int,
) -> tuple[F64, Indices] | tuple[None, None]:
    """The values of an input, and their indices; `rows` (m, 3, stride): the indices of all
    inputs."""
    values = (
        source(_named(ids, input_element.get("source")), columns)
        if input_element is not None
        else None
    )
    if input_element is None or values is None or not len(values):
        return None, None
    indices = rows[:, :, int(input_element.get("offset") or 0)]
    return (
        (values, indices)
        if int(indices.min()) >= 0 and int(indices.max()) < len(values)
        else (None, None)
    )


def _named(ids: Mapping[str | None, XmlElement], name: str | None) -> XmlElement | None:
    """By its id; old files of OpenRAVE have a path before it, `#geometry/vertices`."""
    name = (name or "").lstrip("#")
    element = ids.get(name)
    return element if element is not None else ids.get(name.rpartition("/")[2])


def _positions(ids: Mapping[str | None, XmlElement], name: str | None) -> XmlElement | None:
    element = _named(ids, name)
    if element is not None and element.tag == "vertices":
        position = _input(element.all("input"), "POSITION")
        element = _named(ids, position.get("source")) if position is not None else None
    return element


def _source(element: XmlElement | None, columns: int, factor: float = 1.0) -> F64 | None:
    """The rows (n, columns) of a <source>, times `factor`; None for one that cannot be read."""
    array = inner(element, "float_array")
    if element is None or array is None:
        return None
    try:
        values = np.array(array.text.split(), dtype=np.float64)
    except ValueError:
        return None
    if not np.isfinite(values).all():
        return None
    accessor = next((e for e in element.walk() if e.tag == "accessor"), None)
    stride = int(accessor.get("stride") or columns) if accessor is not None else columns
    offset = int(accessor.get("offset") or 0) if accessor is not None else 0
    if stride < columns or offset < 0:
        return None
    values = values[offset:]
    count = len(values) // stride
    return values[: count * stride].reshape(count, stride)[:, :columns] * factor


def _triangles(block: XmlElement, lengths: list[int]) -> Indices:
    """Rows of places in the lists of corners, which have these lengths, joined to one."""
    joined = np.arange(sum(lengths), dtype=np.int64)
    lists = np.split(joined, np.cumsum(lengths[:-1], dtype=np.int64)) if lengths else []
    faces: list[Indices] = []
    if block.tag == "triangles":
        faces = [p[: len(p) // 3 * 3].reshape(-1, 3) for p in lists]
    elif block.tag == "polylist":
        vcount = block.child("vcount")
        counts = [int(v) for v in vcount.text.split()] if vcount is not None else []
        if counts and min(counts) == 3 == max(counts):
            return joined[: len(joined) // 3 * 3].reshape(-1, 3)
        position = 0
        for count in counts:
            faces.append(_fan(joined[position : position + count]))
            position += max(count, 0)
    elif block.tag in ("polygons", "trifans"):
        faces = [_fan(p) for p in lists]
    else:
        for p in lists:
            strip = np.stack([p[:-2], p[1:-1], p[2:]], axis=1)
            # Every second triangle of a strip is the other way round.
            strip[1::2, :2] = strip[1::2, 1::-1]
            faces.append(strip)
    return np.concatenate(faces) if faces else np.zeros((0, 3), dtype=np.int64)


def _fan(polygon: Indices) -> Indices:
    if len(polygon) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    first = np.full(len(polygon) - 2, polygon[0])
    return np.stack([first, polygon[1:-1], polygon[2:]], axis=1)


def _primitive(info: XmlElement, unit: float) -> Shape | None:
    def numbers(parent: XmlElement, tag: str) -> list[float]:
        return [v * unit for v in floats_in(parent, tag)]

    box, ball, cylinder, capsule = (info.child(t) for t in ("box", "sphere", "cylinder", "capsule"))
    if box is not None and len(half := numbers(box, "half_extents")) == 3:
        return Box((2 * half[0], 2 * half[1], 2 * half[2]))
    if ball is not None and (radius := numbers(ball, "radius")):
        return Ball(radius[0])
    for element, kind in ((cylinder, Cylinder), (capsule, Capsule)):
        if (
            element is not None
            and (radius := numbers(element, "radius"))
            and (height := numbers(element, "height"))
        ):
            return kind(radius[0], height[0])
    return None


def _agree(primitive: Shape, pose: Matrix, blocks: tuple[TriangleBlock, ...]) -> bool:
    """Whether the triangles have the extent of the primitive; without any, the primitive is
    believed."""
    if not any(len(b.faces) for b in blocks):
        return True
    points = np.concatenate([b.vertices[np.unique(b.faces)] for b in blocks if len(b.faces)])
    points = (points - pose[:3, 3]) @ pose[:3, :3]
    half = half_size(primitive)
    largest = float(half.max()) or 1.0
    off = max(
        float(np.abs(points.max(axis=0) - half).max()),
        float(np.abs(points.min(axis=0) + half).max()),
    )
    return off <= _TOLERANCE * largest


def half_size(primitive: Shape) -> F64:
    """Half the extents of a primitive along x, y, z."""
    if isinstance(primitive, Box):
        return np.array(primitive.size) / 2
    if isinstance(primitive, Ball):
        return np.full(3, primitive.radius)
    assert isinstance(primitive, Cylinder | Capsule)
    end = primitive.radius if isinstance(primitive, Capsule) else 0.0
    return np.array([primitive.radius, primitive.radius, primitive.length / 2 + end])


Rgba = tuple[float, float, float, float]


@dataclass(frozen=True)
class Appearance:
    """`picture` is (file name, content); `rgba` stands for it where pictures are not shown."""

    rgba: Rgba | None = None
    picture: tuple[str, bytes] | None = None


def looks(documents: ColladaDocuments, instance: XmlElement) -> dict[str, Appearance]:
    """Symbol -> look, for one <instance_geometry>."""
    by_symbol: dict[str, Appearance] = {}
    for bound in (e for e in instance.walk() if e.tag == "instance_material"):
        material = documents.find(bound.get("target"), bound)
        instance_effect = inner(material, "instance_effect")
        effect = (
            documents.find(instance_effect.get("url"), instance_effect)
            if instance_effect is not None
            else None
        )
        if effect is not None:
            by_symbol[bound.get("symbol") or ""] = _look(documents, effect)
    return by_symbol


def _look(documents: ColladaDocuments, effect: XmlElement) -> Appearance:
    profile = effect.child("profile_COMMON") or effect
    diffuse = next((e for e in profile.walk() if e.tag == "diffuse"), None)
    if diffuse is None:
        return Appearance()
    transparency, transparent = (
        next((e for e in profile.walk() if e.tag == tag), None)
        for tag in ("transparency", "transparent")
    )
    factor = (*floats_in(transparency, "float"), 1.0)[0]
    mode = transparent.get("opaque") if transparent is not None else None
    opacity = collada_opacity(factor, floats_in(transparent, "color"), mode or "A_ONE")
    values = floats_in(diffuse, "color")
    if len(values) in (3, 4):
        r, g, b, a = (min(max(v, 0.0), 1.0) for v in (*values, 1.0)[:4])
        return Appearance((r, g, b, a * opacity))
    texture = diffuse.child("texture")
    image = (
        _image(documents, profile, effect, texture.get("texture") or "")
        if texture is not None
        else None
    )
    return Appearance((1.0, 1.0, 1.0, opacity) if image is not None else None, image)


def _image(
    documents: ColladaDocuments, profile: XmlElement, effect: XmlElement, name: str
) -> tuple[str, bytes] | None:
    """Through sampler, surface and image (1.4), or sampler and instance_image (1.5), or the image
    at once."""
    image = _image_element(documents, profile, effect, name)
    start = image.child("init_from") if image is not None and image.tag == "image" else None
    if image is None or start is None:
        return None
    reference, embedded = start.child("ref"), start.child("hex")
    if embedded is not None:
        try:
            suffix = (embedded.get("format") or "png").lower().lstrip(".")
            suffix = suffix if suffix.isalnum() else "png"
            return f"{image.get('id') or 'image'}.{suffix}", binascii.unhexlify(
                "".join(embedded.text.split())
            )
        except (ValueError, binascii.Error):
            return None
    text = reference.text if reference is not None else start.text
    return documents.image(text, start) if text else None


def _image_element(
    documents: ColladaDocuments, profile: XmlElement, effect: XmlElement, name: str
) -> XmlElement | None:
    params = {e.get("sid"): e for e in (*effect.walk(), *profile.walk()) if e.tag == "newparam"}
    for _ in range(4):
        param = params.get(name)
        if param is None:
            return documents.of(effect).ids.get(name)
        instance = next((e for e in param.walk() if e.tag == "instance_image"), None)
        if instance is not None:
            return documents.find(instance.get("url"), instance)
        source = next((e for e in param.walk() if e.tag in ("source", "init_from")), None)
        name = source.text if source is not None else ""
    return None
