"""Unreadable content of a URDF, faults that show only when its parts are seen together, and
`<ros2_control>` against the joints that it moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from editor_app.core.document.commands import (
    DropRepeatedMaterial,
    RenameJoint,
    SetChild,
    SetJoint,
    SetParent,
    UseMaterial,
)
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.formats.urdf.findings import E, FindingCollector, W
from editor_app.core.formats.urdf.ros2_control import CommandRange, controlled_joints
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.kinematic_graph import KinematicGraph, on_loops
from editor_app.core.model.near_names import nearest, whether_meant
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import Joint, JointType, Material, Urdf
from editor_app.core.text.xml.document import XmlElement
from editor_app.features.checks.engine.fixes import bound_turn, offer, write_limits
from editor_app.features.checks.engine.rule import ERROR, WARNING, CheckContext, flaw, rule


class _Structure(FindingCollector):
    """The text's elements beside the model, and the findings with their places."""

    def __init__(self, source: UrdfSource) -> None:
        super().__init__(source.document)
        self.urdf = source.value
        self.links = [elements.link for elements in source.link_elements]
        self.joints = source.joint_elements
        self.materials = source.material_elements


_LOOKS: list[Callable[[_Structure], None]] = []


def urdf_findings(source: UrdfSource) -> tuple[Finding, ...]:
    """Return the faults of a URDF text: findings of the reader, and of the structure; in the order
    of the file."""
    structure = _Structure(source)
    for look in _LOOKS:
        look(structure)
    return tuple(sorted((*source.findings, *structure.findings), key=lambda finding: finding.place))


def _rule(
    code: str, title: str, **also: str
) -> Callable[[Callable[[_Structure], None]], Callable[[_Structure], None]]:
    """Registers a function over the structure as a rule; `also`: the other codes that it gives,
    with their titles."""

    def register(look: Callable[[_Structure], None]) -> Callable[[_Structure], None]:
        _LOOKS.append(look)

        def findings(c: CheckContext) -> Iterable[Finding]:
            if c.urdf_source is None:
                return ()
            structure = _Structure(c.urdf_source)
            look(structure)
            return structure.findings

        rule(code, title, "urdf", "urdf_source", file="urdf", also=also)(findings)
        return look

    return register


@rule("URDF020", "Unreadable content in the URDF", "urdf", "urdf_source", file="urdf")
def check_unread_urdf(c: CheckContext) -> Iterable[Finding]:
    for finding in c.urdf_source.findings if c.urdf_source is not None else ():
        joints = finding.subject.joints
        joint = (
            c.urdf_source.value.joint(joints[0])
            if c.urdf_source is not None and len(joints) == 1
            else None
        )
        fixes = _reading_remedies(finding, joint) if joint is not None else ()
        yield replace(finding, fixes=fixes) if fixes else finding


def _reading_remedies(finding: Finding, joint: Joint) -> tuple[Change, ...]:
    limit = joint.limit
    if finding.code == "URDF044":
        return (
            SetJoint(
                joint.name, replace(joint, axis=(1.0, 0.0, 0.0)), "Write the axis in use: 1 0 0"
            ),
        )
    if limit is None:
        return ()
    if finding.code == "URDF043":
        values = replace(joint, limit=replace(limit, lower=limit.upper, upper=limit.lower))
        return (SetJoint(joint.name, values, "Swap the limits"),)
    if finding.code == "URDF020" and finding.message.startswith("<limit "):
        return bound_turn(joint) or write_limits(joint)
    return ()


@_rule(
    "URDF004",
    "Two links have the same name",
    URDF006="Two joints have the same name",
    URDF013="A link and a joint have the same name",
)
def _names(report: _Structure) -> None:
    urdf, links, joints = report.urdf, report.links, report.joints
    names = {link.name for link in urdf.links} | {joint.name for joint in urdf.joints}
    seen_links: set[str] = set()
    for link, element in zip(urdf.links, links, strict=True):
        if link.name in seen_links and link.name:
            report.add(
                "URDF004", E, f"two links have the name {link.name!r}", element, links=(link.name,)
            )
        seen_links.add(link.name)
    seen_joints: set[str] = set()
    for joint, element in zip(urdf.joints, joints, strict=True):
        if joint.name in seen_joints and joint.name:
            report.add(
                "URDF006",
                E,
                f"two joints have the name {joint.name!r}",
                element,
                joints=(joint.name,),
            )
        elif joint.name in seen_links and joint.name:
            report.add(
                "URDF013",
                W,
                f"a link and a joint both have the name {joint.name!r}",
                element,
                links=(joint.name,),
                joints=(joint.name,),
                fixes=_other_joint_name(joint.name, names),
            )
        seen_joints.add(joint.name)


