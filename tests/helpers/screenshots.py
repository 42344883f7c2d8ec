"""Pictures of a whole X screen, and what can be asked of them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import ImageGrab

Picture = npt.NDArray[np.uint8]


def grab_screen(path: Path, display: str | None = None) -> Picture:
    """The whole X screen, also written to `path` (png), for looking into a failure."""
    image = ImageGrab.grab(xdisplay=display or os.environ["DISPLAY"])
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, compress_level=1)
    return np.asarray(image.convert("RGB"))


def changed_share(before: Picture, after: Picture, tolerance: int = 12) -> float:
    """Share of the pixels that differ by more than `tolerance` in any channel."""
    difference = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2)
    return float((difference > tolerance).mean())


def count_near(picture: Picture, rgb: tuple[int, int, int], tolerance: int = 30) -> int:
    """Number of pixels whose colour is within `tolerance` of `rgb` in every channel."""
    return int((np.abs(picture.astype(np.int16) - np.array(rgb)).max(axis=2) <= tolerance).sum())
