"""Keys that act on the selected pairs, the same in the matrix and in the lists."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.pair_actions import WITH_KEYS, PairAction

_BRACKETS = (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class PairKeys(QObject):
    """Watches widgets; these keys belong to them while they have the focus, not to the window's shortcuts."""

    def __init__(self, controller: MaskController, parent: QWidget) -> None:
        super().__init__(parent)
        self.controller = controller

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
        if event.key() == Qt.Key.Key_Escape:
            return self.controller.can_go_back
        return self._action(event) is not None or (event.key() in _BRACKETS and event.modifiers() in _PLAIN)

    def _action(self, event: QKeyEvent) -> PairAction | None:
        """The action that the keys were chosen for."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        pressed = QKeySequence(QKeyCombination(modifiers, Qt.Key(event.key())))
        keymap = self.controller.keymap
        return next((one for one in WITH_KEYS if pressed in map(QKeySequence, one.keys(keymap))), None)

    def press(self, event: QKeyEvent) -> bool:
        """Does what the key stands for; whether it stands for something."""
        controller, key = self.controller, event.key()
        if not self._wants(event):
            return False
        action = self._action(event)
        if action is not None:
            action.perform(controller)
        elif key == Qt.Key.Key_Escape:
            controller.back()
        else:
            controller.step_witness(-1 if key == Qt.Key.Key_BracketLeft else 1)
        return True

    def next_conflict(self, by: int = 1) -> None:
        """To the next or the previous conflict; says so when there is none."""
        controller = self.controller
        if not controller.next_conflict(by):
            left = len(controller.conflicts())
            reason = f"The {left} that remain you left as they are." if left else "Mask and evidence agree."
            controller.session.message.emit(f"There is no other conflict. {reason}")
