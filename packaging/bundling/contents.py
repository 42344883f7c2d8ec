"""What goes into a bundle, and what is left out because nothing loads it."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

_FOLDER = Path(__file__).resolve().parent
#: Packages that others import only if they are there, or for what the editor does not do.
EXCLUDED_MODULES = [
    *(
        "tkinter",
        "IPython",
        "jupyter_core",
        "pytest",
        "setuptools",
        "pip",
        "cython",
        "Cython",
        "pygments",
        "sphinx",
    ),
    *(
        "PySide6.QtQml",
        "PySide6.QtQuick",
        "PySide6.QtNetwork",
        "PySide6.QtDesigner",
        "PySide6.QtTest",
    ),
]
#: Qt's files that the window never loads: network, QML, touch keyboards, and the translations of
#: Qt's own dialogs.
_LEFT_OUT_OF_QT = re.compile(
    r"PySide6/(Qt/)?(translations|qml)/"
    r"|PySide6/(Qt/)?(lib/)?(lib)?Qt6(Network|Qml|Quick|VirtualKeyboard|Pdf)"
    r"|PySide6/(Qt/)?plugins/(networkinformation|tls|platforminputcontexts/.*virtualkeyboard)"
    r"|PySide6/(Qt/)?plugins/platforms/.*(minimal|vnc|linuxfb|eglfs)"
    r"|PySide6/(Qt/)?plugins/(egldeviceintegrations|platformthemes/libqgtk3)"
)
_VTK = re.compile(
    r"vtkmodules/(?:lib)?([A-Za-z0-9_]+?)(?:-\d[\d.]*)?\.(?:so|pyd|dll|dylib|abi3|cpython|cp\d)"
)
#: Libraries that must be the system's own: its graphics drivers are loaded into the same process,
#: and need theirs.
_SYSTEM = re.compile(
    r"lib(stdc\+\+|gcc_s|X11|X11-xcb|Xau|Xdmcp|Xext|Xrender|Xi|Xfixes|xcb|xcb-(glx|shm|sync|xfixes|randr|render|shape|xkb|xinerama)"
    r"|GL|EGL|GLX|GLdispatch|OpenGL|drm|gbm|expat|z|zstd|elf|fontconfig|freetype|harfbuzz|glib-2\.0|gio-2\.0|gobject-2\.0"
    r"|gmodule-2\.0|gthread-2\.0|cairo|cairo-gobject|pango.*|pixman-1|dbus-1|systemd|gcrypt|gpg-error|mount|blkid|selinux"
    r"|uuid|pcre2-8|cap|lz4|krb5|krb5support|k5crypto|gssapi_krb5|com_err|keyutils|xkbcommon|xkbcommon-x11|wayland-.*)\.so[.\d]*"
)
_KERNELS = re.compile(r"vtkmodules/.*viskores")


def vtk_parts() -> frozenset[str]:
    """VTK's parts that are kept, by their names without prefix, version and suffix."""
    lines = (_FOLDER / "vtk_parts.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def is_kept(target: str) -> bool:
    """Whether a file, by its place in the bundle, is needed."""
    path = PurePosixPath(target.replace("\\", "/")).as_posix()
    if _LEFT_OUT_OF_QT.search(path) or _KERNELS.search(path) or _SYSTEM.fullmatch(path):
        return False
    part = _VTK.match(path)
    if part is None:
        return True
    # The version of Python stands at the end of one name: vtkWrappingPythonCore3.11.
    return re.sub(r"\d+$", "", part[1]) in vtk_parts() or part[1] in vtk_parts()


def hidden_imports() -> list[str]:
    """Modules that are imported by name alone: the commands, the panels, what VTK's wrappers import
    in C."""
    from PyInstaller.utils.hooks import collect_submodules

    return [*collect_submodules("editor_app"), "vtkmodules.util.numpy_support"]


def data_files(root: Path) -> list[tuple[str, str]]:
    """(source, folder in the bundle) of files that are no code."""
    files = []
    for folder in ("icons", "sample", "manual", "sobol"):
        if (root / "resources" / folder).is_dir():
            files.append((str(root / "resources" / folder), f"resources/{folder}"))
    # Compiled by packaging/bundle.py.
    files.append((str(root / "build" / "kernels"), "editor_app/_kernels"))
    # What is new, in the manual.
    files.append((str(root / "CHANGELOG.md"), "resources"))
    notices = root / "THIRD_PARTY.md"
    # Read at import, by name.
    from PyInstaller.utils.hooks import collect_data_files

    files += [*collect_data_files("collada"), *collect_data_files("trimesh")]
    return [
        *files,
        (str(root / "LICENSE"), "."),
        *([(str(notices), ".")] if notices.is_file() else []),
    ]
