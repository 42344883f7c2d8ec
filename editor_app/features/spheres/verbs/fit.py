"""The verb fit: collision spheres for the links of a robot, or for one mesh.

Decided here, for every caller: which links, which of their geometry, who gets how many spheres of a
budget, which group they go to, and the step that gives them to the robot.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import get_args

from editor_app.core.document.commands.fitted_spheres import SetFittedSpheres, group_for_fit
from editor_app.core.document.document import Document
from editor_app.core.drafting.bodies import link_rank
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.distance import kept_bare_share, spheres_far_from
from editor_app.core.space.geometry.link_geometry import Kind
from editor_app.core.space.geometry.mount import Mount
from editor_app.core.space.geometry.paths import missing_meshes
from editor_app.core.space.geometry.uncovered import Uncovered
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.executor import ProcessExecutor, usual_processes
from editor_app.core.tasks.task import SILENT, Task, TaskReporter
from editor_app.core.tasks.work import (
    Cancel,
    Progress,
    Refused,
    check_arguments,
    locate_robot,
    never,
    run_jobs,
    silent,
)
from editor_app.core.verbs.reading_notes import list_reading_notes, unread_shapes
from editor_app.features.spheres.engine.budget import budget_jobs
from editor_app.features.spheres.engine.budget import estimate_budget as estimate_budget
from editor_app.features.spheres.engine.links import (
    LinkFit,
    LinkJob,
    LinkMesh,
    group_links,
    largest_first,
)
from editor_app.features.spheres.engine.results import FitResult
from editor_app.features.spheres.engine.settings import USUAL_GEOMETRY, FitSettings, Geometry
from editor_app.features.spheres.verbs.chosen_meshes import with_choices
from editor_app.features.spheres.verbs.fit_choices import USUAL_CHOICES, FitChoices
from editor_app.features.spheres.verbs.link_fits import (
    compute_loss_curve,
    fit_link,
    round_spheres,
    stack_spheres,
)
from editor_app.features.spheres.verbs.link_meshes import SkippedLink, link_meshes
from editor_app.features.spheres.verbs.surface_kind import surface_words

#: Of its share of a usual budget, what a link begins with in a fit that is gone over for planning.
#: Robots with a larger usual budget begin with all of it: of many links with a sphere or two, each
#: free configuration is refused by several pairs at once, and no link alone that is fitted tighter
#: gains anything.
_BEGIN, _WHOLE = 0.4, 300
#: Share of a link's work that looking at its mesh, to share a budget out, takes.
PLANNING = 0.12
#: A fit of less than so much is done before a second process would have loaded the engine; see
#: `links.largest_first`.
_WORTH_PROCESSES = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class FittedLink:
    """`spheres` as they stand in a file; `result` has what the engine tells of them: quality,
    proof, notes, time.

    `geometry`: "collision" or "visual", what the figures of `result` are of. `shared_with`: links
    with the same mesh, which were fitted along. `bare`: how little collision shapes stand for the
    link, as of `LinkMeshes`. `lost`: share of the whole surface that a clip plane leaves uncovered,
    the face in the plane counted, too.
    """

    link: str
    spheres: tuple[CollisionSphere, ...]
    geometry: Kind
    result: FitResult
    mesh: LinkMesh
    shared_with: tuple[str, ...] = ()
    bare: float = 0.0
    lost: float = 0.0

    __repr__ = brief

    @property
    def surface(self) -> str:
        """The shapes that the figures describe, in words; empty for collision shapes that represent
        the link."""
        return surface_words(self.geometry, "visual" if self.bare > 0 else self.geometry)

    @property
    def visible(self) -> Uncovered | None:
        """The visible part of the link outside its spheres; None for a link without visible
        shapes."""
        quality, proof = self.result.quality, self.result.certificate
        if self.geometry == "visual" and quality is not None:
            spot = None if proof is None else proof.open_spot
            return Uncovered(1.0 - quality.surface_coverage, quality.uncovered_max, spot)
        return self.mesh.uncovered_sight(stack_spheres(self.spheres))

    @property
    def bare_visual(self) -> float:
        """Share (0..1) of the visible surface that lies outside the collision shapes by more than 5
        % of its size."""
        if self.bare or self.mesh.visible is None:
            return self.bare
        return kept_bare_share(self.mesh.visible, (self.mesh.vertices, self.mesh.faces))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about its spheres as they are: what can be seen outside them, and which lie
        away from the link."""
        visible, rows = self.visible, stack_spheres(self.spheres)
        sentences = []
        if visible is not None and visible.is_worth_telling:
            sentences.append(f"{self.link}: {visible.text('its visible surface')}")
        for row, gap in spheres_far_from(self.mesh.vertices, self.mesh.faces, rows):
            sentences.append(
                f"{self.link}: sphere {row + 1} is {1000 * gap:.0f} mm away from the link's "
                "geometry, more than its "
                "own diameter"
            )
        return tuple(sentences)

    @property
    def is_open(self) -> bool:
        """True if a surface that was to be covered is not proven to be; not for what a clip plane
        cuts off."""
        proof = self.result.certificate
        return proof is not None and not proof.certified and not self.mesh.clip_planes


