"""The names of the obstacles in a list, which costs the same for ten and for ten thousand."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from editor_app.gui.bindings.lists import ReadTable
from editor_app.gui.widgets import icon
from editor_app.model.scene import BoxShape, CylinderShape, MeshShape, Obstacle, Scene, SphereShape

ICONS = {BoxShape: "cube", SphereShape: "circle", CylinderShape: "database", MeshShape: "polygon"}


class _Names(ReadTable[Obstacle]):
    def cell(self, item: Obstacle, column: int, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return item.name
        return icon(ICONS[type(item.shape)]) if role == Qt.ItemDataRole.DecorationRole else None


class ObstacleList(QTableView):
    """A table of one column: a list view lays out every row again where one comes or goes."""

    #: The row that is chosen now, -1 for none.
    row_changed = Signal(int)
    #: The name that was clicked.
    name_clicked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = _Names(("Obstacle",), parent=self)
        self.setModel(self._names)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        self.selectionModel().currentRowChanged.connect(lambda index, _: self.row_changed.emit(index.row()))
        self.clicked.connect(lambda index: self.name_clicked.emit(self.name(index.row())))

    def show_scene(self, scene: Scene) -> None:
        """Its names; the row that is chosen stays, as far as there is one."""
        row, old = self.row, self._names.items
        new = scene.obstacles
        # Places and sizes are not shown: ten thousand rows are not drawn anew for one of them.
        same = len(old) == len(new) and all(map(_is_told_alike, old, new))
        self._names.show(new, lambda one, other: same)
        if not same:
            self.choose(min(max(row, 0), len(scene.obstacles) - 1))

    @property
    def row(self) -> int:
        """The one that is chosen, -1 for none."""
        return self.currentIndex().row()

    def choose(self, row: int) -> None:
        """Chooses a row, and scrolls there."""
        self.setCurrentIndex(self._names.index(row, 0))

    def name(self, row: int) -> str:
        """Of the obstacle in a row."""
        return self._names.items[row].name


def _is_told_alike(one: Obstacle, other: Obstacle) -> bool:
    return one is other or (one.name == other.name and type(one.shape) is type(other.shape))
