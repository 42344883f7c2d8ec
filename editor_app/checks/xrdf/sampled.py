"""XRDF508, 509, 512, 605: what only distances between spheres can tell, at the default position or at many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, INFO, WARNING, rule
from editor_app.model.findings import Finding, Subject
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision.analysis import analyse
from editor_app.self_collision.live import LiveDistances, distances_at
from editor_app.self_collision.model import build_sphere_model
from editor_app.self_collision.results import Analysis, AnalysisSettings, Overlap, PairClass

_SECTION = "self_collision"
_INPUTS = "self_collision geometry defaults cspace urdf modifiers"
#: Enough to see a pair that collides in one configuration of a thousand almost surely; the matrix does more.
_SETTINGS = AnalysisSettings(samples=10_000, certify_seconds=0.0, search_starts=0)


# Two rules share each of these; one robot is remembered, because they run one after the other.
@lru_cache(maxsize=1)
def _distances(robot: _ById) -> LiveDistances:
    model = build_sphere_model(robot.robot)
    return distances_at(model, model.rest)


@lru_cache(maxsize=1)
def _sampled(robot: _ById) -> Analysis:
    return analyse(build_sphere_model(robot.robot), _SETTINGS)


@dataclass(frozen=True, eq=False, slots=True)
class _ById:
    """A robot that is compared by identity: hashing 2,000 spheres would cost more than it saves."""

    robot: RobotDescription

    def __hash__(self) -> int:
        return id(self.robot)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.robot is self.robot


def _at_default(c: CheckContext) -> LiveDistances:
    return _distances(_ById(c.robot))


def _analysis(c: CheckContext) -> Analysis:
    return _sampled(_ById(c.robot))


def _masked(c: CheckContext) -> frozenset[LinkPair]:
    return c.self_collision.ignored_pairs() if c.self_collision else frozenset()


def _default_overlaps(c: CheckContext) -> tuple[Overlap, ...]:
    return _at_default(c).overlaps(_masked(c))


def _usable(c: CheckContext) -> bool:
    return c.self_collision is not None and c.xrdf.group(c.xrdf.self_group) is not None


@rule(
    "XRDF605",
    "The default position is in self-collision",
    "default_joint_positions",
    _INPUTS,
    needs_urdf=True,
    slow=True,
)
def default_is_free(c: CheckContext) -> Iterable[Finding]:
    if not _usable(c):
        return
    for overlap in sorted(_default_overlaps(c), key=lambda o: -o.depth):
        a, b = overlap.pair.first, overlap.pair.second
        message = f"At the default position, {a!r} and {b!r} collide, {overlap.depth * 1000:.1f} mm deep."
        spheres = tuple(dict.fromkeys(s for x in overlap.contacts for s in (x.first, x.second)))
        subject = Subject(links=(a, b), spheres=spheres, section="default_joint_positions")
        path = ("default_joint_positions",)
        yield Finding("XRDF605", ERROR, message, path, subject=subject, fixes=(fixes.mask((overlap.pair,)),))


@rule("XRDF512", "A buffer alone makes a pair collide", _SECTION, _INPUTS, needs_urdf=True, slow=True)
def buffers_do_not_collide(c: CheckContext) -> Iterable[Finding]:
    if not _usable(c) or c.self_collision is None:
        return
    for overlap in _default_overlaps(c):
        pair = (overlap.pair.first, overlap.pair.second)
        buffers = {frame: c.self_collision.buffer(frame) for frame in pair}
        if sum(buffers.values()) <= 0 or overlap.depth >= sum(buffers.values()):
            continue
        buffer_texts = " and ".join(f"{value:g} m on {frame!r}" for frame, value in buffers.items() if value > 0)
        apart = (sum(buffers.values()) - overlap.depth) * 1000
        message = (
            f"{pair[0]!r} and {pair[1]!r} collide at the default position only because of the self-collision "
            f"buffer ({buffer_texts}): the spheres themselves are {apart:.1f} mm apart."
        )
        subject = Subject(links=pair, section=_SECTION)
        first = next((frame for frame in pair if buffers[frame] > 0), pair[0])
        path = (_SECTION, "buffer_distance", first)
        yield Finding("XRDF512", WARNING, message, path, subject=subject, fixes=(fixes.mask((overlap.pair,)),))


@rule("XRDF508", "A pair that always collides is not masked", _SECTION, _INPUTS, needs_urdf=True, slow=True)
def colliding_pairs_are_masked(c: CheckContext) -> Iterable[Finding]:
    if not _usable(c):
        return
    masked = _masked(c)
    for evidence in _analysis(c):
        if evidence.kind is not PairClass.ALWAYS or evidence.pair in masked:
            continue
        share = 1.0 if evidence.probability is None else evidence.probability
        message = (
            f"{evidence.first!r} and {evidence.second!r} collide in {share:.1%} of the sampled configurations "
            f"and are not masked: no motion would be found."
        )
        subject = Subject(links=(evidence.first, evidence.second), section=_SECTION)
        options = (fixes.mask((evidence.pair,)),)
        yield Finding("XRDF508", WARNING, message, (_SECTION, "ignore"), subject=subject, fixes=options)


@rule("XRDF509", "A masked pair can collide", _SECTION, _INPUTS, needs_urdf=True, slow=True)
def masks_hide_nothing(c: CheckContext) -> Iterable[Finding]:
    if not _usable(c) or c.self_collision is None:
        return
    masked = _masked(c)
    hiding = (PairClass.CAN_COLLIDE, PairClass.DEFAULT)
    for evidence in _analysis(c):
        if evidence.pair not in masked or evidence.kind not in hiding or not evidence.probability:
            continue
        message = (
            f"{evidence.first!r} and {evidence.second!r} are masked but collide in {evidence.probability:.2%} of the "
            f"sampled configurations, {evidence.worst_depth * 1000:.0f} mm deep at worst: is the mask meant?"
        )
        ignore: Mapping[str, tuple[str, ...]] = c.self_collision.ignore or {}
        key, other = next(
            (a, b)
            for a, b in ((evidence.first, evidence.second), (evidence.second, evidence.first))
            if b in ignore.get(a, ())
        )
        path = (_SECTION, "ignore", key, ignore[key].index(other))
        subject = Subject(links=(evidence.first, evidence.second), section=_SECTION)
        yield Finding("XRDF509", INFO, message, path, subject=subject, fixes=(fixes.unmask(evidence.pair),))
