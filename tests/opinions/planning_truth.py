"""Where the meshes of a robot touch, in random poses: own reader of URDF, own kinematics,
python-fcl on the triangles.

Nothing here comes from the editor: `planning` judges what the editor writes by it.
"""

from __future__ import annotations

import hashlib
import math
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import fcl
import numpy as np
import trimesh
from scipy.cluster.vq import kmeans2

#: Balls around parts of a link; a pair of links none of whose balls meet is not given to fcl.
BALLS = 12
#: Poses whose frames are in memory at once.
CHUNK = 2000
#: A pair that touches in this share of the poses touches always: by design, no collision.
ALWAYS = 0.995
Pair = tuple[str, str]


@dataclass(frozen=True)
class Joint:
    """A joint of a URDF. `mimic`: (joint, multiplier, offset)."""

    name: str
    kind: str
    parent: str
    child: str
    origin: np.ndarray
    axis: np.ndarray
    lower: float
    upper: float
    mimic: tuple[str, float, float] | None = None


@dataclass
class Link:
    """`shapes`: triangles in the frame of the link. `source`: "collision", "visual", or "" for a
    link without shape."""

    name: str
    shapes: list[trimesh.Trimesh] = field(default_factory=list)
    source: str = ""


def numbers(text: str | None, default: Sequence[float]) -> np.ndarray:
    return np.array([float(word) for word in text.split()] if text else default, float)


def rotation_of_rpy(rpy: np.ndarray) -> np.ndarray:
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def origin_of(element: ElementTree.Element | None) -> np.ndarray:
    matrix = np.eye(4)
    if element is not None:
        matrix[:3, :3] = rotation_of_rpy(numbers(element.get("rpy"), (0, 0, 0)))
        matrix[:3, 3] = numbers(element.get("xyz"), (0, 0, 0))
    return matrix


