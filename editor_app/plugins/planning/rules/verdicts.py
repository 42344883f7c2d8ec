"""XRDF509, 514 to 516: spheres and mask against the meshes: refused needlessly, accepted wrongly,
closed passages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Finding
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.rule import INFO, WARNING, CheckContext, flaw, rule
from editor_app.features.checks.rules.xrdf.sampled import (
    MESH_INPUTS,
    analyse_sample,
    can_sample,
    find_mask_entry,
    kept_counts,
    load_solids,
    look,
    recall_of_solids,
)
from editor_app.features.masks.engine.mesh_look import NEEDS_MASK
from editor_app.features.masks.engine.meshes import meshes_available
from editor_app.features.masks.engine.results import PairClass
from editor_app.plugins.motion.engine import warmup
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import build_motion_model
from editor_app.plugins.motion.engine.passages import EarlierPassages, Passages, passages_of
from editor_app.plugins.motion.engine.verdicts import (
    MUCH_NEEDLESS,
    ModelCost,
    compare_verdicts,
    mesh_touches,
)

_SECTION = "self_collision"
#: Configurations that are compared; many links take longer.
_SAMPLES = 5000
#: Share of the free configurations above which it is worth a word that spheres refuse them.
_NEEDLESS = 0.05
#: Share of the configurations in which meshes touch above which it is said that they are let
#: through.
_WRONG = 0.001
#: Fewer configurations say nothing of a share.
_FEW = 3
#: Pairs that a sentence names, beside the worst.
_NAMED = 3
_REMEDY = (
    "Fit both links tighter (Fit tighter for planning, fit --for planning), or in mode balanced"
)


@dataclass(frozen=True, eq=False, slots=True)
class _Verdicts:
    cost: ModelCost
    passages: Passages


def _verdicts(c: CheckContext) -> _Verdicts | None:
    """None without meshes, or without pairs of frames with spheres."""
    model = build_motion_model(c.robot)
    if not model.row_count or not len(model.variables) or not meshes_available():
        return None
    bodies = load_solids(c)
    if bodies is None:
        return None
    warmup.load_kernels()
    passages = recall_of_solids(c, "passages", EarlierPassages)
    meshes = MeshMotion(c.robot, bodies, EMPTY_SCENE, None)
    cost = c.cost
    if cost is None:
        values = model.random_values(_SAMPLES, 0)
        # Neither spheres nor mask change the configurations, nor what the meshes say of them.
        counted = kept_counts(c, "touches")
        cost = compare_verdicts(
            model,
            meshes,
            values,
            told=mesh_touches(meshes, values, tick=c.tick, counted=counted),
            tick=c.tick,
        )
    return _Verdicts(cost, passages_of(model, lambda: meshes, tick=c.tick, earlier=passages))


def _of(c: CheckContext) -> _Verdicts | None:
    if not can_sample(c):
        return None
    return c.memory.recall(
        "verdicts", (c.robot, c.urdf_path, c.mappings, c.cost), lambda: _verdicts(c)
    )


@rule("XRDF509", "An ignored pair can collide", _SECTION, MESH_INPUTS, slow=True)
def masks_hide_nothing(c: CheckContext) -> Iterable[Finding]:
    if not can_sample(c) or c.self_collision is None:
        return
    # XRDF513 says more of pairs whose meshes touch. Where meshes stay apart, spheres alone overlap:
    # the mask is right.
    masked = c.xrdf.ignored_pairs() - {hidden.pair for hidden in look(c).hidden}
    verdicts = _of(c)
    if verdicts is not None:
        masked -= verdicts.cost.apart
    hiding = (PairClass.CAN_COLLIDE, PairClass.DEFAULT)
    for evidence in analyse_sample(c):
        if evidence.pair not in masked or evidence.kind not in hiding or not evidence.probability:
            continue
        message = (
            f"{evidence.first!r} and {evidence.second!r} are ignored but collide in "
            f"{evidence.probability * 100:.2f} % of the sampled configurations, "
            f"{evidence.worst_depth * 1000:.0f} mm deep at worst: is this intended?"
        )
        path = find_mask_entry(c.self_collision, evidence.first, evidence.second)
        # Checked, a pair that overlaps at the default position would make it one in collision.
        options = (fixes.unmask(evidence.pair),) if evidence.clearance_default >= 0.0 else ()
        yield flaw(INFO, message, path, links=(evidence.first, evidence.second), fixes=options)


@rule("XRDF514", "Spheres cause false collisions", _SECTION, MESH_INPUTS, slow=True)
def spheres_refuse_little(c: CheckContext) -> Iterable[Finding]:
    """No remedy is offered as a command: spheres are fitted anew."""
    verdicts = _of(c)
    if verdicts is None or verdicts.cost.needless.value <= _NEEDLESS:
        return
    cost = verdicts.cost
    severity = WARNING if cost.needless.value > MUCH_NEEDLESS else INFO
    worst = cost.too_fat[0]
    a, b = worst.names
    message = (
        f"False collisions in {cost.needless} of the configurations that the meshes leave free; "
        "most often "
        f"{a!r} and {b!r} ({worst.count:,} of {cost.samples:,} configurations){_shapes(cost)}. "
        f"{_REMEDY}."
    )
    refs = tuple(ref for ref, _ in worst.spheres)
    yield flaw(severity, message, (_SECTION,), links=(a, b), spheres=refs)


@rule("XRDF515", "Spheres close a passage", _SECTION, MESH_INPUTS, slow=True)
def spheres_close_no_passage(c: CheckContext) -> Iterable[Finding]:
    verdicts = _of(c)
    for barrier in verdicts.passages.closed if verdicts is not None else ():
        message = (
            f"{barrier.sentence}. Planners never find a motion from one side to the other. "
            f"{_REMEDY}."
        )
        spheres = tuple(
            dict.fromkeys(ref for one, other, _ in barrier.contacts[:8] for ref in (one, other))
        )
        yield flaw(
            WARNING,
            message,
            (_SECTION,),
            links=barrier.pairs[0],
            joints=(barrier.joint,),
            spheres=spheres,
        )


def _shapes(cost: ModelCost) -> str:
    return f"; {cost.shapes}" if cost.shapes else ""


def _instead_of_the_mask(c: CheckContext, pair: LinkPair) -> str:
    """A pair that is ignored is not simply checked where its spheres overlap always, or at the
    default position."""
    kinds = {each.kind for each in analyse_sample(c) if each.pair == pair}
    if PairClass.ADJACENT in kinds:
        return "They are adjacent: narrow the limits of the joint between"
    if pair in {
        hidden.pair
        for hidden in look(c).hidden
        if hidden.kind in NEEDS_MASK and not hidden.at_default
    }:
        return "Fit both with more, thinner spheres, then check the pair"
    if kinds & {PairClass.ALWAYS, PairClass.DEFAULT}:
        return (
            "They also touch at the default position: keep them ignored, or create collision "
            "shapes that do "
            "not touch (Create collision shapes, collision)"
        )
    return "Check the pair"


@rule("XRDF516", "Spheres and mask miss collisions", _SECTION, MESH_INPUTS, slow=True)
def meshes_are_not_let_through(c: CheckContext) -> Iterable[Finding]:
    verdicts = _of(c)
    if verdicts is None or verdicts.cost.wrong.value <= _WRONG or verdicts.cost.wrong.count < _FEW:
        return
    cost = verdicts.cost
    worst = cost.hidden[0]
    a, b = worst.names
    why, remedy = (
        ("the mask ignores them", _instead_of_the_mask(c, LinkPair.of(a, b)))
        if worst.masked
        else ("a link has no spheres", "Fit spheres to it")
        if worst.without_spheres
        else ("their spheres are too small", "Fit them with more coverage")
    )
    others = format_list(
        (f"{one!r} and {other!r}" for one, other in (each.names for each in cost.hidden[1:])),
        _NAMED,
    )
    also = f"; also {others}" if others else ""
    message = (
        f"Spheres and mask miss {cost.wrong} of the configurations in which meshes touch; most "
        f"often {a!r} and "
        f"{b!r} ({worst.count:,} of {cost.samples:,} configurations), because "
        f"{why}{also}{_shapes(cost)}. "
        f"{remedy}."
    )
    yield flaw(WARNING, message, (_SECTION,), links=(a, b))
