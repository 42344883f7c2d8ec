"""Mesh files as shapes of a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from editor_app.edit.commands.urdf import SetLink
from editor_app.geometry.paths import written_name
from editor_app.model.change import CannotApply
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Collision, Mesh, Visual


def added_meshes(
    robot: RobotDescription, link: str, files: Sequence[Path], beside: Path | None, *, collision: bool
) -> SetLink:
    """One change that adds every file as a visual, or as a collision, at the origin of the link, unscaled.

    `beside` is the URDF's path, by which names of files are written. Raises CannotApply for a link that is not there.
    """
    old = robot.urdf.link(link)
    if old is None:
        raise CannotApply(f"There is no link {link}.")
    meshes = [Mesh(written_name(file, beside)) for file in files]
    if collision:
        new = replace(old, collisions=(*old.collisions, *map(Collision, meshes)))
    else:
        new = replace(old, visuals=(*old.visuals, *map(Visual, meshes)))
    return SetLink(link, new, f"Add {'collision' if collision else 'visual'} to {link}")
