"""`xrdf-editor compose`: attaches parts (a gripper, a second arm) to links of a robot, with their
spheres and masks.

The input is a YAML recipe of the whole assembly (base, and parts: a list of part, at, xyz, rpy,
prefix, frame, variant; tools and joints), or files: BASE.urdf first, then each part; an XRDF or
SRDF that is not next to its URDF under the same name follows it. Repeat --at (and --xyz, --rpy,
--prefix, --frame and --variant if used) for each part, in the order of the parts. --replace LINK
replaces a part that was attached before.

Spheres are not fitted again. Pairs between a part and the robot are ignored if they never move
relative to each other, or are proven never to collide. Pairs that overlap at the default or always
are ignored if the links are adjacent, or the meshes never or always touch. The report lists these
pairs. Without -o nothing is written, only reported.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _progress
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, print_lines
from editor_app.cli._robot_arguments import (
    add_format_argument,
    add_repeated,
    add_robot_arguments,
    opened,
    refuse_stdout,
)
from editor_app.cli._writing import add_force_argument, check_targets, written_lines
from editor_app.core.formats.exchange.conversion import summarize_reports
from editor_app.core.formats.registry import recognise_format
from editor_app.core.model.findings import Location
from editor_app.core.model.options import comma_separated, option
from editor_app.core.model.origin import Vector3
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import load_plain
from editor_app.core.verbs import pose_texts
from editor_app.core.verbs.robot_inputs import takes_model
from editor_app.plugins.assembly.verbs.assembly_parts import replaced
from editor_app.plugins.assembly.verbs.compose import Attachment

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "done",
    1: (
        "done, but a checked pair between a part and the robot overlaps at the default "
        "configuration, or always"
    ),
}


@dataclass(frozen=True)
class ComposeRequest:
    """Arguments of the verb compose."""

    samples: int | None = option(
        None, "sampled configurations per part (default: 100000)", "N", least=1
    )
    certify: float = option(10.0, "CPU time for proofs, per part (default: 10)", "SECONDS", least=0)
    seed: int = option(0, "the same input and seed give the same samples", "S")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="ROBOT",
        help="RECIPE.yaml; or BASE.urdf, then PART.urdf for each part (or xacro files). Name an XRDF or SRDF after "
        "its URDF if it is not next to it under the same name",
    )
    add_repeated(parser, "--at", "LINK", "link to attach the part to")
    for flag, kind, unit in (("--xyz", length, "metres"), ("--rpy", angle, "radians")):
        parser.add_argument(
            flag,
            action="append",
            default=[],
            nargs=3,
            type=kind,
            metavar=tuple(flag[2:].upper()),
            help=f"pose of the part's root on the link, in {unit} (default: 0 0 0)",
        )
    add_repeated(parser, "--prefix", "P_", "prefix for every name of a part")
    add_repeated(parser, "--frame", "F", "frame of the part to place there (default: root)")
    add_repeated(
        parser, "--variant", "V", "default position of a gripper: closed, half, open, or a state"
    )
    parser.add_argument(
        "--replace", metavar="LINK", help="a link of the part to replace, instead of --at"
    )
    parser.add_argument(
        "--tool",
        action="append",
        metavar="FRAME",
        help="a tool frame; the assembly has exactly these",
    )
    parser.add_argument(
        "--joints", type=comma_separated, metavar="A,B", help="control exactly these joints"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT.urdf",
        help="the URDF; XRDF and SRDF are written to the same folder",
    )
    add_force_argument(parser)
    add_options(parser, ComposeRequest)
    add_format_argument(parser)
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    refuse_stdout(args)
    check_targets(args, args.output)
    if len(args.files) == 1 and is_recipe(args.files[0]):
        base_files, attachments = _recipe(args)
        base = _opened(args, base_files)
        free = None
    else:
        base_files, *parts = robots(args.files)
        base = _opened(args, base_files)
        free = _free_mount(args, base, len(parts)) if args.replace is not None else None
        attachments = _attachments(args, parts)
    attachments = [replace(each, part=_opened(args, each.files)) for each in attachments]
    with _progress.progress_bar() as progress:
        assembly = editor_app.compose(
            base if free is None else free.base,
            attachments,
            args.output,
            **option_values(args, ComposeRequest),
            progress=progress,
        )
    assembly = assembly if free is None else replaced(assembly, free)
    written: tuple[Path, ...] = ()
    if args.output is not None:
        written = editor_app.write_assembly(assembly, overwrite=args.force, inputs=args.read)
    _report(args, assembly, written)
    return 1 if assembly.overlapping else 0


def _free_mount(
    args: argparse.Namespace, base: editor_app.Document, parts: int
) -> editor_app.FreeMount:
    """Puts the place of the part that comes off in the place of the arguments. Raises Refused."""
    if parts != 1 or args.at or args.xyz or args.rpy:
        raise editor_app.Refused(
            "--replace takes one part and keeps its place: remove --at, --xyz and --rpy"
        )
    free = editor_app.free_mount(base, args.replace)
    args.at, args.xyz, args.rpy = [free.at], [free.place.xyz], [free.place.rpy]
    return free


def _attachments(
    args: argparse.Namespace, parts: Sequence[Sequence[Path]]
) -> list[editor_app.Attachment]:
    """The parts with their places; which tools and joints count is said of the whole, with the
    last. Raises Refused."""
    count, nowhere = len(parts), (0.0, 0.0, 0.0)
    placed = zip(
        parts,
        _for_each(args.at, count, "--at"),
        _for_each(args.xyz or [nowhere] * count, count, "--xyz"),
        _for_each(args.rpy or [nowhere] * count, count, "--rpy"),
        _for_each(args.prefix or [""] * count, count, "--prefix"),
        _for_each(args.frame or [None] * count, count, "--frame"),
        _for_each(args.variant or [None] * count, count, "--variant"),
        strict=True,
    )
    attachments = [
        editor_app.Attachment(tuple(part), at, (*xyz,), (*rpy,), prefix, frame, variant=variant)
        for part, at, xyz, rpy, prefix, frame, variant in placed
    ]
    tools = None if args.tool is None else tuple(args.tool)
    return [*attachments[:-1], replace(attachments[-1], tools=tools, joints=args.joints)]


def _recipe(args: argparse.Namespace) -> tuple[Sequence[Path], Sequence[editor_app.Attachment]]:
    """What a recipe says, whose files are the arguments then. Raises Refused, FormatError."""
    flags = ("at", "xyz", "rpy", "prefix", "frame", "variant", "replace", "tool", "joints")
    if any(getattr(args, flag) for flag in flags):
        raise editor_app.Refused(
            f"a recipe describes all parts: remove {', '.join(f'--{flag}' for flag in flags)}"
        )
    base, parts = read_recipe(args.files[0])
    args.files = [*base, *(file for each in parts for file in each.files)]
    return base, parts


def robots(files: Sequence[Path]) -> list[list[Path]]:
    """The files of each robot: a URDF or xacro file begins the next one. Raises FormatError,
    Refused."""
    groups: list[list[Path]] = []
    for path in files:
        if (codec := recognise_format(path)).is_whole or codec.name == "urdf" or not groups:
            groups.append([])
        groups[-1].append(path)
    if len(groups) < 2:
        raise editor_app.Refused(f"{files[0]} is the base: name the URDF of a part too")
    return groups


def _opened(args: argparse.Namespace, files: Sequence[Path]) -> editor_app.Document:
    """Arguments of xacro are for the xacro files among the robots, a model is for files that can
    hold several."""
    is_xacro = any(recognise_format(path).name == "xacro" for path in files)
    model = args.model if any(map(takes_model, files)) else None
    choices = argparse.Namespace(
        **{**vars(args), "xacro_arg": args.xacro_arg if is_xacro else [], "model": model}
    )
    document = opened(choices, files)
    args.read = choices.read
    return document


def length(text: str) -> float:
    """Metres, or with a unit: 40mm."""
    return _number(text, ("mm", "cm", "m"))


def angle(text: str) -> float:
    """Radians, or with a unit: 90deg; or pi/2."""
    return _number(text, ("deg", "\u00b0", "rad"))


def _number(text: str, units: Sequence[str]) -> float:
    try:
        return pose_texts.number_in(
            text, repr(text), {unit: pose_texts.JOINT_UNITS[unit] for unit in units}
        )
    except editor_app.Refused as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _for_each(values: Sequence[Any], count: int, flag: str) -> Sequence[Any]:
    if len(values) != count:
        raise editor_app.Refused(
            f"{flag} is given {len(values)} times for {count} parts: give one per part, in their "
            "order"
        )
    return values


def _report(
    args: argparse.Namespace, assembly: editor_app.Assembly, written: Sequence[Path]
) -> None:
    if args.format == "json":
        pairs = [
            {
                "first": row.first,
                "second": row.second,
                "ignored": row.ignored_then,
                "reason": row.reason,
            }
            for row in assembly.between
        ]
        record = {
            "files": [str(path) for path in written],
            "parts": [report.as_dict() for report in assembly.reports],
            "pairs": pairs,
            "notes": list(assembly.notes),
        }
        give_report(record, args.format, {})
        return
    for report in assembly.reports:
        print_lines(*report.lines())
    print_lines(summarize_reports(assembly.reports))
    print_lines(*(f"note: {sentence}" for sentence in assembly.notes))
    print_lines(*written_lines(args, written, "-o OUT.urdf"))


_TEXTS = ("xrdf", "srdf", "prefix", "frame", "variant")
_KEYS = ("part", "at", "xyz", "rpy", *_TEXTS)
_NOWHERE = (0.0, 0.0, 0.0)


def is_recipe(path: Path) -> bool:
    """By its name."""
    return path.suffix.lower() in (".yaml", ".yml", ".json") and not path.name.lower().endswith(
        (".xrdf.yaml", ".xrdf.yml")
    )


def read_recipe(path: Path) -> tuple[tuple[Path, ...], tuple[Attachment, ...]]:
    """The files of the robot that the parts hang on, and the parts, which are files, too; paths are
    relative to the folder of the recipe. Which tools and joints count in the whole is said with the
    last part.

    Raises FormatError, OSError.
    """
    source = SourceText.read(path)
    value = load_plain(source)
    try:
        return _recipe_of(value, path.absolute().parent)
    except Refused as error:
        remedy = (
            f"A recipe has the keys base (a URDF), parts (a list of {', '.join(_KEYS)}), tools and "
            "joints."
        )
        raise FormatError(str(error), Location(str(path)), remedy) from error


def _recipe_of(value: Any, folder: Path) -> tuple[tuple[Path, ...], tuple[Attachment, ...]]:
    if (
        not isinstance(value, Mapping)
        or not isinstance(value.get("parts"), list)
        or not value["parts"]
    ):
        raise Refused("This is not an assembly recipe: it has no list of parts")
    if strange := [key for key in value if key not in ("base", "parts", "tools", "joints")]:
        raise Refused(f"{strange[0]!r} is not a key of a recipe")
    base = value.get("base")
    files = [base] if isinstance(base, str) else base
    if not isinstance(files, list) or not files or not all(isinstance(file, str) for file in files):
        raise Refused("base must be the URDF of the robot that carries the parts")
    parts = [_part(each, number, folder) for number, each in enumerate(value["parts"], start=1)]
    last = replace(parts[-1], tools=_names(value, "tools"), joints=_names(value, "joints"))
    return tuple(folder / file for file in files), (*parts[:-1], last)


def _names(value: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    names = value.get(key)
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Refused(f"{key} of a recipe must be a list of names")
    return tuple(names)


def _part(value: Any, number: int, folder: Path) -> Attachment:
    if not isinstance(value, Mapping):
        raise Refused(f"part {number} must be a mapping with part and at")
    if strange := [key for key in value if key not in _KEYS]:
        raise Refused(f"{strange[0]!r} of part {number} is not one of {', '.join(_KEYS)}")
    for key in ("part", "at"):
        if not isinstance(value.get(key), str) or not value[key]:
            raise Refused(f"part {number} needs {key}, a string")
    for key in _TEXTS:
        if not isinstance(value.get(key, ""), str):
            raise Refused(f"{key} of part {number} must be a string")
    files = [value[key] for key in ("part", "xrdf", "srdf") if value.get(key)]
    xyz, rpy = (_vector(value, key, number) for key in ("xyz", "rpy"))
    told = {key: value[key] for key in ("prefix", "frame", "variant") if key in value}
    return Attachment(tuple(folder / file for file in files), value["at"], xyz, rpy, **told)


def _vector(value: Mapping[str, Any], key: str, number: int) -> Vector3:
    numbers = value.get(key, list(_NOWHERE))
    fits = isinstance(numbers, list) and len(numbers) == 3
    if not fits or not all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in numbers
    ):
        raise Refused(f"{key} of part {number} must be three numbers, metres or radians")
    x, y, z = map(float, numbers)
    return x, y, z
