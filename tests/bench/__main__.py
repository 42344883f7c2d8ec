"""Runs the benchmarks: `python -m tests.bench` all of them, `python -m tests.bench rules xrdf`
those.

Those that open a window need a display (on a server: xvfb-run -a -s "-screen 0 1920x1080x24" python
-m tests.bench).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> int:
    names = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
    chosen = sys.argv[1:] or names
    unknown = [name for name in chosen if name not in names]
    if unknown:
        print(
            f"no such benchmark: {', '.join(unknown)}; there are {', '.join(names)}",
            file=sys.stderr,
        )
        return 2
    failed = []
    for name in chosen:
        print(f"\n== {name}", flush=True)
        if subprocess.run(
            [sys.executable, "-P", "-m", f"tests.bench.bench_{name}"], cwd=FOLDER.parents[1]
        ).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
