"""Write into the sources where they come from: python3 packaging/stamp.py HOME COMMIT

HOME is the repository's address on GitHub. Before a release is built, in a checkout that is only
built from: the README's links become absolute, as a package's page needs them; both distributions
get the addresses of the project; and `xrdf-editor --version --verbose` names the commit.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<target>(?!https?:|#)[^)]+)\)")


def absolute(text: str, home: str, commit: str) -> str:
    """Return the text with every link to a file of the repository as an address: pictures raw,
    pages as shown."""

    def address(link: re.Match[str]) -> str:
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['text']}]({home}/{kind}/{commit}/{link['target']})"

    return _LINK.sub(address, text)


def with_addresses(project: str, home: str, commit: str) -> str:
    """Return a pyproject.toml with the project's addresses, which a package's page shows."""
    urls = {
        "Homepage": home,
        "Documentation": f"{home}/blob/{commit}/resources/manual/index.md",
        "Changelog": f"{home}/blob/{commit}/CHANGELOG.md",
        "Issues": f"{home}/issues",
    }
    table = "".join(f'{name} = "{address}"\n' for name, address in urls.items())
    return f"{project.rstrip()}\n\n[project.urls]\n{table}"


def with_repository(manifest: str, home: str) -> str:
    """Return the package.json of the extension with the address of the repository."""
    return (
        json.dumps(
            json.loads(manifest) | {"repository": {"type": "git", "url": f"{home}.git"}}, indent=2
        )
        + "\n"
    )


def with_commit(version: str, commit: str) -> str:
    """Return the text of version.py that names the commit. Raises ValueError where it has no place
    for it."""
    text, count = re.subn(r'^COMMIT = ".*"$', f'COMMIT = "{commit}"', version, flags=re.MULTILINE)
    if count != 1 or not re.fullmatch(r"[0-9a-f]{7,40}", commit):
        raise ValueError(f"{commit!r} is no commit, or version.py has no line for one")
    return text


def stamp(root: Path, home: str, commit: str) -> None:
    """Change the files of a checkout in place."""
    home = home.rstrip("/")
    changes: dict[str, Callable[[str], str]] = {
        "README.md": lambda text: absolute(text, home, commit),
        "pyproject.toml": lambda text: with_addresses(text, home, commit),
        "packaging/core/pyproject.toml": lambda text: with_addresses(text, home, commit),
        "packaging/vscode/package.json": lambda text: with_repository(text, home),
        "editor_app/version.py": lambda text: with_commit(text, commit),
    }
    for name, change in changes.items():
        path = root / name
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    stamp(ROOT, *sys.argv[1:3])
