"""Environments with what uv.lock pins, each made once and recognised as up to date without a
subprocess.

Standard library only: where the machine has no uv, the environment's pip installs the pinned one,
and uv the rest. A stamp inside the environment holds the digest of the lock, so that an unchanged
lock needs neither network nor uv.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WINDOWS = sys.platform == "win32"
LOCK = ROOT / "uv.lock"
#: uv alone, as pip reads it: the installer of the others is checked like them.
UV_LOCK = ROOT / "packaging" / "requirements-uv.lock"
#: Selections of uv.lock, as options of uv: the editor; all that the tests use; what makes bundles.
RUN = ()
TEST = ("--all-extras", "--group", "test", "--group", "docs")
BUNDLE = ("--extra", "lsp", "--group", "bundle")
#: The oldest uv that reads and writes uv.lock as it is: `required-version` in pyproject.toml.
OLDEST_UV = (0, 9)
#: What is compiled: fits, masks, motions, and how they are.
_COMPILED = (
    "features/*/engine/*.py",
    "plugins/*/engine/*.py",
    "core/kernel_store/*.py",
    "core/numba_settings.py",
)
#: With another index than PyPI the files have other addresses than in uv.lock, but the same
#: digests.
_OTHER_INDEX = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")
#: -P, and no PYTHONPATH of the shell: else Python takes modules from the current folder, where a
#: downloaded robot may have brought its own yaml.py.
PROGRAM = ("-P", "-m", "editor_app")
_COMMAND = f"""\
#!/bin/sh
unset PYTHONPATH PYTHONHOME
exec "$(dirname "$(readlink -f "$0")")/python" {" ".join(PROGRAM)} "$@"
"""
_COMMAND_WINDOWS = (
    "@setlocal\r\n@set PYTHONPATH=\r\n@set PYTHONHOME=\r\n"
    + f'@"%~dp0python.exe" {" ".join(PROGRAM)} %*\r\n'
)


class SetupFailed(RuntimeError):
    """The environment could not be made; the message is for the user and holds the way out."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment in `folder`, with libraries that uv.lock pins and the project
    itself."""

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

    def prepare(self, selection: tuple[str, ...] = RUN) -> Path:
        """Install the selection of uv.lock, and the project itself; return the Python of it all.
        Raises SetupFailed."""
        state = {"python": sys.version, "lock": hashlib.sha256(LOCK.read_bytes()).hexdigest()}
        stamp = self._read_stamp()
        installed = stamp.pop("selections", []) if self.python.exists() else []
        if stamp != state:
            installed = []
        if list(selection) in installed:
            # An environment of an older checkout may hold a command that started the program
            # otherwise.
            self._write_command()
            return self.python
        try:
            self._install(selection)
        except (subprocess.CalledProcessError, OSError) as error:
            raise SetupFailed(
                f"Setting up {self.folder} failed: {error}\n"
                "Check the network connection and start again. If that does not help, delete that "
                "folder first."
            ) from error
        # Every selection holds the editor's.
        self.stamp.write_text(json.dumps(state | {"selections": [*installed, selection, RUN]}))
        return self.python

    def compile_kernels(self, into: Path | None = None, *options: str) -> bool:
        """Compile the kernels, unless those of these sources, libraries and options are there; by
        default into itself.

        Returns whether that succeeded: without them the program compiles at the first use.
        editor_app/core/kernel_store looks for them in an environment.
        """
        folder = into or self.folder / "kernels"
        state = hashlib.sha256(f"{sys.version} {options}".encode() + LOCK.read_bytes())
        for path in sorted(
            path for pattern in _COMPILED for path in (ROOT / "editor_app").glob(pattern)
        ):
            state.update(path.read_bytes())
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            if (
                json.loads((folder / "kernels.json").read_text(encoding="utf-8"))["made_from"]
                == state.hexdigest()
            ):
                return True
        print(
            "Compiling the code of fits, masks and motions; this takes about a minute, once …",
            flush=True,
        )
        command = [
            str(self.python),
            "-P",
            str(ROOT / "packaging" / "compile_kernels.py"),
            str(folder),
            *options,
        ]
        command += ["--made-from", state.hexdigest()]
        return (
            subprocess.run(command, cwd=ROOT, env=clean_environment(), check=False).returncode == 0
        )

    def _install(self, selection: tuple[str, ...]) -> None:
        self._make_venv()
        uv = self.find_uv()
        print(f"Installing the libraries of uv.lock into {self.folder} …", flush=True)
        env = clean_environment() | {"UV_PROJECT_ENVIRONMENT": str(self.folder)}
        env.pop("VIRTUAL_ENV", None)
        if any(env.get(name) for name in _OTHER_INDEX):
            export = [uv, "export", "--quiet", "--frozen", "--no-emit-project", *selection]
            pins = subprocess.run(
                export, cwd=ROOT, env=env, stdout=subprocess.PIPE, check=True
            ).stdout
            install = [
                uv,
                "pip",
                "install",
                "--quiet",
                "--python",
                str(self.python),
                "--require-hashes",
                "-r",
                "-",
            ]
            subprocess.run(install, cwd=ROOT, env=env, input=pins, check=True)
        else:
            # Inexact: a uv that pip brought stays, and so do the tests' libraries when only the
            # editor is started.
            sync = [
                uv,
                "sync",
                "--quiet",
                "--locked",
                "--inexact",
                "--no-install-project",
                *selection,
            ]
            subprocess.run([*sync, "--python", str(self.python)], cwd=ROOT, env=env, check=True)
        self._install_project()

    def _make_venv(self) -> None:
        """Make an environment of the Python that runs this, again if the one in the folder does not
        start any more."""
        if (
            self.python.exists()
            and subprocess.run([str(self.python), "-c", "pass"], check=False).returncode == 0
        ):
            return
        print(f"Creating {self.folder} with Python {sys.version.split()[0]} …", flush=True)
        uv = usable_uv()
        if uv is not None:
            subprocess.run(
                [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(self.folder)],
                check=True,
            )
            return
        subprocess.run(
            [sys.executable, "-P", "-m", "venv", "--clear", str(self.folder)],
            check=True,
            env=clean_environment(),
        )

    def find_uv(self) -> str:
        """Return a uv that works: the machine's, else the environment's, installed there if need
        be."""
        outside = usable_uv()
        if outside is not None:
            return outside
        inside = self.scripts / ("uv.exe" if WINDOWS else "uv")
        if not inside.exists():
            # As a binary only: building uv from its sources would run what they say, and take
            # minutes.
            pip = [
                str(self.python),
                "-P",
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ]
            pinned = ["--require-hashes", "--only-binary", ":all:", "-r", str(UV_LOCK)]
            subprocess.run([*pip, *pinned], check=True, env=clean_environment())
        return str(inside)

    def _install_project(self) -> None:
        """The checkout itself on the environment's path, and the `xrdf-editor` command beside its
        Python.

        Done by hand because an editable installation would need the build backend in every user's
        environment.
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

    def _read_stamp(self) -> dict[str, Any]:
        try:
            content = json.loads(self.stamp.read_text())
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}


#: What the editor is started from and tested in.
PROJECT = Environment(ROOT / ".venv")


def usable_uv() -> str | None:
    """Return the uv beside this Python, else on the path; None if there is none, or an older one
    than the lock needs.

    It is started to see: version managers put a file there even when they have none.
    """
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    # Windows looks into the current folder first, and so does a PATH with an empty entry: what lies
    # there is not ours.
    if uv is None or not os.path.isabs(uv) or Path(uv).resolve().parent == Path.cwd().resolve():
        return None
    answer = subprocess.run([uv, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"uv (\d+)\.(\d+)", answer.stdout) if answer.returncode == 0 else None
    return uv if version and (int(version[1]), int(version[2])) >= OLDEST_UV else None


def clean_environment() -> dict[str, str]:
    """This process's environment without what would lead the environment's Python to other
    packages.

    Where compiled files beside the sources are not wanted they go into `.venv`: with none at all
    every process, the window's workers among them, would compile some thousand modules again, five
    seconds each time.
    """
    env = {
        key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")
    }
    if env.pop("PYTHONDONTWRITEBYTECODE", ""):
        env.setdefault("PYTHONPYCACHEPREFIX", str(PROJECT.folder / "bytecode"))
    return env
