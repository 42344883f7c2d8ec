"""A trajectory as a film: GIF by pillow, MP4 by imageio (extra `video`). Frames are drawn one per turn of the loop."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from editor_app.gui.motion.player import Player

#: Frames a second of the film, and how many it has at most: a longer one skips.
RATES = {".gif": 20, ".mp4": 30}
MOST = 900
#: Pixels.
WIDTH = 960


class Film(Protocol):
    def add(self, frame: NDArray[np.uint8]) -> None: ...

    def close(self) -> None: ...


class _Gif:
    def __init__(self, path: Path, rate: int) -> None:
        self._path, self._rate = path, rate
        self._frames: list[Any] = []

    def add(self, frame: NDArray[np.uint8]) -> None:
        from PIL import Image

        # One palette for all frames: else colours flicker.
        image = Image.fromarray(frame)
        palette = self._frames[0] if self._frames else None
        self._frames.append(
            image.quantize(255, dither=Image.Dither.NONE) if palette is None else image.quantize(palette=palette)
        )  # fmt: skip

    def close(self) -> None:
        if self._frames:
            first, *others = self._frames
            first.save(self._path, save_all=True, append_images=others, duration=1000 // self._rate, loop=0)


class _Mp4:
    def __init__(self, path: Path, rate: int) -> None:
        import imageio.v2 as imageio

        self._writer = imageio.get_writer(str(path), fps=rate, macro_block_size=2)

    def add(self, frame: NDArray[np.uint8]) -> None:
        self._writer.append_data(frame)

    def close(self) -> None:
        self._writer.close()


def why_not(path: Path) -> str | None:
    """What is missing for this kind of film; None when nothing is."""
    if path.suffix.lower() not in RATES:
        return f"{path.name}: a film ends in .gif or .mp4."
    if path.suffix.lower() == ".mp4" and not all(map(importlib.util.find_spec, ("imageio", "imageio_ffmpeg"))):
        return "MP4 needs imageio: pip install imageio imageio-ffmpeg. A GIF needs nothing more."
    return None


class FilmExport(QObject):
    """Goes through the trajectory from start to end; the view shows every frame."""

    progressed = Signal(float)
    #: An empty sentence, or why it failed.
    ended = Signal(str)

    def __init__(
        self, player: Player, picture: Callable[[], QImage], path: Path, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._player, self._picture = player, picture
        self._rate = RATES[path.suffix.lower()]
        seconds = player.duration / player.speed
        self._count = max(2, min(MOST, round(seconds * self._rate) + 1))
        self._done = 0
        self._sought = False
        self._before = player.seconds
        self._film: Film | None = None
        self._path = path
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
                suffix = self._path.suffix.lower()
                self._film = _Gif(self._path, self._rate) if suffix == ".gif" else _Mp4(self._path, self._rate)
            if not self._sought:
                # The picture is taken in the next turn: the view follows a pose once the event loop has gone round.
                self._player.seek(self._player.duration * self._done / (self._count - 1))
                self._sought = True
                return
            self._sought = False
            self._film.add(pixels(self._picture()))
        except Exception as error:  # whatever an encoder or a full disk says
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
        except Exception as error:
            text, keep = text or f"The film could not be written: {error}", False
        if not keep:
            self._path.unlink(missing_ok=True)
        self._player.seek(self._before)
        self.ended.emit(text)


def pixels(image: QImage) -> NDArray[np.uint8]:
    """(h, w, 3), at most WIDTH wide, both sides even as encoders want it."""
    if image.width() > WIDTH:
        image = image.scaledToWidth(WIDTH, Qt.TransformationMode.SmoothTransformation)
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    height, width = image.height(), image.width()
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(height, image.bytesPerLine())
    return np.ascontiguousarray(rows[: height // 2 * 2, : 3 * width].reshape(-1, width, 3)[:, : width // 2 * 2])
