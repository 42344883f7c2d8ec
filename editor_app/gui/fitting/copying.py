"""Copying the spheres of a link to every link with the same or the mirrored mesh, as one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editor_app.edit.commands import ReplaceSpheres
from editor_app.edit.selection import Selection
from editor_app.gui.fitting.context import FitContext
from editor_app.model.counting import counted
from editor_app.model.findings import SphereRef
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import CollisionSphere
from editor_app.operations.sphere_tools import MatchLinks

if TYPE_CHECKING:
    from editor_app.fitting.results import Placement


def reason_against_copy(context: FitContext) -> str | None:
    """Why it cannot be done, None when it can."""
    session = context.session
    frames = session.selection.frames
    if session.robot is None:
        return "Open a robot first."
    if len(frames) != 1:
        return "Select one link, or spheres of one link."
    if context.kind_of(frames[0]) is None:
        return "The link has no shapes."
    return None if session.selection.spheres or context.present(frames[0]) else "The link has no spheres."


def copy_to_alike(context: FitContext) -> None:
    """Selected spheres are added to the other links' spheres; all of a selected link's take the place of theirs."""
    session = context.session
    frame = session.selection.frames[0]
    source = context.mesh(frame)
    robot = session.robot
    if source is None or robot is None:
        return
    refs = session.selection.spheres
    name = refs[0].group if refs else context.group
    group = robot.xrdf.group(name)
    if group is None:
        return
    spheres = group.spheres.get(frame, ())
    copied = tuple(spheres[ref.index] for ref in refs) if refs else spheres
    others = tuple(m for link in context.links_with_mesh() if link != frame and (m := context.mesh(link)) is not None)

    def done(matches: dict[str, Placement]) -> None:
        if session.robot is not robot:
            session.refused.emit("The robot was changed meanwhile; nothing was copied.")
            return
        if not matches:
            session.refused.emit(f"No other link has the mesh of {frame}, or its mirror image.")
            return
        new = {}
        for link, place in matches.items():
            turned = tuple(_placed(sphere, place) for sphere in copied)
            new[link] = (*group.spheres.get(link, ()), *turned) if refs else turned
        label = f"Copy {counted(len(copied), 'sphere')} of {frame} to {', '.join(matches)}"
        after = tuple(
            SphereRef(name, link, i) for link in new for i in range(len(new[link]) - len(copied), len(new[link]))
        )
        session.execute(ReplaceSpheres(name, FrozenDict(new), label), selection=Selection(spheres=after))

    context.preview_jobs.run("Comparing meshes", MatchLinks(source, others), done)


def _placed(sphere: CollisionSphere, place: Placement) -> CollisionSphere:
    x, y, z = (round(c, 6) + 0.0 for c in place.points(sphere.center)[0].tolist())
    return CollisionSphere((x, y, z), sphere.radius)
