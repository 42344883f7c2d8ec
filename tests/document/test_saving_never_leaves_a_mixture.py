"""Saving: atomic whatever happens, permissions kept, and a refusal that says why and keeps the
document modified."""

from __future__ import annotations

import errno
import itertools
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from editor_app.core.document.atomic_files import write_together
from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.document import Document
from editor_app.core.document.replacing import write_atomically
from editor_app.core.document.save_records import unfinished_saves
from editor_app.core.document.saving import (
    ChangedOnDiskError,
    SaveError,
    changed_on_disk,
    save_document,
)
from tests.endurance._robot import saved_robot
from tests.helpers.documents import CLEAN, make_document

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path_factory.mktemp("state")))


_WRITER = """
import sys
from pathlib import Path
from editor_app.core.document.replacing import write_atomically
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
        command = [
            sys.executable,
            "-c",
            _WRITER,
            str(target),
            str(tmp_path / "old"),
            str(tmp_path / "new"),
        ]
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


def test_saving_without_an_edit_writes_the_same_bytes(document: Document) -> None:
    assert document.xrdf_path is not None
    before = document.xrdf_path.read_bytes()
    save_document(document)
    assert document.xrdf_path.read_bytes() == before == CLEAN.encode()


def test_saving_ends_the_modified_state_and_undo_brings_it_back(document: Document) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    assert document.is_modified
    path = save_document(document)
    assert not document.is_modified
    assert b"tool_frames: [tool, hand]" in path.read_bytes()
    document.undo()
    assert document.is_modified
    save_document(document)
    assert path.read_bytes() == CLEAN.encode()


def test_somebody_elses_change_is_noticed_by_content_and_not_overwritten(
    document: Document,
) -> None:
    path = document.xrdf_path
    assert path is not None
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    path.touch()
    assert not changed_on_disk(document)
    path.write_bytes(CLEAN.replace("0.5", "0.6").encode())
    with pytest.raises(ChangedOnDiskError, match="changed by another program"):
        save_document(document)
    assert b"0.6" in path.read_bytes()
    assert document.is_modified
    save_document(document, overwrite_foreign=True)
    assert b"hand" in path.read_bytes()
    assert not document.is_modified


def test_a_vanished_folder_and_a_protected_file_say_so_and_keep_the_document_modified(
    document: Document, tmp_path: Path
) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    with pytest.raises(SaveError, match=r"The folder .* does not exist"):
        save_document(document, tmp_path / "gone" / "robot.xrdf")
    assert document.is_modified
    assert document.xrdf_path is not None
    document.xrdf_path.chmod(0o444)
    with pytest.raises(SaveError, match="write-protected"):
        save_document(document)
    assert document.is_modified


@pytest.mark.parametrize(
    "call", ["open", "write", "fsync", "fchmod", "close", "replace", "unlink", "stat", "mkdir"]
)
@pytest.mark.parametrize("files", [1, 3])
def test_one_failing_call_anywhere_saves_all_or_nothing_and_the_next_try_saves(
    files: int, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not hasattr(os, call):
        pytest.skip(f"there is no os.{call} here")
    real = getattr(os, call)
    for n in itertools.count(1):
        robot = saved_robot(tmp_path, files)
        left = n

        def fails(*arguments: Any, **keywords: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                if call == "close":
                    real(*arguments)
                raise OSError(errno.EIO, "Input/output error")
            return real(*arguments, **keywords)

        with monkeypatch.context() as patch:
            patch.setattr(os, call, fails)
            try:
                save_document(robot.document)
                wanted = robot.new
            except SaveError:
                wanted = robot.old
        assert robot.contents() == wanted
        assert robot.document.is_modified is (wanted is robot.old)
        assert [path.name for path in tmp_path.iterdir() if path not in robot.old] == []
        save_document(robot.document)
        assert robot.contents() == robot.new
        if left > 0:
            break
    assert n > 1 or call in ("unlink", "mkdir", "stat"), (
        "saving never called it: the test proves nothing"
    )


def test_a_folder_that_cannot_be_synced_is_no_failure(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    real = os.fsync

    def refuses_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", refuses_folders)
    save_document(document)
    assert not document.is_modified
    document.undo()
    save_document(document)
    assert (tmp_path / "arm.xrdf").read_text() == CLEAN


def test_a_disk_that_takes_a_part_gets_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data)[:7]))
    write_atomically(tmp_path / "robot.xrdf", b"all of it, in many pieces")
    assert (tmp_path / "robot.xrdf").read_bytes() == b"all of it, in many pieces"


def test_no_file_is_made_through_a_link_and_no_pipe_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "robot.xrdf").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SaveError, match="is a link to"):
        write_atomically(tmp_path / "robot.xrdf", b"x")
    assert not (tmp_path / "elsewhere").exists()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.xrdf")
        with pytest.raises(SaveError, match="not a regular file"):
            write_atomically(tmp_path / "pipe.xrdf", b"x")


_CUT_SHORT = """
import os, signal, sys
from pathlib import Path
from editor_app.core.document.saving import save_document
from tests.endurance._robot import saved_robot
robot = saved_robot(Path(sys.argv[1]), 3)
real, left = os.replace, [int(sys.argv[2])]
def replace(old, new):
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    real(old, new)
os.replace = replace
save_document(robot.document)
"""


def cut_short(folder: Path, renames: int) -> None:
    """A save of three files in `folder`, killed after so many of them."""
    command = [sys.executable, "-c", _CUT_SHORT, str(folder), str(renames)]
    assert subprocess.run(command, cwd=ROOT).returncode == -signal.SIGKILL


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_a_save_that_was_killed_between_two_files_is_finished_or_taken_back(tmp_path: Path) -> None:
    robot = saved_robot(tmp_path, 3)
    for way_out, wanted in (("finish", robot.new), ("put_back", robot.old)):
        cut_short(tmp_path, 1)
        assert robot.contents() not in (robot.old, robot.new)
        assert len(list(tmp_path.glob(".*.tmp"))) == 2
        [unfinished] = unfinished_saves()
        assert [path.name for path in unfinished.written] == ["arm.xrdf"]
        assert [path.name for path in unfinished.waiting] == ["arm.srdf", "arm.urdf"]
        assert list(tmp_path.glob(".*.tmp")) == []
        getattr(unfinished, way_out)()
        assert robot.contents() == wanted
        assert unfinished_saves() == []


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_what_somebody_else_wrote_since_is_left_alone(tmp_path: Path) -> None:
    cut_short(tmp_path, 1)
    (tmp_path / "arm.srdf").write_text("<robot name='mine'/>")
    [unfinished] = unfinished_saves()
    assert [path.name for path in unfinished.changed] == ["arm.srdf"]
    unfinished.finish()
    assert (tmp_path / "arm.srdf").read_text() == "<robot name='mine'/>"
    assert "upper_arm" in (tmp_path / "arm.urdf").read_text()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_a_save_that_was_killed_before_its_first_file_leaves_nothing(tmp_path: Path) -> None:
    robot = saved_robot(tmp_path, 3)
    cut_short(tmp_path, 0)
    assert unfinished_saves() == []
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == robot.old


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_the_program_of_ten_thousand_kills_runs_a_few() -> None:
    command = [sys.executable, "-P", "-m", "tests.endurance", "kill", "--count", "20"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("10 kills, 0 lost") == 2


def test_a_change_right_before_the_rename_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first look, while the new text was written to the disk."""
    from editor_app.core.document import atomic_files, replacing

    document = make_document(tmp_path)
    path = document.xrdf_path
    assert path is not None
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    theirs = CLEAN.replace("0.5", "0.6").encode()
    write = replacing.write_temporary

    def written_late(*args: Any, **more: Any) -> None:
        write(*args, **more)
        path.write_bytes(theirs)

    monkeypatch.setattr(atomic_files, "write_temporary", written_late)
    with pytest.raises(ChangedOnDiskError):
        save_document(document)
    assert path.read_bytes() == theirs
    assert document.is_modified
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
    save_document(document, overwrite_foreign=True)
    assert b"hand" in path.read_bytes()


