"""Findings about a URDF, and the collector to which readers report them.

"Refused" and "dropped" say what urdfdom does, on which ROS and most other programs build (checked
against its `check_urdf`); where nothing is said it accepts the file in silence. The editor itself
opens all of them.

=======  ===  ==========================================================================================
URDF001   E   the robot has no name (refused)
URDF002   E   no links (refused)
URDF003   E   a link has no name
URDF004   E   two links have the same name (refused)
URDF005   E   a joint has no name (refused)
URDF006   E   two joints have the same name (refused)
URDF007   E   a joint's type is missing or unknown (refused); taken as fixed
URDF008   E   a joint lacks its parent or child (refused)
URDF009   E   a joint names a link that does not exist (refused)
URDF010   E   no root link, or more than one (refused)
URDF011   E   a link has two parents
URDF012   E   parent and child of a joint are the same link
URDF013   W   a link and a joint have the same name
URDF014   E   links form a loop without a connection to the root
URDF015   E   the version is not 1.0, 1.1 or 1.2 (refused)
URDF020   E   a value is not a number, or a vector has the wrong length (refused, or dropped: see 030-032)
URDF021   E   a tab, a line break or a trailing space in a value (refused, or dropped)
URDF022   E   a required element or attribute is missing (refused, or dropped; which are, depends on the version)
URDF023   E   both rpy and quat_xyzw in one origin (refused)
URDF024   W   something needs a newer URDF version than the file states
URDF030   E   a visual that urdfdom drops, with everything after it in its link
URDF031   E   a collision that urdfdom drops, with everything after it in its link
URDF032   E   an inertial that urdfdom drops, with all visuals and collisions of its link
URDF033   W   a geometry has several children: the first is used
URDF034   W   a duplicate element: the first is used
URDF035   W   an unknown element or attribute that looks like a misspelt one: ignored
URDF036   W   a material is used that is not defined anywhere
URDF037   E   a material is defined twice (refused), or without a name, colour and texture
URDF038   W   a colour outside 0..1 (the colour is dropped)
URDF040   E   mimic names a joint that does not exist
URDF041   E   mimic cycle
URDF042   W   mimic with a joint that has no single position
URDF043   E   lower limit above upper limit (refused in 1.2)
URDF044   E   the axis is zero
URDF045   W   an axis without xyz: urdfdom reads (0, 0, 0)
URDF046   W   a negative effort or velocity limit
URDF047   E   the same, or a negative acceleration, deceleration or jerk, in URDF 1.2 (refused)
URDF048   I   mimic between a rotating and a sliding joint (AGX Dynamics does not support it)
URDF050   E   a negative mass
URDF051   E   a size, radius or length that is negative, or zero (dropped in 1.2)
URDF052   E   a mesh scale of zero
URDF053   E   a mesh without a file name
URDF054   W   a negative moment of inertia
URDF056   W   a sensor names a missing link or joint, or has no name or a duplicate name
URDF057   W   a value of a sensor that cannot be read
URDF060   W   xacro that was not expanded: ignored
=======  ===  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.core.model.robot import Change
from editor_app.core.text.xml.document import XmlAttribute, XmlDocument, XmlElement

E = Severity.ERROR
W = Severity.WARNING
#: With one of these urdfdom gives up the visual, collision, inertial or joint that it stands in.
FATAL = frozenset({"URDF020", "URDF021", "URDF022", "URDF023"})
#: What these are about is not in the model.
_LOST = frozenset({"URDF020", "URDF033", "URDF034", "URDF035", "URDF053", "URDF057", "URDF060"})


class FindingCollector:
    """Collects findings with their place; `subject` is what they are about until it is changed."""

    def __init__(self, document: XmlDocument) -> None:
        self.document = document
        self.findings: list[Finding] = []
        self._fatal: list[int] = []
        self.subject = FindingSubject(section="urdf")

    def about(self, *, link: str | None = None, joint: str | None = None) -> None:
        """Sets the subject of what follows."""
        self.subject = FindingSubject(
            links=() if link is None else (link,),
            joints=() if joint is None else (joint,),
            section="urdf",
        )

    def add(
        self,
        code: str,
        severity: Severity,
        message: str,
        place: XmlElement | XmlAttribute,
        *,
        links: Sequence[str] | None = None,
        joints: Sequence[str] | None = None,
        fatal: bool | None = None,
        lost: bool | None = None,
        fixes: Sequence[Change] = (),
    ) -> None:
        """Add a finding.

        `fatal`: whether urdfdom gives up what it stands in; None for what FATAL says. `lost`:
        whether the model lacks it; None for what _LOST says.
        """
        subject = self.subject
        if code in FATAL if fatal is None else fatal:
            self._fatal.append(len(self.findings))
        if links is not None or joints is not None:
            subject = FindingSubject(
                links=tuple(links or ()), joints=tuple(joints or ()), section="urdf"
            )
        place_in_text = self.document.location(place)
        lost_part = _owner(subject) if (code in _LOST if lost is None else lost) else ""
        finding = Finding(
            code, severity, message, (), place_in_text, subject, tuple(fixes), lost=lost_part
        )
        self.findings.append(finding)

    def fatal_since(self, mark: int) -> bool:
        """Return whether a fatal one was added since there were `mark` findings."""
        return any(place >= mark for place in self._fatal)

    def lose_element(self, mark: int, tag: str) -> None:
        """Let the first fatal finding since `mark` be about an element that the model lacks as a
        whole."""
        first = next(place for place in self._fatal if place >= mark)
        for place in range(mark, len(self.findings)):
            part = f"{tag} of {_owner(self.subject)}" if place == first else ""
            self.findings[place] = replace(self.findings[place], lost=part)


def _owner(subject: FindingSubject) -> str:
    """The first link or joint that a finding is about, for a report."""
    return next(
        (f"{kind} {name}" for kind in ("link", "joint") for name in getattr(subject, f"{kind}s")),
        "the robot",
    )
