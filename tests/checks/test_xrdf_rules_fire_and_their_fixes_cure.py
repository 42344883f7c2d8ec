"""Every rule of the XRDF table: a text that breaks it alone is reported at its place, and the
offered fix cures it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import pytest

from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.guess_comments import limits_comment, position_comment
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.profile import Profile
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.fixes import with_text_fixes
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import Checker, load_rules, locate_findings, run_rules
from tests.helpers.documents import CLEAN, URDF, V2

FREE = (
    "  - remove_mimic_attributes: {joint_name: follow, position_limits: [0.0, 0.4], "
    "velocity_limit: 0.5}\n"
)
FRAME = """  - add_frame:
      frame_name: NAME
      parent_frame_name: PARENT
      joint_name: JOINT
      joint_type: FIXED
      fixed_transform: {position: [0, 0, 0], orientation: {w: 1, xyz: [0, 0, 0]}}
"""


def frame(name: str, parent: str, joint: str = "another") -> str:
    return FRAME.replace("NAME", name).replace("PARENT", parent).replace("JOINT", joint)


@dataclass(frozen=True)
class Case:
    """`old` in the clean text becomes `new`; `at` is what stands at the finding's line."""

    code: str
    old: str
    new: str
    severity: Severity
    at: str = ""
    profile: Profile = Profile.SPECIFICATION
    text: str = CLEAN
    #: Index of the fix that is tried; None when the rule offers none.
    fix: int | None = 0
    #: Codes that come along because one fault breaks two rules.
    also: tuple[str, ...] = ()


E, W, I = Severity.ERROR, Severity.WARNING, Severity.INFO
BASE = "  - set_base_frame: base\n"
#: What a base that cuts everything off brings along.
CUT = ("XRDF302", "XRDF402", "XRDF504", "XRDF601", "XRDF702")
CU, MO = Profile.CUROBO, Profile.CUMOTION