def test_two_writers_lose_nothing() -> None:
    command = [
        sys.executable,
        "-P",
        "-m",
        "tests.endurance",
        "two-writers",
        "--count",
        "6",
        "--processes",
        "3",
    ]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert ", 0 lost" in shown.stdout


def test_a_folder_that_cannot_be_locked_is_saved_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on some network file systems; and a stopped process that holds the lock stops nobody for
    long."""
    from editor_app.core.document import atomic_files

    def refused(descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(atomic_files, "_PATIENCE", 0.05)
    with atomic_files.folders_locked([tmp_path]):
        write_together([(tmp_path / "a", b"1")])
    assert (tmp_path / "a").read_bytes() == b"1"
    monkeypatch.setattr(atomic_files, "_lock", refused)
    write_together([(tmp_path / "a", b"2")])
    assert (tmp_path / "a").read_bytes() == b"2"


@pytest.mark.skipif(sys.platform != "linux", reason="Python knows them on Linux only")
def test_attributes_are_kept(tmp_path: Path) -> None:
    target = tmp_path / "a.xrdf"
    target.write_bytes(b"a")
    try:
        os.setxattr(target, "user.comment", b"mine")
    except OSError:
        pytest.skip("the file system has no attributes")
    write_together([(target, b"b")])
    assert target.read_bytes() == b"b"
    assert os.getxattr(target, "user.comment") == b"mine"


def test_a_full_disk_says_so_and_leaves_the_old_file(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    path = document.xrdf_path
    assert path is not None

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SaveError, match="No space left on device"):
        save_document(document)
    assert path.read_bytes() == CLEAN.encode()
    assert document.is_modified
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".tmp"] == []
