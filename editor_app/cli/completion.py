"""`xrdf-editor completion`: prints a script that completes commands, options, choices and files in
a shell.

For bash, `xrdf-editor completion bash > ~/.local/share/bash-completion/completions/xrdf-editor`;
for zsh to `_xrdf-editor` in a folder of `$fpath`; for fish to
`~/.config/fish/completions/xrdf-editor.fish`; for PowerShell and tcsh to their profile. The script
has the commands of this version: write it again after an update.
"""

from __future__ import annotations

import argparse

import shtab

from editor_app import cli
from editor_app.cli._output import give_text

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done"}

#: As shtab calls them.
_SHELLS = ("bash", "zsh", "fish", "powershell", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=_SHELLS, help="the shell")


def run(args: argparse.Namespace) -> int:
    program = argparse.ArgumentParser(prog="xrdf-editor")
    listed = program.add_subparsers()
    for name in cli.list_commands():
        command = listed.add_parser(
            name, parents=[cli.parser_of(name)], add_help=False, help=cli.read_summary(name)
        )
        for action in command._actions:
            if action.choices is None and action.nargs != 0:
                # Names of links and numbers are not known to a shell; most values are files.
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    give_text(shtab.complete(program, args.shell))
    return 0
