"""Reasons of a mask say who decided and why; a guessed default position hides no pair of two
separate arms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import SourceText
from tests.helpers.sphere_robots import GIVEN, two_arms


def _mask(
    folder: Path, defaults: str, capsys: pytest.CaptureFixture[str]
) -> tuple[dict[str, list[object]], str]:
    files = two_arms(folder, defaults)
    out = folder / "out.xrdf"
    options = [
        "--samples",
        "2000",
        "--certify",
        "0.2",
        "--mask-default",
        "--mask-always",
        "--reasons",
        "-o",
        str(out),
    ]
    main(["mask", *files, *options, "--format", "json"])
    report: dict[str, list[object]] = json.loads(capsys.readouterr().out)
    return report, out.read_text(encoding="utf-8")


@pytest.mark.parametrize("defaults", ["", f"# Guessed: zero, moved into the limits\n{GIVEN}"])
def test_arms_that_overlap_where_nobody_put_them_stay_to_decide(
    defaults: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, text = _mask(tmp_path, defaults, capsys)
    undecided = {(p["link1"], p["link2"]) for p in report["to_decide"]}  # type: ignore[index]
    assert ("left_hand", "right_hand") in undecided
    section = read_xrdf(SourceText.from_text(text)).value.self_collision
    assert section is not None
    assert LinkPair.of("left_hand", "right_hand") not in section.ignored_pairs()
    assert LinkPair.of("left_upper", "left_hand") in section.ignored_pairs()
    assert all("guessed" in p["reason"] for p in report["to_decide"])  # type: ignore[index]


def test_arms_that_overlap_where_the_user_put_them_are_hidden_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, text = _mask(tmp_path, GIVEN, capsys)
    assert report["to_decide"] == []
    assert "at the default configuration; all such pairs are ignored" in text


@pytest.mark.parametrize("defaults", ["", GIVEN])
def test_what_the_tool_chose_is_not_said_to_be_by_hand(
    defaults: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = _mask(tmp_path, defaults, capsys)
    assert "by hand" not in text


def test_a_proof_of_spheres_that_buffers_shrink_says_by_how_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It proves nothing of the links themselves, which the spheres cover without the buffers."""
    files = two_arms(tmp_path, GIVEN)
    xrdf = Path(files[1])
    text = xrdf.read_text(encoding="utf-8").replace("radius: 0.15", "radius: 0.03")
    buffers = "buffer_distance: {torso: 0.01, left_hand: -0.02}"
    xrdf.write_text(text.replace("  ignore: {}", f"  {buffers}\n  ignore: {{}}"), encoding="utf-8")
    main(["mask", *files, "--samples", "2000", "--certify", "5", "--format", "json"])
    pairs = json.loads(capsys.readouterr().out)["added"]
    reasons = {(p["link1"], p["link2"]): p["reason"] for p in pairs}
    assert reasons["torso", "left_hand"].startswith("never, certified ")
    assert reasons["torso", "left_hand"].endswith(" mm by spheres that buffers shrink by 20.00 mm")
    assert reasons["torso", "right_hand"].endswith(" mm")
    assert "buffers" not in reasons["torso", "right_hand"]
