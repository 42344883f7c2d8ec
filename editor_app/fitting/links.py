"""What goes into and comes out of the fit of a robot's links. Importing this loads nothing compiled."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from editor_app.fitting.settings import FitSettings

if TYPE_CHECKING:
    from editor_app.fitting.fit import FitResult


@dataclass(frozen=True, eq=False)
class LinkMesh:
    """A link's geometry in the link's frame: vertices (n,3) metres, faces (m,3)."""

    link: str
    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LinkJob:
    """One fit, for all links that share this mesh. Picklable: hand it to ``run_job`` in any process."""

    links: tuple[str, ...]
    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]
    settings: FitSettings


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
    """Links grouped by equal geometry in their own frame, in order of first appearance."""
    groups: dict[str, tuple[list[str], LinkMesh]] = {}
    for mesh in meshes:
        groups.setdefault(mesh_digest(mesh), ([], mesh))[0].append(mesh.link)
    return [(tuple(links), mesh) for links, mesh in groups.values()]


def largest_first(jobs: Sequence[LinkJob]) -> list[LinkJob]:
    """Jobs by falling cost, so that several workers finish together."""
    return sorted(jobs, key=lambda job: -(len(job.faces) + 1500 * (job.settings.number or 16)))
