"""Short texts at points in space, always of the same size on the screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from vtkmodules.vtkCommonCore import vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor2D, vtkRenderer, vtkTextRenderer
from vtkmodules.vtkRenderingLabel import vtkLabeledDataMapper

from editor_app.gui.viewport.palette import Rgb
from editor_app.gui.viewport.vtk_tools import Array, points_of

#: Points nearer to each other than this share a label (metres).
_SAME_PLACE = 1e-4
#: Of what is behind a text: more of a dark robot would make it faint.
_PAPER = 0.92


def at_one_place(points: Sequence[Array]) -> list[list[int]]:
    """The numbers of the points that are at one place, together: their names are written one below the other."""
    if not len(points):
        return []
    places = np.asarray(points, float).reshape(-1, 3)
    near = np.abs(places[:, None] - places[None]).max(axis=2) < _SAME_PLACE
    first = near.argmax(axis=1)
    groups: dict[int, list[int]] = {}
    for i, other in enumerate(first[first]):
        groups.setdefault(int(other), []).append(i)
    return list(groups.values())


def show_plain_text() -> None:
    """VTK shows texts as they stand: by itself it takes `$x^2$` for a formula, which only matplotlib can set."""
    vtkTextRenderer.GetInstance().SetDefaultBackend(vtkTextRenderer.FreeType)


class Labels:
    """One actor for any number of texts."""

    def __init__(self, renderer: vtkRenderer, size: int = 12) -> None:
        show_plain_text()
        self._data = vtkPolyData()
        self._size = size
        mapper = vtkLabeledDataMapper()
        mapper.SetInputData(self._data)
        mapper.SetLabelModeToLabelFieldData()
        mapper.SetFieldDataName("label")
        text = mapper.GetLabelTextProperty()
        text.SetFontFamilyToArial()
        text.ItalicOff()
        text.BoldOff()
        text.ShadowOff()
        text.SetJustificationToLeft()
        text.SetVerticalJustificationToCentered()
        self._text = text
        self.actor = vtkActor2D()
        self.actor.SetMapper(mapper)
        self.actor.PickableOff()
        renderer.AddViewProp(self.actor)
        self._visible = True
        self._moved = False
        #: (n, 3): where the texts belong.
        self.points: Array = np.zeros((0, 3))
        #: (n, 3): where they are drawn.
        self.places: Array = self.points
        self._lines: list[list[str]] = []
        #: Another number after each change.
        self.version = 0
        self.set_scale(1.0)
        self.set([], [])

    def set_scale(self, scale: float) -> None:
        """Device pixels per pixel of the window system."""
        size = max(6, round(self._size * scale))
        if size != self._text.GetFontSize():
            self._text.SetFontSize(size)

    def set_style(self, ink: Rgb, paper: Rgb | None, opacity: float = 1.0) -> None:
        """`paper` is the colour behind the text; None for none."""
        self._text.SetColor(*ink)
        self._text.SetOpacity(opacity)
        if paper is None:
            self._text.SetBackgroundOpacity(0.0)
        else:
            self._text.SetBackgroundColor(*paper)
            self._text.SetBackgroundOpacity(_PAPER)

    def set(self, points: Sequence[Array], texts: Sequence[str | Sequence[str]]) -> None:
        """A text at each point; several lines are written one below the other."""
        lines = [[text] if isinstance(text, str) else list(dict.fromkeys(text)) for text in texts]
        if not lines and not self._lines and self._data.GetPoints() is not None:
            # A drag sets none at every step.
            return
        array = vtkStringArray()
        array.SetName("label")
        array.SetNumberOfValues(len(texts))
        for i, label_lines in enumerate(lines):
            array.SetValue(i, "\n".join(f" {line} " for line in label_lines))
        self.points = self.places = np.asarray(points, float).reshape(-1, 3)
        self._lines = lines
        self._moved = False
        self._data.Initialize()
        self._data.SetPoints(points_of(self.points))
        self._data.GetPointData().AddArray(array)
        self._data.Modified()
        self.set_visible(self._visible)

    def set_visible(self, visible: bool) -> None:
        self._visible = visible
        self.version += 1
        self.actor.SetVisibility(self.is_visible)

    @property
    def is_visible(self) -> bool:
        return self._visible and len(self._lines) > 0

    def size_of(self, index: int) -> tuple[float, float]:
        """Width and height of a text in device-independent pixels, rather too large than too small."""
        lines = self._lines[index]
        return 0.6 * self._size * (max(map(len, lines)) + 2), 1.3 * self._size * len(lines)

    def move(self, by: Array | None) -> None:
        """Draws the texts away from where they belong, (n, 3) metres; None: there."""
        if by is None and not self._moved:
            return
        self._moved = by is not None
        self.places = self.points if by is None else self.points + by
        self._data.SetPoints(points_of(self.places))
        self._data.Modified()
