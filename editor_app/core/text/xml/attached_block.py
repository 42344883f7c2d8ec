"""An attached part in XML: one block at the end of the root, between two comments that name its
source.

Nothing else of the text changes: without the block it has the bytes that it had.
"""

from __future__ import annotations

import re

from editor_app.core.model.attached_part import AttachedPart, end_of, record_of, records_in
from editor_app.core.text.xml.document import XmlDocument, XmlElement
from editor_app.core.text.xml.splices import escape

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BREAK = re.compile(r"\r\n|\n|\r")
_USUAL_INDENT = "  "


def content_of(document: XmlDocument, prefix: str = "") -> str:
    """All that stands in the root, with the comments around it; records of parts in it get the
    prefix of its names."""
    text, root = document.source.text, document.root
    inner = "" if root.self_closing else text[root.start_end : root.end_start]
    around = [_COMMENT.findall(piece) for piece in (text[: root.start], text[root.end :])]
    pieces = [*(_USUAL_INDENT + comment for comment in around[0]), _trimmed(inner)]
    pieces += [_USUAL_INDENT + comment for comment in around[1]]
    content = "\n".join(piece for piece in pieces if piece)
    return (
        _with_namespaces(content, root)
        if not prefix
        else _renamed(_with_namespaces(content, root), prefix)
    )


def with_block(document: XmlDocument, part: AttachedPart, content: str) -> str:
    """The text with `content` at the end of its root."""
    text, root = document.source.text, document.root
    match = _BREAK.search(text)
    newline = match.group() if match else "\n"
    indent = _indent_of(text, root)
    place = root.start_end + len(text[root.start_end : root.end_start].rstrip())
    more: dict[str, object] = {}
    if root.self_closing:
        # Where the end of a tag that closes itself begins, blanks included.
        place = len(text[: root.start_end - 2].rstrip())
        more = {"closed": text[place : root.start_end]}
    elif not _BREAK.search(text, place, root.end_start):
        more = {"joined": True}
    lines = [f"{indent}<!-- {record_of(part, **more)} -->", *_BREAK.split(content)]
    lines += [f"{indent}<!-- {end_of(part)} -->"]
    block = "".join(newline + line for line in lines)
    if root.self_closing:
        return f"{text[:place]}>{block}{newline}</{root.tag}>{text[root.start_end :]}"
    return text[:place] + block + (newline if more else "") + text[place:]


def without_block(text: str, part: AttachedPart) -> str:
    """The text without the block of a part; the same where it has none."""
    for match, record, more in records_in(text):
        end = text.find(f"<!-- {end_of(part)} -->", match.end())
        start = text.rfind("<!--", 0, match.start())
        if record.mount != part.mount or end < 0 or start < 0:
            continue
        end = text.index("-->", end) + len("-->")
        before = text[:start].rstrip(" \t")
        before = (
            before.removesuffix("\n").removesuffix("\r")
            if before.endswith("\n")
            else before.removesuffix("\r")
        )
        rest = text[end:]
        closed = more.get("closed")
        if (
            isinstance(closed, str)
            and before.endswith(">")
            and (tag := re.match(r"\s*</[^>]*>", rest))
        ):
            return before[:-1] + closed + rest[tag.end() :]
        if more.get("joined"):
            rest = rest.removeprefix("\r").removeprefix("\n")
        return before + rest
    return text


def parts_in(text: str) -> tuple[AttachedPart, ...]:
    """The parts that were attached, in the order of the text."""
    return tuple(part for _, part, _ in records_in(text))


def _trimmed(inner: str) -> str:
    """Without blank lines at its ends; the first line keeps its indentation."""
    return re.sub(r"\A(?:[ \t]*(?:\r\n|\n|\r))+", "", inner).rstrip()


def _indent_of(text: str, root: XmlElement) -> str:
    if not root.children:
        return _USUAL_INDENT
    start = root.children[-1].start
    blanks = text[:start][len(text[:start].rstrip(" \t")) :]
    return blanks if text[: start - len(blanks)].endswith(("\n", "\r")) else _USUAL_INDENT


def _with_namespaces(content: str, root: XmlElement) -> str:
    """Elements with a prefix say where it comes from: the root that they come to does not."""
    for attribute in root.attributes:
        kind, colon, name = (re.escape(word) for word in attribute.name.partition(":"))
        if kind == "xmlns" and colon:
            used = re.compile(rf"<{name}:[\w.-]+(?=[\s/>])(?![^>]*xmlns:{name}\s*=)")
            for place in reversed([match.end() for match in used.finditer(content)]):
                content = (
                    f"{content[:place]} "
                    f'{attribute.name}="{escape(attribute.value)}"{content[place:]}'
                )
    return content


def _renamed(content: str, prefix: str) -> str:
    """Records of parts in the content, and the comments behind them, with the names that these
    parts have now."""
    for _, part, more in list(records_in(content)):
        new = part.within(prefix)
        content = content.replace(record_of(part, **more), record_of(new, **more))
        content = content.replace(f"<!-- {end_of(part)} -->", f"<!-- {end_of(new)} -->")
    return content
