"""The readers that are fuzzed: seeds of each, and what is done with one case."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Hashable
from pathlib import Path

import numpy as np

from editor_app.core.document.beside import poses_file, read_poses
from editor_app.core.document.opening import open_document
from editor_app.core.formats.exchange.codec import ConvertOptions, ReadContext, Surroundings
from editor_app.core.formats.scenes import SceneFormat, read_scene, scene_text
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.trajectories import read_trajectory
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import (
    BoxShape,
    CylinderShape,
    MeshShape,
    Obstacle,
    Scene,
    SphereShape,
)
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import parse_xml
from editor_app.core.verbs.pose_texts import parse_pose
from editor_app.core.verbs.tool_places import parse_place
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.curobo.read import read_curobo
from editor_app.plugins.fleets.verbs.fleet import read_fleet
from editor_app.plugins.fleets.verbs.report import BatchReport, BatchRobot, changes, page
from editor_app.plugins.fleets.verbs.store import Store
from editor_app.plugins.lula.codec import lula_text, read_lula
from editor_app.plugins.mjcf.sources import read_sources
from editor_app.plugins.sdf.read import read_sdf
from editor_app.plugins.sphere_lists.codec import read_sphere_list
from tests.fuzz.structures import Mutation, mutated_package, mutated_usda, mutated_xml
from tests.fuzz.told import told
from tests.fuzz.usd_cases import USD_TEXTS, UsdCases
from tests.helpers.documents import CLEAN, URDF, V2
from tests.helpers.gltf_files import random_gltf
from tests.helpers.robots import sample_urdf

#: Reads one case; returns a value that tells ways through the reader apart.
Case = Callable[[bytes], Hashable]
CUROBO = """robot_cfg:
  kinematics:
    urdf_path: arm.urdf
    base_link: base
    ee_link: hand
    collision_link_names: [base, upper]
    collision_spheres:
      base: [{center: [0.0, 0.0, 0.1], radius: 0.1}]
      upper: [{center: [0.0, 0.0, 0.2], radius: 0.05}]
    self_collision_ignore: {base: [upper]}
    self_collision_buffer: {base: 0.01}
    cspace: {joint_names: [shoulder, elbow, grip], retract_config: [0.0, 0.5, 0.2], max_jerk: 500.0}
