"""The moves of a search (teleport, crossing, pushing back) end no worse than they began and keep
every limit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from editor_app.core.tasks.task import TaskReporter
from editor_app.features.spheres.engine.moves import _spliced, crossings, push_back, teleports
from editor_app.features.spheres.engine.problem import (
    DIRECTIONS_FINE,
    PLANS,
    FitProblem,
    compute_greatest_radii,
    refine_spheres,
    score,
    score_spheres,
)
from editor_app.features.spheres.engine.search import cover_start, polish
from editor_app.features.spheres.engine.solid import build_solid

NUMBER = 9
PLAN = replace(PLANS["normal"], teleports=6, crossings=12, pushes=12, final_steps=60)


@pytest.fixture(scope="module")
def problem() -> FitProblem:
    bar = trimesh.creation.box((0.5, 0.08, 0.06))
    foot = trimesh.creation.box(
        (0.1, 0.3, 0.06), trimesh.transformations.translation_matrix((0.2, 0.1, 0))
    )
    mesh = trimesh.util.concatenate([bar, foot])
    return FitProblem(build_solid(mesh.vertices, mesh.faces), NUMBER)


def a_fit(problem: FitProblem, seed: int) -> np.ndarray:
    spheres, _ = cover_start(problem.solid, NUMBER, seed=seed)
    while len(spheres) < NUMBER:
        spheres = np.vstack([spheres, spheres[-1] + (0.01, 0, 0, 0)])
    return refine_spheres(problem, spheres, -np.ones(NUMBER, np.int64), 2000, 20, 0.008, 0.3)


def no_progress(fraction: float, text: str) -> None:
    assert 0 <= fraction <= 1
    assert text


def test_teleports_return_the_score_of_what_they_return(problem: FitProblem) -> None:
    spheres = a_fit(problem, 1)
    before = score(problem, spheres)
    value, moved = teleports(problem, PLAN, before, spheres, no_progress)
    assert value <= before
    assert value == pytest.approx(score(problem, moved), rel=1e-9)
    assert moved.shape == (NUMBER, 4)


def test_a_child_takes_the_place_of_a_worse_parent_only(problem: FitProblem) -> None:
    fits = [(score(problem, s), s) for s in (a_fit(problem, seed) for seed in range(3))]
    crossed = crossings(problem, PLAN, fits, no_progress)
    assert [value for value, _ in crossed] != [value for value, _ in fits], "no child was any good"
    for (before, _), (after, spheres) in zip(fits, crossed, strict=True):
        assert after <= before
        assert spheres.shape == (NUMBER, 4)
        assert after == pytest.approx(score(problem, spheres), rel=1e-9)


def test_a_spliced_fit_has_each_side_from_one_parent() -> None:
    rng = np.random.default_rng(2)
    one, other = np.c_[rng.random((2, 12, 3)), np.full((2, 12, 1), 0.3)]
    splices = 0
    for _ in range(20):
        spliced = _spliced(one, other, rng)
        if spliced is None:
            continue
        splices += 1
        child, near = spliced
        mine = (child[:, None] == one[None]).all(2).any(1)
        theirs = (child[:, None] == other[None]).all(2).any(1)
        assert len(child) == 12
        assert near.shape == (12,)
        assert (mine ^ theirs).all()
        assert 0 < mine.sum() < 12
    assert splices > 5


def test_a_cancelled_search_crosses_nothing(problem: FitProblem) -> None:
    fits = [(score(problem, s), s) for s in (a_fit(problem, seed) for seed in range(2))]
    assert (
        crossings(
            replace(problem, reporter=TaskReporter(cancelled=lambda: True)), PLAN, fits, no_progress
        )
        == fits
    )


def test_pushing_back_keeps_the_largest_radius_and_the_plane(problem: FitProblem) -> None:
    floor = np.array([[0.0, 0.0, 1.0, float(problem.solid.samples[:, 2].min()) - 0.01]])
    limited = replace(problem, rmax=0.16, planes=floor)
    pushed = push_back(limited, PLAN, polish(limited, PLAN, a_fit(limited, 4)))
    assert (pushed[:, 3] <= compute_greatest_radii(limited, pushed) + 1e-12).all()


def test_a_sphere_that_stands_out_is_pushed_back(problem: FitProblem) -> None:
    spheres = polish(problem, PLAN, a_fit(problem, 4))
    spheres[0, 2] += 0.06
    pushed = push_back(problem, PLAN, spheres)
    assert score(problem, pushed, fine=True) < 0.99 * score(problem, spheres, fine=True)
    most = [score_spheres(problem, s, 1 / 64, DIRECTIONS_FINE)[1].max() for s in (spheres, pushed)]
    assert most[1] < 0.9 * most[0]


def test_locked_spheres_are_no_part_of_what_moves_return(problem: FitProblem) -> None:
    locked = replace(problem, locked=np.array([[*problem.solid.samples[0], 0.1]]))
    fits = [(score(locked, s), s) for s in (a_fit(locked, seed) for seed in range(2))]
    for _, spheres in crossings(locked, PLAN, fits, no_progress):
        assert spheres.shape == (NUMBER, 4)
    assert push_back(locked, PLAN, fits[0][1]).shape == (NUMBER, 4)
