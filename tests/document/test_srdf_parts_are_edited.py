"""Commands for what an SRDF has beside groups and pairs: what they write, what they refuse, where
things are."""

from __future__ import annotations

import contextlib
import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.document.commands.lists import InsertItem, RemoveItems, set_item
from editor_app.core.document.commands.srdf import (
    SetStatePositions,
    StoreState,
)
from editor_app.core.document.commands.srdf_parts import (
    NewSrdf,
    SetMargins,
    SpheresFromGroup,
    WriteCalibration,
)
from editor_app.core.document.commands.urdf import RenameJoint, RenameLink
from editor_app.core.document.commands.urdf_texts import DeleteSensors, SetSensor
from editor_app.core.document.selection import links_of, list_features
from editor_app.core.formats.srdf import patch_srdf, read_srdf
from editor_app.core.formats.srdf.places import group_base, group_tip
from editor_app.core.formats.srdf.read import CONFIGS
from editor_app.core.formats.urdf.sensors import SensorPlace
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.srdf import CollisionMargins, EndEffector, PairMargin, Srdf, VirtualJoint
from editor_app.core.model.srdf_groups import list_group_links
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.text.source import SourceText
from tests.helpers.breadth import examples
from tests.helpers.small_robot import small_robot

TEXT = """<?xml version="1.0"?>
<!-- of the assistant -->
<robot name="small">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <group name="gripper"> <joint name="slide_a"/> <joint name="slide_b"/> </group>
  <group name="both"><group name="arm"/></group>
  <group name="palm"><link name="hand"/></group>
  <group_tcps group="arm"><tcp name="pen" xyz="0 0 0.1" wxyz="0 1 0 0" rpy="9 9 9"/></group_tcps>
  <group_state name="up" group="arm"> <joint name="j1" value="0.50"/> <joint name="stand" value="0 0 1"/> </group_state>
  <end_effector name="claw" parent_link="hand" group="gripper"/>
  <virtual_joint name="stand" type="fixed" parent_frame="world" child_link="base"/>
  <passive_joint name="slide_b"/>
  <joint_property joint_name="stand" property_name="p" value="1"/>
  <collision_margins default_margin="0.0250">
    <pair_margin link1="hand" link2="base" margin="0.010"/> <!-- measured -->
  </collision_margins>
  <link_sphere_approximation link="hand"><sphere center="0 0  0" radius="0.0500"/></link_sphere_approximation>
  <calibration_config filename="cal.yaml"/>
  <disable_default_collisions link="finger_a"/>
  <enable_collisions link1="finger_a" link2="base" reason="Near"/>
  <something else="stays"/>
</robot>
"""


def robot() -> RobotDescription:
    return small_robot().with_srdf(read_srdf(SourceText.from_text(TEXT)).value)


def text_after(*changes: Change) -> str:
    after = robot()
    for change in changes:
        after = change.apply(after)
    assert after.srdf is not None
    return patch_srdf(read_srdf(SourceText.from_text(TEXT)), after.srdf).text