@_rule(
    "URDF009",
    "A joint names a link that does not exist",
    URDF010="No root link, or more than one",
    URDF011="A link has two parents",
    URDF012="Parent and child of a joint are the same link",
    URDF014="Links form a loop",
)
def _tree(report: _Structure) -> None:
    urdf, links, joints = report.urdf, report.links, report.joints
    if not urdf.links:
        return
    names = {link.name for link in urdf.links}
    parents: dict[str, Joint] = {}
    for joint, element in zip(urdf.joints, joints, strict=True):
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link and link not in names:
                report.add(
                    "URDF009",
                    E,
                    f"joint {joint.name!r} names the {role} link {link!r}, which does not exist",
                    element.child(role) or element,
                    joints=(joint.name,),
                    fixes=_other_end(joint, role, names),
                )
        if not joint.child:
            continue
        if joint.parent == joint.child:
            message = f"parent and child of joint {joint.name!r} are the same link, {joint.child!r}"
            report.add("URDF012", E, message, element, joints=(joint.name,))
        elif joint.child in parents:
            first = parents[joint.child].name
            message = (
                f"link {joint.child!r} has two parents, through joints {first!r} and "
                f"{joint.name!r}; the first is used"
            )
            report.add(
                "URDF011", E, message, element, links=(joint.child,), joints=(first, joint.name)
            )
        else:
            parents[joint.child] = joint
    _roots(report, urdf, links, parents)


def _roots(
    report: _Structure, urdf: Urdf, links: Sequence[XmlElement], parents: dict[str, Joint]
) -> None:
    element_of = {
        link.name: element
        for link, element in zip(reversed(urdf.links), reversed(links), strict=True)
    }
    names = list(reversed(element_of))
    roots = [name for name in names if name not in parents]
    if not roots:
        report.add("URDF010", E, "every link has a parent, so the robot has no root", links[0])
        return
    if len(roots) > 1:
        shown = ", ".join(repr(name) for name in roots[:5]) + (", …" if len(roots) > 5 else "")
        message = (
            f"the robot has {len(roots)} roots ({shown}); one is allowed, and the largest part is "
            "shown"
        )
        report.add("URDF010", E, message, element_of[roots[1]], links=tuple(roots))
    # What hangs on no root lies on a loop, or below one; an unknown parent is reported by itself.
    graph = KinematicGraph(urdf)
    connected = {name for root in graph.roots for name in graph.below(root)}
    lost = [name for name in names if name not in connected]
    if lost:
        shown = ", ".join(repr(name) for name in lost[:5]) + (", …" if len(lost) > 5 else "")
        message = (
            f"the links {shown} form a loop, or are below one, and are not connected to the root"
        )
        report.add("URDF014", E, message, element_of[lost[0]], links=tuple(lost))


