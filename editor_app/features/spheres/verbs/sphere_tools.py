"""The hand tools as one job: spheres of frames in and out, which rows are old, new, gone; and
mirror images."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import apply, invert
from editor_app.core.space.kinematics.tree import KinematicTree
from editor_app.core.tasks.task import TaskReporter
from editor_app.features.spheres.engine import superfluous, tools
from editor_app.features.spheres.engine.alike import ComparedMesh, find_placement
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.engine.results import Placement
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, Plane
from editor_app.features.spheres.verbs.link_fits import prepare_solid

ToolName = Literal[
    "connect",
    "scale",
    "snap",
    "grow",
    "shrink",
    "split",
    "merge",
    "mirror",
    "fill",
    "superfluous",
    "improve",
]
#: Those that have to know the link's mesh.
NEEDS_MESH = frozenset({"snap", "grow", "shrink", "superfluous", "improve"})
#: Spheres are written to the micrometre: what differs by less is the same (metres).
_SAME = 1.5e-6


@dataclass(frozen=True, eq=False)
class FrameSpheres:
    """Spheres (n, 4) of a frame, which rows are meant, and the mesh in the frame when there is
    one."""

    frame: str
    spheres: F64
    selected: tuple[int, ...]
    mesh: LinkMesh | None = None


@dataclass(frozen=True, eq=False)
class ToolResult:
    """New rows (k, 4); `source[i]` is the row before that row i continues, -1 for a new one;
    `selected` rows after."""

    rows: F64
    source: tuple[int, ...]
    selected: tuple[int, ...]


def run_tool(
    reporter: TaskReporter, tool: ToolName, frames: Sequence[tuple[FrameSpheres, Mapping[str, Any]]]
) -> dict[str, ToolResult]:
    """A job: {frame: ToolResult} of a tool on frames, each with its options. Raises FittingError,
    for people."""
    results = {}
    for number, (frame, options) in enumerate(frames):
        reporter.progress(number / len(frames), frame.frame)
        results[frame.frame] = apply_tool(tool, frame, options)
    return results


def apply_tool(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    """One tool on one frame. Raises FittingError when it cannot be done."""
    if tool in NEEDS_MESH and frame.mesh is None:
        raise FittingError(f"{frame.frame} has no shapes.")
    return _TOOLS.get(tool, _moved)(tool, frame, options)


def _connected(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    s, chosen = frame.spheres, frame.selected
    if len(chosen) != 2:
        raise FittingError("Select two spheres of the same link.")
    return _appended(
        s, tools.connect(s[chosen[0]], s[chosen[1]], options["count"], options["series"])
    )


def _mirrored(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    # Images that another link's spheres have in this frame; rows that are not kept make place for
    # them.
    images = options.get("images")
    if images is None:
        images = tools.mirror(
            frame.spheres[np.array(frame.selected, int)], Plane(options["point"], options["normal"])
        )
    kept = tuple(options.get("kept", range(len(frame.spheres))))
    s = frame.spheres[list(kept)].reshape(-1, 4)
    # One that lies on the plane is its own image, and a pair is complete already.
    new = images[np.abs(images[:, None] - s[None]).max(2).min(1, initial=np.inf) > _SAME]
    rows = np.vstack([s, new])
    return ToolResult(rows, (*kept, *(-1 for _ in new)), tuple(range(len(s), len(rows))))


def _filled(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    body = {k: options[k] for k in ("start", "end", "radius", "count", "cover", "half_width")}
    start, end = body.pop("start"), body.pop("end")
    return _appended(
        frame.spheres, tools.fill_axis(start, end, body.pop("radius"), body.pop("count"), **body)
    )


def _split(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    solid = prepare_solid(frame.mesh) if frame.mesh is not None else None
    halves = {i: tools.split(frame.spheres[i], solid) for i in frame.selected}
    rows: list[F64] = []
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


def _without_superfluous(
    tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]
) -> ToolResult:
    assert frame.mesh is not None
    s, solid = frame.spheres, prepare_solid(frame.mesh)
    gone = set(superfluous.superfluous(solid, s, allowed_depth=options.get("depth", 0.0))) & set(
        frame.selected
    )
    kept = [i for i in range(len(s)) if i not in gone]
    return ToolResult(s[kept], tuple(kept), ())


def _scaled(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    index, new = np.array(frame.selected, int), frame.spheres.copy()
    new[index] = tools.scale(
        frame.spheres[index], options.get("factor", 1.0), options.get("offset", 0.0)
    )
    return ToolResult(new, tuple(range(len(new))), frame.selected)


def _moved(tool: ToolName, frame: FrameSpheres, options: Mapping[str, Any]) -> ToolResult:
    """The tools that fit the chosen spheres better to the mesh, each in its place."""
    assert frame.mesh is not None
    s, chosen, solid = frame.spheres, frame.selected, prepare_solid(frame.mesh)
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


def _appended(spheres: F64, new: F64) -> ToolResult:
    n = len(spheres)
    return ToolResult(
        np.vstack([spheres, new]), (*range(n), *[-1] * len(new)), tuple(range(n, n + len(new)))
    )


def matching_links(
    reporter: TaskReporter, source: LinkMesh, others: tuple[LinkMesh, ...]
) -> dict[str, Placement]:
    """A job: links with the mesh of `source` or its mirror image, and how it is placed in their
    frames.

    By geometry: files that were exported apart, with vertices in another order, are found too.
    """
    reporter.progress(0.0, source.link)
    shape = ComparedMesh(source.vertices, source.faces)
    places = {}
    for other in others:
        place = (
            find_placement(shape, ComparedMesh(other.vertices, other.faces))
            if other.link != source.link
            else None
        )
        if place is not None:
            places[other.link] = place
    return places


#: Words of names that change the side, in both directions.
_SIDES = (
    "left right",
    "l r",
    "lh rh",
    "lf rf",
    "fl fr",
    "rl rr",
    "bl br",
    "hl hr",
    "ll rl",
    "la ra",
    "1 2",
)
#: How far the boxes around two meshes may lie apart, in diagonals, so that one counts as the mirror
#: image of the other.
_APART = 0.15


@dataclass(frozen=True, eq=False)
class OtherSide:
    """`placement`: points of the link's frame into that of `link`. `apart`: how far the mirror
    image of the box around its mesh lies from the box around the other mesh (m), `size`: the
    diagonal of that one (m)."""

    link: str
    placement: Placement
    apart: float
    size: float

    @property
    def is_image(self) -> bool:
        return self.apart <= max(_APART * self.size, 1e-3)


def names_on_the_other_side(name: str, names: Collection[str]) -> list[str]:
    """Which of `names` differ from it in one word for a side: left_finger and right_finger, LHip
    and RHip."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^A-Za-z\d]+", name)
    result = []
    for place, word in enumerate(words):
        for pair in _SIDES:
            one, two = pair.split()
            for side, other in ((one, two), (two, one)):
                if word.lower() == side:
                    new = (
                        other.upper()
                        if word.isupper()
                        else other.title()
                        if word.istitle()
                        else other
                    )
                    result.append("".join((*words[:place], new, *words[place + 1 :])))
    return [candidate for candidate in dict.fromkeys(result) if candidate in names]


