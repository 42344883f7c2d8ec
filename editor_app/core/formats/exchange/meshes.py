"""The meshes of a robot that is written, wherever they came from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from editor_app.core.formats.exchange.codec import Subject
from editor_app.core.model.references import change_at
from editor_app.core.model.regular_file import read_regular
from editor_app.core.model.urdf import Geometry, Material, Mesh, Urdf, Visual
from editor_app.core.text.source import MAX_BYTES

#: The new name of a mesh or texture.
Rename = Callable[[str], str]

#: The parts of a mesh in metres (`geometry.mesh.MeshPart`).
MeshParts = Callable[[Mesh], Sequence[Any]]


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

        def parts(mesh: Mesh) -> Sequence[Any]:
            path = Path(folder, mesh.filename)
            # Pictures are read while the file is written.
            return load(replace(mesh, filename=str(path)) if path.is_file() else mesh, home)

        yield parts


def colour_of(
    visual: Visual, materials: Mapping[str, Material]
) -> tuple[float, float, float, float] | None:
    """Return the colour of the material, wherever that is defined: one of `materials` has its
    name."""
    material = visual.material
    if material is not None and material.rgba is None:
        material = materials.get(material.name)
    return material.rgba if material is not None else None


def with_file_names(urdf: Urdf, named: Rename) -> Urdf:
    """The URDF with other names of meshes and textures; the same where none is another."""

    def renamed(geometry: Geometry) -> Geometry:
        return (
            replace(geometry, filename=named(geometry.filename))
            if isinstance(geometry, Mesh)
            else geometry
        )

    changed = change_at(urdf, "links.*.visuals|collisions.*.geometry", renamed)
    changed = change_at(changed, "materials.*.texture links.*.visuals.*.material.texture", named)
    return urdf if changed == urdf else changed


def packed_meshes(
    urdf: Urdf, path: Path | None, package: str
) -> tuple[Urdf, tuple[tuple[str, bytes], ...]]:
    """The URDF of the file `path` with package:// names for files that it names relative to its
    folder; these files.

    They are (name in the folder `meshes` of the package, content). What is not there keeps its
    name.
    """
    packed: dict[str, tuple[str, bytes]] = {}

    def named(name: str) -> str:
        if path is None or not name or ":" in name or Path(name).is_absolute():
            return name
        if name not in packed:
            try:
                data = read_regular(path.parent / name, MAX_BYTES)
            except OSError:
                return name
            taken = {other for other, _ in packed.values()}
            file = Path(name).name
            while file in taken:
                file = f"_{file}"
            packed[name] = file, data
        return f"package://{package}/meshes/{packed[name][0]}"

    return with_file_names(urdf, named), tuple(packed.values())


def make_plain_name(name: str) -> str:
    """A name of letters, digits, - and _, as names of files and SIDs may be."""
    return re.sub(r"[^\w-]", "_", name)


def package_of_mesh(name: str) -> str | None:
    """The package in the name of a mesh, as "p" of package://p/meshes/a.stl."""
    package, slash, _ = name.removeprefix("package://").partition("/")
    return package if slash and name.startswith("package://") else None


def obj_bytes(vertices: Any, faces: Any) -> bytes:
    """Return a mesh as OBJ. `vertices`: array (n, 3) in metres; `faces`: array (m, 3) of indices
    from 0."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
