"""Where meshes are, as the user said: remembered for the robots of one folder, or for all robots.

What was located for one robot counts for the robots of its package (or of its folder, where that is in none) before
all else. For robots elsewhere it is a last resort: a package that they find by themselves may be another version of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal

from editor_app.geometry.paths import home_of, package_folder

_FOR_ALL = "mesh_folders"
_BY_FOLDER = "mesh_folders_by_folder"


@dataclass(frozen=True, slots=True)
class MeshFolder:
    """What an address begins with ("ur_description", "file:///old/") is in `folder`; `home` is None for all robots."""

    prefix: str
    folder: str
    home: str | None = None


class MeshFolders(QObject):
    """Kept in the settings. Entries that cannot be read count as not there."""

    changed = Signal()

    def __init__(self, store: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    @property
    def entries(self) -> tuple[MeshFolder, ...]:
        """The folders for all robots first, then by folder."""
        mesh_folders = [MeshFolder(prefix, folder) for prefix, folder in self._read(_FOR_ALL).items()]
        for home, folders in sorted(self._json(_BY_FOLDER).items()):
            mesh_folders += [MeshFolder(prefix, folder, home) for prefix, folder in _texts(folders).items()]
        return tuple(mesh_folders)

    def of(self, urdf: Path | None) -> tuple[tuple[str, Path], ...]:
        """The mappings for a robot, as `geometry.paths` takes them; of one prefix the nearest counts."""
        entries, by_prefix = self.entries, dict[str, Path]()
        above = [] if urdf is None else [str(parent) for parent in urdf.absolute().parents]
        for home in [*above, None]:
            for entry in entries:
                if entry.home == home:
                    by_prefix.setdefault(entry.prefix, Path(entry.folder))
        for entry in entries:
            if entry.prefix in by_prefix or not _is_package(entry.prefix) or not Path(entry.folder).is_dir():
                continue
            if package_folder(entry.prefix, urdf) is None:
                by_prefix[entry.prefix] = Path(entry.folder)
        return tuple(by_prefix.items())

    def remember(self, prefix: str, folder: str, urdf: Path | None = None) -> MeshFolder:
        """For the robots beside `urdf`, for all robots when that is None."""
        entry = MeshFolder(prefix, folder, None if urdf is None else str(home_of(urdf)))
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
        others = [e for e in self.entries if e != entry and (e.prefix, e.home) != (entry.prefix, None)]
        self._write([*others, shared])

    # -- inside

    def _write(self, entries: list[MeshFolder]) -> None:
        for_all = {e.prefix: e.folder for e in entries if e.home is None}
        by_folder: dict[str, dict[str, str]] = {}
        for entry in entries:
            if entry.home is not None:
                by_folder.setdefault(entry.home, {})[entry.prefix] = entry.folder
        self._store.setValue(_FOR_ALL, json.dumps(for_all))
        self._store.setValue(_BY_FOLDER, json.dumps(by_folder))
        self.changed.emit()

    def _read(self, key: str) -> dict[str, str]:
        return _texts(self._json(key))

    def _json(self, key: str) -> Mapping[str, object]:
        value = self._store.value(key)
        try:
            stored = json.loads(value) if isinstance(value, str) else None
        except ValueError:
            return {}
        return stored if isinstance(stored, dict) else {}


def _texts(stored: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in stored.items()} if isinstance(stored, dict) else {}


def _is_package(prefix: str) -> bool:
    return bool(prefix) and not set(prefix) & set("/\\:.")
