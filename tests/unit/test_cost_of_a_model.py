"""What spheres and masks cost and hide: a mask that hides meshes touching, spheres too fat and too thin, by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editor_app.cli import run_command
from editor_app.model.frozen import FrozenDict
from editor_app.model.origin import Origin
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Box, Collision, Link
from editor_app.model.xrdf import CollisionSphere, CSpace, GeometryGroup, LinkPair
from editor_app.operations.model_cost import model_cost
from editor_app.operations.work import Cancelled, Refused
from tests.helpers.robots import sample_urdf
from tests.helpers.sphere_robots import joint, robot_of


def boxes(radius: float, masked: bool = False) -> RobotDescription:
    """A box of 0.2 m that slides past another of the same size; they touch in half of its range. One sphere each."""
    from editor_app.model.urdf import JointType

    robot = robot_of(
        [
            joint("lift", "base", "stand", limits=(0.0, 0.0)),
            joint("slide", "stand", "mover", kind=JointType.PRISMATIC, xyz=(0.0, 0.0, 0.0), limits=(0.0, 0.4)),
        ],
        {"base": [(0.0, 0.0, 0.0, radius)], "mover": [(0.0, 0.0, 0.0, radius)]},
    )
    shape = (Collision(Box((0.2, 0.2, 0.2))),)
    links = tuple(
        replace(link, collisions=shape) if link.name in ("base", "mover") else link for link in robot.urdf.links
    )
    marker = Link("stand", collisions=(Collision(Box((0.1, 0.1, 0.1)), Origin((0.0, 5.0, 0.0))),))
    links = tuple(marker if link.name == "stand" else link for link in links)
    assert robot.xrdf.self_collision is not None
    section = replace(
        robot.xrdf.self_collision,
        ignore=FrozenDict({"base": ("mover",) if masked else ("nothing",)}),
    )  # fmt: skip
    xrdf = replace(
        robot.xrdf,
        self_collision=section,
        cspace=CSpace(("slide",)),
        default_joint_positions=FrozenDict({"slide": 0.4}),
    )
    return robot.with_urdf(replace(robot.urdf, links=links)).with_xrdf(xrdf)


@pytest.mark.parametrize(
    ("radius", "masked", "needless", "wrong"),
    [(0.1, False, 0.0, 0.0), (0.15, False, 0.25, 0.0), (0.05, False, 0.0, 0.25), (0.1, True, 0.0, 0.5)],
)
def test_shares_are_those_of_plain_geometry(radius: float, masked: bool, needless: float, wrong: float) -> None:
    """Spheres touch below a distance of two radii, boxes below 0.2 m; the distance is uniform in 0..0.4 m."""
    cost = model_cost(boxes(radius, masked), samples=1000)
    assert cost.touching / cost.samples == pytest.approx(0.5, abs=0.05)
    assert cost.refused_needlessly / cost.samples == pytest.approx(needless, abs=0.05)
    assert cost.accepted_wrongly / cost.samples == pytest.approx(wrong, abs=0.05)
    assert bool(cost.too_fat) == (needless > 0.0)
    assert bool(cost.hidden) == (wrong > 0.0)
    for entry in cost.hidden:
        assert LinkPair.of(*entry.names) == LinkPair.of("base", "mover")
        assert entry.masked is masked
        assert 0.0 <= entry.witness["slide"] <= 0.2
    for fat in cost.too_fat:
        assert {ref.frame for ref, _ in fat.spheres} == {"base", "mover"}
        assert 0.2 <= fat.witness["slide"] <= 2 * radius


def test_a_link_without_spheres_is_said() -> None:
    robot = boxes(0.1)
    group = GeometryGroup("balls", FrozenDict({"base": (CollisionSphere((0.0, 0.0, 0.0), 0.1),), "stand": (
        CollisionSphere((0.0, 5.0, 0.0), 0.1),)}))  # fmt: skip
    cost = model_cost(robot.with_xrdf(replace(robot.xrdf, geometry=(group,))), samples=200)
    assert cost.hidden[0].without_spheres
    with pytest.raises(Cancelled):
        model_cost(robot, cancel=lambda: True)
    with pytest.raises(Refused):
        model_cost(robot, samples=0)


def test_the_command_reports_it(capsys: Any, tmp_path: Path) -> None:
    code = run_command("cost", [str(sample_urdf()), "--samples", "300"])
    report = json.loads(capsys.readouterr().out)
    assert code == (1 if report["hidden"] else 0)
    assert {"refused_needlessly_share", "accepted_wrongly_share", "too_fat", "left_out"} <= report.keys()
    run_command("cost", [str(sample_urdf()), "--samples", "300", "--report", "html"])
    assert "refused though the meshes are free" in capsys.readouterr().out
