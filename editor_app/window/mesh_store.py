"""The geometry of the links, loaded in the background and kept while the robot is open."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from editor_app.core.document.document import Document
from editor_app.core.model.findings import Finding
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.space.geometry.link_geometry import LinkGeometry
from editor_app.core.space.geometry.paths import mapping_for
from editor_app.core.tasks.worker import JobError
from editor_app.core.verbs.load_meshes import LoadMeshes
from editor_app.window.findings_feed import FindingsFeed
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.locating import choose_folder_of, not_in_folder, remember_folder
from editor_app.window.session import Session
from editor_app.window.settings import Settings
from editor_app.window.timers import after

Kind = Literal["visual", "collision"]
_Key = tuple[Kind, str]
#: Seconds for which links are shown in one go: the window answers in between.
_SLICE = 0.04


class WindowMeshes(QObject):
    """One per window."""

    #: Names of links that have other geometry now.
    geometry_changed = Signal(tuple)
    #: (fraction, sentence)
    progress = Signal(float, str)
    #: Everything that can be loaded is.
    finished = Signal()
    #: How many meshes were not found.
    missing_changed = Signal(int)

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        settings: Settings,
        feed: FindingsFeed,
        window: QWidget | None = None,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._jobs = jobs
        self._settings = settings
        self._feed = feed
        self._loaded: dict[_Key, LinkGeometry] = {}
        self._urdf: Urdf | None = None
        self._path: Path | None = None
        self._mappings: tuple[tuple[str, Path], ...] = ()
        self._work = JobSlot(jobs)
        #: What was read and is not shown yet, and what comes after it.
        self._waiting: deque[LinkGeometry] = deque()
        self._then: Callable[[], object] | None = None
        self._give_later = after(self, self._give)
        session.document_opened.connect(self._on_opened)
        session.robot_changed.connect(self._on_robot)
        settings.mesh_folders.changed.connect(self._on_folders)
        feed.register_remedy("MESH001", "Locate…", self.locate)

    def geometry(self, link: str, kind: str) -> LinkGeometry | None:
        """Parts in the link's frame; None as long as they are not loaded."""
        return self._loaded.get((cast(Kind, kind), link))

    @property
    def is_loading(self) -> bool:
        return self._work.is_running or bool(self._waiting) or self._then is not None

    @property
    def missing(self) -> tuple[str, ...]:
        """Addresses of meshes that are nowhere, as the URDF has them."""
        return tuple(
            dict.fromkeys(
                address for geometry in self._loaded.values() for address in geometry.missing
            )
        )

    # -- loading

    def forget(self) -> None:
        """Loads everything again when the next document comes, also that of the same robot."""
        self._urdf = None

    def cancel(self) -> None:
        """Stops loading; what is there stays."""
        self._work.cancel()

    # -- where meshes are

    def locate(self, finding: Finding) -> None:
        """Asks for the folder of a mesh that was not found, remembers it, and loads what is
        there."""
        links = finding.subject.links
        missing = [
            a for key, geometry in self._loaded.items() if key[1] in links for a in geometry.missing
        ]
        # The message names the address; links may lack several.
        named = [address for address in missing if address in finding.message]
        for address in (named or missing)[:1]:
            self._ask_folder(address)

    def locate_missing(self) -> None:
        """Asks for the folder of the first mesh that was not found; it helps all others of the same
        package."""
        missing = self.missing
        if missing:
            self._ask_folder(missing[0])

    def _ask_folder(self, address: str) -> None:
        folder = choose_folder_of(self._window, address, self._path)
        if folder is None:
            # The notice whose button asked has gone with the click; what it says still holds.
            self._report()
            return
        self._look_in(address, folder)

    def look_in(self, folder: Path) -> None:
        """Looks for the meshes that were not found in a folder, and remembers it where one of them
        is there."""
        missing = self.missing
        first_match = next(
            (address for address in missing if mapping_for(address, folder) is not None), None
        )
        if missing:
            self._look_in(first_match or missing[0], folder)

    def _look_in(self, address: str, folder: Path) -> None:
        # Loads what is there by its signal.
        entry = remember_folder(self._settings.mesh_folders, (address,), folder, self._path)
        if entry is None:
            self._report()
            self._session.refused.emit(not_in_folder(address, folder))
            return
        whose = "all robots" if entry.home is None else f"the robots in {entry.home}"
        self._session.message.emit(
            f"{entry.prefix} is {entry.folder} for {whose}. Preferences list it."
        )

    def _on_folders(self) -> None:
        """Folders were located, changed or removed: what is found now may be others' meshes, or
        none."""
        self._give_folders()
        if self._urdf is not None and self._settings.mesh_folders.of(self._path) != self._mappings:
            self._load(_everything(self._urdf))

    def _give_folders(self) -> None:
        """Verbs find the meshes of the document where the window finds them."""
        document = self._session.document
        document.packages = FrozenDict(self._settings.mesh_folders.of(document.urdf_path))

    def _on_opened(self, document: Document) -> None:
        self._give_folders()
        if not self._session.has_robot:
            self._drop()
            self._loaded.clear()
            self._urdf = self._path = None
            return
        urdf = document.robot.urdf
        if self._urdf is not None and urdf == self._urdf and document.urdf_path == self._path:
            # Another XRDF of the same robot: the meshes stay.
            self._urdf = urdf
            self._report()
            return
        self._loaded.clear()
        self._urdf, self._path = urdf, document.urdf_path
        self._load(_everything(urdf))

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if new.urdf is old.urdf or self._urdf is None:
            return
        before = {link.name: link for link in self._urdf.links}
        materials = new.urdf.materials != self._urdf.materials
        changed = {
            link.name for link in new.urdf.links if materials or before.get(link.name) != link
        }
        gone = set(before) - {link.name for link in new.urdf.links}
        self._urdf = new.urdf
        for key in [key for key in self._loaded if key[1] in gone]:
            del self._loaded[key]
        if changed or not self.is_loading:
            # What is being loaded is begun anew with what changed.
            unloaded = set(_everything(new.urdf)) - set(self._loaded) if self.is_loading else set()
            self._load(
                tuple(key for key in _everything(new.urdf) if key[1] in changed or key in unloaded)
            )

    def _load(self, wanted: tuple[_Key, ...]) -> None:
        self._drop()
        if not wanted or self._urdf is None:
            self._end()
            return
        self._mappings = self._settings.mesh_folders.of(self._path)
        job = LoadMeshes(self._urdf, self._path, wanted, self._mappings)
        # What was decoded before is there in less time than a worker process takes to start.
        self._run(job.decoded, self._take_decoded, in_thread=True)

    def _run(self, work: object, take: Callable[[Any], object], *, in_thread: bool = False) -> None:
        self._work.run(
            "Loading meshes",
            work,
            take,
            in_thread=in_thread,
            each=self._take,
            progress=self.progress.emit,
            failed=self._failed,
            cancelled=self._cancelled,
        )

    def _take_decoded(self, result: tuple[list[LinkGeometry], LoadMeshes | None]) -> None:
        geometries, rest = result
        self._take(*geometries)
        self._finish(self._end if rest is None else partial(self._run, rest, self._end_when_given))

    def _end_when_given(self, _: object) -> None:
        self._finish(self._end)

    def _finish(self, then: Callable[[], object]) -> None:
        """Call `then` when all that was read is shown."""
        self._then = then
        self._give_later.start()

    def _take(self, *geometries: LinkGeometry) -> None:
        self._waiting.extend(geometries)
        self._give_later.start()

    def _give(self) -> None:
        """Shows links as long as nobody waits for the window; the others in the next turn of the
        event loop."""
        until = time.monotonic() + _SLICE
        while self._waiting and time.monotonic() < until:
            geometry = self._waiting.popleft()
            self._loaded[geometry.kind, geometry.link] = geometry
            # The views take what is new at once, so that its time counts.
            self.geometry_changed.emit((geometry.link,))
        if self._waiting:
            self._give_later.start()
        elif self._then is not None:
            then, self._then = self._then, None
            then()

    def _drop(self) -> None:
        self._work.drop()
        self._waiting.clear()
        self._then = None

    def _end(self, _: object = None) -> None:
        self._report()
        self.finished.emit()

    def _failed(self, error: JobError) -> None:
        self._end()
        self._jobs.failed_unexpectedly.emit(None, error)

    def _cancelled(self) -> None:
        self._report()
        self._session.message.emit(
            "Loading meshes was cancelled. File › Reload from disk loads them again."
        )

    def _report(self) -> None:
        findings = dict.fromkeys(
            finding for geometry in self._loaded.values() for finding in geometry.findings
        )
        self._feed.report("mesh", tuple(findings))
        self.missing_changed.emit(len(self.missing))


def _everything(urdf: Urdf) -> tuple[_Key, ...]:
    """What is seen first comes first: all visual meshes, then all collision meshes."""
    visual: list[_Key] = [("visual", link.name) for link in urdf.links if link.visuals]
    collision: list[_Key] = [("collision", link.name) for link in urdf.links if link.collisions]
    return (*visual, *collision)
