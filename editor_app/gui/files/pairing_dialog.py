"""Asks which robot an XRDF or SRDF belongs to, with the robots whose names fit best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from editor_app.gui import dialogs
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.widgets import dress
from editor_app.operations.pairing import Match

#: Robots that are listed, and missing names that are told.
_MOST_ROWS, _MOST_NAMES = 50, 6
_MATCH = Qt.ItemDataRole.UserRole


class PairingDialog(dialogs.Dialog):
    """`chosen(path)` is called with a URDF, or with None for the robot that is open (whose `Match.urdf` is None)."""

    def __init__(
        self,
        window: QWidget,
        file: Path,
        matches: Sequence[Match],
        chosen: Callable[[Path | None], object],
        open_name: str = "",
    ) -> None:
        super().__init__(window, "pairing", "Which robot?", (760, 380))
        self._file, self._chosen = file, chosen
        heading = dress(PlainLabel(f"Which robot does {file.name} belong to?", self), look="heading", wrap=True)
        self.list = dress(QTreeWidget(self), name="Robots, best first")
        self.list.setColumnCount(3)
        self.list.setHeaderLabels(["Robot", "Names that it has", "Folder"])
        self.list.setRootIsDecorated(False)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for match in matches[:_MOST_ROWS]:
            name = match.urdf.name if match.urdf is not None else f"{open_name} (open now)"
            folder = str(match.urdf.parent) if match.urdf is not None else ""
            item = QTreeWidgetItem([name, match.described(), folder])
            item.setData(0, _MATCH, match)
            item.setToolTip(2, plain(folder))
            self.list.addTopLevelItem(item)
        header = self.list.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        self.missing = dress(PlainLabel("", self), look="muted", wrap=True)
        self.button("&Browse…", "browse", dialogs.Role.ActionRole, self._browse)
        self.open_button = self.button("&Open", "open")
        self.button("&Cancel", "cancel", dialogs.Role.RejectRole)
        self.list.currentItemChanged.connect(lambda *_: self._tell())
        self.list.itemActivated.connect(lambda *_: self.accept())
        self.lay_out(heading, (self.list, 1), self.missing)
        if (best := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(best)
        self._tell()

    def _current(self) -> Match | None:
        item = self.list.currentItem()
        return item.data(0, _MATCH) if item is not None else None

    def _tell(self) -> None:
        match = self._current()
        self.open_button.setEnabled(match is not None)
        if match is None:
            self.missing.setText("No robot was found near it. Browse for its URDF.")
            return
        names = ", ".join(match.missing[:_MOST_NAMES])
        more = f" and {len(match.missing) - _MOST_NAMES} more" if len(match.missing) > _MOST_NAMES else ""
        self.missing.setText(f"Missing in it: {names}{more}." if names else "It has every name.")

    def accept(self) -> None:
        """Takes the robot that is chosen, and closes."""
        match = self._current()
        if match is not None:
            super().accept()
            self._chosen(match.urdf)

    def _browse(self) -> None:
        path = dialogs.choose_file(
            self, f"Which robot does {self._file.name} belong to?", str(self._file.parent), dialogs.URDF_FILTER
        )
        if path:
            super().accept()
            self._chosen(Path(path))
