"""Fit spheres to a mesh: from settings to spheres, figures, notes and the proof."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64, Bools
from editor_app.core.model.counting import format_count
from editor_app.core.tasks.task import SILENT, TaskReporter
from editor_app.features.spheres.engine.apart import (
    LoosePart,
    count_part_spheres,
    shared_out,
    split_solid,
)
from editor_app.features.spheres.engine.certificate import certify
from editor_app.features.spheres.engine.clipped import plane_rows, proof_above, to_prove
from editor_app.features.spheres.engine.protrusion import bound_protrusion
from editor_app.features.spheres.engine.quality import measure_solid
from editor_app.features.spheres.engine.results import (
    Certificate,
    FitResult,
    Quality,
    given_up_text,
)
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, Plane
from editor_app.features.spheres.engine.solid import (
    Solid,
    build_solid,
    has_inside,
    required_triangles,
)
from editor_app.features.spheres.engine.solid_fit import covered_by, finish, fit_solid, problem_of
from editor_app.features.spheres.engine.superfluous import (
    covers_alone,
    has_contact,
    without_contained,
)

_USUAL_SLACK = 0.035
#: Parts of a mesh that are measured by themselves.
_MEASURED_PARTS = 9
#: A sphere may reach so far behind a plane (metres): less is rounding.
_ROUNDED = 1e-7


def fit_spheres(
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike,
    settings: FitSettings,
    *,
    solid: Solid | None = None,
    reporter: TaskReporter = SILENT,
) -> FitResult:
    """Fit spheres to a mesh (vertices (n,3) in metres, faces (m,3)); same input and seed give the
    same spheres.

    solid: from ``build_solid``, for the same mesh; saves most of the time of a refit. A mesh
    without any surface gives an empty result with a note. Raises FittingError for settings that
    contradict each other. When cancelled it returns the best found so far, with a note.
    """
    cpu, wall = time.process_time(), time.perf_counter()
    notes: list[str] = []
    reporter.progress(0.0, "building the solid")
    if solid is None:
        try:
            solid = build_solid(vertices, faces)
        except FittingError as why:
            return FitResult(
                np.zeros((0, 4)),
                None,
                (str(why),),
                None,
                time.process_time() - cpu,
                time.perf_counter() - wall,
            )
    notes.extend(solid.notes)
    spheres = _spheres(solid, settings, notes, reporter)
    if reporter.cancelled():
        notes.append("Cancelled: these are the best spheres found so far.")

    out = _finished(spheres, settings)
    every = np.vstack([out, np.array(settings.locked, float).reshape(-1, 4)])
    certificate = (
        certify_solid(solid, every, settings.clip_planes) if settings.mode == "cover" else None
    )
    if certificate is not None and not certificate.certified:
        notes.append(certificate.text)
    if settings.number is not None and len(out) < settings.number and settings.mode != "inside":
        left_out = settings.number - len(out)
        notes.append(
            f"{left_out} of the {settings.number} spheres add no coverage and are left out."
        )
    quality = measure(solid, every)
    given_up = 1.0 - quality.surface_coverage if settings.clip_planes else 0.0
    if settings.clip_planes and settings.mode == "balanced":
        notes.append(given_up_text(given_up))
    reporter.progress(1.0, "done")
    return FitResult(
        out,
        quality,
        tuple(notes),
        certificate,
        time.process_time() - cpu,
        time.perf_counter() - wall,
        given_up,
    )


def _spheres(
    solid: Solid,
    settings: FitSettings,
    notes: list[str],
    reporter: TaskReporter,
) -> F64:
    """Spheres (n,4) in metres, without padding, each of which covers something alone."""
    if settings.mode == "inside" and not has_inside(solid):
        notes.append("An open surface has no inside: it gets no inner spheres.")
        return np.zeros((0, 4))
    balls = _usable_balls(settings)
    settings = replace(settings, balls=(), locked=(*settings.locked, *map(tuple, balls.tolist())))
    if len(balls) and covered_by(solid, balls):
        return balls
    number, parts = _number_and_parts(solid, settings)
    if number is not None:
        settings = replace(settings, number=number - len(balls), density=None)
    if len(parts) == 1:
        spheres = fit_solid(solid, settings, notes, reporter)
    else:
        spheres = _of_parts(parts, settings, notes, reporter)
    if len(parts) > 1 or settings.tolerance_m is not None or settings.mode == "inside":
        spheres = spheres[_adds_something(solid, spheres, settings, parts)]
    return np.vstack([balls, spheres])


def _adds_something(
    solid: Solid, spheres: F64, settings: FitSettings, parts: Sequence[LoosePart]
) -> Bools:
    """Which of spheres (n,4; metres) cover something alone; of a fit with a mirror plane, which
    touch the solid."""
    if settings.mirror is not None:
        return has_contact(solid, solid.spheres_to_canonical(spheres))
    locked = np.array(settings.locked, float).reshape(-1, 4)
    triangles = (
        to_prove(problem_of(solid, settings, locked=locked)) if settings.mode == "cover" else None
    )
    return covers_alone(solid, spheres, locked, triangles, [part.solid for part in parts])


def _usable_balls(settings: FitSettings) -> F64:
    """The balls (k,4; metres) that the mesh stands for, where each of them can be a sphere of the
    fit; else none."""
    balls = np.array(settings.balls, float).reshape(-1, 4)
    if not len(balls) or (settings.number is not None and settings.number < len(balls)):
        return np.zeros((0, 4))
    radii, most = balls[:, 3] + settings.padding, settings.max_radius
    fits = bool((radii >= settings.min_radius).all()) and (
        most is None or bool((radii <= most).all())
    )
    if settings.clip_planes:
        rows = plane_rows(settings.clip_planes)
        fits &= bool((balls[:, :3] @ rows[:, :3].T - rows[:, 3] >= radii[:, None] - _ROUNDED).all())
    if settings.mirror is not None:
        row = plane_rows([settings.mirror])[0]
        fits &= bool((np.abs(balls[:, :3] @ row[:3] - row[3]) < _ROUNDED).all())
    return balls if fits else np.zeros((0, 4))


def _number_and_parts(
    solid: Solid, settings: FitSettings
) -> tuple[int | None, tuple[LoosePart, ...]]:
    """How many spheres are to be shared out, None for as many as the tolerance takes; and the parts
    that get them."""
    most = settings.max_number if settings.number is None else settings.number
    parts = split_solid(solid, most - most // 2 + (most > 1))
    if settings.density is not None:
        usual = count_part_spheres(parts, _USUAL_SLACK * parts[0].solid.diagonal, 64)
        return int(np.clip(round(settings.density * usual), 1, settings.max_number)), parts
    return settings.number, parts


def _of_parts(
    parts: Sequence[LoosePart],
    settings: FitSettings,
    notes: list[str],
    reporter: TaskReporter,
) -> F64:
    """Spheres (n,4) in metres: each part fitted by itself, the small ones first."""
    numbers: Sequence[int | None] = [None] * len(parts)
    if settings.number is not None:
        numbers = shared_out(parts, settings.number)
    spheres = np.zeros((0, 4))
    for part, number in list(zip(parts, numbers, strict=True))[::-1]:
        part_notes: list[str] = []
        is_main = part is parts[0]
        of_part = replace(
            settings,
            number=number,
            max_number=max(1, settings.max_number - len(spheres)),
            mirror=settings.mirror if is_main else None,
        )
        more = _spheres(part.solid, of_part, part_notes, reporter if is_main else reporter.quiet)
        notes.append(
            f"{part.text}: {format_count(len(more), 'sphere')} cover{'s' * (len(more) == 1)} it."
        )
        if is_main:
            notes[-1:] = [note for note in (*part.solid.notes, *part_notes) if note not in notes]
        spheres = np.vstack([more, spheres])
    return without_contained(spheres, np.array(settings.locked, float).reshape(-1, 4))


def _finished(spheres: F64, settings: FitSettings) -> F64:
    """The spheres (n, 4) in metres as they are handed out: padded, none superfluous, the largest
    first."""
    if settings.padding:
        spheres[:, 3] += settings.padding
    if settings.tolerance_m is not None or settings.mode == "inside":
        spheres = without_contained(spheres, np.array(settings.locked, float).reshape(-1, 4))
    x, y, z, radius = spheres.T
    return spheres[np.lexsort((z, y, x, -radius))] if len(spheres) else spheres


def covered_again(solid: Solid, spheres: npt.ArrayLike, settings: FitSettings) -> F64:
    """Spheres (n,4) in metres that have moved, with radii that cover what the mode asks for; none
    superfluous."""
    moved = solid.spheres_to_canonical(spheres)
    moved[:, 3] -= settings.padding / solid.diagonal
    finished = finish(problem_of(solid, settings, locked=()), moved, settings, [])
    return _finished(solid.spheres_from_canonical(finished), settings)


def measure(solid: Solid, spheres: npt.ArrayLike) -> Quality:
    """Return the figures of spheres (n,4; metres) for a prepared solid, with the proven bound of
    their protrusion.

    Parts that lie apart are measured alone.
    """
    parts = [part.solid for part in split_solid(solid, _MEASURED_PARTS)]
    quality, bound = measure_solid(solid, spheres, parts), bound_protrusion(solid, spheres, parts)
    # The bound can be nearer to the truth than a rounded measurement, but never below it.
    return replace(
        quality, protrusion_bound=max(bound.most, quality.protrusion_max) if quality.count else None
    )


def certify_solid(
    solid: Solid, spheres: npt.ArrayLike, planes: Sequence[Plane] = ()
) -> Certificate:
    """The proof for the triangles of a prepared solid that can be reached from outside.

    Of spheres that planes clip, the proof holds above a band next to the planes, see
    ``Certificate.holds``.
    """
    if planes:
        rows = np.ascontiguousarray(np.asarray(spheres, float).reshape(-1, 4))
        return proof_above(solid, required_triangles(solid), rows, planes)
    return certify(
        solid.mesh.vertices, solid.mesh.faces, spheres, required=required_triangles(solid)
    )