def other_side(
    tree: KinematicTree,
    frame: str,
    candidates: Collection[str],
    vertices: Callable[[str], F64 | None],
) -> OtherSide | None:
    """Which of the candidates lies best where the mirror image of `frame` is; None without
    candidates.

    `vertices`: of the mesh of a frame, in the frame (n, 3); None where it has none. All joints at
    0, about a plane half way between the two, square to an axis of the frame that both hang on, or
    of the base.
    """
    world = compute_forward(tree, {})
    placed = {name: world[tree.index[name]] for name in (frame, *candidates)}
    clouds = {name: _cloud(vertices(name)) for name in placed}
    images = (
        image
        for other in candidates
        for base in (world[tree.index[_common(tree, frame, other)]], np.eye(4))
        for image in _images(frame, other, base, placed, clouds)
    )
    return min(images, key=lambda image: image.apart, default=None)


def _cloud(vertices: F64 | None) -> F64:
    return np.zeros((1, 3)) if vertices is None or not len(vertices) else vertices


def _common(tree: KinematicTree, first: str, second: str) -> str:
    """The last frame that both hang on."""
    path = tree.path(first, second)
    above = {first, *(joint.parent for joint in path)} - {joint.child for joint in path}
    return next(iter(above))


def _images(
    frame: str, other: str, base: F64, placed: Mapping[str, F64], clouds: Mapping[str, F64]
) -> Iterator[OtherSide]:
    """One for each axis of the base."""
    into_base = invert(base)
    one, two = into_base @ placed[frame], into_base @ placed[other]
    points, others = apply(one, clouds[frame]), apply(two, clouds[other])
    low, high = others.min(axis=0), others.max(axis=0)
    back = invert(two)
    for axis in range(3):
        flip = np.eye(4)
        flip[axis, axis] = -1.0
        flip[axis, 3] = (points.min(axis=0) + points.max(axis=0) + low + high)[axis] / 2
        image = apply(flip, points)
        apart = float(
            max(np.abs(image.min(axis=0) - low).max(), np.abs(image.max(axis=0) - high).max())
        )
        whole = back @ flip @ one
        yield OtherSide(
            other, Placement(whole[:3, :3], whole[:3, 3]), apart, float(np.linalg.norm(high - low))
        )
