"""The verb versions: what a report of a fault should say of the installation. Nothing heavy is imported."""

from __future__ import annotations

import importlib
import platform
import sys
from importlib import metadata

from editor_app.version import __version__

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
    """Name -> version of the program, Python, the system and the libraries that decide what it does, in that order.

    A library that is missing says so; none of the values names a folder or a user.
    """
    numbers = {
        "xrdf-editor": __version__ + (" (bundle)" if getattr(sys, "frozen", False) else ""),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.platform()}, {platform.machine() or 'unknown processor'}",
    }
    return numbers | {name: _version(*where) for name, where in _LIBRARIES.items()}


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
