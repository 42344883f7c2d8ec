"""Check the types with the libraries of other Pythons: .venv/bin/python packaging/check_types.py

uv.lock gives some Pythons other versions of numpy and of the types of scipy, in which the same line
may be an error. Each set of versions that this Python does not get is checked once, as the oldest
Python that gets it. Needs uv.
"""

import clean_path  # isort: skip  # noqa: F401 - before anything else

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import environment
import locked

#: What users run. The tests run with the libraries of one Python at a time, and show by failing
#: what types would.
CHECKED = ("editor_app", "packaging")
#: Libraries whose types depend on the version of Python; mypy skips the other ones, or nothing
#: imports them.
TYPED = ("numpy", "numpy-typing-compat", "optype", "scipy-stubs")


def pins(lock: Mapping[str, Any], python: str) -> str:
    """Return the pins of the typed libraries for one Python, with hashes, as pip reads them."""
    needed = locked.packages(lock, locked.marker_values(python), groups=("test",))
    return "".join(
        f"{package.name}=={package.version}{''.join(f' --hash={digest}' for digest in package.digests)}\n"
        for package in needed
        if package.name in TYPED
    )


def resolutions(lock: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return each Python whose pins no older Python has -> all Pythons that share these pins."""
    groups: dict[str, list[str]] = {}
    for python in locked.PYTHONS:
        groups.setdefault(pins(lock, python), []).append(python)
    return {pythons[0]: tuple(pythons) for pythons in groups.values()}


def prepare_libraries(python: str, text: str) -> Path:
    """Make an environment with the pins of another Python in front of the project's libraries;
    return its interpreter.

    mypy reads the libraries' types only, so no interpreter of that version is needed.
    """
    project = environment.PROJECT
    uv = project.find_uv()
    home = environment.Environment(project.folder / "types" / python)
    stamp, requirements = home.folder / "pins.stamp", home.folder / "pins.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == text:
        return home.python
    subprocess.run(
        [uv, "venv", "--quiet", "--clear", "--python", str(project.python), str(home.folder)],
        check=True,
    )
    requirements.write_text(text, encoding="utf-8")
    packages = home.site_packages
    install = [
        uv,
        "pip",
        "install",
        "--quiet",
        "--target",
        str(packages),
        "--python-version",
        python,
        "--no-deps",
    ]
    subprocess.run(
        [*install, "--only-binary", ":all:", "--require-hashes", "-r", str(requirements)],
        check=True,
    )
    (packages / "project.pth").write_text(f"{project.site_packages}\n", encoding="utf-8")
    stamp.write_text(text, encoding="utf-8")
    return home.python


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.parse_args(arguments)
    lock = locked.read_lock()
    this = "{}.{}".format(*sys.version_info)
    code = 0
    for python, shared in resolutions(lock).items():
        if this in shared:
            continue
        print(f"Types with the libraries of Python {', '.join(shared)}:", flush=True)
        interpreter = prepare_libraries(python, pins(lock, python))
        command = [
            str(environment.PROJECT.scripts / "mypy"),
            "--python-executable",
            str(interpreter),
        ]
        command += ["--python-version", python, *CHECKED]
        code |= subprocess.run(command, cwd=environment.ROOT, check=False).returncode
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
