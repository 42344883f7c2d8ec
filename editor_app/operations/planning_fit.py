"""Spheres are spent, and tight, where links pass each other, until few free configurations are refused.

Judged are the configurations that self-collision would refuse although no meshes touch, with the self-collision buffers
that the spheres allow. Links that are to blame get more spheres, which stand out less where they are blamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from editor_app.edit.commands import SetFittedSpheres
from editor_app.edit.document import Document
from editor_app.model.counting import percent
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.scene import EMPTY_SCENE
from editor_app.motion.crowds import crowds
from editor_app.motion.mesh_motion import MeshMotion
from editor_app.motion.model import MotionModel
from editor_app.motion.self_buffers import Thresholds
from editor_app.motion.verdicts import random_values
from editor_app.operations.collide import Geometry, mesh_motion, motion_model_of
from editor_app.operations.fit import RobotFit, fit_meshes
from editor_app.operations.link_fits import as_spheres
from editor_app.operations.mask_changes import MaskFile
from editor_app.operations.pair_distances import NothingToCompare
from editor_app.operations.work import Cancel, Progress, Refused, never, silent
from editor_app.self_collision.types import F64

#: Of the free configurations, the share that may be refused needlessly.
GOAL = 0.03
#: Configurations that the rounds look at.
SAMPLES = 8_000
#: Rounds at most, and how many more spheres a link gets in one that is to blame for much.
_ROUNDS, _MORE = 4, 1.6
#: A link with this share of the free configurations refused is to blame; with this share of the most, for much.
_BLAMED, _BLAMED_MUCH = 0.005, 0.3
#: Spheres in all, as a multiple of the first fit's.
_MOST = 1.8


@dataclass(frozen=True, slots=True)
class _State:
    """A fit, its spheres, the buffers that they allow (frame -> metres less), the share that they refuse needlessly."""

    fit: RobotFit
    model: MotionModel
    shrink: Mapping[str, float]
    needless: float


def fit_for_planning(
    document: Document,
    fitted: RobotFit,
    *,
    seed: int = 0,
    samples: int = SAMPLES,
    processes: int | None = 1,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> RobotFit:
    """`fitted`, or a fit that refuses fewer free configurations; the document, which has the spheres of `fitted`
    already, is left as it is. Coverage is asked for and proven as before.

    A robot whose meshes cannot be compared keeps `fitted`. Raises FittingError, Cancelled.
    """
    seen = {each.link for each in fitted.links if each.geometry == "visual" and each.bare > 0.0}
    try:
        meshes = mesh_motion(
            document.robot, EMPTY_SCENE, Geometry.MESHES, document.urdf_path, document.packages, [], MaskFile.XRDF, seen
        )
        model = motion_model_of(document.robot, EMPTY_SCENE, MaskFile.XRDF)
    except (NothingToCompare, Refused, ImportError):
        return fitted
    values = random_values(model, samples, seed)
    thresholds = Thresholds.of(model, meshes, values)
    free = values[~thresholds.collides]
    best = _judged(fitted, document.robot, meshes, thresholds)
    limit = int(_MOST * sum(len(each.spheres) for each in fitted.links))
    for turn in range(_ROUNDS):
        blamed = _to_blame(best, free, thresholds)
        if best.needless <= GOAL or not blamed:
            break
        progress(turn / _ROUNDS, f"Spheres refuse {percent(best.needless)} of what is free: fitting tighter")
        again = best.fit
        for blame in blamed:
            again = _fitted_again(again, blame, limit, seed + turn, processes, cancel)
        robot = SetFittedSpheres(again.group, FrozenDict(again.spheres), "").apply(document.robot)
        best = min(best, _judged(again, robot, meshes, thresholds), key=lambda state: state.needless)
    progress(1.0, "Done")
    return best.fit


@dataclass(frozen=True, slots=True)
class _Blame:
    """A link, in how many free configurations its spheres overlap others, where (k, 4), and whether it gets more."""

    name: str
    count: int
    places: F64
    gets_more: bool


def _judged(fitted: RobotFit, robot: RobotDescription, meshes: MeshMotion, thresholds: Thresholds) -> _State:
    model = motion_model_of(robot, EMPTY_SCENE, MaskFile.XRDF)
    shrink, _ = thresholds.shrink(model, meshes, search=False)
    return _State(fitted, model, shrink, thresholds.needless(model, shrink))


def _to_blame(state: _State, free: F64, thresholds: Thresholds) -> list[_Blame]:
    """The links that are to blame, for most first."""
    places, counts = crowds(state.model, free, thresholds.rows_of(state.model), state.shrink)
    fitted = {each.link for each in state.fit.links}
    most = max(_BLAMED * len(free), _BLAMED_MUCH * max(counts.values(), default=0))
    blamed = [_Blame(k, n, places[k], n >= most) for k, n in counts.items() if k in fitted and n > _BLAMED * len(free)]
    return sorted(blamed, key=lambda each: (-each.count, each.name))


def _fitted_again(
    fitted: RobotFit, blame: _Blame, limit: int, seed: int, processes: int | None, cancel: Cancel
) -> RobotFit:
    """The fit with one link fitted anew, with more spheres as long as there are fewer than `limit` in all."""
    link = next(each for each in fitted.links if each.link == blame.name)
    number = len(link.result.spheres)
    spare = limit - sum(len(each.spheres) for each in fitted.links)
    if blame.gets_more:
        number += max(0, min(round((_MORE - 1.0) * number) + 2, spare))
    crowd = tuple((x, y, z, w) for x, y, z, w in blame.places.tolist())
    settings = replace(fitted.settings, number=number, tolerance_m=None, seed=seed)
    mesh = replace(link.mesh, copies=(), twin=None, crowd=crowd)
    (again,) = fit_meshes([mesh], settings, processes=processes, cancel=cancel)
    kept = link.spheres[: max(0, len(link.spheres) - len(link.result.spheres))]
    spheres = (*kept, *as_spheres(again.result.spheres, settings.mode))
    changed = replace(link, spheres=spheres, result=again.result, shared_with=())
    return replace(fitted, links=tuple(changed if each is link else each for each in fitted.links))
