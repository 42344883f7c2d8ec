"""Files and links that an SRDF of Tesseract names: what does not exist is found, with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.findings import Finding
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules

URDF = """<robot name="r"><link name="a"/><link name="b"/>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""
SRDF = """<?xml version="1.0"?>
<robot name="r" version="1.0.0">
  <kinematics_plugin_config filename="config/kinematics.yaml"/>
  <calibration_config filename="config/calibration.yaml"/>
  <collision_margins default_margin="0.01">
    <pair_margin link1="a" link2="b" margin="0.02"/>
  </collision_margins>
</robot>
"""
CALIBRATION = """calibration:
  joints:
    {0}:
      position: {{x: 1, y: 2, z: 3}}
      orientation: {{x: 0, y: 0, z: 0, w: 1}}
"""


def findings(
    folder: Path, srdf: str = SRDF, calibration: str | None = CALIBRATION.format("j")
) -> list[Finding]:
    (folder / "config").mkdir(exist_ok=True)
    (folder / "config" / "kinematics.yaml").write_text("kinematic_plugins: {}\n", encoding="utf-8")
    if calibration is not None:
        (folder / "config" / "calibration.yaml").write_text(calibration, encoding="utf-8")
    (folder / "r.srdf").write_text(srdf, encoding="utf-8")
    urdf, source = (
        read_urdf(SourceText.from_text(URDF)),
        read_srdf(SourceText.read(folder / "r.srdf")),
    )
    robot = RobotDescription(urdf.value, Xrdf(), source.value)
    context = CheckContext(robot, urdf_path=folder / "r.urdf", srdf_source=source, has_xrdf=False)
    return [f for f in run_rules(context) if f.code.startswith("SRDF")]


def test_a_robot_with_all_its_files_has_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "words"),
    [
        ("config/kinematics.yaml", "config/gone.yaml", "SRDF018", 3, "config/gone.yaml"),
        (
            "config/calibration.yaml",
            "package://nowhere/c.yaml",
            "SRDF018",
            4,
            "package://nowhere/c.yaml",
        ),
        ('link2="b" margin', 'link2="c" margin', "SRDF010", 6, "<pair_margin> names the link 'c'"),
    ],
)
def test_what_is_not_there_is_found(
    old: str, new: str, code: str, line: int, words: str, tmp_path: Path
) -> None:
    (finding,) = findings(tmp_path, SRDF.replace(old, new))
    assert (finding.code, finding.location and finding.location.line) == (code, line)
    assert words in finding.message


@pytest.mark.parametrize(
    ("calibration", "words"),
    [
        (CALIBRATION.format("jj"), "joint 'jj', which the robot does not have; did you mean 'j'?"),
        ("calibration: {joints: {j: {position: {x: 1}}}}\n", "position (x, y, z) and orientation"),
        ("other: 1\n", "cannot be read"),
    ],
)
def test_a_calibration_that_does_not_fit_is_found(
    calibration: str, words: str, tmp_path: Path
) -> None:
    (finding,) = findings(tmp_path, calibration=calibration)
    assert finding.code == "SRDF019"
    assert words in finding.message
