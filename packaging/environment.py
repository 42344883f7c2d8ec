"""The project's own `.venv`: made once from a lock file, found up to date in no time afterwards.

Standard library only. `prepare` is idempotent: a stamp inside the environment holds the digests of the lock files that
were installed, so that an unchanged lock needs neither network nor subprocess.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
WINDOWS = sys.platform == "win32"
SCRIPTS = VENV / ("Scripts" if WINDOWS else "bin")
PYTHON = SCRIPTS / ("python.exe" if WINDOWS else "python")
STAMP = VENV / "xrdf-editor.stamp"
RUN_LOCK = ROOT / "packaging" / "requirements.lock"
#: Holds every pin of RUN_LOCK too, so that it alone is installed for the tests.
TEST_LOCK = ROOT / "packaging" / "requirements-test.lock"
#: -P, and no PYTHONPATH of the shell: else Python takes modules from the current folder, where a downloaded robot may
#: have brought its own yaml.py.
PROGRAM = ("-P", "-m", "editor_app")
_COMMAND = f"""\
#!/bin/sh
unset PYTHONPATH PYTHONHOME
exec "$(dirname "$(readlink -f "$0")")/python" {" ".join(PROGRAM)} "$@"
"""
_COMMAND_WINDOWS = (
    "@setlocal\r\n@set PYTHONPATH=\r\n@set PYTHONHOME=\r\n" + f'@"%~dp0python.exe" {" ".join(PROGRAM)} %*\r\n'
)


class SetupFailed(RuntimeError):
    """The environment could not be made; the message is for the user and holds the way out."""


def prepare(lock: Path) -> Path:
    """Make `.venv` hold what `lock` pins, and the project itself; returns its Python. Raises SetupFailed."""
    installed = _read_stamp()
    if lock.name in installed and installed[lock.name] == _digest(lock) and PYTHON.exists():
        # An environment of an older checkout may hold a command that started the program otherwise.
        _write_command()
        return PYTHON
    try:
        _install(lock)
    except (subprocess.CalledProcessError, OSError) as error:
        raise SetupFailed(
            f"Setting up {VENV} failed: {error}\n"
            "Check the network connection and start again. If that does not help, delete the folder .venv first."
        ) from error
    covered = (TEST_LOCK, RUN_LOCK) if lock == TEST_LOCK else (lock,)
    # Locks installed earlier hold on only if their pins were the same ones; the other lock is simply checked again.
    STAMP.write_text(json.dumps({"python": sys.version} | {path.name: _digest(path) for path in covered}))
    return PYTHON


def _install(lock: Path) -> None:
    _make_venv()
    uv = _uv()
    print(f"Installing what {lock.name} pins into {VENV} …", flush=True)
    requirements = ["--require-hashes", "-r", str(lock)]
    if uv is not None:
        subprocess.run([uv, "pip", "install", "--quiet", "--python", str(PYTHON), *requirements], check=True)
    else:
        subprocess.run([*_pip(), *requirements], check=True, env=clean_environment())
    _install_project()


def _make_venv() -> None:
    """An environment of the Python that runs this, remade when the one that is there cannot start any more."""
    if PYTHON.exists() and subprocess.run([str(PYTHON), "-c", "pass"], check=False).returncode == 0:
        return
    print(f"Making {VENV} with Python {sys.version.split()[0]} …", flush=True)
    uv = usable_uv()
    if uv is not None:
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(VENV)], check=True)
        return
    subprocess.run([sys.executable, "-P", "-m", "venv", "--clear", str(VENV)], check=True, env=clean_environment())


def _pip() -> list[str]:
    """The environment's pip, never one that lies in the current folder."""
    return [str(PYTHON), "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def _uv() -> str | None:
    """A uv that works: the one on the path, else one installed into the environment; None when neither can be had."""
    found = usable_uv()
    if found is not None:
        return found
    own = SCRIPTS / ("uv.exe" if WINDOWS else "uv")
    if not own.exists() and subprocess.run([*_pip(), "uv"], check=False, env=clean_environment()).returncode != 0:
        return None
    return str(own) if own.exists() else None


def usable_uv() -> str | None:
    """The uv on the path. It is started to see: version managers put a file there even when they have none."""
    found = shutil.which("uv")
    # Windows looks into the current folder first, and so does a PATH with an empty entry: what lies there is not ours.
    if found is None or not os.path.isabs(found) or Path(found).resolve().parent == Path.cwd().resolve():
        return None
    answer = subprocess.run([found, "--version"], capture_output=True, check=False)
    return found if answer.returncode == 0 else None


def _install_project() -> None:
    """The checkout itself on the environment's path, and the `xrdf-editor` command beside its Python.

    Done by hand because an editable installation would need the build backend in every user's environment.
    """
    library = VENV / "Lib" if WINDOWS else next((VENV / "lib").glob("python3.*"))
    (library / "site-packages" / "xrdf_editor_dev.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    _write_command()


def _write_command() -> None:
    if WINDOWS:
        path, text = SCRIPTS / "xrdf-editor.cmd", _COMMAND_WINDOWS
    else:
        path, text = SCRIPTS / "xrdf-editor", _COMMAND
    if not path.exists() or path.read_bytes() != text.encode():
        path.write_bytes(text.encode())
        path.chmod(0o755)


def _read_stamp() -> dict[str, str]:
    try:
        content = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def clean_environment() -> dict[str, str]:
    """This process's environment without what would lead the environment's Python to other packages.

    Whoever wants no compiled files beside the sources gets them into `.venv`: with none at all every process, the
    window's workers among them, would compile some thousand modules again, five seconds each time.
    """
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    if env.pop("PYTHONDONTWRITEBYTECODE", ""):
        env.setdefault("PYTHONPYCACHEPREFIX", str(VENV / "bytecode"))
    return env
