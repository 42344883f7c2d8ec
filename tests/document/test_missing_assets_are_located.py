"""Files that a USD or SDF names and that are elsewhere: the report says how to give them, and then
they are read."""

from __future__ import annotations

import multiprocessing
import re
from pathlib import Path

import pytest

from editor_app.cli import run_command
from editor_app.core.space.geometry.paths import mapped_file, mapping_for, package_option
from editor_app.core.tasks.task import SILENT
from editor_app.core.verbs.convert import ConvertOptions, PreviewJob

MODEL = '<sdf version="1.9"><model name="{}">{}</model></sdf>'
FACETS = (
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
)


@pytest.mark.parametrize(
    ("name", "option", "chosen", "mapping"),
    [
        ("parts/a.usda", "parts/", "shop/parts", ("parts/", "shop/parts")),
        ("parts/a.usda", "parts/", "shop", ("parts/", "shop/parts")),
        ("a.usda", "a.usda", "shop/parts", ("a.usda", "shop/parts")),
        ("./a.usda", "./", "shop/parts", ("./", "shop/parts")),
        ("../parts/a.usda", "../parts/", "shop", ("../", "shop")),
        ("/old/parts/a.usda", "/old/parts/", "shop/parts", ("/old/parts/", "shop/parts")),
        (
            "omniverse://host/parts/a.usda",
            "omniverse://host/parts/",
            "shop",
            ("omniverse://host/", "shop"),
        ),
        ("https://host/a.usda", "https://host/", "shop/parts", ("https://host/", "shop/parts")),
        ("model://parts/a.usda", "parts", "shop", ("parts", "shop/parts")),
    ],
)
def test_a_mapping_gives_the_file_that_it_was_made_for(
    tmp_path: Path, name: str, option: str, chosen: str, mapping: tuple[str, str]
) -> None:
    file = tmp_path / "shop" / "parts" / "a.usda"
    file.parent.mkdir(parents=True)
    file.write_text("x")
    assert package_option(name) == f"--package {option}=FOLDER"
    prefix, folder = mapping
    assert mapping_for(name, tmp_path / chosen) == (prefix, tmp_path / folder)
    assert mapped_file(name, {prefix: tmp_path / folder}) == (file, tmp_path / folder)
    assert mapped_file(name, {}) is None


def test_a_mapping_is_not_left(tmp_path: Path) -> None:
    (tmp_path / "secret.usda").write_text("x")
    (tmp_path / "shop").mkdir()
    assert mapped_file("http://host/../secret.usda", {"http://host/": tmp_path / "shop"}) is None


def option_of(text: str) -> str:
    """The prefix that an error or report offers."""
    match = re.search(r"--package (\S+)=FOLDER", text)
    assert match is not None, text
    return match.group(1)


@pytest.mark.parametrize(
    "asset", ["parts/hand.usda", "hand.usda", "/old/hand.usda", "omniverse://host/lib/hand.usda"]
)
@pytest.mark.parametrize("arc", ["references", "payload", "subLayers"])
def test_a_missing_layer_is_given_by_the_option_that_the_report_names(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    asset: str,
    arc: str,
) -> None:
    pytest.importorskip("pxr", reason="the extra is not installed")
    from tests.usd.test_usd_becomes_a_robot import ARM, HEAD

    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    arm, shop = tmp_path / "arm" / "arm.usda", tmp_path / "shop"
    arm.parent.mkdir()
    shop.mkdir()
    joint = (
        'def PhysicsFixedJoint "mount"\n{\n    rel physics:body0 = </arm/upper>\n    rel '
        "physics:body1 = </hand>\n}\n"
    )
    if arc == "subLayers":
        text = HEAD.replace(")\n", f"    subLayers = [@{asset}@]\n)\n") + ARM + joint
    else:
        text = HEAD + ARM + joint + f'def "hand" ({arc} = @{asset}@)\n{{\n}}\n'
    arm.write_text(text)
    # The located layer names another one next to it.
    inner = (
        'def Xform "hand" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n    references = '
        "@palm.usda@</palm>\n)"
    )
    (shop / "hand.usda").write_text(f'#usda 1.0\n(\n    defaultPrim = "hand"\n)\n{inner}\n{{\n}}\n')
    (shop / "palm.usda").write_text(
        '#usda 1.0\ndef "palm"\n{\n    def Cube "box"\n    {\n    }\n}\n'
    )
    output = tmp_path / "arm" / "arm.urdf"
    run_command("convert", [str(arm), str(output)])
    prefix = option_of(capsys.readouterr().err)
    assert 'name="hand"' not in output.read_text()
    assert (
        run_command("convert", [str(arm), str(output), "--force", "--package", f"{prefix}={shop}"])
        == 0
    )
    assert "FOLDER" not in capsys.readouterr().err
    assert 'name="hand"' in output.read_text()
    assert '<box size="2 2 2"' in output.read_text()


