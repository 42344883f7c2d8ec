"""XRDF 1.0 and 2.0 as frozen values. None means that a key is absent, an empty tuple or mapping that it is empty.

The values hold what a reader could understand; what it could not stays in the source text (formats.xrdf).
Both versions share one shape: `world_collision` is the section that 1.0 calls `collision`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from editor_app.model.frozen import FrozenDict
from editor_app.model.origin import Vector3

#: What acceleration and jerk limits are until somebody knows better: rad/s² and rad/s³, or m/s² and m/s³.
PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK = 10.0, 500.0

NO_BUFFERS: FrozenDict[str, float] = FrozenDict()
NO_SPHERES: FrozenDict[str, tuple[CollisionSphere, ...]] = FrozenDict()


@dataclass(frozen=True, slots=True)
class CollisionSphere:
    """Centre in the frame that it is attached to, metres. A radius <= 0 is legal text: see `effective_radius`."""

    center: Vector3
    radius: float


@dataclass(frozen=True, slots=True)
class GeometryGroup:
    """`spheres` maps frame -> spheres in file order; `clone` lists groups whose spheres this one takes over (2.0)."""

    name: str
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = NO_SPHERES
    clone: tuple[str, ...] | None = None

    def with_spheres(self, frame: str, spheres: tuple[CollisionSphere, ...]) -> GeometryGroup:
        """The group with these spheres on `frame`; an empty tuple removes the frame's entry."""
        changed = self.spheres.set(frame, spheres) if spheres else self.spheres.without(frame)
        return replace(self, spheres=changed)


@dataclass(frozen=True, slots=True)
class FixedTransform:
    """Pose of an added frame in its parent: metres, unit quaternion as (w, x, y, z)."""

    position: Vector3 = (0.0, 0.0, 0.0)
    orientation_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class AddFrame:
    """`joint_type` is None when absent (FIXED is meant)."""

    frame_name: str
    parent_frame_name: str
    joint_name: str
    fixed_transform: FixedTransform = FixedTransform()
    joint_type: str | None = "FIXED"


@dataclass(frozen=True, slots=True)
class SetBaseFrame:
    frame: str


@dataclass(frozen=True, slots=True)
class RemoveMimicAttributes:
    """Frees a mimic joint (2.0). `velocity_key` is the spelling in the file: velocity_limit or velocity_limits."""

    joint_name: str
    position_limits: tuple[float, float]
    velocity_limit: float | None = None
    velocity_key: str = "velocity_limit"


Modifier = AddFrame | SetBaseFrame | RemoveMimicAttributes


@dataclass(frozen=True, slots=True)
class CollisionSection:
    """The obstacle section. `buffer_distance` may be one number (cuRobo writes it so): then it holds for all frames."""

    geometry: str | None = None
    buffer_distance: FrozenDict[str, float] | float | None = None

    @property
    def single_buffer(self) -> float | None:
        """The buffer of all frames in metres; None where each frame has one of its own, or none."""
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
    """`ignore` as written: frame -> frames, directed and possibly redundant; `ignored_pairs` is what it means."""

    ignore: FrozenDict[str, tuple[str, ...]] | None = None

    def ignored_pairs(self) -> frozenset[LinkPair]:
        """The masked pairs, unordered; a frame masked against itself is left out."""
        if self.ignore is None:
            return frozenset()
        return frozenset(LinkPair.of(a, b) for a, others in self.ignore.items() for b in others if a != b)


@dataclass(frozen=True, slots=True, order=True)
class LinkPair:
    """An unordered pair of frames; make it with `of`, which sorts."""

    first: str
    second: str

    @staticmethod
    def of(a: str, b: str) -> LinkPair:
        return LinkPair(a, b) if a <= b else LinkPair(b, a)


@dataclass(frozen=True, slots=True)
class CSpace:
    """Parallel lists; their lengths may differ in a broken file (rule XRDF706). None means that the key is absent.

    Limits in rad/s² and rad/s³, or m/s² and m/s³ for prismatic joints.
    """

    joint_names: tuple[str, ...] | None = None
    acceleration_limits: tuple[float, ...] | None = None
    jerk_limits: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Xrdf:
    """`format` and `format_version` as strings ("xrdf"; "1.0", "2.0"), None when absent."""

    format: str | None = "xrdf"
    format_version: str | None = "1.0"
    modifiers: tuple[Modifier, ...] | None = None
    default_joint_positions: FrozenDict[str, float] | None = None
    cspace: CSpace | None = None
    tool_frames: tuple[str, ...] | None = None
    world_collision: CollisionSection | None = None
    self_collision: SelfCollisionSection | None = None
    geometry: tuple[GeometryGroup, ...] | None = field(default=None)

    def group(self, name: str | None) -> GeometryGroup | None:
        """The geometry group of that name."""
        return next((g for g in self.geometry or () if g.name == name), None)

    def with_group(self, group: GeometryGroup) -> Xrdf:
        """Replaces the group of the same name, or appends it."""
        groups = self.geometry or ()
        if self.group(group.name) is None:
            return replace(self, geometry=(*groups, group))
        return replace(self, geometry=tuple(group if g.name == group.name else g for g in groups))

    def spheres_of(self, group: str | None) -> FrozenDict[str, tuple[CollisionSphere, ...]]:
        """Frame -> spheres of a group, its clones resolved, own ones first; cycles and unknown groups add nothing."""
        groups = self.with_clones(group)
        if len(groups) < 2:
            return groups[0].spheres if groups else NO_SPHERES
        merged: dict[str, tuple[CollisionSphere, ...]] = {}
        for each in groups:
            for frame, spheres in each.spheres.items():
                merged[frame] = merged.get(frame, ()) + spheres
        return FrozenDict(merged)

    def with_clones(self, name: str | None) -> tuple[GeometryGroup, ...]:
        """A group and those whose spheres it takes over, each once; cycles and unknown groups add nothing."""
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
        """The joints of the c-space; none without a section, or without its list."""
        return (self.cspace.joint_names if self.cspace is not None else None) or ()

    def ignored_pairs(self) -> frozenset[LinkPair]:
        """The pairs that self-collision leaves out, unordered; none without a section."""
        return self.self_collision.ignored_pairs() if self.self_collision is not None else frozenset()

    @property
    def world_group(self) -> str | None:
        """Name of the group that obstacles are checked with."""
        return self.world_collision.geometry if self.world_collision else None

    @property
    def self_group(self) -> str | None:
        """Name of the group that self-collision is checked with."""
        return self.self_collision.geometry if self.self_collision else None

    @property
    def has_spheres(self) -> bool:
        """Whether obstacles or self-collision are checked with any sphere."""
        groups = map(self.spheres_of, (self.world_group, self.self_group))
        return any(spheres for by_frame in groups for spheres in by_frame.values())

    def world_radius(self, frame: str, sphere: CollisionSphere) -> float:
        """radius + collision buffer in metres; <= 0 means switched off for the world."""
        return sphere.radius + (self.world_collision.buffer(frame) if self.world_collision else 0.0)

    def self_radius(self, frame: str, sphere: CollisionSphere) -> float:
        """radius + self-collision buffer in metres; <= 0 means that it takes no part in self-collision."""
        return sphere.radius + (self.self_collision.buffer(frame) if self.self_collision else 0.0)
