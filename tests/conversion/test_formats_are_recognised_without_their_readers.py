"""A file is recognised by its name without the code of any reader or writer."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from pathlib import Path
from editor_app.core.formats.registry import recognise_format
from editor_app.core.late import is_loaded
print(recognise_format(Path("robot.usda")).name)
folders = ("collada", "curobo", "mjcf", "sdf", "usd")
ends = ("read", "write", "writing", "patch", "over_stage")
names = [n for n in sys.modules if n.startswith("editor_app.plugins.") and n.split(".")[2] in folders]
print([n for n in names if n.endswith(ends) and is_loaded(sys.modules[n])])
"""


def test_recognising_a_usd_runs_no_reader_and_no_writer() -> None:
    pytest.importorskip("editor_app.plugins.usd.codec")
    result = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, timeout=120
    )
    assert result.stdout.splitlines() == ["usd", "[]"], result.stderr
