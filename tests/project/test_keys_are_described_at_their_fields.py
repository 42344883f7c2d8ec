"""A key of an XRDF is a field of the model: reader, writer, schema, hover and comparison know it
from there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from editor_app.core.document.comparison import compare_xrdfs
from editor_app.core.formats.xrdf.read import read_xrdf
from editor_app.core.formats.xrdf.vocabulary import XRDF_VOCABULARY
from editor_app.core.formats.xrdf.write import patch_xrdf, xrdf_text
from editor_app.core.model.keys import KeyField, key_fields
from editor_app.core.model.xrdf import (
    CollisionSection,
    CSpace,
    GeometryGroup,
    SelfCollisionSection,
    Xrdf,
)
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.schema import schema

_SECTIONS: dict[str, Any] = {
    "cspace": CSpace,
    "world_collision": CollisionSection,
    "self_collision": SelfCollisionSection,
}
_PLAIN: dict[str, object] = {
    "str | None": "g",
    "float | None": 0.25,
    "tuple[str, ...] | None": ("a", "b"),
    "tuple[float, ...] | None": (1.5, 2.5),
}
_KEYS = [
    (section, key)
    for section, model in _SECTIONS.items()
    for key in key_fields(model)
    if key.kind in _PLAIN
]


@pytest.mark.parametrize(
    ("section", "key"), _KEYS, ids=[f"{section}.{key.name}" for section, key in _KEYS]
)
def test_each_plain_key_is_read_written_described_and_compared(section: str, key: KeyField) -> None:
    without = Xrdf(format_version="2.0", **{section: _SECTIONS[section]()})
    given = replace(
        without, **{section: replace(getattr(without, section), **{key.name: _PLAIN[key.kind]})}
    )

    assert read_xrdf(SourceText.from_text(xrdf_text(given))).value == given
    source = read_xrdf(SourceText.from_text(xrdf_text(without)))
    assert patch_xrdf(source, given).written.value == given

    described = XRDF_VOCABULARY.place_at((section, key.name))
    assert described is not None
    assert (
        schema("2.0")["properties"][section]["properties"][key.name]["description"]
        == described.sentence
    )

    assert [each.path for each in compare_xrdfs(without, given)] == [f"{section}.{key.name}"]


@pytest.mark.parametrize(
    "model", [CSpace, CollisionSection, SelfCollisionSection, GeometryGroup, Xrdf]
)
def test_each_field_of_a_section_describes_its_key(model: type[Any]) -> None:
    undescribed = set(model.__dataclass_fields__) - {key.name for key in key_fields(model)}
    assert undescribed == ({"name"} if model is GeometryGroup else set())
