"""Shapes and colours of a robot where they differ from the stage that it came from.

A shape of the same kind keeps its prim, which is moved and scaled. The prims of other shapes are
switched off, and the shapes of the robot are added next to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.meshes import MeshParts, colour_of
from editor_app.core.model.counting import format_list
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.urdf import Collision, Geometry, Link, Mesh, Urdf, Visual, sizes_of
from editor_app.core.space.kinematics.transforms import Matrix, build_pose_matrix, invert
from editor_app.plugins.usd.over_names import StageNames
from editor_app.plugins.usd.reading.values import LinkPrim, ReadStage, ShapePrim
from editor_app.plugins.usd.writing_layer import Overs
from editor_app.plugins.usd.writing_prims import MOST_NAMES, FindPrim, Prim, transform_lines
from editor_app.plugins.usd.writing_shapes import BINDING, ShapePrims

#: Metres, and shares of a size, by which places differ though they mean the same.
_NOISE = 1e-8
#: Where colours and meshes of the layer are, below the prim of the robot.
_MATERIALS, _MESHES = "xrdf_editor_materials", "xrdf_editor_meshes"

Shape = Visual | Collision


@dataclass(frozen=True, slots=True)
class ShapeUse:
    """A shape of the stage, and the shape of the robot that it becomes; None for one that the robot
    does not have."""

    ours: Shape | None
    stated: Shape
    prim: ShapePrim

    @property
    def matrix(self) -> Matrix | None:
        """(4, 4) from the units of the prim to metres in the link, as the robot has it; None
        without the shape."""
        if self.ours is None:
            return None
        factors = _size_factors(self.ours.geometry, self.stated.geometry)
        places = [build_pose_matrix(shape.origin) for shape in (self.ours, self.stated)]
        if np.abs(places[0] - places[1]).max() <= _NOISE and np.abs(factors - 1.0).max() <= _NOISE:
            return self.prim.matrix
        return np.asarray(
            places[0] @ np.diag([*factors, 1.0]) @ invert(places[1]) @ self.prim.matrix
        )


class ShapeChanges:
    """Overs of the shapes of a robot that differ from the shapes of the stage, and prims of new
    ones."""

    def __init__(
        self, robot: Urdf, read: ReadStage, names: StageNames, out: Reporter, find_prim: FindPrim
    ) -> None:
        self._robot, self._read, self._names, self._out, self._find_prim = (
            robot,
            read,
            names,
            out,
            find_prim,
        )
        self._materials, self._stated = robot.materials_by_name(), read.urdf.materials_by_name()
        #: Links with other shapes than in the stage.
        self.changed: list[str] = []
        self._kept: list[str] = []
        self._painted: list[str] = []

    def write(self, tree: Overs, meshes: MeshParts | None) -> None:
        """Write the overs into a tree. `meshes`: the surfaces of meshes that the stage does not
        have."""
        out, places = self._out, self._read.places
        root = next(iter(places.links.values())).prim.path.split("/")[1]
        library, materials = f"/{root}/{_MESHES}", f"/{root}/{_MATERIALS}"
        painter = ShapePrims(meshes, self._materials, out, library, materials, "convexHull")
        stated = {link.name: link for link in self._read.urdf.links}
        for link in self._robot.links:
            name = self._names.links.get(link.name)
            if name is not None:
                self._change_link(link, stated[name], places.links.get(name), painter)
        for name, kind, prims in (
            (_MATERIALS, "def", painter.material_prims),
            (_MESHES, "class", painter.mesh_prims),
        ):
            if prims:
                tree.at(f"/{root}").children.append(
                    Prim(name, "Scope", kind, children=list(prims.values()))
                )
        if self.changed:
            out.translated(
                "shapes", f"places, sizes or new shapes of {format_list(self.changed, MOST_NAMES)}"
            )
        if self._painted:
            names = format_list(dict.fromkeys(self._painted), MOST_NAMES)
            out.translated("colour", f"materials bound to visuals of {names}")
        if self._kept:
            detail = "other shapes than in the stage, which keeps its own"
            out.lost(f"shapes of {format_list(self._kept, MOST_NAMES)}", detail)

    def _change_link(
        self, link: Link, stated: Link, place: LinkPrim | None, painter: ShapePrims
    ) -> None:
        places = self._read.places
        uses: list[ShapeUse] = []
        new: list[Shape] = []
        kinds: tuple[tuple[Sequence[Shape], Sequence[Shape], Sequence[ShapePrim]], ...] = (
            (link.visuals, stated.visuals, places.visuals.get(stated.name, ())),
            (link.collisions, stated.collisions, places.collisions.get(stated.name, ())),
        )
        for ours, theirs, prims in kinds:
            matched = _match_shapes(ours, theirs)
            for number, (old, prim) in enumerate(zip(theirs, prims, strict=True)):
                uses.append(
                    ShapeUse(ours[matched[number]] if number in matched else None, old, prim)
                )
            new += [shape for number, shape in enumerate(ours) if number not in matched.values()]
        by_prim: dict[str, list[ShapeUse]] = {}
        for use in uses:
            by_prim.setdefault(use.prim.prim.path, []).append(use)
        changed = {
            path: group for path, group in by_prim.items() if not all(map(_is_unchanged, group))
        }
        paths = [each.prim.path for each in places.links.values()]
        if (new and place is None) or any(
            not _can_change(path, by_prim, paths) for path in changed
        ):
            self._kept.append(link.name)
            new = []
        else:
            for group in changed.values():
                new += self._change_prim(group)
        if new and place is not None:
            self._add_shapes(new, place, painter)
        if (new or changed) and link.name not in self._kept:
            self.changed.append(link.name)
        self._paint(link.name, uses, painter)

    def _change_prim(self, group: Sequence[ShapeUse]) -> list[Shape]:
        """Change the prim of some shapes. Return the shapes that it can be no more, which are to be
        added."""
        first, over = group[0], self._find_prim(group[0].prim.prim)
        kinds = [
            [use for use in group if isinstance(use.stated, kind)] for kind in (Visual, Collision)
        ]
        visuals, collisions = (uses[0].matrix if uses else None for uses in kinds)
        if all(kinds) and not _is_same_matrix(visuals, collisions):
            # The prim stays what is seen, or where that is removed, what collides.
            gone: type[Shape] = Visual if visuals is None else Collision
            if gone is Visual:
                over.lines.append('uniform token purpose = "guide"')
            else:
                over.schemas.append("PhysicsCollisionAPI")
                over.lines.append("bool physics:collisionEnabled = false")
            matrix = collisions if visuals is None else visuals
            again = [
                use.ours for use in group if isinstance(use.stated, gone) and use.ours is not None
            ]
        else:
            matrix, again = (visuals if kinds[0] else collisions), []
        if matrix is None:
            over.metadata.append("active = false")
        elif not _is_same_matrix(matrix, first.prim.matrix):
            over.lines += transform_lines(
                np.linalg.inv(first.prim.above) @ matrix, resets=first.prim.resets
            )
        return again

    def _add_shapes(self, shapes: Sequence[Shape], place: LinkPrim, painter: ShapePrims) -> None:
        over = self._find_prim(place.prim, inside=True)
        taken = {*place.children, *(child.name for child in over.children)}
        for shape in shapes:
            if isinstance(shape, Visual):
                prim = painter.visual(shape, find_free_name("visual_0", taken), place.local)
            else:
                name, matrix = find_free_name("collision_0", taken), build_pose_matrix(shape.origin)
                prim = painter.collision(shape.geometry, matrix, name, place.local)
            if prim is not None:
                taken.add(prim.name)
                over.children.append(prim)

    def _paint(self, name: str, uses: Sequence[ShapeUse], painter: ShapePrims) -> None:
        """Bind materials to visuals of another colour."""
        painted: dict[str, Sequence[float] | None] = {}
        for use in uses:
            if not isinstance(use.ours, Visual) or not isinstance(use.stated, Visual):
                continue
            rgba, path = colour_of(use.ours, self._materials), use.prim.painted.path
            if path in painted:
                # A capsule is several shapes of a URDF.
                if not _is_same_colour(rgba, painted[path]):
                    self._out.lost(
                        f"colour of a part of {name}",
                        f"{path} has one colour, that of its first part",
                    )
                continue
            painted[path] = rgba
            if _is_same_colour(rgba, colour_of(use.stated, self._stated)):
                continue
            if rgba is None:
                self._out.lost(
                    f"colour of {name}", "removed in the robot: the stage keeps its material"
                )
                continue
            over = self._find_prim(use.prim.painted)
            material = use.ours.material.name if use.ours.material is not None else ""
            over.schemas.append(BINDING)
            over.lines.append(f"rel material:binding = <{painter.material(material, rgba)}>")
            self._painted.append(name)


def _match_shapes(ours: Sequence[Shape], theirs: Sequence[Shape]) -> dict[int, int]:
    """Number of a shape of the stage -> that of the robot: by number where they are as many, else
    equal ones first."""
    matched: dict[int, int] = {}
    if len(ours) == len(theirs):
        matched = {
            n: n for n, pair in enumerate(zip(ours, theirs, strict=True)) if _is_same_kind(*pair)
        }
    for is_fitting in (_is_same_shape, _is_same_kind):
        for other, stated in enumerate(theirs):
            free = [one for one in range(len(ours)) if one not in matched.values()]
            one = next((one for one in free if is_fitting(ours[one], stated)), None)
            if one is not None and other not in matched:
                matched[other] = one
    return matched


def _can_change(path: str, by_prim: dict[str, list[ShapeUse]], links: Sequence[str]) -> bool:
    """Return whether a prim can change alone: it is no link, no shape or link is below it, its
    parts stay together."""
    if path in links or any(other.startswith(f"{path}/") for other in (*by_prim, *links)):
        return False
    for kind in (Visual, Collision):
        matrices = [use.matrix for use in by_prim[path] if isinstance(use.stated, kind)]
        if any(not _is_same_matrix(each, matrices[0]) for each in matrices):
            return False
    return True


def _is_unchanged(use: ShapeUse) -> bool:
    return _is_same_matrix(use.matrix, use.prim.matrix)


def _is_same_matrix(one: Matrix | None, other: Matrix | None) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.abs(one - other).max() <= _NOISE * max(1.0, float(np.abs(other).max())))


def _size_factors(ours: Geometry, stated: Geometry) -> Matrix:
    """(3,): the sizes of a shape divided by the sizes of another one of its kind, along the axes of
    a URDF's shape."""
    sizes = [_axis_sizes(geometry) for geometry in (ours, stated)]
    return np.asarray(sizes[0] / sizes[1])


