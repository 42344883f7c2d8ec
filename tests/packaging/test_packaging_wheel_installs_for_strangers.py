"""The sdist makes the wheel, and the wheel is whole: installed into an environment of its own it
works from anywhere.

The environment takes the libraries of the tests' environment, so that only the build backend comes
from the network.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path

import environment
import pytest
import stamp
from packaging.requirements import Requirement
from packaging.tags import Tag, sys_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

import editor_app
from editor_app import cli

PROJECT = tomllib.loads((environment.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TRAPPED = ("yaml", "numpy", "lxml", "ruamel", "editor_app", "sitecustomize", "usercustomize")


@dataclass(frozen=True)
class Installed:
    """`wheel` is made from `sdist` and installed into `home`; `core` is the small distribution's
    wheel; `sample` is a copy of the sample robot among traps."""

    sdist: Path
    wheel: Path
    core: Path
    home: environment.Environment
    sample: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The installed command, started in the folder of the robot."""
        command = [str(self.home.scripts / "xrdf-editor"), *arguments]
        return subprocess.run(
            command,
            cwd=self.sample,
            env=plain(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


def plain() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def install(home: environment.Environment, *arguments: str) -> subprocess.CompletedProcess[str]:
    installer = [home.find_uv(), "pip", "install", "--python", str(home.python)]
    return subprocess.run(
        [*installer, *arguments], env=plain(), capture_output=True, text=True, check=False
    )


def build(home: environment.Environment, kind: str, source: Path, out: Path) -> Path:
    """The file that the project's build backend makes of `source`."""
    program = f"import sys, hatchling.build; print(hatchling.build.build_{kind}(sys.argv[1]))"
    command = [str(home.python), "-P", "-c", program, str(out)]
    done = subprocess.run(
        command, cwd=source, env=plain(), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return out / done.stdout.splitlines()[-1]


def bounds(requirements: list[str]) -> dict[str, str]:
    """Canonical name -> versions that are allowed."""
    return {canonicalize_name(r.name): str(r.specifier) for r in map(Requirement, requirements)}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("stranger")
    home = environment.Environment(folder / "venv")
    home._make_venv()
    fetched = install(home, *PROJECT["build-system"]["requires"])
    if fetched.returncode != 0:
        pytest.skip("the build backend is not to be had: no package index is within reach")
    sdist = build(home, "sdist", environment.ROOT, folder)
    with tarfile.open(sdist) as archive:
        # Python 3.11.2, Debian 12's, has no filters yet; later ones want to be told which.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder / "unpacked")
    [source] = (folder / "unpacked").iterdir()
    wheel = build(home, "wheel", source, folder)
    done = install(home, "--no-deps", "--no-index", str(wheel))
    assert done.returncode == 0, done.stderr
    # A plain line, not a site folder: the .pth files there, which lead to this checkout, are not
    # read.
    library = (
        next((home.folder / "lib").glob("python3.*"))
        if not environment.WINDOWS
        else home.folder / "Lib"
    )
    (library / "site-packages" / "libraries.pth").write_text(
        f"{sysconfig.get_path('purelib')}\n", encoding="utf-8"
    )
    # Nothing that was built from is within reach any more.
    shutil.rmtree(folder / "unpacked")
    sample = folder / "downloaded"
    shutil.copytree(environment.ROOT / "resources" / "sample", sample)
    for name in {*sys.stdlib_module_names, *TRAPPED}:
        (sample / f"{name}.py").write_text(
            f"open({str(folder / 'run.txt')!r}, 'a').write({name!r} + ' ')\n"
        )
    core = build(home, "wheel", environment.ROOT / "packaging" / "core", folder)
    return Installed(sdist, wheel, core, home, sample)


def test_the_command_checks_a_robot_in_a_folder_full_of_traps(installed: Installed) -> None:
    told = installed.run("--version")
    assert told.stdout.strip() == f"xrdf-editor {editor_app.__version__}", told.stderr
    checked = installed.run("check", "heron.xrdf", "heron.urdf")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    (installed.sample / "broken.xrdf").write_text(
        "format: xrdf\nformat_version: 1.0\ntool_frames: 5\n"
    )
    broken = installed.run("check", "broken.xrdf", "heron.urdf")
    assert broken.returncode == 1
    assert "XRDF804" in broken.stdout
    assert not (installed.sample.parent / "run.txt").exists(), (
        installed.sample.parent / "run.txt"
    ).read_text()


def test_the_package_that_runs_is_the_installed_one_and_has_its_resources(
    installed: Installed,
) -> None:
    program = (
        "import editor_app; from editor_app.core.resources import app_icon, sample_robot; "
        "from editor_app import check, open_robot; "
        "print(editor_app.__file__); print(sample_robot()); print(app_icon()); "
        "assert not [f for f in check(open_robot(sample_robot())) if f.severity == "
        "editor_app.Severity.ERROR]"
    )
    command = [str(installed.home.python), "-P", "-c", program]
    done = subprocess.run(
        command,
        cwd=installed.sample,
        env=plain(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        assert Path(line).is_relative_to(installed.home.folder)
        assert Path(line).is_file()


def test_the_wheel_holds_all_of_the_program_and_nothing_else(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        names = set(archive.namelist())
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        said = Parser().parsestr(archive.read(metadata).decode())
    root = environment.ROOT
    ours = {path.relative_to(root).as_posix() for path in (root / "editor_app").rglob("*.py")}
    assert ours <= names
    assert {name for name in names if name.endswith(".py")} == ours
    resources = {path for path in (root / "resources").rglob("*") if path.is_file()}
    assert {
        f"editor_app/_resources/{path.relative_to(root / 'resources').as_posix()}"
        for path in resources
    } <= names
    assert {name.split("/")[0] for name in names} == {"editor_app", metadata.split("/")[0]}
    assert said["Version"] == editor_app.__version__
    asked = [text for text in said.get_all("Requires-Dist", []) if "extra ==" not in text]
    assert bounds(asked) == bounds(PROJECT["project"]["dependencies"])
    assert set(said.get_all("Provides-Extra", [])) == set(
        PROJECT["project"]["optional-dependencies"]
    )


def test_the_small_distribution_holds_the_same_files(installed: Installed) -> None:
    files = []
    for path in (installed.wheel, installed.core):
        with zipfile.ZipFile(path) as archive:
            files.append(
                {i.filename: i.CRC for i in archive.infolist() if ".dist-info/" not in i.filename}
            )
    whole, core = files
    assert {name for name in core if name.endswith(".pyc")} == set()
    assert core == whole


def test_a_wheel_with_compiled_kernels_is_for_this_python_and_machine(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "some.kernel").write_bytes(b"code")
    monkeypatch.setenv("XRDF_EDITOR_WHEEL_KERNELS", str(kernels))
    with pytest.raises(AssertionError, match=r"no kernels\.json"):
        build(installed.home, "wheel", environment.ROOT, tmp_path)
    (kernels / "kernels.json").write_text("{}")
    wheel = build(installed.home, "wheel", environment.ROOT, tmp_path)
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(installed.wheel) as other:
        added = {
            name
            for name in {*archive.namelist()} - {*other.namelist()}
            if ".dist-info/" not in name
        }
    assert added == {"editor_app/_kernels/some.kernel", "editor_app/_kernels/kernels.json"}
    assert not any(tag.platform == "any" for tag in parse_wheel_filename(wheel.name)[3])
    assert parse_wheel_filename(wheel.name)[3] <= {*sys_tags()} or sys.platform == "darwin"
    assert parse_wheel_filename(installed.wheel.name)[3] == {Tag("py3", "none", "any")}


def test_every_command_of_the_checkout_is_in_the_installed_help(installed: Installed) -> None:
    text = installed.run("--help").stdout
    assert all(f"  {name} " in text for name in cli.list_commands())


def test_links_of_the_readme_lead_anywhere_from_the_packages_page() -> None:
    text = (environment.ROOT / "README.md").read_text(encoding="utf-8")
    made = stamp.absolute(text, "https://github.com/them/editor", "abc")
    assert "(https://github.com/them/editor/raw/abc/resources/manual/pictures/window.webp)" in made
    assert "(https://github.com/them/editor/blob/abc/CONTRIBUTING.md)" in made
    assert stamp.absolute(made, "https://elsewhere", "abc") == made, "no relative link is left"
    targets = [Path(link["target"].partition("#")[0]) for link in stamp._LINK.finditer(text)]
    assert targets
    assert [path for path in targets if not (environment.ROOT / path).is_file()] == []


def test_what_a_release_builds_from_names_the_repository_and_the_commit(tmp_path: Path) -> None:
    core, extension = "packaging/core/pyproject.toml", "packaging/vscode/package.json"
    for name in ("README.md", "pyproject.toml", core, extension, "editor_app/version.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(environment.ROOT / name, tmp_path / name)
    stamp.stamp(tmp_path, "https://github.com/them/editor/", "0123abc")
    for name in ("pyproject.toml", "packaging/core/pyproject.toml"):
        urls = tomllib.loads((tmp_path / name).read_text(encoding="utf-8"))["project"]["urls"]
        assert urls["Homepage"] == "https://github.com/them/editor"
        assert urls["Changelog"] == "https://github.com/them/editor/blob/0123abc/CHANGELOG.md"
    manifest = json.loads((tmp_path / extension).read_text(encoding="utf-8"))
    assert manifest["repository"]["url"] == "https://github.com/them/editor.git"
    assert 'COMMIT = "0123abc"' in (tmp_path / "editor_app" / "version.py").read_text(
        encoding="utf-8"
    )
    with pytest.raises(ValueError, match="no commit"):
        stamp.with_commit('COMMIT = ""\n', "main; rm")
