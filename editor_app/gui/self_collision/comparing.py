"""Masks of other files: what an XRDF, an SRDF or a COLLADA robot leaves out, with the reasons it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from editor_app.edit.commands.srdf_pairs import SrdfMask
from editor_app.formats.foreign.collada import read_collada_robot
from editor_app.formats.source import SourceText
from editor_app.formats.srdf import read_srdf
from editor_app.formats.xrdf import read_xrdf
from editor_app.model.srdf import Srdf
from editor_app.model.xrdf import LinkPair

#: For file dialogs.
FILTER = "Masks (*.xrdf *.yaml *.yml *.srdf *.dae *.zae);;All files (*)"


@dataclass(frozen=True, slots=True)
class OtherMask:
    """`reasons` has the pairs for which the file gives one."""

    name: str
    pairs: frozenset[LinkPair]
    reasons: Mapping[LinkPair, str] = field(default_factory=dict)


def mask_of_file(path: Path, pairs: Iterable[LinkPair] = ()) -> OtherMask:
    """What the file leaves out; `pairs`: all pairs of the robot, for links that an SRDF leaves out altogether.

    Raises OSError, FormatError.
    """
    if path.suffix.lower() in (".dae", ".zae"):
        source = SourceText.from_text(read_collada_robot(path).mask_text())
        return mask_of_srdf(path.name, read_srdf(source).srdf, pairs)
    source = SourceText.read(path)
    if path.suffix.lower() == ".srdf" or source.text.lstrip().startswith("<"):
        return mask_of_srdf(path.name, read_srdf(source).srdf, pairs)
    section = read_xrdf(source).xrdf.self_collision
    return OtherMask(path.name, section.ignored_pairs() if section is not None else frozenset())


def mask_of_srdf(name: str, srdf: Srdf | None, pairs: Iterable[LinkPair] = (), links: Iterable[str] = ()) -> OtherMask:
    """The mask of an SRDF that is open; of links that it leaves out altogether, their pairs with all of `links`."""
    mask = SrdfMask.of(srdf)
    others = tuple(links)
    whole = (LinkPair.of(a, b) for a in mask.whole for b in others if a != b and a in others)
    inside = mask.within((*pairs, *whole))
    return OtherMask(name, inside, {p: reason for p in inside if (reason := mask.reason(p))})
