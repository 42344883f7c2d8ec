"""The buttons and menus at the viewport's edge; the axes in its corner: a click looks along one, a
drag orbits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QMenu, QSlider, QToolButton, QVBoxLayout, QWidget

from editor_app.window.actions.actions import Action, ActionRegistry
from editor_app.window.session import Session
from editor_app.window.theme import colours, theme
from editor_app.window.viewport.camera import ViewCamera
from editor_app.window.viewport.palette import AXES, rgb
from editor_app.window.widgets import PlainLabel, dress, fill_layout, icon, popup, set_tooltip

#: Direction -> the view from there.
_BALLS: tuple[tuple[int, int, str], ...] = (
    (0, 1, "front"),
    (0, -1, "back"),
    (1, 1, "left"),
    (1, -1, "right"),
    (2, 1, "top"),
    (2, -1, "bottom"),
)
_RADIUS = 8.5
_HOW = "Click an axis to look along it; drag to orbit"


class OrientationWidget(QWidget):
    """Painted by Qt: crisp at any scaling, and no actor to keep out of picks and pictures."""

    #: Name of a standard view.
    view_asked = Signal(str)

    def __init__(
        self, camera: ViewCamera, orbit: Callable[[float, float], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._camera = camera
        self._orbit = orbit
        self._hovered: str | None = None
        self._last: QPointF | None = None
        self._dragged = False
        self._drawn: tuple[float, ...] = ()
        self.setMouseTracking(True)
        self.setFixedSize(84, 84)
        dress(self, name="Orientation: click an axis to look along it", tip=_HOW)
        self.setCursor(Qt.CursorShape.ArrowCursor)

    def places(self) -> list[tuple[str, int, int, QPointF, float]]:
        """(view, axis, sign, middle of the ball, nearness to the viewer), farthest first."""
        axes = np.stack([self._camera.right, self._camera.up, self._camera.backward])
        middle = QPointF(self.width() / 2, self.height() / 2)
        arm = self.width() / 2 - _RADIUS - 2
        handles = []
        for axis, sign, name in _BALLS:
            x, y, z = axes[:, axis] * sign
            handles.append((name, axis, sign, middle + QPointF(x * arm, -y * arm), float(z)))
        return sorted(handles, key=lambda entry: entry[4])

    def follow(self) -> None:
        """Draws again when the camera has turned since the last time."""
        axes = tuple(self._camera.backward)
        if axes != self._drawn:
            self._drawn = axes
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        now = colours()
        middle = QPointF(self.width() / 2, self.height() / 2)
        if self._hovered is not None or self.underMouse():
            disc = QColor(now.text)
            disc.setAlphaF(0.08)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(disc)
            painter.drawEllipse(self.rect())
        font = QFont(self.font())
        font.setPixelSize(11)
        font.setBold(True)
        painter.setFont(font)
        for name, axis, sign, place, z in self.places():
            # What points away fades into the ground.
            fade = 0.62 + 0.38 * (z + 1) / 2
            tones = zip(AXES[axis], rgb(now.base), strict=True)
            colour = QColor.fromRgbF(*(fade * tone + (1 - fade) * ground for tone, ground in tones))
            if sign > 0:
                painter.setPen(QPen(colour, 2.2))
                painter.drawLine(middle, place)
            lit = name == self._hovered
            painter.setPen(QPen(colour.lighter(125) if lit else colour, 1.6))
            fill = QColor(colour)
            if sign < 0:
                fill.setAlphaF(0.75 if lit else 0.22)
            elif lit:
                fill = fill.lighter(118)
            painter.setBrush(fill)
            painter.drawEllipse(place, _RADIUS, _RADIUS)
            if sign > 0 or lit:
                painter.setPen(
                    QColor("#ffffff") if sign > 0 or not now.is_dark else QColor(now.text)
                )
                box = QRectF(place.x() - _RADIUS, place.y() - _RADIUS, 2 * _RADIUS, 2 * _RADIUS)
                painter.drawText(
                    box, Qt.AlignmentFlag.AlignCenter, ("" if sign > 0 else "−") + "XYZ"[axis]
                )
        painter.end()

    def _at(self, position: QPointF) -> str | None:
        for name, _, _, place, _ in reversed(self.places()):
            if QPointF.dotProduct(position - place, position - place) <= (_RADIUS + 2) ** 2:
                return name
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._last, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._last is not None and event.buttons() & Qt.MouseButton.LeftButton:
            step = at - self._last
            if self._dragged or step.manhattanLength() >= 3:
                self._dragged = True
                self._last = at
                self._orbit(step.x() * 2.0, step.y() * 2.0)
            return
        self._hover(self._at(at))

    def _hover(self, view: str | None) -> None:
        if view != self._hovered:
            self._hovered = view
            set_tooltip(self, f"Look from the {view}" if view else _HOW)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._last is not None and not self._dragged:
            name = self._at(event.position())
            if name is not None:
                self.view_asked.emit(name)
        self._last = None

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        self.update()


_SIZE, _GAP, _MARGIN = 26, 1, 4
#: Numbers of `ActionSpec.button` from which toggles and entries of *View options* count.
_TOGGLES, _OPTIONS = 100, 200


def ground_painter(widget: QWidget) -> QPainter:
    """Paints on `widget`, over the plate that sets it off from the view behind it."""
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ground = QColor(colours().window)
    ground.setAlphaF(0.86)
    painter.setBrush(ground)
    painter.setPen(QPen(QColor(colours().border), 1))
    painter.drawRoundedRect(widget.rect().adjusted(0, 0, -1, -1), 5, 5)
    return painter


class ToolStrip(QWidget):
    """Buttons in as many columns as the height asks for."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        #: From above; None parts what belongs together.
        self._buttons: list[QToolButton | None] = []
        self.select = self._button("cursor", "Select and move (Esc)")
        self.select.setCheckable(True)
        self.select.setChecked(True)
        self.options = self._button("eye", "View options")
        theme().changed.connect(self.update)

    def offer(self, registry: ActionRegistry) -> None:
        """Show buttons for the actions of the registry, and the rest in the menu *View options*."""
        placed = sorted(
            (a for a in registry.actions if a.spec.button), key=lambda action: action.spec.button
        )
        tools = [self._of_action(each.qaction) for each in placed if each.spec.button < _TOGGLES]
        toggles = [
            self._of_action(each.qaction)
            for each in placed
            if _TOGGLES <= each.spec.button < _OPTIONS
        ]
        self.options.clicked.connect(
            partial(self._ask_options, [a for a in placed if a.spec.button >= _OPTIONS])
        )
        self._buttons = [
            self.select,
            *tools,
            None,
            *toggles,
            None,
            self.options,
            self._of_action(registry["view.fit"]),
        ]

    def _button(self, glyph: str, text: str) -> QToolButton:
        button = dress(
            QToolButton(self), flat=True, name=text, tip=text, icon=icon(glyph) if glyph else None
        )
        button.setFixedSize(_SIZE, _SIZE)
        button.setIconSize(QSize(17, 17))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _of_action(self, action: QAction) -> QToolButton:
        button = self._button("", "")
        button.setDefaultAction(action)
        button.setAccessibleName(action.text().replace("&", ""))
        return button

    # -- layout

    def fit_height(self, height: int) -> None:
        """Takes as many columns as it needs to be no higher than that."""
        per_column = max(3, (height - 2 * _MARGIN) // (_SIZE + _GAP))
        x = y = _MARGIN
        row = lowest = 0
        for button in self._buttons:
            if button is None:
                y += 3 if row else 0
                continue
            if row >= per_column or (y + _SIZE > height - _MARGIN and row > 0):
                x, y, row = x + _SIZE + _GAP, _MARGIN, 0
            button.move(x, y)
            y += _SIZE + _GAP
            row += 1
            lowest = max(lowest, y)
        self.setFixedSize(x + _SIZE + _MARGIN, lowest - _GAP + _MARGIN)

    def paintEvent(self, event: QPaintEvent) -> None:
        ground_painter(self).end()

    def _ask_options(self, actions: Sequence[Action], *_: object) -> None:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for title, alike in groupby(actions, key=lambda action: action.spec.menu.partition("/")[2]):
            parent = menu if title in ("", "View options") else menu.addMenu(title)
            parent.addActions([action.qaction for action in alike])
        popup(menu, self._beside_options())

    def _beside_options(self) -> QPoint:
        return self.options.mapToGlobal(QPoint(self.options.width() + 4, 0))

    def ask_opacity(self) -> None:
        """Open the two sliders."""
        popup = _OpacityPopup(self._session, self)
        popup.adjustSize()
        popup.move(self._beside_options())
        popup.show()
        popup.mesh.setFocus()


class _OpacityPopup(QFrame):
    """Two sliders that go away with a click elsewhere."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        layout = fill_layout(QVBoxLayout(self), margins=(10, 8, 10, 8))
        grid = QGridLayout()
        layout.addLayout(grid)
        self.mesh = self._row(grid, 0, "Meshes", session, "mesh_opacity", 0)
        self.sphere = self._row(grid, 1, "Spheres", session, "sphere_opacity", 5)

    @staticmethod
    def _row(
        grid: QGridLayout, row: int, text: str, session: Session, field: str, least: int
    ) -> QSlider:
        label, value = PlainLabel(text), PlainLabel()
        slider = dress(QSlider(Qt.Orientation.Horizontal), name=f"Opacity of {text.lower()}")
        slider.setRange(least, 100)
        slider.setFixedWidth(140)
        value.setMinimumWidth(value.fontMetrics().horizontalAdvance("100 %"))
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

        def changed(percent: int) -> None:
            value.setText(f"{percent} %")
            options: dict[str, Any] = {field: percent / 100.0}
            session.set_display(**options)

        start = round(getattr(session.display, field) * 100)
        slider.setValue(start)
        value.setText(f"{start} %")
        slider.valueChanged.connect(changed)
        for column, widget in enumerate((label, slider, value)):
            grid.addWidget(widget, row, column)
        return slider
