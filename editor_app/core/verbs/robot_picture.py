"""Pictures of robots for lists and pages, made in a process of their own: what draws may crash."""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.inputs import MAX_BYTES
from editor_app.core.model.pose import Pose
from editor_app.core.model.regular_file import read_regular
from editor_app.core.space.geometry import cache
from editor_app.core.tasks.job import Report
from editor_app.core.verbs.open import open_robot

_MOST_PICTURE_BYTES = 1 << 26


def draw_robot(
    report: Report,
    urdf: Path,
    xrdf: Path | None = None,
    packages: FrozenDict[str, Path] = FrozenDict(),
    size: tuple[int, int] = (800, 500),
    keeps: bool = False,
    pose: Pose | None = None,
) -> bytes:
    """The PNG of a robot with its spheres, from its files; `size` in pixels, `pose`: joint -> rad or m.

    With `keeps`, it is kept beside the decoded meshes, and taken from there while the URDF has the same content.
    """
    key = cache.digest(str((urdf, size, pose)).encode(), read_regular(urdf, MAX_BYTES)) if keeps else ""
    kept = cache.cache_folder() / f"{key}.robot.png"
    if key:
        with contextlib.suppress(OSError):
            return read_regular(kept, _MOST_PICTURE_BYTES)
    files = [urdf] if xrdf is None else [urdf, xrdf]
    document = open_robot(*files, packages=packages)
    # By its name: the verbs know nothing of what draws.
    show = importlib.import_module("editor_app.plugins.pictures.view").show
    png = show(document, pose, interactive=False, size=size).png
    assert isinstance(png, bytes)
    if key:
        cache.write_file(kept, png)
    return png
