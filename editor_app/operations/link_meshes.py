"""The meshes that links are fitted to: collision shapes, visual ones, or what of both stands for the whole link."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from editor_app.model.robot import RobotDescription
from editor_app.tasks.job import Report

if TYPE_CHECKING:
    from editor_app.fitting.links import LinkMesh
    from editor_app.geometry.link_geometry import Kind, LinkGeometry

#: "auto": collision shapes, and the visual one where they leave a large part of it bare.
Geometry = Literal["collision", "visual", "auto"]


@dataclass(frozen=True, slots=True)
class SkippedLink:
    link: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class LinkMeshes:
    """`kinds`: what each mesh is. `bare`: share of the visual surface that a link's collision shapes leave bare, where
    that is much. `notes`: what is wrong with meshes, and what was fitted to in the place of what was asked for."""

    meshes: list[LinkMesh] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    skipped: list[SkippedLink] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    bare: dict[str, float] = field(default_factory=dict)


def geometry_to_fit(preferred: Kind, has: Callable[[Kind], bool]) -> Kind | None:
    """The kind of geometry that a link is fitted to: the preferred, else the other; None when it has neither."""
    other: Kind = "visual" if preferred == "collision" else "collision"
    return preferred if has(preferred) else other if has(other) else None


def link_meshes(
    robot: RobotDescription,
    urdf_path: Path | None,
    links: Iterable[str],
    geometry: Geometry = "collision",
    packages: Mapping[str, Path] | None = None,
    *,
    measure: bool = False,
) -> LinkMeshes:
    """The meshes of links, in their frames (metres); `measure`: how much collision shapes leave bare, too."""
    from editor_app.fitting.links import LinkMesh
    from editor_app.geometry.bare_surface import PARTIAL, bare_share
    from editor_app.geometry.link_geometry import MeshStore, link_geometry, merged

    store = MeshStore(urdf_path, packages)
    preferred: Kind = "visual" if geometry == "visual" else "collision"
    gathered = LinkMeshes()
    for name in links:
        loaded: dict[Kind, LinkGeometry] = {}

        def has(kind: Kind, name: str = name, loaded: dict[Kind, LinkGeometry] = loaded) -> bool:
            if kind not in loaded:
                loaded[kind] = link_geometry(robot.urdf, urdf_path, name, kind, store=store)
            return loaded[kind].triangles > 0

        kind = geometry_to_fit(preferred, has)
        if kind is None:
            wrong = "; ".join(f.message for each in loaded.values() for f in each.findings)
            gathered.skipped.append(SkippedLink(name, wrong or "it has no collision geometry, and no visual geometry"))
            continue
        if kind != preferred:
            gathered.notes.append(f"{name}: it has no {preferred} geometry to fit to, so its {kind} geometry is used")
        elif kind == "collision" and (measure or geometry == "auto") and has("visual"):
            share = bare_share(merged(loaded["visual"].parts), merged(loaded["collision"].parts))
            if share > PARTIAL:
                gathered.bare[name] = share
                kind = "visual" if geometry == "auto" else kind
                gathered.notes.append(_bare_note(name, share, used=kind == "visual"))
        # Of a visual shape that was only measured nothing is told.
        told = dict.fromkeys((preferred, kind))
        gathered.notes.extend(f"{name}: {finding.message}" for each in told for finding in loaded[each].findings)
        gathered.meshes.append(LinkMesh(name, *merged(loaded[kind].parts)))
        gathered.kinds[name] = kind
    return gathered


@dataclass(frozen=True, eq=False)
class PartialLinks:
    """A job: the links of `shapes` (link: visual, collision) whose collision shapes leave much of them bare."""

    shapes: Mapping[str, tuple[LinkGeometry, LinkGeometry]]

    def __call__(self, report: Report) -> frozenset[str]:
        from editor_app.geometry.bare_surface import PARTIAL, bare_share
        from editor_app.geometry.mesh import merged

        partial = set()
        for number, (link, (visual, collision)) in enumerate(self.shapes.items()):
            report.progress(number / len(self.shapes), link)
            if bare_share(merged(visual.parts), merged(collision.parts)) > PARTIAL:
                partial.add(link)
        return frozenset(partial)


def _bare_note(link: str, share: float, *, used: bool) -> str:
    text = f"{link}: its collision shapes leave {share * 100:.0f} % of the visible surface bare"
    return text + (", so it is fitted to that" if used else "; geometry auto fits to the visible shape there")
