"""What the dialogs share that change a mask: pairs of links under headings, each with a tick, and one button."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.self_collision.controller import MaskController
from editor_app.model.xrdf import LinkPair

_PAIR = int(Qt.ItemDataRole.UserRole)


class PairsDialog(QDialog):
    """Not modal: the robot can be looked at meanwhile; a click beside a pair's tick shows the pair on the robot.

    A subclass lists the pairs in `_fill`, keeps a tick in `_tick`, says in `_count` what the ticks come to, and does
    it in `_take`; it calls `refresh` when it is made.
    """

    def __init__(
        self, controller: MaskController, title: str, columns: Sequence[str], button: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        # Of what was looked at when the dialog came: another file has another mask.
        self._file = controller.file
        self._filling = False
        self.setWindowTitle(title)
        self.summary = PlainLabel(parent=self)
        self.summary.setWordWrap(True)
        self.tree = QTreeWidget(self)
        self.tree.setHeaderLabels(columns)
        for column in range(len(columns) - 1):
            self.tree.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.itemChanged.connect(self._on_tick)
        self.tree.itemClicked.connect(self._on_click)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.take_button = self.buttons.addButton(button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.take_button.setDefault(True)
        self.buttons.accepted.connect(self._take)
        self.buttons.rejected.connect(self.reject)
        #: Room for what a subclass offers to choose, above the buttons.
        self.choices = QVBoxLayout()
        layout = QVBoxLayout(self)
        layout.addWidget(self.summary)
        layout.addWidget(self.tree, 1)
        layout.addLayout(self.choices)
        layout.addWidget(self.buttons)
        controller.analysis_changed.connect(self.refresh)
        controller.mask_changed.connect(self.refresh)
        controller.session.document_opened.connect(self.reject)

    def refresh(self, *_: object) -> None:
        """Lists the pairs as they are now."""
        if self._controller.file is not self._file or self._controller.session.robot is None:
            self.reject()
            return
        self._filling = True
        self.tree.clear()
        self._fill()
        self._filling = False
        self._count()

    # -- for subclasses

    def _fill(self) -> None:
        raise NotImplementedError

    def _tick(self, pair: LinkPair, ticked: bool) -> None:
        raise NotImplementedError

    def _count(self, *_: object) -> None:
        raise NotImplementedError

    def _take(self) -> None:
        raise NotImplementedError

    def _heading(self, title: str, number: int) -> QTreeWidgetItem:
        head = QTreeWidgetItem(self.tree, [f"{title} ({number})"])
        head.setFirstColumnSpanned(True)
        head.setExpanded(True)
        return head

    def _line(self, head: QTreeWidgetItem, pair: LinkPair, texts: Sequence[str], *, ticked: bool) -> QTreeWidgetItem:
        """A line for `pair`; the last of `texts` may be long and is its tool tip as well."""
        item = QTreeWidgetItem(head, list(texts))
        item.setToolTip(len(texts) - 1, plain(texts[-1]))
        item.setData(0, _PAIR, pair)
        item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        return item

    def _pairs(self) -> Iterator[tuple[LinkPair, bool]]:
        """Each pair that is listed, and whether it is ticked."""
        for i in range(self.tree.topLevelItemCount()):
            head = self.tree.topLevelItem(i)
            for k in range(head.childCount() if head is not None else 0):
                item = head.child(k) if head is not None else None
                if item is not None:
                    yield item.data(0, _PAIR), item.checkState(0) == Qt.CheckState.Checked

    # -- inside

    def _on_tick(self, item: QTreeWidgetItem, column: int) -> None:
        pair = item.data(0, _PAIR)
        if not self._filling and pair is not None:
            self._tick(pair, item.checkState(0) == Qt.CheckState.Checked)
            self._count()

    def _on_click(self, item: QTreeWidgetItem, column: int) -> None:
        pair = item.data(0, _PAIR)
        if pair is not None and column > 0:
            self._controller.select((pair,))
            self._controller.show_witness(pair)
