"""On meshes and hulls the same pairs are examined, spheres that block without need are ranked, and
pairs looked at."""

from __future__ import annotations

import numpy as np
import pytest

from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.masks import propose_mask
from editor_app.features.masks.engine.meshes import MeshModel, analyse_meshes, cover_of, hull_of
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import AnalysisSettings, PairClass
from editor_app.features.masks.engine.sampling import (
    closest_configurations,
    distance_distribution,
    search_closer,
)
from editor_app.plugins.motion.engine.model import motion_model
from tests.helpers.sphere_robots import brute_force, joint, random_robot, robot_of

pytest.importorskip("fcl")

FACES = np.array(
    [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6],
     [3, 0, 4], [3, 4, 7]],
    np.int32,
)  # fmt: skip


def box(x: float, y: float, z: float, half: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array(
        [
            (-1, -1, -1),
            (1, -1, -1),
            (1, 1, -1),
            (-1, 1, -1),
            (-1, -1, 1),
            (1, -1, 1),
            (1, 1, 1),
            (-1, 1, 1),
        ]
    )
    return corners * half + (x, y, z), FACES


def slider() -> tuple[RobotDescription, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """c turns about a by way of b; its box meets a's box for |angle| < 0.2 or so, its big sphere
    always does."""
    joints = [
        joint("ab", "a", "b", limits=(-3.1, 3.1)),
        joint("bc", "b", "c", xyz=(0.5, 0, 0), limits=(-0.01, 0.01)),
    ]
    speck = (0.0, 0.0, 0.3, 0.001)
    robot = robot_of(
        joints, {"a": [(0.5, 0, 0, 0.05)], "b": [speck], "c": [(0, 0, 0, 0.05), (0, 0, 0.02, 0.7)]}
    )
    return robot, {"a": box(0.5, 0, 0), "b": box(0, 0, 0.3, 0.01), "c": box(0, 0, 0)}


@pytest.mark.parametrize("hulls", [False, True])
def test_probability_and_distance_of_boxes_on_a_circle(hulls: bool) -> None:
    robot, meshes = slider()
    model = MeshModel(robot, meshes, hulls)
    analysis = analyse_meshes(model, AnalysisSettings(samples=2048, certify_seconds=1.0))
    e = analysis[LinkPair.of("a", "c")]
    assert e.kind is PairClass.DEFAULT
    assert e.clearance_default == 0.0
    # Meshes have no depth, and none is told.
    assert "overlap in the default configuration" in analysis.explain(e.pair)
    assert "0.0 mm" not in analysis.explain(e.pair)
    assert [r.reason for r in propose_mask(analysis).todo if r.pair == e.pair] == [
        "overlaps at the default configuration"
    ]
    # Boxes of width 0.1 at radius 0.5, one of them turned, meet up to about 0.19 to 0.23 rad.
    assert 2 * 0.18 / 6.2 < (e.probability or 0.0) < 2 * 0.24 / 6.2
    row = model.model.pair_index[e.pair]
    assert model.distance(row, model.model.values({"ab": np.pi, "bc": 0.0})) == pytest.approx(
        0.9, abs=1e-6
    )
    assert analysis[LinkPair.of("b", "c")].kind is PairClass.ADJACENT


def test_sampling_up_to_the_first_hit_finds_the_same_pairs_apart() -> None:
    robot = random_robot(3, n_links=7)
    frames = build_sphere_model(robot).frames
    model = MeshModel(robot, {frame: box(0.0, 0.0, 0.0, 0.07) for frame in frames})
    settings = AnalysisSettings(samples=1024, certify_seconds=0.0)
    whole, short = analyse_meshes(model, settings), analyse_meshes(model, settings, until_hit=True)
    for row in range(len(model.model.pairs)):
        if whole.hits[row]:
            assert short.hits[row] == 1
            assert short.samples[row] <= whole.samples[row]
            assert short.clearance_min[row] == 0.0
        else:
            assert short.evidence(row) == whole.evidence(row)
    assert whole.hits.max() > 1
    assert short.samples.sum() < 0.8 * whole.samples.sum()
    assert ((whole.hits == 0) & (whole.samples > 0)).any()


def test_a_seen_link_touches_another_only_where_what_is_visible_of_it_does_too() -> None:
    """A rough box around a trunk is no evidence against a thigh that is compared by what is visible
    of it."""
    robot, meshes = slider()
    # What is visible of a is a tenth of its box; c is seen, or not.
    values = np.column_stack([np.linspace(-0.5, 0.5, 201), np.zeros(201)])
    counts = []
    for seen in ((), ("c",), ("a", "c")):
        model = MeshModel(
            robot, meshes, seen=seen, visible=lambda frame: {"a": box(0.5, 0, 0, 0.005)}.get(frame)
        )
        row = model.model.pair_index[LinkPair.of("a", "c")]
        alone = [model.collides(row, each) for each in values]
        poses = motion_model(robot, model.model, model.model).body_poses(values)
        assert model.collide_at(row, poses) == alone
        counts.append(sum(alone))
    assert counts[0] == counts[2] > counts[1] > 0
    model = MeshModel(robot, meshes, seen=("c",), visible=lambda frame: None)
    assert (
        sum(model.collides(model.model.pair_index[LinkPair.of("a", "c")], each) for each in values)
        == counts[0]
    )


def test_covers_hold_their_meshes_and_hulls_are_convex_with_outward_faces() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 3)) * 0.1
    corners, faces = hull_of(points, np.zeros((0, 3), np.int32))
    normals = np.cross(
        corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]]
    )
    heights = np.einsum("fj,pfj->pf", normals, points[:, None] - corners[faces[:, 0]][None])
    assert heights.max() < 1e-9
    balls = cover_of(corners, faces, 6)
    # A long box of twelve triangles: its balls are small all the same.
    long, sides = box(0.0, 0.0, 0.0, 1.0)
    assert cover_of(long * (1.0, 0.1, 0.1), sides, 12)[:, 3].max() < 0.3
    weights = rng.dirichlet(np.ones(3), 40)
    for triangle in corners[faces]:
        inside = (
            np.linalg.norm((weights @ triangle)[:, None] - balls[None, :, :3], axis=2)
            <= balls[:, 3] + 1e-9
        )
        assert inside.any(axis=1).all()


def test_closest_configurations_differ_and_their_clearance_is_true() -> None:
    robot = random_robot(2)
    model = build_sphere_model(robot)
    for row in range(0, len(model.pairs), 5):
        witnesses = closest_configurations(model, row, 4, samples=2000)
        assert witnesses
        clearances = [witness.clearance for witness in witnesses]
        assert clearances == sorted(clearances)
        for witness in witnesses:
            truth = brute_force(robot, witness.pose)[frozenset(model.ordered(row))]
            assert truth == pytest.approx(witness.clearance, abs=1e-9)
        closer = search_closer(model, row, witnesses[0].pose)
        assert closer.clearance <= witnesses[0].clearance + 1e-9


def test_a_distribution_counts_every_sample_once() -> None:
    model = build_sphere_model(random_robot(2))
    for row in (0, 3, 7):
        distribution = distance_distribution(model, row, 3000, bins=20)
        assert distribution.counts.sum() == distribution.samples == 3000
        assert len(distribution.edges) == 21
        below = distribution.counts[distribution.edges[1:] <= 0.0].sum() / 3000
        assert below <= distribution.share + 1e-9