class Robot:
    """Links, joints and shapes of a URDF. `notes`: what could not be read. `visible`: links that
    are judged by their visual shapes."""

    def __init__(
        self, path: Path, packages: Mapping[str, Path], visible: Collection[str] = ()
    ) -> None:
        self.path, self.packages, self.visible = path.resolve(), packages, frozenset(visible)
        self.notes: list[str] = []
        root = ElementTree.parse(path).getroot()
        self.links = {e.get("name", ""): self._link(e) for e in root.findall("link")}
        joints = [self._joint(e) for e in root.findall("joint")]
        children = {joint.child for joint in joints}
        roots = [name for name in self.links if name not in children]
        below: dict[str, list[Joint]] = {}
        for joint in joints:
            below.setdefault(joint.parent, []).append(joint)
        #: From the root outwards, so that a parent's frame comes before its child's.
        self.joints: list[Joint] = []
        waiting = list(roots)
        while waiting:
            reached = below.get(waiting.pop(0), [])
            self.joints += reached
            waiting += [joint.child for joint in reached]
        self.by_name = {joint.name: joint for joint in self.joints}
        self.above = {joint.child: joint for joint in self.joints}

    def _joint(self, element: ElementTree.Element) -> Joint:
        def end(tag: str) -> str:
            named = element.find(tag)
            return "" if named is None else named.get("link", "")

        axis_element, limit, mimic = (
            element.find("axis"),
            element.find("limit"),
            element.find("mimic"),
        )
        axis = numbers(None if axis_element is None else axis_element.get("xyz"), (1, 0, 0))
        kind = element.get("type", "fixed")
        lower, upper = (
            float((limit.get(key) if limit is not None else None) or 0.0)
            for key in ("lower", "upper")
        )
        if kind == "continuous":
            lower, upper = -math.pi, math.pi
        follows = None
        if mimic is not None:
            factor, offset = (
                float(mimic.get("multiplier") or 1.0),
                float(mimic.get("offset") or 0.0),
            )
            follows = (mimic.get("joint", ""), factor, offset)
        length = np.linalg.norm(axis)
        return Joint(
            element.get("name", ""), kind, end("parent"), end("child"), origin_of(element.find("origin")),
            axis / length if length else axis, lower, upper, follows,
        )  # fmt: skip

    def _link(self, element: ElementTree.Element) -> Link:
        link = Link(element.get("name", ""))
        for source in ("visual",) if link.name in self.visible else ("collision", "visual"):
            for shape in element.findall(source):
                mesh = self._shape(shape.find("geometry"), link.name)
                if mesh is not None and len(mesh.faces):
                    mesh.apply_transform(origin_of(shape.find("origin")))
                    link.shapes.append(mesh)
            if link.shapes:
                link.source = source
                break
        if link.source == "visual" and link.name not in self.visible:
            self.notes.append(f"{link.name}: no collision shape, its visual one stands for it")
        return link

    def _shape(self, geometry: ElementTree.Element | None, link: str) -> trimesh.Trimesh | None:
        shape = geometry[0] if geometry is not None and len(geometry) else None
        if shape is None:
            return None
        if shape.tag == "box":
            return trimesh.creation.box(numbers(shape.get("size"), (0, 0, 0)))
        radius, height = float(shape.get("radius") or 0.0), float(shape.get("length") or 0.0)
        if shape.tag == "sphere":
            return trimesh.creation.icosphere(subdivisions=3, radius=radius)
        if shape.tag == "cylinder":
            return trimesh.creation.cylinder(radius=radius, height=height, sections=64)
        if shape.tag == "capsule":
            mesh = trimesh.creation.capsule(radius=radius, height=height, count=[32, 32])
            mesh.apply_translation((0, 0, -mesh.bounds.mean(axis=0)[2]))
            return mesh
        path = self.mesh_path(shape.get("filename", ""))
        if path is None:
            self.notes.append(f"{link}: {shape.get('filename')} was not found: left out")
            return None
        mesh = trimesh.load(path, force="mesh")
        mesh.apply_scale(numbers(shape.get("scale"), (1, 1, 1)))
        return mesh

    def mesh_path(self, name: str) -> Path | None:
        package, _, rest = name.removeprefix("package://").removeprefix("model://").partition("/")
        if "://" not in name or name.startswith("file://"):
            candidates = [self.path.parent / name.removeprefix("file://")]
        elif package in self.packages:
            candidates = [self.packages[package] / rest]
        else:
            candidates = [p / rest for p in self.path.parents if p.name == package]
            candidates += [p / package / rest for p in self.path.parents]
        return next((p for p in candidates if p.is_file()), None)

    # -- kinematics

    def values(
        self, chosen: Mapping[str, np.ndarray], locked: Mapping[str, float], count: int
    ) -> dict[str, np.ndarray]:
        """Values of all joints, each (count,): sampled, locked, or following another."""
        values: dict[str, np.ndarray] = {}

        def value(joint: Joint, depth: int = 0) -> np.ndarray:
            if joint.name not in values:
                if joint.name in chosen:
                    values[joint.name] = chosen[joint.name]
                elif joint.mimic is not None and joint.mimic[0] in self.by_name and depth < 20:
                    leader, factor, offset = joint.mimic
                    values[joint.name] = factor * value(self.by_name[leader], depth + 1) + offset
                else:
                    at = locked.get(joint.name, min(max(0.0, joint.lower), joint.upper))
                    values[joint.name] = np.full(count, at)
            return values[joint.name]

        for joint in self.joints:
            value(joint)
        return values

    def frames(self, values: Mapping[str, np.ndarray], count: int) -> dict[str, np.ndarray]:
        """(count, 4, 4) of each link in the root."""
        reached = {
            name: np.broadcast_to(np.eye(4), (count, 4, 4))
            for name in self.links
            if name not in self.above
        }
        for joint in self.joints:
            motion = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
            q = values[joint.name]
            if joint.kind in ("revolute", "continuous"):
                x, y, z = joint.axis
                cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                motion[:, :3, :3] += np.sin(q)[:, None, None] * cross
                motion[:, :3, :3] += (1 - np.cos(q))[:, None, None] * (cross @ cross)
            elif joint.kind == "prismatic":
                motion[:, :3, 3] = q[:, None] * joint.axis
            reached[joint.child] = reached[joint.parent] @ joint.origin @ motion
        return reached

    def still(self, joint: Joint, chosen: set[str]) -> bool:
        """Whether the joint never moves while `chosen` do."""
        for _ in range(20):
            if joint.name in chosen:
                return joint.kind not in ("revolute", "continuous", "prismatic")
            if joint.mimic is None or joint.mimic[0] not in self.by_name:
                return True
            joint = self.by_name[joint.mimic[0]]
        return True

    def bodies(self, chosen: set[str]) -> dict[str, str]:
        """The body of each link: links that no joint moves against each other are one; a body
        without shape is its parent's."""
        body: dict[str, str] = {name: name for name in self.links if name not in self.above}
        for joint in self.joints:
            body[joint.child] = body[joint.parent] if self.still(joint, chosen) else joint.child
        shaped = {body[name] for name, link in self.links.items() if link.shapes}

        def with_shape(name: str) -> str:
            while name not in shaped and name in self.above:
                name = body[self.above[name].parent]
            return name

        return {name: with_shape(each) for name, each in body.items()}

    def parent_with_shape(self, name: str) -> str | None:
        """The next link with a shape on the way to the root."""
        while name in self.above:
            name = self.above[name].parent
            if self.links[name].shapes:
                return name
        return None

    def judged_pairs(self, chosen: set[str]) -> list[Pair]:
        """Pairs of links with shapes whose bodies differ, and that are not parent and child (links
        without shape are passed over)."""
        body = self.bodies(chosen)
        shaped = [name for name, link in self.links.items() if link.shapes]
        joined = {frozenset((name, self.parent_with_shape(name))) for name in shaped}
        return [
            (a, b)
            for a, b in combinations(shaped, 2)
            if body[a] != body[b] and frozenset((a, b)) not in joined
        ]