def _axis_sizes(geometry: Geometry) -> Matrix:
    if isinstance(geometry, Mesh):
        return np.array(geometry.scale, dtype=float)
    sizes = sizes_of(geometry)
    # A ball has one size, a cylinder radius and length.
    order = {1: (0, 0, 0), 2: (0, 0, 1), 3: (0, 1, 2)}[len(sizes)]
    return np.array([sizes[number] for number in order], dtype=float)


def _is_same_kind(ours: Shape, stated: Shape) -> bool:
    """Whether the prim of one shape can become the other: the same file of a mesh, or the same
    primitive."""
    one, other = ours.geometry, stated.geometry
    if isinstance(one, Mesh) and isinstance(other, Mesh):
        is_same = one.filename.rpartition("/")[2] == other.filename.rpartition("/")[2]
        return is_same and 0.0 not in (*one.scale, *other.scale)
    return (
        type(one) is type(other)
        and not isinstance(one, Mesh)
        and min(*_axis_sizes(one), *_axis_sizes(other)) > 0
    )


def _is_same_shape(one: Shape, other: Shape) -> bool:
    """Whether two shapes are equal at the same place; meshes go by the names of their files."""
    geometry = one.geometry
    if (
        isinstance(geometry, Mesh)
        and isinstance(other.geometry, Mesh)
        and _is_same_kind(one, other)
    ):
        geometry = replace(geometry, filename=other.geometry.filename)
    places = [build_pose_matrix(shape.origin) for shape in (one, other)]
    return geometry == other.geometry and bool(np.abs(places[0] - places[1]).max() <= _NOISE)


def _is_same_colour(one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.abs(np.subtract(one, other)).max() < 1e-4)
