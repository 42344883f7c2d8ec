"""Mesh files that are not on this machine, or cannot be read: nothing fits, draws or checks what
they would show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from editor_app.core.document.commands.fields import OfLink, PartOf, SetField
from editor_app.core.document.commands.tools import AllOf
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Finding, Location
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import Link, Mesh, Urdf
from editor_app.core.space.geometry.link_geometry import (
    Kind,
    LinkGeometry,
    MeshStore,
    link_geometry,
)
from editor_app.core.space.geometry.mesh import merge_parts
from editor_app.core.space.geometry.paths import missing_meshes
from editor_app.core.space.geometry.strays import stray_parts
from editor_app.core.space.geometry.units import longest_step
from editor_app.features.checks.engine.rule import WARNING, CheckContext, flaw, rule


@rule(
    "MESH001",
    "A mesh file that is not found",
    "urdf",
    "urdf urdf_source urdf_path mappings",
    file="urdf",
)
def meshes_are_found(c: CheckContext) -> Iterable[Finding]:
    """One finding for each file; one for all files of a package whose folder is nowhere."""
    if c.urdf_path is None:
        return
    for missing in missing_meshes(c.urdf, c.urdf_path, c.mappings):
        place = c.urdf_source.link_location(missing.links[0]) if c.urdf_source is not None else None
        yield flaw(
            WARNING, missing.sentence(), links=tuple(missing.links), section="mesh", location=place
        )


@rule(
    "MESH003",
    "A mesh file that cannot be read",
    "urdf",
    "urdf urdf_path mappings",
    file="urdf",
    slow=True,
    also={
        "MESH002": "A mesh file in an unsupported format",
        "MESH004": "A mesh file without triangles",
        "MESH005": "A mesh file that is read partly",
        "MESH006": "A huge mesh file",
        "MESH007": "A texture or material library that is not found",
        "MESH008": "A mesh too large for this robot",
        "MESH009": "A mesh too small for this robot",
        "MESH013": "A mesh with parts far from the rest",
    },
)
def meshes_are_read(c: CheckContext) -> Iterable[Finding]:
    """Yield the findings of loading all meshes."""
    if c.urdf_path is not None:
        # Of joints, only the longest step tells which meshes are too large.
        parts = (c.urdf.links, c.urdf.materials, longest_step(c.urdf), c.urdf_path, c.mappings)
        yield from c.memory.recall("mesh findings", parts, lambda: tuple(_mesh_findings(c)))


def _mesh_findings(c: CheckContext) -> Iterable[Finding]:
    store = MeshStore(c.urdf_path, c.mappings)
    kinds: tuple[Kind, ...] = ("collision", "visual")
    for link in c.urdf.links:
        shapes = [link_geometry(c.urdf, c.urdf_path, link, kind, store=store) for kind in kinds]
        findings = dict.fromkeys(finding for each in shapes for finding in each.findings)
        for finding in findings:
            label = _RESCALE.get(finding.code)
            fixes = (
                ()
                if label is None
                else _rescaled(c.urdf, link, store, finding.code, label.format(link.name))
            )
            yield replace(finding, fixes=fixes)
        yield from dict.fromkeys(finding for each in shapes for finding in _strays(each, store))


def _strays(geometry: LinkGeometry, store: MeshStore) -> Iterable[Finding]:
    """A finding for each mesh of a link with parts far from the rest: fits, masks and plans count
    them."""
    for i, shape in enumerate(geometry.shapes):
        path = store.find(shape.geometry.filename) if isinstance(shape.geometry, Mesh) else None
        if path is None:
            continue
        parts = [
            part
            for part, element in zip(geometry.parts, geometry.elements, strict=True)
            if element == i
        ]
        strays = stray_parts(*merge_parts(parts))
        if strays is None:
            continue
        x, y, z = strays.spot
        message = (
            f"{path.name}: {format_count(strays.count, 'part')} of at most "
            f"{1000 * strays.size:.3g} mm, "
            f"{1000 * strays.distance:.3g} mm or more away from the rest, the farthest at "
            f"({x:.3f}, {y:.3f}, "
            f"{z:.3f}) in link {geometry.link!r}: spheres and collision checks include these "
            "leftovers."
        )
        place = Location(str(path))
        yield flaw(
            WARNING, message, links=(geometry.link,), section="mesh", code="MESH013", location=place
        )


#: Code -> what its fix is called.
_RESCALE = {
    "MESH008": "Read the meshes of {} as millimetres",
    "MESH009": "Scale the meshes of {} up by 1,000",
}


def _rescaled(
    urdf: Urdf, link: Link, store: MeshStore, code: str, label: str
) -> tuple[Change, ...]:
    """The fix for the meshes of a link that are too large, or too small."""
    changes: list[Change] = []
    for kind, shapes in (("visuals", link.visuals), ("collisions", link.collisions)):
        for i, mesh in enumerate(shape.geometry for shape in shapes):
            fault = store.size_fault(urdf, mesh)
            if isinstance(mesh, Mesh) and fault is not None and fault.code == code:
                x, y, z = (value * fault.factor for value in mesh.scale)
                scaled = replace(mesh, scale=(x, y, z))
                changes.append(
                    SetField(PartOf(OfLink(link.name), f"{kind}.{i}"), "geometry", scaled, "")
                )
    return (AllOf(tuple(changes), label),) if changes else ()
