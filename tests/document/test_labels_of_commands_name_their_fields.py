"""A label that is made of a command's fields names no field that the command lacks, and counts what
it is told to."""

from __future__ import annotations

from dataclasses import fields
from string import Formatter

import pytest

from editor_app.core.document import commands
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import Label
from editor_app.core.model.xrdf import LinkPair

KINDS = [kind for name in dir(commands) if isinstance(kind := getattr(commands, name), type)]
LABELLED = [kind for kind in KINDS if isinstance(vars(kind).get("label"), Label)]


@pytest.mark.parametrize("kind", LABELLED, ids=lambda kind: kind.__name__)
def test_every_field_in_a_label_is_there(kind: type) -> None:
    named = {place.partition(".")[0] for _, place, _, _ in Formatter().parse(kind.label) if place}  # type: ignore[attr-defined]
    assert named <= {field.name for field in fields(kind)}  # type: ignore[arg-type]


def test_labels_count_and_call_a_single_thing_by_its_name() -> None:
    pairs = (LinkPair("arm", "base"), LinkPair("arm", "base"))
    assert commands.SetMask(pairs=pairs).label == "Ignore arm and base"
    two = FrozenDict({pairs[0]: "User", LinkPair("arm", "tool"): "User"})
    assert commands.SetItems("srdf.disabled_pairs", two).label == "Disable 2 pairs"
    assert (
        commands.SetItems("srdf.disabled_pairs", FrozenDict(dict.fromkeys(pairs, "User"))).label
        == "Disable 1 pair"
    )
    assert (
        commands.set_item("xrdf.self_collision.buffer_distance", "arm", 0.1).label
        == "Set self-collision buffer of arm"
    )
    assert (
        commands.set_item("srdf.margins.pairs", pairs[0], None).label
        == "Remove margin of arm and base"
    )
