"""What MoveIt refuses or skips of an SRDF has a finding: an error where MoveIt logs one, else a
warning."""

from __future__ import annotations

import pytest

from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.profile import Profile
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules

E, W, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
_LIMIT = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'
URDF = f"""<robot name="r">
<link name="base"/><link name="l1"/><link name="l2"/><link name="hand"/><link name="f1"/><link name="f2"/>
<link name="cart"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/>{_LIMIT}</joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/></joint>
<joint name="wrist" type="fixed"><parent link="l2"/><child link="hand"/></joint>
<joint name="f1" type="prismatic"><parent link="hand"/><child link="f1"/>{_LIMIT}</joint>
<joint name="f2" type="prismatic"><parent link="hand"/><child link="f2"/>{_LIMIT}
  <mimic joint="f1" multiplier="-2" offset="0.1"/></joint>
<joint name="drive" type="planar"><parent link="base"/><child link="cart"/></joint>
</robot>"""
ARM = '<group name="arm"><chain base_link="base" tip_link="hand"/></group>'
HAND = '<group name="jaws"><link name="f1"/><link name="f2"/></group>'
ROOT = '<virtual_joint name="world" type="planar" parent_frame="map" child_link="base"/>'


def _state(group: str, **values: str) -> str:
    joints = "".join(f'<joint name="{name}" value="{value}"/>' for name, value in values.items())
    return f'<group_state name="s" group="{group}">{joints}</group_state>'


def _effector(link: str, group: str = "jaws", parent: str | None = None) -> str:
    parent_group = f' parent_group="{parent}"' if parent is not None else ""
    return f'<end_effector name="e" parent_link="{link}" group="{group}"{parent_group}/>'


def _property(joint: str, name: str, value: str) -> str:
    return f'<joint_property joint_name="{joint}" property_name="{name}" value="{value}"/>'


def _virtual(name: str, kind: str, child: str) -> str:
    return f'<virtual_joint name="{name}" type="{kind}" parent_frame="map" child_link="{child}"/>'


def findings(
    body: str, profile: Profile = Profile.SPECIFICATION, urdf: str = URDF
) -> list[Finding]:
    """The findings about an SRDF with this body, in its order."""
    srdf = read_srdf(SourceText.from_text(f'<robot name="r">\n{body}\n</robot>'))
    context = CheckContext.of_texts(
        read_urdf(SourceText.from_text(urdf)), None, srdf, profile, None
    )
    return list(run_rules(context, files=("srdf",)))


