"""Reports of `xrdf-editor collide`: configurations and the ways between them as JSON, CSV, or a
page with a plot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from editor_app.cli._records import as_csv_text
from editor_app.core.model.counting import format_percent
from editor_app.core.model.options import attribute_record
from editor_app.core.verbs.pages import (
    DRAWN,
    Markup,
    as_curves,
    build_page,
    build_table,
    mark_text,
    too_fast,
)
from editor_app.plugins.motion.verbs.collide import Collided, Moment, Passage, Touch

_COLUMNS = (
    "index",
    "label",
    "time_s",
    "at",
    "free",
    "clearance_m",
    "first",
    "second",
    "kind",
    "solid",
    "masked",
    "missed",
    "depth_m",
    "sphere1",
    "sphere2",
)


def build_collide_record(head: Mapping[str, Any], collided: Collided) -> dict[str, Any]:
    """Everything. Lengths in metres, angles in radians, times in seconds."""
    worst = collided.worst()
    return {
        **head,
        "geometry": collided.geometry.value,
        "free": collided.all_free,
        "count": len(collided),
        "colliding": int((~collided.free).sum()),
        "worst": None if worst is None else {
            **attribute_record(worst, "index", "at", time_s="time", clearance_m="clearance"),
            "between": list(worst.nearest),
            "joints": dict(zip(collided.model.variables, worst.values.tolist(), strict=True)),
        },
        "configurations": [_moment(collided.moment(k)) for k in range(len(collided))],
        "between": [_passage(passage) for passage in collided.passages],
        "too_fast": [each.record() for each in collided.too_fast],
        "notes": list(collided.notes),
    }  # fmt: skip


def _moment(moment: Moment) -> dict[str, Any]:
    return {
        "index": moment.index,
        "label": moment.label,
        "time_s": moment.time,
        "free": moment.free,
        "clearance_m": moment.clearance,
        "nearest": list(moment.nearest) if moment.nearest else None,
        "collisions": [_touch(touch) for touch in moment.touches],
        "limits": {
            room.joint: attribute_record(room, "position", "to_lower", "to_upper")
            for room in moment.limits
        },
        "beyond_limits": [room.joint for room in moment.beyond_limits],
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "from": passage.index,
        "to": passage.index + 1,
        "free": passage.free,
        "undecided": passage.undecided,
        "clearance_m": passage.clearance,
        "at": passage.at,
        "nearest": list(passage.nearest) if passage.nearest else None,
        "collisions": [_touch(touch) for touch in passage.touches],
    }


def _touch(touch: Touch) -> dict[str, Any]:
    return {
        "first": touch.first,
        "second": touch.second,
        "kind": "obstacle" if touch.is_obstacle else "self",
        **attribute_record(touch, "solid", "masked", "missed", depth_m="depth"),
        "spheres": [attribute_record(s, "group", "frame", "index") for s in touch.spheres],
        "at": touch.at,
    }


def build_collide_csv(record: Mapping[str, Any]) -> str:
    """One line per configuration or way and pair that touches; one without a pair where nothing
    does."""
    return as_csv_text(_COLUMNS, _rows(record))


def _rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for entry in record["configurations"]:
        for touch in entry["collisions"] or [None]:
            yield {**entry, **_touch_row(touch), "at": None}
    for entry in record["between"]:
        for touch in entry["collisions"]:
            yield {**entry, **_touch_row(touch), "index": entry["from"], "label": "", "time_s": ""}


def _touch_row(touch: Mapping[str, Any] | None) -> dict[str, Any]:
    if touch is None:
        return {}
    spheres = [f"{s['frame']}[{s['index']}]" for s in touch["spheres"]] + ["", ""]
    return {**touch, "sphere1": spheres[0], "sphere2": spheres[1]}


_UNPROVEN = "could not be proven free"


def build_collide_page(record: Mapping[str, Any]) -> str:
    """A page that needs nothing else: the verdict, the worst moment, the clearance as a plot, the
    collisions."""
    verdict = mark_text("Free") if record["free"] else mark_text("Not free", "bad")
    of_all = (
        f": {record['colliding']} of {record['count']} configurations collide "
        f"({record['geometry']})."
    )
    parts: list[object] = [mark_text(Markup(verdict + mark_text(of_all)), tag="p")]
    worst = record["worst"]
    if worst is not None:
        way = f", {format_percent(worst['at'], 0)} of the way to the next" if worst["at"] else ""
        time = f" ({worst['time_s']:.3f} s)" if worst["time_s"] is not None else ""
        parts.append(
            f"Worst moment: configuration {worst['index'] + 1}{way}{time}, "
            f"{worst['clearance_m'] * 1e3:.1f} mm between {' and '.join(worst['between'])}."
        )
    parts += [too_fast(each["message"]) for each in record["too_fast"]]
    points = [
        (float(e["index"]), e["clearance_m"])
        for e in record["configurations"]
        if e["clearance_m"] is not None
    ]
    points += [
        (e["from"] + e["at"], e["clearance_m"])
        for e in record["between"]
        if e["clearance_m"] is not None
    ]
    curve, low, high = as_curves(
        [("currentColor", sorted(points))], 0.0, "Clearance along the trajectory"
    )
    if curve:
        parts += [
            curve,
            f"Clearance from {low * 1e3:.1f} to {high * 1e3:.1f} mm; the red line is contact.",
        ]
    rows: list[tuple[object, ...]] = [
        (
            str(entry["index"] + 1),
            entry["label"],
            _mm(entry),
            _touches(entry),
            ", ".join(entry["beyond_limits"]),
        )
        for entry in record["configurations"]
        if entry["collisions"] or entry["beyond_limits"] or record["count"] <= 200
    ]
    rows += [
        (
            f"{entry['from'] + 1}–{entry['to'] + 1}",
            "on the way",
            _mm(entry),
            _touches(entry) or _UNPROVEN,
            "",
        )
        for entry in record["between"]
        if not entry["free"]
    ]
    parts.append(
        build_table(
            "", ("#", "Configuration", "Clearance, mm", "Collisions", "Beyond limits"), rows
        )
    )
    return build_page(f"Collisions of {record['robot']}", [*parts, *record["notes"]])


def _mm(entry: Mapping[str, Any]) -> str:
    return "" if entry["clearance_m"] is None else f"{entry['clearance_m'] * 1e3:.1f}"


def _touches(entry: Mapping[str, Any]) -> Markup:
    """The pairs that touch; ignored ones behind the others, and on the page alone."""
    checked, ignored = [], []
    for touch in entry["collisions"]:
        depth = "" if touch["depth_m"] is None else f" {touch['depth_m'] * 1e3:.1f} mm"
        text = f"{touch['first']} – {touch['second']}{depth}"
        text += " (missed: the pair is not checked)" if touch["missed"] else ""
        if touch["masked"]:
            ignored.append(mark_text(f"{text} (ignored)"))
        else:
            checked.append(mark_text(text, "bad"))
    rest = Markup("<br>".join(ignored))
    return Markup("<br>".join(checked) + (mark_text(rest, DRAWN, "div") if rest else ""))


PAGES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "csv": build_collide_csv,
    "html": build_collide_page,
}
