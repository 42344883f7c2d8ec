"""The text of a file exactly as it was read: bytes, encoding, byte order mark, line breaks,
digest."""

from __future__ import annotations

import codecs
import hashlib
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from editor_app.core.model.findings import Location
from editor_app.core.model.inputs import MAX_BYTES as MAX_BYTES
from editor_app.core.model.old_arguments import keep_old_argument
from editor_app.core.model.refusal import Refusal
from editor_app.core.model.regular_file import FileTooLargeError, NotRegularError, read_regular

_BREAK = re.compile(r"\r\n|\n|\r")
_XML_ENCODING = re.compile(
    rb"^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']"
)
#: Longest first: the mark of UTF-32 LE begins with that of UTF-16 LE.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class FormatError(Refusal):
    """A file cannot be read, or a text cannot be written. The message says where, and what to
    do."""

    def __init__(self, message: str, location: Location, fix: str | None = None) -> None:
        super().__init__(message, location, fix)
        self.message = message
        self.location = location
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.location}: {self.sentences}"

    @property
    def sentences(self) -> str:
        """The fault and its fix, without the place."""
        sentence = self.message if self.message.endswith((".", "!", "?")) else f"{self.message}."
        return sentence + (f" {self.fix}" if self.fix else "")


keep_old_argument(FormatError, "remedy", "fix")


class MissingFileError(FormatError):
    """A file that another one names was not found. `names`: how it is named, any of which the user
    can locate."""

    def __init__(
        self, message: str, location: Location, fix: str | None = None, names: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, location, fix)
        self.names = names


@dataclass(frozen=True)
class SourceText:
    """`data`: the bytes of the file. `text`: the decoded bytes without the byte order mark; line
    breaks stay."""

    path: Path | None
    data: bytes
    text: str
    bom: bool = False
    encoding: str = "utf-8"
    digest: str = ""
    _line_starts: list[int] = field(default_factory=list, init=False, repr=False, compare=False)

    @staticmethod
    def read(path: Path | str) -> SourceText:
        """Raises FormatError when the file cannot be opened or decoded."""
        path = Path(path)
        try:
            data = read_regular(path, MAX_BYTES)
        except (NotRegularError, FileTooLargeError) as error:
            is_large = isinstance(error, FileTooLargeError)
            remedy = (
                "Check that it is a robot description." if is_large else "Choose a regular file."
            )
            raise FormatError(
                f"The file cannot be read: {error.strerror}", Location(str(path)), remedy
            ) from None
        except FileNotFoundError:
            raise FormatError(
                "The file does not exist", Location(str(path)), "Check the path."
            ) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise FormatError(f"The file cannot be read ({reason})", Location(str(path))) from None
        except ValueError:
            # A zero byte, or a lone surrogate.
            raise FormatError(
                "No file with this name can exist", Location(repr(str(path))), "Check the path."
            ) from None
        return SourceText.from_bytes(data, path)

    @staticmethod
    def from_bytes(data: bytes, path: Path | None = None) -> SourceText:
        """Decodes by byte order mark, else by the XML declaration, else as UTF-8. Raises
        FormatError."""
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                return _decoded(data, data[len(mark) :], encoding, True, path)
        declared = _XML_ENCODING.match(data[:400])
        if declared is not None:
            name = declared.group(1).decode("ascii").lower()
            try:
                encoding = codecs.lookup(name).name
                if encoding.startswith(("utf-16", "utf-32")):
                    # A declaration that was read as ASCII is not UTF-16 or UTF-32.
                    encoding = "utf-8"
                return _decoded(data, data, encoding, False, path)
            except LookupError:
                pass
        return _decoded(data, data, "utf-8", False, path)

    @staticmethod
    def from_text(text: str, path: Path | None = None) -> SourceText:
        """A text that comes from no file, as UTF-8 without a byte order mark.

        Raises FormatError for a text that cannot be encoded (lone surrogates).
        """
        return SourceText(path, b"", "")._encoded(text)

    def with_text(self, text: str) -> SourceText:
        """Another text in the same file, with the same byte order mark and encoding.

        Raises FormatError for a character that the encoding does not have.
        """
        return self if text == self.text else self._encoded(text)

    @property
    def name(self) -> str:
        """The name in messages: the path as given, or a placeholder."""
        return "<text>" if self.path is None else str(self.path)

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of an offset (code points) in `text`. Offsets beyond the
        ends are clamped."""
        starts = self._starts()
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def offset(self, line: int, column: int = 1) -> int:
        """The offset of a line and column, clamped to the text: the inverse of `line_column`."""
        starts = self._starts()
        line = min(max(line, 1), len(starts))
        end = starts[line] if line < len(starts) else len(self.text)
        return min(starts[line - 1] + max(column, 1) - 1, end)

    def location(self, offset: int) -> Location:
        return Location(self.name, *self.line_column(offset))

    def _starts(self) -> list[int]:
        starts = self._line_starts
        if not starts:
            # Assigned once, as a whole: a second thread sees either nothing or all of it.
            starts[:] = [0, *(match.end() for match in _BREAK.finditer(self.text))]
        return starts

    def _encoded(self, text: str) -> SourceText:
        try:
            body = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            place = SourceText(self.path, b"", text).location(error.start)
            raise FormatError(
                f"The character {text[error.start]!a} cannot be written in {self.encoding}",
                place,
                "Remove it, or save the file as UTF-8.",
            ) from None
        mark = next((m for m, e in _MARKS if e == self.encoding), b"") if self.bom else b""
        data = mark + body
        return SourceText(
            self.path, data, text, self.bom, self.encoding, hashlib.sha256(data).hexdigest()
        )


def _decoded(data: bytes, body: bytes, encoding: str, bom: bool, path: Path | None) -> SourceText:
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, errors="replace")
        place = SourceText(path, b"", before).location(len(before))
        if b"\0" in body:
            # As in pictures, archives and meshes; or a text in UTF-16 without its mark.
            remedy = "Choose the file of the robot; save a text file as UTF-8 and open it again."
            raise FormatError("The file is binary, not text", place, remedy) from None
        raise FormatError(
            f"The byte 0x{body[error.start]:02x} is not valid {encoding.upper()}",
            place,
            "Save the file as UTF-8 and open it again.",
        ) from None
    return SourceText(path, data, text, bom, encoding, hashlib.sha256(data).hexdigest())
