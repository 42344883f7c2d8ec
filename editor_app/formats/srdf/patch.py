"""Model -> text without loss: what differs from the model as read is spliced into the text as read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from editor_app.formats.source import FormatError
from editor_app.formats.srdf.read import SrdfSource, read_srdf
from editor_app.formats.srdf.wanted import srdf_element
from editor_app.formats.xml import XmlElement, apply_splices, delete_element
from editor_app.formats.xml.morph import morph
from editor_app.model.srdf import Srdf, ToolCenterPoint


@dataclass(frozen=True, eq=False)
class SrdfPatch:
    """`text` is to be saved; `notes` say what could not be edited in place."""

    text: str
    notes: tuple[str, ...]
    written: SrdfSource


def patch_srdf(source: SrdfSource, srdf: Srdf) -> SrdfPatch:
    """The text of `source` with what differs in `srdf` written into it; the result was read again and compared.

    Raises FormatError for a model that cannot be written (names that XML does not allow, values that are not finite).
    """
    if srdf is source.srdf or srdf == source.srdf:
        return SrdfPatch(source.source.text, (), source)
    notes: tuple[str, ...] = ()
    joined = _joined_tcps(source)
    if joined is not source and srdf.tcps != source.srdf.tcps:
        notes = ("the tool centre points of one group, which stood in several places, were brought together",)
    else:
        joined = source
    place = source.document.location(source.document.root)

    def items(parent: XmlElement, tag: str) -> list[XmlElement]:
        return joined.items(parent, tag)

    try:
        splices = morph(joined.document, joined.document.root, srdf_element(joined.srdf), srdf_element(srdf), items)
        text = apply_splices(joined.source.text, splices)
    except ValueError as error:
        raise FormatError(f"The change cannot be written as SRDF: {error}", place) from None
    written = read_srdf(source.source.with_text(text))
    if canonical(written.srdf) != canonical(srdf):
        is_now, shall = canonical(written.srdf), canonical(srdf)
        names = [n for n in Srdf.__dataclass_fields__ if getattr(is_now, n) != getattr(shall, n)]
        raise FormatError(
            f"The change of {', '.join(names)} cannot be written as SRDF",
            place,
            "Numbers must be finite, names must not be empty, and a joint or link may stand once in one list.",
        )
    return SrdfPatch(text, notes, written)


def canonical(srdf: Srdf) -> Srdf:
    """The same, with the tool centre points ordered by the first place of their group, as a file has them."""
    order: dict[str, list[ToolCenterPoint]] = {}
    for tcp in srdf.tcps:
        order.setdefault(tcp.group, []).append(tcp)
    return replace(srdf, tcps=tuple(t for tcps in order.values() for t in tcps))


def _joined_tcps(source: SrdfSource) -> SrdfSource:
    """The source with one `group_tcps` per group; the very same when it is so already."""
    root = source.document.root
    blocks = source.items(root, "group_tcps")
    counts = Counter(e.get("group") for e in blocks)
    if all(n == 1 for n in counts.values()) and all(source.items(e, "tcp") for e in blocks):
        return source
    without = replace(source.srdf, tcps=())
    text = apply_splices(source.source.text, [s for e in blocks for s in delete_element(source.document, e)])
    bare = read_srdf(source.source.with_text(text))
    assert bare.srdf == without
    return patch_srdf(bare, source.srdf).written
