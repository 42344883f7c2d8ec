"""What findings about URDF and SRDF offer takes the fault away, one step that undo takes back to
the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from editor_app.core.model.findings import Finding
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.finding_examples import SRDF

BOX = '<visual><geometry><box size="1 1 1"/></geometry>{}</visual>'
RED = '<material name="red"><color rgba="1 0 0 1"/></material>'

VIRTUAL = '<virtual_joint name="v" type="{}" parent_frame="map" child_link="{}"/></robot>'

#: (code, file, text, text with the fault, what is offered).
CASES = [
    ("SRDF010", "srdf", 'link1="base"', 'link1="bsae"', ["Replace bsae by base", "Delete "]),
    ("SRDF010", "srdf", 'tip_link="hand"', 'tip_link="hnad"', ["Replace hnad by hand", "Delete "]),
    ("SRDF010", "srdf", 'link1="base"', 'link1="Zx9"', ["Delete Zx9 from <disable_collisions>"]),
    ("SRDF011", "srdf", 'joint name="shoulder"', 'joint name="sholder"', ["Replace sholder by shoulder", "Delete "]),
    ("SRDF012", "srdf", 'group="all"', 'group="al"', ["Replace al by all everywhere", "Delete "]),
    (
        "SRDF012", "srdf", "</robot>",
        '<group name="alt"><link name="left"/></group>'
        '<end_effector name="e" parent_link="hand" group="alt" parent_group="al"/></robot>',
        ["Replace al by all everywhere", "Delete "],
    ),
    (
        "SRDF012", "srdf", "</robot>", '<group name="more"><group name="al"/><link name="hand"/></group></robot>',
        ["Replace al by all everywhere", "Delete "],
    ),
    ("SRDF015", "srdf", 'value="0"', 'value="3"', ["Write 2, the nearest value within the limits"]),
    ("SRDF017", "srdf", 'robot name="arm"', 'robot name="ram"', ["Set the robot name of the SRDF to arm"]),
    ("URDF013", "urdf", 'joint name="elbow"', 'joint name="upper"', ["Rename the joint to upper_joint"]),
    (
        "URDF100", "urdf", '<limit effort="10" velocity="2"/>',
        '<limit effort="10" velocity="2"/><dynamics damping="-1" '
        'friction="0.5"/>', ["Set the damping to 1"],
    ),
    (
        "URDF100", "urdf", '<limit effort="10" velocity="2"/>',
        '<limit effort="10" velocity="2"/><safety_controller '
        'k_velocity="-2"/>', ["Set the k_velocity to 2"],
    ),
    ("URDF101", "urdf", '<axis xyz="0 0 1"/>', '<axis xyz="0 0 2"/>', ["Write the axis 0 0 1"]),
    ("URDF101", "urdf", '<axis xyz="0 -1 0"/>', '<axis xyz="3 -4 0"/>', ["Write the axis 0.6 -0.8 0"]),
    ("SRDF020", "srdf", "</robot>", VIRTUAL.format("fixed", "base"), ["Set the child of v to world", "Delete virtual"]),
    ("SRDF021", "srdf", "</robot>", VIRTUAL.format("ball", "world"), ["Make v fixed"]),
    (
        "SRDF025", "srdf", '<joint name="elbow" value="0"/>',
        '<joint name="elbow" value="0"/><joint name="grip" '
        'value="0.2"/>', ["Remove grip from home"],
    ),
    (
        "SRDF032", "srdf", "</robot>", '<group name="back"><chain base_link="hand" tip_link="upper"/></group></robot>',
        ["Swap base and tip"],
    ),
    (
        "URDF036", "urdf", '<link name="base"/>',
        RED + '<link name="base">' + BOX.format('<material name="rde"/>') + "</link>", ["Replace rde by red"],
    ),
    ("URDF037", "urdf", '<link name="base"/>', f'{RED}{RED}<link name="base"/>', ["Keep one definition of red"]),
]  # fmt: skip


def opened(folder: Path, kind: str, old: str, new: str) -> Document:
    texts = {"urdf": URDF, "srdf": SRDF}
    assert old in texts[kind]
    texts[kind] = texts[kind].replace(old, new, 1)
    (folder / "arm.xrdf").write_text(CLEAN, encoding="utf-8")
    for name, text in texts.items():
        (folder / f"arm.{name}").write_text(text, encoding="utf-8")
    return editor_app.open_robot(folder / "arm.urdf")


def told(document: Document, code: str) -> list[Finding]:
    return [finding for finding in editor_app.check(document) if finding.code == code]


@pytest.mark.parametrize(("code", "kind", "old", "new", "offered"), CASES)
def test_a_remedy_cures_and_is_undone(
    tmp_path: Path, code: str, kind: str, old: str, new: str, offered: list[str]
) -> None:
    document = opened(tmp_path, kind, old, new)
    file = FileKind(kind)
    text = document.text(file)
    (finding,) = told(document, code)
    assert len(finding.fixes) == len(offered)
    for fix, label in zip(finding.fixes, offered, strict=True):
        assert fix.label.startswith(label)
        others = {f.code for f in editor_app.check(document)} - {code}
        document.execute(fix)
        assert not told(document, code), fix.label
        # A group that lost its only link, say, is told as it is; nothing that cannot be read comes
        # of it.
        assert {f.code for f in editor_app.check(document)} - others <= {"SRDF014"}
        editor_app.save(document)
        again = editor_app.open_robot(tmp_path / "arm.urdf")
        assert again.robot == document.robot
        document.undo()
        assert document.text(file) == text


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("joint_property", '<joint_property joint_name="nobody" property_name="p" value="1"/>'),
        ("passive_joint", '<passive_joint name="nobody"/>'),
        ("group", '<group name="g"><joint name="nobody"/></group>'),
    ],
)
def test_each_field_of_the_map_is_looked_at_with_its_line(
    tmp_path: Path, tag: str, text: str
) -> None:
    document = opened(tmp_path, "srdf", "</robot>", f"\n\n{text}</robot>")
    (finding,) = told(document, "SRDF011")
    assert finding.message == f"<{tag}> names the joint 'nobody', which does not exist."
    assert finding.location is not None
    assert finding.location.line == SRDF.count("\n") + 2


def test_materials_that_differ_are_for_the_user_to_choose(tmp_path: Path) -> None:
    other = RED.replace("1 0 0 1", "0 1 0 1")
    document = opened(tmp_path, "urdf", '<link name="base"/>', f'{RED}{other}<link name="base"/>')
    (finding,) = told(document, "URDF037")
    assert not finding.fixes


def test_an_axis_that_is_rounded_has_unit_length(tmp_path: Path) -> None:
    document = opened(tmp_path, "urdf", '<axis xyz="0 0 1"/>', '<axis xyz="0.71 0 0.707"/>')
    assert not told(document, "URDF101")
