"""The COLLADA robot specification 0.1 (OpenRAVE) in its order.

What OpenRAVE itself leaves out is held against its reader of August 2024 (commit ec22ecf:
`colladareader.cpp` and the plugin `basesensors`): `OPENRAVE_SENSORS` and `OPENRAVE_READS` are the
names that these two look for.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColladaRow:
    """An element of the COLLADA robot specification in `collada_robot.ROBOT`.

    Without `piece` in the file, `read` is in none of the texts that are read; with it, it is, and
    `written` is in the file that is exported. `becomes` says what it is here.
    """

    item: str
    piece: str
    read: str
    written: str
    becomes: str
    #: Why OpenRAVE's own reader passes over it; empty where it does not.
    left_out: str = ""


#: Types of sensors that the plugin makes, each with the elements that its reader takes.
OPENRAVE_SENSORS: dict[str, frozenset[str]] = {
    "base_pinhole_camera": frozenset(
        (
            "kk",
            "width",
            "height",
            "framerate",
            "power",
            "color",
            "focal_length",
            "image_dimensions",
            "intrinsic",
        )
    )
    | {
        "measurement_time",
        "format",
        "distortion_model",
        "distortion_coeffs",
        "target_region",
        "gain",
        "hardware_id",
    },
    "base_laser2d": frozenset(
        (
            "minangle",
            "min_angle",
            "maxangle",
            "max_angle",
            "maxrange",
            "max_range",
            "minrange",
            "min_range",
        )
    )
    | {"scantime", "color", "time_scan", "time_increment", "power", "resolution"},
    "base_laser3d": frozenset(
        (
            "minangle",
            "min_angle",
            "maxangle",
            "max_angle",
            "maxrange",
            "max_range",
            "minrange",
            "min_range",
        )
    )
    | {"scantime", "color", "time_scan", "time_increment", "power", "kk", "width", "height"},
    "base_force6d": frozenset(("polarity", "correction_matrix", "hardware_id")),
}
#: Children, attributes and parameters that the reader takes, by what they stand in.
OPENRAVE_READS: dict[str, frozenset[str]] = {
    "interface_type": frozenset(("interface",)),
    "manipulator": frozenset(
        ("name", "frame_origin", "frame_tip", "frame_endlink", "gripper_joint", "iksolver")
    ),
    "frame_tip": frozenset(("translate", "rotate", "direction")),
    "gripper_joint": frozenset(("joint", "closing_direction", "chucking_direction")),
    "iksolver": frozenset(("interface_type",)),
    "collision": frozenset(("ignore_link_pair", "link_collision_state")),
    "attach_sensor": frozenset(("frame_origin", "instance_sensor")),
    "equation": frozenset(("position", "first_partial", "second_partial")),
    "axis_info": frozenset(
        ("circular", "planning_weight", "discretization_resolution", "speed", "acceleration")
    ),
    "geometry": frozenset(("mesh", "convex_mesh", "geometry_info")),
    "rigid_body": frozenset(("mass", "inertia", "mass_frame", "dynamic")),
}

_KEPT = "kept verbatim in the URDF"
_NO_SENSOR = "its sensors have no such type"
_ON_DEMAND = "it reads this only with the option `bind_instance_geometry`, which is off"


def _left_out(item: str) -> str:
    """Why OpenRAVE passes over a value of a sensor: `type: element` as in the document."""
    kind, _, element = item.partition(": ")
    if kind == "interface_type of a sensor":
        return "it creates a sensor from its type only"
    if kind not in OPENRAVE_SENSORS:
        return _NO_SENSOR
    if element.split(",")[0] in OPENRAVE_SENSORS[kind]:
        return ""
    return {
        "distortion": "it looks for `distortion_coeffs`",
        "angle_range": "it looks for `min_angle` and `max_angle`",
        "distance_range": "it looks for `min_range` and `max_range`",
        "angle_increment": "it looks for `resolution`",
        "measurement_time": "it looks for `time_scan`",
    }.get(element, "it looks for `min_angle`, `max_angle`, `min_range`, `max_range`")


COLLADA_ROWS = (
    ColladaRow(
        "interface_type: interface",
        '<interface type="robot">MyRobot</interface>',
        "MyRobot",
        "MyRobot",
        _KEPT,
    ),
    ColladaRow(
        "interface_type: plugin",
        "<plugin>myplugin.so</plugin>",
        "myplugin.so",
        "myplugin.so",
        _KEPT,
        left_out="it reads only the name of the interface",
    ),
    ColladaRow(
        "manipulator: name",
        ' name="upper"',
        'group name="upper"',
        'name="upper"',
        "a group of the SRDF",
    ),
    ColladaRow(
        "manipulator: frame_origin",
        '<frame_origin link="k/arm"/>',
        'base_link="arm"',
        "frame_origin",
        "the base of the group's chain",
    ),
    ColladaRow(
        "manipulator: frame_tip",
        '<frame_tip link="k/hand"/>',
        'base_link="arm" tip_link="hand"',
        "frame_tip",
        "the tip of the group's chain",
    ),
    ColladaRow(
        "manipulator: frame_tip: translate",
        "<translate>0 0 0.22</translate>",
        'xyz="0 0 0.22"',
        "0 0 0.22",
        "a tool centre point",
    ),
    ColladaRow(
        "manipulator: frame_tip: rotate",
        "<translate>0 0 0.22</translate><rotate>0 1 0 90</rotate>",
        'xyz="0 0 0.22" rpy="0 1.57',
        "<rotate>",
        "the orientation of the tool centre point",
    ),
    ColladaRow(
        "manipulator: gripper_joint",
        '<gripper_joint joint="j2">',
        'group name="whole_gripper"',
        "gripper_joint",
        "an end effector of the SRDF",
    ),
    ColladaRow(
        "manipulator: closing_direction",
        '<closing_direction axis="axis0"><float>-1</float></closing_direction>',
        "closing_direction",
        "closing_direction",
        _KEPT,
    ),
    ColladaRow(
        "manipulator: iksolver",
        '<iksolver type="Translation3D"><free_joint joint="j0"/></iksolver>',
        "Translation3D",
        "Translation3D",
        _KEPT,
        left_out="it reads only the interface of a solver",
    ),
    ColladaRow(
        "manipulator: iksolver: free_joint, stepsize",
        '<free_joint joint="j1" stepsize="0.01"/>',
        "stepsize",
        "stepsize",
        _KEPT,
        left_out="it reads only the interface of a solver",
    ),
    ColladaRow(
        "manipulator: iksolver: interface_type",
        "<interface>ik</interface>",
        "<interface>ik</interface>",
        "<interface>ik</interface>",
        _KEPT,
    ),
    ColladaRow(
        "collision: bind_instance_geometry, environment",
        '<bind_instance_geometry type="environment" link="arm" url="#box"/>',
        "<box",
        'type="environment"',
        "a collision shape",
        left_out=_ON_DEMAND,
    ),
    ColladaRow(
        "collision: bind_instance_geometry, self",
        '<bind_instance_geometry type="self" link="base" url="#self"/>',
        'where="self_collision"',
        'type="self"',
        "spheres of the XRDF, or kept with the link",
        left_out=_ON_DEMAND,
    ),
    ColladaRow(
        "collision: ignore_link_pair",
        '<ignore_link_pair link0="k/base" link1="arm"/>',
        'link1="base" link2="arm"',
        "ignore_link_pair",
        "a pair of disable_collisions",
    ),
    *(
        ColladaRow(
            f"sensor: {kind}",
            f'<sensor type="{kind}" id="{name}">',
            f'<sensor name="my_{name}"',
            kind,
            "a sensor of the URDF",
            left_out="" if kind in OPENRAVE_SENSORS else _NO_SENSOR,
        )
        for kind, name in (
            ("base_pinhole_camera", "cam"),
            ("base_stereo_camera", "stereo"),
            ("base_laser2d", "laser"),
            ("base_laser3d", "laser3"),
            ("base_flash_laser", "flash"),
            ("base_encoder", "encoder"),
            ("base_force6d", "force"),
            ("base_imu", "imu"),
            ("base_odometry", "odometry"),
        )
    ),
    *(
        ColladaRow(
            f"sensor: {item}",
            piece,
            read,
            written,
            "a value of the sensor",
            left_out=_left_out(item),
        )
        for item, piece, read, written in (
            (
                "base_pinhole_camera: image_dimensions",
                "<image_dimensions>640 480 3</image_dimensions>",
                'width="640" height="480" channels="3"',
                "640 480 3",
            ),
            (
                "base_pinhole_camera: format",
                "<format>uint8</format>",
                'format="uint8"',
                "<format>uint8</format>",
            ),
            (
                "base_pinhole_camera: measurement_time",
                "<measurement_time>0.04</measurement_time>",
                'measurement_time="0.04"',
                "<measurement_time>0.04",
            ),
            (
                "base_pinhole_camera: intrinsic",
                "<intrinsic>500 0 320 0 501 240</intrinsic>",
                "501",
                "500 0 320 0 501 240",
            ),
            (
                "base_pinhole_camera: distortion",
                "<distortion>0.1 0.01 0 0 0.001</distortion>",
                "0.1 0.01 0 0 0.001",
                "0.1 0.01 0 0 0.001",
            ),
            (
                "interface_type of a sensor",
                "<interface>BaseCamera</interface>",
                "BaseCamera",
                "<interface>BaseCamera</interface>",
            ),
            (
                "base_stereo_camera: instance_sensor, rectification",
                "<rectification>1 0 0.5 0 1 0 0 0 1</rectification>",
                "1 0 0.5 0 1 0 0 0 1",
                "1 0 0.5 0 1 0 0 0 1",
            ),
            ("base_laser2d: angle_range", "<angle_range>-90 90</angle_range>", "1.5707", "-90 90"),
            (
                "base_laser2d: distance_range",
                "<distance_range>0.01 4</distance_range>",
                "0.01",
                "0.01 4",
            ),
            (
                "base_laser2d: angle_min, angle_max, range_min, range_max (the example's spelling)",
                "<range_max><float>4.0</float></range_max>",
                'max="4',
                "4",
            ),
            (
                "base_laser2d: angle_increment",
                "<angle_increment>1</angle_increment>",
                'increment="0.01745',
                "<angle_increment>1</angle_increment>",
            ),
            (
                "base_laser2d: time_increment",
                "<time_increment>0.0005</time_increment>",
                'time_increment="0.0005"',
                "<time_increment>0.0005</time_increment>",
            ),
            (
                "base_laser2d: measurement_time",
                "<measurement_time>0.025</measurement_time>",
                'measurement_time="0.025"',
                "<measurement_time>0.025</measurement_time>",
            ),
            (
                "base_imu: measurement_time",
                "<measurement_time>0.005</measurement_time>",
                'measurement_time="0.005"',
                "<measurement_time>0.005",
            ),
            (
                "base_imu: rotation_covariance",
                "<rotation_covariance>1 0 0 0 2 0 0 0 3</rotation_covariance>",
                "1 0 0 0 2 0 0 0 3",
                "1 0 0 0 2 0 0 0 3",
            ),
            (
                "base_imu: angular_velocity_covariance",
                "<angular_velocity_covariance>4 0 0 0 5 0 0 0 6</angular_velocity_covariance>",
                "4 0 0 0 5 0 0 0 6",
                "4 0 0 0 5 0 0 0 6",
            ),
            (
                "base_imu: linear_acceleration_covariance",
                "<linear_acceleration_covariance>7 0 0 0 8 0 0 0 "
                "9</linear_acceleration_covariance>",
                "7 0 0 0 8 0 0 0 9",
                "7 0 0 0 8 0 0 0 9",
            ),
            (
                "base_odometry: measurement_time",
                "<measurement_time>0.02</measurement_time>",
                'measurement_time="0.02"',
                "<measurement_time>0.02<",
            ),
            ("base_odometry: target", "<target>base</target>", "target", "<target>base</target>"),
        )
    ),
    ColladaRow(
        "library_sensors: a sensor without attachment",
        '<sensor type="base_pinhole_camera" id="lonely">',
        'id="lonely"',
        'id="lonely"',
        _KEPT,
        left_out="it creates a sensor only with an attachment",
    ),
    ColladaRow(
        "attach_sensor",
        'type="attach_sensor" name="my_imu"',
        '<sensor name="my_imu"',
        "attach_sensor",
        "the pose of a sensor",
    ),
    ColladaRow(
        "formula: technique OpenRAVE: equation",
        '<equation type="position">',
        "<mimic",
        "equation",
        "a mimic joint, whose partial derivative is written from its factor",
    ),
    ColladaRow(
        "attach_sensor: frame_origin: translate",
        "<translate>0 8 0</translate>",
        'xyz="0 8 0',
        "<translate>0 8 0</translate>",
        "the pose of a sensor",
    ),
    ColladaRow(
        "planning weights",
        '<newparam sid="planning_weight"><float>2</float></newparam>',
        "planning_weight",
        "planning_weight",
        _KEPT,
    ),
    ColladaRow(
        "geometric primitives",
        "<box><half_extents>0.1 0.2 0.3</half_extents></box>",
        'size="0.2 0.4 0.6"',
        "half_extents",
        "a primitive of the URDF",
    ),
    ColladaRow(
        "physics: mass of an instance",
        "<mass>2.5</mass>",
        'mass value="2.5"',
        "2.5",
        "the mass of the link",
        left_out="it uses the mass of the rigid body, not of its instance",
    ),
    ColladaRow(
        "motion: speed",
        "<speed><float>90</float></speed>",
        'velocity="1.5707',
        "speed",
        "the velocity limit, in radians",
    ),
    ColladaRow(
        "motion: acceleration",
        "<acceleration><float>180</float></acceleration>",
        "acceleration of turn: 3.14159",
        "acceleration",
        "the acceleration limit of the XRDF",
    ),
)
