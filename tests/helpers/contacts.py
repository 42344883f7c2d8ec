"""Which links touch by their spheres, from centres and radii alone, and poses to ask other programs at."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import editor_app
from editor_app.core.document.document import Document
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.xrdf import AddFrame, LinkPair


def overlapping(document: Document, pose: dict[str, float]) -> set[LinkPair]:
    """The pairs of frames with overlapping spheres that the mask checks, and whose way to each other has a joint."""
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
            gap = np.linalg.norm(spheres.centers[i] - spheres.centers[j]) - spheres.radii[i] - spheres.radii[j]
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
    return [followed(document, {**fixed, **dict(pair.witness)}) for pair in evidence if pair.witness is not None]


def followed(document: Document, pose: dict[str, float]) -> dict[str, float]:
    mimics = [joint for joint in document.robot.urdf.joints if joint.mimic is not None and joint.mimic.joint in pose]
    return pose | {j.name: j.mimic.multiplier * pose[j.mimic.joint] + j.mimic.offset for j in mimics if j.mimic}
