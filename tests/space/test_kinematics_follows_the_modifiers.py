"""The tree after modifiers, the lenient taking of broken robots, and who follows whom."""

from __future__ import annotations

import math
import pickle
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Mimic, Urdf
from editor_app.core.model.xrdf import (
    AddFrame,
    FixedTransform,
    RemoveMimicAttributes,
    SetBaseFrame,
    Xrdf,
)
from editor_app.core.space.kinematics.forward import (
    compute_forward,
    compute_forward_batch,
    joint_axes,
    relative_pose,
)
from editor_app.core.space.kinematics.transforms import build_origin_matrix
from editor_app.core.space.kinematics.tree import (
    build_tree,
    complete_pose,
    get_default_positions,
    get_tree,
)
from tests.helpers.joint_samples import sample_joints


def joint(
    name: str, parent: str, child: str, kind: JointType = JointType.REVOLUTE, **more: object
) -> Joint:
    limit = more.pop("limit", Limit(-1.0, 2.0, 1.0, 3.0))
    return Joint(name, kind, parent, child, limit=limit, **more)  # type: ignore[arg-type]


def robot(*joints: Joint, links: str | None = None) -> Urdf:
    names = (
        links.split()
        if links
        else list(dict.fromkeys(n for j in joints for n in (j.parent, j.child)))
    )
    return Urdf("r", links=tuple(Link(n) for n in names), joints=joints)


ARM = robot(
    joint("j1", "base", "a", origin=Origin((0, 0, 1))),
    joint("j2", "a", "b", origin=Origin((1, 0, 0), (0.1, 0.2, 0.3)), axis=(0, 0, 2)),
    joint("fix", "b", "tool", JointType.FIXED),
    joint("slide", "a", "c", JointType.PRISMATIC, axis=(0, 1, 0)),
    joint("spin", "c", "d", JointType.CONTINUOUS),
)


def test_frames_come_parent_first_and_depth_first_in_document_order() -> None:
    tree = build_tree(ARM)
    assert tree.frames == ("base", "a", "b", "tool", "c", "d")
    assert tree.parent == (-1, 0, 1, 2, 1, 4)
    assert [j.name for j in tree.joints] == ["j1", "j2", "fix", "slide", "spin"]
    assert tree.movable == tree.independent == ("j1", "j2", "slide", "spin")
    assert tree.problems == ()
    assert np.allclose(tree.joints[1].axis, (0, 0, 1))


def test_paths_subtrees_and_rigid_groups() -> None:
    tree = build_tree(ARM)
    assert [j.name for j in tree.path("tool", "d")] == ["fix", "j2", "slide", "spin"]
    assert tree.path("a", "a") == ()
    assert tree.subtree("c") == ("c", "d")
    assert tree.subtree("a") == ("a", "b", "tool", "c", "d")
    assert tree.rigid_groups() == {"base": 0, "a": 1, "b": 2, "tool": 2, "c": 3, "d": 4}


def test_added_frames_may_stand_in_any_order() -> None:
    quarter = FixedTransform((0.0, 0.0, 0.5), (2.0, 0.0, 0.0, 2.0))
    tree = build_tree(
        ARM, [AddFrame("tip2", "tip", "t2", quarter), AddFrame("tip", "tool", "t1", quarter)]
    )
    assert tree.added_frames == {"tip", "tip2"}
    assert tree.frames.index("tip") < tree.frames.index("tip2")
    world = compute_forward(tree, {})
    turned = relative_pose(tree, world, "tip2", "tool")
    assert np.allclose(turned[:3, 3], (0, 0, 1))
    assert np.allclose(turned[:3, :3], np.diag([-1, -1, 1]), atol=1e-12)
    assert tree.joints[tree.joint_index["t1"]].urdf is None


