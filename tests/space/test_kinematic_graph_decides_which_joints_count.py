"""Broken URDFs: which joints count is decided once, and the tree with poses agrees with it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.model.kinematic_graph import JointFault, KinematicGraph
from editor_app.core.model.urdf import Joint, JointType, Link, Urdf
from editor_app.core.space.kinematics.tree import build_tree

NAMES = st.sampled_from("abcdef")


def joint(name: str, parent: str, child: str) -> Joint:
    return Joint(name, JointType.REVOLUTE, parent, child)


@st.composite
def urdfs(draw: st.DrawFn) -> Urdf:
    links = draw(st.lists(NAMES, max_size=7))
    joints = draw(st.lists(st.tuples(st.sampled_from("123456"), NAMES, NAMES), max_size=8))
    return Urdf("r", links=tuple(map(Link, links)), joints=tuple(joint(*parts) for parts in joints))


def test_each_fault_has_its_reason_and_the_first_joint_counts() -> None:
    urdf = Urdf(
        "r",
        links=tuple(map(Link, "abcd")),
        joints=(
            joint("1", "a", "b"),
            joint("2", "a", "nowhere"),
            joint("3", "c", "c"),
            joint("1", "b", "c"),
            joint("4", "c", "b"),
            joint("5", "b", "c"),
        ),
    )
    graph = KinematicGraph(urdf)
    assert graph.faults == {
        1: JointFault.NO_LINK,
        2: JointFault.ITSELF,
        3: JointFault.SAME_NAME,
        4: JointFault.SECOND_PARENT,
    }
    assert (graph.root, graph.roots, graph.below("a")) == ("a", ("a", "d"), ("a", "b", "c"))
    chain = graph.chain("a", "c")
    assert chain is not None
    assert [j.name for j in chain] == ["1", "5"]
    assert graph.chain("d", "c") is None


@settings(deadline=None)
@given(urdfs())
def test_the_tree_is_what_hangs_on_the_root_of_the_graph(urdf: Urdf) -> None:
    graph, tree = KinematicGraph(urdf), build_tree(urdf)
    if graph.root is None:
        # All links stand in loops, one of which the tree cuts.
        assert not urdf.links or "TREE006" in {problem.code for problem in tree.problems}
        return
    assert (tree.root, tree.frames) == (graph.root, graph.below(graph.root))
    for place, frame in enumerate(tree.frames[1:], 1):
        chain = graph.chain(tree.root, frame)
        assert chain is not None
        assert tree.frames[tree.parent[place]] == chain[-1].parent
    left_out = {"TREE001", "TREE002", "TREE003", "TREE004"}
    assert sum(problem.code in left_out for problem in tree.problems) == len(graph.faults)


@settings(deadline=None)
@given(urdfs(), NAMES)
def test_walks_end_whatever_the_loops(urdf: Urdf, start: str) -> None:
    graph = KinematicGraph(urdf)
    below = graph.below(start)
    assert len(set(below)) == len(below)
    assert graph.chain(start, start) == ()
    for link in below:
        assert link == start or graph.chain(start, link) is not None
