"""Every part of a URDF can be added, changed and removed; undo gives the same bytes, and check_urdf
takes the rest."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from editor_app.core.document.commands.urdf import SetJoint, SetLink
from editor_app.core.document.commands.urdf_robot import SetRobot
from editor_app.core.document.commands.urdf_texts import (
    AddEmbedded,
    EmbeddedPlace,
    Home,
    SetEmbedded,
)
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.embedded import transmission_template
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, Change
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Calibration,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    SafetyController,
    Visual,
)
from editor_app.core.text.source import SourceText
from tests.helpers.breadth import examples
from tests.helpers.random_urdf_changes import TEXTS, changes
from tests.helpers.robots import example_urdfs, sample_urdf


@functools.cache
def sources() -> tuple[SourceText, ...]:
    wanted = ("double_pendulum.urdf", "xarm7.urdf")
    examples = [p for p in example_urdfs() if p.name in wanted]
    return tuple(SourceText.read(p) for p in (sample_urdf(), *examples))


def opened(source: SourceText) -> Document:
    return Document(read_urdf(source), read_xrdf(SourceText.from_text("format: xrdf\n")))


@settings(
    max_examples=examples(40), phases=(Phase.explicit, Phase.reuse, Phase.generate), deadline=None
)
@given(st.data())
def test_any_edits_are_written_as_meant_and_undo_gives_the_same_bytes(data: st.DataObject) -> None:
    document = opened(sources()[data.draw(st.integers(0, len(sources()) - 1))])
    texts = [document.urdf_text]
    for _ in range(data.draw(st.integers(1, 4))):
        steps = document.position
        try:
            document.execute(data.draw(changes(document.robot.urdf)))
        except CannotApply:
            continue
        if document.position == steps:
            continue
        # A text that could not be written raises here; it was read again and compared with the
        # model before.
        texts.append(document.urdf_text)
        kept = set(read_urdf(SourceText.from_text(texts[-1])).value.links)
        assert kept == set(document.robot.urdf.links)
    for text in reversed(texts[:-1]):
        document.undo()
        assert document.urdf_text == text


def test_every_part_added_at_once_is_accepted_by_check_urdf_and_removed_again(
    tmp_path: Path,
) -> None:
    document = opened(SourceText.read(sample_urdf()))
    text, urdf = document.urdf_text, document.robot.urdf
    joint = next(j for j in urdf.joints if j.type is JointType.REVOLUTE)
    leader = next(j for j in urdf.joints if j.type is JointType.REVOLUTE and j is not joint)
    link = urdf.links[-1]
    steps: list[Change] = [
        SetJoint(
            joint.name,
            replace(
                joint,
                limit=Limit(-1, 1, 5, 6),
                dynamics=Dynamics(0.1, 0.2),
                safety=SafetyController(10, 15, -0.9, 0.9),
                calibration=Calibration(rising=0.5),
                mimic=Mimic(leader.name, 2.0, 0.1),
            ),
        ),
        SetLink(
            link.name,
            Link(
                link.name,
                Inertial(1, (1, 0, 0, 1, 0, 1)),
                (
                    Visual(
                        Box((1, 2, 3)),
                        material=Material("fresh", (0.1, 0.2, 0.3, 1.0), "wood.png"),
                        name="v",
                    ),
                ),
                (Collision(Cylinder(0.1, 0.2), Origin((0, 0, 1))), Collision(Ball(0.3))),
            ),
        ),
        AddEmbedded(Home.TRANSMISSIONS, transmission_template(joint.name)),
        AddEmbedded(Home.ROBOT, TEXTS[1]),
    ]
    for step in steps:
        document.execute(step)
    full = document.urdf_text
    assert f"{joint.name}_motor" in full
    assert '<safety_controller k_velocity="10" k_position="15"' in full
    if shutil.which("check_urdf"):
        file = tmp_path / "full.urdf"
        file.write_text(full)
        done = subprocess.run(
            ["check_urdf", str(file)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    bare = Joint(
        joint.name, joint.type, joint.parent, joint.child, joint.origin, joint.axis, joint.limit
    )
    document.execute(SetJoint(joint.name, bare))
    document.execute(SetLink(link.name, link))
    document.execute(SetEmbedded(EmbeddedPlace(Home.TRANSMISSIONS, len(urdf.transmissions)), ""))
    document.execute(SetEmbedded(EmbeddedPlace(Home.ROBOT, len(urdf.extensions)), ""))
    assert (
        read_urdf(SourceText.from_text(document.urdf_text)).value.transmissions
        == urdf.transmissions
    )
    while document.undo():
        pass
    assert document.urdf_text == text


def test_of_two_equal_elements_the_right_one_goes() -> None:
    text = (
        '<robot name="r">\n  <link name="a"/>\n  <gazebo reference="a"><mu1>1</mu1></gazebo>\n'
        '  <gazebo reference="a"><mu2>2</mu2></gazebo>  <!-- second -->\n</robot>\n'
    )
    document = opened(SourceText.from_text(text))
    document.execute(SetEmbedded(EmbeddedPlace(Home.ROBOT, 0), ""))
    assert document.urdf_text == text.replace('  <gazebo reference="a"><mu1>1</mu1></gazebo>\n', "")
    document.undo()
    document.execute(
        SetEmbedded(
            EmbeddedPlace(Home.ROBOT, 1), '<gazebo reference="a">\n  <mu2>3</mu2>\n</gazebo>'
        )
    )
    assert document.urdf_text == text.replace("<mu2>2</mu2>", "\n  <mu2>3</mu2>\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not an XML element"),
        ("hello", "not an XML element"),
        ("<gazebo>", "well-formed"),
        ("<gazebo/><gazebo/>", "more than one"),
        ('<link name="x"/>', "is a URDF element"),
        ("<transmission name='t'/>", "other than"),
        ("</robot><robot>", "not an XML element"),
        ("<gazebo/></robot><robot>", "more than one"),
    ],
)
def test_what_is_no_single_element_is_refused_with_a_reason(text: str, why: str) -> None:
    document = opened(SourceText.read(sample_urdf()))
    with pytest.raises(CannotApply, match=why):
        document.execute(AddEmbedded(Home.ROBOT, text))


def test_joints_and_shapes_that_no_program_takes_are_refused() -> None:
    document = opened(SourceText.read(sample_urdf()))
    urdf = document.robot.urdf
    joint, link = next(j for j in urdf.joints if j.type is JointType.REVOLUTE), urdf.links[0]
    refused: list[Callable[[], Change]] = [
        lambda: SetJoint(joint.name, replace(joint, limit=None)),
        lambda: SetLink(link.name, replace(link, visuals=(Visual(Box((0.0, 1.0, 1.0))),))),
        lambda: SetLink(link.name, replace(link, visuals=(Visual(Ball(-1.0)),))),
        lambda: SetLink(link.name, replace(link, visuals=(Visual(Mesh(" ")),))),
        lambda: SetLink(link.name, replace(link, visuals=(Visual(Mesh("a", (0.0, 1.0, 1.0))),))),
        lambda: SetLink(link.name, replace(link, visuals=(Visual(Capsule(1.0, 1.0)),))),
    ]
    for make in refused:
        with pytest.raises(CannotApply):
            document.execute(make())
    document.execute(SetRobot(version="1.1"))
    document.execute(SetLink(link.name, replace(link, visuals=(Visual(Capsule(1.0, 1.0)),))))
    assert "<capsule" in document.urdf_text


def test_a_fixed_joint_forgets_its_axis_and_its_limits_stay_optional() -> None:
    document = opened(SourceText.read(sample_urdf()))
    joint = next(
        j
        for j in document.robot.urdf.joints
        if j.type is JointType.REVOLUTE and j.axis != (1.0, 0.0, 0.0)
    )
    document.execute(SetJoint(joint.name, replace(joint, type=JointType.FIXED)))
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(document.urdf_text)
        file.flush()
        if shutil.which("check_urdf"):
            done = subprocess.run(["check_urdf", file.name], capture_output=True, check=False)
            assert done.returncode == 0
    fixed = document.robot.urdf.joint(joint.name)
    assert fixed is not None
    document.execute(SetJoint(joint.name, replace(fixed, limit=None)))
    bare = document.robot.urdf.joint(joint.name)
    assert bare is not None
    with pytest.raises(CannotApply, match="needs limits"):
        document.execute(SetJoint(joint.name, replace(bare, type=JointType.PRISMATIC)))
