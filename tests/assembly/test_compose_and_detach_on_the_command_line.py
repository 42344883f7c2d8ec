"""Both commands leave the bytes that the verbs leave, and tell what they did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import editor_app
from editor_app.cli import run_command
from tests.helpers.gripper import gripper
from tests.helpers.robots import copy_of_sample

PLACE = [
    "--at",
    "flange_link",
    "--xyz",
    "0.05",
    "-0.01",
    "20mm",
    "--rpy",
    "0",
    "-0.2",
    "90deg",
    "--prefix",
    "g_",
]
QUICK = ["--samples", "200", "--certify", "0.5"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gripper(tmp_path / "hand")
    return copy_of_sample(tmp_path / "arm"), tmp_path / "hand" / "gripper.urdf"


def test_files_are_those_of_the_verbs(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arm, hand = files
    out = arm.parent / "all.urdf"
    # Proofs end by the clock: none is begun here.
    quick = ["--samples", "200", "--certify", "0"]
    code = run_command("compose", [str(arm), str(hand), *PLACE, *quick, "-o", str(out)])
    told = capsys.readouterr().out
    for words in (
        "gripper.urdf -> all.urdf",
        "geometry: 5 spheres unchanged",
        "tool_frames: g_tcp",
        f"wrote {out}",
    ):
        assert words in told
    part = editor_app.Attachment(
        editor_app.open_robot(hand),
        "flange_link",
        (0.05, -0.01, 0.02),
        (0.0, -0.2, 1.5707963267948966),
        "g_",
    )
    assembly = editor_app.compose(editor_app.open_robot(arm), [part], out, samples=200, certify=0)
    assert code == (1 if assembly.overlapping else 0)
    assert {path: path.read_bytes() for path, _ in assembly.files} == dict(assembly.files)
    assert run_command("check", [str(out)]) == 0
    assert run_command("compose", [str(arm), str(hand), *PLACE, *QUICK, "-o", str(out)]) == 2, (
        "files are there"
    )
    assert (
        run_command("compose", [str(arm), str(hand), *PLACE, *QUICK, "-o", str(arm), "--force"])
        == 2
    ), "an input"
    capsys.readouterr()
    assert run_command("detach", [str(out)]) == 0
    told = capsys.readouterr().out
    for words in (
        "gripper.urdf with g_base is removed from flange_link",
        "as they were before",
        "nothing was written",
    ):
        assert words in told
    assert run_command("detach", [str(out), "--link", "g_left", "--in-place"]) == 0
    for suffix in (".urdf", ".xrdf", ".srdf"):
        assert out.with_suffix(suffix).read_bytes() == arm.with_suffix(suffix).read_bytes()
    assert run_command("detach", [str(out)]) == 2, "there is no part any more"


def test_a_report_for_programs(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run_command("compose", [*map(str, files), *PLACE, *QUICK, "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == []
    assert {"first", "second", "ignored", "reason"} == set(told["pairs"][0])
    assert [part["source"] for part in told["parts"]] == ["gripper.urdf"]


def test_files_are_named_with_their_robots_and_places_in_their_order(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arm, hand = files
    other = hand.with_name("other.xrdf")
    other.write_text(
        hand.with_suffix(".xrdf").read_text(encoding="utf-8").replace("tcp", "point"),
        encoding="utf-8",
    )
    out = arm.parent / "all.urdf"
    robots = [str(arm), str(hand), str(other), str(hand)]
    places = ["--at", "hand_link", "--at", "base_link", "--prefix", "a_", "--prefix", "b_"]
    assert run_command("compose", [*robots, *places, *QUICK, "-o", str(out)]) in (0, 1)
    tools = editor_app.open_robot(out).robot.xrdf.tool_frames or ()
    assert tools[-2:] == ("a_point", "b_tcp")
    for wrong, words in (
        ([str(arm), *places], "name the URDF of a part"),
        ([*robots, *places[:2], *places[4:]], "--at is given 1 times for 2 parts"),
        ([str(arm), str(hand), "--at", "hand_linc"], "the nearest name is hand_link"),
        ([str(hand), str(hand), "--at", "base"], "--prefix gripper_"),
        ([str(arm), str(hand), *PLACE, "-o", "-"], "name a file with -o"),
    ):
        assert run_command("compose", wrong) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run_command(
            "compose", [str(arm), str(hand), "--at", "hand_link", "--xyz", "1deg", "0", "0"]
        )
    assert "'1deg'" in capsys.readouterr().err


def test_a_recipe_says_what_the_arguments_say(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arm, hand = files
    recipe, quick = arm.parent.parent / "cell.yaml", ["--samples", "200", "--certify", "0"]
    recipe.write_text(
        "base: arm/heron.urdf\nparts:\n"
        "  - {part: hand/gripper.urdf, at: flange_link, xyz: [0.05, -0.01, 0.02], rpy: [0, -0.2, "
        "1.5], prefix: g_}\n"
        "  - {part: hand/gripper.urdf, at: g_base, prefix: h_}\n"
    )
    run_command("compose", [str(recipe), *quick, "-o", str(arm.parent / "a.urdf")])
    first = [
        "--at",
        "flange_link",
        "--xyz",
        "0.05",
        "-0.01",
        "0.02",
        "--rpy",
        "0",
        "-0.2",
        "1.5",
        "--prefix",
        "g_",
    ]
    second = ["--at", "g_base", "--xyz", "0", "0", "0", "--rpy", "0", "0", "0", "--prefix", "h_"]
    arguments = [str(arm), str(hand), str(hand), *first, *second, *quick]
    run_command("compose", [*arguments, "-o", str(arm.parent / "b.urdf")])
    for suffix in (".urdf", ".xrdf", ".srdf"):
        texts = [
            (arm.parent / name).with_suffix(suffix).read_bytes() for name in ("a.urdf", "b.urdf")
        ]
        assert texts[0] == texts[1]
    assert run_command("compose", [str(recipe), "--at", "flange_link"]) == 2
    assert "remove --at" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("base: heron.urdf\n", "no list of parts"),
        ("parts: [{part: a.urdf, at: b}]\n", "base must be the URDF"),
        ("base: heron.urdf\nparts: [{part: a.urdf}]\n", "part 1 needs at"),
        (
            "base: heron.urdf\nparts: [{part: a.urdf, at: b, xyz: [1, 2]}]\n",
            "xyz of part 1 must be three numbers",
        ),
        ("base: heron.urdf\nparts: [{part: a.urdf, at: b, turn: 1}]\n", "'turn' of part 1"),
        ("base: heron.urdf\nparts: [{part: a.urdf, at: b}]\nmore: 1\n", "'more' is not a key"),
    ],
)
def test_a_recipe_that_is_none_is_told(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cell.yaml").write_text(text)
    assert run_command("compose", [str(tmp_path / "cell.yaml")]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "cell.yaml" in told
