"""XRDF3xx: geometry groups; 307 to 309 compare spheres with the meshes of their links, and with
each other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from editor_app.core.document import commands
from editor_app.core.model.findings import Finding, SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import nearest, whether_meant
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.distance import spheres_far_from
from editor_app.core.space.geometry.link_geometry import link_geometry
from editor_app.core.space.geometry.mesh import MeshPart, merge_parts
from editor_app.core.text.yaml.nodes import find_key_node
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.fixes import RepairText
from editor_app.features.checks.engine.rule import ERROR, INFO, WARNING, CheckContext, flaw, rule

_SECTION = "geometry"
#: A radius this small on purpose says: no sphere here (files in use have -10 and -100 on attached
#: objects).
_PLACEHOLDER = -1.0


@rule("XRDF302", "Spheres on a frame that does not exist", _SECTION, "geometry urdf modifiers")
def check_sphere_frames(c: CheckContext) -> Iterable[Finding]:
    for group in c.geometry or ():
        for frame, spheres in group.spheres.items():
            if frame in c.frames:
                continue
            removed = commands.ReplaceSpheres(
                group.name, FrozenDict({frame: ()}), f"Delete the spheres of {frame}"
            )
            options: list[Change] = [removed]
            close = nearest(frame, c.frames)
            with_frame = [each.spheres for each in c.geometry or () if frame in each.spheres]
            if (
                close is not None
                and frame not in c.urdf_links
                and not any(close in each for each in with_frame)
            ):
                options.insert(0, commands.ReplaceName("xrdf", Named.LINK, frame, close))
            number = len(spheres)
            lost = "1 sphere of {} has" if number == 1 else f"{number} spheres of {{}} have"
            message = f"{lost.format(repr(group.name))} no frame: {c.why_no_frame(frame)}"
            path = (_SECTION, group.name, "spheres", frame)
            yield flaw(ERROR, message, path, links=(frame,), fixes=options)


@rule(
    "XRDF304",
    "A radius that is not positive",
    _SECTION,
    "geometry world self_collision profile version",
)
def radii_are_positive(c: CheckContext) -> Iterable[Finding]:
    # Files of 1.0 that NVIDIA ships have -0.01, -10, -100, and Isaac ROS and cuRobo read them.
    severity = ERROR if c.is_v2 else WARNING
    for group in c.geometry or ():
        for frame, spheres in group.spheres.items():
            for index, sphere in enumerate(spheres):
                if sphere.radius > 0:
                    continue
                world, self_radius = (
                    c.xrdf.world_radius(frame, sphere),
                    c.xrdf.self_radius(frame, sphere),
                )
                if sphere.radius <= _PLACEHOLDER:
                    meaning = "a disabled placeholder"
                elif self_radius > 0 and world <= 0:
                    meaning = (
                        f"with its buffers it is used for self-collision only ({self_radius:g} m)"
                    )
                elif self_radius > 0:
                    meaning = (
                        f"with its buffers: {world:g} m for obstacles, {self_radius:g} m for "
                        "self-collision"
                    )
                else:
                    meaning = "it is disabled"
                refused = (
                    "; cuMotion's library (1.0 and later) refuses that in format 2.0"
                    if c.is_v2
                    else ""
                )
                if c.profile is Profile.CUMOTION and not c.is_v2:
                    refused = (
                        "; cuMotion's library (1.0 and later) refuses that if the file has format "
                        "2.0"
                    )
                message = (
                    f"Sphere {index + 1} of {frame!r} has radius {sphere.radius:g} m: "
                    f"{meaning}{refused}."
                )
                ref = SphereRef(group.name, frame, index)
                path = (_SECTION, group.name, "spheres", frame, index, "radius")
                yield flaw(severity, message, path, spheres=(ref,))


@rule("XRDF305", "More than one geometry group", _SECTION, "geometry version profile")
def one_group(c: CheckContext) -> Iterable[Finding]:
    count = len(c.geometry or ())
    if count > 1 and (not c.is_v2 or c.profile is Profile.CUROBO):
        who = (
            "cuRobo reads one"
            if c.profile is Profile.CUROBO
            else "readers of version 1.0 support one"
        )
        message = f"The file has {count} geometry groups; {who}."
        yield flaw(WARNING, message, (_SECTION,))


@rule("XRDF306", "An unused geometry group", _SECTION, "geometry world self_collision")
def groups_are_used(c: CheckContext) -> Iterable[Finding]:
    used = {c.xrdf.world_group, c.xrdf.self_group}
    used.update(name for group in c.geometry or () for name in group.clone or ())
    for group in c.geometry or ():
        if group.name not in used:
            message = f"No section uses the geometry group {group.name!r}."
            path = (_SECTION, group.name)
            yield flaw(WARNING, message, path)


@rule("XRDF310", "An invalid clone", _SECTION, "geometry version profile")
def clones_resolve(c: CheckContext) -> Iterable[Finding]:
    groups = {group.name: group for group in c.geometry or ()}
    for group in groups.values():
        if group.clone is None:
            continue
        path = (_SECTION, group.name, "clone")
        for index, name in enumerate(group.clone):
            if name not in groups:
                hint = whether_meant(name, set(groups) - {group.name})
                message = f"{group.name!r} clones {name!r}, which is not a geometry group{hint}"
                yield flaw(ERROR, message, (*path, index))
        if any(group in c.xrdf.with_clones(name) for name in group.clone):
            message = f"The geometry group {group.name!r} clones itself, through its clones."
            yield flaw(ERROR, message, path)
        for reader in (() if c.is_v2 else ("version 1.0",)) + (
            ("cuRobo",) if c.profile is Profile.CUROBO else ()
        ):
            message = (
                f"{group.name!r} uses clone, which {reader} does not support: its spheres are "
                "missing there."
            )
            yield flaw(WARNING, message, path)


@rule("XRDF311", "Collision without geometry", _SECTION, "geometry world self_collision")
def geometry_is_there(c: CheckContext) -> Iterable[Finding]:
    if c.geometry is None and (c.world is not None or c.self_collision is not None):
        message = (
            "The file has a collision section but no geometry section, so no spheres to check with."
        )
        option = fixes.offer(
            "Add the geometry group collision_spheres", commands.AddGroup("collision_spheres")
        )
        yield flaw(ERROR, message, fixes=(option,))


@rule(
    "XRDF312", "A geometry group without spheres", _SECTION, "source geometry world profile version"
)
def groups_have_spheres(c: CheckContext) -> Iterable[Finding]:
    if c.source is None:
        return
    for group in c.geometry or ():
        path = (_SECTION, group.name)
        if (
            group.clone
            or find_key_node(c.source.root, path) is None
            or find_key_node(c.source.root, (*path, "spheres")) is not None
        ):
            continue
        refused = (
            c.profile is Profile.CUROBO and c.world is not None and c.xrdf.world_group == group.name
        )
        message = f"The geometry group {group.name!r} has no key 'spheres'"
        message += ": cuRobo refuses it." if refused else ", so it is empty."
        severity = ERROR if refused else WARNING
        option = RepairText(f"Add spheres to {group.name}", "add spheres", path)
        yield flaw(severity, message, path, fixes=(option,))


#: Metres within which two spheres count as the same, or one as inside the other.
_SAME = 1e-6


@rule(
    "XRDF307",
    "A link with geometry but no spheres",
    _SECTION,
    "geometry world urdf modifiers",
    slow=True,
)
def links_have_spheres(c: CheckContext) -> Iterable[Finding]:
    group = c.xrdf.world_group or c.xrdf.self_group or (c.geometry[0].name if c.geometry else None)
    if group is None:
        return
    spheres = c.xrdf.spheres_of(group)
    for link in c.urdf.links:
        if (
            link.name not in c.frames
            or not (link.visuals or link.collisions)
            or spheres.get(link.name)
        ):
            continue
        message = (
            f"Link {link.name!r} has geometry but no spheres in {group!r}: motion generation "
            "ignores it."
        )
        # What weighs something is part of the robot; shapes without a mass may be there to be seen
        # alone.
        severity = WARNING if link.inertial is not None and link.inertial.mass > 0 else INFO
        yield flaw(severity, message, (_SECTION, group, "spheres"), links=(link.name,))


@rule(
    "XRDF308",
    "A sphere far outside its link's mesh",
    _SECTION,
    "geometry urdf modifiers urdf_path mappings",
    slow=True,
)
def spheres_are_at_their_meshes(c: CheckContext) -> Iterable[Finding]:
    if c.urdf_path is None:
        return
    for group in c.geometry or ():
        for frame, spheres in group.spheres.items():
            link = c.urdf.link(frame)
            positive = [(i, s) for i, s in enumerate(spheres) if s.radius > 0]
            if link is None or not positive or not (link.visuals or link.collisions):
                continue
            rows = np.array([(*s.center, s.radius) for _, s in positive])

            def compute(
                frame: str = frame, rows: NDArray[np.float64] = rows
            ) -> tuple[tuple[int, float], ...]:
                return tuple(spheres_far_from(*_geometry_of(c, frame), rows))

            for row, distance in c.memory.recall(
                "far", (link, spheres, c.urdf_path, c.mappings), compute
            ):
                index = positive[row][0]
                message = (
                    f"Sphere {index + 1} of {frame!r} is {distance * 1000:.0f} mm away from the "
                    "link's "
                    "geometry, more than its own diameter: was the mesh's frame used instead of "
                    "the link's?"
                )
                ref = SphereRef(group.name, frame, index)
                path = (_SECTION, group.name, "spheres", frame, index, "center")
                yield flaw(
                    WARNING,
                    message,
                    path,
                    links=(frame,),
                    spheres=(ref,),
                    fixes=(fixes.delete_sphere(ref),),
                )


def _geometry_of(c: CheckContext, frame: str) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """All geometry of a link, visual and collision, in its frame; what cannot be loaded is left
    out."""
    assert c.urdf_path is not None
    parts: list[MeshPart] = []
    for kind in ("collision", "visual"):
        parts.extend(link_geometry(c.urdf, c.urdf_path, frame, kind, c.mappings).parts)
    return merge_parts(tuple(parts))


@rule("XRDF309", "A redundant sphere", _SECTION, "geometry", slow=True)
def spheres_add_something(c: CheckContext) -> Iterable[Finding]:
    for group in c.geometry or ():
        for frame, spheres in group.spheres.items():
            yield from _superfluous(group.name, frame, spheres)


def _superfluous(group: str, frame: str, spheres: tuple[CollisionSphere, ...]) -> Iterable[Finding]:
    positive = [i for i, s in enumerate(spheres) if s.radius > 0]
    if len(positive) < 2:
        return
    centers = np.array([spheres[i].center for i in positive])
    radii = np.array([spheres[i].radius for i in positive])
    distances = np.sqrt(((centers[:, None] - centers[None]) ** 2).sum(axis=2))
    # contained[i, j]: sphere i lies within sphere j.
    contained = distances + radii[:, None] <= radii[None, :] + _SAME
    np.fill_diagonal(contained, False)
    for i, index in enumerate(positive):
        around = [
            j for j in np.flatnonzero(contained[i]).tolist() if not (contained[j, i] and j > i)
        ]
        if not around:
            continue
        other = positive[around[0]]
        ref, outer = SphereRef(group, frame, index), SphereRef(group, frame, other)
        same = bool(contained[around[0], i])
        relation = "is the same as" if same else "is completely inside"
        message = f"Sphere {index + 1} of {frame!r} {relation} sphere {other + 1}: it adds nothing."
        path = (_SECTION, group, "spheres", frame, index)
        yield flaw(WARNING, message, path, spheres=(ref, outer), fixes=(fixes.delete_sphere(ref),))
