"""A trajectory as a file: CSV, which every program reads, and the forms of ROS, MoveIt and cuRobo.

`read_trajectory` takes all of them back.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from editor_app.formats.yaml.scalars import format_number
from editor_app.model.trajectory import Trajectory

#: Seconds that steps of time may differ by to be one step.
_SAME_STEP = 1e-9


class TrajectoryFormat(StrEnum):
    """What a motion is written as, by the name of its file."""

    CSV = "CSV"
    ROS = "ROS JointTrajectory"
    MOVEIT = "MoveIt RobotTrajectory"
    CUROBO = "cuRobo JointState"

    @classmethod
    def of(cls, path: Path) -> TrajectoryFormat:
        """By the ends of the name: .moveit.yaml, .curobo.yml, else .yaml for ROS; CSV else."""
        name = path.name.lower()
        if not name.endswith((".yaml", ".yml", ".json")):
            return cls.CSV
        kinds = {".moveit": cls.MOVEIT, ".curobo": cls.CUROBO}
        return kinds.get(Path(Path(name).stem).suffix, cls.ROS)

    @property
    def suffix(self) -> str:
        return {
            TrajectoryFormat.CSV: ".csv", TrajectoryFormat.ROS: ".yaml", TrajectoryFormat.MOVEIT: ".moveit.yaml",
            TrajectoryFormat.CUROBO: ".curobo.yml",
        }[self]  # fmt: skip

    @property
    def needs_times(self) -> bool:
        """Whether programs that read it drive by its times."""
        return self is not TrajectoryFormat.CSV


def trajectory_text(trajectory: Trajectory, kind: TrajectoryFormat) -> str:
    """The text of a file. Raises ValueError where the form wants times, or one step of time, and there is none."""
    if kind is TrajectoryFormat.CSV:
        return trajectory_csv(trajectory)
    if trajectory.times is None:
        raise ValueError(f"{kind} wants a time for every point")
    lines = _curobo(trajectory, trajectory.times) if kind is TrajectoryFormat.CUROBO else _ros(trajectory, kind)
    return "\n".join(lines) + "\n"


def trajectory_csv(trajectory: Trajectory | Mapping[str, float]) -> str:
    """CSV of a trajectory, or of one pose.

    A column per joint (radians, metres), before them the time in seconds or the label where there is one.
    """
    if isinstance(trajectory, Mapping):
        trajectory = Trajectory.of_pose(trajectory)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = (["label"] if trajectory.labels else []) + (["time"] if trajectory.times is not None else [])
    writer.writerow([*head, *trajectory.joints])
    for k, point in enumerate(trajectory.points):
        row: list[object] = [trajectory.labels[k]] if trajectory.labels else []
        if trajectory.times is not None:
            row.append(repr(trajectory.times[k]))
        writer.writerow([*row, *map(repr, point)])
    return text.getvalue()


def _ros(trajectory: Trajectory, kind: TrajectoryFormat) -> Iterator[str]:
    """trajectory_msgs/JointTrajectory, as `ros2 topic pub` takes it; in moveit_msgs/RobotTrajectory for MoveIt."""
    indent = ""
    if kind is TrajectoryFormat.MOVEIT:
        yield "joint_trajectory:"
        indent = "  "
    yield indent + 'header: {stamp: {sec: 0, nanosec: 0}, frame_id: ""}'
    yield f"{indent}joint_names: {_names(trajectory.joints)}"
    yield f"{indent}points:"
    for k, point in enumerate(trajectory.points):
        yield f"{indent}- positions: {_row(point)}"
        for key, rows in (("velocities", trajectory.velocities), ("accelerations", trajectory.accelerations)):
            if rows is not None:
                yield f"{indent}  {key}: {_row(rows[k])}"
        assert trajectory.times is not None
        seconds, nanoseconds = divmod(round(trajectory.times[k] * 1e9), 1_000_000_000)
        yield f"{indent}  time_from_start: {{sec: {seconds}, nanosec: {nanoseconds}}}"
    if kind is TrajectoryFormat.MOVEIT:
        yield "multi_dof_joint_trajectory: {joint_names: [], points: []}"


def _curobo(trajectory: Trajectory, times: Sequence[float]) -> Iterator[str]:
    """The fields of cuRobo's JointState, a row per point, and the one step of time between the rows."""
    step = (times[-1] - times[0]) / max(1, len(times) - 1)
    if any(abs(time - times[0] - k * step) > _SAME_STEP for k, time in enumerate(times)):
        raise ValueError(f"{TrajectoryFormat.CUROBO} has one step of time, and the times of this motion differ")
    yield f"joint_names: {_names(trajectory.joints)}"
    yield f"interpolation_dt: {format_number(round(step, 12))}"
    for key, rows in (
        ("position", trajectory.points),
        ("velocity", trajectory.velocities),
        ("acceleration", trajectory.accelerations),
    ):
        if rows is not None:
            yield f"{key}:"
            yield from (f"- {_row(row)}" for row in rows)


def _names(joints: Sequence[str]) -> str:
    # JSON's quoted texts are YAML's.
    return json.dumps(list(joints), ensure_ascii=False)


def _row(values: Sequence[float]) -> str:
    return f"[{', '.join(map(format_number, values))}]"
