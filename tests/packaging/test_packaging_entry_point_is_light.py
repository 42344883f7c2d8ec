"""`xrdf-editor --help` and `--version` import nothing heavy; commands are imported when they are
asked for."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import editor_app
from editor_app import __main__, cli
from editor_app.cli._exit_codes import exit_codes
from tests.helpers.plug_ins import installed_plug_in

#: Anything of a third party would do; these are what the program as a whole uses.
HEAVY = (
    "numpy",
    "PySide6",
    "pyvista",
    "vtkmodules",
    "trimesh",
    "scipy",
    "numba",
    "lxml",
    "ruamel",
    "yaml",
    "asyncio",
)


def run(argument: str) -> tuple[str, set[str]]:
    """What `xrdf-editor ARGUMENT` prints, and the modules it has imported."""
    program = (
        f"import sys; from editor_app.__main__ import main; main([{argument!r}]); print('|', "
        "*sys.modules)"
    )
    # Without site, whose .pth files of other packages import things of their own.
    command = [sys.executable, "-S", "-c", program]
    root = Path(editor_app.__file__).parents[1]
    finished = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=60, check=True
    )
    printed, _, modules = finished.stdout.rpartition("|")
    return printed, set(modules.split())


@pytest.mark.parametrize(
    ("before", "arguments", "after"),
    [(None, None, "1"), ("3", None, "3"), (None, ["--version"], None)],
)
def test_the_program_multiplies_matrices_in_one_thread(
    before: str | None,
    arguments: list[str] | None,
    after: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Unless a user wants another number; and a program that calls this one keeps its own."""
    name = "OPENBLAS_NUM_THREADS"
    # To be put back afterwards in any case.
    monkeypatch.setenv(name, before or "")
    monkeypatch.setenv("PYTHONSAFEPATH", os.environ.get("PYTHONSAFEPATH", ""))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", ["xrdf-editor", "--version"])
    if before is None:
        del os.environ[name]
    assert __main__.main(arguments) == 0
    assert os.environ.get(name) == after


@pytest.mark.parametrize("argument", ["--help", "-h", "--version"])
def test_nothing_heavy_is_imported(argument: str) -> None:
    _, modules = run(argument)
    assert modules.isdisjoint(HEAVY)
    assert not [
        name
        for name in modules
        if name.startswith(
            ("editor_app.window", "editor_app.core.document", "editor_app.core.formats")
        )
    ]
    assert modules.isdisjoint({f"editor_app.cli.{name}" for name in cli.list_commands()})
    # Guards against what is not in the list above: a start with a few hundred modules is not light.
    assert len(modules) < 150


def test_files_are_compared_without_what_reads_and_changes_whole_robots(sample_urdf: Path) -> None:
    for suffix in (".xrdf", ".srdf"):
        words = ["diff", *[str(sample_urdf.with_suffix(suffix))] * 2]
        program = (
            f"import sys; from editor_app.__main__ import main; main({words!r}); print('|', "
            "*sys.modules)"
        )
        finished = subprocess.run(
            [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=120
        )
        modules = set(finished.stdout.rpartition("|")[2].split())
        assert "editor_app.plugins.comparison.verbs.diff" in modules, finished.stderr
        assert modules.isdisjoint(
            {"numpy", "scipy", "numba", "trimesh", "editor_app.core.document.commands"}
        )


def test_the_window_is_imported_without_what_follows_its_first_showing() -> None:
    """VTK and numba take longer than all the rest; both are imported in threads, when the window is
    on the screen."""
    program = "import sys, editor_app.window.main_window; print(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=120
    )
    modules = set(finished.stdout.split())
    assert "PySide6.QtWidgets" in modules, finished.stderr
    assert modules.isdisjoint(
        {"vtkmodules", "pyvista", "pyvistaqt", "matplotlib", "numba", "scipy", "trimesh"}
    )


def test_help_lists_every_command_and_version_tells_it() -> None:
    text, _ = run("--help")
    for name in cli.list_commands():
        assert f"  {name} " in text
        assert cli.read_summary(name) in text
    assert run("--version")[0].strip() == f"xrdf-editor {editor_app.__version__}"


