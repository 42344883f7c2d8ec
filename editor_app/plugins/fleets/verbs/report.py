"""Report of a batch about each robot and all: figures, and changes since the last run;
and the page about it: a table of all robots, then pictures, steps, findings and changes of each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from editor_app.core.model.counting import format_list, format_percent
from editor_app.core.model.frozen import brief
from editor_app.core.verbs.pages import Markup, build_list, build_page, build_table, mark_text
from editor_app.version import __version__


@dataclass(frozen=True, slots=True)
class BatchRobot:
    """`record`: steps, figures and findings, plain values. `files`: what was written, by name below
    the robot's folder.

    `reused`: nothing had to be done. `changes`: what differs from the last run. `seconds`: of the
    steps, wall time.
    """

    name: str
    record: Mapping[str, Any]
    files: tuple[str, ...]
    seconds: Mapping[str, float]
    reused: bool
    changes: tuple[str, ...]
    has_picture: bool = False

    __repr__ = brief

    @property
    def problems(self) -> int:
        """Steps that were refused or failed, errors, and links whose meshes are missing."""
        steps = len([step for step in self.record["steps"] if step["state"] != "done"])
        return steps + self.count("error") + len(self.missing_meshes)

    @property
    def missing_meshes(self) -> tuple[str, ...]:
        """The links whose mesh files are not found: their spheres are of other shapes, or there are
        none."""
        return tuple(self.record["figures"].get("missing_meshes", ()))

    def count(self, severity: str) -> int:
        """Findings of a severity: error, warning, info."""
        return len(
            [finding for finding in self.record["findings"] if finding["severity"] == severity]
        )


@dataclass(frozen=True, slots=True)
class BatchReport:
    """`gone`: robots of the last run that are not in the fleet any more. `page`: the report for
    people.

    `notes`: what was wrong with the folder of the results.
    """

    robots: tuple[BatchRobot, ...]
    gone: tuple[str, ...]
    page: Path
    wall_seconds: float
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def is_sound(self) -> bool:
        """True if every step of every robot was done, and none has an error or misses a mesh."""
        return not any(robot.problems for robot in self.robots)

    @property
    def misses_meshes_alone(self) -> bool:
        """True if meshes are missing, and nothing else is wrong."""
        return not self.is_sound and all(
            robot.problems == len(robot.missing_meshes) for robot in self.robots
        )


#: Figure -> what it is called, and how it is shown.
FIGURES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "links": ("links", "{}".format),
    "controlled": ("controlled joints", "{}".format),
    "tools": ("tools", "{}".format),
    "placeholders": ("placeholder limits", "{}".format),
    "guesses": ("guesses", "{}".format),
    "spheres": ("spheres", "{}".format),
    "missing_meshes": ("links with missing meshes", "{}".format),
    "not_proven": ("links not proven covered", "{}".format),
    "coverage": ("surface covered", format_percent),
    "visual_surfaces": ("links rated by visual shapes", "{}".format),
    "excess": ("excess volume", "{:.2f}".format),
    "protrusion_mm": ("maximum protrusion", "{:.1f} mm".format),
    "ignored": ("ignored pairs", "{}".format),
    "hidden": ("ignored although they can collide", "{}".format),
    "false_collisions": ("false collisions", format_percent),
    "missed_collisions": ("missed collisions", format_percent),
    "free_share": ("free configurations", format_percent),
    "solved_share": ("queries planned", lambda share: format_percent(share, 0)),
    "tests_passed": ("tests passed", lambda share: format_percent(share, 0)),
    "unplanned": ("queries not planned, and why", "{}".format),
}


def format_figure(key: str, value: Any) -> str:
    """A figure as people read it; a dash for one that is not known."""
    if value is None:
        return "–"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return FIGURES[key][1](value)


def changes(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> tuple[str, ...]:
    """The differences between two records of a robot; `before` is None for a robot that was not
    there."""
    if before is None:
        return ("new in the fleet",)
    told = [
        f"{title}: {format_figure(key, before['figures'].get(key))} → "
        f"{format_figure(key, now['figures'].get(key))}"
        for key, (title, _) in FIGURES.items()
        if format_figure(key, before["figures"].get(key))
        != format_figure(key, now["figures"].get(key))
    ]
    states = {step["step"]: step for step in before["steps"]}
    for step in now["steps"]:
        old = states.get(step["step"])
        if old is None or old["state"] != step["state"]:
            told.append(f"{step['step']}: {old['state'] if old else 'not done'} → {step['state']}")
    old_findings, new_findings = _counted(before), _counted(now)
    told += [
        f"new: {code}: {message}" for code, message in (new_findings - old_findings).elements()
    ]
    told += [
        f"gone: {code}: {message}" for code, message in (old_findings - new_findings).elements()
    ]
    return tuple(told)


def _counted(record: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    return Counter((finding["code"], finding["message"]) for finding in record["findings"])


_COLUMNS = (
    "links",
    "controlled",
    "spheres",
    "coverage",
    "protrusion_mm",
    "ignored",
    "false_collisions",
    "missed_collisions",
    "solved_share",
    "tests_passed",
)
_STYLE = """
th { position: sticky; top: 0; background: Canvas; }
td img { width: 72px; height: 60px; object-fit: cover; border-radius: 4px; display: block; }
section { border-top: 1px solid var(--line); margin-top: 2em; overflow: auto; }
section > img { float: right; max-width: 480px; border-radius: 6px; margin: 1em 0 1em 1em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1em 1em; }
dt { color: var(--quiet); } dd { margin: 0; }
"""


def page(report: BatchReport, title: str) -> str:
    """The page as HTML; what comes from files is text, never markup."""
    robots = report.robots
    sound = sum(not robot.problems for robot in robots)
    worked = [robot for robot in robots if not robot.reused]
    told = (
        f"{len(robots)} robots, {sound} without a problem. Processed: {len(worked)}, kept: "
        f"{len(robots) - len(worked)}. xrdf-editor {__version__}."
    )
    columns = ("", "robot", *(FIGURES[key][0] for key in _COLUMNS), "errors", "warnings", "seconds")
    rows = (_row(robot, number) for number, robot in enumerate(robots))
    parts = [
        told,
        *(mark_text(note, "bad", "p") for note in report.notes),
        *([f"Removed since the last run: {', '.join(report.gone)}."] if report.gone else []),
        build_table("", (*columns, "since the last run"), rows),
        *(_section(robot, number) for number, robot in enumerate(robots)),
    ]
    return build_page(title, parts, _STYLE)


def _row(robot: BatchRobot, number: int) -> tuple[object, ...]:
    figures = robot.record["figures"]
    bad = [step for step in robot.record["steps"] if step["state"] != "done"]
    errors = robot.count("error")
    wrong = list(map(_step, bad))
    if robot.missing_meshes:
        wrong.append(f"meshes missing: {format_list(robot.missing_meshes, 5)}")
    state = f"<br>{mark_text('; '.join(wrong), 'bad')}" if wrong else ""
    changed = f"{len(robot.changes)} changes" if len(robot.changes) > 1 else "".join(robot.changes)
    return (
        _image(robot),
        Markup(f'<a href="#robot-{number}">{mark_text(robot.name)}</a>{state}'),
        *(format_figure(key, figures.get(key)) for key in _COLUMNS),
        mark_text(errors, "bad" if errors else ""),
        robot.count("warning"),
        f"{sum(robot.seconds.values()):.1f}",
        changed,
    )


def _section(robot: BatchRobot, number: int) -> Markup:
    figures = robot.record["figures"]
    told = [
        (title, format_figure(key, figures[key]))
        for key, (title, _) in FIGURES.items()
        if key in figures
    ]
    values = "".join(
        mark_text(title, tag="dt") + mark_text(value, tag="dd") for title, value in told
    )
    findings = [
        f"{f['severity']} {f['code']}: {f['message']}{_place(f)}" for f in robot.record["findings"]
    ]
    steps = [_step(step) for step in robot.record["steps"] if step["state"] != "done"]
    files = ", ".join(
        f'<a href="{_address(robot.name, name)}">{mark_text(name)}</a>' for name in robot.files
    )
    lists = (
        ("Not done", steps, "bad"),
        ("Findings", findings, ""),
        ("Since the last run", robot.changes, ""),
        ("Notes", figures.get("notes", ()), "quiet"),
    )
    return Markup(
        f"<section "
        f'id="robot-{number}">{mark_text(robot.name, tag="h2")}{_image(robot)}\n<p>{files}</p><dl>{values}</dl>\n'
        + "\n".join(
            build_list(heading, sentences, style, "h3") for heading, sentences, style in lists
        )
        + "</section>"
    )


def _image(robot: BatchRobot) -> Markup:
    if not robot.has_picture:
        return Markup()
    return Markup(
        f'<img loading="lazy" alt="{escape(robot.name)}" '
        f'src="{_address(robot.name, "picture.png")}">'
    )


def _address(robot: str, file: str) -> str:
    # ./ before it: a name with a colon would be an address of its own.
    return "./" + quote(os.fsencode(f"{robot}/{file}"))


def _step(step: dict[str, Any]) -> str:
    return f"{step['step']} {step['state']}: {step['message']}"


def _place(finding: dict[str, Any]) -> str:
    if not finding["file"]:
        return ""
    return f" ({finding['file']}" + (f":{finding['line']})" if finding["line"] else ")")
