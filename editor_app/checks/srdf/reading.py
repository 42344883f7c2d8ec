"""What the reader of the SRDF could not understand, and the names that the URDF does not have."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import rule
from editor_app.formats.srdf import reference_findings
from editor_app.model.findings import Finding


@rule("SRDF001", "What the reader of the SRDF could not understand", "srdf", "srdf_source", file="srdf")
def reading(c: CheckContext) -> Iterable[Finding]:
    return c.srdf_source.findings if c.srdf_source is not None else ()


@rule("SRDF010", "The SRDF does not fit the URDF", "srdf", "srdf_source urdf", file="srdf")
def references(c: CheckContext) -> Iterable[Finding]:
    if c.srdf_source is None or not c.has_urdf:
        return ()
    return reference_findings(c.srdf_source, c.urdf)