def balls_around(mesh: trimesh.Trimesh) -> tuple[np.ndarray, np.ndarray]:
    """Centres (k, 3) and radii (k,) of balls whose union holds every triangle."""
    corners = mesh.triangles.reshape(-1, 9)
    count = min(BALLS, len(corners))
    _, label = (
        kmeans2(corners, count, minit="++", seed=0, missing="warn")
        if count > 1
        else (None, np.zeros(1, int))
    )
    centres, radii = [], []
    for k in np.unique(label):
        points = corners[label == k].reshape(-1, 3)
        centre = (points.min(axis=0) + points.max(axis=0)) / 2
        centres.append(centre)
        radii.append(float(np.linalg.norm(points - centre, axis=1).max()))
    return np.array(centres), np.array(radii)


def fcl_object(mesh: trimesh.Trimesh) -> fcl.CollisionObject:
    model = fcl.BVHModel()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addSubModel(mesh.vertices, mesh.faces)
    model.endModel()
    return fcl.CollisionObject(model, fcl.Transform())


@dataclass(frozen=True)
class Truth:
    """`values` (n, joints); `touching` (n, pairs): whether the meshes of a judged pair touch;
    `always`: by design."""

    robot: Robot
    joints: tuple[str, ...]
    locked: Mapping[str, float]
    values: np.ndarray
    pairs: tuple[Pair, ...]
    touching: np.ndarray
    always: tuple[Pair, ...]

    @property
    def collides(self) -> np.ndarray:
        return np.asarray(self.touching.any(axis=1))

    def chunks(self) -> Iterator[tuple[slice, dict[str, np.ndarray]]]:
        """Frames of all links, for so many poses at once."""
        yield from chunks(self.robot, self.joints, self.locked, self.values)


def chunks(
    robot: Robot, joints: Sequence[str], locked: Mapping[str, float], values: np.ndarray
) -> Iterator[tuple[slice, dict[str, np.ndarray]]]:
    for first in range(0, len(values), CHUNK):
        part = slice(first, min(first + CHUNK, len(values)))
        chosen = {name: values[part, k] for k, name in enumerate(joints)}
        count = part.stop - part.start
        yield part, robot.frames(robot.values(chosen, locked, count), count)


