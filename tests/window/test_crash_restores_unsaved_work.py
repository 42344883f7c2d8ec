"""After kill -9 the next window offers what was not saved, with what and when; the slow rules join
the findings."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from editor_app.core.document.commands.lists import InsertItem, set_item
from editor_app.core.document.journal import journal_folder, orphans
from editor_app.core.document.replacing import is_alive, write_temporary
from tests.endurance._robot import saved_robot
from tests.helpers.breadth import of_each_kind
from tests.helpers.documents import CLEAN, make_document
from tests.helpers.windows import open_window, wait_until

_SESSION = """
import sys, time
from pathlib import Path
from editor_app import open_robot
from editor_app.core.document.commands import InsertItem
from editor_app.core.document.journal import Journal, plan_entry
document = open_robot(sys.argv[1])
journal = Journal()
document.execute(InsertItem("xrdf.tool_frames", "hand"))
journal.note(plan_entry(document))
assert journal.flush()
print("noted", flush=True)
time.sleep(60)
"""


_CUT_SHORT = """
import os, signal, sys
from pathlib import Path
from editor_app.core.document.journal import Journal, plan_entry
from editor_app.core.document.saving import save_document
from tests.endurance._robot import saved_robot
robot = saved_robot(Path(sys.argv[1]), 3)
journal = Journal()
journal.note(plan_entry(robot.document))
assert journal.flush()
real, renames = os.replace, []
def replace(old, new):
    if renames:
        os.kill(os.getpid(), signal.SIGKILL)
    renames.append(new)
    real(old, new)
os.replace = replace
save_document(robot.document)
"""
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture(scope="module")
def scene_of_a_kill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a robot, and of the state of a session that was killed with one step of it
    unsaved."""
    folder = tmp_path_factory.mktemp("killed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XRDF_EDITOR_STATE", str(folder / "state"))
        _kill_a_session(folder)
    return folder


@pytest.fixture
def killed_session(state: Path, scene_of_a_kill: Path) -> Path:
    """As if it had happened in `state`, which is returned: files with their times, journals with
    their paths."""
    shutil.copytree(scene_of_a_kill, state, dirs_exist_ok=True)
    for journal in journal_folder().iterdir():
        text = journal.read_text()
        assert str(scene_of_a_kill) in text
        journal.write_text(text.replace(str(scene_of_a_kill), str(state)))
    return state


def _kill_a_session(folder: Path) -> None:
    make_document(folder)
    command = [sys.executable, "-c", _SESSION, str(folder / "arm.urdf")]
    session = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert session.stdout is not None
    assert session.stdout.readline() == b"noted\n"
    session.send_signal(signal.SIGKILL)
    session.wait()
    session.stdout.close()


