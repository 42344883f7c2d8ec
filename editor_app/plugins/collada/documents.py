"""A COLLADA file and the files that it refers to, each read once; references are followed from any
element."""

from __future__ import annotations

import io
import math
import posixpath
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import read_regular
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlDocument, XmlElement, parse_xml
from editor_app.core.text.xml.morph import build_piece, format_document
from editor_app.plugins.collada.transforms import Matrix, axis_transform, inner, own_unit

MAX_BYTES = 256 * 1024 * 1024
MAX_ENTRIES = 10_000
#: Text of triangles shrinks to a tenth; a thousandth is a bomb.
MAX_RATIO = 300
_ROOT = re.compile(r"<dae_root[^>]*>\s*([^<]*?)\s*</dae_root>")


class Archive:
    """The entries of a `.zae`; `root` is the name of its root document. Raises FormatError for no
    sane archive."""

    def __init__(self, data: bytes, path: Path) -> None:
        self._place = Location(str(path))
        self._unpacked = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            entries = self._zip.infolist()
        except (
            zipfile.BadZipFile,
            zlib.error,
            RuntimeError,
            NotImplementedError,
            EOFError,
            ValueError,
        ) as error:
            raise self._damaged(error) from None
        if len(entries) > MAX_ENTRIES:
            raise FormatError(
                "The archive has more than 10,000 entries: too large for a robot", self._place
            )
        for entry in entries:
            parts = entry.filename.replace("\\", "/").split("/")
            if ".." in parts or entry.filename.startswith(("/", "\\")) or ":" in parts[0]:
                raise FormatError(
                    f"The archive's entry {entry.filename!r} points outside the archive",
                    self._place,
                )
        self.names = frozenset(e.filename for e in entries)
        self.root = self._root()

    def read(self, name: str) -> bytes:
        """Raises FormatError for a bomb or a damaged entry, KeyError for one that is not there."""
        try:
            info = self._zip.getinfo(name)
            self._unpacked += info.file_size
            if (
                self._unpacked > MAX_BYTES
                or info.file_size > MAX_RATIO * max(info.compress_size, 1) + 65536
            ):
                raise FormatError(
                    f"The archive's entry {name!r} unpacks to {info.file_size} bytes: refused",
                    self._place,
                )
            with self._zip.open(info) as member:
                # What the directory says of the size may be a lie.
                data = member.read(min(info.file_size, MAX_BYTES) + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            RuntimeError,
            NotImplementedError,
            EOFError,
        ) as error:
            raise self._damaged(error) from None
        if len(data) > info.file_size:
            raise FormatError(f"The archive's entry {name!r} is larger than declared", self._place)
        return data

    def _root(self) -> str:
        manifest = next((n for n in self.names if n.lower() == "manifest.xml"), None)
        if manifest is not None:
            match = _ROOT.search(self.read(manifest).decode("utf-8", "replace"))
            name = match.group(1).partition("#")[0].removeprefix("./") if match else ""
            if name:
                root = posixpath.normpath(name)
                if root not in self.names:
                    raise FormatError(
                        f"The manifest names {root!r}, which the archive does not have", self._place
                    )
                return root
        documents = [n for n in self.names if n.lower().endswith(".dae")]
        if len(documents) != 1:
            raise FormatError(
                "The archive has no manifest.xml that names its root document", self._place
            )
        return documents[0]

    def _damaged(self, error: Exception) -> FormatError:
        return FormatError(f"The archive is damaged ({error})", self._place)


def archive_of(name: str, data: bytes, others: Mapping[str, bytes] | None = None) -> bytes:
    """A `.zae` whose root document is `name`, with other files beside it. The same bytes give the
    same archive."""
    buffer = io.BytesIO()
    manifest = format_document(build_piece("dae_root", text=f"./{name}"), encoding="utf-8")
    entries = {"manifest.xml": manifest.encode(), name: data, **(others or {})}
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries.items():
            info = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


