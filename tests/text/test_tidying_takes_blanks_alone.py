"""Formatting a text takes blanks at line ends and ends the last line: never a word, a comment, or
the meaning."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from editor_app.core.formats.tidy import tidy_xml, tidy_yaml
from tests.helpers.robots import sample_urdf


def tidied(text: str, *, is_xml: bool = False) -> str:
    for start, end, new in reversed(tidy_xml(text) if is_xml else tidy_yaml(text)):
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: 1  \nb: [1,  2] \t# why  \n", "a: 1\nb: [1,  2] \t# why\n"),
        ("a: 1 \r\nb: 2", "a: 1\r\nb: 2\r\n"),
        ("a: |\n  text  \n  more\nb: 1  \n", "a: |\n  text  \n  more\nb: 1\n"),
        ('a: "one  \n  two" \n', 'a: "one  \n  two"\n'),
        ("# robot \u00e4\u00f6  \nna\u00efve: 1  ", "# robot \u00e4\u00f6\nna\u00efve: 1\n"),
        ("a: [1,  \n", "a: [1,  \n"),
        ("", ""),
    ],
)
def test_yaml(text: str, wanted: str) -> None:
    assert tidied(text) == wanted
    assert tidied(wanted) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "<robot name='r'>  \n  <link  name='a'/> <!-- x  -->  \n</robot>",
            "<robot name='r'>\n  <link  name='a'/> <!-- x  -->\n</robot>\n",
        ),
        ("<robot><a>one  \ntwo</a></robot>\n", "<robot><a>one  \ntwo</a></robot>\n"),
        ("<robot>  \n", "<robot>  \n"),
        ("<!DOCTYPE r [<!ENTITY e 'x'>]>  \n<r/>", "<!DOCTYPE r [<!ENTITY e 'x'>]>  \n<r/>"),
    ],
)
def test_xml(text: str, wanted: str) -> None:
    assert tidied(text, is_xml=True) == wanted


def test_a_robot_that_is_tidy_stays() -> None:
    assert tidy_xml(sample_urdf().read_text(encoding="utf-8")) == ()
    assert tidy_yaml(sample_urdf().with_suffix(".xrdf").read_text(encoding="utf-8")) == ()


@given(st.text(alphabet="ab:- #\"'|>\t\n {}[],", max_size=60))
def test_whatever_is_written_means_the_same(text: str) -> None:
    loader = yaml.CSafeLoader
    try:
        before = yaml.load(text, loader)
    except (yaml.YAMLError, ValueError, TypeError):
        return
    assert yaml.load(tidied(text), loader) == before


def test_xml_means_the_same() -> None:
    text = sample_urdf().read_text(encoding="utf-8").replace(">\n", ">  \n")
    after = tidied(text, is_xml=True)
    assert after == sample_urdf().read_text(encoding="utf-8")
    assert ElementTree.canonicalize(after, strip_text=True) == ElementTree.canonicalize(
        text, strip_text=True
    )
