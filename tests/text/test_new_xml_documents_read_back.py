"""A document that is built anew says what its elements say, and is laid out as what is spliced into
a file."""

from __future__ import annotations

import random

import pytest

from editor_app.core.text.source import SourceText
from editor_app.core.text.xml.document import XmlElement, parse_xml
from editor_app.core.text.xml.morph import format_document
from editor_app.core.text.xml.splices import NewElement, render

PIECES = ("a", "é", "<", "&", '"', "'", ">", "\n", "\t", "\r", "]]>", " ", "𝔘")


def random_element(rng: random.Random, depth: int = 4) -> NewElement:
    def text() -> str:
        return "".join(rng.choices(PIECES, k=rng.randrange(6)))

    attributes = tuple((name, text()) for name in ("name", "xyz", "Ünï")[: rng.randrange(4)])
    tag = rng.choice(("link", "joint", "Gelenk-ß", "a.b"))
    children = (
        tuple(random_element(rng, depth - 1) for _ in range(rng.randrange(4))) if depth else ()
    )
    return NewElement(tag, attributes, children, "" if children else text().strip())


def as_read(element: XmlElement) -> NewElement:
    attributes = tuple((a.name, a.value) for a in element.attributes)
    return NewElement(element.tag, attributes, tuple(map(as_read, element.children)), element.text)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_written_is_read_back(seed: int) -> None:
    new = random_element(random.Random(seed))
    text = format_document(new, encoding="utf-8")
    assert as_read(parse_xml(SourceText.from_text(text)).root) == new
    # lxml writes `>` in an attribute as a reference, which need not be one.
    assert text.replace(
        "&gt;", ">"
    ) == f'<?xml version="1.0" encoding="utf-8"?>\n{render(new)}\n'.replace("&gt;", ">")


def test_a_long_chain_is_written() -> None:
    new = NewElement("end")
    for number in range(3000):
        new = NewElement("link", (("n", str(number)),), (new,))
    text = format_document(new)
    assert text.count("<link") == 3000
    assert text == f'<?xml version="1.0"?>\n{render(new)}\n'


@pytest.mark.parametrize(
    "new",
    [
        NewElement("a", text="\x07"),
        NewElement("a", (("b", "\ufffe"),)),
        NewElement("a b"),
        NewElement("a", (("1", "x"),)),
        NewElement("a", raw="<b>"),
        NewElement("a", children=(NewElement("b", verbatim="<b"),)),
    ],
)
def test_what_xml_cannot_hold_is_refused(new: NewElement) -> None:
    with pytest.raises(ValueError, match=r"."):
        format_document(new)
