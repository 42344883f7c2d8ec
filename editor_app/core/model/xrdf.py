"""XRDF 1.0 and 2.0 as frozen values. None: the key is absent. An empty tuple or mapping: the key is
there, and empty.

The values hold what the reader understood. The rest stays in the source text (formats.xrdf).
Both versions share one shape: `world_collision` is the section that 1.0 calls `collision`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, replace
from typing import Literal

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import KeyDescription, Named, key
from editor_app.core.model.origin import Vector3

#: Placeholders for acceleration and jerk limits: rad/s² and rad/s³, or m/s² and m/s³ for prismatic
#: joints.
PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK = 10.0, 500.0

_METRES, _POSITION = "m", "rad or m"
FRAME = KeyDescription(
    "A frame of the robot: a link of the URDF, or a frame that a modifier adds.", names=Named.LINK
)

NO_BUFFERS: FrozenDict[str, float] = FrozenDict()
NO_SPHERES: FrozenDict[str, tuple[CollisionSphere, ...]] = FrozenDict()


@dataclass(frozen=True, slots=True)
class CollisionSphere:
    """`center` in the frame of the sphere, metres. A radius <= 0 is legal in a file: see
    `Xrdf.world_radius`."""

    center: Vector3 = key("x, y, z in the frame.", "list", _METRES, default=MISSING)
    radius: float = key("Radius, before buffers.", unit=_METRES, default=MISSING)


@dataclass(frozen=True, slots=True)
class GeometryGroup:
    """`spheres` maps frame -> spheres, in file order. `clone` lists groups whose spheres belong to
    it too (2.0)."""

    name: str
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = key(
        "Frame -> spheres.",
        "mapping",
        item=KeyDescription("The spheres of this frame.", "list", key_names=Named.LINK),
        default=NO_SPHERES,
    )
    clone: tuple[str, ...] | None = key(
        "Groups whose spheres this one includes (2.0).",
        "list",
        version="2.0",
        item=KeyDescription("A geometry group of this file.", names=Named.GEOMETRY_GROUP),
    )

    def with_spheres(self, frame: str, spheres: tuple[CollisionSphere, ...]) -> GeometryGroup:
        """A copy with these spheres on `frame`. An empty tuple removes the frame's entry."""
        changed = self.spheres.set(frame, spheres) if spheres else self.spheres.without(frame)
        return replace(self, spheres=changed)


@dataclass(frozen=True, slots=True)
class FixedTransform:
    """Pose of an added frame in its parent: metres, unit quaternion as (w, x, y, z)."""

    position: Vector3 = key("x, y, z in the parent.", "list", _METRES, default=(0.0, 0.0, 0.0))
    orientation_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class AddFrame:
    """`joint_type` is None when absent (FIXED is meant)."""

    frame_name: str = key("Name of the new frame: no link may have it.", default=MISSING)
    parent_frame_name: str = key(
        "The frame that the new one is fixed to.", names=Named.LINK, default=MISSING
    )
    joint_name: str = key(
        "Name of the new joint: no joint of the URDF may have it.", default=MISSING
    )
    fixed_transform: FixedTransform = key(
        "Pose in the parent: metres, unit quaternion.",
        "mapping",
        default=FixedTransform(),
        is_required=True,
    )
    joint_type: str | None = key(
        "How the frame is attached: only FIXED.", values=("FIXED",), default="FIXED"
    )


@dataclass(frozen=True, slots=True)
class SetBaseFrame:
    frame: str


@dataclass(frozen=True, slots=True)
class RemoveMimicAttributes:
    """Frees a mimic joint (2.0). `velocity_key` is the spelling in the file: velocity_limit or
    velocity_limits."""

    joint_name: str = key("The mimic joint.", names=Named.JOINT, default=MISSING)
    position_limits: tuple[float, float] = key(
        "Lower and upper limit of the freed joint.", "list", _POSITION, default=MISSING
    )
    velocity_limit: float | None = key("Maximum speed of the freed joint.", unit="rad/s or m/s")
    velocity_key: str = "velocity_limit"


Modifier = AddFrame | SetBaseFrame | RemoveMimicAttributes


