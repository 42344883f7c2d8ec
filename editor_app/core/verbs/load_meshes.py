"""The meshes of links, loaded one by one for the window."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.core.model.urdf import Urdf
from editor_app.core.space.geometry.link_geometry import Kind, LinkGeometry, MeshStore, NotDecodedError, link_geometry
from editor_app.core.tasks.job import Report

#: Seconds that may be spent on what is decoded already before the rest is left to a worker.
_PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class LoadMeshes:
    """Reports a LinkGeometry for each as a partial result; `wanted` lists (kind, link) in the order to load them.

    `mappings`: (what an address begins with, folder), see geometry.paths.
    """

    urdf: Urdf
    urdf_path: Path | None
    wanted: tuple[tuple[Kind, str], ...]
    mappings: tuple[tuple[str, Path], ...] = ()

    def __call__(self, report: Report) -> int:
        store = MeshStore(self.urdf_path, dict(self.mappings))
        links = {link.name: link for link in self.urdf.links}
        for i, (kind, name) in enumerate(self.wanted):
            report.progress(i / len(self.wanted), name)
            report.partial(link_geometry(self.urdf, self.urdf_path, links[name], kind, store=store))
        return len(self.wanted)

    def decoded(self, report: Report) -> tuple[list[LinkGeometry], LoadMeshes | None]:
        """Return what needs no decoding, loaded at once in this process, and the job for the rest."""
        store = MeshStore(self.urdf_path, dict(self.mappings), decodes=False)
        links = {link.name: link for link in self.urdf.links}
        geometries: list[LinkGeometry] = []
        rest: list[tuple[Kind, str]] = []
        started = time.monotonic()
        for i, (kind, name) in enumerate(self.wanted):
            report.progress(i / len(self.wanted), name)
            if time.monotonic() - started > _PATIENCE:
                rest.append((kind, name))
                continue
            try:
                geometries.append(link_geometry(self.urdf, self.urdf_path, links[name], kind, store=store))
            except NotDecodedError:
                rest.append((kind, name))
        return geometries, replace(self, wanted=tuple(rest)) if rest else None
