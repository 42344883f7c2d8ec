"""How a cell of the matrix is drawn, what a row is called, and the legend below: the scale of
colours, and signs."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetrics,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.results import PairClass
from editor_app.features.masks.window import looks
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.grouping import NOTHING_SHARED, Cell, MatrixRow
from editor_app.window.bindings.quantity import with_minus
from editor_app.window.theme import colours, theme
from editor_app.window.widgets import WhenSeen

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
    by: looks.ColourBy = looks.ColourBy.CLEARANCE,
) -> None:
    """`shown` is what the colour and the sign are of: the cell itself, or the second opinion on it.

    A wide cell says the number that its colour stands for as well.
    """
    now = colours()
    faint = shown.worst.kind in (PairClass.ADJACENT, PairClass.RIGID) and not cell.state.is_conflict
    if faint:
        colour = QColor(now.window)
    painter.fillRect(rect, colour)
    ink = QColor(now.muted) if faint else looks.ink_on(colour)
    if cell.stale:
        hatch(painter, rect, ink)
    if cell.state is MaskState.IGNORED:
        ignored_corner(painter, rect, QColor(now.muted))
    if cell.beside:
        beside_corner(painter, rect, QColor(now.muted) if faint else ink)
    text = looks.SIGNS[shown.worst.kind] if shown.count == 1 else str(cell.conflicts or cell.count)
    if cell.state.is_conflict and not second:
        text = "!" if cell.count == 1 else text
        frame = QColor(now.muted if cell.left else now.error)
        conflict_frame(painter, rect, frame)
        if cell.hidden:
            hidden_corner(painter, rect, frame, looks.ink_on(frame))
    # Below the corner, which would cut a number of two digits.
    lower = 2 if cell.state is MaskState.IGNORED and len(text) > 1 else 0
    place = rect.translated(0, lower)
    if shown.count == 1 and not faint and rect.width() >= _NUMBERED:
        text = f"{text} {looks.cell_number(shown.worst, by)}".strip()
        # Between the corners of both sides.
        place = rect.adjusted(CORNER, 0, -_side(rect), 0)
    sign(painter, place, text, ink, bold=cell.state.is_conflict)


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
    """A struck corner, larger than a pair has that is rightly ignored: a possible collision is
    hidden."""
    side = _side(rect)
    corner = rect.topRight()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon([corner, corner - QPoint(side, 0), corner + QPoint(0, side)])
    painter.setPen(QPen(ink, 1))
    painter.drawLine(corner + QPoint(-side * 3 // 5, 1), corner + QPoint(-1, side * 3 // 5))


def _side(rect: QRect) -> int:
    """Pixels of the struck corner: as much as the sign of a square cell leaves, more in a wide
    one."""
    return max(
        min(rect.width(), rect.height()) * 3 // 5, min(rect.width() // 3, rect.height() * 4 // 5)
    )


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
    return next(
        (font for font in fonts if QFontMetrics(font).horizontalAdvance(text) <= room), fonts[-1]
    )


@lru_cache(maxsize=16)
def _font(family: str, bold: bool, pixels: int) -> QFont:
    font = QFont(family)
    font.setBold(bold)
    font.setPixelSize(pixels)
    return font


def row_text(
    row: MatrixRow, shared: tuple[str, str] = NOTHING_SHARED, *, unfold: bool = False
) -> str:
    """The name of a row, with a mark that it holds others, or (under the pointer) that it could."""
    label = row.label_without(shared)
    if row.is_collapsed:
        return f"▸ {label}"
    return f"▾ {label}" if (unfold or row.was_opened) and row.has_children else label


_BAR = 72
_BOX = 14
_GAP = 12


class MatrixLegend(QWidget):
    """One line; what does not fit is in the tooltip."""

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._by = looks.ColourBy.CLEARANCE
        self._kinds: tuple[PairClass, ...] = ()
        self._has_numbers = False
        self._marks: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Legend of the matrix")
        theme().changed.connect(self.update)
        self._seen = WhenSeen(
            self, self.refresh, (controller.analysis_changed, controller.mask_changed)
        )
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(400, max(18, self.fontMetrics().height() + 2))

    def set_colour_by(self, by: looks.ColourBy) -> None:
        self._by = by
        self.refresh()

    def set_folded(self, folded: bool) -> None:
        """Return whether some rows are collapsed: their cells hold numbers."""
        if folded != self._has_numbers:
            self._has_numbers = folded
            self.refresh()

    @property
    def words(self) -> tuple[str, ...]:
        """The entries of the legend."""
        self._seen.run()
        return (
            *(looks.CLASS_NAMES[kind] for kind in self._kinds),
            *(text for _, text in self._marks),
        )

    def refresh(self, *_: object) -> None:
        controller = self._controller
        pairs = controller.state.pairs
        kinds = {e.kind for e in pairs}
        self._kinds = tuple(kind for kind in PairClass if kind in kinds)
        states, beside = (
            {controller.state.mask_state(e) for e in pairs},
            controller.state.beside or frozenset(),
        )
        marks = (
            ("hidden", looks.STATE_NAMES[MaskState.CONFLICT], MaskState.CONFLICT in states),
            ("conflict", looks.STATE_NAMES[MaskState.MISSING], MaskState.MISSING in states),
            ("ignored", "ignored", any(e.pair in controller.state.ignored for e in pairs)),
            (
                "beside",
                f"ignored in the {controller.state.file.other}",
                any(e.pair in beside for e in pairs),
            ),
            ("stale", "edited since", any(e.stale for e in pairs)),
            ("number", "pairs in a collapsed cell", self._has_numbers),
        )
        self._marks = tuple((mark, text) for mark, text, is_there in marks if is_there)
        self.setToolTip(self._explanation())
        self.update()

    def _explanation(self) -> str:
        if self._by is looks.ColourBy.CLEARANCE:
            scale = "Colour: the smallest clearance. Blue: apart, red: overlapping, background: 0."
        else:
            scale = "Colour: share of sampled configurations that collide, logarithmic. Blue: none."
        file = escape(self._controller.state.file_name())
        return (
            f"<p>{scale}</p><p>Cut corner at the top: the mask of {file} ignores the pair. "
            "Open corner at the bottom: the other file ignores it. Hatched: the robot was edited "
            "since. "
            "Red frame: mask and evidence disagree; struck corner: the mask hides a possible "
            "collision; grey frame: "
            "you skipped it. Number: pairs or conflicts in a collapsed cell.</p>"
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._controller.state.grounds is None:
            return
        painter = QPainter(self)
        x = 2
        clearance = self._by is looks.ColourBy.CLEARANCE
        full = f"{looks.FULL * 1e3:.0f}"
        low, high = (
            (with_minus(f"-{full}"), f"{full} mm")
            if clearance
            else (f"{looks.RARE * 100:g} %", "100 %")
        )
        x = self._text(painter, x, low, colours().muted)
        bar = QRect(x + 3, (self.height() - 10) // 2, _BAR, 10)
        gradient = QLinearGradient(bar.left(), 0, bar.right(), 0)
        for i in range(21):
            share = i / 20
            if clearance:
                colour = looks.clearance_colour((2 * share - 1) * looks.FULL)
            else:
                colour = looks.probability_colour(looks.RARE ** (1 - share))
            gradient.setColorAt(share, colour)
        painter.fillRect(bar, gradient)
        painter.setPen(QColor(colours().muted))
        if clearance:
            middle = bar.center().x()
            painter.drawLine(middle, bar.top() - 2, middle, bar.bottom() + 2)
        x = self._text(painter, bar.right() + 4, high, colours().muted) + _GAP
        now = colours()
        for kind in self._kinds:
            x = self._item(painter, x, looks.CLASS_NAMES[kind], sign=looks.SIGNS[kind])
        for mark, text in self._marks:
            box = self._box(x)
            painter.fillRect(box, QColor(now.base))
            x = self._item(painter, x, text, framed=True)
            match mark:
                case "hidden":
                    conflict_frame(painter, box, QColor(now.error))
                    hidden_corner(painter, box, QColor(now.error), looks.ink_on(QColor(now.error)))
                case "number":
                    sign(painter, box, "9", QColor(now.text))
                case "conflict":
                    conflict_frame(painter, box, QColor(now.error))
                case "ignored":
                    ignored_corner(painter, box, QColor(now.muted))
                case "beside":
                    beside_corner(painter, box, QColor(now.text))
                case _:
                    hatch(painter, box, QColor(now.text))
        painter.end()

    def _box(self, x: int) -> QRect:
        return QRect(x, (self.height() - _BOX) // 2, _BOX, _BOX)

    def _item(
        self, painter: QPainter, x: int, text: str, *, sign: str = "", framed: bool = False
    ) -> int:
        now, box = colours(), self._box(x)
        if sign:
            font = QFont(self.font())
            font.setBold(True)
            painter.setFont(font)
            painter.setPen(QColor(now.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sign)
        elif framed:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(now.border))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        return self._text(painter, box.right() + 4, text, now.muted) + _GAP

    def _text(self, painter: QPainter, x: int, text: str, colour: str) -> int:
        painter.setFont(self.font())
        painter.setPen(QColor(colour))
        metrics = self.fontMetrics()
        painter.drawText(
            QPoint(x, (self.height() + metrics.ascent() - metrics.descent()) // 2), text
        )
        return x + metrics.horizontalAdvance(text)
