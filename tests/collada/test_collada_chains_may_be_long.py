"""COLLADA's links stand in each other: long chains are written and read again, and nesting without
end is refused."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from editor_app.core.formats.exchange.conversion import ConversionReport
from editor_app.core.model.origin import Origin
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Box, Joint, JointType, Limit, Link, Urdf, Visual
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree, complete_pose
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import MAX_CHAIN, MAX_DEPTH, parse_xml
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.collada.write import collada_files
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import report_of, urdf_of


def chain(links: int) -> RobotDescription:
    """Boxes on hinges, one behind the other."""
    seen = (Visual(Box((0.1, 0.1, 0.1))),)
    joints = tuple(
        Joint(
            f"j{i}",
            JointType.REVOLUTE,
            f"l{i - 1}",
            f"l{i}",
            Origin((0.0, 0.0, 0.1), (0.0, 0.0, 0.01)),
            (0.0, 1.0, 0.0),
            Limit(-1.0, 1.0, 1.0, 1.0),
        )
        for i in range(1, links)
    )
    return RobotDescription(
        Urdf(
            "chain", links=tuple(Link(f"l{i}", visuals=seen) for i in range(links)), joints=joints
        ),
        Xrdf(),
    )


def written(robot: RobotDescription, folder: Path) -> tuple[Path, ConversionReport]:
    files, report = collada_files(robot, folder / "chain.dae")
    (path, data), *_ = files
    path.write_bytes(data)
    return path, report


@pytest.mark.parametrize("links", of_each_kind((20, 120, 150, 500), (20, 150)))
def test_a_long_chain_comes_back_and_moves_the_same(links: int, tmp_path: Path) -> None:
    robot = chain(links)
    path, report = written(robot, tmp_path)
    again = urdf_of(read_collada_robot(path))
    assert again == robot.urdf
    # COLLADA's own words, without the URDF that stands in the file for this editor.
    text = path.read_text()
    start = text.index('<extra type="xrdf-editor">')
    path.write_text(text[:start] + "</COLLADA>")
    bare = urdf_of(read_collada_robot(path))
    assert len(bare.links) == links
    poses = []
    for urdf in (robot.urdf, bare):
        tree = build_tree(urdf)
        pose = complete_pose(tree, Pose({f"j{i}": 0.3 / i for i in range(1, links)}))
        poses.append(compute_forward(tree, pose)[tree.index[f"l{links - 1}"]])
    assert abs(poses[0] - poses[1]).max() < 1e-9
    assert any(entry.item == "chain" for entry in report.entries) == (links > 125)


def test_a_chain_that_nobody_could_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="a chain of 10,001 links"):
        written(chain(10_001), tmp_path)


@pytest.mark.parametrize(
    ("tag", "deep", "limit"),
    [
        ("node", MAX_CHAIN + 10, MAX_CHAIN),
        ("link", 1_000_000, MAX_CHAIN),
        ("extra", MAX_DEPTH + 10, MAX_DEPTH),
    ],
)
def test_nesting_without_end_is_refused_in_no_time(
    tag: str, deep: int, limit: int, tmp_path: Path
) -> None:
    path = tmp_path / "deep.dae"
    path.write_text(f"<COLLADA>{f'<{tag}>' * deep}{f'</{tag}>' * deep}</COLLADA>")
    start = time.process_time()
    with pytest.raises(FormatError, match=f"nested more than {limit:,} deep") as told:
        read_collada_robot(path)
    assert told.value.location.line == 1
    assert time.process_time() - start < 5


def test_only_chains_may_be_deep_and_only_where_they_are_allowed() -> None:
    deep = "<link>" * 300 + "</link>" * 300
    with pytest.raises(FormatError, match="nested more than 200 deep"):
        parse_xml(SourceText.from_text(deep))
    chained = frozenset({"link"})
    assert sum(1 for _ in parse_xml(SourceText.from_text(deep), chained).root.walk()) == 300
    # What stands between does not hide behind them.
    mixed = "<link><a>" * 250 + "</a></link>" * 250
    with pytest.raises(FormatError, match="nested more than 200 deep"):
        parse_xml(SourceText.from_text(mixed), chained)


def test_nodes_within_other_things_end_in_a_sentence_too(tmp_path: Path) -> None:
    path, _ = written(chain(2), tmp_path)
    deep = "<node>" * 3000 + "</node>" * 3000
    sensor = (
        '<extra type="library_sensors"><technique profile="OpenRAVE"><sensor type="base_imu" '
        'id="s">'
        f"<intrinsic>{deep}</intrinsic></sensor></technique></extra>"
    )
    attached = (
        '<extra type="attach_sensor" name="imu"><technique profile="OpenRAVE"><instance_sensor '
        'url="#s"/>'
        '<frame_origin link="l1"/></technique></extra>'
    )
    text = path.read_text().replace(
        '<extra type="xrdf-editor">', f'{sensor}<extra type="xrdf-editor">'
    )
    at = text.index("</kinematics>") + len("</kinematics>")
    path.write_text(text[:at] + attached + text[at:])
    lost = [e for e in report_of(read_collada_robot(path)).entries if e.item == "attach_sensor imu"]
    assert "nested more than 50 deep" in lost[0].detail
