"""The report of a fit: JSON for programs, one HTML page with pictures for people."""

from __future__ import annotations

import base64
import html
import math
from typing import TYPE_CHECKING, Any

import editor_app
from editor_app.cli import _fit_pictures
from editor_app.fitting import links
from editor_app.model.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence


_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1260px; padding: 0 1em; color: #1d2127; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin: 2em 0 .4em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25em .8em; border-bottom: 1px solid #d0d4da; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { color: #5b6470; font-weight: 500; }
.ok { color: #1b7837; } .open { color: #c62828; } .muted, figcaption { color: #5b6470; }
details { margin: 1em 0; color: #5b6470; }
figure { display: inline-block; margin: .5em 1em .5em 0; } img { border: 1px solid #d0d4da; border-radius: 4px; }
"""


def record(fit: editor_app.FittedLink, present: int) -> dict[str, Any]:
    """What is told about a link; lengths in metres, shares in 0..1. `present`: how many spheres it had before."""
    result = fit.result
    certificate = result.certificate
    return {
        "link": fit.link,
        "geometry": fit.geometry,
        "surface": fit.surface,
        "bare_visual": round(fit.bare, 4),
        "clipped": bool(fit.mesh.clip_planes),
        "lost_coverage": round(fit.lost, 4),
        "count": len(result.spheres),
        "count_before": present,
        "quality": result.quality.as_dict() if result.quality is not None else None,
        "certificate": None
        if certificate is None
        else {
            "certified": certificate.certified,
            "triangles": certificate.triangles,
            "hidden": certificate.hidden,
            "open_triangles": certificate.open_triangles,
            "open_spot": certificate.open_spot,
            "open_depth": certificate.open_depth,
            "proven_from_m": certificate.band_m,
            "text": certificate.text,
        },
        "notes": list(result.notes),
        "shared_with": list(fit.shared_with),
        "cpu_seconds": round(result.cpu_seconds, 4),
        "wall_seconds": round(result.wall_seconds, 4),
        "spheres": [[*sphere.center, sphere.radius] for sphere in fit.spheres],
    }


def _mark(proof: dict[str, Any] | None) -> tuple[str, str]:
    """What the table says of a proof, and its style."""
    if proof is None:
        return "–", ""
    if proof["certified"]:
        return "certified ✓", "ok"
    return ("certified above the plane ✓", "ok") if proof["proven_from_m"] else ("open ✗", "open")


def as_html(report: dict[str, Any], fits: Sequence[editor_app.FittedLink]) -> str:
    """One page without references to other files."""
    import numpy as np

    by_link = {printable(fit.link): fit.mesh for fit in fits}
    rows, details = [], []
    for link in report["links"]:
        quality, proof = link["quality"], link["certificate"]
        mark, kind = _mark(proof)
        figures = ["–"] * 6 if quality is None else _figures(quality)
        if quality is not None and link["surface"]:
            figures[0] += f'<br><span class="muted">{link["surface"]}</span>'
        cells = "".join(f"<td>{text}</td>" for text in (link["count_before"], link["count"], *figures))
        rows.append(
            f'<tr><td><a href="#{_id(link["link"])}">{html.escape(link["link"])}</a></td>{cells}'
            f'<td class="{kind}">{mark}</td><td>{link["cpu_seconds"]:.2f}</td><td>{link["wall_seconds"]:.2f}</td></tr>'
        )
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in link["notes"])
        details.append(f'<h2 id="{_id(link["link"])}">{html.escape(link["link"])}</h2>')
        if proof is not None:
            details.append(f'<p class="{kind}">{html.escape(proof["text"])}</p>')
        if notes:
            details.append(f"<ul>{notes}</ul>")
        mesh = by_link.get(link["link"])
        if mesh is not None and len(mesh.faces):
            details += _pictures(mesh, np.array(link["spheres"], float).reshape(-1, 4), link["link"])
    total = report["total"]
    skipped = "".join(f"<li>{html.escape(s['link'])}: {html.escape(s['reason'])}</li>" for s in report["skipped"])
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Spheres of {html.escape(report["robot"])}</title>
<style>{_STYLE}</style></head><body>
<h1>Collision spheres of {html.escape(report["robot"])}</h1>
<p>{total["count"]} spheres on {len(report["links"])} links, mode “{report["settings"]["mode"]}”;
{total["wall_seconds"]:.1f} s ({total["cpu_seconds"]:.1f} s of CPU). Seed {report["settings"]["seed"]}.</p>
<table><tr><th>Link</th><th>before</th><th>spheres</th><th>surface covered</th><th>protrusion mean</th><th>max</th>
<th>uncovered max</th><th>excess</th><th>volume covered</th><th>proof</th><th>CPU s</th><th>wall s</th></tr>
{"".join(rows)}</table>
{_curobo(report["links"])}
{f"<h2>Skipped</h2><ul>{skipped}</ul>" if skipped else ""}
{"".join(details)}
</body></html>
"""


def _figures(quality: dict[str, Any]) -> list[str]:
    def mm(value: float) -> str:
        return f"{1000 * value:.2f} mm" if math.isfinite(value) else "–"

    return [
        f"{100 * quality['surface_coverage']:.2f} %",
        mm(quality["protrusion_mean"]),
        mm(quality["protrusion_max"]),
        mm(quality["uncovered_max"]),
        f"{100 * quality['excess_ratio']:.1f} %",
        f"{100 * quality['volume_coverage']:.1f} %",
    ]


def _pictures(mesh: links.LinkMesh, spheres: Any, name: str) -> list[str]:
    *images, scale = _fit_pictures.pictures(mesh.vertices, mesh.faces, spheres)
    shown = f"Red: uncovered. Blue: the spheres stand out. Full colour: {1000 * scale:.1f} mm."
    out = []
    for image, text in zip(images, ("Mesh and spheres", shown), strict=True):
        data = base64.b64encode(_fit_pictures.png(image)).decode()
        alt = html.escape(f"{name}: {text}")
        out.append(
            f'<figure><img alt="{alt}" width="600" height="300" src="data:image/png;base64,{data}">'
            f"<figcaption>{text}</figcaption></figure>"
        )
    return out


def _curobo(links: Sequence[dict[str, Any]]) -> str:
    """The same by the names of cuRobo's report, for those who compare; lengths in millimetres, shares in per cent."""
    measured = [link for link in links if link["quality"] is not None]
    if not measured:
        return ""
    names = list(measured[0]["quality"]["curobo"])

    def cell(name: str, value: float) -> str:
        if not math.isfinite(value):
            return "–"
        if name == "num_spheres":
            return str(value)
        if name in ("coverage", "protrusion"):
            return f"{100 * value:.2f} %"
        return f"{value:.2f}" if name == "volume_ratio" else f"{1000 * value:.2f} mm"

    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "".join(
        f"<tr><td>{html.escape(link['link'])}</td>"
        + "".join(f"<td>{cell(name, value)}</td>" for name, value in link["quality"]["curobo"].items())
        + "</tr>"
        for link in measured
    )
    return (
        f"<details><summary>The figures by cuRobo's names</summary><table><tr><th>Link</th>{head}</tr>{rows}</table>"
        "<p>coverage: share of the volume inside a sphere; protrusion: share of all spheres' surface, hidden surface "
        "too, outside the mesh, protrusion_dist: how far; surface_gap, max_uncovered_gap: from the mesh to the nearest "
        "sphere, 0 where covered; volume_ratio: the spheres' volumes, overlaps counted twice, by that of the mesh.</p>"
        "</details>"
    )


def _id(link: str) -> str:
    return "link-" + "".join(c if c.isalnum() else "-" for c in link)
