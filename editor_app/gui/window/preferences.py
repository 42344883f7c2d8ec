"""Preferences, the overview of shortcuts, and About."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QLineEdit,
    QMessageBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app import __version__
from editor_app.gui.actions import ActionRegistry
from editor_app.gui.files.mesh_folders_box import MeshFoldersBox
from editor_app.gui.icons import icon
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


class ShortcutsDialog(QDialog):
    """Every action with its keys, and what the mouse does in the view; with a filter."""

    MOUSE = (
        ("Click / Ctrl+click", "Select a sphere or a link / add it to the selection"),
        ("Drag a sphere", "Move the selected spheres in the plane of the view"),
        ("Shift + drag a sphere", "Slide it along the surface of the mesh"),
        ("Wheel over the selection", "Change the radius of the selected spheres"),
        ("Drag a link, posing by hand (P)", "Turn its joint; Shift: fine, Ctrl: in steps"),
        ("Tab, posing by hand", "Turn the joint above instead"),
        ("Drag an arrow or ring of the tool", "Move or turn the tool; the arm follows"),
        ("Click an obstacle", "Give it handles; drag it or them"),
        ("Wheel", "Zoom to the pointer"),
        ("B, then drag", "Select spheres or links by a box"),
        ("Esc", "One step back: the drag, the mode, the selection"),
    )

    def __init__(self, registry: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shortcuts")
        self.setWindowTitle("Keyboard and mouse")
        self.resize(640, 560)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.addAction(icon("magnifying-glass", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        rows = [
            (
                ", ".join(s.toString(QKeySequence.SequenceFormat.NativeText) for s in a.qaction.shortcuts()),
                a.label,
                (a.menu or "").replace("/", " › "),
            )
            for a in registry.actions
            if a.qaction.shortcuts()
        ]
        rows += [(keys, what, "In the 3D view") for keys, what in self.MOUSE]
        self.table = QTableWidget(len(rows), 3, self)
        self.table.setHorizontalHeaderLabels(["Keys", "Action", "Where"])
        self.table.verticalHeader().hide()
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setAccessibleName("Shortcuts")
        for y, row in enumerate(rows):
            for x, text in enumerate(row):
                self.table.setItem(y, x, QTableWidgetItem(text))
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.filter.textChanged.connect(self._apply_filter)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.filter)
        layout.addWidget(self.table, 1)
        layout.addWidget(buttons)

    def _apply_filter(self, text: str) -> None:
        for y in range(self.table.rowCount()):
            cells = (self.table.item(y, x) for x in range(3))
            self.table.setRowHidden(y, not any(text.lower() in cell.text().lower() for cell in cells if cell))


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
