"""A Qt OpenGL widget that VTK draws into, and nothing else of a plotting library.

pyvistaqt has such a widget, too, but brings pyvista and matplotlib along: more time than everything else of a start
together. VTK draws into framebuffers of its own; what it shows is copied into the one Qt gives the widget. The order
of the calls follows VTK's documentation of vtkGenericOpenGLRenderWindow and of its QVTKOpenGLNativeWidget.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

# Registers VTK's OpenGL classes and its fonts with their factories.
import vtkmodules.vtkRenderingFreeType
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401
from PySide6.QtCore import QThread
from PySide6.QtGui import QGuiApplication, QOpenGLContext, QSurface, QSurfaceFormat
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QWidget
from vtkmodules.vtkRenderingOpenGL2 import vtkGenericOpenGLRenderWindow

_DRAW_FRAMEBUFFER = 0x8CA9
_SCISSOR_TEST = 0x0C11
_DEPTH_TEST = 0x0B71
_LEQUAL = 0x0203
_COLOR_BUFFER_BIT = 0x4000
_LINEAR = 0x2601


def surface_format() -> QSurfaceFormat:
    """What VTK needs: OpenGL 3.2 core, not OpenGL ES. Samples are VTK's concern, four of them cost threefold."""
    wanted = QSurfaceFormat()
    wanted.setRenderableType(QSurfaceFormat.RenderableType.OpenGL)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    wanted.setVersion(3, 2)
    wanted.setSwapBehavior(QSurfaceFormat.SwapBehavior.DoubleBuffer)
    for size in (wanted.setRedBufferSize, wanted.setGreenBufferSize, wanted.setBlueBufferSize):
        size(8)
    wanted.setAlphaBufferSize(8)
    wanted.setDepthBufferSize(8)
    wanted.setStencilBufferSize(0)
    wanted.setSamples(0)
    return wanted


