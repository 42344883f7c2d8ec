"""The first file of many robots: `python -m tests.bench.first_files [STEM …] [--fast] [--keep
FOLDER]` prints a table.

From bare URDF, as `xrdf-editor new ROBOT.urdf --fit --mask`: c-space, tools, mount, default
position, spheres, what of the free configurations is refused and of the touching ones let pass (by
the verb itself, in configurations that no search saw), what remains of findings, CPU time. Without
names all of example-robot-data; this takes hours on a small machine. Exit code 1 when an error
remains in a file whose robot has geometry.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from editor_app.core.model.counting import format_percent
from editor_app.core.model.findings import Severity
from editor_app.core.tasks.work import Refused
from editor_app.features.draft.verbs.new import NewSettings, NewXrdf, new
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from tests.helpers.robots import example_urdfs


def _cpu_seconds() -> float:
    """Of this process, and of those that it waited for."""
    return sum(os.times()[:4])


def row(path: Path, made: NewXrdf, seconds: float) -> str:
    """One line of the table."""
    counts = {
        s: sum(f.severity is s for f in made.findings) for s in (Severity.ERROR, Severity.WARNING)
    }
    codes = sorted({f.code for f in made.findings if f.severity is not Severity.INFO})
    pose, fitted = made.pose, made.fit
    mount = fitted.mount if fitted is not None else None
    spheres = sum(map(len, fitted.spheres.values())) if fitted is not None else 0
    cells = (
        path.stem,
        f"{len(made.plan.joints)} of {len(made.plan.positions)}",
        ", ".join(tool.frame for tool in made.plan.tools) or "none",
        f"z = {mount.height:.3f}" if mount is not None else "none",
        "-"
        if pose is None
        else f"{'free' if pose.is_free else 'overlaps'}, margin {pose.margin:.2f}",
        f"{spheres}",
        format_percent(made.cost.needless.value) if made.cost is not None else "-",
        f"{made.cost.wrong.count:,} of {made.cost.wrong.of:,}" if made.cost is not None else "-",
        f"{counts[Severity.ERROR]} / {counts[Severity.WARNING]} {' '.join(codes)}",
        f"{seconds:.0f} s",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stems", nargs="*")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where the files stay, for `tests.opinions`"
    )
    parser.add_argument("--fast", action="store_true", help="fast fits, fewer samples, no proofs")
    options = parser.parse_args()
    errors = 0
    print(
        "| robot | controlled | tools | mount | default position | spheres | refused | let pass | "
        "findings | CPU |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for path in example_urdfs():
        if options.stems and path.stem not in options.stems:
            continue
        started = _cpu_seconds()
        try:
            made = new(
                path,
                settings=NewSettings(
                    True,
                    True,
                    choices=FitChoices(effort="fast" if options.fast else "normal"),
                    samples=20_000 if options.fast else None,
                    certify=0.0 if options.fast else 10.0,
                ),
                processes=1 if options.fast else None,
            )
        except Refused as error:
            print(f"| {path.stem} | {error} |", flush=True)
            continue
        print(row(path, made, _cpu_seconds() - started), flush=True)
        if options.keep is not None:
            (options.keep / f"{path.stem}.xrdf").write_text(made.document.xrdf_text)
        errors += sum(finding.severity is Severity.ERROR for finding in made.findings)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
