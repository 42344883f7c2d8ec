"""A chain of an SRDF joins any two links: up from its base to the link above both, then down to its
tip."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import editor_app
from editor_app.__main__ import main
from editor_app.core.document.selection import links_of, list_features
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.findings import Severity
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import Group, Srdf
from editor_app.core.model.srdf_groups import joints_of_group, list_group_links, list_planned_joints
from editor_app.core.model.urdf import Joint, JointType, Link, Urdf
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from editor_app.features.checks.verbs.check_files import check_files


def _joint(name: str, parent: str, child: str, kind: str = "revolute") -> str:
    limit = (
        '<limit lower="-2" upper="2" effort="10" velocity="1"/>'
        if kind in ("revolute", "prismatic")
        else ""
    )
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.3"/>{limit}</joint>'
    )


def _urdf(*joints: str, name: str = "cell") -> str:
    text = "".join(joints)
    links = dict.fromkeys(part.split('"')[0] for part in text.split('link="')[1:])
    box = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    return (
        "<robot "
        f'name="{name}">{"".join(f"""<link name="{link}">{box}</link>""" for link in links)}{text}</robot>'
    )


#: An arm and a positioner with two axes on one table; the base of the arm's chain may be the leaf
#: `base`.
CELL = _urdf(
    _joint("lift", "floor", "table", "prismatic"),
    _joint("p1", "table", "tilt"),
    _joint("p2", "tilt", "plate"),
    _joint("p_fix", "plate", "part", "fixed"),
    _joint("a_fix", "table", "pedestal", "fixed"),
    _joint("leaf", "pedestal", "base", "fixed"),
    _joint("a1", "pedestal", "l1"),
    _joint("a2", "l1", "l2"),
    _joint("a_tool", "l2", "tool", "fixed"),
)


def _srdf(*groups: str) -> str:
    return f'<robot name="cell">{"".join(groups)}</robot>'


def _chain(name: str, base: str, tip: str) -> str:
    return f'<group name="{name}"><chain base_link="{base}" tip_link="{tip}"/></group>'


def _findings(
    urdf: str, srdf: str, profile: Profile = Profile.SPECIFICATION
) -> list[tuple[str, Severity]]:
    sources = read_urdf(SourceText.from_text(urdf)), None, read_srdf(SourceText.from_text(srdf))
    context = CheckContext.of_texts(*sources, profile, None)
    return [(finding.code, finding.severity) for finding in run_rules(context, files=("srdf",))]


def _written(folder: Path, srdf: str, urdf: str = CELL) -> tuple[Path, Path]:
    paths = folder / "cell.urdf", folder / "cell.srdf"
    for path, text in zip(paths, (urdf, srdf), strict=True):
        path.write_text(text)
    return paths


BOTH_BRANCHES = ("p2", "p1", "a1", "a2")


def test_joints_of_both_branches_belong_to_the_group() -> None:
    graph = KinematicGraph(read_urdf(SourceText.from_text(CELL)).value)
    group = Group("both", chains=(("part", "tool"),))
    srdf = Srdf(groups=(group,))
    assert [j.name for j in joints_of_group(srdf, group, graph)] == [
        "p_fix",
        "p2",
        "p1",
        "a_fix",
        "a1",
        "a2",
        "a_tool",
    ]
    assert list_planned_joints(srdf, group, graph) == BOTH_BRANCHES
    # The base of the chain hangs on a joint of the group; the table, on which both branches stand,
    # does not.
    assert list_group_links(srdf, group, graph) == (
        "part",
        "plate",
        "tilt",
        "pedestal",
        "l1",
        "l2",
        "tool",
    )


def test_a_leaf_beside_the_chain_may_be_its_base() -> None:
    graph = KinematicGraph(read_urdf(SourceText.from_text(CELL)).value)
    group = Group("arm", chains=(("base", "tool"),))
    assert list_planned_joints(Srdf(groups=(group,)), group, graph) == ("a1", "a2")


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(0, 12), st.integers(0, 12)
)
def test_a_connection_is_the_shortest_path(parents: list[int], base: int, tip: int) -> None:
    """Held against a search in both directions on random trees."""
    joints = tuple(
        Joint(f"j{i}", JointType.FIXED, str(p % i), str(i)) for i, p in enumerate(parents, 1)
    )
    count = len(joints) + 1
    graph = KinematicGraph(
        Urdf("r", links=tuple(Link(str(i)) for i in range(count)), joints=joints)
    )
    base, tip = base % count, tip % count
    paths: dict[str, list[str]] = {str(base): []}
    waiting = [str(base)]
    for link in waiting:
        for joint in joints:
            for one, other in ((joint.parent, joint.child), (joint.child, joint.parent)):
                if one == link and other not in paths:
                    paths[other] = [*paths[link], joint.name]
                    waiting.append(other)
    connection = graph.connection(str(base), str(tip))
    assert connection is not None
    assert [joint.name for joint in connection] == paths[str(tip)]


def test_links_without_a_common_root_have_no_connection() -> None:
    urdf = Urdf(
        "r",
        links=(Link("a"), Link("b"), Link("c")),
        joints=(Joint("j", JointType.FIXED, "a", "b"),),
    )
    graph = KinematicGraph(urdf)
    assert graph.connection("b", "c") is None
    assert graph.connection("b", "nowhere") is None
    assert graph.connection("c", "c") == ()


@pytest.mark.parametrize("ends", [("part", "tool"), ("base", "tool"), ("tool", "part")])
def test_a_chain_over_a_common_link_is_no_error(ends: tuple[str, str]) -> None:
    assert _findings(CELL.replace('"prismatic"', '"fixed"'), _srdf(_chain("g", *ends))) == []


@pytest.mark.parametrize(
    ("ends", "codes"),
    [
        # The search of MoveIt ends above the link in which both branches meet: `lift`, `a_fix` and
        # so on.
        (("part", "tool"), [("SRDF032", Severity.INFO)]),
        (("base", "tool"), []),
        (("l2", "l1"), [("SRDF032", Severity.INFO)]),
        (("tool", "table"), [("SRDF032", Severity.INFO)]),
        (("table", "tool"), []),
        (("tool", "tool"), [("SRDF013", Severity.ERROR), ("SRDF024", Severity.WARNING)]),
    ],
)
def test_the_joint_that_moveit_adds_is_reported(
    ends: tuple[str, str], codes: list[tuple[str, Severity]]
) -> None:
    assert sorted(_findings(CELL, _srdf(_chain("g", *ends)))) == codes
    for_moveit = [(code, max(severity, Severity.WARNING)) for code, severity in codes]
    assert sorted(_findings(CELL, _srdf(_chain("g", *ends)), Profile.MOVEIT)) == for_moveit


def test_a_new_file_controls_the_group_that_is_asked_for(tmp_path: Path) -> None:
    urdf, srdf = _written(
        tmp_path, _srdf(_chain("both", "part", "tool"), _chain("arm", "table", "tool"))
    )
    out = tmp_path / "out.xrdf"
    main(["new", str(urdf), str(srdf), "--group", "both", "-o", str(out), "-q"])
    assert yaml.safe_load(out.read_text())["cspace"]["joint_names"] == ["p1", "p2", "a1", "a2"]


def test_a_conversion_keeps_the_group(tmp_path: Path) -> None:
    urdf, srdf = _written(tmp_path, _srdf(_chain("both", "part", "tool")))
    out = tmp_path / "out.xrdf"
    assert main(["convert", str(urdf), str(srdf), str(out), "-q"]) == 0
    assert tuple(yaml.safe_load(out.read_text())["cspace"]["joint_names"]) == BOTH_BRANCHES


def test_a_moveit_package_has_solver_and_controller_for_the_group(tmp_path: Path) -> None:
    urdf, srdf = _written(tmp_path, _srdf(_chain("both", "part", "tool")))
    out = tmp_path / "cell_moveit_config"
    assert main(["convert", str(urdf), str(srdf), str(out), "-q"]) == 0
    assert list(yaml.safe_load((out / "config" / "kinematics.yaml").read_text())) == ["both"]
    controllers = yaml.safe_load((out / "config" / "moveit_controllers.yaml").read_text())
    manager = controllers["moveit_simple_controller_manager"]
    assert tuple(manager["both_controller"]["joints"]) == BOTH_BRANCHES


@pytest.mark.parametrize(
    ("ends", "codes"), [(("part", "tool"), {"ROS017"}), (("base", "tool"), set())]
)
def test_a_solver_of_one_branch_does_not_solve_two(
    ends: tuple[str, str], codes: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf, srdf = _written(tmp_path, _srdf(_chain("g", *ends)))
    out = tmp_path / "cell_moveit_config"
    assert main(["convert", str(urdf), str(srdf), str(out)]) == 0
    assert ("KDL cannot solve g" in capsys.readouterr().err) is bool(codes)
    files = [out / "config" / name for name in ("cell.urdf", "cell.srdf", "kinematics.yaml")]
    told = [
        f
        for file in check_files(files, profile=Profile.MOVEIT)
        for f in file.findings
        if f.code.startswith("ROS")
    ]
    assert {f.code for f in told} == codes
    assert {f.severity for f in told} <= {Severity.WARNING}


def test_the_window_lights_both_branches(tmp_path: Path) -> None:
    urdf, _ = _written(tmp_path, _srdf(_chain("both", "part", "tool")))
    robot: RobotDescription = editor_app.open_robot(urdf).robot
    (feature,) = list_features(robot)
    assert set(links_of(robot, feature)) == {
        "part",
        "plate",
        "tilt",
        "pedestal",
        "l1",
        "l2",
        "tool",
    }
