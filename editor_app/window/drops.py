"""Files and folders dragged onto the window: what dropping them will do is said before, and done as
said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QLineEdit, QMainWindow, QPlainTextEdit, QTextEdit, QWidget

from editor_app.core.document.added_meshes import added_meshes
from editor_app.core.document.commands.tools import ToldChange
from editor_app.core.formats.moveit_package import is_moveit_package
from editor_app.core.space.geometry.loading import MESH_EXTENSIONS
from editor_app.core.verbs.pairing import RobotParts, sorted_parts, unread_kind
from editor_app.window.editor_window import EditorWindow
from editor_app.window.jobs import JobSlot, Latest
from editor_app.window.link_tree.link_tree import LinkTreePanel
from editor_app.window.session import Hover

#: More files of a folder are not looked at.
_MOST = 500


@dataclass(frozen=True, slots=True)
class DropTarget:
    """The target of dragged files: the link of the view or of the tree, and whether Shift asks for
    collisions.

    `added_frame`: a frame of the XRDF in place of a link, which the URDF cannot give shapes.
    """

    link: str | None = None
    with_shift: bool = False
    added_frame: str | None = None


@dataclass(frozen=True, slots=True)
class DropPlan:
    """`sentence` says what happens to `paths`; `meshes`: a folder in which missing meshes are
    looked for.

    `link`: the one that `paths` are added to, as collisions or as visuals, or that the robot `part`
    is attached to.
    """

    sentence: str
    paths: tuple[Path, ...] = ()
    meshes: Path | None = None
    link: str | None = None
    as_collision: bool = False
    part: Path | None = None
    can_drop: bool = True


#: What opening a file does with the open robot ("play"), None for a file of another kind.
FileUse = Callable[[Path], str | None]


def plan_drop(
    paths: Sequence[Path],
    *,
    has_robot: bool,
    misses_meshes: bool,
    place: DropTarget | None = None,
    uses: Sequence[FileUse] = (),
    can_attach: bool = False,
) -> DropPlan:
    """Plan the effect of dropping these files. Reads the beginnings of files.

    `uses`: of what files of plug-ins do with the open robot. `can_attach`: a robot can be attached
    to a link.
    """
    folders = [path for path in paths if path.is_dir()]
    if len(folders) == 1 and len(paths) == 1:
        return _of_folder(folders[0], has_robot=has_robot, misses_meshes=misses_meshes)
    files = tuple(path for path in paths if path not in folders)
    used = {
        path: use
        for path in files
        if (use := next(filter(None, (ask(path) for ask in uses)), None)) is not None
    }
    if used and len(used) == len(files):
        return _of_used(used, has_robot=has_robot)
    place = place or DropTarget()
    parts = sorted_parts(path for path in files if path not in used)
    plan_of_parts = _of_parts(parts, list(used), files, place, can_attach=can_attach)
    if plan_of_parts is not None:
        return plan_of_parts
    if files and not folders and are_meshes(files):
        return _of_meshes(files, place, has_robot=has_robot)
    return DropPlan(_why_unread(paths, files), tuple(paths), can_drop=False)


def _why_unread(paths: Sequence[Path], files: tuple[Path, ...]) -> str:
    if (unread := unread_kind(files)) is not None:
        return f"{Path(unread.location.file).name}: {unread.message}"
    return f"{', '.join(path.name for path in paths)}: not a file that can be opened"


def _of_parts(
    parts: RobotParts,
    used: list[Path],
    files: tuple[Path, ...],
    place: DropTarget,
    *,
    can_attach: bool,
) -> DropPlan | None:
    """What the files of a robot among those dropped will do; None for none."""
    with_others = " with ".join(path.name for path in (*parts.files, *used))
    if parts.robot is not None:
        begin = "Drop to expand and open" if parts.is_xacro else "Drop to open the robot"
        sentence = f"{begin} {parts.robot.name}" + (f" with {with_others}" if with_others else "")
        if place.link is None or parts.is_xacro or not can_attach:
            return DropPlan(sentence, files)
        if place.with_shift:
            return DropPlan(
                f"Drop to attach {parts.robot.name} to {place.link}",
                files,
                link=place.link,
                part=parts.robot,
            )
        return DropPlan(f"{sentence} (Shift: attach it to {place.link})", files)
    if parts.files:
        return DropPlan(f"Drop to open {with_others} for the matching robot", files)
    if parts.foreign is not None:
        return DropPlan(f"Drop to import {parts.foreign.name}", files)
    return None


def _of_used(used: Mapping[Path, str], *, has_robot: bool) -> DropPlan:
    files = tuple(used)
    if not has_robot:
        return DropPlan(
            f"{' and '.join(path.name for path in files)}: open the robot first",
            files,
            can_drop=False,
        )
    named = {
        use: " and ".join(path.name for path in files if used[path] == use) for use in used.values()
    }
    return DropPlan(
        f"Drop to {' and '.join(f'{use} {names}' for use, names in named.items())}", files
    )


def are_meshes(paths: Sequence[Path]) -> bool:
    """By their names; a COLLADA file may be a robot all the same."""
    return all(path.suffix.lower().removeprefix(".") in MESH_EXTENSIONS for path in paths)


def _of_meshes(files: tuple[Path, ...], place: DropTarget, *, has_robot: bool) -> DropPlan:
    names = " and ".join(path.name for path in files)
    if not has_robot:
        kind = "is a mesh" if len(files) == 1 else "are meshes"
        return DropPlan(f"{names} {kind}: open the robot first", files, can_drop=False)
    if place.link is None:
        why_not = (
            f"{place.added_frame} is an XRDF frame and cannot have shapes; "
            if place.added_frame
            else ""
        )
        return DropPlan(
            f"{names}: {why_not}drop it onto a link of the robot", files, can_drop=False
        )
    kind, other = ("collision", "") if place.with_shift else ("visual", " (Shift: as collision)")
    sentence = f"Drop to add {names} as {kind} of {place.link}{other}"
    return DropPlan(sentence, files, link=place.link, as_collision=place.with_shift)


def _of_folder(folder: Path, *, has_robot: bool, misses_meshes: bool) -> DropPlan:
    if has_robot and misses_meshes:
        return DropPlan(f"Drop to look for the missing meshes in {folder.name}", meshes=folder)
    if is_moveit_package(folder):
        return DropPlan(f"Drop to open the MoveIt package {folder.name}", (folder,))
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())[:_MOST]
    except OSError:
        files = []
    robots = [path for path in files if path.suffix.lower() == ".urdf"]
    if len(robots) == 1:
        return DropPlan(f"Drop to open the robot {robots[0].name} in {folder.name}", (robots[0],))
    why = f"{len(robots)} robots: drop one of their files" if robots else "no URDF"
    return DropPlan(f"{folder.name} has {why}", can_drop=False)


class Drops(QObject):
    """Says the plan at the lower edge of the view while files hover over the window, and follows it
    at the drop.

    The tree of links is watched as well while it is torn off: it is a window of its own then.
    """

    def __init__(self, window: EditorWindow) -> None:
        super().__init__(window.qt_window)
        self._window = window
        self._reading = JobSlot(window.jobs)
        self._planning = Latest(window.jobs, "Drop action")
        self._paths: list[Path] = []
        self._place = DropTarget()
        self._links_dock = window.docks.dock("links")
        # In its place it leaves files to the window.
        self._links_dock.setAcceptDrops(self._links_dock.isFloating())
        self._links_dock.topLevelChanged.connect(self._links_dock.setAcceptDrops)
        for watched in (window.qt_window, self._links_dock):
            watched.installEventFilter(self)
        FilesPassFields(window.qt_window)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.DragLeave:
            self._leave()
        elif not isinstance(event, QDropEvent) or not isinstance(watched, QWidget):
            return super().eventFilter(watched, event)
        elif kind == QEvent.Type.Drop:
            self._drop(event, watched)
        elif kind == QEvent.Type.DragEnter:
            self._paths = _files_of(event)
            self._hover(event, watched, again=True)
        elif kind == QEvent.Type.DragMove:
            self._hover(event, watched)
        else:
            return super().eventFilter(watched, event)
        return True

    def _hover(self, event: QDropEvent, watched: QWidget, *, again: bool = False) -> None:
        if not self._paths:
            event.ignore()
            return
        _accept(event)
        place = self._place_of(event, watched)
        if again or place != self._place:
            self._place = place
            self._window.session.set_hover(Hover(link=place.link))
            self._planning.ask(self._plan(self._paths, place), self._say)

    def _leave(self) -> None:
        self._planning.forget()
        self._window.central.toast.dismiss()
        self._window.session.set_hover(Hover())

    def _drop(self, event: QDropEvent, watched: QWidget) -> None:
        # Some X11 programs no longer hand the names over at the drop; they did when the drag came
        # in.
        paths, place = _files_of(event) or self._paths, self._place_of(event, watched)
        self._paths = []
        _accept(event)
        self._leave()
        if paths:
            # Later, so that the program that was dragged from is not kept waiting by a question.
            QTimer.singleShot(0, self, lambda: self._take(paths, place))

    def _plan(self, paths: Sequence[Path], place: DropTarget) -> Callable[[], DropPlan]:
        window = self._window
        has_robot, misses_meshes = window.session.has_robot, bool(window.meshes.missing)
        return partial(
            plan_drop,
            tuple(paths),
            has_robot=has_robot,
            misses_meshes=misses_meshes,
            place=place,
            uses=[part.file_use for part in window.parts],
            can_attach=any(part.attaches for part in window.parts),
        )

    def _place_of(self, event: QDropEvent, watched: QWidget) -> DropTarget:
        """The link under the pointer: shapes are added to what is pointed at, not to what is
        selected."""
        robot = self._window.session.robot
        with_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        is_placed = are_meshes(self._paths) or any(
            path.suffix.lower() == ".urdf" for path in self._paths
        )
        if not self._window.session.has_robot or not is_placed:
            return DropTarget(with_shift=with_shift)
        at = watched.mapToGlobal(event.position().toPoint())
        frame = self._row_at(at) or self._picked_at(at)
        if frame is None or robot.urdf.link(frame) is not None:
            return DropTarget(frame, with_shift)
        return DropTarget(None, with_shift, added_frame=frame)

    def _row_at(self, at: QPoint) -> str | None:
        """The link or added frame of the tree at that place of the screen."""
        panel: LinkTreePanel = self._window.docks.panel("links")
        return panel.frame_at(at) if self._links_dock.isVisible() else None

    def _picked_at(self, at: QPoint) -> str | None:
        """The link or added frame of the view at that place of the screen."""
        view = self._window.viewport
        if view is None or not view.isVisible():
            return None
        place = view.canvas.mapFromGlobal(at)
        return (
            view.scene.aim.pick(place.x(), place.y()).link
            if view.canvas.rect().contains(place)
            else None
        )

    def _take(self, paths: list[Path], place: DropTarget) -> None:
        window = self._window
        drop_plan = self._plan(paths, place)()
        if drop_plan.meshes is not None:
            window.meshes.look_in(drop_plan.meshes)
        elif drop_plan.part is not None and drop_plan.link is not None:
            next(part for part in window.parts if part.attaches).attach(
                drop_plan.link, drop_plan.part
            )
        elif drop_plan.link is not None:
            self._add_meshes(drop_plan)
        elif drop_plan.paths:
            window.open_files(list(drop_plan.paths))
        else:
            window.session.refused.emit(f"{drop_plan.sentence}.")

    def _add_meshes(self, drop_plan: DropPlan) -> None:
        session = self._window.session
        document = session.document
        if drop_plan.link is None:
            return
        robot, link, beside, packages = (
            document.robot,
            drop_plan.link,
            document.urdf_path,
            document.packages,
        )

        def look(_: object) -> ToldChange:
            as_collision = drop_plan.as_collision
            return added_meshes(
                robot, link, drop_plan.paths, beside, collision=as_collision, packages=packages
            )

        def take(looked: ToldChange) -> None:
            if session.execute(looked.change) and looked.told:
                session.noticed.emit(looked.told)

        self._reading.run(
            "Reading meshes",
            look,
            take,
            in_thread=True,
            failed=lambda error: session.refused.emit(error.message),
            about=lambda: session.robot,
            stale=lambda: session.refused.emit(
                "Nothing was added, because the robot changed. Drop the files again."
            ),
        )

    def _say(self, drop_plan: DropPlan) -> None:
        if drop_plan.can_drop:
            self._window.central.toast.tell(drop_plan.sentence, "download-simple", "accent")
        else:
            self._window.central.toast.tell(drop_plan.sentence)


def _accept(event: QDropEvent) -> None:
    # With Shift, file managers propose to move: they would delete the file that was only read.
    if event.possibleActions() & Qt.DropAction.CopyAction:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
    else:
        event.acceptProposedAction()


def _files_of(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


class FilesPassFields(QObject):
    """Fields and texts of a window take no drops while files are dragged over it; words from
    elsewhere they take."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._passing: list[QWidget] = []
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._window:
            if kind == QEvent.Type.Show:
                # Qt asks which widget takes a drag before any widget hears of it; the system's
                # window hears first.
                self._window.windowHandle().installEventFilter(self)
        elif kind == QEvent.Type.DragEnter and isinstance(event, QDragEnterEvent):
            self._restore()
            if event.mimeData().hasUrls():
                self._passing = [place for place in self._fields() if place.acceptDrops()]
                for place in self._passing:
                    place.setAcceptDrops(False)
        elif kind in (QEvent.Type.DragLeave, QEvent.Type.Drop):
            # Once the drop was taken.
            QTimer.singleShot(0, self, self._restore)
        return False

    def _fields(self) -> list[QWidget]:
        texts = [*self._window.findChildren(QPlainTextEdit), *self._window.findChildren(QTextEdit)]
        return [*self._window.findChildren(QLineEdit), *texts, *(text.viewport() for text in texts)]

    def _restore(self) -> None:
        for place in self._passing:
            if shiboken6.isValid(place):
                place.setAcceptDrops(True)
        self._passing = []
