"""The patch of a mask: a unified diff of the lossless edits of its claims, as `patch` and `git
apply` read."""

from __future__ import annotations

import difflib
from pathlib import Path

from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.formats.srdf import patch_srdf
from editor_app.core.formats.xrdf import patch_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import SourceText
from editor_app.plugins.audit.verbs.audit import Audit, MaskClaim


def mask_change(audit: Audit) -> RobotDescription:
    """Return the robot with a mask that follows the claims.

    Pairs that are ignored and touch are checked again; where they are neighbours or touch at the
    default position, an SRDF gets that reason instead. Pairs that cannot touch are ignored.
    """
    robot = audit.document.robot
    again = tuple(claim.pair for claim in audit.wrong if not _is_needed(claim))
    apart = tuple(claim.pair for claim in audit.claims if claim.code == "MASK004")
    always = tuple(claim.pair for claim in audit.claims if claim.code == "MASK005")
    reasons: dict[LinkPair, str] = {
        **dict.fromkeys(apart, "Never"),
        **dict.fromkeys(always, "Always"),
    }
    if reasons or again:
        robot = SetMask(audit.file, tuple(reasons), FrozenDict(reasons), again).apply(robot)
    if audit.file is MaskFile.SRDF:
        for claim in audit.wrong:
            if _is_needed(claim):
                reason = "Default" if claim.at_default else "Adjacent"
                robot = set_item("srdf.disabled_pairs", claim.pair, reason).apply(robot)
    return robot


def _is_needed(claim: MaskClaim) -> bool:
    """Whether no motion would be found with the pair checked."""
    return claim.at_default or claim.is_adjacent


def mask_patch(audit: Audit, base: Path | None = None) -> bytes:
    """Return the unified diff of the file, with its path from the folder `base`; empty without a
    change.

    Raises CannotApply where the file has no place for the mask.
    """
    changed, document = mask_change(audit), audit.document
    if audit.file is MaskFile.XRDF:
        old = document.xrdf_now.source
        text = patch_xrdf(document.xrdf_now, changed.xrdf).text
    else:
        assert document.srdf_now is not None
        assert changed.srdf is not None
        old = document.srdf_now.source
        text = patch_srdf(document.srdf_now, changed.srdf).text
    path = Path(old.name)
    name = path.resolve().relative_to(base.resolve()) if base is not None else Path(path.name)
    return unified_diff(old, old.with_text(text), name.as_posix())


def unified_diff(old: SourceText, new: SourceText, name: str) -> bytes:
    """Return the unified diff of two texts, byte for byte; empty where they are equal."""
    # Latin-1 keeps every byte; lines end at a line feed alone, as `patch` reads them.
    before, after = (_lines(each.data) for each in (old, new))
    # A name with a space ends with a tab.
    mark = "\t" if " " in name else ""
    parts = []
    for line in difflib.unified_diff(before, after, f"a/{name}{mark}", f"b/{name}{mark}"):
        parts.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(parts).encode("latin-1")


def _lines(data: bytes) -> list[str]:
    lines = data.decode("latin-1").split("\n")
    ends = [f"{line}\n" for line in lines[:-1]]
    return [*ends, lines[-1]] if lines[-1] else ends
