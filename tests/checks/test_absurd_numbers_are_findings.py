"""A digit too many is told: lengths, masses, limits and spheres a hundred times what is usual in
the robot."""

from __future__ import annotations

import pytest

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Finding
from editor_app.core.model.robot import RobotDescription
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.robots import example_kinds

CODES = ("URDF070", "URDF071", "URDF072", "XRDF315")


def absurd(urdf: str, xrdf: str = CLEAN) -> list[Finding]:
    source, text = read_urdf(SourceText.from_text(urdf)), read_xrdf(SourceText.from_text(xrdf))
    context = CheckContext(
        RobotDescription(source.value, text.value), source=text, urdf_source=source
    )
    return [finding for finding in run_rules(context) if finding.code in CODES]


def weighing(*masses: float) -> str:
    text = URDF
    for name, mass in zip(("base", "upper", "lower", "hand"), masses, strict=True):
        inertial = (
            f'<inertial><mass value="{mass}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
            'izz="1"/></inertial>'
        )
        text = text.replace(f'<link name="{name}"/>', f'<link name="{name}">{inertial}</link>')
    return text


CASES = [
    (
        URDF.replace('"0 -1 0"/>\n    <axis', '"0 -1002.5 0"/>\n    <axis'),
        CLEAN,
        "URDF070",
        "origin of joint 'follow'",
    ),
    (weighing(10, 5, 3, 82002.5), CLEAN, "URDF071", "mass of link 'hand' is 82002.5 kg"),
    (
        URDF.replace('upper="2" effort', 'upper="20002" effort'),
        CLEAN,
        "URDF072",
        "upper limit of joint 'shoulder'",
    ),
    (
        URDF,
        CLEAN.replace("radius: 0.1\n", "radius: 1000.1\n", 1),
        "XRDF315",
        "Sphere 1 of base: 1000.1 m is its radius",
    ),
    (
        URDF,
        CLEAN.replace("center: [0.0, 0.0, 0.0]", "center: [0.0, 500.0, 0.0]", 1),
        "XRDF315",
        "500 m is away",
    ),
    (
        URDF,
        CLEAN.replace("position: [0.0, 0.0, 0.1]", "position: [0.0, 0.0, 1000.1]"),
        "XRDF315",
        "added frame 'tool'",
    ),
]


@pytest.mark.parametrize(("urdf", "xrdf", "code", "words"), CASES, ids=[case[3] for case in CASES])
def test_a_digit_too_many_is_told_with_its_place(
    urdf: str, xrdf: str, code: str, words: str
) -> None:
    [finding] = absurd(urdf, xrdf)
    assert finding.code == code
    assert words in finding.message
    # The others of two joints are not enough to be what is usual in a robot.
    assert ("in this robot" in finding.message) == (code == "XRDF315")
    assert finding.path or (finding.location is not None and finding.location.line is not None)


def test_an_ordinary_robot_has_no_absurd_number() -> None:
    assert absurd(URDF) == []
    assert absurd(weighing(100, 5, 3, 0.001)) == []


def test_the_robots_of_the_world_are_nearly_all_silent() -> None:
    told = {}
    for path in example_kinds():
        source = read_urdf(SourceText.read(path))
        context = CheckContext(
            RobotDescription(source.value, read_xrdf(SourceText.from_text(CLEAN)).value),
            urdf_source=source,
        )
        codes = [f.code for f in run_rules(context, files=("urdf",)) if f.code in CODES]
        if codes:
            told[path.name] = codes
    # 10,000 rad/s and 50,000 Nm of a head: indeed.
    expected = {"baxter.urdf": ["URDF072"] * 2, "borinot_flying_arm_2.urdf": ["URDF072"] * 2}
    asked = {path.name for path in example_kinds()}
    assert told == {name: codes for name, codes in expected.items() if name in asked}
    assert told
