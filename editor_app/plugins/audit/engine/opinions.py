"""Collision engines that judge a claim again: python-fcl with exact shapes, and coal with
pinocchio's kinematics.

Both place the shapes by other code than the search that raised the claim. coal shares nothing with
it: pinocchio reads the URDF, loads the meshes and computes the poses.
"""

from __future__ import annotations

import html
import importlib
import importlib.util
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol
from xml.sax.saxutils import quoteattr

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.pose import Pose
from editor_app.core.model.urdf import Ball, Box, Capsule, Cylinder, Link
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.geometry.link_geometry import Kind, MeshStore, link_geometry
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import build_pose_matrix
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import PlacedRobot


class Engine(Protocol):
    """A collision engine. `name` is printed with its verdicts."""

    name: str

    def touches(self, pair: LinkPair, pose: Pose) -> bool:
        """Return whether the shapes of a pair intersect. `pose`: every movable joint -> rad or m.

        Raises KeyError where the engine has no shape of a link.
        """


@dataclass(frozen=True, slots=True)
class Opinion:
    """The verdict of an engine about a pair. `touches` is None, and `note` gives the reason, if it
    cannot judge."""

    engine: str
    touches: bool | None
    note: str = ""


def load_engines(
    placed: PlacedRobot, urdf_text: str, kinds: Mapping[str, Kind]
) -> tuple[tuple[Engine, ...], tuple[str, ...]]:
    """Return the engines that can judge this robot, and a sentence for each that cannot.

    `kinds`: link -> which of its shapes count. Raises ImportError without python-fcl.
    """
    engines: list[Engine] = [FclEngine(placed, kinds)]
    if importlib.util.find_spec("pinocchio") is None or importlib.util.find_spec("coal") is None:
        return tuple(engines), ("coal: pinocchio with coal is not installed (package `pin`)",)
    try:
        engines.append(CoalEngine(placed, urdf_text, kinds))
    except Exception as error:
        # Bindings raise what their C++ code throws; a robot that they cannot read has one opinion
        # less.
        return tuple(engines), (
            f"coal: it cannot load this robot: {str(error).strip().splitlines()[0]}",
        )
    return tuple(engines), ()


def ask_engines(engines: tuple[Engine, ...], pair: LinkPair, pose: Pose) -> tuple[Opinion, ...]:
    """Return the verdict of every engine on a pair at a configuration."""
    opinions = []
    for engine in engines:
        try:
            opinions.append(Opinion(engine.name, engine.touches(pair, pose)))
        except KeyError as error:
            opinions.append(Opinion(engine.name, None, f"it has no shape of {error.args[0]}"))
    return tuple(opinions)


class FclEngine:
    """python-fcl with boxes, spheres and cylinders as they are in the URDF, and triangles for
    meshes."""

    name = "python-fcl"

    def __init__(self, placed: PlacedRobot, kinds: Mapping[str, Kind]) -> None:
        self._fcl: Any = importlib.import_module("fcl")
        self._placed = placed
        self._kinds = kinds
        self._store = MeshStore(placed.urdf_path, dict(placed.packages))
        self._shapes: dict[str, list[tuple[Any, F64]]] = {}
        self._last: tuple[Pose, dict[str, F64]] | None = None

    def touches(self, pair: LinkPair, pose: Pose) -> bool:
        fcl = self._fcl
        frames = self._frames(pose)
        first, second = (
            [self._object(shape, frames[link] @ local) for shape, local in self._shapes_of(link)]
            for link in (pair.first, pair.second)
        )
        return any(
            fcl.collide(one, other, fcl.CollisionRequest(), fcl.CollisionResult()) > 0
            for one in first
            for other in second
        )

    def _object(self, shape: Any, matrix: F64) -> Any:
        return self._fcl.CollisionObject(shape, self._fcl.Transform(matrix[:3, :3], matrix[:3, 3]))

    def _frames(self, pose: Pose) -> dict[str, F64]:
        if self._last is None or self._last[0] != pose:
            tree = get_tree(self._placed.robot)
            self._last = pose, dict(zip(tree.frames, compute_forward(tree, pose), strict=True))
        return self._last[1]

    def _shapes_of(self, name: str) -> list[tuple[Any, F64]]:
        """Return the shapes of a link, each with its pose (4, 4) in the link's frame. Raises
        KeyError without any."""
        if name not in self._shapes:
            link = self._placed.robot.urdf.link(name)
            self._shapes[name] = [] if link is None else list(self._read_shapes(link))
        if not self._shapes[name]:
            raise KeyError(name)
        return self._shapes[name]

    def _read_shapes(self, link: Link) -> Iterator[tuple[Any, F64]]:
        fcl, kind = self._fcl, self._kinds[link.name]
        read = link_geometry(
            self._placed.robot.urdf, self._placed.urdf_path, link, kind, store=self._store
        )
        for number, shape in enumerate(read.shapes):
            place = build_pose_matrix(shape.origin)
            match shape.geometry:
                case Box(size):
                    yield fcl.Box(*size), place
                case Ball(radius):
                    yield fcl.Sphere(radius), place
                case Cylinder(radius, length):
                    yield fcl.Cylinder(radius, length), place
                case Capsule(radius, length):
                    yield fcl.Capsule(radius, length), place
                case _:
                    for element, part in zip(read.elements, read.parts, strict=True):
                        if element == number and len(part.faces):
                            yield self._triangles(part.vertices, part.faces), np.eye(4)

    def _triangles(self, vertices: F64, faces: Any) -> Any:
        shape = self._fcl.BVHModel()
        shape.beginModel(len(vertices), len(faces))
        shape.addSubModel(np.ascontiguousarray(vertices, float), np.ascontiguousarray(faces))
        shape.endModel()
        return shape


