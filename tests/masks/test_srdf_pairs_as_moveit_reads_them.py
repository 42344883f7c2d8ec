"""The SRDF's mask: links left out altogether, pairs taken in again, pairs left out; edits that say
just that."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.srdf import SrdfMask
from editor_app.core.formats.exchange.srdf_to_xrdf import to_xrdf
from editor_app.core.formats.srdf import patch_srdf, read_srdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.srdf import CollisionPair, Srdf
from editor_app.core.model.urdf import Link, Urdf
from editor_app.core.model.xrdf import LinkPair, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.features.masks.verbs.mask_changes import list_masked_pairs
from tests.helpers.breadth import examples

LINKS = ("base", "arm", "wrist", "hand")
PAIRS = tuple(LinkPair.of(a, b) for a, b in itertools.combinations(LINKS, 2))
TEXT = """<?xml version="1.0"?>
<!-- by hand -->
<robot name="arm">
  <disable_default_collisions link="hand"/>
  <enable_collisions link1="hand" link2="base"/>
  <disable_collisions link1="arm" link2="base" reason="Adjacent"/>  <!-- joined -->
</robot>
"""
BASE_ARM, BASE_WRIST = LinkPair.of("base", "arm"), LinkPair.of("base", "wrist")
BASE_HAND, ARM_HAND = LinkPair.of("base", "hand"), LinkPair.of("arm", "hand")


def robot_with(srdf: Srdf | None) -> RobotDescription:
    return RobotDescription(Urdf("arm", links=tuple(Link(name) for name in LINKS)), Xrdf(), srdf)


def read(text: str) -> Srdf:
    return read_srdf(SourceText.from_text(text)).value


def test_whole_links_pairs_taken_in_again_and_pairs_left_out() -> None:
    mask = SrdfMask.of(read(TEXT))
    assert mask.within(PAIRS) == {BASE_ARM, ARM_HAND, LinkPair.of("wrist", "hand")}
    assert mask.reason(BASE_ARM) == "Adjacent"
    assert mask.reason(ARM_HAND) == "all of hand"
    assert mask.reason(BASE_HAND) == ""
    # disable_collisions has the last word.
    again = TEXT.replace("</robot>", '<disable_collisions link1="base" link2="hand"/></robot>')
    assert SrdfMask.of(read(again)).ignores(BASE_HAND)
    assert SrdfMask.of(None).within(PAIRS) == frozenset()


def test_a_comparison_knows_the_pairs_of_whole_links_before_anything_was_computed() -> None:
    pytest.importorskip("PySide6")
    from editor_app.features.masks.window.compare_page import mask_of_srdf

    mask = mask_of_srdf("arm.srdf", read(TEXT), links=LINKS)
    assert mask.pairs == {BASE_ARM, ARM_HAND, LinkPair.of("wrist", "hand")}
    assert mask.reasons[ARM_HAND] == "all of hand"
    assert mask_of_srdf("arm.srdf", read(TEXT)).pairs == {BASE_ARM}


def test_an_edit_changes_its_lines_alone() -> None:
    source = read_srdf(SourceText.from_text(TEXT))
    change = SetMask(
        MaskFile.SRDF, (BASE_WRIST,), FrozenDict({BASE_WRIST: "Never"}), (BASE_ARM, ARM_HAND)
    )
    after = change.apply(robot_with(source.value)).srdf
    assert after is not None
    text = patch_srdf(source, after).written.source.text
    assert set(TEXT.splitlines()) - set(text.splitlines()) == {
        '  <disable_collisions link1="arm" link2="base" reason="Adjacent"/>  <!-- joined -->'
    }
    assert '<enable_collisions link1="arm" link2="hand"/>' in text
    assert '<disable_collisions link1="base" link2="wrist" reason="Never"/>' in text
    mask = SrdfMask.of(read(text))
    assert mask.within(PAIRS) == {BASE_WRIST, LinkPair.of("wrist", "hand")}


def test_taking_a_whole_links_pair_in_again_and_out_leaves_no_trace() -> None:
    before = read(TEXT)
    checked = SetMask(MaskFile.SRDF, checked=(ARM_HAND,)).apply(robot_with(before))
    back = SetMask(MaskFile.SRDF, (ARM_HAND,), FrozenDict({ARM_HAND: "User"})).apply(checked)
    assert back.srdf == before


def test_refusals_say_why() -> None:
    with pytest.raises(CannotApply, match="no SRDF"):
        SetMask(MaskFile.SRDF, checked=(BASE_ARM,)).apply(robot_with(None))
    with pytest.raises(CannotApply, match="camera is not a link"):
        SetMask(MaskFile.SRDF, (LinkPair.of("camera", "base"),)).apply(robot_with(Srdf()))


@st.composite
def _srdfs(draw: st.DrawFn) -> Srdf:
    def some() -> tuple[CollisionPair, ...]:
        pairs = draw(st.lists(st.sampled_from(PAIRS), max_size=4))
        return tuple(
            CollisionPair(p.second, p.first, draw(st.sampled_from((None, "Never")))) for p in pairs
        )

    whole = tuple(draw(st.lists(st.sampled_from(LINKS), max_size=2, unique=True)))
    return Srdf(disabled_pairs=some(), enabled_pairs=some(), default_disabled_links=whole)


@settings(max_examples=examples(150), deadline=None)
@given(_srdfs(), st.frozensets(st.sampled_from(PAIRS)), st.frozensets(st.sampled_from(PAIRS)))
def test_afterwards_exactly_what_was_wanted_is_ignored(
    srdf: Srdf, wanted: frozenset[LinkPair], concerned: frozenset[LinkPair]
) -> None:
    robot = robot_with(srdf)
    before = list_masked_pairs(robot, MaskFile.SRDF, PAIRS)
    after = SetMask.exactly(robot, MaskFile.SRDF, wanted, within=concerned).apply(robot)
    now = list_masked_pairs(after, MaskFile.SRDF, PAIRS)
    assert now & concerned == wanted & concerned
    assert now - concerned == before - concerned
    # The same again changes nothing.
    assert SetMask.exactly(after, MaskFile.SRDF, wanted, within=concerned).apply(after) is after


@settings(max_examples=examples(100), deadline=None)
@given(_srdfs())
def test_a_conversion_takes_the_same_pairs(srdf: Srdf) -> None:
    xrdf = to_xrdf(srdf, robot_with(None).urdf).xrdf
    ignored = (
        xrdf.self_collision.ignored_pairs() if xrdf.self_collision is not None else frozenset()
    )
    assert ignored == SrdfMask.of(srdf).within(PAIRS)
