"""Visual and collision shapes as prims of UsdGeom; meshes and materials once each, however often
they are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.identifiers import identifier
from editor_app.core.formats.exchange.meshes import MeshParts, colour_of
from editor_app.core.model.counting import format_count
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Material,
    Mesh,
    Visual,
    sizes_of,
)
from editor_app.core.space.geometry.mesh import MeshPart, Rgba, merge_parts, weld_vertices
from editor_app.core.space.kinematics.transforms import build_pose_matrix
from editor_app.core.text.xml.morph import format_xml_number
from editor_app.plugins.usd.writing_prims import (
    Prim,
    place_lines,
    transform_lines,
    vector_text,
    with_display_name,
)

BINDING = "MaterialBindingAPI"


@dataclass(frozen=True)
class _Stored:
    """A mesh in the library: its prim's path and the faces of each part, in order."""

    path: str
    parts: Sequence[MeshPart]


@dataclass
class ShapePrims:
    """`meshes`: None leaves meshes out; `library` and `materials` are the paths of their scopes.

    `approximation` is what collision meshes are simulated as: "convexHull" or "none", the triangles
    themselves.
    """

    meshes: MeshParts | None
    defined: Mapping[str, Material]
    out: Reporter
    library: str
    materials: str
    approximation: str
    mesh_prims: dict[str, Prim] = field(default_factory=dict)
    material_prims: dict[str, Prim] = field(default_factory=dict)
    _stored: dict[Mesh, _Stored | None] = field(default_factory=dict)
    _material_names: dict[tuple[str, Rgba], str] = field(default_factory=dict)
    textures: int = 0

    def visual(self, visual: Visual, name: str, units: F64 | None = None) -> Prim | None:
        """The prim of a visual shape; None for one without a surface, which the report lists.

        `units`: (4, 4) from metres in the link to the units of its prim, where they are others.
        """
        prim = self._shape(visual.geometry, name)
        if prim is None:
            return None
        prim.lines += _place(build_pose_matrix(visual.origin), visual.geometry, units)
        rgba = colour_of(visual, self.defined)
        stored = self._stored.get(visual.geometry) if isinstance(visual.geometry, Mesh) else None
        material = visual.material
        if material is not None and self._texture_of(material) is not None:
            self.textures += 1
        if rgba is not None:
            self._colour(prim, material.name if material is not None else "", rgba)
        elif stored is not None:
            self._colour_parts(prim, stored)
        return prim

    def collision(
        self, geometry: Geometry, matrix: F64, name: str, units: F64 | None = None
    ) -> Prim | None:
        """The prim of a collision shape, as `visual`. `matrix` (4, 4): where it is on its link, in
        metres."""
        prim = self._shape(geometry, name)
        if prim is None:
            return None
        prim.schemas.append("PhysicsCollisionAPI")
        if isinstance(geometry, Mesh):
            prim.schemas.append("PhysicsMeshCollisionAPI")
            prim.lines.append(f'uniform token physics:approximation = "{self.approximation}"')
        prim.lines += ['uniform token purpose = "guide"', *_place(matrix, geometry, units)]
        return prim

    def _shape(self, geometry: Geometry, name: str) -> Prim | None:
        if not isinstance(geometry, Mesh):
            if min(sizes_of(geometry)) > 0 or (
                isinstance(geometry, Capsule) and geometry.radius > 0
            ):
                return _primitive(geometry, name)
            self.out.lost(
                f"{type(geometry).__name__.lower()} {sizes_of(geometry)}",
                "its size is not positive",
            )
            return None
        if geometry not in self._stored:
            self._stored[geometry] = self._store(geometry)
        stored = self._stored[geometry]
        if stored is None:
            return None
        return Prim(name, "Mesh", metadata=[f"prepend references = <{stored.path}>"])

    # -- meshes

    def _store(self, mesh: Mesh) -> _Stored | None:
        parts = [
            part
            for part in (self.meshes(mesh) if self.meshes is not None else ())
            if len(part.faces)
        ]
        if not parts:
            self.out.lost(f"mesh {mesh.filename}", "it does not exist or has no surface")
            return None
        self.textures += sum(part.texture is not None for part in parts)
        stem = mesh.filename.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or "mesh"
        name = find_free_name(identifier(stem), self.mesh_prims)
        # Single precision, as prims hold points: corners that are the same there are one.
        vertices, faces = merge_parts(parts)
        points, faces = weld_vertices(vertices.astype(np.float32), faces)
        flat = points.ravel().tolist()
        bounds = ", ".join(
            vector_text(map(float, corner)) for corner in (points.min(axis=0), points.max(axis=0))
        )
        self.mesh_prims[name] = Prim(
            name,
            "Mesh",
            lines=[
                f"float3[] extent = [{bounds}]",
                f"int[] faceVertexCounts = [{', '.join(['3'] * len(faces))}]",
                f"int[] faceVertexIndices = [{', '.join(map(str, faces.ravel().tolist()))}]",
                # Nine digits give the same number in single precision.
                "point3f[] points = "
                f"[{', '.join(['(%.9g, %.9g, %.9g)'] * len(points)) % tuple(flat)}]",
                'uniform token subdivisionScheme = "none"',
            ],
        )
        return _Stored(f"{self.library}/{name}", parts)

    # -- colours

    def _texture_of(self, material: Material) -> str | None:
        return material.texture or self.defined.get(material.name, material).texture

    def _colour(self, prim: Prim, name: str, rgba: Rgba) -> None:
        prim.schemas.append(BINDING)
        prim.lines += [
            f"rel material:binding = <{self.material(name, rgba)}>",
            *_display_colour(rgba),
        ]

    def _colour_parts(self, prim: Prim, stored: _Stored) -> None:
        colours = {part.rgba for part in stored.parts}
        if len(colours) == 1:
            (rgba,) = colours
            if rgba is not None:
                self._colour(prim, stored.path.rpartition("/")[2], rgba)
            return
        prim.lines.append('uniform token subsetFamily:materialBind:familyType = "nonOverlapping"')
        first = 0
        for number, part in enumerate(stored.parts):
            indices = range(first, first + len(part.faces))
            first = indices.stop
            if part.rgba is not None:
                material = self.material(part.name or f"part_{number}", part.rgba)
                lines = [
                    'uniform token elementType = "face"',
                    'uniform token familyName = "materialBind"',
                    f"int[] indices = [{', '.join(map(str, indices))}]",
                    f"rel material:binding = <{material}>",
                ]
                prim.children.append(
                    Prim(f"part_{number}", "GeomSubset", schemas=[BINDING], lines=lines)
                )

    def material(self, name: str, rgba: Rgba) -> str:
        """Return the path of the material of a colour, which is created once."""
        key = (name, rgba)
        if key not in self._material_names:
            ident = self._material_names[key] = find_free_name(
                identifier(name or "material"), self.material_prims
            )
            path = f"{self.materials}/{ident}"
            surface = Prim(
                "surface",
                "Shader",
                lines=[
                    'uniform token info:id = "UsdPreviewSurface"',
                    f"color3f inputs:diffuseColor = {vector_text(map(_linear, rgba[:3]))}",
                    f"float inputs:opacity = {format_xml_number(rgba[3])}",
                    "float inputs:roughness = 0.5",
                    "token outputs:surface",
                ],
            )
            lines = [f"token outputs:surface.connect = <{path}/surface.outputs:surface>"]
            self.material_prims[ident] = with_display_name(
                Prim(ident, "Material", lines=lines, children=[surface]), name or ident
            )
        return f"{self.materials}/{self._material_names[key]}"

    def report(self) -> None:
        if self.textures:
            self.out.lost(
                "texture", f"{format_count(self.textures, 'texture')}: only colours are converted"
            )


