"""The meshes of a robot that is written, wherever they came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from editor_app.formats.exchange.codec import Subject
from editor_app.model.urdf import Mesh

#: (vertices, triangles, colour, texture coordinates, picture) of each part of a mesh in metres; the last two may lack.
MeshParts = Callable[[Mesh], Sequence[tuple[Any, ...]]]


@contextmanager
def meshes_at_hand(subject: Subject) -> Iterator[MeshParts | None]:
    """Meshes out of a COLLADA file are files while they are needed."""
    load, urdf = subject.surroundings.load_mesh, subject.files.urdf
    home = urdf.source.path if urdf is not None else None
    if load is None:
        yield None
        return
    if not subject.files.meshes:
        yield lambda mesh: load(mesh, home)
        return
    with TemporaryDirectory(prefix="xrdf-editor-") as folder:
        for name, data in subject.files.meshes:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

        def parts(mesh: Mesh) -> list[tuple[Any, ...]]:
            path = Path(folder, mesh.filename)
            # Pictures are read while the file is written.
            return load(replace(mesh, filename=str(path)) if path.is_file() else mesh, home)

        yield parts
