"""Names of meshes and textures in a URDF that is written to another folder: they mean the same files from there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from editor_app.geometry.paths import package_of, resolve_mesh_path
from editor_app.model.urdf import Collision, Link, Material, Mesh, Urdf, Visual

Shape = TypeVar("Shape", Visual, Collision)
Rename = Callable[[str], str]


def with_meshes_from(urdf: Urdf, old: Path, new: Path, packages: Mapping[str, Path] | None = None) -> Urdf:
    """The URDF of the file `old`, as the file `new`: relative names are relative to that.

    With `packages` (name -> folder, for `old`), package:// names of files that are not found from `new` by itself
    become relative, too; without, they stay.
    """
    home, folder = old.parent.resolve(), new.parent.resolve()
    if home == folder:
        return urdf

    def named(name: str) -> str:
        if not name or Path(name).is_absolute():
            return name
        if package_of(name) is not None:
            path = None if packages is None else resolve_mesh_path(name, old, packages)
            present = resolve_mesh_path(name, new)
            if path is None or (present is not None and present.resolve() == path.resolve()):
                return name
        elif ":" in name:
            return name
        else:
            path = home / name
        try:
            return Path(os.path.relpath(path.resolve(), folder)).as_posix()
        except ValueError:  # another drive of Windows
            return path.as_posix()

    links = tuple(_link(link, named) for link in urdf.links)
    materials = tuple(_material(material, named) for material in urdf.materials)
    is_same = links == urdf.links and materials == urdf.materials
    return urdf if is_same else replace(urdf, links=links, materials=materials)


def _link(link: Link, named: Rename) -> Link:
    visuals = tuple(_shape(visual, named) for visual in link.visuals)
    painted = (v if v.material is None else replace(v, material=_material(v.material, named)) for v in visuals)
    return replace(link, visuals=tuple(painted), collisions=tuple(_shape(shape, named) for shape in link.collisions))


def _shape(shape: Shape, named: Rename) -> Shape:
    mesh = shape.geometry
    if not isinstance(mesh, Mesh) or named(mesh.filename) == mesh.filename:
        return shape
    return replace(shape, geometry=replace(mesh, filename=named(mesh.filename)))


def _material(material: Material, named: Rename) -> Material:
    texture = material.texture
    return material if not texture or named(texture) == texture else replace(material, texture=named(texture))
