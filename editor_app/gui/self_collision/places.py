"""Where the cells and labels of the matrix are, in pixels of its viewport."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect

#: Least and greatest width of a cell: what can be read, and what is still one picture.
SMALLEST, GREATEST = 17, 30
#: Bounds of a cell that was zoomed by hand.
TINY, HUGE = 9, 64


@dataclass(slots=True)
class Places:
    """`left` and `top` are the room of the labels, which stay while the cells are scrolled by `x` and `y`."""

    count: int = 0
    left: int = 0
    top: int = 0
    cell: int = SMALLEST
    x: int = 0
    y: int = 0
    #: Zoomed by hand, beside the size that fills the place.
    zoom: float = 1.0

    @property
    def whole(self) -> int:
        """Pixels of all cells."""
        return self.count * self.cell

    def fit(self, width: int, height: int) -> None:
        """Cells as large as all of them can be seen at once, within what is sensible."""
        room = min(width - self.left, height - self.top) - 4
        fitting = max(SMALLEST, min(GREATEST, room // max(1, self.count)))
        self.cell = max(TINY, min(HUGE, round(fitting * self.zoom)))

    def rect(self, row: int, column: int) -> QRect:
        x = self.left + column * self.cell - self.x
        y = self.top + row * self.cell - self.y
        return QRect(x, y, self.cell, self.cell)

    def at(self, point: QPoint) -> tuple[int, int] | None:
        """(row, column) under a point; None beside the cells."""
        if point.x() < self.left or point.y() < self.top:
            return None
        row, column = (point.y() - self.top + self.y) // self.cell, (point.x() - self.left + self.x) // self.cell
        return (row, column) if row < self.count and column < self.count else None

    def label_at(self, point: QPoint) -> int | None:
        """The row whose name stands there, beside the cells or above them."""
        if point.x() < self.left and point.y() >= self.top:
            row = (point.y() - self.top + self.y) // self.cell
        elif point.y() < self.top and point.x() >= self.left:
            row = (point.x() - self.left + self.x) // self.cell
        else:
            return None
        return row if 0 <= row < self.count else None

    def rows_in_view(self, height: int) -> range:
        return self._seen(self.y, height - self.top)

    def columns_in_view(self, width: int) -> range:
        return self._seen(self.x, width - self.left)

    def _seen(self, scrolled: int, room: int) -> range:
        return range(max(0, scrolled // self.cell), min(self.count, (scrolled + max(0, room)) // self.cell + 1))
