"""The keys that the user gave to actions instead of those that they come with; kept in the settings."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QObject, QSettings, Signal

_GROUP = "shortcuts"


class Keymap(QObject):
    """One for all windows. Keys are portable texts: "Ctrl+Shift+F"."""

    #: The id of the action whose keys are others now.
    changed = Signal(str)

    def __init__(self, store: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    def keys(self, action: str) -> tuple[str, ...] | None:
        """The keys chosen for an action, () for none; None where it has those that it comes with."""
        text = self._store.value(f"{_GROUP}/{action}")
        try:
            keys = json.loads(text) if isinstance(text, str) else None
        except ValueError:
            return None
        return tuple(k for k in keys if isinstance(k, str)) if isinstance(keys, list) else None

    def choose(self, action: str, keys: Sequence[str] | None) -> None:
        """Gives an action other keys; None gives it back those that it comes with."""
        if keys is None:
            self._store.remove(f"{_GROUP}/{action}")
        else:
            self._store.setValue(f"{_GROUP}/{action}", json.dumps(list(keys)))
        self.changed.emit(action)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ids of the actions that have other keys than they come with."""
        prefix = f"{_GROUP}/"
        return tuple(key.removeprefix(prefix) for key in self._store.allKeys() if key.startswith(prefix))
