"""What the colours of the heat map mean, and the greatest depths that it shows."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPaintEvent
from PySide6.QtWidgets import QWidget

from editor_app.gui.fitting.strip import Strip
from editor_app.gui.theme import colours, tabular_font, theme
from editor_app.gui.viewport.layers import meshes as layer
from editor_app.gui.viewport.strip import ground_painter


class Legend(QWidget):
    """The range of the colours, over the lower right corner of the view."""

    #: Pixels; the width grows with the font, so that the two sentences below the bar never meet.
    _LEAST, _HEIGHT, _LINE = 226, 66, 16

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Legend of the coverage heat map")
        metrics = QFontMetrics(tabular_font(self.font()))
        wanted = 2 * metrics.horizontalAdvance("farthest 888.8 mm") + 36
        self.setFixedSize(max(self._LEAST, wanted), self._HEIGHT)
        self._surface = ""
        self._scale = 0.0
        self._buried = self._uncovered = ""
        theme().changed.connect(self.update)
        view.installEventFilter(self)
        self.hide()

    def show_scale(
        self, scale: float | None, *, buried: float = 0.0, uncovered: float = 0.0, surface: str = ""
    ) -> None:
        """The depth of the full colour, and the greatest depths that are shown, in metres; no scale hides it.

        `surface`: which links are measured on other than their collision shapes; it has a line of its own.
        """
        self.setVisible(scale is not None)
        if scale is not None:
            self._scale = scale
            # Another measure than how far spheres stand out, which can be less.
            self._buried, self._uncovered = _depth(buried, "deepest"), _depth(uncovered, "farthest")
            self.setAccessibleDescription(
                f"Blue: buried, the mesh lies so deep under the spheres, {self._buried}; red: uncovered,"
                f" {self._uncovered}; full colour at {1000 * scale:g} mm" + (f"; {surface}" if surface else "")
            )
            self._surface = surface
            self.setFixedHeight(self._HEIGHT + (self._LINE if surface else 0))
            self._place()
            self.raise_()
            self.update()

    @property
    def figures(self) -> tuple[str, str]:
        """What is written of the greatest depths: buried, uncovered."""
        return self._buried, self._uncovered

    @property
    def surface(self) -> str:
        """Which links are measured on other than their collision shapes; empty when none is."""
        return self._surface

    def eventFilter(self, watched: QObject, event: Any) -> bool:
        if event.type() in (event.Type.Resize, event.Type.LayoutRequest):
            self._place()
        return False

    def _place(self) -> None:
        view = self.parentWidget()
        if view is not None:
            place = QRect(view.width() - self.width() - 10, view.height() - self.height() - 10, *self.size().toTuple())
            for strip in view.findChildren(Strip):
                if not strip.isHidden() and strip.geometry().intersects(place):
                    # Its buttons come first.
                    place.moveBottom(strip.geometry().top() - 6)
            self.setGeometry(place)

    def paintEvent(self, event: QPaintEvent) -> None:
        now = colours()
        painter = ground_painter(self)
        bar = QRectF(10, 20, self.width() - 20, 9)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for place, colour in (
            (0.0, layer.OUTSIDE),
            (0.5, layer.NEUTRAL),
            (0.502, layer.NEUTRAL * 0.7 + layer.UNCOVERED * 0.3),
            (1, layer.UNCOVERED),
        ):
            gradient.setColorAt(place, QColor.fromRgbF(*(float(c) for c in colour)))
        painter.setBrush(gradient)
        painter.drawRect(bar)
        painter.setFont(tabular_font(self.font()))
        scale = f"{1000 * self._scale:g} mm"
        surface = painter.fontMetrics().elidedText(self._surface, Qt.TextElideMode.ElideMiddle, int(bar.width()))
        flags = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for y, ink, texts in (
            (2, now.text, ("buried", "", "uncovered")),
            (30, now.muted, (scale, "0", scale)),
            (46, now.text, (self._buried, "", self._uncovered)),
            (46 + self._LINE, now.muted, (surface, "", "")),
        ):
            painter.setPen(QColor(ink))
            for flag, text in zip(flags, texts, strict=True):
                painter.drawText(QRectF(10, y, bar.width(), 17), flag | Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


def _depth(metres: float, word: str) -> str:
    if metres == float("inf"):
        return "no sphere"
    return f"{word} {1000 * metres:.1f} mm" if metres > 5e-5 else "nowhere"
