"""A `.dae` file, or the root document of a `.zae` archive, with guards against hostile archives."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from pathlib import Path

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.xml import XmlDocument, parse_xml
from editor_app.model.findings import Location

MAX_BYTES = 256 * 1024 * 1024
MAX_ENTRIES = 10_000
#: Text of triangles shrinks to a tenth; a thousandth is a bomb.
MAX_RATIO = 300
_ROOT = re.compile(r"<dae_root[^>]*>\s*([^<]*?)\s*</dae_root>")


def open_document(path: Path) -> XmlDocument:
    """Raises FormatError for what is no COLLADA file, and for archives that are no sane ones."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"The file cannot be read ({error.strerror or error})", Location(str(path))) from None
    if data[:4] == b"PK\x03\x04":
        data = _from_archive(data, path)
    document = parse_xml(SourceText.from_bytes(data, path))
    if document.root.tag != "COLLADA":
        raise FormatError(
            f"The root element is <{document.root.tag}>; that of COLLADA is <COLLADA>", document.location(document.root)
        )
    return document


def _from_archive(data: bytes, path: Path) -> bytes:
    place = Location(str(path))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_ENTRIES:
                raise FormatError("The archive has more than 10,000 entries, which is no robot", place)
            for entry in entries:
                parts = entry.filename.replace("\\", "/").split("/")
                if ".." in parts or entry.filename.startswith(("/", "\\")) or ":" in parts[0]:
                    raise FormatError(f"The archive's entry {entry.filename!r} leads out of it", place)
            names = [e.filename for e in entries]
            manifest = next((n for n in names if n.lower() == "manifest.xml"), None)
            root = None
            if manifest is not None:
                found = _ROOT.search(_member(archive, manifest, place).decode("utf-8", "replace"))
                name = found.group(1).partition("#")[0].removeprefix("./") if found else ""
                root = posixpath.normpath(name) if name else None
                if root is not None and root not in names:
                    raise FormatError(f"The manifest names {root!r}, which the archive does not have", place)
            if root is None:
                documents = [n for n in names if n.lower().endswith(".dae")]
                if len(documents) != 1:
                    raise FormatError("The archive has no manifest.xml that names its root document", place)
                root = documents[0]
            return _member(archive, root, place)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as error:
        raise FormatError(f"The archive is damaged ({error})", place) from None


def _member(archive: zipfile.ZipFile, name: str, place: Location) -> bytes:
    info = archive.getinfo(name)
    if info.file_size > MAX_BYTES or info.file_size > MAX_RATIO * max(info.compress_size, 1) + 65536:
        raise FormatError(f"The archive's entry {name!r} unpacks to {info.file_size} bytes: refused", place)
    with archive.open(info) as member:
        # What the directory says of the size may be a lie.
        data = member.read(min(info.file_size, MAX_BYTES) + 1)
    if len(data) > info.file_size:
        raise FormatError(f"The archive's entry {name!r} is larger than it says", place)
    return data


def archive_of(name: str, data: bytes) -> bytes:
    """A `.zae` with one document. The same bytes give the same archive."""
    buffer = io.BytesIO()
    manifest = f'<?xml version="1.0" encoding="utf-8"?>\n<dae_root>{name}</dae_root>\n'
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in (("manifest.xml", manifest.encode()), (name, data)):
            info = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()
