"""The public interface: its examples run as they stand, every name leads somewhere, nothing needs a
deeper import."""

from __future__ import annotations

import doctest
import inspect
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.core.document.commands.old_names import OLD_NAMES
from editor_app.core.model.findings import Location
from tests.helpers.robots import copy_of_sample


def test_the_examples_of_the_docstring_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_of_sample(tmp_path / "resources" / "sample")
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(editor_app)
    assert results.attempted > 10
    assert results.failed == 0
    assert (tmp_path / "out.xrdf").is_file()


def test_the_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_of_sample(tmp_path / "resources" / "sample")
    text = (Path(editor_app.__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    [example] = [
        part.partition("```")[0] for part in text.split("```python\n")[1:] if "open_robot" in part
    ]
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    assert (tmp_path / "out.xrdf").is_file()


def test_a_renamed_function_keeps_its_old_name_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(editor_app._OLD_NAMES, "judge", "check")
    with pytest.warns(DeprecationWarning, match=r"editor_app\.judge is editor_app\.check now"):
        assert editor_app.judge is editor_app.check
    assert "judge" not in editor_app.__all__
    assert set(editor_app._OLD_NAMES.values()) <= set(editor_app.__all__)


def test_the_verb_mend_is_named_repair() -> None:
    for old, now in (("mend", "repair"), ("Mending", "Repair"), ("write_mended", "write_repaired")):
        with pytest.warns(DeprecationWarning, match=rf"editor_app\.{old} is editor_app\.{now} now"):
            assert getattr(editor_app, old) is getattr(editor_app, now)


def test_arguments_keep_their_old_names_with_a_warning() -> None:
    rules_class: Any = editor_app.MaskRules
    error_class: Any = editor_app.FormatError
    with pytest.warns(DeprecationWarning, match="ask_meshes of MaskRules is compare_meshes now"):
        rules = rules_class(ask_meshes=True)
    assert rules == editor_app.MaskRules(compare_meshes=True)
    place = Location("arm.urdf", 3)
    with pytest.warns(DeprecationWarning, match="remedy of FormatError is fix now"):
        error = error_class("It has no root", place, remedy="Add one.")
    with pytest.warns(DeprecationWarning, match="remedy of FormatError is fix now"):
        assert error.remedy == error.fix == "Add one."
    assert (
        str(pickle.loads(pickle.dumps(error)))
        == str(error)
        == "arm.urdf:3: It has no root. Add one."
    )


def test_commands_of_the_release_before_work_with_a_warning(sample_urdf: Path) -> None:
    robot: Any = editor_app.open_robot(sample_urdf).robot
    commands = editor_app.commands
    ignored = next(iter(robot.xrdf.self_collision.ignore))
    group = robot.xrdf.geometry[0].name
    sphere = editor_app.CollisionSphere((0.0, 0.0, 0.0), 0.01)
    arguments: dict[str, tuple[Any, ...]] = {
        "CopySpheres": (group, "flange_link", (sphere,)),
        "NameSrdf": ("other",),
        "RenameIgnoredFrame": (ignored, "other_link"),
        "ForgetIgnoredFrame": (ignored,),
    }
    # Commands of masks: see test_commands_by_subject.py; of lists: test_list_commands.py.
    assert set(arguments) <= set(OLD_NAMES)
    changed: dict[str, Any] = {}
    for name, values in arguments.items():
        with pytest.warns(DeprecationWarning, match=rf"commands\.{name} is commands\.\w+ now"):
            command = getattr(commands, name)(*values)
        assert type(command) is getattr(commands, OLD_NAMES[name][0])
        assert name not in dir(commands)
        changed[name] = command.apply(robot)
    assert changed["CopySpheres"].xrdf.group(group).spheres["flange_link"][-1] == sphere
    assert changed["NameSrdf"].srdf.name == "other"
    assert "other_link" in changed["RenameIgnoredFrame"].xrdf.self_collision.ignore
    assert ignored not in changed["ForgetIgnoredFrame"].xrdf.self_collision.ignore
    with pytest.raises(AttributeError, match="NoSuchCommand"):
        getattr(commands, "NoSuchCommand")  # noqa: B009


@pytest.mark.parametrize("name", [name for name in editor_app.__all__ if name != "__version__"])
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(editor_app, name)
    assert inspect.getdoc(value), f"{name} has no docstring"


def test_looking_at_the_names_imports_nothing_heavy() -> None:
    code = (
        "import sys, editor_app; dir(editor_app); print([m for m in ('numpy', 'numba', 'yaml') if "
        "m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(AttributeError, match="no_such_verb"):
        _ = editor_app.no_such_verb


def test_motion_verbs_take_documents_that_know_their_packages(tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    urdf = copy_of_sample(folder)
    shutil.move(folder / "meshes", tmp_path / "elsewhere")
    urdf.write_text(
        urdf.read_text().replace('filename="meshes/', 'filename="package://heron_meshes/')
    )
    packages = {"heron_meshes": tmp_path / "elsewhere"}
    document = editor_app.open_robot(urdf, packages=packages)
    cost = editor_app.model_cost(document, samples=30)
    assert cost.notes == ()
    placed = editor_app.PlacedRobot(document.robot, urdf, editor_app.FrozenDict(packages))
    assert cost == editor_app.model_cost(placed, samples=30)
    pose = editor_app.state_pose(document, "default")
    (tmp_path / "pose.csv").write_text(editor_app.trajectory_csv(pose))
    (tmp_path / "room.yaml").write_text(
        "format: xrdf-editor-scene\nobstacles:\n  - {name: block, box: {size: [3, 3, 3]}}\n"
    )
    read = editor_app.read_trajectory(str(tmp_path / "pose.csv"))
    assert editor_app.collide(document, read, geometry="both").all_free
    room = editor_app.read_scene(str(tmp_path / "room.yaml"))
    touching = editor_app.collide(document, read, scene=room).moment(0).touches
    assert {touch.second for touch in touching if not touch.masked} == {"block"}
    with pytest.raises(editor_app.Refused, match="unknown geometry 'wires'"):
        editor_app.collide(document, read, geometry="wires")  # type: ignore[arg-type]
