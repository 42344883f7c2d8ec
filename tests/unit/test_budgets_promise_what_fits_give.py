"""What is told of a budget before a fit are the figures of the table after it, within a fifth."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.operations.budget_outlook import Protrusion, budget_outlook
from editor_app.operations.fit_choices import FitChoices
from editor_app.resources import sample_robot
from tests.helpers.robots import shared_robots


def check(urdf: Path, links: tuple[str, ...], budget: int) -> None:
    document = editor_app.open_robot(urdf)
    choices = FitChoices(more_at_tool=False)
    fitted = editor_app.fit(document, links=links, budget=budget, choices=choices).links
    told = budget_outlook([each.mesh for each in fitted], budget).stands_out(budget)
    assert told is not None
    depths = [each.result.quality.protrusion_max for each in fitted if each.result.quality is not None]
    assert len(depths) == len(links)
    assert told.most == pytest.approx(max(depths), rel=0.2)
    assert told.mean == pytest.approx(sum(depths) / len(depths), rel=0.2)


def test_promise_for_the_sample_robot() -> None:
    check(sample_robot(), ("shoulder_link", "upper_arm_link", "forearm_link"), 48)


def test_promise_for_a_real_robot() -> None:
    check(shared_robots() / "ur10e" / "ur10e.urdf", ("upper_arm_link", "forearm_link", "wrist_1_link"), 60)


def test_promise_is_told_in_the_words_of_the_table() -> None:
    assert Protrusion(0.0254, 0.012).text == "up to about 25 mm, 12 mm on average"
