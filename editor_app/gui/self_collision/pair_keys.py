"""Keys that act on the selected pairs, the same in the matrix and in the lists."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.pair_actions import BY_KEY

_KEYS = frozenset({Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight, *(Qt.Key(ord(letter)) for letter in BY_KEY)})


class PairKeys(QObject):
    """Watches widgets; single letters belong to them while they have the focus, not to the window's shortcuts."""

    def __init__(self, controller: MaskController, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller

    def watch(self, widget: QWidget) -> None:
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and self._wants(event):
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                return self.press(event)
        return super().eventFilter(watched, event)

    def _wants(self, event: QKeyEvent) -> bool:
        plain = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.key() == Qt.Key.Key_Escape:
            return self._controller.can_go_back
        return event.modifiers() in plain and event.key() in _KEYS

    def press(self, event: QKeyEvent) -> bool:
        """Does what the key stands for; whether it stands for something."""
        controller, key = self._controller, event.key()
        if not self._wants(event):
            return False
        match key:
            case Qt.Key.Key_BracketLeft | Qt.Key.Key_BracketRight:
                controller.step_witness(-1 if key == Qt.Key.Key_BracketLeft else 1)
            case Qt.Key.Key_Escape:
                controller.back()
            case _:
                BY_KEY[chr(key)].perform(controller)
        return True

    def next_conflict(self, by: int = 1) -> None:
        """To the next or the previous conflict; says so when there is none."""
        controller = self._controller
        if not controller.next_conflict(by):
            left = len(controller.conflicts())
            reason = f"The {left} that remain you left as they are." if left else "Mask and evidence agree."
            controller.session.message.emit(f"There is no other conflict. {reason}")
