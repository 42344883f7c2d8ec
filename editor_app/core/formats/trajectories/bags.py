"""Joint states and trajectories from ROS bags (1 and 2) and MCAP files, by the extra package
`rosbags`."""

from __future__ import annotations

import bz2
import contextlib
import importlib.util
import math
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from editor_app.core.formats.trajectories.states import merge_samples
from editor_app.core.libraries import install_command
from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import other_kind
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.text.source import FormatError

BAG_SUFFIXES = (".mcap", ".bag", ".db3")
_STATE = "sensor_msgs/msg/JointState"
_PATH = "trajectory_msgs/msg/JointTrajectory"
#: Of ros2_controllers, and of ros_controllers before; its fields have had two names each.
_TRACKING = ("control_msgs/msg/JointTrajectoryControllerState",)
_COMMANDED, _MEASURED = ("reference", "desired"), ("feedback", "actual")
_MOST_BYTES = 2 << 30
#: A recorder closes a chunk after some megabytes; a larger one is made to fill the memory.
_MOST_CHUNK = 256 << 20
_CUT = "Copy the joint states to a separate bag with `rosbag filter` or `ros2 bag convert`."


def is_bag(path: Path) -> bool:
    """Return whether this is a bag: by its suffix, or a folder with the metadata of a ROS 2 bag."""
    return path.suffix.lower() in BAG_SUFFIXES or (path / "metadata.yaml").is_file()


def read_bag(path: Path) -> Trajectory:
    """The joint states of a bag, one row per message; else the last trajectory in it. Raises
    FormatError.

    Messages of several publishers are merged: a joint keeps its last value until a new one comes. A
    bag of more than 2 GB, a chunk of more than 256 MB and a trajectory of more than MOST_POSITIONS
    are refused.
    """
    place = Location(str(path))
    with bag_reader(path) as reader:
        chosen = [c for c in reader.connections if c.msgtype == _STATE]
        if chosen:
            messages = (
                (t, reader.deserialize(raw, c.msgtype)) for c, t, raw in reader.messages(chosen)
            )
            return _merged(messages, place)
        chosen = [c for c in reader.connections if c.msgtype == _PATH]
        message = None
        for connection, _, raw in reader.messages(chosen):
            message = reader.deserialize(raw, connection.msgtype)
        if message is not None:
            return _path(message, place)
        kinds = ", ".join(sorted({c.msgtype for c in reader.connections})) or "nothing"
    raise FormatError(f"The bag has no joint states and no joint trajectory; it has {kinds}", place)


def read_tracking(path: Path) -> tuple[Trajectory, Trajectory]:
    """Read the commanded and the measured motion from the states of a trajectory controller in a
    bag.

    Both have the times of the messages. Raises FormatError, also where the bag has no such states.
    """
    place = Location(str(path))
    rows: tuple[list[Any], list[Any]] = ([], [])
    with bag_reader(path) as reader:
        chosen = [c for c in reader.connections if c.msgtype in _TRACKING]
        kinds = ", ".join(sorted({c.msgtype for c in reader.connections})) or "nothing"
        for connection, time, raw in reader.messages(chosen) if chosen else ():
            message = reader.deserialize(raw, connection.msgtype)
            for motion, fields in zip(rows, (_COMMANDED, _MEASURED), strict=True):
                point = next(getattr(message, field) for field in fields if hasattr(message, field))
                motion.append(
                    (time, SimpleNamespace(name=message.joint_names, position=point.positions))
                )
    if not rows[0]:
        raise FormatError(
            f"The bag has no states of a trajectory controller; it has {kinds}", place,
            "Record the topic controller_state, or name two files of motions.",
        )  # fmt: skip
    commanded, measured = (_merged(motion, place) for motion in rows)
    return commanded, measured


@contextlib.contextmanager
def bag_reader(path: Path) -> Iterator[Any]:
    """The reader of rosbags for a bag within the limits. An error while it is read becomes a
    FormatError."""
    place = Location(str(path))
    if importlib.util.find_spec("rosbags") is None:
        raise FormatError(
            "A bag needs the package rosbags", place, f"Install it with: {install_command('bags')}"
        )
    # A database of ROS 2 alone, without its folder's metadata, cannot be opened; its folder can.
    bag = (
        path.parent if path.suffix == ".db3" and (path.parent / "metadata.yaml").is_file() else path
    )
    _look_at_files(path, bag, place)
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    try:
        with (
            chunks_of(_MOST_CHUNK),
            AnyReader([bag], default_typestore=get_typestore(Stores.LATEST)) as reader,
        ):
            yield reader
    except FormatError:
        raise
    except Exception as error:  # whatever a broken bag makes the reader do
        raise FormatError(
            f"The bag cannot be read ({type(error).__name__}: {error})", place
        ) from None


