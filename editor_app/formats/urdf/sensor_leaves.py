"""An element as its leaves: path -> text, and edits of it as differences between leaves.

"a/b/@c" is the attribute c of the first b in the first a, "a/b[2]" the text of the second b. An element with children
has no text here; one without children, text and attributes is a leaf with an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from editor_app.formats.source import SourceText
from editor_app.formats.xml import (
    NewElement,
    Splice,
    XmlElement,
    apply_splices,
    delete_element,
    insert_element,
    parse_xml,
    remove_attribute,
    set_attribute,
    set_text,
)

_STEP = re.compile(r"(.+?)(?:\[(\d+)\])?\Z")
_TOKEN = re.compile(r"\S+")
_NUMBER = re.compile(r"[-+.\deE]+\Z", re.ASCII)


def leaves_of(element: XmlElement) -> dict[str, str]:
    """All leaves below an element, its own attributes among them, in the order of the text."""
    return dict(_leaves(element, ""))


def children_of(element: XmlElement) -> frozenset[str]:
    """The paths of all elements below one."""
    return frozenset(path for path, _ in _elements(element, ""))


def fresh(tag: str, leaves: Mapping[str, str]) -> NewElement:
    """A new element with such leaves. Raises ValueError for a path that is none."""
    attributes: list[tuple[str, str]] = []
    inner: dict[str, dict[str, str]] = {}
    text = ""
    for path, value in leaves.items():
        head, _, rest = path.partition("/")
        if head.startswith("@") and not rest:
            attributes.append((head[1:], value))
        elif head and not head.startswith("@"):
            inner.setdefault(head, {})
            if rest:
                inner[head][rest] = value
            elif value:
                inner[head][""] = value
        elif path == "":
            text = value
        else:
            raise ValueError(f"{path!r} is no path of a leaf")
    children = tuple(fresh(_tag(step), below) for step, below in inner.items())
    return NewElement(tag, tuple(attributes), children, "" if children else text)


def edited(text: str, old: Mapping[str, str], new: Mapping[str, str], indent: str = "") -> str:
    """`text`, an element that was read as `old`, made to mean `new`: what is alike in both is not touched.

    `indent` is the white space before the element. Raises ValueError for what XML cannot hold.
    """
    removed = [path for path in old if path not in new]
    changed = {path: value for path, value in new.items() if old.get(path) != value}
    result = _remaining(indent + text, removed, set(new))
    result = _with_values(result, changed, old)
    for path, value in changed.items():
        result = _with_leaf(result, path, value)
    return result[len(indent) :]


# -------------------------------------------------------------------------------------------------------------- inside


def _remaining(text: str, removed: list[str], kept: set[str]) -> str:
    """Without leaves that were removed, and without the elements that have nothing left."""
    if not removed:
        return text
    document = parse_xml(SourceText.from_text(text))
    root = document.root
    left = (set(leaves_of(root)) - set(removed)) | kept
    elements = dict(_elements(root, ""))
    splices: list[Splice] = []
    gone: set[str] = set()
    for path in removed:
        owner = path.rpartition("/")[0] if _is_attribute(path) else path
        top = ""
        steps = owner.split("/") if owner else []
        for i in range(len(steps)):
            prefix = "/".join(steps[: i + 1])
            if not any(p == prefix or p.startswith(prefix + "/") for p in left):
                top = prefix
                break
        if top:
            if top not in gone and top in elements:
                gone.add(top)
                splices += delete_element(document, elements[top])
            continue
        element = root if not owner else elements.get(owner)
        if element is None:
            continue
        if _is_attribute(path):
            splices += remove_attribute(document, element, path.rpartition("@")[2])
        elif not element.children:
            splices += set_text(document, element, "")
    return apply_splices(text, splices)


def _with_values(text: str, changed: Mapping[str, str], old: Mapping[str, str]) -> str:
    """With other values for leaves that are there."""
    document = parse_xml(SourceText.from_text(text))
    elements = dict(_elements(document.root, ""))
    elements[""] = document.root
    splices: list[Splice] = []
    for path, value in changed.items():
        attribute = path.rpartition("@")[2] if _is_attribute(path) else None
        element = elements.get(path.rpartition("/")[0] if attribute is not None else path)
        if element is None:
            continue
        if attribute is not None:
            target = element.attribute(attribute)
            if target is None:
                continue
            raw = text[target.value_start : target.value_end]
            tokens = _tokens(raw, target.value_start, old.get(path), value) if raw == target.value else None
            splices += tokens if tokens is not None else set_attribute(document, element, attribute, value)
        elif not element.children and not element.self_closing:
            raw = text[element.start_end : element.end_start]
            same = raw.strip() == element.text
            tokens = _tokens(raw, element.start_end, old.get(path), value) if same else None
            splices += tokens if tokens is not None else set_text(document, element, value)
    return apply_splices(text, splices)


def _with_leaf(text: str, path: str, value: str) -> str:
    """With a leaf that is not there yet; the text as it is when it is there."""
    document = parse_xml(SourceText.from_text(text))
    steps = path.split("/")
    element, depth = document.root, 0
    elements = dict(_elements(document.root, ""))
    while depth < len(steps) and not steps[depth].startswith("@"):
        child = elements.get("/".join(steps[: depth + 1]))
        if child is None:
            break
        element, depth = child, depth + 1
    rest = steps[depth:]
    if not rest:
        if value and not element.children and not element.text:
            return apply_splices(text, set_text(document, element, value))
        return text
    if rest[0].startswith("@"):
        if element.attribute(rest[0][1:]) is not None:
            return text
        return apply_splices(text, set_attribute(document, element, rest[0][1:], value))
    if element.text and not element.children:
        raise ValueError(f"<{element.tag}> has a text, and cannot have <{rest[0]}> in it")
    new = fresh(_tag(rest[0]), {"/".join(rest[1:]): value})
    return apply_splices(text, insert_element(document, element, len(element.children), new))


def _tokens(raw: str, start: int, old: str | None, new: str) -> list[Splice] | None:
    """Of a row of numbers only those that differ; None where that is not what changed."""
    old_tokens, was, shall = list(_TOKEN.finditer(raw)), (old or "").split(), new.split()
    if not len(old_tokens) == len(was) == len(shall) > 1 or not all(map(_NUMBER.match, shall)):
        return None
    tokens = zip(old_tokens, was, shall, strict=True)
    return [Splice(start + t.start(), start + t.end(), b) for t, a, b in tokens if a != b]


def _leaves(element: XmlElement, path: str) -> Iterator[tuple[str, str]]:
    prefix = f"{path}/" if path else ""
    for attribute in element.attributes:
        yield f"{prefix}@{attribute.name}", attribute.value
    for step, child in _steps(element):
        yield from _leaves(child, prefix + step)
    if path and not element.children and (element.text or not element.attributes):
        yield path, element.text


def _elements(element: XmlElement, path: str) -> Iterator[tuple[str, XmlElement]]:
    prefix = f"{path}/" if path else ""
    for step, child in _steps(element):
        yield prefix + step, child
        yield from _elements(child, prefix + step)


def _steps(element: XmlElement) -> Iterator[tuple[str, XmlElement]]:
    counts: dict[str, int] = {}
    for child in element.children:
        counts[child.tag] = number = counts.get(child.tag, 0) + 1
        yield (child.tag if number == 1 else f"{child.tag}[{number}]"), child


def _is_attribute(path: str) -> bool:
    return path.rpartition("/")[2].startswith("@")


def _tag(step: str) -> str:
    match = _STEP.match(step)
    if match is None or not match.group(1):
        raise ValueError(f"{step!r} is no name of an element")
    return match.group(1)
