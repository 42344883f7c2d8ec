"""Reports of `xrdf-editor mask`: the pairs as JSON, CSV, or a page with the matrix."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from editor_app.cli._records import as_csv_text
from editor_app.core.model.options import attribute_record
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.verbs.pages import (
    DRAWN,
    Markup,
    build_list,
    build_page,
    build_table,
    mark_text,
)
from editor_app.features.masks.engine.masks import MaskProposal, MaskState, mask_state
from editor_app.features.masks.engine.results import (
    Analysis,
    PairClass,
    PairEvidence,
    explain_evidence,
)

_COLUMNS = (
    "link1",
    "link2",
    "class",
    "ignored",
    "state",
    "clearance_min_m",
    "clearance_default_m",
    "certified_clearance_m",
    "probability",
    "probability_bound",
    "samples",
    "witness",
    "proposed",
    "why",
)


def build_mask_record(
    head: Mapping[str, Any],
    analysis: Analysis,
    ignored: Collection[LinkPair],
    proposal: MaskProposal,
) -> dict[str, Any]:
    """Everything, as JSON has it. Lengths in metres, angles in radians."""
    proposed_pairs = proposal.pairs
    pairs = [_record(e, analysis, e.pair in ignored, e.pair in proposed_pairs) for e in analysis]
    return {
        **head,
        "conditions": analysis.model.options.sentence(),
        "links": list(analysis.model.frames),
        "counts": dict(Counter(p["class"] for p in pairs)),
        "hidden_collisions": [
            [p["link1"], p["link2"]] for p in pairs if p["state"] == MaskState.CONFLICT.value
        ],
        "missed_certain": [
            [p["link1"], p["link2"]] for p in pairs if p["state"] == MaskState.MISSING.value
        ],
        "added": [
            {"link1": r.first, "link2": r.second, "reason": r.reason} for r in proposal.added
        ],
        "removed": [
            {"link1": r.first, "link2": r.second, "reason": r.reason} for r in proposal.removed
        ],
        "to_decide": [
            {"link1": r.first, "link2": r.second, "reason": r.reason} for r in proposal.todo
        ],
        "without_spheres": [[p.first, p.second] for p in sorted(proposal.others)],
        "notes": list(analysis.model.notes),
        "pairs": pairs,
    }


def _record(e: PairEvidence, analysis: Analysis, ignored: bool, proposed: bool) -> dict[str, Any]:
    return {
        "link1": e.first,
        "link2": e.second,
        "class": e.kind.value,
        "ignored": ignored,
        "state": mask_state(e, ignored).value,
        "clearance_min_m": _number(e.clearance_min),
        "clearance_default_m": _number(e.clearance_default),
        "certified_clearance_m": e.certified_clearance,
        **attribute_record(e, "probability", "probability_bound", "samples"),
        "witness": dict(e.witness) if e.witness is not None else None,
        "proposed": proposed,
        "why": explain_evidence(e, analysis),
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def build_mask_csv(record: Mapping[str, Any]) -> str:
    """One line per pair; the witness as "joint=value" with blanks between."""
    return as_csv_text(
        _COLUMNS, ({**pair, "witness": _witness(pair["witness"] or {})} for pair in record["pairs"])
    )


def _witness(positions: Mapping[str, float]) -> str:
    return " ".join(f"{joint}={value!r}" for joint, value in positions.items())


_SIGNS = {
    PairClass.ADJACENT.value: "–",
    PairClass.RIGID.value: "=",
    PairClass.DEFAULT.value: "D",
    PairClass.ALWAYS.value: "A",
    PairClass.NEVER_CERTIFIED.value: "✓",
    PairClass.NEVER_SAMPLED.value: "~",
    PairClass.CAN_COLLIDE.value: "×",
    PairClass.UNKNOWN.value: "?",
}

_STYLE = """.matrix th { font-weight: 400; white-space: nowrap; }
.matrix thead th { writing-mode: vertical-rl; transform: rotate(180deg); }
.matrix td { width: 1.5em; height: 1.5em; padding: 0; text-align: center; cursor: default; }
.conflict { outline: 2px solid #c62828; outline-offset: -2px; font-weight: 700; }
.ignored { background-image: radial-gradient(#8888 1px, transparent 1px); background-size: 5px 5px; }
summary { cursor: pointer; }
"""


def build_mask_page(record: Mapping[str, Any]) -> str:
    """A page that needs nothing else: the matrix, the changes, the list."""
    counts = ", ".join(f"{n} {kind}" for kind, n in record["counts"].items())
    settings = record["settings"]
    parts: list[object] = [
        f"{counts}. Computed for {record['conditions']}; {settings['geometry']}, "
        f"{settings['samples']:,} samples.",
    ]
    for key, title in (("hidden_collisions", "Hidden: ignored although they can collide"),
                       ("missed_certain", "Missed: checked although they certainly collide")):  # fmt: skip
        parts.append(build_list(title, (f"{a} – {b}" for a, b in record[key])))
    signs = ", ".join(f"{sign} {kind}" for kind, sign in _SIGNS.items())
    parts += [
        _matrix(record),
        mark_text(
            f"{signs}. Blue: apart, red: overlapping, stronger colours mean more; dots: ignored; "
            "framed: mask "
            "and evidence disagree.",
            DRAWN,
            "p",
        ),
    ]
    for key, title in (
        ("added", "Would be added"),
        ("removed", "Would be removed"),
        ("to_decide", "Please decide"),
    ):
        parts.append(
            build_table(title, (), ((r["link1"], r["link2"], r["reason"]) for r in record[key]))
        )
    rows = []
    for p in record["pairs"]:
        clearance = "" if p["clearance_min_m"] is None else f"{p['clearance_min_m'] * 1e3:.1f}"
        rows.append((p["link1"], p["link2"], p["class"], p["state"], clearance, p["why"]))
    every = build_table(
        "All pairs", ("Link", "Link", "Class", "Mask", "Smallest clearance, mm", "Why"), rows
    )
    parts.append(Markup(f'<div class="{DRAWN}">{every}</div>'))
    parts.append(_written(record))
    return build_page(f"Self-collision of {record['robot']}", parts, _STYLE)


def _written(record: Mapping[str, Any]) -> str:
    if record["output"] is not None:
        return f"Written: {record['output']}."
    return "Nothing was written. To write, use -o FILE."


def _matrix(record: Mapping[str, Any]) -> Markup:
    links = record["links"]
    cells = {frozenset((p["link1"], p["link2"])): p for p in record["pairs"]}
    rows = [f"<table class='matrix {DRAWN}'><thead><tr><th></th>"]
    rows += [f"<th>{html.escape(name)}</th>" for name in links]
    rows.append("</tr></thead>")
    for one in links:
        rows.append(f"<tr><th>{html.escape(one)}</th>")
        for other in links:
            pair = cells.get(frozenset((one, other)))
            rows.append("<td></td>" if pair is None else _cell(pair))
        rows.append("</tr>")
    rows.append("</table>")
    return Markup("".join(rows))


def _cell(pair: Mapping[str, Any]) -> str:
    clearance = pair["clearance_min_m"]
    # Full strength at 100 mm, white at 0; meshes and hulls collide at 0, without a depth.
    strength = 0.0 if clearance is None else min(1.0, math.sqrt(abs(clearance) / 0.1)) * 0.75
    if clearance == 0.0:
        strength = 0.35
    colour = f"rgba({'30,100,200' if (clearance or 0.0) > 0 else '200,40,40'},{strength:.2f})"
    wrong = pair["state"] in (MaskState.CONFLICT.value, MaskState.MISSING.value)
    classes = " ".join(
        name for name, on in (("conflict", wrong), ("ignored", pair["ignored"])) if on
    )
    return (
        f'<td class="{classes}" style="background-color:{colour}" '
        f'title="{html.escape(pair["why"], quote=True)}">'
        f"{_SIGNS[pair['class']]}</td>"
    )


PAGES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "csv": build_mask_csv,
    "html": build_mask_page,
}
