"""What other programs read: for each feature of this robot that one of them does not just read, what becomes of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QTreeWidget, QTreeWidgetItem, QWidget

from editor_app.checks.context import CheckContext
from editor_app.checks.readers import SOURCES, Treatment, Use, as_message, sentence, unread, uses
from editor_app.edit.selection import Selection
from editor_app.gui import dialogs
from editor_app.gui.bindings.lists import EmptyWords, add_row, rows_list
from editor_app.gui.icons import severity_icon
from editor_app.gui.session import Session
from editor_app.gui.widgets import PlainLabel, dress, plain
from editor_app.gui.workbench import Workbench
from editor_app.model.counting import counted

_USE = Qt.ItemDataRole.UserRole


class ReadersDialog(dialogs.Dialog):
    """Stays open beside the window and follows the robot; a row selects the joints or links that it is about."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent, "readers", "What other programs read of this robot", (960, 520))
        self._session = session
        heads = ("Feature", "Number", *(profile.program for profile in SOURCES))
        self.list = rows_list("Features", heads, 0, self, numbers=(1,))
        self.empty = EmptyWords(self.list)
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.reasons = dress(PlainLabel(parent=self), wrap=True)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Close)
        self.lay_out(self.summary, (self.list, 1), self.reasons)
        self.list.currentItemChanged.connect(self._tell)
        self.list.itemClicked.connect(self._select)
        session.robot_settled.connect(self.look)
        session.document_opened.connect(self.reject)
        self.look()

    def look(self, *_: object) -> None:
        """Fills the table anew; the row that was current is current again where the robot still has the feature."""
        document, current = self._session.document, self.list.currentItem()
        before = current.data(0, _USE).feature.key if current is not None else ""
        rows = unread(uses(CheckContext(document.robot))) if document is not None else ()
        self.list.clear()
        for use in rows:
            item = _add(self.list, use)
            if use.feature.key == before:
                self.list.setCurrentItem(item)
        self.empty.say("" if rows else "Every program reads all of it")
        features = counted(len(rows), "feature")
        self.summary.setText(f"{features} of this robot that a program does not just read. An empty cell: it is read.")
        if self.list.currentItem() is None and (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)

    # -- inside

    def _tell(self, item: QTreeWidgetItem | None, _: object = None) -> None:
        """All programs' sentences about a row."""
        use: Use | None = item.data(0, _USE) if item is not None else None
        told = [sentence(use, profile) for profile in SOURCES] if use is not None else []
        self.reasons.setText("\n".join(filter(None, told)))

    def _select(self, item: QTreeWidgetItem, _: int = 0) -> None:
        use: Use = item.data(0, _USE)
        if use.feature.of == "joints":
            self._session.select(Selection(joints=use.names))
        elif use.feature.of == "links":
            self._session.select(Selection(links=use.names))


def _add(rows: QTreeWidget, use: Use) -> QTreeWidgetItem:
    facts = [use.feature.fact(profile) for profile in SOURCES]
    words = ["" if fact.treatment is Treatment.READ else str(fact.treatment) for fact in facts]
    number = "" if use.feature.of == "robot" else str(len(use.names))
    item = add_row(rows, (as_message(use.feature.title), number, *words), use)
    for column, (profile, fact) in enumerate(zip(SOURCES, facts, strict=True), 2):
        if fact.treatment is not Treatment.READ:
            item.setIcon(column, severity_icon(fact.severity))
            item.setToolTip(column, plain(sentence(use, profile)))
    return item


def show_readers(workbench: Workbench) -> None:
    ReadersDialog(workbench.session, workbench.qt_window).show()
