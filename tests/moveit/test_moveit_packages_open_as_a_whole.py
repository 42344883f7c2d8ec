"""A MoveIt config package: its files find each other by the rules of MoveIt, and are saved to the
byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document.commands import SetField
from editor_app.core.document.commands.fields import OfMotionLimit
from editor_app.core.document.document import Document
from editor_app.core.document.journal import plan_entry, texts_of
from editor_app.core.document.opening import open_document as open_sorted
from editor_app.core.document.saving import save_all
from editor_app.core.document.state import SETTINGS, FileKind
from editor_app.core.formats.moveit_package import package_root
from editor_app.core.tasks.work import Refused
from editor_app.core.verbs.robot_inputs import robot_files
from tests.helpers.documents import URDF
from tests.helpers.moveit_package import LIMITS, SRDF, write_package

XACRO = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm">
<xacro:arg name="initial_positions_file" default="initial_positions.yaml"/>
<xacro:include filename="$(find some_description)/urdf/arm.urdf"/>
<xacro:property name="at" value="${xacro.load_yaml('initial_positions.yaml')['initial_positions']}"/>
<ros2_control name="fake" type="system"><joint name="shoulder"><state_interface name="position">
<param name="initial_value">${at['shoulder']}</param></state_interface></joint></ros2_control></robot>
"""


def codes(document: Document) -> list[str]:
    return [finding.code for finding in document.opening_findings]


@pytest.mark.parametrize("named", ["", "package.xml", "config"])
def test_a_folder_or_its_manifest_opens_everything(tmp_path: Path, named: str) -> None:
    package = write_package(tmp_path)
    before = {path: path.read_bytes() for path in package.rglob("*") if path.is_file()}
    document = editor_app.open_robot(package / named)
    robot = document.robot
    assert robot.srdf is not None
    assert robot.limits is not None
    assert robot.kinematics is not None
    assert robot.positions is not None
    assert document.urdf_path == package / "config" / "arm.urdf"
    assert {kind: path.name for kind in SETTINGS if (path := document.path(kind))} == {
        FileKind.LIMITS: "joint_limits.yaml",
        FileKind.KINEMATICS: "kinematics.yaml",
        FileKind.POSITIONS: "initial_positions.yaml",
    }
    assert codes(document) == ["ROS010", "ROS012"]
    told, controller = (finding.message for finding in document.opening_findings)
    assert "config/arm.urdf, config/arm.srdf, config/joint_limits.yaml" in told
    assert "wrist_of_another" in controller
    # The draft begins where the package says, and keeps to its limits.
    assert document.xrdf_text.count("From joint_limits.yaml") == 1
    assert "Start of motion: initial_positions.yaml." in document.xrdf_text
    assert robot.xrdf.default_joint_positions is not None
    assert robot.xrdf.default_joint_positions["shoulder"] == 0.3
    save_all(document)
    assert {path: path.read_bytes() for path in before} == before


def test_the_same_is_opened_when_its_urdf_alone_is_named(tmp_path: Path) -> None:
    package = write_package(tmp_path)
    # An SRDF of another name counts, where it is the only one.
    (package / "config/arm.srdf").rename(package / "config/other.srdf")
    document = open_sorted(package / "config/arm.urdf")
    assert document.srdf_path == package / "config/other.srdf"
    assert document.robot.limits is not None


def test_a_robot_in_another_package_is_found_by_its_manifest(tmp_path: Path) -> None:
    package = write_package(tmp_path, urdf_in="some_description")
    files = robot_files(package / ".setup_assistant")
    assert files.robot == (tmp_path / "a_folder/urdf/arm.urdf")
    assert files.srdf == package / "config/arm.srdf"
    document = editor_app.open_robot(package)
    document.execute(SetField(OfMotionLimit("shoulder"), "max_velocity", 0.25))
    entry = plan_entry(document)()
    assert entry is not None
    assert texts_of(entry)[FileKind.LIMITS] == LIMITS.replace("0.50", "0.25")
    assert entry.settings is not None
    assert entry.settings["limits"] == str(package / "config/joint_limits.yaml")
    (tmp_path / "a_folder/package.xml").unlink()
    with pytest.raises(Refused, match="--package some_description=FOLDER"):
        robot_files(package)
    assert (
        robot_files(package, packages={"some_description": tmp_path / "a_folder"}).robot.name
        == "arm.urdf"
    )
    # What is named beside the package counts before what it has.
    mine = tmp_path / "mine.urdf"
    mine.write_text(URDF)
    assert robot_files(mine, package).robot == mine


