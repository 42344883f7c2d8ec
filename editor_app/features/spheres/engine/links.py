"""Inputs and results of a fit of a robot's links. Importing this loads nothing compiled."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from editor_app.core.arrays import F64, I32
from editor_app.core.space.geometry.mesh import MeshPart, merge_parts, spread_mesh_points
from editor_app.core.space.geometry.uncovered import Uncovered, uncovered
from editor_app.features.spheres.engine.alike import IDENTITY, ComparedMesh, find_placement
from editor_app.features.spheres.engine.results import FitResult, Placement
from editor_app.features.spheres.engine.settings import FitSettings, Plane, SphereTuple


@dataclass(frozen=True, eq=False)
class LinkMesh:
    """A link's geometry in the link's frame: vertices (n,3) metres, faces (m,3).

    ``copies``: of a mesh that stands for several links, where it lies in the frame of each; see
    ``distinct``. ``clip_planes``: no sphere of this link reaches behind one of them. ``locked``:
    spheres x, y, z, r that the link keeps, which a fit works around. ``mirror``: fitted spheres are
    symmetric about it. ``weight``: how much the link counts when a budget is shared out. ``twin``:
    of two meshes laid over each other, how many links and faces are the first one's. ``balls``,
    ``crowd``: as of ``FitSettings``. ``visible``: what is seen of the link (vertices, faces), where
    the mesh is of its collision shapes.
    """

    link: str
    vertices: F64
    faces: I32
    copies: tuple[Placement, ...] = ()
    clip_planes: tuple[Plane, ...] = ()
    weight: float = 1.0
    twin: tuple[int, int] | None = None
    locked: tuple[SphereTuple, ...] = ()
    mirror: Plane | None = None
    balls: tuple[SphereTuple, ...] = ()
    crowd: tuple[SphereTuple, ...] = ()
    visible: tuple[F64, I32] | None = None

    @classmethod
    def of_parts(
        cls, link: str, parts: Sequence[MeshPart], seen: Sequence[MeshPart] = ()
    ) -> LinkMesh:
        """The mesh of shapes in the link's frame; `seen`: its visual shapes, where these are
        others."""
        balls = tuple(part.ball for part in parts if part.ball is not None)
        return cls(
            link, *merge_parts(parts), balls=balls, visible=merge_parts(seen) if seen else None
        )

    def uncovered_sight(self, spheres: F64) -> Uncovered | None:
        """Measure the visible part of the link outside spheres (n, 4); None if the mesh is all that
        is visible."""
        return (
            None
            if self.visible is None
            else uncovered(self.visible, spheres, (self.vertices, self.faces))
        )

    @property
    def may_move(self) -> bool:
        """True if spheres of the link are bound by its surface alone."""
        return not (self.clip_planes or self.locked or self.mirror)

    @property
    def is_alone(self) -> bool:
        """True if the link has a fit of its own, whatever other link has the same mesh."""
        return bool(self.crowd) or not self.may_move


@dataclass(frozen=True, eq=False)
class LinkJob:
    """One fit, for all links that share this mesh; picklable.

    Without ``mesh.copies`` it lies in the frame of each link as it is.
    """

    links: tuple[str, ...]
    mesh: LinkMesh
    settings: FitSettings

    @classmethod
    def of_group(cls, links: tuple[str, ...], mesh: LinkMesh, settings: FitSettings) -> LinkJob:
        """The job for a group that ``distinct`` found."""
        settings, mesh = replace(settings, balls=mesh.balls), replace(mesh, visible=None)
        if mesh.is_alone:
            settings = replace(
                settings,
                clip_planes=(*settings.clip_planes, *mesh.clip_planes),
                locked=(*settings.locked, *mesh.locked),
                mirror=mesh.mirror or settings.mirror,
                crowd=mesh.crowd,
            )
        return cls(links, mesh, settings)


@dataclass(frozen=True, eq=False)
class LinkFit:
    """Result for one link; ``shared_with``: the links with the same mesh."""

    link: str
    result: FitResult
    shared_with: tuple[str, ...] = ()


def mesh_digest(mesh: LinkMesh) -> str:
    """Equal for equal geometry in the links' frames (to a micrometre)."""
    rounded = np.round(np.asarray(mesh.vertices, float), 6) + 0.0
    digest = hashlib.sha256(rounded.tobytes())
    digest.update(np.ascontiguousarray(mesh.faces, np.int64).tobytes())
    return digest.hexdigest()


def group_links(meshes: Sequence[LinkMesh]) -> list[tuple[tuple[str, ...], LinkMesh]]:
    """Links grouped by the same geometry, placed elsewhere or mirrored too, in order of first
    appearance.

    The mesh of a group is that of its first link; its ``copies`` say where it lies in the frame of
    each link. Meshes that nearly are mirror images (``twins``) are one group, too: its mesh is the
    first one with the other laid over it. A link with planes, locked spheres or a symmetry of its
    own stays alone. The weight of a group is the greatest of its links.
    """
    places: dict[str, tuple[int, Placement]] = {}
    groups: list[_Group] = []
    for mesh in meshes:
        if mesh.is_alone:
            groups.append(
                _Group(
                    mesh,
                    ComparedMesh(mesh.vertices, mesh.faces),
                    [mesh.link],
                    [IDENTITY],
                    mesh.weight,
                )
            )
            continue
        key = mesh_digest(mesh)
        if key not in places:
            shape = ComparedMesh(mesh.vertices, mesh.faces)
            for k, group in enumerate(groups):
                place_in_group = None if group.mesh.is_alone else find_placement(group.shape, shape)
                if place_in_group is not None:
                    places[key] = k, place_in_group
                    break
            else:
                places[key] = len(groups), IDENTITY
                groups.append(_Group(mesh, shape, [], [], mesh.weight))
        k, place = places[key]
        groups[k].links.append(mesh.link)
        groups[k].copies.append(place)
        groups[k].weight = max(groups[k].weight, mesh.weight)
    return [
        (tuple(g.links), replace(g.mesh, copies=tuple(g.copies), weight=g.weight, twin=g.twin))
        for g in _with_twins(groups)
    ]


