"""Edits of `[a, b]` and `{a: b}`, on one line or several, with the comments between the items."""

from __future__ import annotations

from typing import Protocol

from editor_app.formats.yaml.nodes import CannotSplice, Layout, Mapping, Node, Sequence, Slot, Splice, key_text
from editor_app.formats.yaml.plan import Fresh, MappingEdit, Part, Plan, SequenceEdit, parts_of, spelled_plan
from editor_app.formats.yaml.writing import Writer, is_long, wrapped_list


class Splices(Protocol):
    """What edits the collections around and inside a flow collection."""

    text: str
    layout: Layout
    notes: list[tuple[int, str]]

    @property
    def writer(self) -> Writer: ...
    def part(self, plan: Plan, slot: Slot | None) -> list[Splice]: ...
    def applied(self, start: int, end: int, splices: list[Splice]) -> str: ...
    def renamed(self, key: Node, name: str) -> Splice: ...


def flow_splices(splicer: Splices, plan: SequenceEdit | MappingEdit) -> list[Splice]:
    """The splices of an edited flow collection. Raises CannotSplice for rare forms (`? key`, `[a: b]`)."""
    editor = _FlowEdit(splicer, plan.node)
    parts = list(parts_of(plan))
    if [part[0] for part in parts] == list(range(len(editor.spans))):
        return [splice for part in parts for splice in editor.within(part)]
    return [(editor.opening + 1, editor.closing, editor.wrapped(editor.inner(parts), parts))]


