"""Says when files that are open were touched by another program, while the window stays where it is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from editor_app.gui.timers import Wait, after


class DiskWatch(QObject):
    """Watches files, replaced ones and ones that come back included; the listener compares the contents."""

    touched = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._paths: tuple[Path, ...] = ()
        self._wanted: tuple[str, ...] = ()
        self._watcher = QFileSystemWatcher(self)
        self._settle = after(self, self._tell, Wait.DISK)
        self._watcher.fileChanged.connect(self.look_soon)
        # A file that is replaced by a rename is seen by its folder alone.
        self._watcher.directoryChanged.connect(self.look_soon)

    def watch(self, paths: Iterable[Path]) -> None:
        """These files from now on, and no others."""
        # Asked after every step of an edit: nearly always these are the same.
        if (now := tuple(paths)) != self._paths:
            self._paths = now
            self._wanted = tuple(dict.fromkeys(str(path.absolute()) for path in now))
            self._renew()
            if not now:
                self._settle.stop()

    def look_soon(self, *_: object) -> None:
        """Says `touched` after the pause, when any file is watched: the watcher of some file systems hears nothing."""
        if self._wanted:
            self._settle.start()

    def _renew(self) -> None:
        targets = {path for path in self._wanted if Path(path).exists()}
        targets |= {str(folder) for path in self._wanted if (folder := Path(path).parent).is_dir()}
        present = {*self._watcher.files(), *self._watcher.directories()}
        if gone := sorted(present - targets):
            self._watcher.removePaths(gone)
        if new := sorted(targets - present):
            self._watcher.addPaths(new)

    def _tell(self) -> None:
        # A replaced file is another file: the watch on the old one has ended.
        self._renew()
        self.touched.emit()
