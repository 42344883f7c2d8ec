"""The sections of the XRDF, in the order of the specification."""

from __future__ import annotations

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.window.xrdf.collision import (
    GeometryGroupsPanel,
    SelfCollisionSectionPanel,
    WorldCollisionPanel,
)
from editor_app.window.xrdf.cspace import CSpacePanel, DefaultPositionsPanel
from editor_app.window.xrdf.format import FormatPanel
from editor_app.window.xrdf.modifiers import ModifiersPanel, ToolFramesPanel
from editor_app.window.xrdf.section_stack import PanelSpec


def _buffers(robot: RobotDescription) -> str:
    section = robot.xrdf.world_collision
    if section is None:
        return "none"
    distances = section.buffer_distance
    number = len(distances) if isinstance(distances, FrozenDict) else 0 if distances is None else 1
    return f"{number} buffer{'' if number == 1 else 's'}"


def _pairs(robot: RobotDescription) -> str:
    section = robot.xrdf.self_collision
    return "none" if section is None else f"{len(section.ignored_pairs())} ignored"


def _joints(robot: RobotDescription) -> str:
    return "missing" if robot.xrdf.cspace is None else str(len(robot.xrdf.cspace.joint_names or ()))


SPECS = (
    PanelSpec(
        "format",
        "Format",
        "file-text",
        FormatPanel,
        lambda robot: robot.xrdf.format_version or "missing",
    ),
    PanelSpec(
        "modifiers",
        "Modifiers",
        "tree-structure",
        ModifiersPanel,
        "xrdf.modifiers",
        "modifiers",
        words="add frame base frame set_base_frame attached tcp",
    ),
    PanelSpec(
        "geometry",
        "Geometry groups",
        "circles-three",
        GeometryGroupsPanel,
        "xrdf.geometry",
        "geometry",
        words="collision spheres clone",
    ),
    PanelSpec(
        "world_collision",
        "World collision",
        "cube",
        WorldCollisionPanel,
        _buffers,
        "world_collision",
        words="buffer distance padding obstacles",
    ),
    PanelSpec(
        "self_collision",
        "Self-collision",
        "intersect",
        SelfCollisionSectionPanel,
        _pairs,
        "self_collision",
        words="ignore pairs buffer distance padding disable",
    ),
    PanelSpec(
        "default_joint_positions",
        "Default joint positions",
        "house-line",
        DefaultPositionsPanel,
        "xrdf.default_joint_positions",
        "default_joint_positions",
        words="home retract pose configuration",
    ),
    PanelSpec(
        "cspace",
        "C-space",
        "sliders-horizontal",
        CSpacePanel,
        _joints,
        "cspace",
        words="acceleration jerk limits joint_names controlled active joints",
    ),
    PanelSpec(
        "tool_frames",
        "Tool frames",
        "wrench",
        ToolFramesPanel,
        "xrdf.tool_frames",
        "tool_frames",
        words="tcp end effector ee_link",
    ),
)
