"""Meshes of links: one actor per link for what is coloured, one more per texture. Poses move actors, not vertices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkCommonDataModel import vtkPlane, vtkPolyData
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer

from editor_app.geometry.decimation import decimated
from editor_app.geometry.images import ImageError, read_image
from editor_app.gui.viewport.pace import Work
from editor_app.gui.viewport.palette import CUT_COLOUR, SceneColours
from editor_app.gui.viewport.picking import LinkSurface
from editor_app.gui.viewport.section.half_space import HalfSpace
from editor_app.gui.viewport.vtk_tools import (
    Array,
    add_tint,
    bytes_array,
    mesh_poly_data,
    set_cap,
    set_clipping,
    set_tint,
)

#: Edges sharper than this stay sharp when a surface is shaded smoothly (degrees).
FEATURE_ANGLE = 32.0
#: What a link is drawn with while things move on a machine that draws slowly.
COARSE_TRIANGLES = 2500

#: Rec. 709, and the least luminance: below it a mesh is one black shape (the hands of Allegro and Shadow have 0.004).
_LUMINANCE = np.array((0.2126, 0.7152, 0.0722))
_DARKEST = 0.32


class LinkMesh:
    """What is drawn for one link."""

    def __init__(
        self, actors: list[vtkActor], sources: list[list[Any]], surface: LinkSurface, uncoloured: list[vtkActor]
    ) -> None:
        self.actors = actors
        self._sources = sources
        self._fine = [actor.GetMapper() for actor in actors]
        self._coarse: list[vtkPolyDataMapper] | None = None
        self._cut: vtkPlane | None = None
        self._matrix = vtkMatrix4x4()
        self._placed = b""
        for actor in actors:
            actor.SetUserMatrix(self._matrix)
        self.surface = surface
        #: Actors whose colour is the theme's, because neither mesh nor URDF gives one.
        self.uncoloured = uncoloured
        #: The smallest opacity of its materials, 1 for opaque.
        self.material_opacity = [actor.GetProperty().GetOpacity() for actor in actors]

    @property
    def has_coarse(self) -> bool:
        return self._coarse is not None

    def lightest(self, index: int) -> vtkPolyData:
        """What the actor of that number draws with the fewest triangles that there are."""
        mappers = self._fine if self._coarse is None else self._coarse
        return mappers[index].GetInput()  # type: ignore[no-any-return]

    def thinned(self) -> Callable[[], None]:
        """Computes copies with fewer triangles, in whatever thread; what it returns takes them over.

        Textured parts stay as they are.
        """
        total = sum(len(p.faces) for source in self._sources for p in source)
        share = COARSE_TRIANGLES / max(total, 1)
        thin: list[list[Any] | None] = [
            None if share > 0.7 or any(p.texture is not None for p in source) else [_thinned(p, share) for p in source]
            for source in self._sources
        ]
        return lambda: self._take_thin(thin)

    def _take_thin(self, thin: list[list[Any] | None]) -> None:
        self._coarse = [
            fine if parts is None else _mapper(smooth(_joined(parts, colours=bool(fine.GetScalarVisibility()))))
            for parts, fine in zip(thin, self._fine, strict=True)
        ]
        self.set_cut(self._cut)

    def set_cut(self, plane: vtkPlane | None) -> None:
        """Leaves what lies on the side of the plane's normal, of the copies too; None: all."""
        self._cut = plane
        for mapper in (*self._fine, *(self._coarse or ())):
            set_clipping(mapper, plane)

    def place(self, pose: Array) -> None:
        """Moves it to (4, 4) `pose`; costs nothing where it stands there."""
        placed = pose.tobytes()
        if placed != self._placed:
            self._placed = placed
            self._matrix.DeepCopy(pose.ravel().tolist())

    def set_coarse(self, coarse: bool) -> None:
        """Draws the copies while things move, if they were made."""
        mappers = self._coarse if coarse and self._coarse is not None else self._fine
        for actor, mapper in zip(self.actors, mappers, strict=True):
            if actor.GetMapper() is not mapper:
                actor.SetMapper(mapper)


