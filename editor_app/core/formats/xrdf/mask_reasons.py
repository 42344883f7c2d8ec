"""Why a pair is masked: XRDF has no place for it, so that it stands in a comment behind the pair.

    ignore:
      base:
        - upper  # Adjacent
      upper: [tool]  # Never

That is how reasons are written, and read. Also read: `base: [a, b]  # a: Adjacent; b: Never`, and
the name before the reason of a single pair. A reason that begins with the name itself gets the name
once more, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from editor_app.core.formats.xrdf.read import XrdfSource, read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError
from editor_app.core.text.yaml import nodes

#: Why links are ignored that a moving joint connects, and links between which only fixed joints
#: lie.
ADJACENT_REASON, RIGID_REASON = "adjacent", "rigid"

_COMMENT = re.compile(r"[ \t]*,?[ \t]+#[ \t]*([^\r\n]*?)[ \t]*(?:\r|\n|\Z)")
#: What YAML takes as text of a comment: printable, and no line break of any kind.
_ONE_LINE = re.compile(
    "[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*"
)
_LINE_ENDS = ("", "\r", "\n")


def comment_of(reason: str, link: str) -> str:
    """The comment behind the entry `link`, with the spaces before it; "" for a reason that is no
    single line."""
    text = reason.strip(" \t")
    if not text or not _ONE_LINE.fullmatch(text):
        return ""
    return f"  # {link}: {text}" if text.startswith(f"{link}: ") else f"  # {text}"


def read_reasons(source: XrdfSource) -> FrozenDict[LinkPair, str]:
    """The reasons behind the entries of `self_collision.ignore`, by pair."""
    reasons: dict[LinkPair, str] = {}
    for frame, others, sequence in _entries(source):
        for other, comment in _comments(source, others, sequence):
            if other != frame and comment:
                reasons.setdefault(LinkPair.of(frame, other), comment)
    return FrozenDict(reasons)


def with_reasons(source: XrdfSource, reasons: Mapping[LinkPair, str]) -> str:
    """The text with the reasons of masked pairs that have none yet; comments that stand there stay.

    A list in brackets gets a line for each pair. A pair stays without its reason where its list has
    comments of its own, or is shared by others; the text says the same as before in any case.
    """
    present = read_reasons(source)
    missing = {pair: reason for pair, reason in reasons.items() if pair not in present}
    text = _with_comments(source, missing)
    if text == source.source.text:
        return text
    try:
        written = read_xrdf(source.source.with_text(text))
    except FormatError:
        return source.source.text
    is_same = written.value == source.value and len(written.findings) <= len(source.findings)
    return text if is_same else source.source.text


def set_reason(source: XrdfSource, pair: LinkPair, reason: str) -> str:
    """Return the text with another reason behind a pair of `self_collision.ignore`; all else stays.

    A list in brackets with several pairs gets a line for each pair. Raises CannotApply for a pair
    that is not ignored, a reason that is no single line, and a list that cannot hold the comment.
    """
    text = source.source.text
    for frame, others, sequence in _entries(source):
        for name, item in others:
            if name is None or name == frame or LinkPair.of(frame, name) != pair:
                continue
            comment = comment_of(reason, name)
            if not comment:
                raise CannotApply(f"the reason must be one line of text: {reason!r}")
            if sequence.flow and text[item.end : sequence.end].count("\n") == 0:
                start, end, new = _with_lines(source, frame, others, sequence, name, comment)
            else:
                start, end, new = _behind(text, item.end, comment)
            changed = text[:start] + new + text[end:]
            if _is_reason_set(source, changed, pair, reason):
                return changed
            line = source.source.line_column(item.start)[0]
            raise CannotApply(
                f"line {line}: no comment can be written behind {name}. Write each pair of {frame} "
                "on its own line"
            )
    raise CannotApply(
        f"{pair.first} and {pair.second} are not ignored, so their pair has no reason"
    )


def _behind(text: str, end: int, comment: str) -> tuple[int, int, str]:
    """(start, end, new text): the comment behind an item that ends its line, in place of an older
    one."""
    old = _COMMENT.match(text, end)
    comma = re.match(r"[ \t]*,", text[end:])
    start = end + (comma.end() if comma is not None else 0)
    return (
        start,
        start if old is None else max(start, len(text[: old.end()].rstrip(" \t\r\n"))),
        comment,
    )


def _with_lines(
    source: XrdfSource,
    frame: str,
    others: list[tuple[str | None, nodes.Node]],
    sequence: nodes.Sequence,
    name: str,
    comment: str,
) -> tuple[int, int, str]:
    """(start, end, new text): a list in brackets as lines, each with its reason; a single pair
    stays in brackets."""
    text = source.source.text
    if len(others) == 1:
        return _behind(text, sequence.end, comment)
    reasons = dict(_comments(source, others, sequence))
    behind = _COMMENT.match(text, sequence.end)
    end = sequence.end if behind is None else len(text[: behind.end()].rstrip(" \t\r\n"))
    # A comment about the list itself stays behind its key.
    about = "" if behind is None or reasons else f"  # {behind.group(1)}"
    newline = "\r\n" if "\r\n" in text else "\n"
    head = text[: sequence.start].rpartition("\n")[2]
    indent = " " * (len(head) - len(head.lstrip(" ")) + 2)
    lines = [
        f"{newline}{indent}- {text[item.start : item.end]}"
        + (comment if each == name else comment_of(reasons.get(each or "", ""), each or ""))
        for each, item in others
    ]
    return len(text[: sequence.start].rstrip(" ")), end, about + "".join(lines)


def _is_reason_set(source: XrdfSource, text: str, pair: LinkPair, reason: str) -> bool:
    """Whether the text means the same as before, with this reason alone changed."""
    try:
        written = read_xrdf(source.source.with_text(text))
    except FormatError:
        return False
    is_same = written.value == source.value and len(written.findings) <= len(source.findings)
    return is_same and dict(read_reasons(written)) == {
        **read_reasons(source),
        pair: reason.strip(" \t"),
    }


def _entries(
    source: XrdfSource,
) -> Iterator[tuple[str, list[tuple[str | None, nodes.Node]], nodes.Sequence]]:
    """(frame, [(other frame, its node)], the list) of each entry of `ignore`."""
    node = source.node(("self_collision", "ignore"))
    mapping = nodes.resolve_alias(node) if node is not None else None
    if not isinstance(mapping, nodes.Mapping):
        return
    for key, value in mapping.entries:
        frame, sequence = nodes.get_key_text(key), nodes.resolve_alias(value)
        if frame is not None and isinstance(sequence, nodes.Sequence):
            yield frame, [(nodes.get_key_text(item), item) for item in sequence.items], sequence


def _comments(
    source: XrdfSource, others: list[tuple[str | None, nodes.Node]], sequence: nodes.Sequence
) -> Iterator[tuple[str, str]]:
    text = source.source.text
    for other, item in others:
        comment = _COMMENT.match(text, item.end)
        if other is not None and comment is not None:
            yield other, comment.group(1).removeprefix(f"{other}: ")
    behind = _COMMENT.match(text, sequence.end) if sequence.flow else None
    if behind is None:
        return
    names = [other for other, _ in others if other is not None]
    if len(names) == 1:
        yield names[0], behind.group(1).removeprefix(f"{names[0]}: ")
    else:
        yield from _shared(behind.group(1), names)


def _shared(comment: str, names: list[str]) -> Iterator[tuple[str, str]]:
    """`a: reason; b: reason` of the pairs of one line; nothing of a comment that names none of
    them."""
    if not names:
        return
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    starts = list(re.finditer(rf"(?:^|; )({either}): ", comment))
    ends = [start.start() for start in starts[1:]] + [len(comment)]
    for start, end in zip(starts, ends, strict=False):
        yield start.group(1), comment[start.end() : end]


def _with_comments(source: XrdfSource, reasons: Mapping[LinkPair, str]) -> str:
    text = source.source.text
    node = source.node(("self_collision", "ignore"))
    mapping = nodes.resolve_alias(node) if node is not None else None
    if not isinstance(mapping, nodes.Mapping) or mapping.flow:
        return text
    told: set[LinkPair] = set()
    pieces: list[tuple[int, int, str]] = []
    for key, value in mapping.entries:
        frame = nodes.get_key_text(key)
        if frame is None or not isinstance(value, nodes.Sequence) or value.anchor is not None:
            continue
        notes: list[tuple[nodes.Node, str]] = []
        for item in value.items:
            other = nodes.get_key_text(item)
            pair = LinkPair.of(frame, other) if other is not None and other != frame else None
            note = (
                comment_of(reasons.get(pair, ""), other)
                if pair is not None and other and pair not in told
                else ""
            )
            if pair is not None and note:
                told.add(pair)
            notes.append((item, note))
        if any(note for _, note in notes):
            pieces += _pieces(source, key, value, notes)
    for start, end, new in reversed(pieces):
        text = text[:start] + new + text[end:]
    return text


def _pieces(
    source: XrdfSource, key: nodes.Node, value: nodes.Sequence, notes: list[tuple[nodes.Node, str]]
) -> list[tuple[int, int, str]]:
    """(start, end, new text) for one list."""
    text = source.source.text
    if not value.flow:
        return [
            (i.end, i.end, note)
            for i, note in notes
            if note and text[i.end : i.end + 1] in _LINE_ENDS
        ]
    if "#" in text[value.start : value.end] or text[value.end : value.end + 1] not in _LINE_ENDS:
        return []
    if len(notes) == 1:
        return [(value.end, value.end, notes[0][1])]
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * (source.source.line_column(key.start)[1] + 1)
    block = "".join(
        f"{newline}{indent}- {text[item.start : item.end]}{note}" for item, note in notes
    )
    return [(len(text[: value.start].rstrip(" ")), value.end, block)]
