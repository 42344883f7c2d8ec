"""The mesh files of a robot as they are before they are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.urdf import Mesh
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.tasks.work import PlacedRobot


def mesh_inputs(document: Document | PlacedRobot) -> Inputs:
    """Return the files of all meshes that are found."""
    shapes = (shape.geometry for link in document.robot.urdf.links for shape in link.shapes)
    names = dict.fromkeys(shape.filename for shape in shapes if isinstance(shape, Mesh))
    packages: Mapping[str, Path] = document.packages
    paths = (resolve_mesh_path(name, document.urdf_path, packages) for name in names)
    return Inputs.of(path for path in paths if path is not None)
