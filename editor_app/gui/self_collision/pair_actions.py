"""What can be done with the selected pairs, and when: one table for the menu, the keys, the pane and the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from editor_app.gui.actions import NothingToDo
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.settings import Keymap
from editor_app.model.xrdf import LinkPair

Pairs = tuple[LinkPair, ...]


def needs_evidence(controller: MaskController) -> str | None:
    # Spheres may be gone since: evidence of no pairs is none.
    return controller.reason_not_to_compute or ("Compute the mask first." if controller.analysis is None else None)


def needs_pairs(controller: MaskController) -> str | None:
    return needs_evidence(controller) or (None if controller.selected else "Select pairs in the matrix first.")


@dataclass(frozen=True)
class PairAction:
    """`run` is for pairs for which it can be used: where neither `needs` nor `also`, in this order, gives a reason.

    `text` is that of menus; `key` stands for it in the matrix and the lists, unless another was chosen for the action
    `name` of the window. A key has one meaning wherever the focus is: letters of the view's actions are not used here.
    """

    id: str
    icon: str
    text: str
    key: str
    run: Callable[[MaskController, Pairs], object]
    also: Callable[[MaskController], str | None] = lambda controller: None
    #: The window's action whose keys the user may have changed; "" for keys that are what they are.
    name: str = ""
    needs: Callable[[MaskController], str | None] = needs_pairs

    def why_not(self, controller: MaskController) -> str | None:
        """Why it cannot be used now, None when it can."""
        return self.needs(controller) or self.also(controller)

    def keys(self, keymap: Keymap) -> tuple[str, ...]:
        """The keys that count now, as portable texts."""
        chosen = keymap.keys(self.name) if self.name else None
        return chosen if chosen is not None else (self.key,) * bool(self.key)

    def perform(self, controller: MaskController) -> bool:
        """Runs it on the selected pairs, or tells why not; whether it ran."""
        reason = self.why_not(controller)
        if reason is not None:
            controller.session.message.emit(reason)
            return False
        self.run(controller, controller.selected)
        return True


def _unless(is_so: Callable[[MaskController], bool], reason: str) -> Callable[[MaskController], str | None]:
    return lambda controller: reason if is_so(controller) else None


def _to_leave(controller: MaskController) -> str | None:
    conflicts = {evidence.pair for evidence in controller.conflicts()}
    agree = NothingToDo("Mask and evidence agree on the selected pairs.")
    return None if conflicts.intersection(controller.selected) else agree


def _to_go_on(controller: MaskController) -> str | None:
    conflicts = {evidence.pair for evidence in controller.conflicts()}
    if not conflicts:
        return NothingToDo("There is no other conflict. Mask and evidence agree.")
    left = len(conflicts)
    return None if conflicts - controller.left else f"There is no other conflict. The {left} that remain you left."


_to_mask = _unless(lambda c: c.ignored.issuperset(c.selected), "The selected pairs are ignored already.")
_to_check = _unless(lambda c: c.ignored.isdisjoint(c.selected), "The selected pairs are checked already.")
_to_reset = _unless(lambda c: c.as_opened(c.selected), "The selected pairs are as the file had them.")
_to_shrink = _unless(
    lambda c: not c.overlaps_here(c.selected[-1]),
    "The spheres of the pair do not overlap at this pose: show the pair on the robot first.",
)
_to_go_back = _unless(lambda c: not c.can_go_back, "No pair is shown on the robot.")

MASK = PairAction("mask", "eye-slash", "Ignore{n}{file}", "M", MaskController.mask, _to_mask, "mask.mask_pairs")
CHECK = PairAction("check", "eye", "Check{n}{file}", "U", MaskController.unmask, _to_check, "mask.unmask_pairs")
RESET = PairAction(
    "reset", "arrow-counter-clockwise", "Reset{n}", "O", MaskController.reset, _to_reset, "mask.reset_pairs"
)
SHOW = PairAction("show", "robot", "Show on the robot", "Enter", lambda c, pairs: c.show_witness(pairs[-1]))
SEARCH = PairAction("search", "magnifying-glass", "Search closer", "", lambda c, pairs: c.search_closer(pairs[-1]))
SELECT = PairAction(
    "spheres", "circles-three", "Select the nearest spheres", "", lambda c, pairs: c.select_spheres(pairs[-1])
)
_SHRINK = "Shrink the spheres that overlap here"
SHRINK = PairAction(
    "shrink", "arrows-in", _SHRINK, "I", lambda c, pairs: c.shrink(pairs[-1]), _to_shrink, "mask.shrink"
)
NEXT = PairAction(
    "next",
    "warning-circle",
    "Next conflict",
    "F7",
    lambda c, pairs: c.next_conflict(),
    _to_go_on,
    "mask.next_conflict",
    needs_evidence,
)
_LEAVE = "Leave it, next conflict"
LEAVE = PairAction("leave", "skip-forward", _LEAVE, "K", lambda c, pairs: c.leave_and_go_on(), _to_leave, "mask.leave")
BACK = PairAction("back", "arrow-u-up-left", "Back to my pose", "Esc", lambda c, _: c.back(), needs=_to_go_back)

#: As the context menu has them, section by section.
SECTIONS: tuple[tuple[PairAction, ...], ...] = (
    (MASK, CHECK, RESET),
    (SHOW, SEARCH, SELECT, SHRINK),
    (NEXT, LEAVE, BACK),
)
#: The actions whose keys are asked in the matrix and the lists, and can be changed; that of NEXT is the window's.
WITH_KEYS = tuple(action for section in SECTIONS for action in section if action.name and action is not NEXT)
BY_ID = {action.id: action for section in SECTIONS for action in section}


def perform(action: PairAction, controller: MaskController, *_: object) -> None:
    """What a button or an entry of a menu does."""
    action.perform(controller)


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
