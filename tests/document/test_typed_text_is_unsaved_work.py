"""What is typed and not read yet: unsaved, undone, kept in the journal, read or refused by
saving."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.commands.urdf_texts import EmbeddedPlace, Home
from editor_app.core.document.document import Document
from editor_app.core.document.journal import Journal, orphans, plan_entry, texts_of, typed_of
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import TypedTextError, save_document
from editor_app.core.document.state import FileKind
from editor_app.core.document.texts import TypedFault
from editor_app.core.model.robot import CannotApply
from tests.helpers.documents import CLEAN, URDF, make_document

XRDF = FileKind.XRDF
BENT = CLEAN.replace("elbow: 0.5", "elbow: 0.55")
BROKEN = CLEAN.replace("tool_frames: [tool]", "tool_frames: [tool")


def labels(document: Document) -> list[str]:
    return [revision.label for revision in document.history]


def test_typed_text_is_unsaved_work_before_it_is_read(document: Document) -> None:
    robot = document.robot
    document.type_text(XRDF, BENT)
    assert document.robot is robot
    assert document.xrdf_text == CLEAN
    assert document.text_as_typed(XRDF) == BENT
    assert document.is_modified
    assert document.modified_kinds == (XRDF,)


def test_saving_reads_what_was_typed(document: Document, tmp_path: Path) -> None:
    document.type_text(XRDF, BENT)
    save_document(document)
    assert (tmp_path / "arm.xrdf").read_text() == BENT
    assert not document.is_modified
    assert document.robot.xrdf.default_joint_positions["elbow"] == 0.55  # type: ignore[index]


def test_saving_refuses_what_makes_no_sense_and_says_where(
    document: Document, tmp_path: Path
) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    document.type_text(XRDF, BROKEN)
    with pytest.raises(
        TypedTextError, match=r"The text typed for the XRDF cannot be read, line 2\d"
    ) as caught:
        save_document(document)
    assert caught.value.fault.place is XRDF
    assert (tmp_path / "arm.xrdf").read_text() == CLEAN
    assert document.text_as_typed(XRDF) == BROKEN
    assert document.is_modified


def test_typing_is_undone_step_by_step_and_reading_makes_one_step_of_it(document: Document) -> None:
    document.type_text(XRDF, CLEAN.replace("0.5", "0.55"))
    document.type_text(XRDF, CLEAN.replace("0.5", "0.555"))
    document.seal()
    document.type_text(XRDF, CLEAN.replace("0.5", "0.5556"))
    assert labels(document) == ["Open", "Type text", "Type text"]
    document.undo()
    assert document.text_as_typed(XRDF) == CLEAN.replace("0.5", "0.555")
    document.undo()
    assert document.typed(XRDF) is None
    assert not document.is_modified
    document.redo()
    document.redo()
    document.read_typed_text()
    assert labels(document) == ["Open", "Edit text"]
    document.undo()
    assert document.text_as_typed(XRDF) == CLEAN
    document.redo()
    assert document.xrdf_text == CLEAN.replace("0.5", "0.5556")


def test_typed_and_taken_back_leaves_no_step(document: Document) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    document.undo()
    document.type_text(XRDF, BENT)
    document.type_text(XRDF, CLEAN)
    assert labels(document) == ["Open", "Add tool frame hand"]
    assert document.redo_label is not None


def test_a_change_reads_what_was_typed_before_it(document: Document) -> None:
    document.type_text(XRDF, BENT)
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    assert document.typed(XRDF) is None
    assert "elbow: 0.55" in document.xrdf_text
    assert "tool_frames: [tool, hand]" in document.xrdf_text


def test_a_change_of_a_file_whose_typed_text_cannot_be_read_is_refused(document: Document) -> None:
    document.type_text(XRDF, BROKEN)
    with pytest.raises(CannotApply, match="typed for the XRDF cannot be read"):
        document.execute(InsertItem("xrdf.tool_frames", "hand"))
    assert document.text_as_typed(XRDF) == BROKEN
    assert document.robot.xrdf.tool_frames == ("tool",)


def test_discarding_is_a_step_that_undo_takes_back(document: Document) -> None:
    document.type_text(XRDF, BROKEN)
    document.discard_typed(XRDF)
    assert not document.is_modified
    document.undo()
    assert document.text_as_typed(XRDF) == BROKEN


def test_esc_in_a_drag_never_takes_typed_text(document: Document) -> None:
    document.type_text(XRDF, BENT)
    assert not document.abandon()
    assert document.typed(XRDF) == BENT


def test_the_journal_keeps_typed_text_that_makes_sense_or_not(
    document: Document, tmp_path: Path
) -> None:
    for text in (BENT, BROKEN):
        document.type_text(XRDF, text)
        entry = plan_entry(document)()
        assert entry is not None
        assert typed_of(entry) == {XRDF: text}
        again = open_document(tmp_path / "arm.urdf")
        again.restore(texts_of(entry), typed_of(entry), "Restore")
        assert again.text_as_typed(XRDF) == text
        assert again.is_modified


def test_the_journal_file_holds_typed_elements_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    element = '<gazebo reference="upper"><mu1>0.5</mu1></gazebo>'
    document = make_document(tmp_path, urdf=URDF.replace("</robot>", f"{element}</robot>"))
    place = EmbeddedPlace(Home.ROBOT, 0)
    document.type_text(place, element.replace("0.5", "<"))
    assert document.modified_kinds == (FileKind.URDF,)
    journal = Journal(tmp_path / "journal")
    journal.note(plan_entry(document))
    assert journal.flush()
    assert journal.trouble is None
    monkeypatch.setattr("editor_app.core.document.journal.is_alive", lambda pid, started: False)
    [(_, entry)] = orphans(tmp_path / "journal")
    assert typed_of(entry) == {place: element.replace("0.5", "<")}
    journal.close()
    with pytest.raises(TypedFault):
        document.read_typed_text()
    document.type_text(place, element.replace("0.5", "0.6"))
    save_document(document)
    assert "<mu1>0.6</mu1>" in (tmp_path / "arm.urdf").read_text()


def test_an_element_is_not_deleted_by_an_empty_text(tmp_path: Path) -> None:
    element = '<gazebo reference="upper"/>'
    document = make_document(tmp_path, urdf=URDF.replace("</robot>", f"{element}</robot>"))
    document.type_text(EmbeddedPlace(Home.ROBOT, 0), " ")
    with pytest.raises(TypedTextError, match="To delete the element, use the list"):
        save_document(document)
