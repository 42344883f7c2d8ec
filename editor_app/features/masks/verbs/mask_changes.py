"""From a proposed mask to the step that writes it: each pair once, what stays stays where it is, reasons on request."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from editor_app.core.document.commands.self_collision import SetIgnore
from editor_app.core.document.commands.srdf import SetSrdfPairs, SrdfMask
from editor_app.core.drafting.bodies import link_order
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.formats.xrdf.mask_reasons import with_reasons
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.xrdf import LinkPair, ignore_mapping
from editor_app.core.space.kinematics.tree import adjacent_pairs, tree_of
from editor_app.core.text.source import SourceText
from editor_app.features.masks.engine.masks import with_pairs, without_pairs
from editor_app.features.masks.engine.model import Relation
from editor_app.features.masks.engine.results import PairClass, PairEvidence

LABEL = "Write the mask"


class MaskFile(StrEnum):
    """Whose mask: `self_collision.ignore`, or `disable_collisions`."""

    XRDF = "XRDF"
    SRDF = "SRDF"

    @property
    def other(self) -> MaskFile:
        return MaskFile.SRDF if self is MaskFile.XRDF else MaskFile.XRDF


#: What MoveIt's assistant and Tesseract write as reasons.
SRDF_REASONS = {
    PairClass.ADJACENT: "Adjacent",
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
    """Whether the XRDF ignores more than a draft does: pairs that are neither adjacent nor rigid."""
    groups = tree_of(robot).rigid_groups()
    moving = robot.xrdf.ignored_pairs() - adjacent_pairs(robot)
    return any(groups.get(pair.first, pair.first) != groups.get(pair.second, pair.second) for pair in moving)


def masked_in(robot: RobotDescription, file: MaskFile, pairs: Collection[LinkPair] = ()) -> frozenset[LinkPair]:
    """The pairs that a file leaves out: the pairs it names, and from `pairs` what an SRDF's whole links take along."""
    return robot.xrdf.ignored_pairs() if file is MaskFile.XRDF else SrdfMask.of(robot.srdf).within(pairs)


def srdf_mask_change(
    robot: RobotDescription,
    wanted: Collection[LinkPair],
    pairs: Collection[LinkPair],
    reasons: Mapping[LinkPair, str] | None = None,
    label: str = LABEL,
) -> SetSrdfPairs:
    """The step after which the SRDF ignores exactly `wanted` of `pairs`; pairs beyond `pairs` stay as they are.

    Pairs of frames that the XRDF adds are left out: an SRDF knows links of the URDF alone.
    """
    links = {link.name for link in robot.urdf.links}
    now = SrdfMask.of(robot.srdf)
    wanted = frozenset(wanted)
    robot_pairs = [p for p in sorted(pairs) if p.first in links and p.second in links]
    fresh = {p: (reasons or {}).get(p, "User") for p in robot_pairs if p in wanted and not now.ignores(p)}
    gone = tuple(p for p in robot_pairs if p not in wanted and now.ignores(p))
    return SetSrdfPairs(FrozenDict(fresh), gone, label)


def mask_change(robot: RobotDescription, wanted: Collection[LinkPair], label: str = LABEL) -> SetIgnore:
    """The step after which exactly `wanted` is ignored. Entries that stay are not touched.

    Raises CannotApply when there is no section self-collision to write to.
    """
    section = robot.xrdf.self_collision
    if section is None:
        raise CannotApply("There is no section self-collision. Add it first.")
    now = frozenset(section.ignored_pairs())
    kept = without_pairs(section.ignore, now - frozenset(wanted))
    return SetIgnore(with_pairs(kept, frozenset(wanted) - now, tree_of(robot).frames), label)


def written_mask(robot: RobotDescription, pairs: Collection[LinkPair], label: str = LABEL) -> SetIgnore:
    """The step after which exactly these pairs are ignored, each once, from the base to the tools, left before right.

    For a file that is new: nobody has put its entries into an order yet. Pairs of links without spheres are left out:
    nothing is compared there.
    """
    spheres = robot.xrdf.spheres_of(robot.xrdf.self_group)
    order = link_order(robot.urdf)
    added = [frame for frame in tree_of(robot).frames if frame not in set(order)]
    kept = [pair for pair in pairs if spheres.get(pair.first) and spheres.get(pair.second)]
    return SetIgnore(ignore_mapping(kept, (*order, *added)), label)


@dataclass(frozen=True, slots=True)
class WriteMaskText:
    """The same step on the XRDF's text, with the reason of each pair as a comment behind it.

    `robot` is the robot that the text belongs to. Lines that have a comment already keep theirs. `anew`: in the order
    of a new file. `checked`: why pairs are checked that their maker's mask ignores, as a comment behind the key.
    """

    robot: RobotDescription
    wanted: frozenset[LinkPair]
    reasons: Mapping[LinkPair, str]
    label: str = LABEL
    anew: bool = False
    checked: str = ""

    def apply_text(self, text: str) -> str:
        """Raises CannotApply when the text cannot take the mask."""
        source = read_xrdf(SourceText.from_text(text))
        change = written_mask(self.robot, self.wanted) if self.anew else mask_change(self.robot, self.wanted)
        section = self.robot.xrdf.self_collision
        assert section is not None
        xrdf = replace(self.robot.xrdf, self_collision=replace(section, ignore=change.ignore))
        text = with_reasons(patch_xrdf(source, xrdf).written, self.reasons)
        node = read_xrdf(SourceText.from_text(text)).node(("self_collision", "ignore"))
        if node is None or not self.checked:
            return text
        return with_key_comment(text, "ignore", node.start, f"{CHECKED} {self.checked}", CHECKED)


#: The comment about pairs that are checked although their maker's mask ignores them begins so.
CHECKED = "checked all the same:"


def with_key_comment(text: str, name: str, place: int, comment: str, mark: str) -> str:
    """The text with a comment behind the key `name` of the value at `place`, where nothing else stands on the key's
    line but a comment that begins with `mark`, as this one does."""
    key = text.rfind(name, 0, place)
    old = rf"(?:#[ \t]*{mark}[^\r\n]*)?"
    line = re.compile(rf"{name}[\"']?[ \t]*:[ \t]*({old})(?=\r?\n)").match(text, key) if key >= 0 else None
    return text if line is None else f"{text[: line.start(1)].rstrip()}  # {comment}{text[line.end() :]}"
