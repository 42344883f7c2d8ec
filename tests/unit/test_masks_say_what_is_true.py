"""Reasons of a mask say who decided and why; a guessed default position hides no pair of two separate arms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.formats.source import SourceText
from editor_app.formats.xrdf import read_xrdf
from editor_app.model.xrdf import LinkPair


def _arm(side: str, y: float) -> str:
    return f"""<link name="{side}_upper"/><link name="{side}_hand"/>
<joint name="{side}_shoulder" type="revolute"><parent link="torso"/><child link="{side}_upper"/>
<origin xyz="0 {y} 0.5"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="{side}_elbow" type="revolute"><parent link="{side}_upper"/><child link="{side}_hand"/>
<origin xyz="0 0 0.4"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>"""


def _robot(folder: Path, defaults: str) -> list[str]:
    urdf = f"""<robot name="two"><link name="torso"/>{_arm("left", 0.1)}{_arm("right", -0.1)}</robot>"""
    frames = ("torso", "left_upper", "left_hand", "right_upper", "right_hand")
    spheres = "".join(f"      {f}:\n      - {{center: [0.0, 0.0, 0.0], radius: 0.15}}\n" for f in frames)
    xrdf = f"""format: xrdf
format_version: 1.0
{defaults}cspace:
  joint_names: [left_shoulder, left_elbow, right_shoulder, right_elbow]
  acceleration_limits: [1.0, 1.0, 1.0, 1.0]
  jerk_limits: [1.0, 1.0, 1.0, 1.0]
tool_frames: [left_hand, right_hand]
collision: {{geometry: g}}
self_collision:
  geometry: g
  ignore: {{}}
geometry:
  g:
    spheres:
{spheres}"""
    (folder / "two.urdf").write_text(urdf, encoding="utf-8")
    (folder / "two.xrdf").write_text(xrdf, encoding="utf-8")
    return [str(folder / "two.urdf"), str(folder / "two.xrdf")]


GIVEN = "default_joint_positions: {left_shoulder: 0.0, left_elbow: 0.0, right_shoulder: 0.0, right_elbow: 0.0}\n"


def _mask(folder: Path, defaults: str, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, list[object]], str]:
    files = _robot(folder, defaults)
    out = folder / "out.xrdf"
    options = ["--samples", "2000", "--certify", "0.2", "--mask-default", "--mask-always", "--reasons", "-o", str(out)]
    main(["mask", *files, *options])
    report: dict[str, list[object]] = json.loads(capsys.readouterr().out)
    return report, out.read_text(encoding="utf-8")


@pytest.mark.parametrize("defaults", ["", f"# Guessed: zero, moved into the limits\n{GIVEN}"])
def test_arms_that_overlap_where_nobody_put_them_stay_to_decide(
    defaults: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, text = _mask(tmp_path, defaults, capsys)
    undecided = {(p["link1"], p["link2"]) for p in report["to_decide"]}  # type: ignore[index]
    assert ("left_hand", "right_hand") in undecided
    section = read_xrdf(SourceText.from_text(text)).xrdf.self_collision
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
