"""Textures: the few formats that meshes use, of a size that can be drawn.

Pillow goes by what is in a file, not by its name, and it knows some forty formats; one of them is
PostScript, which it hands to Ghostscript.
"""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from editor_app.core.arrays import U8
from editor_app.core.model.regular_file import read_regular

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "BMP", "TGA", "TIFF", "GIF", "WEBP")
MAX_BYTES = 256 * 1024 * 1024
#: 8192 x 8192: more is drawn by no robot, and decoded it would fill the memory.
MAX_PIXELS = 1 << 26
_REMEDY = "Save it as PNG or JPEG of at most 8192 x 8192 pixels."


class ImageError(Exception):
    """An image cannot be used; the message says why and what to do, for the user."""


def limit_pillow() -> None:
    """Take every other format out of Pillow, for libraries that call it by themselves."""
    from PIL import Image

    Image.init()
    for name in [name for name in Image.ID if name not in FORMATS]:
        Image.ID.remove(name)
        Image.OPEN.pop(name, None)
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2  # it raises for twice as many


def read_image(path: Path) -> U8:
    """Red, green and blue, (height, width, 3), from the top. Raises ImageError."""
    try:
        with _opened(path) as image:
            return np.asarray(image.convert("RGB"))
    except ImageError:
        raise
    except Exception as error:  # whatever a malformed image makes Pillow do
        raise ImageError(
            f"it cannot be decoded ({type(error).__name__}: {error}). {_REMEDY}"
        ) from None


def image_problem(path: Path) -> str | None:
    """Why an image cannot be used; None when it can. Decodes it, once for each state of the
    file."""
    try:
        state = path.stat()
    except (OSError, ValueError) as error:
        return f"{getattr(error, 'strerror', None) or error}. {_REMEDY}"
    return _problem(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1024)
def _problem(path: Path, stamp: int, size: int) -> str | None:
    try:
        with _opened(path) as image:
            image.verify()
        # Sums alone tell nothing of a JPEG, nor of a PNG whose pixels were damaged before they were
        # summed.
        with _opened(path) as image:
            image.load()
    except ImageError as error:
        return str(error)
    except Exception as error:  # as above
        return f"it is damaged ({type(error).__name__}: {error}). {_REMEDY}"
    return None


def _opened(path: Path) -> Image.Image:
    from PIL import Image

    limit_pillow()
    try:
        image = Image.open(io.BytesIO(read_regular(path, MAX_BYTES)), formats=FORMATS)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not an image in a known format"
        raise ImageError(f"{reason}. {_REMEDY}") from None
    except Exception as error:  # as above; too many pixels among it
        raise ImageError(f"{error}. {_REMEDY}") from None
    if image.width * image.height > MAX_PIXELS:
        raise ImageError(f"it has {image.width} x {image.height} pixels. {_REMEDY}")
    return image
