"""A link: its name, and its visuals and collisions with origin, mesh and material."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtWidgets import QLabel

from editor_app.edit.commands.urdf import RenameLink, SetLink, SetMaterial, SetMeshPath
from editor_app.gui.bindings.panel import Reading, heading, muted_label
from editor_app.gui.bindings.quantity import ANGLE, LENGTH, NUMBER
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.bindings.text_field import TextField
from editor_app.gui.panels.urdf_properties import UrdfPanel
from editor_app.kinematics.transforms import quaternion_to_rpy
from editor_app.model.change import CannotApply, Change
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Ball, Box, Capsule, Collision, Cylinder, Geometry, Link, Mesh, Origin, Visual


class LinkPanel(UrdfPanel):
    """The name; a new one goes through URDF, XRDF and SRDF."""

    def build(self) -> None:
        form = self.form()
        self.name = TextField("Name of the link")
        self.name.setToolTip("Renaming follows every reference in URDF, XRDF and SRDF")
        self.name.edited.connect(self._rename)
        form.addRow("Name", self.name)
        self.parts = QLabel()
        self.parts.setWordWrap(True)
        form.addRow("Has", self.parts)
        self.body.addWidget(self.place)
        self.bind(self._show)

    def _show(self, robot: RobotDescription) -> None:
        link = self.link
        if link is None:
            return
        self.name.set_value(link.name)
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


@dataclass(frozen=True, slots=True)
class _Row:
    kind: str
    index: int
    shape: Visual | Collision


class ShapesPanel(UrdfPanel):
    """The list above, the numbers of the chosen one below."""

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column("Kind", lambda row: row.kind),
            Column("Geometry", lambda row: described(row.shape.geometry), stretch=True, note=_note),
        ]
        self.view = self.table("Visuals and collisions", columns, lambda robot: self._rows(), delete=self._delete)
        self.view.rows_selected.connect(lambda _: self._selected(None))
        self.body.addWidget(self.view)
        self.title = heading("")
        self.body.addWidget(self.title)
        form = self.form()
        self.xyz = self.vector(form, "Position", "xyz", LENGTH, lambda i: self._origin(i, False), self._move)
        self.rpy = self.vector(form, "Roll, pitch, yaw", "rpy", ANGLE, lambda i: self._origin(i, True), self._turn)
        self.mesh = TextField("Mesh")
        self.mesh.edited.connect(self._set_mesh)
        form.addRow("Mesh", self.mesh)
        self.scale = self.vector(form, "Scale", "xyz", NUMBER, self._scale, self._set_scale)
        self.material = QLabel()
        form.addRow("Material", self.material)
        self.colour = self.vector(form, "Colour", ("red", "green", "blue", "alpha"), NUMBER, self._colour, self._paint)
        self.note = muted_label("")
        self.body.addWidget(self.note)
        self.body.addWidget(self.place)
        self.bind(self._show)

    def nothing(self) -> str | None:
        link = self.link
        if link is not None and not link.visuals and not link.collisions:
            return f"{link.name} has neither visuals nor collisions."
        return super().nothing()

    # -- what is shown

    def _rows(self) -> list[_Row]:
        link = self.link
        if link is None:
            return []
        rows = [_Row("visual", i, v) for i, v in enumerate(link.visuals)]
        return rows + [_Row("collision", i, c) for i, c in enumerate(link.collisions)]

    def _current(self) -> _Row | None:
        rows, chosen = self._rows(), self.view.selected_rows()
        return rows[chosen[-1]] if chosen and chosen[-1] < len(rows) else rows[0] if rows else None

    def _show(self, robot: RobotDescription) -> None:
        row, link = self._current(), self.link
        if row is None or link is None:
            return
        name = f" “{row.shape.name}”" if row.shape.name else ""
        self.title.setText(f"{row.kind.capitalize()} {row.index + 1}{name}")
        mesh = row.shape.geometry if isinstance(row.shape.geometry, Mesh) else None
        self.mesh.set_value(mesh.filename if mesh is not None else "")
        self.mesh.setEnabled(mesh is not None)
        for field in (*self.scale,):
            field.setEnabled(mesh is not None)
        material = row.shape.material if isinstance(row.shape, Visual) else None
        defined = robot.urdf.material(material.name) if material is not None and material.name else material
        self.material.setText((material.name or "without a name") if material is not None else "none")
        for field in self.colour:
            field.setEnabled(defined is not None and defined.rgba is not None and bool(defined.name))
        texture = defined.texture if defined is not None else None
        self.note.setText(f"Texture: {texture}" if texture else "")
        self.note.setVisible(bool(texture))
        source = self.source
        location = None
        if source is not None:
            for elements, found in zip(source.link_elements, source.urdf.links, strict=True):
                if found.name == link.name:
                    shapes = elements.visuals if row.kind == "visual" else elements.collisions
                    location = source.document.location(shapes[row.index]) if row.index < len(shapes) else None
                    break
        self.tell_place(location)

    def _origin(self, axis: int, turned: bool) -> Reading:
        row = self._current()
        if row is None:
            return Reading(None)
        return Reading((rpy_of(row.shape.origin) if turned else row.shape.origin.xyz)[axis])

    def _scale(self, axis: int) -> Reading:
        row = self._current()
        geometry = row.shape.geometry if row is not None else None
        return Reading(geometry.scale[axis]) if isinstance(geometry, Mesh) else Reading(None, empty="–")

    def _colour(self, part: int) -> Reading:
        row, robot = self._current(), self.session.robot
        material = row.shape.material if row is not None and isinstance(row.shape, Visual) else None
        if material is None or robot is None:
            return Reading(None, empty="–")
        defined = robot.urdf.material(material.name) if material.name else material
        if defined is None or defined.rgba is None:
            return Reading(None, empty="–")
        return Reading(defined.rgba[part], limits=(0.0, 1.0))

    # -- changes

    def _move(self, axis: int, value: float) -> Change | None:
        row = self._current()
        return self._changed(row, origin=moved(row.shape.origin, axis, value)) if row is not None else None

    def _turn(self, axis: int, value: float) -> Change | None:
        row = self._current()
        return self._changed(row, origin=turned(row.shape.origin, axis, value)) if row is not None else None

    def _set_scale(self, axis: int, value: float) -> Change | None:
        row = self._current()
        if row is None or not isinstance(row.shape.geometry, Mesh):
            return None
        x, y, z = (value if i == axis else v for i, v in enumerate(row.shape.geometry.scale))
        return self._changed(row, geometry=replace(row.shape.geometry, scale=(x, y, z)))

    def _set_mesh(self, text: str) -> None:
        row, link = self._current(), self.link
        if row is not None and link is not None and isinstance(row.shape.geometry, Mesh):
            self.execute(SetMeshPath(row.shape.geometry.filename, text, link.name))

    def _paint(self, part: int, value: float) -> Change | None:
        row, robot = self._current(), self.session.robot
        material = row.shape.material if row is not None and isinstance(row.shape, Visual) else None
        defined = robot.urdf.material(material.name) if robot is not None and material is not None else None
        if defined is None or defined.rgba is None:
            return None
        r, g, b, a = (value if i == part else v for i, v in enumerate(defined.rgba))
        return SetMaterial(replace(defined, rgba=(r, g, b, a)))

    def _changed(self, row: _Row, **values: object) -> Change:
        link = self.link
        assert link is not None
        shape = replace(row.shape, **values)  # type: ignore[arg-type]
        return SetLink(link.name, _with_shape(link, row, shape), f"Edit {row.kind} of {link.name}")

    def _delete(self, rows: list[_Row]) -> Change:
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


def rpy_of(origin: Origin) -> tuple[float, float, float]:
    """Roll, pitch and yaw, also of an origin that stands as a quaternion."""
    if origin.quat_xyzw is None:
        return origin.rpy
    x, y, z, w = origin.quat_xyzw
    return quaternion_to_rpy((w, x, y, z))


def moved(origin: Origin, axis: int, value: float) -> Origin:
    x, y, z = (value if i == axis else v for i, v in enumerate(origin.xyz))
    return replace(origin, xyz=(x, y, z))


def turned(origin: Origin, axis: int, value: float) -> Origin:
    """With another angle; a quaternion gives way to roll, pitch and yaw."""
    r, p, y = (value if i == axis else v for i, v in enumerate(rpy_of(origin)))
    return replace(origin, rpy=(r, p, y), quat_xyzw=None)


def _with_shape(link: Link, row: _Row, shape: Visual | Collision) -> Link:
    if isinstance(shape, Visual):
        return replace(link, visuals=tuple(shape if i == row.index else v for i, v in enumerate(link.visuals)))
    return replace(link, collisions=tuple(shape if i == row.index else c for i, c in enumerate(link.collisions)))


def _note(row: _Row) -> str:
    return row.shape.geometry.filename if isinstance(row.shape.geometry, Mesh) else described(row.shape.geometry)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
