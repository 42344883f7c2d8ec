"""Spheres are spent, and tight, where links pass each other, until few free configurations are
refused.

Judged are the configurations that self-collision would refuse although no meshes touch, with the
self-collision buffers that the spheres allow. Links that are to blame get more spheres, which stand
out less where they are blamed. In the end spheres move by millimetres to where they decide as the
meshes do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.commands import SetFittedSpheres
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.counting import format_percent
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.space.geometry.distance import spread_points
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    Progress,
    Refused,
    locate_robot,
    make_stoppable,
    never,
    scale_progress,
    silent,
)
from editor_app.features.masks.verbs.pair_distances import NothingToCompare
from editor_app.features.spheres.engine.fit import certify_solid, covered_again, measure
from editor_app.features.spheres.engine.settings import FitSettings
from editor_app.features.spheres.engine.solid import Solid
from editor_app.features.spheres.engine.superfluous import superfluous
from editor_app.features.spheres.verbs.fit import (
    FittedLink,
    RobotFit,
    estimate_budget,
    fit_meshes,
    list_seen_links,
)
from editor_app.features.spheres.verbs.link_fits import prepare_solid, round_spheres, stack_spheres
from editor_app.plugins.motion.engine.buffer_program import WORSE, loss
from editor_app.plugins.motion.engine.crowds import blame, crowds
from editor_app.plugins.motion.engine.even_spheres import even_growth
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import Thresholds
from editor_app.plugins.motion.engine.settled_spheres import SurfaceSample, settled
from editor_app.plugins.motion.verbs.collide import Geometry, mesh_motion, motion_model_of

#: Of the free configurations, the share that may be refused, in the configurations that the rounds
#: look at.
GOAL = 0.02
#: Configurations that the rounds look at.
SAMPLES = 14_000
#: Rounds at most, and how many more spheres a link gets in one that is to blame for much.
_ROUNDS, _MORE = 6, 1.35
#: A robot of which more than this share is refused gets two rounds, however many spheres it has,
#: and twice as many as others while they pay.
_POOR = 0.05
#: Spheres that lose so many times as much are not made even: that would not mend them.
_HOPELESS = 2.0
#: Rounds that may not pay, while much is refused and there are spheres to spend.
_FAILURES = 2
#: A round pays when it leaves less than this of the loss, a sphere more being worth so much; a link
#: fitted anew alone is tried where all together leave more than that.
_GAIN, _SPHERE, _GAIN_ALL = 0.97, 0.00015, 0.92
#: An overlap in all free configurations that weighs as much as the refusal of all, metres.
_DEEP = 0.01
#: Spheres of a link that is fitted anew have this radius or more, metres, or this share of its
#: median: its buffer takes no more off than its smallest sphere has.
_SMALL, _SMALL_SHARE = 0.015, 0.5
#: Spheres of an arm; with more of them, the rounds and the configurations that they look at become
#: fewer, and paths are left to the buffers' looks: between two arms they are too many to tell thin
#: places.
_USUAL = 200
#: Configurations at least, of a robot with many spheres; fewer were asked for by the caller alone.
_FEWEST = 4_000
#: Links fitted anew of which each is tried alone: of a robot with many, a judgement takes seconds.
_ALONE = 8
#: A link with this share of the free configurations refused is to blame; with these shares of the
#: most, for enough to be fitted anew, and for much.
_BLAMED, _BLAMED_ENOUGH, _BLAMED_MUCH = 0.005, 0.1, 0.3
#: A link whose spheres stand out by less than this, metres, keeps them.
_EXACT = 0.001
#: Points of a link's surface that tell where it comes, and that spheres which settle go on
#: covering.
_POINTS, _COVERED = 300, 3_000
#: How often spheres settle at most, and configurations of each pair in which meshes just touch that
#: they know then, all together as a share of the random ones: spheres that move by what a few say
#: would let others pass. They settle where so many times the goal is refused: with little to gain,
#: what is let pass is the greater risk.
_SETTLINGS, _EDGES, _EDGES_SHARE, _SETTLES = 6, 300, 0.33, 1.25
#: Spheres in all: as a multiple of a usual number, or of the first fit's, the most, while more than
#: `_ENOUGH` times the goal is refused; else as a multiple of a usual number, or of the first fit's,
#: the few.
_MOST, _FEW, _FEW_MORE, _ENOUGH = 1.04, 0.7, 1.2, 1.75


@dataclass(frozen=True, slots=True)
class _State:
    """A fit as it was found (`bare`), and with spheres that stand out evenly (`fit`); its spheres,
    the buffers that they allow (frame -> metres less), the share that they refuse needlessly, the
    rows of pairs that count, and the loss: what is refused, what is accepted wrongly, and how deep
    spheres overlap that overlap always. `lost`: rows of pairs that neither spheres nor buffers
    decide though their meshes touch in a share (0..1) of the configurations."""

    bare: RobotFit
    fit: RobotFit
    model: MotionModel
    shrink: Mapping[str, float]
    needless: float
    rows: Collection[int]
    lost: Mapping[int, float]
    loss: float

    @property
    def count(self) -> int:
        return sum(len(each.spheres) for each in self.fit.links)


def fit_for_planning(
    robot: Described,
    fitted: RobotFit,
    *,
    goal: float = GOAL,
    seed: int = 0,
    samples: int = SAMPLES,
    processes: int | None = 1,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> RobotFit:
    """`fitted`, or a fit that refuses fewer free configurations; the robot is left as it is.
    Coverage is asked for and proven as before. Other links keep the spheres that the robot has.

    `goal`: the share of the free configurations, 0..1, that may be refused. A robot whose meshes
    cannot be compared keeps `fitted`. Raises FittingError, Cancelled.
    """
    placed = locate_robot(robot)
    robot = _with_spheres(placed.robot, fitted)
    placed = replace(placed, robot=robot)
    seen = list_seen_links(fitted)
    try:
        meshes = mesh_motion(placed, EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF, seen)
        model = motion_model_of(robot, EMPTY_SCENE, MaskFile.XRDF)
    except (NothingToCompare, Refused, ImportError):
        return fitted

    tick = make_stoppable(progress, cancel)
    count = sum(len(each.spheres) for each in fitted.links)
    # What a look costs grows with the spheres: robots with many get fewer looks, at fewer
    # configurations.
    share = min(1.0, _USUAL / max(1, len(model.spheres.spheres)))
    values = model.random_values(min(samples, max(_FEWEST, int(share * samples))), seed)
    thresholds = Thresholds.of(model, meshes, values, scale_progress(tick, 0.0, 0.1))
    free = values[~thresholds.collides]
    thresholds = thresholds.with_edges(model, meshes, seed)
    best = _judged(robot, meshes, thresholds, fitted)
    surfaces = {
        each.link: spread_points(each.mesh.vertices, each.mesh.faces, _POINTS)
        for each in fitted.links
    }
    places = crowds(model, free, {*best.rows, *best.lost}, surfaces)
    usual = estimate_budget(len(fitted.links))
    few, most = int(max(_FEW_MORE * count, _FEW * usual)), int(_MOST * max(count, usual))
    rounds = max(1 if best.needless < _POOR else 2, round(share**2 * _ROUNDS))
    failures = 0
    for turn in range(2 * rounds):
        blamed = _to_blame(best, free, places, goal if turn < rounds else _POOR)
        # A fit depends on its seed: another one may do, where there are spheres to spend.
        if not blamed or failures >= _FAILURES:
            break
        step = scale_progress(
            tick, *(0.1 + 0.6 * min(1.0, done / rounds) for done in (turn, turn + 1))
        )
        limit = most if best.needless > _ENOUGH * goal else few
        judged = partial(_judged, robot, meshes, thresholds, most=_HOPELESS * best.loss)
        tried = _tried(best, blamed, limit, seed + turn + 1, judged, processes, cancel, step)
        pays = tried.loss + _SPHERE * max(0, tried.count - best.count) < _GAIN * best.loss
        failures += 0 if pays else 1 if best.count < limit == most else _FAILURES
        if pays or (tried.loss < best.loss and tried.count <= best.count):
            best = tried
    if best.count <= _USUAL:
        best = _ended(best, partial(_judged, robot, meshes), thresholds, meshes, goal, seed, tick)
    progress(1.0, "Done")
    return best.fit if best.fit is fitted else _measured(best.fit, fitted)


def _tried(
    best: _State,
    blamed: Collection[_Blame],
    limit: int,
    seed: int,
    judged: Callable[[RobotFit], _State],
    processes: int | None,
    cancel: Cancel,
    progress: Progress,
) -> _State:
    """All links to blame fitted anew, or, where that does not pay, `best` with the links that pay
    alone."""
    again, refused = (
        best.bare,
        f"False collisions in {format_percent(best.needless)} of the free configurations",
    )
    for number, each in enumerate(blamed):
        progress(0.5 * number / len(blamed), f"{refused}: fitting {each.name} tighter")
        again = _fitted_again(again, each, limit, seed, processes, cancel)
    progress(0.5, f"{refused}: evaluating the fit")
    tried = judged(again)
    if tried.loss < _GAIN_ALL * best.loss:
        return tried
    # A fit depends on its seed: what is worse for one link may be better for another. Those to
    # blame for little wait.
    alone = best
    for each in [each for each in blamed if each.gets_more][:_ALONE]:
        one = judged(_with_link(alone.bare, again, each.name))
        alone = one if one.loss < _GAIN * alone.loss else alone
    return min(alone, tried, key=lambda each: each.loss)


def _with_link(fitted: RobotFit, other: RobotFit, name: str) -> RobotFit:
    """The fit with one link of the other's."""
    pairs = zip(fitted.links, other.links, strict=True)
    return replace(fitted, links=tuple(new if new.link == name else old for old, new in pairs))


