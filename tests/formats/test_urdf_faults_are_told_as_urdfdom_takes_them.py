"""Every fault of a URDF has its finding at its place, and what we say of urdfdom is what its
check_urdf does."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest

from editor_app.core.formats.urdf import UrdfSource, findings, read_urdf
from editor_app.core.model.findings import Severity
from editor_app.core.model.urdf import JointType
from editor_app.core.text.source import SourceText
from editor_app.features.checks.rules.urdf.structure import urdf_findings
from tests.helpers.urdfdom import libraries_of, newest

REJECTS, COMPLAINS, ACCEPTS = "rejects", "complains", "accepts"


@dataclass(frozen=True)
class Case:
    name: str
    body: str
    codes: str
    urdfdom: str
    root: str = 'robot name="r"'

    @property
    def text(self) -> str:
        return f"<{self.root}>\n{self.body}\n</robot>"


A, B = '<link name="a"/>', '<link name="b"/>'
LIMIT = '<limit effort="1" velocity="1" lower="-1" upper="1"/>'
BALL = "<collision><geometry><sphere radius='1'/></geometry></collision>"


def with_joint(inside: str, kind: str = "revolute") -> str:
    return (
        f'{A}{B}<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside}</joint>'
    )


def fixed(name: str, parent: str, child: str, inside: str = "") -> str:
    kind = "revolute" if inside else "fixed"
    limit = LIMIT if inside else ""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child '
        f'link="{child}"/>{limit}{inside}</joint>'
    )


def with_visual(geometry: str, more: str = "") -> str:
    return f'<link name="a"><visual><geometry>{geometry}</geometry>{more}</visual>{BALL}</link>'


def with_mass(value: str, ixx: str = "1") -> str:
    inertia = f'<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    return f'<link name="a"><inertial><mass value="{value}"/>{inertia}</inertial>{BALL}</link>'


BOX = '<box size="1 1 1"/>'
V11, V12 = 'robot name="r" version="1.1"', 'robot name="r" version="1.2"'
COLOR = '<color rgba="1 0 0 1"/>'
CASES = (
    Case("nothing wrong", with_joint(LIMIT), "", ACCEPTS),
    Case("no robot name", A, "URDF001", REJECTS, "robot"),
    Case("no links", "", "URDF002", REJECTS),
    Case("link without a name", "<link/>", "URDF003", COMPLAINS),
    Case("two links of one name", A + A, "URDF004", REJECTS),
    Case(
        "joint without a name", with_joint("", "fixed").replace('name="j"', ""), "URDF005", REJECTS
    ),
    Case(
        "two joints of one name",
        A + B + '<link name="c"/>' + fixed("j", "a", "b") + fixed("j", "b", "c"),
        "URDF006",
        REJECTS,
    ),
    Case("unknown type", with_joint("", "Fixed"), "URDF007", REJECTS),
    Case("no type", with_joint("").replace('type="revolute"', ""), "URDF007", REJECTS),
    Case(
        "no parent", with_joint("", "fixed").replace('<parent link="a"/>', ""), "URDF008", REJECTS
    ),
    Case(
        "parent without link", with_joint("", "fixed").replace(' link="a"', ""), "URDF008", REJECTS
    ),
    Case(
        "unknown parent",
        with_joint("", "fixed").replace(' link="a"', ' link="z"'),
        "URDF009",
        REJECTS,
    ),
    Case(
        "unknown child",
        with_joint("", "fixed").replace(' link="b"', ' link="z"'),
        "URDF009 URDF010",
        REJECTS,
    ),
    Case("two roots", A + B, "URDF010", REJECTS),
    Case(
        "loop without root", A + B + fixed("j", "a", "b") + fixed("k", "b", "a"), "URDF010", REJECTS
    ),
    Case("two parents", A + B + fixed("j", "a", "b") + fixed("k", "a", "b"), "URDF011", ACCEPTS),
    Case("own parent", A + B + fixed("j", "a", "b") + fixed("k", "b", "b"), "URDF012", ACCEPTS),
    Case("link and joint of one name", A + B + fixed("b", "a", "b"), "URDF013", ACCEPTS),
    Case(
        "loop apart",
        A + B + '<link name="c"/>' + fixed("j", "c", "b") + fixed("k", "b", "c"),
        "URDF014",
        ACCEPTS,
    ),
    Case("version 1", A, "URDF015", REJECTS, 'robot name="r" version="1"'),
    Case("version 2.0", A, "URDF015", REJECTS, 'robot name="r" version="2.0"'),
    Case("two numbers", with_joint(LIMIT + '<origin xyz="1 2"/>'), "URDF020", REJECTS),
    Case("empty vector", with_joint(LIMIT + '<origin xyz=""/>'), "URDF020", REJECTS),
    Case("not a number", with_joint(LIMIT + '<origin rpy="0 0 nan"/>'), "URDF020", REJECTS),
    Case("comma", with_joint(LIMIT + '<origin rpy="0,0 0 0"/>'), "URDF020", REJECTS),
    Case(
        "infinite limit",
        with_joint('<limit effort="1" velocity="1" lower="-inf" upper="inf"/>'),
        "URDF020 URDF020",
        REJECTS,
    ),
    Case("tab in a vector", with_joint(LIMIT + '<origin xyz="1\t2 3"/>'), "URDF021", REJECTS),
    Case(
        "line break in a vector", with_joint(LIMIT + '<origin xyz="1 2 3\n"/>'), "URDF021", REJECTS
    ),
    Case("leading line break", with_joint(LIMIT + '<origin xyz="\n1 2 3"/>'), "", ACCEPTS),
    Case("trailing space", with_mass("1 "), "URDF021 URDF032", COMPLAINS),
    Case("leading space", with_mass(" 1"), "", ACCEPTS),
    Case("number with a dot", with_mass("1."), "", ACCEPTS),
    Case("hexadecimal", with_mass("0x10"), "URDF020 URDF032", COMPLAINS),
    Case("no limit", with_joint(""), "URDF022", REJECTS),
    Case("no velocity", with_joint('<limit effort="1"/>'), "URDF022", REJECTS),
    Case(
        "no effort, continuous",
        with_joint('<limit velocity="1"/>', "continuous"),
        "URDF022",
        REJECTS,
    ),
    Case(
        "no bounds in 1.2", with_joint('<limit velocity="1" effort="1"/>'), "URDF022", REJECTS, V12
    ),
    Case("no effort in 1.2", with_joint('<limit lower="0" upper="1"/>'), "", ACCEPTS, V12),
    Case("no bounds in 1.0", with_joint('<limit velocity="1" effort="1"/>'), "", ACCEPTS),
    Case("dynamics of nothing", with_joint(LIMIT + "<dynamics/>"), "URDF022", REJECTS),
    Case("bad damping", with_joint(LIMIT + '<dynamics damping="x"/>'), "URDF020", REJECTS),
    Case(
        "safety without k_velocity", with_joint(LIMIT + "<safety_controller/>"), "URDF022", REJECTS
    ),
    Case("bad calibration", with_joint(LIMIT + '<calibration rising="x"/>'), "URDF020", REJECTS),
    Case("empty calibration", with_joint(LIMIT + "<calibration/>"), "", ACCEPTS),
    Case("mimic of nothing", with_joint(LIMIT + "<mimic/>"), "URDF022", REJECTS),
    Case(
        "bad multiplier",
        with_joint(LIMIT + '<mimic joint="z" multiplier="x"/>'),
        "URDF020 URDF040",
        REJECTS,
    ),
    Case(
        "rpy and quaternion",
        with_joint(LIMIT + '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'),
        "URDF023",
        REJECTS,
        V11,
    ),
    Case(
        "zero quaternion",
        with_joint(LIMIT + '<origin quat_xyzw="0 0 0 0"/>'),
        "URDF020",
        ACCEPTS,
        V11,
    ),
    Case(
        "quaternion in 1.0",
        with_joint(LIMIT + '<origin quat_xyzw="0 0 0 1"/>'),
        "URDF024",
        COMPLAINS,
    ),
    Case(
        "capsule in 1.0",
        with_visual('<capsule radius="1" length="1"/>'),
        "URDF024 URDF030",
        COMPLAINS,
    ),
    Case("capsule in 1.1", with_visual('<capsule radius="1" length="1"/>'), "", ACCEPTS, V11),
    Case(
        "acceleration in 1.0",
        with_joint(LIMIT.replace("/>", ' acceleration="3"/>')),
        "URDF024",
        COMPLAINS,
    ),
    Case(
        "acceleration in 1.2",
        with_joint(LIMIT.replace("/>", ' acceleration="3"/>')),
        "",
        ACCEPTS,
        V12,
    ),
    Case("box without size", with_visual("<box/>"), "URDF022 URDF030", COMPLAINS),
    Case("box of two", with_visual('<box size="1 1"/>'), "URDF020 URDF030", COMPLAINS),
    Case("sphere without radius", with_visual("<sphere/>"), "URDF022 URDF030", COMPLAINS),
    Case(
        "cylinder without length",
        with_visual('<cylinder radius="1"/>'),
        "URDF022 URDF030",
        COMPLAINS,
    ),
    Case("mesh without a file", with_visual("<mesh/>"), "URDF022 URDF030", COMPLAINS),
    Case(
        "mesh of one scale",
        with_visual('<mesh filename="x" scale="2"/>'),
        "URDF020 URDF030",
        COMPLAINS,
    ),
    Case("unknown shape", with_visual("<cone/>"), "URDF020 URDF030", COMPLAINS),
    Case("empty geometry", with_visual(""), "URDF022 URDF030", COMPLAINS),
    Case("no geometry", '<link name="a"><collision/></link>', "URDF022 URDF031", COMPLAINS),
    Case("visual at no pose", with_visual(BOX, '<origin xyz="1"/>'), "URDF020 URDF030", COMPLAINS),
    Case("material without a name", with_visual(BOX, "<material/>"), "URDF022 URDF030", COMPLAINS),
    Case(
        "unreadable colour of a visual",
        with_visual(BOX, '<material name="m"><color rgba="1 0"/></material>'),
        "URDF020 URDF036",
        ACCEPTS,
    ),
    Case(
        "no colour at all",
        with_visual(BOX, '<material name="m"><color rgba=""/></material>'),
        "URDF020 URDF036",
        ACCEPTS,
    ),
    Case(
        "inertial of nothing",
        '<link name="a"><inertial/></link>',
        "URDF022 URDF022 URDF032",
        COMPLAINS,
    ),
    Case("half an inertia", with_mass("1").replace('ixy="0"', ""), "URDF022 URDF032", COMPLAINS),
    Case("two shapes", with_visual(BOX + '<sphere radius="1"/>'), "URDF033", ACCEPTS),
    Case("two origins", with_joint(LIMIT + "<origin/><origin/>"), "URDF034", ACCEPTS),
    Case("misspelt element", with_visual(BOX, "<orgin/>"), "URDF035", ACCEPTS),
    Case(
        "misspelt attribute",
        with_joint(LIMIT + '<origin xyz="0 0 0" ryp="0 0 1"/>'),
        "URDF035",
        ACCEPTS,
    ),
    Case("foreign element", with_visual(BOX, "<drake:x/>"), "XML003", ACCEPTS),
    Case("undefined material", with_visual(BOX, '<material name="z"/>'), "URDF036", COMPLAINS),
    Case("material twice", A + f'<material name="m">{COLOR}</material>' * 2, "URDF037", REJECTS),
    Case("material of nothing", A + '<material name="m"/>', "URDF037", COMPLAINS),
    Case("nameless material", A + f"<material>{COLOR}</material>", "URDF037", COMPLAINS),
    Case(
        "bright colour",
        A + '<material name="m"><color rgba="1 0 0 2"/></material>',
        "URDF038",
        COMPLAINS,
    ),
    Case("unknown mimic", with_joint(LIMIT + '<mimic joint="z"/>'), "URDF040", ACCEPTS),
    Case("mimic of itself", with_joint(LIMIT + '<mimic joint="j"/>'), "URDF041", ACCEPTS),
    Case(
        "mimic cycle",
        A
        + B
        + '<link name="c"/>'
        + fixed("j", "a", "b", '<mimic joint="k"/>')
        + fixed("k", "b", "c", '<mimic joint="j"/>'),
        "URDF041 URDF041",
        ACCEPTS,
    ),
    Case(
        "turning joint that mimics a sliding one",
        A
        + B
        + '<link name="c"/>'
        + fixed("j", "a", "b", " ").replace("revolute", "prismatic")
        + fixed("k", "b", "c", '<mimic joint="j"/>'),
        "URDF048",
        ACCEPTS,
    ),
    Case(
        "mimic of a fixed joint",
        A
        + B
        + '<link name="c"/>'
        + fixed("j", "a", "b")
        + fixed("k", "b", "c", '<mimic joint="j"/>'),
        "URDF042",
        ACCEPTS,
    ),
    Case(
        "crossed limits",
        with_joint('<limit effort="1" velocity="1" lower="2" upper="1"/>'),
        "URDF043",
        ACCEPTS,
    ),
    Case(
        "crossed limits of a wheel in 1.2",
        with_joint('<limit lower="2" upper="1"/>', "continuous"),
        "URDF043",
        REJECTS,
        V12,
    ),
    Case(
        "crossed limits of a wheel",
        with_joint('<limit effort="1" velocity="1" lower="2"/>', "continuous"),
        "",
        ACCEPTS,
    ),
    Case("zero axis", with_joint(LIMIT + '<axis xyz="0 0 0"/>'), "URDF044", ACCEPTS),
    Case("axis of nothing", with_joint(LIMIT + "<axis/>"), "URDF045", ACCEPTS),
    Case(
        "negative velocity",
        with_joint('<limit effort="1" velocity="-1" lower="0" upper="1"/>'),
        "URDF046",
        ACCEPTS,
    ),
    Case(
        "negative velocity in 1.2",
        with_joint('<limit velocity="-1" lower="0" upper="1"/>'),
        "URDF047",
        REJECTS,
        V12,
    ),
    Case(
        "negative jerk in 1.2",
        with_joint('<limit jerk="-1" lower="0" upper="1"/>'),
        "URDF047",
        REJECTS,
        V12,
    ),
    Case("negative mass", with_mass("-1"), "URDF050", ACCEPTS),
    Case("negative size", with_visual('<box size="1 -1 1"/>'), "URDF051", ACCEPTS),
    Case("zero radius", with_visual('<sphere radius="0"/>'), "URDF051", ACCEPTS),
    Case(
        "zero radius in 1.2", with_visual('<sphere radius="0"/>'), "URDF051 URDF030", COMPLAINS, V12
    ),
    Case("zero scale", with_visual('<mesh filename="x" scale="0 1 1"/>'), "URDF052", ACCEPTS),
    Case("empty file name", with_visual('<mesh filename=""/>'), "URDF053", ACCEPTS),
    Case("negative moment", with_mass("1", "-1"), "URDF054", ACCEPTS),
    Case(
        "sensor without link",
        A + '<sensor name="s"><parent link="b"/></sensor>',
        "URDF056",
        ACCEPTS,
    ),
    Case("sensor without name", A + '<sensor><parent link="a"/></sensor>', "URDF056", ACCEPTS),
    Case(
        "value of a sensor",
        A + '<sensor name="s" update_rate="often"><parent link="a"/></sensor>',
        "URDF057",
        ACCEPTS,
    ),
    Case(
        "xacro left over", A + "<xacro:if/>", "URDF060", ACCEPTS, 'robot name="r" xmlns:xacro="x"'
    ),
)


def read(text: str) -> UrdfSource:
    return read_urdf(SourceText.from_text(text, Path("robot.urdf")))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_each_fault_is_told_once_and_nothing_else(case: Case) -> None:
    findings = urdf_findings(read(case.text))
    assert sorted(f.code for f in findings) == sorted(case.codes.split())
    assert all(
        f.location is not None and f.location.file == "robot.urdf" and f.location.line
        for f in findings
    )


@pytest.mark.skipif(sys.platform != "linux", reason="cmeel-urdfdom has wheels for Linux only")
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_urdfdom_does_what_we_say(case: Case, tmp_path: Path) -> None:
    program = newest()
    assert program is not None, "cmeel-urdfdom, a test dependency, is not installed"
    file = tmp_path / "robot.urdf"
    file.write_text(case.text)
    if case.name == "own parent":
        # It accepts a link that is its own parent, and then prints the tree for ever.
        with subprocess.Popen(
            [program, file],
            env=libraries_of(program),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as endless:
            assert endless.stdout is not None
            lines = list(islice(endless.stdout, 1000))
            endless.kill()
        assert len(lines) == 1000
        assert any(b"Successfully Parsed XML" in line for line in lines)
        return
    done = subprocess.run(
        [program, file],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        env=libraries_of(program),
    )
    complains = re.search(r"^(Error|Warning):", done.stdout + done.stderr, re.MULTILINE) is not None
    verdict = REJECTS if done.returncode else COMPLAINS if complains else ACCEPTS
    assert verdict == case.urdfdom
    severities = {f.severity for f in urdf_findings(read(case.text))}
    if verdict == REJECTS:
        assert Severity.ERROR in severities
    elif verdict == COMPLAINS:
        assert severities


def test_what_we_say_is_dropped_is_not_there() -> None:
    pin = pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")
    seen = set()
    for case in CASES:
        # Pinocchio wants the files of meshes, and draws no capsules of URDF 1.1.
        if (
            "<visual>" not in case.body
            or case.urdfdom == REJECTS
            or "<mesh" in case.body
            or "<capsule" in case.body
        ):
            continue
        model = pin.buildModelFromXML(case.text)
        drawn = pin.buildGeomFromUrdfString(model, case.text, pin.GeometryType.VISUAL).ngeoms
        touched = pin.buildGeomFromUrdfString(model, case.text, pin.GeometryType.COLLISION).ngeoms
        dropped = "URDF030" in case.codes
        seen.add(dropped)
        assert (drawn == 0) == dropped, case.name
        assert (touched == 0) == dropped, f"{case.name}: what follows in the link"
    assert seen == {True, False}


def test_the_table_of_codes_is_complete() -> None:
    table = dict(re.findall(r"^(URDF\d+)\s+([EWI])\s", findings.__doc__ or "", re.MULTILINE))
    assert set(table) == {
        code for case in CASES for code in case.codes.split() if code.startswith("URDF")
    }
    for case in CASES:
        for finding in urdf_findings(read(case.text)):
            if finding.code.startswith("URDF"):
                assert finding.severity.name[0] == table[finding.code], finding.code


def test_findings_point_at_the_value_and_name_the_part() -> None:
    source = read(
        "<robot name='r'>\n  <link name='a'/>\n  <link name='b'/>\n"
        "  <joint name='j' type='continuous'>\n    <parent link='a'/><child link='b'/>\n"
        "    <origin xyz='1 2 x'/>\n  </joint>\n</robot>"
    )
    (finding,) = urdf_findings(source)
    assert finding.location is not None
    assert (finding.location.line, finding.location.column) == (6, 13)
    assert finding.subject.joints == ("j",)
    assert "'x' is not a number" in finding.message


def test_an_unknown_type_is_taken_as_fixed_so_that_the_rest_of_the_robot_stays() -> None:
    assert (
        read(Case("", with_joint("", "hinge"), "", "").text).value.joints[0].type is JointType.FIXED
    )
