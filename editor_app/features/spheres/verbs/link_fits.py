"""Spheres of a fit as they are written, and what a fit consists of, as jobs: warm processes, loss,
fit, figures, curve.

A worker process keeps the solids of the last meshes, so that a refit costs only the fit: one that
has looked at a mesh to share the spheres out still knows its solid when it is asked to fit it.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64
from editor_app.core.late import load_late
from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.tasks.task import TaskReporter
from editor_app.features.spheres.engine import fit, robot
from editor_app.features.spheres.engine import solid as solids
from editor_app.features.spheres.engine.budget import LossCurve, loss_curve
from editor_app.features.spheres.engine.links import LinkFit, LinkJob, LinkMesh, mesh_digest
from editor_app.features.spheres.engine.results import Certificate, CurvePoint
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, Mode

#: What a process loads before its first job of a fit.
ENGINE = ("numpy", "editor_app.features.spheres.engine.fit")
#: Code of the finding that a fit of mode "cover" leaves.
CERTIFICATE = "FIT001"
_KEPT = 12
#: Spheres are written to the micrometre.
_STEP = 1e-6
#: A radius that is so many steps from a whole number of them is that number: 0.07 / 1e-6 is not
#: quite one.
_ROUNDED = 1e-6
#: A coordinate of a centre that is smaller is 0, metres.
_ON_AXIS = 2e-5
_solids: OrderedDict[str, solids.Solid] = OrderedDict()


def prepare_solid(mesh: LinkMesh) -> solids.Solid:
    """The prepared solid of a mesh, from this process's store when it is there. Raises FittingError
    for no surface."""
    key = mesh_digest(mesh)
    if key in _solids:
        _solids.move_to_end(key)
        return _solids[key]
    solid = _solids[key] = solids.build_solid(mesh.vertices, mesh.faces)
    while len(_solids) > _KEPT:
        _solids.popitem(last=False)
    return solid


def round_spheres(rows: npt.ArrayLike, mode: str = "cover") -> tuple[CollisionSphere, ...]:
    """Rows x, y, z, r rounded to the micrometre so that what holds stays true: a cover covers,
    inside stays inside.

    A centre next to an axis is written on it, as a person would. What lies within another sphere
    once it is written is left out: it would say nothing.
    """
    out = []
    for *place, r in np.asarray(rows, float).reshape(-1, 4).tolist():
        x, y, z = (0.0 if abs(value) < _ON_AXIS else round(value, 6) for value in place)
        center = (x, y, z)
        moved = math.dist(place, center)
        if mode == "inside":
            r = max(_STEP, math.floor((r - moved) / _STEP + _ROUNDED) * _STEP)
        elif mode == "cover":
            r = math.ceil((r + moved) / _STEP - _ROUNDED) * _STEP
        out.append(CollisionSphere(center, round(r, 6)))
    return tuple(each for i, each in enumerate(out) if not _is_held(each, out[:i], out[i + 1 :]))


def _is_held(
    sphere: CollisionSphere, before: list[CollisionSphere], behind: list[CollisionSphere]
) -> bool:
    """Whether another sphere holds this one; of equal ones the first stays."""
    return any(
        math.dist(sphere.center, other.center) + sphere.radius <= other.radius
        and (earlier or other != sphere)
        for others, earlier in ((before, True), (behind, False))
        for other in others
    )


def stack_spheres(spheres: Iterable[CollisionSphere]) -> F64:
    """(n, 4) array x, y, z, r."""
    return np.array([(*s.center, s.radius) for s in spheres], float).reshape(-1, 4)


def certificate_finding(link: str, certificate: Certificate) -> Finding:
    """Build the finding of a cover fit's proof."""
    severity = Severity.INFO if certificate.holds else Severity.WARNING
    return Finding(
        CERTIFICATE,
        severity,
        f"{link}: {certificate.text}",
        subject=FindingSubject(links=(link,), section="fit"),
    )


def compute_quality_curve(
    reporter: TaskReporter, mesh: LinkMesh, settings: FitSettings, numbers: tuple[int, ...]
) -> int:
    """Fit a mesh with each number of spheres; partial results (CurvePoint). Return how many were
    fitted.

    Coarse first: both ends and the middle come before the rest, so that a chart has its shape
    early.
    """
    try:
        solid = prepare_solid(mesh)
    except FittingError:
        return 0
    order = _coarse_first(sorted(set(numbers)))
    for count, number in enumerate(order):
        if reporter.cancelled():
            return count
        asked = replace(settings, number=number, tolerance_m=None, density=None)
        result = fit.fit_spheres(solid.mesh.vertices, solid.mesh.faces, asked, solid=solid)
        reporter.progress((count + 1) / len(order), f"{number} spheres")
        assert result.quality is not None
        reporter.partial(CurvePoint(number, result.spheres, result.quality))
    return len(order)


def load_engine() -> None:
    """Loads the classes that results are made of; without it the first of them would hold a window
    up."""
    # A fit tells what is missing.
    with contextlib.suppress(ImportError):
        load_late(fit)


#: Whether this process has loaded the engine.
_prepared = False


def prepare_fitting(reporter: TaskReporter) -> float:
    """A job: loads the engine and its compiled code (compiles it, the first time on a machine) by
    fitting small boxes.

    Gives the seconds that it took; a process that is prepared does nothing.
    """
    global _prepared
    if _prepared:
        return 0.0
    modes: tuple[Mode, ...] = ("cover", "inside")
    started = time.perf_counter()
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-2, 2)], float) * 0.05
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    triangles = np.array(faces, np.int32)
    solid = solids.build_solid(corners, triangles)
    loss_curve(solid, 4)
    for mode in modes:
        fit.fit_spheres(
            corners, triangles, FitSettings(number=2, mode=mode, effort="fast"), solid=solid
        )
    # Without its lid: how far openings are to be closed is found out by loops of its own.
    solids.build_solid(corners, triangles[:-2])
    _prepared = True
    return time.perf_counter() - started


def compute_loss_curve(reporter: TaskReporter, mesh: LinkMesh, most: int) -> LossCurve | None:
    """Return the loss curve of a mesh up to so many spheres; None when it has no surface, or after
    a cancel."""
    if reporter.cancelled():
        return None
    try:
        return loss_curve(prepare_solid(mesh), most, mesh.balls)
    except FittingError:
        return None


def fit_link(reporter: TaskReporter, job: LinkJob) -> list[LinkFit]:
    """Run one job of a plan; return the fits of the links that share the mesh, none after a
    cancel."""
    if reporter.cancelled():
        return []
    try:
        solid = prepare_solid(job.mesh)
    except FittingError:
        # The notes of the fit report the fault of the mesh.
        solid = None
    fits = robot.fit_job(job, solid=solid, reporter=reporter)
    return [] if reporter.cancelled() else fits


def _coarse_first(numbers: list[int]) -> list[int]:
    order: list[int] = []
    queue = [(0, len(numbers) - 1)]
    for end in (0, len(numbers) - 1):
        if numbers and numbers[end] not in order:
            order.append(numbers[end])
    while queue:
        low, high = queue.pop(0)
        if high - low < 2:
            continue
        middle = (low + high) // 2
        order.append(numbers[middle])
        queue += [(low, middle), (middle, high)]
    return order
