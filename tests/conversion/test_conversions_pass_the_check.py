"""Robots that are made from files of other programs pass the check, and the check of those files
agrees with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.verbs.convert import ConvertOptions, convert, write_conversion
from editor_app.features.checks.verbs.check_files import check_files
from tests.helpers.collada_robot import ROBOT, part

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
#: A gripper whose second finger goes twice as far as the first, and a joint that is fixed.
GRIPPER = f"""<robot name="r"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
  <joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>{LIMIT}</joint>
  <joint name="follower" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{LIMIT}
    <mimic joint="j" multiplier="2" offset="0.1"/></joint>
  <joint name="still" type="fixed"><parent link="b"/><child link="c"/></joint></robot>"""
#: Values of the follower and what is reported: nothing where its leader gives it.
FOLLOWS: tuple[float, list[str]] = (0.5, [])
STRAYS = (0.3, ["position 0.3 of follower"])

STATE = """<robot name="r"><group name="g"><joint name="j"/><joint name="follower"/></group>
  <group_state name="home" group="g"><joint name="j" value="0.2"/><joint name="follower" value="{}"/></group_state>
  </robot>"""
CUROBO = """robot_cfg:
  kinematics:
    base_link: base
    ee_link: c
    cspace: {{joint_names: [j, follower], retract_config: [0.2, {}], max_acceleration: 5.0, max_jerk: 100.0}}
"""
LULA = """api_version: 1.0
cspace: [j]
root_link: base
default_q: [0.2]
cspace_to_urdf_rules: [{{name: follower, rule: fixed, value: {}}}]
collision_spheres: []
"""


def made(folder: Path, *inputs: Path) -> tuple[list[Finding], list[str]]:
    """Write URDF and XRDF of the robot; return what the check says of them, and what the conversion
    lost."""
    target = folder / "made" / "robot.urdf"
    conversion = convert(inputs, target, ConvertOptions(to="urdf"))
    write_conversion(conversion)
    xrdf = target.with_suffix(".xrdf")
    if not xrdf.exists():
        conversion = convert(inputs, xrdf, ConvertOptions(to="xrdf"))
        write_conversion(conversion)
    findings = [finding for file in check_files([target, xrdf]) for finding in file.findings]
    lost = [
        entry.item
        for report in conversion.reports
        for entry in report.entries
        if entry.fate is Fate.LOST
    ]
    return findings, lost


def errors(findings: list[Finding]) -> list[str]:
    return [
        f"{finding.code} {finding.message}"
        for finding in findings
        if finding.severity is Severity.ERROR
    ]


@pytest.mark.parametrize(("value", "reported"), [FOLLOWS, STRAYS], ids=["follows", "strays"])
@pytest.mark.parametrize(
    ("name", "text"), [("r.srdf", STATE), ("r.yml", CUROBO), ("lula.yaml", LULA)]
)
def test_no_mimic_joint_gets_a_default_position(
    name: str, text: str, value: float, reported: list[str], tmp_path: Path
) -> None:
    (tmp_path / "r.urdf").write_text(GRIPPER)
    (tmp_path / name).write_text(text.format(value))
    findings, lost = made(tmp_path, tmp_path / "r.urdf", tmp_path / name)
    assert [each for each in errors(findings) if "XRDF6" in each] == []
    assert [each for each in lost if "position" in each] == reported


def test_a_fixed_joint_gets_no_default_position(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(GRIPPER)
    (tmp_path / "r.srdf").write_text(
        STATE.format(0.5).replace('name="follower" value', 'name="still" value')
    )
    findings, lost = made(tmp_path, tmp_path / "r.urdf", tmp_path / "r.srdf")
    assert [each for each in errors(findings) if "XRDF6" in each] == []
    assert "position of still" in lost


@pytest.mark.parametrize(
    ("values", "reported"),
    [
        ((0.02, 0.02), []),
        ((0.02, 0.03), ["position 0.03 of second"]),
        ((None, 0.03), ["position 0.03 of second"]),
    ],
)
def test_a_collada_scene_that_places_a_mimic_joint(
    values: tuple[float | None, float], reported: list[str], tmp_path: Path
) -> None:
    """barrett-hand.zae and seven others of rdiankov's robots: XRDF603 for each joint that follows
    another."""
    binds = "".join(
        "<bind_joint_axis "
        f'target="n1/j0axis"><axis><param>{joint}</param></axis><value><float>{value}</float></value>'
        "</bind_joint_axis>"
        for joint, value in zip(("k/j2/axis0", "k/j3/axis0"), values, strict=True)
        if value is not None
    )
    start = ROBOT.index("<bind_joint_axis")
    (tmp_path / "r.dae").write_text(ROBOT[:start] + binds + ROBOT[start:])
    findings, lost = made(tmp_path, tmp_path / "r.dae")
    assert errors(findings) == []
    assert [each for each in lost if each.startswith("position")] == reported


MJCF = """<mujoco><asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><body name="a">
  <geom type="ellipsoid" size=".1 .2 .3"/><body name="b" pos="0 0 1"><joint name="j" axis="0 1 0" range="-1 1"/>
  <geom type="mesh" mesh="t"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("name", "text"), [("r.dae", part("k")), ("r.xml", MJCF)])
