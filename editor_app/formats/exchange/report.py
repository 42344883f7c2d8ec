"""What a conversion did, item by item."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    """What became of one item of the input."""

    TAKEN = "taken over"
    TRANSLATED = "translated"
    KEPT = "kept aside"
    #: The target needs it, the input does not say it: a guess of this program, which the user has to look at.
    INVENTED = "invented"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Entry:
    """`item` is named as the input names it; `detail` says how many, what it became, or why it is lost."""

    fate: Fate
    item: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.fate}: {self.item}" + (f": {self.detail}" if self.detail else "")


@dataclass(frozen=True, slots=True)
class ConversionReport:
    """`source` and `target` name the formats ("SRDF", "XRDF 1.0", …)."""

    source: str
    target: str
    entries: tuple[Entry, ...] = ()

    def of(self, fate: Fate) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.fate == fate)

    @property
    def is_lossless(self) -> bool:
        return not self.of(Fate.LOST)

    def lines(self) -> list[str]:
        """Lines for a terminal, a summary at the end."""
        counts = Counter(entry.fate for entry in self.entries)
        lines = [f"{self.source} -> {self.target}", *(f"  {entry}" for entry in self.entries)]
        lines.append("  " + ", ".join(f"{counts.get(fate, 0)} {fate}" for fate in Fate))
        return lines

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        entries = [{"fate": str(e.fate), "item": e.item, "detail": e.detail} for e in self.entries]
        return {"source": self.source, "target": self.target, "entries": entries}


@dataclass(frozen=True, slots=True)
class TextConversion:
    """The text of a new file, and what became of the robot in it."""

    text: str
    report: ConversionReport


class Reporter:
    """Collects entries; empty counts are not worth one."""

    def __init__(self, source: str, target: str) -> None:
        self.source = source
        self.target = target
        self.entries: list[Entry] = []

    def taken(self, item: str, detail: str = "") -> None:
        self.entries.append(Entry(Fate.TAKEN, item, detail))

    def translated(self, item: str, detail: str) -> None:
        self.entries.append(Entry(Fate.TRANSLATED, item, detail))

    def kept(self, item: str, detail: str = "") -> None:
        self.entries.append(Entry(Fate.KEPT, item, detail))

    def invented(self, item: str, detail: str) -> None:
        self.entries.append(Entry(Fate.INVENTED, item, detail))

    def lost(self, item: str, detail: str) -> None:
        self.entries.append(Entry(Fate.LOST, item, detail))

    def report(self) -> ConversionReport:
        return ConversionReport(self.source, self.target, tuple(self.entries))
