"""Fitting all links of a robot: who gets how many spheres, identical meshes once, one picklable job per mesh."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from editor_app.fitting.fit import FitResult, fit_spheres
from editor_app.fitting.search import Progress
from editor_app.fitting.settings import FitSettings, FittingError
from editor_app.fitting.solid import Floats, Solid, build_solid
from editor_app.fitting.start import cover_start


@dataclass(frozen=True, eq=False)
class LinkMesh:
    """A link's geometry in the link's frame: vertices (n,3) metres, faces (m,3)."""

    link: str
    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LinkJob:
    """One fit, for all links that share this mesh. Picklable: hand it to ``run_job`` in any process."""

    links: tuple[str, ...]
    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]
    settings: FitSettings


@dataclass(frozen=True, eq=False)
class LinkFit:
    """Result for one link; ``result.solid`` is left out, so that it travels between processes cheaply."""

    link: str
    result: FitResult
    shared_with: tuple[str, ...] = ()


def plan_tolerance(meshes: Sequence[LinkMesh], settings: FitSettings) -> list[LinkJob]:
    """One job per distinct mesh, each with the settings as they are (tolerance, density or number per link)."""
    return [LinkJob(links, m.vertices, m.faces, settings) for links, m in _distinct(meshes)]


def plan_budget(
    meshes: Sequence[LinkMesh],
    total: int,
    settings: FitSettings,
    *,
    on_progress: Progress | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> list[LinkJob]:
    """Jobs whose numbers of spheres add up to at most ``total``: each next sphere goes where it lowers the loss most.

    The loss of a link with n spheres is its surface times the slack of its best greedy cover (metres³, an upper bound
    of the excess volume), counted for every link that shares the mesh. Meshes without surface get none.
    Raises FittingError when there are more links than spheres.
    """
    groups = [(links, m, _solid_or_none(m)) for links, m in _distinct(meshes)]
    usable = [(links, m, solid) for links, m, solid in groups if solid is not None]
    needed = sum(len(links) for links, _, _ in usable)
    if total < needed:
        raise FittingError(f"A budget of {total} spheres is too small for {needed} links: give at least one to each.")
    numbers = [1] * len(usable)
    left = total - needed
    curves = [_Slack(solid) for _, _, solid in usable]
    queue: list[tuple[float, int, int]] = []

    def offer(k: int) -> None:
        # One more sphere often gains nothing where two or twice as many do: without looking ahead, a link would starve.
        n = numbers[k]
        steps = sorted({max(1, n // 8), n, 3 * n})
        now = curves[k].loss(n)
        gain, step = max(((now - curves[k].loss(n + s)) / s, -s) for s in steps)
        heapq.heappush(queue, (-gain, k, -step))

    for k in range(len(usable)):
        offer(k)
        if on_progress is not None:
            on_progress((k + 1) / len(usable), "sharing out the spheres")
    while queue and left > 0:
        if is_cancelled is not None and is_cancelled():
            break
        _, k, step = heapq.heappop(queue)
        share = len(usable[k][0])
        step = min(step, left // share)
        if step < 1:
            continue
        numbers[k] += step
        left -= step * share
        offer(k)
    jobs = [
        LinkJob(links, m.vertices, m.faces, replace(settings, number=n, tolerance_m=None, density=None))
        for (links, m, _), n in zip(usable, numbers, strict=True)
    ]
    jobs += [
        LinkJob(links, m.vertices, m.faces, replace(settings, number=1, tolerance_m=None, density=None))
        for links, m, solid in groups
        if solid is None
    ]
    return jobs


def run_job(
    job: LinkJob,
    *,
    on_progress: Progress | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> list[LinkFit]:
    """Fit one job: a result for each of its links. Never raises for a bad mesh: the notes say what is wrong."""
    result = fit_spheres(job.vertices, job.faces, job.settings, on_progress=on_progress, is_cancelled=is_cancelled)
    result = replace(result, solid=None)
    return [LinkFit(link, result, tuple(other for other in job.links if other != link)) for link in job.links]


def fit_links(
    jobs: Sequence[LinkJob],
    *,
    on_progress: Callable[[str, float, str], None] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> Iterator[LinkFit]:
    """Fit job after job in this process, yielding each link as it is done; stops between links when cancelled.

    on_progress(link, fraction, sentence). For several processes map ``run_job`` over the jobs instead.
    """
    for job in jobs:
        if is_cancelled is not None and is_cancelled():
            return

        def report(fraction: float, text: str, link: str = job.links[0]) -> None:
            if on_progress is not None:
                on_progress(link, fraction, text)

        done = run_job(job, on_progress=report, is_cancelled=is_cancelled)
        if is_cancelled is not None and is_cancelled():
            return
        yield from done


def largest_first(jobs: Sequence[LinkJob]) -> list[LinkJob]:
    """Jobs by falling cost, so that several workers finish together."""
    return sorted(jobs, key=lambda job: -(len(job.faces) + 1500 * (job.settings.number or 16)))


class _Slack:
    """Loss of one link against number of spheres, from greedy covers, each computed once."""

    def __init__(self, solid: Solid) -> None:
        self._solid = solid
        self._known: dict[int, float] = {}

    def loss(self, number: int) -> float:
        if number not in self._known:
            _, slack = cover_start(self._solid, number)
            best = min((v for n, v in self._known.items() if n < number), default=float("inf"))
            self._known[number] = min(best, slack * self._solid.diagonal * self._solid.outer_area)
        return self._known[number]


def _distinct(meshes: Sequence[LinkMesh]) -> list[tuple[tuple[str, ...], LinkMesh]]:
    """Links grouped by equal geometry in their own frame (to a micrometre), in order of first appearance."""
    groups: dict[str, tuple[list[str], LinkMesh]] = {}
    for mesh in meshes:
        rounded: Floats = np.round(np.asarray(mesh.vertices, float), 6) + 0.0
        digest = hashlib.sha256(rounded.tobytes())
        digest.update(np.ascontiguousarray(mesh.faces, np.int64).tobytes())
        groups.setdefault(digest.hexdigest(), ([], mesh))[0].append(mesh.link)
    return [(tuple(links), mesh) for links, mesh in groups.values()]


def _solid_or_none(mesh: LinkMesh) -> Solid | None:
    try:
        return build_solid(mesh.vertices, mesh.faces)
    except FittingError:
        return None
