"""Environments, each made once from a lock file and found up to date in no time afterwards.

Standard library only. `Environment.prepare` is idempotent: a stamp inside the environment holds the digests of the
lock files that were installed, so that an unchanged lock needs neither network nor subprocess.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WINDOWS = sys.platform == "win32"
RUN_LOCK = ROOT / "packaging" / "requirements.lock"
#: Holds every pin of RUN_LOCK too, so that it alone is installed for the tests.
TEST_LOCK = ROOT / "packaging" / "requirements-test.lock"
#: RUN_LOCK and what makes bundles.
BUNDLE_LOCK = ROOT / "packaging" / "requirements-bundle.lock"
#: uv alone: what installs the others is no less checked than they are.
UV_LOCK = ROOT / "packaging" / "requirements-uv.lock"
#: What builds and judges the wheels of a release, and judges the workflows.
RELEASE_LOCK = ROOT / "packaging" / "requirements-release.lock"
#: What makes the manual a web site.
DOCS_LOCK = ROOT / "packaging" / "requirements-docs.lock"
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


@dataclass(frozen=True)
class Environment:
    """A virtual environment in `folder`, with what one lock file pins and the project itself."""

    folder: Path

    @property
    def scripts(self) -> Path:
        return self.folder / ("Scripts" if WINDOWS else "bin")

    @property
    def python(self) -> Path:
        return self.scripts / ("python.exe" if WINDOWS else "python")

    @property
    def site_packages(self) -> Path:
        """The folder of the installed libraries; the environment has been made."""
        library = self.folder / "Lib" if WINDOWS else next((self.folder / "lib").glob("python3.*"))
        return library / "site-packages"

    @property
    def stamp(self) -> Path:
        return self.folder / "xrdf-editor.stamp"

    def prepare(self, lock: Path) -> Path:
        """Make the folder hold what `lock` pins, and the project itself; returns its Python. Raises SetupFailed."""
        installed = self._read_stamp()
        if lock.name in installed and installed[lock.name] == _digest(lock) and self.python.exists():
            # An environment of an older checkout may hold a command that started the program otherwise.
            self._write_command()
            return self.python
        try:
            self._install(lock)
        except (subprocess.CalledProcessError, OSError) as error:
            raise SetupFailed(
                f"Setting up {self.folder} failed: {error}\n"
                "Check the network connection and start again. If that does not help, delete that folder first."
            ) from error
        covered = (TEST_LOCK, RUN_LOCK) if lock == TEST_LOCK else (lock,)
        # Locks installed earlier hold on only if their pins were the same ones; the other lock is simply checked again.
        self.stamp.write_text(json.dumps({"python": sys.version} | {path.name: _digest(path) for path in covered}))
        return self.python

    def _install(self, lock: Path) -> None:
        self._make_venv()
        uv = self._uv()
        print(f"Installing what {lock.name} pins into {self.folder} …", flush=True)
        requirements = ["--require-hashes", "-r", str(lock)]
        if uv is not None:
            subprocess.run([uv, "pip", "install", "--quiet", "--python", str(self.python), *requirements], check=True)
        else:
            subprocess.run([*self._pip(), *requirements], check=True, env=clean_environment())
        self._install_project()

    def _make_venv(self) -> None:
        """An environment of the Python that runs this, remade when the one that is there cannot start any more."""
        if self.python.exists() and subprocess.run([str(self.python), "-c", "pass"], check=False).returncode == 0:
            return
        print(f"Making {self.folder} with Python {sys.version.split()[0]} …", flush=True)
        uv = usable_uv()
        if uv is not None:
            subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(self.folder)], check=True)
            return
        subprocess.run(
            [sys.executable, "-P", "-m", "venv", "--clear", str(self.folder)], check=True, env=clean_environment()
        )

    def _pip(self) -> list[str]:
        """The environment's pip, never one that lies in the current folder."""
        return [str(self.python), "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]

    def _uv(self) -> str | None:
        """A uv that works: the one on the path, else one installed into the environment; None without either."""
        outside = usable_uv()
        if outside is not None:
            return outside
        inside = self.scripts / ("uv.exe" if WINDOWS else "uv")
        if not inside.exists():
            # As a binary only: building uv from its sources would run what they say, and take minutes.
            pinned = ["--require-hashes", "--only-binary", ":all:", "-r", str(UV_LOCK)]
            subprocess.run([*self._pip(), *pinned], check=False, env=clean_environment())
        return str(inside) if inside.exists() else None

    def _install_project(self) -> None:
        """The checkout itself on the environment's path, and the `xrdf-editor` command beside its Python.

        Done by hand because an editable installation would need the build backend in every user's environment.
        """
        (self.site_packages / "xrdf_editor_dev.pth").write_text(f"{ROOT}\n", encoding="utf-8")
        self._write_command()

    def _write_command(self) -> None:
        if WINDOWS:
            path, text = self.scripts / "xrdf-editor.cmd", _COMMAND_WINDOWS
        else:
            path, text = self.scripts / "xrdf-editor", _COMMAND
        if not path.exists() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
            path.chmod(0o755)

    def _read_stamp(self) -> dict[str, str]:
        try:
            content = json.loads(self.stamp.read_text())
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}


#: What the editor is started from and tested in.
PROJECT = Environment(ROOT / ".venv")


def usable_uv() -> str | None:
    """The uv beside this Python, else on the path; it makes environments in a tenth of pip's time.

    It is started to see: version managers put a file there even when they have none.
    """
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    # Windows looks into the current folder first, and so does a PATH with an empty entry: what lies there is not ours.
    if uv is None or not os.path.isabs(uv) or Path(uv).resolve().parent == Path.cwd().resolve():
        return None
    answer = subprocess.run([uv, "--version"], capture_output=True, check=False)
    return uv if answer.returncode == 0 else None


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def clean_environment() -> dict[str, str]:
    """This process's environment without what would lead the environment's Python to other packages.

    Where compiled files beside the sources are not wanted they go into `.venv`: with none at all every process, the
    window's workers among them, would compile some thousand modules again, five seconds each time.
    """
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    if env.pop("PYTHONDONTWRITEBYTECODE", ""):
        env.setdefault("PYTHONPYCACHEPREFIX", str(PROJECT.folder / "bytecode"))
    return env
