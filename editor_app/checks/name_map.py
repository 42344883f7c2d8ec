"""One remedy for a file that has other names than the robot: those that are spelt otherwise, all at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from editor_app.checks.context import CheckContext
from editor_app.edit.commands.repairs import MapNames
from editor_app.model.findings import Finding
from editor_app.model.near_names import paired
from editor_app.model.references import Named, reference_fields

#: Codes of names that are no part of the robot.
UNKNOWN_NAMES = frozenset(("XRDF302", "XRDF402", "XRDF504", "XRDF601", "XRDF702", "XRDF802"))
#: With fewer names the remedies of single names serve; with more pairs to compare, looking takes too long.
_LEAST, _MOST_PAIRS = 3, 20_000


def with_name_map(findings: tuple[Finding, ...], context: CheckContext) -> tuple[Finding, ...]:
    """The findings about names that are not in the robot, with the remedy for all of these names first."""
    if sum(finding.code in UNKNOWN_NAMES for finding in findings) < _LEAST:
        return findings
    added = context.added_frames.values()
    links = _pairs(context, Named.LINK, {*context.urdf_links, *context.added_frames}, context.frames)
    joints = _pairs(
        context, Named.JOINT, {*context.urdf_joints, *(frame.joint_name for frame in added)}, context.tree_joints
    )
    if len(links) + len(joints) < _LEAST:
        return findings
    fix, mapped = MapNames(links, joints), {old for old, _ in (*links, *joints)}
    return tuple(
        replace(finding, fixes=(fix, *finding.fixes))
        if finding.code in UNKNOWN_NAMES and not mapped.isdisjoint((*finding.subject.links, *finding.subject.joints))
        else finding
        for finding in findings
    )


def _pairs(
    context: CheckContext, named: Named, present: Iterable[str], reachable: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    fields = reference_fields(named, ("xrdf",))
    unknown = frozenset(name for field in fields for name in field.names(context.xrdf)).difference(present)
    candidates = frozenset(reachable)
    return paired(unknown, candidates) if 0 < len(unknown) * len(candidates) <= _MOST_PAIRS else ()
