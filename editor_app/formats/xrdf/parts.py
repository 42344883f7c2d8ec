"""An XRDF as its parts: mappings with fixed keys, mappings by name, lists, vectors, single values; and which item of an
old list each item of a new one comes from.

Patching compares the parts of two models, a new file is made of the parts of one: what is written has no other table of
keys. `sections` reads them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from editor_app.formats.xrdf.read import SECTION_ORDER
from editor_app.formats.yaml.plan import Spelled
from editor_app.formats.yaml.scalars import number_of
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping with fixed keys: (key, part), the part None for a key that is absent.

    The fields of one kind of value have the same number and order, even if a key has another name. A new key goes where
    `order` wants it, without one behind the key before it. `in_braces`: a new one stands on one line.
    """

    entries: tuple[tuple[str, object], ...]
    order: tuple[str, ...] = ()
    in_braces: bool = False


class Ordered(FrozenDict[str, object]):
    """A mapping by name whose order counts."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ordered) and list(self.items()) == list(other.items())

    __hash__ = FrozenDict.__hash__


class Vector(tuple[float, ...]):
    """A list of a fixed count of numbers."""


class Lines(tuple[str, ...]):
    """A list that has a line for each item when it is new."""


def sections(xrdf: Xrdf, world_key: str) -> Fields:
    """The whole of an XRDF. `world_key`: what the obstacle section is called."""
    version = xrdf.format_version
    number = None if version is None else number_of(version)
    groups = None if xrdf.geometry is None else Ordered((group.name, group) for group in xrdf.geometry)
    return Fields(
        (
            ("format", xrdf.format),
            ("format_version", version if version is None or number is None else Spelled(version, number)),
            ("modifiers", xrdf.modifiers),
            ("default_joint_positions", xrdf.default_joint_positions),
            ("cspace", xrdf.cspace),
            ("tool_frames", xrdf.tool_frames),
            (world_key, xrdf.world_collision),
            ("self_collision", xrdf.self_collision),
            ("geometry", groups),
        ),
        SECTION_ORDER,
    )


def parts_of(value: object) -> object:
    """The fields of a value of the model; what has none is a part itself."""
    if isinstance(value, CollisionSphere):
        return Fields((("center", Vector(value.center)), ("radius", value.radius)))
    if isinstance(value, GeometryGroup):
        return Fields((("spheres", value.spheres), ("clone", value.clone)))
    if isinstance(value, CSpace):
        names = None if value.joint_names is None else Lines(value.joint_names)
        limits = (("acceleration_limits", value.acceleration_limits), ("jerk_limits", value.jerk_limits))
        return Fields((("joint_names", names), *limits), ("joint_names", "acceleration_limits", "jerk_limits"))
    if isinstance(value, CollisionSection):
        entries: tuple[tuple[str, object], ...] = (
            ("geometry", value.geometry),
            ("buffer_distance", value.buffer_distance),
        )
        if isinstance(value, SelfCollisionSection):
            entries += (("ignore", value.ignore),)
        return Fields(entries, ("geometry", "buffer_distance", "ignore"))
    if isinstance(value, SetBaseFrame):
        return Fields((("set_base_frame", value.frame),))
    if isinstance(value, AddFrame):
        return Fields((("add_frame", _added_frame(value)),))
    if isinstance(value, RemoveMimicAttributes):
        limits_of_joint = ("position_limits", Vector(value.position_limits))
        freed = (("joint_name", value.joint_name), limits_of_joint, (value.velocity_key, value.velocity_limit))
        return Fields((("remove_mimic_attributes", Fields(freed)),))
    return value


def _added_frame(frame: AddFrame) -> Fields:
    pose = frame.fixed_transform
    w, *xyz = pose.orientation_wxyz
    orientation = Fields((("w", w), ("xyz", Vector(xyz))), in_braces=True)
    # FIXED stands without quotes, as in the specification.
    joint_type = Spelled("FIXED", "FIXED") if frame.joint_type == "FIXED" else frame.joint_type
    return Fields(
        (
            ("frame_name", frame.frame_name),
            ("parent_frame_name", frame.parent_frame_name),
            ("joint_name", frame.joint_name),
            ("joint_type", joint_type),
            ("fixed_transform", Fields((("position", Vector(pose.position)), ("orientation", orientation)))),
        )
    )


T = TypeVar("T")
#: More comparisons than this are not worth it; items are then paired in order.
_MANY = 10_000


def alignment(old: Sequence[T], new: Sequence[T], likeness: Callable[[T, T], int]) -> list[int | None]:
    """For each new item the index of the old one that it is, or was edited from; None for one that is added.

    Unchanged ends first, then the same object anywhere, then an equal one; what is left between two items that
    stayed is paired in order, by `likeness` (0: nothing in common) when the numbers differ.
    """
    start = 0
    while start < len(old) and start < len(new) and _same(old[start], new[start]):
        start += 1
    stop_old, stop_new = len(old), len(new)
    while stop_old > start and stop_new > start and _same(old[stop_old - 1], new[stop_new - 1]):
        stop_old -= 1
        stop_new -= 1
    aligned: list[int | None] = [None] * len(new)
    aligned[:start] = range(start)
    aligned[stop_new:] = range(stop_old, len(old))
    _match(old, new, range(start, stop_old), range(start, stop_new), aligned)
    _pair(old, new, start, stop_old, start, stop_new, aligned, likeness)
    return aligned


def _same(a: object, b: object) -> bool:
    return a is b or a == b


def _match(old: Sequence[T], new: Sequence[T], olds: range, news: range, aligned: list[int | None]) -> None:
    free: set[int] = set(olds)
    by_identity: dict[int, deque[int]] = defaultdict(deque)
    by_value: dict[T, deque[int]] = defaultdict(deque)
    for index in olds:
        by_identity[id(old[index])].append(index)
        by_value[old[index]].append(index)
    for exactly in (True, False):
        for place in news:
            if aligned[place] is not None:
                continue
            item = new[place]
            candidates = by_identity.get(id(item)) if exactly else by_value.get(item)
            while candidates:
                index = candidates.popleft()
                if index in free:
                    free.discard(index)
                    aligned[place] = index
                    break


def _pair(
    old: Sequence[T],
    new: Sequence[T],
    low_old: int,
    high_old: int,
    low_new: int,
    high_new: int,
    aligned: list[int | None],
    likeness: Callable[[T, T], int],
) -> None:
    taken = {index for index in aligned if index is not None}
    previous, place = low_old - 1, low_new
    while place < high_new:
        if aligned[place] is not None:
            previous = max(previous, aligned[place] or 0)
            place += 1
            continue
        end = place
        while end < high_new and aligned[end] is None:
            end += 1
        following = aligned[end] if end < high_new else high_old
        limit = following if following is not None and following > previous else high_old
        free = [index for index in range(previous + 1, limit) if index not in taken]
        for slot, index in _pairs(old, new, list(range(place, end)), free, likeness):
            aligned[slot] = index
            taken.add(index)
        place = end


def _pairs(
    old: Sequence[T], new: Sequence[T], added: list[int], free: list[int], likeness: Callable[[T, T], int]
) -> list[tuple[int, int]]:
    """(new, old) of items that were edited: in order, and where their numbers differ, by likeness."""
    if len(free) == len(added) or len(free) * len(added) > _MANY:
        return list(zip(added, free, strict=False))
    pairs = []
    for slot in added:
        best, place = max(((likeness(old[index], new[slot]), -index) for index in free), default=(0, 0))
        if best > 0:
            pairs.append((slot, -place))
            free = [index for index in free if index > -place]
    return pairs or list(zip(added, free, strict=False))


def _relation(old: object, new: object) -> int:
    """2: the same or sharing something, 1: one of them is empty, 0: nothing in common."""
    if isinstance(old, tuple) and isinstance(new, tuple):
        return 2 if old == new or not set(old).isdisjoint(new) else 0
    if isinstance(old, FrozenDict) and isinstance(new, FrozenDict):
        if old == new or any(key in new and new[key] == value for key, value in old.items()):
            return 2
        return 0 if old and new else 1
    return 2 if old == new else 0


def renames(old: FrozenDict[str, T], new: FrozenDict[str, T]) -> dict[str, str]:
    """New key -> old key, for keys that look renamed: in the same place with a value like it, or the same object."""
    if old is new:
        return {}
    gone = _behind(old, new)
    added = _behind(new, old)
    new_names: dict[str, str] = {}
    for strength in (2, 1):
        for key, anchor in added.items():
            value = new[key]
            for candidate, place in gone.items():
                same_object = old[candidate] is value and isinstance(value, (tuple, FrozenDict)) and len(value) > 0
                if key not in new_names and (
                    same_object or (place == anchor and _relation(old[candidate], value) >= strength)
                ):
                    new_names[key] = candidate
                    del gone[candidate]
                    break
    return new_names


def _behind(keys: FrozenDict[str, T], other: FrozenDict[str, T]) -> dict[str, str | None]:
    """Each key that `other` does not have -> the nearest key before it that both have."""
    anchors: dict[str, str | None] = {}
    anchor: str | None = None
    for key in keys:
        if key in other:
            anchor = key
        else:
            anchors[key] = anchor
    return anchors
