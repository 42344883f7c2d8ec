"""The rule for fixes of findings, wherever they are offered: no new error, no collision at the
default position.

Scripts apply a fix with `apply_fix`; the window and the other programs ask `refuse_fix` or
`find_harm`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind, State
from editor_app.core.document.texts import compute_text, state_with_text
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change, RobotDescription, TextChange
from editor_app.core.tasks.work import Refused, check_arguments
from editor_app.features.checks.verbs.check import NO_PACKAGES, StateChecker
from editor_app.features.masks.engine.default_overlaps import default_overlaps


@check_arguments
def apply_fix(
    document: Document, fix: Change | TextChange, *, profile: Profile | None = None
) -> None:
    """Execute a fix of a finding as one step that can be undone.

    `profile`: the program that reads the files; default the document's. Raises Refused where the
    fix adds an error or makes the default position collide, and CannotApply where it does not fit
    the robot any more. The document is unchanged then.
    """
    profile = Profile(profile or document.profile)
    if refusal := refuse_fix(fix, document.state, profile, FrozenDict(document.packages)):
        raise Refused(refusal)
    document.execute(fix)


def preview_fix(fix: Change | TextChange, state: State) -> State:
    """Return the state after a fix, the same object when it changes nothing. Raises CannotApply."""
    if isinstance(fix, TextChange):
        text = compute_text(state, FileKind.XRDF) or ""
        new = fix.apply_text(text)
        return state if new == text else state_with_text(state, FileKind.XRDF, new)
    fixed = state.changed_by(fix)
    return state if fixed.confirmed == state.confirmed and fixed.robot == state.robot else fixed


def refuse_fix(
    fix: Change | TextChange,
    state: State,
    profile: Profile = Profile.SPECIFICATION,
    packages: FrozenDict[str, Path] = NO_PACKAGES,
) -> str:
    """Return why a fix must not be taken; "" where it adds no error and no collision. Raises
    CannotApply."""
    after = preview_fix(fix, state)
    checker = StateChecker()
    before = checker.check(state, profile, packages=packages)
    harm = find_harm(
        state.robot, before, after.robot, checker.check(after, profile, packages=packages)
    )
    return f"{fix.label}: not applied, because {harm}." if harm else ""


def find_harm(
    robot: RobotDescription,
    findings: Iterable[Finding],
    changed: RobotDescription,
    found_then: Iterable[Finding],
) -> str:
    """Return what a change of the robot does that no fix may do, for a sentence; "" for nothing.

    `findings`, `found_then`: what is known of the robot and of the changed one.
    """
    added = sorted(default_overlaps(changed) - default_overlaps(robot))
    if added:
        return f"{added[0].first} and {added[0].second} would collide at the default position"
    counts = Counter(finding.code for finding in findings if finding.severity is Severity.ERROR)
    for finding in found_then:
        if finding.severity is Severity.ERROR:
            counts[finding.code] -= 1
            if counts[finding.code] < 0:
                return f"it would add the error {finding.code}: {finding.message.rstrip('.')}"
    return ""