def test_edits_touch_their_values_alone() -> None:
    assert text_after(
        SetMargins(CollisionMargins(0.03, (PairMargin("hand", "base", 0.01),)))
    ) == TEXT.replace("0.0250", "0.03")
    assert text_after(
        set_item("srdf.margins.pairs", LinkPair.of("base", "hand"), 0.02)
    ) == TEXT.replace('"0.010"', '"0.02"')
    assert text_after(
        set_item("srdf.sphere_approximations", "hand", (CollisionSphere((0.0, 0.0, 0.5), 0.05),))
    ) == TEXT.replace('"0 0  0"', '"0 0  0.5"')
    assert text_after(set_item("srdf.configs", "calibration_config", "b.yaml")) == TEXT.replace(
        "cal.yaml", "b.yaml"
    )
    assert text_after(RemoveItems("srdf.passive_joints", ("slide_b",))) == TEXT.replace(
        '  <passive_joint name="slide_b"/>\n', ""
    )
    renamed = set_item(
        "srdf.virtual_joints", "stand", VirtualJoint("foot", "planar", "world", "base")
    )
    assert text_after(renamed) == TEXT.replace(
        '"stand" type="fixed"', '"foot" type="planar"'
    ).replace("stand", "foot")
    assert text_after(set_item("srdf.joint_properties", ("stand", "p"), "2")) == TEXT.replace(
        'value="1"', 'value="2"'
    )
    assert text_after(RemoveItems("srdf.default_disabled_links", ("finger_a",))) == TEXT.replace(
        '  <disable_default_collisions link="finger_a"/>\n', ""
    )
    pair = LinkPair.of("finger_a", "base")
    assert text_after(set_item("srdf.enabled_pairs", pair, "Far")) == TEXT.replace("Near", "Far")
    assert text_after(set_item("srdf.enabled_pairs", pair, None)) == TEXT.replace(
        ' reason="Near"', ""
    )
    assert text_after(RemoveItems("srdf.enabled_pairs", (pair,))) == TEXT.replace(
        '  <enable_collisions link1="finger_a" link2="base" reason="Near"/>\n', ""
    )
    state = FrozenDict({"j1": (0.75,), "stand": (0.0, 0.0, 2.0)})
    assert text_after(SetStatePositions("up", "arm", state)) == TEXT.replace(
        "0.50", "0.75"
    ).replace("0 0 1", "0 0 2")
    stored = StoreState("up", "arm", FrozenDict({"j1": 0.75}))
    assert text_after(stored) == TEXT.replace("0.50", "0.75"), "what a pose does not tell stays"
    claw = set_item("srdf.end_effectors", "claw", EndEffector("claw", "fore", "gripper", "arm"))
    assert text_after(claw) == TEXT.replace(
        '"hand" group="gripper"/>', '"fore" group="gripper" parent_group="arm"/>'
    )


def test_what_is_deleted_goes_and_the_rest_stays() -> None:
    assert (
        text_after(
            RemoveItems("srdf.end_effectors", ("claw",)),
            RemoveItems("srdf.virtual_joints", ("stand",)),
            RemoveItems("srdf.passive_joints", ("slide_b",)),
            RemoveItems("srdf.joint_properties", (("stand", "p"),)),
            RemoveItems("srdf.configs", ("calibration_config",)),
            RemoveItems("srdf.sphere_approximations", ("hand",)),
            SetMargins(None),
        )
        == "\n".join(
            line
            for line in TEXT.splitlines()
            if not any(
                tag in line
                for tag in (
                    "end_eff",
                    "virtual_j",
                    "passive",
                    "joint_prop",
                    "_config",
                    "sphere",
                    "margin",
                    "measured",
                )
            )
        )
        + "\n"
    )


REFUSED: list[tuple[Change, str]] = [
    (NewSrdf(), "already"),
    (InsertItem("srdf.end_effectors", EndEffector("claw", "hand", "gripper")), "already"),
    (InsertItem("srdf.end_effectors", EndEffector("new", "gone", "gripper")), "no link"),
    (InsertItem("srdf.end_effectors", EndEffector("new", "hand", "gone")), "no group"),
    (
        set_item("srdf.end_effectors", "gone", EndEffector("new", "hand", "gripper")),
        "end effector 'gone' does not exist",
    ),
    (InsertItem("srdf.virtual_joints", VirtualJoint("j", "bent", "world", "base")), "bent"),
    (
        InsertItem("srdf.virtual_joints", VirtualJoint("j1", "fixed", "world", "base")),
        "URDF already has",
    ),
    (InsertItem("srdf.passive_joints", "gone"), "no joint"),
    (SetMargins(CollisionMargins(float("inf"))), "finite"),
    (SetMargins(CollisionMargins(0.0, (PairMargin("hand", "hand", 0.1),))), "itself"),
    (set_item("srdf.margins.pairs", LinkPair.of("base", "gone"), 0.1), "no link"),
    (
        set_item("srdf.sphere_approximations", "hand", (CollisionSphere((0.0, 0.0, 0.0), -1.0),)),
        "negative",
    ),
    (set_item("srdf.configs", "other_config", "x"), "not a Tesseract config"),
    (WriteCalibration(FrozenDict({"gone": Origin()})), "does not have"),
    (SpheresFromGroup("gone"), "no geometry group"),
    (InsertItem("srdf.default_disabled_links", "gone"), "no link"),
    (set_item("srdf.enabled_pairs", LinkPair.of("gone", "base"), None), "no link"),
    (set_item("srdf.enabled_pairs", LinkPair.of("base", "base"), None), "itself"),
    (SetStatePositions("gone", "arm", FrozenDict({"j1": (0.0,)})), "no state"),
    (SetStatePositions("up", "arm", FrozenDict({"gone": (0.0,)})), "no joint"),
    (SetStatePositions("up", "arm", FrozenDict({"j1": (float("inf"),)})), "finite"),
    (InsertItem("urdf.sensors", Sensor("eye", "camera", "gone")), "no link"),
    (SetSensor(SensorPlace(3), Sensor("eye")), "The sensor does not exist"),
]


