"""One movable joint: its name, a slider within its limits, and the number."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QStyle, QToolButton, QWidget

from editor_app.core.document.selection import Selection
from editor_app.core.model.closed_interval import ClosedInterval
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.tree import TreeJoint, get_default_positions
from editor_app.window.bindings.elision import DistinctNames, ElidedLabel
from editor_app.window.bindings.number_field import NumberField
from editor_app.window.bindings.quantity import joint_quantity
from editor_app.window.session import DisplayOptions, Hover, Session
from editor_app.window.theme import colours
from editor_app.window.widgets import PlainLabel, checkable, dress, fill_layout, icon, plain_text

_STEPS = 10_000
#: Pixels.
_LEAST_SLIDER = 84
#: What a field takes beside number and unit: frame, inner margins, the gap before the unit.
_FRAME = 22
#: Pixels: height of the band that marks a closed interval.
_BAND = 4
#: Shift divides the way of the mouse by this.
_FINE = 10
_LOCKED = (
    "Locked: outside the c-space, so planners keep its default position. Move it, then Make "
    "default."
)
_LAST = "Moves last: it only moves when the other joints cannot reach the tool target."

_CLOSED_BY = {
    True: "by spheres and meshes (sampled)",
    False: "by spheres only",
    None: "by spheres (no meshes)",
}


class JointRow(QWidget):
    """Shows a position in radians or metres, and moves the robot of the session."""

    def __init__(
        self, session: Session, joint: TreeJoint, parent: QWidget, names: DistinctNames
    ) -> None:
        """`names`: of all joints that are shown beside it; a name that is cut keeps what tells it
        from them."""
        super().__init__(parent)
        self._session = session
        self.joint = joint
        #: Radians or metres; None before the first is set.
        self.position: float | None = None
        #: Before the first `show_mark`, "" says none of its reasons.
        self._warning: str | None = ""
        #: Whether it is marked as a joint outside the c-space.
        self.is_locked = self.is_last = False
        self._closed: tuple[ClosedInterval, ...] = ()
        self._display = DisplayOptions()
        self._updating = False
        self.setObjectName(f"joint.{joint.name}")
        self.mark = PlainLabel(parent=self)
        self.mark.setFixedWidth(18)
        self.name = ElidedLabel(self, Qt.TextElideMode.ElideMiddle, names=names)
        self.name.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.name.set_text(joint.name)
        self.slider = dress(_Slider(self), name=f"Position of {joint.name}")
        self._quantity = joint_quantity(joint.type is JointType.PRISMATIC)
        self.field = NumberField(self._quantity, f"Position of {joint.name} as a number", self)
        self.field.set_limits(*_typed_limits(joint))
        self.follows = dress(ElidedLabel(self, names=names), look="muted")
        self.lock = checkable(dress(QToolButton(self), name=f"Lock {joint.name}", flat=True), False)
        self.lock.setFixedSize(20, 20)
        self.lock.setIconSize(QSize(14, 14))
        policy = self.lock.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.lock.setSizePolicy(policy)
        self.lock.setVisible(joint.mimic is None)
        self.lock.clicked.connect(lambda on: session.set_locked(joint.name, on))
        row = (self.mark, self.name, (self.slider, 1), (self.follows, 1), self.field, self.lock)
        fill_layout(QHBoxLayout(self), *row, margins=(2, 0, 2, 0), spacing=4)
        self.slider.setMinimumWidth(_LEAST_SLIDER)
        mimic = joint.mimic
        self.slider.setVisible(mimic is None)
        self.follows.setVisible(mimic is not None)
        lower, upper = joint.span
        self._can_move = mimic is None and upper - lower > 0
        self.show_locked(False)
        self._fit_field()
        self.slider.valueChanged.connect(self._on_slider)
        self.slider.double_clicked.connect(self._reset)
        self.field.edited.connect(lambda value, live: session.set_joint(joint.name, value))
        self.show_mark(None)

    # -- what it shows

    def can_show(self, joint: TreeJoint) -> bool:
        """Return whether the row is right for a joint after a change of the structure: links may
        have other names."""
        mine = self.joint
        return (mine.name, mine.type, mine.limits, mine.mimic) == (
            joint.name,
            joint.type,
            joint.limits,
            joint.mimic,
        )

    def set_joint(self, joint: TreeJoint) -> None:
        """Show the same joint between other links (see `can_show`)."""
        if joint != self.joint:
            self.joint = joint
            self._explain()

    @property
    def rest_width(self) -> int:
        """Pixels that a row takes beside the name: warning, the shortest slider, the number, the
        lock."""
        return 18 + _LEAST_SLIDER + self.field.width() + 20 + 4 * 4 + 4

    def _fit_field(self) -> None:
        """As wide as the longest number within the limits, with all its digits and its unit."""
        digits = max(
            len(f"{abs(self._quantity.shown(bound, self._display)):.0f}")
            for bound in self.joint.span
        )
        decimals = len(self._quantity.rounded(0.123456789, self._display).partition(".")[2])
        metrics = self.field.fontMetrics()
        number = metrics.horizontalAdvance("-" + "8" * digits + "." + "8" * decimals)
        unit = metrics.horizontalAdvance(self._quantity.unit(self._display))
        self.field.setFixedWidth(max(72, number + unit + _FRAME))

    def show_locked(self, locked: bool) -> None:
        """Locked: nothing but unlocking moves it."""
        self.lock.setChecked(locked)
        self.lock.setIcon(
            icon("lock-simple" if locked else "lock-simple-open", "accent" if locked else "muted")
        )
        self.lock.setToolTip(
            plain_text(f"{'Locked' if locked else 'Lock'}: posing by hand keeps this joint fixed")
        )
        for widget in (self.slider, self.field):
            widget.setEnabled(self._can_move and not locked)

    def set_units(self, display: DisplayOptions) -> None:
        self._display = display
        self.field.set_display(display)
        self._fit_field()
        self._explain()

    def set_position(self, position: float) -> None:
        self.position = position
        self._updating = True
        try:
            lower, upper = self.joint.span
            if upper > lower:
                endless = self.joint.limits is None and self.joint.type is not JointType.PRISMATIC
                shown = math.remainder(position, 2 * math.pi) if endless else position
                self.slider.setValue(
                    round((min(max(shown, lower), upper) - lower) / (upper - lower) * _STEPS)
                )
            self.field.set_value(position)
        finally:
            self._updating = False

    def show_mark(self, warning: str | None, *, locked: bool = False, last: bool = False) -> None:
        """A warning sign before the name, with its reason; else an anchor for a joint outside the
        c-space, an hourglass for one that moves last."""
        if (warning, locked, last) == (self._warning, self.is_locked, self.is_last):
            return
        name, colour = "warning", "warning"
        if not warning:
            name, colour = (
                ("anchor", "muted")
                if locked
                else ("hourglass-medium", "accent")
                if last
                else ("", "")
            )
        self.mark.setPixmap(icon(name, colour).pixmap(16, 16) if name else QPixmap())
        self.mark.setToolTip(plain_text(warning or (_LOCKED if locked else _LAST if last else "")))
        self._warning, self.is_locked, self.is_last = warning, locked, last
        self._explain()

    def show_closed(self, closed: tuple[ClosedInterval, ...]) -> None:
        """Marks intervals below the slider, in one colour by meshes too, in another by spheres
        alone."""
        if closed != self._closed:
            self._closed = closed
            lower, upper = self.joint.span
            spread = max(upper - lower, 1e-9)
            self.slider.show_bands(
                tuple(
                    ((each.lower - lower) / spread, (each.upper - lower) / spread, each.by_meshes)
                    for each in closed
                )
            )
            self._explain()

    def show_selected(self, selected: bool) -> None:
        style = (
            f"QLabel {{ background: {colours().selection}; border-radius: 3px; }}"
            if selected
            else ""
        )
        # Qt polishes a widget that gets the style sheet that it has.
        if style != self.name.styleSheet():
            self.name.setStyleSheet(style)

    def _explain(self) -> None:
        joint = self.joint
        lines = [f"{joint.name}: {joint.type.value}, from {joint.parent} to {joint.child}"]
        if joint.limits is not None:
            lines.append(f"Limits: {self._quantity.described_range(joint.limits, self._display)}")
        else:
            lines.append(
                f"{'Slides' if joint.type is JointType.PRISMATIC else 'Turns'} without end."
            )
        if joint.mimic is not None:
            m = joint.mimic
            follows = f"follows {m.joint}"
            if m.multiplier != 1.0:
                follows += f" × {m.multiplier:g}"
            if m.offset:
                follows += (
                    f" {'+' if m.offset > 0 else '−'} "
                    f"{self._quantity.described(abs(m.offset), self._display)}"
                )
            self.follows.set_text(follows, m.joint)
            lines.append(f"It {follows}. Move that joint.")
        elif self._can_move:
            lines.append("Shift: ten times finer. Double-click the slider to restore the default.")
        else:
            lines.append("Its limits allow no motion.")
        for each in self._closed:
            bounds = (
                self._quantity.described(bound, self._display) for bound in (each.lower, each.upper)
            )
            pairs = ", ".join(f"{a} and {b}" for a, b in each.pairs[:2])
            lines.append(
                "Closed from {} to {}".format(*bounds) + f", {_CLOSED_BY[each.by_meshes]}: {pairs}"
            )
        if self.is_locked:
            lines.append(_LOCKED)
        if self.is_last:
            lines.append(_LAST)
        if self._warning:
            lines.append(self._warning)
        for widget in (self, self.slider):
            widget.setToolTip(plain_text("\n".join(lines)))

    # -- what the user does

    def _on_slider(self, value: int) -> None:
        if not self._updating:
            lower, upper = self.joint.span
            self._session.set_joint(self.joint.name, lower + (upper - lower) * value / _STEPS)

    def _reset(self) -> None:
        tree, robot = self._session.tree, self._session.robot
        self._session.set_joint(
            self.joint.name, get_default_positions(tree, robot.xrdf)[self.joint.name]
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._session.select(Selection(links=(self.joint.child,), joints=(self.joint.name,)))
        super().mousePressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._session.set_hover(Hover(link=self.joint.child, joint=self.joint.name))

    def leaveEvent(self, event: QEvent) -> None:
        self._session.set_hover(Hover())


class _Slider(QSlider):
    """Turned by the wheel only when it has the focus, so that scrolling the panel moves no
    joint."""

    double_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setRange(0, _STEPS)
        self.setSingleStep(_STEPS // 360)
        self.setPageStep(_STEPS // 36)
        # The number beside it says the same to the keyboard: Tab goes there.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._x, self._exact = 0.0, 0.0
        #: Begin and end as parts of the range, and whether meshes close it.
        self.bands: tuple[tuple[float, float, bool | None], ...] = ()

    def show_bands(self, bands: tuple[tuple[float, float, bool | None], ...]) -> None:
        self.bands = bands
        self.update()

    def band_rect(self, begin: float, end: float) -> QRectF:
        """Where a band is drawn: below the groove, as the handle's middle runs."""
        handle = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self)
        room = self.width() - handle
        left, right = (handle / 2 + min(max(part, 0.0), 1.0) * room for part in (begin, end))
        return QRectF(left, self.height() - _BAND, max(right - left, 2.0), _BAND)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.bands:
            return
        painter = QPainter(self)
        c = colours()
        for begin, end, by_meshes in self.bands:
            painter.fillRect(
                self.band_rect(begin, end), QColor(c.error if by_meshes else c.warning)
            )
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._x, self._exact = event.position().x(), float(self.value())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The handle goes as far as the mouse, a tenth of it with Shift."""
        if not self.isSliderDown():
            super().mouseMoveEvent(event)
            return
        room = max(
            1,
            self.width() - self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self),
        )
        step = (event.position().x() - self._x) / room * (self.maximum() - self.minimum())
        self._x = event.position().x()
        self._exact += (
            step / _FINE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else step
        )
        self.setSliderPosition(round(min(max(self._exact, self.minimum()), self.maximum())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        way = {Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1}.get(
            Qt.Key(event.key())
        )
        if way is not None and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.setValue(self.value() + way * max(1, self.singleStep() // _FINE))
        else:
            super().keyPressEvent(event)


def _typed_limits(joint: TreeJoint) -> tuple[float | None, float | None]:
    """What may be typed: anything up to the limits, if any."""
    lower, upper = (
        limit if math.isfinite(limit) else None for limit in joint.limits or (-math.inf, math.inf)
    )
    return lower, upper
