"""Reading only what an edit touched: the lines of the smallest block item around it, as a document of its own.

Sound because an item of a block collection ends where a line begins that is not indented deeper than its dash or
key: what stands before and behind its lines cannot change what they mean, nor the other way round. Anchors are the
exception, so texts with aliases are read as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.compose import compose
from editor_app.formats.yaml.layout import CannotSplice, Item, Splice
from editor_app.formats.yaml.nodes import Mapping, Node, Sequence, YamlTree, key_text
from editor_app.formats.yaml.plan import Entry, Fresh, MappingEdit, Plan, SequenceEdit, fits, parts_of
from editor_app.formats.yaml.splicer import Splicer

#: Shorter texts are read as a whole just as quickly.
_WORTHWHILE = 20_000


@dataclass(frozen=True, slots=True)
class _Step:
    """On the way down to the edit: the collection and which of its parts the edit is in."""

    node: Sequence | Mapping
    index: int
    plan: Plan
    item: Item


def read_locally(tree: YamlTree, splicer: Splicer, plan: Plan, splices: list[Splice]) -> Node | None:
    """The root as the edited text would give it, unedited nodes shared with `tree`; None when that is not sure.

    Offsets in the result mean nothing. Returns None also when the lines do not say what is planned.
    """
    if len(splicer.text) < _WORTHWHILE or tree.aliases or tree.duplicates:
        return None
    steps = _way_down(splicer, plan)
    while steps and not splicer.layout.begins_line(steps[-1].item.mark):
        steps.pop()
    if not steps:
        return None
    last = steps[-1]
    try:
        text = splicer.applied(last.item.body, last.item.body_end, splices)
        read = compose(SourceText(None, b"", text)).root
    except (CannotSplice, FormatError):
        return None
    if isinstance(last.node, Sequence):
        wanted: Plan = SequenceEdit(last.node, (last.plan,))
        value = read.items[0] if isinstance(read, Sequence) and len(read.items) == 1 else None
    else:
        wanted = MappingEdit(last.node, (Entry(key_text(last.node.entries[last.index][0]) or "", last.plan, 0),))
        value = read.entries[0][1] if isinstance(read, Mapping) and len(read.entries) == 1 else None
    if read is None or value is None or read.flow != last.node.flow:  # type: ignore[attr-defined]
        return None
    if not fits(wanted, read, splicer.text, text, aliases=False):
        return None
    for step in reversed(steps):
        value = _with_part(step.node, step.index, value)
    return value


def _way_down(splicer: Splicer, plan: Plan) -> list[_Step]:
    """As long as one part alone of a block collection is edited, and nothing comes, goes or moves."""
    steps: list[_Step] = []
    while isinstance(plan, (SequenceEdit, MappingEdit)) and not plan.node.flow:
        node = plan.node
        parts = list(parts_of(plan))
        children = node.items if isinstance(node, Sequence) else [value for _, value in node.entries]
        if len(parts) != len(children) or any(part[0] != index for index, part in enumerate(parts)):
            break
        if isinstance(node, Mapping) and any(
            part[1] != key_text(key) for part, (key, _) in zip(parts, node.entries, strict=True)
        ):
            break
        edited = [index for index, part in enumerate(parts) if part[2] is not children[index]]
        if len(edited) != 1:
            break
        index = edited[0]
        inner = parts[index][2]
        try:
            item = splicer.layout.item(node, index)
        except CannotSplice:
            break
        steps.append(_Step(node, index, inner, item))
        if isinstance(inner, Fresh):
            break
        plan = inner
    return steps


def _with_part(node: Sequence | Mapping, index: int, value: Node) -> Node:
    if isinstance(node, Sequence):
        return replace(node, items=(*node.items[:index], value, *node.items[index + 1 :]))
    entry = (node.entries[index][0], value)
    return replace(node, entries=(*node.entries[:index], entry, *node.entries[index + 1 :]))
