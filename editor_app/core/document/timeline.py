"""The history of a document, its selection and its listeners. Undo is a list of snapshots that
share their parts.

There are no inverse operations, so none can be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace

from editor_app.core.document.selection import NOTHING, Selection
from editor_app.core.document.state import State
from editor_app.core.document.texts import Typing
from editor_app.core.model.robot import RobotDescription


@dataclass(frozen=True, slots=True)
class Revision:
    """The state after a step, and the selection before and after it.

    Steps with the same `merge` key that follow each other without `seal` become one (a drag, a turn
    of the wheel).
    """

    label: str
    state: State
    selection_before: Selection = NOTHING
    selection_after: Selection = NOTHING
    merge: Hashable = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Changed:
    """The message to listeners. Compare the two robots part by part, by `is`."""

    old: RobotDescription
    new: RobotDescription
    old_selection: Selection
    new_selection: Selection


Listener = Callable[[Changed], None]


class Timeline:
    """Steps, selection and listeners of a Document. Listeners are called for each step and each new
    selection."""

    def __init__(self, first: State) -> None:
        self._revisions = [Revision("Open", first)]
        self._position = 0
        self._selection = NOTHING
        self._listeners: list[Listener] = []
        #: Whether no merged step is open. The next change is a step then, with any key.
        self._sealed = True
        #: Steps that could be redone before the open merged step: `abandon` brings them back.
        self._dropped: list[Revision] = []

    @property
    def state(self) -> State:
        return self._present.state

    @property
    def selection(self) -> Selection:
        return self._selection

    @property
    def history(self) -> tuple[Revision, ...]:
        """All revisions, from the opening to the last one that can be redone."""
        return tuple(self._revisions)

    @property
    def position(self) -> int:
        """Index of the present revision in `history`."""
        return self._position

    @property
    def undo_label(self) -> str | None:
        return self._present.label if self._position > 0 else None

    @property
    def redo_label(self) -> str | None:
        following = self._revisions[self._position + 1 :]
        return following[0].label if following else None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` after every change of robot or selection. Returns a function that ends
        this."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # -- to and fro

    def select(self, selection: Selection) -> None:
        """A selection is no step of its own. Each step keeps its selection, and undo brings it
        back."""
        if selection != self._selection:
            self._tell(self.state.robot, selection)

    def seal(self) -> None:
        """Ends an open merged step, as when the mouse is released."""
        self._sealed = True
        self._dropped = []

    def abandon(self) -> bool:
        """Takes an open merged step back, and leaves no step (Esc in a drag); False without an open
        step."""
        present = self._present
        if self._sealed or isinstance(present.merge, Typing):
            return False
        self._take_open_step_back()
        self._tell(present.state.robot, present.selection_before)
        return True

    def undo(self) -> bool:
        """One step back, with the selection that was there before it; False at the beginning."""
        if self._position == 0:
            return False
        self._go(self._position - 1, self._present.selection_before)
        return True

    def redo(self) -> bool:
        """One step forward; False at the end."""
        if self._position + 1 == len(self._revisions):
            return False
        self.jump(self._position + 1)
        return True

    def jump(self, position: int) -> None:
        """Goes to a revision of `history`. Raises IndexError."""
        if not 0 <= position < len(self._revisions):
            raise IndexError(position)
        if position != self._position:
            self._go(position, self._revisions[position].selection_after)

    # -- steps

    @property
    def _present(self) -> Revision:
        return self._revisions[self._position]

    def _push(
        self,
        label: str,
        state: State,
        *,
        selection: Selection | None = None,
        merge: Hashable = None,
    ) -> None:
        """Makes `state` the present one, as a step. Without `selection` the present one stays, less
        deleted parts."""
        old, before = self.state.robot, self._selection
        after = (
            before.following(old, state.robot)
            if selection is None
            else selection.surviving(state.robot)
        )
        self._add(Revision(label, state, before, after, merge))
        self._tell(old, after)

    def _replace_typing(self, label: str, state: State, places: Iterable[Hashable]) -> None:
        """Makes `state` the present one: one step in place of the steps that typed the texts at
        `places`."""
        old, before, keys = self.state.robot, self._selection, {Typing(place) for place in places}
        after = before.surviving(state.robot)
        first = self._position + 1
        while first > 1 and self._revisions[first - 1].merge in keys:
            first -= 1
        if first <= self._position:
            before = self._revisions[first].selection_before
            del self._revisions[first:]
            self._position = first - 1
            self.seal()
        self._add(Revision(label, state, before, after))
        self._tell(old, after)

    def _type_at(self, place: Hashable, state: State) -> None:
        """Makes `state`, with the text that is typed at `place`, the present one: a step that
        merges until `seal`.

        A text that is typed and taken back leaves no step.
        """
        key = Typing(place)
        is_open = not self._sealed and self._present.merge == key
        if is_open and self._revisions[self._position - 1].state.typed == state.typed:
            self._take_open_step_back()
            self._tell(self.state.robot, self._selection)
        else:
            self._push("Type text", state, merge=key)

    def _rewrite(self, states: Callable[[State], State]) -> None:
        """Replaces every state, with the same steps between them. Calls no listener."""
        self.seal()
        self._revisions = [
            replace(revision, state=states(revision.state)) for revision in self._revisions
        ]

    def _tell(self, old: RobotDescription, selection: Selection) -> None:
        """Sets the selection and calls the listeners."""
        before, self._selection = self._selection, selection
        event = Changed(old, self.state.robot, before, selection)
        for listener in tuple(self._listeners):
            listener(event)

    def _add(self, revision: Revision) -> None:
        """Makes `revision` the present one. Steps that could be redone are dropped (until
        `abandon`)."""
        if (
            not self._sealed
            and revision.merge is not None
            and revision.merge == self._present.merge
        ):
            self._revisions[self._position] = replace(
                revision, selection_before=self._present.selection_before
            )
            return
        self._dropped = self._revisions[self._position + 1 :]
        self._revisions[self._position + 1 :] = [revision]
        self._position += 1
        self._sealed = revision.merge is None

    def _take_open_step_back(self) -> None:
        self._revisions[self._position :] = self._dropped
        self._position -= 1
        self.seal()

    def _go(self, position: int, selection: Selection) -> None:
        old = self.state.robot
        self.seal()
        self._position = position
        self._tell(old, selection.surviving(self.state.robot))