@dataclass(frozen=True, slots=True)
class _Blame:
    """A link, in how many free configurations its spheres overlap others, where (k, 4), and whether
    it gets more."""

    name: str
    count: int
    places: F64
    gets_more: bool


def _judged(
    robot: RobotDescription,
    meshes: MeshMotion,
    thresholds: Thresholds,
    fitted: RobotFit,
    most: float = np.inf,
) -> _State:
    """The fit with spheres that stand out evenly, unless its loss is above `most` without, and how
    it decides with the buffers that it allows."""

    def state(fit: RobotFit, model: MotionModel) -> _State:
        undecided = {
            model.spheres.pair_index[each.pair]: each.touching
            for each in thresholds.for_the_mask(model)
        }
        lost = {row: share for row, share in undecided.items() if share}
        rows = [
            row for row in map(model.spheres.pair_index.get, thresholds.rows) if row is not None
        ]
        rows = [row for row in rows if row not in undecided]
        shrink, _ = thresholds.shrink(model, meshes, search=False, shared=True, among=rows)
        needless, wrong, depth = thresholds.verdict(model, shrink, rows)
        return _State(
            fitted, fit, model, shrink, needless, rows, lost, loss(needless, wrong) + depth / _DEEP
        )

    model = motion_model_of(_with_spheres(robot, fitted), EMPTY_SCENE, MaskFile.XRDF)
    plain = state(fitted, model)
    if plain.loss > most:
        return plain
    fixed = {*model.spheres.frames} - {each.link for each in fitted.links if each.mesh.may_move}
    grown = _grown(fitted, model, even_growth(model, thresholds, plain.rows, fixed))
    if grown is fitted:
        return plain
    even = state(grown, motion_model_of(_with_spheres(robot, grown), EMPTY_SCENE, MaskFile.XRDF))
    return min(plain, even, key=lambda each: each.loss)


