"""An element as its leaves: path -> text, and edits of it as differences between leaves.

"a/b/@c" is the attribute c of the first b in the first a, "a/b[2]" the text of the second b. An element with children
has no text here; one without children, text and attributes is a leaf with an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from editor_app.formats.source import SourceText
from editor_app.formats.xml import NewElement, XmlElement, apply_splices, parse_xml
from editor_app.formats.xml.morph import Wanted, morph

_STEP = re.compile(r"(.+?)(?:\[(\d+)\])?\Z")
_NUMBER = re.compile(r"[-+.\deE]+\Z", re.ASCII)


def leaves_of(element: XmlElement) -> dict[str, str]:
    """All leaves below an element, its own attributes among them, in the order of the text."""
    leaves: dict[str, str] = {}
    for path, each in (("", element), *_elements(element, "")):
        prefix = f"{path}/" if path else ""
        leaves |= {f"{prefix}@{attribute.name}": attribute.value for attribute in each.attributes}
        if path and not each.children and (each.text or not each.attributes):
            leaves[path] = each.text
    return leaves


def children_of(element: XmlElement) -> frozenset[str]:
    """The paths of all elements below one."""
    return frozenset(path for path, _ in _elements(element, ""))


def fresh(tag: str, leaves: Mapping[str, str]) -> NewElement:
    """A new element with such leaves. Raises ValueError for a path that is none."""
    return _wanted(tag, leaves).element()


def edited(text: str, old: Mapping[str, str], new: Mapping[str, str], indent: str = "") -> str:
    """`text`, an element that was read as `old`, made to mean `new`: what is alike in both is not touched.

    `indent` is the white space before the element. Raises ValueError for what XML cannot hold.
    """
    document = parse_xml(SourceText.from_text(indent + text))
    root = document.root
    written = leaves_of(root)
    containers = children_of(root) - written.keys()
    target = {path: value for path, value in written.items() if path not in old or path in new}
    for path, value in new.items():
        if old.get(path) != value:
            target[path] = _merged(written.get(path, ""), old.get(path, ""), value)
        elif path in containers and not any(other.startswith(f"{path}/") for other in target):
            target[path] = ""
    splices = morph(document, root, _wanted(root.tag, written), _wanted(root.tag, target))
    return apply_splices(indent + text, splices)[len(indent) :]


# -------------------------------------------------------------------------------------------------------------- inside


def _wanted(tag: str, leaves: Mapping[str, str], step: str = "") -> Wanted:
    attributes: list[tuple[str, str | None]] = []
    inner: dict[str, dict[str, str]] = {}
    text = ""
    for path, value in leaves.items():
        head, _, rest = path.partition("/")
        if head.startswith("@") and not rest:
            attributes.append((head[1:], value))
        elif head and not head.startswith("@"):
            inner.setdefault(head, {})[rest] = value
        elif path == "":
            text = value
        else:
            raise ValueError(f"{path!r} is no path of a leaf")
    if text and inner:
        raise ValueError(f"<{tag}> has a text, and cannot have <{_tag(next(iter(inner)))}> in it")
    items = tuple(_wanted(_tag(name), below, name) for name, below in inner.items())
    return Wanted(tag, tuple(attributes), items=items, key=(step,), text=text)


def _merged(written: str, old: str, new: str) -> str:
    """The new text; of a row of numbers, those that are alike in old and new keep their digits."""
    tokens, was, shall = written.split(), old.split(), new.split()
    if not len(tokens) == len(was) == len(shall) > 1 or not all(map(_NUMBER.match, shall)):
        return new
    return " ".join(kept if a == b else b for kept, a, b in zip(tokens, was, shall, strict=True))


def _elements(element: XmlElement, prefix: str) -> Iterator[tuple[str, XmlElement]]:
    """All elements below one, each with its path."""
    counts: dict[str, int] = {}
    for child in element.children:
        counts[child.tag] = number = counts.get(child.tag, 0) + 1
        path = prefix + (child.tag if number == 1 else f"{child.tag}[{number}]")
        yield path, child
        yield from _elements(child, f"{path}/")


def _tag(step: str) -> str:
    match = _STEP.match(step)
    if match is None or not match.group(1):
        raise ValueError(f"{step!r} is no name of an element")
    return match.group(1)
