"""At 1280 × 720 no panel cuts a word, is wider than its place or scrolls sideways; names that
differ look different.

PR2, G1 and Talos have the many links and long names that do not fit by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QStyleOptionViewItem

from editor_app.core.document.commands.srdf_parts import NewSrdf
from editor_app.core.document.selection import Selection
from editor_app.features.masks.window.panel import SelfCollisionPanel
from editor_app.window.joints.panel import JointsPanel
from editor_app.window.link_tree.link_model import LinkColumn
from editor_app.window.link_tree.link_tree import ARROW, LinkTreePanel, indent_of
from editor_app.window.main_window import MainWindow
from tests.helpers.breadth import of_each_kind
from tests.helpers.narrow_places import too_narrow
from tests.helpers.robots import example_robots
from tests.helpers.shared_workers import nothing_goes_on_running
from tests.helpers.windows import open_window, put_back, wait_until

__all__ = ["nothing_goes_on_running"]
LONG = 120.0
ROBOTS = {
    "pr2": "pr2_description/urdf/pr2.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
}


@pytest.fixture(scope="module")
def one_window(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    with open_window(tmp_path_factory.mktemp("settings")) as window:
        # No fit is made here: its process and its compiled engine would take longer than all tests.
        window.fitting.context.warm_preview = lambda: None  # type: ignore[method-assign]
        window.fitting.context.warm = lambda: None  # type: ignore[method-assign]
        # Nor is measured how much spheres cover: that would begin anew between two tests.
        window.fitting.measuring.stop()
        for spec in window.findChildren(QDockWidget):
            window.docks.panel(spec.objectName().removeprefix("dock."))
        yield window


@pytest.fixture(params=of_each_kind(tuple(ROBOTS), ("pr2",)))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(window: MainWindow, name: str, xrdf: Path | None = None) -> None:
    assert window.files.open(example_robots() / ROBOTS[name], xrdf)
    # Not for the findings, which other processes look for, long on a slow machine: nothing here is
    # about them.
    wait_until(lambda: not window.files.is_opening, LONG)


def test_every_panel_fits(one_window: MainWindow) -> None:
    window = one_window
    faults: dict[str, list[str]] = {}
    try:
        opened(window, "pr2")
        window.session.execute(NewSrdf())
        window.session.select(Selection(links=("l_gripper_r_finger_tip_link",)))
        for dock in window.findChildren(QDockWidget):
            panel: Any = window.docks.show(dock.objectName().removeprefix("dock."))
            for section in getattr(panel, "sections", {}).values():
                section.set_open(True)
            for page in (
                range(len(panel.pages)) if isinstance(panel, SelfCollisionPanel) else range(1)
            ):
                if isinstance(panel, SelfCollisionPanel):
                    panel.show_page(page)
                # Layouts settle in a turn or two; what stays is a fault.
                for _ in range(50):
                    QTest.qWait(5)
                    faults[f"{dock.windowTitle()} {page}"] = too_narrow(dock)
                    if not faults[f"{dock.windowTitle()} {page}"]:
                        break
    finally:
        put_back(window)
    assert not any(faults.values()), "\n".join(
        f"{panel}: {fault}" for panel in faults for fault in faults[panel]
    )


# -- names


def names_in_tree(panel: LinkTreePanel) -> list[tuple[str, str]]:
    """(name, as it is painted) of each row."""
    pairs = []
    index = panel.proxy.index(0, 0)
    while index.isValid():
        option = QStyleOptionViewItem()
        panel.tree.initViewItemOption(option)
        option.rect = panel.tree.visualRect(index).adjusted(indent_of(index) + ARROW, 0, 0, 0)
        panel.tree.cells.initStyleOption(option, index)
        pairs.append((str(index.data()), option.text))
        index = panel.tree.indexBelow(index)
    return pairs


def look_alike(pairs: list[tuple[str, str]]) -> list[str]:
    """What stands for more than one name, and what says nothing."""
    by_look: dict[str, set[str]] = {}
    for name, shown in pairs:
        by_look.setdefault(shown, set()).add(name)
    return [
        f"{shown!r} stands for {sorted(names)}"
        for shown, names in by_look.items()
        if len(names) > 1 or shown == "…"
    ]


def test_names_that_differ_look_different_in_tree_joints_and_matrix(
    one_window: MainWindow, name: str
) -> None:
    window = one_window
    try:
        opened(window, name)
        tree: Any = window.docks.show("links")
        wait_until(
            lambda: (
                not window.links_width._later.isActive()
                and tree.tree.columnWidth(LinkColumn.NAME) > 0
            ),
            LONG,
        )
        assert window.docks.dock("links").width() < 300, "at its first width"
        shown = names_in_tree(tree)
        assert len(shown) > 30
        assert not look_alike(shown)
        joints = window.docks.show("joints")
        assert isinstance(joints, JointsPanel)
        wait_until(lambda: all(row.name.text() for row in joints.rows.values()), LONG)
        assert not look_alike(
            [(row.name.whole_text, row.name.text()) for row in joints.rows.values()]
        )
        followers = [row.follows for row in joints.rows.values() if not row.follows.isHidden()]
        # Rows get their width after they are made, a few at a time.
        wait_until(
            lambda: not look_alike([(label.whole_text, label.text()) for label in followers]), LONG
        )
    finally:
        put_back(window)


def test_names_of_a_large_matrix_look_different_and_are_whole_in_the_whole_window(
    one_window: MainWindow, tmp_path: Path
) -> None:
    window = one_window
    urdf = example_robots() / ROBOTS["pr2"]
    links = re.findall(r'<link name="(\w+)"', urdf.read_text(encoding="utf-8"))
    text = ["format: xrdf", "format_version: 1.0", "geometry:", "  all:", "    spheres:"]
    for link in links:
        text += [f"      {link}:", "      - center: [0, 0, 0]", "        radius: 0.01"]
    text += ["self_collision:", "  geometry: all", "world_collision:", "  geometry: all", ""]
    xrdf = tmp_path / "pr2.xrdf"
    xrdf.write_text("\n".join(text), encoding="utf-8")
    panel: Any = window.docks.show("self-collision")
    panel.show_page(0)
    matrix = panel.matrix
    try:
        opened(window, "pr2", xrdf)
        matrix._fold(matrix.grouping.expand_all)
        assert len(matrix.rows) >= 60
        width_of = QFontMetrics(matrix.font()).horizontalAdvance

        def painted(room: int) -> list[tuple[str, str]]:
            labels = [row.label_without(matrix.shared) for row in matrix.rows]
            return [(label, matrix.names.cut(label, room, width_of)) for label in labels]

        assert not look_alike(painted(matrix.places.left - 4))
        window.registry.trigger("view.enlarge")
        wait_until(lambda: matrix.viewport().height() > 400, LONG)
        assert not look_alike(painted(matrix.places.left - 4))
        # The heads stand upright, and have room for long names only here.
        assert not look_alike(painted(matrix.places.top - 8))
        matrix._fold(matrix.grouping.collapse_branches)
        assert all(
            width_of(row.label_without(matrix.shared)) <= matrix.places.left - 4
            for row in matrix.rows
        )
    finally:
        if window.docks.bottom.is_large:
            window.registry.trigger("view.enlarge")
        put_back(window)
