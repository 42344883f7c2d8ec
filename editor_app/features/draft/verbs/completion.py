"""Complete a draft: what `new` writes for a URDF, for a robot that was built or edited by hand.

Decided here, for every caller: which sections are missing, where their values come from, and that
each guess is marked. Values that somebody gave stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.document.opening import first_plan
from editor_app.core.drafting import NOTHING_ASKED, ControlPlan, ControlRequest
from editor_app.core.formats.xrdf import XrdfSource, patch_xrdf, read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.formats.xrdf.guess_comments import guess_lines, guesses_of, with_guesses
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import (
    PLACEHOLDERS,
    POSITIONS,
    TOOLS,
    GuessedPart,
    Guesses,
    get_values,
)
from editor_app.core.model.xrdf import CSpace, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.attached_record import comments_in


@dataclass(frozen=True, slots=True)
class CompleteDraft:
    """The step that gives an XRDF its missing sections, by `plan`."""

    text: str
    plan: ControlPlan
    label: str = "Complete the draft"

    def apply_text(self, text: str) -> str:
        """Return the completed text."""
        return self.text


def completion(document: Document) -> CompleteDraft | None:
    """Return the step that completes the XRDF of a document; None where no section is missing.

    The controlled joints stay; where none is, they are planned as for a new file.
    """
    robot, plan = document.robot, document.first_plan
    if plan is not None and not _lacks(robot.xrdf, plan):
        return None
    srdf, positions = robot.srdf, robot.positions
    plan = first_plan(robot.urdf, srdf, NOTHING_ASKED, positions)
    controlled = robot.xrdf.controlled
    if controlled and set(controlled) != set(plan.joints):
        plan = first_plan(robot.urdf, srdf, ControlRequest(joints=controlled), positions)
    if not _lacks(robot.xrdf, plan):
        return None
    version = robot.xrdf.format_version or "1.0"
    drafted = read_xrdf(SourceText.from_text(draft_xrdf(robot.urdf, plan, version, robot.limits)))
    wanted, present = _merged(robot.xrdf, drafted.value), document.xrdf_now
    guesses = _guesses(document, drafted, wanted)
    # A draft that nobody commented is written as a new file is.
    words = _comments(drafted) | {line.lstrip("# ") for line in guess_lines(present).values()}
    is_ours = document.xrdf_digest is None and _comments(present) <= words
    base = drafted if is_ours else present
    written = with_guesses(patch_xrdf(base, wanted).written, guesses, wordings=guess_lines(drafted))
    return CompleteDraft(written.source.text, plan)


def _lacks(xrdf: Xrdf, plan: ControlPlan) -> bool:
    """Whether a section is missing that a new file by `plan` has."""
    positions = xrdf.default_joint_positions or ()
    cspace = xrdf.cspace or CSpace()
    is_short = any(len(getattr(cspace, key) or ()) != len(plan.joints) for key in PLACEHOLDERS)
    return (
        set(plan.joints) != set(xrdf.controlled)
        or is_short
        or bool(plan.tools and not xrdf.tool_frames)
        or any(joint not in positions for joint in plan.positions)
        or None in (xrdf.self_collision, xrdf.world_collision, xrdf.geometry)
    )


def _merged(xrdf: Xrdf, drafted: Xrdf) -> Xrdf:
    """The present XRDF with the sections, joints and limits of the draft where it has none."""
    old, new = xrdf.cspace or CSpace(), drafted.cspace or CSpace()
    names = old.joint_names or new.joint_names or ()
    limits: dict[str, Any] = {}
    for key in PLACEHOLDERS:
        present, planned = (
            getattr(old, key) or (),
            dict(zip(new.joint_names or (), getattr(new, key) or (), strict=False)),
        )
        limits[key] = (*present[: len(names)], *(planned[joint] for joint in names[len(present) :]))
    positions = {**(drafted.default_joint_positions or {}), **(xrdf.default_joint_positions or {})}
    return replace(
        xrdf,
        format=xrdf.format or drafted.format,
        format_version=xrdf.format_version or drafted.format_version,
        cspace=CSpace(names, **limits),
        default_joint_positions=FrozenDict(positions)
        if positions
        else xrdf.default_joint_positions,
        tool_frames=xrdf.tool_frames or drafted.tool_frames,
        world_collision=xrdf.world_collision or drafted.world_collision,
        self_collision=xrdf.self_collision or drafted.self_collision,
        geometry=drafted.geometry if xrdf.geometry is None else xrdf.geometry,
    )


def _guesses(document: Document, drafted: XrdfSource, wanted: Xrdf) -> Guesses:
    """Return the guesses that are left in the present file, and the guesses that the draft adds."""
    given = _given(document)
    added = {
        part: value
        for part, value in guesses_of(drafted).left_in(wanted).parts.items()
        if part not in given
    }
    both = Guesses(FrozenDict({**added, **document.guesses.parts}))
    return both.left_in(wanted)


def _given(document: Document) -> set[GuessedPart]:
    """The parts that the present XRDF gives."""
    xrdf, plan = document.robot.xrdf, document.first_plan
    given = {(key, joint) for key in (*PLACEHOLDERS, POSITIONS) for joint in get_values(xrdf, key)}
    if xrdf.tool_frames:
        given.add((TOOLS, ""))
    if xrdf.controlled and (
        document.xrdf_digest is not None or (plan is not None and not plan.guessed)
    ):
        given.add(("cspace", ""))
    return given


def _comments(source: XrdfSource) -> set[str]:
    return {comment for _, comment in comments_in(source.tree)}
