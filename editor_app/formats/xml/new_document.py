"""The text of a new XML document, built by lxml. A text that was read is edited by splices, never written anew."""

from __future__ import annotations

from typing import Any

from lxml import etree

from editor_app.formats.xml.splices import NewElement

_UNIT = "  "
#: Deep down the blanks would outweigh what they set apart.
_DEEPEST = 80


def document_text(root: NewElement, *, encoding: str | None = None) -> str:
    """A whole document; with `encoding`, its declaration names it.

    Raises ValueError for a name or text that XML cannot hold, and for pieces of text among the elements.
    """
    declared = f' encoding="{encoding}"' if encoding is not None else ""
    return f'<?xml version="1.0"{declared}?>\n{element_text(root)}\n'


def piece(tag: str, *children: NewElement, text: str = "", **attributes: str) -> NewElement:
    """An element with its children, or with a text."""
    return NewElement(tag, tuple(attributes.items()), children, text)


def line_text(root: NewElement) -> str:
    """An element as text on one line. Raises ValueError as `document_text`."""
    return element_text(root, is_one_line=True)


def element_text(root: NewElement, *, is_one_line: bool = False) -> str:
    """An element as text over several lines. Raises ValueError as `document_text`."""
    top = _element(root)
    # Not by recursion: the links of a long chain stand in each other.
    waiting = [(root, top, 0)]
    while waiting:
        new, element, depth = waiting.pop()
        if not new.children:
            element.text = new.text or None
            continue
        inner, outer = (None if is_one_line else "\n" + _UNIT * min(d, _DEEPEST) for d in (depth + 1, depth))
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
        raise ValueError(f"<{new.tag}> is a piece of text, not an element")
    namespace = next((value for name, value in new.attributes if name == "xmlns"), None)
    # The stubs know of no default namespace.
    names: dict[Any, str] | None = {None: namespace} if namespace is not None else None
    element = etree.Element(new.tag, nsmap=names)
    for name, value in new.attributes:
        if name != "xmlns":
            element.set(name, value)
    return element
