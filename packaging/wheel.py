"""Make a wheel with compiled kernels for this Python and kind of machine: python3
packaging/wheel.py [--out FOLDER]

Needs nothing but Python 3.11 or newer. `python -m build` makes the wheel without kernels, which is
for every machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - a user of an older one is told so
    sys.exit(
        f"Python 3.11 or newer is needed; this is {sys.version.split()[0]} ({sys.executable})."
    )

import environment


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument(
        "--out",
        type=Path,
        default=environment.ROOT / "dist",
        metavar="FOLDER",
        help="default: dist",
    )
    out = parser.parse_args(arguments).out.resolve()
    made = environment.Environment(environment.ROOT / "build" / "wheel-env")
    kernels = environment.ROOT / "build" / "wheel-kernels"
    try:
        python = made.prepare(("--group", "release"))
    except environment.SetupFailed as error:
        print(error, file=sys.stderr)
        return 1
    if not made.compile_kernels(kernels, "--portable"):
        return 1
    # The name is wheel_kernels.VARIABLE; that module needs hatchling.
    env = environment.clean_environment() | {"XRDF_EDITOR_WHEEL_KERNELS": str(kernels)}
    command = [str(python), "-P", "-m", "build", "--wheel", "--outdir", str(out)]
    return subprocess.run(command, cwd=environment.ROOT, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