def press(window: Any, label: str) -> None:
    buttons = [
        b
        for b in window.central.notice.findChildren(QPushButton)
        if b.text() == label and b.isVisible()
    ]
    assert len(buttons) == 1
    buttons[0].click()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_restore_brings_the_edit_back_unsaved_and_is_one_step(
    killed_session: Path, qapp: Any
) -> None:
    state = killed_session
    with open_window(state) as window:
        assert window.journaling.offer()
        text = window.central.notice.text
        assert "arm.xrdf" in text
        assert "1 step" in text
        assert "today at" in text
        press(window, "Restore")
        wait_until(lambda: window.session.has_robot and window.session.document.position == 1)
        document = window.session.document
        assert document.robot.xrdf.tool_frames == ("tool", "hand")
        assert document.is_modified
        assert (state / "arm.xrdf").read_text() == CLEAN
        # It is safe in this session's journal now, so the orphan is gone.
        assert orphans() == []
        assert len(list(journal_folder().glob("*.json"))) == 1
        document.undo()
        assert document.xrdf_text == CLEAN


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_discard_forgets_it_and_it_is_asked_again_until_answered(
    killed_session: Path, qapp: Any
) -> None:
    state = killed_session
    with open_window(state) as window:
        assert window.files.open(state / "arm.urdf")
        wait_until(lambda: window.session.has_robot and window.central.notice.isVisible())
        assert "without saving arm.xrdf" in window.central.notice.text
        press(window, "Discard")
        assert orphans() == []
        assert not window.journaling.offer()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_work_that_a_save_has_overtaken_is_offered_as_older_and_restored_as_a_step(
    killed_session: Path, qapp: Any
) -> None:
    state = killed_session
    with open_window(state, state / "arm.urdf") as window:
        wait_until(lambda: "without saving arm.xrdf" in window.central.notice.text)
        assert "later" not in window.central.notice.text
        assert window.session.execute(set_item("xrdf.default_joint_positions", "elbow", 0.75))
        assert window.files.save()
        saved = (state / "arm.xrdf").read_text()
        assert not window.central.notice.isHidden()
        assert "arm.xrdf was saved later, today at" in window.central.notice.text
        before = window.session.document
        press(window, "Restore the older text")
        wait_until(lambda: window.session.document is not before)
        document = window.session.document
        wait_until(lambda: document.position == 1)
        assert document.robot.xrdf.tool_frames == ("tool", "hand")
        assert document.is_modified
        assert (state / "arm.xrdf").read_text() == saved
        document.undo()
        assert document.xrdf_text == saved
        assert not document.is_modified


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_restore_asks_again_when_another_program_wrote_the_file_meanwhile(
    killed_session: Path, qapp: Any
) -> None:
    state = killed_session
    with open_window(state) as window:
        assert window.journaling.offer()
        (state / "arm.xrdf").write_text(f"# newer\n{CLEAN}")
        press(window, "Restore")
        assert not window.session.has_robot
        assert not window.central.notice.isHidden()
        assert "arm.xrdf was saved later" in window.central.notice.text


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_the_offer_goes_away_when_the_same_text_is_saved(killed_session: Path, qapp: Any) -> None:
    state = killed_session
    with open_window(state, state / "arm.urdf") as window:
        wait_until(lambda: not window.central.notice.isHidden())
        assert window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
        assert window.files.save()
        assert window.central.notice.isHidden()
        assert orphans() == []


def test_a_window_that_is_closed_leaves_no_journal(state: Path, qapp: Any) -> None:
    make_document(state)
    with open_window(state, state / "arm.urdf") as window:
        document = window.session.document
        document.execute(InsertItem("xrdf.tool_frames", "hand"))
        wait_until(lambda: len(list(journal_folder().glob("*.json"))) == 1)
    assert list(journal_folder().glob("*.json")) == []


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_a_save_that_was_cut_short_is_asked_about_before_unsaved_work(
    state: Path, qapp: Any
) -> None:
    robot = saved_robot(state, 3)
    assert (
        subprocess.run([sys.executable, "-c", _CUT_SHORT, str(state)], cwd=ROOT).returncode
        == -signal.SIGKILL
    )
    with open_window(state) as window:
        assert window.journaling.offer()
        text = window.central.notice.text
        assert "A save was interrupted today at" in text
        assert "arm.xrdf holds the new text, arm.srdf and arm.urdf hold the old text" in text
        press(window, "Finish the save")
        assert robot.contents() == robot.new
        # What the journal of that session holds is saved now: nothing is left to restore.
        assert not window.journaling.offer()
        assert orphans() == []


def test_a_damaged_journal_is_told_with_its_place_until_seen(state: Path, qapp: Any) -> None:
    journal_folder().mkdir(parents=True)
    (journal_folder() / "x.json").write_text("[" * 100_000)
    with open_window(state) as window:
        for _ in range(2):
            assert window.journaling.offer()
            assert str(journal_folder() / "x.unreadable") in window.central.notice.text
        press(window, "OK")
        assert not window.journaling.offer()


def test_the_end_of_the_desktop_session_keeps_unsaved_work_and_asks_nothing(
    state: Path, qapp: Any
) -> None:
    make_document(state)
    with open_window(state, state / "arm.urdf") as window:
        window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
        window.keep_unsaved_work()
        assert window.close()
        [path] = journal_folder().glob("*.json")
        assert "hand" in json.loads(path.read_text())["label"]
        assert (state / "arm.xrdf").read_text() == CLEAN


