"""Fitting a whole robot in the window, and the way from a bare URDF to a saved XRDF."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QWidget
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands import ReplaceSpheres, SetIgnore, SetMask
from editor_app.core.document.commands.lists import InsertItem, SetItems
from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.features.draft.window.decisions_dialog import DecisionsDialog
from editor_app.features.draft.window.first_steps import Card, ControlChooser, FirstStep
from editor_app.features.masks.engine.default_overlaps import default_overlaps
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.masks.verbs.mask import MaskRules, mask
from editor_app.features.spheres.verbs.fit_choices import TIGHTER_FIT_STEP
from editor_app.features.spheres.window.fit_panel import FitPanel
from editor_app.plugins.consumers.verbs.repair import repair
from editor_app.plugins.consumers.window.robot_dialogs import RepairDialog
from editor_app.window.main_window import MainWindow
from editor_app.window.timers import Wait
from tests.helpers.fitting_windows import (
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    robot,
    spheres,
    text,
    window,
)
from tests.helpers.kept_jobs import nothing_is_kept
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import focus, open_in, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_is_kept", "nothing_of_qt_is_left", "robot", "window"]


def test_whole_robot_is_one_step(robot: MainWindow) -> None:
    before = text(robot)
    document = robot.session.document
    steps = len(document.history)
    robot.registry.trigger("fit.robot")
    panel = robot.fitting.fit_panel
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(5, "number")
    keep = ("flange_link", "left_finger_link", "right_finger_link")
    for link, item in panel.list._items.items():
        item.setCheckState(0, Qt.CheckState.Checked if link in keep else Qt.CheckState.Unchecked)
    panel.form.world_buffer.set_value(0.004)
    others = {
        k: spheres(robot, k) for k in robot.fitting.context.links_with_mesh() if k not in keep
    }
    panel._just_finished.setInterval(60_000)
    focus(panel.start_button)
    QTest.keyClick(panel.start_button, Qt.Key.Key_Space)
    assert panel.is_running
    # The keyboard goes along with the fit: no button that hides takes it away.
    assert panel.cancel_button.hasFocus()
    wait_until(lambda: not panel.is_running, LONG)
    assert set(panel.fits) == set(keep)
    assert panel.accept_button.hasFocus()
    # A click meant for Cancel, a moment too late, throws nothing away.
    assert panel.cancel_button.isVisible()
    assert not panel.cancel_button.isEnabled()
    assert panel.accept_button.isEnabled()
    panel._just_finished.setInterval(Wait.DISCARD_GUARD)
    panel._just_finished.start()
    wait_until(panel.cancel_button.isEnabled)
    assert text(robot) == before
    QTest.keyClick(panel.accept_button, Qt.Key.Key_Return)
    assert panel.next_button.hasFocus()
    panel.form.world_buffer.set_value(None)
    assert len(document.history) == steps + 1
    # What was fitted can still be read, and sorted.
    rows = [panel.list.topLevelItem(k) for k in range(panel.list.topLevelItemCount())]
    assert {
        row.text(0) for row in rows if row is not None and row.text(3) == "5" and row.text(5)
    } == set(keep)
    assert all(len(spheres(robot, link)) == 5 for link in keep)
    assert {k: spheres(robot, k) for k in others} == others
    section = document.robot.xrdf.world_collision
    assert section is not None
    assert all(section.buffer(link) == 0.004 for link in keep)
    robot.session.undo()
    assert text(robot) == before
    # Figures of spheres that links have no more are told as an earlier fit's.
    assert {row.text(3) for row in rows if row is not None and row.text(0) in keep} == {"(5)"}
    assert not any(row.text(7) for row in rows if row is not None)


@pytest.mark.usefixtures("nothing_is_kept")
def test_cancel_offers_what_is_finished(robot: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    before = text(robot)
    robot.registry.trigger("fit.robot")
    panel: FitPanel = robot.fitting.fit_panel
    panel.none_button.click()
    assert not panel.start_button.isEnabled()
    panel.all_button.click()
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(4, "number")
    panel.start()
    wait_until(lambda: len(panel.fits) >= 1, LONG)
    panel.cancel_button.click()
    assert not panel.is_running
    done = len(panel.fits)
    assert 1 <= done < len(panel.list.links), "the test needs some that are not finished"
    assert str(done) in panel.told.text()
    assert text(robot) == before
    assert panel.cancel_button.isEnabled()
    finished = set(panel.fits)
    panel.accept_button.click()
    assert set(panel.chosen) == set(panel.list.links) - finished, "what is left stays ticked"
    assert "stay ticked" in panel.told.text()
    robot.session.undo()
    assert text(robot) == before
    panel.all_button.click()
    panel.start()
    wait_until(lambda: len(panel.fits) >= 1, LONG)
    panel.cancel_button.click()
    panel.cancel_button.click()
    assert not robot.fitting.context.proposed
    assert text(robot) == before
    wait_until(lambda: not robot.fitting.context.robot_executor.is_busy)


@pytest.mark.usefixtures("nothing_is_kept")
def test_after_a_cancel_the_same_processes_go_on(robot: MainWindow) -> None:
    robot.registry.trigger("fit.robot")
    panel = robot.fitting.fit_panel
    panel.all_button.click()
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(3, "number")
    jobs = robot.fitting.context.robot_executor
    panel.start()
    wait_until(lambda: len(panel.fits) >= 1, LONG)
    before = {worker._process.pid for worker in jobs._pool._workers}
    panel.cancel()
    panel.cancel()
    panel.start()
    wait_until(lambda: not panel.is_running, LONG)
    assert {worker._process.pid for worker in jobs._pool._workers} <= before
    assert set(panel.fits) == set(panel.list.links)
    assert all(len(fit.result.spheres) == 3 for fit in panel.fits.values())
    panel.cancel()


def test_a_budget_is_spent_and_every_link_gets_some(robot: MainWindow) -> None:
    robot.registry.trigger("fit.robot")
    panel = robot.fitting.fit_panel
    panel.list.tick(lambda link: link in ("flange_link", "left_finger_link", "right_finger_link"))
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(2, "budget")
    panel.start()
    wait_until(lambda: not panel.is_running, LONG)
    assert "too small" in panel.told.text()
    panel.form.amount.set_value(12, "budget")
    panel.start()
    wait_until(lambda: not panel.is_running, LONG)
    numbers = [len(fit.result.spheres) for fit in panel.fits.values()]
    assert min(numbers) >= 1
    assert 10 <= sum(numbers) <= 12
    panel.cancel()


def test_what_is_known_of_a_robot_is_not_said_of_the_next_one(
    robot: MainWindow, tmp_path: Path
) -> None:
    estimates, links = robot.fitting.estimates, ("flange_link",)
    fit = robot.fitting.fit_panel.fit_of(links)
    wait_until(lambda: estimates.stands_out(links, 4, *fit) is not None, LONG)
    robot.session.open(None)
    open_in(robot, copy_of_sample(tmp_path / "other"))
    assert estimates.stands_out(links, 4, *fit) is None
    estimates.stop()


def test_the_card_counts_links_and_waits_for_the_check(window: MainWindow, tmp_path: Path) -> None:
    window.session.open(None)
    open_in(window, copy_of_sample(tmp_path / "robot", bare=True))
    steps, context = window.fitting.first_steps, window.fitting.context
    wait_until(
        lambda: steps.step is not None and steps.step.id == "fit" and not window.meshes.is_loading,
        LONG,
    )
    links = context.links_with_mesh()
    ball = (CollisionSphere((0.0, 0.0, 0.0), 0.05),)
    window.session.execute(ReplaceSpheres(context.group, FrozenDict({links[0]: ball})))
    wait_until(lambda: steps.step is not None and steps.step.id == "rest", LONG)
    assert steps.step is not None
    assert (
        steps.step.text == f"1 of {len(links)} links have spheres, {len(links) - 1} have none yet."
    )
    assert [text for text, _ in steps.step.buttons] == ["Compute the mask", "Fit the whole robot"]
    # Findings of the robot before are not told as findings of the present one.
    steps._ignored = object()
    shown: list[str] = []
    show = steps._show_step

    def noted() -> None:
        shown.append(steps.step.id if steps.step is not None else "")
        show()

    # What is shown for a moment is not missed on a busy machine.
    with mock.patch.object(steps, "_show_step", noted):
        window.session.execute(InsertItem("xrdf.tool_frames", "forearm_link"))
        wait_until(lambda: "checking" in shown and shown[-1] != "checking", LONG)


def test_a_bare_urdf_is_led_by_hand_to_a_saved_xrdf(window: MainWindow, tmp_path: Path) -> None:
    urdf = copy_of_sample(tmp_path / "robot", bare=True)
    window.session.open(None)
    open_in(window, urdf)
    steps = window.fitting.first_steps

    def at(step: str) -> bool:
        return steps.step is not None and steps.step.id == step

    wait_until(lambda: at("fit") and not window.meshes.is_loading, LONG)
    card = steps._card
    assert card is not None
    assert card.isVisible()
    panel = window.fitting.fit_panel
    # No name is cut where it is chosen.
    for box in (card.chooser.control, card.chooser.base):
        field = QStyleOptionComboBox()
        box.initStyleOption(field)
        edit = box.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, field, QStyle.SubControl.SC_ComboBoxEditField, box
        )
        assert edit.width() >= box.fontMetrics().horizontalAdvance(box.currentText())
    assert steps.step is not None
    assert [text for text, _ in steps.step.buttons] == ["Fit spheres only", "Create XRDF"]
    _pose_behind_the_card(window, card)
    _choose_the_chain(window, card)
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(1, "number")
    # What is controlled is said before anything is computed.
    assert "hand_link" in card.chooser.control.currentText()
    card.buttons[0].click()
    assert panel.is_running, "a robot without any sphere has nothing to lose"
    wait_until(lambda: steps.step is None, LONG)
    wait_until(lambda: not panel.is_running, LONG)
    panel.accept_button.click()
    assert panel.next_button.isVisible()
    assert panel.next_button.text() == "Compute the mask"
    wait_until(lambda: at("mask"), LONG)
    # How well it is proven is looked at elsewhere.
    window.self_collision.controller.masks.settings = AnalysisSettings(2048, 0, 0.0)
    card.buttons[-1].click()
    wait_until(lambda: at("write"), LONG)
    document = window.session.document
    # What the mask leaves to the position has a position that frees it: one sphere on a link
    # overlaps with many.
    document.execute(mask(document, samples=500, certify=0.0).change)
    # Errors and warnings first: Save leads on, but is the primary button only when they have been
    # looked at.
    wait_until(lambda: at("findings") or at("default"), LONG)
    assert steps.step is not None
    assert next(text for text, _ in steps.step.buttons) == "Save"
    show = next(button for button in card.buttons if button.text() == "Show")
    show.click()
    # The rules that take their time have spoken, too.
    wait_until(lambda: window.feed.is_known, LONG)
    settle(window)
    assert at("default")
    told: list[str] = []
    window.session.refused.connect(told.append)
    card.buttons[-1].click()
    # One sphere on each: some links cannot be parted by any position, which is said, with the way
    # out.
    wait_until(lambda: bool(told), LONG)
    assert "Ignore the pair" in told[0]
    section = document.robot.xrdf.self_collision
    assert section is not None
    parted = dict(section.ignore or {})
    for pair in default_overlaps(document.robot):
        parted[pair.first] = (*parted.get(pair.first, ()), pair.second)
    document.execute(SetIgnore(FrozenDict(parted), "Mask what overlaps"))
    wait_until(lambda: not at("default"), LONG)
    wait_until(lambda: window.feed.is_known, LONG)
    for _ in range(3):
        steps._look()
        settle(window)
    wait_until(lambda: at("save"), LONG)
    assert steps.step is not None
    assert "jerk limits" in steps.step.text
    assert "tool frames" in steps.step.text
    # The guesses can be looked at and confirmed; Save is the primary button now.
    assert [text for text, _ in steps.step.buttons] == ["What was decided…", "Confirm all", "Save"]
    assert [button.property("primary") for button in card.buttons] == [False, False, True]
    card.buttons[0].click()
    listed = window.findChild(DecisionsDialog)
    assert listed is not None
    assert listed._decisions is not None
    entries = {entry.topic: entry.text for entry in listed._decisions.entries}
    assert entries["Guessed"] == "tool frames"
    listed.close()
    save = card.buttons[-1].mapToGlobal(QPoint())
    card.buttons[1].click()
    wait_until(lambda: not document.guesses.parts)
    # The card follows at once, while the robot is checked again, and Save stays under the pointer.
    wait_until(lambda: "guesses" not in card.text.text())
    assert [button.text() for button in card.buttons] == ["What was decided…", "Save"]
    wait_until(lambda: card.buttons[-1].mapToGlobal(QPoint()) == save)
    assert "laceholder" not in document.xrdf_text
    window.session.undo()
    assert "laceholder" in document.xrdf_text
    wait_until(lambda: at("save") and "jerk limits" in steps.step.text, LONG)
    # For whom the files are is said before they are saved, and after.
    wait_until(
        lambda: (
            steps.step is not None and steps.step.text.endswith("Loads in cuMotion and cuRobo.")
        ),
        LONG,
    )
    card.buttons[-1].click()
    wait_until(lambda: at("saved"), LONG)
    assert steps.step is not None
    assert (
        steps.step.text
        == f"{urdf.with_suffix('.xrdf').name} is saved. Loads in cuMotion and cuRobo."
    )
    assert card.isVisible()
    assert [button.text() for button in card.buttons] == ["What was decided…"]
    assert urdf.with_suffix(".xrdf").is_file()
    # A user who goes on has read them.
    assert window.session.execute(SetIgnore(section.ignore, "Mask as before"))
    wait_until(lambda: steps.step is None, LONG)
    assert not card.isVisible()
    window.session.undo()
    assert steps.step is None
    window.session.open(None)
    settle(window)


def test_a_file_that_a_program_refuses_is_mended_in_the_same_step(
    window: MainWindow, tmp_path: Path
) -> None:
    """The card says which program does not take the file, and its button leads to what the verb
    repair makes."""
    urdf = copy_of_sample(tmp_path / "robot", bare=True)
    urdf.write_text(re.sub(r'effort="[^"]*"', 'effort="0"', urdf.read_text()))
    window.session.open(None)
    open_in(window, urdf)
    steps, context = window.fitting.first_steps, window.fitting.context
    wait_until(
        lambda: steps.step is not None and steps.step.id == "fit" and not window.meshes.is_loading,
        LONG,
    )
    ball = (CollisionSphere((0.0, 0.0, 0.0), 0.02),)
    spheres_of_all = dict.fromkeys(context.links_with_mesh(), ball)
    window.session.execute(ReplaceSpheres(context.group, FrozenDict(spheres_of_all)))
    document = window.session.document
    rules = MaskRules(mask_default=True, mask_always=True)
    document.execute(mask(document, samples=500, certify=0.0, rules=rules).change)
    # No position that was guessed parts the fingers.
    document.execute(SetMask(pairs=(LinkPair.of("left_finger_link", "right_finger_link"),)))

    def at(step: str) -> bool:
        if steps.step is not None and steps.step.id in ("findings", "planning"):
            steps._look()
        return window.feed.is_known and steps.step is not None and steps.step.id == step

    wait_until(lambda: at("save"), LONG)
    card = steps._card
    assert steps.step is not None
    assert card is not None
    assert "Does not load in cuRobo: XRDF9" in steps.step.text
    assert steps.step.text.endswith("Loads in cuMotion.")
    asked = repair(document, profile=Profile.CUROBO)
    next(button for button in card.buttons if button.text() == "Fix for cuRobo…").click()
    dialog = next(each for each in window.findChildren(RepairDialog) if each.isVisible())
    wait_until(lambda: dialog.repaired is not None)
    assert dialog.target.currentData() is Profile.CUROBO
    steps_before = len(document.history)
    QTest.mouseClick(dialog.repair_button, Qt.MouseButton.LeftButton)
    assert len(document.history) == steps_before + 1
    assert {kind: document.text(kind) for kind in asked.texts} == dict(asked.texts)
    wait_until(
        lambda: at("save") and steps.step is not None and "Does not load" not in steps.step.text,
        LONG,
    )
    assert steps.step.text.endswith("Loads in cuMotion and cuRobo.")
    window.session.open(None)
    settle(window)


def test_the_finding_of_a_default_in_collision_has_the_command_that_frees_it(
    window: MainWindow, tmp_path: Path
) -> None:
    """For any file, not only for a first one, and what it says holds against the rule."""
    window.session.open(None)
    open_in(window, copy_of_sample(tmp_path / "robot"))
    session = window.session
    document = session.document
    told: list[str] = []
    session.message.connect(told.append)
    window.registry.trigger("robot.free_default")
    wait_until(lambda: bool(told), LONG)
    assert told == ["At the default position no checked pair of links overlaps."]
    assert document.position == 0
    # The hand in the upper arm.
    folded = {"elbow_pitch_joint": 1.22, "forearm_roll_joint": 0.56, "wrist_pitch_joint": 1.89}
    session.execute(SetItems("xrdf.default_joint_positions", FrozenDict(folded)))

    def collisions() -> list[Finding]:
        return [finding for finding in session.findings if finding.code == "XRDF605"]

    wait_until(lambda: window.feed.is_known and bool(collisions()), LONG)
    remedy = window.feed.remedies(collisions()[0])[0]
    assert remedy.label == "Find a free default position"
    remedy.run()
    assert (
        window.draft.free_default.refusal() == "The search for a free default position is running."
    )
    wait_until(lambda: len(document.history) == 3, LONG)
    wait_until(lambda: window.feed.is_known, LONG)
    assert not collisions()
    session.undo()
    wait_until(lambda: window.feed.is_known and bool(collisions()), LONG)
    session.open(None)
    settle(window)


def test_a_position_that_cannot_be_freed_is_said_to_be_none(
    window: MainWindow, tmp_path: Path
) -> None:
    """A pair that overlaps whatever the joints do is named as what it is; the button does not just
    do nothing."""
    window.session.open(None)
    open_in(window, copy_of_sample(tmp_path / "robot"))
    document = window.session.document
    group = document.robot.xrdf.self_group
    assert group is not None
    ball = (CollisionSphere((0.0, 0.0, 0.0), 1.0),)
    emptied = dict.fromkeys(document.robot.xrdf.spheres_of(group), ())
    document.execute(SetIgnore(FrozenDict({}), "Write no mask"))
    document.execute(
        ReplaceSpheres(
            group, FrozenDict({**emptied, "base_link": ball, "forearm_link": ball}), "Huge"
        )
    )
    told: list[str] = []
    window.session.refused.connect(told.append)
    before = document.xrdf_text
    window.registry.trigger("robot.free_default")
    wait_until(lambda: bool(told), LONG)
    assert "avoids base_link and forearm_link. Ignore the pair" in told[0]
    assert document.xrdf_text == before
    window.session.open(None)
    settle(window)


def _pose_behind_the_card(window: MainWindow, card: QWidget) -> None:
    """A robot that is posed out of what is free is brought back below the card when the joint is
    let go."""
    assert window.viewport is not None
    scene, session = window.viewport.scene, window.session
    window.viewport.reset_camera()
    assert scene.framing.holds_robot()

    def highest() -> float:
        points = scene.framing.content_points()
        assert points is not None
        return float(scene.camera.project(points)[:, 1].min())

    assert highest() >= card.geometry().bottom()
    before = session.pose
    poses = [{name: end} for name in before for end in (-3.0, -1.5, 1.5, 3.0)]
    for positions in poses:
        session.move_joints({**before, **positions})
        if highest() < card.geometry().bottom() - 5:
            break
    assert not scene.framing.holds_robot()
    wait_until(lambda: scene.framing.holds_robot() and not scene.following.is_moving, LONG)
    assert highest() >= card.geometry().bottom()
    session.move_joints(before)
    window.viewport.reset_camera()


def _stands_at(box: QComboBox, index: int) -> bool:
    return box.currentIndex() == index


def _choose_the_chain(window: MainWindow, card: Card) -> None:
    """Another base and another tool, right in the card; the text says why, and undo takes each
    back."""
    document = window.session.document
    robot, before, plan = document.robot, document.xrdf_text, document.first_plan
    joints = robot.xrdf.cspace.joint_names if robot.xrdf.cspace is not None else ()
    chooser = card.chooser
    assert chooser.isVisible()
    assert chooser.control.currentText() == f"{len(joints or ())} joints to hand_link"
    assert chooser.base.currentIndex() == 0
    every = next(
        i for i in range(chooser.control.count()) if chooser.control.itemText(i).startswith("all")
    )
    for box, index, words in ((chooser.control, every, "named"), (chooser.base, 1, "chain from")):
        box.setCurrentIndex(index)
        box.activated.emit(index)
        wait_until(lambda: document.xrdf_text != before, LONG)
        now = document.robot.xrdf.cspace
        assert now is not None
        assert now.joint_names != joints
        assert words in document.xrdf_text, "the comment gives the reason"
        window.session.undo()
        wait_until(lambda: document.xrdf_text == before)
        wait_until(
            lambda: chooser.control.currentText() == f"{len(joints or ())} joints to hand_link"
        )
        assert chooser.base.currentIndex() == 0
        assert document.first_plan == plan
        window.session.redo()
        wait_until(partial(_stands_at, box, index))
        assert document.first_plan != plan
        window.session.undo()
        wait_until(lambda: chooser.base.currentIndex() == 0)


def test_the_card_can_be_closed_and_stays_away_from_robots_with_spheres(robot: MainWindow) -> None:
    steps = robot.fitting.first_steps
    settle(robot)
    assert steps.step is None


@pytest.mark.parametrize("width", [460, 618, 900])
def test_the_card_shows_all_of_its_text(qtbot: QtBot, robot: MainWindow, width: int) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    over.resize(width, 300)
    card = Card(over)
    over.show()
    card.show_step(
        FirstStep("write", "The mask is computed.", (("Write the mask…", "mask.write"),)),
        robot.registry,
    )
    QTest.qWait(20)
    text = (
        "Check the guesses: 6 default positions, 6 jerk limits, tool frames. Loads in cuMotion and "
        "cuRobo."
    )
    card.show_step(
        FirstStep("save", text, (("Show", "file.save"), ("Save", "file.save"))), robot.registry
    )
    QTest.qWait(20)
    assert card.text.height() >= card.text.heightForWidth(card.text.width())
    assert all(button.geometry().bottom() < card.height() for button in card.buttons)


def test_the_card_stands_beside_the_switches_and_breaks_no_line_that_fits(
    qtbot: QtBot, robot: MainWindow
) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    over.resize(900, 300)
    switches = QWidget(over)
    switches.setGeometry(8, 8, 86, 250)
    card = Card(over, switches)
    over.show()
    for told in (
        "Spheres done. Next: which links can collide?",
        "At the default position 1 pair overlaps.",
    ):
        card.show_step(
            FirstStep("mask", told, (("Compute the mask", "mask.compute"),)), robot.registry
        )
        settle(robot)
        assert card.text.heightForWidth(card.text.width()) < 2 * card.text.fontMetrics().height()
    # A low view has a third column of switches, and the card goes aside.
    card.show_step(FirstStep("save", 40 * "Long ", (("Save", "file.save"),)), robot.registry)
    assert card.geometry().left() > switches.geometry().right()
    switches.resize(140, 170)
    wait_until(lambda: card.geometry().left() > switches.geometry().right())


def test_the_card_names_the_pair_that_plans_badly_and_its_remedy(robot: MainWindow) -> None:
    steps, document = robot.fitting.first_steps, robot.session.document
    subject = FindingSubject(links=("forearm_link", "hand_link"))
    closes = Finding("XRDF515", Severity.WARNING, "XRDF515", (), subject=subject)
    # A part of the free configurations is no warning, but worth the remedy before the first file is
    # saved.
    refuses = Finding("XRDF514", Severity.INFO, "XRDF514", (), subject=subject)
    error = Finding("XRDF001", Severity.ERROR, "An error", ())
    checked = mock.patch.object(type(robot.session), "findings_known", new=True)
    with checked, mock.patch.object(steps, "_seen", frozenset()):
        for findings, start, button in (
            ((refuses,), "Spheres cause false collisions", ("Fit tighter", "fit.planning")),
            ((refuses, closes), "Spheres block a passage", ("Fit tighter", "fit.planning")),
        ):
            robot.session.set_findings(findings)
            step = steps._last(document)
            assert step.id == "planning"
            assert step.text.startswith(start)
            assert "forearm_link and hand_link" in step.text
            assert step.buttons[-1] == button
            assert robot.registry[button[1]].isEnabled()
        with mock.patch.object(robot.registry[button[1]], "isEnabled", return_value=False):
            assert steps._last(document).id == "searching", "it is under way"
        # Once is enough while it is no warning: what is left over would be offered again and again.
        ball = (CollisionSphere((0.0, 0.0, 0.0), 0.01),)
        group = robot.fitting.context.group
        robot.session.execute(
            ReplaceSpheres(group, FrozenDict({"forearm_link": ball}), TIGHTER_FIT_STEP)
        )
        for findings, id_ in (((refuses,), "save"), ((refuses, closes), "planning")):
            robot.session.set_findings(findings)
            # Which programs take the file is asked first.
            wait_until(lambda wanted=id_: steps._last(document).id == wanted)  # type: ignore[misc]
        document.undo()
        robot.session.set_findings((refuses,))
        assert steps._last(document).id == "planning"
        robot.session.set_findings((error, refuses))
        assert steps._last(document).id == "findings"
        missing = tuple(
            Finding("MESH001", Severity.WARNING, f"The mesh of link {n} is missing", ())
            for n in range(2)
        )
        robot.session.set_findings((error, *missing))
        told = "To review: 1 error and 2 warnings, 2 × “A mesh file that is not found”."
        assert steps._last(document).text == told, "the most frequent cause is named"
    robot.feed.refresh()
    settle(robot)


def test_the_longer_of_two_names_gets_the_wider_box(qtbot: QtBot) -> None:
    chooser = ControlChooser()
    qtbot.addWidget(chooser)
    chooser.control.addItem("6 joints to the_end_effector_of_an_arm_with_a_long_name")
    chooser.base.addItem("base")
    chooser.control.setCurrentIndex(0)
    chooser.base.setCurrentIndex(0)
    room = chooser.sizeHint().width()
    chooser.arrange(room)
    chooser.resize(room, chooser.sizeHint().height())
    chooser.show()
    for box in (chooser.control, chooser.base):
        assert box.width() >= box.sizeHint().width() - 1