def test_meshes_inside_a_file_are_not_missing(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    (checked,) = check_files([tmp_path / name], slow=True)
    assert [each.message for each in checked.findings if each.code in ("MESH001", "MESH003")] == []
    assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_meshes_of_a_file_are_checked_as_those_of_the_robot_made_from_it(tmp_path: Path) -> None:
    """The ellipsoid is drawn as a mesh, which the slow rules read where the check wrote it."""
    (tmp_path / "r.xml").write_text(MJCF.replace(".1 .2 .3", "100 200 300"))
    (checked,) = check_files([tmp_path / "r.xml"], slow=True)
    (large,) = {each.message for each in checked.findings if each.code == "MESH008"}
    assert "600 m" in large
    assert {each.location.file for each in checked.findings if each.location is not None} == {
        str(tmp_path / "r.xml")
    }


def test_dangling_names_of_collada_extras_are_lost(tmp_path: Path) -> None:
    extras = (
        '<extra type="manipulator" name="arm"><technique profile="OpenRAVE"><frame_origin '
        'link="k/base"/>'
        '<frame_tip link="k/hand"/><gripper_joint joint="k/nope"/><gripper_joint '
        'joint="k/j2"/><iksolver '
        'type="Transform6D"><free_joint joint="k/gone"/></iksolver></technique></extra><extra '
        'type="collision">'
        '<technique profile="OpenRAVE"><ignore_link_pair link0="k/arm" '
        'link1="k/arm"/><ignore_link_pair '
        'link0="k/arm" link1="k/none"/><link_collision_state link="k/nothing"/></technique></extra>'
    )
    articulated = ROBOT.index("</articulated_system>")
    (tmp_path / "r.dae").write_text(ROBOT[:articulated] + extras + ROBOT[articulated:])
    lines = {str(entry) for report in convert([tmp_path / "r.dae"], tmp_path / "r.urdf").reports
             for entry in report.entries if entry.fate is Fate.LOST}  # fmt: skip
    for words in (
        "gripper_joint k/nope", "free_joint k/gone", "k/arm is paired with itself", "k/arm - k/none: no such link",
        "link_collision_state k/nothing",
    ):  # fmt: skip
        assert any(words in line and "r.dae:" in line for line in lines), words
    assert not any("k/j2" in line for line in lines)


def test_what_is_kept_of_a_collada_file_declares_its_prefixes(tmp_path: Path) -> None:
    """Formulas of OpenRAVE are written as math:math: a URDF without the declaration is not
    well-formed for most."""
    text = ROBOT.replace("<COLLADA ", '<COLLADA xmlns:math="http://www.w3.org/1998/Math/MathML" ')
    text = text.replace("<math>", "<math:math>").replace("</math>", "</math:math>")
    (tmp_path / "r.dae").write_text(text)
    findings, _ = made(tmp_path, tmp_path / "r.dae")
    assert "XML003" not in {each.code for each in findings}
    assert "math:math" in (tmp_path / "made" / "robot.urdf").read_text()
