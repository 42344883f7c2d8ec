"""No fix of a finding adds an error or makes the default position collide, wherever it is
offered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.core.document.commands import SetMask
from editor_app.core.document.commands.lists import RemoveItems, SetItems
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import SourceText
from editor_app.features.checks.verbs.check import check
from editor_app.features.checks.verbs.safe_fixes import preview_fix, refuse_fix
from editor_app.features.masks.engine.default_overlaps import default_overlaps
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.plugins.consumers.verbs.repair import repair
from tests.helpers.curobo import MUTATIONS
from tests.helpers.curobo import URDF as CUROBO_URDF
from tests.helpers.curobo import XRDF as CUROBO_XRDF

#: Two links on joints whose spheres overlap by 40 mm at the default position, and a third one far
#: off.
URDF = """<robot name="two"><link name="base"/><link name="one"/><link name="two"/><link name="three"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j2" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0 0 0.16"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j3" type="revolute"><parent link="two"/><child link="three"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
"""
XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {j1: 0.0, j2: 0.0, j3: 0.0}
cspace: {joint_names: [j1, j2, j3], acceleration_limits: [10.0, 10.0, 10.0], jerk_limits: [500.0, 500.0, 500.0]}
tool_frames: [three]
collision: {geometry: g}
self_collision: {geometry: g, ignore: {one: [two]}}
geometry:
  g:
    spheres:
      one: [{center: [0.0, 0.0, 0.0], radius: 0.1}]
      two: [{center: [0.0, 0.0, 0.0], radius: 0.1}]
"""
THIRD = XRDF.replace("one: [two]", "one: [two, three], two: [three]") + (
    "      three: [{center: [0.0, 0.0, 0.0], radius: 0.1}]\n"
)


def document(xrdf: str, urdf: str = URDF) -> Document:
    return Document(read_urdf(SourceText.from_text(urdf)), read_xrdf(SourceText.from_text(xrdf)))


def findings(opened: Document, code: str, *, slow: bool = False) -> list[Finding]:
    return [each for each in check(opened, profile=Profile.CUROBO, slow=slow) if each.code == code]


def test_a_pair_that_would_always_collide_is_not_checked_again() -> None:
    opened = document(XRDF)
    [finding] = findings(opened, "XRDF908")
    assert not finding.fixes
    assert (
        "They all overlap at the default position: fit spheres to another link" in finding.message
    )
    repaired = repair(opened)
    assert [each.code for each in repaired.remaining] == ["XRDF908"]
    assert not repaired.texts


def test_of_several_pairs_one_that_stays_apart_is_checked_again() -> None:
    opened = document(THIRD)
    repaired = repair(opened)
    assert repaired.remaining == ()
    opened.replace_texts(repaired.texts, repaired.label)
    assert findings(opened, "XRDF908") == findings(opened, "XRDF605", slow=True) == []
    assert LinkPair.of("one", "two") in opened.robot.xrdf.ignored_pairs()


def test_an_ignored_pair_that_overlaps_by_default_is_not_offered_to_be_checked() -> None:
    # The third link swings beside the first: where it leans towards it, they overlap.
    beside = URDF.replace(
        '<child link="three"/><origin xyz="0 0 0.5"/>',
        '<child link="three"/><origin xyz="0.19 0 -0.16"/>',
    )
    xrdf = THIRD.replace("three: [{center: [0.0, 0.0, 0.0]", "three: [{center: [0.0, 0.0, 0.3]")
    for leaning, is_offered in ((-1.0, False), (1.0, True)):
        told = findings(
            document(xrdf.replace("j3: 0.0", f"j3: {leaning}"), beside), "XRDF509", slow=True
        )
        [finding] = [each for each in told if set(each.subject.links) == {"one", "three"}]
        assert bool(finding.fixes) == is_offered


def test_what_collides_already_is_an_error_that_is_left() -> None:
    repaired = repair(document(XRDF.replace("one: [two]", "one: [three]")))
    assert [each.code for each in repaired.remaining] == ["XRDF605"]


def test_a_fix_is_refused_with_the_reason() -> None:
    opened = document(THIRD)
    collides = refuse_fix(
        SetMask(checked=(LinkPair.of("one", "two"),)), opened.state, Profile.CUROBO
    )
    assert collides.endswith("one and two would collide at the default position.")
    without_tool = RemoveItems("xrdf.tool_frames", (0,))
    assert "it would add the error XRDF801" in refuse_fix(
        without_tool, opened.state, Profile.CUROBO
    )
    # For a program that does without, it is no error.
    assert refuse_fix(without_tool, opened.state, Profile.SPECIFICATION) == ""
    assert (
        refuse_fix(SetMask(checked=(LinkPair.of("one", "three"),)), opened.state, Profile.CUROBO)
        == ""
    )


def test_scripts_apply_fixes_under_the_same_rule() -> None:
    opened = document(THIRD)
    state = opened.state
    with pytest.raises(
        editor_app.Refused, match="one and two would collide at the default position"
    ):
        editor_app.apply_fix(opened, SetMask(checked=(LinkPair.of("one", "two"),)))
    with pytest.raises(editor_app.Refused, match="it would add the error XRDF801"):
        editor_app.apply_fix(opened, RemoveItems("xrdf.tool_frames", (0,)), profile=Profile.CUROBO)
    with pytest.raises(editor_app.CannotApply):
        editor_app.apply_fix(opened, RemoveItems("xrdf.tool_frames", (7,)))
    assert opened.state is state
    editor_app.apply_fix(opened, SetMask(checked=(LinkPair.of("one", "three"),)))
    assert LinkPair.of("one", "three") not in opened.robot.xrdf.ignored_pairs()
    assert opened.position == 1


@pytest.mark.parametrize("turn", [0.0, 0.4, 0.9])
def test_overlaps_at_the_default_are_those_of_the_distances(turn: float) -> None:
    opened = document(CUROBO_XRDF, CUROBO_URDF)
    robot = opened.robot
    positions = dict.fromkeys(robot.xrdf.controlled, turn)
    robot = SetItems(
        "xrdf.default_joint_positions",
        FrozenDict({**(robot.xrdf.default_joint_positions or {}), **positions}),
    ).apply(robot)
    section = robot.xrdf.self_collision
    assert section is not None
    robot = robot.with_xrdf(
        replace(robot.xrdf, self_collision=replace(section, ignore=FrozenDict()))
    )
    model = build_sphere_model(robot)
    live = LiveDistances(model, model.rest)
    assert default_overlaps(robot) == {
        model.link_pairs[row] for row in np.flatnonzero(live.clearance < 0.0)
    }
    masked = (
        SetMask(pairs=tuple(default_overlaps(robot))).apply(robot)
        if default_overlaps(robot)
        else robot
    )
    assert default_overlaps(masked) == frozenset()


def test_mending_any_file_adds_no_error_and_no_collision(tmp_path: Path) -> None:
    for case in MUTATIONS[::3]:
        opened = document(*reversed(case.apply()))
        errors = [
            each.code
            for each in check(opened, profile=Profile.CUROBO)
            if each.severity is Severity.ERROR
        ]
        before = default_overlaps(opened.robot)
        repaired = repair(opened)
        assert default_overlaps(repaired.state.robot) <= before, case.name
        left = [each.code for each in repaired.remaining if each.code != "XRDF605"]
        assert all(left.count(code) <= errors.count(code) for code in left), (case.name, left)


def test_a_fix_that_changes_nothing_does_no_harm() -> None:
    opened = document(XRDF)
    assert preview_fix(SetMask(pairs=(LinkPair.of("one", "two"),)), opened.state) is opened.state
