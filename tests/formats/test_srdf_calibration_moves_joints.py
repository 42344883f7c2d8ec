"""Calibration files of Tesseract put joints elsewhere, and say what they cannot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.__main__ import main
from editor_app.core.formats.srdf.places import read_calibration
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.reading_notes import list_reading_notes
from tests.helpers.robots import sample_urdf

TEXT = """calibration:
  joints:
    base_yaw_joint:
      position: {x: 1, y: 2, z: 3}
      orientation: {x: 0, y: 0, z: 1, w: 1}
    nowhere_joint:
      position: {x: 1, y: 2, z: 3}
      orientation: {x: 0, y: 0, z: 0, w: 1}
    bad_joint:
      position: {x: a lot}
"""


def test_the_frames_below_a_calibrated_joint_move_with_it() -> None:
    calibration = read_calibration(SourceText.from_text(TEXT))
    assert len(calibration.notes) == 1
    assert "bad_joint" in calibration.notes[0]
    urdf = read_urdf(SourceText.read(sample_urdf())).value
    moved = calibration.applied(urdf)
    assert [a.name for a, b in zip(urdf.joints, moved.joints, strict=True) if a != b] == [
        "base_yaw_joint"
    ]
    tree = build_tree(moved)
    pose = compute_forward(tree, {})[tree.index["shoulder_link"]]
    assert np.allclose(pose[:3, 3], (1, 2, 3))
    assert np.allclose(pose[:3, 0], (0, 1, 0))


def test_other_files_are_refused() -> None:
    with pytest.raises(FormatError, match="calibration"):
        read_calibration(SourceText.from_text("cspace: []\n"))


ROBOT = """<robot name="c"><link name="base"/><link name="l1"/><joint name="j1" type="revolute"><parent link="base"/>
<child link="l1"/><origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
CALIBRATION = """calibration:
  joints:
    j1: {position: {x: 0.01, y: 0, z: 0.25}, orientation: {x: 0, y: 0, z: 1, w: 1}}
"""


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    (tmp_path / "c.urdf").write_text(ROBOT)
    (tmp_path / "c.srdf").write_text(
        '<robot name="c"><calibration_config filename="cal.yaml"/></robot>'
    )
    (tmp_path / "cal.yaml").write_text(CALIBRATION)
    return tmp_path / "c.urdf"


def test_a_command_says_that_the_calibration_is_not_applied(
    robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pose", str(robot), "--tool", "l1"]) == 0
    out, err = capsys.readouterr()
    assert "the calibration cal.yaml is not applied: the URDF's origins of j1 are used" in err
    assert "cal.yaml is not applied" in out


def test_edit_writes_the_calibration_into_the_urdf(robot: Path) -> None:
    assert main(["edit", str(robot), "--calibrate", "srdf", "--in-place"]) == 0
    document = editor_app.open_robot(robot)
    place = editor_app.frame_pose(document, "l1", "", {"j1": 0.0})
    assert np.allclose(place.position, (0.01, 0, 0.25))
    assert np.allclose(place.rpy, (0, 0, np.pi / 2))
    assert list_reading_notes(document) == ()


def test_a_calibration_that_is_not_there_is_noted(robot: Path) -> None:
    robot.with_name("cal.yaml").unlink()
    [note] = list_reading_notes(editor_app.open_robot(robot))
    assert "cal.yaml" in note
    assert "not found" in note
    assert main(["edit", str(robot), "--calibrate", "srdf"]) == 2
