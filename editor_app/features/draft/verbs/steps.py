"""The steps of a new XRDF that need no plug-in, and what they guess."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.model.counting import format_count, format_percent
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import PLACEHOLDERS, POSITIONS
from editor_app.core.model.xrdf import CSpace
from editor_app.core.tasks.work import locate_robot, make_stoppable, scale_progress
from editor_app.features.checks.verbs.check import check, consumers
from editor_app.features.draft.verbs.completion import completion
from editor_app.features.draft.verbs.default_pose import free_default, pose_step
from editor_app.features.draft.verbs.pipeline import Guess, NewStep, NewXrdf, StepWork
from editor_app.features.masks.engine.masks import Decision, propose_mask
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import PairClass
from editor_app.features.masks.engine.staleness import refresh
from editor_app.features.masks.engine.warmup import needs_compilation
from editor_app.features.masks.verbs.evidence import keep_evidence, keep_look
from editor_app.features.masks.verbs.mask import MaskRules, mask
from editor_app.features.masks.verbs.mask_changes import WriteMaskText
from editor_app.features.masks.verbs.mesh_look import mesh_look
from editor_app.features.masks.verbs.pair_distances import NothingToCompare, prepare_distances
from editor_app.features.masks.verbs.robot_pairs import has_pairs
from editor_app.features.spheres.verbs.fit import estimate_budget, fit, list_seen_links
from editor_app.features.spheres.verbs.link_fits import prepare_fitting

#: Links whose spheres overlap in this share of the configurations pass close to each other: buffers
#: or the mask decide about the pair, and no position is chosen by it.
_OFTEN = 0.5
#: Why a pair is ignored that the search for a free position could not part.
_STUCK = "overlaps at every position tried"
#: Why there is no cost without the plug-in.
_NO_PLANNING = "the plug-in “planning” is missing"


def _complete(new: NewXrdf, work: StepWork) -> NewXrdf:
    """Add the sections that the XRDF lacks."""
    document = new.document
    if (step := completion(document)) is not None:
        document.execute(step)
    if new.settings.mask:
        # Before minutes of fitting.
        build_sphere_model(document.robot).refuse_endless(document.robot.xrdf.controlled)
    return new


def _fit_spheres(new: NewXrdf, work: StepWork) -> NewXrdf:
    settings = new.settings
    fitted = fit(
        new.document,
        budget=settings.budget,
        geometry=settings.geometry,
        choices=replace(settings.choices, for_planning=any(step.refits for step in new.steps)),
        processes=work.processes,
        progress=work.progress,
        cancel=work.cancel,
    )
    if fitted.spheres:
        new.document.execute(fitted.change)
    return replace(new, fit=fitted)


def _mask_pairs(new: NewXrdf, work: StepWork) -> NewXrdf:
    """Find a free default position, and the mask there, compared with the meshes."""
    document, settings, fitted = new.document, new.settings, new.fit
    if not has_pairs(document.robot):
        return new
    work.progress(0.0, "Looking for a free default position")
    keep = not document.guesses.joints(POSITIONS)
    pose, _ = free_default(document.robot, keep=keep, often=_OFTEN if settings.fit else None)
    if (step := pose_step(document, pose)) is not None:
        document.execute(step)
    judged = mask(
        document,
        samples=settings.samples,
        certify=settings.certify,
        seed=settings.choices.seed,
        # What no position frees is part of how the robot is built.
        rules=MaskRules(
            keep=False,
            mask_default=True,
            mask_always=True,
            reasons=settings.reasons,
            trust_srdf=settings.trust_srdf,
        ),
        progress=scale_progress(work.progress, 0.2, 0.7),
        cancel=work.cancel,
    )
    if fitted is not None:
        seen, tell = list_seen_links(fitted), scale_progress(work.progress, 0.7, 1.0)
        # The report says why there is no comparison.
        with suppress(ImportError, NothingToCompare):
            look = mesh_look(
                document,
                judged.analysis,
                seed=settings.choices.seed,
                seen=seen,
                progress=tell,
                cancel=work.cancel,
            )
            judged = judged.after(look)
    every = judged.proposal.pairs | set(pose.overlaps)
    document.execute(SetMask.exactly(document.robot, MaskFile.XRDF, every, anew=True))
    return replace(new, pose=pose, mask=judged)


def _write_reasons(new: NewXrdf, work: StepWork) -> NewXrdf:
    """Examine the pairs with their buffers, keep that evidence, and write the reason of each
    ignored pair."""
    document, judged, pose = new.document, new.mask, new.pose
    if judged is None or pose is None:
        return new
    robot = document.robot
    model = build_sphere_model(robot, judged.analysis.model.options)
    evidence = refresh(judged.analysis, model, make_stoppable(work.progress, work.cancel))
    keep_evidence(evidence)
    needless = (
        replace(each, share=evidence[each.pair].probability or 0.0) for each in judged.look.needless
    )
    look = replace(judged.look, needless=tuple(needless))
    keep_look(locate_robot(document), evidence, look)
    if new.settings.reasons:
        ignored, options = robot.xrdf.ignored_pairs(), replace(judged.options, meshes=look.words)
        rows = {row.pair: row.reason for row in propose_mask(evidence, ignored, options).rows}
        words = FrozenDict({**dict.fromkeys(pose.overlaps, _STUCK), **rows})
        document.execute(WriteMaskText(robot, SetMask(reasons=words, label="Write the reasons")))
    return new


def _check_file(new: NewXrdf, work: StepWork) -> NewXrdf:
    document, settings = new.document, new.settings
    work.progress(0.0, "Checking")
    findings = check(
        document, profile=settings.profile, slow=settings.fit, cost=new.cost, cancel=work.cancel
    )
    compares = new.fit is not None and new.mask is not None and settings.cost_samples
    return replace(
        new,
        findings=findings,
        consumers=consumers(document.state, FrozenDict(document.packages), settings.profile),
        cost_missing=new.cost_missing or (_NO_PLANNING if compares and new.cost is None else ""),
    )


# -- guesses


def _guess_draft(new: NewXrdf) -> Iterator[Guess]:
    plan = new.plan
    if plan.guessed and plan.joints:
        yield Guess("cspace", f"controlled: {', '.join(plan.joints)}", plan.reason)
    groups: dict[tuple[str, str], list[str]] = {}
    for entry in plan.locked:
        groups.setdefault((entry.role.value, entry.reason), []).append(entry.joint)
    for (role, reason), names in groups.items():
        yield Guess("default_joint_positions", f"locked, {role}: {', '.join(names)}", reason)
    yield from _guess_limits(new.document.robot.xrdf.cspace or CSpace())
    yield from (
        Guess("tool_frames", tool.frame, tool.reason) for tool in plan.tools if tool.guessed
    )
    if plan.positions:
        where = f"state {', '.join(plan.states)} of the SRDF" if plan.states else plan.begins
        where = where or "away from limits and singular poses"
        pose = new.pose
        if pose is not None and pose.clearance is not None and pose.is_free:
            shapes = "collision meshes" if pose.by_meshes else "spheres"
            where = f"{where}, {shapes} checked, {pose.clearance * 1000:.1f} mm apart"
        yield Guess("default_joint_positions", "start of motion", where)


def _guess_limits(cspace: CSpace) -> Iterator[Guess]:
    for key, placeholder in PLACEHOLDERS.items():
        values = getattr(cspace, key) or ()
        same = [
            n for n, v in zip(cspace.joint_names or (), values, strict=False) if v == placeholder
        ]
        if same:
            content = f"{key} {placeholder:g} for {format_count(len(same), 'joint')}"
            yield Guess("cspace", content, "a placeholder: the URDF has none")


def _guess_spheres(new: NewXrdf) -> Iterator[Guess]:
    fitted = new.fit
    if fitted is None:
        return
    # A number that was asked for is no guess.
    if fitted.budget is not None and new.settings.budget is None:
        count = sum(map(len, fitted.spheres.values()))
        usual = estimate_budget(len(fitted.links))
        reason = "the usual number for this many links"
        if count > fitted.budget:
            reason = f"{fitted.budget} at first, more where links pass closely"
        elif fitted.budget < usual:
            reason = (
                f"fewer than the usual {usual} for this many links: more would hardly reduce false "
                "collisions"
            )
        yield Guess("geometry", f"{max(count, fitted.budget)} spheres in total", reason)
    if (mount := fitted.mount) is not None:
        lost = "; ".join(
            f"{each.link}: {format_percent(each.lost)} of its surface"
            for each in fitted.links
            if each.lost > 0
        )
        kept = (
            f"{', '.join(plane.link for plane in mount.planes)} kept above z = {mount.height:.4g} m"
        )
        yield Guess(
            "geometry", kept, mount.reason + (f"; this leaves uncovered: {lost}" if lost else "")
        )
    yield from (Guess("geometry", "fitted geometry", note) for note in fitted.notes)
    yield from (
        Guess("geometry", f"no spheres on {each.link}", each.reason) for each in fitted.skipped
    )


def _guess_mask(new: NewXrdf) -> Iterator[Guess]:
    if new.mask is None or new.pose is None:
        return
    proposal = new.mask.proposal
    ignored = [
        (pair.first, pair.second, _STUCK)
        for pair in sorted(set(new.pose.overlaps) - proposal.pairs)
    ]
    ignored += [
        (row.first, row.second, row.reason.removeprefix("ignored by hand; "))
        for row in proposal.rows
        if row.decision is Decision.MASK and row.kind in (PairClass.ALWAYS, PairClass.DEFAULT)
    ]
    ignored += [(each.first, each.second, each.reason) for each in new.needless]
    for first, second, reason in ignored:
        yield Guess("self_collision", f"{first} and {second} ignored", reason)


#: Plug-ins put steps between these by their `order`; see `list_steps`.
BASIC_STEPS = (
    NewStep(10, "Complete the draft", 1, _complete, guesses=_guess_draft),
    NewStep(
        20,
        "Fit spheres",
        20,
        _fit_spheres,
        lambda settings: settings.fit,
        _guess_spheres,
        compiles=prepare_fitting,
    ),
    NewStep(
        40,
        "Compute the mask",
        15,
        _mask_pairs,
        lambda settings: settings.mask,
        _guess_mask,
        compiles=prepare_distances,
        needs_compiling=needs_compilation,
    ),
    NewStep(90, "Write the reasons", 5, _write_reasons, lambda settings: settings.mask),
)
#: The last step of the command; the window checks the robot by itself.
CHECK_STEP = NewStep(100, "Check the file", 5, _check_file)