@pytest.mark.parametrize(
    "modifier",
    [
        AddFrame("a", "base", "new"),
        AddFrame("new", "base", "j1"),
        AddFrame("new", "nowhere", "n"),
        AddFrame("new", "new", "n"),
        AddFrame("new", "base", "n", FixedTransform((0, 0, 0), (0, 0, 0, 0))),
        SetBaseFrame("nowhere"),
        RemoveMimicAttributes("j1", (-1, 1)),
        RemoveMimicAttributes("nowhere", (-1, 1)),
    ],
)
def test_a_modifier_that_cannot_be_applied_is_skipped_and_named(modifier: object) -> None:
    tree = build_tree(ARM, [modifier])  # type: ignore[list-item]
    assert tree.frames == build_tree(ARM).frames
    assert list(tree.skipped_modifiers) == [0]


def test_a_new_base_keeps_its_subtree_alone() -> None:
    frame = AddFrame("gone", "base", "g")
    tree = build_tree(ARM, [frame, SetBaseFrame("c")])
    assert tree.root == "c"
    assert tree.frames == ("c", "d")
    assert tree.removed_frames == {"base", "a", "b", "tool", "gone"}
    assert tree.removed_joints == {"j1", "j2", "fix", "slide", "g"}
    assert tree.added_frames == frozenset()
    assert np.allclose(compute_forward(tree, {"slide": 1.0})[0], np.eye(4))


def test_two_bases_on_one_chain_give_the_lower_one_in_either_order() -> None:
    for order in (("a", "c"), ("c", "a")):
        tree = build_tree(ARM, [SetBaseFrame(name) for name in order])
        assert tree.root == "c"
        assert not tree.skipped_modifiers
    apart = build_tree(ARM, [SetBaseFrame("b"), SetBaseFrame("c")])
    assert apart.root == "b"
    assert list(apart.skipped_modifiers) == [1]


MIMICS = robot(
    joint("lead", "base", "a"),
    joint("follow", "a", "b", mimic=Mimic("lead", -2.0, 0.5)),
    joint("chain", "b", "c", mimic=Mimic("follow", 3.0, 0.25)),
)


def test_mimic_chains_follow() -> None:
    tree = build_tree(MIMICS)
    assert tree.independent == ("lead",)
    pose = complete_pose(tree, {"lead": 0.3, "follow": 99.0})
    assert pose["follow"] == pytest.approx(-0.1)
    assert pose["chain"] == pytest.approx(-0.05)
    assert np.allclose(compute_forward(tree, {"lead": 0.3}), compute_forward(tree, pose))


def test_a_freed_mimic_joint_has_its_new_limits_and_leads_its_own_followers() -> None:
    tree = build_tree(MIMICS, [RemoveMimicAttributes("follow", (-0.2, 0.4), 7.0)])
    assert tree.independent == ("lead", "follow")
    freed = tree.joint("follow")
    assert freed is not None
    assert (freed.limits, freed.velocity, freed.mimic) == ((-0.2, 0.4), 7.0, None)
    assert complete_pose(tree, {"follow": 0.1})["chain"] == pytest.approx(0.55)


def test_a_mimic_joint_whose_leader_was_cut_off_stands_where_that_would_rest() -> None:
    tree = build_tree(MIMICS, [SetBaseFrame("a")])
    assert tree.independent == ()
    assert tree.movable == ("follow", "chain")
    assert dict(get_default_positions(tree)) == {"follow": 0.5, "chain": 1.75}
    assert compute_forward_batch(tree, (), np.zeros((2, 0))).shape == (2, 3, 4, 4)


def test_mimic_loops_and_unknown_leaders_leave_a_joint_that_moves_by_itself() -> None:
    urdf = robot(
        joint("x", "base", "a", mimic=Mimic("y")),
        joint("y", "a", "b", mimic=Mimic("x")),
        joint("z", "b", "c", mimic=Mimic("x", 2.0)),
        joint("self", "c", "d", mimic=Mimic("self")),
        joint("lost", "d", "e", mimic=Mimic("nowhere")),
    )
    tree = build_tree(urdf)
    assert tree.independent == ("x", "y", "self", "lost")
    assert sorted(s for p in tree.problems for s in p.subject.joints) == ["lost", "self", "x", "y"]
    assert {p.code for p in tree.problems} == {"TREE007"}
    assert complete_pose(tree, {"x": 0.5})["z"] == 1.0


