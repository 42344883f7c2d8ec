"""XRDF314: spheres cover collision shapes that stand for a part of the link only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import WARNING, rule
from editor_app.model.findings import Finding, Subject

_SECTION = "geometry"
_POINTS = 400


@rule(
    "XRDF314",
    "Spheres leave much of the visible link bare",
    _SECTION,
    "geometry world urdf modifiers urdf_path mappings",
    needs_urdf=True,
    slow=True,
)
def spheres_cover_what_is_seen(c: CheckContext) -> Iterable[Finding]:
    group = c.xrdf.world_group or c.xrdf.self_group
    if c.urdf_path is None or c.xrdf.group(group) is None:
        return
    from editor_app.geometry.bare_surface import PARTIAL, kept_bare_share, spread_points
    from editor_app.geometry.link_geometry import MeshStore, link_geometry, merged
    from editor_app.geometry.mount import mount_of_files

    store = MeshStore(c.urdf_path, c.mappings)
    mount = mount_of_files(c.urdf, store)
    for frame, spheres in c.xrdf.spheres_of(group).items():
        link = c.urdf.link(frame)
        rows = np.array([(*s.center, s.radius) for s in spheres if s.radius > 0]).reshape(-1, 4)
        if link is None or not link.visuals or not link.collisions or not len(rows):
            continue
        visual = merged(link_geometry(c.urdf, c.urdf_path, frame, "visual", store=store).parts)
        if not len(visual[1]):
            continue
        points = spread_points(*visual, _POINTS)
        plane = mount.plane(frame) if mount is not None else None
        near = 0.05 * float(np.linalg.norm(np.ptp(points, axis=0)))
        gaps = (np.linalg.norm(points[:, None] - rows[None, :, :3], axis=2) - rows[:, 3]).min(axis=1)
        bare = gaps > near
        if plane is not None:
            # Next to the plane that it stands on, spheres that stay above it cannot cover a link.
            bare &= (points - plane.point) @ plane.normal > rows[:, 3].max()
        share = float(bare.mean())
        if share <= PARTIAL:
            continue
        collision = merged(link_geometry(c.urdf, c.urdf_path, frame, "collision", store=store).parts)
        # Where the collision shapes stand for the whole link, the spheres are what is wrong: other rules say so.
        if len(collision[1]) and kept_bare_share(visual, collision) <= PARTIAL:
            continue
        message = (
            f"The spheres of {frame!r} leave {share * 100:.0f} % of what is seen of it bare: its collision shapes "
            f"stand for a part of it only. Fit it to its visual geometry (fit --links {frame} --geometry visual)."
        )
        path = (_SECTION, str(group), "spheres", frame)
        yield Finding("XRDF314", WARNING, message, path, subject=Subject(links=(frame,), section=_SECTION))
