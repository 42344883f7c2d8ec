"""The verb check: any file that the editor opens, the same findings for every caller, each fault
once."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import editor_app
from editor_app.__main__ import main
from editor_app.features.checks.engine import runner
from editor_app.features.checks.verbs.check_files import check_files
from tests.helpers.documents import make_document
from tests.helpers.robots import sample_urdf

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def joint(name: str, parent: str, child: str, inner: str = "", kind: str = "revolute") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child '
        f'link="{child}"/>{inner}'
        + (LIMIT if kind == "revolute" and "<limit" not in inner else "")
        + "</joint>"
    )


def robot(*parts: str, links: str = "ab") -> str:
    return (
        '<robot name="r">'
        + "".join(f'<link name="{name}"/>' for name in links)
        + "".join(parts)
        + "</robot>"
    )


#: A fault of the structure, and the one code that tells it.
FAULTS = [
    (robot(joint("j", "a", "b"), links="aba"), "URDF004"),
    (robot(joint("j", "a", "b"), joint("j", "a", "c"), links="abc"), "URDF006"),
    (robot(joint("j", "a", "b"), joint("k", "gone", "c"), links="abc"), "URDF009"),
    (robot(joint("j", "a", "b"), links="abc"), "URDF010"),
    (robot(joint("j", "a", "b"), joint("k", "b", "a")), "URDF010"),
    (robot(joint("j", "a", "b"), joint("k", "a", "b")), "URDF011"),
    (robot(joint("j", "a", "b"), joint("k", "b", "b")), "URDF012"),
    (
        robot(joint("j", "a", "b"), joint("k", "d", "c"), joint("l", "c", "d"), links="abcd"),
        "URDF014",
    ),
    (robot(joint("j", "a", "b", '<mimic joint="gone"/>')), "URDF040"),
    (robot(joint("j", "a", "b", '<mimic joint="j"/>')), "URDF041"),
    (robot(joint("j", "a", "b", LIMIT.replace("-1", "5"))), "URDF043"),
    (robot(joint("j", "a", "b", '<axis xyz="0 0 0"/>')), "URDF044"),
]


def run(*arguments: object) -> int:
    try:
        return main([str(a) for a in arguments])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize(
    ("text", "code"), FAULTS, ids=[f"{n} {code}" for n, (_, code) in enumerate(FAULTS)]
)
def test_a_fault_of_the_structure_is_told_once_by_window_and_command_line(
    text: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(text, encoding="utf-8")
    findings = editor_app.check(editor_app.open_robot(path))
    about_the_structure = Counter(f.code for f in findings if f.code.startswith(("URDF", "TREE")))
    assert about_the_structure[code] >= 1
    assert not [c for c in about_the_structure if c.startswith("TREE")]
    messages = [f.message for f in findings if f.code.startswith("URDF")]
    assert len(set(messages)) == len(messages)
    assert run("check", path, "--format", "json") == 1
    told = Counter(record["code"] for record in json.loads(capsys.readouterr().out))
    assert told == about_the_structure


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            robot(joint("j", "a", "b"), joint("k", "upper_lnk", "c"), links="abc").replace(
                '"a"', '"upper_link"'
            ),
            "URDF009",
        ),
        (
            robot(joint("j", "a", "b", '<mimic joint="jj"/>'), joint("jjj", "b", "c"), links="abc"),
            "URDF040",
        ),
        (robot(joint("j", "a", "b", '<mimic joint="j"/>')), "URDF041"),
        (robot(joint("j", "a", "b", LIMIT.replace("-1", "5"))), "URDF043"),
        (robot(joint("j", "a", "b", '<axis xyz="0 0 0"/>')), "URDF044"),
    ],
)
def test_every_remedy_for_the_urdf_cures(text: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(text, encoding="utf-8")
    document = editor_app.open_robot(path)
    [finding] = [f for f in editor_app.check(document) if f.code == code]
    assert finding.fixes
    for fix in finding.fixes:
        document.execute(fix)
        assert code not in {f.code for f in editor_app.check(document)}, fix.label
        document.undo()
    assert document.urdf_text == text


def test_errors_of_the_urdf_decide_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_document(tmp_path)
    assert run("check", tmp_path / "arm.xrdf", "--urdf", tmp_path / "arm.urdf") == 0
    text = (tmp_path / "arm.urdf").read_text(encoding="utf-8")
    (tmp_path / "arm.urdf").write_text(
        text.replace("</robot>", '<link name="adrift"/></robot>'), encoding="utf-8"
    )
    assert run("check", tmp_path / "arm.xrdf", "--urdf", tmp_path / "arm.urdf") == 1
    assert "arm.urdf:" in capsys.readouterr().out
    assert run("check", tmp_path / "arm.xrdf") == 1, "the URDF beside it is checked along"
    (tmp_path / "arm.urdf").unlink()
    assert run("check", tmp_path / "arm.xrdf") == 0, "without the URDF, the rules that need none"


def test_an_srdf_is_checked_alone_and_against_the_urdf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_document(tmp_path)
    srdf = tmp_path / "arm.srdf"
    srdf.write_text(
        '<robot name="arm">\n<disable_collisions link1="base" link2="nowhere" '
        'reason="Never"/>\n</robot>\n',
        encoding="utf-8",
    )
    alone = tmp_path / "alone" / "arm.srdf"
    alone.parent.mkdir()
    alone.write_bytes(srdf.read_bytes())
    assert run("check", alone) == 0
    capsys.readouterr()
    assert run("check", srdf, tmp_path / "arm.urdf", "--format", "json") == 1
    records = json.loads(capsys.readouterr().out)
    assert {"SRDF010"} == {r["code"] for r in records if r["severity"] == "error"}
    assert [(r["file"], r["line"]) for r in records if r["code"] == "SRDF010"] == [(str(srdf), 2)]
    document = editor_app.open_robot(tmp_path / "arm.urdf", srdf)
    [finding] = [f for f in editor_app.check(document) if f.code == "SRDF010"]
    document.execute(finding.fixes[-1])
    assert "SRDF010" not in {f.code for f in editor_app.check(document)}
    assert document.srdf_text == '<robot name="arm">\n</robot>\n'


def test_files_of_other_programs_are_checked_as_what_they_become(tmp_path: Path) -> None:
    urdf = sample_urdf()
    xrdf = urdf.with_suffix(".xrdf")
    made = {name: tmp_path / name for name in ("heron.curobo.yml", "heron.lula.yaml", "heron.dae")}
    for path in made.values():
        inputs = [urdf] if path.suffix == ".dae" else [urdf, xrdf]
        assert run("convert", *inputs, path) == 0
    for path in made.values():
        alone, together = check_files([path]), check_files([path], urdf=urdf)
        assert [file.error for file in (*alone, *together)] == [None] * 3
        assert all(f.location is not None and f.location.line is None for f in alone[0].findings)
    made["heron.dae"].write_text("<COLLADA/>", encoding="utf-8")
    assert run("check", made["heron.dae"]) == 2


def test_a_xacro_file_is_expanded_only_where_that_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.urdf.xacro"
    path.write_text(
        '<robot name="r" xmlns:xacro="http://ros.org/xacro"><xacro:arg name="tip" '
        'default="b"/><link name="a"/>'
        f'<link name="$(arg tip)"/>{joint("j", "a", "b")}</robot>',
        encoding="utf-8",
    )
    assert run("check", path) == 2
    assert "--allow-xacro" in capsys.readouterr().out
    assert run("check", path, "--allow-xacro") == 0
    assert run("check", path, "--allow-xacro", "--xacro-arg", "tip:=c") == 1


def test_packages_are_found_by_every_command_that_reads_a_robot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mesh = tmp_path / "elsewhere" / "tetra.obj"
    mesh.parent.mkdir()
    mesh.write_text(
        "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
        encoding="utf-8",
    )
    shape = (
        '<collision><geometry><mesh filename="package://secret/tetra.obj"/></geometry></collision>'
    )
    path = tmp_path / "r.urdf"
    path.write_text(
        f'<robot name="r"><link name="a">{shape}</link><link name="b">{shape}</link><link '
        f'name="c">{shape}</link>'
        f"{joint('j', 'a', 'b', '<origin xyz=' + chr(34) + '0 0 1' + chr(34) + '/>')}"
        f"{joint('k', 'b', 'c', '<origin xyz=' + chr(34) + '0 0 1' + chr(34) + '/>')}</robot>",
        encoding="utf-8",
    )
    package = ("--package", f"secret={mesh.parent}")
    fit = ("fit", path, "--spheres", "1", "--effort", "fast", "--jobs", "1")
    mask = ("mask", path, "--geometry", "hulls", "--samples", "16", "--certify", "0")
    for command in (fit, mask):
        assert run(*command) == 2
        assert run(*command, *package) in (0, 3)
    assert run("fit", path, "--package", "secret") == 2
    assert "NAME=FOLDER" in capsys.readouterr().err


def test_two_robots_are_told_apart_by_their_names(tmp_path: Path) -> None:
    make_document(tmp_path)
    other = tmp_path / "other.urdf"
    other.write_text(robot(joint("j", "a", "b")), encoding="utf-8")
    findings = {
        file.path.name: file.findings for file in check_files(sorted(tmp_path.glob("*.*rdf")))
    }
    assert [f for f in findings["arm.xrdf"] if f.severity is editor_app.Severity.ERROR] == []
    assert findings["other.urdf"] == ()


def test_every_module_with_rules_is_listed() -> None:
    for name, modules in runner.RULE_MODULES.items():
        folder = Path(str(runner.__file__)).parents[1] / "rules" / name
        with_rules = {
            path.stem
            for path in folder.glob("*.py")
            if re.search("@_?rule\\(", path.read_text("utf-8"))
        }
        assert with_rules == set(modules.split()), folder
