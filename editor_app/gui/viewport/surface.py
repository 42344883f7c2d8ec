"""What has to happen before the window is made, without importing anything of VTK."""

from __future__ import annotations

from PySide6.QtGui import QSurfaceFormat


def prepare_surface() -> None:
    """Makes the OpenGL format that VTK needs the default one: a window that exists already keeps the format it has."""
    wanted = QSurfaceFormat()
    wanted.setRenderableType(QSurfaceFormat.RenderableType.OpenGL)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    wanted.setVersion(3, 2)
    wanted.setSwapBehavior(QSurfaceFormat.SwapBehavior.DoubleBuffer)
    for size in (wanted.setRedBufferSize, wanted.setGreenBufferSize, wanted.setBlueBufferSize):
        size(8)
    wanted.setDepthBufferSize(8)
    wanted.setAlphaBufferSize(8)
    wanted.setStencilBufferSize(0)
    wanted.setSamples(0)
    QSurfaceFormat.setDefaultFormat(wanted)
