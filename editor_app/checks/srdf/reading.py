"""What the reader of the SRDF could not understand."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import rule
from editor_app.model.findings import Finding


@rule("SRDF001", "What the reader of the SRDF could not understand", "srdf", "srdf_source", file="srdf")
def reading(c: CheckContext) -> Iterable[Finding]:
    return c.srdf_source.findings if c.srdf_source is not None else ()
