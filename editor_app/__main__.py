"""One command for window and command line: `xrdf-editor [FILE…]` opens the window, `xrdf-editor
check FILE` does not.

Nothing heavy is imported before it is known what is wanted: help and version answer at once.
Nothing but what Python has loaded already is imported before the current folder is off the path: a
module in the folder of a downloaded robot must not be run.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_USAGE = """\
usage: xrdf-editor [ROBOT.urdf] [ROBOT.xrdf]
       xrdf-editor COMMAND [ARGUMENTS]

Edit a robot description: opens the window, with the named files.

{commands}options:
  -h, --help         show this text; after a command, that command's, as `help COMMAND`
  -V, --version      show the version; with --verbose, of Python and the libraries
                     as well, for bug reports
  --xacro-arg NAME:=VALUE
                     argument of a xacro file that is opened
  --without NAME     run without a plug-in; before any command
  --demo-out FOLDER  demo of the window: move a sphere, save a copy
                     and a picture of the window in FOLDER
"""


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Dispatch to the window or to a command; returns the exit code."""
    if arguments is None:
        # The program itself; another program that calls this keeps its own path.
        leave_out_current_folder()
        use_one_thread_for_matrices()
    words = list(sys.argv[1:] if arguments is None else arguments)
    while words[:1] == ["--without"]:
        if not _exclude(words[1:2]):
            return 2
        words = words[2:]
    if words and words[0] in ("-h", "--help", "help"):
        from editor_app import cli

        if words[1:] and cli.is_command(words[1]):
            return cli.run_command(words[1], ["--help"])
        return _show(_usage())
    if words and words[0] in ("-V", "--version"):
        from editor_app.version import __version__

        if words[1:] == ["--verbose"]:
            from editor_app.core.verbs.versions import versions

            return _show("\n".join(f"{name:12}  {version}" for name, version in versions().items()))
        return _show(f"xrdf-editor {__version__}")
    if words and not words[0].startswith("-"):
        from editor_app import cli

        # A file in the current folder that bears a command's name is opened as ./NAME, as with
        # every such program.
        if cli.is_command(words[0]):
            return cli.run_command(words[0], words[1:])
        if words[0].isidentifier() and not os.path.lexists(words[0]):
            return cli.refuse_unknown(words[0])
    from editor_app.core.libraries import missing_for_window

    missing = missing_for_window()
    if missing is not None:
        print(f"xrdf-editor: {missing}", file=sys.stderr)  # noqa: T201
        return 2
    from editor_app.window.app import run_window as open_window

    return open_window(words)


def _show(text: str) -> int:
    """Print a text; the exit code: 2 if the reader of the output has left, as `head` does."""
    try:
        print(text, flush=True)  # noqa: T201
    except BrokenPipeError:
        # At its end Python would try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return 0


def _exclude(names: "Sequence[str]") -> bool:
    """Leave the named plug-ins out; refuse a name that does not exist, with a sentence, by
    returning False."""
    from editor_app.core import feature

    try:
        for name in names:
            feature.exclude(name)
    except KeyError:
        listed = ", ".join(sorted(each.name for each in feature.features()))
        print(f"xrdf-editor: unknown plug-in {names[0]}. Choose one of: {listed}.", file=sys.stderr)  # noqa: T201
        return False
    return True


def leave_out_current_folder() -> None:
    """Take the current folder off the path of imports, here and in all processes started from here.

    `python -m` puts it first, an empty or relative entry of PYTHONPATH puts it or a folder below it
    somewhere. A checkout or site-packages that happens to be the current folder stays: the program
    itself is imported from there.
    """
    program_folder = os.path.realpath(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    listed = os.environ.get("PYTHONPATH")
    entries = [] if listed is None else listed.split(os.pathsep)
    unwanted = {os.path.realpath(entry) for entry in ("", *entries) if not os.path.isabs(entry)} - {
        program_folder
    }
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) not in unwanted]
    if listed is not None:
        os.environ["PYTHONPATH"] = os.pathsep.join(
            entry for entry in entries if os.path.isabs(entry)
        )
    # Workers are started with `python -c`, which puts the current folder first just the same.
    os.environ["PYTHONSAFEPATH"] = "1"


def use_one_thread_for_matrices() -> None:
    """Keep numpy's and scipy's OpenBLAS, here and in all processes started from here, from making
    threads of its own.

    Its threads wait for the next product by spinning. Matrices are small here, so that they took up
    to a third of a command's CPU time, and where several processes fit at once, time from each
    other. A user's own choice stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _usage() -> str:
    from editor_app import cli

    lines = [f"  {name:17}  {cli.read_summary(name)}\n" for name in cli.list_commands()]
    return _USAGE.format(commands="commands:\n" + "".join(lines) + "\n" if lines else "").rstrip()


if __name__ == "__main__":
    sys.exit(main())