def test_xacro_in_the_package_comes_first_and_its_srdf_may_be_one_too(tmp_path: Path) -> None:
    package = write_package(tmp_path, urdf_in="some_description")
    config = package / "config"
    (config / "arm.urdf.xacro").write_text(XACRO)
    (config / "arm.srdf").unlink()
    (config / "arm.srdf.xacro").write_text(
        SRDF.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
    )
    with pytest.raises(Refused, match="--allow-xacro"):
        editor_app.open_robot(package)
    document = editor_app.open_robot(package, allow_xacro=True)
    assert document.expansion is not None
    assert document.modified_kinds == (FileKind.XRDF,)
    assert "ROS011" in codes(document)
    # The limits can be edited though the URDF is in no file; the SRDF is written beside its xacro
    # file.
    document.execute(SetField(OfMotionLimit("shoulder"), "max_velocity", 0.25))
    document.replace_texts(
        {FileKind.SRDF: (document.srdf_text or "").replace("manipulator", "arm")}, "Rename"
    )
    assert {path.name for path in save_all(document)} == {
        "arm.xrdf",
        "arm.srdf",
        "joint_limits.yaml",
    }
    assert (config / "joint_limits.yaml").read_text() == LIMITS.replace("0.50", "0.25")
    # Without initial_positions.yaml, ros2_control says where motion begins.
    (config / "arm.xrdf").unlink()
    shutil.move(config / "initial_positions.yaml", tmp_path)
    (config / "arm.urdf.xacro").write_text(
        XACRO.replace("${at['shoulder']}", "0.7")
        .replace("${xacro.load", "")
        .replace("_yaml('initial_positions.yaml')['initial_positions']}", "")
    )
    document = editor_app.open_robot(package, allow_xacro=True)
    assert document.robot.xrdf.default_joint_positions is not None
    assert document.robot.xrdf.default_joint_positions["shoulder"] == 0.7


def test_convert_takes_a_folder_and_files_beside_it_for_one_robot(tmp_path: Path) -> None:
    package = write_package(tmp_path, urdf_in="some_description")
    config = package / "config"
    (config / "arm.srdf").unlink()
    (config / "arm.srdf.xacro").write_text(
        SRDF.replace(
            '<robot name="arm"', '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"'
        ).replace('name="manipulator"', 'name="${1 + 1}_joints"')
    )
    mine = tmp_path / "mine.urdf.xacro"
    mine.write_text(
        URDF.replace(
            '<robot name="arm"', '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"'
        )
    )
    for files in ([package, mine], [mine, package]):
        out = tmp_path / f"{files[0].name[:4]}_moveit_config"
        named = [*map(str, files), str(out)]
        assert run_command("convert", named) == 2
        assert run_command("convert", [*named, "--allow-xacro"]) == 0
        [srdf] = out.rglob("*.srdf")
        assert 'name="2_joints"' in srdf.read_text()


def test_the_launch_file_of_moveit_1_names_the_robot(tmp_path: Path) -> None:
    package = write_package(tmp_path, urdf_in="some_description")
    (package / ".setup_assistant").unlink()
    with pytest.raises(Refused, match="names no URDF"):
        robot_files(package)
    launch = package / "launch/planning_context.launch"
    launch.parent.mkdir()
    launch.write_text(
        '<launch><param name="$(arg robot_description)" textfile="$(find '
        'some_description)/urdf/arm.urdf"/>\n'
        '<param name="robot_description_semantic" textfile="$(find '
        'arm_moveit_config)/config/arm.srdf"/>\n</launch>'
    )
    files = robot_files(package)
    assert (files.robot.name, files.srdf) == ("arm.urdf", package / "config/arm.srdf")


def test_a_file_that_cannot_be_read_is_told_and_left_alone(tmp_path: Path) -> None:
    package = write_package(tmp_path)
    (package / "config/kinematics.yaml").write_text("arm: [\n")
    document = open_sorted(package / "config/arm.urdf")
    assert document.robot.kinematics is None
    assert codes(document)[0] == "ROS000"
    save_all(document)
    assert (package / "config/kinematics.yaml").read_text() == "arm: [\n"


def test_other_folders_have_one_urdf_or_are_refused(tmp_path: Path) -> None:
    (tmp_path / "urdf").mkdir()
    with pytest.raises(Refused, match="has no URDF"):
        robot_files(tmp_path)
    (tmp_path / "urdf/arm.urdf").write_text(URDF)
    assert robot_files(tmp_path).robot == tmp_path / "urdf/arm.urdf"
    (tmp_path / "urdf/other.urdf").write_text(URDF)
    with pytest.raises(Refused, match="has 2 URDFs"):
        robot_files(tmp_path)
    assert package_root(tmp_path / "urdf/arm.urdf") is None


def test_commands_take_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = write_package(tmp_path)
    limits = package / "config/joint_limits.yaml"
    limits.write_text(LIMITS.replace("0.50", "5.0"))
    assert run_command("check", [str(package)]) == 0
    assert f"{limits}:6:5: warning ROS005" in capsys.readouterr().out
    assert run_command("new", [str(package), "-q"]) == 0
    assert (package / "config/arm.xrdf").is_file()
    assert run_command("pose", [str(package), "--tool", "hand", "-q"]) == 0
