"""The text of a new XRDF for a URDF: what can be known is written, what is guessed says so in a comment."""

from __future__ import annotations

import re

from editor_app.formats.yaml.scalars import format_number, format_string
from editor_app.model.urdf import Joint, Link, Urdf
from editor_app.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK

_TOOL_NAME = re.compile(
    r"(?:^|[_\-/])(?:tool0|tool|tcp|tool_center_point|ee|eef|ee_link|end_?effector|grasp|grasp_frame|flange|hand_tcp|tip)"
    r"(?:$|[_\-/]|\d|link|frame)",
    re.IGNORECASE,
)
#: The surest names first.
_SURE = ("tcp", "tool0", "grasp", "ee", "tool", "flange", "tip")
_FINGER = re.compile(r"finger|knuckle|jaw|thumb|camera|sensor|lidar|imu|optical", re.IGNORECASE)


def draft_xrdf(urdf: Urdf) -> str:
    """A complete XRDF 1.0 whose values are the URDF's, marked placeholders, or empty.

    c-space: the movable joints that mimic none, with limits of URDF 1.2 where given; default positions: 0, clamped;
    tool frame: guessed; one empty geometry group, used for obstacles and for itself; adjacent links ignored.
    """
    joints = [joint for joint in urdf.joints if joint.is_movable and joint.mimic is None]
    group = f"{_identifier(urdf.name) or 'robot'}_collision_spheres"
    lines = ["format: xrdf", "format_version: 1.0", ""]
    if joints:
        lines += ["# Guessed: where motion begins; 0, moved into the limits of the joint.", "default_joint_positions:"]
        lines += [f"  {_key(joint.name)}: {format_number(_clamped_zero(joint))}" for joint in joints]
        lines += [""]
    lines += _cspace(joints)
    tool = guess_tool_frame(urdf)
    if tool is not None:
        lines += [
            "",
            "# Guessed from the names and the end of the longest chain: check it.",
            f"tool_frames: [{_name(tool)}]",
        ]
    lines += ["", "collision:", f"  geometry: {_name(group)}", "", "self_collision:", f"  geometry: {_name(group)}"]
    ignore = _adjacent(urdf)
    if ignore:
        lines += ["  # Links that a joint connects.", "  ignore:"]
        lines += [f"    {_key(link)}: [{', '.join(map(_name, others))}]" for link, others in ignore.items()]
    lines += ["", "geometry:", f"  {_key(group)}:", "    spheres: {}"]
    return "\n".join(lines) + "\n"


def guess_tool_frame(urdf: Urdf) -> str | None:
    """The frame that a task most likely moves: a leaf with a telling name behind a movable joint, else the deepest.

    None for a robot in which nothing moves.
    """
    by_child: dict[str, Joint] = {}
    children: dict[str, list[str]] = {}
    for joint in urdf.joints:
        by_child.setdefault(joint.child, joint)
        children.setdefault(joint.parent, []).append(joint.child)
    best: tuple[tuple[float, ...], str] | None = None
    for position, link in enumerate(urdf.links):
        moved, depth = _chain(link, by_child)
        if not moved:
            continue
        named = _TOOL_NAME.search(link.name) is not None
        words = (len(_SURE) - i for i, word in enumerate(_SURE) if word in link.name.lower())
        sure = float(next(words, 0)) if named else 0.0
        leaf = link.name not in children
        # A finger or a camera is a leaf that no task moves.
        odd = bool(_FINGER.search(link.name)) or by_child[link.name].mimic is not None
        # What carries nothing but fingers is the palm of a gripper: better than a flange, not as good as a TCP.
        palm = not leaf and not odd and all(_FINGER.search(child) for child in children[link.name])
        if palm and moved >= 3:
            named, sure = True, max(sure, 2.5)
        if not named and not leaf:
            continue
        score = (not odd, moved >= 3 and named, moved, sure, leaf, depth, -position)
        rank = tuple(float(part) for part in score)
        if best is None or rank > best[0]:
            best = (rank, link.name)
    return None if best is None else best[1]


def _chain(link: Link, by_child: dict[str, Joint]) -> tuple[int, int]:
    """(movable joints, all joints) between the root and a link; mimic joints do not count as movable."""
    moved = depth = 0
    seen: set[str] = set()
    name = link.name
    while name in by_child and name not in seen:
        seen.add(name)
        joint = by_child[name]
        moved += joint.is_movable and joint.mimic is None
        depth += 1
        name = joint.parent
    return moved, depth


def _cspace(joints: list[Joint]) -> list[str]:
    if not joints:
        return [
            "# Nothing moves in the URDF.",
            "cspace:",
            "  joint_names: []",
            "  acceleration_limits: []",
            "  jerk_limits: []",
        ]
    lines = ["cspace:", "  joint_names:"]
    lines += [f"    - {_name(joint.name)}" for joint in joints]
    given = [joint.limit.acceleration if joint.limit is not None else None for joint in joints]
    lines += _limits("acceleration_limits", joints, given, PLACEHOLDER_ACCELERATION)
    given = [joint.limit.jerk if joint.limit is not None else None for joint in joints]
    return lines + _limits("jerk_limits", joints, given, PLACEHOLDER_JERK)


def _limits(key: str, joints: list[Joint], given: list[float | None], placeholder: float) -> list[str]:
    values = [placeholder if value is None else value for value in given]
    guessed = [joint.name for joint, value in zip(joints, given, strict=True) if value is None]
    line = f"  {key}: [{', '.join(map(format_number, values))}]"
    if not guessed:
        return ["  # From the URDF.", line]
    if len(guessed) == len(joints):
        note = f"  # Placeholder: the URDF gives none. Replace {format_number(placeholder)} by the robot's own limits."
        return [note, line]
    names = ", ".join(_ascii(name) for name in guessed)
    return [f"  # From the URDF; {format_number(placeholder)} is a placeholder for {names}.", line]


def _clamped_zero(joint: Joint) -> float:
    limits = joint.position_limits
    if limits is None or limits[0] > limits[1]:
        return 0.0
    return min(max(0.0, limits[0]), limits[1])


def _adjacent(urdf: Urdf) -> dict[str, list[str]]:
    """Parent -> children, for every joint."""
    found: dict[str, list[str]] = {}
    for joint in urdf.joints:
        if joint.parent != joint.child and joint.child not in found.get(joint.parent, ()):
            found.setdefault(joint.parent, []).append(joint.child)
    return found


def _name(text: str) -> str:
    return format_string(text)


def _key(text: str) -> str:
    return format_string(text, "")


def _ascii(text: str) -> str:
    return text.encode("ascii", "replace").decode("ascii")


def _identifier(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
