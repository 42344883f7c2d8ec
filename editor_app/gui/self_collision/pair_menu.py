"""The context menu of the selected pairs."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from editor_app.gui.icons import icon
from editor_app.gui.plain_text import plain
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.pair_actions import SECTIONS, PairAction


def make_pair_menu(controller: MaskController, parent: QWidget) -> QMenu:
    """What can be done with the selected pairs: the table of `pair_actions`, greyed with the reason."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    number = len(controller.selected)
    n = f" {number} pairs" if number > 1 else ""
    file = f" in {controller.file_name()}" if controller.has_srdf else ""
    for section in SECTIONS:
        if menu.actions():
            menu.addSeparator()
        for each in section:
            keys = ", ".join(each.keys(controller.keymap))
            text = each.text.format(n=n, file=file) + (f"\t{keys}" if keys else "")
            action = menu.addAction(icon(each.icon), text)
            reason = each.why_not(controller)
            action.setEnabled(reason is None)
            action.setToolTip(plain(reason or ""))
            action.triggered.connect(partial(_perform, each, controller))
    return menu


def _perform(action: PairAction, controller: MaskController, *_: object) -> None:
    action.perform(controller)
