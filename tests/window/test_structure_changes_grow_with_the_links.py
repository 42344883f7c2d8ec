"""A change of the structure costs steps in proportion to the links: counted, not timed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel
from PySide6.QtTest import QTest

from editor_app.core.document.commands import RenameLink
from editor_app.features.checks.window.slow_checks import SlowChecksFeed
from editor_app.window.link_tree.link_model import LinkTreeModel
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import open_window, wait_until

pytestmark = pytest.mark.gui
LINKS = 300


def chain_of(links: int) -> str:
    shape = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    bodies = "".join(f'<link name="link_{i}">{shape}</link>' for i in range(links))
    joints = "".join(
        f'<joint name="joint_{i}" type="revolute"><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>'
        f'<parent link="link_{i - 1}"/><child link="link_{i}"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for i in range(1, links)
    )
    return f'<robot name="chain">{bodies}{joints}</robot>'


@pytest.fixture
def window(tmp_path: Path, qapp: object, slow_rules_wait: None) -> Iterator[MainWindow]:
    urdf = tmp_path / "chain.urdf"
    urdf.write_text(chain_of(LINKS))
    with open_window(tmp_path) as window:
        assert window.files.open(urdf, None)
        wait_until(lambda: not window.files.is_opening and not window.meshes.is_loading)
        yield window


@pytest.fixture
def slow_rules_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """45,000 pairs of links are not what these tests are about."""
    monkeypatch.setattr(SlowChecksFeed, "_again", lambda *_: None)


def test_renaming_a_link_asks_each_row_of_the_tree_a_few_times(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    parent = LinkTreeModel.parent

    def counted_parent(model: QAbstractItemModel, index: object) -> object:
        nonlocal asked
        asked += 1
        return parent(model, index)  # type: ignore[arg-type]

    monkeypatch.setattr(LinkTreeModel, "parent", counted_parent)
    window.session.execute(RenameLink("link_3", "elbow"))
    QTest.qWait(0)
    assert "elbow" in window.docks.show("links").model.names
    assert asked < 40 * LINKS
    window.session.undo()
    QTest.qWait(0)


def test_renaming_a_link_keeps_the_rows_of_the_joints(window: MainWindow) -> None:
    panel = window.docks.show("joints")
    rows = dict(panel.rows)
    window.session.execute(RenameLink("link_1", "shoulder"))
    QTest.qWait(0)
    assert panel.rows.items() >= rows.items()
    assert "shoulder" in rows["joint_1"].toolTip()
    window.session.undo()
    QTest.qWait(0)
    assert "link_1" in rows["joint_1"].toolTip()


def test_rows_are_made_for_the_joints_in_sight_and_follow_the_scrolling(window: MainWindow) -> None:
    panel = window.docks.show("joints")
    last = f"joint_{LINKS - 1}"
    assert 0 < len(panel.rows) < LINKS // 2
    assert last not in panel.rows
    window.session.set_joint(last, 0.5)
    bar = panel.area.verticalScrollBar()
    bar.setValue(bar.maximum())
    wait_until(lambda: last in panel.rows)
    row = panel.rows[last]
    assert row.isVisible()
    assert row.position == pytest.approx(0.5)
    assert panel.rows["joint_1"].field.width() == row.field.width()


def test_the_filter_makes_the_row_that_it_lets_through(window: MainWindow) -> None:
    panel = window.docks.show("joints")
    panel.filter.setText("joint_150")
    assert panel.rows["joint_150"].isVisible()
    assert not panel.rows["joint_1"].isVisible()
    panel.filter.clear()
    assert panel.rows["joint_1"].isVisible()
