"""A pair whose spheres overlap in every configuration, but whose meshes touch in some, is decided
by buffers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import editor_app
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.counting import Share
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import PlacedRobot
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import Thresholds
from editor_app.plugins.motion.verbs.collide import Geometry, mesh_motion, motion_model_of
from editor_app.plugins.planning.verbs.hidden_pairs import _decided

URDF = """<robot name="barrier">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="turret"><collision><geometry><box size="0.02 0.02 0.02"/></geometry></collision></link>
  <link name="arm">
    <collision><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.06 0.06"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="turret"/><origin xyz="0 0 0.15"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="10" velocity="1"/>
  </joint>
  <joint name="lift" type="revolute">
    <parent link="turret"/><child link="arm"/><origin xyz="0 0 0.05"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="10" velocity="1"/>
  </joint>
</robot>
"""
# The first sphere of the arm is 0.14 to 0.26 m from the base's, which it overlaps below 0.265 m.
XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {turn: 0.0, lift: -0.5}
cspace:
  joint_names: [turn, lift]
  acceleration_limits: [10.0, 10.0]
  jerk_limits: [100.0, 100.0]
tool_frames: [arm]
self_collision:
  geometry: spheres
  ignore: {turret: [base, arm]}
geometry:
  spheres:
    spheres:
      base:
      - {center: [0.0, 0.0, 0.0], radius: 0.19}
      arm:
      - {center: [0.06, 0.0, 0.0], radius: 0.075}
      - {center: [0.16, 0.0, 0.0], radius: 0.075}
      - {center: [0.26, 0.0, 0.0], radius: 0.075}
"""
PAIR = LinkPair.of("base", "arm")
Case = tuple[editor_app.Document, MotionModel, MeshMotion]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    path = tmp_path / "barrier.urdf"
    path.write_text(URDF)
    path.with_suffix(".xrdf").write_text(XRDF)
    document = editor_app.open_robot(path, path.with_suffix(".xrdf"))
    meshes = mesh_motion(
        PlacedRobot(document.robot, path), EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF
    )
    return document, motion_model_of(document.robot, EMPTY_SCENE, MaskFile.XRDF), meshes


def test_buffers_decide_what_no_sphere_decides_alone(case: Case) -> None:
    _, model, meshes = case
    thresholds = Thresholds.of(model, meshes, model.random_values(4_000, 0))
    assert thresholds.for_the_mask(model) == []
    rows = thresholds.to_decide(model)
    assert rows == [model.spheres.pair_index[PAIR]]
    needless, wrong, depth = thresholds.verdict(model, {}, rows)
    assert (needless, wrong) == (1.0, 0.0)
    shrink, _ = thresholds.shrink(model, meshes, among=rows)
    again = thresholds.verdict(model, shrink, rows)
    assert again[0] < 0.3
    assert again[1] < 0.001
    assert again[2] < depth


def test_the_verb_sets_them(case: Case) -> None:
    document, _, _ = case
    buffers = editor_app.self_buffers(document, samples=4_000)
    assert buffers.before.needless.value == 1.0
    assert buffers.after.needless.value < 0.3
    assert buffers.after.missed_collisions <= 1
    document.execute(buffers.change)
    assert editor_app.collide(document, editor_app.state_pose(document, "default")).all_free


def test_a_pair_whose_spheres_overlap_as_deep_as_where_meshes_touch_stays_for_the_mask(
    case: Case,
) -> None:
    document, _, meshes = case
    # A sphere about the axis overlaps the base's alike wherever the arm stands.
    text = document.xrdf_text.replace(
        "[0.06, 0.0, 0.0], radius: 0.075", "[0.0, 0.0, 0.0], radius: 0.16"
    )
    document.xrdf_path.write_text(text)  # type: ignore[union-attr]
    again = editor_app.open_robot(document.urdf_path, document.xrdf_path)  # type: ignore[arg-type]
    model = motion_model_of(again.robot, EMPTY_SCENE, MaskFile.XRDF)
    thresholds = Thresholds.of(model, meshes, model.random_values(4_000, 0))
    assert [each.pair for each in thresholds.for_the_mask(model)] == [PAIR]
    assert thresholds.to_decide(model) == []


HOPELESS, FINE = LinkPair.of("a", "b"), LinkPair.of("c", "d")


@pytest.mark.parametrize(
    ("hidden", "kept"),
    [({HOPELESS, FINE}, {FINE}), ({HOPELESS}, set()), ({FINE}, {FINE}), (set(), set())],
)
def test_pairs_that_buffers_cannot_decide_are_ignored_and_the_others_checked(
    hidden: set[LinkPair], kept: set[LinkPair]
) -> None:
    def buffers(checked: frozenset[LinkPair]) -> Any:
        refused = 1_000 if HOPELESS in checked else 50
        fat = (
            (SimpleNamespace(names=(HOPELESS.first, HOPELESS.second), count=1_000),)
            if HOPELESS in checked
            else ()
        )
        wrong = Share(0 if FINE in checked else 500, 1_000)
        cost = SimpleNamespace(needless=Share(refused, 1_000), wrong=wrong, too_fat=fat)
        return SimpleNamespace(after=cost)

    assert _decided(frozenset(hidden), buffers).checked == kept


def test_pairs_stay_checked_where_others_refuse_most_all_the_same() -> None:
    trials = []

    def buffers(checked: frozenset[LinkPair]) -> Any:
        trials.append(checked)
        fat = (
            SimpleNamespace(names=(FINE.first, FINE.second), count=100),
            SimpleNamespace(names=("e", "f"), count=650),
        )
        return SimpleNamespace(
            after=SimpleNamespace(needless=Share(700, 1_000), wrong=Share(0, 9), too_fat=fat)
        )

    assert _decided(frozenset({FINE}), buffers).checked == {FINE}
    assert len(trials) == 1, "600 of 1,000 stay refused without the pair"
