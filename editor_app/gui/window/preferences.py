"""Preferences, and About."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from editor_app import __version__
from editor_app.gui.files.mesh_folders_box import MeshFoldersBox
from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.session import AngleUnit, LengthUnit, Session
from editor_app.gui.settings import Settings
from editor_app.gui.theme import ThemeChoice, theme


class PreferencesDialog(QDialog):
    """Every choice takes effect at once."""

    def __init__(self, session: Session, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self.setObjectName("preferences")
        self.setWindowTitle("Preferences")
        self.setMinimumWidth(520)
        self.theme_box = _combo(
            [("Follow the system", ThemeChoice.SYSTEM), ("Light", ThemeChoice.LIGHT), ("Dark", ThemeChoice.DARK)],
            settings.theme,
            "Colours",
        )
        self.theme_box.activated.connect(self._choose_theme)
        self.length_box = _combo(
            [("Millimetres", LengthUnit.MILLIMETRE), ("Metres", LengthUnit.METRE)],
            session.display.length_unit,
            "Lengths",
        )
        self.length_box.activated.connect(
            lambda: session.set_display(length_unit=LengthUnit(self.length_box.currentData()))
        )
        self.angle_box = _combo(
            [("Degrees", AngleUnit.DEGREE), ("Radians", AngleUnit.RADIAN)], session.display.angle_unit, "Angles"
        )
        self.angle_box.activated.connect(
            lambda: session.set_display(angle_unit=AngleUnit(self.angle_box.currentData()))
        )
        form = QFormLayout()
        form.addRow("Colours", self.theme_box)
        form.addRow("Lengths", self.length_box)
        form.addRow("Angles", self.angle_box)
        hint = PlainLabel("Files are always written in metres and radians.", self)
        hint.setProperty("muted", True)
        form.addRow("", hint)

        self.folders = MeshFoldersBox(settings.mesh_folders, self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.folders)
        layout.addWidget(buttons)

    def _choose_theme(self) -> None:
        # A combo box gives back plain strings for enumerations that are strings.
        choice = ThemeChoice(self.theme_box.currentData())
        self._settings.set_theme(choice)
        theme().choose(choice)


def show_about(parent: QWidget) -> QMessageBox:
    """Versions and licence; returns at once."""
    box = QMessageBox(parent)
    box.setObjectName("about")
    box.setOption(QMessageBox.Option.DontUseNativeDialog)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("About XRDF Editor")
    box.setText(f"<b>XRDF Editor {__version__}</b>")
    box.setInformativeText(
        "Edits robot descriptions: XRDF beside URDF, with collision spheres and lossless saving.\n\n"
        f"Python {platform.python_version()}, Qt {qVersion()}. Licence: Apache-2.0.\n"
        "Icons: Phosphor (MIT)."
    )
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.open()
    return box


def _combo(items: list[tuple[str, object]], current: object, name: str) -> QComboBox:
    box = QComboBox()
    for text, value in items:
        box.addItem(text, value)
    box.setCurrentIndex(next((i for i, (_, value) in enumerate(items) if value == current), 0))
    box.setAccessibleName(name)
    return box
