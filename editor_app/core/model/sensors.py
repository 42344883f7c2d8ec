"""Sensors of a robot as frozen values, one shape for URDF, Gazebo and COLLADA. Metres, radians,
seconds, hertz.

What a format calls a sensor stays in `type` as written; `kind` says what it is. Values that none of
the fields below holds stand in `parameters`, by their path below the sensor's element, so that
nothing of a file is lost on the way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import IDENTITY, Origin

#: Nine numbers, row by row.
Matrix3 = tuple[float, float, float, float, float, float, float, float, float]
#: Two rows of three: focal length x, skew, principal point x; 0, focal length y, principal point y.
#: In pixels.
Intrinsic = tuple[float, float, float, float, float, float]


class SensorKind(StrEnum):
    """The quantity that a sensor measures, whatever its format calls it."""

    CAMERA = "camera"
    DEPTH_CAMERA = "depth camera"
    STEREO_CAMERA = "stereo camera"
    LASER_2D = "laser scanner"
    LASER_3D = "3D laser scanner"
    FLASH_LASER = "flash lidar"
    SONAR = "sonar"
    IMU = "inertial unit"
    FORCE_TORQUE = "force-torque sensor"
    CONTACT = "contact sensor"
    ENCODER = "encoder"
    ODOMETRY = "odometry"
    MAGNETOMETER = "magnetometer"
    POSITIONING = "positioning"
    OTHER = "sensor"


#: The types of OpenRAVE's COLLADA extension.
OPENRAVE_TYPES: dict[str, SensorKind] = {
    "base_pinhole_camera": SensorKind.CAMERA,
    "base_stereo_camera": SensorKind.STEREO_CAMERA,
    "base_laser2d": SensorKind.LASER_2D,
    "base_laser3d": SensorKind.LASER_3D,
    "base_flash_laser": SensorKind.FLASH_LASER,
    "base_encoder": SensorKind.ENCODER,
    "base_force6d": SensorKind.FORCE_TORQUE,
    "base_imu": SensorKind.IMU,
    "base_odometry": SensorKind.ODOMETRY,
}
#: The types that URDF and SDF use; lasers that scan one plane and lasers that scan several are told
#: apart by the scan.
URDF_TYPES: dict[str, SensorKind] = {
    "camera": SensorKind.CAMERA,
    "wideanglecamera": SensorKind.CAMERA,
    "thermal": SensorKind.CAMERA,
    "thermal_camera": SensorKind.CAMERA,
    "logical_camera": SensorKind.CAMERA,
    "depth": SensorKind.DEPTH_CAMERA,
    "depth_camera": SensorKind.DEPTH_CAMERA,
    "rgbd_camera": SensorKind.DEPTH_CAMERA,
    "rgbd": SensorKind.DEPTH_CAMERA,
    "multicamera": SensorKind.STEREO_CAMERA,
    "ray": SensorKind.LASER_2D,
    "gpu_ray": SensorKind.LASER_2D,
    "lidar": SensorKind.LASER_2D,
    "gpu_lidar": SensorKind.LASER_2D,
    "laser": SensorKind.LASER_2D,
    "sonar": SensorKind.SONAR,
    "imu": SensorKind.IMU,
    "accelerometer": SensorKind.IMU,
    "gyroscope": SensorKind.IMU,
    "force_torque": SensorKind.FORCE_TORQUE,
    "contact": SensorKind.CONTACT,
    "magnetometer": SensorKind.MAGNETOMETER,
    "gps": SensorKind.POSITIONING,
    "navsat": SensorKind.POSITIONING,
    "altimeter": SensorKind.POSITIONING,
    "rfid": SensorKind.OTHER,
    "rfidtag": SensorKind.OTHER,
    "wireless_receiver": SensorKind.OTHER,
    "wireless_transmitter": SensorKind.OTHER,
}


@dataclass(frozen=True, slots=True)
class Camera:
    """`hfov` is the full horizontal angle. It looks along z in URDF and COLLADA (x to the right),
    along x in Gazebo."""

    width: int | None = None
    height: int | None = None
    channels: int | None = None
    format: str | None = None
    hfov: float | None = None
    near: float | None = None
    far: float | None = None
    intrinsic: Intrinsic | None = None
    #: k1, k2, t1, t2, k3
    distortion: tuple[float, ...] | None = None

    @property
    def angles(self) -> tuple[float, float] | None:
        """The full horizontal and vertical angle of view, from `hfov` or else the intrinsic matrix;
        None if unknown."""
        width, height = self.width or 4, self.height or 3
        hfov = self.hfov
        if hfov is None and self.intrinsic is not None and self.intrinsic[0] > 0 and self.width:
            hfov = 2 * math.atan2(self.width, 2 * self.intrinsic[0])
        if hfov is None or not 0 < hfov < math.pi or width <= 0 or height <= 0:
            return None
        return hfov, 2 * math.atan(math.tan(hfov / 2) * height / width)

    def matrix(self) -> Intrinsic | None:
        """The intrinsic matrix as given, else of a pinhole in the image's middle with `hfov`; None
        if unknown."""
        if self.intrinsic is not None:
            return self.intrinsic
        if self.hfov is None or not 0 < self.hfov < math.pi or not self.width or not self.height:
            return None
        focal = self.width / (2 * math.tan(self.hfov / 2))
        return focal, 0.0, self.width / 2, 0.0, focal, self.height / 2


@dataclass(frozen=True, slots=True)
class Scan:
    """The rays in one plane. `resolution` multiplies `samples` (Gazebo); `increment` is the angle
    between two rays."""

    samples: int | None = None
    resolution: float | None = None
    min_angle: float | None = None
    max_angle: float | None = None
    increment: float | None = None


@dataclass(frozen=True, slots=True)
class Ray:
    """A laser scanner: about z in the xy plane with angle 0 along x; `vertical` turns about y."""

    horizontal: Scan | None = None
    vertical: Scan | None = None
    min_range: float | None = None
    max_range: float | None = None
    range_resolution: float | None = None
    #: Between two rays, seconds.
    time_increment: float | None = None


@dataclass(frozen=True, slots=True)
class Imu:
    """Covariances about x, y, z."""

    rotation: Matrix3 | None = None
    angular_velocity: Matrix3 | None = None
    linear_acceleration: Matrix3 | None = None


@dataclass(frozen=True, slots=True)
class StereoEye:
    """One of a stereo camera's cameras, by the name of its sensor, and the homography onto the
    ideal image plane."""

    sensor: str
    rectification: Matrix3 | None = None


@dataclass(frozen=True, slots=True)
class Sensor:
    """`parent` is the link that it sits on, `origin` its pose there; `joint` the joint that it
    belongs to, if one.

    `measurement_time` is that between two measurements, where a format gives it instead of the
    rate. `interface` and `plugin` name the program that simulates it (`interface_type` of
    OpenRAVE), `id` is that of a COLLADA file's library. Keys of `parameters` are paths such as
    "imu/noise/type" or "camera/@name"; the second of two elements of one tag is "tag[2]".
    """

    name: str
    type: str = ""
    parent: str = ""
    origin: Origin = IDENTITY
    joint: str | None = None
    update_rate: float | None = None
    measurement_time: float | None = None
    camera: Camera | None = None
    ray: Ray | None = None
    imu: Imu | None = None
    eyes: tuple[StereoEye, ...] = ()
    #: What an odometry sensor follows.
    target: str | None = None
    interface: str | None = None
    plugin: str | None = None
    id: str | None = None
    parameters: FrozenDict[str, str] = FrozenDict()

    @property
    def kind(self) -> SensorKind:
        """The kind of the sensor, by its type, or else by its elements."""
        kind = OPENRAVE_TYPES.get(self.type)
        if kind is not None:
            return kind
        kind = URDF_TYPES.get(self.type)
        if kind is None:
            if self.eyes:
                kind = SensorKind.STEREO_CAMERA
            elif self.camera is not None:
                kind = SensorKind.CAMERA
            elif self.ray is not None:
                kind = SensorKind.LASER_2D
            else:
                kind = SensorKind.IMU if self.imu is not None else SensorKind.OTHER
        if (
            kind is SensorKind.LASER_2D
            and self.ray is not None
            and (self.ray.vertical or Scan()).samples not in (None, 1)
        ):
            return SensorKind.LASER_3D
        return kind

    @property
    def openrave_type(self) -> str | None:
        """The type in COLLADA; None for what OpenRAVE has no type for (contact, sonar,
        magnetometer, …)."""
        if self.type in OPENRAVE_TYPES:
            return self.type
        kind = SensorKind.CAMERA if self.kind is SensorKind.DEPTH_CAMERA else self.kind
        return next((name for name, k in OPENRAVE_TYPES.items() if k is kind), None)
