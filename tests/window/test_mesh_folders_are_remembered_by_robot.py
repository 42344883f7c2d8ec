"""A located package counts for the robots beside it first; elsewhere it helps only where nothing
else is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt
from pytestqt.qtbot import QtBot

from editor_app.core.space.geometry.paths import find_home_folder, resolve_mesh_path
from editor_app.window import dialogs
from editor_app.window.preferences.dialog import MeshFoldersBox
from editor_app.window.settings import MeshFolder, MeshFolders
from tests.helpers.windows import open_in, open_window, wait_until
from tests.window.test_window_missing_meshes import URDF, write_stl

MESH = "package://tool/meshes/a.stl"


@pytest.fixture
def store(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


def touch(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def tool(folder: Path) -> Path:
    """A folder with the mesh."""
    touch(folder / "meshes" / "a.stl")
    return folder


def mesh_of(folders: MeshFolders, urdf: Path) -> Path | None:
    return resolve_mesh_path(MESH, urdf, dict(folders.of(urdf)), {})


def test_each_robot_has_its_own_and_the_nearest_counts(store: QSettings, tmp_path: Path) -> None:
    first, second = touch(tmp_path / "one" / "r.urdf"), touch(tmp_path / "two" / "r.urdf")
    old, new = tool(tmp_path / "store" / "v1"), tool(tmp_path / "store" / "v2")
    folders = MeshFolders(store)
    folders.remember("tool", str(old), first)
    folders.remember("tool", str(new), second)
    assert mesh_of(folders, first) == old / "meshes" / "a.stl"
    assert mesh_of(folders, second) == new / "meshes" / "a.stl"
    deeper = touch(tmp_path / "one" / "arm" / "r.urdf")
    assert mesh_of(folders, deeper) == old / "meshes" / "a.stl", (
        "below the folder that it was located for"
    )
    folders.remember("tool", str(new), deeper)
    assert mesh_of(folders, deeper) == new / "meshes" / "a.stl"
    assert mesh_of(folders, first) == old / "meshes" / "a.stl"
    again = MeshFolders(QSettings(store.fileName(), QSettings.Format.IniFormat))
    assert again.entries == folders.entries
    assert len(again.entries) == 3


def test_the_robots_of_one_package_belong_together(store: QSettings, tmp_path: Path) -> None:
    touch(
        tmp_path / "arm_description" / "package.xml",
        "<package><name>arm_description</name></package>",
    )
    left = touch(tmp_path / "arm_description" / "urdf" / "left.urdf")
    right = touch(tmp_path / "arm_description" / "robots" / "right.urdf")
    assert find_home_folder(left) == find_home_folder(right) == tmp_path / "arm_description"
    folders = MeshFolders(store)
    folders.remember("tool", str(tool(tmp_path / "far" / "x")), left)
    assert mesh_of(folders, right) is not None


def test_another_robot_prefers_what_it_finds_by_itself(store: QSettings, tmp_path: Path) -> None:
    folders = MeshFolders(store)
    folders.remember("tool", str(tool(tmp_path / "far" / "x")), touch(tmp_path / "one" / "r.urdf"))
    stranger = touch(tmp_path / "two" / "r.urdf")
    assert mesh_of(folders, stranger) == tmp_path / "far" / "x" / "meshes" / "a.stl", (
        "nothing else is there"
    )
    beside = tool(tmp_path / "two" / "tool")
    assert mesh_of(folders, stranger) == beside / "meshes" / "a.stl"
    (entry,) = folders.entries
    folders.share(entry)
    assert folders.entries == (MeshFolder("tool", str(tmp_path / "far" / "x")),)
    assert mesh_of(folders, stranger) == tmp_path / "far" / "x" / "meshes" / "a.stl", (
        "for all robots, before all else"
    )


def test_addresses_that_are_no_package_are_never_lent(store: QSettings, tmp_path: Path) -> None:
    folders = MeshFolders(store)
    folders.remember("../meshes", str(tmp_path), touch(tmp_path / "one" / "r.urdf"))
    assert folders.of(tmp_path / "two" / "r.urdf") == ()


def test_what_was_remembered_before_counts_for_all_robots(store: QSettings, tmp_path: Path) -> None:
    store.setValue("mesh_folders", '{"tool": "/somewhere"}')
    store.setValue("mesh_folders_by_folder", "{broken")
    assert MeshFolders(store).entries == (MeshFolder("tool", "/somewhere"),)
    assert MeshFolders(store).of(None) == (("tool", Path("/somewhere")),)


def select_first(box: MeshFoldersBox) -> None:
    item = box.tree.topLevelItem(0)
    assert item is not None
    box.tree.setCurrentItem(item)


def test_preferences_show_change_share_and_remove_them(
    qtbot: QtBot, store: QSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = MeshFolders(store)
    folders.remember("tool", "/old", touch(tmp_path / "one" / "r.urdf"))
    box = MeshFoldersBox(folders)
    qtbot.addWidget(box)
    box.show()
    item: Any = box.tree.topLevelItem(0)
    assert [item.text(i) for i in range(3)] == ["tool", "/old", "Robots in one"]
    assert not box.remove.isEnabled()
    box.tree.setCurrentItem(item)
    monkeypatch.setattr(dialogs, "choose_folder", lambda *_: "/new")
    qtbot.mouseClick(box.change, Qt.MouseButton.LeftButton)
    assert [e.folder for e in folders.entries] == ["/new"]
    select_first(box)
    qtbot.mouseClick(box.share, Qt.MouseButton.LeftButton)
    assert [e.home for e in folders.entries] == [None]
    select_first(box)
    assert not box.share.isEnabled()
    qtbot.mouseClick(box.remove, Qt.MouseButton.LeftButton)
    assert folders.entries == ()
    assert box.tree.topLevelItemCount() == 0


def test_removing_one_takes_the_meshes_off_the_open_robot(qapp: Any, tmp_path: Path) -> None:
    urdf = touch(tmp_path / "robot" / "two.urdf", URDF)
    elsewhere = tmp_path / "far" / "away" / "toolshop"
    write_stl(elsewhere / "meshes" / "arm.stl")
    with open_window(tmp_path) as window:
        window.settings.mesh_folders.remember("toolshop", str(elsewhere), urdf)
        open_in(window, urdf)
        wait_until(lambda: not window.meshes.is_loading, 60)
        assert window.meshes.missing == ()
        window.settings.mesh_folders.forget(window.settings.mesh_folders.entries[0])
        wait_until(lambda: len(window.meshes.missing) == 1 and not window.meshes.is_loading, 60)
        assert "1 mesh was not found" in window.central.notice.text
