"""What the reader of the URDF could not understand."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import rule
from editor_app.model.findings import Finding


@rule("URDF020", "What the reader of the URDF could not understand", "urdf", "urdf_source", file="urdf")
def reading(c: CheckContext) -> Iterable[Finding]:
    return c.urdf_source.findings if c.urdf_source is not None else ()
