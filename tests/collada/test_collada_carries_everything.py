"""Every element of the COLLADA robot specification is read, carried, and written again."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.cli import run_command
from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.sensors import list_sensors as placed_sensors
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.sensors import OPENRAVE_TYPES, Sensor
from editor_app.core.model.urdf import Ball, Box, Mesh
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.text.source import SourceText
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.collada.write import OriginalTexts, collada_files
from tests.helpers.collada_robot import ATTACHED, ROBOT
from tests.helpers.robots import report_of, srdf_of, stated_of, text_of, urdf_of

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f87ffec07f0008ed038eb7"
    "49aec10000000049454e44ae426082"
)


def write(tmp_path: Path, text: str = ROBOT) -> Path:
    path = tmp_path / "complete.dae"
    path.write_text(text)
    (tmp_path / "wood grain.png").write_bytes(PNG)
    return path


@pytest.fixture
def collada(tmp_path: Path) -> RobotFiles:
    return read_collada_robot(write(tmp_path))


def sensors_of(collada: RobotFiles) -> dict[str, Sensor]:
    return {s.name.removeprefix("my_"): s for s in urdf_of(collada).sensors}


def again(collada: RobotFiles, folder: Path, with_sources: bool) -> RobotFiles:
    """Written and read once more, with or without what the file says for this editor alone."""
    robot = RobotDescription(urdf_of(collada), Xrdf(), srdf_of(collada))
    sources = (
        OriginalTexts(text_of(collada.urdf), text_of(collada.srdf))
        if with_sources
        else OriginalTexts("", "", "")
    )
    for name, data in collada.meshes:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)

    files, _ = collada_files(
        robot, folder / "again.dae", lambda mesh: load_mesh(folder / mesh.filename).parts, sources
    )
    for path, data in files:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return read_collada_robot(folder / "again.dae")


def test_limits_speeds_and_who_is_driven(collada: RobotFiles) -> None:
    turn = urdf_of(collada).joint("turn")
    assert turn is not None
    assert turn.limit is not None
    # What the controller allows, not what the hardware could.
    assert (turn.limit.lower, turn.limit.upper) == pytest.approx(
        (-math.radians(160), math.radians(160))
    )
    assert turn.limit.velocity == pytest.approx(math.radians(90))
    assert stated_of(collada).accelerations["turn"] == pytest.approx(math.pi)
    assert stated_of(collada).jerks["turn"] == pytest.approx(10 * math.pi)
    assert stated_of(collada).controlled == ("bend", "turn")
    assert stated_of(collada).positions["turn"] == pytest.approx(math.radians(30))


def test_formulas_of_the_openrave_technique_alone_are_mimics_and_others_are_kept(
    collada: RobotFiles,
) -> None:
    second = urdf_of(collada).joint("second")
    assert second is not None
    assert second.mimic is not None
    assert (second.mimic.joint, second.mimic.multiplier, second.mimic.offset) == (
        "finger",
        1.0,
        0.0,
    )
    kept = [e.text for e in urdf_of(collada).extensions if 'where="formula"' in e.text]
    assert len(kept) == 1
    # By names, so that they can be read and renamed.
    assert "<sin/>" in kept[0]
    assert ">turn<" in kept[0]


def test_manipulators_are_groups_with_tools_and_grippers(collada: RobotFiles) -> None:
    srdf = srdf_of(collada)
    assert {g.name: g.chains for g in srdf.groups if g.chains} == {
        "whole": (("base", "hand"),),
        "upper": (("arm", "hand"),),
    }
    assert [(e.parent_link, e.parent_group, e.group) for e in srdf.end_effectors] == [
        ("hand", "whole", "whole_gripper")
    ]
    assert srdf.group("whole_gripper").joints == ("finger",)  # type: ignore[union-attr]
    assert srdf.tcps[0].xyz == pytest.approx((0, 0, 0.22))
    kept = " ".join(e.text for e in urdf_of(collada).extensions)
    for word in (
        "Transform6D",
        "Translation3D",
        'stepsize="0.01"',
        "ik.so",
        "closing_direction",
        "<direction>",
    ):
        assert word in kept


def test_masks_and_shapes_for_collision(collada: RobotFiles) -> None:
    assert {(p.link1, p.link2) for p in srdf_of(collada).disabled_pairs} == {
        ("base", "arm"),
        ("arm", "hand"),
    }
    urdf = urdf_of(collada)
    base, arm, hand = (urdf.link(n) for n in ("base", "arm", "hand"))
    assert base is not None
    assert arm is not None
    assert hand is not None
    assert isinstance(base.collisions[0].geometry, Mesh)
    assert arm.collisions[0].geometry == Box((0.2, 0.4, 0.6))
    assert arm.collisions[0].origin.xyz == (0, 0, 0.5)
    assert not hand.collisions
    # Spheres for self-collision become spheres of an XRDF; other shapes are kept in URDF's words.
    assert [(s.center, s.radius) for s in stated_of(collada).spheres["arm"]] == [
        ((0.1, 0.0, 0.0), 0.2)
    ]
    kept = next(e.text for e in urdf.extensions if 'where="self_collision"' in e.text)
    assert 'of="base"' in kept
    assert "<collision>" in kept
    assert re.search(r'filename="(meshes/self/[^"]+)"', kept).group(1) in dict(collada.meshes)  # type: ignore[union-attr]


def test_looks_with_pictures_normals_and_several_materials(
    collada: RobotFiles, tmp_path: Path
) -> None:
    base = urdf_of(collada).link("base")
    assert base is not None
    assert len(base.visuals) == 1
    assert base.visuals[0].material is None
    for name, data in collada.meshes:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    shape = base.visuals[0].geometry
    assert isinstance(shape, Mesh)
    red, wood = load_mesh(tmp_path / shape.filename).parts
    assert red.rgba == (0.8, 0.1, 0.1, 1.0)
    assert wood.texture is not None
    assert wood.texture.read_bytes() == PNG
    assert wood.uv is not None
    assert {tuple(p) for p in wood.uv.tolist()} == {(0, 0), (1, 0), (0, 1)}
    assert b"vn 0 0 1" in (tmp_path / shape.filename).read_bytes()


def test_masses_of_instances_beat_those_of_bodies(collada: RobotFiles) -> None:
    arm = urdf_of(collada).link("arm")
    assert arm is not None
    assert arm.inertial is not None
    assert arm.inertial.mass == 2.5
    assert arm.inertial.inertia == (0.1, 0.0, 0.0, 0.2, 0.0, 0.3)


def test_sensors_of_all_nine_types_with_every_parameter(collada: RobotFiles) -> None:
    sensors = sensors_of(collada)
    assert tuple(sensors) == ATTACHED
    assert {s.type for s in sensors.values()} == set(OPENRAVE_TYPES)
    for number, sensor in enumerate(sensors.values()):
        assert sensor.parent == "hand"
        assert sensor.origin.xyz == (0.0, float(number), 0.0)
        assert sensor.origin.rpy == pytest.approx((0, math.pi / 2, 0))
    camera = sensors["cam"].camera
    assert camera is not None
    assert (camera.width, camera.height, camera.channels, camera.format) == (640, 480, 3, "uint8")
    assert camera.intrinsic == (500, 0, 320, 0, 501, 240)
    assert camera.distortion == (0.1, 0.01, 0, 0, 0.001)
    assert (sensors["cam"].interface, sensors["cam"].plugin) == ("BaseCamera", "cam.so")
    assert sensors["cam"].measurement_time == 0.04
    assert [e.sensor for e in sensors["stereo"].eyes] == ["my_cam", "lonely"]
    assert sensors["stereo"].eyes[1].rectification == (1, 0, 0.5, 0, 1, 0, 0, 0, 1)
    for name in ("laser", "ExampleLaser1"):
        ray = sensors[name].ray
        assert ray is not None
        assert ray.horizontal is not None
        angles = (ray.horizontal.min_angle, ray.horizontal.max_angle, ray.horizontal.increment)
        assert angles == pytest.approx((-math.pi / 2, math.pi / 2, math.radians(1)))
        assert (ray.min_range, ray.max_range, ray.time_increment) == (0.01, 4.0, 0.0005)
        assert sensors[name].measurement_time == 0.025
    assert sensors["laser3"].ray is not None
    assert dict(sensors["laser3"].parameters) == {"rings": "16"}
    assert dict(sensors["encoder"].parameters) == {"resolution": "4096"}
    assert dict(sensors["force"].parameters) == {
        "load_range_force": "100 100 200",
        "load_range_torque": "5 5 5",
    }
    imu = sensors["imu"].imu
    assert imu is not None
    assert imu.angular_velocity == (4, 0, 0, 0, 5, 0, 0, 0, 6)
    assert sensors["odometry"].target == "base"


def test_what_has_no_other_place_is_kept_word_for_word(collada: RobotFiles) -> None:
    kept = " ".join(e.text for e in urdf_of(collada).extensions)
    for word in (
        "MyRobot",
        "myplugin.so",
        "MyBody",
        "planning_weight",
        "circular",
        "joint_info",
        "attach_actuator",
        "gear_ratio",
        "<deceleration>",
        "frame_tcp",
        "effector_info",
        "link_collision_state",
        "-170",
        "320 240 1",
    ):
        assert word in kept, word
    assert not [e for e in report_of(collada).entries if e.fate == "lost"]


@pytest.mark.parametrize("with_sources", [True, False])
def test_it_comes_back(with_sources: bool, collada: RobotFiles, tmp_path: Path) -> None:
    """In COLLADA's words alone, too: then to the last digits, and the pictures in other files."""
    back = again(collada, tmp_path, with_sources)
    old, new = urdf_of(collada), urdf_of(back)
    assert srdf_of(back) == srdf_of(collada)
    assert sorted(e.text for e in new.extensions) == sorted(e.text for e in old.extensions)
    assert stated_of(back).accelerations == {}
    if with_sources:
        assert new == old
        return
    for a, b in zip(old.sensors, new.sensors, strict=True):
        assert replace(a, origin=b.origin, ray=None) == replace(b, ray=None)
        assert np.allclose(a.origin.rpy, b.origin.rpy, atol=1e-12)
    for name in ("base", "arm"):
        a_link, b_link = old.link(name), new.link(name)
        assert a_link is not None
        assert b_link is not None
        assert [type(v.geometry) for v in a_link.visuals] == [
            type(v.geometry) for v in b_link.visuals
        ]
        assert (a_link.inertial is None) == (b_link.inertial is None)


