"""The bundled robot: files where they are said to be, a mimicking finger, colours, spheres that
cover, no collision."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yourdfpy
from ruamel.yaml import YAML

from editor_app.core import resources


@pytest.fixture(scope="module")
def robot() -> yourdfpy.URDF:
    return yourdfpy.URDF.load(str(resources.sample_robot()), load_meshes=False)


@pytest.fixture(scope="module")
def xrdf() -> dict:
    return YAML(typ="safe").load(resources.sample_robot().with_suffix(".xrdf"))


def spheres(xrdf: dict) -> dict:
    return xrdf["geometry"][xrdf["collision"]["geometry"]]["spheres"]


def test_it_is_six_axes_and_two_fingers_of_which_one_follows(robot: yourdfpy.URDF) -> None:
    kinds = [joint.type for joint in robot.robot.joints]
    assert (kinds.count("revolute"), kinds.count("prismatic")) == (6, 2)
    assert [joint.name for joint in robot.robot.joints if joint.mimic] == ["right_finger_joint"]
    for joint in robot.robot.joints:
        if joint.type != "fixed":
            assert joint.limit.lower < joint.limit.upper
            assert joint.limit.effort > 0
            assert joint.limit.velocity > 0


def test_inertias_are_possible(robot: yourdfpy.URDF) -> None:
    for link in robot.robot.links:
        a, b, c = np.linalg.eigvalsh(link.inertial.inertia)
        assert link.inertial.mass > 0
        assert a > 0
        assert a + b >= c


def test_it_is_small_and_its_paths_are_relative() -> None:
    folder = resources.sample_robot().parent
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 2_000_000
    named = {
        mesh.get("filename", "")
        for mesh in ElementTree.parse(resources.sample_robot()).iter("mesh")
    }
    assert not any(Path(name).is_absolute() or "://" in name for name in named)
    present = {path.relative_to(folder).as_posix() for path in (folder / "meshes").rglob("*.*")}
    assert named == present


def test_visual_meshes_have_colours_and_collision_meshes_are_closed_and_simpler() -> None:
    folder = resources.sample_robot().parent / "meshes"
    colours = set()
    for path in (folder / "visual").glob("*.dae"):
        parts = trimesh.load_scene(path).dump()
        colours |= {tuple(part.visual.material.main_color) for part in parts}
        solid = trimesh.load_mesh(folder / "collision" / f"{path.stem}.stl")
        assert solid.is_watertight
        assert len(solid.faces) * 5 < sum(len(part.faces) for part in parts)
        assert np.all(solid.bounds[0] < np.min([part.bounds[0] for part in parts], axis=0) + 0.004)
        assert np.all(solid.bounds[1] > np.max([part.bounds[1] for part in parts], axis=0) - 0.004)
    assert len(colours) >= 4


def test_spheres_cover_the_meshes(xrdf: dict) -> None:
    folder = resources.sample_robot().parent / "meshes" / "visual"
    for link, balls in spheres(xrdf).items():
        points = np.vstack(
            [
                np.asarray(part.vertices)
                for part in trimesh.load_scene(folder / f"{link}.dae").dump()
            ]
        )
        gaps = [np.linalg.norm(points - ball["center"], axis=1) - ball["radius"] for ball in balls]
        assert np.mean(np.min(gaps, axis=0) > 0.002) < 0.06, link


def test_the_default_posture_is_free_and_within_the_limits(
    robot: yourdfpy.URDF, xrdf: dict
) -> None:
    posture = xrdf["default_joint_positions"]
    for name in robot.actuated_joint_names:
        limit = robot.joint_map[name].limit
        assert limit.lower <= posture[name] <= limit.upper
    assert set(posture) == set(robot.actuated_joint_names)
    robot.update_cfg(np.array([posture[name] for name in robot.actuated_joint_names]))
    buffers = xrdf["self_collision"]["buffer_distance"]
    placed = {}
    for link, balls in spheres(xrdf).items():
        pose = robot.get_transform(link, robot.base_link)
        centers = np.array([ball["center"] for ball in balls]) @ pose[:3, :3].T + pose[:3, 3]
        placed[link] = (
            centers,
            np.array([ball["radius"] for ball in balls]) + buffers.get(link, 0.0),
        )
    ignored = {
        frozenset((a, b)) for a, others in xrdf["self_collision"]["ignore"].items() for b in others
    }
    for a, b in itertools.combinations(placed, 2):
        if frozenset((a, b)) not in ignored:
            (ca, ra), (cb, rb) = placed[a], placed[b]
            clearance = np.linalg.norm(ca[:, None] - cb[None], axis=2) - ra[:, None] - rb[None]
            assert clearance.min() > 0.01, (a, b)
    # Neighbours on the chain touch at their joint: each of them is masked.
    assert {frozenset((j.parent, j.child)) for j in robot.robot.joints} <= ignored
    assert math.isclose(
        posture["shoulder_pitch_joint"]
        + posture["elbow_pitch_joint"]
        + posture["wrist_pitch_joint"],
        math.pi / 2,
        abs_tol=1e-4,
    )  # the hand hangs plumb, as the comment in the file says
