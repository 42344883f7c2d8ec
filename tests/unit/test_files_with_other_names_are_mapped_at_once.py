"""A file whose names are spelt otherwise than the robot's has one remedy that maps them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editor_app.core.document.commands.repairs import MapNames
from editor_app.core.model.near_names import paired
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import check
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
def test_names_are_paired_by_their_numbers_and_words(name: str, candidates: str, meant: str | None) -> None:
    assert dict(paired(frozenset({name}), frozenset(candidates.split()))).get(name) == meant


def test_one_remedy_maps_all_names(tmp_path: Path) -> None:
    document = make_document(tmp_path, urdf=_OTHER)
    findings = check(CheckContext(document.robot))
    unknown = [finding for finding in findings if finding.code in ("XRDF302", "XRDF402", "XRDF504", "XRDF601")]
    assert len(unknown) > 5
    fix = unknown[0].fixes[0]
    assert isinstance(fix, MapNames)
    assert "ur10_arm_" in fix.label
    assert all(finding.fixes[0] == fix for finding in unknown)
    document.execute(fix)
    assert document.xrdf_text == _NAMES.sub(r"ur10_arm_\1", CLEAN)
    assert not check(CheckContext(document.robot))
    document.undo()
    assert document.xrdf_text == CLEAN


def test_mending_tells_that_mapped_names_are_guessed(tmp_path: Path) -> None:
    repaired = repair(make_document(tmp_path, urdf=_OTHER))
    assert next(step for step in repaired.steps if "prefix" in step.text).origin is ValueOrigin.GUESSED


def test_few_names_have_their_own_remedies(tmp_path: Path) -> None:
    document = make_document(tmp_path, xrdf=CLEAN.replace("grip", "gripp"))
    fixes = [fix for finding in check(CheckContext(document.robot)) for fix in finding.fixes]
    assert fixes
    assert not [fix for fix in fixes if isinstance(fix, MapNames)]
