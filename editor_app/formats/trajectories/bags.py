"""Joint states and trajectories from ROS bags (1 and 2) and MCAP files, by the extra package `rosbags`."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from editor_app.formats.source import FormatError
from editor_app.model.findings import Location
from editor_app.model.trajectory import Trajectory

BAG_SUFFIXES = (".mcap", ".bag", ".db3")
_STATE = "sensor_msgs/msg/JointState"
_PATH = "trajectory_msgs/msg/JointTrajectory"


def is_bag(path: Path) -> bool:
    """Whether this is a bag: by its suffix, or a folder with the metadata of a ROS 2 bag."""
    return path.suffix.lower() in BAG_SUFFIXES or (path / "metadata.yaml").is_file()


def read_bag(path: Path) -> Trajectory:
    """The joint states of a bag, one row per message; else the last trajectory in it. Raises FormatError.

    Messages of several publishers are merged: a joint keeps its last value until a new one comes.
    """
    place = Location(str(path))
    if importlib.util.find_spec("rosbags") is None:
        raise FormatError("A bag needs the package rosbags", place, "Install it with: pip install rosbags")
    if not path.exists():
        raise FormatError("The file does not exist", place, "Check the path.")
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    # A database of ROS 2 alone, without its folder's metadata, cannot be opened; its folder can.
    bag = path.parent if path.suffix == ".db3" and (path.parent / "metadata.yaml").is_file() else path
    try:
        with AnyReader([bag], default_typestore=get_typestore(Stores.LATEST)) as reader:
            chosen = [c for c in reader.connections if c.msgtype == _STATE]
            if chosen:
                messages = ((t, reader.deserialize(raw, c.msgtype)) for c, t, raw in reader.messages(chosen))
                return _merged(messages, place)
            chosen = [c for c in reader.connections if c.msgtype == _PATH]
            for connection, _, raw in reader.messages(chosen):
                message = reader.deserialize(raw, connection.msgtype)
            if chosen:
                return _path(message, place)
            kinds = ", ".join(sorted({c.msgtype for c in reader.connections})) or "nothing"
    except FormatError:
        raise
    except Exception as error:  # whatever a broken bag makes the reader do
        raise FormatError(f"The bag cannot be read ({type(error).__name__}: {error})", place) from None
    raise FormatError(f"The bag has no joint states and no joint trajectory; it has {kinds}", place)


def _merged(messages: Iterable[tuple[int, Any]], place: Location) -> Trajectory:
    latest: dict[str, float] = {}
    rows: list[tuple[float, dict[str, float]]] = []
    for time, message in messages:
        if len(message.position) == len(message.name) and len(message.name):
            latest.update(zip(map(str, message.name), map(float, message.position), strict=True))
            rows.append((time * 1e-9, dict(latest)))
    # The first rows, before every joint was heard of, are left out.
    rows = [row for row in rows if len(row[1]) == len(latest)]
    if not rows:
        raise FormatError("The joint states of the bag have no positions", place)
    joints = tuple(latest)
    points = tuple(tuple(row[joint] for joint in joints) for _, row in rows)
    return Trajectory(joints, points, tuple(time - rows[0][0] for time, _ in rows))


def _path(message: Any, place: Location) -> Trajectory:
    joints = tuple(map(str, message.joint_names))
    points = tuple(tuple(map(float, point.positions)) for point in message.points)
    if not points or any(len(point) != len(joints) for point in points):
        raise FormatError("The trajectory of the bag has points without one position per joint", place)
    times = [p.time_from_start.sec + p.time_from_start.nanosec * 1e-9 for p in message.points]
    return Trajectory(joints, points, tuple(time - times[0] for time in times))
