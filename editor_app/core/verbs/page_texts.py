"""The text of a page of HTML, for a terminal: headings, paragraphs, lists and tables in columns."""

from __future__ import annotations

from html.parser import HTMLParser

from editor_app.core.verbs.pages import DRAWN, FIGURE

#: What a terminal does not show: what is drawn, and what explains a drawing.
_LEFT_OUT = frozenset({"style", "title", "svg", "figure", "details"})
_WITHOUT_END = frozenset({"br", "img", "meta"})
_HEADINGS = frozenset({"h1", "h2", "h3"})


def text_of_page(page: str) -> str:
    """Return the text of a page made by `as_page`, without drawings and without elements of the
    class `drawn`."""
    reader = _PageReader()
    reader.feed(page)
    reader.close()
    return "\n".join(reader.lines).strip() + "\n"


def text_table(rows: list[list[str]]) -> list[str]:
    """Return a line per row, cells below each other; figures stand at the right of their column."""
    count = max(map(len, rows), default=0)
    filled = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(map(len, column)) for column in zip(*filled, strict=True)]
    # A column of figures is judged without its head.
    is_right = [
        all(FIGURE.fullmatch(row[k]) or not row[k] for row in filled[1:] or filled)
        for k in range(count)
    ]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, is_right, strict=True)
        ).rstrip()
        for row in filled
    ]


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._left_out = 0
        self._words: list[str] = []
        self._rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _WITHOUT_END:
            if tag == "br" and not self._left_out:
                self._words.append("; ")
            return
        if self._left_out or tag in _LEFT_OUT or DRAWN in (dict(attrs).get("class") or "").split():
            self._left_out += 1
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("p", "li", "td", "th", *_HEADINGS):
            self._words = []

    def handle_endtag(self, tag: str) -> None:
        if tag in _WITHOUT_END:
            return
        if self._left_out:
            self._left_out -= 1
        elif tag in ("td", "th"):
            self._rows[-1].append(self._text())
        elif tag == "table":
            self.lines += [*text_table([row for row in self._rows if row]), ""]
            self._rows = []
        elif tag == "ul":
            self.lines.append("")
        elif tag == "p":
            self.lines += [self._text(), ""]
        elif tag == "li":
            self.lines.append(f"  {self._text()}")
        elif tag in _HEADINGS:
            self.lines.append(self._text())

    def handle_data(self, data: str) -> None:
        if not self._left_out:
            self._words.append(data)

    def _text(self) -> str:
        text = " ".join("".join(self._words).split())
        self._words = []
        return text
