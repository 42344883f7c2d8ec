"""Keys in the matrix and the lists of pairs: what the actions of pairs have, Esc, and the
brackets."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from editor_app.features.masks.window.controller import MaskController
from editor_app.window.actions.action_tables import IN_PAIRS
from editor_app.window.actions.actions import ActionRegistry

_BRACKETS = (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class PairKeys(QObject):
    """Watches widgets; these keys belong to them while they have the focus, not to the window's
    shortcuts.

    A key has one meaning wherever the focus is: letters of the view's actions are not used here.
    """

    def __init__(
        self, controller: MaskController, registry: ActionRegistry, *watched: QWidget
    ) -> None:
        super().__init__(watched[0])
        self._controller = controller
        self._registry = registry
        for widget in watched:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and self._wants(event):
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                return self._press(event)
        return super().eventFilter(watched, event)

    def _wants(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            return self._controller.can_go_back
        return self._action(event) is not None or (
            event.key() in _BRACKETS and event.modifiers() in _PLAIN
        )

    def _action(self, event: QKeyEvent) -> str | None:
        """The id of the action that the keys were chosen for."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        pressed = QKeySequence(QKeyCombination(modifiers, Qt.Key(event.key())))
        actions = (action for action in self._registry.actions if action.spec.place == IN_PAIRS)
        return next(
            (action.id for action in actions if pressed in action.qaction.shortcuts()), None
        )

    def _press(self, event: QKeyEvent) -> bool:
        """Does what the key stands for; whether it stands for something."""
        if not self._wants(event):
            return False
        action, key = self._action(event), event.key()
        if action is not None:
            self._registry.trigger(action)
        elif key == Qt.Key.Key_Escape:
            self._controller.back()
        else:
            self._controller.step_witness(-1 if key == Qt.Key.Key_BracketLeft else 1)
        return True
