"""Contacts of links and clearances to obstacles of robots of spheres, by numpy alone, without the
planner's code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import editor_app
from editor_app.core.document.document import Document
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import BoxShape, CylinderShape, Obstacle, Scene, SphereShape
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.urdf import JointType
from editor_app.core.model.xrdf import AddFrame, LinkPair

Array = NDArray[np.float64]


def between(points: Array, count: int) -> Array:
    """(count, joints): places spread evenly over the straight lines through `points`."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    places = np.linspace(0.0, lengths[-1], count)
    return np.column_stack(
        [np.interp(places, lengths, points[:, k]) for k in range(points.shape[1])]
    )


def link_places(robot: RobotDescription, trajectory: Trajectory) -> dict[str, tuple[Array, Array]]:
    """Rotations (n, 3, 3) and places (n, 3) of every link at each point, in the root's frame; the
    rest stands at the default."""
    count = len(trajectory)
    table = dict(zip(trajectory.joints, np.array(trajectory.points).T, strict=True))
    defaults: Mapping[str, float] = robot.xrdf.default_joint_positions or {}
    by_name = {joint.name: joint for joint in robot.urdf.joints}

    def position(name: str) -> Array:
        joint = by_name[name]
        if joint.mimic is not None:
            return np.asarray(
                position(joint.mimic.joint) * joint.mimic.multiplier + joint.mimic.offset
            )
        if name in table:
            return np.asarray(table[name])
        low, high = (
            (joint.limit.lower, joint.limit.upper)
            if joint.limit is not None
            else (-math.inf, math.inf)
        )
        bounded = joint.type is not JointType.CONTINUOUS
        return np.full(
            count,
            np.clip(defaults.get(name, 0.0), low, high) if bounded else defaults.get(name, 0.0),
        )

    children = {joint.child for joint in robot.urdf.joints}
    root = next(link.name for link in robot.urdf.links if link.name not in children)
    places = {root: (np.repeat(np.eye(3)[None], count, axis=0), np.zeros((count, 3)))}
    waiting = list(robot.urdf.joints)
    while waiting:
        joint = next(each for each in waiting if each.parent in places)
        waiting.remove(joint)
        turn, place = places[joint.parent]
        place = place + turn @ np.array(joint.origin.xyz)
        turn = turn @ Rotation.from_euler("xyz", joint.origin.rpy).as_matrix()
        axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
        if joint.type is JointType.PRISMATIC:
            place = place + (turn @ axis) * position(joint.name)[:, None]
        elif joint.type is not JointType.FIXED:
            turn = turn @ Rotation.from_rotvec(position(joint.name)[:, None] * axis).as_matrix()
        places[joint.child] = turn, place
    return places


def placed_spheres(
    robot: RobotDescription, trajectory: Trajectory, *, for_obstacles: bool = False
) -> dict[str, tuple[Array, Array]]:
    """Centres (n, k, 3) and radii (k,) of the spheres of each link that has some."""
    group = robot.xrdf.self_group
    if for_obstacles and robot.xrdf.world_collision is not None:
        group = robot.xrdf.world_group
    spheres: dict[str, tuple[Array, Array]] = {}
    places = link_places(robot, trajectory)
    for link, balls in robot.xrdf.spheres_of(group).items():
        if link not in places:
            continue
        turn, place = places[link]
        section: Any = robot.xrdf.world_collision if for_obstacles else robot.xrdf.self_collision
        buffer = section.buffer_distance if section is not None and section.buffer_distance else {}
        extra = buffer.get(link, 0.0) if isinstance(buffer, Mapping) else buffer
        radii = np.array([ball.radius + extra for ball in balls])
        centres = np.array([ball.center for ball in balls])[radii > 0.0]
        if len(centres):
            spheres[link] = (
                np.einsum("nij,kj->nki", turn, centres) + place[:, None],
                radii[radii > 0.0],
            )
    return spheres


