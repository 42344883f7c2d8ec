"""All pairs as a list: sorted, filtered, on the same selection as the matrix."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableView, QVBoxLayout, QWidget

from editor_app.edit.selection import Selection
from editor_app.gui.bindings.lists import read_table
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.pair_table import Column, PairFilter, PairTable
from editor_app.gui.widgets import WhenSeen, fill
from editor_app.model.xrdf import LinkPair


class PairListPage(QWidget):
    """A click shows the pair on the robot."""

    menu_requested = Signal(QPoint)

    def __init__(self, controller: MaskController, watch: Callable[[QWidget], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller
        self._mine = False
        self.pairs = PairTable(controller, self)
        self.filter = PairFilter(self.pairs, controller, self)
        self.table = read_table("Link pairs", self, self.filter, self._choose)
        self.table.horizontalHeader().setStretchLastSection(False)
        # Long names give way, so that the numbers are seen without scrolling.
        for column in (Column.FIRST, Column.SECOND):
            self.table.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(Column.STATE, Qt.SortOrder.AscendingOrder)
        self.table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.table.selectionModel().selectionChanged.connect(self._take_selection)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(
            lambda point: self.menu_requested.emit(self.table.viewport().mapToGlobal(point))
        )
        watch(self.table)
        fill(QVBoxLayout(self), self.table, margins=0)
        controller.session.selection_changed.connect(self._follow)
        told_by = (controller.mask_changed, controller.analysis_changed, controller.opinion_changed)
        self._seen = WhenSeen(self, self._catch_up, told_by)
        self.refresh()

    def _catch_up(self) -> None:
        self.refresh()
        self._follow(self._controller.session.selection)

    def refresh(self) -> None:
        """Takes over what is known; columns that would be empty are not there."""
        self.pairs.refresh()
        self.table.setColumnHidden(Column.BESIDE, self._controller.beside is None)
        self.table.setColumnHidden(Column.MESHES, self._controller.opinion is None)
        pairs = self.pairs.items
        self.table.setColumnHidden(Column.CERTIFIED, all(e.certified_clearance is None for e in pairs))
        self.table.setColumnHidden(Column.PROBABILITY, all(e.probability is None for e in pairs))
        self.filter.invalidate()

    def _pair_of(self, row: int) -> LinkPair:
        source = self.filter.mapToSource(self.filter.index(row, 0))
        return self.pairs.items[source.row()].pair

    def _choose(self, row: int) -> None:
        self._controller.show_witness(self._pair_of(row))

    def _take_selection(self, *_: object) -> None:
        if self._mine:
            return
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        current = self.table.currentIndex().row()
        rows.sort(key=lambda row: row == current)
        self._mine = True
        try:
            self._controller.select(self._pair_of(row) for row in rows)
        finally:
            self._mine = False

    def _follow(self, selection: Selection) -> None:
        if self._mine or self._seen.is_due or not selection.pairs:
            return
        for row in range(self.filter.rowCount()):
            if self._pair_of(row) == selection.pairs[-1]:
                self._mine = True
                try:
                    self.table.selectRow(row)
                    self.table.scrollTo(self.filter.index(row, 0))
                finally:
                    self._mine = False
                return
