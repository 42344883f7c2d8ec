"""The journal: what is unsaved survives kill -9, a proper end leaves nothing, a living session is
left alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from editor_app import open_robot, save
from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.document import Document
from editor_app.core.document.journal import (
    Journal,
    discard,
    is_saved,
    orphans,
    plan_entry,
    stock,
    written_since,
)
from editor_app.core.document.replacing import own_mark
from editor_app.core.document.state import FileKind
from tests.helpers.documents import make_document

_SESSION = """
import os, sys, time
from pathlib import Path
from editor_app import open_robot
from editor_app.core.document.commands import InsertItem
from editor_app.core.document.journal import Journal, plan_entry
document = open_robot(sys.argv[1])
journal = Journal(Path(sys.argv[2]))
document.execute(InsertItem("xrdf.tool_frames", "hand"))
journal.note(plan_entry(document))
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
    document.replace_texts({FileKind.XRDF: entry.texts["xrdf"]}, "Restore unsaved work")
    assert document.robot.xrdf.tool_frames == ("tool", "hand")
    discard(path)
    assert orphans(folder) == []


def test_a_session_that_ends_properly_or_has_nothing_unsaved_leaves_nothing(
    document: Document, tmp_path: Path
) -> None:
    folder = tmp_path / "journal"
    journal = Journal(folder)
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    journal.note(plan_entry(document))
    assert journal.flush()
    assert journal.path.exists()
    document.undo()
    journal.note(plan_entry(document))
    assert journal.flush()
    assert not journal.path.exists()
    document.redo()
    journal.note(plan_entry(document))
    assert journal.flush()
    journal.close()
    assert not journal.path.exists()


SOUND: dict[str, object] = {
    "urdf": "a.urdf", "xrdf": None, "texts": {}, "label": "x", "steps": 1, "saved_at": 1.0, "pid": 1 << 30,
    "process_started": None,
}  # fmt: skip

#: What another program, or a fault of ours, could have written in its place.
WRONG: tuple[dict[str, object], ...] = (
    {"pid": 9e29},
    {"pid": 10**40},
    {"pid": -1},
    {"pid": True},
    {"saved_at": "x"},
    {"saved_at": float("nan")},
    {"saved_at": float("inf")},
    {"saved_at": 1e30},
    {"texts": []},
    {"texts": {"xrdf": 1}},
    {"label": None},
    {"steps": 1.5},
    {"urdf": 5},
    {"process_started": "x"},
    {"unknown": 1},
)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"pid": "x"}',
        "[" * 100_000,
        "null",
        *(json.dumps(SOUND | change) for change in WRONG),
    ],
)
def test_a_damaged_journal_is_set_aside_and_told_and_hides_no_other(
    text: str, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(text)
    (tmp_path / "b.json").write_text(json.dumps(SOUND))
    inventory = stock(tmp_path)
    assert [path.name for path, _ in inventory.orphans] == ["b.json"]
    assert inventory.set_aside == (tmp_path / "a.unreadable",)
    assert inventory.set_aside[0].read_text() == text
    assert stock(tmp_path).set_aside == ()


def test_undo_past_a_save_is_journalled(document: Document) -> None:
    before = document.xrdf_text
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    save(document)
    document.undo()
    entry = plan_entry(document)()
    assert entry is not None
    assert entry.texts["xrdf"] == before
    assert "Undo" in entry.label
    assert not is_saved(entry)
    save(document)
    assert plan_entry(document)() is None
    assert is_saved(entry)


def test_a_fresh_draft_is_no_unsaved_work(tmp_path: Path) -> None:
    make_document(tmp_path)
    (tmp_path / "arm.xrdf").unlink()
    document = open_robot(tmp_path / "arm.urdf")
    assert document.is_modified
    assert plan_entry(document)() is None


@pytest.mark.skipif(os.name == "nt", reason="process marks are of Linux here")
def test_temporary_files_of_killed_sessions_go_and_others_stay(tmp_path: Path) -> None:
    (gone := tmp_path / f".a.json.{1 << 30}-5-0123abcd.tmp").touch()
    (ours := tmp_path / f".a.json.{own_mark()}-0123abcd.tmp").touch()
    (foreign := tmp_path / ".a.json.tmp").touch()
    stock(tmp_path)
    assert not gone.exists()
    assert ours.exists()
    assert foreign.exists()


def test_a_session_that_is_ended_from_outside_keeps_its_journal(
    document: Document, tmp_path: Path
) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    journal = Journal(tmp_path / "journal")
    journal.note(plan_entry(document))
    journal.close(keep=True)
    assert journal.path.exists()


def test_a_journal_that_cannot_be_written_tells_and_the_session_goes_on(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    document = make_document(tmp_path)
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    journal = Journal(blocked)
    journal.note(plan_entry(document))
    assert journal.flush()
    assert journal.trouble is not None
    assert "cannot be backed up" in journal.trouble
    journal.close()


@pytest.fixture
def stuck_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A disk that takes nothing until the test is over."""
    over, real = threading.Event(), os.fsync

    def fsync(descriptor: int) -> None:
        over.wait(60)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    yield
    over.set()


@pytest.mark.skipif(os.name == "nt", reason="Windows renames no file that is still flushed")
def test_a_disk_that_takes_nothing_holds_up_no_step(
    document: Document, tmp_path: Path, stuck_disk: None
) -> None:
    journal = Journal(tmp_path / "journal")
    for number, link in enumerate(("hand", "upper", "lower"), 1):
        document.execute(InsertItem("xrdf.tool_frames", link))
        journal.note(plan_entry(document))
        assert journal.written(30)
        entry = json.loads(journal.path.read_text())
        assert (entry["steps"], link in entry["texts"]["xrdf"]) == (number, True)
    assert not journal.flush(0.1)
    journal.close()
    assert not journal.path.exists()


@pytest.mark.parametrize("older", [False, True], ids=["with digests", "of an older version"])
def test_a_file_that_was_written_since_makes_the_work_older(
    document: Document, tmp_path: Path, older: bool
) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    entry = plan_entry(document)()
    assert entry is not None
    if older:
        entry = replace(entry, digests=None)
    xrdf = tmp_path / "arm.xrdf"
    read = xrdf.read_text()
    os.utime(xrdf, (entry.saved_at - 60,) * 2)
    assert written_since(entry) == ()
    xrdf.write_text(f"# newer\n{read}")
    os.utime(xrdf, (entry.saved_at + 60,) * 2)
    assert written_since(entry) == (xrdf,)
    xrdf.unlink()
    assert written_since(entry) == ()
