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

LAYERS = "Imports point one way: plug-ins, features, window and command line, core"
CORE = "Within the core: verbs, tasks, document, formats and space, model"
SPACE = "Kinematics and geometry leave each other alone, but for plain matrices"
FORMATS = "Formats point one way: registry, native codecs, shared values, documents"
TEXT = "Texts with positions: YAML and XML over sources and splices"
CODECS = "Plug-ins of formats leave each other alone"
QT = "Qt only in windows; PyVista and VTK there and in pictures"
PARSERS = "YAML and XML libraries only in texts, formats and their plug-ins"
TRIMESH = "trimesh only in geometry and the engine of spheres"
VERBS = "Window and command line ask the verbs, not the engines"
#: The folder of a planted module, the statement that it holds, and the contract that must break.
VIOLATIONS = [
    ("core/verbs", "import editor_app.features.checks.verbs.check", LAYERS),
    (
        "core/document",
        "def late():\n    from editor_app.plugins.motion.engine import model",
        LAYERS,
    ),
    ("features/masks/verbs", "import editor_app.plugins.comparison.verbs.diff", LAYERS),
    ("window", "from editor_app.plugins.motion.window import player", LAYERS),
    ("window", "import editor_app.features.draft.verbs.new", LAYERS),
    ("cli", "import editor_app.window", LAYERS),
    ("core/model", "import editor_app.core.formats", CORE),
    ("core/tasks", "import editor_app.core.verbs.convert", CORE),
    ("core/drafting", "def late():\n    from editor_app.core import document", CORE),
    ("core/formats", "import editor_app.core.space.kinematics.tree", CORE),
    # Through the package's facade, which imports from above.
    ("core/space/geometry", "import editor_app", CORE),
    ("core/space/geometry", "import editor_app.core.space.kinematics.tree", SPACE),
    ("core/formats/exchange", "from editor_app.core.formats import registry", FORMATS),
    (
        "core/formats/srdf",
        "def late():\n    from editor_app.core.formats.exchange import conversion",
        FORMATS,
    ),
    ("core/text/yaml", "import editor_app.core.text.xml.document", TEXT),
    ("plugins/lula", "import editor_app.plugins.curobo.codec", CODECS),
    ("core/document", "from PySide6.QtCore import QObject", QT),
    ("features/spheres/verbs", "def late():\n    import pyvista", QT),
    ("plugins/usd", "import vtkmodules.vtkCommonCore", QT),
    ("window", "import ruamel.yaml", PARSERS),
    ("plugins/assembly/cli", "from lxml import etree", PARSERS),
    ("core/space/kinematics", "import yaml", PARSERS),
    ("window", "import trimesh", TRIMESH),
    ("features/masks/engine", "import trimesh", TRIMESH),
    ("core/model", "import numpy", "The model is plain Python"),
    (
        "window",
        "def late():\n    from editor_app.features.spheres.engine.robot import fit_job",
        VERBS,
    ),
    (
        "features/spheres/window",
        "from editor_app.features.spheres.engine.fit import fit_spheres",
        VERBS,
    ),
    (
        "features/masks/window",
        "from editor_app.features.masks.engine.live import edited_sphere_model",
        VERBS,
    ),
    (
        "plugins/motion/window",
        "from editor_app.plugins.motion.engine.model import build_motion_model",
        VERBS,
    ),
    ("features/masks/cli", "from editor_app.features.masks.engine.analysis import analyse", VERBS),
    (
        "plugins/motion/cli",
        "def late():\n    from editor_app.plugins.motion.engine.planner import plan_path",
        VERBS,
    ),
    (
        "plugins/pictures",
        "from editor_app.features.spheres.engine.solid import DeviationMap",
        VERBS,
    ),
    (
        "plugins/language_server",
        "from editor_app.core.document.opening import open_document",
        VERBS,
    ),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(
        ROOT / "editor_app", folder / "editor_app", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LINTER, "--no-cache", "--config", "pyproject.toml"]
    # -c puts the current folder first on the path: the copy is what is looked at, not the checkout.
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


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
