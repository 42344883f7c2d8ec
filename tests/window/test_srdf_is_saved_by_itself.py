"""The SRDF alone: a new one, saved under a name of one's own, with the other files left as they
are."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.commands.srdf_parts import NewSrdf
from editor_app.core.document.state import FileKind
from editor_app.core.model.srdf import Group
from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import settle


def test_a_new_srdf_by_the_menu_can_be_undone(window: MainWindow) -> None:
    registry, session = window.registry, window.session
    registry.refresh()
    assert not registry["file.save_srdf_as"].isEnabled()
    registry.trigger("file.new_srdf")
    assert session.robot.srdf is not None
    registry.refresh()
    assert not registry["file.new_srdf"].isEnabled()
    assert registry["file.save_srdf_as"].isEnabled()
    session.undo()
    assert session.robot.srdf is None


def test_it_is_saved_where_one_says_and_nothing_else_is(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = window.session
    assert session.execute(NewSrdf())
    assert session.execute(InsertItem("srdf.groups", Group("arm", chains=(("base", "hand"),))))
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    target = tmp_path / "other" / "planning.srdf"
    target.parent.mkdir()
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(target.with_suffix("")))
    window.registry.trigger("file.save_srdf_as")
    settle(window)
    document = session.document
    assert document.srdf_path == target
    assert target.read_text() == document.srdf_text
    assert '<chain base_link="base" tip_link="hand"/>' in target.read_text()
    assert FileKind.SRDF not in document.modified_kinds
    assert {path: path.read_bytes() for path in before} == before
    # From now on, saving writes there.
    assert session.execute(InsertItem("srdf.groups", Group("gripper", joints=("finger_joint",))))
    assert window.files.save()
    assert 'name="gripper"' in target.read_text()


def test_a_folder_that_is_gone_is_told(window: MainWindow, tmp_path: Path) -> None:
    failures: list[tuple[str, str, str]] = []
    window.files.failed.disconnect()
    window.files.failed.connect(lambda *told: failures.append(told))
    assert window.session.execute(NewSrdf())
    assert not window.files.save_srdf_as(tmp_path / "gone" / "x.srdf")
    assert failures
    assert "gone does not exist" in failures[0][1]
