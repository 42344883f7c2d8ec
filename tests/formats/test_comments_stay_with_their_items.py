"""Comments and the spelling of numbers stay with their item, whatever was edited before the file is
saved.

Each item of a file has two comments that name it, above it and behind it. Random commands, undone
and redone in between, change the document; a plain list of names beside it says which item is
where. The saved text must agree.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

import pytest

from editor_app.core.document import commands as c
from editor_app.core.document.commands.fields import OfJoint, OfLink, OfMotionLimit, PartOf
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from editor_app.core.formats.ros_settings import read_settings
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.ros_settings import MotionLimits
from editor_app.core.model.srdf import Group
from editor_app.core.model.urdf import Ball, Collision
from editor_app.core.model.xrdf import AddFrame, CollisionSphere, FixedTransform, LinkPair
from editor_app.core.text.source import SourceText
from editor_app.core.text.xml.document import XmlElement, parse_xml
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import Mapping, Sequence, find_node
from tests.helpers.breadth import examples

#: List or mapping of a file -> the names of its items, "" for one that a command added.
Names = dict[str, list[str]]

LINKS, JOINTS = ("base", "upper", "fore", "hand", "tip"), ("j1", "j2", "j3", "j4")
URDF = '<robot name="arm">\n' + "".join(
    f'  <!-- {name} -->\n  <link name="{name}">\n'
    + "".join(
        f'    <!-- {name}_{n} -->\n    <collision><origin xyz="0.{n}00 0 +1e-1"/><geometry><sphere '
        f'radius="1e-{n}"/>'
        f"</geometry></collision> <!-- {name}_{n} -->\n"
        for n in (1, 2, 3)
    )
    + f"  </link> <!-- {name} -->\n"
    for name in LINKS
)
URDF += "".join(
    f'  <!-- {joint} -->\n  <joint name="{joint}" type="revolute"><origin xyz="0.{n}00 0 '
    f'0"/><parent link="{parent}"/>'
    f'<child link="{child}"/><axis xyz="0 0 1"/><limit lower="-{n}.0" upper="{n}.50" effort="1" '
    'velocity="1"/></joint>'
    f" <!-- {joint} -->\n"
    for n, (joint, parent, child) in enumerate(zip(JOINTS, LINKS, LINKS[1:], strict=False), 1)
)
URDF += "</robot>\n"
SRDF = '<robot name="arm">\n' + "".join(
    f'  <!-- {name} -->\n  <group name="{name}"><joint name="j1"/></group> <!-- {name} -->\n'
    for name in ("g1", "g2", "g3")
)
SRDF += "".join(
    f'  <!-- {name} -->\n  <group_state name="{name}" group="g1"><joint name="j1" '
    f'value="0.{n}00"/></group_state>'
    f" <!-- {name} -->\n"
    for n, name in enumerate(("s1", "s2", "s3"), 1)
)
PAIRS = [(a, b) for i, a in enumerate(LINKS) for b in LINKS[i + 1 :]][:6]
SRDF += "".join(
    f'  <!-- {a}-{b} -->\n  <disable_collisions  link1="{a}" link2="{b}" reason="User"/> <!-- '
    f"{a}-{b} -->\n"
    for a, b in PAIRS
)
SRDF += "</robot>\n"


def _items(items: dict[str, str], indent: str, *, flow: bool = False) -> str:
    """One line for each item, with its name above and behind."""
    mark, comma = ("", ",") if flow else ("- ", "")
    lines = [
        f"{indent}# {name}\n{indent}{mark}{text}{comma}   # {name}\n"
        for name, text in items.items()
    ]
    return "\n" + "".join(lines)


def _entries(items: dict[str, str], indent: str, kind: str) -> str:
    lines = (
        f"{indent}# {kind}_{key}\n{indent}{key}: {text}   # {kind}_{key}\n"
        for key, text in items.items()
    )
    return "\n" + "".join(lines)


def _xrdf(layout: str) -> str:
    """A file in block style ("block"), or with its lists in brackets over several lines
    ("flow")."""

    def listed(items: dict[str, str], indent: str) -> str:
        if layout == "block":
            return _items(items, indent)
        return " [" + _items(items, indent, flow=True) + indent[2:] + "]\n"

    frames = {
        name: f"add_frame: {{frame_name: {name}, parent_frame_name: hand, joint_name: {name}_joint, joint_type: FIXED, "
        f"fixed_transform: {{position: [0, 0.{n}00, 0], orientation: {{w: 1, xyz: [0, 0, 0]}}}}}}"
        for n, name in enumerate(("m1", "m2", "m3"), 1)
    }
    if layout == "flow":
        frames = {name: "{" + text + "}" for name, text in frames.items()}
    spheres = {
        frame: {
            f"{frame}_{n}": f"{{center: [0.{n}0, +{n}, 0], radius: .{n}00}}" for n in range(1, 5)
        }
        for frame in ("upper", "fore")
    }
    limits = {
        kind: {f"{joint}_{kind}": f"1{n}.00" for n, joint in enumerate(JOINTS)}
        for kind in ("acceleration", "jerk")
    }
    return (
        "format: xrdf\nformat_version: 1.0\nmodifiers:" + listed(frames, "  ")
        + "default_joint_positions:" + _entries({joint: f"0.{n}00" for n, joint in enumerate(JOINTS)}, "  ", "at")
        + "cspace:\n  joint_names:" + listed({joint: joint for joint in JOINTS}, "    ")
        + "".join(f"  {kind}_limits:" + listed(values, "    ") for kind, values in limits.items())
        + "tool_frames:" + listed({f"tool_{name}": name for name in ("m1", "m2", "hand", "tip")}, "  ")
        + "collision:\n  geometry: g\n  buffer_distance:" + _entries(dict.fromkeys(LINKS, "0.010"), "    ", "buffer")
        + "self_collision:\n  geometry: g\n  ignore:\n    base:" + listed({f"base-{x}": x for x in LINKS[1:]}, "      ")
        + "geometry:\n  g:\n    spheres:\n"
        + "".join(f"      {frame}:" + listed(items, "        ") for frame, items in spheres.items())
    )  # fmt: skip


def document_of(layout: str = "block") -> Document:
    source = SourceText.from_text
    return Document(
        read_urdf(source(URDF)), read_xrdf(source(_xrdf(layout))), read_srdf(source(SRDF))
    )


@dataclass(frozen=True)
class MoveSphere:
    """A sphere of one link becomes one of another, at the end."""

    source: str
    index: int
    target: str
    label: str = "Move sphere"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        (group,) = robot.xrdf.geometry or ()
        spheres = group.spheres[self.source]
        group = group.with_spheres(
            self.source, (*spheres[: self.index], *spheres[self.index + 1 :])
        )
        moved = spheres[self.index]
        group = group.with_spheres(self.target, (*group.spheres.get(self.target, ()), moved))
        return robot.with_xrdf(robot.xrdf.with_group(group))


# -- random commands, each with what it does to the lists of names


Step = tuple[Change, Callable[[Names], object]]


def _nothing(names: Names) -> None:
    """The item is edited where it is."""


def _move(names: Names, lists: tuple[str, ...], index: int, to: int) -> None:
    for each in lists:
        names[each].insert(to, names[each].pop(index))


def xrdf_step(robot: RobotDescription, random: Random) -> Step | None:
    kinds: list[Callable[[RobotDescription, Random], Step | None]] = [
        _tools,
        _joints,
        _modifiers,
        _positions,
        _buffers,
    ]
    return random.choice([*kinds, _ignored, _spheres, _spheres, _spheres])(robot, random)


def _spheres(robot: RobotDescription, random: Random) -> Step | None:
    (group,) = robot.xrdf.geometry or ()
    frame = random.choice(("upper", "fore"))
    spheres = group.spheres.get(frame, ())
    index = random.randrange(len(spheres) + 1)
    new = CollisionSphere((random.random(), 0.0, 0.0), 0.25)
    if index == len(spheres):
        return c.AddSpheres("g", frame, (new,)), lambda names: names.setdefault(frame, []).append(
            ""
        )
    ref, kind = (
        SphereRef("g", frame, index),
        random.choice(("add", "set", "radius", "delete", "move")),
    )
    if kind == "add":
        return c.AddSpheres("g", frame, (new,), index), lambda names: names[frame].insert(index, "")
    if kind == "delete" and len(spheres) > 1:
        return c.DeleteSpheres((ref,)), lambda names: names[frame].pop(index)
    if kind == "move" and len(spheres) > 1:
        other = "fore" if frame == "upper" else "upper"
        return MoveSphere(frame, index, other), lambda names: names[other].append(
            names[frame].pop(index)
        )
    sphere = replace(spheres[index], radius=random.random()) if kind == "radius" else new
    return c.SetSpheres(((ref, sphere),)), _nothing


def _tools(robot: RobotDescription, random: Random) -> Step | None:
    frames = robot.xrdf.tool_frames or ()
    name = random.choice(
        [link.name for link in robot.urdf.links if link.name not in frames] or ["none"]
    )
    index, to = random.randrange(len(frames) + 1), random.randrange(len(frames) + 1)
    kind = random.choice(("add", "set", "remove", "move"))
    if kind == "add":
        return c.InsertItem("xrdf.tool_frames", name, index), lambda names: names[
            "tool_frames"
        ].insert(index, "")
    if index == len(frames) or to == len(frames) or len(frames) < 2:
        return None
    if kind == "set":
        return c.set_item("xrdf.tool_frames", index, name), _nothing
    if kind == "remove":
        return c.RemoveItems("xrdf.tool_frames", (index,)), lambda names: names["tool_frames"].pop(
            index
        )
    return c.MoveItem("xrdf.tool_frames", index, to), lambda names: names["tool_frames"].insert(
        to, names["tool_frames"].pop(index)
    )


def _joints(robot: RobotDescription, random: Random) -> Step | None:
    joints = robot.xrdf.controlled
    lists, missing = (
        ("joint_names", "acceleration_limits", "jerk_limits"),
        [j for j in JOINTS if j not in joints],
    )
    index, to = random.randrange(len(joints)), random.randrange(len(joints))
    kind = random.choice(("add", "remove", "move", "limit"))
    if kind == "add" and missing:

        def add(names: Names) -> None:
            for each in lists:
                # What was removed and comes back is the old one.
                names[each].insert(index, missing[0] if each == "joint_names" else "")

        return c.AddJoints((missing[0],), 7.0, 70.0, index), add
    if kind == "remove" and len(joints) > 2:
        return c.RemoveJoints((index,)), lambda names: [names[x].pop(index) for x in lists]
    if kind == "limit":
        return c.SetLimits("acceleration", ((index, random.random()),)), _nothing
    return c.MoveJoint(index, to), lambda names: _move(names, lists, index, to)


def _modifiers(robot: RobotDescription, random: Random) -> Step | None:
    present, name = robot.xrdf.modifiers or (), f"f{random.randrange(10**6)}"
    index, to = random.randrange(len(present) + 1), random.randrange(len(present) + 1)
    kind = random.choice(("add", "rename", "delete", "move", "set"))
    if kind == "add":
        frame = AddFrame(name, "hand", f"{name}_joint", FixedTransform((random.random(), 0.0, 0.0)))
        return c.InsertItem("xrdf.modifiers", frame, index), lambda names: names[
            "modifiers"
        ].insert(index, "")
    if index == len(present) or to == len(present) or len(present) < 2:
        return None
    if kind == "delete":
        return c.RemoveItems("xrdf.modifiers", (index,)), lambda names: names["modifiers"].pop(
            index
        )
    if kind == "move":
        return c.MoveItem("xrdf.modifiers", index, to), lambda names: names["modifiers"].insert(
            to, names["modifiers"].pop(index)
        )
    modifier = present[index]
    assert isinstance(modifier, AddFrame)
    if kind == "set":
        moved = replace(modifier, fixed_transform=FixedTransform((0.0, random.random(), 0.0)))
        return c.set_item("xrdf.modifiers", index, moved), _nothing
    # The frame is a tool, too: that item is renamed with it.
    return c.RenameItem("xrdf.modifiers", index, name), _nothing


def _positions(robot: RobotDescription, random: Random) -> Step | None:
    present = robot.xrdf.default_joint_positions or FrozenDict()
    joint, missing = random.choice(list(present)), [f"extra{random.randrange(10**6)}"]
    index, kind = list(present).index(joint), random.choice(("set", "delete", "rename", "add"))
    if kind == "delete" and len(present) > 1:
        return c.RemoveItems("xrdf.default_joint_positions", (joint,)), lambda names: names[
            "positions"
        ].pop(index)
    if kind == "rename" and missing:
        return c.RenameItem("xrdf.default_joint_positions", joint, missing[0]), _nothing
    if kind == "add" and missing:
        return c.set_item("xrdf.default_joint_positions", missing[0], 0.5), lambda names: names[
            "positions"
        ].append("")
    return c.set_item("xrdf.default_joint_positions", joint, random.random()), _nothing


def _buffers(robot: RobotDescription, random: Random) -> Step | None:
    section = robot.xrdf.world_collision
    assert section is not None
    present = section.buffer_distance
    assert isinstance(present, FrozenDict)
    link, missing = random.choice(list(present)), [f"extra{random.randrange(10**6)}"]
    index, kind = list(present).index(link), random.choice(("set", "delete", "rename", "add"))
    if kind == "delete" and len(present) > 1:
        return c.RemoveItems("xrdf.world_collision.buffer_distance", (link,)), lambda names: names[
            "buffers"
        ].pop(index)
    if kind == "rename" and missing:
        return c.RenameItem("xrdf.world_collision.buffer_distance", link, missing[0]), _nothing
    if kind == "add" and missing:
        change = c.set_item("xrdf.world_collision.buffer_distance", missing[0], 0.5)
        return change, lambda names: names["buffers"].append("")
    return c.set_item("xrdf.world_collision.buffer_distance", link, random.random()), _nothing


def _ignored(robot: RobotDescription, random: Random) -> Step | None:
    section = robot.xrdf.self_collision
    assert section is not None
    others = (section.ignore or FrozenDict()).get("base", ())
    if len(others) < 2:
        return None
    index = random.randrange(len(others))
    return c.SetMask(checked=(LinkPair.of("base", others[index]),)), lambda names: names[
        "ignore"
    ].pop(index)


def urdf_step(robot: RobotDescription, random: Random) -> Step | None:
    links, new = robot.urdf.links, f"x{random.randrange(10**6)}"
    index, kind = (
        random.randrange(len(links)),
        random.choice(("link", "joint", "leaf", "origin", "shapes", "shapes", "shapes")),
    )
    link = links[index]
    if kind == "link":
        return c.RenameLink(link.name, new), _nothing
    joint = random.choice(robot.urdf.joints)
    if kind == "joint":
        return c.RenameJoint(joint.name, new), _nothing
    if kind == "origin":
        return c.SetField(OfJoint(joint.name), "origin.xyz", (random.random(), 0.0, 0.0)), _nothing
    if kind == "leaf":
        leaf = robot.urdf.joints[-1]
        if len(links) > 3 and leaf.child == links[-1].name:
            return (
                c.RemoveLink(leaf.child),
                lambda names: (
                    [names[x].pop() for x in ("links", "joints")]
                    and names.pop(f"shapes {len(links) - 1}")
                ),
            )
        return None
    shapes, place = link.collisions, random.randrange(len(link.collisions))
    at = [f"shapes {n}" for n in range(len(links))][index]
    change = random.choice(("add", "delete", "move", "set"))
    if change == "add":
        added = (*shapes[:place], Collision(Ball(random.random())), *shapes[place:])
        return c.SetLink(link.name, replace(link, collisions=added)), lambda names: names[
            at
        ].insert(place, "")
    if change == "delete" and len(shapes) > 1:
        kept = (*shapes[:place], *shapes[place + 1 :])
        return c.SetLink(link.name, replace(link, collisions=kept)), lambda names: names[at].pop(
            place
        )
    if change == "move":
        rest = (*shapes[:place], *shapes[place + 1 :])
        swapped = (*rest, shapes[place])
        return c.SetLink(link.name, replace(link, collisions=swapped)), lambda names: names[
            at
        ].append(names[at].pop(place))
    origin = (random.random(), 0.0, 0.0)
    return c.SetField(
        PartOf(OfLink(link.name), ("collisions", place)), "origin.xyz", origin
    ), _nothing


def srdf_step(robot: RobotDescription, random: Random) -> Step | None:
    srdf, new = robot.srdf, f"x{random.randrange(10**6)}"
    assert srdf is not None
    kind = random.choice(
        (
            "group",
            "new group",
            "state",
            "new state",
            "no state",
            "pair",
            "no pair",
            "new pair",
            "reason",
        )
    )
    group = random.choice(srdf.groups)
    if kind == "group":
        return c.set_item("srdf.groups", group.name, replace(group, name=new)), _nothing
    if kind == "new group":
        return c.InsertItem("srdf.groups", Group(new, joints=("j2",))), lambda names: names[
            "groups"
        ].append("")
    if kind == "new state":
        return c.StoreState(new, group.name, FrozenDict({"j1": 1.0})), lambda names: names[
            "states"
        ].append("")
    index = random.randrange(len(srdf.states))
    state = srdf.states[index]
    if kind == "state":
        return c.StoreState(state.name, state.group, FrozenDict({"j1": random.random()})), _nothing
    if kind == "no state" and len(srdf.states) > 1:
        return c.RemoveItems("srdf.states", ((state.name, state.group),)), lambda names: names[
            "states"
        ].pop(index)
    place = random.randrange(len(srdf.disabled_pairs))
    pair = srdf.disabled_pairs[place]
    if kind == "no pair" and len(srdf.disabled_pairs) > 1:
        return c.RemoveItems("srdf.disabled_pairs", (pair.pair,)), lambda names: names["pairs"].pop(
            place
        )
    if kind == "new pair":
        fresh = [(a, b) for i, a in enumerate(LINKS) for b in LINKS[i + 1 :]][len(PAIRS) :]
        free = [
            pair for pair in (LinkPair.of(a, b) for a, b in fresh) if pair not in srdf.disabled()
        ]
        return (
            (
                c.set_item("srdf.disabled_pairs", free[0], "User"),
                lambda names: names["pairs"].append(""),
            )
            if free
            else None
        )
    changed = replace(
        srdf,
        disabled_pairs=tuple(
            replace(p, reason=new) if p is pair else p for p in srdf.disabled_pairs
        ),
    )
    return c.SetSrdf(changed), _nothing


# -- what the text says


def names_in_xrdf(text: str) -> Names:
    root = compose_document(SourceText.from_text(text)).root
    assert root is not None
    paths: dict[str, tuple[str, ...]] = {
        "modifiers": ("modifiers",),
        "positions": ("default_joint_positions",),
        **{key: ("cspace", key) for key in ("joint_names", "acceleration_limits", "jerk_limits")},
        "tool_frames": ("tool_frames",),
        "buffers": ("collision", "buffer_distance"),
        "ignore": ("self_collision", "ignore", "base"),
        **{frame: ("geometry", "g", "spheres", frame) for frame in ("upper", "fore")},
    }
    names: Names = {}
    for key, path in paths.items():
        node = find_node(root, path)
        if isinstance(node, Mapping):
            names[key] = [_comment_name(text, entry.start) for entry, _ in node.entries]
        elif isinstance(node, Sequence):
            names[key] = [_comment_name(text, item.start) for item in node.items]
    return names


def _comment_name(text: str, place: int) -> str:
    """The name in the comment behind the item at `place`, which must be the last one above it,
    too."""
    before, line = text[: text.rfind("\n", 0, place) + 1], text[place:].partition("\n")[0]
    above = before.splitlines()[-1].strip()
    behind = line.partition("#")[2].strip()
    if behind:
        assert above == f"# {behind}", f"{above!r} is above {line!r}"
    return behind


def names_in_xml(text: str, kind: FileKind) -> Names:
    root = parse_xml(SourceText.from_text(text)).root
    if kind is FileKind.SRDF:
        tags = {"groups": "group", "states": "group_state", "pairs": "disable_collisions"}
        return {
            key: [_xml_name(text, element) for element in root.all(tag)]
            for key, tag in tags.items()
        }
    names = {
        f"{tag}s": [_xml_name(text, element) for element in root.all(tag)]
        for tag in ("link", "joint")
    }
    for index, link in enumerate(root.all("link")):
        names[f"shapes {index}"] = [_xml_name(text, element) for element in link.all("collision")]
    return names


def _xml_name(text: str, element: XmlElement) -> str:
    behind = re.match(r" <!-- (\S+) -->", text[element.end :])
    above = re.search(r"<!-- (\S+) -->\n *\Z", text[: element.start])
    if behind is not None:
        assert above is not None, text
        assert above[1] == behind[1], f"{above[1]} is above {behind[1]}"
    return behind[1] if behind is not None else ""


def edited(
    document: Document,
    first: Names,
    random: Random,
    step: Callable[[RobotDescription, Random], Step | None],
) -> Names:
    """Makes random steps, some of them undone and redone; gives the names that the text should
    have."""
    history = [first]
    for _ in range(random.randrange(2, 12)):
        if random.random() < 0.2:
            random.choice([document.undo, document.redo])()
            continue
        made = step(document.robot, random)
        if made is None:
            continue
        change, effect = made
        names, before = copy.deepcopy(history[document.position]), document.position
        try:
            document.execute(change)
        except CannotApply:
            continue
        if document.position > before:
            effect(names)
            history[before + 1 :] = [names]
    return history[document.position]


_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?(?![\w])")


def compare(
    document: Document, kind: FileKind, before: str, wanted: Names, names_of: Callable[[str], Names]
) -> None:
    """The saved text has the comments of `wanted`, and numbers that were not changed have their
    spelling."""
    text = document.text(kind)
    assert text is not None
    names = names_of(text)
    for key, expected in wanted.items():
        assert names.get(key, []) == expected, (
            f"{key}: {names.get(key)} instead of {expected}\n{text}"
        )
    old, new = lines_by_name(before), lines_by_name(text)
    for name in (name for items in wanted.values() for name in items if name):
        numbers, now = _NUMBER.findall(old[name]), _NUMBER.findall(new[name])
        for number, shown in zip(numbers, now, strict=True):
            assert number == shown or float(number) != float(shown), f"{new[name]} was {old[name]}"


def lines_by_name(text: str) -> dict[str, str]:
    """Name in a comment behind an item -> what is before it on its line."""
    lines = (re.split(r"\s+(?:#|<!--) ", line) for line in text.splitlines())
    return {
        parts[1].removesuffix(" -->"): parts[0]
        for parts in lines
        if len(parts) == 2 and parts[0].strip()
    }


@pytest.mark.parametrize("layout", ["block", "flow"])
@pytest.mark.parametrize("seed", range(examples(60)))
def test_comments_of_an_xrdf_stay_with_their_items(layout: str, seed: int) -> None:
    document = document_of(layout)
    before = document.xrdf_text
    first = names_in_xrdf(before)
    assert first["upper"] == ["upper_1", "upper_2", "upper_3", "upper_4"]
    wanted = edited(document, first, Random(seed), xrdf_step)
    compare(document, FileKind.XRDF, before, wanted, names_in_xrdf)


@pytest.mark.parametrize("seed", range(examples(60)))
def test_comments_of_a_urdf_stay_with_their_elements(seed: int) -> None:
    document = document_of()
    first = names_in_xml(URDF, FileKind.URDF)
    assert first["links"] == list(LINKS)
    wanted = edited(document, first, Random(seed), urdf_step)
    compare(document, FileKind.URDF, URDF, wanted, lambda text: names_in_xml(text, FileKind.URDF))


@pytest.mark.parametrize("seed", range(examples(60)))
def test_comments_of_an_srdf_stay_with_their_elements(seed: int) -> None:
    document = document_of()
    first = names_in_xml(SRDF, FileKind.SRDF)
    assert first["groups"] == ["g1", "g2", "g3"]
    wanted = edited(document, first, Random(seed), srdf_step)
    compare(document, FileKind.SRDF, SRDF, wanted, lambda text: names_in_xml(text, FileKind.SRDF))


def test_a_deleted_sphere_leaves_its_comment_to_nobody() -> None:
    text = (
        "geometry:\n  g:\n    spheres:\n      upper:\n      - {center: [0, 0, 0], radius: .10}  # "
        "first\n"
        "      - {center: [1, 0, 0], radius: .20}  # second\n      - {center: [2, 0, 0], radius: "
        ".30}  # third\n"
    )
    source = SourceText.from_text
    document = Document(read_urdf(source(URDF)), read_xrdf(source(text)))
    document.execute(c.DeleteSpheres((SphereRef("g", "upper", 0),)))
    document.execute(
        c.SetSpheres(((SphereRef("g", "upper", 0), CollisionSphere((1.0, 0.0, 0.0), 0.25)),))
    )
    assert document.xrdf_text == text.replace(text.splitlines(keepends=True)[4], "").replace(
        "radius: .20", "radius: 0.25"
    )


def test_shapes_of_a_merged_link_take_their_comments_along() -> None:
    urdf = (
        '<robot name="r">\n  <link name="a"/>\n  <link name="b">\n    <inertial><mass value="1.0"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>\n    <!-- the plate '
        "-->\n"
        '    <collision><geometry><box size="1e-1 +2 3"/></geometry></collision> <!-- steel -->\n  '
        "</link>\n"
        '  <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0 '
        '1"/></joint>\n</robot>\n'
    )
    source = SourceText.from_text
    document = Document(
        read_urdf(source(urdf)), read_xrdf(source("format: xrdf\nformat_version: 1.0\n"))
    )
    document.execute(c.MergeLinks(("b",)))
    assert "    <!-- the plate -->\n    <collision>" in document.urdf_text
    assert '<box size="1e-1 +2 3"/></geometry>' in document.urdf_text
    assert "</collision> <!-- steel -->" in document.urdf_text
    assert document.urdf_text.count("the plate") == 1


def test_limits_of_a_renamed_joint_keep_their_comments() -> None:
    text = (
        "joint_limits:\n  # the shoulder\n  j1:   # J1\n    has_velocity_limits: true\n    "
        "max_velocity: 1.50  # fast\n"
        "  # the elbow\n  j2:   # J2\n    has_velocity_limits: true\n    max_velocity: 2.50\n"
    )
    source = SourceText.from_text
    settings = read_settings(MotionLimits, source(text))
    document = Document(read_urdf(source(URDF)), read_xrdf(source(_xrdf("block"))), settings)
    document.execute(c.RenameJoint("j1", "shoulder"))
    document.execute(c.SetField(OfMotionLimit("shoulder"), "max_velocity", 1.75))
    document.execute(c.RenameJoint("j2", "j1"))
    expected = (
        text.replace("  j1:", "  shoulder:").replace("  j2:", "  j1:").replace("1.50", "1.75")
    )
    assert document.text(FileKind.LIMITS) == expected
