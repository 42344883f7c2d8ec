"""What can be folded in a text follows from indentation and tags, also where it cannot be read."""

from __future__ import annotations

import pytest

from editor_app.core.document.state import FileKind
from editor_app.core.verbs.text_folds import folds


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a:\n  b: 1\n\n# note\nc: 2\n", [(1, 2)]),
        ("a:\n  b:\n    c: 1\n  d: 2\n", [(1, 4), (2, 3)]),
        ("a:\n- b: 1\n  c: 2\n- d\ne: 3\n", [(1, 4), (2, 3)]),
        ("a:\n  - [1,\n     2]\nunfinished [\n", [(1, 3), (2, 3)]),
        ("a: 1\nb: 2\n", []),
    ],
)
def test_yaml_folds_by_indentation(text: str, lines: list[tuple[int, int]]) -> None:
    assert [(fold.first, fold.last) for fold in folds(text)] == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("<robot>\n<link>\n<visual/>\n</link>\n</robot>", [(1, 4), (2, 3)]),
        ("<robot>\n<!-- a\n<link>\nb -->\n</robot>", [(1, 4), (2, 4)]),
        ('<a b="1 > 2"\n c="/">\n<d>\n</a>', [(1, 3)]),
        ("<a>\n</b>\n<c>\n1\n</c>", [(3, 4)]),
        ("<a><b>\n1\n</b></a>", [(1, 2)]),
    ],
)
def test_xml_folds_by_elements_and_comments(text: str, lines: list[tuple[int, int]]) -> None:
    assert [(fold.first, fold.last) for fold in folds(text, FileKind.URDF)] == lines