@_rule(
    "URDF040",
    "Mimic of a joint that does not exist",
    URDF041="Mimic cycle",
    URDF042="Mimic with a joint that has no single position",
    URDF048="Mimic between a rotating and a sliding joint",
)
def _mimics(report: _Structure) -> None:
    urdf, joints = report.urdf, report.joints
    by_name = {joint.name: joint for joint in reversed(urdf.joints)}
    loops = on_loops(
        {joint.name: joint.mimic.joint for joint in by_name.values() if joint.mimic is not None}
    )
    for joint, element in zip(urdf.joints, joints, strict=True):
        if joint.mimic is None:
            continue
        place = element.child("mimic") or element
        leader = by_name.get(joint.mimic.joint)
        if leader is None:
            message = f"joint {joint.name!r} mimics {joint.mimic.joint!r}, which does not exist"
            report.add(
                "URDF040",
                E,
                message,
                place,
                joints=(joint.name,),
                fixes=_other_leader(joint, by_name),
            )
        elif joint.name in loops:
            message = f"joint {joint.name!r} mimics itself" + (
                "" if leader is joint else " through other joints"
            )
            report.add(
                "URDF041", E, message, place, joints=(joint.name,), fixes=(_without_mimic(joint),)
            )
        elif not joint.is_movable or not leader.is_movable:
            still = joint if not joint.is_movable else leader
            message = (
                f"joint {joint.name!r} mimics {leader.name!r}, but {still.name!r} is {still.type} "
                "and has no "
                "single position"
            )
            report.add(
                "URDF042", W, message, place, joints=(joint.name,), fixes=(_without_mimic(joint),)
            )
        elif (joint.type is JointType.PRISMATIC) != (leader.type is JointType.PRISMATIC):
            is_sliding = joint.type is JointType.PRISMATIC
            turning, sliding = (leader, joint) if is_sliding else (joint, leader)
            unit = "a length per angle (m/rad)" if is_sliding else "an angle per length (rad/m)"
            message = (
                f"joint {joint.name!r} mimics {leader.name!r}, but {turning.name!r} turns and "
                f"{sliding.name!r} slides: "
                f"the multiplier is {unit}, which AGX Dynamics does not support"
            )
            report.add("URDF048", Severity.INFO, message, place, joints=(joint.name,))


@_rule("URDF036", "A material is not defined", URDF037="A material is defined twice, or is empty")
def _materials(report: _Structure) -> None:
    urdf, links, materials = report.urdf, report.links, report.materials
    counts = Counter(m.name for m in urdf.materials)
    reported: set[str] = set()
    for material, element in zip(urdf.materials, materials, strict=True):
        if not material.name:
            report.add("URDF037", E, "a material of the robot has no name", element)
        elif material.rgba is None and material.texture is None:
            report.add(
                "URDF037", E, f"material {material.name!r} has neither colour nor texture", element
            )
        if material.name and counts[material.name] > 1 and material.name not in reported:
            reported.add(material.name)
            message = f"material {material.name!r} is defined twice"
            report.add(
                "URDF037", E, message, element, fixes=_one_definition(urdf.materials, material.name)
            )
    defined = urdf.materials_by_name()
    missing: set[str] = set()
    for link, element in zip(urdf.links, links, strict=True):
        for visual in link.visuals:
            material_name = visual.material.name if visual.material is not None else ""
            if material_name and material_name not in defined and material_name not in missing:
                missing.add(material_name)
                report.add(
                    "URDF036",
                    W,
                    f"material {material_name!r} of link {link.name!r} is not defined anywhere",
                    _material_element(element, material_name),
                    links=(link.name,),
                    fixes=_other_material(material_name, defined),
                )


def _material_element(link: XmlElement, name: str) -> XmlElement:
    for visual in link.all("visual"):
        material = visual.child("material")
        if material is not None and material.get("name") == name:
            return material
    return link


#: The codes of the URDF that tell the same fault with its place.
TOLD_BY = {
    "TREE001": ("URDF009", "URDF008"),
    "TREE002": ("URDF012",),
    "TREE003": ("URDF011",),
    "TREE004": ("URDF006",),
    # Links that hang on nothing: the fault that took their joint away is told with its place.
    "TREE005": (
        "URDF005",
        "URDF006",
        "URDF008",
        "URDF009",
        "URDF010",
        "URDF011",
        "URDF012",
        "URDF014",
    ),
    "TREE006": ("URDF010",),
    "TREE007": ("URDF040", "URDF041"),
    "TREE008": ("URDF044",),
    "TREE009": ("URDF020",),
    "TREE010": ("URDF043",),
    "TREE011": ("URDF004",),
}


@rule(
    "TREE001",
    "The kinematic structure omits something",
    "urdf",
    "urdf modifiers urdf_source",
    file="urdf",
)
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


# -- remedies


def _other_end(joint: Joint, role: str, links: Collection[str]) -> tuple[Change, ...]:
    """Names the link that looks most like the one that does not exist, as parent or child of the
    joint."""
    wrong = joint.parent if role == "parent" else joint.child
    right = nearest(wrong, links)
    if right is None or not joint.name:
        return ()
    change: Change = (
        SetParent(joint.name, right) if role == "parent" else SetChild(joint.name, right)
    )
    return (offer(f"Replace {wrong} by {right}", change),)


