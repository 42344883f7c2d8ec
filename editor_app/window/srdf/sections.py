"""The sections of the SRDF, in their order."""

from __future__ import annotations

from functools import partial

from editor_app.core.model.robot import RobotDescription
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.srdf.file import ConfigsPanel, FilePanel
from editor_app.window.srdf.groups import GroupsPanel, JointsOfSrdfPanel
from editor_app.window.srdf.pairs import (
    ContactMarginsPanel,
    DefaultsPanel,
    PairsPanel,
    SpheresOfSrdfPanel,
)
from editor_app.window.srdf.states import EffectorsPanel, StatesPanel, ToolsPanel
from editor_app.window.xrdf.section_stack import PanelSpec

_DEFAULTS = "srdf.default_disabled_links srdf.enabled_pairs"
_JOINTS = "srdf.virtual_joints srdf.passive_joints srdf.joint_properties"


def srdf_section_specs(registry: ActionRegistry) -> list[PanelSpec]:
    """The sections of the SRDF, for a SectionStack."""
    pairs = partial(PairsPanel, registry=registry)
    return [
        PanelSpec("srdf.file", "File", "file", FilePanel, _version),
        PanelSpec(
            "srdf.groups",
            "Groups",
            "users-three",
            GroupsPanel,
            "srdf.groups",
            words="planning group chain moveit",
        ),
        PanelSpec(
            "srdf.states",
            "States",
            "person-simple",
            StatesPanel,
            "srdf.states",
            words="named pose group_state moveit",
        ),
        PanelSpec("srdf.tools", "Tool centre points", "crosshair", ToolsPanel, "srdf.tcps"),
        PanelSpec(
            "srdf.pairs",
            "Disabled pairs",
            "intersect",
            pairs,
            "srdf.disabled_pairs",
            words="disable_collisions ignore acm moveit",
        ),
        PanelSpec("srdf.defaults", "Default collisions", "circle-dashed", DefaultsPanel, _DEFAULTS),
        PanelSpec(
            "srdf.effectors",
            "End effectors",
            "hand-grabbing",
            EffectorsPanel,
            "srdf.end_effectors",
            words="gripper hand moveit",
        ),
        PanelSpec(
            "srdf.joints", "Virtual and passive joints", "link-simple", JointsOfSrdfPanel, _JOINTS
        ),
        PanelSpec(
            "srdf.margins",
            "Collision margins",
            "frame-corners",
            ContactMarginsPanel,
            "srdf.margins.pairs",
        ),
        PanelSpec(
            "srdf.spheres", "Spheres of links", "circles-three", SpheresOfSrdfPanel, _spheres
        ),
        PanelSpec(
            "srdf.configs", "Plugins and calibration", "puzzle-piece", ConfigsPanel, "srdf.configs"
        ),
    ]


def _version(robot: RobotDescription) -> str:
    return "none" if robot.srdf is None else robot.srdf.version or ""


def _spheres(robot: RobotDescription) -> str:
    return (
        "none"
        if robot.srdf is None
        else str(sum(map(len, robot.srdf.sphere_approximations.values())))
    )
