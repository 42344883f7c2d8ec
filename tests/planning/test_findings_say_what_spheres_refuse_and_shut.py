"""XRDF514 to 516: needless refusals, closed passages and collisions let through are findings, with
pair and spheres."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.model.findings import Finding, Severity
from editor_app.core.verbs.open import open_robot
from editor_app.features.checks.verbs.check import check
from editor_app.plugins.planning.verbs.model_cost import model_cost
from tests.helpers.finding_examples import texts_with

CODES = ("XRDF514", "XRDF515", "XRDF516")


def findings(folder: Path, code: str, old: str = "", new: str = "") -> list[Finding]:
    """What is said of the example of a code, after a change of its XRDF."""
    texts = texts_with(code)
    assert old in texts["arm.xrdf"]
    for name, text in texts.items():
        (folder / name).write_text(
            text.replace(old, new, 1) if name == "arm.xrdf" and old else text
        )
    document = open_robot(folder / "arm.urdf", folder / "arm.xrdf")
    return [each for each in check(document, slow=True) if each.code in CODES]


@pytest.mark.parametrize(
    ("code", "links", "words", "old", "new"),
    [
        (
            "XRDF514",
            {"base", "hand"},
            "of the configurations that the meshes leave free",
            "radius: 1.9",
            "radius: 0.1",
        ),
        ("XRDF515", {"upper", "left"}, "elbow cannot pass", "radius: 0.3", "radius: 0.02"),
        (
            "XRDF516",
            {"base", "lower"},
            "because the mask ignores them",
            "base: [upper, lower]",
            "base: [upper]",
        ),
    ],
)
def test_it_is_said_once_with_its_pair_and_cured(
    code: str, links: set[str], words: str, old: str, new: str, tmp_path: Path
) -> None:
    (told,) = [each for each in findings(tmp_path, code) if each.code == code]
    assert set(told.subject.links) == links
    assert words in told.message
    assert (code == "XRDF516") or told.subject.spheres
    for sphere in told.subject.spheres:
        assert sphere.frame in links
    if code != "XRDF516":
        assert [each for each in findings(tmp_path, code, old, new) if each.code == code] == []
    else:
        # Checked, the pair is seen only where the spheres cover what touches.
        (still,) = [each for each in findings(tmp_path, code, old, new) if each.code == code]
        assert "too small" in still.message


def test_the_remedy_for_what_the_mask_lets_through_asks_for_what_can_be_done(
    tmp_path: Path,
) -> None:
    """A pair is checked, but for one whose spheres overlap always: then no motion would be found.
    Where the meshes touch at the default position as well, that is how the robot's collision shapes
    are."""
    ball = "      {}:\n        - center: [0.0, 0.0, 0.0]\n          radius: {}\n"
    texts = ball.format("base", 0.1), ball.format("lower", 0.1)
    whole = texts_with("XRDF516")["arm.xrdf"]
    old = whole[whole.index("  elbow: 0.5\n") : whole.index(texts[1]) + len(texts[1])]
    balls = old[old.index(texts[0]) :]
    remedies = []
    for radius, elbow in (("0.1", 0.5), ("1.2", 0.5), ("1.2", 3.14)):
        grown = "".join(ball.format(link, radius) for link in ("base", "lower"))
        new = old.replace(balls, ball.format("upper", 0.1) + grown).replace(
            "elbow: 0.5", f"elbow: {elbow}"
        )
        (told,) = [
            each for each in findings(tmp_path, "XRDF516", old, new) if each.code == "XRDF516"
        ]
        assert "because the mask ignores them" in told.message
        remedies.append(told.message.rpartition("ignores them. ")[2])
    assert remedies[:2] == [
        "Check the pair.",
        "Fit both with more, thinner spheres, then check the pair.",
    ]
    assert remedies[2].startswith(
        "They also touch at the default position: keep them ignored, or create collision shapes"
    )


def test_a_part_that_is_refused_is_a_note_and_much_a_warning(tmp_path: Path) -> None:
    severities = {}
    for radius in ("0.9", "1.1", "1.4"):
        told = findings(tmp_path, "XRDF514", "radius: 1.9", f"radius: {radius}")
        severities[radius] = [each.severity for each in told if each.code == "XRDF514"]
    assert severities == {"0.9": [], "1.1": [Severity.INFO], "1.4": [Severity.WARNING]}


def test_a_cost_that_was_measured_is_told_and_not_measured_again(tmp_path: Path) -> None:
    findings(tmp_path, "XRDF514")
    document = open_robot(tmp_path / "arm.urdf", tmp_path / "arm.xrdf")
    cost = model_cost(document, samples=777, seed=5)
    (told,) = [each for each in check(document, slow=True, cost=cost) if each.code == "XRDF514"]
    assert str(cost.needless) in told.message
    assert f"{cost.too_fat[0].count:,} of 777 configurations" in told.message


def test_a_passage_is_told_with_its_joint(tmp_path: Path) -> None:
    (told,) = [each for each in findings(tmp_path, "XRDF515") if each.code == "XRDF515"]
    assert told.subject.joints == ("elbow",)
    assert "the meshes leave it open" in told.message
