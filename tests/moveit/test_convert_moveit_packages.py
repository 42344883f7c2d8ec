"""Conversions of MoveIt packages: settings count, and names that do not exist are reported."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import editor_app
from editor_app.core.document.commands.repairs import MapNames
from editor_app.core.formats.ros_settings import read_settings
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.near_names import mapped_names, shared_prefix
from editor_app.core.model.ros_settings import MotionLimits
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.convert import Conversion, ConvertOptions, convert
from tests.helpers.documents import URDF
from tests.helpers.moveit_package import LIMITS, POSITIONS, SRDF, write_package


def entries(conversion: Conversion) -> dict[str, str]:
    return {
        f"{e.fate}: {e.item}": e.detail for report in conversion.reports for e in report.entries
    }


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return write_package(tmp_path)


@pytest.mark.parametrize("with_srdf", [True, False])
def test_limits_of_a_package_are_no_placeholders(package: Path, with_srdf: bool) -> None:
    jerk = LIMITS.replace(
        "    max_effort: 7", "    has_jerk_limits: true\n    max_jerk: 40.0\n    max_effort: 7"
    )
    (package / "config/joint_limits.yaml").write_text(jerk)
    files = (
        [package]
        if with_srdf
        else [package / "config/arm.urdf", package / "config/joint_limits.yaml"]
    )
    made = convert(files, package / "out.xrdf")
    xrdf = read_xrdf(SourceText.from_bytes(made.files[0][1])).value
    limits = xrdf.limits_of("acceleration"), xrdf.limits_of("jerk")
    assert (limits[0]["shoulder"], limits[0]["elbow"]) == (2.5, 10.0)
    assert (limits[1]["shoulder"], limits[1]["elbow"]) == (40.0, 500.0)
    told = entries(made)
    assert "of shoulder: the URDF's limits are used" in told["lost: velocity limits"]
    assert "kept aside: default scaling factors" in told
    if with_srdf:
        assert told["translated: joint_limits.yaml: jerk"] == "cspace.jerk_limits of shoulder"
        assert "elbow: 500 is a placeholder" in told["translated: jerk limits"]


def test_the_lower_of_two_limits_counts(package: Path) -> None:
    urdf = package / "config/arm.urdf"
    limit = '<limit effort="10" velocity="2" acceleration="4"/>'
    text = urdf.read_text().replace('name="arm"', 'name="arm" version="1.2"', 1)
    urdf.write_text(text.replace('<limit effort="10" velocity="2"/>', limit))
    xrdf = read_xrdf(
        SourceText.from_bytes(convert([package], package / "out.xrdf").files[0][1])
    ).value
    assert xrdf.limits_of("acceleration")["elbow"] == 4.0


def test_initial_positions_are_the_posture_where_no_state_is(package: Path) -> None:
    made = convert([package], package / "out.curobo.yml")
    assert (
        entries(made)["translated: initial_positions.yaml"]
        == "default_joint_positions of shoulder, elbow"
    )
    xrdf = read_xrdf(
        SourceText.from_bytes(convert([package], package / "out.xrdf").files[0][1])
    ).value
    assert xrdf.default_joint_positions == {"shoulder": 0.3, "elbow": -0.4}
    state = (
        '<group_state name="home" group="manipulator"><joint name="shoulder" '
        'value="1"/></group_state></robot>'
    )
    (package / "config/arm.srdf").write_text(SRDF.replace("</robot>", state))
    xrdf = read_xrdf(
        SourceText.from_bytes(convert([package], package / "out.xrdf").files[0][1])
    ).value
    assert xrdf.default_joint_positions == {"shoulder": 1.0, "elbow": -0.4}


def test_limits_that_do_not_count_are_placeholders(package: Path) -> None:
    text = LIMITS.replace("has_acceleration_limits: true", "has_acceleration_limits: false")
    (package / "config/joint_limits.yaml").write_text(text)
    xrdf = read_xrdf(
        SourceText.from_bytes(convert([package], package / "out.xrdf").files[0][1])
    ).value
    assert set(xrdf.limits_of("acceleration").values()) == {10.0}


def test_degrees_of_a_settings_file_are_read(tmp_path: Path) -> None:
    text = "joint_limits:\n  j: {has_velocity_limits: true, max_velocity: !degrees 90}\n"
    value = read_settings(MotionLimits, SourceText.from_text(text)).value
    assert value.joints["j"].velocity == pytest.approx(math.pi / 2)


PREFIXED = re.sub(r'(name|link|joint)="(?!arm")', r'\1="gen3_', URDF)
OTHER_SRDF = SRDF.replace(
    "</robot>",
    '<group_state name="up" group="manipulator"><joint name="shoulder" value="0"/><joint '
    'name="elbow" value="0"/>'
    '</group_state><disable_collisions link1="base" link2="upper" reason="Adjacent"/>'
    '<disable_collisions link1="upper" link2="lower" reason="Adjacent"/></robot>',
)


@pytest.fixture
def stranger(tmp_path: Path) -> list[Path]:
    """A robot whose names have a prefix, with the SRDF and limits of one without."""
    (tmp_path / "arm.urdf").write_text(PREFIXED)
    (tmp_path / "arm.srdf").write_text(OTHER_SRDF)
    (tmp_path / "joint_limits.yaml").write_text(LIMITS)
    (tmp_path / "initial_positions.yaml").write_text(POSITIONS)
    return [tmp_path / name for name in ("arm.urdf", "arm.srdf", "joint_limits.yaml")]


@pytest.mark.parametrize(
    ("ending", "to"), [("_moveit_config", None), (".mjcf.xml", None), (".dae", None)]
)
def test_names_that_the_robot_does_not_have_are_reported(
    stranger: list[Path], ending: str, to: str | None
) -> None:
    told = entries(convert(stranger, stranger[0].with_name(f"out{ending}"), ConvertOptions(to=to)))
    assert told["lost: 4 links"].endswith(
        "base, hand, upper, lower; they are with the prefix gen3_"
    )
    assert "shoulder, elbow" in told["lost: 2 joints"]


def test_one_fix_writes_the_prefix_into_the_srdf(stranger: list[Path]) -> None:
    robot = editor_app.open_robot(*stranger)
    findings = [each for each in editor_app.check(robot) if each.code in ("SRDF010", "SRDF011")]
    assert len(findings) > 5
    fixes = {each.fixes[0] for each in findings}
    assert [(type(fix), fix.label) for fix in fixes] == [
        (MapNames, "Add the prefix gen3_ to 6 names")
    ]
    robot.execute(fixes.pop())
    assert not [each for each in editor_app.check(robot) if each.code.startswith("SRDF")]
    assert robot.srdf_text is not None
    assert (
        '<disable_collisions link1="gen3_base" link2="gen3_upper" reason="Adjacent"/>'
        in robot.srdf_text
    )
    robot.undo()
    assert robot.srdf_text == OTHER_SRDF


def test_one_fix_writes_the_prefix_into_the_settings(stranger: list[Path]) -> None:
    limits = LIMITS + "  grip: {has_acceleration_limits: true, max_acceleration: 1.0}\n"
    stranger[2].write_text(limits)
    robot = editor_app.open_robot(*stranger)
    findings = [each for each in editor_app.check(robot) if each.code == "ROS003"]
    assert {each.fixes[0].label for each in findings} == {"Add the prefix gen3_ to 3 names"}
    robot.execute(findings[0].fixes[0])
    assert not [each for each in editor_app.check(robot) if each.code == "ROS003"]


def test_a_prefix_is_one_that_most_names_share() -> None:
    names, robot = ("a", "bb", "c_link", "left"), ("x_a", "x_bb", "x_c_link", "right", "y_a")
    assert shared_prefix(names, robot) == ("", "x_")
    assert mapped_names(names, robot) == (("a", "x_a"), ("bb", "x_bb"), ("c_link", "x_c_link"))
    assert shared_prefix(robot[:3], names) == ("x_", "")
    assert mapped_names(robot[:3], names) == (("x_a", "a"), ("x_bb", "bb"), ("x_c_link", "c_link"))
    assert shared_prefix(("a", "b"), ("x_a", "x_b")) is None
    assert shared_prefix((), ()) is None
