"""A bundle leaves out what nothing loads, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import release_notes
from bundling import linux, third_party
from bundling.contents import is_kept, vtk_parts


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
        import editor_app.gui.viewport.view
        import editor_app.gui.viewport.scene
        import editor_app.gui.viewport.tools
        import pyvistaqt
        import editor_app
        from editor_app.resources import sample_robot
        editor_app.open_robot(sample_robot()).show(interactive=False, size=(60, 40))
        print("loaded")
        """
    )
    answer = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
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
    """Not for what a text names that is no library, nor for a longer text that only begins like a version."""
    (tmp_path / "libone.so").write_bytes(b"\x7fELF..\x00GLIBC_2.17\x00GLIBC_2.35\x00GLIBC_2.2.5\x00")
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
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| package")]
    names = {row.split("|")[1].strip().lower() for row in rows}
    assert {"numpy", "vtk", "pyside6_essentials", "trimesh"} <= names
    assert all(row.split("|")[3].strip() for row in rows)
    assert "LGPL" in next(row for row in rows if "PySide6_Essentials" in row)


def test_release_notes_are_the_section_of_their_version() -> None:
    text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.0.0 - 2026-01-01\n\n- old\n"
    assert release_notes.notes(text, "1.0.0") == "- old\n"
    assert release_notes.notes(text, "2.0.0") == "- new\n"
    with pytest.raises(ValueError, match="no section"):
        release_notes.notes("# Changelog\n", "1.0.0")
