"""Names that both directions use."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
        if base in taken:
            base = f"{base}{ending}"
        sid, number = base, 2
        while sid in taken:
            sid, number = f"{base}_{number}", number + 1
        taken.add(sid)
        sids[name] = sid
    return sids
