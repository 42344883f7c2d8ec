"""Edits of an XML text as replacements of spans: every other character stays.

Each function gives splices for the text that the element was parsed from; several of them can be
applied together with `apply_splices` as long as they do not overlap. What is inserted takes
indentation, quotes and line breaks from its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from editor_app.core.text.splices import Splice, apply_splices
from editor_app.core.text.xml.document import XmlDocument, XmlElement

_TRAILING_COMMENT = re.compile(r"[ \t]*<!--(?:(?!-->)[^\r\n])*-->(?=[ \t]*(?:\r|\n|\Z))")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
#: A name as XML allows it, ASCII letters and beyond, without the rarer ranges.
_NAME = re.compile(r"[^\W\d][\w.:-]*\Z")
#: Of indentation.
_MOST_BLANKS = 160


@dataclass(frozen=True, slots=True)
class NewElement:
    """An element to insert; rendered over several lines when it has children."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple[NewElement, ...] = ()
    text: str = ""
    #: Verbatim content instead of `text` and `children`, for what is moved from elsewhere.
    raw: str | None = field(default=None)
    #: The whole element as text instead of everything else; only the indentation of its lines is
    #: adapted.
    verbatim: str | None = field(default=None)
    #: The white space before the first line of `verbatim`; None: that before its last line.
    indent: str | None = None


def set_attribute(
    document: XmlDocument, element: XmlElement, name: str, value: str
) -> list[Splice]:
    """Changes the value between its quotes, or adds the attribute as the last one; nothing when it
    has that value.

    Raises ValueError for a name or value that XML cannot hold.
    """
    _check(name, value)
    text = document.source.text
    attribute = element.attribute(name)
    if attribute is not None:
        if attribute.value == value:
            return []
        return [
            Splice(
                attribute.value_start,
                attribute.value_end,
                escape(value, text[attribute.quote_offset]),
            )
        ]
    if element.attributes:
        last = element.attributes[-1]
        before = (
            element.attributes[-2].end
            if len(element.attributes) > 1
            else element.start + 1 + len(element.tag)
        )
        gap = text[before : last.start]
        # Attributes that stand on lines of their own get one more; otherwise one space does.
        space = gap if _LINE_BREAK.search(gap) and len(element.attributes) > 1 else " "
        quote = text[last.quote_offset]
        return [Splice(last.end, last.end, f"{space}{name}={quote}{escape(value, quote)}{quote}")]
    position = element.start + 1 + len(element.tag)
    return [Splice(position, position, f' {name}="{escape(value)}"')]


def remove_attribute(document: XmlDocument, element: XmlElement, name: str) -> list[Splice]:
    """Removes the attribute with the space before it; nothing when it is absent."""
    attribute = element.attribute(name)
    if attribute is None:
        return []
    start = attribute.start
    while document.source.text[start - 1].isspace():
        start -= 1
    return [Splice(start, attribute.end, "")]


def set_text(document: XmlDocument, element: XmlElement, text: str) -> list[Splice]:
    """Replaces the content of an element that has no child elements; the space around the text
    stays.

    Raises ValueError when it has children, or for a text that XML cannot hold.
    """
    _check("text", text)
    if element.children:
        raise ValueError(f"<{element.tag}> has child elements")
    if element.text == text:
        return []
    if element.self_closing:
        return [_open(document, element, escape(text, ""))]
    content = document.source.text[element.start_end : element.end_start]
    lead = len(content) - len(content.lstrip())
    trail = len(content.rstrip())
    if lead > trail:
        lead, trail = 0, len(content)
    return [Splice(element.start_end + lead, element.start_end + trail, escape(text, ""))]


def insert_elements(
    document: XmlDocument,
    parent: XmlElement,
    new: Sequence[NewElement],
    *,
    after: XmlElement | None = None,
    before: XmlElement | None = None,
) -> Splice:
    """Inserts `new` into `parent` behind or before one of its children; with neither, as all of its
    children.

    A comment behind `after` on its line stays behind it, and comment lines above `before` stay
    above it. Raises ValueError for a name or text that XML cannot hold.
    """
    text = document.source.text
    unit, newline = _style(document, parent)
    neighbour = after or before
    if neighbour is None:
        outer = _indent_of(text, parent)
        lead = newline + outer + unit
        rendered = "".join(lead + render(n, outer + unit, unit, newline) for n in new)
        if parent.self_closing:
            return _open(document, parent, rendered + newline + outer)
        end = (
            "" if _LINE_BREAK.search(text[parent.start_end : parent.end_start]) else newline + outer
        )
        return Splice(parent.start_end, parent.start_end, rendered + end)
    space, indent = _space_before(text, neighbour), _indent_of(text, neighbour)
    pieces = [render(n, indent, unit, newline) for n in new]
    above, behind = span_with_comments(document, neighbour)
    if after is None:
        return Splice(above, above, "".join(piece + space for piece in pieces))
    return Splice(behind, behind, "".join(space + piece for piece in pieces))


