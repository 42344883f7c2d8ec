"""A part that is attached to the open robot, as a job: what would come along, and then the texts that it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from editor_app.edit.document import Document
from editor_app.edit.state import FileKind
from editor_app.formats.exchange.conversion import Entry
from editor_app.formats.source import SourceText
from editor_app.formats.srdf import read_srdf
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xrdf import read_xrdf
from editor_app.model.brief import brief
from editor_app.model.frozen import FrozenDict
from editor_app.operations.compose import Attachment, compose
from editor_app.operations.name_clashes import NameClash
from editor_app.operations.part_choices import PartChoices
from editor_app.operations.robot_texts import has_xrdf, placed
from editor_app.operations.swap import free_mount, replaced
from editor_app.tasks.job import Report


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
    """The job. `sources` are the robot's files as they would be saved; with `quick`, no pair is judged.

    `replaces`: a link of a part that comes off before.
    """

    sources: FrozenDict[FileKind, SourceText]
    has_xrdf: bool
    packages: FrozenDict[str, Path]
    attachment: Attachment
    replaces: str | None = None
    quick: bool = False

    @classmethod
    def to(
        cls, document: Document, attachment: Attachment, replaces: str | None = None, *, quick: bool = False
    ) -> AttachPart:
        """Raises Refused while text is being typed, FormatError for what cannot be written."""
        state = placed(document, document.urdf_path or Path("robot.urdf"))
        sources = {kind: source for kind in FileKind if (source := state.source(kind)) is not None}
        packages = FrozenDict(document.packages)
        return cls(FrozenDict(sources), has_xrdf(document), packages, attachment, replaces, quick)

    def __call__(self, report: Report) -> Attached:
        srdf = self.sources.get(FileKind.SRDF)
        base = Document(
            read_urdf(self.sources[FileKind.URDF]),
            read_xrdf(self.sources[FileKind.XRDF]),
            None if srdf is None else read_srdf(srdf),
            xrdf_is_new=not self.has_xrdf,
        )
        base.packages = self.packages
        free = None if self.replaces is None else free_mount(base, self.replaces)
        base = base if free is None else free.base
        try:
            if self.quick:
                assembly = compose(base, [self.attachment], samples=1, certify=0)
            else:
                assembly = compose(base, [self.attachment], progress=report.progress)
        except NameClash as clash:
            return Attached(clash=str(clash), prefix=clash.prefix)
        assembly = assembly if free is None else replaced(assembly, free)
        entries = tuple(entry for each in assembly.reports for entry in each.entries)
        if self.quick:
            entries = tuple(entry for entry in entries if not entry.item.startswith("pairs between"))
        notes = () if self.quick else assembly.notes
        return Attached(assembly.texts, assembly.label, entries, notes, assembly.choices[-1])
