"""Paths of mesh files: the resolution order for package://, model://, file:// and plain paths.

1. the user's own mappings; 2. an ancestor folder of the URDF whose package.xml has that name; 3. an
   ancestor folder
of that name; 4. a folder beside an ancestor (a sibling in the workspace), by its name or its
package.xml;
5. ROS_PACKAGE_PATH; 6. AMENT_PREFIX_PATH; 7. GZ_SIM_RESOURCE_PATH and its predecessors for
   model://; 8. an ancestor
folder that the path names further on, as robots/arm does in package://data/robots/arm/a.stl. What
was made and is not saved yet (`unsaved_meshes`) comes last. Plain paths, file:// with a relative
path, and package://a.stl, which names no package, are relative to the URDF. The name of a package
may be written with %20 and the like. An extension may be written in another case than that of the
file. Nothing is ever fetched from a network.

A mapping is a package name, or a prefix of the path as written, and the folder that stands for it.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.regular_file import read_regular
from editor_app.core.model.urdf import Mesh, Urdf
from editor_app.core.resources import state_folder

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/{1,3}")
_PACKAGE_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_ROS_PATHS = ("ROS_PACKAGE_PATH",)
_MODEL_PATHS = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH")
#: How far up from the URDF, and how many folders beside an ancestor, are looked at.
MAX_LEVELS = 12
MAX_SIBLINGS = 300


@dataclass(frozen=True, slots=True)
class Attempt:
    """One place that was looked at, and by which rule."""

    rule: str
    path: Path


@dataclass(frozen=True, slots=True)
class Resolution:
    """`path` is None when nothing was found; `tried` is in order and ends with what was found, if
    anything."""

    filename: str
    path: Path | None
    tried: tuple[Attempt, ...]
    #: The package (or model) that the name is in, if any: what a mapping would be for.
    package: str | None = None
    #: Where a file belongs that was made and waits for the URDF to be saved; `path` is where it is
    #: meanwhile.
    belongs_at: Path | None = None

    def explain(self) -> str:
        """Sentences for the user: what was looked for, and where."""
        if self.path is not None:
            return f"{self.filename} is {self.path} ({self.tried[-1].rule})."
        if not self.tried:
            where = (
                f"; the folder of the package {self.package!r} was not found"
                if self.package
                else ""
            )
            return f"{self.filename} was not found{where}."
        places = "; ".join(f"{attempt.path} ({attempt.rule})" for attempt in self.tried[:6])
        more = f"; and {len(self.tried) - 6} more places" if len(self.tried) > 6 else ""
        return f"{self.filename} was not found. Searched: {places}{more}."


def resolve_mesh_path(
    filename: str,
    urdf_path: Path | None,
    mappings: Mapping[str, Path] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Path | None:
    """The file that a mesh or texture path of a URDF means; None when it is not there."""
    return explain_mesh_path(filename, urdf_path, mappings, environ).path


def explain_mesh_path(
    filename: str,
    urdf_path: Path | None,
    mappings: Mapping[str, Path] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Resolution:
    """Resolve as `resolve_mesh_path` does, with the attempts. `environ` replaces os.environ."""
    environ = os.environ if environ is None else environ
    name = filename.strip().replace("\\", "/")
    package = package_of(name)
    tried: list[Attempt] = []
    seen: set[Path] = set()
    for rule, candidate in _candidates(name, package, urdf_path, mappings or {}, environ):
        for variant in _spellings(candidate):
            if variant in seen:
                continue
            seen.add(variant)
            existing = _existing(variant)
            tried.append(Attempt(rule, existing or variant))
            if existing is not None:
                return Resolution(filename, existing, tuple(tried), package)
    for attempt in tried:
        if (waiting := unsaved_mesh(attempt.path)) is not None:
            kept = Attempt("created, not saved yet", waiting)
            return Resolution(filename, waiting, (*tried, kept), package, attempt.path)
    return Resolution(filename, None, tuple(tried), package)


def has_package_scheme(filename: str) -> bool:
    """Return whether a path begins with package:// or model://."""
    match = _SCHEME.match(filename)
    return match is not None and match.group(1).lower() in ("package", "model")


def package_of(filename: str) -> str | None:
    """The package or model that a path is in: "p" for package://p/…, package:///p/… and
    model://p/….

    None for package://a.stl, which some exporters write for a file beside the URDF.
    """
    package, slash, _ = filename[_scheme_end(filename) :].partition("/")
    return package or None if slash and has_package_scheme(filename) else None


def _scheme_end(filename: str) -> int:
    match = _SCHEME.match(filename)
    return match.end() if match is not None else 0


def find_home_folder(urdf_path: Path) -> Path:
    """The folder whose robots belong together: the nearest one above with a package.xml, else that
    of the URDF."""
    folder = urdf_path.absolute().parent
    return next(
        (f for f in [folder, *folder.parents][:MAX_LEVELS] if manifest_name(f) is not None), folder
    )


