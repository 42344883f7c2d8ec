"""A flat mesh has no volume: figures by its volume are none, without a warning, and all others are
true."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh

import editor_app
from editor_app.core.model.printable import json_text
from editor_app.features.spheres.cli._fit_report import _figures
from editor_app.features.spheres.engine.quality import measure_solid
from editor_app.features.spheres.engine.shape_quality import measure_shapes
from editor_app.features.spheres.engine.shapes import made_shapes
from editor_app.features.spheres.engine.solid import build_solid
from editor_app.plugins.collision_shapes.verbs.shape_choices import ShapeChoices
from editor_app.plugins.collision_shapes.verbs.shape_report import figure_cells

SHEET = np.array([[0, 0, 0], [0.3, 0, 0], [0.3, 0.2, 0], [0, 0.2, 0.0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])
#: Four balls whose middle circles cover the sheet.
SPHERES = np.array([[x, y, 0, 0.095] for x in (0.075, 0.225) for y in (0.05, 0.15)])


@pytest.mark.parametrize(
    "turned", [np.eye(3), trimesh.transformations.rotation_matrix(0.7, (1, 2, 3))[:3, :3]]
)
def test_figures_by_the_volume_of_a_sheet_are_none(turned: np.ndarray) -> None:
    solid = build_solid(SHEET @ turned.T, FACES)
    spheres = np.column_stack([SPHERES[:, :3] @ turned.T, SPHERES[:, 3]])
    quality = measure_solid(solid, spheres)
    assert quality.excess_ratio is None
    assert quality.volume_coverage is None
    assert quality.curobo is not None
    assert quality.curobo.coverage is None
    assert quality.curobo.volume_ratio is None
    assert quality.surface_coverage == 1.0
    assert quality.protrusion_max == pytest.approx(0.095, abs=0.004)
    assert quality.excess_volume is None
    assert quality.solid_volume == 0
    record = json.loads(json_text(quality.as_dict()))
    assert (record["excess_ratio"], record["volume_coverage"]) == (None, None)
    assert _figures(quality.as_dict())[-2:] == ["none", "none"]


def test_a_box_has_them_still() -> None:
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    quality = measure_solid(
        build_solid(np.asarray(box.vertices), np.asarray(box.faces)), [[0, 0, 0, 0.1]]
    )
    assert quality.volume_coverage == pytest.approx(np.pi / 6, abs=0.02)


def test_a_hull_of_a_sheet_has_no_excess_either() -> None:
    solid = build_solid(SHEET, FACES)
    shapes = made_shapes("box", SHEET, FACES)
    quality = measure_shapes(solid, shapes)
    assert quality.excess_ratio is None
    assert quality.surface_coverage == 1.0


def test_the_collision_shape_of_a_sheet_is_flat_too(tmp_path: Path) -> None:
    trimesh.Trimesh(SHEET, FACES, process=False).export(tmp_path / "sheet.stl")
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="l"><visual><geometry><mesh '
        'filename="sheet.stl"/></geometry></visual></link>'
        '<link name="m"/><joint name="j" type="fixed"><parent link="l"/><child '
        'link="m"/></joint></robot>'
    )
    made = editor_app.make_collision(
        editor_app.open_robot(tmp_path / "r.urdf"), choices=ShapeChoices(samples=None)
    )
    (link,) = made.links
    assert link.figures.protrusion_max < 0.002, "a ball around the sheet would protrude 0.18 m"
    assert "none" in figure_cells(link)