def random_values(robot: Robot, joints: Sequence[str], count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    lower = np.array([robot.by_name[name].lower for name in joints])
    upper = np.array([robot.by_name[name].upper for name in joints])
    return lower + rng.random((count, len(joints))) * (upper - lower)


class Toucher:
    """Whether the meshes of `pairs` touch."""

    def __init__(
        self,
        robot: Robot,
        joints: Sequence[str],
        locked: Mapping[str, float],
        pairs: Sequence[Pair],
    ) -> None:
        self.robot, self.joints, self.locked, self.pairs = (
            robot,
            tuple(joints),
            locked,
            tuple(pairs),
        )
        meshes = {
            name: trimesh.util.concatenate(robot.links[name].shapes)
            for name in {name for pair in pairs for name in pair}
        }
        self._balls = {name: balls_around(mesh) for name, mesh in meshes.items()}
        self._objects = {name: fcl_object(mesh) for name, mesh in meshes.items()}

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """(n, pairs), in poses (n, joints)."""
        request = fcl.CollisionRequest(num_max_contacts=1, enable_contact=False)
        touching = np.zeros((len(values), len(self.pairs)), bool)
        still = fcl.Transform()
        for part, frames in chunks(self.robot, self.joints, self.locked, values):
            for column, (a, b) in enumerate(self.pairs):
                near, relative = near_poses(frames[a], frames[b], self._balls[a], self._balls[b])
                first, second = self._objects[a], self._objects[b]
                first.setTransform(still)
                for n, matrix in zip(near.tolist(), relative, strict=True):
                    second.setTransform(fcl.Transform(matrix[:3, :3], matrix[:3, 3]))
                    touching[part.start + n, column] = (
                        fcl.collide(first, second, request, fcl.CollisionResult()) > 0
                    )
        return touching


def near_poses(
    frames_a: np.ndarray,
    frames_b: np.ndarray,
    a: tuple[np.ndarray, np.ndarray],
    b: tuple[np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Poses in which a ball of `a` meets one of `b`, and the frames of `b` in `a` there."""
    turned = np.swapaxes(frames_a[:, :3, :3], 1, 2)
    relative = np.zeros((len(frames_a), 4, 4))
    relative[:, :3, :3] = turned @ frames_b[:, :3, :3]
    relative[:, :3, 3] = np.einsum("nij,nj->ni", turned, frames_b[:, :3, 3] - frames_a[:, :3, 3])
    (ca, ra), (cb, rb) = a, b
    moved = cb @ np.swapaxes(relative[:, :3, :3], 1, 2) + relative[:, None, :3, 3]
    squared = (moved**2).sum(axis=2)[:, :, None] + (ca**2).sum(axis=1) - 2 * moved @ ca.T
    near = np.flatnonzero((squared <= (rb[:, None] + ra + 1e-9) ** 2).any(axis=(1, 2)))
    return near, relative[near]


def truth_of(
    robot: Robot,
    joints: Sequence[str],
    locked: Mapping[str, float],
    count: int,
    seed: int,
    cache: Path | None = None,
) -> Truth:
    """What the meshes do in `count` random poses; kept in the folder `cache`, where one is
    given."""
    joints = tuple(sorted(joints))
    values = random_values(robot, joints, count, seed)
    pairs = robot.judged_pairs(set(joints))
    kept = None
    if cache is not None:
        shapes = robot.path, os.stat(robot.path).st_mtime_ns, sorted(robot.visible)
        said = repr((*shapes, joints, sorted(locked.items()), count, seed, pairs))
        kept = cache / f"{robot.path.stem}-{hashlib.sha256(said.encode()).hexdigest()[:16]}.npy"
    if kept is not None and kept.is_file():
        touching = np.load(kept)
    else:
        touching = Toucher(robot, joints, locked, pairs)(values)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            np.save(kept, touching)
    always = touching.mean(axis=0) >= ALWAYS
    return Truth(
        robot, joints, dict(locked), values, tuple(p for p, how in zip(pairs, always, strict=True) if not how),
        touching[:, ~always], tuple(p for p, how in zip(pairs, always, strict=True) if how),
    )  # fmt: skip
