"""Settings that the window keeps from one start to the next."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from editor_app.core.document.replacing import put_aside
from editor_app.core.model.profile import Profile
from editor_app.core.model.regular_file import other_kind
from editor_app.core.space.geometry.paths import find_home_folder, package_folder
from editor_app.window.session import DisplayOptions, Session
from editor_app.window.theme import ThemeChoice

#: Of the file of settings.
_MOST_BYTES = 1 << 24
_FOR_ALL = "mesh_folders"
_BY_FOLDER = "mesh_folders_by_folder"


@dataclass(frozen=True, slots=True)
class MeshFolder:
    """A beginning of an address ("ur_description", "file:///old/") and its `folder`; `home` is None
    for all robots."""

    prefix: str
    folder: str
    home: str | None = None


class _Stored(QObject):
    """A part of the settings."""

    def __init__(self, store: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store


class MeshFolders(_Stored):
    """Kept in the settings. Entries that cannot be read count as not there."""

    changed = Signal()

    @property
    def entries(self) -> tuple[MeshFolder, ...]:
        """The folders for all robots first, then by folder."""
        for_all = _texts(read_json(self._store, _FOR_ALL))
        mesh_folders = [MeshFolder(prefix, folder) for prefix, folder in for_all.items()]
        for home, folders in sorted(read_json(self._store, _BY_FOLDER, {}).items()):
            mesh_folders += [
                MeshFolder(prefix, folder, home) for prefix, folder in _texts(folders).items()
            ]
        return tuple(mesh_folders)

    def of(self, urdf: Path | None) -> tuple[tuple[str, Path], ...]:
        """The mappings for a robot, as `core.space.geometry.paths` takes them; of one prefix the
        nearest counts."""
        entries, by_prefix = self.entries, dict[str, Path]()
        above = [] if urdf is None else [str(parent) for parent in urdf.absolute().parents]
        for home in [*above, None]:
            for entry in entries:
                if entry.home == home:
                    by_prefix.setdefault(entry.prefix, Path(entry.folder))
        for entry in entries:
            if (
                entry.prefix in by_prefix
                or not _is_package(entry.prefix)
                or not Path(entry.folder).is_dir()
            ):
                continue
            if package_folder(entry.prefix, urdf) is None:
                by_prefix[entry.prefix] = Path(entry.folder)
        return tuple(by_prefix.items())

    def remember(self, prefix: str, folder: str, urdf: Path | None = None) -> MeshFolder:
        """For the robots beside `urdf`, for all robots when that is None."""
        entry = MeshFolder(prefix, folder, None if urdf is None else str(find_home_folder(urdf)))
        others = [e for e in self.entries if (e.prefix, e.home) != (entry.prefix, entry.home)]
        self._write([*others, entry])
        return entry

    def forget(self, entry: MeshFolder) -> None:
        self._write([e for e in self.entries if e != entry])

    def change(self, entry: MeshFolder, folder: str) -> None:
        """Another folder for the same."""
        self._write([replace(e, folder=folder) if e == entry else e for e in self.entries])

    def share(self, entry: MeshFolder) -> None:
        """Makes it one for all robots."""
        shared = replace(entry, home=None)
        others = [
            e for e in self.entries if e != entry and (e.prefix, e.home) != (entry.prefix, None)
        ]
        self._write([*others, shared])

    def _write(self, entries: list[MeshFolder]) -> None:
        for_all = {e.prefix: e.folder for e in entries if e.home is None}
        by_folder: dict[str, dict[str, str]] = {}
        for entry in entries:
            if entry.home is not None:
                by_folder.setdefault(entry.home, {})[entry.prefix] = entry.folder
        self._store.setValue(_FOR_ALL, json.dumps(for_all))
        self._store.setValue(_BY_FOLDER, json.dumps(by_folder))
        self.changed.emit()


def _texts(stored: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in stored.items()} if isinstance(stored, dict) else {}


def _is_package(prefix: str) -> bool:
    return bool(prefix) and not set(prefix) & set("/\\:.")


_Choice = TypeVar("_Choice", bound=StrEnum)
_KEYS, _DEFAULTS = "shortcuts", "defaults"
VERSIONS = ("1.0", "2.0")
#: Of a fit: name, text, what it does.
MODES = (
    ("cover", "Cover everything", "Every triangle is covered, with proof"),
    ("balanced", "Balanced", "Up to 1 % may be uncovered for a tighter fit"),
    ("inside", "Inside only", "No sphere protrudes"),
)
EFFORTS = (
    ("fast", "Fast", "A quick draft"),
    ("normal", "Normal", ""),
    ("best", "Best", "Takes several times as long"),
)
MOST_SPHERES = 2000
RECENT_LIMIT = 12
#: Raise it when docks or toolbars are renamed: a layout of another number is not restored.
LAYOUT_VERSION = 2
#: Switches of DisplayOptions: remembered all but the projection, which belongs to a look at one
#: robot.
_DISPLAY_FLAGS = tuple(
    field.name
    for field in fields(DisplayOptions)
    if isinstance(field.default, bool) and field.name != "parallel_projection"
)
#: Field of DisplayOptions -> key of its setting.
_DISPLAY_CHOICES = {"length_unit": "units/length", "angle_unit": "units/angle", "mouse": "mouse"}
#: Fields of DisplayOptions that are the same in all windows.
SHARED_DISPLAY = ("length_unit", "angle_unit", "mouse", "follow_selection")


class Keymap(_Stored):
    """One for all windows. Keys are portable texts: "Ctrl+Shift+F"."""

    #: The id of the action whose keys are others now.
    changed = Signal(str)

    def keys(self, action: str) -> tuple[str, ...] | None:
        """The keys chosen for an action, () for none; None where it has those that it comes
        with."""
        keys = read_json(self._store, f"{_KEYS}/{action}")
        return tuple(k for k in keys if isinstance(k, str)) if isinstance(keys, list) else None

    def choose(self, action: str, keys: Sequence[str] | None) -> None:
        """Gives an action other keys; None gives it back those that it comes with."""
        if keys is None:
            self._store.remove(f"{_KEYS}/{action}")
        else:
            self._store.setValue(f"{_KEYS}/{action}", json.dumps(list(keys)))
        self.changed.emit(action)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ids of the actions that have other keys than they come with."""
        prefix = f"{_KEYS}/"
        return tuple(
            key.removeprefix(prefix) for key in self._store.allKeys() if key.startswith(prefix)
        )


