"""`python -P -m tests.opinions PROGRAM`: what other programs say of robots that the editor wrote;
see `--help`.

Prints one line for each robot, and ends with 1 when one was refused or understood otherwise.
"""

from __future__ import annotations

import argparse
import importlib
import sys

_PROGRAMS = (
    "behaviour",
    "consumers",
    "cricket",
    "curobo",
    "fits",
    "gltf",
    "masks",
    "moveit",
    "mutations",
    "planning",
    "plans",
    "proofs",
    "protrusion",
    "queries",
    "readers",
    "sdf_frames",
    "stages",
    "usd_frames",
    "usd_over",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -P -m tests.opinions", description=__doc__)
    programs = parser.add_subparsers(dest="program", required=True, metavar="PROGRAM")
    # A program that is named is imported alone: judges share no code with what they judge, and
    # start at once.
    for name in [each for each in _PROGRAMS if each in sys.argv[1:2]] or _PROGRAMS:
        program = importlib.import_module(f"tests.opinions.{name}")
        summary = (program.__doc__ or "").partition("\n")[0]
        sub = programs.add_parser(
            name,
            help=summary,
            description=program.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if hasattr(program, "add_arguments"):
            program.add_arguments(sub)
        else:
            sub.add_argument("--count", type=int, default=20, help="robots (default: 20; 0: all)")
            sub.add_argument(
                "--only",
                action="append",
                default=[],
                metavar="NAME",
                help="only this robot; repeatable",
            )
        sub.set_defaults(run=program.run)
    options = parser.parse_args()
    code: int = options.run(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
