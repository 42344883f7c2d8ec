"""From what an element meant to what it shall mean, as splices: only what differs between the two
is touched.

`Wanted` describes an element as a model sees it. Two of them, rendered from the model as read and
from the model as edited, are compared; an attribute, a child or an item that is alike in both stays
in the text whatever its spelling is, and so does everything that the model does not know.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from editor_app.core.text.splices import Splice, longest_rising
from editor_app.core.text.xml.document import XmlDocument, XmlElement
from editor_app.core.text.xml.splices import (
    NewElement,
    cut_element,
    delete_element,
    element_with_comments,
    insert_elements,
    remove_attribute,
    set_attribute,
    set_text,
)

_TOKEN = re.compile(r"\S+")
#: What no row of numbers has: between numbers, white space is as good as other white space.
_WORDS = re.compile(r"[^\s\d.eE+-]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An element of the model. `attributes` that are None are absent.

    `parts` are children of which there is one per tag (origin, limit), `items` those that come in
    any number. `parts` that are `implied` need not stand in the text: they say what their absence
    means.
    """

    tag: str
    attributes: tuple[tuple[str, str | None], ...] = ()
    parts: tuple[Wanted, ...] = ()
    items: tuple[Wanted, ...] = ()
    #: What an item is recognised by in the old element and the new one: the path of the part of the
    #: model as read that it comes from, or something else that no other item of its tag has. None:
    #: it is new. (): its attributes.
    key: tuple[object, ...] | None = ()
    implied: bool = False
    #: The text of an element without children; None: the model does not know it.
    text: str | None = None
    #: How a new one of it is written, when that is not what the rest says (embedded text).
    raw: str | None = field(default=None)
    #: The whole element as text. Where the old one has it too, and another, it is put in its place
    #: as it stands.
    verbatim: str | None = field(default=None)

    def element(self) -> NewElement:
        """Build a new element; implied parts are left out."""
        attributes = tuple((name, value) for name, value in self.attributes if value is not None)
        if self.verbatim is not None:
            return NewElement(self.tag, verbatim=self.verbatim)
        if self.raw is not None:
            return NewElement(self.tag, attributes, raw=self.raw)
        inner = (*(p for p in self.parts if not p.implied), *self.items)
        return NewElement(self.tag, attributes, tuple(w.element() for w in inner), self.text or "")


#: (parent, tag) -> the elements that the items of that tag were read from, in their order.
ItemsOf = Callable[[XmlElement, str], Sequence[XmlElement]]


def every_child(parent: XmlElement, tag: str) -> Sequence[XmlElement]:
    """The simplest `ItemsOf`: the reader left none out."""
    return parent.all(tag)


def morph(
    document: XmlDocument,
    element: XmlElement,
    old: Wanted,
    new: Wanted,
    items_of: ItemsOf = every_child,
    *,
    keys_are_paths: bool = False,
) -> list[Splice]:
    """Splices that make `element`, which was read as `old`, mean `new`.

    With `keys_are_paths`, no two items have the same key, wherever they are, and an item may move
    to another parent. Raises ValueError when `items_of` gives another number of elements than `old`
    has items of a tag.
    """
    work = _Morph(document, items_of)
    if keys_are_paths and old != new:
        work.note_moves(element, old, new)
    return list(work.changes(element, old, new))