def package_folder(
    name: str, urdf_path: Path | None, mappings: Mapping[str, Path] | None = None
) -> Path | None:
    """The folder of a package, by the same rules as its files; None when there is none."""
    for prefix, target in (mappings or {}).items():
        if prefix.strip("/") in (name, f"package://{name}"):
            return Path(target)
    folder = None if urdf_path is None else Path(os.path.abspath(urdf_path)).parent
    folders = (path for _, path in _package_folders(name, "package", folder, os.environ))
    return next((path for path in folders if path.is_dir()), None)


def written_name(file: Path, urdf_path: Path | None) -> str:
    """How a URDF calls a file: package:// when both are in one package, relative when it lies
    below, else file://."""
    file = file.absolute()
    if urdf_path is None:
        return file.as_uri()
    urdf_folder = urdf_path.absolute().parent
    for folder in file.parents:
        name = manifest_name(folder)
        if name is not None:
            if folder == urdf_folder or folder in urdf_folder.parents:
                return f"package://{name}/{file.relative_to(folder).as_posix()}"
            break
    return (
        file.relative_to(urdf_folder).as_posix() if urdf_folder in file.parents else file.as_uri()
    )


def mapping_for(filename: str, chosen: Path) -> tuple[str, Path] | None:
    """The mapping that makes `filename` resolve when the user points at `chosen`: the file, or a
    folder above it.

    For package://p/meshes/a.stl the folder may be that of the package, its parent, or `meshes`
    itself; the mapping is for the whole package where that can be, so that all its files resolve.
    None when the file is not there.
    """
    name = filename.strip().replace("\\", "/")
    package = package_of(name)
    rest = _rest(name, package)
    parts = PurePosixPath(rest).parts
    if chosen.is_file():
        if not parts or chosen.name.lower() != parts[-1].lower():
            return None
        chosen = chosen.parent
    if package is not None and _existing(chosen / package / rest) is not None:
        return package, chosen / package
    for skip in range(len(parts)):
        if _existing(chosen.joinpath(*parts[skip:])) is None:
            continue
        above = parts[:skip]
        if package is None and has_package_scheme(name):
            return rest, chosen
        if package is not None and tuple(chosen.parts[len(chosen.parts) - skip :]) == above:
            return package, chosen.parents[skip - 1] if skip else chosen
        prefix = name[: len(name) - len("/".join(parts[skip:]))]
        if prefix:
            return prefix, chosen
        return (name, chosen) if len(parts) == 1 else (f"{parts[0]}/", chosen / parts[0])
    return None


def mapped_file(filename: str, mappings: Mapping[str, Path]) -> tuple[Path, Path] | None:
    """The file that the user's mappings alone name, and the folder of that mapping, which the file
    does not leave."""
    name = filename.strip().replace("\\", "/")
    package = package_of(name)
    rest, packages = _rest(name, package), () if package is None else (package, unquote(package))
    for prefix in sorted(mappings, key=len, reverse=True):
        home = Path(mappings[prefix])
        for _, place in _mapped_places(name, rest, _mapped_names(rest, packages), {prefix: home}):
            for variant in _spellings(place):
                file = _existing(variant)
                if file is not None and file.resolve().is_relative_to(home.resolve()):
                    return file, home
    return None


def package_option(filename: str) -> str:
    """The option of the command line that says where a missing file is."""
    name = filename.strip().replace("\\", "/")
    prefix = package_of(name) or name[: name.rfind("/") + 1]
    return (
        f"--package {prefix or name}=FOLDER"
        if not has_package_scheme(prefix)
        else f"--package {_rest(name, None)}=FOLDER"
    )


def _rest(name: str, package: str | None) -> str:
    rest = name[_scheme_end(name) :]
    if package is not None:
        rest = rest[len(package) :]
    return rest.lstrip("/")


def _candidates(
    name: str,
    package: str | None,
    urdf_path: Path | None,
    mappings: Mapping[str, Path],
    environ: Mapping[str, str],
) -> Iterator[tuple[str, Path]]:
    rest = _rest(name, package)
    folder = None if urdf_path is None else Path(os.path.abspath(urdf_path)).parent
    packages = list(dict.fromkeys((package, unquote(package)))) if package is not None else []
    yield from _mapped_places(name, rest, _mapped_names(rest, packages), mappings)
    match = _SCHEME.match(name)
    scheme = match.group(1).lower() if match else ""
    if package is not None:
        for each in packages:
            for rule, root in _package_folders(each, scheme, folder, environ):
                yield rule, root / rest
        for place in _below_named_ancestors(rest, folder):
            if place.is_file():
                yield "ancestor folder that the path names", place
    elif scheme == "file":
        yield from _of_file_scheme(name[len("file:") :], folder)
    elif scheme in ("", "package", "model"):
        path = name if not scheme else rest
        if Path(path).is_absolute():
            yield "absolute path", Path(path)
        elif folder is not None and path:
            yield "relative to the URDF", folder / path


