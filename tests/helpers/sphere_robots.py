"""Robots of spheres or boxes, for tests of self-collision: chains, random trees, two arms on one
torso."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from editor_app.core.document.document import Document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Mimic, Urdf
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, SelfCollisionSection, Xrdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.verbs.open import open_robot

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
        "balls",
        FrozenDict(
            {f: tuple(CollisionSphere(b[:3], b[3]) for b in balls) for f, balls in spheres.items()}
        ),
    )
    section = SelfCollisionSection("balls", FrozenDict(buffers) if buffers else None)
    xrdf = Xrdf(
        self_collision=section,
        geometry=(group,),
        default_joint_positions=FrozenDict(defaults) if defaults else None,
    )
    return RobotDescription(
        Urdf("balls", links=tuple(map(Link, names)), joints=tuple(joints)), xrdf
    )


def random_robot(seed: int, n_links: int = 7, per_link: int = 3) -> RobotDescription:
    """A random tree with every kind of joint, mimic ones too, and random spheres; sizes of some
    decimetres."""
    rng = np.random.default_rng(seed)
    joints: list[Joint] = []
    free: list[str] = []
    for k in range(1, n_links):
        parent = f"l{rng.integers(max(0, k - 3), k)}"
        kind = rng.choice(list(JointType)[:4], p=[0.55, 0.15, 0.2, 0.1])
        axis = rng.normal(size=3)
        low = (
            float(rng.uniform(-3.0, 0.0))
            if kind is not JointType.PRISMATIC
            else float(rng.uniform(-0.2, 0.0))
        )
        high = low + float(rng.uniform(0.2, 4.0)) * (
            1.0 if kind is not JointType.PRISMATIC else 0.1
        )
        mimic = None
        if free and kind in (JointType.REVOLUTE, JointType.PRISMATIC) and rng.random() < 0.25:
            mimic = Mimic(
                str(rng.choice(free)), float(rng.uniform(-1.5, 1.5)), float(rng.uniform(-0.3, 0.3))
            )
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
        f"l{k}": [
            (*rng.uniform(-0.1, 0.1, 3).tolist(), float(rng.uniform(0.02, 0.08)))
            for _ in range(per_link)
        ]
        for k in range(n_links)
    }
    return robot_of(joints, spheres, buffers={"l1": 0.01, "l2": -0.005})


def brute_force(robot: RobotDescription, pose: Mapping[str, float]) -> dict[frozenset[str], float]:
    """Clearance of all pairs of frames straight from the description, by the kinematics' own
    forward pass."""
    tree = get_tree(robot)
    world = dict(zip(tree.frames, compute_forward(tree, pose), strict=True))
    placed: dict[str, np.ndarray] = {}
    for frame, spheres in robot.xrdf.spheres_of(robot.xrdf.self_group).items():
        rows = []
        for sphere in spheres:
            radius = robot.xrdf.self_radius(frame, sphere)
            if radius > 0.0 and frame in world:
                rows.append(
                    [
                        *(world[frame][:3, :3] @ np.array(sphere.center) + world[frame][:3, 3]),
                        radius,
                    ]
                )
        if rows:
            placed[frame] = np.array(rows)
    result = {}
    names = list(placed)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            one, other = placed[a][:, None], placed[b][None]
            gaps = (
                np.linalg.norm(one[..., :3] - other[..., :3], axis=2) - one[..., 3] - other[..., 3]
            )
            result[frozenset((a, b))] = float(gaps.min())
    return result


#: Link -> size and middle of its box, metres; None for a link without shapes.
Boxes = Mapping[str, tuple[Sequence[float], Sequence[float]] | None]
#: Name, type, parent, child, place of the joint, axis, limits.
Joints = Sequence[tuple[str, str, str, str, Sequence[float], Sequence[float], tuple[float, float]]]

#: A camera mast on the base, behind the first link, which slews.
MAST: tuple[Boxes, Joints] = (
    {
        "base": ((0.6, 0.2, 0.02), (0.0, 0.0, 0.0)),
        "mast": ((0.05, 0.05, 0.5), (0.0, 0.0, 0.25)),
        "a": ((0.4, 0.05, 0.05), (0.2, 0.0, 0.1)),
        "b": ((0.2, 0.04, 0.04), (0.1, 0.0, 0.0)),
    },
    (
        ("bolt", "fixed", "base", "mast", (-0.25, 0.0, 0.0), (1, 0, 0), (0, 0)),
        ("j1", "revolute", "base", "a", (0.0, 0.0, 0.05), (0, 0, 1), (-3.1, 3.1)),
        ("j2", "revolute", "a", "b", (0.45, 0.0, 0.1), (0, 0, 1), (-1.0, 1.0)),
    ),
)
#: A bracket on the flange that reaches back beside the wrist, whose motor sticks out.
BRACKET: tuple[Boxes, Joints] = (
    {
        "base": ((0.1, 0.1, 0.1), (0.0, 0.0, -0.05)),
        "wrist": ((0.06, 0.24, 0.1), (0.0, 0.08, 0.06)),
        "flange": ((0.05, 0.05, 0.02), (0.0, 0.0, 0.01)),
        "bracket": ((0.02, 0.02, 0.12), (0.1, 0.0, -0.04)),
    },
    (
        ("j1", "revolute", "base", "wrist", (0.0, 0.0, 0.01), (0, 0, 1), (-2.0, 2.0)),
        ("j2", "revolute", "wrist", "flange", (0.0, 0.0, 0.115), (0, 0, 1), (-3.0, 3.0)),
        ("bolt", "fixed", "flange", "bracket", (0.0, 0.0, 0.01), (1, 0, 0), (0, 0)),
    ),
)
#: A camera on the last link of a wrist, that meets the forearm when the wrist bends.
CAMERA: tuple[Boxes, Joints] = (
    {
        "forearm": ((0.06, 0.06, 0.4), (0.0, 0.0, 0.2)),
        "wrist": ((0.05, 0.05, 0.05), (0.0, 0.0, 0.03)),
        "tool": None,
        "camera": ((0.04, 0.04, 0.1), (0.08, 0.0, -0.02)),
    },
    (
        ("j1", "revolute", "forearm", "wrist", (0.0, 0.0, 0.41), (0, 1, 0), (-1.9, 1.9)),
        ("mount", "fixed", "wrist", "tool", (0.0, 0.0, 0.06), (1, 0, 0), (0, 0)),
        ("bolt", "fixed", "tool", "camera", (0.0, 0.0, 0.0), (1, 0, 0), (0, 0)),
    ),
)
#: Two arms on a body without shapes: siblings, which are no parent and child.
TWO_ARMS: tuple[Boxes, Joints] = (
    {
        "body": None,
        "left": ((0.3, 0.04, 0.04), (0.15, 0.0, 0.0)),
        "right": ((0.3, 0.04, 0.04), (0.15, 0.0, 0.0)),
    },
    (
        ("j1", "revolute", "body", "left", (0.0, 0.1, 0.0), (0, 0, 1), (-1.5, 1.5)),
        ("j2", "revolute", "body", "right", (0.0, -0.1, 0.0), (0, 0, 1), (-1.5, 1.5)),
    ),
)
#: A hand whose fingers touch when it is closed.
HAND: tuple[Boxes, Joints] = (
    {
        "arm": ((0.1, 0.1, 0.1), (0.0, 0.0, 0.05)),
        "palm": ((0.1, 0.1, 0.04), (0.0, 0.0, 0.03)),
        "one": ((0.02, 0.02, 0.06), (0.0, 0.0, 0.03)),
        "other": ((0.02, 0.02, 0.06), (0.0, 0.0, 0.03)),
    },
    (
        ("turn", "revolute", "arm", "palm", (0.0, 0.0, 0.1), (0, 0, 1), (-3.0, 3.0)),
        ("j1", "prismatic", "palm", "one", (0.0, 0.0, 0.06), (0, 1, 0), (0.0, 0.03)),
        ("j2", "prismatic", "palm", "other", (0.0, 0.0, 0.06), (0, -1, 0), (0.0, 0.03)),
    ),
)


def box_urdf(boxes: Boxes, joints: Joints) -> str:
    """The text of a URDF."""

    def numbers(values: Sequence[float]) -> str:
        return " ".join(map(str, values))

    parts = []
    for name, box in boxes.items():
        shape = ""
        if box is not None:
            size, middle = box
            shape = (
                f'<origin xyz="{numbers(middle)}"/><geometry><box '
                f'size="{numbers(size)}"/></geometry>'
            )
        parts.append(
            f'<link name="{name}">{f"<collision>{shape}</collision>" if shape else ""}</link>'
        )
    for name, kind, parent, child, xyz, axis, (lower, upper) in joints:
        limit = f'<limit lower="{lower}" upper="{upper}" effort="9" velocity="1"/>'
        parts.append(
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{numbers(xyz)}"/><axis xyz="{numbers(axis)}"/>{limit}</joint>'
        )
    return f'<robot name="boxes">{"".join(parts)}</robot>'


def box_xrdf(boxes: Boxes, joints: Joints, mask: str | None) -> str:
    """The text of an XRDF with one small sphere in the middle of each box; `mask`: the value of
    `ignore`, as YAML.

    None: there is no section self_collision.
    """
    names = [joint[0] for joint in joints if joint[1] != "fixed"]
    ones = ", ".join("1.0" for _ in names)
    spheres = "".join(
        f"      {name}: [{{center: [{', '.join(map(str, box[1]))}], radius: "
        f"{0.5 * min(box[0])}}}]\n"
        for name, box in boxes.items()
        if box is not None
    )
    section = "" if mask is None else f"self_collision: {{geometry: g, ignore: {mask}}}\n"
    return (
        "format: xrdf\nformat_version: 1.0\n"
        f"cspace: {{joint_names: [{', '.join(names)}], acceleration_limits: [{ones}], jerk_limits: "
        f"[{ones}]}}\n"
        f"tool_frames: [{list(boxes)[-1]}]\ncollision: {{geometry: g}}\n{section}"
        f"geometry:\n  g:\n    spheres:\n{spheres}"
    )


def box_files(
    folder: Path, robot: tuple[Boxes, Joints], mask: str | None = "{}"
) -> tuple[Path, Path]:
    """Writes URDF and XRDF."""
    urdf, xrdf = folder / "r.urdf", folder / "r.xrdf"
    urdf.write_text(box_urdf(*robot), encoding="utf-8")
    xrdf.write_text(box_xrdf(*robot, mask), encoding="utf-8")
    return urdf, xrdf


def box_robot(folder: Path, robot: tuple[Boxes, Joints], mask: str | None = "{}") -> Document:
    """The same, opened."""
    return open_robot(*box_files(folder, robot, mask))


#: The section of default positions, with values that somebody gave.
GIVEN = (
    "default_joint_positions: {left_shoulder: 0.0, left_elbow: 0.0, right_shoulder: 0.0, "
    "right_elbow: 0.0}\n"
)


def _arm(side: str, y: float) -> str:
    return f"""<link name="{side}_upper"/><link name="{side}_hand"/>
