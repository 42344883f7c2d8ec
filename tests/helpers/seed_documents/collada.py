"""The COLLADA robot specification 0.1 (OpenRAVE) in its order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColladaRow:
    """An element of the COLLADA robot specification in `collada_robot.ROBOT`.

    Without `piece` in the file, `read` is in none of the texts that are read; with it, it is, and `written` is in the
    file that is exported. `becomes` says what it is here.
    """

    item: str
    piece: str
    read: str
    written: str
    becomes: str
    #: True for what OpenRAVE's own reader passes over.
    left_out: bool = False


_KEPT = "kept word for word in the URDF"
COLLADA_ROWS = (
    ColladaRow("interface_type: interface", '<interface type="robot">MyRobot</interface>', "MyRobot", "MyRobot", _KEPT),
    ColladaRow("interface_type: plugin", "<plugin>myplugin.so</plugin>", "myplugin.so", "myplugin.so", _KEPT),
    ColladaRow("manipulator: name", ' name="upper"', 'group name="upper"', 'name="upper"', "a group of the SRDF"),
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
        "the turn of the tool centre point",
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
    ),
    ColladaRow(
        "manipulator: iksolver: free_joint, stepsize",
        '<free_joint joint="j1" stepsize="0.01"/>',
        "stepsize",
        "stepsize",
        _KEPT,
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
    ),
    ColladaRow(
        "collision: bind_instance_geometry, self",
        '<bind_instance_geometry type="self" link="base" url="#self"/>',
        'where="self_collision"',
        'type="self"',
        "spheres of the XRDF, or kept beside the link",
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
        ColladaRow(f"sensor: {item}", piece, read, written, "a value of the sensor")
        for item, piece, read, written in (
            (
                "base_pinhole_camera: image_dimensions",
                "<image_dimensions>640 480 3</image_dimensions>",
                'width="640" height="480" channels="3"',
                "640 480 3",
            ),
            ("base_pinhole_camera: format", "<format>uint8</format>", 'format="uint8"', "<format>uint8</format>"),
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
            ("base_laser2d: distance_range", "<distance_range>0.01 4</distance_range>", "0.01", "0.01 4"),
            (
                "base_laser2d: angle_min, angle_max, range_min, range_max (the example's spelling)",
                "<range_max><float>4.0</float></range_max>",
                'max="4',
                "4",
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
                "<linear_acceleration_covariance>7 0 0 0 8 0 0 0 9</linear_acceleration_covariance>",
                "7 0 0 0 8 0 0 0 9",
                "7 0 0 0 8 0 0 0 9",
            ),
            ("base_odometry: target", "<target>base</target>", "target", "<target>base</target>"),
        )
    ),
    ColladaRow(
        "library_sensors: a sensor that is attached nowhere",
        '<sensor type="base_pinhole_camera" id="lonely">',
        'id="lonely"',
        'id="lonely"',
        _KEPT,
    ),
    ColladaRow(
        "attach_sensor",
        'type="attach_sensor" name="my_imu"',
        '<sensor name="my_imu"',
        "attach_sensor",
        "the place of a sensor",
    ),
    ColladaRow(
        "formula: technique OpenRAVE: equation", '<equation type="position">', "<mimic", "equation", "a mimic joint"
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
    ColladaRow("physics: mass", "<mass>2.5</mass>", 'mass value="2.5"', "2.5", "the mass of the link"),
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