def replace_element(
    document: XmlDocument, element: XmlElement, new: Sequence[NewElement]
) -> Splice:
    """New elements in the place of an old one, each indented as that was."""
    text = document.source.text
    unit, newline = _style(document, element.parent or element)
    space, indent = _space_before(text, element), _indent_of(text, element)
    return Splice(
        element.start, element.end, space.join(render(n, indent, unit, newline) for n in new)
    )


def with_last_children(text: str, children: Iterable[str]) -> str:
    """A document of this program with elements, as they are written, at the end of its root, one on
    each line."""
    lines = "".join(f"  {child}\n" for child in children)
    close = text.rfind("</")
    if close < 0:
        # <robot name="x"/>
        place = text.rindex("/>")
        tag = text[text.rindex("<", 0, place) + 1 :].split(maxsplit=1)[0]
        return f"{text[:place].rstrip()}>\n{lines}</{tag}>{text[place + 2 :]}"
    head = text[:close]
    return (head if head.endswith("\n") else head + "\n") + lines + text[close:]


def delete_element(document: XmlDocument, element: XmlElement) -> list[Splice]:
    """Deletes the element, and its line when nothing else stands on it; comments around it stay.

    Raises ValueError for the root.
    """
    if element.parent is None:
        raise ValueError("the root element cannot be deleted")
    text = document.source.text
    start = element.start - len(_space_before(text, element))
    rest = text[element.end : element.parent.end_start]
    after = _LINE_BREAK.search(rest)
    alone = not (rest[: after.start()] if after else rest).strip()
    return [Splice(start if alone else element.start, element.end, "")]


def cut_element(document: XmlDocument, element: XmlElement) -> Splice:
    """Deletes an element with its comments."""
    text = document.source.text
    start, end = span_with_comments(document, element)
    line = _before_blanks(text, start)
    if line > 0 and text[line - 1] in "\r\n":
        start = line - (2 if text[max(0, line - 2) : line] == "\r\n" else 1)
    return Splice(start, end, "")


def element_with_comments(
    document: XmlDocument, element: XmlElement, splices: Iterable[Splice] = ()
) -> NewElement:
    """An element with its comments and with these changes, as a new one for another place."""
    text = document.source.text
    moved = apply_splices(text, splices, *span_with_comments(document, element))
    return NewElement(element.tag, verbatim=moved, indent=_indent_of(text, element))


def span_with_comments(document: XmlDocument, element: XmlElement) -> tuple[int, int]:
    """The offsets of an element with the comment lines directly above it, and the comment behind it
    on its line."""
    text, start = document.source.text, element.start
    while (above := _comment_above(text, start)) is not None:
        start = above
    comment = _TRAILING_COMMENT.match(text, element.end)
    return start, comment.end() if comment else element.end


def _comment_above(text: str, place: int) -> int | None:
    """The start of the comment on lines of its own right above the line that begins at `place`."""
    line = _before_blanks(text, place)
    if line == 0 or text[line - 1] not in "\r\n":
        return None
    end = _before_blanks(text, line - (2 if text[max(0, line - 2) : line] == "\r\n" else 1))
    start = text.rfind("<!--", 0, end)
    if start < 0 or text.find("-->", start + 4) != end - 3:
        return None
    line = _before_blanks(text, start)
    return start if line > 0 and text[line - 1] in "\r\n" else None


def _before_blanks(text: str, place: int) -> int:
    while place > 0 and text[place - 1] in " \t":
        place -= 1
    return place


