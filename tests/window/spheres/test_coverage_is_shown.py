"""How much the spheres of each link cover: measured in the background, shown in the tree and beside
the selection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyle

from editor_app.core.document.commands import DeleteSpheres, SetSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window.link_quality import share_text
from editor_app.window.link_tree.link_model import LinkColumn
from editor_app.window.link_tree.link_tree import LinkTreePanel, indent_of
from editor_app.window.main_window import MainWindow
from editor_app.window.selection.panel import SelectionPanel
from tests.helpers.fitting_windows import (
    LINK,
    LONG,
    fitted,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    robot,
    spheres,
)
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.windows import open_window, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "robot", "window"]


def tree_of(window: MainWindow) -> LinkTreePanel:
    panel = window.docks.show("links")
    assert isinstance(panel, LinkTreePanel)
    panel.model.set_order(None)

    def is_wide() -> bool:
        # In a narrow column names come before numbers. The column may still be fitted to a robot
        # that just came.
        if not window.links_width._later.isActive():
            window.resizeDocks([window.docks.dock("links")], [420], Qt.Orientation.Horizontal)
        return panel.width() > 400

    wait_until(is_wide, LONG)
    return panel


def cell(panel: LinkTreePanel, link: str, role: Any = Qt.ItemDataRole.DisplayRole) -> Any:
    return panel.model.index_of(link, LinkColumn.COVERAGE).data(role)


def figures_panel(window: MainWindow) -> Any:
    panel = window.docks.show("selection")
    assert isinstance(panel, SelectionPanel)
    return panel.numbers.quality


def measured(window: MainWindow) -> None:
    quality = window.fitting.quality
    wait_until(lambda: quality.links and quality.is_settled, LONG)


def click_header(panel: LinkTreePanel, column: LinkColumn) -> None:
    header = panel.tree.header()
    place = QPoint(
        header.sectionViewportPosition(column) + header.sectionSize(column) // 2,
        header.height() // 2,
    )
    QTest.mouseClick(
        header.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )


def move_first(window: MainWindow, by: float) -> None:
    group = window.session.active_group
    assert group is not None
    old = spheres(window, LINK)[0]
    x, y, z = old.center
    moved = CollisionSphere((x + by, y, z), old.radius)
    window.session.execute(SetSpheres(((SphereRef(group, LINK, 0), moved),)), merge="drag")


def test_the_tree_has_the_figures_of_the_engine(robot: MainWindow) -> None:
    from editor_app.features.spheres.verbs.link_fits import stack_spheres
    from tests.helpers.fits import measure

    panel = tree_of(robot)
    measured(robot)
    mesh = robot.fitting.context.mesh(LINK)
    assert mesh is not None
    truth = measure(mesh.vertices, mesh.faces, stack_spheres(spheres(robot, LINK)))
    assert cell(panel, LINK) == share_text(truth.surface_coverage)
    tip = cell(panel, LINK, Qt.ItemDataRole.ToolTipRole)
    assert f"at most {1000 * truth.protrusion_at_most:.1f} mm (proven)" in tip
    assert all(cell(panel, link) not in ("…", "–") for link in robot.fitting.quality.links)
    assert cell(panel, "grasp_frame") == "–", "no mesh, no spheres"


def test_an_edit_makes_it_stale_at_once_and_new_after_a_while(robot: MainWindow) -> None:
    panel = tree_of(robot)
    robot.session.select(Selection(links=(LINK,)))
    measured(robot)
    figures = figures_panel(robot)
    before, covered = cell(panel, LINK), figures.text("coverage")
    assert figures.is_current
    for step in range(1, 4):
        move_first(robot, 0.1 * step)
        assert cell(panel, LINK).startswith("~")
        assert not figures.is_current
        assert "Updating" in figures.state.whole_text
    assert "~" not in cell(panel, "base_link"), "the others stay as they are"
    margin = 2 * (panel.tree.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1)
    room = panel.tree.columnWidth(LinkColumn.COVERAGE) - margin
    assert (
        QFontMetrics(cell(panel, LINK, Qt.ItemDataRole.FontRole)).horizontalAdvance("~100") <= room
    )
    robot.session.seal()
    measured(robot)
    assert cell(panel, LINK) not in (before, "…")
    assert "~" not in cell(panel, LINK)
    assert figures.is_current
    assert figures.text("coverage") != covered
    assert not figures.note.isVisible()
    robot.session.undo()
    assert cell(panel, LINK).startswith("~")
    measured(robot)
    assert cell(panel, LINK) == before
    assert figures.text("coverage") == covered


def test_no_figure_lies_below_the_scroll_bar(robot: MainWindow) -> None:
    robot.session.select(Selection(links=(LINK,)))
    measured(robot)
    figures = figures_panel(robot)
    for name, text in (
        ("coverage", "100.0 %"),
        ("protrusion_mean", "36.85 mm"),
        ("protrusion_max", "36.85 mm"),
    ):
        figures._labels[name].setText(text)
    panel = robot.docks.show("selection")
    assert isinstance(panel, SelectionPanel)
    room = panel.minimumWidth() - panel.verticalScrollBar().sizeHint().width()
    assert panel.numbers.minimumSizeHint().width() <= room


def test_links_without_spheres_have_none(robot: MainWindow) -> None:
    panel = tree_of(robot)
    measured(robot)
    group = robot.session.active_group
    assert group is not None
    robot.session.select(Selection(links=("flange_link",)))
    assert figures_panel(robot).isVisible()
    every = tuple(
        SphereRef(group, "flange_link", i) for i in range(len(spheres(robot, "flange_link")))
    )
    robot.session.execute(DeleteSpheres(every))
    assert cell(panel, "flange_link") == "–"
    assert not figures_panel(robot).isVisible()


def test_a_click_on_the_header_puts_the_least_covered_first(robot: MainWindow) -> None:
    panel = tree_of(robot)
    measured(robot)
    quality = robot.fitting.quality

    def listed() -> list[str]:
        return [panel.proxy.index(row, 0).data() for row in range(panel.proxy.rowCount())]

    assert listed() == ["base_link"], "a tree"
    click_header(panel, LinkColumn.COVERAGE)
    names = listed()
    assert set(panel.model.names) == set(names)
    shares = [
        s.figures.surface_coverage for k in names if (s := quality.of(k)) is not None and s.figures
    ]
    assert shares == sorted(shares)
    assert names[-1] == "grasp_frame", "what has none stands last"
    assert panel.model.headerData(0, Qt.Orientation.Horizontal) == "Least covered first"
    assert {indent_of(panel.proxy.index(row, 0)) for row in range(len(names))} == {0}
    # Selecting works as in the tree, both ways.
    robot.session.select(Selection(links=(names[2],)))
    assert [index.row() for index in panel.tree.selectionModel().selectedRows()] == [2]
    click_header(panel, LinkColumn.COVERAGE)
    assert listed()[: len(shares)] == list(reversed(names[: len(shares)])) or len(
        set(shares)
    ) < len(shares)
    assert listed()[-1] == "grasp_frame"
    click_header(panel, LinkColumn.SPHERES)
    counts = [len(spheres(robot, k)) for k in listed()]
    assert counts == sorted(counts, reverse=True)
    click_header(panel, LinkColumn.NAME)
    assert listed() == ["base_link"]


def test_figures_beside_the_selection_are_those_of_the_fit_panel(robot: MainWindow) -> None:
    panel = fitted(robot, 6)
    figures = figures_panel(robot)
    measured(robot)
    wait_until(lambda: panel.figures.text("coverage") != "–", LONG)
    for name in (
        "coverage",
        "protrusion_mean",
        "protrusion_max",
        "uncovered_max",
        "excess",
        "certified",
    ):
        assert figures.text(name) == panel.figures.text(name)
    quality = robot.fitting.quality
    panel.accept()
    # What the fit has measured need not be measured again.
    shown = quality.of(LINK)
    assert shown is not None
    assert shown.current
    assert shown.figures is not None
    assert shown.figures.count == 6
    assert cell(tree_of(robot), LINK) == "100"
    assert "certified" in figures.text("certified")


def test_several_links_are_told_together(robot: MainWindow) -> None:
    measured(robot)
    quality = robot.fitting.quality
    links = ("upper_arm_link", LINK)
    robot.session.select(Selection(links=links))
    both = [s.figures for k in links if (s := quality.of(k)) is not None and s.figures is not None]
    figures = figures_panel(robot)
    assert (
        figures.text("protrusion_max") == f"{1000 * max(f.protrusion_at_most for f in both):.2f} mm"
    )
    assert "2 links" in figures.note.text()
    assert np.isfinite(float(figures.text("coverage").removesuffix(" %")))


def test_a_robot_that_is_closed_is_not_measured_any_more(robot: MainWindow) -> None:
    measured(robot)
    wait_until(lambda: not robot.fitting.measuring.is_busy)
    move_first(robot, 0.1)
    assert robot.fitting.measuring.is_busy, "the edit is not measured at all"
    robot.session.open(None)
    assert not robot.fitting.measuring.is_busy


def test_nothing_is_measured_once_the_window_is_shut(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path) as shut:
        measuring = shut.fitting.measuring
        measuring.begin()
        shut.shutdown()
        assert not measuring.is_busy
        # A last frame may be drawn, and a mesh be read, while the window goes.
        measuring.begin()
        shut.meshes.geometry_changed.emit(("base_link",))
        assert not measuring.is_busy
