"""What an import or export would do, item by item, before it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.formats.conversion.files import CannotConvert, Conversion, NeedsChoice, Options
from editor_app.formats.conversion.report import Fate
from editor_app.formats.source import FormatError
from editor_app.gui.icons import icon

_SIGNS = {
    Fate.TAKEN: ("check", "text"),
    Fate.TRANSLATED: ("arrows-left-right", "text"),
    Fate.KEPT: ("archive", "muted"),
    Fate.LOST: ("warning", "warning"),
}
#: Option -> what it is called.
_TITLES = {
    "group": "Group",
    "state": "State",
    "link": "Link of the spheres",
    "robot": "Robot of the file",
    "curobo_version": "cuRobo version",
    "tesseract": "Written for",
}


class ConversionDialog(QDialog):
    """`conversion` is what would be done with the present choices, None when it cannot be."""

    def __init__(
        self,
        parent: QWidget | None,
        title: str,
        verb: str,
        convert: Callable[[Options], Conversion],
        options: Options,
        choices: Mapping[str, Sequence[tuple[str, Any]]],
    ) -> None:
        super().__init__(parent)
        self.setObjectName("conversion")
        self.setWindowTitle(title)
        self.resize(760, 520)
        self._convert = convert
        self._options = options
        self.conversion: Conversion | None = None
        layout = QVBoxLayout(self)
        form = QFormLayout()
        self.boxes: dict[str, QComboBox] = {}
        for name, values in choices.items():
            box = QComboBox()
            box.setAccessibleName(_TITLES[name])
            for text, value in values:
                box.addItem(text, value)
            box.activated.connect(self.recalculate)
            self.boxes[name] = box
            form.addRow(_TITLES[name], box)
        layout.addLayout(form)
        self.summary = QLabel()
        self.summary.setWordWrap(True)
        layout.addWidget(self.summary)
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderLabels(["Item", "What becomes of it"])
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.setAccessibleName("Report of the conversion")
        self.tree.setWordWrap(True)
        self.tree.setUniformRowHeights(False)
        layout.addWidget(self.tree, 1)
        self.files = QLabel()
        self.files.setWordWrap(True)
        self.files.setProperty("muted", True)
        layout.addWidget(self.files)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setIcon(QIcon())
        self.accept_button = buttons.addButton(verb, QDialogButtonBox.ButtonRole.AcceptRole)
        self.accept_button.setObjectName("do")
        self.accept_button.setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.recalculate()

    def recalculate(self, *_: object) -> None:
        """Converts again with what is chosen."""
        chosen: dict[str, Any] = {name: box.currentData() for name, box in self.boxes.items()}
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            self.conversion = self._convert(replace(self._options, **chosen))
        except (FormatError, NeedsChoice, CannotConvert, ValueError, OSError) as error:
            self.conversion = None
            self._show_nothing(str(error))
            return
        finally:
            QGuiApplication.restoreOverrideCursor()
            self.accept_button.setEnabled(self.conversion is not None)
        self._show(self.conversion)

    def _show_nothing(self, reason: str) -> None:
        self.tree.clear()
        self.summary.setText(reason)
        self.files.setText("")

    def _show(self, conversion: Conversion) -> None:
        self.tree.clear()
        total = {fate: sum(len(r.of(fate)) for r in conversion.reports) for fate in Fate}
        self.summary.setText(", ".join(f"{number} {fate}" for fate, number in total.items() if number) or "Nothing")
        for fate in reversed(Fate):
            entries = [(r, e) for r in conversion.reports for e in r.of(fate)]
            if not entries:
                continue
            head = QTreeWidgetItem([f"{str(fate).capitalize()} ({len(entries)})"])
            head.setIcon(0, icon(*_SIGNS[fate]))
            self.tree.addTopLevelItem(head)
            for report, entry in entries:
                item = QTreeWidgetItem([entry.item, entry.detail])
                item.setToolTip(1, f"{report.source} → {report.target}: {entry.detail or entry.item}")
                head.addChild(item)
            head.setExpanded(True)
        names = [str(path) for path, _ in conversion.files[:4]]
        more = f" and {len(conversion.files) - 4} more" if len(conversion.files) > 4 else ""
        notes = "".join(f"\n{note}" for note in conversion.notes)
        self.files.setText((f"Files: {', '.join(names)}{more}" if self.shows_files else "") + notes)

    #: Whether the files of the conversion will be written.
    shows_files = True
