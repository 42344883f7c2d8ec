"""Rules that say what touches, overlaps or collides are held against what the mask proves, on all
example robots."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.findings import Finding
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import JointType, Urdf
from editor_app.core.model.xrdf import (
    CollisionSphere,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
    Xrdf,
)
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.structure import get_default_positions
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import load_rules
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.model import Relation, build_sphere_model
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings, PairClass
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import example_kinds, sample_urdf
from tests.helpers.sphere_robots import joint, robot_of

SETTINGS = AnalysisSettings(samples=1000, certify_seconds=0.2, search_starts=0, tighten=False)
NEVER = (PairClass.NEVER_CERTIFIED, PairClass.NEVER_SAMPLED)


def with_spheres(urdf: Urdf) -> RobotDescription:
    """Spheres from each link towards what hangs on it, no mask: thick enough to touch somewhere."""
    tree = build_tree(urdf)
    world = compute_forward(tree, get_default_positions(tree, Xrdf()))
    spheres: dict[str, tuple[CollisionSphere, ...]] = {}
    for i, frame in enumerate(tree.frames):
        placed = []
        for child in tree.children[i]:
            x, y, z = (np.linalg.inv(world[i]) @ world[child])[:3, 3].tolist()
            length = float(np.linalg.norm((x, y, z)))
            if length > 1e-3:
                placed += [
                    CollisionSphere((x * t, y * t, z * t), 0.35 * length) for t in (0.25, 0.75)
                ]
        # Every fifth link carries nothing, as flanges and sensors do.
        if placed and i % 5 != 4:
            spheres[frame] = tuple(placed)
    group = GeometryGroup("g", FrozenDict(spheres))
    return RobotDescription(
        urdf, Xrdf("xrdf", "1.0", geometry=(group,), self_collision=SelfCollisionSection("g"))
    )


def findings_of(code: str, robot: RobotDescription) -> list[Finding]:
    return list(load_rules()[code].findings(CheckContext(robot)))


def pairs(findings: Iterable[Finding]) -> list[LinkPair]:
    return [LinkPair.of(*f.subject.links) for f in findings]


def assert_true(robot: RobotDescription) -> None:
    analysis: Analysis = analyse(build_sphere_model(robot), SETTINGS)
    adjacent = pairs(findings_of("XRDF507", robot))
    for pair in adjacent:
        evidence = analysis[pair]
        assert evidence.kind in (PairClass.ADJACENT, PairClass.RIGID), (pair, evidence.kind)
        assert evidence.relation in (Relation.ADJACENT, Relation.FIXED)
    for code in ("XRDF605", "XRDF512"):
        for pair in pairs(findings_of(code, robot)):
            evidence = analysis[pair]
            assert evidence.kind not in NEVER, (code, pair)
            assert evidence.clearance_default <= 1e-9, (code, pair)
    for pair in pairs(findings_of("XRDF508", robot)):
        assert analysis[pair].kind not in NEVER, pair
    masked = dict.fromkeys(
        (*adjacent, *(e.pair for e in analysis if e.kind is PairClass.NEVER_CERTIFIED)), ""
    )
    ignore: dict[str, tuple[str, ...]] = {}
    for pair in masked:
        ignore[pair.first] = (*ignore.get(pair.first, ()), pair.second)
    section = SelfCollisionSection("g", ignore=FrozenDict(ignore))
    hidden = RobotDescription(
        robot.urdf, Xrdf("xrdf", "1.0", geometry=robot.xrdf.geometry, self_collision=section)
    )
    assert findings_of("XRDF507", hidden) == []
    # "They can collide although they are masked": not those that are proven never to.
    for pair in pairs(findings_of("XRDF509", hidden)):
        assert analysis[pair].kind is not PairClass.NEVER_CERTIFIED, pair


EVERY = (sample_urdf(), *example_kinds())
#: An arm, a hand, and two arms on a tree of closed chains and mimics.
USUAL = tuple(p for p in EVERY if p.stem in ("heron", "allegro_left_hand", "pr2"))


@pytest.mark.parametrize("path", of_each_kind(EVERY, USUAL), ids=lambda p: p.stem)
def test_on_every_kind_of_example_robot(path: Path) -> None:
    assert_true(with_spheres(read_urdf(SourceText.read(path)).value))


def test_links_beside_a_bare_one_that_turns_are_not_adjacent() -> None:
    """A link without spheres between two joints: what it joins can stay 0.2 m apart for ever."""
    chain = [
        joint("j1", "a", "bare", xyz=(0, 0, 0.2)),
        joint("j2", "bare", "b", xyz=(0, 0, 0.2)),
        joint("weld", "b", "flange", kind=JointType.FIXED, xyz=(0, 0, 0.1)),
        joint("j3", "flange", "c", xyz=(0, 0, 0.1)),
    ]
    ball = [(0.0, 0.0, 0.0, 0.1)]
    robot = robot_of(chain, {"a": ball, "b": ball, "c": ball})
    assert LinkPair.of("a", "b") not in pairs(findings_of("XRDF507", robot))
    assert pairs(findings_of("XRDF507", robot)) == [LinkPair.of("b", "c")]
    assert (
        analyse(build_sphere_model(robot), SETTINGS)[LinkPair.of("a", "b")].clearance_default > 0.15
    )
