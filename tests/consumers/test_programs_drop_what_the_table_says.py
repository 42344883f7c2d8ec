"""What simulators and planners drop of a robot: the table, the findings that follow from it, and
what was measured."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.document.opening import open_document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.findings import Severity
from editor_app.core.model.profile import Profile
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.convert import convert, write_conversion
from editor_app.features.checks.engine.readers import FEATURES, SOURCES, Treatment, uses
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from editor_app.features.checks.verbs.check_files import check_files
from tests.opinions.consumers import CASES, Robot, collision, judged, mesh, python_of, written

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"
#: Rows that most robots have, so that the robot without the feature has them, too.
_USUAL = {"effort", "range", "velocity", "undriven", "free", "safety"}


def context(text: str, profile: Profile = Profile.SPECIFICATION) -> CheckContext:
    return CheckContext.of_texts(read_urdf(SourceText.from_text(text)), None, None, profile, None)


def test_each_row_is_of_the_robots_that_it_is_measured_by() -> None:
    assert CASES.keys() == {feature.key for feature in FEATURES}
    for key, case in CASES.items():
        having = {use.feature.key for use in uses(context(case.having.text))}
        without = {use.feature.key for use in uses(context(case.without.text))}
        assert key in having, key
        assert key not in without or key in _USUAL or key == "scale", key


@pytest.mark.parametrize("profile", SOURCES, ids=lambda profile: profile.value)
def test_the_column_of_a_program_is_what_it_does(profile: Profile, tmp_path: Path) -> None:
    facts = {feature.key: feature.fact(profile).treatment for feature in FEATURES}
    if profile is Profile.MOVEIT:
        assert (facts["safety"], facts["no_soft"]) == (Treatment.READ, Treatment.CHANGED)
        return
    if profile is Profile.AGX:
        assert {key for key, treatment in facts.items() if treatment is Treatment.REFUSED} == set()
        return
    python = python_of(profile)
    if python is None:
        pytest.skip(f"{profile.program} is not installed")
    wrong = [
        (f.key, seen)
        for f, is_right, seen in judged(profile, python, written(tmp_path))
        if is_right is False
    ]
    assert wrong == []


def test_findings_name_joints_consequence_and_place() -> None:
    text = Robot(
        second_more='<mimic joint="j"/>',
        first_more='<safety_controller k_velocity="3"/>',
        shapes=collision(mesh("package://pack/m.stl")),
    ).text

    def told(profile: Profile) -> dict[str, tuple[str, Severity]]:
        findings = run_rules(context(text, profile), files=("urdf",))
        return {
            f.message: (f.code, f.severity)
            for f in findings
            if f.code in ("URDF091", "URDF092", "URDF093")
        }

    assert told(Profile.SPECIFICATION) == told(Profile.CUROBO) == {}
    [(message, about)] = [item for item in told(Profile.MUJOCO).items() if "mimic" in item[0]]
    assert message.startswith("MuJoCo changes mimic joints (k): ")
    assert "mujoco#3527" in message
    assert about == ("URDF092", Severity.WARNING)
    refusals = [
        message
        for message, about in told(Profile.DRAKE).items()
        if about == ("URDF091", Severity.ERROR)
    ]
    assert refusals == [
        "Drake refuses collision meshes in STL (c): it reads OBJ, VTK and glTF for collision: "
        "convert the meshes."
    ]
    # A soft limit that is not written is 0 in MoveIt: the joint cannot move.
    [moveit] = [item for item in told(Profile.MOVEIT).items() if item[1][1] is Severity.ERROR]
    assert moveit[0].startswith("MoveIt changes safety controllers without soft limits (j)")
    # What the table marks as code for the manual stands in messages as elements and names do
    # elsewhere.
    every = [message for profile in SOURCES for message in told(profile)]
    assert not any("`" in message for message in every)
    assert (
        "Drake ignores effort limits without a <transmission> (j, k): no actuator is created"
        in "".join(every)
    )
    assert "robots without a link 'world'" in "".join(every)
    # cricket refuses a mesh once, not as a mesh, an STL and a path of a package.
    assert sum("only spheres" in message for message in told(Profile.VAMP)) == 1
    findings = run_rules(context(text, Profile.NEWTON), files=("urdf",))
    ignored = next(f for f in findings if f.code == "URDF093" and f.subject.joints)
    assert ignored.location is not None
    assert ignored.location.line == 3


def test_what_convert_writes_for_vamp_is_what_vamp_takes(tmp_path: Path) -> None:
    findings = check_files([SAMPLE], profile=Profile.VAMP)[0].findings
    assert {f.code for f in findings if f.severity is Severity.ERROR} == {"URDF091"}
    document = open_document(SAMPLE)
    write_conversion(convert(document, tmp_path / "heron.cricket.json"))
    spherized = tmp_path / "heron_spherized.urdf"
    findings = check_files([spherized, spherized.with_suffix(".srdf")], profile=Profile.VAMP)[
        0
    ].findings
    assert [f.message for f in findings if f.severity is Severity.ERROR] == []
    asked = run_rules(
        CheckContext(document.robot, document.xrdf_now, Profile.VAMP), files=("xrdf",)
    )
    [told] = [finding.message for finding in asked if finding.code == "XRDF951"]
    assert "OUT.cricket.json" in told
    # One end effector, ignored pairs and spheres are what it needs of an XRDF.
    bare = replace(
        document.robot.xrdf, geometry=None, self_collision=None, tool_frames=("wrist_link", "tool")
    )
    context = CheckContext(document.robot.with_xrdf(bare), None, Profile.VAMP)
    messages = [
        finding.message
        for finding in run_rules(context, files=("xrdf",))
        if finding.code == "XRDF952"
    ]
    assert len(messages) == 3
    assert "it uses 'wrist_link', not 'tool'" in messages[1]


def test_all_programs_stand_in_one_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    robot = tmp_path / "r.urdf"
    robot.write_text(CASES["planar"].having.text, encoding="utf-8")
    assert main(["check", str(robot), "--profile", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(line for line in lines if line.startswith("r.urdf  "))
    assert head.split() == [
        "r.urdf",
        "MuJoCo",
        "Drake",
        "Newton",
        "Gazebo",
        "MoveIt",
        "Isaac",
        "Sim",
        "VAMP",
        "AGX",
        "Dynamics",
    ]
    row = next(line for line in lines if line.startswith("planar joints (1)"))
    assert row.split()[3:] == ["changes", "-", "changes", "refuses", "changes", "-", "refuses", "-"]
    assert not any("`" in line for line in lines)
    assert main(["check", str(robot), "--profile", "all", "--format", "json"]) == 0
    [told] = json.loads(capsys.readouterr().out)
    [planar] = [each for each in told["features"] if each["feature"] == "planar"]
    assert (planar["of"], planar["names"]) == ("joints", ["k"])
    assert planar["programs"]["drake"] == {"treatment": "reads", "message": ""}
    assert planar["programs"]["gazebo"]["message"].startswith(
        "Gazebo refuses planar joints (k): the joint is left out"
    )
    # For code scanning it is a list of findings, each of which names its program.
    assert main(["check", str(robot), "--profile", "all", "--format", "sarif"]) == 1
    [planars] = json.loads(capsys.readouterr().out)["runs"]
    told = [
        r["message"]["text"].partition(" planar joints (k)")[0]
        for r in planars["results"]
        if "planar joints" in str(r)
    ]
    assert told == [
        "MuJoCo changes",
        "Newton changes",
        "Gazebo refuses",
        "MoveIt changes",
        "VAMP refuses",
    ]
    assert main(["check", str(robot), "--profile", "gazebo", "--format", "json"]) == 1
    assert "URDF091" in {each["code"] for each in json.loads(capsys.readouterr().out)}


def test_drake_is_told_of_fingers_that_mimic_and_weigh_nothing() -> None:
    """drake#16181: Franka's hand, whose second finger mimics the first one, and neither of them
    weighs anything."""
    finger = (
        '<joint name="{0}" type="prismatic"><parent link="palm"/><child link="{1}"/><axis xyz="0 1 '
        '0"/>'
        '<limit lower="0" upper="0.04" effort="20" velocity="0.2"/>{2}</joint><link name="{1}"/>'
    )
    hand = finger.format("l", "left", "") + finger.format("r", "right", '<mimic joint="l"/>')
    told = run_rules(
        context(f'<robot name="hand"><link name="palm"/>{hand}</robot>', Profile.DRAKE)
    )
    changed = [finding for finding in told if finding.code == "URDF092"]
    assert [
        finding.subject.joints for finding in changed if "(drake#16181)" in finding.message
    ] == [("r",)]
    assert {
        link for finding in changed if "mass 0" in finding.message for link in finding.subject.links
    } == {
        "left",
        "right",
    }


@pytest.mark.parametrize("profile", SOURCES, ids=lambda profile: profile.value)
def test_each_program_is_told_how_spheres_and_pairs_get_there(profile: Profile) -> None:
    findings = check_files([SAMPLE.with_suffix(".xrdf")], urdf=SAMPLE, profile=profile)
    (finding,) = [each for file in findings for each in file.findings if each.code == "XRDF951"]
    assert finding.message.startswith(
        f"{profile.program} does not read XRDFs: export 53 spheres and 11 ignored pairs with"
    )
