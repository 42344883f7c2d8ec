"""Plays a trajectory: where it stands in time, and the pose that goes with it; and films it."""

from __future__ import annotations

import bisect
import importlib.util
import math
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from editor_app.core.arrays import U8
from editor_app.core.document.writing import write_files
from editor_app.core.libraries import install_command
from editor_app.core.model.pose import Pose
from editor_app.core.model.trajectory import Trajectory
from editor_app.window.session import Session

#: Milliseconds between two frames.
FRAME = 33
#: Radians (or metres) a second of a trajectory that has no times.
PACE = 1.0


class Player(QObject):
    """`seconds` runs from 0 to `duration`. Moving it poses the robot."""

    #: The place in time is another.
    moved = Signal(float)
    #: Playing began or ended.
    playing_changed = Signal(bool)
    #: Another trajectory, or none.
    trajectory_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.trajectory: Trajectory | None = None
        self._clock: list[float] = []
        self.seconds = 0.0
        self.speed = 1.0
        self.loop = False
        self._last = 0.0
        self._timer = QTimer(self, interval=FRAME)
        self._timer.timeout.connect(self._tick)

    @property
    def duration(self) -> float:
        return self._clock[-1] if self._clock else 0.0

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def no_motion(self) -> str | None:
        """Return why actions about a motion are greyed."""
        motion = self.trajectory
        return (
            None
            if motion is not None and len(motion) > 1
            else "Open a trajectory, or plan a motion first."
        )

    def set_trajectory(self, trajectory: Trajectory | None) -> None:
        """Stands at its start; the robot moves with the next seek."""
        self.pause()
        self.trajectory = trajectory
        self._clock = clock_of(trajectory) if trajectory is not None else []
        self.seconds = 0.0
        self.trajectory_changed.emit()

    def seconds_at(self, index: int, share: float = 0.0) -> float:
        """The time of a point, or of a share of the way to the next."""
        if share == 0.0 or index + 1 >= len(self._clock):
            return self._clock[min(index, len(self._clock) - 1)]
        return self._clock[index] + share * (self._clock[index + 1] - self._clock[index])

    def pose_at(self, seconds: float) -> Pose:
        """Between two points of a motion, in a straight line; of poses that do not move, the last
        one."""
        trajectory = self.trajectory
        assert trajectory is not None
        k = min(max(bisect.bisect_right(self._clock, seconds) - 1, 0), len(self._clock) - 1)
        if k + 1 >= len(self._clock) or not trajectory.moves:
            return trajectory.pose(k)
        span = self._clock[k + 1] - self._clock[k]
        share = min(1.0, (seconds - self._clock[k]) / span) if span > 0.0 else 0.0
        one, other = trajectory.points[k], trajectory.points[k + 1]
        return Pose(
            {j: a + share * (b - a) for j, a, b in zip(trajectory.joints, one, other, strict=True)}
        )  # fmt: skip

    def seek(self, seconds: float) -> None:
        """Goes there, and poses the robot."""
        if self.trajectory is None:
            return
        self.seconds = min(max(0.0, seconds), self.duration)
        self._session.set_pose(self.pose_at(self.seconds))
        self.moved.emit(self.seconds)

    def play(self) -> None:
        """From the present place, or from the start when it stands at the end."""
        if self.trajectory is None or self.is_playing:
            return
        if self.seconds >= self.duration:
            self.seek(0.0)
        self._last = time.monotonic()
        self._timer.start()
        self.playing_changed.emit(True)

    def pause(self) -> None:
        if self.is_playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def _tick(self) -> None:
        now = time.monotonic()
        seconds = self.seconds + (now - self._last) * self.speed
        self._last = now
        if seconds >= self.duration:
            if self.loop and self.duration > 0.0:
                seconds = math.fmod(seconds, self.duration)
            else:
                self.seek(self.duration)
                self.pause()
                return
        self.seek(seconds)


def clock_of(trajectory: Trajectory) -> list[float]:
    """Seconds of each point: the file's times, or a steady pace."""
    if trajectory.times is not None and trajectory.times[-1] > 0.0:
        return list(trajectory.times)
    clock = [0.0]
    for one, other in zip(trajectory.points[:-1], trajectory.points[1:], strict=True):
        way = max((abs(a - b) for a, b in zip(one, other, strict=True)), default=0.0)
        clock.append(clock[-1] + (max(way / PACE, 0.02) if trajectory.moves else 1.0))
    return clock


