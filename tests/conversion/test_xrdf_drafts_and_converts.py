"""A new XRDF for any URDF, and the way from one version to the other with everything told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editor_app.core.drafting import plan_control
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import CannotConvert, convert_version, patch_xrdf, read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Ball, Collision, Joint, JointType, Limit, Link, Mimic, Urdf
from editor_app.core.model.xrdf import (
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    RemoveMimicAttributes,
    SelfCollisionSection,
    Xrdf,
)
from editor_app.core.text.source import SourceText
from tests.helpers.robots import example_kinds, sample_urdf


def arm() -> Urdf:
    def joint(
        name: str, parent: str, child: str, kind: JointType = JointType.REVOLUTE, **more: object
    ) -> Joint:
        return replace(Joint(name, kind, parent, child), **more)  # type: ignore[arg-type]

    return Urdf(
        "my arm",
        "1.2",
        (
            *(
                Link(name, collisions=(Collision(Ball(0.05)),))
                for name in ("base", "upper", "fore", "hand", "left_finger", "right_finger")
            ),
            Link("tcp"),
        ),
        (
            joint("j1", "base", "upper", limit=Limit(-1.0, 1.0, acceleration=3.0, jerk=40.0)),
            joint("j2", "upper", "fore", limit=Limit(0.5, 2.0, acceleration=4.0)),
            joint("j3", "fore", "hand", JointType.CONTINUOUS),
            joint("f1", "hand", "left_finger", JointType.PRISMATIC, limit=Limit(0.0, 0.04)),
            joint("f2", "hand", "right_finger", JointType.PRISMATIC, mimic=Mimic("f1")),
            joint("fix", "hand", "tcp", JointType.FIXED),
        ),
    )


def test_a_draft_says_what_the_urdf_says_and_marks_what_it_guesses() -> None:
    text = draft_xrdf(arm())
    source = read_xrdf(SourceText.from_text(text))
    assert source.findings == ()
    xrdf = source.value
    assert (xrdf.format, xrdf.format_version) == ("xrdf", "1.0")
    assert xrdf.cspace == CSpace(("j1", "j2", "j3"), (3.0, 4.0, 10.0), (40.0, 500.0, 500.0))
    assert "10.0 is a placeholder for j3" in text
    assert "500.0 is a placeholder for j2, j3" in text
    assert xrdf.default_joint_positions == {"j1": 0.0, "j2": 0.5, "j3": 0.0, "f1": 0.0}
    assert xrdf.tool_frames == ("tcp",)
    assert "Guessed" in text
    assert "Locked, finger" in text
    assert xrdf.geometry == (GeometryGroup("my_arm_collision_spheres"),)
    assert xrdf.world_group == xrdf.self_group == "my_arm_collision_spheres"
    assert xrdf.self_collision is not None
    # The tcp has no geometry: nothing of it can collide.
    assert xrdf.self_collision.ignore == {
        "base": ("upper",),
        "upper": ("fore",),
        "fore": ("hand",),
        "hand": ("left_finger", "right_finger"),
    }


def test_every_robot_of_pypi_can_be_drafted_for() -> None:
    for path in (*example_kinds(), sample_urdf()):
        urdf = read_urdf(SourceText.read(path)).value
        source = read_xrdf(SourceText.from_text(draft_xrdf(urdf)))
        assert source.findings == (), path.name
        movable = [joint.name for joint in urdf.joints if joint.is_movable and joint.mimic is None]
        assert source.value.cspace is not None
        plan = plan_control(urdf)
        assert source.value.cspace.joint_names == plan.joints
        # Each joint that moves by itself is controlled or locked, with a position.
        assert {*plan.joints, *(entry.joint for entry in plan.locked)} == set(movable)
        assert set(source.value.default_joint_positions or ()) == set(movable)
        assert source.value.tool_frames == (tuple(tool.frame for tool in plan.tools) or None)
        assert bool(plan.joints) == bool(plan.tools)


def spheres(*radii: float) -> tuple[CollisionSphere, ...]:
    return tuple(CollisionSphere((0.0, 0.0, radius), radius) for radius in radii)


V2 = Xrdf(
    "xrdf",
    "2.0",
    modifiers=(RemoveMimicAttributes("f2", (0.0, 0.04), 1.0),),
    default_joint_positions=FrozenDict({"j1": 0.0, "f2": 0.01}),
    cspace=CSpace(("j1", "f2", "j2"), (1.0, 2.0, 3.0), (10.0, 20.0, 30.0)),
    world_collision=CollisionSection("world"),
    self_collision=SelfCollisionSection("own"),
    geometry=(
        GeometryGroup("base", FrozenDict({"hand": spheres(0.1)})),
        GeometryGroup("world", FrozenDict({"hand": spheres(0.2)}), ("base",)),
        GeometryGroup("own", FrozenDict({"hand": spheres(0.1, 0.3)})),
    ),
)


def robot(xrdf: Xrdf) -> RobotDescription:
    return RobotDescription(arm(), xrdf)


def test_different_groups_ask_for_a_decision() -> None:
    with pytest.raises(CannotConvert, match=r"'world' and 'own'"):
        convert_version(robot(V2), "1.0")


def test_2_to_1_expands_clones_and_frees_no_joint() -> None:
    xrdf, notes = convert_version(robot(V2), "1.0", differing="merge")
    assert isinstance(xrdf, Xrdf)
    assert xrdf.format_version == "1.0"
    assert xrdf.modifiers is None
    assert xrdf.default_joint_positions == {"j1": 0.0}
    assert xrdf.cspace == CSpace(("j1", "j2"), (1.0, 3.0), (10.0, 30.0))
    assert xrdf.world_group == xrdf.self_group == "world"
    assert xrdf.spheres_of("world") == {"hand": spheres(0.2, 0.1, 0.3)}
    assert all(group.clone is None for group in xrdf.geometry or ())
    assert isinstance(notes, tuple)
    told = " ".join(notes)
    for word in (
        "remove_mimic_attributes",
        "f2",
        "merge" if "merge" in told else "is used for both",
        "collision",
        "own",
    ):
        assert word in told


@pytest.mark.parametrize(("choice", "group"), [("world", "world"), ("self", "own")])
def test_2_to_1_takes_the_group_that_was_chosen(choice: str, group: str) -> None:
    conversion = convert_version(robot(V2), "1.0", differing=choice)  # type: ignore[arg-type]
    assert conversion.xrdf.world_group == conversion.xrdf.self_group == group
    assert conversion.xrdf.spheres_of(group) == V2.spheres_of(group)


def test_1_to_2_tells_of_radii_and_keeps_them() -> None:
    xrdf = Xrdf(
        world_collision=CollisionSection("g", 0.1),
        geometry=(GeometryGroup("g", FrozenDict({"tool0": spheres(-0.01)})),),
    )
    conversion = convert_version(robot(xrdf), "2.0")
    assert conversion.xrdf == replace(xrdf, format_version="2.0")
    told = " ".join(conversion.notes)
    assert "world_collision" in told
    assert "g/tool0" in told
    assert "buffer_distance" in told
    assert convert_version(robot(conversion.xrdf), "2.0").notes == ()


def test_a_conversion_is_saved_with_its_comments() -> None:
    text = (
        "format: xrdf\nformat_version: 1.0   # old\n\ncollision:   # obstacles\n  geometry: g   # "
        "all\n\n"
        "geometry:\n  g:   # spheres\n    spheres:\n      hand:\n      - {center: [0,0,0], radius: "
        "1}\n"
    )
    source = read_xrdf(SourceText.from_text(text))
    converted = patch_xrdf(source, convert_version(robot(source.value), "2.0").xrdf)
    assert converted.text == text.replace("1.0   # old", "2.0   # old").replace(
        "collision:   #", "world_collision:   #"
    )
    back = patch_xrdf(
        converted.written, convert_version(robot(converted.written.value), "1.0").xrdf
    )
    assert back.text == text
