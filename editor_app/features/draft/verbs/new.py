"""The verb new: from a bare URDF to a first XRDF, with everything that was guessed.

Decided here, for every caller: which joints are controlled and which frames are tools, what comes after what (spheres,
pairs that always overlap, a free default position, the mask, what the model costs), and what of it the user has to
look at.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.document import Document
from editor_app.core.drafting import NOTHING_ASKED, ControlPlan, ControlRequest
from editor_app.core.drafting.standing import floor_of
from editor_app.core.feature import hook
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.counting import format_count, format_percent
from editor_app.core.model.findings import Finding
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.guesses import POSITIONS
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.model_cost import ModelCost
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK, LinkPair
from editor_app.core.tasks.executor import ProcessExecutor, usual_processes
from editor_app.core.tasks.job import Job
from editor_app.core.tasks.work import (
    Cancel,
    Progress,
    Refused,
    check_arguments,
    locate_robot,
    make_stoppable,
    never,
    run_jobs,
    scale_progress,
    silent,
)
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.mesh_inputs import mesh_inputs
from editor_app.core.verbs.open import open_robot
from editor_app.features.checks.verbs.check import ConsumerCheck, check, consumers
from editor_app.features.draft.verbs.completion import completion
from editor_app.features.draft.verbs.decisions import Decisions, decisions
from editor_app.features.draft.verbs.new_settings import DRAFT, NewSettings
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.free_pose import find_free_pose
from editor_app.features.masks.engine.masks import Decision, propose_mask
from editor_app.features.masks.engine.mesh_look import HiddenPair, NeedlessPair
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import AnalysisSettings, FreePose, PairClass
from editor_app.features.masks.engine.staleness import refresh
from editor_app.features.masks.engine.warmup import needs_compilation
from editor_app.features.masks.verbs.evidence import keep_evidence, keep_look
from editor_app.features.masks.verbs.mask import Mask, MaskRules, mask
from editor_app.features.masks.verbs.mask_changes import WriteMaskText
from editor_app.features.masks.verbs.mesh_look import DisputedPair, mesh_look
from editor_app.features.masks.verbs.pair_distances import NothingToCompare, prepare_distances
from editor_app.features.spheres.verbs.fit import RobotFit, estimate_budget, fit, list_seen_links
from editor_app.features.spheres.verbs.link_fits import prepare_fitting

__all__ = ["Guess", "NewSettings", "NewXrdf", "free_default", "new"]

#: Configurations of the quick look that finds the pairs that overlap whatever the joints do.
_QUICK = 8192
#: Links whose spheres overlap in this share of the configurations pass close to each other: buffers or the mask decide
#: about the pair, and no position is chosen by it.
_OFTEN = 0.5
#: Why a pair is ignored that the search for a free position could not part.
_STUCK = "overlaps at every position tried"
#: Of the time that an arm takes, the share after which it is fitted, fitted tighter, masked, compared with meshes, and
#: explained.
_FITTED, _TIGHTER, _MASKED, _WEIGHED, _EXPLAINED = 0.1, 0.5, 0.6, 0.85, 0.95
#: Why a robot gets so many spheres.
_USUAL = "the usual number for this many links"
#: Buffers are taken from so many configurations or more: fewer do not show where meshes just touch.
ENOUGH = 5_000
#: Why there is no cost without the plug-in.
_NO_PLANNING = "the plug-in “planning” is missing"


@dataclass(frozen=True, slots=True)
class Guess:
    """`section`: where of the XRDF it stands; `content` was put there, and why."""

    section: str
    content: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChoosePositions:
    """The step that writes default positions which a search chose: those that were guessed are guesses still.

    `positions`: joint -> radians or metres.
    """

    robot: RobotDescription
    positions: FrozenDict[str, float]

    @property
    def label(self) -> str:
        return SetItems("xrdf.default_joint_positions", self.positions).label

    def apply_text(self, text: str) -> str:
        """Return the text with the positions."""
        xrdf = SetItems("xrdf.default_joint_positions", self.positions).apply(self.robot).xrdf
        return patch_xrdf(read_xrdf(SourceText.from_text(text)), xrdf).text


class Buffers(Protocol):
    """Self-collision buffers that a plug-in proposes; metres by frame."""

    @property
    def buffers(self) -> Mapping[str, float]: ...
    @property
    def changed(self) -> bool: ...
    @property
    def note(self) -> str: ...
    def change_of(self, robot: RobotDescription) -> Change: ...


@dataclass(frozen=True, slots=True, eq=False)
class FirstFile:
    """The results of the steps after a draft; None for a step that was not requested. The document has it.

    `disputed`: pairs that the SRDF never checks although their meshes touch, with what either way costs. `buffers`:
    self-collision buffers with which the spheres decide as the meshes do. `cost_missing`: why there is no cost.
    """

    fit: RobotFit | None = None
    mask: Mask | None = None
    disputed: tuple[DisputedPair, ...] = ()
    pose: FreePose | None = None
    buffers: Buffers | None = None
    cost: ModelCost | None = None
    cost_missing: str = ""

    @property
    def needless(self) -> tuple[NeedlessPair, ...]:
        """Pairs that are ignored because only their spheres touch."""
        return self.mask.look.needless if self.mask is not None else ()

    @property
    def hidden(self) -> tuple[HiddenPair, ...]:
        """Ignored pairs whose meshes, or collision shapes alone, touch in some configurations: nothing sees that then.

        They are adjacent, or their spheres overlap always or at the default, or only their visible shapes never touch.
        """
        return (*self.mask.look.hidden, *self.mask.look.rough) if self.mask is not None else ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NewXrdf(FirstFile):
    """`document` holds the new XRDF, not yet saved. `plan`: what the draft began with. `guesses`: everything that
    nobody said. `findings`: what remains, by all rules where spheres were fitted. `consumers`: the programs that would
    and would not take the robot; `repair` makes one that they read.
    `inputs`: the files that it was made from.
    """

    document: Document
    plan: ControlPlan
    guesses: tuple[Guess, ...]
    findings: tuple[Finding, ...]
    consumers: ConsumerCheck
    wall_seconds: float
    inputs: Inputs

    __repr__ = brief

    @property
    def decisions(self) -> Decisions:
        """The choices in the file, as the window lists them under *What was decided*."""
        links = self.fit.links if self.fit is not None else ()
        measured = {each.link: each.result.quality for each in links}
        return decisions(self.document, {k: q.surface_coverage for k, q in measured.items() if q is not None})


@check_arguments
def new(
    *files: str | Path,
    settings: NewSettings = DRAFT,
    control: ControlRequest = NOTHING_ASKED,
    version: str = "1.0",
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
    processes: int | None = 1,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> NewXrdf:
    """A new XRDF for the URDF (and SRDF) among `files`; an XRDF beside it is left alone.

    `settings`: whether it gets spheres and a mask, and how. `control`: which joints are controlled; by default told by
    the SRDF, else by the structure. `version`: the format's, 1.0 or 2.0.
    Raises what `open_robot`, `fit` and `mask` raise, and CannotApply when `control` names what is not there.
    """
    started = time.perf_counter()
    document = open_robot(
        *files,
        new_xrdf=True,
        control=control,
        version=version,
        packages=packages,
        xacro_arguments=xacro_arguments,
        allow_xacro=allow_xacro,
        progress=lambda share, text: progress(-1.0, text),
    )
    plan = document.first_plan
    assert plan is not None
    _refuse(settings, document)
    inputs = document.inputs | mesh_inputs(document) if settings.fit or settings.mask else document.inputs
    made = completed(document, settings, processes, progress, cancel)
    progress(_EXPLAINED if settings.fit else -1.0, "Checking")
    findings = check(document, profile=settings.profile, slow=settings.fit, cost=made.cost, cancel=cancel)
    guesses = (
        *_guesses(document.robot, plan, made.fit, made.mask, made.pose, settings.budget),
        *(Guess("self_collision", f"{each.first} and {each.second} ignored", each.reason) for each in made.needless),
        *_buffer_guesses(made.buffers),
    )
    return NewXrdf(
        **{field.name: getattr(made, field.name) for field in fields(made)},
        document=document,
        plan=plan,
        guesses=guesses,
        findings=findings,
        consumers=consumers(document.state, FrozenDict(document.packages), settings.profile),
        wall_seconds=time.perf_counter() - started,
        inputs=inputs,
    )


def _refuse(settings: NewSettings, document: Document) -> None:
    """Raises Refused for settings that cannot be followed."""
    if settings.cost_samples < 0:
        raise Refused("the number of configurations for the cost must not be negative")
    if settings.trust_srdf and (document.robot.srdf is None or not settings.mask):
        raise Refused("trusting the SRDF needs a mask, and an SRDF next to the URDF")


def free_default(
    robot: RobotDescription, *, keep: bool = True, progress: Progress = silent, often: float | None = None
) -> tuple[FreePose, tuple[LinkPair, ...]]:
    """A default position without self-collision, near the present one; and the pairs that are checked, overlap, and
    that the search left out: pairs that overlap at every position, and neighbours that overlap at the present one.

    `keep`: a present position that is free stays, even at a limit. `often`: pairs that overlap in this share of the
    configurations (0..1) do not count. Raises Refused.
    """
    if not _compares(robot):
        raise Refused("fewer than two links have collision spheres: fit spheres first")
    model = build_sphere_model(robot)
    quick = analyse(model, AnalysisSettings(_QUICK, 0, 0.0, search_starts=0), progress)
    now = robot.xrdf.ignored_pairs()
    certain = {e.pair for e in quick if e.kind in (PairClass.ALWAYS, PairClass.ADJACENT, PairClass.RIGID)}
    # Fingers whose joint is locked touch always, or never: it is the position that decides.
    moving = set(robot.xrdf.controlled)
    passing = {
        e.pair
        for e in quick
        if often is not None
        and (e.probability or 0.0) >= often
        and moving & {model.variables[k] for k in model.path_variables(model.pair_index[e.pair])}
    }
    ignored = frozenset(now | certain | passing)
    pose = find_free_pose(robot, ignored=ignored, keep_start=keep, floor=floor_of(robot.urdf))
    # Neighbours share a joint: the search leaves them alone, so what of them overlaps goes on doing so.
    stay = {e.pair for e in quick if e.pair in certain and (e.kind is PairClass.ALWAYS or e.clearance_default < 0.0)}
    return pose, tuple(sorted(stay - now))


# -- inside


def _compares(robot: RobotDescription) -> bool:
    return sum(bool(spheres) for spheres in robot.xrdf.spheres_of(robot.xrdf.self_group).values()) >= 2


def _compile_ahead(processes: int, progress: Progress, cancel: Cancel) -> None:
    """Compiles side by side, the first time on a machine, what would be compiled one after the other."""
    planning = hook("new")
    if not needs_compilation() and not planning.motion_needs_compilation():
        return
    jobs: list[Job] = [prepare_fitting, planning.compile_motion, prepare_distances]
    executor = ProcessExecutor(min(len(jobs), processes))
    try:
        run_jobs(jobs, executor=executor, cancel=cancel, on_progress=lambda _, share, text: progress(-1.0, text))
    finally:
        executor.shutdown(cancel_futures=True)


def completed(
    document: Document, settings: NewSettings, processes: int | None, progress: Progress, cancel: Cancel
) -> FirstFile:
    """Add missing sections, spheres, default position, mask and buffers as the settings ask, as steps of the draft."""
    if (step := completion(document)) is not None:
        document.execute(step)
    if settings.mask:
        # Before minutes of fitting.
        build_sphere_model(document.robot).refuse_endless(document.robot.xrdf.controlled)
    fitted: RobotFit | None = None
    planning = hook("new")
    plans = planning is not None and settings.fit and settings.mask and settings.cost_samples >= ENOUGH
    if settings.fit:
        fitted = _fitted(document, settings, plans, processes, progress, cancel)
    if not settings.mask or not _compares(document.robot):
        return FirstFile(fitted)
    keep = not document.guesses.joints(POSITIONS)
    pose, judged = _masked(document, keep, fitted, settings, progress, cancel)
    buffers: Buffers | None = None
    cost: ModelCost | None = None
    disputed: tuple[DisputedPair, ...] = ()
    cost_missing = ""
    if fitted is not None and settings.cost_samples and planning is None:
        cost_missing = _NO_PLANNING
    elif fitted is not None and settings.cost_samples:
        samples, seed = settings.cost_samples, settings.choices.seed
        told = scale_progress(progress, _MASKED, _WEIGHED)
        judged, buffers, cost, cost_missing = planning.weigh(
            document, fitted, pose, judged, samples, max(ENOUGH, samples), seed, told, cancel
        )
    _write(document, pose, judged, buffers)
    if fitted is not None and cost is not None:
        disputed = planning.told_disputes(document, judged, list_seen_links(fitted))
    if fitted is not None and planning is not None and pose.is_free:
        other = partial(free_default, document.robot, keep=False)
        settled = planning.make_sure(document, pose, keep, list_seen_links(fitted), other)
        if settled.positions != pose.positions:
            _take(document, settled)
        pose = settled
    _explain(
        document, pose, judged, settings.reasons, make_stoppable(scale_progress(progress, _WEIGHED, _EXPLAINED), cancel)
    )
    return FirstFile(fitted, judged, disputed, pose, buffers, cost, cost_missing)


def _fitted(
    document: Document, settings: NewSettings, plans: bool, processes: int | None, progress: Progress, cancel: Cancel
) -> RobotFit:
    """Spheres, which the document has then; `plans`: gone over for planning."""
    if plans and processes != 1:
        _compile_ahead(processes or usual_processes(), progress, cancel)
    share = _FITTED if plans else _TIGHTER if settings.mask else _WEIGHED
    fitted = fit(
        document,
        budget=settings.budget,
        geometry=settings.geometry,
        choices=replace(settings.choices, for_planning=plans),
        processes=processes,
        progress=scale_progress(progress, 0.0, share),
        cancel=cancel,
    )
    if fitted.spheres:
        document.execute(fitted.change)
    if not plans or not _compares(document.robot):
        return fitted
    tighter: RobotFit = hook("new").fit_for_planning(
        document,
        fitted,
        seed=settings.choices.seed,
        processes=processes,
        progress=scale_progress(progress, _FITTED, _TIGHTER),
        cancel=cancel,
    )
    if tighter is not fitted:
        document.execute(tighter.change)
    return tighter


def _masked(
    document: Document,
    keep: bool,
    fitted: RobotFit | None,
    settings: NewSettings,
    progress: Progress,
    cancel: Cancel,
) -> tuple[FreePose, Mask]:
    progress = scale_progress(progress, _TIGHTER if settings.fit else 0.0, _MASKED)
    progress(0.0, "Looking for a free default position")
    often = _OFTEN if settings.fit else None
    pose, _ = free_default(document.robot, keep=keep, often=often)
    _take(document, pose)
    judged = mask(
        document,
        samples=settings.samples,
        certify=settings.certify,
        seed=settings.choices.seed,
        # What no position frees is part of how the robot is built.
        rules=MaskRules(
            keep=False, mask_default=True, mask_always=True, reasons=settings.reasons, trust_srdf=settings.trust_srdf
        ),
        progress=scale_progress(progress, 0.2, 0.7),
        cancel=cancel,
    )
    if fitted is not None:
        judged = _asked(document, judged, fitted, settings.choices.seed, progress, cancel)
    return pose, judged


def _write(document: Document, pose: FreePose, judged: Mask, buffers: Buffers | None) -> None:
    """Mask and buffers, as steps of the document."""
    every = judged.proposal.pairs | set(pose.overlaps)
    document.execute(SetMask.exactly(document.robot, MaskFile.XRDF, every, anew=True))
    if buffers is not None and buffers.changed:
        document.execute(buffers.change_of(document.robot))


def _explain(document: Document, pose: FreePose, judged: Mask, reasons: bool, progress: Progress) -> None:
    """Examine the pairs with their buffers, keep that evidence, and write the reason of each ignored pair."""
    robot = document.robot
    evidence = refresh(judged.analysis, build_sphere_model(robot, judged.analysis.model.options), progress)
    keep_evidence(evidence)
    needless = (replace(each, share=evidence[each.pair].probability or 0.0) for each in judged.look.needless)
    look = replace(judged.look, needless=tuple(needless))
    keep_look(locate_robot(document), evidence, look)
    if reasons:
        ignored, options = robot.xrdf.ignored_pairs(), replace(judged.options, meshes=look.words)
        rows = {row.pair: row.reason for row in propose_mask(evidence, ignored, options).rows}
        words = {**dict.fromkeys(pose.overlaps, _STUCK), **rows}
        mask = SetMask.exactly(robot, MaskFile.XRDF, ignored, reasons=words)
        document.execute(WriteMaskText(robot, mask))


def pose_step(document: Document, pose: FreePose) -> ChoosePositions | None:
    """Return the step that makes a searched pose the default; None where it is the present one."""
    if not pose.changed:
        return None
    return ChoosePositions(document.robot, FrozenDict({name: pose.positions[name] for name in pose.changed}))


def _take(document: Document, pose: FreePose) -> None:
    if (step := pose_step(document, pose)) is not None:
        document.execute(step)


def _asked(document: Document, judged: Mask, fitted: RobotFit, seed: int, progress: Progress, cancel: Cancel) -> Mask:
    """The mask after a look at the meshes, where they can be had."""
    try:
        return judged.after(
            mesh_look(
                document,
                judged.analysis,
                seed=seed,
                seen=list_seen_links(fitted),
                progress=scale_progress(progress, 0.7, 1.0),
                cancel=cancel,
            )
        )
    except (ImportError, NothingToCompare):
        # Said where the cost is.
        return judged


def _buffer_guesses(buffers: Buffers | None) -> list[Guess]:
    if buffers is None or not buffers.changed:
        return []
    least, most = (1000 * pick(buffers.buffers.values()) for pick in (min, max))
    span = f"{least:.1f} mm" if len(buffers.buffers) == 1 else f"{least:.1f} to {most:.1f} mm"
    content = f"buffers of {format_count(len(buffers.buffers), 'frame')}, {span}"
    return [Guess("self_collision", content, buffers.note)]


def _where(plan: ControlPlan, pose: FreePose | None) -> str:
    where = f"state {', '.join(plan.states)} of the SRDF" if plan.states else plan.begins
    where = where or "away from limits and singular poses"
    if pose is None or pose.clearance is None or not pose.is_free:
        return where
    shapes = "collision meshes" if pose.by_meshes else "spheres"
    return f"{where}, {shapes} checked, {pose.clearance * 1000:.1f} mm apart"


def _guesses(
    robot: RobotDescription,
    plan: ControlPlan,
    fitted: RobotFit | None,
    judged: Mask | None,
    pose: FreePose | None,
    budget: int | None,
) -> list[Guess]:
    guesses: list[Guess] = []
    if plan.guessed and plan.joints:
        guesses.append(Guess("cspace", f"controlled: {', '.join(plan.joints)}", plan.reason))
    groups: dict[tuple[str, str], list[str]] = {}
    for entry in plan.locked:
        groups.setdefault((entry.role.value, entry.reason), []).append(entry.joint)
    for (role, reason), names in groups.items():
        guesses.append(Guess("default_joint_positions", f"locked, {role}: {', '.join(names)}", reason))
    guesses += _limits(robot)
    for tool in plan.tools:
        if tool.guessed:
            guesses.append(Guess("tool_frames", tool.frame, tool.reason))
    if plan.positions:
        guesses.append(Guess("default_joint_positions", "start of motion", _where(plan, pose)))
    if fitted is not None:
        guesses += _fit_guesses(fitted, budget)
    if judged is not None:
        left = set(pose.overlaps) - judged.proposal.pairs if pose is not None else set()
        guesses += [Guess("self_collision", f"{pair.first} and {pair.second} ignored", _STUCK) for pair in sorted(left)]
        for row in judged.proposal.rows:
            if row.decision is Decision.MASK and row.kind in (PairClass.ALWAYS, PairClass.DEFAULT):
                reason = row.reason.removeprefix("ignored by hand; ")
                guesses.append(Guess("self_collision", f"{row.first} and {row.second} ignored", reason))
    return guesses


def _limits(robot: RobotDescription) -> list[Guess]:
    cspace = robot.xrdf.cspace
    if cspace is None:
        return []
    guesses = []
    for key, values, placeholder in (
        ("acceleration_limits", cspace.acceleration_limits, PLACEHOLDER_ACCELERATION),
        ("jerk_limits", cspace.jerk_limits, PLACEHOLDER_JERK),
    ):
        same = [n for n, v in zip(cspace.joint_names or (), values or (), strict=False) if v == placeholder]
        if same:
            placeholders = f"{key} {placeholder:g} for {len(same)} joint{'s' if len(same) > 1 else ''}"
            guesses.append(Guess("cspace", placeholders, "a placeholder: the URDF has none"))
    return guesses


def _fit_guesses(fitted: RobotFit, budget: int | None) -> list[Guess]:
    """`budget`: the one that was asked for, which is no guess."""
    guesses = []
    if fitted.budget is not None and budget is None:
        count = sum(map(len, fitted.spheres.values()))
        usual = estimate_budget(len(fitted.links))
        if count > fitted.budget:
            reason = f"{fitted.budget} at first, more where links pass closely"
        elif fitted.budget < usual:
            reason = f"fewer than the usual {usual} for this many links: more would hardly reduce false collisions"
        else:
            reason = _USUAL
        guesses.append(Guess("geometry", f"{max(count, fitted.budget)} spheres in total", reason))
    if fitted.mount is not None:
        mount = fitted.mount
        lost = "; ".join(
            f"{each.link}: {format_percent(each.lost)} of its surface" for each in fitted.links if each.lost > 0
        )
        kept = f"{', '.join(plane.link for plane in mount.planes)} kept above z = {mount.height:.4g} m"
        guesses.append(Guess("geometry", kept, mount.reason + (f"; this leaves uncovered: {lost}" if lost else "")))
    guesses += [Guess("geometry", "fitted geometry", note) for note in fitted.notes]
    guesses += [Guess("geometry", f"no spheres on {each.link}", each.reason) for each in fitted.skipped]
    return guesses