MAX_DOCUMENTS = 64
#: Elements that stand in each other as links hang on each other.
_CHAINED = frozenset({"link", "attachment_full", "node"})
_DOCUMENTS = (".dae", ".zae", ".xml", ".kinbody", ".robot")
_IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".tif", ".tiff", ".gif")
_IMAGE_BYTES = 64 * 1024 * 1024


@dataclass(eq=False)
class ColladaDocument:
    """One file: on the disk, or the `member` of an archive."""

    xml: XmlDocument
    path: Path
    archive: Archive | None = None
    member: str = ""
    ids: dict[str, XmlElement] = field(default_factory=dict)
    by_tag: dict[str, list[XmlElement]] = field(default_factory=dict)

    @property
    def root(self) -> XmlElement:
        return self.xml.root

    def all_of(self, tag: str) -> list[XmlElement]:
        """The elements of a tag, wherever they stand."""
        return self.by_tag.get(tag, [])

    @property
    def tool(self) -> str:
        """The program that wrote the document."""
        asset = self.root.child("asset")
        return next(
            (
                e.text
                for e in (asset.walk() if asset is not None else ())
                if e.tag == "authoring_tool"
            ),
            "",
        )

    def up(self) -> Matrix:
        """Return the rotation that turns the content to z upwards."""
        axis = inner(self.root, "asset", "up_axis")
        turns = {
            "Y_UP": axis_transform((1, 0, 0), math.pi / 2),
            "X_UP": axis_transform((0, 1, 0), -math.pi / 2),
        }
        return turns.get(axis.text if axis is not None else "", axis_transform((1, 0, 0), 0.0))


