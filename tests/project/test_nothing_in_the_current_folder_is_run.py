"""Robots come as archives: a yaml.py that lies beside one must not be run, however the program is
started there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import environment
import pytest

ROOT = environment.ROOT
THIRD_PARTIES = (
    "yaml",
    "numpy",
    "scipy",
    "numba",
    "lxml",
    "ruamel",
    "trimesh",
    "PIL",
    "collada",
    "networkx",
    "xacro",
)


def taken_by_python(folder: Path) -> set[str]:
    """What Python itself imports for `-m`, before the program has begun: nothing can be done about
    these names."""
    folder.mkdir()
    (folder / "nothing.py").write_text("import sys; print(*sys.modules)")
    return {"editor_app", *run([sys.executable, "-m", "nothing"], folder).split()}


@pytest.fixture
def hostile(tmp_path: Path, sample_urdf: Path) -> Path:
    """A robot in a folder full of modules that write down that they were run."""
    folder = tmp_path / "downloaded"
    shutil.copytree(sample_urdf.parent, folder)
    trap = f"open({str(tmp_path / 'run.txt')!r}, 'a').write(__name__ + ' ')\n"
    for name in {*sys.stdlib_module_names, *THIRD_PARTIES, "sitecustomize", "usercustomize"}:
        (folder / f"{name}.py").write_text(trap)
    return folder


def trapped(hostile: Path) -> str:
    told = hostile.parent / "run.txt"
    return told.read_text() if told.exists() else ""


def leave(hostile: Path, names: set[str]) -> None:
    """Takes the traps of `names` away; the ones that the program itself would spring are still
    there."""
    for name in names:
        (hostile / f"{name}.py").unlink(missing_ok=True)
    assert (hostile / "yaml.py").exists()
    assert (hostile / "typing.py").exists()
    assert (hostile / "multiprocessing.py").exists()


def plain_environment(**more: str) -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | more


def run(command: list[str], folder: Path, **environ: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=plain_environment(**environ),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The `xrdf-editor` that packaging writes, in a folder of its own beside a link to this
    Python."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    (scripts / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (scripts / "python").chmod(0o755)
    made = environment.Environment(tmp_path / "venv")
    monkeypatch.setattr(environment.Environment, "scripts", scripts)
    made._write_command()
    return scripts / "xrdf-editor"


@pytest.mark.skipif(environment.WINDOWS, reason="a shell script")
def test_the_installed_command_takes_nothing_from_there(hostile: Path, launcher: Path) -> None:
    shutil.copy(hostile / "yaml.py", hostile / "editor_app.py")
    run([str(launcher), "--version"], hostile)
    # As shells of ROS leave it: an empty entry stands for the current folder, and Python itself
    # looks there.
    run([str(launcher), "check", "heron.xrdf"], hostile, PYTHONPATH=":/opt/nothing:")
    assert trapped(hostile) == ""


def test_the_command_of_windows_is_the_same() -> None:
    assert 'python.exe" -P -m editor_app %*' in environment._COMMAND_WINDOWS
    assert "set PYTHONPATH=\r\n" in environment._COMMAND_WINDOWS


@pytest.mark.parametrize("arguments", [["--version"], ["check", "heron.xrdf"]])
def test_the_command_of_a_wheel_takes_nothing_from_there(
    hostile: Path, tmp_path: Path, arguments: list[str]
) -> None:
    script = tmp_path / "scripts" / "xrdf-editor"
    script.parent.mkdir()
    # What pip writes for an entry point.
    script.write_text(
        "import sys\nfrom editor_app.__main__ import main\nif __name__ == '__main__':\n    "
        "sys.exit(main())\n"
    )
    run([sys.executable, str(script), *arguments], hostile)
    assert trapped(hostile) == ""


@pytest.mark.parametrize("arguments", [["--version"], ["check", "heron.xrdf"]])
def test_typed_as_a_module_it_takes_nothing_but_what_python_itself_takes(
    hostile: Path, arguments: list[str]
) -> None:
    leave(hostile, taken_by_python(hostile.parent / "nothing"))
    run([sys.executable, "-m", "editor_app", *arguments], hostile)
    assert trapped(hostile) == ""


def test_processes_started_by_it_take_nothing_from_there(hostile: Path) -> None:
    """Several processes of a fit, from the most careless way to start."""
    leave(hostile, taken_by_python(hostile.parent / "nothing"))
    links = [
        "--links",
        "base_link,shoulder_link",
        "--spheres",
        "2",
        "--effort",
        "fast",
        "--jobs",
        "2",
    ]
    run(
        [sys.executable, "-m", "editor_app", "fit", "heron.urdf", *links, "--output", "new.xrdf"],
        hostile,
    )
    assert (hostile / "new.xrdf").is_file()
    assert trapped(hostile) == ""


@pytest.mark.parametrize("script", ["run.py", "test.py"])
def test_setting_up_takes_nothing_from_there(hostile: Path, script: str) -> None:
    """Also where PYTHONPATH has an empty entry, but for what Python itself has taken by then."""
    program = [sys.executable, str(ROOT / "packaging" / script), "--help"]
    run(program, hostile)
    assert trapped(hostile) == ""
    nothing = hostile.parent / "nothing.py"
    nothing.write_text("import sys; print(*sys.modules)")
    leave(hostile, set(run([sys.executable, str(nothing)], hostile.parent).split()))
    # Modules of other systems, which Python looks for at its start, and finds here.
    run([sys.executable, str(nothing)], hostile, PYTHONPATH=":")
    leave(hostile, set(trapped(hostile).split()))
    (hostile.parent / "run.txt").unlink(missing_ok=True)
    run(program, hostile, PYTHONPATH=":/opt/nothing:")
    assert trapped(hostile) == ""


def test_relative_entries_of_the_path_are_left_out_and_the_program_s_own_folder_is_not(
    tmp_path: Path,
) -> None:
    program = (
        "import json, sys, editor_app.__main__ as m; m.leave_out_current_folder(); "
        "import os; print(json.dumps([sys.path, os.environ['PYTHONPATH']]))"
    )
    (tmp_path / "lib").mkdir()
    listed = os.pathsep.join(("", "lib", str(ROOT)))
    path, for_children = json.loads(
        run([sys.executable, "-c", program], tmp_path, PYTHONPATH=listed)
    )
    assert not {os.path.realpath(entry) for entry in path} & {str(tmp_path), str(tmp_path / "lib")}
    assert str(ROOT) in path
    assert for_children == str(ROOT)
    path, _ = json.loads(run([sys.executable, "-c", program], ROOT, PYTHONPATH=""))
    assert str(ROOT) in path


def test_settings_of_numba_are_not_read_there(tmp_path: Path) -> None:
    """A cache folder named there would be unpickled."""
    (tmp_path / ".numba_config.yaml").write_text(f"cache_dir: {tmp_path}\n")
    for module in (
        "features.masks.engine.jit",
        "features.masks.engine.simd",
        "features.spheres.engine.compiled",
    ):
        program = (
            f"import editor_app.{module}, numba; numba.njit(lambda a: a)(1); "
            "print(numba.config.CACHE_DIR)"
        )
        assert run([sys.executable, "-P", "-c", program], tmp_path).strip() == "", module
    # Without us it is read: else this test would prove nothing.
    assert run(
        [sys.executable, "-P", "-c", "import numba; print(numba.config.CACHE_DIR)"], tmp_path
    ).strip()


def test_no_program_of_the_project_starts_a_module_from_the_current_folder() -> None:
    """`-m` is always preceded by `-P`, in packaging and in the tests."""
    unprotected = []
    for file in [*(ROOT / "packaging").glob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        if file == Path(__file__):
            continue
        text = file.read_text(encoding="utf-8")
        if re.search(r'(?<!"-P",)(?<!"-P", )"-m"', re.sub(r"\s+", " ", text)):
            unprotected.append(file.name)
    assert unprotected == []
