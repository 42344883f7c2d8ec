"""Composing: the same tree from libyaml and from Python, with exact places, whatever the text is
like."""

from __future__ import annotations

import time
from random import Random

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import Mapping, Scalar, walk_nodes
from editor_app.core.text.yaml.scalars import (
    format_number,
    format_string,
    parse_number,
    reads_differently_in_yaml_1_1,
    resolve,
    to_value,
)
from tests.helpers.breadth import examples
from tests.helpers.xrdf_texts import TEXTS, RandomEdits, real_texts

ALL = {**TEXTS, **real_texts()}


@pytest.mark.parametrize("name", sorted(ALL))
def test_the_text_at_a_scalars_place_is_the_scalar(name: str) -> None:
    text = ALL[name]
    for _, node in walk_nodes(compose_document(SourceText.from_text(text)).root):
        raw = text[node.start : node.end]
        if isinstance(node, Scalar) and node.anchor is None and "\n" not in raw:
            assert raw == node.value if node.style == "" else raw[:1] == raw[-1:] == node.style


def test_values_are_those_of_yaml_1_2() -> None:
    text = (
        "{a: 012, b: yes, c: 1e-04, d: 0o17, e: 0x1F, f: ~, g: True, h: 1_000, i: '1', j: !!str 1, "
        "k: .INF, "
        "l: +1.5, m: 1., n: .5, o: 2024-01-01, p: 1:30, q: null, r: , s: !!float 1, t: NO}"
    )
    root = compose_document(SourceText.from_text(text)).root
    assert root is not None
    value = to_value(root)
    assert value == {
        "a": 12,
        "b": "yes",
        "c": 1e-4,
        "d": 15,
        "e": 31,
        "f": None,
        "g": True,
        "h": "1_000",
        "i": "1",
        "j": "1",
        "k": float("inf"),
        "l": 1.5,
        "m": 1.0,
        "n": 0.5,
        "o": "2024-01-01",
        "p": "1:30",
        "q": None,
        "r": None,
        "s": 1.0,
        "t": "NO",
    }


def test_line_separators_of_yaml_1_1_are_ordinary_characters() -> None:
    root = compose_document(SourceText.from_text("a: x\u2028y\nb: z\x85w # c\u2029d\n")).root
    assert root is not None
    assert to_value(root) == {"a": "x\u2028y", "b": "z\x85w"}


def digits(number: str) -> str:
    return number.partition("e")[0].lstrip("-").replace(".", "").strip("0")


@settings(max_examples=examples(300), deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(2e-08)
def test_a_number_reads_back_the_same_everywhere(value: float) -> None:
    text = format_number(value)
    assert "." in text
    assert parse_number(text) == value
    assert yaml.safe_load(text) == value
    assert not reads_differently_in_yaml_1_1(Scalar(0, len(text), None, None, text, ""))
    # The shortest: the digits that repr has; with few zeros in front of them it has no exponent.
    assert digits(text) == digits(repr(value))
    assert len(text) <= len(repr(value)) + 5


@settings(max_examples=examples(300), deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.sampled_from(["", "'", '"'])
)
def test_a_string_reads_back_the_same_everywhere(text: str, quote: str) -> None:
    written = format_string(text, quote)
    for shape in (f"a: {written}\n", f"[{written}]\n", f"{{{written}: 1}}\n", f"- {written} # c\n"):
        root = compose_document(SourceText.from_text(shape)).root
        scalars = [node for _, node in walk_nodes(root) if isinstance(node, Scalar)]
        if isinstance(root, Mapping):
            scalars += [key for key, _ in root.entries if isinstance(key, Scalar)]
        assert any(resolve(node) == text and isinstance(resolve(node), str) for node in scalars)
        old = yaml.safe_load(shape)
        assert text in (old if isinstance(old, list) else [*old.keys(), *old.values()])


BITS = (
    *(
        "&a ",
        "*a",
        "<<: ",
        "- ",
        "? ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        "|\n",
        ">-\n",
        '"',
        "'",
        "#",
        " ",
        "\t",
        "\n",
        "\r",
    ),
    *(
        "\x85",
        "\u2028",
        "\ufeff",
        "\x00",
        "!!str ",
        "!x ",
        "%",
        "---\n",
        "...\n",
        ".nan",
        "1e400",
        "0x",
        "~",
        ",",
    ),
    *("\\", "é", "😀", "@", "`", "a: b"),
)


@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(ALL)), st.integers(0, 2**32))
def test_mangled_files_end_in_a_clear_message(name: str, seed: int) -> None:
    """Mutations of real texts: read, patched, or refused with a place; nothing else."""
    random = Random(seed)
    characters = list(ALL[name])
    for _ in range(random.randint(1, 5)):
        place = random.randrange(len(characters) + 1)
        kind = random.randrange(4)
        if kind == 0:
            del characters[place : place + random.randint(1, 8)]
        elif kind == 1 and characters:
            start = random.randrange(len(characters))
            characters[place:place] = characters[start : start + random.randint(1, 40)]
        elif kind == 2:
            characters = characters[:place] if random.random() < 0.2 else characters
        else:
            characters[place : place + random.randint(0, 1)] = list(random.choice(BITS))
    try:
        source = read_xrdf(SourceText.from_text("".join(characters)))
        wanted = RandomEdits(random).edited(source.value)
        assert patch_xrdf(source, wanted).written.value == wanted
    except FormatError as error:
        if error.location.line is None:
            raise


HOSTILE = {
    "flow nesting": "[" * 100_000,
    "dashes": "- " * 100_000,
    "alias bomb": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20)
    ),
    "spheres by aliases": "geometry:\n  g: &g\n    spheres:\n      l0: &l ["
    + "{center: [0,0,0], radius: 1}," * 1000
    + "]\n"
    + "".join(f"      l{i}: *l\n" for i in range(1, 1000))
    + "".join(f"  g{i}: *g\n" for i in range(1000)),
    "one key a hundred thousand times": "a: 1\n" * 100_000,
    "a number of a million digits": "default_joint_positions: {a: " + "9" * 1_000_000 + "}\n",
    "a long scalar": "a: " + "x" * 3_000_000 + "\n",
    "merges": "b: &b {x: 1}\na: {" + "<<: *b, " * 20_000 + "y: 1}\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_done_with_in_seconds(name: str) -> None:
    started = time.process_time()
    try:
        source = read_xrdf(SourceText.from_text(HOSTILE[name]))
        assert source.findings
    except FormatError as error:
        if error.location.line is None:
            raise
    assert time.process_time() - started < 10


def test_a_bom_is_no_part_of_the_text() -> None:
    source = SourceText.from_bytes(b"\xef\xbb\xbfa: \xc3\xa4\r\n")
    assert (source.text, source.bom, source.encoding) == ("a: ä\r\n", True, "utf-8")
    assert source.with_text("b").data == b"\xef\xbb\xbfb"


def test_bytes_that_are_no_text_are_told_with_their_line() -> None:
    with pytest.raises(FormatError) as caught:
        SourceText.from_bytes(b"a: 1\nb: \xff\n")
    assert (caught.value.location.line, caught.value.location.column) == (2, 4)


@given(st.text("ab\r\n", max_size=30), st.integers(0, 30))
def test_offset_and_line_column_are_inverse(text: str, offset: int) -> None:
    source = SourceText.from_text(text)
    offset = min(offset, len(text))
    assert source.offset(*source.line_column(offset)) == offset
