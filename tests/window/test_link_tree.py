"""The link tree: shows the structure after the modifiers, finds, selects both ways, hides."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from editor_app.core.document.commands.lists import InsertItem, set_item
from editor_app.core.document.commands.spheres import AddSpheres
from editor_app.core.document.commands.srdf_parts import NewSrdf
from editor_app.core.document.selection import NOTHING, Selection
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.findings import Finding, FindingSubject, Severity, SphereRef
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.srdf import Group, ToolCenterPoint
from editor_app.core.model.xrdf import CollisionSphere, SetBaseFrame
from editor_app.window.link_tree.link_model import LinkColumn
from editor_app.window.link_tree.link_tree import ARROW, LinkTreePanel, indent_of
from editor_app.window.main_window import MainWindow
from editor_app.window.session import Hover
from tests.helpers.windows import settle


@pytest.fixture
def panel(window: MainWindow) -> LinkTreePanel:
    panel = window.docks.show("links")
    assert isinstance(panel, LinkTreePanel)
    panel.filter.clear()
    return panel


def rows(panel: LinkTreePanel) -> list[str]:
    """Names from top to bottom, as they are shown."""
    names, index = [], panel.proxy.index(0, 0)
    while index.isValid():
        names.append(index.data())
        index = panel.tree.indexBelow(index)
    return names


def cell(panel: LinkTreePanel, link: str, column: LinkColumn = LinkColumn.NAME) -> Any:
    index = panel.proxy.mapFromSource(panel.model.index_of(link))
    assert index.isValid(), f"{link} is not in the tree"
    return index.siblingAtColumn(column)


def click(
    panel: LinkTreePanel, index: Any, modifiers: Any = Qt.KeyboardModifier.NoModifier, at: int = 0
) -> None:
    rect = panel.tree.visualRect(index)
    place = QPoint(rect.left() + at, rect.center().y()) if at else rect.center()
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, modifiers, place)


def test_shows_the_frames_after_the_modifiers(panel: LinkTreePanel) -> None:
    # The base is set to "base": "world" and "side" are cut off; "tool" is added.
    assert rows(panel) == ["base", "upper", "lower", "hand", "left", "tool", "right"]
    assert cell(panel, "tool").data(Qt.ItemDataRole.FontRole).italic()
    assert "added" in cell(panel, "tool").data(Qt.ItemDataRole.ToolTipRole)
    assert "follows grip" in cell(panel, "right").data(Qt.ItemDataRole.ToolTipRole)


def test_follows_an_edit_of_the_modifiers_and_its_undo(
    window: MainWindow, panel: LinkTreePanel
) -> None:
    window.session.execute(set_item("xrdf.modifiers", 0, SetBaseFrame("lower")))
    assert rows(panel) == ["lower", "hand", "left", "tool", "right"]
    window.session.undo()
    assert rows(panel)[0] == "base"


def test_a_chain_is_indented_less_than_a_branch(panel: LinkTreePanel) -> None:
    in_chain = indent_of(cell(panel, "upper")) - indent_of(cell(panel, "base"))
    at_branch = indent_of(cell(panel, "left")) - indent_of(cell(panel, "hand"))
    assert 0 < in_chain < at_branch


def test_counts_the_spheres_of_the_active_group_as_one_edits(
    window: MainWindow, panel: LinkTreePanel
) -> None:
    assert cell(panel, "upper", LinkColumn.SPHERES).data() == "1"
    assert cell(panel, "hand", LinkColumn.SPHERES).data() == "–"
    window.session.execute(
        AddSpheres("spheres", "hand", (CollisionSphere((0.0, 0.0, 0.0), 0.1),) * 3)
    )
    assert cell(panel, "hand", LinkColumn.SPHERES).data() == "3"
    window.session.undo()
    assert cell(panel, "hand", LinkColumn.SPHERES).data() == "–"


def test_the_filter_keeps_parents_of_what_it_finds_and_knows_joints(panel: LinkTreePanel) -> None:
    QTest.keyClicks(panel.filter, "LEFT")
    assert rows(panel) == ["base", "upper", "lower", "hand", "left"]
    matches = [
        name
        for name in rows(panel)
        if cell(panel, name).data(Qt.ItemDataRole.ForegroundRole) is None
    ]
    assert matches == ["left"], "rows that only lead to a match are grey"
    panel.filter.clear()
    QTest.keyClicks(panel.filter, "elbow")
    assert rows(panel) == ["base", "upper", "lower"]
    panel.filter.clear()
    assert len(rows(panel)) == 7


def test_a_click_selects_and_ctrl_click_adds(window: MainWindow, panel: LinkTreePanel) -> None:
    click(panel, cell(panel, "upper"))
    assert window.session.selection == Selection(links=("upper",))
    click(panel, cell(panel, "hand"), Qt.KeyboardModifier.ControlModifier)
    assert window.session.selection == Selection(links=("upper", "hand"))
    click(panel, cell(panel, "upper"), Qt.KeyboardModifier.ControlModifier)
    assert window.session.selection == Selection(links=("hand",))


def test_what_is_selected_elsewhere_is_selected_here(
    window: MainWindow, panel: LinkTreePanel
) -> None:
    ref = SphereRef("spheres", "lower", 0)
    window.session.select(Selection(spheres=(ref,)))
    selected = [index.data() for index in panel.tree.selectionModel().selectedRows()]
    assert selected == ["lower"]
    # Following does not turn the selected sphere into a selected link.
    assert window.session.selection == Selection(spheres=(ref,))
    window.session.select(NOTHING)
    assert not panel.tree.selectionModel().hasSelection()


def test_a_click_on_the_link_of_selected_spheres_selects_the_link(
    window: MainWindow, panel: LinkTreePanel
) -> None:
    group = window.session.active_group
    assert group is not None
    window.session.select(Selection(spheres=(SphereRef(group, "upper", 0),)))
    click(panel, cell(panel, "upper"), at=60)
    assert window.session.selection == Selection(links=("upper",))


def test_the_arrow_keys_walk_and_space_hides(window: MainWindow, panel: LinkTreePanel) -> None:
    click(panel, cell(panel, "base"))
    QTest.keyClick(panel.tree, Qt.Key.Key_Down)
    assert window.session.selection.links == ("upper",)
    QTest.keyClick(panel.tree, Qt.Key.Key_Space)
    assert window.session.hidden == {"upper"}
    QTest.keyClick(panel.tree, Qt.Key.Key_Space)
    assert window.session.hidden == frozenset()


def test_esc_lets_the_selection_go(window: MainWindow, panel: LinkTreePanel) -> None:
    click(panel, cell(panel, "upper"))
    QTest.keyClick(panel.tree, Qt.Key.Key_Escape)
    assert window.session.selection == NOTHING


def test_the_eye_hides_one_link_and_with_alt_all_that_hangs_on_it(
    window: MainWindow, panel: LinkTreePanel
) -> None:
    click(panel, cell(panel, "lower", LinkColumn.EYE))
    assert window.session.hidden == {"lower"}
    assert window.session.selection == NOTHING, "the eye selects nothing"
    assert cell(panel, "lower", LinkColumn.EYE).data(Qt.ItemDataRole.AccessibleTextRole) == "hidden"
    click(panel, cell(panel, "lower", LinkColumn.EYE))
    assert window.session.hidden == frozenset()
    click(panel, cell(panel, "hand", LinkColumn.EYE), Qt.KeyboardModifier.AltModifier)
    assert window.session.hidden == {"hand", "left", "right", "tool"}


def test_the_eye_of_a_selected_link_hides_all_selected_ones(
    window: MainWindow, panel: LinkTreePanel
) -> None:
    window.session.select(Selection(links=("left", "right")))
    click(panel, cell(panel, "right", LinkColumn.EYE))
    assert window.session.hidden == {"left", "right"}


def test_the_arrow_folds_without_selecting(window: MainWindow, panel: LinkTreePanel) -> None:
    index = cell(panel, "hand")
    click(panel, index, at=indent_of(index) + ARROW // 2)
    assert rows(panel) == ["base", "upper", "lower", "hand"]
    assert window.session.selection == NOTHING


def test_pointing_at_a_row_is_told_to_the_others_and_back(
    window: MainWindow, panel: LinkTreePanel
) -> None:
    panel.tree.hovered.emit(cell(panel, "upper"))
    assert window.session.hover == Hover(link="upper")
    panel.tree.left.emit()
    assert window.session.hover == Hover()
    window.session.set_hover(Hover(link="lower"))
    assert cell(panel, "lower").data(Qt.ItemDataRole.BackgroundRole) is not None
    assert cell(panel, "upper").data(Qt.ItemDataRole.BackgroundRole) is None


def test_a_finding_shows_a_badge_that_leads_to_the_list(
    window: MainWindow, panel: LinkTreePanel
) -> None:
    finding = Finding(
        "T001", Severity.ERROR, "the lower link is odd", subject=FindingSubject(links=("lower",))
    )
    window.feed.report("test", [finding])
    assert (
        cell(panel, "lower", LinkColumn.FINDINGS).data(Qt.ItemDataRole.DecorationRole) is not None
    )
    assert cell(panel, "upper", LinkColumn.FINDINGS).data(Qt.ItemDataRole.DecorationRole) is None
    click(panel, cell(panel, "lower", LinkColumn.FINDINGS))
    findings: Any = window.docks.panel("findings")
    assert findings.shown == (finding,)
    assert findings.isVisible()


def test_is_empty_with_a_hint_without_a_robot(window: MainWindow, panel: LinkTreePanel) -> None:
    window.session.open(None)
    settle(window)
    assert panel.empty.isVisible()
    assert "Open a robot" in panel.empty.text()


def test_sensors_and_tools_stand_on_their_links(panel: LinkTreePanel, window: MainWindow) -> None:
    session = window.session
    assert session.execute(InsertItem("urdf.sensors", Sensor("eye", "camera", "hand")))
    group = Group("arm", chains=(("base", "hand"),))
    assert session.execute(NewSrdf())
    assert session.execute(InsertItem("srdf.groups", group))
    assert session.execute(
        set_item(
            "srdf.tcps", ("pen", group.name), ToolCenterPoint("pen", group.name, (0.0, 0.0, 0.1))
        )
    )
    settle(window)
    eye, pen = (
        RobotFeature(FeatureKind.SENSOR, "eye"),
        RobotFeature(FeatureKind.TCP, "pen", group.name),
    )
    index = panel.model.index_of(eye)
    assert index.parent().data() == "hand"
    assert "camera" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert {"eye", "pen", group.name} <= set(rows(panel))
    panel.filter.setText("camera")
    assert "eye" in rows(panel)
    assert "pen" not in rows(panel)
    panel.filter.clear()
    session.select(Selection(features=(pen,)))
    chosen = panel.proxy.mapFromSource(panel.model.index_of(pen))
    assert panel.tree.selectionModel().isSelected(chosen)
    session.undo()
    settle(window)
    assert "pen" not in rows(panel)
    assert session.selection.features == ()


def test_a_click_on_a_group_shows_what_it_moves(panel: LinkTreePanel, window: MainWindow) -> None:
    session = window.session
    assert session.execute(NewSrdf())
    assert session.execute(InsertItem("srdf.groups", Group("arm", chains=(("base", "hand"),))))
    feature = RobotFeature(FeatureKind.GROUP, "arm")
    index = panel.proxy.mapFromSource(panel.model.index_of(feature))
    panel.tree.scrollTo(index)
    QTest.mouseClick(
        panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=panel.tree.visualRect(index).center()
    )
    assert session.selection.features == (feature,)
    assert session.selection.joints == ("shoulder", "elbow")
    panel.feature_requested.emit(feature)
    settle(window)
    stack = window.docks.panel("srdf")
    assert stack is not None
    assert "srdf.groups" in stack.open_sections()  # type: ignore[attr-defined]
