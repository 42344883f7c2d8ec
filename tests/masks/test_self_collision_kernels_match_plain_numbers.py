"""The vectors of the sampling kernels compute what plain numbers do, and the turned frames place
the same spheres."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from editor_app.core.model.urdf import JointType
from editor_app.features.masks.engine import kernels_sampling, lanes, plain_lanes, simd
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import SphereModel, build_sphere_model
from editor_app.features.masks.engine.sampling import AxisStep, Sampler, packed
from tests.helpers.robots import example_mappings, example_robots
from tests.helpers.sampled import CASES, model, sampled
from tests.helpers.sphere_robots import joint, random_robot, robot_of


def test_vectors_compute_what_numpy_does() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        x, y = (
            rng.normal(size=20).astype(np.float32) * np.float32(10.0 ** rng.integers(-3, 4))
            for _ in range(2)
        )
        words = rng.integers(0, 2**31, 20, dtype=np.int64).astype(np.int32)
        base, limit = np.int32(rng.integers(0, 2**31)), np.float32(rng.normal())
        out = np.zeros(145, np.float32)
        computed_bits = simd.every_function(x, y, words, base, limit, out)
        numbers, *bits = simd.expected(x, y, words, base, limit)
        # A sum of products that cancel each other is as exact as the products are.
        assert out == pytest.approx(
            numbers, rel=1e-5, abs=1e-6 * float(np.abs(x).max() * np.abs(y).max() + 1.0)
        )
        assert list(computed_bits) == bits


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What `tests.helpers.sampled` finds with vectors of one number, in a process of its own."""
    out = tmp_path_factory.mktemp("plain") / "found.npz"
    command = [sys.executable, "-P", "-m", "tests.helpers.sampled", str(out)]
    environment = {
        **os.environ,
        lanes.SWITCH: "plain",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    with np.load(out) as tables:
        arrays = dict(tables)
    assert arrays["width"] == 1
    return arrays


@pytest.mark.parametrize("case", range(len(CASES)))
def test_vectors_and_plain_numbers_find_the_same(plain: Mapping[str, Any], case: int) -> None:
    """To the rounding of single precision, some micrometres on robots of some metres."""
    assert lanes.WIDTH == 16
    rounding = 3e-6
    vectorised = sampled(case)
    each = vectorised["each"]
    assert plain[f"{case}.each"] == pytest.approx(each, abs=rounding)
    assert plain[f"{case}.clearance"] == pytest.approx(vectorised["clearance"], abs=rounding)
    for samples in (vectorised, {name: plain[f"{case}.{name}"] for name in vectorised}):
        pairs = np.arange(len(each))
        assert samples["clearance"] == pytest.approx(each.min(axis=1), abs=rounding)
        assert each[pairs, samples["at"].astype(int)] == pytest.approx(
            each.min(axis=1), abs=rounding
        )
        assert ((each < -rounding).sum(axis=1) <= samples["hits"]).all()
        assert (samples["hits"] <= (each <= rounding).sum(axis=1)).all()


def test_robots_of_the_comparison_touch_and_have_many_spheres() -> None:
    """Else the parts of the kernel for pairs of many spheres, and for pairs that touch, would not
    be compared."""
    models = [model(case) for case in range(len(CASES))]
    products = [np.prod(np.diff(m.starts)[m.pairs], axis=1) for m in models]
    assert min(int(p.min()) for p in products) <= kernels_sampling.TINY
    assert max(int(p.max()) for p in products) > kernels_sampling.DIRECT
    assert any((sampled(case)["hits"] > 0).any() for case in range(len(CASES)))


def test_no_pairs_are_sampled_in_no_time() -> None:
    robot = model(0)
    sampler = Sampler(robot, 300, 1, rows=np.zeros(0, np.int64))
    assert sampler.run().count == 300
    assert len(sampler.samples().clearance) == 0


def test_vectors_that_do_not_compile_or_compute_nonsense_are_left_aside(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert lanes.chosen() is simd

    def broken() -> bool:
        raise TypeError("intrinsic() takes no function")

    monkeypatch.setattr(simd, "is_right", broken)
    assert lanes.chosen() is plain_lanes
    assert "intrinsic() takes no function" in caplog.text
    monkeypatch.setattr(simd, "is_right", lambda: False)
    assert lanes.chosen() is plain_lanes
    assert "results differ from scalar code" in caplog.text


def test_plain_numbers_can_be_asked_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(lanes.SWITCH, "plain")
    assert lanes.chosen() is plain_lanes
    assert not caplog.text


def test_both_modules_of_vectors_offer_the_same() -> None:
    def functions(module: ModuleType) -> set[str]:
        return {
            n
            for n, f in vars(module).items()
            if callable(f) and getattr(f, "__module__", "") == module.__name__
        }

    assert functions(plain_lanes) == {name for name in functions(simd) if name in vars(lanes)}
    assert len(functions(plain_lanes)) == 18


def square_robot() -> SphereModel:
    """Axes that are parallel, opposite, at right angles and tilted, two children at one body, a
    slide between."""
    spheres = {name: [(0.03, 0.01, 0.02, 0.03), (-0.04, 0.05, 0.0, 0.02)] for name in "abcdefghi"}
    joints = [
        joint(
            "ab", "a", "b", xyz=(0.1, 0.2, 0.3), rpy=(0.3, 0.2, 0.1), axis=(0, 1, 0), limits=(-2, 3)
        ),
        joint("bc", "b", "c", xyz=(0, 0.2, 0.1), axis=(0, 1, 0), limits=(-9, 8)),
        joint("cd", "c", "d", xyz=(0.2, 0, 0), axis=(0, -1, 0), kind=JointType.CONTINUOUS),
        joint("de", "d", "e", xyz=(0.2, 0, 0.1), axis=(0, 0, 1), limits=(-1, 2)),
        joint(
            "ef",
            "e",
            "f",
            xyz=(0.1, 0.1, 0),
            axis=(1, 0, 0),
            kind=JointType.PRISMATIC,
            limits=(-0.1, 0.3),
        ),
        joint("fg", "f", "g", xyz=(0.1, 0, 0.1), axis=(0.6, 0, 0.8), limits=(-3, 1)),
        joint(
            "eh", "e", "h", xyz=(-0.1, 0.1, 0.05), rpy=(0, 1.0, 0.4), axis=(0, 1, 0), limits=(-3, 1)
        ),
        joint(
            "hi",
            "h",
            "i",
            xyz=(0.15, 0, 0),
            rpy=(0, 0, math.pi / 2),
            axis=(0.6, 0.8, 0),
            limits=(-3, 1),
        ),
    ]
    return build_sphere_model(robot_of(joints, spheres))


def assert_same_distances(model: SphereModel, rows: list[int], count: int) -> None:
    sampler = Sampler(model, count, 3)
    live = LiveDistances(model)
    values = sampler.values_of(np.arange(count))
    clearances = np.array([sampler.clearances(row, count) for row in rows])
    for n in range(count):
        live.set_values(values[n], np.array(rows))
        assert clearances[:, n] == pytest.approx(live.clearance[rows], abs=2e-6)


def test_every_kind_of_step_places_the_spheres_where_double_precision_does() -> None:
    model = square_robot()
    steps = set(packed(model, np.arange(len(model.pairs))).step.tolist())
    assert steps == {
        AxisStep.ANY,
        AxisStep.TILTED,
        AxisStep.PARALLEL,
        AxisStep.SQUARE,
        AxisStep.OPPOSITE,
    }
    assert_same_distances(model, list(range(len(model.pairs))), 300)


def test_bodies_that_no_wanted_pair_needs_are_left_out() -> None:
    model = random_robot_model(6)
    rows = np.array([len(model.pairs) // 2])
    i, j = model.pairs[rows[0]].tolist()
    needed = {b for f in (i, j) for b in model.body_path[int(model.frame_body[f])]} | {0}
    few = packed(model, rows)
    assert len(few.parent) == len(needed)
    assert few.used.sum() == 2
    assert (few.parent[1:] < np.arange(1, len(few.parent))).all()


def random_robot_model(seed: int) -> SphereModel:
    return build_sphere_model(random_robot(seed, n_links=12))


@pytest.mark.parametrize(
    "name", ["ur_description/urdf/ur5_robot.urdf", "baxter_description/urdf/baxter.urdf"]
)
def test_real_robots_agree_with_double_precision(name: str) -> None:
    from dataclasses import replace

    from editor_app.core.formats.urdf import read_urdf
    from editor_app.core.model.frozen import FrozenDict
    from editor_app.core.model.robot import RobotDescription
    from editor_app.core.model.xrdf import (
        CollisionSphere,
        GeometryGroup,
        SelfCollisionSection,
        Xrdf,
    )
    from editor_app.core.space.geometry.link_geometry import link_geometry, merge_parts
    from editor_app.core.text.source import SourceText
    from editor_app.features.masks.engine.meshes import cover_of

    path: Path = example_robots() / name
    urdf = read_urdf(SourceText.read(path)).value
    spheres = {}
    for link in urdf.links:
        parts = link_geometry(urdf, path, link.name, "collision", example_mappings()).parts
        if parts:
            balls = cover_of(*merge_parts(parts), 4).tolist()
            spheres[link.name] = tuple(CollisionSphere((x, y, z), r) for x, y, z, r in balls)
    xrdf = replace(
        Xrdf(),
        self_collision=SelfCollisionSection("g"),
        geometry=(GeometryGroup("g", FrozenDict(spheres)),),
    )
    model = build_sphere_model(RobotDescription(urdf, xrdf))
    rows = np.random.default_rng(0).choice(
        len(model.pairs), min(20, len(model.pairs)), replace=False
    )
    assert_same_distances(model, rows.tolist(), 64)
