"""MoveIt's own MoveItConfigsBuilder on a package: what it would give to move_group.

Asked is the folder `moveit_configs_utils` of moveit/moveit2, which has no wheel; xacro and PyYAML
are in the tests' environment. ROS is not: where it looks for a package (ament_index_python) folders
that are named stand in, where it reads a file (launch_param_builder) xacro and PyYAML do, and what
belongs to launching alone is empty.

    XRDF_EDITOR_MOVEIT_CONFIGS_UTILS=moveit2/moveit_configs_utils  python -P -m tests.opinions moveit PACKAGE
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import xacro
import xacro.substitution_args
import yaml
from lxml import etree

import editor_app
from editor_app.core.document.document import Document


def sources() -> Path | None:
    """The folder `moveit_configs_utils` of MoveIt's sources; None where none is named."""
    named = os.environ.get("XRDF_EDITOR_MOVEIT_CONFIGS_UTILS")
    return Path(named) if named else None


def _module(name: str, **content: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(content)
    sys.modules[name] = module
    return module


def _expanded(path: Path, mappings: Mapping[str, str] | None = None) -> str:
    text: str = xacro.process_file(str(path), mappings=mappings).toprettyxml(indent="  ")
    return text


def given(package: Path, utilities: Path, others: Mapping[str, Path]) -> dict[str, Any]:
    """The parameters that MoveIt's builder makes of a package, which is called as its folder."""
    folders = {"moveit_configs_utils": utilities, package.name: package, **others}
    share: Callable[[str], str] = lambda name: str(folders[name])  # noqa: E731

    class Builder:
        def __init__(self, name: str) -> None:
            self._package_path = folders[name]

    before = dict(sys.modules)
    find = xacro.substitution_args._eval_find
    try:
        _module("ament_index_python")
        _module("ament_index_python.packages", get_package_share_directory=share)
        read: Callable[[Path], Any] = lambda path: yaml.safe_load(path.read_text(encoding="utf-8"))  # noqa: E731
        _module(
            "launch_param_builder", ParameterBuilder=Builder, load_yaml=read, load_xacro=_expanded
        )
        _module("launch_param_builder.utils", ParameterBuilderFileNotFoundError=FileNotFoundError)
        for name in ("launch", "launch_ros"):
            _module(name)
        _module("launch.some_substitutions_type", SomeSubstitutionsType=object)
        _module("launch_ros.parameter_descriptions", ParameterValue=object)
        _module("moveit_configs_utils.substitutions", Xacro=object)
        xacro.substitution_args._eval_find = share
        source = utilities / "moveit_configs_utils" / "moveit_configs_builder.py"
        builder = _module("moveit_configs_builder")
        exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), vars(builder))
        # As its own launch files call it.
        launch = (package / "launch" / "move_group.launch.py").read_text(encoding="utf-8")
        named = re.search(r"MoveItConfigsBuilder\(\s*[\"']([^\"']+)", launch)
        assert named is not None
        made = (
            builder.MoveItConfigsBuilder(named[1], package_name=package.name)
            .to_moveit_configs()
            .to_dict()
        )
    finally:
        xacro.substitution_args._eval_find = find
        for name in sys.modules.keys() - before.keys():
            del sys.modules[name]
    assert isinstance(made, dict)
    return made


def faults(document: Document, parameters: Mapping[str, Any]) -> list[str]:
    """In what the parameters differ from the robot that the package was written of."""
    robot = document.robot
    urdf, srdf = (
        etree.fromstring(parameters[key].encode())
        for key in ("robot_description", "robot_description_semantic")
    )
    limits = parameters["robot_description_planning"]["joint_limits"]
    controllers = parameters["moveit_simple_controller_manager"]
    joints = {
        name for key in controllers["controller_names"] for name in controllers[key]["joints"]
    }
    groups = {group.get("name") for group in srdf.findall("group")}
    planned = set((robot.xrdf.cspace.joint_names if robot.xrdf.cspace else None) or ())
    told: dict[str, set[Any]] = {
        "links": {link.get("name") for link in urdf.findall("link")}
        ^ {link.name for link in robot.urdf.links},
        "joints without a controller": planned - joints,
        "joints without limits": planned - set(limits),
        "whole numbers": {
            name for name, of in limits.items() if any(type(value) is int for value in of.values())
        },
        "solvers of no group": set(parameters["robot_description_kinematics"]) - groups,
        "joints without an initial value": planned
        - {
            joint.get("name")
            for joint in urdf.iterfind("ros2_control/joint")
            if joint.find(".//param") is not None
        },
    }
    return [
        f"{fault}: {', '.join(sorted(str(name) for name in names))}"
        for fault, names in told.items()
        if names
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "packages", nargs="+", type=Path, metavar="PACKAGE", help="folder that the editor wrote"
    )
    parser.add_argument(
        "--package", action="append", default=[], metavar="NAME=FOLDER", help="another ROS package"
    )


def run(options: argparse.Namespace) -> int:
    """0 when every package is taken as the editor opens it."""
    utilities = sources()
    if utilities is None:
        print("MoveIt's sources are not there: see --help")
        return 2
    others = {
        name: Path(folder) for name, _, folder in (each.partition("=") for each in options.package)
    }
    wrong = 0
    for package in options.packages:
        document = editor_app.open_robot(package, allow_xacro=True, packages=others)
        told = faults(document, given(package, utilities, others))
        wrong += bool(told)
        print(f"{package.name}: {'; '.join(told) or 'taken'}")
    return 1 if wrong else 0
