"""Every element and attribute stands where the parser says, what is not well-formed is tolerated or
refused in time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlDocument, parse_xml
from tests.helpers.robots import example_urdfs


def parse(text: str) -> XmlDocument:
    return parse_xml(SourceText.from_text(text))


def check_spans(document: XmlDocument) -> int:
    text = document.source.text
    count = 0
    for element in document.root.walk():
        assert text.startswith("<" + element.tag, element.start)
        assert text[element.start_end - 1] == ">"
        if element.self_closing:
            assert text[element.start_end - 2] == "/"
            assert element.end == element.end_start == element.start_end
        else:
            assert text.startswith("</" + element.tag, element.end_start)
            assert text[element.end - 1] == ">"
        for attribute in element.attributes:
            assert text.startswith(attribute.name, attribute.start)
            assert (
                text[attribute.quote_offset] == text[attribute.value_end] == text[attribute.end - 1]
            )
            if "&" not in text[attribute.value_start : attribute.value_end]:
                assert " ".join(
                    text[attribute.value_start : attribute.value_end].split()
                ) == " ".join(attribute.value.split())
        count += 1
    return count


def test_spans_of_real_robots() -> None:
    assert (
        sum(check_spans(parse_xml(SourceText.read(path))) for path in example_urdfs()[::3]) > 5000
    )


def test_spans_with_references_quotes_and_characters_beyond_ascii() -> None:
    text = (
        "<!-- ü -->\r\n<robot näme='a>b\"' b = \"&lt;é&#65;\"\n\tc='😀'><ünit/>\r\n é <x>&amp;😀</x "
        ">\n</robot>"
    )
    document = parse(text)
    check_spans(document)
    root = document.root
    assert [a.value for a in root.attributes] == ['a>b"', "<éA", "😀"]
    assert root.children[1].text == "&😀"
    assert document.text_of(root.children[1]) == "<x>&amp;😀</x >"
    assert document.location(root.children[1]).line == 4
    assert document.location(root.children[1]).column == 4


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "utf-16"])
def test_spans_do_not_depend_on_the_encoding(encoding: str) -> None:
    text = (
        f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><robot name="é"><link '
        'name="b"/></robot>'
    )
    document = parse_xml(SourceText.from_bytes(text.encode(encoding)))
    check_spans(document)
    assert document.root.get("name") == "é"


ROBOT = '<robot name="r">\n  <link name="a"/>\n</robot>'


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('<?xml version="0.0"?>\n' + ROBOT, "XML001", 1),
        ('<!-- first -->\n<?xml version="1.0"?>\n' + ROBOT, "XML002", 2),
        ('\n<?xml version="1.0" encoding="utf-8"?>' + ROBOT, "XML002", 2),
        (ROBOT.replace("<link", '<xacro:x a="1"/><link'), "XML003", 2),
        (ROBOT.replace("<link", '<x a:b="1"/><link'), "XML003", 2),
        (ROBOT + "\n\nmore ü", "XML004", 5),
        (ROBOT + "\n</robot>", "XML004", 4),
        (ROBOT + ROBOT, "XML004", 3),
        ("<!-- a -- b -->" + ROBOT + "<!-- --->", "XML005", 1),
    ],
)
def test_what_other_readers_take_is_tolerated_and_told(text: str, code: str, line: int) -> None:
    document = parse(text)
    assert {f.code for f in document.tolerated} == {code}
    assert document.tolerated[0].location is not None
    assert document.tolerated[0].location.line == line
    assert document.source.text == text
    check_spans(document)
    assert any(child.get("name") == "a" for child in document.root.children)


def test_all_that_is_tolerated_at_once() -> None:
    text = (
        '\n<?xml version="0.0"?><!-- <?xml ?> -- -->'
        + ROBOT.replace("<link", "<a:x/><link")
        + " trailing"
    )
    document = parse(text)
    assert [f.code for f in document.tolerated] == ["XML002", "XML005", "XML003", "XML004"]
    check_spans(document)


@pytest.mark.parametrize(
    ("text", "line", "column", "remedy"),
    [
        ("", 1, 1, "empty"),
        ("<robot>\n<link></robot>", 2, 9, "<link> of line 2"),
        ("<robot>\n<link>", 2, 7, "<link> of line 2 is never closed"),
        ('<robot>\n <link a="1" a="2"/></robot>', 2, 14, "one of the two"),
        ("<robot>\n é & b</robot>", 2, 5, "&"),
        ("<robot>\n <link a=1/></robot>", 2, 10, "quote"),
        ("robot: 1", 1, 1, "tag"),
        ('<?xml version="0.0"?>\n<robot><a></robot>', 2, 13, "<a> of line 2"),
    ],
)
def test_malformed_text_is_one_message_with_its_place_and_a_remedy(
    text: str, line: int, column: int, remedy: str
) -> None:
    with pytest.raises(FormatError) as caught:
        parse(text)
    assert (caught.value.location.line, caught.value.location.column) == (line, column)
    assert remedy in str(caught.value)


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
HOSTILE = {
    "billion laughs": f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><r>&l11;</r>',
    "external entity": '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
    "parameter entity": '<!DOCTYPE r [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x"> %x;]><r/>',
    "undeclared with a foreign type": '<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd"><r>&x;</r>',
    "deep nesting": "<a>" * 1_000_000,
    "open comments": "<r>" + "<!-- " * 400_000,
    "open declarations": "<r>" + "<?xml " * 400_000,
    "many declarations": '<?xml version="0.0"?>' * 100_000 + "<r",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_in_time(name: str) -> None:
    begun = time.process_time()
    with pytest.raises(FormatError):
        parse(HOSTILE[name])
    assert time.process_time() - begun < 3


def test_a_document_type_without_entities_does_no_harm() -> None:
    assert parse('<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/x.dtd">' + ROBOT).root.tag == "robot"


@given(st.text(alphabet="<>/ab=\"'! -?x&;\n é", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        document = parse(text)
    except FormatError:
        return
    check_spans(document)
