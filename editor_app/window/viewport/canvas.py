"""The widget that VTK renders into, and its pace: coarser meshes as long as something moves where
drawing is slow."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import perf_counter
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pyvistaqt import QtInteractor
from vtkmodules.vtkRenderingCore import vtkLight, vtkRenderer

from editor_app.window.timers import Wait, after
from editor_app.window.viewport.palette import scene_colours


class Canvas(QtInteractor):  # type: ignore[misc]
    """`main` is what is lit and shaded; `front` is drawn over it with the same camera."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, auto_update=False, multi_samples=0, lighting="none")
        # The window takes dropped files.
        self.setAcceptDrops(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 90)
        self._ended = False
        self._preparing = False
        self.before_paint: Callable[[], None] | None = None
        self.after_paint: Callable[[float], None] | None = None
        self.main: vtkRenderer = self.renderer
        self.front = vtkRenderer()
        self.front.SetLayer(1)
        self.front.InteractiveOff()
        self.front.SetActiveCamera(self.main.GetActiveCamera())
        self.ren_win.SetNumberOfLayers(2)
        self.ren_win.AddRenderer(self.front)
        self.main.SetAutomaticLightCreation(False)
        self.front.SetAutomaticLightCreation(False)
        self._add_lights()

    def _add_lights(self) -> None:
        # Three lights that go with the camera: whatever side one looks at is lit, and form shows.
        for position, intensity, tone in (
            ((-0.6, 0.8, 1.0), 0.74, (1.0, 0.985, 0.96)),
            ((1.0, 0.15, 0.7), 0.34, (0.93, 0.96, 1.0)),
            ((0.1, -1.0, 0.3), 0.14, (1.0, 1.0, 1.0)),
        ):
            light = vtkLight()
            light.SetLightTypeToCameraLight()
            light.SetPosition(*position)
            light.SetFocalPoint(0, 0, 0)
            light.SetIntensity(intensity)
            light.SetColor(*tone)
            self.main.AddLight(light)

    def restyle(self) -> None:
        colours = scene_colours()
        self.main.GradientBackgroundOn()
        self.main.SetBackground(*colours.bottom)
        self.main.SetBackground2(*colours.top)

    # -- drawing

    def redraw(self) -> None:
        """Draws once the event loop is idle, however often it is asked for."""
        if not self._ended and not self._preparing:
            self.update()

    def paintGL(self) -> None:
        if self._ended:
            return
        if self.before_paint is not None:
            # What this brings up to date is in the frame that follows: it needs none of its own.
            self._preparing = True
            try:
                self.before_paint()
            finally:
                self._preparing = False
        started = perf_counter()
        super().paintGL()
        if self.after_paint is not None:
            self.after_paint(perf_counter() - started)

    def picture(self) -> QImage:
        """Return the shown picture, in device pixels."""
        image: QImage = self.grabFramebuffer()
        return image

    def end(self) -> None:
        """Frees everything of VTK; nothing is drawn afterwards."""
        if self._ended:
            return
        self._ended = True
        self.before_paint = self.after_paint = None
        self.front.RemoveAllViewProps()
        self.main.RemoveAllViewProps()
        if self.ren_win is not None:
            # A caller that closed the widget itself has let go of it already.
            self.ren_win.RemoveRenderer(self.front)
        self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return False


#: Computes in a thread of its own, and returns what the window's thread has to do with it.
Work = Callable[[], Callable[[], None]]

#: A frame that takes longer than this makes moving things stutter (seconds).
SLOW = 0.035


class Coarsenable(Protocol):
    """A layer that can be drawn more quickly and less well."""

    def set_coarse(self, coarse: bool) -> None: ...


class Pace(QObject):
    """Watches how long frames take. Where they are quick, nothing is ever simplified."""

    _computed = Signal()

    def __init__(
        self,
        layers: tuple[Coarsenable, ...],
        work: Callable[[], Work | None],
        redraw: Callable[[], None],
        parent: QObject,
    ) -> None:
        """`work` gives what prepares the layers a little further, None when they are ready."""
        super().__init__(parent)
        self._layers, self._work = layers, work
        self._redraw = redraw
        self._average = 0.0
        self.is_coarse = False
        self._still = after(self, self._settle, Wait.FULL_DRAWING)
        self._thread: ThreadPoolExecutor | None = None
        self._running: Future[Callable[[], None]] | None = None
        self._computed.connect(self._take)

    def frame_took(self, seconds: float) -> None:
        """To be told after each frame."""
        if not self.is_coarse:
            self._average = seconds if self._average == 0.0 else 0.7 * self._average + 0.3 * seconds

    def moved(self) -> None:
        """Something moves under the user's hand: camera, joint, sphere."""
        # Longer than a frame takes, or every other one would be drawn in full.
        self._still.start(max(Wait.FULL_DRAWING, round(min(self._average, 0.6) * 2500)))
        if self._average < SLOW:
            return
        if not self.is_coarse:
            self.is_coarse = True
            self._prepare_next()
            for layer in self._layers:
                layer.set_coarse(True)

    def rest(self) -> None:
        """Draws everything in full from now on, until something moves again: for a picture."""
        self._still.stop()
        self._settle()

    def end(self) -> None:
        """Waits for what the thread is at; nothing of it is taken."""
        self._still.stop()
        self._running = None
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
            self._thread = None

    def _prepare_next(self) -> None:
        if self._running is not None:
            return
        # One link after the other: each is drawn coarser as soon as it can be.
        work = self._work()
        if work is None:
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "coarse meshes")
        self._running = self._thread.submit(work)
        self._running.add_done_callback(lambda _: self._computed.emit())

    def _take(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        running.result()()
        for layer in self._layers:
            layer.set_coarse(self.is_coarse)
        self._prepare_next()

    def _settle(self) -> None:
        if self.is_coarse:
            self.is_coarse = False
            for layer in self._layers:
                layer.set_coarse(False)
            self._redraw()
