"""A joint gets another parent or child, another type, and loses single attributes: a tree it stays,
undo is exact."""

from __future__ import annotations

import functools
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.document.commands.urdf import SetJoint, SetMaterial
from editor_app.core.document.commands.urdf_robot import SetRobot
from editor_app.core.document.commands.urdf_tree import (
    SetChild,
    SetParent,
    children_for,
    parents_for,
)
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.urdf import (
    Calibration,
    Dynamics,
    Joint,
    JointType,
    Limit,
    Material,
    SafetyController,
    Urdf,
)
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from editor_app.features.checks.rules.urdf.structure import urdf_findings
from tests.helpers.breadth import examples
from tests.helpers.robots import example_urdfs, sample_urdf

TEXT = """<robot name="r" version="1.2">
  <link name="base"/> <link name="left"/> <link name="right"/>
  <link name="hand"/>
  <joint name="l" type="revolute">
    <parent link="base"/><child link="left"/>   <!-- the left one -->
    <origin xyz="0 0.10 0" rpy="0 0 1.5"/><axis xyz="0 0 1.0"/>
    <limit lower="-1" upper="1.0" effort="3" velocity="2" acceleration="4" deceleration="5" jerk="6"/>
    <dynamics damping="0.1" friction="0.2"/>
    <safety_controller k_velocity="1" k_position="2" soft_lower_limit="-0.5" soft_upper_limit="0.5"/>
    <calibration reference_position="0.1" rising="0.2" falling="0.3"/>
  </joint>
  <joint name="r" type="fixed"><parent link="base"/><child link="right"/><origin xyz="0 -0.1 0.3"/></joint>
  <joint name="h" type="continuous"><parent link="left"/><child link="hand"/><origin xyz="0 0 0.2"/></joint>
</robot>
"""


def opened(text: str = TEXT) -> Document:
    return Document(
        read_urdf(SourceText.from_text(text)), read_xrdf(SourceText.from_text("format: xrdf\n"))
    )


def joint(document: Document, name: str) -> Joint:
    named = document.robot.urdf.joint(name)
    assert named is not None
    return named


def accepted(text: str, folder: Path) -> bool:
    program = shutil.which("check_urdf")
    if program is None:
        return True
    file = folder / "robot.urdf"
    file.write_text(text)
    return subprocess.run([program, str(file)], capture_output=True, check=False).returncode == 0


def test_another_parent_is_written_in_its_place_and_nothing_else() -> None:
    document = opened()
    document.execute(SetParent("h", "right"))
    assert document.urdf_text == TEXT.replace(
        '<parent link="left"/><child link="hand"', '<parent link="right"/><child link="hand"'
    )
    document.undo()
    assert document.urdf_text == TEXT


def test_a_branch_keeps_its_place_when_that_is_asked_for() -> None:
    document = opened()
    old = places(document.robot.urdf)
    document.execute(SetParent("h", "right", keep_place=True))
    new = places(document.robot.urdf)
    assert new["hand"] == pytest.approx(old["hand"], abs=1e-11)
    assert 'rpy="0 0 1.5"/></joint>' in document.urdf_text


def test_two_joints_exchange_what_they_carry() -> None:
    document = opened()
    document.execute(SetChild("l", "right"))
    assert joint(document, "l").child == "right"
    assert joint(document, "r").child == "left"
    assert joint(document, "h").parent == "left"
    assert document.urdf_text == TEXT.replace('<child link="left"/>', "<>").replace(
        '<child link="right"/>', '<child link="left"/>'
    ).replace("<>", '<child link="right"/>')
    document.undo()
    assert document.urdf_text == TEXT


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (SetParent("l", "left"), "itself"),
        (SetParent("l", "hand"), "loop"),
        (SetParent("l", "nowhere"), "no link"),
        (SetParent("nothing", "base"), "no joint"),
        (SetChild("h", "base"), "loop"),
        (SetChild("h", "left"), "cannot swap"),
        (SetChild("h", "nowhere"), "no link"),
    ],
)
def test_what_would_be_no_tree_is_refused(change: SetParent | SetChild, why: str) -> None:
    document = opened()
    with pytest.raises(CannotApply, match=why):
        document.execute(change)
    values = joint(document, "h")
    with pytest.raises(CannotApply, match="has one parent"):
        document.execute(SetJoint("h", replace(values, child="right")))
    assert document.urdf_text == TEXT


