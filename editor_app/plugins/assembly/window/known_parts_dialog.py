"""Known parts: the URDFs on this machine, searched by name, with pictures that are made while the
list is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem, QWidget

from editor_app.core.tasks.task import Task
from editor_app.core.tasks.worker import JobError
from editor_app.core.verbs.robot_picture import draw_robot
from editor_app.plugins.assembly.verbs.known_parts import KnownPart, known_parts
from editor_app.window import dialogs
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import EmptyWords, lead_down, search_line
from editor_app.window.jobs import Jobs
from editor_app.window.settings import Settings, read_json
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import dress, icon, plain_text

_PICTURE = QSize(128, 96)
#: Twice as many pixels as are shown: smooth on any screen.
_DRAWN = (256, 192)
_KEY = "part_folders"
_PART = Qt.ItemDataRole.UserRole


class KnownPartsDialog(dialogs.Dialog):
    """Calls `take` with the URDF that was chosen."""

    def __init__(
        self, settings: Settings, jobs: Jobs, take: Callable[[Path], object], parent: QWidget
    ) -> None:
        super().__init__(parent, "known_parts", "Known parts", (700, 520))
        self._settings, self._take = settings, take
        self._reading, self._drawing = self.slot(jobs, quiet=True), self.slot(jobs, quiet=True)
        self._pictures: dict[Path, QIcon | None] = {}
        self.filter = search_line("Part", "Name or manufacturer: gripper, panda, ur5", self)
        self.list = dress(QListWidget(self), name="Known parts")
        self.list.setViewMode(QListView.ViewMode.IconMode)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setMovement(QListView.Movement.Static)
        self.list.setUniformItemSizes(True)
        self.list.setWordWrap(True)
        self.list.setIconSize(_PICTURE)
        self.list.setGridSize(QSize(_PICTURE.width() + 24, _PICTURE.height() + 48))
        self.empty = EmptyWords(self.list)
        self.place = ElidedLabel(self)
        self.choose_button = dress(self.button("&Choose", "choose"), icon=icon("check"))
        self.button("Add &folder…", "folder", dialogs.Role.ActionRole, self._add_folder)
        self.lay_out(self.filter, (self.list, 1), self.place)
        lead_down(self.filter, self.list)
        self._seen = after(
            self, self._draw_seen, Wait.TURN, on=(self.list.verticalScrollBar().valueChanged,)
        )
        self.filter.textChanged.connect(self._search)
        self.list.currentItemChanged.connect(self._show_place)
        self.list.itemActivated.connect(self.accept)
        self.finished.connect(self._seen.stop)
        self.look()

    def look(self) -> None:
        """Reads the folders, in a thread."""
        folders = [Path(folder) for folder in self._folders()]
        # What was opened before is known, too: its folder, not what lies below.
        recent = [Path(urdf) for urdf, _ in self._settings.recent]
        self.empty.say("Reading folders…")

        def work(_: object) -> tuple[KnownPart, ...]:
            opened = [
                KnownPart(urdf.stem, urdf.parent.name, urdf)
                for urdf in recent
                if urdf.suffix == ".urdf"
            ]
            parts = known_parts(folders)
            places = {part.urdf for part in parts}
            return (
                *(part for part in opened if part.urdf not in places and part.urdf.is_file()),
                *parts,
            )

        self._reading.run("Reading folders", work, self._show, in_thread=True)

    def accept(self, *_: object) -> None:
        item = self.list.currentItem()
        if item is not None and not item.isHidden():
            super().accept()
            self._take(item.data(_PART).urdf)

    def _show(self, parts: tuple[KnownPart, ...]) -> None:
        self.list.clear()
        blank = icon("robot", "muted")
        for part in parts:
            item = QListWidgetItem(
                self._pictures.get(part.urdf) or blank, f"{part.title}\n{part.family}"
            )
            item.setData(_PART, part)
            item.setToolTip(plain_text(str(part.urdf)))
            self.list.addItem(item)
        self.empty.say("" if parts else "No URDF found. Add a folder")
        self._search(self.filter.text())

    def _search(self, text: str) -> None:
        words = text.lower().split()
        first = None
        for row in range(self.list.count()):
            item = self.list.item(row)
            name = item.text().lower()
            item.setHidden(not all(word in name for word in words))
            first = item if first is None and not item.isHidden() else first
        self.list.setCurrentRow(-1 if first is None else self.list.row(first))
        if first is None and self.list.count():
            self.place.set_text(f"No part named {text}. Add its folder")
        self._seen.start()

    def _show_place(self, item: QListWidgetItem | None, _: object = None) -> None:
        self.choose_button.setEnabled(item is not None)
        self.place.set_text("" if item is None else str(item.data(_PART).urdf))

    def _draw_seen(self) -> None:
        """Has the next picture drawn of what is in sight, one at a time."""
        if self._drawing.is_running:
            return
        area = self.list.viewport().rect()
        for row in range(self.list.count()):
            item = self.list.item(row)
            urdf = item.data(_PART).urdf
            if (
                not item.isHidden()
                and urdf not in self._pictures
                and self.list.visualItemRect(item).intersects(area)
            ):
                self._draw(urdf)
                return

    def _draw(self, urdf: Path) -> None:
        def take(png: bytes) -> None:
            picture = QPixmap()
            picture.loadFromData(png)
            drawn = self._pictures[urdf] = QIcon(picture)
            # The list may have been read anew meanwhile.
            for row in range(self.list.count()):
                if self.list.item(row).data(_PART).urdf == urdf:
                    self.list.item(row).setIcon(drawn)
            self._seen.start()

        def fail(_: JobError) -> None:
            # A robot that cannot be drawn is chosen by its name.
            self._pictures[urdf] = None
            self._seen.start()

        self._drawing.run(
            f"Drawing {urdf.name}",
            Task(draw_robot, urdf, size=_DRAWN, keeps=True),
            take,
            failed=fail,
        )

    def _folders(self) -> list[str]:
        return [
            folder
            for folder in read_json(self._settings.store, _KEY, [])
            if isinstance(folder, str)
        ]

    def _add_folder(self) -> None:
        folder = dialogs.choose_folder(self, "A folder with robots", "")
        if folder:
            self._settings.store.setValue(
                _KEY, json.dumps(list(dict.fromkeys([*self._folders(), folder])))
            )
            self.look()