"""
_SPHERE = {"center": [0, 0, 0.1], "radius": 0.1}
SPHERES = (
    {
        "collision_spheres": {"base": [_SPHERE, _SPHERE], "upper": [_SPHERE]},
        "metadata": {"total": 3},
    },
    {"spheres": {"base::primitive0": {"8": {"spheres": [_SPHERE], "mean_error": 0.1}}}},
    [{"spheres": [{"origin": [0, 0, 0], "radius": 0.1}], "mean_error": 0.1}],
    {
        "base": {"centers": [[0.0, 0.1, 0.2]], "radii": [0.3]},
        "upper": [{"origin": [0, 0, 0], "radius": 0.1}],
    },
)


def findings_of(result: object) -> Hashable:
    """Codes of what a reader found fault with; its notes without their names and numbers, where it
    has no codes."""
    findings = getattr(result, "findings", None)
    if findings is None:
        return tuple(
            sorted(
                {
                    re.sub(r"[^a-z ]", "", str(note).lower())[:24]
                    for note in getattr(result, "notes", ())
                }
            )
        )
    return tuple(
        sorted({(finding.code, finding.message.partition(" ")[0]) for finding in findings})
    )


#: How the structure of a reader's seeds is changed in half of its cases; readers without one have
#: bytes changed.
STRUCTURES: dict[str, Mutation] = {
    "sdf": mutated_xml,
    "mjcf": mutated_xml,
    "urdf": mutated_xml,
    "collada": mutated_xml,
    "usda": mutated_usda,
    # The texts are written as crates before they are read.
    "usdc": lambda rng, _: mutated_usda(rng, USD_TEXTS),
    "usdz": mutated_package,
}


def readers(folder: Path) -> dict[str, tuple[list[bytes], Case]]:
    """By name: seeds, and a function that reads one case; it raises only what no reader may let
    out."""
    urdf = read_urdf(SourceText.from_text(URDF)).value
    sample = sample_urdf()
    (folder / "arm.urdf").write_text(URDF)
    (folder / "arm.xrdf").write_text(CLEAN)
    robot = open_document(folder / "arm.urdf").robot

    def text(read: Callable[[SourceText], object]) -> Case:
        def case(data: bytes) -> Hashable:
            try:
                return findings_of(read(SourceText.from_bytes(data)))
            except FormatError as error:
                return told(error)

        return case

    def mesh(suffix: str) -> Case:
        path = folder / f"mesh.{suffix}"

        def case(data: bytes) -> Hashable:
            path.write_bytes(data)
            loaded = load_mesh(path)
            assert loaded.parts or loaded.findings
            return len(loaded.parts), findings_of(loaded)

        return case

    def collada(data: bytes) -> Hashable:
        path = folder / "robot.dae"
        path.write_bytes(data)
        try:
            return findings_of(read_collada_robot(path))
        except FormatError as error:
            return told(error)

    def mjcf(data: bytes) -> Hashable:
        path = folder / "robot.xml"
        path.write_bytes(data)
        try:
            sources = read_sources(path)
        except FormatError as error:
            return told(error)
        parse_xml(SourceText.from_text(sources.text))
        return len(sources.files), tuple(sorted(sources.left_out))

    def sdf(data: bytes) -> Hashable:
        path = folder / "robot.sdf"
        path.write_bytes(data)
        context = ReadContext(
            ConvertOptions(), Surroundings(lambda *_: read_xrdf(SourceText.from_text(CLEAN)))
        )
        try:
            files = read_sdf(path, context)
        except FormatError as error:
            return told(error)
        assert files.report is not None
        return findings_of(files.urdf), tuple(
            sorted({(e.fate, e.item.partition(" ")[0]) for e in files.report.entries})
        )

    (folder / "hand").mkdir()
    (folder / "hand" / "model.sdf").write_bytes(_SDF_HAND)
    (folder / "part.stl").write_bytes(b"solid")
    (folder / "more.xml").write_bytes(
        b'<mujoco><compiler meshdir="."/><asset><mesh file="part.stl"/></asset></mujoco>'
    )
    by_format: dict[str, tuple[list[bytes], Case]] = {
        "urdf": ([URDF.encode(), sample.read_bytes()], text(read_urdf)),
        "xrdf": ([CLEAN.encode(), V2.encode()], text(read_xrdf)),
        "srdf": ([sample.with_suffix(".srdf").read_bytes()], text(read_srdf)),
        "curobo": ([CUROBO.encode()], text(lambda source: read_curobo(source, urdf))),
        "lula": ([lula_text(robot).text.encode()], text(lambda source: read_lula(source, urdf))),
        "spheres": (
            [json.dumps(value).encode() for value in SPHERES],
            text(lambda source: read_sphere_list(source, ("base", "upper"))),
        ),
        "collada": (_collada_seeds(), collada),
        "mjcf": ([_MJCF], mjcf),
        "sdf": ([_SDF], sdf),
        "manifest": ([_MANIFEST], text(lambda source: _fleet(folder / "fleet.yaml", source))),
        "record": ([_RECORD], _record(folder / "results")),
        "poses": ([_STORED_POSES], _stored_poses(folder)),
        "place_text": ([place.encode() for place in _PLACE_TEXTS], _place_text),
        "pose_text": ([pose.encode() for pose in _POSE_TEXTS], _pose_text(robot)),
    }
    by_format |= _motion_readers(folder)
    usd = UsdCases(folder)
    by_format |= {suffix: (seeds, usd.read(suffix)) for suffix, seeds in usd.seeds().items()}
    for suffix, seeds in _mesh_seeds(folder, sample.parent / "meshes").items():
        for seed in seeds:
            (folder / f"seed.{suffix}").write_bytes(seed)
            assert load_mesh(folder / f"seed.{suffix}").parts, f"a seed of {suffix} is not read"
        by_format[suffix] = (seeds, mesh(suffix))
    return by_format


_MJCF = b"""<mujoco model="r"><compiler angle="radian" strippath="true"/><include file="more.xml"/><asset>
<model name="m" file="more.xml"/><mesh name="s" builtin="sphere" params="2"/><hfield file="x.png" size="1 1 1 1"/>
<texture name="t" file="x.png"/><material name="c" texture="t"/></asset><worldbody><body name="a"><joint name="j"/>
<replicate count="3" offset="1 0 0"><replicate count="4"><geom size="1" material="c"/></replicate></replicate>
<attach model="m" body="b" prefix="x"/><composite type="cable" count="4 1 1" size="1"/></body></worldbody><actuator>
<general joint="j" actdim="3"/></actuator><sensor><jointpos joint="j"/></sensor></mujoco>
"""
_SDF_HAND = (
    b'<sdf version="1.9"><model name="hand"><link name="palm"/><frame name="tip"/></model></sdf>'
)
_SDF = b"""<sdf version="1.11"><model name="arm" canonical_link="a"><pose>0 0 1 0 0 0</pose>
<self_collide>1</self_collide><link name="a"><inertial auto="true"><density>9</density></inertial>
<collision name="c"><pose relative_to="f">
0 0 1 0 0 0 </pose><geometry><capsule><radius>1</radius><length>2</length></capsule></geometry></collision>
<sensor name="s" type="imu"/></link><link name="b"><pose relative_to="a" degrees="true">1 0 0 90 0 0</pose>
<inertial><mass>2</mass><inertia><ixx>1</ixx></inertia></inertial><visual name="v"><geometry><polyline><point>0 0
</point><point>1 0</point><point>0 1</point><height>1 </height></polyline></geometry><material><diffuse>1 0 0 1
</diffuse></material></visual><self_collide>0</self_collide></link><frame name="f" attached_to="b">
<pose rotation_format="quat_xyzw">0 0 1 0 0 0 1</pose></frame><model name="n" placement_frame="m"><link name="l"/>
<frame name="m"><pose>1 0 0 0 0 0</pose></frame></model><include merge="true"><uri> model://hand</uri><name>h
</name><pose relative_to="f"/><placement_frame>tip</placement_frame></include><joint name="j" type="revolute">
<pose>0 1 0 0 0 0</pose><parent>a</parent><child>f</child><axis><xyz expressed_in="__model__">0 0 1</xyz><limit>
<lower>-1</lower><upper>inf</upper></limit><dynamics><damping>1</damping></dynamics></axis></joint>
<joint name="k" type="universal"><parent>b</parent><child>n::l</child><axis><xyz>1 0 0</xyz><mimic joint="j">
<multiplier>2</multiplier></mimic></axis><axis2><xyz>0 1 0</xyz></axis2></joint><joint name="g" type="gearbox">
<parent>b</parent><child>n::l</child><gearbox_reference_body>a</gearbox_reference_body></joint>
<joint name="s" type="screw"><parent>palm</parent><child>b</child><thread_pitch>2</thread_pitch><axis/></joint>
</model></sdf>
"""
_MANIFEST = b"""steps: [new, fit, mask, check, plan, convert]
settings: {effort: fast, samples: 200, formats: [curobo, lula]}
packages: {p: arms}
robots:
  - arm.urdf
  - {name: a/b, urdf: arm.urdf, srdf: hand.srdf, xrdf: arm.xrdf, packages: {franka: ../franka}, budget: 80}