def test_the_window_s_files_have_the_spheres_and_the_order_of_the_joints(tmp_path: Path) -> None:
    source = write(tmp_path)
    target = tmp_path / "out" / "complete.urdf"
    assert run_command("convert", [str(source), str(target)]) == 0
    xrdf = read_xrdf(SourceText.read(target.with_suffix(".xrdf"))).value
    assert xrdf.cspace is not None
    assert xrdf.cspace.joint_names == ("bend", "turn")
    assert xrdf.cspace.acceleration_limits is not None
    assert xrdf.cspace.acceleration_limits[1] == pytest.approx(math.pi)
    assert xrdf.default_joint_positions is not None
    assert xrdf.default_joint_positions["turn"] == pytest.approx(math.radians(30))
    assert [s.radius for s in xrdf.spheres_of(xrdf.self_group)["arm"]] == [0.2]
    assert xrdf.self_collision is not None
    assert len(xrdf.self_collision.ignored_pairs()) == 2
    # And back: spheres, order, limits and posture stand in COLLADA's words, where other programs
    # find them.
    back = tmp_path / "back.dae"
    files = [
        str(target),
        str(target.with_suffix(".xrdf")),
        str(target.with_suffix(".srdf")),
        str(back),
    ]
    assert run_command("convert", files) == 0
    text = re.sub(r'<extra type="xrdf-editor">.*?</extra>', "", back.read_text(), flags=re.DOTALL)
    back.write_text(text)
    collada = read_collada_robot(back)
    assert collada.xrdf is None
    assert stated_of(collada).controlled == ("bend", "turn")
    assert stated_of(collada).positions["turn"] == pytest.approx(math.radians(30))
    assert stated_of(collada).accelerations["turn"] == pytest.approx(math.pi)
    assert [s.radius for s in stated_of(collada).spheres["arm"]] == [0.2]


