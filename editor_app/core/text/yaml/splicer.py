"""Renders a plan over one text: collections in block style, and those in brackets."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise

from editor_app.core.text.splices import Splice, apply_splices, longest_rising
from editor_app.core.text.yaml.nodes import (
    Alias,
    CannotSplice,
    Item,
    Layout,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Slot,
    YamlTree,
    get_key_text,
    newline_of,
    walk_nodes,
)
from editor_app.core.text.yaml.plan import (
    Commented,
    Fresh,
    MappingEdit,
    Part,
    Plan,
    SequenceEdit,
    list_edit_parts,
    spelled_plan,
)
from editor_app.core.text.yaml.scalars import format_string
from editor_app.core.text.yaml.writing import YamlWriter, is_long, wrapped_list

_COMMENT = re.compile(r"(?<=[ \t])#")


class Splicer:
    """Renders plans over one text. `notes` collects (place, what was lost)."""

    def __init__(self, text: str, tree: YamlTree) -> None:
        newline = newline_of(text)
        self._unended = not text.endswith(("\n", "\r"))
        # A last line gets its break here and loses it in `render`: the rest of the code has no
        # special case.
        self.text = text + newline if self._unended else text
        self.layout = Layout(self.text, newline)
        self.root = tree.root
        self.notes: list[tuple[int, str]] = []

    @cached_property
    def writer(self) -> YamlWriter:
        return YamlWriter(self.layout, self.root)

    def splices(self, plan: Plan) -> list[Splice]:
        """The splices of a plan for the whole text. Raises CannotSplice."""
        return self._whole(plan) if isinstance(plan, Fresh) else self.part(plan, None)

    def result(self, splices: list[Splice]) -> str:
        """The whole text with splices applied. Raises CannotSplice."""
        text = self.applied(0, len(self.text), splices)
        newline = self.layout.newline
        return text[: -len(newline)] if self._unended and text.endswith(newline) else text

    def _whole(self, plan: Fresh) -> list[Splice]:
        root = self.root
        if root is None or not plan.value:
            raise CannotSplice("no document to replace")
        lines = self.writer.lines(plan.value, 0, None)
        start = self.layout.line_start(root.start)
        if not self.layout.begins_line(root.start):
            lines.insert(0, self.text[start : root.start].rstrip())
        end = root.end if self.text[root.end - 1] in "\r\n" else self.layout.line_end(root.end)
        if "#" in self.text[start:end]:
            self.notes.append((start, "Comments in it are lost"))
        return [Splice(start, end, self._joined(lines))]

    def applied(self, start: int, end: int, splices: list[Splice]) -> str:
        """The old text from `start` to `end` with splices applied."""
        try:
            return apply_splices(self.text, splices, start, end)
        except ValueError as error:
            raise CannotSplice("overlapping edits") from error

    def part(self, plan: Plan, slot: Slot | None) -> list[Splice]:
        """The splices of a part of a plan that stands in `slot` (None for the root)."""
        if isinstance(plan, Fresh):
            return self._replaced(plan, slot)
        if not isinstance(plan, (SequenceEdit, MappingEdit)):
            return []
        node = plan.node
        if not node.flow:
            return self._block(plan, slot)
        count = len(node.items) if isinstance(node, Sequence) else len(node.entries)
        if (
            count == 0
            and slot is not None
            and not slot.flow
            and node.anchor is None
            and node.tag is None
        ):
            value = spelled_plan(plan, self.text)
            if self.writer.is_block(value, None) and "#" not in self.text[node.start : node.end]:
                return self._replaced(Fresh(value, None, node), slot)
        return flow_splices(self, plan)

    # -- a new value in the place of an old one

    def _replaced(self, plan: Fresh, slot: Slot | None) -> list[Splice]:
        old = plan.old
        if old is None or slot is None:
            raise CannotSplice("a value without a place")
        like = plan.like if plan.like is not None else old
        if slot.flow or not self.writer.is_block(plan.value, like):
            return self._replaced_by_line(self.writer.inline(plan.value, like), old, slot)
        return self._replaced_by_block(plan.value, old, like, slot, old.end == old.start)

    def _replaced_by_line(self, new: str, old: Node, slot: Slot) -> list[Splice]:
        text, layout = self.text, self.layout
        if old.end == old.start:
            return self._filled(new, slot)
        if "\n" not in text[slot.after : old.start] and "\r" not in text[slot.after : old.start]:
            # An anchor stays with its value; a tag may not fit the new one.
            start = (
                layout.content(old) if isinstance(old, Scalar) and old.tag is None else old.start
            )
            new = " " + new if old.start < start == old.end else new
            self._note_comments(old)
            return [
                Splice(
                    start, old.end, new + (layout.newline if text[old.end - 1] in "\r\n" else "")
                )
            ]
        if slot.flow:
            return [Splice(old.start, old.end, new)]
        self._note_comments(old)
        first = layout.line_end(slot.after)
        if isinstance(old, Scalar) or first > old.start:
            return [Splice(slot.after, old.end, " " + new)]
        gaps = layout.line_start(layout.content(old))
        return [
            Splice(slot.after, slot.after, " " + new),
            Splice(gaps, self._body_end(old.end), ""),
        ]

    def _filled(self, new: str, slot: Slot) -> list[Splice]:
        """A value of one line, written where a key or an item has none."""
        text = self.text
        lead = "" if text[slot.after - 1 : slot.after] in (":", "-") else ":"
        behind = self.layout.blanks(slot.after)
        if slot.flow or text[behind] not in "\r\n":
            gap = "" if text[slot.after] in " \t\r\n" or slot.flow else " "
            return [Splice(slot.after, slot.after, f"{lead} {new}{gap}")]
        return [Splice(slot.after, behind, f"{lead} {new}")]

    def _replaced_by_block(
        self, value: object, old: Node, like: Node, slot: Slot, empty: bool
    ) -> list[Splice]:
        text, layout = self.text, self.layout
        if slot.key is None:
            gap = text[slot.after : old.start] if not empty else " "
            if gap.strip(" ") or not gap:
                gap = " "
            inner = self.writer.lines(value, slot.column + 1 + len(gap), like)
            new = layout.newline.join(inner).lstrip(" ")
            self._note_comments(old)
            if empty:
                if layout.blanks(slot.after) != layout.eol(slot.after):
                    raise CannotSplice("a comment where a value belongs")
                return [Splice(slot.after, layout.eol(slot.after), gap + new)]
            if "\n" in text[slot.after : old.start] or "\r" in text[slot.after : old.start]:
                raise CannotSplice("a value below its dash")
            return [
                Splice(
                    old.start,
                    old.end,
                    new + (layout.newline if text[old.end - 1] in "\r\n" else ""),
                )
            ]
        same_kind = (
            isinstance(old, Mapping if isinstance(value, dict) else Sequence) and not old.flow
        )
        column = (
            layout.column(layout.content(old))
            if same_kind and layout.begins_line(layout.content(old))
            else self.writer.child_column(slot.column, value, like, None)
        )
        new = self._joined(self.writer.lines(value, column, like))
        if empty:
            place = layout.line_end(slot.after)
            return [Splice(place, place, new)]
        self._note_comments(old)
        if old.start < layout.eol(slot.after):
            if text[old.end - 1] in "\r\n":
                return [Splice(slot.after, old.end, layout.newline + new)]
            place = layout.line_end(old.end)
            rest = text[old.end : layout.eol(old.end)]
            cut = old.end if rest.strip() else layout.eol(old.end)
            return [Splice(slot.after, cut, ""), Splice(place, place, new)]
        start = layout.line_start(layout.content(old))
        return [Splice(start, self._body_end(old.end), new)]

    def _note_comments(self, old: Node) -> None:
        if not isinstance(old, (Scalar, Alias)) and "#" in self.text[old.start : old.end]:
            inside = self.text[old.start : old.end]
            if any(part.lstrip().startswith("#") or " #" in part for part in inside.splitlines()):
                self.notes.append(
                    (old.start, "Comments inside a value that was replaced completely are lost")
                )

    def _body_end(self, end: int) -> int:
        return end if end and self.text[end - 1] in "\r\n" else self.layout.line_end(end)

    def _joined(self, lines: list[str]) -> str:
        newline = self.layout.newline
        return newline.join(lines) + newline if lines else ""

    # -- block collections

    def _block(self, plan: SequenceEdit | MappingEdit, slot: Slot | None) -> list[Splice]:
        node = plan.node
        items = self.layout.items(node)
        parts = list(list_edit_parts(plan))
        origins = [origin for origin, _, _ in parts]
        if not parts:
            moved_away = plan.moved_away if isinstance(plan, SequenceEdit) else frozenset()
            return self._emptied(node, items, moved_away, slot)
        if origins == list(range(len(items))):
            return [splice for part in parts for splice in self.within(plan, part, items)]
        return [_Assembly(self, plan, parts, items, slot).splice()]

    def _emptied(
        self, node: Node, items: list[Item], moved_away: frozenset[int], slot: Slot | None
    ) -> list[Splice]:
        if slot is None or node.anchor is not None or node.tag is not None:
            raise CannotSplice("nothing would be left")
        brackets = "[]" if isinstance(node, Sequence) else "{}"
        if not self.layout.begins_line(items[0].mark):
            self._note_comments(node)
            return [Splice(items[0].mark, items[-1].end, brackets)]
        gap = "" if self.text[slot.after] in " \t\r\n" else " "
        return [
            Splice(slot.after, slot.after, " " + brackets + gap),
            *(Splice(item.body, item.body_end, "") for item in items),
            *(
                Splice(
                    items[index].body - len(self.layout.above(items, index)), items[index].body, ""
                )
                for index in moved_away
            ),
        ]

    def within(
        self, plan: SequenceEdit | MappingEdit, part: Part, items: list[Item]
    ) -> list[Splice]:
        """The splices inside an item that is kept."""
        origin, name, value = part
        assert origin is not None
        item = items[origin]
        splices: list[Splice] = []
        key: Node | None = None
        if isinstance(plan, MappingEdit):
            key = plan.node.entries[origin][0]
            if name is not None and get_key_text(key) != name:
                splices.append(self.renamed(key, name))
        slot = Slot(item.after, self.layout.column(item.mark), key, False)
        return splices + self.part(value, slot)

    def renamed(self, key: Node, name: str) -> Splice:
        if not isinstance(key, Scalar) or key.anchor is not None:
            raise CannotSplice("a key that is no plain name")
        quote = key.style if key.style in ("'", '"') else ""
        return Splice(self.layout.content(key), key.end, format_string(name, quote))

    def new_lines(self, plan: SequenceEdit | MappingEdit, part: Part, column: int) -> str:
        _, name, value = part
        if isinstance(value, Fresh):
            content, like = value.value, value.like
        else:
            # A part that moves here from elsewhere in the text keeps its spelling.
            content, like = spelled_plan(value, self.text), None
        node = plan.node
        if isinstance(node, Sequence):
            near = like if like is not None else _like_item(node, content)
            lines = self.writer.item_lines(content, column, near, node)
        else:
            assert name is not None
            lines = self.writer.entry_lines(name, content, column, node, like)
        return self._joined(lines)


class _Assembly:
    """The lines of a collection whose items are added, removed or moved, with the lines of the
    items that stay."""

    def __init__(
        self,
        splicer: Splicer,
        plan: SequenceEdit | MappingEdit,
        parts: list[Part],
        items: list[Item],
        slot: Slot | None,
    ) -> None:
        self.splicer = splicer
        self.text = splicer.text
        self.newline = splicer.layout.newline
        self.plan = plan
        self.parts = parts
        self.items = items
        self.column = splicer.layout.column(items[0].mark)
        self.first_inline = not splicer.layout.begins_line(items[0].mark)
        self.used = {origin for origin, _, _ in parts if origin is not None}
        self.moved_away = plan.moved_away if isinstance(plan, SequenceEdit) else frozenset()
        # Comments at the head of a file are about the whole.
        self.has_head = slot is None or self.first_inline
        above = self._above(0)
        self.start = items[0].body - len(above)
        self.gaps = [above, *(self.text[a.body_end : b.body] for a, b in pairwise(items))]
        self.spaced = slot is None and self._has_blank_lines()
        self.out: list[str] = []

    def splice(self) -> Splice:
        kept = longest_rising([origin for origin, _, _ in self.parts])
        position = 0
        waiting: list[Part] = []
        for part in [*self.parts, None]:
            if part is not None and part[0] not in kept:
                waiting.append(part)
                continue
            stop = len(self.items) if part is None else part[0]
            assert stop is not None
            # The items that are removed or moved away. A new item in such a place gets its
            # comments.
            for index in range(position, stop):
                self._keep_gap(index, self.gaps[index + 1] if index + 1 < len(self.items) else None)
                if (
                    index not in self.used
                    and waiting
                    and waiting[0][0] is None
                    and isinstance(waiting[0][2], Fresh)
                ):
                    self.out.append(self._inserted(waiting.pop(0)))
            added = bool(waiting)
            while waiting:
                self.out.append(self._inserted(waiting.pop(0)))
            if part is not None:
                self._keep(part, self.gaps[stop], added)
                position = stop + 1
        new = "".join(self.out)
        if self.first_inline:
            new = new.lstrip(" \t\r\n")
        return Splice(self.start, self.items[-1].body_end, new)

    def _above(self, index: int) -> str:
        """The comment lines of an item."""
        return "" if self.has_head and not index else self.splicer.layout.above(self.items, index)

    def _body(self, part: Part) -> str:
        item = self.items[part[0]]  # type: ignore[index]
        within = self.splicer.within(self.plan, part, self.items)
        new = self.splicer.applied(item.body, item.body_end, within)
        return " " * self.column + new if self.first_inline and part[0] == 0 else new

    def _inserted(self, part: Part) -> str:
        if part[0] is not None:
            return self._above(part[0]) + self._body(part)
        new = self.splicer.new_lines(self.plan, part, self.column)
        apart = self.spaced and self.out and not self.out[-1].endswith(self.newline * 2)
        return self.newline + new if apart else new

    def _keep_gap(self, index: int, next_gap: str | None) -> None:
        gap = self.gaps[index]
        if index in self.used or index in self.moved_away:
            gap = gap[: len(gap) - len(self._above(index))]
        if gap.strip() or (next_gap is not None and self.out and next_gap[:1] not in ("\r", "\n")):
            self.out.append(gap)

    def _keep(self, part: Part, gap: str, added: bool) -> None:
        if added and self.spaced and gap[:1] not in ("\r", "\n"):
            gap = self.newline + gap
        if self.out or gap.strip():
            self.out.append(gap)
        self.out.append(self._body(part))

    def _has_blank_lines(self) -> bool:
        """Whether blank lines stand between the sections of the file; True if it has no section of
        several lines."""
        bodies = [self.text[item.body : item.body_end].rstrip("\r\n") for item in self.items]
        long = ["\n" in body or "\r" in body for body in bodies]
        telling = [gap for gap, (a, b) in zip(self.gaps[1:], pairwise(long), strict=True) if a or b]
        return not telling or any(gap[:1] in ("\n", "\r") for gap in telling)


def _like_item(node: Sequence, content: object) -> Node | None:
    content = content.value if isinstance(content, Commented) else content
    wanted = (
        Mapping
        if isinstance(content, dict)
        else Sequence
        if isinstance(content, (list, tuple))
        else Scalar
    )
    return next((item for item in node.items if isinstance(item, wanted)), None)


# -- `[a, b]` and `{a: b}`, on one line or several, with the comments between the items


def flow_splices(splicer: Splicer, plan: SequenceEdit | MappingEdit) -> list[Splice]:
    """The splices of an edited flow collection. Raises CannotSplice for rare forms (`? key`, `[a:
    b]`)."""
    editor = _FlowEdit(splicer, plan.node)
    parts = list(list_edit_parts(plan))
    if [part[0] for part in parts] == list(range(len(editor.spans))):
        return [splice for part in parts for splice in editor.within(part)]
    moved_away = plan.moved_away if isinstance(plan, SequenceEdit) else frozenset()
    return [
        Splice(
            editor.opening + 1,
            editor.closing,
            editor.wrapped(editor.inner(parts, moved_away), parts),
        )
    ]


def comments_of(splicer: Splicer, node: Sequence, place: int) -> tuple[tuple[str, ...], str]:
    """The comments of an item of a list: the lines above it, and the one behind it."""
    if node.flow:
        editor = _FlowEdit(splicer, node)
        _, mark, behind = editor.tails[place + 1].partition("#")
        return tuple(_own_lines(editor.leads[place])), (mark + behind).rstrip()
    layout, item = splicer.layout, node.items[place]
    first, last = layout.eol(item.start), layout.eol(item.end)
    scalars = [(each.start, each.end) for _, each in walk_nodes(item) if isinstance(each, Scalar)]
    comments: list[tuple[int, str]] = []
    for start in (match.start() for match in _COMMENT.finditer(layout.text, item.start, last)):
        is_text = any(begin <= start < end for begin, end in scalars)
        if not is_text and (not comments or start >= layout.eol(comments[-1][0])):
            comments.append((start, layout.text[start : layout.eol(start)].rstrip()))
    above = [line.strip() for line in layout.above(layout.items(node), place).splitlines()]
    above += [comment for start, comment in comments if start >= first]
    return tuple(above), next((comment for start, comment in comments if start < first), "")


class _FlowEdit:
    def __init__(self, splicer: Splicer, node: Sequence | Mapping) -> None:
        self.splicer = splicer
        self.layout = splicer.layout
        self.text = splicer.text
        self.node = node
        self.opening = self.layout.content(node)
        self.closing = node.end - 1
        brackets = (
            self.text[self.opening : self.opening + 1] + self.text[self.closing : self.closing + 1]
        )
        if brackets not in ("[]", "{}"):
            raise CannotSplice("a collection without brackets")
        self.spans = self._spans()
        edges = [self.opening + 1, *(place for span in self.spans for place in span), self.closing]
        #: gaps[i] stands before item i, gaps[-1] before the closing bracket.
        self.gaps = [self.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
        #: Of each gap, what belongs to the item, or bracket, before it, and to the one behind it.
        self.tails = [_parted(gap)[0] for gap in self.gaps]
        self.leads = [_parted(gap)[1] for gap in self.gaps]
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
            if name is not None and get_key_text(key) != name:
                splices.append(self.splicer.renamed(key, name))
            place = self.layout.skip(key.end)
            after = place + 1 if self.text[place] == ":" else key.end
        elif self.spans[origin][0] == self.spans[origin][1]:
            raise CannotSplice("a missing item")
        return splices + self.splicer.part(value, Slot(after, 0, key, True))

    def item(self, part: Part) -> str:
        origin, name, value = part
        if origin is not None:
            start, end = self.spans[origin]
            return self.splicer.applied(start, end, self.within(part))
        content = value.value if isinstance(value, Fresh) else spelled_plan(value, self.text)
        like = value.like if isinstance(value, Fresh) else None
        writer = self.splicer.writer
        if isinstance(self.node, Sequence):
            return writer.inline(
                content, like if like is not None else (self.node.items or (None,))[0]
            )
        assert name is not None
        lead = writer.key(name, self.node) + ":" + writer._colon_gap(self.node)
        if like is None:
            like = writer._like_entry(self.node, name)[1]
        return lead + writer.inline(content, like)

    # -- the whole

    def inner(self, parts: list[Part], moved_away: frozenset[int] = frozenset()) -> str:
        """What stands between the brackets, put together from the items wanted."""
        count = len(self.spans)
        if not parts:
            return self._emptied()
        if not count:
            return self._filled(", ".join(self.item(part) for part in parts))
        orphans = self._orphans(parts, moved_away)
        out: list[str] = []
        previous: Part | None = None
        for part in [*parts, None]:
            origin = count if part is None else part[0]
            before = -1 if previous is None else previous[0]
            if origin is not None and before is not None and origin == before + 1:
                out.append(self.gaps[origin])
            else:
                tail = self._tail(previous, is_last=part is None)
                above = [] if origin is None else orphans.get(origin, [])
                out.append(
                    tail
                    + self._lead(part, above, is_first=previous is None, has_comment="#" in tail)
                )
            out.append("" if part is None else self.item(part))
            previous = part
        return "".join(out)

    def _orphans(self, parts: list[Part], moved_away: frozenset[int]) -> dict[int, list[str]]:
        """Comment lines above items that are deleted, by the next item that stays where it is, or
        the end."""
        used = {origin for origin, _, _ in parts} | moved_away
        stay = longest_rising([origin for origin, _, _ in parts])
        orphans: dict[int, list[str]] = {}
        waiting: list[str] = []
        for index in range(len(self.spans) + 1):
            if index in stay or index == len(self.spans):
                orphans[index], waiting = waiting, []
            elif index not in used:
                waiting += _own_lines(self.leads[index])
        return orphans

    def _tail(self, part: Part | None, *, is_last: bool) -> str:
        """Comma and comment behind an item; None: what stands behind the opening bracket."""
        if part is None:
            return self.tails[0]
        origin, _, value = part
        has_comma = not is_last or "," in _without_comments(self.tails[-1])
        content = value.value if isinstance(value, Fresh) else None
        behind = f"  {content.behind}" if isinstance(content, Commented) and content.behind else ""
        head, mark, comment = (self.tails[origin + 1] if origin is not None else behind).partition(
            "#"
        )
        before, comma, blanks = head.partition(",")
        if not comma:
            before, blanks = "", head
        end = f"{before}," if has_comma else ""
        return f"{end}{blanks or '  '}{mark}{comment}" if mark else end

    def _lead(
        self, part: Part | None, above: list[str], *, is_first: bool, has_comment: bool
    ) -> str:
        """What stands before an item, or before the closing bracket: comment lines and white
        space."""
        newline, origin = self.layout.newline, len(self.spans) if part is None else part[0]
        if origin is not None:
            above = [*above, *_own_lines(self.leads[origin])]
        elif (
            part is not None and isinstance(part[2], Fresh) and isinstance(part[2].value, Commented)
        ):
            above = [*above, *part[2].value.above]
        if is_first:
            blanks = _last_line(self.leads[0])
        elif origin:
            blanks = _last_line(self.leads[origin])
        else:
            clean = [lead for lead in self.leads[1:-1] if "#" not in lead]
            blanks = _last_line(clean[-1]) if clean else " "
            if not clean and any(_split(lead)[1] for lead in self.leads):
                blanks = newline + self._indent()
        if (above or has_comment) and blanks[:1] not in ("\r", "\n"):
            blanks = newline + (
                self.layout.indentation(self.opening) if part is None else self._indent()
            )
        return "".join(newline + self._indent() + comment for comment in above) + blanks

    def wrapped(self, inner: str, parts: list[Part]) -> str:
        """A list that was on one line and has become too long for that, over several."""
        line = self.text[: self.opening].rsplit("\n", 1)[-1]
        before = self.text[self.opening + 1 : self.closing]
        plain = (
            isinstance(self.node, Sequence)
            and ", " in inner
            and not any(mark in inner for mark in "\n\r#[{")
        )
        if not plain or "\n" in before or is_long(line + before) or not is_long(line + inner):
            return inner
        lines = wrapped_list(line, [self.item(part) for part in parts])
        return self.layout.newline.join(lines)[len(line) + 1 : -1]

    def _indent(self) -> str:
        """The indentation of items that stand on lines of their own."""
        for start, _ in self.spans:
            if self.layout.begins_line(start):
                return self.layout.indentation(start)
        return self.layout.indentation(self.opening) + "  "

    def _emptied(self) -> str:
        comments = [
            comment for gap in self.gaps for comment in _comments(gap) if comment in _own_lines(gap)
        ]
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
            gap.rstrip(" \t\r\n")
            + newline
            + self._indent()
            + items
            + newline
            + self.layout.indentation(self.closing)
        )


def _split(gap: str) -> tuple[str, str, str]:
    """(rest of the line, line break, following lines) of a gap."""
    for index, character in enumerate(gap):
        if character in "\r\n":
            width = 2 if gap.startswith("\r\n", index) else 1
            return gap[:index], gap[index : index + width], gap[index + width :]
    return gap, "", ""


def _parted(gap: str) -> tuple[str, str]:
    """A gap behind the comma and the comment on its line."""
    head, newline, rest = _split(gap)
    if newline and ("," in head.partition("#")[0] or "," not in _without_comments(gap)):
        return head, newline + rest
    place = 0
    for line in gap.splitlines(keepends=True):
        comma = line.partition("#")[0].find(",")
        if comma >= 0:
            return gap[: place + comma + 1], gap[place + comma + 1 :]
        place += len(line)
    return "", gap


def _last_line(lead: str) -> str:
    """The white space right before an item: with its line break, where it begins a line."""
    start = max(lead.rfind("\n"), lead.rfind("\r"))
    return lead[start - (lead[start - 1 : start + 1] == "\r\n") :] if start >= 0 else lead


def _comments(gap: str) -> list[str]:
    return [line[line.index("#") :].rstrip() for line in gap.splitlines() if "#" in line]


def _own_lines(gap: str) -> list[str]:
    """The comments of a gap that stand on lines of their own."""
    return [
        line.strip() for line in _split(gap)[2].splitlines() if line.lstrip(" \t").startswith("#")
    ]


def _without_comments(gap: str) -> str:
    return "\n".join(line.partition("#")[0] for line in gap.splitlines())
