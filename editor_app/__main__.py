"""One command for window and command line: `xrdf-editor [FILE…]` opens the window, `xrdf-editor check FILE` does not.

Nothing heavy is imported before it is known what is wanted: help and version answer at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

_USAGE = """\
usage: xrdf-editor [ROBOT.urdf] [ROBOT.xrdf]
       xrdf-editor COMMAND [ARGUMENTS]

Edit a robot description: opens the window, on the files when some are named.

{commands}options:
  -h, --help         show this text; after a command, that command's
  --version          show the version
  --xacro-arg NAME:=VALUE
                     argument of a xacro file that is opened
  --demo-out FOLDER  drive the window by itself: move a sphere, leave the saved copy
                     and a picture of the window in FOLDER
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Dispatch to the window or to a command; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in ("-h", "--help"):
        print(_usage())  # noqa: T201
        return 0
    if given and given[0] == "--version":
        from editor_app import __version__

        print(f"xrdf-editor {__version__}")  # noqa: T201
        return 0
    if given and not given[0].startswith("-"):
        from editor_app import cli

        # A file in the current folder that bears a command's name is opened as ./NAME, as with every such program.
        if given[0] in cli.commands():
            return cli.run_command(given[0], given[1:])
    from editor_app.gui.app import main as open_window

    return open_window(given)


def _usage() -> str:
    from editor_app import cli

    lines = [f"  {name:17}  {cli.summary(name)}\n" for name in cli.commands()]
    return _USAGE.format(commands="commands:\n" + "".join(lines) + "\n" if lines else "").rstrip()


if __name__ == "__main__":
    sys.exit(main())
