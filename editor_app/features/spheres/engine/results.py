"""Results of fits, measurements, proofs and comparisons of meshes. Importing this loads nothing
compiled."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64
from editor_app.core.model.counting import Share


@dataclass(frozen=True, eq=False)
class Placement:
    """``x -> turn @ x + shift`` takes one mesh to the other; a mirror image when the determinant of
    ``turn`` is -1.

    error: greatest distance (m) that is left between vertices.
    """

    turn: F64
    shift: F64
    error: float = 0.0

    @property
    def is_identity(self) -> bool:
        return bool((self.turn == np.eye(3)).all() and (self.shift == 0).all())

    @property
    def mirrored(self) -> bool:
        return bool(np.linalg.det(self.turn) < 0)

    def points(self, points: npt.ArrayLike) -> F64:
        """Points (n,3) of the first mesh where they are in the second."""
        return np.asarray(np.asarray(points, float).reshape(-1, 3) @ self.turn.T + self.shift + 0.0)

    def spheres(self, spheres: npt.ArrayLike) -> F64:
        """Spheres (n,4) of the first mesh where they are in the second."""
        s = np.asarray(spheres, float).reshape(-1, 4)
        return np.column_stack([self.points(s[:, :3]), s[:, 3]])


@dataclass(frozen=True)
class CuroboReport:
    """cuRobo's ``SphereFitMetrics`` (curobo/sphere_fit): same names, same meaning, metres and
    shares in 0..1.

    Differences: what cuRobo samples at random is sampled deterministically here, and inside means
    inside the outer solid (cuRobo falls back to the convex hull or the bounding box for meshes that
    are not watertight). coverage: share of interior points inside a sphere. protrusion: share of
    the points of all spheres' surfaces, hidden ones too, that lie outside the mesh;
    protrusion_dist_*: their distances. surface_gap_*, max_uncovered_gap: distance from mesh surface
    to the nearest sphere surface, 0 where covered. volume_ratio: sum of the spheres' volumes
    (overlap counted twice) by the volume of the mesh. Shares of the volume are None for a surface
    without an inside.
    """

    num_spheres: int
    coverage: float | None
    protrusion: float
    protrusion_dist_mean: float
    protrusion_dist_p95: float
    surface_gap_mean: float
    surface_gap_p95: float
    max_uncovered_gap: float
    volume_ratio: float | None


@dataclass(frozen=True)
class Quality:
    """Figures of a set of spheres against the outer solid. Lengths in metres, volumes in m³, shares
    in 0..1.

    surface_coverage, volume_coverage: share of the outer surface and of the volume inside the
    union. protrusion_mean, protrusion_max: how far the exposed surface of the union stands out
    (mean over all of it; the farthest point that was measured). protrusion_bound: proven, no point
    of the spheres is farther outside; None where that was not asked. uncovered_mean, uncovered_max:
    distance of the outer surface to the union (0 where covered). excess_volume: volume of the union
    outside the solid; excess_ratio: the same by the volume of the solid. A surface without an
    inside has no volume: volume_coverage, excess_volume and excess_ratio are None. curobo: None
    where that was not asked.
    """

    count: int
    surface_coverage: float = 0.0
    volume_coverage: float | None = 0.0
    protrusion_mean: float = 0.0
    protrusion_max: float = 0.0
    uncovered_mean: float = 0.0
    uncovered_max: float = 0.0
    excess_volume: float | None = 0.0
    excess_ratio: float | None = 0.0
    solid_volume: float = 0.0
    diagonal: float = 0.0
    curobo: CuroboReport | None = None
    protrusion_bound: float | None = None

    @property
    def protrusion_at_most(self) -> float:
        """The proven bound of the protrusion (m), or the measured maximum where no bound was
        asked."""
        return self.protrusion_max if self.protrusion_bound is None else self.protrusion_bound

    def as_dict(self) -> dict[str, object]:
        """Plain numbers for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One fit of the curve: number asked for, spheres (n,4) and their figures."""

    number: int
    spheres: F64
    quality: Quality


@dataclass(frozen=True)
class Certificate:
    """Outcome of the proof.

    certified: every required triangle is covered (not merely sampled). triangles: how many were
    required; hidden: how many were not, because they lie enclosed in the solid. open_triangles: how
    many could not be shown covered; open_spot: the point (x, y, z) in metres of the deepest open
    place; open_depth: its distance (m) to the nearest sphere, 0 when it is covered but the proof
    did not resolve it. band_m: where clip planes cost some of the surface, the height (m) above
    them from which on everything is proven covered, else 0; given_up: share of the surface that is
    open, all below that height.
    """

    certified: bool
    triangles: int
    hidden: int
    open_triangles: int
    open_spot: tuple[float, float, float] | None
    open_depth: float
    band_m: float = 0.0
    given_up: float = 0.0

    @property
    def holds(self) -> bool:
        """True if everything that can be asked for is proven: all triangles, or all above what clip
        planes cost."""
        return self.certified or self.band_m > 0

    @property
    def text(self) -> str:
        """One sentence for people."""
        if self.certified:
            rest = f"; {self.hidden} more are enclosed inside" if self.hidden else ""
            return f"Certified: all {self.triangles} triangles are covered{rest}."
        if self.band_m > 0:
            return (
                f"{given_up_text(self.given_up)} Certified above {1000 * self.band_m:.0f} mm from "
                "the plane."
            )
        if self.open_spot is None:
            return "Not certified: the mesh has no triangles."
        x, y, z = self.open_spot
        return (
            f"Not certified: {self.open_triangles} of {self.triangles} triangles are not covered, "
            "deepest at "
            f"({x:.4f}, {y:.4f}, {z:.4f}) by {1000 * self.open_depth:.2f} mm."
        )


def given_up_text(share: float) -> str:
    """Return a sentence about the share of the surface that clip planes leave uncovered."""
    return (
        f"{100 * share:.1f} % of the surface, on and next to the mounting or clip plane, is "
        "uncovered."
    )


@dataclass(frozen=True, eq=False)
class FitResult:
    """The result of a fit. ``spheres`` (n,4): x, y, z, r in metres in the mesh's frame, locked ones
    not included.

    quality and certificate judge the fitted and the locked spheres together. ``notes``: what was
    filled, closed, simplified, skipped or could not be kept. ``given_up``: share of the whole
    surface that is open because of clip planes, the face that lies in a plane counted, too.
    """

    spheres: F64
    quality: Quality | None
    notes: tuple[str, ...]
    certificate: Certificate | None
    cpu_seconds: float
    wall_seconds: float
    given_up: float = 0.0


@dataclass(frozen=True, slots=True)
class Refusals:
    """Shares of free configurations that are refused needlessly, and of touching ones that are
    accepted wrongly."""

    needless: Share
    wrong: Share
