"""Which fields of URDF, XRDF, SRDF and MoveIt's settings name a link (or frame), a joint, or a
group.

One row for each field, in `FIELDS`. Renaming, deleting, repairing and merging go through these
rows, so that a field that is added to the model is added here, and followed everywhere. A name that
a thing has itself (the name of a link, of an added frame, of a group) is no reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import is_
from typing import Any, Literal, TypeVar, cast

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.robot import CannotApply, RobotDescription

T = TypeVar("T")
#: The new name for a name; None deletes the reference.
Rename = Callable[[str], str | None]
DocumentName = Literal["urdf", "xrdf", "srdf", "limits", "kinematics", "positions"]
DOCUMENTS: tuple[DocumentName, ...] = ("urdf", "xrdf", "srdf", "limits", "kinematics", "positions")
#: What is left of something that goes together with the name in it.
_GONE: Any = object()


LINK, JOINT, GEOMETRY_GROUP, SRDF_GROUP = Named


@dataclass(frozen=True)
class ReferenceField:
    """One field. `title` is what messages call it; `moves_along`: merging a link takes it along or
    drops it.

    `path` leads from the document to the names, by attributes; several paths are separated by
    blanks. Steps: `a|b` both attributes; `*` each element of a list, `*Class` each one of that
    class; `keys` and `values` of a mapping; `both` elements of a pair. What a name is deleted from
    goes with it, up to the element of a list or mapping that it is in; an attribute that ends with
    `?` becomes None instead, one that ends with `!` stays as it is. `along`: lists beside the one
    with the names, which lose the same elements. `sentence` says what names it; `{0}` is the first
    element on the path.
    """

    document: DocumentName
    named: Named
    title: str
    path: str
    sentence: str
    moves_along: bool = False
    along: tuple[str, ...] = ()

    def names(self, document: Any) -> Iterator[str]:
        """Every name that stands in this field, as often as it stands there."""
        return (name for name, _ in self._places(document))

    def mentions(self, document: Any) -> Iterator[tuple[str, str]]:
        """(name, sentence part that says what names it)."""
        return ((name, self.sentence.format(element)) for name, element in self._places(document))

    def renamed(self, document: Any, rename: Rename) -> Any:
        """The document with other names. Raises CannotApply where two entries of a mapping would
        become one."""
        return change_at(document, self.path, rename, self.along)

    def _places(self, document: Any) -> Iterator[tuple[str, Any]]:
        for path in self.path.split():
            yield from _places(document, path.split("."))


def change_at(document: T, path: str, change: Callable[[Any], Any], along: Sequence[str] = ()) -> T:
    """The document with what stands at a path (see `ReferenceField`) changed; where `change` gives
    None, it goes."""
    changed: Any = document
    for each in path.split():
        changed = _renamed(changed, each.split("."), change, along)
    return cast(T, changed)


def _places(thing: Any, steps: Sequence[str], element: Any = None) -> Iterator[tuple[str, Any]]:
    """(name, first element of a list on the way to it) at the end of a path."""
    if thing is None:
        return
    if not steps:
        yield thing, element
        return
    step, rest = steps[0], steps[1:]
    if step in ("keys", "values"):
        inner = getattr(thing, step)() if isinstance(thing, FrozenDict) else ()
        for each in inner:
            yield from _places(each, rest, element)
    elif _is_list(step):
        for each in thing:
            if _fits(step, each):
                yield from _places(each, rest, each if element is None else element)
    else:
        for name in _attributes(step):
            yield from _places(getattr(thing, name), rest, element)


def _renamed(thing: Any, steps: Sequence[str], rename: Rename, along: Sequence[str] = ()) -> Any:
    """`thing` with other names at the end of a path, itself where none changes; _GONE where it goes
    with its name."""
    if thing is None:
        return None
    if not steps:
        new = rename(thing)
        return _GONE if new is None else new
    step, rest = steps[0], steps[1:]
    if step in ("keys", "values"):
        return (
            _renamed_entries(thing, step, rest, rename) if isinstance(thing, FrozenDict) else thing
        )
    if not _is_list(step):
        return _renamed_attributes(thing, step, rest, rename, along)
    items = [_renamed(each, rest, rename, along) if _fits(step, each) else each for each in thing]
    kept = tuple(each for each in items if each is not _GONE)
    if len(kept) < len(items):
        return _GONE if step == "both" else kept
    return thing if all(map(is_, kept, thing)) else kept


def _renamed_attributes(
    thing: Any, step: str, rest: Sequence[str], rename: Rename, along: Sequence[str]
) -> Any:
    changes: dict[str, Any] = {}
    for name in _attributes(step):
        old = getattr(thing, name)
        new = _renamed(old, rest, rename, along)
        if step.endswith("?") and new is not old and (new is _GONE or new == ()):
            new = None
        if new is _GONE and not step.endswith("!"):
            return _GONE
        if new is not _GONE and new is not old:
            changes[name] = new
            if along and rest == ["*"]:
                changes |= {
                    other: _without_gone(getattr(thing, other), old, rename) for other in along
                }
    return replace(thing, **changes) if changes else thing


def _renamed_entries(
    mapping: FrozenDict[Any, Any], step: str, rest: Sequence[str], rename: Rename
) -> Any:
    entries = []
    for key, value in mapping.items():
        new = (rename(key), value) if step == "keys" else (key, _renamed(value, rest, rename))
        # A list that loses its last entry goes; one that was empty stays.
        if new[0] is not None and (new[1] != () or value == ()):
            entries.append(new)
    changed = FrozenDict(entries)
    if len(changed) != len(entries):
        raise CannotApply("Two entries would become one.")
    return mapping if entries == list(mapping.items()) else changed


def _without_gone(
    values: tuple[Any, ...] | None, names: Sequence[str], rename: Rename
) -> tuple[Any, ...] | None:
    """`values` without those in the places of names that go; they may be fewer or more than the
    names."""
    gone = {place for place, name in enumerate(names) if rename(name) is None}
    return values and tuple(value for place, value in enumerate(values) if place not in gone)


def _is_list(step: str) -> bool:
    return step == "both" or step.startswith("*")


def _fits(step: str, element: Any) -> bool:
    return step in ("both", "*", f"*{type(element).__name__}")


def _attributes(step: str) -> list[str]:
    return step.rstrip("?!").split("|")


_urdf, _xrdf, _srdf, _limits, _kinematics, _initial = (
    partial(ReferenceField, document) for document in DOCUMENTS
)
_SPEAKS, _OF_JOINT = "the SRDF refers to it", "the SRDF refers to its joint"
_BUFFER = "the XRDF gives it a buffer distance"
FIELDS: tuple[ReferenceField, ...] = (
    _urdf(
        LINK, "joint", "joints.*.parent!", "it is the parent of joint {0.name!r}", moves_along=True
    ),
    _urdf(
        LINK, "joint", "joints.*.child!", "it is the child of joint {0.name!r}", moves_along=True
    ),
    _urdf(LINK, "extensions", "extensions.*.reference", "an extension of the URDF refers to it"),
    _urdf(LINK, "sensor", "sensors.*.parent!", "the sensor {0.name!r} is attached to it"),
    _urdf(JOINT, "extensions", "extensions.*.reference", "an extension of the URDF refers to it"),
    _urdf(JOINT, "sensor", "sensors.*.joint?", "the sensor {0.name!r} is attached to it"),
    _urdf(JOINT, "transmission", "transmissions.*.joints.*", "a transmission drives its joint"),
    _urdf(JOINT, "mimic", "joints.*.mimic?.joint", "a joint mimics its joint"),
    _xrdf(LINK, "tool_frames", "tool_frames.*", "it is a tool frame of the XRDF"),
    _xrdf(
        LINK, "set_base_frame", "modifiers?.*SetBaseFrame.frame", "it is the base frame of the XRDF"
    ),
    _xrdf(
        LINK,
        "add_frame",
        "modifiers?.*AddFrame.parent_frame_name",
        "the XRDF adds the frame {0.frame_name!r} to it",
    ),
    *(
        _xrdf(
            LINK,
            f"buffer_distance of {key}",
            f"{key}.buffer_distance.keys",
            _BUFFER,
            moves_along=True,
        )
        for key in ("world_collision", "self_collision")
    ),
    _xrdf(
        LINK,
        "ignore",
        "self_collision.ignore.values.* self_collision.ignore.keys",
        "the XRDF ignores its collisions",
        moves_along=True,
    ),
    _xrdf(
        LINK,
        "geometry",
        "geometry.*.spheres.keys",
        "it has spheres in the group {0.name!r}",
        moves_along=True,
    ),
    # The joint of an added frame is its own, never one of the URDF.
    _xrdf(
        JOINT,
        "remove_mimic_attributes",
        "modifiers?.*RemoveMimicAttributes.joint_name",
        "the XRDF frees its joint",
    ),
    _xrdf(
        JOINT,
        "default_joint_positions",
        "default_joint_positions.keys",
        "the XRDF gives its joint a position",
    ),
    _xrdf(
        JOINT,
        "cspace.joint_names",
        "cspace.joint_names.*",
        "the XRDF controls its joint",
        along=("acceleration_limits", "jerk_limits"),
    ),
    _xrdf(
        GEOMETRY_GROUP,
        "collision.geometry",
        "world_collision.geometry?",
        "collision.geometry names it",
    ),
    _xrdf(
        GEOMETRY_GROUP,
        "self_collision.geometry",
        "self_collision.geometry?",
        "self_collision.geometry names it",
    ),
    _xrdf(
        GEOMETRY_GROUP, "clone", "geometry.*.clone?.*", "the group {0.name!r} includes its spheres"
    ),
    _srdf(
        LINK,
        "group",
        "groups.*.links.* groups.*.chains.*.both",
        "it belongs to the group {0.name!r} of the SRDF",
    ),
    _srdf(
        LINK,
        "end_effector",
        "end_effectors.*.parent_link",
        "it carries an end effector of the SRDF",
    ),
    _srdf(
        LINK,
        "virtual_joint",
        "virtual_joints.*.child_link",
        "it is the child of a virtual joint of the SRDF",
    ),
    _srdf(
        LINK,
        "disable_collisions",
        "disabled_pairs.*.link1|link2",
        "the SRDF disables collisions of it",
        moves_along=True,
    ),
    _srdf(LINK, "enable_collisions", "enabled_pairs.*.link1|link2", _SPEAKS),
    _srdf(LINK, "disable_default_collisions", "default_disabled_links.*", _SPEAKS),
    _srdf(LINK, "pair_margin", "margins.pairs.*.link1|link2", _SPEAKS),
    _srdf(LINK, "link_sphere_approximation", "sphere_approximations.keys", _SPEAKS),
    _srdf(JOINT, "group", "groups.*.joints.*", "it belongs to the group {0.name!r} of the SRDF"),
    _srdf(
        JOINT,
        "group_state",
        "states.*.positions.keys",
        "the state {0.name!r} of the SRDF gives its joint a position",
    ),
    _srdf(JOINT, "passive_joint", "passive_joints.*", _OF_JOINT),
    _srdf(JOINT, "joint_property", "joint_properties.*.joint", _OF_JOINT),
    _srdf(SRDF_GROUP, "subgroup", "groups.*.subgroups.*", "the group {0.name!r} includes it"),
    _srdf(SRDF_GROUP, "group_state", "states.*.group", "the state {0.name!r} belongs to it"),
    _srdf(SRDF_GROUP, "tcp", "tcps.*.group", "the tool {0.name!r} belongs to it"),
    _srdf(
        SRDF_GROUP,
        "end_effector",
        "end_effectors.*.group",
        "the end effector {0.name!r} belongs to this group",
    ),
    _srdf(
        SRDF_GROUP,
        "parent_group",
        "end_effectors.*.parent_group?",
        "it is the parent group of end effector {0.name!r}",
    ),
    _limits(JOINT, "joint_limits.yaml", "joints.keys", "joint_limits.yaml limits its joint"),
    _initial(
        JOINT,
        "initial_positions.yaml",
        "joints.keys",
        "initial_positions.yaml gives its joint a position",
    ),
    _kinematics(
        SRDF_GROUP, "kinematics.yaml", "groups.keys", "kinematics.yaml has a solver for it"
    ),
)


def reference_fields(
    named: Named, documents: Iterable[DocumentName] = DOCUMENTS
) -> list[ReferenceField]:
    """The rows for one kind of thing, in the order of the documents."""
    wanted = frozenset(documents)
    return [field for field in FIELDS if field.named is named and field.document in wanted]


def mentions(
    robot: RobotDescription, named: Named, name: str
) -> Iterator[tuple[ReferenceField, str]]:
    """(field, what names it) of all that refers to a name."""
    for field in reference_fields(named):
        document = getattr(robot, field.document)
        if document is not None:
            yield from (
                (field, sentence) for other, sentence in field.mentions(document) if other == name
            )


def rename_references(
    robot: RobotDescription,
    named: Named,
    old: str,
    new: str | None,
    documents: Iterable[DocumentName] = DOCUMENTS,
    *,
    title: str | None = None,
) -> RobotDescription:
    """The robot with `new` wherever `old` is referred to; None deletes the references. What says
    neither is shared.

    `title` is the one field that is meant. Raises CannotApply where something speaks of `new`
    already, so that two entries would become one.
    """

    def rename(name: str) -> str | None:
        return new if name == old else name

    for field in reference_fields(named, documents):
        document = getattr(robot, field.document)
        if (
            document is None
            or (title is not None and field.title != title)
            or old not in field.names(document)
        ):
            continue
        try:
            changed = field.renamed(document, rename)
        except CannotApply:
            raise CannotApply(
                f"{field.title} mentions both {old} and {new}. Delete one first."
            ) from None
        if changed is not document:
            robot = replace(robot, **{field.document: changed})
    return robot
