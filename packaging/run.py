"""Set up the editor and open it: python3 packaging/run.py [ROBOT.urdf [ROBOT.xrdf]]

Creates `.venv` from uv.lock on the first start and opens the window, by default with the sample
robot. Without a display the window opens on a virtual one, moves a sphere, saves a copy, and writes
the XRDF and a picture of the window to `out/`. Needs only Python 3.11 or newer.
"""

import clean_path  # isort: skip  # noqa: F401 - before anything else

import argparse
import os
import subprocess
import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - a user of an older one is told so
    sys.exit(
        f"Python 3.11 or newer is needed; this is {sys.version.split()[0]} ({sys.executable})."
    )

import environment
import system_packages
import virtual_display

SAMPLE = environment.ROOT / "resources" / "sample" / "heron.urdf"
OUT = environment.ROOT / "out"
#: A large machine draws the sample in seconds; a small one without a GPU decodes and draws a big
#: robot in a minute.
DEMO_SECONDS = 600


def main(arguments: list[str]) -> int:
    files = [str(path.resolve()) for path in _parse(arguments)]
    has_display = virtual_display.display_available()
    if not has_display:
        print("This machine has no display: the window starts on a virtual one.", flush=True)
    needed = [*system_packages.WINDOW]
    if not has_display:
        needed += system_packages.VIRTUAL_DISPLAY
    if not environment.PROJECT.python.exists() and not environment.usable_uv():
        needed.append(system_packages.venv_package())
    if not system_packages.ensure(needed):
        return 1
    try:
        python = environment.PROJECT.prepare(environment.RUN)
    except environment.SetupFailed as error:
        print(error, file=sys.stderr)
        return 1
    if not environment.PROJECT.compile_kernels():
        print(
            "The lines above say why; the first fit and the first mask will compile it instead.",
            file=sys.stderr,
        )
    if not has_display:
        return _demonstrate(python, files)
    return _open(python, files)


def _parse(arguments: list[str]) -> list[Path]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument(
        "urdf", nargs="?", type=Path, default=SAMPLE, metavar="ROBOT.urdf", help="robot to open"
    )
    parser.add_argument(
        "xrdf",
        nargs="?",
        type=Path,
        metavar="ROBOT.xrdf",
        help="its XRDF (default: the one next to it)",
    )
    options = parser.parse_args(arguments)
    files: list[Path] = [path for path in (options.urdf, options.xrdf) if path is not None]
    for path in files:
        if not path.is_file():
            parser.error(f"no such file: {path}")
    return files


def _open(python: Path, files: list[str]) -> int:
    command = [str(python), *environment.PROGRAM, *files]
    env = environment.clean_environment()
    if not environment.WINDOWS:
        # Becoming the editor, rather than waiting for it, leaves one process to look at and to end.
        sys.stdout.flush()
        os.execve(command[0], command, env)
    return subprocess.call(command, env=env)


def _demonstrate(python: Path, files: list[str]) -> int:
    """The window on a virtual display, driven by the program itself; ends with what is in
    `out/`."""
    OUT.mkdir(exist_ok=True)
    before = {path: path.stat().st_mtime_ns for path in OUT.iterdir()}
    command = [str(python), *environment.PROGRAM, "--demo-out", str(OUT), *files]
    try:
        with virtual_display.VirtualDisplay() as display:
            env = display.environment(environment.clean_environment())
            code = subprocess.run(command, env=env, timeout=DEMO_SECONDS, check=False).returncode
    except virtual_display.NoVirtualDisplay as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.TimeoutExpired:
        print(
            f"The window did not finish within {DEMO_SECONDS} s and was closed. Try again later.",
            file=sys.stderr,
        )
        return 1
    left = sorted(path for path in OUT.iterdir() if before.get(path) != path.stat().st_mtime_ns)
    if code != 0 or {path.suffix for path in left} < {".xrdf", ".png"}:
        print(
            f"The demonstration failed (exit code {code}): the lines above have the reason.",
            file=sys.stderr,
        )
        return code or 1
    print("The window moved a sphere and saved the result to a copy; your files are unchanged.")
    for path in left:
        print(f"  {'picture of the window' if path.suffix == '.png' else 'XRDF':22} {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
