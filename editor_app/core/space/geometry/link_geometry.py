"""The visual and collision geometry of links, in the frame of the link, with what could not be
found or read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from editor_app.core.model.findings import Finding, FindingSubject, Location, Severity
from editor_app.core.model.regular_file import other_kind
from editor_app.core.model.urdf import (
    FARTHEST,
    Ball,
    Collision,
    Geometry,
    Link,
    Material,
    Mesh,
    Urdf,
    Visual,
)
from editor_app.core.space.geometry.images import image_problem
from editor_app.core.space.geometry.loading import load_known_mesh, load_mesh
from editor_app.core.space.geometry.mesh import MeshData, MeshPart, build_primitive, transform_part
from editor_app.core.space.geometry.mesh import merge_parts as merge_parts
from editor_app.core.space.geometry.paths import explain_mesh_path, resolve_mesh_path
from editor_app.core.space.geometry.units import SizeFault, longest_step, size_fault
from editor_app.core.space.kinematics.transforms import build_pose_matrix

Kind = Literal["visual", "collision"]


@dataclass(frozen=True, slots=True, eq=False)
class LinkGeometry:
    """`parts` in the frame of the link; `elements[i]` is the number of the visual or collision that
    part i is of.

    `missing`: mesh paths, as written, that were not found. `shapes`: the visuals or collisions of
    the link.
    """

    link: str
    kind: Kind
    parts: tuple[MeshPart, ...] = ()
    elements: tuple[int, ...] = ()
    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    shapes: tuple[Visual | Collision, ...] = ()

    @property
    def triangles(self) -> int:
        return sum(len(part.faces) for part in self.parts)


class NotDecodedError(Exception):
    """A mesh is not in the cache, and the store was told not to decode."""


class MeshStore:
    """Finds and loads meshes for one URDF, each file once."""

    def __init__(
        self,
        urdf_path: Path | None,
        mappings: Mapping[str, Path] | None = None,
        *,
        decodes: bool = True,
    ) -> None:
        """One that does not decode raises NotDecodedError for what is not in the cache on disk."""
        self._decodes = decodes
        self.urdf_path = urdf_path
        self.mappings = dict(mappings or {})
        self._paths: dict[str, Path | None] = {}
        self._meshes: dict[Path, MeshData] = {}
        self._materials: tuple[Urdf | None, dict[str, Material]] = (None, {})
        self._steps: tuple[Urdf | None, float] = (None, 0.0)

    def find(self, filename: str) -> Path | None:
        """The file that a path in the URDF means."""
        if filename not in self._paths:
            self._paths[filename] = resolve_mesh_path(filename, self.urdf_path, self.mappings)
        return self._paths[filename]

    def explain(self, filename: str) -> str:
        """List the places where a file was searched."""
        return explain_mesh_path(filename, self.urdf_path, self.mappings).explain()

    def other_kind(self, filename: str) -> tuple[Path, str] | None:
        """Return the path and kind of a name that is no file; None if nothing has the name."""
        tried = explain_mesh_path(filename, self.urdf_path, self.mappings).tried
        kinds = ((attempt.path, other_kind(attempt.path)) for attempt in tried)
        return next(((path, kind) for path, kind in kinds if kind is not None), None)

    def load(self, path: Path) -> MeshData:
        """The mesh in a file, unscaled. Raises NotDecodedError only if the store does not
        decode."""
        # By the name that was asked for: a link may lead to a name without an extension, as in
        # caches that name files by what is in them, and what the mesh refers to lies beside the
        # link.
        path = Path(os.path.abspath(path))
        if path not in self._meshes:
            mesh = load_mesh(path) if self._decodes else load_known_mesh(path)
            if mesh is None:
                raise NotDecodedError(path)
            self._meshes[path] = mesh
        return self._meshes[path]

    def size_fault(self, urdf: Urdf, geometry: Geometry) -> SizeFault | None:
        """Why no part of the robot is as large, or as small, as a mesh; None for others, and for
        other shapes."""
        path = self.find(geometry.filename) if isinstance(geometry, Mesh) else None
        bounds = self.load(path).bounds if path is not None else None
        if path is None or bounds is None or not isinstance(geometry, Mesh):
            return None
        if self._steps[0] is not urdf:
            self._steps = (urdf, longest_step(urdf))
        return size_fault(path, bounds[1] - bounds[0], geometry.scale, self._steps[1])

    def painted(self, urdf: Urdf, visual: Visual) -> Material | None:
        """The material with its colour; what stands at the visual itself counts before what the
        name refers to."""
        material = visual.material
        if material is None or material.rgba is not None or material.texture is not None:
            return material
        if self._materials[0] is not urdf:
            # Links are asked for one by one.
            self._materials = (urdf, urdf.materials_by_name())
        return self._materials[1].get(material.name) if material.name else None


def link_geometry(
    urdf: Urdf,
    urdf_path: Path | None,
    link: str | Link,
    kind: Kind = "visual",
    mappings: Mapping[str, Path] | None = None,
    *,
    store: MeshStore | None = None,
) -> LinkGeometry:
    """The geometry of one link. Raises KeyError for an unknown link name; broken files are
    findings.

    A mesh part without a colour of its own takes that of the URDF's material, as in RViz. A `store`
    may be shared between calls, so that each file is loaded once.
    """
    wanted = urdf.link(link) if isinstance(link, str) else link
    if wanted is None:
        raise KeyError(link)
    store = store or MeshStore(urdf_path, mappings)
    parts: list[MeshPart] = []
    elements: list[int] = []
    findings: list[Finding] = []
    missing: list[str] = []
    subject = FindingSubject(links=(wanted.name,), section="mesh")
    shapes: tuple[Visual | Collision, ...] = (
        wanted.visuals if kind == "visual" else wanted.collisions
    )
    for i, shape in enumerate(shapes):
        geometry = shape.geometry
        scale = (1.0, 1.0, 1.0)
        if isinstance(geometry, Mesh):
            path = store.find(geometry.filename)
            if path is None:
                missing.append(geometry.filename)
                continue
            mesh = store.load(path)
            scale = geometry.scale
            findings += [replace(finding, subject=subject) for finding in mesh.findings]
            fault = store.size_fault(urdf, geometry)
            if fault is not None:
                place = Location(str(path))
                findings.append(
                    Finding(
                        fault.code, Severity.WARNING, fault.message, location=place, subject=subject
                    )
                )
        else:
            mesh = build_primitive(geometry)
        material = store.painted(urdf, shape) if isinstance(shape, Visual) else None
        rgba = material.rgba if material is not None else None
        texture, problems = _texture(material, store, subject)
        findings += problems
        matrix = build_pose_matrix(shape.origin)
        for part in mesh.parts:
            with np.errstate(over="ignore", invalid="ignore"):
                placed = transform_part(part, matrix, scale)
            if not np.abs(placed.vertices).max(initial=0.0) < FARTHEST:
                findings.append(
                    Finding("MESH006", Severity.ERROR, _too_far(wanted, kind, i), subject=subject)
                )
                continue
            if placed.rgba is None:
                placed = replace(placed, rgba=rgba)
            if isinstance(geometry, Ball):
                placed = replace(placed, ball=(*shape.origin.xyz, geometry.radius))
            if placed.texture is None and placed.uv is not None and texture is not None:
                placed = replace(placed, texture=texture)
            parts.append(placed)
            elements.append(i)
    return LinkGeometry(
        wanted.name, kind, tuple(parts), tuple(elements), tuple(findings), tuple(missing), shapes
    )


def _too_far(link: Link, kind: Kind, index: int) -> str:
    return (
        f"Part of {kind} geometry {index + 1} of link {link.name!r} is {FARTHEST:,.0f} m or more "
        "away from the link's "
        "frame and is left out: correct its origin, size or scale."
    )


def _texture(
    material: Material | None, store: MeshStore, subject: FindingSubject
) -> tuple[Path | None, tuple[Finding, ...]]:
    if material is None or not material.texture:
        return None, ()
    path = store.find(material.texture)
    problem = None if path is None else image_problem(path)
    if path is None and (other := store.other_kind(material.texture)) is not None:
        path, kind = other
        problem = f"it is {kind}, not a file."
    if path is None or problem is None:
        return path, ()
    message = f"The texture {path.name} of link {subject.links[0]!r} cannot be used: {problem}"
    return None, (
        Finding(
            "MESH007", Severity.WARNING, message, location=Location(str(path)), subject=subject
        ),
    )
