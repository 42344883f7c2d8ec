"""The selection: the same one for tree, view, tables, source and matrix; and where sensors,
groups, tools and end effectors are: on which link, and how they stand on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from editor_app.core.formats.srdf.places import group_base, group_tip
from editor_app.core.formats.urdf.sensors import PlacedSensor, list_sensors
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import EndEffector, Group, ToolCenterPoint
from editor_app.core.model.srdf_groups import list_group_links
from editor_app.core.model.xrdf import LinkPair


@dataclass(frozen=True, slots=True)
class Selection:
    """`links` are names of frames in the tree. The last entry of each tuple is the active one.

    `features` are sensors, and the groups, tools and end effectors of the SRDF.
    """

    links: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    spheres: tuple[SphereRef, ...] = ()
    pairs: tuple[LinkPair, ...] = ()
    features: tuple[RobotFeature, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.links or self.joints or self.spheres or self.pairs or self.features)

    @property
    def frames(self) -> tuple[str, ...]:
        """Selected links, then the frames of selected spheres."""
        return tuple(dict.fromkeys((*self.links, *(s.frame for s in self.spheres))))

    def toggled_link(self, link: str) -> Selection:
        """The selection with the link added, or removed if it was selected (Ctrl-click)."""
        links = (
            tuple(x for x in self.links if x != link) if link in self.links else (*self.links, link)
        )
        return replace(self, links=links)

    def toggled_sphere(self, sphere: SphereRef) -> Selection:
        """The selection with the sphere added, or removed if it was selected (Ctrl-click)."""
        inside = sphere in self.spheres
        spheres = (
            tuple(s for s in self.spheres if s != sphere) if inside else (*self.spheres, sphere)
        )
        return replace(self, spheres=spheres)

    def following(self, old: RobotDescription, new: RobotDescription) -> Selection:
        """The selection after a step from `old` to `new`: the same spheres, at the places that they
        have now.

        A changed sphere stays selected if its link has as many spheres as before.
        """
        spheres = (ref if old is new else followed_sphere(ref, old, new) for ref in self.spheres)
        return replace(self, spheres=tuple(ref for ref in spheres if ref is not None)).surviving(
            new
        )

    def surviving(self, robot: RobotDescription) -> Selection:
        """The selection without parts that `robot` does not have; the same object if it has all of
        them."""
        frame_names = {link.name for link in robot.urdf.links}
        frame_names.update(
            m.frame_name for m in robot.xrdf.modifiers or () if hasattr(m, "frame_name")
        )
        joints = {joint.name for joint in robot.urdf.joints}

        def exists(ref: SphereRef) -> bool:
            return 0 <= ref.index < len(robot.xrdf.listed_spheres(ref.group, ref.frame))

        kept = Selection(
            tuple(x for x in self.links if x in frame_names),
            tuple(x for x in self.joints if x in joints),
            tuple(s for s in self.spheres if exists(s)),
            tuple(p for p in self.pairs if p.first in frame_names and p.second in frame_names),
            _surviving_features(self.features, robot),
        )
        return self if kept == self else kept


def followed_sphere(
    ref: SphereRef, old: RobotDescription, new: RobotDescription
) -> SphereRef | None:
    """Find the sphere of `old` in `new`; None if it is gone."""
    before, after = (robot.xrdf.listed_spheres(ref.group, ref.frame) for robot in (old, new))
    if len(before) == len(after) or ref.index >= len(before):
        return ref
    sphere = before[ref.index]
    # Equal spheres: the one with as many equal spheres before it.
    nth = sum(each == sphere for each in before[: ref.index])
    places = [index for index, each in enumerate(after) if each == sphere]
    return replace(ref, index=places[min(nth, len(places) - 1)]) if places else None


def _surviving_features(
    features: tuple[RobotFeature, ...], robot: RobotDescription
) -> tuple[RobotFeature, ...]:
    if not features:
        return ()
    features_left = {placed.feature for placed in list_features(robot)}
    return tuple(f for f in features if f in features_left)


NOTHING = Selection()


@dataclass(frozen=True, slots=True)
class PlacedFeature:
    """`link` is "" where the URDF has none for it; `origin` is its pose in that link's frame."""

    feature: RobotFeature
    link: str
    origin: Origin = IDENTITY
    item: PlacedSensor | Group | ToolCenterPoint | EndEffector | None = None

    @property
    def detail(self) -> str:
        """The description of the selected item, in a few words."""
        item = self.item
        if isinstance(item, PlacedSensor):
            kind = str(item.sensor.kind)
            return f"{kind} ({item.sensor.type})" if item.sensor.type not in ("", kind) else kind
        if isinstance(item, ToolCenterPoint):
            return f"tool centre point of {item.group}"
        if isinstance(item, EndEffector):
            on = f" on {item.parent_group}" if item.parent_group else ""
            return f"end effector: {item.group}{on}"
        return "manipulator" if isinstance(item, Group) and item.chains else "group"


def list_features(robot: RobotDescription) -> tuple[PlacedFeature, ...]:
    """All of them: sensors in the order of the URDF, then what the SRDF says."""
    features: list[PlacedFeature] = []
    seen: Counter[RobotFeature] = Counter()

    def add(feature: RobotFeature, link: str | None, origin: Origin, item: object) -> None:
        numbered = RobotFeature(feature.kind, feature.name, feature.group, seen[feature])
        seen[feature] += 1
        features.append(PlacedFeature(numbered, link or "", origin, item))  # type: ignore[arg-type]

    for placed in list_sensors(robot.urdf):
        add(
            RobotFeature(FeatureKind.SENSOR, placed.sensor.name),
            placed.link,
            placed.sensor.origin,
            placed,
        )
    srdf = robot.srdf
    if srdf is None:
        return tuple(features)
    for group in srdf.groups:
        link = group_tip(srdf, robot.urdf, group.name) or group_base(srdf, robot.urdf, group.name)
        add(RobotFeature(FeatureKind.GROUP, group.name), link, IDENTITY, group)
    for effector in srdf.end_effectors:
        add(
            RobotFeature(FeatureKind.END_EFFECTOR, effector.name),
            effector.parent_link,
            IDENTITY,
            effector,
        )
    for tcp in srdf.tcps:
        tip = group_tip(srdf, robot.urdf, tcp.group)
        add(RobotFeature(FeatureKind.TCP, tcp.name, tcp.group), tip, tcp_origin(tcp), tcp)
    return tuple(features)


def links_of(robot: RobotDescription, placed: PlacedFeature) -> tuple[str, ...]:
    """The links that a feature stands for: the members of a group or end effector, else the link
    that it is on."""
    item, srdf = placed.item, robot.srdf
    if srdf is not None and isinstance(item, (Group, EndEffector)):
        group = srdf.group(item.group) if isinstance(item, EndEffector) else item
        return (
            list_group_links(srdf, group, KinematicGraph(robot.urdf)) if group is not None else ()
        )
    return (placed.link,) if placed.link else ()


def tcp_origin(tcp: ToolCenterPoint) -> Origin:
    """The pose of a tool centre point in the frame of the tip of its group."""
    if tcp.wxyz is not None and any(tcp.wxyz):
        w, x, y, z = tcp.wxyz
        return Origin(tcp.xyz, quat_xyzw=(x, y, z, w))
    return Origin(tcp.xyz, tcp.rpy or (0.0, 0.0, 0.0))
