"""Reports for people: a page of HTML that needs nothing else, of paragraphs, lists, tables and
curves.

What a report tells is plain text, and stands as it is on the page; `Markup` is HTML already.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence

_STYLE = """
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif;
  --line: #8884; --quiet: #777; --bad: #c62828; --good: #1b7837; }
body { margin: 2em auto; max-width: 80em; padding: 0 1em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15em .6em; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 500; } td.n { text-align: right; white-space: nowrap; }
figure { display: inline-block; margin: 0 1em 1em 0; vertical-align: top; }
.curve { width: 100%; height: 10em; background: #8881; border-radius: 6px; display: block; }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); } .quiet, figcaption { color: var(--quiet); }
ul { padding-left: 1.2em; } li { overflow-wrap: anywhere; }
"""
#: A number with its unit, or a dash in its place.
FIGURE = re.compile(r"[-–]|[-–]?\d[\d.,]*( ?(mm|%|°|s))?")
_TAG = re.compile("<[^>]*>")
RED = "#c62828"


#: The class of elements that belong to the page alone: a report as text leaves them out.
DRAWN = "drawn"


class Markup(str):
    """HTML, which a page takes as it is."""


def mark_text(text: object, style: str = "", tag: str = "span") -> Markup:
    """Text in an element; `style`: class of CSS, as `bad`, `good` and `quiet`. Without a style no
    span is made."""
    inside = text if isinstance(text, Markup) else Markup(html.escape(str(text)))
    if tag == "span" and not style:
        return inside
    kind = f' class="{style}"' if style else ""
    return Markup(f"<{tag}{kind}>{inside}</{tag}>")


def too_fast(message: str) -> Markup:
    """The paragraph about a limit that a motion exceeds."""
    return mark_text(Markup(mark_text("Too fast:", "bad") + mark_text(f" {message}.")), tag="p")


def build_page(title: str, parts: Iterable[object], style: str = "", heading: str = "") -> str:
    """`parts` below the heading (default: the title): markup, and texts, which are paragraphs.
    `style`: more of CSS."""
    return (
        "\n".join(
            [
                "<!DOCTYPE html>",
                '<html lang="en"><head><meta charset="utf-8">',
                '<meta name="viewport" content="width=device-width">',
                f"<title>{html.escape(title)}</title><style>{_STYLE}{style}</style></head><body>",
                mark_text(heading or title, tag="h1"),
                *(part if isinstance(part, Markup) else mark_text(part, tag="p") for part in parts),
                "</body></html>",
            ]
        )
        + "\n"
    )


def build_list(title: str, entries: Iterable[object], style: str = "", level: str = "h2") -> Markup:
    """A list below its title; nothing where it has no entries."""
    lines = Markup("".join(mark_text(entry, tag="li") for entry in entries))
    return Markup(
        (mark_text(title, tag=level) if title else "") + mark_text(lines, style, "ul")
        if lines
        else ""
    )


def build_table(title: str, head: Sequence[object], rows: Iterable[Sequence[object]]) -> Markup:
    """A table below its title, figures at the right of their cells; nothing where it has no
    rows."""
    lines = [Markup("".join(map(_cell, row))) for row in rows]
    if not lines:
        return Markup()
    names = Markup("".join(mark_text(name, tag="th") for name in head))
    table = Markup(
        "\n".join(mark_text(line, tag="tr") for line in ([names, *lines] if names else lines))
    )
    return Markup((mark_text(title, tag="h2") if title else "") + mark_text(table, tag="table"))


def _cell(value: object) -> Markup:
    is_figure = FIGURE.fullmatch(_TAG.sub("", str(value))) is not None
    return mark_text("" if value is None else value, "n" if is_figure else "", "td")


def as_curves(
    curves: Iterable[tuple[str, Sequence[tuple[float, float]]]], level: float, aria: str
) -> tuple[Markup, float, float]:
    """Curves of (x, y), each with its colour, as SVG as wide as the page, a red line at `level`;
    the least and the greatest y shown. `aria`: the words for people who do not see it. Without two
    finite points nothing is drawn."""
    kept = [(colour, [(x, y) for x, y in points if math.isfinite(y)]) for colour, points in curves]
    every = [point for _, points in kept for point in points]
    if len(every) < 2:
        return Markup(), level, level
    low, high = min(level, *(y for _, y in every)), max(level, *(y for _, y in every))
    span, width = (high - low) or 1.0, max(x for x, _ in every) or 1.0

    def drawn(colour: str, points: Sequence[tuple[float, float]]) -> str:
        places = " ".join(
            f"{1000.0 * x / width:.2f},{95.0 - 90.0 * (y - low) / span:.2f}" for x, y in points
        )
        return (
            f'<polyline points="{places}" fill="none" stroke="{colour}" '
            'vector-effect="non-scaling-stroke"/>'
        )

    lines = drawn(RED, [(0.0, level), (width, level)]) + "".join(drawn(*curve) for curve in kept)
    frame = 'class="curve" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img"'
    return Markup(f'<svg {frame} aria-label="{html.escape(aria)}">{lines}</svg>'), low, high
