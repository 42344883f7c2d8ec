"""Libraries that an installation may lack, and the command that installs them.

The whole program, `xrdf-editor`, has every library that no extra names. `xrdf-editor-core` has what
`check`, `convert` and `edit` need, and two more extras: `compute` and `window`. Both hold this
package: an environment has one of them.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

#: The folder that holds the package: site-packages, or the root of a checkout.
HOME = Path(__file__).resolve().parents[2]
WHOLE, CORE = "xrdf-editor", "xrdf-editor-core"
#: Module -> extra of `xrdf-editor-core` that brings it.
_EXTRAS = {
    **dict.fromkeys(("scipy", "numba", "llvmlite", "fast_simplification", "fcl", "PIL"), "compute"),
    **dict.fromkeys(
        ("PySide6", "shiboken6", "qtpy", "pyvistaqt", "pyvista", "vtkmodules"), "window"
    ),
    "rosbags": "bags",
    "imageio": "video",
    "imageio_ffmpeg": "video",
    "mujoco": "mujoco",
    "pxr": "usd",
    "pygls": "lsp",
    "lsprotocol": "lsp",
    "distributed": "dask",
    "coacd": "parts",
    "trame_vtk": "notebook",
    "example_robot_data": "samples",
}
#: Extras that are dependencies of the whole program.
_OF_THE_WHOLE = ("compute", "window")
#: Modules without which no window opens.
_WINDOW_MODULES = ("PySide6", "pyvistaqt", "pyvista", "vtkmodules", "scipy", "numba")
_INFO = re.compile(r"(?P<name>xrdf_editor(?:_core)?)-(?P<version>[^-]+)\.dist-info")


def distributions(folder: Path | None = None) -> dict[str, str]:
    """Return name -> version of the distributions of this program in `folder`, by default where
    this package is.

    A checkout and a bundle have none.
    """
    matches = (
        _INFO.fullmatch(path.name)
        for path in sorted((folder or HOME).glob("xrdf_editor*.dist-info"))
    )
    return {
        match["name"].replace("_", "-"): match["version"] for match in matches if match is not None
    }


def conflict(folder: Path | None = None) -> str | None:
    """Return a sentence when both distributions are in one environment, where each overwrites the
    other's files."""
    present = distributions(folder)
    if len(present) < 2:
        return None
    names = " and ".join(f"{name} {version}" for name, version in present.items())
    return (
        f"{names} are both installed in this environment and overwrite each other's files. Remove "
        "both, then "
        f"install one: pip uninstall {WHOLE} {CORE}"
    )


def install_command(*extras: str) -> str:
    """Return the command that adds extras to the installed distribution."""
    present = distributions()
    name = CORE if CORE in present and WHOLE not in present else WHOLE
    wanted = [extra for extra in extras if name == CORE or extra not in _OF_THE_WHOLE]
    return f"pip install '{name}[{','.join(wanted)}]'" if wanted else f"pip install {name}"


def explain_missing_library(error: ImportError) -> None:
    """Make the message of a failed import say what to install, where one of these libraries is
    missing."""
    module = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and module in _EXTRAS:
        error.msg = (
            f"{module} is not installed. Install it with: {install_command(_EXTRAS[module])}"
        )


def missing_for_window() -> str | None:
    """Return a sentence when a library of the window is not installed."""
    missing = [name for name in _WINDOW_MODULES if find_spec(name) is None]
    if not missing:
        return None
    return (
        f"the window needs {', '.join(missing)}. Install it with: "
        f"{install_command('compute', 'window')}\n"
        "Commands work without it: xrdf-editor --help"
    )
