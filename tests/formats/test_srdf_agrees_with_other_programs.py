"""Tesseract and Pinocchio read the SRDF that we write, and understand the same groups, states and
pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from editor_app.core.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.core.formats.srdf import patch_srdf, read_srdf, srdf_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import (
    CollisionMargins,
    CollisionPair,
    Group,
    PairMargin,
    Srdf,
    ToolCenterPoint,
)
from editor_app.core.text.source import SourceText
from tests.helpers.robots import example_robots, sample_urdf, shared_robots

EXAMPLES = {
    "baxter": (
        "baxter_description/urdf/baxter.urdf",
        "baxter_description/srdf/baxter_manipulation.srdf",
    ),
    "example panda": ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "talos_data/srdf/talos.srdf"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "xarm_description/srdf/xarm7.srdf"),
}


def files(robot: str) -> tuple[Path, Path]:
    if robot == "sample":
        return sample_urdf(), sample_urdf().with_suffix(".srdf")
    if robot in EXAMPLES:
        urdf, srdf = EXAMPLES[robot]
        return example_robots() / urdf, example_robots() / srdf
    folder = shared_robots() / robot
    return next(folder.rglob("*.urdf")), next(folder.glob("*.srdf"))


@pytest.mark.parametrize("robot", ["sample", "panda", "fanuc_m10ia", *EXAMPLES])
def test_pinocchio_disables_the_same_pairs(robot: str, tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    urdf_path, srdf_path = files(robot)
    urdf = read_urdf(SourceText.read(urdf_path)).value
    source = read_srdf(SourceText.read(srdf_path))
    links = [link.name for link in urdf.links]
    pairs = (*source.value.disabled_pairs[1:], CollisionPair(links[0], links[-1], "User"))
    written = tmp_path / "r.srdf"
    written.write_text(patch_srdf(source, replace(source.value, disabled_pairs=pairs)).text)
    model = pin.buildModelFromUrdf(str(urdf_path))
    # Boxes alone, so that no mesh has to be found: what counts is which pairs are left.
    boxes = tmp_path / "boxes.urdf"
    boxes.write_text(_with_boxes(urdf_path))
    geometry = pin.buildGeomFromUrdf(model, str(boxes), pin.GeometryType.COLLISION)
    geometry.addAllCollisionPairs()
    before = _pairs(geometry)
    pin.removeCollisionPairs(model, geometry, str(written), False)
    disabled = {frozenset((p.link1, p.link2)) for p in pairs}
    assert before - _pairs(geometry) == before & disabled
    assert before & disabled


def _pairs(geometry: object) -> set[frozenset[str]]:
    objects = geometry.geometryObjects  # type: ignore[attr-defined]
    names = [o.name.rsplit("_", 1)[0] for o in objects]
    return {frozenset((names[p.first], names[p.second])) for p in geometry.collisionPairs}  # type: ignore[attr-defined]


def _with_boxes(path: Path) -> str:
    from editor_app.core.formats.urdf.patch import patch_urdf
    from editor_app.core.model.urdf import Box, Collision

    source = read_urdf(SourceText.read(path))
    box = (Collision(Box((0.01, 0.01, 0.01))),)
    links = tuple(replace(link, visuals=(), collisions=box) for link in source.value.links)
    return patch_urdf(source, replace(source.value, links=links)).text


def _tesseract(urdf_text: str, srdf_text: str) -> object:
    tesseract = pytest.importorskip("tesseract_robotics.tesseract_environment")
    common = pytest.importorskip("tesseract_robotics.tesseract_common")
    environment = tesseract.Environment()
    assert environment.init(urdf_text, srdf_text, common.GeneralResourceLocator())
    return environment


@pytest.mark.parametrize("tesseract_flavour", [False, True])
def test_tesseract_understands_groups_states_tools_and_pairs(tesseract_flavour: bool) -> None:
    source = read_urdf(SourceText.read(sample_urdf()))
    xrdf = read_xrdf(SourceText.read(sample_urdf().with_suffix(".xrdf"))).value
    srdf: Srdf = read_srdf(
        SourceText.from_text(srdf_text(to_srdf(RobotDescription(source.value, xrdf)).srdf))
    ).value
    srdf = replace(
        srdf,
        version="1.0.0",
        end_effectors=(),
        sphere_approximations=type(srdf.sphere_approximations)(),
    )
    group = srdf.groups[0].name
    if tesseract_flavour:
        srdf = replace(
            srdf,
            tcps=(ToolCenterPoint("pen", group, (0.0, 0.0, 0.2), rpy=(0.0, 0.5, 0.0)),),
            margins=CollisionMargins(0.025, (PairMargin("base_link", "flange_link", 0.01),)),
        )
    from editor_app.core.formats.urdf.patch import urdf_text

    bare = replace(
        source.value,
        links=tuple(replace(link, visuals=(), collisions=()) for link in source.value.links),
    )
    environment = _tesseract(urdf_text(bare), srdf_text(srdf))
    information = environment.getKinematicsInformation()  # type: ignore[attr-defined]
    assert group in set(information.group_names)
    joints = tuple(environment.getGroupJointNames(group))  # type: ignore[attr-defined]
    assert set(joints) == set(xrdf.cspace.joint_names or ())  # type: ignore[union-attr]
    states = information.group_states
    for state in srdf.states:
        assert dict(states[group][state.name]) == {j: v[0] for j, v in state.positions.items()}
    if tesseract_flavour:
        assert information.hasGroupTCP(group, "pen")
        margins = environment.getCollisionMarginData()  # type: ignore[attr-defined]
        assert margins.getPairCollisionMargin("base_link", "flange_link") == 0.01
        assert margins.getPairCollisionMargin("base_link", "elbow_link") == 0.025
    matrix = environment.getAllowedCollisionMatrix()  # type: ignore[attr-defined]
    links = [link.name for link in source.value.links]
    for i, a in enumerate(links):
        for b in links[i + 1 :]:
            want = any({p.link1, p.link2} == {a, b} for p in srdf.disabled_pairs)
            assert matrix.isCollisionAllowed(a, b) == want, (a, b)


@pytest.mark.parametrize("robot", list(EXAMPLES))
def test_tesseract_reads_the_part_of_a_moveit_file_that_it_knows(robot: str) -> None:
    """Groups of one kind, their states, and all pairs, of files that others wrote, after an edit of
    ours."""
    from editor_app.core.formats.urdf.patch import urdf_text
    from editor_app.core.model.kinematic_graph import KinematicGraph
    from editor_app.core.model.srdf_groups import list_planned_joints

    urdf_path, srdf_path = files(robot)
    urdf = read_urdf(SourceText.read(urdf_path)).value
    source = read_srdf(SourceText.read(srdf_path))
    structure = KinematicGraph(urdf)

    def chain_alone(group: Group) -> Group:
        # Where a chain and its joints are both listed, they say the same twice.
        return replace(group, joints=(), links=()) if group.chains else replace(group, subgroups=())

    groups = tuple(map(chain_alone, source.value.groups))
    one_kind = [g for g in groups if len(g.chains) == 1 or (g.joints and not g.links)]
    joints = {
        g.name: movable
        for g in one_kind
        if (movable := list_planned_joints(source.value, g, structure))
    }
    states = tuple(
        replace(
            s, positions=FrozenDict({j: v for j, v in s.positions.items() if j in structure.joints})
        )
        for s in source.value.states
        if s.group in joints
    )
    links = {link.name for link in urdf.links}
    pairs = tuple(p for p in source.value.disabled_pairs if {p.link1, p.link2} <= links)
    edited = Srdf(
        name=urdf.name,
        version="1.0.0",
        groups=tuple(g for g in groups if g.name in joints),
        states=states,
        disabled_pairs=(*pairs[1:], CollisionPair(urdf.links[0].name, urdf.links[-1].name, "User")),
    )
    bare = replace(
        urdf,
        links=tuple(replace(link, visuals=(), collisions=(), inertial=None) for link in urdf.links),
        extensions=(),
    )
    environment = _tesseract(urdf_text(bare), patch_srdf(source, edited).text)
    information = environment.getKinematicsInformation()  # type: ignore[attr-defined]
    assert set(information.group_names) == {g.name for g in edited.groups}
    # Baxter's only group names joints that the URDF does not have.
    assert bool(edited.groups) == (robot != "baxter")
    for group in edited.groups:
        # Tesseract counts the fixed joints of a list, too.
        listed = environment.getGroupJointNames(group.name)  # type: ignore[attr-defined]
        assert set(structure.movable(structure.joints[j] for j in listed)) == set(
            joints[group.name]
        ), group.name
    for state in edited.states:
        positions = dict(information.group_states[state.group][state.name])
        assert positions == {j: v[0] for j, v in state.positions.items()}
    matrix = environment.getAllowedCollisionMatrix()  # type: ignore[attr-defined]
    disabled = {frozenset((p.link1, p.link2)) for p in edited.disabled_pairs}
    names = [link.name for link in urdf.links]
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            assert matrix.isCollisionAllowed(a, b) == (frozenset((a, b)) in disabled), (a, b)


def test_tesseract_moves_the_joints_of_both_branches_of_a_chain() -> None:
    """Random trees of turning joints, and chains between any two links of them."""
    from editor_app.core.formats.urdf.patch import urdf_text
    from editor_app.core.model.kinematic_graph import KinematicGraph
    from editor_app.core.model.srdf_groups import list_planned_joints
    from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Urdf

    rng = Random(7)
    for size in (4, 9, 14):
        parents = [rng.randrange(i) for i in range(1, size)]
        limit = Limit(-1.0, 1.0, 1.0, 1.0)
        joints = tuple(
            Joint(f"j{i}", JointType.REVOLUTE, f"l{parent}", f"l{i}", limit=limit)
            for i, parent in enumerate(parents, 1)
        )
        urdf = Urdf("tree", links=tuple(Link(f"l{i}") for i in range(size)), joints=joints)
        ends = [rng.sample(range(size), 2) for _ in range(6)]
        groups = tuple(Group(f"{a}_{b}", chains=((f"l{a}", f"l{b}"),)) for a, b in ends)
        srdf = Srdf(
            name="tree",
            version="1.0.0",
            groups=tuple({group.name: group for group in groups}.values()),
        )
        environment = _tesseract(urdf_text(urdf), srdf_text(srdf))
        for group in srdf.groups:
            names = environment.getGroupJointNames(group.name)  # type: ignore[attr-defined]
            assert set(names) == set(list_planned_joints(srdf, group, KinematicGraph(urdf))), group
