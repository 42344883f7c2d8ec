"""A bundle as a Debian package and as an archive that may be unpacked anywhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
#: Libraries that are the system's own: for the display, and for finding fonts. Alternatives are
#: later names.
DEPENDS = (
    *(
        "libstdc++6 (>= 11)",  # GLIBCXX_3.4.29
        "zlib1g",
        "libzstd1",
        "libexpat1",
        "libgl1",
        "libegl1",
        "libglx-mesa0",
        "libegl-mesa0",
        "libfontconfig1",
        "libfreetype6",
        "libdbus-1-3",
        "libglib2.0-0t64 | libglib2.0-0",
    ),
    *(
        "libharfbuzz0b",
        "libx11-6",
        "libxext6",
        "libxrender1",
        "libx11-xcb1",
        "libxcb-cursor0",
        "libxcb-icccm4",
        "libxcb-image0",
        "libxcb-keysyms1",
        "libxcb-randr0",
    ),
    *(
        "libxcb-render-util0",
        "libxcb-shape0",
        "libxcb-shm0",
        "libxcb-sync1",
        "libxcb-util1",
        "libxcb-xfixes0",
    ),
    *("libxcb-xkb1", "libxkbcommon-x11-0"),
)
#: Folder in the package -> file there and where it comes from.
_SHARED = (
    ("usr/share/applications", "xrdf-editor.desktop", _FOLDER / "xrdf-editor.desktop"),
    ("usr/share/mime/packages", "xrdf-editor.xml", _FOLDER / "xrdf-editor-mime.xml"),
    (
        "usr/share/icons/hicolor/scalable/apps",
        "xrdf-editor.svg",
        _FOLDER.parent.parent / "resources" / "icons" / "xrdf-editor.svg",
    ),
)


def unpacked_bytes(tree: Path) -> int:
    """What a folder holds; a library that has a second name by a link counts once."""
    return sum(
        path.stat().st_size for path in tree.rglob("*") if path.is_file() and not path.is_symlink()
    )


def needed_libraries(file: Path) -> frozenset[str]:
    """Names of the libraries that a library or program is linked with; none for other files.

    Raises FileNotFoundError where binutils are not installed.
    """
    with file.open("rb") as opened:
        if opened.read(4) != b"\x7fELF":
            return frozenset()
    answer = subprocess.run(
        ["objdump", "-p", str(file)], capture_output=True, text=True, check=False
    )
    return frozenset(re.findall(r"^ *NEEDED +(\S+)", answer.stdout, re.MULTILINE))


def drop_unneeded(
    folder: Path, needed: Callable[[Path], frozenset[str]] = needed_libraries
) -> list[str]:
    """Takes out the libraries at the top of a bundle that nothing in it is linked with; gives their
    names.

    PyInstaller puts there what the libraries that are left out are linked with, as far as the
    building machine has it, and links to left-out libraries, which lead nowhere. The interpreter's
    own is loaded by the program, by name.
    """
    dropped = [path for path in folder.rglob("*") if path.is_symlink() and not path.exists()]
    for path in dropped:
        path.unlink()
    users = {
        path: needed(path) for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
    }
    while True:
        wanted = frozenset().union(*users.values())
        idle = [
            path
            for path in folder.glob("lib*.so*")
            if path.name not in wanted
            and not path.name.startswith("libpython")
            and not path.is_symlink()
        ]
        if not idle:
            return sorted(path.name for path in dropped)
        for path in idle:
            del users[path]
            path.unlink()
        dropped += idle


def oldest_libc(tree: Path) -> str:
    """The oldest C library (glibc) that all libraries of the folder run with, as "2.35": the newest
    version they name.

    A version that a library needs stands in its table of dynamic strings as a text of its own.
    """
    newest = 0
    for path in tree.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            if file.read(4) == b"\x7fELF":
                versions = re.findall(rb"\x00GLIBC_2\.(\d+)(?=\x00)", file.read())
                newest = max([newest, *map(int, versions)])
    return f"2.{newest}"


def archive(tree: Path, out: Path, version: str) -> Path:
    """`xrdf-editor-VERSION-linux-ARCH.tar.xz`: the program, with what a desktop needs to know of it
    under `share`."""
    name = f"xrdf-editor-{version}-linux-{os.uname().machine}"
    path = out / f"{name}.tar.xz"
    with tarfile.open(path, "w:xz", preset=3) as packed:
        packed.add(tree, name)
        for folder, file, source in _SHARED:
            packed.add(source, f"{name}/{folder.removeprefix('usr/')}/{file}")
    return path


def debian_package(tree: Path, out: Path, version: str) -> Path:
    """`xrdf-editor_VERSION_ARCH.deb`, made by dpkg-deb. Raises subprocess.CalledProcessError,
    FileNotFoundError."""
    architecture = subprocess.run(
        ["dpkg", "--print-architecture"], check=True, capture_output=True, text=True
    ).stdout.strip()
    root = out / "deb"
    shutil.rmtree(root, ignore_errors=True)
    program = root / "opt" / "xrdf-editor"
    shutil.copytree(tree, program, symlinks=True)
    (root / "usr" / "bin").mkdir(parents=True)
    (root / "usr" / "bin" / "xrdf-editor").symlink_to("/opt/xrdf-editor/xrdf-editor")
    for folder, file, source in _SHARED:
        (root / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(source, root / folder / file)
    size = unpacked_bytes(program) // 1024
    control = root / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(
        "Package: xrdf-editor\n"
        # A tilde sorts before the release, as .dev0 does for Python.
        f"Version: {version.replace('.dev', '~dev')}\n"
        f"Architecture: {architecture}\n"
        f"Installed-Size: {size}\n"
        "Section: science\nPriority: optional\n"
        "Maintainer: XRDF Editor maintainers <maintainers@users.noreply.github.com>\n"
        f"Depends: libc6 (>= {oldest_libc(tree)}), {', '.join(DEPENDS)}\n"
        "Recommends: libgl1-mesa-dri\n"
        "Description: desktop editor for robot descriptions\n"
        " Creates, checks and edits XRDF, URDF and SRDF files: collision spheres, proven\n"
        " self-collision masks, and saving that keeps every comment.\n",
        encoding="utf-8",
    )
    path = out / f"xrdf-editor_{version}_{architecture}.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--build", str(root), str(path)],
        check=True,
    )
    shutil.rmtree(root)
    return path


def app_image(tree: Path, out: Path, version: str) -> Path | None:
    """An AppImage, where `appimagetool` is on the path; else None."""
    tool = shutil.which("appimagetool")
    if tool is None:
        return None
    root = out / "AppDir"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(tree, root / "opt", symlinks=True)
    for folder, file, source in _SHARED:
        (root / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(source, root / folder / file)
    for file in ("xrdf-editor.desktop",):
        shutil.copy(_FOLDER / file, root / file)
    shutil.copy(_SHARED[2][2], root / "xrdf-editor.svg")
    start = root / "AppRun"
    start.write_text('#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/opt/xrdf-editor" "$@"\n')
    start.chmod(0o755)
    path = out / f"xrdf-editor-{version}-{os.uname().machine}.AppImage"
    subprocess.run([tool, str(root), str(path)], check=True)
    shutil.rmtree(root)
    return path
