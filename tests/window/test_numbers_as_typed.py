"""What may be typed into a number field, and that looking at a number never changes it."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_app.core.model.expressions import ExpressionError
from editor_app.window.bindings.quantity import (
    ANGLE,
    LENGTH,
    NUMBER,
    Quantity,
    joint_quantity,
    turned_by,
    with_minus,
)
from editor_app.window.session import AngleUnit, DisplayOptions, LengthUnit

MM_DEG = DisplayOptions()
M_RAD = DisplayOptions(length_unit=LengthUnit.METRE, angle_unit=AngleUnit.RADIAN)


@pytest.mark.parametrize(
    ("quantity", "text", "value"),
    [
        (LENGTH, "10", 0.01),
        (LENGTH, "10 mm", 0.01),
        (LENGTH, "1.5cm", 0.015),
        (LENGTH, "0.2 m + 5 mm", 0.205),
        (LENGTH, "0.2 m + 5", 0.205),
        (LENGTH, "1 in", 0.0254),
        (LENGTH, "−3", -0.003),
        (LENGTH, "1e-2 m", 0.01),
        (LENGTH, "2,5", 0.0025),
        (LENGTH, "10 mm / 4", 0.0025),
        (LENGTH, "1/4 mm", 0.00025),
        (LENGTH, "2 * 1/4 cm", 0.005),
        (LENGTH, "10 mm / 5 mm", 0.002),
        (LENGTH, "(1 + 2) * 2 mm", 0.006),
        (ANGLE, "45deg", math.pi / 4),
        (ANGLE, "180°/4", math.pi / 4),
        (ANGLE, "pi/2 rad", math.pi / 2),
        (ANGLE, "90", math.pi / 2),
        (NUMBER, "1/3", 1 / 3),
        (NUMBER, "0.1*2", 0.2),
        (NUMBER, "--2", 2.0),
        (joint_quantity(False, "/s²"), "12 rad/s^2", 12.0),
        (joint_quantity(False, "/s²"), "12", 12.0),
        (joint_quantity(False, "/s²"), "180 deg/s²", math.pi),
        (joint_quantity(True, "/s³"), "500 mm/s3", 0.5),
    ],
)
def test_what_may_be_typed(quantity: Quantity, text: str, value: float) -> None:
    assert quantity.parse(text, MM_DEG) == pytest.approx(value, rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("text", "after"),
    [("+=10", 0.03), ("-=5 mm", 0.015), ("−=1+2", 0.017), ("+=-10", 0.01), ("+= 1 cm", 0.03)],
)
def test_a_change_is_typed_with_its_sign_before_the_equals(text: str, after: float) -> None:
    change = LENGTH.relative(text, MM_DEG, signs=False)
    assert change is not None
    assert LENGTH.changed(0.02, change, MM_DEG) == pytest.approx(after, abs=1e-15)


@pytest.mark.parametrize(
    ("quantity", "text", "words"),
    [
        (LENGTH, "", "missing"),
        (LENGTH, "abc", "not a number"),
        (LENGTH, "10 deg", "not a suitable unit"),
        (ANGLE, "10 mm", "not a suitable unit"),
        (LENGTH, "1 mm * 1 mm", "multiplied"),
        (LENGTH, "1/0", "zero"),
        (LENGTH, "(1", "bracket"),
        (LENGTH, "1 2", "out of place"),
        (LENGTH, "1 +", "missing"),
        (NUMBER, "1e999", "finite"),
        (NUMBER, "__import__('os')", "not a number"),
        (NUMBER, "1;2", "not a number"),
    ],
)
def test_what_may_not_be_typed(quantity: Quantity, text: str, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        quantity.parse(text, MM_DEG)


@given(st.text(max_size=20))
def test_nothing_typed_is_a_crash(text: str) -> None:
    for quantity in (LENGTH, ANGLE, NUMBER):
        with contextlib.suppress(ExpressionError):
            assert math.isfinite(quantity.parse(text, MM_DEG))


@given(
    st.decimals(-100, 100, places=6),
    st.sampled_from([LENGTH, ANGLE, NUMBER]),
    st.sampled_from([MM_DEG, M_RAD]),
)
def test_what_is_shown_with_all_digits_is_read_back(
    number: object, quantity: Quantity, display: DisplayOptions
) -> None:
    value = float(str(number))
    text = quantity.exact(value, display)
    assert quantity.parse(text, display) == pytest.approx(value, rel=1e-11, abs=1e-15)
    if quantity is not ANGLE or display is M_RAD:
        assert quantity.parse(text, display) == value, "decimal numbers come back to the last bit"


@given(st.integers(-500, 500), st.integers(-5, 5))
def test_steps_leave_no_noise(start: int, steps: int) -> None:
    value = start / 1000
    for _ in range(abs(steps)):
        value = LENGTH.stepped(value, math.copysign(1, steps), MM_DEG)
    assert value == (start + steps) / 1000


def test_how_numbers_are_written() -> None:
    assert LENGTH.rounded(-1.19904e-17, MM_DEG) == "0"
    assert LENGTH.rounded(0.0951667, MM_DEG) == "95.167"
    assert LENGTH.column(-0.102167, MM_DEG) == "-102.2"
    assert LENGTH.column(-0.00001, MM_DEG) == "0.0"
    assert LENGTH.exact(0.0951667, MM_DEG) == "95.1667"
    assert LENGTH.described(0.25, M_RAD) == "0.25 m"
    assert ANGLE.described(math.pi / 2, MM_DEG) == "90°"
    assert joint_quantity(False, "/s²").described(12.0, MM_DEG) == "12 rad/s²"
    assert ANGLE.described(-math.pi / 2, MM_DEG) == "−90°", "a minus, not a hyphen"
    assert ANGLE.parse("−90°", MM_DEG) == pytest.approx(-math.pi / 2)
    assert (turned_by(-math.pi / 4), turned_by(0.0), turned_by(1e-9)) == (
        "−45.0°",
        "+0.0°",
        "+0.0°",
    )
    assert with_minus("left-tool 3") == "left-tool 3", "hyphens of names stay"
