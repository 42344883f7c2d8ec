"""What frames and features have in common: lines of a certain length, and names; tools have names in another colour."""

from __future__ import annotations

from collections.abc import Callable

from vtkmodules.vtkRenderingCore import vtkRenderer

from editor_app.gui.viewport.layers.labels import Labels
from editor_app.gui.viewport.palette import SceneColours


class LineLook:
    """Length, colours, names and what is hidden of a layer; `redraw` is called when one of them changes.

    Made after the layer's lines were added to the renderer, so that names are drawn over them.
    """

    def __init__(self, renderer: vtkRenderer, redraw: Callable[[], None]) -> None:
        self._redraw = redraw
        self.names = Labels(renderer)
        self.tool_names = Labels(renderer)
        #: Of a frame's axes, in metres.
        self.length = 0.08
        self.hidden: frozenset[str] = frozenset()
        #: None until the theme is known: nothing is drawn before.
        self.colours: SceneColours | None = None

    @property
    def labels(self) -> tuple[Labels, Labels]:
        return self.names, self.tool_names

    def set_theme(self, colours: SceneColours) -> None:
        self.colours = colours
        self.names.set_style(colours.ink, colours.paper)
        self.tool_names.set_style(colours.tool, colours.paper)
        self._redraw()

    def set_length(self, length: float) -> None:
        if length != self.length:
            self.length = length
            self._redraw()

    def set_hidden(self, hidden: frozenset[str]) -> None:
        self.hidden = hidden
        self._redraw()
