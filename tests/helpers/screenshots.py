"""Pictures of windows: taken in the process or of a whole X screen, and what can be asked of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import ImageGrab

Picture = npt.NDArray[np.uint8]


def grab_widget(widget: Any, path: Path | None = None) -> Picture:
    """The widget as drawn, its OpenGL children included: uint8 (height, width, 3)."""
    from PySide6.QtGui import QImage

    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(str(path))
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def grab_screen(path: Path, display: str | None = None) -> Picture:
    """The whole X screen, also written to `path` (png), for looking into a failure."""
    image = ImageGrab.grab(xdisplay=display or os.environ["DISPLAY"])
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, compress_level=1)
    return np.asarray(image.convert("RGB"))


def is_blank(picture: Picture) -> bool:
    """Whether the picture shows one flat colour: what a window that did not draw looks like."""
    return bool((picture.reshape(-1, 3).max(axis=0) - picture.reshape(-1, 3).min(axis=0)).max() < 8)


def changed_share(before: Picture, after: Picture, tolerance: int = 12) -> float:
    """Share of the pixels that differ by more than `tolerance` in any channel."""
    difference = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2)
    return float((difference > tolerance).mean())


def count_near(picture: Picture, rgb: tuple[int, int, int], tolerance: int = 30) -> int:
    """Number of pixels whose colour is within `tolerance` of `rgb` in every channel."""
    return int((np.abs(picture.astype(np.int16) - np.array(rgb)).max(axis=2) <= tolerance).sum())
