"""Findings appear as one edits and lead to their place; history jumps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from editor_app.core.document.commands.fields import OfJoint, SetField
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.commands.spheres import DeleteSpheres, SetSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind, State
from editor_app.core.model.findings import Finding, FindingSubject, Location, Severity, SphereRef
from editor_app.core.model.profile import Profile
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.features.checks.engine.readers import as_message, unread, uses
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import Checker, locate_findings
from editor_app.features.checks.window.panel import FindingsPanel
from editor_app.features.checks.window.slow_checks import all_rules
from editor_app.plugins.consumers.window.robot_dialogs import ReadersDialog
from editor_app.window.history.panel import HistoryPanel
from editor_app.window.link_tree.link_model import LinkColumn
from editor_app.window.link_tree.link_tree import LinkTreePanel
from editor_app.window.main_window import MainWindow
from editor_app.window.timers import after
from tests.helpers.shared_workers import nothing_goes_on_running  # noqa: F401
from tests.helpers.windows import open_window, put_back, reopen, settle, wait_until

UPPER = SphereRef("spheres", "upper", 0)
LOWER = SphereRef("spheres", "lower", 0)


@pytest.fixture(scope="module")
def one_window(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    with open_window(tmp_path_factory.mktemp("settings")) as window:
        # Only what the tests say: the rules have tests of their own.
        window.feed.rules = lambda *given: ()
        yield window


@pytest.fixture
def window(one_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    reopen(one_window, tmp_path)
    yield one_window
    one_window.feed.rules = lambda *given: ()
    put_back(one_window)


@pytest.fixture
def panel(window: MainWindow) -> FindingsPanel:
    panel = window.docks.show("findings")
    assert isinstance(panel, FindingsPanel)
    panel.filter.clear()
    for button in panel.severities.values():
        button.setChecked(True)
    return panel


def shrunk(ref: SphereRef) -> SetSpheres:
    return SetSpheres(((ref, CollisionSphere((0.0, 0.0, 0.0), 0.05)),), "Shrink sphere")


def findings() -> list[Finding]:
    return [
        Finding("W1", Severity.WARNING, "upper is large", ("geometry",), Location("/x/arm.xrdf", 42, 3),
                FindingSubject(spheres=(UPPER,), section="geometry"), (shrunk(UPPER),)),
        Finding("W1", Severity.WARNING, "lower is large", ("geometry",), Location("/x/arm.xrdf", 45, 3),
                FindingSubject(spheres=(LOWER,), section="geometry"), (shrunk(LOWER),)),
        Finding("E1", Severity.ERROR, "elbow is wrong", ("cspace",), None,
                FindingSubject(joints=("elbow",), section="cspace")),
        Finding("I1", Severity.INFO, "hand has no spheres", (), None, FindingSubject(links=("hand",))),
    ]  # fmt: skip


def codes(panel: FindingsPanel) -> list[str]:
    return [finding.code for finding in panel.shown]


def test_the_rules_are_asked_again_after_each_edit(
    window: MainWindow, panel: FindingsPanel
) -> None:
    def radius(state: State, *given: Any) -> list[Finding]:
        group = state.robot.xrdf.group("spheres")
        assert group is not None
        spheres = group.spheres
        return [
            Finding("R1", Severity.WARNING, f"{frame} has a sphere of {sphere.radius}")
            for frame, listed in spheres.items()
            for sphere in listed
            if sphere.radius < 0.1
        ]

    window.feed.rules = radius
    window.feed.refresh()
    settle(window)
    assert codes(panel) == []
    wait_until(lambda: panel.empty.text() == "No problems found.", 60)
    window.session.execute(shrunk(UPPER))
    settle(window)
    assert [f.message for f in panel.shown] == ["upper has a sphere of 0.05."]
    wait_until(lambda: window.status.problems.text() == "1 warning", 60)
    window.session.undo()
    settle(window)
    assert codes(panel) == []
    wait_until(lambda: window.status.problems.text() == "No findings", 60)


def test_the_worst_come_first_and_are_counted(window: MainWindow, panel: FindingsPanel) -> None:
    window.feed.report("test", findings())
    assert codes(panel) == ["E1", "W1", "W1", "I1"]
    wait_until(lambda: window.status.problems.text() == "1 error  2 warnings", 60)
    assert panel.severities[Severity.WARNING].text() == "2"


def test_filters_by_severity_text_and_section(window: MainWindow, panel: FindingsPanel) -> None:
    window.feed.report("test", findings())
    panel.severities[Severity.WARNING].click()
    assert codes(panel) == ["E1", "I1"]
    panel.severities[Severity.WARNING].click()
    QTest.keyClicks(panel.filter, "hand")
    assert codes(panel) == ["I1"]
    QTest.keyClicks(panel.filter, "zzz")
    assert codes(panel) == []
    assert "hides all 4" in panel.empty.text()
    panel.filter.clear()
    panel.section.setCurrentIndex(panel.section.findData("cspace"))
    panel.section.activated.emit(panel.section.currentIndex())
    assert codes(panel) == ["E1"]
    panel.section.setCurrentIndex(0)
    panel.section.activated.emit(0)


def test_f8_walks_round_and_selects_what_each_is_about(
    window: MainWindow, panel: FindingsPanel
) -> None:
    window.feed.report("test", findings())
    expected = [
        Selection(links=("lower",), joints=("elbow",)),
        Selection(spheres=(UPPER,)),
        Selection(spheres=(LOWER,)),
        Selection(links=("hand",)),
    ]
    for selection in (*expected, expected[0]):
        window.registry.trigger("view.next_finding")
        assert window.session.selection == selection
    window.registry.trigger("view.previous_finding")
    assert window.session.selection == expected[-1]


def test_going_to_a_finding_opens_its_section(window: MainWindow, panel: FindingsPanel) -> None:
    window.feed.report("test", findings())
    stack: Any = window.docks.panel("xrdf")
    stack.sections["cspace"].set_open(False)
    panel.go_to(0)
    assert "cspace" in stack.open_sections()


def test_a_fix_is_one_step_and_all_of_a_kind_too(window: MainWindow, panel: FindingsPanel) -> None:
    window.feed.report("test", findings())
    document = window.session.document
    panel.go_to(1)
    assert panel.fix_button.text() == "Shrink sphere"
    panel.fix_button.click()
    assert document.undo_label == "Shrink sphere"
    window.session.undo()
    panel.fix_all_button.click()
    assert document.undo_label == "Fix 2 × W1"
    group = document.robot.xrdf.group("spheres")
    assert group is not None
    assert [group.spheres[f][0].radius for f in ("upper", "lower")] == [0.05, 0.05]
    window.session.undo()
    assert document.position == 0
    panel.go_to(0)
    assert not panel.fix_button.isEnabled()
    assert not panel.fix_all_button.isEnabled()


TWICE = """\
format: xrdf
format_version: 1.0
tool_frames: [tool]
tool_frames: [lower]
cspace:
  joint_names: [shoulder]
  acceleration_limits: ["10"]
  jerk_limits: ["500"]
