"""Pictures of the view for a file: in any size, with nothing behind the robot, without the colours of the selection."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import atan, degrees, radians, tan
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from editor_app.gui.viewport.posing import held_marks, joint_marks
from editor_app.gui.viewport.tools import PREVIEW

if TYPE_CHECKING:
    from editor_app.gui.viewport.canvas import Canvas
    from editor_app.gui.viewport.scene import Scene

#: Formats that keep a transparent background.
WITH_ALPHA = (".png", ".webp")
#: What is drawn for the pointer alone.
AIDS = (PREVIEW, joint_marks.MARKS, held_marks.MARKS)
#: Least and greatest number of pixels on a side; graphics cards draw no more at once.
SMALLEST, LARGEST = 16, 8192


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """`size`: width and height in pixels, None for the view's; `marks`: selection and handles are drawn."""

    size: tuple[int, int] | None = None
    transparent: bool = False
    marks: bool = False


def check_ending(path: Path, options: PictureOptions) -> None:
    """Raises OSError where the format of `path` cannot hold such a picture."""
    if options.transparent and path.suffix.lower() not in WITH_ALPHA:
        raise OSError(f"{path.name} would have a black background: choose {' or '.join(WITH_ALPHA)} as its ending.")


def write_picture(image: QImage, path: Path, report: Callable[[], object] = lambda: None) -> None:
    """Writes the picture as a whole, in any thread; the format follows the suffix. Raises OSError when it cannot.

    `report` is called before it takes the place of an older one; what it raises leaves that one there.
    """
    # A large one takes seconds to pack, four times as long as to draw.
    temporary = path.with_name(f".{path.stem[:40]}.{uuid.uuid4().hex[:8]}{path.suffix}")
    try:
        if not image.save(str(temporary)):
            raise OSError(f"The picture could not be written to {path}.")
        report()
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def take_picture(scene: Scene, canvas: Canvas, options: PictureOptions) -> QImage:
    """Draws once for the picture, aside from the screen; view, selection and background stay as they are."""
    canvas.makeCurrent()
    try:
        with _marks(scene, options.marks), _background(canvas, options.transparent), _size(canvas, options.size):
            if canvas.before_paint is not None:
                canvas.before_paint()
            canvas.ren_win.Render()
            return _pixels(canvas)
    finally:
        canvas.doneCurrent()
        scene.redraw()


@contextmanager
def _marks(scene: Scene, shown: bool) -> Iterator[None]:
    aids = () if shown else (*scene.gizmo.actors, *scene.overlay.actors(AIDS))
    before = [aid.GetVisibility() for aid in aids]
    for aid in aids:
        aid.SetVisibility(False)
    scene.marks.show(shown)
    scene.ghost.set_shown(shown)
    try:
        yield
    finally:
        scene.marks.show(True)
        scene.ghost.set_shown(True)
        for aid, visible in zip(aids, before, strict=True):
            aid.SetVisibility(visible)


@contextmanager
def _background(canvas: Canvas, transparent: bool) -> Iterator[None]:
    main = canvas.main
    gradient, colour, alpha = main.GetGradientBackground(), main.GetBackground(), main.GetBackgroundAlpha()
    if transparent:
        main.GradientBackgroundOff()
        # Black, so that each colour is the robot's times its opacity: premultiplied.
        main.SetBackground(0.0, 0.0, 0.0)
        main.SetBackgroundAlpha(0.0)
    try:
        yield
    finally:
        main.SetGradientBackground(gradient)
        main.SetBackground(*colour)
        main.SetBackgroundAlpha(alpha)


@contextmanager
def _size(canvas: Canvas, size: tuple[int, int] | None) -> Iterator[None]:
    """The window of VTK in another size: what the view shows is in the picture, with more beside it where that fits."""
    window, camera = canvas.ren_win, canvas.main.GetActiveCamera()
    before, dpi, angle, scale = window.GetSize(), window.GetDPI(), camera.GetViewAngle(), camera.GetParallelScale()
    if size is not None:
        wider = max(1.0, (before[0] / before[1]) / (size[0] / size[1]))
        camera.SetViewAngle(degrees(2 * atan(wider * tan(radians(angle) / 2))))
        camera.SetParallelScale(wider * scale)
        window.SetSize(*size)
        # Texts have the same share of the picture as of the view.
        window.SetDPI(max(1, round(dpi * min(size[0] / before[0], size[1] / before[1]))))
    try:
        yield
    finally:
        window.SetSize(*before)
        window.SetDPI(dpi)
        camera.SetViewAngle(angle)
        camera.SetParallelScale(scale)


def _pixels(canvas: Canvas) -> QImage:
    width, height = canvas.ren_win.GetSize()
    values = vtkUnsignedCharArray()
    canvas.ren_win.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, values)
    # VTK's first row is the lowest.
    rows = vtk_to_numpy(values).reshape(height, width, 4)[::-1].tobytes()
    return QImage(rows, width, height, 4 * width, QImage.Format.Format_RGBA8888_Premultiplied).copy()