@dataclass(frozen=True, slots=True)
class Defaults:
    """`spheres` for the whole robot; 0: by the number of its links."""

    version: str = "1.0"
    profile: Profile = Profile.SPECIFICATION
    spheres: int = 0
    mode: str = "cover"
    effort: str = "normal"


class DefaultsStore(_Stored):
    """One for all windows. Values that cannot be read count as not set."""

    changed = Signal()

    @property
    def values(self) -> Defaults:
        first = Defaults()
        spheres = _text(self._store, f"{_DEFAULTS}/spheres")
        number = int(spheres) if spheres.isascii() and spheres.isdigit() else 0
        return Defaults(
            version=self._one_of("version", VERSIONS, first.version),
            profile=Profile(self._one_of("profile", tuple(Profile), first.profile)),
            spheres=min(number, MOST_SPHERES),
            mode=self._one_of("mode", [name for name, *_ in MODES], first.mode),
            effort=self._one_of("effort", [name for name, *_ in EFFORTS], first.effort),
        )

    def set(self, **changes: Any) -> None:
        before = self.values
        after = replace(before, **changes)
        for field in fields(after):
            if getattr(after, field.name) != getattr(before, field.name):
                self._store.setValue(f"{_DEFAULTS}/{field.name}", str(getattr(after, field.name)))
        if after != before:
            self.changed.emit()

    def _one_of(self, name: str, choices: Collection[str], first: str) -> str:
        text = _text(self._store, f"{_DEFAULTS}/{name}")
        return text if text in choices else first


