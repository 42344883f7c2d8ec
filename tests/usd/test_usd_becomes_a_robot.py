"""A robot that exists only as USD: links, joints, masses and pairs agree with the stage; the rest
is listed."""

from __future__ import annotations

import importlib.util
import multiprocessing
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from editor_app.cli import run_command
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.model.urdf import Ball, Box, Cylinder, Joint, JointType, Mesh
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.obj_and_stl import read_stl
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.convert import ConvertOptions, convert
from editor_app.plugins.comparison.verbs.diff import diff

pytest.importorskip("pxr", reason="the extra is not installed")

from editor_app.plugins.usd.reading.stage import read_stage
from editor_app.plugins.usd.reading.values import ReadStage

HEAD = '#usda 1.0\n(\n    defaultPrim = "arm"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
ARM = """\
def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 2
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double size = 0.2
        }
    }
    def Xform "upper" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        double3 xformOp:translate = (0, 0, 0.25)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = 1
        def Cylinder "tube" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double radius = 0.05
            double height = 0.4
            double3 xformOp:translate = (0, 0, 0.2)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
    }
    def PhysicsFixedJoint "root_joint"
    {
        rel physics:body1 = </arm/base>
    }
    def PhysicsRevoluteJoint "shoulder" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {
        rel physics:body0 = </arm/base>
        rel physics:body1 = </arm/upper>
        uniform token physics:axis = "Y"
        float physics:lowerLimit = -90
        float physics:upperLimit = 120
        point3f physics:localPos0 = (0, 0, 0.25)
        float drive:angular:physics:maxForce = 87
        float physxJoint:maxJointVelocity = 180
    }
}
"""


def read(folder: Path, text: str, head: str = HEAD, **choices: Any) -> ReadStage:
    path = folder / "arm.usda"
    path.write_text(head + text)
    return read_stage(path, **choices)


def joint_of(read_: ReadStage, name: str) -> Joint:
    joint = read_.urdf.joint(name)
    assert joint is not None
    return joint


def lost(read_: ReadStage) -> str:
    return "\n".join(map(str, read_.report.of(Fate.LOST)))


def test_links_joints_limits_and_masses_are_those_of_the_stage(tmp_path: Path) -> None:
    arm = read(tmp_path, ARM)
    assert [link.name for link in arm.urdf.links] == ["base", "upper"]
    shoulder = joint_of(arm, "shoulder")
    assert (shoulder.type, shoulder.parent, shoulder.child) == (JointType.REVOLUTE, "base", "upper")
    assert shoulder.axis == (0, 1, 0)
    assert shoulder.origin.xyz == (0, 0, 0.25)
    limit = shoulder.limit
    assert limit is not None
    assert (limit.lower, limit.upper) == pytest.approx((-np.pi / 2, 2 * np.pi / 3))
    assert (limit.effort, limit.velocity) == pytest.approx((87, np.pi))
    base, upper = arm.urdf.links
    assert base.collisions[0].geometry == base.visuals[0].geometry == Box((0.2, 0.2, 0.2))
    assert upper.collisions[0].geometry == Cylinder(0.05, 0.4)
    assert upper.inertial is not None
    assert (upper.inertial.mass, upper.inertial.origin.xyz) == (1, (0, 0, 0.2))
    assert upper.inertial.inertia[::5] == pytest.approx(((3 * 0.05**2 + 0.4**2) / 12, 0.05**2 / 2))
    assert [(pair.link1, pair.link2) for pair in arm.pairs] == [("base", "upper")]
    assert arm.driven == ("shoulder",)


