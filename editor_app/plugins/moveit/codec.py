"""A MoveIt config package for ROS 2, with the files that MoveIt's setup assistant writes; and
settings of one, read.

Written for `moveit_configs_utils`: `.setup_assistant` names the URDF, `config/NAME.urdf.xacro` adds
ros2_control to it with the mock hardware, which begins at `initial_positions.yaml`. Settings that
were read are written as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from editor_app.core.formats.exchange.codec import (
    Codec,
    Conversion,
    ConvertOptions,
    InputFile,
    Part,
    ReadContext,
    RobotFiles,
    Subject,
    Writer,
    get_source,
    input_path,
)
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.identifiers import identifiers
from editor_app.core.formats.exchange.meshes import package_of_mesh, packed_meshes
from editor_app.core.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.core.formats.ros_settings import (
    SETTINGS_KINDS,
    kind_of_settings,
    read_settings,
    settings_text,
)
from editor_app.core.formats.srdf import patch_srdf, srdf_text
from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.formats.urdf.ros2_control import controlled_joints
from editor_app.core.formats.urdf.xacro_text import escape_document, escape_expressions, python_text
from editor_app.core.formats.xrdf.write import patch_text
from editor_app.core.model.counting import format_list
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.ros_settings import (
    InitialPositions,
    MotionLimit,
    MotionLimits,
    Settings,
    Solver,
    Solvers,
)
from editor_app.core.model.srdf import Group, Srdf
from editor_app.core.model.srdf_groups import is_serial, list_planned_joints
from editor_app.core.model.urdf import Joint, Mesh, Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import SourceText
from editor_app.core.text.xml.morph import build_piece, format_document, format_xml_number
from editor_app.core.text.xml.splices import NewElement, render
from editor_app.core.text.yaml.writing import yaml_text

_ENDING = "_moveit_config"
_XACRO = "http://www.ros.org/wiki/xacro"
#: As MoveIt's setup assistant sets them.
_SOLVER = Solver("kdl_kinematics_plugin/KDLKinematicsPlugin", 0.005, 0.005)
_SLOW = 0.1
#: Joints that a sentence names.
_MOST = 8
_LAUNCHES = (
    "demo",
    "move_group",
    "moveit_rviz",
    "rsp",
    "spawn_controllers",
    "static_virtual_joint_tfs",
)
_NEEDED = (
    "controller_manager",
    "joint_state_broadcaster",
    "joint_trajectory_controller",
    "moveit_configs_utils",
    "moveit_kinematics",
    "moveit_planners",
    "moveit_ros_move_group",
    "moveit_ros_visualization",
    "moveit_simple_controller_manager",
    "robot_state_publisher",
    "rviz2",
    "tf2_ros",
    "xacro",
)


@dataclass(frozen=True)
class _Robot:
    """What all files are made of: the URDF as it is written, its groups, and where its joints
    begin."""

    name: str
    package: str
    urdf: Urdf
    srdf: Srdf
    positions: Mapping[str, float]

    @cached_property
    def structure(self) -> KinematicGraph:
        return KinematicGraph(self.urdf)

    @cached_property
    def groups(self) -> tuple[tuple[Group, tuple[str, ...]], ...]:
        """Groups with the joints that a controller moves; a joint is moved by its first group."""
        passive, moved = set(self.srdf.passive_joints), set[str]()
        groups = []
        for group in self.srdf.groups:
            names = [
                name
                for name in list_planned_joints(self.srdf, group, self.structure)
                if name not in passive | moved
            ]
            moved.update(names)
            groups.append((group, tuple(names)))
        return tuple(groups)

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that controllers move."""
        return tuple(name for _, names in self.groups for name in names)

    @property
    def controllers(self) -> dict[str, tuple[str, ...]]:
        ids = identifiers(group.name for group, _ in self.groups)
        return {f"{ids[group.name]}_controller": names for group, names in self.groups if names}


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    out = Reporter("the robot", "MoveIt package")
    source = subject.files.urdf
    assert source is not None
    package = _identifier(output.name.lower(), _ENDING)
    name = _identifier(subject.robot.urdf.name)
    urdf, meshes = packed_meshes(subject.robot.urdf, source.source.path, package)
    patched = patch_urdf(source, urdf)
    srdf_source, srdf, reports = _srdf(subject)
    robot = _Robot(
        name, package, urdf, srdf, subject.robot.xrdf.default_joint_positions or FrozenDict()
    )
    config, files = output / "config", [(output / "package.xml", _manifest(robot).encode())]
    files += [
        (config / f"{name}.urdf", escape_document(patched.written.source).data),
        (config / f"{name}.srdf", escape_document(srdf_source).data),
        (output / ".setup_assistant", _setup(robot).encode()),
        (output / "CMakeLists.txt", _cmake(robot, bool(meshes)).encode()),
    ]
    if subject.files.xrdf is not None:
        text = patch_text(subject.files.xrdf, subject.robot.xrdf)[0]
        files.append((config / f"{name}.xrdf", subject.files.xrdf.source.with_text(text).data))
        out.taken("XRDF", f"config/{name}.xrdf")
    files += [(config / file, data) for file, data in _settings(subject, robot, out).items()]
    given = subject.files.settings.get("positions")
    positions = given.value.joints if given is not None else robot.joints
    files += [
        (config / file, text.encode()) for file, text in _control(robot, positions, out).items()
    ]
    files += [
        (output / "launch" / f"{each}.launch.py", _launch(robot, each).encode())
        for each in _LAUNCHES
    ]
    files += [(output / "meshes" / file, data) for file, data in meshes]
    if meshes:
        out.translated("meshes", f"{len(meshes)} copied, and named package://{package}/meshes/…")
    out.invented("maintainer and license", "package.xml needs them: fill in yours")
    notes = (*subject.notes, *patched.notes, *_note_accelerations(subject, robot))
    return Conversion(tuple(files), (*subject.reports, *reports, out.report()), notes)