@pytest.mark.skipif(os.name == "nt", reason="Windows renames no file that is still flushed")
def test_a_disk_that_takes_nothing_leaves_the_journal_one_step_behind_at_most(
    state: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_document(state)
    over, real = threading.Event(), os.fsync

    def fsync(descriptor: int) -> None:
        over.wait(60)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with open_window(state, state / "arm.urdf") as window:
        for step in range(1, 6):
            assert window.session.execute(
                set_item("xrdf.default_joint_positions", "elbow", step / 1000)
            )
            # As the next start would find it, were the window killed now.
            journals = [json.loads(path.read_text()) for path in journal_folder().glob("*.json")]
            assert max((each["steps"] for each in journals), default=0) >= step - 1
        over.set()


def test_a_journal_that_cannot_keep_up_says_so_and_the_window_goes_on(
    state: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_document(state)
    over, real = threading.Event(), write_temporary

    def write(*args: Any, **options: Any) -> None:
        over.wait(60)
        real(*args, **options)

    monkeypatch.setattr("editor_app.core.document.journal.write_temporary", write)
    with open_window(state, state / "arm.urdf") as window:
        said: list[str] = []
        window.session.message.connect(said.append)
        for step in range(1, 4):
            assert window.session.execute(
                set_item("xrdf.default_joint_positions", "elbow", step / 1000)
            )
        assert [text for text in said if "backed up too slowly" in text] == [said[-1]]
        over.set()
        window.journaling.keep()
        [path] = journal_folder().glob("*.json")
        assert json.loads(path.read_text())["steps"] == 3


_APPLICATION = """
import sys
from multiprocessing import active_children
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from editor_app.core.document.commands import InsertItem
from editor_app.window import app
from editor_app.window.main_window import MainWindow

def edit(window):
    if not window.session.has_robot or window.files.is_opening:
        QTimer.singleShot(20, window, lambda: edit(window))
        return
    window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    window.jobs.warm()
    tell(window)
    if sys.argv[2] == "asking":
        window.close()

def tell(window):
    if not active_children() or (sys.argv[2] == "asking") != (QApplication.activeModalWidget() is not None):
        QTimer.singleShot(20, window, lambda: tell(window))
        return
    print("edited", *(p.pid for p in active_children()), flush=True)

MainWindow.start_background = lambda window: edit(window)
MainWindow.load_viewport = lambda window: None
if __name__ == "__main__":
    sys.exit(app.run_window([sys.argv[1]]))
"""


def _is_gone(worker: int) -> bool:
    return not is_alive(worker, None)


@pytest.mark.skipif(os.name == "nt", reason="SIGTERM cannot be caught on Windows")
@pytest.mark.parametrize(
    ("ending", "asking"),
    of_each_kind(
        [("SIGTERM", "asking"), ("SIGHUP", "working"), ("SIGINT", "working")],
        [("SIGTERM", "asking"), ("SIGINT", "working")],
    ),
)
def test_a_signal_keeps_unsaved_work_and_ends_the_workers(
    ending: str, asking: str, state: Path, qapp: Any
) -> None:
    make_document(state)
    (state / "application.py").write_text(_APPLICATION)
    command = [sys.executable, str(state / "application.py"), str(state / "arm.urdf"), asking]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, cwd=state) as window:
        assert window.stdout is not None
        words = window.stdout.readline().split()
        assert words[0] == b"edited"
        assert len(words) > 1, "no worker was there: the test proves nothing"
        window.send_signal(getattr(signal, ending))
        assert window.wait(30) == 128 + getattr(signal, ending)
    for worker in words[1:]:
        wait_until(partial(_is_gone, int(worker)), 10)
    [(_, entry)] = orphans()
    assert entry.label == "Add tool frame hand"


def test_rules_that_need_sampling_join_the_list_when_they_are_done(state: Path, qapp: Any) -> None:
    big = CLEAN.replace("radius: 0.1\n", "radius: 1.95\n").replace(
        "upper: [lower]", "upper: [lower]"
    )
    make_document(state, big)
    with open_window(state, state / "arm.urdf") as window:
        wait_until(lambda: any(f.code == "XRDF605" for f in window.session.findings), 90)
        overlap = next(f for f in window.session.findings if f.code == "XRDF605")
        assert overlap.location is not None
        assert overlap.location.line == 15
        assert "'base' and 'lower' collide" in overlap.message
        window.session.execute(overlap.fixes[0])
        wait_until(lambda: not any(f.code == "XRDF605" for f in window.session.findings), 90)
