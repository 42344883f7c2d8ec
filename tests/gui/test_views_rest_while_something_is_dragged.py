"""While something is dragged only the view and the numbers follow every step; the rest follows when the mouse rests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from editor_app.edit.commands import SetSpheres
from editor_app.gui.session import REST_MS, Session
from editor_app.model.findings import SphereRef
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere
from tests.helpers.documents import make_document

Told = list[tuple[RobotDescription, RobotDescription]]


@pytest.fixture
def session(qapp: Any, tmp_path: Path) -> Iterator[Session]:
    session = Session()
    session.open(make_document(tmp_path))
    yield session
    session.open(None)


def drag(session: Session, steps: int, merge: object) -> None:
    robot = session.robot
    assert robot is not None
    group = session.active_group
    assert group is not None
    listed = robot.xrdf.group(group)
    assert listed is not None
    frame = next(iter(listed.spheres))
    ref = SphereRef(group, frame, 0)
    for step in range(1, steps + 1):
        assert session.execute(
            SetSpheres(((ref, CollisionSphere((0.001 * step, 0.0, 0.0), 0.05)),), "Move"), merge=merge
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


def test_a_drag_that_pauses_settles_and_goes_on(session: Session) -> None:
    settled: Told = []
    session.robot_settled.connect(lambda old, new: settled.append((old, new)))
    drag(session, 2, "drag")
    QTest.qWait(REST_MS * 3)
    assert len(settled) == 1
    drag(session, 3, "drag")
    session.seal()
    assert len(settled) == 2
    assert settled[1][0] is settled[0][1]


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
