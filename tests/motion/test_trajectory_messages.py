"""Messages of ROS as programs print them: each is read as it is meant, or refused with the
reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.cli import run_command
from editor_app.core.formats.trajectories import read_trajectory
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.pairing import is_trajectory
from editor_app.core.verbs.pose_texts import parse_pose
from tests.helpers.documents import CLEAN, make_document

#: As `rostopic echo` prints it, three dashes included.
ROS_1 = """header:
  seq: 0
  stamp:
    secs: 0
    nsecs: 0
  frame_id: ''
joint_names:
  - shoulder
  - elbow
points:
  -
    positions: [0.0, 0.0]
    velocities: [0.0, 0.0]
    time_from_start:
      secs: 0
      nsecs:         0
  -
    positions: [0.5, 0.9]
    time_from_start:
      secs: 2
      nsecs: 250000000
---
"""
POINTS = """    joint_names: [shoulder, elbow]
    points:
    - {positions: [0.0, 0.0], time_from_start: {sec: 0, nanosec: 0}}
    - {positions: [0.5, 0.9], time_from_start: {sec: 2, nanosec: 250000000}}
"""
BACK = """    joint_names: [shoulder, elbow]
    points:
    - {positions: [0.5, 0.9], time_from_start: {sec: 0, nanosec: 0}}
    - {positions: [0.0, 0.0], time_from_start: {sec: 1, nanosec: 0}}
