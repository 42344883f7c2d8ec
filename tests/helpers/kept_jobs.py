"""What the meshes say of a mask is kept for the process: many tests ask the same of the same robot.

The job still goes through the window, a worker and its pipe; only its computation is left out the second time.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.operations.mesh_look import LookAtMeshes
from editor_app.tasks.job import Report


@contextlib.contextmanager
def looks_are_kept(folders: pytest.TempPathFactory) -> Iterator[None]:
    """Windows ask the meshes by a `KeptJob` meanwhile."""
    from editor_app.gui.self_collision import evidence

    folder = folders.getbasetemp() / "mesh-looks"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "LookAtMeshes", lambda *asked: KeptJob(LookAtMeshes(*asked), folder))
        yield


@dataclass(frozen=True)
class Answer:
    """A job that is done already."""

    value: Any

    def __call__(self, report: Report) -> Any:
        return self.value


@dataclass(frozen=True)
class KeptJob:
    job: LookAtMeshes
    folder: Path

    def __call__(self, report: Report) -> Any:
        path = self.folder / key(self.job)
        if path.is_file():
            return pickle.loads(path.read_bytes())
        result = self.job(report)
        path.write_bytes(pickle.dumps(result))
        return result


def key(job: LookAtMeshes) -> str:
    """The same for the same question about a robot, and meshes, of the same bytes, wherever their folder is."""
    digest = hashlib.sha256()
    if job.urdf_path is not None:
        for file in sorted(job.urdf_path.parent.rglob("*")):
            if file.suffix not in (".xrdf", ".srdf") and file.is_file():
                digest.update(file.read_bytes())
    analysis = replace(job.analysis, wall_seconds=0.0, cpu_seconds=0.0)
    for field in fields(analysis):
        value = getattr(analysis, field.name)
        digest.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    digest.update(analysis.model.spheres.tobytes())
    digest.update(repr((job.robot, job.mappings, job.seed, sorted(map(str, job.maker)))).encode())
    return digest.hexdigest()
