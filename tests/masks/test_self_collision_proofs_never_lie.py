"""A certificate is never given above the true minimum: analytic cases at ±1 µm, random chains."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editor_app.core.arrays import F64
from editor_app.core.model.urdf import Joint, JointType, Mimic
from editor_app.features.masks.engine import kernels_chain
from editor_app.features.masks.engine.certificate import BoxSearch, Verdict
from editor_app.features.masks.engine.chains import (
    Chain,
    build_chain,
    descend_chain,
    search_chain,
    spread_starts,
)
from editor_app.features.masks.engine.model import SphereModel, build_sphere_model
from editor_app.features.masks.engine.sampling import Sampler
from tests.helpers.sphere_robots import Ball, joint, random_robot, robot_of

MICRON = 1e-6
RADIUS = 0.02


def stretched(
    kind: str, seed: int
) -> tuple[list[Joint], dict[str, list[tuple[float, float, float, float]]], float]:
    """A chain that is straight along x at one configuration within its limits, towards a ball that
    it does not reach.

    No point of it can be farther from the root than the sum of its lengths, so that the smallest
    distance of the centres is known exactly: that of the ball less the sum.
    """
    rng = np.random.default_rng([seed, len(kind)])
    n = {"one": 1, "two": 2}.get(kind, int(rng.integers(2, 6)))
    lengths = rng.uniform(0.1, 0.5, n)
    joints: list[Joint] = []
    start = 0.0
    reach = float(lengths.sum())
    for k in range(n):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        limits = (-float(rng.uniform(0.05, 2.8)), float(rng.uniform(0.05, 2.8)))
        type_, mimic = JointType.REVOLUTE, None
        if kind == "large ranges":
            limits = (-float(rng.uniform(4.0, 9.0)), float(rng.uniform(4.0, 9.0)))
        if kind == "continuous" and k % 2 == 0:
            type_ = JointType.CONTINUOUS
        if kind == "prismatic" and k == n // 2:
            # Slides along the chain; its far end counts.
            type_, axis, limits = (
                JointType.PRISMATIC,
                np.array([1.0, 0.0, 0.0]),
                (-0.1, float(rng.uniform(0.0, 0.2))),
            )
            reach += limits[1]
        if kind == "mimic" and k > 0 and k % 2 == 1:
            mimic = Mimic(f"j{k - 1}", float(rng.uniform(-2.0, 2.0)))
        joints.append(
            joint(
                f"j{k}",
                f"l{k}",
                f"l{k + 1}",
                kind=type_,
                xyz=(start, 0, 0),
                axis=axis.tolist(),
                limits=limits,
                mimic=mimic,
            )
        )
        start = float(lengths[k])
    gap = float(rng.uniform(0.05, 0.3))
    spheres = {"l0": [(reach + gap, 0.0, 0.0, RADIUS)], f"l{n}": [(start, 0.0, 0.0, RADIUS)]}
    return joints, spheres, gap


def with_clearance(kind: str, seed: int, clearance: float) -> SphereModel:
    """The radii are such that the true minimum of the clearance is `clearance`."""
    joints, spheres, gap = stretched(kind, seed)
    ((x, y, z, r),) = spheres["l0"]
    spheres["l0"] = [(x, y, z, gap - r - clearance)]
    return build_sphere_model(robot_of(joints, spheres))


KINDS = ["one", "two", "turning", "large ranges", "continuous", "prismatic", "mimic"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_a_micron_of_overlap_is_never_certified(kind: str, seed: int) -> None:
    chain = build_chain(with_clearance(kind, seed, -MICRON), 0)
    assert chain is not None
    boxes = BoxSearch(chain)
    assert boxes.step(150_000) is not Verdict.PROVEN
    if boxes.verdict is Verdict.HIT:
        assert boxes.clearance <= 1e-7
        assert boxes.clearance >= -MICRON - 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_a_micron_of_clearance_is_never_called_a_collision_nor_proven_larger(
    kind: str, seed: int
) -> None:
    chain = build_chain(with_clearance(kind, seed, MICRON), 0)
    assert chain is not None
    boxes = BoxSearch(chain)
    assert boxes.step(150_000) is not Verdict.HIT
    if boxes.verdict is Verdict.PROVEN:
        assert 0.0 < boxes.bound <= MICRON
    assert BoxSearch(chain, 2 * MICRON).step(150_000) is not Verdict.PROVEN


@pytest.mark.parametrize("kind", KINDS)
def test_a_clear_pair_is_proven_and_its_bound_is_at_most_the_true_minimum(kind: str) -> None:
    for seed in range(8):
        joints, spheres, gap = stretched(kind, seed)
        true = gap - 2 * RADIUS
        if true <= 0.01:
            continue
        chain = build_chain(build_sphere_model(robot_of(joints, spheres)), 0)
        assert chain is not None
        boxes = BoxSearch(chain)
        verdict = boxes.step(300_000)
        assert verdict is not Verdict.HIT
        if kind in ("one", "two"):
            assert verdict is Verdict.PROVEN
        if verdict is Verdict.PROVEN:
            assert 0.0 < boxes.bound <= true + 1e-12
            sharp = BoxSearch(chain, 0.5 * true)
            if sharp.step(300_000) is Verdict.PROVEN:
                assert 0.5 * true <= sharp.bound <= true + 1e-12
        assert BoxSearch(chain, true + MICRON).step(200_000) is not Verdict.PROVEN


def test_a_limit_that_ends_just_before_the_contact_counts() -> None:
    length, edge = 0.5, 0.4
    apart = 2.0 * length * math.sin(edge / 2.0)
    for clearance, allowed in ((MICRON, {Verdict.PROVEN}), (-MICRON, {Verdict.HIT})):
        joints = [joint("j", "a", "b", limits=(edge, 2.0))]
        spheres = {"a": [(length, 0, 0, apart - 0.05 - clearance)], "b": [(length, 0, 0, 0.05)]}
        chain = build_chain(build_sphere_model(robot_of(joints, spheres)), 0)
        assert chain is not None
        boxes = BoxSearch(chain)
        assert boxes.step(10_000) in allowed
        if clearance < 0.0:
            assert boxes.clearance == pytest.approx(clearance, abs=1e-9)


def test_one_variable_that_drives_two_joints_against_a_dense_line_of_samples() -> None:
    for multiplier, offset in ((-1.0, 0.0), (0.7, 0.4), (-2.3, 0.2), (1.0, -1.0)):
        joints = [
            joint("j0", "a", "b", limits=(-2.0, 2.5)),
            joint(
                "j1",
                "b",
                "c",
                xyz=(0.4, 0, 0),
                axis=(0, 1, 0),
                mimic=Mimic("j0", multiplier, offset),
            ),
        ]
        spheres: dict[str, list[Ball]] = {
            "a": [(0.3, 0.3, 0.2, 0.03), (-0.2, 0.1, 0.3, 0.05)],
            "c": [(0.3, 0, 0, 0.04), (0.1, 0.1, 0, 0.05)],
        }
        model = build_sphere_model(robot_of(joints, spheres))
        line = Sampler(model, 1 << 16).clearances(0, 1 << 16)
        chain = build_chain(model, 0)
        assert chain is not None
        lowest, _ = search_chain(chain, spread_starts(chain, 8, 0))
        assert lowest <= float(line.min()) + 2e-6
        boxes = BoxSearch(chain)
        verdict = boxes.step(200_000)
        assert verdict is (Verdict.PROVEN if lowest > 1e-6 else Verdict.HIT)
        if verdict is Verdict.PROVEN:
            assert boxes.bound <= lowest + 1e-12
        assert BoxSearch(chain, lowest + MICRON).step(200_000) is not Verdict.PROVEN


@pytest.mark.parametrize("seed", range(14))
def test_random_chains_against_dense_samples_and_local_search(seed: int) -> None:
    model = build_sphere_model(random_robot(seed))
    samples = Sampler(model, 4096, seed).run()
    proven = 0
    for row in range(len(model.pairs)):
        chain = build_chain(model, row)
        if chain is None:
            continue
        starts = [
            chain.start(Sampler(model, 4096, seed).values(int(samples.at[row]))),
            *spread_starts(chain, 6, seed),
        ]
        least = min(search_chain(chain, starts)[0], float(samples.clearance[row]) + 1e-6)
        boxes = BoxSearch(chain)
        if boxes.step(60_000) is Verdict.PROVEN:
            proven += 1
            assert boxes.bound <= least
            assert least > 0.0
        elif boxes.verdict is Verdict.HIT:
            again, _ = descend_chain(chain, boxes.values)
            assert again <= 1e-7
        assert BoxSearch(chain, least + MICRON).step(20_000) is not Verdict.PROVEN
    # A test that proves nothing would prove nothing: seeds are such that most robots have clear
    # pairs.
    assert proven > 0 or (samples.clearance < 0.0).all()


def test_interrupting_a_proof_changes_nothing() -> None:
    model = build_sphere_model(random_robot(5))
    for row in range(len(model.pairs)):
        chain = build_chain(model, row)
        if chain is None:
            continue
        whole, parts = BoxSearch(chain), BoxSearch(chain)
        whole.step(40_000)
        while parts.step(37) is Verdict.OPEN and parts.work < 40_000:
            pass
        if whole.verdict is not Verdict.OPEN:
            assert (parts.verdict, parts.bound, parts.clearance) == (
                whole.verdict,
                whole.bound,
                whole.clearance,
            )


@pytest.mark.parametrize("seed", range(6))
def test_the_plane_across_two_points_is_a_bound_and_close_in_small_boxes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = build_sphere_model(random_robot(seed, n_links=9, per_link=2))
    row = max(range(len(model.pairs)), key=lambda row: len(model.path_variables(row)))
    chain = build_chain(model, row)
    assert chain is not None
    n, k = len(chain.variable), len(chain.variables)
    m = int(rng.integers(n))
    first, second = ([(*ball[:3], 0.0)] for ball in (chain.first[0], chain.second[0]))
    for width in (0.3, 0.03, 0.003):
        wide = np.minimum(width, 0.5 * (chain.upper - chain.lower))
        centre = chain.lower + wide + rng.random(k) * (chain.upper - chain.lower - 2.0 * wide)
        value, half = (
            chain.gain * centre[chain.variable] + chain.shift,
            abs(chain.gain) * wide[chain.variable],
        )
        turns = np.stack([np.cos(value), np.sin(value)], axis=1)
        bound = kernels_chain._plane_bound.py_func(  # type: ignore[attr-defined]
            np.array(first), 0, np.array(second), 0, m, chain.links, chain.sliding, chain.variable, chain.gain,
            value, half, turns, wide, np.zeros((n, 2)), np.zeros(k), value[m], half[m],
        )  # fmt: skip
        corners = centre + wide * rng.choice([-1.0, 1.0], (300, k))
        distances = [distance_of(chain, values) for values in (*corners, centre)]
        assert bound <= min(distances) + 1e-12
        if width == 0.003:
            assert bound > min(distances) - 0.2 * (distances[-1] - min(distances)) - 1e-3


def distance_of(chain: Chain, values: F64) -> float:
    """Distance (m) of the centres of the first sphere of each side, by matrices."""
    place = np.eye(4)
    for i, link in enumerate(chain.links):
        place = place @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        if i < len(chain.variable):
            v = chain.gain[i] * values[chain.variable[i]] + chain.shift[i]
            move = np.eye(4)
            if chain.sliding[i]:
                move[2, 3] = v
            else:
                move[:2, :2] = [[math.cos(v), -math.sin(v)], [math.sin(v), math.cos(v)]]
            place = place @ move
    return float(
        np.linalg.norm(place[:3, :3] @ chain.second[0, :3] + place[:3, 3] - chain.first[0, :3])
    )


@pytest.mark.parametrize("seed", [0, 3])
def test_a_micron_of_clearance_takes_few_boxes(seed: int) -> None:
    chain = build_chain(with_clearance("mimic", seed, MICRON), 0)
    assert chain is not None
    assert BoxSearch(chain).step(5_000) is Verdict.PROVEN
