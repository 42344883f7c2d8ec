"""Elements and attributes with their spans. Offsets count code points of `SourceText.text`.

Text -> elements with exact offsets, by expat; strict first, then on a repaired copy of equal
length.

Files that other readers take although they are not well-formed are read all the same, and what was
tolerated becomes a finding:

XML001 W the XML declaration is not valid (`<?xml version="0.0"?>`)
XML002 W the XML declaration is not at the beginning
XML003 W a namespace prefix is not declared
XML004 W content after the root element: ignored, and kept when saving
XML005 W a comment contains `--`

Entities are refused as soon as one is declared (neither bombs nor external ones can work then),
nothing is ever fetched, and depth and size are bounded.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from editor_app.core.model.findings import Finding, Location, Severity
from editor_app.core.text.source import FormatError, SourceText

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z", re.ASCII)


def numbers_in(text: str) -> tuple[float, ...] | None:
    """The numbers of a text, with blanks between them; None where a piece is none, or has no finite
    value."""
    pieces = text.split()
    values = tuple(map(float, pieces)) if all(map(_NUMBER.match, pieces)) else (math.nan,)
    return values if all(map(math.isfinite, values)) else None


@dataclass(frozen=True, slots=True)
class XmlAttribute:
    """`value` with references resolved.

    [start, end) spans `name="value"`, [value_start, value_end) what stands between the quotes.
    """

    name: str
    value: str
    start: int
    end: int
    value_start: int
    value_end: int

    @property
    def quote_offset(self) -> int:
        """The offset of the opening quote."""
        return self.value_start - 1


@dataclass(slots=True, eq=False)
class XmlElement:
    """An element: [start, end) is all of it, [start, start_end) the start tag, [end_start, end) the
    end tag.

    A self-closing element has no end tag: `end_start == end == start_end`. `tag` is as written,
    prefix included. Compared by identity, and not changed after parsing.
    """

    tag: str
    start: int
    start_end: int
    parent: XmlElement | None
    attributes: tuple[XmlAttribute, ...] = ()
    self_closing: bool = False
    end_start: int = -1
    end: int = -1
    children: list[XmlElement] = field(default_factory=list)
    #: Own character data in pieces, references resolved.
    chunks: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Own character data without that of the children, stripped."""
        return "".join(self.chunks).strip()

    def attribute(self, name: str) -> XmlAttribute | None:
        """The attribute of that name."""
        return next((a for a in self.attributes if a.name == name), None)

    def get(self, name: str) -> str | None:
        """The value of an attribute, references resolved; None when it is absent."""
        attribute = self.attribute(name)
        return None if attribute is None else attribute.value

    def child(self, tag: str) -> XmlElement | None:
        """The first child of that tag."""
        return next((c for c in self.children if c.tag == tag), None)

    def all(self, tag: str) -> list[XmlElement]:
        """All children of that tag, in document order."""
        return [c for c in self.children if c.tag == tag]

    def walk(self) -> Iterator[XmlElement]:
        """The element and all below it, in document order."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def __repr__(self) -> str:
        return f"<XmlElement {self.tag} at {self.start}>"


@dataclass(frozen=True, slots=True, eq=False)
class XmlDocument:
    """`tolerated`: what is not well-formed and was read all the same (codes XML001…, see
    `parse.py`)."""

    source: SourceText
    root: XmlElement
    tolerated: tuple[Finding, ...] = ()

    def location(self, place: XmlElement | XmlAttribute | int) -> Location:
        """File, line and column of an element, an attribute, or an offset."""
        return self.source.location(place if isinstance(place, int) else place.start)

    def text_of(self, element: XmlElement) -> str:
        """The element as it stands in the file."""
        return self.source.text[element.start : element.end]


#: Deeper than any robot description by a factor of ten, and shallow enough for recursive code.
MAX_DEPTH = 200
#: Of elements that stand in each other as the links of a robot hang on each other.
MAX_CHAIN = 20_000
MAX_CHARACTERS = 256 * 1024 * 1024
#: Of one file; who has more has heard enough.
MAX_FINDINGS = 100

_SPECIAL = re.compile(r"<!--|<!\[CDATA\[|<\?xml(?=[\s?])")
_CLOSING = {"<!--": "-->", "<![CDATA[": "]]>", "<?xml": "?>"}
_VERSION = re.compile(r"<\?xml\s+version\s*=\s*(['\"])1\.[0-9]+\1")
_NAME = re.compile(r"<([^\s/>]+)")
_ATTRIBUTE = re.compile(r"\s+([^\s=/>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_TAG_END = re.compile(r"\s*(/?)>")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")

_REMEDIES = {
    expat.errors.XML_ERROR_UNCLOSED_TOKEN: "A tag or comment is not finished. Check for a missing '>'.",
    expat.errors.XML_ERROR_UNDEFINED_ENTITY: "Write a plain '&' as '&amp;'.",
    expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE: "Delete one of the two.",
    expat.errors.XML_ERROR_INVALID_TOKEN: "Check for a plain '&' or '<' in a text, or a missing quote or '='.",
    expat.errors.XML_ERROR_SYNTAX: "A tag was expected here.",
}


def parse_xml(source: SourceText, chained: frozenset[str] = frozenset()) -> XmlDocument:
    """Raises FormatError, with line, column and a remedy, for what cannot be read even with
    tolerance.

    Elements with the tags `chained` may be nested MAX_CHAIN deep, and do not count for the depth of
    the others. Who allows that must not recurse along them.
    """
    text = source.text
    if len(text) > MAX_CHARACTERS:
        raise FormatError(
            "The file is larger than 256 MB, too large for a robot description", source.location(0)
        )
    if not text.strip():
        raise FormatError("The file is empty", source.location(0))
    try:
        root = _Parser(source, text, chained).parse()
        # Expat takes any version; other readers do not, and the repaired copy is not needed for it.
        declaration = text[: text.find("?>") + 2] if text.startswith("<?xml") else ""
        tolerated = (
            [_bad_declaration(source)] if declaration and not _VERSION.match(declaration) else []
        )
    except FormatError as strict:
        shadow, tolerated = _repaired(source)
        parser = _Parser(source, shadow, chained)
        try:
            root = parser.parse()
        except FormatError as second:
            root_end = parser.root_end
            if root_end is None or second.location != source.location(parser.error_offset):
                # What is wrong beyond the repairs is what the user should hear of.
                raise (second if tolerated else strict) from None
            tolerated.append(_trailing(source, root_end))
            shadow = shadow[:root_end] + _blank(shadow[root_end:])
            root = _Parser(source, shadow, chained).parse()
    tolerated.extend(_undeclared_prefixes(source, root))
    return XmlDocument(
        source,
        root,
        tuple(sorted(tolerated, key=lambda f: (f.location.line or 0) if f.location else 0)),
    )


class _Offsets:
    """Byte offsets in UTF-8 -> code point offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ascii = text.isascii()
        #: Starts of runs of ASCII or non-ASCII characters, in bytes and in characters.
        self.byte_starts = [0]
        self.char_starts = [0]
        if not self.ascii:
            position = 0
            for match in _NON_ASCII.finditer(text):
                for end in match.span():
                    chunk = text[self.char_starts[-1] : end]
                    position += (
                        len(chunk)
                        if chunk.isascii()
                        else len(chunk.encode("utf-8", "surrogatepass"))
                    )
                    self.byte_starts.append(position)
                    self.char_starts.append(end)

    def __call__(self, byte: int) -> int:
        if self.ascii:
            return byte
        run = bisect_right(self.byte_starts, byte) - 1
        rest = byte - self.byte_starts[run]
        start = self.char_starts[run]
        if not rest or (start < len(self.text) and self.text[start].isascii()):
            return start + rest
        while rest > 0 and start < len(self.text):
            rest -= len(self.text[start].encode("utf-8", "surrogatepass"))
            start += 1
        return start


