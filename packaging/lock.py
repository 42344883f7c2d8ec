"""Remake the lock files from pyproject.toml: python3 packaging/lock.py [--upgrade]

Needs uv. The locks are universal (every platform, every Python from 3.11 on), carry hashes, and name no index, so that
each machine asks its own. Without --upgrade, versions stay where they are unless pyproject.toml demands others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

import environment

COMPILE = [
    *("uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"),
    *("--no-header", "--no-emit-index-url", "--no-emit-find-links"),
]


def commands(upgrade: bool) -> list[list[str]]:
    """The tests' lock first: the editor's and the bundle's are cut from it, so that all agree on every version."""
    compiled = [*COMPILE, *(["--upgrade"] if upgrade else [])]
    common = [*compiled, "pyproject.toml"]
    test, run, bundle, uv, docs, release = (
        path.relative_to(environment.ROOT).as_posix()
        for path in (
            environment.TEST_LOCK,
            environment.RUN_LOCK,
            environment.BUNDLE_LOCK,
            environment.UV_LOCK,
            environment.DOCS_LOCK,
            environment.RELEASE_LOCK,
        )
    )
    return [
        [*common, "--all-extras", "--group", "test", "--group", "docs", "--output-file", test],
        [*common, "--constraints", test, "--output-file", run],
        [*common, "--constraints", test, "--extra", "lsp", "--group", "bundle", "--output-file", bundle],
        [*compiled, "--group", "installer", "--output-file", uv],
        [*compiled, "--constraints", test, "--group", "docs", "--output-file", docs],
        [*compiled, "--group", "release", "--output-file", release],
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that pyproject.toml allows")
    for command in commands(parser.parse_args(arguments).upgrade):
        subprocess.run(command, cwd=environment.ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
