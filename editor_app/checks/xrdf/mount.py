"""XRDF313: spheres of the base reach below the plane that the robot stands on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import WARNING, flaw, rule
from editor_app.checks.xrdf.bare_surface import rows_of
from editor_app.edit import commands
from editor_app.geometry.bare_surface import gaps_to_spheres, spread_points
from editor_app.geometry.link_geometry import MeshStore, link_geometry, merged
from editor_app.geometry.mount import mount_of_files
from editor_app.model.counting import percent
from editor_app.model.findings import Finding, SphereRef
from editor_app.model.frozen import FrozenDict
from editor_app.model.urdf import Link
from editor_app.model.xrdf import CollisionSphere

_SECTION = "geometry"
#: Metres that a sphere may reach below the plane: less is rounding.
_ALLOWED = 1e-4
_SMALLEST = 1e-3
#: Points of the surface that tell what the spheres cover.
_POINTS = 1000


@rule(
    "XRDF313",
    "Spheres of the base reach below the mount",
    _SECTION,
    "geometry world urdf modifiers urdf_path mappings",
    slow=True,
)
def spheres_stand_on_the_mount(c: CheckContext) -> Iterable[Finding]:
    group = c.xrdf.world_group or c.xrdf.self_group
    collision_group = c.xrdf.group(group)
    if c.urdf_path is None or collision_group is None or not collision_group.spheres:
        return
    store = MeshStore(c.urdf_path, c.mappings)
    mount = mount_of_files(c.urdf, store)
    for plane in mount.planes if mount is not None else ():
        spheres = collision_group.spheres.get(plane.link, ())
        normal, point = np.array(plane.normal), np.array(plane.point)
        heights = [float((np.array(s.center) - point) @ normal) for s in spheres]
        radii = [c.xrdf.world_radius(plane.link, s) for s in spheres]
        low = [i for i, s in enumerate(spheres) if s.radius > 0 and heights[i] - radii[i] < -_ALLOWED]
        if not low:
            continue
        deepest = max(radii[i] - heights[i] for i in low)
        share = f"{len(low)} of the {len(spheres)} spheres" if len(spheres) > 1 else "The one sphere"
        link = c.urdf.link(plane.link)
        kept = _clipped(spheres, heights, radii)
        before, after = (_covered(c, store, link, each) for each in (spheres, kept))
        message = (
            f"{share} of {plane.link!r} {'reaches' if len(low) == 1 else 'reach'} below the plane it stands on, "
            f"up to {deepest * 1000:.1f} mm: a table there is always in collision. Fit it again above the mount "
            f"(fit --links {plane.link})."
        )
        refs = tuple(SphereRef(collision_group.name, plane.link, i) for i in low)
        label = f"Shrink the spheres of {plane.link} to the mount ({percent(before)} covered, then {percent(after)})"
        option = commands.ReplaceSpheres(collision_group.name, FrozenDict({plane.link: kept}), label)
        path = (_SECTION, collision_group.name, "spheres", plane.link)
        yield flaw(WARNING, message, path, links=(plane.link,), spheres=refs, fixes=(option,))


def _covered(c: CheckContext, store: MeshStore, link: Link | None, spheres: tuple[CollisionSphere, ...]) -> float:
    """Share (0..1) of the surface of a link that lies inside its spheres."""
    if link is None:
        return 0.0
    shapes = (link_geometry(c.urdf, c.urdf_path, link, kind, store=store) for kind in ("collision", "visual"))
    surface = next((merged(each.parts) for each in shapes if each.triangles), None)
    if surface is None:
        return 0.0
    return float((gaps_to_spheres(spread_points(*surface, _POINTS), rows_of(spheres)) <= 0.0).mean())


def _clipped(
    spheres: tuple[CollisionSphere, ...], heights: list[float], radii: list[float]
) -> tuple[CollisionSphere, ...]:
    """The spheres with radii that end at the plane; what would be smaller than a millimetre goes."""
    kept = []
    for sphere, height, radius in zip(spheres, heights, radii, strict=True):
        over = radius - height
        if sphere.radius <= 0 or over <= _ALLOWED:
            kept.append(sphere)
        elif sphere.radius - over >= _SMALLEST:
            kept.append(CollisionSphere(sphere.center, float(np.floor((sphere.radius - over) * 1e6) / 1e6)))
    return tuple(kept)