"""
_RECORD = b"""{"key": "0", "files": {"a.xrdf": "00"}, "seconds": {"new": 1.5},
"robots": {"a": {"steps": [], "figures": {}, "findings": []}}, "record": {
"steps": [{"step": "new", "state": "done", "message": ""}],
"figures": {"coverage": 0.9, "spheres": 10, "tools": ["hand"], "notes": [], "robot": "a"},
"findings": [{"code": "XRDF1", "severity": "error", "message": "m", "file": "a", "line": 3}]}}
"""
_STORED_POSES = b"""{"format": "xrdf-editor-poses", "urdf": "/arm.urdf",
"poses": [{"name": "up", "joints": {"shoulder": 0.5, "elbow": -1}}]}
"""
_POSE_TEXTS = (
    "shoulder: 0.5\nelbow: 45deg\n", "shoulder=0.5 elbow=45deg, grip=10mm", "[0.1, 0.2, 0.3]",
    "shoulder,elbow\n0,1\n2,3\n",
    "name: [shoulder, "
    "elbow]\nposition: [0.5, "
    "0.1]\n---\n", '{"shoulder": 1, "elbow": "2 deg"}', "pose = {'elbow': 1}",
)  # fmt: skip


def _fleet(path: Path, source: SourceText) -> object:
    path.write_bytes(source.data)
    return read_fleet(path)


def _record(folder: Path) -> Case:
    """What a folder of results says, as far as its page is made of it."""

    def case(data: bytes) -> Hashable:
        (folder / "a").mkdir(parents=True, exist_ok=True)
        (folder / "a" / "result.json").write_bytes(data)
        (folder / "fleet.json").write_bytes(data)
        store = Store(folder)
        store.sound("a", "0")
        robots = []
        for name, record in store.last_run.items():
            changes(record, store.last_run.get("a", record))
            robots.append(BatchRobot(name, record, (), {}, True, ()))
        page(BatchReport(tuple(robots), (), folder, 0.0, tuple(store.notes)), "fleet")
        return len(store.last_run), tuple(store.notes)

    return case


def _stored_poses(folder: Path) -> Case:
    os.environ["XRDF_EDITOR_STATE"] = str(folder / "state")
    path = poses_file(folder / "arm.urdf")
    path.parent.mkdir(parents=True)

    def case(data: bytes) -> Hashable:
        path.write_bytes(data)
        return len(read_poses(folder / "arm.urdf"))

    return case


_PLACE_TEXTS = (
    "0.4 0 50mm 0 180deg 1/3",
    "xyz 0.4 0 0.5 axis 0 0 1 angle 90deg",
    '<origin xyz="1 2 3" rpy="0 0 0.5"/>',
    "header: {frame_id: base}\npose:\n  position: {x: 1, y: 2, z: 3}\n  orientation: {x: 0, y: 0, "
    "z: 0, w: 1}\n",
    "position: [0.1, 0, 0]\norientation: {w: 1.0, xyz: [0, 0, 0]}\n",
)


def _place_text(data: bytes) -> Hashable:
    try:
        parse_place(data.decode("utf-8", "replace"))
    except Refused as error:
        return re.sub(r"[^a-z ]", "", str(error).lower())[:40]
    return "read"


def _pose_text(robot: RobotDescription) -> Case:
    def case(data: bytes) -> Hashable:
        try:
            return tuple(parse_pose(robot, data.decode("utf-8", "replace")))
        except Refused as error:
            return re.sub(r"[^a-z ]", "", str(error).lower())[:40]

    return case


def _motion_readers(folder: Path) -> dict[str, tuple[list[bytes], Case]]:
    """Scenes and trajectories, by the endings of their files."""
    obstacles = (
        Obstacle(
            "box", BoxShape((1.0, 2.0, 0.5)), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.0), ("base",)
        ),
        Obstacle("ball", SphereShape(0.5), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
        Obstacle("can", CylinderShape(0.1, 2.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
        Obstacle(
            "mesh",
            MeshShape(
                None, (1.0,) * 3, ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), ((0, 1, 2),)
            ),
        ),
    )
    texts: dict[str, list[bytes]] = {
        f"scene.{ending}": [scene_text(Scene(obstacles), kind)[0].encode()]
        for ending, kind in (
            ("yaml", SceneFormat.EDITOR), ("curobo.yml", SceneFormat.CUROBO), ("scene", SceneFormat.MOVEIT)
        )
    }  # fmt: skip
    texts["poses.csv"] = [
        b"time,shoulder,elbow\n0,0.1,0.2\n1,0.3,0.4\n",
        b"label;a;b\r\nup;1;2\r\n",
    ]
    texts["poses.yaml"] = [
        b"joint_names: [a, b]\npoints:\n- positions: [0, 1]\n  time_from_start: {sec: 1, nanosec: "
        b"5}\n",
        b"home: {a: 0, b: 1}\nup: {a: 1, b: 0}\n",
        b"joint_trajectory:\n  joint_names: [a]\n  points:\n  - {positions: [0], velocities: "
        b"[0.1], accelerations: [2],"
        b" time_from_start: {sec: 0, nanosec: 0}}\n  - {positions: [1], time_from_start: {sec: 1, "
        b"nanosec: 5}}\n"
        b"multi_dof_joint_trajectory: {joint_names: [], points: []}\n",
    ]
    texts["poses.json"] = [
        b'{"joint_names": ["a"], "position": [[0], [1]], "interpolation_dt": 0.02}',
        b'[{"a": 1}]',
    ]
    texts["poses.bag"], texts["poses.mcap"] = _bags(folder)

    def reader(ending: str) -> Case:
        path = folder / f"case-{ending}"
        read: Callable[[Path], object] = (
            read_scene if ending.startswith("scene") else read_trajectory
        )

        def case(data: bytes) -> Hashable:
            path.write_bytes(data)
            try:
                read(path)
            except FormatError as error:
                # Whatever a library says of a bag comes through the same lines.
                return told(error), re.sub(r"[^a-z ]", "", error.message.lower())[:40]
            return "read"

        return case

    return {ending: (seeds, reader(ending)) for ending, seeds in texts.items()}


def _bags(folder: Path) -> tuple[list[bytes], list[bytes]]:
    from rosbags import rosbag1, rosbag2
    from rosbags.typesys import Stores, get_typestore

    first: list[bytes] = []
    for compression in (
        None,
        rosbag1.Writer.CompressionFormat.BZ2,
        rosbag1.Writer.CompressionFormat.LZ4,
    ):
        store = get_typestore(Stores.ROS1_NOETIC)
        writer = rosbag1.Writer(folder / f"seed-{len(first)}.bag")
        if compression is not None:
            writer.set_compression(compression)
        with writer:
            connection = writer.add_connection("/s", "sensor_msgs/msg/JointState", typestore=store)
            for k in range(3):
                time = store.types["builtin_interfaces/msg/Time"](k, 0)
                message = store.types["sensor_msgs/msg/JointState"](
                    store.types["std_msgs/msg/Header"](k, time, ""),
                    ["a", "b"],
                    np.ones(2),
                    np.ones(0),
                    np.ones(0),
                )
                writer.write(
                    connection, k, store.serialize_ros1(message, "sensor_msgs/msg/JointState")
                )
        first.append((folder / f"seed-{len(first)}.bag").read_bytes())
    second: list[bytes] = []
    for compressed in (False, True):
        store = get_typestore(Stores.ROS2_HUMBLE)
        bag = folder / f"seed-{compressed}"
        recorder = rosbag2.Writer(bag, version=9, storage_plugin=rosbag2.StoragePlugin.MCAP)
        if compressed:
            recorder.set_compression(
                rosbag2.CompressionMode.STORAGE, rosbag2.CompressionFormat.ZSTD
            )
        with recorder:
            connection2 = recorder.add_connection(
                "/s", "sensor_msgs/msg/JointState", typestore=store
            )
            for k in range(3):
                time = store.types["builtin_interfaces/msg/Time"](k, 0)
                message = store.types["sensor_msgs/msg/JointState"](
                    store.types["std_msgs/msg/Header"](time, ""),
                    ["a", "b"],
                    np.ones(2),
                    np.ones(0),
                    np.ones(0),
                )
                recorder.write(
                    connection2,
                    k,
                    bytes(store.serialize_cdr(message, "sensor_msgs/msg/JointState")),
                )
        second.append(next(bag.glob("*.mcap")).read_bytes())
    return first, second


def _collada_seeds() -> list[bytes]:
    from tests.helpers import collada_robot

    return [collada_robot.ROBOT.encode()]


def _mesh_seeds(folder: Path, meshes: Path) -> dict[str, list[bytes]]:
    import logging

    import trimesh

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    box = trimesh.creation.box((1, 1, 1))
    box.visual.vertex_colors = np.full((8, 4), 200, np.uint8)
    seeds = {}
    for kind in ("stl", "ply", "off", "obj", "glb", "dae"):
        data = box.export(file_type=kind)
        seeds[kind] = [data if isinstance(data, bytes) else data.encode()]
    seeds["stl"].append(box.export(file_type="stl_ascii").encode())
    seeds["ply"].append(box.export(file_type="ply", encoding="ascii"))
    seeds["dae"] += [min(meshes.rglob("*.dae"), key=lambda path: path.stat().st_size).read_bytes()]
    (folder / "m.mtl").write_text("newmtl a\nKd 1 0 0\nd 0.5\n")
    seeds["obj"].append(
        b"mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n"
    )
    files = box.scene().export(file_type="gltf")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    seeds["gltf"] = [next(data for name, data in files.items() if name.endswith(".gltf"))]
    odd = [file for file in map(random_gltf, range(8)) if file.triangles]
    seeds["gltf"] += [file.gltf() for file in odd]
    seeds["glb"] += [file.glb() for file in odd]
    return seeds
