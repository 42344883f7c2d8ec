"""Texts with `\\r\\n` in an editor that knows one kind of line break."""

from __future__ import annotations


def shown_offset(text: str, offset: int) -> int:
    """Offset in the text with single-character breaks."""
    return offset - text.count("\r\n", 0, offset)


def source_offset(text: str, shown: int) -> int:
    if "\r\n" not in text:
        return shown
    offset = shown
    while True:
        moved = shown + text.count("\r\n", 0, offset)
        if moved == offset:
            return offset
        offset = moved


def with_breaks_of(edited: str, original: str) -> str:
    """`edited` (with \\n) in which lines before and after the edit keep the line breaks of `original`."""
    if "\r" not in original:
        return edited
    lines = original.splitlines(keepends=True)
    common = "\r\n" if original.count("\r\n") * 2 >= original.count("\n") else "\n"
    new = edited.split("\n")
    plain = [line.rstrip("\r\n") for line in lines]
    if not lines or lines[-1].endswith(("\n", "\r")):
        plain.append("")
        lines.append("")
    start = 0
    limit = min(len(plain), len(new))
    while start < limit and plain[start] == new[start]:
        start += 1
    end = 0
    while end < limit - start and plain[-1 - end] == new[-1 - end]:
        end += 1
    kept_tail = lines[len(lines) - end :] if end else []
    head = lines[:start]
    middle = new[start : len(new) - end]
    if head and (middle or end) and not head[-1].endswith(("\n", "\r")):
        head[-1] += common
    if end:
        return "".join(head) + "".join(line + common for line in middle) + "".join(kept_tail)
    return "".join(head) + common.join(middle)
