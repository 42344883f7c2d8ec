"""Pairs that only the thickness of their spheres lets collide are ignored in a first file; pairs that touch are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.edit.document import Document
from editor_app.model.xrdf import LinkPair
from editor_app.operations.mask import mask
from editor_app.operations.needless_pairs import needless_pairs
from editor_app.operations.open import open_robot

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


def robot(tmp_path: Path, height: float, lowest: float) -> Document:
    urdf, xrdf = tmp_path / "r.urdf", tmp_path / "r.xrdf"
    urdf.write_text(URDF.format(height=height, lowest=lowest))
    xrdf.write_text(XRDF)
    return open_robot(urdf, xrdf)


@pytest.mark.parametrize(
    ("lowest", "partial", "wanted"),
    [
        pytest.param(0.0, (), [("base", "arm")], id="passes 5 mm above"),
        pytest.param(-0.3, (), [], id="touches when it is low"),
        pytest.param(0.0, ("base",), [], id="collision mesh is only a part of the base"),
    ],
)
def test_meshes_say_which_pairs_are_needless(
    tmp_path: Path, lowest: float, partial: tuple[str, ...], wanted: list[tuple[str, str]]
) -> None:
    document = robot(tmp_path, 0.125, lowest)
    judged = mask(document, samples=2000, certify=0)
    assert LinkPair.of("base", "arm") not in judged.proposal.pairs, "the spheres overlap"
    found = needless_pairs(document, judged, partial)
    assert [(each.first, each.second) for each in found] == wanted
    for each in found:
        assert each.gap == pytest.approx(0.005, abs=1e-3)
        assert each.share > 0.1
        assert "meshes" in each.reason
