"""The verb fit_tighter: spheres and self-collision buffers with which a robot that refuses free
configurations plans.

Links that are to blame get more spheres, which stand out less where other links come; the buffers
follow. A new file has both from the start (`new`); here they are made for spheres that are there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from editor_app.core.document.commands import SetMask
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.commands.tools import join_changes
from editor_app.core.model.counting import format_count, format_list, format_percent
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.robot import Change, RobotDescription, TextChange
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PlacedRobot,
    Progress,
    Refused,
    check_arguments,
    locate_robot,
    never,
    scale_progress,
    silent,
)
from editor_app.features.masks.verbs.mask_changes import has_mask
from editor_app.features.spheres.engine.fit import certify_solid
from editor_app.features.spheres.engine.results import FitResult
from editor_app.features.spheres.verbs.chosen_meshes import with_choices
from editor_app.features.spheres.verbs.fit import (
    FittedLink,
    RobotFit,
    chosen_links,
    fit_group,
    list_seen_links,
)
from editor_app.features.spheres.verbs.fit_choices import (
    TIGHTER_FIT_STEP,
    USUAL_CHOICES,
    FitChoices,
)
from editor_app.features.spheres.verbs.link_fits import prepare_solid, stack_spheres
from editor_app.features.spheres.verbs.link_meshes import link_meshes
from editor_app.plugins.motion.engine.buffer_program import loss
from editor_app.plugins.motion.engine.verdicts import MUCH_NEEDLESS
from editor_app.plugins.motion.verbs.passages import Barrier, passages
from editor_app.plugins.planning.verbs.model_cost import ModelCost, model_cost
from editor_app.plugins.planning.verbs.planning_fit import GOAL, fit_for_planning
from editor_app.plugins.planning.verbs.self_buffers import (
    LOOKED_AT,
    WriteBuffersText,
    pairs_for_the_mask,
    provisional_mask,
    self_buffers,
    with_buffers,
)

#: Of the comparisons before and after: no search looks at their configurations.
_JUDGED = 9973
#: A gain that its figures, with one decimal of a percentage, do not show is luck.
_HARDLY = 1e-3


@dataclass(frozen=True, slots=True)
class PlanningVerdict:
    """How spheres and buffers decide: `cost` against the meshes, `closed` passages that spheres
    alone close, and how many `spheres` the robot has."""

    cost: ModelCost
    closed: tuple[Barrier, ...]
    spheres: int

    @property
    def loss(self) -> float:
        return loss(self.cost.needless.value, self.cost.wrong.value)

    @property
    def plans(self) -> bool:
        """True if planners find their way: no passage is closed, and most of what is free is left
        free."""
        return not self.closed and self.cost.needless.value <= MUCH_NEEDLESS

    @property
    def text(self) -> str:
        """One line, for people."""
        closed = (
            f", {format_count(len(self.closed), 'passage')} closed"
            if self.closed
            else ", no passage closed"
        )
        return (
            f"{format_percent(self.cost.needless.value)} false collisions, "
            f"{format_percent(self.cost.wrong.value, 2)} missed "
            f"collisions{closed}, {format_count(self.spheres, 'sphere')}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class TighterFit:
    """`fit`: the links that may have changed; `buffers`: frame -> self-collision buffer, metres;
    None where the file's buffers are no mapping of frames, and stay. `awaited`: pairs that the file
    checks, that the spheres refuse nearly always, and that `change` ignores. `before`, `after`:
    judged in configurations that no search saw, without these pairs; `after` is of the robot that
    `change` leaves."""

    robot: RobotDescription
    fit: RobotFit
    buffers: FrozenDict[str, float] | None
    note: str
    before: PlanningVerdict
    after: PlanningVerdict
    awaited: frozenset[LinkPair] = frozenset()

    __repr__ = brief

    @property
    def condition(self) -> str:
        """Which pairs are ignored for the figures to hold, one sentence without a point; "" for
        none."""
        if not self.awaited:
            return ""
        named = format_list((f"{pair.first} and {pair.second}" for pair in sorted(self.awaited)), 3)
        pairs = format_count(len(self.awaited), "pair")
        return (
            f"{pairs} more ignored, because the new spheres nearly always overlap ({named}): check "
            "the mask next"
        )

    @property
    def gains(self) -> bool:
        """True if fewer passages are closed, or as many, and so much less is refused that it
        outweighs what passes."""
        before, after = self.before, self.after
        if len(after.closed) != len(before.closed):
            return len(after.closed) < len(before.closed)
        return after.loss < before.loss - _HARDLY

    @property
    def spheres(self) -> Mapping[str, tuple[CollisionSphere, ...]]:
        """Frame -> spheres, of links whose spheres change."""
        present = self.robot.xrdf.spheres_of(self.fit.group)
        # In another order they are the same spheres.
        return {
            link: each
            for link, each in self.fit.spheres.items()
            if {*each} != {*present.get(link, ())}
        }

    @property
    def change(self) -> Change | TextChange:
        """Spheres, ignored pairs and buffers, as one step; the buffers' key gets their figures as a
        comment."""
        if self.buffers is None:
            return self._without_buffers
        return WriteBuffersText(
            self.robot, self.buffers, self.note, TIGHTER_FIT_STEP, self._without_buffers
        )

    @property
    def _without_buffers(self) -> Change:
        spheres = replace(self.fit.change, spheres=FrozenDict(self.spheres), label=TIGHTER_FIT_STEP)
        mask = SetMask(pairs=tuple(sorted(self.awaited)))
        return join_changes((spheres, mask), TIGHTER_FIT_STEP) if self.awaited else spheres

    @property
    def changed(self) -> RobotDescription:
        """The robot that `change` leaves."""
        robot = self._without_buffers.apply(self.robot)
        return robot if self.buffers is None else with_buffers(robot, self.buffers)


@check_arguments
def fit_tighter(
    robot: Described,
    links: Iterable[str] | None = None,
    *,
    fitted: RobotFit | None = None,
    group: str | None = None,
    choices: FitChoices = USUAL_CHOICES,
    processes: int | None = 1,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> TighterFit:
    """More and tighter spheres where they refuse configurations that the meshes leave free, and
    buffers to go with them; the robot is left as it is: see `TighterFit.change`.

    `links`: which may be fitted anew; default all with a mesh and spheres. With names, the search
    goes on until nothing is gained; without, until few configurations are refused needlessly.
    `fitted`: a fit to begin with, in the place of the robot's spheres. `group`, `choices`: as of
    `fit`. A robot that has no mask yet is judged as the mask that is to come will leave it: without
    the pairs that neither spheres nor buffers decide; so are links to which `fitted` gives their
    first spheres. Raises Refused, also where a mask leaves other such pairs checked; FittingError,
    NothingToCompare, ImportError, Cancelled.
    """
    placed = locate_robot(robot)
    robot = placed.robot
    begin = fitted or _present_fit(placed, links, group, choices)
    start = robot if fitted is None else fitted.change.apply(robot)
    first = _loose(start, [each.link for each in begin.links])
    seen = list_seen_links(begin)

    def verdict(described: RobotDescription, begins: float, ends: float) -> PlanningVerdict:
        tick = scale_progress(progress, begins, ends)
        asked: dict[str, Any] = {"mask": MaskFile.XRDF, "progress": tick, "cancel": cancel}
        cost = model_cost(replace(placed, robot=described), seed=_JUDGED, seen=seen, **asked)
        cut = passages(replace(placed, robot=described), seen=seen, **asked)
        count = sum(map(len, described.xrdf.spheres_of(described.xrdf.self_group).values()))
        return PlanningVerdict(cost, cut.closed, count)

    # Frames that a mask of the file could not know of.
    new = frozenset(start.xrdf.spheres_of(begin.group)) - frozenset(
        robot.xrdf.spheres_of(begin.group)
    )
    is_masked = has_mask(start)
    if is_masked:
        _refuse_for_the_mask(replace(placed, robot=start), seen, choices.seed, new)
    tight = fit_for_planning(
        replace(placed, robot=first),
        begin,
        goal=GOAL if links is None else 0.0,
        seed=choices.seed,
        processes=processes,
        progress=scale_progress(progress, 0.0, 0.5),
        cancel=cancel,
    )
    tight = prove_links(tight, begin)
    changed = tight.change.apply(first)
    awaited: frozenset[LinkPair] = frozenset()
    if new or not is_masked:
        # For both figures the mask that the new spheres want.
        later = provisional_mask(replace(placed, robot=changed), seen, choices.seed)
        awaited = frozenset(
            pair for pair in later if not is_masked or not new.isdisjoint((pair.first, pair.second))
        )
        start, changed = (
            SetMask.exactly(
                each, MaskFile.XRDF, awaited | each.xrdf.ignored_pairs(), anew=True
            ).apply(each)
            for each in (start, changed)
        )
    before = verdict(start, 0.5, 0.6)
    tick = scale_progress(progress, 0.6, 0.85)
    buffers: FrozenDict[str, float] | None = None
    note = ""
    try:
        tight_robot, mask = replace(placed, robot=changed), MaskFile.XRDF
        calibrated = self_buffers(
            tight_robot, seed=choices.seed, mask=mask, seen=seen, progress=tick, cancel=cancel
        )
    except Refused:
        # Buffers that are no mapping of frames stay.
        pass
    else:
        buffers, note = calibrated.buffers, calibrated.note
    result = TighterFit(robot, tight, buffers, note, before, before, awaited)
    # What is told is what will be in the file.
    result = replace(result, after=verdict(result.changed, 0.85, 1.0))
    progress(1.0, "Done")
    return result


def _refuse_for_the_mask(
    placed: PlacedRobot, seen: Collection[str], seed: int, new: Collection[str]
) -> None:
    """Raises Refused when spheres overlap nearly always that the mask does not ignore, but for the
    frames `new`: nothing else matters then."""
    for each in pairs_for_the_mask(placed, seen, seed):
        if (
            each.refused > MUCH_NEEDLESS
            and each.pair.first not in new
            and each.pair.second not in new
        ):
            raise Refused(
                f"the spheres of {each.pair.first} and {each.pair.second} overlap in "
                f"{format_percent(each.refused)} of "
                "the free configurations; no fit changes this. "
                + (
                    f"Their meshes touch in {format_percent(each.touching)} of all. If the pair is "
                    "ignored, these "
                    "collisions are missed; if it is checked, no motion can be planned. Decide on "
                    "the pair "
                    "first"
                    if each.touching
                    else (
                        f"Their meshes touch in none of {LOOKED_AT:,}: ignore the pair first (mask "
                        "--compare-meshes)"
                    )
                )
            )


def prove_links(fitted: RobotFit, before: RobotFit) -> RobotFit:
    """The fit with the proof of each link that differs from `before`, has none and is covered:
    spheres of a file that have only grown."""
    links = []
    for each, old in zip(fitted.links, before.links, strict=True):
        if each is not old and each.result.certificate is None and fitted.settings.mode == "cover":
            proof = certify_solid(
                prepare_solid(each.mesh), stack_spheres(each.spheres), each.mesh.clip_planes
            )
            # What the file left open is no failure of this fit.
            each = replace(
                each, result=replace(each.result, certificate=proof if proof.holds else None)
            )
        links.append(each)
    return replace(fitted, links=tuple(links))


def _loose(robot: RobotDescription, links: Iterable[str]) -> RobotDescription:
    """Without buffers below zero of these links: they were found for other spheres."""
    section = robot.xrdf.self_collision
    if section is None or not isinstance(section.buffer_distance, FrozenDict):
        return robot
    names = set(links)
    kept = {
        frame: by
        for frame, by in section.buffer_distance.items()
        if by >= 0.0 or frame not in names
    }
    return with_buffers(robot, FrozenDict(kept))


def _present_fit(
    placed: PlacedRobot, links: Iterable[str] | None, group: str | None, choices: FitChoices
) -> RobotFit:
    """The spheres that the robot has, as a fit without figures. Raises Refused."""
    robot = placed.robot
    group = fit_group(robot, group or robot.xrdf.self_group)
    present = robot.xrdf.spheres_of(group)
    names = [name for name in chosen_links(robot, links) if present.get(name)]
    loaded = link_meshes(placed, names, measure=True)
    if not loaded.meshes:
        raise Refused("no link has both spheres and a mesh: fit spheres first")
    meshes, mount = with_choices(placed, loaded.meshes, choices)
    fitted = []
    for mesh in meshes:
        kept = choices.kept(mesh.link)
        others = [each for each in present[mesh.link] if each.radius > 0 and each not in kept]
        spheres = (*kept, *others)
        result = FitResult(stack_spheres(others), None, (), None, 0.0, 0.0)
        bare = loaded.bare.get(mesh.link, 0.0)
        fitted.append(
            FittedLink(mesh.link, spheres, loaded.kinds[mesh.link], result, mesh, (), bare)
        )
    skipped, notes = tuple(loaded.skipped), tuple(loaded.notes)
    return RobotFit(group, tuple(fitted), skipped, choices.settings(1), None, notes, 0.0, mount)
