"""The verbs complete, hover, named_at and definition_in: help in a robot's texts, also while they
are being typed.

Names of a robot are offered in the order of their worth, with what is known of each. What the
Source panel, the language server and scripts show of it is decided here. Offsets count code points.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal
from xml.sax.saxutils import escape

from editor_app.core.document.state import FileKind
from editor_app.core.formats.xrdf.vocabulary import XRDF_VOCABULARY
from editor_app.core.model.findings import YamlPath
from editor_app.core.model.keys import KeyDescription, Named
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf_groups import list_planned_joints
from editor_app.core.model.urdf import Joint, JointType
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.yaml.cursor import Spot, scalar_at, scalar_where, spots
from editor_app.core.text.yaml.scalars import format_string
from editor_app.core.text.yaml.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Completion:
    """`insert` is written over the word; `label` is the name alone. `detail`: one line about it."""

    label: str
    insert: str
    kind: Literal["key", "name", "value"]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Completions:
    """The texts that may stand between `start` and `end`, the likeliest first."""

    start: int
    end: int
    items: tuple[Completion, ...]


@dataclass(frozen=True, slots=True)
class HoverHelp:
    """`lines` about what stands between `start` and `end`: plain text, some of it from files."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name between `start` and `end`, and what kind of thing it names. `is_definition`: it is
    given its name here."""

    kind: Named
    name: str
    start: int
    end: int
    is_definition: bool = False


def complete_word(
    text: str,
    offset: int,
    robot: RobotDescription,
    kind: FileKind = FileKind.XRDF,
    vocabulary: Vocabulary = XRDF_VOCABULARY,
) -> Completions:
    """Return completions of the word before `offset` in a file's text, by its beginning or any part
    of it.

    `robot`: what its names are taken from; its XRDF may be the last one that could be read. In URDF
    and SRDF, names are offered where an attribute wants one. `vocabulary`: the YAML format of a
    file that is no part of the robot.
    """
    if kind is not FileKind.XRDF:
        return _complete_xml(text, offset, robot, kind)
    by_label: dict[str, Completion] = {}
    start = end = offset
    for spot in spots(text, offset):
        start, end = spot.start, spot.end
        typed = text[start:offset]
        followed = text[end : end + 1] == ":" or text[end : end + 2] in ('":', "':")
        for item in _offered(
            spot, robot, vocabulary, followed=followed, indent=_indent(text, start)
        ):
            if _fits(typed, item.label):
                by_label.setdefault(item.label, item)
    quote = text[start - 1 : start]
    if quote in ("'", '"') and text[end : end + 1] != quote:
        by_label = {
            label: replace(item, insert=item.insert + quote) for label, item in by_label.items()
        }
    typed = text[start:offset].casefold()
    items = sorted(by_label.values(), key=lambda item: not item.label.casefold().startswith(typed))
    return Completions(start, end, tuple(items))


def _complete_xml(text: str, offset: int, robot: RobotDescription, kind: FileKind) -> Completions:
    attribute = naming_attribute(text, offset, kind)
    if attribute is None or attribute[2]:
        return Completions(offset, offset, ())
    spot, named, _ = attribute
    typed = text[spot.start : offset].casefold()
    # Frames that the XRDF adds are in no URDF or SRDF.
    names = [
        n
        for n in list_names(RobotDescription(robot.urdf, Xrdf(), robot.srdf), named)
        if typed in n.casefold()
    ]
    names.sort(key=lambda name: not name.casefold().startswith(typed))
    items = (
        Completion(
            n, escape(n, {'"': "&quot;"}), "name", next(iter(describe_name(robot, named, n)), "")
        )
        for n in names
    )
    return Completions(spot.start, spot.end, tuple(items))


def hover(
    text: str,
    offset: int,
    robot: RobotDescription,
    kind: FileKind = FileKind.XRDF,
    vocabulary: Vocabulary = XRDF_VOCABULARY,
) -> HoverHelp | None:
    """Explain the key, name or number at `offset`; None without an explanation."""
    thing = named_at(text, offset, kind, robot, vocabulary)
    lines = [] if thing is None else [*describe_name(robot, thing.kind, thing.name)]
    spot = scalar_at(text, offset) if kind is FileKind.XRDF else None
    if spot is not None:
        place, path = _nearest_place(
            (*spot.path, spot.value) if spot.is_key else spot.path, vocabulary
        )
        if place is not None:
            key = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
            lines.append(
                place.sentence
                if not key or place.key_names is not None
                else f"{key}: {place.sentence}"
            )
    about = spot or thing
    return HoverHelp(about.start, about.end, tuple(lines)) if about is not None and lines else None


def named_at(
    text: str,
    offset: int,
    kind: FileKind = FileKind.XRDF,
    robot: RobotDescription | None = None,
    vocabulary: Vocabulary = XRDF_VOCABULARY,
) -> NamedThing | None:
    """The link, frame, joint or group that is named at `offset` of a file's text; None where none
    is.

    `robot`: tells what an extension of the URDF refers to.
    """
    if kind is not FileKind.XRDF:
        attribute = naming_attribute(text, offset, kind, robot)
        if attribute is None or not attribute[0].value:
            return None
        return NamedThing(
            attribute[1], attribute[0].value, attribute[0].start, attribute[0].end, attribute[2]
        )
    spot = scalar_at(text, offset)
    return None if spot is None else _thing(spot, vocabulary)


def definition_in(
    text: str, thing: NamedThing, kind: FileKind = FileKind.XRDF
) -> tuple[int, int] | None:
    """Start and end of the name where a file's text gives it to a thing; None where it does not."""
    if kind is not FileKind.XRDF:
        return naming_element(text, thing.kind, thing.name, kind)
    spot = scalar_where(text, thing.name, lambda spot: _gives(spot, thing.kind))
    return None if spot is None else (spot.start, spot.end)


