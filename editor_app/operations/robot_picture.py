"""Pictures of robots for lists and pages, made in a process of their own: what draws may crash."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

from editor_app.geometry import cache
from editor_app.model.frozen import FrozenDict
from editor_app.operations.open import open_robot
from editor_app.tasks.job import Report


@dataclass(frozen=True)
class PictureJob:
    """The PNG of a robot with its spheres, from its files; `size` in pixels.

    With `keeps`, it is kept beside the decoded meshes, and taken from there while the URDF has the same content.
    """

    urdf: Path
    xrdf: Path | None = None
    packages: FrozenDict[str, Path] = FrozenDict()
    size: tuple[int, int] = (800, 500)
    keeps: bool = False

    def __call__(self, report: Report) -> bytes:
        key = cache.digest(str((self.urdf, self.size)).encode(), self.urdf.read_bytes()) if self.keeps else ""
        kept = cache.cache_folder() / f"{key}.robot.png"
        if key and kept.is_file():
            return kept.read_bytes()
        files = [self.urdf] if self.xrdf is None else [self.urdf, self.xrdf]
        document = open_robot(*files, packages=self.packages)
        # By its name: the verbs know nothing of what draws.
        show = importlib.import_module("editor_app.pictures.view").show
        png = show(document, interactive=False, size=self.size).png
        assert isinstance(png, bytes)
        if key:
            cache.write_file(kept, png)
        return png
