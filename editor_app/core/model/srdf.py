"""SRDF of MoveIt and Tesseract as frozen values. Metres and radians."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Vector3
from editor_app.core.model.xrdf import CollisionSphere, LinkPair


@dataclass(frozen=True, slots=True)
class Group:
    """A group of MoveIt may mix the four kinds of members. One of Tesseract has chains, joints or
    links."""

    name: str
    chains: tuple[tuple[str, str], ...] = ()
    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    subgroups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupState:
    """Joint -> values (one number for most joints, several for planar and floating ones)."""

    name: str
    group: str
    positions: FrozenDict[str, tuple[float, ...]] = FrozenDict()


@dataclass(frozen=True, slots=True)
class ToolCenterPoint:
    """An entry of Tesseract's `group_tcps`. `wxyz` wins over `rpy` if both are there; None:
    absent."""

    name: str
    group: str
    xyz: Vector3 = (0.0, 0.0, 0.0)
    wxyz: tuple[float, float, float, float] | None = None
    rpy: Vector3 | None = None


@dataclass(frozen=True, slots=True)
class EndEffector:
    name: str
    parent_link: str
    group: str
    parent_group: str | None = None


@dataclass(frozen=True, slots=True)
class VirtualJoint:
    name: str
    type: str
    parent_frame: str
    child_link: str


@dataclass(frozen=True, slots=True)
class JointProperty:
    """A property that MoveIt gives a joint, as text (`angular_distance_weight`, `motion_model`,
    …)."""

    joint: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class CollisionPair:
    """`reason` is free text (Never, Adjacent, Default, User, Always, …); None when absent."""

    link1: str
    link2: str
    reason: str | None = None

    @property
    def pair(self) -> LinkPair:
        """Its links, whichever way round they are written."""
        return LinkPair.of(self.link1, self.link2)


@dataclass(frozen=True, slots=True)
class PairMargin:
    link1: str
    link2: str
    margin: float

    @property
    def pair(self) -> LinkPair:
        """Its links, whichever way round they are written."""
        return LinkPair.of(self.link1, self.link2)


@dataclass(frozen=True, slots=True)
class CollisionMargins:
    default_margin: float = 0.0
    pairs: tuple[PairMargin, ...] = ()


@dataclass(frozen=True, slots=True)
class Srdf:
    """`configs` maps an element such as kinematics_plugin_config to its file name, as written."""

    name: str = ""
    version: str | None = None
    groups: tuple[Group, ...] = ()
    states: tuple[GroupState, ...] = ()
    tcps: tuple[ToolCenterPoint, ...] = ()
    end_effectors: tuple[EndEffector, ...] = ()
    virtual_joints: tuple[VirtualJoint, ...] = ()
    passive_joints: tuple[str, ...] = ()
    disabled_pairs: tuple[CollisionPair, ...] = ()
    enabled_pairs: tuple[CollisionPair, ...] = ()
    default_disabled_links: tuple[str, ...] = ()
    margins: CollisionMargins | None = None
    sphere_approximations: FrozenDict[str, tuple[CollisionSphere, ...]] = FrozenDict()
    configs: FrozenDict[str, str] = FrozenDict()
    joint_properties: tuple[JointProperty, ...] = ()

    @property
    def is_tesseract(self) -> bool:
        """True if a part of the SRDF is one that only Tesseract reads."""
        return bool(self.tcps or self.margins is not None or self.configs)

    def group(self, name: str) -> Group | None:
        """The first group of that name."""
        return next((group for group in self.groups if group.name == name), None)

    def missing_members(
        self, group: Group, links: Container[str], joints: Container[str]
    ) -> tuple[str, ...]:
        """The members of a group, and of its subgroups, that do not exist: "link tip", "joint j1",
        "group hand"."""
        missing: dict[str, None] = {}
        waiting, seen = [group], {group.name}
        while waiting:
            one = waiting.pop(0)
            names = (*(end for chain in one.chains for end in chain), *one.links)
            missing |= dict.fromkeys(f"link {name}" for name in names if name not in links)
            virtual = {joint.name for joint in self.virtual_joints}
            missing |= dict.fromkeys(
                f"joint {n}" for n in one.joints if n not in joints and n not in virtual
            )
            for name in one.subgroups:
                inner = self.group(name)
                if inner is None:
                    missing[f"group {name}"] = None
                elif name not in seen:
                    seen.add(name)
                    waiting.append(inner)
        return tuple(missing)

    def disabled(self) -> frozenset[LinkPair]:
        """The mask, as unordered pairs, without the pairs that `default_disabled_links` adds."""
        return frozenset(p.pair for p in self.disabled_pairs if p.link1 != p.link2)
