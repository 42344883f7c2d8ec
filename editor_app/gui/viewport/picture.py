"""Pictures of the view for a file: in any size, with nothing behind the robot, without the colours of the selection."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from math import atan, ceil, degrees, radians, tan
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QImage, QPainter
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from editor_app.gui.viewport.canvas import Canvas
from editor_app.gui.viewport.posing import joint_marks
from editor_app.gui.viewport.posing.poser import HELD
from editor_app.gui.viewport.scene import Scene
from editor_app.gui.viewport.section import OUTLINE
from editor_app.gui.viewport.tools import PREVIEW

#: Formats that keep a transparent background.
WITH_ALPHA = (".png", ".webp")
#: Overlays for the pointer alone.
AIDS = (PREVIEW, joint_marks.MARKS, HELD)
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
            with ExitStack() as before:
                _leave_out_marks(self._scene, options.marks, before)
                if options.transparent:
                    _make_transparent(canvas, before)
                if options.size is not None:
                    _resize(canvas, options.size, before)
                if canvas.before_paint is not None:
                    canvas.before_paint()
                if (piece.width(), piece.height()) != self._size:
                    _look_through(canvas, piece, self._size, before)
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


def _look_through(canvas: Canvas, piece: QRect, size: tuple[int, int], before: ExitStack) -> None:
    """The window of VTK as large as a piece of a picture of `size`, and the camera looking through that piece alone."""
    main: Any = canvas.main
    camera = main.GetActiveCamera()
    bottom, top = main.GetBackground(), main.GetBackground2()
    share = piece.height() / size[1]
    middle = QRectF(piece).center()
    canvas.ren_win.SetSize(piece.width(), piece.height())
    _zoom(canvas, share, before)
    before.callback(camera.SetWindowCenter, *camera.GetWindowCenter())
    # In halves of the piece, upwards.
    camera.SetWindowCenter(
        2 * (middle.x() - size[0] / 2) / piece.width(), 2 * (size[1] / 2 - middle.y()) / piece.height()
    )
    if main.GetGradientBackground():
        # The part of the gradient that belongs to these rows.
        low, high = (1.0 - (piece.top() + rows) / size[1] for rows in (piece.height(), 0))
        for set_colour, old, share in ((main.SetBackground, bottom, low), (main.SetBackground2, top, high)):
            before.callback(set_colour, *old)
            set_colour(*(a + (b - a) * share for a, b in zip(bottom, top, strict=True)))


def _zoom(canvas: Canvas, share: float, before: ExitStack) -> None:
    """The view `share` times as high."""
    camera = canvas.main.GetActiveCamera()
    angle, scale = camera.GetViewAngle(), camera.GetParallelScale()
    before.callback(camera.SetViewAngle, angle)
    before.callback(camera.SetParallelScale, scale)
    camera.SetViewAngle(degrees(2 * atan(share * tan(radians(angle) / 2))))
    camera.SetParallelScale(share * scale)


def _leave_out_marks(scene: Scene, marks: bool, before: ExitStack) -> None:
    """The plane of the section is never in a picture; `marks`: selection and handles are."""
    aids = [*scene.section_gizmo.actors, *scene.overlay.actors((OUTLINE,))]
    if not marks:
        aids += [*scene.gizmo.actors, *scene.overlay.actors(AIDS)]
        for show in (scene.show_marks, scene.ghost.set_shown):
            before.callback(show, True)
            show(False)
    for aid in aids:
        before.callback(aid.SetVisibility, aid.GetVisibility())
        aid.SetVisibility(False)


def _make_transparent(canvas: Canvas, before: ExitStack) -> None:
    main: Any = canvas.main
    before.callback(main.SetGradientBackground, main.GetGradientBackground())
    before.callback(main.SetBackground, *main.GetBackground())
    before.callback(main.SetBackgroundAlpha, main.GetBackgroundAlpha())
    main.GradientBackgroundOff()
    # Black, so that each colour is the robot's times its opacity: premultiplied.
    main.SetBackground(0.0, 0.0, 0.0)
    main.SetBackgroundAlpha(0.0)


def _resize(canvas: Canvas, size: tuple[int, int], before: ExitStack) -> None:
    """The window of VTK in another size: what the view shows is in the picture, with more beside it where that fits."""
    window = canvas.ren_win
    old, dpi = window.GetSize(), window.GetDPI()
    before.callback(window.SetSize, *old)
    before.callback(window.SetDPI, dpi)
    _zoom(canvas, max(1.0, (old[0] / old[1]) / (size[0] / size[1])), before)
    window.SetSize(*size)
    # Texts have the same share of the picture as of the view.
    window.SetDPI(max(1, round(dpi * min(size[0] / old[0], size[1] / old[1]))))


def _pixels(canvas: Canvas) -> QImage:
    width, height = canvas.ren_win.GetSize()
    values = vtkUnsignedCharArray()
    canvas.ren_win.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, values)
    # VTK's first row is the lowest.
    rows = vtk_to_numpy(values).reshape(height, width, 4)[::-1].tobytes()
    return QImage(rows, width, height, 4 * width, QImage.Format.Format_RGBA8888_Premultiplied).copy()
