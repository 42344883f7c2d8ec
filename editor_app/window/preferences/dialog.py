"""The preferences: every choice takes effect at once, or for what is opened and fitted next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.model.profile import Profile
from editor_app.core.space.geometry.paths import manifest_name
from editor_app.window import dialogs
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.lists import Rows
from editor_app.window.dialogs import Dialog, Role
from editor_app.window.session import AngleUnit, LengthUnit, Session
from editor_app.window.settings import (
    EFFORTS,
    MODES,
    MOST_SPHERES,
    VERSIONS,
    MeshFolder,
    MeshFolders,
    Settings,
)
from editor_app.window.theme import ThemeChoice, theme
from editor_app.window.viewport.navigation import MouseScheme
from editor_app.window.widgets import STRETCH, PlainLabel, checkable, dress, fill_layout, form_of

_ALL = "All robots"


class MeshFoldersBox(QGroupBox):
    """Every change takes effect at once, also on the robot that is open."""

    def __init__(self, folders: MeshFolders, parent: QWidget | None = None) -> None:
        super().__init__("Folders with meshes", parent)
        self._folders = folders
        words = "No folders. Meshes are found by their paths in the URDF."
        heads = ("Path begins with", "Folder", "Used for")
        self.tree = Rows("Folders with meshes", heads, 1, self, words=words)
        self.tree.setMaximumHeight(150)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.add = self._button("Add…", "Add a folder for all robots", self._add)
        self.change = self._button("Change…", "Choose another folder", self._change)
        tip = "Use it before paths of the robot"
        self.share = self._button("For all robots", tip, self._of(folders.share))
        self.remove = self._button("Remove", "Remove", self._of(folders.forget))
        hint = PlainLabel(
            "Locate… on a missing mesh adds a folder for robots of the same package or folder. "
            "Other robots use it "
            "only for packages that they cannot find. Add… sets a folder for a package or path "
            "prefix, for all robots."
        )
        dress(hint, look="muted", wrap=True)
        row = fill_layout(QHBoxLayout(), STRETCH)
        for button in (self.add, self.change, self.share, self.remove):
            button.setAutoDefault(False)
            row.addWidget(button)
        fill_layout(QVBoxLayout(self), self.tree, hint, row)
        self.tree.currentItemChanged.connect(self._enable)
        folders.changed.connect(self._fill)
        self._fill()

    def _button(self, text: str, tip: str, run: Callable[[], object]) -> QPushButton:
        return dress(QPushButton(text, self), tip=tip, run=run)

    @property
    def current(self) -> MeshFolder | None:
        folder: MeshFolder | None = self.tree.thing
        return folder

    def _fill(self) -> None:
        self.tree.clear()
        for entry in self._folders.entries:
            whose = _ALL if entry.home is None else f"Robots in {Path(entry.home).name}"
            tips = (
                entry.prefix,
                entry.folder,
                _ALL if entry.home is None else f"The robots in {entry.home}",
            )
            self.tree.add((entry.prefix, entry.folder, whose), entry, tips=dict(enumerate(tips)))
        self._enable()

    def _enable(self, *_: object) -> None:
        entry = self.current
        for button in (self.change, self.remove):
            button.setEnabled(entry is not None)
        self.share.setEnabled(entry is not None and entry.home is not None)

    def _add(self) -> None:
        """Asks for a folder, then for the package or the beginning of addresses that it stands
        for."""
        folder = dialogs.choose_folder(self, "Folder with meshes", "")
        if not folder:
            return
        question = "Package name, or beginning of mesh paths:"
        name = manifest_name(Path(folder)) or Path(folder).name
        dialogs.ask_text(
            self,
            "mesh_prefix",
            "Folder with meshes",
            question,
            "Add",
            name,
            partial(self._remember, folder),
        )

    def _remember(self, folder: str, prefix: str) -> None:
        if prefix:
            self._folders.remember(prefix.removeprefix("package://").rstrip("/") or prefix, folder)

    def _change(self) -> None:
        entry = self.current
        folder = (
            dialogs.choose_folder(self, f"Folder for {entry.prefix}", entry.folder)
            if entry is not None
            else None
        )
        if entry is not None and folder:
            self._folders.change(entry, folder)

    def _of(self, change: Callable[[MeshFolder], object]) -> Callable[[], object]:
        """A button's work: the change of the row that is chosen."""
        return lambda: change(self.current) if self.current is not None else None


