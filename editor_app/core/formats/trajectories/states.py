"""Joint states one after the other, as a robot publishes them, become a motion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from editor_app.core.model.findings import Location
from editor_app.core.model.trajectory import MOST_POSITIONS, Trajectory
from editor_app.core.text.source import FormatError
from editor_app.core.text.yaml.plain import read_finite_number, read_finite_numbers, read_text_list

_CUT = "Use fewer."


def is_joint_state(message: Any) -> bool:
    """Return whether a plain value is a `sensor_msgs/JointState`: names, and positions or other
    values beside them."""
    return (
        isinstance(message, dict)
        and isinstance(message.get("name"), list)
        and "position" in message
    )


def merge_states(messages: list[Any], place: Location) -> Trajectory:
    """Return the motion of `sensor_msgs/JointState` messages; with times where every one has a
    stamp, else without.

    Messages without positions, as a gripper may send them, are passed over. Raises FormatError.
    """
    states = list(_read(messages, place))
    stamps = [time for time, _, _ in states if time is not None]
    if any(stamps) and (len(stamps) < len(states) or stamps != sorted(stamps)):
        raise FormatError(
            "A message has no stamp, or a stamp earlier than the previous message", place
        )
    motion = merge_samples(((time or 0.0, joints, row) for time, joints, row in states), place)
    return Trajectory(
        motion.joints, motion.points, motion.times if any(stamps) else None, moves=len(motion) > 1
    )


def _read(
    messages: list[Any], place: Location
) -> Iterator[tuple[float | None, tuple[str, ...], tuple[float, ...]]]:
    for k, message in enumerate(messages, 1):
        if not is_joint_state(message):
            raise FormatError(
                f"Message {k} is not a joint state, unlike others in the file", place, "Remove it."
            )
        joints, row = read_text_list(message["name"]) or (), message["position"] or []
        positions = read_finite_numbers(row, len(joints))
        if positions is None and row != []:
            raise FormatError(
                f"Message {k} has no list of {len(joints)} numbers as its positions",
                place,
                "Give one for each name.",
            )
        if len(set(joints)) < len(joints):
            raise FormatError(f"Message {k} names a joint twice", place, "Remove one.")
        if positions:
            header = message.get("header")
            yield (
                seconds_of(header.get("stamp") if isinstance(header, dict) else None),
                joints,
                positions,
            )


def merge_samples(
    states: Iterable[tuple[float, tuple[str, ...], tuple[float, ...]]], place: Location
) -> Trajectory:
    """Return the motion of (seconds, joints, positions); a joint keeps its last position until a
    new one comes.

    Raises FormatError for more than MOST_POSITIONS, and where nothing has a position.
    """
    latest: dict[str, float] = {}
    times: list[float] = []
    points: list[tuple[float, ...]] = []
    for time, joints, positions in states:
        count = len(latest)
        latest.update(zip(joints, positions, strict=True))
        if len(latest) > count:
            # The first rows, before every joint was heard of, are left out.
            times.clear()
            points.clear()
        if len(points) * len(latest) > MOST_POSITIONS:
            raise FormatError(
                f"There are more than {MOST_POSITIONS:,} positions of joints", place, _CUT
            )
        times.append(time)
        points.append(tuple(latest.values()))
    if not latest:
        raise FormatError("The joint states have no positions", place)
    return Trajectory(
        tuple(latest), tuple(points), tuple(round(time - times[0], 9) for time in times)
    )


def seconds_of(value: object) -> float | None:
    """A number of seconds, or a duration or stamp of ROS 1 or 2; None for anything else."""
    if not isinstance(value, dict):
        return read_finite_number(value)
    whole = read_finite_number(value.get("sec", value.get("secs", 0)))
    part = read_finite_number(value.get("nanosec", value.get("nsecs", 0)))
    if whole is None or part is None:
        return None
    # The float that is nearest to the decimal number: the one that was written.
    return round(whole + part * 1e-9, 9)
