"""Remedies that edit the text itself, because the model cannot tell before from after."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.formats.xrdf import XrdfSource
from editor_app.formats.yaml.nodes import Mapping, Node, Scalar, Sequence, key_at, key_text, node_at, resolved
from editor_app.formats.yaml.scalars import format_number, format_string, number_of
from editor_app.model.change import CannotApply, TextChange
from editor_app.model.findings import Finding


@dataclass(frozen=True, slots=True)
class Splice:
    """Code points `start` to `end` say `old` and will say `new`."""

    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class EditText:
    """Several splices of one text, as one step; refused when the text is another one by now."""

    label: str
    splices: tuple[Splice, ...]

    def apply_text(self, text: str) -> str:
        for splice in sorted(self.splices, key=lambda s: -s.start):
            if text[splice.start : splice.end] != splice.old:
                raise CannotApply("The text has changed since this was found: look at the findings again.")
            text = text[: splice.start] + splice.new + text[splice.end :]
        return text


def with_text_fixes(finding: Finding, source: XrdfSource) -> Finding:
    """The finding of a reader with the remedies that its code has."""
    makers = {"XRDF003": _keep_one, "XRDF004": _rename_key, "XRDF006": _rewrite}
    make = makers.get(finding.code)
    found = make(finding, source) if make is not None else ()
    return replace(finding, fixes=found) if found else finding


def replace_node(source: XrdfSource, node: Node, new: str, label: str) -> TextChange:
    """Writes `new` in the place of a node."""
    old = source.source.text[node.start : node.end]
    return EditText(label, (Splice(node.start, node.end, old, new),))


def _rewrite(finding: Finding, source: XrdfSource) -> tuple[TextChange, ...]:
    node = source.node(finding.path)
    node = resolved(node) if node is not None else None
    if not isinstance(node, Scalar):
        return ()
    number = number_of(node.value.strip())
    name = "joint_names" in finding.path or "tool_frames" in finding.path or "ignore" in finding.path
    new = format_number(number) if number is not None and not name else format_string(node.value)
    if new == source.source.text[node.start : node.end]:
        new = format_string(node.value)
    return (replace_node(source, node, new, f"Write {new}"),)


def _rename_key(finding: Finding, source: XrdfSource) -> tuple[TextChange, ...]:
    key = key_at(source.root, finding.path)
    marker = "did you mean '"
    if key is None or marker not in finding.message:
        return ()
    new = finding.message.split(marker, 1)[1].split("'", 1)[0]
    parent = node_at(source.root, finding.path[:-1])
    parent = resolved(parent) if parent is not None else None
    if isinstance(parent, Mapping) and any(key_text(k) == new for k, _ in parent.entries):
        return ()
    return (replace_node(source, key, new, f"Rename to {new}"),)


def _keep_one(finding: Finding, source: XrdfSource) -> tuple[TextChange, ...]:
    parent = node_at(source.root, finding.path[:-1])
    parent = resolved(parent) if parent is not None else None
    if not isinstance(parent, Mapping) or parent.flow:
        return ()
    name = str(finding.path[-1])
    entries = [(key, value) for key, value in parent.entries if key_text(key) == name]
    if len(entries) < 2:
        # The path leads into the last of several mappings of one name, the doubled key stands in another one.
        return ()
    text = source.source.text
    cuts = [_whole_lines(text, key, value) for key, value in entries]
    if any(cut is None for cut in cuts):
        return ()
    found = [cut for cut in cuts if cut is not None]
    first = EditText(f"Keep the first {name}", tuple(found[1:]))
    last = EditText(f"Keep the last {name}", tuple(found[:-1]))
    merged = _merged(text, entries, found)
    return (first, last) if merged is None else (first, last, merged)


def _merged(text: str, entries: list[tuple[Node, Node]], cuts: list[Splice]) -> TextChange | None:
    """All lists of names in the place of the first, each name once; None when they are not lists of names."""
    words: dict[str, None] = {}
    for _, value in entries:
        target = resolved(value)
        if not isinstance(target, Sequence) or not target.items:
            return None
        for item in target.items:
            if not isinstance(item, Scalar):
                return None
            words.setdefault(text[item.start : item.end])
    value = entries[0][1]
    if isinstance(value, Sequence) and not value.flow:
        separator = text[text.rfind("\n", 0, value.start) + 1 : value.start]
        new = ("\n" + separator).join(f"- {word}" for word in words)
        if separator.strip():
            return None
    else:
        new = f"[{', '.join(words)}]"
    written = Splice(value.start, value.end, text[value.start : value.end], new)
    return EditText("Merge the lists", (written, *cuts[1:]))


def _whole_lines(text: str, key: Node, value: Node) -> Splice | None:
    """The lines of a block entry; None when something else stands on them."""
    start = text.rfind("\n", 0, key.start) + 1
    if text[start : key.start].strip():
        return None
    end = text.find("\n", max(key.end, value.end))
    end = len(text) if end < 0 else end + 1
    return Splice(start, end, text[start:end], "")
