"""Every plug-in can be left out: the commands and the window work without it, import nothing of it,
and omit it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from editor_app.core import feature
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import copy_of_sample

PLUG_INS = [each for each in feature.built_in_features() if ".plugins." in each.package]
BY_NAME = {each.name: each for each in PLUG_INS}

#: What runs without a plug-in: help, opening, editing and saving; it prints help, and the modules
#: that were imported.
COMMANDS = """
import contextlib, io, json, sys
import editor_app
from editor_app import __main__, cli
help_text = io.StringIO()
with contextlib.redirect_stdout(help_text):
    assert __main__.main(["--help"]) == 0
robot, out = sys.argv[1:]
document = editor_app.open_robot(robot)
editor_app.check(document)
document.execute(editor_app.commands.SetItems("xrdf.default_joint_positions", {"base_yaw_joint": 0.25}))
editor_app.save(document, out)
assert editor_app.open_robot(robot, out).robot.xrdf == document.robot.xrdf
print(json.dumps({"help": help_text.getvalue(), "modules": sorted(sys.modules)}))
"""


def imported_plug_ins(plug_in: feature.Feature) -> set[str]:
    """The other plug-ins whose modules a plug-in imports, by its text."""
    names: set[str] = set()
    for path in plug_in.folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "editor_app.plugins."
            ):
                names.add((node.module or "").split(".")[2])
    return names - {plug_in.name}


@pytest.mark.parametrize("plug_in", PLUG_INS, ids=lambda plug_in: plug_in.name)
def test_a_plug_in_states_the_plug_ins_that_it_imports(plug_in: feature.Feature) -> None:
    assert plug_in.needs == imported_plug_ins(plug_in)


def test_a_plug_in_goes_with_one_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(feature.WITHOUT, "motion")
    gone = set(BY_NAME) - {each.name for each in feature.built_in_features()}
    needing = {
        "behaviour",
        "collision_shapes",
        "fleets",
        "margins",
        "planning",
        "robot_tests",
        "sweep",
    }
    assert gone == {"motion", *needing}


def _run(code: str, without: str, arguments: Sequence[str]) -> dict[str, list[str] | str]:
    environment = {**os.environ, feature.WITHOUT: without}
    command = [sys.executable, "-P", "-c", code, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, list[str] | str] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("name", of_each_kind(sorted(BY_NAME), ["comparison", "motion"]))
def test_without_a_plug_in_a_robot_is_opened_edited_and_saved(name: str, tmp_path: Path) -> None:
    answer = _run(
        COMMANDS, name, [str(copy_of_sample(tmp_path / "robot")), str(tmp_path / "out.xrdf")]
    )
    gone = [each for each in PLUG_INS if name in {each.name, *each.needs}]
    packages = tuple(each.package for each in gone)
    assert [module for module in answer["modules"] if module.startswith(packages)] == []
    commands = {module.stem for each in gone for module in each.modules("cli")}
    lines = str(answer["help"]).splitlines()
    assert [line for line in lines if line.split()[:1] and line.split()[0] in commands] == []
