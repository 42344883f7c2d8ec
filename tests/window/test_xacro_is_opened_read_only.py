"""A xacro file is asked about, expanded in a process of its own, and opened read-only; its source
is watched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QPushButton

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.commands.urdf_robot import SetRobot
from editor_app.core.document.journal import journal_folder
from editor_app.core.document.state import FileKind
from editor_app.window import dialogs
from editor_app.window.files.questions import XacroDialog
from editor_app.window.main_window import MainWindow
from editor_app.window.urdf.link import RobotPanel
from editor_app.window.urdf.panel import ExpansionBanner
from editor_app.window.xrdf.section_stack import SectionStack
from tests.helpers.windows import button, menu_action, settle, wait_until

XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/>
  <link name="base"/><link name="tip"/>
  <joint name="j" type="fixed"><parent link="base"/><child link="tip"/><origin xyz="0 0 ${2 * float('$(arg length)')}"/>
  </joint>
</robot>
"""
REASON = "This URDF was expanded from robot.urdf.xacro: save it as a URDF to edit it."


def question(window: MainWindow) -> XacroDialog:
    """The question that is open now."""
    return next(d for d in window.findChildren(XacroDialog) if d.isVisible())


def length(window: MainWindow) -> float:
    joint = window.session.robot.urdf.joint("j")
    return joint.origin.xyz[2] if joint is not None else 0.0


def expand(window: MainWindow, source: Path, value: str) -> None:
    """Opens a xacro file with an argument, and waits until it is there."""
    window.files.open_paths([source])
    question(window).fields["length"].setText(value)
    button(question(window), "expand").click()
    wait_until(lambda: length(window) == 2 * float(value))
    settle(window)


def test_it_asks_first_and_opens_the_expansion_without_writing_a_file(
    window: MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "robot.urdf.xacro"
    source.write_text(XACRO)
    before = sorted(tmp_path.iterdir())
    window.files.open_paths([source])
    asked = question(window)
    assert any("Python" in label.text() for label in asked.findChildren(QLabel))
    assert asked.fields["length"].placeholderText() == "0.5"
    asked.reject()
    settle(window)
    assert not [job for job in window.jobs.running if "xacro" in job.name], (
        "nothing is evaluated before the answer"
    )
    window.xacro_arguments = ["length:=0.25"]
    window.files.open_paths([source])
    assert question(window).fields["length"].text() == "0.25", "as the command line gave it"
    window.xacro_arguments = ()
    question(window).reject()
    expand(window, source, "0.75")
    assert sorted(tmp_path.iterdir()) == before
    assert window.windowTitle() == "robot.xrdf[*] – expansion of robot.urdf.xacro – XRDF Editor"
    # As a recently opened one it is asked about again.
    window.files.open_recent(*window.settings.recent[0])
    assert question(window).fields["length"].text() == ""
    question(window).reject()


def test_what_edits_the_urdf_is_off_until_it_is_saved_as_one(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "robot.urdf.xacro", tmp_path / "robot.urdf"
    source.write_text(XACRO)
    expand(window, source, "0.75")
    document = window.session.document
    stack = window.docks.show("urdf")
    assert isinstance(stack, SectionStack)
    panel = stack.reveal("urdf.robot")
    assert isinstance(panel, RobotPanel)
    banner = stack.findChild(ExpansionBanner)
    assert banner is not None
    wait_until(lambda: banner.isVisible())
    assert banner.text.text() == REASON
    assert stack.viewport().y() >= banner.height() > 0, "it stays when the sections scroll"
    assert not panel.fields["name"].isEnabled()
    assert not panel.world.isEnabled()
    assert panel.positions.isEnabled(), "they stand in the XRDF"
    world = menu_action(window, "Robot", "Whole URDF", "Detach from base")
    assert not world.isEnabled()
    told: list[str] = []
    window.session.refused.connect(told.append)
    assert not window.session.execute(SetRobot(name="other"))
    window.session.refused.disconnect(told.append)
    assert told == [REASON]
    assert window.session.execute(InsertItem("xrdf.tool_frames", "tip"))
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(target))
    button(banner, "save_urdf_as").click()
    settle(window)
    assert target.is_file()
    assert document is window.session.document
    assert document.path(FileKind.URDF) == target
    assert not banner.isVisible()
    assert stack.viewport().y() == 0
    assert panel.fields["name"].isEnabled()
    assert panel.world.isEnabled()
    assert menu_action(window, "Robot", "Whole URDF", "Detach from base").isEnabled()
    assert not menu_action(window, "File", "Save other", "Save as URDF").isEnabled()
    assert window.windowTitle() == "robot.xrdf[*] – robot.urdf – XRDF Editor"
    assert window.session.execute(SetRobot(name="other"))
    assert window.files.save()
    assert 'name="other"' in target.read_text()
    assert (tmp_path / "robot.xrdf").is_file()
    # The saved one goes on watching what it came from.
    source.write_text(XACRO.replace("2 * float", "4 * float"))
    wait_until(lambda: "changed since robot.urdf was expanded" in window.central.notice.text)
    assert length(window) == 1.5
    settle(window)


def test_a_changed_source_offers_to_expand_again_and_keeps_the_xrdf(
    window: MainWindow, tmp_path: Path
) -> None:
    source, part = tmp_path / "robot.urdf.xacro", tmp_path / "part.xacro"
    include = '<xacro:include filename="part.xacro"/>'
    source.write_text(XACRO.replace('<link name="base"/>', f'{include}<link name="base"/>'))
    part.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="x" '
        'value="1"/></robot>'
    )
    expand(window, source, "0.75")
    assert window.session.execute(InsertItem("xrdf.tool_frames", "tip"))
    assert window.files.save()
    assert not window.central.notice.isVisible()
    # What the source includes counts as much as the source.
    part.write_text(part.read_text().replace('value="1"', 'value="2"'))
    wait_until(lambda: "part.xacro" in window.central.notice.text)
    source.write_text(source.read_text().replace("2 * float", "4 * float"))
    wait_until(
        lambda: window.central.notice.text.startswith(
            "robot.urdf.xacro changed since it was expanded"
        )
    )
    # Reading the files again evaluates nothing.
    window.files.reload()
    wait_until(lambda: not window.files.is_opening)
    assert length(window) == 1.5
    wait_until(lambda: window.central.notice.isVisible())
    next(
        b for b in window.central.notice.findChildren(QPushButton) if b.text() == "Expand again…"
    ).click()
    assert question(window).fields["length"].text() == "0.75"
    button(question(window), "expand").click()
    wait_until(lambda: length(window) == 3.0)
    document = window.session.document
    assert document.expansion is not None
    assert document.robot.xrdf.tool_frames == ("tip",)
    assert not (tmp_path / "robot.urdf").exists()
    settle(window)


