"""The Debian and Ubuntu packages that Qt, VTK and the tests need: which are missing, and installing
them.

Presence is asked of the system itself (can the library be loaded, is the program there), not of
dpkg: that takes milliseconds, holds on every distribution, and does not depend on names
(libglib2.0-0 became libglib2.0-0t64).
"""

from __future__ import annotations

import ctypes
import glob
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SystemPackage:
    """One Debian package. It is there when any of its libraries, programs or file patterns is
    found."""

    name: str
    libraries: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def present(self) -> bool:
        return (
            any(_loads(name) for name in self.libraries)
            or any(shutil.which(name) for name in self.programs)
            or any(glob.glob(pattern, recursive=True) for pattern in self.files)
        )


def _library(name: str, *sonames: str) -> SystemPackage:
    return SystemPackage(name, libraries=sonames)


#: What the window needs on any display.
WINDOW = (
    _library("libgl1", "libGL.so.1"),
    _library("libegl1", "libEGL.so.1"),
    _library("libglx-mesa0", "libGLX_mesa.so.0", "libGLX_nvidia.so.0"),
    _library("libegl-mesa0", "libEGL_mesa.so.0", "libEGL_nvidia.so.0"),
    SystemPackage(
        "libgl1-mesa-dri",
        libraries=("libGLX_nvidia.so.0",),
        files=("/usr/lib/*/dri/*_dri.so", "/usr/lib*/dri/*_dri.so", "/usr/lib/*/libgallium*.so"),
    ),
    _library("libxcb-cursor0", "libxcb-cursor.so.0"),
    _library("libxcb-icccm4", "libxcb-icccm.so.4"),
    _library("libxcb-image0", "libxcb-image.so.0"),
    _library("libxcb-keysyms1", "libxcb-keysyms.so.1"),
    _library("libxcb-randr0", "libxcb-randr.so.0"),
    _library("libxcb-render-util0", "libxcb-render-util.so.0"),
    _library("libxcb-shape0", "libxcb-shape.so.0"),
    _library("libxcb-shm0", "libxcb-shm.so.0"),
    _library("libxcb-sync1", "libxcb-sync.so.1"),
    _library("libxcb-util1", "libxcb-util.so.1"),
    _library("libxcb-xfixes0", "libxcb-xfixes.so.0"),
    _library("libxcb-xkb1", "libxcb-xkb.so.1"),
    _library("libxkbcommon-x11-0", "libxkbcommon-x11.so.0"),
    _library("libx11-xcb1", "libX11-xcb.so.1"),
    _library("libfontconfig1", "libfontconfig.so.1"),
    _library("libfreetype6", "libfreetype.so.6"),
    _library("libglib2.0-0", "libglib-2.0.so.0"),
    _library("libdbus-1-3", "libdbus-1.so.3"),
    SystemPackage(
        "fonts-dejavu-core",
        files=("/usr/share/fonts/**/*.[to]tf", "/usr/local/share/fonts/**/*.[to]tf"),
    ),
)
#: A display for machines that have none.
VIRTUAL_DISPLAY = (
    SystemPackage("xvfb", programs=("Xvfb",)),
    SystemPackage("xauth", programs=("xauth",)),
)
#: Real X events on a desktop with a window manager, for the end-to-end tests.
TESTS = (
    SystemPackage("xdotool", programs=("xdotool",)),
    SystemPackage("openbox", programs=("openbox",)),
    SystemPackage("x11-utils", programs=("xwininfo",)),
    # The wheel of pinocchio, a peer, links to it.
    _library("libgomp1", "libgomp.so.1"),
)
#: Independent programs that results are compared with. Tests that use one skip, and say so, where
#: it is missing.
PEERS = (
    SystemPackage("liburdfdom-tools", programs=("check_urdf",)),
    # Its programs are not on the PATH.
    SystemPackage("collada-urdf-tools", files=("/usr/lib/collada_urdf/urdf_to_collada",)),
)


def venv_package() -> SystemPackage:
    """Debian splits `venv` off its own Python; it is needed only where uv does not make the
    environment."""
    name = f"python3.{sys.version_info.minor}-venv"
    return SystemPackage(name, files=("/",) if importlib.util.find_spec("ensurepip") else ())


def missing(packages: Iterable[SystemPackage]) -> list[str]:
    """Names of the packages whose contents are not found. Always empty where X11 is not the native
    display."""
    if not sys.platform.startswith("linux"):
        return []
    return [package.name for package in packages if not package.present()]


def install_line(names: Sequence[str], sudo: bool = True) -> str:
    """The line to type. Both halves need root."""
    prefix = "sudo " if sudo else ""
    return (
        f"{prefix}apt-get update && {prefix}apt-get install -y --no-install-recommends "
        f"{' '.join(names)}"
    )


def ensure(packages: Iterable[SystemPackage]) -> bool:
    """Install what is missing where that is permitted (root, or sudo without a password).

    Otherwise prints the line to type, changes nothing, and returns False.
    """
    names = missing(packages)
    if not names:
        return True
    if shutil.which("apt-get") is None:
        print(
            "System libraries are missing. Install these packages (names may differ):\n  "
            + " ".join(names)
        )
        return False
    sudo = _sudo()
    if sudo is None:
        print(
            "System libraries are missing. Type this line, then start again:\n\n  "
            + install_line(names)
            + "\n"
        )
        return False
    print(f"Installing the system packages {' '.join(names)} …", flush=True)
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # A repository that does not answer must not stop the rest: the installation itself says what is
    # wrong.
    subprocess.run(
        [*sudo, "apt-get", "-q", "update"], env=env, stdout=subprocess.DEVNULL, check=False
    )
    command = [*sudo, "apt-get", "-q", "install", "-y", "--no-install-recommends", *names]
    finished = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        print(finished.stdout[-2000:] + finished.stderr[-2000:])
        print(
            "The installation failed. Type this line, then start again:\n\n  "
            + install_line(names)
            + "\n"
        )
        return False
    return True


def _sudo() -> list[str] | None:
    """What to put before a command so that it runs as root without asking; None when there is no
    way."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    permitted = (
        subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    )
    return ["sudo", "-n"] if permitted else None


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True
