"""Label, needs and inputs of each hand tool; the change that its result makes; copies to alike
links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from editor_app.core.document.commands import ReplaceSpheres
from editor_app.core.document.commands.fitted_spheres import SetFittedSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, Change
from editor_app.core.model.urdf import Box, Capsule, Collision, Cylinder, Visual
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.kinematics.transforms import build_origin_matrix
from editor_app.core.tasks.task import Task
from editor_app.features.spheres.engine.results import Placement
from editor_app.features.spheres.verbs.link_fits import stack_spheres
from editor_app.features.spheres.verbs.sphere_tools import (
    NEEDS_MESH,
    FrameSpheres,
    OtherSide,
    ToolName,
    ToolResult,
    matching_links,
    names_on_the_other_side,
    other_side,
)
from editor_app.features.spheres.window.context import FitContext


@dataclass(frozen=True, slots=True)
class ToolField:
    """A number ("count", "factor", "length"), a switch or a choice of a tool."""

    name: str
    text: str
    kind: str
    start: Any
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HandTool:
    """`least`, `exactly`: how many selected spheres it needs; `same_frame`: all of one link;
    `whole`: takes links."""

    id: ToolName
    text: str
    icon: str
    tip: str
    fields: tuple[ToolField, ...] = ()
    least: int = 1
    exactly: int | None = None
    same_frame: bool = False
    whole: bool = False
    keywords: str = ""
    shortcut: str = ""
    #: Whether it is in the submenu *Refine*.
    refines: bool = False


_SERIES = (("linear", "linear"), ("geometric", "geometric"))
_AXES = (("x", "x"), ("y", "y"), ("z", "z"))
#: Where mirror images go: to the link of the other side, or to the other side of a plane of the
#: link.
_ONTO_LINK = "link"
_PLACES = (
    (_ONTO_LINK, "to the opposite link"),
    ("middle", "through the middle of the link"),
    ("origin", "through the link's frame"),
)

TOOLS = (
    HandTool(
        "connect",
        "&Connect two…",
        "line-segments",
        "Add spheres between two spheres of a link",
        (
            ToolField("count", "Spheres between", "count", 3),
            ToolField("series", "Radii", "choice", "linear", _SERIES),
        ),
        exactly=2,
        same_frame=True,
        keywords="between chain interpolate bridge",
        shortcut="Shift+C",
    ),
    HandTool(
        "scale",
        "S&cale…",
        "arrows-out",
        "Change radii; centres stay in place",
        (
            ToolField("factor", "Factor", "factor", 1.1),
            ToolField("offset", "Plus", "length", 0.0),
            ToolField(
                "scope",
                "Of",
                "choice",
                "selection",
                (("selection", "the selection"), ("link", "their links"), ("all", "all links")),
            ),
        ),
        least=0,
        whole=True,
        keywords="radius inflate shrink grow padding",
        shortcut="Shift+S",
    ),
    HandTool(
        "mirror",
        "&Mirror to the other side…",
        "arrows-left-right",
        "Copy mirror images to the opposite link (the second of two selected links), or across a "
        "plane of the link",
        (
            ToolField("place", "Where", "choice", "middle", _PLACES),
            ToolField("axis", "Along", "choice", "y", _AXES),
        ),
        least=0,
        whole=True,
        keywords="symmetric copy reflect left right",
        shortcut="Ctrl+Shift+M",
    ),
    HandTool(
        "fill",
        "&Fill along the axis…",
        "dots-three",
        "Place spheres along the cylinder or box of a link",
        (
            ToolField("count", "Spheres", "count", 5),
            ToolField("cover", "Cover the body", "switch", True),
        ),
        least=0,
        whole=True,
        same_frame=True,
        keywords="cylinder box capsule line",
    ),
    HandTool(
        "split",
        "&Split",
        "scissors",
        "Replace each sphere by two smaller ones",
        keywords="divide",
        refines=True,
    ),
    HandTool(
        "merge",
        "M&erge",
        "intersect",
        "Replace the selected spheres by one that encloses them",
        least=2,
        same_frame=True,
        keywords="join",
        refines=True,
    ),
    HandTool(
        "snap",
        "Snap to the medial &axis",
        "crosshair",
        "Move to the middle of the link and touch its surface",
        refines=True,
    ),
    HandTool(
        "grow",
        "&Grow to touch",
        "arrows-out-simple",
        "Grow inside the link until the sphere touches the surface",
        refines=True,
    ),
    HandTool(
        "shrink",
        "S&hrink to fit",
        "arrows-in-simple",
        "Shrink as far as coverage allows",
        refines=True,
    ),
    HandTool(
        "superfluous",
        "Delete super&fluous",
        "eraser",
        "Delete spheres whose removal uncovers nothing, in the selection or the link",
        least=0,
        whole=True,
        keywords="redundant reduce clean",
        refines=True,
    ),
    HandTool(
        "improve",
        "&Improve around here",
        "magic-wand",
        "Refit the selected spheres; all others stay unchanged",
        keywords="optimise refine fit local",
        shortcut="Shift+I",
        refines=True,
    ),
)


#: Tools that add spheres and leave those that there are; all others leave locked spheres alone.
_ADDING = ("connect", "mirror", "fill")


def reason_against(tool: HandTool, context: FitContext) -> str | None:
    """Why a tool cannot be used on the selection, None when it can."""
    session = context.session
    if not session.has_robot:
        return "Open a robot first."
    refs = session.selection.spheres
    if tool.exactly is not None and len(refs) != tool.exactly:
        return "Select two spheres of a link."
    if len(refs) < tool.least:
        return (
            "Select a sphere first."
            if tool.least == 1
            else f"Select {tool.least} or more spheres of a link."
        )
    if tool.same_frame and len({ref.frame for ref in refs}) > 1:
        return "The selected spheres are on different links."
    if tool.id == "scale":
        return None if any(context.spheres_in(group_of(context)).values()) else "Add spheres first."
    if not refs and not session.selection.links:
        return "Select a link or spheres first."
    if len({ref.group for ref in refs}) > 1:
        return "The selected spheres are in different groups."
    frames = [ref.frame for ref in refs] or session.selection.links
    if tool.id in NEEDS_MESH and all(context.kind_of(frame) is None for frame in frames):
        return "The link has no shapes."
    return None


def group_of(context: FitContext) -> str:
    refs = context.session.selection.spheres
    return refs[0].group if refs else context.group


def _rows_in_scope(
    selection: Selection, present: Mapping[str, tuple[CollisionSphere, ...]], scope: str
) -> dict[str, list[int]]:
    """Frame -> places of its spheres: the selected ones, all of selected links ("link"), or of all
    frames ("all")."""
    rows: dict[str, list[int]] = {}
    for ref in selection.spheres:
        rows.setdefault(ref.frame, []).append(ref.index)
    if scope == "all":
        return {frame: list(range(len(each))) for frame, each in present.items()}
    if scope == "link" or not rows:
        frames = dict.fromkeys((*rows, *selection.links))
        return {frame: list(range(len(present.get(frame, ())))) for frame in frames}
    return rows


def frames_for(
    tool: HandTool, context: FitContext, options: Mapping[str, Any]
) -> tuple[FrameSpheres, ...]:
    """Return the spheres of the tool: the selected ones, else all spheres of the selected links."""
    session, robot, present = (
        context.session,
        context.session.robot,
        context.spheres_in(group_of(context)),
    )
    out = []
    for frame, chosen in _rows_in_scope(
        session.selection, present, options.get("scope", "selection")
    ).items():
        spheres = present.get(frame, ())
        if tool.id not in _ADDING:
            locked = set(session.locks.of(robot, group_of(context), frame))
            chosen = [row for row in chosen if row >= len(spheres) or spheres[row] not in locked]
        mesh = context.mesh(frame) if tool.id in NEEDS_MESH or tool.id == "split" else None
        if (
            spheres and chosen and (mesh is not None or tool.id not in NEEDS_MESH)
        ) or tool.id == "fill":
            out.append(FrameSpheres(frame, stack_spheres(spheres), tuple(chosen), mesh))
    return tuple(out)


def options_for(
    tool: HandTool, context: FitContext, values: Mapping[str, Any], frame: str
) -> dict[str, Any]:
    """Convert the user's choices into options of the engine, for one frame."""
    options = dict(values)
    if tool.id == "mirror":
        options["normal"] = tuple(float(v) for v in np.eye(3)["xyz".index(values["axis"])])
        options["point"] = (0.0, 0.0, 0.0)
        mesh = context.mesh(frame)
        if values["place"] == "middle" and mesh is not None and len(mesh.vertices):
            middle = (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) / 2
            options["point"] = tuple(float(v) for v in middle)
    if tool.id == "fill":
        options.update(body_of(context, frame) or {})
    return options


