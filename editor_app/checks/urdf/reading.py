"""What the reader of the URDF could not understand, with the remedies that the model allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import rule
from editor_app.checks.urdf import fixes
from editor_app.model.change import Change
from editor_app.model.findings import Finding
from editor_app.model.urdf import Urdf


@rule("URDF020", "What the reader of the URDF could not understand", "urdf", "urdf_source", file="urdf")
def reading(c: CheckContext) -> Iterable[Finding]:
    if c.urdf_source is None:
        return
    for finding in c.urdf_source.findings:
        remedies = _remedies(finding, c.urdf_source.urdf)
        yield replace(finding, fixes=remedies) if remedies else finding


def _remedies(finding: Finding, urdf: Urdf) -> tuple[Change, ...]:
    if finding.code not in ("URDF043", "URDF044") or len(finding.subject.joints) != 1:
        return ()
    joint = urdf.joint(finding.subject.joints[0])
    if joint is None:
        return ()
    if finding.code == "URDF044":
        return (fixes.usual_axis(joint),)
    return (fixes.swapped_limits(joint, joint.limit),) if joint.limit is not None else ()
