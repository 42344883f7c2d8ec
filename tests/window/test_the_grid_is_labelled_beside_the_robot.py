"""Distances are written at the ground's major lines, where the robot does not stand."""

from __future__ import annotations

import numpy as np
import pytest
from vtkmodules.vtkRenderingCore import vtkRenderer

from editor_app.window.viewport.layers.grid import GridLayer


@pytest.mark.parametrize("reach", [0.03, 0.11, 0.4, 0.85, 1.3, 3.9, 4.0])
def test_no_label_is_nearer_than_a_quarter_of_the_robots_reach(reach: float) -> None:
    grid = GridLayer(vtkRenderer())
    grid.restyle()
    grid.set_size(reach)
    places = np.array(grid.labels.points)
    assert len(places) >= 4
    assert np.linalg.norm(places, axis=1).min() >= 0.25 * reach
