"""A hook of hatchling: a wheel with the compiled kernels of the folder that
XRDF_EDITOR_WHEEL_KERNELS names.

`packaging/compile_kernels.py --portable` makes the folder. Compiled code is for one version of
Python and one kind of machine, and so is the wheel. Without the variable the wheel is for all, and
the program compiles at the first use.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "XRDF_EDITOR_WHEEL_KERNELS"


def wheel_tag() -> str:
    """Return the tag of wheels that this Python on this kind of machine installs."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    # The code needs no library but libm; the libraries of the editor ask for more than this of a
    # Linux.
    system = (
        sysconfig.get_platform()
        .replace("linux-", "manylinux_2_28_")
        .replace("-", "_")
        .replace(".", "_")
    )
    return f"{python}-{python}-{system}"


class KernelsHook(BuildHookInterface[Any]):  # type: ignore[misc]
    """Adds the folder and the tag to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises FileNotFoundError where the folder has no list of kernels."""
        named = os.environ.get(VARIABLE)
        if not named or version == "editable":
            return
        folder = Path(named).resolve()
        if not (folder / "kernels.json").is_file():
            raise FileNotFoundError(
                f"{VARIABLE}: {folder} has no kernels.json; packaging/compile_kernels.py makes it"
            )
        build_data["pure_python"] = False
        build_data["tag"] = wheel_tag()
        build_data["force_include"][str(folder)] = "editor_app/_kernels"
