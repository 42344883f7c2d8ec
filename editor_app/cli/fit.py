"""`xrdf-editor fit`: fits collision spheres to the links of a robot, in several processes.

The report goes to standard output, progress to standard error; the XRDF is written only with -o.
Exit code 0: done; 1: done, but a surface that was to be covered stays open; 2: could not be done; 130: interrupted.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from editor_app.edit.document import Document
    from editor_app.fitting.robot import LinkFit, LinkJob, LinkMesh
    from editor_app.fitting.settings import FitSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urdf", type=Path, metavar="ROBOT.urdf")
    parser.add_argument("xrdf", type=Path, nargs="?", metavar="XRDF", help="default: the one beside the URDF, or new")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.xrdf", help="where to write the XRDF")
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--spheres", type=int, metavar="N", help="spheres per link")
    amount.add_argument("--tolerance", type=float, metavar="MM", help="greatest protrusion in millimetres")
    amount.add_argument(
        "--budget", type=int, metavar="TOTAL", help="spheres in all, shared out to where they help most"
    )
    parser.add_argument("--links", metavar="A,B", help="only these links (default: all that have geometry)")
    parser.add_argument(
        "--geometry", choices=("collision", "visual"), default="collision", help="what to fit to (default: collision)"
    )
    parser.add_argument("--mode", choices=("cover", "balanced", "inside"), default="cover", help="default: cover")
    parser.add_argument("--effort", choices=("fast", "normal", "best"), default="normal", help="default: normal")
    parser.add_argument("--padding", type=float, default=0.0, metavar="MM", help="added to every radius, millimetres")
    parser.add_argument("--seed", type=int, default=0, help="same input and seed: same spheres")
    parser.add_argument(
        "--group", help="geometry group that the spheres go to (default: that of the collision section)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per processor)")
    parser.add_argument("--report", choices=("json", "html"), default="json", help="what is written to standard output")


def run(args: argparse.Namespace) -> int:
    from editor_app.edit.opening import open_robot
    from editor_app.edit.saving import SaveError
    from editor_app.fitting.settings import FittingError
    from editor_app.formats.source import FormatError
    from editor_app.model.change import CannotApply

    try:
        document = open_robot(args.urdf, args.xrdf)
        return _fit(args, document)
    except (FormatError, FittingError, SaveError, CannotApply, _Refused) as error:
        print(f"xrdf-editor fit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nxrdf-editor fit: interrupted; nothing was written.", file=sys.stderr)
        return 130


class _Refused(Exception):
    """What was asked for cannot be done; the text says why."""


def _fit(args: argparse.Namespace, document: Document) -> int:
    from editor_app.cli import _fit_report
    from editor_app.edit.saving import SaveError, save
    from editor_app.fitting.budget import usual_budget
    from editor_app.operations.fit_changes import fitted_change, group_for_fit
    from editor_app.operations.link_fits import as_spheres
    from editor_app.operations.robot_fit import PlanRobot

    start = time.perf_counter()
    robot = document.robot
    settings = _settings(args)
    _check_output(args.output, document)
    if args.group is not None and robot.xrdf.group(args.group) is None:
        known = ", ".join(g.name for g in robot.xrdf.geometry or ()) or "none"
        raise _Refused(f"there is no geometry group {args.group!r} (there are: {known})")
    group = group_for_fit(robot, args.group)
    bar = _Bar(sys.stderr)
    bar.show(0.0, "loading the geometry")
    meshes, used, skipped = _meshes(args, document)
    if not meshes:
        bar.clear()
        raise _Refused("no link has geometry to fit to: " + "; ".join(f"{s['link']}: {s['reason']}" for s in skipped))
    budget = args.budget
    if args.spheres is None and args.tolerance is None and budget is None:
        budget = usual_budget(len(meshes))
    jobs = PlanRobot(tuple(meshes), settings, budget)(bar)
    fits: dict[str, LinkFit] = {}
    for done, found in enumerate(_run(jobs, args.jobs)):
        fits.update({fit.link: fit for fit in found})
        bar.show((done + 1) / len(jobs), ", ".join(fit.link for fit in found))
    bar.clear()
    ordered = [fits[mesh.link] for mesh in meshes]
    spheres = {f.link: as_spheres(f.result.spheres, args.mode) for f in ordered if len(f.result.spheres)}
    before = robot.xrdf.spheres_of(group)
    unsaved: SaveError | None = None
    if args.output is not None:
        if spheres:
            document.execute(fitted_change(robot, group, spheres, "Fit spheres"))
        try:
            save(document, args.output, overwrite_foreign=True)
        except SaveError as error:
            # What took minutes is told all the same: the report has the spheres.
            unsaved = error
    # Links that share a mesh share the time, too.
    cpu = sum(f.result.cpu_seconds / (1 + len(f.shared_with)) for f in ordered)
    report: dict[str, Any] = {
        "robot": robot.urdf.name,
        "urdf": str(args.urdf),
        "output": str(args.output) if args.output is not None and unsaved is None else None,
        "group": group,
        "settings": {
            "spheres": args.spheres,
            "tolerance_mm": args.tolerance,
            "budget": budget,
            "mode": args.mode,
            "effort": args.effort,
            "seed": args.seed,
            "geometry": args.geometry,
        },
        "total": {
            "count": sum(len(f.result.spheres) for f in ordered),
            "cpu_seconds": round(cpu, 3),
            "wall_seconds": round(time.perf_counter() - start, 3),
        },
        "links": [
            _fit_report.record(f, len(before.get(f.link, ())), used[f.link], spheres.get(f.link, ())) for f in ordered
        ],
        "skipped": skipped,
    }
    sys.stdout.write(_fit_report.as_html(report, meshes) if args.report == "html" else _fit_report.as_json(report))
    if unsaved is not None:
        raise unsaved
    proofs = [f.result.certificate for f in ordered]
    return 1 if any(proof is not None and not proof.certified for proof in proofs) else 0


def _check_output(output: Path | None, document: Document) -> None:
    """Says before the work what would fail after it. Raises _Refused."""
    if output is None:
        return
    urdf = document.urdf_path
    if urdf is not None and _same(output, urdf):
        raise _Refused(f"{output} is the URDF: give the XRDF another name")
    if output.is_dir():
        raise _Refused(f"{output} is a folder: give the name of a file")
    folder = output.absolute().parent
    if not folder.is_dir():
        raise _Refused(f"the folder {folder} is not there: make it first, or choose another")
    if not os.access(output if output.exists() else folder, os.W_OK):
        raise _Refused(f"{output} cannot be written: choose another place, or change its permissions")


def _same(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:
        return False


def _settings(args: argparse.Namespace) -> FitSettings:
    from editor_app.fitting.settings import FitSettings

    if args.jobs is not None and args.jobs < 1:
        raise _Refused(f"--jobs must be at least 1, not {args.jobs}")
    if not math.isfinite(args.padding):
        raise _Refused(f"--padding must be a length in millimetres, not {args.padding}")
    tolerance = args.tolerance / 1000 if args.tolerance is not None else None
    # Of a budget, the plan finds the number for each link.
    number = None if tolerance is not None else args.spheres if args.spheres is not None else 1
    return FitSettings(
        number=number,
        tolerance_m=tolerance,
        mode=args.mode,
        effort=args.effort,
        padding=args.padding / 1000,
        seed=args.seed,
    )


def _meshes(
    args: argparse.Namespace, document: Document
) -> tuple[list[LinkMesh], dict[str, str], list[dict[str, str]]]:
    """Geometry per link in its frame, which kind was used, and what was left out with the reason."""
    from editor_app.fitting.robot import LinkMesh
    from editor_app.geometry.link_geometry import MeshStore, link_geometry, merged

    urdf = document.robot.urdf
    names = [link.name for link in urdf.links]
    if args.links is not None:
        # Each once, however often it is named.
        wanted = list(dict.fromkeys(name.strip() for name in args.links.split(",") if name.strip()))
        if not wanted:
            raise _Refused("--links names no link: write --links A,B")
        unknown = [name for name in wanted if name not in names]
        if unknown:
            raise _Refused(f"there is no link {', '.join(unknown)}; the links are: {', '.join(names)}")
        names = wanted
    store = MeshStore(document.urdf_path)
    other = "visual" if args.geometry == "collision" else "collision"
    meshes, used, skipped = [], {}, []
    for name in names:
        found = link_geometry(urdf, document.urdf_path, name, args.geometry, store=store)
        if not found.triangles:
            link = urdf.link(name)
            has_other = link is not None and bool(link.visuals if other == "visual" else link.collisions)
            reason = "; ".join(f.message for f in found.findings) or f"it has no {args.geometry} geometry"
            if not found.findings and has_other:
                reason += f" (--geometry {other} would use its {other} geometry)"
            skipped.append({"link": name, "reason": reason})
            continue
        for finding in found.findings:
            print(f"xrdf-editor fit: {name}: {finding.message}", file=sys.stderr)
        vertices, faces = merged(found.parts)
        meshes.append(LinkMesh(name, vertices, faces))
        used[name] = args.geometry
    return meshes, used, skipped


def _run(jobs: list[LinkJob], processes: int | None) -> Any:
    """Lists of LinkFit as they are done, in several processes when it is worth it."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import active_children, get_context

    from editor_app.fitting.robot import run_job

    count = min(len(jobs), processes or os.cpu_count() or 1)
    if count <= 1:
        for job in jobs:
            yield run_job(job)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_leave_interrupts) as pool:
        futures = [pool.submit(run_job, job) for job in jobs]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            # What they do takes up to minutes, and nobody wants it any more.
            for process in active_children():
                process.terminate()
            raise


def _leave_interrupts() -> None:
    """Ctrl-C goes to every process of a terminal: the first one ends the others."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Bar:
    """One line on a terminal that is written over; nothing but the ends of the work elsewhere."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._live = bool(getattr(stream, "isatty", lambda: False)())
        self._start = time.monotonic()
        self._last = ""

    def show(self, fraction: float, text: str) -> None:
        filled = round(24 * max(0.0, min(1.0, fraction)))
        line = f"[{'#' * filled}{'.' * (24 - filled)}] {100 * max(0.0, fraction):3.0f} %  {text}"
        if self._live:
            spent = time.monotonic() - self._start
            left = f"  {spent * (1 - fraction) / fraction:.0f} s left" if 0.05 < fraction < 1 and spent > 1 else ""
            self._stream.write("\r\x1b[K" + (line + left)[:118])
        elif line != self._last:
            self._stream.write(line + "\n")
        self._last = line
        self._stream.flush()

    # What a job calls its report.
    progress = show

    def partial(self, value: object) -> None:
        """Nothing to show."""

    def clear(self) -> None:
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
