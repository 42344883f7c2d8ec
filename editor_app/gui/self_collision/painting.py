"""How a cell of the matrix is drawn: its colour, its signs and corners; and what a row is called."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPen

from editor_app.gui.self_collision.cells import Cell
from editor_app.gui.self_collision.grouping import NOTHING_SHARED, Row
from editor_app.gui.self_collision.looks import SIGNS, ColourBy, cell_number, ink_on
from editor_app.gui.theme import colours
from editor_app.self_collision.masks import MaskState
from editor_app.self_collision.results import PairClass

#: Width of a cell that has room for a number beside its sign.
_NUMBERED = 52
#: Pixels of the corners that say "ignored".
CORNER = 6


def paint_cell(
    painter: QPainter,
    rect: QRect,
    cell: Cell,
    shown: Cell,
    colour: QColor,
    *,
    second: bool,
    by: ColourBy = ColourBy.CLEARANCE,
) -> None:
    """`shown` is what the colour and the sign are of: the cell itself, or the second opinion on it.

    A wide cell says the number that its colour stands for as well.
    """
    now = colours()
    faint = shown.worst.kind is PairClass.ADJACENT and not cell.is_conflict
    if faint:
        colour = QColor(now.window)
    painter.fillRect(rect, colour)
    ink = QColor(now.muted) if faint else ink_on(colour)
    if cell.stale:
        hatch(painter, rect, ink)
    if cell.state is MaskState.IGNORED:
        ignored_corner(painter, rect, QColor(now.muted))
    if cell.beside:
        beside_corner(painter, rect, QColor(now.muted) if faint else ink)
    text = SIGNS[shown.worst.kind] if shown.count == 1 else str(cell.conflicts or cell.count)
    if cell.is_conflict and not second:
        text = "!" if cell.count == 1 else text
        frame = QColor(now.muted if cell.left else now.error)
        conflict_frame(painter, rect, frame)
        if cell.hidden:
            hidden_corner(painter, rect, frame, ink_on(frame))
    # Below the corner, which would cut a number of two digits.
    lower = 2 if cell.state is MaskState.IGNORED and len(text) > 1 else 0
    place = rect.translated(0, lower)
    if shown.count == 1 and not faint and rect.width() >= _NUMBERED:
        text = f"{text} {cell_number(shown.worst, by)}".strip()
        # Between the corners of both sides.
        place = rect.adjusted(CORNER, 0, -_side(rect), 0)
    sign(painter, place, text, ink, bold=cell.is_conflict)


def hatch(painter: QPainter, rect: QRect, ink: QColor) -> None:
    """The robot was edited since."""
    painter.fillRect(rect, QBrush(ink, Qt.BrushStyle.BDiagPattern))


def ignored_corner(painter: QPainter, rect: QRect, colour: QColor) -> None:
    """A corner cut off: the mask leaves the pair out of the check."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    corner = rect.topRight()
    painter.drawPolygon([corner, corner - QPoint(CORNER, 0), corner + QPoint(0, CORNER)])


def hidden_corner(painter: QPainter, rect: QRect, colour: QColor, ink: QColor) -> None:
    """A struck corner, larger than a pair has that is rightly ignored: a possible collision is hidden."""
    side = _side(rect)
    corner = rect.topRight()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon([corner, corner - QPoint(side, 0), corner + QPoint(0, side)])
    painter.setPen(QPen(ink, 1))
    painter.drawLine(corner + QPoint(-side * 3 // 5, 1), corner + QPoint(-1, side * 3 // 5))


def _side(rect: QRect) -> int:
    """Pixels of the struck corner: as much as the sign of a square cell leaves, more in a wide one."""
    return max(min(rect.width(), rect.height()) * 3 // 5, min(rect.width() // 3, rect.height() * 4 // 5))


def beside_corner(painter: QPainter, rect: QRect, colour: QColor) -> None:
    """An open corner at the bottom: the other file leaves the pair out."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1))
    corner = rect.bottomLeft() + QPoint(1, -1)
    painter.drawPolygon([corner, corner - QPoint(0, CORNER - 1), corner + QPoint(CORNER - 1, 0)])


def conflict_frame(painter: QPainter, rect: QRect, colour: QColor) -> None:
    painter.setPen(QPen(colour, 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect.adjusted(1, 1, -1, -1))


def sign(painter: QPainter, rect: QRect, text: str, ink: QColor, *, bold: bool = False) -> None:
    painter.setFont(_fitting(painter.font().family(), bold, text, rect.width() - 3))
    painter.setPen(ink)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


@lru_cache(maxsize=1024)
def _fitting(family: str, bold: bool, text: str, room: int) -> QFont:
    """The largest font in which the numbers of neighbouring cells stay apart."""
    fonts = [_font(family, bold, pixels) for pixels in (12, 11, 10, 9, 8, 7)]
    return next((font for font in fonts if QFontMetrics(font).horizontalAdvance(text) <= room), fonts[-1])


@lru_cache(maxsize=16)
def _font(family: str, bold: bool, pixels: int) -> QFont:
    font = QFont(family)
    font.setBold(bold)
    font.setPixelSize(pixels)
    return font


def row_text(row: Row, shared: tuple[str, str] = NOTHING_SHARED, *, unfold: bool = False) -> str:
    """The name of a row, with a mark that it holds others, or (under the pointer) that it could."""
    label = row.label_without(shared)
    if row.is_collapsed:
        return f"▸ {label}"
    return f"▾ {label}" if (unfold or row.was_opened) and row.has_children else label