def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read without a process for each file."""
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())


def test_a_usd_is_read_in_a_process_that_may_die(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.usda").write_text(HEAD + ARM)
    assert run_command("check", [str(tmp_path / "arm.usda")]) == 0


def test_check_convert_and_diff_read_a_usd(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read_here(monkeypatch)
    (tmp_path / "arm.usda").write_text(HEAD + ARM)
    assert run_command("convert", [str(tmp_path / "arm.usda"), str(tmp_path / "arm.urdf")]) == 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".usda", ".urdf", ".srdf", ".xrdf"}
    difference = diff(tmp_path / "arm.usda", tmp_path / "arm.urdf", samples=8)
    assert difference.is_same_mechanism
    assert difference.differences["urdf"] == ()
    (tmp_path / "broken.usda").write_text("#usda 1.0\ndef Xform {")
    assert run_command("check", [str(tmp_path / "broken.usda")]) == 2
    assert "no valid USD layer" in capsys.readouterr().out


# -- joints

BODY = 'def Xform "{}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{{\n{}\n}}\n'


def two_bodies(
    joint: str,
    kind: str = "PhysicsRevoluteJoint",
    ends: tuple[str, str] = ("a", "b"),
    place: str = "",
) -> str:
    first, second = (f"rel physics:body{side} = </{end}>\n" for side, end in enumerate(ends))
    return (
        BODY.format("a", "")
        + BODY.format("b", place)
        + f'def {kind} "j"\n{{\n{first}{second}{joint}\n}}\n'
    )


def test_a_joint_whose_second_body_is_the_parent_turns_the_same_way(tmp_path: Path) -> None:
    frames = (
        "point3f physics:localPos0 = (0, 0, 0.5)\nquatf physics:localRot0 = (0.5, 0.5, 0.5, 0.5)\n"
    )
    limits = "float physics:lowerLimit = -10\nfloat physics:upperLimit = 40\n"
    world = 'def PhysicsFixedJoint "w"\n{\nrel physics:body1 = </a>\n}\n'
    forward = joint_of(read(tmp_path, two_bodies(frames + limits) + world), "j")
    turned = frames.replace("Pos0", "Pos1").replace("Rot0", "Rot1")
    backward = joint_of(read(tmp_path, two_bodies(turned + limits, ends=("b", "a")) + world), "j")
    assert backward.parent == forward.parent == "a"
    assert backward.origin == forward.origin
    assert np.allclose(np.negative(backward.axis), forward.axis)
    assert backward.limit == forward.limit


def test_a_joint_away_from_the_origin_of_its_body_gets_a_link_between(tmp_path: Path) -> None:
    hinge = read(
        tmp_path,
        two_bodies("point3f physics:localPos1 = (0, 0.2, 0)\nfloat physics:upperLimit = 90"),
    )
    assert [(joint.parent, joint.child, joint.type) for joint in hinge.urdf.joints] == [
        ("a", "b_j", JointType.REVOLUTE),
        ("b_j", "b", JointType.FIXED),
    ]
    # Along the axis of a joint, and for one that slides, the place of the origin does not matter.
    for kind, place in (
        ("PhysicsRevoluteJoint", "(0.2, 0, 0)"),
        ("PhysicsPrismaticJoint", "(0, 0.2, 0)"),
    ):
        robot = read(tmp_path, two_bodies(f"point3f physics:localPos1 = {place}", kind))
        assert [joint.child for joint in robot.urdf.joints] == ["b"]


@pytest.mark.parametrize(
    ("joint", "kind", "types"),
    [
        ("", "PhysicsRevoluteJoint", "continuous"),
        (
            "float physics:lowerLimit = 5\nfloat physics:upperLimit = -5",
            "PhysicsRevoluteJoint",
            "fixed",
        ),
        ("", "PhysicsFixedJoint", "fixed"),
        ("", "PhysicsPrismaticJoint", "prismatic"),
        (
            "float physics:coneAngle0Limit = 30",
            "PhysicsSphericalJoint",
            "continuous revolute continuous",
        ),
        ("", "PhysicsDistanceJoint", "floating"),
        ("", "PhysicsJoint", "floating"),
    ],
)
def test_each_kind_of_joint_has_its_freedoms(
    tmp_path: Path, joint: str, kind: str, types: str
) -> None:
    robot = read(tmp_path, two_bodies(joint, kind))
    assert [str(each.type) for each in robot.urdf.joints] == types.split()


def test_a_joint_of_free_and_locked_axes_moves_along_the_free_ones(tmp_path: Path) -> None:
    locked = [
        f"float limit:{axis}:physics:low = 1\nfloat limit:{axis}:physics:high = -1"
        for axis in AXES_LOCKED
    ]
    free = "float limit:transZ:physics:low = -0.1\nfloat limit:transZ:physics:high = 0.2"
    robot = read(tmp_path, two_bodies("\n".join([*locked, free]), "PhysicsJoint"))
    slide, turn = robot.urdf.joints
    assert (slide.type, slide.axis, slide.position_limits) == (
        JointType.PRISMATIC,
        (0, 0, 1),
        (-0.1, 0.2),
    )
    assert (turn.type, turn.axis, turn.child) == (JointType.CONTINUOUS, (0, 0, 1), "b")
    # The link between has a little mass: programs drop links that move and weigh nothing.
    between = robot.urdf.link(slide.child)
    assert between is not None
    assert between.inertial is not None


AXES_LOCKED = ("transX", "transY", "rotX", "rotY")


def test_joints_of_the_same_two_bodies_move_in_series(tmp_path: Path) -> None:
    place = "point3f physics:localPos0 = (0, 0, 0.5)\nuniform token physics:axis = "
    second = 'def PhysicsRevoluteJoint "k"\n{\nrel physics:body0 = </a>\nrel physics:body1 = </b>\n'
    robot = read(tmp_path, two_bodies(place + '"Z"') + second + place + '"Y"\n}\n')
    first, last = robot.urdf.joints
    assert (first.name, first.axis, first.origin.xyz) == ("j", (0, 0, 1), (0, 0, 0.5))
    assert (last.name, last.axis, last.parent, last.child) == ("k", (0, 1, 0), first.child, "b")
    # One that holds the bodies elsewhere closes a loop.
    moved = place.replace("0.5", "0.6")
    assert "k: it closes a loop" in lost(
        read(tmp_path, two_bodies(place + '"Z"') + second + moved + '"Y"\n}\n')
    )


def test_units_of_the_stage_become_metres_kilograms_and_z_upwards(tmp_path: Path) -> None:
    head = HEAD.replace(
        "metersPerUnit = 1", "metersPerUnit = 0.01\n    kilogramsPerUnit = 2"
    ).replace('"Z"', '"Y"')
    drive = "point3f physics:localPos0 = (0, 50, 0)\nfloat drive:angular:physics:maxForce = 30000"
    mass = "float physics:mass = 1.5\nfloat3 physics:diagonalInertia = (100, 100, 200)"
    robot = read(tmp_path, two_bodies(drive, place=mass), head)
    joint, child = joint_of(robot, "j"), robot.urdf.link("b")
    assert joint.origin.xyz == (0, 0.5, 0)
    assert joint.limit is not None
    # kg m²/s² of the stage: 2 · 0.01².
    assert joint.limit.effort == pytest.approx(30000 * 2e-4)
    assert child is not None
    assert child.inertial is not None
    assert child.inertial.mass == 3
    assert child.inertial.inertia[::5] == pytest.approx((0.02, 0.04))
    # The first body has the axes of a stage with y upwards.
    root = robot.urdf.joints[0]
    assert (root.parent, root.child) == ("world", "a")
    assert root.origin.rpy == pytest.approx((np.pi / 2, 0, 0))


def test_bodies_below_scaled_prims_have_scaled_frames_and_shapes(tmp_path: Path) -> None:
    text = """\
