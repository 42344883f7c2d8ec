"""Live distances and samples agree with a double-precision pass over the description itself, and
follow its rules."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Ball, Collision, JointType, Limit, Mimic, SafetyController
from editor_app.core.model.xrdf import (
    CollisionSphere,
    CSpace,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
    SetBaseFrame,
)
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.features.masks.engine.live import LiveDistances, edited_sphere_model
from editor_app.features.masks.engine.model import Relation, build_sphere_model
from editor_app.features.masks.engine.options import Limits, ModelOptions, Uncontrolled
from editor_app.features.masks.engine.sampling import Sampler
from editor_app.features.masks.engine.threads import Crew
from tests.helpers.breadth import of_each_kind
from tests.helpers.sphere_robots import brute_force, joint, random_robot, robot_of

SEEDS = range(12)


def by_pair(live: LiveDistances) -> dict[frozenset[str], float]:
    return {
        frozenset((p.first, p.second)): float(c)
        for p, c in zip(live.model.link_pairs, live.clearance, strict=True)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_live_distances_equal_brute_force(seed: int) -> None:
    robot = random_robot(seed)
    model = build_sphere_model(robot)
    live = LiveDistances(model)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        pose = model.pose_of(
            model.lower + rng.random(len(model.lower)) * (model.upper - model.lower)
        )
        live.set_pose(pose)
        truth = brute_force(robot, pose)
        computed = by_pair(live)
        assert computed.keys() == truth.keys()
        for pair, clearance in truth.items():
            assert computed[pair] == pytest.approx(clearance, abs=1e-12)
        for row in range(len(model.pairs)):
            closest = live.closest(row)
            one, other = np.array(closest.points)
            assert {closest.first.frame, closest.second.frame} == set(model.ordered(row))
            groups = robot.xrdf.geometry or ()
            radii = [
                robot.xrdf.self_radius(ref.frame, groups[0].spheres[ref.frame][ref.index])
                for ref in (closest.first, closest.second)
            ]
            assert np.linalg.norm(one - other) - sum(radii) == pytest.approx(closest.gap, abs=1e-12)


@pytest.mark.parametrize(
    ("seed", "per_link"),
    of_each_kind(
        [*((seed, 3) for seed in range(8)), (20, 12), (21, 12), (22, 30), (23, 1)],
        [(0, 3), (1, 3), (20, 12), (22, 30), (23, 1)],
    ),
)
def test_samples_equal_brute_force_over_the_same_configurations(seed: int, per_link: int) -> None:
    # Few spheres per link, and many: the kernel goes different ways.
    robot = random_robot(seed, per_link=per_link)
    model = build_sphere_model(robot)
    count = 300
    sampler = Sampler(model, count, seed)
    sampled = sampler.run()
    all_clearances = np.array(
        [[t[frozenset(model.ordered(row))] for row in range(len(model.pairs))]
         for t in (brute_force(robot, model.pose_of(sampler.values(n))) for n in range(count))]
    )  # fmt: skip
    assert sampled.clearance == pytest.approx(all_clearances.min(axis=0), abs=2e-6)
    least = np.array([all_clearances[sampled.at[row], row] for row in range(len(model.pairs))])
    assert least == pytest.approx(all_clearances.min(axis=0), abs=4e-6)
    surely, perhaps = (all_clearances < -2e-6).sum(axis=0), (all_clearances < 2e-6).sum(axis=0)
    assert (surely <= sampled.hits).all()
    assert (sampled.hits <= perhaps).all()
    for row in range(len(model.pairs)):
        assert sampler.clearances(row, count) == pytest.approx(all_clearances[:, row], abs=2e-6)


def test_samples_repeat_and_do_not_depend_on_how_the_run_is_cut_or_on_other_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = build_sphere_model(random_robot(3))
    whole, again, cut = Sampler(model, 5000, 7), Sampler(model, 5000, 7), Sampler(model, 5000, 7)
    whole.run()
    with Crew(3) as crew:
        again.run(crew=crew)
    # A block per call.
    monkeypatch.setattr("editor_app.features.masks.engine.sampling.CHUNK_SECONDS", 0.0)
    cut.run()
    for other in (again, cut):
        assert np.array_equal(whole.samples().clearance, other.samples().clearance)
        assert np.array_equal(whole.samples().at, other.samples().at)
        assert np.array_equal(whole.samples().hits, other.samples().hits)
    some = Sampler(model, 5000, 7, rows=np.array([2, 5])).run()
    assert np.array_equal(some.clearance, whole.samples().clearance[[2, 5]])
    assert not np.array_equal(Sampler(model, 5000, 8).run().at, whole.samples().at)
    values = np.array([whole.values(n) for n in range(4096)])
    share = (values - model.lower) / (model.upper - model.lower)
    assert (share >= 0.0).all()
    assert (share < 1.0).all()
    assert share.mean(axis=0) == pytest.approx(0.5, abs=0.01)


def two_links(**more: object) -> RobotDescription:
    return robot_of(
        [
            joint("j1", "a", "b", xyz=(0.5, 0, 0), limits=(-1, 2)),
            joint("j2", "b", "c", xyz=(0.5, 0, 0), limits=(-2, 1)),
        ],
        {"a": [(0, 0, 0, 0.1)], "b": [(0, 0, 0, 0.1)], "c": [(0, 0, 0, 0.1)]},
        **more,  # type: ignore[arg-type]
    )


def test_buffers_add_and_radii_that_are_not_positive_take_no_part() -> None:
    robot = two_links(buffers={"a": 0.02, "b": -0.1, "c": -0.03})
    live = LiveDistances(build_sphere_model(robot), {})
    assert live.model.frames == ("a", "c")
    assert live.clearance[0] == pytest.approx(1.0 - 0.12 - 0.07)


def test_clones_bring_their_spheres_with_the_place_where_they_stand() -> None:
    robot = two_links()
    shared = GeometryGroup("shared", FrozenDict({"a": (CollisionSphere((0.2, 0, 0), 0.1),)}))
    cloning = replace(robot.xrdf.geometry[0], clone=("shared",))  # type: ignore[index]
    model = build_sphere_model(robot.with_xrdf(replace(robot.xrdf, geometry=(cloning, shared))))
    assert model.refs[:2] == (SphereRef("balls", "a", 0), SphereRef("shared", "a", 0))
    assert LiveDistances(model, {}).closest(0).first == SphereRef("shared", "a", 0)


def test_frames_that_the_base_removes_do_not_count() -> None:
    robot = two_links()
    model = build_sphere_model(robot.with_xrdf(replace(robot.xrdf, modifiers=(SetBaseFrame("b"),))))
    assert model.frames == ("b", "c")
    assert any("'a'" in note for note in model.notes)


def test_relations_collapse_links_without_geometry_in_line_but_not_between_siblings() -> None:
    joints = [
        joint("j1", "base", "empty", xyz=(0, 0, 0.3)),
        joint("j2", "empty", "left", xyz=(0.3, 0, 0)),
        joint("j3", "empty", "right", xyz=(-0.3, 0, 0)),
        joint("j4", "left", "tool", kind=JointType.FIXED, xyz=(0, 0.4, 0)),
    ]
    spheres = {name: [(0, 0, 0, 0.05)] for name in ("base", "left", "right", "tool")}
    robot = robot_of(joints, spheres)
    model = build_sphere_model(robot)
    relations = {
        pair: Relation(int(r)) for pair, r in zip(model.link_pairs, model.relation, strict=True)
    }
    assert relations[LinkPair.of("base", "left")] is Relation.ADJACENT
    assert relations[LinkPair.of("left", "tool")] is Relation.FIXED
    # A fellow of a rigid group is no neighbour of the next link.
    assert relations[LinkPair.of("base", "tool")] is Relation.APART
    assert relations[LinkPair.of("left", "right")] is Relation.APART
    # With a shape in the URDF, the middle link is there even without spheres.
    links = tuple(
        replace(link, collisions=(Collision(Ball(0.1)),)) if link.name == "empty" else link
        for link in robot.urdf.links
    )
    solid = build_sphere_model(robot.with_urdf(replace(robot.urdf, links=links)))
    assert solid.relation[solid.pair_index[LinkPair.of("base", "left")]] == Relation.APART


def test_joints_outside_the_c_space_vary_or_are_locked_at_the_default() -> None:
    robot = two_links(defaults={"j2": 0.5})
    robot = robot.with_xrdf(replace(robot.xrdf, cspace=CSpace(("j1",))))
    assert build_sphere_model(robot).variables == ("j1", "j2")
    locked = build_sphere_model(robot, ModelOptions(uncontrolled=Uncontrolled.LOCKED))
    assert locked.variables == ("j1",)
    assert locked.relation[locked.pair_index[LinkPair.of("a", "c")]] == Relation.APART
    for pose in ({}, {"j1": 0.7}):
        truth = brute_force(robot, {**pose, "j2": 0.5})
        computed = by_pair(LiveDistances(locked, pose))
        for pair in truth:
            assert computed[pair] == pytest.approx(truth[pair], abs=1e-12)


def test_limits_are_hard_or_soft_with_a_margin_and_continuous_joints_have_a_full_turn() -> None:
    robot = two_links()
    joints = list(robot.urdf.joints)
    joints[0] = replace(
        joints[0], safety=SafetyController(soft_lower_limit=-0.5, soft_upper_limit=5.0)
    )
    joints[1] = replace(joints[1], type=JointType.CONTINUOUS, limit=None)
    robot = robot.with_urdf(replace(robot.urdf, joints=tuple(joints)))
    hard = build_sphere_model(robot)
    assert (hard.lower[0], hard.upper[0]) == (-1.0, 2.0)
    assert hard.continuous == (False, True)
    assert hard.upper[1] - hard.lower[1] == pytest.approx(2 * np.pi)
    soft = build_sphere_model(robot, ModelOptions(limits=Limits.SOFT, margin=0.1))
    assert (soft.lower[0], soft.upper[0]) == (pytest.approx(-0.4), pytest.approx(1.9))
    assert soft.upper[1] - soft.lower[1] == pytest.approx(2 * np.pi)


def test_a_range_without_width_and_a_mimic_of_factor_zero_hold_still() -> None:
    robot = two_links()
    joints = list(robot.urdf.joints)
    joints[0] = replace(joints[0], limit=Limit(0.3, 0.3))
    joints[1] = replace(joints[1], mimic=Mimic("j1", 0.0, 0.4))
    robot = robot.with_urdf(replace(robot.urdf, joints=tuple(joints)))
    model = build_sphere_model(robot)
    sampled = Sampler(model, 100).run()
    truth = brute_force(robot, {"j1": 0.3})
    for row in range(len(model.pairs)):
        assert sampled.clearance[row] == pytest.approx(
            truth[frozenset(model.ordered(row))], abs=2e-6
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_following_poses_and_edits_equals_starting_anew(seed: int) -> None:
    robot = random_robot(seed)
    model = build_sphere_model(robot)
    live = LiveDistances(model)
    rng = np.random.default_rng(seed)
    pose: dict[str, float] = {}
    for step in range(12):
        if step % 3 == 2:
            group = robot.xrdf.geometry[0]  # type: ignore[index]
            frame = str(rng.choice(list(group.spheres)))
            spheres = list(group.spheres[frame])
            if rng.random() < 0.5 and len(spheres) > 1:
                spheres.pop()
            spheres[0] = CollisionSphere(
                tuple(rng.uniform(-0.1, 0.1, 3).tolist()), float(rng.uniform(0.02, 0.1))
            )
            robot = robot.with_xrdf(
                robot.xrdf.with_group(group.with_spheres(frame, tuple(spheres)))
            )
            model = build_sphere_model(robot)
            live.set_model(model, pose)
        elif model.variables:
            name = str(rng.choice(model.variables))
            pose = {**pose, name: float(rng.uniform(-1, 1))}
            live.set_pose(pose)
        fresh = LiveDistances(model, pose)
        # Where two frames did not move against each other the numbers come from an earlier pose of
        # the whole.
        assert live.clearance == pytest.approx(fresh.clearance, abs=1e-12)
        for row in range(len(model.pairs)):
            one, other = live.centres[live.nearest[row]]
            gap = float(np.linalg.norm(one[:3] - other[:3]) - one[3] - other[3])
            assert gap == pytest.approx(fresh.clearance[row], abs=1e-12)


def test_the_model_of_a_robot_with_moved_spheres_is_the_one_that_is_built_anew() -> None:
    rng = np.random.default_rng(5)
    robot = random_robot(11, per_link=3)
    group = robot.xrdf.group("balls")
    assert group is not None
    model = build_sphere_model(robot)
    live = LiveDistances(model, {})
    for step in range(30):
        frame = str(rng.choice(list(group.spheres)))
        spheres = list(group.spheres[frame])
        # A sphere that is switched off, and one that is added, take the way through everything.
        radius = -1.0 if step % 7 == 3 else float(rng.uniform(0.02, 0.3))
        spheres[0] = CollisionSphere(tuple(rng.uniform(-0.1, 0.1, 3).tolist()), radius)
        if step == 20:
            spheres.append(CollisionSphere((0.0, 0.0, 0.1), 0.05))
        group = group.with_spheres(frame, tuple(spheres))
        edited = robot.with_xrdf(robot.xrdf.with_group(group))
        before, model = model, edited_sphere_model(model, robot, edited)
        robot = edited
        built = build_sphere_model(robot)
        assert (model.frames, model.refs, model.link_pairs) == (
            built.frames,
            built.refs,
            built.link_pairs,
        )
        for name in ("starts", "spheres", "bounds", "pairs", "relation", "frame_pose"):
            np.testing.assert_allclose(
                getattr(model, name), getattr(built, name), atol=1e-15, err_msg=name
            )
        same_number = len(before.spheres) == len(built.spheres)
        assert (model.pairs is before.pairs) is same_number
        live.set_model(model, {})
        assert live.clearance == pytest.approx(LiveDistances(built, {}).clearance, abs=1e-12)


def test_overlaps_list_every_touching_pair_of_spheres_deepest_first() -> None:
    robot = robot_of(
        [joint("j", "a", "b", xyz=(0.15, 0, 0))],
        {
            "a": [(0, 0, 0, 0.1), (0, 1, 0, 0.1)],
            "b": [(0, 0, 0, 0.1), (0.02, 0, 0, 0.1), (0, 0.05, 0, 0.01)],
        },
    )
    live = LiveDistances(build_sphere_model(robot), {})
    (overlap,) = live.overlaps()
    assert overlap.depth == pytest.approx(0.05)
    assert [c.second.index for c in overlap.contacts] == [0, 1]
    assert [c.gap for c in overlap.contacts] == pytest.approx([-0.05, -0.03])
    assert live.overlaps({LinkPair.of("a", "b")}) == ()


def test_a_robot_without_spheres_or_links_is_no_error() -> None:
    bare = two_links()
    bare = bare.with_xrdf(replace(bare.xrdf, self_collision=SelfCollisionSection("unknown")))
    model = build_sphere_model(bare)
    assert model.frames == ()
    assert LiveDistances(model).overlaps() == ()
    assert len(Sampler(model, 10).run().rows) == 0
    assert get_tree(bare).frames == ("a", "b", "c")


def test_a_model_survives_pickling() -> None:
    model = build_sphere_model(random_robot(1))
    other = pickle.loads(pickle.dumps(model))
    assert other.link_pairs == model.link_pairs
    assert np.array_equal(LiveDistances(other).clearance, LiveDistances(model).clearance)
