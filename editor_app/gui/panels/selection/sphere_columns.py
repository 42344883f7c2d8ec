"""Spheres as rows: their columns for tables, and the changes that editing a cell means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from editor_app.edit.commands import SetSpheres
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.bindings.rows_model import Column
from editor_app.model.change import Change
from editor_app.model.counting import counted
from editor_app.model.findings import SphereRef
from editor_app.model.origin import Vector3
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere

AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class SphereRow:
    """A sphere with its effective radii."""

    ref: SphereRef
    sphere: CollisionSphere
    world: float
    self_radius: float


def sphere_rows(robot: RobotDescription, refs: Iterable[SphereRef]) -> list[SphereRow]:
    """The rows of those spheres that exist."""
    rows = []
    groups = {group.name: group.spheres for group in robot.xrdf.geometry or ()}
    for ref in refs:
        spheres = groups[ref.group].get(ref.frame, ()) if ref.group in groups else ()
        if 0 <= ref.index < len(spheres):
            sphere = spheres[ref.index]
            world, self_radius = robot.xrdf.world_radius(ref.frame, sphere), robot.xrdf.self_radius(ref.frame, sphere)
            rows.append(SphereRow(ref, sphere, world, self_radius))
    return rows


def set_axis(axis: int, cells: list[tuple[SphereRow, float]]) -> Change:
    """Moves spheres along one axis of their frames."""

    def moved(center: Vector3, value: float) -> Vector3:
        x, y, z = (value if i == axis else v for i, v in enumerate(center))
        return x, y, z

    values = tuple((row.ref, replace(row.sphere, center=moved(row.sphere.center, value))) for row, value in cells)
    return SetSpheres(values, f"Move {counted(len(cells), 'sphere')}")


def set_radius(cells: list[tuple[SphereRow, float]]) -> Change:
    """Resizes spheres."""
    values = tuple((row.ref, replace(row.sphere, radius=value)) for row, value in cells)
    return SetSpheres(values, f"Resize {counted(len(cells), 'sphere')}")


def sphere_columns(is_locked: Callable[[SphereRef], bool]) -> list[Column[SphereRow]]:
    """Link and lock, x, y, z, radius, and the two effective radii, which follow from radius and buffer."""

    def axis(i: int) -> Column[SphereRow]:
        return Column(
            AXES[i],
            lambda row: row.sphere.center[i],
            write=lambda cells: set_axis(i, cells),
            quantity=LENGTH,
        )

    def effective(title: str, read: Callable[[SphereRow], Any], section: str) -> Column[SphereRow]:
        return Column(
            title,
            read,
            quantity=LENGTH,
            note=lambda row: (
                f"Radius and {section} buffer of {row.ref.frame}."
                + ("" if read(row) > 0 else " Not above zero: switched off.")
            ),
            stretch=True,
        )

    return [
        Column("Link", lambda row: row.ref.frame + (", locked" if is_locked(row.ref) else "")),
        axis(0),
        axis(1),
        axis(2),
        Column(
            "radius",
            lambda row: row.sphere.radius,
            write=set_radius,
            quantity=LENGTH,
            note=lambda row: "" if row.sphere.radius > 0 else "Not above zero: only a buffer makes it count.",
        ),
        effective("world", lambda row: row.world, "collision"),
        effective("self", lambda row: row.self_radius, "self-collision"),
    ]
