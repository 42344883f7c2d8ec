"""A bundle leaves out what nothing loads, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import environment
import pytest
import release_notes
from bundling import linux, third_party, trial
from bundling.contents import is_kept, vtk_parts
from packaging.version import Version

from editor_app import __version__, cli
from tests.helpers.breadth import only_deep


def test_the_window_loads_no_part_of_vtk_that_is_left_out() -> None:
    """In a process of its own: every import of another part of VTK fails there."""
    program = textwrap.dedent(
        f"""
        import sys
        kept = {sorted(vtk_parts())!r}

        class Missing:
            def find_spec(self, name, path=None, target=None):
                package, _, part = name.partition(".")
                if package == "vtkmodules" and part.startswith("vtk") and part not in kept:
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, Missing())
        import editor_app.window.viewport.view
        import editor_app.window.viewport.scene
        import editor_app.window.viewport.tools
        import pyvistaqt
        import editor_app
        from editor_app.core.resources import sample_robot
        editor_app.show(editor_app.open_robot(sample_robot()), interactive=False, size=(60, 40))
        print("loaded")
        """
    )
    answer = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False
    )
    assert answer.stdout.strip() == "loaded", answer.stderr


@pytest.mark.parametrize(
    ("file", "kept"),
    [
        ("vtkmodules/libvtkCommonCore.so", True),
        ("vtkmodules/vtkCommonCore.cpython-311-x86_64-linux-gnu.so", True),
        ("vtkmodules/libvtkWrappingPythonCore3.11.so", True),
        ("vtkmodules/vtkIOExodus.cpython-313-x86_64-linux-gnu.so", False),
        ("vtkmodules\\vtkCommonCore-9.7.dll", True),
        ("vtkmodules\\vtkIOExodus.cp312-win_amd64.pyd", False),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/lib/libQt6Quick.so.6", False),
        # The graphics drivers of a newer system need its own, newer one.
        ("libstdc++.so.6", False),
        ("libpython3.11.so.1.0", True),
        ("numpy.libs/libscipy_openblas64_-32a4b2a6.so", True),
    ],
)
def test_files_are_kept_by_their_place(file: str, kept: bool) -> None:
    assert is_kept(file) is kept


def test_the_debian_package_asks_for_the_c_library_that_its_libraries_name(tmp_path: Path) -> None:
    """Not for what a text names that is no library, nor for a longer text that only begins like a
    version."""
    (tmp_path / "libone.so").write_bytes(
        b"\x7fELF..\x00GLIBC_2.17\x00GLIBC_2.35\x00GLIBC_2.2.5\x00"
    )
    (tmp_path / "libtwo.so").write_bytes(b"\x7fELF..\x00GLIBC_2.4\x00GLIBC_2.99 is not here\x00")
    (tmp_path / "notes.txt").write_bytes(b"\x00GLIBC_2.77\x00")
    assert linux.oldest_libc(tmp_path) == "2.35"


def test_libraries_that_only_left_out_ones_were_linked_with_are_dropped(tmp_path: Path) -> None:
    """A chain of them, too; what is linked with stays, and so does the interpreter."""
    links = {
        "module.so": {"libused.so.1"},
        "libused.so.1": {"libdeep.so.2"},
        "libdeep.so.2": set(),
        "libpython3.11.so.1.0": set(),
        "libtoolkit.so.3": {"libpictures.so.1"},
        "libpictures.so.1": set(),
    }
    for name in links:
        (tmp_path / name).touch()
    (tmp_path / "libgone.so").symlink_to("elsewhere/libgone.so")
    dropped = linux.drop_unneeded(tmp_path, lambda path: frozenset(links.get(path.name, ())))
    assert dropped == ["libgone.so", "libpictures.so.1", "libtoolkit.so.3"]
    assert {path.name for path in tmp_path.iterdir()} == set(links) - set(dropped)


def test_a_library_with_two_names_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "libone.so.1").write_bytes(bytes(1000))
    (tmp_path / "libone.so").symlink_to("libone.so.1")
    assert linux.unpacked_bytes(tmp_path) == 1000


def test_every_package_is_named_with_its_licence() -> None:
    text = third_party.notices()
    rows = [
        line
        for line in text.splitlines()
        if line.startswith("| ") and not line.startswith("| package")
    ]
    names = {row.split("|")[1].strip().lower() for row in rows}
    assert {"numpy", "vtk", "pyside6_essentials", "trimesh"} <= names
    assert all(row.split("|")[3].strip() for row in rows)
    assert "LGPL" in next(row for row in rows if "PySide6_Essentials" in row)


def test_release_notes_are_the_section_of_their_version() -> None:
    text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.0.0 - 2026-01-01\n\n- old\n"
    assert release_notes.notes(text, "1.0.0") == "- old\n"
    assert release_notes.notes(text) == "- new\n"
    with pytest.raises(ValueError, match="says nothing of"):
        release_notes.notes(text, "2.0.0")


def test_a_release_has_one_version_wherever_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    told = release_notes.versions(environment.ROOT)
    released = told.pop("CHANGELOG.md")
    next_version = __version__.removesuffix(".dev0")
    assert set(told.values()) == {__version__, next_version}, told
    if __version__.endswith(".dev0"):
        # Between releases: the next one's version, of which no release may be made yet.
        assert Version(released) < Version(__version__)
        assert release_notes.main([next_version]) == 1
        assert release_notes.main([]) == 0
        assert capsys.readouterr().out.strip()
    else:
        assert released == __version__
    page = release_notes.notes(
        (environment.ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), released
    )
    assert "### Added" in page
    assert len(page) < 13_000, "one page"
    assert release_notes.main(["99.0"]) == 1
    assert "CHANGELOG.md says" in capsys.readouterr().err


_AS_IN_A_BUNDLE = '''
import importlib.machinery as machinery, sys

class Code:
    """What PyInstaller's loader can do: code, and no source."""
    def __init__(self, loader):
        self._loader = loader
    def create_module(self, spec):
        return None
    def get_code(self, name):
        return self._loader.get_code(name)
    def get_source(self, name):
        return None
    def get_resource_reader(self, name):
        return self._loader.get_resource_reader(name)
    def exec_module(self, module):
        exec(self.get_code(module.__name__), module.__dict__)

