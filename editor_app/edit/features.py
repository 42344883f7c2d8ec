"""Where a robot's sensors, groups, tools and end effectors are: on which link, and how they stand on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from editor_app.formats.srdf.places import group_base, group_links, group_tip
from editor_app.formats.urdf.sensors import PlacedSensor, sensors_of
from editor_app.model.features import Feature, FeatureKind
from editor_app.model.origin import IDENTITY, Origin
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import EndEffector, Group, ToolCenterPoint


@dataclass(frozen=True, slots=True)
class PlacedFeature:
    """`link` is "" where the URDF has none for it; `origin` is its pose in that link's frame."""

    feature: Feature
    link: str
    origin: Origin = IDENTITY
    item: PlacedSensor | Group | ToolCenterPoint | EndEffector | None = None

    @property
    def detail(self) -> str:
        """What it is, in a few words."""
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


def features_of(robot: RobotDescription) -> tuple[PlacedFeature, ...]:
    """All of them: sensors in the order of the URDF, then what the SRDF says."""
    features: list[PlacedFeature] = []
    seen: Counter[Feature] = Counter()

    def add(feature: Feature, link: str | None, origin: Origin, item: object) -> None:
        numbered = Feature(feature.kind, feature.name, feature.group, seen[feature])
        seen[feature] += 1
        features.append(PlacedFeature(numbered, link or "", origin, item))  # type: ignore[arg-type]

    for placed in sensors_of(robot.urdf):
        add(Feature(FeatureKind.SENSOR, placed.sensor.name), placed.link, placed.sensor.origin, placed)
    srdf = robot.srdf
    if srdf is None:
        return tuple(features)
    for group in srdf.groups:
        link = group_tip(srdf, robot.urdf, group.name) or group_base(srdf, robot.urdf, group.name)
        add(Feature(FeatureKind.GROUP, group.name), link, IDENTITY, group)
    for effector in srdf.end_effectors:
        add(Feature(FeatureKind.END_EFFECTOR, effector.name), effector.parent_link, IDENTITY, effector)
    for tcp in srdf.tcps:
        tip = group_tip(srdf, robot.urdf, tcp.group)
        add(Feature(FeatureKind.TCP, tcp.name, tcp.group), tip, tcp_origin(tcp), tcp)
    return tuple(features)


def links_of(robot: RobotDescription, placed: PlacedFeature) -> tuple[str, ...]:
    """The links that a feature stands for: the members of a group or end effector, else the link that it is on."""
    item = placed.item
    if robot.srdf is not None and isinstance(item, (Group, EndEffector)):
        return group_links(robot.srdf, robot.urdf, item.group if isinstance(item, EndEffector) else item.name)
    return (placed.link,) if placed.link else ()


def tcp_origin(tcp: ToolCenterPoint) -> Origin:
    """The pose of a tool centre point in the frame of the tip of its group."""
    if tcp.wxyz is not None and any(tcp.wxyz):
        w, x, y, z = tcp.wxyz
        return Origin(tcp.xyz, quat_xyzw=(x, y, z, w))
    return Origin(tcp.xyz, tcp.rpy or (0.0, 0.0, 0.0))
