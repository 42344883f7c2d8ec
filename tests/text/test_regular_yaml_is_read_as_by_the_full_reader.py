"""Documents of the simplest form take a short way; what they mean there is what the full reader
says, always."""

from __future__ import annotations

import random

import pytest

from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.plain import regular_value
from editor_app.core.text.yaml.scalars import to_value
from tests.helpers.large_files import scene_text

DOCUMENTS = (
    """format: xrdf-editor-scene
version: 1
# Metres.
obstacles:
  - name: "a b"
    box: {size: [0.1, 2, 3e-5]}
    position: [1.0, 2.5, 1.0e-07]
    may_touch: ["x", "y"]
  - name: c

    sphere: {radius: -0.5}
    list:
      - k: 1
        l: 2
      - k: 3
    may_touch: []
""",
    scene_text(3) + 'sphere:\n  "s 1":\n    radius: 1\n',
    "l:\n- a: 1\n  b:\n  - c: 2\n    d: word\n  - c: 5\n  e: -0\n- a: 1E400\nm: other.word-2\n",
)
PIECES = (
    *(
        "  ",
        "- ",
        ": ",
        ":",
        "\n",
        "\n  ",
        "\n- ",
        "\n    ",
        "#",
        '"',
        "'",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ",",
        "1",
        "0",
        "-",
    ),
    *(
        "e5",
        ".",
        "null",
        "yes",
        "&a ",
        "*a",
        "<<",
        "? ",
        "|",
        "\t",
        "a",
        "012",
        "~",
        "é",
        "\r",
        "!!str ",
        "---",
        " #c",
    ),
)


def full(text: str) -> object:
    tree = compose_document(SourceText.from_text(text, None))
    assert tree.root is not None
    return to_value(tree.root)


@pytest.mark.parametrize("text", DOCUMENTS)
def test_regular_documents_take_the_short_way(text: str) -> None:
    assert regular_value(text) is not None
    assert repr(regular_value(text)) == repr(full(text))


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_done_to_a_document_both_ways_say_the_same(seed: int) -> None:
    """1,500 mutations each; about a fifth stays regular."""
    rng = random.Random(seed)
    count = 0
    for _ in range(1500):
        text = rng.choice(DOCUMENTS)
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            text = mutated(text, rng)
        value = regular_value(text)
        if value is not None:
            count += 1
            assert repr(value) == repr(full(text)), text
    assert count > 100


def mutated(text: str, rng: random.Random) -> str:
    kind, place = rng.random(), rng.randrange(len(text) + 1)
    if kind < 0.4:
        return text[:place] + rng.choice(PIECES) + text[place:]
    if kind < 0.7:
        return text[:place] + text[place + rng.choice((1, 1, 2, 3, 8)) :]
    lines = text.split("\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    if kind < 0.85:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one] = " " * rng.randrange(5) + lines[one].lstrip()
    return "\n".join(lines)