@dataclass(frozen=True, slots=True)
class CollisionSection:
    """The section for obstacles. `buffer_distance` as one number (cuRobo writes it so) holds for
    all frames."""

    geometry: str | None = key(
        "Name of the geometry group whose spheres are used here.",
        names=Named.GEOMETRY_GROUP,
        is_required=True,
    )
    buffer_distance: FrozenDict[str, float] | float | None = key(
        "Frame -> distance added to the radii of its spheres in this section.",
        "mapping",
        _METRES,
        item=KeyDescription(
            "Added to the radius of every sphere of this frame in this section; may be negative.",
            unit=_METRES,
            key_names=Named.LINK,
        ),
    )

    @property
    def single_buffer(self) -> float | None:
        """The buffer that all frames share, metres; None where frames have buffers of their own, or
        there is none."""
        return None if isinstance(self.buffer_distance, FrozenDict) else self.buffer_distance

    def buffer(self, frame: str) -> float:
        """Buffer of `frame` in metres, 0 when it has none."""
        if self.buffer_distance is None:
            return 0.0
        if isinstance(self.buffer_distance, FrozenDict):
            return self.buffer_distance.get(frame, 0.0)
        return self.buffer_distance


@dataclass(frozen=True, slots=True)
class SelfCollisionSection(CollisionSection):
    """`ignore` as written: frame -> frames, with each pair in one or both directions.
    `ignored_pairs` is the mask."""

    ignore: FrozenDict[str, tuple[str, ...]] | None = key(
        "Frame -> frames never checked against it.",
        "mapping",
        item=KeyDescription("Frames never checked against this one.", "list", key_names=Named.LINK),
    )

    def ignored_pairs(self) -> frozenset[LinkPair]:
        """The mask, as unordered pairs. A frame that is paired with itself is left out."""
        if self.ignore is None:
            return frozenset()
        return frozenset(
            LinkPair.of(a, b) for a, others in self.ignore.items() for b in others if a != b
        )


@dataclass(frozen=True, slots=True, order=True)
class LinkPair:
    """An unordered pair of frames. `of` makes one with its names sorted."""

    first: str
    second: str

    @staticmethod
    def of(a: str, b: str) -> LinkPair:
        return LinkPair(a, b) if a <= b else LinkPair(b, a)

    def __str__(self) -> str:
        return f"{self.first} and {self.second}"


def ignore_mapping(
    pairs: Iterable[LinkPair], order: Sequence[str]
) -> FrozenDict[str, tuple[str, ...]]:
    """`self_collision.ignore` with each pair once, under the frame that comes first in `order`
    (frames of the tree).

    Keys and lists follow `order`, frames that it lacks come last by name.
    """
    rank = rank_in(order)
    ordered = {tuple(sorted((pair.first, pair.second), key=rank)) for pair in pairs}
    entries: dict[str, list[str]] = {}
    for first, second in sorted(ordered, key=lambda names: tuple(map(rank, names))):
        entries.setdefault(first, []).append(second)
    return FrozenDict({first: tuple(others) for first, others in entries.items()})


def rank_in(order: Sequence[str]) -> Callable[[str], tuple[int, str]]:
    """A key to sort names by: as they stand in `order`, others behind them by name."""
    places = {name: i for i, name in enumerate(order)}
    return lambda name: (places.get(name, len(places)), name)


@dataclass(frozen=True, slots=True)
class CSpace:
    """Parallel lists, one entry per joint; in a broken file their lengths differ (rule XRDF706).

    Limits in rad/s² and rad/s³, or m/s² and m/s³ for prismatic joints.
    """

    joint_names: tuple[str, ...] | None = key(
        "The controlled joints, in the order of all vectors.",
        "list",
        item=KeyDescription("A joint of the URDF.", names=Named.JOINT),
        is_listed=True,
        is_required=True,
    )
    acceleration_limits: tuple[float, ...] | None = key(
        "One per joint, in their order.", "list", "rad/s² or m/s²", is_limit=True, is_required=True
    )
    jerk_limits: tuple[float, ...] | None = key(
        "One per joint, in their order.", "list", "rad/s³ or m/s³", is_limit=True, is_required=True
    )


