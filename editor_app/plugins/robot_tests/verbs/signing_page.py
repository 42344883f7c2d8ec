"""The page to sign: each ignored pair with its evidence, who decided it and when, and what changed
since."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.verbs.pages import Markup, build_page, build_table, mark_text
from editor_app.core.verbs.robot_picture import FIGURE_STYLE, Drawing, draw_all, render_figure
from editor_app.plugins.robot_tests.verbs.sign_pairs import DecisionState, MaskReview

#: Pairs that are shown in pictures.
MOST_DRAWN = 12
_GOOD = (DecisionState.ADJACENT, DecisionState.RIGID, DecisionState.PROVEN, DecisionState.SIGNED)


def review_record(review: MaskReview, robot: str) -> dict[str, Any]:
    """Return the review as plain values: metres and radians."""
    return {
        "robot": robot,
        "mask": review.file.value,
        "decided": review.is_decided,
        "summary": review.told,
        "samples": review.analysis.settings.samples,
        "seed": review.analysis.settings.seed,
        "pairs": [
            {
                "names": list(each.names),
                "state": each.state.value,
                "open": each.is_open,
                "decision": each.sentence,
                "reason": each.signature.reason if each.signature is not None else each.reason,
                "signed_by": None if each.signature is None else each.signature.name,
                "date": None if each.signature is None else each.signature.date,
                "changed": list(each.changed),
                "class": None if each.evidence is None else each.evidence.kind.value,
                "evidence": each.why,
                "depth_m": None if each.evidence is None else each.evidence.worst_depth,
                "proven_clearance_m": None
                if each.evidence is None
                else each.evidence.certified_clearance,
                "witness": None
                if each.evidence is None
                else each.evidence.witness and dict(each.evidence.witness),
            }
            for each in review.decisions
        ],
        "notes": list(review.notes),
    }


def review_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the review as text: the pairs that somebody has to decide or decided, then the
    summary."""
    for each in record["pairs"]:
        if each["state"] in (DecisionState.OPEN, DecisionState.WITHDRAWN, DecisionState.SIGNED):
            reason = f" ({each['reason']})" if each["reason"] else ""
            yield f"{each['state']}: {' and '.join(each['names'])}: {each['decision']}{reason}"
            yield f"  {each['evidence']}"
    yield f"{record['robot']}: {record['summary']}"


def draw_pairs(
    document: Document, review: MaskReview, on_fault: Callable[[str], None]
) -> Mapping[str, bytes]:
    """Return "FIRST and SECOND" -> PNG of the worst configuration, for pairs that are open,
    withdrawn or signed."""
    if document.urdf_path is None:
        return {}
    robot = Drawing(document.urdf_path, document.xrdf_path, FrozenDict(document.packages))
    shown = [
        (each.names, each.evidence.witness)
        for each in review.decisions
        if each.evidence is not None
        and each.state in (DecisionState.OPEN, DecisionState.WITHDRAWN, DecisionState.SIGNED)
    ]
    drawings = {
        " and ".join(names): robot.at(pose, names)
        for names, pose in shown[:MOST_DRAWN]
        if pose is not None
    }
    return draw_all(drawings, on_fault)


def review_page(record: Mapping[str, Any], pictures: Mapping[str, bytes] = FrozenDict()) -> str:
    """Return the page of a record; `pictures`: as `draw_pairs` returns them."""
    style = "good" if record["decided"] else "bad"
    parts: list[object] = [
        Markup(mark_text(mark_text(f"{record['summary']}.", style), tag="p")),
        f"Mask of the {record['mask']}. {record['samples']:,} random configurations, seed "
        f"{record['seed']}.",
    ]
    rows = [
        (
            " and ".join(each["names"]),
            mark_text(
                each["state"],
                "bad" if each["open"] else "good" if each["state"] in _GOOD else "quiet",
            ),
            each["reason"],
            each["signed_by"],
            each["date"],
            ", ".join(each["changed"]),
            each["evidence"],
        )
        for each in record["pairs"]
    ]
    head = ("pair", "state", "reason", "signed by", "date", "changed since", "evidence")
    parts.append(build_table("Ignored pairs", head, rows))
    for each in record["pairs"]:
        title = " and ".join(each["names"])
        if title in pictures:
            parts.append(render_figure(pictures[title], f"{title}: {each['state']}"))
    parts += [
        Markup(mark_text("Signed: ____________________   Date: ____________", tag="p")),
        *record["notes"],
    ]
    return build_page(f"Ignored pairs of {record['robot']}", parts, FIGURE_STYLE)