def render(new: NewElement, indent: str = "", unit: str = "  ", newline: str = "\n") -> str:
    """The element as text; its first line has no indentation, since that stands in the file
    already.

    Raises ValueError for a name or text that XML cannot hold.
    """
    pieces: list[str] = []
    # Not by recursion: the links of a long chain stand in each other.
    waiting: list[str | tuple[NewElement, str]] = [(new, indent)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        element, margin = item
        if element.verbatim is not None:
            pieces.append(_reindented(element.verbatim, margin, newline, element.indent))
            continue
        _check(element.tag, element.text)
        head = "<" + element.tag
        for name, value in element.attributes:
            _check(name, value)
            head += f' {name}="{escape(value)}"'
        if element.raw is not None:
            pieces.append(f"{head}>{element.raw}</{element.tag}>")
        elif element.children:
            # Deep down the blanks would outweigh what they set apart.
            inner = margin + unit if len(margin) < _MOST_BLANKS else margin
            pieces.append(f"{head}>")
            waiting.append(f"{newline}{margin}</{element.tag}>")
            for child in reversed(element.children):
                waiting += ((child, inner), newline + inner)
        else:
            pieces.append(
                f"{head}>{escape(element.text, '')}</{element.tag}>"
                if element.text
                else f"{head}/>"
            )
    return "".join(pieces)


def _reindented(text: str, indent: str, newline: str, present: str | None = None) -> str:
    """The lines after the first moved from the indentation `present` (None: that of the last line)
    to `indent`.

    Lines of CDATA stay as they are.
    """
    lines = _LINE_BREAK.split(text.strip())
    if len(lines) == 1 or "<![CDATA[" in text or present == indent:
        return text.strip()
    was = len(lines[-1]) - len(lines[-1].lstrip()) if present is None else len(present)
    rest = (
        indent + line[min(was, len(line) - len(line.lstrip())) :] if line.strip() else ""
        for line in lines[1:]
    )
    return newline.join((lines[0], *rest))


def escape(value: str, quote: str = '"') -> str:
    """`value` for between such quotes; an empty `quote` means element content."""
    value = value.replace("&", "&amp;").replace("<", "&lt;")
    if not quote:
        return value.replace(">", "&gt;").replace("\r", "&#13;")
    # Line breaks and tabs in attributes would be read back as spaces.
    for character, reference in (("\t", "&#9;"), ("\n", "&#10;"), ("\r", "&#13;")):
        value = value.replace(character, reference)
    return value.replace(quote, "&quot;" if quote == '"' else "&apos;")


def _open(document: XmlDocument, element: XmlElement, content: str) -> Splice:
    """`<a/>` -> `<a>content</a>`."""
    text = document.source.text
    start = element.start_end - 2
    while text[start - 1].isspace():
        start -= 1
    return Splice(start, element.start_end, f">{content}</{element.tag}>")


def _space_before(text: str, element: XmlElement) -> str:
    """The white space before an element from its line break on; empty when something else stands
    before it."""
    start = element.start
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    if start > 0 and text[start - 1] in "\r\n":
        start -= 1
        if text[start] == "\n" and start > 0 and text[start - 1] == "\r":
            start -= 1
        return text[start : element.start]
    return ""


def _indent_of(text: str, element: XmlElement) -> str:
    """The white space at the beginning of the line on which an element starts."""
    line = max(text.rfind("\n", 0, element.start), text.rfind("\r", 0, element.start)) + 1
    end = line
    while end < element.start and text[end] in " \t":
        end += 1
    return text[line:end]


def _style(document: XmlDocument, parent: XmlElement) -> tuple[str, str]:
    """One step of indentation, as near to `parent` as one can be seen, and the line break of the
    file."""
    text = document.source.text
    match = _LINE_BREAK.search(text)
    newline = match.group() if match else "\n"
    scope: XmlElement | None = parent
    while scope is not None:
        for element in scope.walk():
            if element.children and (space := _space_before(text, element.children[0])):
                outer = _indent_of(text, element)
                inner = space.lstrip("\r\n")
                if inner.startswith(outer) and len(inner) > len(outer):
                    return inner[len(outer) :], newline
        scope = scope.parent
    return "  ", newline


def _check(name: str, value: str) -> None:
    if not _NAME.match(name):
        raise ValueError(f"{name!r} is not an XML name")
    bad = next(
        (c for c in value if (ord(c) < 32 and c not in "\t\n\r") or 0xD800 <= ord(c) < 0xE000), None
    )
    bad = bad or next((c for c in value if c in "\ufffe\uffff"), None)
    if bad is not None:
        raise ValueError(f"XML cannot hold the character {bad!r}")
