"""Meshes of links: an actor per link, one more per texture; or coloured by how well spheres cover
them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyvista import Texture
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer

from editor_app.core.arrays import F64
from editor_app.core.space.geometry.decimation import decimated
from editor_app.core.space.geometry.images import ImageError, read_image
from editor_app.window.viewport.canvas import Work
from editor_app.window.viewport.palette import scene_colours
from editor_app.window.viewport.picking import LinkSurface
from editor_app.window.viewport.vtk_tools import (
    add_tint,
    bytes_array,
    coloured_mapper,
    mesh_actor,
    mesh_poly_data,
    set_tint,
    vtk_matrix,
)

#: Edges sharper than this stay sharp when a surface is shaded smoothly (degrees).
FEATURE_ANGLE = 32.0
#: What a link is drawn with while things move on a machine that draws slowly.
COARSE_TRIANGLES = 2500

#: Rec. 709, and the least luminance: below it a mesh is one black shape (the hands of Allegro and
#: Shadow have 0.004).
_LUMINANCE = np.array((0.2126, 0.7152, 0.0722))
_DARKEST = 0.32


@dataclass(eq=False)
class MeshActor:
    """One actor of a link, and the parts that it draws: of one transparency and all coloured or
    none, or a texture."""

    actor: vtkActor
    parts: list[Any]
    #: The colour is the theme's, because neither mesh nor URDF gives one.
    is_uncoloured: bool
    #: Opacity of the material, 1 for opaque.
    opacity: float
    fine: vtkPolyDataMapper
    #: With fewer triangles; None until it is made.
    coarse: vtkPolyDataMapper | None = None

    @property
    def lightest(self) -> vtkPolyData:
        """The parts drawn with the fewest triangles."""
        return (self.fine if self.coarse is None else self.coarse).GetInput()  # type: ignore[no-any-return]


class DrawnLink:
    """The drawing of one link."""

    def __init__(self, pieces: list[MeshActor], surface: LinkSurface) -> None:
        self.pieces, self.surface = pieces, surface
        self._matrix = vtkMatrix4x4()
        self._placed = b""
        for actor in self.actors:
            actor.SetUserMatrix(self._matrix)

    @property
    def actors(self) -> list[vtkActor]:
        return [piece.actor for piece in self.pieces]

    @property
    def has_coarse(self) -> bool:
        return self.pieces[0].coarse is not None

    def thinned(self) -> Callable[[], None]:
        """Computes copies with fewer triangles, in whatever thread; what it returns takes them
        over.

        Textured parts stay as they are.
        """
        total = sum(len(part.faces) for piece in self.pieces for part in piece.parts)
        share = COARSE_TRIANGLES / max(total, 1)
        thin = [
            None
            if share > 0.7 or piece.parts[0].texture is not None
            else [_thinned(p, share) for p in piece.parts]
            for piece in self.pieces
        ]
        return lambda: self._take_thin(thin)

    def _take_thin(self, thin: list[list[Any] | None]) -> None:
        for piece, parts in zip(self.pieces, thin, strict=True):
            piece.coarse = piece.fine
            if parts is not None:
                piece.coarse = coloured_mapper(
                    smooth(_joined(parts, colours=not piece.is_uncoloured))
                )

    def place(self, pose: F64) -> None:
        """Moves it to (4, 4) `pose`; costs nothing where it stands there."""
        placed = pose.tobytes()
        if placed != self._placed:
            self._placed = placed
            self._matrix.DeepCopy(pose.ravel().tolist())

    def set_coarse(self, coarse: bool) -> None:
        """Draws the copies while things move, if they were made."""
        for piece in self.pieces:
            mapper = piece.coarse if coarse and piece.coarse is not None else piece.fine
            if piece.actor.GetMapper() is not mapper:
                piece.actor.SetMapper(mapper)


class MeshLayer:
    """The visual or the collision meshes of all links."""

    def __init__(self, renderer: vtkRenderer, kind: str) -> None:
        self._renderer = renderer
        self._is_collision = kind == "collision"
        self._links: dict[str, DrawnLink] = {}
        self._poses: dict[str, F64] = {}
        self._visible = not self._is_collision
        self._opacity = 1.0
        self._hidden: frozenset[str] = frozenset()
        self._ghosted: frozenset[str] = frozenset()
        self._replaced: frozenset[str] = frozenset()
        self._selected: frozenset[str] = frozenset()
        self._hovered: str | None = None

    # -- contents

    def set_geometry(self, link: str, parts: Iterable[Any]) -> None:
        """Replaces the mesh of a link; `parts` are geometry.MeshPart in the frame of the link."""
        self.remove(link)
        drawn = [part for part in parts if len(part.faces)]
        if not drawn:
            return
        mesh = self._links[link] = DrawnLink(
            _pieces(drawn, self._is_collision), LinkSurface(_joined(drawn))
        )
        for actor in mesh.actors:
            self._renderer.AddActor(actor)
        if link in self._poses:
            mesh.place(self._poses[link])
        self._style(link, mesh)

    def remove(self, link: str) -> None:
        mesh = self._links.pop(link, None)
        if mesh is not None:
            for actor in mesh.actors:
                self._renderer.RemoveActor(actor)

    def clear(self) -> None:
        for link in tuple(self._links):
            self.remove(link)
        self._poses = {}

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(self._links)

    @property
    def surfaces(self) -> Mapping[str, LinkSurface]:
        return {link: mesh.surface for link, mesh in self._links.items()}

    @property
    def actors(self) -> list[vtkActor]:
        """The actors that a section cuts."""
        return [actor for mesh in self._links.values() for actor in mesh.actors]

    @property
    def visible_links(self) -> tuple[str, ...]:
        """Links that are drawn and can be picked."""
        if not self._visible or self._opacity <= 0:
            return ()
        return tuple(k for k in self._links if k not in self._hidden and k in self._poses)

    def mesh(self, link: str) -> DrawnLink | None:
        return self._links.get(link)

    def blocks_view(self, link: str) -> bool:
        """Return whether one cannot see through the mesh of the link."""
        return not self._is_collision and self._opacity >= 1.0 and link not in self._ghosted

    def bounds_points(self, links: Iterable[str]) -> list[F64]:
        """Corners of the boxes around the meshes, (8, 3) each, in the base frame."""
        drawn = [link for link in links if link in self._links and link in self._poses]
        if not drawn:
            return []
        corners = np.stack([self._links[link].surface.corners for link in drawn])
        poses = np.stack([self._poses[link] for link in drawn])
        return list(corners @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3])

    # -- copies with fewer triangles

    def coarse_work(self) -> Work | None:
        """Return the work that computes the copies of one more link; None if all exist."""
        return next((mesh.thinned for mesh in self._links.values() if not mesh.has_coarse), None)

    def set_coarse(self, coarse: bool) -> None:
        for mesh in self._links.values():
            mesh.set_coarse(coarse)

    # -- looks

    def set_poses(self, poses: Mapping[str, F64]) -> None:
        """(4, 4) per frame; links that have none are not drawn."""
        others = self._poses.keys() != poses.keys()
        self._poses = dict(poses)
        for link, mesh in self._links.items():
            pose = poses.get(link)
            if pose is not None:
                mesh.place(pose)
        if others:
            self.restyle()

    def set_display(self, visible: bool, opacity: float) -> None:
        if (visible, opacity) != (self._visible, self._opacity):
            self._visible, self._opacity = visible, opacity
            self.restyle()

    def set_hidden(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden
        self.restyle()

    def set_ghosted(self, links: frozenset[str]) -> None:
        self._ghosted = links
        self.restyle()

    def set_replaced(self, links: frozenset[str]) -> None:
        """Another layer draws these links; they can still be picked."""
        if links != self._replaced:
            self._replaced = links
            self.restyle()

    def set_marks(self, selected: frozenset[str], hovered: str | None) -> None:
        touched = (self._selected ^ selected) | (
            {self._hovered, hovered} if hovered != self._hovered else set()
        )
        self._selected, self._hovered = selected, hovered
        for link in touched:
            mesh = self._links.get(link) if link is not None else None
            if mesh is not None and link is not None:
                self._style(link, mesh)

    def restyle(self) -> None:
        for link, mesh in self._links.items():
            self._style(link, mesh)

    def _style(self, link: str, mesh: DrawnLink) -> None:
        shown = (
            self._visible
            and self._opacity > 0.0
            and link not in self._hidden
            and link in self._poses
        )
        shown = shown and link not in self._replaced
        now = scene_colours()
        ghost = 0.12 if link in self._ghosted else 1.0
        tint, amount = (1.0, 1.0, 1.0), 0.0
        if link in self._selected:
            tint, amount = now.accent, 0.34
        elif link == self._hovered:
            tint, amount = (1.0, 1.0, 1.0), 0.16
        for piece in mesh.pieces:
            piece.actor.SetVisibility(shown)
            opacity = piece.opacity * ghost * (1.0 if self._is_collision else self._opacity)
            piece.actor.GetProperty().SetOpacity(opacity)
            if piece.is_uncoloured:
                piece.actor.GetProperty().SetColor(
                    *(now.collision if self._is_collision else now.mesh)
                )
            set_tint(piece.actor, tint, amount)


def _pieces(parts: list[Any], is_collision: bool) -> list[MeshActor]:
    """Opaque parts first, and last what has a texture; fewer actors draw faster."""
    alike: dict[tuple[int, float, bool], list[Any]] = {}
    for number, part in enumerate(parts, 1):
        has_texture = not is_collision and part.texture is not None and part.uv is not None
        alpha = 1.0 if part.rgba is None else float(np.clip(part.rgba[3], 0.05, 1.0))
        has_colour = not is_collision and part.rgba is not None
        key = (number if has_texture else 0, -0.38 if is_collision else -alpha, not has_colour)
        alike.setdefault(key, []).append(part)
    return [_piece(alike[key], key, is_collision) for key in sorted(alike)]


def _piece(parts: list[Any], key: tuple[int, float, bool], is_collision: bool) -> MeshActor:
    textured, minus_alpha, is_uncoloured = key
    data = _with_texture(parts[0]) if textured else _joined(parts, colours=not is_uncoloured)
    mapper = coloured_mapper(smooth(data))
    actor = vtkActor()
    actor.SetMapper(mapper)
    prop = actor.GetProperty()
    prop.SetOpacity(-minus_alpha)
    prop.SetAmbient(0.12)
    prop.SetDiffuse(0.9)
    prop.SetSpecular(0.0 if is_collision else 0.18)
    prop.SetSpecularPower(28)
    add_tint(actor)
    if textured:
        actor.SetTexture(_texture(Path(parts[0].texture)))
        if not is_uncoloured:
            prop.SetColor(*parts[0].rgba[:3])
    return MeshActor(actor, parts, is_uncoloured and not textured, -minus_alpha, mapper)


def readable_colour(rgb: Any) -> NDArray[Any]:
    """A colour that light and shade can be seen on: what is nearly black is lifted, the rest is as
    it is."""
    colour = np.asarray(rgb, float)
    lightness = float(colour @ _LUMINANCE)
    return colour if lightness >= _DARKEST else np.clip(colour + (_DARKEST - lightness), 0.0, 1.0)


def _joined(parts: list[Any], *, colours: bool = False) -> vtkPolyData:
    """One mesh of all parts; points of different parts stay apart, so that colours do not run."""
    pieces = [_welded(np.asarray(p.vertices), np.asarray(p.faces)) for p in parts]
    offsets = np.cumsum([0, *(len(v) for v, _ in pieces)])
    data = mesh_poly_data(
        np.concatenate([v for v, _ in pieces]),
        np.concatenate([f + o for (_, f), o in zip(pieces, offsets, strict=False)]),
    )
    if colours:
        rgb = np.repeat(
            [readable_colour(p.rgba[:3]) for p in parts], [len(v) for v, _ in pieces], axis=0
        )
        data.GetPointData().SetScalars(bytes_array(rgb))
    return data


def _thinned(part: Any, share: float) -> Any:
    """About `share` of a part's triangles, in the same colour."""
    vertices, faces = decimated(part.vertices, part.faces, share)
    return replace(part, vertices=vertices, faces=faces, uv=None)


