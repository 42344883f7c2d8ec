"""The report of a fit: JSON for programs, one HTML page with pictures (a small orthographic
painter) for people."""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

import editor_app
from editor_app.core.arrays import F64, U8
from editor_app.core.model.options import attribute_record
from editor_app.core.model.printable import printable
from editor_app.core.space.geometry.mesh import spread_mesh_points
from editor_app.core.space.kinematics.transforms import looking_from
from editor_app.core.verbs.pages import Markup, build_list, build_page, build_table, mark_text
from editor_app.features.spheres.engine import links

_STYLE = (
    "td:not(:first-child) { text-align: right; } details { margin: 1em 0; color: var(--quiet); }"
)
_COLUMNS = (
    "Link",
    "before",
    "spheres",
    "surface covered",
    "protrusion mean",
    "at most (proven)",
    "uncovered max",
    "excess",
    "volume covered",
    "proof",
    "CPU s",
    "wall s",
)
#: Figures that a surface without an inside has none of.
_OF_VOLUME = ("excess_ratio", "volume_coverage")


def build_link_record(fit: editor_app.FittedLink, present: int) -> dict[str, Any]:
    """Build the report of a link; lengths in metres, shares in 0..1. `present`: how many spheres it
    had before."""
    result = fit.result
    certificate, visible = result.certificate, fit.visible
    return {
        **attribute_record(fit, "link", "geometry", "surface"),
        "bare_visual": round(fit.bare_visual, 4),
        "visible_uncovered": None
        if visible is None
        else {**asdict(visible), "share": round(visible.share, 4)},
        "clipped": bool(fit.mesh.clip_planes),
        "lost_coverage": round(fit.lost, 4),
        "count": len(result.spheres),
        "count_before": present,
        "quality": result.quality.as_dict() if result.quality is not None else None,
        "certificate": None
        if certificate is None
        else {
            **attribute_record(
                certificate,
                "certified",
                "triangles",
                "hidden",
                "open_triangles",
                "open_spot",
                "open_depth",
                proven_from_m="band_m",
            ),
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
        return "certified ✓", "good"
    return ("certified above the plane ✓", "good") if proof["proven_from_m"] else ("open ✗", "bad")


def build_fit_page(
    report: dict[str, Any], fits: Sequence[editor_app.FittedLink], *, drawn: bool = True
) -> str:
    """One page without references to other files; `drawn`: with pictures of each link."""
    by_link = {printable(fit.link): fit.mesh for fit in fits}
    remarks = {printable(fit.link): fit.remarks for fit in fits}
    rows: list[tuple[object, ...]] = []
    details: list[object] = []
    for link in report["links"]:
        quality, proof = link["quality"], link["certificate"]
        mark, kind = _mark(proof)
        figures: list[object] = ["–"] * 6 if quality is None else [*_figures(quality)]
        if quality is not None and link["surface"]:
            figures[0] = Markup(f"{figures[0]}<br>{mark_text(link['surface'], 'quiet')}")
        name = Markup(f'<a href="#{_id(link["link"])}">{mark_text(link["link"])}</a>')
        seconds = (f"{link['cpu_seconds']:.2f}", f"{link['wall_seconds']:.2f}")
        rows.append(
            (name, link["count_before"], link["count"], *figures, mark_text(mark, kind), *seconds)
        )
        details.append(Markup(f'<h2 id="{_id(link["link"])}">{mark_text(link["link"])}</h2>'))
        if proof is not None:
            details.append(mark_text(proof["text"], kind, "p"))
        details.append(build_list("", [*link["notes"], *remarks.get(link["link"], ())]))
        mesh = by_link.get(link["link"])
        if drawn and mesh is not None and len(mesh.faces):
            details += _pictures(
                mesh, np.array(link["spheres"], float).reshape(-1, 4), link["link"]
            )
    total, settings = report["total"], report["settings"]
    parts = [
        f"{total['count']} spheres on {len(report['links'])} links, mode “{settings['mode']}”; "
        f"{total['wall_seconds']:.1f} s ({total['cpu_seconds']:.1f} s of CPU). Seed "
        f"{settings['seed']}.",
        build_table("", _COLUMNS, rows),
        _curobo(report["links"]),
        build_list(
            "Skipped", (f"{skipped['link']}: {skipped['reason']}" for skipped in report["skipped"])
        ),
        *details,
        _written(report),
    ]
    title = f"Collision spheres of {report['robot']}"
    return build_page(title, parts, _STYLE)


def object_page(record: dict[str, Any]) -> str:
    """The spheres of what a tool holds."""
    spheres = record["spheres"]
    lead = f"{len(spheres)} spheres, protrusion at most {1000 * record['protrusion_m']:.2f} mm."
    held = (
        f"Held by {record['on']}, with {', '.join(record['holding'])}." if record.get("on") else ""
    )
    rows = [
        tuple(f"{1000 * value:.2f}" for value in (*sphere["center"], sphere["radius"]))
        for sphere in spheres
    ]
    table = build_table("", ("x, mm", "y, mm", "z, mm", "radius, mm"), rows)
    return build_page(
        f"Collision spheres of {record['frame']}",
        [lead, *filter(None, [held]), table, _written(record)],
    )


def _written(record: dict[str, Any]) -> str:
    if record["output"] is not None:
        return f"Written: {record['output']}."
    return "Nothing was written. To write, use -o FILE."


def _figures(quality: dict[str, Any]) -> list[str]:
    def mm(value: float) -> str:
        return f"{1000 * value:.2f} mm" if math.isfinite(value) else "–"

    def per_cent(value: float) -> str:
        return f"{100 * value:.1f} %" if math.isfinite(value) else "none"

    return [
        f"{100 * quality['surface_coverage']:.2f} %",
        mm(quality["protrusion_mean"]),
        mm(quality["protrusion_bound"] or quality["protrusion_max"]),
        mm(quality["uncovered_max"]),
        *(
            "none" if quality[name] is None else f"{100 * quality[name]:.1f} %"
            for name in _OF_VOLUME
        ),
    ]


def _pictures(mesh: links.LinkMesh, spheres: Any, name: str) -> list[Markup]:
    *images, scale = pictures(mesh.vertices, mesh.faces, spheres)
    shown = f"Red: uncovered. Blue: the spheres protrude. Full colour: {1000 * scale:.1f} mm."
    out = []
    for image, text in zip(images, ("Mesh and spheres", shown), strict=True):
        data = base64.b64encode(png(image)).decode()
        alt = html.escape(f"{name}: {text}")
        drawn = f'<img alt="{alt}" width="600" height="300" src="data:image/png;base64,{data}">'
        out.append(Markup(f"<figure>{drawn}<figcaption>{text}</figcaption></figure>"))
    return out


def _curobo(links: Sequence[dict[str, Any]]) -> Markup:
    """The same by the names of cuRobo's report, for those who compare; lengths in millimetres,
    shares in per cent."""
    measured = [link for link in links if link["quality"] is not None]
    if not measured:
        return Markup()
    names = list(measured[0]["quality"]["curobo"])

    def cell(name: str, value: float | None) -> str:
        if value is None:
            return "none"
        if not math.isfinite(value):
            return "–"
        if name == "num_spheres":
            return str(value)
        if name in ("coverage", "protrusion"):
            return f"{100 * value:.2f} %"
        return f"{value:.2f}" if name == "volume_ratio" else f"{1000 * value:.2f} mm"

    rows = [
        (link["link"], *(cell(name, value) for name, value in link["quality"]["curobo"].items()))
        for link in measured
    ]
    return Markup(
        "<details><summary>The figures with cuRobo's "
        f"names</summary>{build_table('', ('Link', *names), rows)}<p>coverage: share of the volume "
        "inside a "
        "sphere; protrusion: share of the surface of all spheres, including hidden surface, that "
        "is outside "
        "the mesh; protrusion_dist: its distance; surface_gap, max_uncovered_gap: from the mesh to "
        "the nearest "
        "sphere, 0 where covered; volume_ratio: the sum of the spheres' volumes, overlaps counted "
        "twice, "
        "divided by the mesh volume.</p></details>"
    )


def _id(link: str) -> str:
    return "link-" + "".join(c if c.isalnum() else "-" for c in link)


_GROUND = np.array([250.0, 250.0, 251.0])
#: Where the eye is: one from the front right above, one from the back left below.
VIEWS = ((35.0, 25.0), (215.0, -20.0))
_NEIGHBOURS = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)]


