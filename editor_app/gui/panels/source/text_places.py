"""Where the selection stands in an XRDF, and what a place of its text selects."""

from __future__ import annotations

from collections.abc import Sequence

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
    xrdf = robot.xrdf
    match path:
        case ("geometry", group, "spheres", frame, *rest):
            return _spheres_at(str(group), str(frame), rest, robot)
        case ("default_joint_positions", joint):
            return Selection(joints=(str(joint),))
        case (_, "buffer_distance" | "ignore", frame, *_):
            return Selection(links=(str(frame),))
        case ("cspace", _, int(place)):
            names = (xrdf.cspace.joint_names if xrdf.cspace else None) or ()
            return Selection(joints=(names[place],)) if place < len(names) else None
        case ("tool_frames", int(place)):
            frames = xrdf.tool_frames or ()
            return Selection(links=(frames[place],)) if place < len(frames) else None
    return None


def _spheres_at(name: str, frame: str, rest: Sequence[str | int], robot: RobotDescription) -> Selection | None:
    group = robot.xrdf.group(name)
    if group is None:
        return None
    place = rest[0] if rest else None
    if isinstance(place, int) and place < len(group.spheres.get(frame, ())):
        return Selection(spheres=(SphereRef(name, frame, place),))
    return Selection(links=(frame,))


def selection_of(thing: NamedThing, tree: KinematicTree | None) -> Selection | None:
    """What to select for a frame or joint that a text names; None for other things, and where the robot has it not."""
    if thing.kind is Named.LINK and tree is not None and thing.name in tree.index:
        return Selection(links=(thing.name,))
    if thing.kind is Named.JOINT and tree is not None and tree.joint(thing.name) is not None:
        return Selection(joints=(thing.name,))
    return None
