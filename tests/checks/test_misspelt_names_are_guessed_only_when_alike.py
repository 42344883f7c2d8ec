"""A name is proposed for a misspelt one only when both are alike where they differ, and no other is
as much so."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.model.near_names import nearest
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.documents import CLEAN, make_document

LINKS = (
    "base_link", "shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link", "wrist_2_link", "wrist_3_link",
    "right_finger_link", "flange", "tool0",
)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("forearm_lnk", "forearm_link"),
        ("wrst_1_link", "wrist_1_link"),
        ("wrist1_link", "wrist_1_link"),
        ("Flange", "flange"),
        ("tool", "tool0"),
        ("forearm", "forearm_link"),
        # Much in common, but not where they differ.
        ("nobody_link", None),
        ("left_finger_link", None),
        ("gripper_link", None),
        ("camera", None),
        # As near to one as to two others.
        ("wrist_4_link", None),
        ("wrist_link", None),
    ],
)
def test_a_name_is_proposed_only_when_it_is_alike(written: str, meant: str | None) -> None:
    assert nearest(written, LINKS) == meant


def test_a_masked_link_that_resembles_none_can_only_be_deleted(tmp_path: Path) -> None:
    document = make_document(tmp_path, CLEAN.replace("upper: [lower]", "upper: [lower, other_pad]"))
    finding = next(f for f in run_rules(CheckContext(document.robot)) if f.code == "XRDF504")
    assert "did you mean" not in finding.message
    assert [fix.label for fix in finding.fixes] == ["Delete other_pad from ignore"]
