"""AGX Dynamics' UrdfReader: its settings have commands, what its table leaves out is read and
written here."""

from __future__ import annotations

import pytest

from editor_app.core.document import commands
from editor_app.core.document.commands.urdf_robot import IgnoreLinkedBodies, linked_pairs
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair, SelfCollisionSection, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.readers import FEATURES, Treatment
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.seed_documents.agx import AGX_LEAVES_OUT, AGX_SETTINGS, AGX_STATEMENTS
from tests.helpers.seed_documents.checking import assert_read_and_written
from tests.helpers.seed_documents.urdf import URDF, URDF_ROWS


@pytest.mark.parametrize("command", [command for _, _, command in AGX_SETTINGS])
def test_each_setting_has_a_command(command: str) -> None:
    assert hasattr(commands, command)


@pytest.mark.parametrize("item", AGX_LEAVES_OUT)
def test_what_its_table_leaves_out_is_read_and_written_here(item: str) -> None:
    rows = [row for row in URDF_ROWS if row.item == item or row.item.startswith(f"{item}:")]
    assert rows
    for row in rows:
        assert row.left_out == "AGX"
        assert_read_and_written("urdf", URDF, row)


def test_nothing_else_is_marked_as_left_out() -> None:
    marked = [row.item for row in URDF_ROWS if row.left_out]
    assert all(item.startswith(AGX_LEAVES_OUT) for item in marked)


_INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
    'iyz="0"/></inertial>'
)
_BOX = '<geometry><box size="0.1 0.1 0.1"/></geometry>'
_MESH = '<geometry><mesh filename="package://p/a.stl"/></geometry>'
#: A robot with everything that AGX's reader leaves out or reads otherwise.
ROBOT = f"""<robot name="r">
<material name="wood"><texture filename="wood.png"/></material>
<link name="base">{_INERTIAL}<visual>{_MESH}<material name="wood"/></visual>
  <collision>{_MESH}<material name="wood"/></collision></link>
<link name="wheel"><visual>{_BOX}</visual><collision>{_BOX}</collision></link>
<link name="slide">{_INERTIAL}</link>
<link name="hand"/>
<link name="loose">{_INERTIAL}<collision>{_BOX}</collision></link>
<link name="plate">{_INERTIAL}</link>
<joint name="turn" type="continuous"><parent link="base"/><child link="wheel"/><calibration rising="0.1"/>
  <dynamics damping="0.3" friction="0.2"/><limit effort="1" velocity="1"/></joint>
<joint name="lift" type="prismatic"><parent link="wheel"/><child link="slide"/>
  <limit lower="0" upper="1" effort="1" velocity="1"/>
  <safety_controller k_velocity="1" soft_lower_limit="0.1" soft_upper_limit="0.9"/></joint>
<joint name="bend" type="revolute"><parent link="slide"/><child link="hand"/>
  <limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="lift" multiplier="2"/></joint>
<joint name="free" type="floating"><parent link="hand"/><child link="loose"/></joint>
<joint name="rigid" type="fixed"><parent link="hand"/><child link="plate"/><mimic joint="lift"/></joint>
<transmission name="t"><type>x</type><joint name="turn"/></transmission>
<gazebo reference="base"><mu1>1</mu1></gazebo>
<sensor name="s"><parent link="base"/></sensor>
<model_state model="r" time_stamp="0.1"><joint_state joint="turn" position="0"/></model_state>
</robot>"""


def _messages(text: str) -> list[str]:
    context = CheckContext.of_texts(
        read_urdf(SourceText.from_text(text)), None, None, Profile.AGX, None
    )
    findings = run_rules(context, files=("urdf",))
    return [f.message for f in findings if f.code in ("URDF091", "URDF092", "URDF093")]


@pytest.mark.parametrize(
    ("sentence", "keys"), AGX_STATEMENTS, ids=[sentence for sentence, _ in AGX_STATEMENTS]
)
def test_each_statement_of_its_document_is_a_row_of_the_profile(
    sentence: str, keys: tuple[str, ...]
) -> None:
    facts = {feature.key: feature.fact(Profile.AGX).treatment for feature in FEATURES}
    assert {facts[key] for key in keys} <= {Treatment.IGNORED, Treatment.CHANGED}, sentence


@pytest.mark.parametrize(
    "words",
    [
        "ignores joint calibration (turn)", "ignores joint damping (turn)",
        "ignores velocity limits (turn, lift, bend)",
        "ignores soft "
        "limits (lift)", "ignores transmissions", "ignores <gazebo> elements", "ignores sensors",
        "ignores <model_state> elements", "ignores floating joints (free)",
        "ignores materials of collision shapes (base)",
        "ignores fixed "
        "mimic joints "
        "(rigid)", "ignores effort and velocity limits of joints without a range (turn)",
        "ignores mimic joints between a rotating and a sliding joint (bend)",
        "changes moving links with a shape and no mass (wheel): their mass comes from their "
        "visual shapes",
        "changes textures (base)", "changes collision meshes by 'package://' (base)",
        "changes robots without a link 'world' (base): it falls, unless 'attachToWorld' is set.",
    ],
)  # fmt: skip
def test_the_profile_reports_all_that_its_reader_leaves_out(words: str) -> None:
    assert sum(message.startswith(f"AGX Dynamics {words}") for message in _messages(ROBOT)) == 1


def test_a_robot_that_it_reads_as_a_whole_has_no_finding() -> None:
    text = f"""<robot name="r"><link name="world"/>
<link name="base">{_INERTIAL}<visual>{_BOX}</visual><collision>{_BOX}</collision></link>
<link name="arm">{_INERTIAL}</link>
<joint name="mount" type="fixed"><parent link="world"/><child link="base"/></joint>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><dynamics friction="1"/>
<limit lower="-1" upper="1" effort="5"/></joint></robot>"""
    assert _messages(text) == []


def test_the_links_of_a_floating_joint_still_collide() -> None:
    xrdf = Xrdf(self_collision=SelfCollisionSection("spheres"))
    robot = RobotDescription(read_urdf(SourceText.from_text(ROBOT)).value, xrdf)
    pairs = set(linked_pairs(robot.urdf))
    assert LinkPair.of("hand", "loose") not in pairs
    assert {
        LinkPair.of("slide", "hand"),
        LinkPair.of("hand", "plate"),
        LinkPair.of("base", "wheel"),
    } <= pairs
    assert IgnoreLinkedBodies().apply(robot).xrdf.ignored_pairs() == pairs


@pytest.mark.parametrize(
    ("follower", "leader", "unit"),
    [
        ("bend", "lift", "an angle per length (rad/m)"),
        ("lift", "bend", "a length per angle (m/rad)"),
    ],
)
def test_the_multiplier_has_the_unit_of_the_follower_by_that_of_the_leader(
    follower: str, leader: str, unit: str
) -> None:
    bare = ROBOT.replace('<mimic joint="lift" multiplier="2"/>', "").replace(
        '<mimic joint="lift"/>', ""
    )
    head, name, tail = bare.partition(f'<joint name="{follower}"')
    text = head + name + tail.replace("</joint>", f'<mimic joint="{leader}"/></joint>', 1)
    context = CheckContext.of_texts(
        read_urdf(SourceText.from_text(text)), None, None, Profile.AGX, None
    )
    (finding,) = [each for each in run_rules(context, files=("urdf",)) if each.code == "URDF048"]
    assert f"the multiplier is {unit}, " in finding.message
