"""A link: its name and what it has; and how geometries are said, for the other sections."""

from __future__ import annotations

from dataclasses import replace

from editor_app.edit.commands.fields import OfLink
from editor_app.edit.commands.urdf import RenameLink
from editor_app.gui.bindings.forms import Field, Form, Text
from editor_app.gui.panels.urdf.panel import UrdfPanel
from editor_app.gui.plain_text import PlainLabel
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Ball, Box, Capsule, Cylinder, Geometry

RENAMING = "Renaming follows every reference in URDF, XRDF and SRDF"


class LinkPanel(UrdfPanel):
    """The name; a new one goes through URDF, XRDF and SRDF."""

    def build(self) -> None:
        self.parts = PlainLabel()
        self.parts.setWordWrap(True)
        Form(
            self,
            (
                Text("Name", "name", name="Name of the link", help=RENAMING, write=self._rename),
                Field("Has", beside=(self.parts,)),
            ),
            lambda: OfLink(self.link.name) if self.link is not None else None,
        )
        self.body.addWidget(self.place)
        self.bind(self._show)

    def _show(self, robot: RobotDescription) -> None:
        link = self.link
        if link is None:
            return
        counts = [
            "an inertial" if link.inertial is not None else "no inertial",
            _counted(len(link.visuals), "visual"),
            _counted(len(link.collisions), "collision"),
        ]
        self.parts.setText(", ".join(counts))
        source = self.source
        self.tell_place(source.link_location(link.name) if source is not None else None)

    def _rename(self, name: str) -> None:
        link = self.link
        if link is not None:
            selection = replace(self.session.selection, links=(name,), spheres=())
            self.execute(RenameLink(link.name, name), selection=selection)


def described(geometry: Geometry) -> str:
    """For one line of a table; lengths in millimetres."""
    if isinstance(geometry, Box):
        return "box " + " × ".join(f"{v * 1000:g}" for v in geometry.size) + " mm"
    if isinstance(geometry, Cylinder | Capsule):
        name = "cylinder" if isinstance(geometry, Cylinder) else "capsule"
        return f"{name} r {geometry.radius * 1000:g}, l {geometry.length * 1000:g} mm"
    if isinstance(geometry, Ball):
        return f"sphere r {geometry.radius * 1000:g} mm"
    return geometry.filename.rsplit("/", 1)[-1]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