def test_defaults_are_clamped_to_the_limits_and_taken_from_the_xrdf() -> None:
    urdf = robot(
        joint("p", "base", "a", limit=Limit(0.5, 1.0)),
        joint("q", "a", "b", limit=Limit(-3.0, -1.0)),
    )
    tree = build_tree(urdf)
    assert dict(get_default_positions(tree, Xrdf())) == {"p": 0.5, "q": -1.0}
    xrdf = Xrdf(default_joint_positions=FrozenDict({"q": -2.0, "nowhere": 1.0}))
    assert dict(get_default_positions(tree, xrdf)) == {"p": 0.5, "q": -2.0}


def test_the_tree_of_a_robot_is_cached_by_what_it_depends_on() -> None:
    one = RobotDescription(ARM, Xrdf(modifiers=(SetBaseFrame("c"),)))
    assert get_tree(one) is get_tree(one.with_xrdf(replace(one.xrdf, tool_frames=("d",))))
    assert get_tree(one) is not get_tree(one.with_xrdf(replace(one.xrdf, modifiers=())))
    copy = pickle.loads(pickle.dumps(get_tree(one)))
    assert copy.frames == ("c", "d")
    assert np.allclose(
        compute_forward(copy, {"spin": 1.0}), compute_forward(get_tree(one), {"spin": 1.0})
    )


