"""The verb decisions: the choices in an XRDF, read from the robot and the comments of its text.

Decided here, for every caller: which choices are listed, and how reasons of ignored pairs are
grouped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.formats.xrdf.mask_reasons import ADJACENT_REASON, RIGID_REASON, read_reasons
from editor_app.core.model.counting import format_count, format_list, format_percent
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import PLACEHOLDERS, POSITIONS, TOOLS, Guesses
from editor_app.core.model.options import attribute_record
from editor_app.core.model.xrdf import LinkPair, SelfCollisionSection
from editor_app.core.space.kinematics.tree import adjacent_pairs, get_tree
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import build_sphere_model

#: Names that a sentence has; the others are counted.
_NAMED = 8
#: How the reason of a pair begins -> what it is called.
_REASONS = (
    (ADJACENT_REASON, "adjacent links"),
    (RIGID_REASON, "links of one rigid group"),
    ("never, certified", "never collide (proven)"),
    ("never in", "never collide (sampled)"),
    ("meshes ", "only the spheres collide, the meshes stay apart"),
    ("always overlaps", "always overlap"),
    ("overlaps at every", "overlap at every position that was tried"),
    ("overlaps", "overlap at the default position"),
    ("as in the SRDF", "ignored by the SRDF"),
    ("ignored: ", "the SRDF and the meshes disagree"),
    # The wording of release 0.9.
    ("ignored lets", "the SRDF and the meshes disagree"),
    ("ignored by hand", "ignored by hand"),
    ("kept from the file", "kept from the file"),
    ("can collide", "can collide, but are ignored"),
)
_OTHER, _NONE = "other reasons", "no reason in the file"
_LOCKED = re.compile(r"[ \t]*# Locked, (.*)\.[ \t]*")
_ENTRY = re.compile(r"[ \t]+[\"']?([^\"'#]+?)[\"']?[ \t]*:")


@dataclass(frozen=True, slots=True)
class DraftDecision:
    """A choice as a topic and a sentence.

    `section`: the section of the XRDF that holds it. `links`, `joints`, `pairs`: the parts of the
    robot that it is about.
    """

    topic: str
    text: str
    section: str
    links: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    pairs: tuple[LinkPair, ...] = ()


@dataclass(frozen=True, slots=True)
class LockedPosition:
    """A joint outside the c-space: radians or metres, and the reason in the file, "" for none."""

    joint: str
    position: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decisions:
    """`joints`: controlled joints. `clearance`: least distance (metres) of the spheres, buffers
    included, of checked pairs at the default position; None without such pairs. `nearest`: the
    pair. `overlaps`: checked pairs below 0.

    `spheres`: frame -> number. `coverage`: frame -> covered share (0..1) of the surface, where it
    was measured. `ignored`: reason -> pairs. `buffers`: frame -> self-collision buffer, metres.
    """

    joints: tuple[str, ...]
    locked: tuple[LockedPosition, ...]
    tools: tuple[str, ...]
    positions: FrozenDict[str, float]
    clearance: float | None
    nearest: LinkPair | None
    overlaps: int
    spheres: FrozenDict[str, int]
    coverage: FrozenDict[str, float]
    ignored: FrozenDict[str, tuple[LinkPair, ...]]
    buffers: FrozenDict[str, float]
    guesses: Guesses

    @property
    def entries(self) -> tuple[DraftDecision, ...]:
        """The choices for people, in the order of the work."""
        locked = tuple(each.joint for each in self.locked)
        return (
            DraftDecision("Controlled joints", _names(self.joints), "cspace", joints=self.joints),
            DraftDecision("Locked joints", self._locked_text(), POSITIONS, joints=locked),
            DraftDecision("Tool frames", _names(self.tools), TOOLS, links=self.tools),
            DraftDecision(
                "Default position",
                self._pose_text(),
                POSITIONS,
                pairs=(self.nearest,) if self.nearest else (),
            ),
            DraftDecision("Spheres", self._sphere_text(), "geometry", links=tuple(self.spheres)),
            *self._mask_entries(),
            DraftDecision(
                "Self-collision buffers",
                self._buffer_text(),
                "self_collision",
                links=tuple(self.buffers),
            ),
            *self._guess_entries(),
        )

    @property
    def record(self) -> dict[str, Any]:
        """The decisions as a record for programs: lengths in millimetres, positions in radians or
        metres."""
        return {
            "controlled": list(self.joints),
            "locked": [attribute_record(e, "joint", "position", "reason") for e in self.locked],
            "tool_frames": list(self.tools),
            "default": dict(self.positions),
            "default_clearance_mm": None
            if self.clearance is None
            else round(1e3 * self.clearance, 3),
            "default_overlaps": self.overlaps,
            "spheres": dict(self.spheres),
            "coverage": {frame: round(share, 4) for frame, share in self.coverage.items()},
            "ignored": {
                reason: [[p.first, p.second] for p in pairs]
                for reason, pairs in self.ignored.items()
            },
            "buffers_mm": {frame: round(1e3 * buffer, 3) for frame, buffer in self.buffers.items()},
            "guessed": {key: list(self.guesses.joints(key)) for key in self.guesses.entries},
        }

    def _locked_text(self) -> str:
        by_reason: dict[str, list[str]] = {}
        for each in self.locked:
            by_reason.setdefault(each.reason, []).append(each.joint)
        texts = (
            _names(joints) + (f" ({reason})" if reason else "")
            for reason, joints in by_reason.items()
        )
        return "; ".join(texts) or "none"

    def _pose_text(self) -> str:
        if self.overlaps:
            return f"{format_count(self.overlaps, 'checked pair')} overlap" + (
                "s" if self.overlaps == 1 else ""
            )
        if self.clearance is None:
            return f"{format_count(len(self.positions), 'joint')}; no pair of links is checked"
        pair = (
            f" ({self.nearest.first} and {self.nearest.second})" if self.nearest is not None else ""
        )
        return f"spheres of checked pairs are {1e3 * self.clearance:.1f} mm or more apart{pair}"

    def _sphere_text(self) -> str:
        total = sum(self.spheres.values())
        text = f"{format_count(total, 'sphere')} on {format_count(len(self.spheres), 'link')}"
        worst = min(self.coverage, key=self.coverage.__getitem__, default=None)
        return text + (
            f"; least coverage {format_percent(self.coverage[worst])} ({worst})"
            if worst is not None
            else ""
        )

    def _mask_entries(self) -> tuple[DraftDecision, ...]:
        if not self.ignored:
            return (DraftDecision("Ignored pairs", "none", "self_collision"),)
        return tuple(
            DraftDecision(
                f"Ignored: {reason}",
                f"{format_count(len(pairs), 'pair')}: {_pairs(pairs)}",
                "self_collision",
                pairs=pairs,
            )
            for reason, pairs in self.ignored.items()
        )

    def _buffer_text(self) -> str:
        if not self.buffers:
            return "none"
        least, most = (1e3 * choose(self.buffers.values()) for choose in (min, max))
        span = f"{least:+.1f} mm" if least == most else f"{least:+.1f} to {most:+.1f} mm"
        return f"{span} on {format_count(len(self.buffers), 'frame')}"

    def _guess_entries(self) -> tuple[DraftDecision, ...]:
        entries = self.guesses.entries
        if not entries:
            return (DraftDecision("Guessed", "nothing", "cspace"),)
        return tuple(
            DraftDecision(
                "Guessed",
                self.guesses.described([key]),
                "cspace" if key in PLACEHOLDERS else key,
                joints=self.guesses.joints(key),
            )
            for key in entries
        )


def decisions(document: Document, coverage: Mapping[str, float] = FrozenDict()) -> Decisions:
    """Return the choices in the XRDF of a document as saving would write it.

    `coverage`: frame -> covered share (0..1) of the surface, where it was measured.
    """
    robot, xrdf = document.robot, document.robot.xrdf
    given = xrdf.default_joint_positions or FrozenDict()
    controlled, why = set(xrdf.controlled), _locked_reasons(document)
    model = build_sphere_model(robot)
    ignored = xrdf.ignored_pairs()
    clearance = LiveDistances(model).clearance if len(model.pairs) else ()
    gaps = {
        pair: float(gap)
        for pair, gap in zip(model.link_pairs, clearance, strict=True)
        if pair not in ignored
    }
    nearest = min(gaps, key=gaps.__getitem__, default=None)
    section = xrdf.self_collision
    spheres = {frame: len(each) for frame, each in xrdf.spheres_of(xrdf.self_group).items() if each}
    return Decisions(
        joints=xrdf.controlled,
        locked=tuple(
            LockedPosition(joint, given.get(joint, 0.0), why.get(joint, ""))
            for joint in get_tree(robot).independent
            if joint not in controlled
        ),
        tools=xrdf.tool_frames or (),
        positions=given,
        clearance=gaps[nearest] if nearest is not None else None,
        nearest=nearest,
        overlaps=sum(gap < 0.0 for gap in gaps.values()),
        spheres=FrozenDict(spheres),
        coverage=FrozenDict(
            {frame: share for frame, share in coverage.items() if frame in spheres}
        ),
        ignored=_by_reason(document, ignored),
        buffers=_buffers(section, spheres),
        guesses=document.guesses,
    )


def _buffers(section: SelfCollisionSection | None, frames: Iterable[str]) -> FrozenDict[str, float]:
    """Frame -> buffer in metres, as given; one number for all holds for each frame with spheres."""
    given = section.buffer_distance if section is not None else None
    if isinstance(given, FrozenDict):
        return given
    return FrozenDict(dict.fromkeys(frames, given) if given is not None else {})


def _by_reason(
    document: Document, ignored: frozenset[LinkPair]
) -> FrozenDict[str, tuple[LinkPair, ...]]:
    reasons, adjacent = read_reasons(document.xrdf_now), adjacent_pairs(document.robot)
    table: dict[str, list[LinkPair]] = {}
    for pair in sorted(ignored):
        reason = reasons.get(pair, ADJACENT_REASON if pair in adjacent else "")
        names = (name for start, name in _REASONS if reason.startswith(start))
        table.setdefault(next(names, _OTHER if reason else _NONE), []).append(pair)
    order = [name for _, name in _REASONS] + [_OTHER, _NONE]
    return FrozenDict({name: tuple(table[name]) for name in order if name in table})


def _locked_reasons(document: Document) -> dict[str, str]:
    """Joint -> the comment above it that says why it is locked."""
    source = document.xrdf_now
    span = source.span((POSITIONS,))
    reasons: dict[str, str] = {}
    reason = ""
    for line in source.source.text[span[0] : span[1]].splitlines()[1:] if span is not None else ():
        comment, entry = _LOCKED.fullmatch(line), _ENTRY.match(line)
        if comment is not None:
            reason = comment.group(1)
        elif entry is not None and reason:
            reasons[entry.group(1)] = reason
    return reasons


def _names(names: tuple[str, ...] | list[str]) -> str:
    return f"{len(names)}: {format_list(names, _NAMED)}" if names else "none"


def _pairs(pairs: tuple[LinkPair, ...]) -> str:
    return format_list((f"{pair.first} – {pair.second}" for pair in pairs), 3)
