"""Attached parts in YAML, in several places of the text: the last line records the text before.

    # attached: gripper.urdf at tool0 {"mount": …, "after": digest, "undo": [[first, end, text], …]}

`undo` has the first line, the line behind, and the old text. While the text is as it was written,
undoing gives the bytes as before. Once it was edited the record says no more than where the part
came from.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from editor_app.core.model.attached_part import AttachedPart, record_of, records_in
from editor_app.core.text.yaml.nodes import Mapping, Scalar, YamlTree, get_key_text, walk_nodes

Hunks = list[tuple[int, int, str]]


def with_record(
    before: str, after: str, part: AttachedPart, comments: Sequence[tuple[str, str]] = ()
) -> str:
    """The text `after`, with a last line that tells what `before` was.

    `comments` of the part's own file, each with its section, stand above it: their places are not
    in this text.
    """
    newline = "\r\n" if "\r\n" in after else "\n"
    if comments:
        lines = [
            _head_of(part),
            *(f"#   {section + ': ' if section else ''}{words}" for section, words in comments),
        ]
        after += "" if not after or after.endswith(("\n", "\r")) else newline
        after += "".join(line + newline for line in lines)
    record = "# " + record_of(part, after=_digest(after), undo=_hunks(before, after))
    return (
        after + record + newline
        if not after or after.endswith(("\n", "\r"))
        else after + newline + record
    )


def without_record(text: str, part: AttachedPart) -> tuple[str, bool]:
    """The text without the record, and whether it is the one before: else it was edited, and has
    the part still."""
    for match, record, more in records_in(text):
        start = text.rfind("#", 0, match.start())
        if record.mount != part.mount or text[start : match.start()].strip("# "):
            continue
        for left, right in _cuts(text, start, match.end()):
            after = text[:left] + text[right:]
            if more.get("after") == _digest(after):
                return _undone(after, more["undo"])
        left, right = _cuts(text, start, match.end())[0]
        text = text[:left] + text[right:]
        return re.sub(
            rf"(?m)^{re.escape(_head_of(part))}\r?\n(?:#   .*(?:\n|\Z))*", "", text
        ), False
    return text, False


def _head_of(part: AttachedPart) -> str:
    return f"# Comments of {json.dumps(part.file)[1:-1]}, on {json.dumps(part.mount)[1:-1]}:"


def _cuts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The line with the break behind it, or with the one before it."""
    behind = 2 if text.startswith("\r\n", end) else int(text.startswith("\n", end))
    before = 2 if text.endswith("\r\n", 0, start) else int(text.endswith("\n", 0, start))
    return [(start, end + behind), (start - before, end)]


def _hunks(before: str, after: str) -> Hunks:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    codes = SequenceMatcher(None, old, new).get_opcodes()
    return [(k, m, "".join(old[i:j])) for tag, i, j, k, m in codes if tag != "equal"]


def _undone(after: str, hunks: object) -> tuple[str, bool]:
    lines = after.splitlines(keepends=True)
    try:
        for start, stop, old in reversed(hunks):  # type: ignore[call-overload]
            lines[start:stop] = [old]
        return "".join(lines), True
    except (TypeError, ValueError):
        return after, False


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_COMMENT = re.compile(r"(?:(?<=[ \t\r\n])|\A)#[ \t]*([^\r\n]*)")


def comments_in(tree: YamlTree) -> tuple[tuple[str, str], ...]:
    """(section, comment) in the order of the text; "" before the first section. Empty comments are
    left out."""
    text, root = tree.text, tree.root
    scalars = (
        sorted((node.start, node.end) for _, node in walk_nodes(root) if isinstance(node, Scalar))
        if root
        else []
    )
    sections = (
        [(key.start, get_key_text(key) or "") for key, _ in root.entries]
        if isinstance(root, Mapping)
        else []
    )
    comments: list[tuple[str, str]] = []
    end = 0
    for match in _COMMENT.finditer(text):
        if match.start() < end or any(start <= match.start() < stop for start, stop in scalars):
            continue
        end = match.end()
        if match.group(1).strip():
            section = next(
                (name for start, name in reversed(sections) if start <= match.start()), ""
            )
            comments.append((section, match.group(1).strip()))
    return tuple(comments)
