"""A kernel is loaded if it was compiled from the same code, and from a file that nobody else can
have written."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import pickle
import platform
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import compile_kernels
import environment
import numba
import numpy as np
import platformdirs
import pytest

from editor_app.core.kernel_store import digest, files, store

_KERNEL = """
from numba import njit
from editor_app.core.kernel_store.store import compile_once

FACTOR = 2.0

@njit
def inner(x):
    return FACTOR * x

@njit
def outer(x):
    return inner(x) + 1.0

compile_once(outer)
"""
_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has rights of another kind")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this user's kernels; nothing is shipped."""
    monkeypatch.setenv(files.FOLDER_VARIABLE, str(tmp_path / "kept"))
    monkeypatch.setenv(files.SHIPPED_VARIABLE, str(tmp_path / "shipped"))
    monkeypatch.chdir(tmp_path)
    files.shipped_kernels.cache_clear()
    files._warn_of.cache_clear()
    return tmp_path / "kept"


def run(text: str = _KERNEL) -> bool:
    """Run the kernel as a new process would; return whether it was loaded. Its result is always
    right."""
    path = Path("kernel_here.py")
    path.write_text(text)
    outer = runpy.run_path(str(path))["outer"]
    assert outer(2.0) == 2.0 * float(text.split("FACTOR = ")[1].split("\n")[0]) + 1.0
    return sum(outer.stats.cache_hits.values()) == 1


def the_file(folder: Path) -> Path:
    [path] = folder.glob("*.kernel")
    return path


def ship(kept: Path, target: tuple[str, str, str]) -> Path:
    """Move the kernels to the shipped ones, with a list; return that folder."""
    shipped = kept.parent / "shipped"
    kept.rename(shipped)
    digests = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in shipped.glob("*.kernel")}
    (shipped / files.LIST_NAME).write_text(json.dumps({"target": target, "digests": digests}))
    files.shipped_kernels.cache_clear()
    return shipped


def test_code_that_did_not_change_is_loaded_wherever_and_whenever_it_was_written(
    kept: Path,
) -> None:
    assert not run()
    os.utime(the_file(kept), (1.0, 1.0))
    assert run()
    assert run(_KERNEL.replace("@njit\ndef inner", "# A comment.\n\n@njit\ndef inner"))
    assert sorted(path.suffix for path in kept.iterdir()) == [".kernel", ".lock"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("FACTOR = 2.0", "FACTOR = 3.0"),
        ("FACTOR * x", "x * FACTOR"),
        ("@njit\ndef inner", "@njit(fastmath=True)\ndef inner"),
        ("@njit\ndef outer", "@njit(error_model='numpy')\ndef outer"),
    ],
    ids=["constant", "function that it calls", "options of that function", "options"],
)
def test_what_a_kernel_is_compiled_from_is_compiled_again_when_it_changes(
    kept: Path, old: str, new: str
) -> None:
    assert not run()
    changed = _KERNEL.replace(old, new)
    assert not run(changed)
    assert run(changed)
    assert run(), "the first one is still there"


