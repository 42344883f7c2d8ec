"""The report of a motion as one page of HTML that needs nothing else: pictures and curves are SVG
in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.document.writing import NO_INPUTS, write_files
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.printable import json_text, printable_values
from editor_app.core.verbs.pages import (
    Markup,
    as_curves,
    build_list,
    build_page,
    build_table,
    mark_text,
    too_fast,
)
from editor_app.plugins.motion.verbs.motion_report import NEAR_LIMIT, NEAR_SINGULAR, MotionReport
from editor_app.version import __version__

_STYLE = "figure svg { max-width: 22em; height: auto; background: #8881; border-radius: 6px; }"
_BLUE, _ORANGE = "#1565c0", "#ef6c00"
_RATES = ("velocity", "acceleration", "jerk")


def motion_page(report: MotionReport) -> str:
    """The page; what comes from files is text, never markup."""
    record = printable_values(report.record())
    title = f"Motion of {record['robot']}"
    parts: list[object] = [
        *_head(record),
        *(
            Markup(f"<figure>{still.svg}<figcaption>{mark_text(still.title)}</figcaption></figure>")
            for still in report.pictures
        ),
    ]
    if report.pictures:
        parts.append(
            _quiet("Spheres of the robot, obstacles grey; the red line is the path of the tool.")
        )
    parts += [
        build_list("Proven", record["proofs"]),
        *_clearance(record),
        *_joints(record),
        *_singularity(record),
    ]
    return build_page(
        title, [*parts, *map(_quiet, record["notes"]), _quiet(f"xrdf-editor {__version__}")], _STYLE
    )


def _quiet(text: str) -> Markup:
    return mark_text(text, "quiet", "p")


def write_report(
    report: MotionReport, path: str | Path, *, overwrite: bool = False, inputs: Inputs = NO_INPUTS
) -> None:
    """HTML for a name that ends so, else JSON. `overwrite` replaces a file that exists.

    `inputs` are the files that the report was made from. Raises ChangedOnDiskError when one of them
    changed since it was read, SaveError when the file exists or cannot be written.
    """
    path = Path(path)
    is_page = path.suffix.lower() in (".html", ".htm")
    text = motion_page(report) if is_page else json_text(report.record())
    write_files([(path, text.encode())], inputs, overwrite=overwrite, make_folders=False)


def _head(record: dict[str, Any]) -> list[Markup]:
    free = mark_text("Free") if record["free"] else mark_text("Not free", "bad")
    duration = "no times" if record["duration_s"] is None else f"{record['duration_s']:.2f} s"
    figures = f"; {duration}, {record['points']} points, {len(record['joints'])} joints."
    return [
        mark_text(Markup(free + figures), tag="p"),
        *(too_fast(each["message"]) for each in record["too_fast"]),
    ]


def _place(record: dict[str, Any], seconds: float) -> str:
    return f"point {seconds + 1:.1f}" if record["duration_s"] is None else f"{seconds:.2f} s"


def _clearance(record: dict[str, Any]) -> list[object]:
    parts: list[object] = [mark_text("Clearance", tag="h2")]
    curves = []
    for key, subject, colour in (("self", "itself", _BLUE), ("obstacles", "obstacles", _ORANGE)):
        closest = record[key]
        if closest is None:
            parts.append(f"No checks against {subject}.")
            continue
        least = mark_text(
            f"{closest['clearance_m'] * 1e3:.1f} mm", "bad" if closest["clearance_m"] <= 0.0 else ""
        )
        proven = "" if closest["proven"] else ", not proven free"
        between = mark_text(
            f"{_place(record, closest['time_s'])}, {' and '.join(closest['between'])}{proven}."
        )
        parts.append(Markup(f"<p>{_key(colour)} From {subject}: {least} at {between}</p>"))
        curves.append((colour, [1e3 * each for each in closest["clearances_m"]]))
    return [*parts, *_plot(record, curves, "mm", level=0.0)]


def _key(colour: str) -> str:
    return f'<span style="color:{colour}">■</span>'


def _joints(record: dict[str, Any]) -> list[Markup]:
    rows = []
    for use in record["joints"]:
        metres, share = use["unit"] == "m", use["share_of_range"]
        near = "bad" if share is not None and share < NEAR_LIMIT else ""
        rows.append((
            use["joint"], _position(use["lowest"], metres), _position(use["highest"], metres),
            "no limit" if use["room"] is None else mark_text(_position(use["room"], metres), near),
            "" if share is None else mark_text(f"{100.0 * share:.1f} %", near),
            "" if use["room"] is None else _place(record, use["time_s"]),
            *(_rate(use[rate]) for rate in _RATES),
        ))  # fmt: skip
    head = (
        "Joint",
        "From",
        "To",
        "To a limit",
        "Share of the range",
        "At",
        *map(str.capitalize, _RATES),
    )
    told = "Velocity, acceleration and jerk: maximum, as share of the limits in the files."
    return [build_table("Joints", head, rows), _quiet(told)]


def _rate(most: float | None) -> Markup:
    """The greatest one, of what the files allow."""
    return (
        Markup()
        if most is None
        else mark_text(f"{100.0 * most:.0f} %", "bad" if most > 1.0 + 1e-6 else "")
    )


def _position(value: float, metres: bool) -> str:
    return f"{1e3 * value:.1f} mm" if metres else f"{math.degrees(value):.1f}°"


def _singularity(record: dict[str, Any]) -> list[object]:
    tool = record["singularity"]
    if tool is None:
        return [mark_text("Tool", tag="h2"), "No frame is moved by all joints of this motion."]
    near = mark_text("close to a singularity", "bad") if tool["near"] else "no singularity near"
    text = (
        f"<p>{mark_text(tool['tool'])}: {near}; the smallest singular value of its Jacobian is "
        f"{100.0 * tool['least']:.1f} % of the largest at {_place(record, tool['time_s'])} (below "
        f"{100.0 * NEAR_SINGULAR:.0f} % joints move fast while the tool hardly moves).</p>"
    )
    measure = np.array(tool["manipulability"])
    most = float(measure.max()) or 1.0
    curves = [
        (_BLUE, [100.0 * each for each in tool["shares"]]),
        (_ORANGE, (100.0 * measure / most).tolist()),
    ]
    legend = (
        f"<p>{_key(_BLUE)} smallest to largest singular value, {_key(_ORANGE)} manipulability, "
        "relative to its "
        "maximum on the path.</p>"
    )
    plot = _plot(record, curves, "%", level=100.0 * NEAR_SINGULAR)
    return [mark_text("Tool", tag="h2"), Markup(text), *plot, Markup(legend)]


def _plot(
    record: dict[str, Any],
    curves: Sequence[tuple[str, Sequence[float]]],
    unit: str,
    *,
    level: float,
) -> list[Markup]:
    """Curves over time, and a red line at `level`."""
    moments = record["moments"]
    begin, end = _place(record, 0.0), _place(record, float(moments[-1]))
    lines = [(colour, list(zip(moments, values, strict=True))) for colour, values in curves]
    plot, low, high = as_curves(lines, level, f"Curves from {begin} to {end}")
    told = f"{low:.1f} to {high:.1f} {unit}, {begin} to {end}; the red line is at {level:g} {unit}."
    return [plot, _quiet(told)] if plot else []