@dataclass(frozen=True, slots=True)
class Xrdf:
    """`format` and `format_version` as strings ("xrdf"; "1.0", "2.0"), None when absent."""

    format: str | None = key("The file's format: always xrdf.", values=("xrdf",), default="xrdf")
    format_version: str | None = key("Version of the format.", values=("1.0", "2.0"), default="1.0")
    modifiers: tuple[Modifier, ...] | None = key(
        "Changes to the URDF, applied before everything else.", "list"
    )
    default_joint_positions: FrozenDict[str, float] | None = key(
        "Joint -> position.",
        "mapping",
        _POSITION,
        item=KeyDescription(
            "Default position of the joint: motion begins here, and joints outside the c-space "
            "stay here.",
            unit=_POSITION,
            key_names=Named.JOINT,
        ),
    )
    cspace: CSpace | None = key("The controlled joints and their limits.", "mapping")
    tool_frames: tuple[str, ...] | None = key(
        "Frames of interest; the first one is the end effector.", "list", item=FRAME
    )
    world_collision: CollisionSection | None = key(
        "Spheres and buffers (m) for obstacles.", "mapping", version="2.0"
    )
    self_collision: SelfCollisionSection | None = key(
        "Spheres, buffers (m) and mask for self-collision.", "mapping"
    )
    geometry: tuple[GeometryGroup, ...] | None = key(
        "Named groups of spheres.",
        "mapping",
        item=KeyDescription("A group of spheres.", "mapping", key_names=Named.GEOMETRY_GROUP),
    )

    def group(self, name: str | None) -> GeometryGroup | None:
        """The geometry group of that name."""
        return next((g for g in self.geometry or () if g.name == name), None)

    def with_group(self, group: GeometryGroup) -> Xrdf:
        """A copy with the group in place of the one of its name, or at the end."""
        groups = self.geometry or ()
        if self.group(group.name) is None:
            return replace(self, geometry=(*groups, group))
        return replace(self, geometry=tuple(group if g.name == group.name else g for g in groups))

    def spheres_of(self, group: str | None) -> FrozenDict[str, tuple[CollisionSphere, ...]]:
        """Frame -> spheres of a group, then of its clones. Cycles and unknown groups add
        nothing."""
        groups = self.with_clones(group)
        if len(groups) < 2:
            return groups[0].spheres if groups else NO_SPHERES
        merged: dict[str, tuple[CollisionSphere, ...]] = {}
        for each in groups:
            for frame, spheres in each.spheres.items():
                merged[frame] = merged.get(frame, ()) + spheres
        return FrozenDict(merged)

    def listed_spheres(self, group: str | None, frame: str) -> tuple[CollisionSphere, ...]:
        """Spheres that a group lists for a frame itself, without the spheres of its clones; empty
        without any."""
        chosen = self.group(group)
        return chosen.spheres.get(frame, ()) if chosen is not None else ()

    def with_clones(self, name: str | None) -> tuple[GeometryGroup, ...]:
        """The group and its clones, each once. Cycles and unknown groups add nothing."""
        groups: dict[str, GeometryGroup] = {}
        waiting = [name]
        while waiting:
            group = self.group(waiting.pop(0))
            if group is not None and group.name not in groups:
                groups[group.name] = group
                waiting += group.clone or ()
        return tuple(groups.values())

    @property
    def controlled(self) -> tuple[str, ...]:
        """The joints of the c-space; empty without the section or without its list."""
        return (self.cspace.joint_names if self.cspace is not None else None) or ()

    def limits_of(self, kind: Literal["acceleration", "jerk"]) -> dict[str, float]:
        """Joint of the c-space -> its limit, rad/s² and rad/s³, or m/s² and m/s³; of as many as the
        file gives."""
        limits: tuple[float, ...] | None = getattr(self.cspace, f"{kind}_limits", None)
        return dict(zip(self.controlled, limits or (), strict=False))

    @property
    def added_frames(self) -> tuple[AddFrame, ...]:
        """The modifiers that add a frame."""
        return tuple(each for each in self.modifiers or () if isinstance(each, AddFrame))

    @property
    def base_frame(self) -> str | None:
        """The frame that the first modifier with a base names."""
        return next(
            (each.frame for each in self.modifiers or () if isinstance(each, SetBaseFrame)), None
        )

    @property
    def freed_joints(self) -> tuple[str, ...]:
        """The mimic joints that modifiers free."""
        return tuple(
            each.joint_name
            for each in self.modifiers or ()
            if isinstance(each, RemoveMimicAttributes)
        )

    def ignored_pairs(self) -> frozenset[LinkPair]:
        """The mask, as unordered pairs; empty without the section."""
        return (
            self.self_collision.ignored_pairs() if self.self_collision is not None else frozenset()
        )

    @property
    def world_group(self) -> str | None:
        """Name of the geometry group that is checked against obstacles."""
        return self.world_collision.geometry if self.world_collision else None

    @property
    def self_group(self) -> str | None:
        """Name of the geometry group that is checked for self-collision."""
        return self.self_collision.geometry if self.self_collision else None

    @property
    def has_spheres(self) -> bool:
        """True if one of the two geometry groups has a sphere."""
        groups = map(self.spheres_of, (self.world_group, self.self_group))
        return any(spheres for by_frame in groups for spheres in by_frame.values())

    def world_radius(self, frame: str, sphere: CollisionSphere) -> float:
        """Radius + buffer for obstacles, metres. A sphere with <= 0 is not checked against
        obstacles."""
        return sphere.radius + (self.world_collision.buffer(frame) if self.world_collision else 0.0)

    def self_radius(self, frame: str, sphere: CollisionSphere) -> float:
        """Radius + buffer for self-collision, metres. A sphere with <= 0 is not checked for
        self-collision."""
        return sphere.radius + (self.self_collision.buffer(frame) if self.self_collision else 0.0)
