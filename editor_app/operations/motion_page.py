"""The report of a motion as one page of HTML that needs nothing else: pictures and curves are SVG in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.edit.replacing import write_atomically
from editor_app.model.printable import json_text, printable_values
from editor_app.operations.motion_report import NEAR_LIMIT, NEAR_SINGULAR, MotionReport
from editor_app.version import __version__

_STYLE = """
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; --line: #8884; --quiet: #777; --bad: #c62828; }
body { margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15em .6em; border-bottom: 1px solid var(--line); text-align: right; }
th { color: var(--quiet); font-weight: 500; } th:first-child, td:first-child { text-align: left; }
figure { display: inline-block; margin: 0 1em 1em 0; vertical-align: top; }
figcaption { color: var(--quiet); } figure svg { max-width: 22em; height: auto; background: #8881; border-radius: 6px; }
.curve { width: 100%; height: 10em; background: #8881; border-radius: 6px; display: block; }
.bad { color: var(--bad); font-weight: 600; } .quiet { color: var(--quiet); }
ul { padding-left: 1.2em; }
"""
_BLUE, _ORANGE, _RED = "#1565c0", "#ef6c00", "#c62828"


def motion_page(report: MotionReport) -> str:
    """The page; what comes from files is text, never markup."""
    record = printable_values(report.record())
    title = f"Motion of {record['robot']}"
    lines = [
        "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>", f"<h1>{escape(title)}</h1>",
        *_head(record),
        *(f"<figure>{still.svg}<figcaption>{escape(still.title)}</figcaption></figure>" for still in report.pictures),
    ]  # fmt: skip
    if report.pictures:
        lines.append('<p class="quiet">Spheres of the robot, obstacles grey; the red line is the way of the tool.</p>')
    lines += ["<h2>What is proven</h2><ul>", *(f"<li>{escape(text)}</li>" for text in record["proofs"]), "</ul>"]
    lines += [*_clearance(record), *_joints(record), *_singularity(record)]
    lines += [f'<p class="quiet">{escape(note)}</p>' for note in record["notes"]]
    lines += [f'<p class="quiet">xrdf-editor {__version__}</p>', "</body></html>"]
    return "\n".join(lines) + "\n"


def write_report(report: MotionReport, path: str | Path) -> None:
    """HTML for a name that ends so, else JSON. Raises SaveError, OSError."""
    path = Path(path)
    is_page = path.suffix.lower() in (".html", ".htm")
    write_atomically(path, (motion_page(report) if is_page else json_text(report.record())).encode())


def _head(record: dict[str, Any]) -> list[str]:
    free = "Free" if record["free"] else '<span class="bad">Not free</span>'
    duration = "no times" if record["duration_s"] is None else f"{record['duration_s']:.2f} s"
    lines = [f"<p>{free}; {duration}, {record['points']} points, {len(record['joints'])} joints.</p>"]
    lines += [f'<p><span class="bad">Too fast:</span> {escape(each["message"])}.</p>' for each in record["too_fast"]]
    return lines


def _place(record: dict[str, Any], seconds: float) -> str:
    return f"point {seconds + 1:.1f}" if record["duration_s"] is None else f"{seconds:.2f} s"


def _clearance(record: dict[str, Any]) -> list[str]:
    lines, curves = ["<h2>Clearance</h2>"], []
    for key, subject, colour in (("self", "itself", _BLUE), ("obstacles", "obstacles", _ORANGE)):
        closest = record[key]
        if closest is None:
            lines.append(f"<p>Nothing is checked against {subject}.</p>")
            continue
        kind = ' class="bad"' if closest["clearance_m"] <= 0.0 else ""
        least = f"<span{kind}>{closest['clearance_m'] * 1e3:.1f} mm</span> at {_place(record, closest['time_s'])}"
        proven = "" if closest["proven"] else ", not proven free"
        lines.append(
            f'<p><span style="color:{colour}">■</span> From {subject}: {least}, '
            f"{escape(' and '.join(closest['between']))}{proven}.</p>"
        )
        curves.append((colour, [1e3 * each for each in closest["clearances_m"]]))
    return [*lines, *_plot(record, curves, "mm", level=0.0)]


def _joints(record: dict[str, Any]) -> list[str]:
    lines = ["<h2>Joints</h2>", "<table><tr><th>Joint<th>From<th>To<th>To a limit<th>Of the range<th>At"]
    lines.append("<th>Velocity<th>Acceleration<th>Jerk</tr>")
    for use in record["joints"]:
        metres = use["unit"] == "m"
        cells = [escape(use["joint"]), _position(use["lowest"], metres), _position(use["highest"], metres)]
        share = use["share_of_range"]
        near = ' class="bad"' if share is not None and share < NEAR_LIMIT else ""
        cells.append("no limit" if use["room"] is None else f"<span{near}>{_position(use['room'], metres)}</span>")
        cells.append("" if share is None else f"<span{near}>{100.0 * share:.1f} %</span>")
        cells.append("" if use["room"] is None else _place(record, use["time_s"]))
        for rate in ("velocity", "acceleration", "jerk"):
            most = use[rate]
            over = ' class="bad"' if most is not None and most > 1.0 + 1e-6 else ""
            cells.append("" if most is None else f"<span{over}>{100.0 * most:.0f} %</span>")
        lines.append("<tr>" + "".join(f"<td>{cell}" for cell in cells) + "</tr>")
    lines.append('</table><p class="quiet">Velocity, acceleration and jerk: the greatest, of what the files allow.</p>')
    return lines


def _position(value: float, metres: bool) -> str:
    return f"{1e3 * value:.1f} mm" if metres else f"{math.degrees(value):.1f}°"


def _singularity(record: dict[str, Any]) -> list[str]:
    tool = record["singularity"]
    if tool is None:
        return ["<h2>Tool</h2>", "<p>No frame is carried by all joints of this motion.</p>"]
    near = '<span class="bad">close to a singularity</span>' if tool["near"] else "no singularity near"
    text = (
        f"<p>{escape(tool['tool'])}: {near}; the least singular value of its Jacobian is {100.0 * tool['least']:.1f} % "
        f"of the greatest at {_place(record, tool['time_s'])} (below {100.0 * NEAR_SINGULAR:.0f} % joints race while "
        "the tool hardly moves).</p>"
    )
    measure = np.array(tool["manipulability"])
    most = float(measure.max()) or 1.0
    curves = [(_BLUE, [100.0 * each for each in tool["shares"]]), (_ORANGE, (100.0 * measure / most).tolist())]
    legend = (
        f'<p><span style="color:{_BLUE}">■</span> least of greatest singular value, '
        f'<span style="color:{_ORANGE}">■</span> manipulability, of its greatest on the way.</p>'
    )
    return ["<h2>Tool</h2>", text, *_plot(record, curves, "%", level=100.0 * NEAR_SINGULAR), legend]


def _plot(
    record: dict[str, Any], curves: Sequence[tuple[str, Sequence[float]]], unit: str, *, level: float
) -> list[str]:
    """Curves over time, and a red line at `level`."""
    if not curves:
        return []
    moments = np.array(record["moments"])
    every = np.array([values for _, values in curves], float)
    finite = every[np.isfinite(every)]
    if not len(finite):
        return []
    low, high = min(level, float(finite.min())), max(level, float(finite.max()))
    span = (high - low) or 1.0
    x = 1000.0 * moments / (moments[-1] or 1.0)
    parts = []
    for (colour, _), values in zip(curves, every, strict=True):
        y = 95.0 - 90.0 * (values - low) / span
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True) if math.isfinite(b))
        parts.append(_line(f'<polyline points="{points}" fill="none"', colour, 1.5))
    at = 95.0 - 90.0 * (level - low) / span
    parts.append(_line(f'<line x1="0" x2="1000" y1="{at:.1f}" y2="{at:.1f}"', _RED, 1.0))
    begin, end = _place(record, 0.0), _place(record, float(moments[-1]))
    return [
        '<svg class="curve" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img">' + "".join(parts) + "</svg>",
        f'<p class="quiet">{low:.1f} to {high:.1f} {unit}, {begin} to {end}; the red line is at {level:g} {unit}.</p>',
    ]


def _line(start: str, colour: str, width: float) -> str:
    return f'{start} stroke="{colour}" stroke-width="{width:g}" vector-effect="non-scaling-stroke"/>'
