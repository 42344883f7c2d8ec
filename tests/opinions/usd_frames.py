"""Frames of robots out of USD files against usd-core's own descriptions of joints, in random poses.

    nice python -P -m tests.opinions usd_frames ROBOT.usd …

Prints the largest difference of a body's frame (metres, and parts of a rotation) for each file;
single precision: 1e-7.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdPhysics

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.findings import Location
from editor_app.core.model.urdf import Link, Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import Matrix, invert, joint_motion, transform
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.plugins.usd.reading.joints import read_usd_joint
from editor_app.plugins.usd.reading.layers import Layers
from editor_app.plugins.usd.reading.links import Links
from editor_app.plugins.usd.reading.robots import choose_robot, find_robots, spanning_tree
from editor_app.plugins.usd.reading.scene import UsdScene

POSES, PRECISION = 60, 5e-7


def greatest_difference(path: Path) -> float:
    """Of the frames of all bodies that joints of one freedom or none move."""
    out = Reporter("USD", "URDF")
    with tempfile.TemporaryDirectory() as folder:
        # The layers are in memory as long as they are named here.
        layers = Layers(path, Path(folder))
    scene = UsdScene(Usd.Stage.Open(layers.root), Location(str(path)))
    every = [joint for prim in scene.joints if (joint := read_usd_joint(scene, prim)) is not None]
    robot = choose_robot(scene, find_robots(scene, every), None, out)
    links = Links(scene, spanning_tree(robot, every=False), out)
    names = [links.root, *(joint.child for joint in links.joints)]
    tree = build_tree(Urdf(robot.name, "1.0", tuple(map(Link, names)), tuple(links.joints)))
    random, worst = np.random.default_rng(0), 0.0
    for _ in range(POSES):
        pose = {name: float(random.uniform(-1, 1)) for name in links.start}
        for moved in links.joints:
            if moved.mimic is not None:
                pose[moved.name] = (
                    moved.mimic.multiplier * pose[moved.mimic.joint] + moved.mimic.offset
                )
        ours = dict(zip(tree.frames, compute_forward(tree, pose), strict=True))
        for body, (parent, theirs) in _by_usd(scene, links, pose).items():
            above = links.root if parent is None else links.names[parent]
            ours_below = invert(ours[above]) @ ours[links.names[body]]
            worst = max(worst, float(np.abs(ours_below - theirs).max()))
    return worst


def _by_usd(scene: UsdScene, links: Links, pose: dict[str, float]) -> dict[Any, tuple[Any, Matrix]]:
    """Body -> its parent, and its frame there by the joint that usd-core parses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = UsdPhysics.LoadUsdPhysicsFromRange(scene.stage, [Sdf.Path("/")])
    described = {
        path: each
        for paths, descs in parsed.values()
        for path, each in zip(paths, descs, strict=True)
    }
    frames = {}
    for edge in links.tree.edges:
        if (
            edge.joint is None
            or edge.more
            or len(edge.joint.freedoms) > 1
            or None in (edge.parent, edge.child)
        ):
            continue
        path = edge.joint.prim.GetPath()
        first, second = (_frame(described[path], side, scene.metres) for side in (0, 1))
        motion = np.eye(4)
        for freedom, name in zip(edge.joint.freedoms, links.motions[path], strict=False):
            motion = joint_motion(freedom.direction.tolist(), pose[name], slides=freedom.slides)
        below = first @ motion @ invert(second)
        frames[edge.child] = (
            edge.parent,
            below if edge.joint.ends[0] == edge.parent else invert(below),
        )
    return frames


def _frame(described: Any, side: int, metres: float) -> Matrix:
    quaternion = Gf.Quatd(getattr(described, f"localPose{side}Orientation")).GetNormalized()
    position = np.array(getattr(described, f"localPose{side}Position"), dtype=float) * metres
    return transform(np.array(Gf.Matrix3d(quaternion)).T, position)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="ROBOT.usd")


def run(options: argparse.Namespace) -> int:
    """1 for a robot whose frames differ by more than single precision."""
    differences = {path: greatest_difference(path) for path in options.files}
    for path, difference in differences.items():
        print(f"{difference:.1e}  {path}")
    return int(max(differences.values()) > PRECISION)