class CoalEngine:
    """coal, with the reader, the mesh loader and the kinematics of pinocchio."""

    def __init__(self, placed: PlacedRobot, urdf_text: str, kinds: Mapping[str, Kind]) -> None:
        """Raises what pinocchio raises for a robot that it cannot read."""
        self._pin: Any = importlib.import_module("pinocchio")
        self._coal: Any = importlib.import_module("coal")
        self.name = f"coal {self._coal.__version__}"
        text = _with_resolved_meshes(urdf_text, MeshStore(placed.urdf_path, dict(placed.packages)))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(text, encoding="utf-8")
            self._model = self._pin.buildModelFromUrdf(str(path))
            self._data = self._model.createData()
            self._objects: dict[str, list[Any]] = {}
            types = self._pin.GeometryType
            for kind, wanted in (("collision", types.COLLISION), ("visual", types.VISUAL)):
                links = {link for link, of in kinds.items() if of == kind}
                if links:
                    self._read_objects(str(path), wanted, links)
        self._last: Pose | None = None

    def _read_objects(self, path: str, kind: Any, links: set[str]) -> None:
        geometry = self._pin.buildGeomFromUrdf(self._model, path, kind)
        for each in geometry.geometryObjects:
            link = self._model.frames[each.parentFrame].name
            if link in links:
                self._objects.setdefault(link, []).append(each)

    def touches(self, pair: LinkPair, pose: Pose) -> bool:
        if self._last != pose:
            self._pin.forwardKinematics(self._model, self._data, self._configuration(pose))
            self._last = pose
        request = self._coal.CollisionRequest()
        return any(
            self._coal.collide(
                one.geometry, self._place(one), other.geometry, self._place(other), request,
                self._coal.CollisionResult(),
            )
            for one in self._of(pair.first)
            for other in self._of(pair.second)
        )  # fmt: skip

    def _of(self, link: str) -> list[Any]:
        if link not in self._objects:
            raise KeyError(link)
        return self._objects[link]

    def _place(self, each: Any) -> Any:
        placement = self._data.oMi[each.parentJoint] * each.placement
        return self._coal.Transform3s(placement.rotation, placement.translation)

    @cached_property
    def _joints(self) -> list[tuple[str, int, int]]:
        """Name of each joint, where its values begin, and how many it has."""
        model = self._model
        return [
            (model.names[k], model.joints[k].idx_q, model.joints[k].nq)
            for k in range(1, len(model.joints))
        ]

    def _configuration(self, pose: Pose) -> Any:
        values = self._pin.neutral(self._model)
        for name, start, count in self._joints:
            if name not in pose:
                continue
            if count == 1:
                values[start] = pose[name]
            elif count == 2:
                # A joint without limits is the cosine and sine of its angle.
                values[start : start + 2] = np.cos(pose[name]), np.sin(pose[name])
        return values


_FILENAME = re.compile(r"""\bfilename\s*=\s*(["'])(.*?)\1""")


def _with_resolved_meshes(text: str, store: MeshStore) -> str:
    """Return the text of a URDF with the absolute paths of its meshes: pinocchio knows no folders
    of packages."""

    def resolved(match: re.Match[str]) -> str:
        path = store.find(html.unescape(match[2]))
        return match[0] if path is None else f"filename={quoteattr(str(path.absolute()))}"

    return _FILENAME.sub(resolved, text)