#: Frames a second of the film, and how many it has at most: a longer one skips.
RATES = {".gif": 20, ".mp4": 30}
MOST = 900
#: Pixels.
WIDTH = 960


class _Gif:
    def __init__(self, path: Path, rate: int) -> None:
        self._path, self._rate = path, rate
        self._frames: list[Any] = []

    def add(self, frame: U8) -> None:
        from PIL import Image

        # One palette for all frames: else colours flicker.
        image = Image.fromarray(frame)
        palette = self._frames[0] if self._frames else None
        self._frames.append(
            image.quantize(255, dither=Image.Dither.NONE)
            if palette is None
            else image.quantize(palette=palette)
        )

    def close(self) -> None:
        if self._frames:
            first, *others = self._frames
            first.save(
                self._path, save_all=True, append_images=others, duration=1000 // self._rate, loop=0
            )


class _Mp4:
    def __init__(self, path: Path, rate: int) -> None:
        import imageio.v2 as imageio

        self._writer = imageio.get_writer(str(path), fps=rate, macro_block_size=2)

    def add(self, frame: U8) -> None:
        self._writer.append_data(frame)

    def close(self) -> None:
        self._writer.close()


def why_not(path: Path) -> str | None:
    """Return the missing library for this kind of film; None if all are installed."""
    if path.suffix.lower() not in RATES:
        return f"{path.name}: a film must end in .gif or .mp4."
    if path.suffix.lower() == ".mp4" and not all(
        map(importlib.util.find_spec, ("imageio", "imageio_ffmpeg"))
    ):
        return f"MP4 needs imageio: {install_command('video')}. GIF works without it."
    return None


class FilmExport(QObject):
    """Goes through the trajectory from start to end; the view shows every frame."""

    progressed = Signal(float)
    #: An empty sentence, or why it failed.
    ended = Signal(str)

    def __init__(
        self,
        player: Player,
        picture: Callable[[], QImage],
        path: Path,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._player, self._picture = player, picture
        self._rate = RATES[path.suffix.lower()]
        seconds = player.duration / player.speed
        self._count = max(2, min(MOST, round(seconds * self._rate) + 1))
        self._done = 0
        self._sought = False
        self._before = player.seconds
        self._film: _Gif | _Mp4 | None = None
        self._path = path
        self._folder = TemporaryDirectory(prefix="xrdf-editor-")
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._step)

    def start(self) -> None:
        self._player.pause()
        self._timer.start()

    def cancel(self) -> None:
        """Ends without a film."""
        if self._timer.isActive():
            self._end("The film was cancelled.", keep=False)

    def _step(self) -> None:
        try:
            if self._film is None:
                suffix, temporary = (
                    self._path.suffix.lower(),
                    Path(self._folder.name, f"film{self._path.suffix}"),
                )
                self._film = (
                    _Gif(temporary, self._rate) if suffix == ".gif" else _Mp4(temporary, self._rate)
                )
            if not self._sought:
                # The picture is taken in the next turn: the view follows a pose once the event loop
                # has gone round.
                self._player.seek(self._player.duration * self._done / (self._count - 1))
                self._sought = True
                return
            self._sought = False
            self._film.add(pixels(self._picture()))
        except Exception as error:  # an encoder or a full disk may say anything
            self._end(f"The film could not be written: {error}", keep=False)
            return
        self._done += 1
        self.progressed.emit(self._done / self._count)
        if self._done == self._count:
            self._end("", keep=True)

    def _end(self, text: str, *, keep: bool) -> None:
        self._timer.stop()
        try:
            if self._film is not None:
                self._film.close()
            if keep:
                film = Path(self._folder.name, f"film{self._path.suffix}").read_bytes()
                write_files([(self._path, film)], overwrite=True, make_folders=False)
        except Exception as error:
            text = text or f"The film could not be written: {error}"
        self._folder.cleanup()
        self._player.seek(self._before)
        self.ended.emit(text)


def pixels(image: QImage) -> U8:
    """(h, w, 3), at most WIDTH wide, both sides even as encoders want it."""
    if image.width() > WIDTH:
        image = image.scaledToWidth(WIDTH, Qt.TransformationMode.SmoothTransformation)
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    height, width = image.height(), image.width()
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(height, image.bytesPerLine())
    return np.ascontiguousarray(
        rows[: height // 2 * 2, : 3 * width].reshape(-1, width, 3)[:, : width // 2 * 2]
    )