class GlWidget(QOpenGLWidget):
    """`ren_win` is there at once; it draws as soon as the widget is shown, and until `end`."""

    def __init__(self, parent: QWidget) -> None:
        # For the whole process: under Wayland a widget whose format differs from its window's stays black.
        QSurfaceFormat.setDefaultFormat(surface_format())
        super().__init__(parent)
        self.setUpdateBehavior(QOpenGLWidget.UpdateBehavior.NoPartialUpdate)
        self.setMouseTracking(True)
        self.ren_win: Any = vtkGenericOpenGLRenderWindow()
        self.ren_win.SetReadyForRendering(False)
        self.ren_win.SetFrameBlitModeToNoBlit()
        self.ren_win.SetMultiSamples(0)
        self._context: QOpenGLContext | None = None
        self._surface: QSurface | None = None
        self._released = False
        # VTK holds what it calls: taken off again in `release`, else the widget would live as long as the window.
        self._observers = [
            self.ren_win.AddObserver("WindowMakeCurrentEvent", self._make_current),
            self.ren_win.AddObserver("WindowIsCurrentEvent", self._tell_current),
        ]

    def release(self) -> None:
        """Frees what VTK has in the graphics memory. May be called twice."""
        if self._released:
            return
        self._released = True
        self._make_current()
        self.ren_win.Finalize()
        self.ren_win.SetReadyForRendering(False)
        for observer in self._observers:
            self.ren_win.RemoveObserver(observer)
        self._forget()

    # -- what VTK asks

    def _make_current(self, *_: object) -> None:
        # Not QOpenGLWidget.makeCurrent: it would bind Qt's framebuffer behind VTK's back. A context belongs to the
        # GUI thread; VTK skips what it cannot do when it is not current.
        app = QGuiApplication.instance()
        if self._context is None or app is None or QThread.currentThread() is not app.thread():
            return
        try:
            self._context.makeCurrent(self._surface)  # type: ignore[arg-type]
        except RuntimeError:
            # Qt has deleted it with the window; to free anything in another one would harm that.
            self._forget()

    def _tell_current(self, *_: object) -> None:
        self.ren_win.SetIsCurrent(self._context is not None and QOpenGLContext.currentContext() is self._context)

    def _forget(self) -> None:
        self._context = self._surface = None

    def _context_ends(self) -> None:
        if self._released or self._context is None:
            return
        self._make_current()
        self.ren_win.Finalize()
        self.ren_win.SetReadyForRendering(False)
        self._forget()

    # -- what Qt asks

    def initializeGL(self) -> None:
        if self._released:
            return
        self._context = self.context()
        self._surface = self._context.surface()
        self._context.aboutToBeDestroyed.connect(self._context_ends)
        window = self.ren_win
        _use_loader_of_platform(window)
        window.OpenGLInitContext()
        window.OpenGLInit()
        # Qt leaves depth testing off and at "less"; VTK expects it on and at "less or equal".
        state = window.GetState()
        state.Reset()
        state.vtkglDepthFunc(_LEQUAL)
        state.vtkglEnable(_DEPTH_TEST)
        window.SetForceMaximumHardwareLineWidth(1)
        window.SetOwnContext(0)
        window.SetReadyForRendering(True)

    def resizeGL(self, width: int, height: int) -> None:
        if self._released:
            return
        self.ren_win.SetSize(*self._pixels(width, height))
        self.ren_win.SetDPI(round(72 * self.devicePixelRatioF()))

    def paintGL(self) -> None:
        window, context = self.ren_win, self._context
        if context is None or self._released or not window.GetReadyForRendering():
            return
        state = window.GetState()
        # Qt has called OpenGL since VTK did: what VTK remembers of it is not true any more.
        state.Reset()
        state.Push()
        state.vtkglDepthFunc(_LEQUAL)
        window.Render()
        # Observers of the rendering may have made another context current.
        self.makeCurrent()
        self._copy(context)
        state.Pop()

    def _copy(self, context: QOpenGLContext) -> None:
        gl, window = context.functions(), self.ren_win
        width, height = self._pixels(self.width(), self.height())
        gl.glBindFramebuffer(_DRAW_FRAMEBUFFER, self.defaultFramebufferObject())
        clipped = bool(gl.glIsEnabled(_SCISSOR_TEST))
        if clipped:
            window.GetState().vtkglDisable(_SCISSOR_TEST)
            gl.glDisable(_SCISSOR_TEST)
        window.BlitDisplayFramebuffer(0, 0, 0, *window.GetSize(), 0, 0, width, height, _COLOR_BUFFER_BIT, _LINEAR)
        # Opaque, whatever was drawn: compositors would let the desktop shine through.
        gl.glColorMask(False, False, False, True)
        gl.glClearColor(0.0, 0.0, 0.0, 1.0)
        gl.glViewport(0, 0, width, height)
        gl.glClear(_COLOR_BUFFER_BIT)
        gl.glColorMask(True, True, True, True)
        if clipped:
            window.GetState().vtkglEnable(_SCISSOR_TEST)

    def _pixels(self, width: int, height: int) -> tuple[int, int]:
        scale = self.devicePixelRatioF()
        return max(1, round(width * scale)), max(1, round(height * scale))


def _use_loader_of_platform(window: Any) -> None:
    """Lets VTK find OpenGL's functions where Qt's context has them; elsewhere than on Linux its own way is right."""
    platform = QGuiApplication.platformName()
    if platform.startswith("wayland"):
        names = ("libEGL.so.1", "eglGetProcAddress")
    elif platform == "xcb":
        names = ("libGL.so.1", "glXGetProcAddressARB")
    else:
        return
    with contextlib.suppress(OSError, AttributeError):
        function = getattr(ctypes.CDLL(names[0]), names[1])
        address = ctypes.cast(function, ctypes.c_void_p).value
        window.SetOpenGLSymbolLoader2(address or 0, 0)
