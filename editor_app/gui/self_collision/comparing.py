"""Pairs that another file ignores: an XRDF or an SRDF."""

from __future__ import annotations

from pathlib import Path

from editor_app.formats.source import SourceText
from editor_app.model.xrdf import LinkPair


def mask_of_file(path: Path) -> frozenset[LinkPair]:
    """The pairs that an XRDF's `ignore` or an SRDF's `disable_collisions` name. Raises OSError, FormatError."""
    source = SourceText.read(path)
    if path.suffix.lower() == ".srdf" or source.text.lstrip().startswith("<"):
        from editor_app.formats.srdf import read_srdf

        return read_srdf(source).srdf.disabled()
    from editor_app.formats.xrdf import read_xrdf

    section = read_xrdf(source).xrdf.self_collision
    return frozenset(section.ignored_pairs()) if section is not None else frozenset()
