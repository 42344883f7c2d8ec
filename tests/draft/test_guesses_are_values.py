"""What a draft guessed is known as values: as long as they stand as they were guessed, and no
longer."""

from __future__ import annotations

import pytest

from editor_app.core.document.commands import (
    AddJoints,
    ConfirmGuesses,
    RemoveJoints,
    RenameJoint,
    SetAllLimits,
    SetDefaultsFromPose,
    SetLimits,
    SetToolFrames,
)
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from editor_app.core.document.texts import compute_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.formats.xrdf.guess_comments import limits_comment
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import PLACEHOLDER_JERK
from editor_app.core.text.source import SourceText
from editor_app.features.checks.verbs.check import check
from editor_app.features.checks.verbs.safe_fixes import apply_fix, preview_fix
from editor_app.features.masks.verbs.mask import guessed_positions
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT


def opened(xrdf: str) -> Document:
    return Document(
        read_urdf(SourceText.from_text(URDF_TEXT)), read_xrdf(SourceText.from_text(xrdf))
    )


def drafted() -> Document:
    return opened(draft_xrdf(read_urdf(SourceText.from_text(URDF_TEXT)).value))


JOINTS = ("j1", "j2", "slide_a")
ENTRIES = ("default_joint_positions", "cspace", "acceleration_limits", "jerk_limits", "tool_frames")


def test_a_draft_marks_each_guess() -> None:
    guesses = drafted().guesses
    assert guesses.entries == ENTRIES
    assert all(
        guesses.joints(key) == JOINTS for key in ENTRIES if key not in ("cspace", "tool_frames")
    )
    assert guesses.described() == (
        "3 default positions, controlled joints, 3 acceleration limits, 3 jerk limits, tool frames"
    )


def test_the_comment_of_a_placeholder_goes_with_its_last_value() -> None:
    document = drafted()
    document.execute(SetAllLimits("jerk", 10000.0))
    assert "Replace 500.0" not in document.xrdf_text
    assert "Replace 10.0" in document.xrdf_text
    assert document.guesses.joints("jerk_limits") == ()
    document.undo()
    assert "Replace 500.0" in document.xrdf_text
    assert not document.is_modified or document.xrdf_digest is None


def test_a_value_typed_again_is_confirmed_as_one_step() -> None:
    document = drafted()
    document.execute(SetLimits("jerk", ((0, PLACEHOLDER_JERK),)))
    assert document.undo_label == "Set jerk limit"
    assert document.guesses.joints("jerk_limits") == ("j2", "slide_a")
    again = opened(document.xrdf_text)
    assert "# 500.0 is a placeholder for j2, slide_a." in again.xrdf_text
    assert again.guesses.joints("jerk_limits") == ("j2", "slide_a")
    # Of a file without guesses nothing is confirmed.
    again.execute(ConfirmGuesses(tuple(again.guesses.parts)))
    steps = len(again.history)
    again.execute(SetLimits("jerk", ((0, PLACEHOLDER_JERK),)))
    assert len(again.history) == steps
    document.undo()
    assert document.guesses.joints("jerk_limits") == JOINTS


def test_a_value_that_was_given_and_changed_back_is_no_guess() -> None:
    document = drafted()
    document.execute(SetLimits("jerk", ((0, 800.0),)))
    document.execute(SetLimits("jerk", ((0, PLACEHOLDER_JERK),)))
    assert document.guesses.joints("jerk_limits") == ("j2", "slide_a")


@pytest.mark.parametrize("key", ENTRIES)
def test_a_confirmed_entry_is_one_after_reopening(key: str) -> None:
    document = drafted()
    before = document.xrdf_text
    document.execute(ConfirmGuesses(document.guesses.under([key])))
    again = opened(document.xrdf_text)
    assert again.robot.xrdf == document.robot.xrdf
    assert set(again.guesses.entries) == set(ENTRIES) - {key}
    lines = again.xrdf_text.splitlines()
    assert len(lines) == len(before.splitlines()) - 1
    assert set(lines) < set(before.splitlines())
    document.undo()
    assert document.xrdf_text == before


def test_one_given_position_leaves_the_others_guessed_after_reopening() -> None:
    document = drafted()
    document.execute(set_item("xrdf.default_joint_positions", "j1", 0.25))
    again = opened(document.xrdf_text)
    assert again.guesses.joints("default_joint_positions") == ("j2", "slide_a")
    again.execute(SetDefaultsFromPose(FrozenDict({"j1": 0.25, "j2": 0.0, "slide_a": 0.0})))
    assert "Guessed" not in again.xrdf_text.partition("default_joint_positions")[0]


def test_comments_of_other_authors_stay() -> None:
    said = "# Guessed from names\n# more\ntool_frames:"
    document = opened(XRDF_TEXT.replace("tool_frames:", said))
    assert document.guesses.entries == ("tool_frames",)
    document.execute(ConfirmGuesses(document.guesses.under(["tool_frames"])))
    again = opened(document.xrdf_text)
    assert "# Guessed from names\n# more\n# Confirmed.\ntool_frames:" in again.xrdf_text
    assert again.guesses.entries == ()
    document = opened(XRDF_TEXT.replace("tool_frames:", said))
    document.execute(SetToolFrames(("hand",)))
    assert document.guesses.entries == ()
    assert said in document.xrdf_text


