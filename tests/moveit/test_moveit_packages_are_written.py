"""`convert --to moveit-package`: what is written opens again as the robot, and keeps to MoveIt's
own rules."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from lxml import etree

import editor_app
from editor_app.__main__ import main
from editor_app.cli import run_command
from editor_app.core.formats.exchange.codec import ConvertOptions
from editor_app.core.formats.urdf.ros2_control import controlled_joints
from editor_app.core.verbs.convert import convert, write_conversion
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.moveit_package import LIMITS, SRDF, write_package
from tests.opinions import moveit

MESH = """solid a
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid a
"""
WITH_MESH = URDF.replace(
    '<link name="base"/>',
    '<link name="base"><visual><geometry><mesh '
    'filename="shapes/base.stl"/></geometry></visual></link>',
)


def robot(folder: Path, **texts: str) -> list[str]:
    (folder / "shapes").mkdir()
    (folder / "shapes/base.stl").write_text(MESH)
    for name, text in texts.items():
        (folder / f"arm.{name}").write_text(text)
    return [str(folder / f"arm.{name}") for name in texts]


def loaded(path: Path) -> dict[str, object]:
    value = yaml.safe_load(path.read_text())
    assert isinstance(value, dict)
    return value


def numbers(value: object) -> list[object]:
    return (
        [n for inner in value.values() for n in numbers(inner)]
        if isinstance(value, dict)
        else [value]
    )


def test_a_robot_with_xrdf_and_srdf_becomes_a_package_and_opens_again(tmp_path: Path) -> None:
    files = robot(tmp_path, urdf=WITH_MESH, xrdf=CLEAN, srdf=SRDF)
    out = tmp_path / "arm_moveit_config"
    assert run_command("convert", [*files, str(out), "-q"]) == 0
    package = editor_app.open_robot(out, allow_xacro=True)
    given = editor_app.open_robot(*files)
    assert package.robot.xrdf == given.robot.xrdf
    assert package.robot.urdf.joints == given.robot.urdf.joints
    # ros2_control begins where the XRDF does, by way of initial_positions.yaml.
    begin = {joint.name: joint.initial for joint in controlled_joints(package.robot.urdf)}
    assert begin == {"shoulder": 0.0, "elbow": 0.5, "grip": 0.2}
    assert package.robot.positions is not None
    assert package.robot.positions.joints == begin
    limits = package.robot.limits
    assert limits is not None
    assert (
        limits.joints["elbow"].velocity,
        limits.joints["elbow"].acceleration,
        limits.joints["elbow"].jerk,
    ) == (
        2.0,
        10.0,
        500.0,
    )
    groups = {group.name for group in package.robot.srdf.groups}  # type: ignore[union-attr]
    assert package.robot.kinematics is not None
    assert set(package.robot.kinematics.groups) <= groups
    mesh = package.robot.urdf.links[1].visuals[0].geometry
    assert mesh.filename == "package://arm_moveit_config/meshes/base.stl"  # type: ignore[union-attr]
    assert (out / "meshes/base.stl").read_text() == MESH
    assert not [
        each for each in editor_app.check(package) if each.severity is editor_app.Severity.ERROR
    ]
    # Nothing is written twice, or over what is there.
    assert run_command("convert", [*files, str(out), "-q"]) == 2


def test_moveits_loader_finds_what_it_looks_for(tmp_path: Path) -> None:
    """The rules of `moveit_configs_utils`: names of files, their keys, and floating-point
    numbers."""
    out = tmp_path / "arm_moveit_config"
    write_conversion(convert(robot(tmp_path, urdf=WITH_MESH, xrdf=CLEAN), out))
    setup = loaded(out / ".setup_assistant")["moveit_setup_assistant_config"]
    assert (out / setup["urdf"]["relative_path"]).is_file()  # type: ignore[index]
    assert (out / setup["srdf"]["relative_path"]).is_file()  # type: ignore[index]
    assert etree.parse(out / "package.xml").findtext("name") == setup["urdf"]["package"] == out.name  # type: ignore[index]
    limits = loaded(out / "config/joint_limits.yaml")
    assert not [n for n in numbers(limits) if isinstance(n, int) and not isinstance(n, bool)]
    assert not [
        n
        for n in numbers(loaded(out / "config/pilz_cartesian_limits.yaml"))
        if not isinstance(n, float)
    ]
    moveit, control = (
        loaded(out / f"config/{name}_controllers.yaml") for name in ("moveit", "ros2")
    )
    manager = moveit["moveit_simple_controller_manager"]
    for name in manager["controller_names"]:  # type: ignore[index]
        assert manager[name]["joints"] == control[name]["ros__parameters"]["joints"]  # type: ignore[index]
        assert name in control["controller_manager"]["ros__parameters"]  # type: ignore[index]
    # Without an SRDF, groups, mask and state come from the XRDF.
    srdf = etree.parse(out / "config/arm.srdf").getroot()
    assert srdf.get("name") == "arm"
    assert [group.get("name") for group in srdf.findall("group")] == ["arm"] or srdf.findall(
        "group"
    )
    assert len(srdf.findall("disable_collisions")) == 2
    for launch in (out / "launch").iterdir():
        compile(launch.read_text(), launch.name, "exec")


def test_a_package_is_written_again_with_its_settings_as_they_are(tmp_path: Path) -> None:
    package = write_package(tmp_path)
    out = tmp_path / "again_moveit_config"
    conversion = convert([str(package)], out, ConvertOptions(to="moveit-package"))
    files = {path.relative_to(out).as_posix(): data for path, data in conversion.files}
    assert files["config/joint_limits.yaml"].decode() == LIMITS
    assert files["config/arm.srdf"].decode() == SRDF
    assert files["config/arm.urdf"].decode() == URDF
    # The open robot does the same, edits included.
    document = editor_app.open_robot(package)
    document.execute(editor_app.commands.RenameJoint("shoulder", "first"))
    conversion = convert(document, out)
    files = {path.relative_to(out).as_posix(): data for path, data in conversion.files}
    assert files["config/joint_limits.yaml"].decode() == LIMITS.replace("shoulder", "first")


def test_a_urdf_alone_and_one_with_ros2_control(tmp_path: Path) -> None:
    control = '<ros2_control name="a" type="system">' + "".join(
        f'<joint name="{name}"><command_interface name="position"/></joint>'
        for name in ("shoulder", "elbow", "grip")
    )
    text = URDF.replace("</robot>", f"{control}</ros2_control></robot>")
    (file,) = robot(tmp_path, urdf=text)
    conversion = convert([file], tmp_path / "x_moveit_config")
    names = {path.name for path, _ in conversion.files}
    # Its joints are controlled already: nothing is added by xacro.
    assert "arm.urdf" in names
    assert "arm.urdf.xacro" not in names
    report = conversion.reports[-1]
    assert not [entry for entry in report.entries if entry.item == "ros2_control"]
    with pytest.raises(Exception, match="URDF is needed"):
        convert(
            [str(tmp_path / "lonely.xrdf")] if (tmp_path / "lonely.xrdf").write_text(CLEAN) else [],
            tmp_path / "y_moveit_config",
        )


def test_moveits_builder_takes_what_is_written(tmp_path: Path) -> None:
    utilities = moveit.sources()
    if utilities is None:
        pytest.skip("MoveIt's sources are not named (see tests/opinions/moveit.py)")
    out = tmp_path / "arm_moveit_config"
    assert (
        run_command(
            "convert", [*robot(tmp_path, urdf=WITH_MESH, xrdf=CLEAN, srdf=SRDF), str(out), "-q"]
        )
        == 0
    )
    assert (
        moveit.faults(
            editor_app.open_robot(out, allow_xacro=True), moveit.given(out, utilities, {})
        )
        == []
    )


def test_a_written_package_is_checked_and_opened_without_leave_for_xacro(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its xacro file adds the mock hardware to the URDF beside it, which is opened where xacro may
    not run."""
    out = tmp_path / "arm_moveit_config"
    assert (
        run_command(
            "convert", [*robot(tmp_path, urdf=WITH_MESH, xrdf=CLEAN, srdf=SRDF), str(out), "-q"]
        )
        == 0
    )
    capsys.readouterr()
    assert main(["check", str(out)]) == 0
    opened = editor_app.open_robot(out)
    assert opened.urdf_path == out / "config" / "arm.urdf"
    assert opened.robot.positions is not None
    # Of another xacro file nothing is known.
    (out / "config" / "arm.urdf.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm"/>'
    )
    with pytest.raises(editor_app.Refused, match="--allow-xacro"):
        editor_app.open_robot(out)
