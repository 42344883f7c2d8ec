"""How good the spheres of a link are, as plain numbers: measured as a job, and kept on disk for the
next opening.

Nothing of the fitting engine is needed to hold or to show them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.cache import digest, load_entry, store_entry
from editor_app.core.space.geometry.uncovered import Uncovered
from editor_app.core.tasks.task import TaskReporter
from editor_app.features.spheres import engine as fitting
from editor_app.features.spheres.engine import fit
from editor_app.features.spheres.engine.links import LinkMesh, mesh_digest
from editor_app.features.spheres.engine.results import Certificate, Quality
from editor_app.features.spheres.engine.settings import FittingError
from editor_app.features.spheres.verbs.link_fits import prepare_solid, stack_spheres


@dataclass(frozen=True, slots=True)
class Proof:
    """The verdict of the certificate (above the surface that clip planes cost), and its
    sentence."""

    certified: bool
    text: str

    @property
    def holds(self) -> bool:
        """`Certificate.holds` of the figures."""
        return self.certified


@dataclass(frozen=True)
class LinkFigures(Quality):
    """Figures of the spheres of one link; `note`: why there are none (then all are 0).

    `visible`: what can be seen outside the spheres, of a link whose figures are of its collision
    shapes.
    """

    proof: Proof | None = None
    note: str = ""
    visible: Uncovered | None = None

    @classmethod
    def of(
        cls, quality: Quality, certificate: Certificate | None, visible: Uncovered | None = None
    ) -> LinkFigures:
        proof = Proof(certificate.holds, certificate.text) if certificate is not None else None
        return cls(**vars(quality), proof=proof, visible=visible)

    def as_dict(self) -> dict[str, object]:
        """Plain values for JSON, without cuRobo's."""
        return {name: value for name, value in asdict(self).items() if name != "curobo"}


def figures_of(mesh: LinkMesh, spheres: F64) -> LinkFigures:
    """The figures of spheres (n, 4), by the names of cuRobo's report, too."""
    try:
        solid = prepare_solid(mesh)
    except FittingError as why:
        return LinkFigures(len(spheres), note=str(why) or "The mesh has no surface.")
    measured = fit.measure(solid, spheres)
    proof = fit.certify_solid(solid, spheres, mesh.clip_planes) if len(spheres) else None
    return LinkFigures.of(measured, proof, mesh.uncovered_sight(spheres))


def measure_spheres(reporter: TaskReporter, mesh: LinkMesh, spheres: F64) -> None:
    """A job: what `figures_of` gives, as a partial result."""
    reporter.partial(figures_of(mesh, spheres))


def key_of(mesh: LinkMesh, spheres: tuple[CollisionSphere, ...]) -> str:
    """Equal for equal geometry and planes, equal spheres, and the same engine."""
    planes = (
        repr([(plane.point, plane.normal) for plane in mesh.clip_planes]).encode()
        if mesh.clip_planes
        else b""
    )
    seen = (
        b""
        if mesh.visible is None
        else b"".join(np.ascontiguousarray(array).tobytes() for array in mesh.visible)
    )
    return "figures-" + digest(
        _engine().encode(),
        mesh_digest(mesh).encode(),
        stack_spheres(spheres).tobytes(),
        planes,
        seen,
    )


@functools.cache
def _engine() -> str:
    """Of the text of the engine: what another version of it has measured is no figure of this
    one."""
    folder = Path(str(fitting.__file__)).parent
    try:
        return digest(*(path.read_bytes() for path in sorted(folder.glob("*.py"))))
    except OSError:
        return "unknown"


def kept(key: str) -> LinkFigures | None:
    """Figures that were measured before, from disk."""
    entry = load_entry(key)
    try:
        return _read(entry[0]) if entry is not None else None
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return None


def keep(key: str, figures: LinkFigures) -> None:
    """For the next opening; does nothing when the folder cannot be written."""
    store_entry(key, figures.as_dict(), {})


def _read(info: Mapping[str, Any]) -> LinkFigures:
    proof = info["proof"]
    values = {
        f.name: info[f.name]
        for f in fields(LinkFigures)
        if f.name not in ("proof", "curobo", "visible")
    }
    if not all(isinstance(v, int | float | None) for name, v in values.items() if name != "note"):
        raise ValueError(values)
    link_proof = Proof(bool(proof["certified"]), str(proof["text"])) if proof is not None else None
    visible = info["visible"]
    if visible is not None:
        spot = visible["spot"]
        place = None if spot is None else (float(spot[0]), float(spot[1]), float(spot[2]))
        visible = Uncovered(float(visible["share"]), float(visible["deepest"]), place)
    return LinkFigures(**values, proof=link_proof, visible=visible)


def find_figures(
    reporter: TaskReporter, items: tuple[tuple[LinkMesh, tuple[CollisionSphere, ...]], ...]
) -> dict[str, LinkFigures]:
    """{link: LinkFigures} of those that are kept on disk. Quick; meant for a thread."""
    by_link = {}
    for number, (mesh, spheres) in enumerate(items):
        if reporter.cancelled():
            break
        reporter.progress(number / len(items), mesh.link)
        figures = kept(key_of(mesh, spheres))
        if figures is not None:
            by_link[mesh.link] = figures
    return by_link


def measure_figures(mesh: LinkMesh, spheres: tuple[CollisionSphere, ...]) -> LinkFigures:
    """Gives the LinkFigures of the spheres of one link, and keeps them on disk."""
    figures = replace(figures_of(mesh, stack_spheres(spheres)), curobo=None)
    keep(key_of(mesh, spheres), figures)
    return figures
