"""Tool frames of an XRDF become end effectors that MoveIt takes: of a group of their own, at a link
of the arm."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.core.formats.srdf import read_srdf, srdf_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import EndEffector, Srdf
from editor_app.core.model.xrdf import CSpace, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.robots import example_robots

_LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def _arm(side: str) -> str:
    return f"""<link name="{side}1"/><link name="{side}2"/><link name="{side}_tool"/>
<joint name="{side}j1" type="revolute"><parent link="base"/><child link="{side}1"/>{_LIMIT}</joint>
<joint name="{side}j2" type="revolute"><parent link="{side}1"/><child link="{side}2"/>{_LIMIT}</joint>
<joint name="{side}t" type="fixed"><parent link="{side}2"/><child link="{side}_tool"/></joint>"""


URDF = read_urdf(
    SourceText.from_text(f'<robot name="two"><link name="base"/>{_arm("l")}{_arm("r")}</robot>')
)


def _drafted(
    *tools: str, joints: tuple[str, ...] = ("lj1", "lj2", "rj1", "rj2"), base: Srdf | None = None
) -> Srdf:
    xrdf = Xrdf(
        tool_frames=tools, cspace=CSpace(joints, (1.0,) * len(joints), (1.0,) * len(joints))
    )
    return to_srdf(RobotDescription(URDF.value, xrdf), base=base).srdf


def _moveit_codes(srdf: Srdf) -> set[str]:
    source = read_srdf(SourceText.from_text(srdf_text(srdf)))
    context = CheckContext.of_texts(URDF, None, source, Profile.MOVEIT, None)
    return {finding.code for finding in run_rules(context, files=("srdf",))}


def test_each_tool_of_two_arms_is_an_end_effector_of_its_own_group() -> None:
    srdf = _drafted("l_tool", "r_tool")
    assert srdf.end_effectors == tuple(
        EndEffector(f"{side}_tool", f"{side}2", f"{side}_tool", "manipulator") for side in "lr"
    )
    assert [group.links for group in srdf.groups[1:]] == [("l_tool",), ("r_tool",)]
    assert _moveit_codes(srdf) == set()
    again = _drafted("l_tool", "r_tool", base=srdf)
    assert (again.groups, again.end_effectors) == (srdf.groups, srdf.end_effectors)


def test_a_tool_that_a_joint_of_the_group_moves_needs_no_end_effector() -> None:
    srdf = _drafted("l2", "r_tool")
    assert [effector.name for effector in srdf.end_effectors] == ["r_tool"]
    assert _moveit_codes(srdf) == set()


def test_a_tool_that_the_group_does_not_move_is_lost() -> None:
    xrdf = Xrdf(
        tool_frames=("l_tool", "r_tool"), cspace=CSpace(("lj1", "lj2"), (1.0, 1.0), (1.0, 1.0))
    )
    converted = to_srdf(RobotDescription(URDF.value, xrdf))
    assert converted.srdf.end_effectors == ()
    lost = [entry.item for entry in converted.report.entries if entry.fate is Fate.LOST]
    assert "tool frame r_tool" in lost


@pytest.mark.parametrize(
    "name", ["panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf"]
)
def test_a_drafted_srdf_has_no_finding(name: str) -> None:
    path: Path = example_robots() / name
    source = read_urdf(SourceText.read(path))
    leaf = [
        link.name
        for link in source.value.links
        if not any(j.parent == link.name for j in source.value.joints)
    ]
    joints = tuple(j.name for j in source.value.joints if j.is_movable and j.mimic is None)
    xrdf = Xrdf(
        tool_frames=tuple(leaf), cspace=CSpace(joints, (1.0,) * len(joints), (1.0,) * len(joints))
    )
    srdf = read_srdf(
        SourceText.from_text(srdf_text(to_srdf(RobotDescription(source.value, xrdf)).srdf))
    )
    context = CheckContext.of_texts(source, None, srdf, Profile.MOVEIT, path)
    assert [finding.message for finding in run_rules(context, files=("srdf",))] == []