"""
START = (
    "trajectory_start: {joint_state: {header: {}, name: [shoulder, elbow, grip], position: [0, 0, "
    "0.3]}}\n"
)
DISPLAY = f"""model_id: arm
trajectory:
- joint_trajectory:
    header: {{stamp: {{sec: 0, nanosec: 0}}, frame_id: base}}
{POINTS}  multi_dof_joint_trajectory: {{header: {{}}, joint_names: [], points: []}}
"""
GOAL = (
    f"trajectory:\n{POINTS}goal_tolerance: []\ngoal_time_tolerance: {{sec: 1, nanosec: 0}}\n---\n"
)
ACTION_GOAL = "goal_id: {id: x}\ngoal:\n  trajectory:\n" + POINTS.replace("    ", "      ")
EXECUTE = f"trajectory:\n  joint_trajectory:\n{POINTS}"
MOVE_RESULT = "result:\n  planned_trajectory:\n    joint_trajectory:\n" + POINTS.replace(
    "    ", "      "
)

EXPECTED = Trajectory(("shoulder", "elbow"), ((0.0, 0.0), (0.5, 0.9)), (0.0, 2.25))
WITH_GRIP = Trajectory(
    ("shoulder", "elbow", "grip"), ((0.0, 0.0, 0.3), (0.5, 0.9, 0.3)), (0.0, 2.25)
)
THERE_AND_BACK = Trajectory(
    ("shoulder", "elbow"), ((0.0, 0.0), (0.5, 0.9), (0.5, 0.9), (0.0, 0.0)), (0.0, 2.25, 2.25, 3.25)
)


def stamped(seconds: int, name: str, position: str, more: str = "effort: []") -> str:
    return (
        f"header:\n  stamp:\n    sec: {seconds}\n    nanosec: 0\nname: {name}\nposition: "
        f"{position}\n{more}\n---\n"
    )


STATES = {
    # The gripper speaks for itself, and its positions last until it speaks again.
    "two publishers": (
        stamped(10, "[shoulder, elbow]", "[0.1, 0.2]")
        + stamped(11, "[grip]", "[0.3]")
        + stamped(12, "[shoulder, elbow]", "[0.5, 0.6]"),
        Trajectory(("shoulder", "elbow", "grip"), ((0.1, 0.2, 0.3), (0.5, 0.6, 0.3)), (0.0, 1.0)),
    ),
    "without stamps": (
        "name: [shoulder, elbow]\nposition: [0.1, 0.2]\nvelocity: []\n---\n"
        "name: [elbow, shoulder]\nposition: [0.4, 0.3]\n---\n",
        Trajectory(("shoulder", "elbow"), ((0.1, 0.2), (0.3, 0.4))),
    ),
    "one in blocks": (
        "name:\n- shoulder\n- elbow\nposition:\n- 0.1\n- 0.2\n---\n",
        Trajectory(("shoulder", "elbow"), ((0.1, 0.2),), moves=False),
    ),
    "one without positions": (
        stamped(1, "[shoulder]", "[0.1]")
        + stamped(2, "[shoulder]", "[]")
        + stamped(3, "[shoulder]", "[0.2]"),
        Trajectory(("shoulder",), ((0.1,), (0.2,)), (0.0, 2.0)),
    ),
}
PATHS = {
    "trailing dashes": (ROS_1, EXPECTED),
    "display": (DISPLAY, EXPECTED),
    "display with its start": (DISPLAY + START, WITH_GRIP),
    "display with an empty start": (
        DISPLAY + "trajectory_start: {joint_state: {name: [], position: []}}\n",
        EXPECTED,
    ),
    "display of two parts": (DISPLAY + "- joint_trajectory:\n" + BACK, THERE_AND_BACK),
    "display with an empty part": (
        DISPLAY + "- joint_trajectory: {joint_names: [], points: []}\n",
        EXPECTED,
    ),
    "goal": (GOAL, EXPECTED),
    "goal of an action": (ACTION_GOAL, EXPECTED),
    "goal to execute": (EXECUTE, EXPECTED),
    "result": (MOVE_RESULT, EXPECTED),
}
EVERY = {**PATHS, **STATES}
REFUSED = {
    "two paths": (ROS_1 + ROS_1, "2 messages that are not joint states"),
    "parts of other joints": (
        DISPLAY + "- joint_trajectory:\n" + BACK.replace("elbow", "grip"),
        "Trajectory 2 of the message moves different joints",
    ),
    "parts apart": (
        DISPLAY + "- joint_trajectory:\n" + POINTS,
        "does not begin where the previous one ends",
    ),
    "a floating joint moves": (
        DISPLAY.replace(
            "joint_names: [], points: []", "joint_names: [virtual], points: [{transforms: []}]"
        ),
        "multi_dof_joint_trajectory has points",
    ),
    "a joint twice": (ROS_1.replace("- elbow", "- shoulder"), "names a joint twice"),
    "times of some": (
        ROS_1.replace("secs: 2", "seconds: two\n      secs: two"),
        "Point 2 has no readable time_from_start",
    ),
    "no time at the start": (
        "joint_names: [a]\npoints:\n- {positions: [0]}\n- {positions: [1], time_from_start: 2.0}\n",
        "Point 1 has no readable time_from_start",
    ),
    "positions cut short": (
        "name: [shoulder, elbow]\nposition: [0.1, '...']\n---\n",
        "Message 1 has no list of 2 numbers",
    ),
    "a state and a path": (
        stamped(1, "[shoulder]", "[0.1]") + ROS_1,
        "Message 2 is not a joint state",
    ),
    "stamps run back": (
        stamped(2, "[shoulder]", "[0.1]") + stamped(1, "[shoulder]", "[0.2]"),
        "earlier than the previous message",
    ),
    "no position": (stamped(2, "[shoulder]", "[]"), "have no positions"),
}


@pytest.mark.parametrize("name", EVERY)
def test_a_message_is_read_as_it_is_meant(name: str, tmp_path: Path) -> None:
    text, expected = EVERY[name]
    path = tmp_path / "motion.yaml"
    path.write_text(text)
    motion = read_trajectory(path)
    assert (motion.joints, motion.points, motion.times, motion.moves) == (
        expected.joints, expected.points, expected.times, expected.moves,
    )  # fmt: skip
    # By this the window knows what is dropped on it.
    assert is_trajectory(path)


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_read_wrongly_is_refused_with_the_reason(name: str, tmp_path: Path) -> None:
    text, reason = REFUSED[name]
    path = tmp_path / "motion.yaml"
    path.write_text(text)
    with pytest.raises(FormatError, match=reason):
        read_trajectory(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # Commas for decimals: two cells of one number, or no number.
        ("time,a\n0,5,0,3\n", "4 values, the first line names 2"),
        ("time;a\n0,0;0,1\n", "Write decimals with a point"),
        (
            "%time,field.name0,field.position0\n1,a,0.1\n",
            "'a' in column 'field.name0' is not a number",
        ),
    ],
)
def test_tables_with_other_decimals_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=reason):
        read_trajectory(path)


def test_poses_by_the_names_of_messages_stay_poses(tmp_path: Path) -> None:
    path = tmp_path / "poses.yaml"
    path.write_text("start: {a: 0, b: 1}\ngoal: {a: 2, b: 3}\nresult: {a: 4, b: 5}\n")
    poses = read_trajectory(path)
    assert (poses.labels, poses.points) == (
        ("start", "goal", "result"),
        ((0.0, 1.0), (2.0, 3.0), (4.0, 5.0)),
    )


def test_commands_and_pasting_take_the_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = make_document(tmp_path, CLEAN)
    (tmp_path / "display.yaml").write_text(DISPLAY + START)
    files = [str(tmp_path / name) for name in ("arm.urdf", "arm.xrdf")]
    assert run_command(
        "collide", [*files, "--poses", str(tmp_path / "display.yaml"), "-q", "--format", "json"]
    ) in (
        0,
        1,
    )
    assert '"count": 2' in capsys.readouterr().out
    for text in (DISPLAY, ROS_1, STATES["without stamps"][0]):
        assert set(parse_pose(robot, text).positions) == {"shoulder", "elbow"}
