"""The import contracts hold for the tree as it is, and each of them bites when it is broken."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINTER = "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"

FORMATS = "Formats point one way: codecs, shared values, documents, text"
ENGINES = "Window and command line ask the verbs, not the engines"
#: A module that is planted, the statement it holds, and the contract that must break.
VIOLATIONS = [
    ("model", "import editor_app.core.formats", "Arrows point one way, downwards"),
    ("fitting", "import editor_app.core.document", "Arrows point one way, downwards"),
    ("checks", "def late():\n    from editor_app import tasks", "Arrows point one way, downwards"),
    ("cli", "import editor_app.window", "Arrows point one way, downwards"),
    ("formats", "import editor_app.core.space.kinematics", "Arrows point one way, downwards"),
    ("formats/exchange", "from editor_app.core.formats import foreign", FORMATS),
    ("formats/foreign", "import editor_app.core.formats.registry", FORMATS),
    ("formats/srdf", "def late():\n    from editor_app.core.formats.exchange import conversion", FORMATS),
    ("formats/yaml", "import editor_app.core.formats.xrdf", FORMATS),
    # Round about the package's own facade, which imports from above.
    ("geometry", "import editor_app", "Arrows point one way, downwards"),
    ("edit", "from PySide6.QtCore import QObject", "Qt only under gui, PyVista and VTK there and under pictures"),
    ("geometry", "def late():\n    import pyvista", "Qt only under gui, PyVista and VTK there and under pictures"),
    ("checks", "import vtkmodules.vtkCommonCore", "Qt only under gui, PyVista and VTK there and under pictures"),
    ("gui", "import ruamel.yaml", "YAML and XML libraries only under formats"),
    ("cli", "from lxml import etree", "YAML and XML libraries only under formats"),
    ("kinematics", "import yaml", "YAML and XML libraries only under formats"),
    ("gui", "import trimesh", "trimesh only under geometry and fitting"),
    ("self_collision", "import trimesh", "trimesh only under geometry and fitting"),
    ("model", "import numpy", "The model is plain Python"),
    ("gui", "def late():\n    from editor_app.features.spheres.engine.robot import run_job", ENGINES),
    ("gui", "from editor_app.features.spheres.engine.fit import fit_spheres", ENGINES),
    ("gui", "from editor_app.features.masks.engine.live import edited_sphere_model", ENGINES),
    ("gui", "from editor_app.plugins.motion.engine.model import build_motion_model", ENGINES),
    ("cli", "from editor_app.features.masks.engine.analysis import analyse", ENGINES),
    ("cli", "def late():\n    from editor_app.features.masks.engine.analysis import analyse", ENGINES),
    ("cli", "from editor_app.plugins.motion.engine.planner import plan", ENGINES),
    ("pictures", "from editor_app.features.spheres.engine.solid import DeviationMap", ENGINES),
    ("language_server", "from editor_app.core.document.opening import open_robot", ENGINES),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "editor_app", folder / "editor_app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LINTER, "--no-cache", "--config", "pyproject.toml"]
    # -c puts the current folder first on the path: the copy is what is looked at, not the checkout.
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_the_tree_keeps_every_contract(copy: Path) -> None:
    finished = lint(copy)
    assert finished.returncode == 0, finished.stdout
    assert "0 broken" in finished.stdout


def test_every_violation_breaks_its_contract(copy: Path) -> None:
    """All are planted at once, each in a module of its own: the linter names every one of them."""
    planted = []
    for number, (part, statement, _) in enumerate(VIOLATIONS):
        module = copy / "editor_app" / part / f"planted_{number}.py"
        module.write_text(textwrap.dedent(statement) + "\n")
        planted.append(module)
    try:
        finished = lint(copy)
    finally:
        for module in planted:
            module.unlink()
    assert finished.returncode == 1
    sections = finished.stdout.split("Broken contracts")[1]
    for number, (part, _, contract) in enumerate(VIOLATIONS):
        told = sections.split(contract)[1].split("\n---")[1]
        assert f"editor_app.{part.replace('/', '.')}.planted_{number} ->" in told, (
            f"{part}: {contract} did not bite\n{told}"
        )


def test_a_part_without_a_layer_is_refused(copy: Path) -> None:
    module = copy / "editor_app" / "helpers.py"
    module.write_text('"""Neither here nor there."""\n')
    try:
        assert lint(copy).returncode == 1
    finally:
        module.unlink()
