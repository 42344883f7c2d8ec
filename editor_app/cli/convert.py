"""`xrdf-editor convert`: a robot from any of its formats to another one, with a report of what was lost."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from editor_app.formats.conversion.files import Conversion, Options
    from editor_app.formats.source import SourceText
    from editor_app.model.urdf import Mesh

_TARGETS = ("xrdf", "srdf", "curobo", "lula", "spheres-urdf", "urdf", "collada")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inputs",
        nargs="+",
        type=Path,
        metavar="IN",
        help="URDF, xacro, XRDF, SRDF, cuRobo or Lula YAML, "
        "lists of spheres (Bubblify, foam, ballpark), COLLADA robots; several make one robot",
    )
    parser.add_argument("output", type=Path, metavar="OUT", help="its name tells the format, or --to does")
    parser.add_argument("--to", choices=_TARGETS, help="format of OUT")
    parser.add_argument("--report", choices=("text", "json"), default="text", help="on standard error")
    parser.add_argument("--force", action="store_true", help="overwrite files that are there")
    parser.add_argument("--update", action="store_true", help="change OUT where it differs, instead of writing it anew")
    parser.add_argument("--fail-on-loss", action="store_true", help="exit code 1 when something was lost")
    parser.add_argument("--dry-run", action="store_true", help="only report")
    parser.add_argument("--group", help="group of the SRDF whose joints are controlled")
    parser.add_argument("--state", help="state of the SRDF that becomes the default posture")
    parser.add_argument("--link", help="link that a list of spheres without names is for")
    parser.add_argument("--robot", metavar="NAME", help="robot of a COLLADA file that has several; '*' takes them all")
    parser.add_argument("--xrdf-version", choices=("1.0", "2.0"), help="format_version of the XRDF")
    parser.add_argument("--curobo-version", choices=("1", "2"), default="2")
    parser.add_argument("--tesseract", action="store_true", help="write Tesseract's additions to SRDF (margins, tcps)")
    parser.add_argument(
        "--attach-to-world",
        nargs="?",
        const="world",
        metavar="LINK",
        help="put the robot on a new root link (called world) by a fixed joint",
    )
    parser.add_argument(
        "--merge-links",
        action="store_true",
        help="make links without inertial part of their parents, where nothing is lost",
    )
    parser.add_argument(
        "--ignore-linked", action="store_true", help="leave bodies that a joint connects out of self-collision"
    )
    parser.add_argument(
        "--joint",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="initial position in rad or m; or all in the order of the URDF: 0.5,0,-1",
    )
    parser.add_argument(
        "--allow-xacro", action="store_true", help="expand xacro, which runs Python expressions of the file"
    )
    parser.add_argument(
        "--xacro-arg", action="append", default=[], metavar="NAME:=VALUE", help="argument of a xacro file"
    )
    parser.add_argument(
        "--package", action="append", default=[], metavar="NAME=FOLDER", help="where a package is (package://NAME/...)"
    )


def run(args: argparse.Namespace) -> int:
    """0 when written, 1 with --fail-on-loss when something was lost on the way, 2 when it could not be done."""
    from editor_app.edit.saving import SaveError
    from editor_app.formats.conversion.files import CannotConvert, NeedsChoice, convert_files
    from editor_app.formats.source import FormatError
    from editor_app.model.change import CannotApply

    try:
        mappings = _mappings(args.package)
        conversion = convert_files(args.inputs, args.output, _options(args, mappings))
        if not args.dry_run:
            _save(conversion, args)
    except (FormatError, NeedsChoice, CannotConvert, CannotApply, SaveError, OSError, ValueError) as error:
        print(f"xrdf-editor convert: {error}", file=sys.stderr)
        if isinstance(error, NeedsChoice):
            print("xrdf-editor convert: --group and --state choose.", file=sys.stderr)
        return 2
    _report(conversion, args)
    lossless = all(report.is_lossless for report in conversion.reports)
    return 1 if args.fail_on_loss and not lossless else 0


def _options(args: argparse.Namespace, mappings: dict[str, Path]) -> Options:
    from editor_app.edit.choices import BodyChoices, prepared
    from editor_app.formats.conversion.files import Kind, Options
    from editor_app.formats.urdf.xacro import expand_xacro, parse_arguments
    from editor_app.geometry.paths import package_folder

    arguments = parse_arguments(args.xacro_arg)
    choices = BodyChoices(args.attach_to_world, args.merge_links, args.ignore_linked, tuple(args.joint))

    def expand(path: Path) -> SourceText:
        return expand_xacro(path, arguments, lambda name: package_folder(name, path, mappings))

    return Options(
        to=Kind(args.to) if args.to else None,
        group=args.group,
        state=args.state,
        link=args.link,
        robot=args.robot,
        xrdf_version=args.xrdf_version,
        curobo_version=args.curobo_version,
        tesseract=args.tesseract,
        update=args.update,
        expand_xacro=expand if args.allow_xacro else None,
        mesh_parts=_meshes(args.inputs, mappings),
        prepare=(lambda robot: prepared(robot, choices)) if choices else None,
    )


def _meshes(inputs: list[Path], mappings: dict[str, Path]) -> Any:
    """The parts of a mesh, looked for from beside the first input that may be the URDF."""
    beside = next((p for p in inputs if p.suffix.lower() in (".urdf", ".xacro", ".xml")), inputs[0])

    def parts(mesh: Mesh) -> list[tuple[Any, ...]]:
        from editor_app.geometry.loading import load_mesh
        from editor_app.geometry.paths import resolve_mesh_path

        path = resolve_mesh_path(mesh.filename, beside, mappings)
        if path is None:
            return []
        return [(p.vertices, p.faces, p.rgba, p.uv, p.texture) for p in load_mesh(path, mesh.scale).parts]

    return parts


def _mappings(texts: list[str]) -> dict[str, Path]:
    mappings = {}
    for text in texts:
        name, mark, folder = text.partition("=")
        if not mark or not name or not folder:
            raise ValueError(f"--package {text}: NAME=FOLDER is needed")
        mappings[name] = Path(folder)
    return mappings


def _save(conversion: Conversion, args: argparse.Namespace) -> None:
    from editor_app.edit.saving import SaveError
    from editor_app.edit.together import write_together

    inputs = {p.resolve() for p in args.inputs}
    for path, _ in conversion.files:
        updating = args.update and path == args.output
        if path.resolve() in inputs and not updating:
            raise SaveError(f"{path} is one of the inputs; it is not overwritten (--update changes it in place)")
        if path.exists() and not args.force and not updating:
            raise SaveError(f"{path} is there already; --force overwrites it")
    write_together(conversion.files, make_folders=True)


def _report(conversion: Conversion, args: argparse.Namespace) -> None:
    if args.report == "json":
        files = [str(path) for path, _ in conversion.files]
        value = {
            "files": files,
            "conversions": [report.as_dict() for report in conversion.reports],
            "notes": list(conversion.notes),
        }
        print(json.dumps(value, indent=2, ensure_ascii=False), file=sys.stderr)
        return
    for report in conversion.reports:
        print(report.text(), end="", file=sys.stderr)
    for note in conversion.notes:
        print(f"note: {note}", file=sys.stderr)
    if not args.dry_run:
        for path, _ in conversion.files:
            print(path)
