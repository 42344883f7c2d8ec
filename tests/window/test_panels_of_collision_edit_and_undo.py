"""Panels of collision, by keys and clicks: an edit changes its own lines alone, and undo takes it
back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from editor_app.core.model.xrdf import LinkPair
from editor_app.window.session import Session
from editor_app.window.xrdf.collision import (
    GeometryGroupsPanel,
    SelfCollisionSectionPanel,
    WorldCollisionPanel,
)
from tests.helpers.panels import (
    add,
    check,
    click,
    click_cell,
    edit_cell,
    session,
    shown,
    small_session,
    type_into,
    xrdf,
)
from tests.helpers.small_robot import XRDF_TEXT

__all__ = ["session"]

pytestmark = pytest.mark.gui


# -- collision


@pytest.mark.parametrize("kind", [WorldCollisionPanel, SelfCollisionSectionPanel])
def test_buffers(
    qtbot: QtBot, session: Session, kind: Callable[[Session], WorldCollisionPanel]
) -> None:
    panel = shown(qtbot, kind(session))
    frame = panel.buffers.rows_model.items[0].frame
    edit_cell(qtbot, panel.buffers, 0, 2, "1/4 cm")
    section = getattr(xrdf(session), panel.section)
    assert section.buffer_distance[frame] == 0.0025
    lines = {
        "upper": ["-    upper: 0.01   # thick", "+    upper: 0.0025   # thick"],
        "fore": ["-    fore: 0.0", "+    fore: 0.0025"],
    }
    check(session, lines[frame])
    add(qtbot, panel, "Add buffer distance", "finger_a")
    assert getattr(xrdf(session), panel.section).buffer_distance["finger_a"] == 0.01
    edit_cell(qtbot, panel.buffers, 0, 0, "base")
    assert next(iter(getattr(xrdf(session), panel.section).buffer_distance)) == "base"
    click_cell(qtbot, panel.buffers, 0)
    qtbot.keyClick(panel.buffers, Qt.Key.Key_Delete)
    assert "base" not in getattr(xrdf(session), panel.section).buffer_distance
    for _ in range(3):
        session.undo()
    assert session.document.xrdf_text == XRDF_TEXT


def test_the_group_of_a_section_is_chosen_from_those_that_exist(
    qtbot: QtBot, session: Session
) -> None:
    from editor_app.core.document.commands import AddGroup

    session.execute(AddGroup("fine"))
    panel = shown(qtbot, WorldCollisionPanel(session))
    type_into(qtbot, panel.group_box, "coarse")
    assert "No geometry group" in panel.messages.text
    assert xrdf(session).world_group == "spheres"
    type_into(qtbot, panel.group_box, "fine")
    assert xrdf(session).world_group == "fine"
    assert panel.messages.text == ""


def test_one_number_for_all_frames(qtbot: QtBot) -> None:
    single = XRDF_TEXT.replace(
        "  buffer_distance:\n    upper: 0.01   # thick\n    hand: 0.02\n",
        "  buffer_distance: 0.01\n",
    )
    session = small_session(single)
    panel = shown(qtbot, WorldCollisionPanel(session))
    type_into(qtbot, panel.single_buffer, "20")
    assert xrdf(session).world_collision.buffer_distance == 0.02  # type: ignore[union-attr]
    click(qtbot, panel.expand)
    assert xrdf(session).world_collision.buffer_distance == {"upper": 0.02, "hand": 0.02}  # type: ignore[union-attr]
    assert panel.buffers.isVisible()


def test_masked_pairs(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelfCollisionSectionPanel(session))
    assert list(panel.pairs.rows_model.items) == [("upper", "fore"), ("fore", "hand")]
    type_into(qtbot, panel.first, "finger_b")
    type_into(qtbot, panel.second, "hand")
    click(qtbot, panel.mask_button)
    assert xrdf(session).self_collision.ignore["hand"] == ("finger_b",)  # type: ignore[union-attr, index]
    session.undo()
    click_cell(qtbot, panel.pairs, 0)
    assert session.selection.pairs == (LinkPair.of("upper", "fore"),)
    qtbot.keyClick(panel.pairs, Qt.Key.Key_Delete)
    assert xrdf(session).self_collision.ignore == {"fore": ("hand",)}  # type: ignore[union-attr]
    session.undo()
    assert panel.tidy.text() == "Tidy 1 redundant entry"
    click(qtbot, panel.tidy)
    check(session, ["-    fore: [hand, upper]", "+    fore: [hand]"])


# -- geometry groups


def test_geometry_groups(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, GeometryGroupsPanel(session))
    assert panel.view.model().index(0, 0).data() == "spheres\nused by world, self"
    edit_cell(qtbot, panel.view, 0, 0, "body")
    assert xrdf(session).world_group == xrdf(session).self_group == "body"
    assert session.active_group == "body"
    check(
        session,
        [
            '-  geometry: "spheres"',
            '+  geometry: "body"',
            '-  geometry: "spheres"',
            '+  geometry: "body"',
            "-  spheres:",
            "+  body:",
        ],
    )
    click(qtbot, panel.add)
    assert [g.name for g in xrdf(session).geometry or ()] == ["spheres", "collision_spheres"]
    assert session.active_group == "collision_spheres"
    assert panel.view.model().index(1, 0).data() == "collision_spheres\n● not used"
    click_cell(qtbot, panel.view, 0)
    assert session.active_group == "spheres"
    click(qtbot, panel.copy)
    assert [g.name for g in xrdf(session).geometry or ()] == [
        "spheres",
        "collision_spheres",
        "spheres_copy",
    ]
    edit_cell(qtbot, panel.view, 2, 0, "spheres")
    assert "already" in panel.messages.text
    click_cell(qtbot, panel.view, 1)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert [g.name for g in xrdf(session).geometry or ()] == ["spheres", "spheres_copy"]
    for _ in range(3):
        session.undo()
    assert session.document.xrdf_text == XRDF_TEXT


def test_clones(qtbot: QtBot) -> None:
    from editor_app.core.document.commands import AddGroup

    text = XRDF_TEXT.replace("format_version: 1.0", "format_version: 2.0").replace(
        "\ncollision:", "\nworld_collision:"
    )
    session = small_session(text)
    session.execute(AddGroup("own"))
    panel = shown(qtbot, GeometryGroupsPanel(session))
    click_cell(qtbot, panel.view, 1)
    panel.clone.menu().aboutToShow.emit()
    panel.clone.menu().actions()[0].trigger()
    assert xrdf(session).group("own").clone == ("spheres",)  # type: ignore[union-attr]
    assert panel.view.model().index(1, 1).data() == "0 + 3"
    assert "clone own" in panel.view.model().index(0, 0).data()
    panel.clone.menu().aboutToShow.emit()
    panel.clone.menu().actions()[0].trigger()
    assert xrdf(session).group("own").clone is None  # type: ignore[union-attr]
