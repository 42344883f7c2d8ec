r"""cuRobo's own parser and loader, asked in a process of its own.

Its sources are not part of this project. To have the tests ask it, get them and an environment for them:

    git clone --depth 1 https://github.com/NVlabs/curobo .curobo/sources
    python3 -m venv .curobo/venv
    .curobo/venv/bin/pip install torch yourdfpy warp-lang numpy-quaternion importlib_resources packaging matplotlib \
        pyyaml setuptools_scm

or name both with XRDF_EDITOR_CUROBO_SOURCES and XRDF_EDITOR_CUROBO_PYTHON. Without them these tests skip.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parents[2] / ".curobo"
_SCRIPT = Path(__file__).with_name("curobo_process.py")


def _places() -> tuple[Path, Path]:
    sources = Path(os.environ.get("XRDF_EDITOR_CUROBO_SOURCES") or _HERE / "sources")
    python = Path(os.environ.get("XRDF_EDITOR_CUROBO_PYTHON") or _HERE / "venv" / "bin" / "python")
    return sources, python


class Curobo:
    """One process; `load` answers what its loader says."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def load(self, **task: str) -> dict[str, Any]:
        """`urdf` and `xrdf`, or `yml`: {"error": text or None, "joints", "spheres", "positions", …}."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@contextlib.contextmanager
def curobo() -> Iterator[Curobo]:
    """Skips, with the reason, where cuRobo's sources or an environment for them are missing."""
    sources, python = _places()
    if not (sources / "curobo").is_dir() or not python.exists():
        pytest.skip(f"cuRobo's sources ({sources}) or their environment ({python}) are not there")
    process = subprocess.Popen(
        [python, _SCRIPT, sources], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        started = process.stdout.readline()
        assert started
        assert json.loads(started)["ready"]
        yield Curobo(process)
    finally:
        process.stdin.close()
        process.wait(timeout=60)
        process.stdout.close()


def published_robots() -> list[tuple[Path, Path]]:
    """The (configuration, URDF) of each robot that cuRobo's sources come with."""
    content = _places()[0] / "curobo" / "content"
    robots = []
    for config in sorted((content / "configs" / "robot").glob("*.yml")):
        named = re.search(r"^\s*urdf_path\s*:\s*[\"']?([^\"'\s]+)", config.read_text(encoding="utf-8"), re.MULTILINE)
        urdf = content / "assets" / named.group(1) if named is not None else content
        if urdf.is_file():
            robots.append((config, urdf))
    return robots