def _ended(
    best: _State,
    judged: Callable[..., _State],
    thresholds: Thresholds,
    meshes: MeshMotion,
    goal: float,
    seed: int,
    progress: Progress,
) -> _State:
    """`best` after a look along planned paths, its spheres settled where it refuses much more than
    the goal.

    `judged`: `_judged` of the robot and its meshes."""
    is_poor = best.needless > _SETTLES * goal
    looking = scale_progress(progress, 0.8 if is_poor else 0.7, 0.95)
    if is_poor:
        thresholds = thresholds.with_edges(best.model, meshes, seed + 1, _EDGES, _EDGES_SHARE)
        best = _settled(
            best.bare, thresholds, partial(judged, thresholds), scale_progress(progress, 0.7, 0.8)
        )
    met = thresholds.met_on_paths(best.model, meshes, best.shrink, best.rows, seed, looking)
    if not len(met.values):
        return best
    # Spheres learn of thin places that planners meet, as the buffers will.
    thresholds += met
    again = partial(judged, thresholds)
    return (
        _settled(best.bare, thresholds, again, scale_progress(progress, 0.95, 1.0))
        if is_poor
        else again(best.bare)
    )


def _settled(
    fitted: RobotFit, thresholds: Thresholds, judged: Callable[..., _State], progress: Progress
) -> _State:
    """The fit with its spheres moved and sized by what they decide, as often as that pays, covered
    and proven again; or with spheres that stand out evenly, where that is better."""
    even = judged(fitted)
    # Spheres that have grown, as spheres that are made even have, settle worse.
    best = judged(fitted, most=-np.inf)
    met = np.unique(thresholds.near(best.model, best.rows)[0][:, 1]).tolist()
    decide = {name for row in met for name in best.model.names(row)}
    moving = [
        each
        for each in fitted.links
        if each.mesh.may_move and each.link in decide and not _is_exact(each)
    ]
    solids = {each.link: prepare_solid(each.mesh) for each in moving}
    surfaces = {
        link: SurfaceSample(solid.points(_COVERED), solid.signed_distance)
        for link, solid in solids.items()
    }
    for turn in range(_SETTLINGS if fitted.settings.mode != "inside" else 0):
        progress(turn / _SETTLINGS, "Moving spheres to agree with the meshes")
        moved = settled(best.model, thresholds, best.rows, best.shrink, surfaces)
        links = []
        for each in best.fit.links:
            rows = moved.get(each.link)
            links.append(
                each if rows is None else _covering(each, solids[each.link], rows, fitted.settings)
            )
        tried = judged(replace(best.fit, links=tuple(links)), most=-np.inf)
        if tried.loss >= _GAIN * best.loss:
            break
        best = tried
    return min(even, best, key=lambda each: each.loss)


