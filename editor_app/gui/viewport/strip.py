"""The switches at the viewport's edge, all bound to the session's display options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QMenu, QSlider, QToolButton, QVBoxLayout, QWidget

from editor_app.gui.action_tables import MEASURING, POSING, RADII, SHOWN, SPHERES, VIEWS, ActionSpec
from editor_app.gui.icons import icon
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.session import DisplayOptions, Session, SphereRadius
from editor_app.gui.theme import colours, theme
from editor_app.gui.viewport.tools import Tool
from editor_app.gui.widgets import dress, fill

_SIZE, _GAP, _MARGIN = 26, 1, 4


class ToolStrip(QWidget):
    """Buttons in as many columns as the height asks for."""

    tool_asked = Signal(object)
    view_asked = Signal(str)
    fit_asked = Signal()
    gizmo_asked = Signal(bool)

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._buttons: list[QToolButton | None] = []
        specs = {spec.given[0]: spec for spec in (*SPHERES, *POSING, *MEASURING) if spec.run == "flip_tool"}
        texts = {Tool.SELECT: ("cursor", "Select and move (Esc)")}
        texts |= {t: (specs[t].icon, _text(specs[t])) for t in (Tool.ADD, Tool.POSE, Tool.MEASURE, Tool.BOX)}
        self._tools = {t: self._button(*texts[t], partial(self._ask_tool, t), True) for t in texts}
        self.gizmo = self._button(
            "arrows-out-cardinal", "", lambda: self.gizmo_asked.emit(self.gizmo.isChecked()), True
        )
        self._buttons.append(None)
        self._switches = {
            name: self._button(spec.icon, _text(spec), partial(self._flip, name), True)
            for spec in SHOWN
            if spec.run == "flip"
            for name in spec.given
        }
        #: Where `add_switch` puts the next one.
        self._end_of_switches = len(self._buttons)
        self._buttons.append(None)
        self.radius = self._button("", "", self._ask_radius, False)
        self.opacity = self._button("drop-half", "Opacity of meshes and spheres", self._ask_opacity, False)
        self.projection = self._button("", "", lambda: self._flip("parallel_projection"), False)
        self.views = self._button("eye", "Standard views", self._ask_view, False)
        self.fit = self._button(
            "corners-out", "Zoom to all (Home); F zooms to the selection", self.fit_asked.emit, False
        )
        session.display_changed.connect(self._refresh)
        theme().changed.connect(self.update)
        self.set_tool(Tool.SELECT)
        self.set_gizmo_in_link(True)
        self._refresh(session.display)

    def end(self) -> None:
        self._session.display_changed.disconnect(self._refresh)
        theme().changed.disconnect(self.update)

    def _button(self, glyph: str, text: str, run: Callable[[], object], checkable: bool) -> QToolButton:
        button = dress(QToolButton(self), flat=True)
        button.setCheckable(checkable)
        button.setFixedSize(_SIZE, _SIZE)
        button.setIconSize(QSize(17, 17))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if glyph:
            button.setIcon(icon(glyph))
        self._name(button, text)
        button.clicked.connect(lambda *_: run())
        self._buttons.append(button)
        return button

    def add_switch(self, glyph: str, text: str, run: Callable[[], object]) -> QToolButton:
        """One more switch after the display options; the caller keeps its check up to date."""
        button = self._button(glyph, text, run, True)
        self._buttons.insert(self._end_of_switches, self._buttons.pop())
        self._end_of_switches += 1
        button.show()
        parent = self.parentWidget()
        if parent is not None:
            self.fit_height(parent.height() - 16)
        return button

    @staticmethod
    def _name(button: QToolButton, text: str) -> None:
        button.setToolTip(plain(text))
        button.setAccessibleName(text)

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
        now = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(now.window)
        ground.setAlphaF(0.86)
        painter.setBrush(ground)
        painter.setPen(QPen(QColor(now.border), 1))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 5, 5)
        painter.end()

    # -- following

    def _refresh(self, display: DisplayOptions) -> None:
        for name, button in self._switches.items():
            button.setChecked(bool(getattr(display, name)))
        text, short = RADII[display.sphere_radius]
        self.radius.setText(short)
        self._name(self.radius, f"{text} (click to change)")
        parallel = display.parallel_projection
        self.projection.setIcon(icon("bounding-box" if parallel else "aperture"))
        self._name(self.projection, ("Parallel" if parallel else "Perspective") + " projection (5)")

    def set_tool(self, tool: Tool) -> None:
        for each, button in self._tools.items():
            button.setChecked(each is tool)

    def set_gizmo_in_link(self, in_link: bool) -> None:
        self.gizmo.setChecked(in_link)
        self._name(self.gizmo, f"Handles stand in the frame of the {'link' if in_link else 'base'} (X)")

    # -- doing

    def _flip(self, name: str) -> None:
        self._session.set_display(**{name: not getattr(self._session.display, name)})
        self._refresh(self._session.display)

    def _ask_tool(self, tool: Tool) -> None:
        # A second click leaves what is done by single clicks; it must not switch another tool off.
        leaves = tool in (Tool.ADD, Tool.MEASURE) and not self._tools[tool].isChecked()
        self.tool_asked.emit(Tool.SELECT if leaves else tool)

    def _ask_radius(self) -> None:
        menu = QMenu(self)
        for mode, (text, _) in RADII.items():
            action = menu.addAction(text, partial(self._session.set_display, sphere_radius=SphereRadius(mode)))
            action.setCheckable(True)
            action.setChecked(mode == self._session.display.sphere_radius)
        self._popup(menu, self.radius)

    def _ask_view(self) -> None:
        menu = QMenu(self)
        for name, text, key in VIEWS:
            menu.addAction(f"{text}\t{key}", partial(self.view_asked.emit, name))
        self._popup(menu, self.views)

    def _popup(self, menu: QMenu, button: QToolButton) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(button.mapToGlobal(QPoint(button.width() + 4, 0)))

    def _ask_opacity(self) -> None:
        popup = _OpacityPopup(self._session, self)
        popup.adjustSize()
        popup.move(self.opacity.mapToGlobal(QPoint(self.opacity.width() + 6, 0)))
        popup.show()
        popup.mesh.setFocus()


def _text(spec: ActionSpec) -> str:
    return f"{spec.text.replace('&', '')} ({spec.keys})"


class _OpacityPopup(QFrame):
    """Two sliders that go away with a click elsewhere."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        layout = fill(QVBoxLayout(self), margins=(10, 8, 10, 8))
        grid = QGridLayout()
        layout.addLayout(grid)
        self.mesh = self._row(grid, 0, "Meshes", session, "mesh_opacity", 0)
        self.sphere = self._row(grid, 1, "Spheres", session, "sphere_opacity", 5)

    @staticmethod
    def _row(grid: QGridLayout, row: int, text: str, session: Session, field: str, least: int) -> QSlider:
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
