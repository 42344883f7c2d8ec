"""Collisions of real robots against pinocchio's and coal's: the same spheres to 1e-9 m, meshes yes
or no."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.document.opening import open_document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, SelfCollisionSection
from editor_app.features.masks.engine.meshes import MeshModel, collision_meshes
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import build_motion_model
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import example_mappings, example_robots, shared_robots

pin = pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")
coal = pytest.importorskip("coal")

EXAMPLES = (
    "ur_description/urdf/ur5_robot.urdf", "panda_description/urdf/panda.urdf", "kinova_description/robots/kinova.urdf",
    "iiwa_description/urdf/iiwa14.urdf", "talos_data/robots/talos_reduced.urdf", "tiago_description/robots/tiago.urdf",
    "solo_description/robots/solo12.urdf", "anymal_b_simple_description/robots/anymal.urdf",
    "z1_description/urdf/z1.urdf", "romeo_description/urdf/romeo_small.urdf", "baxter_description/urdf/baxter.urdf",
    "so101_description/urdf/so101.urdf", "go2_description/urdf/go2.urdf", "xarm_description/urdf/xarm7.urdf",
    "ur_description/urdf/ur10_robot.urdf", "hector_description/robots/quadrotor_base.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf", "b1_description/urdf/b1.urdf",
    "ur_description/urdf/ur3_robot.urdf", "fr3_description/urdf/fr3_franka_hand.urdf",
)  # fmt: skip

WITH_MESHES = ("ur5_robot", "panda", "kinova", "solo12", "z1")


def with_random_spheres(robot: RobotDescription, seed: int) -> RobotDescription:
    """Three spheres on every link, with a buffer: real tree, spheres that collide now and then."""
    rng = np.random.default_rng(seed)
    spheres = {
        link.name: tuple(
            CollisionSphere((float(x), float(y), float(z)), float(rng.uniform(0.02, 0.06)))
            for x, y, z in rng.uniform(-0.08, 0.08, (3, 3))
        )
        for link in robot.urdf.links
    }
    group = GeometryGroup("balls", FrozenDict(spheres))
    section = SelfCollisionSection("balls", FrozenDict({robot.urdf.links[0].name: 0.01}))
    return robot.with_xrdf(
        replace(robot.xrdf, self_collision=section, geometry=(group,), modifiers=None)
    )


def configurations(
    model_lower: np.ndarray, model_upper: np.ndarray, count: int, seed: int
) -> np.ndarray:
    low, high = np.clip(model_lower, -6.3, 6.3), np.clip(model_upper, -6.3, 6.3)
    return low + np.random.default_rng(seed).random((count, len(low))) * (high - low)


class Peer:
    """pinocchio's model of a URDF, posed by joint values."""

    def __init__(self, urdf: Path) -> None:
        self.model = pin.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()

    def pose(self, values: dict[str, float]) -> dict[str, object]:
        """Body -> coal transform."""
        q = pin.neutral(self.model)
        for index, name in enumerate(self.model.names):
            if index and name in values:
                joint = self.model.joints[index]
                if joint.nq == 2:
                    q[joint.idx_q : joint.idx_q + 2] = np.cos(values[name]), np.sin(values[name])
                else:
                    q[joint.idx_q] = values[name]
        pin.framesForwardKinematics(self.model, self.data, q)
        bodies = [
            (f.name, i) for i, f in enumerate(self.model.frames) if f.type == pin.FrameType.BODY
        ]
        return {
            name: coal.Transform3s(self.data.oMf[i].rotation, self.data.oMf[i].translation)
            for name, i in bodies
        }


def all_positions(
    robot: RobotDescription, variables: tuple[str, ...], row: np.ndarray
) -> dict[str, float]:
    from editor_app.core.space.kinematics.tree import complete_pose, get_tree

    return dict(complete_pose(get_tree(robot), dict(zip(variables, row.tolist(), strict=True))))