def test_what_another_program_changed_wins_and_the_rest_stays(tmp_path: Path) -> None:
    source = write(tmp_path)
    target = tmp_path / "out" / "complete.urdf"
    assert run_command("convert", [str(source), str(target)]) == 0
    urdf = target.read_text().replace(
        '<link name="wheel"', '<!-- turns by itself -->\n  <link name="wheel"'
    )
    target.write_text(urdf)
    dae = tmp_path / "other.dae"
    files = [
        str(target),
        str(target.with_suffix(".xrdf")),
        str(target.with_suffix(".srdf")),
        str(dae),
    ]
    assert run_command("convert", files) == 0
    text = dae.read_text()
    for old, new in (
        ("<translate>0 0 0.4</translate>", "<translate>0 0 0.45</translate>"),
        ("<mass>2.5</mass>", "<mass>3</mass>"),
        ('<ignore_link_pair link0="kmodel0/arm" link1="kmodel0/hand"/>', ""),
        ("<radius>0.2</radius>", "<radius>0.25</radius>"),
        ('<frame_tip link="kmodel0/hand">', '<frame_tip link="kmodel0/arm">'),
    ):
        assert old in text, old
        text = text.replace(old, new)
    dae.write_text(text)
    collada = read_collada_robot(dae)
    assert "turns by itself" in text_of(collada.urdf)
    new_urdf = urdf_of(collada)
    bend, arm = new_urdf.joint("bend"), new_urdf.link("arm")
    assert bend is not None
    assert arm is not None
    assert arm.inertial is not None
    assert bend.origin.xyz[2] == 0.45
    assert arm.inertial.mass == 3
    assert {(p.link1, p.link2) for p in srdf_of(collada).disabled_pairs} == {("base", "arm")}
    assert srdf_of(collada).group("whole").chains == (("base", "arm"),)  # type: ignore[union-attr]
    assert collada.xrdf is not None
    xrdf = collada.xrdf.value
    assert [s.radius for s in xrdf.spheres_of(xrdf.self_group)["arm"]] == [0.25]
    assert xrdf.self_collision is not None
    assert len(xrdf.self_collision.ignored_pairs()) == 1
    # What was not touched has its own digits.
    untouched = read_urdf(SourceText.from_text(urdf)).value
    assert new_urdf.joint("turn") == untouched.joint("turn")
    assert new_urdf.sensors == untouched.sensors


