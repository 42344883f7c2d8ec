"""How good the spheres of each link are: measured in one place, and shown by several views."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal


@dataclass(frozen=True, slots=True)
class ShownQuality:
    """`figures`: `LinkFigures` of the feature spheres, None where they are not measured yet.
    Not `current`: figures of the spheres before the last edit.

    `surface`: which shapes the figures are of, as "of the visual shapes"; empty for the collision
    shapes.
    """

    figures: Any | None
    current: bool
    surface: str = ""


class LinkQuality(QObject):
    """One per window. Only links with spheres and a mesh are in it."""

    #: frozenset of the links of which something else is to be shown.
    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: dict[str, ShownQuality] = {}

    def of(self, link: str) -> ShownQuality | None:
        return self._shown.get(link)

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(self._shown)

    @property
    def is_settled(self) -> bool:
        """Everything is measured."""
        return all(shown.current for shown in self._shown.values())

    def update(self, shown: Mapping[str, ShownQuality]) -> None:
        """Other figures of some links."""
        self.show({**self._shown, **shown})

    def show(self, shown: Mapping[str, ShownQuality]) -> None:
        """Takes the place of what was there; tells what differs."""
        old, self._shown = self._shown, dict(shown)
        different = {k for k in {*old, *self._shown} if old.get(k) != self._shown.get(k)}
        if different:
            self.changed.emit(frozenset(different))


def ratio_text(ratio: float | None) -> str:
    """Return a volume as a share of another one, in percent; "none" for None."""
    return "none" if ratio is None else f"{100 * ratio:,.0f} %".replace(",", "\u202f")


def proof_text(holds: bool, coverage: float | None = 1.0) -> str:
    """Describe a proof. If some surface is uncovered, planes cut it off: the proof concerns the
    rest."""
    if not holds:
        return "✗ not covered"
    return "✓ certified" if coverage is None or coverage >= 0.9995 else "✓ partly"


def share_text(share: float) -> str:
    """A share as a number of per cent, rounded down: 100 means all of it."""
    per_cent = 100 * share
    if per_cent >= 100:
        return "100"
    return f"{math.floor(10 * per_cent) / 10:.1f}" if per_cent >= 90 else f"{per_cent:.0f}"
