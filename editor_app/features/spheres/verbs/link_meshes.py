"""The meshes of links that are chosen for a fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from editor_app.core.space.geometry.link_geometry import (
    Kind,
    LinkGeometry,
    MeshStore,
    link_geometry,
)
from editor_app.core.space.geometry.partial_shapes import Unlike, find_partial_links
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.engine.settings import USUAL_GEOMETRY, Geometry
from editor_app.features.spheres.verbs.surface_kind import surface_kind


@dataclass(frozen=True, slots=True)
class SkippedLink:
    link: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class LinkMeshes:
    """`kinds`: what each mesh is. `bare`: links whose collision shapes do not stand for them, and
    how little they do (0..1, see `Unlike`). `notes`: what is wrong with meshes, and what was fitted
    to in the place of what was asked for. `missing`: links of which a mesh file that was to be
    fitted to is not found."""

    meshes: list[LinkMesh] = field(default_factory=list)
    kinds: dict[str, Kind] = field(default_factory=dict)
    skipped: list[SkippedLink] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    bare: dict[str, float] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def link_meshes(
    placed: PlacedRobot,
    links: Iterable[str],
    geometry: Geometry = USUAL_GEOMETRY,
    *,
    measure: bool = False,
) -> LinkMeshes:
    """The meshes of links, in their frames (metres); `measure`: how much collision shapes leave
    bare, too."""
    store = MeshStore(placed.urdf_path, placed.packages)
    preferred: Kind = "visual" if geometry == "visual" else "collision"
    gathered, names = LinkMeshes(), tuple(links)

    @cache
    def shapes(name: str, kind: Kind) -> LinkGeometry:
        return link_geometry(placed.robot.urdf, placed.urdf_path, name, kind, store=store)

    is_measured = preferred == "collision" and (measure or geometry == "auto")
    unlike = find_partial_links(placed.robot.urdf, shapes, names) if is_measured else {}
    for name in names:

        def has(kind: Kind, name: str = name) -> bool:
            return shapes(name, kind).triangles > 0

        kind = surface_kind(geometry, has, name in unlike)
        # Of a visual shape that was only measured nothing is told, and nothing of it is missed.
        told: tuple[Kind, ...] = (
            ("collision", "visual") if kind is None else tuple(dict.fromkeys((preferred, kind)))
        )
        if any(shapes(name, each).missing for each in told):
            gathered.missing.append(name)
        if kind is None:
            wrong = " ".join(text for each in told for text in _faults(shapes(name, each), store))
            gathered.skipped.append(
                SkippedLink(name, wrong or "it has no collision geometry, and no visual geometry")
            )
            continue
        if not has(preferred):
            gathered.notes.append(
                f"{name}: it has no {preferred} geometry, so its {kind} geometry is used"
            )
        elif name in unlike:
            gathered.bare[name] = unlike[name].share
            gathered.notes.append(_bare_note(name, unlike[name], used=kind == "visual"))
        gathered.notes.extend(
            f"{name}: {text}" for each in told for text in _faults(shapes(name, each), store)
        )
        seen = shapes(name, "visual").parts if kind == "collision" else ()
        gathered.meshes.append(LinkMesh.of_parts(name, shapes(name, kind).parts, seen))
        gathered.kinds[name] = kind
    return gathered


def _faults(geometry: LinkGeometry, store: MeshStore) -> list[str]:
    """What is wrong with the shapes of a link: files that are missing, and files that are
    broken."""
    missing = [
        f"Its {geometry.kind} mesh is missing: {store.explain(name)}" for name in geometry.missing
    ]
    return missing + [finding.message for finding in geometry.findings]


def _bare_note(link: str, unlike: Unlike, *, used: bool) -> str:
    text = f"{link}: {unlike.text}"
    return text + (
        ", so it is fitted to the visual geometry"
        if used
        else "; geometry auto fits the visual geometry there"
    )
