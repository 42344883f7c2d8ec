"""Every action of the window as a value, one table per subject, and the rules by which they can be
used.

`ActionRegistry.add` resolves the names of a table when it is added: a misspelt name fails at the
start. Actions that exist once for each member of an enumeration (settings, formats, panels, hand
tools) are made by their subject.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from editor_app.core.document.commands.urdf_merging import MergeLinks
from editor_app.core.document.commands.urdf_robot import IgnoreLinkedBodies
from editor_app.core.document.selection import NOTHING
from editor_app.core.document.state import FileKind

#: The reason of all that needs a robot.
NO_ROBOT = "Open a robot first."
NO_JOINTS = "No joint of this robot can be moved."
#: Name of a rule: the value that must be true, or with "not" false, and the reason shown otherwise.
RULES = {
    "robot": ("session.has_robot", NO_ROBOT),
    "srdf": ("session.robot.srdf", "This robot has no SRDF."),
    "no_srdf": ("not session.robot.srdf", "This robot has an SRDF."),
    "expansion": (
        "session.document.expansion",
        "This URDF was not expanded from a xacro file: Save writes it.",
    ),
    "section_self_collision": (
        "session.robot.xrdf.self_collision",
        "The XRDF has no self-collision section.",
    ),
    "movable": ("session.tree.independent", NO_JOINTS),
    "redoable": ("session.document.redo_label", "Nothing to redo."),
    "selection": ("session.selection", "Nothing is selected."),
    "spheres": ("session.selection.spheres", "No sphere is selected."),
    "frames": ("session.selection.frames", "No link is selected."),
    "links": ("links", "Select a link first."),
    "one_link": ("one_link", "Select one link."),
    "place": ("place", "No file defines this link."),
    "group": ("session.active_group", "Create a geometry group first."),
    "hidden": ("session.hidden", "No link is hidden."),
    "unsaved": ("files.has_unsaved", "Everything is saved."),
    "on_disk": ("xrdf_on_disk", "The XRDF is not on disk yet."),
    "sample": ("sample", "The sample robot is not part of this installation."),
    "front": ("front", "No panel is below the view."),
    "camera_moved": ("scene.following.can_go_back", "The camera has not moved."),
    "tool_frame": ("frame", "Select a link first: the XRDF has no tool frame."),
    "tool_or_link": ("held_frame", "No link of this robot can be moved."),
    "one_pose": ("one_pose", "Select one pose in the Joints panel."),
    "writable": ("not editor.isReadOnly", "This text cannot be edited."),
    "pose_before": ("before", "No earlier pose."),
    "pose_after": ("after", "No later pose."),
}

#: Sections of menus in their order, where the order of registration is another. Sections that are
#: not listed come last.
MENU_SECTIONS = {
    "File": ("open", "save", "exchange", "disk", "end"),
    "View": ("panels", "show", "camera", "measure", "findings", "links", "settings"),
    "Robot": ("draft", "pose", "named", "history", "hand", "bodies", "programs", "links"),
    "Spheres": ("fit", "edit", "tools", "alike", "select", "handles"),
}
#: Submenu of a context menu for the actions of a menu or section, by context: a menu has at most 12
#: entries.
CONTEXT_SUBMENUS = {
    ("link", "structure"): "Add, move, &remove",
    ("link", "bodies"): "Add, move, &remove",
    ("link", "place"): "&Pose and tool",
    ("link", "pose"): "&Pose and tool",
    ("link", "hand"): "&Pose and tool",
    ("link", "edit"): "&Spheres",
    ("link", "select"): "&Spheres",
    ("link", "tools"): "&Spheres",
    ("link", "alike"): "&Spheres",
    ("link", "spheres"): "&Spheres",
    ("link", "links"): "&View",
    ("link", "camera"): "&View",
    ("link", "show"): "&View",
    ("sphere", "Spheres/Refine"): "&Refine",
    ("sphere", "alike"): "&Refine",
    ("sphere", "links"): "&View",
    ("sphere", "camera"): "&View",
    ("viewport", "measure"): "&Measure",
}


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action. `run`, `checked`, `label` and what `when` names beside RULES are names in what is
    given to `add`.

    `keys`, `when` and `contexts` are lists of words: keys, rules (the first that fails gives the
    reason), and context menus ("link", "joint", "sphere", "viewport", "note", "pairs").
    """

    id: str
    #: With "&" before the menu's letter.
    text: str
    run: str
    keys: str = ""
    icon: str = ""
    tip: str = ""
    #: Other words that the search box finds it by: what users of other programs call it.
    words: str = ""
    when: str = ""
    #: Makes it a toggle: whether it is on. `run` flips it.
    checked: str = ""
    #: The current text, if it changes (the name of the step to undo).
    label: str = ""
    #: "View", or "View/Standard view".
    menu: str = ""
    #: Sections are separated by lines.
    section: str = ""
    toolbar: str = ""
    contexts: str = ""
    #: Its keys count only while the widget that is given to `add` has the focus.
    local: bool = False
    #: The only place where its keys count, in words; that place handles them instead of Qt.
    place: str = ""
    #: A rule depends on the pose: it is checked at each step of the pose and must be fast.
    with_pose: bool = False
    #: Its place among the buttons at the edge of the view, 0 for none: tools up to 99, toggles from
    #: 100, entries of the button *View options* from 200.
    button: int = 0
    #: The id of the action that follows it in all menus; it comes last without one.
    before: str = ""
    #: What `run`, `checked`, `label` and rules written as "rule(given)" are called with.
    given: tuple[Any, ...] = ()


