"""Joints of a USD stage: OpenUSD's own values put all links where the URDF puts them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.core.document.opening import open_document
from tests.helpers.usd_stage import write_stage

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"
#: Metres: frames of joints have single precision in USD.
NEAR = 2e-7


def mass(kilograms: float = 1.0) -> str:
    moments = 'ixx="0.01" iyy="0.02" izz="0.025" ixy="0.001" ixz="0" iyz="-0.002"'
    origin = '<origin xyz="0.01 -0.02 0.03" rpy="0.3 0.2 0.1"/>'
    return f'<inertial><mass value="{kilograms}"/>{origin}<inertia {moments}/></inertial>'


#: All types of joints, axes in all directions, a frame between two bodies, mimics of both kinds.
KINDS = f"""<robot name="kinds">
<link name="world"/> <link name="base">{mass(5)}</link> <link name="skew">{mass()}</link>
<link name="back">{mass()}</link> <link name="slide">{mass()}</link> <link name="plate"/>
<link name="hand">{mass()}</link> <link name="tip"/>
<link name="follower">{mass()}</link> <link name="second">{mass()}</link> <link name="light"/>
<link name="cart">{mass()}</link> <link name="ball">{mass()}</link> <link name="tail">{mass()}</link>
<joint name="feet" type="fixed"><parent link="world"/><child link="base"/>
  <origin xyz="0.1 0.2 0.3" rpy="0 0 1"/></joint>
<joint name="a" type="revolute"><parent link="base"/><child link="skew"/><origin xyz="0 0 0.4" rpy="0.1 0.2 0.3"/>
  <axis xyz="1 2 -3"/><limit lower="-1.5" upper="2" effort="30" velocity="1.5"/>
  <dynamics damping="0.5" friction="0.2"/></joint>
<joint name="b" type="continuous"><parent link="skew"/><child link="back"/><origin xyz="0.2 0 0"/><axis xyz="0 -1 0"/>
  <limit effort="20" velocity="2"/></joint>
<joint name="c" type="prismatic"><parent link="back"/><child link="slide"/><origin rpy="0 1 0"/><axis xyz="-1 0 0"/>
  <limit lower="-0.1" upper="0.2" effort="10" velocity="0.5"/><dynamics damping="3" friction="4"/></joint>
<joint name="d" type="fixed"><parent link="slide"/><child link="plate"/><origin xyz="0 0 0.1" rpy="1 0 0"/></joint>
<joint name="e" type="revolute"><parent link="plate"/><child link="hand"/><origin xyz="0 0.1 0"/><axis xyz="0 0 -2"/>
  <limit lower="-1" upper="1" effort="0" velocity="0"/></joint>
<joint name="f" type="fixed"><parent link="hand"/><child link="tip"/><origin xyz="0 0 0.2" rpy="0 0 1"/></joint>
<joint name="g" type="revolute"><parent link="hand"/><child link="follower"/><axis xyz="0 1 0"/>
  <limit lower="-4" upper="4" effort="1" velocity="1"/><mimic joint="a" multiplier="-2" offset="0.25"/></joint>
<joint name="h" type="prismatic"><parent link="hand"/><child link="second"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="c" multiplier="0.5" offset="0.01"/></joint>
<joint name="i" type="revolute"><parent link="hand"/><child link="light"/><axis xyz="1 1 0"/>
  <limit lower="-1e5" upper="1" effort="1" velocity="1"/></joint>
<joint name="j" type="planar"><parent link="base"/><child link="cart"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="floating"><parent link="base"/><child link="ball"/><origin xyz="0 1 0"/></joint>
<joint name="l" type="revolute"><parent link="ball"/><child link="tail"/><origin xyz="0 0 -0.2"/><axis xyz="1 0 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def kinds(tmp_path: Path) -> Path:
    path = tmp_path / "kinds.urdf"
    path.write_text(KINDS)
    return path


@pytest.mark.parametrize("layout", [None, "nested"])
@pytest.mark.parametrize("base", [None, "free"])
def test_all_kinds_of_joints_move_links_as_the_urdf_does(
    kinds: Path, tmp_path: Path, layout: str | None, base: str | None
) -> None:
    stage = write_stage([kinds], tmp_path / "kinds.usda", usd_layout=layout, usd_base=base)
    assert stage.faults == []
    check_poses(stage, kinds, dict.fromkeys("abceil", 1.0), {"c": 0.1})


