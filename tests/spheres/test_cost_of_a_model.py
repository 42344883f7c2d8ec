"""What spheres and masks cost and hide: a mask that hides meshes touching, spheres too fat and too
thin, by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editor_app.cli import run_command
from editor_app.core.model.counting import Share
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Box, Collision, JointType, Limit, Link, Visual
from editor_app.core.model.xrdf import CollisionSphere, CSpace, GeometryGroup, LinkPair
from editor_app.core.tasks.work import Cancelled, Refused
from editor_app.features.masks.engine.mesh_look import NeedlessPair
from editor_app.plugins.motion.verbs.collide import collide
from editor_app.plugins.motion.verbs.passages import passages
from editor_app.plugins.planning.hooks.cost_report import report
from editor_app.plugins.planning.verbs.model_cost import model_cost
from tests.helpers.robots import sample_urdf
from tests.helpers.sphere_robots import joint, robot_of


def boxes(radius: float, masked: bool = False) -> RobotDescription:
    """A box of 0.2 m that slides past another of the same size; they touch in half of its range.
    One sphere each."""
    from editor_app.core.model.urdf import JointType

    robot = robot_of(
        [
            joint("lift", "base", "stand", limits=(0.0, 0.0)),
            joint(
                "slide",
                "stand",
                "mover",
                kind=JointType.PRISMATIC,
                xyz=(0.0, 0.0, 0.0),
                limits=(0.0, 0.4),
            ),
        ],
        {"base": [(0.0, 0.0, 0.0, radius)], "mover": [(0.0, 0.0, 0.0, radius)]},
    )
    shape = (Collision(Box((0.2, 0.2, 0.2))),)
    links = tuple(
        replace(link, collisions=shape) if link.name in ("base", "mover") else link
        for link in robot.urdf.links
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
    [
        (0.1, False, 0.0, 0.0),
        (0.15, False, 0.25, 0.0),
        (0.05, False, 0.0, 0.25),
        (0.1, True, 0.0, 0.5),
    ],
)
def test_shares_are_those_of_plain_geometry(
    radius: float, masked: bool, needless: float, wrong: float
) -> None:
    """Spheres touch below a distance of two radii, boxes below 0.2 m; the distance is uniform in
    0..0.4 m."""
    cost = model_cost(boxes(radius, masked), samples=1000)
    assert cost.touching / cost.samples == pytest.approx(0.5, abs=0.05)
    assert cost.false_collisions / cost.samples == pytest.approx(needless, abs=0.05)
    assert cost.missed_collisions / cost.samples == pytest.approx(wrong, abs=0.05)
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


def test_a_share_says_what_the_sample_can_tell() -> None:
    """Held against the exact interval of Clopper and Pearson."""
    from scipy.stats import beta

    for count, of in ((3, 4000), (200, 4000), (3195, 15901), (3999, 4000)):
        low, high = Share(count, of).interval
        exact = beta.ppf(0.025, count, of - count + 1), beta.ppf(0.975, count + 1, of - count)
        assert low == pytest.approx(exact[0], abs=0.0005)
        assert high == pytest.approx(exact[1], abs=0.0005)
        assert low < count / of < high
    assert Share(0, 300).interval[1] == pytest.approx(3 / 300, rel=0.01)
    assert str(Share(0, 300)) == "0 of 300 (below 0.99 %)"
    assert str(Share(3195, 15901)) == "20.1 % (19.5 to 20.7 %)"
    assert str(Share(3, 4099)) == "0.073 % (0.025 to 0.21 %)"
    assert str(Share(0, 0)) == "0 of 0"


def test_pairs_and_spheres_are_blamed_with_configurations_that_show_it() -> None:
    robot = boxes(0.15)
    cost = model_cost(robot, samples=2000)
    (fat,) = cost.too_fat
    assert fat.count == fat.alone == cost.needless.count
    assert cost.needless.of == cost.samples - cost.touching
    assert cost.wrong.of == cost.touching
    (contact,) = fat.contacts
    assert {ref.frame for ref in contact[:2] if ref is not None} == {"base", "mover"}
    assert contact[2] == fat.count
    assert {count for _, count in cost.spheres} == {fat.count}
    assert len(fat.witnesses) == 24
    for pose, *_, depth in fat.witnesses:
        assert 0.2 <= pose["slide"] <= 0.3
        assert depth == pytest.approx(0.3 - pose["slide"])


def test_links_without_a_collision_shape_are_compared_by_what_is_visible() -> None:
    cost = model_cost(visible_alone(boxes(0.05)), samples=500)
    assert any("without a collision shape" in note and "mover" in note for note in cost.notes)
    assert cost.wrong.value == pytest.approx(0.5, abs=0.1)


def visible_alone(robot: RobotDescription) -> RobotDescription:
    links = tuple(
        replace(link, collisions=(), visuals=(Visual(link.collisions[0].geometry),))
        if link.name == "mover"
        else link
        for link in robot.urdf.links
    )
    return robot.with_urdf(replace(robot.urdf, links=links))


@pytest.mark.parametrize("geometry", ["meshes", "hulls"])
def test_what_has_no_collision_shape_is_compared_by_what_is_visible_in_collide_too(
    geometry: Any,
) -> None:
    collided = collide(visible_alone(boxes(0.05)), {"slide": 0.1}, geometry=geometry)
    assert not collided.all_free
    assert [note for note in collided.notes if "visual geometry" in note and "mover" in note]


def test_a_reason_bounds_only_what_is_proven() -> None:
    pair = LinkPair.of("a", "b")
    seen = NeedlessPair(pair, "a", "b", 0.5, 0.0094, 16384, None)
    assert (
        seen.reason
        == "meshes not touching in 16,384 samples, smallest gap 9.4 mm; the spheres overlap in 50 %"
    )
    proven = replace(seen, proven=0.00829)
    assert (
        proven.reason == "meshes proven to stay 8.2 mm or more apart; the spheres overlap in 50 %"
    )


def test_what_cannot_be_compared_is_named() -> None:
    robot = boxes(0.05)
    links = tuple(
        replace(link, collisions=()) if link.name == "mover" else link for link in robot.urdf.links
    )
    bare = robot.with_urdf(replace(robot.urdf, links=links))
    [told] = [
        n
        for n in collide(bare, {"slide": 0.1}, geometry="meshes").notes
        if "nothing to compare" in n
    ]
    assert told.endswith(" mover")
    cost = model_cost(bare, samples=50)
    assert told in cost.notes
    assert report({}, cost, passages(bare))["notes"].count(told) == 1, (
        "though both looked at the meshes"
    )
    assert not [
        n
        for n in collide(robot, {"slide": 0.1}, geometry="meshes").notes
        if "nothing to compare" in n
    ]


def test_a_pair_that_touches_always_is_left_out_and_said() -> None:
    robot = boxes(0.1)
    near = {"slide": Limit(0.0, 0.15)}
    joints = tuple(replace(j, limit=near.get(j.name, j.limit)) for j in robot.urdf.joints)
    cost = model_cost(robot.with_urdf(replace(robot.urdf, joints=joints)), samples=500)
    assert cost.touching == 0
    assert ("base", "mover") in cost.left_out


def test_the_command_reports_it(capsys: Any, tmp_path: Path) -> None:
    code = run_command("cost", [str(sample_urdf()), "--samples", "300", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert code == (1 if report["hidden"] else 0)
    assert {
        "false_collisions",
        "missed_collisions",
        "too_fat",
        "spheres",
        "left_out",
    } <= report.keys()
    assert report["refused_needlessly"] == report["false_collisions"], "until release 0.11"
    run_command("cost", [str(sample_urdf()), "--samples", "300", "--format", "html"])
    page = capsys.readouterr().out
    assert "false collisions, of the free configurations" in page
    # What is not looked at is said, and that nothing was found where that is so.
    assert report["passages"]["not_looked_at"]
    assert "Not examined for passages, because more than three joints are between: " in page
    cut = any(each["barriers"] for each in report["passages"]["sets"])
    assert ("No examined pair of links divides the range of its joints." in page) != cut


def test_links_that_nothing_moves_against_each_other_touch_by_design() -> None:
    """Two locked fingers lie against each other: rounding decides in which configurations their
    meshes touch."""
    spots = [(0.0, 0.0, 0.0, 0.05)]
    robot = robot_of(
        [
            joint("turn", "base", "palm", limits=(-3.0, 3.0)),
            joint(
                "one",
                "palm",
                "left",
                kind=JointType.PRISMATIC,
                xyz=(1.1, 0.1, 0.0),
                limits=(0.0, 0.1),
            ),
            joint(
                "two",
                "palm",
                "right",
                kind=JointType.PRISMATIC,
                xyz=(1.3, 0.1, 0.0),
                limits=(0.0, 0.1),
            ),
        ],
        dict.fromkeys(("base", "palm", "left", "right"), spots),
    )
    shape = (Collision(Box((0.2, 0.2, 0.2))),)
    links = tuple(replace(link, collisions=shape) for link in robot.urdf.links)
    xrdf = replace(
        robot.xrdf, cspace=CSpace(("turn",)), default_joint_positions=FrozenDict({"turn": 0.0})
    )
    robot = robot.with_urdf(replace(robot.urdf, links=links)).with_xrdf(xrdf)
    cost = model_cost(robot, samples=400)
    assert ("left", "right") in cost.left_out
    assert cost.touching == 0