def begins_with(tool: HandTool, context: FitContext) -> dict[str, Any]:
    """Return the initial values of a tool's inputs, besides the values of its last use."""
    if tool.id != "mirror":
        return {}
    frames = _rows_in_scope(context.session.selection, {}, "selection")
    return {
        "place": _ONTO_LINK if any(_other_side(context, frame) for frame in frames) else "middle"
    }


def unused_by(tool: HandTool, values: Mapping[str, Any]) -> frozenset[str]:
    """Inputs that do not count beside the others."""
    return (
        frozenset({"axis"})
        if tool.id == "mirror" and values.get("place") == _ONTO_LINK
        else frozenset()
    )


def jobs_for(
    tool: HandTool, context: FitContext, values: Mapping[str, Any]
) -> tuple[tuple[FrameSpheres, dict[str, Any]], ...]:
    """Return the spheres of the tool, each with the options of the engine. Raises CannotApply with
    the reason for nothing."""
    if tool.id == "mirror" and values["place"] == _ONTO_LINK:
        return _onto_other_links(context)
    # A mirror plane or an axis is a matter of its link.
    jobs = tuple(
        (f, options_for(tool, context, values, f.frame)) for f in frames_for(tool, context, values)
    )
    if not jobs:
        raise CannotApply("Select spheres first.")
    if tool.id == "fill" and "start" not in jobs[0][1]:
        raise CannotApply("The link has no cylinder, box or mesh.")
    return jobs