class _Parser:
    """One pass of expat over `text`: the text of `source`, or a repaired copy of equal length."""

    def __init__(
        self, source: SourceText, text: str, chained: frozenset[str] = frozenset()
    ) -> None:
        self.source = source
        self.text = text
        self.chained = chained
        #: How many of the open elements are chained.
        self.chain = 0
        self.offsets = _Offsets(text)
        self.stack: list[XmlElement] = []
        self.root: XmlElement | None = None
        self.root_end: int | None = None
        self.error_offset = -1
        # The encoding is overridden: the text has been decoded already; its declaration may name
        # another one.
        self.expat = expat.ParserCreate("utf-8")
        self.expat.ordered_attributes = True
        self.expat.specified_attributes = True
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self._characters
        self.expat.EntityDeclHandler = self._entity
        self.expat.SkippedEntityHandler = self._skipped

    def parse(self) -> XmlElement:
        try:
            self.expat.Parse(self.text.encode("utf-8", "surrogatepass"), True)
        except expat.ExpatError as error:
            raise self._format_error(error) from None
        assert self.root is not None
        return self.root

    def _start(self, tag: str, attributes: list[str]) -> None:
        start = self.offsets(self.expat.CurrentByteIndex)
        if tag.rpartition(":")[2] in self.chained:
            self.chain += 1
        if self.chain > MAX_CHAIN or len(self.stack) - self.chain >= MAX_DEPTH:
            limit = MAX_CHAIN if self.chain > MAX_CHAIN else MAX_DEPTH
            raise FormatError(
                f"Elements are nested more than {limit:,} deep, too deep for a robot description",
                self.source.location(start),
            )
        name = _NAME.match(self.text, start)
        assert name is not None
        position = name.end()
        spans = []
        for i in range(0, len(attributes), 2):
            match = _ATTRIBUTE.match(self.text, position)
            assert match is not None
            group = 2 if match.group(2) is not None else 3
            spans.append(
                XmlAttribute(
                    attributes[i],
                    attributes[i + 1],
                    match.start(1),
                    match.end(),
                    *match.span(group),
                )
            )
            position = match.end()
        end = _TAG_END.match(self.text, position)
        assert end is not None
        parent = self.stack[-1] if self.stack else None
        element = XmlElement(tag, start, end.end(), parent, tuple(spans), bool(end.group(1)))
        if parent is not None:
            parent.children.append(element)
        elif self.root is None:
            self.root = element
        self.stack.append(element)

    def _end(self, tag: str) -> None:
        element = self.stack.pop()
        if tag.rpartition(":")[2] in self.chained:
            self.chain -= 1
        if element.self_closing:
            element.end_start = element.end = element.start_end
        else:
            element.end_start = self.offsets(self.expat.CurrentByteIndex)
            element.end = self.text.index(">", element.end_start) + 1
        if not self.stack and self.root_end is None:
            self.root_end = element.end

    def _characters(self, data: str) -> None:
        if self.stack:
            self.stack[-1].chunks.append(data)

    def _entity(self, name: str, *_: object) -> None:
        raise FormatError(
            f"The file declares the entity {name!r}, which is refused because entities can "
            "exhaust the memory",
            self.source.location(self.offsets(self.expat.CurrentByteIndex)),
            "Write the text of the entity where it is used.",
        )

    def _skipped(self, name: str, *_: object) -> None:
        raise FormatError(
            f"The entity {name!r} is not declared in the file; external entities are not read",
            self.source.location(self.offsets(self.expat.CurrentByteIndex)),
            "Write the text of the entity where it is used.",
        )

    def _format_error(self, error: expat.ExpatError) -> FormatError:
        self.error_offset = self.offsets(self.expat.ErrorByteIndex)
        location = self.source.location(self.error_offset)
        reason = expat.errors.messages.get(error.code, str(error))
        if self.stack:
            open_tag = self.stack[-1]
            tag = f"<{open_tag.tag}> of line {self.source.line_column(open_tag.start)[0]}"
            if reason == expat.errors.XML_ERROR_TAG_MISMATCH:
                return FormatError(
                    f"{tag} is not closed before another end tag", location, "Close it first."
                )
            if reason == expat.errors.XML_ERROR_NO_ELEMENTS:
                return FormatError(f"The file is cut off: {tag} is never closed", location)
        if reason == expat.errors.XML_ERROR_NO_ELEMENTS:
            return FormatError("The file is empty or cut off", location)
        return FormatError(f"Not well-formed XML: {reason}", location, _REMEDIES.get(reason))


