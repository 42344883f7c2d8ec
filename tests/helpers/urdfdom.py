"""What urdfdom says of a URDF, the parser that ROS reads robots with."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path


@functools.cache
def _programs() -> tuple[Path, ...]:
    """Debian's check_urdf, and that of PyPI's cmeel-urdfdom, which the test set-up installs on
    Linux."""
    of_system = shutil.which("check_urdf", path=os.defpath)
    return tuple(
        path for path in (Path(of_system) if of_system else None, newest()) if path is not None
    )


@functools.cache
def newest() -> Path | None:
    """The program of cmeel-urdfdom itself; the script beside it starts Python each time."""
    try:
        files = importlib.metadata.files("cmeel-urdfdom") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    programs = (
        Path(str(f.locate()))
        for f in files
        if f.name == "check_urdf" and f.parent.parent.name == "cmeel.prefix"
    )
    return next(programs, None)


@functools.cache
def libraries_of(program: Path) -> dict[str, str]:
    """The environment in which a program of `newest` finds its libraries."""
    return {**os.environ, "LD_LIBRARY_PATH": str(program.parent.parent / "lib")}


def assert_urdfdom_takes(path: Path) -> None:
    """Fails when one of them does not; on Linux also when there is none, so that nothing passes
    unasked."""
    assert _programs() or sys.platform != "linux", "no check_urdf is installed"
    for program in _programs():
        done = subprocess.run(
            [program, path],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=libraries_of(program),
            errors="replace",
        )
        assert done.returncode == 0, f"{program}: {path.name}: {done.stderr[-300:]}"
