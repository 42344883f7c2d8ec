"""Origins, sizes and spheres of 1e308 m: verbs refuse them in words or leave the part out; none
computes on."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app import FitChoices
from editor_app.core.model.urdf import FARTHEST

URDF = """<robot name="a">
  <link name="base">
    <collision><origin xyz="{base}"/><geometry><box size="{size} 0.1 0.1"/></geometry></collision>
  </link>
  <link name="arm"><collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 {joint}"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""
XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {{j: 0}}
cspace: {{joint_names: [j], acceleration_limits: [10], jerk_limits: [100]}}
tool_frames: [arm]
collision: {{geometry: g}}
geometry:
  g:
    spheres:
      base: [{{center: [{centre}, 0, 0], radius: {radius}}}]
      arm: [{{center: [0, 0, 0], radius: 0.1}}]
self_collision: {{geometry: g}}
"""
FAR = ("1.0e+308", "20000.0")
PLACES = ("joint", "centre", "radius")
VERBS: dict[str, Callable[[editor_app.Document], Any]] = {
    "mask": lambda document: editor_app.mask(document, samples=50, certify=0),
    "cost": lambda document: editor_app.model_cost(document, samples=5),
    "plan": lambda document: editor_app.plan_to_random(document, {"j": 0.0}),
}


def opened(folder: Path, **numbers: str) -> editor_app.Document:
    values = {
        "base": "0 0 0",
        "size": "0.1",
        "joint": "0.2",
        "centre": "0.0",
        "radius": "0.05",
        **numbers,
    }
    (folder / "a.urdf").write_text(URDF.format(**values))
    (folder / "a.xrdf").write_text(XRDF.format(**values))
    return editor_app.open_robot(folder / "a.urdf", folder / "a.xrdf")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("number", FAR)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_sampled_is_refused_in_words(
    verb: str, number: str, place: str, tmp_path: Path
) -> None:
    document = opened(tmp_path, **{place: number})
    with pytest.raises(editor_app.Refusal, match="the limit is 10,000 m"):
        VERBS[verb](document)


@pytest.mark.parametrize("place", PLACES)
def test_the_slow_check_ends_with_the_finding_about_the_number(place: str, tmp_path: Path) -> None:
    document = opened(tmp_path, **{place: "1.0e+308"})
    codes = {finding.code for finding in editor_app.check(document, slow=True)}
    assert codes & {"URDF070", "XRDF315"}


@pytest.mark.parametrize(
    ("place", "number"), [("base", "1e308 0 0"), ("base", "20000 0 0"), ("size", "1e308")]
)
def test_a_shape_that_is_too_far_is_left_out_with_a_finding(
    place: str, number: str, tmp_path: Path
) -> None:
    document = opened(tmp_path, **{place: number})
    assert "MESH006" in {finding.code for finding in editor_app.check(document, slow=True)}
    fitted = editor_app.fit(document, number=4, choices=FitChoices(effort="fast"))
    assert [link.link for link in fitted.links] == ["arm"]
    assert [
        "is left out: correct its origin, size or scale" in skipped.reason
        for skipped in fitted.skipped
    ] == [True]


def test_a_part_within_the_bound_stays(tmp_path: Path) -> None:
    document = opened(tmp_path, joint=str(math.floor(FARTHEST / 2)))
    assert editor_app.mask(document, samples=50, certify=0)