def test_an_intrinsic_counts_with_all_of_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "from numba import types\nfrom numba.extending import intrinsic\n\n\ndef emit(context, "
        "builder, sig, args):\n"
    )
    text += (
        "    return args[0]\n\n\n@intrinsic\ndef same(typingctx, x):\n    return "
        "types.float64(types.float64), emit\n"
    )
    (tmp_path / "some_intrinsics.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    import some_intrinsics  # type: ignore[import-not-found]

    def kernel(x: float) -> Any:
        return some_intrinsics_same(x)

    some_intrinsics_same = some_intrinsics.same
    before = digest.digest_kernel(kernel, {}, ("a", "b", "c"))
    (tmp_path / "some_intrinsics.py").write_text(
        text + "print('operators could be registered here')\n"
    )
    assert digest.digest_kernel(kernel, {}, ("a", "b", "c")) != before


def test_named_tuples_with_other_fields_have_other_code() -> None:
    class Room(NamedTuple):
        low: float
        high: float

    class Turned(NamedTuple):
        high: float
        low: float

    Turned.__name__ = Turned.__qualname__ = "Room"
    texts = [
        digest.digest_signature((numba.typeof(kind(1.0, 2.0)),)) for kind in (Room, Room, Turned)
    ]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize(
    "value", [frozenset({"a", "b", "c", "d"}), {"b": 1, "a": {2, 3}}, np.arange(3.0), (1, "x")]
)
def test_constants_have_the_same_text_in_every_process(value: Any) -> None:
    program = "import sys, pickle; from editor_app.core.kernel_store import digest; "
    program += "print(digest._constant(pickle.loads(bytes.fromhex(sys.argv[1]))))"
    command = [sys.executable, "-P", "-c", program, pickle.dumps(value).hex()]
    env = environment.clean_environment() | {
        "PYTHONHASHSEED": "7",
        "PYTHONPATH": str(environment.ROOT),
    }
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest._constant(value)


class _Bomb:
    """Unpickled, it leaves a file."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("bomb").absolute(),)


def _garble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _swap(path: Path) -> None:
    """A sound file of another kernel, under the name of this one."""
    payload = pickle.dumps(_Bomb())
    path.write_bytes(files._checksum("another.kernel", payload) + payload)


def _link(path: Path) -> None:
    path.rename("elsewhere")
    path.symlink_to(Path("elsewhere").absolute())


@pytest.mark.parametrize(
    "spoil",
    [
        _garble,
        lambda path: path.write_bytes(path.read_bytes()[:100]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(pickle.dumps(_Bomb())),
        _swap,
        pytest.param(_link, marks=_POSIX),
        pytest.param(lambda path: path.chmod(0o666), marks=_POSIX),
        pytest.param(lambda path: path.chmod(0o660), marks=_POSIX),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=[
        "garbled",
        "cut",
        "empty",
        "foreign pickle",
        "other name",
        "link",
        "for all",
        "for a group",
        "folder",
    ],
)
def test_a_file_that_was_not_written_here_is_left_alone(
    kept: Path, spoil: Callable[[Path], Any]
) -> None:
    assert not run()
    spoil(the_file(kept))
    assert not run()
    assert not Path("bomb").exists()


def test_a_file_that_names_a_class_that_has_moved_is_made_anew(kept: Path) -> None:
    assert not run()
    path = the_file(kept)
    files.keep_kernel(path.name, b"ceditor_app.gone\nArrays\n.", "kernel")
    assert not run()
    assert b"editor_app.gone" not in path.read_bytes()


@_POSIX
def test_files_of_another_user_are_left_alone(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not run()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert not run()
    assert files.private_folder() is None


@_POSIX
def test_a_folder_that_others_can_write_to_is_neither_read_nor_written(
    kept: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert not run()
    kept.chmod(0o777)
    before = sorted(kept.iterdir())
    with caplog.at_level(logging.WARNING):
        assert not run()
        assert not run(_KERNEL.replace("FACTOR = 2.0", "FACTOR = 5.0"))
    assert sorted(kept.iterdir()) == before
    [warning] = caplog.messages
    assert str(kept) in warning
    assert "chmod 700" in warning


def test_what_is_kept_is_for_this_user_alone(kept: Path) -> None:
    assert not run()
    if sys.platform != "win32":
        assert kept.stat().st_mode & 0o777 == 0o700
        assert the_file(kept).stat().st_mode & 0o777 == 0o600


def test_what_is_current_is_named_whether_it_was_used_or_not(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not run()
    [old] = [path.name for path in kept.glob("*.kernel")]
    monkeypatch.setattr(store, "_STORES", [])
    assert store.current_names() == []
    changed = _KERNEL.replace("FACTOR = 2.0", "FACTOR = 3.0")
    assert not run(changed)
    [name] = store.current_names()
    assert {path.name for path in kept.glob("*.kernel")} == {old, name}
    monkeypatch.setattr(store, "_STORES", [])
    runpy.run_path("kernel_here.py")
    assert store.current_names() == [name]


def test_versions_that_nobody_used_for_a_month_are_dropped(kept: Path) -> None:
    assert not run()
    old = the_file(kept)
    os.utime(old, (1.0, 1.0))
    assert not run(_KERNEL.replace("FACTOR = 2.0", "FACTOR = 5.0"))
    assert not old.exists()
    assert the_file(kept).exists()


@pytest.mark.parametrize("place", ["file/below", "relative", "none"])
def test_without_a_folder_of_its_own_a_program_compiles(
    kept: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    Path("file").write_text("")
    if place == "none":
        # As platformdirs answers where neither HOME is set nor the system knows the user.
        monkeypatch.delenv(files.FOLDER_VARIABLE)
        monkeypatch.setattr(
            platformdirs, "user_cache_path", lambda *_, **__: Path("~/.cache/xrdf-editor")
        )
    else:
        monkeypatch.setenv(
            files.FOLDER_VARIABLE, place if place == "relative" else str(kept.parent / place)
        )
    assert not run()
    assert not run()
    assert sorted(path.name for path in kept.parent.iterdir()) == ["file", "kernel_here.py"]


def test_shipped_kernels_are_loaded_and_nothing_is_written(kept: Path) -> None:
    assert not run()
    ship(kept, digest.local_target())
    assert run()
    assert list(kept.glob("*.kernel")) == []


@pytest.mark.parametrize(
    "fault",
    [
        "garbled",
        "not listed",
        "list for all",
        "folder for all",
        "broken list",
        "other machine",
        "other numba",
    ],
)
def test_shipped_kernels_that_do_not_fit_are_compiled_here(
    kept: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    assert not run()
    triple, processor, features = digest.local_target()
    if fault == "other machine":
        features += ",+of-next-year"
    shipped = ship(kept, (triple, processor, features))
    if fault == "garbled":
        _garble(the_file(shipped))
    elif fault == "not listed":
        (shipped / files.LIST_NAME).write_text(
            json.dumps({"target": [triple, processor, features], "digests": {}})
        )
    elif fault.endswith("for all"):
        if sys.platform == "win32":
            pytest.skip("Windows has rights of another kind")
        (shipped if fault.startswith("folder") else shipped / files.LIST_NAME).chmod(0o777)
    elif fault == "broken list":
        (shipped / files.LIST_NAME).write_text("{")
    elif fault == "other numba":
        monkeypatch.setattr(digest, "_COMPILERS", ("1", "0.1", "0.1", "cpython-311"))
    assert not run()
    assert run(), "what was compiled here instead is kept"


def test_code_for_every_machine_of_a_kind_gives_the_same_result(kept: Path) -> None:
    processor, features = compile_kernels.PORTABLE[platform.machine().lower()]
    Path("kernel_here.py").write_text(_KERNEL)
    program = "import runpy, json; from editor_app.core.kernel_store import digest; "
    program += (
        "runpy.run_path('kernel_here.py')['outer'](2.0); print(json.dumps(digest.local_target()))"
    )
    env = environment.clean_environment() | {
        "NUMBA_CPU_NAME": processor,
        "NUMBA_CPU_FEATURES": features,
    }
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(
        command,
        env=env | {"PYTHONPATH": str(environment.ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    target = json.loads(done.stdout)
    assert target[1] == processor
    ship(kept, target)
    assert run() is digest.runs_here(target)
