"""Files of obstacles and of joint positions: every format goes in and out, and nonsense ends in a
sentence."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from ruamel.yaml import YAML

from editor_app.core.formats.scenes import SceneFormat, read_scene, scene_text
from editor_app.core.formats.trajectories import read_trajectory, trajectory_csv
from editor_app.core.model.scene import (
    BoxShape,
    CylinderShape,
    MeshShape,
    Obstacle,
    Scene,
    SphereShape,
)
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.text.source import FormatError
from tests.helpers.odd_names import ODD

SCENE = Scene(
    (
        Obstacle("table: a", BoxShape((1.0, 0.5, 1e-7)), (0.1, 0.2, -0.3), (0.5, 0.5, 0.5, 0.5)),
        Obstacle("lamp", SphereShape(0.25), (0.0, 1.0, 2.0)),
        Obstacle("post", CylinderShape(0.05, 1.5), (1.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)),
        Obstacle(
            "wedge",
            MeshShape(
                None,
                (1.0, 1.0, 1.0),
                ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
                ((0, 1, 2),),
            ),
        ),
    )
)


@pytest.mark.parametrize("kind", list(SceneFormat))
def test_a_scene_comes_back_from_every_format(kind: SceneFormat, tmp_path: Path) -> None:
    names = {
        SceneFormat.EDITOR: "s.yaml",
        SceneFormat.CUROBO: "s.curobo.yml",
        SceneFormat.MOVEIT: "s.scene",
    }
    path = tmp_path / names[kind]
    assert SceneFormat.of(path) is kind
    text, notes = scene_text(SCENE, kind)
    path.write_text(text, encoding="utf-8")
    assert notes == ()
    assert set(read_scene(path).obstacles) == set(SCENE.obstacles)


def test_what_a_format_cannot_hold_is_said() -> None:
    scene = Scene((Obstacle("m", MeshShape("cup.stl"), may_touch=("hand",)),))
    assert "left out" in scene_text(scene, SceneFormat.MOVEIT)[1][0]
    assert "may touch" in scene_text(scene, SceneFormat.CUROBO)[1][0]
    assert scene_text(scene, SceneFormat.EDITOR)[1] == ()


def test_may_touch_and_mesh_files_come_back_from_our_own(tmp_path: Path) -> None:
    scene = Scene(
        (Obstacle("m", MeshShape("cup.stl", (0.001, 0.001, 0.001)), may_touch=("hand", "tool0")),)
    )
    path = tmp_path / "s.yaml"
    path.write_text(scene_text(scene, SceneFormat.EDITOR)[0])
    assert read_scene(path) == replace(scene, folder=str(tmp_path))
    (mesh,) = scene.obstacles
    brief = replace(
        mesh,
        may_touch_at_start=("tool0", "hand"),
        may_touch_at_end=("wrist",),
        touch_distance=0.125,
    )
    path.write_text(scene_text(replace(scene, obstacles=(brief,)), SceneFormat.EDITOR)[0])
    assert read_scene(path).obstacles == (brief,)
    only = replace(mesh, may_touch=(), may_touch_at_end=("wrist",))
    for kind in (SceneFormat.MOVEIT, SceneFormat.CUROBO):
        assert (
            "may touch"
            in scene_text(Scene((replace(only, shape=BoxShape((1.0, 1.0, 1.0))),)), kind)[1][0]
        )


def test_moveits_older_form_and_objects_of_several_shapes(tmp_path: Path) -> None:
    old = (
        "(noname)\n* one\n2\nbox\n1 2 3\n0 0 1\n0 0 0 1\n0 0 0 0\nsphere\n0.5\n1 0 0\n0 0 0 1\n0 0 "
        "0 0\n.\n"
    )
    new = (
        "(noname)\n* turned\n1 0 0\n0 0 0.7071067811865476 0.7071067811865476\n1\ncylinder\n0.1 2\n"
        "1 0 0\n0 0 0 1\n0 0 0 0\n1\nhandle\n0 0 0\n0 0 0 1\n.\n"
    )
    (tmp_path / "old.scene").write_text(old)
    (tmp_path / "new.scene").write_text(new)
    box, ball = read_scene(tmp_path / "old.scene").obstacles
    assert (box.shape, box.position, ball.name) == (
        BoxShape((1.0, 2.0, 3.0)),
        (0.0, 0.0, 1.0),
        "one_2",
    )
    (post,) = read_scene(tmp_path / "new.scene").obstacles
    assert post.position == pytest.approx((1.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.yaml", "hello: 1\n", "not a scene"),
        ("a.yaml", "format: xrdf-editor-scene\nobstacles: 3\n", "obstacles"),
        (
            "a.yaml",
            "format: xrdf-editor-scene\nobstacles:\n  - {name: x, box: {size: [1, 2]}}\n",
            "'x'",
        ),
        (
            "a.yaml",
            "format: xrdf-editor-scene\nobstacles:\n  - {name: x, sphere: {radius: -1}}\n",
            "above 0",
        ),
        (
            "a.yaml",
            "format: xrdf-editor-scene\nobstacles:\n  - {name: x, sphere: {radius: 1}, "
            "touch_distance: 0}\n",
            "touch_distance of 'x' needs a number above 0",
        ),
        ("a.yaml", "cuboid:\n  t: {dims: [1, 1, 1], pose: [0, 0, 0]}\n", "seven"),
        ("a.yaml", "capsule:\n  t: {radius: 1}\n", "capsule"),
        (
            "a.yaml",
            "sphere:\n  t: {radius: 1}\nmesh:\n  t: {file_path: x.stl}\n",
            "have the name 't'",
        ),
        ("a.scene", "(x)\n* a\n0 0 0\n0 0 0 1\n1\ncone\n1 1\n", "cone"),
        ("a.scene", "(x)\n* a\n0 0 0\n0 0 0 1\n1\nbox\n1 1 q\n", ":7"),
        ("a.scene", "(x)\n* a\n0 0 0\n0 0 0 1\n1\nmesh\n999999999 1\n", "not a count"),
    ],
)
def test_broken_scenes_end_in_a_sentence(name: str, text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read_scene(path)
    assert says in str(error.value)
    assert name in str(error.value)


def test_trajectories_of_every_kind(tmp_path: Path) -> None:
    expected = Trajectory(("a", "b"), ((0.1, 0.2), (0.3, -0.4)), (0.0, 1.5))
    points = [
        {"positions": [0.1, 0.2], "time_from_start": {"sec": 2, "nanosec": 0}},
        {"positions": [0.3, -0.4], "time_from_start": {"sec": 3, "nanosec": 500000000}},
    ]
    files = {
        "t.csv": trajectory_csv(expected),
        "u.csv": "time;a;b\n# a comment\n2.0;0.1;0.2\n\n3.5;0.3;-0.4\n",
        "t.json": json.dumps({"joint_names": ["a", "b"], "points": points}),
        "t.yaml": (
            f"joint_trajectory:\n  header: {{}}\n  joint_names: [a, b]\n  points: "
            f"{json.dumps(points)}\n"
        ),
        "c.json": json.dumps(
            {
                "joint_names": ["a", "b"],
                "position": [[0.1, 0.2], [0.3, -0.4]],
                "interpolation_dt": 1.5,
            }
        ),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        assert read_trajectory(tmp_path / name) == expected, name


def test_named_poses_do_not_move(tmp_path: Path) -> None:
    path = tmp_path / "poses.yaml"
    path.write_text("home: {a: 0, b: 1}\nup: {b: 2, a: 1e-1}\n")
    trajectory = read_trajectory(path)
    assert (trajectory.labels, trajectory.moves, trajectory.points) == (
        ("home", "up"),
        False,
        ((0.0, 1.0), (0.1, 2.0)),
    )
    path = tmp_path / "poses.csv"
    path.write_text(trajectory_csv(trajectory))
    assert read_trajectory(path) == trajectory


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", "", "names no joints"),
        ("a.csv", "1,2\n3,4\n", "names no joints"),
        ("a.csv", "a,b\n1,x\n", "a.csv:2"),
        ("a.csv", "a,b\n1,nan\n", "'b'"),
        ("a.csv", "a,b\n1\n", "1 values"),
        ("a.csv", "a,a\n1,2\n", "two columns"),
        ("a.csv", "a,b\n", "no point"),
        ("a.csv", "time,a\n1,0\n0.5,0\n", "before"),
        ("a.json", "[1, 2]", "no trajectory"),
        ("a.json", '{"joint_names": ["a"], "points": [{"positions": [1, 2]}]}', "Point 1"),
        ("a.json", '{"pairs": [{"start": [1], "goal": [2]}]}', "joint_names"),
        ("a.json", '{"joint_names": ["a"], "pairs": [{"start": [1], "goal": [1, 2]}]}', "Pair 1"),
        ("a.yaml", "home: {a: 0}\nup: {b: 0}\n", "up"),
    ],
)
def test_broken_trajectories_end_in_a_sentence(
    name: str, text: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read_trajectory(path)
    assert says in str(error.value)


def test_lines_may_end_as_on_any_system(tmp_path: Path) -> None:
    for ending in ("\r", "\r\n", "\n"):
        path = tmp_path / "a.csv"
        path.write_bytes(ending.join(["time,a,b", "0,1,2", "1,3,4", ""]).encode())
        assert read_trajectory(path) == Trajectory(("a", "b"), ((1.0, 2.0), (3.0, 4.0)), (0.0, 1.0))


@pytest.mark.parametrize(
    "text", ["a,b\n" + "1" * 200_000 + ",2\n", "a," + "b" * 200_000 + "\n1,2\n"]
)
def test_a_cell_without_end_ends_in_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(FormatError, match="not CSV"):
        read_trajectory(tmp_path / "a.csv")


def test_a_trajectory_without_end_ends_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from editor_app.core.formats.trajectories import files

    monkeypatch.setattr(files, "MOST_POSITIONS", 5)
    points = ", ".join(["[1]"] * 6)
    rows = (
        ("a.csv", "a,b\n" + "1,2\n" * 4),
        ("a.json", f'{{"joint_names": ["a"], "points": [{points}]}}'),
    )
    for name, text in rows:
        (tmp_path / name).write_text(text)
        with pytest.raises(FormatError, match="more than 5 positions"):
            read_trajectory(tmp_path / name)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((1e308, 0, 0, 1), (1, 0, 0, 0)),
        ((1e-200, 0, 0, 0), (1, 0, 0, 0)),
        ((1e308,) * 4, (0.5,) * 4),
    ],
)
def test_a_quaternion_of_any_length_is_a_rotation(
    given: tuple[float, float, float, float], expected: tuple[float, ...]
) -> None:
    from editor_app.core.formats.scenes.values import unit

    assert unit(given) == pytest.approx(expected)


def _bag(folder: Path, states: int = 3, *, compressed: bool = False, joints: int = 2) -> Path:
    """A bag of ROS 1, whose chunks may be compressed."""
    import numpy as np
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    kinds = store.types
    state, header, time = (
        kinds[name]
        for name in (
            "sensor_msgs/msg/JointState",
            "std_msgs/msg/Header",
            "builtin_interfaces/msg/Time",
        )
    )
    path = folder / "a.bag"
    writer = Writer(path)
    if compressed:
        writer.set_compression(Writer.CompressionFormat.BZ2)
    with writer:
        connection = writer.add_connection("/joint_states", state.__msgtype__, typestore=store)
        for k in range(states):
            names, empty = [f"j{j}" for j in range(joints)], np.zeros(0)
            message = state(
                header(k, time(k, 0), ""), names, np.full(joints, 0.1 * k), empty, empty
            )
            writer.write(connection, k * 10**9, store.serialize_ros1(message, state.__msgtype__))
    return path


def test_bags_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of their size, of what a chunk unpacks to, and of positions: 5 MB can hold more than the
    memory."""
    pytest.importorskip("rosbags", reason="the extra is not installed")
    from rosbags.rosbag1 import reader as rosbags_reader

    from editor_app.core.formats.trajectories import bags, states

    path = _bag(tmp_path, 200, compressed=True)
    before = dict(rosbags_reader.decompressors)
    assert len(read_trajectory(path)) == 200
    assert rosbags_reader.decompressors == before
    for module, name, limit, sentence in (
        (bags, "_MOST_BYTES", 100, "MB, the limit"),
        (bags, "_MOST_CHUNK", 1000, "unpacks to more than"),
        (states, "MOST_POSITIONS", 100, "more than 100 positions"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, limit)
            with pytest.raises(FormatError, match=sentence):
                read_trajectory(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes with names")
def test_bags_that_are_pipes_or_devices_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("rosbags", reason="the extra is not installed")
    for suffix in (".bag", ".mcap", ".db3"):
        os.mkfifo(tmp_path / f"a{suffix}")
        (tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
        for name in ("a", "zero"):
            with pytest.raises(FormatError, match="not a file"):
                read_trajectory(tmp_path / f"{name}{suffix}")
        with pytest.raises(FormatError, match="does not exist"):
            read_trajectory(tmp_path / f"missing{suffix}")
    folder = tmp_path / "bag"
    folder.mkdir()
    (folder / "metadata.yaml").write_text("{}")
    os.mkfifo(folder / "a.db3")
    for path in (folder, folder / "a.db3"):
        with pytest.raises(FormatError, match="is a pipe"):
            read_trajectory(path)


def test_bags_of_joint_states(tmp_path: Path) -> None:
    pytest.importorskip("rosbags", reason="the extra is not installed")
    import numpy as np
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    kinds = store.types
    state, header, time = (
        kinds[name]
        for name in (
            "sensor_msgs/msg/JointState",
            "std_msgs/msg/Header",
            "builtin_interfaces/msg/Time",
        )
    )
    for plugin, suffix in ((StoragePlugin.MCAP, ".mcap"), (StoragePlugin.SQLITE3, ".db3")):
        folder = tmp_path / plugin.name
        with Writer(folder, version=9, storage_plugin=plugin) as writer:
            connection = writer.add_connection("/joint_states", state.__msgtype__, typestore=store)
            for k in range(3):
                empty = np.zeros(0)
                message = state(
                    header(time(k, 0), ""), ["a", "b"], np.array([0.1 * k, -0.2 * k]), empty, empty
                )
                writer.write(connection, k * 10**9, store.serialize_cdr(message, state.__msgtype__))
        expected = Trajectory(("a", "b"), ((0.0, 0.0), (0.1, -0.2), (0.2, -0.4)), (0.0, 1.0, 2.0))
        for path in (folder, next(folder.glob(f"*{suffix}"))):
            trajectory = read_trajectory(path)
            assert trajectory.joints == expected.joints
            assert trajectory.times == pytest.approx(expected.times)
            assert np.allclose(trajectory.points, expected.points)


@pytest.mark.parametrize("ending", [".yaml", ".curobo.yml", ".scene"])
def test_obstacles_with_odd_names_come_back(tmp_path: Path, ending: str) -> None:
    names = (*ODD, "a\n* evil", "", "x  y")
    obstacles = tuple(
        Obstacle(name, BoxShape((1.0, 1.0, 1.0)), may_touch=ODD[:3]) for name in names
    )
    text, notes = scene_text(Scene(obstacles), SceneFormat.of(Path(f"a{ending}")))
    (tmp_path / f"a{ending}").write_text(text)
    scene = read_scene(tmp_path / f"a{ending}")
    if ending == ".scene":
        # A name is one line of MoveIt's text; what changed is said.
        assert len(scene.obstacles) == len(set(scene.obstacles)) == len(names)
        assert (
            sum("in MoveIt's text, where a name must be on one line" in note for note in notes) == 7
        )
    else:
        assert tuple(obstacle.name for obstacle in scene.obstacles) == names
        new = YAML(typ="safe", pure=True).load(text)
        assert yaml.safe_load(text) == new
    if ending == ".yaml":
        assert {obstacle.may_touch for obstacle in scene.obstacles} == {ODD[:3]}


def test_odd_joints_and_labels_come_back_from_csv(tmp_path: Path) -> None:
    joints = (
        *(name for name in ODD if name.strip() == name and ";" not in name),
        "'=x",
        "''@y",
        "'z",
    )
    motion = Trajectory(joints, (tuple(0.1 for _ in joints),) * len(joints), None, joints, False)
    text = trajectory_csv(motion)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "#")]
    (tmp_path / "a.csv").write_text(text)
    read = read_trajectory(tmp_path / "a.csv")
    assert (read.joints, read.labels) == (joints, joints)