def format_xml_number(value: float) -> str:
    """The shortest text that reads back to the same double; whole numbers without a point."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def format_xml_numbers(values: Sequence[float]) -> str:
    return " ".join(format_xml_number(v) for v in values)


class _Morph:
    def __init__(self, document: XmlDocument, items_of: ItemsOf) -> None:
        self.document = document
        self.items_of = items_of
        #: Items that move to another parent: their tags and keys -> elements and what these were
        #: read as.
        self.moves: dict[tuple[str, Hashable], tuple[XmlElement, Wanted]] = {}

    def note_moves(self, element: XmlElement, old: Wanted, new: Wanted) -> None:
        parents: dict[tuple[str, Hashable], Hashable] = {}
        waiting = [new]
        while waiting:
            parent = waiting.pop()
            parents.update(
                ((item.tag, item.key), (parent.tag, parent.key))
                for item in parent.items
                if item.key
            )
            waiting += parent.items
        sources = [(element, old)]
        while sources:
            at, parent = sources.pop()
            for item, child in self._items_with_elements(at, parent.items):
                place = parents.get((item.tag, item.key))
                if item.key and place is not None and place != (parent.tag, parent.key):
                    self.moves[item.tag, item.key] = child, item
                if item.items:
                    sources.append((child, item))

    def _items_with_elements(
        self, element: XmlElement, items: Sequence[Wanted]
    ) -> Iterator[tuple[Wanted, XmlElement]]:
        for tag in dict.fromkeys(item.tag for item in items):
            of_tag = [item for item in items if item.tag == tag]
            elements = list(self.items_of(element, tag))
            if len(elements) != len(of_tag):
                raise ValueError(
                    f"<{element.tag}> has {len(elements)} <{tag}> where the model has {len(of_tag)}"
                )
            yield from zip(of_tag, elements, strict=True)

    def changes(self, element: XmlElement, old: Wanted, new: Wanted) -> Iterator[Splice]:
        if old == new:
            return
        if old.verbatim is not None and new.verbatim is not None and old.verbatim != new.verbatim:
            yield Splice(element.start, element.end, new.verbatim)
            return
        before, after = dict(old.attributes), dict(new.attributes)
        # Several attributes added at one place have to come in one splice, or their order would be
        # left to chance.
        for name in dict.fromkeys((*before, *after)):
            if before.get(name) != after.get(name):
                yield from self._attribute(element, name, before.get(name), after.get(name))
        if new.text is not None and (old.text or "") != new.text:
            yield from self._text(element, old.text or "", new.text)
        appended: list[NewElement] = []
        yield from self._parts(element, old, new, appended)
        for tag in dict.fromkeys(item.tag for item in (*old.items, *new.items)):
            was, shall = (
                [item for item in items if item.tag == tag] for items in (old.items, new.items)
            )
            yield from self._items(element, was, shall, appended)
        if appended:
            last = element.children[-1] if element.children else None
            yield insert_elements(self.document, element, appended, after=last)

    def _attribute(
        self, element: XmlElement, name: str, old: str | None, new: str | None
    ) -> list[Splice]:
        if new is None:
            return remove_attribute(self.document, element, name)
        attribute = element.attribute(name)
        if attribute is not None and old is not None:
            raw = self.document.source.text[attribute.value_start : attribute.value_end]
            tokens = (
                _tokens(raw, attribute.value_start, old, new) if raw == attribute.value else None
            )
            if tokens is not None:
                return tokens
        return set_attribute(self.document, element, name, new)

    def _text(self, element: XmlElement, old: str, new: str) -> list[Splice]:
        raw = self.document.source.text[element.start_end : element.end_start]
        tokens = _tokens(raw, element.start_end, old, new) if raw.strip() == element.text else None
        return tokens if tokens is not None else set_text(self.document, element, new)

    def _parts(
        self, element: XmlElement, old: Wanted, new: Wanted, appended: list[NewElement]
    ) -> Iterator[Splice]:
        before, after = {p.tag: p for p in old.parts}, {p.tag: p for p in new.parts}
        for tag in dict.fromkeys((*before, *after)):
            was, shall, child = before.get(tag), after.get(tag), element.child(tag)
            if was == shall:
                continue
            if shall is None:
                if child is not None:
                    yield from delete_element(self.document, child)
            elif child is not None:
                yield from self.changes(child, was or Wanted(tag), shall)
            else:
                appended.append(shall.element())

    def _items(
        self,
        element: XmlElement,
        old: Sequence[Wanted],
        new: Sequence[Wanted],
        appended: list[NewElement],
    ) -> Iterator[Splice]:
        """Items of one tag: those that stay in their order are edited, others are moved, inserted
        and deleted."""
        if old == new:
            return
        present = list(self._items_with_elements(element, old))
        origins = _origins(old, new)
        stay = longest_rising(origins)
        for index, (item, child) in enumerate(present):
            if index not in stay:
                is_moved = index in origins or (item.tag, item.key) in self.moves
                yield from (
                    [cut_element(self.document, child)]
                    if is_moved
                    else delete_element(self.document, child)
                )
        # Behind the last item that stays before them; else before the first that stays, else where
        # the items were.
        after: XmlElement | None = None
        first = min(stay, default=None)
        waiting: list[NewElement] = []
        for wanted, origin in [*zip(new, origins, strict=True), (None, None)]:
            if wanted is not None and origin not in stay:
                waiting.append(
                    self._new_item(wanted, present[origin] if origin is not None else None)
                )
                continue
            if waiting and not present:
                appended.extend(waiting)
            elif waiting and (after is not None or first is None):
                yield insert_elements(
                    self.document, element, waiting, after=after or present[-1][1]
                )
            elif waiting and first is not None:
                yield insert_elements(self.document, element, waiting, before=present[first][1])
            waiting = []
            if wanted is not None and origin is not None:
                item, after = present[origin]
                yield from self.changes(after, item, wanted)

    def _new_item(self, wanted: Wanted, moved: tuple[Wanted, XmlElement] | None) -> NewElement:
        if moved is None and (wanted.tag, wanted.key) in self.moves:
            moved = self.moves[wanted.tag, wanted.key][::-1]
        if moved is None:
            return wanted.element()
        item, element = moved
        return element_with_comments(self.document, element, self.changes(element, item, wanted))


def _origins(old: Sequence[Wanted], new: Sequence[Wanted]) -> list[int | None]:
    """For each new item the index of the old one with its key."""
    indices: dict[Hashable, deque[int]] = defaultdict(deque)
    for index, item in enumerate(old):
        indices[_key(item)].append(index)
    return [
        indices[key].popleft() if key is not None and indices.get(key) else None
        for key in map(_key, new)
    ]


_NEEDS_ESCAPE = re.compile("[<>&\"']")


def _tokens(raw: str, start: int, old: str, new: str) -> list[Splice] | None:
    """Of a vector, only the numbers that changed: the others keep their digits. None where more
    than these differ, as the white space between words."""
    places, was, shall = list(_TOKEN.finditer(raw)), old.split(), new.split()
    if not len(places) == len(was) == len(shall) > 1 or _NEEDS_ESCAPE.search(new):
        return None
    if _WORDS.search(old + new) and _TOKEN.split(old) != _TOKEN.split(new):
        return None
    tokens = zip(places, was, shall, strict=True)
    return [Splice(start + t.start(), start + t.end(), b) for t, a, b in tokens if a != b]


def _key(wanted: Wanted) -> Hashable:
    return wanted.attributes if wanted.key == () else wanted.key


_UNIT = "  "
#: Deep down the blanks would outweigh what they set apart.
_DEEPEST = 80


def format_document(root: NewElement, *, encoding: str | None = None) -> str:
    """A whole document; with `encoding`, its declaration names it.

    Raises ValueError for a name or text that XML cannot hold, and for pieces of text among the
    elements.
    """
    declared = f' encoding="{encoding}"' if encoding is not None else ""
    return f'<?xml version="1.0"{declared}?>\n{element_text(root)}\n'


def build_piece(tag: str, *children: NewElement, text: str = "", **attributes: str) -> NewElement:
    """An element with its children, or with a text."""
    return NewElement(tag, tuple(attributes.items()), children, text)


def line_text(root: NewElement) -> str:
    """An element as text on one line. Raises ValueError as `format_document`."""
    return element_text(root, is_one_line=True)


def element_text(root: NewElement, *, is_one_line: bool = False) -> str:
    """An element as text over several lines. Raises ValueError as `format_document`."""
    top = _element(root)
    # Not by recursion: the links of a long chain stand in each other.
    waiting = [(root, top, 0)]
    while waiting:
        new, element, depth = waiting.pop()
        if not new.children:
            element.text = new.text or None
            continue
        inner, outer = (
            None if is_one_line else "\n" + _UNIT * min(d, _DEEPEST) for d in (depth + 1, depth)
        )
        element.text = inner
        for child in new.children:
            lxml_child = _element(child)
            lxml_child.tail = inner
            element.append(lxml_child)
            waiting.append((child, lxml_child, depth + 1))
        element[-1].tail = outer
    return str(etree.tostring(top, encoding="unicode"))


def _element(new: NewElement) -> etree._Element:
    if new.raw is not None or new.verbatim is not None:
        raise ValueError(f"<{new.tag}> is text, not an element")
    namespace = next((value for name, value in new.attributes if name == "xmlns"), None)
    # The stubs know of no default namespace.
    names: dict[Any, str] | None = {None: namespace} if namespace is not None else None
    element = etree.Element(new.tag, nsmap=names)
    for name, value in new.attributes:
        if name != "xmlns":
            element.set(name, value)
    return element
