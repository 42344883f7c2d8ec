"""A first plan from a bare URDF controls what a task moves: arms yes; wheels, fingers, heads, legs
to stand on no."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from editor_app.core.drafting import CannotApply, ControlPlan, ControlRequest, plan_control
from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.control import joints_of
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.text.source import SourceText
from tests.helpers.control_table import CONTROL, SRDF_ARMS
from tests.helpers.robots import example_urdfs, sample_urdf, shared_robots


def example(key: str) -> Path:
    folder, _, stem = key.rpartition("/")
    return next(p for p in example_urdfs() if p.stem == stem and folder in str(p))


def urdf_of(path: Path) -> Urdf:
    return read_urdf(SourceText.read(path)).value


def srdf_of(path: Path) -> Srdf:
    return read_srdf(SourceText.read(path)).value


def roles(plan: ControlPlan) -> dict[str, int]:
    counted: dict[str, int] = {}
    for entry in plan.locked:
        counted[entry.role.value] = counted.get(entry.role.value, 0) + 1
    return counted


def test_the_table_is_about_every_robot() -> None:
    assert len(CONTROL) == len({key for key, *_ in CONTROL}) == len(example_urdfs())


@pytest.mark.parametrize(
    ("key", "joints", "tools", "locked"), CONTROL, ids=[row[0] for row in CONTROL]
)
def test_bare_urdf(key: str, joints: int, tools: tuple[str, ...], locked: dict[str, int]) -> None:
    plan = plan_control(urdf_of(example(key)))
    assert (len(plan.joints), tuple(tool.frame for tool in plan.tools), roles(plan)) == (
        joints,
        tools,
        locked,
    )
    assert all(entry.reason for entry in plan.locked)
    assert all(tool.reason and tool.guessed for tool in plan.tools)


@pytest.mark.parametrize("stem", SRDF_ARMS)
def test_guess_without_the_srdf_is_what_the_srdf_says(stem: str) -> None:
    urdf = urdf_of(example(stem))
    name, groups = SRDF_ARMS[stem]
    path = next(p for p in example("panda").parents[2].rglob("*.srdf") if p.stem == name)
    srdf = srdf_of(path)
    tree = BodyTree.of(urdf)
    wanted = {n for g in srdf.groups if g.name in groups for n in joints_of(tree, srdf, g)}
    plan = plan_control(urdf)
    assert set(plan.joints) == wanted


def test_robots_of_vendors() -> None:
    robots = shared_robots()
    ur10e = plan_control(urdf_of(robots / "ur10e/ur10e.urdf"))
    assert len(ur10e.joints) == 6
    assert [tool.frame for tool in ur10e.tools] == ["tool0"]
    folder = robots / "panda"
    panda = urdf_of(folder / "moveit_resources_panda_description/urdf/panda.urdf")
    srdf = srdf_of(folder / "panda.srdf")
    for plan in (plan_control(panda), plan_control(panda, srdf)):
        assert plan.joints == tuple(f"panda_joint{i}" for i in range(1, 8))
        # The SRDF mounts the hand on panda_link8; the hand lies beyond it.
        assert [tool.frame for tool in plan.tools] == ["panda_hand"]
        assert roles(plan) == {"finger": 1}
    ready = plan_control(panda, srdf)
    assert ready.states[0] == "ready"
    assert ready.positions["panda_joint4"] == -2.356


def test_sample_robot_has_its_palm_as_the_tool() -> None:
    plan = plan_control(urdf_of(sample_urdf()))
    assert [tool.frame for tool in plan.tools] == ["hand_link"]
    assert "finger" in roles(plan)


@pytest.mark.parametrize(
    ("names", "tool"),
    [
        (("tool0", "gripper_base", "grasp_frame"), "grasp_frame"),
        (("flange", "tool0", "gripper_base"), "tool0"),
        (("tcp", "gripper_base", "grasp_frame"), "tcp"),
    ],
)
def test_a_frame_within_the_gripper_is_better_than_the_flange_it_is_mounted_on(
    names: tuple[str, ...], tool: str
) -> None:
    chain = ("base", "upper", "lower", *names)
    links = "".join(f'<link name="{name}"/>' for name in chain)
    joints = "".join(
        f'<joint name="to_{child}" type="{"revolute" if child in ("upper", "lower") else "fixed"}">'
        f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for parent, child in pairwise(chain)
    )
    urdf = read_urdf(SourceText.from_text(f'<robot name="arm">{links}{joints}</robot>')).value
    assert [choice.frame for choice in plan_control(urdf).tools] == [tool]


def test_what_is_asked_for_is_done() -> None:
    urdf = urdf_of(example("tiago_dual"))
    plan = plan_control(
        urdf, request=ControlRequest(base="torso_lift_link", tools=("hand_left_grasping_frame",))
    )
    assert plan.joints == tuple(f"arm_left_{i}_joint" for i in range(1, 8))
    assert [(tool.frame, tool.guessed) for tool in plan.tools] == [
        ("hand_left_grasping_frame", False)
    ]
    # The other arm is no finger, and no wheel; it is locked all the same.
    assert {e.role.value for e in plan.locked if e.joint.startswith("arm_right")} == {
        "not on the chosen chain"
    }
    some = plan_control(
        urdf, request=ControlRequest(joints=("arm_left_2_joint", "torso_lift_joint"))
    )
    assert some.joints == ("torso_lift_joint", "arm_left_2_joint"), "in the order of the URDF"
    below = plan_control(urdf, request=ControlRequest(base="torso_lift_link"))
    assert len(below.joints) == 14


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (ControlRequest(joints=("arm_lift",)), "no joint 'arm_lift'"),
        (ControlRequest(tools=("hand",)), "no link 'hand'"),
        (
            ControlRequest(base="head_2_link", tools=("hand_left_grasping_frame",)),
            "is not below the base",
        ),
        (ControlRequest(group="arm"), "needs an SRDF"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(request_: ControlRequest, words: str) -> None:
    with pytest.raises(CannotApply, match=words):
        plan_control(urdf_of(example("tiago_dual")), request=request_)
    with pytest.raises(CannotApply, match="Its groups: arm, hand"):
        plan_control(
            urdf_of(example("panda")),
            srdf_of(example("panda").parents[1] / "srdf/panda.srdf"),
            ControlRequest(group="gripper"),
        )
