"""The notes of a release, from the changelog: python3 packaging/release_notes.py [VERSION]

Without a version what stands under *Unreleased*; a version that the changelog, the program or the
extension for text editors does not name is refused.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def notes(text: str, version: str = "Unreleased") -> str:
    """The section of `version` in a changelog's text, without its heading. Raises ValueError when
    there is none."""
    sections = {
        match[1]: match[2].strip()
        for match in re.finditer(r"^## \[?([^\]\s]+).*\n((?:(?!## ).*\n?)*)", text, re.M)
    }
    if not sections.get(version):
        raise ValueError(f"the changelog says nothing of {version}")
    return sections[version] + "\n"


def versions(root: Path) -> dict[str, str]:
    """Every place that tells the version -> what it tells."""
    program = (root / "editor_app" / "version.py").read_text(encoding="utf-8")
    extension = json.loads(
        (root / "packaging" / "vscode" / "package.json").read_text(encoding="utf-8")
    )
    dated = re.findall(
        r"^## (\d\S*) - \d{4}-\d\d-\d\d$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.M
    )
    return {
        "editor_app/version.py": "".join(re.findall(r'^__version__ = "(.+)"$', program, re.M)),
        "packaging/vscode/package.json": extension["version"],
        "CHANGELOG.md": dated[0] if dated else "",
    }


def main(arguments: list[str]) -> int:
    for version in arguments:
        others = [
            f"{place} says {said or 'nothing'}"
            for place, said in versions(ROOT).items()
            if said != version
        ]
        if others:
            print(f"{version} cannot be released: {', '.join(others)}.", file=sys.stderr)
            return 1
    try:
        print(notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), *arguments[:1]), end="")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
