"""What is adjacent, what is rigid, and that everything else is sampled: parts that are bolted on
hide no collision."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from editor_app.cli import run_command
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Ball, Collision, Joint, JointType, Link, Urdf, Visual
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, LinkPair, Xrdf
from editor_app.core.space.kinematics.tree import adjacent_pairs
from editor_app.core.verbs.open import open_robot
from editor_app.features.masks.engine.masks import Decision
from editor_app.features.masks.engine.meshes import MeshModel
from editor_app.features.masks.engine.results import PairClass
from editor_app.features.masks.verbs.mask import MaskRules, mask
from editor_app.plugins.planning.verbs.model_cost import model_cost
from tests.helpers.sphere_robots import (
    BRACKET,
    CAMERA,
    HAND,
    MAST,
    TWO_ARMS,
    Boxes,
    Joints,
    box_files,
    box_robot,
    box_urdf,
)

BALL = Ball(0.1)


def chain(*links: Link, kinds: tuple[JointType, ...] = ()) -> Urdf:
    """Links in a row; revolute joints, where `kinds` says nothing else."""
    joints = [
        Joint(f"j{k}", kinds[k] if kinds else JointType.REVOLUTE, one.name, other.name)
        for k, (one, other) in enumerate(pairwise(links))
    ]
    return Urdf("r", links=links, joints=tuple(joints))


def solid(name: str) -> Link:
    return Link(name, collisions=(Collision(BALL),))


def pairs_of(urdf: Urdf, *with_spheres: str) -> list[str]:
    ball = (CollisionSphere((0.0, 0.0, 0.0), 0.1),)
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = FrozenDict(
        dict.fromkeys(with_spheres, ball)
    )
    robot = RobotDescription(urdf, Xrdf(geometry=(GeometryGroup("g", spheres),)))
    return sorted(f"{pair.first}{pair.second}" for pair in adjacent_pairs(robot))


def test_only_links_without_geometry_are_passed_over() -> None:
    assert pairs_of(chain(solid("a"), Link("b"), solid("c"))) == ["ac"]
    seen = Link("b", visuals=(Visual(BALL),))
    assert pairs_of(chain(solid("a"), seen, solid("c"))) == ["ab", "bc"]
    assert pairs_of(chain(solid("a"), Link("b"), solid("c")), "b") == ["ab", "bc"]
    assert pairs_of(chain(Link("a"), Link("b"), Link("c"))) == ["ab", "bc"], (
        "spheres will be made by hand"
    )


def test_a_mast_is_not_adjacent_to_the_first_moving_link() -> None:
    links = (solid("base"), solid("mast"), solid("one"))
    joints = (
        Joint("bolt", JointType.FIXED, "base", "mast"),
        Joint("j", JointType.REVOLUTE, "base", "one"),
    )
    assert pairs_of(Urdf("r", links=links, joints=joints)) == ["basemast", "baseone"]


@pytest.mark.parametrize("kind", [JointType.PLANAR, JointType.FLOATING])
def test_planar_and_floating_joints_hold_nothing_together(kind: JointType) -> None:
    kinds = (kind, JointType.REVOLUTE)
    assert pairs_of(chain(solid("a"), solid("b"), solid("c"), kinds=kinds)) == ["bc"]
    assert pairs_of(chain(solid("a"), Link("b"), solid("c"), kinds=kinds)) == []


COMPOSED = {
    "mast": (MAST, ("mast", "a"), ("base", "mast"), ("base", "a")),
    "bracket": (BRACKET, ("wrist", "bracket"), ("flange", "bracket"), ("wrist", "flange")),
    "camera": (CAMERA, ("forearm", "camera"), ("wrist", "camera"), ("forearm", "wrist")),
    "two arms": (TWO_ARMS, ("left", "right"), None, None),
    "hand": (HAND, ("one", "other"), None, ("palm", "one")),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_what_is_bolted_on_stays_checked_where_it_collides(tmp_path: Path, name: str) -> None:
    robot, colliding, rigid, adjacent = COMPOSED[name]
    # The two finger tips touch at the default: the user decides.
    result = mask(box_robot(tmp_path, robot), geometry="meshes", samples=512, certify=0.0)
    rows = {row.pair: row for row in result.proposal.rows}
    row = rows[LinkPair.of(*colliding)]
    assert row.kind in (PairClass.CAN_COLLIDE, PairClass.DEFAULT)
    assert row.decision is not Decision.MASK
    if rigid is not None:
        row = rows[LinkPair.of(*rigid)]
        assert (row.kind, row.reason, row.decision) == (PairClass.RIGID, "rigid", Decision.MASK)
    if adjacent is not None:
        row = rows[LinkPair.of(*adjacent)]
        assert (row.kind, row.reason, row.decision) == (
            PairClass.ADJACENT,
            "adjacent",
            Decision.MASK,
        )


def test_a_draft_ignores_adjacent_links_alone() -> None:
    from editor_app.core.formats.urdf import read_urdf
    from editor_app.core.formats.xrdf import read_xrdf
    from editor_app.core.text.source import SourceText

    urdf = read_urdf(SourceText.from_text(box_urdf(*MAST))).value
    drafted = read_xrdf(SourceText.from_text(draft_xrdf(urdf))).value
    assert drafted.ignored_pairs() == {
        LinkPair.of(*p) for p in (("base", "mast"), ("base", "a"), ("a", "b"))
    }


def test_the_reasons_of_an_srdf_are_those_of_moveit(tmp_path: Path) -> None:
    """Fixed parent and child are adjacent; two parts of one rigid group that are not never move
    against each other."""
    boxes, joints = MAST
    lamp: Boxes = {**boxes, "lamp": ((0.02, 0.02, 0.02), (0.0, 0.0, 0.0))}
    more: Joints = (
        *joints,
        ("hook", "fixed", "base", "lamp", (0.25, 0.08, 0.02), (1, 0, 0), (0, 0)),
    )
    (tmp_path / "r.srdf").write_text('<robot name="boxes"/>')
    document = box_robot(tmp_path, (lamp, more))
    document = open_robot(tmp_path / "r.urdf", tmp_path / "r.srdf")
    result = mask(document, file=MaskFile.SRDF, geometry="meshes", samples=512, certify=1.0)
    document.execute(result.change)
    assert document.robot.srdf is not None
    reasons = {(p.link1, p.link2): p.reason for p in document.robot.srdf.disabled_pairs}
    assert reasons["base", "mast"] == reasons["base", "a"] == reasons["base", "lamp"] == "Adjacent"
    assert reasons["mast", "lamp"] == "Never"
    assert ("mast", "a") not in reasons


def test_an_xrdf_becomes_an_srdf_with_the_same_meaning_of_adjacent(tmp_path: Path) -> None:
    files = box_files(tmp_path, MAST, "{base: [mast, a], mast: [a]}")
    assert run_command("convert", [*map(str, files), str(tmp_path / "out.srdf")]) == 0
    srdf = open_robot(tmp_path / "r.urdf", tmp_path / "out.srdf").robot.srdf
    assert srdf is not None
    reasons = {p.pair: p.reason for p in srdf.disabled_pairs}
    assert reasons[LinkPair.of("base", "a")] == "Adjacent"
    assert reasons[LinkPair.of("mast", "a")] == "User"


def test_no_never_is_written_of_what_a_planar_joint_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boxes: Boxes = {
        "floor": ((0.1, 0.1, 0.1), (0.0, 0.0, 0.0)),
        "cart": ((0.1, 0.1, 0.1), (0.0, 0.0, 0.0)),
        "arm": ((0.1, 0.02, 0.02), (0.1, 0.0, 0.0)),
        "far": ((0.02, 0.02, 0.02), (0.0, 0.0, 0.5)),
    }
    joints: Joints = (
        ("roll", "planar", "floor", "cart", (2.0, 0.0, 0.0), (0, 0, 1), (0, 0)),
        ("j1", "revolute", "cart", "arm", (0.0, 0.0, 0.0), (0, 0, 1), (-1.0, 1.0)),
        ("j2", "revolute", "arm", "far", (0.0, 0.0, 0.0), (0, 0, 1), (-1.0, 1.0)),
    )
    urdf, srdf = tmp_path / "r.urdf", tmp_path / "r.srdf"
    urdf.write_text(box_urdf(boxes, joints))
    srdf.write_text(
        '<robot name="boxes"><virtual_joint name="v" type="planar" parent_frame="w" '
        'child_link="floor"/></robot>'
    )
    out, quick = tmp_path / "out.srdf", ("--samples", "512", "--certify", "1")
    assert (
        run_command("mask", [str(urdf), str(srdf), "-o", str(out), *quick, "--format", "json"]) == 3
    )
    told = capsys.readouterr()
    assert "The planar joint 'roll' is held fixed" in told.err
    assert "a planar or floating joint" in told.out
    written = open_robot(urdf, out).robot.srdf
    assert written is not None
    reasons = {(p.link1, p.link2): p.reason for p in written.disabled_pairs}
    assert reasons == {
        ("cart", "arm"): "Adjacent",
        ("cart", "far"): "Never",
        ("arm", "far"): "Adjacent",
    }


def test_pairs_that_always_touch_are_left_to_their_class(tmp_path: Path) -> None:
    """A plate below the first link, bolted to the base: in contact whatever the joint does."""
    boxes, joints = MAST
    plate: Boxes = {**boxes, "plate": ((0.2, 0.2, 0.1), (0.0, 0.0, 0.1))}
    more: Joints = (*joints, ("glue", "fixed", "base", "plate", (0.0, 0.0, 0.0), (1, 0, 0), (0, 0)))
    document = box_robot(tmp_path, (plate, more))
    rules = MaskRules(mask_always=True)
    result = mask(document, geometry="meshes", samples=256, certify=0.0, rules=rules)
    row = next(row for row in result.proposal.rows if row.pair == LinkPair.of("plate", "a"))
    assert (row.kind, row.decision) == (PairClass.ALWAYS, Decision.MASK)


@pytest.mark.parametrize(("height", "is_always"), [(0.97, False), (0.988, False), (1.2, True)])
def test_one_configuration_apart_shows_that_a_pair_does_not_always_touch(
    tmp_path: Path, height: float, *, is_always: bool
) -> None:
    """A slider leaves the column in the last 2 %, or 0.2 %, of its way: below that, its meshes
    touch the column."""
    boxes: Boxes = {
        "base": ((0.1, 0.1, 0.1), (0.0, 0.0, -1.0)),
        "column": ((0.1, 0.1, height), (0.0, 0.0, height / 2)),
        "slider": ((0.2, 0.2, 0.02), (0.0, 0.0, 0.0)),
    }
    joints: Joints = (
        ("bolt", "fixed", "base", "column", (0.0, 0.0, 0.0), (1, 0, 0), (0, 0)),
        ("j", "prismatic", "base", "slider", (0.0, 0.0, 0.0), (0, 0, 1), (0.0, 1.0)),
    )
    document = box_robot(tmp_path, (boxes, joints), "{base: [column, slider], column: [slider]}")
    meshes = MeshModel.of_robot(document.robot, document.urdf_path, {})
    assert meshes is not None
    always = {meshes.model.link_pairs[row] for row in meshes.always.tolist()}
    assert (LinkPair.of("column", "slider") in always) == is_always
    cost = model_cost(document, samples=200)
    assert [set(hidden.names) for hidden in cost.hidden] == (
        [] if is_always else [{"column", "slider"}]
    )