CASES = (
    Case(
        "XRDF003",
        "tool_frames: [tool]\n",
        "tool_frames: [hand]\ntool_frames: [tool]\n",
        E,
        "tool_frames: [tool]",
    ),
    Case(
        "XRDF003", "tool_frames: [tool]\n", "tool_frames: [hand]\ntool_frames: [tool]\n", E, fix=2
    ),
    Case("XRDF004", "jerk_limits:", "jrek_limits:", W, "jrek", also=("XRDF701",)),
    Case("XRDF005", "  shoulder: 0.0", "  shoulder: high", E, "high", fix=None, also=("XRDF606",)),
    Case("XRDF904", "    upper: [lower]", "    upper:", E, "upper", CU, also=("XRDF507",)),
    Case("XRDF006", "  shoulder: 0.0", '  shoulder: "0.0"', W, "shoulder"),
    Case("XRDF006", "  shoulder: 0.0", "  shoulder: 1e-04", W, "shoulder"),
    Case("XRDF007", "format: xrdf", "# Übung\nformat: xrdf", W, "Übung", CU, fix=None),
    Case("XRDF101", "format: xrdf", "format: urdf", E, "format: urdf"),
    Case("XRDF101", "format: xrdf\n", "", E),
    Case("XRDF102", "format_version: 1.0\n", "", E),
    Case("XRDF102", "format_version: 1.0", "format_version: 3.0", E, "3.0"),
    Case("XRDF102", "# none", "# none", W, "2.0", CU, text=V2 + "# none", fix=None),
    Case("XRDF103", "format_version: 1.0", "format_version: 2.0", E, "collision"),
    Case("XRDF103", "format_version: 1.0", "format_version: 2.0", E, "collision", fix=1),
    Case("XRDF201", "modifiers:\n", "modifiers:\n  - base\n", E, "- base", fix=None),
    Case("XRDF202", "modifiers:\n", "modifiers:\n  - set_base: base\n", E, "set_base", fix=None),
    Case("XRDF203", "      parent_frame_name: left\n", "", E, fix=None, also=("XRDF802",)),
    Case("XRDF209", "[0.0, 0.0, 0.1]", "[0.0, 0.1]", E, "0.1]", fix=None, also=("XRDF802",)),
    Case(
        "XRDF301",
        "      lower:\n        - center: [0.0, 0.0, 0.0]\n          radius: 0.1\n",
        "      lower: 3\n",
        E,
        "3",
        fix=None,
    ),
    Case(
        "XRDF303",
        "center: [0.0, 0.0, 0.0]\n          radius: 0.1\n      lower",
        "center: [0.0, 0.0]\n          radius: 0.1\n      lower",
        E,
        "center",
        fix=None,
        also=("XRDF403", "XRDF507"),
    ),
    Case(
        "XRDF503",
        "  ignore:\n    base: [upper]\n    upper: [lower]\n",
        "  ignore: []\n",
        W,
        "ignore",
        fix=None,
        also=("XRDF507",),
    ),
    Case(
        "XRDF503",
        "  ignore:\n    base: [upper]\n    upper: [lower]\n",
        "  ignore: []\n",
        E,
        "ignore",
        MO,
        fix=None,
        also=("XRDF507",),
    ),
    Case(
        "XRDF804",
        "tool_frames: [tool]",
        "tool_frames: tool",
        E,
        "tool_frames",
        fix=None,
        also=("XRDF801",),
    ),
    Case("XRDF204", "modifiers:\n", "modifiers:\n" + frame("left", "hand"), E, "frame_name: left"),
    Case(
        "XRDF204",
        "modifiers:\n",
        "modifiers:\n" + frame("tool", "lower"),
        E,
        "frame_name: tool",
        also=("XRDF710",),
    ),
    Case(
        "XRDF205",
        "joint_name: tool_joint",
        "joint_name: elbow",
        E,
        "joint_name: elbow",
        also=("XRDF802",),
    ),
    Case(
        "XRDF206",
        "parent_frame_name: left",
        "parent_frame_name: lfet",
        E,
        "lfet",
        also=("XRDF802",),
    ),
    Case(
        "XRDF207",
        "modifiers:\n",
        "modifiers:\n" + frame("p", "q", "jp") + frame("q", "p", "jq"),
        E,
        "parent_frame_name: q",
        fix=None,
    ),
    Case("XRDF208", "joint_type: FIXED", "joint_type: fixed", W, "joint_type"),
    Case("XRDF208", "joint_type: FIXED", "joint_type: REVOLUTE", E, "joint_type"),
    Case("XRDF210", "{w: 1.0,", "{w: 1.1,", W, "orientation"),
    Case("XRDF210", "{w: 1.0,", "{w: 0.0,", E, "orientation", also=("XRDF802",)),
    Case("XRDF211", "set_base_frame: base", "set_base_frame: bsae", E, "bsae"),
    Case(
        "XRDF211",
        "set_base_frame: base",
        "set_base_frame: tool",
        E,
        "set_base_frame",
        fix=None,
        also=CUT,
    ),
    Case("XRDF212", BASE, BASE + "  - set_base_frame: world\n", W, "set_base_frame: world"),
    Case("XRDF212", BASE, BASE + "  - set_base_frame: side\n", E, "set_base_frame: side"),
    Case("XRDF213", "      joint_type: FIXED\n", "", E, "add_frame", CU),
    Case(
        "XRDF214",
        "modifiers:\n",
        "modifiers:\n" + frame("cut", "side"),
        W,
        "parent_frame_name: side",
        fix=None,
    ),
    Case("XRDF215", BASE, BASE + FREE.replace("follow", "elbow"), E, "remove_mimic", text=V2),
    Case(
        "XRDF215",
        BASE,
        BASE + FREE.replace(", velocity_limit: 0.5", ""),
        E,
        "remove_mimic",
        text=V2,
        also=("XRDF606", "XRDF708"),
    ),
    Case("XRDF215", BASE, BASE + FREE, W, "remove_mimic", also=("XRDF606", "XRDF708")),
    Case(
        "XRDF302",
        "      lower:\n        -",
        "      lowre:\n        -",
        E,
        "lowre",
        also=("XRDF507",),
    ),
    Case(
        "XRDF302", "      lower:\n        -", "      side:\n        -", E, "side", also=("XRDF507",)
    ),
    Case(
        "XRDF304",
        "radius: 0.1\n      lower",
        "radius: -0.005\n      lower",
        W,
        "radius: -0.005",
        fix=None,
    ),
    Case(
        "XRDF304",
        "radius: 0.1\n      lower",
        "radius: -0.005\n      lower",
        W,
        "radius: -0.005",
        MO,
        fix=None,
    ),
    Case(
        "XRDF304",
        "radius: 0.1\n      lower",
        "radius: -0.005\n      lower",
        E,
        "radius: -0.005",
        text=V2,
        fix=None,
    ),
    Case(
        "XRDF305",
        "geometry:\n  spheres:\n",
        "geometry:\n  more: {}\n  spheres:\n",
        W,
        "more",
        fix=None,
        also=("XRDF306", "XRDF312"),
    ),
    Case(
        "XRDF306",
        "geometry:\n  spheres:\n",
        "geometry:\n  more: {}\n  spheres:\n",
        W,
        "more",
        text=V2,
        fix=None,
        also=("XRDF312",),
    ),
    Case(
        "XRDF310",
        "geometry:\n  spheres:\n",
        "geometry:\n  spheres:\n    clone: [nothing]\n",
        E,
        "nothing",
        text=V2,
        fix=None,
    ),
    Case(
        "XRDF310",
        "geometry:\n  spheres:\n",
        "geometry:\n  spheres:\n    clone: [spheres]\n",
        E,
        "clone",
        text=V2,
        fix=None,
    ),
    Case(
        "XRDF310",
        "geometry:\n  spheres:\n",
        "geometry:\n  spheres:\n    clone: []\n",
        W,
        "clone",
        fix=None,
    ),
    Case(
        "XRDF401",
        "collision:\n  geometry: spheres\n",
        "collision:\n  geometry: balls\n",
        E,
        "balls",
        also=("XRDF403", "XRDF502"),
    ),
    Case(
        "XRDF330", "  jerk_limits:", f"  {limits_comment(500.0)}\n  jerk_limits:", I, "jerk_limits"
    ),
    Case(
        "XRDF330", "  acc", f"  {limits_comment(10.0, ['elbow'])}\n  acc", I, "acceleration_limits"
    ),
    Case(
        "XRDF330",
        "tool_frames:",
        "# Guessed, check it: the last link.\ntool_frames:",
        I,
        "tool_frames",
    ),
    Case("XRDF330", "tool_frames:", "# A guess of mine\ntool_frames:", I, "tool_frames"),
    Case(
        "XRDF330",
        "default_joint",
        f"{position_comment()}\ndefault_joint",
        I,
        "default_joint_positions",
    ),
    Case("XRDF330", "cspace:", "# Guessed: nothing moves.\ncspace:", I, "cspace"),
    Case("XRDF402", "    upper: 0.01\n\nself", "    uppre: 0.01\n\nself", E, "uppre"),
    Case("XRDF403", "    upper: 0.01\n\nself", "    hand: 0.01\n\nself", W, "hand"),
    Case("XRDF405", "    upper: 0.01\n\nself", "    upper: -0.1\n\nself", W, "upper: -0.1"),
    Case("XRDF405", "    upper: 0.01\n\nself", "    upper: -0.1\n\nself", W, "upper: -0.1", MO),
    Case(
        "XRDF405", "    upper: 0.01\n\nself", "    upper: -0.1\n\nself", E, "upper: -0.1", text=V2
    ),
    Case(
        "XRDF405",
        "geometry:\n  spheres:\n",
        "geometry:\n  b: {spheres: {hand: [{center: [0.0, 0.0, 0.0], radius: 0.005}]}}\n  "
        "spheres:\n    clone: [b]\n",
        E,
        "hand",
        text=V2.replace("    upper: 0.01\n\nself", "    upper: 0.01\n    hand: -0.01\n\nself"),
        also=("XRDF507",),
    ),
    Case("XRDF005", "[10.0, 10.0, 10.0]", "[10.0, .inf, 10.0]", E, ".inf", fix=None),
    Case(
        "XRDF406",
        "  buffer_distance:\n    upper: 0.01\n\nself",
        "  buffer_distance: 0.01\n\nself",
        W,
        "buffer_distance",
    ),
    Case(
        "XRDF501",
        "self_collision:\n  geometry: spheres\n",
        "self_collision:\n",
        E,
        "",
        also=("XRDF507", "XRDF403"),
    ),
    Case("XRDF504", "upper: [lower]", "upper: [lower, lwoer]", E, "lwoer"),
    Case("XRDF504", "upper: [lower]", "upper: [lower]\n    side: [upper]", E, "side"),
    Case("XRDF505", "upper: [lower]", "upper: [lower, upper]", W, "lower, upper"),
    Case("XRDF505", "upper: [lower]", "upper: [lower, lower]", W, "lower, lower"),
    Case("XRDF506", "upper: [lower]", "upper: [lower]\n    lower: [upper]", I, "lower: [upper]"),
    Case("XRDF507", "    base: [upper]\n", "", W, ""),
    Case(
        "XRDF511",
        "  ignore:\n    base: [upper]\n    upper: [lower]\n",
        "",
        W,
        "",
        also=("XRDF507",),
    ),
    Case(
        "XRDF511",
        "  ignore:\n    base: [upper]\n    upper: [lower]\n",
        "",
        E,
        "",
        CU,
        also=("XRDF507",),
    ),
    Case("XRDF601", "  elbow: 0.5", "  elbwo: 0.5", E, "elbwo", also=("XRDF606",)),
    Case("XRDF601", "  elbow: 0.5", "  elbow: 0.5\n  mount: 0.0", E, "mount"),
    Case("XRDF602", "  elbow: 0.5", "  elbow: 0.5\n  wrist: 0.0", E, "wrist"),
    Case("XRDF603", "  elbow: 0.5", "  elbow: 0.5\n  follow: 0.2", E, "follow"),
    Case("XRDF604", "  grip: 0.2", "  grip: 0.0", E, "grip: 0.0"),
    Case("XRDF606", "  grip: 0.2\n", "", I, ""),
    Case("XRDF701", "  jerk_limits: [500.0, 500.0, 500.0]\n", "", E, ""),
    Case(
        "XRDF702",
        "joint_names: [shoulder, elbow,",
        "joint_names: [shoulder, elbwo,",
        E,
        "elbwo",
        also=(
            "XRDF711",
            "XRDF708",
        ),
    ),
    Case(
        "XRDF703",
        "joint_names: [shoulder, elbow,",
        "joint_names: [shoulder, wrist,",
        E,
        "wrist",
        also=("XRDF711", "XRDF708", "XRDF709"),
    ),
    Case("XRDF704", "elbow, grip]", "elbow, follow]", E, "follow", also=("XRDF708",)),
    Case("XRDF705", "elbow, grip]", "elbow, elbow]", E, "elbow, elbow", also=("XRDF708",)),
    Case(
        "XRDF706",
        "jerk_limits: [500.0, 500.0, 500.0]",
        "jerk_limits: [500.0, 500.0]",
        E,
        "jerk_limits",
    ),
    Case(
        "XRDF706",
        "jerk_limits: [500.0, 500.0, 500.0]",
        "jerk_limits: [500.0, 500.0, 1.0, 2.0]",
        E,
        "jerk_limits",
    ),
    Case("XRDF707", "[10.0, 10.0, 10.0]", "[10.0, -1.0, 10.0]", E, "-1.0"),
    Case("XRDF707", "[10.0, 10.0, 10.0]", "[10.0, 0.0, 10.0]", W, "0.0"),
    Case(
        "XRDF709",
        "joint_names: [shoulder, elbow, grip]",
        "joint_names: [elbow, shoulder, grip]",
        W,
        "elbow",
    ),
    Case(
        "XRDF709",
        "joint_names: [shoulder, elbow, grip]",
        "joint_names: [elbow, shoulder, grip]",
        E,
        "elbow",
        CU,
    ),
    Case("XRDF801", "tool_frames: [tool]\n", "tool_frames: []\n", W, "tool_frames"),
    Case("XRDF801", "tool_frames: [tool]\n", "tool_frames: []\n", W, "tool_frames", MO),
    Case("XRDF802", "tool_frames: [tool]", "tool_frames: [tool, hadn]", E, "hadn"),
    Case("XRDF803", "tool_frames: [tool]", "tool_frames: [tool, tool]", W, "tool, tool"),
)

