"""References within pieces of COLLADA that are kept word for word: SIDs of a file <-> names of the URDF.

In the URDF they stand by name, so that they can be read and follow renaming.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from editor_app.formats.foreign.collada.names import sid_of
from editor_app.formats.xml.splices import escape

_ATTRIBUTE = re.compile(r"""(\b(?:link|link0|link1|joint|target|axis)\s*=\s*)(["'])([^"'#<>&]*)\2""")
_SYMBOL = re.compile(r"(<(?:csymbol|param|SIDREF)\b[^>]*>\s*)([^<\s]+)(\s*</)")


def with_names(text: str, link: Callable[[str], str | None], joint: Callable[[str], str | None]) -> str:
    """`link` and `joint` find names by SID paths."""

    def named(reference: str, kind: str) -> str | None:
        if kind.startswith("link"):
            return link(reference)
        name = joint(reference)
        if name is None or kind == "joint":
            return name
        parts = reference.split("/")
        # Behind the joint an axis may stand.
        return f"{name}/{parts[-1]}" if len(parts) > 1 and joint(parts[-1]) is None else name

    return _replaced(text, named)


def with_sids(text: str, links: Mapping[str, str], joints: Mapping[str, str], model: str = "kmodel0") -> str:
    """Name -> SID, for links and joints."""

    def path(reference: str, kind: str) -> str | None:
        first, second = (links, joints) if kind.startswith("link") else (joints, links)
        for table in (first, {} if kind in ("joint", "axis") or kind.startswith("link") else second):
            if reference in table:
                return f"{model}/{table[reference]}"
        head, _, axis = reference.rpartition("/")
        return f"{model}/{joints[head]}/{sid_of(axis)}" if head in joints else None

    return _replaced(text, path)


def _replaced(text: str, name_for: Callable[[str, str], str | None]) -> str:
    def attribute(match: re.Match[str]) -> str:
        kind = match.group(1).split("=")[0].strip()
        name = name_for(match.group(3), kind)
        quote = match.group(2)
        return match.group() if name is None else f"{match.group(1)}{quote}{escape(name, quote)}{quote}"

    def symbol(match: re.Match[str]) -> str:
        name = name_for(match.group(2), "target")
        return match.group() if name is None else f"{match.group(1)}{escape(name, '')}{match.group(3)}"

    return _SYMBOL.sub(symbol, _ATTRIBUTE.sub(attribute, text))
