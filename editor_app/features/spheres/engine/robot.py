"""The fit of one mesh for all links that share it, also where it is turned, mirrored or a near
twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from editor_app.core.arrays import F64, I32
from editor_app.core.tasks.task import SILENT, TaskReporter
from editor_app.features.spheres.engine.alike import IDENTITY
from editor_app.features.spheres.engine.fit import certify_solid, fit_spheres, measure
from editor_app.features.spheres.engine.links import LinkFit, LinkJob
from editor_app.features.spheres.engine.results import FitResult, Placement
from editor_app.features.spheres.engine.settings import FitSettings, FittingError
from editor_app.features.spheres.engine.solid import Solid, build_solid
from editor_app.features.spheres.engine.superfluous import without_contained

#: How often a sphere grows to close what is open of a nearly mirrored mesh, and by how much more
#: than is missing (m).
_GROWTHS, _SLACK = 60, 5e-5


def fit_job(
    job: LinkJob,
    *,
    solid: Solid | None = None,
    reporter: TaskReporter = SILENT,
) -> list[LinkFit]:
    """Fit one job: a result for each of its links. Never raises for a bad mesh: the notes say what
    is wrong.

    `solid` is that of the job's mesh when it is known already.
    """
    if job.mesh.twin is not None and job.settings.mode == "inside":
        # Inside of one is not inside of the other.
        return [fit for each in _apart(job) for fit in fit_job(each, reporter=reporter.quiet)]
    result = fit_spheres(
        job.mesh.vertices, job.mesh.faces, job.settings, solid=solid, reporter=reporter
    )
    settings = job.settings
    results = [result] * len(job.links) if job.mesh.twin is None else _proven_apart(job, result)
    in_the_frame = bool(settings.clip_planes or settings.locked or settings.mirror is not None)
    fits = []
    for k, link in enumerate(job.links):
        place = job.mesh.copies[k] if job.mesh.copies else IDENTITY
        link_result = result = results[k]
        if not place.is_identity or place.error:
            if in_the_frame and not place.is_identity:
                # Planes and locked spheres lie where they are, not where the mesh is.
                turned = place.points(job.mesh.vertices)
                balls = tuple((x, y, z, r) for x, y, z, r in place.spheres(settings.balls).tolist())
                placed = replace(settings, balls=balls)
                link_result = fit_spheres(turned, job.mesh.faces, placed, reporter=reporter.quiet)
                link_result = replace(
                    link_result, spheres=_grown(link_result.spheres, place, settings)
                )
            else:
                link_result = _placed(result, place, settings)
        fits.append(
            LinkFit(link, link_result, tuple(other for other in job.links if other != link))
        )
    return fits


def _parts(job: LinkJob) -> list[I32]:
    """The faces of both meshes of a twin."""
    assert job.mesh.twin is not None
    return [job.mesh.faces[: job.mesh.twin[1]], job.mesh.faces[job.mesh.twin[1] :]]


def _apart(job: LinkJob) -> list[LinkJob]:
    """A job for each of two meshes that were laid over each other."""
    assert job.mesh.twin is not None
    mesh, count = job.mesh, job.mesh.twin[0]
    return [
        replace(
            job,
            links=job.links[half],
            mesh=replace(mesh, copies=mesh.copies[half], faces=faces, twin=None),
        )
        for half, faces in zip((slice(0, count), slice(count, None)), _parts(job), strict=True)
    ]


def _proven_apart(job: LinkJob, result: FitResult) -> list[FitResult]:
    """The result of a fit to two meshes laid over each other, for each link with figures and proof
    of its own mesh.

    What of either mesh lies inside the other was not asked of the fit: where it is open, the
    nearest sphere grows.
    """
    assert job.mesh.twin is not None
    try:
        solids = [build_solid(job.mesh.vertices, faces) for faces in _parts(job)]
    except FittingError:
        return [result] * len(job.links)
    spheres = result.spheres
    if job.settings.mode == "cover":
        for solid in solids:
            spheres = _covering(solid, spheres)
        spheres = without_contained(spheres)
    results = []
    for solid in solids:
        certificate = certify_solid(solid, spheres) if job.settings.mode == "cover" else None
        notes = [
            note
            for note in result.notes
            if result.certificate is None or note != result.certificate.text
        ]
        if certificate is not None and not certificate.certified:
            notes.append(certificate.text)
        quality = measure(solid, spheres)
        results.append(
            replace(
                result,
                spheres=spheres,
                quality=quality,
                certificate=certificate,
                notes=tuple(notes),
            )
        )
    return [results[k >= job.mesh.twin[0]] for k in range(len(job.links))]


def _covering(solid: Solid, spheres: F64) -> F64:
    """The spheres (n,4), the one next to each open spot grown until the surface of the solid is
    proven covered."""
    grown = spheres.copy()
    for _ in range(_GROWTHS):
        proof = certify_solid(solid, grown)
        if proof.certified or proof.open_spot is None:
            break
        gaps = np.linalg.norm(grown[:, :3] - np.array(proof.open_spot), axis=1) - grown[:, 3]
        nearest = int(np.argmin(gaps))
        grown[nearest, 3] += max(float(gaps[nearest]), 0.0) + _SLACK
    return grown


def _grown(spheres: F64, place: Placement, settings: FitSettings) -> F64:
    """What vertices of the copy are off (rounding in its file) is added or taken off, so that a
    promise holds."""
    grow = {"cover": 1.0, "inside": -1.0}.get(settings.mode, 0.0) * place.error
    return np.column_stack([spheres[:, :3], np.maximum(spheres[:, 3] + grow, 1e-6)])


def _placed(result: FitResult, place: Placement, settings: FitSettings) -> FitResult:
    """The result for a copy of the mesh that lies elsewhere or is mirrored; figures do not change
    by that."""
    spheres = _grown(place.spheres(result.spheres), place, settings)
    old = result.certificate
    if old is None or old.open_spot is None:
        return replace(result, spheres=spheres)
    x, y, z = place.points(old.open_spot)[0].tolist()
    new = replace(old, open_spot=(x, y, z))
    notes = tuple(new.text if note == old.text else note for note in result.notes)
    return replace(result, spheres=spheres, certificate=new, notes=notes)