def test_limits_of_the_urdf_among_placeholders_are_no_guesses() -> None:
    text = drafted().xrdf_text.replace("[10.0, 10.0, 10.0]", "[10.0, 3.0, 10.0]")
    old = "Placeholder: the URDF gives none. Replace 10.0 by the robot's own limits."
    document = opened(text.replace(old, "From the URDF; 10.0 is a placeholder for j1, slide_a."))
    assert document.guesses.joints("acceleration_limits") == ("j1", "slide_a")
    document.execute(SetLimits("acceleration", ((0, 9.0),)))
    assert opened(document.xrdf_text).guesses.joints("acceleration_limits") == ("slide_a",)


def test_a_joint_that_is_added_gets_marked_placeholders() -> None:
    document = drafted()
    document.execute(ConfirmGuesses(tuple(document.guesses.parts)))
    document.execute(RemoveJoints((1,)))
    saved = opened(document.xrdf_text)
    saved.execute(AddJoints(("j2",)))
    assert saved.guesses.under(["acceleration_limits", "jerk_limits"]) == (
        ("acceleration_limits", "j2"),
        ("jerk_limits", "j2"),
    )
    again = opened(saved.xrdf_text)
    assert "# 10.0 is a placeholder for j2." in again.xrdf_text
    assert again.guesses.joints("jerk_limits") == ("j2",)


def test_a_false_comment_of_an_old_file_marks_nothing() -> None:
    """A file saved by an earlier version: the values were set, and the comment stayed."""
    document = opened(drafted().xrdf_text.replace("[500.0, 500.0, 500.0]", "[9e3, 9e3, 9e3]"))
    assert "jerk_limits" not in document.guesses.entries
    document.execute(SetAllLimits("jerk", 8000.0))
    assert "Replace 500.0" not in document.xrdf_text
    assert "Replace 10.0" in document.xrdf_text


@pytest.mark.parametrize(
    ("old", "new", "gone", "left"),
    [
        ("[500.0, 500.0, 500.0]", "[9e3, 9e3, 9e3]", "Replace 500.0", "Replace 10.0"),
        (
            "  j1: 0.0",
            "  j1: 0.1",
            "# Guessed: start of motion",
            "# Guessed for j2, slide_a: start of motion",
        ),
        ('    - "slide_a"\n', "", "# Guessed: the", "# Guessed: start of motion"),
        (
            'tool_frames: ["finger_a"]',
            'tool_frames: ["hand"]',
            "# Guessed, check it",
            "# Guessed: the",
        ),
    ],
)
def test_a_comment_goes_with_the_value_that_is_typed_over_it(
    old: str, new: str, gone: str, left: str
) -> None:
    document = drafted()
    before = document.xrdf_text
    text = before.replace(old, new, 1)
    if "slide_a" in old:
        text = text.replace("[500.0, 500.0, 500.0]", "[500.0, 500.0]").replace(
            "[10.0, 10.0, 10.0]", "[10.0, 10.0]"
        )
    assert gone in text != before
    steps = len(document.history)
    document.type_text(FileKind.XRDF, text)
    document.read_typed_text(FileKind.XRDF)
    assert len(document.history) == steps + 1
    assert gone not in document.xrdf_text
    assert left in document.xrdf_text
    assert opened(document.xrdf_text).robot.xrdf == document.robot.xrdf
    assert opened(document.xrdf_text).guesses == document.guesses
    document.undo()
    assert document.xrdf_text == before


def test_names_of_joints_cannot_write_lines() -> None:
    assert (
        limits_comment(10.0, ("a\nformat: b", "c\u2028"))
        == "# 10.0 is a placeholder for a?format: b, c?."
    )


def test_a_file_without_such_comments_has_facts() -> None:
    assert opened(XRDF_TEXT).guesses.entries == ()


def test_positions_that_were_given_later_count_in_a_mask() -> None:
    document = opened(draft_xrdf(read_urdf(SourceText.from_text(URDF_TEXT)).value))
    guessed = guessed_positions(document)
    name, value = next(iter(dict(document.robot.xrdf.default_joint_positions or ()).items()))
    assert name in guessed
    document.execute(set_item("xrdf.default_joint_positions", name, value + 0.1))
    assert guessed_positions(document) == guessed - {name}
    assert not guessed_positions(opened(XRDF_TEXT)) & set(
        opened(XRDF_TEXT).robot.xrdf.default_joint_positions or ()
    )


def test_a_fix_is_previewed_and_compared_with_its_confirmation() -> None:
    document = drafted()
    (fix,) = next(each.fixes for each in check(document) if each.code == "XRDF330")
    previewed = preview_fix(fix, document.state)
    assert previewed is not document.state
    text = compute_text(previewed, FileKind.XRDF)
    assert text != document.xrdf_text
    apply_fix(document, fix)
    assert document.xrdf_text == text
    # Once confirmed there is nothing to do.
    assert preview_fix(fix, document.state) is document.state


def test_guesses_follow_renamed_joints_and_a_rename_makes_none() -> None:
    document = drafted()
    document.execute(RenameJoint("j2", "elbow"))
    assert document.guesses.joints("acceleration_limits") == ("j1", "elbow", "slide_a")
    assert document.guesses.entries == ENTRIES
    given = opened(XRDF_TEXT)
    before = given.guesses
    given.execute(RenameJoint("j2", "elbow"))
    assert given.guesses == before
    assert "laceholder" not in given.xrdf_text
