"""Mass and inertia computed from shapes: the closed forms for boxes, spheres, cylinders and
capsules."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.core.model.origin import Origin
from editor_app.core.model.urdf import Ball, Box, Capsule, Cylinder, Geometry
from editor_app.core.space.geometry.link_geometry import link_geometry
from editor_app.core.space.geometry.mass import (
    compute_link_solid,
    compute_primitive_solid,
    compute_solid_properties,
    fill_solid,
)
from editor_app.core.space.geometry.mesh import build_primitive
from editor_app.core.space.kinematics.transforms import inertia_tensor

#: Shape as a URDF has it -> mass in kg and moments about the centre in kg m² at 1,000 kg/m³, from a
#: book of tables.
BOOK = {
    '<box size="0.2 0.1 0.05"/>': (1.0, (0.0125 / 12, 0.0425 / 12, 0.05 / 12)),
    '<sphere radius="0.05"/>': (0.523599, (0.000523599,) * 3),
    '<sphere radius="0.03"/>': (0.113097, (4.07150e-05,) * 3),
    '<cylinder radius="0.04" length="0.2"/>': (1.00531, (0.00375316, 0.00375316, 0.000804248)),
    # MuJoCo 4.0's mass and inertia of <geom type="capsule" size="0.04 0.1" density="1000"/>.
    '<capsule radius="0.04" length="0.2"/>': (1.27339, (0.00740980, 0.00740980, 0.000975821)),
}
MUJOCO = {
    Box: lambda shape: ("box", [edge / 2 for edge in shape.size]),
    Ball: lambda shape: ("sphere", [shape.radius]),
    Cylinder: lambda shape: ("cylinder", [shape.radius, shape.length / 2]),
    Capsule: lambda shape: ("capsule", [shape.radius, shape.length / 2]),
}
SHAPES = (
    Box((0.3, 0.02, 0.1)), Ball(0.07), Cylinder(0.2, 0.01), Cylinder(0.01, 0.7), Capsule(0.05, 0.3), Capsule(0.05, 0.0)
)  # fmt: skip


def robot_of(folder: Path, *shapes: str) -> editor_app.Document:
    visuals = "".join(f"<visual>{shape}</visual>" for shape in shapes)
    (folder / "r.urdf").write_text(
        f'<robot name="r" version="1.1"><link name="a">{visuals}</link></robot>'
    )
    return editor_app.open_robot(folder / "r.urdf")


@pytest.mark.parametrize("shape", BOOK)
def test_computed_inertias_are_those_of_the_book(shape: str, tmp_path: Path) -> None:
    robot = robot_of(tmp_path, f"<geometry>{shape}</geometry>")
    robot.execute(editor_app.compute_inertias(robot.robot, ["a"], robot.urdf_path))
    inertial = robot.robot.urdf.links[0].inertial
    assert inertial is not None
    mass, moments = BOOK[shape]
    assert inertial.mass == pytest.approx(mass, rel=1e-5)
    xx, xy, xz, yy, yz, zz = inertial.inertia
    assert (xx, yy, zz) == pytest.approx(moments, rel=1e-5)
    assert (xy, xz, yz) == (0.0, 0.0, 0.0)
    assert len({xx, yy, zz}) == len(set(moments)), "equal moments stay equal to the last digit"


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_turned_and_moved_shape_weighs_what_mujoco_says(shape: Geometry) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    kind, sizes = MUJOCO[type(shape)](shape)  # type: ignore[index]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body><freejoint/><geom type="{kind}" '
        f'size="{" ".join(map(repr, sizes))}" density="1" '
        'pos="0.1 -0.2 0.3" quat="0.5 0.1 -0.7 0.2"/></body></worldbody></mujoco>'
        if shape != Capsule(0.05, 0.0)
        else '<mujoco><worldbody><body><freejoint/><geom type="sphere" size="0.05" density="1" pos="0.1 -0.2 0.3"/>'
        "</body></worldbody></mujoco>"
    )
    solid = compute_primitive_solid(
        shape, Origin((0.1, -0.2, 0.3), quat_xyzw=(0.1, -0.7, 0.2, 0.5))
    )
    assert solid is not None
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[1])
    tensor = turn.reshape(3, 3) @ np.diag(model.body_inertia[1]) @ turn.reshape(3, 3).T
    assert solid.volume == pytest.approx(model.body_mass[1], rel=1e-12)
    assert solid.centre == pytest.approx(model.body_ipos[1], abs=1e-12)
    assert solid.inertia == pytest.approx(tensor, abs=1e-12 * tensor.max())
    assert solid.closed


@pytest.mark.parametrize("shape", [Box((0.1, 0.0, 0.1)), Ball(0.0), Ball(-1.0), Cylinder(0.1, 0.0), Capsule(0.1, -0.1),
                                   Cylinder(-0.1, -0.1), Box((math.nan, 1.0, 1.0)), Ball(math.inf)])  # fmt: skip
def test_a_size_that_is_not_positive_encloses_nothing(shape: Geometry) -> None:
    assert compute_primitive_solid(shape) is None


def test_the_closed_form_is_the_limit_of_finer_meshes() -> None:
    for shape in SHAPES:
        part = build_primitive(shape, 720).parts[0]
        mesh, exact = (
            compute_solid_properties(part.vertices, part.faces),
            compute_primitive_solid(shape),
        )
        assert mesh is not None
        assert exact is not None
        assert mesh.volume == pytest.approx(exact.volume, rel=1e-4)
        assert mesh.inertia == pytest.approx(
            exact.inertia, rel=1e-4, abs=1e-5 * exact.inertia.max()
        )


def test_shapes_of_one_link_add_up_about_their_common_centre(tmp_path: Path) -> None:
    """Two balls of 4 kg, 0.6 m apart: a dumb-bell, turned by its pitch."""
    radius = (3 / (4 * math.pi) * 0.004) ** (1 / 3)
    ball = f'<geometry><sphere radius="{radius!r}"/></geometry>'
    robot = robot_of(
        tmp_path, f'<origin xyz="0.3 0 1"/>{ball}', f'<origin xyz="-0.3 0 1" rpy="0 0.4 0"/>{ball}'
    )
    solid = compute_link_solid(link_geometry(robot.robot.urdf, robot.urdf_path, "a"))
    assert solid is not None
    inertial = fill_solid(solid, 8.0)
    small, large = 0.4 * 8 * radius**2, 0.4 * 8 * radius**2 + 8 * 0.3**2
    assert inertia_tensor(inertial) == pytest.approx(np.diag([small, large, large]), rel=1e-5)
    assert inertial.origin.xyz == (0.0, 0.0, 1.0)
