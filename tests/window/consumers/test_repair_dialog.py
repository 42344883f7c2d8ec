"""The Robot menu's *Fix for another program*: shown first, then one step; the bytes of the verb and
the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document.state import FileKind
from editor_app.core.model.profile import Profile
from editor_app.plugins.consumers.window.robot_dialogs import RepairDialog
from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from tests.helpers.curobo import URDF, XRDF
from tests.helpers.windows import button, menu_action, open_window, settle, wait_until

BROKEN = URDF.replace('effort="50" velocity="2"', 'effort="0" velocity="0"').replace(
    "j1", "j&lt;b&gt;1"
)


def shown(window: MainWindow) -> RepairDialog:
    menu_action(window, "Robot", "Fix for another program").trigger()
    dialog = next(d for d in window.findChildren(RepairDialog) if d.isVisible())
    wait_until(lambda: dialog.repaired is not None, 60)
    return dialog


def rows(dialog: RepairDialog) -> list[str]:
    items = [dialog.list.topLevelItem(i) for i in range(dialog.list.topLevelItemCount())]
    return [" | ".join(item.text(c) for c in range(3)) for item in items if item is not None]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    urdf, xrdf = tmp_path / "robot.urdf", tmp_path / "robot.xrdf"
    urdf.write_text(BROKEN, encoding="utf-8")
    xrdf.write_text(XRDF.replace("j1", "'j<b>1'"), encoding="utf-8")
    return urdf, xrdf


def test_window_verb_and_command_leave_the_same_bytes(
    files: tuple[Path, Path], tmp_path: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = editor_app.open_robot(*files)
    verb = editor_app.repair(robot)
    assert run_command("repair", [*map(str, files), "-o", str(tmp_path / "out")]) == 0
    vendor = tmp_path / "vendor.urdf"
    vendor.write_text(URDF.replace("j1", "j&lt;b&gt;1"), encoding="utf-8")
    before = [path.read_bytes() for path in files]
    with open_window(tmp_path, files[0]) as window:
        document = window.session.document
        dialog = shown(window)
        assert any("j<b>1" in row and "invented" in row for row in rows(dialog))
        monkeypatch.setattr(dialogs, "choose_file", lambda *_: str(vendor))
        button(dialog, "vendor").click()
        wait_until(lambda: dialog.repaired is not None and not dialog.repaired.invented, 60)
        assert any("manufacturer's URDF" in row for row in rows(dialog))
        dialog.reject()
        assert not document.is_modified, "looking changes nothing"

        dialog = shown(window)
        button(dialog, "apply").click()
        settle(window)
        assert document.text(FileKind.URDF) == verb.texts[FileKind.URDF]
        assert document.text(FileKind.URDF) == (tmp_path / "out" / "robot.urdf").read_text(
            encoding="utf-8"
        )
        assert document.profile is Profile.CUROBO
        assert not [f for f in window.session.findings if f.code.startswith("XRDF9")]
        assert document.undo()
        settle(window)
        assert not document.is_modified
    assert [path.read_bytes() for path in files] == before


def test_a_sound_robot_has_nothing_to_mend(tmp_path: Path, qapp: Any) -> None:
    (tmp_path / "robot.urdf").write_text(URDF, encoding="utf-8")
    (tmp_path / "robot.xrdf").write_text(XRDF, encoding="utf-8")
    with open_window(tmp_path, tmp_path / "robot.urdf") as window:
        dialog = shown(window)
        assert rows(dialog) == []
        assert not button(dialog, "apply").isEnabled()
        assert "without a known error" in dialog.summary.text()
        dialog.reject()
