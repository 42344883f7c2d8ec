"""The verb `new` runs a list of steps, to which plug-ins add theirs; each step is a stage of its
progress."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from editor_app.core.document.document import Document
from editor_app.features.draft.verbs import pipeline
from editor_app.features.draft.verbs.new_settings import DRAFT, WHOLE, NewSettings
from editor_app.features.draft.verbs.pipeline import (
    NewStep,
    NewXrdf,
    StepWork,
    list_steps,
    run_steps,
)
from editor_app.features.draft.verbs.steps import BASIC_STEPS, CHECK_STEP


def titles(settings: NewSettings) -> list[str]:
    return [step.title for step in list_steps((*BASIC_STEPS, CHECK_STEP), settings)]


def test_settings_decide_which_steps_run() -> None:
    assert titles(DRAFT) == ["Complete the draft", "Check the file"]
    assert titles(replace(DRAFT, fit=True)) == [
        "Complete the draft",
        "Fit spheres",
        "Check the file",
    ]
    assert titles(WHOLE) == [
        "Complete the draft",
        "Fit spheres",
        "Refit for planning",
        "Compute the mask",
        "Set buffers",
        "Check the pose",
        "Write the reasons",
        "Check the file",
    ]
    # Too few configurations to spend spheres by, then none to compare with the meshes.
    few = [
        "Complete the draft",
        "Fit spheres",
        "Compute the mask",
        "Set buffers",
        "Check the pose",
        "Write the reasons",
        "Check the file",
    ]
    assert titles(replace(WHOLE, cost_samples=500)) == few
    assert titles(replace(WHOLE, cost_samples=0)) == [
        title for title in few if title != "Set buffers"
    ]


def test_without_the_planning_plug_in_its_steps_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XRDF_EDITOR_WITHOUT", "planning")
    assert titles(WHOLE) == [
        "Complete the draft",
        "Fit spheres",
        "Compute the mask",
        "Write the reasons",
        "Check the file",
    ]


def test_a_plug_in_puts_its_step_between_others(monkeypatch: pytest.MonkeyPatch) -> None:
    added = NewStep(45, "Polish", 1, lambda new, work: new)
    monkeypatch.setattr(
        pipeline, "hooks", lambda name: [SimpleNamespace(STEPS=(added,))] if name == "new" else []
    )
    assert titles(WHOLE) == [
        "Complete the draft",
        "Fit spheres",
        "Compute the mask",
        "Polish",
        "Write the reasons",
        "Check the file",
    ]


def test_each_step_gets_the_results_before_it_and_its_share_of_the_progress(
    document: Document,
) -> None:
    def count(new: NewXrdf, work: StepWork) -> NewXrdf:
        work.progress(0.5, "Half done")
        return replace(new, cost_missing=f"{new.cost_missing}+")

    steps = (NewStep(1, "First", 1, count), NewStep(2, "Second", 3, count))
    told = list[tuple[float, str]]()
    new_xrdf = NewXrdf(document=document, settings=DRAFT, steps=steps)
    done = run_steps(new_xrdf, 1, lambda share, text: told.append((share, text)), lambda: False)
    assert told == [(0.125, "First: Half done"), (0.625, "Second: Half done")]
    assert done.cost_missing == "++"
    assert new_xrdf.cost_missing == "", "results are values"
