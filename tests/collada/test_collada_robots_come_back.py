"""COLLADA robots: what is exported comes back as the same robot, other programs agree, hostile
files are refused."""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.cli import run_command
from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Box, Inertial, Mesh, Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.geometry.link_geometry import link_geometry, merge_parts
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree, complete_pose
from editor_app.core.text.source import FormatError, SourceText
from editor_app.plugins.collada.documents import archive_of
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.collada.transforms import (
    axis_angle,
    axis_transform,
    build_origin,
    build_pose_matrix,
)
from editor_app.plugins.collada.write import OriginalTexts, collada_files
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import (
    example_robots,
    example_urdfs,
    sample_urdf,
    shared_robots,
    srdf_of,
    stated_of,
    text_of,
    urdf_of,
)
from tests.helpers.urdfdom import assert_urdfdom_takes

PEERS = Path("/usr/lib/collada_urdf")

MINIMAL = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
  <asset><contributor><authoring_tool>TOOL</authoring_tool></contributor>
  <unit meter="0.001"/><up_axis>UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="9">0 0 0 1000 0 0 0 1000 0</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1"><input offset="0" semantic="VERTEX" source="#v"/><p>0 1 2</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="vs"><node id="n0" name="base"/>
    <node id="n1" name="arm"><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
  <library_kinematics_models><kinematics_model id="k" name="mini"><technique_common>
    <joint name="turn" sid="j0"><revolute sid="axis0"><axis>0 0 1</axis>
      <limits><min>-90</min><max>90</max></limits></revolute></joint>
    <joint name="slide" sid="j1"><prismatic sid="axis0"><axis>1 0 0</axis>
      <limits><min>0</min><max>500</max></limits></prismatic></joint>
    <joint name="pair" sid="j2"><revolute sid="axis0"><axis>1 0 0</axis></revolute>
      <revolute sid="axis1"><axis>0 1 0</axis></revolute></joint>
    <link sid="l0" name="base"><attachment_full joint="k/j0"><translate>100 0 0</translate><rotate>0 0 1 90</rotate>
      <link sid="l1" name="arm"><translate>0 0 50</translate><attachment_full joint="k/j1"><translate>10 0 0</translate>
        <link sid="l2" name="hand"><attachment_full joint="k/j2"><link sid="l3" name="tool"/></attachment_full></link>
      </attachment_full></link></attachment_full></link>
    <formula sid="f"><target><param>k/j1/axis0</param></target><technique_common><math><apply><plus/>
      <apply><times/><cn>0.5</cn><csymbol encoding="COLLADA">k/j0</csymbol></apply>
      <cn>0.1</cn></apply></math></technique_common></formula>
  </technique_common>
  <extra type="collision"><technique profile="OpenRAVE"><ignore_link_pair link0="k/l0" link1="l2"/></technique></extra>
  </kinematics_model></library_kinematics_models>
  <library_articulated_systems>
    <articulated_system id="s"><kinematics><instance_kinematics_model url="#k"/><technique_common>
      <axis_info sid="i0" axis="k/j0/axis0">
      <limits><min><float>-45</float></min><max><float>30</float></max></limits></axis_info>
    </technique_common></kinematics>
    <extra type="manipulator" name="m"><technique profile="OpenRAVE"><frame_origin link="l0"/><frame_tip link="k/l2">
      <translate>0 0 20</translate></frame_tip><gripper_joint joint="j2"/>
      <iksolver type="Transform6D"/></technique></extra>
    <extra type="attach_sensor" name="eye"><technique profile="OpenRAVE"><instance_sensor url="#cam"/>
      <frame_origin link="l2"/></technique></extra>
    </articulated_system>
    <articulated_system id="t"><motion><instance_articulated_system url="#s"/><technique_common>
      <axis_info axis="s/i0"><speed><float>2</float></speed><acceleration><float>8</float></acceleration></axis_info>
    </technique_common></motion></articulated_system>
  </library_articulated_systems>
  <extra type="library_sensors"><technique profile="OpenRAVE">
    <sensor type="base_pinhole_camera" id="cam"/></technique></extra>
