"""A link: its name and what it has; mass and inertia, from geometry and a density where the file gives none."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QPushButton

from editor_app.edit.commands.fields import OfLink, SetField
from editor_app.edit.commands.urdf import RenameLink
from editor_app.geometry.mass import USUAL_DENSITY, SolidProperties, filled, impossible, solid_of
from editor_app.gui.bindings.forms import Field, Form, Number, Text
from editor_app.gui.bindings.number_field import NumberField, Origin, Reading, ScrubLabel
from editor_app.gui.bindings.panel import heading, muted_label
from editor_app.gui.bindings.quantity import NUMBER
from editor_app.gui.mesh_store import MeshStore
from editor_app.gui.panels.urdf.overlay import InertiaOverlay
from editor_app.gui.panels.urdf.panel import RENAMING, UrdfPanel, pose_rows
from editor_app.gui.session import Session
from editor_app.gui.widgets import PlainLabel, dress
from editor_app.model.counting import counted
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Inertial, Link


class LinkPanel(UrdfPanel):
    """The name; a new one goes through URDF, XRDF and SRDF."""

    def build(self) -> None:
        self.parts = dress(PlainLabel(), wrap=True)
        Form(
            self,
            (
                Text("Name", "name", name="Name of the link", help=RENAMING, write=self._rename),
                Field("Has", beside=(self.parts,)),
            ),
            lambda: OfLink(self.link.name) if self.link is not None else None,
        )
        self.put(self.place)
        self.bind(self._show)

    def _show(self, robot: RobotDescription) -> None:
        link = self.link
        if link is None:
            return
        counts = [
            "an inertial" if link.inertial is not None else "no inertial",
            counted(len(link.visuals), "visual"),
            counted(len(link.collisions), "collision"),
        ]
        self.parts.setText(", ".join(counts))
        source = self.source
        self.tell_place(source.link_location(link.name) if source is not None else None)

    def _rename(self, name: str) -> None:
        link = self.link
        if link is not None:
            selection = replace(self.session.selection, links=(name,), spheres=())
            self.execute(RenameLink(link.name, name), selection=selection)


class InertialPanel(UrdfPanel):
    """Computed numbers are marked as such, and stand in the file only when the user writes them there."""

    def __init__(self, session: Session, meshes: MeshStore | None, overlay: InertiaOverlay | None) -> None:
        self._meshes = meshes
        self._overlay = overlay
        self._density = USUAL_DENSITY
        self._solids: dict[int, tuple[object, SolidProperties | None]] = {}
        super().__init__(session)
        if meshes is not None:
            meshes.geometry_changed.connect(self._on_geometry)

    def build(self) -> None:
        self.computed = self.put(muted_label(""))
        form = self.form()
        self.density = NumberField(NUMBER, "Density")
        self.density.set_display(self.session.display)
        self.density.set_limits(1e-6, None)
        self.density.edited.connect(self._set_density)
        self.density.rejected.connect(self.tell)
        self.density_label = ScrubLabel("Density kg/m³", self.density)
        form.addRow(self.density_label, self.density)
        self.free += [self.density, self.density_label]
        self._form(Number("Mass kg", "inertial.mass"), *pose_rows("Centre", "inertial.origin", name="Centre of mass"))
        self.put(heading("Inertia about the centre, kg m²"))
        # Two beside each other: moments of small links have many digits, and cut ones would be other numbers.
        self._form(
            Number("xx, xy", "inertial.inertia", NUMBER, ("xx", "xy"), places=(0, 1)),
            Number("yy, xz", "inertial.inertia", NUMBER, ("yy", "xz"), places=(3, 2)),
            Number("zz, yz", "inertial.inertia", NUMBER, ("zz", "yz"), places=(5, 4)),
        )
        tip = "Add an inertial element with these computed numbers"
        self.write = dress(QPushButton("Write into the URDF"), tip=tip, run=self._write)
        tip = "Remove the inertial element; the link is without a mass of its own then"
        self.remove = dress(QPushButton("Remove from the URDF"), tip=tip, run=self._remove)
        self.show_box = dress(QCheckBox("Show ellipsoid and centre of mass"), tip="In the view, for the selected link")
        self.show_box.setVisible(self._overlay is not None)
        self.show_box.toggled.connect(self._toggle)
        self.free.append(self.show_box)
        self.warning = muted_label("")
        self.put(self.write, self.remove, self.show_box, self.warning, self.place)
        self.bind(self._show)

    def _form(self, *rows: Field) -> None:
        Form(
            self,
            rows,
            lambda: OfLink(self.link.name) if self.link is not None else None,
            thing=self._with_computed,
            reading=self._marked,
            title="Edit inertial of {name}",
        )

    # -- the inertial, of the file or computed

    def current(self) -> tuple[Inertial | None, bool]:
        """The inertial of the link, and whether it is computed."""
        link = self.link
        if link is None:
            return None, False
        if link.inertial is not None:
            return link.inertial, False
        solid = self._solid(link)
        if solid is None:
            return None, True
        return filled(solid, solid.volume * self._density), True

    def _with_computed(self) -> Link | None:
        """The link, with the computed inertial where the file has none."""
        link = self.link
        return replace(link, inertial=self.current()[0]) if link is not None else None

    def _marked(self, reading: Reading) -> Reading:
        computed = self.current()[1]
        return replace(reading, origin=Origin.GUESSED, note="Computed, not in the file.") if computed else reading

    def _solid(self, link: Link) -> SolidProperties | None:
        if self._meshes is None:
            return None
        for kind in ("visual", "collision"):
            geometry = self._meshes.geometry(link.name, kind)
            if geometry is None or not geometry.parts:
                continue
            cached = self._solids.get(id(geometry))
            if cached is None or cached[0] is not geometry:
                self._solids = {id(geometry): (geometry, solid_of(geometry))}
                cached = self._solids[id(geometry)]
            if cached[1] is not None:
                return cached[1]
        return None

    # -- showing

    def _show(self, robot: RobotDescription) -> None:
        link = self.link
        if link is None:
            return
        inertial, computed = self.current()
        self.density.set_value(self._density)
        for widget in (self.density, self.density_label, self.computed, self.write):
            widget.setVisible(computed)
        self.remove.setVisible(not computed)
        self.write.setEnabled(inertial is not None)
        if computed and inertial is None:
            has_shapes = bool(link.visuals or link.collisions)
            why = "its geometry is not loaded or encloses nothing" if has_shapes else "no geometry to compute one from"
            self.computed.setText(f"{link.name} has no inertial, and {why}.")
        elif computed:
            solid = self._solid(link)
            closed = solid is not None and solid.closed
            open_ = "" if closed else " Its surface has gaps or turned triangles: these are estimates."
            self.computed.setText(
                f"{link.name} has no inertial. Computed from its geometry and the density; not in the file.{open_}"
            )
        for field in self.fields.values():
            field.setEnabled(not computed)
        self.warning.setText(impossible(inertial) if inertial is not None else "")
        self.warning.setVisible(bool(self.warning.text()))
        if self._overlay is not None:
            self.show_box.setChecked(self._overlay.is_shown)
            self._overlay.show(link.name, inertial)
        source = self.source
        self.tell_place(source.inertial_location(link.name) if source is not None and not computed else None)

    # -- changes

    def _write(self) -> None:
        link, (inertial, computed) = self.link, self.current()
        if link is not None and inertial is not None and computed:
            self.execute(SetField(OfLink(link.name), "inertial", inertial, f"Add inertial to {link.name}"))

    def _remove(self) -> None:
        link = self.link
        if link is not None and link.inertial is not None:
            self.execute(SetField(OfLink(link.name), "inertial", None, f"Remove inertial of {link.name}"))

    def _set_density(self, value: float, live: bool) -> None:
        self._density = value
        self.refresh()

    def _toggle(self, shown: bool) -> None:
        if self._overlay is not None:
            self._overlay.set_shown(shown)

    def _on_geometry(self, links: tuple[str, ...]) -> None:
        if self.link is not None and self.link.name in links:
            self._later.start()
