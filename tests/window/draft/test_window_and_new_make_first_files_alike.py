"""The window's way to a first file, one click on the card, leaves the bytes of the command `new`,
as one step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import editor_app
from editor_app.features.draft.verbs import new_settings as first
from editor_app.features.draft.verbs.new import NewSettings
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.window.main_window import MainWindow
from editor_app.window.settings import Defaults
from tests.helpers.fitting_windows import (
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    window,
)
from tests.helpers.windows import open_in, settle, wait_until
from tests.masks.test_pairs_whose_spheres_always_overlap_are_decided import PAIR, URDF

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]

BUDGET = 12


def _urdf(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "barrier.urdf"
    path.write_text(URDF)
    return path


def test_the_card_makes_what_new_makes(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert replace(first.WHOLE, fit=False, mask=False) == NewSettings(), (
        "nothing but spheres and mask is asked for"
    )
    quick = replace(first.WHOLE, samples=20_000, certify=1.0)
    monkeypatch.setattr(first, "WHOLE", quick)
    settings = replace(quick, budget=BUDGET, choices=FitChoices(effort="fast"))
    made = editor_app.new(_urdf(tmp_path / "verb"), settings=settings)
    assert PAIR not in made.document.robot.xrdf.ignored_pairs()
    window.session.open(None)
    open_in(window, _urdf(tmp_path / "window"))
    monkeypatch.setattr(
        window.fitting.context, "defaults", lambda: Defaults(effort="fast", spheres=BUDGET)
    )
    steps, document = window.fitting.first_steps, window.session.document

    def at(step: str) -> bool:
        return steps.step is not None and steps.step.id == step

    def press() -> None:
        """The primary button."""
        assert steps._card is not None
        QTest.mouseClick(steps._card.buttons[-1], Qt.MouseButton.LeftButton)

    before, revisions = document.xrdf_text, len(document.history)
    wait_until(lambda: at("fit") and not window.meshes.is_loading, LONG)
    # Who stops it has nothing.
    press()
    wait_until(lambda: at("making"))
    press()
    wait_until(lambda: at("fit"))
    assert document.xrdf_text == before
    stages = list[str]()
    steps.changed.connect(lambda: stages.append(steps.step.text if steps.step is not None else ""))
    press()
    wait_until(lambda: len(document.history) > revisions, LONG)
    titles = [
        f"Creating XRDF: {step.title.lower()}…"
        for step in made.steps
        if step.title != "Check the file"
    ]
    assert {"Creating XRDF: fit spheres…", "Creating XRDF: compute the mask…"} <= set(stages) & set(
        titles
    )
    assert document.xrdf_text == made.document.xrdf_text
    assert len(document.history) == revisions + 1
    assert window.fitting.first_file.refusal() is not None, "the robot has spheres"
    wait_until(
        lambda: (steps.step is not None and steps.step.buttons[-1][0] == "Save") or at("findings"),
        LONG,
    )
    window.session.undo()
    assert document.xrdf_text == before
    window.session.open(None)
    settle(window)
