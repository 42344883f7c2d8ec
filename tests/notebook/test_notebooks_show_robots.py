"""Robots and fits in a notebook: the example runs cell by cell, and its views are what notebooks
take and keep."""

from __future__ import annotations

import ast
import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import editor_app
from editor_app.core.resources import resources_folder, sample_robot
from tests.helpers.small_robot import URDF_TEXT

NOTEBOOK = resources_folder() / "notebooks" / "robot_in_a_notebook.ipynb"


@pytest.fixture(scope="module")
def values() -> list[Any]:
    """The value of each code cell of the example, as the notebook would show it."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    shown = []
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]), f"cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        shown.append(value)
    return shown


def _picture(view: editor_app.View) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(view._repr_mimebundle_()["image/png"])))


def test_the_example_runs_and_every_view_is_a_picture_of_something(values: list[Any]) -> None:
    views = [value for value in values if isinstance(value, editor_app.View)]
    assert len(views) == 3
    pictures = [_picture(view) for view in views]
    for view, picture in zip(views, pictures, strict=True):
        assert picture.size == view.size
        assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 50
    assert pictures[0].tobytes() != pictures[1].tobytes()
    assert any(value is True for value in values)


def test_a_view_turns_with_the_mouse_and_needs_nothing_from_the_network(
    values: list[Any], tmp_path: Path
) -> None:
    pytest.importorskip("trame_vtk", reason="the extra notebook is not installed")
    view = values[0]
    bundle = view._repr_mimebundle_()
    assert bundle["text/html"].startswith('<iframe srcdoc="')
    page = view.save(tmp_path / "view.html").read_text(encoding="utf-8")
    assert "https://" not in page.partition("<script")[0]
    packed = page.partition('const base64Str = "')[2].partition('"')[0]
    scene = json.loads(zipfile.ZipFile(io.BytesIO(base64.b64decode(packed))).read("index.json"))
    assert len(scene["hashes"]) > 20
    assert all(entry["content"] for entry in scene["hashes"].values())


def test_a_still_is_a_png_and_no_page(tmp_path: Path) -> None:
    robot = editor_app.open_robot(sample_robot())
    view = editor_app.show(robot, interactive=False, size=(200, 150))
    assert set(view._repr_mimebundle_()) == {"image/png", "text/plain"}
    with Image.open(view.save(tmp_path / "robot.png")) as picture:
        assert picture.size == (200, 150)
    with pytest.raises(editor_app.Refused, match="a still image is not a page"):
        view.save(tmp_path / "robot.html")
    with pytest.raises(editor_app.Refused, match="no joint nothing"):
        editor_app.show(robot, {"nothing": 1.0})


def test_a_robot_without_shapes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.urdf"
    path.write_text(URDF_TEXT)
    robot = editor_app.open_robot(path)
    with pytest.raises(editor_app.Refused, match="no shapes and no spheres"):
        editor_app.show(robot, interactive=False)
