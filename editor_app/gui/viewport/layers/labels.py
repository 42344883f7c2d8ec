"""Short texts at points in space, always of the same size on the screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from vtkmodules.vtkCommonCore import vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor2D, vtkRenderer
from vtkmodules.vtkRenderingLabel import vtkLabeledDataMapper

from editor_app.gui.viewport.palette import Rgb
from editor_app.gui.viewport.vtk_tools import Array, points_of


class Labels:
    """One actor for any number of texts."""

    def __init__(self, renderer: vtkRenderer, size: int = 12) -> None:
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
        self._mapper = mapper
        self.actor = vtkActor2D()
        self.actor.SetMapper(mapper)
        self.actor.PickableOff()
        renderer.AddViewProp(self.actor)
        self._count = 0
        self._visible = True
        self.set_scale(1.0)
        self.set([], [])

    def set_scale(self, scale: float) -> None:
        """Device pixels per pixel of the window system."""
        self._text.SetFontSize(max(6, round(self._size * scale)))

    def set_style(self, ink: Rgb, paper: Rgb | None, opacity: float = 1.0) -> None:
        """`paper` is the colour behind the text; None for none."""
        self._text.SetColor(*ink)
        self._text.SetOpacity(opacity)
        if paper is None:
            self._text.SetBackgroundOpacity(0.0)
        else:
            self._text.SetBackgroundColor(*paper)
            self._text.SetBackgroundOpacity(0.72)

    def set(self, points: Sequence[Array], texts: Sequence[str]) -> None:
        array = vtkStringArray()
        array.SetName("label")
        array.SetNumberOfValues(len(texts))
        for i, text in enumerate(texts):
            array.SetValue(i, f" {text} ")
        self._data.Initialize()
        self._data.SetPoints(points_of(np.asarray(points, float).reshape(-1, 3)))
        self._data.GetPointData().AddArray(array)
        self._data.Modified()
        self._count = len(texts)
        self.set_visible(self._visible)

    def set_visible(self, visible: bool) -> None:
        self._visible = visible
        self.actor.SetVisibility(visible and self._count > 0)
