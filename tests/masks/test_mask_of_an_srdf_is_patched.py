"""`mask` and the SRDF: judged and patched like the XRDF's; reasons and every other byte stay."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.model.xrdf import LinkPair
from tests.helpers.robots import shared_robots

QUICK = ("--samples", "200", "--certify", "0")


def mask(capsys: Any, *arguments: object) -> tuple[int, dict[str, Any], str]:
    code = run_command("mask", [*map(str, arguments), *QUICK, "--format", "json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else {}, captured.err


def pairs(path: Path, urdf: Path) -> dict[LinkPair, str | None]:
    srdf = editor_app.open_robot(urdf, path).robot.srdf
    assert srdf is not None
    return {LinkPair.of(p.link1, p.link2): p.reason for p in srdf.disabled_pairs}


def assert_only_pairs_were_added(before: bytes, after: bytes) -> None:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    rest = iter(new)
    assert all(line in rest for line in old), "every line is there, in its order"
    added = [line for line in new if line not in old]
    assert all(
        line.strip().startswith(b"<disable_collisions ") and b'reason="' in line for line in added
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("form", ["moveit", "tesseract"])
def test_the_srdf_is_patched_and_nothing_else_changes(
    sample_copy: Path, capsys: Any, newline: str, form: str
) -> None:
    srdf = sample_copy.with_suffix(".srdf")
    text = srdf.read_text(encoding="utf-8")
    text = text.replace('reason="Adjacent"/>', 'reason="as I say"/>', 1)
    if form == "tesseract":
        text = text.replace('<robot name="heron">', '<robot name="heron" version="1.0.0">')
        text = text.replace("</robot>", '  <collision_margins default_margin="0.025"/>\n</robot>')
    srdf.write_bytes(text.replace("\n", newline).encode())
    before, out = srdf.read_bytes(), sample_copy.with_name("masked.srdf")
    code, report, _ = mask(capsys, sample_copy, srdf, "-o", out)
    assert code in (0, 1, 3, 4)
    assert report["output"] == str(out)
    assert report["mask_of"] == str(srdf)
    assert srdf.read_bytes() == before, "only OUT is written"
    assert_only_pairs_were_added(before, out.read_bytes())
    assert out.read_bytes() != before
    old, new = pairs(srdf, sample_copy), pairs(out, sample_copy)
    assert {pair: new[pair] for pair in old} == old, "reasons stay"
    assert "as I say" in new.values()
    assert {LinkPair.of(row["link1"], row["link2"]) for row in report["added"]} == set(new) - set(
        old
    )
    assert {new[pair] for pair in set(new) - set(old)} <= {"Adjacent", "Never"}


def test_the_output_alone_tells_whose_mask_it_is(sample_copy: Path, capsys: Any) -> None:
    out = sample_copy.with_name("masked.srdf")
    _, report, _ = mask(capsys, sample_copy, "-o", out)
    assert report["mask_of"] == str(sample_copy.with_suffix(".srdf"))
    assert "<disable_collisions" in out.read_text(encoding="utf-8")
    _, report, _ = mask(capsys, sample_copy, "-o", sample_copy.with_name("masked.xrdf"))
    assert report["mask_of"] == str(sample_copy.with_suffix(".xrdf"))


@pytest.mark.parametrize("geometry", [None, "meshes"])
def test_without_spheres_meshes_or_their_hulls_are_compared(
    sample_copy: Path, capsys: Any, geometry: str | None
) -> None:
    sample_copy.with_suffix(".xrdf").unlink()
    choice = () if geometry is None else ("--geometry", geometry)
    _, report, _ = mask(capsys, sample_copy, sample_copy.with_suffix(".srdf"), *choice)
    assert report["settings"]["geometry"] == (geometry or "hulls")
    assert len(report["pairs"]) == 45
    code, _, told = mask(
        capsys, sample_copy, sample_copy.with_suffix(".srdf"), "--geometry", "spheres"
    )
    assert code == 2
    assert "Fit spheres" in told


@pytest.mark.parametrize("name", ["out.urdf", "out.dae", "out.xacro"])
def test_a_name_that_promises_another_format_is_refused(
    sample_copy: Path, capsys: Any, name: str
) -> None:
    code, _, told = mask(capsys, sample_copy, "-o", sample_copy.with_name(name))
    assert code == 2
    assert name in told
    assert not sample_copy.with_name(name).exists()
    document = editor_app.open_robot(sample_copy)
    with pytest.raises(editor_app.Refused, match=name):
        editor_app.save(document, sample_copy.with_name(name))


@pytest.mark.parametrize(
    ("content", "name"), [("xrdf", "x.srdf"), ("srdf", "x.xrdf"), ("urdf", "x.srdf")]
)
@pytest.mark.parametrize("command", ["check", "mask", "fit"])
def test_what_a_file_holds_and_what_its_name_says_must_agree(
    sample_copy: Path, capsys: Any, content: str, name: str, command: str
) -> None:
    wrong = sample_copy.with_name(name)
    shutil.copy(sample_copy.with_suffix(f".{content}"), wrong)
    assert run_command(command, [str(sample_copy), str(wrong)]) == 2
    captured = capsys.readouterr()
    assert name in captured.out + captured.err
    assert (
        f"This is a{'n' if content != 'urdf' else ''} {content.upper()}"
        in captured.out + captured.err
    )


def test_no_srdf_is_said(sample_copy: Path, capsys: Any) -> None:
    sample_copy.with_suffix(".srdf").unlink()
    code, _, told = mask(capsys, sample_copy, "-o", sample_copy.with_name("new.srdf"))
    assert code == 2
    assert "no SRDF to check" in told


def test_the_srdf_of_a_real_robot(tmp_path: Path, capsys: Any) -> None:
    robots = shared_robots()
    urdf = next((robots / "panda").rglob("panda.urdf"))
    out = tmp_path / "out.srdf"
    code, _, _ = mask(capsys, urdf, robots / "panda" / "panda.srdf", "-o", out)
    assert code in (0, 1, 3, 4)
    assert_only_pairs_were_added((robots / "panda" / "panda.srdf").read_bytes(), out.read_bytes())
