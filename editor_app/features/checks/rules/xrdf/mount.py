"""XRDF313, 314, 316, 317: spheres against the surface of their link, and the plane that the robot
stands on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editor_app.core.arrays import F64, I32
from editor_app.core.document import commands
from editor_app.core.model.counting import format_percent
from editor_app.core.model.findings import Finding, SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.urdf import Link
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.distance import PARTIAL, gaps_to_spheres, spread_points
from editor_app.core.space.geometry.link_geometry import MeshStore, link_geometry, merge_parts
from editor_app.core.space.geometry.mount import LinkPlane, Mount, mount_of_files
from editor_app.core.space.geometry.uncovered import Uncovered, uncovered
from editor_app.features.checks.engine.rule import INFO, WARNING, CheckContext, flaw, rule
from editor_app.features.masks.engine.meshes import find_partial_robot_links

_SECTION = "geometry"
_POINTS = 400
#: What is nearer to a sphere than this share of the diagonal counts as covered: spheres are no
#: exact shapes.
_NEAR = 0.05
#: With a larger share outside its spheres, the link stands for itself no longer.
MOSTLY = 0.5


@rule(
    "XRDF314",
    "Much of the visible link is uncovered",
    _SECTION,
    "geometry world urdf modifiers urdf_path mappings",
    slow=True,
    also={
        "XRDF316": "Most of the link is uncovered",
        "XRDF317": "Part of the visible link is uncovered",
    },
)
def spheres_cover_their_links(c: CheckContext) -> Iterable[Finding]:
    group = c.xrdf.world_group or c.xrdf.self_group
    if c.urdf_path is None or c.xrdf.group(group) is None:
        return
    store = MeshStore(c.urdf_path, c.mappings)
    seen = _seen(c)
    mount = _mount(c, store, seen)
    for frame, spheres in c.xrdf.spheres_of(group).items():
        link = c.urdf.link(frame)
        if link is None or not any(sphere.radius > 0 for sphere in spheres):
            continue
        plane = mount.plane(frame) if mount is not None else None
        open_parts = _open_parts(c, store, link, spheres, plane)
        of_link, visible = open_parts.of_link, open_parts.visible
        path = (_SECTION, str(group), "spheres", frame)
        if frame in seen and open_parts.of_visual > PARTIAL:
            message = (
                f"The spheres of {frame!r} leave {open_parts.of_visual * 100:.0f} % of its visible "
                "surface uncovered, "
                f"up to {1000 * visible.deepest:.1f} mm: its collision shapes cover only part of "
                "it. Fit it to its "
                "visual geometry."
            )
            yield flaw(WARNING, message, path, links=(frame,))
        elif of_link > MOSTLY:
            message = (
                f"The spheres of {frame!r} leave {of_link * 100:.0f} % of its surface uncovered by "
                "more than "
                f"{100 * _NEAR:.0f} % of its size: motion generation ignores most of the link. Fit "
                "it again."
            )
            yield flaw(WARNING, message, path, code="XRDF316", links=(frame,))
        elif visible.is_worth_telling:
            at_mount = (
                " Spheres of the base stay above the mounting plane." if plane is not None else ""
            )
            message = (
                f"{frame!r}: {visible.text('its visible surface')}.{at_mount} If that matters, fit "
                "it to its "
                "visual geometry."
            )
            yield flaw(INFO, message, path, code="XRDF317", links=(frame,))


@dataclass(frozen=True, slots=True)
class _OpenParts:
    """Shares (0..1) of a link's surfaces well outside its spheres, and what is uncovered of the
    visible surface."""

    of_visual: float
    of_link: float
    visible: Uncovered


def _open_parts(
    c: CheckContext,
    store: MeshStore,
    link: Link,
    spheres: tuple[CollisionSphere, ...],
    plane: LinkPlane | None,
) -> _OpenParts:
    def compute() -> _OpenParts:
        c.tick(-1.0, f"Coverage of {link.name}")
        rows = rows_of(spheres)
        visual = merge_parts(link_geometry(c.urdf, c.urdf_path, link, "visual", store=store).parts)
        collision = merge_parts(
            link_geometry(c.urdf, c.urdf_path, link, "collision", store=store).parts
        )
        shares = [(_bare(surface, rows, plane), surface) for surface in (visual, collision)]
        # Spheres that cover what is seen, or what collides, stand for the link: the two may lie
        # apart.
        of_link = min((share for share, (_, faces) in shares if len(faces)), default=0.0)
        visible = uncovered(visual, rows, collision if len(collision[1]) else visual)
        return _OpenParts(shares[0][0], of_link, visible)

    return c.memory.recall(
        "open parts", (link, spheres, repr(plane), c.urdf_path, c.mappings), compute
    )


def _seen(c: CheckContext) -> frozenset[str]:
    """Links that spheres are fitted to the visible shape of, which then stands on the plane."""
    frames = c.xrdf.spheres_of(c.xrdf.world_group or c.xrdf.self_group)
    parts = (c.urdf.links, c.urdf_path, c.mappings, repr(sorted(frames)))
    return c.memory.recall(
        "seen", parts, lambda: find_partial_robot_links(c.robot, c.urdf_path, c.mappings, frames)
    )


def _mount(c: CheckContext, store: MeshStore, seen: frozenset[str]) -> Mount | None:
    parts = (c.urdf, c.urdf_path, c.mappings, repr(sorted(seen)))
    return c.memory.recall("mount", parts, lambda: mount_of_files(c.urdf, store, seen))


def rows_of(spheres: Iterable[CollisionSphere]) -> NDArray[np.float64]:
    """(n, 4) centres and radii in metres of the spheres that take room."""
    return np.array([(*s.center, s.radius) for s in spheres if s.radius > 0]).reshape(-1, 4)


def _bare(surface: tuple[F64, I32], rows: F64, plane: LinkPlane | None) -> float:
    """Share (0..1) of a surface that lies well outside the spheres; 0 without a surface."""
    if not len(surface[1]):
        return 0.0
    points = spread_points(*surface, _POINTS)
    bare = gaps_to_spheres(points, rows) > _NEAR * float(np.linalg.norm(np.ptp(points, axis=0)))
    if plane is not None:
        # Next to the plane that it stands on, spheres that stay above it cannot cover a link.
        bare &= (points - plane.point) @ plane.normal > rows[:, 3].max()
    return float(bare.mean())


#: Metres that a sphere may reach below the plane: less is rounding.
_ALLOWED = 1e-4
_SMALLEST = 1e-3
#: Points of the surface that tell what the spheres cover.
_MOUNT_POINTS = 1000


@rule(
    "XRDF313",
    "Spheres of the base reach below the mounting plane",
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
    mount = _mount(c, store, _seen(c))
    for plane in mount.planes if mount is not None else ():
        spheres = collision_group.spheres.get(plane.link, ())
        normal, point = np.array(plane.normal), np.array(plane.point)
        heights = [float((np.array(s.center) - point) @ normal) for s in spheres]
        radii = [c.xrdf.world_radius(plane.link, s) for s in spheres]
        low = [
            i for i, s in enumerate(spheres) if s.radius > 0 and heights[i] - radii[i] < -_ALLOWED
        ]
        if not low:
            continue
        deepest = max(radii[i] - heights[i] for i in low)
        share = (
            f"{len(low)} of the {len(spheres)} spheres" if len(spheres) > 1 else "The one sphere"
        )
        link = c.urdf.link(plane.link)
        kept = _clipped(spheres, heights, radii)
        before, after = (_covered(c, store, link, each) for each in (spheres, kept))
        message = (
            f"{share} of {plane.link!r} {'reaches' if len(low) == 1 else 'reach'} below the "
            "mounting plane, up "
            f"to {deepest * 1000:.1f} mm: a table there is always in collision. Fit it again above "
            "the mounting "
            "plane."
        )
        refs = tuple(SphereRef(collision_group.name, plane.link, i) for i in low)
        label = (
            f"Shrink the spheres of {plane.link} to the mounting plane (coverage "
            f"{format_percent(before)}, then "
            f"{format_percent(after)})"
        )
        option = commands.ReplaceSpheres(
            collision_group.name, FrozenDict({plane.link: kept}), label
        )
        path = (_SECTION, collision_group.name, "spheres", plane.link)
        yield flaw(WARNING, message, path, links=(plane.link,), spheres=refs, fixes=(option,))


def _covered(
    c: CheckContext, store: MeshStore, link: Link | None, spheres: tuple[CollisionSphere, ...]
) -> float:
    """Share (0..1) of the surface of a link that lies inside its spheres."""
    if link is None:
        return 0.0
    shapes = (
        link_geometry(c.urdf, c.urdf_path, link, kind, store=store)
        for kind in ("collision", "visual")
    )
    surface = next((merge_parts(each.parts) for each in shapes if each.triangles), None)
    if surface is None:
        return 0.0
    return float(
        (gaps_to_spheres(spread_points(*surface, _MOUNT_POINTS), rows_of(spheres)) <= 0.0).mean()
    )


def _clipped(
    spheres: tuple[CollisionSphere, ...], heights: list[float], radii: list[float]
) -> tuple[CollisionSphere, ...]:
    """The spheres with radii that end at the plane; what would be smaller than a millimetre
    goes."""
    kept = []
    for sphere, height, radius in zip(spheres, heights, radii, strict=True):
        over = radius - height
        if sphere.radius <= 0 or over <= _ALLOWED:
            kept.append(sphere)
        elif sphere.radius - over >= _SMALLEST:
            kept.append(
                CollisionSphere(sphere.center, float(np.floor((sphere.radius - over) * 1e6) / 1e6))
            )
    return tuple(kept)