def _identifier(name: str, ending: str = "") -> str:
    """A name that packages, files and elements of XML may have."""
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return (
        text
        if text[:1].isalpha()
        else f"robot_{text}"
        if text and text != ending.strip("_")
        else f"robot{ending}"
    )


def _srdf(subject: Subject) -> tuple[SourceText, Srdf, tuple[Any, ...]]:
    """The SRDF as it is, brought up to date with an XRDF; a new one where there is none."""
    given = subject.files.srdf
    if given is not None and subject.files.xrdf is None:
        return given.source, given.value, ()
    converted = to_srdf(
        subject.robot, subject.reasons, base=given.value if given is not None else None
    )
    # What an SRDF has no place for is in the XRDF, which goes along, and in the settings.
    reports = (converted.report.kept_beside(),)
    if given is None:
        return SourceText.from_text(srdf_text(converted.srdf)), converted.srdf, reports
    written = patch_srdf(given, converted.srdf)
    return given.source.with_text(written.text), converted.srdf, reports


# -- settings


def _settings(subject: Subject, robot: _Robot, out: Reporter) -> dict[str, bytes]:
    """Settings as they were read, and new ones for what is missing."""
    made: dict[str, Settings] = {
        "limits": _limits(subject, robot),
        "kinematics": _solvers(robot),
        "positions": _initial(robot),
    }
    files = {}
    for kind, (file, _) in SETTINGS_KINDS.items():
        given = subject.files.settings.get(kind)
        if (
            given is not None
            and kind == "positions"
            and (given.around or "initial_positions" not in given.top)
        ):
            out.translated(file, "below the key initial_positions, where the hardware reads it")
            files[file] = settings_text(given.value, file).encode()
        elif given is not None:
            out.taken(file, "as in the input")
            files[file] = given.source.data
        else:
            out.invented(file, _MADE[kind])
            if kind == "kinematics" and (branched := _branched(robot, made[kind])):
                out.lost(
                    file,
                    f"KDL cannot solve {', '.join(branched)}: the joints are on several branches",
                )
            files[file] = f"{_HEADS[kind]}{settings_text(made[kind], file)}".encode()
    limits = {
        "max_trans_vel": 1.0,
        "max_trans_acc": 2.25,
        "max_trans_dec": -5.0,
        "max_rot_vel": 1.57,
    }
    files["pilz_cartesian_limits.yaml"] = yaml_text(
        {"cartesian_limits": limits}, "pilz_cartesian_limits.yaml"
    ).encode()
    return files


