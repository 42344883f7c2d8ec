"""Without a plug-in the window opens, edits and saves a robot; no menu, panel, search or page names
the plug-in."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from editor_app.core import feature
from editor_app.plugins.manual.content import Manual
from editor_app.window.actions.action_tables import ActionSpec
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import copy_of_sample

ROOT = Path(__file__).resolve().parents[2]
PLUG_INS = {each.name: each for each in feature.built_in_features() if ".plugins." in each.package}
WITH_WINDOW = sorted(
    name for name, each in PLUG_INS.items() if each.module("window.feature") is not None
)

#: What a window without the plug-in has; it moves a sphere and saves a copy.
WINDOW = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from PySide6.QtWidgets import QApplication, QMenu
from editor_app.core.document.commands import SetSpheres
from editor_app.core.model.findings import SphereRef
from tests.helpers.windows import open_window, wait_until
app = QApplication([])
folder, robot = Path(sys.argv[2]), Path(sys.argv[3])
with open_window(folder, robot, viewport=True) as window:
    wait_until(lambda: window.viewport is not None)
    window.make_actions()
    for name in list(window.docks._docks):
        window.docks.panel(name)
    window.menus.rebuild()
    xrdf = window.session.robot.xrdf
    group = xrdf.group(xrdf.world_group)
    frame, spheres = next(iter(group.spheres.items()))
    moved = SetSpheres(((SphereRef(group.name, frame, 0), spheres[0].__class__(spheres[0].center, 0.123)),), "Resize")
    window.session.execute(moved)
    assert window.files.save_copy(folder / "copy.xrdf")
    answer = {
        "ids": [action.id for action in window.registry.actions],
        "docks": list(window.docks._docks),
        "menus": [menu.objectName() for menu in window.menuBar().findChildren(QMenu)],
        "modules": sorted(sys.modules),
        "saved": "0.123" in (folder / "copy.xrdf").read_text(),
    }
print(json.dumps(answer))
"""


def window_without(name: str, folder: Path) -> Any:
    robot = copy_of_sample(folder / "robot")
    command = [sys.executable, "-P", "-c", WINDOW, str(ROOT), str(folder), str(robot)]
    environment = {**os.environ, feature.WITHOUT: name}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ids_of(plug_in: feature.Feature) -> set[str]:
    module = plug_in.module("window.actions")
    tables = vars(importlib.import_module(module.name)).values() if module is not None else ()
    specs = (spec for table in tables if isinstance(table, tuple) for spec in table)
    return {spec.id for spec in specs if isinstance(spec, ActionSpec)}


@pytest.mark.parametrize("name", of_each_kind(WITH_WINDOW, ["measuring", "motion"]))
def test_a_window_without_a_plug_in_edits_and_saves_and_does_not_name_it(
    name: str, tmp_path: Path
) -> None:
    answer = window_without(name, tmp_path)
    gone = [each for each in PLUG_INS.values() if name in {each.name, *each.needs}]
    others = [each for each in PLUG_INS.values() if each not in gone]
    packages = tuple(each.package for each in gone)
    assert answer["saved"]
    assert [module for module in answer["modules"] if module.startswith(packages)] == []
    assert {spec for each in gone for spec in ids_of(each)} & set(answer["ids"]) == set()
    assert {spec for each in others for spec in ids_of(each)} <= set(answer["ids"])
    assert {"motion": "motion", "measuring": "measurements"}.get(name, "-") not in answer["docks"]
    assert ("menu.Motion" in answer["menus"]) is (name != "motion")


def test_the_manual_leaves_out_pages_sections_and_commands_of_a_plug_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Manual().has("panels/motion.md")
    assert "## A gripper on an arm" in Manual().text("panels/links.md")
    monkeypatch.setenv(feature.WITHOUT, "motion,assembly")
    manual = Manual()
    assert not manual.has("panels/motion.md")
    assert "panels/motion.md" not in {page for _, links in manual.contents for _, page in links}
    assert "## A gripper on an arm" not in manual.text("panels/links.md")
    commands = manual.text("command-line.md")
    assert "xrdf-editor plan" not in commands
    assert "xrdf-editor compose" not in commands
    assert "## xrdf-editor fit" in commands
