"""A part is attached with everything that its files say, and comes off to the byte."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import editor_app
from editor_app.core.document.commands import AddLink, PrefixNames
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.state import SETTINGS, FileKind
from editor_app.core.model.findings import Finding
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.ros_settings import MotionLimit, MotionLimits
from editor_app.core.model.urdf import Joint, JointType, Link, Mesh
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import build_origin_matrix
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.robot_texts import write_assembly
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.masks import Decision
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.plugins.assembly.verbs.assembly_parts import attached_parts, detach
from editor_app.plugins.assembly.verbs.compose import Assembly, Attachment, compose
from tests.helpers import gripper as grippers
from tests.helpers.breadth import examples, of_each_kind
from tests.helpers.documents import make_document
from tests.helpers.gripper import gripper
from tests.helpers.random_changes import changes
from tests.helpers.robots import copy_of_sample

XYZ, RPY = (0.05, 0.01, 0.02), (0.1, -0.2, 1.5)


@pytest.fixture
def arm(tmp_path: Path) -> Document:
    """The sample: a robot whose spheres the gripper can be near."""
    return open_document(copy_of_sample(tmp_path / "arm"))


@pytest.fixture
def hand(tmp_path: Path) -> Document:
    return gripper(tmp_path / "hand")


def composed(
    base: Document, part: Document, output: Path, at: str = "hand_link", prefix: str = "g_"
) -> Assembly:
    return compose(base, [Attachment(part, at, XYZ, RPY, prefix)], output, samples=300, certify=0.3)


def places(robot: RobotDescription) -> dict[str, np.ndarray]:
    tree = get_tree(robot)
    positions = {joint.name: 0.01 * number for number, joint in enumerate(tree.joints)}
    named = {name: 0.3 * len(name.removeprefix("g_")) % 0.02 for name in positions}
    return dict(zip(tree.frames, compute_forward(tree, named), strict=True))


def told(findings: tuple[Finding, ...]) -> Counter[tuple[str, str]]:
    return Counter((f.code, re.sub(r"\bg_", "", f.message)) for f in findings)


def test_frames_are_those_of_the_parts(arm: Document, hand: Document, tmp_path: Path) -> None:
    assembly = composed(arm, hand, tmp_path / "arm" / "all.urdf")
    whole, base, part = (places(robot) for robot in (assembly.robot, arm.robot, hand.robot))
    mount = base["hand_link"] @ build_origin_matrix(Origin(XYZ, RPY))
    assert set(whole) == {*base, *("g_" + frame for frame in part)}
    for frame, place in base.items():
        assert np.allclose(whole[frame], place, atol=1e-12)
    for frame, place in part.items():
        assert np.allclose(whole["g_" + frame], mount @ place, atol=1e-9), frame


def test_everything_comes_along(arm: Document, hand: Document, tmp_path: Path) -> None:
    assembly = composed(arm, hand, tmp_path / "arm" / "all.urdf")
    write_assembly(assembly)
    document = open_document(tmp_path / "arm" / "all.urdf")
    robot, xrdf = document.robot, document.robot.xrdf
    assert robot == assembly.robot, "what is written is read as the same"
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = xrdf.spheres_of(xrdf.self_group)
    fitted = hand.robot.xrdf.spheres_of("hand")
    assert {frame: spheres["g_" + frame] for frame in fitted} == dict(fitted)
    assert xrdf.self_collision is not None
    assert xrdf.world_collision is not None
    assert (xrdf.world_collision.buffer("g_left"), xrdf.self_collision.buffer("g_left")) == (
        0.002,
        0.001,
    )
    assert xrdf.tool_frames == (*(arm.robot.xrdf.tool_frames or ()), "g_tcp")
    assert xrdf.cspace is not None
    assert xrdf.cspace.joint_names is not None
    assert (xrdf.cspace.joint_names[-1], (xrdf.cspace.jerk_limits or ())[-1]) == ("g_grip", 50.0)
    assert xrdf.default_joint_positions is not None
    assert xrdf.default_joint_positions["g_grip"] == 0.02
    inside = {
        pair
        for pair in xrdf.ignored_pairs()
        if pair.first.startswith("g_") and pair.second.startswith("g_")
    }
    assert inside == {
        LinkPair.of("g_" + p.first, "g_" + p.second) for p in hand.robot.xrdf.ignored_pairs()
    }
    assert arm.robot.xrdf.ignored_pairs() <= xrdf.ignored_pairs()
    srdf, before = robot.srdf, arm.robot.srdf
    assert srdf is not None
    assert before is not None
    assert [group.name for group in srdf.groups] == [
        *(group.name for group in before.groups),
        "g_fingers",
    ]
    assert srdf.states[-1].name == "g_open"
    assert srdf.states[-1].positions == {"g_grip": (0.03,)}
    assert srdf.end_effectors[-1].parent_link == "g_base"
    assert srdf.virtual_joints == before.virtual_joints, "the part stands on its mount"
    assert "g_follow" in srdf.passive_joints
    assert [sensor.name for sensor in robot.urdf.sensors] == ["g_eye"]
    masses = [
        sum(link.inertial.mass for link in urdf.links if link.inertial is not None)
        for urdf in (arm.robot.urdf, hand.robot.urdf, robot.urdf)
    ]
    assert masses[2] == pytest.approx(masses[0] + masses[1], abs=1e-12)
    new = told(editor_app.check(document)) - told(editor_app.check(arm))
    assert not new - told(editor_app.check(hand))


def test_comments_of_both_are_kept_and_meshes_are_found(
    arm: Document, hand: Document, tmp_path: Path
) -> None:
    assembly = composed(hand, arm, tmp_path / "elsewhere" / "all.urdf", at="left", prefix="a_")
    write_assembly(assembly)
    texts = assembly.texts
    for words in ("license MIT", "the palm", "attached: heron.urdf at left", '"prefix": "a_"'):
        assert words in texts[FileKind.URDF]
    for words in (
        "they meet # by design",
        "# half open",
        "the plug sockets at the back",
        "attached: heron.urdf",
    ):
        assert words in texts[FileKind.XRDF]
    for words in ("the other follows", "Planning groups, named postures"):
        assert words in texts[FileKind.SRDF]
    robot = open_document(tmp_path / "elsewhere" / "all.urdf").robot
    shapes = [shape.geometry for link in robot.urdf.links for shape in link.visuals]
    shapes += [shape.geometry for link in robot.urdf.links for shape in link.collisions]
    names = {shape.filename for shape in shapes if isinstance(shape, Mesh)}
    assert names
    for name in names:
        assert not Path(name).is_absolute()
        assert resolve_mesh_path(name, tmp_path / "elsewhere" / "all.urdf") is not None, name


def test_a_prefix_stands_before_every_name(hand: Document) -> None:
    document = hand
    document.execute(PrefixNames("g_"))
    urdf = document.text(FileKind.URDF) or ""
    for written in (
        '<link name="g_base">',
        '<parent link="g_base"/>',
        '<mimic joint="g_grip"/>',
        '<transmission name="g_drive">',
        '<joint name="g_grip"><hardwareInterface>',
        '<actuator name="g_motor">',
        '<gazebo reference="g_base"><material>Gazebo/Grey</material>',
        "<joint>g_grip</joint><mimicJoint>g_follow</mimicJoint>",
        "<bodyName>gripper::g_left</bodyName>",
        '<ros2_control name="g_fingers" type="system">',
        '<joint name="g_grip"><command_interface name="position"/>',
        '<param name="mimic">g_grip</param>',
        '<sensor name="g_eye"',
        '<material name="g_grey"/>',
        '<plugin name="mimic" filename="libmimic.so">',
    ):
        assert written in urdf, written
    assert not [
        f
        for f in editor_app.check(document)
        if f.code.startswith(("SAVE", "XRDF0", "SRDF01", "URDF"))
    ]
    text = document.text(FileKind.XRDF) or ""
    assert text.count("g_") >= 18
    document.undo()
    assert document.text(FileKind.URDF) == grippers.URDF
    limits = MotionLimits(joints=FrozenDict({"grip": MotionLimit(max_velocity=1.0)}))
    prefixed = PrefixNames("g_").apply(document.robot.with_part("limits", limits)).limits
    assert prefixed == MotionLimits(joints=FrozenDict({"g_grip": MotionLimit(max_velocity=1.0)}))
    with pytest.raises(CannotApply):
        PrefixNames(" ").apply(document.robot)


def test_names_that_both_have_are_told_with_the_remedy(hand: Document, tmp_path: Path) -> None:
    other = gripper(tmp_path / "other")
    with pytest.raises(Refused) as refused:
        compose(other, [Attachment(hand, "base")])
    for words in (
        "links base, left, right, tcp",
        "joints grip, follow, tcp_joint",
        "transmissions drive",
        "ros2_control systems fingers",
        "sensors eye",
        "groups fingers",
        "states open of fingers",
        "end effectors hand",
        "--prefix gripper_",
    ):
        assert words in str(refused.value)
    assert "materials" not in str(refused.value), "both are grey"
    urdf = hand.robot.urdf
    grey = replace(urdf.materials[0], rgba=(0.1, 0.1, 0.1, 1.0))
    hand.execute(editor_app.commands.SetMaterial(grey))
    with pytest.raises(Refused, match="materials grey"):
        compose(other, [Attachment(hand, "base")])
    with pytest.raises(Refused, match=r"no link 'lefft'.*left"):
        compose(other, [Attachment(hand, "lefft", prefix="g_")])
    with pytest.raises(Refused, match="no part"):
        compose(other, [])


def test_pairs_between_are_ignored_by_proof_alone(
    arm: Document, hand: Document, tmp_path: Path
) -> None:
    assembly = compose(
        arm,
        [Attachment(hand, "flange_link", XYZ, RPY, "g_")],
        tmp_path / "arm" / "all.urdf",
        certify=2,
    )
    carried = {"g_" + frame for frame in get_tree(hand.robot).frames}
    between = {
        pair
        for pair in assembly.robot.xrdf.ignored_pairs()
        if (pair.first in carried) != (pair.second in carried)
    }
    assert between == {row.pair for row in assembly.between if row.decision is Decision.MASK}
    assert LinkPair.of("flange_link", "g_base") in between
    assert any(row.decision is Decision.CHECK for row in assembly.between)
    model = build_sphere_model(assembly.robot)
    live = LiveDistances(model)
    never = [
        row.pair
        for row in assembly.between
        if row.pair in between and row.reason.startswith("never")
    ]
    assert never
    rows = np.array([model.pair_index[pair] for pair in never])
    rng = np.random.default_rng(3)
    for _ in range(3000):
        live.set_values(rng.uniform(model.lower, model.upper), rows)
        assert (live.clearance[rows] > 0).all()


PARTS = list(itertools.product(["hand_link", "base_link"], [True, False], [True, False]))


@pytest.mark.parametrize("names", of_each_kind(PARTS, [PARTS[0], PARTS[3], PARTS[5], PARTS[6]]))
def test_a_part_comes_off_to_the_byte(
    arm: Document, tmp_path: Path, names: tuple[str, bool, bool]
) -> None:
    at, has_xrdf, has_srdf = names
    part = gripper(
        tmp_path / "hand",
        xrdf=grippers.XRDF if has_xrdf else None,
        srdf=grippers.SRDF if has_srdf else None,
    )
    out = tmp_path / "arm" / "all.urdf"
    write_assembly(composed(arm, part, out, at))
    whole = open_document(out)
    [attached] = attached_parts(whole)
    assert (attached.at, attached.link, attached.file, attached.xyz) == (
        at,
        "g_base",
        "gripper.urdf",
        XYZ,
    )
    bare = detach(whole, "g_left", tmp_path / "arm" / "bare.urdf")
    assert bare.is_exact
    write_assembly(bare)
    for suffix in (".urdf", ".xrdf", ".srdf"):
        assert (tmp_path / "arm" / f"bare{suffix}").read_bytes() == (
            tmp_path / "arm" / f"heron{suffix}"
        ).read_bytes()
    # As one step of the window, and back.
    whole.replace_texts(detach(whole).texts, bare.label)
    assert whole.robot == arm.robot
    whole.undo()
    assert whole.robot.urdf.link("g_base") is not None


def test_what_was_edited_since_stays_when_a_part_comes_off(
    arm: Document, hand: Document, tmp_path: Path
) -> None:
    out = tmp_path / "arm" / "all.urdf"
    write_assembly(composed(arm, hand, out))
    whole = open_document(out)
    whole.execute(set_item("xrdf.default_joint_positions", "elbow_pitch_joint", 0.123))
    whole.execute(AddLink(Link("tag"), Joint("tag_joint", JointType.FIXED, "g_left", "tag")))
    whole.execute(
        AddLink(Link("label"), Joint("label_joint", JointType.FIXED, "hand_link", "label"))
    )
    bare = detach(whole)
    assert not bare.is_exact
    names = {link.name for link in bare.robot.urdf.links}
    assert names == {link.name for link in arm.robot.urdf.links} | {"label"}
    assert bare.robot.xrdf.default_joint_positions is not None
    assert bare.robot.xrdf.default_joint_positions.get("elbow_pitch_joint") == 0.123
    assert bare.robot.srdf == arm.robot.srdf
    for text in bare.texts.values():
        assert "g_" not in text
        assert "attached:" not in text
        assert "Comments of" not in text
    assert "2 joints" in bare.consequences or "4 links" in bare.consequences


def test_parts_on_parts_and_side_by_side(arm: Document, hand: Document, tmp_path: Path) -> None:
    out = tmp_path / "arm" / "all.urdf"
    attachments = [
        Attachment(hand, "hand_link", prefix="g_"),
        Attachment(hand, "g_left", (0.0, 0.0, 0.1), prefix="gg_"),
        Attachment(hand, "base_link", (0.5, 0.0, 0.0), prefix="side_"),
    ]
    both = compose(arm, attachments, out, samples=100, certify=0.1)
    one_by_one = arm
    for number, attachment in enumerate(attachments):
        step = compose(
            one_by_one,
            [attachment],
            tmp_path / "arm" / f"step{number}.urdf",
            samples=100,
            certify=0.1,
        )
        write_assembly(step)
        one_by_one = open_document(tmp_path / "arm" / f"step{number}.urdf")
    assert both.robot.urdf == one_by_one.robot.urdf
    write_assembly(both)
    whole = open_document(out)
    assert [part.prefix for part in attached_parts(whole)] == ["g_", "gg_", "side_"]
    with pytest.raises(Refused, match="several parts"):
        detach(whole)
    with pytest.raises(Refused, match="does not belong to an attached part"):
        detach(whole, "hand_link")
    assert {link.name for link in detach(whole, "gg_base").robot.urdf.links} == {
        link.name for link in whole.robot.urdf.links if not link.name.startswith("gg_")
    }
    last = detach(whole, "side_left", tmp_path / "arm" / "two.urdf")
    assert last.is_exact
    write_assembly(last)
    first = detach(
        open_document(tmp_path / "arm" / "two.urdf"), "g_left", tmp_path / "arm" / "none.urdf"
    )
    assert first.is_exact
    assert first.robot == arm.robot
    with pytest.raises(Refused, match="compose attached no part"):
        detach(arm)
    # A robot with parts is a part itself.
    nested = compose(
        hand,
        [Attachment(whole, "base", prefix="n_")],
        tmp_path / "hand" / "n.urdf",
        samples=10,
        certify=0,
    )
    write_assembly(nested)
    inner = detach(open_document(tmp_path / "hand" / "n.urdf"), "n_side_base")
    assert inner.robot.urdf.link("n_side_base") is None
    assert inner.robot.urdf.link("n_gg_base") is not None


def test_robots_without_xrdf_or_srdf_are_put_together(tmp_path: Path, arm: Document) -> None:
    bare = gripper(tmp_path / "bare", xrdf=None, srdf=None)
    base = open_document(copy_of_sample(tmp_path / "plain", bare=True))
    alone = composed(base, bare, tmp_path / "plain" / "all.urdf")
    assert alone.kinds == (FileKind.URDF,)
    assert any("spheres are missing" in note for note in alone.notes)
    mixed = composed(arm, bare, tmp_path / "arm" / "all.urdf")
    assert set(mixed.kinds) == set(FileKind) - set(SETTINGS)
    assert any("guessed" in str(entry) for entry in mixed.reports[0].entries)
    other = composed(base, gripper(tmp_path / "hand"), tmp_path / "plain" / "all.urdf")
    assert set(other.kinds) == set(FileKind) - set(SETTINGS)
    assert other.robot.srdf is not None
    assert other.robot.srdf.name == base.robot.urdf.name


def test_buffers_groups_and_versions_of_other_kinds_are_joined(
    tmp_path: Path, arm: Document
) -> None:
    one_number = grippers.XRDF.replace("buffer_distance: {left: 0.002}", "buffer_distance: 0.01")
    part = gripper(tmp_path / "number", xrdf=one_number)
    xrdf = composed(arm, part, tmp_path / "arm" / "all.urdf").robot.xrdf
    assert xrdf.world_collision is not None
    assert [xrdf.world_collision.buffer(f"g_{frame}") for frame in ("base", "left", "right")] == [
        0.01
    ] * 3
    old = arm.robot.xrdf.world_collision
    assert old is not None
    assert all(
        xrdf.world_collision.buffer(link.name) == old.buffer(link.name)
        for link in arm.robot.urdf.links
    )
    two = grippers.XRDF.replace("version: 1.0", "version: 2.0").replace(
        "\ncollision:", "\nworld_collision:"
    )
    freed = two.replace(
        "modifiers:\n",
        "modifiers:\n  - remove_mimic_attributes: {joint_name: follow, "
        "position_limits: {lower: 0, upper: 0.03}, velocity_limit: 0.2}\n",
    )
    assembly = composed(arm, gripper(tmp_path / "two", xrdf=two), tmp_path / "arm" / "all.urdf")
    assert assembly.robot.xrdf.format_version == "1.0"
    again = composed(arm, gripper(tmp_path / "freed", xrdf=freed), tmp_path / "arm" / "all.urdf")
    assert not [f for f in again.state.xrdf_source.findings if f.code.startswith("XRDF0")]
    differing = two.replace(
        "self_collision:\n  geometry: hand", "self_collision:\n  geometry: own"
    ) + ("  own:\n    spheres:\n      base:\n        - {center: [0, 0, 0], radius: 0.01}\n")
    with pytest.raises(Refused, match="merge or --keep"):
        composed(
            arm, gripper(tmp_path / "differing", xrdf=differing), tmp_path / "arm" / "all.urdf"
        )


@settings(
    deadline=None,
    max_examples=examples(25),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_robot_gets_its_bytes_back(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("any")
    base, part = make_document(folder), gripper(folder / "hand")
    for document in (base, part):
        for _ in range(3):
            try:
                document.execute(data.draw(changes(document.robot)))
            except (CannotApply, FormatError):
                continue
    before = {kind: base.text(kind) for kind in FileKind}
    at = data.draw(st.sampled_from([link.name for link in base.robot.urdf.links]))
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    texts = {kind: text.replace("\n", newline) for kind, text in before.items() if text is not None}
    base.replace_texts(texts, "Other line ends")
    try:
        assembly = compose(base, [Attachment(part, at, XYZ, RPY, "g_")], samples=5, certify=0)
    except editor_app.Refused as refusal:
        # A random place beyond 10 km is not sampled.
        assume("the limit is 10,000 m" not in str(refusal))
        raise
    base.replace_texts(assembly.texts, assembly.label)
    assert base.robot.urdf.link("g_base") is not None
    off = detach(base)
    assert off.is_exact
    base.replace_texts(off.texts, off.label)
    for kind, text in texts.items():
        assert base.text(kind) == text


def test_what_goes_with_the_stand_of_a_part_leaves_no_names_behind(
    arm: Document, tmp_path: Path
) -> None:
    """Virtual joints stay out, and with them what groups and states say of them; what names nothing
    gets no prefix."""
    srdf = grippers.SRDF.replace(
        '<group_state name="open" group="fingers">',
        '<group name="whole"><joint name="stand"/><joint name="grip"/></group>\n'
        '  <group_state name="open" group="whole"><joint name="stand" value="0 0 0"/>',
    )
    part = gripper(tmp_path / "hand", srdf=srdf)
    urdf = tmp_path / "hand" / "gripper.urdf"
    urdf.write_text(
        grippers.URDF.replace('<parent link="base"/><origin xyz="0 0 0.02"/>', ""), encoding="utf-8"
    )
    part = open_document(urdf)
    robot = composed(arm, part, tmp_path / "arm" / "all.urdf").robot
    assert robot.srdf is not None
    group = robot.srdf.group("g_whole")
    assert group is not None
    assert group.joints == ("g_grip",)
    assert robot.srdf.states[-1].positions == {"g_grip": (0.03,)}
    assert robot.urdf.sensors[-1].parent == ""


def test_meshes_of_packages_are_found_from_the_new_place(tmp_path: Path, arm: Document) -> None:
    source = tmp_path / "arm" / "heron.urdf"
    source.write_text(
        source.read_text(encoding="utf-8").replace('"meshes/', '"package://heron/meshes/'),
        encoding="utf-8",
    )
    part = editor_app.open_robot(source, packages={"heron": tmp_path / "arm"})
    hand = gripper(tmp_path / "hand")
    write_assembly(
        composed(hand, part, tmp_path / "far" / "away" / "all.urdf", at="base", prefix="a_")
    )
    whole = open_document(tmp_path / "far" / "away" / "all.urdf")
    assert not [f for f in editor_app.check(whole) if f.code == "MESH001"]
    # Beside the package, its name is found as it is.
    (tmp_path / "heron").symlink_to(tmp_path / "arm")
    near = composed(hand, part, tmp_path / "near" / "all.urdf", at="base", prefix="a_")
    assert "package://heron/meshes/" in near.texts[FileKind.URDF]


def test_what_overlaps_is_ignored_only_where_meshes_never_touch(
    arm: Document, tmp_path: Path
) -> None:
    """Large spheres around a small gripper always overlap with the forearm, which its meshes never
    reach."""
    xrdf = grippers.XRDF.replace("radius: 0.07", "radius: 0.4")
    part = gripper(tmp_path / "hand", xrdf=xrdf)
    place = Attachment(part, "flange_link", (0.12, 0.0, 0.0), (0.0, 1.5708, 0.0), "g_")
    assembly = compose(arm, [place], tmp_path / "arm" / "all.urdf", samples=300, certify=0)
    row = next(r for r in assembly.between if r.pair == LinkPair.of("forearm_link", "g_base"))
    assert row.decision is Decision.MASK
    assert "always overlaps" in row.reason
    assert "the meshes never touch in 300 samples" in row.reason
    assert any("forearm_link and g_base" in note for note in assembly.notes)
    # Set back into the forearm, the gripper's own shape is in it.
    inside = Attachment(part, "flange_link", (-0.2, 0.0, 0.0), (0.0, 1.5708, 0.0), "g_")
    assembly = compose(arm, [inside], tmp_path / "arm" / "all.urdf", samples=300, certify=0)
    row = next(r for r in assembly.between if r.pair == LinkPair.of("forearm_link", "g_base"))
    assert row.decision is Decision.UNDECIDED
    assert "the meshes touch" in row.reason
    assert row in assembly.overlapping
    assert LinkPair.of("forearm_link", "g_base") not in assembly.robot.xrdf.ignored_pairs()
