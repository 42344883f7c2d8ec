"""After kill -9 the next window offers what was not saved, with what and when; the slow rules join the findings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from editor_app.edit.commands import AddToolFrame
from editor_app.edit.journal import journal_folder, orphans
from tests.helpers.documents import CLEAN, make_document
from tests.helpers.windows import open_window, wait_until

_SESSION = """
import sys, time
from pathlib import Path
from editor_app import open_robot
from editor_app.edit.commands import AddToolFrame
from editor_app.edit.journal import Journal, entry_of
document = open_robot(sys.argv[1])
journal = Journal()
document.execute(AddToolFrame("hand"))
journal.note(entry_of(document))
assert journal.flush()
print("noted", flush=True)
time.sleep(60)
"""


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path / "state"))
    return tmp_path


def killed_session(folder: Path) -> None:
    make_document(folder)
    command = [sys.executable, "-c", _SESSION, str(folder / "arm.urdf")]
    session = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert session.stdout is not None
    assert session.stdout.readline() == b"noted\n"
    session.send_signal(signal.SIGKILL)
    session.wait()
    session.stdout.close()


def press(window: Any, label: str) -> None:
    buttons = [b for b in window.central.notice.findChildren(QPushButton) if b.text() == label and b.isVisible()]
    assert len(buttons) == 1
    buttons[0].click()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_restore_brings_the_edit_back_unsaved_and_is_one_step(state: Path, qapp: Any) -> None:
    killed_session(state)
    with open_window(state) as window:
        assert window.journaling.offer()
        text = window.central.notice.text
        assert "arm.xrdf" in text
        assert "1 step" in text
        assert "today at" in text
        press(window, "Restore")
        wait_until(lambda: window.session.document is not None and window.session.document.position == 1)
        document = window.session.document
        assert document is not None
        assert document.robot.xrdf.tool_frames == ("tool", "hand")
        assert document.is_modified
        assert (state / "arm.xrdf").read_text() == CLEAN
        # It is safe in this session's journal now, so the orphan is gone.
        assert orphans() == []
        assert len(list(journal_folder().glob("*.json"))) == 1
        document.undo()
        assert document.xrdf_text == CLEAN


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_discard_forgets_it_and_it_is_asked_again_until_answered(state: Path, qapp: Any) -> None:
    killed_session(state)
    with open_window(state) as window:
        assert window.files.open(state / "arm.urdf")
        wait_until(lambda: window.session.document is not None and window.central.notice.isVisible())
        assert "without saving arm.xrdf" in window.central.notice.text
        press(window, "Discard")
        assert orphans() == []
        assert not window.journaling.offer()


def test_a_window_that_is_closed_leaves_no_journal(state: Path, qapp: Any) -> None:
    make_document(state)
    with open_window(state, state / "arm.urdf") as window:
        document = window.session.document
        assert document is not None
        document.execute(AddToolFrame("hand"))
        wait_until(lambda: len(list(journal_folder().glob("*.json"))) == 1)
    assert list(journal_folder().glob("*.json")) == []


def test_rules_that_need_sampling_join_the_list_when_they_are_done(state: Path, qapp: Any) -> None:
    big = CLEAN.replace("radius: 0.1\n", "radius: 1.95\n").replace("upper: [lower]", "upper: [lower]")
    make_document(state, big)
    with open_window(state, state / "arm.urdf") as window:
        wait_until(lambda: any(f.code == "XRDF605" for f in window.session.findings), 90)
        found = next(f for f in window.session.findings if f.code == "XRDF605")
        assert found.location is not None
        assert found.location.line == 15
        assert "'base' and 'lower' collide" in found.message
        window.session.execute(found.fixes[0])
        wait_until(lambda: not any(f.code == "XRDF605" for f in window.session.findings), 90)
