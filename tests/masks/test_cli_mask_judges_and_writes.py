"""`xrdf-editor mask`: judges the file's mask by its exit code, reports every pair, writes what it
proposes."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from editor_app.cli import run_command
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import save_document
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.verbs.mask_changes import WriteMaskText
from tests.helpers.robots import shared_robots

QUICK = ("--samples", "4096", "--certify", "1")
FINGERS = LinkPair.of("left_finger_link", "right_finger_link")


def mask(capsys: Any, *arguments: object) -> tuple[int, dict[str, Any]]:
    code = run_command("mask", [*map(str, arguments), "--format", "json"])
    out = capsys.readouterr().out
    return code, json.loads(out) if out else {}


def edited(urdf: Path, target: Path, *changes: Any) -> Path:
    document = open_document(urdf)
    for change in changes:
        document.execute(change)
    return save_document(document, target)


def test_exit_code_tells_hidden_from_missed_collisions(
    sample_copy: Path, tmp_path: Path, capsys: Any
) -> None:
    hand_joint = LinkPair.of("hand_link", "left_finger_link")
    clean = edited(sample_copy, tmp_path / "clean.xrdf", SetMask(checked=(FINGERS,)))
    missing = edited(sample_copy, tmp_path / "missing.xrdf", SetMask(checked=(FINGERS, hand_joint)))
    both = edited(sample_copy, tmp_path / "both.xrdf", SetMask(checked=(hand_joint,)))
    assert mask(capsys, sample_copy, clean, *QUICK)[0] == 0
    code, report = mask(capsys, sample_copy, *QUICK)
    assert (code, report["hidden_collisions"]) == (1, [["left_finger_link", "right_finger_link"]])
    code, report = mask(capsys, sample_copy, missing, *QUICK)
    assert (code, report["missed_certain"]) == (3, [["hand_link", "left_finger_link"]])
    assert mask(capsys, sample_copy, both, *QUICK)[0] == 4
    assert mask(capsys, tmp_path / "nowhere.urdf", *QUICK)[0] == 2


def test_every_pair_is_reported_with_a_witness_that_holds(sample_copy: Path, capsys: Any) -> None:
    _, report = mask(capsys, sample_copy, *QUICK)
    robot = open_document(sample_copy).robot
    live = LiveDistances(build_sphere_model(robot), {})
    assert len(report["pairs"]) == len(live.model.pairs) == 45
    for pair in report["pairs"]:
        row = live.model.pair_index[LinkPair.of(pair["link1"], pair["link2"])]
        live.set_pose(pair["witness"])
        # Judged at the configuration itself, not by what the report says about it.
        assert live.clearance[row] == pytest.approx(pair["clearance_min_m"], abs=1e-9)
        if pair["certified_clearance_m"] is not None:
            assert pair["certified_clearance_m"] <= pair["clearance_min_m"]
        assert pair["ignored"] == (
            LinkPair.of(pair["link1"], pair["link2"]) in robot.xrdf.ignored_pairs()
        )


def test_a_pair_in_json_has_the_documented_fields(sample_copy: Path, capsys: Any) -> None:
    _, report = mask(capsys, sample_copy, *QUICK)
    documented: dict[str, Any] = {
        "link1": str, "link2": str, "class": str, "ignored": bool, "clearance_min_m": float,
        "certified_clearance_m": (float, type(None)), "probability": (float, type(None)), "samples": int,
        "witness": dict,
    }  # fmt: skip
    for pair in report["pairs"]:
        for field, kind in documented.items():
            assert isinstance(pair[field], kind), field
        assert all(isinstance(value, float) for value in pair["witness"].values())
        assert pair["ignored"] in (True, False)
    assert {p["class"] for p in report["pairs"]} <= {
        "adjacent", "rigid", "default", "always", "never (certified)", "never (sampled only)", "can collide",
    }  # fmt: skip


def test_limits_and_locked_joints_are_chosen(sample_copy: Path, capsys: Any) -> None:
    _, wide = mask(capsys, sample_copy, *QUICK)
    _, narrow = mask(capsys, sample_copy, *QUICK, "--margin", 40, "--margin-linear", 5)
    assert "less 40° and 5 mm at each end" in narrow["conditions"]
    urdf = open_document(sample_copy).robot.urdf

    def beyond(report: dict[str, Any]) -> bool:
        """Whether some witness stands nearer than 20 degrees to a limit."""
        for pair in report["pairs"]:
            for name, value in pair["witness"].items():
                joint = urdf.joint(name)
                assert joint is not None
                limits = joint.position_limits
                if (
                    limits is not None
                    and joint.type.value == "revolute"
                    and not (limits[0] + 0.35 <= value <= limits[1] - 0.35)
                ):
                    return True
        return False

    assert beyond(wide)
    assert not beyond(narrow)
    _, locked = mask(capsys, sample_copy, *QUICK, "--locked", "--limits", "soft")
    assert "locked at the default" in locked["conditions"]
    assert "soft" in locked["conditions"]


def test_seed_repeats_and_csv_and_page_say_the_same(sample_copy: Path, capsys: Any) -> None:
    _, one = mask(capsys, sample_copy, *QUICK, "--seed", 7)
    _, two = mask(capsys, sample_copy, *QUICK, "--seed", 7)
    _, other = mask(capsys, sample_copy, *QUICK, "--seed", 8)
    for report in (one, two, other):
        report.pop("seconds")
    assert [p["probability"] for p in one["pairs"]] == [p["probability"] for p in two["pairs"]]
    assert [p["probability"] for p in one["pairs"]] != [p["probability"] for p in other["pairs"]]
    run_command("mask", [str(sample_copy), *QUICK, "--seed", "7", "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(r["link1"], r["link2"], r["class"]) for r in rows] == [
        (p["link1"], p["link2"], p["class"]) for p in one["pairs"]
    ]
    run_command("mask", [str(sample_copy), *QUICK, "--seed", "7", "--format", "html"])
    page = capsys.readouterr().out
    assert len(re.findall(r"<td class=\"[^\"]*\" style", page)) == 2 * len(rows)
    assert "left_finger_link – right_finger_link" in page


def test_written_mask_is_what_was_proposed_and_nothing_else_changes(
    sample_copy: Path, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "out.xrdf"
    _, report = mask(capsys, sample_copy, *QUICK, "-o", out)
    robot = open_document(sample_copy, out).robot
    assert robot.xrdf.ignored_pairs() == {
        LinkPair.of(p["link1"], p["link2"]) for p in report["pairs"] if p["proposed"]
    } | {LinkPair.of(*p) for p in report["without_spheres"]}
    assert FINGERS in robot.xrdf.ignored_pairs()
    listed = [(a, b) for a, others in robot.xrdf.self_collision.ignore.items() for b in others]  # type: ignore[union-attr]
    assert len({frozenset(p) for p in listed}) == len(listed)
    before = sample_copy.with_suffix(".xrdf").read_text(encoding="utf-8").splitlines()
    after = out.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(before) if line.startswith("  ignore:"))
    stop = next(i for i, line in enumerate(before) if line.startswith("geometry:"))
    assert after[: start + 1] == before[: start + 1]
    assert after[-(len(before) - stop) :] == before[stop:]
    # The written mask is clean but for what the file had by hand; told to, that goes, too.
    replaced = tmp_path / "replaced.xrdf"
    _, report = mask(capsys, sample_copy, *QUICK, "-o", replaced, "--replace")
    assert [(r["link1"], r["link2"]) for r in report["removed"]] == [
        ("left_finger_link", "right_finger_link")
    ]
    assert mask(capsys, sample_copy, replaced, *QUICK)[0] == 0


def test_reasons_stand_as_comments_and_can_be_read_over(
    sample_copy: Path, tmp_path: Path, capsys: Any
) -> None:
    plain, told = tmp_path / "plain.xrdf", tmp_path / "told.xrdf"
    mask(capsys, sample_copy, *QUICK, "-o", plain)
    mask(capsys, sample_copy, *QUICK, "-o", told, "--reasons")
    assert "certified" not in plain.read_text(encoding="utf-8")
    text = told.read_text(encoding="utf-8")
    assert re.search(r"^      - elbow_link  # never, certified [\d.]+ mm$", text, re.MULTILINE)
    assert (
        open_document(sample_copy, told).robot.xrdf == open_document(sample_copy, plain).robot.xrdf
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_keep_newlines_and_own_comments(
    tmp_path: Path, sample_copy: Path, newline: str
) -> None:
    xrdf = sample_copy.with_suffix(".xrdf")
    text = xrdf.read_text(encoding="utf-8").replace(
        "    base_link: [shoulder_link]", "    base_link:\n      - shoulder_link # mine"
    )
    xrdf.write_bytes(text.replace("\n", newline).encode())
    document = open_document(sample_copy)
    pair, new = LinkPair.of("base_link", "shoulder_link"), LinkPair.of("base_link", "hand_link")
    wanted = document.robot.xrdf.ignored_pairs() | {new}
    reasons = {pair: "adjacent", new: "because"}
    mask = SetMask.exactly(document.robot, MaskFile.XRDF, wanted, reasons=reasons)
    document.execute(WriteMaskText(document.robot, mask))
    after = document.xrdf_text
    assert "- shoulder_link # mine" + newline in after
    assert re.search(r"- hand_link  # (hand_link: )?because" + newline, after)
    assert len(document.history) == 2
    document.undo()
    assert document.xrdf_text == text.replace("\n", newline)


def test_meshes_and_hulls_give_a_second_opinion(sample_copy: Path, capsys: Any) -> None:
    arguments = (sample_copy, "--samples", "256", "--certify", "0.2")
    _, spheres = mask(capsys, *arguments)
    _, hulls = mask(capsys, *arguments, "--geometry", "hulls")
    _, meshes = mask(capsys, *arguments, "--geometry", "meshes")

    def shares(report: dict[str, Any]) -> dict[Any, float]:
        return {
            frozenset((p["link1"], p["link2"])): p["probability"] or 0.0 for p in report["pairs"]
        }

    # A hull holds its mesh: it collides wherever the mesh does.
    assert all(shares(hulls)[pair] >= share for pair, share in shares(meshes).items())
    assert sum(shares(spheres).values()) > sum(shares(meshes).values()) > 0.0


def test_progress_is_on_standard_error_and_help_documents_the_codes(sample_copy: Path) -> None:
    command = [sys.executable, "-P", "-m", "editor_app", "mask"]
    done = subprocess.run(
        [*command, str(sample_copy), "--samples", "512", "--certify", "0", "--format", "json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["complete"] is True
    assert "Sampling" in done.stderr
    told = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60).stdout
    assert "1    the mask hides a possible collision" in told
    assert "3    the mask checks a pair that certainly overlaps" in told


def test_vendor_mask_of_a_real_robot(tmp_path: Path, capsys: Any) -> None:
    folder = shared_robots() / "ur10e"
    code, report = mask(
        capsys, folder / "ur10e.urdf", folder / "ur10e.xrdf", *QUICK, "-o", tmp_path / "out.xrdf"
    )
    assert code in (0, 1, 3, 4)
    assert (code in (1, 4)) == bool(report["hidden_collisions"])
    assert (code in (3, 4)) == bool(report["missed_certain"])
    assert all(p["class"] != "never (sampled only)" for p in report["pairs"])


def test_masking_by_hand_is_seen_by_the_command_line(
    sample_copy: Path, tmp_path: Path, capsys: Any
) -> None:
    pair = LinkPair.of("base_link", "hand_link")
    changed = edited(
        sample_copy, tmp_path / "changed.xrdf", SetMask(checked=(FINGERS,)), SetMask(pairs=(pair,))
    )
    code, report = mask(capsys, sample_copy, changed, *QUICK)
    assert (code, report["hidden_collisions"]) == (1, [["base_link", "hand_link"]])
