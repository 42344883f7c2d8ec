"""Edits of an XML text change their own span, and mean what they say."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.text.source import SourceText
from editor_app.core.text.splices import Splice, apply_splices
from editor_app.core.text.xml.document import XmlDocument, XmlElement, parse_xml
from editor_app.core.text.xml.splices import (
    NewElement,
    delete_element,
    insert_elements,
    remove_attribute,
    set_attribute,
    set_text,
)
from tests.helpers.breadth import examples
from tests.helpers.robots import example_urdfs


def parse(text: str) -> XmlDocument:
    return parse_xml(SourceText.from_text(text))


def edited(source: str, function: object, *path: int, **arguments: object) -> str:
    document = parse(source)
    element = document.root
    for index in path:
        element = element.children[index]
    splices = function(document, element, **arguments)  # type: ignore[operator]
    return apply_splices(source, splices)


def insert_element(
    document: XmlDocument, parent: XmlElement, index: int, new: NewElement
) -> list[Splice]:
    """`new` as child number `index`, at the end when there are fewer."""
    before = parent.children[index] if index < len(parent.children) else None
    last = parent.children[-1] if parent.children and before is None else None
    return [insert_elements(document, parent, [new], after=last, before=before)]


@pytest.mark.parametrize(
    ("text", "name", "value", "expected"),
    [
        ("<r  a='1'\tb=\"2\" />", "a", "3", "<r  a='3'\tb=\"2\" />"),
        ("<r a='1'/>", "a", "it's <&>", "<r a='it&apos;s &lt;&amp;>'/>"),
        ("<r a='1'/>", "c", '"', "<r a='1' c='\"'/>"),
        ("<r/>", "c", '"', '<r c="&quot;"/>'),
        ("<r\n   a='1'\n   b='2'/>", "c", "3", "<r\n   a='1'\n   b='2'\n   c='3'/>"),
        ("<r a='&#49;'/>", "a", "1", "<r a='&#49;'/>"),
        ("<r a='1'></r >", "a", "x\ny", "<r a='x&#10;y'></r >"),
    ],
)
def test_attributes(text: str, name: str, value: str, expected: str) -> None:
    assert edited(text, set_attribute, name=name, value=value) == expected


def test_removing_an_attribute_takes_the_space_before_it() -> None:
    assert edited("<r a='1'\n  b='2' />", remove_attribute, name="b") == "<r a='1' />"
    assert edited("<r a='1'/>", remove_attribute, name="b") == "<r a='1'/>"


def test_text_keeps_the_space_around_it() -> None:
    assert edited("<r> old </r>", set_text, text="a<b") == "<r> a&lt;b </r>"
    assert edited("<r />", set_text, text="new") == "<r>new</r>"
    assert edited("<r>  </r>", set_text, text="new") == "<r>new</r>"
    assert edited("<r> same </r>", set_text, text="same") == "<r> same </r>"


ROBOT = (
    '<robot>\r\n\t<!-- a -->\r\n\t<link name="a"/> <!-- behind '
    "-->\r\n\t<joint/><x/>\r\n</robot>\r\n"
)
NEW = NewElement("new", (("k", "v"),), (NewElement("in", text="t"),))


def test_insertion_takes_indentation_and_line_breaks_of_its_neighbours() -> None:
    block = '<new k="v">\r\n\t\t<in>t</in>\r\n\t</new>'
    # The comment stays above its element.
    assert edited(ROBOT, insert_element, index=0, new=NEW) == ROBOT.replace(
        "<!-- a", block + "\r\n\t<!-- a"
    )
    assert edited(ROBOT, insert_element, index=1, new=NEW) == ROBOT.replace(
        "<joint", block + "\r\n\t<joint"
    )
    # Before <x/>, and at the end, the neighbour stands on the line of another element.
    assert edited(ROBOT, insert_element, index=2, new=NewElement("n")) == ROBOT.replace(
        "<x/>", "<n/><x/>"
    )
    assert edited(ROBOT, insert_element, index=99, new=NewElement("n")) == ROBOT.replace(
        "<x/>", "<x/><n/>"
    )


def test_insertion_into_an_element_without_children() -> None:
    inner = "\r\n\t\t<n/>\r\n\t"
    expected = ROBOT.replace('<link name="a"/>', f'<link name="a">{inner}</link>')
    assert edited(ROBOT, insert_element, 0, index=0, new=NewElement("n")) == expected
    assert edited("<r></r>", insert_element, index=0, new=NewElement("n")) == "<r>\n  <n/>\n</r>"
    assert edited("<r>\n</r>", insert_element, index=0, new=NewElement("n")) == "<r>\n  <n/>\n</r>"


def test_deletion_takes_the_line_when_nothing_else_stands_on_it() -> None:
    text = "<r>\n  <!-- stays -->\n  <a/>\n  <b>\n  </b>\n  <c/> <d/>\n</r>"
    assert edited(text, delete_element, 0) == text.replace("  <a/>\n", "")
    assert edited(text, delete_element, 1) == text.replace("  <b>\n  </b>\n", "")
    assert edited(text, delete_element, 2) == text.replace("<c/>", "")
    assert edited(text, delete_element, 3) == text.replace("<d/>", "")
    assert edited(ROBOT, delete_element, 0) == ROBOT.replace('<link name="a"/>', "")
    with pytest.raises(ValueError, match="root"):
        edited(text, delete_element)


def test_overlapping_splices_and_impossible_values_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply_splices("abcdef", [Splice(1, 4, ""), Splice(3, 5, "")])
    with pytest.raises(ValueError, match="cannot hold"):
        edited("<r/>", set_attribute, name="a", value="\x00")
    with pytest.raises(ValueError, match="XML name"):
        edited("<r/>", set_attribute, name="a b", value="")
    assert apply_splices("ab", [Splice(1, 1, "x"), Splice(1, 1, "y")]) == "axyb"


words = st.sampled_from(["a", "link", "xyz", "é"])
# What XML can hold: no control characters, no surrogates, no carriage return in content that is
# compared by text.
values = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cn")) | st.sampled_from("\t\n<>&\"'"), max_size=8
)
spaces = st.sampled_from(["", " ", "\n  ", "\n\t", "<!-- c -->", "\n<!-- c -->\n "])


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> str:
    tag = draw(words)
    attributes = draw(st.lists(st.tuples(words, values), unique_by=lambda a: a[0], max_size=3))
    quote = draw(st.sampled_from("\"'"))
    head = (
        "<"
        + tag
        + "".join(
            f"{draw(st.sampled_from([' ', '  ', chr(10)]))}{n}={quote}{_quoted(v)}{quote}"
            for n, v in attributes
        )
    )
    if depth == 0 or draw(st.booleans()):
        return head + draw(st.sampled_from(["/>", " />", f"></{tag}>", f"> t </{tag} >"]))
    children = draw(st.lists(trees(depth=depth - 1), max_size=3))
    body = "".join(draw(spaces) + child for child in children) + draw(spaces)
    return f"{head}>{body}</{tag}>"


def _quoted(value: str) -> str:
    for character, reference in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        ('"', "&quot;"),
        ("'", "&#39;"),
        ("\n", "&#10;"),
        ("\t", "&#9;"),
    ):
        value = value.replace(character, reference)
    return value


Shape = tuple[str, dict[str, str], list["Shape"]]


def shape(element: XmlElement) -> Shape:
    return (
        element.tag,
        {a.name: a.value for a in element.attributes},
        [shape(c) for c in element.children],
    )


@settings(max_examples=examples(150))
@given(trees(), st.randoms(use_true_random=False), words, values)
def test_any_edit_means_what_it_says_and_can_be_taken_back(
    text: str, random_: random.Random, name: str, value: str
) -> None:
    document = parse(text)
    elements = list(document.root.walk())
    number = random_.randrange(len(elements))
    element = elements[number]

    changed = apply_splices(text, set_attribute(document, element, name, value))
    again = list(parse(changed).root.walk())[number]
    before = {a.name: a.value for a in element.attributes}
    assert {a.name: a.value for a in again.attributes} == {**before, name: value}
    if name not in before:
        back = parse(changed)
        assert (
            apply_splices(changed, remove_attribute(back, list(back.root.walk())[number], name))
            == text
        )

    index = random_.randint(0, len(element.children))
    new = NewElement(name, (("k", value),), (NewElement("c", text="t"),))
    grown = parse(apply_splices(text, insert_element(document, element, index, new)))
    host = list(grown.root.walk())[number]
    assert shape(host.children[index]) == (name, {"k": value}, [("c", {}, [])])
    shrunk = apply_splices(grown.source.text, delete_element(grown, host.children[index]))
    assert shape(parse(shrunk).root) == shape(document.root)
    opened = text
    if element.self_closing:
        opened = (
            f"{text[: element.start_end - 2].rstrip()}></{element.tag}>{text[element.start_end :]}"
        )
    assert (
        "".join(shrunk.split()) in ("".join(text.split()), "".join(opened.split()))
        or "<!--" in text
    )


def test_edits_of_a_real_robot_touch_one_span_each() -> None:
    path = next(p for p in example_urdfs() if p.name == "panda.urdf")
    source = SourceText.read(path)
    document = parse_xml(source)
    joint = document.root.all("joint")[3]
    origin = joint.child("origin")
    assert origin is not None
    splices = [
        *set_attribute(document, origin, "xyz", "1 2 3"),
        *set_attribute(document, joint, "name", "renamed"),
        *insert_element(document, joint, 99, NewElement("mimic", (("joint", "j"),))),
        *delete_element(document, document.root.all("link")[-1]),
    ]
    new = apply_splices(source.text, splices)
    kept = len(source.text) - sum(s.end - s.start for s in splices)
    assert len(new) == kept + sum(len(s.text) for s in splices)
    again = parse_xml(SourceText.from_text(new)).root
    assert again.all("joint")[3].get("name") == "renamed"
    assert again.all("joint")[3].children[-1].tag == "mimic"
    assert len(again.all("link")) == len(document.root.all("link")) - 1
    assert source.with_text(apply_splices(source.text, [])).data == source.data
