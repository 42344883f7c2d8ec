"""A draft in version 2.0 says the same as one in 1.0, and its readers find nothing to say about the
format."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.model.urdf import Link, Urdf
from editor_app.core.text.source import SourceText
from editor_app.version import __version__
from tests.helpers.documents import URDF


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_draft_is_complete_in_both_versions(version: str) -> None:
    urdf = read_urdf(SourceText.from_text(URDF)).value
    read = read_xrdf(SourceText.from_text(draft_xrdf(urdf, version=version)))
    assert read.findings == ()
    assert read.value.format_version == version
    usual = read_xrdf(SourceText.from_text(draft_xrdf(urdf))).value
    assert replace(read.value, format_version="1.0") == usual
    assert usual.world_collision is not None


def test_the_first_line_says_what_was_drafted_by_which_version() -> None:
    text = draft_xrdf(Urdf(name="arm\nformat: none # x", links=(Link("base"),)))
    first, second, *_ = text.splitlines()
    assert first == f"# arm_format_none_x, drafted from its URDF by XRDF Editor {__version__}."
    assert second == "format: xrdf", "a name from a file makes no line of its own"
