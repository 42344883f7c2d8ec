"""From files to a document: the URDF, and the XRDF beside it, named, or drafted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from editor_app.edit.document import Document
from editor_app.formats.source import SourceText
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xrdf import draft_xrdf, read_xrdf

OnProgress = Callable[[float, str], None]


def xrdf_beside(urdf: Path) -> Path | None:
    """The XRDF of the same stem in the URDF's folder, else None."""
    for suffix in (".xrdf", ".xrdf.yaml", ".xrdf.yml"):
        candidate = urdf.with_name(urdf.stem + suffix)
        if candidate.is_file():
            return candidate
    return None


def open_robot(
    urdf: str | Path, xrdf: str | Path | None = None, *, new_xrdf: bool = False, on_progress: OnProgress | None = None
) -> Document:
    """Opens a robot. Without `xrdf`, the one beside the URDF, or (also with `new_xrdf`) a draft of a new one.

    A draft counts as not yet saved; its path is that of the URDF with the suffix .xrdf when that is free.
    Raises OSError when a file cannot be read, FormatError (with file, line and remedy) when it makes no sense.
    """
    tell = on_progress or (lambda fraction, sentence: None)
    urdf_path = Path(urdf).absolute()
    tell(0.0, f"Reading {urdf_path.name}")
    urdf_source = read_urdf(SourceText.read(urdf_path))
    found = None if new_xrdf else Path(xrdf).absolute() if xrdf is not None else xrdf_beside(urdf_path)
    if found is not None:
        tell(0.3, f"Reading {found.name}")
        return Document(urdf_source, read_xrdf(SourceText.read(found)))
    tell(0.3, "Drafting a new XRDF")
    target = urdf_path.with_suffix(".xrdf")
    path = None if target.exists() else target
    source = SourceText.from_text(draft_xrdf(urdf_source.urdf), path)
    return Document(urdf_source, read_xrdf(source), xrdf_is_new=True)
