"""One field that names something, as a row of model/references.py; and the pieces that the rows are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, TypeVar

from editor_app.model.frozen import FrozenDict
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import Xrdf

#: The new name for a name; None deletes the reference.
Rename = Callable[[str], str | None]
#: (the name, a sentence part that says what names it).
Mentions = Iterator[tuple[str, str]]
DocumentName = Literal["urdf", "xrdf", "srdf"]
DOCUMENTS: tuple[DocumentName, ...] = ("urdf", "xrdf", "srdf")
D = TypeVar("D", Urdf, Xrdf, Srdf)
V = TypeVar("V")


class Named(StrEnum):
    """What a reference names."""

    #: A link of the URDF or a frame that the XRDF adds: they share their names.
    LINK = "link"
    JOINT = "joint"
    GEOMETRY_GROUP = "geometry group"
    SRDF_GROUP = "group of the SRDF"


@dataclass(frozen=True)
class ReferenceField(Generic[D]):
    """One field. `title` is what messages call it; `moves_along`: merging a link takes it along or drops it.

    `mentions(document)` goes through the references; `renamed(document, rename)` gives the document with other names,
    or raises CannotApply where two entries would become one.
    """

    document: DocumentName
    named: Named
    title: str
    mentions: Callable[[D], Mentions]
    renamed: Callable[[D, Rename], D]
    moves_along: bool = False


class Clash(Exception):
    """Two entries of a mapping would become one."""


def names_of(names: tuple[str, ...], rename: Rename) -> tuple[str, ...]:
    return tuple(new for name in names if (new := rename(name)) is not None)


def keys_of(mapping: FrozenDict[str, V], rename: Rename) -> FrozenDict[str, V]:
    kept = [(new, value) for key, value in mapping.items() if (new := rename(key)) is not None]
    renamed = FrozenDict(kept)
    if len(renamed) != len(kept):
        raise Clash
    return renamed


def all_say(names: Iterable[str], sentence: str) -> Mentions:
    return ((name, sentence) for name in names)
