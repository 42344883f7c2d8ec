"""`python -m tests.endurance PROGRAM [--count N] [--seed N]`; `--help` lists the programs and what
each of them proves.

A program prints its figures and ends with 1 when a promise was broken. Short versions of all run
with the tests. Those that open windows need a display (on a server: xvfb-run -a -s "-screen 0
1920x1080x24" python -m tests.endurance).
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys

import tests.endurance


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance", description=__doc__)
    programs = parser.add_subparsers(dest="program", required=True, metavar="PROGRAM")
    names = [
        m.name for m in pkgutil.iter_modules(tests.endurance.__path__) if not m.name.startswith("_")
    ]
    # What forks a child for each try is the quicker the less it has loaded: no windows for what
    # saves.
    asked = [name for name in names if sys.argv[1:2] == [name.replace("_", "-")]]
    for name in asked or names:
        program = importlib.import_module(f"tests.endurance.{name}")
        if not hasattr(program, "run"):
            continue
        summary = (program.__doc__ or "").partition("\n")[0]
        sub = programs.add_parser(name.replace("_", "-"), help=summary, description=program.__doc__)
        sub.add_argument("--seed", type=int, default=1)
        program.add_arguments(sub)
        sub.set_defaults(run=program.run)
    options = parser.parse_args()
    code: int = options.run(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
