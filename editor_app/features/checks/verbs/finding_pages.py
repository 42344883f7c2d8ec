"""The manual's section about a finding: its title, and the text with an example and its fix."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from editor_app.core.resources import manual_folder
from editor_app.core.verbs.versions import project_address

_SECTION = re.compile(r"^## (?P<code>[A-Z]+\d+).*\n+(?P<text>(?:(?!## ).*\n?)*)", re.MULTILINE)

#: Beginning of a finding's code -> its page.
_FINDINGS = (
    (("XRDF",), "xrdf"),
    (("URDF", "TREE", "XML"), "urdf"),
    (("SRDF",), "srdf"),
    (("ROS",), "ros"),
    (("MESH", "FIT", "SAVE"), "meshes"),
    (("TEST",), "tests"),
    (("ISAAC",), "isaac"),
    (("ISAAC",), "isaac"),
)


def page_of_code(code: str) -> str | None:
    """Return page and anchor of a finding's code within the manual, such as
    "findings/xrdf.md#xrdf101"."""
    for prefixes, name in _FINDINGS:
        if code.startswith(prefixes):
            return f"findings/{name}.md#{code.lower()}"
    return None


def address_of_code(code: str) -> str | None:
    """Return the address of a finding's page: on the project's site, else in the installed manual;
    None without one."""
    page = page_of_code(code)
    if page is None:
        return None
    home = project_address("Documentation")
    if home is not None:
        return f"{home.rpartition('/')[0]}/{page}"
    try:
        folder = manual_folder()
    except FileNotFoundError:
        return None
    name, _, anchor = page.partition("#")
    return f"{(folder / name).resolve().as_uri()}#{anchor}"


@lru_cache(maxsize=1)
def finding_pages() -> Mapping[str, str]:
    """Return code -> Markdown of its section, without the heading; empty when the installation
    lacks the manual."""
    try:
        pages = sorted((manual_folder() / "findings").glob("*.md"))
    except FileNotFoundError:
        return {}
    texts = (page.read_text(encoding="utf-8") for page in pages)
    return {
        match["code"]: match["text"].strip() for text in texts for match in _SECTION.finditer(text)
    }


def as_plain_text(markdown: str) -> str:
    """Return a section without the marks of Markdown, for readers that show plain text."""
    text = re.sub(r"^```.*\n?", "", markdown, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(\*\*|`|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*]))", "", text)
    return re.sub(r"\\([_*\[\]`<>#])", r"\1", text).strip()
