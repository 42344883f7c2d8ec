"""A new XRDF as a sequence of steps: each changes the document and adds its results; plug-ins
contribute steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Protocol

from editor_app.core.document.document import Document
from editor_app.core.drafting import ControlPlan
from editor_app.core.feature import hooks
from editor_app.core.model.findings import Finding
from editor_app.core.model.frozen import brief
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.model_cost import ModelCost
from editor_app.core.tasks.executor import ProcessExecutor, usual_processes
from editor_app.core.tasks.task import Job
from editor_app.core.tasks.work import Cancel, Progress, run_jobs, scale_progress
from editor_app.features.checks.verbs.check import ConsumerCheck
from editor_app.features.draft.verbs.decisions import Decisions, decisions
from editor_app.features.draft.verbs.new_settings import NewSettings
from editor_app.features.masks.engine.mesh_look import HiddenPair, NeedlessPair
from editor_app.features.masks.engine.results import FreePose
from editor_app.features.masks.verbs.mask import Mask
from editor_app.features.masks.verbs.mesh_look import DisputedPair
from editor_app.features.spheres.verbs.fit import RobotFit


@dataclass(frozen=True, slots=True)
class Guess:
    """`content` was written to `section` of the XRDF for `reason`; nobody stated it."""

    section: str
    content: str
    reason: str


class Buffers(Protocol):
    """Self-collision buffers that a plug-in proposes; metres by frame."""

    @property
    def buffers(self) -> Mapping[str, float]: ...
    @property
    def changed(self) -> bool: ...
    @property
    def note(self) -> str: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class NewXrdf:
    """A new XRDF and the results of its steps; None for a step that the settings do not ask for.

    `document` holds the XRDF, not yet saved, and each change as a step. `inputs`: the files that it
    was made from. `disputed`: pairs that the SRDF never checks although their meshes touch, with
    the cost of either choice. `buffers`: self-collision buffers with which the spheres decide as
    the meshes do. `cost_missing`: why there is no cost. `findings`: what remains, by all rules if
    spheres were fitted. `consumers`: the programs that would and would not load the robot.
    """

    document: Document
    settings: NewSettings
    steps: tuple[NewStep, ...]
    inputs: Inputs = Inputs()
    fit: RobotFit | None = None
    mask: Mask | None = None
    disputed: tuple[DisputedPair, ...] = ()
    pose: FreePose | None = None
    buffers: Buffers | None = None
    cost: ModelCost | None = None
    cost_missing: str = ""
    findings: tuple[Finding, ...] = ()
    consumers: ConsumerCheck = ConsumerCheck()
    wall_seconds: float = 0.0

    __repr__ = brief

    @property
    def plan(self) -> ControlPlan:
        """The plan of the controlled joints that the draft began with."""
        plan = self.document.first_plan
        assert plan is not None
        return plan

    @cached_property
    def guesses(self) -> tuple[Guess, ...]:
        """Everything in the file that nobody stated, by step."""
        return tuple(guess for step in self.steps for guess in step.guesses(self))

    @property
    def needless(self) -> tuple[NeedlessPair, ...]:
        """Pairs that are ignored because only their spheres touch."""
        return self.mask.look.needless if self.mask is not None else ()

    @property
    def hidden(self) -> tuple[HiddenPair, ...]:
        """Ignored pairs whose meshes, or collision shapes alone, touch in some configurations:
        these go unseen.

        They are adjacent, or their spheres overlap always or at the default, or only their visible
        shapes never touch.
        """
        return (*self.mask.look.hidden, *self.mask.look.rough) if self.mask is not None else ()

    @property
    def decisions(self) -> Decisions:
        """The choices in the file, as the window lists them under *What was decided*."""
        links = self.fit.links if self.fit is not None else ()
        measured = {each.link: each.result.quality for each in links}
        return decisions(
            self.document, {k: q.surface_coverage for k, q in measured.items() if q is not None}
        )


@dataclass(frozen=True, slots=True)
class StepWork:
    """How a step runs: its own progress (0..1), cancel, and the number of processes (None: one per
    processor)."""

    progress: Progress
    cancel: Cancel
    processes: int | None


@dataclass(frozen=True, slots=True)
class NewStep:
    """One step of a new XRDF, and one stage of its progress.

    `order`: its place among the steps. `share`: of the time, relative to the other steps. `run(new,
    work)`: changes `new.document` and returns `new` with the results. `applies`: whether settings
    ask for the step. `guesses`: the guesses of the step, from the results of all steps. `refits`:
    whether it refines the spheres of the first fit. `compiles`: a job that compiles the kernels of
    the step, worth its own process if `needs_compiling`.
    """

    order: int
    title: str
    share: float
    run: Callable[[NewXrdf, StepWork], NewXrdf]
    applies: Callable[[NewSettings], bool] = lambda settings: True
    guesses: Callable[[NewXrdf], Iterable[Guess]] = lambda new_xrdf: ()
    refits: bool = False
    compiles: Job | None = None
    needs_compiling: Callable[[], bool] = lambda: False


def list_steps(steps: Iterable[NewStep], settings: NewSettings) -> tuple[NewStep, ...]:
    """Return the steps that the settings ask for, of `steps` and of plug-ins (`STEPS` in
    `hooks/new.py`), in order."""
    # Plug-ins load compiled code.
    contributed = (
        [step for module in hooks("new") for step in module.STEPS]
        if settings.fit or settings.mask
        else []
    )
    return tuple(
        sorted((s for s in (*steps, *contributed) if s.applies(settings)), key=attrgetter("order"))
    )


def run_steps(
    new_xrdf: NewXrdf, processes: int | None, progress: Progress, cancel: Cancel
) -> NewXrdf:
    """Run the steps of a new XRDF one after the other; the title of each begins the sentences of
    its progress.

    Raises what the steps raise, and Cancelled.
    """
    started = time.perf_counter()
    _compile_ahead(new_xrdf.steps, processes, progress, cancel)
    whole, done = sum(step.share for step in new_xrdf.steps), 0.0
    for step in new_xrdf.steps:
        begins, done = done, done + step.share
        tell = lambda share, text, title=step.title: progress(share, f"{title}: {text}")  # noqa: E731
        stage = scale_progress(tell, begins / whole, done / whole)
        new_xrdf = step.run(new_xrdf, StepWork(stage, cancel, processes))
    return replace(new_xrdf, wall_seconds=time.perf_counter() - started)


def _compile_ahead(
    steps: Iterable[NewStep], processes: int | None, progress: Progress, cancel: Cancel
) -> None:
    """Compile the kernels of all steps in parallel, the first time on a machine."""
    processes = processes or usual_processes()
    jobs = [step.compiles for step in steps if step.compiles is not None]
    if processes == 1 or len(jobs) < 2 or not any(step.needs_compiling() for step in steps):
        return
    with ProcessExecutor(min(len(jobs), processes)) as executor:
        run_jobs(
            jobs,
            executor=executor,
            cancel=cancel,
            on_progress=lambda _, share, text: progress(-1.0, text),
        )
