#!/usr/bin/env python3
"""Run a command of the program as a hook of pre-commit: hook.py COMMAND [ARGUMENT…]

pre-commit installs a repository's root for hooks in Python, which is the whole program with its
window. This hook is a script instead: at its first run it installs the small distribution into its
copy of this repository.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "hook-env"
#: Written last: without it an installation was interrupted. It holds the extra that is installed.
COMPLETE = FOLDER / "complete"
#: Command -> the extra of the small distribution that it needs.
EXTRAS = {"test": "[compute]"}


def install(extra: str = "") -> Path:
    """Return the Python of an environment with the small distribution. Raises
    CalledProcessError."""
    python = FOLDER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not COMPLETE.exists():
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run([sys.executable, "-P", "-m", "venv", str(FOLDER)], check=True)
    if not COMPLETE.exists() or extra not in COMPLETE.read_text():
        pip = [str(python), "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(ROOT / "packaging" / "core") + extra], check=True)
        COMPLETE.write_text(extra)
    return python


def main(arguments: list[str]) -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python is told so
        print(
            f"xrdf-editor needs Python 3.11 or newer; this is {sys.version.split()[0]}.",
            file=sys.stderr,
        )
        return 2
    try:
        python = install(EXTRAS.get(arguments[0], "") if arguments else "")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"The hook cannot install xrdf-editor-core: {error}", file=sys.stderr)
        return 2
    return subprocess.call([str(python), "-P", "-m", "editor_app", *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
