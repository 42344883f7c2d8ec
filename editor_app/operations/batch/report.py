"""What a batch has to tell of each robot and of all: figures, and what became of a robot since the last run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.model.brief import brief
from editor_app.model.counting import percent


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