def _other_side(context: FitContext, frame: str) -> OtherSide | None:
    """By its name, or the second of two selected links."""
    tree, selection = context.session.tree, context.session.selection
    if frame not in tree.index:
        return None
    names = names_on_the_other_side(frame, tree.index)
    if len(selection.links) == 2 and not selection.spheres:
        names = (
            [selection.links[1]]
            if frame == selection.links[0] and selection.links[1] in tree.index
            else []
        )

    def vertices(link: str) -> Any:
        mesh = context.mesh(link)
        return mesh.vertices if mesh is not None else None

    return other_side(tree, frame, names, vertices)


def _onto_other_links(context: FitContext) -> tuple[tuple[FrameSpheres, dict[str, Any]], ...]:
    """Selected spheres are added to the other link's; a whole link's replace them, but for locked
    ones."""
    session, robot = context.session, context.session.robot
    name = group_of(context)
    spheres = context.spheres_in(name)
    if not spheres:
        raise CannotApply("Add spheres first.")
    jobs: list[tuple[FrameSpheres, dict[str, Any]]] = []
    reasons = []
    for frame, chosen in _rows_in_scope(session.selection, spheres, "selection").items():
        side = _other_side(context, frame)
        if side is None:
            reasons.append(
                f"No opposite link found for {frame} (left/right, l/r, 1/2). Select {frame}, then "
                "Ctrl-click the "
                "opposite link."
            )
        elif not side.is_image:
            reasons.append(
                f"{side.link} is not a mirror image of {frame}: {side.apart * 1e3:.0f} mm lie "
                "between them."
            )
        elif chosen:
            present = spheres.get(side.link, ())
            locked = session.locks.of(robot, name, side.link)
            kept = [
                row
                for row, sphere in enumerate(present)
                if session.selection.spheres or sphere in locked
            ]
            images = side.placement.spheres(stack_spheres(spheres[frame])[chosen])
            jobs.append(
                (
                    FrameSpheres(side.link, stack_spheres(present), ()),
                    {"images": images, "kept": kept},
                )
            )
    if not jobs:
        raise CannotApply(reasons[0] if reasons else "Select spheres first.")
    return tuple(jobs)


