"""Parts of a mesh that lie far from the rest are a finding of `check`, and only they."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import editor_app
from editor_app.core.space.geometry.strays import stray_parts

BODY = trimesh.creation.box((0.2, 0.1, 0.05))
URDF = """<robot name="r"><link name="base"><collision><origin xyz="0 0 1"/>
  <geometry><mesh filename="m.stl" scale="0.001 0.001 0.001"/></geometry></collision></link></robot>"""


def cube(size: float, *place: float) -> trimesh.Trimesh:
    return trimesh.creation.box((size,) * 3).apply_translation(place)


def triangle(size: float, *place: float) -> trimesh.Trimesh:
    return trimesh.Trimesh(np.array(place) + size * np.eye(3), [[0, 1, 2]], process=False)


@pytest.mark.parametrize(
    ("parts", "count", "size", "distance"),
    [
        ([BODY, cube(0.005, 1, 0, 0)], 1, 0.005 * 3**0.5, 0.8975),
        ([BODY, triangle(0.001, 0, 0, 0.5)], 1, 0.001 * 3**0.5, 0.475),
        ([cube(0.004, 0, 0.4, 0), BODY, cube(0.006, 0, -0.6, 0)], 2, 0.006 * 3**0.5, 0.348),
        # It lies far from all corners of the body, but near its face.
        ([trimesh.creation.box((2, 2, 0.1)), cube(0.01, 0.5, 0.5, 0.1)], 0, 0, 0),
        # Parts of a size, and a small one that is near.
        ([BODY, BODY.copy().apply_translation((2, 0, 0))], 0, 0, 0),
        ([BODY, cube(0.005, 0, 0, 0.06)], 0, 0, 0),
        ([BODY], 0, 0, 0),
    ],
)
def test_small_parts_far_away_are_strays(
    parts: list[trimesh.Trimesh], count: int, size: float, distance: float
) -> None:
    mesh = trimesh.util.concatenate(parts)
    strays = stray_parts(np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int32))
    if strays is None:
        assert count == 0
    else:
        assert strays.count == count
        assert strays.size == pytest.approx(size)
        assert strays.distance == pytest.approx(distance, abs=0.004)


def test_check_reports_them_in_the_frame_of_the_link(tmp_path: Path) -> None:
    trimesh.util.concatenate([BODY, cube(0.005, 1, 0, 0)]).apply_scale(1000).export(
        tmp_path / "m.stl"
    )
    (tmp_path / "r.urdf").write_text(URDF)
    document = editor_app.open_robot(tmp_path / "r.urdf")
    (finding,) = (each for each in editor_app.check(document, slow=True) if each.code == "MESH013")
    assert finding.subject.links == ("base",)
    assert "m.stl: 1 part of at most 8.66 mm, 89" in finding.message
    assert ", 1.00" in finding.message
    assert not [each for each in editor_app.check(document) if each.code == "MESH013"]
