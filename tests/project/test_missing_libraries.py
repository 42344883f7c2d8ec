"""The small distribution: its commands need its libraries alone; the others say what to install."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import environment
import pytest
from packaging.requirements import Requirement

import editor_app
from editor_app.core import libraries

WHOLE = tomllib.loads((environment.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = tomllib.loads(
    (environment.ROOT / "packaging" / "core" / "pyproject.toml").read_text(encoding="utf-8")
)["project"]
#: Runs the command line where the libraries of all extras are missing; prints a line with each
#: command and its code.
_WITHOUT = """
import sys
from importlib.abc import MetaPathFinder
from editor_app.core import libraries

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in libraries._EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from editor_app.__main__ import main
robot = sys.argv[1]
for line in sys.stdin.read().splitlines():
    code = main([word.format(r=robot) for word in line.split()])
    print("\\nRAN", code, line, flush=True)
"""
_WORK = (
    "check {r}/heron.urdf {r}/heron.xrdf {r}/heron.srdf",
    "convert {r}/heron.urdf {r}/heron.xrdf {r}/out.dae",
    "convert {r}/heron.urdf {r}/heron.xrdf {r}/out.mjcf.xml",
    "convert {r}/heron.urdf {r}/heron.xrdf {r}/out.curobo.yml",
    "diff {r}/heron.urdf {r}/heron.urdf",
    "schema",
    "completion bash",
    "edit {r}/heron.urdf --rename-link hand_link=palm -o {r}/edited/heron.urdf",
    "pose {r}/heron.urdf",
    "repair {r}/heron.urdf {r}/heron.xrdf -o {r}/repaired",
    "variant {r}/heron.urdf --set closed -o {r}/closed.xrdf",
)
_NEED_MORE = {
    "fit {r}/heron.urdf -o {r}/fit.xrdf": "compute",
    "mask {r}/heron.urdf {r}/heron.xrdf -o {r}/mask.xrdf": "compute",
    "collide {r}/heron.urdf --state default": "compute",
    "compose {r}/heron.urdf {r}/heron.urdf --at hand_link --prefix h_ -o {r}/two.urdf": "compute",
    "check {r}/heron.urdf --slow": "compute",
    "lsp": "lsp",
}


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("robot")
    for path in (environment.ROOT / "resources" / "sample").rglob("*"):
        if path.is_file():
            target = folder / path.relative_to(environment.ROOT / "resources" / "sample")
            target.parent.mkdir(exist_ok=True, parents=True)
            target.write_bytes(path.read_bytes())
    return folder


def run_without_extras(robot: Path, lines: list[str]) -> tuple[dict[str, int], str]:
    """Return each command's exit code, and what standard error says."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", _WITHOUT, str(robot)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment.clean_environment() | {"PYTHONPATH": str(environment.ROOT)},
    )
    ran = [line.split(" ", 2) for line in done.stdout.splitlines() if line.startswith("RAN ")]
    return {line: int(code) for _, code, line in ran}, done.stderr


def test_the_first_commands_need_no_extra(robot: Path) -> None:
    codes, errors = run_without_extras(robot, list(_WORK))
    assert codes == dict.fromkeys(_WORK, 0), errors


def test_a_command_whose_library_is_missing_says_what_to_install(robot: Path) -> None:
    codes, errors = run_without_extras(robot, list(_NEED_MORE))
    assert codes == dict.fromkeys(_NEED_MORE, 2), errors
    assert "Traceback" not in errors
    refusals = [line for line in errors.splitlines() if "Install it with: " in line]
    assert len(refusals) == len(_NEED_MORE), errors


def test_dependencies_and_extras_of_the_core_are_those_of_the_whole_program() -> None:
    extras = dict(CORE["optional-dependencies"])
    first = {*CORE["dependencies"], *extras.pop("compute"), *extras.pop("window")}
    assert {Requirement(text) for text in first} == {
        Requirement(text) for text in WHOLE["dependencies"]
    }
    assert extras == WHOLE["optional-dependencies"]
    assert CORE["scripts"] == WHOLE["scripts"]
    assert CORE["requires-python"] == WHOLE["requires-python"]
    for name in ("LICENSE",):
        assert (environment.ROOT / "packaging" / "core" / name).read_text() == (
            environment.ROOT / name
        ).read_text()


def test_every_library_of_an_extra_has_its_sentence() -> None:
    """Distributions whose modules have other names are listed here."""
    modules = {
        "PySide6_Essentials": "PySide6",
        "vtk": "vtkmodules",
        "python-fcl": "fcl",
        "pillow": "PIL",
        "pygls": "pygls",
        "usd-core": "pxr",
    }
    for extra, texts in CORE["optional-dependencies"].items():
        for text in texts:
            name = Requirement(text).name
            assert libraries._EXTRAS[modules.get(name, name.replace("-", "_"))] == extra


@pytest.mark.parametrize(
    ("folders", "command"),
    [
        (["xrdf_editor_core-1.2.0.dist-info"], "pip install 'xrdf-editor-core[compute,lsp]'"),
        (["xrdf_editor-1.2.0.dist-info"], "pip install 'xrdf-editor[lsp]'"),
        (["numpy-2.4.dist-info"], "pip install 'xrdf-editor[lsp]'"),
    ],
    ids=["core", "whole", "checkout"],
)
def test_the_command_names_the_distribution_that_is_installed(
    folders: list[str], command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in folders:
        (tmp_path / name).mkdir()
    monkeypatch.setattr(libraries, "HOME", tmp_path)
    assert libraries.install_command("compute", "lsp") == command
    assert libraries.conflict(tmp_path) is None


def test_distributions_are_searched_in_the_folder_of_the_package() -> None:
    assert Path(editor_app.__file__).parent.parent == libraries.HOME


def test_both_distributions_in_one_environment_are_reported(tmp_path: Path) -> None:
    for name in ("xrdf_editor-1.2.0.dist-info", "xrdf_editor_core-1.1.0.dist-info"):
        (tmp_path / name).mkdir()
    sentence = libraries.conflict(tmp_path)
    assert sentence is not None
    assert "xrdf-editor 1.2.0" in sentence
    assert "xrdf-editor-core 1.1.0" in sentence
    assert "pip uninstall xrdf-editor xrdf-editor-core" in sentence


def test_other_failed_imports_keep_their_message() -> None:
    for error in (
        ImportError("cannot import name 'x'", name="numba"),
        ModuleNotFoundError("No module", name="elsewhere"),
    ):
        before = str(error)
        libraries.explain_missing_library(error)
        assert str(error) == before
