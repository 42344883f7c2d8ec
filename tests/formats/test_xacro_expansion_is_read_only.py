"""A URDF that came out of a xacro file is held in memory: it is refused to be edited, until it is
saved as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.commands.urdf import SetMeshPath
from editor_app.core.document.commands.urdf_robot import SetRobot
from editor_app.core.document.document import Document
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.journal import JournalEntry, plan_entry, texts_of
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import changed_on_disk, save_all, save_expansion_as
from editor_app.core.document.state import FileKind
from editor_app.core.formats.urdf.xacro import expand_xacro
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.urdf import Mesh
from editor_app.core.text.source import FormatError, SourceText
from tests.helpers.documents import CLEAN, URDF

MESH = '<visual><geometry><mesh filename="meshes/base.stl"/></geometry></visual>'


def opened(folder: Path) -> Document:
    """The small robot as xacro, expanded and opened."""
    text = URDF.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ', 1)
    text = text.replace(
        '<link name="base"/>',
        f'<xacro:arg name="n" default="base"/><link name="$(arg n)">{MESH}</link>',
    )
    (folder / "arm.urdf.xacro").write_text(text)
    (folder / "meshes").mkdir()
    (folder / "meshes" / "base.stl").write_bytes(b"")
    source = folder / "arm.urdf.xacro"
    expanded = expand_xacro(source)
    assert expanded.path is not None
    return open_document(expanded, expansion=Expansion.of(source, expanded.path, {}, ()))


def test_commands_of_the_urdf_are_refused_with_the_way_out(tmp_path: Path) -> None:
    document = opened(tmp_path)
    sentence = "This URDF was expanded from arm.urdf.xacro: save it as a URDF to edit it."
    with pytest.raises(CannotApply, match="^" + sentence):
        document.execute(SetRobot(name="other"))
    with pytest.raises(FormatError) as refused:
        document.replace_texts(
            {FileKind.URDF: document.urdf_text.replace("arm", "leg")}, "Edit text"
        )
    assert refused.value.fix == "Save it as a URDF to edit it."
    assert len(document.history) == 1
    assert not (tmp_path / "arm.urdf").exists()


def test_the_xrdf_beside_the_xacro_is_opened_edited_and_saved(tmp_path: Path) -> None:
    (tmp_path / "arm.xrdf").write_text(CLEAN)
    # What an earlier version of the source was saved as is another file.
    (tmp_path / "arm.urdf").write_text("<robot name='old'><link name='a'/></robot>")
    document = opened(tmp_path)
    assert document.xrdf_path == tmp_path / "arm.xrdf"
    assert document.path(FileKind.URDF) is None
    assert not changed_on_disk(document, FileKind.URDF)
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    document.undo()
    document.redo()
    assert document.modified_kinds == (FileKind.XRDF,)
    assert save_all(document) == (tmp_path / "arm.xrdf",)
    assert "old" in (tmp_path / "arm.urdf").read_text()
    assert not document.is_modified


def test_saving_it_as_a_urdf_makes_it_an_ordinary_one_with_all_its_steps(tmp_path: Path) -> None:
    document = opened(tmp_path)
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    told: list[object] = []
    document.subscribe(told.append)
    target = save_expansion_as(document, tmp_path / "mine.urdf")
    assert told
    assert document.expansion is None
    assert document.urdf_path == document.path(FileKind.URDF) == target
    assert target.read_text() == document.urdf_text
    assert not changed_on_disk(document, FileKind.URDF)
    assert not document.is_kind_modified(FileKind.URDF)
    assert document.xrdf_path == tmp_path / "mine.xrdf", "a draft stands beside its robot"
    document.execute(SetRobot(name="other"))
    assert document.modified_kinds == (FileKind.XRDF, FileKind.URDF)
    save_all(document)
    assert open_document(target).robot == document.robot
    while document.undo():
        assert document.urdf_path == target
    assert document.robot.urdf.name == "arm"


def test_meshes_are_found_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    document = opened(tmp_path / "a")
    save_expansion_as(document, tmp_path / "b" / "arm.urdf")
    base = document.robot.urdf.link("base")
    assert base is not None
    mesh = base.visuals[0].geometry
    assert isinstance(mesh, Mesh)
    assert mesh.filename == (tmp_path / "a" / "meshes" / "base.stl").as_uri()
    assert open_document(tmp_path / "b" / "arm.urdf").robot.urdf == document.robot.urdf
    document.execute(SetMeshPath(mesh.filename, "x.stl"))
    assert document.undo()


def test_the_journal_brings_it_back_without_evaluating_it_again(tmp_path: Path) -> None:
    document = opened(tmp_path)
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    entry = plan_entry(document)()
    assert isinstance(entry, JournalEntry)
    assert entry.expansion is not None
    assert entry.expanded is not None
    assert entry.urdf is not None
    expansion = Expansion.from_json(entry.expansion)
    assert expansion == document.expansion
    (tmp_path / "arm.urdf.xacro").write_text("broken")
    again = open_document(
        SourceText.from_text(entry.expanded, Path(entry.urdf)), expansion=expansion
    )
    again.replace_texts(texts_of(entry), "Restore unsaved work")
    assert again.robot == document.robot
    assert expansion is not None
    assert expansion.changed() == (tmp_path / "arm.urdf.xacro",)
    with pytest.raises(CannotApply):
        again.execute(SetRobot(name="other"))