def test_a_robot_whose_links_are_in_a_missing_layer_is_read_once_that_is_located(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pxr", reason="the extra is not installed")
    from tests.usd.test_usd_becomes_a_robot import ARM, HEAD

    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "arm.usda").write_text(HEAD + ARM)
    path = tmp_path / "stage.usda"
    path.write_text("#usda 1.0\n(\n    subLayers = [@omniverse://host/arm.usda@]\n)\n")
    job = PreviewJob((path,), tmp_path / "stage.urdf", ConvertOptions(to="urdf"), ask=path)
    outcome = job(SILENT)
    assert outcome.conversion is None
    assert outcome.missing == (("omniverse://host/arm.usda",),)
    mapping = mapping_for(outcome.missing[0][0], tmp_path / "shop")
    assert mapping is not None
    job = PreviewJob(
        (path,), tmp_path / "stage.urdf", ConvertOptions(to="urdf"), packages=(mapping,), ask=path
    )
    assert job(SILENT).missing == ()


@pytest.mark.parametrize(
    "uri", ["model://hand", "package://lib/hand", "https://host/models/hand", "/old/hand", "hand"]
)
@pytest.mark.parametrize("has_manifest", [False, True])
def test_a_missing_model_is_given_by_the_option_that_the_error_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], uri: str, has_manifest: bool
) -> None:
    arm = tmp_path / "arm" / "arm.sdf"
    folder = tmp_path / "far" / "away" / ("lib/hand" if uri.startswith("package") else "hand")
    arm.parent.mkdir()
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "a.stl").write_text(f"solid a\n{FACETS}endsolid a\n")
    mesh = '<visual name="v"><geometry><mesh><uri>meshes/a.stl</uri></mesh></geometry></visual>'
    (folder / "model.sdf").write_text(MODEL.format("hand", f'<link name="palm">{mesh}</link>'))
    if has_manifest:
        (folder / "model.config").write_text('<model><sdf version="1.9">model.sdf</sdf></model>')
    arm.write_text(MODEL.format("arm", f'<link name="a"/><include><uri>{uri}</uri></include>'))
    output = arm.with_suffix(".urdf")
    assert run_command("convert", [str(arm), str(output)]) == 2
    error = capsys.readouterr().err
    assert f"{arm}:1:" in error
    chosen = folder.parent if uri.startswith("package") else folder
    arguments = [str(arm), str(output), "--package", f"{option_of(error)}={chosen}"]
    assert run_command("convert", arguments) == 0
    assert "was not found" not in capsys.readouterr().err
    assert '<link name="hand::palm"' in output.read_text()


def test_a_missing_mesh_of_an_sdf_is_reported_with_its_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mesh = (
        "<visual "
        "name='v'><geometry><mesh><uri>model://toolshop/meshes/a.stl</uri></mesh></geometry></visual>"
    )
    (tmp_path / "arm.sdf").write_text(MODEL.format("arm", f'<link name="a">{mesh}</link>'))
    arguments = [str(tmp_path / "arm.sdf"), str(tmp_path / "arm.urdf")]
    run_command("convert", arguments)
    assert (
        "model://toolshop/meshes/a.stl was not found. Name the folder: --package toolshop=FOLDER"
        in capsys.readouterr().err
    )
    # Once, and not in the folder where it was converted.
    run_command("check", [arguments[0]])
    text = "".join(capsys.readouterr())
    assert text.count("MESH001") == 1
    assert "URDF05" not in text
    assert "xrdf-editor-" not in text
    (tmp_path / "arm.sdf").write_text(
        (tmp_path / "arm.sdf").read_text().replace("model://toolshop/", "")
    )
    run_command("check", [arguments[0]])
    text = "".join(capsys.readouterr())
    assert f"Searched: {tmp_path / 'meshes' / 'a.stl'}" in text
    (tmp_path / "arm.sdf").write_text(
        (tmp_path / "arm.sdf").read_text().replace("meshes/", "model://toolshop/meshes/")
    )
    (tmp_path / "x" / "meshes").mkdir(parents=True)
    (tmp_path / "x" / "meshes" / "a.stl").write_text(f"solid a\n{FACETS}endsolid a\n")
    run_command("convert", [*arguments, "--force", "--package", f"toolshop={tmp_path / 'x'}"])
    assert "was not found" not in capsys.readouterr().err


def test_the_models_of_a_world_can_be_chosen_once_an_included_one_is_located(
    tmp_path: Path,
) -> None:
    world = (
        '<sdf version="1.9"><world '
        'name="w"><include><uri>model://one</uri></include>{}</world></sdf>'
    )
    inner = (
        '<model name="two"><link name="a"/><link name="b"/><joint name="j" '
        'type="fixed"><parent>a</parent>'
    )
    path = tmp_path / "w.sdf"
    path.write_text(world.format(f"{inner}<child>b</child></joint></model>"))
    (tmp_path / "far" / "x").mkdir(parents=True)
    (tmp_path / "far" / "x" / "model.sdf").write_text(MODEL.format("one", '<link name="c"/>'))
    job = PreviewJob((path,), tmp_path / "w.urdf", ConvertOptions(to="urdf"), ask=path)
    outcome = job(SILENT)
    assert outcome.missing == (("model://one/model.config", "model://one/model.sdf"),)
    packages = (("one", tmp_path / "far" / "x"),)
    located = PreviewJob(
        (path,), tmp_path / "w.urdf", ConvertOptions(to="urdf"), packages=packages, ask=path
    )(SILENT)
    assert "one" in dict(dict(located.offers)["model"])
