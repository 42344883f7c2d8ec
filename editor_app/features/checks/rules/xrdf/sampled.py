"""XRDF508, 512, 513, 517, 605: what only distances can tell, at the default position or at many."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from editor_app.core.model.findings import Finding
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.refusal import Refused
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, SelfCollisionSection, Xrdf
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.rule import ERROR, WARNING, CheckContext, flaw, rule
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.mesh_look import (
    NEEDS_MASK,
    NO_LOOK,
    HiddenPair,
    MeshLook,
    look_at_meshes,
)
from editor_app.features.masks.engine.meshes import MeshModel, meshes_available
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings, Overlap, PairClass

Value = TypeVar("Value")
_SECTION = "self_collision"
_INPUTS = "self_collision geometry defaults cspace urdf modifiers"
MESH_INPUTS = f"{_INPUTS} urdf_path mappings"
#: Enough to see a pair that collides in one configuration of a thousand almost surely; the matrix
#: does more.
_SETTINGS = AnalysisSettings(samples=10_000, certify_seconds=0.0, search_starts=0)


def _same_robot(c: CheckContext, name: str, xrdf: Xrdf) -> RobotDescription:
    """The robot with nothing but what a distance can depend on; the same object as long as that is
    equal."""
    reduced = replace(xrdf, world_collision=None, tool_frames=None)
    return c.memory.same(name, RobotDescription(c.urdf, reduced))


def _unmasked(c: CheckContext) -> RobotDescription:
    """The robot without its mask: distances of spheres do not depend on it."""
    section = c.self_collision
    unmasked = (
        c.xrdf if section is None else replace(c.xrdf, self_collision=replace(section, ignore=None))
    )
    return _same_robot(c, "unmasked", unmasked)


def _distances(c: CheckContext) -> LiveDistances:
    def compute() -> LiveDistances:
        model = build_sphere_model(robot)
        return LiveDistances(model, model.rest)

    robot = _unmasked(c)
    return c.memory.recall("distances", (robot,), compute)


def analyse_sample(c: CheckContext) -> Analysis:
    """All pairs of frames with spheres in random configurations."""
    robot = _unmasked(c)
    return c.memory.recall(
        "sampled", (robot,), lambda: analyse(build_sphere_model(robot), _SETTINGS, c.tick)
    )


#: Stands for all spheres of a frame: meshes are compared as they are, but a frame with spheres is a
#: body.
_ANY_SPHERES = (CollisionSphere((0.0, 0.0, 0.0), 1.0),)


def _solid_robot(c: CheckContext) -> RobotDescription:
    """The robot without numbers of spheres, and without its mask: distances of meshes do not depend
    on them."""
    groups = c.geometry and tuple(
        replace(
            group,
            spheres=FrozenDict(
                {frame: _ANY_SPHERES for frame, each in group.spheres.items() if each}
            ),
        )
        for group in c.geometry
    )
    xrdf = replace(c.xrdf, geometry=groups, self_collision=None)
    return _same_robot(c, "solid robot", xrdf)


def recall_of_solids(c: CheckContext, name: str, compute: Callable[[], Value]) -> Value:
    """A result that depends neither on the numbers of spheres nor on the mask."""
    return c.memory.recall(name, (_solid_robot(c), c.urdf_path, c.mappings), compute)


def kept_counts(c: CheckContext, name: str) -> dict[Any, Any]:
    """Counts of touching shapes of the robot, which rules read and add to."""
    return c.memory.recall(name, (c.urdf.links, c.urdf_path, c.mappings), dict)


def load_solids(c: CheckContext, seen: Collection[str] | None = None) -> MeshModel | None:
    """The meshes of all links. `seen`: as of `MeshModel.of_robot`."""

    def compute() -> MeshModel | None:
        meshes = MeshModel.of_robot(robot, c.urdf_path, c.mappings, seen=seen)
        if meshes is not None:
            meshes.counted, meshes.apart = (
                kept_counts(c, f"{name} {names}") for name in ("counted", "apart")
            )
        return meshes

    robot = _solid_robot(c)
    names = repr(None if seen is None else sorted(seen))
    return c.memory.recall(
        "solids", (robot, c.urdf_path, c.mappings, names), compute, is_large=True
    )


def look(c: CheckContext) -> MeshLook:
    """The ignored pairs whose meshes collide."""

    def compute() -> MeshLook:
        section = c.self_collision
        if section is None or not meshes_available():
            return NO_LOOK
        seen = look_at_meshes(
            c.robot,
            c.urdf_path,
            c.mappings,
            analyse_sample(c),
            only=section.ignored_pairs(),
            needless=False,
            load=lambda seen, _: load_solids(c, seen),
            on_progress=c.tick,
        )
        return seen or NO_LOOK

    return c.memory.recall("look", (c.robot, c.urdf_path, c.mappings), compute)


def _default_overlaps(c: CheckContext) -> tuple[Overlap, ...]:
    return _distances(c).overlaps(c.xrdf.ignored_pairs())


def usable(c: CheckContext) -> bool:
    return c.self_collision is not None and c.xrdf.group(c.xrdf.self_group) is not None


def _refusal(c: CheckContext) -> str:
    """Why collisions cannot be sampled, "" where they can: joints of pairs and of the c-space need
    a range."""
    return c.memory.recall("refusal", (c.robot,), lambda: _refusal_of(c.robot))


def _refusal_of(robot: RobotDescription) -> str:
    model = build_sphere_model(robot)
    rows = range(len(model.pairs)) if model.endless else ()
    try:
        model.refuse_endless(robot.xrdf.controlled)
        model.refuse_endless(model.variables[k] for row in rows for k in model.path_variables(row))
    except Refused as error:
        return str(error)
    return ""


def can_sample(c: CheckContext) -> bool:
    """Return whether there is a self-collision section, and every joint that matters has a
    range."""
    return usable(c) and not _refusal(c)


@rule("XRDF216", "Self-collision that cannot be sampled", _SECTION, _INPUTS, slow=True)
def joints_have_a_range(c: CheckContext) -> Iterable[Finding]:
    if usable(c) and (reason := _refusal(c)):
        yield flaw(WARNING, f"Not checked which pairs can collide: {reason}.", (_SECTION,))


@rule(
    "XRDF605",
    "The default position is in self-collision",
    "default_joint_positions",
    _INPUTS,
    slow=True,
)
def default_is_free(c: CheckContext) -> Iterable[Finding]:
    if not usable(c):
        return
    for overlap in sorted(_default_overlaps(c), key=lambda o: -o.depth):
        a, b = overlap.pair.first, overlap.pair.second
        message = (
            f"At the default position, {a!r} and {b!r} collide, {overlap.depth * 1000:.1f} mm deep."
        )
        spheres = tuple(dict.fromkeys(s for x in overlap.contacts for s in (x.first, x.second)))
        path = ("default_joint_positions",)
        yield flaw(
            ERROR,
            message,
            path,
            links=(a, b),
            spheres=spheres,
            fixes=(fixes.mask_pairs((overlap.pair,)),),
        )


@rule("XRDF512", "A pair collides only because of a buffer", _SECTION, _INPUTS, slow=True)
def buffers_do_not_collide(c: CheckContext) -> Iterable[Finding]:
    if not usable(c) or c.self_collision is None:
        return
    for overlap in _default_overlaps(c):
        pair = (overlap.pair.first, overlap.pair.second)
        buffers = {frame: c.self_collision.buffer(frame) for frame in pair}
        if sum(buffers.values()) <= 0 or overlap.depth >= sum(buffers.values()):
            continue
        buffer_texts = " and ".join(
            f"{value:g} m on {frame!r}" for frame, value in buffers.items() if value > 0
        )
        apart = (sum(buffers.values()) - overlap.depth) * 1000
        message = (
            f"{pair[0]!r} and {pair[1]!r} collide at the default position only because of the "
            "self-collision "
            f"buffer ({buffer_texts}): the spheres themselves are {apart:.1f} mm apart."
        )
        first = next((frame for frame in pair if buffers[frame] > 0), pair[0])
        path = (_SECTION, "buffer_distance", first)
        yield flaw(WARNING, message, path, links=pair, fixes=(fixes.mask_pairs((overlap.pair,)),))


@rule("XRDF508", "A pair that always collides is not ignored", _SECTION, _INPUTS, slow=True)
def colliding_pairs_are_masked(c: CheckContext) -> Iterable[Finding]:
    if not can_sample(c):
        return
    masked = c.xrdf.ignored_pairs()
    for evidence in analyse_sample(c):
        if evidence.kind is not PairClass.ALWAYS or evidence.pair in masked:
            continue
        share = 1.0 if evidence.probability is None else evidence.probability
        message = (
            f"{evidence.first!r} and {evidence.second!r} collide in {share * 100:.1f} % of the "
            "sampled "
            "configurations and are not ignored: planners find no motion."
        )
        options = (fixes.mask_pairs((evidence.pair,)),)
        yield flaw(
            WARNING,
            message,
            (_SECTION, "ignore"),
            links=(evidence.first, evidence.second),
            fixes=options,
        )


@rule("XRDF513", "The mask hides collisions of meshes", _SECTION, MESH_INPUTS, slow=True)
def masks_hide_no_mesh(c: CheckContext) -> Iterable[Finding]:
    """Pairs that have to be ignored: adjacent ones, and those whose spheres overlap always or at
    the default position.

    No fix is offered: where they are checked, no motion is found.
    """
    for hidden in _hidden(c, needs_mask=True):
        is_adjacent = hidden.kind is PairClass.ADJACENT
        advice = (
            "narrow the limits of the joint between"
            if is_adjacent
            else "fit both with more, thinner spheres"
        )
        yield _hides(c, hidden, f"{advice}.")


@rule("XRDF517", "An ignored pair collides by its meshes", _SECTION, MESH_INPUTS, slow=True)
def masks_ignore_nothing_that_collides(c: CheckContext) -> Iterable[Finding]:
    """Pairs that could be checked: their spheres overlap neither always nor at the default
    position."""
    for hidden in _hidden(c, needs_mask=False):
        yield _hides(c, hidden, "check the pair.", fixes.unmask(hidden.pair))


def _hidden(c: CheckContext, *, needs_mask: bool) -> list[HiddenPair]:
    """Return the ignored pairs whose meshes collide, the most frequent first."""
    if not can_sample(c):
        return []
    hidden = (each for each in look(c).hidden if (each.kind in NEEDS_MASK) is needs_mask)
    return sorted(hidden, key=lambda each: -each.share)


def _hides(c: CheckContext, hidden: HiddenPair, advice: str, *options: Change) -> Finding:
    assert c.self_collision is not None
    a, b = hidden.first, hidden.second
    message = (
        f"{a!r} and {b!r} are ignored ({hidden.kind.value}), but their meshes touch in "
        f"{hidden.share_in_words} "
        f"of {hidden.samples:,} random configurations: {advice}"
    )
    return flaw(
        WARNING, message, find_mask_entry(c.self_collision, a, b), links=(a, b), fixes=options
    )


def find_mask_entry(
    section: SelfCollisionSection, first: str, second: str
) -> tuple[str | int, ...]:
    """Return the path of a masked pair in the mask."""
    ignore: Mapping[str, tuple[str, ...]] = section.ignore or {}
    key, other = next(
        (a, b) for a, b in ((first, second), (second, first)) if b in ignore.get(a, ())
    )
    return (_SECTION, "ignore", key, ignore[key].index(other))
