"""The reason of a masked pair is written as a comment and read back as it was, from XRDF to SRDF
and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.cli import run_command
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.mask_reasons import read_reasons, with_reasons
from editor_app.core.formats.xrdf.write import patch_text, xrdf_text
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair, SelfCollisionSection, Xrdf
from editor_app.core.text.source import SourceText
from tests.helpers.documents import CLEAN, URDF

NAMES = st.sampled_from(["base", "upper", "hand", "a: b", "x; base", "1", "naïve", "base: upper"])
REASONS = st.one_of(
    st.sampled_from(
        [
            "Adjacent",
            "upper: Adjacent",
            "base: x; hand: y",
            "# hash",
            "a # b",
            "it's 'quoted'",
            "- dash",
        ]
    ),
    st.text(
        st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cf", "Co", "Cn")),
        min_size=1,
        max_size=30,
    ),
)
IGNORES = st.dictionaries(
    NAMES, st.lists(NAMES, unique=True, max_size=5).map(tuple), min_size=1, max_size=4
)


def masked(ignore: dict[str, tuple[str, ...]]) -> Xrdf:
    return Xrdf(self_collision=SelfCollisionSection("g", ignore=FrozenDict(ignore)))


def read(text: str) -> dict[LinkPair, str]:
    return dict(read_reasons(read_xrdf(SourceText.from_text(text))))


@settings(deadline=None)
@given(IGNORES, st.data())
def test_reasons_come_back_from_a_new_file_and_from_an_old_one(
    ignore: dict[str, tuple[str, ...]], data: st.DataObject
) -> None:
    xrdf = masked(ignore)
    assert xrdf.self_collision is not None
    pairs = sorted(xrdf.self_collision.ignored_pairs())
    reasons = {pair: data.draw(REASONS) for pair in pairs if data.draw(st.booleans())}
    expected = {
        pair: reason.strip(" \t") for pair, reason in reasons.items() if reason.strip(" \t")
    }
    assert read(xrdf_text(xrdf, reasons)) == expected
    # A file that was written without reasons has its pairs in brackets.
    bare = read_xrdf(SourceText.from_text(xrdf_text(xrdf)))
    text = with_reasons(bare, reasons)
    assert read(text) == expected
    written = read_xrdf(SourceText.from_text(text))
    assert written.value == xrdf
    # A second time there is nothing left to add, and nothing is said twice.
    assert with_reasons(written, reasons) == text
    assert patch_text(written, xrdf, reasons) == (text, (), 0)


def test_a_blank_reason_is_none_and_is_not_missed() -> None:
    xrdf = masked({"base": ("upper",)})
    assert xrdf.self_collision is not None
    (pair,) = xrdf.self_collision.ignored_pairs()
    written = read_xrdf(SourceText.from_text(xrdf_text(xrdf)))
    assert patch_text(written, xrdf, {pair: " \t"})[2] == 0


@pytest.mark.parametrize("reason", ["two\nlines", "bell\x07", "break\u2028", "\ufeffmark", "\x85"])
def test_a_reason_that_no_comment_can_hold_is_left_out_and_counted(reason: str) -> None:
    xrdf = masked({"base": ("upper",)})
    source = read_xrdf(SourceText.from_text(xrdf_text(xrdf)))
    text, _, unsaid = patch_text(source, xrdf, {LinkPair.of("base", "upper"): reason})
    assert (text, unsaid) == (source.source.text, 1)
    assert read(xrdf_text(xrdf, {LinkPair.of("base", "upper"): reason})) == {}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "base: [upper, hand]  # upper: Adjacent; hand: Never",
            {"upper": "Adjacent", "hand": "Never"},
        ),
        ("base: [upper, hand]  # hand: ratio 1:2; see note", {"hand": "ratio 1:2; see note"}),
        ("base: [upper, hand]  # checked by eye", {}),
        ("base: [upper]  # Adjacent", {"upper": "Adjacent"}),
        ("base: [upper]  # upper: Adjacent", {"upper": "Adjacent"}),
        ("base:\n      - upper  # upper: Adjacent\n      - hand", {"upper": "Adjacent"}),
    ],
)
def test_forms_of_older_files_are_understood(line: str, expected: dict[str, str]) -> None:
    text = (
        "format: xrdf\nformat_version: 1.0\nself_collision:\n  geometry: g\n  ignore:\n    "
        f"{line}\n"
    )
    assert read(text) == {LinkPair.of("base", other): reason for other, reason in expected.items()}


def test_what_the_mask_writes_is_what_an_srdf_says(tmp_path: Path) -> None:
    urdf, xrdf, out, srdf = (
        tmp_path / n for n in ("arm.urdf", "arm.xrdf", "masked.xrdf", "out.srdf")
    )
    urdf.write_text(URDF)
    xrdf.write_text(CLEAN)
    assert run_command("mask", [str(urdf), str(xrdf), "-o", str(out), "--reasons"]) in (0, 1)
    reasons = read(out.read_text())
    assert reasons, "the mask says why"
    assert run_command("convert", [str(urdf), str(out), str(srdf)]) == 0
    pairs = read_srdf(SourceText.read(srdf)).value.disabled_pairs
    said = {LinkPair.of(p.link1, p.link2): p.reason for p in pairs}
    assert {pair: said[pair] for pair in reasons} == reasons