def test_primitives_are_believed_only_where_their_triangles_agree(tmp_path: Path) -> None:
    text = ROBOT.replace('<geometry id="ball">', '<geometry id="ball">{0}', 1)
    mesh = """<mesh><source id="bp"><float_array id="ba" count="9">0 0 0 5 0 0 0 5 0</float_array></source>
      <vertices id="bv"><input semantic="POSITION" source="#bp"/></vertices>
      <triangles count="1"><input offset="0" semantic="VERTEX" source="#bv"/><p>0 1 2</p></triangles></mesh>"""
    collada = read_collada_robot(write(tmp_path, text.replace("{0}", mesh)))
    assert "arm" not in stated_of(collada).spheres
    assert any(
        'of="arm"' in e.text and "self_collision" in e.text for e in urdf_of(collada).extensions
    )
    assert not any(
        isinstance(v.geometry, Ball) for link in urdf_of(collada).links for v in link.visuals
    )


def test_sensors_that_sit_nowhere_are_none_of_the_robot_s(collada: RobotFiles) -> None:
    urdf = urdf_of(collada)
    assert any('id="lonely"' in e.text for e in urdf.extensions)
    assert len(placed_sensors(urdf)) == len(ATTACHED)


#: The robot in millimetres, with a link that has a turn of its own and numbers of which nobody
#: knows what they are.
IN_MILLIMETRES = (
    ROBOT.replace('<unit meter="1"/>', '<unit meter="0.001"/>')
    .replace(
        '<link sid="hand" name="hand">',
        '<link sid="hand" name="hand"><translate>0 0 50</translate><rotate>0 0 1 90</rotate>',
    )
    .replace(
        "<translate>0 0 0.1</translate>\n        </frame_tcp>",
        "<translate>100 0 0</translate>\n        </frame_tcp>",
    )
    .replace("<translate>0 0 0.22</translate>", "<translate>0 0 220</translate>")
    .replace(
        '<sensor type="base_pinhole_camera" id="lonely">',
        '<sensor type="base_laser2d" id="spare"><distance_range>20 4000</distance_range></sensor>'
        '<sensor type="base_pinhole_camera" id="lonely">',
    )
)


