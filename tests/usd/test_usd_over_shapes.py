"""Edited shapes of a robot that came from USD are written into the layer: places, sizes, new and
removed shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.document import commands
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Collision,
    Cylinder,
    Link,
    Mesh,
    Origin,
    Visual,
    sizes_of,
)
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.mesh import MeshPart
from editor_app.core.space.kinematics.transforms import build_pose_matrix
from tests.usd.test_usd_becomes_a_robot import HEAD

pytest.importorskip("pxr", reason="the extra is not installed")

from pxr import Usd, UsdGeom

from editor_app.plugins.usd.reading.values import ReadStage
from tests.usd.test_usd_over_layers import CENTIMETRES, Over

PLACE = 'double3 xformOp:translate = {}\nuniform token[] xformOpOrder = [{}"xformOp:translate"]\n'
SOLID = '(prepend apiSchemas = ["PhysicsCollisionAPI"])'
GUIDE = 'uniform token purpose = "guide"\n'
TETRAHEDRON = (
    "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nint[] faceVertexCounts = [3, "
    "3, 3, 3]\n"
    "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n"
)
SHAPES = f"""def Cube "box" {SOLID}
{{
{GUIDE}double size = 2
{PLACE.format("(1, 0, 0)", "")}}}
def Sphere "ball" {SOLID}
{{
{GUIDE}double radius = 0.5
}}
def Xform "group"
{{
    float3 xformOp:scale = (2, 2, 2)
    double3 xformOp:rotateXYZ = (0, 0, 90)
    uniform token[] xformOpOrder = ["xformOp:rotateXYZ", "xformOp:scale"]
    def Cylinder "tube"
    {{
    uniform token axis = "X"
    double radius = 0.25
    double height = 3
    {PLACE.format("(0, 1, 0)", "")}}}
    def Mesh "part"
    {{
    {TETRAHEDRON}}}
}}
"""


def stage(shapes: str, head: str = HEAD, scale: float = 1.0) -> str:
    place = (
        f"float3 xformOp:scale = ({scale}, {scale}, {scale})\nuniform token[] xformOpOrder = "
        '["xformOp:scale"]\n'
    )
    body = (
        f'def Xform "part" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{{\n{place}{shapes}}}\n'
    )
    return (
        f'{head}def Xform "arm" (prepend apiSchemas = '
        f'["PhysicsArticulationRootAPI"])\n{{\n{body}}}\n'
    )


def rewrite(over: Over, change: Callable[[Link], Link], **choices: object) -> ReadStage:
    """Change the only link, write the layer, and read both."""
    over.edit(commands.SetLink("part", change(over.link("part"))))
    return over.write(collide=False, **choices)


def outline(shapes: tuple[Visual, ...] | tuple[Collision, ...]) -> list[tuple[str, list[float]]]:
    rows = []
    for shape in shapes:
        geometry = shape.geometry
        sizes = geometry.scale if isinstance(geometry, Mesh) else sizes_of(geometry)
        rows.append(
            (type(geometry).__name__, [*sizes, *build_pose_matrix(shape.origin)[:3].ravel()])
        )
    return sorted(rows, key=lambda row: (row[0], [round(value, 4) for value in row[1]]))


def assert_same_shapes(read: ReadStage, over: Over) -> None:
    ours, theirs = over.link("part"), read.urdf.links[-1]
    for one, other in ((ours.visuals, theirs.visuals), (ours.collisions, theirs.collisions)):
        rows = [outline(one), outline(other)]
        assert [kind for kind, _ in rows[0]] == [kind for kind, _ in rows[1]]
        for (_, wanted), (_, got) in zip(*rows, strict=True):
            assert got == pytest.approx(wanted, rel=2e-6, abs=2e-6)


NEW = Origin((0.01, -0.02, 0.03), (0.4, -0.3, 0.2))


@pytest.mark.parametrize(
    "text",
    [
        stage(SHAPES),
        stage(SHAPES, CENTIMETRES, 2.0),
        stage(SHAPES).replace('"part" (', '"part" (instanceable = true\n'),
    ],
    ids=["metres", "scaled in centimetres", "instance"],
)
def test_places_and_sizes_come_back(tmp_path: Path, text: str) -> None:
    over = Over(tmp_path, text)
    part = over.link("part")
    box, ball = (shape.geometry for shape in part.collisions)
    tube, mesh = (shape.geometry for shape in part.visuals)
    assert isinstance(box, Box)
    assert isinstance(ball, Ball)
    assert isinstance(tube, Cylinder)
    assert isinstance(mesh, Mesh)
    read = rewrite(
        over,
        lambda link: replace(
            link,
            collisions=(
                Collision(Box((box.size[0] * 2, box.size[1] * 0.5, box.size[2])), NEW),
                Collision(Ball(ball.radius * 1.5), link.collisions[1].origin),
            ),
            visuals=(
                replace(
                    link.visuals[0],
                    geometry=Cylinder(tube.radius * 0.5, tube.length * 3),
                    origin=NEW,
                ),
                replace(
                    link.visuals[1],
                    geometry=replace(mesh, scale=tuple(2 * v for v in mesh.scale)),  # type: ignore[arg-type]
                ),
            ),
        ),
    )
    assert over.lost == []
    assert_same_shapes(read, over)
    # Prims are changed, none is added.
    assert "def " not in over.text


def test_the_bounds_that_usd_computes_are_those_of_the_edited_box(tmp_path: Path) -> None:
    over = Over(tmp_path, stage(SHAPES, CENTIMETRES, 2.0))
    new = Collision(Box((0.1, 0.2, 0.3)), Origin((0.01, 0.02, 0.03), (0.0, 0.0, 0.0)))
    rewrite(over, lambda link: replace(link, collisions=(new, *link.collisions[1:])))
    composed = Usd.Stage.Open(str(tmp_path / "over.usda"))
    cache = UsdGeom.BBoxCache(Usd.TimeCode.Default(), ["default", "guide"])
    bounds = cache.ComputeWorldBound(composed.GetPrimAtPath("/arm/part/box")).ComputeAlignedRange()
    assert list(bounds.GetMin()) == pytest.approx([-4, -8, -12])
    assert list(bounds.GetMax()) == pytest.approx([6, 12, 18])


def test_other_kinds_of_shapes_are_new_prims_and_removed_ones_are_switched_off(
    tmp_path: Path,
) -> None:
    over = Over(tmp_path, stage(SHAPES, CENTIMETRES, 2.0))
    corners = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.int32)
    read = rewrite(
        over,
        lambda link: replace(
            link,
            collisions=(
                link.collisions[0],
                Collision(Cylinder(0.02, 0.3), NEW),
                Collision(Mesh("new.stl"), NEW),
            ),
            visuals=(*link.visuals[1:], Visual(Box((0.1, 0.2, 0.3)), NEW)),
        ),
        meshes=lambda mesh: [MeshPart(corners, faces)],
    )
    assert over.lost == []
    assert over.text.count("active = false") == 2
    assert_same_shapes(read, over)
    assert "prepend references = </arm/xrdf_editor_meshes/new>" in over.text


def test_a_shape_that_is_seen_and_solid_can_become_two(tmp_path: Path) -> None:
    cube = SHAPES.partition("def Sphere")[0].replace(GUIDE, "")
    for change in (
        lambda link: replace(link, collisions=(replace(link.collisions[0], origin=NEW),)),
        lambda link: replace(link, visuals=(replace(link.visuals[0], origin=NEW),)),
        lambda link: replace(link, visuals=()),
        lambda link: replace(link, collisions=()),
        lambda link: replace(link, visuals=(), collisions=(Collision(Ball(0.2), NEW),)),
    ):
        over = Over(tmp_path, stage(cube))
        read = rewrite(over, change)
        assert over.lost == []
        assert_same_shapes(read, over)


def test_a_capsule_moves_as_one_and_a_part_of_it_is_reported(tmp_path: Path) -> None:
    capsule = f'def Capsule "c" {SOLID}\n{{\n{GUIDE}double radius = 0.5\ndouble height = 2\n}}\n'
    over = Over(tmp_path, stage(capsule))
    move = build_pose_matrix(NEW)

    def moved(shape: Collision) -> Collision:
        matrix = move @ build_pose_matrix(shape.origin)
        x, y, z = (float(v) for v in matrix[:3, 3])
        return replace(shape, origin=Origin((x, y, z), NEW.rpy))

    read = rewrite(over, lambda link: replace(link, collisions=tuple(map(moved, link.collisions))))
    assert over.lost == []
    assert_same_shapes(read, over)
    rewrite(over, lambda link: replace(link, collisions=link.collisions[:2]))
    assert over.lost == ["shapes of part"]


def test_a_mass_that_usd_takes_from_the_colliders_stays_that_of_the_robot(tmp_path: Path) -> None:
    over = Over(tmp_path, stage(SHAPES))
    before = over.link("part").inertial
    assert before is not None
    read = rewrite(over, lambda link: replace(link, collisions=(Collision(Ball(0.2), NEW),)))
    after = read.urdf.links[-1].inertial
    assert after is not None
    assert after.mass == pytest.approx(before.mass)
    assert after.inertia == pytest.approx(before.inertia, rel=1e-5, abs=1e-6 * before.mass)
    assert after.origin.xyz == pytest.approx(before.origin.xyz, abs=1e-6)


def test_spheres_that_collide_add_no_mass(tmp_path: Path) -> None:
    over = Over(tmp_path, stage(SHAPES))
    before = over.link("part").inertial
    group = over.robot.xrdf.self_group or ""
    over.edit(commands.AddSpheres(group, "part", (CollisionSphere((0.0, 0.0, 0.0), 3.0),)))
    after = over.write(collide=True).urdf.links[-1].inertial
    assert before is not None
    assert after is not None
    assert after.mass == pytest.approx(before.mass)


def test_a_shape_that_is_the_body_itself_is_reported(tmp_path: Path) -> None:
    schemas = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])'
    over = Over(
        tmp_path,
        f'{HEAD}def Xform "arm"\n{{\ndef Cube "part" {schemas}\n{{\ndouble size = 0.2\n}}\n}}\n',
    )
    rewrite(over, lambda link: replace(link, collisions=(replace(link.collisions[0], origin=NEW),)))
    assert over.lost == ["shapes of part"]
    assert "xformOp" not in over.text
