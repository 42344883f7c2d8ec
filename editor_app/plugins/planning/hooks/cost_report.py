"""Reports of `xrdf-editor cost`, as JSON or a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from editor_app.core.model.counting import Share, format_percent
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.model_cost import with_old_keys
from editor_app.core.model.options import attribute_record
from editor_app.core.verbs.pages import Markup, build_list, build_page, build_table
from editor_app.plugins.motion.cli._barriers import barrier_record
from editor_app.plugins.motion.verbs.passages import Passages
from editor_app.plugins.planning.verbs.model_cost import ModelCost


def report(
    head: Mapping[str, Any], cost: ModelCost, passages: Passages | None = None
) -> dict[str, Any]:
    """Shares, depths in metres, joints in radians or metres."""
    return {
        **head,
        "samples": cost.samples,
        "seed": cost.seed,
        "refused_share": cost.refused / cost.samples,
        "touching_share": cost.touching / cost.samples,
        **with_old_keys(
            {"false_collisions": _figure(cost.needless), "missed_collisions": _figure(cost.wrong)}
        ),
        "too_fat": [
            {
                "first": entry.names[0],
                "second": entry.names[1],
                "configurations": entry.count,
                "alone": entry.alone,
                "share": _figure(Share(entry.count, cost.needless.of)),
                "depth_m": entry.depth,
                "spheres": _spheres(entry.spheres),
                "witness": dict(entry.witness),
            }
            for entry in cost.too_fat
        ],
        "hidden": [
            {
                "first": entry.names[0],
                "second": entry.names[1],
                "configurations": entry.count,
                "share": _figure(Share(entry.count, cost.wrong.of)),
                "why": why(entry.masked, entry.without_spheres),
                "witness": dict(entry.witness),
            }
            for entry in cost.hidden
        ],
        "spheres": _spheres(cost.spheres),
        "compared_by_sight": sorted(cost.seen),
        "left_out": [list(names) for names in cost.left_out],
        # Meshes that are missing are heard of by both.
        "notes": list(
            dict.fromkeys(
                (
                    *filter(None, (cost.shapes,)),
                    *cost.notes,
                    *(passages.notes if passages is not None else ()),
                )
            )
        ),
        **({} if passages is None else {"passages": passages_record(passages)}),
    }


def _figure(share: Share) -> dict[str, Any]:
    """A share with its interval of 95 %."""
    return {
        "count": share.count,
        "of": share.of,
        "share": share.value,
        "interval": list(share.interval),
    }


def _spheres(counts: Sequence[tuple[SphereRef, int]]) -> list[dict[str, Any]]:
    return [
        {**attribute_record(ref, "group", "frame", "index"), "configurations": count}
        for ref, count in counts
    ]


def passages_record(passages: Passages) -> dict[str, Any]:
    """Record the barriers that cut joints into pieces; sets of joints without any are left out."""
    return {
        "sets": [
            {
                "joints": list(each.joints),
                "pieces": [
                    {"share": piece.share, "pose": dict(piece.pose)} for piece in each.pieces
                ],
                "small_pieces": each.small,
                "pieces_by_meshes": each.pieces_by_meshes,
                "barriers": [barrier_record(barrier) for barrier in each.barriers],
                "shut": [
                    {
                        "joint": interval.joint,
                        "from": interval.lower,
                        "to": interval.upper,
                        "pairs": [list(names) for names in interval.pairs],
                        "open_by_meshes": [list(part) for part in interval.open]
                        if interval.compared
                        else None,
                        "open_pose": None
                        if interval.open_pose is None
                        else dict(interval.open_pose),
                    }
                    for interval in each.intervals
                ],
            }
            for each in passages.sets
            if each.barriers or each.intervals
        ],
        "not_looked_at": [list(names) for names in passages.too_long],
    }


def why(masked: bool, without_spheres: bool) -> str:
    """Why the model does not see that meshes touch."""
    return (
        "ignored" if masked else "a link has no spheres" if without_spheres else "spheres too small"
    )


def _told(figure: Mapping[str, Any]) -> str:
    return str(Share(figure["count"], figure["of"]))


def build_cost_page(record: Mapping[str, Any]) -> str:
    """A page that needs nothing else."""
    lead = (
        f"<p>In {record['samples']:,} configurations the spheres refuse "
        f"{format_percent(record['refused_share'])}, and "
        f"the meshes touch in {format_percent(record['touching_share'])}.</p>",
        f"<p><b>{_told(record['false_collisions'])}</b> false collisions, of the free "
        "configurations; "
        f"<b>{_told(record['missed_collisions'])}</b> missed collisions, of those in which meshes "
        "touch.</p>",
    )
    fat = []
    for entry in record["too_fat"]:
        spheres = ", ".join(
            f"{s['frame']}[{s['index']}] ({s['configurations']})" for s in entry["spheres"]
        )
        fat.append(
            (_names(entry), entry["configurations"], f"{entry['depth_m'] * 1e3:.1f}", spheres)
        )
    hidden = []
    for entry in record["hidden"]:
        witness = " ".join(f"{joint}={value:.3f}" for joint, value in entry["witness"].items())
        hidden.append((_names(entry), entry["configurations"], entry["why"], witness))
    passages = record.get("passages", {})
    barriers = [barrier for each in passages.get("sets", ()) for barrier in each["barriers"]]
    names, long = (
        ", ".join(f"{a} – {b}" for a, b in pairs)
        for pairs in (record["left_out"], passages.get("not_looked_at", ()))
    )
    ends = {
        "No examined pair of links divides the range of its joints.": bool(passages)
        and not barriers,
        f"Not examined for passages, because more than three joints are between: {long}.": bool(
            long
        ),
        f"Not counted, because a joint connects them or they always touch: {names}.": bool(names),
    }
    parts = [
        *map(Markup, lead),
        build_table("Spheres too large", ("Pair", "Configurations", "Depth, mm", "Spheres"), fat),
        build_table("Hidden", ("Pair", "Configurations", "Why", "Example"), hidden),
        build_list("Passages", (barrier["why"] for barrier in barriers)),
        *(sentence for sentence, holds in ends.items() if holds),
        *record["notes"],
    ]
    title = f"False and missed collisions of {record['robot']}"
    return build_page(title, parts, heading=f"{title} and hides")


def _names(entry: Mapping[str, Any]) -> str:
    return f"{entry['first']} – {entry['second']}"


PAGES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"html": build_cost_page}
