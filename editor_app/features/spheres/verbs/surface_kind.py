"""Which shapes stand for a link in fits and figures: the collision shapes, or the visual ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from editor_app.core.model.urdf import Urdf
from editor_app.core.space.geometry import partial_shapes
from editor_app.core.space.geometry.link_geometry import Kind, LinkGeometry
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import PlacedRobot, make_stoppable
from editor_app.features.masks.engine import meshes
from editor_app.features.spheres.engine.settings import USUAL_GEOMETRY, Geometry


def surface_kind(geometry: Geometry, has: Callable[[Kind], bool], is_partial: bool) -> Kind | None:
    """The kind of shapes that stands for a link; None for a link without shapes.

    `is_partial`: whether the collision shapes do not stand for the visual ones.
    """
    preferred: Kind = "visual" if geometry == "visual" else "collision"
    if geometry == "auto" and has("collision") and has("visual") and is_partial:
        preferred = "visual"
    other: Kind = "visual" if preferred == "collision" else "collision"
    return preferred if has(preferred) else other if has(other) else None


def surface_words(kind: Kind | None, usual: Kind | None) -> str:
    """Words for the shapes that figures are of; empty for the collision shapes.

    `usual`: the kind that figures of the link are of elsewhere.
    """
    if kind is None or (kind == "collision" and usual == kind):
        return ""
    return f"of the {kind} shapes" + (
        f" (elsewhere: of the {usual} ones)" if usual not in (kind, None) else ""
    )


def compared_by_sight(placed: PlacedRobot, geometry: Geometry = USUAL_GEOMETRY) -> frozenset[str]:
    """Links with collision shapes that are compared by what is visible of them, where `geometry` is
    asked for."""
    if geometry == "visual":
        return frozenset(
            link.name for link in placed.robot.urdf.links if link.visuals and link.collisions
        )
    if geometry == "collision":
        return frozenset()
    return meshes.find_partial_robot_links(placed.robot, placed.urdf_path, placed.packages)


def report_partial_links(
    reporter: TaskReporter, urdf: Urdf, shapes: Mapping[str, tuple[LinkGeometry, LinkGeometry]]
) -> frozenset[str]:
    """Find the links of `shapes` (link: visual, collision) whose collision shapes do not stand for
    them.

    Raises Cancelled.
    """
    tick = make_stoppable(reporter.progress, reporter.cancelled)

    def of(link: str, kind: Kind) -> LinkGeometry:
        tick(-1.0, link)
        return shapes[link][kind == "collision"] if link in shapes else LinkGeometry(link, kind)

    return frozenset(partial_shapes.find_partial_links(urdf, of))
