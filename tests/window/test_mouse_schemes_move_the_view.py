"""Mouse schemes: the buttons of Blender, Onshape, Isaac Sim and RViz do in the view what they do in
those programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from editor_app.core.document.selection import NOTHING
from editor_app.window.viewport.navigation import MouseScheme
from tests.helpers.viewport import LOW, Stage, shown

__all__ = ["shown"]

pytestmark = pytest.mark.gui
LEFT, MIDDLE, RIGHT = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.MiddleButton,
    Qt.MouseButton.RightButton,
)
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier

#: What each drag from an empty place does, written down from the manuals of the programs.
DRAGS = {
    MouseScheme.EDITOR: [
        (LEFT, NONE, "orbit"), (LEFT, CTRL, "orbit"), (LEFT, SHIFT, "box"), (RIGHT, NONE, "pan"),
        (MIDDLE, NONE, "pan"), (MIDDLE, SHIFT, "orbit"), (MIDDLE, CTRL, "zoom"),
    ],
    MouseScheme.BLENDER: [
        (MIDDLE, NONE, "orbit"), (MIDDLE, SHIFT, "pan"), (MIDDLE, CTRL, "zoom"), (LEFT, NONE, "box"),
        (LEFT, ALT, "orbit"),
    ],
    MouseScheme.ONSHAPE: [(RIGHT, NONE, "orbit"), (MIDDLE, NONE, "pan"), (RIGHT, CTRL, "pan"), (LEFT, NONE, "box")],
    MouseScheme.ISAAC: [
        (LEFT, ALT, "orbit"), (MIDDLE, NONE, "pan"), (RIGHT, ALT, "zoom"), (RIGHT, NONE, "look"), (LEFT, NONE, "box"),
    ],
    MouseScheme.RVIZ: [(LEFT, NONE, "orbit"), (MIDDLE, NONE, "pan"), (LEFT, SHIFT, "pan"), (RIGHT, NONE, "zoom")],
}  # fmt: skip


def done_by(shown: Stage, button: Qt.MouseButton, key: Qt.KeyboardModifier) -> str:
    """What a drag from an empty corner over the robot did."""
    corner = QPoint(shown.canvas.width() - 8, shown.canvas.height() - 8)
    assert shown.scene.aim.pick(*corner.toTuple()).link is None
    before, eye = shown.camera.view, shown.camera.eye
    shown.drag(corner, QPoint(8, 8), key, button=button)
    after, selected = shown.camera.view, shown.session.selection
    shown.session.select(NOTHING)
    now = shown.camera.eye
    shown.camera.set_view(before)
    if after == before:
        return "box" if selected.spheres else "nothing"
    if after.distance != before.distance:
        return "zoom"
    if np.allclose(now, eye, atol=1e-9):
        return "look"
    if after == replace(before, focus=after.focus):
        return "pan"
    return "orbit" if after.focus == before.focus else "something else"


def test_drags_do_what_they_do_in_that_program(shown: Stage) -> None:
    assert set(DRAGS) == set(MouseScheme)
    for scheme, drags in DRAGS.items():
        shown.session.set_display(mouse=scheme)
        seen = [(button, key, done_by(shown, button, key)) for button, key, _ in drags]
        assert seen == drags, scheme
    assert shown.document.position == 0


def test_spheres_are_dragged_with_the_left_button_in_each_scheme(shown: Stage) -> None:
    for scheme in MouseScheme:
        shown.session.set_display(mouse=scheme)
        view, start = shown.camera.view, shown.at(LOW)
        shown.drag(start, start + QPoint(30, 0))
        assert shown.document.position == 1, scheme
        assert shown.camera.view == view, scheme
        shown.session.undo()
        shown.session.select(NOTHING)


def test_the_hint_tells_the_scheme_at_once(shown: Stage) -> None:
    shown.session.set_display(mouse=MouseScheme.BLENDER)
    assert shown.view.interaction.hint.startswith("Middle drag orbits · Shift-middle drag pans")
    shown.session.set_display(mouse=MouseScheme.EDITOR)
    assert shown.view.interaction.hint.startswith("Drag orbits · right drag or middle drag pans")
    shown.session.set_display(mouse=MouseScheme.RVIZ)
    # No drag alone draws a box there: Shift pans.
    assert "box" not in shown.view.interaction.hint
