"""The 3D view has half of the window at first; the panels below it keep their height, and their
tabs their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLineEdit,
    QMenu,
    QSlider,
    QTabBar,
    QToolTip,
)

from editor_app.window.main_window import MainWindow
from editor_app.window.selection.panel import SelectionPanel
from tests.helpers.windows import open_in, open_window, quiet, reopen, settle, wait_until

BOTTOM = ("joints", "findings", "self-collision", "motion", "source", "fit")


def bars(window: MainWindow) -> list[QTabBar]:
    """The visible tab bars of docks that hold the joints."""
    visible = [b for b in window.findChildren(QTabBar) if b.parent() is window and b.isVisible()]
    return [b for b in visible if "Joints" in [b.tabText(i) for i in range(b.count())]]


def place(bar: QTabBar, window: MainWindow) -> QPoint:
    return bar.mapTo(window, QPoint(0, 0))


def click(bar: QTabBar, title: str, *, twice: bool = False) -> None:
    index = next(i for i in range(bar.count()) if bar.tabText(i) == title)
    (QTest.mouseDClick if twice else QTest.mouseClick)(
        bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(index).center()
    )


@pytest.mark.parametrize("size", [(1280, 720), (1600, 900), (1912, 1044)])
def test_the_view_has_half_of_the_window_at_first(
    qapp: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    with open_window(tmp_path, size=size, folded=True) as window:

        def share() -> float:
            centre = window.central.geometry()
            return centre.width() * centre.height() / (size[0] * size[1])

        wait_until(lambda: share() >= 0.5, 60)
        # Names that would fill the window.
        names = [f"{side}_{'upper_' * 20}arm_link" for side in ("left", "right")]
        links = "".join(f'<link name="{name}"/>' for name in names)
        joints = "".join(
            f'<joint name="to_{name}" type="fixed"><parent link="{name}"/><child '
            f'link="{other}"/></joint>'
            for name, other in pairwise(names)
        )
        (tmp_path / "long.urdf").write_text(f'<robot name="long">{links}{joints}</robot>')
        open_in(window, tmp_path / "long.urdf")
        first = window.docks.first_left
        wait_until(lambda: not window.links_width._later.isActive() and share() >= 0.5, 60)
        assert window.docks.dock("links").width() >= first
        tree = window.docks.panel("links").tree
        room, width_of = tree.cells.room_for_names(60), tree.fontMetrics().horizontalAdvance
        assert len({tree.cells.names.cut(name, room, width_of) for name in names}) == 2
        assert window.docks.dock("links").width() >= 220
        assert window.docks.dock("xrdf").width() >= 270
        assert len(bars(window)) == 1
        settle(window)


@pytest.fixture(scope="module")
def window(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    with open_window(tmp_path_factory.mktemp("settings")) as window:
        reopen(window, tmp_path_factory.mktemp("robot"))
        for name in BOTTOM:
            # Panels make menus and timers of their own; they go with the window.
            window.docks.panel(name)
        yield window
        settle(window)


def _is_there(dock: QDockWidget) -> bool:
    return dock.geometry().bottom() > 0 and dock.widget() is not None


def test_tabs_stay_where_they_are_and_panels_keep_their_height(window: MainWindow) -> None:
    (bar,) = bars(window)
    wait_until(lambda: window.docks.dock("joints").height() >= window.docks.bottom.least, 60)
    QTest.qWait(20)
    before = place(bar, window), window.docks.dock("joints").height()
    for name in BOTTOM:
        dock = window.docks.dock(name)
        click(bar, dock.windowTitle())
        wait_until(partial(_is_there, dock), 60)
        QTest.qWait(20)
        assert (place(bar, window), dock.height()) == before, name
        widget = dock.widget()
        assert widget is not None
        # What is taller would be squeezed until its lines lie over each other.
        assert widget.minimumSizeHint().height() <= window.docks.bottom.least, name
        assert len(bars(window)) == 1


def _is_high(dock: QDockWidget, height: int) -> bool:
    return dock.height() == height


def commands(window: MainWindow) -> tuple[Callable[[], object], ...]:
    """Each shows a panel below the view, of those that would like to be higher than the least."""
    return (
        window.self_collision.show_panel,
        window.self_collision.show_overlaps,
        window.motion.show_panel,
        window.fitting.open_robot,
        partial(window.step_finding, 1),
    )


def test_no_command_moves_what_the_user_has_sized(window: MainWindow) -> None:
    window.docks.show("joints")
    joints, (bar,) = window.docks.dock("joints"), bars(window)
    for height in (window.docks.bottom.least + 15, window.docks.bottom.least):
        window.resizeDocks([joints], [height + bar.height()], Qt.Orientation.Vertical)
        wait_until(partial(_is_high, joints, height), 60)
        for fold in (False, True):
            for command in commands(window):
                window.docks.bottom.fold(fold)
                command()
                front = next(d for d in map(window.docks.dock, BOTTOM) if d.geometry().bottom() > 0)
                wait_until(partial(_is_high, front, height), 60)
                QTest.qWait(0)
                assert front.height() == height, (front.windowTitle(), fold)
    quiet(window)


def test_a_command_resizes_no_panel_that_is_open(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, size=(1280, 720)) as window:
        reopen(window, tmp_path)
        least = window.docks.bottom.least
        for show, name in (
            (window.fitting.open_robot, "fit"),
            (window.self_collision.show_panel, "self-collision"),
        ):
            show()
            dock = window.docks.dock(name)
            wait_until(partial(_is_high, dock, least), 60)
            QTest.qWait(30)
            assert dock.height() == least
        settle(window)


def test_a_command_raises_the_panel_once(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, size=(1280, 720), folded=True) as window:
        reopen(window, tmp_path)
        assert window.docks.bottom.is_folded
        dock = window.docks.dock("self-collision")
        window.fitting.open_robot()
        robot = window.docks.dock("fit")
        raised = max(262, window.docks.bottom.least)
        wait_until(lambda: robot.height() == raised, 60)
        # The matrix would like more: it has come too late.
        for fold in (False, True):
            window.docks.bottom.fold(fold)
            window.self_collision.show_panel()
            wait_until(lambda: dock.height() == raised, 60)
        settle(window)
    with open_window(tmp_path, size=(1280, 720), folded=True) as window:
        window.docks.bottom.fold(True)
        window.self_collision.show_panel()
        wait_until(lambda: window.docks.dock("self-collision").height() == raised, 60)
        # As at the first start.
        window.docks.reset()
        window.self_collision.show_panel()
        wait_until(
            lambda: window.docks.dock("self-collision").height() == max(round(0.45 * 720), raised),
            60,
        )


def test_a_panel_asks_for_no_more_height_while_it_works(window: MainWindow) -> None:
    """Lines that come while a fit is computed scroll with the others."""
    window.docks.show("fit")
    fit = window.fitting.fit_panel
    fit.show_details(True)
    fit.progress.show()
    fit.notes.setText("Not all of the surface is covered. " * 20)
    fit.form.outlook.show()
    fit.told.setText(
        "10 % of the base below the mounting plane is uncovered; untick Keep base above mounting "
        "plane to cover it. " * 2
    )
    QApplication.processEvents()
    assert fit.minimumSizeHint().height() < window.docks.bottom.least
    assert window.docks.dock("fit").height() == window.docks.bottom.least
    fit.progress.hide()
    fit.notes.clear()
    fit.told.clear()


def test_a_double_click_folds_and_a_click_opens_at_the_height_of_before(window: MainWindow) -> None:
    (bar,) = bars(window)
    window.docks.show("joints")
    joints = window.docks.dock("joints")
    QTest.qWait(20)
    before, tabs, view = joints.height(), place(bar, window), window.central.height()
    click(bar, "Joints", twice=True)
    wait_until(lambda: window.central.height() >= view + before, 60)
    assert place(bar, window) == tabs
    click(bar, "Findings")
    findings = window.docks.dock("findings")
    wait_until(lambda: findings.height() == before and findings.geometry().bottom() > 0, 60)
    assert place(bar, window) == tabs
    window.registry.trigger("view.fold")
    wait_until(lambda: findings.height() == 0, 60)
    # What the window itself shows comes out of the fold.
    window.step_finding(1)
    wait_until(lambda: findings.height() == before, 60)
    quiet(window)


def test_a_panel_takes_the_whole_window_and_gives_it_back(window: MainWindow) -> None:
    window.docks.show("srdf")
    window.docks.show("self-collision")
    dock, links, srdf = (window.docks.dock(name) for name in ("self-collision", "links", "srdf"))
    QTest.qWait(20)
    before = dock.geometry(), links.geometry(), srdf.geometry(), window.central.geometry()

    def now() -> object:
        return dock.geometry(), links.geometry(), srdf.geometry(), window.central.geometry()

    window.registry.trigger("view.enlarge")
    wait_until(
        lambda: dock.height() > 0.75 * window.height() and dock.width() == window.width(), 60
    )
    assert not window.central.isVisible()
    assert not links.isVisible()
    window.registry.trigger("view.enlarge")
    wait_until(lambda: now() == before, 60)
    # What shows a place elsewhere, as a search for a link, is not kept from it.
    window.registry.trigger("view.enlarge")
    window.registry.trigger("view.reset_layout")
    wait_until(
        lambda: (
            window.central.isVisible() and links.isVisible() and not window.docks.bottom.is_large
        ),
        60,
    )
    window.docks.bottom.fold(False)


def test_a_column_that_is_asked_for_beside_an_enlarged_panel_brings_the_view_back(
    window: MainWindow,
) -> None:
    """F12 in an enlarged text shows the link: in the tree and in the view."""
    window.docks.show("source")
    window.registry.trigger("view.enlarge")
    wait_until(lambda: not window.central.isVisible(), 60)
    window.docks.show("links")
    wait_until(
        lambda: window.central.isVisible() and window.docks.dock("selection").isVisible(), 60
    )
    assert not window.docks.bottom.is_large
    assert window.docks.dock("links").width() < window.width() / 2


def test_the_selection_has_all_of_its_place(window: MainWindow) -> None:
    """Lines that are cut off above an empty place would be seen in it."""
    panel, dock = window.docks.show("selection"), window.docks.dock("selection")
    wait_until(lambda: 0 <= dock.height() - panel.geometry().bottom() < 8, 60)
    assert isinstance(panel, SelectionPanel)
    assert panel.viewport().height() > panel.height() - 8


def test_a_panel_is_explained_at_its_title_alone(window: MainWindow) -> None:
    window.docks.show("source")
    dock = window.docks.dock("source")
    assert dock.toolTip()
    shown = []
    for place in (dock.widget().geometry().center(), QPoint(1, -1)):
        QToolTip.hideText()
        wait_until(lambda: not QToolTip.isVisible(), 60)
        QApplication.sendEvent(
            dock, QHelpEvent(QEvent.Type.ToolTip, place, dock.mapToGlobal(place))
        )
        shown.append(QToolTip.isVisible())
    assert shown == [False, True]
    QToolTip.hideText()
    wait_until(lambda: not QToolTip.isVisible(), 60)


def test_the_next_start_has_the_view_although_a_panel_was_enlarged(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path) as window:
        window.registry.trigger("view.enlarge")
        wait_until(lambda: not window.docks.dock("links").isVisible(), 60)
    with open_window(tmp_path) as window:
        assert window.central.isVisible()
        assert window.docks.dock("links").isVisible()
        wait_until(lambda: 0 < window.docks.dock("joints").height() < window.height() / 2, 60)


def test_a_panel_is_torn_off_and_comes_back_among_the_tabs(window: MainWindow) -> None:
    window.docks.show("source")
    dock = window.docks.dock("source")
    QTest.qWait(20)
    before = dock.height()
    window.registry.trigger("view.tear_off")
    wait_until(lambda: dock.isFloating() and dock.height() >= 480, 60)
    dock.close()
    wait_until(lambda: not dock.isFloating() and dock.isVisible() and dock.height() == before, 60)
    bar = bars(window)[0]
    assert len(bars(window)) == 1
    assert bar.tabText(bar.currentIndex()) == "Source"


def test_a_right_click_on_a_tab_tears_its_panel_off(window: MainWindow) -> None:
    window.docks.show("joints")
    bar = bars(window)[0]
    index = next(i for i in range(bar.count()) if bar.tabText(i) == "Source")
    bar.customContextMenuRequested.emit(bar.tabRect(index).center())
    menu = bar.findChild(QMenu)
    assert isinstance(menu, QMenu)
    dock = window.docks.dock("source")
    next(action for action in menu.actions() if "Detach" in action.text()).trigger()
    menu.close()
    wait_until(dock.isFloating, 60)
    dock.close()
    wait_until(lambda: not dock.isFloating(), 60)


def test_names_are_not_cut_because_the_panels_below_are_open(qapp: Any, tmp_path: Path) -> None:
    name = "upper_" * 12 + "arm"
    (tmp_path / "long.urdf").write_text(
        f'<robot name="long"><link name="base"/><link name="{name}"/>'
        f'<joint name="j" type="fixed"><parent link="base"/><child link="{name}"/></joint></robot>'
    )
    with open_window(tmp_path, size=(1600, 900), folded=True) as window:
        window.docks.bottom.fold(False)
        settle(window)
        open_in(window, tmp_path / "long.urdf")
        wait_until(lambda: window.docks.dock("links").width() > window.docks.first_left + 20, 60)


def test_the_fold_is_remembered(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, folded=True) as window:
        wait_until(lambda: window.docks.bottom.is_folded, 60)
        window.docks.show("joints")
        wait_until(lambda: window.docks.dock("joints").height() > 0, 60)
    with open_window(tmp_path, folded=True) as window:
        assert not window.docks.bottom.is_folded
        window.registry.trigger("view.fold")
    with open_window(tmp_path, folded=True) as window:
        assert window.docks.bottom.is_folded
        wait_until(lambda: window.docks.dock("joints").height() == 0, 60)


def test_the_focus_goes_along_with_the_tab(window: MainWindow) -> None:
    """Keys and F1 are for the panel that is seen; the one behind it gets none."""
    window.docks.show("joints")
    sliders = window.docks.dock("joints").findChildren(QSlider)
    slider = next(s for s in sliders if s.isEnabled() and s.isVisible())
    slider.setFocus()
    bar = bars(window)[0]

    def focus_is_in(name: str) -> bool:
        focus = window.focusWidget()
        return focus is not None and window.docks.dock(name).isAncestorOf(focus)

    for title, name in (("Findings", "findings"), ("Source", "source"), ("Joints", "joints")):
        click(bar, title)
        wait_until(partial(focus_is_in, name))
        focus = window.focusWidget()
        assert focus is not None
        assert not focus.visibleRegion().isEmpty()
        assert not isinstance(focus, QLineEdit), "keys that are commands would be typed"
    # Where it was when the panel was left.
    assert window.focusWidget() is slider
    # A panel that the program shows takes no focus from one that is seen; a click on its tab does.
    filter_of_links = window.docks.panel("links").findChildren(QLineEdit)[0]
    filter_of_links.setFocus()
    window.docks.show("findings")
    wait_until(lambda: not window.docks.focus._later.isActive())
    assert window.focusWidget() is filter_of_links
    click(bar, "Findings")
    wait_until(partial(focus_is_in, "findings"))
    # So it does where the panel is in front already, and so does a click on a title or an empty
    # place.
    filter_of_links.setFocus()
    click(bar, "Findings")
    wait_until(partial(focus_is_in, "findings"))
    links = window.docks.dock("links")
    QTest.mouseClick(links, Qt.MouseButton.LeftButton, pos=QPoint(30, 8))
    wait_until(partial(focus_is_in, "links"))
    # The panel that is folded away keeps none.
    click(bar, "Findings")
    wait_until(partial(focus_is_in, "findings"))
    click(bar, "Findings", twice=True)
    wait_until(
        lambda: window.docks.dock("findings").height() == 0 and not focus_is_in("findings"), 60
    )
    click(bar, "Findings")
    wait_until(lambda: window.docks.dock("findings").height() > 0 and focus_is_in("findings"), 60)


def test_tabs_that_are_made_anew_have_their_menu(window: MainWindow) -> None:
    """Qt makes them anew when an enlarged panel gives the view's place back."""
    wait_until(lambda: not window.docks.bottom._look.isActive(), 60)
    bar = QTabBar(window)
    bar.addTab("Joints")
    bar.show()
    wait_until(lambda: bar.contextMenuPolicy() is Qt.ContextMenuPolicy.CustomContextMenu, 60)
    bar.deleteLater()
