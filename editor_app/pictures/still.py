"""A robot as a PNG file, drawn off screen."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from editor_app.edit.document import Document
from editor_app.pictures.scene import fill

__all__ = ["drawn", "picture", "plotter"]


def picture(
    document: Document,
    pose: Mapping[str, float] | None = None,
    *,
    size: tuple[int, int] = (800, 600),
    meshes: bool = True,
    spheres: bool = True,
) -> bytes:
    """The robot at a configuration (as of `frame_poses`), `size` in pixels. Raises Refused."""
    with plotter(size) as scene:
        fill(scene, document, pose, meshes=meshes, spheres=spheres)
        return drawn(scene)


@contextmanager
def plotter(size: tuple[int, int]) -> Iterator[Any]:
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


def drawn(scene: Any) -> bytes:
    """The PNG of a filled plotter."""
    from PIL import Image

    scene.enable_anti_aliasing("ssaa")
    pixels = scene.screenshot(None, return_img=True)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