def test_a_second_root_is_hung_on_the_first() -> None:
    document = opened(
        TEXT.replace('<link name="hand"/>', '<link name="hand"/><link name="loose"/>')
    )
    document.execute(SetChild("h", "loose"))
    assert joint(document, "h").child == "loose"
    with pytest.raises(CannotApply, match="The robot has no link"):
        document.execute(SetChild("h", "else"))


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("limit", "acceleration"),
        ("limit", "deceleration"),
        ("limit", "jerk"),
        ("limit", "effort"),
        ("limit", "velocity"),
        ("dynamics", "damping"),
        ("dynamics", "friction"),
        ("safety", "k_position"),
        ("safety", "soft_lower_limit"),
        ("safety", "soft_upper_limit"),
        ("calibration", "reference_position"),
        ("calibration", "rising"),
        ("calibration", "falling"),
    ],
)
def test_a_single_attribute_goes_and_comes_back(part: str, name: str) -> None:
    document = opened()
    values = joint(document, "l")
    without = replace(getattr(values, part), **{name: None})
    document.execute(SetJoint("l", replace(values, **{part: without})))  # type: ignore[arg-type]
    (line,) = [
        a for a, b in zip(TEXT.splitlines(), document.urdf_text.splitlines(), strict=True) if a != b
    ]
    assert f"{name}=" in line
    assert f" {name}=" not in document.urdf_text
    assert urdf_findings(read_urdf(SourceText.from_text(document.urdf_text))) == ()
    document.undo()
    assert document.urdf_text == TEXT


def test_what_cannot_be_missing_is_refused() -> None:
    document = opened()
    values = joint(document, "l")
    assert values.limit is not None
    for part, why in (
        ({"limit": replace(values.limit, lower=None)}, "needs both"),
        ({"limit": replace(values.limit, velocity=-1.0)}, "negative"),
        ({"safety": SafetyController(None, 1.0)}, "k_velocity"),
        ({"dynamics": Dynamics()}, "damping or friction"),
    ):
        with pytest.raises(CannotApply, match=why):
            document.execute(SetJoint("l", replace(values, **part)))  # type: ignore[arg-type]
    document.execute(SetJoint("l", replace(values, calibration=Calibration())))
    assert "<calibration/>" in document.urdf_text


def test_another_version_says_what_absence_meant_or_is_refused(tmp_path: Path) -> None:
    old = TEXT.replace(' version="1.2"', "").replace(
        ' acceleration="4" deceleration="5" jerk="6"', ""
    )
    document = opened(old.replace(' upper="1.0"', ""))
    document.execute(SetRobot(version="1.2"))
    assert ' upper="0"' in document.urdf_text
    assert urdf_findings(read_urdf(SourceText.from_text(document.urdf_text))) == ()
    document.undo()
    assert document.urdf_text == old.replace(' upper="1.0"', "")
    for text, why in (
        (old.replace('velocity="2"', 'velocity="-2"'), "negative"),
        (
            old.replace(
                '<link name="hand"/>',
                '<link name="hand"><visual><geometry><sphere '
                'radius="0"/></geometry></visual></link>',
            ),
            "with size zero",
        ),
    ):
        with pytest.raises(CannotApply, match=why):
            opened(text).execute(SetRobot(version="1.2"))
    newer = opened()
    with pytest.raises(CannotApply, match=r"needs URDF version 1\.2"):
        newer.execute(SetRobot(version="1.0"))
    values = joint(newer, "l")
    newer.execute(SetJoint("l", replace(values, limit=Limit(-1, 1, 3))))
    with pytest.raises(CannotApply, match="without effort or velocity"):
        newer.execute(SetRobot(version="1.1"))
    newer.execute(SetJoint("l", replace(values, limit=Limit(-1, 1, 3, 2))))
    newer.execute(SetRobot(version="1.0"))
    assert accepted(newer.urdf_text, tmp_path)


