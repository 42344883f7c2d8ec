"""The verb detach: a part that was attached comes off again, by what the comments of the files tell of it.

While nothing else was edited, the files have the bytes that they had before the part was attached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from editor_app.edit.commands import RemoveLink
from editor_app.edit.document import Document
from editor_app.edit.state import FileKind, State
from editor_app.edit.texts import text_of
from editor_app.formats.source import SourceText
from editor_app.formats.srdf import read_srdf
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xml.attached_block import parts_in, without_block
from editor_app.formats.yaml.attached_record import without_record
from editor_app.model.attached_part import AttachedPart
from editor_app.model.change import Label
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.references import FIELDS
from editor_app.operations.arguments import checked
from editor_app.operations.robot_texts import RobotTexts, has_xrdf, placed, state_of
from editor_app.operations.work import Refused

__all__ = ["Detached", "attached_parts", "detach", "part_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Detached(RobotTexts):
    """The robot without `part`.

    `is_exact`: each text is the one from before the part was attached. `consequences`: what went with it.
    """

    part: AttachedPart
    is_exact: bool
    consequences: str
    label = Label("Detach {part.file}")


def attached_parts(document: Document) -> tuple[AttachedPart, ...]:
    """The parts that were attached and are still there, in the order of the URDF."""
    urdf = document.robot.urdf
    parts = parts_in(text_of(document.state, FileKind.URDF) or "")
    return tuple(part for part in parts if urdf.joint(part.mount) is not None and urdf.link(part.link) is not None)


@checked
def detach(document: Document, link: str | None = None, output: str | Path | None = None) -> Detached:
    """The robot without the part that `link` belongs to; the document is left as it is.

    None: the only part. What was attached to the part since goes with it. `output`: the URDF that is to be written, as
    of `compose`. Raises Refused where there is no such part, FormatError.
    """
    part = part_of(document, link)
    path = Path(output) if output is not None else document.urdf_path or Path("robot.urdf")
    before = placed(document, path)
    removal = RemoveLink(part.link)
    links = set(removal.links(before.robot.urdf))
    gone = links | {joint.name for joint in before.robot.urdf.joints if joint.child in links}
    parts = [each for each in parts_in(before.urdf_source.source.text) if each.link in links]
    removed = before.with_robot(removal.apply(before.robot))
    urdf, is_urdf_exact = _without_blocks(before, removed, FileKind.URDF, parts, gone)
    xrdf, is_xrdf_exact = before.xrdf_source.source.text, True
    for each in reversed(parts):
        xrdf, is_undone = without_record(xrdf, each)
        is_xrdf_exact &= is_undone
    if not is_xrdf_exact:
        xrdf = text_of(removed, FileKind.XRDF) or ""
        for each in reversed(parts):
            xrdf, _ = without_record(xrdf, each)
    kinds = [FileKind.URDF, *([FileKind.XRDF] if has_xrdf(document) else [])]
    srdf, is_srdf_exact = None, True
    if before.srdf_source is not None:
        srdf, is_srdf_exact = _without_blocks(before, removed, FileKind.SRDF, parts, gone)
        if read_srdf(srdf).document.root.children or path == document.urdf_path:
            kinds.append(FileKind.SRDF)
    state = state_of(urdf, before.xrdf_source.source.with_text(xrdf), srdf)
    is_exact = is_urdf_exact and is_srdf_exact and (is_xrdf_exact or FileKind.XRDF not in kinds)
    return Detached(state, tuple(kinds), part, is_exact, removal.consequences(before.robot))


def part_of(document: Document, link: str | None = None) -> AttachedPart:
    """The attached part that `link` belongs to; None: the only one. Raises Refused where there is no such part."""
    parts = attached_parts(document)
    told = ", ".join(f"{part.file} with {part.link} at {part.at}" for part in parts)
    if not parts:
        raise Refused("no part was attached to the robot by compose: Robot, Remove link takes any branch off")
    if link is None:
        if len(parts) > 1:
            raise Refused(f"several parts were attached: name a link of the one that comes off ({told})")
        return parts[0]
    graph = KinematicGraph(document.robot.urdf)
    # Of parts within parts, the innermost.
    holding = [part for part in parts if link == part.mount or link in graph.below(part.link)]
    if not holding:
        raise Refused(f"{link} belongs to no part that was attached: {told}")
    return min(holding, key=lambda part: len(graph.below(part.link)))


def _without_blocks(
    before: State, removed: State, kind: FileKind, parts: Sequence[AttachedPart], gone: Collection[str]
) -> tuple[SourceText, bool]:
    """The text without the blocks of the parts, and whether nothing else was to be removed."""
    source = before.source(kind)
    assert source is not None
    cut = source.with_text(_cut(source.text, parts))
    document = read_urdf(cut).urdf if kind is FileKind.URDF else read_srdf(cut).srdf
    names = {name for field in FIELDS if field.document == kind for name in field.names(document)}
    if kind is FileKind.URDF:
        names |= {link.name for link in read_urdf(cut).urdf.links}
    if not names & set(gone):
        return cut, True
    return source.with_text(_cut(text_of(removed, kind) or "", parts)), False


def _cut(text: str, parts: Sequence[AttachedPart]) -> str:
    for part in reversed(parts):
        text = without_block(text, part)
    return text
