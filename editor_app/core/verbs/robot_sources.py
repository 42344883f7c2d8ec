"""A robot as the texts that would be saved now, since no document can be sent to a worker
process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.text.source import SourceText


@dataclass(frozen=True)
class RobotSources:
    """A robot as the texts that would be saved now; it can be sent to a worker process."""

    urdf: SourceText
    xrdf: SourceText
    srdf: SourceText | None
    packages: FrozenDict[str, Path] = FrozenDict()

    @classmethod
    def of(cls, document: Document) -> RobotSources:
        """Raises FormatError for a robot that cannot be written."""
        srdf = document.srdf_now
        return cls(
            document.urdf_now.source,
            document.xrdf_now.source,
            None if srdf is None else srdf.source,
            FrozenDict(document.packages),
        )

    def document(self) -> Document:
        """Return the robot as a document."""
        srdf = None if self.srdf is None else read_srdf(self.srdf)
        document = Document(read_urdf(self.urdf), read_xrdf(self.xrdf), srdf)
        document.packages = self.packages
        return document
