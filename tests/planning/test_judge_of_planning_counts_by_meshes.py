"""The judge of `tests.opinions planning` counts what fcl says of the meshes against what a file's
spheres say."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.robots import REPOSITORY
from tests.opinions import plans, plans_ompl
from tests.opinions.planning import decide, judge, read_model, told
from tests.opinions.planning_truth import Robot, Toucher, truth_of
from tests.opinions.queries import is_solvable

#: Two arms on a post; the second turns about z past a pin of the first body: joined to neither.
URDF = """<robot name="r">
  <link name="post"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="short"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="bare"/>
  <link name="long">
    <collision><origin xyz="0.3 0 0"/><geometry><box size="0.4 0.02 0.02"/></geometry></collision></link>
  <joint name="a" type="fixed"><parent link="post"/><child link="bare"/></joint>
  <joint name="b" type="revolute"><parent link="bare"/><child link="short"/><axis xyz="0 0 1"/>
    <limit lower="-1e-6" upper="1e-6" effort="1" velocity="1"/></joint>
  <joint name="c" type="continuous"><parent link="short"/><child link="long"/><axis xyz="0 0 1"/></joint>
</robot>"""
XRDF = """format: xrdf
format_version: 2.0
cspace: {{joint_names: [c, b]}}
default_joint_positions: {{b: 0.0}}
self_collision: {{geometry: g, buffer_distance: {{post: {buffer}}}, ignore: {{short: [long, post]}}}}
geometry:
  g:
    spheres:
      post: [{{center: [0, 0, 9], radius: -1}}, {{center: [0.5, 0, 0], radius: {radius}}}]
      short: [{{center: [0, 0, 0], radius: 0.05}}]
      long: [{{center: [0.5, 0, 0], radius: 0.01}}]
