"""The obstacles of a scene, translucent: one actor each; where there are many, one actor for some
hundred of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer

from editor_app.core.arrays import F64, I32
from editor_app.window.viewport.camera import ViewRay
from editor_app.window.viewport.palette import scene_colours
from editor_app.window.viewport.picking import LinkSurface, pick_surface
from editor_app.window.viewport.vtk_tools import (
    add_tint,
    bytes_array,
    mesh_actor,
    mesh_poly_data,
    vtk_matrix,
)

#: Vertices (n, 3) in the obstacle's frame, triangles (m, 3).
Surface = tuple[F64, I32]
_REACH = 1000.0
OPACITY = 0.45
#: More obstacles than that share actors, so many each, if their surfaces have no more triangles
#: than that.
MANY = 200
_TOGETHER = 400
_FACES = 400


class DrawnSurface(NamedTuple):
    """A surface, stretched by `scale` (3,) along its axes, at a pose (4, 4)."""

    surface: Surface
    pose: F64
    scale: F64 = np.ones(3)


class ObstacleLayer:
    """`show` says everything; the chosen one is drawn in the accent colour, touched ones in that of
    errors."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._renderer = renderer
        self._shown: dict[str, DrawnSurface] = {}
        self._blocks: list[_Block] = []
        self._block_of: dict[str, _Block] = {}
        self._chosen = ""
        self._touched: frozenset[str] = frozenset()

    @property
    def actors(self) -> Iterable[vtkActor]:
        """The actors that a section cuts."""
        return [block.actor for block in self._blocks]

    def pose(self, name: str) -> F64 | None:
        """(4, 4) of an obstacle that is shown."""
        shown = self._shown.get(name)
        return None if shown is None else shown.pose

    def boxes(self) -> F64:
        """(n, 8, 3): corners of a box around each obstacle, for framing."""
        table = np.concatenate([np.zeros((0, 3, 2)), *(block.bounds for block in self._blocks)])
        return np.stack(
            [table[:, range(3), side] for side in itertools.product((0, 1), repeat=3)], axis=1
        )

    def pick(
        self, ray: ViewRay, span: tuple[float, float] = (0.0, _REACH)
    ) -> tuple[str, F64] | None:
        """The nearest obstacle on the ray between two distances (metres), and where."""
        blocks = {str(number): block for number, block in enumerate(self._blocks)}
        surfaces = {key: block.surface for key, block in blocks.items()}
        poses = {key: block.pose for key, block in blocks.items()}
        hit = pick_surface(ray, surfaces, poses, blocks, min(span[1], _REACH), span[0])
        return None if hit is None else (blocks[hit.link].name_at(hit.triangle), hit.point)

    def restyle(self) -> None:
        self._paint(self._shown)

    def show(self, shown: Mapping[str, DrawnSurface]) -> None:
        """By name, everything that is there. What is the same as before (`is`) is left alone."""
        old, self._shown = self._shown, dict(shown)
        is_many = len(shown) > MANY
        if is_many is not (len(old) > MANY):
            for block in self._blocks:
                self._renderer.RemoveActor(block.actor)
            old, self._blocks, self._block_of = {}, [], {}
        changed = {self._take_out(name) for name in old if name not in shown}
        for name, each in shown.items():
            if old.get(name) is each:
                continue
            shares = is_many and len(each.surface[1]) <= _FACES
            if name in self._block_of and self._block_of[name].is_shared is not shares:
                changed.add(self._take_out(name))
            if name not in self._block_of:
                self._block_of[name] = self._roomy(shares)
            block = self._block_of[name]
            block.names[name] = each
            changed.add(block)
        for block in changed:
            if block.names:
                block.build()
                block.paint(self._colour)
            else:
                self._renderer.RemoveActor(block.actor)
                self._blocks.remove(block)

    def _take_out(self, name: str) -> _Block:
        block = self._block_of.pop(name)
        del block.names[name]
        return block

    def _roomy(self, shares: bool) -> _Block:
        last = (
            next((block for block in reversed(self._blocks) if block.is_shared), None)
            if shares
            else None
        )
        if last is None or len(last.names) >= _TOGETHER:
            last = _Block(self._renderer, shares)
            self._blocks.append(last)
        return last

    def mark(self, chosen: str, touched: frozenset[str]) -> None:
        changed = {self._chosen, chosen} | (self._touched ^ touched)
        self._chosen, self._touched = chosen, touched
        self._paint(changed)

    def _paint(self, names: Collection[str]) -> None:
        for block in {self._block_of[name] for name in names if name in self._block_of}:
            block.paint(self._colour)

    def _colour(self, name: str) -> tuple[float, float, float]:
        now = scene_colours()
        if name in self._touched:
            return now.error
        return now.accent if name == self._chosen else now.collision