@dataclass(eq=False)
class _Group:
    """Links that share a mesh while they are gathered."""

    mesh: LinkMesh
    shape: ComparedMesh
    links: list[str]
    copies: list[Placement]
    weight: float
    twin: tuple[int, int] | None = None


def _with_twins(groups: list[_Group]) -> list[_Group]:
    """The groups, two of nearly mirrored meshes made one."""
    kept: list[tuple[_Group, SampledSurface]] = []
    for group in groups:
        surface = SampledSurface(group.shape)
        for other, other_surface in kept:
            if other.twin or any(each.mesh.is_alone or each.mesh.balls for each in (other, group)):
                continue
            place = twin_placement(other_surface, surface)
            if place is None:
                continue
            mesh = other.mesh
            vertices, faces = laid_over(
                mesh.vertices, mesh.faces, group.mesh.vertices, group.mesh.faces, place
            )
            other.twin = len(other.links), len(mesh.faces)
            other.mesh = replace(mesh, vertices=vertices, faces=faces)
            other.links += group.links
            other.copies += [composed(place, copy) for copy in group.copies]
            other.weight = max(other.weight, group.weight)
            break
        else:
            kept.append((group, surface))
    return [group for group, _ in kept]


def largest_first(jobs: Sequence[LinkJob]) -> list[LinkJob]:
    """Jobs by falling cost, so that several workers finish together."""
    return sorted(jobs, key=lambda job: -(len(job.mesh.faces) + 1500 * (job.settings.number or 16)))


#: How far the surfaces of twins may lie apart, in diagonals; and how much area and extent may
#: differ.
_APART, _DIFFERENCE = 0.025, 0.08
#: Points on a surface that stand for it, and of them those that are measured.
_POINTS, _MEASURED = 30_000, 500


@dataclass(frozen=True, eq=False)
class SampledSurface:
    """A mesh with points that are spread evenly over it (the same ones each time)."""

    shape: ComparedMesh

    @cached_property
    def points(self) -> F64:
        return spread_mesh_points(self.shape.triangles, _POINTS)[0]

    @cached_property
    def tree(self):  # type: ignore[no-untyped-def]
        from scipy.spatial import cKDTree

        return cKDTree(self.points)


def twin_placement(first: SampledSurface, second: SampledSurface) -> Placement | None:
    """The mirroring or half turn about the axes of the frame that lays the first mesh nearly onto
    the second; or None.

    Only what keeps the frame's origin counts: left and right links hang on joints that are mirror
    images.
    """
    a, b = first.shape, second.shape
    if a.area <= 0 or b.area <= 0 or abs(a.area - b.area) > _DIFFERENCE * max(a.area, b.area):
        return None
    if np.abs(a.values - b.values).max() > _DIFFERENCE * float(a.values.sum()):
        return None
    size = max(a.size, b.size)
    best: tuple[float, Placement] | None = None
    few = slice(None, None, max(1, _POINTS // _MEASURED))
    for signs in itertools.product((1.0, -1.0), repeat=3):
        turn = np.diag(signs)
        if np.abs(turn @ a.centre - b.centre).max() > _APART * size:
            continue
        # The points themselves lie apart by as much as they are spread.
        spread = 2 * np.sqrt(max(a.area, b.area) / _POINTS)
        to_second = second.tree.query(first.points[few] @ turn.T)[0]
        to_first = first.tree.query(second.points[few] @ turn)[0]
        apart = float(max(to_second.max(), to_first.max()))
        if apart > _APART * size + spread:
            continue
        mean = float(to_second.mean() + to_first.mean())
        if best is None or mean < best[0]:
            best = mean, Placement(turn, np.zeros(3))
    return best[1] if best is not None else None


def composed(first: Placement, second: Placement) -> Placement:
    """`first`, and then `second`."""
    return Placement(
        second.turn @ first.turn,
        second.turn @ first.shift + second.shift,
        first.error + second.error,
    )


def laid_over(
    vertices: F64, faces: I32, more: F64, others: I32, place: Placement
) -> tuple[F64, I32]:
    """One mesh of a mesh and its twin `more`, `others`, which is moved back by `place` (first to
    second)."""
    back = (np.asarray(more, float) - place.shift) @ place.turn
    turned = np.asarray(others)
    if place.mirrored:
        turned = turned[:, ::-1]
    both = np.vstack([np.asarray(vertices, float), back])
    return both, np.vstack([np.asarray(faces), turned + len(vertices)]).astype(np.int32)