#: Rules whose whole section goes: the clean text without it.
SECTION_CASES = (
    ("XRDF104", "cspace", E, Profile.SPECIFICATION),
    ("XRDF311", "geometry", E, Profile.SPECIFICATION),
    ("XRDF404", "collision", I, Profile.SPECIFICATION),
    ("XRDF510", "self_collision", I, Profile.SPECIFICATION),
    ("XRDF510", "self_collision", E, Profile.CUROBO),
    ("XRDF607", "default_joint_positions", W, Profile.SPECIFICATION),
    ("XRDF607", "default_joint_positions", E, Profile.CUROBO),
    ("XRDF801", "tool_frames", W, Profile.CUMOTION),
)


def without_section(text: str, key: str) -> str:
    start = text.index(f"\n{key}:") + 1
    end = text.find("\n\n", start)
    return text[:start] + (text[end + 2 :] if end >= 0 else "")


def document(text: str, urdf: str = URDF) -> Document:
    urdf_source = read_urdf(SourceText.from_text(urdf, Path("arm.urdf")))
    return Document(urdf_source, read_xrdf(SourceText.from_text(text, Path("arm.xrdf"))))


def findings(document: Document, profile: Profile = Profile.SPECIFICATION) -> tuple[Finding, ...]:
    source = document.xrdf_now
    return locate_findings(run_rules(CheckContext(document.robot, source, profile)), source)


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        (t, p)
        for t in (CLEAN, V2)
        for p in (Profile.SPECIFICATION, Profile.CUMOTION, CU)
        if (t, p) != (V2, CU)
    ],
)
def test_a_clean_description_has_no_finding(text: str, profile: Profile) -> None:
    assert [f.message for f in findings(document(text), profile)] == []


