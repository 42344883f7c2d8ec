"""The actions that belong to the window itself. Views and panels register theirs where they are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QMenu

from editor_app.edit.commands.default_positions import SetDefaultsFromPose
from editor_app.edit.selection import NOTHING
from editor_app.gui import poses
from editor_app.gui.actions import NO_ROBOT
from editor_app.gui.files.expansions import read_only
from editor_app.gui.files.samples import bundled, example_robots
from editor_app.gui.icons import icon
from editor_app.gui.panels.tree.link_model import selected_frames
from editor_app.gui.plain_text import no_mnemonic, plain
from editor_app.gui.window import robot_actions
from editor_app.gui.window.setting_actions import register_profile_actions, register_setting_actions
from editor_app.gui.window.status_bar import PROFILE_NAMES

if TYPE_CHECKING:
    from editor_app.gui.window.editor_window import EditorWindow


def register_window_actions(window: EditorWindow, quit_program: Callable[[], None]) -> None:
    """Everything that is there without a view."""
    _file(window, quit_program)
    _edit(window)
    _view(window)
    _robot(window)
    _help(window)
    register_setting_actions(window.registry, window.session, window.settings)
    register_profile_actions(window.registry, window.session, window.choose_profile, PROFILE_NAMES)


def _file(window: EditorWindow, quit_program: Callable[[], None]) -> None:
    files, session, add = window.files, window.session, window.registry.register

    def needs_robot() -> str | None:
        return None if session.document is not None else NO_ROBOT

    def has_srdf() -> bool:
        return session.robot is not None and session.robot.srdf is not None

    def needs_change() -> str | None:
        document = session.document
        if document is None:
            return NO_ROBOT
        return None if files.has_unsaved else "Everything is saved."

    files.unsaved_changed.connect(window.registry.refresh_later)
    add(
        "file.new_window",
        "New &window",
        window.new_window,
        shortcut="Ctrl+Shift+N",
        icon="app-window",
        menu="File",
        section="open",
        tooltip="Another window, with a robot of its own",
        keywords="second instance",
    )
    add(
        "file.open",
        "&Open…",
        files.open_dialog,
        shortcut="Ctrl+O",
        icon="folder-open",
        menu="File",
        section="open",
        toolbar="file",
        tooltip="Open a robot: its URDF, with the XRDF beside it",
        keywords="urdf load",
    )
    add(
        "file.open_xrdf",
        "Open another &XRDF…",
        files.open_xrdf_dialog,
        icon="file",
        menu="File",
        section="open",
        tooltip="Open another XRDF for this robot",
        enabled=needs_robot,
    )
    add(
        "file.open_srdf",
        "Open another S&RDF…",
        files.open_srdf_dialog,
        icon="file",
        menu="File",
        section="open",
        tooltip="Open another SRDF (groups, states, disabled pairs) for this robot",
        enabled=needs_robot,
    )
    add(
        "file.new_xrdf",
        "&New XRDF",
        files.new_xrdf,
        shortcut="Ctrl+N",
        icon="file-plus",
        menu="File",
        section="open",
        tooltip="Draft a new XRDF for this robot",
        enabled=needs_robot,
        keywords="draft create",
    )
    add(
        "file.new_srdf",
        "New SRD&F",
        files.new_srdf,
        icon="file-plus",
        menu="File",
        section="open",
        tooltip="An empty SRDF for this robot, to which groups, states and tools are added",
        enabled=lambda: needs_robot() or ("This robot has an SRDF." if has_srdf() else None),
        keywords="create moveit tesseract groups",
    )
    add(
        "file.sample",
        "Open &sample robot",
        window.open_sample,
        icon="robot",
        menu="File",
        section="open",
        tooltip="A six-axis arm with a gripper, to try things on",
        enabled=lambda: None if bundled() else "The sample robot is not part of this installation.",
    )
    add(
        "file.save",
        "&Save",
        files.save,
        shortcut="Ctrl+S",
        icon="floppy-disk",
        menu="File",
        section="save",
        toolbar="file",
        tooltip="Save the files that changed; only what was edited is written anew",
        enabled=needs_change,
    )
    add(
        "file.save_as",
        "Save &as…",
        files.save_as,
        shortcut="Ctrl+Shift+S",
        menu="File",
        section="save",
        tooltip="Save the XRDF under another name",
        enabled=needs_robot,
    )
    add(
        "file.save_srdf_as",
        "Save SRDF as…",
        files.save_srdf_as,
        menu="File",
        section="save",
        tooltip="Save the SRDF under another name; the other files are left alone",
        enabled=lambda: needs_robot() or (None if has_srdf() else "This robot has no SRDF."),
    )
    add(
        "file.save_urdf_as",
        "Save as &URDF…",
        files.save_urdf_as,
        menu="File",
        section="save",
        tooltip="Save the expansion of a xacro file as a URDF, which can be edited",
        enabled=lambda: (
            needs_robot()
            or (None if read_only(session) else "This URDF is a file of its own: saving writes what changed in it.")
        ),
        keywords="xacro expansion",
    )
    add(
        "file.save_copy",
        "Save a &copy…",
        files.save_copy,
        menu="File",
        section="save",
        tooltip="Write the XRDF to another file and go on with this one",
        enabled=needs_robot,
    )
    _exchange(window)
    add(
        "file.reload",
        "&Reload from disk",
        window.reload,
        shortcut="Ctrl+R",
        icon="arrows-clockwise",
        menu="File",
        section="disk",
        tooltip="Read URDF, XRDF and meshes again",
        enabled=needs_robot,
        keywords="revert refresh",
    )
    add(
        "file.compare",
        "Com&pare with the file on disk…",
        lambda: files.compare_with_disk(),
        menu="File",
        section="disk",
        tooltip="Show what saving would change, line by line",
        enabled=lambda: (
            NO_ROBOT
            if session.document is None
            else None
            if session.document.xrdf_path is not None and session.document.xrdf_path.is_file()
            else "The XRDF is not on disk yet."
        ),
        keywords="diff changes",
    )
    add(
        "file.close",
        "&Close robot",
        files.close_document,
        shortcut="Ctrl+W",
        menu="File",
        section="end",
        enabled=needs_robot,
        tooltip="Close the robot and go back to the start page",
    )
    add(
        "file.close_window",
        "Close w&indow",
        window.qt_window.close,
        shortcut="Ctrl+Shift+W",
        menu="File",
        section="end",
        tooltip="Close this window; others stay",
    )
    add(
        "file.quit",
        "&Quit",
        quit_program,
        shortcut="Ctrl+Q",
        icon="power",
        menu="File",
        section="end",
        tooltip="Close every window; each asks about what is not saved",
        keywords="exit end",
    )
    window.menus.insert_menu("File/open/Open recent", _recent_menu(window))
    window.menus.insert_menu("File/open/Open example robot", _examples_menu(window))


def _exchange(window: EditorWindow) -> None:
    """Import and export; what they need is loaded when they are used."""
    from editor_app.gui.files.exporting import Exporting, targets
    from editor_app.gui.files.importing import Importing

    importing, exporting = Importing(window), Exporting(window)
    add = window.registry.register
    add(
        "file.import",
        "&Import…",
        importing.choose,
        icon="download-simple",
        menu="File",
        section="exchange",
        tooltip="SRDF, cuRobo, Lula, lists of spheres into this XRDF; COLLADA robots as new files; xacro read-only",
        keywords="convert srdf curobo lula collada xacro spheres",
    )
    for kind, text in targets().items():
        add(
            f"file.export.{kind}",
            text,
            partial(exporting.choose, kind),
            icon="upload-simple",
            menu="File/Export",
            section="exchange",
            tooltip="Write this robot in another format, after a look at what is lost",
            enabled=lambda: None if window.session.document is not None else NO_ROBOT,
            keywords="convert export",
        )


def _edit(window: EditorWindow) -> None:
    session, add = window.session, window.registry.register

    def undo_text() -> str:
        label = session.document.undo_label if session.document else None
        return f"&Undo: {no_mnemonic(label)}" if label else "&Undo"

    def redo_text() -> str:
        label = session.document.redo_label if session.document else None
        return f"&Redo: {no_mnemonic(label)}" if label else "&Redo"

    add(
        "edit.undo",
        undo_text,
        session.undo,
        shortcut="Ctrl+Z",
        icon="arrow-u-up-left",
        menu="Edit",
        section="history",
        toolbar="history",
        enabled=lambda: None if session.document and session.document.undo_label else "There is no step to undo.",
    )
    add(
        "edit.redo",
        redo_text,
        session.redo,
        shortcut=("Ctrl+Shift+Z", "Ctrl+Y"),
        icon="arrow-u-up-right",
        menu="Edit",
        section="history",
        toolbar="history",
        enabled=lambda: None if session.document and session.document.redo_label else "There is no step to redo.",
    )
    add(
        "edit.select_none",
        "Select &nothing",
        lambda: session.select(NOTHING),
        shortcut="Ctrl+Shift+A",
        icon="selection",
        menu="Edit",
        section="select",
        enabled=lambda: None if session.selection else "Nothing is selected.",
        keywords="deselect clear",
    )
    add(
        "edit.find",
        "&Find action, link or joint…",
        window.find_anything,
        shortcut=("Ctrl+K", "Ctrl+Shift+P"),
        icon="magnifying-glass",
        menu="Edit",
        section="find",
        toolbar="find",
        tooltip="Search for any action, link, joint or frame",
        keywords="command palette search",
    )
    add(
        "edit.preferences",
        "&Preferences…",
        window.show_preferences,
        shortcut="Ctrl+,",
        icon="gear",
        menu="Edit",
        section="preferences",
        tooltip="Colours, units, mouse, what robots and fits begin with, folders with meshes",
        keywords="settings options defaults theme units version target profile budget fit mode effort mesh folders",
    )


def _view(window: EditorWindow) -> None:
    session, add = window.session, window.registry.register

    def needs_links() -> str | None:
        return None if selected_frames(session) else "Select a link first."

    def needs_finding() -> str | None:
        if session.document is None:
            return NO_ROBOT
        reason = "There are no findings." if window.feed.is_known else "The robot is being checked."
        return None if session.findings else reason

    window.feed.busy_changed.connect(window.registry.refresh_later)

    def hide_subtree() -> None:
        tree, frames = session.tree, selected_frames(session)
        if tree is None:
            return
        named = {f for frame in frames for f in tree.subtree(frame)}
        everything_hidden = all(frame in session.hidden for frame in frames)
        session.set_hidden(session.hidden - named if everything_hidden else session.hidden | named)

    add(
        "view.hide_subtree",
        "Hide with all that hangs on &it",
        hide_subtree,
        shortcut="Ctrl+Shift+H",
        icon="tree-structure",
        menu="View",
        section="links",
        enabled=needs_links,
        contexts=("link",),
        tooltip="Hide the selected links and every link below them; again shows them",
        keywords="subtree branch show",
    )
    add(
        "view.next_finding",
        "&Next finding",
        partial(window.step_finding, 1),
        shortcut="F8",
        icon="warning",
        menu="View",
        section="findings",
        enabled=needs_finding,
    )
    add(
        "view.previous_finding",
        "&Previous finding",
        partial(window.step_finding, -1),
        shortcut="Shift+F8",
        menu="View",
        section="findings",
        enabled=needs_finding,
    )


def _robot(window: EditorWindow) -> None:
    session, add = window.session, window.registry.register

    def needs_joints() -> str | None:
        tree = session.tree
        if tree is None:
            return NO_ROBOT
        return None if tree.independent else "No joint of this robot can be moved."

    for name, text, function, mark, tip in (
        ("zero", "&Zero", poses.zero, "number-circle-zero", "Every joint at 0, or at the limit next to it"),
        ("default", "&Default", poses.default, "house-simple", "The default joint positions of the XRDF"),
        ("middle", "&Mid-range", poses.middle, "arrows-in-line-horizontal", "Every joint half-way between its limits"),
        ("random", "&Random", poses.shuffle, "shuffle", "Every joint anywhere within its limits"),
    ):
        add(
            f"robot.pose_{name}",
            text,
            partial(function, session),
            icon=mark,
            menu="Robot/Pose",
            section="pose",
            tooltip=tip,
            enabled=needs_joints,
            keywords=f"pose {name} joints",
        )

    def no_other_pose() -> str | None:
        robot = session.robot
        if needs_joints() is not None or robot is None:
            return needs_joints()
        same = SetDefaultsFromPose(session.pose).apply(robot).xrdf == robot.xrdf
        return "This pose is the default position." if same else None

    add(
        "robot.make_default",
        "Make &default",
        lambda: session.execute(SetDefaultsFromPose(session.pose)),
        icon="push-pin",
        menu="Robot",
        section="pose",
        tooltip="Make this pose the default position in the XRDF",
        enabled=no_other_pose,
        with_pose=True,
        keywords="pose default_joint_positions",
    )
    robot_actions.register(window)


def _help(window: EditorWindow) -> None:
    add = window.registry.register
    add(
        "help.shortcuts",
        "&Keyboard and mouse",
        window.show_shortcuts,
        shortcut="Ctrl+F1",
        icon="keyboard",
        menu="Help",
        tooltip="All keys, to find and to change, and what the mouse does in the view",
        keywords="shortcuts hotkeys keymap change",
    )
    add("help.about", "&About XRDF Editor", window.show_about, icon="info", menu="Help")


def _recent_menu(window: EditorWindow) -> QMenu:
    menu = QMenu("Open &recent", window.qt_window)
    menu.setIcon(icon("clock-counter-clockwise"))
    menu.setToolTipsVisible(True)

    def fill() -> None:
        menu.clear()
        entries = window.settings.recent
        for urdf, xrdf in entries:
            name = Path(urdf).name if xrdf is None else f"{Path(urdf).name}  +  {Path(xrdf).name}"
            action = menu.addAction(no_mnemonic(f"{name}   ({Path(urdf).parent.name})"))
            action.setToolTip(plain(urdf if xrdf is None else f"{urdf}\n{xrdf}"))
            action.triggered.connect(partial(window.open_recent, urdf, xrdf))
        if entries:
            menu.addSeparator()
            menu.addAction("Clear this list", window.settings.clear_recent)
        else:
            menu.addAction("No robot was opened yet").setEnabled(False)

    menu.aboutToShow.connect(fill)
    return menu


def _examples_menu(window: EditorWindow) -> QMenu:
    menu = QMenu("Open &example robot", window.qt_window)
    menu.setIcon(icon("robot"))

    def fill() -> None:
        if not menu.isEmpty():
            return
        samples = example_robots()
        if not samples:
            hint = menu.addAction("Install the extra “samples” for 69 real robots")
            hint.setToolTip("pip install 'xrdf-editor[samples]'")
            hint.triggered.connect(lambda: QApplication.clipboard().setText("pip install 'xrdf-editor[samples]'"))
            return
        families: dict[str, QMenu] = {}
        for sample in samples:
            if sample.family not in families:
                families[sample.family] = menu.addMenu(no_mnemonic(sample.family))
            action = families[sample.family].addAction(no_mnemonic(sample.title))
            action.triggered.connect(partial(window.open_recent, str(sample.urdf), None))

    menu.aboutToShow.connect(fill)
    return menu
