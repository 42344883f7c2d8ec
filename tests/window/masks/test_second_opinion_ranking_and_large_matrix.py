"""The second opinion of the meshes, spheres that block, what the mask is computed for, and a robot
of many links."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.spheres import SetSpheres
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.features.masks.engine.options import Limits, Uncontrolled
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.grouping import NOTHING_SHARED
from editor_app.features.masks.window.looks import ColourBy
from editor_app.features.masks.window.pair_table import Filter, PairColumn
from editor_app.features.masks.window.panel import LIST, MATRIX, SelfCollisionPanel
from editor_app.window.bindings.lists import CellLook, ReadTable, read_table
from editor_app.window.main_window import MainWindow
from tests.helpers.mask_fixtures import (
    controller,
    nothing_goes_on_running,
    one_window,
    panel,
    window,
)
from tests.helpers.masks import SAMPLES, centre, click, compute
from tests.helpers.windows import open_in, put_back, wait_until

__all__ = ["controller", "nothing_goes_on_running", "one_window", "panel", "window"]

BASE_HAND = LinkPair.of("base_link", "hand_link")
FINGERS = LinkPair.of("left_finger_link", "right_finger_link")
ARMS, LINKS = 4, 10


def test_the_meshes_have_their_say_in_matrix_list_and_pane(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    pytest.importorskip(
        "fcl", reason="python-fcl is not installed: there is nothing to ask the meshes with"
    )
    panel.show_page(LIST)
    assert panel.listing.table.isColumnHidden(PairColumn.MESHES)
    panel.show_page(MATRIX)
    assert not panel.matrix.has_opinion
    window.registry.trigger("mask.compare_meshes")
    wait_until(lambda: controller.state.opinion is not None, 90)
    opinion = controller.state.opinion
    assert opinion is not None
    assert panel.matrix.has_opinion
    assert controller.state.opinion_of == "meshes"
    names = [row.frame for row in panel.matrix.rows]
    meshes = panel.matrix.opinion_at(names.index("base_link"), names.index("hand_link"))
    assert meshes is not None
    assert meshes.worst == opinion[BASE_HAND]
    # Above the diagonal stands what the meshes say, and a click there is one on the pair.
    QTest.mouseClick(
        panel.matrix.viewport(), Qt.MouseButton.LeftButton, pos=centre(panel, BASE_HAND, above=True)
    )
    assert window.session.selection.pairs == (BASE_HAND,)
    assert "meshes" in panel.pane.why.text().lower()
    panel.show_page(LIST)
    assert not panel.listing.table.isColumnHidden(PairColumn.MESHES)
    rows = {e.pair: i for i, e in enumerate(panel.listing.pairs.items)}
    said = panel.listing.pairs.index(rows[BASE_HAND], PairColumn.MESHES).data()
    assert said.startswith("collide") is (opinion[BASE_HAND].clearance_min <= 0.0)
    # An edit makes the opinion one about another robot.
    ref = controller.state.analysis.model.refs[0]  # type: ignore[union-attr]
    sphere = window.session.robot.xrdf.group(ref.group).spheres[ref.frame][ref.index]  # type: ignore[union-attr]
    window.session.execute(
        SetSpheres(((ref, CollisionSphere(sphere.center, sphere.radius * 0.99)),))
    )
    assert controller.state.opinion is None
    assert not panel.matrix.has_opinion


def test_what_it_is_computed_for_can_be_chosen(
    window: MainWindow, panel: SelfCollisionPanel, controller: MaskController
) -> None:
    before = controller.state.analysis
    assert before is not None
    menu = panel.options
    menu.popup(panel.options_button.mapToGlobal(panel.options_button.rect().bottomLeft()))
    assert menu.samples.value() == SAMPLES
    menu.samples.setValue(2048)
    menu.seed.setValue(11)
    menu.limits.setCurrentIndex(menu.limits.findData(Limits.SOFT))
    menu.margin.setValue(30.0)
    menu.uncontrolled.setCurrentIndex(menu.uncontrolled.findData(Uncontrolled.LOCKED))
    menu.hide()
    assert controller.masks.settings.samples == 2048
    assert controller.masks.settings.seed == 11
    assert controller.masks.options.limits is Limits.SOFT
    assert controller.masks.options.uncontrolled is Uncontrolled.LOCKED
    assert controller.masks.options.margin == pytest.approx(0.5235987755982988)
    # What is known was found for other ranges.
    assert controller.state.analysis is not None
    assert controller.state.analysis.stale.any()
    panel = compute(window)
    now = controller.state.analysis
    assert now.model.options == controller.masks.options
    assert not now.stale.any()
    assert now[BASE_HAND].samples == 2048
    click(panel, BASE_HAND)
    words = panel.pane.why.text()
    assert "soft joint limits less 30°" in words
    assert "locked at the default" in words
    # The fingers are no joints of the c-space: locked, they cannot collide any more.
    assert before[FINGERS].clearance_min < 0.0
    assert now[FINGERS].clearance_min > 0.0
    controller.masks.set_options(type(controller.masks.options)(), controller.masks.settings, None)


def test_colours_by_probability_have_their_own_legend(
    window: MainWindow, panel: SelfCollisionPanel
) -> None:
    by_clearance = panel.legend.grab().toImage()
    panel.colour_by.setCurrentIndex(panel.colour_by.findData(ColourBy.PROBABILITY.value))
    panel.colour_by.activated.emit(panel.colour_by.currentIndex())
    assert panel.matrix.colour_by is ColourBy.PROBABILITY
    assert panel.legend.grab().toImage() != by_clearance
    assert "logarithmic" in panel.legend.toolTip()
    assert {"ignored, although it can collide", "checked, although it overlaps"} & set(
        panel.legend.words
    )


def many_links(folder: Path) -> Path:
    """A base with four arms of ten links each, a sphere on every link."""
    parts = ['<robot name="many"><link name="base"/>']
    lines = [
        "format: xrdf",
        "format_version: 1.0",
        "self_collision: {geometry: s}",
        "geometry:",
        "  s:",
        "    spheres:",
    ]
    sphere = "        - {center: [0, 0, 0], radius: 0.03}"
    lines += ["      base:", sphere]
    for arm in range(ARMS):
        parent = "base"
        for i in range(LINKS):
            name = f"arm_{arm}_{i}"
            x, y = (0.4 * (arm % 2 * 2 - 1), 0.4 * (arm // 2 * 2 - 1)) if i == 0 else (0.0, 0.0)
            parts.append(
                f'<link name="{name}"/><joint name="j_{name}" type="revolute"><parent '
                f'link="{parent}"/>'
                f'<child link="{name}"/><origin xyz="{x} {y} 0.1"/><axis xyz="0 1 0"/>'
                '<limit lower="-1.2" upper="1.2" effort="1" velocity="1"/></joint>'
            )
            lines += [f"      {name}:", sphere]
            parent = name
    urdf = folder / "many.urdf"
    urdf.write_text("\n".join([*parts, "</robot>"]))
    urdf.with_suffix(".xrdf").write_text("\n".join(lines) + "\n")
    return urdf


def test_a_robot_of_many_links_is_collapsed_and_opened_by_a_click(
    one_window: MainWindow, tmp_path: Path
) -> None:
    window = one_window
    window.session.open(None)
    open_in(window, many_links(tmp_path))
    controller = window.self_collision.controller
    controller.masks.settings = AnalysisSettings(512, 0, 0.0, search_starts=2)
    panel = compute(window)
    matrix = panel.matrix
    assert [row.label_without(NOTHING_SHARED) for row in matrix.rows] == [
        "base",
        *(f"arm_{arm}_0 (+{LINKS - 1})" for arm in range(ARMS)),
    ]
    inside = matrix.cell(1, 1)
    assert inside is not None
    assert inside.count == LINKS * (LINKS - 1) // 2
    # An arm that folds upon itself is found, and counted where it is hidden.
    hidden = LinkPair.of("arm_0_0", "arm_0_9")
    controller.execute(lambda: controller.state.ignore((hidden, LinkPair.of("arm_0_1", "arm_1_3"))))
    worst = next(iter(e for e in controller.state.conflicts))
    again = matrix.cell(1, 1)
    between = matrix.cell(2, 1)
    assert again is not None
    assert between is not None
    assert again.conflicts + between.conflicts == len(controller.state.conflicts)
    for cell in (again, between):
        assert cell.state.is_conflict is (cell.conflicts > 0)
    assert "pairs" in matrix.tip_at(matrix.cell_rect(1, 1).center())
    # A click on its name opens the arm; the next conflict is found wherever it is.
    label = matrix.cell_rect(1, 0).center()
    label.setX(10)
    assert "frames below it" in matrix.tip_at(label)
    QTest.mouseClick(matrix.viewport(), Qt.MouseButton.LeftButton, pos=label)
    assert [row.frame for row in matrix.rows[1 : LINKS + 1]] == [f"arm_0_{i}" for i in range(LINKS)]
    matrix.setFocus()
    window.registry.trigger("mask.next_conflict")
    assert window.session.selection.pairs == (worst.pair,)
    matrix.make_label_menu().actions()[0].trigger()
    assert len(matrix.rows) == ARMS + 1
    # A double click on a collapsed place opens both of its sides.
    at = matrix.cell_rect(2, 1).center()
    QTest.mouseDClick(matrix.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert len(matrix.rows) == 1 + 2 * LINKS + 2
    panel.show_list(Filter.CONFLICTS)
    assert panel.listing.filter.rowCount() == len(controller.state.conflicts)
    panel.show_page(MATRIX)
    put_back(window)


def test_the_width_of_a_column_is_not_asked_of_every_pair(qtbot: QtBot) -> None:
    """Qt asks anew when fonts, colours or the style change: a thousand rows took it a second."""
    asked = set()

    class Rows(ReadTable[int]):
        def look(self, item: int, column: int) -> CellLook:
            asked.add(item)
            return CellLook(str(item))

    page = QWidget()
    qtbot.addWidget(page)
    model = Rows(("a", "b", "c"), parent=page)
    table = read_table("Rows", page, model, lambda _: None, names=1)
    table.resize(300, 200)
    page.show()
    model.show(range(5000))
    asked.clear()
    table.horizontalHeader().resizeSections()
    assert 0 < len(asked) < 200
