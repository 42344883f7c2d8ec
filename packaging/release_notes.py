"""The notes of a release, from the changelog: python3 packaging/release_notes.py [VERSION]

Without a version, or for one that the changelog does not name yet, what stands under *Unreleased*.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def notes(text: str, version: str | None = None) -> str:
    """The section of `version` in a changelog's text, without its heading. Raises ValueError when there is none."""
    sections = {
        match[1]: match[2].strip() for match in re.finditer(r"^## \[?([^\]\s]+).*\n((?:(?!## ).*\n?)*)", text, re.M)
    }
    for name in (version, "Unreleased"):
        if name is not None and sections.get(name):
            return sections[name] + "\n"
    raise ValueError(f"the changelog has no section {version or 'Unreleased'}")


if __name__ == "__main__":
    print(notes(CHANGELOG.read_text(encoding="utf-8"), *sys.argv[1:2]), end="")
