"""SRDF of MoveIt and Tesseract: read, edited and written; every byte that an edit is not about
stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.formats.srdf import patch_srdf, read_srdf, srdf_text
from editor_app.core.formats.srdf.patch import canonical
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.srdf import (
    CollisionMargins,
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    JointProperty,
    PairMargin,
    Srdf,
    ToolCenterPoint,
    VirtualJoint,
)
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.rules.srdf.references import reference_findings
from tests.helpers.breadth import examples
from tests.helpers.robots import REPOSITORY, sample_urdf, shared_robots

TESSERACT = """<robot name="abb" version="1.0.0">
    <group name="chain"><chain base_link="base_link"   tip_link='tool0'/></group>
    <group name="joints">
        <joint name="joint_1"/>  <!-- the first -->
        <joint name="joint_2"/>
    </group>
    <group_state name="zeros" group="joints">
        <joint name="joint_2" value="0.10"/>
        <joint name="joint_1" value="0"/>
    </group_state>
    <group_tcps group="chain">
        <tcp name="scanner" xyz="  0   0 0.20" wxyz="1 0 0 0"/>
    </group_tcps>
    <kinematics_plugin_config filename="package://abb/plugins.yaml"/>
    <calibration_config filename="calibration_config.yaml"/>
    <collision_margins default_margin="0.025">
      <pair_margin link1="link_6" link2="link_5" margin="0.010"/>
    </collision_margins>
    <link_sphere_approximation link="link_5">
      <sphere center="0 0 0" radius="0.10"/>
    </link_sphere_approximation>
    <something_of_ours note="kept"/>
    <disable_collisions link1="link_3" link2="link_5" reason="Never"/>
    <!-- why this one -->
    <disable_collisions link1="link_3" link2="link_6" reason="Never"/>
