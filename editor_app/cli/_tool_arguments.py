"""Where a tool is to go, on the command line: what `pose` and `plan` take alike."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

import editor_app
from editor_app.operations import tool_places

if TYPE_CHECKING:
    from editor_app.edit.document import Document


def add_tool_arguments(parser: argparse.ArgumentParser) -> None:
    """--tool, --in and --by; --to is the command's."""
    parser.add_argument("--tool", metavar="FRAME", help="the frame that is meant (default: the first tool frame)")
    parser.add_argument("--in", dest="reference", default="", metavar="FRAME", help="in this frame, not the base")
    parser.add_argument(
        "--by",
        metavar="PLACE",
        help="moved and turned by so much along the axes of --in, which may be the tool itself, such as "
        '"0 0 50mm" or "0 0 0 rpy 0 0 45deg"',
    )


def frame_of(args: argparse.Namespace, document: Document) -> str:
    """The tool that is named, or the first one. Raises Refused."""
    return args.tool or tool_places.first_tool(document)


def target_of(
    args: argparse.Namespace, document: Document, place: str | None, pose: Mapping[str, float]
) -> editor_app.ToolTarget:
    """Where the tool is to go from a pose: to a place, or by what --by says. Raises Refused."""
    if (place is None) == (args.by is None):
        raise editor_app.Refused("--to says where the tool is to be, --by how far it is moved: name one of them")
    given = args.by if place is None else place
    return editor_app.tool_target(
        document, frame_of(args, document), given, reference=args.reference, pose=pose, relative=place is None
    )