<joint name="{side}_shoulder" type="revolute"><parent link="torso"/><child link="{side}_upper"/>
<origin xyz="0 {y} 0.5"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="{side}_elbow" type="revolute"><parent link="{side}_upper"/><child link="{side}_hand"/>
<origin xyz="0 0 0.4"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>"""


def two_arms(folder: Path, defaults: str) -> list[str]:
    """Writes URDF and XRDF, with `defaults` as the text of the section of default positions; their
    paths."""
    urdf = f"""<robot name="two"><link name="torso"/>{_arm("left", 0.1)}{_arm("right", -0.1)}</robot>"""
    frames = ("torso", "left_upper", "left_hand", "right_upper", "right_hand")
    spheres = "".join(
        f"      {f}:\n      - {{center: [0.0, 0.0, 0.0], radius: 0.15}}\n" for f in frames
    )
    xrdf = f"""format: xrdf
format_version: 1.0
{defaults}cspace:
  joint_names: [left_shoulder, left_elbow, right_shoulder, right_elbow]
  acceleration_limits: [1.0, 1.0, 1.0, 1.0]
  jerk_limits: [1.0, 1.0, 1.0, 1.0]
tool_frames: [left_hand, right_hand]
collision: {{geometry: g}}
self_collision:
  geometry: g
  ignore: {{}}
geometry:
  g:
    spheres:
{spheres}"""
    (folder / "two.urdf").write_text(urdf, encoding="utf-8")
    (folder / "two.xrdf").write_text(xrdf, encoding="utf-8")
    return [str(folder / "two.urdf"), str(folder / "two.xrdf")]
