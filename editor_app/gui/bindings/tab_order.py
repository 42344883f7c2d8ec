"""The order in which Tab goes through a panel, where its parts are made in another order than they stand in."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def tab_through(panel: QWidget, *last: QWidget) -> None:
    """Tab goes through what stands in `panel` and in none of `last`, then through each of `last`, as they follow."""
    groups: list[list[QWidget]] = [[] for _ in range(len(last) + 1)]
    for widget in _stops(panel):
        place = next((i for i, part in enumerate(last) if part is widget or part.isAncestorOf(widget)), -1)
        groups[place + 1].append(widget)
    # The order is a ring. In a panel of its own the first one follows the last already, for Qt, and would not move.
    end = QWidget(panel)
    end.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for first, second in pairwise([widget for group in groups for widget in group]):
        QWidget.setTabOrder(first, second)
    end.setParent(None)


def _stops(panel: QWidget) -> list[QWidget]:
    """What Tab stops at in the panel, in the order in which it was made, each part as a whole.

    The chain itself is not walked: what `nextInFocusChain` gives, PySide takes for a child of the widget asked,
    and believes it gone when that one goes.
    """
    window = panel.window()
    # The line of a box that can be typed into goes with its box; the list that drops from it is a window of its own.
    return [
        widget
        for widget in panel.findChildren(QWidget)
        if widget.window() is window and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
    ]
