"""One articulated system that the scene instantiates twice: two robots, each with its own values,
names and place."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import editor_app.__main__ as program
from editor_app.core.formats.exchange.codec import ALL_ROBOTS
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from editor_app.plugins.collada.read import overview, read_collada_robot
from tests.helpers.collada_robot import twins
from tests.helpers.robots import report_of, srdf_of, stated_of, urdf_of


def _urdf(text: str) -> Urdf:
    return read_urdf(SourceText.from_text(text)).value


def _limits(urdf: Urdf, name: str) -> tuple[float, float]:
    """Upper bound and velocity, in degrees."""
    limit = next(j.limit for j in urdf.joints if j.name == name)
    assert limit is not None
    assert limit.upper is not None
    assert limit.velocity is not None
    return math.degrees(limit.upper), math.degrees(limit.velocity)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("", ""), ("a", "b")),
        ((' name="left"', ' name="right"'), ("left", "right")),
        ((' name="x"',) * 2, ("x", "x_2")),
    ],
)
def test_both_are_robots_to_choose_from(
    names: tuple[str, str], told: tuple[str, str], tmp_path: Path
) -> None:
    assert overview(twins(tmp_path, names)).robots == told


def test_each_has_the_values_of_its_instance(tmp_path: Path) -> None:
    path = twins(tmp_path)
    for name, limits, value in (("a", (60, 10), 20), ("b", (80, 30), -30)):
        robot = read_collada_robot(path, name)
        urdf = urdf_of(robot)
        assert urdf.name == name
        assert _limits(urdf, "turn") == pytest.approx(limits)
        assert math.degrees(stated_of(robot).positions["turn"]) == pytest.approx(value)
        assert not [e for e in report_of(robot).entries if "parameter" in e.item]


def test_both_together_stand_where_the_scene_has_them(tmp_path: Path) -> None:
    robot = read_collada_robot(twins(tmp_path), ALL_ROBOTS)
    urdf = urdf_of(robot)
    assert _limits(urdf, "turn") == pytest.approx((60, 10))
    assert _limits(urdf, "turn_2") == pytest.approx((80, 30))
    assert {k: round(math.degrees(v)) for k, v in stated_of(robot).positions.items()} == {
        "turn": 20,
        "turn_2": -30,
    }
    tree = build_tree(urdf)
    world = compute_forward(tree, {})
    assert np.allclose(world[tree.index["base"]][:3, 3], (0, 1, 0))
    assert np.allclose(world[tree.index["base_2"]][:3, 3], (0, -1, 0))
    groups = srdf_of(robot).groups
    assert [(g.name, g.chains) for g in groups] == [
        ("whole", (("base", "tip"),)),
        ("whole_2", (("base_2", "tip_2"),)),
    ]


def test_two_motions_of_one_system_that_no_scene_shows_are_two_robots(tmp_path: Path) -> None:
    path = twins(tmp_path)
    text = path.read_text(encoding="utf-8")
    start, end = (
        text.index('<articulated_system id="t">'),
        text.index("</library_articulated_systems>"),
    )
    slow = (
        text[start:end]
        .replace('id="t"', 'id="slow"')
        .replace("<float>100</float>", "<float>7</float>")
    )
    text = text[:end] + slow + text[end : text.index("<library_kinematics_scenes>")] + "</COLLADA>"
    path.write_text(text, encoding="utf-8")
    assert overview(path).robots == ("t", "slow")
    for name, speed in (("t", 100), ("slow", 7)):
        assert _limits(urdf_of(read_collada_robot(path, name)), "turn") == pytest.approx(
            (170, speed)
        )


def test_the_command_line_converts_the_chosen_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = twins(tmp_path)
    for name, limits in (("a", (60, 10)), ("b", (80, 30))):
        target = tmp_path / f"{name}.urdf"
        assert program.main(["convert", str(path), str(target), "--robot", name]) == 0
        assert _limits(_urdf(target.read_text(encoding="utf-8")), "turn") == pytest.approx(limits)
    assert program.main(["convert", str(path), str(tmp_path / "c.urdf"), "--robot", "c"]) == 2
    assert "Robots in the file: a, b." in capsys.readouterr().err
