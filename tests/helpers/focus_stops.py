"""What Tab stops at, and what a screen reader says there."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QScrollArea, QWidget


def stops(top: QWidget) -> list[QWidget]:
    """The widgets below `top` that Tab can stop at, shown or not."""
    widgets = []
    for widget in top.findChildren(QWidget):
        if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(widget, QScrollArea):
            continue
        if widget.focusProxy() is not None or _is_inside(widget):
            continue
        widgets.append(widget)
    return widgets


def _is_inside(widget: QWidget) -> bool:
    """Whether it is a part of another widget, as the list of a combo box: Tab stops at that one."""
    at = widget.parentWidget()
    while at is not None and not isinstance(at, (QComboBox, QAbstractSpinBox)):
        at = at.parentWidget()
    return at is not None


def nameless(top: QWidget) -> list[str]:
    """The widgets that a screen reader has no name for, with their way down."""
    bad = []
    for widget in stops(top):
        interface = QAccessible.queryAccessibleInterface(widget)
        name = interface.text(QAccessible.Text.Name) if interface is not None else ""
        if not name.strip():
            way: list[str] = []
            at: QWidget | None = widget
            while at is not None and at is not top:
                way.append(at.objectName() or type(at).__name__)
                at = at.parentWidget()
            bad.append(" < ".join(way[:5]))
    return bad


def label(widget: QWidget) -> str:
    text = getattr(widget, "text", lambda: "")() or widget.accessibleName() or widget.objectName()
    return f"{type(widget).__name__} {text!r}"


def against_reading(order: list[tuple[QRect, str]]) -> list[str]:
    """Steps of Tab that go up or to the left; to the next column is no step up."""
    steps = []
    for (a, name), (b, to) in itertools.pairwise(order):
        is_same_row = a.top() < b.bottom() and b.top() < a.bottom()
        if (is_same_row and b.right() <= a.left()) or (
            b.bottom() <= a.top() and b.left() < a.right()
        ):
            steps.append(f"{name} → {to}")
    return steps


def from_the_first(order: list[tuple[QRect, str]]) -> list[tuple[QRect, str]]:
    """The round of Tab, begun at the top: the first focus may be further down, as on the button."""
    first = min(
        range(len(order)), key=lambda i: (order[i][0].top() // 8, order[i][0].left()), default=0
    )
    return order[first:] + order[:first]


def tab_round(top: QWidget) -> list[QWidget]:
    """Where Tab goes from the widget inside `top` that has the focus, until it leaves `top` or
    comes round.

    The chain itself is not walked: what `nextInFocusChain` gives, PySide takes for a child of the
    widget that was asked, and believes it gone when that one goes.
    """
    window = top.window()
    order: list[QWidget] = []
    at = focus_in(top)
    while at is not None and at not in order:
        order.append(at)
        # As the key does it, also where a widget takes the key for itself.
        window.focusNextChild()
        at = focus_in(top)
    return order


def focus_in(top: QWidget) -> QWidget | None:
    """The widget inside `top` that has the focus."""
    widget = QApplication.focusWidget()
    return widget if widget is not None and top.isAncestorOf(widget) else None


def places_in_order(top: QWidget) -> list[tuple[QRect, str]]:
    """(place below `top`, name) of what Tab stops at now, in its order."""
    wanted = [widget for widget in stops(top) if widget.isVisible() and widget.isEnabled()]
    order: list[QWidget] = []
    for widget in wanted:
        if widget in order:
            continue
        # Not reached from the ones before: it comes ahead of them in the window's chain.
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        order = [each for each in tab_round(top) if each in wanted and each not in order] + order
    missed = [label(widget) for widget in wanted if widget not in order]
    assert not missed, missed
    # The places are looked at when all is done: on the way, what has the focus scrolls into view.
    return [(QRect(at.mapTo(top, QPoint(0, 0)), at.size()), label(at)) for at in order]
