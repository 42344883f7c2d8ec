"""Merged steps, abandoned ones, the selection that comes back, and the modified mark."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.document import commands as c
from editor_app.core.document.document import Changed, Document
from editor_app.core.document.saving import save_document
from editor_app.core.document.selection import NOTHING, Selection
from editor_app.core.document.state import FileKind
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.text.source import SourceText
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT

REF = SphereRef("spheres", "upper", 0)
OTHER = SphereRef("spheres", "upper", 1)


@pytest.fixture
def document() -> Document:
    return Document(
        read_urdf(SourceText.from_text(URDF_TEXT)), read_xrdf(SourceText.from_text(XRDF_TEXT))
    )


def drag(document: Document, x: float, merge: object = "drag") -> None:
    document.execute(
        c.SetSpheres(((REF, CollisionSphere((x, 0.0, 0.1), 0.08)),), "Move 1 sphere"), merge=merge
    )  # type: ignore[arg-type]


def test_a_drag_is_one_step(document: Document) -> None:
    for x in (0.1, 0.2, 0.3):
        drag(document, x)
    assert [r.label for r in document.history] == ["Open", "Move 1 sphere"]
    assert c.get_sphere(document.robot, REF).center[0] == 0.3
    document.undo()
    assert document.xrdf_text == XRDF_TEXT


def test_what_is_sealed_does_not_merge(document: Document) -> None:
    drag(document, 0.1)
    document.seal()
    drag(document, 0.2)
    drag(document, 0.3, merge="another")
    drag(document, 0.4, merge=None)
    drag(document, 0.5, merge=None)
    assert len(document.history) == 6


def test_undo_ends_a_drag(document: Document) -> None:
    drag(document, 0.1)
    document.undo()
    document.redo()
    drag(document, 0.2)
    assert len(document.history) == 3


def test_an_abandoned_drag_leaves_no_trace(document: Document) -> None:
    document.execute(c.InsertItem("xrdf.tool_frames", "base"))
    document.execute(c.InsertItem("xrdf.tool_frames", "fore"))
    document.undo()
    document.select(Selection(spheres=(REF,)))
    history, robot = document.history, document.robot
    told: list[Changed] = []
    document.subscribe(told.append)
    drag(document, 0.1)
    drag(document, 0.2)
    assert document.redo_label is None
    assert document.abandon()
    assert document.history == history, "what could be redone is there again"
    assert document.robot is robot
    assert document.selection == Selection(spheres=(REF,))
    assert told[-1].new is robot
    assert not document.abandon()
    assert document.redo()


def test_only_an_open_drag_can_be_abandoned(document: Document) -> None:
    drag(document, 0.1, merge=None)
    assert not document.abandon()
    drag(document, 0.2)
    document.seal()
    assert not document.abandon()
    assert len(document.history) == 3


def test_undo_and_redo_bring_the_selection_back(document: Document) -> None:
    document.select(Selection(spheres=(REF, OTHER)))
    document.execute(c.DeleteSpheres((REF, OTHER)), selection=Selection(links=("upper",)))
    assert document.selection == Selection(links=("upper",))
    document.select(Selection(joints=("j1",)))
    document.undo()
    assert document.selection == Selection(spheres=(REF, OTHER))
    document.redo()
    assert document.selection == Selection(links=("upper",))


def test_what_is_deleted_is_not_selected(document: Document) -> None:
    document.select(
        Selection(links=("tcp",), spheres=(OTHER, REF), pairs=(LinkPair.of("tcp", "hand"),))
    )
    document.execute(c.DeleteSpheres((OTHER,)))
    assert document.selection.spheres == (REF,)
    document.execute(c.RemoveItems("xrdf.modifiers", (1,)))
    assert document.selection == Selection(spheres=(REF,))


def test_what_changes_nothing_is_no_step(document: Document) -> None:
    told: list[Changed] = []
    document.subscribe(told.append)
    document.execute(c.SetFormatVersion("1.0"))
    document.execute(c.MoveItem("xrdf.tool_frames", 0, 0))
    assert len(document.history) == 1
    assert not told
    document.execute(c.SetFormatVersion("1.0"), selection=Selection(links=("hand",)))
    assert document.selection == Selection(links=("hand",))


def test_what_is_refused_changes_nothing(document: Document) -> None:
    robot = document.robot
    with pytest.raises(CannotApply):
        document.execute(
            c.RemoveItems("xrdf.geometry", ("none",)), selection=Selection(links=("hand",))
        )
    assert document.robot is robot
    assert document.selection == NOTHING
    assert not document.is_modified


def test_when_it_is_modified(document: Document, tmp_path: Path) -> None:
    assert not document.is_modified
    document.select(Selection(links=("hand",)))
    assert not document.is_modified, "a selection is no change"
    document.execute(c.InsertItem("xrdf.tool_frames", "base"))
    assert document.is_modified
    document.execute(c.RemoveItems("xrdf.tool_frames", (2,)))
    assert not document.is_modified, "the same again, by another way"
    document.execute(c.InsertItem("xrdf.tool_frames", "fore"))
    save_document(document, tmp_path / "copy.xrdf")
    assert not document.is_modified
    document.undo()
    assert document.is_modified, "the file is ahead now"
    document.redo()
    assert not document.is_modified
    document.replace_texts({FileKind.XRDF: document.xrdf_text + "# a comment\n"}, "Edit text")
    assert document.is_modified, "the same model, another text"
    document.undo()
    assert not document.is_modified


def test_a_draft_is_modified_until_it_is_saved(tmp_path: Path) -> None:
    source = read_xrdf(SourceText.from_text(XRDF_TEXT))
    document = Document(read_urdf(SourceText.from_text(URDF_TEXT)), source, xrdf_is_new=True)
    assert document.is_modified
    save_document(document, tmp_path / "new.xrdf")
    assert not document.is_modified
    assert (tmp_path / "new.xrdf").read_text() == XRDF_TEXT


DOUBLED = XRDF_TEXT.replace(
    "tool_frames:", "default_joint_positions:\n  j1: 0.75\n\ntool_frames:", 1
)


def test_a_section_that_stands_twice_is_locked_and_others_are_not() -> None:
    document = Document(
        read_urdf(SourceText.from_text(URDF_TEXT)), read_xrdf(SourceText.from_text(DOUBLED))
    )
    with pytest.raises(CannotApply, match="default_joint_positions"):
        document.execute(c.set_item("xrdf.default_joint_positions", "j1", 0.1))
    document.execute(c.InsertItem("xrdf.tool_frames", "base"))
    assert document.xrdf_text.count("default_joint_positions") == 2


def test_spheres_of_a_frame_that_stands_twice_are_locked_and_others_are_not() -> None:
    text = XRDF_TEXT + "      hand:\n        - center: [0, 0, 1]\n          radius: 0.1\n"
    document = Document(
        read_urdf(SourceText.from_text(URDF_TEXT)), read_xrdf(SourceText.from_text(text))
    )
    with pytest.raises(CannotApply, match="hand"):
        document.execute(c.AddSpheres("spheres", "hand", (CollisionSphere((0.0, 0.0, 0.0), 1.0),)))
    drag(document, 0.5, merge=None)
    assert "radius: 0.1\n" in document.xrdf_text