@pytest.mark.parametrize("with_sources", [True, False])
def test_what_is_kept_of_a_file_in_millimetres_keeps_its_size(
    with_sources: bool, tmp_path: Path
) -> None:
    collada = read_collada_robot(write(tmp_path, IN_MILLIMETRES))
    urdf = urdf_of(collada)
    kept = " ".join(e.text for e in urdf.extensions)
    # 100 mm along x of a frame that is turned by 90 degrees and stands 50 mm up.
    (tcp,) = re.findall(r"<frame_tcp.*?</frame_tcp>", kept, re.DOTALL)
    numbers = [
        float(v) for v in re.findall(r"-?[\d.]+(?:e-?\d+)?", tcp.partition("<translate>")[2])
    ]
    assert numbers[:3] == pytest.approx([0, 0.1, 0.05], abs=1e-12)
    assert numbers[6] == pytest.approx(90)
    assert "<distance_range>0.02 4</distance_range>" in kept
    assert "<translate>0 0 0.22</translate>" in kept, (
        "the tip of the manipulator that has a direction"
    )
    actuator = next(e.text for e in urdf.extensions if "gear_ratio" in e.text)
    assert '<unit meter="0.001"/>' in actuator
    assert not any("<unit" in e.text for e in urdf.extensions if "interface" in e.text), (
        "there are no numbers in it"
    )
    told = {e.item: e.detail for e in report_of(collada).entries if e.item.startswith("unit of")}
    assert list(told) == ["unit of 0.001 m"]
    details = " ".join(e.detail for e in report_of(collada).entries if e.item == "unit of 0.001 m")
    for sentence in ("lengths converted to metres", "the unit is stored with it", "are unchanged"):
        assert sentence in details
    back = again(collada, tmp_path, with_sources)
    same = sorted(e.text for e in urdf_of(back).extensions if "manipulator" not in e.text)
    assert same == sorted(e.text for e in urdf.extensions if "manipulator" not in e.text)
    ours, theirs = srdf_of(collada).tcps, srdf_of(back).tcps
    assert [t.name for t in ours] == [t.name for t in theirs]
    for a, b in zip(ours, theirs, strict=True):
        assert a.xyz == pytest.approx(b.xyz, abs=1e-12)


def test_decelerations_follow_the_units_of_speeds(tmp_path: Path) -> None:
    text = ROBOT.replace("by hand</authoring_tool>", "OpenRAVE Collada Writer</authoring_tool>")
    collada = read_collada_robot(
        write(tmp_path, text.replace("<float>200</float>", "<float>2</float>"))
    )
    kept = next(e.text for e in urdf_of(collada).extensions if "<deceleration>" in e.text)
    # Exported files have degrees.
    assert float(re.findall(r"<float>(.*?)</float>", kept)[0]) == pytest.approx(np.degrees(2))


def test_limits_of_a_controller_are_in_the_unit_of_its_own_file(tmp_path: Path) -> None:
    told = (
        '<articulated_system id="s" name="complete"><asset><created/><modified/><unit '
        'meter="0.001"/></asset>'
    )
    text = ROBOT.replace('<articulated_system id="s" name="complete">', told).replace(
        '<axis_info sid="i2" axis="k/j2/axis0">',
        '<axis_info sid="i2" axis="k/j2/axis0"><limits><min><float>0</float></min>'
        "<max><float>30</float></max></limits>",
    )
    finger = urdf_of(read_collada_robot(write(tmp_path, text))).joint("finger")
    assert finger is not None
    assert finger.position_limits == pytest.approx((0, 0.03))


def test_a_locked_joint_is_held_at_its_value(tmp_path: Path) -> None:
    text = ROBOT.replace(
        "<locked><bool>false</bool></locked>", "<locked><bool>true</bool></locked>"
    )
    collada = read_collada_robot(write(tmp_path, text))
    turn = urdf_of(collada).joint("turn")
    assert turn is not None
    assert turn.type == "fixed"
    assert turn.origin.rpy == pytest.approx((0, 0, math.radians(30)))
    assert turn.origin.xyz == (0, 0, 0.3)
    assert "turn" not in stated_of(collada).positions
    assert "locked: a fixed joint, at its value of 0.523599" in [
        e.detail for e in report_of(collada).entries
    ]
    # What was written is at zero of the new joint: nothing turns twice.
    assert urdf_of(again(collada, tmp_path, with_sources=False)).joint("turn") is not None
    back = urdf_of(again(collada, tmp_path, with_sources=False)).joint("turn")
    assert back is not None
    assert back.origin.rpy == pytest.approx(turn.origin.rpy)
