"""The rows of the link tree: frames, and what hangs on them; with their icons."""

from __future__ import annotations

from dataclasses import dataclass, field

from editor_app.edit.features import PlacedFeature
from editor_app.formats.urdf.sensors import PlacedSensor
from editor_app.kinematics.tree import TreeJoint
from editor_app.model.features import FeatureKind
from editor_app.model.sensors import SensorKind
from editor_app.model.urdf import JointType

JOINT_ICONS = {
    JointType.REVOLUTE: "arrow-clockwise",
    JointType.CONTINUOUS: "arrows-clockwise",
    JointType.PRISMATIC: "arrows-out-line-horizontal",
    JointType.FIXED: "lock-simple",
    JointType.FLOATING: "arrows-out-cardinal",
    JointType.PLANAR: "arrows-out-cardinal",
}
FEATURE_ICONS = {
    FeatureKind.GROUP: "users-three",
    FeatureKind.TCP: "crosshair",
    FeatureKind.END_EFFECTOR: "hand-grabbing",
}
SENSOR_ICONS = {
    SensorKind.CAMERA: "camera",
    SensorKind.DEPTH_CAMERA: "camera",
    SensorKind.STEREO_CAMERA: "camera",
    SensorKind.LASER_2D: "broadcast",
    SensorKind.LASER_3D: "broadcast",
    SensorKind.FLASH_LASER: "broadcast",
    SensorKind.SONAR: "broadcast",
    SensorKind.IMU: "compass",
    SensorKind.MAGNETOMETER: "compass",
    SensorKind.POSITIONING: "map-pin",
    SensorKind.FORCE_TORQUE: "gauge",
    SensorKind.CONTACT: "hand-pointing",
    SensorKind.ENCODER: "gauge",
    SensorKind.ODOMETRY: "path",
}


@dataclass(eq=False, slots=True)
class LinkNode:
    """One frame; `joint` leads to it, None for the base. `indent` in pixels: see LinkTreeModel.INDENT."""

    name: str
    joint: TreeJoint | None
    added: bool
    parent: LinkNode | None
    row: int = 0
    indent: int = 0
    children: list[LinkNode | FeatureNode] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class FeatureNode:
    """A sensor, group, tool or end effector, below the link that it is on."""

    placed: PlacedFeature
    parent: LinkNode
    row: int = 0
    indent: int = 0

    @property
    def name(self) -> str:
        return self.placed.feature.name


def feature_icon(placed: PlacedFeature) -> str:
    """The name of the icon of a feature."""

    if isinstance(placed.item, PlacedSensor):
        return SENSOR_ICONS.get(placed.item.sensor.kind, "broadcast")
    return FEATURE_ICONS[placed.feature.kind]
