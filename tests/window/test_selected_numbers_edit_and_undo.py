"""The numbers of the selection, by keys and clicks: an edit changes its own lines alone, and undo
takes it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair
from editor_app.window.bindings.number_field import NumberField, ScrubLabel
from editor_app.window.selection.panel import SelectionNumbers
from editor_app.window.session import Session
from tests.helpers.panels import (
    UPPER,
    check,
    click,
    drag_mouse,
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


def test_numbers_stay_whole_in_a_panel_that_becomes_narrow(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("upper",)))
    for width in (600, 280, 600, 240):
        panel.resize(width, 200)
        qtbot.wait(20)
        table = panel.spheres
        for column in range(table.rows_model.columnCount()):
            if not table.isColumnHidden(column):
                assert table.columnWidth(column) >= table.sizeHintForColumn(column), (width, column)
        assert table.isColumnHidden(5) == (width < 300)


def test_nothing_selected_says_how_to_select(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    assert panel.hint.isVisible()
    session.select(Selection(links=("upper",)))
    assert not panel.hint.isVisible()
    assert "j1" in panel.about.text()
    assert panel.spheres.rows_model.rowCount() == 2


def test_a_joint_or_a_pair_alone_is_told_of(qtbot: QtBot, session: Session) -> None:
    """A joint is selected in the source, or as one of a group; a pair, in the matrix."""
    panel = shown(qtbot, SelectionNumbers(session))
    joint = next(j for j in session.tree.joints if j.child == "upper")
    session.select(Selection(joints=(joint.name,)))
    assert not panel.hint.isVisible()
    assert panel.title.text() == joint.name
    assert f"from {joint.parent} to upper." in panel.about.text()
    assert "Limits" in panel.about.text()
    other = next(j for j in session.tree.joints if j is not joint)
    session.select(Selection(joints=(joint.name, other.name)))
    assert panel.title.text() == f"2 joints, last {other.name}"
    session.select(Selection(pairs=(LinkPair("lower", "upper"),)))
    assert panel.title.text() == "lower – upper"
    assert panel.about.isVisible()
    assert not panel.hint.isVisible()
    session.select(Selection())
    assert panel.hint.isVisible()
    assert not panel.title.isVisible()


def test_numbers_of_one_sphere(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(spheres=UPPER[1:]))
    type_into(qtbot, panel.axes[2], "250")
    check(
        session,
        [
            "-        - {center: [0.0, 0.0, 2e-1], radius: 0.06}",
            "+        - {center: [0.0, 0.0, 0.25], radius: 0.06}",
        ],
    )
    type_into(qtbot, panel.radius, "0.07 m")
    check(
        session,
        [
            "-        - {center: [0.0, 0.0, 2e-1], radius: 0.06}",
            "+        - {center: [0.0, 0.0, 2e-1], radius: 0.07}",
        ],
    )


def test_the_radius_with_buffers_is_told_where_it_is_another(
    qtbot: QtBot, session: Session
) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(spheres=UPPER[:1]))
    document = session.document
    radius = document.robot.xrdf.spheres_of(session.active_group)["upper"][0].radius * 1000
    session.execute(set_item("xrdf.world_collision.buffer_distance", "upper", 0.0))
    for section, buffer, told in (
        ("self_collision", 0.0, "mm"),
        ("self_collision", 0.01, f"mm, with buffers: world {radius:g}, self {radius + 10:g}"),
        ("world_collision", 0.01, f"mm, with buffer {radius + 10:g}"),
    ):
        session.execute(set_item(f"xrdf.{section}.buffer_distance", "upper", buffer))  # type: ignore[arg-type]
        assert panel.effective.text().replace("\u00a0", " ") == told


def test_several_spheres_at_once_and_by_table(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(spheres=UPPER))
    assert panel.radius.placeholderText() == "mixed"
    type_into(qtbot, panel.radius, "100")
    check(
        session,
        [
            "-          radius: 0.08",
            "-        - {center: [0.0, 0.0, 2e-1], radius: 0.06}",
            "+          radius: 0.1",
            "+        - {center: [0.0, 0.0, 2e-1], radius: 0.1}",
        ],
    )
    edit_cell(qtbot, panel.spheres, 0, 4, "0.09 m")
    check(session, ["-          radius: 0.08", "+          radius: 0.09"])


def test_numbers_are_copied_and_pasted_as_tsv(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(spheres=UPPER))
    panel.spheres.selectAll()
    panel.spheres.setFocus()
    qtbot.keyClick(panel.spheres, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QApplication.clipboard().text()
    assert text == "0\t0\t100\t80\t90\t80\n0\t0\t200\t60\t70\t60"
    QApplication.clipboard().setText("1\t2\t3\t4\n5\t6\t7\t8 cm")
    panel.spheres.setCurrentIndex(panel.spheres.model().index(0, 1))
    panel.spheres.selectAll()
    qtbot.keyClick(panel.spheres, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    spheres = xrdf(session).group("spheres").spheres["upper"]  # type: ignore[union-attr]
    assert [(s.center, s.radius) for s in spheres] == [
        ((0.001, 0.002, 0.003), 0.004),
        ((0.005, 0.006, 0.007), 0.08),
    ]
    assert session.document.undo_label == "Paste 8 values"
    QApplication.clipboard().setText("1\tx")
    qtbot.keyClick(panel.spheres, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert "Nothing was pasted" in panel.messages.text
    session.undo()
    assert session.document.xrdf_text == XRDF_TEXT


def test_spheres_are_added_duplicated_copied_and_deleted(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("fore",)))
    click(qtbot, panel.add)
    assert session.selection.spheres == (SphereRef("spheres", "fore", 0),)
    click(qtbot, panel.duplicate)
    assert session.selection.spheres == (SphereRef("spheres", "fore", 1),)
    assert panel.axes[2].value == 0.05
    type_into(qtbot, panel.copy_to, "hand")
    click(qtbot, panel.copy)
    assert session.selection.spheres == (SphereRef("spheres", "hand", 1),)
    carried = xrdf(session).group("spheres").spheres["hand"][1]  # type: ignore[union-attr]
    assert carried.center == pytest.approx((0.0, 0.0, -0.25)), "hand is 0.3 m above fore"
    click(qtbot, panel.delete)
    assert session.selection == Selection(links=("hand",))
    for _ in range(4):
        session.undo()
    assert session.document.xrdf_text == XRDF_TEXT
    assert session.selection == Selection(links=("fore",))


def test_a_first_sphere_makes_its_group(qtbot: QtBot) -> None:
    bare = XRDF_TEXT[: XRDF_TEXT.index("geometry:\n  spheres")]
    session = small_session(bare)
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("hand",)))
    click(qtbot, panel.add)
    assert xrdf(session).group("collision_spheres").spheres["hand"]  # type: ignore[union-attr]
    session.undo()
    assert session.document.xrdf_text == bare


def test_buffers_of_the_selected_link(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("upper",)))
    assert panel.self_buffer.property("origin") == "default"
    type_into(qtbot, panel.self_buffer, "5")
    assert xrdf(session).self_collision.buffer("upper") == 0.005  # type: ignore[union-attr]
    assert panel.self_buffer.property("origin") == "file"
    label = next(
        label for label in panel.findChildren(ScrubLabel) if label.text() == "World buffer"
    )
    drag_mouse(qtbot, label, 40)
    assert xrdf(session).world_collision.buffer("upper") == pytest.approx(0.02)  # type: ignore[union-attr]
    assert session.document.position == 2, "a drag is one step"


def test_a_refusal_is_told_in_the_panel(qtbot: QtBot, session: Session) -> None:
    from editor_app.core.document.commands import SetAllBuffers

    session.execute(SetAllBuffers("world_collision", 0.01))
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("upper",)))
    type_into(qtbot, panel.world_buffer, "5")
    assert "one number for all frames" in panel.messages.text
    assert panel.world_buffer.text() == "10"
    session.execute(SetAllBuffers("world_collision", FrozenDict({"upper": 0.02})))
    type_into(qtbot, panel.world_buffer, "5")
    assert panel.messages.text == ""


@pytest.mark.parametrize(
    ("typed", "told", "radii"),
    [
        ("+5", "Ctrl+Enter: Adds 5 mm to each of the 2 values.", (0.085, 0.065)),
        ("*1.5", "Ctrl+Enter: Multiplies each of the 2 values by 1.5.", (0.12, 0.09)),
        ("70", "Ctrl+Enter: Sets all 2 values to 70 mm.", (0.07, 0.07)),
    ],
)
def test_ctrl_enter_in_a_cell_changes_each_selected_row_as_one_step(
    qtbot: QtBot, session: Session, typed: str, told: str, radii: tuple[float, ...]
) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(spheres=UPPER))
    table = panel.spheres
    table.selectAll()
    index = table.model().index(0, 4)
    table.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
    assert len(table.selected_rows()) == 2
    table.edit(index)
    editor = table.findChild(NumberField)
    assert editor is not None
    editor.selectAll()
    qtbot.keyClicks(editor, typed)
    assert editor.accessibleDescription() == told
    qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    spheres = xrdf(session).group("spheres").spheres["upper"]  # type: ignore[union-attr]
    assert tuple(s.radius for s in spheres) == radii
    session.undo()
    assert session.document.xrdf_text == XRDF_TEXT, "one step"
    QApplication.processEvents()
