"""Edits of the text that a typed model cannot say, and the repairs that are made of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.changes import (
    CannotEdit,
    Delete,
    Edit,
    InsertKey,
    RenameKey,
    SetValue,
    edit_text,
)
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import Mapping, Node, Sequence, find_node, get_key_text
from editor_app.core.text.yaml.plan import EntryEdit, Fresh, MappingEdit, Plan, SequenceEdit
from editor_app.core.text.yaml.splices import carry_out
from editor_app.features.checks.engine.fixes import keep_one, merge_duplicates, respelled

TEXT = "# top\nlist:  # l\n- a  # 1\n# two\n- b\nmap: {x: 1, y: [2, 3]}\nbase: &b {p: 1}\nuse: *b\n"


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (SetValue(("map", "y", 0), 5), "[2, 3]", "[5.0, 3]"),
        (SetValue(("list", 1), "c"), "- b", "- c"),
        (SetValue(("map",), None), "{x: 1, y: [2, 3]}", "null"),
        (InsertKey(("map",), "z", "q"), "3]}", "3], z: q}"),
        (InsertKey((), "new", {"k": [1.0]}), "use: *b\n", "use: *b\nnew:\n  k: [1.0]\n"),
        (Delete(("list", 0)), "- a  # 1\n", ""),
        (Delete(("map", "x")), "{x: 1, y", "{y"),
        (RenameKey(("map", "x"), "xx"), "{x:", "{xx:"),
        (SetValue(("use", "p"), 2), "use: *b", "use: {p: 2.0}"),
    ],
)
def test_one_edit_changes_one_place(edit: Edit, old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    assert edit_text(SourceText.from_text(TEXT), [edit]).text == TEXT.replace(old, new)


@pytest.mark.parametrize(
    ("key", "change", "old", "new"),
    [
        ("list", lambda a, b: (a, Fresh("c"), b), "- a  # 1\n", "- a  # 1\n- c\n"),
        ("list", lambda a, b: (b, a), "- a  # 1\n# two\n- b\n", "# two\n- b\n- a  # 1\n"),
        ("y", lambda a, b: (a, b, Fresh(4.5)), "[2, 3]", "[2, 3, 4.5]"),
    ],
)
def test_items_come_and_move(
    key: str, change: Callable[[Node, Node], tuple[Plan, ...]], old: str, new: str
) -> None:
    source = SourceText.from_text(TEXT)
    tree = compose_document(source)
    items = find_node(tree.root, ("list",) if key == "list" else ("map", "y"))
    assert isinstance(items, Sequence)
    plan = SequenceEdit(items, change(*items.items))
    assert carry_out(source, tree, _planned(tree.root, items, plan)).source.text == TEXT.replace(
        old, new
    )


@pytest.mark.parametrize(
    ("after", "key", "value", "old", "new"),
    [
        ("x", "z", "q", "x: 1, ", "x: 1, z: q, "),
        ("map", "new", {"k": [1.0]}, "[2, 3]}\n", "[2, 3]}\nnew:\n  k: [1.0]\n"),
    ],
)
def test_entries_come_behind_others(
    after: str, key: str, value: object, old: str, new: str
) -> None:
    source = SourceText.from_text(TEXT)
    tree = compose_document(source)
    mapping = find_node(tree.root, ("map",) if after == "x" else ())
    assert isinstance(mapping, Mapping)
    entries = []
    for index, (name, node) in enumerate(mapping.entries):
        entries.append(EntryEdit(get_key_text(name) or "", node, index))
        entries += [EntryEdit(key, Fresh(value))] if get_key_text(name) == after else []
    plan = MappingEdit(mapping, tuple(entries))
    assert carry_out(source, tree, _planned(tree.root, mapping, plan)).source.text == TEXT.replace(
        old, new
    )


def _planned(node: Node | None, target: Node, plan: Plan) -> Plan:
    """The plan of a whole document in which one node becomes what `plan` says."""
    assert node is not None
    if node is target:
        return plan
    if not isinstance(node, Mapping):
        return node
    values = [_planned(value, target, plan) for _, value in node.entries]
    if all(new is value for new, (_, value) in zip(values, node.entries, strict=True)):
        return node
    names = [get_key_text(key) or "" for key, _ in node.entries]
    return MappingEdit(
        node, tuple(EntryEdit(n, v, i) for i, (n, v) in enumerate(zip(names, values, strict=True)))
    )


def test_edits_follow_each_other() -> None:
    edits: list[Edit] = [Delete(("list", 0)), SetValue(("list", 0), "z"), Delete(("map",))]
    assert edit_text(SourceText.from_text(TEXT), edits).text == (
        "# top\nlist:  # l\n# two\n- z\nbase: &b {p: 1}\nuse: *b\n"
    )


@pytest.mark.parametrize(
    "edit",
    [SetValue(("nothing", 1), 2), Delete(("list", 7)), RenameKey(("list", 0), "x"), Delete(())],
)
def test_a_path_that_leads_nowhere_is_refused(edit: Edit) -> None:
    with pytest.raises(CannotEdit):
        edit_text(SourceText.from_text(TEXT), [edit])


DUPLICATES = (
    "self_collision:\n  ignore:\n    a: [b, c]   # one\n    x: [w]\n    a: [c, d]   # two\n    a: "
    "[e]\n"
)


def test_duplicates_are_kept_first_last_or_united() -> None:
    source = read_xrdf(SourceText.from_text(DUPLICATES))
    path = ("self_collision", "ignore", "a")
    first = edit_text(source.source, keep_one(source, path, last=False)).text
    assert first == "self_collision:\n  ignore:\n    a: [b, c]   # one\n    x: [w]\n"
    last = edit_text(source.source, keep_one(source, path, last=True)).text
    assert last == "self_collision:\n  ignore:\n    x: [w]\n    a: [e]\n"
    united = read_xrdf(edit_text(source.source, merge_duplicates(source, path)))
    assert united.findings == ()
    assert united.value.self_collision is not None
    assert united.value.self_collision.ignore == {"x": ("w",), "a": ("b", "c", "d", "e")}


def test_odd_spellings_and_keys_are_put_right() -> None:
    text = (
        "colision:  # c\n  geometry: g\ndefault_joint_positions: {a: 1e-05, b: '2.5', c: "
        "012}\ntool_frames: [yes]\n"
    )
    source = read_xrdf(SourceText.from_text(text))
    for path in (
        ("default_joint_positions", "a"),
        ("default_joint_positions", "b"),
        ("default_joint_positions", "c"),
    ):
        source = read_xrdf(edit_text(source.source, [respelled(source, path)]))
    edits = [
        respelled(source, ("tool_frames", 0), as_name=True),
        RenameKey(("colision",), "collision"),
    ]
    source = read_xrdf(edit_text(source.source, edits))
    assert source.findings == ()
    assert source.source.text == (
        "collision:  # c\n  geometry: g\ndefault_joint_positions: {a: 0.00001, b: 2.5, c: "
        '12.0}\ntool_frames: ["yes"]\n'
    )
