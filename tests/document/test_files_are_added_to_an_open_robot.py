"""Another XRDF or SRDF is an addition to the document: a step, whose undo brings file, path and
changes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.document import Document
from editor_app.core.document.opening import read_xrdf_file
from editor_app.core.document.saving import save_all, save_document
from editor_app.core.document.state import FileKind
from editor_app.core.document.texts import TypedFault
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.model.robot import CannotApply
from editor_app.core.text.source import SourceText
from tests.helpers.documents import CLEAN

SRDF = (
    '<robot name="arm">\n  <group name="arm"><chain base_link="base" '
    'tip_link="hand"/></group>\n</robot>\n'
)


def test_an_srdf_is_added_and_the_steps_stay(document: Document, tmp_path: Path) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    xrdf = document.robot.xrdf
    (tmp_path / "moveit.srdf").write_text(SRDF)
    document.attach(read_srdf(SourceText.read(tmp_path / "moveit.srdf")))
    assert document.robot.xrdf is xrdf
    assert [revision.label for revision in document.history] == [
        "Open",
        "Add tool frame hand",
        "Open moveit.srdf",
    ]
    assert document.path(FileKind.SRDF) == tmp_path / "moveit.srdf"
    assert document.modified_kinds == (FileKind.XRDF,)
    document.execute(InsertItem("srdf.passive_joints", "elbow"))
    assert list(document.modified_kinds) == [FileKind.XRDF, FileKind.SRDF]
    save_document(document)
    assert '<passive_joint name="elbow"/>' in (tmp_path / "moveit.srdf").read_text()
    for _ in range(3):
        document.undo()
    assert document.robot.srdf is None
    assert document.path(FileKind.SRDF) is None
    assert document.modified_kinds == (FileKind.XRDF,)


def test_undo_of_another_xrdf_brings_the_first_back_with_its_file(
    document: Document, tmp_path: Path
) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    second = tmp_path / "second.xrdf"
    second.write_text(CLEAN.replace("elbow: 0.5", "elbow: 0.7"))
    document.attach(read_xrdf_file(second))
    assert document.xrdf_path == second
    assert not document.is_modified
    document.execute(InsertItem("xrdf.tool_frames", "left"))
    save_all(document)
    assert "tool_frames: [tool, left]" in second.read_text()
    document.undo()
    document.undo()
    assert document.xrdf_path == tmp_path / "arm.xrdf"
    assert document.is_modified
    save_all(document)
    assert "tool_frames: [tool, hand]" in (tmp_path / "arm.xrdf").read_text()
    assert "tool_frames: [tool, left]" in second.read_text()
    document.redo()
    assert document.xrdf_path == second
    assert document.is_modified, "the file on disk has the tool frame left"


def test_a_broken_xrdf_is_mended_by_typing(document: Document, tmp_path: Path) -> None:
    broken = tmp_path / "broken.xrdf"
    broken.write_bytes(b"\xef\xbb\xbf" + CLEAN.replace("[tool]", "[tool").encode())
    document.attach_broken(FileKind.XRDF, SourceText.read(broken))
    assert document.text_as_typed(FileKind.XRDF) == CLEAN.replace("[tool]", "[tool")
    assert not document.is_modified, "that is what is on disk"
    with pytest.raises(CannotApply):
        document.execute(InsertItem("xrdf.tool_frames", "hand"))
    document.type_text(FileKind.XRDF, CLEAN.replace("[tool]", "[tool, "))
    document.discard_typed(FileKind.XRDF)
    assert document.text_as_typed(FileKind.XRDF) == CLEAN.replace("[tool]", "[tool")
    document.type_text(FileKind.XRDF, CLEAN.replace("[tool]", "[hand]"))
    save_document(document)
    assert broken.read_bytes() == b"\xef\xbb\xbf" + CLEAN.replace("[tool]", "[hand]").encode()
    assert document.robot.xrdf.tool_frames == ("hand",)


def test_a_broken_srdf_does_not_keep_the_others_from_being_saved(
    document: Document, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.srdf"
    broken.write_text(SRDF.replace("</group>", ""))
    document.attach_broken(FileKind.SRDF, SourceText.read(broken))
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    save_document(document)
    assert "tool_frames: [tool, hand]" in (tmp_path / "arm.xrdf").read_text()
    assert broken.read_text() == SRDF.replace("</group>", "")
    with pytest.raises(TypedFault):
        document.read_typed_text(FileKind.SRDF)
    document.type_text(FileKind.SRDF, SRDF)
    save_document(document)
    assert broken.read_text() == SRDF
    assert document.robot.srdf is not None
