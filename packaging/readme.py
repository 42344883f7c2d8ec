"""Make the README's links absolute, as a package's page needs them: python3 packaging/readme.py HOME COMMIT

HOME is the repository's address on GitHub. The file is changed in place: in a checkout that is only built from.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<target>(?!https?:|#)[^)]+)\)")


def absolute(text: str, home: str, commit: str) -> str:
    """The text with every link to a file of the repository as an address: pictures raw, pages as shown."""

    def address(link: re.Match[str]) -> str:
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['text']}]({home.rstrip('/')}/{kind}/{commit}/{link['target']})"

    return _LINK.sub(address, text)


if __name__ == "__main__":
    README.write_text(absolute(README.read_text(encoding="utf-8"), *sys.argv[1:3]), encoding="utf-8")