</COLLADA>
"""


def minimal(tmp_path: Path, tool: str = "x", up: str = "Z_UP") -> tuple[Urdf, RobotFiles]:
    path = tmp_path / "mini.dae"
    path.write_text(MINIMAL.replace("TOOL", tool).replace("UP</up_axis>", f"{up}</up_axis>"))
    collada = read_collada_robot(path)
    return urdf_of(collada), collada


def largest_difference(first: Urdf, second: Urdf, count: int = 5) -> float:
    """Of the poses of all links of `first`, over random positions of its joints."""
    a, b = build_tree(first), build_tree(second)
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(count):
        limits = [a.joints[a.joint_index[n]].limits or (-3.0, 3.0) for n in a.independent]
        pose = {n: rng.uniform(*limit) for n, limit in zip(a.independent, limits, strict=True)}
        x, y = compute_forward(a, pose), compute_forward(b, pose)
        worst = max(worst, *(float(np.abs(x[a.index[f]] - y[b.index[f]]).max()) for f in a.frames))
    return worst


def tensor(inertial: Inertial) -> np.ndarray:
    """Of a body about its centre of mass, in the axes of its link."""
    ixx, ixy, ixz, iyy, iyz, izz = inertial.inertia
    turn = build_pose_matrix(inertial.origin)[:3, :3]
    return turn @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ turn.T


def test_units_degrees_and_own_transforms(tmp_path: Path) -> None:
    urdf, collada = minimal(tmp_path)
    turn, slide = urdf.joint("turn"), urdf.joint("slide")
    assert turn is not None
    assert slide is not None
    assert turn.origin.xyz == (0.1, 0.0, 0.0)
    assert turn.origin.rpy == pytest.approx((0, 0, np.pi / 2))
    # The limits of the articulated system beat the joint's.
    assert turn.limit is not None
    assert (turn.limit.lower, turn.limit.upper) == pytest.approx((-np.pi / 4, np.pi / 6))
    assert turn.limit.velocity == pytest.approx(np.radians(2))
    assert stated_of(collada).accelerations["turn"] == pytest.approx(np.radians(8))
    # The arm's own transform lifts what hangs on it, and its geometry.
    assert slide.origin.xyz == pytest.approx((0.01, 0, 0.05))
    assert slide.limit is not None
    assert slide.limit.upper == pytest.approx(0.5)
    assert slide.mimic is not None
    assert (slide.mimic.joint, slide.mimic.multiplier, slide.mimic.offset) == ("turn", 0.5, 0.1)
    arm = urdf.link("arm")
    assert arm is not None
    assert arm.visuals[0].origin.xyz == pytest.approx((0, 0, 0.05))
    assert b"v 1.0 0.0 0.0" in collada.meshes[0][1]


def test_two_axes_become_two_joints_and_extensions_are_kept(tmp_path: Path) -> None:
    urdf, collada = minimal(tmp_path)
    assert [j.name for j in urdf.joints] == ["turn", "slide", "pair_axis0", "pair"]
    assert [j.axis for j in urdf.joints[2:]] == [(1, 0, 0), (0, 1, 0)]
    assert urdf.joints[3].parent == urdf.joints[2].child
    srdf = srdf_of(collada)
    assert srdf.groups[0].chains == (("base", "hand"),)
    assert srdf.tcps[0].xyz == pytest.approx((0, 0, 0.02))
    assert {(p.link1, p.link2) for p in srdf.disabled_pairs} == {("base", "hand")}
    kept = " ".join(e.text for e in urdf.extensions)
    assert "iksolver" in kept
    assert [(s.name, s.type, s.parent, s.id) for s in urdf.sensors] == [
        ("eye", "base_pinhole_camera", "hand", "cam")
    ]
    robot = RobotDescription(urdf, Xrdf(), srdf)
    (path, data), *_ = collada_files(robot, tmp_path / "again.dae")[0]
    path.write_bytes(data)
    again = read_collada_robot(path)
    back = urdf_of(again)
    assert replace(back, extensions=()) == replace(urdf, extensions=())
    # The manipulator's tip was told in the file's unit, which is the metre now.
    pieces = [[e.text for e in u.extensions if "manipulator" not in e.text] for u in (urdf, back)]
    assert sorted(pieces[0]) == sorted(pieces[1])
    assert [e.text for e in back.extensions if "iksolver" in e.text and "0.02" in e.text]
    assert srdf_of(again).groups == srdf.groups


def test_speeds_are_radians_where_the_known_writers_wrote_them(tmp_path: Path) -> None:
    urdf, _ = minimal(tmp_path, "OpenRAVE Collada Writer")
    assert urdf.joints[0].limit is not None
    assert urdf.joints[0].limit.velocity == 2.0


def test_a_robot_with_y_up_stands_upright(tmp_path: Path) -> None:
    lying, standing = minimal(tmp_path)[0], minimal(tmp_path, up="Y_UP")[0]
    a, b = build_tree(lying), build_tree(standing)
    x, y = compute_forward(a, {}), compute_forward(b, {})
    turn = axis_transform((1, 0, 0), np.pi / 2)
    assert np.allclose(y[b.index["hand"]], turn @ x[a.index["hand"]], atol=1e-12)


@pytest.mark.parametrize("ending", [".dae", ".zae"])
def test_the_sample_comes_back(ending: str, tmp_path: Path) -> None:
    path = sample_urdf()
    target = tmp_path / f"heron{ending}"
    files = [str(path), str(path.with_suffix(".xrdf")), str(path.with_suffix(".srdf"))]
    assert run_command("convert", [*files, str(target)]) == 0
    back = tmp_path / "back" / "heron.urdf"
    assert run_command("convert", [str(target), str(back), "--group", "arm"]) == 0
    old, new = read_urdf(SourceText.read(path)).value, read_urdf(SourceText.read(back)).value
    assert new.version == "1.0"
    assert_urdfdom_takes(back)
    assert largest_difference(old, new) < 1e-12
    for joint in old.joints:
        again = new.joint(joint.name)
        assert again is not None
        assert (again.limit, again.dynamics, again.mimic, again.type) == (
            joint.limit,
            joint.dynamics,
            joint.mimic,
            joint.type,
        )
    for link in old.links:
        other = new.link(link.name)
        assert other is not None
        assert other.inertial == link.inertial
        for kind in ("visual", "collision"):
            want, _ = merge_parts(link_geometry(old, path, link.name, kind).parts)  # type: ignore[arg-type]
            got, _ = merge_parts(link_geometry(new, back, link.name, kind).parts)  # type: ignore[arg-type]
            assert len(want) > 0
            assert np.allclose(want.min(axis=0), got.min(axis=0), atol=1e-6)
            assert np.allclose(want.max(axis=0), got.max(axis=0), atol=1e-6)
    xrdf, again_xrdf = (
        read_xrdf(SourceText.read(p.with_suffix(".xrdf"))).value for p in (path, back)
    )
    assert again_xrdf.self_collision.ignored_pairs() >= xrdf.self_collision.ignored_pairs()  # type: ignore[union-attr]
    assert again_xrdf.cspace.joint_names == xrdf.cspace.joint_names  # type: ignore[union-attr]
    assert again_xrdf.cspace.acceleration_limits == pytest.approx(xrdf.cspace.acceleration_limits)  # type: ignore[union-attr]


@pytest.mark.parametrize("number", of_each_kind((0, 9, 17, 26, 33, 41, 50, 55, 65), (9, 33, 50)))
def test_real_robots_come_back(number: int, tmp_path: Path) -> None:
    urdf = read_urdf(SourceText.read(example_urdfs()[number % len(example_urdfs())])).value
    (path, data), *_ = collada_files(RobotDescription(urdf, Xrdf()), tmp_path / "r.dae")[0]
    path.write_bytes(data)
    again = urdf_of(read_collada_robot(path))
    assert largest_difference(urdf, again, 2) < 1e-9
    # In COLLADA's words alone: a URDF that is written from its first to its last letter.
    (path, data), *_ = collada_files(
        RobotDescription(urdf, Xrdf()), tmp_path / "bare.dae", None, OriginalTexts("", "", "")
    )[0]
    path.write_bytes(data)
    (tmp_path / "bare.urdf").write_text(text_of(read_collada_robot(path).urdf))
    assert_urdfdom_takes(tmp_path / "bare.urdf")
    for link in urdf.links:
        shapes = [type(v.geometry) for v in link.visuals if isinstance(v.geometry, Box)]
        back = again.link(link.name)
        assert back is not None
        assert [type(v.geometry) for v in back.visuals if isinstance(v.geometry, Box)] == shapes
        assert back.inertial == link.inertial


@pytest.mark.skipif(not PEERS.is_dir(), reason="collada-urdf-tools is not installed")
@pytest.mark.parametrize(
    "robot",
    of_each_kind(
        (
            "sample",
            "fanuc",
            "panda_description/urdf/panda.urdf",
            "ur_description/urdf/ur5_robot.urdf",
            "tiago_description/robots/tiago_no_hand.urdf",
            "romeo_description/urdf/romeo_small.urdf",
        ),
        ("sample", "panda_description/urdf/panda.urdf"),
    ),
)
def test_collada_urdf_reads_ours_and_we_read_theirs(robot: str, tmp_path: Path) -> None:
    if robot == "fanuc":
        path = next((shared_robots() / "fanuc_m10ia").rglob("*.urdf"))
    else:
        path = sample_urdf() if robot == "sample" else example_robots() / robot
    urdf = read_urdf(SourceText.read(path)).value
    theirs = tmp_path / "theirs.dae"
    subprocess.run(
        [PEERS / "urdf_to_collada", path, theirs], check=True, capture_output=True, timeout=60
    )
    back = urdf_of(read_collada_robot(theirs))
    assert largest_difference(urdf, back) < 1e-6
    for link in urdf.links:
        inertial, other = link.inertial, back.link(link.name)
        if inertial is None:
            continue
        assert other is not None
        assert other.inertial is not None
        assert other.inertial.mass == pytest.approx(inertial.mass)
        assert np.allclose(tensor(other.inertial), tensor(inertial), atol=1e-9)
        assert np.allclose(other.inertial.origin.xyz, inertial.origin.xyz, atol=1e-6)
    (_, data), *_ = collada_files(RobotDescription(urdf, Xrdf()), tmp_path / "ours.dae")[0]
    (tmp_path / "ours.dae").write_bytes(data)
    command = [str(PEERS / "collada_to_urdf"), "ours.dae"]
    done = subprocess.run(
        command, check=True, capture_output=True, timeout=60, cwd=tmp_path, text=True
    )
    # Its library knows the schema of COLLADA 1.5, and says so when an element has no place there.
    assert "schema violation" not in done.stdout + done.stderr
    written = next(tmp_path.glob("*.urdf"))
    peer = read_urdf(SourceText.read(written)).value
    a, b = build_tree(urdf), build_tree(peer)
    assert set(a.frames) <= set(b.frames)
    pose = {n: 0.3 * (a.joints[a.joint_index[n]].limits or (0, 1))[1] for n in a.independent}
    # Their writer leaves mimics out, also of its own files: the followers are told where to stand.
    x, y = compute_forward(a, pose), compute_forward(b, complete_pose(a, pose))
    # They print six digits: angles of the fixed turns of each joint are off by up to 5e-6, chains
    # by a few of these.
    tolerance = 1e-6 if robot in ("sample", "fanuc") else 3e-5
    for frame in a.frames:
        assert np.allclose(x[a.index[frame]], y[b.index[frame]], atol=tolerance), frame
    for joint in urdf.joints:
        printed = peer.joint(joint.name)
        assert printed is not None
        assert np.allclose(printed.origin.xyz, joint.origin.xyz, atol=1e-6)


def test_turns_are_told_right_even_by_half_a_turn() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        axis, angle = (
            rng.normal(size=3),
            rng.choice([0.0, 1e-9, 1.0, np.pi - 1e-9, np.pi, rng.uniform(-6, 6)]),
        )
        matrix = axis_transform(axis, float(angle))
        x, y, z, degrees = axis_angle(matrix)
        assert np.allclose(axis_transform((x, y, z), np.radians(degrees)), matrix, atol=1e-12)
        assert np.allclose(build_pose_matrix(build_origin(matrix)), matrix, atol=1e-9)


def archive(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (archive({"../evil.dae": b"<COLLADA/>"}), "points outside"),
        (archive({"/etc/x.dae": b"<COLLADA/>"}), "points outside"),
        (archive({"a.dae": b" " * 60_000_000}), "refused"),
        (
            archive({"manifest.xml": b"<dae_root>none.dae</dae_root>", "a.dae": b"<COLLADA/>"}),
            "none.dae",
        ),
        (archive({"a.dae": b"<x/>", "b.dae": b"<x/>"}), "manifest"),
        (archive_of("a.dae", MINIMAL.encode())[:-200], "damaged"),
        (b"<COLLADA><library_geometries/></COLLADA>", "no visual_scene with content"),
        (b"<robot name='r'/>", "COLLADA"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA>&a;</COLLADA>', "ntit"),
    ],
)
def test_hostile_and_foreign_files_end_in_a_sentence(
    data: bytes, word: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.zae"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=word):
        read_collada_robot(path)


def test_a_missing_mesh_is_told(tmp_path: Path) -> None:
    urdf = read_urdf(SourceText.read(sample_urdf())).value
    assert any(isinstance(v.geometry, Mesh) for link in urdf.links for v in link.visuals)
    _, report = collada_files(RobotDescription(urdf, Xrdf()), tmp_path / "r.dae")
    assert any("not found" in e.detail for e in report.entries)


def test_junk_in_any_place_never_ends_in_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "x.dae"
    tokens = list(re.finditer(r"(?<=>)[^<>\s][^<>]*(?=<)|(?<==\")[^\"]+(?=\")", MINIMAL))
    assert len(tokens) > 90
    places: set[str] = set()
    for number, token in enumerate(tokens):
        # Each place has one kind of junk in a usual run, and its neighbour the next.
        kinds = ("junk", "-1e999", "")
        for junk in of_each_kind(kinds, kinds[number % 3 :][:1]):
            path.write_text(MINIMAL[: token.start()] + junk + MINIMAL[token.end() :])
            try:
                read_collada_robot(path)
            except FormatError as error:
                places.add(error.location.file)
    # None of the documents that are made of it.
    assert places <= {str(path)}
