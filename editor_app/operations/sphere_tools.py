"""The hand tools as one job: spheres of frames in, spheres of frames out, and which rows are old, new or gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from editor_app.fitting import tools
from editor_app.fitting.alike import Shape, placement
from editor_app.fitting.links import LinkMesh
from editor_app.fitting.results import Placement
from editor_app.fitting.settings import FitSettings, FittingError, Plane
from editor_app.operations.link_fits import solid_of
from editor_app.tasks.job import Report

Floats = npt.NDArray[np.float64]


ToolName = Literal[
    "connect", "scale", "snap", "grow", "shrink", "split", "merge", "mirror", "fill", "superfluous", "improve"
]
#: Those that have to know the link's mesh.
NEEDS_MESH = frozenset({"snap", "grow", "shrink", "superfluous", "improve"})
#: Spheres are written to the micrometre: what differs by less is the same (metres).
_SAME = 1.5e-6


@dataclass(frozen=True, eq=False)
class FrameSpheres:
    """Spheres (n, 4) of a frame, which rows are meant, and the mesh in the frame when there is one."""

    frame: str
    spheres: Floats
    selected: tuple[int, ...]
    mesh: LinkMesh | None = None


@dataclass(frozen=True, eq=False)
class ToolResult:
    """New rows (k, 4); `source[i]` is the row before that row i continues, -1 for a new one; `selected` rows after."""

    rows: Floats
    source: tuple[int, ...]
    selected: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RunTool:
    """Gives {frame: ToolResult}. Raises FittingError with a sentence for people."""

    tool: ToolName
    frames: tuple[FrameSpheres, ...]
    options: Mapping[str, Any]

    def __call__(self, report: Report) -> dict[str, ToolResult]:
        out = {}
        for number, frame in enumerate(self.frames):
            report.progress(number / len(self.frames), frame.frame)
            out[frame.frame] = apply_tool(self.tool, frame, self.options)
        return out


@dataclass(frozen=True, eq=False)
class RunEach:
    """Several tools after each other, each with options of its own; gives all their results."""

    jobs: tuple[RunTool, ...]

    def __call__(self, report: Report) -> dict[str, ToolResult]:
        out: dict[str, ToolResult] = {}
        for job in self.jobs:
            out.update(job(report))
        return out


def apply_tool(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    """One tool on one frame. Raises FittingError when it cannot be done."""
    if tool in NEEDS_MESH and frame.mesh is None:
        raise FittingError(f"{frame.frame} has no shapes.")
    return _TOOLS.get(tool, _moved)(tool, frame, options)


def _connected(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    s, chosen = frame.spheres, frame.selected
    if len(chosen) != 2:
        raise FittingError("Select two spheres of the same link.")
    return _appended(s, tools.connect(s[chosen[0]], s[chosen[1]], options["count"], options["series"]))


def _mirrored(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    # Images that another link's spheres have in this frame; rows that are not kept make place for them.
    images = options.get("images")
    if images is None:
        images = tools.mirror(frame.spheres[np.array(frame.selected, int)], Plane(options["point"], options["normal"]))
    kept = tuple(options.get("kept", range(len(frame.spheres))))
    s = frame.spheres[list(kept)].reshape(-1, 4)
    # One that lies on the plane is its own image, and a pair is complete already.
    new = images[np.abs(images[:, None] - s[None]).max(2).min(1, initial=np.inf) > _SAME]
    rows = np.vstack([s, new])
    return ToolResult(rows, (*kept, *(-1 for _ in new)), tuple(range(len(s), len(rows))))


def _filled(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    body = {k: options[k] for k in ("start", "end", "radius", "count", "cover", "half_width")}
    start, end = body.pop("start"), body.pop("end")
    return _appended(frame.spheres, tools.fill_axis(start, end, body.pop("radius"), body.pop("count"), **body))


def _split(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    solid = solid_of(frame.mesh) if frame.mesh is not None else None
    halves = {i: tools.split(frame.spheres[i], solid) for i in frame.selected}
    rows: list[Floats] = []
    source: list[int] = []
    selected: list[int] = []
    for i, row in enumerate(frame.spheres):
        if i in halves:
            selected += [len(rows), len(rows) + 1]
            rows += [halves[i][0], halves[i][1]]
            source += [i, -1]
        else:
            rows.append(row)
            source.append(i)
    return ToolResult(np.array(rows), tuple(source), tuple(selected))


def _merged(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    s, chosen = frame.spheres, frame.selected
    if len(chosen) < 2:
        raise FittingError("Select two or more spheres of the same link.")
    first, gone = min(chosen), set(chosen) - {min(chosen)}
    kept = [i for i in range(len(s)) if i not in gone]
    new = s.copy()
    new[first] = tools.merge(s[np.array(chosen, int)])
    return ToolResult(new[kept], tuple(kept), (kept.index(first),))


def _without_superfluous(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    assert frame.mesh is not None
    s, solid = frame.spheres, solid_of(frame.mesh)
    gone = set(tools.superfluous(solid, s, allowed_depth=options.get("depth", 0.0))) & set(frame.selected)
    kept = [i for i in range(len(s)) if i not in gone]
    return ToolResult(s[kept], tuple(kept), ())


def _scaled(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    index, new = np.array(frame.selected, int), frame.spheres.copy()
    new[index] = tools.scale(frame.spheres[index], options.get("factor", 1.0), options.get("offset", 0.0))
    return ToolResult(new, tuple(range(len(new))), frame.selected)


def _moved(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    """The tools that fit the chosen spheres better to the mesh, each in its place."""
    assert frame.mesh is not None
    s, chosen, solid = frame.spheres, frame.selected, solid_of(frame.mesh)
    if tool == "snap":
        index, new = np.array(chosen, int), s.copy()
        new[index] = tools.snap_to_medial_axis(solid, s[index])
    elif tool == "grow":
        new = tools.grow_to_touch(solid, s, chosen)
    elif tool == "shrink":
        new = tools.shrink_to_fit(solid, s, chosen, keep_cover=options.get("keep_cover", True))
    else:
        settings = FitSettings(number=len(chosen), mode=options.get("mode", "balanced"))
        new = tools.improve(solid, s, chosen, settings)
    return ToolResult(new, tuple(range(len(s))), chosen)


_TOOLS: dict[str, Callable[[ToolName, FrameSpheres, Mapping[str, Any]], ToolResult]] = {
    "connect": _connected,
    "mirror": _mirrored,
    "fill": _filled,
    "split": _split,
    "merge": _merged,
    "superfluous": _without_superfluous,
    "scale": _scaled,
}


def _appended(spheres: Floats, new: Floats) -> ToolResult:
    n = len(spheres)
    return ToolResult(np.vstack([spheres, new]), (*range(n), *[-1] * len(new)), tuple(range(n, n + len(new))))


def matching_links(source: LinkMesh, others: tuple[LinkMesh, ...]) -> dict[str, Placement]:
    """Links with the mesh of `source` or its mirror image, and how it is placed in their frames.

    By geometry: files that were exported apart, with vertices in another order, are found too.
    """
    shape = Shape(source.vertices, source.faces)
    places = {}
    for other in others:
        place = placement(shape, Shape(other.vertices, other.faces)) if other.link != source.link else None
        if place is not None:
            places[other.link] = place
    return places


@dataclass(frozen=True, eq=False)
class MatchLinks:
    """`matching_links` as a job."""

    source: LinkMesh
    others: tuple[LinkMesh, ...]

    def __call__(self, report: Report) -> dict[str, Placement]:
        report.progress(0.0, self.source.link)
        return matching_links(self.source, self.others)