class _Block:
    """One actor: of one obstacle, in its frame, or of some hundred that share it, in the root's.

    `names` says of which, and `build` follows it. `bounds` (n, 3, 2): the least and most of each,
    in the root's frame.
    """

    def __init__(self, renderer: vtkRenderer, is_shared: bool) -> None:
        self.is_shared = is_shared
        self.names: dict[str, DrawnSurface] = {}
        self.pose: F64 = np.eye(4)
        self._built: tuple[Surface, F64] | None = None
        self._data = mesh_poly_data(np.zeros((0, 3)), np.zeros((0, 3), np.int32))
        self.actor = mesh_actor(renderer, self._data)
        add_tint(self.actor)
        self.actor.GetProperty().SetInterpolationToFlat()
        self.actor.GetProperty().SetOpacity(OPACITY)
        self.surface = LinkSurface(self._data)
        self._bounds = np.zeros((0, 3, 2))
        #: (n,) vertices of each obstacle, and the number of its last triangle, beginning at 1.
        self._counts, self._last = np.zeros(0, np.int64), np.zeros(0, np.int64)

    @property
    def bounds(self) -> F64:
        return self._bounds if self.is_shared else np.array(self.actor.GetBounds()).reshape(1, 3, 2)

    def build(self) -> None:
        """Again from `names`; an obstacle that has the surface that it had is only moved, if it is
        alone."""
        shown = list(self.names.values())
        if not self.is_shared:
            self.pose = shown[0].pose
            self.actor.SetUserMatrix(vtk_matrix(self.pose))
            before, self._built = self._built, (shown[0].surface, shown[0].scale)
            if before is not None and before[0] is shown[0].surface and before[1] is shown[0].scale:
                return
            shown[0] = shown[0]._replace(pose=np.eye(4))
        corners: list[F64] = [np.zeros((0, 3))] * len(shown)
        triangles: list[I32] = [np.zeros((0, 3), np.int32)] * len(shown)
        self._bounds = np.zeros((len(shown), 3, 2))
        groups: dict[int, list[int]] = {}
        for k, each in enumerate(shown):
            groups.setdefault(id(each.surface), []).append(k)
        for rows in groups.values():
            vertices, faces = shown[rows[0]].surface
            poses = np.array([shown[k].pose for k in rows])
            scales = np.array([shown[k].scale for k in rows])
            turns = poses[:, :3, :3] * scales[:, None, :]
            placed = np.einsum("nij,mj->nmi", turns, vertices) + poses[:, None, :3, 3]
            self._bounds[rows] = np.stack([placed.min(axis=1), placed.max(axis=1)], axis=2)
            for k, part in zip(rows, placed, strict=True):
                corners[k], triangles[k] = part, faces
        self._counts = np.array([len(part) for part in corners], np.int64)
        self._last = np.cumsum([len(part) for part in triangles])
        first = np.cumsum(self._counts) - self._counts
        parts = [part + at for part, at in zip(triangles, first.tolist(), strict=True)]
        self._data.ShallowCopy(mesh_poly_data(np.concatenate(corners), np.concatenate(parts)))
        self.surface = LinkSurface(self._data)

    def paint(self, colour: Callable[[str], tuple[float, float, float]]) -> None:
        """The colour of each, by its name."""
        if not self.is_shared:
            self.actor.GetProperty().SetColor(*colour(next(iter(self.names))))
            return
        colours = np.array([colour(name) for name in self.names])
        self._data.GetPointData().SetScalars(bytes_array(np.repeat(colours, self._counts, axis=0)))
        self._data.Modified()

    def name_at(self, triangle: int) -> str:
        """The obstacle that a triangle of `surface` belongs to."""
        return list(self.names)[int(np.searchsorted(self._last, triangle, side="right"))]
