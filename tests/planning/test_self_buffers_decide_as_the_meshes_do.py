"""Self-collision buffers free configurations that the meshes leave free, hide no collision, and
change nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.tasks.task import Task, TaskReporter
from editor_app.core.tasks.work import locate_robot
from editor_app.plugins.motion.engine.buffer_program import loss
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import Thresholds
from editor_app.plugins.motion.verbs.collide import Geometry, mesh_motion, motion_model_of
from editor_app.plugins.planning.verbs import self_buffers as verb
from editor_app.plugins.planning.verbs.self_buffers import SelfBuffers, with_buffers
from tests.helpers.robots import copy_of_sample

SAMPLES = 6_000


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> editor_app.Document:
    return editor_app.open_robot(copy_of_sample(tmp_path_factory.mktemp("buffers") / "sample"))


@pytest.fixture(scope="module")
def buffers(robot: editor_app.Document) -> SelfBuffers:
    return editor_app.self_buffers(robot, samples=SAMPLES)


def test_fewer_free_configurations_are_refused_and_no_more_are_missed(buffers: SelfBuffers) -> None:
    assert buffers.changed
    assert buffers.after.false_collisions < 0.8 * buffers.before.false_collisions
    assert buffers.after.missed_collisions <= buffers.before.missed_collisions + 1


def test_each_pair_keeps_less_than_its_spheres_overlap_while_its_meshes_touch(
    buffers: SelfBuffers,
) -> None:
    """The bound of the linear program, for the pairs that were seen to touch."""
    assert buffers.bounds
    for bound in buffers.bounds:
        shrink = -sum(buffers.buffers.get(frame, 0.0) for frame in bound.frames)
        assert shrink <= max(0.0, bound.overlap - 0.0009)


def test_spheres_stay_as_they_are_and_one_step_takes_the_buffers_back(
    robot: editor_app.Document, buffers: SelfBuffers
) -> None:
    before, text = robot.robot, robot.xrdf_text
    robot.execute(buffers.change)
    try:
        assert robot.robot.xrdf.geometry == before.xrdf.geometry
        section = robot.robot.xrdf.self_collision
        assert section is not None
        assert section.buffer_distance == buffers.buffers
        assert section.ignore == before.xrdf.self_collision.ignore  # type: ignore[union-attr]
        smallest = {
            frame: min(sphere.radius for sphere in spheres)
            for frame, spheres in robot.robot.xrdf.spheres_of(robot.robot.xrdf.self_group).items()
            if spheres
        }
        assert all(smallest[frame] + by > 0.0 for frame, by in buffers.buffers.items())
        assert not [f.code for f in editor_app.check(robot) if f.code.startswith("XRDF4")]
    finally:
        robot.undo()
    assert robot.xrdf_text == text


def test_the_file_says_what_the_buffers_are_for(
    robot: editor_app.Document, buffers: SelfBuffers
) -> None:
    robot.execute(buffers.change)
    try:
        (line,) = (
            each for each in robot.xrdf_text.splitlines() if "set against the meshes" in each
        )
    finally:
        robot.undo()
    assert line.strip().startswith("buffer_distance:")
    assert f"{100 * buffers.after.needless.value:.1f} %" in line


def test_the_same_input_gives_the_same_buffers_also_as_a_job(robot: editor_app.Document) -> None:
    shares: list[float] = []
    again = editor_app.self_buffers(robot, samples=1_000)
    assert again.buffers == editor_app.self_buffers(robot, samples=1_000).buffers
    job = Task(editor_app.self_buffers, locate_robot(robot), mask=MaskFile.XRDF, samples=1_000)
    assert job(TaskReporter(lambda share, _: shares.append(share))).buffers == again.buffers
    assert 0.0 <= min(shares) <= max(shares) <= 1.0


def test_a_collision_at_the_default_position_is_not_made(
    robot: editor_app.Document, buffers: SelfBuffers
) -> None:
    pose = editor_app.state_pose(robot, "default")
    was_free = editor_app.collide(robot, pose).all_free
    robot.execute(buffers.change)
    try:
        assert editor_app.collide(robot, pose).all_free >= was_free
    finally:
        robot.undo()


def test_at_the_edges_of_touching_spheres_overlap_less_than_a_sample_shows(
    robot: editor_app.Document,
) -> None:
    meshes = mesh_motion(locate_robot(robot), EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF)
    model = motion_model_of(robot.robot, EMPTY_SCENE, MaskFile.XRDF)
    sample = Thresholds.of(model, meshes, model.random_values(600, 1))
    more = sample.with_edges(model, meshes, 0)
    added = more.values[len(sample.values) :]
    assert len(added)
    touching = {n for n, _ in meshes.touching(added, np.array([*sample.rows.values()]))}
    assert touching == set(range(len(added)))
    least = {
        pair: [
            float(each.overlaps(model, model.spheres.pair_index[pair])[each.touched[pair]].min())
            for each in (sample, more)
        ]
        for pair, touched in sample.touched.items()
        if len(touched)
    }
    assert least
    assert all(after <= before for before, after in least.values())
    # By chance, a sample seldom has two links that just touch.
    assert np.median([before - after for before, after in least.values()]) > 0.001


def test_planned_paths_tell_what_buffers_let_pass_and_the_search_learns_from_it(
    robot: editor_app.Document,
) -> None:
    meshes = mesh_motion(locate_robot(robot), EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF)
    model = motion_model_of(robot.robot, EMPTY_SCENE, MaskFile.XRDF)
    thresholds = Thresholds.of(model, meshes, model.random_values(300, 1))

    def shrunk(shrink: dict[str, float]) -> MotionModel:
        buffers = FrozenDict({frame: -by for frame, by in shrink.items()})
        return motion_model_of(with_buffers(robot.robot, buffers), EMPTY_SCENE, MaskFile.XRDF)

    # Little was sampled, and no margin is kept: the buffers let pass what planners meet.
    loose, _ = thresholds.shrink(model, meshes, search=False, margin=-0.01)
    met = thresholds.met_on_paths(model, meshes, loose, model.rows.tolist(), 0)
    assert len(met.values)
    assert met.collides.all()
    assert (shrunk(loose).first_collisions(met.values) < 0).all()
    learned = thresholds + met
    better, _ = learned.shrink(model, meshes, search=False)
    # Where bare spheres leave the mesh bare, no buffer catches it.
    assert (shrunk(better).first_collisions(met.values) < 0).sum() < 0.5 * len(met.values)


@pytest.mark.parametrize(("before", "after", "touching", "more"), [
    (0, 5, 2_592, True), (0, 3, 2_592, False), (0, 4, 4_060, False), (6, 5, 1_790, False), (0, 1, 40, False),
    (0, 2, 40, True),
])  # fmt: skip
def test_buffers_that_miss_more_than_one_collision_in_a_thousand_miss_too_many(
    before: int, after: int, touching: int, more: bool, buffers: SelfBuffers
) -> None:
    judged = [
        replace(buffers.after, touching=touching, missed_collisions=count)
        for count in (before, after)
    ]
    assert replace(buffers, before=judged[0], after=judged[1]).misses_more == more


@pytest.mark.parametrize("answers", [(True, False), (True, True, True, True)])
def test_buffers_that_miss_too_many_are_sought_again(
    answers: tuple[bool, ...], robot: editor_app.Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds, losses = list[int](), list[float]()
    rest = iter(answers)

    def misses_more(buffers: SelfBuffers) -> bool:
        if buffers.after.seed not in seeds:
            seeds.append(buffers.after.seed)
            losses.append(loss(buffers.after.needless.value, buffers.after.wrong.value))
            verdicts[buffers.after.seed] = next(rest)
        return verdicts[buffers.after.seed]

    def shrunk(
        thresholds: Thresholds, judged: Thresholds, model: MotionModel, *others: object
    ) -> tuple[tuple[dict[str, float], tuple[()]], Thresholds, Thresholds]:
        return ({model.spheres.frames[-1]: 0.001 * (1 + len(seeds))}, ()), thresholds, judged

    verdicts = dict[int, bool]()
    monkeypatch.setattr(SelfBuffers, "misses_more", property(misses_more))
    monkeypatch.setattr(verb, "_learned", shrunk)
    result = editor_app.self_buffers(robot, samples=300)
    # Each is judged in configurations that the one before did not see.
    assert len(set(seeds)) == len(answers)
    assert result.changed
    assert result.before.seed == result.after.seed
    best = seeds[-1] if not answers[-1] else seeds[int(np.argmin(losses))]
    assert result.after.seed == best


def test_a_robot_without_the_section_is_refused(tmp_path: Path) -> None:
    robot = editor_app.open_robot(copy_of_sample(tmp_path / "sample"))
    robot.execute(editor_app.commands.SetAllBuffers("self_collision", 0.01))
    with pytest.raises(editor_app.Refused, match="per frame"):
        editor_app.self_buffers(robot, samples=100)


def test_the_mask_on_the_command_line_sets_them_too(tmp_path: Path) -> None:
    urdf = copy_of_sample(tmp_path / "sample")
    out = tmp_path / "out.xrdf"
    assert run_command(
        "mask", [str(urdf), "--samples", "2000", "--certify", "0", "--buffers", "-o", str(out)]
    ) in (
        0,
        1,
        3,
        4,
    )
    section = editor_app.open_robot(urdf, out).robot.xrdf.self_collision
    assert section is not None
    assert section.buffer_distance
    assert np.all(np.abs([*section.buffer_distance.values()]) < 0.05)  # type: ignore[union-attr]