_MADE = {
    "limits": "velocities of the URDF, accelerations of the XRDF; MoveIt starts with a tenth of both",
    "kinematics": "KDL for each group with several joints",
    "positions": "the default positions",
}
_HEADS = {
    "limits": (
        "# Limits here replace the URDF's limits.\n# These two factors (0 to 1) scale motions that "
        "name none.\n"
    ),
    "kinematics": "",
    "positions": "# Initial positions of ros2_control's mock hardware: radians, metres.\n",
}


def _limits(subject: Subject, robot: _Robot) -> MotionLimits:
    xrdf = subject.robot.xrdf if subject.files.xrdf is not None else Xrdf()
    accelerations, jerks = xrdf.limits_of("acceleration"), xrdf.limits_of("jerk")
    limits = {}
    for joint in _joints(robot):
        velocity = joint.limit.velocity if joint.limit is not None else None
        stated = joint.limit.acceleration if joint.limit is not None else None
        acceleration, jerk = accelerations.get(joint.name, stated), jerks.get(joint.name)
        limits[joint.name] = MotionLimit(
            has_velocity_limits=bool(velocity),
            max_velocity=velocity or None,
            has_acceleration_limits=acceleration is not None,
            max_acceleration=acceleration,
            has_jerk_limits=True if jerk is not None else None,
            max_jerk=jerk,
        )
    return MotionLimits(_SLOW, _SLOW, FrozenDict(limits))


def _note_accelerations(subject: Subject, robot: _Robot) -> tuple[str, ...]:
    """A sentence about joints that a new joint_limits.yaml has no acceleration for."""
    limits = _limits(subject, robot).joints if "limits" not in subject.files.settings else {}
    lacking = [name for name, limit in limits.items() if limit.acceleration is None]
    if not lacking:
        return ()
    told = f"No file has accelerations of {format_list(lacking, _MOST)}"
    return (f"{told}: MoveIt plans no motion of these joints until joint_limits.yaml has them.",)


def _solvers(robot: _Robot) -> Solvers:
    hands = {effector.group for effector in robot.srdf.end_effectors}
    several = [group.name for group, names in robot.groups if len(names) > 1]
    return Solvers(
        FrozenDict({name: _SOLVER for name in several if name not in hands or len(several) == 1})
    )


def _branched(robot: _Robot, solvers: Settings) -> list[str]:
    """The groups with a solver whose joints lie on several branches."""
    names = solvers.groups if isinstance(solvers, Solvers) else ()
    return [
        g.name
        for g, _ in robot.groups
        if g.name in names and not is_serial(robot.srdf, g, robot.structure)
    ]


def _initial(robot: _Robot) -> InitialPositions:
    return InitialPositions(
        FrozenDict(
            {
                joint.name: robot.positions.get(joint.name, joint.clamped())
                for joint in _joints(robot)
            }
        )
    )


def _joints(robot: _Robot) -> list[Joint]:
    joints = {joint.name: joint for joint in robot.urdf.joints}
    return [joints[name] for name in robot.joints]


# -- ros2_control


