"""Edited origins and axes of a robot that came from USD are written into the layer, as frames of
joints and bodies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.document import commands
from editor_app.core.model.urdf import Joint, JointType, Origin, Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import Matrix
from editor_app.core.space.kinematics.tree import build_tree
from tests.usd.test_usd_becomes_a_robot import HEAD

pytest.importorskip("pxr", reason="the extra is not installed")

from pxr import Usd, UsdGeom

from tests.usd.test_usd_over_layers import CENTIMETRES, Over

BODY = """def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{{
    float3 xformOp:scale = ({scale}, {scale}, {scale})
    double3 xformOp:translate = {at}
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {{
        double size = 1
    }}
    {inside}
}}
"""
PLACE = 'double3 xformOp:translate = {}\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
TURN = "(0.8, 0, 0.6, 0)"


def joint(name: str, ends: tuple[str, str], pos0: str, pos1: str, *, turns: bool = False) -> str:
    """A joint about y; with `turns`, its frames are turned in both bodies."""
    rotations = (
        f"quatf physics:localRot0 = {TURN}\nquatf physics:localRot1 = {TURN}\n" if turns else ""
    )
    return (
        f'def PhysicsRevoluteJoint "{name}"\n{{\n'
        f"rel physics:body0 = </arm/{ends[0]}>\nrel physics:body1 = </arm/{ends[1]}>\n"
        'uniform token physics:axis = "Y"\nfloat physics:lowerLimit = -90\nfloat '
        "physics:upperLimit = 90\n"
        f"point3f physics:localPos0 = {pos0}\npoint3f physics:localPos1 = {pos1}\n{rotations}}}\n"
    )


def chain(*, nested: bool, scale: float = 1.0, reverse: bool = False, away: bool = False) -> str:
    """Three bodies with two joints. `reverse`: the joints name the child first; `away`: they are
    not at its origin."""
    hand = BODY.format(
        name="hand",
        at="(0, 0, 1)" if nested else "(0, 0, 3)",
        scale=1 if nested else scale,
        inside="",
    )
    mark = f'def Xform "flange"\n{{\n{PLACE.format("(0, 0, 0.5)")}}}\n'
    upper = BODY.format(name="upper", at="(0, 0, 2)", scale=scale, inside=hand if nested else mark)
    base = BODY.format(name="base", at="(0, 0, 0)", scale=1, inside="")
    top = "upper/hand" if nested else "hand"
    low, high = ("(0.5, 0, -1)", "(0, 0, 0)") if away else ("(0, 0, 0)", "(0, 0, 0)")
    foot = "(0.5, 0, 1)" if away else "(0, 0, 2)"
    first = ("upper", "base", low, foot) if reverse else ("base", "upper", foot, low)
    # The places are in the units of the bodies.
    tip = f"(0, 0, {1 if nested else 1 / scale:g})"
    joints = joint("lift", first[:2], *first[2:], turns=away) + joint(
        "swing", ("upper", top), tip, high
    )
    bodies = base + upper + ("" if nested else hand)
    return (
        'def Xform "arm" (prepend apiSchemas = '
        f'["PhysicsArticulationRootAPI"])\n{{\n{bodies}{joints}}}\n'
    )


STAGES = {
    "flat": HEAD + chain(nested=False),
    "nested": HEAD + chain(nested=True),
    "scaled in centimetres": CENTIMETRES + chain(nested=False, scale=2.0),
    "nested in scaled bodies": HEAD + chain(nested=True, scale=0.5),
    "child first": HEAD + chain(nested=False, reverse=True),
    "joint away from the child": HEAD + chain(nested=False, away=True),
    "joint away from the child, child first": HEAD + chain(nested=False, away=True, reverse=True),
}


def frames(urdf: Urdf, positions: dict[str, float]) -> dict[str, Matrix]:
    tree = build_tree(urdf)
    return dict(zip(tree.frames, compute_forward(tree, positions), strict=True))


def assert_same_motion(ours: Urdf, read: Urdf) -> None:
    # The frame of a link without shape between two joints follows the axis.
    names = {link.name for link in read.links} & {"base", "upper", "hand", "flange"}
    assert len(names) >= 3
    for positions in ({}, {"lift": 0.4, "swing": -0.7}, {"lift": -1.1, "swing": 0.3}):
        wanted, got = frames(ours, positions), frames(read, positions)
        for name in names:
            below = [np.linalg.inv(each["base"]) @ each[name] for each in (wanted, got)]
            assert np.abs(below[0] - below[1]).max() < 2e-6, name


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize(
    "axis", [(0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (1.0, 2.0, -0.5)], ids=["same", "opposite", "other"]
)
def test_a_moved_joint_is_read_back_and_composed(
    tmp_path: Path, stage: str, axis: tuple[float, float, float]
) -> None:
    over = Over(tmp_path, stage)
    lift, swing = over.joint("lift"), over.joint("swing")
    old = np.array(lift.axis)
    other = axis if abs(axis[1]) < 1.5 else tuple(float(v) for v in (old + 0.5 * np.roll(old, 1)))
    sign = -1.0 if axis[1] < 0 else 1.0
    turned = tuple(float(v) for v in sign * old) if abs(axis[1]) == 1.0 else other
    metre = 1.0 if "metersPerUnit = 1" in stage else 0.01
    new = Origin((0.1 * metre, 0.2 * metre, 1.5 * metre), (0.3, -0.2, 0.1))
    over.edit(
        commands.SetJoint("lift", replace(lift, origin=new, axis=turned)),  # type: ignore[arg-type]
        commands.SetJoint(
            "swing", replace(swing, origin=replace(swing.origin, rpy=(0.0, 0.4, 0.0)))
        ),
    )
    read = over.write()
    assert over.lost == []
    assert_same_motion(over.robot.urdf, read.urdf)
    # USD places the bodies where the joints lead, as it did before.
    layer = Usd.Stage.Open(str(tmp_path / "over.usda"))
    cache, wanted = UsdGeom.XformCache(), frames(over.robot.urdf, {})
    composed = {
        prim.GetName(): np.array(cache.GetLocalToWorldTransform(prim)).T[:3, 3] * metre
        for prim in layer.Traverse()
        if prim.GetName() in ("base", "upper", "hand", "flange")
    }
    root = over.robot.urdf.links[0].name
    for name, place in composed.items():
        assert np.abs(place - composed[root] - wanted[name][:3, 3]).max() < 2e-6, name
    assert "pose" not in {entry.item for entry in read.report.entries if entry.fate == "lost"}


def test_joints_without_a_prim_move_their_frames_only(tmp_path: Path) -> None:
    over = Over(tmp_path, HEAD + chain(nested=False))
    fixed = over.joint("flange_fixed")
    over.edit(
        commands.SetJoint(
            "flange_fixed", replace(fixed, origin=Origin((0.0, 0.25, 0.5), (0.0, 0.0, 1.0)))
        )
    )
    read = over.write()
    assert over.lost == []
    again = read.urdf.joint("flange_fixed")
    assert again is not None
    assert again.origin.xyz == pytest.approx((0.0, 0.25, 0.5))
    assert again.origin.rpy == pytest.approx((0.0, 0.0, 1.0))
    assert "physics:localPos" not in over.text


def test_an_axis_of_a_joint_with_several_is_reported_and_its_origin_is_written(
    tmp_path: Path,
) -> None:
    ends = "rel physics:body0 = </arm/upper>\nrel physics:body1 = </arm/hand>\n"
    ball = (
        f'def PhysicsSphericalJoint "ball"\n{{\n{ends}point3f physics:localPos0 = (0, 0, 1)\n}}\n'
    )
    text = chain(nested=False)
    start = text.index('def PhysicsRevoluteJoint "swing"')
    over = Over(tmp_path, HEAD + text[:start] + ball + "}\n")
    first: Joint = over.joint("ball_rotX")
    over.edit(commands.SetJoint("ball_rotX", replace(first, origin=Origin((0.0, 0.3, 1.25)))))
    read = over.write()
    assert over.lost == []
    again = read.urdf.joint("ball_rotX")
    assert again is not None
    assert again.origin.xyz == pytest.approx((0.0, 0.3, 1.25))
    second = over.joint("ball_rotY")
    over.edit(commands.SetJoint("ball_rotY", replace(second, axis=(1.0, 0.0, 0.0))))
    over.write()
    assert over.lost == ["places of the joints ball_rotX, ball_rotY"]


def test_joints_of_the_same_bodies_move_together(tmp_path: Path) -> None:
    text = chain(nested=False)
    start = text.index('def PhysicsRevoluteJoint "swing"')
    turn = joint("swing", ("upper", "hand"), "(0, 0, 1)", "(0, 0, 0)")
    over = Over(
        tmp_path,
        HEAD + text[:start] + turn + turn.replace("swing", "roll").replace('"Y"', '"X"') + "}\n",
    )
    names = ["swing", "roll"]
    first = next(each for each in over.robot.urdf.joints if each.name in names)
    over.edit(
        commands.SetJoint(
            first.name, replace(first, origin=Origin((0.0, 0.3, 1.25), (0.5, 0.0, 0.0)))
        )
    )
    read = over.write()
    assert over.lost == []
    for positions in ({}, {"lift": 0.4, "swing": -0.7, "roll": 0.2}):
        places = [frames(urdf, positions) for urdf in (over.robot.urdf, read.urdf)]
        assert np.abs(places[0]["hand"] - places[1]["hand"]).max() < 2e-6


def test_a_joint_of_another_kind_stays_reported(tmp_path: Path) -> None:
    over = Over(tmp_path, HEAD + chain(nested=False))
    swing = over.joint("swing")
    moved = replace(swing, type=JointType.FIXED, limit=None, origin=Origin((0.0, 0.0, 1.5)))
    over.edit(commands.SetJoint("swing", moved))
    over.write()
    assert over.lost == ["type of swing", "places of the joints swing"]
