"""Arguments that several commands have: for reading a robot, and for questions about its motion."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _writing
from editor_app.cli._output import is_stdout, note
from editor_app.core.formats.exchange.codec import MODEL
from editor_app.core.model.near_names import refuse_name
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.space.kinematics import tree
from editor_app.core.verbs import pose_texts, robot_inputs, tool_places


def add_robot_arguments(parser: argparse.ArgumentParser) -> None:
    """--package, --allow-xacro, --xacro-arg and --model."""
    group = parser.add_argument_group("the robot")
    add_repeated(
        group,
        "--package",
        "NAME=FOLDER",
        "folder of a package (package://NAME/...), or of files whose names begin with NAME",
    )
    group.add_argument(
        "--allow-xacro",
        action="store_true",
        help="expand xacro files; this runs Python expressions in the file",
    )
    add_repeated(group, "--xacro-arg", "NAME:=VALUE", "argument of a xacro file")
    group.add_argument("--model", metavar="NAME", help=MODEL.help)


def add_repeated(
    parser: argparse._ActionsContainer, flag: str, metavar: str, help_text: str
) -> None:
    """An option that may be named several times: a list, empty without one."""
    parser.add_argument(flag, action="append", default=[], metavar=metavar, help=help_text)


def add_files_argument(parser: argparse.ArgumentParser, help_text: str) -> None:
    """The files of one robot, as `args.files`."""
    parser.add_argument("files", type=Path, nargs="+", metavar="ROBOT", help=help_text)


def add_target_arguments(
    parser: argparse.ArgumentParser,
    output: str = "OUT.urdf",
    help_text: str = "the URDF; XRDF and SRDF are written to the same folder",
    in_place: str = "write the changes to the input files",
) -> None:
    """-o, --in-place and --force: where a changed robot is written."""
    target = parser.add_mutually_exclusive_group()
    target.add_argument("-o", "--output", type=Path, metavar=output, help=help_text)
    target.add_argument("--in-place", action="store_true", help=in_place)
    _writing.add_force_argument(parser)


def refuse_stdout(
    args: argparse.Namespace, files: str = "URDF, XRDF and SRDF cannot all", place: str = "file"
) -> None:
    """Raises Refused for several files that are to go to standard output."""
    if is_stdout(args.output):
        raise editor_app.Refused(f"{files} go to standard output: name a {place} with -o")


def packages(args: argparse.Namespace) -> Mapping[str, Path]:
    """The folders of packages. Raises ValueError."""
    folders = {}
    for text in args.package:
        name, mark, folder = text.partition("=")
        if not mark or not name or not folder:
            raise ValueError(f"--package needs NAME=FOLDER, not {text!r}")
        folders[name] = Path(folder)
    return folders


def xacro_arguments(args: argparse.Namespace) -> Mapping[str, str]:
    """The arguments of the xacro file. Raises ValueError."""
    from editor_app.core.formats.urdf.xacro import parse_arguments

    return parse_arguments(args.xacro_arg) if args.xacro_arg else {}


def opened(
    args: argparse.Namespace, files: Sequence[Path], *, new_xrdf: bool = False
) -> editor_app.Document:
    """The robot that the files describe. Raises what `open_robot` does, and ValueError."""
    document = editor_app.open_robot(
        *files,
        new_xrdf=new_xrdf,
        packages=packages(args),
        xacro_arguments=xacro_arguments(args),
        allow_xacro=args.allow_xacro,
        model=args.model,
    )
    _writing.also_read(args, document)
    return document


def add_files(parser: argparse.ArgumentParser) -> None:
    """The robot with its mask, and a scene: what `collide`, `plan` and `cost` ask alike."""
    add_files_argument(
        parser,
        "the URDF or xacro file; name the XRDF (spheres, mask) or SRDF (mask) if it is not next to "
        "it under "
        "the same name",
    )
    parser.add_argument(
        "--scene",
        type=Path,
        metavar="FILE",
        help="obstacles: our YAML, a cuRobo world, MoveIt's .scene",
    )
    parser.add_argument(
        "--may-touch",
        action="append",
        default=[],
        type=_contact,
        metavar="LINK,OBSTACLE[,start|end[,MM]]",
        help="a link that may touch an obstacle: during the whole motion, or only within this distance of its start "
        "or end position (default: 50 mm); repeatable",
    )


def add_format_argument(
    parser: argparse.ArgumentParser, *kinds: str, where: str = "on standard output"
) -> None:
    """--format: text, json and the other kinds of a command's report; --report, its former name,
    for one release."""
    formats = _add_format(parser, kinds, where)
    parser.add_argument(
        "--report",
        dest="format",
        choices=formats,
        default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )


def _add_format(
    parser: argparse.ArgumentParser, kinds: tuple[str, ...], where: str
) -> tuple[str, ...]:
    formats = ("text", "json", *kinds)
    parser.add_argument(
        "--format",
        choices=formats,
        default="text",
        help=f"format of the report {where} (default: text)",
    )
    return formats


def add_motion_report_arguments(parser: argparse.ArgumentParser, *kinds: str) -> None:
    """--format, and --report with the file for a report of the motion; a kind of the report, as it
    took before, too."""
    formats = _add_format(parser, kinds, "on standard output")
    parser.add_argument(
        "--report",
        action=_ReportFile,
        formats=formats,
        metavar="FILE",
        help="write a report of the motion to this file (.html, .json)",
    )


class _ReportFile(argparse.Action):
    """A file for the report of the motion, or a kind of the report on standard output, as in
    earlier releases."""

    def __init__(self, *args: Any, formats: tuple[str, ...], **options: Any) -> None:
        super().__init__(*args, **options)
        self._formats = formats

    def __call__(
        self, parser: Any, namespace: Any, values: Any, option_string: str | None = None
    ) -> None:
        if values in self._formats:
            namespace.format = values
        elif Path(values).suffix.lower() in (".html", ".htm", ".json"):
            namespace.report = Path(values)
        else:
            raise argparse.ArgumentError(self, f"{values!r} is not a file ending in .html or .json")


def write_motion_report(
    args: argparse.Namespace,
    robot: editor_app.Document,
    motion: editor_app.Trajectory,
    scene: Scene,
    model: Any = None,
) -> None:
    """Write the report of a motion if --report names a file. `model`: the MotionModel, if it exists
    already."""
    if args.report is not None:
        report = editor_app.report_motion(
            robot, motion, scene=scene, mask=mask_file(args), model=model
        )
        editor_app.write_report(report, args.report, overwrite=args.force, inputs=args.read)
        note(f"{args.report} written")


def mask_file(args: argparse.Namespace) -> editor_app.MaskFile | None:
    """The SRDF's mask where an SRDF is named and no XRDF; else None: the XRDF's, where it has
    one."""
    robot = robot_inputs.robot_files(*args.files, packages=packages(args))
    return editor_app.MaskFile.SRDF if robot.srdf is not None and robot.xrdf is None else None


def _contact(text: str) -> tuple[str, str, str, float | None]:
    """Link, obstacle, "" or "start" or "end", and metres if they are named."""
    link, obstacle, end, distance, *more = (*(part.strip() for part in text.split(",")), "", "", "")
    try:
        metres = float(distance) / 1e3 if distance else None
    except ValueError:
        metres = -1.0
    is_distance = metres is None or (bool(end) and 0.0 < metres < math.inf)
    if not link or not obstacle or end not in ("", "start", "end") or not is_distance or any(more):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not LINK,OBSTACLE[,start or end[,millimetres]]"
        )
    return link, obstacle, end, metres


def read_scene_arguments(args: argparse.Namespace, robot: editor_app.RobotDescription) -> Scene:
    """The scene of --scene with what --may-touch says. Raises Refused for names that robot or scene
    do not have."""
    scene = EMPTY_SCENE if args.scene is None else editor_app.read_scene(args.scene)
    frames = tree.get_tree(robot).index
    for link, name, end, metres in args.may_touch:
        obstacle = scene.get(name)
        if obstacle is None:
            obstacles = (each.name for each in scene.obstacles)
            raise editor_app.Refused(f"--may-touch: {refuse_name('obstacle', name, obstacles)}")
        if link not in frames:
            raise editor_app.Refused(f"--may-touch: {refuse_name('link', link, frames)}")
        key = f"may_touch_at_{end}" if end else "may_touch"
        links = dict.fromkeys((*getattr(obstacle, key), link))
        distance = obstacle.touch_distance if metres is None else metres
        changes: dict[str, Any] = {key: tuple(links), "touch_distance": distance}
        scene = scene.with_obstacle(replace(obstacle, **changes))
    return scene


def parse_pose_argument(text: str, robot: editor_app.RobotDescription) -> editor_app.Trajectory:
    """`j1=0.3 j2=45deg`, or the name of a state of the SRDF, or `default`. Raises Refused."""
    states = robot.srdf.states if robot.srdf is not None else ()
    is_state = "=" not in text or text.strip() in {state.name for state in states}
    joints = [joint.name for joint in robot.urdf.joints]
    values = (
        editor_app.state_pose(robot, text.strip())
        if is_state
        else pose_texts.typed_positions(text, joints)
    )
    return editor_app.Trajectory.of_pose(values, text.strip())


# -- where a tool is to go, as `pose` and `plan` ask alike


def add_tool_arguments(parser: argparse.ArgumentParser) -> None:
    """--tool, --in and --by; --to is the command's."""
    parser.add_argument(
        "--tool", metavar="FRAME", help="the frame to place (default: the first tool frame)"
    )
    parser.add_argument(
        "--in",
        dest="reference",
        default="",
        metavar="FRAME",
        help="relative to this frame instead of the base",
    )
    parser.add_argument(
        "--by",
        metavar="PLACE",
        help="relative move along the axes of --in, which may be the tool itself, such as "
        '"0 0 50mm" or "0 0 0 rpy 0 0 45deg"',
    )


def parse_frame(args: argparse.Namespace, document: editor_app.Document) -> str:
    """The tool that is named, or the first one. Raises Refused."""
    return args.tool or tool_places.first_tool(document)


def target_of(
    args: argparse.Namespace,
    document: editor_app.Document,
    place: str | None,
    pose: Mapping[str, float],
) -> editor_app.ToolTarget:
    """Return the target of the tool from a pose: a place, or the offset of --by. Raises Refused."""
    if (place is None) == (args.by is None):
        raise editor_app.Refused(
            "--to and --by exclude each other: --to is a target, --by a relative move. Name one"
        )
    given = args.by if place is None else place
    return editor_app.tool_target(
        document,
        parse_frame(args, document),
        given,
        reference=args.reference,
        pose=pose,
        relative=place is None,
    )