def body_of(context: FitContext, frame: str) -> dict[str, Any] | None:
    """Axis and cross-section of the link's cylinder, capsule or box, else of the box around its
    mesh."""
    link = context.session.robot.urdf.link(frame)
    shapes: list[Collision | Visual] = [*link.collisions, *link.visuals] if link is not None else []
    for shape in shapes:
        body = shape.geometry
        if isinstance(body, Cylinder | Capsule):
            half = np.array(
                [0.0, 0.0, body.length / 2 + (body.radius if isinstance(body, Capsule) else 0.0)]
            )
            return _placed(build_origin_matrix(shape.origin), np.zeros(3), half, body.radius, 0.0)
        if isinstance(body, Box):
            return _box(build_origin_matrix(shape.origin), np.zeros(3), np.array(body.size) / 2)
    mesh = context.mesh(frame)
    if mesh is None or not len(mesh.vertices):
        return None
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    return _box(np.eye(4), (low + high) / 2, np.maximum((high - low) / 2, 1e-4))


def _box(matrix: Any, middle: Any, half: Any) -> dict[str, Any]:
    longest = int(np.argmax(half))
    along = np.zeros(3)
    along[longest] = half[longest]
    others = sorted(float(half[i]) for i in range(3) if i != longest)
    return _placed(matrix, middle, along, others[0], others[1])


def _placed(
    matrix: Any, middle: Any, along: Any, radius: float, half_width: float
) -> dict[str, Any]:
    ends = [matrix[:3, :3] @ (middle + sign * along) + matrix[:3, 3] for sign in (-1, 1)]
    return {
        "start": tuple(float(v) for v in ends[0]),
        "end": tuple(float(v) for v in ends[1]),
        "radius": float(radius),
        "half_width": float(half_width),
    }


def spheres_of(
    result: ToolResult, before: tuple[CollisionSphere, ...]
) -> tuple[CollisionSphere, ...]:
    """The new list of a frame; rows that are what they were keep their very numbers."""
    out = []
    for row, source in zip(result.rows.tolist(), result.source, strict=True):
        old = before[source] if source >= 0 else None
        if old is not None and (*old.center, old.radius) == tuple(row):
            out.append(old)
            continue
        x, y, z, r = (round(v, 6) + 0.0 for v in row)
        out.append(CollisionSphere((x, y, z), r))
    return tuple(out)


