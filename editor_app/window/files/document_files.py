"""Opening: what the File menu and a dropped file do; saving is what it builds on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from editor_app.core.document.beside import Beside, read_poses, scene_beside
from editor_app.core.document.commands.srdf_parts import NewSrdf
from editor_app.core.document.document import Document
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.saving import SaveError
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import SETTINGS, FileKind
from editor_app.core.formats.moveit_package import find_xrdf, package_root
from editor_app.core.formats.registry import codecs
from editor_app.core.formats.scenes import read_scene
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.resources import bundled
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import Refused, make_stoppable
from editor_app.core.tasks.worker import JobError
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.new_link import BASE, empty_robot
from editor_app.core.verbs.open import open_sorted
from editor_app.core.verbs.pairing import (
    NameMatch,
    RobotMatch,
    RobotParts,
    is_imported,
    match_robot,
    names_of_robot,
    offered_beside,
    sorted_parts,
    unread_kind,
)
from editor_app.core.verbs.robot_inputs import is_xacro, robot_files, settings_kind
from editor_app.window import dialogs
from editor_app.window.files.questions import BrokenFileDialog, PairingDialog
from editor_app.window.files.saved_files import SavedFiles, find_free_path
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.settings import Settings


@dataclass(frozen=True, slots=True)
class _Opened:
    document: Document
    #: The scene of the file beside the URDF, and what is wrong with that file.
    scene: Scene
    scene_fault: str
    #: Files of another name beside the URDF that belong to it as their names say.
    offers: tuple[NameMatch, ...] = ()


class DocumentFiles(SavedFiles):
    """One per window. Nothing here blocks but the questions; the previous document stays until the
    next is read."""

    #: The file that is being read, or None when that is over.
    opening_changed = Signal(object)
    #: A new robot is open: its one link is selected, and has no shape yet.
    begun = Signal()
    #: (Path, Path or None, Path or None, arguments or None): a xacro file was opened, with an XRDF
    #: and SRDF that were named, and the arguments that its package names.
    xacro_requested = Signal(object, object, object, object)
    #: (tuple of Match): files of another name in the folder of the robot that was opened fit it.
    offered = Signal(object)

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, window: QWidget) -> None:
        super().__init__(session, jobs, settings, window)
        self._reading = JobSlot(
            jobs, lambda: self.opening_changed.emit(self._read if self.is_opening else None)
        )
        self._read: Path | None = None
        #: Brings another window to the front that has this URDF (and XRDF, if one is named) open;
        #: False without one.
        self.raise_other: Callable[[Path, Path | None], bool] = lambda urdf, xrdf: False

    @property
    def is_opening(self) -> bool:
        return self._reading.is_running

    # -- opening

    def open_dialog(self) -> None:
        """Asks for a URDF, an XRDF or SRDF, or several of them, and opens them together."""
        chosen = dialogs.choose_files(
            self._window,
            "Open robot",
            self._settings.last_folder,
            f"Robots ({' '.join(_patterns_of_robots())});;All files (*)",
        )
        if chosen:
            self.open_paths(list(map(Path, chosen)))

    def open_sample(self) -> None:
        """Opens the sample robot, where it is installed."""
        sample = bundled()
        if sample is not None:
            self.open(sample)

    def new_robot(self) -> None:
        """Asks for the name of a URDF, writes one with a single link, and opens it."""
        proposal = str(Path(self._settings.last_folder) / "robot.urdf")
        path = dialogs.save_target(
            self._window, "New robot", proposal, dialogs.URDF_FILTER, ".urdf"
        )
        if path is None or not self.may_lose_document():
            return
        try:
            empty_robot(path, overwrite=True)
        except (SaveError, OSError) as error:
            self.failed.emit("New robot", f"{path.name} cannot be written.", str(error))
            return
        self.open(path, on_opened=self._begin)

    def _begin(self) -> None:
        self._session.select(Selection(links=(BASE,)))
        self.begun.emit()

    def open_recent(self, urdf: str, xrdf: str | None, *_: object) -> None:
        self.open(Path(urdf), Path(xrdf) if xrdf else None)

    def open_part_dialog(self, kind: FileKind) -> None:
        """Asks for another XRDF or SRDF for the robot that is open."""
        document = self.document
        if document.urdf_path is None:
            return
        folder = str((document.path(kind) or document.urdf_path).parent)
        kinds = dialogs.XRDF_FILTER if kind is FileKind.XRDF else dialogs.SRDF_FILTER
        chosen = dialogs.choose_file(
            self._window, f"Open {kind.upper()} for this robot", folder, kinds
        )
        if chosen:
            self.attach(**{kind.value: Path(chosen)})

    def new_xrdf(self) -> None:
        """Drafts a new XRDF for the robot that is open, beside the one it has."""
        document = self.document
        if document.urdf_path is not None:
            self.reopen(srdf=_srdf_on_disk(document), new_xrdf=True)

    def new_srdf(self) -> None:
        """An SRDF with nothing in it yet, for a robot that has none; a step that can be undone."""
        self._session.execute(NewSrdf())

    def open_paths(self, paths: list[Path]) -> None:
        """Opens what was dropped or named, as what it is: a robot, an XRDF, an SRDF, or several of
        them together.

        An XRDF or SRDF alone goes to the robot that has its names; when that is not clear, the user
        is asked.
        """
        if any(package_root(path) is not None or settings_kind(path) is not None for path in paths):
            self._open_package(paths)
            return
        parts = sorted_parts(paths)
        if parts.robot is not None:
            if parts.is_xacro:
                self.xacro_requested.emit(parts.robot, parts.xrdf, parts.srdf, None)
            else:
                self.open(parts.robot, parts.xrdf, srdf=parts.srdf)
        elif parts.foreign is not None and (not parts.files or is_imported(parts.foreign)):
            self.import_requested.emit(parts.foreign, parts.xrdf)
        elif parts.files:
            self._open_parts(parts)
        elif (unread := unread_kind(paths)) is not None:
            self.failed.emit(
                "Cannot open", _sentence(unread.message), f"{unread.location}\n\n{unread.fix}"
            )
        else:
            names = ", ".join(p.name for p in paths)
            self.failed.emit(
                "Cannot open",
                f"{names} is not a URDF, XRDF or SRDF.",
                "Open a URDF (.urdf, .xml), an XRDF (.xrdf, .yaml) or an SRDF (.srdf). For other "
                "formats, choose "
                "File › Import.",
            )

    def _open_package(self, paths: list[Path]) -> None:
        """A folder, or settings of MoveIt with the robot that they are of; xacro that adds control
        alone is left."""
        mappings = self._settings.mesh_folders.of(paths[0])
        try:
            files = robot_files(*paths, packages=dict(mappings), allow_xacro=False)
        except (Refused, FormatError, OSError) as error:
            self.failed.emit("Cannot open", _sentence(str(error)), "")
            return
        if files.is_xacro:
            self.xacro_requested.emit(files.robot, files.xrdf, files.srdf, files.arguments or None)
            return
        if is_xacro(files.srdf):
            self._session.message.emit(
                f"{files.srdf.name} was not opened: it only expands together with a xacro robot."
            )
        srdf = None if is_xacro(files.srdf) else files.srdf
        self.open(files.robot, files.xrdf, srdf=srdf, settings=files.settings)

    def _open_parts(self, parts: RobotParts) -> None:
        document, files = self.document, parts.files
        names = names_of_robot(document.robot.urdf) if self._session.has_robot else None
        open_urdf = document.urdf_path
        recent = [Path(urdf) for urdf, _ in self._settings.recent]

        def place(urdf: Path | None) -> None:
            if urdf is None:
                self.attach(parts.xrdf, parts.srdf)
            elif is_imported(urdf):
                self.import_requested.emit(urdf, parts.xrdf)
            else:
                self.open(urdf, parts.xrdf, srdf=parts.srdf)

        self.find_home(files[0], lambda: match_robot(files, names, open_urdf, recent), place)

    def find_home(
        self, file: Path, look: Callable[[], RobotMatch], place: Callable[[Path | None], object]
    ) -> None:
        """Calls `place` with the URDF that `look` gives for a file, None for the robot that is
        open; asks if unclear.

        `look` runs in a thread.
        """
        open_urdf = self.document.urdf_path
        open_name = open_urdf.name if open_urdf is not None else "the robot"

        def take(home: RobotMatch) -> None:
            if home.is_open or home.urdf is not None:
                place(home.urdf)
            else:
                PairingDialog(self._window, file, home.matches, place, open_name).open()

        reading = JobSlot(self._jobs)
        reading.run(
            f"Reading {file.name}",
            lambda _: look(),
            take,
            in_thread=True,
            failed=partial(self.tell_failure, file),
        )

    def reopen(
        self,
        xrdf: Path | None = None,
        *,
        srdf: Path | SourceText | None = None,
        new_xrdf: bool = False,
        on_opened: Callable[[], object] | None = None,
    ) -> bool:
        """Open the present robot again by `open`; the expansion of a xacro file stays as it is."""
        document = self.document
        if document.urdf_path is None:
            return False
        expansion = document.expansion
        settings = {kind: path for kind in SETTINGS if (path := document.path(kind)) is not None}
        urdf = document.urdf_path if expansion is None else document.state.urdf_source.source
        return self.open(
            urdf,
            xrdf,
            srdf=srdf,
            settings=settings or None,
            new_xrdf=new_xrdf,
            expansion=expansion,
            on_opened=on_opened,
        )

    def open(
        self,
        urdf: Path | SourceText,
        xrdf: Path | None = None,
        *,
        srdf: Path | SourceText | None = None,
        settings: Mapping[FileKind, Path] | None = None,
        new_xrdf: bool = False,
        expansion: Expansion | None = None,
        on_opened: Callable[[], object] | None = None,
    ) -> bool:
        """Reads in the background, after asking about unsaved work; False when the user keeps it.

        With `expansion`, `urdf` is what came out of a xacro file, read-only.
        """
        if isinstance(urdf, Path) and self.raise_other(urdf, xrdf):
            return False
        if isinstance(urdf, Path) and urdf.suffix.lower() == ".xacro":
            self.xacro_requested.emit(urdf, xrdf, srdf, None)
            return False
        path = (
            expansion.source
            if expansion is not None
            else urdf.path
            if isinstance(urdf, SourceText)
            else urdf
        )
        assert path is not None
        is_same = self.document.urdf_path == path
        if not self.may_lose_document(keeps_beside=is_same):
            return False
        version = self._settings.defaults.values.version

        def read(reporter: TaskReporter) -> _Opened:
            document = open_sorted(
                urdf,
                xrdf,
                srdf=srdf,
                settings=settings,
                new_xrdf=new_xrdf,
                expansion=expansion,
                version=version,
                on_progress=make_stoppable(reporter.progress, reporter.cancelled),
            )
            # The window asks for it first: it is remembered.
            get_tree(document.robot)
            return _Opened(document, *_scene_of(document), () if new_xrdf else _offers(document))

        asked = self.document.state

        def done(opened: _Opened) -> None:
            # What was edited while the files were read has not been asked about.
            changed = self.document.state is not asked
            if changed and not self.may_lose_document(keeps_beside=is_same):
                return
            self._opened(opened, drafted=new_xrdf)
            if opened.offers:
                self.offered.emit(opened.offers)
            if on_opened is not None:
                on_opened()

        def failed(error: JobError) -> None:
            srdf_path = srdf.path if isinstance(srdf, SourceText) else srdf
            broken = self._broken_part(path, xrdf, srdf_path, error.exception)
            if broken is None:
                self.tell_failure(xrdf or srdf_path or path, error)
                return
            kind, file, cause = broken

            def go_on(on_done: Callable[[], object] | None = None) -> None:
                kept: tuple[Path | None, Path | SourceText | None] = (
                    (None, srdf) if kind is FileKind.XRDF else (xrdf, None)
                )
                without = new_xrdf or kind is FileKind.XRDF
                self.open(
                    urdf,
                    kept[0],
                    srdf=kept[1],
                    settings=settings,
                    new_xrdf=without,
                    expansion=expansion,
                    on_opened=on_done or on_opened,
                )

            first, *_ = self._ways_for_open(kind, file, cause)
            ways_out = [
                ("without", "Open &without it", go_on),
                (*first[:2], lambda: go_on(first[2])),
            ]
            BrokenFileDialog(self._window, file, cause, ways_out).open()

        self._read = path
        self._reading.run(f"Opening {path.name}", read, done, in_thread=True, failed=failed)
        return True

    def reload(self) -> None:
        """Reads the files again, as they are on disk now."""
        document = self.document
        if document.urdf_path is None:
            return
        srdf = _srdf_on_disk(document)
        pose = self._session.pose
        xrdf = (
            document.xrdf_path
            if document.xrdf_path is not None and document.xrdf_path.is_file()
            else None
        )
        self.reopen(xrdf, srdf=srdf, on_opened=lambda: self._session.set_pose(pose))

    def close_document(self) -> bool:
        """Back to the start page; False when the user keeps what is unsaved."""
        if not self.may_lose_document():
            return False
        self._session.open(None)
        return True

    def _opened(self, opened: _Opened, *, drafted: bool) -> None:
        document = opened.document
        if drafted and document.xrdf_path is None and document.urdf_path is not None:
            # A file of the obvious name exists: the draft must not be saved over it.
            document.xrdf_path = find_free_path(document.urdf_path.with_suffix(".xrdf"))
        self._ignored = ()
        before = self.document
        if before.urdf_path == document.urdf_path:
            document.take_beside(before)
        elif document.urdf_path is not None:
            document.begin_beside(Beside(opened.scene, read_poses(document.urdf_path)))
            document.keep_beside(scene=opened.scene)
        document.profile = (
            before.profile if self._session.has_robot else self._settings.defaults.values.profile
        )
        self._session.open(document)
        self._remember(document)
        if document.xrdf_digest is None:
            self._session.message.emit("No XRDF found. A new one was drafted and is not saved yet.")
        package = next(
            (finding for finding in document.opening_findings if finding.code == "ROS010"), None
        )
        if package is not None:
            self._session.message.emit(package.message)
        if opened.scene_fault:
            self._session.message.emit(opened.scene_fault)

    def tell_failure(self, path: Path, error: JobError) -> None:
        """Says why a file could not be opened, and what to do about it."""
        cause = error.exception
        still = "The previous robot stays open." if self._session.has_robot else ""
        if isinstance(cause, FormatError):
            where = str(cause.location) if cause.location is not None else str(path)
            detail = "\n\n".join(part for part in (where, cause.fix, still) if part)
            self.failed.emit("Cannot open", _sentence(cause.message), detail)
        elif isinstance(cause, OSError):
            reason = cause.strerror or str(cause)
            name = Path(cause.filename).name if isinstance(cause.filename, str) else path.name
            detail = "\n\n".join(part for part in (str(cause.filename or path), still) if part)
            self.failed.emit("Cannot open", f"{name}: {reason}.", detail)
        else:
            self._jobs.failed_unexpectedly.emit(None, error)

    def _broken_part(
        self, urdf: Path, xrdf: Path | None, srdf: Path | None, cause: BaseException | None
    ) -> tuple[FileKind, Path, FormatError] | None:
        """Whether it is the XRDF or SRDF that cannot be read, so that the URDF can be opened all
        the same."""
        if not isinstance(cause, FormatError) or cause.location is None:
            return None
        for kind, path in ((FileKind.XRDF, xrdf or find_xrdf(urdf)), (FileKind.SRDF, srdf)):
            if path is not None and Path(cause.location.file) == path.absolute():
                return kind, path, cause
        return None


def _scene_of(document: Document) -> tuple[Scene, str]:
    """The scene of the file beside the URDF, and a sentence where it cannot be read."""
    path = document.urdf_path and scene_beside(document.urdf_path)
    if path is None or not path.is_file():
        return EMPTY_SCENE, ""
    try:
        return read_scene(path), ""
    except (FormatError, OSError) as error:
        return EMPTY_SCENE, f"The scene {path.name} next to the robot cannot be read: {error}"


def _srdf_on_disk(document: Document) -> Path | SourceText | None:
    """Where the SRDF is read from again: its file, or the expansion that is in no file."""
    path, source = document.srdf_path, document.state.srdf_source
    if path is None or path.is_file():
        return path
    return (
        source.source if source is not None and document.digest(FileKind.SRDF) is not None else None
    )


def _patterns_of_robots() -> tuple[str, ...]:
    """Return the patterns of URDF, XRDF and SRDF, and of each format that holds a whole robot."""
    native = ("*.urdf", "*.xml", "*.xacro", "*.xrdf", "*.yaml", "*.yml", "*.srdf")
    whole = (pattern for codec in codecs() if codec.is_whole for pattern in codec.pattern.split())
    return tuple(dict.fromkeys((*native, *whole, ".setup_assistant")))


def _offers(document: Document) -> tuple[NameMatch, ...]:
    """Files of another name beside a URDF that has none of its own name."""
    urdf = document.path(FileKind.URDF)
    if urdf is None:
        return ()
    missing = [FileKind.XRDF] if document.xrdf_digest is None else []
    unread = any(finding.code == "SRDF000" for finding in document.opening_findings)
    missing += [FileKind.SRDF] if document.srdf_path is None and not unread else []
    names = names_of_robot(document.robot.urdf)
    return tuple(
        match for kind in missing if (match := offered_beside(urdf, names, kind)) is not None
    )


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
