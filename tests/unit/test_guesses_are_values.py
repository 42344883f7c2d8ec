"""What a draft guessed is known as values: as long as they stand as they were guessed, and no longer."""

from __future__ import annotations

from dataclasses import replace

from editor_app.core.document.commands import SetDefaultPositions
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import Guesses
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK, CSpace, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.features.masks.verbs.mask import guessed_positions
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT


def opened(xrdf: str) -> Document:
    return Document(read_urdf(SourceText.from_text(URDF_TEXT)), read_xrdf(SourceText.from_text(xrdf)))


def test_a_draft_knows_what_it_guessed() -> None:
    document = opened(draft_xrdf(read_urdf(SourceText.from_text(URDF_TEXT)).value))
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


def test_an_entry_is_guessed_until_each_of_its_values_was_given() -> None:
    document = opened(draft_xrdf(read_urdf(SourceText.from_text(URDF_TEXT)).value))
    xrdf, guesses = document.robot.xrdf, document.guesses
    entries = guesses.left_in(xrdf)
    assert entries == guesses.entries
    positions, cspace = xrdf.default_joint_positions, xrdf.cspace
    assert positions
    assert len(positions) > 1
    assert cspace is not None
    assert cspace.jerk_limits is not None
    assert len(cspace.jerk_limits) > 1
    first = next(iter(positions))
    one = replace(xrdf, default_joint_positions=FrozenDict({**positions, first: positions[first] + 0.1}))
    assert guesses.left_in(one) == entries
    each = replace(xrdf, default_joint_positions=FrozenDict({n: v + 0.1 for n, v in positions.items()}))
    assert set(entries) - set(guesses.left_in(each)) == {"default_joint_positions"}
    one = replace(xrdf, cspace=replace(cspace, jerk_limits=(PLACEHOLDER_JERK + 1, *cspace.jerk_limits[1:])))
    assert guesses.left_in(one) == entries
    each = replace(xrdf, cspace=replace(cspace, jerk_limits=tuple(v + 1 for v in cspace.jerk_limits)))
    assert set(entries) - set(guesses.left_in(each)) == {"jerk_limits"}


def test_comments_say_what_is_guessed() -> None:
    said = "# Guessed from names\n# more\ntool_frames:"
    guesses = opened(XRDF_TEXT.replace("tool_frames:", said)).guesses
    assert guesses.entries == ("tool_frames",)
    xrdf = opened(XRDF_TEXT).robot.xrdf
    assert guesses.left_in(xrdf) == ("tool_frames",)
    assert guesses.left_in(replace(xrdf, tool_frames=("another",))) == ()


def test_limits_of_the_urdf_beside_placeholders_are_no_guesses() -> None:
    cspace = CSpace(("a", "b"), (PLACEHOLDER_ACCELERATION, 3.0), (1.0, 2.0))
    guesses = Guesses(("acceleration_limits", "jerk_limits"), Xrdf(cspace=cspace))
    assert guesses.left_in(Xrdf(cspace=replace(cspace, acceleration_limits=(9.0, 3.0)))) == ("jerk_limits",)
    assert guesses.left_in(Xrdf(cspace=replace(cspace, jerk_limits=(1.5, 2.0)))) == guesses.entries
    assert guesses.left_in(Xrdf(cspace=replace(cspace, jerk_limits=(1.5, 2.5)))) == ("acceleration_limits",)


def test_a_file_without_such_comments_has_facts() -> None:
    guesses = opened(XRDF_TEXT).guesses
    assert guesses.entries == ()
    assert not guesses.is_position("j1", 0.5)
    assert not guesses.is_limit("jerk", PLACEHOLDER_JERK, None)


def test_positions_that_were_given_later_count_in_a_mask() -> None:
    document = opened(draft_xrdf(read_urdf(SourceText.from_text(URDF_TEXT)).value))
    guessed = guessed_positions(document)
    name, value = next(iter(dict(document.robot.xrdf.default_joint_positions or ()).items()))
    assert name in guessed
    document.execute(SetDefaultPositions(FrozenDict({name: value + 0.1})))
    assert guessed_positions(document) == guessed - {name}
    assert not guessed_positions(opened(XRDF_TEXT)) & set(opened(XRDF_TEXT).robot.xrdf.default_joint_positions or ())