def _repaired(source: SourceText) -> tuple[str, list[Finding]]:
    """A copy of equal length without what can be tolerated before and inside the root, and what
    that is."""
    text = source.text
    findings = []
    pieces: list[str] = []
    copied_to = position = 0
    # One pass, and never back: what opens and is not closed must not be searched for again and
    # again.
    while (match := _SPECIAL.search(text, position)) is not None:
        closing = _CLOSING[match.group()]
        inner_end = text.find(closing, match.end())
        if inner_end < 0:
            break
        start, position = match.start(), inner_end + len(closing)
        blank = None
        if match.group() == "<?xml":
            declaration = text[start:position]
            if start:
                message = (
                    "The XML declaration is not at the very beginning of the file; it was ignored"
                )
                findings.append(_finding(source, "XML002", message, start))
                blank = start, position
            elif not _is_valid_declaration(declaration):
                findings.append(_bad_declaration(source))
                blank = start, position
        elif closing == "-->":
            inside = text[match.end() : inner_end]
            if "--" in inside or inside.endswith("-"):
                findings.append(
                    _finding(source, "XML005", "A comment contains '--', which XML forbids", start)
                )
                blank = match.end(), inner_end
        if blank is not None:
            pieces += (text[copied_to : blank[0]], _blank(text[blank[0] : blank[1]]))
            copied_to = blank[1]
    return "".join((*pieces, text[copied_to:])), findings[:MAX_FINDINGS]


