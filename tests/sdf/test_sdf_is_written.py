"""A robot as SDF: poses, masses, limits and shapes come back as they were, and what SDF cannot
store is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.cli import run_command
from editor_app.core.document.comparison import compare_urdf
from editor_app.core.formats.exchange.codec import ConvertOptions
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.text.source import SourceText
from editor_app.core.text.xml.document import parse_xml
from editor_app.core.verbs.convert import convert
from editor_app.plugins.sdf.write import sdf_text

INERTIAL = (
    '<inertial><origin xyz="0.1 0 0" rpy="0.3 0 0"/><mass value="2"/><inertia ixx="0.1" ixy="0.01" '
    'ixz="0"'
)
INERTIAL += ' iyy="0.2" iyz="0" izz="0.25"/></inertial>'
ARM = f"""<robot name="arm"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="world"/>
<link name="base">{INERTIAL}<visual><origin xyz="0 0 1" rpy="0 1 0"/><geometry><mesh filename="package://p/a.stl"
 scale="1 -1 1"/></geometry><material name="red"/></visual>
 <collision name="box"><geometry><box size="1 2 3"/></geometry></collision>
 <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="upper">{INERTIAL}</link><link name="slider">{INERTIAL}</link><link name="wheel">{INERTIAL}</link>
<link name="flange"/><link name="tool"/>
<joint name="mount" type="fixed"><parent link="world"/><child link="base"/><origin xyz="0 0 0.5" rpy="0 0 1"/></joint>
<joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0.1 0.2 0.3" rpy="1 0.5 -2"/>
 <axis xyz="0 0.6 0.8"/><limit lower="-1" upper="2.5" effort="7" velocity="3"/>
 <dynamics damping="0.5" friction="0"/></joint>
<joint name="slide" type="prismatic"><parent link="upper"/><child link="slider"/><axis xyz="1 0 0"/>
 <limit lower="0" upper="0.1" effort="7" velocity="3"/><mimic joint="turn" multiplier="0.1" offset="0.02"/></joint>
<joint name="roll" type="continuous"><parent link="slider"/><child link="wheel"/>
 <limit effort="7" velocity="3"/></joint>
<joint name="flange_joint" type="fixed"><parent link="wheel"/><child link="flange"/>
 <origin xyz="0 0 1" rpy="0 0 1"/></joint>
<joint name="tool_joint" type="fixed"><parent link="flange"/><child link="tool"/><origin xyz="0 1 0"/></joint>
</robot>"""


def written(text: str) -> tuple[str, dict[str, str]]:
    sdf, report = sdf_text(read_urdf(SourceText.from_text(text)).value)
    return sdf, {entry.item: entry.detail for entry in report.of(Fate.LOST)}


def read_back(folder: Path, sdf: str) -> Urdf:
    (folder / "back.sdf").write_text(sdf)
    conversion = convert([folder / "back.sdf"], folder / "back.urdf", ConvertOptions())
    return read_urdf(SourceText.from_bytes(conversion.files[0][1])).value


def test_a_robot_comes_back_as_it_was(tmp_path: Path) -> None:
    sdf, lost = written(ARM)
    assert not lost
    before = read_urdf(SourceText.from_text(ARM)).value
    differences = compare_urdf(before, read_back(tmp_path, sdf), 1e-12)
    # The name of the material is its colour.
    assert [d.path for d in differences if "material" not in d.path] == []


def test_the_elements_are_those_of_sdf(tmp_path: Path) -> None:
    root = parse_xml(SourceText.from_text(written(ARM)[0])).root
    assert root.get("version") == "1.11"
    (model,) = root.children
    assert [link.get("name") for link in model.all("link")] == ["base", "upper", "slider", "wheel"]
    assert [(f.get("name"), f.get("attached_to")) for f in model.all("frame")] == [
        ("flange", "flange_joint"), ("tool", "tool_joint"), ("flange_joint", "wheel"), ("tool_joint", "flange")
    ]  # fmt: skip
    mount = next(joint for joint in model.all("joint") if joint.get("name") == "mount")
    parent = mount.child("parent")
    assert parent is not None
    assert parent.text == "world"


def test_losses_and_inventions_are_reported(tmp_path: Path) -> None:
    text = ARM.replace('type="prismatic"', 'type="planar"').replace(
        'type="continuous"', 'type="floating"'
    )
    text = text.replace(INERTIAL, "", 1).replace(
        "</robot>", "<gazebo><static>true</static></gazebo></robot>"
    )
    _, lost = written(text)
    assert {"joint slide", "joint roll", "extensions"} <= lost.keys()
    _, report = sdf_text(read_urdf(SourceText.from_text(text)).value)
    assert [entry.item for entry in report.of(Fate.INVENTED)] == ["mass of base"]
    # What is impossible is replaced: libsdformat refuses such a link.
    _, lost = written(ARM.replace('izz="0.25"', 'izz="5"', 1))
    assert "inertia of base" in lost


def test_names_that_sdf_reserves_are_changed(tmp_path: Path) -> None:
    text = (
        ARM.replace('"upper"', '"a::__b__"')
        .replace('"slide"', '"base"')
        .replace('"tool"', '"__tool__"')
    )
    sdf, _ = written(text)
    root = parse_xml(SourceText.from_text(sdf)).root
    names = [part.get("name") or "" for part in root.children[0].children]
    assert len(names) == len(set(names))
    assert not any(
        "::" in name or (name.startswith("__") and name.endswith("__")) for name in names
    )
    assert len(read_back(tmp_path, sdf).links) == 7


def test_sensors_of_gazebo_stay_with_their_link(tmp_path: Path) -> None:
    sensor = (
        '<sensor name="eye" '
        'type="camera"><camera><horizontal_fov>1.2</horizontal_fov></camera></sensor>'
    )
    text = ARM.replace("</robot>", f'<gazebo reference="upper">{sensor}</gazebo></robot>')
    sdf, lost = written(text)
    assert not lost
    assert "<horizontal_fov>1.2</horizontal_fov>" in sdf
    (extension,) = read_back(tmp_path, sdf).extensions
    assert extension.reference == "upper"
    assert "1.2" in extension.text


@pytest.mark.parametrize("name", ["out.sdf", "deep/out.sdf"])
def test_convert_writes_it(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.urdf").write_text(ARM.replace("package://p/a.stl", "a.stl"))
    (tmp_path / "deep").mkdir()
    assert run_command("convert", [str(tmp_path / "arm.urdf"), str(tmp_path / name)]) == 0
    assert (tmp_path / name).is_file()
    assert ("copy them too" in capsys.readouterr().err) == (name != "out.sdf")
