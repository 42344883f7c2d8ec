"""Evidence, overlaps at a pose and touches of obstacles follow an edited robot, and are always what
is made anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from editor_app import open_robot
from editor_app.core.document.commands.self_collision import SetMask
from editor_app.core.document.commands.spheres import SetSpheres
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE, BoxShape, Obstacle, Scene
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.options import Limits, ModelOptions
from editor_app.features.masks.engine.results import AnalysisSettings, Witness
from editor_app.features.masks.verbs.live_overlaps import PoseOverlaps
from editor_app.features.masks.verbs.robot_pairs import (
    RobotPairs,
    concerns_pairs,
    has_pairs,
    with_witness,
)
from editor_app.plugins.motion.verbs.collide import motion_model_of
from editor_app.plugins.motion.verbs.obstacle_touches import UNTOUCHED, ObstacleTouches
from tests.helpers.robots import sample_urdf

OPTIONS = ModelOptions()
QUICK = AnalysisSettings(256, 0, 0.0, search_starts=0)
PAIR = LinkPair.of("base_link", "hand_link")


@pytest.fixture(scope="module")
def robot() -> RobotDescription:
    return open_robot(sample_urdf()).robot


@pytest.fixture(scope="module")
def bent(robot: RobotDescription) -> dict[str, float]:
    """A pose in which links that are not ignored overlap."""
    model = build_sphere_model(robot)
    evidence = [
        e for e in analyse(model, QUICK) if e.witness is not None and e.clearance_min < -0.02
    ]
    return dict(min(evidence, key=lambda e: e.clearance_min).witness or {})


def grown(robot: RobotDescription, link: str, factor: float) -> RobotDescription:
    model = build_sphere_model(robot)
    ref = model.refs[int(model.starts[model.index[link]])]
    group = robot.xrdf.group(ref.group)
    assert group is not None
    sphere = group.spheres[ref.frame][ref.index]
    return SetSpheres(((ref, replace(sphere, radius=sphere.radius * factor)),)).apply(robot)


def test_evidence_is_about_a_robot_until_spheres_or_limits_are_others(
    robot: RobotDescription,
) -> None:
    pairs = RobotPairs()
    assert has_pairs(robot)
    blank = pairs.unexamined(robot, OPTIONS, QUICK)
    assert blank is not None
    assert blank is pairs.unexamined(robot, OPTIONS, QUICK)
    analysis = analyse(pairs.model(robot, OPTIONS), QUICK)
    assert pairs.is_about(analysis, robot, OPTIONS)
    masked = SetMask(pairs=(PAIR,)).apply(robot)
    assert pairs.is_about(analysis, masked, OPTIONS)
    assert not concerns_pairs(robot, masked)

    edited = grown(robot, "hand_link", 1.5)
    assert concerns_pairs(robot, edited)
    assert not pairs.is_about(analysis, edited, OPTIONS)
    carried = pairs.carried(analysis, edited, OPTIONS)
    stale = {
        p
        for p, is_stale in zip(carried.model.link_pairs, carried.stale.tolist(), strict=True)
        if is_stale
    }
    assert stale
    assert all("hand_link" in (p.first, p.second) for p in stale)

    joint = next(j for j in robot.urdf.joints if j.limit is not None)
    assert joint.limit is not None
    narrow = replace(joint, limit=replace(joint.limit, lower=-0.3, upper=0.3))
    joints = tuple(narrow if j is joint else j for j in robot.urdf.joints)
    turned = replace(robot, urdf=replace(robot.urdf, joints=joints))
    assert not pairs.is_about(analysis, turned, OPTIONS)
    assert not pairs.is_about(analysis, robot, ModelOptions(limits=Limits.SOFT))


def test_edited_spheres_give_the_model_that_is_built_anew(robot: RobotDescription) -> None:
    pairs = RobotPairs()
    first = pairs.model(robot, OPTIONS)
    edited = grown(robot, "hand_link", 0.5)
    second = pairs.model(edited, OPTIONS)
    assert second.pairs is first.pairs
    assert np.array_equal(second.spheres, build_sphere_model(edited).spheres)
    pairs.forget()
    assert pairs.model(edited, OPTIONS) is not second


def test_shrinking_leaves_a_touch_at_the_pose(
    robot: RobotDescription, bent: dict[str, float]
) -> None:
    pairs = RobotPairs()
    model = build_sphere_model(robot)
    # The shallowest: deep ones would take more than half of a radius.
    pair = LiveDistances(model, bent).overlaps()[-1].pair
    assert pairs.overlap(pair, robot, OPTIONS, bent)
    change = pairs.shrinking(pair, robot, OPTIONS, bent)
    assert change is not None
    after = change.apply(robot)
    assert not pairs.overlap(pair, after, OPTIONS, bent)
    with pytest.raises(CannotApply):
        pairs.shrinking(pair, after, OPTIONS, bent)
    strangers = LinkPair.of("nowhere", "nothing")
    assert pairs.shrinking(strangers, robot, OPTIONS, bent) is None
    assert not pairs.overlap(strangers, robot, OPTIONS, bent)


def test_a_closer_witness_takes_the_place_of_the_known_one(
    robot: RobotDescription, bent: dict[str, float]
) -> None:
    model = build_sphere_model(robot)
    analysis = analyse(model, AnalysisSettings(0, 0, 0.0, search_starts=0))
    row = int(np.argmin(LiveDistances(model, bent).clearance))
    pair, live = model.link_pairs[row], LiveDistances(model, bent)
    closest = live.closest(row)
    witness = Witness(
        model.pose_of(model.values(bent), row), closest.gap, (closest.first, closest.second)
    )
    evidence = with_witness(analysis, pair, witness)[pair]
    assert (evidence.clearance_min, evidence.spheres) == (
        closest.gap,
        (closest.first, closest.second),
    )
    assert analysis[pair].clearance_min > closest.gap


def test_overlaps_at_a_pose_follow_pose_spheres_and_mask(
    robot: RobotDescription, bent: dict[str, float]
) -> None:
    here = PoseOverlaps()
    assert not here.is_known
    assert here.closest(PAIR) is None
    for shown, pose in (
        (robot, {}),
        (robot, bent),
        (grown(robot, "hand_link", 2.0), bent),
        (robot, {}),
    ):
        here.look(shown, pose, ())
        assert here.is_known
        assert here.compares
        anew = LiveDistances(build_sphere_model(shown), pose)
        depths = {o.pair: o.depth for o in here.overlaps}
        assert depths == pytest.approx({o.pair: o.depth for o in anew.overlaps()}, abs=1e-12)
        closest, other = here.closest(PAIR), anew.closest(anew.model.pair_index[PAIR])
        assert closest is not None
        assert (closest.first, closest.second) == (other.first, other.second)
        assert closest.gap == pytest.approx(other.gap, abs=1e-12)
    here.look(robot, bent, ())
    first = here.overlaps[0]
    assert set(here.in_order(first.pair)) == {first.pair.first, first.pair.second}
    contact = first.contacts[0]
    assert here.balls({contact.first, contact.second}).shape == (2, 4)
    here.look(robot, bent, {first.pair})
    assert (first.pair not in {o.pair for o in here.overlaps}, here.masked) == (True, 1)
    here.forget()
    assert not here.overlaps
    assert not here.compares


def test_touches_of_obstacles_follow_robot_scene_and_pose(
    robot: RobotDescription, bent: dict[str, float]
) -> None:
    touches = ObstacleTouches()
    assert touches.look(robot, EMPTY_SCENE, bent) is UNTOUCHED
    far = Scene((Obstacle("box", BoxShape((0.2, 0.2, 0.2)), (5.0, 0.0, 0.0)),))
    near = Scene((Obstacle("box", BoxShape((0.2, 0.2, 0.2)), (0.0, 0.0, 0.3)),))
    assert touches.look(robot, far, bent).touches == ()
    touching = touches.look(robot, near, bent)
    assert touching.touches
    assert touching.balls.shape == (len(touching.touches), 4)
    depths = [depth for _, _, depth in touching.touches]
    assert depths == sorted(depths, reverse=True)
    anew = motion_model_of(robot, near)
    rows = np.arange(len(anew.spheres.pairs), anew.row_count)
    _, gaps = anew.row_clearances(anew.values(bent)[None], 0.0, rows)
    assert depths == pytest.approx(sorted((-gaps).tolist(), reverse=True))
    touches.forget()
    assert touches.look(robot, near, bent).touches == touching.touches
