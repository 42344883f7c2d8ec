"""The self-collision panel: evidence from the worker, the robot at its worst configurations, masks
as single steps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from editor_app.cli import run_command
from editor_app.core.document.commands.spheres import ReplaceSpheres, SetSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.pair_table import Filter, PairColumn
from editor_app.features.masks.window.panel import SelfCollisionPanel
from editor_app.window.main_window import MainWindow
from tests.helpers.mask_fixtures import (
    controller,
    nothing_goes_on_running,
    one_window,
    panel,
    window,
)
from tests.helpers.masks import BASE_HAND, CERTIFY, SAMPLES, SEED, click, compute
from tests.helpers.robots import sample_urdf
from tests.helpers.windows import open_window, press, settle, wait_until

__all__ = ["controller", "nothing_goes_on_running", "one_window", "panel", "window"]

FINGERS = LinkPair.of("left_finger_link", "right_finger_link")


def text_of(window: MainWindow) -> str:
    return window.session.document.xrdf_text


def clearance_here(window: MainWindow, pair: LinkPair) -> float:
    """Judged from the session's robot and pose alone."""
    live = LiveDistances(build_sphere_model(window.session.robot), window.session.pose)
    return float(live.clearance[live.model.pair_index[pair]])


def test_a_click_on_a_cell_puts_the_robot_to_its_witness(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    window.session.set_joint(
        "elbow_joint" if "elbow_joint" in window.session.pose else next(iter(window.session.pose)),
        0.3,
    )
    mine = window.session.pose
    evidence = controller.state.evidence(BASE_HAND)
    assert evidence is not None
    assert evidence.witness is not None
    assert clearance_here(window, BASE_HAND) > evidence.clearance_min + 1e-3
    other = next(
        e.pair for e in controller.state.pairs if e.witness is not None and e.pair != BASE_HAND
    )
    click(panel, other)
    shown: list[Any] = []
    controller.shown_changed.connect(shown.append)
    click(panel, BASE_HAND)
    assert [each and each.pair for each in shown] == [BASE_HAND], (
        "one look takes the place of the other"
    )
    controller.shown_changed.disconnect(shown.append)
    assert window.session.selection.pairs == (BASE_HAND,)
    assert {joint: window.session.pose[joint] for joint in evidence.witness} == pytest.approx(
        dict(evidence.witness)
    )
    assert clearance_here(window, BASE_HAND) == pytest.approx(evidence.clearance_min, abs=1e-9)
    assert "mm deep" in panel.pane.place.text()
    # The others that are known follow, closest first, and B leads back.
    wait_until(lambda: controller.distribution is not None)
    assert len(controller.known_witnesses(BASE_HAND)) > 1
    panel.pane.next.click()
    assert clearance_here(window, BASE_HAND) == pytest.approx(
        controller.known_witnesses(BASE_HAND)[1].clearance
    )
    press(panel.matrix, Qt.Key.Key_Escape)
    assert window.session.pose == mine
    assert controller.shown is None


def test_a_joint_moved_by_hand_ends_the_look(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    click(panel, BASE_HAND)
    assert controller.shown is not None
    joint = next(iter(window.session.pose))
    window.session.set_joint(joint, window.session.pose[joint] + 0.1)
    assert controller.shown is None
    moved = window.session.pose
    press(panel.matrix, Qt.Key.Key_Escape)
    assert window.session.pose == moved


def test_an_edit_ends_the_look_and_the_robot_stays(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    mine = window.session.pose
    click(panel, BASE_HAND)
    assert controller.shown is not None
    pose, group = window.session.pose, window.session.robot.xrdf.self_group
    assert group is not None
    gone = dict.fromkeys(window.session.robot.xrdf.spheres_of(group), ())
    window.session.execute(ReplaceSpheres(group, FrozenDict(gone)))
    settle(window)
    assert controller.shown is None, "its depth is of spheres that are gone"
    assert window.session.pose == pose
    assert controller.back()
    assert window.session.pose == mine


def test_keys_mask_and_unmask_as_single_steps(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    before = text_of(window)
    click(panel, BASE_HAND)
    press(panel.matrix, Qt.Key.Key_M)
    assert BASE_HAND in controller.state.ignored
    assert "base_link: [shoulder_link, hand_link]" in text_of(window)
    press(panel.matrix, Qt.Key.Key_U)
    assert text_of(window) == before
    window.session.undo()
    assert BASE_HAND in controller.state.ignored
    window.session.undo()
    assert text_of(window) == before
    assert not window.session.document.is_modified


def test_arrows_move_the_selection_and_space_shows_it(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    click(panel, BASE_HAND)
    press(panel.matrix, Qt.Key.Key_Escape)
    press(panel.matrix, Qt.Key.Key_Right)
    pair = LinkPair.of("shoulder_link", "hand_link")
    assert window.session.selection.pairs == (pair,)
    assert controller.shown is None
    press(panel.matrix, Qt.Key.Key_Space)
    assert controller.shown is not None
    assert controller.shown.pair == pair
    press(panel.matrix, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert set(window.session.selection.pairs) == {
        pair,
        LinkPair.of("shoulder_link", "left_finger_link"),
    }
    steps = len(window.session.document.history)  # type: ignore[union-attr]
    press(panel.matrix, Qt.Key.Key_M)
    assert len(window.session.document.history) == steps + 1  # type: ignore[union-attr]
    assert controller.state.ignored >= set(window.session.selection.pairs)
    press(panel.matrix, Qt.Key.Key_O)
    assert not controller.state.ignored & set(window.session.selection.pairs)


def test_n_goes_to_the_next_conflict(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    controller.execute(lambda: controller.state.ignore((BASE_HAND,)))
    assert [e.pair for e in controller.state.conflicts] == [BASE_HAND, FINGERS]
    assert panel.conflicts_button.text() == "2 conflicts"
    window.session.select(Selection())
    for expected in (BASE_HAND, FINGERS, BASE_HAND):
        window.registry.trigger("mask.next_conflict")
        assert window.session.selection.pairs == (expected,)
        assert clearance_here(window, expected) < 0.0
    cell = panel.matrix.cell(0, [r.frame for r in panel.matrix.rows].index("hand_link"))
    assert cell is not None
    assert cell.state is MaskState.CONFLICT


def test_panel_list_and_command_line_agree(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController, capsys: Any
) -> None:
    document = window.session.document
    arguments = ["--samples", str(SAMPLES), "--certify", str(CERTIFY), "--seed", str(SEED)]
    assert (
        run_command(
            "mask",
            [str(document.urdf_path), str(document.xrdf_path), *arguments, "--format", "json"],
        )
        == 1
    )
    report = json.loads(capsys.readouterr().out)
    panel.show_list(Filter.ALL)
    rows = {e.pair: i for i, e in enumerate(panel.listing.pairs.items)}
    places = {row.frame: i for i, row in enumerate(panel.matrix.rows)}
    assert len(rows) == len(report["pairs"]) == panel.listing.filter.rowCount()
    for pair in report["pairs"]:
        key = LinkPair.of(pair["link1"], pair["link2"])
        cell = panel.matrix.cell(places[pair["link1"]], places[pair["link2"]])
        assert cell is not None
        assert cell.worst.kind.value == pair["class"]
        assert cell.state.value == pair["state"]
        assert cell.worst.probability == pair["probability"]
        assert cell.worst.clearance_min == pytest.approx(pair["clearance_min_m"], abs=1e-9)
        shown = panel.listing.pairs.index(rows[key], PairColumn.CLEARANCE).data()
        assert shown == f"{pair['clearance_min_m'] * 1e3:.1f}"


def test_the_list_filters_sorts_and_selects(window: MainWindow, panel: SelfCollisionPanel) -> None:
    panel.show_list(Filter.CONFLICTS)
    assert panel.listing.filter.rowCount() == 1
    table, shown_rows = panel.listing.table, panel.listing.filter
    place = table.visualRect(shown_rows.index(0, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.session.selection.pairs == (FINGERS,)
    assert clearance_here(window, FINGERS) < 0.0
    panel.show_list(Filter.ALL)
    panel.listing.table.sortByColumn(PairColumn.CLEARANCE, Qt.SortOrder.AscendingOrder)
    shown = [
        float(shown_rows.index(r, PairColumn.CLEARANCE).data())
        for r in range(shown_rows.rowCount())
    ]
    assert shown == sorted(shown)
    QTest.keyClicks(panel.text, "finger base")
    assert panel.listing.filter.rowCount() == 2
    panel.text.clear()


def test_an_edited_radius_hatches_only_its_own_row_until_examined(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    assert controller.state.analysis is not None
    before = controller.state.analysis
    ref = before.model.refs[int(before.model.starts[before.model.index["hand_link"]])]
    group = window.session.robot.xrdf.group(ref.group)  # type: ignore[union-attr]
    assert group is not None
    sphere = group.spheres[ref.frame][ref.index]
    window.session.execute(
        SetSpheres(((ref, replace(sphere, radius=sphere.radius + 0.01)),), "Grow")
    )
    now = controller.state.analysis
    stale = {e.pair for e in now if e.stale}
    assert stale
    assert all("hand_link" in (p.first, p.second) for p in stale)
    assert now[BASE_HAND].clearance_min <= before[BASE_HAND].clearance_min
    assert now[FINGERS] == before[FINGERS]
    wait_until(
        lambda: controller.state.analysis is not None and not controller.state.analysis.stale.any(),
        60,
    )
    window.session.undo()
    wait_until(
        lambda: controller.state.analysis is not None and not controller.state.analysis.stale.any(),
        60,
    )
    assert controller.state.analysis[BASE_HAND].kind == before[BASE_HAND].kind


def test_without_spheres_the_page_says_what_comes_first_and_no_mask_is_offered(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    assert window.registry["mask.write"].isEnabled()
    robot = window.session.robot
    group = robot.xrdf.self_group
    assert group is not None
    gone: dict[str, tuple[CollisionSphere, ...]] = dict.fromkeys(robot.xrdf.spheres_of(group), ())
    window.session.execute(ReplaceSpheres(group, FrozenDict(gone)))
    settle(window)
    assert controller.state.analysis is not None, (
        "evidence of the spheres that were there is kept for undo"
    )
    assert panel.empty.isVisibleTo(panel)
    assert "Fit spheres first" in panel.empty.text()
    assert not panel.write_button.isEnabled()
    assert not window.registry["mask.write"].isEnabled()
    window.session.undo()
    settle(window)
    assert not panel.empty.isVisibleTo(panel)
    assert panel.write_button.isEnabled()


def test_cancel_keeps_what_is_known(qapp: Any, tmp_path: Path) -> None:
    # A window of its own: to cancel is to end a process.
    with open_window(tmp_path, sample_urdf()) as window:
        controller = window.self_collision.controller
        panel = window.self_collision.show_panel()
        controller.masks.settings = AnalysisSettings(50_000_000, SEED, CERTIFY)
        window.registry.trigger("mask.compute")
        assert not panel.write_button.isEnabled(), "nothing is known yet"
        wait_until(
            lambda: (
                controller.state.analysis is not None
                and controller.state.analysis.samples.max() > 0
            ),
            60,
        )
        assert panel.compute_button.text() == "Cancel"
        # What the matrix shows can be written at once: no button stays grey beside pairs that are
        # coloured.
        wait_until(panel.write_button.isEnabled)
        QTest.mouseClick(panel.compute_button, Qt.MouseButton.LeftButton)
        wait_until(lambda: not controller.state.is_analysing, 5)
        assert controller.state.analysis is not None
        assert not controller.state.analysis.complete
        assert 0 < controller.state.analysis.samples.max() < 50_000_000
        assert panel.compute_button.text() == "Compute the mask"
        click(panel, BASE_HAND)
        assert controller.shown is not None


def test_the_mask_is_previewed_and_written_as_one_step(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    before = text_of(window)
    dialog = panel.propose()
    proposal = dialog.proposal
    assert proposal is not None
    added = {row.pair for row in proposal.added}
    assert added
    assert FINGERS in proposal.pairs
    dialog.keep.click()
    dialog.reasons.setChecked(True)
    section = next(
        item for i in range(dialog.tree.topLevelItemCount())
        if (item := dialog.tree.topLevelItem(i)) is not None and item.text(0).startswith("Added")
    )  # fmt: skip
    unticked = section.child(0)
    assert unticked is not None
    assert "certified" in unticked.text(1)
    left_out = unticked.data(0, int(Qt.ItemDataRole.UserRole))
    unticked.setCheckState(0, Qt.CheckState.Unchecked)
    dialog.take_button.click()
    assert left_out not in controller.state.ignored
    assert added - {left_out} <= controller.state.ignored
    assert FINGERS not in controller.state.ignored
    assert "never, certified" in text_of(window)
    assert len(window.session.document.history) == 2
    window.session.undo()
    assert text_of(window) == before


def test_pairs_to_decide_are_the_same_number_in_the_panel_and_in_the_dialog(
    window: MainWindow,
) -> None:
    group = window.session.active_group
    assert group is not None
    # The base reaches everything, whatever the joints do.
    window.session.execute(
        SetSpheres(((SphereRef(group, "base_link", 0), CollisionSphere((0.0, 0.0, 0.0), 3.0)),))
    )
    panel = compute(window)
    controller = window.self_collision.controller
    number = len(controller.state.undecided)
    assert number > 2
    assert panel.todo_button.text() == f"{number} undecided"
    assert f"{number} always overlap" in panel.todo_button.toolTip()
    dialog = panel.propose()
    assert f"{number} of {number} undecided ticked." in dialog.summary.text()
    refused: list[str] = []
    noticed: list[str] = []
    window.session.refused.connect(refused.append)
    window.session.noticed.connect(noticed.append)
    try:
        with mock.patch.dict(vars(controller.state), conflicts=()):
            window.registry.trigger("mask.next_conflict")
    finally:
        window.session.refused.disconnect(refused.append)
        window.session.noticed.disconnect(noticed.append)
    assert (refused, noticed) == ([], ["Mask and evidence agree."]), "good news is no refusal"
    dialog.tick(controller.state.undecided[0].pair, False)
    words = f"{number - 1} of {number} undecided ticked."
    wait_until(lambda: words in dialog.summary.text())
    dialog.reject()


def test_only_the_sorted_column_has_room_for_an_arrow(panel: SelfCollisionPanel) -> None:
    panel.show_page(1)
    table = panel.listing.table
    header = table.horizontalHeader()
    widths = {}
    for column in (PairColumn.CLEARANCE, PairColumn.STATE):
        table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
        widths[column] = header.sectionSizeFromContents(PairColumn.CLEARANCE).width()
    assert widths[PairColumn.CLEARANCE] > widths[PairColumn.STATE]
    header.setSortIndicatorShown(False)
    assert header.sectionSizeFromContents(PairColumn.CLEARANCE).width() == widths[PairColumn.STATE]
    header.setSortIndicatorShown(True)


def test_another_mask_is_compared_and_explained(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    other = sample_urdf().with_suffix(".xrdf").read_text(encoding="utf-8")
    path = Path(str(window.session.document.urdf_path)).with_name("other.xrdf")  # type: ignore[union-attr]
    path.write_text(
        other.replace("    base_link: [shoulder_link]", "    base_link: [shoulder_link, hand_link]")
    )
    panel.compare_with(path)
    (line,) = panel.comparison.model.items
    assert line.texts[:3] == ("base_link", "hand_link", "other.xrdf")
    assert "hides a possible collision" in line.texts[3]
    controller.execute(lambda: controller.state.ignore((BASE_HAND,)))
    assert panel.comparison.model.items == ()
    panel.compare_with(sample_urdf().with_suffix(".srdf"))
    assert "heron.srdf" in panel.comparison.text.text()
    settle(window)
