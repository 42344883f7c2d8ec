"""From a proposed mask to the step that writes it: each pair once, what stays stays where it is,
reasons on request."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.srdf import SrdfMask
from editor_app.core.formats.exchange.conversion import ADJACENT
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.formats.xrdf.mask_reasons import with_reasons
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.tree import adjacent_pairs, get_tree
from editor_app.core.text.source import SourceText
from editor_app.features.masks.engine.model import Relation
from editor_app.features.masks.engine.results import PairClass, PairEvidence

#: What MoveIt's assistant and Tesseract write as reasons.
SRDF_REASONS = {
    PairClass.ADJACENT: ADJACENT,
    PairClass.RIGID: "Never",
    PairClass.DEFAULT: "Default",
    PairClass.ALWAYS: "Always",
    PairClass.NEVER_CERTIFIED: "Never",
    PairClass.NEVER_SAMPLED: "Never",
}


def srdf_reason(evidence: PairEvidence | None) -> str:
    """The SRDF's word for a pair; what no evidence speaks for is the user's."""
    if evidence is None:
        return "User"
    if evidence.relation is Relation.FIXED:
        return SRDF_REASONS[PairClass.ADJACENT]
    if evidence.kind is PairClass.RIGID and evidence.clearance_default <= 0.0:
        return SRDF_REASONS[PairClass.ALWAYS]
    return SRDF_REASONS.get(evidence.kind, "User")


def has_mask(robot: RobotDescription) -> bool:
    """Return whether the XRDF ignores more than a draft does: pairs that are neither adjacent nor
    rigid."""
    groups = get_tree(robot).rigid_groups()
    moving = robot.xrdf.ignored_pairs() - adjacent_pairs(robot)
    return any(
        groups.get(pair.first, pair.first) != groups.get(pair.second, pair.second)
        for pair in moving
    )


def list_masked_pairs(
    robot: RobotDescription, file: MaskFile, pairs: Collection[LinkPair] = ()
) -> frozenset[LinkPair]:
    """The pairs that a file leaves out: the pairs it names, and from `pairs` what an SRDF's whole
    links take along."""
    return (
        robot.xrdf.ignored_pairs()
        if file is MaskFile.XRDF
        else SrdfMask.of(robot.srdf).within(pairs)
    )


@dataclass(frozen=True, slots=True)
class WriteMaskText:
    """The step `mask` on the XRDF's text, with its reasons as comments behind the pairs.

    `robot` is the robot that the text belongs to. Lines that have a comment already keep theirs.
    `checked`: why pairs are checked that their maker's mask ignores, as a comment behind the key.
    """

    robot: RobotDescription
    mask: SetMask
    checked: str = ""

    @property
    def label(self) -> str:
        return self.mask.label

    def apply_text(self, text: str) -> str:
        """Raises CannotApply when the text cannot take the mask."""
        patch = patch_xrdf(read_xrdf(SourceText.from_text(text)), self.mask.apply(self.robot).xrdf)
        text = with_reasons(patch.written, self.mask.reasons)
        node = read_xrdf(SourceText.from_text(text)).node(("self_collision", "ignore"))
        if node is None or not self.checked:
            return text
        return with_key_comment(
            text, "ignore", node.start, f"{CHECKED} {self.checked}", _CHECKED_MARK
        )


#: The comment about pairs that are checked although their maker's mask ignores them begins so.
CHECKED = "checked anyway:"
#: The same as a pattern, with the words of versions before 0.10, so that their comments are
#: replaced.
_CHECKED_MARK = "checked (?:anyway|all[ ]the[ ]same):"


def with_key_comment(text: str, name: str, place: int, comment: str, mark: str) -> str:
    """The text with a comment behind the key `name` of the value at `place`, where nothing else
    stands on the key's line but a comment that begins with `mark`, as this one does."""
    key = text.rfind(name, 0, place)
    old = rf"(?:#[ \t]*{mark}[^\r\n]*)?"
    line = (
        re.compile(rf"{name}[\"']?[ \t]*:[ \t]*({old})(?=\r?\n)").match(text, key)
        if key >= 0
        else None
    )
    return (
        text
        if line is None
        else f"{text[: line.start(1)].rstrip()}  # {comment}{text[line.end() :]}"
    )
