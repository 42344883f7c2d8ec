"""The report of `xrdf-editor plan` as a page: the answer, what is in the way, and the times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor_app.core.model.counting import format_percent
from editor_app.core.verbs.pages import build_list, build_page, build_table


def build_plan_page(record: Mapping[str, Any]) -> str:
    """A page that needs nothing else, of the record of a path, of a straight line or of a smoke
    test."""
    parts: list[object] = [_answer(record)]
    if "median_cpu_ms" in record:
        free = format_percent(record["free_share"])
        parts.append(
            f"{free} of {record['samples']:,} random configurations are free. Median: "
            f"{_ms(record)} of CPU."
        )
    elif record["path"] is not None:
        parts.append(f"{len(record['path'])} points; planned in {record['cpu_ms']:.0f} ms of CPU.")
    blocking = [
        (f"{each['first']} – {each['second']}", _often(each)) for each in record.get("blocking", ())
    ]
    parts.append(build_table("Blocking pairs", ("Pair", "Frequency"), blocking))
    barriers = [*filter(None, [record.get("barrier")]), *record.get("barriers", ())]
    parts.append(build_list("Passages closed by spheres", (each["why"] for each in barriers)))
    parts.append(build_list("Ignored, though their meshes touch", map(_missed, record["missed"])))
    if record.get("times") is not None:
        times = record["times"]
        stops = (
            f", {times['with_stops_s']:.2f} s with a stop at each corner"
            if times["corners"]
            else ""
        )
        parts.append(f"Duration: {times['duration_s']:.2f} s{stops}.")
    return build_page(f"Motions of {record['robot']}", [*parts, *record["notes"]])


def _answer(record: Mapping[str, Any]) -> str:
    told = str(record["told"])
    if "share" in record:
        # A straight line.
        told = (
            f"the line is {told}"
            if record["path"] is not None
            else f"line incomplete: {record['why']}"
        )
    return f"{told[:1].upper()}{told[1:]}."


def _ms(record: Mapping[str, Any]) -> str:
    return f"{record['median_cpu_ms']:.1f} ms"


def _often(entry: Mapping[str, Any]) -> str:
    if "share" in entry:
        return f"in {format_percent(entry['share'])} of the configurations"
    return f"stopped {entry['branches']} branches of the search"


def _missed(entry: Mapping[str, Any]) -> str:
    return f"{entry['first']} – {entry['second']}"


PAGES = {"html": build_plan_page}
