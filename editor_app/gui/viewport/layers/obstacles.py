"""The obstacles of a scene, translucent: one actor each; where there are many, one actor for some hundred of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer

from editor_app.gui.viewport.camera import Ray
from editor_app.gui.viewport.palette import SceneColours
from editor_app.gui.viewport.picking import LinkSurface, SurfaceHit, pick_surface
from editor_app.gui.viewport.vtk_tools import add_tint, bytes_array, mesh_actor, mesh_poly_data, vtk_matrix

Array = NDArray[np.float64]
#: Vertices (n, 3) in the obstacle's frame, triangles (m, 3).
Surface = tuple[Array, NDArray[np.int32]]
_REACH = 1000.0
OPACITY = 0.45
#: More obstacles than that share actors, so many each, if their surfaces have no more triangles than that.
MANY = 200
_TOGETHER = 400
_FACES = 400


class Shown(NamedTuple):
    """A surface, stretched by `scale` (3,) along its axes, at a pose (4, 4)."""

    surface: Surface
    pose: Array
    scale: Array = np.ones(3)


class ObstacleLayer:
    """`show` says everything; the chosen one is drawn in the accent colour, touched ones in that of errors."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._renderer = renderer
        self._shown: dict[str, Shown] = {}
        self._actors: dict[str, vtkActor] = {}
        self._surfaces: dict[str, LinkSurface] = {}
        self._blocks: list[_Block] = []
        self._block_of: dict[str, _Block] = {}
        self._colours: SceneColours | None = None
        self._chosen = ""
        self._touched: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._shown)

    @property
    def actors(self) -> Iterable[vtkActor]:
        """What a section cuts."""
        return [*self._actors.values(), *(block.actor for block in self._blocks)]

    def pose(self, name: str) -> Array | None:
        """(4, 4) of an obstacle that is shown."""
        shown = self._shown.get(name)
        return None if shown is None else shown.pose

    def boxes(self) -> Array:
        """(n, 8, 3): corners of a box around each obstacle, for framing."""
        bounds = [np.array([actor.GetBounds()]).reshape(1, 3, 2) for actor in self._actors.values()]
        bounds += [block.bounds for block in self._blocks]
        if not bounds:
            return np.zeros((0, 8, 3))
        table = np.concatenate(bounds)
        return np.stack([table[:, range(3), side] for side in itertools.product((0, 1), repeat=3)], axis=1)

    def pick(self, ray: Ray, span: tuple[float, float] = (0.0, _REACH)) -> tuple[str, Array] | None:
        """The nearest obstacle on the ray between two distances (metres), and where."""
        poses = {name: self._shown[name].pose for name in self._surfaces}
        best = pick_surface(ray, self._surfaces, poses, self._surfaces, min(span[1], _REACH), span[0])
        for block in self._blocks:
            best = block.pick(ray, span[0], min(span[1], _REACH) if best is None else best.distance) or best
        return None if best is None else (best.link, best.point)

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        self._paint(self._shown)

    def show(self, shown: Mapping[str, Shown]) -> None:
        """By name, everything that is there. What is the same as before (`is`) is left alone; where only the pose of a
        single one is another, it is moved."""
        old, self._shown = self._shown, dict(shown)
        changed = [name for name, each in shown.items() if old.get(name) is not each]
        is_many = len(shown) > MANY
        for name in [name for name in old if name not in shown]:
            self._drop(name)
        if is_many is not bool(self._blocks):
            for name in old:
                self._drop(name)
            changed = list(shown)
        dirty: dict[int, _Block] = {}
        for name in changed:
            each = shown[name]
            if is_many and len(each.surface[1]) <= _FACES:
                self._drop(name, keep_block=True)
                block = self._block_of.get(name) or self._roomy()
                self._block_of[name] = block
                block.names[name] = each
                dirty[id(block)] = block
                continue
            before = old.get(name)
            if name not in self._actors or before is None or before.surface is not each.surface:
                self._drop(name)
                self._add(name, each)
            self._actors[name].SetUserMatrix(vtk_matrix(each.pose))
        for block in dirty.values():
            block.build()
        self._paint({*changed, *(name for block in dirty.values() for name in block.names)})

    def _drop(self, name: str, *, keep_block: bool = False) -> None:
        if name in self._actors:
            self._renderer.RemoveActor(self._actors.pop(name))
            del self._surfaces[name]
        if keep_block or name not in self._block_of:
            return
        block = self._block_of.pop(name)
        del block.names[name]
        block.build()
        if not block.names:
            self._renderer.RemoveActor(block.actor)
            self._blocks.remove(block)

    def _roomy(self) -> _Block:
        if not self._blocks or len(self._blocks[-1].names) >= _TOGETHER:
            self._blocks.append(_Block(self._renderer))
        return self._blocks[-1]

    def _add(self, name: str, shown: Shown) -> None:
        vertices, faces = shown.surface
        # Corners are not shared: flat faces keep their edges.
        corners = (vertices * shown.scale)[faces].reshape(-1, 3)
        data = mesh_poly_data(corners, np.arange(3 * len(faces), dtype=np.int32).reshape(-1, 3))
        self._actors[name] = _translucent(mesh_actor(self._renderer, data))
        self._surfaces[name] = LinkSurface(data)

    def mark(self, chosen: str, touched: frozenset[str]) -> None:
        changed = {self._chosen, chosen} | (self._touched ^ touched)
        self._chosen, self._touched = chosen, touched
        self._paint(changed)

    def _paint(self, names: Collection[str]) -> None:
        if self._colours is None:
            return
        blocks = {}
        for name in names:
            if (actor := self._actors.get(name)) is not None:
                actor.GetProperty().SetColor(*self._colour(name))
            elif (block := self._block_of.get(name)) is not None:
                blocks[id(block)] = block
        for block in blocks.values():
            block.paint(self._colour)

    def _colour(self, name: str) -> tuple[float, ...]:
        assert self._colours is not None
        if name in self._touched:
            return self._colours.error
        return self._colours.accent if name == self._chosen else self._colours.collision