def png(pixels: U8) -> bytes:
    """(h, w, 3) bytes as a PNG file."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def pictures(
    vertices: F64, faces: npt.NDArray[np.integer], spheres: F64, *, size: int = 300
) -> tuple[U8, U8, float]:
    """The mesh with spheres over it, the mesh coloured by coverage, and the depth (m) of the full
    colour.

    Each is two views side by side, (size, 2 size, 3) bytes. Red where the mesh is uncovered, blue
    where the union of the spheres stands out, white at 0.
    """
    points, normals = _surface(vertices, faces, 140_000)
    plain = np.full((len(points), 3), 165.0)
    coloured, scale = plain, 0.0
    if len(spheres) and len(points):
        values = _deviation(points, spheres)
        scale = float(np.abs(values).max())
        coloured = deviation_colours(values, scale)
    first, second = (
        np.hstack(
            [_view(points, normals, colours, spheres, with_spheres, view, size) for view in VIEWS]
        )
        for colours, with_spheres in ((plain, True), (coloured, False))
    )
    return first, second, scale


def deviation_colours(values: F64, scale: float | None = None) -> F64:
    """(n, 3) colours in 0..255 for signed depths; `scale` is the depth of the full colour (default:
    the greatest)."""
    scale = scale or max(float(np.abs(values).max(initial=0.0)), 1e-9)
    share = np.clip(np.abs(values) / scale, 0, 1)[:, None] ** 0.7
    end = np.where(
        values[:, None] > 0, np.array([200.0, 20.0, 30.0]), np.array([25.0, 90.0, 210.0])
    )
    return np.asarray(240.0 * (1 - share) + end * share)


def _deviation(points: F64, spheres: F64) -> F64:
    best = np.full(len(points), np.inf)
    for x, y, z, r in spheres:
        np.minimum(best, np.linalg.norm(points - (x, y, z), axis=1) - r, out=best)
    return best


def _surface(vertices: F64, faces: npt.NDArray[np.integer], count: int) -> tuple[F64, F64]:
    """Points spread evenly over the triangles, with their normals."""
    triangles = np.asarray(vertices, float)[np.asarray(faces)]
    cross = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    twice = np.linalg.norm(cross, axis=1)
    good = twice > 1e-14
    if not good.any():
        return np.zeros((0, 3)), np.zeros((0, 3))
    points, owner = spread_mesh_points(triangles[good], count)
    return points, (cross[good] / twice[good, None])[owner]


def _view(
    points: F64,
    normals: F64,
    colours: F64,
    spheres: F64,
    with_spheres: bool,
    view: tuple[float, float],
    size: int,
) -> U8:
    turn = looking_from(*view)
    seen, facing = points @ turn.T, normals @ turn.T
    balls = (
        np.column_stack([spheres[:, :3] @ turn.T, spheres[:, 3]])
        if len(spheres)
        else np.zeros((0, 4))
    )
    reach = [seen] if len(seen) else []
    if with_spheres and len(balls):
        reach += [balls[:, :3] - balls[:, 3:], balls[:, :3] + balls[:, 3:]]
    image = np.tile(_GROUND, (size, size, 1))
    depth = np.full((size, size), -np.inf)
    if not reach:
        return image.astype(np.uint8)
    low, high = np.vstack(reach).min(0), np.vstack(reach).max(0)
    scale = (size - 12) / max(float((high - low)[:2].max()), 1e-9)
    middle = (low + high) / 2

    def pixel(xy: F64) -> F64:
        return np.asarray((xy - middle[:2]) * (scale, -scale) + size / 2)

    if len(seen):
        shade = 0.45 + 0.55 * np.abs(facing @ np.array([0.35, 0.45, 0.82]))
        lit = colours * shade[:, None]
        column, row = np.floor(pixel(seen[:, :2])).astype(int).T
        # Far points first, each a small square, so that near ones win and no holes are left.
        order = np.argsort(seen[:, 2])
        for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
            x, y = np.clip(column[order] + dx, 0, size - 1), np.clip(row[order] + dy, 0, size - 1)
            nearer = seen[order, 2] >= depth[y, x]
            image[y[nearer], x[nearer]] = lit[order][nearer]
            depth[y[nearer], x[nearer]] = seen[order, 2][nearer]
        _close_holes(image, depth)
    if with_spheres and len(balls):
        _blend_balls(image, depth, balls, pixel, scale, middle)
    return np.asarray(np.clip(image, 0, 255), np.uint8)


def _close_holes(image: F64, depth: F64) -> None:
    """Pixels that no point fell on, with most of their neighbours nearer, get the colour of the one
    in the middle.

    Points are spread by a sequence, not by pixel: single ones stay empty, and what lies behind
    would shine through.
    """
    size = len(depth)
    padded = np.pad(depth, 1, constant_values=-np.inf)
    near = np.stack(
        [padded[1 + dy : 1 + dy + size, 1 + dx : 1 + dx + size] for dy, dx in _NEIGHBOURS]
    )
    middle = np.argsort(near, axis=0)[len(_NEIGHBOURS) // 2]
    value = np.take_along_axis(near, middle[None], axis=0)[0]
    finite = depth[np.isfinite(depth)]
    step = 0.02 * float(np.ptp(finite)) if len(finite) else 0.0
    y, x = np.nonzero(np.isfinite(value) & (depth < value - step))
    dy, dx = np.array(_NEIGHBOURS)[middle[y, x]].T
    rows, columns = np.clip(y + dy, 0, size - 1), np.clip(x + dx, 0, size - 1)
    image[y, x], depth[y, x] = image[rows, columns], value[y, x]


def _blend_balls(
    image: F64, depth: F64, balls: F64, pixel: object, scale: float, middle: F64
) -> None:
    """The front of the union of the balls, half see-through where it lies before the mesh."""
    size = len(image)
    y, x = np.mgrid[0:size, 0:size]
    wx, wy = (x + 0.5 - size / 2) / scale + middle[0], -(y + 0.5 - size / 2) / scale + middle[1]
    front = np.full((size, size), -np.inf)
    up = np.zeros((size, size, 3))
    for bx, by, bz, r in balls:
        inside = r * r - (wx - bx) ** 2 - (wy - by) ** 2
        z = np.where(inside > 0, bz + np.sqrt(np.maximum(inside, 0)), -np.inf)
        nearer = z > front
        front[nearer] = z[nearer]
        up[nearer] = np.stack([wx - bx, wy - by, z - bz], -1)[nearer] / max(r, 1e-9)
    seen = np.isfinite(front) & (front >= depth)
    shade = 0.55 + 0.45 * np.clip(up @ np.array([0.35, 0.45, 0.82]), 0, 1)
    rim = np.clip(1.2 - up[..., 2], 0, 1) ** 3
    alpha = np.clip(0.42 + 0.5 * rim, 0, 0.9)[..., None]
    colour = np.array([23.0, 105.0, 210.0]) * shade[..., None]
    image[seen] = (image * (1 - alpha) + colour * alpha)[seen]
