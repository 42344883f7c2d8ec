"""The meshes of links, loaded one by one for the window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from editor_app.core.model.urdf import Urdf
from editor_app.core.space.geometry.link_geometry import (
    Kind,
    LinkGeometry,
    MeshStore,
    NotDecodedError,
    link_geometry,
)
from editor_app.core.tasks.task import TaskReporter

#: Seconds that may be spent on what is decoded already before the rest is left to a worker.
_PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class LoadMeshes:
    """Reports a LinkGeometry for each as a partial result; `wanted` lists (kind, link) in the order
    to load them.

    `mappings`: (what an address begins with, folder), see geometry.paths.
    """

    urdf: Urdf
    urdf_path: Path | None
    wanted: tuple[tuple[Kind, str], ...]
    mappings: tuple[tuple[str, Path], ...] = ()

    def __call__(self, reporter: TaskReporter) -> int:
        for _, load in self._each(reporter, decodes=True):
            reporter.partial(load())
        return len(self.wanted)

    def decoded(self, reporter: TaskReporter) -> tuple[list[LinkGeometry], LoadMeshes | None]:
        """Return what needs no decoding, loaded at once in this process, and the job for the
        rest."""
        geometries: list[LinkGeometry] = []
        rest: list[tuple[Kind, str]] = []
        started = time.monotonic()
        for wanted, load in self._each(reporter, decodes=False):
            if time.monotonic() - started > _PATIENCE:
                rest.append(wanted)
                continue
            try:
                geometries.append(load())
            except NotDecodedError:
                rest.append(wanted)
        return geometries, replace(self, wanted=tuple(rest)) if rest else None

    def _each(
        self, reporter: TaskReporter, *, decodes: bool
    ) -> Iterator[tuple[tuple[Kind, str], Callable[[], LinkGeometry]]]:
        """Yield (kind, link), and how its geometry is loaded, until a cancel."""
        store = MeshStore(self.urdf_path, dict(self.mappings), decodes=decodes)
        links = {link.name: link for link in self.urdf.links}
        for i, (kind, name) in enumerate(self.wanted):
            if reporter.cancelled():
                return
            reporter.progress(i / len(self.wanted), name)
            yield (
                (kind, name),
                partial(link_geometry, self.urdf, self.urdf_path, links[name], kind, store=store),
            )
