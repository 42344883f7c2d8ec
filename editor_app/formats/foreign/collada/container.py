"""`.dae` files and `.zae` archives, with guards against hostile archives."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from editor_app.formats.source import FormatError
from editor_app.formats.xml import NewElement
from editor_app.formats.xml.new_document import document_text
from editor_app.model.findings import Location

MAX_BYTES = 256 * 1024 * 1024
MAX_ENTRIES = 10_000
#: Text of triangles shrinks to a tenth; a thousandth is a bomb.
MAX_RATIO = 300
_ROOT = re.compile(r"<dae_root[^>]*>\s*([^<]*?)\s*</dae_root>")


class Archive:
    """The entries of a `.zae`; `root` is the name of its root document. Raises FormatError for no sane archive."""

    def __init__(self, data: bytes, path: Path) -> None:
        self._place = Location(str(path))
        self._unpacked = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            entries = self._zip.infolist()
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
            raise self._damaged(error) from None
        if len(entries) > MAX_ENTRIES:
            raise FormatError("The archive has more than 10,000 entries, which is no robot", self._place)
        for entry in entries:
            parts = entry.filename.replace("\\", "/").split("/")
            if ".." in parts or entry.filename.startswith(("/", "\\")) or ":" in parts[0]:
                raise FormatError(f"The archive's entry {entry.filename!r} leads out of it", self._place)
        self.names = frozenset(e.filename for e in entries)
        self.root = self._root()

    def read(self, name: str) -> bytes:
        """Raises FormatError for a bomb or a damaged entry, KeyError for one that is not there."""
        try:
            info = self._zip.getinfo(name)
            self._unpacked += info.file_size
            if self._unpacked > MAX_BYTES or info.file_size > MAX_RATIO * max(info.compress_size, 1) + 65536:
                raise FormatError(
                    f"The archive's entry {name!r} unpacks to {info.file_size} bytes: refused", self._place
                )
            with self._zip.open(info) as member:
                # What the directory says of the size may be a lie.
                data = member.read(min(info.file_size, MAX_BYTES) + 1)
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as error:
            raise self._damaged(error) from None
        if len(data) > info.file_size:
            raise FormatError(f"The archive's entry {name!r} is larger than it says", self._place)
        return data

    def _root(self) -> str:
        manifest = next((n for n in self.names if n.lower() == "manifest.xml"), None)
        if manifest is not None:
            match = _ROOT.search(self.read(manifest).decode("utf-8", "replace"))
            name = match.group(1).partition("#")[0].removeprefix("./") if match else ""
            if name:
                root = posixpath.normpath(name)
                if root not in self.names:
                    raise FormatError(f"The manifest names {root!r}, which the archive does not have", self._place)
                return root
        documents = [n for n in self.names if n.lower().endswith(".dae")]
        if len(documents) != 1:
            raise FormatError("The archive has no manifest.xml that names its root document", self._place)
        return documents[0]

    def _damaged(self, error: Exception) -> FormatError:
        return FormatError(f"The archive is damaged ({error})", self._place)


def is_archive(data: bytes) -> bool:
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def archive_of(name: str, data: bytes, others: Mapping[str, bytes] | None = None) -> bytes:
    """A `.zae` whose root document is `name`, with other files beside it. The same bytes give the same archive."""
    buffer = io.BytesIO()
    manifest = document_text(NewElement("dae_root", text=f"./{name}"), encoding="utf-8")
    entries = {"manifest.xml": manifest.encode(), name: data, **(others or {})}
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries.items():
            info = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()
