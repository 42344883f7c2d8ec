"""The verb compute_inertias: mass and inertia of links from their shapes, filled with one material."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from editor_app.edit.commands.fields import OfLink, SetField
from editor_app.edit.commands.several import together
from editor_app.edit.commands.tools import the_link
from editor_app.geometry.link_geometry import MeshStore
from editor_app.geometry.mass import USUAL_DENSITY, filled, solid_of_link
from editor_app.model.change import CannotApply, Change
from editor_app.model.counting import counted
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Urdf


def bare_links(urdf: Urdf) -> tuple[str, ...]:
    """The links that have a shape, but neither mass nor inertia."""
    return tuple(link.name for link in urdf.links if link.inertial is None and (link.visuals or link.collisions))


def compute_inertias(
    robot: RobotDescription,
    links: Collection[str],
    urdf_path: Path | None,
    packages: Mapping[str, Path] | None = None,
    density: float = USUAL_DENSITY,
) -> Change:
    """One step for all the links whose shapes enclose a volume; the others stay as they are. `density` in kg/m³.

    Raises CannotApply for a link that is not there, and where no shape encloses a volume.
    """
    store = MeshStore(urdf_path, packages)
    changes: list[Change] = []
    for name in links:
        solid = solid_of_link(robot.urdf, the_link(robot, name), store)
        if solid is not None:
            label = f"Compute the inertia of {name}"
            changes.append(SetField(OfLink(name), "inertial", filled(solid, solid.volume * density), label))
    if not changes:
        raise CannotApply("No shape of these links encloses a volume that could be filled.")
    return together(changes, f"Compute the inertia of {counted(len(changes), 'link')}")
