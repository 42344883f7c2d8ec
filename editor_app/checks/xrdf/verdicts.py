"""XRDF514 to 516: spheres and mask against the meshes: refused needlessly, accepted wrongly, closed passages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import INFO, WARNING, flaw, rule
from editor_app.checks.xrdf.sampled import ById, usable
from editor_app.model.findings import Finding
from editor_app.model.frozen import FrozenDict
from editor_app.model.scene import EMPTY_SCENE
from editor_app.motion import warmup
from editor_app.motion.mesh_motion import MeshMotion
from editor_app.motion.model import build_motion_model
from editor_app.motion.passages import Passages, passages_of
from editor_app.motion.verdicts import MUCH_NEEDLESS, ModelCost, compare
from editor_app.self_collision.meshes import (
    MeshModel,
    collision_meshes,
    meshes_available,
    partial_links,
    visible_meshes,
)

_SECTION = "self_collision"
_INPUTS = "self_collision geometry defaults cspace urdf modifiers urdf_path mappings"
#: Configurations that are compared; many links take longer.
_SAMPLES = 5000
#: Share of the free configurations above which it is worth a word that spheres refuse them.
_NEEDLESS = 0.05
#: Share of the configurations in which meshes touch above which it is said that they are let through.
_WRONG = 0.001
#: Fewer configurations say nothing of a share.
_FEW = 3
_REMEDY = "Fit both links tighter (Fit tighter for planning, fit --for planning), or in mode balanced"


@lru_cache(maxsize=1)
def _verdicts(
    robot: ById, urdf_path: Path | None, mappings: FrozenDict[str, Path]
) -> tuple[ModelCost, Passages] | None:
    """None without meshes, or without pairs of frames with spheres."""
    description = robot.robot
    model = build_motion_model(description)
    if not model.row_count or not len(model.variables) or not meshes_available():
        return None
    seen = partial_links(description, urdf_path, mappings)
    shapes = collision_meshes(description, urdf_path, mappings, seen=seen)
    if not shapes:
        return None
    warmup.load()
    visible = visible_meshes(description, urdf_path, mappings) if seen else None
    solids = MeshModel(description, shapes, seen=seen, visible=visible)
    meshes = MeshMotion(description, solids, EMPTY_SCENE, None)
    cost = compare(model, meshes, model.random_values(_SAMPLES, 0))
    return cost, passages_of(model, lambda: meshes)


def _of(c: CheckContext) -> tuple[ModelCost, Passages] | None:
    return _verdicts(ById(c.robot), c.urdf_path, c.mappings) if usable(c) else None


@rule("XRDF514", "Spheres refuse what meshes leave free", _SECTION, _INPUTS, slow=True)
def spheres_refuse_little(c: CheckContext) -> Iterable[Finding]:
    """No remedy is offered as a command: spheres are fitted anew."""
    verdicts = _of(c)
    if verdicts is None or verdicts[0].needless.value <= _NEEDLESS:
        return
    cost = verdicts[0]
    severity = WARNING if cost.needless.value > MUCH_NEEDLESS else INFO
    worst = cost.too_fat[0]
    a, b = worst.names
    message = (
        f"Spheres refuse {cost.needless} of the configurations that the meshes leave free; most often {a!r} and {b!r} "
        f"({worst.count:,} of {cost.samples:,} configurations). {_REMEDY}."
    )
    refs = tuple(ref for ref, _ in worst.spheres)
    yield flaw(severity, message, (_SECTION,), links=(a, b), spheres=refs)


@rule("XRDF515", "Spheres close a passage", _SECTION, _INPUTS, slow=True)
def spheres_close_no_passage(c: CheckContext) -> Iterable[Finding]:
    verdicts = _of(c)
    for barrier in verdicts[1].closed if verdicts is not None else ():
        message = f"{barrier.sentence}. Motions from one side to the other are never found. {_REMEDY}."
        spheres = tuple(dict.fromkeys(ref for one, other, _ in barrier.contacts[:8] for ref in (one, other)))
        yield flaw(WARNING, message, (_SECTION,), links=barrier.pairs[0], joints=(barrier.joint,), spheres=spheres)


@rule("XRDF516", "Spheres and mask accept what meshes refuse", _SECTION, _INPUTS, slow=True)
def meshes_are_not_let_through(c: CheckContext) -> Iterable[Finding]:
    verdicts = _of(c)
    if verdicts is None or verdicts[0].wrong.value <= _WRONG or verdicts[0].wrong.count < _FEW:
        return
    cost = verdicts[0]
    worst = cost.hidden[0]
    a, b = worst.names
    why, remedy = (
        ("the mask ignores them", "Check the pair")
        if worst.masked
        else ("a link has no spheres", "Fit spheres to it")
        if worst.without_spheres
        else ("their spheres are too thin", "Fit them so that more is covered")
    )
    message = (
        f"Spheres and mask let {cost.wrong} of the configurations pass in which meshes touch; most often {a!r} and "
        f"{b!r} ({worst.count:,} of {cost.samples:,} configurations), because {why}. {remedy}."
    )
    yield flaw(WARNING, message, (_SECTION,), links=(a, b))
