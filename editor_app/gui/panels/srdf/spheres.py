"""Spheres that stand for links in the SRDF (link_sphere_approximation), and the way between them and the XRDF's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from editor_app.edit.commands import AddGroup, ReplaceSpheres
from editor_app.edit.commands.fields import field_of, with_field
from editor_app.edit.commands.several import AllOf, together
from editor_app.edit.commands.srdf_parts import SetSphereApproximation, SpheresFromGroup
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.panel import muted_label, row_of, tool_button
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf.panel import SrdfPanel, link_names
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere

#: The geometry group that the spheres come into.
GROUP = "srdf_spheres"


@dataclass(frozen=True, slots=True)
class _Row:
    link: str
    index: int
    sphere: CollisionSphere


class SpheresOfSrdfPanel(SrdfPanel):
    """A row per sphere, with the numbers in it; the spheres of the XRDF can be taken over, and these into the XRDF."""

    purpose = "Spheres that stand for links, coarser than their shapes."

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column("Link", lambda r: r.link, problem=lambda r: self.unknown_link(r.link), stretch=True),
            *(self._number(name, f"center.{axis}") for axis, name in enumerate("xyz")),
            self._number("Radius", "radius"),
        ]
        self.view = self.table(
            "Spheres of links",
            columns,
            self._rows,
            delete=lambda rows: self._changed({(r.link, r.index): None for r in rows}),
            chosen=lambda rows: Selection(links=tuple(dict.fromkeys(row.link for row in rows))),
        )
        self.adder(self.view, "Add sphere to link", "link", link_names, self._add, "Link for a sphere…")
        tip = "The spheres of the active geometry group stand in the SRDF, in place of these"
        self.take = tool_button("arrow-down", "From the XRDF", tip=tip, run=self._take)
        tip = f"These spheres become the geometry group {GROUP} of the XRDF, where they are drawn"
        self.give = tool_button("arrow-up", "Into the XRDF", tip=tip, run=self._give)
        self.put(row_of(self.take, self.give), muted_label("MoveIt reads them as another, coarser shape of a link."))

    def watched(self, robot: RobotDescription) -> tuple[object, ...]:
        return robot.srdf, robot.urdf, robot.xrdf.geometry

    def _number(self, title: str, path: str) -> Column[_Row]:
        def write(cells: list[tuple[_Row, Any]]) -> Change:
            return self._changed({(r.link, r.index): with_field(r.sphere, path, float(v)) for r, v in cells})

        return Column(title, lambda r: field_of(r.sphere, path), write=write, quantity=LENGTH)

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        approximations = self.srdf.sphere_approximations
        return [_Row(link, i, s) for link, spheres in approximations.items() for i, s in enumerate(spheres)]

    def _changed(self, changed: Mapping[tuple[str, int], CollisionSphere | None]) -> Change:
        present = self.srdf.sphere_approximations
        changes = []
        for link in dict.fromkeys(link for link, _ in changed):
            spheres = (changed.get((link, i), s) for i, s in enumerate(present.get(link, ())))
            changes.append(SetSphereApproximation(link, tuple(s for s in spheres if s is not None)))
        return together(changes, f"Edit spheres of {len(changes)} links")

    def _add(self, link: str) -> Change:
        present = self.srdf.sphere_approximations.get(link, ())
        return SetSphereApproximation(link, (*present, CollisionSphere((0.0, 0.0, 0.0), 0.05)))

    def _take(self) -> None:
        group = self.session.active_group
        if group is None:
            self.tell("The XRDF has no geometry group yet.")
        else:
            self.execute(SpheresFromGroup(group))

    def _give(self) -> None:
        spheres = self.srdf.sphere_approximations
        if not spheres:
            self.tell("The SRDF has no spheres yet.")
            return
        replaced = ReplaceSpheres(GROUP, spheres, f"Take the spheres of the SRDF over into {GROUP}")
        is_new = self.robot.xrdf.group(GROUP) is None
        if self.execute(AllOf((AddGroup(GROUP), replaced) if is_new else (replaced,), replaced.label)):
            self.session.set_active_group(GROUP)