class MeshLayer:
    """The visual or the collision meshes of all links."""

    def __init__(self, renderer: vtkRenderer, kind: str) -> None:
        self._renderer = renderer
        self._is_collision = kind == "collision"
        self._links: dict[str, LinkMesh] = {}
        self._poses: dict[str, Array] = {}
        self._visible = not self._is_collision
        self._opacity = 1.0
        self._hidden: frozenset[str] = frozenset()
        self._ghosted: frozenset[str] = frozenset()
        self._replaced: frozenset[str] = frozenset()
        self._selected: frozenset[str] = frozenset()
        self._hovered: str | None = None
        self._colours: SceneColours | None = None
        self._cut: vtkPlane | None = None

    # -- contents

    def set_geometry(self, link: str, parts: Iterable[Any]) -> None:
        """Replaces the mesh of a link; `parts` are geometry.MeshPart in the frame of the link."""
        self.remove(link)
        mesh = _build(list(parts), self._is_collision)
        if mesh is None:
            return
        self._links[link] = mesh
        mesh.set_cut(self._cut)
        for actor in mesh.actors:
            self._renderer.AddActor(actor)
        if link in self._poses:
            mesh.place(self._poses[link])
        self._paint(link, mesh)
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
        return _Surfaces(self._links)

    @property
    def visible_links(self) -> tuple[str, ...]:
        """Links that are drawn and can be picked."""
        if not self._visible or self._opacity <= 0:
            return ()
        return tuple(k for k in self._links if k not in self._hidden and k in self._poses)

    def mesh(self, link: str) -> LinkMesh | None:
        """What is drawn for a link."""
        return self._links.get(link)

    def blocks_view(self, link: str) -> bool:
        """Whether one cannot see through the mesh of the link."""
        return not self._is_collision and self._opacity >= 1.0 and link not in self._ghosted

    def bounds_points(self, links: Iterable[str]) -> list[Array]:
        """Corners of the boxes around the meshes, (8, 3) each, in the base frame."""
        drawn = [link for link in links if link in self._links and link in self._poses]
        if not drawn:
            return []
        corners = np.stack([self._links[link].surface.corners for link in drawn])
        poses = np.stack([self._poses[link] for link in drawn])
        return list(corners @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3])

    # -- copies with fewer triangles

    def coarse_work(self) -> Work | None:
        """What computes the copies of one more link; None when all are there."""
        return next((mesh.thinned for mesh in self._links.values() if not mesh.has_coarse), None)

    def set_coarse(self, coarse: bool) -> None:
        for mesh in self._links.values():
            mesh.set_coarse(coarse)

    # -- looks

    def set_cut(self, plane: vtkPlane | None) -> None:
        """Leaves what lies on the side of the plane's normal (base frame), of meshes that come later too; None: all."""
        if plane is not self._cut:
            self._cut = plane
            for mesh in self._links.values():
                mesh.set_cut(plane)
            if plane is None:
                self._cap(None)

    def cap_by(self, half: HalfSpace, view: Array) -> None:
        """Before each frame: the faces and lines of the cut. `view` (4, 4) leads from the base frame to the camera."""
        self._cap(half.seen_from(view))

    def _cap(self, cut: tuple[list[float], float] | None) -> None:
        for mesh in self._links.values():
            for actor in mesh.actors:
                set_cap(actor, CUT_COLOUR, cut)

    def set_poses(self, poses: Mapping[str, Array]) -> None:
        """(4, 4) per frame; links that have none are not drawn."""
        others = self._poses.keys() != poses.keys()
        self._poses = dict(poses)
        for link, mesh in self._links.items():
            pose = poses.get(link)
            if pose is not None:
                mesh.place(pose)
        if others:
            self.restyle()

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        for link, mesh in self._links.items():
            self._paint(link, mesh)
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
        touched = (self._selected ^ selected) | ({self._hovered, hovered} if hovered != self._hovered else set())
        self._selected, self._hovered = selected, hovered
        for link in touched:
            mesh = self._links.get(link) if link is not None else None
            if mesh is not None and link is not None:
                self._style(link, mesh)

    def restyle(self) -> None:
        for link, mesh in self._links.items():
            self._style(link, mesh)

    def _paint(self, link: str, mesh: LinkMesh) -> None:
        if self._colours is None:
            return
        colour = self._colours.collision if self._is_collision else self._colours.mesh
        for actor in mesh.uncoloured:
            actor.GetProperty().SetColor(*colour)

    def _style(self, link: str, mesh: LinkMesh) -> None:
        shown = self._visible and self._opacity > 0.0 and link not in self._hidden and link in self._poses
        shown = shown and link not in self._replaced
        ghost = 0.12 if link in self._ghosted else 1.0
        tint, amount = (1.0, 1.0, 1.0), 0.0
        if self._colours is not None and link in self._selected:
            tint, amount = self._colours.accent, 0.34
        elif link == self._hovered:
            tint, amount = (1.0, 1.0, 1.0), 0.16
        for actor, opacity in zip(mesh.actors, mesh.material_opacity, strict=True):
            actor.SetVisibility(shown)
            actor.GetProperty().SetOpacity(opacity * ghost * (1.0 if self._is_collision else self._opacity))
            set_tint(actor, tint, amount)


class _Surfaces(Mapping[str, LinkSurface]):
    """The locators by link, without a dict of their own to keep in step."""

    def __init__(self, links: Mapping[str, LinkMesh]) -> None:
        self._links = links

    def __getitem__(self, link: str) -> LinkSurface:
        return self._links[link].surface

    def __iter__(self) -> Any:
        return iter(self._links)

    def __len__(self) -> int:
        return len(self._links)


