"""Mesh files that a URDF names and that are not on this machine, told together where one remedy serves them all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from editor_app.geometry.paths import Resolution, explain_mesh_path, likely_package_folder
from editor_app.model.counting import counted
from editor_app.model.urdf import Mesh, Urdf

#: Links that a sentence names.
_NAMED = 4


@dataclass(slots=True)
class MissingMeshes:
    """One file, or all files of one package without a folder. `files` as written; `links` use them."""

    resolution: Resolution
    likely_folder: Path | None = None
    files: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        """The links, the files, and how to say where they are."""
        names = ", ".join(map(repr, self.links[:_NAMED]))
        more = f" and {len(self.links) - _NAMED} more" if len(self.links) > _NAMED else ""
        whose = f"link{'s' if len(self.links) > 1 else ''} {names}{more}"
        if len(self.files) == 1:
            told = f"The mesh of {whose} is missing: {self.resolution.explain()}"
        else:
            told = f"{counted(len(self.files), 'mesh', 'meshes')} of {whose} are missing: {self._where()}"
        if self.likely_folder is None:
            return told
        hint = f"{self.likely_folder} has a file of that path: --package {self.resolution.package}={self.likely_folder}"
        return f"{told} {hint}"

    def _where(self) -> str:
        if self.resolution.tried:
            return self.resolution.explain()
        return f"no folder of the package {self.resolution.package!r} was found, which {self.files[0]} is in."


def missing_meshes(
    urdf: Urdf, urdf_path: Path | None, mappings: Mapping[str, Path] | None = None, links: Iterable[str] | None = None
) -> list[MissingMeshes]:
    """What links (default all) miss: one for each file; one for all files of a package whose folder is nowhere."""
    wanted = None if links is None else set(links)
    missing: dict[str, MissingMeshes] = {}
    resolved: dict[str, Resolution] = {}
    for link in urdf.links:
        if wanted is not None and link.name not in wanted:
            continue
        for geometry in (shape.geometry for shapes in (link.visuals, link.collisions) for shape in shapes):
            if not isinstance(geometry, Mesh) or not geometry.filename:
                continue
            name = geometry.filename
            if name not in resolved:
                resolved[name] = explain_mesh_path(name, urdf_path, mappings)
            resolution = resolved[name]
            if resolution.path is not None:
                continue
            likely = likely_package_folder(name, urdf_path)
            alone = resolution.package is None or (resolution.tried and likely is None)
            together = name if alone else f"package://{resolution.package}"
            one = missing.setdefault(together, MissingMeshes(resolution))
            one.likely_folder = one.likely_folder or likely
            one.files += [name] if name not in one.files else []
            one.links += [link.name] if link.name not in one.links[-1:] else []
    return list(missing.values())
