"""Remedies that several findings offer: commands with the sentence that their button says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from editor_app.drafting import plan_control
from editor_app.edit import commands
from editor_app.edit.commands.collision import Section
from editor_app.kinematics.tree import KinematicTree
from editor_app.model.change import Change
from editor_app.model.findings import SphereRef
from editor_app.model.frozen import FrozenDict
from editor_app.model.urdf import (
    PLACEHOLDER_EFFORT,
    PLACEHOLDER_SLIDING_SPEED,
    PLACEHOLDER_TURNING_SPEED,
    Joint,
    JointType,
    Limit,
    Urdf,
)
from editor_app.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK, AddFrame, CSpace, LinkPair, Xrdf


def offer(label: str, change: Change) -> Change:
    """`change` with the sentence that the button of a finding says."""
    return commands.Several(label, (change,))


# -- c-space


def remove_cspace_joint(index: int, name: str) -> Change:
    return offer(f"Take {name} out of the c-space", commands.RemoveJoints((index,)))


def add_cspace_joint(name: str) -> Change:
    return offer(f"Add {name} to the c-space", commands.AddJoints((name,)))


def lock_joint(index: int, name: str) -> Change:
    return offer(f"Lock {name} at its default position", commands.RemoveJoints((index,)))


def draft_cspace(tree: KinematicTree, xrdf: Xrdf, urdf: Urdf) -> Change:
    """The joints that a first plan would control, keeping the lists that are there."""
    present = xrdf.cspace or CSpace()
    independent = set(tree.independent)
    planned = tuple(name for name in plan_control(urdf).joints if name in independent)
    names = present.joint_names if present.joint_names else planned or tree.independent

    def limits(key: str, default: float, old_values: tuple[float, ...] | None) -> tuple[float, ...]:
        values = list(old_values or ())
        for name in names[len(values) :]:
            joint = tree.joint(name)
            limit = joint.urdf.limit if joint is not None and joint.urdf is not None else None
            values.append((getattr(limit, key) if limit is not None else None) or default)
        return tuple(values)

    drafted = CSpace(
        tuple(names),
        limits("acceleration", PLACEHOLDER_ACCELERATION, present.acceleration_limits),
        limits("jerk", PLACEHOLDER_JERK, present.jerk_limits),
    )
    return commands.ReplaceXrdf(replace(xrdf, cspace=drafted), "Draft the c-space from the URDF")


# -- default positions


def remove_default(name: str) -> Change:
    return offer(f"Delete the default of {name}", commands.DeleteDefaultPositions((name,)))


def set_default(name: str, value: float, label: str) -> Change:
    return offer(label, commands.SetDefaultPositions(FrozenDict({name: value})))


# -- tool frames


def remove_tool_frame(index: int, name: str) -> Change:
    return offer(f"Delete {name}", commands.RemoveToolFrames((index,)))


def use_tool_frame(frame: str) -> Change:
    return offer(f"Use {frame} as a tool frame", commands.AddToolFrame(frame))


# -- collision sections


def remove_buffer(section: Section, frame: str) -> Change:
    return offer(f"Delete the buffer of {frame}", commands.DeleteBuffers(section, (frame,)))


# -- masks


def mask(pairs: tuple[LinkPair, ...]) -> Change:
    one = f"{pairs[0].first} and {pairs[0].second}"
    label = f"Ignore {one}" if len(pairs) == 1 else f"Ignore {len(pairs)} adjacent pairs"
    return offer(label, commands.MaskPairs(pairs))


# -- modifiers


def edit_add_frame(index: int, modifier: AddFrame, label: str, **changes: Any) -> Change:
    return offer(label, commands.SetModifier(index, replace(modifier, **changes)))


def remove_modifier(index: int, label: str) -> Change:
    return offer(label, commands.DeleteModifiers((index,)))


# -- joints of the URDF


def write_limits(joint: Joint) -> tuple[Change, ...]:
    """What is missing, 0 or the wrong way round as a placeholder, for the vendor's numbers to be written over it."""
    old = joint.limit or Limit()
    new, _ = completed_limits(joint)
    changed = [f"{key} {getattr(new, key):.4g}" for key in LIMIT_KEYS if getattr(new, key) != getattr(old, key)]
    label = f"Write {', '.join(changed)} for {joint.name}: no vendor's numbers"
    return (commands.SetJoint(joint.name, replace(joint, limit=new), label),) if changed else ()


LIMIT_KEYS = ("lower", "upper", "effort", "velocity")


def completed_limits(joint: Joint, *sources: Limit) -> tuple[Limit, dict[str, Limit | None]]:
    """The limits of a joint that moves, with what is missing, 0 or the wrong way round taken from elsewhere.

    From the first of `sources` that has a number which leaves the joint something, else a placeholder.
    Gives the limits, and for each key that was written the source, or None for a placeholder. A range the wrong way
    round that no source knows better is swapped, and has the joint's own limits as its source.
    """
    slides = joint.type is JointType.PRISMATIC
    new, origins = joint.limit or Limit(), dict[str, Limit | None]()
    speed = PLACEHOLDER_SLIDING_SPEED if slides else PLACEHOLDER_TURNING_SPEED
    for key, placeholder in (("effort", PLACEHOLDER_EFFORT), ("velocity", speed)):
        if not _is_positive(new, key):
            origins[key] = next((s for s in sources if _is_positive(s, key)), None)
            new = replace(new, **{key: getattr(origins[key], key, placeholder)})
    if joint.type is JointType.CONTINUOUS or _leaves_a_range(new):
        return new, origins
    source = next((s for s in sources if _leaves_a_range(s)), None)
    lower, upper = new.lower or 0.0, new.upper or 0.0
    if source is not None:
        lower, upper = source.lower or 0.0, source.upper or 0.0
    elif upper != lower:
        # Numbers that somebody wrote; the one that is missing is 0 to every reader of URDF.
        source, lower, upper = joint.limit, min(lower, upper), max(lower, upper)
    else:
        upper = 1.0 if slides else math.pi
        lower = -upper
    origins |= {key: source for key, value in (("lower", lower), ("upper", upper)) if getattr(new, key) != value}
    return replace(new, lower=lower, upper=upper), origins


def _is_positive(limit: Limit, key: str) -> bool:
    return (getattr(limit, key) or 0.0) > 0


def _leaves_a_range(limit: Limit) -> bool:
    return limit.lower is not None and limit.upper is not None and limit.lower < limit.upper


# -- format


def set_version(version: str) -> Change:
    return offer(f"Write format_version: {version}", commands.SetFormatVersion(version))


def unmask(pair: LinkPair) -> Change:
    return offer(f"Check {pair.first} and {pair.second} again", commands.UnmaskPairs((pair,)))


def delete_sphere(ref: SphereRef) -> Change:
    return offer(f"Delete sphere {ref.index + 1} of {ref.frame}", commands.DeleteSpheres((ref,)))
