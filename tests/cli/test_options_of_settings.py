"""Options of the command line come from the fields of frozen settings: names, types, defaults,
units, limits."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import pytest

from editor_app.cli import list_commands, parser_of
from editor_app.cli._options import add_options, option_values, options_of
from editor_app.core.model.coercion import MisfitError, Validated
from editor_app.core.model.options import (
    FINITE,
    attribute_record,
    comma_separated,
    ends_of,
    from_millimetres,
    is_allowed,
    limited,
    negated,
    option,
)
from editor_app.core.model.refusal import Refused
from editor_app.features.draft.verbs.new_settings import NewSettings
from editor_app.features.masks.engine.options import MaskRequest, MaskRules, ModelOptions
from editor_app.features.spheres.verbs.fit_choices import FitChoices, FitRequest
from editor_app.plugins.collision_shapes.verbs.shape_choices import ShapeChoices


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Settings(Validated):
    """Settings with an option of each kind."""

    number: int | None = option(None, "how many", "N", least=1)
    length: float = option(
        0.0, "a length", "MM", parse=from_millimetres, least=0.0, wanted="a length"
    )
    shift: float = option(0.0, "a shift", **FINITE)
    is_quick: bool = option(False, "quickly")
    floor: bool = option(True, "without a floor", flag="no-floor", parse=negated)
    comments: bool = option(True, "with comments")
    side: Side = option(Side.LEFT, "which side")
    mode: Literal["a", "b"] | None = option(None, "which mode")
    tools: tuple[str, ...] = option((), "a tool", flag="tool")
    joints: tuple[str, ...] | None = option(None, "the joints", type=comma_separated)
    steps: int = limited(3, 2)
    seconds: float = option(1.0, "time", least=0, endless=True)


def read(*arguments: str, names: Sequence[str] = ()) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    add_options(parser, Settings, *names)
    return option_values(parser.parse_args(arguments), Settings)


def test_without_arguments_settings_have_their_defaults() -> None:
    assert Settings(**read()) == Settings()


def test_values_have_the_types_and_units_of_the_fields() -> None:
    values = read(
        "--number", "4", "--length", "250", "--shift", "-2", "--is-quick", "--no-floor", "--no-comments",
        "--side", "right", "--mode", "b", "--tool", "x", "--tool", "y", "--joints", "j1, j2",
    )  # fmt: skip
    assert Settings(**values) == Settings(
        number=4, length=0.25, shift=-2.0, is_quick=True, floor=False, comments=False, side=Side.RIGHT, mode="b",
        tools=("x", "y"), joints=("j1", "j2"),
    )  # fmt: skip


def test_only_the_named_options_are_added() -> None:
    assert read("--number", "4", names=["number", "side"]) == {"number": 4, "side": "left"}
    with pytest.raises(SystemExit):
        read("--length", "1", names=["number"])


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("--number=0", "--number must be 1 or more, not 0"),
        ("--length=-1", "--length must be a length, not -1.0"),
        ("--length=nan", "--length must be a length, not nan"),
        ("--shift=-inf", "--shift must be a finite number, not -inf"),
        ("--seconds=nan", "--seconds must be 0 or more, not nan"),
    ],
)
def test_a_value_beyond_its_limit_is_refused_by_its_option(argument: str, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        read(argument)
    assert str(refused.value) == sentence


def test_scripts_meet_the_same_limits() -> None:
    wrong: dict[str, Any] = {"number": 0, "length": -0.1, "shift": math.nan, "steps": 1}
    for name, value in wrong.items():
        with pytest.raises(MisfitError, match=f"Settings.{name} must be"):
            Settings(**{name: value})
    assert Settings(number=10**400, seconds=math.inf).number == 10**400


def test_a_choice_that_does_not_exist_ends_the_command() -> None:
    for arguments in (("--side", "up"), ("--mode", "c"), ("--number", "x")):
        with pytest.raises(SystemExit):
            read(*arguments)


def test_each_option_of_the_settings_belongs_to_its_command() -> None:
    for command, settings in (
        ("fit", (FitChoices, FitRequest)), ("mask", (MaskRules, ModelOptions, MaskRequest)), ("new", (NewSettings,)),
    ):  # fmt: skip
        flags = {flag for action in parser_of(command)._actions for flag in action.option_strings}
        for each in settings:
            for name, field in options_of(each).items():
                assert "--" + (field.metadata.get("flag") or name).replace("_", "-") in flags, (
                    command,
                    name,
                )


@pytest.mark.parametrize("settings", [FitChoices, MaskRequest, ModelOptions, ShapeChoices])
def test_the_window_offers_only_values_that_the_settings_allow(settings: type) -> None:
    fields = [field for field in options_of(settings).values() if "ends" in field.metadata]
    assert fields
    for field in fields:
        parse = field.metadata.get("parse", lambda value, _: value)
        assert all(is_allowed(field, parse(end, "")) for end in ends_of(settings, field.name)), (
            field.name
        )


def test_every_command_can_be_parsed() -> None:
    assert [name for name in list_commands() if not parser_of(name).format_help()] == []


def test_a_record_has_the_attributes_in_order() -> None:
    record = attribute_record(Settings(number=2), "side", "number", length_m="length")
    assert list(record.items()) == [("side", Side.LEFT), ("number", 2), ("length_m", 0.0)]
