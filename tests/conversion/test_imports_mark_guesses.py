"""Values that no input of an import or conversion states are marked as guesses, listed, and
confirmed as a draft's."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.core.formats.xrdf.guess_comments import REST, limits_comment, position_comment
from editor_app.core.verbs.convert import ConvertOptions, convert
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT

CUROBO = """robot_cfg:
  kinematics:
    base_link: base
    ee_link: hand
    lock_joints: {slide_a: 0.01}
    cspace: {joint_names: [j1, j2, slide_a]CSPACE}
"""
LULA = """api_version: 1.0
cspace: [j1, j2]
root_link: base
default_q: []
cspace_to_urdf_rules:
  - {name: slide_a, rule: fixed, value: 0.01}
LIMITS
"""
SRDF = """<robot name="small"><group name="arm"><chain base_link="base" tip_link="hand"/></group></robot>"""
ACCELERATION, JERK = limits_comment(10.0), limits_comment(500.0)


def converted(
    folder: Path, name: str, text: str, *, xrdf: str | None = None
) -> editor_app.Document:
    """The XRDF that a file beside the small robot becomes, saved and opened again."""
    (folder / "robot.urdf").write_text(URDF_TEXT, encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    inputs = [folder / "robot.urdf", folder / name]
    if xrdf is not None:
        (folder / "robot.xrdf").write_text(xrdf, encoding="utf-8")
        inputs.insert(1, folder / "robot.xrdf")
    conversion = convert(inputs, folder / "out.xrdf", ConvertOptions(to="xrdf"))
    ((path, data),) = conversion.files
    path.write_bytes(data)
    return editor_app.open_robot(folder / "robot.urdf", path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("arm.yml", CUROBO.replace("CSPACE", "")),
        ("arm.yaml", LULA.replace("LIMITS", "")),
        # A list of the wrong length says nothing of a joint either.
        (
            "arm.yml",
            CUROBO.replace(
                "CSPACE", ", max_acceleration: [1.0], max_jerk: x, retract_config: [0.0]"
            ),
        ),
        ("arm.yaml", LULA.replace("LIMITS", "acceleration_limits: [1.0]\njerk_limits: x")),
    ],
)
def test_what_a_configuration_does_not_state_is_marked_and_confirmed(
    tmp_path: Path, name: str, text: str
) -> None:
    document = converted(tmp_path, name, text)
    out = document.xrdf_text
    assert out.count(ACCELERATION) == out.count(JERK) == 1
    keys = ("default_joint_positions", "acceleration_limits", "jerk_limits")
    assert [document.guesses.joints(key) for key in keys] == [("j1", "j2")] * 3
    assert position_comment(("j1", "j2"), REST) in out
    findings = [f for f in editor_app.check(document) if f.code == "XRDF330"]
    assert [f.subject.joints for f in findings] == [("j1", "j2")] * 3
    guessed = [e.text for e in editor_app.decisions(document).entries if e.topic == "Guessed"]
    assert guessed == ["2 default positions", "2 acceleration limits", "2 jerk limits"]
    values = document.robot.xrdf
    for finding in findings:
        editor_app.apply_fix(document, finding.fixes[0])
    assert document.robot.xrdf == values
    assert not document.guesses.parts
    assert "laceholder" not in document.xrdf_text
    assert "Guessed" not in document.xrdf_text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "arm.yml",
            CUROBO.replace(
                "CSPACE", ", max_acceleration: 10.0, max_jerk: 500.0, retract_config: [0, 0, 0]"
            ),
        ),
        (
            "arm.yaml",
            LULA.replace("default_q: []", "default_q: [0.0, 0.0]").replace(
                "LIMITS", "acceleration_limits: [10.0, 10.0]\njerk_limits: [500.0, 500.0]"
            ),
        ),
    ],
)
def test_a_stated_value_is_no_guess_though_it_is_a_placeholder_s(
    tmp_path: Path, name: str, text: str
) -> None:
    document = converted(tmp_path, name, text)
    assert not document.guesses.parts
    # Nor does the guess of the XRDF outlive it, which the file brings up to date.
    guessed = document.xrdf_text.replace("  jerk_limits:", f"  {JERK}\n  jerk_limits:")
    again = converted(tmp_path, name, text, xrdf=guessed)
    assert JERK in guessed
    assert again.robot.xrdf == document.robot.xrdf
    assert JERK not in again.xrdf_text


def test_a_guess_replaces_no_value(tmp_path: Path) -> None:
    for name, text in (
        ("arm.yml", CUROBO.replace("CSPACE", "")),
        ("arm.yaml", LULA.replace("LIMITS", "")),
    ):
        document = converted(tmp_path, name, text, xrdf=XRDF_TEXT)
        old = editor_app.open_robot(tmp_path / "robot.urdf", tmp_path / "robot.xrdf").robot.xrdf
        assert not document.guesses.parts
        for kind in ("acceleration", "jerk"):
            limits = document.robot.xrdf.limits_of(kind)  # type: ignore[arg-type]
            assert limits.items() <= old.limits_of(kind).items()  # type: ignore[arg-type]
        positions = document.robot.xrdf.default_joint_positions
        assert positions is not None
        assert old.default_joint_positions is not None
        assert {j: positions[j] for j in ("j1", "j2")} == {
            j: old.default_joint_positions[j] for j in ("j1", "j2")
        }


def test_the_group_of_an_srdf_is_stated_and_its_limits_are_not(tmp_path: Path) -> None:
    document = converted(tmp_path, "robot.srdf", SRDF)
    assert "cspace" not in document.guesses.entries
    assert document.guesses.joints("jerk_limits") == document.robot.xrdf.controlled
    assert JERK in document.xrdf_text
