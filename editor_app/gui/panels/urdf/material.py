"""The material of a visual: which, its colour, its texture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog, QFormLayout

from editor_app.edit.commands.urdf import SetMaterial
from editor_app.geometry.paths import written_name
from editor_app.gui import dialogs
from editor_app.gui.bindings.panel import Reading, flat_button, row_of
from editor_app.gui.bindings.quantity import NUMBER
from editor_app.gui.bindings.text_field import TextField
from editor_app.model.change import Change
from editor_app.model.urdf import Collision, Material, Urdf, Visual

if TYPE_CHECKING:
    from editor_app.gui.panels.urdf.panel import UrdfPanel

_NONE = "none"
_GREY = (0.7, 0.7, 0.7, 1.0)
_IMAGES = "Pictures (*.png *.jpg *.jpeg *.bmp *.tga);;All files (*)"


class MaterialForm:
    """Rows of a panel. A material that several visuals name is changed for all of them."""

    def __init__(
        self,
        panel: UrdfPanel,
        visual: Callable[[], Visual | None],
        with_material: Callable[[Visual, str], Change],
    ) -> None:
        self._panel = panel
        self._visual = visual
        self._with = with_material
        self.form: QFormLayout = panel.form()
        self.name = panel.name_field(
            "Material",
            "material",
            lambda robot: [_NONE, *names_of(robot.urdf)],
            lambda robot: self._name(),
            self._choose,
        )
        self.fresh = flat_button("plus", "A new material for this visual")
        self.fresh.clicked.connect(self._new)
        self.form.addRow("Material", row_of(self.name, self.fresh))
        self.pick = flat_button("palette", "Choose the colour")
        self.pick.clicked.connect(self._pick)
        self.bare = flat_button("x", "Remove the colour; the texture stays")
        self.bare.clicked.connect(self._remove_colour)
        parts = ("red", "green", "blue", "alpha")
        self.colour = panel.vector(self.form, "Colour", parts, NUMBER, self._colour, self._paint, self.pick, self.bare)
        self.texture = TextField("Texture")
        self.texture.setPlaceholderText("none")
        self.texture.edited.connect(self._set_texture)
        self.browse = flat_button("folder-open", "Choose a picture file")
        self.browse.clicked.connect(self._browse)
        self.form.addRow("Texture", row_of(self.texture, self.browse))

    def show_for(self, shape: Visual | Collision | None) -> None:
        """Collisions have no material."""
        is_visual = isinstance(shape, Visual)
        for row in range(self.form.rowCount()):
            self.form.setRowVisible(row, is_visual)
        if not is_visual:
            return
        found = self.material()
        for field in self.colour:
            field.setEnabled(found is not None)
        for widget in (self.texture, self.pick, self.browse):
            widget.setEnabled(found is not None)
        self.bare.setVisible(found is not None and found.rgba is not None and found.texture is not None)
        self.texture.set_value(found.texture or "" if found is not None else "")

    def material(self) -> Material | None:
        """What the visual is painted with: the definition that its name leads to."""
        visual, robot = self._visual(), self._panel.session.robot
        if visual is None or visual.material is None or robot is None:
            return None
        named = robot.urdf.material(visual.material.name) if visual.material.name else None
        return named or visual.material

    # -- reading

    def _name(self) -> str | None:
        visual = self._visual()
        if visual is None:
            return None
        return (visual.material.name or "(without a name)") if visual.material is not None else _NONE

    def _colour(self, part: int) -> Reading:
        found = self.material()
        if found is None or found.rgba is None:
            return Reading(None, empty="–", limits=(0.0, 1.0))
        return Reading(found.rgba[part], limits=(0.0, 1.0))

    # -- writing

    def _choose(self, name: str) -> Change | None:
        visual = self._visual()
        if visual is None:
            return None
        return self._with(
            replace(visual, material=None if name == _NONE else Material(name)),
            "Remove material" if name == _NONE else "Set material",
        )

    def _new(self) -> None:
        visual, robot, link = self._visual(), self._panel.session.robot, self._panel.link
        if visual is None or robot is None or link is None:
            return
        taken = set(names_of(robot.urdf))
        name = next(n for n in (f"{link.name}_material{i or ''}" for i in range(len(taken) + 1)) if n not in taken)
        old = self.material()
        rgba = old.rgba if old is not None and old.rgba is not None else _GREY
        self._panel.execute(self._with(replace(visual, material=Material(name, rgba)), "Add material"))

    def _paint(self, part: int, value: float) -> Change | None:
        found = self.material()
        if found is None:
            return None
        r, g, b, a = (value if i == part else v for i, v in enumerate(found.rgba or _GREY))
        return self._changed(replace(found, rgba=(r, g, b, a)))

    def _pick(self) -> None:
        found = self.material()
        if found is None:
            return
        options = QColorDialog.ColorDialogOption.ShowAlphaChannel
        start = QColor.fromRgbF(*(found.rgba or _GREY))
        chosen = QColorDialog.getColor(start, self._panel.window(), "Colour of the material", options)
        if chosen.isValid():
            parts = (chosen.redF(), chosen.greenF(), chosen.blueF(), chosen.alphaF())
            r, g, b, a = (round(v, 4) for v in parts)
            self._execute(self._changed(replace(found, rgba=(r, g, b, a))))

    def _remove_colour(self) -> None:
        found = self.material()
        if found is not None:
            self._execute(self._changed(replace(found, rgba=None)))

    def _set_texture(self, text: str) -> None:
        found = self.material()
        if found is not None:
            self._execute(self._changed(replace(found, texture=text or None)))

    def _browse(self) -> None:
        document = self._panel.session.document
        beside = document.urdf_path if document is not None else None
        folder = str(beside.parent) if beside is not None else ""
        chosen = dialogs.choose_file(self._panel.window(), "Choose a texture", folder, _IMAGES)
        if chosen:
            self._set_texture(written_name(Path(chosen), beside))

    def _changed(self, material: Material) -> Change | None:
        visual, robot = self._visual(), self._panel.session.robot
        if visual is None or robot is None:
            return None
        if material.name and robot.urdf.material(material.name) is not None:
            return SetMaterial(material)
        return self._with(replace(visual, material=material), "Edit material")

    def _execute(self, change: Change | None) -> None:
        if change is not None:
            self._panel.execute(change)


def names_of(urdf: Urdf) -> list[str]:
    """The names of the materials that are defined somewhere, in the order of the file."""
    inline = (v.material for link in urdf.links for v in link.visuals if v.material is not None)
    found = (m.name for m in (*urdf.materials, *inline) if m.rgba is not None or m.texture is not None)
    return [name for name in dict.fromkeys(found) if name]
