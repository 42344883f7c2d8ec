"""`xrdf-editor convert`: converts a robot to another format and reports losses."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, give_text, is_stdout, print_lines, remark
from editor_app.cli._robot_arguments import (
    add_format_argument,
    add_robot_arguments,
    packages,
    xacro_arguments,
)
from editor_app.cli._writing import add_force_argument
from editor_app.core.document.body_choices import BodyChoices
from editor_app.core.formats.exchange.codec import MODEL, Conversion, ConvertOptions
from editor_app.core.formats.exchange.conversion import summarize_reports
from editor_app.core.formats.registry import choices, writable
from editor_app.core.text.source import SourceText
from editor_app.core.verbs import convert as conversions

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "written", 1: "with --fail-on-loss: something was lost"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inputs",
        nargs="+",
        type=Path,
        metavar="IN",
        help="URDF, xacro, XRDF, SRDF, cuRobo or Lula YAML, lists of spheres (Bubblify, foam, ballpark, pyroki), "
        "COLLADA robots; several files make one robot",
    )
    parser.add_argument(
        "output",
        type=Path,
        metavar="OUT",
        help="output file; its name or --to sets the format (- for stdout)",
    )
    parser.add_argument("--to", choices=[codec.name for codec in writable()], help="format of OUT")
    add_format_argument(parser, where="on standard error")
    add_force_argument(parser)
    parser.add_argument(
        "--update", action="store_true", help="patch the existing OUT instead of rewriting it"
    )
    parser.add_argument(
        "--fail-on-loss", action="store_true", help="exit with code 1 if something was lost"
    )
    parser.add_argument("--dry-run", action="store_true", help="report only, write nothing")
    add_options(parser, ConvertOptions, "xrdf_version")
    add_options(parser.add_mutually_exclusive_group(), ConvertOptions, "merge_groups", "keep_group")
    # Its former name, for one release.
    parser.add_argument(
        "--robot", dest=MODEL.name, default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    for choice in choices():
        if choice == MODEL:
            continue
        flag = f"--{choice.name.replace('_', '-')}"
        if choice.is_switch:
            parser.add_argument(flag, action="store_true", help=choice.help)
        elif choice.values:
            values = [value for _, value in choice.values if isinstance(value, str)]
            parser.add_argument(flag, choices=values, help=choice.help)
        else:
            parser.add_argument(flag, metavar="NAME", help=choice.help)
    add_options(parser, BodyChoices)
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    try:
        conversion = editor_app.convert(
            args.inputs,
            args.output,
            _options(args),
            bodies=BodyChoices(**option_values(args, BodyChoices)),
            existing=SourceText.read(args.output)
            if args.update and args.output.is_file()
            else None,
            packages=packages(args),
            xacro_arguments=xacro_arguments(args) if args.allow_xacro else None,
        )
        if is_stdout(args.output) and not args.dry_run:
            (_, data), *others = conversion.files
            if others:
                raise editor_app.Refused(
                    f"{len(others) + 1} files cannot all go to standard output: name a file"
                )
            give_text(data.decode("utf-8"))
        elif not args.dry_run:
            updating = args.output if args.update else None
            editor_app.write_conversion(
                conversion, overwrite=args.force, updating=updating, inputs=args.read
            )
    except conversions.NeedsChoice as error:
        raise editor_app.Refused(f"{error}; --group and --state choose") from error
    _report(conversion, args)
    lossless = all(report.is_lossless for report in conversion.reports)
    return 1 if args.fail_on_loss and not lossless else 0


def _options(args: argparse.Namespace) -> ConvertOptions:
    chosen: dict[str, Any] = {choice.name: getattr(args, choice.name) for choice in choices()}
    return ConvertOptions.of(args.to, **option_values(args, ConvertOptions), **chosen)


def _report(conversion: Conversion, args: argparse.Namespace) -> None:
    if args.format == "json":
        files = [str(path) for path, _ in conversion.files]
        value = {
            "files": files,
            "conversions": [report.as_dict() for report in conversion.reports],
            "notes": list(conversion.notes),
        }
        give_report(value, args.format, {}, to_errors=True)
        return
    for report in conversion.reports:
        remark(*report.lines())
    if conversion.reports:
        remark(summarize_reports(conversion.reports))
    remark(*(f"note: {sentence}" for sentence in conversion.notes))
    if not args.dry_run and not is_stdout(args.output):
        print_lines(*(str(path) for path, _ in conversion.files))