# -- inside


def _gives(spot: Spot, kind: Named) -> bool:
    thing = _thing(spot, XRDF_VOCABULARY)
    return thing is not None and thing.is_definition and thing.kind is kind


#: (path's end, kind): a name that a thing of the XRDF is given.
_GIVEN = {"frame_name": Named.LINK}


def _thing(spot: Spot, vocabulary: Vocabulary) -> NamedThing | None:
    given = False
    if spot.is_key:
        place = vocabulary.named_key(spot.path)
        kind = place.key_names if place is not None else None
        given = spot.path == ("geometry",)
    else:
        place = vocabulary.place_at(spot.path)
        kind = place.names if place is not None else None
        if kind is None and place is not None and spot.path[-1] in _GIVEN:
            kind, given = _GIVEN[str(spot.path[-1])], True
    return None if kind is None else NamedThing(kind, spot.value, spot.start, spot.end, given)


def _nearest_place(
    path: YamlPath, vocabulary: Vocabulary
) -> tuple[KeyDescription | None, YamlPath]:
    """The place at a path, or around it: a number of a vector means what the vector means."""
    while path:
        place = vocabulary.place_at(path)
        if place is not None:
            return place, path
        path = path[:-1]
    return None, ()


def _offered(
    spot: Spot, robot: RobotDescription, vocabulary: Vocabulary, *, followed: bool, indent: str
) -> Iterator[Completion]:
    if spot.is_key:
        yield from _keys(spot, robot, vocabulary, followed=followed, indent=indent)
        return
    place = vocabulary.place_at(spot.path)
    if place is None:
        return
    for value in place.values:
        yield Completion(value, value, "value", place.means)
    if place.names is not None:
        left = (
            name for name in list_names(robot, place.names, spot.path) if name not in spot.others
        )
        yield from _names(left, robot, place.names, "")