def _translucent(actor: vtkActor) -> vtkActor:
    add_tint(actor)
    actor.GetProperty().SetInterpolationToFlat()
    actor.GetProperty().SetOpacity(OPACITY)
    return actor


class _Block:
    """Some hundred obstacles as one actor in the root's frame. `bounds` (n, 3, 2): the least and most of each."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self.names: dict[str, Shown] = {}
        self._data = mesh_poly_data(np.zeros((0, 3)), np.zeros((0, 3), np.int32))
        self.actor = _translucent(mesh_actor(renderer, self._data))
        self._surface = LinkSurface(self._data)
        self.bounds = np.zeros((0, 3, 2))
        #: (n,) vertices of each obstacle, and the number of its last triangle, beginning at 1.
        self._counts, self._last = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def build(self) -> None:
        """Again from `names`."""
        shown = list(self.names.values())
        corners: list[Array] = [np.zeros((0, 3))] * len(shown)
        triangles: list[NDArray[np.int32]] = [np.zeros((0, 3), np.int32)] * len(shown)
        self.bounds = np.zeros((len(shown), 3, 2))
        groups: dict[int, list[int]] = {}
        for k, each in enumerate(shown):
            groups.setdefault(id(each.surface), []).append(k)
        for rows in groups.values():
            vertices, faces = shown[rows[0]].surface
            poses = np.array([shown[k].pose for k in rows])
            scales = np.array([shown[k].scale for k in rows])
            turns = poses[:, :3, :3] * scales[:, None, :]
            placed = np.einsum("nij,mj->nmi", turns, vertices) + poses[:, None, :3, 3]
            self.bounds[rows] = np.stack([placed.min(axis=1), placed.max(axis=1)], axis=2)
            for k, part in zip(rows, placed, strict=True):
                corners[k], triangles[k] = part, faces
        self._counts = np.array([len(part) for part in corners], np.int64)
        self._last = np.cumsum([len(part) for part in triangles])
        first = np.cumsum(self._counts) - self._counts
        parts = [part + at for part, at in zip(triangles, first.tolist(), strict=True)]
        faces = np.concatenate(parts or [np.zeros((0, 3), np.int32)])
        self._data.ShallowCopy(mesh_poly_data(np.concatenate(corners or [np.zeros((0, 3))]), faces))
        self._surface = LinkSurface(self._data)

    def paint(self, colour: Callable[[str], tuple[float, ...]]) -> None:
        """The colour of each, by its name."""
        colours = np.array([colour(name)[:3] for name in self.names]).reshape(-1, 3)
        self._data.GetPointData().SetScalars(bytes_array(np.repeat(colours, self._counts, axis=0)))
        self._data.Modified()

    def pick(self, ray: Ray, start: float, limit: float) -> SurfaceHit | None:
        """The nearest one that the ray meets between two distances."""
        hit = pick_surface(ray, {"": self._surface}, {"": np.eye(4)}, ("",), limit, start)
        if hit is None:
            return None
        return replace(hit, link=list(self.names)[int(np.searchsorted(self._last, hit.triangle, side="right"))])
