"""The verb check: everything that is wrong, or worth knowing, about a robot, whichever of its files
it stands in.

Decided here, for every caller: which rules are asked, about which texts, and that each fault is
told once.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from editor_app.core.document.document import Document
from editor_app.core.document.state import SETTINGS, SETTINGS_FILES, FileKind, State
from editor_app.core.document.texts import PresentTexts
from editor_app.core.formats.ros_settings import SettingsSource
from editor_app.core.formats.xrdf import ReadOnlyPart
from editor_app.core.model.findings import Finding, Location, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.model_cost import ModelCost
from editor_app.core.model.profile import Profile
from editor_app.core.tasks.heap import DROPS
from editor_app.core.tasks.task import Task, TaskReporter
from editor_app.core.tasks.work import (
    Cancel,
    Cancelled,
    PlacedRobot,
    Progress,
    check_arguments,
    locate_robot,
    make_stoppable,
    never,
    run_job,
    silent,
)
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.mesh_inputs import mesh_states
from editor_app.features.checks.engine.memory import RuleMemory
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import Checker, load_rules, locate_findings
from editor_app.features.masks.engine.default_overlaps import default_overlaps

Written = TypeVar("Written")

#: Programs that read an XRDF, as their makers write them.
CONSUMERS = {Profile.CUMOTION: "cuMotion", Profile.CUROBO: "cuRobo"}
#: One object: rules whose inputs are the same objects are not asked again.
NO_PACKAGES: FrozenDict[str, Path] = FrozenDict()


@check_arguments
def check(
    document: Document,
    *,
    profile: Profile | None = None,
    slow: bool = False,
    cost: ModelCost | None = None,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> tuple[Finding, ...]:
    """Return the findings of every rule, with their places in the texts as they would be saved, and
    their fixes.

    `profile`: what will read the files; default the document's. `slow`: also the rules that load
    meshes or sample joint positions. `cost`: of the spheres and the mask, where it was measured
    already. `apply_fix(document, finding.fixes[0])` applies a fix. Raises Cancelled.
    """
    profile = Profile(profile or document.profile)
    packages = FrozenDict(document.packages)
    findings = StateChecker().check(document.state, profile, packages=packages)
    if slow:
        job = Task(slow_findings, locate_robot(document), profile, cost)
        more = run_job(job, executor=executor, progress=progress, cancel=cancel)
        findings = (*findings, *locate_findings(more, document.xrdf_now, document.urdf_now))
    return findings


@dataclass(frozen=True, slots=True)
class ConsumerCheck:
    """`refused_by`: the programs among `asked` that would not take the robot, with the errors that
    only they see. `has_errors`: whether there are errors that all of them see, or the default
    position is in collision."""

    refused_by: FrozenDict[Profile, tuple[Finding, ...]] = FrozenDict()
    has_errors: bool = False
    asked: tuple[Profile, ...] = tuple(CONSUMERS)

    @property
    def sentences(self) -> tuple[tuple[Profile | None, str], ...]:
        """For which programs the files load, for people; with the program that would not take
        them."""
        told: list[tuple[Profile | None, str]] = []
        for profile, errors in self.refused_by.items():
            more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
            first = f"{errors[0].code}: {errors[0].message.rstrip('.')}"
            told.append((profile, f"Does not load in {_name(profile)}: {first}{more}."))
        taken = [_name(profile) for profile in self.asked if profile not in self.refused_by]
        if taken and not self.has_errors:
            told.append(
                (
                    None,
                    f"Loads in {' and '.join(filter(None, [', '.join(taken[:-1]), taken[-1]]))}.",
                )
            )
        return tuple(told)


def _name(profile: Profile) -> str:
    return CONSUMERS.get(profile, profile.program)


def consumers(
    state: State,
    packages: FrozenDict[str, Path] = NO_PACKAGES,
    profile: Profile = Profile.SPECIFICATION,
) -> ConsumerCheck:
    """For which programs the files of a document would load, the `profile`'s among them.
    `packages`: package or prefix -> folder."""
    checker = StateChecker()

    def errors(profile: Profile) -> tuple[Finding, ...]:
        findings = checker.check(state, profile, packages=packages)
        return tuple(each for each in findings if each.severity is Severity.ERROR)

    everywhere = {(each.code, each.message) for each in errors(Profile.SPECIFICATION)}
    asked = tuple(dict.fromkeys((*CONSUMERS, *({profile} - {Profile.SPECIFICATION}))))
    refused = {}
    for each in asked:
        only_there = tuple(
            error for error in errors(each) if (error.code, error.message) not in everywhere
        )
        if only_there:
            refused[each] = only_there
    # No program plans from a position in collision.
    collides = bool(default_overlaps(state.robot))
    return ConsumerCheck(FrozenDict(refused), bool(everywhere) or collides, asked)


def slow_findings(
    reporter: TaskReporter,
    placed: PlacedRobot,
    profile: Profile,
    cost: ModelCost | None = None,
    memory: RuleMemory | None = None,
) -> tuple[Finding, ...]:
    """A job: the findings of rules that need meshes or sampling, without places, which depend on
    the present text.

    `memory`: of the checks before; rules compute again only results of parts that changed. Raises
    Cancelled.
    """
    memory = RuleMemory() if memory is None else memory
    memory.begin(mesh_states(placed))
    placed = memory.same("placed", placed)
    tick = make_stoppable(reporter.progress, reporter.cancelled)
    files = placed.urdf_path, placed.packages
    context = CheckContext(
        placed.robot, None, profile, True, *files, cost=cost, memory=memory, tick=tick
    )
    rules = [rule for rule in load_rules().values() if rule.slow]
    findings: list[Finding] = []
    for number, rule in enumerate(rules):
        tick(number / len(rules), rule.title)
        inputs = (*(getattr(context, name) for name in rule.inputs), cost, profile)
        findings.extend(
            memory.recall(rule.code, inputs, lambda rule=rule: tuple(rule.findings(context)))  # type: ignore[misc]
        )
    memory.end()
    return tuple(findings)


#: What the checks of the window keep in their worker process; without a job, it does without the
#: meshes.
_KEPT = RuleMemory()
DROPS.append(_KEPT.drop_large)


def slow_findings_again(
    reporter: TaskReporter, placed: PlacedRobot, profile: Profile
) -> tuple[Finding, ...] | None:
    """Return `slow_findings` with all that this process remembers of the checks before; None after
    a cancel."""
    try:
        return slow_findings(reporter, placed, profile, memory=_KEPT)
    except Cancelled:
        return None


class StateChecker:
    """Checks one state of a document after the other; rules whose inputs are the same objects are
    not asked again."""

    def __init__(self) -> None:
        self._checker = Checker()

    def check(
        self,
        state: State,
        profile: Profile,
        texts: PresentTexts | None = None,
        packages: FrozenDict[str, Path] = NO_PACKAGES,
    ) -> tuple[Finding, ...]:
        """The findings of all rules but the slow ones, and of texts that could not be saved like
        this.

        `texts` come from the document, where the state is the present one: what is made for them is
        made once. `packages`: package or prefix -> folder, where meshes are.
        """
        unsaveable: list[Finding] = []
        texts = texts or PresentTexts()
        path, xrdf_path = state.urdf_source.source.path, state.xrdf_source.source.path
        urdf = _written("SAVE003", "URDF", lambda: texts.urdf(state), unsaveable)
        srdf = _written("SAVE002", "SRDF", lambda: texts.srdf(state), unsaveable)
        place = Location(str(xrdf_path or "the XRDF"))
        xrdf = _written("SAVE001", "XRDF", lambda: texts.prepared(state), unsaveable, place)
        made: dict[FileKind, SettingsSource[Any] | None] = {
            kind: _written(
                "SAVE004", SETTINGS_FILES[kind], partial(texts.settings, state, kind), unsaveable
            )
            for kind in SETTINGS
        }
        settings = FrozenDict({kind: source for kind, source in made.items() if source is not None})
        context = CheckContext(
            state.robot, xrdf, profile, True, path, packages, urdf, srdf, settings=settings
        )
        findings = self._checker.check(context)
        return (*unsaveable, *(locate_findings(findings, xrdf) if xrdf is not None else findings))


def _written(
    code: str,
    file: str,
    write: Callable[[], Written],
    unsaveable: list[Finding],
    place: Location | None = None,
) -> Written | None:
    """The text as it would be saved; what keeps it from that is one more finding, at `place` where
    it has none."""
    try:
        return write()
    except (FormatError, ReadOnlyPart) as error:
        where = getattr(error, "location", None) or place
        text = f"The {file} cannot be saved like this: {error}"
        unsaveable.append(Finding(code, Severity.ERROR, text, (), where))
        return None
