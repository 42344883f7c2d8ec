"""The widget that VTK renders into. What mouse, wheel and keys do is decided by an event filter (`Interaction`).

So there are no VTK observers to remove, positions need no scaling on HiDPI displays, and the wheel has the position
of its own event (pyvistaqt's has that of the last move).
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pyvistaqt import QtInteractor
from vtkmodules.vtkRenderingCore import vtkLight, vtkRenderer

from editor_app.gui.viewport.palette import SceneColours


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

    def set_theme(self, colours: SceneColours) -> None:
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
        """What is shown now, in device pixels."""
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
