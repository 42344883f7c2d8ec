"""Which link and joint of a stage a robot's link or joint is: by its name, else by the parts next
to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from editor_app.core.formats.exchange.identifiers import identifier
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Location
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.urdf import Urdf
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.reading.values import ReadStage

_MOST = 6


@dataclass(frozen=True, slots=True)
class StageNames:
    """`links`, `joints`: name in the robot -> name in the stage, for each one that the stage
    has."""

    links: Mapping[str, str]
    joints: Mapping[str, str]


def match_names(robot: Urdf, read: ReadStage, place: Location) -> StageNames:
    """Return the names that mean the same part.

    Raises FormatError for a stage most of whose bodies are no links of the robot.
    """
    stage = read.urdf
    links = _same_names((link.name for link in robot.links), (link.name for link in stage.links))
    joints = _same_names(
        (joint.name for joint in robot.joints), (joint.name for joint in stage.joints)
    )
    graphs = KinematicGraph(robot), KinematicGraph(stage)
    count = -1
    while count != len(links) + len(joints):
        # A part with another name is the one next to a part that has its name.
        count = len(links) + len(joints)
        for joint in robot.joints:
            theirs = graphs[1].joints.get(joints.get(joint.name, ""))
            if theirs is not None:
                _pair(links, joint.child, theirs.child)
                _pair(links, joint.parent, theirs.parent)
            above = graphs[1].incoming.get(links.get(joint.child, ""))
            if above is not None:
                _pair(joints, joint.name, above.name)
            # Of several joints behind one link, nothing says which is which.
            mine = [
                j.name for j in graphs[0].outgoing.get(joint.parent, ()) if j.name not in joints
            ]
            behind = graphs[1].outgoing.get(links.get(joint.parent, ""), ())
            rest = [j.name for j in behind if j.name not in joints.values()]
            if len(mine) == 1 and len(rest) == 1:
                _pair(joints, mine[0], rest[0])
    bodies = read.places.bodies
    missing = sorted(bodies.difference(links.values()))
    if 2 * len(missing) > len(bodies):
        message = (
            f"This USD is not that of the robot: {format_list(missing, _MOST)} are not links of "
            f"{robot.name or 'it'}"
        )
        fix = (
            "Name the USD that the robot was imported from, or that was generated from its URDF, "
            "with --usd-robot."
        )
        raise FormatError(message, place, fix)
    return StageNames(links, joints)


def _same_names(names: Iterable[str], in_stage: Iterable[str]) -> dict[str, str]:
    """Pair equal names, then names that become equal where USD replaces characters."""
    ours, theirs = list(names), dict.fromkeys(in_stage)
    pairs = {name: name for name in ours if name in theirs}
    by_identifier = {identifier(name): name for name in theirs if name not in pairs}
    for name in ours:
        if name not in pairs and identifier(name) in by_identifier:
            pairs[name] = by_identifier.pop(identifier(name))
    return pairs


def _pair(pairs: dict[str, str], name: str, in_stage: str) -> None:
    if name not in pairs and in_stage not in pairs.values():
        pairs[name] = in_stage
