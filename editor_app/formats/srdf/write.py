"""The text of a new SRDF."""

from __future__ import annotations

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf.read import read_srdf
from editor_app.formats.srdf.wanted import srdf_element
from editor_app.formats.xml.new_document import document_text
from editor_app.model.findings import Location
from editor_app.model.srdf import Srdf


def srdf_text(srdf: Srdf) -> str:
    """A whole file for a model. Raises FormatError for what XML cannot hold, or values that are not finite."""
    # Imported late: patching needs nothing of writing, and the two should not become one.
    from editor_app.formats.srdf.patch import canonical

    try:
        text = document_text(srdf_element(srdf).element(), encoding="UTF-8")
    except ValueError as error:
        raise FormatError(f"It cannot be written as SRDF: {error}", Location("<new SRDF>")) from None
    written = read_srdf(SourceText.from_text(text)).srdf
    if canonical(written) != canonical(srdf):
        names = [n for n in Srdf.__dataclass_fields__ if getattr(written, n) != getattr(srdf, n)]
        raise FormatError(f"{', '.join(names)} cannot be written as SRDF", Location("<new SRDF>"))
    return text
