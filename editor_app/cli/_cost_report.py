"""What `xrdf-editor cost` reports, as JSON or a page."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Any

from editor_app.cli._collide_report import STYLE
from editor_app.model.counting import percent
from editor_app.operations.model_cost import ModelCost


def report(head: Mapping[str, Any], cost: ModelCost) -> dict[str, Any]:
    """Shares of the configurations, depths in metres, joints in radians or metres."""
    return {
        **head,
        "samples": cost.samples,
        "seed": cost.seed,
        "refused_share": cost.refused / cost.samples,
        "touching_share": cost.touching / cost.samples,
        "refused_needlessly_share": cost.refused_needlessly / cost.samples,
        "accepted_wrongly_share": cost.accepted_wrongly / cost.samples,
        "too_fat": [
            {
                "first": entry.names[0],
                "second": entry.names[1],
                "configurations": entry.count,
                "depth_m": entry.depth,
                "spheres": [
                    {"group": ref.group, "frame": ref.frame, "index": ref.index, "configurations": count}
                    for ref, count in entry.spheres
                ],
                "witness": dict(entry.witness),
            }
            for entry in cost.too_fat
        ],
        "hidden": [
            {
                "first": entry.names[0],
                "second": entry.names[1],
                "configurations": entry.count,
                "why": why(entry.masked, entry.without_spheres),
                "witness": dict(entry.witness),
            }
            for entry in cost.hidden
        ],
        "left_out": [list(names) for names in cost.left_out],
        "notes": list(cost.notes),
    }


def why(masked: bool, without_spheres: bool) -> str:
    """Why the model does not see that meshes touch."""
    return "ignored" if masked else "a link has no spheres" if without_spheres else "spheres too thin"


def as_html(record: Mapping[str, Any]) -> str:
    """A page that needs nothing else."""
    esc = html.escape
    lines = [
        "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">',
        f"<title>What the model of {esc(record['robot'])} costs</title><style>{STYLE}</style></head><body>",
        f"<h1>What the model of {esc(record['robot'])} costs and hides</h1>",
        f"<p>Over {record['samples']:,} configurations the spheres refuse {percent(record['refused_share'])}, and the "
        f"meshes touch in {percent(record['touching_share'])}.</p>",
        f"<p><b>{percent(record['refused_needlessly_share'], 2)}</b> refused though the meshes are free; "
        f"<b>{percent(record['accepted_wrongly_share'], 2)}</b> accepted though meshes touch.</p>",
        "<h2>Too fat</h2>" if record["too_fat"] else "",
    ]  # fmt: skip
    if record["too_fat"]:
        lines.append("<table><tr><th>Pair<th>Configurations<th>Depth, mm<th>Spheres</tr>")
        for entry in record["too_fat"]:
            spheres = ", ".join(f"{s['frame']}[{s['index']}] ({s['configurations']})" for s in entry["spheres"])
            lines.append(
                f"<tr><td>{esc(entry['first'])} – {esc(entry['second'])}<td class='n'>{entry['configurations']}"
                f"<td class='n'>{entry['depth_m'] * 1e3:.1f}<td>{esc(spheres)}</tr>"
            )
        lines.append("</table>")
    if record["hidden"]:
        lines.append("<h2>Hidden</h2><table><tr><th>Pair<th>Configurations<th>Why<th>Seen at</tr>")
        for entry in record["hidden"]:
            witness = " ".join(f"{joint}={value:.3f}" for joint, value in entry["witness"].items())
            lines.append(
                f"<tr><td>{esc(entry['first'])} – {esc(entry['second'])}<td class='n'>{entry['configurations']}"
                f"<td>{esc(entry['why'])}<td>{esc(witness)}</tr>"
            )
        lines.append("</table>")
    names = ", ".join(f"{a} – {b}" for a, b in record["left_out"])
    lines.append(f"<p>Not counted, because a joint holds them together or they touch at the default: {esc(names)}.</p>")
    lines += [f"<p>{esc(note)}</p>" for note in record["notes"]]
    lines.append("</body></html>")
    return "\n".join(lines) + "\n"


PAGES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"html": as_html}
