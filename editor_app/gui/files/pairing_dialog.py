"""Asks which robot an XRDF or SRDF belongs to, with the robots whose names fit best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.gui import dialogs
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.widgets import dress
from editor_app.operations.pairing import Match

#: Robots that are listed, and missing names that are told.
_MOST_ROWS, _MOST_NAMES = 50, 6
_MATCH = Qt.ItemDataRole.UserRole


class PairingDialog(QDialog):
    """`chosen(path)` is called with a URDF, or with None for the robot that is open (whose `Match.urdf` is None)."""

    def __init__(
        self,
        window: QWidget,
        file: Path,
        matches: Sequence[Match],
        chosen: Callable[[Path | None], object],
        open_name: str = "",
    ) -> None:
        super().__init__(window)
        self.setObjectName("pairing")
        self.setWindowTitle("Which robot?")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(760, 380)
        self._file, self._chosen, self._window = file, chosen, window
        heading = dress(_plain(f"Which robot does {file.name} belong to?", self), look="heading")
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
        self.missing = dress(_plain("", self), look="muted")
        buttons = QDialogButtonBox(self)
        self.open_button = dress(QPushButton("&Open", self), id="open")
        self.open_button.setDefault(True)
        browse = dress(QPushButton("&Browse…", self), id="browse")
        cancel = dress(QPushButton("&Cancel", self), id="cancel")
        buttons.addButton(browse, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.open_button, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self._take)
        buttons.rejected.connect(self.reject)
        browse.clicked.connect(self._browse)
        self.list.currentItemChanged.connect(lambda *_: self._tell())
        self.list.itemActivated.connect(lambda *_: self._take())
        layout = QVBoxLayout(self)
        for widget in (heading, self.list, self.missing, buttons):
            layout.addWidget(widget, 1 if widget is self.list else 0)
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

    def _take(self) -> None:
        match = self._current()
        if match is not None:
            self.accept()
            self._chosen(match.urdf)

    def _browse(self) -> None:
        path = dialogs.choose_file(
            self, f"Which robot does {self._file.name} belong to?", str(self._file.parent), dialogs.URDF_FILTER
        )
        if path:
            self.accept()
            self._chosen(Path(path))


def _plain(text: str, parent: QWidget) -> QLabel:
    label = PlainLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
