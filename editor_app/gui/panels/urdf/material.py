"""The material of a visual: which, its colour, its texture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog

from editor_app.edit.commands.fields import GREY, OfLink, PaintOf, SetField
from editor_app.geometry.paths import written_name
from editor_app.gui import dialogs
from editor_app.gui.bindings.forms import Field, Form, Number, Text
from editor_app.gui.bindings.panel import flat_button
from editor_app.gui.bindings.quantity import NUMBER
from editor_app.gui.panels.urdf.panel import UrdfPanel
from editor_app.gui.widgets import dress
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Material, Urdf, Visual

_NONE = "none"
_PARTS = ("red", "green", "blue", "alpha")
_IMAGES = "Pictures (*.png *.jpg *.jpeg *.bmp *.tga);;All files (*)"


class MaterialForm:
    """Rows of a panel. A material that several visuals name is changed for all of them."""

    def __init__(
        self, panel: UrdfPanel, visual: Callable[[], Visual | None], paint: Callable[[], PaintOf | None]
    ) -> None:
        self._panel = panel
        self._visual = visual
        self._paint = paint
        self.name = panel.name_field(
            "Material",
            "material",
            lambda robot: [_NONE, *names_of(robot.urdf)],
            lambda robot: self._name(),
            self._choose,
        )
        self.fresh = dress(flat_button("plus", "A new material for this visual"), run=self._new)
        self.pick = dress(flat_button("palette", "Choose the colour"), run=self._pick)
        self.bare = dress(flat_button("x", "Remove the colour; the texture stays"), run=lambda: self._set("rgba", None))
        self.browse = dress(flat_button("folder-open", "Choose a picture file"), run=self._browse)
        Form(
            panel,
            (
                Field("Material", beside=(self.name, self.fresh)),
                Number("Colour", "material.rgba", NUMBER, _PARTS, limits=(0.0, 1.0), beside=(self.pick, self.bare)),
                Text("Texture", "material.texture", optional=True, placeholder="none", beside=(self.browse,)),
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
        self.bare.setVisible(material is not None and material.rgba is not None and material.texture is not None)

    def material(self) -> Material | None:
        """What the visual is painted with: the definition that its name leads to."""
        paint, robot = self._paint(), self._panel.session.robot
        visual = paint.read(robot) if paint is not None and robot is not None else None
        return visual.material if visual is not None else None

    def _name(self) -> str | None:
        visual = self._visual()
        if visual is None:
            return None
        return (visual.material.name or "(without a name)") if visual.material is not None else _NONE

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
        return SetField(OfLink(paint.link), ("visuals", paint.visual, "material"), material, f"{title} of {paint.link}")

    def _new(self) -> None:
        robot, link, old = self._panel.session.robot, self._panel.link, self.material()
        if robot is None or link is None:
            return
        taken = set(names_of(robot.urdf))
        name = next(n for n in (f"{link.name}_material{i or ''}" for i in range(len(taken) + 1)) if n not in taken)
        rgba = old.rgba if old is not None and old.rgba is not None else GREY
        self._execute(self._with(Material(name, rgba), "Add material"))

    def _set(self, field: str, value: object) -> None:
        paint = self._paint()
        if paint is not None:
            self._execute(SetField(paint, f"material.{field}", value, f"Edit material of {paint.link}"))

    def _pick(self) -> None:
        material = self.material()
        if material is None:
            return
        options = QColorDialog.ColorDialogOption.ShowAlphaChannel
        start = QColor.fromRgbF(*(material.rgba or GREY))
        chosen = QColorDialog.getColor(start, self._panel.window(), "Colour of the material", options)
        if chosen.isValid():
            parts = (chosen.redF(), chosen.greenF(), chosen.blueF(), chosen.alphaF())
            self._set("rgba", tuple(round(v, 4) for v in parts))

    def _browse(self) -> None:
        document = self._panel.session.document
        beside = document.urdf_path if document is not None else None
        folder = str(beside.parent) if beside is not None else ""
        chosen = dialogs.choose_file(self._panel.window(), "Choose a texture", folder, _IMAGES)
        if chosen:
            self._set("texture", written_name(Path(chosen), beside))

    def _execute(self, change: Change | None) -> None:
        if change is not None:
            self._panel.execute(change)


def names_of(urdf: Urdf) -> list[str]:
    """The names of the materials that are defined somewhere, in the order of the file."""
    inline = (v.material for link in urdf.links for v in link.visuals if v.material is not None)
    names = (m.name for m in (*urdf.materials, *inline) if m.rgba is not None or m.texture is not None)
    return [name for name in dict.fromkeys(names) if name]
