"""Check the types with the libraries of other Pythons: .venv/bin/python packaging/check_types.py

The lock gives some Pythons other versions of numpy and of the types of scipy, in which the same line may be an error.
Each set of versions that this Python does not get is checked once, as the oldest Python that gets it. Needs uv.
"""

import clean_path  # isort: skip  # noqa: F401 - before anything else

import argparse
import re
import subprocess
import sys
from pathlib import Path

import environment
from packaging.markers import Marker
from verify_wheels import PYTHONS

#: Libraries whose types depend on the version of Python; mypy skips the other ones, or nothing imports them.
TYPED = ("numpy", "numpy-typing-compat", "optype", "scipy-stubs")
_BLOCK = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==[^ ;\\]+ ; (?P<marker>.*?) \\\n(?:[ \t]+.*\n?)+", re.MULTILINE)


def pins_by_python(lock: str) -> dict[str, str]:
    """Return the pins of typed libraries that hold for some Pythons only, each with its marker: pin -> marker."""
    blocks = [block for block in _BLOCK.finditer(lock) if block["name"] in TYPED]
    return {block[0]: block["marker"] for block in blocks if "python_full_version" in block["marker"]}


def resolutions(lock: str) -> dict[str, tuple[str, ...]]:
    """Return each Python whose pins no older Python has -> all Pythons that share these pins."""
    markers = [Marker(text) for text in pins_by_python(lock).values()]
    groups: dict[tuple[bool, ...], list[str]] = {}
    for python in PYTHONS:
        version = {"python_version": python, "python_full_version": f"{python}.20"}
        groups.setdefault(tuple(marker.evaluate(version) for marker in markers), []).append(python)
    return {pythons[0]: tuple(pythons) for pythons in groups.values()}


def prepare_libraries(python: str, pins: str) -> Path:
    """Make an environment with the pins of another Python in front of the project's libraries; return its interpreter.

    mypy reads the libraries' types only, so no interpreter of that version is needed.
    """
    project = environment.PROJECT
    uv = environment.usable_uv() or str(project.scripts / ("uv.exe" if environment.WINDOWS else "uv"))
    home = environment.Environment(project.folder / "types" / python)
    stamp, requirements = home.folder / "pins.stamp", home.folder / "pins.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == pins:
        return home.python
    subprocess.run([uv, "venv", "--quiet", "--clear", "--python", str(project.python), str(home.folder)], check=True)
    requirements.write_text(pins, encoding="utf-8")
    packages = home.site_packages
    install = [uv, "pip", "install", "--quiet", "--target", str(packages), "--python-version", python, "--no-deps"]
    subprocess.run([*install, "--only-binary", ":all:", "--require-hashes", "-r", str(requirements)], check=True)
    (packages / "project.pth").write_text(f"{project.site_packages}\n", encoding="utf-8")
    stamp.write_text(pins, encoding="utf-8")
    return home.python


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.parse_args(arguments)
    lock = environment.TEST_LOCK.read_text(encoding="utf-8")
    this = "{}.{}".format(*sys.version_info)
    code = 0
    for python, shared in resolutions(lock).items():
        if this in shared:
            continue
        print(f"Types with the libraries of Python {', '.join(shared)}:", flush=True)
        interpreter = prepare_libraries(python, "".join(pins_by_python(lock)))
        command = [str(environment.PROJECT.scripts / "mypy"), "--python-executable", str(interpreter)]
        code |= subprocess.run([*command, "--python-version", python], cwd=environment.ROOT, check=False).returncode
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
