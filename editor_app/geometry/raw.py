"""What the readers of single formats give: parts as they stand in the file, textures by the name written there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editor_app.geometry.mesh import Faces, Rgba

#: Files larger than these are refused: no robot link needs them, and they would fill the memory.
MAX_BYTES = 512 * 1024 * 1024
MAX_TRIANGLES = 20_000_000

#: Reads a file that the mesh refers to by a relative name (material library, buffer); None when it is not there.
Sibling = Callable[[str], bytes | None]


class MeshError(Exception):
    """A mesh file cannot be read; the message says why, for the user."""


@dataclass(slots=True)
class RawPart:
    """`texture` is the file name as written; `image` the bytes of one that is embedded (PNG or JPEG)."""

    vertices: npt.NDArray[np.floating]
    faces: Faces
    rgba: Rgba | None = None
    uv: npt.NDArray[np.floating] | None = None
    texture: str | None = None
    image: bytes | None = None
    name: str = ""


@dataclass(slots=True)
class RawMesh:
    """`notes`: what was tolerated."""

    parts: list[RawPart]
    notes: list[str]


def check_count(triangles: int) -> None:
    """Raises MeshError for absurdly many triangles."""
    if triangles > MAX_TRIANGLES:
        raise MeshError(f"it has {triangles:,} triangles, more than the {MAX_TRIANGLES:,} that are read")
