"""Pictures of the view for a file: in any size, with or without background and selection; the
dialog for them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import atan, ceil, degrees, radians, tan
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QRect, QRectF, QSettings, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QProgressBar, QSpinBox, QVBoxLayout
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from editor_app.core.document.writing import write_files
from editor_app.core.tasks.work import make_stoppable
from editor_app.window import dialogs
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.timers import after
from editor_app.window.viewport.canvas import Canvas
from editor_app.window.viewport.poser import HELD, MARKS
from editor_app.window.viewport.scene import ViewScene
from editor_app.window.viewport.tools import PREVIEW
from editor_app.window.viewport.view import Viewport
from editor_app.window.widgets import STRETCH, PlainLabel, dress, fill_layout, form_of

#: Formats that keep a transparent background.
WITH_ALPHA = (".png", ".webp")
#: Overlays for the pointer alone.
AIDS = (PREVIEW, MARKS, HELD)
#: Pixels of a piece that is drawn at a time: without a graphics card, some 30 ms.
PIECE = (640, 540)
#: Least and greatest number of pixels on a side; graphics cards draw no more at once.
SMALLEST, LARGEST = 16, 8192


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """`size`: width and height in pixels, None for the view's; `marks`: selection and handles are
    drawn."""

    size: tuple[int, int] | None = None
    transparent: bool = False
    marks: bool = False


def check_ending(path: Path, options: PictureOptions) -> None:
    """Raises OSError where the format of `path` cannot hold such a picture."""
    if options.transparent and path.suffix.lower() not in WITH_ALPHA:
        raise OSError(f"{path.name} cannot be transparent. Use {' or '.join(WITH_ALPHA)}.")


def write_picture(image: QImage, path: Path, report: Callable[[], object] = lambda: None) -> None:
    """Writes the picture as a whole, in any thread; the format follows the suffix. Raises OSError
    when it cannot.

    `report` is called before it takes the place of an older one; what it raises leaves that one
    there.
    """
    # A large one takes seconds to pack, four times as long as to draw.
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    if not image.save(buffer, path.suffix.removeprefix(".")):  # type: ignore[call-overload]
        raise OSError(f"The picture could not be written to {path}.")
    report()
    write_files([(path, bytes(buffer.data().data()))], overwrite=True, make_folders=False)


class Picture:
    """Drawn piece by piece: without a graphics card a large one takes seconds, and VTK draws in one
    thread alone.

    Pieces are parts of one frustum, pixel by pixel; `step` draws the next. Nobody may change the
    scene between them.
    """

    def __init__(self, scene: ViewScene, canvas: Canvas, options: PictureOptions) -> None:
        self._scene, self._canvas, self._options = scene, canvas, options
        width, height = options.size or canvas.ren_win.GetSize()
        self._size = (width, height)
        self._left = (
            pieces(width, height) if options.size is not None else [QRect(0, 0, width, height)]
        )
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
    """The window of VTK as large as a piece of a picture of `size`, and the camera looking through
    that piece alone."""
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
        2 * (middle.x() - size[0] / 2) / piece.width(),
        2 * (size[1] / 2 - middle.y()) / piece.height(),
    )
    if main.GetGradientBackground():
        # The part of the gradient that belongs to these rows.
        low, high = (1.0 - (piece.top() + rows) / size[1] for rows in (piece.height(), 0))
        for set_colour, old, share in (
            (main.SetBackground, bottom, low),
            (main.SetBackground2, top, high),
        ):
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


def _leave_out_marks(scene: ViewScene, marks: bool, before: ExitStack) -> None:
    """Aids of the view are never in a picture; `marks`: selection and handles are."""
    aids = [
        *(actor for gizmo in scene.aids for actor in gizmo.actors),
        *scene.overlay.actors(scene.aid_names),
    ]
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
    """The window of VTK in another size: what the view shows is in the picture, with more beside it
    where that fits."""
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
    return QImage(
        rows, width, height, 4 * width, QImage.Format.Format_RGBA8888_Premultiplied
    ).copy()


_SIZES = {"hd": (1920, 1080), "4k": (3840, 2160)}


class PictureDialog(dialogs.Dialog):
    """Saves one picture of the view as it is now."""

    def __init__(self, view: Viewport, session: Session, store: QSettings, jobs: Jobs) -> None:
        super().__init__(view.window(), "picture", "Save picture")
        self._jobs = jobs
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._view, self._session, self._store = view, session, store
        width, height = view.canvas.ren_win.GetSize()
        fixed = ((f"{w} × {h}", key) for key, (w, h) in _SIZES.items())
        sizes = ((f"As the view: {width} × {height}", "view"), *fixed, ("Another size", "own"))
        self.size_box = choice_box(
            "Size", sizes, self._follow_size, store.value("picture/size", "view"), self
        )
        self.width_box, self.height_box = (
            self._pixels("Width in pixels"),
            self._pixels("Height in pixels"),
        )
        self.transparent = dress(
            QCheckBox("&Transparent background", self), tip="PNG and WebP only"
        )
        self.plain = QCheckBox("Without &selection colours and handles", self)
        times, unit = PlainLabel("×", self), PlainLabel("pixels", self)
        pixels = fill_layout(QHBoxLayout(), self.width_box, times, self.height_box, unit, STRETCH)
        form = form_of(
            ("Si&ze", self.size_box), ("", pixels), ("", self.transparent), ("", self.plain)
        )
        self.save_button = self.button("&Save…", "save")
        self.progress = dress(QProgressBar(self), name="Progress")
        # Its place is kept: Cancel does not move from under the mouse.
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        self.progress.hide()
        #: What is drawn, and where it goes.
        self._picture: Picture | None = None
        self._path, self._options = Path(), PictureOptions()
        self._began: tuple[object, ...] = ()
        self._next = after(self, self._draw)
        self.lay_out(form, self.progress).setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        self._recall((width, height))
        self._follow_size()

    def options(self) -> PictureOptions:
        kind = self.size_box.currentData()
        size = None if kind == "view" else (self.width_box.value(), self.height_box.value())
        return PictureOptions(size, self.transparent.isChecked(), not self.plain.isChecked())

    def _pixels(self, name: str) -> QSpinBox:
        box = dress(QSpinBox(self), name=name, align=Qt.AlignmentFlag.AlignRight)
        box.setRange(SMALLEST, LARGEST)
        return box

    def _follow_size(self, *_: object) -> None:
        kind = self.size_box.currentData()
        size = self._view.canvas.ren_win.GetSize() if kind == "view" else _SIZES.get(kind)
        if size is not None:
            self.width_box.setValue(size[0])
            self.height_box.setValue(size[1])
        for box in (self.width_box, self.height_box):
            box.setEnabled(size is None)

    def _recall(self, view: tuple[int, int]) -> None:
        store = self._store
        for box, key, usual in (
            (self.width_box, "width", view[0]),
            (self.height_box, "height", view[1]),
        ):
            text = str(store.value(f"picture/{key}", usual))
            box.setValue(int(text) if text.isdecimal() else usual)
        self.transparent.setChecked(store.value("picture/transparent") == "true")
        self.plain.setChecked(store.value("picture/plain", "true") == "true")

    def _remember(self) -> None:
        store = self._store
        store.setValue("picture/size", self.size_box.currentData())
        if self.size_box.currentData() == "own":
            store.setValue("picture/width", str(self.width_box.value()))
            store.setValue("picture/height", str(self.height_box.value()))
        store.setValue("picture/transparent", "true" if self.transparent.isChecked() else "false")
        store.setValue("picture/plain", "true" if self.plain.isChecked() else "false")

    def accept(self) -> None:
        """Asks for the file, draws, writes, and closes."""
        options = self.options()
        robot = self._session.robot
        kinds = (
            "Pictures (*.png *.webp)" if options.transparent else "Pictures (*.png *.jpg *.webp)"
        )
        name = robot.urdf.name or "robot"
        path = dialogs.save_target(self, "Save picture", f"{name}.png", kinds, ".png")
        if path is None:
            return
        session = self._session
        try:
            check_ending(path, options)
        except OSError as error:
            session.refused.emit(str(error))
            return
        self._remember()
        self._path, self._options = path, options
        self._picture, self._began = self._begin(), self._shown()
        for widget in (
            self.size_box,
            self.width_box,
            self.height_box,
            self.transparent,
            self.plain,
        ):
            widget.setEnabled(False)
        self.save_button.setEnabled(False)
        self._draw()

    def _draw(self) -> None:
        """A piece between two turns of the event loop, until it is drawn, or called off by
        Cancel."""
        picture = self._picture
        if picture is None:
            return
        if self._shown() != self._began:
            # Something moved by itself, as a trajectory that is played does: all pieces show the
            # same moment.
            picture = self._picture = self._begin()
            while not picture.is_done:
                picture.step()
        else:
            picture.step()
        self.progress.setValue(round(100 * picture.share))
        if picture.is_done:
            self._write(picture.image, self._path)
        else:
            self.progress.show()
            self._next.start()

    def _begin(self) -> Picture:
        return Picture(self._view.scene, self._view.canvas, self._options)

    def _shown(self) -> tuple[object, ...]:
        """What pieces of one picture have in common."""
        session = self._session
        return (
            self._view.scene.camera.view,
            session.robot,
            session.pose,
            session.hidden,
            session.display,
        )

    def _write(self, image: QImage, path: Path) -> None:
        session = self._session
        # To pack it takes several times as long, and any thread can.
        JobSlot(self._jobs).run(
            f"Writing {path.name}",
            lambda reporter: write_picture(
                image,
                path,
                partial(make_stoppable(reporter.progress, reporter.cancelled), 0.99, ""),
            ),
            lambda _: session.message.emit(f"Saved picture {path}."),
            in_thread=True,
            failed=lambda error: session.refused.emit(error.message),
        )
        super().accept()

    def done(self, result: int) -> None:
        if self._picture is not None and not self._picture.is_done:
            self._view.scene.redraw()
        self._picture = None
        self._next.stop()
        super().done(result)
