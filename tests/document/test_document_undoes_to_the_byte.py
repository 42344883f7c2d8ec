"""Any sequence of edits: the text says what the model says at every step, and undoing gives the
first bytes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.robot import CannotApply
from editor_app.core.text.source import SourceText
from tests.helpers.breadth import examples
from tests.helpers.random_changes import changes
from tests.helpers.robots import shared_robots
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT, small_robot

CALM = settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow]
)


def small_document(xrdf: str = XRDF_TEXT) -> Document:
    return Document(
        read_urdf(SourceText.from_text(URDF_TEXT)), read_xrdf(SourceText.from_text(xrdf))
    )


def test_the_small_robot_is_what_its_text_says() -> None:
    assert small_document().robot == small_robot()


@CALM
@given(st.data())
def test_text_follows_the_model_and_undo_brings_the_bytes_back(data: st.DataObject) -> None:
    document = small_document()
    first, texts = document.robot, [document.xrdf_text]
    assert texts == [XRDF_TEXT]
    for _ in range(5):
        try:
            document.execute(data.draw(changes(document.robot)))
        except CannotApply:
            continue
        if len(document.history) == len(texts):
            continue
        texts.append(document.xrdf_text)
        assert read_xrdf(SourceText.from_text(texts[-1])).value == document.robot.xrdf
    for position in reversed(range(len(texts))):
        assert document.position == position
        assert document.xrdf_text == texts[position]
        assert document.undo() == (position > 0)
    assert document.robot is first
    assert not document.is_modified
    for position in range(1, len(texts)):
        assert document.redo()
        assert document.position == position
        assert document.xrdf_text == texts[position]
    assert not document.redo()


@CALM
@given(st.data())
def test_jumping_about_in_the_history(data: st.DataObject) -> None:
    document = small_document()
    for _ in range(4):
        try:
            document.execute(data.draw(changes(document.robot)))
        except CannotApply:
            continue
    robots = [revision.state.robot for revision in document.history]
    for position in data.draw(st.lists(st.integers(0, len(robots) - 1), max_size=5)):
        document.jump(position)
        assert document.robot is robots[position]
        assert document.undo_label == (document.history[position].label if position else None)
    with pytest.raises(IndexError):
        document.jump(len(robots))


@pytest.mark.parametrize("xrdf", ["ur10e/ur10e.xrdf", "ur10e/ur10e_v2.xrdf"])
def test_a_real_file_comes_back_to_the_byte(xrdf: str) -> None:
    folder = shared_robots()
    document = _opened(folder / "ur10e" / "ur10e.urdf", folder / xrdf)
    _edit_everything(document)


def test_the_sample_comes_back_to_the_byte(sample_urdf: Path) -> None:
    _edit_everything(_opened(sample_urdf, sample_urdf.with_suffix(".xrdf")))


def _opened(urdf: Path, xrdf: Path) -> Document:
    return Document(read_urdf(SourceText.read(urdf)), read_xrdf(SourceText.read(xrdf)))


def _edit_everything(document: Document) -> None:
    from editor_app.core.document import commands as c
    from editor_app.core.model.findings import SphereRef

    before = document.xrdf_text
    robot = document.robot
    group = (robot.xrdf.geometry or ())[0]
    frame = next(iter(group.spheres))
    joints = tuple(robot.xrdf.default_joint_positions or ())
    steps = (
        c.SetSpheres(
            (
                (
                    SphereRef(group.name, frame, 0),
                    c.get_sphere(robot, SphereRef(group.name, frame, 0)),
                ),
            )
        ),
        c.DuplicateSpheres((SphereRef(group.name, frame, 0),), (0.0, 0.0, 0.1)),
        c.set_item("xrdf.default_joint_positions", joints[0], 0.123),
        c.MoveJoint(0, 1),
        c.SetAllLimits("jerk", 77.0),
        c.RenameItem("xrdf.geometry", group.name, "renamed"),
        c.set_item("xrdf.self_collision.buffer_distance", frame, 0.042),
        c.InsertItem("xrdf.tool_frames", frame, 0),
    )
    for step in steps:
        document.execute(step)
        assert read_xrdf(SourceText.from_text(document.xrdf_text)).value == document.robot.xrdf, (
            step
        )
    assert document.position == len(steps) - 1, "a sphere that is set to itself is no step"
    while document.undo():
        pass
    assert document.xrdf_text == before
    assert not document.is_modified
