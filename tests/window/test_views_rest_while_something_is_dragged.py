"""While something is dragged only the view and the numbers follow every step; the rest follows when
the mouse rests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from editor_app.core.document.commands import SetSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window.main_window import MainWindow
from editor_app.window.selection.panel import SelectionNumbers
from editor_app.window.session import REST_MS, Session
from editor_app.window.source.source_view import SourcePanel
from tests.helpers.documents import make_document
from tests.helpers.windows import wait_until

Told = list[tuple[RobotDescription, RobotDescription]]


@pytest.fixture
def session(qapp: Any, tmp_path: Path) -> Iterator[Session]:
    session = Session()
    session.open(make_document(tmp_path))
    yield session
    session.open(None)


def drag(session: Session, steps: int, merge: object) -> None:
    robot = session.robot
    group = session.active_group
    assert group is not None
    listed = robot.xrdf.group(group)
    assert listed is not None
    frame = next(iter(listed.spheres))
    ref = SphereRef(group, frame, 0)
    for step in range(1, steps + 1):
        assert session.execute(
            SetSpheres(((ref, CollisionSphere((0.001 * step, 0.0, 0.0), 0.05)),), "Move"),
            merge=merge,
        )


def test_a_drag_is_told_at_every_step_and_settles_once(session: Session) -> None:
    changed: Told = []
    settled: Told = []
    histories: list[int] = []
    before = session.robot
    session.robot_changed.connect(lambda old, new: changed.append((old, new)))
    session.robot_settled.connect(lambda old, new: settled.append((old, new)))
    session.history_changed.connect(lambda: histories.append(1))
    drag(session, 5, "drag")
    assert len(changed) == 5
    assert settled == []
    # The first step alone: the title's mark must not wait.
    assert len(histories) == 1
    session.seal()
    assert [(old is before, new is session.robot) for old, new in settled] == [(True, True)]
    assert session.is_settled


def test_a_machine_that_draws_slowly_is_not_taken_for_a_hand_that_rests(session: Session) -> None:
    settled: Told = []
    session.robot_settled.connect(lambda old, new: settled.append((old, new)))
    drag(session, 1, "drag")
    # As long as a frame of a large robot takes without a graphics card.
    QTest.qWait(REST_MS + 50)
    drag(session, 2, "drag")
    QTest.qWait(REST_MS + 50)
    drag(session, 3, "drag")
    assert settled == []
    QTest.qWait(1600)
    assert len(settled) == 1


def test_a_drag_that_pauses_settles_and_goes_on(session: Session) -> None:
    settled: Told = []
    session.robot_settled.connect(lambda old, new: settled.append((old, new)))
    drag(session, 2, "drag")
    wait_until(lambda: settled, 60)
    drag(session, 3, "drag")
    session.seal()
    assert len(settled) == 2
    assert settled[1][0] is settled[0][1]


def test_opening_tells_of_what_is_hidden_locked_and_closed_only_where_that_is_another(
    session: Session, tmp_path: Path
) -> None:
    told: list[str] = []
    joint = next(iter(session.pose))
    for name, signal in (
        ("hidden", session.visibility_changed),
        ("locked", session.locked_changed),
        ("findings", session.findings_changed),
        ("kept spheres", session.locks.changed),
        ("reach", session.reaching.changed),
        ("closed", session.closed.changed),
    ):
        signal.connect(lambda *_, name=name: told.append(name))
    folders = [tmp_path / name for name in ("second", "third", "fourth")]
    for folder in folders:
        folder.mkdir()
    session.open(make_document(folders[0]))
    assert told == []
    assert session.active_group is not None
    frame = next(iter(session.robot.xrdf.spheres_of(session.active_group)))
    session.set_hidden(frozenset({frame}))
    session.set_locked(joint, True)
    # Complete findings are awaited anew, be there some or none.
    session.set_findings_known(True)
    session.locks.toggle(session.robot, (SphereRef(session.active_group, frame, 0),))
    session.reaching.hold(frame, held=True)
    session.closed.show({joint: ()})
    told.clear()
    session.open(make_document(folders[1]))
    assert sorted(told) == sorted(
        ["hidden", "locked", "findings", "kept spheres", "reach", "closed"]
    )
    told.clear()
    session.open(make_document(folders[2]))
    assert told == []


def test_a_single_step_settles_at_once_and_so_does_undo_in_a_drag(session: Session) -> None:
    settled: Told = []
    session.robot_settled.connect(lambda old, new: settled.append((old, new)))
    drag(session, 1, None)
    assert len(settled) == 1
    before = session.robot
    drag(session, 2, "drag")
    session.undo()
    assert settled[-1][1] is session.robot
    assert session.robot is before


def test_an_abandoned_drag_leaves_nothing_to_tell(session: Session) -> None:
    settled: Told = []
    session.robot_settled.connect(lambda old, new: settled.append((old, new)))
    drag(session, 3, "drag")
    session.abandon()
    assert settled == []
    assert session.is_settled
    QTest.qWait(REST_MS * 2)
    assert settled == []


def test_another_selection_is_no_step_of_the_history(session: Session) -> None:
    histories: list[int] = []
    session.history_changed.connect(lambda: histories.append(1))
    drag(session, 1, None)
    assert len(histories) == 1
    for link in ("upper", "base"):
        session.select(Selection(links=(link,)))
    assert len(histories) == 1, (
        "what follows the history writes the text to the journal, and asks every action"
    )
    assert session.is_settled
    session.undo()
    assert len(histories) == 2


# -- in the window: what waits, follows; nothing is stale however a drag ends


@pytest.fixture
def dragged(window: MainWindow) -> SphereRef:
    """The sphere on the link `upper`, selected, with the Source panel, the XRDF panel and the
    findings open."""
    for dock in ("source", "joints", "xrdf"):
        window.docks.show(dock)
    window.docks.show("source")
    ref = SphereRef("spheres", "upper", 0)
    window.session.select(Selection(spheres=(ref,)))
    wait_until(lambda: "radius: 0.1" in source_text(window), 60)
    return ref


def source_text(window: MainWindow) -> str:
    panel = window.docks.panel("source")
    assert isinstance(panel, SourcePanel)
    return panel.editor.toPlainText()


def numbers(window: MainWindow) -> list[Any]:
    panel = window.docks.panel("selection").findChild(SelectionNumbers)
    assert panel is not None
    return [panel.radius.value, *(axis.value for axis in panel.axes)]


def pull(window: MainWindow, ref: SphereRef, x: float) -> None:
    change = SetSpheres(((ref, CollisionSphere((x, 0.0, 0.0), 0.125)),), "Move")
    assert window.session.execute(change, merge="drag")


def test_the_numbers_in_hand_follow_each_step_and_the_text_when_the_mouse_rests(
    window: MainWindow, dragged: SphereRef
) -> None:
    before = source_text(window)
    for x in (0.25, 0.5, 0.75):
        pull(window, dragged, x)
        assert numbers(window) == [0.125, x, 0.0, 0.0]
        assert source_text(window) == before
    # The button is still down.
    wait_until(lambda: "[0.75, 0.0, 0.0]" in source_text(window), 60)
    assert window.session.is_moving


@pytest.mark.parametrize("end", ["release", "esc", "undo", "save"])
def test_nothing_is_stale_however_a_drag_ends(
    window: MainWindow, dragged: SphereRef, end: str
) -> None:
    session = window.session
    for x in (0.25, 0.5):
        pull(window, dragged, x)
    if end == "release":
        session.seal()
    elif end == "esc":
        session.abandon()
    elif end == "undo":
        session.undo()
    else:
        assert window.files.save()
        assert not session.document.is_modified  # type: ignore[union-attr]
        assert "[0.5, 0.0, 0.0]" in session.document.xrdf_path.read_text()  # type: ignore[union-attr]
    stays = end in ("release", "save")
    wait_until(lambda: ("[0.5, 0.0, 0.0]" in source_text(window)) is stays, 60)
    wait_until(lambda: session.is_settled, 60)
    assert numbers(window) == ([0.125, 0.5, 0.0, 0.0] if stays else [0.1, 0.0, 0.0, 0.0])
    assert ("Move" in window.registry["edit.undo"].text()) is stays
