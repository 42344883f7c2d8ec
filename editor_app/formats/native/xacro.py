"""xacro: expanded when the user permits it, since that evaluates Python expressions of the file."""

from __future__ import annotations

from pathlib import Path

from editor_app.formats.exchange.codec import Codec, ReadContext, RobotFiles, path_of, source_of
from editor_app.formats.exchange.report import Reporter
from editor_app.formats.source import SourceText
from editor_app.formats.urdf import XacroFile, read_urdf
from editor_app.model.counting import counted


def expansion(path: Path, context: ReadContext) -> SourceText:
    """What a xacro file expands to. Raises XacroFile when the user did not permit it."""
    expand = context.surroundings.expand_xacro
    if expand is None:
        raise XacroFile("its name ends in .xacro", source_of(path).location(0))
    return expand(path)


def expanded(path: Path, context: ReadContext) -> RobotFiles:
    """The URDF that a file expands to. Raises XacroFile when the user did not permit it."""
    source = read_urdf(expansion(path, context))
    out = Reporter("xacro", "URDF")
    links, joints = counted(len(source.urdf.links), "link"), counted(len(source.urdf.joints), "joint")
    out.translated("macros and expressions", f"expanded to {links} and {joints}")
    return RobotFiles(urdf=source, report=out.report())


CODEC = Codec(
    name="xacro",
    title="&xacro",
    pattern="*.xacro",
    endings=(".xacro",),
    read=lambda file, context: expanded(path_of(file), context),
    is_whole=True,
)
