"""Parts of an assembly: one is detached, by comments in the files, or swapped; and
attaching as a job, with a swap before it.

While nothing else was edited, a robot whose part comes off has the bytes from before the part was
attached.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.core.document.commands import RemoveLink
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind, State
from editor_app.core.document.texts import compute_text, read_part
from editor_app.core.formats.exchange.conversion import ConversionItem
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.attached_part import AttachedPart
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import Origin
from editor_app.core.model.references import FIELDS
from editor_app.core.model.robot import Label
from editor_app.core.space.kinematics.transforms import build_origin_matrix, matrix_origin
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.task import Job, Task, TaskReporter
from editor_app.core.tasks.work import Cancel, Progress, Refused, check_arguments, never, silent
from editor_app.core.text.source import SourceText
from editor_app.core.text.xml.attached_block import parts_in, without_block
from editor_app.core.text.yaml.attached_record import without_record
from editor_app.core.verbs.robot_texts import RobotTexts, has_xrdf, place_document, state_of
from editor_app.plugins.assembly.verbs.compose import Assembly, Attachment, compose
from editor_app.plugins.assembly.verbs.joined_xrdf import NameClash
from editor_app.plugins.assembly.verbs.mounting import rigid_frames
from editor_app.plugins.assembly.verbs.part_choices import PartChoices


@dataclass(frozen=True, slots=True, eq=False)
class Detached(RobotTexts):
    """The robot without `part`.

    `is_exact`: each text is the one from before the part was attached. `consequences`: what went
    with it.
    """

    part: AttachedPart
    is_exact: bool
    consequences: str
    label = Label("Detach {part.file}")


@check_arguments
def attached_parts(document: Document) -> tuple[AttachedPart, ...]:
    """The parts that were attached and are still there, in the order of the URDF."""
    urdf = document.robot.urdf
    parts = parts_in(compute_text(document.state, FileKind.URDF) or "")
    return tuple(
        part
        for part in parts
        if urdf.joint(part.mount) is not None and urdf.link(part.link) is not None
    )


@check_arguments
def detach(
    document: Document, link: str | None = None, output: str | Path | None = None
) -> Detached:
    """The robot without the part that `link` belongs to; the document is left as it is.

    None: the only part. What was attached to the part since goes with it. `output`: the URDF that
    is to be written, as of `compose`. Raises Refused where there is no such part, FormatError.
    """
    part = part_of(document, link)
    path = Path(output) if output is not None else document.urdf_path or Path("robot.urdf")
    before = place_document(document, path)
    removal = RemoveLink(part.link)
    links = set(removal.links(before.robot.urdf))
    gone = links | {joint.name for joint in before.robot.urdf.joints if joint.child in links}
    parts = [each for each in parts_in(before.urdf_source.source.text) if each.link in links]
    removed = before.changed_by(removal)
    urdf, is_urdf_exact = _without_blocks(before, removed, FileKind.URDF, parts, gone)
    xrdf, is_xrdf_exact = before.xrdf_source.source.text, True
    for each in reversed(parts):
        xrdf, is_undone = without_record(xrdf, each)
        is_xrdf_exact &= is_undone
    if not is_xrdf_exact:
        xrdf = compute_text(removed, FileKind.XRDF) or ""
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
    return Detached(
        state,
        tuple(kinds),
        part,
        is_exact,
        removal.consequences(before.robot),
        inputs=document.inputs,
    )


def part_of(document: Document, link: str | None = None) -> AttachedPart:
    """The attached part that `link` belongs to; None: the only one. Raises Refused where there is
    no such part."""
    parts = attached_parts(document)
    told = ", ".join(f"{part.file} with {part.link} at {part.at}" for part in parts)
    if not parts:
        raise Refused(
            "compose attached no part to this robot. To remove any branch, use Robot, Remove link"
        )
    if link is None:
        if len(parts) > 1:
            raise Refused(f"several parts are attached: name a link of the part to remove ({told})")
        return parts[0]
    graph = KinematicGraph(document.robot.urdf)
    # Of parts within parts, the innermost.
    holding = [part for part in parts if link == part.mount or link in graph.below(part.link)]
    if not holding:
        raise Refused(f"{link} does not belong to an attached part: {told}")
    return min(holding, key=lambda part: len(graph.below(part.link)))


def _without_blocks(
    before: State,
    removed: State,
    kind: FileKind,
    parts: Sequence[AttachedPart],
    gone: Collection[str],
) -> tuple[SourceText, bool]:
    """The text without the blocks of the parts, and whether nothing else was to be removed."""
    source = before.source(kind)
    assert source is not None
    cut = source.with_text(_cut(source.text, parts))
    document = read_urdf(cut).value if kind is FileKind.URDF else read_srdf(cut).value
    names = {name for field in FIELDS if field.document == kind for name in field.names(document)}
    if kind is FileKind.URDF:
        names |= {link.name for link in read_urdf(cut).value.links}
    if not names & set(gone):
        return cut, True
    return source.with_text(_cut(compute_text(removed, kind) or "", parts)), False


def _cut(text: str, parts: Sequence[AttachedPart]) -> str:
    for part in reversed(parts):
        text = without_block(text, part)
    return text


@dataclass(frozen=True, slots=True, eq=False)
class FreeMount:
    """`base`: the robot without a part that hung on `at`, where its root or its frame was at
    `place`."""

    base: Document
    detached: Detached
    at: str
    place: Origin

    __repr__ = brief

    @property
    def note(self) -> str:
        """A note about the content removed with the part."""
        return (
            f"{self.detached.part.file} was removed from {self.at}: {self.detached.consequences}."
        )


@check_arguments
def free_mount(document: Document, link: str | None = None) -> FreeMount:
    """The robot without the part that `link` belongs to, and where it was; None: the only part.

    The place is the present one, also where it was moved since. Raises Refused where there is no
    such part.
    """
    detached = detach(document, link)
    state, part = detached.state, detached.part
    base = Document(*state.parts.values(), xrdf_is_new=not has_xrdf(document))
    packages: Mapping[str, Path] = document.packages
    base.packages = packages
    mount = document.robot.urdf.joint(part.mount)
    assert mount is not None
    place = mount.origin
    if part.frame:
        frames = rigid_frames(get_tree(document.robot), part.link)
        if part.frame in frames:
            place = matrix_origin(build_origin_matrix(place) @ frames[part.frame])
    return FreeMount(base, detached, mount.parent, place)


@check_arguments
def swap(
    document: Document,
    part: Document,
    link: str | None = None,
    output: str | Path | None = None,
    *,
    prefix: str = "",
    frame: str | None = None,
    variant: str | None = None,
    samples: int | None = None,
    certify: float = 10.0,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Assembly:
    """`part` in the place of the part that `link` belongs to (None: of the only one); the document
    is left as it is.

    `frame`, `variant`: as of `Attachment`. What hung on the old part goes with it, and is told.
    Raises Refused, also for names that both have; FormatError, Cancelled.
    """
    free = free_mount(document, link)
    attachment = Attachment(
        part, free.at, free.place.xyz, free.place.rpy, prefix, frame, variant=variant
    )
    assembly = compose(
        free.base,
        [attachment],
        output,
        samples=samples,
        certify=certify,
        executor=executor,
        progress=progress,
        cancel=cancel,
    )
    return replaced(assembly, free)


def replaced(assembly: Assembly, free: FreeMount) -> Assembly:
    """The assembly, with what it says of the part whose place was taken."""
    notes, inputs = (free.note, *assembly.notes), free.detached.inputs | assembly.inputs
    return replace(assembly, replaced=free.detached.part, notes=notes, inputs=inputs)


@dataclass(frozen=True, slots=True)
class Attached:
    """`texts` for `Document.replace_texts`; `entries`: what came of the part; `notes`: what to look
    at.

    `choices`: tools, joints and variants to choose from. `clash`: names that both have, with
    `prefix` as the remedy; there are no texts then.
    """

    texts: FrozenDict[FileKind, str] = FrozenDict()
    label: str = ""
    entries: tuple[ConversionItem, ...] = ()
    notes: tuple[str, ...] = ()
    choices: PartChoices = PartChoices()
    clash: str = ""
    prefix: str = ""

    __repr__ = brief


def attach_job(
    document: Document, attachment: Attachment, replaces: str | None = None, *, quick: bool = False
) -> Job:
    """Attaching as a job; `replaces`: a link of a part that comes off before. With `quick`, no pair
    is judged.

    Raises Refused while text is being typed, FormatError for what cannot be written.
    """
    state = place_document(document, document.urdf_path or Path("robot.urdf"))
    sources = {kind: source for kind in FileKind if (source := state.source(kind)) is not None}
    return Task(
        _attached, sources, has_xrdf(document), document.packages, attachment, replaces, quick
    )


def _attached(
    reporter: TaskReporter,
    sources: Mapping[FileKind, SourceText],
    is_with_xrdf: bool,
    packages: Mapping[str, Path],
    attachment: Attachment,
    replaces: str | None,
    quick: bool,
) -> Attached:
    """`sources`: the robot's files as they would be saved."""
    parts = (read_part(kind, source) for kind, source in sources.items())
    base = Document(*parts, xrdf_is_new=not is_with_xrdf)
    base.packages = FrozenDict(packages)
    free = None if replaces is None else free_mount(base, replaces)
    base = base if free is None else free.base
    try:
        if quick:
            assembly = compose(base, [attachment], samples=1, certify=0)
        else:
            assembly = compose(base, [attachment], progress=reporter.progress)
    except NameClash as clash:
        return Attached(clash=str(clash), prefix=clash.prefix)
    assembly = assembly if free is None else replaced(assembly, free)
    entries = tuple(entry for each in assembly.reports for entry in each.entries)
    if quick:
        entries = tuple(entry for entry in entries if not entry.item.startswith("pairs between"))
    notes = () if quick else assembly.notes
    return Attached(assembly.texts, assembly.label, entries, notes, assembly.choices[-1])
