"""What new files and fits begin with, as the user prefers; kept in the settings."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from PySide6.QtCore import QObject, QSettings, Signal

from editor_app.model.robot import Profile

VERSIONS = ("1.0", "2.0")
FIT_MODES = ("cover", "balanced", "inside")
FIT_EFFORTS = ("fast", "normal", "best")
MOST_SPHERES = 2000
_GROUP = "defaults"


@dataclass(frozen=True, slots=True)
class Defaults:
    """`spheres` for the whole robot; 0: by the number of its links."""

    version: str = "1.0"
    profile: Profile = Profile.SPECIFICATION
    spheres: int = 0
    mode: str = "cover"
    effort: str = "normal"


class DefaultsStore(QObject):
    """One for all windows. Values that cannot be read count as not set."""

    changed = Signal()

    def __init__(self, store: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    @property
    def values(self) -> Defaults:
        """As they are now."""
        first = Defaults()
        spheres = self._text("spheres")
        number = int(spheres) if spheres.isascii() and spheres.isdigit() else 0
        return Defaults(
            version=self._one_of("version", VERSIONS, first.version),
            profile=Profile(self._one_of("profile", tuple(Profile), first.profile)),
            spheres=min(number, MOST_SPHERES),
            mode=self._one_of("mode", FIT_MODES, first.mode),
            effort=self._one_of("effort", FIT_EFFORTS, first.effort),
        )

    def set(self, **changes: Any) -> None:
        """Changes fields of Defaults."""
        before = self.values
        after = replace(before, **changes)
        for field in fields(after):
            if getattr(after, field.name) != getattr(before, field.name):
                self._store.setValue(f"{_GROUP}/{field.name}", str(getattr(after, field.name)))
        if after != before:
            self.changed.emit()

    def _text(self, name: str) -> str:
        value = self._store.value(f"{_GROUP}/{name}")
        return value if isinstance(value, str) else ""

    def _one_of(self, name: str, choices: tuple[str, ...], first: str) -> str:
        text = self._text(name)
        return text if text in choices else first
