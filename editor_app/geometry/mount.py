"""The plane that a robot is mounted on, from the lowest face of the link at its base."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from editor_app.arrays import F64, I32
from editor_app.drafting.bodies import BodyTree
from editor_app.drafting.roles import recognise
from editor_app.drafting.standing import hangs, is_mounted
from editor_app.geometry.link_geometry import MeshStore, link_geometry
from editor_app.geometry.mesh import merged
from editor_app.model.origin import Vector3
from editor_app.model.urdf import Urdf

#: (vertices (n, 3), faces (m, 3)) of a link in its frame; None when it has none.
Triangles = tuple[F64, I32]
LinkMeshes = Callable[[str], Triangles | None]

#: Links of the base that end within this of its lowest point stand on the plane (metres).
_STANDING = 0.02


@dataclass(frozen=True, slots=True)
class LinkPlane:
    """A plane in the frame of a link (metres); `normal` points to the side where spheres may be."""

    link: str
    point: Vector3
    normal: Vector3


@dataclass(frozen=True, slots=True)
class Mount:
    """`height` (m) along z of the root's frame; `planes`: the same plane for each link that stands on it."""

    root: str
    link: str
    height: float
    planes: tuple[LinkPlane, ...]
    reason: str

    def plane(self, link: str) -> LinkPlane | None:
        """The plane in the frame of that link; None when the link does not stand on it."""
        return next((plane for plane in self.planes if plane.link == link), None)


def mount_of(urdf: Urdf, meshes: LinkMeshes) -> Mount | None:
    """The plane below the base; None for a robot that stands on wheels or legs, flies, or whose base has no shape.

    Where links of the base have collision shapes, those that are only seen (the marker of a footprint) carry nothing.
    """
    tree = BodyTree.of(urdf)
    if not tree.links:
        return None
    if not is_mounted(tree, recognise(tree)):
        return None
    lowest: dict[str, float] = {}
    members = tree.members[tree.root]
    solid = {link.name for link in urdf.links if link.name in members and link.collisions}
    for name in members:
        if solid and name not in solid:
            continue
        mesh = meshes(name)
        if mesh is not None and len(mesh[1]):
            used = mesh[0][np.unique(mesh[1])]
            upright = tree.poses[name][2]
            lowest[name] = float((used @ upright[:3]).min() + upright[3])
    if not lowest:
        return None
    height = min(lowest.values())
    if hangs(tree, height):
        return None
    standing = [name for name, low in lowest.items() if low <= height + _STANDING]
    # Digits of a mesh file are no height: what is a tenth of a millimetre from the frame's own plane lies in it.
    height = 0.0 if abs(height) < 1e-4 else height
    planes = tuple(_plane(tree.poses[name], name, height) for name in standing)
    first = min(lowest, key=lambda name: lowest[name])
    return Mount(tree.root, first, height, planes, f"the lowest face of {first}")


def mount_of_files(
    urdf: Urdf, store: MeshStore, seen: Collection[str] = (), loaded: Mapping[str, Triangles] = MappingProxyType({})
) -> Mount | None:
    """As `mount_of`, from the collision shapes of the links, or the visual ones where there are none, as of the links
    `seen`; of links that are `loaded`, from these."""

    def mesh(name: str) -> Triangles | None:
        if name in loaded:
            return loaded[name]
        for kind in ("visual", "collision") if name in seen else ("collision", "visual"):
            geometry = link_geometry(urdf, store.urdf_path, name, kind, store=store)
            if geometry.triangles:
                return merged(geometry.parts)
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
