"""A robot that was built or edited by hand gets the sections, and the marks of guesses, that `new`
writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.document.commands import (
    RemoveJoints,
    RemoveSection,
    SetLimits,
)
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import save_document
from editor_app.core.document.state import FileKind
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import Cylinder, JointType
from editor_app.core.tasks.work import never, run_job, silent
from editor_app.core.verbs.new_link import NewLink, empty_robot, new_link
from editor_app.features.draft.verbs.completion import completion
from editor_app.features.draft.verbs.first_file import WriteFirstFile, first_file_job
from editor_app.features.draft.verbs.new_settings import DRAFT
from tests.helpers.documents import CLEAN, URDF

ENTRIES = {"default_joint_positions", "cspace", "acceleration_limits", "jerk_limits", "tool_frames"}


def built(folder: Path) -> Document:
    """A robot of two cylinders on joints with a tool frame, built link by link."""
    document = open_document(empty_robot(folder / "mybot.urdf"))
    shape, turn = Cylinder(0.04, 0.2), JointType.REVOLUTE
    for link in (
        NewLink("link_1", "base_link", turn, limits=(-1.0, 1.0), shape=shape),
        NewLink("link_2", "link_1", turn, (0.0, 0.0, 0.2), (0.0, 1.0, 0.0), (-1.0, 1.0), shape),
        NewLink("tool0", "link_2", xyz=(0.0, 0.0, 0.2)),
    ):
        document.execute(new_link(document.robot, link).change)
    return document


def complete(document: Document) -> Document:
    step = completion(document)
    assert step is not None
    document.execute(step)
    return document


def test_a_robot_built_from_nothing_gets_the_text_of_new(tmp_path: Path) -> None:
    document = built(tmp_path)
    assert document.robot.xrdf.tool_frames is None
    steps = len(document.history)
    complete(document)
    assert len(document.history) == steps + 1
    assert set(document.guesses.entries) == ENTRIES
    save_document(document)
    assert open_document(tmp_path / "mybot.urdf", new_xrdf=True).xrdf_text == document.xrdf_text
    assert completion(document) is None


def test_a_draft_as_it_was_made_is_complete(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    assert completion(open_document(tmp_path / "arm.urdf")) is None


@pytest.mark.parametrize(
    "key", ["default_joint_positions", "tool_frames", "cspace", "world_collision", "geometry"]
)
def test_a_section_that_was_removed_from_a_draft_comes_back(tmp_path: Path, key: str) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    document = open_document(tmp_path / "arm.urdf")
    text, guesses = document.xrdf_text, document.guesses.entries
    document.execute(RemoveSection(key))  # type: ignore[arg-type]
    complete(document)
    assert document.xrdf_text == text
    assert document.guesses.entries == guesses


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (
            SetLimits("jerk", ((0, 900.0),)),
            "500.0 by the robot's limits.\n  jerk_limits: [900.0, 500.0, 500.0]",
        ),
        (set_item("xrdf.default_joint_positions", "elbow", 0.25), "elbow: 0.25"),
        (RemoveJoints((2,)), '- "elbow"\n  # Placeholder'),
    ],
)
def test_given_values_stay(tmp_path: Path, change: Change, kept: str) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    document = open_document(tmp_path / "arm.urdf")
    document.execute(change)
    document.execute(RemoveSection("tool_frames"))
    complete(document)
    assert kept in document.xrdf_text
    assert document.robot.xrdf.tool_frames
    assert "tool_frames" in document.guesses.entries


def test_the_file_of_another_author_keeps_its_text(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    theirs = CLEAN.replace("tool_frames: [tool]\n\n", "").replace(
        "cspace:", "# The datasheet, page 3\ncspace:"
    )
    (tmp_path / "arm.xrdf").write_text(theirs)
    document = open_document(tmp_path / "arm.urdf")
    before = document.guesses.entries
    complete(document)
    assert (before, document.guesses.entries) == ((), ("tool_frames",))
    added = '\n# Guessed, check it: the child link of the last joint.\ntool_frames: ["left"]\n'
    assert added in document.xrdf_text
    assert document.xrdf_text.replace(added, "") == theirs


def test_a_comment_in_a_draft_survives_its_completion(tmp_path: Path) -> None:
    document = built(tmp_path)
    document.replace_texts({FileKind.XRDF: "# Mine\n" + document.xrdf_text}, "Type")
    complete(document)
    assert document.xrdf_text.startswith("# Mine\n")
    assert set(document.guesses.entries) == ENTRIES


def test_the_window_job_completes_as_new_does(tmp_path: Path) -> None:
    document = built(tmp_path)
    made = run_job(first_file_job(document, DRAFT), executor=None, progress=silent, cancel=never)
    assert isinstance(made, WriteFirstFile)
    document.execute(made)
    save_document(document)
    assert open_document(tmp_path / "mybot.urdf", new_xrdf=True).xrdf_text == document.xrdf_text
    assert document.first_plan == made.plan