class _FlowEdit:
    def __init__(self, splicer: Splices, node: Sequence | Mapping) -> None:
        self.splicer = splicer
        self.layout: Layout = splicer.layout
        self.text = splicer.text
        self.node = node
        self.opening = self.layout.content(node)
        self.closing = node.end - 1
        brackets = self.text[self.opening : self.opening + 1] + self.text[self.closing : self.closing + 1]
        if brackets not in ("[]", "{}"):
            raise CannotSplice("a collection without brackets")
        self.spans = self._spans()
        edges = [self.opening + 1, *(place for span in self.spans for place in span), self.closing]
        #: gaps[i] stands before item i, gaps[-1] before the closing bracket.
        self.gaps = [self.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
        if any("?" in _without_comments(gap) for gap in self.gaps):
            raise CannotSplice("an explicit key")

    def _spans(self) -> list[tuple[int, int]]:
        if isinstance(self.node, Sequence):
            return [(item.start, item.end) for item in self.node.items]
        spans = []
        for key, value in self.node.entries:
            end = max(key.end, value.end if value.end > value.start else 0)
            if value.end == value.start:
                after = self.layout.skip(key.end)
                if self.text[after : after + 1] == ":":
                    end = after + 1
            spans.append((key.start, end))
        return spans

    # -- items

    def within(self, part: Part) -> list[Splice]:
        origin, name, value = part
        assert origin is not None
        splices: list[Splice] = []
        key: Node | None = None
        after = self.spans[origin][0]
        if isinstance(self.node, Mapping):
            key = self.node.entries[origin][0]
            if name is not None and key_text(key) != name:
                splices.append(self.splicer.renamed(key, name))
            place = self.layout.skip(key.end)
            after = place + 1 if self.text[place] == ":" else key.end
        elif self.spans[origin][0] == self.spans[origin][1]:
            raise CannotSplice("an item that is not there")
        return splices + self.splicer.part(value, Slot(after, 0, key, True))

    def item(self, part: Part) -> str:
        origin, name, value = part
        if origin is not None:
            start, end = self.spans[origin]
            return self.splicer.applied(start, end, self.within(part))
        content = value.value if isinstance(value, Fresh) else spelled_plan(value, self.text)
        like = value.like if isinstance(value, Fresh) else None
        if isinstance(value, Fresh) and (value.above or value.behind):
            self.splicer.notes.append((self.opening, "Comments of an item that moved into brackets are lost"))
        writer = self.splicer.writer
        if isinstance(self.node, Sequence):
            return writer.inline(content, like if like is not None else (self.node.items or (None,))[0])
        assert name is not None
        lead = writer.key(name, self.node) + ":" + writer._colon_gap(self.node)
        if like is None:
            like = writer._like_entry(self.node, name)[1]
        return lead + writer.inline(content, like)

    # -- the whole

    def inner(self, parts: list[Part]) -> str:
        """What stands between the brackets, put together from the items wanted."""
        gaps, count = self.gaps, len(self.spans)
        if not parts:
            return self._emptied()
        if not count:
            return self._filled(", ".join(self.item(part) for part in parts))
        used = {part[0] for part in parts if part[0] is not None}
        out = [gaps[0]]
        for position, part in enumerate(parts):
            out.append(self.item(part))
            origin = part[0]
            following = parts[position + 1][0] if position + 1 < len(parts) else None
            if origin is not None and following == origin + 1:
                out.append(gaps[following])
                continue
            comments = self._orphans(origin, used)
            if following:
                comments += _own_lines(gaps[following])
            last = position + 1 == len(parts)
            out.append(self._with_comments(self._end_gap(origin) if last else self._gap_after(origin), comments, last))
        first = parts[0][0]
        comments = self._orphans(-1, used) + (_own_lines(gaps[first]) if first else [])
        out[0] = self._with_comments(out[0], comments, False)
        return "".join(out)

    def wrapped(self, inner: str, parts: list[Part]) -> str:
        """A list that was on one line and has become too long for that, over several."""
        line = self.text[: self.opening].rsplit("\n", 1)[-1]
        before = self.text[self.opening + 1 : self.closing]
        plain = isinstance(self.node, Sequence) and ", " in inner and not any(mark in inner for mark in "\n\r#[{")
        if not plain or "\n" in before or is_long(line + before) or not is_long(line + inner):
            return inner
        lines = wrapped_list(line, [self.item(part) for part in parts])
        return self.layout.newline.join(lines)[len(line) + 1 : -1]

    def _orphans(self, origin: int | None, used: set[int]) -> list[str]:
        """The comments on lines of their own above the items that go away behind item `origin`."""
        orphans: list[str] = []
        index = len(self.spans) if origin is None else origin + 1
        while index < len(self.spans) and index not in used:
            orphans += _own_lines(self.gaps[index]) if index else []
            index += 1
        return orphans

    def _gap_after(self, origin: int | None) -> str:
        count = len(self.spans)
        if origin is not None and origin < count - 1:
            gap = self.gaps[origin + 1]
            same_line, newline, _ = _split(gap)
            return same_line + newline + self._indent() if _own_lines(gap) else gap
        if origin is not None:
            same_line = _split(self.gaps[count])[0]
            if "#" in same_line:
                comment = same_line.replace(",", "", 1) if "," in same_line.split("#")[0] else same_line
                return "," + comment + self.layout.newline + self._indent()
        return self._separator()

    def _end_gap(self, origin: int | None) -> str:
        """What stands between the last item wanted and the closing bracket."""
        count = len(self.spans)
        end = self.gaps[count]
        if origin == count - 1:
            return end
        same_line, newline, rest = _split(end)
        if "#" in same_line:
            # That comment belongs to the item that was last and is so no longer.
            comma = "," if "," in same_line.split("#")[0] else ""
            end = comma + newline + rest
        if origin is not None:
            last_lines, newline, _ = _split(self.gaps[origin + 1])
            if "#" in last_lines:
                before, _, comment = last_lines.partition("#")
                blanks = before.replace(",", "") or "  "
                head = "," if end.startswith(",") else ""
                end = end[1:] if head else end
                if end[:1] not in ("\r", "\n"):
                    end = self.layout.newline + self.layout.indentation(self.opening) + end.lstrip(" ")
                return head + blanks + "#" + comment + end
        return end

    def _with_comments(self, gap: str, comments: list[str], last: bool) -> str:
        comments = [comment for comment in comments if comment not in gap]
        if not comments:
            return gap
        newline, indent = self.layout.newline, self._indent()
        lines = "".join(newline + indent + comment for comment in comments)
        if last:
            tail = gap if gap[:1] in ("\r", "\n") else newline + self.layout.indentation(self.opening) + gap.lstrip(" ")
            return lines + tail
        return gap.rstrip(" \t\r\n") + lines + newline + indent

    def _separator(self) -> str:
        inner = self.gaps[1:-1]
        clean = [gap for gap in inner if "#" not in gap]
        if clean:
            return clean[-1]
        if inner or "\n" in self.gaps[0] or "\r" in self.gaps[0]:
            return "," + self.layout.newline + self._indent()
        return ", "

    def _indent(self) -> str:
        """The indentation of items that stand on lines of their own."""
        for start, _ in self.spans:
            if self.layout.begins_line(start):
                return self.layout.indentation(start)
        return self.layout.indentation(self.opening) + "  "

    def _emptied(self) -> str:
        comments = [comment for gap in self.gaps for comment in _comments(gap) if comment in _own_lines(gap)]
        if not comments:
            return ""
        newline = self.layout.newline
        indent = self._indent()
        lines = "".join(newline + indent + comment for comment in comments)
        return lines + newline + self.layout.indentation(self.closing)

    def _filled(self, items: str) -> str:
        gap = self.gaps[0]
        if "#" not in gap and "\n" not in gap and "\r" not in gap:
            return gap + items + gap
        newline = self.layout.newline
        return (
            gap.rstrip(" \t\r\n") + newline + self._indent() + items + newline + self.layout.indentation(self.closing)
        )


def _split(gap: str) -> tuple[str, str, str]:
    """(rest of the line, line break, following lines) of a gap."""
    for index, character in enumerate(gap):
        if character in "\r\n":
            width = 2 if gap.startswith("\r\n", index) else 1
            return gap[:index], gap[index : index + width], gap[index + width :]
    return gap, "", ""


def _comments(gap: str) -> list[str]:
    return [line[line.index("#") :].rstrip() for line in gap.splitlines() if "#" in line]


def _own_lines(gap: str) -> list[str]:
    """The comments of a gap that stand on lines of their own."""
    return [line.strip() for line in _split(gap)[2].splitlines() if line.lstrip(" \t").startswith("#")]


def _without_comments(gap: str) -> str:
    return "\n".join(line.partition("#")[0] for line in gap.splitlines())
