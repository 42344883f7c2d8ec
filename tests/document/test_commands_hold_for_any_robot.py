"""Properties of every command: pure, picklable, sharing what it does not touch, and refusing with a
sentence."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editor_app.core.document import commands
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.xrdf import Xrdf
from tests.helpers.breadth import examples
from tests.helpers.random_changes import changes
from tests.helpers.small_robot import small_robot

CALM = settings(
    deadline=None, max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow]
)


@CALM
@given(st.data())
def test_applying_is_pure_and_repeatable_and_what_is_equal_afterwards_is_the_same_object(
    data: st.DataObject,
) -> None:
    robot = small_robot()
    for _ in range(4):
        before = pickle.dumps(robot)
        change = data.draw(changes(robot))
        try:
            after = change.apply(robot)
        except CannotApply as refusal:
            sentence: str | None = str(refusal)
        else:
            sentence = None
        if sentence is not None:
            assert sentence.endswith("."), sentence
            assert len(sentence) > 10
            continue
        assert pickle.dumps(robot) == before
        again = pickle.loads(pickle.dumps(change))
        assert again == change
        assert change.apply(robot) == after
        assert again.apply(robot) == after
        shares_what_it_does_not_touch(robot, change, after)
        robot = after


def shares_what_it_does_not_touch(
    robot: RobotDescription, change: Change, after: RobotDescription
) -> None:
    assert after.urdf is robot.urdf
    assert after.srdf is robot.srdf
    for field in dataclasses.fields(Xrdf):
        old, new = getattr(robot.xrdf, field.name), getattr(after.xrdf, field.name)
        if old == new:
            assert new is old or new in ((), None), f"{change} copied {field.name}"
    for group in after.xrdf.geometry or ():
        was = robot.xrdf.group(group.name)
        for frame, spheres in group.spheres.items():
            if was is not None and was.spheres.get(frame) == spheres:
                assert spheres is was.spheres[frame] or isinstance(change, commands.RenameItem)


def test_every_command_is_frozen_and_has_a_label() -> None:
    kinds: list[Any] = [
        k for k in vars(commands).values() if inspect.isclass(k) and dataclasses.is_dataclass(k)
    ]
    assert len(kinds) > 35
    for kind in kinds:
        assert kind.__dataclass_params__.frozen, kind
        assert callable(kind.apply)
        assert "label" in {f.name for f in dataclasses.fields(kind)} or isinstance(
            kind.label, property | str
        )
        assert kind.__doc__
        assert not kind.__doc__.startswith(kind.__name__ + "(")
    assert isinstance(commands.AddGroup("x"), Change)


def test_every_command_is_exported() -> None:
    for module in (m for m in vars(commands).values() if inspect.ismodule(m)):
        if not module.__name__.startswith(commands.__name__ + ".") or module.__name__.endswith(
            ".tools"
        ):
            continue
        for name, value in vars(module).items():
            if (
                inspect.isclass(value)
                and value.__module__ == module.__name__
                and hasattr(value, "apply")
            ):
                assert getattr(commands, name, None) is value, f"{module.__name__}.{name}"


def test_several_is_all_or_nothing() -> None:
    robot = small_robot()
    both = commands.AllOf((commands.AddGroup("new"), commands.AddGroup("spheres")), "Two groups")
    with pytest.raises(CannotApply, match="already"):
        both.apply(robot)
    both = commands.AllOf(
        (commands.AddGroup("new"), commands.SetCollisionGeometry("world_collision", "new")), "Use"
    )
    assert both.apply(robot).xrdf.world_group == "new"