def Xform "arm"
{
    double3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
    }
    def Cube "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double size = 0.1
        double3 xformOp:translate = (0, 0, 0.3)
        double3 xformOp:scale = (1, 1, 3)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    }
    def PhysicsRevoluteJoint "j"
    {
        rel physics:body0 = </arm/a>
        rel physics:body1 = </arm/b>
        point3f physics:localPos0 = (0, 0, 0.25)
        point3f physics:localPos1 = (0, 0, -0.0625)
        uniform token physics:axis = "Z"
    }
}
"""
    robot = read(tmp_path, text)
    child = robot.urdf.link("b")
    assert child is not None
    assert child.collisions[0].geometry == Box((0.2, 0.2, 0.6))
    # 2 · 0.25 to the joint, and 2 · 3 · 0.0625 from it to the body.
    assert joint_of(robot, "j").origin.xyz == pytest.approx((0, 0, 0.875))


def test_mimic_joints_of_physx_and_newton_follow_their_leaders(tmp_path: Path) -> None:
    third = (
        BODY.format("c", "")
        + 'def PhysicsPrismaticJoint "k"\n{\nrel physics:body0 = </b>\nrel physics:body1 = </c>\n'
    )
    physx = "rel physxMimicJoint:transX:referenceJoint = </j>\n{}".format(
        "float physxMimicJoint:transX:gearing = -0.001\nfloat physxMimicJoint:transX:offset = -0.05"
    )
    newton = (
        "rel newton:mimicJoint = </j>\nfloat newton:mimicCoef0 = 0.05\nfloat newton:mimicCoef1 = "
        "0.001"
    )
    for rule in (physx, newton):
        mimic = joint_of(read(tmp_path, two_bodies("") + third + rule + "\n}\n"), "k").mimic
        assert mimic is not None
        # A millimetre for each degree.
        assert mimic.joint == "j"
        assert (mimic.multiplier, mimic.offset) == pytest.approx((0.18 / np.pi, 0.05))


def test_loops_and_switched_off_joints_are_reported(tmp_path: Path) -> None:
    loop = (
        'def PhysicsRevoluteJoint "{}"\n{{\nrel physics:body0 = </a>\nrel physics:body1 = '
        "</b>\n{}\n}}\n"
    )
    text = two_bodies("") + loop.format("twice", "bool physics:excludeFromArticulation = 1")
    robot = read(tmp_path, text + loop.format("off", "bool physics:jointEnabled = 0"))
    assert [joint.name for joint in robot.urdf.joints] == ["j"]
    assert "twice: it closes a loop" in lost(robot)
    assert "off: switched off" in lost(robot)


# -- robots, names and choices


def test_of_several_robots_one_is_chosen_by_name_or_all_are_read(tmp_path: Path) -> None:
    arm = (
        ARM.replace('"arm"', '"{0}"')
        .replace("/arm/", "/{0}/")
        .replace("{\n", "{{\n")
        .replace("}\n", "}}\n")
    )
    text = arm.format("left") + arm.format("right").replace("-90", "-45")
    first, second = read(tmp_path, text), read(tmp_path, text, robot="right")
    assert first.robots == ("left", "right")
    assert (first.urdf.name, second.urdf.name) == ("left", "right")
    assert joint_of(second, "shoulder").position_limits == pytest.approx(
        (-np.pi / 4, 2 * np.pi / 3)
    )
    assert "right: not chosen" in lost(first)
    both = read(tmp_path, text, robot="*")
    assert [link.name for link in both.urdf.links] == [
        "world",
        "left_base",
        "right_base",
        "left_upper",
        "right_upper",
    ]
    with pytest.raises(FormatError, match="no robot 'middle'"):
        read(tmp_path, text, robot="middle")


def test_a_command_needs_a_choice_where_several_robots_have_articulations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arm = (
        ARM.replace('"arm"', '"{0}"')
        .replace("/arm/", "/{0}/")
        .replace("{\n", "{{\n")
        .replace("}\n", "}}\n")
    )
    path = tmp_path / "cell.usda"
    path.write_text(HEAD + arm.format("left") + arm.format("right"))
    urdf = tmp_path / "cell.urdf"
    for command in (["check", str(path)], ["pose", str(path)], ["convert", str(path), str(urdf)]):
        assert run_command(command[0], command[1:]) == 2
        said = "".join(capsys.readouterr())
        assert (
            "The file has 2 robots. Choose one with --model NAME, or all with --model '*': left, "
            "right." in said
        )
        assert run_command(command[0], [*command[1:], "--model", "right"]) == 0
        capsys.readouterr()
    assert '<robot name="right"' in urdf.read_text()
    assert run_command("pose", [str(path), "--model", "middle"]) == 2
    assert "Its robots: left, right." in capsys.readouterr().err
    # A file may still be read as before the option had its name.
    assert run_command("convert", [str(path), str(urdf), "--force", "--robot", "left"]) == 0
    assert '<robot name="left"' in urdf.read_text()


def test_of_robots_and_furniture_the_one_with_an_articulation_is_read(tmp_path: Path) -> None:
    doors = ["a", "b", "c", "d"]
    joint = (
        'def PhysicsRevoluteJoint "j{1}"\n{{\nrel physics:body0 = </box/{0}>\nrel physics:body1 = '
        "</box/{1}>\n}}\n"
    )
    bodies = "".join(
        f'def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{{\n}}\n'
        for name in doors
    )
    joints = "".join(joint.format(*pair) for pair in pairwise(doors))
    path = tmp_path / "cell.usda"
    path.write_text(f'{HEAD}{ARM}def Xform "box"\n{{\n{bodies}{joints}}}\n')
    assert convert([path], tmp_path / "cell.urdf").files[0][1].count(b"<link") == 2
    read = read_stage(path)
    assert (read.urdf.name, read.robots, read.likely) == ("arm", ("arm", "box"), ("arm",))
    assert "box: not chosen" in lost(read)


def test_a_variant_is_chosen_and_the_default_one_is_stated(tmp_path: Path) -> None:
    text = ARM.replace(
        '["PhysicsArticulationRootAPI"])\n{',
        '["PhysicsArticulationRootAPI"]\n    variants = { string reach = "long" }\n    prepend '
        'variantSets = "reach")\n'
        '{\n    variantSet "reach" = {\n        "long" {\n        }\n        "short" {\n           '
        ' over "shoulder"\n'
        "            {\n                float physics:upperLimit = 30\n            }\n        }\n "
        "   }",
    ).replace("float physics:upperLimit = 120\n", "")
    usual, short = read(tmp_path, text), read(tmp_path, text, variants="reach=short")
    assert usual.variants == {"reach": ("long", ("long", "short"))}
    assert "variant set reach: long is used" in "\n".join(map(str, usual.report.of(Fate.KEPT)))
    limit = joint_of(short, "shoulder").limit
    assert limit is not None
    assert limit.upper == pytest.approx(np.pi / 6)
    with pytest.raises(FormatError, match="no variant reach=tall"):
        read(tmp_path, text, variants="reach=tall")


def test_places_marked_on_bodies_become_links_without_shape(tmp_path: Path) -> None:
    mark = 'def Xform "flange"\n{\ndouble3 xformOp:translate = (0, 0, 0.1)\n'
    mark += 'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
    folder = 'def Xform "visuals"\n{\ndef Sphere "s"\n{\n}\n}\n'
    robot = read(tmp_path, two_bodies("", place=mark + folder))
    flange = robot.urdf.joint_to("flange")
    assert flange is not None
    assert (flange.parent, flange.origin.xyz) == ("b", (0, 0, 0.1))
    assert robot.urdf.link("visuals") is None


# -- shapes, masses and pairs

MESH = """\
def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"])
{{
    point3f[] points = [(0,0,0), (1,0,0), (1,1,0), (0,1,0), (0,0,1), (1,0,1), (1,1,1), (0,1,1)]
    int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
    int[] faceVertexIndices = [3,2,1,0, 4,5,6,7, 0,1,5,4, 1,2,6,5, 2,3,7,6, 3,0,4,7]
    {}
}}
"""


def test_meshes_are_written_with_their_orientation_and_without_their_holes(tmp_path: Path) -> None:
    right = read(tmp_path, BODY.format("a", MESH.format("")))
    left = read(tmp_path, BODY.format("a", MESH.format('uniform token orientation = "leftHanded"')))
    holes = read(tmp_path, BODY.format("a", MESH.format("int[] holeIndices = [1, 2]")))
    volumes = []
    for robot in (right, left, holes):
        ((_, data),) = robot.meshes.items()
        part = read_stl(data).parts[0]
        corners = part.vertices[part.faces].astype(float)
        volumes.append(
            float(
                np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum()
            )
            / 6
        )
        assert len(part.faces) == (8 if robot is holes else 12)
    assert volumes[:2] == pytest.approx([1, -1])
    assert right.urdf.links[0].inertial is not None
    assert right.urdf.links[0].inertial.mass == pytest.approx(1000)


def test_bounds_that_collide_in_the_place_of_a_mesh_become_primitives(tmp_path: Path) -> None:
    scaled = 'double3 xformOp:scale = (1, 2, 3)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    for approximation, shape in (
        ("boundingCube", Box((1, 2, 3))),
        ("boundingSphere", Ball(np.sqrt(3.5))),
    ):
        text = MESH.format(scaled + f'uniform token physics:approximation = "{approximation}"')
        link = read(tmp_path, BODY.format("a", text)).urdf.links[0]
        assert link.collisions[0].geometry == shape
        assert link.collisions[0].origin.xyz == (0.5, 1, 1.5)
        assert isinstance(link.visuals[0].geometry, Mesh)


def test_purposes_and_visibility_decide_what_is_seen(tmp_path: Path) -> None:
    shape = 'def Sphere "{0}"\n{{\nuniform token purpose = "{0}"\ndouble radius = {1}\n}}\n'
    shapes = shape.format("render", 1) + shape.format("proxy", 2) + shape.format("guide", 3)
    hidden = 'def Sphere "hidden"\n{\ntoken visibility = "invisible"\ndouble radius = 4\n}\n'
    link = read(tmp_path, BODY.format("a", shapes + hidden)).urdf.links[0]
    assert [visual.geometry for visual in link.visuals] == [Ball(1)]


def test_colours_of_materials_and_subsets_are_taken(tmp_path: Path) -> None:
    material = """\
