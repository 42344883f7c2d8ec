"""XRDF6xx: default joint positions (605, which needs self-collision, is in `sampled`)."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, INFO, WARNING, rule
from editor_app.model.findings import Finding, Subject
from editor_app.model.near_names import nearest
from editor_app.model.robot import Profile
from editor_app.model.urdf import MOVABLE

_SECTION = "default_joint_positions"


def _subject(name: str) -> Subject:
    return Subject(joints=(name,), section=_SECTION)


@rule(
    "XRDF601",
    "A default position for a joint that does not exist",
    _SECTION,
    "defaults urdf modifiers",
    needs_urdf=True,
)
def joints_exist(c: CheckContext) -> Iterable[Finding]:
    for name in c.defaults or ():
        if name in c.tree_joints:
            continue
        options = [fixes.remove_default(name)]
        close = nearest(name, c.tree.independent)
        if name not in c.urdf_joints and close is not None and close not in (c.defaults or ()):
            options.insert(0, fixes.rename_default(name, close))
        message = f"Default positions: {c.why_no_joint(name)}"
        yield Finding("XRDF601", ERROR, message, (_SECTION, name), subject=_subject(name), fixes=tuple(options))


@rule(
    "XRDF602", "A default position for a joint that cannot move", _SECTION, "defaults urdf modifiers", needs_urdf=True
)
def joints_move(c: CheckContext) -> Iterable[Finding]:
    types = {j.name: j.type for j in c.tree.joints}
    for name in c.defaults or ():
        kind = types.get(name)
        if kind is not None and kind not in MOVABLE:
            message = (
                f"Joint {name!r} is {kind.value}: a default position is for revolute, continuous and prismatic joints."
            )
            yield Finding(
                "XRDF602", ERROR, message, (_SECTION, name), subject=_subject(name), fixes=(fixes.remove_default(name),)
            )


@rule("XRDF603", "A default position for a mimic joint", _SECTION, "defaults urdf modifiers", needs_urdf=True)
def joints_do_not_mimic(c: CheckContext) -> Iterable[Finding]:
    mimics = {j.name: j.mimic for j in c.tree.joints if j.mimic is not None}
    for name in c.defaults or ():
        mimic = mimics.get(name)
        if mimic is not None:
            message = (
                f"Joint {name!r} mimics {mimic.joint!r}, which sets its position; it must have no default of its own."
            )
            yield Finding(
                "XRDF603", ERROR, message, (_SECTION, name), subject=_subject(name), fixes=(fixes.remove_default(name),)
            )


@rule("XRDF604", "A default position outside the limits", _SECTION, "defaults urdf modifiers", needs_urdf=True)
def values_are_within_limits(c: CheckContext) -> Iterable[Finding]:
    limits = {j.name: j.limits for j in c.tree.joints if j.type in MOVABLE and j.mimic is None}
    for name, value in (c.defaults or {}).items():
        bounds = limits.get(name)
        if bounds is None or bounds[0] <= value <= bounds[1] or bounds[0] > bounds[1]:
            continue
        clamped = min(max(value, bounds[0]), bounds[1])
        message = f"Default position {value:g} of {name!r} is outside its limits {bounds[0]:g} to {bounds[1]:g}."
        options = (fixes.set_default(name, clamped, f"Clamp {name} to {clamped:g}"),)
        yield Finding("XRDF604", ERROR, message, (_SECTION, name), subject=_subject(name), fixes=options)


@rule("XRDF606", "A joint has no default position", _SECTION, "defaults urdf modifiers", needs_urdf=True)
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
        yield Finding("XRDF606", INFO, message, (_SECTION,), subject=_subject(name), fixes=options)


@rule("XRDF607", "No default positions", _SECTION, "defaults profile urdf modifiers")
def section_is_there(c: CheckContext) -> Iterable[Finding]:
    if c.defaults is not None:
        return
    severity = ERROR if c.profile is Profile.CUROBO else WARNING
    why = "cuRobo requires them" if severity is ERROR else "0, or the nearest limit, is used for every joint"
    options = (fixes.write_defaults(c.tree, c.xrdf),) if c.has_urdf else ()
    message = f"default_joint_positions is missing: {why}."
    yield Finding("XRDF607", severity, message, (), subject=Subject(section=_SECTION), fixes=options)
