"""Caches, journals, records and settings are read as files from strangers: they may be anything, of
any size."""

from __future__ import annotations

import json
import os
import platform
import random
import signal
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.document import journal
from editor_app.core.document.beside import poses_file, read_poses
from editor_app.core.document.save_records import records_folder, unfinished_saves
from editor_app.core.document.texts import typed_from_json
from editor_app.core.model.attached_part import records_in
from editor_app.core.space.geometry import cache
from editor_app.core.space.geometry.loading import load_mesh

MAGIC = b"XRDF-EDITOR-MESH-5\n"
#: A process that is gone.
GONE = "99999999-1"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """State and cache of their own; what hangs is ended by an alarm."""
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path / "cache"))
    for folder in (
        journal.journal_folder(),
        records_folder(),
        cache.cache_folder(),
        poses_file(Path("x")).parent,
    ):
        folder.mkdir(parents=True)
    if hasattr(signal, "alarm"):
        signal.alarm(20)
    yield
    if hasattr(signal, "alarm"):
        signal.alarm(0)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def deep(path: Path) -> None:
    path.write_text("[" * 200_000)


def huge_number(path: Path) -> None:
    path.write_text(json.dumps({"host": None, "saved_at": 10**400, "files": [], "key": 10**400}))


STRANGE = [
    pytest.param(
        pipe, marks=pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
    ),
    pytest.param(
        endless, marks=pytest.mark.skipif(os.name == "nt", reason="there is no /dev/zero here")
    ),
    deep,
    huge_number,
]


@pytest.mark.parametrize("strange", STRANGE)
def test_a_journal_that_cannot_be_read_is_set_aside_and_reported(
    strange: Callable[[Path], None],
) -> None:
    path = journal.journal_folder() / "x.json"
    strange(path)
    stock = journal.stock()
    assert stock.orphans == ()
    assert stock.set_aside == (path.with_suffix(".unreadable"),)
    assert journal.stock().set_aside == ()


@pytest.mark.parametrize("strange", STRANGE)
def test_a_record_that_cannot_be_read_is_set_aside_and_reported(
    strange: Callable[[Path], None],
) -> None:
    path = records_folder() / f"{GONE}-00000000.json"
    strange(path)
    damaged: list[Path] = []
    saves = unfinished_saves(damaged=damaged)
    if strange is huge_number:
        # Of another computer.
        assert (saves, damaged) == ([], [])
        return
    assert saves == []
    assert damaged == [path.with_suffix(".unreadable")]


def test_a_record_names_files_that_may_be_anything(tmp_path: Path) -> None:
    """A pipe in the place of a file does not hang, and no file elsewhere is deleted as a temporary
    one."""
    victim = tmp_path / "elsewhere" / f".mine.{GONE}-00000000.tmp"
    victim.parent.mkdir()
    victim.write_text("mine")
    target = tmp_path / "arm.urdf"
    if hasattr(os, "mkfifo"):
        os.mkfifo(target)
    files = [{"path": str(target), "temporary": str(victim), "old": "YQ==", "new": "Yg=="}]
    record = {"host": platform.node(), "saved_at": 0.0, "files": files}
    (records_folder() / f"{GONE}-00000000.json").write_text(json.dumps(record))
    assert unfinished_saves() == []
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("strange", STRANGE)
def test_stored_poses_that_cannot_be_read_are_none(
    strange: Callable[[Path], None], tmp_path: Path
) -> None:
    strange(poses_file(tmp_path / "arm.urdf"))
    assert read_poses(tmp_path / "arm.urdf") == {}


def test_numbers_without_an_end_are_no_places() -> None:
    assert typed_from_json([[["links", float("inf"), "x"], "text"]]) == {}
    text = json.dumps(
        {
            "xyz": [10**400, 0, 0],
            "rpy": [0, 0, 0],
            "mount": "m",
            "link": "l",
            "at": "a",
            "file": "f",
        }
    )
    assert list(records_in(f"xrdf-editor attached {text}")) == []


