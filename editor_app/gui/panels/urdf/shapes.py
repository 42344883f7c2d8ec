"""The visuals and collisions of a link: the list above; kind, sizes, place and material of the chosen one below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtWidgets import QToolButton

from editor_app.edit.commands.fields import OfLink, PaintOf, PartOf, SetField
from editor_app.edit.commands.urdf import SetLink, SetMeshPath
from editor_app.geometry.paths import written_name
from editor_app.gui import dialogs
from editor_app.gui.bindings.forms import Field, Form, Number, Text
from editor_app.gui.bindings.panel import flat_button, heading, tool_button
from editor_app.gui.bindings.quantity import LENGTH, NUMBER
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.urdf.link import described
from editor_app.gui.panels.urdf.material import MaterialForm
from editor_app.gui.panels.urdf.panel import UrdfPanel
from editor_app.gui.panels.urdf.pose import pose_rows
from editor_app.gui.plain_text import plain
from editor_app.model.change import CannotApply, Change
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Ball, Box, Capsule, Collision, Cylinder, Geometry, Mesh, Visual

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
        self.add_visual = self._adder("Visual", "visual")
        self.add_collision = self._adder("Collision", "collision")
        self.body.addWidget(self.under(self.view, self.add_visual, self.add_collision))
        self.title = heading("")
        self.body.addWidget(self.title)
        self.browse = flat_button("folder-open", "Choose a mesh file")
        self.browse.clicked.connect(self._browse)
        self.kind = self.name_field(
            "Kind of geometry", "geometry", lambda robot: list(_KINDS), lambda robot: self._kind(), self._set_kind
        )
        Form(
            self,
            (
                Field("Geometry", beside=(self.kind,)),
                Number("Size", "geometry.size", LENGTH, "xyz", shown=_has("size")),
                Number("Radius", "geometry.radius", LENGTH, shown=_has("radius")),
                Number("Length", "geometry.length", LENGTH, shown=_has("length")),
                Text("Mesh", "geometry.filename", shown=_has("filename"), write=self._set_mesh, beside=(self.browse,)),
                Number("Scale", "geometry.scale", NUMBER, "xyz", shown=_has("scale")),
                *pose_rows("Position", "origin"),
                Text("Name", "name", name="Name of the shape", optional=True, placeholder="none"),
            ),
            self.target,
            title="Edit shape of {name}",
        )
        self.paint = MaterialForm(self, self._visual, self._paint)
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

    def target(self) -> PartOf | None:
        """The chosen shape, for what edits it."""
        row, link = self.current(), self.link
        return PartOf(OfLink(link.name), f"{row.kind}s.{row.index}") if row is not None and link is not None else None

    def _visual(self) -> Visual | None:
        row = self.current()
        return row.shape if row is not None and isinstance(row.shape, Visual) else None

    def _paint(self) -> PaintOf | None:
        row, link = self.current(), self.link
        is_visual = row is not None and row.kind == "visual"
        return PaintOf(link.name, row.index) if is_visual and row is not None and link is not None else None

    def _show(self, robot: RobotDescription) -> None:
        row, link = self.current(), self.link
        if link is None:
            return
        self.view.setVisible(row is not None)
        self.title.setVisible(row is not None)
        if row is None:
            self.tell_place(None)
            return
        name = f" “{row.shape.name}”" if row.shape.name else ""
        self.title.setText(f"{row.kind.capitalize()} {row.index + 1}{name}")
        source = self.source
        location = None
        if source is not None:
            for elements, read_link in zip(source.link_elements, source.urdf.links, strict=True):
                if read_link.name == link.name:
                    shapes = elements.visuals if row.kind == "visual" else elements.collisions
                    location = source.document.location(shapes[row.index]) if row.index < len(shapes) else None
                    break
        self.tell_place(location)

    def _kind(self) -> str | None:
        row = self.current()
        return next((k for k, t in _KINDS.items() if row is not None and type(row.shape.geometry) is t), None)

    # -- changes

    def _set_kind(self, kind: str) -> Change | None:
        target, row = self.target(), self.current()
        if target is None or row is None:
            return None
        if kind == "mesh":
            filename = self._choose_mesh()
            if filename is None:
                return None
            geometry: Geometry = Mesh(filename)
        else:
            geometry = _as(kind, row.shape.geometry)
        return SetField(target, "geometry", geometry, f"Edit {row.kind} of {target.title}")

    def _set_mesh(self, text: str) -> Change | None:
        row, link = self.current(), self.link
        if row is None or link is None or not isinstance(row.shape.geometry, Mesh):
            return None
        return SetMeshPath(row.shape.geometry.filename, text, link.name)

    def _browse(self) -> None:
        filename = self._choose_mesh()
        change = self._set_mesh(filename) if filename is not None else None
        if change is not None:
            self.execute(change)

    def _choose_mesh(self) -> str | None:
        document = self.session.document
        beside = document.urdf_path if document is not None else None
        folder = str(beside.parent) if beside is not None else ""
        chosen = dialogs.choose_file(self.window(), "Choose a mesh", folder, _MESHES)
        return written_name(Path(chosen), beside) if chosen else None

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
        deleted_rows = {(row.kind, row.index) for row in rows}
        visuals = tuple(v for i, v in enumerate(link.visuals) if ("visual", i) not in deleted_rows)
        collisions = tuple(c for i, c in enumerate(link.collisions) if ("collision", i) not in deleted_rows)
        deleted = rows[0].kind if len(rows) == 1 else f"{len(rows)} shapes"
        return SetLink(
            link.name, replace(link, visuals=visuals, collisions=collisions), f"Delete {deleted} of {link.name}"
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


def _has(size: str) -> Callable[[Visual | Collision], bool]:
    """Whether the geometry of a shape has such a size."""
    return lambda shape: hasattr(shape.geometry, size)


def _note(row: ShapeRow) -> str:
    return row.shape.geometry.filename if isinstance(row.shape.geometry, Mesh) else described(row.shape.geometry)
