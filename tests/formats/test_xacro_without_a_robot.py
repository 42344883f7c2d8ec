"""A xacro file that describes no robot is a part that another file includes: no verb makes an empty
robot of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.formats.urdf.xacro import expand_xacro
from editor_app.core.text.source import FormatError
from editor_app.features.checks.verbs.check_files import check_files

_HEAD = '<?xml version="1.0"?>\n<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
MACROS = (
    _HEAD
    + """  <!-- <xacro:macro name="old" params=""/> -->
  <xacro:property name="length" value="0.2"/>
  <xacro:macro name="arm" params="prefix"><link name="${prefix}link"/></xacro:macro>
  <xacro:macro params="prefix" name='tool'><link name="${prefix}tool"/></xacro:macro>
</robot>
"""
)


def _refused(path: Path, text: str) -> FormatError:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        expand_xacro(path)
    return caught.value


def test_macros_are_named_with_the_line_of_the_first(tmp_path: Path) -> None:
    error = _refused(
        tmp_path / "arm.urdf.xacro",
        MACROS.replace('  <xacro:property name="length" value="0.2"/>\n', ""),
    )
    assert "arm.urdf.xacro defines the macros arm, tool and no robot" in str(error)
    assert error.location is not None
    assert error.location.line == 4
    assert error.fix == "Open the file that includes it and calls its macros."


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            '<xacro:property name="a" value="1"/><xacro:property name="b" value="2"/>',
            "sets the properties a, b and",
        ),
        ('<xacro:include filename="macros.xacro"/>', "includes the file macros.xacro and"),
        (
            '<material name="red"><color rgba="1 0 0 1"/></material>',
            "part.xacro describes no robot",
        ),
        ('<gazebo reference="l"><mu1>1</mu1></gazebo>', "part.xacro describes no robot"),
        ("", "part.xacro describes no robot"),
    ],
)
def test_a_part_of_another_kind_says_what_it_has(body: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "macros.xacro").write_text(MACROS, encoding="utf-8")
    error = _refused(tmp_path / "part.xacro", f"{_HEAD}{body}</robot>")
    assert words in str(error)
    assert "describes no robot" in str(error)
    assert error.fix == "Open the file of the robot, which includes it."


def test_an_srdf_of_macros_is_a_part_and_one_of_groups_is_not(tmp_path: Path) -> None:
    group = '<group name="g"><link name="a"/></group>'
    assert "defines the macro srdf" in str(
        _refused(
            tmp_path / "m.srdf.xacro",
            f'{_HEAD}<xacro:macro name="srdf" params="">{group}</xacro:macro></robot>',
        )
    )
    whole = tmp_path / "whole.srdf.xacro"
    whole.write_text(f"{_HEAD}{group}</robot>", encoding="utf-8")
    assert "<group" in expand_xacro(whole).text


@pytest.mark.parametrize("verb", ["check", "convert", "new", "fit", "mask"])
def test_no_verb_writes_an_empty_robot(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "arm.urdf.xacro"
    source.write_text(MACROS, encoding="utf-8")
    output = {"check": [], "convert": [tmp_path / "out.urdf"]}.get(
        verb, ["-o", tmp_path / "out.xrdf"]
    )
    assert main([verb, str(source), "--allow-xacro", *map(str, output)]) == 2
    told = capsys.readouterr()
    assert (
        "defines the macros arm, tool, sets the property length and describes no robot"
        in told.out + told.err
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.urdf.xacro"]


def test_check_gives_it_the_code_of_a_urdf_that_cannot_be_read(tmp_path: Path) -> None:
    source = tmp_path / "arm.urdf.xacro"
    source.write_text(MACROS, encoding="utf-8")
    (checked,) = check_files([source], allow_xacro=True)
    assert [finding.code for finding in checked.findings] == ["URDF000"]
    assert checked.findings[0].location is not None
    assert checked.findings[0].location.line == 5


VELOCITIES = """  <xacro:arg name="{arg}" default="{default}"/>
  <xacro:macro name="arm" params="file"><xacro:property name="v" value="${{xacro.load_yaml({expression})}}"/>
    <link name="a${{v}}"/></xacro:macro>
  <xacro:arm file="$(arg {arg})"/>
</robot>
"""


@pytest.mark.parametrize(
    ("default", "expression"),
    [("", "file"), ("", "velocities_file"), ("gone/v.yaml", "file"), ("$(find x)/v.yaml", "file")],
)
def test_a_file_that_is_not_there_names_the_argument_that_it_comes_from(
    default: str, expression: str, tmp_path: Path
) -> None:
    """As motoman's es165.xacro: an argument that names a file is empty, and xacro reads the folder
    instead."""
    text = VELOCITIES.format(arg="velocities_file", default=default, expression=expression)
    source = tmp_path / "arm.urdf.xacro"
    source.write_text(f'{_HEAD}<xacro:arg name="colour" default="red"/>\n{text}', encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        expand_xacro(source, find_package=lambda _: tmp_path / "gone")
    if expression == "file":
        assert (
            caught.value.fix
            == "Give the argument that names the file (--xacro-arg velocities_file:=FILE)."
        )
    else:
        assert "velocities_file" in str(caught.value)


def test_a_given_argument_that_names_no_file_is_named(tmp_path: Path) -> None:
    text = VELOCITIES.format(arg="v", default="", expression="file")
    source = tmp_path / "arm.urdf.xacro"
    source.write_text(_HEAD + text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        expand_xacro(source, {"v": "/nowhere/v.yaml"})
    assert caught.value.fix == "Give the argument that names the file (--xacro-arg v:=FILE)."
