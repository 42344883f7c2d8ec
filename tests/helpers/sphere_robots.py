"""Robots of spheres alone, for tests of self-collision: hand-made chains and random trees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Mimic, Urdf
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, SelfCollisionSection, Xrdf
from editor_app.core.space.kinematics.forward import forward
from editor_app.core.space.kinematics.tree import tree_of

Ball = tuple[float, float, float, float]


def joint(
    name: str,
    parent: str,
    child: str,
    *,
    kind: JointType = JointType.REVOLUTE,
    xyz: Sequence[float] = (0.0, 0.0, 0.0),
    rpy: Sequence[float] = (0.0, 0.0, 0.0),
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    limits: tuple[float, float] = (-1.0, 1.0),
    mimic: Mimic | None = None,
) -> Joint:
    limit = None if kind in (JointType.CONTINUOUS, JointType.FIXED) else Limit(*limits)
    origin = Origin((xyz[0], xyz[1], xyz[2]), (rpy[0], rpy[1], rpy[2]))
    return Joint(name, kind, parent, child, origin, (axis[0], axis[1], axis[2]), limit, mimic)


def robot_of(
    joints: Sequence[Joint],
    spheres: Mapping[str, Sequence[Ball]],
    *,
    buffers: Mapping[str, float] | None = None,
    defaults: Mapping[str, float] | None = None,
) -> RobotDescription:
    """The links are those that the joints name."""
    names = dict.fromkeys([name for j in joints for name in (j.parent, j.child)] or spheres)
    group = GeometryGroup(
        "balls", FrozenDict({f: tuple(CollisionSphere(b[:3], b[3]) for b in balls) for f, balls in spheres.items()})
    )
    section = SelfCollisionSection("balls", FrozenDict(buffers) if buffers else None)
    xrdf = Xrdf(
        self_collision=section,
        geometry=(group,),
        default_joint_positions=FrozenDict(defaults) if defaults else None,
    )
    return RobotDescription(Urdf("balls", links=tuple(map(Link, names)), joints=tuple(joints)), xrdf)


def random_robot(seed: int, n_links: int = 7, per_link: int = 3) -> RobotDescription:
    """A random tree with every kind of joint, mimic ones too, and random spheres; sizes of some decimetres."""
    rng = np.random.default_rng(seed)
    joints: list[Joint] = []
    free: list[str] = []
    for k in range(1, n_links):
        parent = f"l{rng.integers(max(0, k - 3), k)}"
        kind = rng.choice(list(JointType)[:4], p=[0.55, 0.15, 0.2, 0.1])
        axis = rng.normal(size=3)
        low = float(rng.uniform(-3.0, 0.0)) if kind is not JointType.PRISMATIC else float(rng.uniform(-0.2, 0.0))
        high = low + float(rng.uniform(0.2, 4.0)) * (1.0 if kind is not JointType.PRISMATIC else 0.1)
        mimic = None
        if free and kind in (JointType.REVOLUTE, JointType.PRISMATIC) and rng.random() < 0.25:
            mimic = Mimic(str(rng.choice(free)), float(rng.uniform(-1.5, 1.5)), float(rng.uniform(-0.3, 0.3)))
        elif kind is not JointType.FIXED:
            free.append(f"j{k}")
        joints.append(
            joint(
                f"j{k}",
                parent,
                f"l{k}",
                kind=JointType(kind),
                xyz=rng.uniform(-0.4, 0.4, 3).tolist(),
                rpy=rng.uniform(-math.pi, math.pi, 3).tolist(),
                axis=(axis / np.linalg.norm(axis)).tolist(),
                limits=(low, high),
                mimic=mimic,
            )
        )
    spheres = {
        f"l{k}": [(*rng.uniform(-0.1, 0.1, 3).tolist(), float(rng.uniform(0.02, 0.08))) for _ in range(per_link)]
        for k in range(n_links)
    }
    return robot_of(joints, spheres, buffers={"l1": 0.01, "l2": -0.005})


def brute_force(robot: RobotDescription, pose: Mapping[str, float]) -> dict[frozenset[str], float]:
    """Clearance of all pairs of frames straight from the description, by the kinematics' own forward pass."""
    tree = tree_of(robot)
    world = dict(zip(tree.frames, forward(tree, pose), strict=True))
    placed: dict[str, np.ndarray] = {}
    for frame, spheres in robot.xrdf.spheres_of(robot.xrdf.self_group).items():
        rows = []
        for sphere in spheres:
            radius = robot.xrdf.self_radius(frame, sphere)
            if radius > 0.0 and frame in world:
                rows.append([*(world[frame][:3, :3] @ np.array(sphere.center) + world[frame][:3, 3]), radius])
        if rows:
            placed[frame] = np.array(rows)
    result = {}
    names = list(placed)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            one, other = placed[a][:, None], placed[b][None]
            gaps = np.linalg.norm(one[..., :3] - other[..., :3], axis=2) - one[..., 3] - other[..., 3]
            result[frozenset((a, b))] = float(gaps.min())
    return result