def test_a_material_keeps_a_colour_or_a_texture() -> None:
    material = '<material name="m"><color rgba="1 0 0 1"/><texture filename="t.png"/></material>'
    text = f'<robot name="r">\n  {material}\n  <link name="a"/>\n</robot>\n'
    document = opened(text)
    document.execute(SetMaterial(Material("m", None, "t.png")))
    assert document.urdf_text == text.replace('<color rgba="1 0 0 1"/>', "")
    with pytest.raises(CannotApply, match="colour or a texture"):
        document.execute(SetMaterial(Material("m")))


def places(urdf: Urdf) -> dict[str, np.ndarray]:
    tree = build_tree(urdf)
    return dict(zip(tree.frames, compute_forward(tree, {}), strict=True))


@functools.cache
def sources() -> tuple[SourceText, ...]:
    wanted = ("hyq_no_sensors.urdf", "panda.urdf", "baxter.urdf")
    return tuple(
        SourceText.read(p)
        for p in (sample_urdf(), *(p for p in example_urdfs() if p.name in wanted))
    )


@settings(max_examples=examples(30), deadline=None)
@given(st.data())
def test_any_robot_stays_a_tree_whatever_hangs_on_what(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(sources()))
    document = Document(read_urdf(source), read_xrdf(SourceText.from_text("format: xrdf\n")))
    texts = [document.urdf_text]
    for _ in range(data.draw(st.integers(1, 4))):
        urdf = document.robot.urdf
        some = data.draw(st.sampled_from(urdf.joints))
        keep = data.draw(st.booleans())
        if data.draw(st.booleans()):
            change: SetParent | SetChild = SetParent(
                some.name, data.draw(st.sampled_from(parents_for(urdf, some))), keep
            )
        else:
            change = SetChild(some.name, data.draw(st.sampled_from(children_for(urdf, some))))
        before = places(urdf)
        steps = document.position
        document.execute(change)
        if document.position == steps:
            continue
        after = places(document.robot.urdf)
        assert set(after) == {link.name for link in urdf.links}
        if isinstance(change, SetParent) and keep:
            for name, place in before.items():
                assert after[name] == pytest.approx(place, abs=1e-9), name
        texts.append(document.urdf_text)
        read = read_urdf(SourceText.from_text(texts[-1]))
        assert read.value == document.robot.urdf
        assert not [
            f for f in urdf_findings(read) if f.code in ("URDF010", "URDF011", "URDF012", "URDF014")
        ]
        # What is not a parent, a child or an origin is still what it was.
        assert len(texts[-1].splitlines()) >= len(texts[-2].splitlines())
    for text in reversed(texts[:-1]):
        document.undo()
        assert document.urdf_text == text


@settings(max_examples=examples(30), deadline=None)
@given(st.data())
def test_what_is_not_offered_is_refused(data: st.DataObject) -> None:
    document = opened(data.draw(st.sampled_from([TEXT, sample_urdf().read_text()])))
    urdf = document.robot.urdf
    some, link = (
        data.draw(st.sampled_from(urdf.joints)),
        data.draw(st.sampled_from(urdf.links)).name,
    )
    for change, offered in (
        (SetParent(some.name, link), parents_for(urdf, some)),
        (SetChild(some.name, link), children_for(urdf, some)),
    ):
        if link in offered:
            change.apply(document.robot)
        else:
            with pytest.raises(CannotApply):
                change.apply(document.robot)


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from(list(JointType)), st.integers(0, 20))
def test_any_type_is_written_read_and_undone(kind: JointType, number: int) -> None:
    document = opened(sample_urdf().read_text())
    before, joints = document.urdf_text, document.robot.urdf.joints
    some = joints[number % len(joints)]
    limit = some.limit or Limit(0.0, 1.0, 1.0, 1.0)
    document.execute(
        SetJoint(some.name, replace(some, type=kind, limit=limit, origin=some.origin or Origin()))
    )
    assert joint(document, some.name).type is kind
    assert read_urdf(SourceText.from_text(document.urdf_text)).value == document.robot.urdf
    while document.undo():
        pass
    assert document.urdf_text == before
