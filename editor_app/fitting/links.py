"""What goes into and comes out of the fit of a robot's links. Importing this loads nothing compiled."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from editor_app.fitting.alike import IDENTITY, Placement, Shape, placement
from editor_app.fitting.settings import FitSettings

if TYPE_CHECKING:
    from editor_app.fitting.fit import FitResult


@dataclass(frozen=True, eq=False)
class LinkMesh:
    """A link's geometry in the link's frame: vertices (n,3) metres, faces (m,3).

    ``copies``: of a mesh that stands for several links, where it lies in the frame of each; see ``distinct``.
    """

    link: str
    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]
    copies: tuple[Placement, ...] = ()


@dataclass(frozen=True, eq=False)
class LinkJob:
    """One fit, for all links that share this mesh. Picklable: hand it to ``run_job`` in any process.

    ``copies``: where the mesh lies in the frame of each of the links; empty: as it is in all of them.
    """

    links: tuple[str, ...]
    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]
    settings: FitSettings
    copies: tuple[Placement, ...] = ()

    @classmethod
    def of_group(cls, links: tuple[str, ...], mesh: LinkMesh, settings: FitSettings) -> LinkJob:
        """The job for a group that ``distinct`` found."""
        return cls(links, mesh.vertices, mesh.faces, settings, mesh.copies)


@dataclass(frozen=True, eq=False)
class LinkFit:
    """Result for one link; ``result.solid`` is left out, so that it travels between processes cheaply."""

    link: str
    result: FitResult
    shared_with: tuple[str, ...] = ()


def mesh_digest(mesh: LinkMesh) -> str:
    """Equal for equal geometry in the links' frames (to a micrometre)."""
    rounded = np.round(np.asarray(mesh.vertices, float), 6) + 0.0
    digest = hashlib.sha256(rounded.tobytes())
    digest.update(np.ascontiguousarray(mesh.faces, np.int64).tobytes())
    return digest.hexdigest()


def distinct(meshes: Sequence[LinkMesh]) -> list[tuple[tuple[str, ...], LinkMesh]]:
    """Links grouped by the same geometry, placed elsewhere or mirrored too, in order of first appearance.

    The mesh of a group is that of its first link; its ``copies`` say where it lies in the frame of each link.
    """
    places: dict[str, tuple[int, Placement]] = {}
    groups: list[tuple[LinkMesh, Shape, list[str], list[Placement]]] = []
    for mesh in meshes:
        key = mesh_digest(mesh)
        if key not in places:
            shape = Shape(mesh.vertices, mesh.faces)
            for k, (_, known, _, _) in enumerate(groups):
                found = placement(known, shape)
                if found is not None:
                    places[key] = k, found
                    break
            else:
                places[key] = len(groups), IDENTITY
                groups.append((mesh, shape, [], []))
        k, place = places[key]
        groups[k][2].append(mesh.link)
        groups[k][3].append(place)
    return [(tuple(links), replace(mesh, copies=tuple(copies))) for mesh, _, links, copies in groups]


def largest_first(jobs: Sequence[LinkJob]) -> list[LinkJob]:
    """Jobs by falling cost, so that several workers finish together."""
    return sorted(jobs, key=lambda job: -(len(job.faces) + 1500 * (job.settings.number or 16)))
