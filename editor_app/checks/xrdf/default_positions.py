"""XRDF6xx: default joint positions (605, which needs self-collision, is in `sampled`)."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, INFO, WARNING, flaw, rule
from editor_app.edit import commands
from editor_app.kinematics.tree import default_positions
from editor_app.model.findings import Finding
from editor_app.model.frozen import FrozenDict
from editor_app.model.near_names import nearest
from editor_app.model.profile import Profile
from editor_app.model.urdf import MOVABLE

_SECTION = "default_joint_positions"


@rule("XRDF601", "A default position for a joint that does not exist", _SECTION, "defaults urdf modifiers")
def joints_exist(c: CheckContext) -> Iterable[Finding]:
    for name in c.defaults or ():
        if name in c.tree_joints:
            continue
        options = [fixes.remove_default(name)]
        close = nearest(name, c.tree.independent)
        if name not in c.urdf_joints and close is not None and close not in (c.defaults or ()):
            renamed = commands.RenameDefaultPosition(name, close)
            options.insert(0, fixes.offer(f"Write {close} instead of {name}", renamed))
        yield flaw(ERROR, f"Default positions: {c.why_no_joint(name)}", (_SECTION, name), joints=(name,), fixes=options)


@rule("XRDF602", "A default position for a joint that cannot move", _SECTION, "defaults urdf modifiers")
def joints_move(c: CheckContext) -> Iterable[Finding]:
    types = {j.name: j.type for j in c.tree.joints}
    for name in c.defaults or ():
        kind = types.get(name)
        if kind is not None and kind not in MOVABLE:
            message = (
                f"Joint {name!r} is {kind.value}: a default position is for revolute, continuous and prismatic joints."
            )
            yield flaw(ERROR, message, (_SECTION, name), joints=(name,), fixes=(fixes.remove_default(name),))


@rule("XRDF603", "A default position for a mimic joint", _SECTION, "defaults urdf modifiers")
def joints_do_not_mimic(c: CheckContext) -> Iterable[Finding]:
    mimics = {j.name: j.mimic for j in c.tree.joints if j.mimic is not None}
    for name in c.defaults or ():
        mimic = mimics.get(name)
        if mimic is not None:
            message = (
                f"Joint {name!r} mimics {mimic.joint!r}, which sets its position; it must have no default of its own."
            )
            yield flaw(ERROR, message, (_SECTION, name), joints=(name,), fixes=(fixes.remove_default(name),))


@rule("XRDF604", "A default position outside the limits", _SECTION, "defaults urdf modifiers")
def values_are_within_limits(c: CheckContext) -> Iterable[Finding]:
    limits = {j.name: j.limits for j in c.tree.joints if j.type in MOVABLE and j.mimic is None}
    for name, value in (c.defaults or {}).items():
        bounds = limits.get(name)
        if bounds is None or bounds[0] <= value <= bounds[1] or bounds[0] > bounds[1]:
            continue
        clamped = min(max(value, bounds[0]), bounds[1])
        message = f"Default position {value:g} of {name!r} is outside its limits {bounds[0]:g} to {bounds[1]:g}."
        options = (fixes.set_default(name, clamped, f"Clamp {name} to {clamped:g}"),)
        yield flaw(ERROR, message, (_SECTION, name), joints=(name,), fixes=options)


@rule("XRDF606", "A joint has no default position", _SECTION, "defaults urdf modifiers")
def every_joint_has_one(c: CheckContext) -> Iterable[Finding]:
    if c.defaults is None:
        return
    limits = {j.name: j.limits for j in c.tree.joints}
    for name in c.tree.independent:
        if name in c.defaults:
            continue
        bounds = limits.get(name)
        value = 0.0 if bounds is None or bounds[0] > bounds[1] else min(max(0.0, bounds[0]), bounds[1])
        message = f"Joint {name!r} has no default position: {value:g} is used (0 within its limits)."
        options = (fixes.set_default(name, value, f"Write {value:g} as the default of {name}"),)
        yield flaw(INFO, message, (_SECTION,), joints=(name,), fixes=options)


@rule("XRDF607", "No default positions", _SECTION, "defaults profile urdf modifiers", needs_urdf=False)
def section_is_there(c: CheckContext) -> Iterable[Finding]:
    if c.defaults is not None:
        return
    severity = ERROR if c.profile is Profile.CUROBO else WARNING
    why = "cuRobo requires them" if severity is ERROR else "0, or the nearest limit, is used for every joint"
    positions = default_positions(c.tree, c.xrdf)
    written = commands.SetDefaultPositions(FrozenDict({name: positions[name] for name in c.tree.independent}))
    options = (fixes.offer("Write the positions that are used now", written),) if c.has_urdf else ()
    message = f"default_joint_positions is missing: {why}."
    yield flaw(severity, message, fixes=options)
