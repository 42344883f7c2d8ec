"""Differences in meaning between two URDFs, SRDFs or XRDFs: order, spelling and redundant masks do
not count."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import key_fields
from editor_app.core.model.origin import Origin
from editor_app.core.model.references import change_at
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Extension, Joint, JointType, Link, Material, Mesh, Urdf
from editor_app.core.model.xrdf import (
    CollisionSection,
    CSpace,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
    Xrdf,
)
from editor_app.core.space.kinematics import frame_deviations, transforms

#: Stands for what is not there, where None could be a value.
_ABSENT = object()
#: Characters of a text that a sentence shows.
_LONGEST = 120
#: Metres and radians: places that differ by less are one, spelled in two ways.
_SAME_PLACE = 1e-12
_BETWEEN_TAGS = re.compile(r">\s+<")
#: The joints whose axis says nothing.
_WITHOUT_AXIS = (JointType.FIXED, JointType.FLOATING)

#: Whether the files of two meshes hold the same bytes; None where one of them is not found.
SameMesh = Callable[[Mesh, Mesh], bool | None]


@dataclass(frozen=True, slots=True)
class Difference:
    """`old` and `new` are plain values, None on the side where there is nothing; `note` says how
    far they are apart."""

    path: str
    old: Any
    new: Any
    note: str = ""

    @property
    def shown(self) -> tuple[str, str]:
        """Both values as people read them, with as many digits as tell them apart; "" where there
        is nothing."""
        old, new = (_shown(value) for value in (self.old, self.new))
        return (
            (old, new)
            if old != new
            else (_shown(self.old, exact=True), _shown(self.new, exact=True))
        )

    @property
    def sentence(self) -> str:
        old, new = self.shown
        if self.old is None:
            return f"added {new}"
        if self.new is None:
            return f"removed {old}"
        return ", ".join(
            part for part in (f"{old} → {new}" if old != new else "", self.note) if part
        )


def compare_xrdfs(old: Xrdf, new: Xrdf, tolerance: float = 0.0) -> tuple[Difference, ...]:
    """Every difference, section by section in the customary order; numbers within `tolerance` are
    equal."""
    return tuple(_Comparison(tolerance).xrdf(old, new))


def compare_urdf(
    old: Urdf, new: Urdf, tolerance: float = 0.0, same_mesh: SameMesh = lambda a, b: None
) -> tuple[Difference, ...]:
    """Every difference: links, joints, what is fixed to them. Places are compared as places, not by
    their angles."""
    return tuple(_Comparison(tolerance, same_mesh).urdf(old, new))


def compare_srdf(old: Srdf, new: Srdf, tolerance: float = 0.0) -> tuple[Difference, ...]:
    """Every difference: groups, states, tools, pairs with their reasons."""
    return tuple(_Comparison(tolerance).srdf(old, new))


class _Comparison:
    def __init__(self, tolerance: float, same_mesh: SameMesh = lambda a, b: None) -> None:
        self._tolerance = tolerance
        self._same_mesh = same_mesh

    def xrdf(self, old: Xrdf, new: Xrdf) -> Iterator[Difference]:
        yield from self._values("format", old.format, new.format)
        yield from self._values("format_version", old.format_version, new.format_version)
        yield from self._lists("modifiers", old.modifiers, new.modifiers)
        yield from self._mappings(
            "default_joint_positions", old.default_joint_positions, new.default_joint_positions
        )
        yield from self._keys("cspace", CSpace, old.cspace, new.cspace)
        yield from self._values("tool_frames", old.tool_frames, new.tool_frames)
        yield from self._collision("world_collision", old.world_collision, new.world_collision)
        yield from self._collision("self_collision", old.self_collision, new.self_collision)
        yield from _pairs("self_collision.ignore", old.ignored_pairs(), new.ignored_pairs())
        yield from self._geometry(old.geometry or (), new.geometry or ())

    def urdf(self, old: Urdf, new: Urdf) -> Iterator[Difference]:
        yield from self._values("name", old.name, new.name)
        links = [_with_materials(urdf) for urdf in (old, new)]
        yield from self._named("links", links[0], links[1], lambda link: link.name)
        joints = [[_with_unit_axis(joint) for joint in urdf.joints] for urdf in (old, new)]
        yield from self._named("joints", joints[0], joints[1], lambda joint: joint.name)
        yield from self._named(
            "transmissions", old.transmissions, new.transmissions, lambda each: each.name
        )
        yield from self._named("sensors", old.sensors, new.sensors, lambda sensor: sensor.name)
        yield from self._lists("extensions", _texts(old.extensions), _texts(new.extensions))

    def srdf(self, old: Srdf, new: Srdf) -> Iterator[Difference]:
        yield from self._values("name", old.name, new.name)
        yield from self._named("groups", old.groups, new.groups, lambda group: group.name)
        yield from self._named(
            "states", old.states, new.states, lambda state: f"{state.group}.{state.name}"
        )
        yield from self._named("tcps", old.tcps, new.tcps, lambda tcp: f"{tcp.group}.{tcp.name}")
        yield from self._named(
            "end_effectors", old.end_effectors, new.end_effectors, lambda each: each.name
        )
        yield from self._named(
            "virtual_joints", old.virtual_joints, new.virtual_joints, lambda each: each.name
        )
        yield from self._lists("passive_joints", old.passive_joints, new.passive_joints)
        reasons = [
            {
                f"{each.pair.first}, {each.pair.second}": each.reason or ""
                for each in srdf.disabled_pairs
            }
            for srdf in (old, new)
        ]
        yield from _pairs("disable_collisions", old.disabled(), new.disabled())
        both = reasons[0].keys() & reasons[1].keys()
        yield from self._mappings(
            "disable_collisions.reason",
            *({pair: each[pair] for pair in sorted(both)} for each in reasons),
        )
        yield from _pairs(
            "enable_collisions", _unordered(old.enabled_pairs), _unordered(new.enabled_pairs)
        )
        yield from self._lists(
            "disable_default_collisions", old.default_disabled_links, new.default_disabled_links
        )
        yield from self._tree("collision_margins", old.margins, new.margins)
        yield from self._mappings(
            "link_sphere_approximation", old.sphere_approximations, new.sphere_approximations
        )
        yield from self._mappings("configs", old.configs, new.configs)
        properties = [
            {f"{each.joint}.{each.name}": each.value for each in srdf.joint_properties}
            for srdf in (old, new)
        ]
        yield from self._mappings("joint_property", *properties)

    def _values(self, path: str, old: Any, new: Any) -> Iterator[Difference]:
        if not self._is_equal(old, new):
            yield Difference(path, make_plain(old), make_plain(new), _distance(old, new))

    def _tree(self, path: str, old: Any, new: Any) -> Iterator[Difference]:
        """Two values of one kind, field by field as deep as they go."""
        if isinstance(old, Mesh) and isinstance(new, Mesh):
            yield from self._values(f"{path}.scale", old.scale, new.scale)
            if self._same_mesh(old, new) is False:
                yield Difference(
                    f"{path}.filename", old.filename, new.filename, "the file's content differs"
                )
            elif self._same_mesh(old, new) is None:
                yield from self._values(f"{path}.filename", old.filename, new.filename)
        elif (
            not is_dataclass(old)
            or type(old) is not type(new)
            or isinstance(old, Origin | Extension)
        ):
            yield from self._values(path, old, new)
        else:
            for field in fields(old):
                yield from self._field(
                    f"{path}.{field.name}", getattr(old, field.name), getattr(new, field.name)
                )

    def _field(self, path: str, old: Any, new: Any) -> Iterator[Difference]:
        if isinstance(old, FrozenDict) and isinstance(new, FrozenDict):
            yield from self._mappings(path, old, new)
        elif _is_of_parts(old) or _is_of_parts(new):
            if all(isinstance(each, Extension) for each in (*old, *new)):
                yield from self._lists(path, _texts(old), _texts(new))
            elif len(old) == len(new):
                for number, (a, b) in enumerate(zip(old, new, strict=True)):
                    yield from self._tree(path if len(old) == 1 else f"{path}.{number + 1}", a, b)
            else:
                yield from self._lists(path, old, new)
        else:
            yield from self._tree(path, old, new)

    def _named(
        self, path: str, old: Iterable[Any], new: Iterable[Any], name: Callable[[Any], str]
    ) -> Iterator[Difference]:
        before, after = {name(each): each for each in old}, {name(each): each for each in new}
        for key in dict.fromkeys((*before, *after)):
            if key in before and key in after:
                yield from self._tree(f"{path}.{key}", before[key], after[key])
            else:
                yield Difference(
                    path, key if key in before else None, key if key in after else None
                )

    def _lists(
        self, path: str, old: Sequence[Any] | None, new: Sequence[Any] | None
    ) -> Iterator[Difference]:
        """What stands in one list more often than in the other; the order does not count."""
        if self._is_equal(old or (), new or ()):
            return
        before, after = Counter(old or ()), Counter(new or ())
        for value in (before - after).elements():
            yield Difference(path, make_plain(value), None)
        for value in (after - before).elements():
            yield Difference(path, None, make_plain(value))

    def _mappings(
        self, path: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
    ) -> Iterator[Difference]:
        before, after = old or {}, new or {}
        for key in dict.fromkeys((*before, *after)):
            a, b = before.get(key, _ABSENT), after.get(key, _ABSENT)
            if not self._is_equal(a, b):
                old_value, new_value = (
                    None if each is _ABSENT else make_plain(each) for each in (a, b)
                )
                yield Difference(f"{path}.{key}", old_value, new_value)

    def _keys(
        self, path: str, model: type[Any], old: Any, new: Any, but: tuple[str, ...] = ()
    ) -> Iterator[Difference]:
        """Compare the values of all keys of a section, key by key; None is an absent section."""
        for key in key_fields(model):
            if key.name not in but:
                yield from self._values(
                    f"{path}.{key.name}", getattr(old, key.name, None), getattr(new, key.name, None)
                )

    def _collision(
        self, path: str, old: CollisionSection | None, new: CollisionSection | None
    ) -> Iterator[Difference]:
        yield from self._keys(
            path, SelfCollisionSection, old, new, but=("buffer_distance", "ignore")
        )
        a, b = getattr(old, "buffer_distance", None), getattr(new, "buffer_distance", None)
        if isinstance(a, float | int) or isinstance(b, float | int):
            yield from self._values(f"{path}.buffer_distance", a, b)
        else:
            yield from self._mappings(f"{path}.buffer_distance", a, b)

    def _geometry(
        self, old: Sequence[GeometryGroup], new: Sequence[GeometryGroup]
    ) -> Iterator[Difference]:
        before, after = {g.name: g for g in old}, {g.name: g for g in new}
        for name in dict.fromkeys((*before, *after)):
            a, b = before.get(name), after.get(name)
            path = f"geometry.{name}"
            yield from self._keys(path, GeometryGroup, a, b, but=("spheres",))
            spheres_a, spheres_b = (a.spheres if a else {}), (b.spheres if b else {})
            if (a is None or b is None) and not spheres_a and not spheres_b:
                yield Difference(path, None if a is None else {}, None if b is None else {})
            for frame in dict.fromkeys((*spheres_a, *spheres_b)):
                yield from self._lists(
                    f"{path}.spheres.{frame}", spheres_a.get(frame), spheres_b.get(frame)
                )

    def _is_equal(self, old: Any, new: Any) -> bool:
        if isinstance(old, Origin) and isinstance(new, Origin):
            distance, angle = _apart(old, new)
            return max(distance, angle) <= max(self._tolerance, _SAME_PLACE)
        if old == new or not self._tolerance or isinstance(old, bool) or isinstance(new, bool):
            return bool(old == new)
        if isinstance(old, float | int) and isinstance(new, float | int):
            return abs(old - new) <= self._tolerance
        if isinstance(old, tuple) and isinstance(new, tuple):
            return len(old) == len(new) and all(map(self._is_equal, old, new))
        if isinstance(old, FrozenDict) and isinstance(new, FrozenDict):
            return old.keys() == new.keys() and all(
                self._is_equal(old[key], new[key]) for key in old
            )
        if is_dataclass(old) and type(old) is type(new):
            return all(
                self._is_equal(getattr(old, field.name), getattr(new, field.name))
                for field in fields(old)
            )
        return False


def _pairs(path: str, old: frozenset[LinkPair], new: frozenset[LinkPair]) -> Iterator[Difference]:
    for pair in sorted(old ^ new):
        names = [pair.first, pair.second]
        yield Difference(path, names if pair in old else None, names if pair in new else None)


def _unordered(pairs: Iterable[Any]) -> frozenset[LinkPair]:
    return frozenset(each.pair for each in pairs if each.link1 != each.link2)


def _texts(extensions: Iterable[Extension]) -> tuple[str, ...]:
    """Texts of elements that URDF does not define, without the blanks that mean nothing."""
    return tuple(
        _BETWEEN_TAGS.sub("><", " ".join(extension.text.split())) for extension in extensions
    )


def _with_materials(urdf: Urdf) -> tuple[Link, ...]:
    """The links with colours and textures in place of the names of materials."""
    materials = urdf.materials_by_name()

    def resolved(material: Material) -> Material:
        return replace(materials.get(material.name, material), name="")

    return change_at(urdf, "links.*.visuals.*.material", resolved).links


def _with_unit_axis(joint: Joint) -> Joint:
    """The joint with an axis of length 1; without one that says nothing."""
    length = math.hypot(*joint.axis)
    if joint.type in _WITHOUT_AXIS or not length:
        return replace(joint, axis=(1.0, 0.0, 0.0))
    x, y, z = (part / length for part in joint.axis)
    return joint if abs(length - 1.0) < _SAME_PLACE else replace(joint, axis=(x, y, z))


def _is_of_parts(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and is_dataclass(value[0])


def _apart(old: Origin, new: Origin) -> tuple[float, float]:
    """Metres and radians between two places."""
    distance, angle = frame_deviations.measure_pose_deviation(
        transforms.build_origin_matrix(old), transforms.build_origin_matrix(new)
    )
    return float(distance), float(angle)


def _distance(old: Any, new: Any) -> str:
    if not (isinstance(old, Origin) and isinstance(new, Origin)):
        return ""
    distance, angle = _apart(old, new)
    parts = [f"moved by {distance * 1e3:.3g} mm"] if distance > _SAME_PLACE else []
    parts += [f"turned by {math.degrees(angle):.3g}°"] if angle > _SAME_PLACE else []
    return ", ".join(parts)


def make_plain(value: Any) -> Any:
    """Frozen values as what JSON knows."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "kind": type(value).__name__,
            **{k: make_plain(v) for k, v in asdict(value).items()},
        }
    if isinstance(value, FrozenDict | dict):
        return {k: make_plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [make_plain(v) for v in value]
    return value


def _shown(value: Any, *, exact: bool = False) -> str:
    def number(each: float) -> str:
        return repr(each) if exact else f"{each:g}"

    if isinstance(value, dict) and "center" in value:
        return (
            f"sphere at ({', '.join(map(number, value['center']))}) m, radius "
            f"{number(value['radius'])} m"
        )
    if isinstance(value, dict):
        return ", ".join(
            f"{k} {_shown(v, exact=exact)}"
            for k, v in value.items()
            if k != "kind" and v is not None
        )
    if isinstance(value, list):
        return f"[{', '.join(_shown(each, exact=exact) for each in value)}]"
    if value is None or isinstance(value, float):
        return "" if value is None else number(value)
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