class ColladaDocuments:
    """`main` is the file that was asked for, `all` are the documents read so far, the main one
    first. `problems` say of references why they lead nowhere, once each."""

    def __init__(self, path: Path) -> None:
        self.problems: dict[str, str] = {}
        self.all: list[ColladaDocument] = []
        self._by_key: dict[tuple[str, str], ColladaDocument | None] = {}
        #: By the id of an element: chains may be long, and each of their elements is asked for.
        self._homes: dict[int, ColladaDocument] = {}
        self._units: dict[int, float] = {}
        self.main = self._open(path)

    def all_of(self, tag: str) -> list[XmlElement]:
        """The elements of a tag in the documents read so far."""
        return [element for document in self.all for element in document.all_of(tag)]

    def of(self, element: XmlElement) -> ColladaDocument:
        """The document that an element stands in."""
        return self._homes[id(element)]

    def location(self, element: XmlElement) -> Location:
        return self.of(element).xml.location(element)

    def text_of(self, element: XmlElement) -> str:
        """The element as it stands in its file."""
        return self.of(element).xml.text_of(element)

    def unit(self, element: XmlElement) -> float:
        """Metres per unit of length there: of the nearest asset with a unit."""
        return self._units[id(element)]

    def find(self, url: str | None, at: XmlElement) -> XmlElement | None:
        """The element that a URI names, from a place in a document; None, and a problem, when there
        is none."""
        if not url:
            return None
        name, _, fragment = url.partition("#")
        home = self.of(at)
        document = self._document(name, home, at) if name else home
        if document is None:
            return None
        element = document.ids.get(unquote(fragment)) if fragment else document.root
        if element is None:
            self._problem(url, at, f"{Path(name).name or 'the file'} has no element with this id")
        return element

    def image(self, url: str, at: XmlElement) -> tuple[str, bytes] | None:
        """(file name, content) of a picture; None, and a problem, when it is not there or no
        picture by its name."""
        name = unquote(url)
        if Path(name).suffix.lower() not in _IMAGES:
            self._problem(url, at, "the name is not that of a picture")
            return None
        data = self._bytes(*_place(url, self.of(at)), self.of(at), url, at, _IMAGE_BYTES)
        return None if data is None else (posixpath.basename(name.replace("\\", "/")), data)

    # -- inside

    def _open(self, path: Path) -> ColladaDocument:
        try:
            data = read_regular(path, MAX_BYTES)
        except (OSError, ValueError) as error:
            raise FormatError(
                f"The file cannot be read ({getattr(error, 'strerror', None) or error})",
                Location(str(path)),
            ) from None
        archive, member = None, ""
        if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            archive = Archive(data, path)
            member = archive.root
            data = archive.read(member)
        return self._parsed(data, path, archive, member)

    def _parsed(
        self, data: bytes, path: Path, archive: Archive | None, member: str
    ) -> ColladaDocument:
        xml = parse_xml(
            SourceText.from_bytes(data, path / member if archive is not None else path), _CHAINED
        )
        for element in xml.root.walk():
            # Some libraries write a prefix before every tag.
            element.tag = element.tag.rpartition(":")[2]
        if xml.root.tag != "COLLADA":
            raise FormatError(
                f"The root element is <{xml.root.tag}>; a COLLADA file needs <COLLADA>",
                xml.location(xml.root),
            )
        document = ColladaDocument(xml, path, archive, member)
        for element in xml.root.walk():
            name = element.get("id")
            if name:
                document.ids.setdefault(name, element)
            document.by_tag.setdefault(element.tag, []).append(element)
            self._homes[id(element)] = document
            unit = own_unit(element)
            above = self._units[id(element.parent)] if element.parent is not None else 1.0
            self._units[id(element)] = above if unit is None else unit
        self.all.append(document)
        self._by_key[str(path.absolute()), member] = document
        return document

    def _document(self, url: str, home: ColladaDocument, at: XmlElement) -> ColladaDocument | None:
        if "://" in url and not url.startswith("file:"):
            self._problem(url, at, "only files are followed, nothing is fetched")
            return None
        if Path(unquote(url)).suffix.lower() not in _DOCUMENTS:
            self._problem(url, at, "the name is not that of a COLLADA file")
            return None
        path, member = _place(url, home)
        key = str(path.absolute()), member
        if key not in self._by_key:
            # An archive is known by its root document as well as by itself.
            self._by_key[key] = self._opened(path, member, home, url, at)
        return self._by_key[key]

    def _opened(
        self, path: Path, member: str, home: ColladaDocument, url: str, at: XmlElement
    ) -> ColladaDocument | None:
        if len(self.all) >= MAX_DOCUMENTS:
            self._problem(
                url,
                at,
                f"more than {MAX_DOCUMENTS} files refer to each other: too many for a robot",
            )
            return None
        try:
            if home.archive is None:
                return self._open(path)
            data = self._bytes(path, member, home, url, at)
            return None if data is None else self._parsed(data, path, home.archive, member)
        except FormatError as error:
            self._problem(url, at, f"{error.message} ({error.location})")
            return None

    def _bytes(
        self,
        path: Path,
        member: str,
        home: ColladaDocument,
        url: str,
        at: XmlElement,
        limit: int = MAX_BYTES,
    ) -> bytes | None:
        if home.archive is not None:
            if member not in home.archive.names:
                self._problem(url, at, "the archive has no such file")
                return None
            return home.archive.read(member)
        try:
            return read_regular(path, limit)
        except (OSError, ValueError) as error:
            self._problem(
                url, at, f"the file cannot be read ({getattr(error, 'strerror', None) or error})"
            )
            return None

    def _problem(self, url: str, at: XmlElement, reason: str) -> None:
        self.problems.setdefault(url, f"{self.location(at)}: {reason}")


def _place(url: str, home: ColladaDocument) -> tuple[Path, str]:
    """Where a file is that a document names: its path, or the path of the document's archive and
    the member there."""
    name = unquote(urlsplit(url).path if url.startswith("file:") else url)
    if home.archive is None:
        return home.path.parent / name, ""
    folder = posixpath.dirname(home.member)
    return home.path, posixpath.normpath(posixpath.join(folder, name.replace("\\", "/")))


def technique(element: XmlElement, kind: str, profile: str | None = None) -> XmlElement | None:
    """The <technique> of the first <extra> of a type."""
    for extra in element.all("extra"):
        if extra.get("type") == kind:
            for candidate in extra.all("technique"):
                if profile is None or candidate.get("profile") == profile:
                    return candidate
    return None
