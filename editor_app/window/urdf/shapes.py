"""The visuals and collisions of a link: the list above; kind, sizes, place and material of the
chosen one below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog, QToolButton

from editor_app.core.document.added_meshes import exchanged_mesh, mesh_in_place
from editor_app.core.document.commands.field_paths import GREY, get_field, new_part
from editor_app.core.document.commands.fields import OfLink, PaintOf, PartOf, SetField
from editor_app.core.document.commands.tools import ToldChange
from editor_app.core.document.commands.urdf import SetLink, SetMeshPath
from editor_app.core.document.commands.urdf_structure import SplitLink, find_free_frame_name
from editor_app.core.document.selection import Selection
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Geometry,
    Hydroelastic,
    Material,
    Mesh,
    Urdf,
    Visual,
)
from editor_app.window.bindings.forms import ChoiceField, Field, Form, Number, Text
from editor_app.window.bindings.panel import flat_button, heading, row_of, set_button, tool_button
from editor_app.window.bindings.quantity import LENGTH, NUMBER
from editor_app.window.bindings.rows_model import Column
from editor_app.window.urdf.panel import UrdfPanel, pose_rows

_KINDS: dict[str, type[Geometry]] = {
    "box": Box,
    "cylinder": Cylinder,
    "sphere": Ball,
    "capsule": Capsule,
    "mesh": Mesh,
}
_NONE = "none"
_PARTS = ("red", "green", "blue", "alpha")
_IMAGES = "Pictures (*.png *.jpg *.jpeg *.bmp *.tga);;All files (*)"
_MESHES = "Meshes (*.stl *.STL *.dae *.DAE *.obj *.OBJ *.ply *.glb *.gltf *.off);;All files (*)"


#: Of `drake:proximity_properties`: label, element, what it measures, what else is said of it.
_CONTACT = (
    ("Mesh resolution", "mesh_resolution_hint", LENGTH, ""),
    ("Hydroelastic modulus Pa", "hydroelastic_modulus", NUMBER, ""),
    ("Dissipation s/m", "hunt_crossley_dissipation", NUMBER, "Hunt and Crossley"),
    ("Relaxation time s", "relaxation_time", NUMBER, "Read by the solver SAP"),
    ("Point stiffness N/m", "point_contact_stiffness", NUMBER, ""),
    ("Friction, moving", "mu_dynamic", NUMBER, ""),
    ("Friction, at rest", "mu_static", NUMBER, ""),
)


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """One line of the list."""

    kind: str
    index: int
    shape: Visual | Collision


class ShapesPanel(UrdfPanel):
    """Adding a collision while a visual is chosen copies its geometry, and the other way round.

    The unit of a mesh file that tells none is guessed from its size, in a thread.
    """

    def build(self) -> None:
        columns: list[Column[ShapeRow]] = [
            Column("Kind", lambda row: row.kind),
            Column(
                "Geometry",
                lambda row: describe_geometry(row.shape.geometry),
                stretch=True,
                note=_note,
            ),
        ]
        self.view = self.table(
            "Visuals and collisions", columns, lambda robot: self._rows(), delete=self._delete
        )
        self.view.rows_selected.connect(lambda _: self._selected(None))
        self.add_visual = self._adder("Visual", "visual")
        self.add_collision = self._adder("Collision", "collision")
        tip = "Split off: move the selected shapes to a new link, fixed to this one"
        self.split = flat_button("git-commit", tip, run=self._split)
        self.under(self.view, self.add_visual, self.add_collision, self.split)
        self.title = self.put(heading(""))
        self.browse = flat_button("folder-open", "Choose a mesh file", run=self._browse)
        self.kind = self.name_field(
            "Kind of geometry",
            "geometry",
            lambda robot: list(_KINDS),
            lambda robot: self._kind(),
            self._set_kind,
        )
        Form(
            self,
            (
                Field("Geometry", beside=(self.kind,)),
                Number("Size", "geometry.size", LENGTH, "xyz", shown=_has("size")),
                Number("Radius", "geometry.radius", LENGTH, shown=_has("radius")),
                Number("Length", "geometry.length", LENGTH, shown=_has("length")),
                Text(
                    "Mesh",
                    "geometry.filename",
                    shown=_has("filename"),
                    write=self._set_mesh,
                    beside=(self.browse,),
                ),
                Number("Scale", "geometry.scale", NUMBER, "xyz", shown=_has("scale")),
                *pose_rows("Position", "origin"),
                Text("Name", "name", name="Name of the shape", optional=True, placeholder="none"),
            ),
            self.target,
            title="Edit shape of {name}",
        )
        self.paint = MaterialForm(self, self._paint)
        self.contact = flat_button("plus", "", run=self._toggle_contact)
        self.contact_row = self.put(row_of(heading("Contact in Drake"), self.contact))
        kinds = ChoiceField(
            "Hydroelastic",
            "proximity.hydroelastic",
            lambda robot, shape: list(map(str, Hydroelastic)),
            help="Rigid and compliant shapes have area contact, others point contact",
            noun="kind",
            none="no: point contact",
            value=Hydroelastic,
        )
        numbers = [
            Number(
                label,
                f"proximity.{name}",
                quantity,
                limits=(0.0, None),
                can_remove=lambda _: True,
                help=more,
            )
            for label, name, quantity, more in _CONTACT
        ]
        Form(self, (kinds, *numbers), self.target, part="proximity", title="Set contact of {name}")
        self.bind(self._show)

    def _adder(self, text: str, kind: str) -> QToolButton:
        tip = f"Add a {kind}: a copy of the selected shape, or a box"
        return tool_button("plus", text, name=f"Add {kind}", tip=tip, run=lambda: self._add(kind))

    # -- what is shown

    def _rows(self) -> list[ShapeRow]:
        link = self.link
        visuals, collisions = (link.visuals, link.collisions) if link is not None else ((), ())
        rows = [ShapeRow("visual", i, v) for i, v in enumerate(visuals)]
        return rows + [ShapeRow("collision", i, c) for i, c in enumerate(collisions)]

    def current(self) -> ShapeRow | None:
        """The chosen shape, else the first."""
        rows, selected = self._rows(), self.view.selected_rows()
        return (
            rows[selected[-1]]
            if selected and selected[-1] < len(rows)
            else rows[0]
            if rows
            else None
        )

    def target(self) -> PartOf | None:
        """The chosen shape, for what edits it."""
        row, link = self.current(), self.link
        return (
            PartOf(OfLink(link.name), f"{row.kind}s.{row.index}")
            if row is not None and link is not None
            else None
        )

    def _paint(self) -> PaintOf | None:
        row, link = self.current(), self.link
        is_visual = row is not None and row.kind == "visual"
        return (
            PaintOf(link.name, row.index)
            if is_visual and row is not None and link is not None
            else None
        )

    def _show(self, robot: RobotDescription) -> None:
        row, link = self.current(), self.link
        if link is None:
            return
        for widget in (self.view, self.split, self.title):
            widget.setVisible(row is not None)
        touches = row is not None and isinstance(row.shape, Collision)
        self.contact_row.setVisible(touches)
        if row is not None and touches:
            has = get_field(row.shape, "proximity") is not None
            set_button(
                self.contact,
                "trash" if has else "plus",
                f"{'Remove' if has else 'Add'} contact in Drake",
            )
        if row is None:
            self.place.hide()
            return
        self.tell_place(lambda source: source.shape_location(link.name, row.kind, row.index))
        name = f" “{row.shape.name}”" if row.shape.name else ""
        self.title.setText(f"{row.kind.capitalize()} {row.index + 1}{name}")

    def _kind(self) -> str | None:
        row = self.current()
        return next(
            (k for k, t in _KINDS.items() if row is not None and type(row.shape.geometry) is t),
            None,
        )

    # -- changes

    def _toggle_contact(self) -> None:
        target, row = self.target(), self.current()
        if target is not None and row is not None:
            value = (
                new_part(row.shape, "proximity")
                if get_field(row.shape, "proximity") is None
                else None
            )
            verb = "Add" if value is not None else "Remove"
            self.execute(
                SetField(target, "proximity", value, f"{verb} contact in Drake of {target.title}")
            )

    def _set_kind(self, kind: str) -> Change | None:
        target, row = self.target(), self.current()
        if target is None or row is None:
            return None
        label = f"Edit {row.kind} of {target.title}"
        if kind != "mesh":
            return SetField(target, "geometry", _as(kind, row.shape.geometry), label)
        file = self.ask_for_file("Choose a mesh", _MESHES)
        document = self.session.document
        if file is not None:
            robot, beside, packages = self.robot, self.beside, document.packages
            self._look(file, lambda: mesh_in_place(robot, target, label, file, beside, packages))
        return None

    def _set_mesh(self, text: str) -> Change | None:
        row, link = self.current(), self.link
        if row is None or link is None or not isinstance(row.shape.geometry, Mesh):
            return None
        return SetMeshPath(row.shape.geometry.filename, text, link.name)

    def _browse(self) -> None:
        row, link, document = self.current(), self.link, self.session.document
        if row is None or link is None or not isinstance(row.shape.geometry, Mesh):
            return
        file = self.ask_for_file("Choose a mesh", _MESHES)
        if file is not None:
            old, name, beside, packages = (
                row.shape.geometry,
                link.name,
                self.beside,
                document.packages,
            )
            self._look(file, lambda: exchanged_mesh(old, name, file, beside, packages))

    def _look(self, file: Path, look: Callable[[], ToldChange]) -> None:
        """Takes the change that `look` makes of a mesh file, which is read in a thread, and tells
        what was guessed."""
        if self._reading is None:
            self._take(look())
            return
        self._reading.run(f"Reading {file.name}", lambda _: look(), self._take, in_thread=True)

    def _take(self, looked: ToldChange) -> None:
        if self.execute(looked.change) and looked.told:
            self.session.noticed.emit(looked.told)

    def _add(self, kind: str) -> None:
        link, row = self.link, self.current()
        if link is None:
            return
        geometry: Geometry = row.shape.geometry if row is not None else Box((0.1, 0.1, 0.1))
        origin = row.shape.origin if row is not None else Visual(geometry).origin
        if kind == "visual":
            material = (
                row.shape.material if row is not None and isinstance(row.shape, Visual) else None
            )
            changed = replace(link, visuals=(*link.visuals, Visual(geometry, origin, material)))
            place = len(changed.visuals) - 1
        else:
            added = Collision(geometry, origin, proximity=link.proximity)
            changed = replace(link, collisions=(*link.collisions, added))
            place = len(changed.visuals) + len(changed.collisions) - 1
        if self.execute(SetLink(link.name, changed, f"Add {kind} to {link.name}")):
            self.view.select_row(place)

    def _split(self) -> None:
        """Moves the selected shapes, or the one that is shown, to a new link, which is selected
        then."""
        link, row, rows = self.link, self.current(), self._rows()
        if link is None or row is None:
            return
        chosen = [rows[place] for place in self.view.selected_rows() if place < len(rows)] or [row]
        visuals, collisions = (
            tuple(each.index for each in chosen if each.kind == k) for k in ("visual", "collision")
        )
        name = find_free_frame_name(self.robot, f"{link.name}_part")
        joint = find_free_frame_name(self.robot, f"{name}_joint")
        self.execute(
            SplitLink(link.name, visuals, collisions, name, joint),
            selection=Selection(links=(name,)),
        )

    def _delete(self, rows: list[ShapeRow]) -> Change:
        link = self.link
        if link is None:
            raise CannotApply("No link is selected.")
        deleted_rows = {(row.kind, row.index) for row in rows}
        visuals = tuple(v for i, v in enumerate(link.visuals) if ("visual", i) not in deleted_rows)
        collisions = tuple(
            c for i, c in enumerate(link.collisions) if ("collision", i) not in deleted_rows
        )
        deleted = rows[0].kind if len(rows) == 1 else f"{len(rows)} shapes"
        kept = replace(link, visuals=visuals, collisions=collisions)
        return SetLink(link.name, kept, f"Delete {deleted} of {link.name}")


class MaterialForm:
    """Rows of a panel. A material that several visuals name is changed for all of them."""

    def __init__(self, panel: UrdfPanel, paint: Callable[[], PaintOf | None]) -> None:
        self._panel = panel
        self._paint = paint
        self.name = panel.name_field(
            "Material",
            "material",
            lambda robot: [_NONE, *list_materials(robot.urdf)],
            lambda robot: self._name(),
            self._choose,
        )
        self.fresh = flat_button("plus", "Add a material to this visual", run=self._new)
        self.pick = flat_button("palette", "Choose the colour", run=self._pick)
        self.bare = flat_button(
            "x", "Remove the colour; the texture stays", run=lambda: self._set("rgba", None)
        )
        self.browse = flat_button("folder-open", "Choose a picture file", run=self._browse)
        Form(
            panel,
            (
                Field("Material", beside=(self.name, self.fresh)),
                Number(
                    "Colour",
                    "material.rgba",
                    NUMBER,
                    _PARTS,
                    limits=(0.0, 1.0),
                    beside=(self.pick, self.bare),
                ),
                Text(
                    "Texture",
                    "material.texture",
                    optional=True,
                    placeholder="none",
                    beside=(self.browse,),
                ),
            ),
            paint,
            title="Edit material of {name}",
        )
        panel.bind(self._show)

    def _show(self, robot: RobotDescription) -> None:
        material = self.material()
        for path, widget in self._panel.fields.items():
            if path.startswith("material."):
                widget.setEnabled(material is not None)
        for widget in (self.pick, self.browse):
            widget.setEnabled(material is not None)
        self.bare.setVisible(
            material is not None and material.rgba is not None and material.texture is not None
        )

    def material(self) -> Material | None:
        """Return the material of the visual: the definition of its name."""
        paint = self._paint()
        visual = paint.read(self._panel.robot) if paint is not None else None
        return visual.material if visual is not None else None

    def _name(self) -> str | None:
        if self._paint() is None:
            return None
        material = self.material()
        return (material.name or "(without a name)") if material is not None else _NONE

    # -- steps

    def _choose(self, name: str) -> Change | None:
        if name == _NONE:
            return self._with(None, "Remove material")
        return self._with(Material(name), "Set material")

    def _with(self, material: Material | None, title: str) -> Change | None:
        """Another material for this visual alone."""
        paint = self._paint()
        if paint is None:
            return None
        return SetField(
            OfLink(paint.link),
            ("visuals", paint.visual, "material"),
            material,
            f"{title} of {paint.link}",
        )

    def _new(self) -> None:
        link, old = self._panel.link, self.material()
        if link is None:
            return
        taken = set(list_materials(self._panel.robot.urdf))
        name = next(
            n
            for n in (f"{link.name}_material{i or ''}" for i in range(len(taken) + 1))
            if n not in taken
        )
        rgba = old.rgba if old is not None and old.rgba is not None else GREY
        self._panel.execute(self._with(Material(name, rgba), "Add material"))

    def _set(self, field: str, value: object) -> None:
        paint = self._paint()
        if paint is not None:
            self._panel.execute(
                SetField(paint, f"material.{field}", value, f"Edit material of {paint.link}")
            )

    def _pick(self) -> None:
        material = self.material()
        if material is None:
            return
        options = QColorDialog.ColorDialogOption.ShowAlphaChannel
        start = QColor.fromRgbF(*(material.rgba or GREY))
        chosen = QColorDialog.getColor(
            start, self._panel.window(), "Colour of the material", options
        )
        if chosen.isValid():
            parts = (chosen.redF(), chosen.greenF(), chosen.blueF(), chosen.alphaF())
            self._set("rgba", tuple(round(v, 4) for v in parts))

    def _browse(self) -> None:
        chosen = self._panel.ask_for_name("Choose a texture", _IMAGES)
        if chosen is not None:
            self._set("texture", chosen)


def list_materials(urdf: Urdf) -> list[str]:
    """The names of the materials that are defined somewhere, in the order of the file."""
    return [name for name in urdf.materials_by_name() if name]


def describe_geometry(geometry: Geometry) -> str:
    """For one line of a table; lengths in millimetres."""
    if isinstance(geometry, Box):
        return "box " + " × ".join(f"{v * 1000:g}" for v in geometry.size) + " mm"
    if isinstance(geometry, Cylinder | Capsule):
        name = "cylinder" if isinstance(geometry, Cylinder) else "capsule"
        return f"{name} r {geometry.radius * 1000:g}, l {geometry.length * 1000:g} mm"
    if isinstance(geometry, Ball):
        return f"sphere r {geometry.radius * 1000:g} mm"
    return geometry.filename.rsplit("/", 1)[-1]


def _as(kind: str, geometry: Geometry) -> Geometry:
    """Another kind of about the same size; of a mesh nothing is known."""
    if isinstance(geometry, Box):
        x, y, z = geometry.size
    elif isinstance(geometry, Ball):
        x = y = z = 2 * geometry.radius
    elif isinstance(geometry, Cylinder | Capsule):
        x = y = 2 * geometry.radius
        z = geometry.length + (x if isinstance(geometry, Capsule) else 0.0)
    else:
        x = y = z = 0.1
    radius = min(x, y) / 2
    if kind == "box":
        return Box((x, y, z))
    if kind == "cylinder":
        return Cylinder(radius, z)
    return (
        Ball(min(x, y, z) / 2) if kind == "sphere" else Capsule(radius, max(z - 2 * radius, radius))
    )


def _has(size: str) -> Callable[[Visual | Collision], bool]:
    """Whether the geometry of a shape has such a size."""
    return lambda shape: hasattr(shape.geometry, size)


def _note(row: ShapeRow) -> str:
    return (
        row.shape.geometry.filename
        if isinstance(row.shape.geometry, Mesh)
        else describe_geometry(row.shape.geometry)
    )
