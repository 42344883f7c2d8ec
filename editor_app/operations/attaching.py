"""A part that is attached to the open robot, as a job: what would come along, and then the texts that it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from editor_app.edit.document import Document
from editor_app.edit.state import FileKind
from editor_app.formats.exchange.report import Entry
from editor_app.formats.source import SourceText
from editor_app.formats.srdf import read_srdf
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xrdf import read_xrdf
from editor_app.model.brief import brief
from editor_app.model.frozen import FrozenDict
from editor_app.model.origin import Vector3
from editor_app.operations.compose import Attachment, compose
from editor_app.operations.name_clashes import NameClash
from editor_app.operations.open import open_robot
from editor_app.operations.part_choices import PartChoices
from editor_app.operations.robot_texts import has_xrdf, placed
from editor_app.operations.swap import free_mount, replaced
from editor_app.tasks.job import Report


@dataclass(frozen=True, slots=True)
class PartPlace:
    """`part`: its URDF; where it hangs, and what counts, as of `Attachment`.

    `replaces`: a link of a part that comes off before.
    """

    part: Path
    at: str
    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)
    prefix: str = ""
    frame: str | None = None
    tools: tuple[str, ...] | None = None
    joints: tuple[str, ...] | None = None
    variant: str | None = None
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Attached:
    """`texts` for `Document.replace_texts`; `entries`: what came of the part; `notes`: what to look at.

    `choices`: tools, joints and variants to choose from. `clash`: names that both have, with `prefix` as the remedy;
    there are no texts then.
    """

    texts: FrozenDict[FileKind, str] = FrozenDict()
    label: str = ""
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()
    choices: PartChoices = PartChoices()
    clash: str = ""
    prefix: str = ""

    __repr__ = brief


@dataclass(frozen=True, slots=True)
class AttachPart:
    """The job. `sources` are the robot's files as they would be saved; with `quick`, no pair is judged."""

    sources: FrozenDict[FileKind, SourceText]
    has_xrdf: bool
    packages: tuple[tuple[str, Path], ...]
    place: PartPlace
    quick: bool = False

    @classmethod
    def to(cls, document: Document, place: PartPlace, *, quick: bool = False) -> AttachPart:
        """Raises Refused while text is being typed, FormatError for what cannot be written."""
        state = placed(document, document.urdf_path or Path("robot.urdf"))
        sources = {kind: source for kind in FileKind if (source := state.source(kind)) is not None}
        return cls(FrozenDict(sources), has_xrdf(document), tuple(document.packages.items()), place, quick)

    def __call__(self, report: Report) -> Attached:
        srdf = self.sources.get(FileKind.SRDF)
        base = Document(
            read_urdf(self.sources[FileKind.URDF]),
            read_xrdf(self.sources[FileKind.XRDF]),
            None if srdf is None else read_srdf(srdf),
            xrdf_is_new=not self.has_xrdf,
        )
        packages: Mapping[str, Path] = dict(self.packages)
        base.packages = packages
        place = self.place
        part = open_robot(place.part, packages=packages)
        attachment = Attachment(
            part,
            place.at,
            place.xyz,
            place.rpy,
            place.prefix,
            place.frame,
            place.tools,
            place.joints,
            place.variant,
        )
        free = None if place.replaces is None else free_mount(base, place.replaces)
        base = base if free is None else free.base
        try:
            if self.quick:
                assembly = compose(base, [attachment], samples=1, certify=0)
            else:
                assembly = compose(base, [attachment], progress=report.progress)
        except NameClash as clash:
            return Attached(clash=str(clash), prefix=clash.prefix)
        assembly = assembly if free is None else replaced(assembly, free)
        entries = tuple(entry for each in assembly.reports for entry in each.entries)
        if self.quick:
            entries = tuple(entry for entry in entries if not entry.item.startswith("pairs between"))
        notes = () if self.quick else assembly.notes
        return Attached(assembly.texts, assembly.label, entries, notes, assembly.choices[-1])
