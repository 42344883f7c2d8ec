"""The names of the obstacles in a list, which costs the same for ten and for ten thousand."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from editor_app.gui.icons import icon
from editor_app.model.scene import BoxShape, CylinderShape, MeshShape, Obstacle, Scene, SphereShape

ICONS = {BoxShape: "cube", SphereShape: "circle", CylinderShape: "database", MeshShape: "polygon"}


class _Names(QAbstractListModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.obstacles: tuple[Obstacle, ...] = ()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.obstacles)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        obstacle = self.obstacles[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return obstacle.name
        return icon(ICONS[type(obstacle.shape)]) if role == Qt.ItemDataRole.DecorationRole else None

    def show(self, obstacles: tuple[Obstacle, ...]) -> bool:
        """False where the same names have the same kinds, and nothing else than what they are called is shown."""
        old, self.obstacles = self.obstacles, obstacles
        if len(old) == len(obstacles) and all(
            a is b or (a.name == b.name and type(a.shape) is type(b.shape)) for a, b in zip(old, obstacles, strict=True)
        ):
            return False
        self.beginResetModel()
        self.endResetModel()
        return True


class ObstacleList(QTableView):
    """A table of one column: a list view lays out every row again where one comes or goes."""

    #: The row that is chosen now, -1 for none.
    row_changed = Signal(int)
    #: The name that was clicked.
    name_clicked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = _Names(self)
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
        row = self.row
        if self._names.show(scene.obstacles):
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
        return self._names.obstacles[row].name
