"""Margins under tolerances: no deviation beats the bound, the bound is close, buffers make up for
the deviations."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app import FrameTolerance, Tolerances, cli
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.text.source import FormatError
from editor_app.plugins.margins.engine import bounds
from editor_app.plugins.margins.engine.columns import Columns
from editor_app.plugins.margins.verbs import margins as verb
from tests.helpers.robots import copy_of_sample

JOINTS = """
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="lift" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.1 0 0.4" rpy="0.1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="fore"/><child link="hand"/><origin xyz="0.3 0 0" rpy="0 0.4 0"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="1" velocity="1"/></joint>
  <joint name="left" type="revolute"><parent link="hand"/><child link="one"/><origin xyz="0.1 0.05 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="right" type="revolute"><parent link="hand"/><child link="two"/><origin xyz="0.1 -0.05 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
    <mimic joint="left" multiplier="-1" offset="0.1"/></joint>
"""
FOLDED = "shoulder_pitch_joint=-2.4 elbow_pitch_joint=120deg"
LINKS = ("base", "upper", "fore", "hand", "one", "two")
SPHERES = {
    "base": [((0.0, 0.0, 0.1), 0.1), ((0.2, 0.0, 0.05), 0.05)],
    "upper": [((0.0, 0.0, 0.2), 0.06)],
    "fore": [((0.1, 0.0, 0.0), 0.05), ((0.25, 0.02, 0.0), 0.04)],
    "hand": [((0.05, 0.0, 0.0), 0.04)],
    "one": [((0.08, 0.0, 0.0), 0.015)],
    "two": [((0.08, 0.0, 0.0), 0.015)],
}
TOLERANCES = Tolerances.of(
    {"turn": 0.01, "lift": 0.02, "slide": 0.002, "left": 0.03},
    {"hand": FrameTolerance(0.002, 0.01)},
)


def write_arm(folder: Path, joints: str = JOINTS, buffers: str = "") -> Path:
    links = "".join(f'<link name="{name}"/>' for name in LINKS)
    urdf = folder / "arm.urdf"
    urdf.write_text(f'<robot name="arm">{links}{joints}</robot>')
    spheres = {
        link: [{"center": list(center), "radius": radius} for center, radius in each]
        for link, each in SPHERES.items()
    }
    (folder / "arm.xrdf").write_text(
        "format: xrdf\nformat_version: 1.0\n"
        "default_joint_positions: {lift: 0.5, slide: 0.05}\n"
        "cspace:\n  joint_names: [turn, lift, slide, left]\n  acceleration_limits: [1, 1, 1, 1]\n"
        "  jerk_limits: [1, 1, 1, 1]\n"
        "collision:\n  geometry: g\n  buffer_distance:\n    base: 0.0\nself_collision:\n  "
        "geometry: g\n"
        f"  buffer_distance:\n    base: 0.0\n{buffers}  ignore: {{base: [upper], upper: [fore]}}\n"
        f"geometry:\n  g:\n    spheres: {json.dumps(spheres)}\n"
    )
    return urdf


@pytest.fixture
def arm(tmp_path: Path) -> editor_app.Document:
    return editor_app.open_robot(write_arm(tmp_path))


def pose_with(joints: dict[str, float]) -> dict[str, float]:
    return {"turn": 0.4, "lift": 0.7, "slide": 0.1, "left": 0.2, **joints}


@pytest.mark.parametrize(
    ("samples", "pose"), [(10_000, {}), (500, {"lift": 1.9, "turn": -2.0, "left": -0.9})]
)
def test_ten_thousand_deviations_never_beat_a_margin_and_come_close(
    arm: editor_app.Document, samples: int, pose: dict[str, float]
) -> None:
    result = editor_app.margins(arm, pose_with(pose), TOLERANCES, samples=samples)
    assert result.pairs
    for pair in result.pairs:
        assert pair.sampled is not None
        least = min(pair.sampled, pair.reached)
        assert pair.margin <= least
        # A loss below a micrometre is rounding, and proofs of it.
        assert pair.clearance - least >= 0.5 * pair.loss - 1e-6, pair


def test_a_bound_holds_for_deviations_that_are_not_small(arm: editor_app.Document) -> None:
    wide = Tolerances.of(
        {"turn": 0.9, "lift": 0.8, "slide": 0.3, "left": 1.0}, {"hand": FrameTolerance(0.1, 0.6)}
    )
    for pair in editor_app.margins(arm, pose_with({}), wide, samples=1000).pairs:
        assert pair.sampled is not None
        assert pair.margin <= min(pair.sampled, pair.reached)


def test_deviations_are_those_of_a_robot_with_other_origins_and_joints(
    arm: editor_app.Document, tmp_path: Path
) -> None:
    tree = get_tree(arm.robot)
    columns = Columns.of(tree, TOLERANCES)
    deviations = np.zeros((1, len(columns.labels)))
    sizes = {"turn": 0.5, "left": -1.0, "hand along y": 1.0, "hand about x": 1.0}
    for label, share in sizes.items():
        deviations[0, columns.labels.index(label)] = share
    values = np.array([[pose_with({})[name] for name in tree.independent]])
    poses = columns.state(values, deviations).poses[0]
    (tmp_path / "other").mkdir()
    # 0.002 m along y and 0.01 rad about x of the joint frame, which is turned by 0.4 rad about y.
    moved = 'xyz="0.3 0.002 0" rpy="{} {} {}"'.format(
        *_angles(_about("y", 0.4) @ _about("x", 0.01))
    )
    changed = editor_app.open_robot(
        write_arm(tmp_path / "other", JOINTS.replace('xyz="0.3 0 0" rpy="0 0.4 0"', moved))
    )
    expected = editor_app.frame_poses(changed, pose_with({"turn": 0.405, "left": 0.17}))
    for link in LINKS:
        assert np.allclose(poses[tree.index[link]], expected[link], atol=1e-12), link


def _about(axis: str, angle: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    if axis == "x":
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def _angles(turn: Any) -> tuple[float, float, float]:
    return (
        float(np.arctan2(turn[2, 1], turn[2, 2])),
        float(-np.arcsin(turn[2, 0])),
        float(np.arctan2(turn[1, 0], turn[0, 0])),
    )


def test_joints_above_both_links_take_nothing(arm: editor_app.Document) -> None:
    result = editor_app.margins(arm, pose_with({}), Tolerances.of({"turn": 0.5, "lift": 0.5}))
    fingers = next(pair for pair in result.pairs if {pair.first, pair.second} == {"one", "two"})
    assert fingers.loss == pytest.approx(0.0, abs=2e-9)


def test_a_follower_deviates_with_its_leader(arm: editor_app.Document) -> None:
    result = editor_app.margins(arm, pose_with({}), Tolerances.of({"left": 0.05}), samples=2000)
    fingers = next(pair for pair in result.pairs if {pair.first, pair.second} == {"one", "two"})
    # Both fingers close by 0.05 rad at 0.08 m.
    assert 0.006 < fingers.loss < 0.009
    assert fingers.clearance - fingers.reached > 0.95 * fingers.loss


def test_a_margin_along_a_path_holds_between_its_points(arm: editor_app.Document) -> None:
    joints = ("turn", "lift", "slide", "left")
    points = ((-1.0, -1.4, 0.0, 0.5), (1.2, 1.6, 0.2, -0.8), (2.0, 0.0, 0.1, 0.0))
    path = editor_app.Trajectory(joints, points)
    result = editor_app.margins(arm, path, TOLERANCES)
    assert result.is_path
    tree = get_tree(arm.robot)
    columns, spheres = Columns.of(tree, TOLERANCES), verb.frame_spheres(arm.robot, tree)
    rng = np.random.default_rng(1)
    order = [joints.index(name) for name in tree.independent]
    table = np.array(points)[:, order]
    least = dict.fromkeys(result.pairs, np.inf)
    for _ in range(30):
        index, share = int(rng.integers(2)), rng.random()
        at = table[index] + share * (table[index + 1] - table[index])
        state = columns.state(at[None], np.sign(rng.uniform(-1, 1, (50, len(columns.labels)))))
        for pair in result.pairs:
            gap = bounds.clearances(spheres[pair.first], spheres[pair.second], state.poses).min()
            least[pair] = min(least[pair], float(gap))
    for pair in result.pairs:
        assert pair.margin <= min(least[pair], pair.reached)
        # The margin is close to what happens somewhere.
        assert pair.reached - pair.margin <= 1e-4 + 0.35 * (pair.clearance - pair.reached)


def test_the_least_of_several_configurations_counts(arm: editor_app.Document) -> None:
    poses = [pose_with({}), pose_with({"lift": 1.9})]
    joints = tuple(poses[0])
    several = editor_app.Trajectory(
        joints, tuple(tuple(pose[j] for j in joints) for pose in poses), moves=False
    )
    together = editor_app.margins(arm, several, TOLERANCES)
    each = [editor_app.margins(arm, pose, TOLERANCES) for pose in poses]
    assert not together.is_path
    assert together.least.margin == pytest.approx(min(one.least.margin for one in each), abs=1e-9)


def test_buffers_cover_what_deviations_take_in_any_configuration(arm: editor_app.Document) -> None:
    buffers = editor_app.margin_buffers(arm, TOLERANCES)
    tree = get_tree(arm.robot)
    columns, spheres = Columns.of(tree, TOLERANCES), verb.frame_spheres(arm.robot, tree)
    rng = np.random.default_rng(0)
    limits = np.array([tree.joints[tree.joint_index[name]].span for name in tree.independent])
    most = dict.fromkeys(buffers.needs, 0.0)
    moved = dict.fromkeys(buffers.world, 0.0)
    for values in limits[:, 0] + rng.random((30, len(limits))) * (limits[:, 1] - limits[:, 0]):
        nominal = columns.state(values[None]).poses
        state = columns.state(values[None], np.sign(rng.uniform(-1, 1, (60, len(columns.labels)))))
        for first, second in most:
            one, other = spheres[first], spheres[second]
            lost = (
                bounds.clearances(one, other, nominal)[0]
                - bounds.clearances(one, other, state.poses).min()
            )
            most[first, second] = max(most[first, second], float(lost))
        for frame in moved:
            way = np.linalg.norm(
                spheres[frame].at(state.poses) - spheres[frame].at(nominal), axis=2
            ).max()
            moved[frame] = max(moved[frame], float(way))
    for (first, second), loss in most.items():
        assert buffers.itself.get(first, 0.0) + buffers.itself.get(second, 0.0) >= loss - 1e-9
    for frame, most_moved in moved.items():
        assert 0.5 * buffers.world[frame] <= most_moved <= buffers.world[frame]


def test_buffers_are_written_with_their_reason_and_are_one_step(arm: editor_app.Document) -> None:
    buffers = editor_app.margin_buffers(arm, TOLERANCES)
    before = arm.xrdf_text
    arm.execute(buffers.change)
    text = arm.xrdf_text
    assert text.count("# proven margin for ±0.573 deg in turn; ") == 2
    written = arm.robot.xrdf.self_collision
    assert written is not None
    assert all(written.buffer(frame) >= distance for frame, distance in buffers.itself.items())
    # A second time there is nothing to add.
    assert not editor_app.margin_buffers(arm, TOLERANCES).changes
    arm.undo()
    assert arm.xrdf_text == before


def test_larger_buffers_stay(tmp_path: Path) -> None:
    arm = editor_app.open_robot(write_arm(tmp_path, buffers="    hand: 0.5\n"))
    assert "hand" not in editor_app.margin_buffers(arm, TOLERANCES).changes["self_collision"]


def test_a_joint_that_slides_without_end_gets_no_buffers(tmp_path: Path) -> None:
    endless = JOINTS.replace('lower="0" upper="0.2"', 'lower="-1e12" upper="1e12"')
    arm = editor_app.open_robot(write_arm(tmp_path, endless))
    with pytest.raises(editor_app.Refused, match="joint slide slides without limits"):
        editor_app.margin_buffers(arm, TOLERANCES)


@pytest.mark.parametrize(
    ("tolerances", "words"),
    [
        (Tolerances.of({"trun": 0.1}), "turn"),
        (Tolerances.of({"turn": -0.1}), "tolerance of joint 'turn'"),
        (Tolerances.of({"turn": float("nan")}), "tolerance of joint 'turn'"),
        (Tolerances.of({}, {"base": FrameTolerance(0.001)}), "is the base"),
        (Tolerances.of({}, {"hadn": FrameTolerance(0.001)}), "hand"),
        (
            Tolerances.of({}, {"hand": FrameTolerance(0.001, 2.0)}),
            "angle tolerance of frame 'hand'",
        ),
    ],
)
def test_a_tolerance_that_is_none_is_refused_by_name(
    arm: editor_app.Document, tolerances: Tolerances, words: str
) -> None:
    with pytest.raises(editor_app.Refused, match=words):
        editor_app.margins(arm, {}, tolerances)


def motion(offset: float, lag: float, scale: float = 1.0) -> editor_app.Trajectory:
    times = np.linspace(0.0, 4.0, 401)
    points = np.column_stack(
        [np.sin(times - lag) * scale + offset, 0.1 + 0.05 * np.sin(2 * (times - lag))]
    )
    return editor_app.Trajectory(
        ("turn", "slide"), tuple(map(tuple, points.tolist())), tuple(times.tolist())
    )


def test_tolerances_are_the_largest_errors_of_a_measured_motion(arm: editor_app.Document) -> None:
    estimate = editor_app.estimate_tolerances(arm, motion(0.0, 0.0), motion(0.0123, 0.0))
    turn, slide = estimate.errors
    assert (turn.joint, slide.joint) == ("turn", "slide")
    assert turn.mean == pytest.approx(0.0123)
    assert estimate.tolerances.joints["turn"] == pytest.approx(0.013)
    assert slide.largest == pytest.approx(0.0)


def test_a_turn_more_is_no_error(arm: editor_app.Document) -> None:
    estimate = editor_app.estimate_tolerances(arm, motion(0.0, 0.0), motion(2 * np.pi, 0.0))
    assert estimate.errors[0].largest < 1e-9


def test_a_delay_counts_unless_the_motions_are_aligned(arm: editor_app.Document) -> None:
    late = editor_app.estimate_tolerances(arm, motion(0.0, 0.0), motion(0.0, 0.1))
    assert 0.09 < late.errors[0].largest < 0.105
    aligned = editor_app.estimate_tolerances(arm, motion(0.0, 0.0), motion(0.0, 0.1), align=True)
    assert aligned.shift == pytest.approx(0.1, abs=0.003)
    assert aligned.errors[0].largest < 0.005


def test_motions_without_a_common_joint_or_time_are_refused(arm: editor_app.Document) -> None:
    strange = replace(motion(0.0, 0.0), joints=("a", "b"))
    with pytest.raises(editor_app.Refused, match="in common"):
        editor_app.estimate_tolerances(arm, motion(0.0, 0.0), strange)
    elsewhere = motion(0.0, 0.0)
    assert elsewhere.times is not None
    later = replace(elsewhere, times=tuple(time + 100.0 for time in elsewhere.times))
    with pytest.raises(editor_app.Refused, match="overlap"):
        editor_app.estimate_tolerances(arm, motion(0.0, 0.0), later)


def write_tracking(path: Path) -> None:
    """A bag of 50 states of a controller whose joint `turn` is 0.004 rad ahead of the command."""
    rosbags = pytest.importorskip("rosbags.rosbag2")
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.LATEST)
    kind = "control_msgs/msg/JointTrajectoryControllerState"
    point = "trajectory_msgs/JointTrajectoryPoint"
    text = f"std_msgs/Header header\nstring[] joint_names\n{point} reference\n{point} feedback\n"
    store.register(typesys.get_types_from_msg(text, kind))
    types = store.types
    stamp, none = types["builtin_interfaces/msg/Time"](sec=0, nanosec=0), np.zeros(0)
    since = types["builtin_interfaces/msg/Duration"](sec=0, nanosec=0)

    def point_at(position: float) -> Any:
        return types["trajectory_msgs/msg/JointTrajectoryPoint"](
            positions=np.array([position]),
            velocities=none,
            accelerations=none,
            effort=none,
            time_from_start=since,
        )

    with rosbags.Writer(path, version=9) as writer:
        connection = writer.add_connection("/controller/controller_state", kind, typestore=store)
        for k in range(50):
            header = types["std_msgs/msg/Header"](stamp=stamp, frame_id="")
            state = types[kind](
                header=header,
                joint_names=["turn"],
                reference=point_at(0.01 * k),
                feedback=point_at(0.01 * k + 0.004),
            )
            writer.write(connection, k * 10**8, store.serialize_cdr(state, kind))


def test_a_bag_with_states_of_a_controller_gives_both_motions(
    arm: editor_app.Document, tmp_path: Path
) -> None:
    write_tracking(tmp_path / "bag")
    commanded, measured = editor_app.read_tracking(tmp_path / "bag")
    assert len(commanded) == len(measured) == 50
    estimate = editor_app.estimate_tolerances(arm, commanded, measured)
    assert estimate.tolerances.joints["turn"] == pytest.approx(0.004)
    with pytest.raises(FormatError, match="does not exist"):
        editor_app.read_tracking(tmp_path / "none.mcap")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.run_command("margins", [str(each) for each in arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_the_command_reports_margins_and_writes_buffers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = copy_of_sample(tmp_path / "sample")
    out = tmp_path / "out.xrdf"
    options = ("--turning", "0.2deg", "--frame", "hand_link=1mm,0.1deg", "--format", "json")
    code, text, _ = run(capsys, urdf, *options, "--samples", 200, "--buffers", "-o", out)
    report = json.loads(text)
    assert code == 0
    assert report["safe"]
    assert all(pair["margin"] <= min(pair["reached"], pair["sampled"]) for pair in report["pairs"])
    assert "# proven margin for" in out.read_text()
    assert report["buffers"]["written"] == [str(out)]


def test_the_command_exits_with_1_where_a_pair_may_touch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text, _ = run(
        capsys, copy_of_sample(tmp_path / "sample"), "--turning", "1deg", "--at", FOLDED
    )
    assert code == 1
    assert "No deviation within the tolerances leaves less than -" in text


def test_the_command_estimates_tolerances_from_two_motions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = copy_of_sample(tmp_path / "sample")
    for name, offset in (("commanded", 0.0), ("measured", 0.004)):
        rows = "".join(f"{k / 10},{0.01 * k + offset}\n" for k in range(10))
        (tmp_path / f"{name}.csv").write_text(f"time,base_yaw_joint\n{rows}")
    files = ("--commanded", tmp_path / "commanded.csv", "--measured", tmp_path / "measured.csv")
    code, text, _ = run(capsys, urdf, *files, "--poses", tmp_path / "commanded.csv")
    assert code == 0
    assert "base_yaw_joint: largest error 0.2292 deg" in text
    assert "on the whole path" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "no tolerance is given"),
        (("--turning", "a"), "--turning"),
        (("--joint", "base_yaw_joint"), "NAME=VALUE"),
        (("--turning", "1deg", "-o", "x.xrdf"), "--buffers"),
        (("--commanded", "x.csv"), "belong together"),
    ],
)
def test_the_command_names_the_option_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    code, _, errors = run(capsys, copy_of_sample(tmp_path / "sample"), *options)
    assert code == 2
    assert words in errors
