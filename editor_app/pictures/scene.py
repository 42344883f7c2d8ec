"""A robot as a scene of PyVista: its meshes and its spheres at a configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from editor_app.geometry.link_geometry import Kind, MeshStore, link_geometry
from editor_app.geometry.mesh import MeshPart
from editor_app.operations.pose import frame_poses, sphere_arrays
from editor_app.operations.work import Refused

if TYPE_CHECKING:
    from editor_app.edit.document import Document

__all__ = ["fill"]

_GREY = (0.62, 0.64, 0.67)
_SPHERES = (0.16, 0.45, 0.85)


def fill(
    plotter: Any,
    document: Document,
    pose: Mapping[str, float] | None = None,
    *,
    meshes: bool = True,
    spheres: bool = True,
    group: str | None = None,
) -> None:
    """Puts a robot into a plotter and turns the camera to it, from the front right above.

    `pose`: as of `frame_poses`. A link without visual shapes is shown by its collision shapes. Raises Refused.
    """
    import pyvista

    poses = frame_poses(document, pose)
    plotter.set_background("white")
    for part, matrix in _parts(document, poses) if meshes else ():
        surface = pyvista.PolyData.from_regular_faces(
            part.vertices @ matrix[:3, :3].T + matrix[:3, 3], np.asarray(part.faces, np.int64)
        )
        colour = part.rgba[:3] if part.rgba is not None else _GREY
        plotter.add_mesh(surface, color=colour, smooth_shading=False)
    if spheres and (document.robot.xrdf.geometry or group is not None):
        found = sphere_arrays(document, pose, group=group)
        shown = found.radii > 0
        if shown.any():
            points = pyvista.PolyData(found.centers[shown])
            points["radius"] = found.radii[shown]
            ball = pyvista.Sphere(radius=1.0, theta_resolution=20, phi_resolution=14)
            balls = points.glyph(geom=ball, scale="radius", orient=False)
            plotter.add_mesh(balls, color=_SPHERES, opacity=0.35 if meshes else 1.0)
    if not plotter.actors:
        raise Refused("the robot has neither shapes nor spheres to show")
    plotter.camera_position = [(1.0, 0.75, 0.5), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    plotter.reset_camera()
    plotter.camera.zoom(1.25)


def _parts(document: Document, poses: Mapping[str, np.ndarray]) -> Iterator[tuple[MeshPart, np.ndarray]]:
    urdf = document.robot.urdf
    store = MeshStore(document.urdf_path, document.packages)
    for link in urdf.links:
        if link.name not in poses:
            continue
        kind: Kind = "visual" if link.visuals else "collision"
        for part in link_geometry(urdf, document.urdf_path, link, kind, store=store).parts:
            if len(part.faces):
                yield part, poses[link.name]
