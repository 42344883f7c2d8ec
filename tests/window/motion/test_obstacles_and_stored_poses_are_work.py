"""Obstacles and stored poses: asked about before they are lost, undone by Ctrl+Z, kept through a
reload and a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from editor_app.core.document.beside import Beside, beside_from_json, beside_to_json
from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.commands.srdf_parts import NewSrdf
from editor_app.core.formats.scenes import read_scene
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.scene import BoxShape, CylinderShape, MeshShape, Obstacle, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.plugins.motion.window.panel import MotionPanel
from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from tests.helpers.documents import make_document
from tests.helpers.windows import answer, focus, open_in, open_window, settle, wait_until

BOX = BoxShape((0.4, 0.4, 0.4))
CTRL = Qt.KeyboardModifier.ControlModifier
SCENE = Scene(
    (
        Obstacle("crate", BOX, (0.1 + 0.2, 0.0, -1e-9), (0.5, 0.5, 0.5, 0.5), ("hand",)),
        Obstacle(
            "pillar",
            CylinderShape(0.1, 2.0),
            may_touch_at_start=("hand",),
            may_touch_at_end=("rail", "hand"),
        ),
        Obstacle("tree", MeshShape("tree.stl", (1.0, 1.0, 0.5))),
    ),
    "/robots/cell",
)


@pytest.fixture
def panel(window: MainWindow) -> MotionPanel:
    panel = window.motion.show_panel()
    panel.tabs.setCurrentWidget(panel.scene)
    return panel


def names(window: MainWindow) -> list[str]:
    return [obstacle.name for obstacle in window.motion.controller.scene.obstacles]


def asked(seen: list[str]) -> list[str]:
    """The questions without their bold print."""
    return [text.replace("<b>", "").replace("</b>", "") for text in seen]


def test_links_may_touch_an_obstacle_at_the_start_or_end(
    window: MainWindow, panel: MotionPanel
) -> None:
    panel.scene.add("box", BOX)
    controller, box = window.motion.controller, panel.scene
    link = window.session.robot.urdf.links[-1].name
    assert not box.distance.isEnabled()
    refused: list[str] = []
    window.session.refused.connect(refused.append)
    for key, text in (
        ("may_touch", link),
        ("may_touch_at_end", f" {link} , {link},"),
        ("may_touch_at_start", "nose"),
    ):
        box.touch[key].setText(text)
        box.touch[key].editingFinished.emit()
    assert refused == ["The robot has no link 'nose'."]
    assert box.touch["may_touch_at_start"].text() == ""
    (obstacle,) = controller.scene.obstacles
    assert obstacle.contacts == ((link,), (), (link,), 0.05)
    assert box.distance.isEnabled()
    box.distance.edited.emit(0.02, False)
    assert controller.scene.obstacles[0].touch_distance == 0.02
    box.distance.edited.emit(0.0, False)
    assert refused[1:] == ["The distance must be above 0."]
    assert beside_from_json(beside_to_json(window.session.beside)).scene == controller.scene
    for contacts in (((link,), (), (link,), 0.05), ((link,), (), (), 0.05), ((), (), (), 0.05)):
        window.session.undo()
        assert controller.scene.obstacles[0].contacts == contacts
    window.session.redo()
    assert box.touch["may_touch"].text() == link
    wait_until(lambda: not window.jobs.running)


def test_closing_asks_about_obstacles(window: MainWindow, panel: MotionPanel) -> None:
    panel.scene.add("box", BOX)
    seen: list[str] = []
    answer("cancel", seen)
    window.registry.trigger("file.close")
    assert asked(seen) == ["Save the changes to the scene (1 obstacle)?"]
    assert names(window) == ["box"]
    window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    answer("discard", seen)
    window.registry.trigger("file.close")
    assert asked(seen)[1] == "Save the changes to arm.xrdf and the scene (1 obstacle)?"
    assert not window.session.has_robot


def test_opening_another_robot_asks_and_saves(
    window: MainWindow, panel: MotionPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.scene.add("box", BOX)
    window.motion.controller.store_pose()
    (tmp_path / "other").mkdir()
    make_document(tmp_path / "other")
    seen: list[str] = []
    targets = iter((str(tmp_path / "cell.yaml"), str(tmp_path / "way.csv")))
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: next(targets))
    answer("save", seen)
    open_in(window, tmp_path / "other" / "arm.urdf")
    assert asked(seen) == ["Save the changes to the scene (1 obstacle) and the motion (1 pose)?"]
    assert [o.name for o in read_scene(tmp_path / "cell.yaml").obstacles] == ["box"]
    assert (tmp_path / "way.csv").read_text() == "shoulder,elbow,grip\n0.0,0.5,0.2\n"
    assert names(window) == []
    assert window.motion.controller.player.trajectory is None


def test_giving_up_the_file_of_the_scene_keeps_the_robot_open(
    window: MainWindow, panel: MotionPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.scene.add("box", BOX)
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: "")
    answer("save")
    window.registry.trigger("file.close")
    assert names(window) == ["box"]


def test_a_scene_that_a_file_holds_is_not_asked_about(
    window: MainWindow, panel: MotionPanel, tmp_path: Path
) -> None:
    panel.scene.add("box", BOX)
    window.motion.controller.save_scene(tmp_path / "cell.yaml")
    assert window.files.may_lose_document()
    panel.scene.place[0].edited.emit(0.9, False)
    seen: list[str] = []
    answer("cancel", seen)
    assert not window.files.may_lose_document()
    changed = window.motion.controller.scene
    panel.scene.open_scene(tmp_path / "cell.yaml")
    wait_until(lambda: window.motion.controller.scene is not changed)
    assert window.files.may_lose_document()
    assert len(seen) == 1


def test_a_scene_that_cannot_be_read_is_told(
    window: MainWindow, panel: MotionPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.scene.add("box", BOX)
    told: list[str] = []
    monkeypatch.setattr(dialogs, "show_error", lambda _, title, why, *__: told.extend((title, why)))
    (tmp_path / "cell.yaml").write_text("hello: 1\n")
    panel.scene.open_scene(tmp_path / "cell.yaml")
    wait_until(lambda: told)
    assert told[0] == "Cannot open the scene"
    assert "The file is not a scene" in told[1]
    assert names(window) == ["box"]


def test_ctrl_z_takes_obstacles_back(window: MainWindow, panel: MotionPanel) -> None:
    def key(key: Qt.Key) -> None:
        QTest.qWait(1)  # What an action may do is asked when the loop is idle.
        QTest.keyClick(window, key, CTRL)

    focus(window)
    scene = window.motion.controller
    panel.scene.add("box", BOX)
    panel.scene.add("ball", BOX)
    panel.scene.place[0].edited.emit(0.7, True)
    panel.scene.place[0].edited.emit(0.8, True)
    panel.scene.place[0].finished.emit()
    panel.scene.choose(0)
    panel.scene.remove_button.click()
    assert names(window) == ["ball"]
    key(Qt.Key.Key_Z)
    assert names(window) == ["box", "ball"]
    key(Qt.Key.Key_Z)
    assert scene.scene.obstacles[1].position[0] == pytest.approx(0.6), (
        "turning a number is one step"
    )
    key(Qt.Key.Key_Z)
    key(Qt.Key.Key_Z)
    assert names(window) == []
    key(Qt.Key.Key_Y)
    assert names(window) == ["box"]
    assert panel.scene.names.items[0].name == "box"
    document = window.session.document
    assert not document.is_modified, "no file of the robot has changed"


def test_stored_poses_are_steps(window: MainWindow, panel: MotionPanel) -> None:
    controller, player = window.motion.controller, window.motion.controller.player
    controller.store_pose()
    window.session.set_joint("elbow", 1.0)
    controller.store_pose()
    assert player.trajectory is not None
    stored = player.trajectory
    controller.set_trajectory(Trajectory(("elbow",), ((0.0,), (1.0,))))
    window.session.undo()
    assert player.trajectory == stored
    assert player.seconds == player.duration
    window.registry.trigger("motion.clear")
    assert player.trajectory is None
    window.session.undo()
    window.session.undo()
    assert player.trajectory is not None
    assert len(player.trajectory) == 1
    seen: list[str] = []
    answer("cancel", seen)
    assert not window.files.may_lose_document()
    assert asked(seen) == ["Save the changes to the motion (1 pose)?"]


def test_a_motion_goes_through_the_poses_of_the_list_beside_the_sliders(
    window: MainWindow, panel: MotionPanel
) -> None:
    controller, session, book = window.motion.controller, window.session, window.poses

    def stored() -> list[str]:
        return [entry.name for entry in book.entries()][1:]

    session.set_joint("shoulder", 0.25)
    window.registry.trigger("pose.store")
    book.rename(book.chosen[0], "reach")
    window.registry.trigger("motion.store")
    assert stored() == ["reach"], "it is stored already"
    session.set_joint("shoulder", 0.5)
    window.registry.trigger("motion.store")
    assert stored() == ["reach", "Pose 1"]
    book.go_to(book.entries()[1])
    window.registry.trigger("motion.store")
    assert ", ".join(session.beside.motion) == "reach, Pose 1, reach"
    player = controller.player
    assert player.trajectory is not None
    assert [player.trajectory.pose(k)["shoulder"] for k in range(3)] == [0.25, 0.5, 0.25]
    window.motion.ask_goal()
    texts = [action.text() for action in window.motion.goals.actions()]
    window.motion.goals.close()
    assert (texts.count("reach"), texts.count("Pose 1")) == (1, 1), (
        "each pose once, by the name of the list"
    )
    book.delete((book.entries()[1],))
    assert ", ".join(session.beside.motion) == "Pose 1"
    assert player.trajectory is not None
    assert len(player.trajectory) == 1
    session.undo()
    assert (stored(), len(player.trajectory)) == (["reach", "Pose 1"], 3)
    window.registry.trigger("motion.clear")
    assert player.trajectory is None
    assert stored() == ["reach", "Pose 1"], "the poses stay"


def test_a_pose_is_added_to_a_motion_of_a_file_that_has_no_times(
    window: MainWindow, panel: MotionPanel
) -> None:
    controller, session = window.motion.controller, window.session
    joints = tuple(session.free_pose)
    rows = ((0.0, 0.0, 0.1), (0.5, 0.25, 0.1))
    controller.set_trajectory(Trajectory(joints, rows, labels=("home", "ready")))
    session.set_joint("shoulder", -0.5)
    controller.store_pose()
    assert ", ".join(session.beside.motion) == "home, ready, Pose 1"
    controller.set_trajectory(Trajectory(joints, rows, times=(0.0, 1.0)))
    session.set_joint("shoulder", -0.5)
    controller.store_pose()
    assert ", ".join(session.beside.motion) == "Pose 1", "one with times is another motion"


def test_reading_the_files_anew_keeps_what_stands_beside_the_robot(
    window: MainWindow, panel: MotionPanel
) -> None:
    panel.scene.add("box", BOX)
    before = window.session.document
    window.files.reload()
    wait_until(lambda: window.session.document is not before and not window.files.is_opening)
    settle(window)
    assert names(window) == ["box"]
    assert window.session.document.unsaved_beside.names() == ("the scene (1 obstacle)",)


def test_a_verdict_goes_with_its_motion(window: MainWindow, panel: MotionPanel) -> None:
    controller, words = window.motion.controller, panel.results.sentence
    way = Trajectory(("elbow",), ((0.0,), (1.0,)))
    for change in (
        lambda: controller.set_trajectory(way),
        lambda: panel.scene.add("box", BOX),
        lambda: window.session.execute(InsertItem("xrdf.tool_frames", "hand")),
        lambda: controller.set_trajectory(None),
    ):
        controller.result_came.emit("A motion of 14 points, proven free.")
        assert words.isVisibleTo(panel.results)
        change()
        assert words.text() == "", "it is about another motion, scene or robot"


def test_title_and_question_name_the_file_that_changed(window: MainWindow) -> None:
    window.session.execute(NewSrdf())
    assert window.windowTitle() == "arm.srdf (new)[*] – arm.urdf – XRDF Editor"
    seen: list[str] = []
    answer("cancel", seen)
    assert not window.files.may_lose_document()
    window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    assert window.windowTitle() == "arm.xrdf[*], arm.srdf (new)[*] – arm.urdf – XRDF Editor"
    answer("cancel", seen)
    assert not window.files.may_lose_document()
    assert asked(seen) == [
        f"Save the changes to {files}?"
        for files in ("arm.srdf (new)", "arm.xrdf and arm.srdf (new)")
    ]


def test_the_journal_holds_every_number() -> None:
    poses = {
        "Pose 1": FrozenDict({"elbow": 0.1 + 0.2, "grip": -1e-9}),
        'the "far", one': FrozenDict({"elbow": 1.0, "grip": 2.0}),
    }
    beside = Beside(SCENE, FrozenDict(poses), ('the "far", one', "Pose 1", 'the "far", one'))
    assert beside_from_json(beside_to_json(beside)) == beside
    assert beside_from_json(beside_to_json(Beside())) == Beside()
    assert beside_from_json({"scene": "no scene"}) == Beside()
    older = beside_from_json({"motion": "elbow\n0.5\n1.5\n"})
    assert older.poses == {"Pose 1": {"elbow": 0.5}, "Pose 2": {"elbow": 1.5}}
    assert older.motion == ("Pose 1", "Pose 2")


def test_a_joint_that_a_pose_does_not_name_stays_where_it_was() -> None:
    a, b, c = (
        FrozenDict({"elbow": 1.0}),
        FrozenDict({"elbow": 2.0, "grip": 0.1}),
        FrozenDict({"elbow": 3.0}),
    )
    beside = Beside(poses=FrozenDict({"a": a, "b": b, "c": c}), motion=("a", "b", "c"))
    assert beside.trajectory is not None
    assert [beside.trajectory.pose(k) for k in range(3)] == [
        {"elbow": 1.0, "grip": 0.1},
        {"elbow": 2.0, "grip": 0.1},
        {"elbow": 3.0, "grip": 0.1},
    ]


_SESSION = """
import sys, time
from editor_app import open_robot
from editor_app.core.document.beside import Beside
from editor_app.core.document.journal import Journal, plan_entry
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.scene import BoxShape, Obstacle, Scene
document = open_robot(sys.argv[1])
document.set_beside(Beside(Scene((Obstacle("box", BoxShape((0.4, 0.4, 0.4))),))), "Add box")
journal = Journal()
journal.note(plan_entry(document))
assert journal.flush()
print("noted", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_obstacles_come_back_after_a_crash(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path / "state"))
    make_document(tmp_path)
    command = [sys.executable, "-c", _SESSION, str(tmp_path / "arm.urdf")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as session:
        assert session.stdout is not None
        assert session.stdout.readline() == b"noted\n"
        session.send_signal(signal.SIGKILL)
    with open_window(tmp_path) as window:
        assert window.journaling.offer()
        notice = window.central.notice
        assert "without saving the scene (1 obstacle): " in notice.text
        next(b for b in notice.findChildren(QPushButton) if b.text() == "Restore").click()
        wait_until(lambda: names(window) == ["box"])
        document = window.session.document
        assert document.unsaved_names == ("the scene (1 obstacle)",)
        window.session.undo()
        assert names(window) == []


def test_a_scene_saved_beside_the_robot_comes_back_with_it(
    window: MainWindow, panel: MotionPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = window.session.document
    assert document.urdf_path is not None
    urdf = document.urdf_path
    offered: list[str] = []

    def choose(_parent: object, _title: str, proposal: str, _kinds: str) -> str:
        offered.append(proposal)
        return str(urdf.with_name(proposal))

    monkeypatch.setattr(dialogs, "choose_save_file", choose)
    panel.scene.add("box", BOX)
    panel.scene.add("ball", BOX)
    answer("save", [])
    window.registry.trigger("file.close")
    assert offered == ["arm.scene.yaml"]
    assert not window.session.has_robot
    assert names(window) == []
    open_in(window, urdf)
    assert names(window) == ["box", "ball"]
    assert window.files.may_lose_document(), "it is in its file"
    window.session.undo()
    assert names(window) == ["box", "ball"], "it was there from the first step on"
    panel.scene.choose(0)
    panel.scene.remove_button.click()
    seen: list[str] = []
    answer("cancel", seen)
    assert not window.files.may_lose_document()
    answer("discard")
    window.registry.trigger("file.close")
    said: list[str] = []
    window.session.message.connect(said.append)
    urdf.with_name("arm.scene.yaml").write_text("format: xrdf-editor-scene\nobstacles: 3\n")
    open_in(window, urdf)
    assert names(window) == []
    assert any("arm.scene.yaml next to the robot cannot be read: " in text for text in said)