def smooth(data: vtkPolyData) -> vtkPolyData:
    """The mesh with normals that are smooth except across sharp edges."""
    from vtkmodules.vtkFiltersCore import vtkPolyDataNormals

    normals = vtkPolyDataNormals()
    normals.SetInputData(data)
    normals.SplittingOn()
    normals.SetFeatureAngle(FEATURE_ANGLE)
    normals.ConsistencyOff()
    normals.AutoOrientNormalsOff()
    normals.Update()
    return normals.GetOutput()  # type: ignore[no-any-return]


def _welded(vertices: NDArray[Any], faces: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Equal points joined: STL and many exporters give every triangle its own, which leaves nothing
    to smooth."""
    if len(vertices) < 0.75 * len(faces):
        return vertices, faces
    keys = np.ascontiguousarray(vertices, np.float32).view(np.dtype((np.void, 12))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return vertices[first], inverse[faces]


def _with_texture(part: Any) -> vtkPolyData:
    """A part with the coordinates of its texture; its points stay apart as they are."""
    data = mesh_poly_data(part.vertices, part.faces)
    coordinates = numpy_to_vtk(np.ascontiguousarray(part.uv, np.float32), deep=True)
    coordinates.SetName("uv")
    data.GetPointData().SetTCoords(coordinates)
    return data


def _texture(path: Path) -> Any:
    """The image; None when it cannot be read (the loader has told about it)."""
    try:
        texture = Texture(read_image(path))
    except ImageError:
        return None
    texture.interpolate = texture.mipmap = texture.repeat = True
    return texture


#: Uncovered, covered exactly, standing out (0..1); readable on light and dark grounds and for
#: colour-blind eyes.
UNCOVERED = np.array([0.80, 0.07, 0.10])
NEUTRAL = np.array([0.95, 0.95, 0.94])
OUTSIDE = np.array([0.10, 0.33, 0.82])


def colours_of(values: NDArray[Any], scale: float) -> F64:
    """(n, 3) colours in 0..1 for signed depths in metres; `scale` is the depth that has the full
    colour."""
    share = np.clip(np.abs(values) / max(scale, 1e-9), 0.0, 1.0)[:, None] ** 0.75
    # What is uncovered at all must not pass for covered.
    open_ = values[:, None] > 1e-6
    share = np.where(open_, np.maximum(share, 0.3), share)
    end = np.where(open_, UNCOVERED, OUTSIDE)
    colours: F64 = NEUTRAL * (1 - share) + end * share
    return colours


class HeatMapLayer:
    """One actor per link."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._renderer = renderer
        self._actors: dict[str, vtkActor] = {}

    @property
    def actors(self) -> list[vtkActor]:
        """The actors that a section cuts."""
        return list(self._actors.values())

    def set_mesh(self, link: str, vertices: NDArray[Any], faces: NDArray[Any]) -> None:
        """Replaces the mesh of a link (in its frame); white until `set_values`."""
        self.remove(link)
        actor = self._actors[link] = mesh_actor(self._renderer, mesh_poly_data(vertices, faces))
        self._paint(actor, np.full((len(vertices), 3), 0.94))
        add_tint(actor)
        prop = actor.GetProperty()
        # Flat shading by the triangle: the subdivided mesh has no normals, and colours carry the
        # meaning.
        prop.SetAmbient(0.5)
        prop.SetDiffuse(0.55)
        prop.SetSpecular(0.0)

    def set_values(self, link: str, values: NDArray[Any], scale: float) -> None:
        """Signed depths (n) in metres at the vertices: positive uncovered, negative inside the
        spheres."""
        actor = self._actors.get(link)
        if actor is not None:
            self._paint(actor, colours_of(values, scale))

    @staticmethod
    def _paint(actor: vtkActor, colours: F64) -> None:
        actor.GetMapper().GetInput().GetPointData().SetScalars(bytes_array(colours))

    def set_poses(self, poses: Mapping[str, F64], hidden: frozenset[str]) -> None:
        for link, actor in self._actors.items():
            pose = poses.get(link)
            actor.SetVisibility(pose is not None and link not in hidden)
            if pose is not None:
                actor.SetUserMatrix(vtk_matrix(pose))

    def remove(self, link: str) -> None:
        actor = self._actors.pop(link, None)
        if actor is not None:
            self._renderer.RemoveActor(actor)

    def clear(self) -> None:
        for link in tuple(self._actors):
            self.remove(link)