def _keys(
    spot: Spot, robot: RobotDescription, vocabulary: Vocabulary, *, followed: bool, indent: str
) -> Iterator[Completion]:
    version = robot.xrdf.format_version
    for key, place in vocabulary.keys_at(spot.path).items():
        if key in spot.others or (
            place.version is not None and version in ("1.0", "2.0") and place.version != version
        ):
            continue
        behind = {"value": ": ", "list": ":", "mapping": f":\n{indent}  "}[place.shape]
        yield Completion(key, key if followed else key + behind, "key", place.sentence)
    names = vocabulary.named_key(spot.path)
    if names is not None and names.key_names is not None:
        behind = (
            ""
            if followed
            else {"value": ": ", "list": ":", "mapping": f":\n{indent}  "}[names.shape]
        )
        left = (
            name
            for name in list_names(robot, names.key_names, (*spot.path, "*"))
            if name not in spot.others
        )
        yield from _names(left, robot, names.key_names, behind)


def _names(
    names: Iterable[str], robot: RobotDescription, kind: Named, behind: str
) -> Iterator[Completion]:
    for name in names:
        about = describe_name(robot, kind, name)
        yield Completion(name, format_string(name, "") + behind, "name", about[0] if about else "")


def _indent(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 : start].replace("- ", "  ")
    return " " * len(line) if not line.strip() else ""


def _fits(typed: str, label: str) -> bool:
    return typed.casefold() in label.casefold()


# -- which attributes of URDF and SRDF name something, and which one stands at a place of a text

LINK, JOINT, SRDF_GROUP = Named.LINK, Named.JOINT, Named.SRDF_GROUP
#: (element, attribute) -> what it names.
_URDF = {
    ("link", "name"): LINK,
    ("joint", "name"): JOINT,
    ("parent", "link"): LINK,
    ("child", "link"): LINK,
    ("mimic", "joint"): JOINT,
    ("gazebo", "reference"): LINK,
}
_SRDF = {
    ("link", "name"): LINK,
    ("joint", "name"): JOINT,
    ("passive_joint", "name"): JOINT,
    ("chain", "base_link"): LINK,
    ("chain", "tip_link"): LINK,
    ("disable_collisions", "link1"): LINK,
    ("disable_collisions", "link2"): LINK,
    ("enable_collisions", "link1"): LINK,
    ("enable_collisions", "link2"): LINK,
    ("disable_default_collisions", "link"): LINK,
    ("pair_margin", "link1"): LINK,
    ("pair_margin", "link2"): LINK,
    ("link_sphere_approximation", "link"): LINK,
    ("virtual_joint", "child_link"): LINK,
    ("end_effector", "parent_link"): LINK,
    ("end_effector", "group"): SRDF_GROUP,
    ("end_effector", "parent_group"): SRDF_GROUP,
    ("group_state", "group"): SRDF_GROUP,
    ("group_tcps", "group"): SRDF_GROUP,
    ("group", "name"): SRDF_GROUP,
    ("joint_property", "joint_name"): JOINT,
}
#: (file, kind of thing) -> the element that gives it its name.
_DEFINED = {
    (FileKind.URDF, LINK): "link",
    (FileKind.URDF, JOINT): "joint",
    (FileKind.SRDF, SRDF_GROUP): "group",
}
#: Where a thing of the URDF gets its name: nothing is offered there.
_GIVING = (("link", "name"), ("joint", "name"))


def naming_attribute(
    text: str, offset: int, kind: FileKind, robot: RobotDescription | None = None
) -> tuple[AttributeSpot, Named, bool] | None:
    """The attribute at an offset, what it names, and whether it gives a thing its name; None where
    it names nothing.

    With a `robot`, an extension that refers to a joint is told from one that refers to a link.
    """
    spot = attribute_at(text, offset)
    named = (
        (_URDF if kind is FileKind.URDF else _SRDF).get((spot.element, spot.attribute))
        if spot is not None
        else None
    )
    if spot is None or named is None:
        return None
    if (
        robot is not None
        and spot.attribute == "reference"
        and not describe_name(robot, named, spot.value)
    ):
        named = JOINT if describe_name(robot, JOINT, spot.value) else named
    return spot, named, kind is FileKind.URDF and (spot.element, spot.attribute) in _GIVING


