"""Pairs that only the thickness of their spheres lets collide are ignored in a first file; pairs
that touch are not."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app.__main__ as program
from editor_app.cli import run_command
from editor_app.core.document.document import Document
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.verbs.open import open_robot
from editor_app.features.checks.verbs.check import check
from editor_app.features.masks.engine.masks import Decision
from editor_app.features.masks.verbs.mask import MaskRules, mask

URDF = """<robot name="r">
  <link name="base"><collision><origin xyz="0 0 0.05"/><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="turret"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
  <link name="arm">
    <collision><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.04 0.04"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="turret"/><origin xyz="0 0 {height}"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="lift" type="revolute"><parent link="turret"/><child link="arm"/><axis xyz="0 -1 0"/>
    <limit lower="{lowest}" upper="1.5" effort="1" velocity="1"/></joint>
</robot>"""
XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {turn: 0.0, lift: 1.4}
cspace:
  joint_names: [turn, lift]
  acceleration_limits: [1.0, 1.0]
  jerk_limits: [1.0, 1.0]
tool_frames: [arm]
collision: {geometry: g}
self_collision: {geometry: g}
geometry:
  g:
    spheres:
      turret: [{center: [0, 0, 0], radius: 0.01}]
      base: [{center: [0, 0, 0.05], radius: 0.13}]
      arm: [{center: [0.12, 0, 0], radius: 0.05}]
"""


def robot(
    tmp_path: Path, height: float, lowest: float, visual: str = "", radius: float = 0.13
) -> Document:
    """`visual`: of the base; `radius`: of its sphere."""
    urdf, xrdf = tmp_path / "r.urdf", tmp_path / "r.xrdf"
    urdf.write_text(
        URDF.format(height=height, lowest=lowest).replace(
            '<link name="base">', f'<link name="base">{visual}'
        )
    )
    xrdf.write_text(XRDF.replace("radius: 0.13", f"radius: {radius}"))
    return open_robot(urdf, xrdf)


@pytest.mark.parametrize(
    ("lowest", "visual", "wanted"),
    [
        pytest.param(0.0, "", [("base", "arm")], id="passes 5 mm above"),
        pytest.param(-0.3, "", [], id="touches when it is low"),
        pytest.param(
            0.0,
            '<visual><geometry><box size="0.4 0.4 0.3"/></geometry></visual>',
            [],
            id="is seen to touch",
        ),
    ],
)
def test_meshes_say_which_pairs_are_needless(
    tmp_path: Path, lowest: float, visual: str, wanted: list[tuple[str, str]]
) -> None:
    document = robot(tmp_path, 0.125, lowest, visual)
    judged = mask(document, samples=2000, certify=0)
    assert LinkPair.of("base", "arm") not in judged.proposal.pairs, "the spheres overlap"
    asked = mask(document, samples=2000, certify=0, rules=MaskRules(compare_meshes=True))
    needless = asked.look.needless
    assert [(each.first, each.second) for each in needless] == wanted
    assert (LinkPair.of("base", "arm") in asked.proposal.pairs) == bool(wanted)
    for each in needless:
        assert each.gap == pytest.approx(0.005, abs=1e-3)
        assert each.share > 0.1
        assert "meshes" in each.reason
        assert each.proven is None or each.proven <= each.gap
        assert ("or more apart" in each.reason) == (each.proven is not None), (
            "bounds are told of proofs alone"
        )
        assert "at least" not in each.reason
        assert asked.proposal.reasons[each.pair] == each.reason
    # The findings see that the meshes stay apart: they do not ask whether the mask is meant.
    document.execute(asked.change)
    assert "XRDF509" not in {finding.code for finding in check(document, slow=True)}


@pytest.mark.parametrize(("lowest", "hides"), [(-0.3, True), (0.0, False)])
def test_collisions_that_a_mask_hides_are_told(tmp_path: Path, lowest: float, hides: bool) -> None:
    document = robot(tmp_path, 0.125, lowest, radius=0.2)
    asked = mask(
        document, samples=2000, certify=0, rules=MaskRules(mask_always=True, compare_meshes=True)
    )
    row = next(r for r in asked.proposal.rows if r.pair == LinkPair.of("base", "arm"))
    assert row.decision is Decision.MASK, "the spheres overlap in every configuration"
    assert row.hides == hides
    assert [(each.first, each.second) for each in asked.look.hidden] == (
        [("base", "arm")] if hides else []
    )
    for each in asked.look.hidden:
        # The arm meets the base from about 2 degrees below the horizontal on.
        assert each.share == pytest.approx(0.25 / 1.8, abs=0.05)
        assert each.reason in row.reason
    document.execute(asked.change)
    told = [f for f in check(document, slow=True) if f.code in ("XRDF509", "XRDF513")]
    assert [(f.code, f.subject.links) for f in told] == [("XRDF513", ("base", "arm"))] * hides
    for finding, each in zip(told, asked.look.hidden, strict=True):
        assert f"{each.share_in_words} of {each.samples:,} random configurations" in finding.message
        assert finding.location is not None
        line = document.xrdf_text.splitlines()[(finding.location.line or 0) - 1]
        assert "arm" in line or "base" in line


@pytest.mark.parametrize(("lowest", "touches"), [(-0.3, True), (0.0, False)])
def test_spheres_that_are_too_thin_to_collide_prove_no_pair_for_the_mask(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lowest: float, touches: bool
) -> None:
    """Other spheres see the collisions only if the pair is checked."""
    document = robot(tmp_path, 0.125, lowest, radius=0.02)
    pair, rules = LinkPair.of("base", "arm"), MaskRules(compare_meshes=True)
    assert pair in mask(document, samples=2000, certify=1).proposal.pairs, "by the spheres alone"
    asked = mask(document, samples=2000, certify=1, rules=rules)
    assert (pair in asked.proposal.pairs) == (not touches)
    assert [each.pair for each in asked.look.thin] == [pair] * touches
    for each in asked.look.thin:
        assert each.share == pytest.approx(0.25 / 1.8, abs=0.05)
    files = [str(tmp_path / "r.urdf"), str(tmp_path / "r.xrdf")]
    run_command(
        "mask", [*files, "--samples", "2000", "--ask-meshes", "-o", str(tmp_path / "o.xrdf")]
    )
    assert (
        "base and arm stay checked: the meshes touch in 1" in capsys.readouterr().err
    ) == touches
    written = open_robot(tmp_path / "r.urdf", tmp_path / "o.xrdf")
    assert (pair in written.robot.xrdf.ignored_pairs()) == (not touches)


def test_a_collision_that_no_mask_hides_is_no_finding(tmp_path: Path) -> None:
    document = robot(tmp_path, 0.125, -0.3, radius=0.2)
    assert "XRDF513" not in {f.code for f in check(document, slow=True)}


def test_the_command_line_writes_what_the_interface_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = robot(tmp_path, 0.125, 0.0)
    document.execute(
        mask(document, samples=2000, certify=0, rules=MaskRules(compare_meshes=True)).change
    )
    urdf, xrdf, out = tmp_path / "r.urdf", tmp_path / "r.xrdf", tmp_path / "out.xrdf"
    arguments = ["--samples", "2000", "--certify", "0", "--compare-meshes", "-o", str(out)]
    program.main(["mask", str(urdf), str(xrdf), *arguments])
    capsys.readouterr()
    assert "arm" in document.xrdf_text.partition("self_collision")[2].partition("geometry:\n")[0]
    assert out.read_text(encoding="utf-8") == document.xrdf_text
