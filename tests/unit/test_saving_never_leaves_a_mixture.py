"""Saving: atomic whatever happens, permissions kept, and a refusal that says why and keeps the document modified."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from editor_app.edit.commands import AddToolFrame
from editor_app.edit.saving import ChangedOnDiskError, SaveError, changed_on_disk, save, write_atomically
from tests.helpers.documents import CLEAN, make_document

_WRITER = """
import sys
from pathlib import Path
from editor_app.edit.saving import write_atomically
path, old, new = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes(), Path(sys.argv[3]).read_bytes()
print("ready", flush=True)
while True:
    write_atomically(path, new)
    write_atomically(path, old)
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_kill_at_random_moments_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    old, new = b"old " * 50_000, b"new " * 70_000
    target = tmp_path / "robot.xrdf"
    (tmp_path / "old").write_bytes(old)
    (tmp_path / "new").write_bytes(new)
    target.write_bytes(old)
    seen = set()
    rng = random.Random(5)
    for _ in range(12):
        command = [sys.executable, "-c", _WRITER, str(target), str(tmp_path / "old"), str(tmp_path / "new")]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        for _ in range(20):
            time.sleep(rng.uniform(0.0, 0.004))
            assert target.read_bytes() in (old, new)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        content = target.read_bytes()
        assert content in (old, new)
        seen.add(content)
    assert len(seen) == 2, "the kills never fell on both sides of a rename: the test proves nothing"


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    target = tmp_path / "real.xrdf"
    target.write_bytes(b"a")
    target.chmod(0o640)
    link = tmp_path / "link.xrdf"
    link.symlink_to(target)
    write_atomically(link, b"b")
    assert link.is_symlink()
    assert target.read_bytes() == b"b"
    assert target.stat().st_mode & 0o777 == 0o640


def test_saving_without_an_edit_writes_the_same_bytes(tmp_path: Path) -> None:
    document = make_document(tmp_path)
    assert document.xrdf_path is not None
    before = document.xrdf_path.read_bytes()
    save(document)
    assert document.xrdf_path.read_bytes() == before == CLEAN.encode()


def test_saving_ends_the_modified_state_and_undo_brings_it_back(tmp_path: Path) -> None:
    document = make_document(tmp_path)
    document.execute(AddToolFrame("hand"))
    assert document.is_modified
    path = save(document)
    assert not document.is_modified
    assert b"tool_frames: [tool, hand]" in path.read_bytes()
    document.undo()
    assert document.is_modified
    save(document)
    assert path.read_bytes() == CLEAN.encode()


def test_somebody_elses_change_is_noticed_by_content_and_not_overwritten(tmp_path: Path) -> None:
    document = make_document(tmp_path)
    path = document.xrdf_path
    assert path is not None
    document.execute(AddToolFrame("hand"))
    path.touch()
    assert not changed_on_disk(document)
    path.write_bytes(CLEAN.replace("0.5", "0.6").encode())
    with pytest.raises(ChangedOnDiskError, match="changed by another program"):
        save(document)
    assert b"0.6" in path.read_bytes()
    assert document.is_modified
    save(document, overwrite_foreign=True)
    assert b"hand" in path.read_bytes()
    assert not document.is_modified


def test_a_vanished_folder_and_a_protected_file_say_so_and_keep_the_document_modified(tmp_path: Path) -> None:
    document = make_document(tmp_path)
    document.execute(AddToolFrame("hand"))
    with pytest.raises(SaveError, match=r"The folder .* is not there"):
        save(document, tmp_path / "gone" / "robot.xrdf")
    assert document.is_modified
    assert document.xrdf_path is not None
    document.xrdf_path.chmod(0o444)
    with pytest.raises(SaveError, match="write-protected"):
        save(document)
    assert document.is_modified


def test_a_full_disk_says_so_and_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = make_document(tmp_path)
    document.execute(AddToolFrame("hand"))
    path = document.xrdf_path
    assert path is not None

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SaveError, match="No space left on device"):
        save(document)
    assert path.read_bytes() == CLEAN.encode()
    assert document.is_modified
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".tmp"] == []
