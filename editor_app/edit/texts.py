"""What saving would write: for each file its text as read, with what differs in the model spliced in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from editor_app.edit.state import FileKind, State
from editor_app.formats.source import SourceText
from editor_app.formats.srdf import SrdfSource, patch_srdf, read_srdf, srdf_text
from editor_app.formats.urdf import UrdfSource, read_urdf
from editor_app.formats.urdf.patch import patch_urdf


def text_of(state: State, kind: FileKind) -> str | None:
    """The text of one file; None for an SRDF that is not there. Raises FormatError for what cannot be written."""
    if kind is FileKind.XRDF:
        from editor_app.formats.xrdf import patch_xrdf

        return patch_xrdf(state.xrdf_source, state.robot.xrdf).text
    if kind is FileKind.SRDF:
        now = srdf_now(state)
        return now.source.text if now is not None else None
    return urdf_now(state).source.text


def written_source(state: State, kind: FileKind, text: str, path: Path | None) -> SourceText:
    """`text` with the encoding of the file that it was read from, for `path`."""
    old_source = state.source(kind)
    source = old_source.with_text(text) if old_source is not None else SourceText.from_text(text)
    return replace(source, path=path)


def srdf_now(state: State) -> SrdfSource | None:
    """The SRDF as saving would write it, read again. Raises FormatError for what cannot be written."""

    srdf = state.robot.srdf
    if srdf is None:
        return None
    if state.srdf_source is None:
        return read_srdf(SourceText.from_text(srdf_text(srdf)))
    return patch_srdf(state.srdf_source, srdf).written


def urdf_now(state: State) -> UrdfSource:
    """The URDF as saving would write it, read again. Raises FormatError for what cannot be written."""
    source, urdf = state.urdf_source, state.robot.urdf
    if urdf is source.urdf or urdf == source.urdf:
        return source

    return patch_urdf(source, urdf).written


def state_with_text(state: State, kind: FileKind, text: str) -> State:
    """`state` with another text for one of its files, read. Raises FormatError when it cannot be read."""
    source = written_source(state, kind, text, _path(state, kind))
    if kind is FileKind.XRDF:
        from editor_app.formats.xrdf import read_xrdf

        xrdf = read_xrdf(source)
        return replace(state, robot=state.robot.with_xrdf(xrdf.xrdf), xrdf_source=xrdf)
    if kind is FileKind.SRDF:
        from editor_app.formats.srdf import read_srdf

        srdf = read_srdf(source)
        return replace(state, robot=state.robot.with_srdf(srdf.srdf), srdf_source=srdf)

    urdf = read_urdf(source)
    return replace(state, robot=state.robot.with_urdf(urdf.urdf), urdf_source=urdf)


def _path(state: State, kind: FileKind) -> Path | None:
    source = state.source(kind)
    return source.path if source is not None else None
