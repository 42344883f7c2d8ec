"""Mesh files that are not on this machine, or cannot be read: nothing fits, draws or checks what they would show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from editor_app.checks.rule import WARNING, CheckContext, flaw, rule
from editor_app.edit.commands.fields import OfLink, PartOf, SetField
from editor_app.edit.commands.tools import AllOf
from editor_app.geometry.link_geometry import Kind, MeshStore, absurd_size, link_geometry
from editor_app.geometry.paths import missing_meshes
from editor_app.model.findings import Finding
from editor_app.model.robot import Change
from editor_app.model.urdf import Link, Mesh


@rule("MESH001", "A mesh file that is not found", "urdf", "urdf urdf_source urdf_path mappings", file="urdf")
def meshes_are_found(c: CheckContext) -> Iterable[Finding]:
    """One finding for each file; one for all files of a package whose folder is nowhere."""
    if c.urdf_path is None:
        return
    for missing in missing_meshes(c.urdf, c.urdf_path, c.mappings):
        place = c.urdf_source.link_location(missing.links[0]) if c.urdf_source is not None else None
        yield flaw(WARNING, missing.sentence(), links=tuple(missing.links), section="mesh", location=place)


@rule(
    "MESH003",
    "A mesh file that cannot be read",
    "urdf",
    "urdf urdf_path mappings",
    file="urdf",
    slow=True,
    also={
        "MESH002": "A mesh file of a format that is not read",
        "MESH004": "A mesh file without a triangle",
        "MESH005": "A mesh file that is read in part",
        "MESH006": "A mesh file of absurd size",
        "MESH007": "A texture or material library that is not found",
        "MESH008": "A mesh of absurd size",
    },
)
def meshes_are_read(c: CheckContext) -> Iterable[Finding]:
    """What loading all meshes says."""
    if c.urdf_path is None:
        return
    store = MeshStore(c.urdf_path, c.mappings)
    kinds: tuple[Kind, ...] = ("collision", "visual")
    for link in c.urdf.links:
        shapes = [link_geometry(c.urdf, c.urdf_path, link, kind, store=store) for kind in kinds]
        findings = dict.fromkeys(finding for each in shapes for finding in each.findings)
        large = any(finding.code == "MESH008" for finding in findings)
        fixes = _scaled(link, store) if large else ()
        yield from (replace(f, fixes=fixes) if f.code == "MESH008" else f for f in findings)


def _scaled(link: Link, store: MeshStore) -> tuple[Change, ...]:
    """The remedy for meshes that are too large: millimetres."""
    changes: list[Change] = []
    for kind, shapes in (("visuals", link.visuals), ("collisions", link.collisions)):
        for i, mesh in enumerate(shape.geometry for shape in shapes):
            path = store.find(mesh.filename) if isinstance(mesh, Mesh) else None
            if isinstance(mesh, Mesh) and path is not None and absurd_size(store.load(path), mesh.scale):
                x, y, z = mesh.scale
                smaller = replace(mesh, scale=(x / 1000, y / 1000, z / 1000))
                changes.append(SetField(PartOf(OfLink(link.name), f"{kind}.{i}"), "geometry", smaller, ""))
    return (AllOf(tuple(changes), f"Take the meshes of {link.name} as millimetres"),) if changes else ()