def Material "{0}"
{{
    token outputs:surface.connect = </{0}/s.outputs:surface>
    def Shader "s"
    {{
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor = {1}
        token outputs:surface
    }}
}}
"""
    subset = (
        'def GeomSubset "{0}" (prepend apiSchemas = ["MaterialBindingAPI"])\n{{\nuniform token '
        'elementType = "face"\n'
    )
    subset += "int[] indices = [{1}]\nrel material:binding = </{0}>\n}}\n"
    mesh = MESH.format(subset.format("red", "0, 1") + subset.format("blue", "2"))
    text = (
        material.format("red", "(1, 0, 0)")
        + material.format("blue", "(0, 0, 1)")
        + BODY.format("a", mesh)
    )
    link = read(tmp_path, text).urdf.links[0]
    colours = [visual.material.rgba if visual.material else None for visual in link.visuals]
    assert colours == [(1, 0, 0, 1), (0, 0, 1, 1), None]
    assert len(link.collisions) == 1


@pytest.mark.parametrize(
    ("shape", "volume", "inertia"),
    [
        ('Cube "s"\n{\ndouble size = 2', 8, (8 * 8 / 12,) * 3),
        ('Sphere "s"\n{\ndouble radius = 1', 4 / 3 * np.pi, (0.4 * 4 / 3 * np.pi,) * 3),
        (
            'Cylinder "s"\n{\ndouble radius = 1\ndouble height = 2',
            2 * np.pi,
            (2 * np.pi * 7 / 12, 2 * np.pi * 7 / 12, np.pi),
        ),
        (
            'Cone "s"\n{\ndouble radius = 1\ndouble height = 2',
            2 / 3 * np.pi,
            (np.pi / 5, np.pi / 5, np.pi / 5),
        ),
    ],
)
def test_masses_of_colliders_are_exact(
    tmp_path: Path, shape: str, volume: float, inertia: tuple[float, float, float]
) -> None:
    solid = f"def {shape}\n}}\n".replace(
        '"s"', '"s" (prepend apiSchemas = ["PhysicsCollisionAPI"])'
    )
    link = read(tmp_path, BODY.format("a", "float physics:density = 3\n" + solid)).urdf.links[0]
    assert link.inertial is not None
    assert link.inertial.mass == pytest.approx(3 * volume)
    xx, _, _, yy, _, zz = link.inertial.inertia
    assert (xx, yy, zz) == pytest.approx([3 * value for value in inertia])


def test_principal_axes_turn_the_inertia(tmp_path: Path) -> None:
    mass = "float physics:mass = 2\npoint3f physics:centerOfMass = (1, 2, 3)\n"
    mass += (
        "float3 physics:diagonalInertia = (1, 2, 3)\nquatf physics:principalAxes = (0.70710678, "
        "0.70710678, 0, 0)"
    )
    inertial = read(tmp_path, BODY.format("a", mass)).urdf.links[0].inertial
    assert inertial is not None
    assert inertial.origin.xyz == (1, 2, 3)
    # A quarter turn about x exchanges y and z.
    assert inertial.inertia == pytest.approx((1, 0, 0, 3, 0, 2), abs=1e-7)


def test_filtered_pairs_and_collision_groups_are_not_checked(tmp_path: Path) -> None:
    ball = 'def Sphere "s" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{\n}\n'
    filtered = {"a": "rel physics:filteredPairs = </c>\n"}
    bodies = "".join(BODY.format(name, filtered.get(name, "") + ball) for name in "abcd")
    chain = (
        'def PhysicsFixedJoint "{0}{1}"\n{{\nrel physics:body0 = </{0}>\nrel physics:body1 = '
        "</{1}>\n}}\n"
    )
    joints = chain.format("a", "b") + chain.format("b", "c") + chain.format("c", "d")
    group = (
        'def PhysicsCollisionGroup "{0}" (prepend apiSchemas = ["CollectionAPI:colliders"])\n{{\n'
    )
    group += "rel collection:colliders:includes = {1}\nrel physics:filteredGroups = {2}\n}}\n"
    groups = group.format("g", "</a>", "</h>") + group.format("h", "</d>", "[]")
    robot = read(tmp_path, bodies + joints + groups)
    pairs = {pair.link1 + pair.link2: pair.reason or "" for pair in robot.pairs}
    assert sorted(pairs) == ["ab", "ac", "ad", "bc", "cd"]
    assert (pairs["ab"], pairs["ac"].split()[0], pairs["ad"].split()[0]) == (
        "Adjacent",
        "physics:filteredPairs",
        "collision",
    )


def test_spheres_of_an_editor_become_spheres_of_the_xrdf(tmp_path: Path) -> None:
    ball = (
        'def Sphere "collision_sphere_3"\n{\ndouble radius = 0.1\ndouble3 xformOp:translate = (0, '
        "0, 0.2)\n"
    )
    ball += 'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
    robot = read(tmp_path, two_bodies("", place=ball))
    assert robot.spheres == {"b": (CollisionSphere((0, 0, 0.2), 0.1),)}
    assert robot.urdf.links[1].visuals == ()


def test_the_state_of_joints_is_where_the_xrdf_starts(tmp_path: Path) -> None:
    joint = (
        "float state:angular:physics:position = 30\nfloat drive:angular:physics:targetPosition = 60"
    )
    robot = read(tmp_path, two_bodies(joint))
    assert robot.start == {"j": pytest.approx(np.pi / 6)}
    assert robot.states["drive_targets"] == {"j": pytest.approx(np.pi / 3)}


# -- files that are not to be trusted


def test_no_layer_outside_the_folder_of_the_asset_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "asset"
    folder.mkdir()
    (tmp_path / "secret.usda").write_text(HEAD + ARM)
    (folder / "inside.usda").write_text(HEAD + ARM)
    (folder / "link.usda").symlink_to(tmp_path / "secret.usda")
    names = [
        "../secret.usda",
        str(tmp_path / "secret.usda"),
        "https://host/a.usd",
        "omniverse://host/a.usd",
        "link.usda",
    ]
    names += ["missing.usda", "inside.usdz[a.usda]", "//host/share/a.usd", "C:/a.usd"]
    sublayers = ", ".join(f"@{name}@" for name in names)
    reference = 'def Xform "x" (references = @../secret.usda@</arm>)\n{\n}\n'
    text = f"#usda 1.0\n(\n    subLayers = [{sublayers}]\n)\n{reference}"
    with pytest.raises(FormatError, match="no rigid body") as refused:
        read(folder, text, "")
    assert "outside the folder" in str(refused.value)
    inside = f'#usda 1.0\n(\n    upAxis = "Z"\n    subLayers = [@./inside.usda@, {sublayers}]\n)\n'
    robot = read(folder, inside, "")
    assert [link.name for link in robot.urdf.links] == ["base", "upper"]
    unread = [str(entry) for entry in robot.report.entries if entry.is_unread]
    assert len(unread) == len(names)


def test_layers_that_name_each_other_in_a_circle_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "b.usda").write_text("#usda 1.0\n(\n    subLayers = [@arm.usda@, @b.usda@]\n)\n")
    head = HEAD.replace(")\n", "    subLayers = [@b.usda@]\n)\n")
    loop = 'def Xform "again" (references = @arm.usda@</again>)\n{\n}\n'
    assert [link.name for link in read(tmp_path, ARM + loop, head).urdf.links] == ["base", "upper"]


def test_references_that_multiply_are_refused_before_they_are_composed(tmp_path: Path) -> None:
    levels = [
        f'def "l{n}"\n{{\n'
        + "".join(f'def "c{k}" (references = </l{n + 1}>)\n{{\n}}\n' for k in range(10))
        + "}\n"
        for n in range(9)
    ]
    with pytest.raises(FormatError, match="the limit"):
        read(tmp_path, "".join(levels) + 'def "l9"\n{\n}\n' + ARM)


def test_a_chain_of_references_without_end_is_refused(tmp_path: Path) -> None:
    chain = "".join(f'def "l{n}" (references = </l{n + 1}>)\n{{\n}}\n' for n in range(3000))
    with pytest.raises(FormatError, match="nested too deep"):
        read(tmp_path, chain + ARM)


def test_a_package_is_read_and_one_that_leaves_its_folder_is_refused(tmp_path: Path) -> None:
    for name, fits in (("arm.usda", True), ("../arm.usda", False)):
        with zipfile.ZipFile(tmp_path / "arm.usdz", "w") as package:
            package.writestr(name, HEAD + ARM)
        if fits:
            assert read_stage(tmp_path / "arm.usdz").urdf.name == "arm"
        else:
            with pytest.raises(FormatError, match="outside the package"):
                read_stage(tmp_path / "arm.usdz")
    (tmp_path / "arm.usdz").write_bytes(b"PK\x03\x04\x88")
    with pytest.raises(FormatError, match="cannot be unpacked"):
        read_stage(tmp_path / "arm.usdz")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no USD layer"),
        (b"PXR-USDC\x00\x00\x88", "no valid USD layer"),
        (b"#usda 1.0\n\xff", "not UTF-8"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "pointer of Git LFS"),
        (b"#usda 1.0\n", "no rigid body"),
    ],
)
def test_what_is_no_robot_is_refused_with_the_reason(
    tmp_path: Path, content: bytes, told: str
) -> None:
    (tmp_path / "arm.usd").write_bytes(content)
    with pytest.raises(FormatError, match=told):
        read_stage(tmp_path / "arm.usd")


def test_meshes_with_wrong_indices_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    text = MESH.format("").replace("4,5,6,7", "4,5,6,99").replace("(0,1,1)]", "(0,1,nan)]")
    robot = read(tmp_path, BODY.format("a", text))
    assert "of its triangles name points" in lost(robot)
    assert len(robot.meshes) == 1


def test_without_the_library_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / "arm.usda").write_text(HEAD + ARM)
    with pytest.raises(FormatError, match=r"usd-core.*\[usd\]"):
        convert([tmp_path / "arm.usda"], tmp_path / "arm.urdf", ConvertOptions(to="urdf"))


def with_isaac(text: str) -> str:
    """ARM with a wrist, whose joint comes first, and metadata as Isaac Sim writes it."""
    robot = '"PhysicsArticulationRootAPI", "IsaacRobotAPI"'
    text = text.replace('"PhysicsArticulationRootAPI"', robot, 1).replace(
        "\n{\n", "\n{\n" + ISAAC, 1
    )
    return text.replace(
        '    def Cylinder "tube"',
        '    string isaac:nameOverride = "forearm"\n        def Cylinder "tube"',
        1,
    )


ISAAC = """\
    rel isaac:physics:robotLinks = [</arm/base>, </arm/upper>, </arm/wrist>]
    rel isaac:physics:robotJoints = [</arm/joints/roll>, </arm/shoulder>]
    string isaac:namespace = "left"
    string isaac:description = ""
    token isaac:robotType = "Manipulator"
    def Xform "wrist" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        double3 xformOp:translate = (0, 0, 0.75)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Scope "tcp" (prepend apiSchemas = ["IsaacSiteAPI"])
        {
            token isaac:forwardAxis = "X"
        }
        def Xform "camera"
        {
        }
    }
    def Xform "stand" (prepend apiSchemas = ["IsaacReferencePointAPI", "PhysicsRigidBodyAPI"])
    {
    }
    def PhysicsFixedJoint "stand_joint"
    {
        rel physics:body0 = </arm/base>
        rel physics:body1 = </arm/stand>
    }
    def Scope "joints"
    {
        def PhysicsPrismaticJoint "roll" (prepend apiSchemas = ["IsaacJointAPI", "PhysicsDriveAPI:linear"])
        {
            rel physics:body0 = </arm/upper>
            rel physics:body1 = </arm/wrist>
            uniform token physics:axis = "X"
            point3f physics:localPos0 = (0, 0, 0.5)
            float physics:lowerLimit = -1
            float physics:upperLimit = 1
            float drive:linear:physics:maxForce = 10
            string isaac:NameOverride = "slide"
            float[] isaac:physics:AccelerationLimit = [-1, -1]
            float[] isaac:physics:JerkLimit = [5]
            int isaac:physics:Rot_X:DofOffset = 0
        }
    }
    def Scope "Named_Poses"
    {
        def IsaacNamedPose "ready"
        {
            rel isaac:robot:pose:joints = [</arm/joints/roll>, </arm/shoulder>]
            float[] isaac:robot:pose:jointValues = [0.5, 90]
            bool isaac:robot:pose:valid = 1
        }
        def IsaacNamedPose "unreached"
        {
            bool isaac:robot:pose:valid = 0
        }
        def IsaacNamedPose "half"
        {
            rel isaac:robot:pose:joints = </arm/shoulder>
        }
    }
