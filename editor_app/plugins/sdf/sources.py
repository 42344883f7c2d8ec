"""The files of an SDF: the file that is named, and those that it includes.

`<include>` is followed by model:// and package:// as meshes of URDFs are, and by names below the
folder of the file. Nothing is fetched from a network. No absolute or remote name and no name with
`..` is followed, unless the user names a folder for it. A file that includes itself or makes too
many copies is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import other_kind
from editor_app.core.space.geometry.paths import (
    explain_mesh_path,
    mapped_file,
    package_option,
    resolve_mesh_path,
)
from editor_app.core.text.source import FormatError, MissingFileError, SourceText
from editor_app.core.text.xml.document import parse_xml
from editor_app.plugins.sdf.nodes import SdfElement, SdfFile, Version

#: Includes, and elements of all included models together, each as often as it is included.
MOST_INCLUDES, MOST_ELEMENTS = 2_000, 200_000
#: Models in models, and files in files.
MOST_LEVELS = 60
#: Bytes of all files together.
MOST_BYTES = 1 << 28
OLDEST, NEWEST = (1, 2), (1, 12)
_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})(?:\.\d+)?\Z")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SCHEMES = ("model", "package")


class SdfSources:
    """`path`: the file that is converted. `packages`: name of a package or model -> its folder."""

    def __init__(self, path: Path, packages: Mapping[str, Path]) -> None:
        self.path, self.packages = path, packages
        self._files: dict[Path, SdfFile] = {}
        self._sizes: dict[Path, int] = {}
        #: (file with the <include>, URI) -> the file that is meant, and how a URDF names its
        #: folder.
        self._places: dict[tuple[Path, str], tuple[Path, str]] = {}
        self._bytes = self._elements = self._includes = 0

    def main(self) -> SdfElement:
        """The root of the file that is converted. Raises FormatError."""
        return self._root(self.path, "", None)

    def included(self, include: SdfElement) -> SdfElement:
        """The root of the file that an <include> names. Raises FormatError."""
        uri = include.word("uri").strip().replace("\\", "/")
        key = (include.file.path, uri)
        if key not in self._places:
            self._places[key] = self._find(include, uri)
        path, folder = self._places[key]
        root = self._root(path, folder, include)
        self._elements += self._sizes.setdefault(path, sum(1 for _ in root.element.walk()))
        self._includes += 1
        if self._includes > MOST_INCLUDES or self._elements > MOST_ELEMENTS:
            limits = f"{MOST_INCLUDES:,} models with {MOST_ELEMENTS:,} elements"
            raise include.error(
                f"The file includes more than {limits}, the limit", "Include the robot alone."
            )
        return root

    def _find(self, include: SdfElement, uri: str) -> tuple[Path, str]:
        """The file that a URI means, and how a URDF names its folder."""
        if not uri:
            raise include.error("The <include> has no <uri>", "Name the model that it includes.")
        scheme = _SCHEME.match(uri)
        named = uri.rstrip("/")
        is_file = named.lower().endswith((".sdf", ".world"))
        names = (named,) if is_file else (f"{named}/model.config", f"{named}/model.sdf")
        located = next((file for name in names if (file := mapped_file(name, self.packages))), None)
        if located is None:
            _refuse_unfollowed(include, uri, scheme.group(1).lower() if scheme else "", names)
        for name in names:
            path = resolve_mesh_path(name, include.file.path, self.packages)
            if path is not None:
                model = self._of_manifest(path, include) if path.name == "model.config" else path
                if not model.is_file():
                    raise include.error(
                        f"The model {uri!r} was not found: its folder has no file {model.name!r}",
                        f"Correct {path}, or copy the file there.",
                    )
                home = path.parent if scheme else include.file.path.parent
                self._refuse_outside(located[1] if located else home, model, include, uri)
                return model, self._folder_uri(
                    include, name, scheme is not None or located is not None
                )
        for name in names:
            for attempt in explain_mesh_path(name, include.file.path, self.packages).tried:
                if kind := other_kind(attempt.path):
                    raise include.error(
                        f"{attempt.path} cannot be included: it is {kind}, not a file",
                        "Replace it.",
                    )
        fix = (
            f"Copy it into the folder of this file, or name its folder: {package_option(names[-1])}"
        )
        raise MissingFileError(f"The model {uri!r} was not found", include.place, fix, names)

    def _refuse_outside(self, home: Path, file: Path, include: SdfElement, uri: str) -> None:
        if not file.resolve().is_relative_to(home.resolve()):
            fix = "Copy the model there, or name the folder of the model itself."
            raise include.error(f"{uri!r} is not included: it leads out of its folder {home}", fix)

    def _folder_uri(self, include: SdfElement, asked: str, is_package: bool) -> str:
        folder = asked.rpartition("/")[0]
        if is_package:
            return folder
        return "/".join(part for part in (include.file.uri, folder) if part)

    def _of_manifest(self, path: Path, include: SdfElement) -> Path:
        """The file that a model.config names: that of the newest version."""
        document = parse_xml(SourceText.read(path))
        listed = [
            (_version(each.get("version") or "1.0") or (1, 0), each.text)
            for each in document.root.all("sdf")
        ]
        named = [(version, name) for version, name in listed if version <= NEWEST] or listed
        name = max(named)[1] if named else "model.sdf"
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if not parts or ".." in parts or PurePosixPath(name).is_absolute():
            sentence = f"{path} names the file {name[:60]!r}, which is not in its folder"
            raise include.error(sentence, "Name a file in the folder of the model.config.")
        return path.parent.joinpath(*parts)

    def _root(self, path: Path, uri: str, include: SdfElement | None) -> SdfElement:
        if path not in self._files:
            source = _read_included(path, include) if include is not None else SourceText.read(path)
            self._bytes += len(source.data)
            if self._bytes > MOST_BYTES:
                place = include.place if include is not None else Location(str(path))
                sentence = (
                    f"The files of this robot have more than {MOST_BYTES >> 20:,} MB, the limit"
                )
                raise FormatError(sentence, place, "Include the robot alone.")
            document = parse_xml(source)
            place = document.location(document.root)
            if document.root.tag != "sdf":
                sentence = (
                    f"The root element is <{document.root.tag}>; an SDF needs <sdf version=...>"
                )
                raise FormatError(sentence, place, "Convert old files with: gz sdf --print FILE.")
            text = document.root.get("version") or ""
            version = _version(text)
            if version is None or version < OLDEST:
                oldest = ".".join(map(str, OLDEST))
                fix = (
                    f"Write a version from {oldest} on, or convert the file with: gz sdf --print "
                    "FILE."
                )
                raise FormatError(f"The version {text!r} of this SDF cannot be read", place, fix)
            self._files[path] = SdfFile(document, path, version, uri)
        file = self._files[path]
        return SdfElement(file.document.root, file)


def _read_included(path: Path, include: SdfElement) -> SourceText:
    """Raises FormatError at the <include>: a pipe or a folder has no line."""
    try:
        return SourceText.read(path)
    except FormatError as error:
        if error.location.line is not None:
            raise
        raise include.error(f"{path} cannot be included: {error.message}", error.fix) from None


def _refuse_unfollowed(include: SdfElement, uri: str, scheme: str, names: tuple[str, ...]) -> None:
    """Raises MissingFileError for a URI that is followed only where the user names a folder for
    it."""
    is_outside = ".." in PurePosixPath(uri).parts
    if not is_outside and (scheme in _SCHEMES or not (scheme or PurePosixPath(uri).is_absolute())):
        return
    reason = "only model://, package:// and relative names are"
    if is_outside:
        reason = "it leads out of the folder of this file"
    elif scheme in ("http", "https"):
        reason = "it is on a server, and nothing is downloaded"
    fix = "Copy the model into the folder of this file, and include it as model://NAME"
    if scheme not in _SCHEMES:
        fix += f"; or name its folder: {package_option(names[-1])}"
    sentence = f"{uri!r} is not included: {reason}"
    raise MissingFileError(sentence, include.place, fix, () if scheme in _SCHEMES else names)


def _version(text: str) -> Version | None:
    match = _VERSION.match(text.strip())
    return (int(match.group(1)), int(match.group(2))) if match else None
