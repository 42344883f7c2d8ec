"""`xrdf-editor mask`: finds which link pairs can collide, with proofs, and judges or writes the mask.

The report goes to standard output, progress to standard error; the XRDF is written only with -o.

Exit code, about the mask of the file as it was read:
0: it hides no collision that is known to be possible, and misses none that is certain;
1: it hides a possible collision (a pair is ignored although it can collide);
3: it misses a certain one (a pair is checked although it overlaps at the default configuration, or always);
4: both;
2: it could not be done.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from editor_app.edit.document import Document
    from editor_app.self_collision.results import Analysis


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("urdf", type=Path, metavar="ROBOT.urdf")
    parser.add_argument("xrdf", type=Path, nargs="?", metavar="ROBOT.xrdf", help="default: the one beside the URDF")
    parser.add_argument("--samples", type=int, metavar="N", help="configurations (default: 100000; 4096 on meshes)")
    parser.add_argument(
        "--certify", type=float, default=10.0, metavar="SECONDS", help="time for proofs, 0 for none (default: 10)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="same input and seed: same samples")
    parser.add_argument(
        "--geometry", choices=("spheres", "hulls", "meshes"), default="spheres", help="what may collide"
    )
    parser.add_argument(
        "--limits", choices=("hard", "soft"), default="hard", help="joint limits: <limit>, or <safety_controller>"
    )
    parser.add_argument(
        "--margin", type=float, default=0.0, metavar="DEGREES", help="taken off both ends of every joint's range"
    )
    parser.add_argument("--margin-linear", type=float, default=0.0, metavar="MM", help="the same for joints that slide")
    parser.add_argument(
        "--locked", action="store_true", help="joints outside the c-space are locked at the default configuration"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.xrdf", help="where to write the XRDF with the mask")
    parser.add_argument(
        "--replace", action="store_true", help="with -o: drop ignored pairs that can collide (default: they stay)"
    )
    parser.add_argument("--reasons", action="store_true", help="with -o: the reason of each pair as a comment")
    parser.add_argument("--mask-default", action="store_true", help="with -o: ignore pairs that overlap at the default")
    parser.add_argument("--mask-always", action="store_true", help="with -o: ignore pairs that always overlap")
    parser.add_argument(
        "--certified-only", action="store_true", help="with -o: add no pair that was only sampled, not proven"
    )
    parser.add_argument("--report", choices=("json", "csv", "html"), default="json", help="default: json")
    parser.add_argument(
        "--package", action="append", default=[], metavar="NAME=FOLDER", help="where package://NAME/ is, for meshes"
    )


class Refused(Exception):
    """What was asked for cannot be done; the text says why."""


def run(args: argparse.Namespace) -> int:
    from editor_app.edit.opening import open_robot
    from editor_app.edit.saving import SaveError
    from editor_app.formats.source import FormatError
    from editor_app.model.change import CannotApply
    from editor_app.operations.pair_distances import NothingToCompare

    try:
        if args.samples is not None and args.samples < 0:
            raise Refused("--samples must not be negative")
        return _mask(args, open_robot(args.urdf, args.xrdf))
    except (FormatError, SaveError, CannotApply, NothingToCompare, ImportError, Refused) as error:
        print(f"xrdf-editor mask: {error}", file=sys.stderr)
        return 2


def _mask(args: argparse.Namespace, document: Document) -> int:
    from editor_app.cli import _mask_report
    from editor_app.edit.saving import save
    from editor_app.operations.mask_changes import ignored_pairs, write_proposal
    from editor_app.self_collision.masks import MaskOptions, MaskState, conflicts, propose_mask

    start = time.perf_counter()
    robot, read_from = document.robot, document.xrdf_path
    bar = ProgressBar(sys.stderr)
    try:
        analysis = _analyse(args, document, bar)
    except KeyboardInterrupt:
        bar.clear()
        return 130
    bar.clear()
    for note in analysis.model.notes:
        print(f"xrdf-editor mask: {note}", file=sys.stderr)
    ignored = ignored_pairs(robot)
    found = conflicts(analysis, ignored)
    hidden = [evidence for evidence, state in found if state is MaskState.CONFLICT]
    missed = [evidence for evidence, state in found if state is MaskState.MISSING]
    options = MaskOptions(
        keep_handmade=not args.replace,
        mask_sampled_only=not args.certified_only,
        decided=_decided(args, analysis),
    )
    proposal = propose_mask(analysis, ignored, options)
    written: Path | None = None
    if args.output is not None:
        write_proposal(document, proposal, with_reasons=args.reasons)
        written = save(document, args.output, overwrite_foreign=True)
    head: dict[str, Any] = {
        "robot": robot.urdf.name,
        "urdf": str(args.urdf),
        "xrdf": str(read_from) if read_from is not None else None,
        "output": str(written) if written is not None else None,
        "settings": {
            "samples": analysis.settings.samples,
            "seed": args.seed,
            "certify_seconds": args.certify,
            "geometry": args.geometry,
            "limits": args.limits,
            "margin_rad": math.radians(args.margin),
            "margin_linear_m": args.margin_linear / 1e3,
            "locked": args.locked,
        },
        "seconds": round(time.perf_counter() - start, 3),
        "complete": analysis.complete,
    }
    report = _mask_report.report(head, analysis, ignored, proposal)
    sys.stdout.write(_mask_report.WRITERS[args.report](report))
    return 4 if hidden and missed else 1 if hidden else 3 if missed else 0


def _analyse(args: argparse.Namespace, document: Document, bar: ProgressBar) -> Analysis:
    from editor_app.operations.pair_distances import mesh_model
    from editor_app.self_collision.analysis import analyse
    from editor_app.self_collision.meshes import analyse_meshes
    from editor_app.self_collision.model import Limits, ModelOptions, Uncontrolled, build_sphere_model
    from editor_app.self_collision.results import AnalysisSettings

    uncontrolled = Uncontrolled.LOCKED if args.locked else Uncontrolled.OVER_LIMITS
    options = ModelOptions(Limits(args.limits), math.radians(args.margin), args.margin_linear / 1e3, uncontrolled)
    usual = 100_000 if args.geometry == "spheres" else 4096
    settings = AnalysisSettings(usual if args.samples is None else args.samples, args.seed, args.certify)
    if args.geometry == "spheres":
        model = build_sphere_model(document.robot, options)
        if not len(model.pairs):
            raise Refused(
                "there are no two frames with collision spheres: fit spheres first, and name their geometry group "
                "in the section self_collision"
            )
        return analyse(model, settings, bar.progress)
    bar.progress(0.0, "Loading the collision meshes")
    solids = mesh_model(
        document.robot,
        document.urdf_path,
        _packages(args.package),
        args.geometry,
        options,
        lambda text: print(f"xrdf-editor mask: {text}", file=sys.stderr),
    )
    return analyse_meshes(solids, settings, bar.progress)


def _packages(entries: list[str]) -> dict[str, Path]:
    found = {}
    for entry in entries:
        name, separator, folder = entry.partition("=")
        if not separator or not name or not folder:
            raise Refused(f"--package wants NAME=FOLDER, not {entry!r}")
        found[name if "://" in name else f"package://{name}"] = Path(folder)
    return found


def _decided(args: argparse.Namespace, analysis: Analysis) -> Any:
    from editor_app.model.frozen import FrozenDict
    from editor_app.self_collision.results import PairClass

    kinds = {kind for kind, on in ((PairClass.DEFAULT, args.mask_default), (PairClass.ALWAYS, args.mask_always)) if on}
    return FrozenDict({e.pair: True for e in analysis if e.kind in kinds})


class ProgressBar:
    """One line on a terminal that is written over; elsewhere a line per stage."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._live = bool(getattr(stream, "isatty", lambda: False)())
        self._start = time.monotonic()
        self._last = ""
        self._shown = 0.0

    def progress(self, fraction: float, sentence: str) -> None:
        now = time.monotonic()
        if self._live:
            if now - self._shown < 0.05 and fraction < 1.0:
                return
            self._shown = now
            filled = round(24 * max(0.0, min(1.0, fraction)))
            spent = now - self._start
            left = f"  {spent * (1 - fraction) / fraction:.0f} s left" if 0.05 < fraction < 1 and spent > 1 else ""
            line = f"[{'#' * filled}{'.' * (24 - filled)}] {100 * max(0.0, fraction):3.0f} %  {sentence}{left}"
            self._stream.write("\r\x1b[K" + line[:118])
        else:
            stage = sentence.partition(":")[0]
            if stage == self._last:
                return
            self._last = stage
            self._stream.write(f"{100 * max(0.0, fraction):3.0f} %  {stage}\n")
        self._stream.flush()

    def clear(self) -> None:
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
