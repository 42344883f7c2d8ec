"""Links are added, inserted, removed, duplicated: frames stay in place, references follow, undo
gives the bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import editor_app
from editor_app.core.document.commands import (
    AddLink,
    DuplicateBranch,
    InsertLink,
    MergeLinks,
    RemoveLink,
    SplitLink,
)
from editor_app.core.document.commands.urdf_structure import find_free_frame_name
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.state import FileKind
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.references import DOCUMENTS, reference_fields
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Collision,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Urdf,
    Visual,
)
from editor_app.core.model.xrdf import CollisionSphere, LinkPair, Xrdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import build_origin_matrix
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.finding_examples import SRDF
from tests.helpers.robots import example_urdfs

POSES: tuple[dict[str, float], ...] = ({}, {"shoulder": 0.7, "elbow": -1.1, "grip": 0.3})


@pytest.fixture
def document(tmp_path: Path) -> Document:
    for name, text in (("arm.urdf", URDF), ("arm.xrdf", CLEAN), ("arm.srdf", SRDF)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return open_document(tmp_path / "arm.urdf")


def texts(document: Document) -> list[str | None]:
    return [
        document.present_texts.text(document.state, kind)
        for kind in (FileKind.XRDF, FileKind.SRDF, FileKind.URDF)
    ]


def places(robot: RobotDescription, pose: dict[str, float]) -> dict[str, np.ndarray]:
    tree = build_tree(robot.urdf)
    return dict(zip(tree.frames, compute_forward(tree, pose), strict=True))


def names_in(robot: RobotDescription) -> set[str]:
    """Every name that any of the three files refers to."""
    return {
        name
        for named in ("link", "joint")
        for field in reference_fields(named, DOCUMENTS)  # type: ignore[arg-type]
        if getattr(robot, field.document) is not None
        for name in field.names(getattr(robot, field.document))
    }


def fixed(name: str, parent: str, joint: str) -> AddLink:
    origin = Origin((0.1, 0.2, 0.3))
    return AddLink(Link(name), Joint(joint, JointType.FIXED, parent, name, origin))


@pytest.mark.parametrize(
    "change",
    [
        fixed("flange", "hand", "flange_joint"),
        AddLink(
            Link("fan"),
            Joint("spin", JointType.REVOLUTE, "hand", "fan", limit=Limit(-1.0, 1.0, 5.0, 2.0)),
        ),
        InsertLink("elbow", "plate", "plate_joint"),
        RemoveLink("hand"),
        RemoveLink("hand", keep_children=True),
        RemoveLink("left"),
        RemoveLink("lower"),
        DuplicateBranch("hand", "_2"),
        DuplicateBranch("lower", "_second"),
    ],
    ids=lambda change: change.label,
)
def test_undo_gives_the_bytes_and_what_is_written_is_read_as_the_same(
    document: Document, change: Change
) -> None:
    before = texts(document)
    document.execute(change)
    xrdf, srdf, urdf = (SourceText.from_text(text or "") for text in texts(document))
    assert read_urdf(urdf).value == document.robot.urdf
    assert read_xrdf(xrdf).value == document.robot.xrdf
    assert read_srdf(srdf).value == document.robot.srdf
    errors = [f for f in editor_app.check(document) if f.severity is Severity.ERROR]
    assert not errors
    links = {link.name for link in document.robot.urdf.links}
    joints = {joint.name for joint in document.robot.urdf.joints}
    assert names_in(document.robot) <= links | joints | {"tool", "tool_joint"}
    document.undo()
    assert texts(document) == before


def test_an_inserted_link_moves_nothing(document: Document) -> None:
    before = [places(document.robot, pose) for pose in POSES]
    document.execute(InsertLink("elbow", "plate", "plate_joint"))
    for pose, old in zip(POSES, before, strict=True):
        now = places(document.robot, pose)
        assert all(np.allclose(now[frame], place, atol=1e-12) for frame, place in old.items())
        assert np.allclose(now["plate"] @ np.eye(4), now["plate"])
    plate = document.robot.urdf.joint("elbow")
    assert plate is not None
    assert plate.parent == "plate"


def test_children_stay_in_place_when_their_parent_goes_alone(document: Document) -> None:
    before = places(document.robot, {})
    document.execute(RemoveLink("lower", keep_children=True))
    now = places(document.robot, {})
    assert now.keys() == before.keys() - {"lower"}
    assert all(np.allclose(now[frame], before[frame], atol=1e-12) for frame in now)
    robot = document.robot
    assert robot.urdf.joint("elbow") is None
    assert robot.xrdf.cspace is not None
    assert robot.xrdf.cspace.joint_names == ("shoulder", "grip")
    assert robot.xrdf.cspace.acceleration_limits == (10.0, 10.0), "the limits go with their joint"
    assert "elbow" not in (robot.xrdf.default_joint_positions or {})


def test_a_branch_takes_frames_of_the_xrdf_and_their_references_with_it(document: Document) -> None:
    change = RemoveLink("left")
    told = change.consequences(document.robot)
    document.execute(change)
    robot = document.robot
    assert not any(getattr(m, "frame_name", None) == "tool" for m in robot.xrdf.modifiers or ())
    assert not robot.xrdf.tool_frames
    follow = robot.urdf.joint("follow")
    assert follow is not None
    assert follow.mimic is None, "it has nothing to follow"
    for words in ("1 link", "1 joint", "tool_frames", "cspace.joint_names", "mimic"):
        assert words in told


def test_the_root_goes_alone_or_not_at_all(document: Document) -> None:
    with pytest.raises(CannotApply, match="root"):
        document.execute(RemoveLink("world"))
    # Two links hang on it: which one would be the root?
    with pytest.raises(CannotApply, match="root"):
        document.execute(RemoveLink("world", keep_children=True))
    document.execute(RemoveLink("side"))
    document.execute(RemoveLink("world", keep_children=True))
    assert document.robot.urdf.link("world") is None
    assert document.robot.urdf.joint("mount") is None


def test_a_copy_has_spheres_buffers_and_pairs_of_its_own(document: Document) -> None:
    robot = document.robot
    group = robot.xrdf.group("spheres")
    assert group is not None
    assert robot.xrdf.self_collision is not None
    section = replace(
        robot.xrdf.self_collision,
        buffer_distance=FrozenDict({"hand": -0.01}),
        ignore=FrozenDict({"hand": ("left", "lower"), "base": ("left",)}),
    )
    spheres = (CollisionSphere((0.0, 0.0, 0.1), 0.05),)
    xrdf = replace(
        robot.xrdf.with_group(group.with_spheres("hand", spheres)), self_collision=section
    )
    copied = DuplicateBranch("hand", "_2").apply(robot.with_xrdf(xrdf))
    again = copied.xrdf
    assert again.self_collision is not None
    assert again.spheres_of("spheres")["hand_2"] == spheres
    assert again.self_collision.buffer("hand_2") == -0.01
    wanted = {("hand", "left"), ("hand", "lower"), ("base", "left")}
    wanted |= {("hand_2", "left_2"), ("hand_2", "lower"), ("base", "left_2")}
    assert again.self_collision.ignored_pairs() == {LinkPair.of(*pair) for pair in wanted}
    follow = copied.urdf.joint("follow_2")
    assert follow is not None
    assert follow.mimic is not None
    assert follow.mimic.joint == "grip_2"
    now = places(copied, {})
    assert np.allclose(now["left_2"], now["left"])


def test_names_that_are_taken_are_refused(document: Document) -> None:
    for change in (
        fixed("hand", "lower", "new"),
        fixed("new", "lower", "elbow"),
        fixed("tool", "lower", "new"),
        fixed(" new", "lower", "new"),
        fixed("new", "nowhere", "new"),
        InsertLink("elbow", "base", "new"),
        InsertLink("nothing", "new", "new_joint"),
        DuplicateBranch("hand", ""),
        DuplicateBranch("world", "_2"),
        RemoveLink("nothing"),
    ):
        with pytest.raises(CannotApply):
            change.apply(document.robot)
    assert find_free_frame_name(document.robot, "hand") == "hand_2"
    assert find_free_frame_name(document.robot, "new") == "new"
    assert find_free_frame_name(document.robot, "tool") == "tool_2"


@pytest.mark.parametrize("name", ["panda.urdf", "tiago.urdf", "go1.urdf"])
def test_robots_of_others_lose_and_gain_links(name: str) -> None:
    path = next((p for p in example_urdfs() if p.name == name), None)
    if path is None:
        pytest.skip(f"{name} is not installed")
    document = open_document(path)
    before = texts(document)
    movable = [joint.name for joint in document.robot.urdf.joints if joint.is_movable]
    middle = document.robot.urdf.joint(movable[len(movable) // 2])
    assert middle is not None
    for change in (
        DuplicateBranch(middle.child, "_again"),
        InsertLink(middle.name, "between_links", "between_joint"),
        RemoveLink(middle.child, keep_children=True),
        RemoveLink("between_links"),
    ):
        document.execute(change)
        build_tree(document.robot.urdf)
        assert not [f for f in editor_app.check(document) if f.code.startswith("SAVE")]
    while document.position:
        document.undo()
    assert texts(document) == before


def place_of(numbers: list[float]) -> Origin:
    x, y, z, roll, pitch, yaw = numbers
    return Origin((x, y, z), (roll, pitch, yaw))


@given(
    st.lists(st.floats(-1.0, 1.0), min_size=12, max_size=12),
    st.floats(0.1, 5.0),
    st.floats(0.1, 5.0),
)
def test_a_link_with_mass_becomes_part_of_its_parent_as_pinocchio_adds_bodies(
    numbers: list[float], first: float, second: float
) -> None:
    pin = pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")
    one = Inertial(first, (0.3, 0.01, 0.02, 0.4, 0.03, 0.5), place_of(numbers[:6]))
    other = Inertial(
        second, (0.2, 0.0, 0.01, 0.25, 0.02, 0.3), Origin((0.1, 0.0, 0.2), (0.3, 0.0, 0.1))
    )
    joint = Joint("j", JointType.FIXED, "a", "b", place_of(numbers[6:]))
    urdf = Urdf("r", links=(Link("a", one), Link("b", other)), joints=(joint,))
    merged = MergeLinks(("b",)).apply(RobotDescription(urdf, Xrdf()))
    (link,) = merged.urdf.links
    assert link.inertial is not None

    def body(inertial: Inertial) -> Any:
        matrix = build_origin_matrix(inertial.origin)
        xx, xy, xz, yy, yz, zz = inertial.inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return pin.SE3(matrix).act(pin.Inertia(inertial.mass, np.zeros(3), tensor))

    wanted = body(one) + pin.SE3(build_origin_matrix(joint.origin)).act(body(other))
    given_body = body(link.inertial)
    assert given_body.mass == pytest.approx(wanted.mass, abs=1e-9)
    np.testing.assert_allclose(given_body.lever, wanted.lever, atol=1e-9)
    np.testing.assert_allclose(given_body.inertia, wanted.inertia, atol=1e-9)


def test_shapes_are_split_off_and_merging_gives_them_back() -> None:
    box, ball = Visual(Box((0.1, 0.1, 0.1)), Origin((0.0, 0.0, 0.3))), Visual(Ball(0.1))
    link = Link("a", visuals=(box, ball), collisions=(Collision(Ball(0.2)),))
    robot = RobotDescription(Urdf("r", links=(link,)), Xrdf())
    split = SplitLink("a", (0,), (0,), "part", "part_joint").apply(robot)
    assert split.urdf.link("a") == Link("a", visuals=(ball,))
    assert split.urdf.link("part") == Link(
        "part", visuals=(box,), collisions=(Collision(Ball(0.2)),)
    )
    again = MergeLinks(("part",)).apply(split)
    assert again.urdf.links == (Link("a", visuals=(ball, box), collisions=(Collision(Ball(0.2)),)),)
    for visuals, collisions in (((2,), ()), ((), ())):
        with pytest.raises(CannotApply):
            SplitLink("a", visuals, collisions, "part", "part_joint").apply(robot)
