"""Where the cells and labels of the matrix are, in pixels of its viewport."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect

#: Least and greatest height of a cell: what can be read, and what is still one picture.
SMALLEST, GREATEST = 17, 30
#: Greatest width of a cell: a short name above it, a sign and a number in it.
WIDEST = 112
#: Bounds of a cell that was zoomed by hand.
TINY, HUGE = 9, 64


@dataclass(slots=True)
class Places:
    """`left` and `top` are the room of the labels, which stay while the cells are scrolled by `x` and `y`."""

    count: int = 0
    left: int = 0
    top: int = 0
    #: Height and width of a cell: wider than high where the place has the room.
    cell: int = SMALLEST
    across: int = SMALLEST
    x: int = 0
    y: int = 0
    #: Zoomed by hand, beside the size that fills the place.
    zoom: float = 1.0

    @property
    def whole(self) -> tuple[int, int]:
        """Pixels of all cells: width, height."""
        return self.count * self.across, self.count * self.cell

    def widest(self, width: int) -> int:
        """The width that a cell can have in a place of that width."""
        return min(WIDEST, (width - self.left - 4) // max(1, self.count))

    def fit(self, width: int, height: int) -> None:
        """Cells as large as all of them can be seen at once, within what is sensible."""
        room = min(width - self.left, height - self.top) - 4
        fitting = max(SMALLEST, min(GREATEST, room // max(1, self.count)))
        self.cell = max(TINY, min(HUGE, round(fitting * self.zoom)))
        self.across = max(self.cell, round(self.widest(width) * min(1.0, self.zoom)))

    def rect(self, row: int, column: int) -> QRect:
        x = self.left + column * self.across - self.x
        y = self.top + row * self.cell - self.y
        return QRect(x, y, self.across, self.cell)

    def at(self, point: QPoint) -> tuple[int, int] | None:
        """(row, column) under a point; None beside the cells."""
        if point.x() < self.left or point.y() < self.top:
            return None
        row, column = (point.y() - self.top + self.y) // self.cell, (point.x() - self.left + self.x) // self.across
        return (row, column) if row < self.count and column < self.count else None

    def label_at(self, point: QPoint) -> int | None:
        """The row whose name stands there, beside the cells or above them."""
        if point.x() < self.left and point.y() >= self.top:
            row = (point.y() - self.top + self.y) // self.cell
        elif point.y() < self.top and point.x() >= self.left:
            row = (point.x() - self.left + self.x) // self.across
        else:
            return None
        return row if 0 <= row < self.count else None

    def rows_in_view(self, height: int) -> range:
        return self._seen(self.y, height - self.top, self.cell)

    def columns_in_view(self, width: int) -> range:
        return self._seen(self.x, width - self.left, self.across)

    def _seen(self, scrolled: int, room: int, size: int) -> range:
        return range(max(0, scrolled // size), min(self.count, (scrolled + max(0, room)) // size + 1))