_THEMES = (
    ("Follow the system", ThemeChoice.SYSTEM),
    ("Light", ThemeChoice.LIGHT),
    ("Dark", ThemeChoice.DARK),
)
_LENGTHS = (("Millimetres", LengthUnit.MILLIMETRE), ("Metres", LengthUnit.METRE))
_ANGLES = (("Degrees", AngleUnit.DEGREE), ("Radians", AngleUnit.RADIAN))
#: A script leaves the same files on every machine, whatever was preferred in its window.
FOR_WHOM = "Used for robots that you open in the window; the command line has its own options."


class PreferencesDialog(Dialog):
    """`show_keys` opens the dialog of keys."""

    def __init__(
        self,
        session: Session,
        settings: Settings,
        show_keys: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, "preferences", "Preferences")
        self._session = session
        self._settings = settings
        self.button("&Keys…", "keys", Role.ActionRole, show_keys).setAutoDefault(False)
        columns = fill_layout(QHBoxLayout(), (self._window_box(), 1), (self._beginning_box(), 1))
        self.folders = MeshFoldersBox(settings.mesh_folders, self)
        self.lay_out(columns, self.folders)

    def _window_box(self) -> QGroupBox:
        session, display = self._session, self._session.display
        self.theme_box = choice_box("Colours", _THEMES, self._choose_theme, self._settings.theme)
        self.length_box = choice_box(
            "Lengths", _LENGTHS, lambda c: session.set_display(length_unit=c), display.length_unit
        )
        self.angle_box = choice_box(
            "Angles", _ANGLES, lambda c: session.set_display(angle_unit=c), display.angle_unit
        )
        schemes = [(scheme.program, scheme) for scheme in MouseScheme]
        self.mouse_box = choice_box("Mouse as in", schemes, self._choose_mouse, display.mouse)
        self.mouse_told = _muted("")
        self.mouse_told.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        tip = "Choosing a small or hidden finding or pair in a list moves the camera to it"
        follow = QCheckBox("Let the &view follow lists")
        self.follow_box = checkable(dress(follow, tip=tip), display.follow_selection)
        self.follow_box.toggled.connect(lambda on: session.set_display(follow_selection=on))
        form = form_of(
            ("Colours", self.theme_box),
            ("Lengths", self.length_box),
            ("Angles", self.angle_box),
            ("", _muted("Files are always written in metres and radians.")),
            ("Mouse as in", self.mouse_box),
            ("", self.mouse_told),
            ("", self.follow_box),
        )
        self._tell_mouse()
        return self._box("Window", form)

    def _beginning_box(self) -> QGroupBox:
        store, values = self._settings.defaults, self._settings.defaults.values
        versions = [(version, version) for version in VERSIONS]
        self.version_box = choice_box(
            "Version of a new XRDF", versions, lambda c: store.set(version=c), values.version
        )
        profiles = [(profile.program, profile) for profile in Profile]
        self.profile_box = choice_box(
            "Target program", profiles, lambda c: store.set(profile=c), values.profile
        )
        tip = "Default budget for fitting a whole robot; 0: by number of links"
        self.spheres_box = dress(QSpinBox(), name="Spheres for a robot", tip=tip)
        self.spheres_box.setRange(0, MOST_SPHERES)
        self.spheres_box.setMinimumHeight(self.version_box.sizeHint().height())
        self.spheres_box.setSingleStep(10)
        self.spheres_box.setSpecialValueText("by the number of links")
        self.spheres_box.setValue(values.spheres)
        self.spheres_box.valueChanged.connect(lambda number: store.set(spheres=number))
        modes, efforts = (
            [(text, key) for key, text, _ in MODES],
            [(text, key) for key, text, _ in EFFORTS],
        )
        self.mode_box = choice_box("Fit mode", modes, lambda c: store.set(mode=c), values.mode)
        self.effort_box = choice_box(
            "Fit effort", efforts, lambda c: store.set(effort=c), values.effort
        )
        form = form_of(
            ("New XRDF", self.version_box),
            ("Target program", self.profile_box),
            ("Spheres for a robot", self.spheres_box),
            ("Fit mode", self.mode_box),
            ("Fit effort", self.effort_box),
            ("", _muted(FOR_WHOM)),
        )
        return self._box("Defaults for robots and fits", form)

    def _box(self, title: str, form: QFormLayout) -> QGroupBox:
        box = QGroupBox(title, self)
        box.setLayout(form)
        return box

    def _choose_theme(self, choice: ThemeChoice) -> None:
        self._settings.set_theme(choice)
        theme().choose(choice)

    def _choose_mouse(self, scheme: MouseScheme) -> None:
        self._session.set_display(mouse=scheme)
        self._tell_mouse()

    def _tell_mouse(self) -> None:
        self.mouse_told.setText(f"{self._session.display.mouse.hint}.")


def _muted(text: str) -> PlainLabel:
    return dress(PlainLabel(text), look="muted", wrap=True)
