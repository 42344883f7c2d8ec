"""Former names of commands, for scripts: the function that makes the command, and how to write it now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair


def _check_pairs(pairs: tuple[LinkPair, ...]) -> SetMask:
    return SetMask(checked=pairs)


def _set_srdf_pairs(
    ignored: Mapping[LinkPair, str] = FrozenDict(), checked: tuple[LinkPair, ...] = (), label: str = ""
) -> SetMask:
    return SetMask(MaskFile.SRDF, tuple(ignored), FrozenDict(ignored), checked, label)


FORMER: dict[str, tuple[Callable[..., Any], str]] = {
    "MaskPairs": (partial(SetMask, MaskFile.XRDF), "SetMask(pairs=PAIRS)"),
    "UnmaskPairs": (_check_pairs, "SetMask(checked=PAIRS)"),
    "SetSrdfPairs": (_set_srdf_pairs, "SetMask(MaskFile.SRDF, PAIRS, REASONS, CHECKED)"),
}
