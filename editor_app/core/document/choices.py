"""Choices that simulators offer when they read a URDF, for a conversion: world, merging, ignoring,
first pose."""

from __future__ import annotations

from dataclasses import replace

from editor_app.core.document.body_choices import BodyChoices
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.urdf_merging import MergeLinks, can_merge, merge_plan
from editor_app.core.document.commands.urdf_robot import (
    AttachToWorld,
    IgnoreLinkedBodies,
    find_root_link,
    linked_pairs,
    parse_positions,
)
from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.model.counting import format_count
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.xrdf import SelfCollisionSection


def no_attaching(robot: RobotDescription) -> str | None:
    """Why the robot cannot be attached to a link for the world; None when it can."""
    root, world = find_root_link(robot.urdf), AttachToWorld().world
    if root is not None and root.name == world:
        return f"The root of the robot is already {world}."
    # The name is the user's choice: one that is free cannot be the reason.
    while robot.urdf.link(world) is not None or robot.urdf.joint(f"{world}_joint") is not None:
        world += "_"
    try:
        AttachToWorld(world, f"{world}_joint").root(robot)
    except CannotApply as error:
        return str(error)
    return None


def no_merging(robot: RobotDescription) -> str | None:
    """Why no link can be merged into its parent; None when one can."""
    return (
        None
        if can_merge(robot)
        else "No link without inertial can be merged without losing something."
    )


def no_ignoring(robot: RobotDescription) -> str | None:
    """Why no more pairs of linked bodies can be left out of self-collision; None when some can."""
    missing = set(linked_pairs(robot.urdf)) - robot.xrdf.ignored_pairs()
    return None if missing else "All pairs of linked bodies are already ignored."


def prepared(
    robot: RobotDescription, choices: BodyChoices
) -> tuple[RobotDescription, ConversionReport]:
    """The robot as chosen, and what that did to it. Raises CannotApply with a sentence for the
    user."""
    out = Reporter("URDF", "the robot with the chosen options")
    if choices.positions:
        # By the names of the file, which merging leaves alone: only fixed joints go.
        positions = parse_positions(robot.urdf, choices.positions)
        robot = SetItems("xrdf.default_joint_positions", positions).apply(robot)
        shown = ", ".join(f"{joint} {value:g}" for joint, value in positions.items())
        out.translated("initial joint positions", f"default positions of the XRDF: {shown}")
        followers = [j.name for j in robot.urdf.joints if j.is_movable and j.mimic is not None]
        if followers and any("=" not in text for text in choices.positions):
            detail = (
                "these joints mimic others: their numbers were left out; the URDF's offsets apply"
            )
            out.kept(f"initial positions of {', '.join(followers)}", detail)
    if choices.ignore_linked:
        robot = _ignoring(robot, out)
    if choices.merge_links:
        plan = merge_plan(robot)
        if plan.merged:
            robot = MergeLinks().apply(robot)
        for link, parent in plan.merged:
            out.translated(f"link {link}", f"without inertial: merged into {parent}")
        for link, reason in plan.kept:
            out.kept(f"link {link}", f"without inertial, but not merged: {reason}")
        if not plan.merged and not plan.kept:
            out.taken("links", "no link could be merged: all candidates have an inertial")
    if choices.world is not None:
        change = AttachToWorld(choices.world, f"{choices.world}_joint")
        robot = change.apply(robot)
        out.translated(
            "root", f"attached to the new link {choices.world} by the fixed joint {change.joint}"
        )
    return robot, out.report()


def _ignoring(robot: RobotDescription, out: Reporter) -> RobotDescription:
    if robot.xrdf.self_collision is None:
        robot = robot.with_xrdf(replace(robot.xrdf, self_collision=SelfCollisionSection()))
    missing = len(set(linked_pairs(robot.urdf)) - robot.xrdf.ignored_pairs())
    out.translated(
        "linked bodies", f"{format_count(missing, 'pair')} more ignored in self-collision"
    )
    return IgnoreLinkedBodies().apply(robot)
