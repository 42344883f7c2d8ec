"""The SRDF's mask on the same matrix: shown, edited in its file, compared and taken over either
way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.selection import Selection
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import PairClass
from editor_app.features.masks.window.compare_page import CarryOverDialog
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.grouping import WIDEST
from editor_app.features.masks.window.looks import ColourBy, cell_number
from editor_app.features.masks.window.painting import row_text
from editor_app.features.masks.window.pair_table import Filter, PairColumn
from editor_app.features.masks.window.panel import MATRIX, SelfCollisionPanel
from editor_app.window.main_window import MainWindow
from editor_app.window.theme import colours
from tests.helpers.mask_fixtures import (
    controller,
    nothing_goes_on_running,
    one_window,
    panel,
    window,
)
from tests.helpers.masks import click
from tests.helpers.robots import sample_urdf
from tests.helpers.windows import press, wait_until

__all__ = ["controller", "nothing_goes_on_running", "one_window", "panel", "window"]

BASE_HAND = LinkPair.of("base_link", "hand_link")
BASE_UPPER = LinkPair.of("base_link", "upper_arm_link")
BASE_SHOULDER = LinkPair.of("base_link", "shoulder_link")
FINGERS = LinkPair.of("left_finger_link", "right_finger_link")


def choose(panel: SelfCollisionPanel, file: MaskFile) -> None:
    panel.file.setCurrentIndex(panel.file.findData(file.value))
    panel.file.activated.emit(panel.file.currentIndex())


def srdf_text(window: MainWindow) -> str:
    document = window.session.document
    assert document.srdf_text is not None
    return document.srdf_text


def carry_over() -> CarryOverDialog:
    return next(
        w
        for w in QApplication.topLevelWidgets()
        if isinstance(w, CarryOverDialog) and w.isVisible()
    )


def test_masks_of_the_files_stand_in_the_matrix_before_anything_was_computed(
    window: MainWindow, controller: MaskController
) -> None:
    shown = window.docks.show("self-collision")
    assert isinstance(shown, SelfCollisionPanel)
    assert controller.state.analysis is None
    wait_until(lambda: bool(shown.matrix.rows) and shown.matrix.isVisible())
    places = {row.frame: i for i, row in enumerate(shown.matrix.rows)}
    states = {
        pair: cell.state
        for pair in (BASE_SHOULDER, BASE_HAND)
        if (cell := shown.matrix.cell(places[pair.first], places[pair.second])) is not None
    }
    ignored = {pair: pair in controller.state.ignored for pair in (BASE_SHOULDER, BASE_HAND)}
    assert {pair: state is MaskState.IGNORED for pair, state in states.items()} == ignored
    assert True in ignored.values()
    # Nothing is called sure that was not computed.
    assert not shown.conflicts_button.isVisible()
    assert "Compute the mask to find" in shown.pane.why.text()
    shown.show_page(shown.pages.index("Compare"))
    beside = controller.state.beside
    assert beside is not None
    assert "ignores the same pairs" in shown.comparison.text.text()
    window.session.execute(SetMask(MaskFile.SRDF, (BASE_HAND,), FrozenDict({BASE_HAND: "Never"})))
    (line,) = shown.comparison.model.items
    assert line.value == BASE_HAND
    assert "not examined yet" in line.tip
    assert line.texts[3] == "Not examined yet."
    window.registry.trigger("mask.from_srdf")
    dialog = carry_over()
    head = dialog.tree.topLevelItem(0)
    assert head is not None
    evidence = [
        child.text(2) for i in range(head.childCount()) if (child := head.child(i)) is not None
    ]
    assert evidence == ["not examined"], "a clearance that is not known is left out with its unit"
    dialog.reject()
    shown.show_page(0)


def test_the_worst_difference_comes_first(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    window.session.execute(
        SetMask(
            MaskFile.SRDF,
            (BASE_HAND, BASE_UPPER),
            FrozenDict({BASE_HAND: "Never", BASE_UPPER: "Never"}),
        )
    )
    window.session.execute(SetMask(checked=(FINGERS,)))
    texts = [line.tip for line in panel.comparison.model.items]
    hides = ["hides a possible collision" in text for text in texts]
    # In the order of the tree the safe pair comes first.
    assert hides == [True, True, False], texts


def test_the_wheel_with_ctrl_and_two_keys_make_the_cells_larger(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    matrix = panel.matrix
    before = matrix.places.cell
    place = matrix.cell_rect(2, 1).center()
    event = QWheelEvent(
        QPointF(place), QPointF(matrix.viewport().mapToGlobal(place)), QPoint(), QPoint(0, 360),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(matrix.viewport(), event)
    assert matrix.places.cell > before
    larger = matrix.places.cell
    press(matrix, Qt.Key.Key_Plus)
    assert matrix.places.cell > larger
    for _ in range(5):
        press(matrix, Qt.Key.Key_Minus)
    assert matrix.places.cell < larger
    QTest.keyClick(matrix, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert matrix.places.zoom == pytest.approx(1.0)
    assert matrix.places.cell == before


def test_a_few_rows_fill_the_place_and_say_their_numbers(
    panel: SelfCollisionPanel, controller: MaskController
) -> None:
    panel.show_page(MATRIX)
    matrix = panel.matrix
    view = matrix.viewport().width()
    places = matrix.places
    assert places.across > places.cell
    filled = places.left + places.whole[0]
    assert places.across == WIDEST or filled > 0.9 * view, "the width is used"
    assert filled <= view
    last = len(matrix.rows) - 1
    # A low panel shows some of the rows; the first ones lie behind the names once it is scrolled.
    matrix.verticalScrollBar().setValue(0)
    for row, column in ((last, 0), (0, last), (last, last - 1)):
        assert places.at(matrix.cell_rect(row, column).center()) == (row, column)
        assert places.label_at(QPoint(matrix.cell_rect(0, column).center().x(), 4)) == column
    evidence = controller.state.evidence(BASE_HAND)
    assert evidence is not None
    assert cell_number(evidence, ColourBy.CLEARANCE) == f"{evidence.clearance_min * 1e3:.1f}"
    assert cell_number(evidence, ColourBy.PROBABILITY).endswith(" %")


def test_branches_that_were_opened_keep_their_mark(
    panel: SelfCollisionPanel, controller: MaskController
) -> None:
    matrix = panel.matrix
    frame = next(row.frame for row in matrix.rows if row.has_children)
    for _ in range(2):
        matrix.grouping.toggle(frame)
        matrix.refresh()
        closed = any(row.is_collapsed for row in matrix.rows)
        assert ("pairs in a collapsed cell" in panel.legend.words) is closed
    row = next(row for row in matrix.rows if row.frame == frame)
    assert row_text(row).startswith("▾"), "though the pointer is elsewhere"


def test_the_keys_told_beside_the_matrix_are_those_that_count(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    controller.select(())
    said = panel.pane.why.text()
    assert ("F7 goes to the next conflict" in said) == bool(controller.state.conflicts)
    assert said.startswith("No conflict") == (not controller.state.conflicts)
    assert "I shrinks the spheres" in said
    keymap = window.settings.keymap
    keymap.choose("mask.shrink", ("Ctrl+Alt+I",))
    keymap.choose("mask.leave", ())
    assert "Ctrl+Alt+I shrinks the spheres" in panel.pane.why.text()
    assert "leaves it" not in panel.pane.why.text()
    assert "(Ctrl+Alt+I," in panel.pane.buttons["mask.shrink"].toolTip()
    for action in ("mask.shrink", "mask.leave"):
        keymap.choose(action, None)
    assert "K skips it" in panel.pane.why.text()


def test_both_masks_are_shown_with_reasons(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    assert panel.file.isVisible()
    assert controller.state.beside is not None
    places = {row.frame: i for i, row in enumerate(panel.matrix.rows)}

    def cell(pair: LinkPair) -> Any:
        drawn = panel.matrix.cell(places[pair.first], places[pair.second])
        assert drawn is not None
        return drawn

    assert cell(BASE_SHOULDER).beside
    assert not cell(BASE_HAND).beside
    assert "ignored in the SRDF" in panel.legend.words
    window.session.execute(SetMask(MaskFile.SRDF, (BASE_HAND,), FrozenDict({BASE_HAND: "Never"})))
    assert cell(BASE_HAND).beside
    assert cell(BASE_HAND).state is MaskState.CHECKED
    click(panel, BASE_HAND)
    assert "ignored in heron.srdf (Never)" in panel.pane.state.whole_text
    panel.show_list(Filter.DIFFERENT)
    rows = {e.pair: i for i, e in enumerate(panel.listing.pairs.items)}
    assert [
        panel.listing.filter.index(0, c).data() for c in (PairColumn.FIRST, PairColumn.SECOND)
    ] == [
        "base_link",
        "hand_link",
    ]
    assert panel.listing.pairs.index(rows[BASE_HAND], PairColumn.BESIDE).data() == "ignored, Never"
    assert panel.listing.pairs.headerData(PairColumn.BESIDE, Qt.Orientation.Horizontal) == "SRDF"
    # Without an SRDF there is nothing beside.
    window.session.undo()
    assert not cell(BASE_HAND).beside


def test_keys_edit_the_srdf_when_it_is_chosen(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    before, xrdf = srdf_text(window), window.session.document.xrdf_text
    choose(panel, MaskFile.SRDF)
    click(panel, BASE_UPPER)
    press(panel.matrix, Qt.Key.Key_M)
    added = [
        line.strip() for line in srdf_text(window).splitlines() if line not in before.splitlines()
    ]
    assert added == [
        '<disable_collisions link1="base_link" link2="upper_arm_link" reason="Never"/>'
    ]
    assert window.session.document.xrdf_text == xrdf
    press(panel.matrix, Qt.Key.Key_O)
    assert srdf_text(window) == before
    click(panel, FINGERS)
    assert [e.pair for e in controller.state.conflicts] == [FINGERS]
    press(panel.matrix, Qt.Key.Key_U)
    assert 'link1="left_finger_link" link2="right_finger_link"' not in srdf_text(window)
    assert controller.state.conflicts == ()
    for _ in range(3):
        window.session.undo()
    assert srdf_text(window) == before
    assert not window.session.document.is_modified


def test_a_whole_mask_goes_into_the_srdf_in_its_own_words(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    choose(panel, MaskFile.SRDF)
    dialog = panel.propose()
    assert "heron.srdf" in dialog.windowTitle()
    assert not dialog.reasons.isVisible()
    proposal = dialog.proposal
    assert proposal is not None
    added = {row.pair for row in proposal.added}
    dialog.take_button.click()
    assert added <= controller.state.ignored
    text = srdf_text(window)
    assert text.count('reason="Never"') >= len(added) - 3
    assert "<!-- Planning groups" in text
    window.session.undo()
    assert not added & controller.state.ignored


def test_pairs_are_taken_over_from_the_srdf_after_a_look(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    window.session.execute(
        SetMask(
            MaskFile.SRDF,
            (BASE_HAND, BASE_UPPER),
            FrozenDict({BASE_HAND: "User", BASE_UPPER: "Never"}),
        )
    )
    window.registry.trigger("mask.from_srdf")
    dialog = carry_over()
    head = dialog.tree.topLevelItem(0)
    assert head is not None
    lines: list[Any] = [head.child(i) for i in range(head.childCount())]
    assert [line.text(0) for line in lines] == [
        "base_link – upper_arm_link",
        "base_link – hand_link",
    ]
    assert [line.text(1) for line in lines] == ["Never", "User"]
    # What would hide a possible collision is not taken over by itself.
    assert dialog.chosen == (frozenset({BASE_UPPER}), frozenset())
    assert "hide a possible collision" in lines[1].text(2)
    dialog.take_button.click()
    assert BASE_UPPER in controller.state.ignored
    assert BASE_HAND not in controller.state.ignored
    document = window.session.document
    assert document.history[document.position].label == "Copy 1 pair from heron.srdf"
    window.session.undo()
    assert BASE_UPPER not in controller.state.ignored


def test_pairs_are_taken_over_into_the_srdf_and_frames_of_the_xrdf_are_not(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    before = srdf_text(window)
    window.session.execute(SetMask(pairs=(BASE_UPPER, LinkPair.of("base_link", "grasp_frame"))))
    window.registry.trigger("mask.to_srdf")
    assert controller.state.file is MaskFile.SRDF
    dialog = carry_over()
    head = dialog.tree.topLevelItem(0)
    assert head is not None
    texts = {head.child(i).text(0): head.child(i).text(2) for i in range(head.childCount())}  # type: ignore[union-attr]
    assert "frame added by the XRDF" in texts["base_link – grasp_frame"]
    assert dialog.chosen == (frozenset({BASE_UPPER}), frozenset())
    dialog.take_button.click()
    assert (
        '<disable_collisions link1="base_link" link2="upper_arm_link" reason="Never"/>'
        in srdf_text(window)
    )
    window.session.undo()
    assert srdf_text(window) == before


def test_the_comparison_is_with_the_open_srdf_by_itself(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    panel.show_page(panel.pages.index("Compare"))
    assert panel.comparison.source.currentText() == "heron.srdf"
    assert "ignores the same pairs" in panel.comparison.text.text()
    window.session.execute(SetMask(MaskFile.SRDF, (BASE_HAND,), FrozenDict({BASE_HAND: "User"})))
    (line,) = panel.comparison.model.items
    assert line.texts[:3] == ("base_link", "hand_link", "heron.srdf (User)")
    assert line.texts[3].startswith("heron.srdf hides a possible collision: they can collide, ")
    table = panel.comparison.table
    wait_until(lambda: table.columnWidth(3) > table.viewport().width() // 3)
    assert not table.horizontalScrollBar().isVisible(), "names give way to the sentence"
    assert panel.comparison.take_button.isEnabled()
    # Seen at a glance: by a sign of its own, and counted.
    assert "A mask hides a possible collision in 1 pair." in panel.comparison.text.text()
    words = panel.comparison.text.fontMetrics().horizontalAdvance(panel.comparison.text.text())
    assert panel.comparison.text.minimumSizeHint().width() < words // 2, (
        "the pane beside it keeps its room"
    )
    model = panel.comparison.model
    assert model.index(0, 0).data(Qt.ItemDataRole.DecorationRole) is not None
    window.session.execute(SetMask(MaskFile.SRDF, (BASE_UPPER,), FrozenDict({BASE_UPPER: "Never"})))
    rows = {line.value: row for row, line in enumerate(model.items)}
    assert model.index(rows[BASE_UPPER], 0).data(Qt.ItemDataRole.DecorationRole) is None
    assert rows[BASE_HAND] < rows[BASE_UPPER]


def test_a_mask_that_hides_a_possible_collision_has_a_mark_of_its_own_in_the_matrix(
    panel: SelfCollisionPanel, controller: MaskController
) -> None:
    panel.show_page(MATRIX)

    def marked() -> tuple[int, int]:
        """Pixels of the colour of errors in the cell: in the half with the corner of masks, and in
        the other."""
        names = [row.frame for row in panel.matrix.rows]
        row, column = sorted((names.index("base_link"), names.index("hand_link")), reverse=True)
        # What is told above the matrix leaves it less room: the cell may have to be scrolled to.
        panel.matrix.verticalScrollBar().setValue(panel.matrix.verticalScrollBar().maximum())
        place = panel.matrix.cell_rect(row, column)
        assert panel.matrix.viewport().rect().contains(place)
        picture = panel.matrix.viewport().grab(place).toImage()
        error = QColor(colours().error).rgb()
        half = picture.width() // 2
        hits = [
            x >= half
            for x in range(picture.width())
            for y in range(picture.height())
            if picture.pixel(x, y) == error
        ]
        return sum(hits), len(hits) - sum(hits)

    assert controller.state.evidence(BASE_HAND).kind is PairClass.CAN_COLLIDE  # type: ignore[union-attr]
    assert marked() == (0, 0)
    controller.execute(lambda: controller.state.ignore((BASE_HAND,)))
    with_corner, without = marked()
    assert with_corner > without + 8
    assert "ignored, although it can collide" in panel.legend.words


def test_a_collada_robot_is_compared(
    window: MainWindow, panel: SelfCollisionPanel, tmp_path: Path
) -> None:
    from editor_app.cli import run_command

    out = tmp_path / "heron.dae"
    urdf = sample_urdf()
    assert run_command("convert", [str(urdf), str(urdf.with_suffix(".srdf")), str(out)]) == 0
    window.session.execute(SetMask(pairs=(BASE_UPPER,)))
    panel.compare_with(out)
    assert panel.comparison.source.currentText() == "heron.dae"
    assert [line.texts[:3] for line in panel.comparison.model.items] == [
        ("base_link", "upper_arm_link", "heron.xrdf")
    ]


def test_conflicts_are_left_or_shrunk_by_keys(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    controller.execute(lambda: controller.state.ignore((BASE_HAND,)))
    assert panel.conflicts_button.text() == "2 conflicts"
    panel.matrix.setFocus()
    window.registry.trigger("mask.next_conflict")
    assert window.session.selection.pairs == (BASE_HAND,)
    # Leaving goes on to the next one, and does not come back.
    press(panel.matrix, Qt.Key.Key_K)
    assert window.session.selection.pairs == (FINGERS,)
    assert panel.conflicts_button.text() == "2 conflicts, 1 left"
    window.registry.trigger("mask.next_conflict")
    assert window.session.selection.pairs == (FINGERS,)
    assert controller.shown is not None
    assert controller.shown.witness.clearance < -0.001
    steps = len(window.session.document.history)  # type: ignore[union-attr]
    press(panel.matrix, Qt.Key.Key_I)
    assert len(window.session.document.history) == steps + 1  # type: ignore[union-attr]
    now = window.session.document.history[-1].label  # type: ignore[union-attr]
    assert now.startswith("Shrink")
    live = LiveDistances(build_sphere_model(window.session.robot), window.session.pose)
    assert 0.0 < live.clearance[live.model.pair_index[FINGERS]] < 2e-4


def test_what_is_too_deep_is_not_shrunk(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    click(panel, BASE_HAND)
    said: list[str] = []
    window.session.refused.connect(said.append)
    press(panel.matrix, Qt.Key.Key_I)
    window.session.refused.disconnect(said.append)
    assert len(said) == 1
    assert "less than half" in said[0]
    assert not window.session.document.is_modified  # type: ignore[union-attr]


def test_keys_work_in_the_list_too(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    panel.show_list(Filter.ALL)
    table, rows = panel.listing.table, panel.listing.filter
    QTest.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(rows.index(0, 1)).center()
    )
    pair = window.session.selection.pairs[-1]
    masked = pair in controller.state.ignored
    table.setFocus()
    press(table, Qt.Key.Key_U if masked else Qt.Key.Key_M)
    assert (pair in controller.state.ignored) is not masked
    press(table, Qt.Key.Key_O)
    assert (pair in controller.state.ignored) is masked


def test_menu_keys_pane_and_window_agree_on_what_can_be_done(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    places = {
        "mask": "mask.mask_pairs",
        "check": "mask.unmask_pairs",
        "reset": "mask.reset_pairs",
        "shrink": "mask.shrink",
        "leave": "mask.leave",
        "back": "mask.back",
    }

    def can() -> dict[str, bool]:
        menu = QMenu(panel)
        window.registry.fill_context_menu(menu, "pairs")
        told = {key: window.registry[name].isEnabled() for key, name in places.items()}
        assert {
            key: window.registry[name] in menu.actions() for key, name in places.items()
        } == dict.fromkeys(told, True)
        assert {key: panel.pane.buttons[name].isEnabled() for key, name in places.items()} == told
        menu.deleteLater()
        return told

    adjacent = LinkPair.of("base_link", "shoulder_link")
    window.session.select(Selection(pairs=()))
    assert not any(can().values())
    window.session.select(Selection(pairs=(BASE_HAND,)))
    assert can() == {
        "mask": True,
        "check": False,
        "reset": False,
        "shrink": False,
        "leave": False,
        "back": False,
    }
    window.session.select(Selection(pairs=(adjacent, BASE_HAND)))
    assert can() == {
        "mask": True,
        "check": True,
        "reset": False,
        "shrink": False,
        "leave": False,
        "back": False,
    }
    click(panel, FINGERS)
    assert can() == {
        "mask": False,
        "check": True,
        "reset": False,
        "shrink": True,
        "leave": True,
        "back": True,
    }
    controller.execute(lambda: controller.state.ignore((BASE_HAND,)))
    click(panel, BASE_HAND)
    assert can() == {
        "mask": False,
        "check": True,
        "reset": True,
        "shrink": True,
        "leave": True,
        "back": True,
    }
    # What cannot be done is said by its key, and nothing happens.
    steps = len(window.session.document.history)  # type: ignore[union-attr]
    said: list[str] = []
    window.session.refused.connect(said.append)
    press(panel.matrix, Qt.Key.Key_M)
    window.session.refused.disconnect(said.append)
    assert said == ["The selected pairs are already ignored."]
    assert len(window.session.document.history) == steps  # type: ignore[union-attr]
