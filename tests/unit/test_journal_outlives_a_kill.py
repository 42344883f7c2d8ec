"""The journal: what is unsaved survives kill -9, a proper end leaves nothing, a living session is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from editor_app.edit.commands import AddToolFrame
from editor_app.edit.journal import Journal, discard, entry_of, orphans
from tests.helpers.documents import make_document

_SESSION = """
import os, sys, time
from pathlib import Path
from editor_app import open_robot
from editor_app.edit.commands import AddToolFrame
from editor_app.edit.journal import Journal, entry_of
document = open_robot(sys.argv[1])
journal = Journal(Path(sys.argv[2]))
document.execute(AddToolFrame("hand"))
journal.note(entry_of(document))
assert journal.flush()
print("noted", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_a_killed_session_is_found_with_what_and_when_and_can_be_restored(tmp_path: Path) -> None:
    make_document(tmp_path)
    folder = tmp_path / "journal"
    command = [sys.executable, "-c", _SESSION, str(tmp_path / "arm.urdf"), str(folder)]
    session = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert session.stdout is not None
    assert session.stdout.readline() == b"noted\n"
    assert orphans(folder) == []
    session.send_signal(signal.SIGKILL)
    session.wait()
    session.stdout.close()
    [(path, entry)] = orphans(folder)
    assert entry.urdf == str(tmp_path / "arm.urdf")
    assert entry.steps == 1
    assert "hand" in entry.label
    document = make_document(tmp_path)
    document.replace_xrdf_text(entry.texts["xrdf"], "Restore unsaved work")
    assert document.robot.xrdf.tool_frames == ("tool", "hand")
    discard(path)
    assert orphans(folder) == []


def test_a_session_that_ends_properly_or_has_nothing_unsaved_leaves_nothing(tmp_path: Path) -> None:
    document = make_document(tmp_path)
    folder = tmp_path / "journal"
    journal = Journal(folder)
    document.execute(AddToolFrame("hand"))
    journal.note(entry_of(document))
    assert journal.flush()
    assert journal.path.exists()
    document.undo()
    journal.note(entry_of(document))
    assert journal.flush()
    assert not journal.path.exists()
    document.redo()
    journal.note(entry_of(document))
    assert journal.flush()
    journal.close()
    assert not journal.path.exists()


def test_a_damaged_journal_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{")
    (tmp_path / "b.json").write_bytes(b'{"pid": "x"}')
    assert orphans(tmp_path) == []


def test_a_journal_that_cannot_be_written_tells_and_the_session_goes_on(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    document = make_document(tmp_path)
    document.execute(AddToolFrame("hand"))
    journal = Journal(blocked)
    journal.note(entry_of(document))
    assert journal.flush()
    assert journal.trouble is not None
    assert "cannot be kept safe" in journal.trouble
    journal.close()
