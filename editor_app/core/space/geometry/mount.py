"""The plane that a robot is mounted on, from the lowest face of the link at its base."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from editor_app.core.arrays import F64, I32
from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.roles import recognise
from editor_app.core.drafting.standing import hangs, is_mounted
from editor_app.core.model.origin import Vector3
from editor_app.core.model.urdf import Urdf
from editor_app.core.space.geometry.link_geometry import MeshStore, link_geometry
from editor_app.core.space.geometry.mesh import merge_parts

#: (vertices (n, 3), faces (m, 3)) of a link in its frame; None when it has none.
Triangles = tuple[F64, I32]
LinkMeshes = Callable[[str], Triangles | None]

#: Links of the base that end within this of its lowest point stand on the plane (metres).
_STANDING = 0.02
#: Width of a link by its height above which it is a plate or a rail: spheres that cover it from
#: above the plane alone would be larger than the robot. The flattest base of an arm that is known,
#: of a UR5, has 7.7.
_FLAT = 8.0
#: What moves rises where it begins, or has its middle, above this share of the height of the base.
_UPPER = 0.6
#: Cosine of the angle to the vertical up to which a carriage climbs.
_UPRIGHT = 0.7
#: Share of what moves, by size, that rises from a base that stands on its lowest face.
_MOSTLY = 0.8


@dataclass(frozen=True, slots=True)
class LinkPlane:
    """A plane in the frame of a link (metres); `normal` points to the side where spheres may be."""

    link: str
    point: Vector3
    normal: Vector3


@dataclass(frozen=True, slots=True)
class Mount:
    """`height` (m) along z of the root's frame; `planes`: the same plane for each link that stands
    on it."""

    root: str
    link: str
    height: float
    planes: tuple[LinkPlane, ...]
    reason: str

    def plane(self, link: str) -> LinkPlane | None:
        """The plane in the frame of that link; None when the link does not stand on it."""
        return next((plane for plane in self.planes if plane.link == link), None)


def mount_of(urdf: Urdf, meshes: LinkMeshes) -> Mount | None:
    """Return the plane below the base; None for a robot that stands on wheels or legs, or flies, or
    whose base has no shape, and where branches do not rise above it: a hand whose fingers leave its
    palm sideways stands on no floor.

    Links that are much wider than high (plates, rails) get no plane. Where links of the base have
    collision shapes, those that are only seen (the marker of a footprint) carry nothing.
    """
    tree = BodyTree.of(urdf)
    if not tree.links:
        return None
    if not is_mounted(tree, recognise(tree)):
        return None
    members = tree.members[tree.root]
    solid = {link.name for link in urdf.links if link.name in members and link.collisions}
    corners = {name: _corners(tree, name, meshes) for name in members if name in solid or not solid}
    lowest = {name: float(points[:, 2].min()) for name, points in corners.items() if len(points)}
    if not lowest:
        return None
    height = min(lowest.values())
    if hangs(tree, height) or not _rises(tree, meshes):
        return None
    standing = [
        name
        for name, low in lowest.items()
        if low <= height + _STANDING and not _is_flat(corners[name], height)
    ]
    if not standing:
        return None
    # Digits of a mesh file are no height: what is a tenth of a millimetre from the frame's own
    # plane lies in it.
    height = 0.0 if abs(height) < 1e-4 else height
    planes = tuple(_plane(tree.poses[name], name, height) for name in standing)
    first = min(standing, key=lambda name: lowest[name])
    return Mount(tree.root, first, height, planes, f"the lowest face of {first}")


def _corners(tree: BodyTree, link: str, meshes: LinkMeshes) -> F64:
    """Corners (n, 3) of the triangles of a link in the frame of the root."""
    mesh = meshes(link)
    if mesh is None or not len(mesh[1]):
        return np.zeros((0, 3))
    pose = tree.poses[link]
    return np.asarray(mesh[0][np.unique(mesh[1])] @ pose[:3, :3].T + pose[:3, 3])


def _is_flat(points: F64, height: float) -> bool:
    size = np.ptp(points, axis=0)
    return bool(max(size[0], size[1]) > _FLAT * (points[:, 2].max() - height))


@np.errstate(over="ignore", invalid="ignore")
def _rises(tree: BodyTree, meshes: LinkMeshes) -> bool:
    """Whether most of what moves leaves the upper part of the base, or of the link that carries it;
    not the side."""
    branches = tree.branches(tree.root)
    if [joint.type for joint in branches] == ["prismatic"]:
        axis = tree.poses[branches[0].child][2, :3] @ np.array(branches[0].axis)
        if abs(axis) > _UPRIGHT * np.linalg.norm(branches[0].axis):
            # A carriage on a column begins wherever its zero is.
            return True
    base = np.concatenate([_corners(tree, name, meshes) for name in tree.members[tree.root]])
    rising = total = 0.0
    for joint in branches:
        every = (_corners(tree, name, meshes) for name in tree.subtree(joint.child))
        points = [each for each in every if len(each)]
        place = np.array(tree.places[joint.child])
        # By boxes: how finely a link is meshed says nothing.
        middles = [float(each[:, 2].min() + each[:, 2].max()) / 2 for each in points] or [
            float(place[2])
        ]
        sizes = [float(np.linalg.norm(np.ptp(each, axis=0))) for each in points] or [1e-9]
        height = max(float(place[2]), float(np.average(middles, weights=sizes)))
        total += sum(sizes)
        for carrier in (base, _carrier(tree, joint.parent, meshes)):
            low, high = carrier.min(axis=0), carrier.max(axis=0)
            leaves_at_side = bool(((place < low) | (place > high))[:2].any()) and place[2] < high[2]
            if height >= low[2] + _UPPER * (high - low)[2] and not leaves_at_side:
                rising += sum(sizes)
                break
    return rising >= _MOSTLY * total


def _carrier(tree: BodyTree, link: str, meshes: LinkMeshes) -> F64:
    """Corners (n, 3) of a link of the base, or of the nearest one above it that has a shape."""
    points = _corners(tree, link, meshes)
    while not len(points) and link != tree.root:
        link = tree.above[link].parent
        points = _corners(tree, link, meshes)
    return points if len(points) else np.array([tree.places[link]])


def mount_of_files(
    urdf: Urdf,
    store: MeshStore,
    seen: Collection[str] = (),
    loaded: Mapping[str, Triangles] = MappingProxyType({}),
) -> Mount | None:
    """Find the mount by `mount_of`, from the collision shapes of the links, or the visual ones
    where there are none, as of the links `seen`; of links that are `loaded`, from these."""

    def mesh(name: str) -> Triangles | None:
        if name in loaded:
            return loaded[name]
        for kind in ("visual", "collision") if name in seen else ("collision", "visual"):
            geometry = link_geometry(urdf, store.urdf_path, name, kind, store=store)
            if geometry.triangles:
                return merge_parts(geometry.parts)
        return None

    return mount_of(urdf, mesh)


def _plane(frame: F64, link: str, height: float) -> LinkPlane:
    normal = frame[2, :3]
    # Its foot below the frame's origin: z of the root is `height` there.
    point = (height - frame[2, 3]) * normal
    return LinkPlane(link, _triple(point), _triple(normal))


def _triple(values: F64) -> Vector3:
    x, y, z = (round(float(value), 9) + 0.0 for value in values)
    return x, y, z
