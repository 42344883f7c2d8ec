"""The files of an SDF: the file that is named, and those that it includes.

`<include>` is followed by model:// and package:// as meshes of URDFs are, and by names below the folder of the file.
Nothing is fetched from a network, no absolute name and no name with `..` is followed, and a file that includes itself
or makes too many copies is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from editor_app.core.model.findings import Location
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.text.source import FormatError, SourceText
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
        #: (file with the <include>, URI) -> the file that is meant, and how a URDF names its folder.
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
            raise include.error(f"The file includes more than {limits}, the limit")
        return root

    def _find(self, include: SdfElement, uri: str) -> tuple[Path, str]:
        """The file that a URI means, and how a URDF names its folder."""
        if not uri:
            raise include.error("The <include> has no <uri>", "Name the model that it includes.")
        scheme = _SCHEME.match(uri)
        rest = uri[scheme.end() :] if scheme else uri
        if (scheme and scheme.group(1).lower() not in _SCHEMES) or (not scheme and PurePosixPath(uri).is_absolute()):
            fix = "Copy the model into the folder of this file, and include it as model://NAME."
            raise include.error(f"{uri!r} is not included: only model://, package:// and relative names are", fix)
        if ".." in PurePosixPath(rest).parts:
            fix = "Include it as model://NAME: folders next to this one are searched."
            raise include.error(f"{uri!r} is not included: it leads out of the folder of this file", fix)
        named = uri.rstrip("/")
        for name in (named,) if named.lower().endswith((".sdf", ".world")) else ("model.config", "model.sdf"):
            asked = name if name == named else f"{named}/{name}"
            path = resolve_mesh_path(asked, include.file.path, self.packages)
            if path is not None:
                file = self._of_manifest(path, include) if name == "model.config" else path
                if not file.is_file():
                    raise include.error(f"The model {uri!r} was not found: its folder has no file {file.name!r}")
                self._refuse_outside(path, file, include, uri, bool(scheme))
                return file, self._folder_uri(include, asked, scheme is not None)
        remedy = "Copy it into the folder of this file."
        if scheme and (package := rest.strip("/").partition("/")[0]):
            remedy = f"Name its folder: --package {package}=FOLDER."
        raise include.error(f"The model {uri!r} was not found", remedy)

    def _refuse_outside(self, path: Path, file: Path, include: SdfElement, uri: str, is_package: bool) -> None:
        home = path.parent if is_package else include.file.path.parent
        if not file.resolve().is_relative_to(home.resolve()):
            raise include.error(f"{uri!r} is not included: it leads out of its folder")

    def _folder_uri(self, include: SdfElement, asked: str, is_package: bool) -> str:
        folder = asked.rpartition("/")[0]
        if is_package:
            return folder
        return "/".join(part for part in (include.file.uri, folder) if part)

    def _of_manifest(self, path: Path, include: SdfElement) -> Path:
        """The file that a model.config names: that of the newest version."""
        document = parse_xml(SourceText.read(path))
        listed = [(_version(each.get("version") or "1.0") or (1, 0), each.text) for each in document.root.all("sdf")]
        named = [(version, name) for version, name in listed if version <= NEWEST] or listed
        name = max(named)[1] if named else "model.sdf"
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if not parts or ".." in parts or PurePosixPath(name).is_absolute():
            raise include.error(f"{path} names the file {name[:60]!r}, which is not in its folder")
        return path.parent.joinpath(*parts)

    def _root(self, path: Path, uri: str, include: SdfElement | None) -> SdfElement:
        if path not in self._files:
            source = SourceText.read(path)
            self._bytes += len(source.data)
            if self._bytes > MOST_BYTES:
                place = include.place if include is not None else Location(str(path))
                raise FormatError(f"The files of this robot have more than {MOST_BYTES >> 20:,} MB, the limit", place)
            document = parse_xml(source)
            place = document.location(document.root)
            if document.root.tag != "sdf":
                sentence = f"The root element is <{document.root.tag}>; an SDF needs <sdf version=...>"
                raise FormatError(sentence, place, "Convert old files with: gz sdf --print FILE.")
            text = document.root.get("version") or ""
            version = _version(text)
            if version is None or version < OLDEST:
                oldest = ".".join(map(str, OLDEST))
                fix = f"Write a version from {oldest} on, or convert the file with: gz sdf --print FILE."
                raise FormatError(f"The version {text!r} of this SDF cannot be read", place, fix)
            self._files[path] = SdfFile(document, path, version, uri)
        file = self._files[path]
        return SdfElement(file.document.root, file)


def _version(text: str) -> Version | None:
    match = _VERSION.match(text.strip())
    return (int(match.group(1)), int(match.group(2))) if match else None
