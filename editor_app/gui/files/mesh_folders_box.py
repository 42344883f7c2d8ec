"""The folders of meshes that are remembered, in the preferences: seen, changed, shared and removed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGroupBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from editor_app.geometry.paths import manifest_name
from editor_app.gui import dialogs
from editor_app.gui.bindings.lists import EmptyWords, add_row, rows_list
from editor_app.gui.files.mesh_folders import MeshFolder, MeshFolders
from editor_app.gui.widgets import STRETCH, PlainLabel, dress, fill

_ALL = "All robots"
_ENTRY = Qt.ItemDataRole.UserRole


class MeshFoldersBox(QGroupBox):
    """Every change takes effect at once, also on the robot that is open."""

    def __init__(self, folders: MeshFolders, parent: QWidget | None = None) -> None:
        super().__init__("Folders with meshes", parent)
        self._folders = folders
        self.tree = rows_list("Folders with meshes", ("Address begins with", "Folder", "Used for"), 1, self)
        self.tree.setMaximumHeight(150)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.empty = EmptyWords(self.tree, "No folders yet: meshes are found by their addresses in the URDF.")
        self.add = self._button("Add…", "A folder that is used for all robots", self._add)
        self.change = self._button("Change…", "Choose another folder", self._change)
        self.share = self._button("For all robots", "Use it before what robots find by themselves", self._share)
        self.remove = self._button("Remove", "Forget it", self._remove)
        hint = PlainLabel(
            "“Locate…” on a missing mesh adds one, for the robots of the same package or folder. Robots elsewhere use "
            "it only for a package that they do not find by themselves. “Add…” names a package, or what addresses "
            "begin with, for all robots."
        )
        dress(hint, look="muted", wrap=True)
        row = fill(QHBoxLayout(), STRETCH)
        for button in (self.add, self.change, self.share, self.remove):
            button.setAutoDefault(False)
            row.addWidget(button)
        fill(QVBoxLayout(self), self.tree, hint, row)
        self.tree.currentItemChanged.connect(self._enable)
        folders.changed.connect(self._fill)
        self._fill()

    def _button(self, text: str, tip: str, run: Callable[[], object]) -> QPushButton:
        return dress(QPushButton(text, self), tip=tip, run=run)

    @property
    def current(self) -> MeshFolder | None:
        item = self.tree.currentItem()
        entry = item.data(0, _ENTRY) if item is not None else None
        return entry if isinstance(entry, MeshFolder) else None

    def _fill(self) -> None:
        self.tree.clear()
        for entry in self._folders.entries:
            whose = _ALL if entry.home is None else f"Robots in {Path(entry.home).name}"
            tips = (entry.prefix, entry.folder, _ALL if entry.home is None else f"The robots in {entry.home}")
            add_row(self.tree, (entry.prefix, entry.folder, whose), entry, dict(enumerate(tips)))
        self._enable()

    def _enable(self, *_: object) -> None:
        entry = self.current
        for button in (self.change, self.remove):
            button.setEnabled(entry is not None)
        self.share.setEnabled(entry is not None and entry.home is not None)

    def _add(self) -> None:
        """Asks for a folder, then for the package or the beginning of addresses that it stands for."""
        folder = dialogs.choose_folder(self, "Folder with meshes", "")
        if not folder:
            return
        question = "Package that the folder is, or what addresses of meshes begin with:"
        name = manifest_name(Path(folder)) or Path(folder).name
        dialogs.ask_text(
            self, "mesh_prefix", "Folder with meshes", question, "Add", name, partial(self._remember, folder)
        )

    def _remember(self, folder: str, prefix: str) -> None:
        if prefix:
            self._folders.remember(prefix.removeprefix("package://").rstrip("/") or prefix, folder)

    def _change(self) -> None:
        entry = self.current
        folder = dialogs.choose_folder(self, f"Folder for {entry.prefix}", entry.folder) if entry is not None else None
        if entry is not None and folder:
            self._folders.change(entry, folder)

    def _share(self) -> None:
        entry = self.current
        if entry is not None:
            self._folders.share(entry)

    def _remove(self) -> None:
        entry = self.current
        if entry is not None:
            self._folders.forget(entry)