def check_poses(
    stage: object, urdf: Path, ranges: dict[str, float], narrow: dict[str, float]
) -> None:
    from tests.helpers.usd_stage import Stage

    assert isinstance(stage, Stage)
    document, random = open_document(urdf), np.random.default_rng(0)
    for _ in range(10):
        chosen = {name: float(random.uniform(-far, far)) for name, far in (ranges | narrow).items()}
        wanted = editor_app.frame_poses(document, chosen)
        followers = [joint for joint in document.robot.urdf.joints if joint.mimic is not None]
        for joint in followers:
            assert joint.mimic is not None
            chosen[joint.name] = (
                joint.mimic.multiplier * chosen[joint.mimic.joint] + joint.mimic.offset
            )
        placed = stage.poses(chosen)
        assert set(wanted) <= set(placed)
        assert max(float(np.abs(placed[name] - pose).max()) for name, pose in wanted.items()) < NEAR


@pytest.mark.parametrize("layout", [None, "nested"])
def test_the_sample_moves_as_its_urdf(tmp_path: Path, layout: str | None) -> None:
    stage = write_stage(open_document(SAMPLE), tmp_path / "heron.usda", usd_layout=layout)
    assert stage.faults == []
    free = [
        j.name for j in open_document(SAMPLE).robot.urdf.joints if j.is_movable and j.mimic is None
    ]
    check_poses(stage, SAMPLE, dict.fromkeys(free, 1.0), {"left_finger_joint": 0.01})


def test_bodies_are_where_all_joints_are_at_zero(kinds: Path, tmp_path: Path) -> None:
    stage = write_stage([kinds], tmp_path / "kinds.usda")
    zero = dict.fromkeys("abceil", 0.0)
    wanted = stage.poses({})
    assert editor_app.frame_poses(open_document(kinds), zero)["tip"] == pytest.approx(
        wanted["tip"], abs=NEAR
    )
    for name, prim in stage.prims.items():
        assert stage.place(prim, stage.robot) == pytest.approx(wanted[name], abs=NEAR)


def test_limits_are_degrees_or_metres_and_endless_joints_have_none(
    kinds: Path, tmp_path: Path
) -> None:
    stage = write_stage([kinds], tmp_path / "kinds.usda")
    limits = {
        name: tuple(
            stage.value(f"joints/{name}", f"physics:{side}Limit") for side in ("lower", "upper")
        )
        for name in "abceghi"
    }
    assert limits["a"] == pytest.approx((math.degrees(-1.5), math.degrees(2)))
    assert limits["b"] == (-math.inf, math.inf)
    assert limits["c"] == pytest.approx((-0.1, 0.2))
    assert limits["i"] == pytest.approx((-math.inf, math.degrees(1)))
    assert not stage.at("joints/b").GetAttribute("physics:lowerLimit").HasAuthoredValue()


def test_speeds_forces_and_dynamics_have_the_units_of_their_programs(
    kinds: Path, tmp_path: Path
) -> None:
    stage = write_stage([kinds], tmp_path / "kinds.usda")
    turning, sliding = "joints/a", "joints/c"
    degree = math.pi / 180
    assert stage.value(turning, "physxJoint:maxJointVelocity") == pytest.approx(1.5 / degree)
    assert stage.value(turning, "newton:velocityLimit") == pytest.approx(1.5 / degree)
    assert stage.value(turning, "drive:angular:physics:maxForce") == 30
    assert stage.value(turning, "newton:damping") == pytest.approx(0.5 * degree)
    assert stage.value(
        turning, "physxJointAxis:angular:viscousFrictionCoefficient"
    ) == pytest.approx(0.5 * degree)
    assert stage.value(turning, "newton:friction") == pytest.approx(0.2)
    assert stage.value(turning, "physxJointAxis:angular:maxJointVelocity") == pytest.approx(
        1.5 / degree
    )
    assert stage.value(sliding, "physxJoint:maxJointVelocity") == 0.5
    assert stage.value(sliding, "drive:linear:physics:maxForce") == 10
    assert stage.value(sliding, "newton:damping") == 3
    assert stage.value(sliding, "physxJointAxis:linear:staticFrictionEffort") == 4
    # Zero means no limit in URDFs, and no force in USD.
    assert (
        not stage.at("joints/e").GetAttribute("drive:angular:physics:maxForce").HasAuthoredValue()
    )
    assert stage.value("joints/e", "newton:velocityLimit") is None


def test_safety_controllers_and_calibrations_are_kept(tmp_path: Path) -> None:
    kept = (
        '<safety_controller k_velocity="2" soft_lower_limit="-0.5"/><calibration '
        'rising="0.25"/></joint>'
    )
    (tmp_path / "kinds.urdf").write_text(
        KINDS.replace('</joint>\n<joint name="b"', f'{kept}\n<joint name="b"')
    )
    stage = write_stage([tmp_path / "kinds.urdf"], tmp_path / "kinds.usda")
    assert stage.faults == []
    assert stage.value("joints/a", "urdf:safety_controller:k_velocity") == 2
    assert stage.value("joints/a", "urdf:safety_controller:soft_lower_limit") == -0.5
    assert stage.value("joints/a", "urdf:calibration:rising") == 0.25