def _is_valid_declaration(text: str) -> bool:
    if not _VERSION.match(text):
        return False
    try:
        expat.ParserCreate("utf-8").Parse(f"{text}<a/>".encode(), True)
    except expat.ExpatError:
        return False
    return True


def _bad_declaration(source: SourceText) -> Finding:
    shown = source.text[: source.text.find("?>") + 2][:80]
    return _finding(
        source, "XML001", f"{shown!r} is not a valid XML declaration; it was ignored", 0
    )


def _trailing(source: SourceText, root_end: int) -> Finding:
    rest = source.text[root_end:]
    offset = root_end + len(rest) - len(rest.lstrip())
    shown = rest.strip().split("\n")[0].strip()[:40]
    return _finding(source, "XML004", f"Text after the root element is ignored: {shown!r}", offset)


def _undeclared_prefixes(source: SourceText, root: XmlElement) -> list[Finding]:
    findings: list[Finding] = []
    reported: set[str] = set()
    stack: list[tuple[XmlElement, frozenset[str]]] = [(root, frozenset({"xml", "xmlns"}))]
    while stack:
        element, declared = stack.pop()
        prefixes = [a.name[6:] for a in element.attributes if a.name.startswith("xmlns:")]
        if prefixes:
            declared = declared.union(prefixes)
        for name, place in (
            (element.tag, element.start),
            *((a.name, a.start) for a in element.attributes),
        ):
            prefix, colon, _ = name.partition(":")
            if colon and prefix not in declared and prefix not in reported:
                reported.add(prefix)
                findings.append(
                    _finding(
                        source,
                        "XML003",
                        f"The namespace prefix {prefix!r} of {name!r} is not declared",
                        place,
                    )
                )
        stack.extend((child, declared) for child in reversed(element.children))
    return findings


def _blank(text: str) -> str:
    """As many characters, line breaks kept."""
    return re.sub(r"[^\r\n]", " ", text)


def _finding(source: SourceText, code: str, message: str, offset: int) -> Finding:
    return Finding(code, Severity.WARNING, message, location=source.location(offset))
