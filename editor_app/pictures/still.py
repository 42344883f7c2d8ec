"""A robot as a PNG file, drawn off screen."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from editor_app.pictures.scene import fill

if TYPE_CHECKING:
    from editor_app.edit.document import Document

__all__ = ["picture"]


def picture(
    document: Document,
    pose: Mapping[str, float] | None = None,
    *,
    size: tuple[int, int] = (800, 600),
    meshes: bool = True,
    spheres: bool = True,
) -> bytes:
    """The robot at a configuration (as of `frame_poses`), `size` in pixels. Raises Refused."""
    if sys.platform == "linux" and not os.environ.get("DISPLAY"):
        # VTK would try X first, and say on standard error that it failed.
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    import pyvista
    from PIL import Image

    plotter = pyvista.Plotter(off_screen=True, window_size=list(size), lighting="light kit")
    try:
        fill(plotter, document, pose, meshes=meshes, spheres=spheres)
        plotter.enable_anti_aliasing("ssaa")
        pixels = plotter.screenshot(None, return_img=True)
    finally:
        plotter.close()
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
