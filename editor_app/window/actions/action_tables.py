"""Every action of the window as a value, one table per subject, and the rules by which they can be used.

`ActionRegistry.add` resolves the names of a table when it is added: a misspelt name fails at the start. Actions
that exist once for each member of an enumeration (settings, formats, panels, hand tools) are made by their subject.
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
#: Name of a rule: what must be there, or with "not" must not be, and the reason when it is otherwise.
RULES = {
    "robot": ("session.has_robot", NO_ROBOT),
    "srdf": ("session.robot.srdf", "This robot has no SRDF."),
    "no_srdf": ("not session.robot.srdf", "This robot has an SRDF."),
    "expansion": ("session.document.expansion", "This URDF is a file of its own: saving writes what changed in it."),
    "section_self_collision": ("session.robot.xrdf.self_collision", "The XRDF has no section self-collision."),
    "movable": ("session.tree.independent", NO_JOINTS),
    "undoable": ("session.document.undo_label", "There is no step to undo."),
    "redoable": ("session.document.redo_label", "There is no step to redo."),
    "selection": ("session.selection", "Nothing is selected."),
    "spheres": ("session.selection.spheres", "No sphere is selected."),
    "frames": ("session.selection.frames", "No link is selected."),
    "links": ("links", "Select a link first."),
    "one_link": ("one_link", "Select one link."),
    "place": ("place", "The link stands in no file."),
    "group": ("session.active_group", "There is no geometry group to add spheres to."),
    "hidden": ("session.hidden", "Every link is shown."),
    "unsaved": ("files.has_unsaved", "Everything is saved."),
    "on_disk": ("xrdf_on_disk", "The XRDF is not on disk yet."),
    "sample": ("sample", "The sample robot is not part of this installation."),
    "front": ("front", "No panel is below the view."),
    "camera_moved": ("scene.following.can_go_back", "The camera has not moved."),
    "tool_frame": ("frame", "Select a link first: the XRDF names no tool frame."),
    "tool_or_link": ("held_frame", "No link of this robot can be moved."),
    "one_pose": ("one_pose", "Select one pose in the Joints panel."),
    "writable": ("not editor.isReadOnly", "This text cannot be edited."),
    "pose_before": ("before", "The robot has not been posed."),
    "pose_after": ("after", "There is no pose to go forward to."),
}

#: Submenu of a context menu in which a section stands, by context and section: a menu in two columns is not read.
CONTEXT_SUBMENUS = {
    ("link", "structure"): "Add, place, &remove",
    ("link", "place"): "Place of the &tool",
    ("link", "edit"): "&Spheres",
    ("link", "select"): "&Spheres",
    ("link", "tools"): "&Spheres",
    ("link", "links"): "&View",
    ("link", "camera"): "&View",
    ("link", "show"): "&View",
}


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action. `run`, `checked`, `label` and what `when` names beside RULES are names in what is given to `add`.

    `keys`, `when` and `contexts` are lists of words: keys, rules (the first that fails gives the reason), and context
    menus ("link", "joint", "sphere", "viewport", "note", "pairs").
    """

    id: str
    #: With "&" before the menu's letter.
    text: str
    run: str
    keys: str = ""
    icon: str = ""
    tip: str = ""
    #: What a search finds it by, beside its text.
    words: str = ""
    when: str = ""
    #: Makes it a switch: whether it is on. `run` turns it over.
    checked: str = ""
    #: The text at the moment, where it changes (the name of the step to undo).
    label: str = ""
    #: "View", or "View/Standard view".
    menu: str = ""
    #: What belongs together stands between separators.
    section: str = ""
    toolbar: str = ""
    contexts: str = ""
    #: Its keys count only while the widget that is given to `add` has the focus.
    local: bool = False
    #: Where alone its keys count, in words; what watches that place asks for them, Qt does nothing itself.
    place: str = ""
    #: A rule depends on the pose: it is asked at each step of the pose, and has to be quick.
    with_pose: bool = False
    #: Its place among the buttons at the edge of the view, 0 for none: tools up to 99, switches from 100.
    button: int = 0
    #: The id of an action that it stands before in all menus, where that one is registered; else it comes last.
    before: str = ""
    #: What `run`, `checked`, `label` and rules written as "rule(given)" are called with.
    given: tuple[Any, ...] = ()


