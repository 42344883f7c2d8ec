"""What verbs about motion are asked about: an open document, or its robot alone, which can be sent to a worker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editor_app.edit.document import Document
from editor_app.model.robot import RobotDescription

Described = Document | RobotDescription


def description_of(robot: Described) -> RobotDescription:
    """The robot as it is now."""
    return robot if isinstance(robot, RobotDescription) else robot.robot


def mesh_places(
    robot: Described, urdf_path: Path | None, mappings: Mapping[str, Path] | None
) -> tuple[Path | None, dict[str, Path]]:
    """The URDF's path and the folders of packages, by which meshes are found; a document knows both itself."""
    if isinstance(robot, RobotDescription):
        return urdf_path, dict(mappings or {})
    return urdf_path or robot.urdf_path, {**robot.packages, **(mappings or {})}
