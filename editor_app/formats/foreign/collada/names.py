"""Names that both directions use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, count

from editor_app.model.near_names import free_name

#: Element of a URDF that keeps a piece of COLLADA word for word; `where` tells its parent there.
EXTRA = "collada_extra"
#: Profile of the <technique> in which this editor says what COLLADA cannot.
OWN_PROFILE = "xrdf-editor"
OPENRAVE = "OpenRAVE"
MESH_FOLDER = "meshes"
#: Writers that give speeds and accelerations in radians although the format wants degrees.
RADIAN_WRITERS = ("OpenRAVE Collada Writer", "URDF Collada Writer")


@dataclass(frozen=True, slots=True)
class Kept:
    """A piece of COLLADA word for word, in the URDF's extra: `where` is its parent in COLLADA, `owner` the link or
    joint that it belongs to."""

    where: str
    text: str
    owner: str = ""


def sid_of(name: str) -> str:
    """A name as SIDs may be: no slashes, dots, brackets, blanks."""
    return re.sub(r"[^\w-]", "_", name)


def unique_sids(names: list[str], taken: set[str], ending: str) -> dict[str, str]:
    """Name -> SID that no other has; `ending` sets those apart that are taken. Adds them to `taken`."""
    sids: dict[str, str] = {}
    for name in names:
        base = sid_of(name) or ending.strip("_")
        sids[name] = free_name(f"{base}{ending}" if base in taken else base, taken)
        taken.add(sids[name])
    return sids


def file_name(text: str) -> str:
    """A text as it may be the name of a file."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in text)


def name_for(files: Mapping[str, bytes], folder: str, name: str, data: bytes) -> str:
    """The path in a folder that holds the content already, else one with a number that no other content has."""
    stem, dot, ending = file_name(name).rpartition(".")
    paths = chain((f"{folder}/{file_name(name)}",), (f"{folder}/{stem}_{i}{dot}{ending}" for i in count(2)))
    return next(path for path in paths if files.get(path, data) == data)