def _control(robot: _Robot, positions: Collection[str], out: Reporter) -> dict[str, str]:
    """Controllers, and what adds ros2_control to the URDF, for joints that have none in it.

    `positions`: the joints in initial_positions.yaml.
    """
    present = {joint.name for joint in controlled_joints(robot.urdf)}
    lacking = [name for name in robot.joints if name not in present]
    files = {
        "moveit_controllers.yaml": yaml_text(_moveit_controllers(robot), "moveit_controllers.yaml"),
        "ros2_controllers.yaml": yaml_text(_ros2_controllers(robot), "ros2_controllers.yaml"),
        "moveit.rviz": yaml_text(_rviz(robot), "moveit.rviz"),
    }
    out.invented(
        "controllers",
        f"a trajectory controller per group: {', '.join(robot.controllers) or 'none'}",
    )
    if lacking:
        out.invented(
            "ros2_control",
            f"the mock hardware, for {len(lacking)} joints: replace it by the robot's driver",
        )
        files[f"{robot.name}.ros2_control.xacro"] = _hardware(robot, lacking, positions)
        files[f"{robot.name}.urdf.xacro"] = _xacro_text(
            build_piece(
                "xacro:arg", name="initial_positions_file", default="initial_positions.yaml"
            ),
            build_piece("xacro:include", filename=f"{robot.name}.urdf"),
            build_piece("xacro:include", filename=f"{robot.name}.ros2_control.xacro"),
            build_piece(
                f"xacro:{robot.name}_ros2_control",
                name="FakeSystem",
                initial_positions_file="$(arg initial_positions_file)",
            ),
            name=escape_expressions(robot.urdf.name),
        )
    return files


def _moveit_controllers(robot: _Robot) -> dict[str, Any]:
    controllers = {
        name: {
            "type": "FollowJointTrajectory",
            "action_ns": "follow_joint_trajectory",
            "default": True,
            "joints": list(joints),
        }
        for name, joints in robot.controllers.items()
    }
    manager = "moveit_simple_controller_manager"
    return {
        "moveit_controller_manager": f"{manager}/MoveItSimpleControllerManager",
        manager: {"controller_names": list(controllers), **controllers},
    }


def _ros2_controllers(robot: _Robot) -> dict[str, Any]:
    trajectories = {
        name: {"type": "joint_trajectory_controller/JointTrajectoryController"}
        for name in robot.controllers
    }
    broadcaster = {
        "joint_state_broadcaster": {"type": "joint_state_broadcaster/JointStateBroadcaster"}
    }
    parameters = {
        name: {
            "ros__parameters": {
                "joints": list(joints),
                "command_interfaces": ["position"],
                "state_interfaces": ["position", "velocity"],
                "allow_nonzero_velocity_at_trajectory_end": True,
            }
        }
        for name, joints in robot.controllers.items()
    }
    manager = {"ros__parameters": {"update_rate": 100, **trajectories, **broadcaster}}
    return {"controller_manager": manager, **parameters}


def _hardware(robot: _Robot, joints: Sequence[str], positions: Collection[str]) -> str:
    begins = {joint.name: joint.clamped() for joint in _joints(robot)}
    interfaces = [
        build_piece(
            "joint",
            build_piece("command_interface", name="position"),
            build_piece(
                "state_interface",
                build_piece(
                    "param",
                    text=f"${{initial_positions[{python_text(name)}]}}"
                    if name in positions
                    else format_xml_number(robot.positions.get(name, begins[name])),
                    name="initial_value",
                ),
                name="position",
            ),
            build_piece("state_interface", name="velocity"),
            name=escape_expressions(name),
        )
        for name in joints
    ]
    plugin = build_piece("hardware", build_piece("plugin", text="mock_components/GenericSystem"))
    macro = build_piece(
        "xacro:macro",
        build_piece(
            "xacro:property",
            name="initial_positions",
            value="${xacro.load_yaml(initial_positions_file)['initial_positions']}",
        ),
        build_piece("ros2_control", plugin, *interfaces, name="${name}", type="system"),
        name=f"{robot.name}_ros2_control",
        params="name initial_positions_file",
    )
    return _xacro_text(macro)


