"""The present state and what is selected, the steps that led there, and who is told when they change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from editor_app.edit.history import History, Revision
from editor_app.edit.selection import NOTHING, Selection
from editor_app.edit.state import State
from editor_app.edit.typed_text import Typing
from editor_app.model.robot import RobotDescription


@dataclass(frozen=True, slots=True)
class Changed:
    """What listeners are told: compare the two robots by `is`, part by part."""

    old: RobotDescription
    new: RobotDescription
    old_selection: Selection
    new_selection: Selection


Listener = Callable[[Changed], None]


class Timeline:
    """History, selection and listeners in step: each change of the first two is told. Not for use beside Document."""

    def __init__(self, first: State) -> None:
        self._history = History(first)
        self._selection = NOTHING
        self._listeners: list[Listener] = []

    @property
    def state(self) -> State:
        return self._history.present.state

    @property
    def selection(self) -> Selection:
        return self._selection

    @property
    def revisions(self) -> tuple[Revision, ...]:
        """Every revision from the opening to the last that can be redone."""
        return self._history.revisions

    @property
    def position(self) -> int:
        """Index of the present revision in `revisions`."""
        return self._history.position

    @property
    def undo_label(self) -> str | None:
        return self._history.present.label if self.position > 0 else None

    @property
    def redo_label(self) -> str | None:
        return self.revisions[self.position + 1].label if self.position + 1 < len(self.revisions) else None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` after every change of robot or selection; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # -- steps

    def push(self, label: str, state: State, *, selection: Selection | None = None, merge: Hashable = None) -> None:
        """Makes `state` the present one, as a step; without `selection`, the present one stays, less what is gone."""
        old, before = self.state.robot, self._selection
        after = before.following(old, state.robot) if selection is None else selection.surviving(state.robot)
        self._history.push(Revision(label, state, before, after, merge))
        self._selection = after
        self.tell(old, before)

    def replace_typing(self, label: str, state: State, places: Iterable[Hashable]) -> None:
        """Makes `state` the present one: one step in place of the steps in which the texts at `places` were typed."""
        old, before = self.state.robot, self._selection
        first = self._history.take_run({Typing(place) for place in places})
        after = before.surviving(state.robot)
        self._history.push(Revision(label, state, before if first is None else first, after))
        self._selection = after
        self.tell(old, before)

    def type_at(self, place: Hashable, state: State) -> None:
        """Makes `state`, with what is typed at `place`, the present one: a step that merges until `seal`.

        A text that is typed and taken back leaves no step.
        """
        key = Typing(place)
        if self._history.merging == key and self.revisions[self.position - 1].state.typed == state.typed:
            self._history.abandon()
            self.tell(self.state.robot, self._selection)
            return
        self.push("Type text", state, merge=key)

    def rewrite(self, states: Callable[[State], State]) -> None:
        """Makes every state another one, with the same steps between them; tells nobody yet."""
        self._history.rewrite(states)

    def seal(self) -> None:
        """Ends an open merged step, as on releasing the mouse."""
        self._history.seal()

    def abandon(self) -> bool:
        """Takes an open merged step back without a trace; False when there is none."""
        present = self._history.present
        if isinstance(present.merge, Typing) or not self._history.abandon():
            return False
        old_selection, self._selection = self._selection, present.selection_before
        self.tell(present.state.robot, old_selection)
        return True

    # -- to and fro

    def select(self, selection: Selection) -> None:
        """Selection alone is no step, but undo brings back the one that belonged to a step."""
        if selection == self._selection:
            return
        old, self._selection = self._selection, selection
        self.tell(self.state.robot, old)

    def undo(self) -> bool:
        """One step back, with the selection before it; False at the beginning."""
        if self.position == 0:
            return False
        step = self._history.present
        self._go(self.position - 1, step.selection_before)
        return True

    def redo(self) -> bool:
        """One step forward; False at the end."""
        if self.position + 1 >= len(self.revisions):
            return False
        step = self.revisions[self.position + 1]
        self._go(self.position + 1, step.selection_after)
        return True

    def jump(self, position: int) -> None:
        """To any of `revisions`. Raises IndexError."""
        if position != self.position:
            self._go(position, self.revisions[position].selection_after)

    def tell(self, old: RobotDescription, old_selection: Selection) -> None:
        """Tells the listeners what was there before."""
        event = Changed(old, self.state.robot, old_selection, self._selection)
        for listener in tuple(self._listeners):
            listener(event)

    def _go(self, position: int, selection: Selection) -> None:
        old, before = self.state.robot, self._selection
        self._history.go(position)
        self._selection = selection.surviving(self.state.robot)
        self.tell(old, before)