def test_unsaved_work_on_it_is_restored_without_evaluating_it_again(
    window: MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "robot.urdf.xacro"
    source.write_text(XACRO)
    expand(window, source, "0.75")
    assert window.session.execute(InsertItem("xrdf.tool_frames", "tip"))
    journals: list[Path] = []

    def noted() -> bool:
        journals[:] = [
            path
            for path in journal_folder().glob("*.json")
            if '"Add tool frame' in path.read_text()
        ]
        return bool(journals)

    wait_until(noted)
    entry = json.loads(journals[0].read_text())
    # As a session leaves it that was killed: no process has that number.
    orphan = journals[0].with_name("orphan.json")
    orphan.write_text(json.dumps({**entry, "pid": 2**30}))
    window.session.open(None)
    source.write_text("broken")
    assert window.journaling.offer()
    next(
        b for b in window.central.notice.findChildren(QPushButton) if b.text() == "Restore"
    ).click()
    wait_until(lambda: window.session.has_robot and window.session.document.position == 1)
    document = window.session.document
    assert document.robot.xrdf.tool_frames == ("tip",)
    assert document.expansion is not None
    assert document.expansion.source == source
    assert length(window) == 1.5
    wait_until(lambda: not orphan.exists())
    settle(window)


def test_cancel_ends_an_expansion_that_goes_on_for_ever(window: MainWindow, tmp_path: Path) -> None:
    source = tmp_path / "slow.urdf.xacro"
    # A thousand million steps in one expression: nothing but the end of its process stops that.
    source.write_text(XACRO.replace("${2 *", "${max(range(10**9)) * 0 + 2 *"))
    window.files.open_paths([source])
    button(question(window), "expand").click()
    beats: list[int] = []
    timer = QTimer(window, interval=10)
    timer.timeout.connect(lambda: beats.append(1))
    timer.start()
    wait_until(lambda: len(beats) > 30)
    timer.stop()
    timer.deleteLater()
    [job] = [job for job in window.jobs.running if job.name == "Expanding slow.urdf.xacro"]
    job.cancel()
    wait_until(lambda: job not in window.jobs.running)
    assert window.session.document.expansion is None


def test_what_is_missing_is_asked_for_again_with_what_was_typed(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "robot.urdf.xacro"
    package = tmp_path / "elsewhere" / "lengths"
    package.mkdir(parents=True)
    (package / "most.xacro").write_text('<robot><property name="x" value="1"/></robot>')
    text = XACRO.replace(
        '  <xacro:arg name="length" default="0.5"/>\n',
        '  <xacro:arg name="colour" default="red"/>\n',
    )
    source.write_text(
        text.replace(
            "</robot>", '  <xacro:include filename="$(find lengths)/most.xacro"/>\n</robot>'
        )
    )
    window.files.open_paths([source])
    first = question(window)
    assert first.fields["length"].placeholderText() == "needed"
    assert first.message.text == ""
    first.fields["colour"].setText("blue")
    button(first, "expand").click()
    wait_until(lambda: asked_again(window, first))
    second = question(window)
    assert "Enter a value for length." in second.message.text
    assert f"{source}:4:" in second.message.text
    assert second.fields["colour"].text() == "blue"
    second.fields["length"].setText("0.25")
    button(second, "expand").click()
    wait_until(lambda: asked_again(window, second))
    third = question(window)
    assert "package 'lengths' was not found" in third.message.text
    assert third.fields["length"].text() == "0.25"
    monkeypatch.setattr(dialogs, "choose_folder", lambda *_: str(package.parent))
    assert third.locate.text() == "Folder of lengths…"
    third.locate.click()
    wait_until(lambda: window.session.has_robot and window.session.document.expansion is not None)
    assert length(window) == 0.5
    assert ("lengths", package) in window.settings.mesh_folders.of(source)
    settle(window)


def asked_again(window: MainWindow, before: XacroDialog) -> bool:
    return any(d is not before and d.isVisible() for d in window.findChildren(XacroDialog))
