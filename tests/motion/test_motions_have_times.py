"""Times of motions: as fast as the limits allow, on the path that was proven; and what is too fast
is told."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.formats.trajectories import TrajectoryFormat, read_trajectory, trajectory_text
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.inverse import ToolTarget
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import Refused
from editor_app.core.verbs.open import open_robot
from editor_app.plugins.motion.engine.limit_check import beyond_limits
from editor_app.plugins.motion.engine.limits import JointLimits, list_limits
from editor_app.plugins.motion.engine.model import build_motion_model
from editor_app.plugins.motion.engine.planner import free_configurations, plan_path
from editor_app.plugins.motion.engine.ramps import fastest_ramp
from editor_app.plugins.motion.engine.results import Rate
from editor_app.plugins.motion.engine.time_laws import smooth_law
from editor_app.plugins.motion.engine.timing import time_path
from editor_app.plugins.motion.verbs.collide import collide, motion_model_of
from editor_app.plugins.motion.verbs.straight import plan_straight
from editor_app.plugins.motion.verbs.times import Timed, judge_times, time_motion
from tests.helpers.breadth import DEEP
from tests.helpers.robots import sample_urdf, shared_robots
from tests.helpers.sphere_robots import joint, robot_of


@pytest.fixture(scope="module")
def ur10e() -> RobotDescription:
    folder = shared_robots() / "ur10e"
    return open_robot(folder / "ur10e.urdf", folder / "ur10e_v2.xrdf").robot


@pytest.fixture(scope="module")
def motions(ur10e: RobotDescription) -> list[tuple[Trajectory, Timed]]:
    """Paths with corners, and their motions with a point every millisecond."""
    model = motion_model_of(ur10e)
    ends, _ = free_configurations(model, 120, 3)
    joints = tuple(model.variables[k] for k in model.moving.tolist())
    paths = []
    for start, goal in zip(ends[::2], ends[1::2], strict=True):
        path = plan_path(model, start, goal).path
        if path is not None and len(path) > 2:
            paths.append(Trajectory(joints, tuple(map(tuple, path[:, model.moving].tolist()))))
    assert len(paths) > 3
    return [
        (path, time_motion(ur10e, path, step=0.001, model=model))
        for path in paths[: 4 if DEEP else 2]
    ]


def shares(robot: RobotDescription, motion: Trajectory) -> tuple[float, float, float]:
    """The greatest differences of first, second and third order between points as shares of the
    limits."""
    limits, _ = list_limits(robot, motion.joints).assumed()
    assert motion.times is not None
    step = motion.times[1]
    points = np.array(motion.points)
    velocity, acceleration, jerk = (
        float(np.max(np.abs(np.diff(points, order, axis=0)) / step**order / bound))
        for order, bound in enumerate((limits.velocity, limits.acceleration, limits.jerk), 1)
    )
    return velocity, acceleration, jerk


def limits_like(velocity: float, acceleration: float, jerk: float, count: int = 2) -> JointLimits:
    joints = tuple(f"j{k}" for k in range(count))
    return JointLimits(
        joints,
        np.full(count, velocity),
        np.full(count, acceleration),
        np.full(count, jerk),
        (False,) * count,
    )


def random_bounds(rng: np.random.Generator) -> tuple[float, float, float, float]:
    length, velocity, acceleration, jerk = 10.0 ** rng.uniform(
        [-2.0, -0.5, 0.0, 1.0], [1.0, 0.7, 1.3, 3.5]
    )
    return float(length), float(velocity), float(acceleration), float(jerk)


def test_ramps_take_as_long_as_ruckigs() -> None:
    ruckig = pytest.importorskip("ruckig", reason="ruckig has no wheels for Linux on ARM")
    rng = np.random.default_rng(0)
    for _ in range(500):
        length, velocity, acceleration, jerk = random_bounds(rng)
        asked, answer = ruckig.InputParameter(1), ruckig.Trajectory(1)
        asked.current_position, asked.target_position = [0.0], [length]
        asked.max_velocity, asked.max_acceleration, asked.max_jerk = (
            [velocity],
            [acceleration],
            [jerk],
        )
        ruckig.Ruckig(1).calculate(asked, answer)
        ours = fastest_ramp(length, velocity, acceleration, jerk)
        assert ours.duration == pytest.approx(answer.duration, rel=1e-12)
        for share in (0.1, 0.3, 0.5, 0.9):
            place, speed, push = answer.at_time(share * ours.duration)
            state = ours.at(np.array([share * ours.duration]))[0]
            assert state[:3] == pytest.approx([place[0], speed[0], push[0]], abs=1e-9)


def test_ramps_keep_to_their_bounds_and_reach_one_in_each_phase() -> None:
    rng = np.random.default_rng(1)
    for _ in range(500):
        length, *bounds = random_bounds(rng)
        if rng.random() < 0.2:
            bounds[2] = math.inf
        ramp = fastest_ramp(length, *bounds)
        states = ramp.at(np.linspace(0.0, ramp.duration, 5000))
        peaks = np.abs(states[:, 1:]).max(axis=0)
        assert (peaks <= np.array(bounds) * (1.0 + 1e-9)).all()
        assert states[0, 0] == 0.0
        assert states[-1, 0] == length
        assert (np.diff(states[:, 0]) >= -1e-12).all()
        # The fastest one: wherever it does not run at the greatest speed, acceleration or jerk is
        # at its bound.
        full = states[:, 1] > bounds[0] * (1.0 - 1e-9)
        pushed = np.abs(states[:, 2]) > bounds[1] * (1.0 - 1e-9)
        jerked = np.abs(states[:, 3]) > bounds[2] * (1.0 - 1e-9)
        assert (full | pushed | jerked)[1:-1].all()


def test_differences_between_points_keep_to_the_limits(
    ur10e: RobotDescription, motions: list[tuple[Trajectory, Timed]]
) -> None:
    for path, timed in motions:
        velocity, acceleration, jerk = shares(ur10e, timed.motion)
        assert max(velocity, acceleration, jerk) <= 1.0 + 1e-6
        # And it is no slower than they want it to.
        assert velocity > 0.95
        assert timed.motion.points[0] == path.points[0]
        assert timed.motion.points[-1] == path.points[-1]
        assert timed.motion.velocities is not None
        assert not any(timed.motion.velocities[0] + timed.motion.velocities[-1])
        assert judge_times(ur10e, timed.motion) == ()


def test_velocities_and_accelerations_are_those_of_the_points(
    motions: list[tuple[Trajectory, Timed]],
) -> None:
    for _, timed in motions:
        motion = timed.motion
        points, velocities, accelerations = map(
            np.array, (motion.points, motion.velocities, motion.accelerations)
        )
        h = 0.001
        assert (
            np.abs((points[2:] - points[:-2]) / (2.0 * h) - velocities[1:-1]).max() < 500.0 * h**2
        )
        # The jerk jumps.
        assert np.abs(np.diff(points, 2, axis=0) / h**2 - accelerations[1:-1]).max() < 500.0 * h


def test_rounded_corners_are_free_and_save_time(
    ur10e: RobotDescription, motions: list[tuple[Trajectory, Timed]]
) -> None:
    for path, timed in motions:
        assert timed.corners == len(path) - 2
        assert timed.rounded > timed.corners // 2
        assert timed.duration < 0.9 * timed.stopping
        assert 0.0 < max(timed.deviation.values()) < 0.05
        coarse = time_motion(ur10e, path)
        assert coarse.duration == pytest.approx(timed.duration, abs=0.02)
        driven = collide(ur10e, coarse.motion)
        assert driven.all_free
        assert driven.too_fast == ()


def test_no_slower_than_toppra_by_more_than_a_tenth(
    ur10e: RobotDescription, motions: list[tuple[Trajectory, Timed]]
) -> None:
    """On the very same curve; toppra's motion has the limits of velocity and acceleration, and none
    of jerk."""
    toppra = pytest.importorskip("toppra", reason="toppra has wheels for Linux on x86 alone")
    from toppra import algorithm, constraint

    for _, timed in motions:
        limits = list_limits(ur10e, timed.motion.joints)
        points = np.array(timed.motion.points)[::10]
        curve = toppra.SplineInterpolator(np.linspace(0.0, 1.0, len(points)), points)
        bounds = [
            constraint.JointVelocityConstraint(
                np.column_stack([-limits.velocity, limits.velocity])
            ),
            constraint.JointAccelerationConstraint(
                np.column_stack([-limits.acceleration, limits.acceleration])
            ),
        ]
        peer = algorithm.TOPPRA(
            bounds, curve, gridpoints=np.linspace(0.0, 1.0, 801)
        ).compute_trajectory(0.0, 0.0)
        assert timed.duration <= 1.1 * peer.duration


def test_with_stops_the_path_is_what_it_was_and_takes_ruckigs_time(
    ur10e: RobotDescription, motions: list[tuple[Trajectory, Timed]]
) -> None:
    for path, _ in motions:
        timed = time_motion(ur10e, path, exact=True)
        assert (timed.rounded, max(timed.deviation.values())) == (0, 0.0)
        assert timed.duration == timed.stopping
        motion = set(timed.motion.points)
        rows = np.array(timed.motion.points)
        for point in path.points:
            assert np.abs(rows - point).max(axis=1).min() < 1e-12
        assert len(motion) > len(path)
        limits = list_limits(ur10e, path.joints)
        lines = np.diff(np.array(path.points), axis=0)
        fastest = sum(
            fastest_ramp(
                1.0,
                *(
                    float(np.min(bound[line != 0.0] / np.abs(line[line != 0.0])))
                    for bound in (limits.velocity, limits.acceleration, limits.jerk)
                ),
            ).duration
            for line in lines
        )
        # Each line takes a whole number of steps.
        assert fastest <= timed.duration + 1e-9 < fastest + 0.01 * len(lines) + 1e-6


def test_smooth_laws_keep_to_their_limits_between_all_bends() -> None:
    """Ten looks in each millisecond: the acceleration may have its peak between the bends of a
    law."""
    rng = np.random.default_rng(2)
    limits = limits_like(2.0, 10.0, 500.0, 4)
    for count in (3, 5, 9, 30):
        for box in (0.01, 0.02, 0.05):
            path = np.cumsum(rng.uniform(-1.0, 1.0, (count, 4)), axis=0) / math.sqrt(count)
            law = smooth_law(path, limits, (2.0 * box, box))
            states = law.at(np.arange(0.0, law.duration, 1e-4))
            for order, bound in enumerate((limits.velocity, limits.acceleration, limits.jerk), 1):
                assert np.max(np.abs(states[order]) / bound) <= 1.0


def test_slow_motion_keeps_to_its_share(
    ur10e: RobotDescription, motions: list[tuple[Trajectory, Timed]]
) -> None:
    path, timed = motions[0]
    slow = time_motion(ur10e, path, speed=0.25)
    assert slow.duration == pytest.approx(4.0 * timed.duration, rel=0.02)
    assert max(use[0] for use in slow.use.values()) == pytest.approx(0.25, abs=0.01)
    for speed in (0.0, -1.0, 1.5, math.nan):
        with pytest.raises(Refused, match="share"):
            time_motion(ur10e, path, speed=speed)


def test_a_corner_around_an_obstacle_is_cut_no_further_than_is_free() -> None:
    """Balls of 1 cm, one of them on the inner side of a corner, 0.1 mm from both of its lines."""
    slope = 0.2
    apart = (0.02 + 1e-4) * math.hypot(1.0, slope)
    kind = JointType.PRISMATIC
    robot = robot_of(
        [
            joint("j0", "base", "cart", kind=kind, limits=(-1.0, 1.0), axis=(1.0, 0.0, 0.0)),
            joint("j1", "cart", "ball", kind=kind, limits=(-1.0, 1.0), axis=(0.0, 1.0, 0.0)),
        ],
        {"base": [(0.0, -apart, 0.0, 0.01)], "ball": [(0.0, 0.0, 0.0, 0.01)]},
    )
    model = build_motion_model(robot, masked=())
    limits = limits_like(1.0, 10.0, 500.0)
    path = np.array([[-0.7, -0.7 * slope], [0.0, 0.0], [0.7, -0.7 * slope]])
    blind = smooth_law(path, limits, (0.04, 0.02))
    blind_curve = blind.at(np.linspace(0.0, blind.duration, 2000))[0]
    assert float(model.least_clearances(blind_curve)[0].min()) < 0.0
    timed = time_path(path, limits, 0.001, model)
    assert float(model.least_clearances(timed.positions)[0].min()) > 0.0
    assert all(model.line(a, b).free for a, b in itertools.pairwise(timed.positions))
    # Without the obstacle it is passed at full speed.
    elsewhere = time_path(path + np.array([0.0, 0.2]), limits, 0.001, model)
    assert (elsewhere.rounded, elsewhere.corners) == (1, 1)
    assert elsewhere.times[-1] < timed.times[-1]
    assert timed.times[-1] <= timed.stopping


def test_many_points_close_together_are_one_curve() -> None:
    angles = np.linspace(0.0, 2.0, 200)
    path = np.column_stack([np.sin(angles), np.cos(angles)])
    robot = robot_of(
        [
            joint("j0", "a", "b", limits=(-3.0, 3.0)),
            joint("j1", "b", "c", xyz=(1.0, 0.0, 0.0), limits=(-3.0, 3.0)),
        ],
        {"a": [(0.0, 0.0, 0.0, 0.1)], "b": [(0.5, 0.0, 0.0, 0.1)], "c": [(0.5, 0.0, 0.0, 0.1)]},
    )
    timed = time_path(path, limits_like(2.0, 10.0, 500.0), 0.01, motion_model_of(robot))
    assert timed.times[-1] < 0.15 * timed.stopping
    assert timed.deviation.max() < 0.01
    assert timed.use.max() <= 1.0 + 1e-6


def test_a_straight_line_of_a_tool_stays_one(ur10e: RobotDescription) -> None:
    names = tuple(
        f"{name}_joint"
        for name in ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
    )
    start = Trajectory.of_pose(dict(zip(names, (-0.3, -1.0, 1.2, -1.5, -1.57, 0.0), strict=True)))
    frame = (ur10e.xrdf.tool_frames or ("",))[0]
    tree = get_tree(ur10e)

    def place(pose: Mapping[str, float]) -> np.ndarray:
        return np.asarray(compute_forward(tree, dict(pose))[tree.index[frame]])

    begin = place(start.pose(0))
    target = ToolTarget(frame, begin[:3, 3] - np.array([0.0, 0.0, 0.4]), begin[:3, :3])
    line = plan_straight(ur10e, start, target)
    assert line.path is not None
    strays, durations = [], []
    for straight in (None, frame):
        timed = time_motion(ur10e, line.path, straight=straight, step=0.002)
        durations.append(timed.duration)
        away = (
            np.array([place(timed.motion.pose(k))[:3, 3] for k in range(len(timed.motion))])
            - begin[:3, 3]
        )
        strays.append(float(np.abs(away[:, :2]).max()))
    assert strays[1] <= 2e-4 < strays[0]
    assert durations[0] < durations[1] < 0.5 * timed.stopping
    with pytest.raises(Refused, match="no frame 'nowhere'"):
        time_motion(ur10e, line.path, straight="nowhere")


def test_limits_come_from_the_files_and_what_is_missing_is_said(ur10e: RobotDescription) -> None:
    limits = list_limits(ur10e, ("shoulder_pan_joint", "elbow_joint"))
    assert limits.velocity.tolist() == pytest.approx([math.radians(120.0), math.radians(180.0)])
    assert ur10e.xrdf.cspace is not None
    assert ur10e.xrdf.cspace.acceleration_limits is not None
    assert limits.acceleration[0] == ur10e.xrdf.cspace.acceleration_limits[0]
    bare = robot_of([joint("j0", "a", "b")], {})
    assumed, notes = list_limits(bare, ("j0",)).assumed()
    assert (assumed.velocity[0], assumed.acceleration[0], assumed.jerk[0]) == (1.0, 10.0, math.inf)
    assert [note.split(":")[0] for note in notes[:2]] == [
        "No file limits the velocity of j0", "No file limits the acceleration of j0",
    ]  # fmt: skip


# -- judging


def test_a_motion_that_is_too_fast_is_told_with_joint_time_and_limit(
    ur10e: RobotDescription,
) -> None:
    hurry = Trajectory(
        ("shoulder_pan_joint", "elbow_joint"), ((0.0, 0.0), (1.0, 0.1), (1.0, 0.2)), (0.0, 0.2, 0.4)
    )
    worst, *more = judge_times(ur10e, hurry)
    assert (worst.joint, worst.rate, worst.time, worst.value) == (
        "shoulder_pan_joint",
        Rate.VELOCITY,
        0.1,
        5.0,
    )
    assert worst.sentence == (
        "shoulder_pan_joint has velocity 5 rad/s at 0.100 s, limit 2.094 (2.39 times)"
    )  # fmt: skip
    assert {each.rate for each in more} == {Rate.ACCELERATION}
    assert collide(ur10e, hurry).too_fast == (worst, *more)
    jump = Trajectory(("elbow_joint",), ((0.0,), (0.0,), (0.5,)), (0.0, 1.0, 1.0))
    assert "jumps at 1.000 s" in judge_times(ur10e, jump)[0].sentence
    assert judge_times(ur10e, Trajectory(("elbow_joint",), ((0.0,), (3.0,)))) == ()


def test_nothing_is_blamed_that_a_smooth_motion_explains() -> None:
    """Sampled at any times, rounded to any digits, a motion within limits is within limits."""
    rng = np.random.default_rng(5)
    robot = robot_of([joint(f"j{k}", f"l{k}", f"l{k + 1}") for k in range(2)], {})
    for digits in (3, 4, 6, 17):
        for _ in range(20):
            speed, slow = rng.uniform(0.2, 3.0, 2), rng.uniform(0.3, 3.0, 2)
            times = np.round(np.cumsum(rng.uniform(0.004, 0.2, 60)), min(digits, 9))
            waves = slow * times[:, None]
            points, velocities = np.sin(waves) * speed, np.cos(waves) * speed * slow
            # Exactly the limits of this motion.
            peaks = [speed * slow**order for order in (1, 2, 3)]
            limits = JointLimits(("j0", "j1"), peaks[0], peaks[1], peaks[2], (False, False))
            for rows in (None, velocities):
                trajectory = Trajectory(
                    ("j0", "j1"), rounded(points, digits), tuple((times - times[0]).round(9).tolist()),
                    velocities=None if rows is None else rounded(rows, digits),
                )  # fmt: skip
                if rows is None or digits == 17:
                    assert beyond_limits(trajectory, limits) == (), (digits, trajectory)
                    half = JointLimits(
                        ("j0", "j1"), peaks[0] * 0.5, peaks[1] * 0.5, peaks[2] * 0.5, (False, False)
                    )
                    assert {each.rate for each in beyond_limits(trajectory, half)} >= {
                        Rate.VELOCITY
                    }
    assert judge_times(robot, Trajectory(("j0",), ((0.0,), (9.0,)), (0.0, 1.0))) == ()


def rounded(table: np.ndarray, digits: int) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, table.round(digits).tolist()))


def test_stated_rates_are_judged_too(ur10e: RobotDescription) -> None:
    joints = ("elbow_joint",)
    calm = Trajectory(
        joints, ((0.0,), (0.1,), (0.2,)), (0.0, 1.0, 2.0), velocities=((0.0,), (9.0,), (0.0,))
    )
    assert {each.rate for each in judge_times(ur10e, calm)} >= {Rate.VELOCITY, Rate.ACCELERATION}
    pushed = Trajectory(joints, ((0.0,), (0.1,)), (0.0, 1.0), accelerations=((99.0,), (99.0,)))
    assert [each.rate for each in judge_times(ur10e, pushed)] == [Rate.ACCELERATION]


def test_the_sample_keeps_to_its_limits_and_its_motion_comes_back(tmp_path: Path) -> None:
    """The same without robots beside the repository: a path with a corner, timed, judged, written
    and read."""
    robot = open_robot(sample_urdf()).robot
    model = motion_model_of(robot)
    joints = tuple(model.variables[k] for k in model.moving.tolist())
    first = model.default[model.moving]
    corner = first + 0.25 * np.cos(np.arange(len(first)))
    path = Trajectory(
        joints, tuple(tuple(map(float, point)) for point in (first, corner, first + 0.3))
    )
    timed = time_motion(robot, path, step=0.001, model=model)
    assert max(shares(robot, timed.motion)) <= 1.0 + 1e-6
    assert (timed.motion.points[0], timed.motion.points[-1]) == (path.points[0], path.points[-1])
    assert collide(robot, timed.motion).all_free
    assert timed.duration <= timed.stopping
    for kind in TrajectoryFormat:
        file = tmp_path / f"m{kind.suffix}"
        file.write_text(trajectory_text(timed.motion, kind), encoding="utf-8")
        again = read_trajectory(file)
        assert (again.joints, again.points, again.times) == (
            timed.motion.joints, timed.motion.points, timed.motion.times
        )  # fmt: skip


# -- files


@pytest.mark.parametrize("kind", list(TrajectoryFormat))
def test_a_motion_comes_back_from_every_form(
    kind: TrajectoryFormat, motions: list[tuple[Trajectory, Timed]], tmp_path: Path
) -> None:
    odd = Trajectory(
        ('a "b": c', "ünï, #1"), ((1e-7, 1e22), (-2.5e-300, 0.1)), (0.0, 0.3),
        velocities=((1e-5, 0.0), (3.0, -4.0)), accelerations=((0.0, 1e-9), (0.1, 0.2)),
    )  # fmt: skip
    for motion in (motions[0][1].motion, odd):
        path = tmp_path / f"m{kind.suffix}"
        assert TrajectoryFormat.of(path) is kind
        path.write_text(trajectory_text(motion, kind), encoding="utf-8")
        again = read_trajectory(path)
        assert (again.joints, again.points, again.times) == (
            motion.joints,
            motion.points,
            motion.times,
        )
        if kind is not TrajectoryFormat.CSV:
            assert again == motion


def test_no_zero_has_a_sign() -> None:
    rest = Trajectory(("a",), ((0.5,),), (0.0,), velocities=((-0.0,),))
    assert "velocities: [0.0]" in trajectory_text(rest, TrajectoryFormat.ROS)


def test_forms_that_want_times_refuse_motions_without(tmp_path: Path) -> None:
    bare = Trajectory(("a",), ((0.0,), (1.0,)))
    for kind in TrajectoryFormat:
        if kind.needs_times:
            with pytest.raises(ValueError, match="needs a time"):
                trajectory_text(bare, kind)
    uneven = Trajectory(("a",), ((0.0,), (1.0,), (2.0,)), (0.0, 1.0, 1.5))
    with pytest.raises(ValueError, match="one fixed time step"):
        trajectory_text(uneven, TrajectoryFormat.CUROBO)
