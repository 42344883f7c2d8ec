"""The sections of the SRDF, in their order."""

from __future__ import annotations

from collections.abc import Callable

from editor_app.gui.actions import ActionRegistry
from editor_app.gui.panels.srdf.configs import ConfigsPanel
from editor_app.gui.panels.srdf.defaults import DefaultsPanel
from editor_app.gui.panels.srdf.effectors import EffectorsPanel
from editor_app.gui.panels.srdf.file import FilePanel
from editor_app.gui.panels.srdf.groups import GroupsPanel
from editor_app.gui.panels.srdf.joints import JointsOfSrdfPanel
from editor_app.gui.panels.srdf.margins import MarginsPanel
from editor_app.gui.panels.srdf.pairs import PairsPanel
from editor_app.gui.panels.srdf.spheres import SpheresOfSrdfPanel
from editor_app.gui.panels.srdf.states import StatesPanel
from editor_app.gui.panels.srdf.tools import ToolsPanel
from editor_app.gui.panels.xrdf.section_stack import PanelSpec
from editor_app.gui.session import Session
from editor_app.model.robot import RobotDescription


def specs(session: Session, registry: ActionRegistry) -> list[PanelSpec]:
    """The sections of the SRDF, for a SectionStack."""

    def number(attribute: str) -> Callable[[RobotDescription], str]:
        return lambda robot: "none" if robot.srdf is None else str(len(getattr(robot.srdf, attribute)))

    def joints(robot: RobotDescription) -> str:
        srdf = robot.srdf
        if srdf is None:
            return "none"
        return str(len(srdf.virtual_joints) + len(srdf.passive_joints) + len(srdf.joint_properties))

    def file(robot: RobotDescription) -> str:
        return "none" if robot.srdf is None else robot.srdf.version or ""

    def defaults(robot: RobotDescription) -> str:
        srdf = robot.srdf
        return "none" if srdf is None else str(len(srdf.default_disabled_links) + len(srdf.enabled_pairs))

    def margins(robot: RobotDescription) -> str:
        section = robot.srdf.margins if robot.srdf is not None else None
        return "none" if section is None else str(len(section.pairs))

    def spheres(robot: RobotDescription) -> str:
        approximations = robot.srdf.sphere_approximations if robot.srdf is not None else None
        return "none" if approximations is None else str(sum(map(len, approximations.values())))

    return [
        PanelSpec("srdf.file", "File", "file", lambda: FilePanel(session), file),
        PanelSpec("srdf.groups", "Groups", "users-three", lambda: GroupsPanel(session), number("groups")),
        PanelSpec("srdf.states", "States", "person-simple", lambda: StatesPanel(session), number("states")),
        PanelSpec("srdf.tools", "Tool centre points", "crosshair", lambda: ToolsPanel(session), number("tcps")),
        PanelSpec(
            "srdf.pairs",
            "Disabled pairs",
            "intersect",
            lambda: PairsPanel(session, registry),
            number("disabled_pairs"),
        ),
        PanelSpec("srdf.defaults", "Default collisions", "circle-dashed", lambda: DefaultsPanel(session), defaults),
        PanelSpec(
            "srdf.effectors",
            "End effectors",
            "hand-grabbing",
            lambda: EffectorsPanel(session),
            number("end_effectors"),
        ),
        PanelSpec(
            "srdf.joints",
            "Virtual and passive joints",
            "link-simple",
            lambda: JointsOfSrdfPanel(session),
            joints,
        ),
        PanelSpec("srdf.margins", "Collision margins", "frame-corners", lambda: MarginsPanel(session), margins),
        PanelSpec("srdf.spheres", "Spheres of links", "circles-three", lambda: SpheresOfSrdfPanel(session), spheres),
        PanelSpec(
            "srdf.configs", "Plugins and calibration", "puzzle-piece", lambda: ConfigsPanel(session), number("configs")
        ),
    ]
