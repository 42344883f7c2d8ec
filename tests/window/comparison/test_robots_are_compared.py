"""Compare with another robot: rows of what differs, the joint that a row is about, the pose where
frames are apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import editor_app
from editor_app.core.document.selection import Selection
from editor_app.plugins.comparison.window.comparison_dialog import RobotComparisonDialog
from editor_app.window import dialogs
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import button, menu_action, open_window, wait_until


def rows(dialog: RobotComparisonDialog) -> list[list[str]]:
    items = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
    return [[item.text(column) for column in range(5)] for item in items if item is not None]


def test_rows_follow_the_robot_and_lead_to_its_joints(
    tmp_path: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    urdf, other = copy_of_sample(tmp_path / "mine"), copy_of_sample(tmp_path / "theirs")
    text = other.read_text(encoding="utf-8")
    assert text.count('<origin xyz="0 0 0.36" rpy="0 0 0"/>') == 1
    other.write_text(text.replace('xyz="0 0 0.36"', 'xyz="0 0 0.365"'), encoding="utf-8")
    monkeypatch.setattr(dialogs, "choose_file", lambda *_: str(other))
    with open_window(tmp_path, urdf) as window:
        session = window.session
        menu_action(window, "File", "Compare", "Compare with another robot").trigger()
        dialog = next(d for d in window.findChildren(RobotComparisonDialog) if d.isVisible())
        wait_until(lambda: dialog.compared is not None)
        assert rows(dialog) == [
            [
                "URDF",
                "joints.elbow_pitch_joint.origin",
                "xyz [0, 0, 0.365], rpy [0, 0, 0]",
                "xyz [0, 0, 0.36], rpy [0, 0, 0]",
                "moved by 5 mm",
            ]
        ]
        assert dialog.summary.text() == "1 difference in URDF, XRDF, SRDF."
        verb = editor_app.diff(other, urdf)
        assert verb.deviations is not None
        assert verb.deviations.farthest is not None
        assert f"{verb.deviations.farthest.frame} deviates most, by 5.00 mm" in dialog.frames.text()
        item = dialog.list.topLevelItem(0)
        assert item is not None
        middle = dialog.list.visualItemRect(item).center()
        QTest.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=middle)
        assert session.selection == Selection(joints=("elbow_pitch_joint",))
        button(dialog, "pose").click()
        farthest = verb.deviations.farthest
        assert {joint: session.pose[joint] for joint in farthest.farthest} == dict(
            farthest.farthest
        )
        # An edit here is compared at once.
        session.execute(editor_app.commands.InsertItem("xrdf.tool_frames", "wrist_link"))
        wait_until(lambda: dialog.compared is not None and len(rows(dialog)) == 2)
        assert rows(dialog)[1][:2] == ["XRDF", "tool_frames"]
        session.undo()
        dialog.names.setText("nonsense")
        wait_until(lambda: "is not a pair of names" in dialog.summary.text())
        assert rows(dialog) == []
        dialog.close()
        wait_until(lambda: not window.findChildren(RobotComparisonDialog))


def test_the_page_of_behaviour_follows_the_robot_and_shows_its_configurations(
    tmp_path: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    urdf, other = copy_of_sample(tmp_path / "mine"), copy_of_sample(tmp_path / "theirs")
    text = urdf.read_text(encoding="utf-8")
    assert text.count('upper="2.268928"') == 1
    urdf.write_text(text.replace('upper="2.268928"', 'upper="1.2"'), encoding="utf-8")
    monkeypatch.setattr(dialogs, "choose_file", lambda *_: str(other))
    with open_window(tmp_path, urdf) as window:
        session = window.session
        menu_action(window, "File", "Compare", "Compare with another robot").trigger()
        dialog = next(d for d in window.findChildren(RobotComparisonDialog) if d.isVisible())
        (page,) = dialog.pages
        assert page.compared is None
        dialog.tabs.setCurrentWidget(page)
        wait_until(lambda: page.compared is not None)
        verb = editor_app.compare_behaviour(other, urdf)
        assert page.compared == verb
        assert verb.told[0] in page.summary.text()
        items = [page.list.topLevelItem(row) for row in range(page.list.topLevelItemCount())]
        assert [item.text(0) for item in items if item is not None] == [
            *(" and ".join(change.names) for change in verb.changes),
            *(f"Query {query.number}" for query in verb.queries),
        ]
        item = items[0]
        assert item is not None
        middle = page.list.visualItemRect(item).center()
        QTest.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=middle)
        assert session.selection == Selection(joints=("shoulder_pitch_joint",))
        case = verb.changes[0].cases[0]
        assert {joint: session.pose[joint] for joint in case.pose} == dict(case.pose)
        # An edit here is compared at once.
        session.execute(editor_app.commands.InsertItem("xrdf.tool_frames", "wrist_link"))
        wait_until(lambda: page.compared is not None and page.compared is not verb)
        dialog.close()
        wait_until(lambda: not window.findChildren(RobotComparisonDialog))
