"""Passages: pieces into which spheres cut joints are proven, what meshes leave open is shown, and
`plan` says why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.cli import run_command
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.urdf import Box, Collision, JointType, Limit
from editor_app.core.model.xrdf import CollisionSphere, CSpace
from editor_app.core.verbs.open import open_robot
from editor_app.plugins.motion.engine import kernels
from editor_app.plugins.motion.engine.cells import components
from editor_app.plugins.motion.engine.passages import ByMeshes, _seen_open, grids_of
from editor_app.plugins.motion.engine.results import Outcome, PlannerSettings
from editor_app.plugins.motion.verbs.collide import motion_model_of
from editor_app.plugins.motion.verbs.passages import passages
from editor_app.plugins.motion.verbs.plan import plan_between, smoke_test
from tests.helpers.robots import sample_urdf
from tests.helpers.sphere_robots import joint, robot_of


def sliding(aside: float, low: float = -0.4) -> RobotDescription:
    """A box of 0.2 m that slides along x past another one that stands `aside` in y, each with a
    sphere of 0.15 m."""
    robot = robot_of(
        [
            joint("lift", "base", "stand", limits=(0.0, 0.0)),
            joint(
                "slide",
                "stand",
                "mover",
                kind=JointType.PRISMATIC,
                xyz=(0.0, 0.0, 0.0),
                limits=(low, 0.4),
            ),
        ],
        {
            "base": [(0.0, aside, 0.0, 0.15)],
            "mover": [(0.0, 0.0, 0.0, 0.15)],
            "stand": [(0.0, 5.0, 0.0, 0.1)],
        },
    )
    shapes = {
        "base": Collision(Box((0.2, 0.2, 0.2)), Origin((0.0, aside, 0.0))),
        "mover": Collision(Box((0.2, 0.2, 0.2))),
        "stand": Collision(Box((0.1, 0.1, 0.1)), Origin((0.0, 5.0, 0.0))),
    }
    links = tuple(replace(link, collisions=(shapes[link.name],)) for link in robot.urdf.links)
    joints = tuple(
        replace(each, axis=(1.0, 0.0, 0.0)) if each.name == "slide" else each
        for each in robot.urdf.joints
    )
    assert robot.xrdf.self_collision is not None
    section = replace(robot.xrdf.self_collision, ignore=FrozenDict({"base": ("nothing",)}))
    xrdf = replace(
        robot.xrdf,
        self_collision=section,
        cspace=CSpace(("slide",)),
        default_joint_positions=FrozenDict({"slide": 0.4}),
    )
    return robot.with_urdf(replace(robot.urdf, links=links, joints=joints)).with_xrdf(xrdf)


@pytest.mark.parametrize(("aside", "by_meshes"), [(0.25, ByMeshes.OPEN), (0.15, ByMeshes.CLOSED)])
def test_a_joint_that_spheres_cut_in_two_is_told_with_what_the_meshes_say(
    aside: float, by_meshes: ByMeshes
) -> None:
    result = passages(sliding(aside))
    (barrier,) = result.barriers
    half = float(np.sqrt(0.3**2 - aside**2))
    assert (barrier.joint, barrier.everywhere) == ("slide", True)
    assert barrier.lower == pytest.approx(-half, abs=0.005)
    assert barrier.upper == pytest.approx(half, abs=0.005)
    assert [set(names) for names in barrier.pairs] == [{"base", "mover"}]
    assert barrier.contacts[0][2] == pytest.approx(0.3 - aside, abs=1e-4)
    assert barrier.by_meshes is by_meshes
    (cut,) = [each for each in result.sets if each.barriers]
    assert len(cut.pieces) == 2
    assert cut.pieces_by_meshes == (1 if by_meshes is ByMeshes.OPEN else 2)
    assert sorted(piece.pose["slide"] > 0 for piece in cut.pieces) == [False, True]
    (interval,) = cut.intervals
    open_part = sum(high - low for low, high in interval.open)
    shut_by_meshes = 0.0 if aside > 0.2 else 0.4
    assert open_part == pytest.approx(2 * half - shut_by_meshes, abs=0.01)
    if by_meshes is ByMeshes.OPEN:
        assert result.closed == (barrier,)
        assert barrier.way is not None
        ends = sorted(point[0] for point in barrier.way.points)
        assert ends[0] < -half
        assert ends[-1] > half
        assert all(-half <= pose["slide"] <= half for pose in barrier.poses)
        assert "the meshes leave it open" in barrier.sentence
    else:
        assert result.closed == ()
        assert "the meshes close it too" in barrier.sentence


def test_spheres_that_leave_one_piece_are_not_blamed() -> None:
    result = passages(sliding(0.35))
    assert result.barriers == ()
    assert [piece.share for each in result.sets for piece in each.pieces] == [1.0] * len(
        result.sets
    )
    beside = passages(sliding(0.25, low=0.05))
    assert beside.barriers == (), "what is shut at the end of a range cuts nothing off"
    (interval,) = [each for part in beside.sets for each in part.intervals]
    assert interval.lower == pytest.approx(0.05)


def test_plan_names_the_wall_that_lies_on_the_way() -> None:
    """Not the thinnest around, and of several on the way not one that the meshes leave open."""
    narrow, wide = 0.28, 0.15
    robot = sliding(wide, low=-2.0)
    # A second wall at x = 1 m, which is thinner and which the meshes leave open.
    shape = Collision(Box((0.2, 0.2, 0.2)), Origin((1.0, narrow, 0.0)))
    links = tuple(
        replace(link, collisions=(*link.collisions, shape)) if link.name == "base" else link
        for link in robot.urdf.links
    )
    joints = tuple(
        replace(each, limit=replace(each.limit, upper=1.4))
        if each.name == "slide" and each.limit
        else each
        for each in robot.urdf.joints
    )
    group = robot.xrdf.group(robot.xrdf.self_group)
    assert group is not None
    spheres = FrozenDict(
        {
            **group.spheres,
            "base": (*group.spheres["base"], CollisionSphere((1.0, narrow, 0.0), 0.15)),
        }
    )
    robot = robot.with_urdf(replace(robot.urdf, links=links, joints=joints))
    robot = robot.with_xrdf(replace(robot.xrdf, geometry=(replace(group, spheres=spheres),)))

    def wall(start: float, goal: float) -> tuple[float, ByMeshes]:
        planned = plan_between(
            robot, {"slide": start}, {"slide": goal}, settings=PlannerSettings(1.0)
        )
        assert planned.outcome is Outcome.APART
        assert planned.barrier is not None
        return round(
            (planned.barrier.lower + planned.barrier.upper) / 2.0, 1
        ), planned.barrier.by_meshes

    assert wall(0.5, -1.0) == (0.0, ByMeshes.CLOSED)
    assert wall(0.5, 1.3) == (1.0, ByMeshes.OPEN)
    assert wall(1.3, -1.0) == (0.0, ByMeshes.CLOSED)


def test_a_wall_that_other_joints_have_a_part_in_is_no_interval_of_one_joint() -> None:
    (barrier,) = passages(sliding(0.25)).barriers
    assert barrier.sentence.startswith("slide cannot pass -165.6 to 165.6 mm: "), "it slides"
    partly = replace(barrier, joints=("turn", "slide"), everywhere=False)
    assert partly.sentence.startswith(
        "no motion of turn and slide connects both sides; the shortest crossing has slide at "
    )


def test_without_meshes_the_proof_by_spheres_stands() -> None:
    robot = sliding(0.25)
    links = tuple(replace(link, collisions=()) for link in robot.urdf.links)
    result = passages(robot.with_urdf(replace(robot.urdf, links=links)))
    (barrier,) = result.barriers
    assert barrier.by_meshes is ByMeshes.UNDECIDED
    assert any("meshes are not compared" in note for note in result.notes)


def test_plan_says_at_once_why_there_is_no_path() -> None:
    robot = sliding(0.25)

    def at(value: float) -> Trajectory:
        return Trajectory(("slide",), ((value,),), None, ("",), False)

    planned = plan_between(robot, at(-0.3), at(0.3), settings=PlannerSettings(60.0))
    assert planned.outcome is Outcome.APART
    assert planned.barrier is not None
    assert planned.cpu_seconds < 30.0, "not after all of the time"
    assert "slide cannot pass" in planned.why
    assert "base and mover" in planned.why
    solved = plan_between(robot, at(0.25), at(0.3))
    assert (solved.outcome, solved.why, solved.barrier) == (Outcome.SOLVED, "", None)
    test = smoke_test(robot, 12, seconds=30.0)
    assert set(test.outcomes) == {Outcome.SOLVED, Outcome.APART}
    ((barrier, count),) = test.barriers
    assert barrier.joint == "slide"
    assert count == test.queries - test.solved


@pytest.mark.parametrize(("at", "meshes"), [(0.25, "are apart there"), (0.1, "touch too")])
def test_an_end_that_spheres_refuse_is_told_with_what_the_meshes_say(
    at: float, meshes: str
) -> None:
    planned = plan_between(sliding(0.1), {"slide": 0.4}, {"slide": at})
    assert planned.outcome is Outcome.GOAL_BLOCKED
    depth = (0.3 - float(np.hypot(0.1, at))) * 1e3
    assert planned.why == f"goal: base and mover overlap by {depth:.1f} mm (their meshes {meshes})"


def test_joints_outside_of_the_c_space_stand_where_the_start_has_them() -> None:
    """A barrier that stands at the default only is none for a start that has it out of the way."""
    robot = sliding(0.15)
    joints = tuple(
        replace(each, type=JointType.PRISMATIC, axis=(0.0, 0.0, 1.0), limit=Limit(0.0, 1.0))
        if each.name == "lift"
        else each
        for each in robot.urdf.joints
    )
    robot = robot.with_urdf(replace(robot.urdf, joints=joints))

    def at(value: float, lift: float) -> Trajectory:
        return Trajectory(("slide", "lift"), ((value, lift),), None, ("",), False)

    settings = PlannerSettings(20.0)
    assert (
        plan_between(robot, at(-0.3, 0.0), at(0.3, 0.0), settings=settings).outcome is Outcome.APART
    )
    assert (
        plan_between(robot, at(-0.3, 1.0), at(0.3, 1.0), settings=settings).outcome
        is Outcome.SOLVED
    )


def test_cells_agree_with_random_configurations() -> None:
    """Closed all over, free all over: no configuration in a cell says otherwise."""
    robot = open_robot(sample_urdf()).robot
    model = motion_model_of(robot)
    grids, _ = grids_of(model)
    assert grids
    rng = np.random.default_rng(3)
    closed = free = 0
    for grid in grids:
        cells = grid.cells
        values = np.repeat(model.default[None], 4000, axis=0)
        columns = list(cells.columns)
        low, high = model.spheres.lower[columns], model.spheres.upper[columns]
        values[:, columns] = low + rng.random((len(values), len(columns))) * (high - low)
        spots, _ = model.row_clearances(values, 0.0, cells.rows)
        touching = np.isin(np.arange(len(values)), spots[:, 0])
        states = np.array([cells.states[cells.cell(each)] for each in values])
        assert touching[states == kernels.ALL_CLOSED].all()
        assert not touching[states == kernels.ALL_FREE].any()
        closed, free = (
            closed + int((states == kernels.ALL_CLOSED).sum()),
            free + int((states == kernels.ALL_FREE).sum()),
        )
    assert free > 1000
    assert closed > 10


def test_pieces_of_a_joint_without_limits_meet_behind_its_seam() -> None:
    passable = np.array([True, True, False, True, False, True])
    assert components(passable, (False,))[1] == 3
    labels, count = components(passable, (True,))
    assert count == 2
    assert labels[0] == labels[-1] != labels[3]


def test_the_commands_report_it(capsys: Any, tmp_path: Path) -> None:
    run_command("cost", [str(sample_urdf()), "--samples", "200", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert {"sets", "not_looked_at"} <= report["passages"].keys()
    run_command("plan", [str(sample_urdf()), "--queries", "2", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["barriers"] == []


def test_a_value_of_a_joint_is_not_called_closed_because_looks_were_few() -> None:
    """Meshes leave open what the second joint says, beyond 0.9 of it, but for the first joint from
    0.5 to 0.6."""
    rng = np.random.default_rng(1)
    values = rng.random((100, 2, 2))
    values[:, :, 0] = (np.arange(100)[:, None] + 0.5) / 100

    def ask(rows: np.ndarray) -> list[bool]:
        return [bool(b > 0.9 and not 0.5 < a < 0.6) for a, b in rows]

    free = np.array(ask(values.reshape(-1, 2))).reshape(100, 2)
    assert free.any(axis=1).sum() < 50
    seen = _seen_open(values, free, 0, ask)
    assert np.flatnonzero(~seen).tolist() == list(range(50, 60))
    assert not _seen_open(values, np.zeros_like(free), 0, ask).any()
