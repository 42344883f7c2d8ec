"""Undo as a list of snapshots that share structure: there are no inverse operations to get wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field, replace

from editor_app.edit.selection import NOTHING, Selection
from editor_app.edit.state import State


@dataclass(frozen=True, slots=True)
class Revision:
    """The state after a step, and the selection before and after it.

    Steps with the same `merge` key that follow each other without `seal` become one (a drag, a turn of the wheel).
    """

    label: str
    state: State
    selection_before: Selection = NOTHING
    selection_after: Selection = NOTHING
    merge: Hashable = field(default=None, compare=False)


class History:
    """Revisions from the opening on; `position` is the present one. Not for use beside Document."""

    def __init__(self, first: State) -> None:
        self._revisions: list[Revision] = [Revision("Open", first)]
        self._position = 0
        self._sealed = True
        self._dropped: list[Revision] = []

    @property
    def revisions(self) -> tuple[Revision, ...]:
        return tuple(self._revisions)

    @property
    def position(self) -> int:
        return self._position

    @property
    def present(self) -> Revision:
        return self._revisions[self._position]

    @property
    def merging(self) -> Hashable:
        """The merge key of the step that is still open, None when there is none."""
        return None if self._sealed else self.present.merge

    def push(self, revision: Revision) -> None:
        """Makes `revision` the present one; what could be redone is dropped (until `abandon`)."""
        if not self._sealed and revision.merge is not None and revision.merge == self.present.merge:
            first = self.present.selection_before
            self._revisions[self._position] = replace(revision, selection_before=first)
            return
        self._dropped = self._revisions[self._position + 1 :]
        del self._revisions[self._position + 1 :]
        self._revisions.append(revision)
        self._position += 1
        self._sealed = revision.merge is None

    def take_run(self, merges: Collection[Hashable]) -> Selection | None:
        """Takes the present revision, and those before it, out as long as their key is one of `merges`.

        What comes next stands for all of them. Returns the selection before the first; None when there was none.
        """
        first = self._position + 1
        while first > 1 and (key := self._revisions[first - 1].merge) is not None and key in merges:
            first -= 1
        if first > self._position:
            return None
        before = self._revisions[first].selection_before
        del self._revisions[first:]
        self._position = first - 1
        self.seal()
        return before

    def rewrite(self, states: Callable[[State], State]) -> None:
        """Makes every state another one, with the same steps between them."""
        self.seal()
        self._revisions = [replace(revision, state=states(revision.state)) for revision in self._revisions]

    def seal(self) -> None:
        """Ends a merged step: the next one is a step of its own, whatever its key."""
        self._sealed = True
        self._dropped = []

    def abandon(self) -> bool:
        """Takes the open merged step back as if it had never been (Esc in a drag); False when none is open."""
        if self._sealed or self._position == 0:
            return False
        del self._revisions[self._position]
        self._position -= 1
        self._revisions.extend(self._dropped)
        self._dropped = []
        self._sealed = True
        return True

    def go(self, position: int) -> None:
        """Makes the revision at `position` the present one. Raises IndexError."""
        if not 0 <= position < len(self._revisions):
            raise IndexError(position)
        self.seal()
        self._position = position
