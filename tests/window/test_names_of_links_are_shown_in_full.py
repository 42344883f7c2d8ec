"""The column of links is as wide as its names where the view keeps its half, and on demand; a
dragged width stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from editor_app.window.link_tree.link_model import LinkColumn
from editor_app.window.link_tree.link_tree import LinkTreePanel
from editor_app.window.main_window import MainWindow
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.windows import open_in, open_window, wait_until

LONG = "left_upper_arm_of_the_second_robot"


def robot(folder: Path) -> Path:
    """The small robot with a name for which a narrow column has no room."""
    (folder / "arm.urdf").write_text(URDF.replace('"lower"', f'"{LONG}"'))
    (folder / "arm.xrdf").write_text(CLEAN.replace("lower", LONG))
    return folder / "arm.urdf"


def cut_names(window: MainWindow) -> list[str]:
    """The rows whose names are not painted in full."""
    panel = window.docks.panel("links")
    assert isinstance(panel, LinkTreePanel)
    tree, cells = panel.tree, panel.tree.cells
    cut = []
    index = panel.proxy.index(0, 0)
    while index.isValid():
        shift = index.data() and panel.model.node(panel.proxy.mapToSource(index))
        room = tree.columnWidth(LinkColumn.NAME) - (
            round(shift.indent * panel.model.indent_scale) if shift else 0
        )
        if room < cells.measure_names()(index.data()):
            cut.append(index.data())
        index = tree.indexBelow(index)
    return cut


def test_a_window_with_room_shows_every_name_as_soon_as_a_robot_is_open(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path, size=(1600, 900), folded=True) as window:
        first = window.docks.first_left
        open_in(window, robot(tmp_path))
        wait_until(lambda: window.docks.dock("links").width() > first, 60)
        wait_until(lambda: not cut_names(window), 60)
        window.resizeDocks([window.docks.dock("links")], [first], Qt.Orientation.Horizontal)
        wait_until(lambda: bool(cut_names(window)), 60)
        window.registry.trigger("view.reset_layout")
        wait_until(lambda: not cut_names(window), 60)


def test_a_large_window_shows_every_name_beside_panels_that_are_open(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path, size=(1600, 900)) as window:
        open_in(window, robot(tmp_path))
        wait_until(lambda: not cut_names(window), 60)


def test_in_a_narrow_window_the_column_widens_on_demand_and_goes_back(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path, size=(1280, 720), folded=True) as window:
        open_in(window, robot(tmp_path))
        links = window.docks.dock("links")
        # The view keeps its half: this name does not fit.
        wait_until(lambda: LONG in cut_names(window), 60)
        before = links.width()
        window.registry.trigger("view.full_names")
        wait_until(lambda: links.width() > before and not cut_names(window), 60)
        window.registry.trigger("view.full_names")
        wait_until(lambda: abs(links.width() - before) <= 1, 60)


def test_a_width_that_was_dragged_is_left_alone(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, size=(1600, 900), folded=True) as window:
        path = robot(tmp_path)
        open_in(window, path)
        links = window.docks.dock("links")
        wait_until(lambda: not cut_names(window), 60)
        window.resizeDocks([links], [500], Qt.Orientation.Horizontal)
        wait_until(lambda: abs(links.width() - 500) <= 1, 60)
        window.session.open(None)
        open_in(window, path)
        wait_until(lambda: not window.links_width._later.isActive(), 60)
        assert abs(links.width() - 500) <= 1


def test_in_a_narrow_column_names_come_before_the_numbers_beside_them(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path, size=(1280, 720), folded=True) as window:
        open_in(window, robot(tmp_path))
        panel = window.docks.panel("links")
        assert isinstance(panel, LinkTreePanel)
        panel.resize(420, panel.height())
        assert not panel.tree.isColumnHidden(LinkColumn.SPHERES)
        panel.resize(110, panel.height())
        assert panel.tree.isColumnHidden(LinkColumn.SPHERES)
        assert not panel.tree.isColumnHidden(LinkColumn.EYE)
        panel.resize(420, panel.height())
        assert not panel.tree.isColumnHidden(LinkColumn.SPHERES)


def test_levels_and_the_numbers_of_spheres_make_room_for_whole_names(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path, size=(1280, 720), folded=True) as window:
        open_in(window, robot(tmp_path))
        panel = window.docks.panel("links")
        assert isinstance(panel, LinkTreePanel)
        wanted, hidden = panel.wanted_width, []
        for less in range(0, 70, 7):
            panel.resize(wanted - less, panel.height())
            assert not cut_names(window)
            hidden.append(panel.tree.isColumnHidden(LinkColumn.SPHERES))
        assert hidden == sorted(hidden)
        assert True in hidden
        assert not panel.tree.isColumnHidden(LinkColumn.EYE)
        panel.resize(wanted // 2, panel.height())
        assert LONG in cut_names(window)
