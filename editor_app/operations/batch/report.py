"""What a batch has to tell of each robot and of all: figures, and what became of a robot since the last run;
and the page about it: a table of all robots, then pictures, steps, findings and changes of each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from editor_app.model.counting import percent
from editor_app.model.frozen import brief
from editor_app.version import __version__


@dataclass(frozen=True, slots=True)
class BatchRobot:
    """`record`: steps, figures and findings, plain values. `files`: what was written, by name below the robot's folder.

    `reused`: nothing had to be done. `changes`: what differs from the last run. `seconds`: of the steps, wall time.
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
        """Steps that were refused or failed, and errors."""
        steps = len([step for step in self.record["steps"] if step["state"] != "done"])
        return steps + self.count("error")

    def count(self, severity: str) -> int:
        """Findings of a severity: error, warning, info."""
        return len([finding for finding in self.record["findings"] if finding["severity"] == severity])


@dataclass(frozen=True, slots=True)
class BatchReport:
    """`gone`: robots of the last run that are not in the fleet any more. `page`: the report for people.

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
        """Whether every step of every robot was done, and none has an error."""
        return not any(robot.problems for robot in self.robots)


#: Figure -> what it is called, and how it is shown.
FIGURES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "links": ("links", "{}".format),
    "controlled": ("controlled joints", "{}".format),
    "tools": ("tools", "{}".format),
    "placeholders": ("placeholders of limits", "{}".format),
    "guesses": ("guesses", "{}".format),
    "spheres": ("spheres", "{}".format),
    "not_proven": ("links not proven covered", "{}".format),
    "coverage": ("surface covered", percent),
    "visual_surfaces": ("links whose figures are of visual shapes", "{}".format),
    "excess": ("excess volume", "{:.2f}".format),
    "protrusion_mm": ("greatest protrusion", "{:.1f} mm".format),
    "ignored": ("ignored pairs", "{}".format),
    "hidden": ("ignored although they can collide", "{}".format),
    "refused_needlessly": ("refused needlessly", percent),
    "accepted_wrongly": ("accepted wrongly", percent),
    "free_share": ("free configurations", percent),
    "solved_share": ("queries planned", lambda share: percent(share, 0)),
    "unplanned": ("queries not planned, and why", "{}".format),
}


def shown(key: str, value: Any) -> str:
    """A figure as people read it; a dash for one that is not known."""
    if value is None:
        return "–"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return FIGURES[key][1](value)


def changes(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> tuple[str, ...]:
    """The differences between two records of a robot; `before` is None for a robot that was not there."""
    if before is None:
        return ("new in the fleet",)
    told = [
        f"{title}: {shown(key, before['figures'].get(key))} → {shown(key, now['figures'].get(key))}"
        for key, (title, _) in FIGURES.items()
        if shown(key, before["figures"].get(key)) != shown(key, now["figures"].get(key))
    ]
    states = {step["step"]: step for step in before["steps"]}
    for step in now["steps"]:
        old = states.get(step["step"])
        if old is None or old["state"] != step["state"]:
            told.append(f"{step['step']}: {old['state'] if old else 'not done'} → {step['state']}")
    old_findings, new_findings = _counted(before), _counted(now)
    told += [f"new: {code}: {message}" for code, message in (new_findings - old_findings).elements()]
    told += [f"gone: {code}: {message}" for code, message in (old_findings - new_findings).elements()]
    return tuple(told)


def _counted(record: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    return Counter((finding["code"], finding["message"]) for finding in record["findings"])


_COLUMNS = (
    "links", "controlled", "spheres", "coverage", "protrusion_mm", "ignored", "refused_needlessly", "accepted_wrongly",
    "solved_share",
)  # fmt: skip
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #777; --bad: #c62828; --good: #1b7837; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1400px; padding: 0 1em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25em .7em; border-bottom: 1px solid var(--line); text-align: right; vertical-align: middle; }
th { color: var(--quiet); font-weight: 500; position: sticky; top: 0; background: Canvas; }
th:nth-child(-n+2), td:nth-child(-n+2), td:last-child { text-align: left; }
td img { width: 72px; height: 60px; object-fit: cover; border-radius: 4px; display: block; }
section { border-top: 1px solid var(--line); margin-top: 2em; overflow: auto; }
section > img { float: right; max-width: 480px; border-radius: 6px; margin: 1em 0 1em 1em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1em 1em; }
dt { color: var(--quiet); } dd { margin: 0; }
.bad { color: var(--bad); } .good { color: var(--good); } .quiet { color: var(--quiet); }
ul { padding-left: 1.2em; } li { overflow-wrap: anywhere; }
"""