def _build(parts: list[Any], is_collision: bool) -> LinkMesh | None:
    parts = [p for p in parts if len(p.faces)]
    if not parts:
        return None
    textured = [p for p in parts if _has_texture(p, is_collision)]
    plain = [p for p in parts if not _has_texture(p, is_collision)]
    actors: list[vtkActor] = []
    sources: list[list[Any]] = []
    uncoloured: list[vtkActor] = []
    # Parts of the same transparency share an actor: fewer of them draw faster.
    for alpha in sorted({_alpha(p, is_collision) for p in plain}, reverse=True):
        same = [p for p in plain if _alpha(p, is_collision) == alpha]
        for colours in (True, False):
            alike = [p for p in same if _has_colour(p, is_collision) == colours]
            if alike:
                actors.append(_actor(_joined(alike, colours=colours), alpha, is_collision))
                sources.append(alike)
                uncoloured += [] if colours else actors[-1:]
    actors += [_textured(part) for part in textured]
    sources += [[part] for part in textured]
    return LinkMesh(actors, sources, LinkSurface(_joined(parts)), uncoloured)


def _has_texture(part: Any, is_collision: bool) -> bool:
    return not is_collision and part.texture is not None and part.uv is not None


def _has_colour(part: Any, is_collision: bool) -> bool:
    return not is_collision and part.rgba is not None


def _alpha(part: Any, is_collision: bool) -> float:
    if is_collision:
        return 0.38
    return 1.0 if part.rgba is None else float(np.clip(part.rgba[3], 0.05, 1.0))


def readable_colour(rgb: Any) -> NDArray[Any]:
    """A colour that light and shade can be seen on: what is nearly black is lifted, the rest is as it is."""
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
        rgb = np.repeat([readable_colour(p.rgba[:3]) for p in parts], [len(v) for v, _ in pieces], axis=0)
        data.GetPointData().SetScalars(bytes_array(rgb))
    return data


def _actor(data: vtkPolyData, alpha: float, is_collision: bool) -> vtkActor:
    actor = vtkActor()
    actor.SetMapper(_mapper(smooth(data)))
    prop = actor.GetProperty()
    prop.SetOpacity(alpha)
    prop.SetAmbient(0.12)
    prop.SetDiffuse(0.9)
    prop.SetSpecular(0.0 if is_collision else 0.18)
    prop.SetSpecularPower(28)
    add_tint(actor)
    return actor


def _mapper(data: vtkPolyData) -> vtkPolyDataMapper:
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetColorModeToDirectScalars()
    mapper.SetScalarVisibility(data.GetPointData().GetScalars() is not None)
    return mapper


@dataclass(frozen=True, slots=True)
class _Thin:
    """A part with fewer triangles."""

    vertices: NDArray[Any]
    faces: NDArray[Any]
    rgba: Any
    texture: None = None


def _thinned(part: Any, share: float) -> _Thin:
    """About `share` of a part's triangles, in the same colour."""
    return _Thin(*decimated(part.vertices, part.faces, share), part.rgba)


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
    """Equal points joined: STL and many exporters give every triangle its own, which leaves nothing to smooth."""
    if len(vertices) < 0.75 * len(faces):
        return vertices, faces
    keys = np.ascontiguousarray(vertices, np.float32).view(np.dtype((np.void, 12))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return vertices[first], inverse[faces]


def _textured(part: Any) -> vtkActor:
    from vtkmodules.util.numpy_support import numpy_to_vtk

    data = mesh_poly_data(part.vertices, part.faces)
    coordinates = numpy_to_vtk(np.ascontiguousarray(part.uv, np.float32), deep=True)
    coordinates.SetName("uv")
    data.GetPointData().SetTCoords(coordinates)
    alpha = 1.0 if part.rgba is None else float(np.clip(part.rgba[3], 0.05, 1.0))
    actor = _actor(data, alpha, False)
    texture = _texture(Path(part.texture))
    if texture is not None:
        actor.SetTexture(texture)
    if part.rgba is not None:
        actor.GetProperty().SetColor(*part.rgba[:3])
    return actor


def _texture(path: Path) -> Any:
    """The image as a vtkTexture; None when it cannot be read (the loader has told about it)."""
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkRenderingOpenGL2 import vtkOpenGLTexture

    try:
        pixels = read_image(path)[::-1]
    except ImageError:
        return None
    data = vtkImageData()
    data.SetDimensions(pixels.shape[1], pixels.shape[0], 1)
    data.GetPointData().SetScalars(numpy_to_vtk(np.ascontiguousarray(pixels).reshape(-1, 3), deep=True))
    texture = vtkOpenGLTexture()
    texture.SetInputData(data)
    texture.InterpolateOn()
    texture.MipmapOn()
    texture.RepeatOn()
    return texture
