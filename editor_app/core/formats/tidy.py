"""Texts without blanks at line ends: nothing else of them changes, and nothing of their meaning.

Indentation, quotes, order and comments are their author's: a formatter that knows better would undo
what saving keeps.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import yaml

from editor_app.core.text.splices import Splice, apply_splices

__all__ = ["tidy_xml", "tidy_yaml"]

_BLANKS = re.compile(r"[ \t]+(?=\r?\n|\Z)")
_LOADER = yaml.CSafeLoader
#: What a document type could declare is not parsed.
_DECLARES = "<!DOCTYPE"


def tidy_yaml(text: str) -> tuple[Splice, ...]:
    """From the front; none where the text cannot be read. The last line ends afterwards."""
    kept = _kept(text)
    return () if kept is None else _tidy(text, kept, _yaml_meaning)


def tidy_xml(text: str) -> tuple[Splice, ...]:
    """Return the splices that tidy an XML text; none if an element's text would change."""
    return _tidy(text, [], _xml_meaning)


# -- inside


def _tidy(
    text: str, kept: list[tuple[int, int]], meaning: Callable[[str], object]
) -> tuple[Splice, ...]:
    blanks = [each.span() for each in _BLANKS.finditer(text)]
    edits = [
        Splice(start, end, "")
        for start, end in blanks
        if not any(a < end and start < b for a, b in kept)
    ]
    if text.rstrip() and not text.endswith("\n"):
        edits.append(Splice(len(text), len(text), "\r\n" if "\r\n" in text else "\n"))
    before = meaning(text) if edits else None
    return (
        tuple(edits) if before is not None and before == meaning(apply_splices(text, edits)) else ()
    )


def _kept(text: str) -> list[tuple[int, int]] | None:
    """Where scalars of several lines stand, whose blanks may count; None of a text that is no
    YAML."""
    try:
        tokens = list(yaml.scan(text, Loader=_LOADER))
    except (yaml.YAMLError, ValueError):
        return None
    scalars = [each for each in tokens if isinstance(each, yaml.ScalarToken)]
    return [
        (each.start_mark.index, each.end_mark.index)
        for each in scalars
        if each.start_mark.line != each.end_mark.line and each.style in ("|", ">", '"', "'")
    ]


def _yaml_meaning(text: str) -> object:
    try:
        return [
            (
                type(e),
                getattr(e, "value", None),
                getattr(e, "tag", None),
                getattr(e, "anchor", None),
            )
            for e in yaml.parse(text, Loader=_LOADER)
        ]
    except (yaml.YAMLError, ValueError):
        return None


def _xml_meaning(text: str) -> object:
    if _DECLARES in text:
        return None
    try:
        return ElementTree.canonicalize(text, with_comments=False, strip_text=True)
    except (ElementTree.ParseError, ValueError):
        return None