def test_a_verbose_version_says_what_a_report_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(["--version", "--verbose"]) == 0
    printed = capsys.readouterr().out
    values = dict(re.split(r"  +", line, maxsplit=1) for line in printed.splitlines())
    assert values["xrdf-editor"] == f"{editor_app.__version__} (checkout)"
    is_checkout = (Path(editor_app.__file__).parents[1] / ".git").exists()
    assert re.fullmatch(r"[0-9a-f]{40}" if is_checkout else "unknown", values["commit"])
    assert values["Python"].startswith(platform.python_version())
    assert platform.machine() in values["system"]
    for name, distribution in (
        ("Qt (PySide6)", "PySide6_Essentials"),
        ("VTK", "vtk"),
        ("numba", "numba"),
    ):
        assert values[name] == metadata.version(distribution)
    assert "not installed" not in values.values()
    # Reports are published.
    assert str(Path.home()) not in printed
    assert str(Path(editor_app.__file__).parents[1]) not in printed


def test_versions_are_those_of_the_modules_where_packages_say_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a bundle, which has the modules alone."""
    import numpy

    from editor_app.core.verbs import versions

    def silent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", silent)
    monkeypatch.setattr(
        versions, "_LIBRARIES", {"numpy": ("numpy", "numpy"), "gone": ("gone", "no_such_module")}
    )
    by_library = versions.versions()
    assert by_library["numpy"] == numpy.__version__
    assert by_library["gone"] == "not installed"


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads(
        (Path(editor_app.__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    )
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "editor_app/version.py"


GREET = '''"""Greet somebody.