def _is_exact(link: FittedLink) -> bool:
    """Whether the link is a sphere itself, or its spheres are as good: others would stand out
    more."""
    quality = link.result.quality
    return quality is not None and quality.protrusion_max < _EXACT


def _covering(link: FittedLink, solid: Solid, rows: F64, settings: FitSettings) -> FittedLink:
    """The link with these spheres (n, 4), metres, which cover it again; as it was where they
    cannot."""
    rows = covered_again(solid, rows, settings)
    spheres = round_spheres(np.delete(rows, superfluous(solid, rows), axis=0), settings.mode)
    written = stack_spheres(spheres)
    proof = certify_solid(solid, written) if settings.mode == "cover" else None
    if proof is not None and not proof.certified and not link.is_open:
        return link
    result = replace(link.result, spheres=written, certificate=proof)
    return replace(link, spheres=spheres, result=result, shared_with=())


def _with_spheres(robot: RobotDescription, fitted: RobotFit) -> RobotDescription:
    return SetFittedSpheres(fitted.group, FrozenDict(fitted.spheres), "").apply(robot)


def _grown(fitted: RobotFit, model: MotionModel, growth: F64) -> RobotFit:
    """The fit with spheres that are larger by `growth` (n,), metres, in the order of the model."""
    starts = dict(zip(model.spheres.frames, model.spheres.starts[:-1].tolist(), strict=True))
    links = []
    for each in fitted.links:
        first = starts.get(each.link, 0)
        more = growth[first : first + len(each.spheres)] if each.link in starts else np.zeros(0)
        if not more.any():
            links.append(each)
            continue
        rows = stack_spheres(each.spheres)
        rows[:, 3] += more
        spheres = round_spheres(rows, fitted.settings.mode)
        result = replace(each.result, spheres=stack_spheres(spheres))
        links.append(replace(each, spheres=spheres, result=result, shared_with=()))
    return fitted if links == list(fitted.links) else replace(fitted, links=tuple(links))


