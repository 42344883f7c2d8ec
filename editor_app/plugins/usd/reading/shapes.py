"""Geometry of a stage as visual and collision shapes of a URDF, their meshes and colours, and
spheres of an XRDF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdShade

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.meshes import make_plain_name
from editor_app.core.model.counting import format_count
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Collision,
    Cylinder,
    Geometry,
    Material,
    Mesh,
    Visual,
)
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.obj_and_stl import stl_bytes
from editor_app.core.space.kinematics.transforms import Matrix, build_origin, invert, transform
from editor_app.plugins.usd.reading.meshes import (
    PrimSolid,
    Triangles,
    prim_triangles,
    read_primitive_solid,
)
from editor_app.plugins.usd.reading.scene import PrimShape, UsdScene, array, rigid, value
from editor_app.plugins.usd.reading.values import display_name, srgb

#: Spheres of NVIDIA's editor, and those that this program writes into a layer.
_SPHERE = re.compile(r"collision_sphere(_\d+)?|_*planning_sphere_\d+")
#: How much the sides of a box, or the radii of a ball, may differ, as a share: single precision.
_EVEN = 1e-6
_MOST = 8

#: A shape, and where it is on its link.
Placed = tuple[Geometry, Matrix]


@dataclass
class UsdShapes:
    """By the paths of bodies. `files`: meshes that are written beside the URDF, by their names."""

    scene: UsdScene
    out: Reporter
    folder: str
    names: dict[Any, str]
    files: dict[str, bytes] = field(default_factory=dict)
    visuals: dict[Any, list[Visual]] = field(default_factory=dict)
    collisions: dict[Any, list[Collision]] = field(default_factory=dict)
    spheres: dict[Any, list[CollisionSphere]] = field(default_factory=dict)
    #: For each visual and collision its prim, and the prim of its material.
    visual_prims: dict[Any, list[tuple[PrimShape, Any]]] = field(default_factory=dict)
    collision_prims: dict[Any, list[tuple[PrimShape, Any]]] = field(default_factory=dict)
    #: The prim of each sphere.
    sphere_prims: dict[Any, list[Any]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    textures: int = 0

    def __post_init__(self) -> None:
        self._meshes: dict[Any, list[tuple[str, Any]]] = {}
        self._triangles: dict[Any, Triangles | None] = {}
        self._materials: dict[Any, Material | None] = {}
        self._material_names: set[str] = set()
        self.faults: list[str] = []

    def read(self) -> None:
        """Raises FormatError."""
        shapes = [shape for shape in self.scene.shapes if shape.body in self.names]
        rendered = {
            shape.body for shape in shapes if shape.purpose == "render" and shape.is_visible
        }
        for shape in shapes:
            if self._is_sphere(shape):
                self._add_sphere(shape)
                continue
            # A proxy is shown in the place of a shape to render, where there is none.
            is_shown = shape.purpose in ("default", "render")
            is_shown = is_shown or (shape.purpose == "proxy" and shape.body not in rendered)
            if is_shown and shape.is_visible:
                for geometry, place, bound in self._placed_parts(shape):
                    material = self._material(shape.prim, bound)
                    visual = Visual(geometry, build_origin(place), material)
                    self.visuals.setdefault(shape.body, []).append(visual)
                    self.visual_prims.setdefault(shape.body, []).append((shape, bound))
            elif shape.collider is None:
                self.counts["shapes that are hidden or guides"] += 1
            if shape.collider is not None:
                for geometry, place in self._solid(shape):
                    self.collisions.setdefault(shape.body, []).append(
                        Collision(geometry, build_origin(place))
                    )
                    self.collision_prims.setdefault(shape.body, []).append((shape, shape.prim))
        rest = sum(shape.body is None and shape.collider is not None for shape in self.scene.shapes)
        if rest:
            self.out.lost("colliders of the surroundings", f"{rest}: they belong to no rigid body")
        self._tell()

    # -- spheres

    def _is_sphere(self, shape: PrimShape) -> bool:
        return (
            bool(shape.prim.IsA(UsdGeom.Sphere))
            and _SPHERE.fullmatch(shape.prim.GetName()) is not None
        )

    def _add_sphere(self, shape: PrimShape) -> None:
        matrix = self.local(shape)
        sizes = np.linalg.norm(matrix[:3, :3], axis=0)
        x, y, z = (round(float(v), 12) + 0.0 for v in matrix[:3, 3])
        stated = value(shape.prim, "radius", 1.0)
        radius = round(
            float(stated if isinstance(stated, int | float) else 1.0) * float(sizes.max()), 12
        )
        self.spheres.setdefault(shape.body, []).append(CollisionSphere((x, y, z), radius))
        self.sphere_prims.setdefault(shape.body, []).append(shape.prim)

    # -- one shape

    def local(self, shape: PrimShape) -> Matrix:
        """(4, 4) from the units of a shape to metres in its body. Raises FormatError."""
        return np.asarray(invert(self.scene.frame(shape.body)) @ self.scene.matrix(shape.prim))

    def triangles(self, prim: Any) -> Triangles | None:
        """The surface of a prim; what instances share is read once. Raises FormatError."""
        key = _key(prim)
        if key not in self._triangles:
            try:
                self._triangles[key] = prim_triangles(prim)
            except ValueError as error:
                self.faults.append(str(error))
                self._triangles[key] = None
            mesh = self._triangles[key]
            if mesh is not None and mesh.fault:
                self.faults.append(f"{prim.GetName()}: {mesh.fault}")
        return self._triangles[key]

    def _solid(self, shape: PrimShape) -> list[Placed]:
        approximation = str(value(shape.collider, "physics:approximation", "none"))
        prim, matrix = shape.prim, self.local(shape)
        if prim.IsA(UsdGeom.Mesh) and approximation in ("boundingCube", "boundingSphere"):
            bound = self._bound(prim, matrix, is_ball=approximation == "boundingSphere")
            if bound is not None:
                self.counts[f"colliders of meshes are their {approximation}"] += 1
                return bound
        elif prim.IsA(UsdGeom.Mesh) and approximation != "none":
            self.counts[f"colliders of meshes are the meshes; USD asks for {approximation}"] += 1
        return [placed for placed, _ in self._placed(prim, matrix, shape.body)]

    def _bound(self, prim: Any, matrix: Matrix, *, is_ball: bool) -> list[Placed] | None:
        mesh = self.triangles(prim)
        if mesh is None or not len(mesh.faces):
            return None
        points = mesh.vertices[np.unique(mesh.faces)].astype(float)
        low, high = points.min(axis=0), points.max(axis=0)
        middle = (low + high) / 2
        place, sizes = rigid(matrix), np.linalg.norm(matrix[:3, :3], axis=0)
        place[:3, 3] = (matrix @ np.array([*middle, 1.0]))[:3]
        if is_ball:
            return [(Ball(float(np.linalg.norm((points - middle) * sizes, axis=1).max())), place)]
        x, y, z = (float(v) for v in (high - low) * sizes)
        return [(Box((x, y, z)), place)]

    def _placed_parts(self, shape: PrimShape) -> Iterator[tuple[Geometry, Matrix, Any]]:
        for (geometry, place), bound in self._placed(
            shape.prim, self.local(shape), shape.body, parts=True
        ):
            yield geometry, place, bound

    def _placed(
        self, prim: Any, matrix: Matrix, body: Any, *, parts: bool = False
    ) -> Iterator[tuple[Placed, Any]]:
        """Shapes with their places, and the prim whose material each has. `parts`: one for each
        subset of a mesh."""
        solid = read_primitive_solid(prim)
        fitting = _fitted(solid, matrix) if solid is not None else None
        if fitting is not None:
            if len(fitting) > 1:
                self.counts["capsules: a cylinder and two spheres each"] += 1
            yield from ((placed, prim) for placed in fitting)
            return
        mesh = self.triangles(prim)
        if mesh is None or not len(mesh.faces):
            kind = str(prim.GetTypeName())
            if kind == "Plane":
                self.counts["planes, which are not robot parts"] += 1
            else:
                self.counts[
                    f"shapes of the kind {kind}" + (" without faces" if kind == "Mesh" else "")
                ] += 1
            return
        if solid is not None:
            self.counts["primitives that are scaled unevenly: meshes"] += 1
        scale, place = _scaled(matrix)
        for name, bound in self._files(prim, mesh, matrix if scale is None else None, body, parts):
            geometry = Mesh(name, scale or (1.0, 1.0, 1.0))
            yield (geometry, place if scale is not None else np.eye(4)), bound

    def _files(
        self, prim: Any, mesh: Triangles, baked: Matrix | None, body: Any, parts: bool
    ) -> list[tuple[str, Any]]:
        """Names of the files of a mesh, each with the prim of its material. `baked`: a transform
        that a URDF lacks."""
        key = (_key(prim), parts, None if baked is None else baked.tobytes())
        if key in self._meshes:
            return self._meshes[key]
        subsets = _subsets(prim, mesh) if parts else []
        vertices, faces = mesh.vertices, mesh.faces
        if baked is not None:
            vertices = vertices @ baked[:3, :3].T + baked[:3, 3]
            faces = faces[:, ::-1] if np.linalg.det(baked[:3, :3]) < 0 else faces
        if not subsets:
            subsets = [(np.ones(len(faces), dtype=bool), prim)]
            if parts:
                # The same file serves the visual and the collision.
                self._meshes[key] = self._files(prim, mesh, baked, body, False)
                return self._meshes[key]
        stem = make_plain_name(f"{self.names[body]}_{prim.GetName()}")
        self._meshes[key] = []
        for chosen, bound in subsets:
            if chosen.any():
                name = (
                    find_free_name(
                        f"{self.folder}/{stem}", {each.removesuffix(".stl") for each in self.files}
                    )
                    + ".stl"
                )
                triangles = faces if chosen.all() else faces[chosen]
                self.files[name] = stl_bytes(np.asarray(vertices), np.ascontiguousarray(triangles))
                self._meshes[key].append((name, bound))
        return self._meshes[key]

    # -- colours

    def _material(self, prim: Any, bound: Any) -> Material | None:
        material = UsdShade.MaterialBindingAPI(bound).ComputeBoundMaterial()[0]
        if not material and bound != prim:
            material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        if material:
            key = material.GetPath()
            if key not in self._materials:
                rgba = self._colour(material)
                name = (
                    find_free_name(display_name(material.GetPrim()), self._material_names)
                    if rgba
                    else ""
                )
                self._material_names.add(name)
                self._materials[key] = Material(name, rgba) if rgba else None
            if self._materials[key] is not None:
                return self._materials[key]
        shown = array(prim, "primvars:displayColor")
        if (
            shown.ndim != 2
            or shown.shape[0] == 0
            or shown.shape[1] != 3
            or not np.isfinite(shown[0]).all()
        ):
            return None
        opacity = array(prim, "primvars:displayOpacity").ravel()
        red, green, blue = map(srgb, shown[0])
        alpha = (
            round(min(1.0, max(0.0, float(opacity[0]))), 6)
            if np.isfinite(opacity[:1]).any()
            else 1.0
        )
        rgba = (red, green, blue, alpha)
        return Material("rgba " + " ".join(f"{v:g}" for v in rgba), rgba)

    def _colour(self, material: Any) -> tuple[float, float, float, float] | None:
        """Of the first shader in a material that states one: UsdPreviewSurface, or NVIDIA's
        OmniPBR."""
        surfaces = [material.ComputeSurfaceSource()[0], material.ComputeSurfaceSource("mdl")[0]]
        for shader in surfaces:
            if not shader:
                continue
            for name in (
                "diffuseColor",
                "diffuse_color_constant",
                "diffuse_tint",
                "base_color",
                "color",
            ):
                if not shader.GetInput(name):
                    continue
                source = shader.GetInput(name).GetValueProducingAttributes()
                colour = source[0].Get() if source else shader.GetInput(name).Get()
                if source and UsdShade.Output.IsOutput(source[0]):
                    self.textures += 1
                if not _is_colour(colour):
                    continue
                opacity = shader.GetInput("opacity") or shader.GetInput("opacity_constant")
                alpha = opacity.Get() if opacity else None
                alpha = (
                    float(alpha) if isinstance(alpha, int | float) and np.isfinite(alpha) else 1.0
                )
                red, green, blue = map(srgb, tuple(colour)[:3])
                return red, green, blue, round(min(1.0, max(0.0, alpha)), 6)
        return None

    # -- the report

    def _tell(self) -> None:
        for sentence, count in self.counts.items():
            is_lost = sentence.startswith(("planes", "shapes"))
            (self.out.lost if is_lost else self.out.translated)("geometry", f"{count} {sentence}")
        if self.files:
            self.out.translated(
                "mesh", f"{format_count(len(self.files), 'mesh', 'meshes')} as STL next to the URDF"
            )
        if self.textures:
            self.out.lost("texture", f"{self.textures} of materials: only colours are converted")
        for fault in self.faults[:_MOST]:
            self.out.unread("mesh", fault)


def _is_colour(colour: Any) -> bool:
    try:
        return len(colour) >= 3 and bool(np.isfinite(np.asarray(colour, dtype=float)).all())
    except (TypeError, ValueError):
        return False


def _key(prim: Any) -> Any:
    """What all instances of a prim have in common."""
    return prim.GetPrimInPrototype().GetPath() if prim.IsInstanceProxy() else prim.GetPath()


def _subsets(prim: Any, mesh: Triangles) -> list[tuple[Any, Any]]:
    """(which triangles, prim of the material) for each subset of a mesh with a material, and the
    rest."""
    subsets, rest = [], np.ones(len(mesh.faces), dtype=bool)
    for child in prim.GetFilteredChildren(Usd.TraverseInstanceProxies()):
        if not child.IsA(UsdGeom.Subset) or str(value(child, "elementType", "face")) != "face":
            continue
        if not child.HasRelationship("material:binding"):
            continue
        chosen = np.isin(mesh.sources, array(child, "indices", np.int64)) & rest
        rest &= ~chosen
        subsets.append((chosen, child))
    return [*subsets, (rest, prim)] if subsets else []


def _scaled(matrix: Matrix) -> tuple[tuple[float, float, float] | None, Matrix]:
    """(scale, place) of an affine transform as URDF writes it; (None, …) where it shears or
    mirrors."""
    sizes = np.linalg.norm(matrix[:3, :3], axis=0)
    if sizes.min() <= 0:
        return None, np.eye(4)
    turn = matrix[:3, :3] / sizes
    if np.abs(turn.T @ turn - np.eye(3)).max() > _EVEN or np.linalg.det(turn) < 0:
        return None, np.eye(4)
    mean = float(sizes.mean())
    if np.abs(sizes - mean).max() <= _EVEN * mean:
        sizes = np.full(3, mean)
    x, y, z = (float(f"{v:.12g}") for v in sizes)
    return (x, y, z), transform(turn, matrix[:3, 3])


def _fitted(solid: PrimSolid, matrix: Matrix) -> list[Placed] | None:
    """A primitive in metres with its place; None where the transform leaves no such primitive."""
    turned = matrix @ transform(solid.turn)
    sizes = np.linalg.norm(turned[:3, :3], axis=0)
    if sizes.min() <= 0:
        return None
    turn = turned[:3, :3] / sizes
    if np.abs(turn.T @ turn - np.eye(3)).max() > _EVEN:
        return None
    if np.linalg.det(turn) < 0:
        # A primitive is the same when it is mirrored.
        turn[:, 0] *= -1
    place, geometry = transform(turn, turned[:3, 3]), solid.geometry
    x, y, z = (float(f"{v:.12g}") for v in sizes)
    if isinstance(geometry, Box):
        a, b, c = geometry.size
        return [(Box((_tidy(a * x), _tidy(b * y), _tidy(c * z))), place)]
    if abs(x - y) > _EVEN * x:
        return None
    if isinstance(geometry, Ball):
        return [(Ball(_tidy(geometry.radius * x)), place)] if abs(x - z) <= _EVEN * x else None
    assert isinstance(geometry, Cylinder)
    if solid.ends and abs(x - z) > _EVEN * x:
        return None
    tube = Cylinder(_tidy(geometry.radius * x), _tidy(geometry.length * z))
    ends = [(Ball(tube.radius), place @ transform(None, (0.0, 0.0, end * z))) for end in solid.ends]
    return [(tube, place), *ends]


def _tidy(size: float) -> float:
    """A size that a file has in single precision, as it was written."""
    return float(f"{size:.7g}")
