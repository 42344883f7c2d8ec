"""Robots and fits in a notebook: a view that is turned with the mouse and stays in the saved
notebook, or a still."""

from __future__ import annotations

import base64
import io
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.document import Document
from editor_app.core.document.writing import write_files
from editor_app.core.libraries import install_command
from editor_app.core.space.geometry.link_geometry import Kind, MeshStore, link_geometry
from editor_app.core.space.geometry.mesh import MeshPart, Rgba
from editor_app.core.tasks.work import PoseLike, Refused
from editor_app.core.verbs.pose import frame_poses, sphere_arrays
from editor_app.features.spheres.verbs.fit import RobotFit


@dataclass(frozen=True, slots=True)
class View:
    """A picture of a robot that notebooks show as the value of a cell. `page`: a whole HTML page,
    empty for a still; `png`: the still."""

    png: bytes
    page: str = ""
    size: tuple[int, int] = (800, 500)

    def save(self, path: str | Path) -> Path:
        """Writes the page for a name with .html, else the PNG, also over an older one.

        Raises Refused for a page of a still, SaveError where the file cannot be written.
        """
        target = Path(path)
        if target.suffix.lower() in (".html", ".htm"):
            if not self.page:
                raise Refused(f"{target}: a still image is not a page; use show(interactive=True)")
            data = self.page.encode()
        else:
            data = self.png
        write_files([(target, data)], overwrite=True, make_folders=False)
        return target

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What notebooks ask for:
        https://ipython.readthedocs.io/en/stable/config/integrating.html."""
        still = base64.b64encode(self.png).decode("ascii")
        if not self.page:
            return {"image/png": still, "text/plain": repr(self)}
        width, height = self.size
        # A frame of its own: the page's scripts and styles are not the notebook's.
        frame = (
            f'<iframe srcdoc="{escape(self.page)}" width="{width}" height="{height}" '
            'style="border: 0"></iframe>'
        )
        return {"text/html": frame, "image/png": still, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<view of {self.size[0]} × {self.size[1]} pixels>"


def show(
    shown: Document | RobotFit,
    pose: PoseLike | None = None,
    *,
    meshes: bool = True,
    spheres: bool = True,
    group: str | None = None,
    interactive: bool | Literal["auto"] = "auto",
    size: tuple[int, int] = (800, 500),
    marked: Collection[str] = (),
) -> View:
    """A robot at a configuration (as of `frame_poses`), or the links of a fit side by side, with
    their spheres.

    `group`: the geometry group, as of `sphere_arrays`. `marked`: links in colour; the others are
    transparent. `interactive`: a 3D view (needs the extra notebook), or a still; "auto": a 3D view
    where the extra is installed. `size` in pixels. Raises Refused.
    """
    with _plotter(size) as scene:
        if isinstance(shown, RobotFit):
            fill_fit(scene, shown, meshes=meshes, spheres=spheres)
        else:
            fill_plotter(
                scene, shown, pose, meshes=meshes, spheres=spheres, group=group, marked=marked
            )
        png = _drawn(scene)
        page = "" if interactive is False else _page(scene, needed=interactive is True)
    return View(png, page, size)


@contextmanager
def _plotter(size: tuple[int, int]) -> Iterator[Any]:
    """A plotter of PyVista that needs no screen; it is closed at the end."""
    if sys.platform == "linux" and not os.environ.get("DISPLAY"):
        # VTK would try X first, and say on standard error that it failed.
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    import pyvista

    scene = pyvista.Plotter(off_screen=True, window_size=list(size), lighting="light kit")
    try:
        yield scene
    finally:
        scene.close()


def _drawn(scene: Any) -> bytes:
    """The PNG of a filled plotter."""
    from PIL import Image

    scene.enable_anti_aliasing("ssaa")
    pixels = scene.screenshot(None, return_img=True)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _page(scene: Any, *, needed: bool) -> str:
    try:
        from editor_app.plugins.pictures.web_page import web_page
    except ImportError as error:
        if needed:
            raise Refused(f"a 3D view needs trame-vtk: {install_command('notebook')}") from error
        return ""
    return web_page(scene)


_GREY = (0.62, 0.64, 0.67)
_SPHERES = (0.16, 0.45, 0.85)
#: Colours of marked links, in turn, and the opacity of the others.
_MARKED: tuple[Rgba, ...] = ((0.84, 0.15, 0.16, 1.0), (0.12, 0.4, 0.85, 1.0))
_FADED = 0.12


def fill_plotter(
    plotter: Any,
    document: Document,
    pose: PoseLike | None = None,
    *,
    meshes: bool = True,
    spheres: bool = True,
    group: str | None = None,
    marked: Collection[str] = (),
) -> None:
    """Puts a robot into a plotter and turns the camera to it, from the front right above.

    `pose`: as of `frame_poses`. `marked`: as of `show`. A link without visual shapes is shown by
    its collision shapes. Raises Refused.
    """
    poses = frame_poses(document, pose)
    plotter.set_background("white")
    colours = dict(zip(marked, cycle(_MARKED), strict=False))
    for link, part in _parts(document, poses) if meshes else ():
        matrix = poses[link]
        colour, opacity = (
            colours.get(link, part.rgba),
            _FADED if marked and link not in colours else 1.0,
        )
        _add_mesh(
            plotter, part.vertices @ matrix[:3, :3].T + matrix[:3, 3], part.faces, colour, opacity
        )
    if spheres and (document.robot.xrdf.geometry or group is not None):
        arrays, opacity = sphere_arrays(document, pose, group=group), 0.35 if meshes else 1.0
        frames = np.asarray(arrays.frames, dtype=object)
        # Of a robot with marked links, their spheres alone: the others would hide them.
        for link, marking in colours.items():
            _add_spheres(
                plotter,
                arrays.centers[frames == link],
                arrays.radii[frames == link],
                opacity,
                marking[:3],
            )
        if not marked:
            _add_spheres(plotter, arrays.centers, arrays.radii, opacity)
    _look(plotter)


def fill_fit(plotter: Any, fitted: RobotFit, *, meshes: bool = True, spheres: bool = True) -> None:
    """Puts the links of a fit into a plotter, side by side along x, each upright in its own frame.
    Raises Refused."""
    plotter.set_background("white")
    place = 0.0
    for each in fitted.links:
        vertices = np.asarray(each.mesh.vertices, float)
        centers = np.array([sphere.center for sphere in each.spheres]).reshape(-1, 3)
        radii = np.array([sphere.radius for sphere in each.spheres])
        lower = np.vstack([vertices, centers - radii[:, None]]).min(0)
        upper = np.vstack([vertices, centers + radii[:, None]]).max(0)
        shift = np.array([place - lower[0], -(lower[1] + upper[1]) / 2, -lower[2]])
        place += 1.1 * (upper[0] - lower[0])
        if meshes:
            _add_mesh(plotter, vertices + shift, each.mesh.faces, None)
        if spheres:
            _add_spheres(plotter, centers + shift, radii, 0.35 if meshes else 1.0)
    _look(plotter, (0.25, -1.0, 0.35))


def _add_mesh(
    plotter: Any, vertices: F64, faces: Any, rgba: Rgba | None, opacity: float = 1.0
) -> None:
    import pyvista

    surface = pyvista.PolyData.from_regular_faces(vertices, np.asarray(faces, np.int64))
    plotter.add_mesh(
        surface,
        color=rgba[:3] if rgba is not None else _GREY,
        smooth_shading=False,
        opacity=opacity,
    )


def _add_spheres(
    plotter: Any,
    centers: F64,
    radii: F64,
    opacity: float,
    color: tuple[float, float, float] = _SPHERES,
) -> None:
    import pyvista

    # A radius of zero or less switches a sphere off.
    shown = radii > 0
    if not shown.any():
        return
    points = pyvista.PolyData(centers[shown])
    points["radius"] = radii[shown]
    ball = pyvista.Sphere(radius=1.0, theta_resolution=20, phi_resolution=14)
    balls = points.glyph(geom=ball, scale="radius", orient=False)
    plotter.add_mesh(balls, color=color, opacity=opacity)


def _look(plotter: Any, direction: tuple[float, float, float] = (1.0, 0.75, 0.5)) -> None:
    if not plotter.actors:
        raise Refused("no shapes and no spheres to show")
    plotter.camera_position = [direction, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    plotter.reset_camera()
    plotter.camera.zoom(1.25)


def _parts(document: Document, poses: Mapping[str, np.ndarray]) -> Iterator[tuple[str, MeshPart]]:
    urdf = document.robot.urdf
    store = MeshStore(document.urdf_path, document.packages)
    for link in urdf.links:
        if link.name not in poses:
            continue
        kind: Kind = "visual" if link.visuals else "collision"
        for part in link_geometry(urdf, document.urdf_path, link, kind, store=store).parts:
            if len(part.faces):
                yield link.name, part
