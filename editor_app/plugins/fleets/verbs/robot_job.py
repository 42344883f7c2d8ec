"""One robot of a fleet through its steps: a job for a process of its own, here or on another
machine.

What a step refuses is told, and the next one goes on where it can; nothing that a robot does ends
the fleet.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.document.saving import SaveError
from editor_app.core.feature import hook
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.model_cost import with_old_keys
from editor_app.core.model.profile import Profile
from editor_app.core.model.refusal import Refusal
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK
from editor_app.core.space.geometry.paths import missing_meshes
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.convert import ConvertOptions, convert
from editor_app.core.verbs.open import open_robot
from editor_app.features.checks.verbs.check import check
from editor_app.features.draft.verbs.new import NewSettings, new
from editor_app.features.masks.verbs.mask import Mask, mask
from editor_app.features.spheres.engine.settings import FittingError
from editor_app.features.spheres.verbs.fit import RobotFit, fit
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.plugins.fleets.verbs.fleet import InputFile, RobotInputs, staged
from editor_app.plugins.motion.verbs.plan import smoke_test
from editor_app.plugins.planning.verbs.model_cost import ModelCost

#: What a verb raises with a sentence for the user.
_REFUSALS = (
    Refusal,
    FormatError,
    FittingError,
    CannotApply,
    SaveError,
    ValueError,
    ImportError,
    OSError,
)
#: Seconds per query of the planner, a thousand times what most take; twenty queries without a path
#: cost a minute.
_QUERY_SECONDS = 3.0
#: Of formats whose files are not named like the format.
_ENDINGS = {
    "curobo": ".curobo.yml",
    "lula": ".lula.yaml",
    "collada": ".dae",
    "spheres-urdf": ".spheres.urdf",
}


@dataclass(frozen=True, slots=True)
class RobotResult:
    """`record`: what the report says, plain values that do not depend on machine or time. `files`:
    name -> content.

    `seconds`: of each step, wall time.
    """

    name: str
    record: dict[str, Any]
    files: dict[str, bytes]
    seconds: dict[str, float]


def failed(name: str, step: str, message: str) -> RobotResult:
    """The result of a robot that could not be worked on."""
    record = {
        "steps": [{"step": step, "state": "failed", "message": message}],
        "figures": {},
        "findings": [],
    }
    return RobotResult(name, record, {}, {})


def work_on_robot(
    reporter: TaskReporter, inputs: RobotInputs, contents: Mapping[str, bytes] = FrozenDict()
) -> RobotResult:
    """Take one robot through its steps. `contents`: digest -> bytes; empty where the files can be
    read in place."""

    def read(file: InputFile) -> bytes:
        content = contents.get(file.digest)
        return file.source.read_bytes() if content is None else content

    with tempfile.TemporaryDirectory(
        prefix="xrdf-editor-batch-", ignore_cleanup_errors=True
    ) as name:
        folder = Path(name).resolve()
        return _Work(inputs, folder, staged(inputs, folder, read), reporter).result()


class _Work:
    """The steps of one robot, one after the other, and what they left."""

    def __init__(
        self, inputs: RobotInputs, folder: Path, meshes: Mapping[str, Path], reporter: TaskReporter
    ) -> None:
        self._inputs, self._folder, self._meshes, self._reporter = inputs, folder, meshes, reporter
        self._settings = inputs.settings
        self._document: Document | None = None
        self._steps: list[dict[str, str]] = []
        self._seconds: dict[str, float] = {}
        self._figures: dict[str, Any] = {}
        self._findings: tuple[Finding, ...] = ()
        self._files: dict[str, bytes] = {}
        #: Steps that the verb new has done along.
        self._together: list[str] = []

    def result(self) -> RobotResult:
        """Does the steps. Raises nothing but what ends the process."""
        run: dict[str, Callable[[], None]] = {
            "new": self._new,
            "fit": self._fit,
            "mask": self._mask,
            "check": self._check,
            "plan": self._plan,
            "convert": self._convert,
        }
        wanted = [step for step in run if step in self._settings.steps]
        if "new" not in wanted:
            with self._step("open"):
                self._open()
        for number, step in enumerate(wanted):
            if step in self._together:
                self._steps.append({"step": step, "state": "done", "message": ""})
                continue
            if self._document is None and step != "new":
                break
            self._reporter.progress(number / len(wanted), f"{self._inputs.name}: {step}")
            with self._step(step):
                run[step]()
        if self._document is not None and self._inputs.tests is not None:
            with self._step("test"):
                self._test(self._folder / self._inputs.tests)
        if self._document is not None:
            self._keep()
        findings = [_told(finding) for finding in self._findings]
        record = self._cleaned(
            {"steps": self._steps, "figures": self._figures, "findings": findings}
        )
        return RobotResult(self._inputs.name, record, self._files, self._seconds)

    @contextmanager
    def _step(self, step: str) -> Any:
        started = time.perf_counter()
        state, message = "done", ""
        try:
            yield
        except _REFUSALS as error:
            state, message = "refused", str(error)
        except Exception as error:
            # A fault of ours: its place goes to the report, and the fleet goes on.
            last = traceback.extract_tb(error.__traceback__)[-1]
            state = "failed"
            message = (
                f"{type(error).__name__}: {error} ({os.path.basename(last.filename)}:{last.lineno})"
            )
        self._steps.append({"step": step, "state": state, "message": message})
        self._seconds[step] = round(time.perf_counter() - started, 3)

    @property
    def _robot_files(self) -> list[Path]:
        names = (self._inputs.urdf, self._inputs.xrdf, self._inputs.srdf)
        return [self._folder / name for name in names if name is not None]

    # -- the steps

    def _open(self) -> None:
        self._document = open_robot(*self._robot_files, packages=self._meshes)
        self._describe()

    def _new(self) -> None:
        """A first XRDF, with spheres and mask where they are asked for: the verb new does these
        steps together."""
        settings = self._settings
        self._together = [
            step for step in ("fit", "mask") if step in settings.steps and "fit" in settings.steps
        ]
        try:
            new_xrdf = new(
                *self._robot_files,
                settings=NewSettings(
                    fit="fit" in self._together,
                    mask="mask" in self._together,
                    geometry=settings.geometry,
                    budget=settings.budget,
                    choices=self._choices,
                    samples=settings.samples,
                    certify=settings.certify,
                    cost_samples=settings.cost_samples,
                ),
                packages=self._meshes,
                processes=1,
            )
        except _REFUSALS:
            # Without spheres there is still a draft; why there are none, the step fit will say.
            self._together = []
            new_xrdf = new(*self._robot_files, packages=self._meshes)
        self._document = new_xrdf.document
        self._findings = new_xrdf.findings
        self._figures["guesses"] = len(new_xrdf.guesses)
        self._describe()
        self._tell_fit(new_xrdf.fit)
        self._tell_mask(new_xrdf.mask)
        self._tell_cost(new_xrdf.cost)

    @property
    def _choices(self) -> FitChoices:
        settings = self._settings
        return FitChoices(
            mode=settings.mode, effort=settings.effort, padding=settings.padding, seed=settings.seed
        )

    def _fit(self) -> None:
        assert self._document is not None
        settings = self._settings
        fitted = fit(
            self._document,
            budget=settings.budget,
            geometry=settings.geometry,
            choices=self._choices,
            processes=1,
        )
        if fitted.spheres:
            self._document.execute(fitted.change)
        self._describe()
        self._tell_fit(fitted)

    def _mask(self) -> None:
        assert self._document is not None
        settings = self._settings
        judged = mask(
            self._document, samples=settings.samples, certify=settings.certify, seed=settings.seed
        )
        self._document.execute(judged.change)
        self._tell_mask(judged)

    def _check(self) -> None:
        assert self._document is not None
        self._findings = check(self._document, profile=Profile(self._settings.profile), slow=True)

    def _plan(self) -> None:
        assert self._document is not None
        if not self._settings.queries:
            return
        test = smoke_test(
            self._document.robot,
            self._settings.queries,
            seed=self._settings.seed,
            seconds=_QUERY_SECONDS,
        )
        self._figures |= {
            "queries": test.queries,
            "solved": test.solved,
            "solved_share": _rounded(test.solved / test.queries),
            "free_share": _rounded(test.free_share),
            "unplanned": [f"{count}: {reason}" for reason, count in test.reasons],
        }

    def _test(self, path: Path) -> None:
        assert self._document is not None
        self._figures["tests_passed"], findings = hook("suite").judge(self._document, path)
        self._findings = (*self._findings, *findings)

    def _convert(self) -> None:
        assert self._document is not None
        home = self._folder / "robot"
        for name in self._settings.formats:
            target = home / f"{Path(self._inputs.urdf).stem}{_ENDINGS.get(name, '.' + name)}"
            conversion = convert(
                self._document, target, ConvertOptions(to=name), packages=self._meshes
            )
            for path, data in conversion.files:
                # Some formats say where the URDF is: where it is at home, not here.
                told = data.replace(str(home).encode(), self._inputs.home.encode())
                self._files[path.relative_to(home).as_posix()] = told

    def _keep(self) -> None:
        assert self._document is not None
        text = self._document.xrdf_text
        if text is not None:
            self._files[f"{Path(self._inputs.urdf).stem}.xrdf"] = text.encode()

    # -- what is told

    def _describe(self) -> None:
        assert self._document is not None
        robot = self._document.robot
        cspace = robot.xrdf.cspace
        limits = (
            (cspace.acceleration_limits or (), cspace.jerk_limits or ())
            if cspace is not None
            else ((), ())
        )
        spheres = robot.xrdf.spheres_of(robot.xrdf.self_group or robot.xrdf.world_group)
        self._figures |= {
            "robot": robot.urdf.name,
            "links": len(robot.urdf.links),
            "controlled": len(robot.xrdf.controlled),
            "tools": list(robot.xrdf.tool_frames or ()),
            "placeholders": sum(v == PLACEHOLDER_ACCELERATION for v in limits[0])
            + sum(v == PLACEHOLDER_JERK for v in limits[1]),
            "spheres": sum(map(len, spheres.values())),
            "missing_meshes": self._missing(),
        }

    def _missing(self) -> list[str]:
        """The links whose mesh files, of any shape, are not found: nothing can be said of how they
        are covered."""
        assert self._document is not None
        document = self._document
        missing = missing_meshes(document.robot.urdf, document.urdf_path, document.packages)
        return sorted({link for each in missing for link in each.links})

    def _tell_fit(self, fitted: RobotFit | None) -> None:
        if fitted is None:
            return
        qualities = [
            each.result.quality for each in fitted.links if each.result.quality is not None
        ]
        coverage = [quality.surface_coverage for quality in qualities]
        excess = [quality.excess_ratio for quality in qualities if quality.excess_ratio is not None]
        assert self._document is not None
        self._figures |= {
            "spheres": sum(map(len, fitted.spheres.values())),
            "fitted_links": len(fitted.spheres),
            "without_spheres": len(fitted.skipped),
            "not_proven": sum(each.is_open for each in fitted.links),
            "coverage": _rounded(sum(coverage) / len(coverage))
            if coverage and not self._missing()
            else None,
            "visual_surfaces": sum(each.geometry == "visual" for each in fitted.links),
            "excess": _rounded(sum(excess) / len(excess)) if excess else None,
            "protrusion_mm": _rounded(
                max((q.protrusion_at_most for q in qualities), default=0.0) * 1e3, 2
            ),
            "notes": list(fitted.notes),
        }

    def _tell_mask(self, judged: Mask | None) -> None:
        if judged is not None:
            self._figures |= {"ignored": len(judged.proposal.pairs), "hidden": len(judged.hidden)}

    def _tell_cost(self, cost: ModelCost | None) -> None:
        if cost is not None:
            self._figures |= with_old_keys(
                {
                    "false_collisions": _rounded(cost.needless.value),
                    "missed_collisions": _rounded(cost.wrong.value),
                }
            )

    def _cleaned(self, value: Any) -> Any:
        """Plain values of JSON, without the name of the folder that was worked in."""
        if isinstance(value, str):
            return value.replace(str(self._folder) + os.sep, "").replace(str(self._folder), ".")
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, dict):
            return {str(key): self._cleaned(each) for key, each in value.items()}
        return [self._cleaned(each) for each in value] if isinstance(value, list | tuple) else value


def _told(finding: Finding) -> dict[str, Any]:
    place = finding.location
    return {
        "code": finding.code,
        "severity": Severity(finding.severity).name.lower(),
        "message": finding.message,
        "file": None if place is None else os.path.basename(place.file),
        "line": None if place is None else place.line,
    }


def _rounded(value: float, digits: int = 4) -> float | None:
    return round(value, digits) if math.isfinite(value) else None