def change_of(
    tool: HandTool, context: FitContext, results: Mapping[str, ToolResult]
) -> tuple[Change, Selection] | None:
    """One step for all frames, and what is selected after it; None when nothing would change."""
    robot = context.session.robot
    name = group_of(context)
    present = context.spheres_in(name)
    new = {frame: spheres_of(result, present.get(frame, ())) for frame, result in results.items()}
    new = {frame: spheres for frame, spheres in new.items() if spheres != present.get(frame, ())}
    if not new:
        return None
    number = sum(len(result.selected) for result in results.values())
    if tool.id in ("split", "merge"):
        number = number // 2 if tool.id == "split" else number + _replaced(results, present)
    if tool.id == "superfluous":
        number = sum(len(present.get(f, ())) - len(r.rows) for f, r in results.items())
    where = next(iter(new)) if len(new) == 1 else format_count(len(new), "link")
    label = _VERBS[tool.id].format(f"{format_count(number, 'sphere')} of {where}")
    if tool.id == "mirror" and (gone := _replaced(results, present)):
        label += f", replacing {gone}"
    change: Change = ReplaceSpheres(name, FrozenDict(new), label)
    if robot.xrdf.group(name) is None:
        change = SetFittedSpheres(name, FrozenDict(new), label)
    refs = tuple(
        SphereRef(name, frame, row) for frame, result in results.items() for row in result.selected
    )
    return change, Selection(spheres=refs) if refs else Selection(links=tuple(results))


def _replaced(
    results: Mapping[str, ToolResult], present: Mapping[str, tuple[CollisionSphere, ...]]
) -> int:
    """How many spheres are not there any more."""
    return sum(len(present.get(f, ())) - sum(s >= 0 for s in r.source) for f, r in results.items())


_VERBS = {
    "connect": "Add {} between two",
    "scale": "Scale {}",
    "mirror": "Mirror {}",
    "fill": "Add {} along the axis",
    "split": "Split {}",
    "merge": "Merge {}",
    "snap": "Snap {} to the medial axis",
    "grow": "Grow {} to touch",
    "shrink": "Shrink {} to fit",
    "superfluous": "Delete superfluous {}",
    "improve": "Improve {}",
}


def reason_against_copy(context: FitContext) -> str | None:
    """Why it cannot be done, None when it can."""
    session = context.session
    frames = session.selection.frames
    if not session.has_robot:
        return "Open a robot first."
    if len(frames) != 1:
        return "Select one link, or spheres of one link."
    if context.kind_of(frames[0]) is None:
        return "The link has no shapes."
    return (
        None
        if session.selection.spheres or context.present(frames[0])
        else "The link has no spheres."
    )


def copy_to_alike(context: FitContext) -> None:
    """To every link with the same or the mirrored mesh, as one step.

    Selected spheres are added to the other links' spheres; all of a selected link's take the place
    of theirs.
    """
    session = context.session
    frame = session.selection.frames[0]
    source = context.mesh(frame)
    robot = session.robot
    if source is None:
        return
    refs, name = session.selection.spheres, group_of(context)
    present = context.spheres_in(name)
    spheres = present.get(frame, ())
    copied = tuple(spheres[ref.index] for ref in refs) if refs else spheres
    others = tuple(
        m
        for link in context.links_with_mesh()
        if link != frame and (m := context.mesh(link)) is not None
    )

    def done(matches: dict[str, Placement]) -> None:
        if session.robot is not robot:
            session.refused.emit("Nothing was copied, because the robot changed. Try again.")
            return
        if not matches:
            session.refused.emit(f"No other link has the mesh of {frame} or a mirrored copy.")
            return
        new = {}
        for link, place in matches.items():
            turned = tuple(_turned(sphere, place) for sphere in copied)
            new[link] = (*present.get(link, ()), *turned) if refs else turned
        label = f"Copy {format_count(len(copied), 'sphere')} of {frame} to {', '.join(matches)}"
        after = tuple(
            SphereRef(name, link, i)
            for link in new
            for i in range(len(new[link]) - len(copied), len(new[link]))
        )
        session.execute(
            ReplaceSpheres(name, FrozenDict(new), label), selection=Selection(spheres=after)
        )

    context.preview_jobs.run("Comparing meshes", Task(matching_links, source, others), done)


def _turned(sphere: CollisionSphere, place: Placement) -> CollisionSphere:
    x, y, z = (round(c, 6) + 0.0 for c in place.points(sphere.center)[0].tolist())
    return CollisionSphere((x, y, z), sphere.radius)
