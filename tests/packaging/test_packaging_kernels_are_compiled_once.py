"""An environment compiles its kernels again if sources, libraries or options change, and then only
what changed."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import compile_kernels
import environment
import pytest
import run
import system_packages
import virtual_display

from editor_app.core.kernel_store import files

#: Stands for a part: takes what is there, or compiles it.
_PART = f"""
import os, sys
from pathlib import Path
from editor_app.core.kernel_store import files

part = sys.argv[3]
if part == os.environ.get("BROKEN"):
    sys.exit(1)
name = part + os.environ.get("VERSION", "1") + files.SUFFIX
if not (Path(os.environ["{files.FOLDER_VARIABLE}"]) / name).exists():
    # One write: unbuffered, `print` writes word by word, and the parts run at the same time.
    sys.stderr.write(f"compiles {{part}}\\n")
    files.keep_kernel(name, part.encode(), part)
print(name)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script = tmp_path / "part.py"
    script.write_text(_PART)
    monkeypatch.setattr(compile_kernels, "__file__", str(script))
    monkeypatch.setenv("PYTHONPATH", str(environment.ROOT))
    return tmp_path / "kernels"


def compiled(folder: Path, capfd: pytest.CaptureFixture[str]) -> list[str]:
    """The parts that compile something; the folder is whole afterwards, and alone."""
    capfd.readouterr()
    compile_kernels.compile_all(folder, "sources")
    listed = json.loads((folder / files.LIST_NAME).read_text())
    assert listed["made_from"] == "sources"
    assert len(listed["target"]) == 3
    assert {*listed["digests"], files.LIST_NAME} == {path.name for path in folder.iterdir()}
    for name, digest in listed["digests"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert sorted(path.name for path in folder.parent.iterdir()) == ["kernels", "part.py"]
    return sorted(line.split()[1] for line in capfd.readouterr().err.splitlines())


def test_only_what_changed_is_compiled_and_what_is_not_used_goes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert compiled(folder, capfd) == ["distances", "fits", "motion"]
    assert compiled(folder, capfd) == []
    (folder / "fits1.kernel").write_bytes(b"garbled")
    assert compiled(folder, capfd) == ["fits"]
    monkeypatch.setenv("VERSION", "2")
    assert compiled(folder, capfd) == ["distances", "fits", "motion"]
    assert sorted(path.name for path in folder.glob("*.kernel")) == [
        "distances2.kernel",
        "fits2.kernel",
        "motion2.kernel",
    ]


def test_a_part_that_fails_leaves_what_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    compiled(folder, capfd)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setenv("BROKEN", "motion")
    with pytest.raises(SystemExit, match="Compiling failed"):
        compile_kernels.compile_all(folder, "other sources")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_environment_compiles_when_sources_lock_or_options_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "editor_app" / "features" / "masks" / "engine"
    engine.mkdir(parents=True)
    (engine / "kernels.py").write_text("a = 1\n")
    (tmp_path / "uv.lock").write_text("version = 1\n")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "LOCK", tmp_path / "uv.lock")
    runs: list[list[str]] = []
    code = 0

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        runs.append(command)
        folder = Path(command[3])
        folder.mkdir(exist_ok=True)
        if code == 0:
            (folder / "kernels.json").write_text(
                json.dumps({"made_from": command[command.index("--made-from") + 1]})
            )
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr(subprocess, "run", run)
    made = environment.Environment(tmp_path / "env")
    made.folder.mkdir()
    assert made.compile_kernels()
    assert made.compile_kernels()
    assert len(runs) == 1
    assert runs[0][3] == str(made.folder / "kernels")
    assert made.compile_kernels(made.folder / "kernels", "--portable")
    assert "--portable" in runs[1]
    (engine / "kernels.py").write_text("a = 2\n")
    assert made.compile_kernels(made.folder / "kernels", "--portable")
    (tmp_path / "uv.lock").write_text("version = 2\n")
    code = 1
    assert not made.compile_kernels(made.folder / "kernels", "--portable")
    assert not made.compile_kernels(made.folder / "kernels", "--portable"), (
        "what failed is tried again"
    )
    assert len(runs) == 5


def test_the_window_opens_without_compiled_kernels_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(system_packages, "ensure", lambda _: True)
    monkeypatch.setattr(virtual_display, "display_available", lambda: True)
    monkeypatch.setattr(environment.Environment, "prepare", lambda made, _: made.python)
    monkeypatch.setattr(environment.Environment, "compile_kernels", lambda _: False)
    opened: list[list[str]] = []

    def open_window(_: Path, names: list[str]) -> int:
        opened.append(names)
        return 0

    monkeypatch.setattr(run, "_open", open_window)
    assert run.main([]) == 0
    assert opened == [[str(run.SAMPLE)]]
    assert "the first fit and the first mask will compile it" in capsys.readouterr().err
