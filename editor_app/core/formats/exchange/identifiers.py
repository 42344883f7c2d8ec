"""Names as programs take them that know letters, digits and underscores alone: one identifier for
each name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from editor_app.core.model.near_names import find_free_name

_OTHER = re.compile(r"[^A-Za-z0-9_]")


def identifier(name: str, first: str = "_") -> str:
    """The name with an underscore for each other character, and `first` before a digit."""
    text = _OTHER.sub("_", name)
    return text if text[:1].isalpha() or text[:1] == "_" else f"{first}{text}"


def identifiers(names: Iterable[str], first: str = "_") -> dict[str, str]:
    """Name -> identifier that no other name has. A name that is one already keeps it."""
    every = list(dict.fromkeys(names))
    by_name = {name: name for name in every if identifier(name, first) == name}
    taken = set(by_name)
    for name in every:
        if name not in by_name:
            by_name[name] = find_free_name(identifier(name, first), taken)
            taken.add(by_name[name])
    return {name: by_name[name] for name in every}
