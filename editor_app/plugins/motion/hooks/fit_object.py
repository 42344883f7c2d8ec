"""Hook of the command `fit` for a mesh file: spheres of an object in the gripper."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _progress
from editor_app.cli._output import give_report, give_text, is_stdout, note
from editor_app.cli._robot_arguments import opened
from editor_app.cli._writing import check_targets, save_robot, write_result
from editor_app.core.formats.exchange.sphere_lists import bubblify_text
from editor_app.core.verbs import tool_places
from editor_app.features.spheres.cli import _fit_report
from editor_app.plugins.motion.verbs import attached_object

#: Meshes that are nothing else; a COLLADA file may be a robot.
_MESHES = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "a grasped object (a mesh file, alone or after the robot's files)"
    )
    group.add_argument(
        "--frame",
        default=attached_object.NAME,
        help=f"name of its frame (default: {attached_object.NAME})",
    )
    group.add_argument(
        "--on", metavar="FRAME", help="frame that holds it (default: the first tool frame)"
    )
    group.add_argument(
        "--place",
        metavar="PLACE",
        help='its pose in that frame: "0 0 0.1", "0 0 0.1 rpy 0 180deg 0"',
    )


def is_object(path: Path) -> bool:
    """Return whether a file is a mesh by its name."""
    return path.suffix.lower() in _MESHES


def run(args: argparse.Namespace) -> int:
    """Fits the one mesh file among the files. Raises Refused and what fitting does."""
    meshes = [path for path in args.files if is_object(path)]
    files = [path for path in args.files if path not in meshes]
    if len(meshes) > 1:
        raise editor_app.Refused(
            f"{meshes[0]} and {meshes[1]} are both meshes: name the grasped one"
        )
    asks_for_more = args.tolerance is not None or args.budget is not None or args.links is not None
    if asks_for_more or getattr(args, "purpose", "cover") != "cover":
        raise editor_app.Refused(
            "a grasped object can only be combined with --spheres, not with --links, --for or "
            "another amount"
        )
    record = _attached(args, files, meshes[0]) if files else _alone(args, meshes[0])
    give_report(
        record, args.format, {"html": _fit_report.object_page}, to_errors=is_stdout(args.output)
    )
    return 0


def _alone(args: argparse.Namespace, mesh: Path) -> dict[str, Any]:
    """Fits a mesh, and writes the list of its spheres."""
    check_targets(args, args.output)
    with _progress.interrupts() as interrupted, _progress.progress_bar() as progress:
        spheres, protrusion, told = editor_app.object_spheres(
            mesh, args.frame, args.spheres, progress=progress, cancel=interrupted
        )
    note(*filter(None, [told]))
    text = bubblify_text({args.frame: spheres}, ())
    if is_stdout(args.output):
        give_text(text)
    elif args.output is not None:
        write_result(args, args.output, text.encode())
    return _record(args, mesh, spheres, protrusion)


def _attached(args: argparse.Namespace, files: list[Path], mesh: Path) -> dict[str, Any]:
    """Fits a mesh, and writes the XRDF of the robot that holds it."""
    with _progress.interrupts() as interrupted, _progress.progress_bar() as progress:
        document = opened(args, files)
        check_targets(args, args.output, in_place=[document.xrdf_path])
        held = editor_app.attach_object(
            document,
            mesh,
            args.on or tool_places.first_tool(document),
            None if args.place is None else editor_app.parse_place(args.place).matrix,
            name=args.frame,
            number=args.spheres,
            pose=editor_app.default_pose(document),
            group=args.group,
            progress=progress,
            cancel=interrupted,
        )
    note(*filter(None, [held.told]))
    document.execute(held.change)
    save_robot(args, document)
    return {
        **_record(args, mesh, held.spheres, held.protrusion),
        "on": held.on,
        "holding": list(held.holding),
    }


def _record(
    args: argparse.Namespace,
    mesh: Path,
    spheres: tuple[editor_app.CollisionSphere, ...],
    protrusion: float,
) -> dict[str, Any]:
    """Metres."""
    return {
        "mesh": str(mesh),
        "frame": args.frame,
        "output": None if args.output is None else str(args.output),
        "protrusion_m": protrusion,
        "spheres": [{"center": list(sphere.center), "radius": sphere.radius} for sphere in spheres],
    }
