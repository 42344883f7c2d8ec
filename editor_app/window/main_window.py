"""The window: puts the parts together. What each of them does is in its own module."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar

from editor_app.core.document.selection import NOTHING
from editor_app.core.document.state import FileKind
from editor_app.core.document.texts import TypedFault
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.findings import Finding
from editor_app.core.model.profile import Profile
from editor_app.core.model.refusal import Refusal
from editor_app.core.tasks.worker import JobError
from editor_app.core.verbs.pairing import NameMatch
from editor_app.window import dialogs
from editor_app.window.actions.action_tables import PICTURE
from editor_app.window.actions.actions import ActionRegistry, MenuBuilder
from editor_app.window.actions.command_palette import CommandPalette
from editor_app.window.actions.keys_dialog import ShortcutsDialog
from editor_app.window.actions.link_actions import LinkActions
from editor_app.window.actions.window_actions import register_window_actions
from editor_app.window.crash_log import log_message
from editor_app.window.docks.central import CentralArea, WelcomePage
from editor_app.window.docks.docks import Docks
from editor_app.window.docks.idle_panels import IdlePanels
from editor_app.window.docks.status_bar import StatusBar
from editor_app.window.docks.window_docks import ColumnWidth, register_docks
from editor_app.window.drops import Drops
from editor_app.window.files.document_files import DocumentFiles
from editor_app.window.findings_feed import FindingsFeed
from editor_app.window.heap_trimming import returns_memory
from editor_app.window.jobs import Jobs, RunningJob
from editor_app.window.joints.pose_book import PoseBook
from editor_app.window.mesh_store import WindowMeshes
from editor_app.window.open_windows import OpenWindows
from editor_app.window.poses import PoseHistory, ToolPlaces
from editor_app.window.preferences import dialog
from editor_app.window.recovery import CrashHandler, Journaling
from editor_app.window.session import DisplayOptions, Session
from editor_app.window.settings import Settings
from editor_app.window.start import Start, ViewportLoader, WholeOnScreen
from editor_app.window.viewport import actions, picture, view
from editor_app.window.window_part import WindowPart, part_classes
from editor_app.window.workbench import Part
from editor_app.window.xrdf import section_stack

TITLE = "XRDF Editor"


class MainWindow(QMainWindow):
    """One session, one window. `shutdown` ends what runs in the background; closing does that,
    too."""

    #: The 3D view is there (it is made after the window was first painted).
    viewport_ready = Signal(object)

    #: What the command line gave for xacro files (name:=value each); asked for when one is opened.
    xacro_arguments: Sequence[str] = ()

    def __init__(
        self, settings: Settings | None = None, windows: OpenWindows | None = None
    ) -> None:
        """`windows`: the others that are open; without them it is the first."""
        super().__init__()
        self.setObjectName("main")
        self.setMinimumSize(900, 560)
        self.resize(1280, 720)
        self.setAcceptDrops(True)
        self.setUnifiedTitleAndToolBarOnMac(True)
        self.settings = settings or Settings(parent=self)
        self.windows = windows if windows is not None else OpenWindows()
        self.session = Session(self)
        self.jobs = Jobs(self)
        self.start = Start(self)
        self.on_screen = WholeOnScreen(self)
        self.memory = returns_memory(self.session)
        self.registry = ActionRegistry(self.session, self, self.settings.keymap)
        folders = self.settings.mesh_folders
        self.feed = FindingsFeed(self.session, self.jobs, self, folders=folders)
        self.files = DocumentFiles(self.session, self.jobs, self.settings, self)
        self.meshes = WindowMeshes(self.session, self.jobs, self.settings, self.feed, self)
        self.viewport: view.Viewport | None = None
        #: The view that the parts of the window join in the next turn of the event loop.
        self._made_view: view.Viewport | None = None
        self._shut = False
        self._session_ends = False
        self._first_show = True
        #: Files of parts that wait for the robot that was dropped with them.
        self._waiting: list[Path] = []
        self.parts: tuple[WindowPart, ...] = ()

        self.welcome = WelcomePage(self.settings, self.files, self)
        self.central = CentralArea(self.welcome, self)
        self.setCentralWidget(self.central)
        self.toolbar = QToolBar("Toolbar", self)
        self.toolbar.setObjectName("toolbar")
        self.toolbar.setMovable(False)
        self.toolbar.setIconSize(QSize(20, 20))
        self.toolbar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.addToolBar(self.toolbar)
        self.status = StatusBar(self.session, self.files, self.jobs, self)
        self.setStatusBar(self.status)
        self.palette_box = CommandPalette(self, self.session, self.registry)
        self.menus = MenuBuilder(self.registry, self.menuBar(), self.toolbar)
        self.docks = Docks(self, self.registry, self.settings)
        register_window_actions(self, self.windows.quit)
        self.links = LinkActions(self)
        self.poses = PoseBook(self.session, self.docks, self.registry, self)
        self.pose_history = PoseHistory(self.session, self.registry, self)
        self.tool_places = ToolPlaces(self.session, self.registry, self)
        register_docks(self)
        self.drops = Drops(self)
        for part in part_classes():
            self.parts += (part(self),)
        self.links_width = ColumnWidth(self)
        is_busy = lambda: self.files.is_opening or self.meshes.is_loading or bool(self.jobs.running)  # noqa: E731
        self.idle_panels = IdlePanels(self.docks, self.jobs, is_busy, self)
        self.menus.rebuild()
        self.session.message.connect(log_message)
        self.session.refused.connect(log_message)
        self.crash = CrashHandler(self, context=self._crash_context, save_copy=self._crash_save)
        self.journaling = Journaling(self.session, self.central.notice, self.files)
        if self.settings.set_aside is not None:
            self.journaling.tell_damaged(self.settings.set_aside)
            self.settings.set_aside = None
        modules = (module for part in self.parts for module in part.view_modules)
        self._loader = ViewportLoader(
            self.jobs, self._make_viewport, self._on_viewport_failed, self, modules
        )
        self._loader.progress.connect(self.central.waiting.bar.set_share)
        self._connect()
        self.settings.apply_display(self.session)
        self._display = self.session.display
        self.session.display_changed.connect(self._remember_display)
        self.windows.adopt(self)
        self._update_title()

    # -- what the application calls

    def new_window(self) -> None:
        self.docks.remember()
        self.windows.present(MainWindow(self.settings, windows=self.windows), self)

    def open_files(self, paths: list[Path]) -> None:
        """Open files from the command line or a drop; trajectories and scenes are added to the
        robot that is then open."""
        self._waiting = [path for path in paths if self._part_for(path) is not None]
        others = [path for path in paths if path not in self._waiting]
        if others:
            self.files.open_paths(others)
        else:
            self._open_waiting()

    def _part_for(self, path: Path) -> WindowPart | None:
        return next((part for part in self.parts if part.file_use(path) is not None), None)

    def part(self, kind: type[Part]) -> Part:
        return next(part for part in self.parts if isinstance(part, kind))

    def __getattr__(self, name: str) -> Any:
        """The part that a feature contributed under that name."""
        for part in self.__dict__.get("parts", ()):
            if part.name == name:
                return part
        raise AttributeError(f"{type(self).__name__} has neither attribute nor part {name!r}")

    @property
    def qt_window(self) -> QMainWindow:
        """The window itself: what dialogs of a part belong to, and whose docks are resized."""
        return self

    def session_path(self) -> Path | None:
        """The URDF's path, by which settings of a robot are found."""
        return self.session.document.urdf_path

    def reload(self) -> None:
        """Files and meshes again, as they are on disk now."""
        self.meshes.forget()
        self.files.reload()

    def choose_profile(self, profile: Profile) -> None:
        """The program that findings are judged for."""
        if self.session.has_robot:
            self.session.document.profile = profile
            self.status.show_profile()
            self.registry.refresh_later()
            self.feed.refresh()

    def step_finding(self, by: int) -> None:
        self.docks.show("findings").step(by)

    def show_findings_of(self, text: str) -> None:
        self.docks.show("findings").show_only(text)

    def show_place(self, finding: Finding) -> None:
        """Opens the section of the XRDF that a finding is about."""
        section = section_stack.section_of(finding)
        if section in self.docks.panel("xrdf").sections:
            self.docks.show("xrdf").reveal(section)

    def show_feature(self, feature: RobotFeature) -> None:
        """Opens the section in which a sensor, group, tool or end effector is edited; it is chosen
        there."""
        dock, section = {
            FeatureKind.SENSOR: ("urdf", "urdf.sensors"),
            FeatureKind.GROUP: ("srdf", "srdf.groups"),
            FeatureKind.TCP: ("srdf", "srdf.tools"),
            FeatureKind.END_EFFECTOR: ("srdf", "srdf.effectors"),
        }[feature.kind]
        self.docks.show(dock).reveal(section)

    def show_preferences(self) -> None:
        dialog.PreferencesDialog(self.session, self.settings, self.show_shortcuts, self).open()

    def make_actions(self) -> None:
        """The actions of panels that are made when they are first shown; lists of all actions ask
        for them."""
        self.docks.panel("source")

    def find_anything(self) -> None:
        self.make_actions()
        self.palette_box.open()

    def show_shortcuts(self) -> None:
        self.make_actions()
        ShortcutsDialog(self.registry, self.session.display.mouse, self).open()

    def show_about(self) -> None:
        dialogs.show_about(self)

    def start_background(self, *, offer: bool = True) -> None:
        """Brings the 3D view in, then warms a worker process; call it when the window is on the
        screen.

        `offer`: asks about work that an earlier session left unsaved.
        """
        self.start.begin()
        self.start.after(self.jobs.warm)
        self.start.after(self.idle_panels.begin)
        self.load_viewport()
        if offer:
            self.journaling.offer()

    def load_viewport(self) -> None:
        """Begins to bring the 3D view in; `viewport_ready` tells when it is there."""
        self._loader.start()

    def keep_unsaved_work(self, *_: object) -> None:
        """The desktop session may end now: what is unsaved goes to the journal, and closing does
        not ask."""
        if not self._shut:
            self.journaling.keep()
            self._session_ends = True

    def shutdown(self, *, keep_unsaved: bool = False) -> None:
        """Ends jobs and the 3D view; the window is of no use afterwards.

        With `keep_unsaved`, nobody was asked: the next start offers what is not saved.
        """
        if self._shut:
            return
        self._shut = True
        self.start.stop()
        self.memory.stop()
        self.idle_panels.stop()
        self.docks.remember()
        self.settings.sync()
        for part in self.parts:
            part.stop()
        self.journaling.close(keep=keep_unsaved)
        self._loader.wait()
        if self._made_view is not None:
            self._made_view.shutdown()
        self.jobs.close()
        self.crash.uninstall()
        self.windows.forget(self)

    def createPopupMenu(self) -> QMenu:
        """Return the context menu of the window's own bars and borders."""
        menu = self.docks.make_menu(self)
        menu.addAction(self.toolbar.toggleViewAction())
        return menu

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._first_show:
            self._first_show = False
            self.docks.restore()
            self.on_screen.begin()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._shut and not self._session_ends and not self.files.may_lose_document():
            event.ignore()
            return
        self.shutdown(keep_unsaved=self._session_ends)
        event.accept()
        if len(self.windows):
            # The first one goes with the program.
            self.deleteLater()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if (
            event.type() == QEvent.Type.ActivationChange
            and self.isActiveWindow()
            and not self._shut
        ):
            # The file may have been changed in the program that the user comes back from.
            self.files.look_at_disk_soon()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.session.selection:
            # The widget with the focus had nothing to step back from.
            self.session.select(NOTHING)
            return
        super().keyPressEvent(event)

    def _open_waiting_later(self, _: object) -> None:
        if self.session.has_robot and self._waiting:
            # Every panel has the robot by then.
            QTimer.singleShot(0, self, self._open_waiting)

    def _open_waiting(self) -> None:
        """What was dropped together with a robot, now that it is open."""
        waiting, self._waiting = self._waiting, []
        for path in waiting:
            if (part := self._part_for(path)) is not None:
                part.open_path(path)

    def _remember_display(self, display: DisplayOptions) -> None:
        before, self._display = self._display, display
        self.settings.remember_display(before, display)

    def _raise_other(self, urdf: Path, xrdf: Path | None) -> bool:
        """Brings the window to the front in which the robot is open already."""
        other = self.windows.showing(urdf, xrdf, self)
        if other is None:
            return False
        shown = other.qt_window
        if shown.isMinimized():
            shown.showNormal()
        shown.raise_()
        shown.activateWindow()
        other.session.message.emit(f"{urdf.name} is already open in this window.")
        return True

    def _connect(self) -> None:
        session, files = self.session, self.files
        session.document_opened.connect(self._show_page)
        session.document_opened.connect(lambda _: self.central.notice.hide())
        session.document_opened.connect(lambda d: self.feed.report("opening", d.opening_findings))
        files.unsaved_changed.connect(self._update_title)
        session.document_opened.connect(self._open_waiting_later)
        session.history_changed.connect(self._go_on)
        session.refused.connect(self.central.toast.tell)
        session.noticed.connect(lambda text: self.central.toast.tell(text, "info", "accent"))
        files.raise_other = self._raise_other
        files.opening_changed.connect(self._on_opening)
        files.failed.connect(
            lambda title, text, detail: dialogs.show_error(self, title, text, detail)
        )
        files.failed.connect(lambda *_: self._waiting.clear())
        files.not_saved.connect(self._tell_not_saved)
        files.typed_fault.connect(self._show_typed_fault)
        files.mend_requested.connect(lambda kind: self.docks.show("source").mend(kind))
        files.begun.connect(lambda: self.docks.show("urdf").reveal("urdf.shapes"))
        files.offered.connect(self._offer_files)
        files.foreign_change.connect(self._ask_about_foreign_change)
        files.foreign_change_over.connect(lambda: self.central.notice.dismiss("disk"))
        self.meshes.missing_changed.connect(self._tell_missing)
        self.status.findings_clicked.connect(lambda: self.docks.show("findings"))
        self.status.profile_chosen.connect(self.choose_profile)
        self.jobs.failed_unexpectedly.connect(self._on_job_failed)

    def _go_on(self) -> None:
        # The end of the session was called off: closing asks again.
        self._session_ends = False

    def _make_viewport(self) -> None:
        self._made_view = view.Viewport(self.session, self.meshes)
        # In another turn of the event loop: each of the two takes a twentieth of a second.
        QTimer.singleShot(0, self, self._join_viewport)

    def _join_viewport(self) -> None:
        viewport = self._made_view
        if self._shut or viewport is None:
            return
        self.viewport = viewport
        actions.register(self.registry, viewport, self.session)
        for part in self.parts:
            part.join_view(viewport)
        viewport.use_actions(self.registry)
        # The keys of spheres and links count in the tree, too.
        self.docks.panel("links").tree.addActions(
            [self.registry[name] for name in actions.KEYS_OF_TREE]
        )
        self.registry.add(PICTURE, self)
        viewport.hint_changed.connect(self.status.set_hint)
        self.central.set_view(viewport)
        viewport.overlays.add(self.central.toast)
        framing, toast = viewport.scene.framing, self.central.toast
        toast.find_place = lambda size: viewport.overlays.free_place(
            size, framing.free_of_robot(), toast
        )
        viewport.complete_frame_drawn.connect(self.start.end)
        self._show_page()
        self.viewport_ready.emit(viewport)
        if not self.session.has_robot and not self.files.is_opening:
            self.start.end()
        else:
            self.start.view_made()

    def save_picture(self) -> None:
        """Asks how and where to the view is saved as a picture."""
        assert self.viewport is not None
        picture.PictureDialog(self.viewport, self.session, self.settings.store, self.jobs).open()

    def _on_viewport_failed(self, error: JobError) -> None:
        self.start.end()
        self.crash.caught.emit(error.traceback)
        self.central.waiting.text.setText("The 3D view could not start. The panels still work.")

    def _on_opening(self, urdf: Path | None) -> None:
        if urdf is not None and not self.session.has_robot:
            self.central.show_waiting(f"Opening {urdf.name} …")
        else:
            self._show_page()

    def _show_page(self, *_: object) -> None:
        if not self.session.has_robot:
            if not self.files.is_opening:
                self.central.show_welcome()
        elif self.viewport is None:
            self.central.show_waiting("Preparing the 3D view …")
            self.load_viewport()
        else:
            self.central.show_view()

    def _update_title(self, *_: object) -> None:
        document = self.session.document
        if not self.session.has_robot:
            self.setWindowTitle(TITLE)
            self.setWindowModified(False)
            return
        robot = document.urdf_path.name if document.urdf_path is not None else "robot"
        if document.expansion is not None:
            robot = f"expansion of {document.expansion.source.name}"
        changed = document.modified_kinds
        names = [document.file_name(kind) for kind in changed if kind is not FileKind.URDF] or [
            self.files.name
        ]
        # Qt shows the mark where [*] stands: behind each file that changed.
        marks = (
            "[*]" if changed != (FileKind.URDF,) else "",
            "[*]" if FileKind.URDF in changed else "",
        )
        self.setWindowTitle(
            f"{', '.join(name + marks[0] for name in names)} – {robot}{marks[1]} – {TITLE}"
        )
        self.setWindowModified(self.files.has_unsaved)

    def _tell_not_saved(self, text: str) -> None:
        still = "The document is still open and unsaved."
        dialogs.show_error(
            self, "Not saved", text, still, way_out=("Save &As…", self.files.save_as)
        )

    def _offer_files(self, offers: tuple[NameMatch, ...]) -> None:
        files = {
            offer.urdf.suffix.lower() == ".srdf": offer.urdf
            for offer in offers
            if offer.urdf is not None
        }
        names = " and ".join(
            f"{o.urdf.name} ({o.described()} are in this robot)"
            for o in offers
            if o.urdf is not None
        )
        label = "Open it" if len(files) == 1 else "Open them"
        self.central.notice.ask(
            "beside",
            f"In the folder of this robot: {names}.",
            (
                (label, lambda: self.files.attach(files.get(False), files.get(True))),
                ("No", lambda: None),
            ),
        )

    def _show_typed_fault(self, fault: TypedFault) -> None:
        if isinstance(fault.place, FileKind):
            self.docks.show("source").show_fault(fault)
        else:
            self.docks.show("urdf").reveal("urdf.texts").show_place(fault.place)
        self.session.refused.emit(f"Nothing was saved. {fault}")

    def _ask_about_foreign_change(self) -> None:
        self.central.notice.ask(
            "disk",
            f"{self.files.changed_names()} was changed by another program.",
            (
                ("Reload", self.reload),
                ("Keep my version", lambda: None),
                ("Compare…", lambda: self.files.compare_with_disk()),
            ),
        )

    def _tell_missing(self, count: int) -> None:
        if count == 0:
            self.central.notice.dismiss("meshes")
            return
        self.central.notice.ask(
            "meshes",
            "1 mesh was not found; its link is shown without it."
            if count == 1
            else f"{count} meshes were not found; their links are shown without them.",
            (
                ("Locate…", self.meshes.locate_missing),
                ("Show…", lambda: self.show_findings_of("MESH")),
            ),
        )

    def _on_job_failed(self, job: RunningJob | None, error: JobError) -> None:
        name = f"{job.name}: " if job is not None else ""
        if isinstance(error.exception, MemoryError | Refusal):
            # No fault of the editor: a mesh is too large for this computer, or the robot lacks what
            # the work needs.
            self.session.refused.emit(f"{name}{error.message}")
            return
        self.crash.caught.emit(error.traceback or f"{name}{error.message}")

    def _crash_context(self) -> str:
        document = self.session.document
        if not self.session.has_robot:
            return "no robot open"
        steps = ", ".join(revision.label for revision in document.history[-5:])
        return f"{document.urdf_path} with {document.xrdf_path}; last steps: {steps}"

    def _crash_save(self) -> Any:
        return self.files.save_copy if self.session.has_robot else None
