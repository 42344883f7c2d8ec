"""Robots with parts bolted on, made of URDFs by a script: masts, brackets, cameras, tool changers,
two arms.

Nothing here comes from the editor: `masks` judges what the editor says of them.
"""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import trimesh

from tests.opinions.planning_truth import Robot

#: Robots of example-robot-data that get a part of each kind: folder and file.
BASES = (
    ("ur_description/urdf", "ur5_robot"),
    ("ur_description/urdf", "ur10_robot"),
    ("panda_description/urdf", "panda"),
    ("kinova_description/robots", "kinova"),
    ("z1_description/urdf", "z1"),
)
_PREFIX = "more_"


def composed(robots: Path, folder: Path, packages: Mapping[str, Path]) -> Iterator[Path]:
    """Writes the robots into `folder`; their paths. Meshes are named by where they are."""
    for place, name in BASES:
        path = robots / place / f"{name}.urdf"
        for kind, attach in KINDS.items():
            root = ElementTree.parse(path).getroot()
            named_by_path(root, path, packages)
            attach(root, Robot(path, packages))
            out = folder / f"{name}_{kind}.urdf"
            root.set("name", out.stem)
            ElementTree.ElementTree(root).write(out)
            yield out


def named_by_path(root: ElementTree.Element, path: Path, packages: Mapping[str, Path]) -> None:
    robot = Robot(path, packages)
    for mesh in root.iter("mesh"):
        located = robot.mesh_path(mesh.get("filename", ""))
        if located is not None:
            mesh.set("filename", f"file://{located}")


def box(
    root: ElementTree.Element, name: str, parent: str, size: Sequence[float], middle: np.ndarray
) -> None:
    """A link with a box, fixed to `parent`; `middle` of the box in the parent's frame, metres."""
    link = ElementTree.SubElement(root, "link", name=name)
    for tag in ("visual", "collision"):
        geometry = ElementTree.SubElement(ElementTree.SubElement(link, tag), "geometry")
        ElementTree.SubElement(geometry, "box", size=" ".join(map(str, size)))
    joint = ElementTree.SubElement(root, "joint", name=f"{name}_bolt", type="fixed")
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=name)
    ElementTree.SubElement(
        joint, "origin", xyz=" ".join(f"{value:.6f}" for value in middle.tolist())
    )


def moving_chain(robot: Robot) -> list[str]:
    """The longest way of links with shapes, each moved against the one before; from the base on."""
    best: list[str] = []
    for name, link in robot.links.items():
        if not link.shapes:
            continue
        chain, body = [name], name
        while body in robot.above:
            joint = robot.above[body]
            body = joint.parent
            if joint.kind != "fixed" and robot.links[body].shapes:
                chain.append(body)
        best = max(best, chain[::-1], key=len)
    return best


def shape_of(robot: Robot, name: str) -> trimesh.Trimesh:
    return trimesh.util.concatenate(robot.links[name].shapes)


def relative(robot: Robot, one: str, other: str) -> np.ndarray:
    """(4, 4): the frame of `other` in that of `one`, where all joints are at zero."""
    frames = robot.frames(robot.values({}, {}, 1), 1)
    return np.asarray(np.linalg.inv(frames[one][0]) @ frames[other][0])


def with_mast(root: ElementTree.Element, robot: Robot) -> None:
    """On the base, as high as half the arm."""
    base = moving_chain(robot)[0]
    bounds = shape_of(robot, base).bounds
    height = 0.4
    middle = np.array([bounds[0][0] - 0.03, 0.0, bounds[0][2] + height / 2])
    box(root, "mast", base, (0.05, 0.05, height), middle)


def with_bracket(root: ElementTree.Element, robot: Robot) -> None:
    """On the last link, reaching back beside the two before it."""
    chain = moving_chain(robot)
    last, before = chain[-1], chain[-2]
    back = relative(robot, last, before)[:3, :3] @ shape_of(robot, before).bounds.mean(axis=0)
    back = back + relative(robot, last, before)[:3, 3]
    way = back / max(float(np.linalg.norm(back)), 1e-6)
    side = np.cross(way, [0.0, 0.0, 1.0] if abs(way[2]) < 0.8 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    half = 0.5 * float(np.ptp(shape_of(robot, before).bounds, axis=0).min())
    box(root, "bracket", last, (0.03, 0.03, 0.03), side * (half + 0.02))
    box(root, "bracket_end", "bracket", (0.03, 0.03, 0.03), way * 0.05)
    box(root, "bracket_tip", "bracket", (0.03, 0.03, 0.03), way * 0.1)


def with_camera(root: ElementTree.Element, robot: Robot) -> None:
    """Beside the link before the last."""
    wrist = moving_chain(robot)[-2]
    bounds = shape_of(robot, wrist).bounds
    middle = bounds.mean(axis=0)
    middle[0] = bounds[1][0] + 0.05
    box(root, "camera", wrist, (0.1, 0.05, 0.05), middle)


def with_changer(root: ElementTree.Element, robot: Robot) -> None:
    """A plate on the last link, and a long tool on the plate, across."""
    last = moving_chain(robot)[-1]
    bounds = shape_of(robot, last).bounds
    middle = bounds.mean(axis=0)
    middle[2] = bounds[1][2] + 0.01
    box(root, "changer", last, (0.08, 0.08, 0.02), middle)
    box(root, "tool", "changer", (0.3, 0.04, 0.04), np.array([0.1, 0.0, 0.03]))


def with_second_arm(root: ElementTree.Element, robot: Robot) -> None:
    """The same arm again, half a metre beside, both on a body without shapes."""
    first = next(name for name in robot.links if name not in robot.above)
    parts = [copy.deepcopy(part) for part in root if part.tag in ("link", "joint")]
    for part in parts:
        part.set("name", _PREFIX + part.get("name", ""))
        for tag, key in (("parent", "link"), ("child", "link"), ("mimic", "joint")):
            for named in part.findall(tag):
                named.set(key, _PREFIX + named.get(key, ""))
        root.append(part)
    ElementTree.SubElement(root, "link", name="body")
    for name, y in ((first, 0.25), (_PREFIX + first, -0.25)):
        joint = ElementTree.SubElement(root, "joint", name=f"body_{name}", type="fixed")
        ElementTree.SubElement(joint, "parent", link="body")
        ElementTree.SubElement(joint, "child", link=name)
        ElementTree.SubElement(joint, "origin", xyz=f"0 {y} 0")


KINDS: Mapping[str, Callable[[ElementTree.Element, Robot], None]] = {
    "mast": with_mast,
    "bracket": with_bracket,
    "camera": with_camera,
    "changer": with_changer,
    "two": with_second_arm,
}
