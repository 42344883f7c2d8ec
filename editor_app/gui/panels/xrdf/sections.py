"""Which sections there are, and what their headers count."""

from __future__ import annotations

from editor_app.gui.panels.xrdf.collision import SelfCollisionPanel, WorldCollisionPanel
from editor_app.gui.panels.xrdf.cspace import CSpacePanel
from editor_app.gui.panels.xrdf.default_positions import DefaultPositionsPanel
from editor_app.gui.panels.xrdf.format import FormatPanel
from editor_app.gui.panels.xrdf.geometry_groups import GeometryGroupsPanel
from editor_app.gui.panels.xrdf.modifiers import ModifiersPanel
from editor_app.gui.panels.xrdf.section_stack import PanelSpec
from editor_app.gui.panels.xrdf.tool_frames import ToolFramesPanel
from editor_app.gui.session import Session
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSection


def specs(session: Session) -> list[PanelSpec]:
    """Every section, in the order of the specification."""
    return [
        PanelSpec(
            "format", "Format", "file-text", lambda: FormatPanel(session), lambda r: r.xrdf.format_version or "missing"
        ),
        PanelSpec(
            "modifiers",
            "Modifiers",
            "tree-structure",
            lambda: ModifiersPanel(session),
            lambda r: _count(r.xrdf.modifiers),
            "modifiers",
        ),
        PanelSpec(
            "geometry",
            "Geometry groups",
            "circles-three",
            lambda: GeometryGroupsPanel(session),
            lambda r: _count(r.xrdf.geometry),
            "geometry",
        ),
        PanelSpec(
            "world_collision",
            "World collision",
            "cube",
            lambda: WorldCollisionPanel(session),
            lambda r: _buffers(r.xrdf.world_collision),
            "world_collision",
        ),
        PanelSpec(
            "self_collision",
            "Self-collision",
            "intersect",
            lambda: SelfCollisionPanel(session),
            _pairs,
            "self_collision",
        ),
        PanelSpec(
            "default_joint_positions",
            "Default joint positions",
            "house-line",
            lambda: DefaultPositionsPanel(session),
            lambda r: _count(r.xrdf.default_joint_positions),
            "default_joint_positions",
        ),
        PanelSpec(
            "cspace",
            "C-space",
            "sliders-horizontal",
            lambda: CSpacePanel(session),
            lambda r: "missing" if r.xrdf.cspace is None else _count(r.xrdf.cspace.joint_names or ()),
            "cspace",
        ),
        PanelSpec(
            "tool_frames",
            "Tool frames",
            "wrench",
            lambda: ToolFramesPanel(session),
            lambda r: _count(r.xrdf.tool_frames),
            "tool_frames",
        ),
    ]


def _count(values: tuple[object, ...] | FrozenDict[str, float] | None) -> str:
    return "none" if values is None else str(len(values))


def _buffers(section: CollisionSection | None) -> str:
    if section is None:
        return "none"
    distances = section.buffer_distance
    number = len(distances) if isinstance(distances, FrozenDict) else 0 if distances is None else 1
    return f"{number} buffer{'' if number == 1 else 's'}"


def _pairs(robot: RobotDescription) -> str:
    section = robot.xrdf.self_collision
    if section is None:
        return "none"
    ignored = len(section.ignored_pairs())
    return f"{ignored} ignored"
