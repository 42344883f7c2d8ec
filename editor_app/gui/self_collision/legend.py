"""The legend below the matrix: the scale of the colours, and the signs that occur."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.gui.bindings.quantity import with_minus
from editor_app.gui.self_collision import looks, painting
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.theme import colours, theme
from editor_app.self_collision.masks import MaskState
from editor_app.self_collision.results import PairClass

_BAR = 72
_BOX = 14
_GAP = 12


class Legend(QWidget):
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
        for signal in (controller.analysis_changed, controller.mask_changed):
            signal.connect(self.refresh)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(400, max(18, self.fontMetrics().height() + 2))

    def set_colour_by(self, by: looks.ColourBy) -> None:
        self._by = by
        self.refresh()

    def set_folded(self, folded: bool) -> None:
        """Whether some rows are collapsed: their cells hold numbers."""
        self._has_numbers = folded
        self.refresh()

    @property
    def words(self) -> tuple[str, ...]:
        """What the legend names now."""
        return (*(looks.CLASS_NAMES[kind] for kind in self._kinds), *(text for _, text in self._marks))

    def refresh(self, *_: object) -> None:
        controller = self._controller
        pairs = controller.pairs
        kinds = {e.kind for e in pairs}
        self._kinds = tuple(kind for kind in PairClass if kind in kinds)
        states = {controller.state(e) for e in pairs}
        marks = []
        if MaskState.CONFLICT in states:
            marks.append(("hidden", "ignored, although it can collide"))
        if MaskState.MISSING in states:
            marks.append(("conflict", "checked, although it overlaps"))
        if any(e.pair in controller.ignored for e in pairs):
            marks.append(("ignored", "ignored"))
        if controller.beside is not None and any(e.pair in controller.beside for e in pairs):
            marks.append(("beside", f"ignored in the {controller.file.other}"))
        if any(e.stale for e in pairs):
            marks.append(("stale", "edited since"))
        if self._has_numbers:
            marks.append(("number", "pairs in a collapsed place"))
        self._marks = tuple(marks)
        self.setToolTip(self._explanation())
        self.update()

    def _explanation(self) -> str:
        if self._by is looks.ColourBy.CLEARANCE:
            scale = "Colour: the smallest clearance found. Blue: apart, red: overlapping, the paper's colour at 0."
        else:
            scale = "Colour: the share of sampled configurations that collide, on a logarithmic scale. Blue: none."
        file = escape(self._controller.file_name())
        return (
            f"<p>{scale}</p><p>A cut corner at the top: the mask of {file} ignores the pair. "
            "An open corner at the bottom: the other file ignores it. Hatched: the robot was edited since. A red "
            "frame: mask and evidence disagree, with a struck corner where the mask hides a possible collision; grey: "
            "you left it as it is. A number: so many pairs, or conflicts, in a collapsed place.</p>"
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._controller.grounds is None:
            return
        painter = QPainter(self)
        x = self._paint_scale(painter, 2)
        now = colours()
        for kind in self._kinds:
            x = self._item(painter, x, looks.CLASS_NAMES[kind], sign=looks.SIGNS[kind])
        for mark, text in self._marks:
            box = self._box(x)
            painter.fillRect(box, QColor(now.base))
            x = self._item(painter, x, text, framed=True)
            match mark:
                case "hidden":
                    painting.conflict_frame(painter, box, QColor(now.error))
                    painting.hidden_corner(painter, box, QColor(now.error), looks.ink_on(QColor(now.error)))
                case "number":
                    painting.sign(painter, box, "9", QColor(now.text))
                case "conflict":
                    painting.conflict_frame(painter, box, QColor(now.error))
                case "ignored":
                    painting.ignored_corner(painter, box, QColor(now.muted))
                case "beside":
                    painting.beside_corner(painter, box, QColor(now.text))
                case _:
                    painting.hatch(painter, box, QColor(now.text))
        painter.end()

    def _paint_scale(self, painter: QPainter, x: int) -> int:
        clearance = self._by is looks.ColourBy.CLEARANCE
        full = f"{looks.FULL * 1e3:.0f}"
        low, high = (with_minus(f"-{full}"), f"{full} mm") if clearance else (f"{looks.RARE * 100:g} %", "100 %")
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
        return self._text(painter, bar.right() + 4, high, colours().muted) + _GAP

    def _box(self, x: int) -> QRect:
        return QRect(x, (self.height() - _BOX) // 2, _BOX, _BOX)

    def _item(self, painter: QPainter, x: int, text: str, *, sign: str = "", framed: bool = False) -> int:
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
        painter.drawText(QPoint(x, (self.height() + metrics.ascent() - metrics.descent()) // 2), text)
        return x + metrics.horizontalAdvance(text)
