"""The commands check, new and diff: exit codes, formats, and what they say."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.features.checks.engine.runner import code_titles
from editor_app.features.checks.verbs.finding_pages import as_plain_text, finding_pages
from tests.helpers.documents import CLEAN, make_document


def run(*arguments: object) -> int:
    try:
        return main([str(a) for a in arguments])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    make_document(tmp_path)
    return tmp_path


def test_check_is_0_when_clean_1_with_findings_2_when_unreadable(
    arm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", arm / "arm.xrdf", "--urdf", arm / "arm.urdf") == 0
    broken = arm / "broken.xrdf"
    broken.write_text(CLEAN.replace("tool_frames: [tool]", "tool_frames: [tol, tool]"))
    capsys.readouterr()
    assert (
        run("check", arm / "arm.xrdf", broken, "--urdf", arm / "arm.urdf", "--format", "json") == 1
    )
    [record] = json.loads(capsys.readouterr().out)
    assert record == {
        "file": str(broken),
        "code": "XRDF802",
        "severity": "error",
        "path": "tool_frames[0]",
        "line": 25,
        "column": 15,
        "message": record["message"],
    }
    assert "did you mean 'tool'?" in record["message"]
    broken.write_text("a: [")
    assert run("check", broken, arm / "arm.xrdf", "--format", "json") == 2
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["code"] == "XRDF001"
    assert "broken.xrdf:1:" in err
    assert run("check", arm / "missing.xrdf") == 2
    out, err = capsys.readouterr()
    assert "does not exist" in out
    assert not err, "one message in a terminal"


def test_fail_on_sets_the_least_severity_that_counts(arm: Path) -> None:
    warned = arm / "warned.xrdf"
    warned.write_text(CLEAN.replace("tool_frames: [tool]", "tool_frames: [tool, tool]"))
    assert run("check", warned) == 0
    assert run("check", warned, "--fail-on", "warning") == 1


def test_github_and_sarif_name_file_line_and_rule(
    arm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warned = arm / "warned.xrdf"
    warned.write_text(CLEAN.replace("tool_frames: [tool]", "tool_frames: [tool, tool]"))
    run("check", warned, "--format", "github")
    assert capsys.readouterr().out.startswith(
        f"::warning file={warned},line=25,col=21,title=XRDF803::Tool frame 'tool'"
    )
    run("check", warned, "--format", "sarif")
    log = json.loads(capsys.readouterr().out)
    [result] = log["runs"][0]["results"]
    assert (log["version"], result["ruleId"], result["level"]) == ("2.1.0", "XRDF803", "warning")
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 25,
        "startColumn": 21,
    }


def test_files_in_sarif_are_relative_to_the_current_folder_or_absolute_uris(
    arm: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = arm.parent / "in here" / "a b.xrdf"
    other.parent.mkdir()
    other.write_text("format: xrdf\n")
    addresses = []
    elsewhere = Path(__file__).parent
    for folder, name in (
        (other.parent, other),
        (other.parent, Path(other.name)),
        (elsewhere, other),
    ):
        monkeypatch.chdir(folder)
        run("check", name, "--format", "sarif")
        results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
        addresses.append(
            {
                each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
                for each in results
            }
        )
    assert addresses == [{"a%20b.xrdf"}, {"a%20b.xrdf"}, {other.as_uri()}]


def test_sarif_describes_each_rule_from_the_manual(
    arm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warned = arm / "warned.xrdf"
    warned.write_text(CLEAN.replace("tool_frames: [tool]", "tool_frames: [tool, tool]"))
    run("check", warned, "--format", "sarif")
    [rule] = json.loads(capsys.readouterr().out)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "XRDF803"
    assert rule["fullDescription"]["text"].startswith(rule["shortDescription"]["text"])
    assert len(rule["fullDescription"]["text"]) > len(rule["shortDescription"]["text"]) + 1
    assert "**" in rule["help"]["markdown"]
    assert "Fix, offered" in rule["help"]["text"]
    assert "**" not in rule["help"]["text"]


def test_the_manual_has_a_section_for_every_code() -> None:
    sections = finding_pages()
    assert set(code_titles()) <= set(sections)
    assert all(as_plain_text(text) for text in sections.values())


def test_junit_has_a_suite_for_each_file_and_counts_failures(
    arm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warned, broken = arm / "warned.xrdf", arm / "broken.xrdf"
    warned.write_text(CLEAN.replace("tool_frames: [tool]", "tool_frames: [tool, tool]"))
    broken.write_bytes(b"\xff\xfe\x00")
    assert run("check", arm / "arm.urdf", warned, "--format", "junit") == 0
    suites = {
        Path(s.get("name", "")).name: s for s in ElementTree.fromstring(capsys.readouterr().out)
    }
    assert [suites["warned.xrdf"].get(key) for key in ("tests", "failures", "errors")] == [
        "1",
        "0",
        "0",
    ]
    [case] = suites["warned.xrdf"]
    assert (case.get("name", "").split()[0], case.get("line")) == ("XRDF803", "25")
    assert "Tool frame 'tool'" in str(case.findtext("system-out"))
    assert run("check", warned, "--format", "junit", "--fail-on", "warning") == 1
    [failure] = ElementTree.fromstring(capsys.readouterr().out).iter("failure")
    assert (failure.get("type"), "warned.xrdf:25:21" in str(failure.text)) == ("warning", True)
    assert run("check", arm / "missing.xrdf", "--format", "junit") == 2
    assert [e.tag for e in ElementTree.fromstring(capsys.readouterr().out).iter("error")] == [
        "error"
    ]


def test_slow_rules_speak_on_request(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    big = arm / "big.xrdf"
    big.write_text(
        CLEAN.replace(
            "lower:\n        - center: [0.0, 0.0, 0.0]\n          radius: 0.1",
            "lower:\n        - center: [0.0, 0.0, 0.0]\n          radius: 1.95",
        )
    )
    assert run("check", big, "--urdf", arm / "arm.urdf") == 0
    assert run("check", big, "--urdf", arm / "arm.urdf", "--slow") == 1
    out = capsys.readouterr().out
    assert "XRDF605: At the default position, 'base' and 'lower' collide, 50.0 mm deep." in out
    assert "XRDF508" in out


def test_new_drafts_beside_the_urdf_and_overwrites_nothing_unasked(arm: Path) -> None:
    assert run("new", arm / "arm.urdf") == 2
    assert (arm / "arm.xrdf").read_text() == CLEAN
    assert run("new", arm / "arm.urdf", "-o", arm / "fresh.xrdf") == 0
    assert run("check", arm / "fresh.xrdf", "--urdf", arm / "arm.urdf") == 0
    assert run("new", arm / "arm.xrdf", "-o", arm / "x.xrdf") == 2


def test_diff_tells_meaning_not_spelling(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = arm / "other.xrdf"
    other.write_text(
        CLEAN.replace("[0.0, 0.0, 0.0]", "[0, 0, 0]")
        .replace("    base: [upper]\n", "    upper2: []\n")
        .replace("upper: [lower]", "upper: [lower, base]")
    )
    assert run("diff", arm / "arm.xrdf", other) == 0
    other.write_text(
        CLEAN.replace("elbow: 0.5", "elbow: 0.6").replace("upper: [lower]", "upper: [hand]")
    )
    capsys.readouterr()
    assert run("diff", arm / "arm.xrdf", other) == 1
    assert capsys.readouterr().out.splitlines() == [
        "default_joint_positions.elbow: 0.5 → 0.6",
        "self_collision.ignore: added [hand, upper]",
        "self_collision.ignore: removed [lower, upper]",
    ]