class Finder(machinery.FileFinder):
    def find_spec(self, name, target=None):
        spec = super().find_spec(name, target)
        if spec is not None and isinstance(spec.loader, machinery.SourceFileLoader):
            # The file that a module names is nowhere; what lies beside it may be.
            spec.loader, spec.origin, spec.cached = Code(spec.loader), spec.origin + "c", None
        return spec

def hook(folder):
    if "site-packages" not in folder:
        raise ImportError
    extensions = (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES)
    return Finder(folder, extensions, (machinery.SourceFileLoader, machinery.SOURCE_SUFFIXES))

sys.path_hooks.insert(0, hook)
sys.path_importer_cache.clear()
'''


def test_libraries_without_sources_fit_compute_masks_and_check(tmp_path: Path) -> None:
    """As in a bundle, which packs code alone: whatever is imported in another way here must work
    there."""
    (tmp_path / "sitecustomize.py").write_text(_AS_IN_A_BUNDLE, encoding="utf-8")
    env = environment.clean_environment() | {"PYTHONPATH": str(tmp_path)}
    words = [
        sys.executable,
        "-P",
        "-c",
        "import numba, trimesh; print(numba.__file__, trimesh.__spec__.loader.get_source(''))",
    ]
    assert subprocess.run(
        words, capture_output=True, text=True, env=env, check=True
    ).stdout.endswith(".pyc None\n")
    command = [sys.executable, *environment.PROGRAM]
    tried = [
        case for case in trial.TRIALS if case.line.partition(" ")[0] in ("fit", "mask", "check")
    ]
    assert len(tried) == 3
    for case in tried:
        trial.run(command, case, tmp_path, env)


def test_what_is_not_released_yet_is_one_page() -> None:
    """What's new is read in the window: a page of subjects, and no list of commits."""
    text = (environment.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = text.partition("## Unreleased")[2].partition("\n## ")[0]
    assert len(unreleased) < 10_000
    assert text.count("\n## Unreleased") == 1


def test_a_bundle_is_tried_with_every_command() -> None:
    assert {case.line.partition(" ")[0] for case in trial.TRIALS} == {
        *cli.list_commands(),
        "--version",
    }


#: Trials of a second or so. Those that compute longer are tried in a deep run, and with the bundle
#: every night.
_QUICK = ("edit", "variant", "pose", "collide", "cost", "convert", "completion")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=case.line[:40], marks=() if case.line.startswith(_QUICK) else only_deep
        )
        for case in trial.TRIALS
        if case.line.startswith(
            (*_QUICK, "compose {s}/heron.urdf {s}", "repair", "new", "plan", "test", "batch")
        )
    ],
)
def test_trials_of_a_bundle_expect_what_the_program_does(
    case: trial.Trial, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *arguments = case.arguments(tmp_path)
    assert cli.run_command(name, arguments) == case.code
    assert case.answers in capsys.readouterr().out
    assert not case.leaves or (tmp_path / case.leaves).is_file()


def test_a_program_that_does_not_do_its_work_fails_its_trial(tmp_path: Path) -> None:
    def program(text: str) -> list[str]:
        return [sys.executable, "-c", text]

    works = trial.Trial("fit", 3, "made", "told", "answer")
    sound = (
        f"import sys; open({str(tmp_path / 'made')!r}, 'w'); print('answer', sys.stdin.read()); "
    )
    trial.run(program(sound + "sys.exit(3)"), works, tmp_path, {})
    for text, complaint in (
        (sound, "exit code 0, not 3"),
        ("import sys; sys.exit(3)", "lacks 'answer'"),
        (sound + "print('Traceback', file=sys.stderr); sys.exit(3)", "traceback"),
        (
            "import sys; print('answer'); import os; os.remove('made'); sys.exit(3)",
            "made was not written",
        ),
    ):
        with pytest.raises(trial.TrialFailed, match=complaint):
            trial.run(
                ["env", "-C", str(tmp_path), *program(text)], works, tmp_path, {"PATH": os.defpath}
            )


def test_a_bundle_is_tried_without_a_python_and_without_settings(tmp_path: Path) -> None:
    env = trial.bare_environment(
        tmp_path, {"PATH": "/usr/bin", "PYTHONPATH": "x", "HOME": "/root", "DISPLAY": ":1"}
    )
    assert not list(Path(env["PATH"]).iterdir())
    assert (env["DISPLAY"], env["HOME"], env.get("PYTHONPATH")) == (":1", str(tmp_path), None)
