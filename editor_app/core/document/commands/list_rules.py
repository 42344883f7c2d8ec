"""Lists and mappings of the model that the commands in `lists` edit: one row of `LIST_RULES` for
each path.

An item of a list is found by its index (from 0), or by a key, such as its name; an item of a
mapping by its key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from editor_app.core.document.commands.field_paths import get_field
from editor_app.core.document.commands.srdf_parts import VIRTUAL_TYPES, SetMargins
from editor_app.core.document.commands.tools import (
    SECTION_TITLES,
    check_finite,
    check_name,
    get_item,
    get_joint,
    get_link,
    refuse_not_finite,
    replace_xrdf,
    set_or_remove,
    the_group,
    the_section,
    the_srdf,
    the_srdf_group,
)
from editor_app.core.formats.srdf.read import CONFIGS
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import POSITIONS, TOOLS, GuessedPart
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import hint
from editor_app.core.model.references import rename_references
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.srdf import (
    CollisionMargins,
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    JointProperty,
    PairMargin,
    ToolCenterPoint,
    VirtualJoint,
)
from editor_app.core.model.xrdf import (
    NO_BUFFERS,
    AddFrame,
    CollisionSphere,
    GeometryGroup,
    LinkPair,
    Modifier,
    RemoveMimicAttributes,
    SetBaseFrame,
)
from editor_app.core.space.kinematics.tree import get_tree


class ItemEdit(NamedTuple):
    """One item to check: `old` is the item in its place (None for a new item), `others` are the
    other items."""

    robot: RobotDescription
    key: Any
    item: Any
    old: Any
    others: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ListRules:
    """The rules of one list or mapping. Its functions raise CannotApply.

    - `noun`: names an item in refusals.
    - `labels`: of undo steps, by "insert", "set", "remove", "move" and "rename".
    - `types`: of a key and of a value.
    - `get_key`: the key of an item of a list; None in a mapping, and in a list whose items have an
      index.
    - `is_set`: to insert a present item changes nothing.
    - `adds`: to set an unknown key adds an item, and to set a key of several items sets all of
      them.
    - `read`: the list, where it is no plain field.
    - `make(old, key, value)`: the item of a value, or None to remove it.
    - `check`: refuses an item that cannot be saved. `check_removal`: refuses to remove a key.
    - `missing`: the refusal to remove an unknown key, which is no error if empty.
    - `follow(robot, key, new key or None)`: the robot with changed references.
    - `rename(robot, key, name)`: the robot with another name.
    - `guess`: the guessed part that a new value of a key confirms.
    """

    noun: str
    labels: Mapping[str, Label]
    types: tuple[Any, Any] = (str, str)
    get_key: Callable[[Any], Hashable] | None = None
    is_mapping: bool = False
    is_set: bool = False
    adds: bool = False
    normalise: Callable[[Any], Hashable] = lambda key: key
    read: Callable[[RobotDescription], Any] | None = None
    make: Callable[[Any, Any, Any], Any] = lambda old, key, value: value
    check: Callable[[ItemEdit], object] = lambda edit: None
    check_removal: Callable[[RobotDescription, Any], object] = lambda robot, key: None
    missing: str = ""
    follow: Callable[[RobotDescription, Any, Any], RobotDescription] = lambda robot, key, new: robot
    rename: Callable[[RobotDescription, Any, str], RobotDescription] | None = None
    guess: Callable[[Any], GuessedPart] | None = None

    @property
    def has_indices(self) -> bool:
        return self.get_key is None and not self.is_mapping

    def list_entries(self, items: Any) -> list[tuple[Any, Any]]:
        """Return (key, item) pairs in the order of the list."""
        if self.is_mapping:
            return list((items or {}).items())
        return [
            (i if self.get_key is None else self.get_key(item), item)
            for i, item in enumerate(items or ())
        ]


# -- words of labels


def _name_or_count(
    noun: str, plural: str, name: Callable[[Any], str], keys: Collection[Any]
) -> str:
    """Return "state home" for one key, "3 states" for several."""
    different = tuple(dict.fromkeys(keys))
    return f"{noun} {name(different[0])}" if len(different) == 1 else f"{len(different)} {plural}"


def _name_keys(noun: str, plural: str = "", name: Callable[[Any], str] = str) -> partial[str]:
    return partial(_name_or_count, noun, plural or f"{noun}s", name)


def _get_first(values: Mapping[Any, Any]) -> Any:
    return next(iter(values.values()))


def _get_first_name(values: Mapping[Any, Any]) -> str:
    return str(_get_first(values).name)


# -- XRDF


def modifier_title(modifier: Modifier) -> str:
    """Describe a modifier in a few words."""
    if isinstance(modifier, AddFrame):
        return f"frame {modifier.frame_name}"
    if isinstance(modifier, SetBaseFrame):
        return f"base frame {modifier.frame}"
    return f"freed joint {modifier.joint_name}"


def _check_modifier(edit: ItemEdit) -> None:
    """Refuse what can never hold; names that do not exist (yet) are for the findings. Raises
    CannotApply."""
    modifier = edit.item
    if isinstance(modifier, AddFrame):
        _check_added_frame(edit)
    elif isinstance(modifier, SetBaseFrame):
        check_name(modifier.frame, "The base frame")
    else:
        _check_freed_joint(modifier, edit.others)


def _check_added_frame(edit: ItemEdit) -> None:
    """Refuse a frame that can never hold. Names it had before stay editable piece by piece. Raises
    CannotApply."""
    robot, modifier, was = (
        edit.robot,
        edit.item,
        edit.old if isinstance(edit.old, AddFrame) else None,
    )
    added = [m for m in edit.others if isinstance(m, AddFrame)]
    frame, joint = modifier.frame_name, modifier.joint_name
    check_name(frame, "A frame")
    check_name(joint, "The joint of a frame")
    check_name(modifier.parent_frame_name, "The parent of a frame")
    frames = {link.name for link in robot.urdf.links} | {m.frame_name for m in added}
    if (was is None or was.frame_name != frame) and frame in frames:
        raise CannotApply(f"The frame {frame!r} already exists. Choose another name.")
    joints = {j.name for j in robot.urdf.joints} | {m.joint_name for m in added}
    if (was is None or was.joint_name != joint) and joint in joints:
        raise CannotApply(f"The joint {joint!r} already exists. Choose another name.")
    if modifier.parent_frame_name == frame:
        raise CannotApply(f"{frame} cannot be its own parent.")
    for value in modifier.fixed_transform.position:
        check_finite(value, "The position of a frame")
    norm = math.hypot(
        *(
            check_finite(q, "The orientation of a frame")
            for q in modifier.fixed_transform.orientation_wxyz
        )
    )
    if norm < 1e-9:
        raise CannotApply("The orientation must be a unit quaternion (w, x, y, z), not all zeros.")


def _check_freed_joint(modifier: RemoveMimicAttributes, others: tuple[Modifier, ...]) -> None:
    check_name(modifier.joint_name, "The joint")
    lower, upper = (check_finite(v, "The position limits") for v in modifier.position_limits)
    if lower > upper:
        raise CannotApply(f"The lower limit {lower:g} is above the upper limit {upper:g}.")
    if (
        modifier.velocity_limit is not None
        and check_finite(modifier.velocity_limit, "The velocity limit") < 0
    ):
        raise CannotApply(f"The velocity limit must be positive, not {modifier.velocity_limit:g}.")
    if any(
        isinstance(m, RemoveMimicAttributes) and m.joint_name == modifier.joint_name for m in others
    ):
        raise CannotApply(f"{modifier.joint_name} is already freed by another modifier.")


def _rename_added_frame(robot: RobotDescription, index: int, name: str) -> RobotDescription:
    """Rename a frame in modifiers, spheres, buffers, masked pairs and tool frames."""
    present = robot.xrdf.modifiers or ()
    modifier = get_item(present, index, "modifier")
    if not isinstance(modifier, AddFrame):
        raise CannotApply("This modifier adds no frame.")
    if modifier.frame_name == name:
        return robot
    before, after = present[:index], present[index + 1 :]
    renamed = replace(modifier, frame_name=name)
    _check_modifier(ItemEdit(robot, index, renamed, modifier, (*before, *after)))
    robot = replace_xrdf(robot, modifiers=(*before, renamed, *after))
    return rename_references(robot, Named.LINK, modifier.frame_name, name, ["xrdf"])


def check_tool_frame(frame: str, frames: tuple[str, ...]) -> None:
    """Refuse a frame that is no name, or one of `frames`. Raises CannotApply."""
    check_name(frame, "A tool frame")
    if frame in frames:
        raise CannotApply(f"{frame} is already a tool frame.")


def _check_present_frame(edit: ItemEdit) -> None:
    """Refuse a tool frame that the robot does not have, where it has any frames."""
    check_tool_frame(edit.item, edit.others)
    frames = get_tree(edit.robot).index
    if frames and edit.item not in frames:
        raise CannotApply(f"The robot has no frame {edit.item!r}{hint(edit.item, frames)}.")


def read_buffers(section: Any, robot: RobotDescription) -> FrozenDict[str, float]:
    """Return the buffer distances of a collision section, in metres. Raises CannotApply where they
    are one number."""
    buffers = the_section(robot, section).buffer_distance
    if buffers is None:
        return NO_BUFFERS
    if not isinstance(buffers, FrozenDict):
        raise CannotApply(
            f"The {SECTION_TITLES[section]} buffer is one number for all frames. Write it per "
            "frame first."
        )
    return buffers


def _check_number(quantity: str, noun: str, edit: ItemEdit) -> None:
    check_name(edit.key, f"The {noun} of a {quantity}")
    check_finite(edit.item, f"The {quantity} of {edit.key}")


def _rename_key(
    path: str,
    quantity: str,
    noun: str,
    field: tuple[Named, str],
    robot: RobotDescription,
    old: str,
    new: str,
) -> RobotDescription:
    """Move the number of a name to another name, in its place."""
    rules = LIST_RULES[path]
    present = rules.read(robot) if rules.read is not None else get_field(robot, path)
    check_name(new, f"The {noun} of a {quantity}")
    if old not in (present or ()):
        raise CannotApply(rules.missing.format(key=old))
    if new == old:
        return robot
    if new in present:
        raise CannotApply(rules.missing.format(key=new).replace(" has no ", " already has a ", 1))
    named, title = field
    return rename_references(robot, named, old, new, ["xrdf"], title=title)


def _rules_of_buffers(section: Any) -> ListRules:
    title, path = f"{SECTION_TITLES[section]} buffer", f"xrdf.{section}.buffer_distance"
    field = (Named.LINK, f"buffer_distance of {section}")
    return ListRules(
        noun=title,
        types=(str, float),
        labels={
            "set": Label(f"Set {title} of {{values:the frame}}"),
            "remove": Label(f"Delete {title} of {{keys:the frame}}"),
            "rename": Label(f"Move {title} from {{old}} to {{new}}"),
        },
        is_mapping=True,
        adds=True,
        read=partial(read_buffers, section),
        check=partial(_check_number, "buffer distance", "frame"),
        missing=f"{{key}} has no {title}.",
        rename=partial(_rename_key, path, "buffer distance", "frame", field),
    )


def refuse_taken_group(robot: RobotDescription, name: str) -> None:
    """Refuse the name of a new geometry group that is no name, or is in use. Raises CannotApply."""
    check_name(name, "A geometry group")
    if robot.xrdf.group(name) is not None:
        raise CannotApply(f"The geometry group {name!r} already exists. Choose another name.")


def _rename_group(robot: RobotDescription, old: str, new: str) -> RobotDescription:
    """Rename a geometry group, and in the collision sections and clone lists that use it."""
    the_group(robot, old)
    if new == old:
        return robot
    refuse_taken_group(robot, new)
    groups = tuple(
        replace(each, name=new) if each.name == old else each for each in robot.xrdf.geometry or ()
    )
    return rename_references(replace_xrdf(robot, geometry=groups), Named.GEOMETRY_GROUP, old, new)


# -- SRDF


def _follow_name(
    named: Named, robot: RobotDescription, key: str, new: str | None
) -> RobotDescription:
    return rename_references(robot, named, key, new)


def _check_unused_group(robot: RobotDescription, name: str) -> None:
    srdf = the_srdf(robot)
    the_srdf_group(srdf, name)
    effectors = [e.name for e in srdf.end_effectors if e.group == name]
    if effectors:
        raise CannotApply(
            f"The end effector {effectors[0]!r} belongs to this group: delete it first."
        )


def _check_tcp(edit: ItemEdit) -> None:
    tcp = edit.item
    check_name(tcp.name, "A tool centre point")
    the_srdf_group(the_srdf(edit.robot), tcp.group)
    for value in (*tcp.xyz, *(tcp.wxyz or ()), *(tcp.rpy or ())):
        check_finite(value, f"A number of {tcp.name}")


def _check_effector(edit: ItemEdit) -> None:
    srdf, new = the_srdf(edit.robot), edit.item
    check_name(new.name, "An end effector")
    the_srdf_group(srdf, new.group)
    if new.parent_group is not None:
        the_srdf_group(srdf, new.parent_group)
    get_link(edit.robot, new.parent_link)


def _check_virtual_joint(edit: ItemEdit) -> None:
    new = edit.item
    check_name(new.name, "A virtual joint")
    check_name(new.parent_frame, "The parent frame of a virtual joint")
    get_link(edit.robot, new.child_link)
    if new.type not in VIRTUAL_TYPES and all(
        v.type != new.type for v in the_srdf(edit.robot).virtual_joints
    ):
        raise CannotApply(
            f"The type of a virtual joint must be one of {', '.join(VIRTUAL_TYPES)}, not "
            f"{new.type!r}."
        )
    if edit.robot.urdf.joint(new.name) is not None:
        raise CannotApply(f"The URDF already has a joint {new.name!r}. Choose another name.")


def _check_unused_joint(robot: RobotDescription, joint: str) -> None:
    user = next((g.name for g in the_srdf(robot).groups if joint in g.joints), None)
    if user is not None:
        raise CannotApply(
            f"The group {user!r} contains the virtual joint {joint!r}: remove it from the group "
            "first."
        )


def _follow_virtual_joint(robot: RobotDescription, key: str, new: str | None) -> RobotDescription:
    return robot if new is None else rename_references(robot, Named.JOINT, key, new, ("srdf",))


def _make_property(_: object, key: tuple[str, str], value: str | None) -> JointProperty | None:
    return None if value is None else JointProperty(*key, value)


def _check_property(edit: ItemEdit) -> None:
    joint, name = edit.key
    if edit.robot.urdf.joint(joint) is None and all(
        v.name != joint for v in the_srdf(edit.robot).virtual_joints
    ):
        raise CannotApply(f"The robot has no joint {joint!r}.")
    check_name(name, "A property")


def _make_pair(old: CollisionPair | None, pair: LinkPair, reason: str | None) -> CollisionPair:
    ordered = LinkPair.of(pair.first, pair.second)
    return replace(old or CollisionPair(ordered.first, ordered.second), reason=reason)


def _check_pair(edit: ItemEdit) -> None:
    if edit.item.link1 == edit.item.link2:
        raise CannotApply(f"{edit.item.link1} is never checked against itself.")


def _check_enabled_pair(edit: ItemEdit) -> None:
    _check_pair(edit)
    for link in (edit.item.link1, edit.item.link2) if edit.old is None else ():
        get_link(edit.robot, link)


def _make_margin(old: PairMargin | None, pair: LinkPair, margin: float | None) -> PairMargin | None:
    if margin is None:
        return None
    return replace(old or PairMargin(pair.first, pair.second, 0.0), margin=float(margin))


def _check_margin(edit: ItemEdit) -> None:
    for link in (edit.item.link1, edit.item.link2) if edit.old is None else ():
        get_link(edit.robot, link)
    margins = the_srdf(edit.robot).margins or CollisionMargins()
    SetMargins(replace(margins, pairs=(*edit.others, edit.item))).apply(edit.robot)


def _check_approximation(edit: ItemEdit) -> None:
    for sphere in edit.item:
        for value in (*sphere.center, sphere.radius):
            check_finite(value, f"A number of a sphere of {edit.key}")
        if sphere.radius < 0:
            raise CannotApply(f"A sphere of {edit.key} would have a negative radius.")
    get_link(edit.robot, edit.key)


def _check_config(edit: ItemEdit) -> None:
    if edit.key not in CONFIGS:
        raise CannotApply(
            f"{edit.key!r} is not a Tesseract config. Use one of {', '.join(CONFIGS)}."
        )
    check_name(edit.item, "A config file")


def _name_spheres_of(values: Mapping[str, Collection[Any]]) -> str:
    link, spheres = next(iter(values.items()))
    if len(values) > 1:
        return f"Edit spheres of {len(values)} links"
    return f"Set {format_count(len(dict.fromkeys(spheres)), 'sphere')} of {link} in the SRDF"


def _named_value(noun: str, plural: str, name: Callable[[Any], str] = str) -> Label:
    """Return the label "Set margin of a and b", "Remove margin of a and b" for a value None, or
    "Set 3 margins"."""

    def describe(values: Mapping[Any, Any]) -> str:
        return f"{set_or_remove(_get_first(values))} {_name_or_count(noun, plural, name, values)}"

    return Label("{values}", values=describe)


def _deleted(noun: str) -> Label:
    """Return the label of deletions: "Delete end effector x", "Delete 3 entries of the SRDF"."""
    return Label("Delete {keys}", keys=_name_keys(noun, "entries of the SRDF"))


#: Deletions of entries without a name.
_DELETED = Label(
    "Delete {keys} of the SRDF", keys=lambda keys: format_count(len(keys), "entry", "entries")
)


# -- URDF


def _check_sensor(edit: ItemEdit) -> None:
    sensor = edit.item
    check_name(sensor.name, "A sensor")
    if any(other.name == sensor.name for other in edit.others):
        raise CannotApply(f"The sensor {sensor.name!r} already exists.")
    get_link(edit.robot, sensor.parent)
    refuse_not_finite(sensor, None, f"sensor {sensor.name}")


_GET_NAME = attrgetter("name")
_GET_PAIR = attrgetter("pair")


def _normalise_pair(pair: LinkPair) -> LinkPair:
    return LinkPair.of(pair.first, pair.second)


_PAIRS: dict[str, Any] = {
    "noun": "pair",
    "get_key": _GET_PAIR,
    "normalise": _normalise_pair,
    "adds": True,
}


LIST_RULES: dict[str, ListRules] = {
    "xrdf.modifiers": ListRules(
        noun="modifier",
        types=(int, Modifier),
        labels={
            "insert": Label("Add {value}", value=modifier_title),
            "set": Label(
                "Change {values}", values=lambda values: modifier_title(_get_first(values))
            ),
            "remove": Label("Delete {keys:modifier}"),
            "move": Label("Reorder modifiers"),
            "rename": Label("Rename frame to {new}"),
        },
        check=_check_modifier,
        rename=_rename_added_frame,
    ),
    "xrdf.tool_frames": ListRules(
        noun="tool frame",
        types=(int, str),
        labels={
            "insert": Label("Add tool frame {value}"),
            "set": Label("Set tool frame {values}", values=_get_first),
            "remove": Label("Remove {keys:tool frame}"),
            "move": Label("Reorder tool frames"),
        },
        check=_check_present_frame,
        guess=lambda index: (TOOLS, ""),
    ),
    "xrdf.default_joint_positions": ListRules(
        noun="default position",
        types=(str, float),
        labels={
            "set": Label(
                "Set {values}", values=_name_keys("default position of", "default positions")
            ),
            "remove": Label("Delete default position of {keys:the joint}"),
            "rename": Label("Move default position from {old} to {new}"),
        },
        is_mapping=True,
        adds=True,
        check=partial(_check_number, "default position", "joint"),
        missing="{key} has no default position.",
        rename=partial(
            _rename_key,
            "xrdf.default_joint_positions",
            "default position",
            "joint",
            (Named.JOINT, "default_joint_positions"),
        ),
        guess=lambda joint: (POSITIONS, joint),
    ),
    "xrdf.world_collision.buffer_distance": _rules_of_buffers("world_collision"),
    "xrdf.self_collision.buffer_distance": _rules_of_buffers("self_collision"),
    "xrdf.geometry": ListRules(
        noun="geometry group",
        types=(str, GeometryGroup),
        labels={
            "remove": Label("Delete {keys}", keys=_name_keys("geometry group")),
            "rename": Label("Rename geometry group {old} to {new}"),
        },
        get_key=_GET_NAME,
        check=lambda edit: refuse_taken_group(edit.robot, edit.item.name),
        check_removal=the_group,
        follow=partial(_follow_name, Named.GEOMETRY_GROUP),
        rename=_rename_group,
    ),
    "srdf.groups": ListRules(
        noun="group",
        types=(str, Group),
        labels={
            "insert": Label("Add group {value.name}"),
            "set": Label("Edit group {values}", values=_get_first_name),
            "remove": Label("Delete {keys}", keys=_name_keys("group")),
        },
        get_key=_GET_NAME,
        check=lambda edit: check_name(edit.item.name, "A group"),
        check_removal=_check_unused_group,
        follow=partial(_follow_name, Named.SRDF_GROUP),
    ),
    "srdf.states": ListRules(
        noun="state",
        types=(tuple[str, str], GroupState),
        labels={
            "remove": Label("Delete {keys}", keys=_name_keys("state", name=lambda key: str(key[0])))
        },
        get_key=attrgetter("name", "group"),
        missing="The group {key[1]!r} has no state {key[0]!r}.",
    ),
    "srdf.tcps": ListRules(
        noun="tool centre point",
        types=(tuple[str, str], ToolCenterPoint),
        labels={"set": Label("Set tool centre point {values}", values=_get_first_name)},
        get_key=attrgetter("name", "group"),
        adds=True,
        check=_check_tcp,
    ),
    "srdf.end_effectors": ListRules(
        noun="end effector",
        types=(str, EndEffector),
        labels={
            "insert": Label("Add end effector {value.name}"),
            "set": Label("Edit end effector {values}", values=_get_first_name),
            "remove": _deleted("end effector"),
        },
        get_key=_GET_NAME,
        check=_check_effector,
    ),
    "srdf.virtual_joints": ListRules(
        noun="virtual joint",
        types=(str, VirtualJoint),
        labels={
            "insert": Label("Add virtual joint {value.name}"),
            "set": Label("Edit virtual joint {values}", values=_get_first_name),
            "remove": _deleted("virtual joint"),
        },
        get_key=_GET_NAME,
        check=_check_virtual_joint,
        check_removal=_check_unused_joint,
        follow=_follow_virtual_joint,
    ),
    "srdf.passive_joints": ListRules(
        noun="passive joint",
        labels={"insert": Label("Make {value} passive"), "remove": _deleted("passive joint")},
        get_key=str,
        is_set=True,
        check=lambda edit: get_joint(edit.robot, edit.item),
    ),
    "srdf.joint_properties": ListRules(
        noun="property",
        types=(tuple[str, str], str),
        labels={
            "set": _named_value("property", "properties", lambda key: f"{key[1]} of {key[0]}"),
            "remove": _DELETED,
        },
        get_key=attrgetter("joint", "name"),
        adds=True,
        make=_make_property,
        check=_check_property,
    ),
    "srdf.margins.pairs": ListRules(
        types=(LinkPair, float),
        labels={"set": _named_value("margin of", "margins"), "remove": _DELETED},
        read=lambda robot: (the_srdf(robot).margins or CollisionMargins()).pairs,
        make=_make_margin,
        check=_check_margin,
        **_PAIRS,
    ),
    "srdf.sphere_approximations": ListRules(
        noun="link",
        types=(str, tuple[CollisionSphere, ...]),
        labels={"set": Label("{values}", values=_name_spheres_of), "remove": _DELETED},
        is_mapping=True,
        adds=True,
        make=lambda old, link, spheres: spheres or None,
        check=_check_approximation,
    ),
    "srdf.configs": ListRules(
        noun="config",
        labels={
            "set": Label(
                "{values}",
                values=lambda values: (
                    f"{set_or_remove(_get_first(values))} {next(iter(values)).replace('_', ' ')}"
                ),
            ),
            "remove": _deleted("config"),
        },
        is_mapping=True,
        adds=True,
        check=_check_config,
    ),
    "srdf.default_disabled_links": ListRules(
        noun="link",
        labels={
            "insert": Label("Disable {value} by default"),
            "remove": Label("Check {keys:the link} by default"),
        },
        get_key=str,
        is_set=True,
        check=lambda edit: get_link(edit.robot, edit.item),
    ),
    "srdf.enabled_pairs": ListRules(
        types=(LinkPair, str),
        labels={
            "set": Label("Check {values:the pair} anyway"),
            "remove": Label("Delete the exception for {keys:the pair}"),
        },
        make=_make_pair,
        check=_check_enabled_pair,
        **_PAIRS,
    ),
    "srdf.disabled_pairs": ListRules(
        types=(LinkPair, str),
        labels={"set": Label("Disable {values:pair}"), "remove": Label("Enable {keys:pair}")},
        make=_make_pair,
        check=_check_pair,
        missing="{key.first} and {key.second} are not disabled.",
        **_PAIRS,
    ),
    "urdf.sensors": ListRules(
        noun="sensor",
        types=(str, Sensor),
        labels={"insert": Label("Add sensor {value.name}")},
        get_key=_GET_NAME,
        check=_check_sensor,
    ),
}