def page(report: BatchReport, title: str) -> str:
    """The page as HTML; what comes from files is text, never markup."""
    robots = report.robots
    sound = sum(not robot.problems for robot in robots)
    worked = [robot for robot in robots if not robot.reused]
    told = (
        f"{len(robots)} robots, {sound} without a problem. Worked on: {len(worked)}, taken over: "
        f"{len(robots) - len(worked)}. xrdf-editor {__version__}."
    )
    notes = "".join(f'<p class="bad">{escape(note)}</p>' for note in report.notes)
    gone = notes + (f"<p>Gone since the last run: {escape(', '.join(report.gone))}.</p>" if report.gone else "")
    head = "".join(f"<th>{escape(FIGURES[key][0])}</th>" for key in _COLUMNS)
    rows = "\n".join(_row(robot, number) for number, robot in enumerate(robots))
    parts = "\n".join(_section(robot, number) for number, robot in enumerate(robots))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style></head><body>\n<h1>{escape(title)}</h1>\n<p>{escape(told)}</p>\n{gone}"
        f"<table><thead><tr><th></th><th>robot</th>{head}<th>errors</th><th>warnings</th><th>seconds</th>"
        f"<th>since the last run</th></tr></thead><tbody>\n{rows}\n</tbody></table>\n{parts}\n</body></html>\n"
    )


def _row(robot: BatchRobot, number: int) -> str:
    figures = robot.record["figures"]
    cells = "".join(f"<td>{escape(shown(key, figures.get(key)))}</td>" for key in _COLUMNS)
    bad = [step for step in robot.record["steps"] if step["state"] != "done"]
    errors = robot.count("error")
    state = f'<br><span class="bad">{escape("; ".join(_step(step) for step in bad))}</span>' if bad else ""
    changed = f"{len(robot.changes)} changes" if len(robot.changes) > 1 else "".join(robot.changes)
    link = f'<a href="#robot-{number}">{escape(robot.name)}</a>'
    return (
        f"<tr><td>{_image(robot)}</td><td>{link}{state}</td>{cells}"
        f'<td class="{"bad" if errors else ""}">{errors}</td><td>{robot.count("warning")}</td>'
        f'<td class="quiet">{sum(robot.seconds.values()):.1f}</td><td>{escape(changed)}</td></tr>'
    )


def _section(robot: BatchRobot, number: int) -> str:
    figures = robot.record["figures"]
    told = [(title, shown(key, figures[key])) for key, (title, _) in FIGURES.items() if key in figures]
    values = "".join(f"<dt>{escape(title)}</dt><dd>{escape(value)}</dd>" for title, value in told)
    findings = [f"{f['severity']} {f['code']}: {f['message']}{_place(f)}" for f in robot.record["findings"]]
    steps = [_step(step) for step in robot.record["steps"] if step["state"] != "done"]
    files = [f'<a href="{_address(robot.name, name)}">{escape(name)}</a>' for name in robot.files]
    return (
        f'<section id="robot-{number}"><h2>{escape(robot.name)}</h2>{_image(robot)}\n<p>{", ".join(files)}</p>'
        f"<dl>{values}</dl>\n{_list('Not done', steps, 'bad')}{_list('Findings', findings)}"
        f"{_list('Since the last run', robot.changes)}{_list('Notes', figures.get('notes', ()), 'quiet')}</section>"
    )


def _image(robot: BatchRobot) -> str:
    if not robot.has_picture:
        return ""
    return f'<img loading="lazy" alt="{escape(robot.name)}" src="{_address(robot.name, "picture.png")}">'


def _address(robot: str, file: str) -> str:
    # ./ before it: a name with a colon would be an address of its own.
    return "./" + quote(os.fsencode(f"{robot}/{file}"))


def _step(step: dict[str, Any]) -> str:
    return f"{step['step']} {step['state']}: {step['message']}"


def _place(finding: dict[str, Any]) -> str:
    if not finding["file"]:
        return ""
    return f" ({finding['file']}" + (f":{finding['line']})" if finding["line"] else ")")


def _list(title: str, sentences: Iterable[str], style: str = "") -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f'<h3>{escape(title)}</h3><ul class="{style}">{items}</ul>\n' if items else ""