"""


@pytest.mark.parametrize(("radius", "buffer"), [(0.2, 0.0), (0.1, 0.1), (0.02, 0.0)])
def test_shares_are_those_of_the_drawing(radius: float, buffer: float, tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF)
    (tmp_path / "r.xrdf").write_text(XRDF.format(radius=radius, buffer=buffer))
    robot, model = Robot(tmp_path / "r.urdf", {}), read_model(tmp_path / "r.xrdf")
    truth = truth_of(robot, model.joints, model.locked, 20_000, 0, tmp_path / "kept")
    assert truth.pairs == (("post", "long"),)
    report = judge(model, truth)
    # The bar's edge, 10 mm beside its middle line, meets the box's near corner (0.45, 0.05).
    by_meshes = (math.atan2(0.05, 0.45) + math.asin(0.01 / math.hypot(0.45, 0.05))) / math.pi
    by_spheres = 2 * math.asin((radius + buffer + 0.01) / 2 / 0.5) / math.pi
    assert report["touching"]["share"] == pytest.approx(by_meshes, abs=0.004)
    assert report["refused"]["share"] == pytest.approx(by_spheres, abs=0.004)
    needless, wrong = report["false_collisions"], report["missed_collisions"]
    assert needless["share"] == pytest.approx(
        max(0.0, by_spheres - by_meshes) / (1 - by_meshes), abs=0.005
    )
    assert wrong["share"] == pytest.approx(max(0.0, by_meshes - by_spheres) / by_meshes, abs=0.07)
    assert wrong["interval"][0] <= wrong["share"] <= wrong["interval"][1]
    worst = report["pairs"][0]
    assert worst["pair"] == ["post", "long"]
    assert (worst["needless"], worst["wrong"]) == (needless["count"], wrong["count"])
    # The sphere is named by its number in the file, where one that takes no part stands before it.
    assert worst["spheres"] == ([[[1, 0], needless["count"]]] if needless["count"] else [])
    again = truth_of(robot, model.joints, model.locked, 20_000, 0, tmp_path / "kept")
    assert (again.touching == truth.touching).all()


def test_what_a_mask_hides_is_counted_by_itself(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF)
    (tmp_path / "r.xrdf").write_text(
        XRDF.format(radius=0.02, buffer=0.0).replace("post]", "post], post: [long]")
    )
    robot, model = Robot(tmp_path / "r.urdf", {}), read_model(tmp_path / "r.xrdf")
    report = judge(model, truth_of(robot, model.joints, model.locked, 2_000, 0))
    assert report["missed_by_mask"] == report["missed_collisions"]
    assert report["missed_collisions"]["count"] == report["touching"]["count"] > 0
    assert "missed 100 %: post × long (not checked)" in told(report, 1)
    checked = XRDF.format(radius=0.02, buffer=0.0)
    (tmp_path / "r.xrdf").write_text(checked)
    report = judge(
        read_model(tmp_path / "r.xrdf"), truth_of(robot, model.joints, model.locked, 2_000, 0)
    )
    assert report["missed_by_mask"]["count"] == 0 < report["missed_collisions"]["count"]


def test_a_link_is_judged_by_its_visual_shapes_where_asked(tmp_path: Path) -> None:
    visual = '<visual><geometry><sphere radius="0.2"/></geometry></visual>'
    (tmp_path / "r.urdf").write_text(
        URDF.replace('<link name="short">', f'<link name="short">{visual}')
    )
    by_collision, by_visual = (Robot(tmp_path / "r.urdf", {}, links) for links in ((), ("short",)))
    sizes = [robot.links["short"].shapes[0].extents[0] for robot in (by_collision, by_visual)]
    assert sizes == pytest.approx([0.1, 0.4], abs=0.01)
    assert by_visual.notes == []


def test_a_pair_that_touches_always_is_no_collision(tmp_path: Path) -> None:
    joined = URDF.replace(
        '<link name="bare"/>',
        '<link name="bare"><visual><geometry><sphere radius="0.2"/></geometry></visual></link>',
    )
    (tmp_path / "r.urdf").write_text(joined)
    robot = Robot(tmp_path / "r.urdf", {})
    assert robot.notes == ["bare: no collision shape, its visual one stands for it"]
    truth = truth_of(robot, ["b", "c"], {}, 500, 0)
    assert truth.always == (("bare", "long"),)


def test_judge_shares_no_code_with_the_editor() -> None:
    program = (
        "import tests.opinions.planning, sys; sys.exit(any(m.split('.')[0] == 'editor_app' for m "
        "in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, check=True)


def test_a_planner_on_meshes_goes_around_nothing_that_touches(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF)
    robot = Robot(tmp_path / "r.urdf", {})
    truth = truth_of(robot, ("b", "c"), {}, 2000, 0)
    toucher, rng = Toucher(robot, truth.joints, truth.locked, truth.pairs), np.random.default_rng(0)
    assert toucher(np.array([[0.0, 0.0], [0.0, 0.5], [0.0, -0.5]])).any(axis=1).tolist() == [
        True,
        False,
        False,
    ]

    def solves(start: float, goal: float) -> bool:
        return is_solvable(
            toucher, robot, truth, np.array([0.0, start]), np.array([0.0, goal]), 0.2, rng
        )

    assert solves(0.5, 3.0)
    assert solves(-3.0, -0.5)
    assert not solves(-0.5, 0.5)


def test_queries_are_planned_with_a_file(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF)
    (tmp_path / "r.xrdf").write_text(XRDF.format(radius=0.1, buffer=0.0))
    command = [sys.executable, "-P", "-m", "tests.opinions", "queries", str(tmp_path / "r.urdf")]
    options = ["--queries", "6", "--mesh-seconds", "0.1"]
    done = subprocess.run(
        [*command, str(tmp_path / "r.xrdf"), *options],
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        check=True,
    )
    first, second = done.stdout.splitlines()
    assert first.startswith("6 queries, ")
    solved = int(first.split()[2])
    assert 0 < solved <= 6
    assert f" of {solved} solved in 2 s, 0 of these paths touch by meshes" in second


def test_spheres_at_one_pose_are_judged_as_at_many_and_ompl_plans_around_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "r.urdf").write_text(URDF)
    (tmp_path / "r.xrdf").write_text(XRDF.format(radius=0.1, buffer=0.1))
    robot, model = Robot(tmp_path / "r.urdf", {}), read_model(tmp_path / "r.xrdf")
    truth = truth_of(robot, model.joints, model.locked, 300, 0)
    spheres = plans_ompl.Spheres(model, truth)
    refused = decide(model, truth).overlap.any(axis=1)
    assert refused.any()
    assert [spheres.free(pose) for pose in truth.values] == (~refused).tolist()
    folder = plans.ompl_folder()
    if folder is None:
        pytest.skip("OMPL is not installed (tests.opinions plans --help)")
    # Joints are named in the order of the alphabet: the bar is c. Limits end at half a turn: there
    # is no way round.
    ends = [(0.8, 3.0), (0.8, -0.8), (0.8, 0.0)]
    starts, goals = (np.array([[0.0, each[k]] for each in ends]) for k in (0, 1))
    answer = plans_ompl.answered(folder, model, truth, starts, goals, 1.0)
    assert answer["free"] == [True, True, False]
    assert [path is not None for path in answer["paths"]] == [True, False, False]
    assert all(spheres.free(pose) for pose in plans.along(np.array(answer["paths"][0])))
