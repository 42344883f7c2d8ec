"""Meshes of pairs that nothing checks: where they touch, nothing is called free, and the pair is
named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editor_app.cli import run_command
from editor_app.core.document.document import Document
from editor_app.core.model.findings import Severity
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.verbs.open import open_robot
from editor_app.core.verbs.tool_places import tool_target
from editor_app.features.checks.verbs.check import check
from editor_app.plugins.motion.engine.results import NO_MASK
from editor_app.plugins.motion.verbs.collide import Geometry, collide
from editor_app.plugins.motion.verbs.motion_report import report_motion
from editor_app.plugins.motion.verbs.plan import plan_between, smoke_test
from editor_app.plugins.motion.verbs.straight import plan_straight
from editor_app.plugins.planning.verbs.model_cost import model_cost
from tests.helpers.sphere_robots import HAND, MAST, Boxes, Joints, box_files, box_robot

#: What masks were that took a whole rigid group for a neighbour.
HIDING = "{base: [mast, a, b], mast: [a, b], a: [b]}"
CHECKING = "{base: [mast, a, b], mast: [b], a: [b]}"
HIT = {"j1": 3.05, "j2": 0.0}


@pytest.fixture
def mast(tmp_path: Path) -> Document:
    return box_robot(tmp_path, MAST, HIDING)


def test_a_cost_counts_them(mast: Document) -> None:
    cost = model_cost(mast, samples=1000)
    assert [(hidden.names, hidden.masked) for hidden in cost.hidden] == [(("mast", "a"), True)]
    assert cost.wrong.count == cost.wrong.of == cost.touching
    assert 0.03 < cost.touching / cost.samples < 0.09, "165 of 3,000 by fcl alone"


def test_a_cost_over_poses_counts_them_too(mast: Document) -> None:
    poses = Trajectory(("j1", "j2"), ((3.05, 0.0), (0.0, 0.0)), moves=False)
    cost = model_cost(mast, poses=poses)
    assert (cost.wrong.count, cost.touching) == (1, 1)


@pytest.mark.parametrize("geometry", Geometry)
def test_a_pose_in_which_they_touch_is_not_free(mast: Document, geometry: Geometry) -> None:
    collided = collide(mast, HIT, geometry=geometry)
    assert not collided.all_free
    assert collided.missed == (("mast", "a"),)
    (touch,) = [touch for touch in collided.moment(0).touches if not touch.masked]
    assert (touch.first, touch.second, touch.missed) == ("mast", "a", True)
    assert collide(mast, {"j1": 0.5, "j2": 0.0}, geometry=geometry).all_free


@pytest.mark.parametrize("geometry", ["spheres", "meshes"])
def test_a_motion_on_which_they_touch_is_not_free(mast: Document, geometry: Geometry) -> None:
    through = Trajectory(("j1", "j2"), ((2.7, 0.0), (3.05, 0.0)))
    collided = collide(mast, through, geometry=geometry)
    assert not collided.all_free
    (passage,) = collided.passages
    (touch,) = passage.touches
    assert touch.missed
    assert 0.4 < (touch.at or 0.0) < 0.9
    beside = Trajectory(("j1", "j2"), ((-2.7, 0.0), (2.7, 0.0)))
    assert collide(mast, beside, geometry=geometry).all_free


def test_a_plan_through_them_is_not_free(mast: Document) -> None:
    start = {"j1": 0.0, "j2": 0.0}
    planned = plan_between(mast, start, HIT)
    assert planned.path is not None
    assert (planned.is_free, planned.missed) == (False, (("mast", "a"),))
    assert "not free" in planned.told
    assert "mast and a" in planned.told
    past = plan_between(mast, start, {"j1": 2.5, "j2": 0.0})
    assert past.is_free
    assert "proven free" in past.told


def test_a_smoke_test_tells_of_them(mast: Document) -> None:
    test = smoke_test(mast, 8, seed=3)
    ((names, share),) = test.missed
    assert names == ("mast", "a")
    assert test.free_share == pytest.approx(1.0 - share)
    assert "mast and a" in test.told


def test_a_straight_line_through_them_is_not_free(tmp_path: Path) -> None:
    boxes: Boxes = {
        "rail": ((1.0, 0.1, 0.02), (0.0, 0.0, 0.0)),
        "post": ((0.05, 0.05, 0.3), (0.0, 0.0, 0.16)),
        "cart": ((0.05, 0.05, 0.05), (0.0, 0.0, 0.0)),
    }
    joints: Joints = (
        ("bolt", "fixed", "rail", "post", (0.0, 0.0, 0.0), (1, 0, 0), (0, 0)),
        ("slide", "prismatic", "rail", "cart", (0.0, 0.0, 0.1), (1, 0, 0), (-0.4, 0.4)),
    )
    document = box_robot(tmp_path, (boxes, joints), "{rail: [post, cart], post: [cart]}")
    for end, is_free in (("0.3 0 0.1", False), ("-0.1 0 0.1", True)):
        line = plan_straight(
            document, {"slide": -0.3}, tool_target(document, "cart", end, pose={"slide": -0.3})
        )
        assert line.path is not None
        assert line.is_free is is_free
        assert line.missed == (() if is_free else (("post", "cart"),))
        assert line.told.startswith("proven free" if is_free else "not free")


def test_a_report_of_a_motion_says_so(mast: Document) -> None:
    about = report_motion(mast, Trajectory(("j1", "j2"), ((0.0, 0.0), (3.05, 0.0))))
    assert not about.is_free
    assert about.proofs[0].startswith("Not free: ")
    assert "mast and a" in about.proofs[0]


def test_a_check_names_each_pair_with_its_fix(mast: Document) -> None:
    told = [f for f in check(mast, slow=True) if f.code in ("XRDF513", "XRDF516", "XRDF517")]
    assert {(f.code, f.severity, f.subject.links) for f in told} == {
        ("XRDF516", Severity.WARNING, ("mast", "a")),
        ("XRDF517", Severity.WARNING, ("mast", "a")),
    }
    (fix,) = next(f.fixes for f in told if f.code == "XRDF517")
    mast.execute(fix)
    assert "XRDF517" not in {f.code for f in check(mast, slow=True)}


def test_pairs_that_always_touch_do_not_count(tmp_path: Path) -> None:
    """An adjacent pair in contact all along its joint, and a rigid pair."""
    boxes, joints = MAST
    touching: Boxes = {**boxes, "a": ((0.4, 0.05, 0.09), (0.2, 0.0, 0.0))}
    document = box_robot(tmp_path, (touching, joints), CHECKING)
    cost = model_cost(document, samples=500)
    assert {("base", "mast"), ("base", "a")} <= set(cost.left_out)
    assert ("base", "a") not in {hidden.names for hidden in cost.hidden}
    assert collide(document, {"j1": 0.5, "j2": 0.0}, geometry="meshes").all_free
    assert plan_between(document, {"j1": 0.0, "j2": 0.0}, {"j1": 0.5, "j2": 0.0}).is_free


def test_an_adjacent_pair_that_touches_at_times_counts(tmp_path: Path) -> None:
    """The bent arm meets its own base."""
    boxes: Boxes = {
        "base": ((0.3, 0.1, 0.1), (0.0, 0.0, 0.0)),
        "arm": ((0.3, 0.05, 0.05), (0.15, 0.0, 0.0)),
        "tip": ((0.05, 0.05, 0.05), (0.0, 0.0, 0.0)),
    }
    joints: Joints = (
        ("j1", "revolute", "base", "arm", (0.0, 0.0, 0.1), (0, -1, 0), (-1.5, 1.5)),
        ("j2", "revolute", "arm", "tip", (0.4, 0.0, 0.0), (1, 0, 0), (-1.0, 1.0)),
    )
    document = box_robot(tmp_path, (boxes, joints), "{base: [arm, tip], arm: [tip]}")
    cost = model_cost(document, samples=500)
    assert [(hidden.names, hidden.masked) for hidden in cost.hidden] == [(("base", "arm"), True)]
    codes = {f.code: f.message for f in check(document, slow=True)}
    assert "narrow the limits of the joint" in codes["XRDF513"]


def test_fingers_that_only_their_joint_moves_do_not_make_every_plan_collide(tmp_path: Path) -> None:
    """They touch where they stand by default; a motion of the wrist changes nothing. A pose with
    them is not free."""
    urdf, xrdf = box_files(
        tmp_path, HAND, "{arm: [palm, one, other], palm: [one, other], one: [other]}"
    )
    xrdf.write_text(
        xrdf.read_text().replace("[turn, j1, j2]", "[turn]").replace("[1.0, 1.0, 1.0]", "[1.0]")
    )
    document = open_robot(urdf, xrdf)
    assert plan_between(document, {"turn": 0.0}, {"turn": 1.0}).is_free
    assert collide(document, {"turn": 0.0}).missed == (("one", "other"),)
    assert collide(document, {"turn": 0.0, "j1": 0.03, "j2": 0.03}).all_free


def run(
    capsys: pytest.CaptureFixture[str], command: str, *arguments: object
) -> tuple[int, dict[str, Any]]:
    code = run_command(command, [*map(str, arguments), "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_commands_end_with_1_and_name_the_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = box_files(tmp_path, MAST, HIDING)
    code, told = run(capsys, "plan", *files, "--from", "j1=0 j2=0", "--to", "j1=3.05 j2=0")
    assert (code, told["proven_free"]) == (1, False)
    assert told["missed"] == [{"first": "mast", "second": "a"}]
    code, told = run(capsys, "plan", *files, "--queries", 4)
    assert (code, told["missed"][0]["first"]) == (1, "mast")
    assert told["free_share"] < 1.0
    code, told = run(capsys, "collide", *files, "--at", "j1=3.05", "--geometry", "meshes")
    assert (code, told["free"]) == (1, False)
    touches = told["configurations"][0]["collisions"]
    assert [(t["first"], t["second"]) for t in touches if t["missed"]] == [("mast", "a")]


def test_a_section_is_literal(tmp_path: Path) -> None:
    """`ignore: {}` checks every pair, joined links too: the spheres of arm and palm overlap all the
    time."""
    boxes, joints = HAND
    near: Joints = (
        ("turn", "revolute", "arm", "palm", (0.0, 0.0, 0.06), (0, 0, 1), (-3.0, 3.0)),
        *joints[1:],
    )
    document = box_robot(tmp_path, (boxes, near), "{}")
    collided = collide(document, {"turn": 0.0, "j1": 0.03, "j2": 0.03})
    assert not collided.all_free
    assert {(t.first, t.second) for t in collided.moment(0).touches if not t.masked} >= {
        ("arm", "palm")
    }
    assert NO_MASK not in collided.notes


def test_a_draft_without_the_section_is_judged_with_an_assumed_mask_and_says_so(
    tmp_path: Path,
) -> None:
    document = box_robot(tmp_path, MAST, None)
    collided = collide(document, HIT, geometry="meshes")
    assert NO_MASK in collided.notes
    assert collided.missed == (), "mast and a are checked"
    assert not collided.all_free
    touches = {(t.first, t.second): t for t in collided.moment(0).touches}
    assert touches["base", "mast"].masked
    assert not touches["mast", "a"].masked