geometry:
  g:
    spheres:
      upper: [{center: [0, 0, 0], radius: 0.01}]
      upper: [{center: [0, 0, 0], radius: 0.02}]
self_collision:
  geometry: g
  ignore:
    upper: [base, base, lower, tool, tool]
"""


ONCE = (("tool_frames: [lower]\n", ""), ("      upper: [{center: [0, 0, 0], radius: 0.02}]\n", ""))


@pytest.mark.parametrize(
    ("code", "gone", "kept"),
    [
        ("XRDF003", ("[tool]\n", "0.01"), ("tool_frames: [lower]", "radius: 0.02")),
        ("XRDF006", ('"10"', '"500"'), ("[10.0]", "[500.0]")),
        # By index: the first deletion must not move what the second one means.
        ("XRDF505", ("base, base", "tool, tool"), ("[base, lower, tool]",)),
    ],
)
def test_all_of_a_kind_are_mended_in_the_text_and_by_index(
    window: MainWindow,
    panel: FindingsPanel,
    code: str,
    gone: tuple[str, ...],
    kept: tuple[str, ...],
) -> None:
    document = window.session.document

    def show(text: str) -> None:
        document.replace_texts({FileKind.XRDF: text}, "Edit text")
        state = document.state
        context = CheckContext(
            state.robot, document.xrdf_now, Profile.SPECIFICATION, True, document.urdf_path
        )
        window.feed.report("test", locate_findings(Checker().check(context), document.xrdf_now))

    def fix_all() -> None:
        panel.go_to(next(i for i, f in enumerate(panel.shown) if f.code == code))
        panel.fix_all_button.click()

    # What stands twice is locked until it is mended.
    show(TWICE if code == "XRDF003" else TWICE.replace(*ONCE[0]).replace(*ONCE[1]))
    assert codes(panel).count(code) == 2
    before = document.xrdf_text
    fix_all()
    assert document.undo_label == f"Fix 2 × {code}"
    assert not any(text in document.xrdf_text for text in gone)
    assert all(text in document.xrdf_text for text in kept)
    window.session.undo()
    assert document.xrdf_text == before


def test_a_fix_that_does_not_fit_any_more_is_told(window: MainWindow, panel: FindingsPanel) -> None:
    window.feed.report("test", findings()[:1])
    window.session.execute(DeleteSpheres((UPPER,)))
    panel.go_to(0)
    panel.fix_button.click()
    assert "no sphere" in window.central.toast.text


def test_a_fix_that_would_add_an_error_is_not_taken_and_the_reason_is_said(
    window: MainWindow,
) -> None:
    told: list[str] = []
    window.session.refused.connect(told.append)
    before = window.session.robot
    beyond = set_item("xrdf.default_joint_positions", "grip", 9.0)
    assert not window.feed.fix(beyond)
    assert window.session.robot is before
    assert "it would add the error XRDF604" in told[-1]
    assert window.feed.fix(set_item("xrdf.default_joint_positions", "grip", 0.3))
    assert window.session.robot is not before
    window.session.refused.disconnect(told.append)


def test_a_remedy_is_offered_where_it_applies(window: MainWindow, panel: FindingsPanel) -> None:
    asked: list[Finding] = []
    window.feed.register_remedy("I1", "Look elsewhere…", asked.append)
    window.feed.report("test", findings())
    panel.go_to(3)
    assert panel.fix_button.text() == "Look elsewhere…"
    panel.fix_button.click()
    assert [f.code for f in asked] == ["I1"]
    window.feed._remedies.pop("I1")


def test_the_target_profile_reaches_the_rules(window: MainWindow, panel: FindingsPanel) -> None:
    window.feed.rules = lambda state, profile, *given: [
        Finding("P1", Severity.INFO, f"for {profile!r}")
    ]
    settle(window)
    box = window.status.findChild(QComboBox)
    assert box is not None
    box.activated.emit(box.findData(Profile.CUROBO))
    settle(window)
    assert [f.message for f in panel.shown] == [f"for {Profile.CUROBO!r}."]


def test_a_rule_that_fails_is_shown_and_the_window_lives(window: MainWindow) -> None:
    def broken(*given: Any) -> list[Finding]:
        raise RuntimeError("rule 17 is broken")

    window.feed.rules = broken
    window.feed.refresh()
    settle(window)
    dialog = window.crash.dialog
    assert dialog is not None
    assert "rule 17 is broken" in dialog.text.toPlainText()
    dialog.accept()


def steps(window: MainWindow) -> None:
    for value in (0.1, 0.2, 0.3):
        window.session.execute(set_item("xrdf.default_joint_positions", "shoulder", value))


def test_history_lists_steps_and_a_click_jumps(window: MainWindow) -> None:
    panel = window.docks.show("history")
    assert isinstance(panel, HistoryPanel)
    assert panel.empty.isVisible()
    steps(window)
    document = window.session.document
    labels = [panel.model.index(i, 0).data() for i in range(panel.model.rowCount())]
    assert labels == ["Open  ·  saved", *["Set default position of shoulder"] * 3]
    assert panel.model.index(3, 0).data(Qt.ItemDataRole.FontRole).bold()
    rect = panel.list.visualRect(panel.model.index(1, 0))
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert document.position == 1
    assert document.robot.xrdf.default_joint_positions is not None
    assert document.robot.xrdf.default_joint_positions["shoulder"] == 0.1
    assert panel.model.index(1, 0).data(Qt.ItemDataRole.FontRole).bold()
    assert panel.model.index(3, 0).data(Qt.ItemDataRole.FontRole) is None
    window.registry.trigger("edit.redo")
    assert document.position == 2


def test_a_message_that_its_cell_cuts_is_whole_below_the_table(
    window: MainWindow, panel: FindingsPanel
) -> None:
    window.feed.report("test", [replace(finding, message=30 * "word ") for finding in findings()])
    assert panel.shown
    for width in (700, 5000):
        panel.table.resize(width, panel.table.height())
        for row, finding in enumerate(panel.shown):
            panel.table.clearSelection()
            panel.table.setCurrentIndex(panel.model.index(row, 0))
            panel._enable_fixes()
            message = " ".join(finding.message.split())
            is_cut = (
                panel.table.fontMetrics().horizontalAdvance(message)
                > panel.table.columnWidth(1) - 8
            )
            assert panel.whole.text() == (message if is_cut else "")
            assert panel.whole.isHidden() is not is_cut


def test_one_edit_is_said_once_to_be_looked_at_and_once_to_be_done(window: MainWindow) -> None:
    wait_until(lambda: window.feed.is_known, 120)
    said: list[bool] = []
    window.session.findings_known_changed.connect(said.append)
    window.session.execute(DeleteSpheres((UPPER,)))
    wait_until(lambda: window.feed.is_known, 120)
    window.session.findings_known_changed.disconnect(said.append)
    assert said == [False, True]


def test_a_view_of_several_signals_is_made_once_for_a_change(qapp: Any, window: MainWindow) -> None:
    made: list[int] = []
    session = window.session
    view = after(
        window,
        lambda: made.append(1),
        on=(session.robot_changed, session.history_changed, session.message),
    )
    session.execute(DeleteSpheres((UPPER,)))
    session.message.emit("It is said.")
    assert made == []
    qapp.processEvents()
    assert made == [1]
    view.deleteLater()


def test_undo_and_redo_bring_the_findings_of_their_state_at_once(window: MainWindow) -> None:
    session = window.session
    window.feed.rules = all_rules()
    window.feed.refresh()
    wait_until(lambda: session.findings_known, 120)
    before = session.findings
    session.execute(DeleteSpheres((UPPER,)))
    assert not session.findings_known
    wait_until(lambda: session.findings_known, 120)
    after_step = session.findings
    assert after_step != before
    session.undo()
    assert session.findings_known
    assert session.findings == before
    session.redo()
    assert session.findings_known
    assert session.findings == after_step
    window.feed.refresh()
    assert not session.findings_known, "another profile, other findings: they are looked for anew"
    wait_until(lambda: session.findings_known, 120)
    assert session.findings == after_step


def test_findings_of_the_robot_before_are_not_shown_as_of_the_present_one(
    window: MainWindow, panel: FindingsPanel
) -> None:
    session = window.session
    window.feed.report("test", findings())
    wait_until(lambda: session.findings_known, 120)
    tree = cast(LinkTreePanel, window.docks.show("links")).model
    badge = tree.index_of(UPPER.frame).siblingAtColumn(LinkColumn.FINDINGS)
    plainly = (window.status.problems.text(), _picture(badge), _picture(panel.model.index(0, 0)))
    session.execute(DeleteSpheres((UPPER,)), merge="a drag")
    assert session.is_moving
    assert "Checking…" in window.status.problems.text(), "while something is dragged, too"
    session.seal()
    assert "Checking…" in window.status.problems.text()
    assert _picture(badge) != plainly[1]
    assert _picture(panel.model.index(0, 0)) != plainly[2]
    session.undo()
    assert (
        window.status.problems.text(),
        _picture(badge),
        _picture(panel.model.index(0, 0)),
    ) == plainly


def _picture(index: QModelIndex) -> QImage:
    picture: QImage = index.data(Qt.ItemDataRole.DecorationRole).pixmap(16, 16).toImage()
    return picture


def test_what_other_programs_read_follows_the_robot_and_leads_to_it(window: MainWindow) -> None:
    window.registry.trigger("robot.readers")
    [dialog] = [each for each in window.findChildren(ReadersDialog) if each.isVisible()]
    expected = unread(uses(CheckContext(window.session.document.robot)))
    rows = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
    assert [row.text(0) for row in rows if row is not None] == [
        as_message(use.feature.title) for use in expected
    ]
    [row] = dialog.list.findItems("velocity limits", Qt.MatchFlag.MatchExactly)
    assert [row.text(2), row.text(3), row.text(8)] == ["ignores", "", "ignores"]
    dialog.list.setCurrentItem(row)
    assert "MuJoCo ignores velocity limits (" in dialog.reasons.text()
    dialog.list.itemClicked.emit(row, 0)
    joints = window.session.selection.joints
    assert joints == next(use.names for use in expected if use.feature.key == "velocity")
    window.session.execute(SetField(OfJoint(joints[0]), ("limit", "velocity"), 0.0, "Set velocity"))
    settle(window)
    current = dialog.list.currentItem()
    assert current is not None
    assert current.text(0) == "velocity limits"
    assert current.text(1) == str(len(joints) - 1)
    dialog.close()


def _find_nothing(*_: object) -> tuple[Finding, ...]:
    return ()


def test_after_a_fix_the_row_that_the_button_is_about_is_selected(
    window: MainWindow, panel: FindingsPanel
) -> None:
    window.feed.rules = _find_nothing
    window.feed.refresh()
    wait_until(lambda: window.feed.is_known)
    upper, lower, error, note = findings()
    window.session.set_findings((error, upper, lower, note))
    panel.go_to(1)
    for left, row, fix in (
        ((error, lower, note), 1, "Shrink sphere"),
        ((error, note), 1, "Fix"),
        ((error,), 0, "Fix"),
    ):
        window.session.set_findings(left)
        assert [index.row() for index in panel.table.selectionModel().selectedRows()] == [row]
        assert panel.current == left[row]
        assert panel.fix_button.text() == fix
        assert panel.fix_button.isEnabled() == bool(left[row].fixes)


def test_buttons_of_findings_stay_where_they_are_when_findings_come_and_go(
    window: MainWindow, panel: FindingsPanel
) -> None:
    window.feed.rules = _find_nothing
    places = []
    for number in (0, 1, len(findings())):
        window.session.set_findings(tuple(findings()[:number]))
        for is_known in (False, True):
            window.session.set_findings_known(is_known)
            for count in (0, 7):
                window.self_collision.counter.setVisible(count > 0)
                window.self_collision.counter.tell(
                    f"{count} self-collisions", "intersect", is_bad=True
                )
                settle(window)
                status = window.status.problems
                places.append(
                    (
                        status.x(),
                        status.width(),
                        panel.section.x(),
                        panel.severities[Severity.ERROR].x(),
                    )
                )
    assert len(set(places)) == 1