@pytest.mark.parametrize("case", CASES, ids=[f"{c.code}-{i}" for i, c in enumerate(CASES)])
def test_a_broken_rule_is_found_where_it_is_broken_and_its_fix_cures_it(case: Case) -> None:
    assert case.old in case.text
    doc = document(case.text.replace(case.old, case.new, 1))
    reported = findings(doc, case.profile)
    mine = [f for f in reported if f.code == case.code]
    assert mine, [f.message for f in reported]
    assert mine[0].severity is case.severity
    assert {f.code for f in reported} <= {case.code, *case.also}, [f.message for f in reported]
    if case.at:
        assert mine[0].location is not None
        assert mine[0].location.line is not None
        # A finding's place may be the key's line or, for a block, that of its first item.
        lines = doc.xrdf_text.split("\n")[mine[0].location.line - 1 :][:2]
        assert case.at in "\n".join(lines), (lines, mine[0])
    if case.fix is None:
        return
    before = doc.xrdf_text
    doc.execute(mine[0].fixes[case.fix])
    left = [f for f in findings(doc, case.profile) if f.code == case.code]
    assert len(left) < len(mine), left
    assert read_xrdf(SourceText.from_text(doc.xrdf_text)).value == doc.robot.xrdf
    doc.undo()
    assert doc.xrdf_text == before


