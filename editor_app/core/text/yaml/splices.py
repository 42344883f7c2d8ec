"""From a plan to a new text that differs from the old one where the plan does, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import Splice
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import (
    Alias,
    CannotSplice,
    Item,
    Mapping,
    Node,
    Sequence,
    YamlTree,
    get_key_text,
)
from editor_app.core.text.yaml.plan import (
    EntryEdit,
    Fresh,
    MappingEdit,
    Plan,
    SequenceEdit,
    entries_of,
    fits,
    list_edit_parts,
    spelled,
    spelled_plan,
)
from editor_app.core.text.yaml.splicer import Splicer


@dataclass(frozen=True)
class Spliced:
    """`notes` say, for the user, what could not be edited in place and was written anew."""

    source: SourceText
    #: The tree of the new text; None when only the lines around the edit were read again.
    tree: YamlTree | None
    #: The root of the new text; without `tree`, its nodes are right and their places are not.
    root: Node | None
    notes: tuple[str, ...] = ()


def carry_out(source: SourceText, tree: YamlTree, plan: Plan) -> Spliced:
    """The text that a plan asks for. What was written is read again and compared with the plan;
    where it differs, a bigger block is written anew. Raises FormatError when not even that gives
    what is wanted.
    """
    if plan is tree.root:
        return Spliced(source, tree, tree.root)
    notes: list[str] = []
    plan = _with_aliases_written_out(tree, plan, notes, source)
    depth = _depth(plan)
    for limit in range(depth + 1, -1, -1):
        tried = plan if limit > depth else _collapsed(plan, limit, source.text)
        told = list(notes)
        if limit <= depth:
            told += _told_collapsed(plan, limit, source)
        splicer = Splicer(source.text, tree)
        try:
            splices = splicer.splices(tried)
            written = source.with_text(splicer.result(splices))
            near = read_locally(tree, splicer, tried, splices)
            read = None if near is not None else compose_document(written)
        except (CannotSplice, FormatError) as error:
            if limit == 0 and isinstance(error, FormatError):
                raise
            continue
        told += [f"{note} (line {source.line_column(place)[0]})" for place, note in splicer.notes]
        if read is None:
            return Spliced(written, None, near, tuple(told))
        aliases = bool(tree.aliases)
        if read.root is not None and fits(
            tried, read.root, source.text, written.text, aliases=aliases
        ):
            return Spliced(written, read, read.root, tuple(told))
    raise FormatError(
        "The change cannot be written into this text",
        source.location(0),
        "Edit the text itself in the source view.",
    )


# -- bigger blocks


def _children(plan: Plan) -> tuple[Plan, ...]:
    if isinstance(plan, SequenceEdit):
        return plan.parts
    if isinstance(plan, MappingEdit):
        return tuple(entry.value for entry in plan.entries)
    return ()


def _depth(plan: Plan) -> int:
    """How deep the edited collections of a plan lie; the root's is 0."""
    if not isinstance(plan, (SequenceEdit, MappingEdit)):
        return 0
    inner = [
        _depth(child) + 1
        for child in _children(plan)
        if isinstance(child, (SequenceEdit, MappingEdit))
    ]
    return max(inner, default=0)


def _mapped(plan: Plan, change: Callable[[Plan], Plan]) -> Plan:
    if isinstance(plan, SequenceEdit):
        return replace(plan, parts=tuple(change(part) for part in plan.parts))
    if isinstance(plan, MappingEdit):
        return replace(
            plan, entries=tuple(replace(entry, value=change(entry.value)) for entry in plan.entries)
        )
    return plan


def _collapsed(plan: Plan, limit: int, text: str) -> Plan:
    """The plan in which every collection that is edited at depth `limit` is written anew as a
    whole."""
    if not isinstance(plan, (SequenceEdit, MappingEdit)):
        return plan
    if limit == 0:
        return Fresh(spelled_plan(plan, text), plan.node, plan.node)
    return _mapped(plan, lambda part: _collapsed(part, limit - 1, text))


def _told_collapsed(plan: Plan, limit: int, source: SourceText) -> list[str]:
    if not isinstance(plan, (SequenceEdit, MappingEdit)):
        return []
    if limit == 0:
        line = source.line_column(plan.node.start)[0]
        return [
            f"The block that begins in line {line} could not be edited in place and was rewritten"
        ]
    return [note for child in _children(plan) for note in _told_collapsed(child, limit - 1, source)]