def under(menu: str, section: str, *specs: ActionSpec, **same: Any) -> tuple[ActionSpec, ...]:
    """Return actions of one section of a menu, with further fields that all of them share."""
    return tuple(replace(spec, menu=menu, section=section, **same) for spec in specs)


#: Radius that the view draws spheres with.
RADII = {
    "bare": "Radius as written",
    "world": "Radius with the world buffer",
    "self": "Radius with the self-collision buffer",
}
#: Standard views: name, text, key.
VIEWS = (
    ("iso", "Isometric", "0"),
    ("front", "Front", "1"),
    ("back", "Back", "Ctrl+1"),
    ("right", "Right", "3"),
    ("left", "Left", "Ctrl+3"),
    ("top", "Top", "7"),
    ("bottom", "Bottom", "Ctrl+7"),
)
IN_PAIRS = "In the matrix and the lists of pairs"

A = ActionSpec
FILE = (
    *under(
        "File",
        "open",
        A(
            "file.new_window",
            "New &window",
            "window.new_window",
            "Ctrl+Shift+N",
            "app-window",
            "Open another window for another robot",
            "second instance",
        ),
        A(
            "file.open",
            "&Open…",
            "files.open_dialog",
            "Ctrl+O",
            "folder-open",
            "Open a robot: its URDF with the XRDF next to it",
            "urdf load import robot",
            toolbar="file",
        ),
        A(
            "file.new_robot",
            "New ro&bot…",
            "files.new_robot",
            "",
            "file-plus",
            "Start a URDF from a single link",
            "create empty urdf build",
        ),
        A(
            "file.new_xrdf",
            "&New XRDF",
            "files.new_xrdf",
            "Ctrl+N",
            "file-plus",
            "Draft a new XRDF for this robot",
            "draft create",
            when="robot",
        ),
        A(
            "file.new_srdf",
            "New SRD&F",
            "files.new_srdf",
            "",
            "file-plus",
            "Create an empty SRDF for this robot, to add groups, states and tools",
            "create moveit tesseract groups setup assistant",
            when="robot no_srdf",
        ),
        A(
            "file.sample",
            "Open &sample robot",
            "files.open_sample",
            "",
            "robot",
            "A six-axis arm with a gripper to experiment with",
            when="sample",
        ),
    ),
    *under(
        "File/Open another",
        "open",
        A(
            "file.open_xrdf",
            "Open another &XRDF…",
            "files.open_part_dialog",
            "",
            "file",
            "Open another XRDF for this robot",
            when="robot",
            given=(FileKind.XRDF,),
        ),
        A(
            "file.open_srdf",
            "Open another S&RDF…",
            "files.open_part_dialog",
            "",
            "file",
            "Open another SRDF (groups, states, disabled pairs) for this robot",
            when="robot",
            given=(FileKind.SRDF,),
        ),
    ),
    *under(
        "File",
        "save",
        A(
            "file.save",
            "&Save",
            "files.save",
            "Ctrl+S",
            "floppy-disk",
            "Save the files that changed; only edited lines are rewritten",
            "write store",
            when="robot unsaved",
            toolbar="file",
        ),
        A(
            "file.save_as",
            "Save &as…",
            "files.save_as",
            "Ctrl+Shift+S",
            tip="Save the XRDF under another name",
            when="robot",
        ),
    ),
    *under(
        "File/Save other",
        "save",
        A(
            "file.save_srdf_as",
            "Save SRDF as…",
            "files.save_srdf_as",
            tip="Save the SRDF under another name; other files stay unchanged",
            when="robot srdf",
        ),
        A(
            "file.save_urdf_as",
            "Save as &URDF…",
            "files.save_urdf_as",
            tip="Save the expansion of a xacro file as a URDF that can be edited",
            words="xacro expansion",
            when="robot expansion",
        ),
        A(
            "file.save_copy",
            "Save a &copy…",
            "files.save_copy",
            tip="Write the XRDF to another file and keep editing this one",
            when="robot",
        ),
    ),
    *under(
        "File",
        "exchange",
        A(
            "file.import",
            "&Import…",
            "importing.choose",
            "",
            "download-simple",
            "Import SRDF, cuRobo, Lula and sphere lists into this XRDF, COLLADA robots as new "
            "files, xacro read-only",
            "convert srdf curobo lula collada xacro spheres",
        ),
    ),
)
DISK = (
    *under(
        "File",
        "disk",
        A(
            "file.reload",
            "&Reload from disk",
            "window.reload",
            "Ctrl+R",
            "arrows-clockwise",
            "Read URDF, XRDF and meshes again",
            "revert refresh",
            when="robot",
        ),
    ),
    *under(
        "File/Compare",
        "disk",
        A(
            "file.compare",
            "Com&pare with the file on disk…",
            "files.compare_with_disk",
            tip="Show line by line what saving would change",
            words="diff changes",
            when="robot on_disk",
        ),
    ),
    *under(
        "File",
        "end",
        A(
            "file.close",
            "&Close robot",
            "files.close_document",
            "Ctrl+W",
            tip="Close the robot and return to the start page",
            when="robot",
        ),
        A(
            "file.close_window",
            "Close w&indow",
            "window.qt_window.close",
            "Ctrl+Shift+W",
            tip="Close this window; other windows stay open",
        ),
        A(
            "file.quit",
            "&Quit",
            "quit_program",
            "Ctrl+Q",
            "power",
            "Close all windows; asks about unsaved changes",
            "exit end",
        ),
    ),
)
EDIT = (
    *under(
        "Edit",
        "history",
        A(
            "edit.undo",
            "&Undo",
            "undo",
            "Ctrl+Z",
            "arrow-u-up-left",
            label="undo_text",
            when="nothing_to_undo",
            with_pose=True,
        ),
        A(
            "edit.redo",
            "&Redo",
            "session.redo",
            "Ctrl+Shift+Z Ctrl+Y",
            "arrow-u-up-right",
            label="redo_text",
            when="redoable",
        ),
        toolbar="history",
    ),
    *under(
        "Edit",
        "select",
        A(
            "edit.select_none",
            "Select &nothing",
            "session.select",
            "Ctrl+Shift+A",
            "selection",
            words="deselect clear",
            when="selection",
            given=(NOTHING,),
        ),
    ),
    *under(
        "Edit",
        "find",
        A(
            "edit.find",
            "&Find action, link or joint…",
            "window.find_anything",
            "Ctrl+K Ctrl+Shift+P",
            "magnifying-glass",
            "Search for any action, link, joint or frame",
            "command palette search",
            toolbar="find",
        ),
    ),
    *under(
        "Edit",
        "preferences",
        A(
            "edit.preferences",
            "&Preferences…",
            "window.show_preferences",
            "Ctrl+,",
            "gear",
            "Colours, units, mouse, defaults for new robots and fits, mesh folders",
            "settings options defaults theme units version target profile budget fit mode effort "
            "mesh folders",
        ),
    ),
)
FINDINGS = (
    *under(
        "View/Links",
        "links",
        A(
            "view.hide_subtree",
            "Hide link and all &below it",
            "hide_subtree",
            "Ctrl+Shift+H",
            "tree-structure",
            "Hide the selected links and every link below them; press again to show them",
            "subtree branch show",
            when="links",
            contexts="link",
        ),
    ),
    *under(
        "View",
        "findings",
        A(
            "view.next_finding",
            "&Next finding",
            "window.step_finding",
            "F8",
            "warning",
            words="error problem warning",
            given=(1,),
        ),
        A(
            "view.previous_finding",
            "&Previous finding",
            "window.step_finding",
            "Shift+F8",
            given=(-1,),
        ),
        when="robot no_finding",
    ),
)
ROBOT = (
    *under(
        "Robot/Pose",
        "pose",
        A(
            "robot.pose_zero",
            "&Zero",
            "pose",
            "",
            "number-circle-zero",
            "Move every joint to 0, or to the nearest limit",
            "pose zero joints",
            given=("zero",),
        ),
        A(
            "robot.pose_default",
            "&Default",
            "pose",
            "",
            "house-simple",
            "Move to the default joint positions of the XRDF",
            "pose default joints home",
            given=("default",),
        ),
        A(
            "robot.pose_middle",
            "&Mid-range",
            "pose",
            "",
            "arrows-in-line-horizontal",
            "Move every joint half-way between its limits",
            "pose middle joints",
            given=("middle",),
        ),
        A(
            "robot.pose_random",
            "&Random",
            "pose",
            "",
            "shuffle",
            "Move every joint to a random position within its limits",
            "pose random joints",
            given=("random",),
        ),
        when="robot movable",
    ),
    *under(
        "Robot",
        "draft",
        A(
            "robot.make_default",
            "Make &default",
            "make_default",
            "",
            "push-pin",
            "Use the current pose as the default position in the XRDF",
            "pose default_joint_positions retract home",
            when="robot movable is_default",
            with_pose=True,
        ),
    ),
    *under(
        "Robot/Whole URDF",
        "links",
        A(
            "robot.world",
            "&Attach to world",
            "toggle_world",
            "",
            "globe",
            "Add a link “world” with a fixed joint to the root of the URDF, or remove them",
            "urdf root base fixed attach detach",
            label="world_text",
            when="robot no_root",
        ),
        A(
            "robot.merge",
            "&Merge links without inertial",
            "session.execute",
            "",
            "git-merge",
            "Merge them into their parents in the URDF; shapes, spheres and joints are kept",
            "urdf lump fixed kinematic massless",
            when="robot nothing_to_merge",
            given=(MergeLinks(),),
        ),
        A(
            "robot.ignore",
            "&Ignore linked bodies",
            "session.execute",
            "",
            "link-break",
            "Ignore self-collision of the pairs that a joint connects",
            "mask adjacent self-collision",
            when="robot section_self_collision nothing_to_ignore",
            given=(IgnoreLinkedBodies(),),
        ),
        A(
            "robot.inertias",
            "&Compute inertia from shapes",
            "compute_inertias",
            "",
            "scales",
            "Fill in mass and inertia of all links that have shapes but no inertial, with 1,000 "
            "kg/m³",
            "inertia inertial mass weight density centre of gravity com",
            when="robot no_bare_links",
        ),
    ),
)
LINKS = (
    *under(
        "Robot/Selected link",
        "link",
        A(
            "links.tool_frame",
            "Make &tool frame",
            "do",
            "",
            "crosshair",
            "The frame that planners move to a target",
            "tool_frames tcp effector ee_link end",
            label="role_text",
            when="robot refusal(given)",
            given=("tool_frames",),
        ),
        A(
            "links.control",
            "Add the joint to the &c-space",
            "do",
            "",
            "sliders-horizontal",
            "Planners move the joint that leads to this link; outside the c-space they keep it "
            "fixed",
            "cspace controlled joint_names active",
            label="role_text",
            when="robot refusal(given)",
            given=("control",),
        ),
        A(
            "links.lock",
            "&Lock the joint at this position",
            "do",
            "",
            "lock-simple",
            "Remove the joint from the c-space and use its current position as its default",
            "fix fixed default_joint_positions cspace lock_joints",
            when="robot refusal(given)",
            given=("lock",),
        ),
        A(
            "links.rename",
            "Re&name…",
            "rename",
            "F2",
            "pencil-simple",
            "Rename the link in URDF, XRDF and SRDF",
            "name references",
            when="robot one_link no_renaming",
        ),
        A(
            "links.source",
            "Show in so&urce",
            "show_in_source",
            "",
            "code",
            "Show the lines that define the link",
            "text line definition urdf",
            when="robot one_link place",
        ),
        contexts="link",
    ),
    *under(
        "Robot/Selected link",
        "spheres",
        A(
            "links.copy_spheres",
            "Copy spheres t&o…",
            "copy_spheres",
            "",
            "copy",
            "Copy the spheres of this link to another link, with the same coordinates or in place",
            "duplicate other link",
            when="robot one_link no_spheres",
        ),
        A(
            "links.add_sphere",
            "Add a sphere by its num&bers",
            "add_sphere",
            "",
            "plus-circle",
            "Add a sphere at the link's frame or next to its last sphere; edit its numbers in "
            "Selection",
            "new insert",
            when="robot one_link",
        ),
        contexts="link",
    ),
    *under(
        "Robot/Selected link",
        "structure",
        A(
            "links.add_link",
            "Add a child &link…",
            "add_link",
            "Ins",
            "tree-structure",
            "Add a link to the URDF below this one, with its joint, position and shape",
            "new child joint frame build",
            when="robot one_link no_structure",
        ),
        A(
            "links.insert_link",
            "Insert a link abo&ve…",
            "insert_link",
            "",
            "git-commit",
            "Insert an empty link between this one and its parent; nothing moves",
            "new between frame joint flange",
            when="robot one_link no_structure carried",
        ),
        A(
            "links.add_sensor",
            "Add a se&nsor",
            "add_sensor",
            "",
            "broadcast",
            "Add a sensor to the link in the URDF",
            "new camera lidar urdf",
            when="robot one_link",
        ),
        A(
            "links.place",
            "Move the link by handles",
            "placing.flip",
            "",
            "arrows-out-cardinal",
            "Handles move the origin of the selected link or added frame with all links below it",
            "place origin gizmo mount joint frame drag",
            when="robot one_link",
            checked="placing.is_on",
        ),
        A(
            "links.merge",
            "Mer&ge into its parent",
            "merge_link",
            "",
            "git-merge",
            "Move shapes, mass, spheres and child links to the parent and remove this link",
            "lump join combine fixed",
            when="robot one_link no_structure no_merge",
        ),
        A(
            "links.duplicate",
            "&Duplicate with child links…",
            "duplicate_branch",
            "",
            "copy-simple",
            "Copy the link and all links below it, with spheres, buffers and ignored pairs; names "
            "get a suffix",
            "copy branch subtree second arm finger",
            when="robot one_link no_structure carried",
        ),
        A(
            "links.remove_branch",
            "Remove &with child links",
            "remove_link",
            "",
            "trash",
            "Remove the link and all links below it from URDF, XRDF and SRDF",
            "delete branch subtree",
            when="robot one_link no_structure carried",
            given=(False,),
        ),
        A(
            "links.remove_alone",
            "Remove and &keep child links",
            "remove_link",
            "",
            "minus-circle",
            "Remove the link and attach its child links to its parent in the same place",
            "delete link alone children",
            when="robot one_link no_structure",
            given=(True,),
        ),
        contexts="link",
    ),
)
SHOWN = (
    *(
        A(
            f"view.{name}",
            text,
            "flip",
            key,
            icon,
            given=(name,),
            menu=menu,
            section="show",
            words="show hide display",
            checked="is_on",
            local=True,
            button=button,
            before="view.heat_map" if menu == "View" else "",
        )
        for name, text, key, icon, menu, button in (
            ("visuals", "&Visual meshes", "V", "cube", "View", 100),
            ("collisions", "&Collision meshes", "C", "polygon", "View", 105),
            ("spheres", "&Spheres", "S", "circles-three", "View", 110),
            ("frames", "&Frames", "R", "arrows-out", "View", 115),
            ("frame_names", "&Names of frames", "N", "tag", "View/View options", 200),
            ("joint_axes", "&Joint axes", "J", "arrow-clockwise", "View/View options", 205),
            ("tools", "Tools of the &SRDF", "T", "crosshair", "View/View options", 210),
            ("sensors", "S&ensors", "E", "broadcast", "View/View options", 215),
            ("grid", "&Ground grid", "G", "grid-four", "View/View options", 220),
        )
    ),
    *(
        A(
            f"view.radius.{mode}",
            text,
            "use_radius",
            words="buffer distance",
            checked="is_radius",
            given=(mode,),
            menu="View/Radius of spheres",
            section="show",
            button=250,
        )
        for mode, text in RADII.items()
    ),
    *under(
        "View/View options",
        "show",
        A(
            "view.opacity",
            "&Opacity…",
            "view.strip.ask_opacity",
            "",
            "drop-half",
            "Opacity of meshes and spheres",
            "transparent transparency alpha see through",
            button=240,
        ),
    ),
)
CAMERA = (
    *under(
        "View",
        "camera",
        A(
            "view.fit",
            "Zoom to &all",
            "view.reset_camera",
            "Home",
            "corners-out",
            words="fit reset camera everything",
            when="robot",
            contexts="viewport",
            local=True,
        ),
        A(
            "view.fit_selection",
            "&Zoom to selection",
            "view.fit_selection",
            "F",
            "magnifying-glass-plus",
            words="fit focus camera nearer",
            when="robot",
            contexts="sphere link joint",
            local=True,
        ),
        A(
            "view.back",
            "&Back to the previous view",
            "scene.following.back",
            "Backspace",
            "arrow-u-up-left",
            words="camera return undo",
            when="robot camera_moved",
        ),
        A(
            "view.follow",
            "Let the &view follow lists",
            "flip",
            "",
            "crosshair",
            "Choosing a small or hidden finding or pair in a list moves the camera to it",
            "camera selection automatic zoom",
            checked="is_on",
            given=("follow_selection",),
        ),
    ),
    *(
        A(
            f"view.from.{name}",
            text,
            "view.standard_view",
            key,
            words="camera look standard view",
            when="robot",
            local=True,
            given=(name,),
            menu="View/Standard view",
            section="camera",
            button=270,
        )
        for name, text, key in VIEWS
    ),
    *under(
        "View",
        "camera",
        A(
            "view.parallel_projection",
            "&Parallel projection",
            "flip",
            "5",
            "bounding-box",
            words="orthographic perspective",
            checked="is_on",
            local=True,
            given=("parallel_projection",),
            button=260,
        ),
    ),
)
SPHERES = (
    *under(
        "Spheres",
        "edit",
        A(
            "spheres.add_tool",
            "&Add on surface",
            "flip_tool",
            "A",
            "plus-circle",
            "Add spheres by clicking on the surface of a link",
            "new create",
            when="robot group",
            checked="is_tool",
            toolbar="spheres",
            contexts="link",
            given=("add",),
            button=10,
        ),
        A(
            "spheres.duplicate",
            "D&uplicate",
            "edits.duplicate_selected",
            "Ctrl+D",
            "copy",
            words="copy",
            when="spheres",
            contexts="sphere",
        ),
        A(
            "spheres.delete",
            "&Delete",
            "edits.delete_selected",
            "Delete",
            "trash",
            words="remove",
            when="spheres",
            contexts="sphere",
        ),
        local=True,
    ),
    *under(
        "Spheres",
        "select",
        A(
            "spheres.box",
            "&Box select",
            "flip_tool",
            "B",
            "selection",
            words="rectangle rubber band",
            when="robot",
            checked="is_tool",
            given=("box",),
            button=40,
        ),
        A(
            "spheres.select_of_link",
            "Select all &of the link",
            "select_of_link",
            "L",
            "circles-three",
            words="spheres same link",
            when="no_more_of_link",
            contexts="sphere link",
        ),
        local=True,
    ),
    *under(
        "Spheres",
        "handles",
        A(
            "spheres.gizmo_frame",
            "&Handles in the frame of the link",
            "flip_gizmo",
            "X",
            "arrows-out-cardinal",
            words="gizmo world local axes",
            checked="scene.gizmo_in_link",
            local=True,
        ),
    ),
    *under(
        "View/Links",
        "links",
        A(
            "view.hide",
            "&Hide link",
            "hide",
            "H",
            "eye-slash",
            when="frames all_hidden",
            contexts="link sphere",
        ),
        A(
            "view.show_only",
            "Show &only this link",
            "show_only",
            "Shift+H",
            "eye",
            words="isolate",
            when="frames nothing_else_shown",
            contexts="link sphere",
        ),
        A(
            "view.show_all",
            "Show a&ll links",
            "session.set_hidden",
            "Alt+H",
            "eye",
            when="hidden",
            contexts="viewport",
            given=(frozenset(),),
        ),
        local=True,
    ),
)
POSING = (
    *under(
        "Robot",
        "pose",
        A(
            "pose.tool",
            "&Pose by hand",
            "flip_tool",
            "P",
            "hand",
            "Drag links to turn their joints; drag the tool by its handles",
            "inverse kinematics ik drag joint tool move jog teach",
            when="robot",
            checked="is_tool",
            contexts="link viewport",
            local=True,
            given=("pose",),
            button=20,
        ),
    ),
    *under(
        "Robot/Pose",
        "hand",
        A(
            "pose.keep_rotation",
            "&Keep the tool's rotation",
            "flip_kept",
            tip=(
                "Keep the tool's rotation while it moves along axes; otherwise only its position "
                "is kept"
            ),
            words="inverse kinematics orientation position only",
            when="robot",
            checked="is_kept",
            given=("rotation",),
        ),
        A(
            "pose.keep_upright",
            "Keep the tool &upright",
            "flip_kept",
            tip="Keep the tool's tilt while it moves along axes; it may turn about the vertical",
            words="inverse kinematics level vertical tilt orientation",
            when="robot",
            checked="is_kept",
            given=("tilt",),
        ),
        A(
            "pose.last",
            "Move this joint &last",
            "flip_last",
            tip=(
                "Move this joint only when the others cannot reach the target; a lock holds it "
                "completely"
            ),
            words="inverse kinematics weight waist torso lift redundant",
            when="robot movable no_joint",
            checked="is_last",
            contexts="joint",
        ),
        A(
            "pose.hold",
            "H&old this tool in place",
            "hold",
            "",
            "anchor",
            "Keep this tool in place while another tool is dragged",
            "inverse kinematics pin two arms",
            when="robot tool_or_link",
            checked="is_held",
            contexts="link",
        ),
    ),
)
PICTURE = under(
    "File",
    "exchange",
    A(
        "view.save_picture",
        "Save pi&cture…",
        "save_picture",
        "",
        "image",
        words="screenshot image png export transparent size",
        when="robot",
    ),
)
NAMED_POSES = under(
    "Robot/Pose",
    "named",
    A(
        "pose.go",
        "&Go to the selected pose",
        "go_to_chosen",
        "",
        "arrow-right",
        "A double-click in the list does the same",
        when="robot movable one_pose",
    ),
    A(
        "pose.store",
        "&Store this pose",
        "store_and_name",
        "",
        "plus",
        "Stored in your settings for this robot, not in its files",
        when="robot movable",
    ),
    A(
        "pose.rename",
        "Re&name the pose",
        "rename_chosen",
        "",
        "pencil-simple",
        when="robot movable one_pose no_stored",
    ),
    A(
        "pose.delete",
        "&Delete the pose",
        "delete_chosen",
        "",
        "trash",
        when="robot movable no_stored",
    ),
    A(
        "pose.copy_yaml",
        "Copy as &YAML",
        "copy",
        "",
        "copy",
        "Radians and metres",
        when="robot movable",
        given=("yaml",),
    ),
    A(
        "pose.copy_python",
        "Copy as P&ython",
        "copy",
        "",
        "code",
        "A dict, radians and metres",
        when="robot movable",
        given=("python",),
    ),
    A(
        "pose.paste",
        "&Paste joint values",
        "paste",
        "",
        "clipboard-text",
        "From a terminal, a JointState message, CSV, YAML, or numbers in c-space order",
        when="robot movable",
    ),
    words="joint positions values state clipboard message",
)
POSE_HISTORY = under(
    "Robot/Pose",
    "history",
    A(
        "pose.back",
        "Back to the &previous pose",
        "back",
        "Alt+Z",
        "arrow-arc-left",
        "Undo posing by hand, by numbers or by a motion; Ctrl+Z undoes changes of the files",
        "undo pose joints revert",
        when="robot pose_before",
    ),
    A(
        "pose.forward",
        "&Forward to the next pose",
        "forward",
        "Alt+Shift+Z",
        "arrow-arc-right",
        "Available until the robot is posed again",
        "redo pose joints",
        when="robot pose_after",
    ),
    with_pose=True,
)
PLACES = under(
    "Robot/Tool position",
    "place",
    A(
        "place.copy_urdf",
        "Copy as &URDF origin",
        "copy",
        "",
        "copy",
        "xyz and rpy, metres and radians",
        given=("urdf",),
    ),
    A(
        "place.copy_xrdf",
        "Copy as &XRDF transform",
        "copy",
        "",
        "copy",
        "The fixed_transform of an added frame",
        given=("xrdf",),
    ),
    A(
        "place.copy_ros",
        "Copy as &ROS pose",
        "copy",
        "",
        "copy",
        "A PoseStamped as YAML",
        given=("ros",),
    ),
    A(
        "place.paste",
        "&Paste as target",
        "paste",
        "",
        "clipboard-text",
        "Move the tool to the pose in the clipboard: x y z, xyz and rpy, a quaternion, or a ROS "
        "pose",
    ),
    when="robot movable tool_frame",
    contexts="link",
    words="tool position rotation rpy quaternion xyz tf where inverse kinematics target clipboard",
)
_TEXT = {"words": "source xrdf yaml editor", "local": True}
ROTATION_FORMS = under(
    "Robot/Tool position",
    "place",
    A(
        "place.forms",
        "Show &quaternion and axis",
        "flip_forms",
        "",
        "dots-three",
        "Show the rotation of the selected frame also as quaternion and as axis with angle, in "
        "the panel Selection",
        "rotation xyzw orientation angle",
        checked="is_forms",
    ),
)
SOURCE = (
    *under(
        "Edit/Source text",
        "help",
        A(
            "source.complete",
            "&Complete the word",
            "help",
            "Ctrl+Space",
            "text-aa",
            "List the sections, frames, joints and groups that fit at the cursor",
            when="robot writable",
            given=("helper.complete",),
        ),
        A(
            "source.remedies",
            "Fix problems on this &line…",
            "help",
            "Ctrl+.",
            "lightbulb",
            "List the fixes for the findings on the cursor's line",
            when="robot",
            given=("fixes.show_menu",),
        ),
        A(
            "source.explain",
            "&Explain the word at the cursor",
            "help",
            "Ctrl+I",
            "info",
            "Show the findings at the cursor and the meaning of the key or name, as hovering does",
            when="robot",
            given=("helper.explain",),
        ),
        A(
            "source.definition",
            "&Go to definition",
            "help",
            "F12",
            "crosshair",
            "Select the frame or joint at the cursor, or go to the group's definition (Ctrl+click)",
            when="robot",
            given=("helper.go_to_definition",),
        ),
        **_TEXT,
    ),
    *under(
        "Edit/Source text",
        "fold",
        A(
            "source.fold",
            "&Fold",
            "fold",
            "Ctrl+Shift+[",
            "caret-right",
            "Fold the section or mapping at the cursor",
        ),
        A(
            "source.unfold",
            "&Unfold",
            "unfold",
            "Ctrl+Shift+]",
            "caret-down",
            "Unfold the lines below the cursor",
        ),
        A(
            "source.fold_all",
            "Fold &all sections",
            "fold_all",
            tip="Show only the first line of each section",
        ),
        A("source.unfold_all", "U&nfold all", "unfold_all", tip="Show every line"),
        when="robot",
        **_TEXT,
    ),
)
LAYOUT = under(
    "View/Panels",
    "layout",
    A(
        "view.fold",
        "&Fold the bottom panels",
        "flip",
        "Ctrl+J",
        "caret-down",
        "Show only the tabs below the view; click a tab to open its panel, double-click to fold",
        "hide close collapse minimise bottom",
        checked="is_folded",
    ),
    A(
        "view.enlarge",
        "&Enlarge the bottom panel",
        "toggle_large",
        "Ctrl+Shift+J",
        "arrows-out",
        "Fill the window with the panel below the view; press again to restore",
        "maximise maximize full matrix central whole",
        checked="is_large",
    ),
    A(
        "view.tear_off",
        "&Detach the panel",
        "tear_off",
        "",
        "arrow-square-out",
        "Open the panel below the view in its own window; closing it returns it to the tabs",
        "float tear off undock own separate window screen",
        when="front",
    ),
)
PANELS = under(
    "View/Panels",
    "layout",
    A(
        "view.reset_layout",
        "&Reset layout",
        "reset",
        "",
        "layout",
        "Restore the default place and size of all panels",
        "default windows docks lost",
    ),
    A(
        "view.next_panel",
        "&Next panel",
        "focus.step",
        "F6",
        "",
        "Move the keyboard focus to the next visible panel",
        "focus keyboard",
        given=(1,),
    ),
    A(
        "view.previous_panel",
        "&Previous panel",
        "focus.step",
        "Shift+F6",
        "",
        "Move the keyboard focus to the previous visible panel",
        "focus keyboard",
        given=(-1,),
    ),
)
NAMES_IN_FULL = under(
    "View/Links",
    "links",
    A(
        "view.full_names",
        "Show &full names of links",
        "toggle",
        "Ctrl+Shift+L",
        "arrows-out-line-horizontal",
        "Widen the Links panel to its longest name; press again to restore",
        "wide widen column tree elided cut",
        when="robot",
        checked="is_wide",
    ),
)
HELP = (
    *under(
        "Help",
        "",
        A(
            "help.shortcuts",
            "&Keyboard and mouse",
            "window.show_shortcuts",
            "Ctrl+F1",
            "keyboard",
            "Find and change keys, and see what the mouse does in the view",
            "shortcuts hotkeys keymap change",
        ),
        A(
            "help.about",
            "&About XRDF Editor",
            "window.show_about",
            "",
            "info",
            words="version licence",
        ),
    ),
)
