"""Where things stand in a YAML text: lines, comments, dashes, colons. Lines may end in LF, CRLF or CR."""

from __future__ import annotations

import re
from dataclasses import dataclass

from editor_app.formats.yaml.nodes import Mapping, Node, Sequence

_BLANKS = re.compile(r"[ \t]*")
_TO_BREAK = re.compile(r"[^\r\n]*")
_SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]+|#[^\r\n]*)*")
_PROPERTY = re.compile(r"[&!][^\s,\[\]{}]*")


class CannotSplice(Exception):
    """The text around a place has a form that is not edited in place; a bigger block is written anew instead."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a block list or an entry of a block mapping.

    `mark` is the place of its dash or key, `after` the place behind its dash or colon, [`body`, `body_end`) its whole
    lines with the comment behind it; `body` is `mark` when the item begins in the line of its parent.
    """

    mark: int
    after: int
    end: int
    body: int
    body_end: int


#: (start, end, replacement), in code points of the old text.
Splice = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a value stands: behind the colon or dash at `after`, in a block parent whose mark is in `column`."""

    after: int
    column: int
    key: Node | None
    flow: bool


class Layout:
    """Questions about one text that ends in a line break (or is empty)."""

    def __init__(self, text: str, newline: str) -> None:
        self.text = text
        self.newline = newline

    def line_start(self, offset: int) -> int:
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1

    def eol(self, offset: int) -> int:
        """The place of the line break that ends the line."""
        match = _TO_BREAK.match(self.text, offset)
        return offset if match is None else match.end()

    def line_end(self, offset: int) -> int:
        """The place behind the line break that ends the line."""
        end = self.eol(offset)
        return end + (2 if self.text.startswith("\r\n", end) else 1 if end < len(self.text) else 0)

    def column(self, offset: int) -> int:
        return offset - self.line_start(offset)

    def indentation(self, offset: int) -> str:
        """The blanks that the line of `offset` begins with."""
        match = _BLANKS.match(self.text, self.line_start(offset))
        return "" if match is None else match.group()

    def begins_line(self, offset: int) -> bool:
        return not self.text[self.line_start(offset) : offset].strip(" \t\ufeff")

    def blanks(self, offset: int) -> int:
        """The place behind the blanks and tabs at `offset`."""
        match = _BLANKS.match(self.text, offset)
        return offset if match is None else match.end()

    def skip(self, offset: int) -> int:
        """The place of the next token: behind blanks, line breaks and comments."""
        match = _SPACE_AND_COMMENTS.match(self.text, offset)
        return offset if match is None else match.end()

    def content(self, node: Node) -> int:
        """Where a node begins behind its anchor and tag."""
        offset = node.start
        if node.anchor is None and node.tag is None:
            return offset
        while offset < node.end and self.text[offset] in "&!":
            match = _PROPERTY.match(self.text, offset)
            if match is None:
                break
            following = self.skip(match.end())
            offset = match.end() if following > node.end else following
        return min(offset, node.end)

    def colon(self, key: Node) -> int:
        """The place of the colon behind a key. Raises CannotSplice when there is none."""
        offset = self.skip(key.end)
        if offset >= len(self.text) or self.text[offset] != ":":
            raise CannotSplice("a key without a colon")
        return offset

    def items(self, node: Sequence | Mapping) -> list[Item]:
        """The items of a block collection. Raises CannotSplice for `? key` entries and other rare forms."""
        items: list[Item] = []
        offset = self.content(node)
        for index in range(len(node.items if isinstance(node, Sequence) else node.entries)):
            item = self._item(node, index, offset)
            items.append(item)
            offset = item.end
        if any(item.body == item.mark and not self.begins_line(item.mark) for item in items[1:]):
            raise CannotSplice("several items in a line")
        return items

    def item(self, node: Sequence | Mapping, index: int) -> Item:
        """One of `items`. Raises CannotSplice."""
        offset = self.content(node)
        if index:
            if isinstance(node, Sequence):
                # An absent item before it ends behind its dash, as its node does.
                offset = node.items[index - 1].end
            else:
                key, value = node.entries[index - 1]
                offset = max(value.end, self.colon(key) + 1)
        item = self._item(node, index, offset)
        if index and item.body == item.mark and not self.begins_line(item.mark):
            raise CannotSplice("several items in a line")
        return item

    def _item(self, node: Sequence | Mapping, index: int, offset: int) -> Item:
        """`offset` is where the item before it ends, or where the collection begins."""
        if isinstance(node, Sequence):
            mark = self.skip(offset)
            if self.text[mark : mark + 1] != "-":
                raise CannotSplice("a list item without a dash")
            after = mark + 1
            end = max(node.items[index].end, after)
        else:
            key, value = node.entries[index]
            mark = key.start
            if (index or node.start < mark) and self.skip(offset) != mark:
                raise CannotSplice("an explicit key")
            after = self.colon(key) + 1
            end = max(value.end, after)
        body = self.line_start(mark) if self.begins_line(mark) else mark
        ended = end > mark and self.text[end - 1] in "\r\n"
        return Item(mark, after, end, body, end if ended else self.line_end(end))


def newline_of(text: str) -> str:
    """The line break that a text uses; LF when it has none."""
    match = re.search(r"\r\n|\n|\r", text)
    return "\n" if match is None else match.group()