BROKEN = {
    "nothing": Urdf(),
    "two parents": robot(joint("1", "r", "a"), joint("2", "r", "b"), joint("3", "b", "a")),
    "missing parent": robot(joint("1", "r", "a"), joint("2", "nowhere", "b"), links="r a b"),
    "missing child": robot(joint("1", "r", "a"), joint("2", "a", "nowhere"), links="r a"),
    "own parent": robot(joint("1", "r", "a"), joint("2", "a", "a")),
    "loop": robot(joint("1", "a", "b"), joint("2", "b", "c"), joint("3", "c", "a")),
    "loop with a tail": robot(
        joint("0", "b", "t"), joint("1", "a", "b"), joint("2", "b", "a"), links="t a b"
    ),
    "loop apart": robot(joint("1", "r", "x"), joint("2", "a", "b"), joint("3", "b", "a")),
    "two roots": robot(joint("1", "r", "a"), joint("2", "s", "b"), joint("3", "s", "c")),
    "same joint": robot(joint("1", "r", "a"), joint("1", "a", "b")),
    "same link": robot(joint("1", "r", "a"), links="r a a"),
    "zero axis": robot(joint("1", "r", "a", axis=(0, 0, 0))),
    "no pose": robot(joint("1", "r", "a", origin=Origin(quat_xyzw=(0, 0, 0, 0)))),
    "not a number": robot(joint("1", "r", "a", origin=Origin((math.nan, 0, 0)))),
    "crossed limits": robot(joint("1", "r", "a", limit=Limit(2.0, 1.0))),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_robot_gives_the_tree_that_can_be_made_of_it(name: str) -> None:
    tree = build_tree(BROKEN[name], [SetBaseFrame("a")])
    assert bool(tree.problems) == (name != "nothing")
    whole = build_tree(BROKEN[name])
    world = compute_forward(whole, get_default_positions(whole))
    assert world.shape == (len(whole.frames), 4, 4)
    assert np.isfinite(world).all()
    assert set(whole.frames) | whole.detached_frames == {link.name for link in BROKEN[name].links}


def test_what_is_kept_of_broken_robots() -> None:
    assert build_tree(BROKEN["two roots"]).root == "s"
    assert build_tree(BROKEN["loop apart"]).detached_frames == {"a", "b"}
    assert build_tree(BROKEN["loop with a tail"]).frames == ("a", "b", "t")
    assert build_tree(BROKEN["two parents"]).parent == (-1, 0, 0)


names = st.sampled_from("abcdefg")


@given(
    st.lists(names, max_size=7),
    st.lists(st.tuples(names, names, names, st.none() | names), max_size=9),
    st.lists(
        st.one_of(
            st.builds(AddFrame, names, names, names),
            st.builds(SetBaseFrame, names),
            st.builds(lambda j: RemoveMimicAttributes(j, (-1.0, 1.0)), names),
        ),
        max_size=4,
    ),
)
def test_no_description_is_too_broken(
    links: list[str], joints: list[tuple[str, ...]], modifiers: list[object]
) -> None:
    urdf = Urdf(
        links=tuple(Link(n) for n in links),
        joints=tuple(
            joint(name, parent, child, mimic=None if leader is None else Mimic(leader, 2.0, 0.1))
            for name, parent, child, leader in joints
        ),
    )
    tree = build_tree(urdf, modifiers)  # type: ignore[arg-type]
    assert len(tree.joints) == max(0, len(tree.frames) - 1)
    assert all(
        tree.frames[p] == j.parent for p, j in zip(tree.parent[1:], tree.joints, strict=True)
    )
    assert all(p < i for i, p in enumerate(tree.parent))
    assert np.isfinite(compute_forward(tree, get_default_positions(tree))).all()


def test_a_chain_of_ten_thousand_joints_does_no_harm() -> None:
    count = 10_000
    mimics = tuple(
        joint(f"j{i}", f"l{i}", f"l{i + 1}", mimic=Mimic(f"j{i - 1}") if i else None)
        for i in range(count)
    )
    begun = time.process_time()
    tree = build_tree(robot(*mimics))
    assert len(tree.frames) == count + 1
    assert complete_pose(tree, {"j0": 0.5})[f"j{count - 1}"] == 0.5
    assert time.process_time() - begun < 5


def test_one_and_many_configurations_agree() -> None:
    for urdf in (ARM, MIMICS):
        tree = build_tree(urdf)
        q = sample_joints(tree, 20, seed=3)
        batch = compute_forward_batch(tree, tree.independent, q)
        for row, world in zip(q, batch, strict=True):
            assert np.allclose(
                compute_forward(tree, dict(zip(tree.independent, row, strict=True))),
                world,
                atol=1e-14,
            )
    tree = build_tree(ARM)
    part = compute_forward_batch(tree, ("spin",), np.array([[0.3]]), rest={"j1": 0.2})
    assert np.allclose(part[0], compute_forward(tree, {"spin": 0.3, "j1": 0.2}))
    with pytest.raises(ValueError, match="joint names"):
        compute_forward_batch(tree, ("spin",), np.zeros((2, 2)))
    with pytest.raises(KeyError):
        compute_forward_batch(tree, ("fix",), np.zeros((2, 1)))


def test_axes_predict_small_motions() -> None:
    tree = build_tree(ARM)
    pose = {"j1": 0.4, "j2": -0.3, "slide": 0.1, "spin": 1.0}
    world = compute_forward(tree, pose)
    points, directions = joint_axes(tree, world)
    step = 1e-6
    for name, point, direction in zip(tree.movable, points, directions, strict=True):
        moved = compute_forward(tree, {**pose, name: pose[name] + step})
        kind = tree.joints[tree.joint_index[name]].type
        for frame in range(len(tree.frames)):
            shift = (moved[frame, :3, 3] - world[frame, :3, 3]) / step
            child = tree.joints[tree.joint_index[name]].child
            below = tree.frames[frame] in tree.subtree(child)
            lever = np.cross(direction, world[frame, :3, 3] - point)
            expected = (
                (direction if kind is JointType.PRISMATIC else lever) if below else np.zeros(3)
            )
            assert np.allclose(shift, expected, atol=1e-5)


def test_one_configuration_of_a_hundred_frames_takes_less_than_a_millisecond() -> None:
    tree = build_tree(
        robot(
            *(joint(f"j{i}", f"l{i}", f"l{i + 1}", origin=Origin((0, 0, 0.1))) for i in range(99))
        )
    )
    pose = get_default_positions(tree)
    compute_forward(tree, pose)
    times = []
    for _ in range(50):
        begun = time.perf_counter()
        compute_forward(tree, pose)
        times.append(time.perf_counter() - begun)
    assert min(times) < 1e-3


def test_origin_of_a_joint_is_applied_before_its_motion() -> None:
    tree = build_tree(ARM)
    world = compute_forward(tree, {"slide": 0.25})
    expected = build_origin_matrix(Origin((0, 0, 1))) @ build_origin_matrix(Origin((0, 0.25, 0)))
    assert np.allclose(world[tree.index["c"]], expected)
