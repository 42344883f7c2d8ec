"""`xrdf-editor edit`: edits links, joints and shapes of a robot, and updates XRDF and SRDF.

Changes are applied in the order of the arguments, each to the result of those before it. Names of
links and joints are updated in URDF, XRDF and SRDF; everything else keeps its bytes, comments
included.

Without -o or --in-place nothing is written: the report lists the changes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._output import give_lines
from editor_app.cli._writing import written_lines
from editor_app.core.document import commands
from editor_app.core.document.commands import fields
from editor_app.core.document.commands.tools import ToldChange
from editor_app.core.document.commands.urdf_structure import find_free_frame_name
from editor_app.core.document.state import FileKind
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import JointType
from editor_app.core.verbs import calibration, link_roles, new_link, pose_texts, robot_texts

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done"}

#: Key of --joint -> the field of the joint, and how many numbers it has (0: a word).
_KEYS = {
    "type": ("type", 0),
    "xyz": ("origin.xyz", 3),
    "rpy": ("origin.rpy", 3),
    "axis": ("axis", 3),
    **{key: (f"limit.{key}", 1) for key in ("lower", "upper", "velocity", "effort")},
}
_SHAPE = (
    "box,X,Y,Z; cylinder,RADIUS,LENGTH; capsule,RADIUS,LENGTH; sphere,RADIUS; or the file of a mesh"
)


def _insert_link(robot: editor_app.Document, link: str, above: str) -> Change:
    joint = robot.robot.urdf.joint_to(above)
    if joint is None:
        raise editor_app.Refused(f"--insert-link: no joint has the child link {above}")
    return commands.InsertLink(joint.name, link, find_free_frame_name(robot.robot, f"{link}_joint"))


def _remove_link(robot: editor_app.Document, link: str) -> ToldChange:
    change = commands.RemoveLink(link, keep_children=True)
    return ToldChange(change, change.consequences(robot.robot))


def _remove_branch(robot: editor_app.Document, link: str) -> ToldChange:
    change = commands.RemoveLink(link)
    return ToldChange(
        change, change.consequences(robot.robot) if robot.robot.urdf.link(link) else ""
    )


def _set_parent(robot: editor_app.Document, link: str, parent: str) -> Change:
    joint = robot.robot.urdf.joint_to(link)
    if joint is None:
        raise editor_app.Refused(f"--set-parent: no joint has the child link {link}")
    return commands.SetParent(joint.name, parent, keep_place=True)


def _joint(robot: editor_app.Document, place: str, text: str) -> Change:
    """`JOINT:KEY=VALUE`."""
    joint, _, key = place.rpartition(":")
    if not joint or key not in _KEYS:
        raise editor_app.Refused(
            f"--joint needs JOINT:KEY=VALUE with KEY one of {', '.join(_KEYS)}, not {place}={text}"
        )
    path, count = _KEYS[key]
    value: Any = text
    if count:
        numbers = _numbers("--joint", text)
        if len(numbers) != count:
            raise editor_app.Refused(
                f"--joint: {key} has {count} numbers, not {len(numbers)}: {text}"
            )
        value = numbers if count > 1 else numbers[0]
    elif text not in tuple(JointType):
        raise editor_app.Refused(
            f"--joint: the type must be one of {', '.join(JointType)}, not {text!r}"
        )
    else:
        value = JointType(text)
    return commands.SetField(fields.OfJoint(joint), path, value, f"Set {key} of {joint}")


def _shape(robot: editor_app.Document, link: str, text: str) -> ToldChange:
    kind, comma, sizes = text.partition(",")
    shape: Any = new_link.shape_named(kind, _numbers("--shape", sizes)) if comma else Path(text)
    return new_link.with_shape(robot.robot, link, shape, robot.path(FileKind.URDF))


def _inertia(robot: editor_app.Document, link: str) -> Change:
    links = new_link.bare_links(robot.robot.urdf) if link == "all" else (link,)
    return new_link.compute_inertias(robot.robot, links, robot.path(FileKind.URDF), robot.packages)


def _numbers(flag: str, text: str) -> tuple[float, ...]:
    """Numbers with commas between them, in metres and radians, or with a unit: 40mm,0,90deg. Raises
    Refused."""
    return tuple(pose_texts.number_in(part, f"{flag} {text!r}") for part in text.split(","))


#: Option -> its value, its help, and what makes a step of its parts.
_OPTIONS: dict[str, tuple[str, str, Callable[..., ToldChange | Change]]] = {
    "--rename-link": (
        "OLD=NEW",
        "rename a link, or a frame that the XRDF adds",
        lambda robot, old, new: link_roles.rename_frame(robot.robot, old, new),
    ),
    "--rename-joint": (
        "OLD=NEW",
        "rename a joint",
        lambda _, old, new: commands.RenameJoint(old, new),
    ),
    "--add-link": (
        "LINK=PARENT",
        "add a link, fixed to PARENT by the joint LINK_joint",
        lambda robot, link, parent: (
            new_link.new_link(robot.robot, new_link.NewLink(link, parent)).change
        ),
    ),
    "--insert-link": (
        "LINK=CHILD",
        "insert an empty link between CHILD and its parent; no frame moves",
        _insert_link,
    ),
    "--remove-link": ("LINK", "remove a link; its children keep their place", _remove_link),
    "--remove-branch": ("LINK", "remove a link and everything below it", _remove_branch),
    "--merge": (
        "LINK",
        "merge a link into the parent that it is fixed to",
        lambda _, link: commands.MergeLinks((link,)),
    ),
    "--duplicate": (
        "LINK=SUFFIX",
        "copy LINK and everything below it; SUFFIX is added to the names",
        lambda _, link, ending: commands.DuplicateBranch(link, ending),
    ),
    "--set-parent": ("LINK=PARENT", "give a link another parent; it keeps its place", _set_parent),
    "--joint": (
        "JOINT:KEY=VALUE",
        f"KEY is {', '.join(_KEYS)}; VALUE such as 0,0,40mm or 90deg",
        _joint,
    ),
    "--inertia": (
        "LINK",
        "compute mass and inertia from a link's shapes, at 1,000 kg/m³; all: every link without "
        "inertial",
        _inertia,
    ),
    "--calibrate": (
        "FILE",
        "set joint origins from a Tesseract calibration file; srdf: the file that the SRDF names",
        calibration.calibrate,
    ),
    "--shape": ("LINK=SHAPE", f"add a visual and a collision shape: {_SHAPE}", _shape),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser, "the URDF; name the XRDF or SRDF if it is not next to it under the same name"
    )
    changes = parser.add_argument_group("changes, each option repeatable")
    for flag, (value, text, _) in _OPTIONS.items():
        changes.add_argument(flag, action=_InOrder, metavar=value, help=text)
    shared.add_target_arguments(parser)
    parser.set_defaults(changes=())
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


class _InOrder(argparse.Action):
    """Keeps the order in which different options stand."""

    def __call__(
        self, parser: Any, namespace: Any, values: Any, option_string: str | None = None
    ) -> None:
        namespace.changes = (*namespace.changes, (self.option_strings[0], values))


def run(args: argparse.Namespace) -> int:
    shared.refuse_stdout(args)
    if not args.changes:
        raise editor_app.Refused(f"no change given: use one of {', '.join(_OPTIONS)}")
    document = shared.opened(args, args.files)
    if args.in_place and document.expansion is not None:
        raise editor_app.Refused(
            "a xacro file cannot be edited: write the expanded URDF with -o OUT.urdf"
        )
    changes = [_change(document, flag, text) for flag, text in args.changes]
    written: Sequence[Path] = ()
    if args.output is not None or args.in_place:
        texts = robot_texts.texts_beside(
            document, args.output or document.urdf_path or Path("robot.urdf")
        )
        written = editor_app.write_assembly(
            texts, overwrite=args.force, in_place=args.in_place, inputs=args.read
        )
    record = {"changes": changes, "written": [str(path) for path in written]}
    give_lines(record, args.format, [*changes, *written_lines(args, written)])
    return 0


def _sides(document: editor_app.Document, text: str) -> tuple[str, str, str]:
    """What is before and behind the `=` of an option: of several, the first one with most names of
    the robot."""
    urdf = document.robot.urdf
    names = {*(link.name for link in urdf.links), *(joint.name for joint in urdf.joints)}
    names |= {frame.frame_name for frame in document.robot.xrdf.added_frames}
    places = [place for place, character in enumerate(text) if character == "="]
    splits = [(text[:place], "=", text[place + 1 :]) for place in places] or [(text, "", "")]

    def count_names(sides: tuple[str, str, str]) -> int:
        return sum(side in names for side in (sides[0], sides[0].rpartition(":")[0], sides[2]))

    return max(splits, key=count_names) if text not in names else (text, "", "")


def _change(document: editor_app.Document, flag: str, text: str) -> str:
    """Makes one change; gives its line of the report. Raises Refused, CannotApply."""
    value, _, make = _OPTIONS[flag]
    first, equals, second = _sides(document, text)
    if not first or bool(equals) != ("=" in value) or (equals and not second):
        raise editor_app.Refused(f"{flag} wants {value}, not {text!r}")
    made = make(document, first, second) if equals else make(document, first)
    step = made if isinstance(made, ToldChange) else ToldChange(made)
    document.execute(step.change)
    return step.change.label + (f": {step.told}" if step.told else "")
