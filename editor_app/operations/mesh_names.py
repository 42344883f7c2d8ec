"""Names of meshes and textures in a URDF that is written to another folder: they mean the same files from there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from editor_app.formats.exchange.meshes import with_file_names
from editor_app.geometry.paths import package_of, resolve_mesh_path
from editor_app.model.urdf import Urdf


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

    return with_file_names(urdf, named)