# -- the cache of meshes


def entry() -> Path:
    cache.store_entry("key", {"name": "x"}, {"vertices0": np.arange(30.0).reshape(10, 3)})
    return cache.cache_folder() / "key.mesh"


def test_an_entry_comes_back_as_it_was() -> None:
    entry()
    loaded = cache.load_entry("key")
    assert loaded is not None
    info, arrays = loaded
    assert info == {"name": "x"}
    assert np.array_equal(arrays["vertices0"], np.arange(30.0).reshape(10, 3))
    arrays["vertices0"][0] = 7.0
    cache.store_entry("none", {}, {"faces0": np.zeros((0, 3), np.int32)})
    empty = cache.load_entry("none")
    assert empty is not None
    assert empty[1]["faces0"].shape == (0, 3)


def test_no_flipped_bit_gives_another_mesh(caplog: pytest.LogCaptureFixture) -> None:
    path, random_numbers = entry(), random.Random(1)
    sound = path.read_bytes()
    for _ in range(1500):
        damaged = bytearray(sound)
        for place in random_numbers.sample(
            range(len(MAGIC), len(sound)), random_numbers.randrange(1, 4)
        ):
            damaged[place] ^= 1 << random_numbers.randrange(8)
        path.write_bytes(damaged)
        assert cache.load_entry("key") is None
        # It is made anew, and somebody hears of it.
        assert not path.exists()
    assert len(caplog.records) == 1500
    assert "in the cache is rebuilt: it is damaged" in caplog.text


def header_of(**changed: object) -> bytes:
    """An entry with a right checksum and a header that this program does not write."""
    header: dict[str, object] = {"arrays": {"vertices0": ["<f8", [1, 3], 0]}, "info": {}}
    text = json.dumps({**header, **changed}).encode()
    content = len(text).to_bytes(4, "little") + text + bytes(24)
    return MAGIC + zlib.crc32(content).to_bytes(4, "little") + content


@pytest.mark.parametrize(
    "arrays",
    [
        {"v": ["<f8", [1, 3], 2**70]},
        {"v": ["<f8", [1, 3], -8]},
        {"v": ["<f8", [2**40, 2**40], 0]},
        {"v": ["<f8", [-1, -3], 0]},
        {"v": ["<f8", [True, 3], 0]},
        {"v": ["<f8", [4, 3], 0]},
        {"v": ["|O", [1], 0]},
        {"v": ["<f8", 3, 0]},
        {"v": 3},
        3,
    ],
)
def test_a_header_is_not_trusted(arrays: object, caplog: pytest.LogCaptureFixture) -> None:
    (cache.cache_folder() / "key.mesh").write_bytes(header_of())
    assert cache.load_entry("key") is not None
    (cache.cache_folder() / "key.mesh").write_bytes(header_of(arrays=arrays))
    assert cache.load_entry("key") is None
    assert "damaged" in caplog.text


def test_a_header_of_brackets_does_not_end_the_loading() -> None:
    text = b"[" * 200_000
    content = len(text).to_bytes(4, "little") + text
    (cache.cache_folder() / "key.mesh").write_bytes(
        MAGIC + zlib.crc32(content).to_bytes(4, "little") + content
    )
    assert cache.load_entry("key") is None


@pytest.mark.parametrize("strange", STRANGE[:2])
def test_what_is_no_file_counts_as_absent(strange: Callable[[Path], None], tmp_path: Path) -> None:
    mesh = tmp_path / "a.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    first = load_mesh(mesh)
    [path] = cache.cache_folder().glob("*.mesh")
    path.unlink()
    strange(path)
    again = load_mesh(mesh)
    assert not again.findings
    assert np.array_equal(again.parts[0].vertices, first.parts[0].vertices)
    # The entry is written anew.
    assert path.is_file()
    assert not path.is_symlink()
