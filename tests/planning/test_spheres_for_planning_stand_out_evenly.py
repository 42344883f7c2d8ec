"""Spheres for planning grow a little, or move, where that frees more configurations: they cover
as before, and what must stay stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.verbs.link_fits import prepare_solid, round_spheres
from editor_app.plugins.motion.engine.buffer_program import loss
from editor_app.plugins.motion.engine.even_spheres import GROWTH, even_growth
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import PATHS, Thresholds
from editor_app.plugins.motion.engine.settled_spheres import SurfaceSample, settled
from editor_app.plugins.motion.verbs.collide import Geometry, mesh_motion, motion_model_of
from editor_app.plugins.planning.verbs.planning_fit import (
    _covering,
    _judged,
    _to_blame,
    fit_for_planning,
)
from editor_app.plugins.planning.verbs.self_buffers import with_buffers
from tests.helpers.breadth import only_deep
from tests.helpers.robots import copy_of_sample, shared_robots

_NONE = np.zeros(0, np.int64)
Case = tuple[editor_app.Document, editor_app.RobotFit, MotionModel, MeshMotion]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    path = copy_of_sample(tmp_path_factory.mktemp("even") / "robot", bare=True)
    document = editor_app.open_robot(path, new_xrdf=True)
    fitted = editor_app.fit(document, number=7, choices=FitChoices(effort="fast"))
    document.execute(fitted.change)
    meshes = mesh_motion(
        PlacedRobot(document.robot, path), EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF
    )
    return document, fitted, motion_model_of(document.robot, EMPTY_SCENE, MaskFile.XRDF), meshes


def test_growth_is_bounded_and_leaves_fixed_frames_alone(case: Case) -> None:
    _, _, model, meshes = case
    thresholds = Thresholds.of(model, meshes, model.random_values(4_000, 0))
    rows = thresholds.to_decide(model)
    growth = even_growth(model, thresholds, rows, ())
    assert growth.shape == (len(model.spheres.spheres),)
    assert ((growth >= 0.0) & (growth <= GROWTH + 1e-9)).all()
    assert growth.any()
    frames = np.repeat(model.spheres.frames, np.diff(model.spheres.starts))
    fixed = {str(frame) for frame in frames[growth > 0.0][:1]}
    again = even_growth(model, thresholds, rows, fixed)
    assert not again[np.isin(frames, list(fixed))].any()
    assert not even_growth(model, thresholds, rows, set(model.spheres.frames)).any()


def test_settled_spheres_cover_as_before_and_decide_better(case: Case) -> None:
    document, fitted, _, meshes = case
    buffered = with_buffers(document.robot, FrozenDict({fitted.links[-1].link: -0.002}))
    model = motion_model_of(buffered, EMPTY_SCENE, MaskFile.XRDF)
    thresholds = Thresholds.of(model, meshes, model.random_values(4_000, 0))
    rows = thresholds.to_decide(model)
    moving = [each for each in fitted.links if each.mesh.may_move]
    solids = {each.link: prepare_solid(each.mesh) for each in moving}
    surfaces = {
        link: SurfaceSample(solid.points(1_000), solid.signed_distance)
        for link, solid in solids.items()
    }
    shrink, _ = thresholds.shrink(model, meshes, among=rows, search=False)
    balls = settled(model, thresholds, rows, shrink, surfaces)
    assert balls.keys() == {each.link for each in moving} != {each.link for each in fitted.links}
    for frame, surface in surfaces.items():
        points = surface.points
        centres, radii = balls[frame][:, :3], balls[frame][:, 3]
        assert (surface.distance(centres) + radii).max() < 1.5 * max(
            solids[frame].signed_distance([sphere.center])[0] + sphere.radius
            for sphere in fitted.spheres[frame]
        ), "none stands out much further than any did"
        assert (np.linalg.norm(points[:, None] - centres, axis=2) - radii).min(
            axis=1
        ).max() < 0.001, "all but covered"
        before = [sphere.radius for sphere in fitted.spheres[frame]]
        assert radii.min() >= min(before) - 1e-9, "buffers take off what the smallest sphere has"
    spheres = {frame: round_spheres(rows) for frame, rows in balls.items()}
    robot = replace(fitted.change, spheres=FrozenDict({**fitted.spheres, **spheres})).apply(
        buffered
    )
    moved = motion_model_of(robot, EMPTY_SCENE, MaskFile.XRDF)
    losses = []
    for each in (model, moved):
        shrink, _ = thresholds.shrink(each, meshes, among=rows, search=False, shared=True)
        losses.append(loss(*thresholds.verdict(each, shrink, rows)[:2]))
    assert losses[1] < 0.9 * losses[0]


def test_a_fit_for_planning_covers_as_before(case: Case) -> None:
    document, fitted, _, _ = case
    planned = fit_for_planning(document, fitted, samples=4_000)
    assert document.robot.xrdf.spheres_of(document.robot.xrdf.world_group) == dict(
        fitted.spheres
    ), "left as it is"
    for before, after in zip(fitted.links, planned.links, strict=True):
        assert before.link == after.link
        assert not after.is_open
        if before.mesh.clip_planes:
            assert after.spheres == before.spheres, "what stands on the mount does not grow into it"
        elif after.spheres != before.spheres:
            quality = after.result.quality
            assert quality is not None
            assert quality.surface_coverage == pytest.approx(1.0)
            assert quality.count == len(after.result.spheres) >= len(after.spheres)


def test_buffers_look_along_other_paths_than_the_fit(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths that the fit has learned from meet nothing more, also where buffers let meshes touch on
    others."""
    document, fitted, _, _ = case
    seeds: list[int] = []

    def met(thresholds: Thresholds, *settings: object) -> Thresholds:
        seed = settings[4]
        assert isinstance(seed, int)
        seeds.append(seed)
        return replace(
            thresholds,
            values=thresholds.values[:0],
            touched=dict.fromkeys(thresholds.touched, _NONE),
        )

    monkeypatch.setattr(Thresholds, "met_on_paths", met)
    fit_for_planning(document, fitted, samples=4_000, seed=3)
    assert len(seeds) == 1
    rules = editor_app.MaskRules(mask_always=True)
    document.execute(editor_app.mask(document, samples=2_000, certify=0, rules=rules).change)
    try:
        editor_app.self_buffers(document, samples=4_000, seed=3)
    finally:
        document.undo()
    assert len(seeds) == 2
    assert abs(seeds[1] - seeds[0]) >= PATHS


