"""Faults of the kinematic structure that no rule about the URDF's text has told already."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import rule
from editor_app.checks.urdf.structure import urdf_findings
from editor_app.model.findings import Finding

#: The codes of the URDF that tell the same fault with its place.
TOLD_BY = {
    "TREE001": ("URDF009", "URDF008"),
    "TREE002": ("URDF012",),
    "TREE003": ("URDF011",),
    "TREE004": ("URDF006",),
    # Links that hang on nothing: the fault that took their joint away is told with its place.
    "TREE005": ("URDF005", "URDF006", "URDF008", "URDF009", "URDF010", "URDF011", "URDF012", "URDF014"),
    "TREE006": ("URDF010",),
    "TREE007": ("URDF040", "URDF041"),
    "TREE008": ("URDF044",),
    "TREE009": ("URDF020",),
    "TREE010": ("URDF043",),
    "TREE011": ("URDF004",),
}


@rule("TREE001", "The kinematic structure leaves something out", "urdf", "urdf modifiers urdf_source", file="urdf")
def structure(c: CheckContext) -> Iterable[Finding]:
    told = urdf_findings(c.urdf_source) if c.urdf_source is not None else ()
    for problem in c.tree.problems:
        same = (f for f in told if f.code in TOLD_BY[problem.code])
        if not any(_about_the_same(f, problem) for f in same):
            yield problem


def _about_the_same(finding: Finding, problem: Finding) -> bool:
    one, other = finding.subject, problem.subject
    if set(one.links) & set(other.links) or set(one.joints) & set(other.joints):
        return True
    return problem.code in ("TREE005", "TREE006")