def _mapped_names(rest: str, packages: Sequence[str]) -> Sequence[str]:
    """The names that a mapping of a file may have: its packages, or package://a.stl and a.stl
    themselves."""
    return packages or (() if "/" in rest else (rest,))


def _mapped_places(
    name: str, rest: str, packages: Iterable[str], mappings: Mapping[str, Path]
) -> Iterator[tuple[str, Path]]:
    """Yield where the user's mappings say that a file is: by its package or by the beginning of its
    name."""
    spelled = {
        f"{scheme}{package}" for package in packages for scheme in ("", "package://", "model://")
    }
    for prefix, target in sorted(mappings.items(), key=lambda item: -len(item[0])):
        if prefix.strip("/") in spelled:
            yield f"your mapping of {prefix}", Path(target) / rest
        elif prefix and name.startswith(prefix):
            yield f"your mapping of {prefix}", Path(target) / name[len(prefix) :].lstrip("/")


def _of_file_scheme(path: str, folder: Path | None) -> Iterator[tuple[str, Path]]:
    slashes = len(path) - len(path.lstrip("/"))
    if slashes != 2:
        absolute = path[2:] if slashes > 2 else path
        # file:///C:/… on Windows.
        yield (
            "absolute path",
            Path(absolute[1:] if re.match(r"/[A-Za-z]:/", absolute) else absolute),
        )
    if folder is not None:
        # file:// with a relative path is wrong, and common.
        yield "relative to the URDF", folder / path.lstrip("/")


def _package_folders(
    package: str, scheme: str, folder: Path | None, environ: Mapping[str, str]
) -> Iterator[tuple[str, Path]]:
    yield from _folders_around(package, folder)
    for variable in _ROS_PATHS:
        for root in _path_list(environ, variable):
            yield variable, root / package
            if root.name == package or manifest_name(root) == package:
                yield variable, root
            for sibling in _packages_in(root):
                if manifest_name(sibling) == package:
                    yield variable, sibling
    for root in _path_list(environ, "AMENT_PREFIX_PATH"):
        yield "AMENT_PREFIX_PATH", root / "share" / package
    for variable in _MODEL_PATHS if scheme == "model" else ():
        for root in _path_list(environ, variable):
            yield variable, root / package


def _folders_around(package: str, folder: Path | None) -> Iterator[tuple[str, Path]]:
    """Folders of that package above the URDF's folder and beside those, the surest first."""
    ancestors = [] if folder is None else [folder, *folder.parents][:MAX_LEVELS]
    for ancestor in ancestors:
        if manifest_name(ancestor) == package:
            yield "package.xml of an ancestor folder", ancestor
    for ancestor in ancestors:
        if ancestor.name == package:
            yield "ancestor folder of that name", ancestor
    for ancestor in ancestors:
        if (ancestor / package).is_dir():
            yield "folder next to an ancestor", ancestor / package
    for ancestor in ancestors:
        for sibling in _packages_in(ancestor):
            if manifest_name(sibling) == package:
                yield "package.xml of a folder next to an ancestor", sibling


def _below_named_ancestors(rest: str, folder: Path | None) -> Iterator[Path]:
    """Where a file is if an ancestor was copied out of its package: its name, and what follows it
    in the path."""
    parts = PurePosixPath(rest).parts
    for ancestor in [] if folder is None else [folder, *folder.parents][:MAX_LEVELS]:
        for i, part in enumerate(parts[:-1]):
            if part == ancestor.name:
                yield ancestor.joinpath(*parts[i + 1 :])


def likely_package_folder(filename: str, urdf_path: Path | None) -> Path | None:
    """A folder at most two above the URDF's in which a file of a package without a folder would be;
    a guess to offer.

    Two packages may have files of one path: the guess is told, and never taken by itself.
    """
    name = filename.strip().replace("\\", "/")
    package = package_of(name)
    if package is None or urdf_path is None:
        return None
    folder = Path(os.path.abspath(urdf_path)).parent
    folders = [folder, *folder.parents][:3]
    return next((f for f in folders if _existing(f / _rest(name, package)) is not None), None)


def _path_list(environ: Mapping[str, str], variable: str) -> list[Path]:
    return [Path(entry) for entry in environ.get(variable, "").split(os.pathsep) if entry]


def manifest_name(folder: Path) -> str | None:
    """Return the name in package.xml of the ROS package in a folder; None without a package."""
    manifest = folder / "package.xml"
    try:
        stamp = manifest.stat().st_mtime_ns
    except OSError:
        return None
    return _read_manifest(str(manifest), stamp)


