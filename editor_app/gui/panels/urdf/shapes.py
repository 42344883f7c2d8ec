"""The visuals and collisions of a link: the list above; kind, sizes, place and material of the chosen one below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtWidgets import QFormLayout, QToolButton

from editor_app.edit.commands.urdf import SetLink, SetMeshPath
from editor_app.geometry.paths import written_name
from editor_app.gui import dialogs
from editor_app.gui.bindings.panel import Reading, flat_button, heading, row_of, tool_button
from editor_app.gui.bindings.quantity import LENGTH, NUMBER
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.bindings.text_field import TextField
from editor_app.gui.panels.urdf.link import described
from editor_app.gui.panels.urdf.material import MaterialForm
from editor_app.gui.panels.urdf.panel import UrdfPanel
from editor_app.gui.panels.urdf.pose import PoseRows
from editor_app.gui.plain_text import plain
from editor_app.model.change import CannotApply, Change
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Ball, Box, Capsule, Collision, Cylinder, Geometry, Link, Mesh, Origin, Visual

_KINDS: dict[str, type[Geometry]] = {
    "box": Box,
    "cylinder": Cylinder,
    "sphere": Ball,
    "capsule": Capsule,
    "mesh": Mesh,
}
_MESHES = "Meshes (*.stl *.STL *.dae *.DAE *.obj *.OBJ *.ply *.glb *.gltf *.off);;All files (*)"


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """One line of the list."""

    kind: str
    index: int
    shape: Visual | Collision


class ShapesPanel(UrdfPanel):
    """Adding a collision while a visual is chosen copies its geometry, and the other way round."""

    def build(self) -> None:
        columns: list[Column[ShapeRow]] = [
            Column("Kind", lambda row: row.kind),
            Column("Geometry", lambda row: described(row.shape.geometry), stretch=True, note=_note),
        ]
        self.view = self.table("Visuals and collisions", columns, lambda robot: self._rows(), delete=self._delete)
        self.view.rows_selected.connect(lambda _: self._selected(None))
        self.body.addWidget(self.view)
        self.add_visual = self._adder("Visual", "visual")
        self.add_collision = self._adder("Collision", "collision")
        self.body.addWidget(self.under(self.view, self.add_visual, self.add_collision))
        self.title = heading("")
        self.body.addWidget(self.title)
        form = self.form()
        self._form = form
        self.kind = self.name_field(
            "Kind of geometry",
            "geometry",
            lambda robot: list(_KINDS),
            lambda robot: self._kind(),
            self._set_kind,
        )
        form.addRow("Geometry", self.kind)
        self.box_size = self.vector(form, "Size", "xyz", LENGTH, self._box_size, self._set_box_size)
        self._rows_of: dict[str, tuple[int, ...]] = {"size": (form.rowCount() - 1,)}
        self.radius = self.number(
            form, "Radius", LENGTH, lambda: self._measure("radius"), lambda v: self._set_measure("radius", v)
        )
        self.length = self.number(
            form, "Length", LENGTH, lambda: self._measure("length"), lambda v: self._set_measure("length", v)
        )
        self._rows_of |= {"radius": (form.rowCount() - 2,), "length": (form.rowCount() - 1,)}
        self.mesh = TextField("Mesh")
        self.mesh.edited.connect(self._set_mesh)
        self.browse = flat_button("folder-open", "Choose a mesh file")
        self.browse.clicked.connect(self._browse)
        form.addRow("Mesh", row_of(self.mesh, self.browse))
        self.scale = self.vector(form, "Scale", "xyz", NUMBER, self._scale, self._set_scale)
        self._rows_of |= {"mesh": (form.rowCount() - 2, form.rowCount() - 1)}
        self.pose = PoseRows(self, form, "Position", self._origin, self._set_origin)
        self.xyz, self.rpy = self.pose.xyz, self.pose.rpy
        self.name = TextField("Name of the shape")
        self.name.setPlaceholderText("none")
        self.name.edited.connect(self._rename)
        form.addRow("Name", self.name)
        self.paint = MaterialForm(self, self._visual, self._with_material)
        self.body.addWidget(self.place)
        self.bind(self._show)

    def _adder(self, text: str, kind: str) -> QToolButton:
        button = tool_button("plus", text)
        button.setToolTip(plain(f"Add a {kind}: a copy of the chosen shape, or a box"))
        button.setAccessibleName(f"Add {kind}")
        button.clicked.connect(lambda: self._add(kind))
        return button

    # -- what is shown

    def _rows(self) -> list[ShapeRow]:
        link = self.link
        if link is None:
            return []
        rows = [ShapeRow("visual", i, v) for i, v in enumerate(link.visuals)]
        return rows + [ShapeRow("collision", i, c) for i, c in enumerate(link.collisions)]

    def current(self) -> ShapeRow | None:
        """The chosen shape, else the first."""
        rows, chosen = self._rows(), self.view.selected_rows()
        return rows[chosen[-1]] if chosen and chosen[-1] < len(rows) else rows[0] if rows else None

    def _visual(self) -> Visual | None:
        row = self.current()
        return row.shape if row is not None and isinstance(row.shape, Visual) else None

    def _show(self, robot: RobotDescription) -> None:
        row, link = self.current(), self.link
        if link is None:
            return
        self.view.setVisible(row is not None)
        self.title.setVisible(row is not None)
        form: QFormLayout = self._form
        for number in range(form.rowCount()):
            form.setRowVisible(number, row is not None)
        self.paint.show_for(row.shape if row is not None else None)
        if row is None:
            self.tell_place(None)
            return
        name = f" “{row.shape.name}”" if row.shape.name else ""
        self.title.setText(f"{row.kind.capitalize()} {row.index + 1}{name}")
        geometry = row.shape.geometry
        self.name.set_value(row.shape.name or "")
        self.mesh.set_value(geometry.filename if isinstance(geometry, Mesh) else "")
        shown = {
            "size": isinstance(geometry, Box),
            "radius": isinstance(geometry, Ball | Cylinder | Capsule),
            "length": isinstance(geometry, Cylinder | Capsule),
            "mesh": isinstance(geometry, Mesh),
        }
        for what, visible in shown.items():
            for number in self._rows_of[what]:
                form.setRowVisible(number, visible)
        self.pose.show()
        source = self.source
        location = None
        if source is not None:
            for elements, found in zip(source.link_elements, source.urdf.links, strict=True):
                if found.name == link.name:
                    shapes = elements.visuals if row.kind == "visual" else elements.collisions
                    location = source.document.location(shapes[row.index]) if row.index < len(shapes) else None
                    break
        self.tell_place(location)

    def _kind(self) -> str | None:
        row = self.current()
        return next((k for k, t in _KINDS.items() if row is not None and type(row.shape.geometry) is t), None)

    def _origin(self) -> Origin | None:
        row = self.current()
        return row.shape.origin if row is not None else None

    def _box_size(self, axis: int) -> Reading:
        row = self.current()
        geometry = row.shape.geometry if row is not None else None
        return Reading(geometry.size[axis] if isinstance(geometry, Box) else None, empty="–")

    def _measure(self, name: str) -> Reading:
        row = self.current()
        return Reading(getattr(row.shape.geometry, name, None) if row is not None else None, empty="–")

    def _scale(self, axis: int) -> Reading:
        row = self.current()
        geometry = row.shape.geometry if row is not None else None
        return Reading(geometry.scale[axis] if isinstance(geometry, Mesh) else None, empty="–")

    # -- changes

    def _set_origin(self, origin: Origin, turned: bool) -> Change | None:
        row = self.current()
        return self._changed(row, origin=origin) if row is not None else None

    def _geometry(self, change: Callable[[Geometry], Geometry | None]) -> Change | None:
        row = self.current()
        changed = change(row.shape.geometry) if row is not None else None
        return self._changed(row, geometry=changed) if row is not None and changed is not None else None

    def _set_box_size(self, axis: int, value: float) -> Change | None:
        def sized(geometry: Geometry) -> Geometry | None:
            if not isinstance(geometry, Box):
                return None
            x, y, z = (value if i == axis else v for i, v in enumerate(geometry.size))
            return Box((x, y, z))

        return self._geometry(sized)

    def _set_measure(self, name: str, value: float) -> Change | None:
        def sized(geometry: Geometry) -> Geometry | None:
            return replace(geometry, **{name: value}) if hasattr(geometry, name) else None  # type: ignore[arg-type]

        return self._geometry(sized)

    def _set_scale(self, axis: int, value: float) -> Change | None:
        def scaled(geometry: Geometry) -> Geometry | None:
            if not isinstance(geometry, Mesh):
                return None
            x, y, z = (value if i == axis else v for i, v in enumerate(geometry.scale))
            return replace(geometry, scale=(x, y, z))

        return self._geometry(scaled)

    def _set_kind(self, kind: str) -> Change | None:
        if kind == "mesh":
            filename = self._choose_mesh()
            if filename is None:
                return None
            return self._geometry(lambda geometry: Mesh(filename))
        return self._geometry(lambda geometry: _as(kind, geometry))

    def _set_mesh(self, text: str) -> None:
        row, link = self.current(), self.link
        if row is not None and link is not None and isinstance(row.shape.geometry, Mesh):
            self.execute(SetMeshPath(row.shape.geometry.filename, text, link.name))

    def _browse(self) -> None:
        filename = self._choose_mesh()
        if filename is not None:
            self._set_mesh(filename)

    def _choose_mesh(self) -> str | None:
        document = self.session.document
        beside = document.urdf_path if document is not None else None
        folder = str(beside.parent) if beside is not None else ""
        chosen = dialogs.choose_file(self.window(), "Choose a mesh", folder, _MESHES)
        return written_name(Path(chosen), beside) if chosen else None

    def _rename(self, text: str) -> None:
        row = self.current()
        if row is not None:
            self.execute(self._changed(row, name=text or None))

    def _with_material(self, visual: Visual, title: str) -> Change:
        row, link = self.current(), self.link
        assert row is not None
        assert link is not None
        return SetLink(link.name, _with_shape(link, row, visual), f"{title} of {link.name}")

    def _changed(self, row: ShapeRow, **values: object) -> Change:
        link = self.link
        assert link is not None
        shape = replace(row.shape, **values)  # type: ignore[arg-type]
        return SetLink(link.name, _with_shape(link, row, shape), f"Edit {row.kind} of {link.name}")

    def _add(self, kind: str) -> None:
        link, row = self.link, self.current()
        if link is None:
            return
        geometry: Geometry = row.shape.geometry if row is not None else Box((0.1, 0.1, 0.1))
        origin = row.shape.origin if row is not None else Visual(geometry).origin
        if kind == "visual":
            material = row.shape.material if row is not None and isinstance(row.shape, Visual) else None
            changed = replace(link, visuals=(*link.visuals, Visual(geometry, origin, material)))
            place = len(changed.visuals) - 1
        else:
            changed = replace(link, collisions=(*link.collisions, Collision(geometry, origin)))
            place = len(changed.visuals) + len(changed.collisions) - 1
        if self.execute(SetLink(link.name, changed, f"Add {kind} to {link.name}")):
            self.view.select_row(place)

    def _delete(self, rows: list[ShapeRow]) -> Change:
        link = self.link
        if link is None:
            raise CannotApply("No link is selected.")
        gone = {(row.kind, row.index) for row in rows}
        visuals = tuple(v for i, v in enumerate(link.visuals) if ("visual", i) not in gone)
        collisions = tuple(c for i, c in enumerate(link.collisions) if ("collision", i) not in gone)
        what = rows[0].kind if len(rows) == 1 else f"{len(rows)} shapes"
        return SetLink(
            link.name, replace(link, visuals=visuals, collisions=collisions), f"Delete {what} of {link.name}"
        )


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
    return Ball(min(x, y, z) / 2) if kind == "sphere" else Capsule(radius, max(z - 2 * radius, radius))


def _with_shape(link: Link, row: ShapeRow, shape: Visual | Collision) -> Link:
    if isinstance(shape, Visual):
        return replace(link, visuals=tuple(shape if i == row.index else v for i, v in enumerate(link.visuals)))
    return replace(link, collisions=tuple(shape if i == row.index else c for i, c in enumerate(link.collisions)))


def _note(row: ShapeRow) -> str:
    return row.shape.geometry.filename if isinstance(row.shape.geometry, Mesh) else described(row.shape.geometry)
