"""Unreadable content of an SRDF, and references to links, joints and files that do not exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from editor_app.core.document.commands import SetStatePositions
from editor_app.core.document.commands.fields import OfSrdf, SetField
from editor_app.core.formats.srdf.places import read_calibration
from editor_app.core.formats.srdf.read import SrdfSource
from editor_app.core.model.findings import Finding, Location, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.near_names import nearest, whether_meant
from editor_app.core.model.references import reference_fields
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlElement
from editor_app.features.checks.engine.fixes import corrected, offer
from editor_app.features.checks.engine.rule import ERROR, WARNING, CheckContext, flaw, rule

#: Fields of core/model/references.py that are no element of their own -> the element that they are
#: said in.
_TAGS = {"subgroup": "group", "parent_group": "end_effector", "tcp": "group_tcps"}
#: Attributes that name a link, joint or group.
_ATTRIBUTES: dict[Named, tuple[str, ...]] = {
    Named.LINK: ("link1", "link2", "link", "parent_link", "child_link", "base_link", "tip_link"),
    Named.JOINT: ("joint_name",),
    Named.SRDF_GROUP: ("group", "parent_group"),
}
#: The element that names one by its `name`, inside of another element.
_INNER = {Named.LINK: "link", Named.JOINT: "joint", Named.SRDF_GROUP: "group"}


@rule("SRDF001", "Unreadable content in the SRDF", "srdf", "srdf_source", file="srdf")
def check_unread_srdf(c: CheckContext) -> Iterable[Finding]:
    return c.srdf_source.findings if c.srdf_source is not None else ()


@rule(
    "SRDF010",
    "A link that does not exist",
    "srdf",
    "srdf_source urdf",
    file="srdf",
    also={
        "SRDF011": "A joint that does not exist",
        "SRDF012": "A group that does not exist",
        "SRDF013": "A chain without joints",
        "SRDF014": "A group that Tesseract refuses",
        "SRDF015": "A state outside the joint's limits",
        "SRDF016": "Two groups, states, tool centre points or end effectors with the same name",
        "SRDF017": "The robot's name differs from the URDF",
    },
)
def check_srdf_references(c: CheckContext) -> Iterable[Finding]:
    if c.srdf_source is None or not c.has_urdf:
        return ()
    return reference_findings(c.srdf_source, c.urdf)


def reference_findings(source: SrdfSource, urdf: Urdf) -> tuple[Finding, ...]:
    """Everything that does not fit, with the line of the element where it stands."""
    return tuple(_Check(source, urdf).run())


class _Check:
    def __init__(self, source: SrdfSource, urdf: Urdf) -> None:
        self.source = source
        self.srdf: Srdf = source.value
        self.structure = KinematicGraph(urdf)
        self.urdf = urdf

    def run(self) -> Iterable[Finding]:
        srdf = self.srdf
        if srdf.name != self.urdf.name:
            title = (
                f"the SRDF is for robot {srdf.name!r}" if srdf.name else "the SRDF names no robot"
            )
            message = f"{title}, the URDF is for {self.urdf.name!r}"
            remedy = SetField(
                OfSrdf(),
                "name",
                self.urdf.name,
                f"Set the robot name of the SRDF to {self.urdf.name}",
            )
            fixes = (remedy,) if self.urdf.name else ()
            severity = ERROR if srdf.is_tesseract and not srdf.name else WARNING
            yield self._told("SRDF017", severity, message, "robot", srdf.name, fixes=fixes)
        yield from self._names("SRDF010", Named.LINK, "link", self.structure.links)
        joints = (*self.structure.joints, *(v.name for v in srdf.virtual_joints))
        yield from self._names("SRDF011", Named.JOINT, "joint", joints)
        yield from self._names("SRDF012", Named.SRDF_GROUP, "group", [g.name for g in srdf.groups])
        yield from self._repeated_names()
        yield from self._groups()
        for state in srdf.states:
            for joint, values in state.positions.items():
                if joint not in self.structure.joints or len(values) != 1:
                    continue
                nearest_allowed = self.structure.clamped(joint, values[0])
                if abs(nearest_allowed - values[0]) > 1e-9:
                    message = (
                        f"the state {state.name!r} has {joint!r} at {values[0]:g}, outside its "
                        "limits"
                    )
                    change = SetStatePositions(
                        state.name, state.group, FrozenDict({joint: (nearest_allowed,)})
                    )
                    fix = offer(
                        f"Write {nearest_allowed:g}, the nearest value within the limits", change
                    )
                    about = {"joints": (joint,), "fixes": (fix,)}
                    yield self._told(
                        "SRDF015", WARNING, message, "group_state", state.name, **about
                    )

    def _names(
        self, code: str, named: Named, kind: str, names: Collection[str]
    ) -> Iterable[Finding]:
        """Every reference of one kind to a name that is none of `names`, at each element that makes
        it."""
        places = _speaking(self.source.document.root, named)
        for field in reference_fields(named, ("srdf",)):
            tag = _TAGS.get(field.title, field.title)
            wrong = dict.fromkeys(name for name in field.names(self.srdf) if name not in names)
            for name in wrong:
                # The group of an end effector is no parent of itself.
                is_parent = field.title == "parent_group"
                carried = {
                    e.group for e in self.srdf.end_effectors if is_parent and e.parent_group == name
                }
                elements = places.get((tag, name)) or [self.source.document.root]
                for element in elements:
                    yield flaw(
                        ERROR,
                        f"<{tag}> names the {kind} {name!r}, which does not exist",
                        links=(name,) if named is Named.LINK else (),
                        joints=(name,) if named is Named.JOINT else (),
                        fixes=corrected(
                            "srdf",
                            named,
                            field.title,
                            name,
                            nearest(name, [n for n in names if n not in carried]),
                        ),
                        section="srdf",
                        code=code,
                        location=self.source.document.location(element),
                    )

    def _repeated_names(self) -> Iterable[Finding]:
        """MoveIt takes the first of two groups; of the others, MoveIt and Tesseract take the last
        one."""
        srdf, root = self.srdf, self.source.document.root
        tools = [
            tcp
            for block in self.source.items(root, "group_tcps")
            for tcp in self.source.items(block, "tcp")
        ]
        tables: tuple[
            tuple[str, Severity, Iterable[tuple[str, str]], Iterable[XmlElement]], ...
        ] = (
            ("group", ERROR, ((g.name, "") for g in srdf.groups), self.source.items(root, "group")),
            (
                "state",
                WARNING,
                ((s.name, s.group) for s in srdf.states),
                self.source.items(root, "group_state"),
            ),
            ("tcp", WARNING, ((t.name, t.group) for t in srdf.tcps), tools),
            (
                "end effector",
                WARNING,
                ((e.name, "") for e in srdf.end_effectors),
                self.source.items(root, "end_effector"),
            ),
        )
        for kind, severity, names, elements in tables:
            seen: set[tuple[str, str]] = set()
            for (name, group), element in zip(names, elements, strict=True):
                if (name, group) in seen:
                    counts = (
                        "MoveIt drops the second" if kind == "group" else "the last one is used"
                    )
                    of_group = f" of the group {group!r}" if group else ""
                    message = f"two {kind}s{of_group} have the name {name!r}: {counts}"
                    place = self.source.document.location(element)
                    yield flaw(severity, message, code="SRDF016", section="srdf", location=place)
                seen.add((name, group))

    def _groups(self) -> Iterable[Finding]:
        for group in self.srdf.groups:
            kinds = [bool(group.chains), bool(group.joints), bool(group.links)]
            if self.srdf.is_tesseract and (
                sum(kinds) != 1 or group.subgroups or len(group.chains) > 1
            ):
                message = (
                    f"Tesseract refuses the group {group.name!r}: it must be one chain, or joints, "
                    "or links"
                )
                yield self._told("SRDF014", WARNING, message, "group", group.name)
            for base, tip in group.chains:
                exist = base in self.structure.links and tip in self.structure.links
                if exist and not self.structure.connection(base, tip):
                    ends = (
                        f"{base!r} is both base and tip"
                        if base == tip
                        else f"no joints connect {base!r} to {tip!r}"
                    )
                    message = f"the chain of the group {group.name!r} has no joints: {ends}"
                    yield self._told(
                        "SRDF013", ERROR, message, "group", group.name, links=(base, tip)
                    )

    def _told(
        self, code: str, severity: Severity, message: str, tag: str, name: str, **about: Any
    ) -> Finding:
        """At the element of that tag and name; `about` as `flaw` takes it."""
        place = self.source.location(tag, name) or self.source.document.location(
            self.source.document.root
        )
        return flaw(severity, message, code=code, section="srdf", location=place, **about)


def _speaking(root: XmlElement, named: Named) -> dict[tuple[str, str], list[XmlElement]]:
    """(tag that messages say, name) -> the elements that name it, in the order of the file."""
    places: dict[tuple[str, str], list[XmlElement]] = {}
    for element in root.walk():
        parent = element.parent
        if parent is None:
            continue
        attributes = _ATTRIBUTES[named]
        if element.tag == "passive_joint" or (element.tag == _INNER[named] and parent is not root):
            attributes = (*attributes, "name")
        values = (element.get(attribute) for attribute in attributes)
        for name in dict.fromkeys(name for name in values if name is not None):
            # What is inside of a group, a state or the like is said of that.
            for tag in dict.fromkeys((element.tag, parent.tag)):
                places.setdefault((tag, name), []).append(element)
    return places


_INPUTS = "srdf_source urdf urdf_path mappings"


def _configs(c: CheckContext) -> Iterable[tuple[str, str, Path | None, Location | None]]:
    """(element, file as named, that file or None, place of the element); none for a text that has
    no folder."""
    source = c.srdf_source
    base_file = (source.source.path if source is not None else None) or c.urdf_path
    for tag, name in (
        source.value.configs.items() if source is not None and base_file is not None else ()
    ):
        element = (
            next((e for e in source.document.root.walk() if e.tag == tag), None)
            if source is not None
            else None
        )
        place = (
            source.document.location(element)
            if source is not None and element is not None
            else None
        )
        # Beside the SRDF, else as the paths of the URDF are found.
        path = resolve_mesh_path(name, base_file, c.mappings) or resolve_mesh_path(
            name, c.urdf_path, c.mappings
        )
        yield tag, name, path, place


@rule("SRDF018", "A config file that does not exist", "srdf", _INPUTS, file="srdf")
def configs_exist(c: CheckContext) -> Iterable[Finding]:
    for tag, name, path, place in _configs(c):
        if path is None or not path.is_file():
            message = (
                f"<{tag}> names the file {name!r}, which does not exist: Tesseract does not load "
                "the robot."
            )
            # A package may be installed where the robot is.
            severity = WARNING if "://" in name else ERROR
            yield flaw(severity, message, location=place)


@rule("SRDF019", "A calibration that does not fit the robot", "srdf", _INPUTS, file="srdf")
def calibration_fits(c: CheckContext) -> Iterable[Finding]:
    for tag, name, path, place in _configs(c):
        if tag != "calibration_config" or path is None or not path.is_file():
            continue
        try:
            calibration = read_calibration(SourceText.read(path))
        except FormatError as error:
            message = f"The calibration {name!r} cannot be read: {error}"
            yield flaw(ERROR, message, location=place)
            continue
        for note in calibration.notes:
            message = f"The calibration {name!r}: {note}."
            yield flaw(WARNING, message, location=place)
        for joint in calibration.origins if c.has_urdf else ():
            if joint in c.urdf_joints:
                continue
            hint = whether_meant(joint, c.urdf_joints)
            message = (
                f"The calibration {name!r} has the joint {joint!r}, which the robot does not "
                f"have{hint}"
            )
            yield flaw(ERROR, message, joints=(joint,), location=place)
