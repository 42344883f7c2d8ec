"""Shapes of a USD stage: sizes, colours, mirrored meshes, what collides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.core.verbs.convert import convert
from tests.helpers.usd_stage import Stage, write_stage

#: A tetrahedron of 1 m at the origin, faces counter-clockwise outside, in two colours.
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
OBJ = (
    "mtllib t.mtl\n"
    + "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    + "usemtl red\nf 1 3 2\nf 1 2 4\nusemtl blue\nf 1 4 3\nf 2 3 4\n"
)
MTL = "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 0.5\n"


def robot(folder: Path, shapes: str) -> list[Path]:
    (folder / "t.obj").write_text(OBJ)
    (folder / "t.mtl").write_text(MTL)
    (folder / "r.urdf").write_text(f'<robot name="r"><link name="a">{shapes}</link></robot>')
    return [folder / "r.urdf"]


def shape(kind: str, geometry: str, rest: str = "", origin: str = "") -> str:
    return f"<{kind}>{origin}<geometry>{geometry}</geometry>{rest}</{kind}>"


def world_points(stage: Stage, path: str) -> Any:
    prim = stage.at(path)
    place = stage.place(prim, stage.robot)
    points = np.array(prim.GetAttribute("points").Get())
    return points @ place[:3, :3].T + place[:3, 3]


def volume(stage: Stage, path: str) -> float:
    """Cubic metres, negative where faces look inside."""
    faces = np.array(stage.value(path, "faceVertexIndices")).reshape(-1, 3)
    corners = world_points(stage, path)[faces]
    return float(
        np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    )


def test_primitives_have_their_sizes(tmp_path: Path) -> None:
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/>'
    geometries = (
        '<box size="1 2 3"/>',
        '<cylinder radius="0.5" length="2"/>',
        '<sphere radius="0.7"/>',
    )
    shapes = "".join(
        shape("visual", each, origin=origin) + shape("collision", each) for each in geometries
    )
    stage = write_stage(robot(tmp_path, shapes), tmp_path / "r.usda")
    assert stage.faults == []
    from pxr import UsdGeom

    cache = UsdGeom.BBoxCache(0, [UsdGeom.Tokens.default_])
    turned = ((2, 1, 3), (1, 1, 2), (1.4, 1.4, 1.4))
    for number, (kind, size) in enumerate(zip(("Cube", "Cylinder", "Sphere"), turned, strict=True)):
        prim = stage.at(f"a/visuals/visual_{number}")
        assert prim.GetTypeName() == kind
        box = cache.ComputeWorldBound(prim).ComputeAlignedRange()
        assert tuple(box.GetSize()) == pytest.approx(size)
        assert tuple(box.GetMidpoint()) == pytest.approx((0.1, 0.2, 0.3))
        collider = stage.at(f"a/collisions/collision_{number}")
        assert "PhysicsCollisionAPI" in collider.GetAppliedSchemas()
        assert collider.GetAttribute("purpose").Get() == "guide"


@pytest.mark.parametrize("scale", ["1 1 1", "2 2 2", "-1 1 1", "-1 -2 1", "-1 -1 -1"])
def test_mirrored_meshes_keep_their_faces_outside(tmp_path: Path, scale: str) -> None:
    mesh = f'<mesh filename="t.obj" scale="{scale}"/>'
    stage = write_stage(robot(tmp_path, shape("visual", mesh)), tmp_path / "r.usda")
    factors = np.array([float(v) for v in scale.split()])
    points = world_points(stage, "a/visuals/visual_0")
    assert {tuple(p) for p in points.tolist()} == {
        tuple((np.array(c) * factors).tolist()) for c in CORNERS
    }
    assert volume(stage, "a/visuals/visual_0") == pytest.approx(abs(factors.prod()) / 6)


def test_a_mesh_of_several_colours_has_a_subset_for_each(tmp_path: Path) -> None:
    stage = write_stage(
        robot(tmp_path, shape("visual", '<mesh filename="t.obj"/>')), tmp_path / "r.usda"
    )
    assert stage.faults == []
    from pxr import UsdShade

    colours = {}
    for subset in stage.at("a/visuals/visual_0").GetChildren():
        material, _ = UsdShade.MaterialBindingAPI(subset).ComputeBoundMaterial()
        surface, _, _ = material.ComputeSurfaceSource()
        colours[tuple(surface.GetInput("diffuseColor").Get())] = list(
            subset.GetAttribute("indices").Get()
        )
    assert sorted(colours.values()) == [[0, 1], [2, 3]]
    red, blue = sorted(colours, reverse=True)
    # USD's colours are linear: 0.5 in sRGB is 0.2140.
    assert red == (1, 0, 0)
    assert blue == pytest.approx((0, 0, 0.21404114))


def test_the_material_of_the_urdf_colours_the_whole_mesh(tmp_path: Path) -> None:
    green = '<material name="gr-een"><color rgba="0 1 0 0.25"/></material>'
    stage = write_stage(
        robot(tmp_path, shape("visual", '<mesh filename="t.obj"/>', green)), tmp_path / "r.usda"
    )
    assert stage.faults == []
    from pxr import UsdShade

    prim = stage.at("a/visuals/visual_0")
    assert not prim.GetChildren()
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    surface, _, _ = material.ComputeSurfaceSource()
    assert tuple(surface.GetInput("diffuseColor").Get()) == (0, 1, 0)
    assert surface.GetInput("opacity").Get() == 0.25
    assert material.GetPrim().GetDisplayName() == "gr-een"


@pytest.mark.parametrize(("choice", "approximation"), [(None, "convexHull"), ("meshes", "none")])
def test_meshes_collide_as_hulls_or_triangles(
    tmp_path: Path, choice: str | None, approximation: str
) -> None:
    shapes = shape("visual", '<mesh filename="t.obj"/>') + shape(
        "collision", '<mesh filename="t.obj"/>'
    )
    stage = write_stage(robot(tmp_path, shapes), tmp_path / "r.usda", usd_collision=choice)
    assert stage.faults == []
    assert stage.value("a/collisions/collision_0", "physics:approximation") == approximation
    assert volume(stage, "a/collisions/collision_0") == pytest.approx(1 / 6)
    # The mesh is in the file once.
    assert stage.stage.GetRootLayer().ExportToString().count("point3f[] points") == 1


def test_missing_meshes_textures_and_empty_sizes_are_reported(tmp_path: Path) -> None:
    textured = '<material name="m"><texture filename="t.png"/></material>'
    shapes = (
        shape("visual", '<mesh filename="gone.stl"/>')
        + shape("collision", '<box size="1 0 1"/>')
        + shape("visual", '<box size="1 1 1"/>', textured)
    )
    reports = convert(robot(tmp_path, shapes), tmp_path / "r.usda").reports
    lost = {str(entry) for report in reports for entry in report.entries if entry.fate == "lost"}
    assert any("mesh gone.stl" in each for each in lost)
    assert any("box" in each and "not positive" in each for each in lost)
    assert any("texture: 1 texture" in each for each in lost)
    assert write_stage(robot(tmp_path, shapes), tmp_path / "r.usda").faults == []
