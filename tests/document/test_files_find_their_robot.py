"""What a file is by its content, which robot the names in an XRDF or SRDF fit, and where a robot is
looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.document.state import FileKind
from editor_app.core.formats.registry import ForeignFormatError
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.pairing import (
    match,
    match_robot,
    names_in_srdf,
    names_in_xrdf,
    names_of_robot,
    offered_beside,
    recognise_file,
    robots_for,
    sorted_parts,
)
from tests.helpers.documents import CLEAN, URDF, make_document

CUROBO = "robot_cfg:\n  kinematics:\n    base_link: base\n    collision_spheres:\n      upper: []\n"
LULA = "cspace: [shoulder, elbow]\ndefault_q: [0.0, 0.5]\n"
SRDF = """<robot name="arm"><group name="arm"><chain base_link="base" tip_link="hand"/></group>
<group_state name="up" group="arm"><joint name="shoulder" value="0"/></group_state>
<virtual_joint name="fixed" type="fixed" parent_frame="map" child_link="world"/>
<disable_collisions link1="upper" link2="lower" reason="Adjacent"/></robot>"""
OTHER = (
    URDF.replace('name="', 'name="other_')
    .replace('link="', 'link="other_')
    .replace('joint="', 'joint="other_')
)


def names() -> frozenset[str]:
    return names_in_xrdf(read_xrdf(SourceText.from_text(CLEAN)).value)


def robot(text: str = URDF) -> frozenset[str]:
    return names_of_robot(read_urdf(SourceText.from_text(text)).value)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.yml", CUROBO, "curobo"),
        ("a.xrdf", CUROBO, "curobo"),
        ("a.yaml", LULA, "lula"),
        ("a.yaml", "collision_spheres:\n  base: [{center: [0, 0, 0], radius: 1}]\n", "spheres"),
        ("a.yaml", CLEAN, "xrdf"),
        ("a.yaml", CLEAN.replace("format: xrdf\n", ""), "xrdf"),
        ("a.yaml", "cspace:\n  joint_names: [a\n", "xrdf"),
        ("a.yaml", "colour: red\n", None),
        ("a.xml", URDF, "urdf"),
        ("a.xml", SRDF, "srdf"),
        ("a.xml", "<COLLADA/>", "collada"),
        ("a.txt", "hello", None),
        ("a.xacro", URDF, "xacro"),
    ],
)
def test_a_file_is_what_it_holds(tmp_path: Path, name: str, text: str, kind: str | None) -> None:
    (tmp_path / name).write_text(text)
    assert recognise_file(tmp_path / name) == kind


def test_files_named_together_are_sorted_by_what_they_are(tmp_path: Path) -> None:
    for name, text in (("r.xml", URDF), ("m.xml", SRDF), ("x.yaml", CLEAN), ("c.yml", CUROBO)):
        (tmp_path / name).write_text(text)
    parts = sorted_parts([tmp_path / name for name in ("c.yml", "m.xml", "x.yaml", "r.xml")])
    assert (parts.robot, parts.xrdf, parts.srdf, parts.foreign) == tuple(
        tmp_path / name for name in ("r.xml", "x.yaml", "m.xml", "c.yml")
    )


def test_the_names_of_a_file_are_the_robots_less_what_it_adds_itself() -> None:
    assert names() == {"base", "left", "shoulder", "elbow", "grip", "upper", "lower"}
    srdf = names_in_srdf(read_srdf(SourceText.from_text(SRDF)).value)
    # A virtual joint leads to a link of the robot, from a frame outside of it.
    assert srdf == {"base", "hand", "shoulder", "upper", "lower", "world"}


def test_a_match_counts_names_and_tells_the_missing() -> None:
    matched = match(names(), robot(URDF.replace('"elbow"', '"knee"')))
    assert (matched.present, matched.missing, matched.fits) == (6, ("elbow",), True)
    assert matched.described() == "6 of 7 names"
    assert not match(names(), robot(OTHER)).fits
    assert match((), robot()).share == 1.0


def test_robots_are_listed_by_names_first_then_by_nearness(tmp_path: Path) -> None:
    xrdf = tmp_path / "a" / "config" / "arm.xrdf"
    for name, text in {
        "a/config/other.urdf": OTHER,
        "a/urdf/arm.urdf": URDF,
        "a/config/deep/arm.urdf": URDF,
        "a/config/half.urdf": URDF.replace('"elbow"', '"knee"'),
        "a/.hidden/arm.urdf": URDF,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    xrdf.write_text(CLEAN)
    matches = robots_for(xrdf, names())
    assert [str(m.urdf.relative_to(tmp_path)) for m in matches if m.urdf] == [
        "a/config/deep/arm.urdf",
        "a/urdf/arm.urdf",
        "a/config/half.urdf",
    ], "one that shares no name is no candidate beside them"
    (lone := tmp_path / "x" / "y" / "z" / "lone.xrdf").parent.mkdir(parents=True)
    lone.with_name("other.urdf").write_text(OTHER)
    assert [m.present for m in robots_for(lone, names())] == [0]


def test_where_an_xrdf_belongs(tmp_path: Path) -> None:
    # Two folders up is as far as the search goes.
    tmp_path = tmp_path / "a" / "b" / "c"
    tmp_path.mkdir(parents=True)
    xrdf = tmp_path / "arm.xrdf"
    xrdf.write_text(CLEAN)
    assert match_robot([xrdf], robot(), tmp_path / "x.urdf").is_open, "the open robot has its names"
    asked = match_robot([xrdf], robot(OTHER), tmp_path / "x.urdf")
    assert (asked.is_open, asked.urdf) == (False, None), "it has not"
    assert [m.urdf for m in asked.matches] == [None]
    (tmp_path / "robot.urdf").write_text(URDF)
    asked = match_robot([xrdf], robot(OTHER), tmp_path / "x.urdf")
    assert [m.urdf for m in asked.matches] == [tmp_path / "robot.urdf", None], (
        "the best first, then the open one"
    )
    assert match_robot([xrdf], None, None).urdf == tmp_path / "robot.urdf", (
        "the only robot in the folder that fits"
    )
    (tmp_path / "robot2.urdf").write_text(URDF)
    assert match_robot([xrdf], None, None).urdf is None, "now there are two"
    (tmp_path / "arm.urdf").write_text(URDF)
    assert match_robot([xrdf], None, None).urdf == tmp_path / "arm.urdf", "the one of its name"
    (tmp_path / "arm.urdf").write_text(OTHER)
    assert match_robot([xrdf], None, None).urdf is None, "of its name, but another robot"


def test_an_xrdf_of_two_robots_with_the_same_links_is_asked_about(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "arm.urdf").write_text(URDF)
    opened = tmp_path / "a" / "arm.urdf"
    (xrdf := tmp_path / "b" / "arm.xrdf").write_text(CLEAN)
    asked = match_robot([xrdf], robot(), opened)
    assert (asked.is_open, asked.urdf) == (False, None)
    assert [m.urdf for m in asked.matches] == [tmp_path / "b" / "arm.urdf", None], (
        "the one beside it, then the open one"
    )
    # Of another name, beside the other robot.
    (other := tmp_path / "b" / "planner.xrdf").write_text(CLEAN)
    assert [m.urdf for m in match_robot([other], robot(), opened).matches] == [
        tmp_path / "b" / "arm.urdf",
        None,
    ]
    # No robot is beside it, or the open one is.
    (tmp_path / "c").mkdir()
    (lone := tmp_path / "c" / "arm.xrdf").write_text(CLEAN)
    assert match_robot([lone], robot(), opened).is_open
    assert match_robot([other], robot(), tmp_path / "b" / "arm.urdf").is_open
    assert match_robot([xrdf], robot(OTHER), opened).urdf == tmp_path / "b" / "arm.urdf", (
        "the open one has other names"
    )


def test_a_broken_xrdf_goes_to_the_robot_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "arm.xrdf").write_text("format: [")
    (tmp_path / "arm.urdf").write_text(URDF)
    assert match_robot([tmp_path / "arm.xrdf"], None, None).urdf == tmp_path / "arm.urdf"


def test_the_only_xrdf_of_another_name_is_offered(tmp_path: Path) -> None:
    urdf = tmp_path / "m20ia.urdf"
    urdf.write_text(URDF)
    assert offered_beside(urdf, robot(), FileKind.XRDF) is None
    (tmp_path / "fanuc_m20ia.xrdf").write_text(CLEAN)
    offer = offered_beside(urdf, robot(), FileKind.XRDF)
    assert offer is not None
    assert (offer.urdf, offer.described()) == (tmp_path / "fanuc_m20ia.xrdf", "7 of 7 names")
    (tmp_path / "second.xrdf").write_text(CLEAN)
    assert offered_beside(urdf, robot(), FileKind.XRDF) is None, "which of the two, nobody knows"
    assert offered_beside(urdf, robot(OTHER), FileKind.XRDF) is None
    (tmp_path / "moveit.srdf").write_text(SRDF)
    offer = offered_beside(urdf, robot(), FileKind.SRDF)
    assert offer is not None
    assert offer.urdf == tmp_path / "moveit.srdf"


def test_a_file_of_another_format_is_never_an_xrdf(tmp_path: Path) -> None:
    from editor_app.core.document.opening import open_document
    from editor_app.core.document.saving import SaveError, save_document

    document = make_document(tmp_path)
    (tmp_path / "arm.yml").write_text(CUROBO)
    with pytest.raises(ForeignFormatError, match="not an XRDF but cuRobo YAML"):
        open_document(tmp_path / "arm.urdf", tmp_path / "arm.yml")
    with pytest.raises(SaveError, match="is cuRobo YAML, not an XRDF"):
        save_document(document, tmp_path / "arm.yml")
    assert (tmp_path / "arm.yml").read_text() == CUROBO


def test_the_format_of_another_format_is_not_mended_by_a_word() -> None:
    from editor_app.core.model.robot import RobotDescription
    from editor_app.features.checks.engine.rule import CheckContext
    from editor_app.features.checks.engine.runner import run_rules

    urdf = read_urdf(SourceText.from_text(URDF))
    source = read_xrdf(SourceText.from_text(LULA))
    findings = [
        f
        for f in run_rules(CheckContext(RobotDescription(urdf.value, source.value), source))
        if f.code == "XRDF101"
    ]
    assert len(findings) == 1
    assert "not an XRDF but Lula robot description" in findings[0].message
    assert findings[0].fixes == ()
