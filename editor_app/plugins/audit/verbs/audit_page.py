"""The report of audits: plain values, and a page for the maintainers of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from editor_app.core.model.counting import format_count, format_percent
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.options import attribute_record
from editor_app.core.verbs.pages import build_list, build_page, build_table, mark_text
from editor_app.core.verbs.robot_picture import FIGURE_STYLE, Drawing, draw_all, render_figure
from editor_app.plugins.audit.verbs.audit import AUDIT_CODES, Audit, MaskClaim
from editor_app.version import __version__

#: Pictures of one robot.
MOST_PICTURES = 12
#: Codes in whose pictures two links touch.
_DRAWN = ("MASK001", "MASK002", "MASK003", "MASK005")
_STYLE = f"{FIGURE_STYLE} pre {{ overflow-x: auto; }}"


def audit_record(audit: Audit, name: str, urdf: str, patch: str) -> dict[str, Any]:
    """Return an audit as plain values: metres, radians, seconds. `patch`: the unified diff as
    text."""
    return {
        "mask": name,
        "urdf": urdf,
        "kind": audit.file.value,
        "engines": list(audit.engines),
        **attribute_record(audit, "ignored", "checked", "samples"),
        "wrong": len(audit.wrong),
        "claims": [_claim_record(claim) for claim in audit.claims],
        "disagreements": [_claim_record(claim) for claim in audit.disagreements],
        "notes": list(audit.notes),
        "patch": patch.splitlines(),
        "seconds": round(audit.wall_seconds, 1),
    }


def _claim_record(claim: MaskClaim) -> dict[str, Any]:
    return {
        "code": claim.code,
        "severity": claim.finding.severity.name.lower(),
        **attribute_record(claim, "first", "second", "reason"),
        "message": claim.finding.message,
        "line": None if claim.location is None else claim.location.line,
        **attribute_record(claim, "depth", "share", "proven", "at_default"),
        "joints": [
            attribute_record(each, "joint", "position", "lower", "upper") for each in claim.joints
        ],
        "pose": dict(claim.pose),
        "verdicts": [
            attribute_record(each, "engine", "touches", "note") for each in claim.opinions
        ],
    }


def audit_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of one audit for a terminal."""
    for each in (*record["claims"], *record["disagreements"]):
        line = f":{each['line']}" if each["line"] else ""
        yield f"{record['mask']}{line}: {each['severity']} {each['code']}: {each['message']}"
        if each["code"] != "MASK004":
            yield f"  at {_told_joints(each)} [{_told_verdicts(each)}]"
    yield f"{record['mask']}: {_summary(record)}"
    yield from (f"  note: {note}" for note in record["notes"])


def _told_joints(claim: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{each['joint']}={each['position']:.4f} ({_bound(each['lower'])} to "
        f"{_bound(each['upper'])})"
        for each in claim["joints"]
    )


def _bound(value: float | None) -> str:
    return "no limit" if value is None or value in (float("inf"), -float("inf")) else f"{value:.4g}"


def _told_verdicts(claim: Mapping[str, Any]) -> str:
    words = {True: "touch", False: "apart", None: "no answer"}
    return ", ".join(f"{each['engine']}: {words[each['touches']]}" for each in claim["verdicts"])


def _summary(record: Mapping[str, Any]) -> str:
    wrong = format_count(record["wrong"], "ignored pair")
    touch = "touches" if record["wrong"] == 1 else "touch"
    needless = sum(each["code"] == "MASK004" for each in record["claims"])
    return (
        f"{wrong} {touch} ({record['ignored']} ignored, {record['checked']} checked); "
        f"{format_count(needless, 'checked pair')} cannot touch; confirmed by "
        f"{', '.join(record['engines'])}"
    )


def draw_claims(audit: Audit, on_fault: Callable[[str], None]) -> Mapping[str, bytes]:
    """Return pair -> PNG of the configuration in which it touches, for the first claims, with both
    links in colour."""
    drawn = [claim for claim in audit.claims if claim.code in _DRAWN][:MOST_PICTURES]
    robot = Drawing.of(audit.document, spheres=False)
    if robot is None:
        return {}
    pairs = ((claim, (claim.first, claim.second)) for claim in drawn)
    return draw_all(
        {" × ".join(pair): robot.at(claim.pose, pair) for claim, pair in pairs}, on_fault
    )


def audit_page(
    records: Sequence[Mapping[str, Any]],
    skipped: Sequence[str] = (),
    pictures: Mapping[tuple[str, str], bytes] = FrozenDict(),
) -> str:
    """Return the page of the records of masks. `pictures`: (mask, pair) -> PNG; `skipped`: masks
    without an audit."""
    wrong = sum(record["wrong"] for record in records)
    parts: list[object] = [
        f"{format_count(len(records), 'mask')} audited, {format_count(wrong, 'ignored pair')} that "
        "can touch. "
        f"Each row gives a "
        "configuration within the limits of the URDF, and the verdict of every collision engine "
        "there.",
        build_table(
            "",
            ("mask", "ignored", "checked", "wrongly ignored", "needlessly checked"),
            map(_row, records),
        ),
        build_list("Without an audit", skipped, "quiet"),
    ]
    for record in records:
        parts += [mark_text(record["mask"], tag="h2"), mark_text(_summary(record), tag="p")]
        parts.append(build_list("", record["notes"], "quiet"))
        for code, title in AUDIT_CODES.items():
            listed = [
                each
                for each in (*record["claims"], *record["disagreements"])
                if each["code"] == code
            ]
            if not listed:
                continue
            parts.append(mark_text(f"{title} ({code})", tag="h3"))
            parts.append(build_table("", _HEAD, map(_claim_row, listed)))
            parts += [
                render_figure(pictures[key], each["message"])
                for each in listed
                if (key := (record["mask"], f"{each['first']} × {each['second']}")) in pictures
            ]
        if record["patch"]:
            parts += [
                mark_text("Patch", tag="h3"),
                mark_text("\n".join(record["patch"]), tag="pre"),
            ]
    return build_page(
        "Audit of self-collision masks", [*parts, f"XRDF Editor {__version__}."], _STYLE
    )


_HEAD = ("line", "pair", "reason", "depth", "share", "configuration (limits)", "verdicts")


def _row(record: Mapping[str, Any]) -> tuple[object, ...]:
    needless = sum(each["code"] == "MASK004" for each in record["claims"])
    style = "bad" if record["wrong"] else "good"
    return (
        record["mask"],
        record["ignored"],
        record["checked"],
        mark_text(record["wrong"], style),
        needless,
    )


def _claim_row(claim: Mapping[str, Any]) -> tuple[object, ...]:
    depth = f"{claim['depth'] * 1e3:.1f} mm" if claim["depth"] else "–"
    share = format_percent(claim["share"], 2) if claim["share"] else "–"
    joints = "" if claim["code"] == "MASK004" else _told_joints(claim)
    pair = f"{claim['first']} × {claim['second']}"
    return (
        claim["line"],
        pair,
        claim["reason"],
        depth,
        share,
        joints or claim["message"],
        _told_verdicts(claim),
    )