@pytest.mark.parametrize(
    ("change", "why"), REFUSED, ids=lambda v: type(v).__name__ if not isinstance(v, str) else ""
)
def test_what_makes_no_sense_is_refused_with_a_sentence(change: Change, why: str) -> None:
    with pytest.raises(CannotApply, match=why) as refusal:
        change.apply(robot())
    assert str(refusal.value).endswith(".")
    assert pickle.loads(pickle.dumps(change)) == change


def test_a_virtual_joint_takes_no_name_that_a_state_has_a_position_for() -> None:
    both = read_srdf(
        SourceText.from_text(TEXT.replace('name="j1" value', 'name="foot" value'))
    ).value
    with pytest.raises(CannotApply, match="mentions both stand and foot"):
        set_item(
            "srdf.virtual_joints", "stand", VirtualJoint("foot", "fixed", "world", "base")
        ).apply(small_robot().with_srdf(both))


def test_a_virtual_joint_that_is_passive_stays_so_under_another_name() -> None:
    passive = read_srdf(
        SourceText.from_text(
            TEXT.replace('<passive_joint name="slide_b"/>', '<passive_joint name="stand"/>')
        )
    )
    renamed = set_item(
        "srdf.virtual_joints", "stand", VirtualJoint("foot", "fixed", "world", "base")
    )
    after = renamed.apply(small_robot().with_srdf(passive.value))
    assert after.srdf is not None
    assert after.srdf.passive_joints == ("foot",)


def test_a_calibration_is_written_as_the_version_of_the_urdf_reads_it() -> None:
    turned = Origin((1.0, 2.0, 3.0), quat_xyzw=(0.0, 0.0, 1.0, 0.0))
    after = WriteCalibration(FrozenDict({"j1": turned, "gone": turned})).apply(robot())
    joint = after.urdf.joint("j1")
    assert joint is not None
    assert joint.origin.quat_xyzw is None
    assert joint.origin.xyz == turned.xyz
    assert joint.origin.rpy == pytest.approx((0.0, 0.0, 3.141592653589793))


def test_sensors_are_added_and_deleted() -> None:
    after = InsertItem("urdf.sensors", Sensor("eye", "camera", "hand")).apply(robot())
    after = InsertItem("urdf.sensors", Sensor("imu", "imu", "base")).apply(after)
    with pytest.raises(CannotApply, match="already"):
        InsertItem("urdf.sensors", Sensor("eye", "imu", "hand")).apply(after)
    with pytest.raises(CannotApply, match="already"):
        SetSensor(SensorPlace(0), replace(after.urdf.sensors[0], name="imu")).apply(after)
    after = DeleteSensors((SensorPlace(0), SensorPlace(1))).apply(after)
    assert after.urdf == robot().urdf


def test_groups_begin_and_end_where_their_members_do() -> None:
    given = robot()
    srdf, urdf = given.srdf, given.urdf
    assert srdf is not None
    assert (group_base(srdf, urdf, "arm"), group_tip(srdf, urdf, "arm")) == ("base", "hand")
    assert group_tip(srdf, urdf, "both") == "hand"
    assert group_tip(srdf, urdf, "palm") == "hand"
    assert group_tip(srdf, urdf, "gripper") is None, "two fingers beside each other"
    assert group_tip(srdf, urdf, "gone") is None

    def links(name: str) -> tuple[str, ...]:
        group = srdf.group(name)
        assert group is not None
        return list_group_links(srdf, group, KinematicGraph(urdf))

    assert set(links("gripper")) == {"finger_a", "finger_b"}
    assert "base" not in links("arm")