@dataclass(frozen=True, slots=True, eq=False)
class RobotFit:
    """`budget`: spheres that were shared out, None where each mesh got the settings as they are.

    `change` gives the spheres to the robot, as one step: `document.execute(fit.change)`. `notes`:
    what was wrong with meshes, and which links are fitted to their other geometry. `mount`: the
    plane that the base was clipped at. `missing`: links of which a mesh file that was to be fitted
    to is not found. `geometry`: what was asked for.
    """

    group: str
    links: tuple[FittedLink, ...]
    skipped: tuple[SkippedLink, ...]
    settings: FitSettings
    budget: int | None
    notes: tuple[str, ...]
    wall_seconds: float
    mount: Mount | None = None
    missing: tuple[str, ...] = ()
    geometry: Geometry = USUAL_GEOMETRY

    __repr__ = brief

    @property
    def spheres(self) -> Mapping[str, tuple[CollisionSphere, ...]]:
        """The spheres of each link that got some, from the base to the tools, left before right."""
        return {each.link: each.spheres for each in self.links if each.spheres}

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for the user about the present spheres: see `FittedLink.remarks`."""
        return tuple(sentence for each in self.links for sentence in each.remarks)

    @property
    def is_open(self) -> bool:
        """True if a surface that was to be covered is not proven to be."""
        return any(each.is_open for each in self.links)

    @property
    def change(self) -> SetFittedSpheres:
        """The step that gives the links their spheres."""
        return SetFittedSpheres(self.group, FrozenDict(self.spheres), "Fit spheres")


@check_arguments
def fit(
    document: Document,
    *,
    links: Iterable[str] | None = None,
    number: int | None = None,
    tolerance: float | None = None,
    budget: int | None = None,
    geometry: Geometry = USUAL_GEOMETRY,
    group: str | None = None,
    choices: FitChoices = USUAL_CHOICES,
    processes: int | None = 1,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> RobotFit:
    """Spheres for the links of a robot; the document is left as it is: see `RobotFit.change`.

    `links`: default all that have geometry. One at most of `number` (spheres per link), `tolerance`
    (greatest protrusion, metres) and `budget` (spheres in all; default: a usual number for so many
    links) is given. `geometry`: what is fitted to; a link that has none of it is fitted to its
    other geometry; "auto": collision shapes, and the visual one where they do not stand for it,
    which is what figures are of elsewhere. `group`: the geometry group that the spheres go to.
    `choices`: mode, effort, padding, seed, the mount, clip planes, weights. `processes`: how many
    may be started (None: one per processor) where the work is worth it; `executor` runs all of it
    instead. Raises Refused, FittingError, Cancelled.
    """
    if [number, tolerance, budget].count(None) < 2:
        raise Refused("Give one of number, tolerance and budget.")
    if geometry not in get_args(Geometry):
        raise Refused(f"geometry must be one of {', '.join(get_args(Geometry))}, not {geometry!r}")
    shared_out, share = number is None and tolerance is None, 1.0
    # Of a budget, sharing out finds the number for each link.
    settings = choices.settings(1 if shared_out else number, tolerance)
    started = time.perf_counter()
    placed = locate_robot(document)
    robot = placed.robot
    group = fit_group(robot, group)
    names = chosen_links(robot, links)
    progress(0.0, "Loading the geometry")
    loaded = link_meshes(placed, names, geometry, measure=True)
    unread = unread_shapes(document)
    skipped = [replace(each, reason=unread.get(each.link, each.reason)) for each in loaded.skipped]
    meshes, kinds, notes = (
        loaded.meshes,
        loaded.kinds,
        (*list_reading_notes(document), *loaded.notes),
    )
    if not meshes:
        raise Refused(_nothing_to_fit_to(document, skipped))
    if shared_out and budget is None:
        budget = estimate_budget(len(meshes))
        share = _BEGIN if choices.for_planning and budget <= _WHOLE else 1.0
    meshes, mount = with_choices(placed, meshes, choices)
    reporter = report_steps(progress, cancel)
    fits = fit_meshes(
        meshes, settings, budget, share, processes=processes, executor=executor, reporter=reporter
    )
    by_link = {mesh.link: mesh for mesh in meshes}
    fitted = tuple(
        FittedLink(
            f.link,
            (*choices.kept(f.link), *round_spheres(f.result.spheres, settings.mode)),
            kinds[f.link],
            f.result,
            by_link[f.link],
            f.shared_with,
            loaded.bare.get(f.link, 0.0),
            f.result.given_up,
        )
        for f in fits
    )
    if share < 1.0:
        budget = sum(len(each.spheres) for each in fitted)
    rank = link_rank(robot.urdf)
    fitted = tuple(sorted(fitted, key=lambda each: rank(each.link)))
    seconds = time.perf_counter() - started
    missing = tuple(loaded.missing)
    return RobotFit(
        group, fitted, tuple(skipped), settings, budget, notes, seconds, mount, missing, geometry
    )


@dataclass(frozen=True, slots=True)
class FitProgress:
    """Progress of a fit: a sentence about the present step, and the share of the whole that is done
    (0..1)."""

    sentence: str
    share: float
    #: Links of one mesh, the share of their work that is done, and their fits at its end.
    links: tuple[str, ...] = ()
    links_share: float = 0.0
    fits: tuple[LinkFit, ...] = ()


def report_steps(progress: Progress, cancel: Cancel) -> TaskReporter:
    """Return the reporter of `fit_meshes` for a caller that shows the sentences and the share."""
    return TaskReporter(partial=lambda each: progress(each.share, each.sentence), cancelled=cancel)


def fit_meshes(
    meshes: Sequence[LinkMesh],
    settings: FitSettings,
    budget: int | None = None,
    share: float = 1.0,
    *,
    processes: int | None = 1,
    executor: Executor | None = None,
    reporter: TaskReporter = SILENT,
) -> list[LinkFit]:
    """Fit meshes of links (metres, in the frame of the link), equal ones once; in the order of
    `meshes`.

    With `budget`, so many spheres are shared out in all, of which links without clip planes get
    `share`; without, every mesh gets the settings as they are. `reporter` receives `FitProgress` as
    partial results, and as progress how many links are done; from any thread. Raises FittingError,
    Cancelled.
    """
    reporter.progress(0.0, f"0 of {len(meshes)} links")
    reporter.partial(FitProgress("Reading the meshes", 0.0))
    groups = group_links(meshes)
    shares: dict[tuple[str, ...], float] = {links: 0.0 for links, _ in groups}

    def report(
        links: tuple[str, ...], share: float, sentence: str, fits: tuple[LinkFit, ...] = ()
    ) -> None:
        shares[links] = max(shares[links], share)
        whole, done = (
            sum(shares.values()) / len(shares),
            sum(len(k) for k, share in shares.items() if share >= 1.0),
        )
        reporter.progress(whole, f"{done} of {len(meshes)} links")
        reporter.partial(FitProgress(sentence, whole, links, shares[links], fits))

    with _choose_executor(groups, settings, budget, processes, executor) as chosen:
        planning = PLANNING if budget is not None else 0.0
        if budget is None:
            plan = [LinkJob.of_group(links, mesh, settings) for links, mesh in groups]
        else:
            plan = _shared_out(groups, settings, budget, share, chosen, reporter.cancelled, report)
        plan = largest_first(plan)
        alike = len(meshes) - len(groups)
        fitting = f"Fitting {format_count(len(meshes), 'link')}" + (
            f", {alike} with the same mesh as another: fitted once" if alike else ""
        )

        def report_done(number: int, fits: list[LinkFit]) -> None:
            report(plan[number].links, 1.0, f"Fitted {', '.join(plan[number].links)}", tuple(fits))

        results: list[list[LinkFit]] = run_jobs(
            [Task(fit_link, job) for job in plan],
            executor=chosen,
            cancel=reporter.cancelled,
            on_progress=lambda n, f, _: report(
                plan[n].links, planning + (0.99 - planning) * max(0.0, f), fitting
            ),
            on_done=report_done,
            keeps_processes=True,
        )
    fits = {fit.link: fit for of_links in results for fit in of_links}
    return [fits[mesh.link] for mesh in meshes]


def fittable_links(robot: RobotDescription) -> tuple[str, ...]:
    """The links that the kinematic structure, after the modifiers, still has, in the order of the
    URDF."""
    index = get_tree(robot).index
    return tuple(link.name for link in robot.urdf.links if link.name in index)


def fit_group(robot: RobotDescription, group: str | None) -> str:
    """The group that fitted spheres go to. Raises Refused for a `group` that is not there."""
    if group is not None and robot.xrdf.group(group) is None:
        names = ", ".join(g.name for g in robot.xrdf.geometry or ()) or "none"
        raise Refused(f"the XRDF has no geometry group {group!r} (its groups: {names})")
    return group_for_fit(robot, group)


def chosen_links(robot: RobotDescription, links: Iterable[str] | None) -> tuple[str, ...]:
    """The links to fit, each once; default all that the kinematic structure still has. Raises
    Refused."""
    if links is None:
        return fittable_links(robot)
    if isinstance(links, str):
        raise Refused(f"links must be a list of names, not {links!r}")
    names = [link.name for link in robot.urdf.links]
    # Each once, however often it is named.
    chosen = tuple(dict.fromkeys(links))
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise Refused(f"the robot has no link {', '.join(unknown)}; its links: {', '.join(names)}")
    if not chosen:
        raise Refused("no link named")
    return chosen


# -- inside


def _shared_out(
    groups: Sequence[tuple[tuple[str, ...], LinkMesh]],
    settings: FitSettings,
    budget: int,
    share: float,
    executor: Executor | None,
    cancel: Cancel,
    report: Callable[[tuple[str, ...], float, str], None],
) -> list[LinkJob]:
    # The finest meshes first, so that the processes end together.
    order = sorted(range(len(groups)), key=lambda k: -len(groups[k][1].faces))
    curves = run_jobs(
        [Task(compute_loss_curve, groups[k][1], budget) for k in order],
        executor=executor,
        cancel=cancel,
        on_done=lambda n, _: report(groups[order[n]][0], PLANNING, "Distributing the spheres"),
        keeps_processes=True,
    )
    by_group = dict(zip(order, curves, strict=True))
    return budget_jobs(groups, [by_group[k] for k in range(len(groups))], budget, settings, share)


def _nothing_to_fit_to(document: Document, skipped: Sequence[SkippedLink]) -> str:
    """The sentence for a robot without a mesh to fit to: missing files together, then other links
    by reason."""
    names = [each.link for each in skipped]
    missing = missing_meshes(document.robot.urdf, document.urdf_path, document.packages, names)
    told = {link for each in missing for link in each.links}
    others: dict[str, list[str]] = {}
    for each in skipped:
        if each.link not in told:
            others.setdefault(each.reason, []).append(each.link)
    sentences = [each.sentence() for each in missing]
    sentences += [f"{', '.join(links)}: {reason}" for reason, links in others.items()]
    return "no link has geometry to fit" + (f": {'; '.join(sentences)}" if sentences else "")


def _choose_executor(
    groups: Sequence[tuple[tuple[str, ...], LinkMesh]],
    settings: FitSettings,
    budget: int | None,
    processes: int | None,
    given: Executor | None,
) -> contextlib.AbstractContextManager[Executor | None]:
    """The executor that was given, or processes where the work is worth their start, else None:
    this process."""
    each = budget / len(groups) if budget is not None and groups else settings.number or 16
    work = sum(len(mesh.faces) + 1500 * each for _, mesh in groups)
    most = min(len(groups), usual_processes() if processes is None else processes)
    if given is not None or most < 2 or work < _WORTH_PROCESSES:
        return contextlib.nullcontext(given)
    return ProcessExecutor(most)


def list_seen_links(fitted: RobotFit) -> frozenset[str]:
    """Links that are compared by what is visible of them, as they were fitted: because that was
    asked for, or because their collision shapes do not stand for them."""
    asked = fitted.geometry == "visual"
    return frozenset(
        each.link
        for each in fitted.links
        if each.geometry == "visual" and (asked or each.bare > 0.0)
    )
