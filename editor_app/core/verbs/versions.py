"""The verb versions, and the report of a fault, for window, clipboard or a file. Imports nothing
heavy."""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import sys
import time
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from editor_app.core.document.replacing import state_folder
from editor_app.core.libraries import HOME, conflict, distributions
from editor_app.version import COMMIT, __version__

#: As reports name them -> distribution, module.
_LIBRARIES = {
    "Qt (PySide6)": ("PySide6_Essentials", "PySide6"),
    "VTK": ("vtk", "vtkmodules"),
    "PyVista": ("pyvista", "pyvista"),
    "pyvistaqt": ("pyvistaqt", "pyvistaqt"),
    "numpy": ("numpy", "numpy"),
    "scipy": ("scipy", "scipy"),
    "numba": ("numba", "numba"),
    "llvmlite": ("llvmlite", "llvmlite"),
    "trimesh": ("trimesh", "trimesh"),
    "python-fcl": ("python-fcl", "fcl"),
    "lxml": ("lxml", "lxml.etree"),
    "PyYAML": ("PyYAML", "yaml"),
    "ruamel.yaml": ("ruamel.yaml", "ruamel.yaml"),
}


def versions() -> dict[str, str]:
    """Name -> version of the program, Python, the system and the libraries that decide what it
    does, in that order.

    A library that is missing says so; none of the values names a folder or a user.
    """
    numbers = {
        "xrdf-editor": f"{__version__} ({_kind()})",
        "commit": COMMIT or _commit_of_checkout(HOME) or "unknown",
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.platform()}, {platform.machine() or 'unknown processor'}",
    }
    return numbers | {name: _version(*where) for name, where in _LIBRARIES.items()}


def _kind() -> str:
    """Return how the program is installed: as a bundle, a distribution, or a checkout."""
    if getattr(sys, "frozen", False):
        return "bundle"
    return conflict() or next(iter(distributions()), "checkout")


def _commit_of_checkout(root: Path) -> str:
    """Return the commit that a checkout is at, as git's files name it; "" where `root` is none."""
    try:
        git = root / ".git"
        if git.is_file():
            # A work tree beside others.
            git = root / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        shared = git / "commondir"
        common = git / shared.read_text(encoding="utf-8").strip() if shared.is_file() else git
        if (common / name).is_file():
            return (common / name).read_text(encoding="utf-8").strip()
        packed = (common / "packed-refs").read_text(encoding="utf-8").splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")
    except (OSError, UnicodeDecodeError):
        return ""


@lru_cache(maxsize=4)
def project_address(kind: str) -> str | None:
    """Return an address of the project ("Homepage", "Documentation"), which releases carry; a
    checkout has none."""
    for name in distributions():
        for entry in metadata.metadata(name).get_all("Project-URL") or ():
            label, _, address = entry.partition(", ")
            if label == kind:
                return str(address)
    return None


def _version(distribution: str, module: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        pass
    # Bundles have the modules alone, without what their packages say of themselves.
    try:
        return str(getattr(importlib.import_module(module), "__version__", "unknown"))
    except ImportError:
        return "not installed"


#: Older reports go.
_KEPT = 20


def fault_report(trace: str, context: str = "") -> str:
    """Return the text to paste into an issue: versions, what was being done, and the traceback."""
    numbers = ", ".join(f"{name} {version}" for name, version in versions().items())
    return "\n".join((numbers, context, "", trace.rstrip())) + "\n"


def write_fault_report(trace: str, context: str = "") -> Path | None:
    """Leaves a report in the state folder, and says where; None where it cannot be written."""
    folder = state_folder() / "faults"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in sorted(folder.glob("*.txt"))[: -_KEPT + 1]:
            with contextlib.suppress(OSError):
                old.unlink()
        path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        path.write_text(fault_report(trace, context), encoding="utf-8", errors="backslashreplace")
    except OSError:
        return None
    return path
