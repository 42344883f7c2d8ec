"""Pictures of the view for a file: in any size, with nothing behind the robot, without the colours of the selection."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import atan, ceil, degrees, radians, tan
from pathlib import Path

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QImage, QPainter
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from editor_app.gui.viewport.canvas import Canvas
from editor_app.gui.viewport.posing import held_marks, joint_marks
from editor_app.gui.viewport.scene import Scene
from editor_app.gui.viewport.tools import PREVIEW

#: Formats that keep a transparent background.
WITH_ALPHA = (".png", ".webp")
#: What is drawn for the pointer alone.
AIDS = (PREVIEW, joint_marks.MARKS, held_marks.MARKS)
#: Pixels of a piece that is drawn at a time: without a graphics card, some 30 ms.
PIECE = (640, 540)
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
    """Draws the picture at once, aside from the screen; view, selection and background stay as they are."""
    picture = Picture(scene, canvas, options)
    while not picture.is_done:
        picture.step()
    return picture.image


class Picture:
    """Drawn piece by piece: without a graphics card a large one takes seconds, and VTK draws in one thread alone.

    Pieces are parts of one frustum, pixel by pixel; `step` draws the next. Nobody may change the scene between them.
    """

    def __init__(self, scene: Scene, canvas: Canvas, options: PictureOptions) -> None:
        self._scene, self._canvas, self._options = scene, canvas, options
        width, height = options.size or canvas.ren_win.GetSize()
        self._size = (width, height)
        self._left = pieces(width, height) if options.size is not None else [QRect(0, 0, width, height)]
        self._count = len(self._left)
        self.image = QImage(width, height, QImage.Format.Format_RGBA8888_Premultiplied)

    @property
    def is_done(self) -> bool:
        return not self._left

    @property
    def share(self) -> float:
        """How much is drawn, 0 to 1."""
        return 1.0 - len(self._left) / self._count

    def step(self) -> None:
        """Draws the next piece; the view is drawn again after the last."""
        canvas, options, piece = self._canvas, self._options, self._left.pop(0)
        self._scene.pace.rest()
        canvas.makeCurrent()
        try:
            with (
                _marks(self._scene, options.marks),
                _background(canvas, options.transparent),
                _size(canvas, options.size),
            ):
                if canvas.before_paint is not None:
                    canvas.before_paint()
                with _piece(canvas, piece, self._size):
                    canvas.ren_win.Render()
                    drawn = _pixels(canvas)
        finally:
            canvas.doneCurrent()
            if self.is_done:
                self._scene.redraw()
        painter = QPainter(self.image)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        painter.drawImage(piece.topLeft(), drawn)
        painter.end()


def pieces(width: int, height: int) -> list[QRect]:
    """A picture of so many pixels in rectangles of at most `PIECE`, row by row."""
    columns, rows = ceil(width / PIECE[0]), ceil(height / PIECE[1])
    x = [width * k // columns for k in range(columns + 1)]
    y = [height * k // rows for k in range(rows + 1)]
    return [QRect(a, c, b - a, d - c) for c, d in pairwise(y) for a, b in pairwise(x)]


@contextmanager
def _piece(canvas: Canvas, piece: QRect, size: tuple[int, int]) -> Iterator[None]:
    """The window of VTK as large as a piece of a picture of `size`, and the camera looking through that piece alone."""
    if (piece.width(), piece.height()) == size:
        yield
        return
    window, main, camera = canvas.ren_win, canvas.main, canvas.main.GetActiveCamera()
    angle, scale, centre = camera.GetViewAngle(), camera.GetParallelScale(), camera.GetWindowCenter()
    bottom, top = main.GetBackground(), main.GetBackground2()
    share = piece.height() / size[1]
    middle = QRectF(piece).center()
    window.SetSize(piece.width(), piece.height())
    camera.SetViewAngle(degrees(2 * atan(tan(radians(angle) / 2) * share)))
    camera.SetParallelScale(scale * share)
    # In halves of the piece, upwards.
    camera.SetWindowCenter(
        2 * (middle.x() - size[0] / 2) / piece.width(), 2 * (size[1] / 2 - middle.y()) / piece.height()
    )
    if main.GetGradientBackground():
        # The part of the gradient that belongs to these rows.
        low, high = (1.0 - (piece.top() + rows) / size[1] for rows in (piece.height(), 0))
        main.SetBackground(*(a + (b - a) * low for a, b in zip(bottom, top, strict=True)))
        main.SetBackground2(*(a + (b - a) * high for a, b in zip(bottom, top, strict=True)))
    try:
        yield
    finally:
        camera.SetViewAngle(angle)
        camera.SetParallelScale(scale)
        camera.SetWindowCenter(*centre)
        main.SetBackground(*bottom)
        main.SetBackground2(*top)


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
