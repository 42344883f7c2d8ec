"""Hooks of mkdocs that make the web site of the manual, whose pages the window and a forge show as
they are."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ICON = Path(__file__).resolve().parent.parent / "resources" / "icons" / "xrdf-editor.svg"
#: A code as heading, and the title in the line below it.
_FINDING = re.compile(r"^## (?P<code>[A-Z]+\d{3})\n\n\*\*(?P<title>.+?)\.\*\* ?", re.MULTILINE)
_CARDS = re.compile(r"(?:^- \*\*\[.*\n)+", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the program's icon, which is outside of the manual's folder."""
    files.append(File.generated(config, "pictures/icon.svg", abs_src_path=str(ICON)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show the entry points of the first page as cards, and the title of a finding in its
    heading."""
    if page.file.src_uri == "index.md":
        return _CARDS.sub(
            lambda cards: f'<div class="grid cards" markdown>\n\n{cards[0]}\n</div>\n', markdown
        )
    # The anchor stays the code: links from findings, SARIF and text editors lead to it.
    return _FINDING.sub(
        lambda entry: f"## {entry['code']}: {entry['title']} {{#{entry['code'].lower()}}}\n\n",
        markdown,
    )
