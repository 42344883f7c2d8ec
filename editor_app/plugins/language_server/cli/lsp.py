"""`xrdf-editor lsp`: a language server for text editors, over standard input and output (extra
lsp)."""

from __future__ import annotations

import argparse

from editor_app.core.model.profile import Profile

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "the editor closed it"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        choices=[profile.value for profile in Profile],
        default="specification",
        help="the program that will read the files",
    )
    parser.add_argument(
        "--stdio", action="store_true", help="accepted for editors that pass it; the only transport"
    )


def run(args: argparse.Namespace) -> int:
    from editor_app.plugins.language_server.server import make_server

    make_server(Profile(args.profile)).start_io()
    return 0
