"""How commands write files: --force, and what is asked before the work and after it."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from textwrap import fill

import editor_app
from editor_app.cli._output import give_text, is_stdout
from editor_app.core.document.writing import refuse_targets, write_files
from editor_app.core.model.inputs import Inputs
from editor_app.core.verbs import mesh_inputs

#: Of every command that writes files; `--help` and the manual say it.
RULE = (
    "Existing files are replaced only with --force, except inputs that the command edits. If "
    "another program "
    "changed an input in the meantime, nothing is written: run the command again. Files that "
    "already hold the "
    "result are not written."
)


def add_force_argument(parser: argparse.ArgumentParser) -> None:
    """--force, of every command that writes a file."""
    parser.add_argument(
        "--force", action="store_true", help="replace existing files that are not inputs"
    )
    parser.epilog = f"{fill(RULE, 100)}\n\n{parser.epilog or ''}"


def begin_reading(args: argparse.Namespace) -> None:
    """Notes the files that the arguments name, as they are now, in `args.read`."""
    args.read = Inputs.of(_named_files(args))


def _named_files(args: argparse.Namespace) -> Iterator[Path]:
    for name, value in vars(args).items():
        if name not in ("output", "report"):
            values = value if isinstance(value, (list, tuple)) else [value]
            yield from (each for each in values if isinstance(each, Path))


def also_read(args: argparse.Namespace, document: editor_app.Document) -> None:
    """Adds the files of an opened robot, with its meshes, to those that must not change until a
    result is written."""
    report = getattr(args, "report", None)
    if (
        getattr(args, "output", None) is not None
        or getattr(args, "in_place", False)
        or isinstance(report, Path)
    ):
        args.read |= document.inputs | mesh_inputs.mesh_inputs(document)


def check_targets(
    args: argparse.Namespace, *paths: Path | None, in_place: Collection[Path | None] = ()
) -> None:
    """Refuses before the work to write files that would be refused after it. Raises SaveError.

    `in_place` are the inputs that the command edits.
    """
    files = [path for path in paths if path is not None and not is_stdout(path)]
    present = [path for path in in_place if path is not None]
    refuse_targets(files, args.read, in_place=present, overwrite=args.force)


def save_robot(args: argparse.Namespace, document: editor_app.Document) -> tuple[Path, ...]:
    """Write a robot where -o or --in-place says; - is standard output, for its XRDF. Return the
    files.

    Raises SaveError.
    """
    if is_stdout(args.output):
        give_text(document.xrdf_text or "")
    elif args.output is not None or getattr(args, "in_place", False):
        return tuple(editor_app.save(document, args.output, overwrite=args.force, inputs=args.read))
    return ()


def write_result(args: argparse.Namespace, path: Path, data: bytes) -> None:
    """Writes a file that is no file of the robot: a motion, a list of spheres. Raises SaveError."""
    write_files([(path, data)], args.read, overwrite=args.force, make_folders=False)


def written_lines(
    args: argparse.Namespace, written: Sequence[Path], ways: str = "-o OUT.urdf or --in-place"
) -> list[str]:
    """Which files were written, or why none was; `ways` are the options that have them written."""
    if written:
        return [f"wrote {path}" for path in written]
    if args.output is not None or getattr(args, "in_place", False):
        return ["nothing was written: the files already have this content"]
    return [f"nothing was written; to write, use {ways}"]