"""


def test_metadata_of_isaac_sim_gives_names_tools_order_and_poses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_here(monkeypatch)
    head = HEAD.replace(")\n", '    customLayerData = {\n        string author = "x"\n    }\n)\n')
    arm = read(tmp_path, with_isaac(ARM), head)
    assert {"forearm", "tcp", "camera", "stand"} <= {link.name for link in arm.urdf.links}
    assert joint_of(arm, "slide").type == JointType.PRISMATIC
    assert arm.order == ("slide", "shoulder")
    assert set(arm.tools) == {"stand", "tcp"}
    assert arm.states["ready"] == pytest.approx({"slide": 0.5, "shoulder": np.pi / 2})
    for sentence in (
        "isaac:namespace (1), isaac:robotType (1)",
        "isaac:forwardAxis (1)",
        "isaac:physics:JerkLimit (1)",
        "customLayerData: settings of the program that wrote the file: author",
        "IsaacNamedPose unreached",
        "IsaacNamedPose half: 1 joints and 0 values",
    ):
        assert sentence in lost(arm)
    for silent in ("AccelerationLimit", "DofOffset", "isaac:description"):
        assert silent not in lost(arm)
    xrdf = (
        convert([tmp_path / "arm.usda"], tmp_path / "arm.xrdf", ConvertOptions(to="xrdf"))
        .files[0][1]
        .decode()
    )
    document = yaml.safe_load(xrdf)
    assert document["tool_frames"] == ["tcp"]
    assert document["cspace"]["joint_names"] == ["slide", "shoulder"]
    assert document["default_joint_positions"]["slide"] == pytest.approx(0.5)
