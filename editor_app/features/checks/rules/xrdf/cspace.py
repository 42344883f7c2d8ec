"""XRDF7xx: the configuration space; XRDF6xx: default joint positions (605, which needs distances,
is in `verdicts`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from editor_app.core.document import commands
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Finding
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import nearest
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import MOVABLE
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK
from editor_app.core.space.kinematics.tree import get_default_positions
from editor_app.core.text.yaml.nodes import Sequence, resolve_alias
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.rule import ERROR, INFO, WARNING, CheckContext, flaw, rule

_SECTION = "cspace"
#: Joints that one message names.
_NAMED = 6


def _names(c: CheckContext) -> Iterable[tuple[int, str]]:
    return enumerate(c.xrdf.controlled)


def _deletable(index: int, name: str, message: str) -> Finding:
    option = fixes.remove_cspace_joint(index, name)
    return flaw(ERROR, message, (_SECTION, "joint_names", index), joints=(name,), fixes=(option,))


@rule(
    "XRDF701",
    "A list of the c-space is missing",
    _SECTION,
    "cspace urdf modifiers profile",
    needs_urdf=False,
)
def lists_are_there(c: CheckContext) -> Iterable[Finding]:
    if c.cspace is None:
        return
    lists = {
        "joint_names": c.cspace.joint_names,
        "acceleration_limits": c.cspace.acceleration_limits,
        "jerk_limits": c.cspace.jerk_limits,
    }
    if all(lists.values()):
        return
    draft = (fixes.draft_cspace(c.tree, c.xrdf, c.urdf),) if c.has_urdf else ()
    for key, values in lists.items():
        if values is None:
            message = f"cspace has no {key}; it is required."
            yield flaw(ERROR, message, (_SECTION,), fixes=draft)
    if all(values is not None and not values for values in lists.values()):
        refused = c.profile is Profile.CUROBO
        message = (
            "The c-space is empty: "
            f"{'cuRobo fails on it' if refused else 'no joint is controlled'}."
        )
        severity = ERROR if refused else INFO
        yield flaw(severity, message, (_SECTION,), fixes=draft)


@rule("XRDF702", "A c-space joint does not exist", _SECTION, "cspace urdf modifiers")
def joints_exist(c: CheckContext) -> Iterable[Finding]:
    names = [name for _, name in _names(c)]
    for index, name in _names(c):
        if name in c.tree_joints:
            continue
        options = [fixes.remove_cspace_joint(index, name)]
        close = nearest(name, (j.name for j in c.tree.joints if j.type in MOVABLE))
        if name not in c.urdf_joints and close is not None and close not in names:
            options.insert(0, commands.ReplaceName("xrdf", Named.JOINT, name, close))
        path = (_SECTION, "joint_names", index)
        yield flaw(ERROR, f"C-space: {c.why_no_joint(name)}", path, joints=(name,), fixes=options)


@rule("XRDF703", "A c-space joint cannot be controlled", _SECTION, "cspace urdf modifiers")
def joints_move(c: CheckContext) -> Iterable[Finding]:
    for index, name in _names(c):
        joint = c.tree.joint(name)
        if joint is not None and not joint.is_movable:
            message = (
                f"C-space: joint {name!r} is {joint.type.value}; only movable joints can be "
                "controlled."
            )
            yield _deletable(index, name, message)


@rule("XRDF704", "A c-space joint mimics another", _SECTION, "cspace urdf modifiers")
def joints_do_not_mimic(c: CheckContext) -> Iterable[Finding]:
    for index, name in _names(c):
        joint = c.tree.joint(name)
        if joint is not None and joint.mimic is not None:
            message = (
                f"C-space: joint {name!r} mimics {joint.mimic.joint!r}, which controls it; remove "
                "it from the c-space."
            )
            yield _deletable(index, name, message)


@rule("XRDF705", "A c-space joint is named twice", _SECTION, "cspace")
def joints_stand_once(c: CheckContext) -> Iterable[Finding]:
    first: dict[str, int] = {}
    for index, name in _names(c):
        if name in first:
            message = f"C-space: joint {name!r} is at positions {first[name] + 1} and {index + 1}."
            yield _deletable(index, name, message)
        first.setdefault(name, index)


@rule("XRDF706", "The lists of the c-space differ in length", _SECTION, "cspace source")
def lists_are_equally_long(c: CheckContext) -> Iterable[Finding]:
    cs = c.cspace
    if cs is None or cs.joint_names is None:
        return
    count = len(cs.joint_names)
    for key, values in (
        ("acceleration_limits", cs.acceleration_limits),
        ("jerk_limits", cs.jerk_limits),
    ):
        # A value that could not be read (an infinite one) has a finding of its own, and its place.
        if (
            values is None
            or len(values) == count
            or _listed(c, key, len(values)) == _listed(c, "joint_names", count)
        ):
            continue
        if len(values) < count:
            left = ", ".join(repr(n) for n in cs.joint_names[len(values) :])
            fault = f"without a limit: {left}"
        else:
            fault = f"{len(values) - count} too many"
        message = f"cspace has {count} joint_names but {len(values)} {key}; {fault}."
        options = (fixes.offer(f"Make all lists {count} long", commands.MatchLimits()),)
        yield flaw(
            ERROR, message, (_SECTION, key), joints=cs.joint_names[len(values) :], fixes=options
        )


def _listed(c: CheckContext, key: str, otherwise: int) -> int:
    """How many items a list of the c-space has in the text, whether they can be read or not."""
    node = c.source.node((_SECTION, key)) if c.source is not None else None
    node = resolve_alias(node) if node is not None else None
    return len(node.items) if isinstance(node, Sequence) else otherwise


@rule("XRDF707", "A c-space limit is not a positive number", _SECTION, "cspace profile")
def limits_are_positive(c: CheckContext) -> Iterable[Finding]:
    cs = c.cspace
    if cs is None:
        return
    kinds: tuple[tuple[Literal["acceleration", "jerk"], tuple[float, ...] | None], ...]
    kinds = (("acceleration", cs.acceleration_limits), ("jerk", cs.jerk_limits))
    for kind, values in kinds:
        key = f"{kind}_limits"
        for index, value in enumerate(values or ()):
            if math.isfinite(value) and value > 0:
                continue
            name = cs.joint_names[index] if cs.joint_names and index < len(cs.joint_names) else None
            severity = WARNING if value == 0 and c.profile is not Profile.CUROBO else ERROR
            whose = f" of {name!r}" if name else ""
            still = "the joint cannot move" + (
                ", and cuRobo refuses it" if c.profile is Profile.CUROBO else ""
            )
            remedy = still if value == 0 else "it must be greater than 0"
            message = f"{key}{whose} is {value:g}: {remedy}."
            # The magnitude of a negative limit; a placeholder instead of 0.
            placeholder = PLACEHOLDER_ACCELERATION if kind == "acceleration" else PLACEHOLDER_JERK
            new, why = (-value, "the magnitude") if value < 0 else (placeholder, "a placeholder")
            option = fixes.offer(
                f"Write {new:g} for {name}, {why}", commands.SetLimits(kind, ((index, new),))
            )
            options = (option,) if name and math.isfinite(value) else ()
            yield flaw(
                severity,
                message,
                (_SECTION, key, index),
                joints=(name,) if name else (),
                fixes=options,
            )


@rule(
    "XRDF708", "A joint outside the c-space is locked", _SECTION, "cspace urdf modifiers defaults"
)
def others_are_locked(c: CheckContext) -> Iterable[Finding]:
    if c.cspace is None or c.cspace.joint_names is None:
        return

    controlled = set(c.cspace.joint_names)
    positions = get_default_positions(c.tree, c.xrdf)
    locked = tuple(name for name in c.tree.independent if name not in controlled)
    if not locked:
        return
    message = (
        f"Joint {locked[0]!r} is not in the c-space: it stays locked at {positions[locked[0]]:g}."
    )
    if len(locked) > 1:
        at = format_list((f"{name} at {positions[name]:g}" for name in locked), _NAMED)
        message = f"{len(locked)} joints are not in the c-space, and stay locked: {at}."
    yield flaw(
        INFO,
        message,
        (_SECTION, "joint_names"),
        joints=locked,
        fixes=_for_all(locked, fixes.add_cspace_joints),
    )


def _for_all(
    names: tuple[str, ...], make_fix: Callable[[tuple[str, ...]], Change]
) -> Iterator[Change]:
    """Yield the fix for all names, and one for each of a few."""
    yield make_fix(names)
    if 1 < len(names) <= _NAMED:
        yield from (make_fix((name,)) for name in names)


@rule(
    "XRDF709",
    "The c-space's order differs from the URDF's",
    _SECTION,
    "cspace urdf modifiers profile",
)
def order_is_that_of_the_urdf(c: CheckContext) -> Iterable[Finding]:
    if c.cspace is None or c.cspace.joint_names is None:
        return
    order = {name: i for i, name in enumerate(j.name for j in c.urdf.joints)}
    names_in_file = [n for n in c.cspace.joint_names if n in order]
    wanted = sorted(names_in_file, key=order.__getitem__)
    if names_in_file == wanted:
        return
    severity = ERROR if c.profile is Profile.CUROBO else WARNING
    consequence = (
        "cuRobo then assigns default positions to the wrong joints"
        if severity is ERROR
        else "some readers assume that order"
    )
    message = (
        f"The c-space lists {', '.join(names_in_file)}; the URDF's order is {', '.join(wanted)} "
        f"({consequence})."
    )
    places = {name: i for i, name in enumerate(c.cspace.joint_names)}
    others = [i for i, name in enumerate(c.cspace.joint_names) if name not in order]
    reordered = commands.ReorderJoints((*(places[n] for n in dict.fromkeys(wanted)), *others))
    option = fixes.offer("Reorder the c-space as in the URDF", reordered)
    options = (option,) if len(places) == len(c.cspace.joint_names) else ()
    yield flaw(severity, message, (_SECTION, "joint_names"), fixes=options)


@rule(
    "XRDF710",
    "A c-space joint moves no tool",
    _SECTION,
    "cspace tool_frames geometry world urdf modifiers profile",
)
def joints_move_tools(c: CheckContext) -> Iterable[Finding]:
    tools = set(c.tool_frames or ()) & c.frames
    spheres = set(c.xrdf.spheres_of(c.xrdf.world_group) if c.world is not None else ()) & c.frames
    moved = {
        name: c.tree.movers_of(frames)
        for name, frames in (("tool", tools), ("sphere", tools | spheres))
    }
    movers = set(c.tree.independent)
    for index, name in _names(c):
        joint = c.tree.joint(name)
        refused = c.profile is Profile.CUROBO and name not in moved["sphere"]
        if joint is None or name not in movers or name in moved["tool"] or not (tools or refused):
            continue
        below = c.tree.subtree(joint.child)[:4]
        effect = (
            "it moves neither a tool frame nor spheres, and cuRobo refuses it"
            if refused
            else "it moves no tool frame"
        )
        message = (
            f"C-space: joint {name!r} moves {', '.join(below)}; {effect}. It can be locked at its "
            "default position."
        )
        path = (_SECTION, "joint_names", index)
        options = (fixes.lock_joint(index, name),)
        severity = ERROR if refused else WARNING
        yield flaw(severity, message, path, joints=(name,), fixes=options)


_DEFAULTS = "default_joint_positions"


@rule(
    "XRDF601",
    "A default position for a joint that does not exist",
    _DEFAULTS,
    "defaults urdf modifiers",
)
def defaults_exist(c: CheckContext) -> Iterable[Finding]:
    for name in c.defaults or ():
        if name in c.tree_joints:
            continue
        options = [fixes.remove_default(name)]
        close = nearest(name, c.tree.independent)
        if name not in c.urdf_joints and close is not None and close not in (c.defaults or ()):
            options.insert(0, commands.ReplaceName("xrdf", Named.JOINT, name, close))
        yield flaw(
            ERROR,
            f"Default positions: {c.why_no_joint(name)}",
            (_DEFAULTS, name),
            joints=(name,),
            fixes=options,
        )


@rule(
    "XRDF602",
    "A default position for a joint that cannot move",
    _DEFAULTS,
    "defaults urdf modifiers",
)
def defaults_move(c: CheckContext) -> Iterable[Finding]:
    for name in c.defaults or ():
        joint = c.tree.joint(name)
        if joint is not None and not joint.is_movable:
            kind = joint.type.value
            message = (
                f"Joint {name!r} is {kind}: a default position is for revolute, continuous and "
                "prismatic joints."
            )
            yield flaw(
                ERROR,
                message,
                (_DEFAULTS, name),
                joints=(name,),
                fixes=(fixes.remove_default(name),),
            )


@rule("XRDF603", "A default position for a mimic joint", _DEFAULTS, "defaults urdf modifiers")
def defaults_do_not_mimic(c: CheckContext) -> Iterable[Finding]:
    for name in c.defaults or ():
        joint = c.tree.joint(name)
        if joint is not None and joint.mimic is not None:
            leader = joint.mimic.joint
            message = (
                f"Joint {name!r} mimics {leader!r}, which sets its position; it must not have a "
                "default position."
            )
            yield flaw(
                ERROR,
                message,
                (_DEFAULTS, name),
                joints=(name,),
                fixes=(fixes.remove_default(name),),
            )


@rule("XRDF604", "A default position outside the limits", _DEFAULTS, "defaults urdf modifiers")
def values_are_within_limits(c: CheckContext) -> Iterable[Finding]:
    for name, value in (c.defaults or {}).items():
        joint = c.tree.joint(name)
        bounds = (
            joint.limits if joint is not None and joint.is_movable and joint.mimic is None else None
        )
        if bounds is None or bounds[0] <= value <= bounds[1] or bounds[0] > bounds[1]:
            continue
        clamped = min(max(value, bounds[0]), bounds[1])
        message = (
            f"Default position {value:g} of {name!r} is outside its limits {bounds[0]:g} to "
            f"{bounds[1]:g}."
        )
        options = (fixes.set_default(name, clamped, f"Clamp {name} to {clamped:g}"),)
        yield flaw(ERROR, message, (_DEFAULTS, name), joints=(name,), fixes=options)


@rule("XRDF606", "A joint has no default position", _DEFAULTS, "defaults urdf modifiers")
def every_joint_has_one(c: CheckContext) -> Iterable[Finding]:
    if c.defaults is None:
        return
    used = {
        name: at
        for name, at in get_default_positions(c.tree, c.xrdf).items()
        if name not in c.defaults
    }
    missing = tuple(name for name in c.tree.independent if name in used)
    if not missing:
        return
    message = (
        f"Joint {missing[0]!r} has no default position: {used[missing[0]]:g} is used (0 within its "
        "limits)."
    )
    if len(missing) > 1:
        at = format_list((f"{used[name]:g} for {name}" for name in missing), _NAMED)
        message = (
            f"{len(missing)} joints have no default position; 0 within their limits is used: {at}."
        )

    def set_defaults(names: tuple[str, ...]) -> Change:
        label = f"Write these {len(names)} default positions"
        if len(names) == 1:
            label = f"Write {used[names[0]]:g} as the default of {names[0]}"
        positions = FrozenDict({name: used[name] for name in names})
        return fixes.offer(label, commands.SetItems("xrdf.default_joint_positions", positions))

    yield flaw(INFO, message, (_DEFAULTS,), joints=missing, fixes=_for_all(missing, set_defaults))


@rule(
    "XRDF607",
    "No default positions",
    _DEFAULTS,
    "defaults profile urdf modifiers",
    needs_urdf=False,
)
def check_default_positions(c: CheckContext) -> Iterable[Finding]:
    if c.defaults is not None:
        return
    severity = ERROR if c.profile is Profile.CUROBO else WARNING
    why = (
        "cuRobo requires them"
        if severity is ERROR
        else "0, or the nearest limit, is used for every joint"
    )
    positions = get_default_positions(c.tree, c.xrdf)
    written = commands.SetItems(
        "xrdf.default_joint_positions",
        FrozenDict({name: positions[name] for name in c.tree.independent}),
    )
    options = (fixes.offer("Write the positions in use", written),) if c.has_urdf else ()
    message = f"default_joint_positions is missing: {why}."
    yield flaw(severity, message, fixes=options)