def naming_element(text: str, named: Named, name: str, kind: FileKind) -> tuple[int, int] | None:
    """Start and end of a name in the element that gives it to a thing; None where the file has
    none."""
    given = _DEFINED.get((kind, named))
    if given is None:
        return None
    pattern = (
        rf"<{given}\s[^<>]*?\bname\s*=\s*([\"'])({re.escape(escape(name, {chr(34): '&quot;'}))})\1"
    )
    without_comments = re.sub(r"<!--.*?-->", lambda m: " " * len(m.group()), text, flags=re.DOTALL)
    match = re.search(pattern, without_comments)
    return None if match is None else match.span(2)


_TAG = re.compile(r"<([A-Za-z_][\w.:-]*)")
_OPEN_VALUE = re.compile(r"([A-Za-z_][\w.:-]*)\s*=\s*([\"'])([^\"'<]*)$")
#: No tag of a robot is longer.
_MOST = 4000


@dataclass(frozen=True, slots=True)
class AttributeSpot:
    """The value between its quotes, from `start` to `end`; without its second quote, as far as it
    goes on its line."""

    element: str
    attribute: str
    value: str
    start: int
    end: int


def attribute_at(text: str, offset: int) -> AttributeSpot | None:
    """The attribute whose value covers an offset, its ends included; None elsewhere, and in
    comments."""
    begin = text.rfind("<", max(0, offset - _MOST), offset)
    tag = _TAG.match(text, begin) if begin >= 0 else None
    if tag is None or text.rfind("-->", 0, offset) < text.rfind("<!--", 0, offset):
        return None
    match = _OPEN_VALUE.search(text[tag.end() : offset])
    # A `>` outside of quotes before the attribute has ended the tag.
    if match is None or ">" in re.sub(
        r"\"[^\"]*\"|'[^']*'", "", text[tag.end() : offset - len(match.group())]
    ):
        return None
    start, quote = offset - len(match.group(3)), match.group(2)
    end = offset
    while end < len(text) and text[end] not in f"{quote}<>\r\n":
        end += 1
    return AttributeSpot(tag.group(1), match.group(1), text[start:end], start, end)


def list_names(robot: RobotDescription, kind: Named, path: YamlPath = ()) -> tuple[str, ...]:
    """The names of a kind, each once. `path`: the place in an XRDF where one is wanted, which may
    narrow the choice: fixed joints are not controlled, and only a mimic joint is freed."""
    if kind is Named.JOINT:
        return tuple(
            dict.fromkeys(
                joint.name for joint in robot.urdf.joints if _is_wanted(robot, joint, path)
            )
        )
    if kind is Named.LINK:
        added = (each.frame_name for each in robot.xrdf.added_frames)
        return tuple(dict.fromkeys((*(link.name for link in robot.urdf.links), *added)))
    if kind is Named.GEOMETRY_GROUP:
        if path == ("geometry", "*"):
            return tuple(
                name for name in _groups_asked_for(robot) if robot.xrdf.group(name) is None
            )
        edited_group = path[1] if len(path) > 2 and path[0] == "geometry" else None
        return tuple(
            group.name for group in robot.xrdf.geometry or () if group.name != edited_group
        )
    return tuple(group.name for group in robot.srdf.groups) if robot.srdf is not None else ()


def describe_name(robot: RobotDescription, kind: Named, name: str) -> tuple[str, ...]:
    """Describe a name in sentences, the most important first; empty for a name that the robot
    lacks."""
    tell = {
        Named.JOINT: _of_joint,
        Named.LINK: _of_frame,
        Named.GEOMETRY_GROUP: _of_geometry_group,
        Named.SRDF_GROUP: _of_srdf_group,
    }
    return tuple(tell[kind](robot, name))


