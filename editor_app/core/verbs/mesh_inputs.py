"""The mesh files of a robot as they are before they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.urdf import Mesh
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.tasks.work import PlacedRobot


def mesh_inputs(document: Document | PlacedRobot) -> Inputs:
    """Return the files of all meshes that are found."""
    return Inputs.of(path for path in _mesh_paths(document).values() if path is not None)


def mesh_states(document: Document | PlacedRobot) -> Mapping[str, tuple[object, ...]]:
    """Return where each mesh is found, its size and time, and the time of its folder, where its
    textures come and go.

    It is much quicker than `mesh_inputs`, which reads the files.
    """
    return {name: tuple(_states(path)) for name, path in _mesh_paths(document).items()}


def _states(path: Path | None) -> Iterator[object]:
    yield path
    for each in (path, path.parent) if path is not None else ():
        try:
            state = each.stat()
            yield state.st_mtime_ns, state.st_size
        except OSError:
            yield None


def _mesh_paths(document: Document | PlacedRobot) -> dict[str, Path | None]:
    shapes = (shape.geometry for link in document.robot.urdf.links for shape in link.shapes)
    names = dict.fromkeys(shape.filename for shape in shapes if isinstance(shape, Mesh))
    packages: Mapping[str, Path] = document.packages
    return {name: resolve_mesh_path(name, document.urdf_path, packages) for name in names}
