"""The remedies that findings offer: commands with the sentence that their button says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

from editor_app.drafting import plan_control
from editor_app.edit import commands
from editor_app.edit.commands import repairs
from editor_app.kinematics.tree import KinematicTree, default_positions
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
from editor_app.model.xrdf import (
    PLACEHOLDER_ACCELERATION,
    PLACEHOLDER_JERK,
    AddFrame,
    CollisionSphere,
    CSpace,
    LinkPair,
    RemoveMimicAttributes,
    SetBaseFrame,
    Xrdf,
)

Section = Literal["world_collision", "self_collision"]
_SECTIONS: dict[str, Section] = {"world": "world_collision", "self": "self_collision"}


def _said(label: str, *changes: Change) -> Change:
    return commands.Several(label=label, changes=changes)


# -- c-space


def remove_cspace_joint(index: int, name: str) -> Change:
    return _said(f"Take {name} out of the c-space", commands.RemoveJoints((index,)))


def rename_cspace_joint(index: int, name: str, new: str) -> Change:
    return _said(f"Write {new} instead of {name}", repairs.RenameCSpaceJoint(index, new))


def add_cspace_joint(name: str) -> Change:
    return _said(f"Add {name} to the c-space", commands.AddJoints((name,)))


def lock_joint(index: int, name: str) -> Change:
    return _said(f"Lock {name} at its default position", commands.RemoveJoints((index,)))


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


def fit_limits(count: int) -> Change:
    return _said(f"Make all lists {count} long", commands.MatchLimits())


def positive_limit(kind: Literal["acceleration", "jerk"], index: int, name: str, value: float) -> Change:
    """The magnitude of a negative limit; a placeholder instead of 0."""
    placeholder = PLACEHOLDER_ACCELERATION if kind == "acceleration" else PLACEHOLDER_JERK
    new, why = (-value, "the magnitude") if value < 0 else (placeholder, "a placeholder")
    return _said(f"Write {new:g} for {name}, {why}", commands.SetLimits(kind, ((index, new),)))


def reorder_cspace(order: tuple[int, ...]) -> Change:
    return _said("Reorder the c-space as in the URDF", commands.ReorderJoints(order))


# -- default positions


def remove_default(name: str) -> Change:
    return _said(f"Delete the default of {name}", commands.DeleteDefaultPositions((name,)))


def rename_default(name: str, new: str) -> Change:
    return _said(f"Write {new} instead of {name}", commands.RenameDefaultPosition(name, new))


def set_default(name: str, value: float, label: str) -> Change:
    return _said(label, commands.SetDefaultPositions(FrozenDict({name: value})))


def write_defaults(tree: KinematicTree, xrdf: Xrdf) -> Change:

    positions = default_positions(tree, xrdf)
    wanted = FrozenDict({name: positions[name] for name in tree.independent})
    return _said("Write the positions that are used now", commands.SetDefaultPositions(wanted))


# -- tool frames


def remove_tool_frame(index: int, name: str) -> Change:
    return _said(f"Delete {name}", commands.RemoveToolFrames((index,)))


def rename_tool_frame(index: int, name: str, new: str) -> Change:
    return _said(f"Write {new} instead of {name}", commands.SetToolFrame(index, new))


def choose_tool_frame(tree: KinematicTree) -> tuple[Change, ...]:
    """The leaves of the kinematic structure, deepest first."""
    leaves = [i for i, children in enumerate(tree.children) if not children]
    leaves.sort(key=lambda i: -tree.depth[i])
    return tuple(use_tool_frame(tree.frames[i]) for i in leaves[:6])


def use_tool_frame(frame: str) -> Change:
    return _said(f"Use {frame} as a tool frame", commands.AddToolFrame(frame))


# -- collision sections


def choose_geometry(which: str, group: str) -> Change:
    """For a section that is there."""
    return commands.SetCollisionGeometry(_SECTIONS[which], group)


def add_section(which: str, group: str) -> Change:
    return commands.AddCollisionSection(_SECTIONS[which], group)


def remove_buffer(which: str, frame: str) -> Change:
    return _said(f"Delete the buffer of {frame}", commands.DeleteBuffers(_SECTIONS[which], (frame,)))


def expand_buffer(which: str, value: float, frames: tuple[str, ...]) -> Change:
    label = f"Write {value:g} for each frame with spheres"
    return _said(label, commands.SetAllBuffers(_SECTIONS[which], FrozenDict(dict.fromkeys(frames, value))))


# -- masks


def mask(pairs: tuple[LinkPair, ...]) -> Change:
    one = f"{pairs[0].first} and {pairs[0].second}"
    label = f"Ignore {one}" if len(pairs) == 1 else f"Ignore {len(pairs)} adjacent pairs"
    return _said(label, commands.MaskPairs(pairs))


def forget_masked_frame(name: str) -> Change:
    return repairs.ForgetIgnoredFrame(name)


def rename_masked_frame(name: str, new: str) -> Change:
    return repairs.RenameIgnoredFrame(name, new)


def remove_ignore_entry(frame: str, index: int) -> Change:
    return repairs.DeleteIgnoreEntry(frame, index)


def tidy_ignore() -> Change:
    return commands.TidyIgnore()


# -- modifiers


def edit_add_frame(index: int, modifier: AddFrame, label: str, **changes: Any) -> Change:
    return _said(label, commands.SetModifier(index, replace(modifier, **changes)))


def set_orientation(index: int, modifier: AddFrame, wxyz: tuple[float, float, float, float], label: str) -> Change:
    transform = replace(modifier.fixed_transform, orientation_wxyz=wxyz)
    return edit_add_frame(index, modifier, label, fixed_transform=transform)


def set_base(index: int, frame: str) -> Change:
    return _said(f"Use {frame} as the base frame", commands.SetModifier(index, SetBaseFrame(frame)))


def set_freed_velocity(index: int, modifier: RemoveMimicAttributes, velocity: float) -> Change:
    freed = replace(modifier, velocity_limit=velocity)
    return _said(f"Take {velocity:g} from the URDF", commands.SetModifier(index, freed))


def remove_modifier(index: int, label: str) -> Change:
    return _said(label, commands.DeleteModifiers((index,)))


# -- geometry


def add_group(name: str) -> Change:
    return _said(f"Add the geometry group {name}", commands.AddGroup(name))


def replace_spheres(group: str, spheres: FrozenDict[str, tuple[CollisionSphere, ...]], label: str) -> Change:
    return commands.ReplaceSpheres(group, spheres, label)


def remove_frame_spheres(group: str, frame: str) -> Change:
    label = f"Delete the spheres of {frame}"
    return commands.ReplaceSpheres(group, FrozenDict({frame: ()}), label)


def rename_frame_spheres(group: str, frame: str, new: str) -> Change:
    return repairs.MoveFrameSpheres(group, frame, new)


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


def straighten_axis(joint: Joint) -> Change:
    return commands.StraightenAxis(joint.name)


def base_below(joint: Joint, taken: int) -> Change:
    """`taken` is how many modifiers there are already."""
    return _said(f"Use {joint.child} as the base frame", commands.AddModifier(SetBaseFrame(joint.child), taken))


# -- format


def set_format() -> Change:
    return _said("Write format: xrdf", commands.SetFormat("xrdf"))


def set_version(version: str) -> Change:
    return _said(f"Write format_version: {version}", commands.SetFormatVersion(version))


def unmask(pair: LinkPair) -> Change:
    return _said(f"Check {pair.first} and {pair.second} again", commands.UnmaskPairs((pair,)))


def delete_sphere(ref: SphereRef) -> Change:
    return _said(f"Delete sphere {ref.index + 1} of {ref.frame}", commands.DeleteSpheres((ref,)))