def test_features_are_on_their_links() -> None:
    given = InsertItem(
        "urdf.sensors", Sensor("eye", "camera", "hand", Origin((0.0, 0.0, 0.2)))
    ).apply(robot())
    placed = {p.feature: p for p in list_features(given)}
    assert {f.name for f in placed} == {"eye", "arm", "gripper", "both", "palm", "claw", "pen"}
    pen = placed[RobotFeature(FeatureKind.TCP, "pen", "arm")]
    assert (pen.link, pen.origin) == (
        "hand",
        Origin((0.0, 0.0, 0.1), quat_xyzw=(1.0, 0.0, 0.0, 0.0)),
    ), "wxyz wins"
    assert placed[RobotFeature(FeatureKind.SENSOR, "eye")].origin.xyz == (0.0, 0.0, 0.2)
    claw = placed[RobotFeature(FeatureKind.END_EFFECTOR, "claw")]
    assert claw.link == "hand"
    assert set(links_of(given, claw)) == {"finger_a", "finger_b"}


links = st.sampled_from(["base", "upper", "fore", "hand", "finger_a"])
names = st.sampled_from(["claw", "stand", "a b", "né", "x&y"])
groups = st.sampled_from(["arm", "gripper", "both"])
numbers = st.floats(-10, 10, allow_nan=False)
spheres = st.builds(
    CollisionSphere, st.tuples(numbers, numbers, numbers), st.floats(0, 5, allow_nan=False)
)
pairs = st.lists(st.builds(LinkPair.of, links, links), min_size=1, max_size=3).map(tuple)
effectors = st.builds(EndEffector, names, links, groups, st.none() | groups)
virtual = st.builds(
    VirtualJoint, names, st.sampled_from(["fixed", "planar"]), st.just("world"), links
)
one_pair = st.builds(LinkPair.of, links, links)


def sets(
    path: str, keys: st.SearchStrategy[Any], values: st.SearchStrategy[Any]
) -> st.SearchStrategy[Change]:
    return st.builds(set_item, st.just(f"srdf.{path}"), keys, values)


def members(path: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Change]:
    removed = st.builds(RemoveItems, st.just(f"srdf.{path}"), values.map(lambda value: (value,)))
    return removed | st.builds(InsertItem, st.just(f"srdf.{path}"), values)


edits = st.one_of(
    st.builds(InsertItem, st.just("srdf.end_effectors"), effectors),
    sets("end_effectors", names, effectors),
    st.builds(InsertItem, st.just("srdf.virtual_joints"), virtual),
    sets("virtual_joints", names, virtual),
    members("passive_joints", st.sampled_from(["j1", "j2", "slide_b"])),
    sets("joint_properties", st.tuples(st.sampled_from(["stand", "j2"]), names), st.none() | names),
    sets("margins.pairs", one_pair, st.none() | numbers),
    st.builds(SetMargins, st.none() | st.builds(CollisionMargins, numbers)),
    sets("sphere_approximations", links, st.lists(spheres, max_size=3).map(tuple)),
    sets("configs", st.sampled_from(CONFIGS), st.none() | names),
    members("default_disabled_links", links),
    sets("enabled_pairs", one_pair, st.none() | names),
    st.builds(RemoveItems, st.just("srdf.enabled_pairs"), pairs),
    st.builds(
        SetStatePositions,
        st.just("up"),
        st.just("arm"),
        st.dictionaries(
            st.sampled_from(["j1", "j2", "stand"]), st.lists(numbers, max_size=2).map(tuple)
        ).map(FrozenDict),
    ),
)


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(edits, min_size=1, max_size=6))
def test_any_edits_are_written_and_read_again(changes: list[Change]) -> None:
    after = robot()
    for change in changes:
        with contextlib.suppress(CannotApply):
            after = change.apply(after)
    assert after.srdf is not None
    patch = patch_srdf(read_srdf(SourceText.from_text(TEXT)), after.srdf)
    assert patch.written.value == after.srdf
    assert "<!-- of the assistant -->" in patch.text
    assert '<something else="stays"/>' in patch.text


def test_a_new_srdf_has_a_name_and_nothing_else() -> None:
    bare = small_robot().with_srdf(None)
    assert NewSrdf().apply(bare).srdf == Srdf(bare.urdf.name)


def test_a_renamed_link_or_joint_keeps_its_sensors() -> None:
    given = InsertItem("urdf.sensors", Sensor("eye", "camera", "hand", joint="j2")).apply(robot())
    after = RenameJoint("j2", "bend").apply(RenameLink("hand", "palm_link").apply(given))
    assert (after.urdf.sensors[0].parent, after.urdf.sensors[0].joint) == ("palm_link", "bend")
