"""Mesh files that are not on this machine, or cannot be read: nothing fits, draws or checks what they would show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import WARNING, flaw, rule
from editor_app.edit.commands.fields import OfLink, PartOf, SetField
from editor_app.edit.commands.several import AllOf
from editor_app.geometry.link_geometry import Kind, MeshStore, absurd_size, link_geometry
from editor_app.geometry.paths import Resolution, explain_mesh_path
from editor_app.model.change import Change
from editor_app.model.counting import counted
from editor_app.model.findings import Finding, Location
from editor_app.model.urdf import Link, Mesh

#: Links and files that a sentence names.
_NAMED = 4


@dataclass(slots=True)
class _Lost:
    """Meshes that are missed together: `files` as written, by `links`."""

    resolution: Resolution
    files: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)


@rule("MESH001", "A mesh file that is not found", "urdf", "urdf urdf_source urdf_path mappings", file="urdf")
def meshes_are_found(c: CheckContext) -> Iterable[Finding]:
    """One finding for each file; one for all files of a package whose folder is nowhere."""
    if c.urdf_path is None:
        return
    lost: dict[str, _Lost] = {}
    resolved: dict[str, Resolution] = {}
    for link in c.urdf.links:
        for geometry in (shape.geometry for shapes in (link.visuals, link.collisions) for shape in shapes):
            if not isinstance(geometry, Mesh) or not geometry.filename:
                continue
            name = geometry.filename
            if name not in resolved:
                resolved[name] = explain_mesh_path(name, c.urdf_path, c.mappings)
            resolution = resolved[name]
            if resolution.path is not None:
                continue
            together = name if resolution.tried or resolution.package is None else f"package://{resolution.package}"
            one = lost.setdefault(together, _Lost(resolution))
            one.files += [name] if name not in one.files else []
            one.links += [link] if link not in one.links[-1:] else []
    for one in lost.values():
        links = tuple(link.name for link in one.links)
        yield flaw(WARNING, _message(one, links), links=links, section="mesh", location=_place(c, one.links[0]))


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


def _message(lost: _Lost, links: tuple[str, ...]) -> str:
    names = ", ".join(map(repr, links[:_NAMED]))
    more = f" and {len(links) - _NAMED} more" if len(links) > _NAMED else ""
    whose = f"link{'s' if len(links) > 1 else ''} {names}{more}"
    if len(lost.files) == 1:
        return f"The mesh of {whose} is missing: {lost.resolution.explain()}"
    package = lost.resolution.package
    return (
        f"{counted(len(lost.files), 'mesh', 'meshes')} of {whose} are missing: no folder of the package {package!r} "
        f"was found, which {lost.files[0]} is in."
    )


def _place(c: CheckContext, link: Link) -> Location | None:
    source = c.urdf_source
    if source is None:
        return None
    try:
        return source.document.location(source.element(link))
    except KeyError:
        return None
