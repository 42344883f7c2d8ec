"""What `xrdf-editor collide` reports: configurations and the ways between them as JSON, CSV, or a page with a plot."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from editor_app.cli._records import as_csv_text, as_page
from editor_app.model.counting import percent
from editor_app.operations.collide import Collided, Moment, Passage, Touch

_COLUMNS = (
    "index", "label", "time_s", "at", "free", "clearance_m", "first", "second", "kind", "solid", "masked", "depth_m",
    "sphere1", "sphere2",
)  # fmt: skip


def report(head: Mapping[str, Any], collided: Collided) -> dict[str, Any]:
    """Everything. Lengths in metres, angles in radians, times in seconds."""
    worst = collided.worst()
    return {
        **head,
        "geometry": collided.geometry.value,
        "free": collided.all_free,
        "count": len(collided),
        "colliding": int((~collided.free).sum()),
        "worst": None if worst is None else {
            "index": worst.index,
            "at": worst.at,
            "time_s": worst.time,
            "clearance_m": worst.clearance,
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
            room.joint: {"position": room.position, "to_lower": room.to_lower, "to_upper": room.to_upper}
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
        "solid": touch.solid,
        "masked": touch.masked,
        "depth_m": touch.depth,
        "spheres": [{"group": s.group, "frame": s.frame, "index": s.index} for s in touch.spheres],
        "at": touch.at,
    }


def as_csv(record: Mapping[str, Any]) -> str:
    """One line per configuration or way and pair that touches; one without a pair where nothing does."""
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


STYLE = """.bad { color: #c62828; font-weight: 600; }
svg { width: 100%; height: 12em; background: #8881; }
"""


def as_html(record: Mapping[str, Any]) -> str:
    """A page that needs nothing else: the verdict, the worst moment, the clearance as a plot, the collisions."""
    esc = html.escape
    verdict = "Free" if record["free"] else '<span class="bad">Not free</span>'
    lines = [
        f"<p>{verdict}: {record['colliding']} of {record['count']} configurations collide "
        f"({esc(record['geometry'])}).</p>",
    ]
    worst = record["worst"]
    if worst is not None:
        way = f", {percent(worst['at'], 0)} of the way to the next" if worst["at"] else ""
        time = f" ({worst['time_s']:.3f} s)" if worst["time_s"] is not None else ""
        lines.append(
            f"<p>Worst moment: configuration {worst['index'] + 1}{way}{time}, "
            f"{worst['clearance_m'] * 1e3:.1f} mm between {esc(' and '.join(worst['between']))}.</p>"
        )
    for each in record["too_fast"]:
        lines.append(f'<p><span class="bad">Too fast:</span> {esc(each["message"])}.</p>')
    lines.append(_plot(record))
    lines.append("<table><tr><th>#<th>Configuration<th>Clearance, mm<th>Collisions<th>Beyond limits</tr>")
    for entry in record["configurations"]:
        if entry["collisions"] or entry["beyond_limits"] or record["count"] <= 200:
            clearance = "" if entry["clearance_m"] is None else f"{entry['clearance_m'] * 1e3:.1f}"
            lines.append(
                f"<tr><td>{entry['index'] + 1}<td>{esc(entry['label'])}<td class='n'>{clearance}"
                f"<td>{_touches(entry)}<td>{esc(', '.join(entry['beyond_limits']))}</tr>"
            )
    for entry in record["between"]:
        if not entry["free"]:
            clearance = "" if entry["clearance_m"] is None else f"{entry['clearance_m'] * 1e3:.1f}"
            lines.append(
                f"<tr><td>{entry['from'] + 1}–{entry['to'] + 1}<td>on the way<td class='n'>{clearance}"
                f"<td>{_touches(entry) or 'could not be proven free'}<td></tr>"
            )
    lines.append("</table>")
    lines += [f"<p>{esc(note)}</p>" for note in record["notes"]]
    return as_page(f"Collisions of {record['robot']}", lines, STYLE)


def _touches(entry: Mapping[str, Any]) -> str:
    parts = []
    for touch in entry["collisions"]:
        depth = "" if touch["depth_m"] is None else f" {touch['depth_m'] * 1e3:.1f} mm"
        text = html.escape(f"{touch['first']} – {touch['second']}{depth}")
        parts.append(f"{text} (ignored)" if touch["masked"] else f'<span class="bad">{text}</span>')
    return "<br>".join(parts)


def _plot(record: Mapping[str, Any]) -> str:
    points = [(float(e["index"]), e["clearance_m"]) for e in record["configurations"] if e["clearance_m"] is not None]
    points += [(e["from"] + e["at"], e["clearance_m"]) for e in record["between"] if e["clearance_m"] is not None]
    if len(points) < 2:
        return ""
    points.sort()
    low, high = min(0.0, *(c for _, c in points)), max(0.0, *(c for _, c in points))
    span, width = (high - low) or 1.0, points[-1][0] or 1.0

    def y(value: float) -> float:
        return float(95.0 - 90.0 * (value - low) / span)

    line = " ".join(f"{1000.0 * x / width:.2f},{y(c):.2f}" for x, c in points)
    return (
        '<svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="Clearance along the trajectory">'
        f'<line x1="0" x2="1000" y1="{y(0.0):.2f}" y2="{y(0.0):.2f}" stroke="#c62828" '
        'vector-effect="non-scaling-stroke"/>'
        f'<polyline points="{line}" fill="none" stroke="currentColor" vector-effect="non-scaling-stroke"/></svg>'
        f"<p>Clearance from {low * 1e3:.1f} to {high * 1e3:.1f} mm; the red line is contact.</p>"
    )


PAGES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"csv": as_csv, "html": as_html}