@only_deep
def test_a_fit_for_planning_refuses_less() -> None:
    """The UR10e's forearm and wrist pass each other within millimetres."""
    path = shared_robots() / "ur10e" / "ur10e.urdf"
    document = editor_app.open_robot(path, new_xrdf=True)
    fitted = editor_app.fit(document, choices=FitChoices(effort="fast"))
    document.execute(fitted.change)
    planned = fit_for_planning(document, fitted, samples=8_000)
    meshes = mesh_motion(
        PlacedRobot(document.robot, path), EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF
    )
    model = motion_model_of(document.robot, EMPTY_SCENE, MaskFile.XRDF)
    judged = Thresholds.of(model, meshes, model.random_values(8_000, 7))
    rows = judged.to_decide(model)
    refused, let_pass = [], []
    for each in (fitted, planned):
        robot = each.change.apply(document.robot)
        spheres = motion_model_of(robot, EMPTY_SCENE, MaskFile.XRDF)
        shrink, _ = judged.shrink(spheres, meshes, among=rows)
        needless, wrong, _ = judged.verdict(spheres, shrink, rows)
        refused.append(needless)
        let_pass.append(wrong)
    assert refused[1] < 0.5 * refused[0]
    assert len(planned.spheres) == len(fitted.spheres)
    assert let_pass[1] < 0.002


#: A ball on an arm that passes close by a box.
BALL = """<robot name="ball">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="arm"><collision><origin xyz="0 0 0.6"/><geometry><sphere radius="0.01"/></geometry></collision></link>
  <link name="ball">
    <collision><origin xyz="0.145 0 0"/><geometry><sphere radius="0.04"/></geometry></collision>
  </link>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-0.3" upper="0.3" effort="1" velocity="1"/></joint>
  <joint name="turn" type="revolute"><parent link="arm"/><child link="ball"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>
"""


def test_a_link_that_is_a_sphere_is_not_fitted_anew(tmp_path: Path) -> None:
    (tmp_path / "ball.urdf").write_text(BALL)
    document = editor_app.open_robot(tmp_path / "ball.urdf", new_xrdf=True)
    fitted = editor_app.fit(document, budget=3, choices=FitChoices(effort="fast"))
    document.execute(fitted.change)
    placed = PlacedRobot(document.robot, tmp_path / "ball.urdf")
    meshes = mesh_motion(placed, EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF)
    model = motion_model_of(document.robot, EMPTY_SCENE, MaskFile.XRDF)
    thresholds = Thresholds.of(model, meshes, model.random_values(2_000, 0))
    state = replace(_judged(document.robot, meshes, thresholds, fitted), shrink={})
    places = {name: np.zeros((1, 4)) for name in ("base", "arm", "ball")}
    free = thresholds.values[~thresholds.collides]
    assert [each.name for each in _to_blame(state, free, places, 0.0)] == ["base"]
    assert _to_blame(state, free, places, state.needless) == [], "no more than the goal is refused"


def test_spheres_that_moved_to_where_they_cover_nothing_go(case: Case) -> None:
    _, fitted, _, _ = case
    link = next(each for each in fitted.links if each.mesh.may_move)
    rows = np.array([(*sphere.center, sphere.radius) for sphere in link.spheres])
    idle = rows[0] * (1.0, 1.0, 1.0, 0.01) + (0.0, 0.0, 1.0, 0.0)
    again = _covering(link, prepare_solid(link.mesh), np.vstack([rows, idle]), fitted.settings)
    assert len(again.spheres) == len(rows)
    assert again.result.certificate is not None
    assert again.result.certificate.certified
