"""THIRD_PARTY.md: the licences of everything that a bundle brings along, taken from the installed
packages."""

from __future__ import annotations

from email.message import Message
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import cast

_HEAD = """\
# Third-party software

A bundle of XRDF Editor holds Python itself (PSF licence, https://docs.python.org/3/license.html) and these packages.
Qt and PySide6 are used under the LGPL-3.0: their libraries are separate files below `PySide6` and `shiboken6`, and may
be replaced there by other builds of the same version. Their sources: https://download.qt.io. The icons are Phosphor's,
under the MIT licence in `resources/icons/phosphor`.

| package | version | licence | home |
|---|---|---|---|
"""
#: Not part of the program: what makes the bundle, and the environment itself.
_TOOLS = frozenset(
    {"pyinstaller", "pyinstaller-hooks-contrib", "altgraph", "setuptools", "pip", "uv", "wheel"}
)


def notices() -> str:
    """The table of packages installed beside this interpreter, and under it the full text of their
    licences."""
    packages = sorted(_packages(), key=lambda package: package.name.lower())
    rows = [f"| {p.name} | {p.version} | {licence_of(p)} | {home_of(p)} |" for p in packages]
    texts = [
        f"\n## {p.name} {p.version}\n\n```\n{text}\n```\n"
        for p in packages
        if (text := licence_text(p))
    ]
    return _HEAD + "\n".join(rows) + "\n" + "".join(texts)


def _packages() -> list[Distribution]:
    return [d for d in distributions() if d.name and d.name.lower() not in _TOOLS]


def _metadata(package: Distribution) -> Message:
    # The type stubs name a protocol with half of the methods that the object, an email message,
    # has.
    return cast(Message, package.metadata)


def licence_of(package: Distribution) -> str:
    """The licence's short name: the expression, the classifiers, or the first line of the field."""
    metadata = _metadata(package)
    expression = metadata.get("License-Expression")
    if expression:
        return expression
    classifiers = [
        c.rpartition(" :: ")[2]
        for c in metadata.get_all("Classifier") or []
        if c.startswith("License ::")
    ]
    if classifiers:
        return ", ".join(dict.fromkeys(classifiers))
    lines = (metadata.get("License") or "see below").strip().splitlines()
    return lines[0][:80].replace("|", "/") if lines else "see below"


def home_of(package: Distribution) -> str:
    """The address of the package's home page, or of its page on PyPI."""
    metadata = _metadata(package)
    for entry in metadata.get_all("Project-URL") or []:
        label, _, address = entry.partition(",")
        if label.strip().lower() in ("homepage", "home", "repository", "source", "source code"):
            return address.strip()
    return metadata.get("Home-page") or f"https://pypi.org/project/{package.name}/"


def licence_text(package: Distribution) -> str:
    """All licence files of the package, one after the other; empty when it ships none."""
    names = ("license", "licence", "copying", "notice", "authors")
    texts = []
    for file in package.files or ():
        stem = Path(str(file)).name.lower()
        if ".dist-info" in str(file) and stem.startswith(names):
            path = Path(str(package.locate_file(file)))
            if path.is_file():
                texts.append(path.read_text(encoding="utf-8", errors="replace").strip())
    return "\n\n".join(dict.fromkeys(texts)).replace("```", "'''")


if __name__ == "__main__":
    print(notices())
