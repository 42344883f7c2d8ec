"""Drawn things under the pointer, in a box, or nearest on a surface."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.features import RobotFeature
from editor_app.core.model.findings import SphereRef
from editor_app.window.session import Hover, Session
from editor_app.window.viewport.camera import ViewCamera, ViewRay
from editor_app.window.viewport.layers.features import FeatureLayer
from editor_app.window.viewport.layers.meshes import MeshLayer
from editor_app.window.viewport.picking import (
    WHOLE,
    LinkSurface,
    SurfaceHit,
    in_rectangle,
    pick_surface,
    ray_spheres,
)
from editor_app.window.viewport.sphere_table import SphereTable

#: Rays end here (metres).
_REACH = 1000.0
#: A sensor or tool is pointed at within so many pixels of its origin.
_NEAR = 9.0


@dataclass(frozen=True, slots=True)
class Pick:
    """The thing under the pointer: sensor or tool, else sphere, else point of a mesh, else
    obstacle, or nothing."""

    ray: ViewRay
    sphere: SphereRef | None = None
    surface: SurfaceHit | None = None
    point: F64 | None = None
    feature: RobotFeature | None = None
    obstacle: str | None = None

    @property
    def link(self) -> str | None:
        if self.feature is not None:
            return None
        if self.sphere is not None:
            return self.sphere.frame
        return self.surface.link if self.surface else None

    @property
    def hover(self) -> Hover:
        return Hover(link=self.link, sphere=self.sphere, feature=self.feature)


class Drawn(Protocol):
    """The drawn parts of the robot, and the camera for which they are drawn."""

    camera: ViewCamera
    table: SphereTable
    visuals: MeshLayer
    collisions: MeshLayer
    features: FeatureLayer
    #: (4, 4) in the base frame, by frame.
    poses: dict[str, F64]


class Aim:
    """Answers for the present camera, pose and display options."""

    def __init__(self, session: Session, scene: Drawn) -> None:
        self._session, self._scene = session, scene
        self._camera, self._table, self._features = scene.camera, scene.table, scene.features
        self._visuals, self._collisions = scene.visuals, scene.collisions
        #: What a section leaves of meshes and spheres.
        self.cut_of_meshes = self.cut_of_spheres = WHOLE

    @property
    def drawn_meshes(self) -> MeshLayer:
        """The layer whose surfaces are pointed at: what is drawn, visual meshes first."""
        if self._session.display.visuals or not self._session.display.collisions:
            return self._visuals
        return self._collisions

    def surface_at(self, ray: ViewRay, links: Iterable[str] | None = None) -> SurfaceHit | None:
        """The nearest drawn mesh; with `links` the meshes of these, drawn or not."""
        if links is not None:
            wanted = tuple(links)
            for surfaces in self._surfaces():
                drawn = [link for link in wanted if link in surfaces]
                if drawn:
                    return pick_surface(ray, surfaces, self._scene.poses, drawn, _REACH)
            return None
        best: SurfaceHit | None = None
        span = self.cut_of_meshes.span(ray)
        if span is None:
            return None
        for layer in (self._visuals, self._collisions):
            reach = best.distance if best else min(_REACH, span[1])
            best = (
                pick_surface(
                    ray, layer.surfaces, self._scene.poses, layer.visible_links, reach, span[0]
                )
                or best
            )
        return best

    def _surfaces(self) -> list[Mapping[str, LinkSurface]]:
        """By link: of what is drawn, of visual meshes, of collision meshes; the first that has a
        link counts."""
        return [layer.surfaces for layer in (self.drawn_meshes, self._visuals, self._collisions)]

    def _surface(self, link: str) -> LinkSurface | None:
        return next((surfaces[link] for surfaces in self._surfaces() if link in surfaces), None)

    def nearest_on_surface(self, link: str, point: F64) -> F64 | None:
        """The point of a link's mesh that is nearest to `point`, both in the base frame."""
        pose = self._scene.poses.get(link)
        surface = self._surface(link)
        if surface is None or pose is None:
            return None
        local = (point - pose[:3, 3]) @ pose[:3, :3]
        return pose[:3, :3] @ surface.closest(local) + pose[:3, 3]

    def height_over(self, link: str, point: F64) -> float | None:
        """Metres from a link's mesh to a `point` outside of it, in the base frame; 0 inside, None
        without a mesh."""
        pose = self._scene.poses.get(link)
        surface = self._surface(link)
        if surface is None or pose is None:
            return None
        return surface.height_over((point - pose[:3, 3]) @ pose[:3, :3])

    def extent(self, link: str) -> F64 | None:
        """(3,) edges of the box around a link's mesh, in its frame."""
        surface = self._surface(link)
        return None if surface is None else surface.high - surface.low

    def pick(self, x: float, y: float, *, spheres: bool = True) -> Pick:
        """Spheres come before links, unless an opaque mesh hides them."""
        ray = self._camera.ray(x, y)
        surface = self.surface_at(ray)
        feature = self._feature_at(x, y) if spheres else None
        # A click on the fingers of a hand means them, and not the sensors that they feel with.
        if feature is not None and (
            surface is None or not self._features.is_within_link(feature[0])
        ):
            return Pick(ray, surface=surface, point=feature[1], feature=feature[0])
        if spheres and self._session.display.spheres:
            span = self.cut_of_spheres.span(ray) or (0.0, 0.0)
            hit = ray_spheres(ray, self._table.world, self._table.reach, self._table.visible, span)
            if hit is not None:
                row, distance = hit
                hidden = (
                    surface is not None
                    and surface.distance < distance
                    and self._visuals.blocks_view(surface.link)
                    and surface.link in self._visuals.visible_links
                )
                if not hidden:
                    return Pick(
                        ray, sphere=self._table.refs[row], surface=surface, point=ray.at(distance)
                    )
        if surface is None:
            return Pick(ray)
        return Pick(ray, surface=surface, point=surface.point)

    def hidden_share(self, points: F64, excluded: Collection[str], eye: F64) -> float:
        """The share of (n, 3) points that opaque meshes hide from `eye`; links that are `excluded`
        hide none."""
        layer, surfaces = self._visuals, self._visuals.surfaces
        others = [
            link for link in layer.visible_links if link not in excluded and layer.blocks_view(link)
        ]
        hidden = 0
        for point in points:
            toward = point - eye
            away = float(np.linalg.norm(toward))
            ray = ViewRay(eye, toward / max(away, 1e-9))
            span = self.cut_of_meshes.span(ray)
            if span is not None:
                reach = min(away, span[1])
                hidden += (
                    pick_surface(ray, surfaces, self._scene.poses, others, reach, span[0])
                    is not None
                )
        return hidden / max(len(points), 1)

    def _feature_at(self, x: float, y: float) -> tuple[RobotFeature, F64] | None:
        """They are drawn over everything, so nothing hides them."""
        drawn = self._features.drawn()
        nearest = self._camera.nearest(np.array([place for _, place in drawn]), x, y, _NEAR)
        return None if nearest is None else drawn[nearest]

    def spheres_in(self, x0: float, y0: float, x1: float, y1: float) -> tuple[SphereRef, ...]:
        """Visible spheres whose centre lies in the rectangle."""
        if not len(self._table) or not self._session.display.spheres:
            return ()
        inside = (
            in_rectangle(self._camera.project(self._table.world), x0, y0, x1, y1)
            & self._table.visible
        )
        inside &= self.cut_of_spheres.heights(self._table.world) > -self._table.reach
        return tuple(self._table.refs[i] for i in np.flatnonzero(inside))

    def links_in(self, x0: float, y0: float, x1: float, y1: float) -> tuple[str, ...]:
        """Drawn links the middle of whose mesh lies in the rectangle."""
        layer = self.drawn_meshes
        links = []
        for link in layer.visible_links:
            corners = layer.bounds_points([link])[0]
            is_left = np.any(self.cut_of_meshes.heights(corners) > 0.0)
            if (
                is_left
                and in_rectangle(self._camera.project(corners.mean(axis=0)), x0, y0, x1, y1)[0]
            ):
                links.append(link)
        return tuple(links)
