"""Fill in the recipes for package managers: python3 packaging/recipe.py OWNER/REPOSITORY SHA256SUMS
OUT

`packaging/recipes` has them with VERSION, DATE, OWNER/REPOSITORY and the names of the files whose
digests they need. These come from SHA256SUMS of a release.
"""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

import release_notes

RECIPES = Path(__file__).resolve().parent / "recipes"


def filled(text: str, repository: str, version: str, sums: dict[str, str]) -> str:
    """Return a recipe for one release. Raises ValueError for a file that the release does not
    have."""
    text = text.replace("VERSION", version).replace("OWNER/REPOSITORY", repository)
    text = text.replace("OWNER", repository.partition("/")[0]).replace(
        "DATE", date.today().isoformat()
    )
    missing = [name for name in re.findall(r"SHA256:([\w.-]+)", text) if name not in sums]
    if missing:
        raise ValueError(f"the release has no {', '.join(missing)}")
    return re.sub(r"SHA256:([\w.-]+)", lambda match: sums[match[1]], text)


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    repository, sums, out = arguments[0], Path(arguments[1]), Path(arguments[2])
    lines = (line.split() for line in sums.read_text(encoding="utf-8").splitlines())
    digests = {name: digest for digest, name in lines}
    out.mkdir(parents=True, exist_ok=True)
    version, failed = release_notes.versions(release_notes.ROOT)["editor_app/version.py"], False
    for recipe in sorted(path for path in RECIPES.iterdir() if path.suffix != ".md"):
        try:
            text = filled(recipe.read_text(encoding="utf-8"), repository, version, digests)
        except ValueError as error:
            failed = True
            print(f"{recipe.name}: {error}", file=sys.stderr)
            continue
        (out / recipe.name).write_text(text, encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
