"""<brep> geometries of COLLADA: primitives of a URDF, triangles where a URDF has no word, or told
as lost."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import trimesh

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.model.urdf import Ball, Box, Capsule, Cylinder, Geometry, Mesh, Visual
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.collada.transforms import build_pose_matrix
from tests.helpers.robots import report_of, urdf_of


def brep(*surfaces: str, corners: str = "") -> str:
    listed = "".join(f'<surface sid="s{i}">{s}</surface>' for i, s in enumerate(surfaces))
    count = len(corners.split())
    source = f"""<source id="p"><float_array id="pa" count="{count}">{corners}</float_array><technique_common>
<accessor source="#pa" count="{count // 3}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>"""
    return f"<brep><surfaces>{listed}</surfaces>{source if corners else ''}</brep>"


def plane(a: float, b: float, c: float, d: float) -> str:
    return f"<plane><equation>{a} {b} {c} {d}</equation></plane>"


def read(shape: str, folder: Path, meter: str = "1") -> tuple[RobotFiles, Visual | None]:
    text = f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
<asset><unit meter="{meter}"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g">{shape}</geometry></library_geometries>
<library_visual_scenes><visual_scene id="vs"><node id="base" name="base"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes>
<library_kinematics_models><kinematics_model id="k" name="k"><technique_common><link sid="base" name="base"/>
</technique_common></kinematics_model></library_kinematics_models>
<scene><instance_visual_scene url="#vs"/></scene></COLLADA>"""
    path = folder / "shape.dae"
    path.write_text(text, encoding="utf-8")
    collada = read_collada_robot(path)
    visuals = urdf_of(collada).links[0].visuals
    for name, data in collada.meshes:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return collada, visuals[0] if visuals else None


SIDES = (
    plane(1, 0, 0, -0.3),
    plane(-1, 0, 0, -0.1),
    plane(0, 1, 0, -0.2),
    plane(0, -1, 0, -0.2),
    plane(0, 0, 2, -1.2),
    plane(0, 0, -1, 0),
)
CYLINDER = "<cylinder><radius>0.1 0.1</radius></cylinder>"
BALL = "<sphere><radius>0.1</radius></sphere>"


@pytest.mark.parametrize(
    ("shape", "expected", "centre"),
    [
        (brep(f"{BALL}<origin>1 2 3</origin>"), Ball(0.1), (1, 2, 3)),
        (brep(BALL, BALL), Ball(0.1), (0, 0, 0)),
        (
            brep("<box><half_extents>0.1 0.2 0.3</half_extents></box>"),
            Box((0.2, 0.4, 0.6)),
            (0, 0, 0),
        ),
        (brep(*SIDES), Box((0.4, 0.4, 0.6)), (0.1, 0, 0.3)),
        (brep(CYLINDER, corners="0.1 0 0 0.1 0 0.4"), Cylinder(0.1, 0.4), (0, 0, 0.2)),
        (brep(CYLINDER, CYLINDER, corners="0.1 0 0 -0.1 0 0.4"), Cylinder(0.1, 0.4), (0, 0, 0.2)),
        (
            brep(CYLINDER, plane(0, 0, 1, -0.5), plane(0, 0, 1, 0.1)),
            Cylinder(0.1, 0.6),
            (0, 0, 0.2),
        ),
        (
            brep(
                "<cylinder><radius>0.1</radius><height>0.5</height></cylinder><orient>1 0 0 "
                "90</orient>"
            ),
            Cylinder(0.1, 0.5),
            (0, 0, 0),
        ),
        (brep(CYLINDER, BALL, f"{BALL}<origin>0 0 0.6</origin>"), Capsule(0.1, 0.6), (0, 0, 0.3)),
        (
            brep("<capsule><radius>0.1</radius><height>0.3</height></capsule>"),
            Capsule(0.1, 0.3),
            (0, 0, 0),
        ),
    ],
)
def test_a_solid_with_a_name_in_urdf_is_that(
    shape: str, expected: Geometry, centre: tuple[float, float, float], tmp_path: Path
) -> None:
    collada, visual = read(shape, tmp_path)
    assert visual is not None
    assert type(visual.geometry) is type(expected)
    for key in expected.__dataclass_fields__:
        assert np.allclose(getattr(visual.geometry, key), getattr(expected, key), atol=1e-12)
    assert np.allclose(visual.origin.xyz, centre, atol=1e-12)
    assert not [e for e in report_of(collada).entries if e.fate is Fate.LOST]


def test_lengths_are_in_the_unit_of_the_file_and_the_axis_turns_along(tmp_path: Path) -> None:
    _, visual = read(
        brep(
            "<cylinder><radius>10</radius></cylinder><orient>0 1 0 90</orient>",
            corners="0 10 0 50 10 0",
        ),
        tmp_path,
        "0.001",
    )
    assert visual is not None
    assert isinstance(visual.geometry, Cylinder)
    assert (visual.geometry.radius, visual.geometry.length) == pytest.approx((0.01, 0.05))
    assert np.allclose(visual.origin.xyz, (0.025, 0, 0))
    assert np.allclose(build_pose_matrix(visual.origin)[:3, 2], (1, 0, 0))


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        (brep("<torus><radius>0.3 0.1</radius></torus>"), 2 * math.pi**2 * 0.3 * 0.01),
        (
            brep(
                "<cone><radius>0.2</radius><angle>-45</angle></cone>",
                plane(0, 0, 1, 0),
                plane(0, 0, 1, -0.1),
            ),
            math.pi * 0.1 * (0.04 + 0.02 + 0.01) / 3,
        ),
        (
            brep("<cone><radius>0.2</radius><angle>-45</angle></cone>", plane(0, 0, 1, 0)),
            math.pi * 0.008 / 3,
        ),
    ],
)
def test_a_torus_and_a_cone_become_closed_triangles(
    shape: str, volume: float, tmp_path: Path
) -> None:
    collada, visual = read(shape, tmp_path)
    assert visual is not None
    assert isinstance(visual.geometry, Mesh)
    mesh = trimesh.load_mesh(tmp_path / visual.geometry.filename)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(volume, rel=0.02)
    assert not [e for e in report_of(collada).entries if e.fate is Fate.LOST]


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        (brep(plane(0, 0, 1, 0)), "1 planes that are not the six sides of a box"),
        (brep("<nurbs_surface degree_u='1' degree_v='1'/>"), "nurbs_surface"),
        (brep(CYLINDER), "without defined ends"),
        (
            brep("<cylinder><radius>0.1 0.2</radius></cylinder>", corners="0 0 0 0 0 1"),
            "not a circle",
        ),
        (brep(CYLINDER, plane(1, 0, 1, 0), plane(0, 0, 1, -1)), "obliquely"),
        (brep(BALL, plane(0, 0, 1, 0)), "plane, sphere"),
        (brep(), "none"),
    ],
)
def test_the_others_are_told_as_lost_with_their_line(
    shape: str, reason: str, tmp_path: Path
) -> None:
    collada, visual = read(shape, tmp_path)
    assert visual is None
    (lost,) = (e for e in report_of(collada).entries if e.fate is Fate.LOST)
    assert lost.item == "brep of g"
    assert "shape.dae:4" in lost.detail
    assert reason in lost.detail
