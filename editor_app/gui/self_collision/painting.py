"""Draws the matrix: cells with their colours and signs, names beside and above them."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QWidget

from editor_app.gui.bindings.elision import DistinctNames
from editor_app.gui.self_collision.cells import Cell
from editor_app.gui.self_collision.grouping import NOTHING_SHARED, Row
from editor_app.gui.self_collision.looks import (
    FULL,
    SIGNS,
    ColourBy,
    cell_colour,
    cell_number,
    clearance_colour,
    ink_on,
)
from editor_app.gui.self_collision.places import Places
from editor_app.gui.theme import colours
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision.masks import MaskState
from editor_app.self_collision.results import PairClass

#: Width of a cell that has room for a number beside its sign.
_NUMBERED = 52
#: Pixels of the corners that say "ignored".
CORNER = 6
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Matrix(Protocol):
    """What is drawn, where, and in which state."""

    places: Places
    shared: tuple[str, str]
    names: DistinctNames
    heads_lie: bool

    @property
    def rows(self) -> tuple[Row, ...]: ...
    @property
    def colour_by(self) -> ColourBy: ...
    @property
    def current(self) -> tuple[int, int]: ...
    @property
    def chosen(self) -> tuple[LinkPair, ...]: ...
    @property
    def hovered(self) -> tuple[int, ...]: ...
    @property
    def hovered_label(self) -> int | None: ...
    @property
    def has_opinion(self) -> bool: ...
    @property
    def opinion_name(self) -> str: ...
    def cell(self, row: int, column: int) -> Cell | None: ...
    def opinion_at(self, row: int, column: int) -> Cell | None: ...
    def viewport(self) -> QWidget: ...
    def font(self) -> QFont: ...
    def hasFocus(self) -> bool: ...


def paint_matrix(view: Matrix, painter: QPainter) -> None:
    """All of it, as far as it is in view."""
    now, places = colours(), view.places
    room = view.viewport().size()
    painter.fillRect(view.viewport().rect(), QColor(now.base))
    if not view.rows:
        return
    chosen = set(view.chosen)
    painter.save()
    painter.setClipRect(QRect(places.left, places.top, room.width(), room.height()))
    for row in places.rows_in_view(room.height()):
        for column in places.columns_in_view(room.width()):
            _paint_place(view, painter, row, column, chosen)
    if view.hasFocus() and view.cell(*view.current) is not None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(now.text), 1, Qt.PenStyle.DotLine))
        painter.drawRect(places.rect(*view.current).adjusted(1, 1, -2, -2))
    painter.restore()
    _paint_labels(view, painter)


def _paint_place(view: Matrix, painter: QPainter, row: int, column: int, chosen: set[LinkPair]) -> None:
    rect = view.places.rect(row, column).adjusted(0, 0, -1, -1)
    cell = view.cell(row, column)
    second = column > row and view.has_opinion
    shown = view.opinion_at(row, column) if second else cell
    if cell is None or shown is None:
        if row == column or cell is not None:
            painter.fillRect(rect, QColor(colours().window))
        return
    colour = cell_colour(shown.worst, view.colour_by)
    if second and view.colour_by is ColourBy.CLEARANCE and shown.worst.clearance_min <= 0.0:
        # Of meshes that collide nobody says how deep.
        colour = clearance_colour(-FULL / 2)
    paint_cell(painter, rect, cell, shown, colour, second=second, by=view.colour_by)
    if chosen and any(pair in chosen for pair in cell.pairs):
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours().accent), 2))
        painter.drawRect(rect.adjusted(1, 1, 0, 0))


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


def _paint_labels(view: Matrix, painter: QPainter) -> None:
    now, places = colours(), view.places
    window = view.viewport().size()
    metrics = QFontMetrics(view.font())
    width_of = metrics.horizontalAdvance
    painter.setFont(view.font())
    names = {f for pair in view.chosen for f in (pair.first, pair.second)}
    lit = set(view.hovered) | {i for i, row in enumerate(view.rows) if names.intersection(row.members)}
    painter.fillRect(QRect(0, 0, places.left, window.height()), QColor(now.base))
    painter.fillRect(QRect(0, 0, window.width(), places.top), QColor(now.base))
    for i, row in enumerate(view.rows):
        painter.setPen(QColor(now.text if row.is_collapsed or i in lit else now.muted))
        beside, above = places.rect(i, 0), places.rect(0, i)
        # A name that is half below the head, or half beyond the names of the rows, is left out.
        if beside.top() >= places.top - 2:
            area = QRect(0, beside.top(), places.left - 4, places.cell)
            mark = row_text(row, view.shared, unfold=view.hovered_label == i)[: -len(row.label_without(view.shared))]
            room = area.width() - metrics.horizontalAdvance(mark)
            painter.drawText(area, int(_RIGHT), mark + view.names.cut(row.label_without(view.shared), room, width_of))
        if above.left() < places.left - 2:
            continue
        if view.heads_lie:
            text = view.names.cut(row.label_without(view.shared), places.across - 4, width_of)
            area = QRect(above.left(), 0, places.across, places.top - 4)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom), text)
        else:
            text = view.names.cut(row.label_without(view.shared), places.top - 8, width_of)
            painter.save()
            painter.translate(above.left() + places.across / 2, places.top - 4)
            painter.rotate(-90)
            painter.drawText(QRect(0, -places.across // 2, places.top, places.across), int(_LEFT), text)
            painter.restore()
    if view.has_opinion:
        painter.setPen(QColor(now.muted))
        corner = QRect(4, 2, places.left - 8, places.top - 6)
        words = f"above: {view.opinion_name}\nbelow: spheres"
        painter.drawText(corner, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom), words)


def row_text(row: Row, shared: tuple[str, str] = NOTHING_SHARED, *, unfold: bool = False) -> str:
    """The name of a row, with a mark that it holds others, or (under the pointer) that it could."""
    label = row.label_without(shared)
    if row.is_collapsed:
        return f"▸ {label}"
    return f"▾ {label}" if (unfold or row.was_opened) and row.has_children else label
