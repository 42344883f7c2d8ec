"""Buffers: a configuration in which meshes touch may be left to any pair whose spheres overlap
there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import editor_app
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.plugins.motion.engine.buffer_program import Gaps
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import OverlapBound, Thresholds
from editor_app.plugins.motion.verbs.collide import Geometry, mesh_motion, motion_model_of
from editor_app.plugins.planning.verbs.self_buffers import best_trial
from tests.helpers.robots import copy_of_sample


def test_each_configuration_is_left_to_the_row_that_overlaps_most() -> None:
    # Configuration 0 touches: row 0 overlaps by 2 mm, row 1 by 20; 1 touches: row 0 by 10; 2 is
    # free.
    gaps = Gaps(
        np.array([-0.002, -0.02, -0.01, -0.03]),
        np.array([0, 1, 0, 2], np.int64),
        np.array([0, 0, 1, 2], np.int64),
        np.array([True, True, False]),
        3,
    )
    room = gaps.shared_room(np.zeros(3), 0.001)
    assert room == pytest.approx([0.009, 0.019, np.inf]), "the thin 2 mm bind nothing"
    # Row 1 has shrunk by 19 mm: row 0 has more left there now, and what is there already stays
    # possible.
    room = gaps.shared_room(np.array([0.0, 0.019, 0.0]), 0.001)
    assert room[0] == pytest.approx(0.001)
    assert np.isinf(room[1])
    assert gaps.shared_room(np.array([0.0095, 0.0, 0.0]), 0.001)[0] == pytest.approx(0.0095)


def test_of_rows_that_overlap_alike_the_first_keeps_a_configuration() -> None:
    gaps = Gaps(
        np.full(3, -0.01), np.array([1, 0, 2], np.int64), np.zeros(3, np.int64), np.array([True]), 3
    )
    assert np.isfinite(gaps.shared_room(np.zeros(3), 0.001)).tolist() == [False, True, False]


@pytest.mark.parametrize("seed", range(5))
def test_the_verdict_is_of_what_any_row_refuses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    collides = rng.random(30) < 0.3
    gaps = Gaps(
        rng.normal(0.0, 0.01, 200), rng.integers(0, 4, 200), rng.integers(0, 30, 200), collides, 4
    )
    moved, margin = rng.normal(0.0, 0.01, 4), 0.002
    least = np.full(30, np.inf)
    np.minimum.at(least, gaps.configurations, gaps.clearances + moved[gaps.rows])
    needless, passed = (least[~collides] < 0.0).mean(), (least[collides] >= -margin).mean()
    assert gaps.verdict(moved, margin) == pytest.approx((needless, passed))


@pytest.mark.parametrize("seed", range(5))
def test_what_no_move_changes_is_counted_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    collides = rng.random(60) < 0.3
    gaps = Gaps(
        rng.normal(0.0, 0.01, 300), rng.integers(0, 4, 300), rng.integers(0, 60, 300), collides, 4
    )
    least, most, margin = np.full(4, -0.004), np.full(4, 0.006), 0.001
    fewer = gaps.decided(least, most, margin)
    assert len(fewer.clearances) < len(gaps.clearances)
    for moved in (least, most, *rng.uniform(least, most, (20, 4))):
        assert fewer.verdict(moved, margin) == gaps.verdict(moved, margin)


def test_sharing_frees_more_and_the_judgement_bounds_what_it_lets_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy_of_sample(tmp_path / "robot", bare=True)
    document = editor_app.open_robot(path, new_xrdf=True)
    document.execute(editor_app.fit(document, number=7, choices=FitChoices(effort="fast")).change)
    meshes = mesh_motion(
        PlacedRobot(document.robot, path), EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF
    )
    model = motion_model_of(document.robot, EMPTY_SCENE, MaskFile.XRDF)
    thresholds = Thresholds.of(model, meshes, model.random_values(4_000, 0))
    rows = thresholds.to_decide(model)
    # Configurations that join them are looked at alone, with the outcome of a look at all.
    more = Thresholds.of(model, meshes, model.random_values(50, 1))
    both = thresholds + more
    at_once = Thresholds(both.values, both.rows, both.touched).near(model)
    monkeypatch.setattr(MotionModel, "row_clearances", None)
    joined = both.near(model)
    monkeypatch.undo()
    assert all((one == other).all() for one, other in zip(joined, at_once, strict=True))

    def verdict(shared: bool) -> tuple[float, float]:
        shrink, _ = thresholds.shrink(model, meshes, search=False, shared=shared, among=rows)
        needless, wrong, _ = thresholds.verdict(model, shrink, rows)
        return needless, wrong

    (apart, missed), (shared, passed) = verdict(False), verdict(True)
    assert shared <= apart
    # What the program keeps by less than the margin may be let pass here: others judge it.
    assert missed <= passed < 0.02
    judged = editor_app.self_buffers(document, samples=4_000)
    assert judged.after.needless.value <= judged.before.needless.value
    assert judged.after.wrong.value <= judged.before.wrong.value + 0.0008


class _Judged:
    """Of a single frame: the more it shrinks, the less is refused, and from `edge` (metres) on
    touching is let pass."""

    collides = np.arange(20_000) < 10_000

    def __init__(self, edge: float, worst: float) -> None:
        self.edge, self.worst, self.asked = edge, worst, Counter[float]()

    def verdict(self, model: object, shrink: dict[str, float]) -> tuple[float, float, float]:
        self.asked[shrink.get("arm", 0.0)] += 1
        by = shrink.get("arm", 0.0)
        return 0.4 - 15.0 * by, self.worst * max(0.0, by - self.edge) / 0.01, 0.0


@pytest.mark.parametrize(
    ("edge", "far", "wanted"),
    [
        pytest.param(0.006, 0.02, 0.0074, id="half of what may be let pass"),
        pytest.param(0.006, 0.003, 0.003, id="both let nothing pass"),
        pytest.param(0.0, 0.0051, 0.002, id="what lets too much pass is hardly cheaper"),
    ],
)
def test_buffers_stop_where_sharing_would_let_too_much_pass(
    edge: float, far: float, wanted: float
) -> None:
    judged: Any = _Judged(edge, 0.002)
    trials: list[tuple[dict[str, float], tuple[OverlapBound, ...]]] = [
        ({"arm": 0.002}, ()),
        ({"arm": far}, ()),
    ]
    best = best_trial(trials, judged, cast(MotionModel, None))
    assert best is not None
    assert best[0]["arm"] == pytest.approx(wanted)
    assert judged.verdict(None, best[0])[1] <= 0.0004


def test_search_is_judged_beside_trials_that_are_judged_once() -> None:
    judged: Any = _Judged(0.006, 0.002)
    trials: list[tuple[dict[str, float], tuple[OverlapBound, ...]]] = [
        ({"arm": 0.02}, ()),
        ({"arm": 0.03}, ()),
    ]
    model = cast(MotionModel, None)
    assert best_trial(trials, judged, model) is None, "both let too much pass"
    judged.asked.clear()
    best = best_trial(trials, judged, model, lambda: ({"arm": 0.001}, ()))
    assert best is not None
    assert 0.001 < best[0]["arm"] <= 0.0085, (
        "a step towards the cheapest that lets hardly anything pass"
    )
    assert judged.asked[0.02] == judged.asked[0.03] == judged.asked[0.001] == 1