def _is_wanted(robot: RobotDescription, joint: Joint, path: YamlPath) -> bool:
    if path[:1] == ("modifiers",):
        return joint.mimic is not None
    if path[:1] in (("cspace",), ("default_joint_positions",)):
        return joint.is_movable and (joint.mimic is None or joint.name in robot.xrdf.freed_joints)
    return True


def _groups_asked_for(robot: RobotDescription) -> tuple[str, ...]:
    xrdf = robot.xrdf
    named = (
        xrdf.world_group,
        xrdf.self_group,
        *(n for g in xrdf.geometry or () for n in g.clone or ()),
    )
    return tuple(dict.fromkeys(name for name in named if name))


def _of_joint(robot: RobotDescription, name: str) -> Iterator[str]:
    joint = robot.urdf.joint(name)
    if joint is None:
        added = next((each for each in robot.xrdf.added_frames if each.joint_name == name), None)
        if added is not None:
            yield (
                f"Joint {name}: fixes the added frame {added.frame_name} to "
                f"{added.parent_frame_name}"
            )
        return
    yield f"Joint {name}: {joint.type.value}, from {joint.parent} to {joint.child}"
    turns = joint.type is not JointType.PRISMATIC
    limits = joint.position_limits
    if limits is not None:
        ends = (
            joint.position_text(limit) if math.isfinite(limit) else "no limit" for limit in limits
        )
        yield f"Limits {' to '.join(ends)}"
    if joint.limit is not None and joint.limit.velocity is not None:
        yield f"Speed at most {joint.limit.velocity:g} {'rad/s' if turns else 'm/s'}"
    if joint.mimic is not None:
        freed = ", but freed by this XRDF" if name in robot.xrdf.freed_joints else ""
        yield (
            f"Mimics {joint.mimic.joint} × {joint.mimic.multiplier:g} + "
            f"{joint.mimic.offset:g}{freed}"
        )


def _of_frame(robot: RobotDescription, name: str) -> Iterator[str]:
    link = robot.urdf.link(name)
    added = next((each for each in robot.xrdf.added_frames if each.frame_name == name), None)
    if link is None and added is None:
        return
    if link is not None:
        joint = robot.urdf.joint_to(name)
        hangs = (
            "the root"
            if joint is None
            else f"child of {joint.parent} by {joint.name} ({joint.type.value})"
        )
        yield f"Link {name}: {hangs}"
        shapes = f"{len(link.collisions)} collision and {len(link.visuals)} visual shapes"
        yield f"Has {shapes}" + ("" if link.inertial is None else f", {link.inertial.mass:g} kg")
    elif added is not None:
        yield f"Frame {name}: added by this XRDF, fixed to {added.parent_frame_name}"
    for group in robot.xrdf.geometry or ():
        count = len(group.spheres.get(name, ()))
        if count:
            yield f"{count} sphere{'s' if count > 1 else ''} in the group {group.name}"


def _of_geometry_group(robot: RobotDescription, name: str) -> Iterator[str]:
    group = robot.xrdf.group(name)
    if group is not None:
        spheres = robot.xrdf.spheres_of(name)
        yield f"Group {name}: {sum(map(len, spheres.values()))} spheres on {len(spheres)} frames"


def _of_srdf_group(robot: RobotDescription, name: str) -> Iterator[str]:
    group = robot.srdf.group(name) if robot.srdf is not None else None
    if robot.srdf is not None and group is not None:
        chains = ", ".join(f"{base} to {tip}" for base, tip in group.chains)
        parts = [f"chains {chains}"] if chains else []
        for title, members in (
            ("joints", group.joints),
            ("links", group.links),
            ("groups", group.subgroups),
        ):
            if members:
                parts.append(f"{title} {', '.join(members)}")
        yield f"Group {name} of the SRDF: {'; '.join(parts) or 'empty'}"
        planned = list_planned_joints(robot.srdf, group, KinematicGraph(robot.urdf))
        yield f"Moves {', '.join(planned) or 'no joint'}"
