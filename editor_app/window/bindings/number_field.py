"""A field for one number with its unit: typed, stepped or dragged. Only an edit changes the stored
value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal, SignalInstance
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from editor_app.core.model.expressions import ExpressionError, Relative
from editor_app.window.bindings.choice_box import PaintedLine
from editor_app.window.bindings.quantity import NUMBER, Quantity
from editor_app.window.bindings.typed_fields import UndoKeys, typed_fields
from editor_app.window.session import DisplayOptions, Session
from editor_app.window.theme import tabular_font
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import PlainLabel, plain_text, set_property


class NumberSource(StrEnum):
    """The source of a number."""

    FILE = "file"
    DEFAULT = "default"
    GUESSED = "guessed"

    @property
    def told(self) -> str:
        """Words for the tooltip; "" for a number from the file."""
        if self is NumberSource.DEFAULT:
            return "Default value; not in the file."
        return (
            "A guess: change it, or type it again to confirm it."
            if self is NumberSource.GUESSED
            else ""
        )


@dataclass(frozen=True, slots=True)
class ShownNumber:
    """The content of a number field. `quantity` and `limits` may change with the robot; None leaves
    them.

    `note` is part of the tooltip; `empty` is shown without a value ("mixed").
    """

    value: float | None
    origin: NumberSource = NumberSource.FILE
    note: str = ""
    empty: str = ""
    quantity: Quantity | None = None
    limits: tuple[float | None, float | None] | None = None
    #: All values, when the field stands for several.
    several: tuple[float, ...] = ()


#: Largest share of a number that a narrow field may round away.
_ROUNDING = 0.005


class NumberField(PaintedLine):
    """Shows a rounded value and edits all its digits. Signals are emitted only when the user
    changes it.

    `edited(value, live)`: the new value in metres or radians; `live` during a gesture (wheel,
    arrows, dragging), which `finished` ends and `abandoned` takes back. `rejected(reason)`: the
    typed text is no value. `cleared`: the text was deleted, where that has a meaning
    (`is_clearable`). A field for several values takes changes of each: `+1`, `-5 mm`, `*1.1`, `+10
    %`. Steps change each, too. `edited_each(values, live)` has the new values.
    """

    edited = Signal(float, bool)
    edited_each = Signal(object, bool)
    finished = Signal()
    abandoned = Signal()
    rejected = Signal(str)
    cleared = Signal()
    #: The unit changed.
    unit_changed = Signal()

    def __init__(
        self, quantity: Quantity = NUMBER, name: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._quantity = quantity
        self._display = DisplayOptions()
        self._reading = ShownNumber(None)
        #: For a cell of a table: the number of other rows that Ctrl+Enter writes to, told during
        #: typing.
        self.others: Callable[[], int] = lambda: 0
        self._limits: tuple[float | None, float | None] = (None, None)
        self._step: float | None = None
        self._shows_unit = True
        #: The symbol of the shown unit; "" for plain numbers.
        self.unit = ""
        #: Whether deleting the text removes the value.
        self.is_clearable = False
        #: Whether the present value, typed again, counts as given: it confirms a guess.
        self.confirms = False
        self._wheel = 0
        self._pressed = QPointF()
        self._live = False
        self._pause = after(self, self.end_gesture, Wait.FIELD_STEPS)
        self.setProperty("figure", True)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setFont(tabular_font(self.font()))
        self.setAccessibleName(name)
        self.setMinimumWidth(56)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.returnPressed.connect(self.commit)
        UndoKeys(self)
        self.textEdited.connect(self._on_typed)

    def belong_to(self, session: Session, reject: Callable[[str], object] | SignalInstance) -> None:
        """Its value is one of the document: a gesture is one step, and what is typed counts as
        unsaved work."""
        self.confirms = True
        self.finished.connect(session.seal)
        self.abandoned.connect(session.abandon)
        self.rejected.connect(reject)
        typed_fields().watch(self)

    # -- what it shows

    @property
    def value(self) -> float | None:
        """The stored value with all its digits; None without a value, or for different values."""
        return self._reading.value

    def set_value(self, value: float | None, **reading: Any) -> None:
        self.show_reading(ShownNumber(value, **reading))

    def show_reading(self, reading: ShownNumber) -> None:
        if len(reading.several) == 1:
            reading = replace(reading, several=())
        if reading == self._reading and not self.isModified():
            # A drag in the view asks every field at every step.
            return
        self._reading = reading
        self._quantity = reading.quantity or self._quantity
        self._limits = self._limits if reading.limits is None else reading.limits
        set_property(self, "origin", reading.origin.value)
        # Text that is being typed stays.
        if not (self.hasFocus() and self.isModified()):
            self._show()

    @property
    def _before(self) -> tuple[float, ...]:
        """The values that an entry changes."""
        return self._reading.several or (self.value or 0.0,)

    def set_quantity(self, quantity: Quantity) -> None:
        self._quantity = quantity
        self._show()

    def set_display(self, display: DisplayOptions) -> None:
        """Takes the units from `display`."""
        self._display = display
        self._show()

    def set_limits(self, lower: float | None, upper: float | None) -> None:
        """Values outside are rejected; None: no limit."""
        if (lower, upper) != self._limits:
            self._limits = (lower, upper)
            self._update_tooltip()

    def set_step(self, step: float | None) -> None:
        self._step = step

    def hide_unit(self) -> None:
        """For places that say the unit elsewhere."""
        self._shows_unit = False

    # -- editing

    def typed_for_each(self, before: Sequence[float]) -> tuple[float, ...] | None:
        """The typed entry, applied to these values: each changed (`+1`, `*1.1`, `+10 %`), or each
        the same number.

        None when it is no value; the field is marked. Without an entry: this field's value for all.
        """
        if not self.isModified() or self.text() == self._resting_text():
            return None if self.value is None else (self.value,) * len(before)
        try:
            values = self._after(self._parsed(signs=True), before)
        except ExpressionError as error:
            self._mark(str(error))
            return None
        self._mark(None)
        return values if len(values) == len(before) else values * len(before)

    def commit(self) -> bool:
        """Takes the typed value; False when it is no value, and the field is marked."""
        if not self.isModified() or self.text() == self._resting_text():
            is_typed = self.isModified()
            self._show()
            if is_typed and self.confirms and self.value is not None:
                self.edited.emit(self.value, False)
            return True
        if self.is_clearable and not self.text().strip():
            self.setModified(False)
            self.cleared.emit()
            self._show()
            return True
        try:
            entry = self._entry()
        except ExpressionError as error:
            self._mark(str(error))
            return False
        values = self._after(entry, self._before)
        reason = next((reason for value in values if (reason := self._outside(value))), None)
        if reason:
            self._mark(reason)
            return False
        self._mark(None)
        self.setModified(False)
        if not isinstance(entry, Relative) or values != self._before:
            self._tell(values, live=False)
        self._show()
        return True

    def _tell(self, values: tuple[float, ...], *, live: bool) -> None:
        """Each of several values, or one for all of them."""
        if len(values) > 1:
            self.edited_each.emit(values, live)
        elif values[0] != self.value or (self.confirms and not live):
            self.edited.emit(values[0], live)

    def step(self, steps: float) -> None:
        """Adds steps as part of a gesture; stops at the limits."""
        if self.isReadOnly() or not self.isEnabled():
            return
        if self.isModified() and not self.commit():
            return
        values = tuple(self._stepped(value, steps) for value in self._before)
        if values != (self._reading.several or (self.value,)):
            self._live = True
            self._tell(values, live=True)
            self._show()

    def end_gesture(self) -> None:
        """Ends a drag: the next change is a step of its own."""
        self._pause.stop()
        if self._live:
            self._live = False
            self.finished.emit()

    def abandon_gesture(self) -> None:
        """Takes a drag back."""
        self._pause.stop()
        if self._live:
            self._live = False
            self.abandoned.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.step((1.0 if key == Qt.Key.Key_Up else -1.0) * _coarseness(event.modifiers()))
            self._pause.start()
            event.accept()
            return
        if key == Qt.Key.Key_Escape:
            dirty = self.isModified()
            self._show()
            self.select_all()
            # Without an entry, Esc belongs to the widgets around the field.
            event.setAccepted(dirty)
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()
            return
        delta = event.angleDelta().y() or event.angleDelta().x()
        self._wheel += delta
        notches = int(self._wheel / 120)
        if notches:
            self._wheel -= notches * 120
            self.step(notches * _coarseness(event.modifiers()))
            self._pause.start()
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.isModified() and event.reason() == Qt.FocusReason.PopupFocusReason:
            return
        self._show()
        self.select_all()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        moved = (event.position() - self._pressed).manhattanLength()
        # A click selects the whole number, so that typing replaces it; dragging selects a part.
        if event.button() == Qt.MouseButton.LeftButton and moved < QApplication.startDragDistance():
            self.select_all()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # Not Qt's: its third click would put the cursor into the number again.
        self._pressed = event.position()
        self.select_all()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() == Qt.FocusReason.PopupFocusReason:
            return
        if not self.commit():
            # The mark stays, so that the user finds the place again; the document keeps its value.
            return
        self.end_gesture()
        self._show()

    def select_all(self) -> None:
        """With the cursor before the number: one that is longer than the field is seen from its
        head."""
        self.setSelection(len(self.text()), -len(self.text()))

    def shown_text(self) -> str:
        """The number as it is drawn: with fewer decimals or no zero in front where it does not fit,
        else cut."""
        text = self.text()
        width_of, room = self.fontMetrics().horizontalAdvance, self.room
        if self.hasFocus() or self.isModified() or width_of(text) <= room:
            return text
        digits = text.partition(".")[2]
        places = range(len(digits) - 1, -1, -1) if digits.isdigit() else ()
        for rounded in (f"{float(text):.{place}f}" for place in places):
            if abs(float(rounded) - float(text)) > _ROUNDING * abs(float(text)):
                break
            if width_of(rounded) <= room:
                return rounded
        # .001 says all that a scale of millimetres has to say.
        short = text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
        if width_of(short) <= room:
            return short
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, room))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        unit = self._quantity.unit(self._display)
        if not unit or not self._shows_unit or (self.value is None and not self.text()):
            return
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.setFont(self.font())
        painter.drawText(
            self.rect().adjusted(0, 0, -6, 0),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            unit,
        )

    def _on_typed(self, _text: str) -> None:
        self._mark(None)
        typed_fields().note(self, self.text() != self._resting_text())
        self._say_what_it_will_do()

    def _say_what_it_will_do(self) -> None:
        others, several = self.others(), len(self._reading.several)
        if not several and not others:
            return
        sentence = ""
        try:
            if self.text().strip() and several:
                sentence = self._quantity.told(self._entry(), several, self._display)
            elif self.text().strip():
                told = self._quantity.told(self._parsed(signs=True), others + 1, self._display)
                sentence = f"Ctrl+Enter: {told}"
        except ExpressionError:
            # Not typed to its end yet.
            pass
        self.setAccessibleDescription(sentence)
        QToolTip.showText(
            self.mapToGlobal(QPoint(0, self.height())),
            plain_text(sentence) if sentence else "",
            self,
        )

    def _parsed(self, *, signs: bool) -> Relative | float:
        """What is typed: a change (`+1` is one with `signs`), or a value. Raises
        ExpressionError."""
        change = self._quantity.relative(self.text(), self._display, signs=signs)
        return self._quantity.parse(self.text(), self._display) if change is None else change

    def _entry(self) -> Relative | float:
        """What is typed, for what is shown. Raises ExpressionError."""
        entry = self._parsed(signs=bool(self._reading.several))
        if isinstance(entry, Relative) and self.value is None and not self._reading.several:
            raise ExpressionError("No value to change.")
        return entry

    def _after(self, entry: Relative | float, before: Sequence[float]) -> tuple[float, ...]:
        """Each of the values as it would be; one alone for an entry that is a value."""
        if not isinstance(entry, Relative):
            return (entry,)
        return tuple(self._quantity.changed(value, entry, self._display) for value in before)

    def _stepped(self, value: float, steps: float) -> float:
        value = self._quantity.stepped(value, steps, self._display, self._step)
        lower, upper = self._limits
        value = max(value, lower) if lower is not None else value
        return min(value, upper) if upper is not None else value

    def _resting_text(self) -> str:
        if self.value is None:
            return ""
        if self.hasFocus():
            return self._quantity.exact(self.value, self._display)
        return self._quantity.rounded(self.value, self._display)

    def _show(self) -> None:
        if self.unit != (unit := self._quantity.unit(self._display)):
            self.unit = unit
            self.unit_changed.emit()
        unit = unit if self._shows_unit else ""
        margin = self.fontMetrics().horizontalAdvance(unit) + 5 if unit else 0
        if self.textMargins().right() != margin:
            self.setTextMargins(0, 0, margin, 0)
        text = self._resting_text()
        if self.text() != text:
            self.setText(text)
            # Seen from its head: the tail of one that is longer than the field would be another
            # number.
            self.setCursorPosition(0)
        self.setModified(False)
        typed_fields().note(self, False)
        self.setPlaceholderText(self._reading.empty)
        self._mark(None)

    def _mark(self, reason: str | None) -> None:
        outside = self.value is not None and self._outside(self.value)
        set_property(self, "invalid", bool(reason or outside))
        self.setAccessibleDescription(reason or "")
        if reason:
            self.setToolTip(plain_text(reason))
            QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), plain_text(reason), self)
            self.rejected.emit(reason)
        else:
            self._update_tooltip()

    def _outside(self, value: float) -> str | None:
        lower, upper = self._limits
        if (lower is None or value >= lower) and (upper is None or value <= upper):
            return None
        named = [
            None if x is None else self._quantity.described(x, self._display)
            for x in (lower, upper)
        ]
        if named[0] is None:
            return f"At most {named[1]}."
        return f"At least {named[0]}." if named[1] is None else f"From {named[0]} to {named[1]}."

    def _update_tooltip(self) -> None:
        lines = []
        if self.value is not None:
            unit = self._quantity.base_unit()
            lines.append(f"{self.value!r} {unit}".strip())
            lines.append(self._reading.origin.told)
        if several := len(self._reading.several):
            lines.append(
                f"{several} values. +1, -5, *1.1 and +10 % change each value; a number sets all "
                "(negative: =-5)."
            )
        lines.append(self._reading.note)
        lower, upper = self._limits
        if lower is not None or upper is not None:
            bounds = (
                self._quantity.described(x, self._display) if x is not None else "∞"
                for x in (lower, upper)
            )
            lines.append("Limits: {} to {}".format(*bounds))
        self.setToolTip(plain_text("\n".join(line for line in lines if line)))


class NumberInput(NumberField):
    """A number of no document: what is typed is its value, of which `take(value, live)` hears.
    Units are the session's.

    `whole`: it is rounded. `reading`: a `ShownNumber`, where it begins; from the first edit on it
    counts as typed.
    """

    def __init__(
        self,
        session: Session,
        quantity: Quantity,
        name: str,
        take: Callable[[float, bool], object] = lambda value, live: None,
        *,
        limits: tuple[float | None, float | None] = (None, None),
        step: float | None = None,
        whole: bool = False,
        parent: QWidget | None = None,
        **reading: Any,
    ) -> None:
        super().__init__(quantity, name, parent)
        self.set_display(session.display)
        self.set_limits(*limits)
        self.set_step(step)
        self.show_reading(ShownNumber(**{"value": None, **reading}))
        session.display_changed.connect(self.set_display)
        self._take, self._whole = take, whole
        self.edited.connect(self._keep)

    def _keep(self, value: float, live: bool) -> None:
        value = float(round(value)) if self._whole else value
        self.show_reading(replace(self._reading, value=value, origin=NumberSource.FILE))
        self._take(value, live)


class ScrubLabel(PlainLabel):
    """The name of a number field; dragging it sideways changes it. Shift is coarse, Ctrl fine, Esc
    takes it back.

    `with_unit`: it tells the unit, which the field has no room for.
    """

    #: Pixels of a drag that are one step.
    PIXELS = 4

    def __init__(self, text: str, field: NumberField, *, with_unit: bool = False) -> None:
        super().__init__(text)
        self._field, self._name = field, text
        if with_unit:
            field.unit_changed.connect(self._show_unit)
            self._show_unit()
        self._from: float | None = None
        self._steps = 0
        self.setBuddy(field)
        self.setProperty("scrub", True)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setToolTip("Drag sideways to change. Shift: coarse, Ctrl: fine, Esc: back.")
        if not field.accessibleName():
            field.setAccessibleName(text)

    def _show_unit(self) -> None:
        self.setText(f"{self._name} {self._field.unit}".rstrip())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (
            event.button() == Qt.MouseButton.LeftButton
            and self._field.isEnabled()
            and not self._field.isReadOnly()
        ):
            self._from = event.position().x()
            self._steps = 0
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is None:
            return
        steps = int((event.position().x() - self._from) / self.PIXELS)
        if steps != self._steps:
            self._field.step((steps - self._steps) * _coarseness(event.modifiers()))
            self._steps = steps

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._from is None:
            return
        self._from = None
        if self._steps:
            self._field.end_gesture()
        else:
            self._field.setFocus(Qt.FocusReason.MouseFocusReason)
            self._field.select_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._from is not None:
            self._from = None
            self._field.abandon_gesture()
            event.accept()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # Esc belongs to the drag while there is one, whatever shortcut the window has for it.
        if event.type() == QEvent.Type.ShortcutOverride and self._from is not None:
            event.accept()
            return True
        return super().event(event)


def _coarseness(modifiers: Qt.KeyboardModifier) -> float:
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return 10.0
    return 0.1 if modifiers & Qt.KeyboardModifier.ControlModifier else 1.0
