"""What differs in meaning between two XRDFs: order of keys, spelling and redundant masks do not count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import CollisionSection, GeometryGroup, Xrdf

#: Stands for what is not there, where None could be a value.
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """`old` and `new` are plain values, None on the side where there is nothing."""

    path: str
    old: Any
    new: Any

    @property
    def sentence(self) -> str:
        if self.old is None:
            return f"added {_shown(self.new)}"
        if self.new is None:
            return f"removed {_shown(self.old)}"
        return f"{_shown(self.old)} → {_shown(self.new)}"


def compare(old: Xrdf, new: Xrdf) -> tuple[Difference, ...]:
    """Every difference, section by section in the customary order."""
    differences: list[Difference] = []
    differences += _values("format", old.format, new.format)
    differences += _values("format_version", old.format_version, new.format_version)
    differences += _lists("modifiers", old.modifiers, new.modifiers)
    differences += _mappings("default_joint_positions", old.default_joint_positions, new.default_joint_positions)
    for name in ("joint_names", "acceleration_limits", "jerk_limits"):
        differences += _values(f"cspace.{name}", getattr(old.cspace, name, None), getattr(new.cspace, name, None))
    differences += _values("tool_frames", old.tool_frames, new.tool_frames)
    differences += _collision("world_collision", old.world_collision, new.world_collision)
    differences += _collision("self_collision", old.self_collision, new.self_collision)
    differences += _masks(old, new)
    differences += _geometry(old.geometry or (), new.geometry or ())
    return tuple(differences)


def _values(path: str, old: Any, new: Any) -> Iterator[Difference]:
    if old != new:
        yield Difference(path, plain(old), plain(new))


def _lists(path: str, old: Sequence[Any] | None, new: Sequence[Any] | None) -> Iterator[Difference]:
    """What stands in one list more often than in the other; the order does not count."""
    before, after = Counter(old or ()), Counter(new or ())
    for value in (before - after).elements():
        yield Difference(path, plain(value), None)
    for value in (after - before).elements():
        yield Difference(path, None, plain(value))


def _mappings(path: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> Iterator[Difference]:
    before, after = old or {}, new or {}
    for key in dict.fromkeys((*before, *after)):
        a, b = before.get(key, _ABSENT), after.get(key, _ABSENT)
        if a != b:
            yield Difference(f"{path}.{key}", None if a is _ABSENT else plain(a), None if b is _ABSENT else plain(b))


def _collision(path: str, old: CollisionSection | None, new: CollisionSection | None) -> Iterator[Difference]:
    yield from _values(f"{path}.geometry", getattr(old, "geometry", None), getattr(new, "geometry", None))
    a, b = getattr(old, "buffer_distance", None), getattr(new, "buffer_distance", None)
    if isinstance(a, float | int) or isinstance(b, float | int):
        yield from _values(f"{path}.buffer_distance", a, b)
    else:
        yield from _mappings(f"{path}.buffer_distance", a, b)


def _masks(old: Xrdf, new: Xrdf) -> Iterator[Difference]:
    before = old.ignored_pairs()
    after = new.ignored_pairs()
    for pair in sorted(before ^ after):
        names = [pair.first, pair.second]
        yield Difference("self_collision.ignore", names if pair in before else None, names if pair in after else None)


def _geometry(old: Sequence[GeometryGroup], new: Sequence[GeometryGroup]) -> Iterator[Difference]:
    before, after = {g.name: g for g in old}, {g.name: g for g in new}
    for name in dict.fromkeys((*before, *after)):
        a, b = before.get(name), after.get(name)
        path = f"geometry.{name}"
        yield from _values(f"{path}.clone", a.clone if a else None, b.clone if b else None)
        spheres_a, spheres_b = (a.spheres if a else {}), (b.spheres if b else {})
        if (a is None or b is None) and not spheres_a and not spheres_b:
            yield Difference(path, None if a is None else {}, None if b is None else {})
        for frame in dict.fromkeys((*spheres_a, *spheres_b)):
            yield from _lists(f"{path}.spheres.{frame}", spheres_a.get(frame), spheres_b.get(frame))


def plain(value: Any) -> Any:
    """Frozen values as what JSON knows."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"kind": type(value).__name__, **{k: plain(v) for k, v in asdict(value).items()}}
    if isinstance(value, FrozenDict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    return value


def _shown(value: Any) -> str:
    if isinstance(value, dict) and "center" in value:
        return f"sphere at ({', '.join(f'{x:g}' for x in value['center'])}) m, radius {value['radius']:g} m"
    if isinstance(value, dict):
        return ", ".join(f"{k} {_shown(v)}" for k, v in value.items() if k != "kind")
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)