def self_clearances(
    robot: RobotDescription, trajectory: Trajectory, masked: frozenset[frozenset[str]], limit: float
) -> dict[tuple[str, str], Array]:
    """(n,) clearance of each pair that is not masked, at each point; `limit` (metres) where it is
    certainly more."""
    spheres = placed_spheres(robot, trajectory)
    balls = {}
    for link, (centres, radii) in spheres.items():
        middle = centres.mean(axis=1)
        balls[link] = middle, float((np.linalg.norm(centres[0] - middle[0], axis=1) + radii).max())
    result = {}
    names = list(spheres)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            if frozenset((a, b)) in masked:
                continue
            apart = np.linalg.norm(balls[a][0] - balls[b][0], axis=1) - balls[a][1] - balls[b][1]
            gaps = np.full(len(trajectory), limit)
            near = np.flatnonzero(apart < limit)
            for part in np.array_split(near, max(1, len(near) // 2000)):
                one, other = spheres[a][0][part][:, :, None], spheres[b][0][part][:, None]
                each = (
                    np.linalg.norm(one - other, axis=3)
                    - spheres[a][1][:, None]
                    - spheres[b][1][None]
                )
                gaps[part] = each.min(axis=(1, 2), initial=limit)
            result[a, b] = gaps
    return result


def obstacle_clearances(
    robot: RobotDescription, trajectory: Trajectory, scene: Scene
) -> dict[tuple[str, str], Array]:
    """(n,) clearance of each link from each obstacle (no meshes) that it may not touch, at each
    point, metres."""
    result = {}
    for link, (centres, radii) in placed_spheres(robot, trajectory, for_obstacles=True).items():
        for obstacle in scene.obstacles:
            if link not in obstacle.may_touch:
                result[link, obstacle.name] = (_distance(centres, obstacle) - radii).min(axis=1)
    return result


def _distance(points: Array, obstacle: Obstacle) -> Array:
    w, x, y, z = obstacle.orientation_wxyz
    local = (points - np.array(obstacle.position)) @ Rotation.from_quat((x, y, z, w)).as_matrix()
    match obstacle.shape:
        case SphereShape(radius):
            return np.asarray(np.linalg.norm(local, axis=-1) - radius)
        case BoxShape(size):
            over = np.abs(local) - np.array(size) / 2.0
        case CylinderShape(radius, length):
            over = np.stack(
                [
                    np.hypot(local[..., 0], local[..., 1]) - radius,
                    np.abs(local[..., 2]) - length / 2.0,
                ],
                -1,
            )
        case shape:
            raise NotImplementedError(shape)
    return np.asarray(
        np.linalg.norm(np.maximum(over, 0.0), axis=-1) + np.minimum(over.max(axis=-1), 0.0)
    )


def overlapping(document: Document, pose: dict[str, float]) -> set[LinkPair]:
    """The pairs of frames with overlapping spheres that the mask checks, and whose way to each
    other has a joint."""
    graph = KinematicGraph(document.robot.urdf)
    above = {j.child: j.parent for j in graph.incoming.values() if not j.is_movable}
    added = [m for m in document.robot.xrdf.modifiers or () if isinstance(m, AddFrame)]
    above |= {frame.frame_name: frame.parent_frame_name for frame in added}

    def rigid(frame: str) -> str:
        while frame in above:
            frame = above[frame]
        return frame

    spheres = editor_app.sphere_arrays(document, pose)
    section = document.robot.xrdf.self_collision
    ignored = section.ignored_pairs() if section is not None else frozenset()
    pairs = set()
    # A radius below 0 switches a sphere off.
    for i, j in combinations(np.flatnonzero(spheres.radii > 0), 2):
        a, b = spheres.frames[i], spheres.frames[j]
        if rigid(a) != rigid(b) and LinkPair.of(a, b) not in ignored:
            gap = (
                np.linalg.norm(spheres.centers[i] - spheres.centers[j])
                - spheres.radii[i]
                - spheres.radii[j]
            )
            if gap < 0:
                pairs.add(LinkPair.of(a, b))
    return pairs


def random_poses(document: Document, count: int) -> list[dict[str, float]]:
    random = np.random.default_rng(7)
    poses = [editor_app.default_pose(document)]
    for _ in range(count):
        pose = {}
        for joint in document.robot.urdf.joints:
            if joint.is_movable and joint.mimic is None:
                lower, upper = joint.position_limits or (-np.pi, np.pi)
                pose[joint.name] = float(random.uniform(lower, upper))
        poses.append(followed(document, pose))
    return poses


def witnesses(document: Document) -> list[dict[str, float]]:
    """Where the spheres of each pair were seen nearest, by the judgement of the mask."""
    fixed = editor_app.default_pose(document)
    evidence = editor_app.mask(document, samples=2000, certify=0.0).analysis
    return [
        followed(document, {**fixed, **dict(pair.witness)})
        for pair in evidence
        if pair.witness is not None
    ]


def followed(document: Document, pose: dict[str, float]) -> dict[str, float]:
    mimics = [
        joint
        for joint in document.robot.urdf.joints
        if joint.mimic is not None and joint.mimic.joint in pose
    ]
    return pose | {
        j.name: j.mimic.multiplier * pose[j.mimic.joint] + j.mimic.offset for j in mimics if j.mimic
    }
