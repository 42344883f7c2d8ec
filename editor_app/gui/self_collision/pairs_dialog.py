"""What the dialogs share that change a mask: pairs of links under headings, each with a tick, and one button."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QDialogButtonBox, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from editor_app.gui.bindings.lists import DistinctCells, EmptyWords
from editor_app.gui.dialogs import Dialog
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.widgets import PlainLabel, dress, icon, plain
from editor_app.model.xrdf import LinkPair

_PAIR = int(Qt.ItemDataRole.UserRole)


@dataclass(frozen=True, slots=True)
class PairLine:
    """A pair in the list; the last of `texts` may be long and is its tool tip as well."""

    pair: LinkPair
    texts: tuple[str, ...]
    ticked: bool
    is_conflict: bool = False
    #: What is not possible is shown, and cannot be ticked.
    is_possible: bool = True


@dataclass(frozen=True, slots=True)
class PairSection:
    """Lines under a heading; without lines there is no heading."""

    title: str
    lines: tuple[PairLine, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What the ticks come to, in a sentence, and whether the button does anything."""

    text: str
    can_take: bool


class PairsDialog(Dialog):
    """What derives from it says which pairs are listed, and what ticks and `accept` do; it calls `refresh` when made.

    The robot can be looked at meanwhile; a click beside a pair's tick shows the pair on the robot. The dialog closes
    when the robot or the file that it is about is no more.
    """

    def __init__(
        self,
        controller: MaskController,
        name: str,
        title: str,
        size: tuple[int, int],
        columns: Sequence[str],
        button: tuple[str, str],
        parent: QWidget | None = None,
    ) -> None:
        """`button`: text and name of the button that does it."""
        super().__init__(parent, name, title, size)
        self._controller = controller
        # Of what was looked at when the dialog came: another file has another mask.
        self._file = controller.file
        self._filling = False
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.tree = QTreeWidget(self)
        self.tree.setHeaderLabels(columns)
        self.tree.setItemDelegateForColumn(0, DistinctCells(self.tree))
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.viewport().installEventFilter(self)
        EmptyWords(self.tree, "No pair changes.")
        self.tree.itemChanged.connect(self._on_tick)
        self.tree.itemClicked.connect(self._on_click)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.take_button = self.button(*button)
        #: Room for what a dialog offers to choose, above the buttons.
        self.choices = QVBoxLayout()
        self.lay_out(self.summary, (self.tree, 1), self.choices)
        controller.analysis_changed.connect(self.refresh)
        controller.mask_changed.connect(self.refresh)
        controller.session.document_opened.connect(self.reject)

    def sections(self) -> Iterable[PairSection]:
        """The pairs."""
        raise NotImplementedError

    def tick(self, pair: LinkPair, ticked: bool) -> None:
        """Somebody ticked a pair, or took the tick away."""
        raise NotImplementedError

    def summed_up(self) -> Summary:
        """What the ticks come to."""
        raise NotImplementedError

    def refresh(self, *_: object) -> None:
        """Lists the pairs as they are now."""
        if self._controller.file is not self._file or self._controller.session.robot is None:
            self.reject()
            return
        self._filling = True
        self.tree.clear()
        for section in self.sections():
            self._list(section)
        self._filling = False
        self._share_width()
        self.summarise()

    def set_tab_order(self, choices: Sequence[QWidget]) -> None:
        """Tab goes from the pairs through the `choices` to the buttons, as they stand below each other."""
        at: QWidget = self.tree
        for widget in (*choices, *self.buttons.buttons()):
            self.setTabOrder(at, widget)
            at = widget

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.tree.viewport():
            self._share_width()
        return super().eventFilter(watched, event)

    def summarise(self, *_: object) -> None:
        """Says what the ticks come to now."""
        summary = self.summed_up()
        self.summary.setText(summary.text)
        self.take_button.setEnabled(summary.can_take)

    def pairs(self) -> Iterator[tuple[LinkPair, bool]]:
        """Each pair that is listed, and whether it is ticked."""
        for i in range(self.tree.topLevelItemCount()):
            head = self.tree.topLevelItem(i)
            for k in range(head.childCount() if head is not None else 0):
                item = head.child(k) if head is not None else None
                if item is not None:
                    yield item.data(0, _PAIR), item.checkState(0) == Qt.CheckState.Checked

    # -- inside

    def _share_width(self) -> None:
        """Columns as wide as their texts, while the last one keeps a third; what is cut is in the tooltip."""
        header, last = self.tree.header(), self.tree.columnCount() - 1
        room = self.tree.viewport().width()
        least = min(self.tree.sizeHintForColumn(last), room // 3)
        for column in reversed(range(last)):
            if not header.isSectionHidden(column):
                width = max(self.tree.sizeHintForColumn(column), header.sectionSizeHint(column))
                # A reason is short; the pair takes what it leaves.
                width = min(width, room - least if column == 0 else room // 4)
                header.resizeSection(column, width)
                room -= width

    def _list(self, section: PairSection) -> None:
        if not section.lines:
            return
        head = QTreeWidgetItem(self.tree, [f"{section.title} ({len(section.lines)})"])
        head.setFirstColumnSpanned(True)
        head.setExpanded(True)
        for line in section.lines:
            last = len(line.texts) - 1
            item = QTreeWidgetItem(head, list(line.texts))
            for column, text in enumerate(line.texts):
                item.setToolTip(column, plain(text))
            item.setData(0, _PAIR, line.pair)
            item.setCheckState(0, Qt.CheckState.Checked if line.ticked else Qt.CheckState.Unchecked)
            if line.is_conflict:
                item.setIcon(last, icon("warning-circle", "error"))
            item.setDisabled(not line.is_possible)

    def _on_tick(self, item: QTreeWidgetItem, column: int) -> None:
        pair = item.data(0, _PAIR)
        if not self._filling and pair is not None:
            self.tick(pair, item.checkState(0) == Qt.CheckState.Checked)
            self.summarise()

    def _on_click(self, item: QTreeWidgetItem, column: int) -> None:
        pair = item.data(0, _PAIR)
        if pair is not None and column > 0:
            self._controller.select((pair,))
            self._controller.show_witness(pair)
