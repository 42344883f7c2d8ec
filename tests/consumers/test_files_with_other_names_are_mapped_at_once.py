"""A file whose names are spelt otherwise than the robot's has one remedy that maps them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editor_app.core.document.commands.repairs import MapNames, ReplaceName
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import paired
from editor_app.core.model.robot import CannotApply
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from editor_app.plugins.consumers.verbs.repair import ValueOrigin, repair
from tests.helpers.documents import CLEAN, URDF, make_document

_NAMES = re.compile(r"\b(base|upper|lower|hand|left|shoulder|elbow|grip)\b(?!=)")
#: The robot's names have a number and words that the file lacks.
_OTHER = _NAMES.sub(r"ur10_arm_\1", URDF.replace('name="arm"', 'name="robot"'))


@pytest.mark.parametrize(
    ("name", "candidates", "meant"),
    [
        ("link_1", "panda_link0 panda_link1 panda_link10 panda_joint1 panda_hand", "panda_link1"),
        ("joint_a7", "lbr_joint_a1 lbr_joint_a7", "lbr_joint_a7"),
        ("wrist_01", "ur10e_wrist_1 ur10e_wrist_2", "ur10e_wrist_1"),
        ("base_link", "panda_link0 panda_link1", None),
        ("left_finger", "panda_right_finger", None),
        ("camera", "link_1 link_2", None),
        ("wrist_link", "wrist_1_link wrist_2_link", None),
    ],
)
def test_names_are_paired_by_their_numbers_and_words(
    name: str, candidates: str, meant: str | None
) -> None:
    assert dict(paired(frozenset({name}), frozenset(candidates.split()))).get(name) == meant


def test_one_remedy_maps_all_names(tmp_path: Path) -> None:
    document = make_document(tmp_path, urdf=_OTHER)
    findings = run_rules(CheckContext(document.robot))
    unknown = [
        finding
        for finding in findings
        if finding.code in ("XRDF302", "XRDF402", "XRDF504", "XRDF601")
    ]
    assert len(unknown) > 5
    fix = unknown[0].fixes[0]
    assert isinstance(fix, MapNames)
    assert "ur10_arm_" in fix.label
    assert all(finding.fixes[0] == fix for finding in unknown)
    document.execute(fix)
    assert document.xrdf_text == _NAMES.sub(r"ur10_arm_\1", CLEAN)
    assert not run_rules(CheckContext(document.robot))
    document.undo()
    assert document.xrdf_text == CLEAN


def test_mending_tells_that_mapped_names_are_guessed(tmp_path: Path) -> None:
    repaired = repair(make_document(tmp_path, urdf=_OTHER))
    assert (
        next(step for step in repaired.steps if "prefix" in step.text).origin is ValueOrigin.GUESSED
    )


def test_few_names_have_their_own_remedies(tmp_path: Path) -> None:
    document = make_document(tmp_path, xrdf=CLEAN.replace("grip", "gripp"))
    fixes = [fix for finding in run_rules(CheckContext(document.robot)) for fix in finding.fixes]
    assert fixes
    assert not [fix for fix in fixes if isinstance(fix, MapNames)]


@pytest.mark.parametrize(
    ("name", "wrong", "places"), [("elbow", "elbwo", 2), ("upper", "uppre", 5), ("tool", "tolo", 1)]
)
def test_one_fix_corrects_a_misspelt_name_wherever_the_file_has_it(
    tmp_path: Path, name: str, wrong: str, places: int
) -> None:
    head, body = CLEAN.split("default_joint_positions:")
    body, count = re.subn(rf"\b{name}\b", wrong, body)
    assert count == places
    text = f"{head}default_joint_positions:{body}"
    document = make_document(tmp_path, xrdf=text)
    errors = [f for f in run_rules(CheckContext(document.robot)) if wrong in f.message]
    assert {f.fixes[0].label for f in errors} == {f"Replace {wrong} by {name} everywhere"}
    document.execute(errors[-1].fixes[0])
    assert document.xrdf_text == CLEAN
    document.undo()
    assert document.xrdf_text == text


def test_a_field_with_both_names_keeps_them_and_a_fix_that_changes_nothing_says_why(
    tmp_path: Path,
) -> None:
    text = CLEAN.replace("    base: [upper]\n", "    base: [uppre]\n    uppre: [hand]\n")
    document = make_document(tmp_path, xrdf=text)
    fix = ReplaceName("xrdf", Named.LINK, "uppre", "upper")
    with pytest.raises(CannotApply, match="ignore mentions both uppre and upper"):
        fix.apply(document.robot)
    document = make_document(tmp_path, xrdf=text.replace("      upper:\n", "      uppre:\n"))
    document.execute(fix)
    assert document.xrdf_text == text
