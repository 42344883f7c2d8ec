"""Writing measured values into a test file: every other byte and all comments stay."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.changes import Edit, SetValue, edit_text
from editor_app.core.text.yaml.plan import Spelled, drop_styles
from editor_app.plugins.robot_tests.kinds import entries_of_kind
from editor_app.plugins.robot_tests.verbs.run_tests import TestReport, TestResult, TestState

#: Bounds from below, besides the keys that end with _at_least.
_FROM_BELOW = ("clearance", "depth")
#: Significant digits of a bound, decimals of a position or an angle (nanometres).
_DIGITS, _DECIMALS = 4, 9


def bound_below(value: float) -> float:
    """Return a number of few digits that is not above `value`."""
    return -bound_above(-value)


def bound_above(value: float) -> float:
    """Return a number of few digits that is not below `value`."""
    if value == 0.0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(value))) - _DIGITS + 1)
    # The last digit of a measured value depends on the machine: half a step more keeps the bound
    # true elsewhere.
    rounded = math.ceil(value / step + 0.5) * step
    return float(f"{rounded:.{_DIGITS + 1}g}")


def written_value(key: str, value: Any) -> Any:
    """Return a measured value as it is written under a key: bounds rounded to the safe side, plain
    lists and dicts."""
    if isinstance(value, float) and (key.endswith("_at_least") or key in _FROM_BELOW):
        return max(0.0, bound_below(value))
    if isinstance(value, float) and key.endswith("_at_most"):
        # A share or a length of 0 is exact.
        return min(1.0, bound_above(value)) if "collisions" in key else bound_above(value)
    if isinstance(value, (tuple, list)):
        return [round(each, _DECIMALS) + 0.0 if isinstance(each, float) else each for each in value]
    if isinstance(value, int):
        # A plain number of YAML is written with a decimal point.
        return Spelled(str(value), value)
    if isinstance(value, Mapping):
        return {name: float(each) for name, each in value.items()}
    return value


def update_suite(report: TestReport) -> tuple[SourceText, tuple[str, ...]]:
    """Return the test file with the measured values of the tests that failed, and the names of
    these tests.

    Values of tests that passed stay: they are requirements. Raises FormatError for a value that
    cannot be written.
    """
    edits: list[Edit] = []
    names: list[str] = []
    for result in report.results:
        changed = list(_edits(result)) if result.state is TestState.FAILED else []
        edits += changed
        names += [result.test.name] if changed else []
    return edit_text(report.suite.source, edits), tuple(names)


def _edits(result: TestResult) -> Iterator[Edit]:
    for key in entries_of_kind(type(result.test.kind)):
        stated = getattr(result.test.kind, key)
        if key not in result.measured or stated is None or stated == ():
            continue
        value = written_value(key, result.measured[key])
        if drop_styles(value) != drop_styles(written_value("", stated)):
            yield SetValue((*result.test.path, key), value)
