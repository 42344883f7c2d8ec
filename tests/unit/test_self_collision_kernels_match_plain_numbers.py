"""The vectors of the sampling kernels compute what plain numbers do, and the turned frames place the same spheres."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numba
import numpy as np
import pytest

from editor_app.model.urdf import JointType
from editor_app.self_collision import LiveDistances, Sampler, build_sphere_model, jit, simd
from editor_app.self_collision.model import SphereModel
from editor_app.self_collision.packing import Step, packed
from tests.helpers.robots import example_mappings, example_robots
from tests.helpers.sphere_robots import joint, random_robot, robot_of


@numba.njit(cache=True)
def _everything(x, y, words, base, out):  # type: ignore[no-untyped-def]
    a = simd.load(x.ctypes.data, 0)
    b = simd.load(y.ctypes.data, 3)
    to = out.ctypes.data
    simd.store(to, 0, a + b)
    simd.store(to, 16, -(a - b))
    simd.store(to, 32, simd.multiply_add(a, b, a * np.float32(3.0)))
    simd.store(to, 48, simd.lesser(a, b))
    simd.store(to, 64, simd.root(simd.magnitude(b)))
    simd.store(to, 80, simd.nearest_integer(b))
    simd.store(to, 96, simd.signed(a, b))
    simd.store(to, 112, simd.units(words.ctypes.data, 1, base))
    simd.store(to, 128, simd.splat(simd.number(x.ctypes.data, 5)))
    simd.put(to, 144, np.float32(simd.whole(words.ctypes.data, 2)))
    word = simd.below(a, np.float32(0.25))
    return word, simd.bit_count(word)


def test_vectors_compute_what_plain_numbers_do() -> None:
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=20).astype(np.float32) * 5 for _ in range(2))
    words = rng.integers(0, 2**31, 20, dtype=np.int64).astype(np.int32)
    out = np.zeros(145, np.float32)
    base = np.int32(123456789)
    word, bits = _everything(x, y, words, base, out)
    a, b = x[:16], y[3:19]
    parts = out[:144].reshape(9, 16)
    assert parts[0] == pytest.approx(a + b)
    assert parts[1] == pytest.approx(b - a)
    assert parts[2] == pytest.approx(a * b + 3 * a, abs=1e-5)
    assert np.array_equal(parts[3], np.minimum(a, b))
    assert parts[4] == pytest.approx(np.sqrt(np.abs(b)))
    assert np.array_equal(parts[5], np.rint(b))
    assert np.array_equal(parts[6], np.copysign(a, b))
    assert np.array_equal(parts[7], ((words[1:17] ^ base).view(np.uint32) >> 8).astype(np.float32))
    assert (parts[8] == x[5]).all()
    assert out[144] == np.float32(words[2])
    assert word == sum(1 << lane for lane in range(16) if a[lane] < 0.25)
    assert bits == int((a < 0.25).sum())


def square_robot() -> SphereModel:
    """Axes that are parallel, opposite, at right angles and tilted, two children at one body, a slide between."""
    spheres = {name: [(0.03, 0.01, 0.02, 0.03), (-0.04, 0.05, 0.0, 0.02)] for name in "abcdefghi"}
    joints = [
        joint("ab", "a", "b", xyz=(0.1, 0.2, 0.3), rpy=(0.3, 0.2, 0.1), axis=(0, 1, 0), limits=(-2, 3)),
        joint("bc", "b", "c", xyz=(0, 0.2, 0.1), axis=(0, 1, 0), limits=(-9, 8)),
        joint("cd", "c", "d", xyz=(0.2, 0, 0), axis=(0, -1, 0), kind=JointType.CONTINUOUS),
        joint("de", "d", "e", xyz=(0.2, 0, 0.1), axis=(0, 0, 1), limits=(-1, 2)),
        joint("ef", "e", "f", xyz=(0.1, 0.1, 0), axis=(1, 0, 0), kind=JointType.PRISMATIC, limits=(-0.1, 0.3)),
        joint("fg", "f", "g", xyz=(0.1, 0, 0.1), axis=(0.6, 0, 0.8), limits=(-3, 1)),
        joint("eh", "e", "h", xyz=(-0.1, 0.1, 0.05), rpy=(0, 1.0, 0.4), axis=(0, 1, 0), limits=(-3, 1)),
        joint("hi", "h", "i", xyz=(0.15, 0, 0), rpy=(0, 0, math.pi / 2), axis=(0.6, 0.8, 0), limits=(-3, 1)),
    ]
    return build_sphere_model(robot_of(joints, spheres))


def assert_same_distances(model: SphereModel, rows: list[int], count: int) -> None:
    sampler = Sampler(model, count, 3)
    live = LiveDistances(model)
    values = sampler.values_of(np.arange(count))
    found = np.array([sampler.clearances(row, count) for row in rows])
    for n in range(count):
        live.set_values(values[n], np.array(rows))
        assert found[:, n] == pytest.approx(live.clearance[rows], abs=2e-6)


def test_every_kind_of_step_places_the_spheres_where_double_precision_does() -> None:
    model = square_robot()
    steps = set(packed(model, np.arange(len(model.pairs))).step.tolist())
    assert steps == {Step.ANY, Step.TILTED, Step.PARALLEL, Step.SQUARE, Step.OPPOSITE}
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


@pytest.mark.parametrize("name", ["ur_description/urdf/ur5_robot.urdf", "baxter_description/urdf/baxter.urdf"])
def test_real_robots_agree_with_double_precision(name: str) -> None:
    from dataclasses import replace

    from editor_app.formats.source import SourceText
    from editor_app.formats.urdf import read_urdf
    from editor_app.geometry.link_geometry import link_geometry, merged
    from editor_app.model.frozen import FrozenDict
    from editor_app.model.robot import RobotDescription
    from editor_app.model.xrdf import CollisionSphere, GeometryGroup, SelfCollisionSection, Xrdf
    from editor_app.self_collision.meshes import cover_of

    path: Path = example_robots() / name
    urdf = read_urdf(SourceText.read(path)).urdf
    spheres = {}
    for link in urdf.links:
        parts = link_geometry(urdf, path, link.name, "collision", example_mappings()).parts
        if parts:
            balls = cover_of(*merged(parts), 4).tolist()
            spheres[link.name] = tuple(CollisionSphere((x, y, z), r) for x, y, z, r in balls)
    xrdf = replace(
        Xrdf(), self_collision=SelfCollisionSection("g"), geometry=(GeometryGroup("g", FrozenDict(spheres)),)
    )
    model = build_sphere_model(RobotDescription(urdf, xrdf))
    rows = np.random.default_rng(0).choice(len(model.pairs), min(20, len(model.pairs)), replace=False)
    assert_same_distances(model, rows.tolist(), 64)


def test_what_was_compiled_before_the_vectors_changed_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "kernel_here.py"
    source.write_text(
        "from editor_app.self_collision.jit import kernel\n\n\n@kernel\ndef twice(x):\n    return 2.0 * x\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    import importlib

    module = importlib.import_module("kernel_here")
    name = "kernel_here.twice"
    try:
        assert not jit.is_compiled(name)
        module.twice(1.0)
        (index,) = (tmp_path / "__pycache__").glob("*.nbi")
        os.utime(index, (1.0, 1.0))
        again = importlib.reload(module)
        assert not index.exists()
        assert again.twice(2.0) == 4.0
    finally:
        jit.KERNELS.pop(name, None)