def _other_leader(joint: Joint, joints: Collection[str]) -> tuple[Change, ...]:
    """Mimics the joint that looks most like the one that does not exist, or none."""
    assert joint.mimic is not None
    right = nearest(joint.mimic.joint, [name for name in joints if name != joint.name])
    if right is None:
        return (_without_mimic(joint),)
    values = replace(joint, mimic=replace(joint.mimic, joint=right))
    return SetJoint(joint.name, values, f"Replace {joint.mimic.joint} by {right}"), _without_mimic(
        joint
    )


def _without_mimic(joint: Joint) -> Change:
    return SetJoint(joint.name, replace(joint, mimic=None), f"Make {joint.name} independent")


def _other_joint_name(name: str, names: Collection[str]) -> tuple[Change, ...]:
    """A name of its own for a joint that is called like a link; everything that speaks of the joint
    follows."""
    free = next(
        new
        for number in range(len(names) + 1)
        if (new := f"{name}_joint{number or ''}") not in names
    )
    return (offer(f"Rename the joint to {free}", RenameJoint(name, free)),)


def _other_material(name: str, materials: Collection[str]) -> tuple[Change, ...]:
    """Names the material that looks most like the one that is not defined."""
    right = nearest(name, materials)
    return () if right is None else (UseMaterial(name, right),)


def _one_definition(materials: Sequence[Material], name: str) -> tuple[Change, ...]:
    """Deletes the other definitions where all say the same."""
    same = {material for material in materials if material.name == name}
    return (DropRepeatedMaterial(name),) if len(same) == 1 else ()


#: Limits in decimals may be rounded: rad, m, and per second.
ROUNDING = 1e-3


@rule(
    "URDF095", "ros2_control names a joint that does not exist", "urdf.texts", "urdf", file="urdf"
)
def check_controlled_joints(c: CheckContext) -> Iterable[Finding]:
    for joint in controlled_joints(c.urdf):
        if joint.name not in c.urdf_joints:
            told = whether_meant(joint.name, c.urdf_joints)
            yield flaw(
                ERROR,
                f"ros2_control {joint.system!r} names {joint.name!r}, which is not a joint{told}",
            )


@rule(
    "URDF096",
    "ros2_control's command limits exceed the joint's limits",
    "urdf.texts",
    "urdf",
    file="urdf",
)
def check_command_limits(c: CheckContext) -> Iterable[Finding]:
    for controlled in controlled_joints(c.urdf):
        joint = c.urdf_joints.get(controlled.name)
        for command in controlled.commands if joint is not None else ():
            assert joint is not None
            beyond = _beyond(joint, command)
            if beyond:
                message = (
                    f"ros2_control {controlled.system!r} allows {command.interface} of "
                    f"{joint.name!r} {beyond}, "
                    "beyond the limits of the joint."
                )
                yield flaw(WARNING, message, joints=(joint.name,))


@rule(
    "URDF097",
    "ros2_control starts outside the limits of a joint",
    "urdf.texts",
    "urdf",
    file="urdf",
)
def check_control_start(c: CheckContext) -> Iterable[Finding]:
    for controlled in controlled_joints(c.urdf):
        joint, value = c.urdf_joints.get(controlled.name), controlled.initial
        if joint is not None and value is not None and abs(joint.clamped(value) - value) > ROUNDING:
            message = (
                f"ros2_control {controlled.system!r} starts with {joint.name!r} at "
                f"{joint.position_text(value)}, outside its limits."
            )
            yield flaw(WARNING, message, joints=(joint.name,))


def _beyond(joint: Joint, command: CommandRange) -> str:
    """What a range exceeds, for a sentence; empty where it keeps to the limits, or there are
    none."""
    span: tuple[float, float] | None = None
    if command.interface == "position":
        span = joint.position_limits
    elif command.interface == "velocity" and joint.limit is not None and joint.limit.velocity:
        span = -joint.limit.velocity, joint.limit.velocity
    if span is None or span[0] >= span[1]:
        return ""
    low = command.lower is not None and command.lower < span[0] - ROUNDING
    high = command.upper is not None and command.upper > span[1] + ROUNDING
    return " and ".join(
        [
            *([f"down to {command.lower:g}"] if low else []),
            *([f"up to {command.upper:g}"] if high else []),
        ]
    )