# -- anchors


def _with_aliases_written_out(
    tree: YamlTree, plan: Plan, notes: list[str], source: SourceText
) -> Plan:
    """Where the plan changes or removes an anchored value, the aliases that meant it get a copy of
    the old one."""
    if not tree.aliases:
        return plan
    # The ids of the nodes that stay as they are.
    kept: set[int] = set()
    todo: list[Plan] = [plan]
    while todo:
        part = todo.pop()
        if isinstance(part, (SequenceEdit, MappingEdit)):
            todo.extend(_children(part))
            if isinstance(part, MappingEdit):
                todo.extend(
                    part.node.entries[e.index][0] for e in part.entries if e.index is not None
                )
        elif not isinstance(part, Fresh):
            kept.add(id(part))
            if isinstance(part, Sequence):
                todo.extend(part.items)
            elif isinstance(part, Mapping):
                todo.extend(node for pair in part.entries for node in pair)
    stale = [alias for alias in tree.aliases if id(alias) in kept and id(alias.target) not in kept]
    if not stale:
        return plan
    for alias in stale:
        line = source.line_column(alias.start)[0]
        notes.append(
            f"The alias *{alias.name} in line {line} was expanded because its value was changed"
        )
    return _opened(plan, {id(alias): alias for alias in stale}, source.text)


def _opened(part: Plan, stale: dict[int, Alias], text: str) -> Plan:
    """The plan with the collections around these aliases edited, and the aliases spelled."""
    if isinstance(part, (SequenceEdit, MappingEdit)):
        return _mapped(part, lambda inner: _opened(inner, stale, text))
    if isinstance(part, Fresh):
        return part
    if isinstance(part, Alias):
        return Fresh(spelled(part.target, text), part.target, part) if id(part) in stale else part
    if not any(part.start <= alias.start < part.end for alias in stale.values()):
        return part
    if isinstance(part, Sequence):
        return _mapped(SequenceEdit(part, part.items), lambda inner: _opened(inner, stale, text))
    if isinstance(part, Mapping):
        return _mapped(
            MappingEdit(part, tuple(entries_of(part))), lambda inner: _opened(inner, stale, text)
        )
    return part


#: Shorter texts are read as a whole just as quickly.
_WORTHWHILE = 20_000


@dataclass(frozen=True, slots=True)
class _Step:
    """On the way down to the edit: the collection and which of its parts the edit is in."""

    node: Sequence | Mapping
    index: int
    plan: Plan
    item: Item


def read_locally(
    tree: YamlTree, splicer: Splicer, plan: Plan, splices: list[Splice]
) -> Node | None:
    """The root as the edited text would give it, unedited nodes shared with `tree`; None when that
    is not sure.

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
        read = compose_document(SourceText(None, b"", text)).root
    except (CannotSplice, FormatError):
        return None
    if isinstance(last.node, Sequence):
        wanted: Plan = SequenceEdit(last.node, (last.plan,))
        value = read.items[0] if isinstance(read, Sequence) and len(read.items) == 1 else None
    else:
        wanted = MappingEdit(
            last.node,
            (EntryEdit(get_key_text(last.node.entries[last.index][0]) or "", last.plan, 0),),
        )
        value = read.entries[0][1] if isinstance(read, Mapping) and len(read.entries) == 1 else None
    if read is None or value is None or read.flow != last.node.flow:  # type: ignore[attr-defined]
        return None
    if not fits(wanted, read, splicer.text, text, aliases=False):
        return None
    for step in reversed(steps):
        value = _with_part(step.node, step.index, value)
    return value


def _way_down(splicer: Splicer, plan: Plan) -> list[_Step]:
    """As long as one part alone of a block collection is edited, and nothing comes, goes or
    moves."""
    steps: list[_Step] = []
    while isinstance(plan, (SequenceEdit, MappingEdit)) and not plan.node.flow:
        node = plan.node
        parts = list(list_edit_parts(plan))
        children = (
            node.items if isinstance(node, Sequence) else [value for _, value in node.entries]
        )
        if len(parts) != len(children) or any(part[0] != index for index, part in enumerate(parts)):
            break
        if isinstance(node, Mapping) and any(
            part[1] != get_key_text(key) for part, (key, _) in zip(parts, node.entries, strict=True)
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
