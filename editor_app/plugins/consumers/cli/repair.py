"""`xrdf-editor repair`: fixes a robot for cuRobo (or another program), with the first fix of every
error.

Limits that the URDF lacks come from --limit, then from the manufacturer's URDF (--limits-from).
Other limits are placeholders, which the report calls invented. An oblique axis is moved into the
joint's origin. No frame moves, in any pose.

Without -o or --in-place nothing is written: the report lists the changes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import editor_app
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._output import give_lines
from editor_app.cli._writing import written_lines
from editor_app.core.model.profile import Profile
from editor_app.core.model.urdf import Limit, Urdf
from editor_app.core.verbs import pose_texts

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "no errors remain", 1: "an error remains"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser,
        "the URDF or xacro file; name the XRDF if it is not next to it under the same name; "
        "without an XRDF, "
        "one is drafted",
    )
    parser.add_argument(
        "--profile",
        choices=[profile.value for profile in Profile],
        default="curobo",
        help="default: curobo",
    )
    parser.add_argument(
        "--limits-from", type=Path, metavar="VENDOR.urdf", help="source of missing limits"
    )
    shared.add_repeated(
        parser,
        "--limit",
        "JOINT:KEY=VALUE",
        "a limit of the URDF; KEY is lower, upper, effort or velocity, VALUE such as 2.5, 90deg "
        "or 40mm",
    )
    shared.add_target_arguments(parser, "FOLDER", "output folder of URDF and XRDF")
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    shared.refuse_stdout(args, "URDF and XRDF cannot both", "folder")
    document = shared.opened(args, args.files)
    vendor = _vendor(args.limits_from) if args.limits_from is not None else None
    repaired = editor_app.repair(
        document, profile=Profile(args.profile), vendor=vendor, limits=told_limits(args.limit)
    )
    written = _written(args, document, repaired)
    lines = report_lines(repaired)
    if repaired.texts or written:
        lines += written_lines(args, written, "-o FOLDER or --in-place")
    record = {
        "steps": [str(step) for step in repaired.steps],
        "invented": len(repaired.invented),
        "left": [{"code": each.code, "message": each.message} for each in repaired.remaining],
        "warning": repaired.warning or None,
        "written": [str(path) for path in written],
    }
    give_lines(record, args.format, lines)
    return 1 if repaired.remaining else 0


def told_limits(texts: Sequence[str]) -> dict[str, Limit]:
    """`JOINT:KEY=VALUE`, several of a joint together. Raises ValueError, Refused."""
    limits: dict[str, Limit] = {}
    for text in texts:
        place, equals, number = text.rpartition("=")
        joint, colon, key = place.rpartition(":")
        if (
            not equals
            or not colon
            or not joint
            or key not in ("lower", "upper", "effort", "velocity")
        ):
            raise ValueError(
                f"--limit needs JOINT:KEY=VALUE, such as elbow:velocity=2, not {text!r}"
            )
        value = pose_texts.number_in(number, f"--limit {text!r}")
        limits[joint] = replace(limits.get(joint, Limit()), **{key: value})
    return limits


def report_lines(repaired: editor_app.Repair) -> list[str]:
    """List the changes, the invented numbers, and the remaining errors."""
    lines = [str(step) for step in repaired.steps]
    lines += [f"left: {finding.code}: {finding.message}" for finding in repaired.remaining]
    fixed, left = len(repaired.steps), len(repaired.remaining)
    invented = len(repaired.invented)
    lines.append(f"{fixed} fixed, {invented} with invented numbers; {left} errors remain")
    return [*lines, repaired.warning] if repaired.warning else lines


def _vendor(path: Path) -> Urdf:
    from editor_app.core.formats.urdf import read_urdf
    from editor_app.core.text.source import SourceText

    return read_urdf(SourceText.read(path)).value


def _written(
    args: argparse.Namespace, document: editor_app.Document, repaired: editor_app.Repair
) -> tuple[Path, ...]:
    if args.output is not None:
        return editor_app.write_repaired(
            document, repaired, args.output, overwrite=args.force, inputs=args.read
        )
    if not args.in_place:
        return ()
    document.replace_texts(repaired.texts, repaired.label)
    return editor_app.save(document, inputs=args.read)
