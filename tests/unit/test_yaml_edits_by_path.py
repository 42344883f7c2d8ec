"""Edits of the text that a typed model cannot say, and the repairs that are made of them."""

from __future__ import annotations

import pytest

from editor_app.formats.source import SourceText
from editor_app.formats.xrdf import read_xrdf
from editor_app.formats.xrdf.repair import keep_one, merge_duplicates, rename_key, rewrite_scalar
from editor_app.formats.yaml.edits import (
    CannotEdit,
    Delete,
    Edit,
    InsertItem,
    InsertKey,
    Move,
    RenameKey,
    SetValue,
    edit_text,
)

TEXT = "# top\nlist:  # l\n- a  # 1\n# two\n- b\nmap: {x: 1, y: [2, 3]}\nbase: &b {p: 1}\nuse: *b\n"


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (SetValue(("map", "y", 0), 5), "[2, 3]", "[5.0, 3]"),
        (SetValue(("list", 1), "c"), "- b", "- c"),
        (SetValue(("map",), None), "{x: 1, y: [2, 3]}", "null"),
        (InsertItem(("list",), "c", 1), "- a  # 1\n", "- a  # 1\n- c\n"),
        (InsertItem(("map", "y"), 4.5), "[2, 3]", "[2, 3, 4.5]"),
        (InsertKey(("map",), "z", "q", "x"), "x: 1, ", "x: 1, z: q, "),
        (InsertKey((), "new", {"k": [1.0]}, "map"), "[2, 3]}\n", "[2, 3]}\nnew:\n  k: [1.0]\n"),
        (Delete(("list", 0)), "- a  # 1\n", ""),
        (Delete(("map", "x")), "{x: 1, y", "{y"),
        (RenameKey(("map", "x"), "xx"), "{x:", "{xx:"),
        (Move(("list", 1), 0), "- a  # 1\n# two\n- b\n", "# two\n- b\n- a  # 1\n"),
        (SetValue(("use", "p"), 2), "use: *b", "use: {p: 2.0}"),
    ],
)
def test_one_edit_changes_one_place(edit: Edit, old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    assert edit_text(SourceText.from_text(TEXT), [edit]).source.text == TEXT.replace(old, new)


def test_edits_follow_each_other() -> None:
    edits: list[Edit] = [Delete(("list", 0)), SetValue(("list", 0), "z"), Delete(("map",))]
    assert edit_text(SourceText.from_text(TEXT), edits).source.text == (
        "# top\nlist:  # l\n# two\n- z\nbase: &b {p: 1}\nuse: *b\n"
    )


@pytest.mark.parametrize(
    "edit", [SetValue(("nothing", 1), 2), Delete(("list", 7)), RenameKey(("list", 0), "x"), Delete(())]
)
def test_a_path_that_leads_nowhere_is_refused(edit: Edit) -> None:
    with pytest.raises(CannotEdit):
        edit_text(SourceText.from_text(TEXT), [edit])


DUPLICATES = "self_collision:\n  ignore:\n    a: [b, c]   # one\n    x: [w]\n    a: [c, d]   # two\n    a: [e]\n"


def test_duplicates_are_kept_first_last_or_united() -> None:
    source = read_xrdf(SourceText.from_text(DUPLICATES))
    path = ("self_collision", "ignore", "a")
    first = keep_one(source, path, "first").source.text
    assert first == "self_collision:\n  ignore:\n    a: [b, c]   # one\n    x: [w]\n"
    last = keep_one(source, path, "last").source.text
    assert last == "self_collision:\n  ignore:\n    x: [w]\n    a: [e]\n"
    united = read_xrdf(merge_duplicates(source, path).source)
    assert united.findings == ()
    assert united.xrdf.self_collision is not None
    assert united.xrdf.self_collision.ignore == {"x": ("w",), "a": ("b", "c", "d", "e")}


def test_odd_spellings_and_keys_are_put_right() -> None:
    text = "colision:  # c\n  geometry: g\ndefault_joint_positions: {a: 1e-05, b: '2.5', c: 012}\ntool_frames: [yes]\n"
    source = read_xrdf(SourceText.from_text(text))
    for path in (("default_joint_positions", "a"), ("default_joint_positions", "b"), ("default_joint_positions", "c")):
        source = read_xrdf(rewrite_scalar(source, path).source)
    source = read_xrdf(rewrite_scalar(source, ("tool_frames", 0), as_name=True).source)
    source = read_xrdf(rename_key(source, ("colision",), "collision").source)
    assert source.findings == ()
    assert source.source.text == (
        'collision:  # c\n  geometry: g\ndefault_joint_positions: {a: 0.00001, b: 2.5, c: 12.0}\ntool_frames: ["yes"]\n'
    )