class Settings(QObject):
    """A typed face on QSettings. Values that cannot be read count as not set."""

    recent_changed = Signal()

    def __init__(self, store: QSettings | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        #: The file of settings that cannot be read, where it was moved to.
        self.set_aside = None if store is not None else _set_aside_unreadable()
        #: For panels that remember something of their own, under a key of their own.
        self.store = store or _user_settings("xrdf-editor")
        #: Where the meshes are that robots do not find by themselves.
        self.mesh_folders = MeshFolders(self.store, self)
        #: Keys that the user gave to actions.
        self.keymap = Keymap(self.store, self)
        #: What new files and fits begin with.
        self.defaults = DefaultsStore(self.store, self)

    # -- choices

    @property
    def theme(self) -> ThemeChoice:
        return _choice(ThemeChoice, _text(self.store, "theme"), ThemeChoice.SYSTEM)

    def set_theme(self, choice: ThemeChoice) -> None:
        self.store.setValue("theme", choice.value)

    def apply_display(self, session: Session) -> None:
        """Puts the remembered units and display switches into the session."""
        display = session.display
        changes: dict[str, object] = {}
        for name, key in _DISPLAY_CHOICES.items():
            before: StrEnum = getattr(display, name)
            changes[name] = _choice(type(before), _text(self.store, key), before)
        for flag in _DISPLAY_FLAGS:
            text = _text(self.store, f"display/{flag}")
            if text in ("true", "false"):
                changes[flag] = text == "true"
        session.set_display(**changes)

    def remember_display(self, before: DisplayOptions, now: DisplayOptions) -> None:
        """Only what changed: another window may have changed something else since."""
        for name, key in _DISPLAY_CHOICES.items():
            if getattr(now, name) is not getattr(before, name):
                self.store.setValue(key, getattr(now, name).value)
        for flag in _DISPLAY_FLAGS:
            if getattr(now, flag) != getattr(before, flag):
                self.store.setValue(f"display/{flag}", "true" if getattr(now, flag) else "false")

    # -- files

    @property
    def recent(self) -> tuple[tuple[str, str | None], ...]:
        """(URDF, XRDF or None), the last one first; files that are gone are left out."""
        entries = []
        for item in read_json(self.store, "recent", []):
            if isinstance(item, list) and len(item) == 2 and Path(item[0]).is_file():
                entries.append(
                    (str(item[0]), str(item[1]) if item[1] and Path(item[1]).is_file() else None)
                )
        return tuple(entries)

    def add_recent(self, urdf: str, xrdf: str | None) -> None:
        # Another process may have added to the list meanwhile.
        self.store.sync()
        # A robot whose XRDF was not written then has one now: it opens along.
        others = [list(entry) for entry in self.recent if entry not in ((urdf, xrdf), (urdf, None))]
        self.store.setValue("recent", json.dumps([[urdf, xrdf], *others][:RECENT_LIMIT]))
        self.recent_changed.emit()

    def clear_recent(self) -> None:
        self.store.remove("recent")
        self.recent_changed.emit()

    @property
    def last_folder(self) -> str:
        folder = _text(self.store, "last_folder")
        # At first the folder that the program was started in, as long as that is somebody's choice.
        folders = (folder, os.environ.get("PWD", ""), str(Path.home()))
        return next(
            (each for each in folders if each not in ("", os.sep) and Path(each).is_dir()),
            folders[-1],
        )

    def set_last_folder(self, folder: str) -> None:
        self.store.setValue("last_folder", folder)

    # -- the window

    @property
    def layout(self) -> tuple[QByteArray, QByteArray] | None:
        """(geometry, state) of the main window."""
        geometry, state = self.store.value("window/geometry"), self.store.value("window/state")
        if isinstance(geometry, QByteArray) and isinstance(state, QByteArray):
            return geometry, state
        return None

    def set_layout(self, geometry: QByteArray, state: QByteArray) -> None:
        self.store.setValue("window/geometry", geometry)
        self.store.setValue("window/state", state)

    def sync(self) -> None:
        self.store.sync()


def _user_settings(name: str) -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "xrdf-editor", name)


def _set_aside_unreadable() -> Path | None:
    """Renames the file of settings if it is a pipe or a device, which Qt would read without an end,
    or too large."""
    # Settings of another name, so that Qt tells the folder without reading the file.
    path = Path(_user_settings("none").fileName()).with_name("xrdf-editor.ini")
    try:
        is_sound = not path.exists() or (
            other_kind(path) is None and path.stat().st_size <= _MOST_BYTES
        )
    except OSError:
        is_sound = True
    return None if is_sound else put_aside(path)


def _text(store: QSettings, key: str) -> str:
    value = store.value(key)
    return value if isinstance(value, str) else ""


def read_json(store: QSettings, key: str, default: Any = None) -> Any:
    """Return the value of a key; the default for an unreadable value, or one of another type."""
    try:
        stored = json.loads(_text(store, key) or "null")
    except (ValueError, RecursionError):
        return default
    return stored if default is None or isinstance(stored, type(default)) else default


def _choice(kind: type[_Choice], text: str, default: _Choice) -> _Choice:
    try:
        return kind(text)
    except ValueError:
        return default