def under(menu: str, section: str, *specs: ActionSpec, **same: Any) -> tuple[ActionSpec, ...]:
    """Actions of one section of a menu, and what else is the same of all."""
    return tuple(replace(spec, menu=menu, section=section, **same) for spec in specs)


#: Radius that the view draws spheres with: text, and the short one of its button.
RADII = {
    "bare": ("Radius as written", "r"),
    "world": ("Radius with the world buffer", "r w"),
    "self": ("Radius with the self-collision buffer", "r s"),
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
# fmt: off
FILE = (
    *under("File", "open",
        A("file.new_window", "New &window", "window.new_window", "Ctrl+Shift+N", "app-window",
          "Another window, with a robot of its own", "second instance"),
        A("file.open", "&Open…", "files.open_dialog", "Ctrl+O", "folder-open",
          "Open a robot: its URDF, with the XRDF beside it", "urdf load", toolbar="file"),
        A("file.new_robot", "New ro&bot…", "files.new_robot", "", "file-plus",
          "A URDF with one link, to build a robot on", "create empty urdf build"),
        A("file.open_xrdf", "Open another &XRDF…", "files.open_part_dialog", "", "file",
          "Open another XRDF for this robot", when="robot", given=(FileKind.XRDF,)),
        A("file.open_srdf", "Open another S&RDF…", "files.open_part_dialog", "", "file",
          "Open another SRDF (groups, states, disabled pairs) for this robot", when="robot", given=(FileKind.SRDF,)),
        A("file.new_xrdf", "&New XRDF", "files.new_xrdf", "Ctrl+N", "file-plus",
          "Draft a new XRDF for this robot", "draft create", when="robot"),
        A("file.new_srdf", "New SRD&F", "files.new_srdf", "", "file-plus",
          "An empty SRDF for this robot, to which groups, states and tools are added",
          "create moveit tesseract groups", when="robot no_srdf"),
        A("file.sample", "Open &sample robot", "files.open_sample", "", "robot",
          "A six-axis arm with a gripper, to try things on", when="sample"),
    ),
    *under("File", "save",
        A("file.save", "&Save", "files.save", "Ctrl+S", "floppy-disk",
          "Save the files that changed; only what was edited is written anew", when="robot unsaved", toolbar="file"),
        A("file.save_as", "Save &as…", "files.save_as", "Ctrl+Shift+S",
          tip="Save the XRDF under another name", when="robot"),
        A("file.save_srdf_as", "Save SRDF as…", "files.save_srdf_as",
          tip="Save the SRDF under another name; the other files are left alone", when="robot srdf"),
        A("file.save_urdf_as", "Save as &URDF…", "files.save_urdf_as",
          tip="Save the expansion of a xacro file as a URDF, which can be edited", words="xacro expansion",
          when="robot expansion"),
        A("file.save_copy", "Save a &copy…", "files.save_copy",
          tip="Write the XRDF to another file and go on with this one", when="robot"),
    ),
    *under("File", "exchange",
        A("file.import", "&Import…", "importing.choose", "", "download-simple",
          "SRDF, cuRobo, Lula, lists of spheres into this XRDF; COLLADA robots as new files; xacro read-only",
          "convert srdf curobo lula collada xacro spheres"),
    ),
)
DISK = (
    *under("File", "disk",
        A("file.reload", "&Reload from disk", "window.reload", "Ctrl+R", "arrows-clockwise",
          "Read URDF, XRDF and meshes again", "revert refresh", when="robot"),
        A("file.compare", "Com&pare with the file on disk…", "files.compare_with_disk",
          tip="Show what saving would change, line by line", words="diff changes", when="robot on_disk"),
    ),
    *under("File", "end",
        A("file.close", "&Close robot", "files.close_document", "Ctrl+W",
          tip="Close the robot and go back to the start page", when="robot"),
        A("file.close_window", "Close w&indow", "window.qt_window.close", "Ctrl+Shift+W",
          tip="Close this window; others stay"),
        A("file.quit", "&Quit", "quit_program", "Ctrl+Q", "power",
          "Close every window; each asks about what is not saved", "exit end"),
    ),
)
EDIT = (
    *under("Edit", "history",
        A("edit.undo", "&Undo", "session.undo", "Ctrl+Z", "arrow-u-up-left", label="undo_text", when="undoable"),
        A("edit.redo", "&Redo", "session.redo", "Ctrl+Shift+Z Ctrl+Y", "arrow-u-up-right", label="redo_text",
          when="redoable"),
        toolbar="history",
    ),
    *under("Edit", "select",
        A("edit.select_none", "Select &nothing", "session.select", "Ctrl+Shift+A", "selection", words="deselect clear",
          when="selection", given=(NOTHING,)),
    ),
    *under("Edit", "find",
        A("edit.find", "&Find action, link or joint…", "window.find_anything", "Ctrl+K Ctrl+Shift+P",
          "magnifying-glass", "Search for any action, link, joint or frame", "command palette search", toolbar="find"),
    ),
    *under("Edit", "preferences",
        A("edit.preferences", "&Preferences…", "window.show_preferences", "Ctrl+,", "gear",
          "Colours, units, mouse, what robots and fits begin with, folders with meshes",
          "settings options defaults theme units version target profile budget fit mode effort mesh folders"),
    ),
)
FINDINGS = (
    *under("View/Links", "links",
        A("view.hide_subtree", "Hide with everything below &it", "hide_subtree", "Ctrl+Shift+H", "tree-structure",
          "Hide the selected links and every link below them; again shows them", "subtree branch show",
          when="links", contexts="link"),
    ),
    *under("View", "findings",
        A("view.next_finding", "&Next finding", "window.step_finding", "F8", "warning", given=(1,)),
        A("view.previous_finding", "&Previous finding", "window.step_finding", "Shift+F8", given=(-1,)),
        when="robot no_finding",
    ),
)
ROBOT = (
    *under("Robot/Pose", "pose",
        A("robot.pose_zero", "&Zero", "pose", "", "number-circle-zero",
          "Every joint at 0, or at the limit next to it", "pose zero joints", given=("zero",)),
        A("robot.pose_default", "&Default", "pose", "", "house-simple",
          "The default joint positions of the XRDF", "pose default joints", given=("default",)),
        A("robot.pose_middle", "&Mid-range", "pose", "", "arrows-in-line-horizontal",
          "Every joint half-way between its limits", "pose middle joints", given=("middle",)),
        A("robot.pose_random", "&Random", "pose", "", "shuffle",
          "Every joint anywhere within its limits", "pose random joints", given=("random",)),
        when="robot movable",
    ),
    *under("Robot", "pose",
        A("robot.make_default", "Make &default", "make_default", "", "push-pin",
          "Make this pose the default position in the XRDF", "pose default_joint_positions",
          when="robot movable is_default", with_pose=True),
    ),
    *under("Robot", "bodies",
        A("robot.world", "&Attach to world", "toggle_world", "", "globe",
          "A link “world” and a fixed joint from it to the root of the URDF, or without them again",
          "urdf root base fixed attach detach", label="world_text", when="robot no_root"),
        A("robot.merge", "&Merge links without inertial", "session.execute", "", "git-merge",
          "They become part of their parents in the URDF; shapes, spheres and joints move along",
          "urdf lump fixed kinematic mass", when="robot nothing_to_merge", given=(MergeLinks(),)),
        A("robot.ignore", "&Ignore collisions of linked bodies", "session.execute", "", "link-break",
          "Leave the pairs that a joint connects out of self-collision", "mask adjacent self-collision",
          when="robot section_self_collision nothing_to_ignore", given=(IgnoreLinkedBodies(),)),
    ),
)
LINKS = (
    *under("Robot/Selected link", "link",
        A("links.tool_frame", "Make &tool frame", "do", "", "crosshair", "What planners bring to a target",
          "tool_frames tcp effector", label="role_text", when="robot refusal(given)", given=("tool_frames",)),
        A("links.control", "Add the joint to the &c-space", "do", "", "sliders-horizontal",
          "The joint that leads to the link is moved by planners; outside the c-space it stays where it is",
          "cspace controlled joint_names", label="role_text", when="robot refusal(given)", given=("control",)),
        A("links.lock", "&Lock the joint at this position", "do", "", "lock-simple",
          "Outside the c-space, with its present position as the default one",
          "fix fixed default_joint_positions cspace", when="robot refusal(given)", given=("lock",)),
        A("links.rename", "Re&name…", "rename", "F2", "pencil-simple",
          "Another name for the link, followed through URDF, XRDF and SRDF", "name references",
          when="robot one_link no_renaming"),
        A("links.source", "Show in so&urce", "show_in_source", "", "code", "The lines of the file that define the link",
          "text line definition urdf", when="robot one_link place"),
        A("links.copy_spheres", "Copy spheres t&o…", "copy_spheres", "", "copy",
          "Choose another link that gets the spheres of this one, in its coordinates or in place",
          "duplicate other link", when="robot one_link no_spheres"),
        A("links.add_sphere", "Add a sphere by its num&bers", "add_sphere", "", "plus-circle",
          "At the link's frame, or beside its last sphere; its numbers are in the panel Selection", "new insert",
          when="robot one_link"),
        A("links.add_sensor", "Add a se&nsor", "add_sensor", "", "broadcast", "In the URDF, on the link",
          "new camera lidar urdf", when="robot one_link"),
        contexts="link",
    ),
    *under("Robot/Selected link", "structure",
        A("links.add_link", "Add a link on &it…", "add_link", "Ins", "tree-structure",
          "A link of the URDF on this one: its joint, its place and its shape", "new child joint frame build",
          when="robot one_link no_structure"),
        A("links.insert_link", "Insert a link abo&ve…", "insert_link", "", "git-commit",
          "An empty link between this one and its parent; nothing moves", "new between frame joint flange",
          when="robot one_link no_structure carried"),
        A("links.place", "Place it by handles", "placing.flip", "", "arrows-out-cardinal",
          "Handles at a selected link or added frame move its origin, with what hangs on it; again hides them",
          "move origin gizmo mount joint frame drag", when="robot one_link", checked="placing.is_on"),
        A("links.merge", "Mer&ge into its parent", "merge_link", "", "git-merge",
          "Shapes, mass, spheres and what hangs on it move along; its name goes", "lump join combine fixed",
          when="robot one_link no_structure no_merge"),
        A("links.duplicate", "&Duplicate with what hangs on it…", "duplicate_branch", "", "copy-simple",
          "A second one in the same place, with spheres, buffers and ignored pairs; names get an ending",
          "copy branch subtree second arm finger", when="robot one_link no_structure carried"),
        A("links.remove_branch", "Remove with &what hangs on it", "remove_link", "", "trash",
          "With its joints, and with what URDF, XRDF and SRDF say of them", "delete branch subtree",
          when="robot one_link no_structure carried", given=(False,)),
        A("links.remove_alone", "Remove, &keep what hangs on it", "remove_link", "", "minus-circle",
          "What hangs on it hangs on its parent, in the same place", "delete link alone children",
          when="robot one_link no_structure", given=(True,)),
        contexts="link",
    ),
)  # fmt: skip
SHOWN = (
    *(A(f"view.{name}", text, "flip", key, icon, given=(name,), menu="View", section="show", words="show hide display",
        checked="is_on", local=True, button=100)
      for name, text, key, icon in (
          ("visuals", "&Visual meshes", "V", "cube"),
          ("collisions", "&Collision meshes", "C", "polygon"),
          ("spheres", "&Spheres", "S", "circles-three"),
          ("frames", "&Frames", "R", "arrows-out"),
          ("frame_names", "&Names of frames", "N", "tag"),
          ("joint_axes", "&Joint axes", "J", "arrow-clockwise"),
          ("tools", "Tools of the &SRDF", "T", "crosshair"),
          ("sensors", "S&ensors", "E", "broadcast"),
          ("grid", "&Ground grid", "G", "grid-four"),
      )),
    *(A(f"view.radius.{mode}", text, "use_radius", words="buffer distance", checked="is_radius", given=(mode,),
        menu="View/Radius of spheres", section="show") for mode, (text, _) in RADII.items()),
)
CAMERA = (
    *under("View", "camera",
        A("view.fit", "Zoom to &all", "view.reset_camera", "Home", "corners-out", words="fit reset camera everything",
          when="robot", contexts="viewport", local=True),
        A("view.fit_selection", "&Zoom to selection", "view.fit_selection", "F", "magnifying-glass-plus",
          words="fit focus camera nearer", when="robot", contexts="sphere link joint", local=True),
        A("view.back", "&Back to the view before", "scene.following.back", "Backspace", "arrow-u-up-left",
          words="camera return previous", when="robot camera_moved"),
        A("view.follow", "The &view follows the lists", "flip", "", "crosshair",
          "Findings and pairs that are small or out of sight come into view when they are chosen in a list",
          "camera selection automatic zoom", checked="is_on", given=("follow_selection",)),
    ),
    *(A(f"view.from.{name}", text, "view.standard_view", key, words="camera look standard view", when="robot",
        local=True, given=(name,), menu="View/Standard view", section="camera") for name, text, key in VIEWS),
    *under("View", "camera",
        A("view.parallel_projection", "&Parallel projection", "flip", "5", "bounding-box",
          words="orthographic perspective", checked="is_on", local=True, given=("parallel_projection",)),
    ),
)
SPHERES = (
    *under("Spheres", "edit",
        A("spheres.add_tool", "&Add on surface", "flip_tool", "A", "plus-circle",
          "Add spheres by clicking on the surface of a link", "new create", when="robot group", checked="is_tool",
          toolbar="spheres", contexts="link", given=("add",), button=10),
        A("spheres.duplicate", "D&uplicate", "edits.duplicate_selected", "Ctrl+D", "copy", words="copy",
          when="spheres", contexts="sphere"),
        A("spheres.delete", "&Delete", "edits.delete_selected", "Delete", "trash", words="remove", when="spheres",
          contexts="sphere"),
        local=True,
    ),
    *under("Spheres", "select",
        A("spheres.box", "&Box select", "flip_tool", "B", "selection", words="rectangle rubber band", when="robot",
          checked="is_tool", given=("box",), button=40),
        A("spheres.select_of_link", "Select all &of the link", "select_of_link", "L", "circles-three",
          words="spheres same link", when="no_more_of_link", contexts="sphere link"),
        local=True,
    ),
    *under("Spheres", "handles",
        A("spheres.gizmo_frame", "&Handles in the frame of the link", "flip_gizmo", "X", "arrows-out-cardinal",
          words="gizmo world local axes", checked="scene.gizmo_in_link", local=True, button=50),
    ),
    *under("View/Links", "links",
        A("view.hide", "&Hide link", "hide", "H", "eye-slash", when="frames all_hidden", contexts="link sphere"),
        A("view.show_only", "Show &only this link", "show_only", "Shift+H", "eye", words="isolate",
          when="frames nothing_else_shown", contexts="link sphere"),
        A("view.show_all", "Show a&ll links", "session.set_hidden", "Alt+H", "eye", when="hidden",
          contexts="viewport", given=(frozenset(),)),
        local=True,
    ),
)
POSING = under("Robot", "pose",
    A("pose.tool", "&Pose by hand", "flip_tool", "P", "hand",
      "Drag links to turn their joints, and the tool by its handles", "inverse kinematics ik drag joint tool move",
      when="robot", checked="is_tool", contexts="link viewport", local=True, given=("pose",), button=20),
    A("pose.keep_rotation", "&Keep the tool's rotation", "flip_kept",
      tip="While the tool is moved along axes, it keeps its rotation; else only its position counts",
      words="inverse kinematics orientation position only", when="robot", checked="is_kept", given=("rotation",)),
    A("pose.keep_upright", "Keep the tool &upright", "flip_kept",
      tip="While the tool is moved along axes, it keeps its tilt, and may turn about the vertical",
      words="inverse kinematics level vertical tilt orientation", when="robot", checked="is_kept", given=("tilt",)),
    A("pose.last", "Move this joint &last", "flip_last",
      tip="It moves only where the other joints cannot bring a tool to its place; a lock holds it altogether",
      words="inverse kinematics weight waist torso lift redundant", when="robot movable no_joint", checked="is_last",
      contexts="joint"),
    A("pose.hold", "H&old this tool in place", "hold", "", "anchor",
      "It stays where it is while another tool is dragged", "inverse kinematics pin two arms",
      when="robot tool_or_link", checked="is_held", contexts="link"),
)
PICTURE = under("File", "exchange",
    A("view.save_picture", "Save pi&cture…", "save_picture", "", "image",
      words="screenshot image png export transparent size", when="robot"),
)
NAMED_POSES = under("Robot/Pose", "named",
    A("pose.go", "&Go to the selected pose", "go_to_chosen", "", "arrow-right",
      "A double-click in the list does the same", when="robot movable one_pose"),
    A("pose.store", "&Store this pose", "store_and_name", "", "plus",
      "Kept for this robot in your own settings, not in its files", when="robot movable"),
    A("pose.rename", "Re&name the pose", "rename_chosen", "", "pencil-simple", when="robot movable one_pose no_stored"),
    A("pose.delete", "&Delete the pose", "delete_chosen", "", "trash", when="robot movable no_stored"),
    A("pose.copy_yaml", "Copy as &YAML", "copy", "", "copy", "Radians and metres", when="robot movable",
      given=("yaml",)),
    A("pose.copy_python", "Copy as P&ython", "copy", "", "code", "A dict, radians and metres", when="robot movable",
      given=("python",)),
    A("pose.paste", "&Paste joint values", "paste", "", "clipboard-text",
      "From a terminal, a JointState message, CSV, YAML, or bare numbers in the order of the c-space",
      when="robot movable"),
    words="joint positions values state clipboard message",
)
POSE_HISTORY = under("Robot/Pose", "history",
    A("pose.back", "Back to the pose &before", "back", "Alt+Z", "arrow-arc-left",
      "Undoes what was posed, by hand, by numbers or by a motion; Ctrl+Z is for the files", when="robot pose_before"),
    A("pose.forward", "&Forward to the pose after", "forward", "Alt+Shift+Z", "arrow-arc-right",
      "Until something else is posed", when="robot pose_after"),
    words="undo redo pose joints previous next history", with_pose=True,
)
PLACES = under("Robot/Place of the tool", "place",
    A("place.copy_urdf", "Copy as &URDF origin", "copy", "", "copy", "xyz and rpy, metres and radians",
      given=("urdf",)),
    A("place.copy_xrdf", "Copy as &XRDF transform", "copy", "", "copy", "The fixed_transform of an added frame",
      given=("xrdf",)),
    A("place.copy_ros", "Copy as &ROS pose", "copy", "", "copy", "A PoseStamped as YAML", given=("ros",)),
    A("place.paste", "&Paste as target", "paste", "", "clipboard-text",
      "Brings the tool to the place in the clipboard: x y z, xyz and rpy, a quaternion, a pose of ROS"),
    when="robot movable tool_frame", contexts="link",
    words="tool position rotation rpy quaternion xyz tf where inverse kinematics target clipboard",
)
_TEXT = {"words": "source xrdf yaml editor", "local": True}
SOURCE = (
    *under("Edit/Source text", "help",
        A("source.complete", "&Complete the word", "help", "Ctrl+Space", "text-aa",
          "Offer the sections, frames, joints and groups that may stand at the cursor", when="robot writable",
          given=("helper.complete",)),
        A("source.remedies", "&Remedies at this line…", "help", "Ctrl+.", "lightbulb",
          "Offer what mends the findings at the cursor's line", when="robot",
          given=("fixes.show_menu",)),
        A("source.explain", "&What is at the cursor", "help", "Ctrl+I", "info",
          "Say what is wrong at the cursor, and what the key or name there means, as the mouse shows it",
          when="robot", given=("helper.explain",)),
        A("source.definition", "&Go to definition", "help", "F12", "crosshair",
          "Select the frame or joint that is named at the cursor, or go to the group's definition (Ctrl+click)",
          when="robot", given=("helper.go_to_definition",)),
        **_TEXT,
    ),
    *under("Edit/Source text", "fold",
        A("source.fold", "&Fold", "fold", "Ctrl+Shift+[", "caret-right",
          "Hide what belongs to the section or mapping at the cursor"),
        A("source.unfold", "&Unfold", "unfold", "Ctrl+Shift+]", "caret-down",
          "Show what is hidden below the cursor's line"),
        A("source.fold_all", "Fold &all sections", "fold_all", tip="Show the sections' first lines alone"),
        A("source.unfold_all", "U&nfold all", "unfold_all", tip="Show every line"),
        when="robot", **_TEXT,
    ),
)
LAYOUT = under("View/Panels", "layout",
    A("view.fold", "&Fold the bottom panels", "flip", "Ctrl+J", "caret-down",
      "Leave only the tabs below the view; a click on a tab opens its panel again, a double click folds",
      "hide close collapse minimise bottom", checked="is_folded"),
    A("view.enlarge", "&Enlarge the bottom panel", "toggle_large", "Ctrl+Shift+J", "arrows-out",
      "The matrix or any other panel below the view takes the whole window, until the key comes again",
      "maximise maximize full matrix central whole", checked="is_large"),
    A("view.tear_off", "&Tear the panel off", "tear_off", "", "arrow-square-out",
      "The panel below the view becomes a window of its own; closing it puts it back among the tabs",
      "float detach undock own separate window screen", when="front"),
)
PANELS = under("View/Panels", "layout",
    A("view.reset_layout", "&Reset layout", "reset", "", "layout",
      "Put every panel back to its first place and size"),
    A("view.next_panel", "&Next panel", "focus.step", "F6", "",
      "The keyboard goes from the view to the panels in sight, and around", "focus keyboard", given=(1,)),
    A("view.previous_panel", "&Previous panel", "focus.step", "Shift+F6", "",
      "The keyboard goes from the view to the panels in sight, and around", "focus keyboard", given=(-1,)),
)
NAMES_IN_FULL = under("View/Links", "links",
    A("view.full_names", "Names of links in &full", "toggle", "Ctrl+Shift+L", "arrows-out-line-horizontal",
      "The column of links becomes as wide as its longest name; again: as it was",
      "wide widen column tree elided cut", when="robot", checked="is_wide"),
)
HELP = (
    *under("Help", "",
        A("help.shortcuts", "&Keyboard and mouse", "window.show_shortcuts", "Ctrl+F1", "keyboard",
          "All keys, to find and to change, and what the mouse does in the view",
          "shortcuts hotkeys keymap change"),
        A("help.about", "&About XRDF Editor", "window.show_about", "", "info"),
    ),
)
# fmt: on
