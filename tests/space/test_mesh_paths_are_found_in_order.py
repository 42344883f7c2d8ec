"""Where mesh files are found: the order of the rules, mappings that help a whole package, and what
was tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.model.urdf import Link, Mesh, Urdf, Visual
from editor_app.core.space.geometry.paths import (
    explain_mesh_path,
    likely_package_folder,
    mapping_for,
    missing_meshes,
    package_of,
    resolve_mesh_path,
    written_name,
)
from editor_app.core.verbs.robot_texts import with_meshes_from


def touch(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def package(folder: Path, name: str) -> Path:
    touch(folder / "package.xml", f"<?xml version='1.0'?><package><name>{name}</name></package>")
    return folder


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    return touch(tmp_path / "ws" / "src" / "robot" / "urdf" / "robot.urdf")


def find(
    name: str, urdf: Path, mappings: dict[str, Path] | None = None, **environ: str
) -> Path | None:
    return resolve_mesh_path(name, urdf, mappings, environ)


def test_the_rules_in_their_order(urdf: Path, tmp_path: Path) -> None:
    name = "package://pkg/meshes/a.stl"
    ws = tmp_path / "ws" / "src"
    places = {
        "mine": touch(tmp_path / "mine" / "meshes" / "a.stl"),
        "package.xml": touch(package(ws / "robot", "pkg") / "meshes" / "a.stl"),
        "sibling": touch(ws / "pkg" / "meshes" / "a.stl"),
        "sibling's package.xml": touch(package(ws / "other", "pkg") / "meshes" / "a.stl"),
        "ros": touch(tmp_path / "ros" / "pkg" / "meshes" / "a.stl"),
        "ament": touch(tmp_path / "ament" / "share" / "pkg" / "meshes" / "a.stl"),
    }
    environ = {
        "ROS_PACKAGE_PATH": str(tmp_path / "ros"),
        "AMENT_PREFIX_PATH": str(tmp_path / "ament"),
    }
    mappings = {"pkg": tmp_path / "mine"}
    for place in places.values():
        assert resolve_mesh_path(name, urdf, mappings, environ) == place
        place.unlink()
    assert resolve_mesh_path(name, urdf, mappings, environ) is None


def test_an_ancestor_folder_of_the_name_comes_after_its_package_xml(tmp_path: Path) -> None:
    urdf = touch(tmp_path / "pkg" / "inner" / "urdf" / "r.urdf")
    by_name = touch(tmp_path / "pkg" / "a.stl")
    by_manifest = touch(package(tmp_path / "pkg" / "inner", "pkg") / "a.stl")
    assert find("package://pkg/a.stl", urdf) == by_manifest
    by_manifest.unlink()
    assert find("package://pkg/a.stl", urdf) == by_name
    assert find("package:///pkg/a.stl", urdf) == by_name


def test_models_of_gazebo(urdf: Path, tmp_path: Path) -> None:
    mesh = touch(tmp_path / "models" / "box" / "a.dae")
    assert find("model://box/a.dae", urdf, GZ_SIM_RESOURCE_PATH=str(tmp_path / "models")) == mesh
    assert find("package://box/a.dae", urdf, GZ_SIM_RESOURCE_PATH=str(tmp_path / "models")) is None


def test_plain_relative_absolute_and_file_paths(urdf: Path) -> None:
    mesh = touch(urdf.parent / "meshes" / "a b.stl")
    assert find("meshes/a b.stl", urdf) == mesh
    assert find("./meshes/a b.stl", urdf) == urdf.parent / "meshes/a b.stl"
    assert find("meshes\\a b.stl", urdf) == mesh
    assert find(str(mesh), urdf) == mesh
    assert find(f"file://{mesh}", urdf) == mesh
    assert find("file://meshes/a b.stl", urdf) == mesh
    assert find("file:///meshes/a%20b.stl", urdf) == mesh
    assert find("meshes/a b.stl", Path("/")) is None
    assert resolve_mesh_path("meshes/a b.stl", None, environ={}) is None


@pytest.mark.parametrize("written", ["a.stl", "a.STL", "a.Stl"])
@pytest.mark.parametrize("stored", ["a.stl", "a.STL", "a.sTl"])
def test_extensions_in_any_case(urdf: Path, written: str, stored: str) -> None:
    mesh = touch(urdf.parent / stored)
    path = find(written, urdf)
    assert path is not None
    assert path.samefile(mesh)


def test_a_folder_copied_out_of_its_package_is_found_by_its_name_in_the_path(
    tmp_path: Path,
) -> None:
    urdf = touch(tmp_path / "arm_description" / "robots" / "arm.urdf")
    mesh = touch(tmp_path / "arm_description" / "meshes" / "a.stl")
    address = "package://robot_data/robots/arm_description/meshes/a.stl"
    assert find(address, urdf) == mesh
    assert find("package://robot_data/robots/leg_description/meshes/a.stl", urdf) is None
    package = touch(tmp_path / "robot_data" / "robots" / "arm_description" / "meshes" / "a.stl")
    assert find(address, urdf) == package


def test_a_folder_that_may_be_the_package_is_told_and_not_taken(tmp_path: Path) -> None:
    urdf = touch(tmp_path / "robot" / "urdf" / "arm.urdf")
    touch(tmp_path / "robot" / "meshes" / "a.stl")
    address = "package://arm_description/meshes/a.stl"
    assert find(address, urdf) is None
    assert likely_package_folder(address, urdf) == tmp_path / "robot"
    assert likely_package_folder("package://arm_description/meshes/b.stl", urdf) is None
    assert likely_package_folder("meshes/a.stl", urdf) is None


def test_what_was_tried_is_told(urdf: Path, tmp_path: Path) -> None:
    touch(tmp_path / "ws" / "src" / "pkg" / "other.stl")
    explanation = explain_mesh_path(
        "package://pkg/a.stl", urdf, {"pkg": tmp_path / "mine"}, {"ROS_PACKAGE_PATH": "/opt/x"}
    )
    assert explanation.path is None
    assert explanation.package == "pkg"
    text = explanation.explain()
    assert "your mapping of pkg" in text
    assert str(tmp_path / "ws/src/pkg/a.stl") in text
    assert "ROS_PACKAGE_PATH" in text
    nothing = explain_mesh_path("package://pkg2/a.stl", urdf, environ={})
    assert "the folder of the package 'pkg2' was not found" in nothing.explain()


@pytest.mark.parametrize(
    "name", ["http://x/a.stl", "https://x/a.stl", "", "package://", "a\0b.stl", "x" * 5000, "/"]
)
def test_what_cannot_be_a_file_is_not_found(urdf: Path, name: str) -> None:
    assert find(name, urdf) is None
    assert explain_mesh_path(name, urdf, environ={}).explain()


def test_locate_maps_the_whole_package(tmp_path: Path, urdf: Path) -> None:
    root = tmp_path / "elsewhere" / "ur_description"
    one, two = (
        touch(root / "meshes" / "visual" / "a.dae"),
        touch(root / "meshes" / "collision" / "a.stl"),
    )
    names = {"package://ur/meshes/visual/a.dae": one, "package://ur/meshes/collision/a.stl": two}
    first = next(iter(names))
    for chosen in (root, root / "meshes", root / "meshes" / "visual", one):
        mapping = mapping_for(first, chosen)
        assert mapping == ("ur", root), chosen
        for name, path in names.items():
            assert find(name, urdf, dict([mapping])) == path
    assert mapping_for(first, tmp_path / "elsewhere") is None
    assert mapping_for(first, two) is None
    assert mapping_for("package://ur_description/meshes/visual/a.dae", tmp_path / "elsewhere") == (
        "ur_description",
        root,
    )


def test_locate_maps_a_prefix_of_other_paths(tmp_path: Path, urdf: Path) -> None:
    mesh = touch(tmp_path / "here" / "deep" / "a.stl")
    for name in ("file:///usr/lost/deep/a.stl", "../lost/deep/a.stl"):
        mapping = mapping_for(name, tmp_path / "here")
        assert mapping is not None
        assert find(name, urdf, dict([mapping])) == mesh
        flat = mapping_for("package://p/lost/a.stl", mesh.parent)
        assert flat is not None
        assert find("package://p/lost/a.stl", urdf, dict([flat])) == mesh


def test_package_of() -> None:
    assert (
        package_of("package://p/a")
        == package_of("package:///p/a")
        == package_of("model://p/a")
        == "p"
    )
    assert package_of("file:///p/a") is package_of("p/a") is None


def test_a_chosen_file_is_written_so_that_it_is_found_again(tmp_path: Path) -> None:
    package, urdf = tmp_path / "arm_description", tmp_path / "arm_description" / "urdf" / "arm.urdf"
    for name in ("urdf/arm.urdf", "meshes/a.stl", "urdf/near/b.stl"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    far = tmp_path / "far" / "c d.stl"
    far.parent.mkdir()
    far.touch()
    assert written_name(package / "urdf" / "near" / "b.stl", urdf) == "near/b.stl"
    assert written_name(package / "meshes" / "a.stl", urdf).startswith("file://")
    (package / "package.xml").write_text("<package><name>arm</name></package>")
    assert written_name(package / "meshes" / "a.stl", urdf) == "package://arm/meshes/a.stl"
    assert written_name(far, urdf) == far.as_uri()
    for file in (package / "meshes" / "a.stl", package / "urdf" / "near" / "b.stl", far):
        assert resolve_mesh_path(written_name(file, urdf), urdf, {}) == file


@pytest.mark.parametrize(
    "name", ["package://part.stl", "package:///part.stl", "model://part.stl", "package://part.STL"]
)
def test_a_name_without_a_package_is_a_file_beside_the_urdf(
    urdf: Path, name: str, tmp_path: Path
) -> None:
    """As onshape-to-robot writes it."""
    assert find(name, urdf) is None
    elsewhere = touch(tmp_path / "elsewhere" / "part.stl")
    file = name.rpartition("/")[2]
    assert find(name, urdf, {file: elsewhere.parent}) == elsewhere
    assert find(name, urdf, {"other.stl": elsewhere.parent}) is None
    mapping = mapping_for(name, elsewhere.parent)
    assert mapping == (file, elsewhere.parent)
    beside = touch(urdf.parent / "part.stl")
    assert find(name, urdf) == beside
    assert find(name, urdf, dict([mapping])) == elsewhere


def test_a_missing_file_without_a_package_says_how_to_map_it(urdf: Path) -> None:
    robot = Urdf("r", links=(Link("l", visuals=(Visual(Mesh("package://part.stl")),)),))
    (missing,) = missing_meshes(robot, urdf)
    sentence = missing.sentence()
    assert f"Searched: {urdf.parent / 'part.stl'} (relative to the URDF)." in sentence
    assert sentence.endswith("--package part.stl=FOLDER")


def test_a_package_name_may_be_encoded(tmp_path: Path) -> None:
    root = package(tmp_path / "a robot", "a robot")
    mesh = touch(root / "meshes" / "my part.stl")
    urdf = touch(root / "urdf" / "r.urdf")
    name = "package://a%20robot/meshes/my%20part.stl"
    assert find(name, urdf) == mesh
    far = touch(tmp_path / "far" / "r.urdf")
    assert find(name, far) == mesh, "a folder next to an ancestor"
    other = touch(tmp_path / "x" / "meshes" / "my part.stl")
    for mapped in ("a robot", "a%20robot", "package://a robot"):
        assert find(name, far, {mapped: other.parents[1]}) == other


@pytest.mark.parametrize("packages", [None, {}])
def test_a_urdf_in_another_folder_names_a_file_without_a_package_by_its_path(
    urdf: Path, packages: dict[str, Path] | None
) -> None:
    touch(urdf.parent / "part.stl")
    robot = Urdf("r", links=(Link("l", visuals=(Visual(Mesh("package://part.stl")),)),))
    moved = with_meshes_from(robot, urdf, urdf.parent / "out" / "r.urdf", packages)
    (visual,) = moved.links[0].visuals
    assert isinstance(visual.geometry, Mesh)
    assert visual.geometry.filename == "../part.stl"