@pytest.mark.parametrize(("code", "key", "severity", "profile"), SECTION_CASES)
def test_a_missing_section_is_found_and_can_be_added(
    code: str, key: str, severity: Severity, profile: Profile
) -> None:
    doc = document(without_section(CLEAN, key))
    mine = [f for f in findings(doc, profile) if f.code == code]
    assert [f.severity for f in mine] == [severity]
    if mine[0].fixes:
        doc.execute(mine[0].fixes[0])
        assert not [f for f in findings(doc, profile) if f.code == code]


def test_without_a_urdf_only_rules_that_need_none_speak() -> None:
    doc = document(
        CLEAN.replace("elbow: 0.5", "elbwo: 0.5").replace(
            "tool_frames: [tool]", "tool_frames: [tool, tool]"
        )
    )
    context = CheckContext(doc.robot, doc.xrdf_now, has_urdf=False)
    assert {f.code for f in run_rules(context)} == {"XRDF803"}


def test_a_second_check_runs_only_the_rules_whose_inputs_changed() -> None:
    from editor_app.core.document.commands import SetToolFrames

    doc = document(CLEAN)
    checker = Checker()
    checker.check(CheckContext(doc.robot))
    before = dict(checker._last_runs)
    doc.execute(SetToolFrames((*(doc.robot.xrdf.tool_frames or ()), "tool_which_is_not")))
    assert {f.code for f in checker.check(CheckContext(doc.robot))} == {"XRDF802"}
    again = {code for code, last_run in checker._last_runs.items() if last_run is not before[code]}
    assert again == {
        code
        for code, r in load_rules().items()
        if not r.slow and r.file != "srdf" and {"tool_frames", "robot"} & set(r.inputs)
    }
    assert checker.check(CheckContext(doc.robot)) == run_rules(CheckContext(doc.robot))


