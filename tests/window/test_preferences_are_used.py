"""Preferences: what is chosen there is what new files and fits begin with, and it is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QComboBox, QInputDialog, QLabel

from editor_app.core.model.profile import Profile
from editor_app.features.spheres.engine.settings import Effort, Mode
from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from editor_app.window.preferences.dialog import FOR_WHOM, PreferencesDialog
from editor_app.window.settings import EFFORTS, MODES, Defaults, DefaultsStore
from editor_app.window.viewport.navigation import MouseScheme
from tests.helpers.documents import URDF
from tests.helpers.windows import open_in, put_back, wait_until


@pytest.fixture
def window(one_window: MainWindow) -> Iterator[MainWindow]:
    # No fit is made here: its process and its compiled engine would take longer than all tests.
    one_window.fitting.context.warm_preview = lambda: None  # type: ignore[method-assign]
    one_window.fitting.context.warm = lambda: None  # type: ignore[method-assign]
    display = one_window.session.display
    yield one_window
    one_window.settings.defaults.set(
        **{name: getattr(Defaults(), name) for name in Defaults.__dataclass_fields__}
    )
    one_window.session.set_display(mouse=display.mouse, follow_selection=display.follow_selection)
    put_back(one_window)


@pytest.fixture
def dialog(window: MainWindow) -> Iterator[PreferencesDialog]:
    window.show_preferences()
    opened = window.findChild(PreferencesDialog)
    assert opened is not None
    yield opened
    opened.reject()
    wait_until(lambda: window.findChild(PreferencesDialog) is None)


def pick(box: QComboBox, value: object) -> None:
    """Chooses an entry as a person does."""
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def without_xrdf(window: MainWindow, folder: Path) -> Any:
    """The small robot, opened without an XRDF."""
    (folder / "arm.urdf").write_text(URDF)
    window.session.open(None)
    open_in(window, folder / "arm.urdf")
    return window.session.document


def test_a_new_file_begins_with_the_version_and_the_program_that_are_preferred(
    window: MainWindow, dialog: PreferencesDialog, tmp_path: Path
) -> None:
    pick(dialog.version_box, "2.0")
    pick(dialog.profile_box, Profile.CUMOTION)
    document = without_xrdf(window, tmp_path)
    assert "\nformat: xrdf\nformat_version: 2.0\n" in document.xrdf_text
    assert "\nworld_collision:" in document.xrdf_text
    assert document.robot.xrdf.world_collision is not None
    assert document.profile is Profile.CUMOTION
    assert not [f for f in window.session.findings if f.code.startswith("XRDF1")], (
        "a finding about the format"
    )


def test_fits_begin_with_the_budget_and_the_mode_that_are_preferred(
    window: MainWindow, dialog: PreferencesDialog, tmp_path: Path
) -> None:
    # The command line reads none of it (a contract holds that it imports nothing of the window),
    # and the user is told.
    assert FOR_WHOM in {label.text() for label in dialog.findChildren(QLabel)}
    assert "command line" in FOR_WHOM
    pick(dialog.mode_box, "balanced")
    pick(dialog.effort_box, "best")
    dialog.spheres_box.setValue(90)
    without_xrdf(window, tmp_path)
    context = window.fitting.context
    assert context.budget_for(12) == 90
    assert window.fitting.fit_panel.form.mode_id == "balanced"
    assert window.fitting.fit_panel.form.effort.currentData() == "best"
    # A choice in the panel is for this robot: the next begins with the preference again.
    window.fitting.fit_panel.form.mode.setCurrentIndex(0)
    dialog.spheres_box.setValue(0)
    without_xrdf(window, tmp_path)
    assert window.fitting.fit_panel.form.mode.currentData() == "balanced"
    assert context.budget_for(12) > context.budget_for(2)


def test_mouse_and_following_take_effect_at_once_and_are_remembered(
    window: MainWindow, dialog: PreferencesDialog
) -> None:
    pick(dialog.mouse_box, MouseScheme.ONSHAPE)
    assert window.session.display.mouse is MouseScheme.ONSHAPE
    assert dialog.mouse_told.text().startswith("Right drag orbits")
    dialog.follow_box.setChecked(False)
    assert window.session.display.follow_selection is False
    assert window.settings.store.value("mouse") == "onshape"


def test_a_folder_with_meshes_is_added_for_all_robots(
    window: MainWindow, dialog: PreferencesDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "arm_v2"
    package.mkdir()
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    monkeypatch.setattr(dialogs, "choose_folder", lambda *_: str(package))
    dialog.folders.add.click()
    wait_until(lambda: dialog.findChild(QInputDialog, "mesh_prefix"))
    asked = dialog.findChild(QInputDialog, "mesh_prefix")
    assert asked is not None
    assert asked.textValue() == "arm_description"
    asked.accept()
    (entry,) = window.settings.mesh_folders.entries
    assert (entry.prefix, entry.folder, entry.home) == ("arm_description", str(package), None)
    window.settings.mesh_folders.forget(entry)


def test_values_that_cannot_be_read_count_as_not_set(tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    for name, text in (
        ("version", "3.0"),
        ("profile", "nobody"),
        ("spheres", "-4"),
        ("mode", ""),
        ("effort", "x"),
    ):
        store.setValue(f"defaults/{name}", text)
    assert DefaultsStore(store).values == Defaults()


def test_the_choices_are_those_of_a_fit() -> None:
    assert tuple(key for key, *_ in MODES) == get_args(Mode)
    assert tuple(key for key, *_ in EFFORTS) == get_args(Effort)
