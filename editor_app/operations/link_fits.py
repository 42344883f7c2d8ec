"""Spheres of a fit as they are written; figures of spheres that are there, and the curve of a link, as jobs.

A worker process keeps the solids of the last meshes, so that a refit costs only the fit.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from editor_app.fitting.results import Certificate, Quality
from editor_app.fitting.settings import FitSettings, FittingError
from editor_app.model.findings import Finding, Severity, Subject
from editor_app.model.xrdf import CollisionSphere
from editor_app.tasks.job import Report
from editor_app.tasks.stop_file import StopFile

if TYPE_CHECKING:
    from editor_app.fitting.links import LinkMesh
    from editor_app.fitting.solid import Solid

    Floats = npt.NDArray[np.float64]

#: Code of the finding that a fit of mode "cover" leaves.
CERTIFICATE = "FIT001"
_KEPT = 12
#: Spheres are written to the micrometre.
_STEP = 1e-6
#: A coordinate of a centre that is smaller is 0, metres.
_ON_AXIS = 2e-5
_solids: OrderedDict[str, Solid] = OrderedDict()


def solid_of(mesh: LinkMesh) -> Solid:
    """The prepared solid of a mesh, from this process's store when it is there. Raises FittingError for no surface."""
    from editor_app.fitting.links import mesh_digest
    from editor_app.fitting.solid import build_solid

    key = mesh_digest(mesh)
    if key in _solids:
        _solids.move_to_end(key)
        return _solids[key]
    solid = _solids[key] = build_solid(mesh.vertices, mesh.faces)
    while len(_solids) > _KEPT:
        _solids.popitem(last=False)
    return solid


def as_spheres(rows: npt.ArrayLike, mode: str = "cover") -> tuple[CollisionSphere, ...]:
    """Rows x, y, z, r rounded to the micrometre so that what holds stays true: a cover covers, inside stays inside.

    A centre next to an axis is written on it, as a person would. What lies within another sphere once it is written is
    left out: it would say nothing.
    """
    import numpy as np

    out = []
    for *place, r in np.asarray(rows, float).reshape(-1, 4).tolist():
        x, y, z = (0.0 if abs(value) < _ON_AXIS else round(value, 6) for value in place)
        center = (x, y, z)
        moved = math.dist(place, center)
        if mode == "inside":
            r = max(_STEP, math.floor((r - moved) / _STEP) * _STEP)
        elif mode == "cover":
            r = math.ceil((r + moved) / _STEP) * _STEP
        out.append(CollisionSphere(center, round(r, 6)))
    return tuple(each for i, each in enumerate(out) if not _is_held(each, out[:i], out[i + 1 :]))


def _is_held(sphere: CollisionSphere, before: list[CollisionSphere], behind: list[CollisionSphere]) -> bool:
    """Whether another sphere holds this one; of equal ones the first stays."""
    return any(
        math.dist(sphere.center, other.center) + sphere.radius <= other.radius and (earlier or other != sphere)
        for others, earlier in ((before, True), (behind, False))
        for other in others
    )


def as_rows(spheres: Iterable[CollisionSphere]) -> Floats:
    """(n, 4) array x, y, z, r."""
    import numpy as np

    return np.array([(*s.center, s.radius) for s in spheres], float).reshape(-1, 4)


def certificate_finding(link: str, certificate: Certificate) -> Finding:
    """What the proof of a cover fit says, for the list of findings."""
    severity = Severity.INFO if certificate.holds else Severity.WARNING
    return Finding(CERTIFICATE, severity, f"{link}: {certificate.text}", subject=Subject(links=(link,), section="fit"))


@dataclass(frozen=True, eq=False)
class Figures:
    """Quality and proof of spheres for a link; both None when the mesh has no surface (then `note` says why).

    Of a mesh with clip planes, what lies in or behind a plane counts in neither.
    """

    quality: Quality | None
    certificate: Certificate | None
    note: str = ""


@dataclass(frozen=True, eq=False)
class MeasureLinks:
    """Partial results (link, Figures) for spheres (n, 4) that are there."""

    items: tuple[tuple[LinkMesh, Floats], ...]

    def __call__(self, report: Report) -> int:
        for number, (mesh, spheres) in enumerate(self.items):
            report.progress(number / len(self.items), mesh.link)
            report.partial((mesh.link, figures_of(mesh, spheres)))
        return len(self.items)


def figures_of(mesh: LinkMesh, spheres: Floats) -> Figures:
    from editor_app.fitting.fit import certificate_of
    from editor_app.fitting.quality import measure_solid

    try:
        solid = solid_of(mesh)
    except FittingError as why:
        return Figures(None, None, str(why))
    quality = measure_solid(solid, spheres)
    if mesh.clip_planes:
        from editor_app.fitting.clipped import share_given_up

        quality = replace(quality, surface_coverage=1.0 - share_given_up(solid, spheres, mesh.clip_planes))
    return Figures(quality, certificate_of(solid, spheres, mesh.clip_planes) if len(spheres) else None)


@dataclass(frozen=True, eq=False)
class QualityCurve:
    """Partial results (CurvePoint) of fast fits, coarse first."""

    mesh: LinkMesh
    settings: FitSettings
    numbers: tuple[int, ...]
    stop: StopFile | None = None

    def __call__(self, report: Report) -> int:
        from editor_app.fitting.curve import quality_curve

        try:
            solid = solid_of(self.mesh)
        except FittingError:
            return 0
        count = 0
        for point in quality_curve(solid, self.numbers, self.settings, is_cancelled=self.stop):
            count += 1
            report.progress(count / len(self.numbers), f"{point.number} spheres")
            report.partial(point)
        return count
