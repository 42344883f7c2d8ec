"""Elements of an SRDF that MoveIt refuses, skips or changes, by its sources.

Read: `src/model.cpp` of moveit/srdfdom e23af6e; `robot_model.cpp`, `joint_model_group.cpp` of
moveit/moveit2 8fcb5d2. An error is a finding where MoveIt logs an error, a warning where it skips
or changes something. For an SRDF with parts that only Tesseract reads, errors are warnings unless
the profile is MoveIt's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from editor_app.core.document.commands import SetStatePositions
from editor_app.core.document.commands.fields import OfItem, SetField
from editor_app.core.document.commands.lists import RemoveItems, set_item
from editor_app.core.document.commands.srdf_parts import VIRTUAL_TYPES
from editor_app.core.formats.srdf.read import SrdfSource
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.profile import Profile
from editor_app.core.model.srdf import EndEffector, Group, GroupState, JointProperty, VirtualJoint
from editor_app.core.model.srdf_groups import joints_of_group, list_group_links
from editor_app.core.model.urdf import Urdf
from editor_app.core.text.xml.document import XmlElement
from editor_app.features.checks.engine.fixes import offer
from editor_app.features.checks.engine.rule import ERROR, INFO, WARNING, CheckContext, flaw, rule

#: Numbers that give the position of a joint of MoveIt.
_VALUE_COUNTS = {"fixed": 0, "planar": 3, "floating": 7}
#: Radians or metres that the position of a mimic joint may be off.
_MIMIC_TOLERANCE = 1e-4
#: Properties that MoveIt can set, with the types of joints that take them.
_PROPERTIES = {
    "angular_distance_weight": ("planar", "floating"),
    "motion_model": ("planar",),
    "min_translational_distance": ("planar",),
}
_MOTION_MODELS = ("holonomic", "diff_drive")
#: What C++'s `std::stod` reads at the start of a text.
_NUMBER = re.compile(
    r"\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE
)
#: Names that a sentence lists.
_LISTED = 4


@rule(
    "SRDF020",
    "A virtual joint that MoveIt skips",
    "srdf",
    "srdf_source urdf profile",
    file="srdf",
    also={
        "SRDF021": "A virtual joint of an unknown type",
        "SRDF022": "A virtual joint with the name of a joint of the URDF",
        "SRDF023": "Groups that contain each other",
        "SRDF024": "A group without joints, which MoveIt drops",
        "SRDF025": "A state with a joint outside its group",
        "SRDF026": "A state with too few or too many values for a joint",
        "SRDF027": "A state that contradicts a mimic joint",
        "SRDF028": "A state without a value for each joint of its group",
        "SRDF029": "An end effector's parent group that MoveIt refuses",
        "SRDF030": "An end effector whose parent group MoveIt guesses",
        "SRDF031": "A joint property without effect in MoveIt",
        "SRDF032": "A chain to which MoveIt adds the joint above it",
    },
)
def moveit_findings(c: CheckContext) -> Iterable[Finding]:
    if c.srdf_source is None or not c.has_urdf or KinematicGraph(c.urdf).root is None:
        return
    yield from _MoveItModel(c.srdf_source, c.urdf, c.profile).check()


class _MoveItModel:
    """The SRDF as MoveIt builds its robot model of it."""

    def __init__(self, source: SrdfSource, urdf: Urdf, profile: Profile) -> None:
        self.source = source
        self.srdf = source.value
        self.urdf = urdf
        self.graph = KinematicGraph(urdf)
        self.root = self.graph.root or ""
        self.is_for_moveit = profile is Profile.MOVEIT or not self.srdf.is_tesseract
        self.error = ERROR if self.is_for_moveit else WARNING
        #: For what changes nothing that a user of another program notices.
        self.hint = WARNING if profile is Profile.MOVEIT else INFO

    def check(self) -> Iterator[Finding]:
        """Yield the findings in the order in which MoveIt reads the parts."""
        for joint in self.srdf.virtual_joints:
            yield from self._check_virtual_joint(joint)
        for group in self.srdf.groups:
            yield from self._check_chains(group)
            yield from self._check_group(group)
        for state in self.srdf.states:
            if state.group in self.groups:
                yield from self._check_state(state, self.groups[state.group])
        for effector in self.srdf.end_effectors:
            if effector.group in self.groups and effector.parent_link in self.graph.links:
                yield from self._check_effector(effector)
        for each in self.srdf.joint_properties:
            if each.joint in self.joint_types:
                yield from self._check_property(each)

    def _flaw(
        self, code: str, severity: Severity, message: str, place: XmlElement | None, **about: Any
    ) -> Finding:
        element = place if place is not None else self.source.document.root
        location = self.source.document.location(element)
        return flaw(severity, message, code=code, section="srdf", location=location, **about)

    def _element(
        self, tag: str, name: str, group: str | None = None, inner: str | None = None
    ) -> XmlElement | None:
        """The element of that name, of that group where one is given; the joint `inner` in it,
        where it has one."""
        elements = [e for e in self.source.document.root.all(tag) if e.get("name") == name]
        element = next((e for e in elements if group is None or e.get("group") == group), None)
        joints = element.all("joint") if element is not None and inner is not None else ()
        return next((joint for joint in joints if joint.get("name") == inner), element)

    # -- what MoveIt builds

    @cached_property
    def root_joint(self) -> VirtualJoint | None:
        """The virtual joint above the root: the first one whose child is the root.

        A root `world` without shapes, as in robots for Gazebo, takes a fixed virtual joint of
        another child, too.
        """
        link = self.urdf.link(self.root)
        is_empty_world = self.root == "world" and link is not None and not link.shapes
        joints = self.srdf.virtual_joints
        of_root = (each for each in joints if each.child_link == self.root)
        others = (
            each for each in joints if is_empty_world and each.type.strip().lower() == "fixed"
        )
        return next(chain(of_root, others), None)

    @cached_property
    def root_joint_name(self) -> str:
        return self.root_joint.name if self.root_joint is not None else "ASSUMED_FIXED_ROOT_JOINT"

    @cached_property
    def joint_types(self) -> dict[str, str]:
        """Joint -> its type; a joint of the URDF hides a virtual joint of its name."""
        virtual = {v.name: v.type.strip().lower() for v in self.srdf.virtual_joints}
        return virtual | {name: joint.type.value for name, joint in self.graph.joints.items()}

    @cached_property
    def groups(self) -> dict[str, frozenset[str]]:
        """Group -> its joints, for the groups that MoveIt keeps: those whose subgroups it keeps,
        with a joint."""
        kept: dict[str, frozenset[str]] = {}
        waiting = list(self.srdf.groups)
        while ready := [group for group in waiting if kept.keys() >= set(group.subgroups)]:
            waiting = [group for group in waiting if group not in ready]
            for group in ready:
                joints = frozenset(self._direct_joints(group)).union(
                    *(kept[name] for name in group.subgroups)
                )
                if joints:
                    kept.setdefault(group.name, joints)
        return kept

    def _direct_joints(self, group: Group) -> Iterator[str]:
        links = list_group_links(self.srdf, replace(group, subgroups=()), self.graph)
        meetings = (self._meeting_link(base, tip) for base, tip in group.chains)
        yield from map(
            self._joint_above, (*links, *(link for link in meetings if link is not None))
        )
        yield from (name for name in group.joints if name == self.root_joint_name)

    def _joint_above(self, link: str) -> str:
        joint = self.graph.incoming.get(link)
        return joint.name if joint is not None else self.root_joint_name

    def _meeting_link(self, base: str, tip: str) -> str | None:
        """The link in which the branches to both ends of a chain meet; None for a chain that only
        goes down."""
        meeting = base
        for joint in self.graph.connection(base, tip) or ():
            meeting = joint.parent if joint.child == meeting else meeting
        return meeting if meeting != base else None

    def _groups_with(self, link: str) -> list[str]:
        """The groups that have a link, the one with the fewest joints first."""
        joint = self._joint_above(link)
        names = sorted(name for name, joints in self.groups.items() if joint in joints)
        return sorted(names, key=lambda name: len(self.groups[name]))

    # -- virtual joints

    def _check_virtual_joint(self, joint: VirtualJoint) -> Iterator[Finding]:
        place, used = self._element("virtual_joint", joint.name), self.root_joint
        delete = RemoveItems("srdf.virtual_joints", (joint.name,))
        title = f"the virtual joint {joint.name!r}"
        if joint.type.strip().lower() not in VIRTUAL_TYPES:
            message = (
                f"{title} has the type {joint.type!r}, which MoveIt does not know and treats as "
                "fixed"
            )
            fix = SetField(
                OfItem("srdf.virtual_joints", joint.name),
                "type",
                "fixed",
                f"Make {joint.name} fixed",
            )
            yield self._flaw("SRDF021", self.error, message, place, fixes=(fix,))
        if joint.name in self.graph.joints:
            message = f"MoveIt does not find {title}: a joint of the URDF has that name"
            yield self._flaw(
                "SRDF022", WARNING, message, place, joints=(joint.name,), fixes=(delete,)
            )
        fault = ""
        if joint.child_link in self.graph.links and joint.child_link != self.root:
            fault = f"its child is {joint.child_link!r}, and the root of the robot is {self.root!r}"
        elif used is not None and used is not joint and joint.child_link == self.root:
            fault = f"{used.name!r} is already above the root {self.root!r}"
        if fault:
            label = f"Set the child of {joint.name} to {self.root}"
            fix = SetField(
                OfItem("srdf.virtual_joints", joint.name), "child_link", self.root, label
            )
            fixes = (fix, delete) if used is None or used is joint else (delete,)
            more = "; newer versions put it above the root" if used is joint else ""
            message = f"MoveIt skips {title}: {fault}{more}"
            yield self._flaw(
                "SRDF020", WARNING, message, place, links=(joint.child_link,), fixes=fixes
            )

    # -- groups

    def _check_group(self, group: Group) -> Iterator[Finding]:
        place = self._element("group", group.name)
        lost = [name for name in group.subgroups if name not in self.groups]
        if lost and {*lost} <= {each.name for each in self.srdf.groups}:
            message = (
                f"MoveIt drops the group {group.name!r}: its subgroup {lost[0]!r} contains it, or "
                "is dropped"
            )
            without = replace(
                group, subgroups=tuple(name for name in group.subgroups if name not in lost)
            )
            fix = offer(
                f"Remove {', '.join(lost)} from {group.name}",
                set_item("srdf.groups", group.name, without),
            )
            yield self._flaw("SRDF023", self.error, message, place, fixes=(fix,))
        elif not lost and group.name not in self.groups and self.is_for_moveit:
            yield self._flaw(
                "SRDF024",
                WARNING,
                f"MoveIt drops the group {group.name!r}: it has no joints",
                place,
            )

    def _check_chains(self, group: Group) -> Iterator[Finding]:
        """MoveIt's search for the link in which both branches meet ends one joint too far up."""
        planned = {joint.name for joint in joints_of_group(self.srdf, group, self.graph)}.union(
            group.joints
        )
        for base, tip in group.chains:
            meeting = self._meeting_link(base, tip)
            joint = self._joint_above(meeting) if meeting is not None else None
            if joint is None or joint in planned or self.joint_types.get(joint, "fixed") == "fixed":
                continue
            message = (
                f"MoveIt adds the joint {joint!r} to the group {group.name!r}: it moves "
                f"{meeting!r}, where the "
                f"branches to {base!r} and {tip!r} meet"
            )
            turned = replace(
                group, chains=tuple((tip, base) if c == (base, tip) else c for c in group.chains)
            )
            fixes = (
                (offer("Swap base and tip", set_item("srdf.groups", group.name, turned)),)
                if meeting == tip
                else ()
            )
            place = self._element("group", group.name)
            yield self._flaw("SRDF032", self.hint, message, place, joints=(joint,), fixes=fixes)

    # -- states

    def _check_state(self, state: GroupState, joints: frozenset[str]) -> Iterator[Finding]:
        title = f"the state {state.name!r}"
        for name, values in state.positions.items():
            if name not in self.joint_types:
                continue
            take_out = offer(
                f"Remove {name} from {state.name}",
                SetStatePositions(state.name, state.group, FrozenDict({name: ()})),
            )
            about: dict[str, Any] = {
                "place": self._element("group_state", state.name, state.group, name),
                "joints": (name,),
                "fixes": (take_out,),
            }
            count = _VALUE_COUNTS.get(self.joint_types[name], 1)
            if name not in joints:
                message = (
                    f"{title} has a value for {name!r}, which its group {state.group!r} does not "
                    "have"
                )
                yield self._flaw("SRDF025", self.error, message, **about)
            elif len(values) != count:
                numbers = format_count(len(values), "number")
                message = (
                    f"{title} has {numbers} for {name!r}, which needs {count}: MoveIt uses none"
                )
                yield self._flaw("SRDF026", self.error, message, **about)
            elif (followed := self._followed(name, state)) is not None:
                leader, value = followed
                if value is None or abs(value - values[0]) > _MIMIC_TOLERANCE:
                    truth = (
                        f"{leader!r} moves it to {value:g}"
                        if value is not None
                        else f"not {leader!r}, which moves it"
                    )
                    message = f"{title} sets the mimic joint {name!r} to {values[0]:g}, but {truth}"
                    yield self._flaw("SRDF027", WARNING, message, **about)
        moving = [name for name in self.joint_types if name in joints and self._moves_alone(name)]
        missing = [name for name in moving if name not in state.positions]
        if missing:
            message = (
                f"{title} has no value for {format_list(map(repr, missing), _LISTED)} of its group "
                f"{state.group!r}"
            )
            place = self._element("group_state", state.name, state.group)
            yield self._flaw("SRDF028", self.hint, message, place, joints=missing)

    def _moves_alone(self, name: str) -> bool:
        joint = self.graph.joints.get(name)
        return self.joint_types[name] in ("planar", "floating") or (
            joint is not None and joint.is_movable and joint.mimic is None
        )

    def _followed(self, name: str, state: GroupState) -> tuple[str, float | None] | None:
        """(joint that moves this one in the end, position that it gives it or None); None for a
        joint of its own."""
        joint, factor, offset, passed = self.graph.joints.get(name), 1.0, 0.0, {name}
        while joint is not None and joint.mimic is not None and joint.mimic.joint not in passed:
            offset += factor * joint.mimic.offset
            factor *= joint.mimic.multiplier
            name = joint.mimic.joint
            passed.add(name)
            joint = self.graph.joints.get(name)
        if len(passed) == 1:
            return None
        values = state.positions.get(name, ())
        return name, factor * values[0] + offset if len(values) == 1 else None

    # -- end effectors and properties

    def _check_effector(self, effector: EndEffector) -> Iterator[Finding]:
        place = self._element("end_effector", effector.name)
        title, parent = f"the end effector {effector.name!r}", effector.parent_group
        carriers = [
            name for name in self._groups_with(effector.parent_link) if name != effector.group
        ]
        changes = [
            (name, f"Set the parent group to {name}") for name in carriers if name != parent
        ][:1]
        target = OfItem("srdf.end_effectors", effector.name)
        fixes = [SetField(target, "parent_group", name, label) for name, label in changes]
        fault, severity = "", self.error
        if parent == effector.group:
            fault = "it is the group of the end effector itself"
        elif (
            parent in self.groups
            and self._joint_above(effector.parent_link) not in self.groups[parent]
        ):
            fault = f"it does not contain the parent link {effector.parent_link!r}"
        elif parent in self.groups and self.groups[effector.group] <= self.groups[parent]:
            fault, severity = "it contains the end effector", self.hint
        elif (
            parent is not None and parent not in self.groups and self.srdf.group(parent) is not None
        ):
            fault = "MoveIt drops it"
        if fault:
            yield self._flaw(
                "SRDF029",
                severity,
                f"{title} has the parent group {parent!r}, but {fault}",
                place,
                fixes=fixes,
            )
        if not carriers:
            message = (
                f"{title} has no parent group for MoveIt: no other group contains the link "
                f"{effector.parent_link!r}"
            )
            yield self._flaw("SRDF030", WARNING, message, place, links=(effector.parent_link,))
        elif parent is None and len(carriers) > 1:
            message = (
                f"{title} names no parent group: MoveIt uses {carriers[0]!r}, the smallest group "
                "with its parent link"
            )
            yield self._flaw("SRDF030", INFO, message, place, fixes=fixes)

    def _check_property(self, given: JointProperty) -> Iterator[Finding]:
        types, value = _PROPERTIES.get(given.name), given.value
        number = _NUMBER.match(value)
        fault, severity = "", self.error
        if types is None:
            fault = "MoveIt does not know it"
        elif self.joint_types[given.joint] not in types:
            fault = f"the joint is {self.joint_types[given.joint]}, not {' or '.join(types)}"
        elif given.name == "motion_model":
            fault = (
                "" if value in _MOTION_MODELS else f"{value!r} is not {' or '.join(_MOTION_MODELS)}"
            )
        elif number is None:
            fault = f"{value!r} is not a number"
        elif number.end() != len(value):
            fault, severity = f"MoveIt reads {value!r} as {number[0].strip()}", WARNING
        if fault:
            elements = self.source.document.root.all("joint_property")
            place = next(
                (
                    e
                    for e in elements
                    if (e.get("joint_name"), e.get("property_name")) == (given.joint, given.name)
                ),
                None,
            )
            message = (
                f"the property {given.name!r} of the joint {given.joint!r} has no effect: {fault}"
            )
            fix = set_item("srdf.joint_properties", (given.joint, given.name), None)
            yield self._flaw(
                "SRDF031", severity, message, place, joints=(given.joint,), fixes=(fix,)
            )
