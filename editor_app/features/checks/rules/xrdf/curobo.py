"""XRDF9xx: what cuRobo's loader demands of the URDF and of the XRDF's spelling, beyond the
specification.

Read in, and tried with, NVlabs/curobo a35a708: `xrdf_util.convert_xrdf_to_curobo`,
`UrdfRobotParser`, `KinematicsLoader`, `JointLimits`. It builds the chains from the base to every
tool frame and every link with spheres; joints beside these chains it never looks at.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace

from editor_app.core.document import commands
from editor_app.core.model.findings import Finding, YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import Joint, JointType, Limit
from editor_app.core.model.xrdf import LinkPair, SetBaseFrame
from editor_app.core.space.kinematics.structure import KinematicTree, TreeJoint
from editor_app.core.text.yaml.nodes import Mapping, Node, Scalar, collect_entries, resolve_alias
from editor_app.core.text.yaml.scalars import is_null
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.fixes import SPELL, RepairText
from editor_app.features.checks.engine.rule import ERROR, CheckContext, flaw, rule
from editor_app.features.masks.engine.default_overlaps import default_overlaps

_INPUTS = "urdf modifiers tool_frames geometry world cspace profile"
_TURNS_OR_SLIDES = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


def loaded_joints(c: CheckContext) -> tuple[TreeJoint, ...]:
    """The joints of the chains from the base to tool frames, links with spheres, and parents of
    added frames."""
    wanted = {
        *(c.tool_frames or ()),
        *(c.xrdf.spheres_of(c.xrdf.world_group) if c.world is not None else ()),
    }
    wanted |= {m.parent_frame_name for m in c.added_frames.values()} | set(c.added_frames)
    joints: dict[str, TreeJoint] = {}
    for frame in wanted & c.frames:
        for joint in c.tree.path(c.tree.root, frame):
            joints[joint.name] = joint
    return tuple(j for j in c.tree.joints if j.name in joints)


def _urdf_joints(c: CheckContext) -> Iterable[Joint]:
    """The joints of `loaded_joints` that the URDF has, and the leaders of the joints among them
    that mimic."""
    names = dict.fromkeys(j.name for j in loaded_joints(c))
    for name in tuple(names):
        joint = c.urdf_joints.get(name)
        if joint is not None and joint.mimic is not None:
            names.setdefault(joint.mimic.joint)
    return (c.urdf_joints[name] for name in names if name in c.urdf_joints)


@rule("XRDF901", "A joint without limits", "urdf", _INPUTS, profile=Profile.CUROBO)
def joints_have_limits(c: CheckContext) -> Iterable[Finding]:
    for joint in _urdf_joints(c):
        if joint.type in _TURNS_OR_SLIDES and joint.limit is None:
            message = (
                f"The {joint.type} joint {joint.name!r} has no <limit> in the URDF: cuRobo needs "
                "effort and "
            )
            message += "velocity limits, even of continuous joints, and fails without them."
            yield flaw(ERROR, message, joints=(joint.name,), fixes=fixes.write_limits(joint))


@rule(
    "XRDF902",
    "A limit that leaves no range, speed or effort",
    "urdf",
    _INPUTS,
    profile=Profile.CUROBO,
)
def limits_leave_something(c: CheckContext) -> Iterable[Finding]:
    controlled = set(c.xrdf.controlled)
    leaders = {j.mimic.joint for j in _urdf_joints(c) if j.mimic is not None}
    for joint in _urdf_joints(c):
        if joint.type not in _TURNS_OR_SLIDES or joint.limit is None:
            continue
        is_planned = joint.name in controlled and joint.mimic is None
        wrong = []
        if joint.type is not JointType.CONTINUOUS:
            is_compared = (
                joint.name in controlled or joint.name in leaders or joint.mimic is not None
            )
            wrong += _wrong_range(joint.limit, is_compared, is_planned)
        if is_planned:
            amounts = [(key, getattr(joint.limit, key)) for key in ("effort", "velocity")]
            wrong += [
                f"{key} {amount:g}" for key, amount in amounts if amount is not None and amount <= 0
            ]
        if wrong:
            message = (
                f"Joint {joint.name!r} has {' and '.join(wrong)} in the URDF: cuRobo refuses a "
                "c-space joint "
                "without range, speed or effort."
            )
            yield flaw(ERROR, message, joints=(joint.name,), fixes=_remedies(c, joint))


def _wrong_range(limit: Limit, is_compared: bool, is_planned: bool) -> list[str]:
    missing = [f"no {key}" for key in ("lower", "upper") if getattr(limit, key) is None]
    if missing:
        return missing if is_compared else []
    lower, upper = limit.lower or 0.0, limit.upper or 0.0
    return [f"the range {lower:g} to {upper:g}"] if is_planned and lower >= upper else []


def _remedies(c: CheckContext, joint: Joint) -> tuple[Change, ...]:
    """Limits that are written; or the joint is locked, where its limits say that it does not
    move."""
    names = c.xrdf.controlled
    limit = joint.limit
    held = limit is not None and limit.lower is not None and limit.lower == limit.upper
    # All zeros are numbers that nobody wrote, rather than a joint that is held.
    told = limit is not None and bool(limit.effort) and bool(limit.velocity)
    if (
        held
        and told
        and joint.type is not JointType.CONTINUOUS
        and joint.name in names
        and len(names) > 1
    ):
        return (
            fixes.remove_cspace_joint(names.index(joint.name), joint.name),
            *fixes.write_limits(joint),
        )
    return fixes.write_limits(joint)


@rule("XRDF903", "An axis that is not a unit axis", "urdf", _INPUTS, profile=Profile.CUROBO)
def axes_are_unit_axes(c: CheckContext) -> Iterable[Finding]:
    for joint in _urdf_joints(c):
        ones = sum(abs(v) == 1 for v in joint.axis)
        if joint.type not in _TURNS_OR_SLIDES or (
            ones == 1 and abs(math.hypot(*joint.axis) - 1) < 1e-6
        ):
            continue
        # Short where that is exact: an axis of length 0.9999999 is not to be told as 1.
        told = " ".join(f"{v:g}" if float(f"{v:g}") == v else repr(v) for v in joint.axis)
        effect = "reads it as a different axis" if ones else "fails to read it"
        message = (
            f"The axis of {joint.name!r} is {told} in the URDF; cuRobo supports only ±x, ±y and ±z "
            "of the joint's "
            "frame, "
        )
        message += f"of length 1, and {effect}."
        options = (commands.StraightenAxis(joint.name),) if any(joint.axis) else ()
        yield flaw(ERROR, message, joints=(joint.name,), fixes=options)


@rule(
    "XRDF907", "A joint type that cuRobo does not support", "urdf", _INPUTS, profile=Profile.CUROBO
)
def kinds_are_known(c: CheckContext) -> Iterable[Finding]:
    for joint in _urdf_joints(c):
        if joint.type in (JointType.FLOATING, JointType.PLANAR):
            message = (
                f"Joint {joint.name!r} is {joint.type}, on the chain to a tool frame or spheres: "
                "cuRobo supports only "
            )
            message += (
                "fixed, revolute, continuous and prismatic joints. Set the base frame below it, or "
                "fix it."
            )
            below = commands.InsertItem(
                "xrdf.modifiers", SetBaseFrame(joint.child), len(c.modifiers or ())
            )
            option = fixes.offer(f"Use {joint.child} as the base frame", below)
            yield flaw(ERROR, message, joints=(joint.name,), fixes=(option,))


@rule(
    "XRDF909",
    "A c-space joint that cuRobo sees only through its mimic joints",
    "cspace",
    f"{_INPUTS} defaults",
    profile=Profile.CUROBO,
)
def leaders_are_loaded(c: CheckContext) -> Iterable[Finding]:
    """Limits come from joints that lead, names from joints that follow, too: without the leader the
    counts differ."""
    loaded = {joint.name for joint in loaded_joints(c)}
    followers = {c.tree.follows[name].source: name for name in loaded & c.tree.follows.keys()}
    for index, name in enumerate(c.xrdf.controlled):
        joint = c.tree.joint(name)
        if name in loaded or name not in followers or joint is None:
            continue
        message = (
            f"C-space: joint {name!r} moves tools and spheres only through {followers[name]!r}, "
            "which mimics "
            f"it: cuRobo does not read {name!r}, counts one joint too few and fails."
        )
        options = (fixes.use_tool_frame(joint.child), fixes.lock_joint(index, name))
        yield flaw(
            ERROR,
            message,
            ("cspace", "joint_names", index),
            joints=(name, followers[name]),
            fixes=options,
        )


@rule(
    "XRDF908",
    "No pair is left for self-collision",
    "self_collision",
    "self_collision geometry world urdf modifiers defaults profile",
    profile=Profile.CUROBO,
)
def a_pair_is_left(c: CheckContext) -> Iterable[Finding]:
    if c.self_collision is None or c.world is None:
        return
    spheres = c.xrdf.spheres_of(c.xrdf.world_group)
    links = [frame for frame in c.tree.frames if spheres.get(frame)]
    pairs = [LinkPair.of(a, b) for a, b in itertools.combinations(links, 2)]
    ignored = c.self_collision.ignored_pairs()
    if not links or any(pair not in ignored for pair in pairs):
        return
    options: tuple[Change, ...] = ()
    why = f"only {links[0]!r} has spheres"
    remedy = ""
    if pairs:
        why = f"all {len(pairs)} pairs of links with spheres are ignored"
        checked = replace(c.self_collision, ignore=FrozenDict())
        overlapping = default_overlaps(c.robot.with_xrdf(replace(c.xrdf, self_collision=checked)))
        # Links far apart in the structure: the pair that overlaps least for good.
        apart = [pair for pair in pairs if pair not in overlapping]
        options = (
            (fixes.unmask(max(apart, key=lambda pair: _steps_apart(c.tree, pair))),)
            if apart
            else ()
        )
        remedy = (
            ""
            if apart
            else " They all overlap at the default position: fit spheres to another link."
        )
    message = (
        f"Self-collision: {why}, so no pairs are checked; cuRobo divides by the number of pairs "
        "and fails."
    )
    yield flaw(ERROR, message + remedy, ("self_collision", "ignore"), fixes=options)


def _steps_apart(tree: KinematicTree, pair: LinkPair) -> int:
    """How many joints are on the way from one link to the other."""
    first, second = (
        {j.name for j in tree.path(tree.root, frame)} for frame in (pair.first, pair.second)
    )
    return len(first ^ second)


#: What cuRobo fails on when it is null: path ("*" for any key), and whether an empty mapping or
#: list is as good.
_NOT_NULL: tuple[tuple[tuple[str, ...], str], ...] = (
    (("modifiers",), ""),
    (("default_joint_positions",), "{}"),
    (("geometry",), ""),
    (("geometry", "*"), ""),
    (("geometry", "*", "spheres"), "{}"),
    (("geometry", "*", "spheres", "*"), "[]"),
    (("self_collision", "ignore"), "{}"),
    (("self_collision", "ignore", "*"), "[]"),
)


@rule("XRDF904", "A key without a value", "file", "source profile", profile=Profile.CUROBO)
def keys_have_values(c: CheckContext) -> Iterable[Finding]:
    if c.source is None or c.source.root is None:
        return
    group = c.xrdf.world_group
    for pattern, empty in _NOT_NULL:
        for path, node in _walk(c.source.root, pattern, ()):
            # Groups that no section names are not read.
            if not is_null(node) or (path[0] == "geometry" and len(path) > 1 and path[1] != group):
                continue
            message = f"{'.'.join(map(str, path))} is null: cuRobo fails on it. "
            message += (
                f"Write {empty} as its value, or delete the key." if empty else "Delete the key."
            )
            options = (
                [RepairText(f"Set {path[-1]} to {empty}", "empty", path, empty)] if empty else []
            )
            if path[-1] not in ("ignore", "spheres", "default_joint_positions"):
                options.append(RepairText(f"Delete the key {path[-1]}", "delete", path))
            yield flaw(ERROR, message, path, section=str(path[0]), fixes=options)


def _walk(node: Node, pattern: tuple[str, ...], path: YamlPath) -> Iterable[tuple[YamlPath, Node]]:
    if not pattern:
        yield path, node
        return
    target = resolve_alias(node)
    if isinstance(target, Mapping):
        for key, (_, value) in collect_entries(target).items():
            if pattern[0] in ("*", key):
                yield from _walk(value, pattern[1:], (*path, key))


@rule("XRDF905", "The version is a string", "format", "source profile")
def version_is_a_number(c: CheckContext) -> Iterable[Finding]:
    node = c.source.node(("format_version",)) if c.source is not None else None
    if (
        c.profile is not Profile.CUROBO
        or not isinstance(node, Scalar)
        or node.style not in ("'", '"')
    ):
        return
    path = ("format_version",)
    message = (
        f"format_version is the string {node.value!r}: cuRobo compares it with a number and fails. "
        "Remove the quotes."
    )
    yield flaw(ERROR, message, path, fixes=(RepairText(SPELL, "spell value", path),))
