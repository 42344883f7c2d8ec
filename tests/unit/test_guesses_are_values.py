"""What a draft guessed is known as values: as long as they stand as they were guessed, and no longer."""

from __future__ import annotations

from editor_app.edit.commands import SetDefaultPositions
from editor_app.edit.document import Document
from editor_app.formats.source import SourceText
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xrdf import draft_xrdf, read_xrdf
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK
from editor_app.operations.mask import guessed_positions
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT


def opened(xrdf: str) -> Document:
    return Document(read_urdf(SourceText.from_text(URDF_TEXT)), read_xrdf(SourceText.from_text(xrdf)))


def test_a_draft_knows_what_it_guessed() -> None:
    document = opened(draft_xrdf(read_urdf(SourceText.from_text(URDF_TEXT)).urdf))
    guesses, positions = document.guesses, document.robot.xrdf.default_joint_positions
    assert positions
    assert guesses.positions == positions
    assert {"default_joint_positions", "acceleration_limits", "jerk_limits"} <= set(guesses.entries)
    joint = document.robot.urdf.joint("j1")
    assert guesses.is_limit("acceleration", PLACEHOLDER_ACCELERATION, joint)
    assert guesses.is_limit("jerk", PLACEHOLDER_JERK, joint)
    assert not guesses.is_limit("jerk", PLACEHOLDER_JERK + 1, joint)
    name, value = next(iter(positions.items()))
    assert guesses.is_position(name, value)
    document.execute(SetDefaultPositions(FrozenDict({name: value + 0.1})))
    changed = dict(document.robot.xrdf.default_joint_positions or ())[name]
    assert not document.guesses.is_position(name, changed)


def test_a_file_without_such_comments_has_facts() -> None:
    guesses = opened(XRDF_TEXT).guesses
    assert guesses.entries == ()
    assert not guesses.is_position("j1", 0.5)
    assert not guesses.is_limit("jerk", PLACEHOLDER_JERK, None)


def test_positions_that_were_given_later_count_in_a_mask() -> None:
    document = opened(draft_xrdf(read_urdf(SourceText.from_text(URDF_TEXT)).urdf))
    guessed = guessed_positions(document)
    name, value = next(iter(dict(document.robot.xrdf.default_joint_positions or ()).items()))
    assert name in guessed
    document.execute(SetDefaultPositions(FrozenDict({name: value + 0.1})))
    assert guessed_positions(document) == guessed - {name}
    assert not guessed_positions(opened(XRDF_TEXT)) & set(opened(XRDF_TEXT).robot.xrdf.default_joint_positions or ())
