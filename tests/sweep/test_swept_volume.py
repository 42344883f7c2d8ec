"""The swept volume of a motion contains the robot between its points, is closed, and is no larger
than it says."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app import SweptVolume, Trajectory, cli
from editor_app.core.space.geometry.obj_and_stl import read_stl
from tests.margins.test_margins import write_arm

JOINTS = ("turn", "lift", "slide", "left")
WAY = Trajectory(JOINTS, ((0.0, 0.2, 0.0, 0.0), (0.9, 0.8, 0.1, 0.4), (0.9, -0.4, 0.2, 0.4)))


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> editor_app.Document:
    return editor_app.open_robot(write_arm(tmp_path_factory.mktemp("arm")))


@pytest.fixture(scope="module")
def volume(arm: editor_app.Document) -> SweptVolume:
    return editor_app.sweep(arm, WAY, cell=0.025, excess=0.004)


def robot_points(arm: editor_app.Document, count: int, seed: int = 0) -> np.ndarray:
    """Points on spheres of the robot somewhere on the way."""
    rng = np.random.default_rng(seed)
    points = []
    for _ in range(count):
        index, share = int(rng.integers(len(WAY) - 1)), rng.random()
        one, other = np.array(WAY.points[index]), np.array(WAY.points[index + 1])
        spheres = editor_app.sphere_arrays(
            arm, dict(zip(JOINTS, one + share * (other - one), strict=True))
        )
        which = int(rng.integers(len(spheres.radii)))
        direction = rng.normal(size=3)
        points.append(
            spheres.centers[which] + spheres.radii[which] * direction / np.linalg.norm(direction)
        )
    return np.array(points)


def windings(points: np.ndarray, volume: SweptVolume) -> np.ndarray:
    """How often the mesh goes round each point: 1 inside, 0 outside (A. Van Oosterom, J. Strackee,
    1983)."""
    a, b, c = (volume.vertices[volume.faces[:, k]] for k in range(3))
    result = []
    for point in points:
        u, v, w = a - point, b - point, c - point
        lu, lv, lw = (np.linalg.norm(each, axis=1) for each in (u, v, w))
        above = np.einsum("ni,ni->n", u, np.cross(v, w))
        below = lu * lv * lw + (u * v).sum(1) * lw + (v * w).sum(1) * lu + (w * u).sum(1) * lv
        result.append(np.arctan2(above, below).sum() / (2.0 * np.pi))
    return np.array(result)


def test_the_mesh_contains_the_robot_between_the_points(
    arm: editor_app.Document, volume: SweptVolume
) -> None:
    assert np.allclose(windings(robot_points(arm, 60), volume), 1.0, atol=1e-6)


def test_the_spheres_contain_the_robot_between_the_points(
    arm: editor_app.Document, volume: SweptVolume
) -> None:
    points = robot_points(arm, 600, seed=1)
    gaps = np.linalg.norm(points[:, None] - volume.spheres[:, :3], axis=2) - volume.spheres[:, 3]
    assert gaps.min(axis=1).max() <= 0.0


def test_the_mesh_is_closed_and_points_outwards(volume: SweptVolume) -> None:
    edges: Counter[tuple[int, int]] = Counter()
    for one, other, third in volume.faces.tolist():
        edges.update([(one, other), (other, third), (third, one)])
    assert set(edges.values()) == {1}
    assert all((other, one) in edges for one, other in edges)
    assert volume.volume > 0.01


def test_the_mesh_is_no_farther_away_than_it_says(
    arm: editor_app.Document, volume: SweptVolume
) -> None:
    fine = np.concatenate([
        np.linspace(WAY.points[k], WAY.points[k + 1], 60) for k in range(len(WAY) - 1)
    ])  # fmt: skip
    least = np.full(len(volume.vertices), np.inf)
    for values in fine:
        spheres = editor_app.sphere_arrays(arm, dict(zip(JOINTS, values.tolist(), strict=True)))
        for center, radius in zip(spheres.centers, spheres.radii, strict=True):
            np.minimum(least, np.linalg.norm(volume.vertices - center, axis=1) - radius, out=least)
    # Between the configurations looked at, a sphere moves by less than 10 mm to both sides.
    assert least.max() <= volume.mesh_excess + 1e-2
    assert least.min() >= 0.0


def test_spheres_are_no_larger_than_they_say(volume: SweptVolume) -> None:
    radii = {0.1, 0.05, 0.06, 0.04, 0.015}
    grown = [
        min(radius - real for real in radii if real <= radius) for radius in volume.spheres[:, 3]
    ]
    assert 0.0 < max(grown) <= volume.sphere_excess + 1e-9
    assert volume.sphere_excess <= 0.004


def test_a_still_robot_sweeps_its_spheres(arm: editor_app.Document) -> None:
    still = editor_app.sweep(arm, {"lift": 0.3}, cell=0.02)
    spheres = editor_app.sphere_arrays(arm, {"lift": 0.3})
    assert len(still.spheres) == len(spheres.radii)
    assert np.allclose(np.sort(still.spheres[:, 3]), np.sort(spheres.radii), atol=1e-6)


def test_separate_poses_sweep_nothing_between_them(arm: editor_app.Document) -> None:
    poses = Trajectory(JOINTS, WAY.points, moves=False)
    volume = editor_app.sweep(arm, poses, cell=0.02)
    points = robot_points(arm, 300)
    gaps = np.linalg.norm(points[:, None] - volume.spheres[:, :3], axis=2) - volume.spheres[:, 3]
    assert gaps.min(axis=1).max() > 0.05
    # Two spheres of the base and the one of the first link stand still; five others move.
    assert len(volume.spheres) == 3 + 3 * 5


def test_the_files_hold_the_mesh_and_the_spheres(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf, way = write_arm(tmp_path), tmp_path / "way.csv"
    way.write_text(editor_app.trajectory_csv(WAY))
    stl, csv = tmp_path / "swept.stl", tmp_path / "swept.csv"
    options = [
        str(urdf),
        "--poses",
        str(way),
        "--cell",
        "30mm",
        "-o",
        str(stl),
        "--spheres",
        str(csv),
        "--format",
        "json",
    ]
    assert cli.run_command("sweep", options) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["written"] == [str(stl), str(csv)]
    (part,) = read_stl(stl.read_bytes()).parts
    assert len(part.faces) == report["triangles"]
    # Welded by their numbers, the triangles are still closed.
    edges = Counter(
        tuple(sorted(edge))
        for f in part.faces.tolist()
        for edge in zip(f, f[1:] + f[:1], strict=True)
    )
    assert set(edges.values()) == {2}
    rows = np.loadtxt(csv, delimiter=",", skiprows=1)
    assert len(rows) == report["spheres"]
    assert cli.run_command("sweep", options) == 2


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"cell": 0.0}, "cell must be"),
        ({"excess": float("nan")}, "excess must be"),
        ({"group": "gg"}, "nearest name is g"),
        ({"cell": 0.0005}, "too small for this motion"),
    ],
)
def test_a_wrong_choice_is_refused(
    arm: editor_app.Document, choices: dict[str, float], words: str
) -> None:
    with pytest.raises(editor_app.Refused, match=words):
        editor_app.sweep(arm, WAY, **choices)  # type: ignore[arg-type]