def _xacro_text(*children: Any, **attributes: str) -> str:
    """A document whose elements may have the prefix of xacro."""
    named = {"xmlns:xacro": _XACRO, **attributes}
    return f'<?xml version="1.0"?>\n{render(NewElement("robot", tuple(named.items()), children))}\n'


# -- the package


def _manifest(robot: _Robot) -> str:
    described = dict.fromkeys(
        each for each in map(package_of_mesh, _mesh_names(robot.urdf)) if each
    )
    needs = [
        build_piece("exec_depend", text=name)
        for name in (*_NEEDED, *described)
        if name != robot.package
    ]
    return format_document(
        build_piece(
            "package",
            build_piece("name", text=robot.package),
            build_piece("version", text="0.1.0"),
            build_piece("description", text=f"Configuration of {robot.urdf.name} for MoveIt"),
            build_piece("maintainer", text="TODO", email="todo@example.com"),
            build_piece("license", text="TODO: License declaration"),
            build_piece("buildtool_depend", text="ament_cmake"),
            *needs,
            build_piece("export", build_piece("build_type", text="ament_cmake")),
            format="3",
        )
    )


def _mesh_names(urdf: Urdf) -> list[str]:
    shapes = [shape.geometry for link in urdf.links for shape in link.shapes]
    return [shape.filename for shape in shapes if isinstance(shape, Mesh)]


def _setup(robot: _Robot) -> str:
    files = {
        "urdf": {"package": robot.package, "relative_path": f"config/{robot.name}.urdf"},
        "srdf": {"relative_path": f"config/{robot.name}.srdf"},
        "package_settings": {"author_name": "TODO", "author_email": "todo@example.com"},
    }
    return yaml_text({"moveit_setup_assistant_config": files}, ".setup_assistant")


def _cmake(robot: _Robot, has_meshes: bool) -> str:
    folders = "config launch meshes" if has_meshes else "config launch"
    return (
        "cmake_minimum_required(VERSION "
        f"3.22)\nproject({robot.package})\n\nfind_package(ament_cmake REQUIRED)\n\n"
        f"install(DIRECTORY {folders} DESTINATION share/${{PROJECT_NAME}})\n"
        "install(FILES .setup_assistant DESTINATION share/${PROJECT_NAME})\n\nament_package()\n"
    )


def _launch(robot: _Robot, name: str) -> str:
    function = f"generate_{name}_launch"
    return (
        "from moveit_configs_utils import MoveItConfigsBuilder\n"
        f"from moveit_configs_utils.launches import {function}\n\n\n"
        "def generate_launch_description():\n"
        f'    builder = MoveItConfigsBuilder("{robot.name}", package_name="{robot.package}")\n'
        f"    return {function}(builder.to_moveit_configs())\n"
    )


def _rviz(robot: _Robot) -> dict[str, Any]:
    display = {
        "Class": "moveit_rviz_plugin/MotionPlanning",
        "Enabled": True,
        "Name": "MotionPlanning",
        "Value": True,
    }
    options = {"Fixed Frame": robot.structure.root or ""}
    return {
        "Visualization Manager": {"Class": "", "Displays": [display], "Global Options": options}
    }


def _read(file: InputFile, context: ReadContext) -> RobotFiles:
    kind = kind_of_settings(input_path(file).name)
    assert kind is not None
    return RobotFiles(
        settings=FrozenDict({kind: read_settings(SETTINGS_KINDS[kind][1], get_source(file))})
    )


CODEC = Codec(
    name="moveit-package",
    title="&MoveIt package",
    pattern="*.yaml",
    endings=tuple(name for name, _ in SETTINGS_KINDS.values()),
    read=_read,
    writer=Writer(
        _write,
        endings=(_ENDING,),
        proposal=_ENDING,
        holds=frozenset({Part.LINKS, Part.SHAPES, Part.SRDF, Part.XRDF, Part.SETTINGS}),
        takes=("world", "merge", "ignore", "positions"),
    ),
)
