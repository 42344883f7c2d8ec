"""One function for all kinds of files; the kind follows from suffix and content, not from a
switch."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from editor_app.core.formats.trajectories.bags import BAG_SUFFIXES, is_bag, read_bag
from editor_app.core.formats.trajectories.states import is_joint_state, merge_states, seconds_of
from editor_app.core.model.findings import Location
from editor_app.core.model.trajectory import MOST_POSITIONS, Trajectory
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import (
    load_all,
    read_finite_number,
    read_finite_numbers,
    read_text_list,
)
from editor_app.core.text.yaml.scalars import format_number, format_string

#: Names that mean something in a cell, behind any number of the marks that take the meaning away.
_FORMULA = re.compile(r"'*[=+\-@#\t\r]")
#: Rows of velocities or accelerations.
Rates = tuple[tuple[float, ...], ...]
#: What a file dialog offers.
SUFFIXES = (".csv", ".json", ".yaml", ".yml", *BAG_SUFFIXES)
_TIME = ("time", "t", "time_from_start", "timestamp", "time_s")
_LABEL = ("label", "name", "pose", "id")
_HELP = (
    "A trajectory is CSV with joint names in its first line, JSON or YAML with `joint_names` and "
    "`points`."
)


def read_trajectory(path: str | Path) -> Trajectory:
    """The joint positions of a CSV, JSON, YAML (JointTrajectory) or bag file.

    Raises FormatError (file, line, remedy) when the file holds no trajectory; OSError never.

    Positions in radians and metres. A list of poses by name (JSON, YAML: name -> joint -> position)
    does not move.
    """
    path = Path(path)
    if is_bag(path):
        return read_bag(path)
    source = SourceText.read(path)
    return parse_trajectory(source, is_csv=path.suffix.lower() == ".csv")


def parse_trajectory(source: SourceText, *, is_csv: bool) -> Trajectory:
    """Parse the text of a trajectory: CSV, or JSON and YAML. Raises FormatError."""
    return _from_csv(source) if is_csv else _from_stream(load_all(source), source)


@dataclass(frozen=True)
class _Header:
    """The first line of a CSV: its cells, and which columns are times, labels and joints."""

    cells: list[str]
    time: int | None
    label: int | None
    joints: list[int]

    @staticmethod
    def of(cells: list[str]) -> _Header:
        lower = [cell.lower() for cell in cells]
        time = next((k for k, cell in enumerate(lower) if cell in _TIME), None)
        label = next((k for k, cell in enumerate(lower) if cell in _LABEL), None)
        joints = [k for k, cell in enumerate(cells) if k not in (time, label) and cell]
        return _Header(cells, time, label, joints)

    def names(self, source: SourceText) -> tuple[str, ...]:
        """The joints. Raises FormatError where there is none, or one has two columns."""
        joints = tuple(self.cells[k] for k in self.joints)
        if not joints or all(read_finite_number(cell) is not None for cell in self.cells):
            raise FormatError("The first line names no joints", _line(source, 1), _HELP)
        if len(set(joints)) < len(joints):
            raise FormatError("A joint has two columns", _line(source, 1), "Remove one.")
        return joints

    def number(self, cells: list[str], column: int, place: Location) -> float:
        return _number(cells[column], self.cells[column], place)


def _from_csv(source: SourceText) -> Trajectory:
    rows = _rows(source)
    header = _Header.of([_name_of_cell(cell) for cell in next(rows, (1, []))[1]])
    joints = header.names(source)
    points: list[tuple[float, ...]] = []
    times, labels = [], []
    for line, cells in rows:
        if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
            continue
        place = _line(source, line)
        _refuse_more(len(points) * len(joints), place)
        # A comma for the decimal point makes two cells of a number.
        if len(cells) < len(header.cells) or any(
            cell.strip() for cell in cells[len(header.cells) :]
        ):
            raise FormatError(
                f"The line has {len(cells)} values, the first line names {len(header.cells)}", place
            )
        points.append(tuple(header.number(cells, k, place) for k in header.joints))
        if header.time is not None:
            times.append(header.number(cells, header.time, place))
        if header.label is not None:
            labels.append(_name_of_cell(cells[header.label]))
    has_times = header.time is not None
    return _checked(
        source, joints, points, times if has_times else None, labels, has_times or not labels
    )


def _rows(source: SourceText) -> Iterator[tuple[int, list[str]]]:
    """(line, cells), whatever ends the lines. Raises FormatError for what is no CSV."""
    first_line = re.split(r"[\r\n]", source.text, maxsplit=1)[0]
    rows = csv.reader(
        io.StringIO(source.text, newline=None), delimiter=max(",;\t", key=first_line.count)
    )
    try:
        for cells in rows:
            yield rows.line_num, cells
    except csv.Error as error:
        raise FormatError(
            f"The line is not CSV ({error})", _line(source, rows.line_num + 1), _HELP
        ) from None


def _refuse_more(positions: int, place: Location) -> None:
    if positions > MOST_POSITIONS:
        raise FormatError(
            f"The file has more than {MOST_POSITIONS:,} positions of joints",
            place,
            "Use a part of it.",
        )


def _line(source: SourceText, line: int) -> Location:
    return Location(source.name, line)


def _number(text: str, column: str, place: Location) -> float:
    value = read_finite_number(text.strip())
    if value is None:
        remedy = "Write decimals with a point." if "," in text else "Use radians or metres."
        raise FormatError(f"{text.strip()!r} in column {column!r} is not a number", place, remedy)
    return value


def _from_stream(messages: list[Any], source: SourceText) -> Trajectory:
    """The one message of a file; of joint states, as `ros2 topic echo` prints them, all."""
    if any(map(is_joint_state, messages)):
        return merge_states(messages, source.location(0))
    if len(messages) > 1:
        raise FormatError(
            f"The file holds {len(messages)} messages that are not joint states",
            source.location(0),
            "Keep one trajectory: remove the others and the lines --- between them.",
        )
    return _from_plain(messages[0] if messages else None, source)


#: What files and messages call the part that has the motion; the first ones also name poses, so
#: they need one inside.
_MESSAGES = ("goal", "result", "planned_trajectory", "robot_trajectory")
_WRAPPINGS = ("joint_trajectory", "trajectory", "solution", "poses", "states")


def _from_plain(value: Any, source: SourceText) -> Trajectory:
    if isinstance(value, dict):
        return _from_mapping(value, source)
    if isinstance(value, list) and value and all(map(_has_path, value)):
        filled = [each for each in value if each.get("joint_trajectory", each).get("points")]
        return _joined([_from_plain(each, source) for each in filled or value], source)
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return _poses(value, source, ())
    raise FormatError("The file holds no trajectory and no poses", source.location(0), _HELP)


def _from_mapping(value: dict[str, Any], source: SourceText) -> Trajectory:
    if "joint_names" not in value:
        several = value.get("multi_dof_joint_trajectory")
        if isinstance(several, dict) and several.get("points"):
            raise FormatError(
                "multi_dof_joint_trajectory has points: it moves joints that have no single "
                "position",
                source.location(0),
                "Remove it and keep the joint_trajectory, if the other joints do not matter.",
            )
        parts = [value[key] for key in _MESSAGES if key in value and _has_path(value[key])]
        parts += [value[key] for key in _WRAPPINGS if isinstance(value.get(key), dict | list)]
        if parts:
            return _with_start(_from_plain(parts[0], source), value.get("trajectory_start"), source)
    else:
        return _joint_trajectory(value, source)
    if value and all(isinstance(entry, dict) for entry in value.values()):
        return _poses(list(value.values()), source, tuple(map(str, value)))
    raise FormatError("The file holds no trajectory and no poses", source.location(0), _HELP)


def _joint_trajectory(value: dict[str, Any], source: SourceText) -> Trajectory:
    """`trajectory_msgs/JointTrajectory`; cuRobo's JointState (`position` as rows,
    `interpolation_dt`) too."""
    joints = read_text_list(value["joint_names"])
    if joints and isinstance(value.get("pairs"), list):
        return _pairs(value["pairs"], joints, source)
    rows = next(
        (
            value[key]
            for key in ("points", "position", "positions")
            if isinstance(value.get(key), list)
        ),
        None,
    )
    if not joints or rows is None:
        raise FormatError("`joint_names` or `points` is missing", source.location(0), _HELP)
    if len(set(joints)) < len(joints):
        raise FormatError("`joint_names` names a joint twice", source.location(0), "Remove one.")
    points: list[tuple[float, ...]] = []
    for k, row in enumerate(rows):
        entry = row.get("positions") if isinstance(row, dict) else row
        point = read_finite_numbers(entry, len(joints))
        if point is None:
            raise FormatError(
                f"Point {k + 1} has no list of {len(joints)} numbers as its positions",
                source.location(0),
                "Each point gives one number per joint of joint_names.",
            )
        points.append(point)
    times = _times_of(rows, source)
    step = next(
        (read_finite_number(value[key]) for key in ("interpolation_dt", "dt") if key in value), None
    )
    if not times and step:
        # As products of two decimals are written, not as they are computed.
        times = [round(k * step, 9) for k in range(len(points))]
    velocities, accelerations = (
        _derivatives(value, rows, len(joints), several, single)
        for several, single in (("velocities", "velocity"), ("accelerations", "acceleration"))
    )
    return _checked(source, joints, points, times or None, [], True, velocities, accelerations)


def _times_of(rows: list[Any], source: SourceText) -> list[float]:
    """Seconds of each point; nothing where no point has a time. Raises FormatError where some
    have."""
    told = [row.get("time_from_start") if isinstance(row, dict) else None for row in rows]
    times = list(map(seconds_of, told)) if any(time is not None for time in told) else []
    if None in times:
        number_of_point = times.index(None) + 1
        raise FormatError(
            f"Point {number_of_point} has no readable time_from_start",
            source.location(0),
            "Give all, or none.",
        )
    return [time for time in times if time is not None]


def _pairs(pairs: list[Any], joints: tuple[str, ...], source: SourceText) -> Trajectory:
    """Starts and goals in turn: each pair has `start`, `goal`, and maybe `id`, as test sets have
    them."""
    points, labels = [], []
    for k, pair in enumerate(pairs, 1):
        for end in ("start", "goal"):
            point = (
                read_finite_numbers(pair.get(end), len(joints)) if isinstance(pair, dict) else None
            )
            if point is None:
                raise FormatError(
                    f"Pair {k} has no list of {len(joints)} numbers as its {end}",
                    source.location(0),
                    "Start and goal give one number per joint of joint_names.",
                )
            points.append(point)
            labels.append(f"{pair.get('id', k)} {end}")
    return _checked(source, joints, points, None, labels, False)


def _derivatives(
    value: dict[str, Any], rows: list[Any], count: int, several: str, single: str
) -> tuple[tuple[float, ...], ...] | None:
    """A row of rates for each point, of its own key or of the list beside the positions; None where
    one lacks it."""
    beside = next(
        (value[key] for key in (single, several) if isinstance(value.get(key), list)), None
    )
    entries = beside or [row.get(several) if isinstance(row, dict) else None for row in rows]
    table = [read_finite_numbers(entry, count) for entry in entries]
    if len(table) != len(rows) or None in table:
        return None
    return tuple(row for row in table if row is not None)


def _has_path(value: Any) -> bool:
    """Whether a value is a message with a JointTrajectory in it."""
    if not isinstance(value, dict):
        return False
    return "joint_names" in value or any(
        _has_path(value.get(key)) for key in (*_MESSAGES, *_WRAPPINGS[:3])
    )


def _joined(parts: list[Trajectory], source: SourceText) -> Trajectory:
    """Motions one after the other, as MoveIt shows and executes the list of a DisplayTrajectory.
    Raises FormatError."""
    _refuse_gaps(parts, source)
    first = parts[0]
    if len(parts) == 1:
        return first
    times: list[float] = []
    for part in parts:
        times += [round((times[-1] if times else 0.0) + time, 9) for time in part.times or ()]
    points = [point for part in parts for point in part.points]
    velocities, accelerations = (
        _stacked([getattr(part, name) for part in parts]) for name in _RATES
    )
    return _checked(
        source, first.joints, points, times or None, [], True, velocities, accelerations
    )


_RATES = ("velocities", "accelerations")


def _stacked(tables: list[Rates | None]) -> Rates | None:
    return None if None in tables else tuple(row for table in tables for row in table or ())


def _refuse_gaps(parts: list[Trajectory], source: SourceText) -> None:
    """Raises FormatError where one motion does not go on as the one before ends."""
    for k, (one, other) in enumerate(itertools.pairwise(parts), 2):
        if one.joints != other.joints or (one.times is None) != (other.times is None):
            raise FormatError(
                f"Trajectory {k} of the message moves different joints than the first, or has no "
                "times",
                source.location(0),
                "Keep one in the file.",
            )
        if (
            max(abs(a - b) for a, b in zip(one.points[-1], other.points[0], strict=True))
            > _SAME_PLACE
        ):
            raise FormatError(
                f"Trajectory {k} of the message does not begin where the previous one ends",
                source.location(0), "Keep one in the file.",
            )  # fmt: skip


def _with_start(trajectory: Trajectory, start: Any, source: SourceText) -> Trajectory:
    """With the joints of `trajectory_start` that do not move in it: they stand where it has
    them."""
    state = start.get("joint_state") if isinstance(start, dict) else None
    if not isinstance(state, dict) or not is_joint_state(state) or not state["position"]:
        return trajectory
    pose = merge_states([state], source.location(0)).pose(0)
    still = {joint: position for joint, position in pose.items() if joint not in trajectory.joints}
    zeros = tuple(0.0 for _ in still)
    velocities, accelerations = (
        None if rows is None else tuple((*row, *zeros) for row in rows)
        for rows in (trajectory.velocities, trajectory.accelerations)
    )
    return replace(
        trajectory,
        joints=(*trajectory.joints, *still),
        velocities=velocities,
        accelerations=accelerations,
        points=tuple((*point, *still.values()) for point in trajectory.points),
    )


def _poses(
    entries: list[dict[str, Any]], source: SourceText, labels: tuple[str, ...]
) -> Trajectory:
    """Poses by name; every one names the same joints."""
    joints = tuple(map(str, entries[0]))
    points = []
    for k, entry in enumerate(entries):
        called = labels[k] if labels else f"number {k + 1}"
        if set(map(str, entry)) != set(joints):
            raise FormatError(
                f"Pose {called} does not name the same joints as the first pose",
                source.location(0),
                "Name the same joints in every pose.",
            )
        values = [read_finite_number(entry[joint]) for joint in joints]
        if None in values:
            raise FormatError(f"Pose {called} has a value that is not a number", source.location(0))
        points.append(tuple(value for value in values if value is not None))
    return _checked(source, joints, points, None, list(labels), not labels)


def _checked(
    source: SourceText,
    joints: tuple[str, ...],
    points: list[tuple[float, ...]],
    times: list[float] | None,
    labels: list[str],
    moves: bool,
    velocities: tuple[tuple[float, ...], ...] | None = None,
    accelerations: tuple[tuple[float, ...], ...] | None = None,
) -> Trajectory:
    if not points:
        raise FormatError("The file has no point", source.location(0), _HELP)
    _refuse_more(len(points) * len(joints), source.location(0))
    if times is not None:
        for k in range(1, len(times)):
            if times[k] < times[k - 1]:
                raise FormatError(
                    f"The time of point {k + 1} is before that of point {k}", source.location(0)
                )
        times = [time - times[0] for time in times]
    return Trajectory(
        joints,
        tuple(points),
        tuple(times) if times is not None else None,
        tuple(labels),
        moves,
        velocities,
        accelerations,
    )


#: Radians or metres within which a motion goes on where another one ends.
_SAME_PLACE = 1e-3
#: Seconds that steps of time may differ by to be one step.
_SAME_STEP = 1e-9


class TrajectoryFormat(StrEnum):
    """The format of a motion, by the name of its file."""

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
            TrajectoryFormat.CSV: ".csv",
            TrajectoryFormat.ROS: ".yaml",
            TrajectoryFormat.MOVEIT: ".moveit.yaml",
            TrajectoryFormat.CUROBO: ".curobo.yml",
        }[self]

    @property
    def needs_times(self) -> bool:
        """True if programs that read it drive by its times."""
        return self is not TrajectoryFormat.CSV


def trajectory_text(trajectory: Trajectory, kind: TrajectoryFormat) -> str:
    """The text of a file. Raises ValueError where the form wants times, or one step of time, and
    there is none."""
    if kind is TrajectoryFormat.CSV:
        return trajectory_csv(trajectory)
    if trajectory.times is None:
        raise ValueError(f"{kind} needs a time for every point")
    lines = (
        _curobo(trajectory, trajectory.times)
        if kind is TrajectoryFormat.CUROBO
        else _ros(trajectory, kind)
    )
    return "\n".join(lines) + "\n"


def trajectory_csv(trajectory: Trajectory | Mapping[str, float]) -> str:
    """CSV of a trajectory, or of one pose.

    A column per joint (radians, metres), before them the time in seconds or the label where there
    is one.
    """
    if isinstance(trajectory, Mapping):
        trajectory = Trajectory.of_pose(trajectory)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = (["label"] if trajectory.labels else []) + (
        ["time"] if trajectory.times is not None else []
    )
    writer.writerow([*head, *map(_plain_cell, trajectory.joints)])
    for k, point in enumerate(trajectory.points):
        row: list[object] = [_plain_cell(trajectory.labels[k])] if trajectory.labels else []
        if trajectory.times is not None:
            row.append(repr(trajectory.times[k]))
        writer.writerow([*row, *map(repr, point)])
    return text.getvalue()


def _plain_cell(name: str) -> str:
    """A name that no spreadsheet takes for a formula, and our reader for no comment."""
    return f"'{name}" if _FORMULA.match(name) else name


def _name_of_cell(cell: str) -> str:
    """The inverse of `_plain_cell`."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text


