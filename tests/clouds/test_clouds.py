"""Point clouds against spheres: files are read or refused with their line, uncovered points are
listed and covered."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app import PointCloud, cli, read_cloud
from editor_app.core.text.source import FormatError
from editor_app.plugins.clouds.engine.cover import balls_around, clusters
from tests.helpers.robots import copy_of_sample

POINTS = np.array([[0.5, -1.25, 2.0], [0.25, 0.0, -3.5], [1.0, 2.0, 3.0]])
XYZ = "property float x\nproperty float y\nproperty float z\n"


def ply(
    kind: str, rows: bytes, *, before: str = "", properties: str = XYZ, count: int = 3
) -> bytes:
    head = (
        f"ply\nformat {kind} 1.0\ncomment by hand\n{before}element vertex "
        f"{count}\n{properties}end_header\n"
    )
    return head.encode() + rows


def text(points: Any = POINTS) -> bytes:
    return b"".join(
        " ".join(map(repr, row)).encode() + b"\n" for row in np.asarray(points).tolist()
    )


def pcd(
    kind: str,
    body: bytes,
    *,
    fields: str = "x y z",
    sizes: str = "4 4 4",
    types: str = "F F F",
    counts: str = "1 1 1",
    width: int = 3,
) -> bytes:
    return (
        f"# .PCD v0.7\nVERSION 0.7\nFIELDS {fields}\nSIZE {sizes}\nTYPE {types}\nCOUNT "
        f"{counts}\nWIDTH {width}\n"
        f"HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {width}\nDATA {kind}\n"
    ).encode() + body


def literal_lzf(data: bytes) -> bytes:
    """LZF of runs that are copied as they are."""
    return b"".join(
        bytes([len(data[k : k + 32]) - 1]) + data[k : k + 32] for k in range(0, len(data), 32)
    )


PACKED = literal_lzf(POINTS.T.astype("<f4").tobytes())
WITH_COLOUR = np.zeros(3, [("rgb", "<u1", 3), ("xyz", "<f8", 3)])
WITH_COLOUR["xyz"] = POINTS
FILES: dict[str, bytes] = {
    "ascii.ply": ply("ascii", text()),
    "little.ply": ply("binary_little_endian", POINTS.astype("<f4").tobytes()),
    "big.ply": ply("binary_big_endian", POINTS.astype(">f4").tobytes()),
    "doubles.ply": ply(
        "binary_little_endian",
        WITH_COLOUR.tobytes(),
        properties="".join(f"property uchar {c}\n" for c in "rgb")
        + XYZ.replace("float", "double"),
    ),
    "camera_first.ply": ply("ascii", b"7\n" + text(), before="element camera 1\nproperty int a\n"),
    "ascii.pcd": pcd("ascii", text()),
    "binary.pcd": pcd(
        "binary",
        b"".join(struct.pack("<f3ff", row[0], *row[1:], 0.0, 9.0) for row in POINTS.tolist()),
        fields="x y z pad", sizes="4 4 4 4", types="F F F F", counts="1 1 2 1",
    ),
    "packed.pcd": pcd("binary_compressed", struct.pack("<II", len(PACKED), 36) + PACKED),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_form_gives_the_same_points(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    cloud = read_cloud(tmp_path / name)
    assert np.allclose(cloud.points, POINTS)
    assert cloud.dropped == 0


def test_lzf_with_references_that_reach_into_themselves_is_unpacked(tmp_path: Path) -> None:
    # 36 bytes: the first four as they are, then 32 copied from four bytes before.
    packed = bytes([3]) + struct.pack("<f", 1.5) + bytes([7 << 5, 32 - 2 - 7, 3])
    (tmp_path / "a.pcd").write_bytes(
        pcd("binary_compressed", struct.pack("<II", len(packed), 36) + packed)
    )
    assert np.allclose(read_cloud(tmp_path / "a.pcd").points, 1.5)


def test_points_without_a_position_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.ply").write_bytes(ply("ascii", b"nan 0 0\n1 2 3\n0 inf 0\n"))
    cloud = read_cloud(tmp_path / "a.ply")
    assert (len(cloud.points), cloud.dropped) == (1, 2)


FAULTS: dict[str, tuple[bytes, int, str]] = {
    "cut.ply": (ply("binary_little_endian", b"1234"), 9, "announces 36 bytes"),
    "few.ply": (ply("ascii", b"1 2 3\n"), 10, "announces 3 points"),
    "word.ply": (ply("ascii", b"1 2 3\n1 two 3\n1 2 3\n"), 10, "instead of 3 numbers"),
    "short.ply": (ply("ascii", b"1 2 3\n1 2 3\n1 2\n"), 11, "2 values instead of 3"),
    "huge.ply": (ply("ascii", b"", count=10**11), 4, "whole number"),
    "many.ply": (ply("ascii", b"", count=10**8), 9, "20,000,000 points"),
    "kind.ply": (ply("binary_middle_endian", b""), 2, "Unknown format"),
    "list.ply": (
        ply("ascii", text(), properties=XYZ + "property list uchar int i\n"),
        10,
        "have a list",
    ),
    "flat.ply": (
        ply("ascii", text(), properties=XYZ.replace("property float z\n", "")),
        8,
        "no 'z'",
    ),
    "twice.ply": (ply("ascii", text(), properties=XYZ + "property float x\n"), 8, "twice"),
    "open.ply": (b"ply\nformat ascii 1.0\n", 1, "no line 'end_header'"),
    "cut.pcd": (pcd("binary", b"12"), 12, "announces 36 bytes"),
    "bomb.pcd": (
        pcd("binary_compressed", struct.pack("<II", 4, 1 << 31) + b"\x00a\x00b"),
        12,
        "unpack to",
    ),
    "damaged.pcd": (
        pcd("binary_compressed", struct.pack("<II", 3, 36) + b"\xe0\xff\xff"),
        12,
        "damaged",
    ),
    "type.pcd": (pcd("ascii", text(), types="F F Q"), 5, "unknown type"),
    "size.pcd": (pcd("ascii", text(), sizes="4 4"), 3, "different lengths"),
    "axis.pcd": (pcd("ascii", text(), fields="x y y"), 3, "'y' once"),
    "data.pcd": (pcd("zip", text()), 11, "Unknown DATA"),
    "wide.pcd": (pcd("ascii", text(), width=10**8), 7, "whole number"),
    "other.pcd": (b"solid\n", 1, "no line 'DATA'"),
    "other.xyz": (b"1 2 3\n", 1, "neither PLY nor PCD"),
    "far.ply": (ply("ascii", b"1 2 3\n1 2 9e9\n1 2 3\n"), 9, "1,000 km"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_line_and_a_fix(name: str, tmp_path: Path) -> None:
    data, line, words = FAULTS[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=words) as caught:
        read_cloud(tmp_path / name)
    assert caught.value.location.line == line
    assert caught.value.fix


def test_a_missing_file_is_no_internal_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_cloud(tmp_path / "no.ply")


def write_bag(path: Path, frame: str = "base_link") -> None:
    """Two joint states, two clouds of one point, another state."""
    rosbags = pytest.importorskip("rosbags.rosbag2")
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.LATEST)
    kinds = store.types
    stamp = kinds["builtin_interfaces/msg/Time"]
    header = kinds["std_msgs/msg/Header"](stamp=stamp(sec=0, nanosec=0), frame_id=frame)

    def state(name: str, position: float) -> Any:
        return kinds["sensor_msgs/msg/JointState"](
            header=header,
            name=[name],
            position=np.array([position]),
            velocity=np.zeros(0),
            effort=np.zeros(0),
        )

    def cloud(x: float) -> Any:
        field = kinds["sensor_msgs/msg/PointField"]
        data = struct.pack("<ifff", 7, x, 0.2, 0.3)
        fields = [field(name=n, offset=4 * k, datatype=7, count=1) for k, n in enumerate("xyz", 1)]
        return kinds["sensor_msgs/msg/PointCloud2"](
            header=header, height=1, width=1, fields=fields, is_bigendian=False, point_step=16, row_step=16,
            data=np.frombuffer(data, np.uint8), is_dense=True,
        )  # fmt: skip

    with rosbags.Writer(path, version=9) as writer:
        topics = {
            "state": writer.add_connection(
                "/joint_states", "sensor_msgs/msg/JointState", typestore=store
            ),
            "cloud": writer.add_connection(
                "/camera/points", "sensor_msgs/msg/PointCloud2", typestore=store
            ),
        }
        messages = [
            ("state", state("elbow_pitch_joint", 0.5)), ("cloud", cloud(0.1)),
            ("state", state("elbow_pitch_joint", 0.7)), ("cloud", cloud(0.4)),
            ("state", state("elbow_pitch_joint", 0.9)), ("state", state("base_yaw_joint", 0.2)),
        ]  # fmt: skip
        for time, (topic, message) in enumerate(messages):
            data = store.serialize_cdr(message, topics[topic].msgtype)
            writer.write(topics[topic], time * 10**9, data)


def test_a_cloud_of_a_bag_has_the_joint_states_of_its_time(tmp_path: Path) -> None:
    write_bag(tmp_path / "bag")
    cloud = read_cloud(tmp_path / "bag")
    assert np.allclose(cloud.points, [[0.4, 0.2, 0.3]])
    assert cloud.frame == "base_link"
    assert dict(cloud.pose) == {"elbow_pitch_joint": 0.7, "base_yaw_joint": 0.2}
    assert np.allclose(read_cloud(tmp_path / "bag", number=1).points, [[0.1, 0.2, 0.3]])
    with pytest.raises(FormatError, match="has 2 clouds"):
        read_cloud(tmp_path / "bag", number=3)
    with pytest.raises(FormatError, match="no clouds on the topic"):
        read_cloud(tmp_path / "bag", topic="/scan")


def test_a_frame_that_the_robot_lacks_is_asked_for(tmp_path: Path) -> None:
    write_bag(tmp_path / "bag", "/camera")
    robot = editor_app.open_robot(copy_of_sample(tmp_path / "sample"))
    cloud = read_cloud(tmp_path / "bag")
    with pytest.raises(editor_app.Refused, match="'camera', which the robot does not have"):
        editor_app.compare_cloud(robot, cloud)
    at_hand = editor_app.compare_cloud(robot, cloud, frame="hand_link")
    expected = editor_app.frame_poses(robot, cloud.pose)["hand_link"] @ [0.4, 0.2, 0.3, 1.0]
    assert np.allclose(at_hand.points[0], expected[:3])


# -- a cable in a depth picture

POSE = {"elbow_pitch_joint": 0.8, "base_yaw_joint": 0.3}


def cable(robot: editor_app.Document) -> np.ndarray:
    """(n, 3) centres of a cable of 6 mm thickness, 0.1 m beside the forearm, in the base frame."""
    at = editor_app.frame_poses(robot, POSE)["forearm_link"]
    along = np.linspace(-0.1, 0.1, 81)
    local = np.column_stack([0.1 + 0.02 * np.cos(20 * along), 0.06 * np.ones_like(along), along])
    return np.asarray(local @ at[:3, :3].T + at[:3, 3])


def depth_cloud(
    robot: editor_app.Document, more: np.ndarray | None, camera: np.ndarray
) -> PointCloud:
    """What a pinhole camera at a place (3,) sees of the spheres, of a floor, and of balls of 3 mm
    around `more`."""
    spheres = editor_app.sphere_arrays(robot, POSE)
    centres, radii = spheres.centers, spheres.radii - 0.001
    if more is not None:
        centres, radii = (
            np.vstack([centres, more]),
            np.concatenate([radii, np.full(len(more), 0.003)]),
        )
    target = np.array([0.2, 0.0, 0.5])
    forward = (target - camera) / np.linalg.norm(target - camera)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    u, v = np.meshgrid(np.linspace(-0.6, 0.6, 240), np.linspace(-0.5, 0.5, 200))
    rays = forward + u.reshape(-1, 1) * right + v.reshape(-1, 1) * up
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    depth = np.where(rays[:, 2] < 0.0, (-0.5 - camera[2]) / np.minimum(rays[:, 2], -1e-9), np.inf)
    for centre, radius in zip(centres, radii, strict=True):
        along = rays @ (centre - camera)
        gap = along**2 - ((centre - camera) ** 2).sum() + radius**2
        hit = along - np.sqrt(np.maximum(gap, 0.0))
        depth = np.where((gap > 0.0) & (hit < depth), hit, depth)
    seen = np.isfinite(depth)
    return PointCloud(camera + rays[seen] * depth[seen, None])


@pytest.fixture(scope="module")
def seen(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[editor_app.Document, PointCloud, np.ndarray]:
    robot = editor_app.open_robot(copy_of_sample(tmp_path_factory.mktemp("robot") / "sample"))
    wire = cable(robot)
    beside = editor_app.frame_poses(robot, POSE)["forearm_link"]
    camera = wire.mean(axis=0) + beside[:3, :3] @ [0.5, 0.5, 0.0]
    return robot, depth_cloud(robot, wire, camera), wire


Seen = tuple[editor_app.Document, PointCloud, np.ndarray]


def test_a_cable_in_a_depth_cloud_is_listed_and_nothing_else(seen: Seen) -> None:
    robot, cloud, wire = seen
    comparison = editor_app.compare_cloud(robot, cloud, pose=POSE)
    assert comparison.covered > 500
    assert comparison.gaps
    rows = np.concatenate([gap.rows for gap in comparison.gaps])
    near = np.sqrt(((comparison.points[rows, None] - wire) ** 2).sum(axis=2)).min(axis=1)
    assert near.max() < 0.004
    # The cable is seen along all of its length.
    reached = np.sqrt(((comparison.points[rows, None] - wire) ** 2).sum(axis=2)).min(axis=0) < 0.02
    assert reached.mean() > 0.9


def test_without_the_cable_every_point_near_the_robot_is_covered(seen: Seen) -> None:
    robot, _, wire = seen
    bare = depth_cloud(robot, None, wire.mean(axis=0) + [0.5, 0.5, 0.2])
    comparison = editor_app.compare_cloud(robot, bare, pose=POSE)
    assert comparison.gaps == ()
    assert comparison.covered > 500


def test_spheres_around_the_points_cover_all_of_them_and_are_one_step(
    seen: Seen, tmp_path: Path
) -> None:
    _, cloud, _ = seen
    robot = editor_app.open_robot(copy_of_sample(tmp_path / "sample"))
    comparison = editor_app.compare_cloud(robot, cloud, pose=POSE)
    link = comparison.gaps[0].link
    fit = editor_app.fit_cloud(comparison, link, gaps=range(len(comparison.gaps)))
    assert all(sphere.radius <= 0.04 + 1e-5 for sphere in fit.spheres)
    before = robot.xrdf_text
    robot.execute(fit.change)
    after = editor_app.compare_cloud(robot, cloud, pose=POSE)
    assert after.gaps == ()
    rows = np.concatenate([gap.rows for gap in comparison.gaps])
    # The padding is around every point.
    assert after.distances[rows].max() <= -0.005
    robot.undo()
    assert robot.xrdf_text == before


def test_a_number_of_spheres_is_kept(seen: Seen) -> None:
    robot, cloud, _ = seen
    comparison = editor_app.compare_cloud(robot, cloud, pose=POSE)
    every = range(len(comparison.gaps))
    assert (
        len(
            editor_app.fit_cloud(comparison, "hand_link", gaps=every, radius=0.01, number=3).spheres
        )
        == 3
    )
    with pytest.raises(editor_app.Refused, match="no uncovered points are at link 'base_link'"):
        editor_app.fit_cloud(comparison, "base_link")


def test_colours_tell_covered_uncovered_and_distant_points(seen: Seen, tmp_path: Path) -> None:
    robot, cloud, _ = seen
    comparison = editor_app.compare_cloud(robot, cloud, pose=POSE)
    (tmp_path / "heat.ply").write_bytes(comparison.ply())
    assert np.allclose(read_cloud(tmp_path / "heat.ply").points, comparison.points, atol=1e-6)
    rows = comparison.gaps[0].rows
    assert len(np.unique(comparison.colours, axis=0)) > 2
    assert (comparison.colours[rows, 0] >= 200).all()


def test_distances_equal_those_of_every_point_with_every_sphere(seen: Seen) -> None:
    robot, cloud, _ = seen
    comparison = editor_app.compare_cloud(robot, cloud, pose=POSE)
    spheres = editor_app.sphere_arrays(robot, POSE)
    some = slice(0, None, 50)
    gaps = (
        np.sqrt(((comparison.points[some, None] - spheres.centers) ** 2).sum(axis=2))
        - spheres.radii
    )
    least = gaps.min(axis=1)
    assert np.allclose(
        comparison.distances[some], np.where(least <= 0.15, least, np.inf), atol=1e-9
    )


def test_a_floor_below_a_height_is_left_out(seen: Seen) -> None:
    robot, cloud, _ = seen
    floor = PointCloud(np.vstack([cloud.points, [[0.3, 0.0, -0.02]] * 9]))
    raised = editor_app.compare_cloud(robot, floor, pose=POSE, above=0.0)
    assert raised.points[:, 2].min() > 0.0


def test_clusters_are_points_that_hang_together() -> None:
    line = np.column_stack([np.arange(50) * 0.005, np.zeros((50, 2))])
    number = clusters(np.vstack([line, line + [0.0, 0.5, 0.0]]), 0.015)
    assert len(set(number[:50])) == len(set(number[50:])) == 1
    assert number[0] != number[50]
    assert len(clusters(np.zeros((0, 3)), 0.015)) == 0


def test_equal_points_are_one_ball() -> None:
    balls = balls_around(np.zeros((7, 3)), 0.005, 0.001, None)
    assert balls.shape == (1, 4)
    assert balls[0, 3] == pytest.approx(0.005)


def test_the_command_lists_the_cable_and_writes_spheres(
    seen: Seen, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot, cloud, _ = seen
    urdf = copy_of_sample(tmp_path / "sample")
    scan, out, heat = tmp_path / "scan.ply", tmp_path / "out.xrdf", tmp_path / "heat.ply"
    scan.write_bytes(editor_app.compare_cloud(robot, cloud, pose=POSE).ply())
    at = " ".join(f"{joint}={value}" for joint, value in POSE.items())
    options = [str(urdf), "--cloud", str(scan), "--at", at]
    assert cli.run_command("cloud", options) == 1
    assert "uncovered" in capsys.readouterr().out
    assert cli.run_command("cloud", [*options, "--format", "json"]) == 1
    links = {gap["link"] for gap in json.loads(capsys.readouterr().out)["gaps"]}
    fit = [part for link in sorted(links) for part in ("--fit", link)]
    assert cli.run_command("cloud", [*options, *fit, "-o", str(out), "--colours", str(heat)]) == 1
    assert heat.stat().st_size > 1000
    capsys.readouterr()
    assert cli.run_command("cloud", [str(urdf), str(out), "--cloud", str(scan), "--at", at]) == 0