def _place(matrix: F64, geometry: Geometry, units: F64 | None) -> list[str]:
    scale = _scale(geometry)
    if units is None:
        return place_lines(matrix, scale)
    return transform_lines(units @ matrix @ np.diag([*(scale or (1.0, 1.0, 1.0)), 1.0]))


def _scale(geometry: Geometry) -> Sequence[float] | None:
    return geometry.size if isinstance(geometry, Box) else None


def _primitive(geometry: Geometry, name: str) -> Prim:
    """A box is a cube of 1 m that is scaled: UsdGeom has no other."""
    if isinstance(geometry, Box):
        return Prim(
            name,
            "Cube",
            lines=["float3[] extent = [(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)]", "double size = 1"],
        )
    assert isinstance(geometry, Ball | Cylinder | Capsule)
    radius = geometry.radius
    half = radius if isinstance(geometry, Ball) else geometry.length / 2
    if isinstance(geometry, Capsule):
        half += radius
    lines = [
        f"float3[] extent = [{vector_text((-radius, -radius, -half))}, "
        f"{vector_text((radius, radius, half))}]"
    ]
    lines.append(f"double radius = {format_xml_number(radius)}")
    if not isinstance(geometry, Ball):
        lines += [
            'uniform token axis = "Z"',
            f"double height = {format_xml_number(geometry.length)}",
        ]
    kind = "Sphere" if isinstance(geometry, Ball) else type(geometry).__name__
    return Prim(name, kind, lines=lines)


def _linear(value: float) -> float:
    """A colour of a URDF, which is in sRGB, as USD's, which are linear (IEC 61966-2-1)."""
    value = min(max(value, 0.0), 1.0)
    linear = value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
    return round(linear, 9)


def _display_colour(rgba: Rgba) -> list[str]:
    return [
        f"color3f[] primvars:displayColor = [{vector_text(map(_linear, rgba[:3]))}]",
        f"float[] primvars:displayOpacity = [{format_xml_number(rgba[3])}]",
    ]