def test_every_rule_of_the_table_has_code_behind_it() -> None:
    """The codes of the table; 001, 002 are FormatError, and the reader reports what it could not
    understand."""
    table = {
        *range(3, 8),
        *range(101, 105),
        *range(201, 216),
        *range(301, 312),
        313,
        314,
        *range(401, 407),
        *range(501, 513),
        *range(601, 608),
        *range(701, 712),
        *range(801, 805),
    }
    read = {3, 4, 5, 6, 201, 202, 203, 209, 301, 303, 503, 804}
    registered = {int(code[4:]) for code in load_rules() if code.startswith("XRDF")}
    assert table - registered - read == set()


def test_remedies_do_not_depend_on_the_words_of_a_message(tmp_path: Path) -> None:
    text = CLEAN.replace("tool_frames: [tool]", "tool_frame: [tool]\ntool_frames: [12]")
    source = read_xrdf(SourceText.from_text(text))
    by_code = {f.code: f for f in source.findings if f.code in ("XRDF004", "XRDF006")}
    assert set(by_code) == {"XRDF004", "XRDF006"}
    for finding in by_code.values():
        [spoken] = with_text_fixes(finding, source).fixes
        [silent] = with_text_fixes(dataclasses.replace(finding, message=""), source).fixes
        assert silent == spoken
    assert by_code["XRDF004"].meant == "tool_frames"


FEW = CLEAN.replace("[shoulder, elbow, grip]", "[shoulder]").replace("[10.0, 10.0, 10.0]", "[10.0]")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("XRDF708", FEW.replace("[500.0, 500.0, 500.0]", "[500.0]")),
        ("XRDF606", CLEAN.replace("  elbow: 0.5\n  grip: 0.2\n", "")),
    ],
)
def test_joints_with_the_same_note_share_one_row(code: str, text: str) -> None:
    doc = document(text)
    [finding] = [each for each in findings(doc) if each.code == code]
    assert finding.subject.joints == ("elbow", "grip")
    assert finding.message.startswith("2 joints")
    assert "elbow" in finding.message
    assert "grip" in finding.message
    # All of them in one step, or one of them.
    assert [fix.label.count("elbow") for fix in finding.fixes] == [0, 1, 0]
    doc.execute(finding.fixes[0])
    assert code not in {each.code for each in findings(doc)}
    doc.undo()
    doc.execute(finding.fixes[1])
    [left] = [each for each in findings(doc) if each.code == code]
    assert left.subject.joints == ("grip",)
    assert "'grip'" in left.message
