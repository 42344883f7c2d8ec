"""Mesh files as shapes of a link, with a guess of the unit where a file tells none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from editor_app.core.document.commands.fields import PartOf, SetField
from editor_app.core.document.commands.tools import ToldChange, join_changes
from editor_app.core.document.commands.urdf import SetLink, SetMeshPath
from editor_app.core.model.origin import IDENTITY
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.urdf import Collision, Mesh, Visual
from editor_app.core.space.geometry.link_geometry import Kind, link_geometry
from editor_app.core.space.geometry.mesh import merge_parts
from editor_app.core.space.geometry.paths import resolve_mesh_path, written_name
from editor_app.core.space.geometry.units import Extents, extents, guessed_use


def added_meshes(
    robot: RobotDescription,
    link: str,
    files: Sequence[Path],
    beside: Path | None,
    *,
    collision: bool,
    packages: Mapping[str, Path] | None = None,
) -> ToldChange:
    """One change that adds every file as a visual, or as a collision, at the origin of the link.

    One file is as large and as upright as what the link has of the other kind, where that can be
    seen.

    `beside` is the URDF's path, by which names of files are written. Raises CannotApply for a link
    that is not there.
    """
    old = robot.urdf.link(link)
    if old is None:
        raise CannotApply(f"The robot has no link {link}.")
    like = (
        _sides_of(robot, link, "visual" if collision else "collision", beside, packages)
        if len(files) == 1
        else None
    )
    uses = [guessed_use(file, like) for file in files]
    meshes = [
        Mesh(written_name(file, beside), use.scale) for file, use in zip(files, uses, strict=True)
    ]
    placed = [(mesh, use.turn) for mesh, use in zip(meshes, uses, strict=True)]
    if collision:
        new = replace(old, collisions=(*old.collisions, *(Collision(*each) for each in placed)))
    else:
        new = replace(old, visuals=(*old.visuals, *(Visual(*each) for each in placed)))
    change = SetLink(link, new, f"Add {'collision' if collision else 'visual'} to {link}")
    return ToldChange(change, " ".join(use.told for use in uses if use.told))


def mesh_in_place(
    robot: RobotDescription,
    target: PartOf,
    label: str,
    file: Path,
    beside: Path | None,
    packages: Mapping[str, Path] | None = None,
) -> ToldChange:
    """One change that makes a mesh of the geometry of a shape; `label` is the name of the step.

    It is as large and as upright as what the link has of the other kind, where that can be seen.
    """
    other: Kind = "collision" if str(target.path).startswith("visual") else "visual"
    use = guessed_use(file, _sides_of(robot, target.title, other, beside, packages))
    changes: list[Change] = [
        SetField(target, "geometry", Mesh(written_name(file, beside), use.scale), label)
    ]
    if use.turn != IDENTITY:
        changes.append(SetField(target, "origin", use.turn, label))
    return ToldChange(join_changes(changes, label), use.told)


def _sides_of(
    robot: RobotDescription,
    link: str,
    kind: Kind,
    beside: Path | None,
    packages: Mapping[str, Path] | None,
) -> Extents | None:
    """(3,) metres, the sides of the box around all shapes of a link of one kind; None without
    any."""
    points, _ = merge_parts(link_geometry(robot.urdf, beside, link, kind, packages).parts)
    return np.ptp(points, axis=0) if len(points) else None


def exchanged_mesh(
    old: Mesh,
    link: str,
    file: Path,
    beside: Path | None,
    packages: Mapping[str, Path] | None = None,
) -> ToldChange:
    """One change that puts a file in the place of a mesh of a link, as large and as upright where
    that can be seen."""
    old_file = resolve_mesh_path(old.filename, beside, packages)
    sides = extents(old_file) if old_file is not None else None
    use = guessed_use(file, None if sides is None else sides * np.abs(old.scale))
    change = SetMeshPath(old.filename, written_name(file, beside), link, use.scale, use.turn)
    return ToldChange(change, use.told)
