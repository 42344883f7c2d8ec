"""*Robot › Attach a part*: a file, a link, a place; what comes along is seen, and taken as one
step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox

import editor_app
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind
from editor_app.plugins.assembly.window.attach_dialog import AttachDialog
from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from tests.helpers.gripper import gripper
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import button, menu_action, open_window, settle, wait_until


def shown(window: MainWindow) -> AttachDialog:
    menu_action(window, "Robot", "Attach a part").trigger()
    return next(d for d in window.findChildren(AttachDialog) if d.isVisible())


def rows(dialog: AttachDialog) -> list[str]:
    items = [dialog.list.topLevelItem(i) for i in range(dialog.list.topLevelItemCount())]
    return [f"{item.text(0)}: {item.text(1)}" for item in items if item is not None]


def test_a_gripper_is_attached_as_one_step(
    tmp_path: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    urdf = copy_of_sample(tmp_path / "arm")
    gripper(tmp_path / "hand")
    part = tmp_path / "hand" / "gripper.urdf"
    monkeypatch.setattr(dialogs, "choose_file", lambda *_: str(part))
    with open_window(tmp_path, urdf) as window:
        document = window.session.document
        before = {kind: document.text(kind) for kind in FileKind}
        dialog = shown(window)
        assert not button(dialog, "apply").isEnabled()
        button(dialog, "part").click()
        wait_until(lambda: dialog.attached is not None, 60)
        assert dialog.prefix.text() == "gripper_", "both call a tool hand: a prefix is offered"
        assert "geometry: 5 spheres unchanged" in rows(dialog)
        assert "tool_frames: gripper_tcp" in rows(dialog)
        assert any(row.startswith("virtual_joint: lost") for row in rows(dialog))
        dialog.prefix.setText("g_")
        dialog.link.setCurrentIndex(dialog.link.findData("flange_link"))
        dialog.fields[0].edited.emit(0.05, False)
        assert button(dialog, "apply").isEnabled(), (
            "a click counts while another place is looked at"
        )
        wait_until(lambda: dialog.attached is not None and "tool_frames: g_tcp" in rows(dialog), 60)
        assert not document.is_modified, "looking changes nothing"
        button(dialog, "apply").click()
        wait_until(lambda: document.is_modified, 120)
        settle(window)
        assert not any(d.isVisible() for d in window.findChildren(AttachDialog))
        hung = editor_app.Attachment(
            editor_app.open_robot(part), "flange_link", (0.05, 0.0, 0.0), prefix="g_"
        )
        verb = editor_app.compose(editor_app.open_robot(urdf), [hung])
        assert document.text(FileKind.URDF) == verb.texts[FileKind.URDF]
        assert document.robot.xrdf.ignored_pairs() == verb.robot.xrdf.ignored_pairs()
        assert not window.findChildren(QMessageBox), "no message takes Ctrl+S away from the window"
        told: list[str] = []
        for signal in (window.session.noticed, window.session.refused):
            signal.connect(told.append)
        assert window.registry["robot.detach"].isEnabled()
        assert window.registry["robot.replace"].isEnabled()
        window.session.select(Selection(links=("base_link",)))
        window.registry.trigger("robot.detach")
        wait_until(lambda: told, 60)
        assert "does not belong to an attached part" in told.pop()
        window.session.select(Selection(links=("g_left",)))
        window.registry.trigger("robot.detach")
        wait_until(lambda: told, 60)
        assert told.pop().endswith("The files are the same as before it was attached.")
        assert {kind: document.text(kind) for kind in FileKind} == before
        assert document.undo()
        settle(window)
        assert document.robot.urdf.link("g_left") is not None
        assert document.undo()
        settle(window)
        assert {kind: document.text(kind) for kind in FileKind} == before
        assert not document.is_modified


def test_a_click_on_attach_counts_while_the_part_is_read(tmp_path: Path, qapp: Any) -> None:
    urdf = copy_of_sample(tmp_path / "arm")
    gripper(tmp_path / "hand")
    with open_window(tmp_path, urdf) as window:
        document = window.session.document
        for name in ("robot.detach", "robot.replace"):
            assert not window.registry[name].isEnabled()
            assert "No part was attached" in window.registry[name].toolTip()
        dialog = shown(window)
        dialog.choose(tmp_path / "hand" / "gripper.urdf")
        dialog.link.setCurrentIndex(dialog.link.findData("flange_link"))
        dialog.fields[2].edited.emit(0.03, False)
        button(dialog, "apply").click()
        assert not document.is_modified
        wait_until(lambda: document.is_modified, 120)
        settle(window)
        [joint] = [
            j
            for j in document.robot.urdf.joints
            if j.parent == "flange_link" and j.origin.xyz == (0.0, 0.0, 0.03)
        ]
        assert document.robot.urdf.link(joint.child) is not None
        assert not any(d.isVisible() for d in window.findChildren(AttachDialog))


def test_what_is_no_part_is_told(tmp_path: Path, qapp: Any) -> None:
    urdf = copy_of_sample(tmp_path / "arm")
    (tmp_path / "broken.urdf").write_text("<robot name='x'><link", encoding="utf-8")
    with open_window(tmp_path, urdf) as window:
        dialog = shown(window)
        dialog.choose(tmp_path / "broken.urdf")
        wait_until(lambda: "broken.urdf" in dialog.summary.text(), 60)
        wait_until(lambda: not button(dialog, "apply").isEnabled(), 60)
        dialog.reject()
        settle(window)
