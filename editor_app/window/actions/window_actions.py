"""Actions of the window itself. Views and panels add their tables where they are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QMenu

from editor_app.core.document.choices import no_attaching, no_ignoring, no_merging
from editor_app.core.document.commands.cspace import SetDefaultsFromPose
from editor_app.core.document.commands.urdf_robot import AttachToWorld, DetachFromWorld, world_joint
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.resources import bundled
from editor_app.core.verbs.new_link import bare_links
from editor_app.window import poses
from editor_app.window.actions.action_tables import (
    DISK,
    EDIT,
    FILE,
    FINDINGS,
    HELP,
    ROBOT,
    ActionSpec,
)
from editor_app.window.actions.actions import NothingToDo, Reason
from editor_app.window.docks.central import recent_words
from editor_app.window.editor_window import EditorWindow
from editor_app.window.files.disk_watch import read_only
from editor_app.window.files.importing import Exporting, Importing, targets
from editor_app.window.link_tree.link_model import selected_frames
from editor_app.window.session import AngleUnit, LengthUnit
from editor_app.window.theme import ThemeChoice, theme
from editor_app.window.viewport.navigation import MouseScheme
from editor_app.window.widgets import icon, no_mnemonic, plain_text

#: Formats that the menu *Export* lists; the others are in *Export to other formats*.
_USUAL_EXPORTS = ("urdf", "curobo", "isaac-folder", "moveit-package", "mjcf", "usd")
_EXPORTS = tuple(
    ActionSpec(f"file.export.{kind}", text, "exporting.choose", icon="upload-simple",
               menu="File/Export" if kind in _USUAL_EXPORTS else "File/Export to other formats",
               tip="Write this robot in another format, after a preview of what is lost",
               words="convert export save as", section="exchange", when="robot", given=(kind,))
    for kind, text in sorted(targets().items(), key=lambda target: target[0] not in _USUAL_EXPORTS)
)  # fmt: skip
_PROFILES = tuple(
    ActionSpec(
        f"robot.profile.{profile.value}",
        f"Findings for {profile.program}",
        "window.choose_profile",
        icon="warning-circle",
        menu="Robot/Target program",
        section="programs",
        tip="The program that will read the robot: findings show what it rejects or changes",
        words="target program profile check setting",
        when="robot",
        checked="is_profile",
        given=(profile,),
    )
    for profile in Profile
)
#: Settings as actions: in the menus, and found by the search box ("dark", "radians", "blender").
_SETTINGS = (
    *(
        ActionSpec(
            f"view.mouse.{scheme.value}",
            f"Mouse as in {scheme.program}",
            "use_display",
            icon="mouse",
            menu="View/Mouse",
            section="settings",
            tip=scheme.hint,
            words="mouse scheme navigation orbit pan zoom setting",
            checked="displays",
            given=("mouse", scheme),
        )
        for scheme in MouseScheme
    ),
    *(
        ActionSpec(
            f"view.colours.{choice.value}",
            text,
            "use_colours",
            icon=sign,
            menu="View/Colours",
            section="settings",
            words="theme mode appearance colors night day",
            checked="are_colours",
            given=(choice,),
        )
        for choice, text, sign in (
            (ThemeChoice.SYSTEM, "Colours of the &system", "desktop"),
            (ThemeChoice.LIGHT, "&Light colours", "sun"),
            (ThemeChoice.DARK, "&Dark colours", "moon"),
        )
    ),
    *(
        ActionSpec(
            f"view.units.{unit.value}",
            text,
            "use_display",
            icon=sign,
            menu="View/Units",
            section="settings",
            words=f"unit setting {unit.value}",
            checked="displays",
            given=(field, unit),
        )
        for unit, text, sign, field in (
            (LengthUnit.MILLIMETRE, "Lengths in &millimetres", "ruler", "length_unit"),
            (LengthUnit.METRE, "Lengths in m&etres", "ruler", "length_unit"),
            (AngleUnit.DEGREE, "Angles in &degrees", "compass", "angle_unit"),
            (AngleUnit.RADIAN, "Angles in &radians", "compass", "angle_unit"),
        )
    ),
)


def register_window_actions(window: EditorWindow, quit_program: Callable[[], None]) -> None:
    """Everything that is there without a view."""
    subject, registry = WindowActions(window, quit_program), window.registry
    for table in (FILE, _EXPORTS, DISK, EDIT, FINDINGS, ROBOT, HELP, _SETTINGS, _PROFILES):
        registry.add(table, subject)
    # Another window may choose the colours, too.
    for signal in (
        window.files.unsaved_changed,
        window.session.findings_known_changed,
        theme().changed,
    ):
        signal.connect(registry.refresh_later)
    menu = QMenu("Open &recent", window.qt_window)
    menu.setIcon(icon("clock-counter-clockwise"))
    menu.setToolTipsVisible(True)
    menu.aboutToShow.connect(partial(_fill_recent, window, menu))
    window.menus.insert_menu("File", "open", menu)


class WindowActions:
    """The names that the tables of the window use."""

    def __init__(self, window: EditorWindow, quit_program: Callable[[], None]) -> None:
        self.window = window
        self.files = window.files
        self.quit_program = quit_program
        self.importing, self.exporting = Importing(window), Exporting(window)
        session = self._session = window.session
        #: Whether the joints moved after the last step.
        self._is_posed = False
        session.joints_moving.connect(self._note_posing)
        for signal in (session.document_opened, session.robot_changed):
            signal.connect(self._note_step)
        self.sample = bundled
        self.pose = partial(poses.go, self._session)
        self.read_only_urdf = partial(read_only, self._session)

    # -- files, history, findings

    def xrdf_on_disk(self) -> bool:
        document = self._session.document
        return document.xrdf_path is not None and document.xrdf_path.is_file()

    def undo(self) -> None:
        """The last step; what the keys do not undo is said where the joints moved after it."""
        is_posed = self._is_posed
        if self._session.document.undo_label:
            self._session.undo()
        if is_posed:
            self._session.message.emit(
                f"Poses: {self.window.registry['pose.back'].shortcut().toString()} undoes them."
            )

    def nothing_to_undo(self) -> Reason:
        return (
            None
            if self._session.document.undo_label or self._is_posed
            else "There is no step to undo."
        )

    def _note_posing(self, *_: object) -> None:
        self._is_posed = True

    def _note_step(self, *_: object) -> None:
        self._is_posed = False

    def undo_text(self) -> str:
        label = self._session.document.undo_label
        return f"&Undo: {no_mnemonic(label)}" if label else "&Undo"

    def redo_text(self) -> str:
        label = self._session.document.redo_label
        return f"&Redo: {no_mnemonic(label)}" if label else "&Redo"

    def links(self) -> tuple[str, ...]:
        return selected_frames(self._session)

    def hide_subtree(self) -> None:
        session, frames = self._session, self.links()
        named = {f for frame in frames for f in session.tree.subtree(frame)}
        everything_hidden = all(frame in session.hidden for frame in frames)
        session.set_hidden(session.hidden - named if everything_hidden else session.hidden | named)

    def no_finding(self) -> Reason:
        reason = (
            "There are no findings."
            if self._session.findings_known
            else "The robot is being checked."
        )
        return None if self._session.findings else reason

    # -- the robot as a whole

    def make_default(self) -> None:
        self._session.execute(SetDefaultsFromPose(self._session.pose))

    def is_default(self) -> Reason:
        robot = self._session.robot
        same = SetDefaultsFromPose(self._session.pose).apply(robot).xrdf == robot.xrdf
        return "The current pose is the default position." if same else None

    @property
    def _robot(self) -> RobotDescription:
        return self._session.robot

    def world_text(self) -> str:
        joint = world_joint(self._session.robot.urdf)
        return f"&Detach from {joint.parent}" if joint is not None else "&Attach to world"

    def toggle_world(self) -> None:
        attached = world_joint(self._robot.urdf) is not None
        change: Change = DetachFromWorld() if attached else AttachToWorld()
        self._session.execute(change)

    def no_root(self) -> Reason:
        # What is attached can be detached again.
        attached = world_joint(self._robot.urdf) is not None
        return read_only(self._session) or (None if attached else no_attaching(self._robot))

    def nothing_to_merge(self) -> Reason:
        return read_only(self._session) or no_merging(self._robot)

    def nothing_to_ignore(self) -> Reason:
        return no_ignoring(self._robot)

    def no_bare_links(self) -> Reason:
        nothing = (
            None
            if bare_links(self._robot.urdf)
            else NothingToDo("Every link with a shape has an inertial.")
        )
        return read_only(self._session) or nothing

    def compute_inertias(self) -> None:
        self.window.docks.show("urdf").reveal("urdf.robot").compute_inertias()

    # -- settings

    def is_profile(self, profile: Profile) -> bool:
        return self._session.has_robot and self._session.document.profile is profile

    def use_colours(self, choice: ThemeChoice) -> None:
        self.window.settings.set_theme(choice)
        theme().choose(choice)

    def are_colours(self, choice: ThemeChoice) -> bool:
        return self.window.settings.theme is choice

    def use_display(self, field: str, value: LengthUnit | AngleUnit | MouseScheme) -> None:
        self._session.set_display(**{field: value})

    def displays(self, field: str, value: LengthUnit | AngleUnit | MouseScheme) -> bool:
        return getattr(self._session.display, field) is value


def _fill_recent(window: EditorWindow, menu: QMenu) -> None:
    menu.clear()
    entries = window.settings.recent
    for urdf, xrdf in entries:
        name, places = recent_words(urdf, xrdf)
        action = menu.addAction(no_mnemonic(f"{name}   ({Path(urdf).parent.name})"))
        action.setToolTip(plain_text(places))
        action.triggered.connect(partial(window.files.open_recent, urdf, xrdf))
    if entries:
        menu.addSeparator()
        menu.addAction("Clear this list", window.settings.clear_recent)
    else:
        menu.addAction("No recent robots").setEnabled(False)