def _ros(trajectory: Trajectory, kind: TrajectoryFormat) -> Iterator[str]:
    """trajectory_msgs/JointTrajectory, as `ros2 topic pub` takes it; in moveit_msgs/RobotTrajectory
    for MoveIt."""
    indent = ""
    if kind is TrajectoryFormat.MOVEIT:
        yield "joint_trajectory:"
        indent = "  "
    yield indent + 'header: {stamp: {sec: 0, nanosec: 0}, frame_id: ""}'
    yield f"{indent}joint_names: {_names(trajectory.joints)}"
    yield f"{indent}points:"
    for k, point in enumerate(trajectory.points):
        yield f"{indent}- positions: {_row(point)}"
        for key, rows in (
            ("velocities", trajectory.velocities),
            ("accelerations", trajectory.accelerations),
        ):
            if rows is not None:
                yield f"{indent}  {key}: {_row(rows[k])}"
        assert trajectory.times is not None
        seconds, nanoseconds = divmod(round(trajectory.times[k] * 1e9), 1_000_000_000)
        yield f"{indent}  time_from_start: {{sec: {seconds}, nanosec: {nanoseconds}}}"
    if kind is TrajectoryFormat.MOVEIT:
        yield "multi_dof_joint_trajectory: {joint_names: [], points: []}"


def _curobo(trajectory: Trajectory, times: Sequence[float]) -> Iterator[str]:
    """The fields of cuRobo's JointState, a row per point, and the one step of time between the
    rows."""
    step = (times[-1] - times[0]) / max(1, len(times) - 1)
    if any(abs(time - times[0] - k * step) > _SAME_STEP for k, time in enumerate(times)):
        raise ValueError(
            f"{TrajectoryFormat.CUROBO} has one fixed time step, but the time steps of this motion "
            "differ"
        )
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
    return f"[{', '.join(map(format_string, joints))}]"


def _row(values: Sequence[float]) -> str:
    return f"[{', '.join(map(format_number, values))}]"
