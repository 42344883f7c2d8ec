"""Settings of scripts refuse a wrong value when they are built, by the name of the field."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import editor_app
from editor_app.core.formats.exchange.codec import ConvertOptions
from editor_app.core.model.coercion import Validated
from editor_app.features.masks.engine.masks import MaskOptions
from editor_app.features.spheres.engine.settings import FitSettings
from editor_app.plugins.fleets.settings import BatchSettings
from tests.helpers.small_robot import small_robot

Build = Callable[[], object]
WRONG: dict[str, Build] = {
    "FitChoices.mode must be one of 'cover', 'balanced', 'inside', not 'x'.": lambda: (
        editor_app.FitChoices(mode="x")  # type: ignore[arg-type]
    ),
    "FitChoices.padding must be a length of 0 m or more, not nan.": lambda: editor_app.FitChoices(
        padding=math.nan
    ),
    "FitChoices.symmetry must be 'x', 'y', 'z' or empty, not 'w'.": lambda: editor_app.FitChoices(
        symmetry="w"
    ),
    "FitChoices.seed must be a whole number, not 0.5.": lambda: editor_app.FitChoices(seed=0.5),  # type: ignore[arg-type]
    "ShapeChoices.parts must be 1 or more, not 0.": lambda: editor_app.ShapeChoices(parts=0),
    "ShapeChoices.kind must be one of": lambda: editor_app.ShapeChoices(kind="egg"),  # type: ignore[arg-type]
    "MaskRules.keep must be True or False, not 'no'.": lambda: editor_app.MaskRules("no"),  # type: ignore[arg-type]
    "ModelOptions.margin must be a finite number, not inf.": lambda: editor_app.ModelOptions(
        margin=math.inf
    ),
    "AnalysisSettings.samples must be 0 or more, not -1.": lambda: editor_app.AnalysisSettings(-1),
    "NewSettings.geometry must be one of": lambda: editor_app.NewSettings(geometry="bones"),  # type: ignore[arg-type]
    "NewSettings.budget must be 1 or more, not 0.": lambda: editor_app.NewSettings(budget=0),
    "PlannerSettings.seconds must be a number of seconds, 0 or more, not -1": lambda: (
        editor_app.PlannerSettings(-1)
    ),
    "KeepAway.itself must be a length of 0 m or more, not -0.1.": lambda: editor_app.KeepAway(
        0.0, -0.1
    ),
    "ControlRequest.tools must be a list, not 'hand'.": lambda: editor_app.ControlRequest(
        tools="hand"  # type: ignore[arg-type]
    ),
    "Attachment.xyz must be 3 values, not (1.0,).": lambda: editor_app.Attachment(
        (),
        "hand",
        (1.0,),  # type: ignore[arg-type]
    ),
    "NewLink.type must be one of": lambda: editor_app.NewLink("a", "b", "loose"),  # type: ignore[arg-type]
    "ConvertOptions.merge_groups must be True or False, not 'yes'.": lambda: ConvertOptions(
        merge_groups="yes"  # type: ignore[arg-type]
    ),
    "BatchSettings.effort must be one of": lambda: BatchSettings(effort="some"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("sentence", WRONG)
def test_a_wrong_value_is_refused_by_its_name(sentence: str) -> None:
    with pytest.raises(editor_app.Refusal) as told:
        WRONG[sentence]()
    assert str(told.value).startswith(sentence)
    assert isinstance(told.value, ValueError)


def test_every_settings_class_checks_its_values() -> None:
    endings = ("Choices", "Settings", "Rules", "Options", "Request")
    public: list[Any] = [
        getattr(editor_app, name) for name in dir(editor_app) if name.endswith(endings)
    ]
    kinds = {kind for kind in public if inspect.isclass(kind)}
    assert len(kinds) >= 7
    # PartChoices is a result.
    assert [kind for kind in kinds if not issubclass(kind, Validated)] == [editor_app.PartChoices]
    with pytest.raises(editor_app.FittingError, match="mode"):
        FitSettings(number=1, mode="x")  # type: ignore[arg-type]
    assert MaskOptions()


def test_lists_and_words_of_scripts_are_taken() -> None:
    request = editor_app.ControlRequest(tools=["hand"])  # type: ignore[arg-type]
    assert request.tools == ("hand",)
    assert hash(request) == hash(editor_app.ControlRequest(tools=("hand",)))
    profile = editor_app.NewSettings(profile="curobo").profile  # type: ignore[arg-type]
    assert profile is editor_app.Profile.CUROBO


def test_a_sphere_is_named_by_a_public_value() -> None:
    robot = small_robot()
    ref = editor_app.SphereRef("spheres", "hand", 0)
    assert editor_app.commands.get_sphere(robot, ref).radius == -0.01
    moved = editor_app.CollisionSphere((0.0, 0.0, 0.1), 0.2)
    changed = editor_app.commands.SetSpheres(((ref, moved),)).apply(robot)
    assert editor_app.commands.get_sphere(changed, ref) == moved


@pytest.mark.parametrize(
    "command",
    [
        partial(editor_app.commands.InsertItem, "xrdf.tool_frames"),
        lambda frame: editor_app.commands.set_item("xrdf.tool_frames", 0, frame),
    ],
)
def test_a_tool_frame_is_a_frame_of_the_robot(command: Callable[[str], Any]) -> None:
    with pytest.raises(
        editor_app.CannotApply, match=r"The robot has no frame 'uper'; the nearest name is upper\."
    ):
        command("uper").apply(small_robot())
    assert "fore" in command("fore").apply(small_robot()).xrdf.tool_frames
