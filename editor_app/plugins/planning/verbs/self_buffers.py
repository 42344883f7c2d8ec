"""The verb self_buffers: self-collision buffers with which the spheres decide as the meshes do.

Radii against obstacles stay as they are, and with them what is proven of the spheres' coverage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter

import numpy as np

from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.counting import format_percent
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PlacedRobot,
    Progress,
    Refused,
    check_arguments,
    locate_robot,
    make_stoppable,
    never,
    scale_progress,
    silent,
)
from editor_app.core.text.source import SourceText
from editor_app.features.masks.verbs.mask_changes import with_key_comment
from editor_app.plugins.motion.engine.buffer_program import GROWTH, MARGIN, between, loss
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import PATHS, OverlapBound, Thresholds, Undecided
from editor_app.plugins.motion.engine.verdicts import ModelCost, compare_verdicts, mesh_touches
from editor_app.plugins.motion.verbs.collide import (
    Geometry,
    comparing_model,
    mesh_motion,
    motion_model_of,
)

#: Configurations that thresholds are taken from, and as many others that the figures are of.
SAMPLES = 20_000
#: Trials are judged in so many times more configurations: a trial that passes by luck is one that
#: accepts wrongly.
_JUDGED = 2
#: Configurations in which pairs are looked for that no fit decides.
LOOKED_AT = 4_000
#: Of the touching configurations, so many more may be accepted wrongly before the buffers are taken
#: back.
_MORE_WRONG = 0.0008
#: Of the touching configurations that no trial saw, so many more may be missed; a result that
#: misses more is not kept.
_MORE_MISSED = 0.001
#: (Growth, margin) in metres, tried one after the other until the judgement in new configurations
#: holds.
_TRIALS = ((GROWTH, MARGIN), (GROWTH, MARGIN), (GROWTH, 2 * MARGIN), (0.0, 3 * MARGIN))
#: How buffers are sought in each trial: whether configurations are shared among pairs, which frees
#: more and lets more pass that the sample missed, and with how many times the margin.
_WAYS = ((False, 1.0), (True, 1.0), (True, 1.5), (True, 2.0))
#: Where a trial that lets too much pass costs less than the best that does not, by this factor,
#: steps between the two are tried: buffers of many links that share configurations fit the sample
#: closer than what it stands for.
_DEAR, _BETWEEN = 1.15, 20
#: Looks along planned paths at most: what is met there counts in the next.
_LOOKS = 6
LABEL = "Set self-collision buffers for planning"
#: The comment behind the buffers' key begins so.
_NOTE = "set against the meshes:"


@dataclass(frozen=True, slots=True, eq=False)
class SelfBuffers:
    """`buffers`: frame -> metres to be written; `changed`: whether they differ from those there
    are. `bounds`: what each pair of links allows, the tightest first. `before`, `after`: the
    verdict of the spheres against the meshes, in configurations that played no part in the
    search."""

    robot: RobotDescription
    buffers: FrozenDict[str, float]
    changed: bool
    bounds: tuple[OverlapBound, ...]
    before: ModelCost
    after: ModelCost

    __repr__ = brief

    @property
    def note(self) -> str:
        """One line: what the buffers are for, with figures."""
        return (
            f"{_NOTE} false collisions {format_percent(self.before.needless.value)} without, "
            f"{format_percent(self.after.needless.value)} with; missed collisions "
            f"{format_percent(self.before.wrong.value, 2)} and "
            f"{format_percent(self.after.wrong.value, 2)}"
            + (f"; {self.after.shapes}" if self.after.shapes else "")
        )

    @property
    def misses_more(self) -> bool:
        """True if the buffers miss more of the collisions than the spheres did without them."""
        more = self.after.wrong.count - self.before.wrong.count
        return more > max(1.0, _MORE_MISSED * self.after.wrong.of) + 0.5

    @property
    def change(self) -> WriteBuffersText:
        """The step that writes the buffers, with `note` as a comment behind their key."""
        return self.change_of(self.robot)

    def change_of(self, robot: RobotDescription) -> WriteBuffersText:
        """Return the same step for a robot that has another mask since."""
        return WriteBuffersText(robot, self.buffers, self.note)


@dataclass(frozen=True, slots=True)
class WriteBuffersText:
    """Sets self-collision buffers in the XRDF's text, and `spheres` before them; a comment behind
    the key says why, where none stands yet or one of an earlier look."""

    robot: RobotDescription
    buffers: FrozenDict[str, float]
    note: str
    label: str = LABEL
    spheres: Change | None = None

    def apply_text(self, text: str) -> str:
        """Raises CannotApply when the text cannot take the buffers."""
        source = read_xrdf(SourceText.from_text(text))
        robot = replace(self.robot, xrdf=source.value)
        if self.spheres is not None:
            robot = self.spheres.apply(robot)
        robot = SetItems("xrdf.self_collision.buffer_distance", self.buffers).apply(robot)
        written = patch_xrdf(source, robot.xrdf).written
        node = written.node(("self_collision", "buffer_distance"))
        if node is None:
            return written.source.text
        return with_key_comment(
            written.source.text, "buffer_distance", node.start, self.note, _NOTE
        )


def with_buffers(robot: RobotDescription, buffers: FrozenDict[str, float]) -> RobotDescription:
    """The robot with these self-collision buffers (frame -> metres) alone; it has the section."""
    section = robot.xrdf.self_collision
    assert section is not None
    section = replace(section, buffer_distance=buffers)
    return replace(robot, xrdf=replace(robot.xrdf, self_collision=section))


_Trial = tuple[dict[str, float], tuple[OverlapBound, ...]]


def best_trial(
    trials: list[_Trial],
    judged: Thresholds,
    model: MotionModel,
    last: Callable[[], _Trial] | None = None,
) -> _Trial | None:
    """The trial that costs least in other configurations, or a step from it to one that lets too
    much pass; None where each lets more pass than it may, or costs more than no buffers. `last`
    makes one more where none is better."""
    touching = int(judged.collides.sum())
    needless, wrong, _ = judged.verdict(model, {})
    bare = loss(needless, wrong)
    most = max(1.0, _MORE_WRONG * touching) + 0.5

    def judge(trial: _Trial, allowed: float = most) -> tuple[float, float, _Trial]:
        """What it costs, the same with infinity where it lets too much pass, and the trial."""
        needless, passed, _ = judged.verdict(model, trial[0])
        cost = loss(needless, passed)
        return cost, cost if (passed - wrong) * touching <= allowed else np.inf, trial

    def best(judgements: list[tuple[float, float, _Trial]]) -> _Trial | None:
        sound, cheapest = (min(judgements, key=itemgetter(column)) for column in (1, 0))
        if _DEAR * cheapest[0] < sound[1] < np.inf:
            (shrink, bounds), (farther, _) = sound[2], cheapest[2]
            steps = [
                (between(shrink, farther, step / _BETWEEN), bounds) for step in range(1, _BETWEEN)
            ]
            # They are chosen by what judges them: half as much may pass.
            sound = min(sound, *(judge(step, most / 2) for step in steps), key=itemgetter(1))
        return sound[2] if sound[1] < bare else None

    judgements = [judge(trial) for trial in trials]
    chosen = best(judgements)
    return best([judge(last()), *judgements]) if chosen is None and last is not None else chosen


def _sought(
    thresholds: Thresholds, judged: Thresholds, model: MotionModel, meshes: MeshMotion, seed: int, growth: float,
    margin: float,
) -> _Trial | None:  # fmt: skip
    """The best of all ways to shrink, which is empty where nothing shrinks; None where none is
    sound."""
    shrinks = partial(thresholds.shrink, model, meshes, seed=seed, growth=growth)
    # Would the judgement see so small a share? Where not, nothing is shared, and what a search sees
    # counts.
    is_large = judged.collides.sum() * _MORE_WRONG >= 1.0
    ways = _WAYS if is_large else _WAYS[:1]
    trials = [shrinks(margin=times * margin, search=False, shared=shared) for shared, times in ways]
    trials += [] if is_large else [shrinks(margin=margin)]
    if not any(shrink for shrink, _ in trials):
        return {}, ()
    # What a search sees is so rare that it costs a hundred times what it saves: only where others
    # are not sound.
    best = best_trial(trials, judged, model, partial(shrinks, margin=margin))
    return best and (thresholds.with_rims(model, meshes, best[0]) if growth else best[0], best[1])


def _learned(
    thresholds: Thresholds,
    judged: Thresholds,
    model: MotionModel,
    meshes: MeshMotion,
    seed: int,
    growth: float,
    margin: float,
    tick: Progress,
) -> tuple[_Trial | None, Thresholds, Thresholds]:
    """As `_sought`, until planned paths meet no touching meshes; with the configurations that they
    met on the way."""
    rows = model.rows.tolist()
    before: dict[str, float] = {}
    for look in range(_LOOKS):
        best = _sought(thresholds, judged, model, meshes, seed, growth, margin)
        if best is None or not best[0]:
            break
        if best[0] == before:
            # No buffer catches what was met.
            break
        before = best[0]
        # Other paths than the fit has learned from, which meet nothing more. Hardly ever are all
        # looks needed.
        step = scale_progress(tick, 1.0 - 0.6**look, 1.0 - 0.6 ** (look + 1))
        met = thresholds.met_on_paths(model, meshes, before, rows, seed + (look + 1) * PATHS, step)
        if not len(met.values):
            break
        thresholds, judged = thresholds + met, judged + met
    return best, thresholds, judged


def pairs_for_the_mask(placed: PlacedRobot, seen: Collection[str], seed: int) -> list[Undecided]:
    """Pairs that are checked although neither fit nor buffers decide them, in a quick look. Raises
    NothingToCompare, ImportError."""
    model, thresholds = _quick_look(placed, seen, seed)
    return thresholds.for_the_mask(model)


def provisional_mask(placed: PlacedRobot, seen: Collection[str], seed: int) -> frozenset[LinkPair]:
    """Estimate the pairs that a future mask will ignore: pairs that neither spheres nor buffers
    decide, and pairs that joints hold together. Raises NothingToCompare, ImportError."""
    model, thresholds = _quick_look(placed, seen, seed)
    decided = set(thresholds.to_decide(model))
    return frozenset(pair for pair, row in model.spheres.pair_index.items() if row not in decided)


def _quick_look(
    placed: PlacedRobot, seen: Collection[str], seed: int
) -> tuple[MotionModel, Thresholds]:
    model = motion_model_of(placed.robot, EMPTY_SCENE, MaskFile.XRDF)
    meshes = mesh_motion(placed, EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF, seen)
    return model, Thresholds.of(model, meshes, model.random_values(LOOKED_AT, seed))


@check_arguments
def self_buffers(
    robot: Described,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    mask: MaskFile | None = None,
    seen: Collection[str] | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> SelfBuffers:
    """Buffers on top of the present ones, so that fewer free configurations are refused and hardly
    more is let through.

    Thresholds come from `samples` random configurations (`seed`): nothing of it is proven. They are
    found pair by pair; with configurations shared among pairs, where the judgement has enough
    touching ones, else with a search around the sample's least overlaps. All are judged in twice as
    many others, and the best one counts, a touching configuration let pass as ten refused. Where
    more than 0.08 % of the touching ones are let pass than before, the search follows; where that
    does not help, or the default position would collide, the judged ones join the first for another
    trial. Then paths are planned: where meshes touch on one of them or beside it, that counts from
    then on, until nothing is met or six looks are over. The figures are of configurations that no
    search saw. Where they miss over 0.1 % more of the touching ones than before, the next trial
    follows, with figures of others; the best stays where all do so. `mask`, `seen`: as of
    `model_cost`. Raises Refused, NothingToCompare, ImportError, Cancelled.
    """
    placed = locate_robot(robot)
    description = placed.robot
    section = description.xrdf.self_collision
    present = section.buffer_distance if section is not None else None
    if section is None or not (present is None or isinstance(present, FrozenDict)):
        raise Refused(
            "self-collision buffers must be per frame: write them per frame, or add the section "
            "first"
        )
    present = present or FrozenDict()
    notes: list[str] = []
    model = comparing_model(description, EMPTY_SCENE, mask)
    meshes = mesh_motion(placed, EMPTY_SCENE, Geometry.MESHES, notes, mask, seen)

    tick = make_stoppable(progress, cancel)

    def sample(number: int, first: float, size: int) -> Thresholds:
        return Thresholds.of(
            model,
            meshes,
            model.random_values(size, seed + number),
            scale_progress(tick, first, first + 0.15),
        )

    # No trial sees these.
    last = seed + len(_TRIALS) + 1
    others = model.random_values(samples, last)
    told = mesh_touches(meshes, others, tick=scale_progress(tick, 0.0, 0.15))
    before = compare_verdicts(model, meshes, others, seed=last, notes=tuple(notes), told=told)
    judgements: list[SelfBuffers] = []
    thresholds = sample(0, 0.15, samples)
    for number, (growth, margin) in enumerate(_TRIALS, start=1):
        tick(0.3, "Finding self-collision buffers")
        judged = sample(number, 0.3, _JUDGED * samples)
        step = scale_progress(tick, 0.45, 0.95)
        best, thresholds, judged = _learned(
            thresholds, judged, model, meshes, seed, growth, margin, step
        )
        shrink, bounds = best or ({}, ())
        if shrink:
            buffers = FrozenDict(
                {**present, **{f: round(present.get(f, 0.0) - by, 6) for f, by in shrink.items()}}
            )
            shrunk = motion_model_of(with_buffers(description, buffers), EMPTY_SCENE, mask)
            was_free, is_free = (
                m.first_collisions(m.default[None])[0] < 0 for m in (model, shrunk)
            )
            if is_free or not was_free:
                after = compare_verdicts(
                    shrunk, meshes, others, seed=last, notes=tuple(notes), told=told
                )
                judgements.append(SelfBuffers(description, buffers, True, bounds, before, after))
                if not judgements[-1].misses_more or number == len(_TRIALS):
                    break
                last += 1
                others = model.random_values(samples, last)
                told = mesh_touches(meshes, others, tick=scale_progress(tick, 0.3, 0.45))
                before = compare_verdicts(
                    model, meshes, others, seed=last, notes=tuple(notes), told=told
                )
        elif best is not None:
            break
        # What these configurations show counts from now on, too.
        thresholds = thresholds + judged
    progress(1.0, "Done")
    if judgements:
        return min(
            judgements,
            key=lambda e: (e.misses_more, loss(e.after.needless.value, e.after.wrong.value)),
        )
    return SelfBuffers(description, FrozenDict(present), False, bounds, before, before)
