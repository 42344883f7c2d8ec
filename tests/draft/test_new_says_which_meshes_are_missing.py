"""A first file that was made without meshes is written, and ends with a code that scripts
notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor_app import cli
from editor_app.__main__ import main
from editor_app.cli._exit_codes import exit_codes

BOX = '<geometry><box size="0.1 0.1 0.1"/></geometry>'
MESH = '<geometry><mesh filename="{}.stl"/></geometry>'
URDF = """<robot name="two">
<link name="base"><collision>{box}</collision></link>
<link name="seen"><visual>{gone}</visual><collision>{box}</collision></link>
<link name="arm"><visual>{box}</visual><collision>{gone}</collision></link>
<link name="hand"><visual>{gone}</visual></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
<joint name="fixed" type="fixed"><parent link="base"/><child link="seen"/><origin xyz="-0.5 0 0"/></joint>
<joint name="held" type="fixed"><parent link="arm"/><child link="hand"/></joint></robot>
"""


def test_what_is_missing_is_named_with_a_remedy_and_the_file_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf, made = tmp_path / "two.urdf", tmp_path / "two.xrdf"
    urdf.write_text(URDF.format(box=BOX, gone=MESH.format("gone")))
    assert main(["new", str(urdf), "--fit"]) == 4
    assert "missing" in exit_codes(cli.module_of("new"))[4]
    told = next(
        line for line in capsys.readouterr().err.splitlines() if line.startswith("Mesh files of")
    )
    # Of `seen` a mesh is missing that nothing is fitted to.
    assert "Mesh files of arm, hand are missing" in told
    assert "--package" in told
    assert "arm:" in made.read_text(), "fitted to the visual geometry"
    arguments = ["new", str(urdf), "--fit", "--force", "-o", str(made), "--format", "json"]
    assert main(arguments) == 4
    assert json.loads(capsys.readouterr().out)["missing_meshes"] == ["arm", "hand"]
    # A draft fits nothing, so nothing is missing from it.
    assert main(["new", str(urdf), "--force"]) == 0
