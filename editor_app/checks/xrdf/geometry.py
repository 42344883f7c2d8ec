"""XRDF3xx: geometry groups (307 to 309, which need meshes or many comparisons, are in `meshes`)."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, WARNING, flaw, rule
from editor_app.checks.text_fixes import RepairText
from editor_app.edit import commands
from editor_app.formats.yaml.nodes import key_at
from editor_app.model.change import Change
from editor_app.model.findings import Finding, SphereRef
from editor_app.model.frozen import FrozenDict
from editor_app.model.near_names import nearest
from editor_app.model.profile import Profile

_SECTION = "geometry"
#: A radius this small on purpose says: no sphere here (files in use have -10 and -100 on attached objects).
_PLACEHOLDER = -1.0


@rule("XRDF302", "Spheres on a frame that does not exist", _SECTION, "geometry urdf modifiers")
def frames_exist(c: CheckContext) -> Iterable[Finding]:
    for group in c.geometry or ():
        for frame, spheres in group.spheres.items():
            if frame in c.frames:
                continue
            removed = commands.ReplaceSpheres(group.name, FrozenDict({frame: ()}), f"Delete the spheres of {frame}")
            options: list[Change] = [removed]
            close = nearest(frame, c.frames)
            if close is not None and frame not in c.urdf_links and close not in group.spheres:
                options.insert(0, commands.MoveFrameSpheres(group.name, frame, close))
            number = len(spheres)
            lost = "1 sphere of {} has" if number == 1 else f"{number} spheres of {{}} have"
            message = f"{lost.format(repr(group.name))} no frame: {c.why_no_frame(frame)}"
            path = (_SECTION, group.name, "spheres", frame)
            yield flaw(ERROR, message, path, links=(frame,), fixes=options)


@rule("XRDF304", "A radius that is not positive", _SECTION, "geometry world self_collision profile version")
def radii_are_positive(c: CheckContext) -> Iterable[Finding]:
    # Files of 1.0 that NVIDIA ships have -0.01, -10, -100, and Isaac ROS and cuRobo read them.
    severity = ERROR if c.is_v2 else WARNING
    for group in c.geometry or ():
        for frame, spheres in group.spheres.items():
            for index, sphere in enumerate(spheres):
                if sphere.radius > 0:
                    continue
                world, self_radius = c.xrdf.world_radius(frame, sphere), c.xrdf.self_radius(frame, sphere)
                if sphere.radius <= _PLACEHOLDER:
                    meaning = "a placeholder, switched off"
                elif self_radius > 0 and world <= 0:
                    meaning = f"with its buffers it counts for self-collision only ({self_radius:g} m)"
                elif self_radius > 0:
                    meaning = f"with its buffers: {world:g} m for obstacles, {self_radius:g} m for itself"
                else:
                    meaning = "it is switched off"
                refused = "; cuMotion's library (1.0 and later) refuses that in format 2.0" if c.is_v2 else ""
                if c.profile is Profile.CUMOTION and not c.is_v2:
                    refused = "; cuMotion's library (1.0 and later) refuses that once the file is of format 2.0"
                message = f"Sphere {index + 1} of {frame!r} has radius {sphere.radius:g} m: {meaning}{refused}."
                ref = SphereRef(group.name, frame, index)
                path = (_SECTION, group.name, "spheres", frame, index, "radius")
                yield flaw(severity, message, path, spheres=(ref,))


@rule("XRDF305", "More than one geometry group", _SECTION, "geometry version profile")
def one_group(c: CheckContext) -> Iterable[Finding]:
    count = len(c.geometry or ())
    if count > 1 and (not c.is_v2 or c.profile is Profile.CUROBO):
        who = "cuRobo reads one" if c.profile is Profile.CUROBO else "readers of version 1.0 support one"
        message = f"There are {count} geometry groups; {who}."
        yield flaw(WARNING, message, (_SECTION,))


@rule("XRDF306", "A group that nothing uses", _SECTION, "geometry world self_collision")
def groups_are_used(c: CheckContext) -> Iterable[Finding]:
    used = {c.xrdf.world_group, c.xrdf.self_group}
    used.update(name for group in c.geometry or () for name in group.clone or ())
    for group in c.geometry or ():
        if group.name not in used:
            message = f"No section uses the geometry group {group.name!r}."
            path = (_SECTION, group.name)
            yield flaw(WARNING, message, path)


@rule("XRDF310", "A clone that cannot be made", _SECTION, "geometry version profile")
def clones_resolve(c: CheckContext) -> Iterable[Finding]:
    groups = {group.name: group for group in c.geometry or ()}
    for group in groups.values():
        if group.clone is None:
            continue
        path = (_SECTION, group.name, "clone")
        for index, name in enumerate(group.clone):
            if name not in groups:
                close = nearest(name, set(groups) - {group.name})
                hint = f"; did you mean {close!r}?" if close else ""
                message = f"{group.name!r} clones {name!r}, which is not a geometry group{hint}."
                yield flaw(ERROR, message, (*path, index))
        if any(group in c.xrdf.with_clones(name) for name in group.clone):
            message = f"The geometry group {group.name!r} clones itself, through its clones."
            yield flaw(ERROR, message, path)
        for reader in (() if c.is_v2 else ("version 1.0",)) + (("cuRobo",) if c.profile is Profile.CUROBO else ()):
            message = f"{group.name!r} uses clone, which {reader} does not know: its spheres are missing there."
            yield flaw(WARNING, message, path)


@rule("XRDF311", "Collision without geometry", _SECTION, "geometry world self_collision")
def geometry_is_there(c: CheckContext) -> Iterable[Finding]:
    if c.geometry is None and (c.world is not None or c.self_collision is not None):
        message = "A collision section is there, but no geometry section: there are no spheres to check with."
        option = fixes.offer("Add the geometry group collision_spheres", commands.AddGroup("collision_spheres"))
        yield flaw(ERROR, message, fixes=(option,))


@rule("XRDF312", "A geometry group without spheres", _SECTION, "source geometry world profile version")
def groups_have_spheres(c: CheckContext) -> Iterable[Finding]:
    if c.source is None:
        return
    for group in c.geometry or ():
        path = (_SECTION, group.name)
        if group.clone or key_at(c.source.root, path) is None or key_at(c.source.root, (*path, "spheres")) is not None:
            continue
        refused = c.profile is Profile.CUROBO and c.world is not None and c.xrdf.world_group == group.name
        message = f"The geometry group {group.name!r} has no key 'spheres'"
        message += ": cuRobo refuses it." if refused else ", so it is empty."
        severity = ERROR if refused else WARNING
        option = RepairText(f"Add spheres to {group.name}", "add spheres", path)
        yield flaw(severity, message, path, fixes=(option,))