More words."""
EXIT_CODES = {3: "done"}
def add_arguments(parser):
    parser.add_argument('name')
def run(args):
    if args.name == 'nobody':
        raise FileNotFoundError('nobody is there')
    if args.name == 'fault':
        raise KeyError('a\\nb')
    print('hello', args.name)
    return 3
'''


@pytest.fixture
def greet(tmp_path: Path) -> Iterator[str]:
    """A command of an installed plug-in."""
    with installed_plug_in(
        tmp_path / "site", "greeting", {"cli/greet.py": GREET, "cli/_shared.py": ""}
    ):
        yield "greet"


def test_a_command_of_a_plug_in_is_found_listed_and_run(
    greet: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert greet in cli.list_commands()
    assert "_shared" not in cli.list_commands()
    assert cli.read_summary(greet) == "Greet somebody."
    assert __main__.main([greet, "you"]) == 3
    assert capsys.readouterr().out == "hello you\n"


def test_without_the_plug_in_there_is_no_such_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert "greet" not in cli.list_commands()
    assert __main__.main(["greet", "you"]) == 2
    assert "no file or command greet" in capsys.readouterr().err


def test_a_file_error_is_a_sentence_and_not_a_traceback(
    greet: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert __main__.main([greet, "nobody"]) == 2
    assert capsys.readouterr().err == "xrdf-editor greet: nobody is there\n"


def test_a_fault_of_the_program_is_a_sentence_and_its_traceback_lies_in_a_file(
    greet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path / "state"))
    assert __main__.main([greet, "fault"]) == 2
    told = capsys.readouterr().err
    (report,) = (tmp_path / "state" / "faults").iterdir()
    assert told.startswith("xrdf-editor greet: internal error, KeyError in greet.py:")
    assert told.endswith(f"the report is in {report}\n")
    assert told.count("\n") == 1
    text = report.read_text()
    assert "Traceback (most recent call last)" in text
    assert "xrdf-editor greet fault" in text
    assert f"numpy {metadata.version('numpy')}" in text
    # Where no report can be written, the sentence still comes; old reports go.
    for number in range(30):
        (report.parent / f"2000-{number:02}.txt").write_text("")
    assert __main__.main([greet, "fault"]) == 2
    assert len(list(report.parent.iterdir())) <= 21
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path / "file"))
    assert __main__.main([greet, "fault"]) == 2
    assert "no crash report could be written" in capsys.readouterr().err


def test_a_code_that_the_table_lacks_is_a_fault(tmp_path: Path) -> None:
    command = GREET.replace("{3:", "{0:")
    with installed_plug_in(tmp_path / "site", "greeting", {"cli/greet.py": command}):
        assert __main__.main(["greet", "you"]) == 2


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("chekc", "no file or command chekc; the nearest command is check\n"),
        ("robot", "no file or command robot\n"),
    ],
)
def test_a_mistyped_command_is_told_with_the_nearest(
    word: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert __main__.main([word, "x.urdf"]) == 2
    assert capsys.readouterr().err == f"xrdf-editor: {sentence}"


@pytest.mark.parametrize("words", [["help", "check"], ["--help", "check"], ["check", "-h"]])
def test_help_of_a_command_has_its_exit_codes(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        __main__.main(words)
    assert end.value.code == 0
    told = capsys.readouterr().out
    assert "usage: xrdf-editor check" in told
    for code, meaning in exit_codes(cli.module_of("check")).items():
        assert f"  {code:<4} {meaning}" in told


def test_options_are_written_out_and_quiet_commands_say_nothing_beside_their_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = tmp_path / "a.urdf"
    urdf.write_text('<robot name="a"><link name="b"/></robot>')
    with pytest.raises(SystemExit):
        __main__.main(["new", str(urdf), "--forc"])
    assert "unrecognized arguments: --forc" in capsys.readouterr().err
    assert __main__.main(["new", str(urdf), "-q"]) in (0, 1)
    told = capsys.readouterr()
    assert told.err == ""
    assert told.out == f"{urdf.with_suffix('.xrdf')}\n"
    assert __main__.main(["new", str(urdf), "--quiet"]) == 2
    assert "already exists" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows tells a closed pipe otherwise")
def test_a_report_that_nobody_reads_to_its_end_is_no_fault() -> None:
    command = [sys.executable, "-P", "-m", "editor_app", "schema"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.stderr is not None
        assert running.stderr.read() == ""
        assert running.wait(60) == 2


def test_anything_else_goes_to_the_window(greet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    given: list[list[str]] = []

    def main(arguments: list[str]) -> int:
        given.append(arguments)
        return 0

    app = types.ModuleType("editor_app.window.app")
    monkeypatch.setattr(app, "run_window", main, raising=False)
    monkeypatch.setitem(sys.modules, "editor_app.window.app", app)
    for arguments in (
        [],
        ["robot.urdf", "robot.xrdf"],
        ["--demo-out", "out", "robot.urdf"],
        ["./greet"],
    ):
        assert __main__.main(arguments) == 0
        assert given[-1] == arguments


def test_resources_are_found_in_an_installed_package_too(tmp_path: Path) -> None:
    """As in a wheel: the folder lies inside the package under another name, and no checkout is
    around."""
    import shutil

    from editor_app.core import resources

    package = tmp_path / "site-packages" / "editor_app"
    (package / "core").mkdir(parents=True)
    # What a common name may hold beside the package must not be taken for ours.
    (tmp_path / "site-packages" / "resources").mkdir()
    shutil.copy(resources.__file__, package / "core" / "resources.py")
    for folder in (package, package / "core"):
        (folder / "__init__.py").touch()
    shutil.copytree(resources.resources_folder(), package / "_resources")
    program = (
        "from editor_app.core.resources import app_icon, sample_robot; print(sample_robot()); "
        "print(app_icon())"
    )
    command = [sys.executable, "-S", "-c", program]
    listing = subprocess.run(
        command, cwd=package.parent, capture_output=True, text=True, timeout=60, check=True
    )
    for line in listing.stdout.splitlines():
        assert Path(line).is_relative_to(package / "_resources")
        assert Path(line).is_file()


def test_a_short_command_does_not_load_linear_algebra_for_kernels_that_have_none(
    tmp_path: Path,
) -> None:
    """Nor does compiling, which kernels from disk do without."""
    box = (
        '<link name="l"><collision><geometry><box size="0.2 0.2 '
        '0.4"/></geometry></collision></link>'
    )
    (tmp_path / "box.urdf").write_text(f'<robot name="box">{box}</robot>', encoding="utf-8")
    program = (
        "import sys; from editor_app import cli; from numba.np import linalg; ensure = "
        "linalg.ensure_blas; "
        f"cli.run_command('fit', [{str(tmp_path / 'box.urdf')!r}, '--spheres', '1']); "
        "import numba; numba.njit(lambda a: a)(1); "
        "print('|', linalg.ensure_blas is ensure, *sys.modules)"
    )
    root = Path(editor_app.__file__).parents[1]
    command = [sys.executable, "-c", "import editor_app.core.numba_settings; " + program]
    finished = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=300, check=True
    )
    restored, *modules = finished.stdout.rpartition("|")[2].split()
    assert restored == "True", "numba itself stays as it was"
    assert "numba.np.arraymath" in modules
    assert "scipy.linalg" not in modules


@pytest.mark.skipif(os.name == "nt", reason="Windows reports a closed pipe as another error")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["--version", "--verbose"]])
def test_a_reader_that_leaves_ends_the_program_without_a_traceback(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    root = Path(editor_app.__file__).parents[1]
    try:
        command = [sys.executable, "-P", "-m", "editor_app", *arguments]
        finished = subprocess.run(
            command, cwd=root, stdout=writing, stderr=subprocess.PIPE, timeout=60
        )
    finally:
        os.close(writing)
    assert (finished.returncode, finished.stderr) == (2, b"")
