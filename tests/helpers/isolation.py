"""A home of its own for a test run: no test reads or writes the settings, caches and recent files
of a person."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def isolate_home() -> Path:
    """Point HOME and the XDG folders at a fresh folder, removed at the end of the process; returns
    it."""
    home = Path(tempfile.mkdtemp(prefix="xrdf-test-home-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    folders = {
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_RUNTIME_DIR": home / "run",
        "APPDATA": home / "AppData" / "Roaming",
        "LOCALAPPDATA": home / "AppData" / "Local",
    }
    for folder in folders.values():
        folder.mkdir(parents=True, mode=0o700)
    os.environ.update({name: str(folder) for name, folder in folders.items()} | {"HOME": str(home)})
    # pyvistaqt imports matplotlib, which lists all fonts for seconds where it finds no cache of its
    # own.
    os.environ["MPLCONFIGDIR"] = str(ROOT / ".pytest_cache" / "matplotlib")
    # Compiling what the 3D view draws with takes a second for each process that has no cache of its
    # own.
    os.environ["MESA_SHADER_CACHE_DIR"] = str(ROOT / ".pytest_cache" / "mesa")
    # Each process of each run would compile kernels that have changed since they were shipped.
    os.environ["XRDF_EDITOR_KERNELS"] = str(ROOT / ".pytest_cache" / "kernels")
    # Workers of a run share what is kept of meshes: they find here what the process that started
    # them has set.
    if "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ["XRDF_EDITOR_CACHE"] = str(home / ".cache" / "xrdf-editor")
    # Variables of the developer's shell would change what robots and windows look like.
    for name in (
        "ROS_PACKAGE_PATH",
        "AMENT_PREFIX_PATH",
        "GZ_SIM_RESOURCE_PATH",
        "QT_SCALE_FACTOR",
        "QT_STYLE_OVERRIDE",
    ):
        os.environ.pop(name, None)
    return home