def _look_at_files(path: Path, bag: Path, place: Location) -> None:
    """No pipe and no device is given to a reader that would wait for it. Raises FormatError."""
    try:
        size = 0
        for file in {path, *(bag.iterdir() if bag.is_dir() else ())}:
            kind = other_kind(file)
            if kind is not None and not file.is_dir():
                raise FormatError(
                    f"{file.name} is {kind}, not a file", place, "Choose the bag itself."
                )
            size += file.stat().st_size
    except OSError as error:
        remedy = "Check the path." if isinstance(error, FileNotFoundError) else None
        missing = (
            "The file does not exist" if remedy else f"The bag cannot be read ({error.strerror})"
        )
        raise FormatError(missing, place, remedy) from None
    if size > _MOST_BYTES:
        raise FormatError(f"The bag has more than {_MOST_BYTES >> 20:,} MB, the limit", place, _CUT)


def _merged(messages: Iterable[tuple[int, Any]], place: Location) -> Trajectory:
    states = (
        (time * 1e-9, tuple(map(str, message.name)), tuple(map(float, message.position)))
        for time, message in messages
        if 0 < len(message.position) == len(message.name)
    )
    trajectory = merge_samples(states, place)
    _refuse_infinite(trajectory.points, place)
    return trajectory


def _refuse_infinite(points: Iterable[tuple[float, ...]], place: Location) -> None:
    for number, point in enumerate(points, 1):
        if not all(map(math.isfinite, point)):
            raise FormatError(
                f"Point {number} of the bag has a position that is not a number", place
            )


def _path(message: Any, place: Location) -> Trajectory:
    joints = tuple(map(str, message.joint_names))
    points = tuple(tuple(map(float, point.positions)) for point in message.points)
    if not points or any(len(point) != len(joints) for point in points):
        raise FormatError(
            "The trajectory of the bag has points without one position per joint", place
        )
    _refuse_infinite(points, place)
    times = [p.time_from_start.sec + p.time_from_start.nanosec * 1e-9 for p in message.points]
    velocities, accelerations = (
        rows if all(len(row) == len(joints) for row in rows) else None
        for rows in (
            tuple(tuple(map(float, getattr(point, key))) for point in message.points)
            for key in ("velocities", "accelerations")
        )
    )
    since = tuple(round(time - times[0], 9) for time in times)
    return Trajectory(joints, points, since, velocities=velocities, accelerations=accelerations)


#: What is changed is the same for all threads.
_lock = threading.Lock()


@contextlib.contextmanager
def chunks_of(limit: int) -> Iterator[None]:
    """Within, rosbags raises OverflowError for a chunk, message or file that unpacks to more bytes
    than `limit`."""
    import lz4.frame
    from rosbags.rosbag1 import reader as reader1
    from rosbags.rosbag2 import reader as reader2
    from rosbags.rosbag2 import storage_mcap

    zstd = reader2.zstd
    unpack_lz4 = _bounded(lz4.frame.LZ4FrameDecompressor, limit)
    unpack_zstd = _bounded(zstd.ZstdDecompressor, limit)
    with _lock, contextlib.ExitStack() as stack:
        _put(
            stack,
            reader1.decompressors,
            {"bz2": _bounded(bz2.BZ2Decompressor, limit), "lz4": unpack_lz4},
        )
        of_mcap = {
            "lz4": lambda data, size: unpack_lz4(data),
            "zstd": lambda data, size: unpack_zstd(data),
        }
        _put(stack, storage_mcap.DECOMPRESSORS, of_mcap)
        opened = SimpleNamespace(
            open=lambda file, mode: _BoundedFile(zstd.open(file, mode), limit * 8),
            decompress=unpack_zstd,
        )
        _put(stack, vars(reader2), {"zstd": opened})
        yield


def _put(stack: contextlib.ExitStack, table: dict[str, Any], values: dict[str, Any]) -> None:
    stack.callback(table.update, {name: table[name] for name in values})
    table.update(values)


def _bounded(make: Callable[[], Any], limit: int) -> Callable[[bytes], bytes]:
    def unpack(data: bytes) -> bytes:
        unpacked = b""
        # Several streams may follow one another.
        while data:
            stream = make()
            unpacked += stream.decompress(data, limit - len(unpacked) + 1)
            if len(unpacked) > limit:
                raise OverflowError(f"a chunk unpacks to more than {limit >> 20} MB")
            if not stream.eof:
                raise EOFError("a chunk ends too early")
            data = stream.unused_data or b""
        return unpacked

    return unpack


class _BoundedFile:
    """A file that is read to its end, but not beyond `limit` bytes."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._left = file, limit

    def __enter__(self) -> _BoundedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left + 1 if size < 0 else size)
        self._left -= len(data)
        if self._left < 0:
            raise OverflowError("a file of the bag unpacks to more than the limit")
        return data
