"""What every command that reads a robot takes besides its files: packages, and the arguments of xacro."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editor_app.edit.document import Document


def add_robot_arguments(parser: argparse.ArgumentParser) -> None:
    """--package, --allow-xacro and --xacro-arg."""
    group = parser.add_argument_group("the robot")
    group.add_argument(
        "--package", action="append", default=[], metavar="NAME=FOLDER", help="where a package is (package://NAME/...)"
    )
    group.add_argument(
        "--allow-xacro", action="store_true", help="expand xacro, which runs Python expressions of the file"
    )
    group.add_argument(
        "--xacro-arg", action="append", default=[], metavar="NAME:=VALUE", help="argument of a xacro file"
    )


def add_files_argument(parser: argparse.ArgumentParser, help_text: str) -> None:
    """The files of one robot, as `args.files`."""
    parser.add_argument("files", type=Path, nargs="+", metavar="ROBOT", help=help_text)


def packages(args: argparse.Namespace) -> Mapping[str, Path]:
    """The folders of packages. Raises ValueError."""
    folders = {}
    for text in args.package:
        name, mark, folder = text.partition("=")
        if not mark or not name or not folder:
            raise ValueError(f"--package wants NAME=FOLDER, not {text!r}")
        folders[name] = Path(folder)
    return folders


def xacro_arguments(args: argparse.Namespace) -> Mapping[str, str]:
    """The arguments of the xacro file. Raises ValueError."""
    from editor_app.formats.urdf.xacro import parse_arguments

    return parse_arguments(args.xacro_arg) if args.xacro_arg else {}


def opened(args: argparse.Namespace, files: Sequence[Path], *, new_xrdf: bool = False) -> Document:
    """The robot that the files describe. Raises what `open_robot` does, and ValueError."""
    from editor_app.operations.open import open_robot

    return open_robot(
        *files,
        new_xrdf=new_xrdf,
        packages=packages(args),
        xacro_arguments=xacro_arguments(args),
        allow_xacro=args.allow_xacro,
    )
