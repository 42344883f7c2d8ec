"""A cloud of a ROS bag or MCAP file, `sensor_msgs/PointCloud2`, with the joint states at its
time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.formats.trajectories.bags import bag_reader
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.text.source import FormatError
from editor_app.plugins.clouds.cloud import MOST_POINTS, PointCloud
from editor_app.plugins.clouds.files.fields import cloud_of

_CLOUD, _STATE = "sensor_msgs/msg/PointCloud2", "sensor_msgs/msg/JointState"
#: `sensor_msgs/PointField`: number -> type of numpy.
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}


def read_bag_cloud(path: Path, topic: str | None, number: int | None) -> PointCloud:
    """Read a cloud: of `topic` (default: the first one with clouds), the `number`th, from 1
    (default: the last one).

    A joint is where the last state before the cloud has it; where there is none before, the first
    one after. Raises FormatError.
    """
    place = Location(str(path))
    with bag_reader(path) as reader:
        chosen = _connections(reader, topic, place)
        states = [each for each in reader.connections if each.msgtype == _STATE]
        latest: dict[str, float] = {}
        pose: dict[str, float] = {}
        message: Any = None
        count = 0
        for connection, _, raw in reader.messages([*chosen, *states]):
            if connection.msgtype == _STATE:
                state = reader.deserialize(raw, connection.msgtype)
                if 0 < len(state.position) == len(state.name):
                    latest.update(
                        zip(map(str, state.name), map(float, state.position), strict=True)
                    )
                if message is not None:
                    # Joints that no state named before the cloud.
                    pose = {**latest, **pose}
                continue
            count += 1
            if number is None or count == number:
                message, pose = reader.deserialize(raw, connection.msgtype), dict(latest)
        if message is None:
            raise FormatError(
                f"The topic has {count} clouds, not {number}", place, "Choose an earlier one."
            )
        return _points(
            message, FrozenDict({k: v for k, v in pose.items() if np.isfinite(v)}), place
        )


def _connections(reader: Any, topic: str | None, place: Location) -> list[Any]:
    """The connections of a topic with clouds. Raises FormatError."""
    clouds = [each for each in reader.connections if each.msgtype == _CLOUD]
    topics = list(dict.fromkeys(each.topic for each in clouds))
    if not topics:
        kinds = ", ".join(sorted({each.msgtype for each in reader.connections})) or "nothing"
        raise FormatError(
            f"The bag has no PointCloud2; it has {kinds}", place, "Choose another bag."
        )
    if topic is not None and topic not in topics:
        raise FormatError(
            f"The bag has no clouds on the topic {topic!r}", place, f"Choose one of {topics[:5]}."
        )
    return [each for each in clouds if each.topic == (topic or topics[0])]


def _points(message: Any, pose: FrozenDict[str, float], place: Location) -> PointCloud:
    count, step, data = (
        int(message.width) * int(message.height),
        int(message.point_step),
        bytes(message.data),
    )
    order = ">" if message.is_bigendian else "<"
    fields = {str(each.name): each for each in message.fields}
    names, formats, offsets = [], [], []
    for axis in "xyz":
        field = fields.get(axis)
        kind = _TYPES.get(int(field.datatype)) if field is not None else None
        if (
            field is None
            or kind is None
            or not 0 <= int(field.offset) <= step - np.dtype(kind).itemsize
        ):
            raise FormatError(
                f"The cloud has no field {axis!r} within its points", place, "Record x, y and z."
            )
        names.append(axis)
        formats.append(order + kind)
        offsets.append(int(field.offset))
    if count > MOST_POINTS:
        raise FormatError(
            f"There are more than {MOST_POINTS:,} points, the limit",
            place,
            "Thin the cloud out first.",
        )
    row_step = int(message.row_step) or int(message.width) * step
    if row_step < int(message.width) * step or int(message.height) * row_step > len(data):
        raise FormatError(
            "The cloud has fewer bytes than its size needs", place, "Record it again."
        )
    rows = np.frombuffer(data, np.uint8, int(message.height) * row_step).reshape(
        int(message.height), row_step
    )
    packed = np.ascontiguousarray(rows[:, : int(message.width) * step]).reshape(-1)
    row = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": step})
    table = packed.view(row)
    frame = str(message.header.frame_id).lstrip("/")
    return cloud_of([table[axis] for axis in "xyz"], place, frame, pose)