CASES: list[tuple[str, str, list[tuple[str, Severity]]]] = [
    ("virtual joint of the root", ROOT, []),
    ("virtual joint above another link", _virtual("v", "floating", "l1"), [("SRDF020", W)]),
    ("second virtual joint of the root", ROOT + _virtual("v", "fixed", "base"), [("SRDF020", W)]),
    ("virtual joint of another type", _virtual("v", "ball", "base"), [("SRDF021", E)]),
    ("virtual joint, capital letters", _virtual("v", " Planar", "base"), []),
    ("virtual joint named like a joint", _virtual("j1", "fixed", "base"), [("SRDF022", W)]),
    ("group in itself", '<group name="a"><group name="a"/></group>', [("SRDF023", E)]),
    (
        "cycle, and a group above it",
        '<group name="a"><group name="b"/></group><group name="b"><link name="l1"/><group '
        'name="a"/></group>'
        '<group name="c"><joint name="j1"/><group name="a"/></group>',
        [("SRDF023", E)] * 3,
    ),
    (
        "groups in any order",
        '<group name="both"><group name="arm"/><group name="jaws"/></group>' + ARM + HAND,
        [],
    ),
    ("missing subgroup", '<group name="a"><group name="none"/></group>', [("SRDF012", E)]),
    ("empty group", '<group name="a"/>', [("SRDF024", W)]),
    ("group of the root alone", '<group name="a"><link name="base"/></group>', []),
    ("group of the virtual joint", ROOT + '<group name="a"><joint name="world"/></group>', []),
    ("state", ARM + _state("arm", j1="0", j2="1"), []),
    (
        "state with a joint of another group",
        ARM + _state("arm", j1="0", j2="1", f1="0"),
        [("SRDF025", E)],
    ),
    (
        "state with the joint above the chain",
        ARM + _state("arm", j1="0", j2="1", world="0 0 0"),
        [("SRDF011", E)],
    ),
    ("state with two numbers", ARM + _state("arm", j1="0 0.5", j2="1"), [("SRDF026", E)]),
    ("state with a fixed joint", ARM + _state("arm", j1="0", j2="1", wrist="0"), [("SRDF026", E)]),
    (
        "state of a planar joint",
        '<group name="cart"><joint name="drive"/></group>' + _state("cart", drive="0 0 0"),
        [],
    ),
    (
        "state with one number of a planar joint",
        '<group name="cart"><joint name="drive"/></group>' + _state("cart", drive="0"),
        [("SRDF026", E)],
    ),
    (
        "state of a virtual joint",
        ROOT
        + '<group name="all"><joint name="world"/><joint name="j1"/></group>'
        + _state("all", world="0 0 0", j1="1"),
        [],
    ),
    (
        "state of a virtual joint with too many numbers",
        ROOT
        + '<group name="all"><joint name="world"/></group>'
        + _state("all", world="0 0 0 0 0 0 1"),
        [("SRDF026", E)],
    ),
    ("state of a mimic joint", HAND + _state("jaws", f1="0.3", f2="-0.5"), []),
    (
        "state sets a mimic joint otherwise",
        HAND + _state("jaws", f1="0.3", f2="0.3"),
        [("SRDF027", W)],
    ),
    (
        "state sets a mimic joint alone",
        HAND + _state("jaws", f2="0.3"),
        [("SRDF027", W), ("SRDF028", INFO)],
    ),
    ("state without a joint of its group", ARM + _state("arm", j1="0"), [("SRDF028", INFO)]),
    ("end effector", ARM + HAND + _effector("hand", parent="arm"), []),
    ("end effector without parent group", ARM + HAND + _effector("hand"), []),
    (
        "parent group of its own",
        ARM + HAND + _effector("f1", parent="jaws"),
        [("SRDF029", E), ("SRDF030", W)],
    ),
    (
        "parent group without the link",
        ARM + HAND + _effector("base", parent="arm"),
        [("SRDF029", E), ("SRDF030", W)],
    ),
    (
        "parent group with the end effector",
        ARM
        + HAND
        + '<group name="all"><group name="arm"/><group name="jaws"/></group>'
        + _effector("hand", parent="all"),
        [("SRDF029", INFO)],
    ),
    (
        "parent group that MoveIt drops",
        ARM + HAND + '<group name="none"/>' + _effector("hand", parent="none"),
        [("SRDF024", W), ("SRDF029", E)],
    ),
    ("no group has the parent link", ARM + HAND + _effector("cart"), [("SRDF030", W)]),
    (
        "two groups have the parent link",
        ARM + HAND + '<group name="tip"><link name="hand"/></group>' + _effector("hand"),
        [("SRDF030", INFO)],
    ),
    ("property of a planar joint", _property("drive", "motion_model", "diff_drive"), []),
    ("property of another joint", _property("j1", "motion_model", "diff_drive"), [("SRDF031", E)]),
    ("unknown property", _property("j1", "colour", "red"), [("SRDF031", E)]),
    ("unknown motion model", _property("drive", "motion_model", "car"), [("SRDF031", E)]),
    (
        "property that is no number",
        _property("drive", "angular_distance_weight", "x"),
        [("SRDF031", E)],
    ),
    (
        "property with a unit",
        _property("drive", "min_translational_distance", "0.1 m"),
        [("SRDF031", W)],
    ),
    (
        "property of the virtual joint",
        ROOT + _property("world", "angular_distance_weight", "5e-1"),
        [],
    ),
]


@pytest.mark.parametrize(
    ("body", "codes"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_finding_has_the_severity_of_moveit(body: str, codes: list[tuple[str, Severity]]) -> None:
    told = findings(body)
    assert [(finding.code, finding.severity) for finding in told] == codes
    assert all(finding.location is not None and finding.location.line == 2 for finding in told)


@pytest.mark.parametrize("profile", [Profile.MOVEIT, Profile.CUMOTION])
def test_the_profile_decides_about_an_srdf_of_tesseract(profile: Profile) -> None:
    body = ARM + HAND + _state("arm", j1="0", f1="0") + '<collision_margins default_margin="0.01"/>'
    severities = (
        {"SRDF025": E, "SRDF028": W}
        if profile is Profile.MOVEIT
        else {"SRDF025": W, "SRDF028": INFO}
    )
    assert {finding.code: finding.severity for finding in findings(body, profile)} == severities


def test_a_root_world_without_shapes_takes_a_fixed_virtual_joint() -> None:
    joint = '<joint name="w" type="fixed"><parent link="world"/><child link="base"/></joint>'
    urdf = URDF.replace('<link name="base"/>', f'<link name="world"/><link name="base"/>{joint}')
    group = '<group name="g"><joint name="v"/></group>'
    (finding,) = findings(_virtual("v", "fixed", "base") + group, urdf=urdf)
    assert finding.code == "SRDF020"
    assert finding.message.endswith("newer versions put it above the root.")
    told = findings(_virtual("v", "floating", "base") + group, urdf=urdf)
    assert [each.code for each in told] == ["SRDF020", "SRDF024"]
