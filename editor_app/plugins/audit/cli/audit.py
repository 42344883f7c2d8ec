"""`xrdf-editor audit`: compares published self-collision masks with the shapes of their robots.

For every SRDF and XRDF it lists the ignored pairs that can touch and the checked pairs that cannot,
each with a configuration within the limits, the depth, and the verdict of a second collision
engine: python-fcl, and coal with pinocchio where installed (package `pin`). A patch corrects the
masks.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, give_text, note, print_lines, print_refusal
from editor_app.cli._progress import progress_bar
from editor_app.cli._robot_arguments import add_robot_arguments, opened
from editor_app.cli._writing import add_force_argument, check_targets, write_result
from editor_app.core.model.options import option
from editor_app.core.model.printable import json_text
from editor_app.core.text.source import FormatError
from editor_app.features.checks.verbs.finding_reports import github_text, sarif_text
from editor_app.plugins.audit.verbs import audit as audits
from editor_app.plugins.audit.verbs import audit_page, find_masks, mask_patch

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "no mask ignores a pair that can touch",
    1: "a mask ignores a pair that can touch, or checks one that always touches",
    2: "a mask or its robot cannot be read: standard error gives the reason",
}

#: Seconds before progress is reported.
_PATIENCE = 1.0


@dataclass(frozen=True)
class AuditSettings:
    """Arguments of the verb audit."""

    samples: int = option(4096, "configurations (default: 4096)", "N", least=1)
    certify: float = option(10.0, "CPU time for proofs per mask (default: 10)", "SECONDS", least=0)
    seed: int = option(0, "seed of the configurations (default: 0)", "S")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        nargs="+",
        type=Path,
        metavar="FOLDER|FILE",
        help=(
            "folder: every SRDF and XRDF below it, with the URDF that has its links; or a URDF "
            "with its SRDF or XRDF"
        ),
    )
    add_options(parser, AuditSettings)
    parser.add_argument(
        "--patch",
        dest="output",
        type=Path,
        metavar="FILE",
        help="write a unified diff of the corrected masks, for git apply or patch",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "html", "sarif", "github"),
        default="text",
        help="output format (default: text)",
    )
    parser.add_argument(
        "--no-pictures", action="store_true", help="create no pictures for the HTML page"
    )
    add_force_argument(parser)
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    settings = option_values(args, AuditSettings)
    check_targets(args, args.output)
    folder = next((path for path in args.source if path.is_dir()), None)
    records: list[dict[str, Any]] = []
    pictures: dict[tuple[str, str], bytes] = {}
    findings: list[tuple[Path, editor_app.Finding]] = []
    skipped: list[str] = []
    patches = b""
    for mask in find_masks.find_masks(args.source):
        name = str(mask.path)
        try:
            audit = _audited(args, mask, settings)
            patch = mask_patch.mask_patch(audit, folder)
        except (editor_app.Refused, editor_app.CannotApply, FormatError) as error:
            print_refusal(f"{name}: {error}")
            skipped.append(f"{name}: {error}")
            continue
        patches += patch
        records.append(
            audit_page.audit_record(audit, name, str(mask.urdf), patch.decode("utf-8", "replace"))
        )
        findings += [(mask.path, finding) for finding in audit.findings]
        if args.format == "html" and not args.no_pictures:
            drawn = audit_page.draw_claims(audit, note)
            pictures.update({(name, pair): png for pair, png in drawn.items()})
    if args.output is not None:
        write_result(args, args.output, patches)
        note(
            f"wrote {args.output}"
            if patches
            else f"wrote {args.output}: empty, no mask needs a change"
        )
    _give(args, records, skipped, pictures, findings)
    return 2 if skipped else int(_has_warning(findings))


def _audited(
    args: argparse.Namespace, mask: find_masks.MaskToAudit, settings: dict[str, Any]
) -> audits.Audit:
    if mask.urdf is None:
        raise editor_app.Refused(mask.why)
    document = opened(args, [mask.urdf, mask.path])
    with progress_bar(_PATIENCE) as progress:
        return audits.audit(document, file=mask.kind, **settings, progress=progress)


def _has_warning(findings: Iterable[tuple[Path, editor_app.Finding]]) -> bool:
    return any(finding.severity >= editor_app.Severity.WARNING for _, finding in findings)


def _give(
    args: argparse.Namespace,
    records: list[dict[str, Any]],
    skipped: list[str],
    pictures: dict[tuple[str, str], bytes],
    findings: list[tuple[Path, editor_app.Finding]],
) -> None:
    if args.format == "text":
        for record in records:
            print_lines(*audit_page.audit_lines(record))
    elif args.format == "json":
        give_text(json_text(records))
    elif args.format == "html":
        give_report(
            records,
            "html",
            {"html": lambda printable: audit_page.audit_page(printable, skipped, pictures)},
        )
    elif args.format == "sarif":
        give_text(sarif_text(findings, audits.AUDIT_CODES))
    else:
        give_text(github_text(findings))
