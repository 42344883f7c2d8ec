"""What a draft guessed is marked as guessed in its panel, until somebody says otherwise."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.text.source import SourceText
from editor_app.window.bindings.number_field import NumberSource
from editor_app.window.session import Session
from editor_app.window.xrdf.cspace import DefaultPositionsPanel
from editor_app.window.xrdf.modifiers import ToolFramesPanel
from tests.helpers.panels import edit_cell, shown, small_session
from tests.helpers.small_robot import URDF_TEXT

pytestmark = pytest.mark.gui


def origins(panel: DefaultPositionsPanel) -> dict[str, NumberSource]:
    return {row.joint: row.origin for row in panel.view.rows_model.items}


def test_default_positions_of_a_draft_are_guessed(qtbot: QtBot) -> None:
    urdf = read_urdf(SourceText.from_text(URDF_TEXT))
    session = Session()
    session.open(Document(urdf, read_xrdf(SourceText.from_text(draft_xrdf(urdf.value)))))
    panel = shown(qtbot, DefaultPositionsPanel(session))
    before = origins(panel)
    assert before
    assert set(before.values()) == {NumberSource.GUESSED}
    assert panel.guessed.isVisible()
    assert panel.guessed.text().startswith(f"Guessed: {len(before)} default positions.")
    edit_cell(qtbot, panel.view, 0, 1, "0.1")
    after = origins(panel)
    assert list(after.values()) == [NumberSource.FILE] + [NumberSource.GUESSED] * (len(before) - 1)
    session.undo()
    assert origins(panel) == before


def test_positions_of_a_file_without_such_a_comment_are_facts(qtbot: QtBot) -> None:
    panel = shown(qtbot, DefaultPositionsPanel(small_session()))
    assert NumberSource.GUESSED not in origins(panel).values()
    assert not panel.guessed.isVisible()


def test_a_guessed_tool_frame_is_marked_until_another_is_chosen(qtbot: QtBot) -> None:
    urdf = read_urdf(SourceText.from_text(URDF_TEXT))
    session = Session()
    session.open(Document(urdf, read_xrdf(SourceText.from_text(draft_xrdf(urdf.value)))))
    panel = shown(qtbot, ToolFramesPanel(session))
    model = panel.view.rows_model
    origin = model.columns[0].origin
    assert origin is not None
    assert [origin(row) for row in model.items] == [NumberSource.GUESSED] * len(model.items)
    assert model.items
    other = next(
        link.name
        for link in urdf.value.links
        if link.name not in [frame for _, frame in model.items]
    )
    session.execute(set_item("xrdf.tool_frames", 0, other))
    assert NumberSource.GUESSED not in [origin(row) for row in model.items]
