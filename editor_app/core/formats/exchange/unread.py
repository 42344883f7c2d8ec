"""Parts of a file that its reader left out of the model, counted by the list or the element that
they are in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.findings import Finding, YamlPath

#: The target of reports about what a reader left out.
AS_READ = "the robot as it was read"
#: Parts that one sentence names.
_MOST = 6
_KEY = "key"


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """`count` things in the `item` that cannot be read; `finding` is about the first of them."""

    item: str
    noun: str
    count: int
    finding: Finding

    @property
    def amount(self) -> str:
        """How many things of which kind: "2 spheres"."""
        return format_count(self.count, self.noun)

    def __str__(self) -> str:
        return (
            f"{self.amount} of {self.item}" if self.noun != "part" or self.count > 1 else self.item
        )


def unread_parts(findings: Iterable[Finding]) -> tuple[UnreadPart, ...]:
    """The parts that readers left out, in the order of the file. Several faults of one sphere are
    one sphere."""
    worst: dict[tuple[str, object], Finding] = {}
    for finding in findings:
        thing = finding.lost, _thing(finding.path) or finding.location
        if finding.lost and (thing not in worst or worst[thing].severity < finding.severity):
            worst[thing] = finding
    parts: dict[tuple[str, str], list[Finding]] = {}
    for finding in worst.values():
        parts.setdefault((finding.lost, _noun(finding)), []).append(finding)
    return tuple(
        UnreadPart(item, noun, len(of_item), of_item[0]) for (item, noun), of_item in parts.items()
    )


def unread_report(
    kind: str, findings: Iterable[Finding], *, is_patched: bool = False
) -> ConversionReport:
    """A report that lists the parts as lost; without entries where the reader understood
    everything.

    `is_patched`: the text of the file is written again with what differs, so that keys of another
    program are kept.
    """
    out = Reporter(kind, AS_READ)
    for part in unread_parts(findings):
        place = f" ({part.finding.location})" if part.finding.location is not None else ""
        is_kept = is_patched and part.noun == _KEY
        stays = "; it stays in the text" if is_kept else ""
        detail = f"{part.amount} cannot be read: {part.finding.message.rstrip('.')}{place}{stays}"
        (out.kept if is_kept else out.unread)(part.item, detail)
    return out.report()


def unread_note(file: str, findings: Iterable[Finding]) -> str:
    """A sentence for a verb that goes on without these parts; "" where there are none."""
    parts = unread_parts(findings)
    return (
        f"{file}: left out because they cannot be read: {format_list(map(str, parts), _MOST)}"
        if parts
        else ""
    )


def _thing(path: YamlPath) -> YamlPath:
    """The item of the list that a path leads into; the whole path where it leads into none."""
    end = next((place for place, step in enumerate(path) if isinstance(step, int)), len(path) - 1)
    return path[: end + 1]


def _noun(finding: Finding) -> str:
    if finding.code == "XRDF004":
        return _KEY
    if finding.path[:1] == ("geometry",) and any(isinstance(step, int) for step in finding.path):
        return "sphere"
    return "value" if finding.path else "part"
