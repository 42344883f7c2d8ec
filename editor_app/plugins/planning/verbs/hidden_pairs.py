"""Pairs whose bare spheres overlap always although their meshes touch only sometimes: buffers part
them, or the mask.

Ignored, such pairs let collisions pass; checked with bare spheres, nothing is free. A first file
checks those that self-collision buffers can decide, and ignores the others, which is told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import Cancel, PlacedRobot, Progress, make_stoppable, never, silent
from editor_app.plugins.motion.engine.buffer_program import loss
from editor_app.plugins.planning.verbs.self_buffers import (
    SelfBuffers,
    pairs_for_the_mask,
    self_buffers,
)

#: A file that refuses this share of the free configurations serves nobody: rather are pairs
#: ignored, which is told.
_USELESS = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class HiddenDecision:
    """`checked`: the pairs that buffers decide; `buffers`: these, with the cost of mask and buffers
    together."""

    checked: frozenset[LinkPair]
    buffers: SelfBuffers

    @property
    def is_useless(self) -> bool:
        """True if hardly a plan is found."""
        return self.buffers.after.needless.value > _USELESS

    @property
    def loss(self) -> float:
        return loss(self.buffers.after.needless.value, self.buffers.after.wrong.value)


def decide_hidden(
    placed: PlacedRobot,
    ignored: frozenset[LinkPair],
    hidden: Collection[LinkPair],
    *,
    seen: Collection[str] = (),
    seed: int = 0,
    samples: int,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> HiddenDecision:
    """Which of `hidden` are checked when the mask ignores `ignored` besides, and the buffers that
    decide them.

    Those that would refuse most all the same are ignored, then all of them. `seen`: as of
    `model_cost`. Raises as `self_buffers`.
    """
    asked: dict[str, Any] = {"samples": samples, "seed": seed, "mask": MaskFile.XRDF, "seen": seen}
    asked |= {"progress": make_stoppable(progress, cancel), "cancel": cancel}

    def masked(checked: Collection[LinkPair]) -> PlacedRobot:
        wanted = (ignored | frozenset(hidden)) - frozenset(checked)
        mask = SetMask.exactly(placed.robot, MaskFile.XRDF, wanted, anew=True)
        return replace(placed, robot=mask.apply(placed.robot))

    checked = frozenset(hidden)
    if checked:
        checked -= {each.pair for each in pairs_for_the_mask(masked(checked), seen, seed)}
    return _decided(checked, lambda pairs: self_buffers(masked(pairs), **asked))


def _decided(
    checked: frozenset[LinkPair], buffers: Callable[[frozenset[LinkPair]], SelfBuffers]
) -> HiddenDecision:
    trials = [HiddenDecision(checked, buffers(checked))]
    for only_worst in (True, False):
        last = trials[-1]
        if not last.is_useless:
            break
        after = last.buffers.after
        most, refused = (
            _USELESS * after.needless.of,
            {LinkPair.of(*each.names): each.count for each in after.too_fat},
        )
        gone = {pair for pair in last.checked if not only_worst or refused.get(pair, 0) > most}
        # What other pairs refuse stays refused: where that is too much, collisions would pass for
        # nothing.
        if gone and after.needless.count - sum(refused.get(pair, 0) for pair in gone) <= most:
            trials.append(HiddenDecision(last.checked - gone, buffers(last.checked - gone)))
    return min(trials, key=lambda each: (each.is_useless, each.loss))
