"""xacro packages of several files: what cannot be expanded says the file, the line and what to do
about it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.xacro import declared_arguments, expand_xacro, included_files
from editor_app.core.text.source import FormatError, SourceText

HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="$(arg robot_name)">\n'
ARM = (
    HEAD
    + """  <xacro:arg name="robot_name" default="arm"/>
  <xacro:include filename="$(find arm_description)/urdf/macros.xacro"/>
  <xacro:bar name="base" length="0.2"/>
  <xacro:bar name="tip" length="$(arg reach)"/>
  <xacro:turn name="shoulder" parent="base" child="tip"/>
</robot>
"""
)
MACROS = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="colour" default="1 0 0 1"/>
  <xacro:property name="limits" value="${xacro.load_yaml('$(find arm_description)/limits.yaml')['joints']}"/>
  <xacro:macro name="bar" params="name length">
    <link name="${name}"><visual><geometry><box size="0.1 0.1 ${float(length) / 2}"/></geometry>
      <material name="paint"><color rgba="$(arg colour)"/></material></visual></link>
  </xacro:macro>
  <xacro:macro name="turn" params="name parent child">
    <joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/>
      <limit lower="${limits[name]['lower']}" upper="1" effort="1" velocity="1"/></joint>
  </xacro:macro>
</robot>
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    urdf = tmp_path / "arm_description" / "urdf"
    urdf.mkdir(parents=True)
    (urdf / "arm.urdf.xacro").write_text(ARM)
    (urdf / "macros.xacro").write_text(MACROS)
    (urdf.parent / "limits.yaml").write_text("joints: {shoulder: {lower: !degrees -90}}\n")
    return urdf


def expanded(package: Path, **arguments: str) -> SourceText:
    return expand_xacro(
        package / "arm.urdf.xacro",
        arguments,
        lambda n: package.parent if n == "arm_description" else None,
    )


def test_includes_yaml_and_arguments(package: Path) -> None:
    text = expanded(package, reach="0.8", colour="0 0 1 1")
    urdf = read_urdf(text).value
    assert urdf.name == "arm", "the root's attributes see the defaults, too"
    assert [link.name for link in urdf.links] == ["base", "tip"]
    assert urdf.joints[0].limit is not None
    assert urdf.joints[0].limit.lower == pytest.approx(-1.5707963)
    assert "0 0 1 1" in text.text
    assert {path.name for path in included_files()} == {"macros.xacro", "limits.yaml"}
    assert read_urdf(expanded(package, reach="0.8", robot_name="mine")).value.name == "mine"


def test_what_has_to_be_given_is_asked_for(package: Path) -> None:
    source = SourceText.read(package / "arm.urdf.xacro")
    assert declared_arguments(source) == {"robot_name": "arm", "reach": None}


@pytest.mark.parametrize(
    ("file", "old", "new", "arguments", "place", "words"),
    [
        ("arm.urdf.xacro", "", "", {}, "arm.urdf.xacro:5:33", ("reach", "--xacro-arg")),
        ("arm.urdf.xacro", "", "", {"reach": "long"}, "macros.xacro:5:63", ("'long'", "float(length) / 2")),
        ("macros.xacro", "float(length)", "size_of(length)", {"reach": "1"}, "macros.xacro:5:63", ("size_of",)),
        ("macros.xacro", "['lower']", "['least']", {"reach": "1"}, "macros.xacro:10:21", ("least",)),
        ("arm.urdf.xacro", "<xacro:turn", "<xacro:tern", {"reach": "1"}, "arm.urdf.xacro:6:3", ("tern", "Include")),
        ("arm.urdf.xacro", ' parent="base"', "", {"reach": "1"}, "arm.urdf.xacro:6:3", ("parent",)),
        ("arm.urdf.xacro", "$(find arm", "$(find leg", {"reach": "1"}, "arm.urdf.xacro:3:28", ("leg_d", "--package")),
        ("arm.urdf.xacro", "macros.xacro", "gone.xacro", {"reach": "1"}, "arm.urdf.xacro:3:57", ("No such file",)),
        ("macros.xacro", "</xacro:macro>\n</robot>", "</robot>", {"reach": "1"}, "macros.xacro:11:5", ("well-formed",)),
        ("macros.xacro", ' default="1 0 0 1"', "", {"reach": "1"}, "macros.xacro:2:3", ('default=""',)),
        ("arm.urdf.xacro", "", "", {"reach": "1", "reech": "2"}, "arm.urdf.xacro", ("'reech'", "colour, reach, rob")),
    ],
)  # fmt: skip
def test_errors_say_where_and_what_to_do(
    package: Path,
    file: str,
    old: str,
    new: str,
    arguments: dict[str, str],
    place: str,
    words: tuple[str, ...],
) -> None:
    text = (package / file).read_text()
    assert old in text
    (package / file).write_text(text.replace(old, new, 1))
    with pytest.raises(FormatError) as error:
        expanded(package, **arguments)
    assert str(error.value.location).endswith(place), str(error.value)
    assert "Errno" not in str(error.value)
    for word in words:
        assert word in str(error.value)
    assert "class '" not in str(error.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes of that kind")
@pytest.mark.parametrize(
    "use",
    ['<xacro:include filename="pipe"/>', "<link name=\"${xacro.load_yaml('pipe')}\"/>"],
    ids=["include", "yaml"],
)
def test_a_pipe_that_a_file_names_is_refused(use: str, tmp_path: Path) -> None:
    """xacro opened it, and waited for ever."""
    os.mkfifo(tmp_path / "pipe")
    file = tmp_path / "r.xacro"
    file.write_text(f'<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">{use}</robot>')
    with pytest.raises(FormatError, match="it is a pipe, not a file"):
        expand_xacro(file)
