"""The manual's files: contents, headings, pages of panels and findings, search. Names of pages are
relative paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from editor_app.core.feature import features
from editor_app.core.resources import changelog, manual_folder
from editor_app.features.checks.verbs.finding_pages import page_of_code

FIRST = "index.md"
#: A page that is made: the last sections of the changelog.
NEWS = "what-is-new.md"
#: The page about keys and mouse: the file has the keys that actions come with, the window shows
#: those that count.
KEYS = "keys.md"
_NEWS_SECTIONS = 2
#: Object name of a dialog -> the page and heading about it.
DIALOGS = {
    "about": NEWS,
    "collision_shapes": "panels/links.md#collision-shapes",
    "attach": "panels/links.md#a-gripper-on-an-arm",
    "broken_file": "start.md#open-a-robot",
    "carry-over": "masks.md#writing-it",
    "compare": "panels/source.md",
    "compare_robots": "journeys.md#did-the-robot-change",
    "conversion": "formats.md#imported-and-exported",
    "crash": "window.md#when-something-goes-wrong",
    "known_parts": "panels/links.md#a-gripper-on-an-arm",
    "decided": "journeys.md#what-was-decided",
    "link_name": "panels/links.md#what-can-be-done-with-a-link",
    "repair": "panels/findings.md",
    "mesh_prefix": "start.md#when-a-mesh-is-missing",
    "message": "start.md#open-a-robot",
    "new_link": "panels/links.md#a-new-link",
    "pairing": "start.md#open-a-robot",
    "picture": "panels/view.md#pictures",
    "preferences": "window.md#preferences",
    "question": "start.md#save",
    "readers": "programs.md",
    "rename_link": "panels/links.md#what-can-be-done-with-a-link",
    "shortcuts": KEYS,
    "sign-name": "panels/self-collision.md",
    "sign-reason": "panels/self-collision.md",
    "write-mask": "masks.md#writing-it",
    "xacro": "formats.md#edited-in-place",
}
_LINK = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)$")
_MARK = re.compile(r"^<!-- plug-in: (\w+) -->$")
_HEADING = re.compile(r"^(#+) (.+)$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page; `anchor` is empty for the title of the page."""

    page: str
    anchor: str
    title: str
    text: str = ""

    @property
    def target(self) -> str:
        return f"{self.page}#{self.anchor}" if self.anchor else self.page


def slug(title: str) -> str:
    """Return the part after the # in a link to a heading, as on the web."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def page_of_panel(panel: str) -> str:
    """The page about a panel of the window, by the id of its dock."""
    return f"panels/{panel}.md"


def page_of_dialog(name: str) -> str:
    """The page about a dialog, by its object name; the first page for one that no page is about."""
    return DIALOGS.get(name, FIRST)


def page_of_finding(code: str) -> str:
    """Page and anchor of a finding's code; the first page for a code of no page."""
    return page_of_code(code) or FIRST


class Manual:
    """Reads the folder once."""

    def __init__(
        self, folder: Path | None = None, generated: Mapping[str, Callable[[], str]] | None = None
    ) -> None:
        """`generated`: pages whose text is made when they are shown. Raises FileNotFoundError
        without the manual."""
        self.folder = folder if folder is not None else manual_folder()
        self._generated = {NEWS: news, **(generated or {})}

    def text(self, page: str) -> str:
        """The Markdown of a page. Raises OSError for a page that is not there."""
        if page in self._generated:
            return self._generated[page]()
        return text_without((self.folder / page).read_text(encoding="utf-8"))

    def has(self, page: str) -> bool:
        """Return whether it is a page of the manual's folder, and of no other."""
        file = (self.folder / page).resolve()
        inside = file.is_relative_to(self.folder.resolve())
        is_page = inside and file.suffix == ".md" and file.is_file()
        return page in self._generated or (is_page and bool(self.text(page).strip()))

    @cached_property
    def contents(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """Return (heading, ((title, page), …)) of the first page, for the headings that list
        pages."""
        groups: list[tuple[str, list[tuple[str, str]]]] = []
        for line in self.text(FIRST).splitlines():
            if line.startswith("## "):
                groups.append((line[3:], []))
            elif groups and (link := _LINK.match(line)) and self.has(link[2]):
                groups[-1][1].append((link[1], link[2]))
        return tuple((heading, tuple(links)) for heading, links in groups if links)

    @cached_property
    def places(self) -> tuple[Heading, ...]:
        """Every heading of every page with the text below it, in the order of the contents."""
        pages = [page for _, links in self.contents for _, page in links]
        return tuple(place for page in pages for place in _places(page, self.text(page)))

    def search(self, words: str, limit: int = 60) -> tuple[Heading, ...]:
        """Places that have all words, first where the heading has them."""
        wanted = words.casefold().split()
        if not wanted:
            return ()
        hits = []
        for order, place in enumerate(self.places):
            title = place.title.casefold()
            if all(word in title or word in place.text for word in wanted):
                hits.append((-sum(word in title for word in wanted), order, place))
        return tuple(place for _, _, place in sorted(hits, key=lambda hit: hit[:2])[:limit])


def text_without(text: str) -> str:
    """Return a page without marks, sections, rows of tables and command lines of plug-ins that are
    left out.

    The line `<!-- plug-in: NAME -->` below a heading marks what stands under it.
    """
    names, lines = {each.name for each in features()}, text.splitlines()
    kept: list[str] = []
    anchors: list[str] = []
    hidden, fenced = 0, False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading is not None and (not hidden or len(heading[1]) <= hidden):
            mark = _MARK.match(following)
            hidden = len(heading[1]) if mark is not None and mark[1] not in names else 0
            anchors += [slug(heading[2])] if hidden else []
        if not hidden and not _MARK.match(line):
            kept.append(line)

    def is_left_out(line: str) -> bool:
        if line.startswith("|"):
            return any(f"(#{each})" in line for each in anchors)
        # A command line has the words of its section's heading.
        return line.startswith("xrdf-editor ") and slug(" ".join(line.split()[:2])) in anchors

    return "".join(f"{line}\n" for line in kept if not is_left_out(line))


def _places(page: str, text: str) -> list[Heading]:
    places: list[Heading] = []
    lines: list[str] = []
    title, anchor, fenced = page, "", False

    def close() -> None:
        if lines or anchor:
            places.append(
                Heading(page, anchor, title, "\n".join(lines).replace("\\", "").casefold())
            )

    for line in text.splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        close()
        lines = []
        title, anchor = heading[2], "" if heading[1] == "#" else slug(heading[2])
    close()
    return places


def news() -> str:
    """The last sections of the changelog as a page, newest first, without headings that nothing
    stands under yet."""
    text = re.sub(
        r"^### .*\n+(?=##|\Z)", "", changelog().read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    told = [section for section in sections if section.partition("\n")[2].strip()]
    return "# What's new\n\n" + "".join(map(_newest_first, told[:_NEWS_SECTIONS]))


def _newest_first(section: str) -> str:
    """What no release has yet was written down as it came: the lists are turned round. A release
    has its own order."""
    if not section.startswith("## Unreleased"):
        return section
    lists = re.split(r"(?=^### )", section, flags=re.MULTILINE)
    return "\n\n".join("".join(_turned(part)).strip() for part in lists) + "\n\n"


def _turned(part: str) -> list[str]:
    head, *items = re.split(r"(?=^- )", part.rstrip() + "\n", flags=re.MULTILINE)
    return [head, *reversed(items)]