#: No manifest of a package is larger.
_MANIFEST_BYTES = 1 << 20


@lru_cache(maxsize=4096)
def _read_manifest(path: str, stamp: int) -> str | None:
    try:
        match = _PACKAGE_NAME.search(read_regular(path, _MANIFEST_BYTES)[:65536])
    except OSError:
        return None
    return match.group(1).decode("utf-8", "replace") if match else None


def _packages_in(folder: Path) -> list[Path]:
    """Folders in `folder` that have a package.xml; none for a folder with absurdly many entries."""
    try:
        stamp = folder.stat().st_mtime_ns
    except OSError:
        return []
    return list(_list_packages(str(folder), stamp))


@lru_cache(maxsize=256)
def _list_packages(folder: str, stamp: int) -> tuple[Path, ...]:
    packages = []
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count >= MAX_SIBLINGS:
                    break
                if entry.is_dir() and os.path.isfile(os.path.join(entry.path, "package.xml")):
                    packages.append(Path(entry.path))
    except OSError:
        return ()
    return tuple(sorted(packages))


def _spellings(path: Path) -> Iterator[Path]:
    yield path
    if "%" in str(path):
        yield Path(unquote(str(path)))


def _existing(path: Path) -> Path | None:
    """`path` if it is a file, else the file that differs from it in the case of the extension
    alone."""
    try:
        if path.is_file():
            return path
        if not path.suffix or not path.parent.is_dir():
            return None
        for suffix in (path.suffix.lower(), path.suffix.upper()):
            other = path.with_suffix(suffix)
            if other.is_file():
                return other
        wanted = path.suffix.lower()
        return next(
            (
                p
                for p in path.parent.glob(f"{glob.escape(path.stem)}.*")
                if p.suffix.lower() == wanted and p.is_file()
            ),
            None,
        )
    except (OSError, ValueError):
        # Names that the system cannot even ask for: too long, or with a zero byte.
        return None


#: A robot that was not saved for so many seconds is not saved any more.
_KEPT = 90 * 86400.0


def unsaved_mesh(target: Path) -> Path | None:
    """Return the temporary path of the file that belongs at `target`; None without one."""
    kept = _place(target)
    return kept if kept.is_file() else None


def keep_unsaved(target: Path, data: bytes) -> None:
    """Keeps a file for `target`. Raises OSError where the state folder cannot be written."""
    kept = _place(target)
    kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(OSError):
        for old in kept.parent.iterdir():
            if time.time() - old.stat().st_mtime > _KEPT:
                old.unlink()
    handle, name = tempfile.mkstemp(dir=kept.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(name, kept)


def _place(target: Path) -> Path:
    name = os.path.normcase(os.path.abspath(target))
    key = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return state_folder() / "meshes" / f"{key}{target.suffix}"


#: Links that a sentence names.
_NAMED = 4


@dataclass(slots=True)
class MissingMeshes:
    """One file, or all files of one package without a folder. `files` as written; `links` use
    them."""

    resolution: Resolution
    likely_folder: Path | None = None
    files: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        """The links, the files, and how to say where they are."""
        whose = (
            f"link{'s' if len(self.links) > 1 else ''} {format_list(map(repr, self.links), _NAMED)}"
        )
        if len(self.files) == 1:
            told = f"The mesh of {whose} is missing: {self.resolution.explain()}"
        else:
            told = (
                f"{format_count(len(self.files), 'mesh', 'meshes')} of {whose} are missing: "
                f"{self._where()}"
            )
        name = self.files[0]
        if self.resolution.package is None and has_package_scheme(name):
            return f"{told} It names no package. Give its folder: {package_option(name)}"
        if self.likely_folder is None:
            return told
        hint = (
            f"{self.likely_folder} has a file at that path: --package "
            f"{self.resolution.package}={self.likely_folder}"
        )
        return f"{told} {hint}"

    def _where(self) -> str:
        if self.resolution.tried:
            return self.resolution.explain()
        return (
            f"the folder of the package {self.resolution.package!r} was not found; {self.files[0]} "
            "is in it."
        )


def missing_meshes(
    urdf: Urdf,
    urdf_path: Path | None,
    mappings: Mapping[str, Path] | None = None,
    links: Iterable[str] | None = None,
) -> list[MissingMeshes]:
    """List the missing meshes of links (default all): one per file, or one per package without a
    folder."""
    wanted = None if links is None else set(links)
    missing: dict[str, MissingMeshes] = {}
    resolved: dict[str, Resolution] = {}
    for link in urdf.links:
        if wanted is not None and link.name not in wanted:
            continue
        for geometry in (
            shape.geometry for shapes in (link.visuals, link.collisions) for shape in shapes
        ):
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
