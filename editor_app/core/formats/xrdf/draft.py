"""The text of a new XRDF for a URDF: what can be known is written, what is guessed says so in a
comment."""

from __future__ import annotations

import re

from editor_app.core.drafting import ControlPlan, LockedJoint, plan_control
from editor_app.core.formats.xrdf.guess_comments import limits_comment, one_line, position_comment
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.ros_settings import MotionLimits
from editor_app.core.model.urdf import Joint, Urdf
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK
from editor_app.core.text.yaml.scalars import format_number, format_string
from editor_app.core.text.yaml.writing import wrapped_list
from editor_app.version import __version__


def draft_xrdf(
    urdf: Urdf,
    plan: ControlPlan | None = None,
    version: str = "1.0",
    limits: MotionLimits | None = None,
) -> str:
    """A complete XRDF (of `version` 1.0 or 2.0) whose values are the URDF's, the plan's, marked
    placeholders, or empty.

    c-space, tool frames, default positions and locked joints come from the plan (by default
    `plan_control`'s), the guessed ones with their reason; limits of URDF 1.2 and of MoveIt's
    joint_limits.yaml where given; one empty geometry group, used for obstacles and for itself;
    adjacent links ignored.
    """
    plan = plan if plan is not None else plan_control(urdf)
    by_name = {joint.name: joint for joint in urdf.joints}
    joints = [by_name[name] for name in plan.joints]
    group = f"{_identifier(urdf.name) or 'robot'}_collision_spheres"
    lines = [
        f"# {_identifier(urdf.name) or 'A robot'}, drafted from its URDF by XRDF Editor "
        f"{__version__}."
    ]
    lines += ["format: xrdf", f"format_version: {version}", ""]
    lines += _positions(plan)
    lines += _cspace(joints, plan, limits or MotionLimits())
    lines += _tool_frames(plan)
    obstacles = "world_collision" if version == "2.0" else "collision"
    lines += [
        "",
        f"{obstacles}:",
        f"  geometry: {_name(group)}",
        "",
        "self_collision:",
        f"  geometry: {_name(group)}",
    ]
    ignore = _adjacent(urdf)
    if ignore:
        lines += ["  # Not checked: adjacent links, and pairs added by a mask.", "  ignore:"]
        for link, others in ignore.items():
            lines += wrapped_list(f"    {_key(link)}: ", [_name(other) for other in others])
    lines += ["", "geometry:", f"  {_key(group)}:", "    spheres: {}"]
    return "\n".join(lines) + "\n"


def _positions(plan: ControlPlan) -> list[str]:
    if not plan.positions:
        return []
    locked = {entry.joint: entry for entry in plan.locked}
    lines = []
    if plan.begins:
        lines += [f"# Start of motion: {one_line(plan.begins)}."]
    elif plan.states:
        lines += [f"# Start of motion: state {', '.join(map(one_line, plan.states))} of the SRDF."]
    else:
        lines += [position_comment()]
    lines += ["default_joint_positions:"]
    lines += [
        f"  {_key(n)}: {format_number(plan.positions[n])}"
        for n in plan.positions
        if n not in locked
    ]
    reasons: dict[tuple[str, str], list[LockedJoint]] = {}
    for entry in plan.locked:
        reasons.setdefault((entry.role.value, entry.reason), []).append(entry)
    for (role, reason), entries in reasons.items():
        lines += [f"  # Locked, {one_line(role)}: {one_line(reason)}."]
        lines += [f"  {_key(entry.joint)}: {format_number(entry.position)}" for entry in entries]
    return [*lines, ""]


def _tool_frames(plan: ControlPlan) -> list[str]:
    if not plan.tools:
        return []
    lines = [""]
    guessed = [tool for tool in plan.tools if tool.guessed]
    if guessed:
        reasons = dict.fromkeys(tool.reason for tool in guessed)
        lines += [f"# Guessed, check it: {one_line('; '.join(reasons))}."]
    return lines + wrapped_list("tool_frames: ", [_name(tool.frame) for tool in plan.tools])


def _cspace(joints: list[Joint], plan: ControlPlan, limits: MotionLimits) -> list[str]:
    if not joints:
        # No comment where nothing moves: it would be wrong as soon as a joint is added.
        return [
            *(["# No joint moves a tool."] if plan.locked else []),
            "cspace:",
            "  joint_names: []",
            "  acceleration_limits: []",
            "  jerk_limits: []",
        ]
    reason = (
        f"Guessed: {plan.reason}" if plan.guessed else plan.reason[:1].upper() + plan.reason[1:]
    )
    lines = [f"# {one_line(reason)}.", "cspace:", "  joint_names:"]
    lines += [f"    - {_name(joint.name)}" for joint in joints]
    stated, moveit = (
        [joint.limit for joint in joints],
        [limits.joints.get(joint.name) for joint in joints],
    )
    for kind, placeholder in (
        ("acceleration", PLACEHOLDER_ACCELERATION),
        ("jerk", PLACEHOLDER_JERK),
    ):
        of_urdf, of_moveit = (
            [getattr(limit, kind, None) for limit in table] for table in (stated, moveit)
        )
        lines += _limits(f"{kind}_limits", joints, of_urdf, of_moveit, placeholder)
    return lines


def _limits(
    key: str,
    joints: list[Joint],
    of_urdf: list[float | None],
    of_moveit: list[float | None],
    placeholder: float,
) -> list[str]:
    both = list(zip(of_urdf, of_moveit, strict=True))
    given = [min((value for value in pair if value is not None), default=None) for pair in both]
    files = ("the URDF", "joint_limits.yaml")
    source = " and ".join(
        name for name, column in zip(files, (of_urdf, of_moveit), strict=True) if any(column)
    )
    values = [placeholder if value is None else value for value in given]
    guessed = [joint.name for joint, value in zip(joints, given, strict=True) if value is None]
    lines = wrapped_list(f"  {key}: ", [format_number(value) for value in values])
    if not guessed:
        return [f"  # From {source}.", *lines]
    comment = limits_comment(placeholder, () if len(guessed) == len(joints) else guessed, source)
    return [f"  {comment}", *lines]


def _adjacent(urdf: Urdf) -> dict[str, list[str]]:
    """Map each parent to its adjacent children, in the order of the joints."""
    children: dict[str, list[str]] = {}
    for child, parent in KinematicGraph(urdf).adjacent().items():
        children.setdefault(parent, []).append(child)
    return children


def _name(text: str) -> str:
    return format_string(text)


def _key(text: str) -> str:
    return format_string(text, "")


def _identifier(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
