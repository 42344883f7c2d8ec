"""What frames and features have in common: lines of a certain length, and names, those of tools in another colour."""

from __future__ import annotations

from vtkmodules.vtkRenderingCore import vtkRenderer

from editor_app.gui.viewport.layers.labels import Labels
from editor_app.gui.viewport.palette import SceneColours


class NamedLines:
    """A subclass adds its lines to the renderer first, so that names are drawn over them, and has `_draw`."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._names = Labels(renderer)
        self._tool_names = Labels(renderer)
        self._length = 0.08
        self._hidden: frozenset[str] = frozenset()
        self._colours: SceneColours | None = None

    @property
    def labels(self) -> tuple[Labels, Labels]:
        return self._names, self._tool_names

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        self._names.set_style(colours.ink, colours.paper)
        self._tool_names.set_style(colours.tool, colours.paper)
        self._draw()

    def set_length(self, length: float) -> None:
        """Of a frame's axes, in metres."""
        if length != self._length:
            self._length = length
            self._draw()

    def set_hidden(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden
        self._draw()

    def _draw(self) -> None:
        raise NotImplementedError