def _measured(fitted: RobotFit, before: RobotFit) -> RobotFit:
    """The fit with figures of the spheres as they are; links of `before` have theirs."""
    links = []
    for each, old in zip(fitted.links, before.links, strict=True):
        if each is not old:
            every = np.vstack(
                [each.result.spheres, np.array(each.mesh.locked, float).reshape(-1, 4)]
            )
            each = replace(
                each, result=replace(each.result, quality=measure(prepare_solid(each.mesh), every))
            )
        links.append(each)
    return replace(fitted, links=tuple(links))


def _to_blame(state: _State, free: F64, places: Mapping[str, F64], goal: float) -> list[_Blame]:
    """The links that are to blame, for most first; none where no more than the goal is refused, and
    all is decided."""
    if state.needless <= goal and not state.lost:
        return []
    counts = Counter(blame(state.model, free, state.rows, state.shrink))
    for row, share in state.lost.items():
        # Ignored, the pair lets pass what it could refuse.
        counts.update(dict.fromkeys(state.model.names(row), round(WORSE * share * len(free))))
    fitted = {each.link for each in state.fit.links if not _is_exact(each)}
    most = max(counts.values(), default=0)
    enough, much = (
        max(_BLAMED * len(free), share * most) for share in (_BLAMED_ENOUGH, _BLAMED_MUCH)
    )
    blamed = [
        _Blame(k, n, places[k], n >= much)
        for k, n in counts.items()
        if k in fitted and k in places and n > enough
    ]
    return sorted(blamed, key=lambda each: (-each.count, each.name))


def _fitted_again(
    fitted: RobotFit, blame: _Blame, limit: int, seed: int, processes: int | None, cancel: Cancel
) -> RobotFit:
    """The fit with one link fitted anew, with more spheres as long as there are fewer than `limit`
    in all."""
    link = next(each for each in fitted.links if each.link == blame.name)
    # As they are written: who begins with a file ends with the same spheres.
    locked = len(link.mesh.locked)
    radii = np.array([each.radius for each in link.spheres[locked:]])
    number = len(radii)
    spare = limit - sum(len(each.spheres) for each in fitted.links)
    if blame.gets_more:
        number += max(0, min(round((_MORE - 1.0) * number) + 2, spare))
    crowd = tuple((x, y, z, w) for x, y, z, w in blame.places.tolist())
    smallest = min(_SMALL, _SMALL_SHARE * float(np.median(radii))) if len(radii) else 0.0
    smallest = max(fitted.settings.min_radius, smallest)
    settings = replace(
        fitted.settings,
        number=number,
        tolerance_m=None,
        min_radius=smallest,
        seed=seed,
        effort="fast",
    )
    mesh = replace(link.mesh, copies=(), twin=None, crowd=crowd)
    (again,) = fit_meshes(
        [mesh], settings, processes=processes, reporter=TaskReporter(cancelled=cancel)
    )
    spheres = (*link.spheres[:locked], *round_spheres(again.result.spheres, settings.mode))
    changed = replace(link, spheres=spheres, result=again.result, shared_with=())
    return replace(fitted, links=tuple(changed if each is link else each for each in fitted.links))
