"""Where the selection stands in an XRDF, and what a place of its text selects."""

from __future__ import annotations

from editor_app.edit.selection import Selection
from editor_app.kinematics.tree import KinematicTree
from editor_app.model.findings import SphereRef, YamlPath
from editor_app.model.references import Named
from editor_app.model.robot import RobotDescription
from editor_app.operations.text_help import NamedThing


def paths_of(selection: Selection, active_group: str | None) -> list[YamlPath]:
    """Where what is selected stands in the XRDF."""
    paths: list[YamlPath] = [("geometry", s.group, "spheres", s.frame, s.index) for s in selection.spheres]
    if not paths and active_group is not None:
        paths = [("geometry", active_group, "spheres", frame) for frame in selection.links]
    return paths + [("default_joint_positions", joint) for joint in selection.joints]


def selection_at(path: YamlPath | None, robot: RobotDescription) -> Selection | None:
    """What to select for a place in the text; None where there is nothing to select."""
    if path is None:
        return None
    if len(path) >= 4 and path[0] == "geometry" and path[2] == "spheres":
        group, frame = str(path[1]), str(path[3])
        found = robot.xrdf.group(group)
        if found is None:
            return None
        if len(path) >= 5 and isinstance(path[4], int) and path[4] < len(found.spheres.get(frame, ())):
            return Selection(spheres=(SphereRef(group, frame, path[4]),))
        return Selection(links=(frame,))
    if len(path) == 2 and path[0] == "default_joint_positions":
        return Selection(joints=(str(path[1]),))
    if len(path) >= 3 and path[1] in ("buffer_distance", "ignore"):
        return Selection(links=(str(path[2]),))
    if len(path) == 3 and path[0] == "cspace" and isinstance(path[2], int):
        names = (robot.xrdf.cspace.joint_names if robot.xrdf.cspace else None) or ()
        return Selection(joints=(names[path[2]],)) if path[2] < len(names) else None
    if len(path) == 2 and path[0] == "tool_frames" and isinstance(path[1], int):
        frames = robot.xrdf.tool_frames or ()
        return Selection(links=(frames[path[1]],)) if path[1] < len(frames) else None
    return None


def selection_of(thing: NamedThing, tree: KinematicTree | None) -> Selection | None:
    """What to select for a frame or joint that a text names; None for other things, and where the robot has it not."""
    if thing.kind is Named.LINK and tree is not None and thing.name in tree.index:
        return Selection(links=(thing.name,))
    if thing.kind is Named.JOINT and tree is not None and tree.joint(thing.name) is not None:
        return Selection(joints=(thing.name,))
    return None
