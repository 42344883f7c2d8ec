"""XRDF307 to 309: spheres against the meshes of their links, and against each other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import INFO, WARNING, flaw, rule
from editor_app.geometry.distance import distance_to_mesh, winding_number
from editor_app.geometry.link_geometry import link_geometry
from editor_app.geometry.mesh import MeshPart, merged
from editor_app.model.findings import Finding, SphereRef
from editor_app.model.xrdf import CollisionSphere

_SECTION = "geometry"
#: Metres within which two spheres count as the same, or one as inside the other.
_SAME = 1e-6


@rule("XRDF307", "A link with geometry but no sphere", _SECTION, "geometry world urdf modifiers", slow=True)
def links_have_spheres(c: CheckContext) -> Iterable[Finding]:
    group = c.xrdf.world_group or c.xrdf.self_group or (c.geometry[0].name if c.geometry else None)
    if group is None:
        return
    spheres = c.xrdf.spheres_of(group)
    for link in c.urdf.links:
        if link.name not in c.frames or not (link.visuals or link.collisions) or spheres.get(link.name):
            continue
        message = f"Link {link.name!r} has geometry but no sphere in {group!r}: motion generation does not see it."
        # What weighs something is part of the robot; shapes without a mass may be there to be seen alone.
        severity = WARNING if link.inertial is not None and link.inertial.mass > 0 else INFO
        yield flaw(severity, message, (_SECTION, group, "spheres"), links=(link.name,))


@rule(
    "XRDF308", "A sphere far outside its link's mesh", _SECTION, "geometry urdf modifiers urdf_path mappings", slow=True
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
            far = _far_outside(c, frame, positive)
            for index, distance in far:
                message = (
                    f"Sphere {index + 1} of {frame!r} is {distance * 1000:.0f} mm away from the link's geometry, more "
                    f"than its own diameter: was the mesh's frame taken for the link's?"
                )
                ref = SphereRef(group.name, frame, index)
                path = (_SECTION, group.name, "spheres", frame, index, "center")
                yield flaw(WARNING, message, path, links=(frame,), spheres=(ref,), fixes=(fixes.delete_sphere(ref),))


def _far_outside(c: CheckContext, frame: str, spheres: list[tuple[int, CollisionSphere]]) -> list[tuple[int, float]]:
    """(index, gap in metres) of the spheres whose surface is more than a diameter away from the link's geometry."""
    vertices, faces = _geometry_of(c, frame)
    if len(faces) == 0:
        return []
    centers = np.array([s.center for _, s in spheres])
    radii = np.array([s.radius for _, s in spheres])
    # A vertex within reach settles most spheres without looking at a triangle.
    nearest = np.array([np.sqrt(((vertices - center) ** 2).sum(axis=1).min()) for center in centers])
    doubtful = np.flatnonzero(nearest - radii > 2 * radii)
    if len(doubtful) == 0:
        return []
    gaps = distance_to_mesh(centers[doubtful], vertices, faces) - radii[doubtful]
    outside = np.abs(winding_number(centers[doubtful], vertices, faces)) < 0.5
    far = (gaps > 2 * radii[doubtful]) & outside
    return [(spheres[k][0], float(gap)) for k, gap in zip(doubtful[far], gaps[far], strict=True)]


def _geometry_of(c: CheckContext, frame: str) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """All geometry of a link, visual and collision, in its frame; what cannot be loaded is left out."""
    assert c.urdf_path is not None
    parts: list[MeshPart] = []
    for kind in ("collision", "visual"):
        parts.extend(link_geometry(c.urdf, c.urdf_path, frame, kind, c.mappings).parts)
    return merged(tuple(parts))


@rule("XRDF309", "Two spheres of which one says nothing", _SECTION, "geometry", slow=True)
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
        around = [j for j in np.flatnonzero(contained[i]).tolist() if not (contained[j, i] and j > i)]
        if not around:
            continue
        other = positive[around[0]]
        ref, outer = SphereRef(group, frame, index), SphereRef(group, frame, other)
        same = bool(contained[around[0], i])
        relation = "is the same as" if same else "lies wholly inside"
        message = f"Sphere {index + 1} of {frame!r} {relation} sphere {other + 1}: it adds nothing."
        path = (_SECTION, group, "spheres", frame, index)
        yield flaw(WARNING, message, path, spheres=(ref, outer), fixes=(fixes.delete_sphere(ref),))