</robot>
"""


def tesseract() -> tuple[str, Srdf]:
    source = read_srdf(SourceText.from_text(TESSERACT))
    return TESSERACT, source.value


def patched(text: str, change: dict[str, object]) -> str:
    source = read_srdf(SourceText.from_text(text))
    return patch_srdf(source, replace(source.value, **change)).text  # type: ignore[arg-type]


def test_tesseracts_own_sections_are_read() -> None:
    _, srdf = tesseract()
    assert srdf.is_tesseract
    assert srdf.groups[0].chains == (("base_link", "tool0"),)
    assert srdf.states[0].positions == {"joint_2": (0.1,), "joint_1": (0.0,)}
    assert srdf.tcps == (
        ToolCenterPoint("scanner", "chain", (0.0, 0.0, 0.2), (1.0, 0.0, 0.0, 0.0)),
    )
    assert srdf.configs["calibration_config"] == "calibration_config.yaml"
    assert srdf.margins == CollisionMargins(0.025, (PairMargin("link_6", "link_5", 0.01),))
    assert srdf.sphere_approximations["link_5"] == (CollisionSphere((0.0, 0.0, 0.0), 0.1),)


def test_one_number_of_a_vector_is_all_that_differs() -> None:
    _, srdf = tesseract()
    moved = replace(srdf.tcps[0], xyz=(0.0, 0.05, 0.2))
    assert patched(TESSERACT, {"tcps": (moved,)}) == TESSERACT.replace(
        "  0   0 0.20", "  0   0.05 0.20"
    )


def test_a_comment_stays_with_what_it_stands_above() -> None:
    _, srdf = tesseract()
    assert patched(TESSERACT, {"disabled_pairs": srdf.disabled_pairs[1:]}) == TESSERACT.replace(
        '    <disable_collisions link1="link_3" link2="link_5" reason="Never"/>\n', ""
    )


def test_a_new_item_goes_behind_the_last_of_its_kind_in_its_style() -> None:
    _, srdf = tesseract()
    group = replace(srdf.groups[1], joints=("joint_1", "joint_3", "joint_2"))
    text = patched(TESSERACT, {"groups": (srdf.groups[0], group)})
    line = '        <joint name="joint_1"/>  <!-- the first -->\n'
    assert text == TESSERACT.replace(line, line + '        <joint name="joint_3"/>\n')


def test_a_removed_reason_takes_its_attribute_along() -> None:
    _, srdf = tesseract()
    pairs = (replace(srdf.disabled_pairs[0], reason=None), srdf.disabled_pairs[1])
    assert patched(TESSERACT, {"disabled_pairs": pairs}) == TESSERACT.replace(
        'link2="link_5" reason="Never"', 'link2="link_5"'
    )


def test_tool_centre_points_in_two_blocks_of_one_group_can_be_edited() -> None:
    block = (
        '    <group_tcps group="chain">\n        <tcp name="other" xyz="0 0 1"/>\n    '
        "</group_tcps>\n"
    )
    text = TESSERACT.replace("    <kinematics_plugin", block + "    <kinematics_plugin")
    source = read_srdf(SourceText.from_text(text))
    assert [t.name for t in source.value.tcps] == ["scanner", "other"]
    out = patch_srdf(source, replace(source.value, tcps=source.value.tcps[1:]))
    assert [t.name for t in read_srdf(SourceText.from_text(out.text)).value.tcps] == ["other"]
    assert out.notes


def test_line_breaks_are_those_of_the_file() -> None:
    _, srdf = tesseract()
    change = {
        "passive_joints": ("p", "q"),
        "groups": srdf.groups[:1],
        "margins": CollisionMargins(0.5),
    }
    text = patched(TESSERACT, change)
    assert patched(TESSERACT.replace("\n", "\r\n"), change) == text.replace("\n", "\r\n")
    assert "\n" not in patched(TESSERACT.replace("\n", "\r"), change)


def test_what_cannot_be_read_is_told_and_stays() -> None:
    text = TESSERACT.replace('radius="0.10"', 'radius="big"').replace('value="0"', "")
    source = read_srdf(SourceText.from_text(text))
    assert [f.code for f in source.findings if f.code in ("SRDF001", "SRDF002")] == [
        "SRDF001",
        "SRDF002",
    ]
    assert source.findings[0].location is not None
    assert source.findings[0].location.line == 9
    out = patch_srdf(source, replace(source.value, passive_joints=("x",))).text
    assert 'radius="big"' in out
    assert out.replace('\n    <passive_joint name="x"/>', "") == text


def test_what_xml_or_srdf_cannot_hold_is_refused() -> None:
    source = read_srdf(SourceText.from_text(TESSERACT))
    for change in (
        {"passive_joints": ("",)},
        {"margins": CollisionMargins(float("nan"))},
        {"passive_joints": ("a\x00b",)},
    ):
        with pytest.raises(FormatError):
            patch_srdf(source, replace(source.value, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("robot", ["sample", "panda", "fanuc"])
def test_real_files_stay_as_they_are_but_for_the_edit(robot: str) -> None:
    path = {
        "sample": lambda: next((REPOSITORY / "resources").rglob("*.srdf")),
        "panda": lambda: shared_robots() / "panda" / "panda.srdf",
        "fanuc": lambda: shared_robots() / "fanuc_m10ia" / "fanuc.srdf",
    }[robot]()
    source = read_srdf(SourceText.read(path))
    assert patch_srdf(source, replace(source.value)).text == source.source.text
    for i in range(len(source.value.disabled_pairs)):
        pairs = source.value.disabled_pairs
        written = patch_srdf(
            source, replace(source.value, disabled_pairs=pairs[:i] + pairs[i + 1 :])
        )
        old, new = source.source.text.splitlines(), written.text.splitlines()
        assert len(new) == len(old) - 1
        assert [line for line in old if line not in new] == [old[_line(source, i) - 1]]
        # And back: the same text but for the place, which is that of the neighbour before it.
        again = patch_srdf(written.written, source.value).text
        assert sorted(x.replace(" /", "/") for x in again.splitlines()) == sorted(
            x.replace(" /", "/") for x in old
        )


def _line(source: object, index: int) -> int:
    element = source.document.root.all("disable_collisions")[index]  # type: ignore[attr-defined]
    return int(source.document.location(element).line)  # type: ignore[attr-defined]


def test_the_sample_fits_its_urdf_and_misfits_are_found() -> None:
    urdf = read_urdf(SourceText.read(sample_urdf())).value
    source = read_srdf(SourceText.read(next((REPOSITORY / "resources").rglob("*.srdf"))))
    assert reference_findings(source, urdf) == ()
    bad = Srdf(
        name="heron",
        groups=(
            Group(
                "g", chains=(("flange_link", "flange_link"),), joints=("nix",), subgroups=("none",)
            ),
        ),
        states=(GroupState("s", "g", FrozenDict({"elbow_pitch_joint": (99.0,), "gone": (0.0,)})),),
        disabled_pairs=(CollisionPair("base_link", "nowhere"),),
    )
    findings = reference_findings(read_srdf(SourceText.from_text(srdf_text(bad))), urdf)
    assert {f.code for f in findings} == {"SRDF010", "SRDF011", "SRDF012", "SRDF013", "SRDF015"}


# ------------------------------------------------------------------------------------------- any
# SRDF at all

NAMES = st.sampled_from(["a", "b", "arm", "link_1", 'quo"te', "a<b&c", "ä"])
NUMBERS = st.floats(-10, 10, allow_nan=False).map(lambda v: v + 0.0)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)


def lists(
    item: st.SearchStrategy[object], key: object = None
) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(item, max_size=4, unique_by=key).map(tuple)  # type: ignore[arg-type]


SRDFS = st.builds(
    Srdf,
    name=NAMES,
    version=st.none() | st.just("1.0.0"),
    groups=lists(
        st.builds(
            Group, NAMES, lists(st.tuples(NAMES, NAMES)), lists(NAMES), lists(NAMES), lists(NAMES)
        )
    ),
    states=lists(
        st.builds(
            GroupState,
            NAMES,
            NAMES,
            st.dictionaries(
                NAMES, st.lists(NUMBERS, min_size=1, max_size=3).map(tuple), max_size=3
            ).map(FrozenDict),
        )
    ),
    tcps=lists(
        st.builds(
            ToolCenterPoint,
            NAMES,
            NAMES,
            VECTORS,
            st.none() | st.tuples(*[NUMBERS] * 4),
            st.none() | VECTORS,
        )
    ),
    end_effectors=lists(st.builds(EndEffector, NAMES, NAMES, NAMES, st.none() | NAMES)),
    virtual_joints=lists(st.builds(VirtualJoint, NAMES, NAMES, NAMES, NAMES)),
    passive_joints=lists(NAMES),
    disabled_pairs=lists(st.builds(CollisionPair, NAMES, NAMES, st.none() | NAMES)),
    enabled_pairs=lists(st.builds(CollisionPair, NAMES, NAMES, st.none() | NAMES)),
    default_disabled_links=lists(NAMES),
    margins=st.none()
    | st.builds(CollisionMargins, NUMBERS, lists(st.builds(PairMargin, NAMES, NAMES, NUMBERS))),
    sphere_approximations=st.dictionaries(
        NAMES,
        st.lists(st.builds(CollisionSphere, VECTORS, NUMBERS), max_size=3).map(tuple),
        max_size=3,
    ).map(FrozenDict),
    configs=st.dictionaries(
        st.sampled_from(["kinematics_plugin_config", "calibration_config"]), NAMES, max_size=2
    ).map(FrozenDict),
    joint_properties=lists(st.builds(JointProperty, NAMES, NAMES, NAMES)),
)


@settings(max_examples=examples(120), deadline=None)
@given(SRDFS, SRDFS)
def test_any_model_is_written_and_becomes_any_other_by_splices_and_comes_back(
    first: Srdf, second: Srdf
) -> None:
    source = read_srdf(SourceText.from_text(srdf_text(first)))
    assert canonical(source.value) == canonical(first)
    patch = patch_srdf(source, second)
    assert canonical(patch.written.value) == canonical(second)
    assert canonical(patch_srdf(patch.written, first).written.value) == canonical(first)
