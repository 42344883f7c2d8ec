"""Robots and fits in a notebook: a view that is turned with the mouse and stays in the saved notebook, or a still."""

from __future__ import annotations

import base64
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal

from editor_app.edit.document import Document
from editor_app.operations.described import PoseLike
from editor_app.operations.fit import RobotFit
from editor_app.operations.work import Refused
from editor_app.pictures.scene import fill, fill_fit

__all__ = ["View", "show"]


@dataclass(frozen=True, slots=True)
class View:
    """What notebooks show as the value of a cell. `page`: a whole HTML page, empty for a still; `png`: the still."""

    png: bytes
    page: str = ""
    size: tuple[int, int] = (800, 500)

    def save(self, path: str | Path) -> Path:
        """Writes the page for a name with .html, else the PNG. Raises Refused for a page of a still, OSError."""
        target = Path(path)
        if target.suffix.lower() in (".html", ".htm"):
            if not self.page:
                raise Refused(f"{target}: a still is no page; ask for show(interactive=True)")
            target.write_text(self.page, encoding="utf-8")
        else:
            target.write_bytes(self.png)
        return target

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What notebooks ask for: https://ipython.readthedocs.io/en/stable/config/integrating.html."""
        still = base64.b64encode(self.png).decode("ascii")
        if not self.page:
            return {"image/png": still, "text/plain": repr(self)}
        width, height = self.size
        # A frame of its own: the page's scripts and styles are not the notebook's.
        frame = f'<iframe srcdoc="{escape(self.page)}" width="{width}" height="{height}" style="border: 0"></iframe>'
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
) -> View:
    """A robot at a configuration (as of `frame_poses`), or the links of a fit side by side, with their spheres.

    `group`: the geometry group, as of `sphere_arrays`. `interactive`: a 3D view (needs the extra notebook), or a still;
    "auto": a 3D view where the extra is installed. `size` in pixels. Raises Refused.
    """
    with _plotter(size) as scene:
        if isinstance(shown, RobotFit):
            fill_fit(scene, shown, meshes=meshes, spheres=spheres)
        else:
            fill(scene, shown, pose, meshes=meshes, spheres=spheres, group=group)
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
        from editor_app.pictures.web_page import web_page
    except ImportError as error:
        if needed:
            raise Refused("a 3D view needs trame-vtk: install xrdf-editor with the extra notebook") from error
        return ""
    return web_page(scene)