def test_mimics_follow_in_newton_and_physx(kinds: Path, tmp_path: Path) -> None:
    stage = write_stage([kinds], tmp_path / "kinds.usda")
    turning, sliding = "joints/g", "joints/h"
    for path, leader, coefficients in (
        (turning, "a", (math.degrees(0.25), -2.0)),
        (sliding, "c", (0.01, 0.5)),
    ):
        prim = stage.at(path)
        target = [str(stage.at(f"joints/{leader}").GetPath())]
        newton = [stage.value(path, f"newton:mimicCoef{number}") for number in (0, 1)]
        assert newton == pytest.approx(coefficients)
        assert list(map(str, prim.GetRelationship("newton:mimicJoint").GetTargets())) == target
        # PhysX: position + gearing · leader + offset = 0.
        instance = f"physxMimicJoint:rot{stage.value(path, 'physics:axis')}"
        physx = [-stage.value(path, f"{instance}:{key}") for key in ("offset", "gearing")]
        assert physx == pytest.approx(coefficients)
        assert (
            list(map(str, prim.GetRelationship(f"{instance}:referenceJoint").GetTargets()))
            == target
        )
        leading = stage.value(f"joints/{leader}", "physics:axis")
        assert stage.value(path, f"{instance}:referenceJointAxis") == f"rot{leading}"


def test_planar_joints_lock_three_directions_and_floating_ones_are_none(
    kinds: Path, tmp_path: Path
) -> None:
    stage = write_stage([kinds], tmp_path / "kinds.usda")
    locked = [
        key
        for key in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
        if (low := stage.value("joints/j", f"limit:{key}:physics:low")) is not None
        and low > stage.value("joints/j", f"limit:{key}:physics:high")
    ]
    assert locked == ["transZ", "rotX", "rotY"]
    assert "k" not in stage.joints


def test_openusd_parses_one_articulation_that_stands_on_the_world(
    kinds: Path, tmp_path: Path
) -> None:
    stage = write_stage([kinds], tmp_path / "kinds.usda")
    from pxr import UsdPhysics

    parsed = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage.stage, ["/"])
    assert all(each.isValid for _, of_kind in parsed.values() for each in of_kind)
    [articulation] = parsed[UsdPhysics.ObjectType.Articulation][1]
    assert "/kinds/joints/feet" in map(str, articulation.rootPrims)
    bodies = {name for name, prim in stage.prims.items() if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    assert {"world", "plate", "tip"} == set(stage.prims) - bodies


def test_an_empty_root_that_carries_several_bodies_is_a_body(tmp_path: Path) -> None:
    fixed = '<joint name="{0}" type="fixed"><parent link="root"/><child link="{0}"/></joint>'
    links = "".join(
        f'<link name="{name}">{mass()}</link>{fixed.format(name)}' for name in ("left", "right")
    )
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="root"/>{links}</robot>')
    stage = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda")
    from pxr import UsdPhysics

    parsed = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage.stage, ["/"])
    [articulation] = parsed[UsdPhysics.ObjectType.Articulation][1]
    assert list(map(str, articulation.rootPrims)) == ["/r/joints/root_to_world"]
    assert stage.prims["root"].HasAPI(UsdPhysics.RigidBodyAPI)


def test_a_free_base_has_no_joint_to_the_world(tmp_path: Path) -> None:
    fixed, free = (
        write_stage(open_document(SAMPLE), tmp_path / f"heron{base}.usda", usd_base=base)
        for base in (None, "free")
    )
    assert set(fixed.joints) - set(free.joints) == {"base_link_to_world"}


@pytest.mark.parametrize(
    "axis",
    [
        "1e-14 0 1",
        "1e-14 0 -1",
        "0 -1 1e-13",
        "1e-9 1 0",
        "-1 1e-9 1e-9",
        "0 0 0",
        "1 1 1",
        "-1 1 -1",
    ],
)
def test_axes_close_to_an_axis_of_the_frame_keep_their_direction(tmp_path: Path, axis: str) -> None:
    joint = (
        f'<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="{axis}"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    )
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>'
    )
    stage = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda")
    if axis != "0 0 0":
        check_poses(stage, tmp_path / "r.urdf", {"j": 1.0}, {})
    assert stage.faults == []


def test_the_default_configuration_is_the_target_of_the_drives(tmp_path: Path) -> None:
    document = open_document(SAMPLE)
    stage = write_stage(document, tmp_path / "heron.usda")
    positions = document.robot.xrdf.default_joint_positions
    assert positions
    for joint in document.robot.urdf.joints:
        if joint.name in positions:
            turns = joint.type is not editor_app.urdf.JointType.PRISMATIC
            kind, unit = ("angular", math.degrees(1)) if turns else ("linear", 1.0)
            target = stage.value(f"joints/{joint.name}", f"drive:{kind}:physics:targetPosition")
            assert target == pytest.approx(positions[joint.name] * unit, abs=1e-5)