def compare_spheres(urdf: Path, seed: int) -> int:
    robot = with_random_spheres(open_document(urdf, new_xrdf=True).robot, seed)
    model, peer = build_motion_model(robot), Peer(urdf)
    values = configurations(model.spheres.lower, model.spheres.upper, 3, seed)
    compared = 0
    for row in values:
        # Every pair up to five metres apart, so that clearances are compared as well as depths.
        spots, gaps = model.row_clearances(row[None], 5.0)
        places = peer.pose(all_positions(robot, model.variables, row))
        for (_, pair, a, b), gap in list(zip(spots.tolist(), gaps.tolist(), strict=True))[:300]:
            one, other = model.refs(pair, a, b)
            shapes = []
            for ref in (one, other):
                sphere = robot.xrdf.spheres_of(ref.group)[ref.frame][ref.index]
                place = places[ref.frame] * coal.Transform3s(np.eye(3), np.array(sphere.center))
                shapes.append((coal.Sphere(robot.xrdf.self_radius(ref.frame, sphere)), place))
            result = coal.DistanceResult()
            request = coal.DistanceRequest()
            expected = coal.distance(
                shapes[0][0], shapes[0][1], shapes[1][0], shapes[1][1], request, result
            )
            assert abs(expected - gap) < 1e-9, (urdf.name, model.names(pair), expected, gap)
            compared += 1
    return compared


def compare_meshes(
    urdf: Path, mappings: dict[str, Path], seed: int, count: int = 12
) -> tuple[int, int]:
    """(pairs that were looked at, pairs that touch); raises AssertionError where coal says
    otherwise."""
    robot = open_document(urdf, new_xrdf=True).robot
    meshes = collision_meshes(robot, urdf, mappings)
    if len(meshes) < 2:
        pytest.skip("no two links with collision meshes")
    ours = MeshMotion(
        robot, MeshModel(robot, meshes), scene=build_motion_model(robot).scene, masked=None
    )
    solids = {}
    for frame, (vertices, faces) in meshes.items():
        shape = coal.BVHModelOBBRSS()
        shape.beginModel(len(faces), len(vertices))
        shape.addVertices(vertices)
        for a, b, c in faces.tolist():
            shape.addTriangle(vertices[a], vertices[b], vertices[c])
        shape.endModel()
        solids[frame] = shape
    peer = Peer(urdf)
    model = ours.motion
    looked = touching = 0
    for row in configurations(model.spheres.lower, model.spheres.upper, count, seed):
        ours_touch = {r for _, r in ours.touching(row[None])}
        places = peer.pose(all_positions(robot, model.variables, row))
        near = {int(r) for _, r, _, _ in model.row_clearances(row[None], 0.02)[0]}
        for pair in near:
            a, b = model.names(pair)
            theirs = coal.collide(
                solids[a],
                places[a],
                solids[b],
                places[b],
                coal.CollisionRequest(),
                coal.CollisionResult(),
            )
            looked += 1
            touching += pair in ours_touch
            if bool(theirs) != (pair in ours_touch):
                # Two libraries may differ where surfaces all but meet.
                assert ours.distance(pair, row) < 1e-6, (urdf.name, a, b)
    return looked, touching


def real_robots() -> list[Path]:
    folder = shared_robots()
    return sorted(folder.rglob("*.urdf"))


def examples() -> list[Path]:
    installed = [
        example_robots() / name for name in EXAMPLES if (example_robots() / name).is_file()
    ]
    assert len(installed) >= 10
    return installed[:10]


def test_spheres_of_ten_example_robots() -> None:
    every = examples()
    assert all(
        compare_spheres(urdf, seed) > 5 for seed, urdf in enumerate(of_each_kind(every, every[::3]))
    )


def test_spheres_of_the_shared_robots() -> None:
    assert all(compare_spheres(urdf, seed) > 0 for seed, urdf in enumerate(real_robots()))


def test_meshes_of_example_robots() -> None:
    """Humanoids are left out: their meshes take most of the time."""
    names = of_each_kind(sorted(WITH_MESHES), sorted(WITH_MESHES)[:2])
    chosen = [urdf for urdf in examples() if urdf.stem in names]
    assert len(chosen) == len(names)
    totals = [compare_meshes(urdf, example_mappings(), seed, 6) for seed, urdf in enumerate(chosen)]
    assert sum(touching for _, touching in totals) > 2 * len(names)


def test_meshes_of_the_shared_robots() -> None:
    compared = 0
    for seed, urdf in enumerate(real_robots()):
        if len(collision_meshes(open_document(urdf, new_xrdf=True).robot, urdf, {})) >= 2:
            compared += compare_meshes(urdf, {}, seed)[0]
    assert compared > 50
